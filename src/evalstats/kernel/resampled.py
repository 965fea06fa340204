"""Bootstrap intervals of a mean, of a ratio, or of the difference of two: percentile, basic, BCa, t.

The rules that turn a law into limits (FORMULAS 7, DECISIONS 21 and 28).
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalstats.kernel.law import delete_one, draw, high_quantile, low_quantile, mass_below
from evalstats.kernel.limits import Interval, NoInterval
from evalstats.kernel.units import Tally
from evalstats.kernel.weighted import DIFFERENCE, MEAN, PIVOT, SumStatistic, moments, squared_error
from evalstats.numeric import normal_cdf, normal_quantile, z_of

DEFAULT_N_BOOT = 10_000


@dataclass(frozen=True)
class Bootstrap:
    """What is resampled, and how: the mean of one tally, or the difference (second − first) of two.

    symmetric : the data are their own mirror image, so the law is completed by its mirror image.
    """

    tallies: tuple[Tally, ...]
    level: float
    n_boot: int
    seed: int
    symmetric: bool = False

    @property
    def statistic(self) -> SumStatistic:
        return MEAN if len(self.tallies) == 1 else DIFFERENCE

    @property
    def means(self) -> list[float]:
        return [float(MEAN.finish(tally.totals(tally.rows))) for tally in self.tallies]

    @property
    def point(self) -> float:
        return self.means[-1] - sum(self.means[:-1])

    def values(self, statistic: SumStatistic) -> NDArray[np.float64]:
        """The law of a statistic, sorted."""
        values = draw(self.tallies, statistic, self.n_boot, self.seed)
        return np.sort(np.concatenate([values, -values]) if self.symmetric else values)


def bootstrap_interval(kind: str, bootstrap: Bootstrap) -> Interval:
    """Limits by "percentile", "basic", "bca" or "studentized". Raises NoInterval when no unit differs."""
    if all(_constant(tally) for tally in bootstrap.tallies):
        raise NoInterval("all units are equal, and so is every resample: the spread is not known")
    values = bootstrap.values(bootstrap.statistic)
    found = _LIMITS[kind](bootstrap, values)
    law = {"law": "monte_carlo", "boot_se": float(np.std(values)), "boot_mean": float(np.mean(values))}
    return Interval(found.low, found.high, {**law, **found.extra})


def _constant(tally: Tally) -> bool:
    means = tally.rows[:, 0] / tally.rows[:, 1]
    return float(np.ptp(means)) <= 1e-13 * float(np.max(np.abs(means)))


def percentile_limits(ordered: NDArray[np.float64], level: float) -> tuple[float, float]:
    """low = min{v: F(v) ≥ α/2}, high = max{v: P(V ≥ v) ≥ α/2} of a sorted law."""
    half_alpha = (1 - level) / 2
    return low_quantile(ordered, half_alpha), high_quantile(ordered, half_alpha)


def _percentile(bootstrap: Bootstrap, ordered: NDArray[np.float64]) -> Interval:
    return Interval(*percentile_limits(ordered, bootstrap.level))


def _basic(bootstrap: Bootstrap, ordered: NDArray[np.float64]) -> Interval:
    low, high = percentile_limits(ordered, bootstrap.level)
    return Interval(2 * bootstrap.point - high, 2 * bootstrap.point - low)


def _bca(bootstrap: Bootstrap, ordered: NDArray[np.float64]) -> Interval:
    z0 = _median_bias(ordered, bootstrap.point)
    a = acceleration(delete_one(bootstrap.tallies, bootstrap.statistic))
    z = z_of(bootstrap.level)
    low = low_quantile(ordered, normal_cdf(_shifted(z0, a, -z)))
    high = high_quantile(ordered, normal_cdf(-_shifted(z0, a, z)))
    return Interval(low, high, {"z0": z0, "acceleration": a})


def _median_bias(ordered: NDArray[np.float64], point: float) -> float:
    below = mass_below(ordered, point)
    if not 0 < below < 1:
        raise NoInterval("the estimate is outside the bootstrap distribution: BCa has no bias to correct")
    return normal_quantile(below)


def _shifted(z0: float, a: float, z: float) -> float:
    """z0 + (z0+z)/(1 − a(z0+z)): the normal quantile of the corrected level (Efron 1987)."""
    remainder = 1 - a * (z0 + z)
    if remainder <= 0:
        raise NoInterval(f"BCa's corrected level does not exist at this level (acceleration {a:.3g})")
    return z0 + (z0 + z) / remainder


def acceleration(jackknife: list[tuple[NDArray[np.float64], NDArray[np.int64]]]) -> float:
    """a = Σu³/(6(Σu²)^{3/2}), u the influence of each unit; several samples are pooled at (n−1)u/n."""
    cubes = squares = 0.0
    for values, counts in jackknife:
        n = counts.sum()
        u = (np.sum(counts * values) / n - values) * (n - 1) / n
        cubes += float(np.sum(counts * u**3))
        squares += float(np.sum(counts * u**2))
    if squares == 0:
        raise NoInterval("leaving any unit out changes nothing, so BCa's acceleration is 0/0")
    return cubes / (6 * math.sqrt(squares) ** 3)


def _studentized(bootstrap: Bootstrap, ordered: NDArray[np.float64]) -> Interval:
    """θ̂ − t*·se at the two ends of the law of t*, se by the same formula as in every resample."""
    centred = [tally.centred(mean) for tally, mean in zip(bootstrap.tallies, bootstrap.means, strict=True)]
    around = dataclasses.replace(bootstrap, tallies=tuple(centred))
    low, high = percentile_limits(around.values(PIVOT), bootstrap.level)
    if not (math.isfinite(low) and math.isfinite(high)):
        raise NoInterval("too many resamples have no spread for a studentised interval at this level")
    errors = [squared_error(tally.totals(moments(tally.rows))) for tally in centred]
    error = math.sqrt(sum(float(one) for one in errors))
    return Interval(bootstrap.point - high * error, bootstrap.point - low * error)


_LIMITS = {"percentile": _percentile, "basic": _basic, "bca": _bca, "studentized": _studentized}
KINDS = tuple(_LIMITS)
