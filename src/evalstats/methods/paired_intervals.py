"""Intervals of a paired difference, by name, and the tables that say which is the default where.

Every method here takes (PairedItems, Request) and returns an Interval or raises NoInterval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from evalstats.errors import MethodError
from evalstats.kernel.limits import Interval, NoInterval
from evalstats.kernel.method import Method, MethodTable
from evalstats.kernel.resampled import bootstrap_interval
from evalstats.kernel.stream import direction
from evalstats.kernel.units import Units
from evalstats.methods import paired
from evalstats.methods.clusters import (
    Clusters,
    bell_mccaffrey_df,
    check_two,
    clustered,
    cr2_t_interval,
    cr2_variance,
    kish,
    one_way,
)
from evalstats.methods.items import Request
from evalstats.methods.mean_intervals import (
    BETTING_MIXTURE,
    UNBOUNDED_NO_PROOF,
    betting_of_units,
    bootstraps,
    fixed_items_half_width,
    fixed_items_terms,
)
from evalstats.methods.paired import tango_limits
from evalstats.methods.pairs import PairedItems, UnpairedItems
from evalstats.numeric import order_free_sum, t_of


@dataclass(frozen=True)
class EffectiveCounts:
    """The paired 2×2 table that n_eff independent items with the same D, ψ and variance would have."""

    baseline_only: float
    candidate_only: float
    n: float
    df: float


def effective_counts(pair: PairedItems) -> EffectiveCounts:
    """b' = n_eff(ψ+D)/2, c' = n_eff(ψ−D)/2, n_eff = min(N, (ψ−D²)/v) (Rao & Scott 1992)."""
    units = pair.units
    if units.k == 1:
        check_two(1, pair.n)
    D, psi = units.point, order_free_sum(np.abs(pair.d)) / pair.n
    v, spread = cr2_variance(units), psi - D**2
    if v == 0 or spread <= 1e-12 * psi:
        n_eff = _size_without_variance(pair)
    else:
        n_eff = min(pair.most_independent, spread / v)
    return EffectiveCounts(n_eff * (psi - D) / 2, n_eff * (psi + D) / 2, n_eff, df_of(pair))


def _size_without_variance(pair: PairedItems) -> float:
    """N/(1+(m'−1)ρ), ρ = ICC(1) of both runs' item scores in their clusters; k* where that is not known.

    With completions and no clusters the items are the units, so k* is the number of items.
    """
    if pair.cluster is None:
        return float(pair.n)
    scores = np.concatenate([pair.y_baseline, pair.y_candidate])
    table = one_way(scores, np.concatenate([pair.cluster, pair.cluster]))
    if table is None or math.isnan(table.icc):
        return kish(pair.units)
    mean_size = order_free_sum(pair.units.sizes**2) / pair.n
    return pair.most_independent / (1 + (mean_size - 1) * min(max(table.icc, 0.0), 1.0))


def df_of(pair: PairedItems) -> float:
    """Bell–McCaffrey's; n − 1 where every item is its own unit."""
    return float(pair.n - 1) if pair.cluster is None else bell_mccaffrey_df(pair.units)


def tango_effective(pair: PairedItems, request: Request) -> Interval:
    """Tango's score interval on the effective counts, with t_ν for z."""
    counts = effective_counts(pair)
    limits = tango_limits(
        counts.baseline_only, counts.candidate_only, counts.n, t_of(request.level, counts.df)
    )
    psi = (counts.baseline_only + counts.candidate_only) / counts.n
    return Interval(*limits, {"n_eff": counts.n, "df": counts.df, "discordant_rate": psi})


def paired_t_interval(pair: PairedItems, request: Request) -> Interval:
    """D ± t_{n−1}·s_d/√n. Student 1908."""
    if pair.n == 1:
        raise NoInterval("one item: how far items differ cannot be known")
    v = variance_of(pair)  # s_d²/n for units of equal weight
    if v == 0:
        raise NoInterval("all differences are equal, so a t interval has width 0: the spread is not known")
    half = t_of(request.level, pair.n - 1) * math.sqrt(v)
    return Interval(pair.point - half, pair.point + half, {"df": float(pair.n - 1)})


def variance_of(pair: PairedItems) -> float:
    """v of the difference; 0 where it needs a second unit."""
    if pair.items is not None:
        return pair.items.variance
    return cr2_variance(pair.units) if pair.units.k > 1 else 0.0


def betting_mixture(pair: PairedItems, request: Request) -> Interval:
    """Bets on (d + R)/2R, R the width of the scale; on clusters of differences up to a declared size."""
    return betting_of_units(pair.units, pair.scale, pair.clustered, request)


def pseudo_t(pair: PairedItems, request: Request) -> Interval:
    """t by CR2 after two pseudo-units of mean size with d = +R and d = −R, around their mean.

    Items each on their own: the n + 2 differences with n + 1 degrees of freedom.
    """
    R = pair.scale[1]
    if not math.isfinite(R):
        raise MethodError(
            "pseudo-differences lie at the ends of the scale, and these scores have none: give bounds."
        )
    m, units = pair.units.n / pair.units.k, pair.units
    sums, sizes = np.append(units.sums, [R * m, -R * m]), np.append(units.sizes, [m, m])
    point = order_free_sum(units.sums) / order_free_sum(sizes)
    return cr2_t_interval(Clusters(point, sums, sizes, sums - sizes * point), request.level)


def paired_counts(pair: PairedItems) -> tuple[int, int, int, int]:
    """baseline_only, candidate_only, n, both_right of pass/fail pairs."""
    return *pair.n_lower_and_higher, pair.n, pair.n_both_right


def sd_diff(pair: PairedItems) -> float:
    """Standard deviation of the item differences, n − 1; nan for one item."""
    if pair.n == 1:
        return math.nan
    if pair.items is not None:
        return math.sqrt(pair.items.squares / (pair.n - 1))
    items = pair.units if pair.cluster is None else clustered(pair.d)
    return math.sqrt(order_free_sum(items.residuals**2) / (pair.n - 1))


def cr2_t(pair: PairedItems, request: Request) -> Interval:
    if pair.units.k == 1:
        raise NoInterval("one item: how far items differ cannot be known")
    return cr2_t_interval(pair.units, request.level)


def fixed_items_t(pair: PairedItems | UnpairedItems, request: Request) -> Interval:
    """D ± t_ν√v, v the sum of both runs' n⁻²Σs_i²/m_i: these questions, other completions."""
    half, df = fixed_items_half_width(*fixed_items_terms_of_two(pair), request.level)
    return Interval(pair.point - half, pair.point + half, {"df": df})


def fixed_items_terms_of_two(pair: PairedItems | UnpairedItems) -> tuple[float, float]:
    """v and the denominator of its df, both runs together."""
    (v_old, lower_old), (v_new, lower_new) = (
        fixed_items_terms(run) for run in (pair.baseline, pair.candidate)
    )
    return v_old + v_new, lower_old + lower_new


def bootstrap(kind: str, pair: PairedItems, request: Request) -> Interval:
    """Resample the units' differences, in one canonical direction, mirrored for the other."""
    sample = pair.sample or Units.of_sums(pair.units.sums + 0.0, pair.units.sizes).tally()
    sign = direction(sample)
    drawn = sample.mirrored() if sign < 0 else sample
    found = bootstrap_interval(kind, request.bootstrap((drawn,), symmetric=sign == 0))
    return mirrored(found) if sign < 0 else found


def mirrored(found: Interval) -> Interval:
    """The interval of the opposite difference."""
    turned = {"boot_mean", "z0", "acceleration"}
    extra = {key: -value if key in turned else value for key, value in found.extra.items()}
    if "cross_check" in extra:
        checked = extra["cross_check"]
        extra["cross_check"] = checked | {"low": -checked["high"], "high": -checked["low"]}
    return Interval(-found.high, -found.low, extra, found.n_boot)


_ITEMS = bootstraps("paired_bootstrap", bootstrap, "bootstrap of items, paired")
_CLUSTERS = bootstraps("cluster_paired_bootstrap", bootstrap, "bootstrap of clusters, paired")
_BELL_MCCAFFREY = "Bell & McCaffrey 2002, Survey Methodology 28:169–181"
_CR2_T = Method("cr2_t", cr2_t, _BELL_MCCAFFREY, label="CR2 with Bell–McCaffrey df")
_TANGO_EFFECTIVE = Method(
    "tango_effective",
    tango_effective,
    "Tango 1998, Statistics in Medicine 17:891–908; Rao & Scott 1992, Biometrics 48:577–585",
    role="default",
    label="Tango on effective counts",
)

_BETTING_MIXTURE = replace(BETTING_MIXTURE, function=betting_mixture)
_PSEUDO = "Agresti & Caffo 2000, The American Statistician 54:280–288, for pseudo-observations"
_CR2_T_PSEUDO = Method("cr2_t_pseudo", pseudo_t, _PSEUDO, label="t on CR2 with two pseudo-clusters")
_OF_SCORES = (
    Method(
        "paired_t",
        paired_t_interval,
        "Student 1908, Biometrika 6:1–25",
        role="default",
        label="paired t",
    ),
    Method("t_pseudo", pseudo_t, _PSEUDO, label="t with two pseudo-differences"),
    *_ITEMS,
)
_OF_CLUSTERED_SCORES = (replace(_CR2_T, role="default"), _CR2_T_PSEUDO, *_CLUSTERS)

PAIRED_RATES = MethodTable(paired.METHODS.situation, (*paired.METHODS, *_ITEMS))
PAIRED_RATES_UNDER_TEN = paired.under_ten_items(PAIRED_RATES)
PAIRED_CLUSTERED_RATES = MethodTable(
    "paired pass rates in clusters", (_TANGO_EFFECTIVE, _BETTING_MIXTURE, _CR2_T, _CR2_T_PSEUDO, *_CLUSTERS)
)
PAIRED_COMPLETIONS = MethodTable(
    "paired pass rates with several completions per item",
    (_TANGO_EFFECTIVE, _BETTING_MIXTURE, _CR2_T, _CR2_T_PSEUDO, *_ITEMS),
)
PAIRED_SCORES = MethodTable("a paired difference of bounded scores", (*_OF_SCORES, _BETTING_MIXTURE))
PAIRED_UNBOUNDED = MethodTable("a paired difference of scores", _OF_SCORES, UNBOUNDED_NO_PROOF)
PAIRED_CLUSTERED_SCORES = MethodTable(
    "a paired difference of bounded scores in clusters", (*_OF_CLUSTERED_SCORES, _BETTING_MIXTURE)
)
PAIRED_CLUSTERED_UNBOUNDED = MethodTable(
    "a paired difference of scores in clusters", _OF_CLUSTERED_SCORES, UNBOUNDED_NO_PROOF
)
PAIRED_FIXED_ITEMS = MethodTable(
    "the decoding noise of a difference on fixed items",
    (
        Method(
            "fixed_items_t",
            fixed_items_t,
            "Miller 2024, arXiv:2411.00640, §3; Satterthwaite 1946",
            role="default",
            label="t over completions",
        ),
    ),
    "it asks for the spread of completions, which few of them show",
)
METHODS = (
    PAIRED_RATES,
    PAIRED_RATES_UNDER_TEN,
    PAIRED_CLUSTERED_RATES,
    PAIRED_COMPLETIONS,
    PAIRED_SCORES,
    PAIRED_UNBOUNDED,
    PAIRED_CLUSTERED_SCORES,
    PAIRED_CLUSTERED_UNBOUNDED,
    PAIRED_FIXED_ITEMS,
)
