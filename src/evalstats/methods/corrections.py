"""Many p-values, one family: what stays lit once luck is allowed for.

Every function keeps the order it is given, leaves nan out of m and never lights it, and derives `reject`
from `adjusted`, so the two cannot contradict each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalstats.errors import InputError
from evalstats.kernel.check import check_alpha
from evalstats.kernel.method import Method, MethodTable
from evalstats.methods.mcnemar import TIES_COUNT, rejection_probability


def bonferroni(pvalues: ArrayLike, alpha: float = 0.05) -> dict[str, Any]:
    """Which of m tests hold if not even one false alarm is wanted? Each p against α/m.

    pvalues : (m,), nan where no test ran. alpha : the chance of any false alarm.
    Returns reject (m,) bool, adjusted (m,), alpha, m (tests that ran), method.
    Raises InputError for a p outside 0 to 1. Source: Dunn 1961, JASA 56:52–64.

    >>> bonferroni([0.001, 0.01, 0.03])["reject"].tolist()
    [True, True, False]
    """
    return _family(pvalues, alpha, "bonferroni")


def holm(pvalues: ArrayLike, alpha: float = 0.05) -> dict[str, Any]:
    """Bonferroni's promise, step-down, never fewer lit: the default for a handful of comparisons.

    Arguments, result and errors as `bonferroni`. Source: Holm 1979, Scand. J. Statistics 6:65–70.

    >>> holm([0.001, 0.01, 0.03, float("nan")])["adjusted"].round(3).tolist()
    [0.003, 0.02, 0.03, nan]
    """
    return _family(pvalues, alpha, "holm")


def hochberg(pvalues: ArrayLike, alpha: float = 0.05) -> dict[str, Any]:
    """Holm's steps upwards: a little more power, for independent or positively dependent tests.

    Arguments, result and errors as `bonferroni`. Source: Hochberg 1988, Biometrika 75:800–802.

    >>> hochberg([0.04, 0.045])["reject"].tolist()
    [True, True]
    """
    return _family(pvalues, alpha, "hochberg")


def benjamini_hochberg(pvalues: ArrayLike, q: float = 0.05) -> dict[str, Any]:
    """Which cells of a dashboard are worth a look, if a share q of the lit ones may be luck?

    pvalues : (m,), nan where no test ran. q : expected share of false alarms among the lit.
    Returns reject (m,) bool, adjusted (m,), k_star (how many are lit), q, m (tests that ran), method.
    Raises InputError for a p outside 0 to 1. Source: Benjamini & Hochberg 1995, JRSS B 57:289–300.

    >>> benjamini_hochberg([0.001, 0.01, 0.03, 0.2])["k_star"]
    3
    """
    return _discoveries(pvalues, q, "benjamini_hochberg")


def benjamini_yekutieli(pvalues: ArrayLike, q: float = 0.05) -> dict[str, Any]:
    """Benjamini–Hochberg for tests that depend on each other in any way, at the price of Σ1/i.

    Arguments, result and errors as `benjamini_hochberg`.
    Source: Benjamini & Yekutieli 2001, Annals of Statistics 29:1165–1188.

    >>> benjamini_yekutieli([0.001, 0.01, 0.03, 0.2])["k_star"]
    2
    """
    return _discoveries(pvalues, q, "benjamini_yekutieli")


def lit_by_luck(discordant: Sequence[int], alpha: float = 0.05, test: str = "exact") -> float:
    """How many cells would p ≤ α light if nothing had changed? Each by its own discrete null.

    discordant : items that changed, of each cell; test : exact or mid_p of McNemar.
    A cell with m discordant items lights with P(p ≤ α | Bin(m, ½)), which is below α and 0 for m < 6
    (α = .05, exact). Uncorrected; after a correction this is an upper bound.

    >>> round(lit_by_luck([5, 6, 95]), 4)
    0.0709
    """
    alpha = check_alpha(alpha)
    return float(rejection_probability(np.asarray(discordant, dtype=np.float64), 0.5, alpha, test).sum())


def _family(pvalues: ArrayLike, alpha: float, method: str) -> dict[str, Any]:
    alpha = check_alpha(alpha)
    adjusted, reject, m = _adjust(_check_pvalues(pvalues), alpha, method)
    return {"reject": reject, "adjusted": adjusted, "alpha": alpha, "m": m, "method": method}


def _discoveries(pvalues: ArrayLike, q: float, method: str) -> dict[str, Any]:
    q = check_alpha(q, "q")
    adjusted, reject, m = _adjust(_check_pvalues(pvalues), q, method)
    k_star = int(reject.sum())
    return {"reject": reject, "adjusted": adjusted, "k_star": k_star, "q": q, "m": m, "method": method}


def _check_pvalues(pvalues: ArrayLike) -> NDArray[np.float64]:
    try:
        p = np.asarray(pvalues, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"p-values must be numbers from 0 to 1, or nan where no test ran: {error}."
        ) from None
    if p.ndim != 1:
        raise InputError(f"p-values have shape {p.shape}: give one list of them, a family.")
    outside = np.flatnonzero((p < 0) | (p > 1))
    if outside.size:
        raise InputError(f"pvalues[{outside[0]}] is {p[outside[0]]}: a p-value lies between 0 and 1.")
    return p


def _adjust(
    p: NDArray[np.float64], alpha: float, method: str
) -> tuple[NDArray[np.float64], NDArray[np.bool_], int]:
    ran = np.flatnonzero(~np.isnan(p))
    order = ran[np.argsort(p[ran], kind="stable")]
    adjusted = np.full(p.shape, np.nan)
    adjusted[order] = np.minimum(METHODS[method].function(p[order]), 1.0)
    adjusted[np.abs(adjusted - alpha) <= TIES_COUNT * alpha] = alpha  # p·m and α/m round differently
    return adjusted, adjusted <= alpha, len(ran)


def _steps(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 to m: the rank of each sorted p."""
    return np.arange(1.0, len(p) + 1)


def _running_minimum_from_the_largest(p: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.minimum.accumulate(p[::-1])[::-1]


def _bonferroni(p: NDArray[np.float64]) -> NDArray[np.float64]:
    return p * len(p)


def _holm(p: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.maximum.accumulate(p * (len(p) + 1 - _steps(p)))


def _hochberg(p: NDArray[np.float64]) -> NDArray[np.float64]:
    return _running_minimum_from_the_largest(p * (len(p) + 1 - _steps(p)))


def _benjamini_hochberg(p: NDArray[np.float64]) -> NDArray[np.float64]:
    return _running_minimum_from_the_largest(p * len(p) / _steps(p))


def _benjamini_yekutieli(p: NDArray[np.float64]) -> NDArray[np.float64]:
    return _benjamini_hochberg(p) * np.sum(1 / _steps(p))


METHODS = MethodTable(
    situation="a family of p-values",
    methods=(
        Method(
            "holm",
            _holm,
            "Holm 1979, Scandinavian Journal of Statistics 6:65–70",
            role="default",
            label="Holm",
            proof="proved",
        ),
        Method("bonferroni", _bonferroni, "Dunn 1961, JASA 56:52–64", label="Bonferroni", proof="proved"),
        Method("hochberg", _hochberg, "Hochberg 1988, Biometrika 75:800–802", label="Hochberg"),
        Method(
            "benjamini_hochberg",
            _benjamini_hochberg,
            "Benjamini & Hochberg 1995, JRSS B 57:289–300",
            label="Benjamini–Hochberg",
        ),
        Method(
            "benjamini_yekutieli",
            _benjamini_yekutieli,
            "Benjamini & Yekutieli 2001, Annals of Statistics 29:1165–1188",
            label="Benjamini–Yekutieli",
        ),
    ),
)
