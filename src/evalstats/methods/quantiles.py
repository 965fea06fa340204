"""A median or another quantile, with an interval that holds for any distribution."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evalstats.kernel.arrays import Codes, check_labels, check_numbers
from evalstats.kernel.check import check_alpha
from evalstats.kernel.cluster_order import ClusterQuantile
from evalstats.kernel.limits import Interval, NoInterval
from evalstats.kernel.method import Method, MethodTable
from evalstats.kernel.order import Ordered, Selected, all_equal, in_order, quantile_law, quantile_of
from evalstats.kernel.resampled import percentile_ends
from evalstats.methods.cautions import Caveats, few_clusters, of_bootstrap, of_singles_resampled
from evalstats.methods.clusters import check_two, clustered
from evalstats.methods.drawn_intervals import FEWEST_UNITS
from evalstats.methods.items import Request
from evalstats.results import Estimate

Array = NDArray[np.float64]
_GUARD = 1e-12  # a probability equal to α/2 but for rounding counts as at most α/2


def quantile(
    scores: Any,
    q: float = 0.5,
    cluster: Any = None,
    *,
    level: float = 0.95,
    method: str | None = None,
    name: str = "quantile",
) -> Estimate:
    """What is a typical cost, latency or score? The median, or another quantile, of a run's items.

    scores : (n,) one per item. q : 0 < q < 1. point : the smallest score with at least a share q at or
    below it, averaged with the next where the share is q exactly (the usual median). cluster : (n,) label
    of what was drawn (passage, repository). The limits are two of the scores; an end that no score can hold
    is nan with its reason (a median needs 6 items at 95 %, a quantile of items in clusters 10 clusters).
    method : "order_statistics", which holds for any distribution, or the bootstrap by its exact law; in
    clusters the bootstrap of clusters, by its exact law.
    Raises InputError for what is no list of scores, MethodError for an unknown method or one cluster.
    Source: Conover 1999, Practical Nonparametric Statistics, §3.2.

    >>> scores = [3.1, 4.7, 2.2, 8.9, 5.5, 6.1, 3.3, 12.4, 4.4, 5.0, 7.7, 2.9]
    >>> print(quantile(scores, name="median"))
    median 4.85 [3.1, 7.7] 95% order_statistics n=12
    >>> print(quantile(scores, method="bootstrap_percentile", name="median"))
    median 4.85 [3.2, 6.9] 95% bootstrap_percentile n=12, exact
    >>> print(quantile(scores * 10, cluster=[i // 5 for i in range(120)], name="median"))
    median 4.85 [4.7, 5] 95% cluster_bootstrap_percentile n=120, exact
    """
    x = check_numbers(scores)
    codes = None if cluster is None else check_labels(cluster, len(x), "cluster")[0]
    return quantile_estimate(x, codes, q, Request(level, method, name=name))


def quantile_estimate(x: NDArray[Any], codes: Codes | None, q: float, request: Request) -> Estimate:
    """`quantile` for items that are checked: what the analyses call."""
    q, level = check_alpha(q, "q"), request.level
    ordered = in_order(x)
    point = quantile_of(ordered, q)
    if codes is None:
        table = METHODS
        chosen = table.choose(request.method, request.guarantee)
        found, undefined = _limits(len(x), lambda: chosen.function(ordered, q, level))
        said = [] if chosen.proof else _of_bootstrap(ordered)
    else:
        table, k, x = CLUSTERED, int(codes.max()) + 1, x.astype(np.float64, copy=False)
        check_two(k, len(x))
        chosen = table.choose(request.method, request.guarantee)
        found, undefined = _limits(len(x), lambda: chosen.function(x, codes, q, level))
        said = few_clusters(clustered(x, codes))
    request.refuse_unused("quantile", clustered=False)  # nothing is drawn
    extra: dict[str, Any] = {
        "unit": "score",
        "estimand": "quantile",
        "q": q,
        "why": table.why(chosen, request.method) if codes is not None else _why(request.method),
        **({} if codes is None else {"n_clusters": k}),
        **found.extra,
    }
    extra |= {"guarantee": chosen.proof} if chosen.proof else {"caveats": said}
    extra["undefined"] = {**undefined, "standard_error": "the limits of a quantile rest on ranks, not on it"}
    return Estimate(request.name, point, found.low, found.high, level, chosen.name, len(x), extra=extra)


def _of_bootstrap(ordered: Ordered) -> Caveats:
    if not isinstance(ordered, Selected):
        return of_bootstrap(ordered, False, False)
    return of_singles_resampled(ordered.scores.tally() or ordered.scores, False)


def _why(method: str | None) -> str:
    return "holds for any distribution" if method is None else "asked for by name"


def _limits(n: int, find: Callable[[], Interval]) -> tuple[Interval, dict[str, str]]:
    """The limits, and the reason of each end that is missing."""
    try:
        found = find()
        reason = f"{n} items are too few for this end at this level: no order statistic is far enough out"
    except NoInterval as none:
        found, reason = Interval(math.nan, math.nan), str(none)
    ends = (("ci_low", found.low), ("ci_high", found.high))
    return found, {end: reason for end, limit in ends if math.isnan(limit)}


def order_statistic_limits(ordered: Ordered, q: float, level: float) -> Interval:
    """[x₍r₎, x₍s₎]; nan for an end that does not exist."""
    n = len(ordered)
    r, s = order_statistic_ranks(n, q, level)
    low = float(ordered[r - 1 : r][0]) if r >= 1 else math.nan
    high = float(ordered[s - 1 : s][0]) if s <= n else math.nan
    return Interval(low, high)


def order_statistic_ranks(n: int, q: float, level: float) -> tuple[int, int]:
    """r = max{j: P(Bin(n,q) ≤ j−1) ≤ α/2}, s = min{j: P(Bin(n,q) ≥ j) ≤ α/2}; 0 and n+1 where none is."""
    half_alpha = (1 - level) / 2 * (1 + _GUARD)
    ranks = range(n + 1)
    r = bisect.bisect_right(ranks, half_alpha, key=lambda j: special.bdtr(j, n, q))
    s = 1 + bisect.bisect_left(ranks, -half_alpha, key=lambda j: -special.bdtrc(j, n, q))  # P(X ≥ j+1)
    return r, s


def bootstrap_percentile(ordered: Ordered, q: float, level: float) -> Interval:
    """The percentile rule on the law of the quantile of n draws, which is exact for any scores."""
    if all_equal(ordered):
        raise NoInterval("all scores are equal, and so is every resample: the spread is not known")
    law = quantile_law(ordered, q)
    found = {"law": law.name, "boot_se": law.sd, "boot_mean": law.mean, "standard_error": law.sd}
    return Interval(*percentile_ends(law, level), found)


def cluster_bootstrap_percentile(x: Array, codes: Codes, q: float, level: float) -> Interval:
    """The percentile rule on the law of the quantile when whole clusters are drawn."""
    if int(codes.max()) + 1 < FEWEST_UNITS:
        raise NoInterval(f"under {FEWEST_UNITS} clusters no bootstrap interval keeps its level")
    if np.ptp(x) == 0:
        raise NoInterval("all scores are equal, and so is every resample: the spread is not known")
    law = ClusterQuantile(x, codes, q)
    ends = law.ends(level)
    return Interval(*ends, {"law": law.name})


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
CLUSTERED = MethodTable(
    "a median or quantile in clusters",
    (
        Method(
            "cluster_bootstrap_percentile",
            cluster_bootstrap_percentile,
            "Field & Welsh 2007, JRSS B 69:369–390",
            role="default",
            label="bootstrap of clusters, percentile",
        ),
    ),
)
