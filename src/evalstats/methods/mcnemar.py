"""Is a difference of two runs on the same items more than chance? McNemar's test in its four forms.

Only discordant items speak: m = b + c of them, and under "no difference" b ~ Bin(m, ½).
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from evalstats.errors import InputError
from evalstats.kernel.check import check_count
from evalstats.kernel.counts import count_only
from evalstats.kernel.method import Method, MethodTable
from evalstats.methods.paired import check_paired_counts
from evalstats.results import TestResult

_PREFIX = "mcnemar_"
TIES_COUNT = 1e-12  # relative guard: a p equal to α but for rounding is lit


def mcnemar_counts(
    baseline_only: int,
    candidate_only: int,
    n: int | None = None,
    *,
    method: str = "exact",
    name: str = "mcnemar",
) -> TestResult:
    """Could the flips between two runs be chance? McNemar's test from the two discordant counts.

    baseline_only, candidate_only : items that only this run has right. n : all items, for the effect.
    method : exact (default), mid_p, chi2, chi2_cc; the prefix mcnemar_ may be given.
    effect : candidate − baseline, a fraction; not known without n (`n` is then the discordant items).
    statistic : min(b, c), or χ² with one degree of freedom. pvalue : two-sided; 1 when nothing flipped.
    Raises InputError for counts that cannot be, MethodError for an unknown method.
    Source: McNemar 1947, Psychometrika 12:153–157; Fagerland, Lydersen & Laake 2013 for mid-p.

    >>> print(mcnemar_counts(40, 55, 500))
    mcnemar p = 0.15, effect +3.0 points, mcnemar_exact n=500
    """
    if n is None:
        c = check_count(baseline_only, "baseline_only")
        b = check_count(candidate_only, "candidate_only")
        whole, effect = b + c, math.nan
        known: dict[str, Any] = {"undefined": {"effect": "n, the number of all items, was not given"}}
    else:
        counts = check_paired_counts(baseline_only, candidate_only, n)
        b, c, whole = counts.b, counts.c, counts.n
        effect = (b - c) / whole
        known = {"discordant_rate": (b + c) / whole}
    extra = {"baseline_only": c, "candidate_only": b, **known}
    return _result(b, c, method, effect, whole, name, extra)


def mcnemar(
    a_correct: Sequence[Any] | NDArray[Any],
    b_correct: Sequence[Any] | NDArray[Any],
    exact: bool = True,
    name: str = "mcnemar",
) -> TestResult:
    """Do two models differ on the same items, each right or wrong? The chapter's function.

    a_correct, b_correct : (n,) 0/1 or True/False per item, in the same order.
    exact : the binomial test, else χ² with continuity correction, floored at 0 (p = 1 where b = c).
    effect : accuracy of a − accuracy of b; extra b: only a right, c: only b right, discordant_rate, mid_p.
    Raises InputError for empty or unequal input and for a value that is neither 0 nor 1.
    Source: McNemar 1947, Psychometrika 12:153–157.

    >>> print(mcnemar([1, 1, 1, 0], [0, 0, 1, 0]))
    mcnemar p = 0.5, effect +50.0 points, mcnemar_exact n=4
    """
    a_right, b_right = _check_right(a_correct, "a_correct"), _check_right(b_correct, "b_correct")
    n = len(a_right)
    if len(b_right) != n:
        raise InputError(
            f"a_correct has {n} items and b_correct {len(b_right)}: McNemar's test compares the same "
            "items in the same order. Keep the items that both have."
        )
    only_a, only_b = count_only(a_right, b_right), count_only(b_right, a_right)
    extra = {"b": only_a, "c": only_b, "discordant_rate": (only_a + only_b) / n}
    method = "exact" if exact else "chi2_cc"
    return _result(only_a, only_b, method, (only_a - only_b) / n, n, name, extra)


def mcnemar_pvalues(b: ArrayLike, c: ArrayLike, method: str = "exact") -> NDArray[np.float64]:
    """Two-sided p-values of many pairs of discordant counts at once, elementwise.

    >>> mcnemar_pvalues([40, 3], [55, 3], "mid_p").round(4).tolist()
    [0.1253, 0.8438]
    """
    chosen = METHODS[_full_name(method)]
    p: NDArray[np.float64] = chosen.function(np.asarray(b, dtype=np.float64), np.asarray(c, dtype=np.float64))
    return p


def critical_counts(m: ArrayLike, alpha: float, method: str = "exact") -> NDArray[np.float64]:
    """For each number m of discordant items, the largest min(b, c) at which p ≤ α; −1 where there is none.

    >>> critical_counts([5, 6, 95], 0.05).tolist()
    [-1.0, 0.0, 37.0]
    """
    m = np.asarray(m, dtype=np.float64)
    function = METHODS[_full_name(method)].function
    rejects, accepts = np.full(m.shape, -1.0), np.floor(m / 2) + 1  # p grows with min(b, c)
    while np.any(accepts - rejects > 1):
        middle = np.floor((rejects + accepts) / 2)
        lit = function(np.minimum(middle, m - middle), m - middle) <= alpha * (1 + TIES_COUNT)
        open_ = accepts - rejects > 1
        rejects = np.where(open_ & lit, middle, rejects)
        accepts = np.where(open_ & ~lit, middle, accepts)
    return rejects


def rejection_probability(
    m: ArrayLike, share: float, alpha: float, method: str = "exact"
) -> NDArray[np.float64]:
    """P(p ≤ α | m discordant items), each in favour of one given run with probability `share`."""
    m = np.asarray(m, dtype=np.float64)
    k = critical_counts(m, alpha, method)
    return np.where(k < 0, 0.0, _lower_tail(k, m, share) + _lower_tail(k, m, 1 - share))


def _result(
    b: int, c: int, method: str, effect: float, n: int, name: str, extra: dict[str, Any]
) -> TestResult:
    full_name = _full_name(method)
    pvalue = float(mcnemar_pvalues(b, c, full_name))
    exact_family = full_name in ("mcnemar_exact", "mcnemar_mid_p")
    statistic = float(min(b, c)) if exact_family else float(_chi2(b, c, full_name == "mcnemar_chi2_cc"))
    beside = {
        key: float(mcnemar_pvalues(b, c, key)) for key in ("exact", "mid_p") if _full_name(key) != full_name
    }
    said = {"n_discordant_units": b + c, "statistic_kind": "min(b, c)" if exact_family else "χ²"}
    extra = {**extra, **beside, **said, "unit": "fraction"}
    return TestResult(name, statistic, pvalue, effect, full_name, n, extra)


def _full_name(method: str) -> str:
    return method if method.startswith(_PREFIX) else _PREFIX + method


def _check_right(values: Any, name: str) -> NDArray[np.bool_]:
    """One run's items as booleans; raises InputError at the first value that is neither 0 nor 1."""
    array = _array(values)
    if array.ndim != 1:
        raise InputError(f"{name} has shape {array.shape}: give one 0 or 1 per item.")
    if array.size == 0:
        raise InputError(f"{name} is empty: give one 0 or 1 per item.")
    if array.dtype == np.bool_:
        return array
    right, wrong = (_equals(array, value) for value in (1, 0))
    odd = np.flatnonzero(~(right | wrong))
    if odd.size:
        value = array[odd[0]].item() if array.dtype != object else array[odd[0]]
        raise InputError(
            f"{name}[{odd[0]}] is {value!r}: McNemar's test takes 0 or 1, True or False. Leave missing "
            "items out of both runs; for partial credit use mean_difference or paired_t."
        )
    return right


def _array(values: Any) -> NDArray[Any]:
    """Numbers or booleans as they are, anything else as objects, so that an error can quote it."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of unequal length
        return np.asarray(values, dtype=object)
    return array if array.dtype.kind in "biuf" else np.asarray(values, dtype=object)


def _equals(array: NDArray[Any], wanted: int) -> NDArray[np.bool_]:
    if array.dtype != object:
        return np.asarray(array == wanted)
    return np.array([isinstance(v, numbers.Real | np.bool_) and bool(v == wanted) for v in array], dtype=bool)


def _lower_tail(k: NDArray[np.float64], m: NDArray[np.float64], share: float = 0.5) -> NDArray[np.float64]:
    """P(Bin(m, share) ≤ k) for k < m as an incomplete beta: no overflow at any m; 0 for k < 0."""
    tail = special.betainc(np.maximum(m - k, 1.0), np.maximum(k + 1, 1.0), 1 - share)
    return np.where(k < 0, 0.0, tail)


def _exact(b: NDArray[np.float64], c: NDArray[np.float64]) -> NDArray[np.float64]:
    """min(1, 2P(Bin(m, ½) ≤ min(b, c))), which is 1 wherever b = c."""
    return np.where(b == c, 1.0, np.minimum(1.0, 2 * _lower_tail(np.minimum(b, c), b + c)))


def _mid_p(b: NDArray[np.float64], c: NDArray[np.float64]) -> NDArray[np.float64]:
    """2P(X ≤ k) − P(X = k) with k = min(b, c), as a sum so that no digit cancels; b = c: 1 − P(X = b)/2."""
    k, m = np.minimum(b, c), b + c
    at_most, below = _lower_tail(k, m), _lower_tail(k - 1, m)
    tied = np.where(m == 0, 1.0, 1 - (at_most - below) / 2)
    return np.where(b == c, tied, np.minimum(1.0, at_most + below))


def _chi2(b: ArrayLike, c: ArrayLike, continuity: bool) -> NDArray[np.float64]:
    """(|b−c| − 1)²/m, the correction floored at 0, or (b−c)²/m; 0 when nothing flipped."""
    b, c = np.asarray(b, dtype=np.float64), np.asarray(c, dtype=np.float64)
    gap = np.maximum(np.abs(b - c) - 1, 0.0) if continuity else np.abs(b - c)
    return np.asarray(gap**2 / np.maximum(b + c, 1.0))


def _chi2_pvalue(b: NDArray[np.float64], c: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(special.chdtrc(1.0, _chi2(b, c, continuity=False)))


def _chi2_cc_pvalue(b: NDArray[np.float64], c: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(special.chdtrc(1.0, _chi2(b, c, continuity=True)))


METHODS = MethodTable(
    situation="a test of two pass rates on the same items",
    methods=(
        Method(
            "mcnemar_exact",
            _exact,
            "McNemar 1947, Psychometrika 12:153–157; exact binomial, Cochran 1950",
            role="default",
            label="McNemar exact",
            proof="proved",
        ),
        Method(
            "mcnemar_mid_p",
            _mid_p,
            "Fagerland, Lydersen & Laake 2013, BMC Medical Research Methodology 13:91",
            label="McNemar mid-p",
        ),
        Method("mcnemar_chi2", _chi2_pvalue, "McNemar 1947, Psychometrika 12:153–157", label="McNemar χ²"),
        Method(
            "mcnemar_chi2_cc",
            _chi2_cc_pvalue,
            "Edwards 1948, Psychometrika 13:185–187",
            label="McNemar χ² with continuity correction",
        ),
    ),
)
