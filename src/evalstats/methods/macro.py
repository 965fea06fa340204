"""The macro average of several benchmarks, each counting the same: of one run, and of a difference.

Each benchmark is a stratum. Its variance is the row's own: items, clusters and completions have done their
part there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from evalstats.errors import MethodError
from evalstats.kernel.limits import Interval, NoInterval, held
from evalstats.kernel.method import Method, MethodTable
from evalstats.methods import rates
from evalstats.methods.cautions import few_discordant_units
from evalstats.methods.paired import tango_limits
from evalstats.methods.rates import wilson_limits
from evalstats.numeric import t_of, z_of
from evalstats.results import Estimate


@dataclass(frozen=True)
class Strata:
    """K benchmarks: point_j, v_j (variance of the mean, divisor n_j − 1), ν_j and n_j of each. scale : of a
    score, or None."""

    points: tuple[float, ...]
    variances: tuple[float, ...]
    dfs: tuple[float, ...]
    sizes: tuple[int, ...]
    scale: tuple[float, float] | None

    @property
    def K(self) -> int:  # noqa: N802 (the formulas' letter)
        return len(self.points)

    @property
    def point(self) -> float:
        """Σ point_j/K."""
        return math.fsum(self.points) / self.K

    @property
    def v(self) -> float:
        """Σ v_j/K²."""
        return math.fsum(self.variances) / self.K**2

    @property
    def df(self) -> float:
        """Satterthwaite: (Σv_j)²/Σ(v_j²/ν_j)."""
        below = math.fsum(v**2 / df for v, df in zip(self.variances, self.dfs, strict=True))
        return math.fsum(self.variances) ** 2 / below

    @property
    def size_without_variance(self) -> float:
        """K²/Σ(1/n_j): what n_eff is for equal variances, where none was seen."""
        return self.K**2 / math.fsum(1 / n for n in self.sizes)


def macro_mean(
    rows: Sequence[Estimate], scale: tuple[float, float] | None, *, level: float = 0.95
) -> Estimate:
    """How good is a run over several benchmarks, each counting the same? With Wilson's interval on n_eff.

    rows : the run's score on each benchmark, with its standard error. scale : (low, high) of all of them,
    None for scores without ends, which get t. n_eff = m̄(1−m̄)/v on the scale moved to 0–1.
    Raises MethodError for a benchmark of one item.

    >>> from evalstats.methods.rates import proportion
    >>> print(macro_mean([proportion(45, 60), proportion(30, 50), proportion(20, 25)], (0.0, 1.0)))
    macro average 71.7% [63.2, 78.9] 95% wilson_stratified n=135
    """
    strata = _strata(rows, scale)
    method = MEANS.default if scale is not None else MEANS["stratified_t"]
    return _estimate("macro average", strata, method, level, scale or (-math.inf, math.inf))


def macro_difference(
    rows: Sequence[Estimate], scale: tuple[float, float] | None, *, level: float = 0.95
) -> Estimate:
    """How far apart are two runs over several benchmarks, each counting the same? Stratified t.

    rows : the difference on each benchmark. scale : (low, high) of the scores, None without ends.
    D ± t_ν√v, v = Σv_j/K², ν by Satterthwaite. Without any variance Tango with n_eff = K²/Σ(1/n_j), on a
    scale with ends; else no interval. Raises MethodError for a benchmark of one item.

    >>> from evalstats.methods.paired import paired_proportions
    >>> print(macro_difference([paired_proportions(4, 9, 100), paired_proportions(6, 5, 80)], (0.0, 1.0)))
    difference 1.9% [-3.6, 7.3] 95% stratified_t n=180
    """
    width = math.inf if scale is None else scale[1] - scale[0]
    found = _estimate("difference", _strata(rows, scale), DIFFERENCES.default, level, (-width, width))
    counts = [row.extra["n_discordant_units"] for row in rows if "n_discordant_units" in row.extra]
    if len(counts) < len(rows):  # different items have none
        return found
    caveats = [*found.extra["caveats"], *few_discordant_units(sum(counts))]
    return replace(found, extra={**found.extra, "n_discordant_units": sum(counts), "caveats": caveats})


def _strata(rows: Sequence[Estimate], scale: tuple[float, float] | None) -> Strata:
    if len(rows) < 2:
        raise MethodError("a macro average is over two benchmarks or more; use the one benchmark's own row.")
    check_spread(min(row.n for row in rows))
    return Strata(
        tuple(row.point for row in rows),
        tuple(_variance(row) for row in rows),
        tuple(_df(row) for row in rows),
        tuple(row.n for row in rows),
        scale,
    )


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
    of_counts = "candidate_only" in row.extra or row.method in _OF_COUNTS  # their formulas have divisor n
    return row.standard_error**2 * (row.n / (row.n - 1) if of_counts else 1.0)


def _df(row: Estimate) -> float:
    return float(row.extra.get("df", row.n - 1))


def _estimate(
    name: str, strata: Strata, method: Method, level: float, reach: tuple[float, float]
) -> Estimate:
    limits = held(lambda: method.function(strata, level), strata.point, reach, method.name)
    extra: dict[str, Any] = {
        "standard_error": math.sqrt(strata.v) if strata.v > 0 else math.nan,
        **limits.extra,
        "estimand": "macro",
        "view": "random_items",
        "caveats": limits.caveats,
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
    n = sum(strata.sizes)
    return Estimate(name, strata.point, limits.low, limits.high, level, method.name, n, extra=extra)


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


_OF_COUNTS = {method.name for method in rates.METHODS}
_SATTERTHWAITE = "Satterthwaite 1946, Biometrics Bulletin 2:110–114"
_T = Method("stratified_t", _stratified_t, _SATTERTHWAITE, label="stratified t")
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
    ),
    "the variances of several benchmarks are estimated",
)
METHODS = (MEANS, DIFFERENCES)
