"""The average of several benchmarks, each counting the same or as much as its weight: of one run, and of two.

Each benchmark is a stratum. Its variance is the row's own: items, clusters and completions have done their
part there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evalstats.caveats import caveat
from evalstats.errors import InputError, MethodError
from evalstats.kernel.arrays import check_scores
from evalstats.kernel.limits import Interval, NoInterval, held
from evalstats.kernel.method import Method, MethodTable
from evalstats.kernel.resampled import Bootstrap, bootstrap_interval
from evalstats.kernel.stream import direction
from evalstats.methods import rates
from evalstats.methods.cautions import FEW_UNITS, few_discordant_units
from evalstats.methods.mean_intervals import bootstraps
from evalstats.methods.paired import tango_limits
from evalstats.methods.paired_intervals import mirrored
from evalstats.methods.rates import wilson_limits
from evalstats.methods.singles import Singles
from evalstats.numeric import t_of, z_of
from evalstats.results import Estimate

FEWEST_IN_A_STRATUM = 10  # units; fewer make a spread of their own kind


@dataclass(frozen=True)
class Stratum:
    """One benchmark: its mean or difference, v (divisor n − 1, 0 where no spread was seen), ν, and items.

    n_discordant_units : of a difference on the same items.
    """

    point: float
    v: float
    df: float
    n: int
    n_discordant_units: int | None = None

    @classmethod
    def of_row(cls, row: Estimate) -> Stratum:
        """From what a result says."""
        df = float(row.extra.get("df", row.n - 1))
        return cls(row.point, _variance(row), df, row.n, row.extra.get("n_discordant_units"))

    @classmethod
    def of_items(cls, items: Singles) -> Stratum:
        """The mean of single items."""
        return cls(items.point, items.variance, float(items.n - 1), items.n)

    @classmethod
    def of_rate(cls, k: int, n: int) -> Stratum:
        """k of n items passed."""
        p = k / n
        v = _with_divisor_less_one(math.sqrt(p * (1 - p) / n), n) if 0 < k < n else 0.0
        return cls(p, v, float(n - 1), n)


@dataclass(frozen=True)
class Average:
    """How benchmarks count in their average. weights : in their order. estimand : of `Estimate.extra`."""

    weights: tuple[float, ...]
    estimand: str

    @classmethod
    def of(cls, strata: Sequence[Stratum], weights: str | Sequence[float] = "macro") -> Average:
        """weights : "macro" (each the same), "micro" (each by its items), or a number for each.

        Raises InputError for a weight that is negative or no number, for another number of them than of
        strata, and where all are 0.
        """
        if isinstance(weights, str):
            if weights not in ("macro", "micro"):
                raise InputError(
                    f'weights={weights!r}: give "macro", "micro", or a weight for each benchmark.'
                )
            counts = tuple(1.0 if weights == "macro" else float(one.n) for one in strata)
            return cls(counts, weights)
        return cls(check_weights(weights, len(strata), "benchmarks"), "weighted")

    @property
    def name(self) -> str:
        return f"{self.estimand} average"


def check_weights(weights: Any, count: int, of_what: str) -> tuple[float, ...]:
    """One number of 0 or more for each, not all 0."""
    found = check_scores(weights, "weights")
    if len(found) != count:
        raise InputError(f"{len(found)} weights for {count} {of_what}: give one for each.")
    if np.any(found < 0) or not np.any(found > 0):
        shown = ", ".join(f"{w:g}" for w in found[:5].tolist())
        raise InputError(f"weights are {shown}: each must be 0 or more, and one of them above 0.")
    return tuple(found.tolist())


@dataclass(frozen=True)
class Strata:
    """K benchmarks: point_j, v_j (variance of the mean, divisor n_j − 1), ν_j, n_j and weight w_j of each.

    scale : of a score, or None. bootstrap : their units, where the scores themselves are known.
    """

    each: tuple[Stratum, ...]
    average: Average
    scale: tuple[float, float] | None
    bootstrap: Bootstrap | None = None

    @classmethod
    def of(
        cls,
        each: Sequence[Stratum],
        scale: tuple[float, float] | None,
        average: Average,
        bootstrap: Bootstrap | None = None,
    ) -> Strata:
        """Raises MethodError for one benchmark, and for one of one item."""
        if len(each) < 2:
            raise MethodError(
                f"a {average.name} is over two benchmarks or more; use the one benchmark's own row."
            )
        check_spread(min(one.n for one in each))
        return cls(tuple(each), average, scale, bootstrap)

    @property
    def weights(self) -> tuple[float, ...]:
        return self.average.weights

    @property
    def W(self) -> float:  # noqa: N802 (the formulas' letter)
        """Σ w_j: K where every benchmark counts the same."""
        return math.fsum(self.weights)

    @property
    def point(self) -> float:
        """Σ w_j point_j/W."""
        return math.fsum(w * one.point for w, one in zip(self.weights, self.each, strict=True)) / self.W

    @property
    def v(self) -> float:
        """Σ w_j²v_j/W²."""
        return math.fsum(self._parts) / self.W**2

    @property
    def df(self) -> float:
        """Satterthwaite: (Σw_j²v_j)²/Σ(w_j⁴v_j²/ν_j)."""
        below = math.fsum(part**2 / one.df for part, one in zip(self._parts, self.each, strict=True))
        return math.fsum(self._parts) ** 2 / below

    @property
    def _parts(self) -> tuple[float, ...]:
        return tuple(w**2 * one.v for w, one in zip(self.weights, self.each, strict=True))

    @property
    def size_without_variance(self) -> float:
        """W²/Σ(w_j²/n_j): what n_eff is for equal variances, where none was seen."""
        return self.W**2 / math.fsum(w**2 / one.n for w, one in zip(self.weights, self.each, strict=True))


def macro_mean(
    rows: Sequence[Estimate],
    scale: tuple[float, float] | None,
    *,
    level: float = 0.95,
    weights: str | Sequence[float] = "macro",
    method: str | None = None,
    bootstrap: Bootstrap | None = None,
) -> Estimate:
    """How good is a run over several benchmarks, each counting the same? With Wilson's interval on n_eff.

    rows : the run's score on each benchmark, with its standard error. scale : (low, high) of all of them,
    None for scores without ends, which get t. weights : "macro", "micro" (by items), or one for each row.
    n_eff = m̄(1−m̄)/v on the scale moved to 0–1. bootstrap : the benchmarks' units, for a stratified
    bootstrap by name. Raises MethodError for a benchmark of one item.

    >>> from evalstats.methods.rates import proportion
    >>> print(macro_mean([proportion(45, 60), proportion(30, 50), proportion(20, 25)], (0.0, 1.0)))
    macro average 71.7% [63.2, 78.9] 95% wilson_stratified n=135
    """
    each = [Stratum.of_row(row) for row in rows]
    return mean_of_strata(Strata.of(each, scale, Average.of(each, weights), bootstrap), level, method)


def mean_of_strata(strata: Strata, level: float, method: str | None) -> Estimate:
    """`macro_mean` of benchmarks whose rows need not be made."""
    scale = strata.scale
    chosen = MEANS.choose(method or (None if scale is not None else "stratified_t"))
    if chosen.name == "wilson_stratified" and scale is None:
        raise MethodError(
            "wilson_stratified is for scores on a scale with two ends: give bounds, or leave it out."
        )
    return _estimate(strata.average.name, strata, chosen, level, scale or (-math.inf, math.inf))


def macro_difference(
    rows: Sequence[Estimate],
    scale: tuple[float, float] | None,
    *,
    level: float = 0.95,
    weights: str | Sequence[float] = "macro",
    method: str | None = None,
    bootstrap: Bootstrap | None = None,
) -> Estimate:
    """How far apart are two runs over several benchmarks, each counting the same? Stratified t.

    rows : the difference on each benchmark. scale : (low, high) of the scores, None without ends.
    weights, bootstrap : as in `macro_mean`. D ± t_ν√v, v = Σw_j²v_j/W², ν by Satterthwaite. Without any
    variance Tango with n_eff = W²/Σ(w_j²/n_j), on a scale with ends; else no interval.
    Raises MethodError for a benchmark of one item.

    >>> from evalstats.methods.paired import paired_proportions
    >>> print(macro_difference([paired_proportions(4, 9, 100), paired_proportions(6, 5, 80)], (0.0, 1.0)))
    difference 1.9% [-3.6, 7.3] 95% stratified_t n=180
    """
    each = [Stratum.of_row(row) for row in rows]
    return difference_of_strata(Strata.of(each, scale, Average.of(each, weights), bootstrap), level, method)


def difference_of_strata(strata: Strata, level: float, method: str | None) -> Estimate:
    """`macro_difference` of benchmarks whose rows need not be made."""
    width = math.inf if strata.scale is None else strata.scale[1] - strata.scale[0]
    found = _estimate("difference", strata, DIFFERENCES.choose(method), level, (-width, width))
    counts = [one.n_discordant_units for one in strata.each if one.n_discordant_units is not None]
    if len(counts) < len(strata.each):  # different items have none
        return found
    caveats = [*found.extra["caveats"], *few_discordant_units(sum(counts))]
    return replace(found, extra={**found.extra, "n_discordant_units": sum(counts), "caveats": caveats})


def check_spread(fewest: int) -> None:
    """Raise MethodError for a benchmark of one item."""
    if fewest < 2:
        raise MethodError(
            "a benchmark of one item has no spread, so that a macro average with it has no interval. Leave "
            "it out with --task."
        )


def _variance(row: Estimate) -> float:
    """The row's own with divisor n − 1, 0 where no spread was seen."""
    if math.isnan(row.standard_error):
        return 0.0
    if "candidate_only" in row.extra or row.method in _OF_COUNTS:  # their formulas have divisor n
        return _with_divisor_less_one(row.standard_error, row.n)
    return row.standard_error**2


def _with_divisor_less_one(standard_error: float, n: int) -> float:
    """v of counts, whose formulas have divisor n."""
    return standard_error**2 * (n / (n - 1)) if n > 1 else 0.0


def _estimate(
    name: str,
    strata: Strata,
    method: Method,
    level: float,
    reach: tuple[float, float],
) -> Estimate:
    limits = held(lambda: method.function(strata, level), strata.point, reach, method.name)
    extra: dict[str, Any] = {
        "standard_error": math.sqrt(strata.v) if strata.v > 0 else math.nan,
        **limits.extra,
        "estimand": strata.average.estimand,
        "view": "random_items",
        "caveats": [*_few_resampled(strata, method), *limits.caveats],
        "why": method.label,
        "unit": "fraction" if strata.scale == (0.0, 1.0) else "score",
    }
    undefined = dict(limits.undefined)
    if strata.v == 0:
        undefined["standard_error"] = "no spread was seen, which does not mean that there is none"
    if math.isfinite(reach[1]):
        extra["bounds"] = list(reach)
    if undefined:
        extra["undefined"] = undefined
    n, n_boot = sum(one.n for one in strata.each), limits.n_boot
    seed = strata.bootstrap.seed if strata.bootstrap is not None and n_boot is not None else None
    return Estimate(
        name, strata.point, limits.low, limits.high, level, method.name, n, n_boot, seed, extra=extra
    )


def _wilson_stratified(strata: Strata, level: float) -> Interval:
    assert strata.scale is not None
    low, high = strata.scale
    m = (strata.point - low) / (high - low)
    v = strata.v / (high - low) ** 2
    n_eff = m * (1 - m) / v if v > 0 else strata.size_without_variance
    lower, upper = wilson_limits(m, n_eff, z_of(level))
    return Interval(low + (high - low) * lower, low + (high - low) * upper, {"n_eff": n_eff})


def _stratified_t(strata: Strata, level: float) -> Interval:
    if strata.v == 0:
        return _without_variance(strata, level)
    half = t_of(level, strata.df) * math.sqrt(strata.v)
    return Interval(strata.point - half, strata.point + half, {"df": strata.df})


def _without_variance(strata: Strata, level: float) -> Interval:
    """No difference varied: Tango on n_eff pairs that changed as all did."""
    if strata.scale is None:
        raise NoInterval("no benchmark's differences vary, so that a t interval has width 0")
    width = strata.scale[1] - strata.scale[0]
    n_eff, D = strata.size_without_variance, strata.point / width
    lower, upper = tango_limits(n_eff * max(-D, 0.0), n_eff * max(D, 0.0), n_eff, z_of(level))
    return Interval(width * lower, width * upper, {"n_eff": n_eff})


def _bootstrap(kind: str, strata: Strata, level: float) -> Interval:
    """Resample the units of each benchmark on its own, in one canonical direction."""
    given = strata.bootstrap
    if given is None:
        raise MethodError(
            "a stratified bootstrap resamples the scores, which rows of estimates no longer have: call "
            "composite or composite_difference with the scores."
        )
    sign = _direction(given)
    if sign >= 0:
        return bootstrap_interval(kind, replace(given, symmetric=sign == 0))
    turned = tuple(sample.mirrored() for sample in given.samples)
    return mirrored(bootstrap_interval(kind, replace(given, samples=turned)))


def _few_resampled(strata: Strata, method: Method) -> list[dict[str, str]]:
    if strata.bootstrap is None or "bootstrap" not in method.name:
        return []
    units = [sample.n for sample in strata.bootstrap.samples]
    if sum(units) >= FEW_UNITS and min(units) >= FEWEST_IN_A_STRATUM:
        return []
    text = (
        f"a bootstrap of {sum(units)} units, {min(units)} of them in the smallest benchmark: its coverage "
        "is not assured"
    )
    return [caveat("bootstrap_few_units", text)]


def _direction(bootstrap: Bootstrap) -> int:
    """That of the total; at 0 of the first benchmark that has one."""
    point = bootstrap.point
    if point != 0:
        return 1 if point > 0 else -1
    return next((sign for sign in map(direction, bootstrap.samples) if sign), 0)


_OF_COUNTS = {method.name for method in rates.METHODS}
_SATTERTHWAITE = "Satterthwaite 1946, Biometrics Bulletin 2:110–114"
_T = Method("stratified_t", _stratified_t, _SATTERTHWAITE, label="stratified t")
_BOOTSTRAPS = bootstraps("stratified_bootstrap", _bootstrap, "bootstrap within benchmarks")
MEANS = MethodTable(
    "the macro average of one run",
    (
        Method(
            "wilson_stratified",
            _wilson_stratified,
            "Wilson 1927, JASA 22:209–212; Kott & Carr 1997, J. Official Statistics 13:213–227",
            role="default",
            label="Wilson on the stratified n",
        ),
        _T,
        *_BOOTSTRAPS,
    ),
    "the variances of several benchmarks are estimated",
)
DIFFERENCES = MethodTable(
    "the macro average of a paired difference",
    (
        Method(
            "stratified_t",
            _stratified_t,
            _SATTERTHWAITE,
            role="default",
            label="stratified t",
        ),
        *_BOOTSTRAPS,
    ),
    "the variances of several benchmarks are estimated",
)
METHODS = (MEANS, DIFFERENCES)
