"""The law of a ratio of sums by characteristic functions.

Exact where sums and sizes of the units lie on lattices: the joint law of both totals by FFT in two
dimensions. Else at one r at a time: R* ≤ r where the draws of s − rm add up to ≤ 0, on a fine lattice.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evalstats.kernel.exact import Atoms, merged
from evalstats.kernel.lattice import common_step, fast_length, fine_law, power_of, resolves
from evalstats.kernel.ratio import RatioSum
from evalstats.kernel.saddlepoint import NotConverged
from evalstats.kernel.sums import Draws, LinearSum
from evalstats.numeric import normal_quantile

Array = NDArray[np.float64]
FINE_POINTS, _MOST_POINTS = 1 << 14, 1 << 18
_TABLE, _COARSE_POINTS = 97, 1 << 13  # for the moments
_RARE = 1e-18  # masses at a pair of totals that are left out
_STEPS = 60
_NEAR = 1e-6  # standard deviations, and normal scores


@dataclass(frozen=True)
class _Axis:
    """Totals of one column over n draws: n·base + step·(first … first + points − 1), all that matter."""

    base: float
    step: float
    steps: NDArray[np.int64]
    n: int
    first: int
    points: int

    def total(self, index: NDArray[np.int64]) -> Array:
        return np.asarray(self.n * self.base + self.step * (self.first + index), dtype=np.float64)


def ratio_lattice_law(ratio: RatioSum, most_points: int) -> Atoms | None:
    """The exact law of R*; None without common steps, or where over `most_points` pairs of totals matter."""
    if len(ratio.tally.counts) > most_points:  # continuous, and many: no lattice this coarse holds them
        return None
    s, m = ratio.tally.rows.T
    centre = _whole(ratio.point, s, m)  # of s − centre·m, which correlates less with m
    axes = [_axis(column, ratio) for column in (s - centre * m, m)]
    if axes[0] is None or axes[1] is None or axes[0].points * axes[1].points > most_points:
        return None
    rest, size = axes[0], axes[1]
    shape = (rest.points, size.points)
    one = np.zeros(shape)
    np.add.at(one, (rest.steps % shape[0], size.steps % shape[1]), ratio.tally.counts / ratio.n)
    law = np.fft.irfft2(power_of(np.fft.rfft2(one), ratio.n), shape)
    law = np.roll(law, (-(rest.first % shape[0]), -(size.first % shape[1])), (0, 1))
    law[:, size.total(np.arange(size.points)) <= 0] = 0.0  # with units of size 0, and hardly ever
    i, j = np.nonzero(law > _RARE)
    return merged(centre + rest.total(i) / size.total(j), law[i, j], "exact lattice")


def _whole(point: float, s: Array, m: Array) -> float:
    """A multiple of the sums' own step over the sizes' near the point, so that s − centre·m stays on it."""
    sizes = np.unique(np.abs(s))
    if not np.any(sizes > 0):
        return 0.0
    step = common_step(sizes[sizes > 0])
    unit = common_step(np.unique(m[m > 0]))
    return 0.0 if step is None or unit is None else round(point * unit / step) * step / unit


def _axis(column: Array, ratio: RatioSum) -> _Axis | None:
    """The lattice of a column, and the window that holds its total."""
    base, n, counts = float(column.min()), ratio.n, ratio.tally.counts
    sizes = np.unique(column - base)
    step = common_step(sizes[1:]) if len(sizes) > 1 else 1.0
    if step is None:
        return None
    steps = np.rint((column - base) / step)
    total = LinearSum((Draws(steps, counts, float(n)),))
    below, above = total.reach
    first = max(math.floor(total.mean - below), 0)
    last = min(math.ceil(total.mean + above), n * int(steps.max()))
    return _Axis(base, step, steps.astype(np.int64), n, first, fast_length(last - first + 1))


@dataclass(frozen=True)
class FineRatio:
    """P(R* ≤ r) for each r by the law of Σ(s − rm)* on a fine lattice."""

    ratio: RatioSum
    points: int = FINE_POINTS
    name: str = "fine lattice"
    n_boot: int | None = None

    @property
    def mean(self) -> float:
        """E R* = r_k − ∫F over r_0 … r_k, which hold all of R*."""
        r, F = self._table
        return float(r[-1]) - _integral(F, r)

    @property
    def sd(self) -> float:
        r, F = self._table
        from_last = 2 * _integral((r[-1] - r) * F, r)  # E(r_k − R*)²
        return math.sqrt(max(from_last - (float(r[-1]) - self.mean) ** 2, 0.0))

    @cached_property
    def _table(self) -> tuple[Array, Array]:
        """r and F(r) from 8 standard deviations below R to 8 above, where units have such means."""
        s, m = self.ratio.tally.rows.T
        R, far = self.ratio.point, 8 * self.ratio.spread / max(1 - 2 * self.ratio.size_spread, 0.2)
        with np.errstate(divide="ignore", invalid="ignore"):  # of units of size 0
            means = s / m
        r = np.linspace(max(R - far, float(np.nanmin(means))), min(R + far, float(np.nanmax(means))), _TABLE)
        F = np.array([self._below(at, _COARSE_POINTS) for at in r.tolist()])
        F[-1] = 1.0
        return r, F

    def low(self, q: float) -> float:
        return self._at(normal_quantile(q))

    def high(self, q: float) -> float:
        return self._at(-normal_quantile(q))

    def below(self, point: float) -> float:
        return self._below(point, self.points)

    def _below(self, r: float, points: int) -> float:
        """P(Σ ≤ 0), between two points of the lattice in proportion."""
        u = np.concatenate([part for part, _, _ in self.ratio.parts(r)])
        if u.min() >= 0 or u.max() <= 0:  # every draw is on one side
            return float(u.max() <= 0)
        weight = self.ratio.n / self.ratio.size
        total = LinearSum((Draws(u, self.ratio.tally.counts, weight),))
        while points > _COARSE_POINTS and not resolves(total, points):
            points *= 4
            if points > _MOST_POINTS:
                raise NotConverged
        law = fine_law(total, points)
        half_step = (law.values[1] - law.values[0]) / 2
        return float(np.interp(0.0, law.values + half_step, np.cumsum(law.masses)))

    def _at(self, z: float) -> float:
        """Where F passes Φ(z): regula falsi (Illinois) on normal scores."""
        spread = self.ratio.spread
        return _crossing(lambda r: self._missed(r, z), self.ratio.point + z * spread, spread)

    def _missed(self, r: float, z: float) -> float:
        return normal_quantile(min(max(self.below(r), 1e-300), 1 - 1e-16)) - z


def _integral(y: Array, x: Array) -> float:
    """By the trapezoidal rule."""
    return float(np.sum((y[1:] + y[:-1]) * np.diff(x)) / 2)


def _crossing(missed: Callable[[float], float], guess: float, scale: float) -> float:
    """Where an increasing function passes 0."""
    low = high = guess
    at_low = at_high = missed(guess)
    step = 0.1 * scale
    for _ in range(_STEPS):
        if at_low < 0 <= at_high:
            break
        if at_low >= 0:
            low, high, at_high = low - step, low, at_low
            at_low = missed(low)
        else:
            low, high, at_low = high, high + step, at_high
            at_high = missed(high)
        step *= 2
    else:
        raise NotConverged
    for _ in range(_STEPS):
        if high - low < _NEAR * scale:
            break
        share = at_low / (at_low - at_high)
        middle = low + min(max(share, 0.01), 0.99) * (high - low)
        value = missed(middle)
        if abs(value) < _NEAR:
            return middle
        if value < 0:
            low, at_low, at_high = middle, value, at_high / 2
        else:
            high, at_high, at_low = middle, value, at_low / 2
    return (low + high) / 2
