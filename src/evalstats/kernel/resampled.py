"""Bootstrap intervals of a mean, of a ratio, or of the difference of two: percentile, basic, BCa, t.

The rules that turn a law into limits: Efron & Tibshirani 1993, An Introduction to the Bootstrap, ch. 12–14.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.kernel.engines import as_sum, laws_of_ratios, laws_of_sum
from evalstats.kernel.exact import Law, Mirrored
from evalstats.kernel.law import Drawn, delete_one, draw, enough_resamples
from evalstats.kernel.limits import Interval, NoInterval
from evalstats.kernel.saddlepoint import NotConverged
from evalstats.kernel.stream import Sample, Streamed
from evalstats.kernel.sums import LinearSum
from evalstats.kernel.units import Tally
from evalstats.kernel.weighted import SumStatistic, moments, pivot, squared_error, weighted_means
from evalstats.numeric import normal_cdf, normal_quantile, z_of

Array = NDArray[np.float64]
DEFAULT_N_BOOT = 10_000
VANISHING = 1e-300  # a spread whose share of n units no double holds
TINY = 2.0**-200  # the third powers of parts of smaller scores are no normal numbers


@dataclass(frozen=True)
class Bootstrap:
    """What is resampled, and how: Σ_j w_j·(mean of sample j), by default a mean, or second − first of two.

    n_boot : resamples to draw; None for the law of infinitely many. symmetric : the data are their own
    mirror image, so the law is completed by its mirror image. cross_check : draw resamples beside that law.
    """

    samples: tuple[Sample, ...]
    level: float
    n_boot: int | None = None
    seed: int = 0
    symmetric: bool = False
    weights: tuple[float, ...] | None = None
    cross_check: bool = False

    @property
    def w(self) -> tuple[float, ...]:
        return self.weights or ((1.0,) if len(self.samples) == 1 else (-1.0, 1.0))

    @property
    def means(self) -> list[float]:
        return [sample.mean for sample in self.samples]

    @property
    def point(self) -> float:
        weighted = [w * mean for w, mean in zip(self.w, self.means, strict=True)]
        return sum(weighted[1:], start=weighted[0])

    @cached_property
    def total(self) -> LinearSum | None:
        """T as a sum of draws, where it is one."""
        return as_sum(self.samples, self.w)

    def drawn(self, statistic: SumStatistic, n_boot: int) -> Drawn:
        """The law of a statistic, from resamples."""
        values = draw(self.samples, statistic, n_boot, self.seed)
        if self.symmetric:
            values = np.concatenate([values, values])
            values[n_boot:] *= -1.0
        values.sort()
        return Drawn(values, n_boot)

    def laws(self) -> Iterator[Law]:
        """Of T: the resamples asked for, or each engine that applies, and resamples where none does."""
        if self.n_boot is None:
            total = self.total
            computed = laws_of_ratios(self.samples, self.w) if total is None else laws_of_sum(total)
            yield from (Mirrored(law) for law in computed) if self.symmetric else computed
        yield self.drawn(weighted_means(self.w), self.n_boot or enough_resamples(self.level))

    def acceleration(self) -> float:
        """BCa's: of a sum of draws a sixth of its skewness, else by the jackknife."""
        if self.total is not None and self.total.sd > 0:
            return self.total.skewness / 6
        tallies = [(one, w) for one, w in zip(self.samples, self.w, strict=True) if isinstance(one, Tally)]
        jackknife = delete_one([one for one, _ in tallies], weighted_means([w for _, w in tallies]))
        streams = [(one, w) for one, w in zip(self.samples, self.w, strict=True) if isinstance(one, Streamed)]
        alone = [LinearSum.of_means([one], [w]) for one, w in streams]
        return acceleration(jackknife, [(total.sd**2, total.skewness * total.sd**3) for total in alone])


def bootstrap_interval(kind: str, bootstrap: Bootstrap) -> Interval:
    """Limits by "percentile", "basic", "bca" or "studentized". Raises NoInterval when no unit differs."""
    largest = max(map(_largest, bootstrap.samples))
    if 0 < largest < TINY:
        return _of_tiny(kind, bootstrap, math.frexp(largest)[1])
    if all(map(_constant, bootstrap.samples)):
        raise NoInterval("all units are equal, and so is every resample: the spread is not known")
    if kind == "studentized":
        return _studentized(bootstrap)
    for law in bootstrap.laws():
        try:
            ends, extra = _ENDS[kind](bootstrap, law)
        except NotConverged:
            continue
        return _with_law(kind, bootstrap, law, ends, extra)
    raise AssertionError  # resamples always have quantiles


def _largest(sample: Sample) -> float:
    return max(map(abs, sample.ends))


def _scaled(sample: Sample, exponent: int) -> Sample:
    """The same units with their sums times 2^exponent."""
    if isinstance(sample, Streamed):
        return sample.mapped(lambda s: np.ldexp(s, exponent))
    s, m = sample.rows.T
    return Tally(np.column_stack([np.ldexp(s, exponent), m]), sample.counts)


def _of_tiny(kind: str, bootstrap: Bootstrap, exponent: int) -> Interval:
    """The same for scores of 2^exponent, whose powers would vanish: as scores of about 1, and back."""
    larger = tuple(_scaled(sample, -exponent) for sample in bootstrap.samples)
    found = bootstrap_interval(kind, dataclasses.replace(bootstrap, samples=larger))
    of_scores = {key: math.ldexp(found.extra[key], exponent) for key in ("boot_se", "boot_mean")}
    low, high = math.ldexp(found.low, exponent), math.ldexp(found.high, exponent)
    return Interval(low, high, found.extra | of_scores, found.n_boot)


Ends = tuple[float, float]
Jackknife = list[tuple[NDArray[np.float64], NDArray[np.int64]]]


def _with_law(kind: str, bootstrap: Bootstrap, law: Law, ends: Ends, extra: dict[str, Any]) -> Interval:
    """The limits from the ends of the law, and what is to be said of it."""
    said = {"law": law.name, "boot_se": law.sd, "boot_mean": law.mean, **extra}
    if bootstrap.cross_check and law.n_boot is None:
        said["cross_check"] = _cross_check(bootstrap, law, ends)
    low, high = ends
    if kind == "basic":
        low, high = 2 * bootstrap.point - high, 2 * bootstrap.point - low
    return Interval(low, high, said, law.n_boot)


def _cross_check(bootstrap: Bootstrap, law: Law, ends: Ends) -> dict[str, float]:
    """How far the share of resamples below either end is from the law's, in Monte Carlo standard errors."""
    n_boot = DEFAULT_N_BOOT
    drawn = bootstrap.drawn(weighted_means(bootstrap.w), n_boot)
    found: dict[str, float] = {"n_boot": n_boot, "seed": bootstrap.seed}
    for end, value in zip(("low", "high"), ends, strict=True):
        expected = law.below(value)
        error = math.sqrt(expected * (1 - expected) / n_boot)
        gap = drawn.below(value) - expected
        found[end] = 0.0 if gap == 0 else gap / error
    return found


def _constant(sample: Sample) -> bool:
    """All units have one mean. Units of size 0, as the denominator of a ratio can have, have none."""
    if isinstance(sample, Streamed):  # has very many values
        return False
    (s_first, m_first), (s_last, m_last) = sample.rows[0].tolist(), sample.rows[-1].tolist()
    if s_last - s_first < VANISHING and sample.size is not None:
        return True
    apart, scale = abs(s_first * m_last - s_last * m_first), abs(s_first * m_last) + abs(s_last * m_first)
    if apart > 1e-12 * scale:
        return False
    s, m = sample.rows[sample.rows[:, 1] > 0].T
    unsized = sample.rows[sample.rows[:, 1] == 0, 0]
    means = s / m
    return not np.any(unsized) and float(np.ptp(means)) <= 1e-13 * float(np.max(np.abs(means)))


def percentile_ends(law: Law, level: float) -> Ends:
    """low = min{v: F(v) ≥ α/2}, high = max{v: P(V ≥ v) ≥ α/2}."""
    half_alpha = (1 - level) / 2
    return law.low(half_alpha), law.high(half_alpha)


def _percentile(bootstrap: Bootstrap, law: Law) -> tuple[Ends, dict[str, Any]]:
    return percentile_ends(law, bootstrap.level), {}


def _bca(bootstrap: Bootstrap, law: Law) -> tuple[Ends, dict[str, Any]]:
    return bca_ends(law, bootstrap.point, bootstrap.acceleration(), bootstrap.level)


def bca_ends(law: Law, point: float, a: float, level: float) -> tuple[Ends, dict[str, Any]]:
    """The quantiles of the law at the levels that median bias and acceleration ask for.

    Source: Efron 1987, JASA 82:171–185.
    """
    z0 = _median_bias(law, point)
    z = z_of(level)
    low, high = normal_cdf(_shifted(z0, a, -z)), normal_cdf(-_shifted(z0, a, z))
    return (law.low(low), law.high(high)), {"z0": z0, "acceleration": a}


def _median_bias(law: Law, point: float) -> float:
    below = law.below(point)
    if not 0 < below < 1:
        raise NoInterval("the estimate is outside the bootstrap distribution: BCa has no bias to correct")
    return normal_quantile(below)


def _shifted(z0: float, a: float, z: float) -> float:
    """z0 + (z0+z)/(1 − a(z0+z)): the normal quantile of the corrected level (Efron 1987)."""
    remainder = 1 - a * (z0 + z)
    if remainder <= 0:
        raise NoInterval(f"BCa's corrected level does not exist at this level (acceleration {a:.3g})")
    return z0 + (z0 + z) / remainder


def acceleration(jackknife: Jackknife, known: Sequence[tuple[float, float]] = ()) -> float:
    """a = Σu³/(6(Σu²)^{3/2}), u the influence of each unit; several samples are pooled at (n−1)u/n.

    known : Σu² and Σu³ of samples that need no jackknife.
    """
    squares, cubes = (math.fsum(one[i] for one in known) for i in (0, 1))
    for values, counts in jackknife:
        n = counts.sum()
        u = np.sum(counts * values) / n - values
        u *= n - 1
        u /= n
        power = u * u
        power *= counts
        squares += float(np.sum(power))
        power *= u
        cubes += float(np.sum(power))
    if squares == 0:
        raise NoInterval("leaving any unit out changes nothing, so BCa's acceleration is 0/0")
    return cubes / (6 * math.sqrt(squares) ** 3)


def _studentized(bootstrap: Bootstrap) -> Interval:
    """θ̂ − t*·se at the two ends of the law of t*, se by the same formula as in every resample.

    No engine computes the law of t*: resamples are drawn.
    """
    n_boot = bootstrap.n_boot or enough_resamples(bootstrap.level)
    pairs = zip(bootstrap.samples, bootstrap.means, strict=True)
    centred = tuple(sample.centred(mean) for sample, mean in pairs)
    around = dataclasses.replace(bootstrap, samples=centred)
    low, high = percentile_ends(around.drawn(pivot(bootstrap.w), n_boot), bootstrap.level)
    if not (math.isfinite(low) and math.isfinite(high)):
        raise NoInterval("too many resamples have no spread for a studentised interval at this level")
    squares = [squared_error(_totals(sample)) for sample in centred]
    error = math.sqrt(sum(w**2 * float(one) for w, one in zip(bootstrap.w, squares, strict=True)))
    values = bootstrap.drawn(weighted_means(bootstrap.w), n_boot)
    said = {"law": values.name, "boot_se": values.sd, "boot_mean": values.mean}
    return Interval(bootstrap.point - high * error, bootstrap.point - low * error, said, n_boot)


def _totals(sample: Sample) -> Array:
    """Sums over all units of what `moments` asks for."""
    if isinstance(sample, Streamed):
        return sample.totals(moments)
    return sample.totals(moments(sample.rows))


_ENDS = {"percentile": _percentile, "basic": _percentile, "bca": _bca}
KINDS = (*_ENDS, "studentized")
