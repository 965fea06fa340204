"""Tests of many runs: are they all alike (Cochran's Q, Friedman), and does each pair differ?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evalstats.errors import InputError
from evalstats.kernel.method import Method, MethodTable
from evalstats.methods.many_counts import pvalues
from evalstats.methods.many_intervals import PairIntervals, effective_table
from evalstats.methods.many_items import ManyItems, many_items
from evalstats.methods.paired import tango_statistics
from evalstats.methods.sign_flip import sign_flip_pvalue
from evalstats.numeric import chi2_tail
from evalstats.results import TestResult

Array = NDArray[np.float64]
_RANKED = 1 << 20  # scores ranked at once


def cochran_q(runs: Any, name: str = "cochran_q") -> TestResult:
    """Do K runs on the same items differ in their pass rate at all? Cochran's Q against χ² with K − 1.

    runs : (K, n) booleans or 0/1. It is shown beside the pairs and is no gate for them. Items that all runs
    get right, or all wrong, do not matter. statistic : Q. effect : the highest rate less the lowest.
    Raises InputError for other scores. Source: Cochran 1950, Biometrika 37:256–266.

    >>> found = cochran_q([[1, 1, 0, 1, 1, 1], [0, 1, 0, 0, 1, 0], [0, 1, 0, 1, 1, 1]])
    >>> round(found.statistic, 3), round(found.pvalue, 3)
    (4.667, 0.097)
    """
    items = _of_numbers(runs)
    if not items.pass_fail:
        raise InputError("cochran_q is for right or wrong, 0 or 1; for other scores friedman.")
    return _cochran(items, name)


def friedman(runs: Any, name: str = "friedman") -> TestResult:
    """Do K runs on the same items differ at all? Friedman's test on the ranks within each item.

    runs : (K, n) scores. Ties get their mean rank and the statistic its correction for them, so that of 0/1
    it is Cochran's Q. effect : the highest mean less the lowest. Raises InputError for other input.
    Source: Friedman 1937, JASA 32:675–701; Conover 1999, Practical Nonparametric Statistics, §5.8.

    >>> found = friedman([[6.1, 7.2, 5.5, 8.0], [6.8, 7.4, 6.6, 8.1], [6.0, 7.1, 6.9, 8.3]])
    >>> round(found.statistic, 3), round(found.pvalue, 3)
    (2.0, 0.368)
    """
    return _friedman(_of_numbers(runs), name)


def overall_test(items: ManyItems) -> TestResult | None:
    """Cochran's Q for right or wrong, Friedman's test otherwise, on the items that every run scored.

    None in clusters, where items are no independent blocks, and without a common item.
    """
    keep = items.in_all
    if items.cluster is not None or not keep.any():
        return None
    common = items.at(keep)
    return _cochran(common, "cochran_q") if common.of_counts else _friedman(common, "friedman")


def pair_pvalues(pairs: PairIntervals) -> tuple[Array, str]:
    """(m,) p of every pair, nan where it has none, and the method: what enters the family.

    McNemar's mid-p (exact by guarantee), Tango on effective counts, t; the sign-flip by guarantee.
    """
    terms, guarantee = pairs.terms, pairs.request.guarantee
    if pairs.stratified:
        return _t_pvalues(pairs), "stratified_t"
    if pairs.items.of_counts:
        test = "exact" if guarantee else "mid_p"
        return pvalues(terms.baseline_only, terms.candidate_only, test), f"mcnemar_{test}"
    if guarantee:
        return np.array([_sign_flip(pairs, at) for at in range(terms.m)]), "sign_flip"
    if pairs.items.pass_fail:
        b, c, n = effective_table(pairs)
        return _two_sided_t(tango_statistics(c, b, n, 0.0), terms.df), "tango_effective"
    return _t_pvalues(pairs), "paired_t" if pairs.items.cluster is None else "cr2_t"


def _t_pvalues(pairs: PairIntervals) -> Array:
    return _two_sided_t(pairs.terms.D / pairs.terms.standard_error, pairs.terms.df)


def _sign_flip(pairs: PairIntervals, at: int) -> float:
    pair = pairs.items.pair(int(pairs.terms.first[at]), int(pairs.terms.second[at]))
    return sign_flip_pvalue(pair.units.sums, pairs.request.n_boot, pairs.request.seed)[0]


def _two_sided_t(t: Array, df: Array) -> Array:
    return np.asarray(2.0 * special.stdtr(np.where(df > 0, df, np.nan), -np.abs(t)))


def _of_numbers(runs: Any) -> ManyItems:
    items = many_items(runs)
    if not items.complete:
        raise InputError("a run has no score for some item: leave out the items that not every run scored.")
    return items


def _cochran(items: ManyItems, name: str) -> TestResult:
    """Q = (K−1)(KΣC_j² − N²)/(KN − ΣR_i²)."""
    K = items.K
    C, R = items.y.sum(axis=0), items.y.sum(axis=1)
    N = float(C.sum())
    above = (K - 1) * (K * float((C**2).sum()) - N**2)
    below = K * N - float((R**2).sum())
    return _chi_square(items, above, below, "cochran_q", name)


def _friedman(items: ManyItems, name: str) -> TestResult:
    """(K−1)Σ_j(R_j − n(K+1)/2)²/Σ_ij(r_ij − (K+1)/2)², r_ij the ranks within items, R_j their sums."""
    K, n = items.K, items.n
    sums, squares = np.zeros(K), 0.0
    step = max(1, _RANKED // K)
    for start in range(0, n, step):
        r = ranks_within(items.y[start : start + step]) - (K + 1) / 2
        sums += r.sum(axis=0)
        squares += float((r**2).sum())
    return _chi_square(items, (K - 1) * float((sums**2).sum()), squares, "friedman", name)


def ranks_within(y: Array) -> Array:
    """(n, K) ranks from 1 in each row; equal scores share their mean rank.

    >>> ranks_within(np.array([[0.2, 0.9, 0.2]])).tolist()
    [[1.5, 3.0, 1.5]]
    """
    order = np.argsort(y, axis=1, kind="stable")
    ordered = np.take_along_axis(y, order, axis=1)
    K = y.shape[1]
    new = np.ones(y.shape, dtype=bool)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    first = np.maximum.accumulate(np.where(new, np.arange(K), 0), axis=1)
    ends = np.ones(y.shape, dtype=bool)
    ends[:, :-1] = new[:, 1:]
    last = np.minimum.accumulate(np.where(ends, np.arange(K), K)[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty(y.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=1)
    return ranks


def _chi_square(items: ManyItems, above: float, below: float, method: str, name: str) -> TestResult:
    """above/below against χ² with K − 1; nothing differs where below is 0."""
    df = items.K - 1
    statistic = above / below if below > 0 else 0.0
    means = items.y.mean(axis=0)
    extra = {"df": float(df), "statistic_kind": "χ²", "unit": items.unit}
    pvalue = chi2_tail(statistic, df) if below > 0 else 1.0
    return TestResult(name, statistic, pvalue, float(means.max() - means.min()), method, items.n, extra)


METHODS = MethodTable(
    "a test of many runs on the same items",
    (
        Method(
            "cochran_q", _cochran, "Cochran 1950, Biometrika 37:256–266", role="default", label="Cochran's Q"
        ),
        Method("friedman", _friedman, "Friedman 1937, JASA 32:675–701", label="Friedman"),
    ),
)
