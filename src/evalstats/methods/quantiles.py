"""A median or another quantile, with an interval that holds for any distribution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evalstats.kernel.arrays import check_scores
from evalstats.kernel.check import check_alpha, check_level
from evalstats.kernel.method import Method, MethodTable
from evalstats.results import Estimate

_GUARD = 1e-12  # a probability equal to α/2 but for rounding counts as at most α/2


def quantile(scores: Any, q: float = 0.5, *, level: float = 0.95, name: str = "quantile") -> Estimate:
    """What is a typical cost, latency or score? The median, or another quantile, of independent items.

    scores : (n,) one per item. q : 0 < q < 1. point : the smallest score with at least a share q at or
    below it, averaged with the next where the share is q exactly (the usual median). The limits are two of
    the scores; an end that no score can hold is nan with its reason (a median needs 6 items at 95 %).
    Raises InputError for what is no list of scores.
    Source: Conover 1999, Practical Nonparametric Statistics, §3.2.

    >>> print(quantile([3.1, 4.7, 2.2, 8.9, 5.5, 6.1, 3.3, 12.4, 4.4, 5.0, 7.7, 2.9], name="median"))
    median 4.85 [3.1, 7.7] 95% order_statistics n=12
    """
    x = np.sort(check_scores(scores))
    q = check_alpha(q, "q")
    n = len(x)
    r, s = order_statistic_ranks(n, q, check_level(level))
    low = float(x[r - 1]) if r >= 1 else math.nan
    high = float(x[s - 1]) if s <= n else math.nan
    extra: dict[str, Any] = {"unit": "score", "why": "holds for any distribution", "guarantee": "proved"}
    reason = f"{n} items are too few for this end at level {level:g}: no order statistic is far enough out"
    missing = {end: reason for end, limit in (("ci_low", low), ("ci_high", high)) if math.isnan(limit)}
    if missing:
        extra["undefined"] = missing
    return Estimate(name, _sample_quantile(x, q), low, high, level, "order_statistics", n, extra=extra)


def order_statistic_ranks(n: int, q: float, level: float) -> tuple[int, int]:
    """r = max{j: P(Bin(n,q) ≤ j−1) ≤ α/2}, s = min{j: P(Bin(n,q) ≥ j) ≤ α/2}; 0 and n+1 where none is."""
    half_alpha = (1 - level) / 2 * (1 + _GUARD)
    j = np.arange(n + 1)
    at_most = special.bdtr(j, n, q)
    at_least = special.bdtrc(j - 1.0, n, q)  # P(X ≥ j); j = 0 is certain
    r = int(np.count_nonzero(at_most <= half_alpha))
    s = n + 1 - int(np.count_nonzero(at_least[1:] <= half_alpha))
    return r, s


def _sample_quantile(ordered: NDArray[np.float64], q: float) -> float:
    n = len(ordered)
    rank = q * n
    if math.isclose(rank, round(rank), rel_tol=1e-12) and 1 <= round(rank) < n:
        return float((ordered[round(rank) - 1] + ordered[round(rank)]) / 2)
    return float(ordered[min(max(math.ceil(rank), 1), n) - 1])


METHODS = MethodTable(
    situation="a median or quantile",
    methods=(
        Method(
            "order_statistics",
            order_statistic_ranks,
            "Conover 1999, Practical Nonparametric Statistics, §3.2",
            role="default",
            label="order statistics",
            proof="proved",
        ),
    ),
)
