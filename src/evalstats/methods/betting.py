"""A proved interval for the mean of bounded values, by betting against every candidate mean.

Units lie in [0, 1]. Against a mean μ one stakes the share f of one's money on every unit in turn, for a
higher mean and for a lower one; if μ is the true mean, no stake wins in expectation, so that a wealth of 1/α
or more is seen with probability at most α (Ville 1939). E(μ) is the mean wealth over all stakes and both
sides, and the interval is {μ : E(μ) < 1/α}. A product has no order, and no seed is drawn.
Waudby-Smith & Ramdas 2024, JRSS B 86:1–27; Orabona & Jun 2023, IEEE Trans. Information Theory 70:436–455.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalstats.kernel.limits import Interval
from evalstats.numeric import order_free_sum

Array = NDArray[np.float64]
STAKES: Array = np.geomspace(0.02, 0.98, 14)[:, None]
CITATION = "Waudby-Smith & Ramdas 2024, JRSS B 86:1–27; Orabona & Jun 2023, IEEE Trans. Inf. Theory 70"
_SMALLEST_LOG = -700.0  # e^−700 is as good as 0
_CLOSE = 1e-14  # of the limit, relative
_MOST_STEPS = 200
_BLOCK = 1 << 14  # distinct units at a time, so that memory does not grow with the stakes


@dataclass(frozen=True)
class Stakeable:
    """Distinct units, (m,), and how often each occurs. above : a ≥ 0; below : b ≥ 0; a + b = w ≤ 1.

    A unit wins a − wμ against μ. An item x is (x, 1 − x). A cluster of m_g items with mean ȳ_g is
    (m_g ȳ_g/M, m_g (1 − ȳ_g)/M), where M is the largest size that a cluster can have.
    """

    above: Array
    below: Array
    counts: Array

    @classmethod
    def tally(cls, above: Array, below: Array) -> Stakeable:
        """Equal units counted together, in an order that is theirs and not that of the rows."""
        order = np.lexsort((below, above))
        a, b = above[order], below[order]
        first = np.flatnonzero(np.append(True, (a[1:] != a[:-1]) | (b[1:] != b[:-1])))
        return cls(a[first], b[first], np.diff(np.append(first, len(a))).astype(np.float64))

    @property
    def mirrored(self) -> Stakeable:
        """The units seen from the other end of the scale, ordered as their own tally would be."""
        order = np.lexsort((self.above, self.below))
        return Stakeable(self.below[order], self.above[order], self.counts[order])

    @property
    def mean(self) -> float:
        """Σa/Σw."""
        a, b = order_free_sum(self.counts * self.above), order_free_sum(self.counts * self.below)
        return a / (a + b)


def bounded_units(sums: Array, sizes: Array, scale: tuple[float, float], largest: float = 1.0) -> Stakeable:
    """Units from (k,) sums and sizes of values on a scale; largest : M, 1 for single items."""
    low, high = scale
    width = (high - low) * largest
    above, below = sums - low * sizes, high * sizes - sums
    return Stakeable.tally(np.maximum(above, 0.0) / width, np.maximum(below, 0.0) / width)  # rounding only


def betting_interval(units: Stakeable, scale: tuple[float, float], level: float) -> Interval:
    """`betting_limits` back on the scale; the opposite values give exactly the opposite limits."""
    low, high = scale
    from_low, from_high = betting_limits(units, level)
    return Interval(low + (high - low) * from_low, high - (high - low) * from_high)


def betting_limits(units: Stakeable, level: float) -> tuple[float, float]:
    """How far the ends of {μ : E(μ) < 1/α} are from 0 and from 1: the lower limit, and 1 − the upper one.

    Exactly 0 where no unit is above 0, and where none is below 1.

    >>> passed = Stakeable(np.array([0.0, 1.0]), np.array([1.0, 0.0]), np.array([140.0, 360.0]))
    >>> low, from_one = betting_limits(passed, 0.95)
    >>> round(low, 4), round(1 - from_one, 4)
    (0.6519, 0.7816)
    """
    return _lower_limit(units, level), _lower_limit(units.mirrored, level)


def _lower_limit(units: Stakeable, level: float) -> float:
    """The root of log E(μ) = log 1/α below the mean.

    E is convex in log μ (a log of sums of exponentials of convex functions), and at the mean it is at most 1:
    Newton's steps from any point left of the root come to it and do not pass it.
    """
    mean = units.mean
    if mean == 0:
        return 0.0
    target = -math.log1p(-level)
    log_mu = _left_of_the_limit(units, mean, target)
    for _ in range(_MOST_STEPS):
        if log_mu < _SMALLEST_LOG:
            return 0.0
        log_wealth, slope = _log_wealth(units, math.exp(log_mu))
        step = (target - log_wealth) / slope
        if not step > _CLOSE:
            break
        log_mu += step
    return min(math.exp(log_mu), mean)


def _left_of_the_limit(units: Stakeable, mean: float, target: float) -> float:
    """log μ with E(μ) ≥ 1/α; near the root for many units: the best stake wins nδ²/2s² at distance δ."""
    w = units.above + units.below
    n = order_free_sum(units.counts)
    squares = order_free_sum(units.counts * (units.above - w * mean) ** 2)
    wealth = target + math.log(2 * len(STAKES))
    distance = math.sqrt(2 * wealth * squares) / order_free_sum(units.counts * w)
    reach = -math.log1p(-min(1.1 * distance / mean, 0.5)) + wealth / n
    while True:
        log_mu = math.log(mean) - reach
        if log_mu < _SMALLEST_LOG or _log_wealth(units, math.exp(log_mu))[0] >= target:
            return log_mu
        reach *= 1.5


def _log_wealth(units: Stakeable, mu: float) -> tuple[float, float]:
    """log E(μ) and its derivative in log μ.

    E(μ) = ½ mean_f Π(1 + (f/μ)(a − wμ)) + ½ mean_f Π(1 − (f/(1−μ))(a − wμ)).
    """
    up, up_slope = _log_products(units.above / mu, units)
    down, down_slope = _log_products(units.below / (1 - mu), units)
    logs = np.concatenate([up, down])
    slopes = np.concatenate([-up_slope, down_slope * mu / (1 - mu)])
    most = float(np.max(logs))
    wealth = np.exp(logs - most)
    return most + math.log(np.mean(wealth)), float(np.sum(wealth * slopes) / np.sum(wealth))


def _log_products(scaled: Array, units: Stakeable) -> tuple[Array, Array]:
    """(stakes,) log Π(1 + f(scaled − w)), and its derivative in log scaled."""
    w = units.above + units.below
    logs, slopes = np.zeros(len(STAKES)), np.zeros(len(STAKES))
    for start in range(0, len(scaled), _BLOCK):
        block = slice(start, start + _BLOCK)
        won = STAKES * (scaled[block] - w[block])
        logs += np.sum(units.counts[block] * np.log1p(won), axis=1)
        slopes += np.sum(units.counts[block] * (STAKES * scaled[block]) / (1 + won), axis=1)
    return logs, slopes
