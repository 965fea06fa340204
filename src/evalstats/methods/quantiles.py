"""A median or another quantile, with an interval that holds for any distribution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evalstats.kernel.arrays import check_scores
from evalstats.kernel.check import check_alpha, check_level
from evalstats.kernel.limits import Interval, NoInterval
from evalstats.kernel.method import Method, MethodTable
from evalstats.kernel.order import quantile_law, quantile_ranks
from evalstats.kernel.resampled import percentile_ends
from evalstats.methods.cautions import of_bootstrap
from evalstats.results import Estimate

Array = NDArray[np.float64]
_GUARD = 1e-12  # a probability equal to α/2 but for rounding counts as at most α/2


def quantile(
    scores: Any, q: float = 0.5, *, level: float = 0.95, method: str | None = None, name: str = "quantile"
) -> Estimate:
    """What is a typical cost, latency or score? The median, or another quantile, of independent items.

    scores : (n,) one per item. q : 0 < q < 1. point : the smallest score with at least a share q at or
    below it, averaged with the next where the share is q exactly (the usual median). The limits are two of
    the scores; an end that no score can hold is nan with its reason (a median needs 6 items at 95 %).
    method : "order_statistics", which holds for any distribution, or the bootstrap by its exact law.
    Raises InputError for what is no list of scores, MethodError for an unknown method.
    Source: Conover 1999, Practical Nonparametric Statistics, §3.2.

    >>> scores = [3.1, 4.7, 2.2, 8.9, 5.5, 6.1, 3.3, 12.4, 4.4, 5.0, 7.7, 2.9]
    >>> print(quantile(scores, name="median"))
    median 4.85 [3.1, 7.7] 95% order_statistics n=12
    >>> print(quantile(scores, method="bootstrap_percentile", name="median"))
    median 4.85 [3.2, 6.9] 95% bootstrap_percentile n=12, exact
    """
    x = np.sort(check_scores(scores))
    q, level = check_alpha(q, "q"), check_level(level)
    chosen = METHODS.choose(method)
    point = float(np.mean([x[rank - 1] for rank in quantile_ranks(len(x), q)]))
    found, undefined = _limits(chosen, x, q, level)
    extra: dict[str, Any] = {"unit": "score", "why": _why(method), **found.extra}
    extra |= {"guarantee": chosen.proof} if chosen.proof else {"caveats": of_bootstrap(x, False, False)}
    if undefined:
        extra["undefined"] = undefined
    return Estimate(name, point, found.low, found.high, level, chosen.name, len(x), extra=extra)


def _why(method: str | None) -> str:
    return "holds for any distribution" if method is None else "asked for by name"


def _limits(chosen: Method, ordered: Array, q: float, level: float) -> tuple[Interval, dict[str, str]]:
    """The limits, and the reason of each end that is missing (DECISIONS 49)."""
    try:
        found = chosen.function(ordered, q, level)
        few = f"{len(ordered)} items are too few for this end at level {level:g}"
        reason = f"{few}: no order statistic is far enough out"
    except NoInterval as none:
        found, reason = Interval(math.nan, math.nan), str(none)
    ends = (("ci_low", found.low), ("ci_high", found.high))
    return found, {end: reason for end, limit in ends if math.isnan(limit)}


def order_statistic_limits(ordered: Array, q: float, level: float) -> Interval:
    """[x₍r₎, x₍s₎]; nan for an end that does not exist."""
    n = len(ordered)
    r, s = order_statistic_ranks(n, q, level)
    low = float(ordered[r - 1]) if r >= 1 else math.nan
    high = float(ordered[s - 1]) if s <= n else math.nan
    return Interval(low, high)


def order_statistic_ranks(n: int, q: float, level: float) -> tuple[int, int]:
    """r = max{j: P(Bin(n,q) ≤ j−1) ≤ α/2}, s = min{j: P(Bin(n,q) ≥ j) ≤ α/2}; 0 and n+1 where none is."""
    half_alpha = (1 - level) / 2 * (1 + _GUARD)
    j = np.arange(n + 1)
    at_most = special.bdtr(j, n, q)
    at_least = special.bdtrc(j - 1.0, n, q)  # P(X ≥ j); j = 0 is certain
    r = int(np.count_nonzero(at_most <= half_alpha))
    s = n + 1 - int(np.count_nonzero(at_least[1:] <= half_alpha))
    return r, s


def bootstrap_percentile(ordered: Array, q: float, level: float) -> Interval:
    """The percentile rule on the law of the quantile of n draws, which is exact for any scores."""
    if ordered[0] == ordered[-1]:
        raise NoInterval("all scores are equal, and so is every resample: the spread is not known")
    law = quantile_law(ordered, q)
    found = {"law": law.name, "boot_se": law.sd, "boot_mean": law.mean, "standard_error": law.sd}
    return Interval(*percentile_ends(law, level), found)


METHODS = MethodTable(
    situation="a median or quantile",
    methods=(
        Method(
            "order_statistics",
            order_statistic_limits,
            "Conover 1999, Practical Nonparametric Statistics, §3.2",
            role="default",
            label="order statistics",
            proof="proved",
        ),
        Method(
            "bootstrap_percentile",
            bootstrap_percentile,
            "Efron 1979, Annals of Statistics 7:1–26",
            label="bootstrap of items, percentile",
        ),
    ),
)
