"""Exact tests of two independent rates: Fisher's, Barnard's and Boschloo's, from four counts.

Fisher conditions on the number of passes. The other two order all tables and take the largest
probability, over the unknown common rate π, of a table as extreme as the one seen. Both orders are
monotone in each count, so for a given count x1 of one run the extreme tables are two ends of x2: the
region is kept as its two borders, and the cost is n per π and not n².
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import special

TIES_COUNT = 1e-7  # relative guard: two tables alike but for rounding are equally extreme (R's fisher.test)
_CELLS_AT_ONCE = 2_000_000
_ROUNDS_OF_REFINEMENT = 4


def fisher_pvalue(k1: int, n1: int, k2: int, n2: int) -> float:
    """Two-sided: the probability, given all passes, of the tables no likelier than this one.

    Fisher 1935.

    >>> round(fisher_pvalue(9, 10, 3, 10), 4)
    0.0198
    """
    first, pmf = _hypergeometric(_log_choices(n1), _log_choices(n2), k1 + k2)
    return min(1.0, float(pmf[pmf <= pmf[k1 - first] * (1 + TIES_COUNT)].sum()))


def null_of_fisher(
    n1: int, n2: int, passes: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Given all passes: the possible k1, the probability of each if the rates are equal, and its p-value.

    >>> k1, probability, p = null_of_fisher(10, 10, 12)
    >>> round(float(p[k1 == 9][0]), 4), round(float(probability[p <= 0.05].sum()), 4)
    (0.0198, 0.0198)
    """
    first, pmf = _hypergeometric(_log_choices(n1), _log_choices(n2), passes)
    rising = np.sort(pmf)
    no_likelier = np.searchsorted(rising, pmf * (1 + TIES_COUNT), side="right")
    pvalues = np.minimum(np.cumsum(rising)[no_likelier - 1], 1.0)
    return np.arange(first, first + len(pmf)), pmf, pvalues


def fisher_tail(k1: int, n1: int, k2: int, n2: int) -> float:
    """One-sided: P(X1 ≤ k1 | all passes), small where rate 1 is the lower one.

    >>> round(fisher_tail(3, 10, 9, 10), 4)
    0.0099
    """
    first, pmf = _hypergeometric(_log_choices(n1), _log_choices(n2), k1 + k2)
    return min(1.0, float(pmf[: k1 - first + 1].sum()))


def barnard_pvalue(k1: int, n1: int, k2: int, n2: int) -> float:
    """Two-sided, tables ordered by the pooled z. Barnard 1945, 1947.

    >>> round(barnard_pvalue(9, 10, 3, 10), 4)
    0.008
    """
    least = abs(float(pooled_z(k1, n1, k2, n2))) * (1 - TIES_COUNT)
    if least == 0:
        return 1.0
    x1 = np.arange(n1 + 1)
    at_most = _last_true(lambda x2: pooled_z(x1, n1, x2, n2) >= least, n1, n2)
    at_least = _last_true(lambda x2: pooled_z(x1, n1, x2, n2) > -least, n1, n2) + 1
    return _supremum(n1, n2, at_most, at_least)


def boschloo_pvalue(k1: int, n1: int, k2: int, n2: int) -> float:
    """Two-sided: min(1, 2 × the smaller one-sided p), tables ordered by Fisher's one-sided p. Boschloo 1970.

    >>> round(boschloo_pvalue(9, 10, 3, 10), 4)
    0.008
    """
    less = _one_sided_boschloo(k1, n1, k2, n2)
    greater = _one_sided_boschloo(n1 - k1, n1, n2 - k2, n2)
    return min(1.0, 2 * min(less, greater))


def pooled_z(
    k1: NDArray[np.int64] | int, n1: int, k2: NDArray[np.int64] | int, n2: int
) -> NDArray[np.float64]:
    """(p1 − p2)/√(p̄(1−p̄)(1/n1+1/n2)), elementwise; 0 where nothing or everything passed."""
    p1, p2 = np.asarray(k1) / n1, np.asarray(k2) / n2
    pooled = (np.asarray(k1) + np.asarray(k2)) / (n1 + n2)
    variance = pooled * (1 - pooled) * (1 / n1 + 1 / n2)
    return np.where(variance > 0, p1 - p2, 0.0) / np.sqrt(np.where(variance > 0, variance, 1.0))


def _log_choices(n: int) -> NDArray[np.float64]:
    """ln C(n, k) for k = 0 … n."""
    k = np.arange(n + 1.0)
    return np.asarray(special.gammaln(n + 1.0) - special.gammaln(k + 1) - special.gammaln(n - k + 1))


def _hypergeometric(
    choices1: NDArray[np.float64], choices2: NDArray[np.float64], passes: int
) -> tuple[int, NDArray[np.float64]]:
    """The smallest possible x1 given all passes, and the probabilities of it and of those after it."""
    n1, n2 = len(choices1) - 1, len(choices2) - 1
    first, last = max(0, passes - n2), min(n1, passes)
    log_weights = choices1[first : last + 1] + choices2[passes - last : passes - first + 1][::-1]
    weights = np.exp(log_weights - log_weights.max())
    return first, weights / weights.sum()


def _last_true(
    holds_for: Callable[[NDArray[np.int64]], NDArray[np.bool_]], n1: int, n2: int
) -> NDArray[np.int64]:
    """For each x1, the largest x2 in 0..n2 for which a condition that ends as x2 grows holds; −1 if none."""
    last = np.full(n1 + 1, -1, dtype=np.int64)
    first_false = np.full(n1 + 1, n2 + 1, dtype=np.int64)
    while np.any(first_false - last > 1):
        middle = (last + first_false) // 2
        holds = np.where(middle < 0, True, holds_for(np.maximum(middle, 0)))
        open_ = first_false - last > 1
        last = np.where(open_ & holds, middle, last)
        first_false = np.where(open_ & ~holds, middle, first_false)
    return last


def _one_sided_boschloo(k1: int, n1: int, k2: int, n2: int) -> float:
    """Against "rate 1 is lower": the extreme tables have P(X1 ≤ x1 | passes) ≤ the observed one."""
    observed = fisher_tail(k1, n1, k2, n2) * (1 + TIES_COUNT)
    choices1, choices2 = _log_choices(n1), _log_choices(n2)
    largest_x1 = np.empty(n1 + n2 + 1, dtype=np.int64)  # extreme, for each number of passes
    for passes in range(n1 + n2 + 1):
        first, pmf = _hypergeometric(choices1, choices2, passes)
        largest_x1[passes] = first - 1 + np.searchsorted(np.cumsum(pmf), observed, side="right")
    x1 = np.arange(n1 + 1)
    fewest_passes = np.searchsorted(np.maximum.accumulate(largest_x1), x1, side="left")
    return _supremum(n1, n2, np.full(n1 + 1, -1), np.minimum(fewest_passes - x1, n2 + 1))


def _supremum(n1: int, n2: int, at_most: NDArray[np.int64], at_least: NDArray[np.int64]) -> float:
    """The largest P_π(X2 ≤ at_most[X1] or X2 ≥ at_least[X1]) over the common rate π = sin²θ.

    On θ the probability is equally smooth everywhere: a grid finer than 1/√n, then finer ones around
    its best points.
    """
    points = max(200, 12 * math.isqrt(n1 + n2))
    theta = np.linspace(0, math.pi / 2, points + 1)
    values = _probabilities(theta, n1, n2, at_most, at_least)
    step = theta[1]
    for _ in range(_ROUNDS_OF_REFINEMENT):
        best = theta[np.argsort(values)[-5:]]
        theta = np.unique(np.clip(best[:, None] + step * np.linspace(-1, 1, 17), 0, math.pi / 2))
        values = _probabilities(theta, n1, n2, at_most, at_least)
        step /= 8
    return min(1.0, float(values.max()))


def _probabilities(
    theta: NDArray[np.float64], n1: int, n2: int, at_most: NDArray[np.int64], at_least: NDArray[np.int64]
) -> NDArray[np.float64]:
    rows = max(1, _CELLS_AT_ONCE // (max(n1, n2) + 1))
    blocks = [theta[start : start + rows] for start in range(0, len(theta), rows)]
    return np.concatenate([_block(np.sin(block) ** 2, n1, n2, at_most, at_least) for block in blocks])


def _block(
    pi: NDArray[np.float64], n1: int, n2: int, at_most: NDArray[np.int64], at_least: NDArray[np.int64]
) -> NDArray[np.float64]:
    first, second = _binomial(n1, pi), _binomial(n2, pi)
    zero = np.zeros((len(pi), 1))
    up_to = np.concatenate([zero, np.cumsum(second, axis=1)], axis=1)
    from_on = np.concatenate([np.cumsum(second[:, ::-1], axis=1)[:, ::-1], zero], axis=1)
    return np.asarray((first * (up_to[:, at_most + 1] + from_on[:, at_least])).sum(axis=1))


def _binomial(n: int, pi: NDArray[np.float64]) -> NDArray[np.float64]:
    """(π, k): probabilities of k of n."""
    k, rate = np.arange(n + 1.0), pi[:, None]
    return np.asarray(np.exp(_log_choices(n) + special.xlogy(k, rate) + special.xlog1py(n - k, -rate)))
