"""Items that come in clusters (passages, repositories, users): how far their mean may be off.

k clusters of m_g items, w_g = m_g/n, S_g = Σ_{i∈g}(y_i − ȳ). Items with several completions, and single
items, are clusters of equal weight 1/k.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evalstats.caveats import caveat
from evalstats.errors import MethodError
from evalstats.kernel.arrays import Codes, check_labels, check_scores
from evalstats.kernel.check import check_level
from evalstats.kernel.limits import Interval, NoInterval, hold
from evalstats.kernel.method import Method, MethodTable
from evalstats.methods.rates import clopper_pearson_limits
from evalstats.numeric import f_quantile, group_sums, order_free_sum, settled, t_of
from evalstats.results import Estimate

Array = NDArray[np.float64]
_FAR_FROM_0 = 1000  # times the spread
_ROUNDING = 1e-14  # of the largest value: where all residuals are below it, they are rounding
_DIGITS_OF_A_MEAN = 12  # further ones differ by rounding: 0.3/3 is not 0.1


@dataclass(frozen=True)
class Clusters:
    """One mean over clusters. point : ȳ. sums, sizes, residuals : (k,), Σy, m_g and S_g."""

    point: float
    sums: Array
    sizes: Array
    residuals: Array

    @property
    def k(self) -> int:
        return len(self.sizes)

    @cached_property
    def n(self) -> float:
        return float(self.sizes.sum())

    @property
    def w(self) -> Array:
        return self.sizes / self.n

    @property
    def means(self) -> Array:
        return self.sums / self.sizes


def clustered(y: Array, codes: Codes | None = None, weights: Array | None = None) -> Clusters:
    """Clusters from item values. y : (n,). codes : (n,) 0 … k−1, None for every item its own.

    weights : (n,) how often each item counts (its completions, for a mean over completions).
    """
    codes = np.arange(len(y)) if codes is None else codes
    k, lowest, highest = int(codes.max()) + 1, float(y.min()), float(y.max())
    weighted = y if weights is None else weights * y
    if weights is None:
        sizes, n = np.bincount(codes).astype(np.float64), float(len(y))
    else:
        sizes, n = group_sums(weights, codes, k), order_free_sum(weights)
    sums = group_sums(weighted, codes, k)
    point = lowest if lowest == highest else order_free_sum(weighted) / n
    if max(-lowest, highest) > _FAR_FROM_0 * (highest - lowest):  # where sums have lost its digits
        residuals = group_sums(y - point if weights is None else weights * (y - point), codes, k)
    else:
        residuals = sums - point * sizes
    rounding = _ROUNDING * max(-lowest, highest) * sizes
    return Clusters(point, sums, sizes, settled(residuals, rounding))


def cr0(clusters: Clusters) -> float:
    """√(ΣS_g²)/n, the clustered standard error without a small-sample factor (Miller 2024, eq. 4)."""
    return math.sqrt(order_free_sum(clusters.residuals**2)) / clusters.n


def cr1(clusters: Clusters) -> float:
    """CR0·√(k/(k−1)): Inspect's clustered standard error."""
    return cr0(clusters) * math.sqrt(clusters.k / (clusters.k - 1))


def cr2_variance(clusters: Clusters) -> float:
    """v = n⁻² Σ S_g²/(1 − w_g), unbiased when items are independent (Bell & McCaffrey 2002)."""
    return order_free_sum(clusters.residuals**2 / (1 - clusters.w)) / clusters.n**2


def bell_mccaffrey_df(clusters: Clusters) -> float:
    """ν = 1/[Σw² + (Σq)² − Σq²], q = w²/(1−w): Satterthwaite's df of CR2; k − 1 for equal sizes."""
    w = clusters.w
    q = w**2 / (1 - w)
    return 1 / (order_free_sum(w**2) + (order_free_sum(q) ** 2 - order_free_sum(q**2)))


def kish(clusters: Clusters) -> float:
    """k* = 1/Σw_g²: the number of equal clusters that would weigh as these do (Kish 1965)."""
    return clusters.n**2 / order_free_sum(clusters.sizes**2)  # exactly k for equal sizes


def informative(clusters: Clusters) -> int:
    """g: the clusters whose mean is not the commonest one."""
    means = clusters.means
    largest = float(np.abs(means).max()) or 1.0
    ordered = np.sort((means / largest).round(_DIGITS_OF_A_MEAN))
    ends = np.ones(clusters.k + 1, dtype=np.bool_)  # of runs of one mean
    ends[1:-1] = ordered[1:] != ordered[:-1]
    (at,) = ends.nonzero()
    return clusters.k - int((at[1:] - at[:-1]).max())


def check_two(k: int, n: int) -> None:
    """One cluster says nothing of how clusters differ: refused before any quantile."""
    if n == 1:
        raise MethodError("there is one item: how items differ cannot be known from one. Give two or more.")
    if k < 2:
        raise MethodError(
            f"all {n} items are in one cluster: how clusters differ cannot be known from one. Name a cluster "
            "that varies, or leave it out if the items were drawn independently of each other."
        )


def cr2_t_interval(clusters: Clusters, level: float) -> Interval:
    """ȳ ± t_ν√v. Raises NoInterval when the clusters do not vary."""
    v, df = cr2_variance(clusters), bell_mccaffrey_df(clusters)
    if v == 0:
        raise NoInterval("the units do not vary, so a t interval has width 0: the spread is not known")
    half = t_of(level, df) * math.sqrt(v)
    return Interval(clusters.point - half, clusters.point + half, {"df": df})


def korn_graubard(
    p: float, se: float, df: float, N: float, fallback: float, level: float, per_item: float = 1.0
) -> float:
    """n_eff = min(N, p(1−p)/se²·(t_{N−1}/t_df)²), or `fallback` when se = 0 (Korn & Graubard 1998)."""
    if se == 0:
        return fallback
    return min(N * per_item, p * (1 - p) / se**2 * (t_of(level, N - 1) / t_of(level, df)) ** 2)


def korn_graubard_interval(clusters: Clusters, N: float, level: float) -> Interval:
    """The survey form: CR1 with k − 1 degrees of freedom. Values in [0, 1]; N independent at most."""
    n_eff = korn_graubard(clusters.point, cr1(clusters), clusters.k - 1, N, kish(clusters), level)
    limits = clopper_pearson_limits(clusters.point * n_eff, n_eff, level)
    return Interval(*limits, {"n_eff": n_eff, "df": float(clusters.k - 1)})


def korn_graubard_cr2_interval(clusters: Clusters, N: float, level: float, per_item: float = 1.0) -> Interval:
    """CR2 with Bell–McCaffrey df; n_eff at most k*·max(1, g), g informative clusters.

    per_item : right or wrong answers that one item's score is worth, p(1−p)/s₀²: scores that hardly vary say
    more than answers that are right or wrong, so that both bounds on n_eff are in these.
    """
    df, k_star = bell_mccaffrey_df(clusters), kish(clusters)
    most = min(N, k_star * max(1, informative(clusters))) * per_item
    p, se = clusters.point, math.sqrt(cr2_variance(clusters))
    n_eff = min(most, korn_graubard(p, se, df, N, k_star, level, per_item))
    return Interval(*clopper_pearson_limits(p * n_eff, n_eff, level), {"n_eff": n_eff, "df": df})


def logit_t_shrunk_interval(clusters: Clusters, a: float, level: float) -> Interval:
    """t on the logit, the variance shrunk towards that of a pseudo-units. Values in [0, 1].

    q = (k*p+1)/(k*+2), V = q(1−q)/k*, v' = (k*v + aV)/(k*+a), p' = clip(p, .25/k*, 1 − .25/k*);
    expit(logit p' ± t_ν√v'/(p'(1−p'))), and 0 at p = 0, 1 at p = 1.
    """
    p, k_star, df = clusters.point, kish(clusters), bell_mccaffrey_df(clusters)
    q = (k_star * p + 1) / (k_star + 2)
    V = q * (1 - q) / k_star
    shrunk = (k_star * cr2_variance(clusters) + a * V) / (k_star + a)
    inside = min(max(p, 0.25 / k_star), 1 - 0.25 / k_star)
    centre = math.log(inside / (1 - inside))
    half = t_of(level, df) * math.sqrt(shrunk) / (inside * (1 - inside))
    low = 0.0 if p == 0 else float(special.expit(centre - half))
    high = 1.0 if p == 1 else float(special.expit(centre + half))
    return Interval(low, high, {"df": df, "n_eff": k_star})


def design_effect(m: float, rho: float) -> float:
    """1 + (m − 1)ρ: how many times the variance grows with clusters of m items (Kish 1965).

    Unequal sizes: m = Σm_g²/n.

    >>> round(design_effect(5, 0.2), 3), round(design_effect(5, 0.2) ** 0.5, 2)
    (1.8, 1.34)
    """
    return 1 + (m - 1) * rho


@dataclass(frozen=True)
class OneWay:
    """One-way analysis of variance. n0 : the cluster size it corresponds to."""

    k: int
    n: int
    n0: float
    msb: float
    msw: float
    mean_size: float

    @property
    def icc(self) -> float:
        """ρ = (MSB − MSW)/(MSB + (n0−1)MSW), not truncated; nan when nothing varies."""
        total = self.msb + (self.n0 - 1) * self.msw
        return (self.msb - self.msw) / total if total > 0 else math.nan

    @property
    def design_effect(self) -> float:
        """1 + (Σm²/n − 1)·max(ρ, 0)."""
        return design_effect(self.mean_size, max(self.icc, 0.0))


def one_way(y: Array, codes: Codes, clusters: Clusters | None = None) -> OneWay | None:
    """Between and within mean squares of y : (n,) by codes : (n,); None if no cluster has two items.

    clusters : `clustered(y, codes)`, where it is known.
    """
    clusters = clusters or clustered(y, codes)
    k, n = clusters.k, len(y)
    if k in (1, n):
        return None
    within = settled(y - clusters.means[codes], _ROUNDING * max(-float(y.min()), float(y.max())))
    mean_size = order_free_sum(clusters.sizes**2) / n
    return OneWay(
        k=k,
        n=n,
        n0=(n - mean_size) / (k - 1),
        msb=order_free_sum(clusters.residuals**2 / clusters.sizes) / (k - 1),
        msw=order_free_sum(within**2) / (n - k),
        mean_size=mean_size,
    )


def icc1_limits(table: OneWay, level: float) -> tuple[float, float]:
    """(F−1)/(F+n0−1) at F/F_{1−α/2;k−1,n−k} and F·F_{1−α/2;n−k,k−1} (Shrout & Fleiss 1979)."""
    if table.msw == 0:
        raise NoInterval("items do not vary inside their clusters, so F has no denominator")
    F = table.msb / table.msw
    df_between, df_within, upper = table.k - 1, table.n - table.k, 1 - (1 - level) / 2
    F_low = F / f_quantile(upper, df_between, df_within)
    F_high = F * f_quantile(upper, df_within, df_between)
    low, high = ((f - 1) / (f + table.n0 - 1) for f in (F_low, F_high))
    return low, high


def icc(scores: Any, cluster: Any, *, level: float = 0.95, name: str = "icc") -> Estimate:
    """How alike are items of one cluster? The intraclass correlation ICC(1) with its interval.

    scores : (n,) one per item. cluster : (n,) labels, at least two of them and one with two items.
    Not truncated at 0. extra: design_effect, with ρ truncated at 0. The interval is exact for normal
    scores and equal sizes, approximate otherwise.
    Raises InputError for what is no list of scores, MethodError where no cluster repeats or only one is.
    Source: Shrout & Fleiss 1979, Psychological Bulletin 86:420–428, ICC(1,1).

    >>> print(icc([1, 1, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0], list("aaabbbcccddd")))
    icc 0.4375 [-0.147, 0.9406] 95% icc1 n=12
    """
    level = check_level(level)
    y = check_scores(scores)
    codes, labels = check_labels(cluster, len(y), "cluster")
    check_two(len(labels), len(y))
    table = one_way(y, codes)
    if table is None:
        raise MethodError(
            f"each of the {len(y)} clusters holds one item: how alike items of a cluster are cannot be known."
        )
    extra: dict[str, Any] = {"n_clusters": table.k, "unit": "score", "why": "one-way analysis of variance"}
    if math.isnan(table.icc):
        return _no_icc(name, table, level, extra)
    extra["design_effect"] = table.design_effect
    try:
        limits = icc1_limits(table, level)
    except NoInterval as reason:
        extra["undefined"] = {"ci_low": str(reason), "ci_high": str(reason)}
        return Estimate(name, table.icc, math.nan, math.nan, level, "icc1", table.n, extra=extra)
    low, high, caveats = hold(table.icc, limits, (-math.inf, 1.0), "icc1")
    caveats += _normal_assumed(y)
    return Estimate(name, table.icc, low, high, level, "icc1", table.n, extra={**extra, "caveats": caveats})


def _normal_assumed(y: Array) -> list[dict[str, str]]:
    """Two values are far from normal ones."""
    if len(np.unique(y)) > 2:
        return []
    text = "the interval is that of normal scores: of right or wrong ones it covers .50 to .92 from ICC .3 on"
    return [caveat("normal_assumed", text)]


def _no_icc(name: str, table: OneWay, level: float, extra: dict[str, Any]) -> Estimate:
    reason = "all scores are equal: nothing varies between or inside clusters"
    extra["undefined"] = dict.fromkeys(("point", "ci_low", "ci_high"), reason)
    return Estimate(name, math.nan, math.nan, math.nan, level, "icc1", table.n, extra=extra)


METHODS = MethodTable(
    situation="the intraclass correlation of clusters",
    methods=(
        Method(
            "icc1",
            icc1_limits,
            "Shrout & Fleiss 1979, Psychological Bulletin 86:420–428",
            role="default",
            label="ICC(1)",
        ),
    ),
)
