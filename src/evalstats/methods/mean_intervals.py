"""Intervals of a mean, by name, and the tables that say which is the default where.

Every method here takes (ItemValues, Request) and returns an Interval or raises NoInterval.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from functools import partial

import numpy as np

from evalstats.errors import MethodError
from evalstats.kernel.arrays import Bounds
from evalstats.kernel.limits import Interval, NoInterval
from evalstats.kernel.method import Method, MethodTable
from evalstats.kernel.resampled import bootstrap_interval
from evalstats.kernel.units import Units
from evalstats.methods import betting, rates
from evalstats.methods.clusters import (
    Clusters,
    cr1,
    cr2_t_interval,
    cr2_variance,
    korn_graubard_cr2_interval,
    korn_graubard_interval,
    logit_t_shrunk_interval,
)
from evalstats.methods.items import Array, ItemValues, Request
from evalstats.methods.rates import wilson_limits
from evalstats.methods.singles import Singles
from evalstats.numeric import order_free_sum, t_of, z_of


def wilson_effective_size(p: float, squares: float, n: int, most: float = math.inf) -> float:
    """n_eff = n·p(1−p)/s₀², s₀² = squares/n, at most `most`; n where nothing varies (Kott & Carr 1997)."""
    if squares == 0:
        return float(n)
    return min(n * p * (1 - p) / (squares / n), most)


def wilson_effective(values: ItemValues, request: Request) -> Interval:
    """Wilson on n_eff with t_{n−1} for z; with 0/1 scores n_eff = n."""
    units = values.units_in_unit_scale
    most = values.most_independent if values.pass_fail and values.repeated else math.inf
    found = wilson_of_items(
        units.point, order_free_sum(units.residuals**2), values.n, request.level, most=most
    )
    return _rescaled(found, values)


def wilson_of_items(
    point: float, squares: float, n: int, level: float, *, most: float = math.inf
) -> Interval:
    """`wilson_effective` of n items in [0, 1] from their mean and Σ(y − ȳ)²."""
    if n == 1:
        raise NoInterval("one item: how far items differ cannot be known")
    n_eff = wilson_effective_size(point, squares, n, most)
    return Interval(*wilson_limits(point, n_eff, t_of(level, n - 1)), {"n_eff": n_eff, "df": float(n - 1)})


def _rescaled(found: Interval, values: ItemValues) -> Interval:
    return rescaled(found, values.bounds or (0.0, 1.0))


def rescaled(found: Interval, scale: Bounds) -> Interval:
    """From [0, 1] back to the scale; the clamp is against rounding only."""
    low, high = scale
    ends = [min(max(low + limit * (high - low), low), high) for limit in (found.low, found.high)]
    return Interval(ends[0], ends[1], found.extra)


def student_t(values: ItemValues, request: Request) -> Interval:
    """ȳ ± t_{n−1}·s/√n. Student 1908."""
    units = values.units
    return _student_t(units.point, cr2_variance(units) if units.k > 1 else 0.0, units.k, request.level)


def t_of_items(items: Singles, level: float) -> Interval:
    """`student_t` from a tally."""
    return _student_t(items.point, items.variance, items.n, level)


def _student_t(point: float, v: float, n: int, level: float) -> Interval:
    """v : s²/n of n units of equal weight."""
    if n == 1:
        raise NoInterval("one item: how far items differ cannot be known")
    if v == 0:
        raise NoInterval("all scores are equal, so a t interval has width 0: the spread is not known")
    half = t_of(level, n - 1) * math.sqrt(v)
    return Interval(point - half, point + half, {"df": float(n - 1)})


def cr2_t(values: ItemValues, request: Request) -> Interval:
    if values.units.k == 1:
        raise NoInterval("one item: how far items differ cannot be known")
    return cr2_t_interval(values.units, request.level)


def cr1_z(values: ItemValues, request: Request) -> Interval:
    """ȳ ± z·CR1, as Inspect prints it."""
    units = values.units
    half = z_of(request.level) * cr1(units)
    if half == 0:
        raise NoInterval("the clusters do not vary, so this interval has width 0: the spread is not known")
    return Interval(units.point - half, units.point + half)


def korn_graubard(values: ItemValues, request: Request) -> Interval:
    units = values.units_in_unit_scale
    return _rescaled(korn_graubard_interval(units, values.most_independent, request.level), values)


def korn_graubard_cr2(values: ItemValues, request: Request) -> Interval:
    units = values.units_in_unit_scale
    most, per_item = values.most_independent, _answers_per_item(values)
    return _rescaled(korn_graubard_cr2_interval(units, most, request.level, per_item), values)


def _answers_per_item(values: ItemValues) -> float:
    """p(1−p)/s₀² of the items, as `wilson_effective` counts; 1 for pass/fail and where no item differs."""
    low, high = values.bounds or (0.0, 1.0)
    p = values.units_in_unit_scale.point
    weights = np.ones(values.n) if values.weights is None else values.weights
    squares = order_free_sum(weights * ((values.y - low) / (high - low) - p) ** 2)
    if values.pass_fail or squares == 0:
        return 1.0
    return p * (1 - p) / (squares / order_free_sum(weights))


def logit_t_shrunk(values: ItemValues, request: Request) -> Interval:
    """Four pseudo-items for independent items, two pseudo-clusters in clusters."""
    if values.n == 1:
        raise NoInterval("one item: how far items differ cannot be known")
    pseudo_units = 4 if values.cluster is None else 2
    return _rescaled(logit_t_shrunk_interval(values.units_in_unit_scale, pseudo_units, request.level), values)


def betting_mixture(values: ItemValues, request: Request) -> Interval:
    """Items, item means or clusters of a declared largest size, bet on one by one."""
    return betting_of_units(values.units, values.bounds or (0.0, 1.0), values.cluster is not None, request)


def betting_of_units(units: Clusters, scale: Bounds, clustered: bool, request: Request) -> Interval:
    """The mean of independent units on a scale: single items, or clusters up to a declared size."""
    largest = request.declared_largest(units) if clustered else 1
    staked = betting.bounded_units(units.sums, units.sizes, scale, largest)
    found = betting.betting_interval(staked, scale, request.level)
    return dataclasses.replace(found, extra={"largest_cluster": largest} if clustered else {})


def fixed_items_terms(values: ItemValues) -> tuple[float, float]:
    """v = n⁻²Σs_i²/m_i of one run, and Σ[(s_i²/(n²m_i))²/(m_i−1)], the denominator of its df."""
    m = values.completions
    if m is None or values.within is None or bool(np.any(m < 2)):
        single = values.n if m is None else int(np.count_nonzero(m < 2))
        raise MethodError(
            f'view="fixed_items" asks how far decoding alone moves the score, and {single} of {values.n} '
            "items have one completion: give two or more of each (rows with equal item=), or leave view out."
        )
    terms = values.within / (m - 1) / m / values.n**2
    return order_free_sum(terms), order_free_sum(terms**2 / (m - 1))


def noise_of(values: ItemValues) -> tuple[Array, ...]:
    """Σ(x − y)² of each item's completions, where items have several."""
    return () if values.within is None else (values.within,)


def fixed_items_half_width(v: float, denominator: float, level: float) -> tuple[float, float]:
    """t_ν√v and ν = v²/denominator."""
    if v == 0:
        raise NoInterval("the completions of every item agree: no decoding noise was seen, none is known")
    df = v**2 / denominator
    return t_of(level, df) * math.sqrt(v), df


def fixed_items_t(values: ItemValues, request: Request) -> Interval:
    """ȳ ± t_ν√v, v = n⁻²Σs_i²/m_i: these questions, other completions."""
    half, df = fixed_items_half_width(*fixed_items_terms(values), request.level)
    return Interval(values.units.point - half, values.units.point + half, {"df": df})


def bootstrap(kind: str, values: ItemValues, request: Request) -> Interval:
    """Resample the units (items, or clusters) with replacement."""
    tally = Units.of_sums(values.units.sums, values.units.sizes).tally()
    return bootstrap_interval(kind, request.bootstrap((tally,)))


_CITATIONS = {
    "percentile": "Efron 1979, Annals of Statistics 7:1–26",
    "basic": "Davison & Hinkley 1997, Bootstrap Methods and their Application, §5.2",
    "bca": "Efron 1987, JASA 82:171–185",
    "studentized": "Hall 1988, Annals of Statistics 16:927–953",
}


def bootstraps(prefix: str, function: Callable[..., Interval], label: str) -> tuple[Method, ...]:
    """The four bootstrap methods of a table. function : (kind, values, request) -> Interval."""
    return tuple(
        Method(f"{prefix}_{kind}", partial(function, kind), citation, label=f"{label}, {kind}")
        for kind, citation in _CITATIONS.items()
    )


UNBOUNDED_NO_PROOF = "scores without a scale can hide any value"
_ITEMS = bootstraps("bootstrap", bootstrap, "bootstrap of items")
_CLUSTERS = bootstraps("cluster_bootstrap", bootstrap, "bootstrap of clusters")
_T = Method("t", student_t, "Student 1908, Biometrika 6:1–25", label="Student t")
_CR2_T = Method(
    "cr2_t", cr2_t, "Bell & McCaffrey 2002, Survey Methodology 28:169–181", label="CR2 with Bell–McCaffrey df"
)
_CR1_Z = Method("cr1_z", cr1_z, "Liang & Zeger 1986, Biometrika 73:13–22", label="CR1, normal (Inspect's)")
LOGIT_T_SHRUNK = Method(
    "logit_t_shrunk",
    logit_t_shrunk,
    "Korn & Graubard 1998, Survey Methodology 24:193–201, for t on the logit; the shrunk variance is ours",
    label="t on the logit",
)
BETTING_MIXTURE = Method(
    "betting_mixture",
    betting_mixture,
    betting.CITATION,
    role="guarantee",
    label="betting",
    proof="proved",
)
_WILSON_EFFECTIVE = Method(
    "wilson_effective",
    wilson_effective,
    "Kott & Carr 1997, J. Official Statistics 13:213–227",
    role="default",
    label="Wilson on the effective n",
)


def _as_default(method: Method) -> Method:
    return dataclasses.replace(method, role="default")


PASS_RATE = MethodTable("one pass rate", (*rates.METHODS, *_ITEMS))
BOUNDED = MethodTable(
    "a mean of bounded scores", (_WILSON_EFFECTIVE, BETTING_MIXTURE, _T, LOGIT_T_SHRUNK, *_ITEMS)
)
COMPLETIONS = MethodTable(
    "several completions per item",
    (_WILSON_EFFECTIVE, BETTING_MIXTURE, _CR2_T, _T, LOGIT_T_SHRUNK, *_ITEMS),
)
UNBOUNDED = MethodTable(
    "a mean of unbounded scores",
    (_as_default(_T), _CR2_T, *_ITEMS),
    UNBOUNDED_NO_PROOF,
)
CLUSTERED = MethodTable(
    "a clustered pass rate or bounded score",
    (
        Method(
            "korn_graubard_cr2",
            korn_graubard_cr2,
            "Korn & Graubard 1998, Survey Methodology 24:193–201; Bell & McCaffrey 2002",
            role="default",
            label="Korn–Graubard on CR2",
        ),
        BETTING_MIXTURE,
        Method(
            "korn_graubard",
            korn_graubard,
            "Korn & Graubard 1998, Survey Methodology 24:193–201",
            label="Korn–Graubard",
        ),
        _CR2_T,
        _CR1_Z,
        LOGIT_T_SHRUNK,
        *_CLUSTERS,
    ),
)
CLUSTERED_UNBOUNDED = MethodTable(
    "a clustered mean of unbounded scores",
    (_as_default(_CR2_T), _CR1_Z, *_CLUSTERS),
    UNBOUNDED_NO_PROOF,
)
FIXED_ITEMS = MethodTable(
    "the decoding noise of fixed items",
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
METHODS = (PASS_RATE, BOUNDED, COMPLETIONS, UNBOUNDED, CLUSTERED, CLUSTERED_UNBOUNDED, FIXED_ITEMS)
