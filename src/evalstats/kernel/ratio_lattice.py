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

from evalstats.kernel.lattice import common_step, fine_law, power_of, resolves
from evalstats.kernel.ratio import RatioSum
from evalstats.kernel.saddlepoint import NotConverged
from evalstats.kernel.scattered import Scattered
from evalstats.kernel.sums import FAR, Draws, LinearSum
from evalstats.numeric import normal_quantile

Array = NDArray[np.float64]
Steps = NDArray[np.int64]
FINE_POINTS, _MOST_POINTS = 1 << 14, 1 << 18
_TABLE, _COARSE_POINTS = 97, 1 << 13  # for the moments
_RARE = math.exp(-FAR)  # masses at a pair of totals that are left out
_TILTS = math.sqrt(2 * FAR) * np.multiply.outer([-1, 1], [[0.35], [0.5], [0.7], [1.0], [1.4]])
_WHOLE = 2.0**53
_STEPS = 60
_NEAR = 1e-6  # standard deviations, and normal scores


@dataclass(frozen=True)
class _Axis:
    """Totals of one column over n draws: n·base + step·(first … first + points − 1), all that matter.

    steps : (d,) whole numbers from 0 to span − 1, of the rows.
    """

    base: float
    step: float
    steps: Steps
    span: int
    n: int
    first: int
    points: int

    def totals(self) -> Array:
        """(points,) by the number of steps modulo the points."""
        before = self.first % self.points
        steps = np.arange(self.first - before, self.first - before + self.points, dtype=np.float64)
        steps[:before] += self.points
        return self.n * self.base + self.step * steps


def ratio_lattice_law(ratio: RatioSum, most_points: int) -> Scattered | None:
    """The exact law of R*; None without common steps, or where over `most_points` pairs of totals matter."""
    counts, n = ratio.tally.counts, ratio.n
    if len(counts) > most_points:  # continuous, and many: no lattice this coarse holds them
        return None
    rates, columns = counts / n, ratio.tally.rows.T.copy()
    centre = _whole(columns, rates)
    columns[0] -= centre * columns[1]  # which correlates less with the sizes
    axes = _axes(columns, rates, n, most_points)
    if axes is None:
        return None
    rest, size = axes
    return _ratios(centre, rest.totals(), size.totals(), _joint(rest, size, rates))


def _joint(rest: _Axis, size: _Axis, rates: Array) -> Array:
    """(rest.points, size.points): the law of both totals, φⁿ inverted.

    |φ| is at most Σ_r P(rest = r)·|E(e^{iθ·size} | rest = r)|: φⁿ is left out where that to the n is nothing.
    """
    rows, columns = rest.span, size.span
    one = np.bincount(rest.steps * columns + size.steps, rates, rows * columns).reshape(rows, columns)
    of_sizes = np.fft.rfft(one, size.points)
    most = np.abs(of_sizes).sum(axis=0)
    matter = int(np.flatnonzero(most > math.exp(-FAR / rest.n))[-1]) + 1
    phi = np.fft.fft(of_sizes[:, :matter], rest.points, axis=0)
    return np.asarray(np.fft.irfft(np.fft.ifft(power_of(phi, rest.n), axis=0), size.points))


def _ratios(centre: float, rest: Array, size: Array, law: Array) -> Scattered:
    """The law of centre + rest/size from the joint law of rest : (i,) and size : (j,)."""
    sized = size > 0  # with units of size 0 a total of 0 is there, and hardly ever drawn
    if not sized.all():
        size, law = size[sized], law[:, sized] / law[:, sized].sum()
    values = np.add.outer(rest, centre * size)
    values /= size
    keep = np.flatnonzero(law.ravel() > _RARE)
    return Scattered(values.take(keep), law.take(keep), "exact lattice")


def _whole(columns: Array, rates: Array) -> float:
    """A multiple of the sums' own step over the sizes' near R, so that s − centre·m stays on it."""
    steps = _common_steps(columns)
    if steps is None or not steps.all():
        return 0.0
    step, unit = steps.tolist()
    s, m = (rates * columns).sum(axis=1).tolist()
    R = s / m
    return float(round(R * unit / step) * step / unit)


def _common_steps(columns: Array) -> Array | None:
    """(2,) the largest step of which all numbers of a column are whole multiples; 0 where all are 0.

    None where a column has no such step.
    """
    sizes = np.abs(columns)
    if sizes.max() < _WHOLE and (sizes == np.rint(sizes)).all():
        return np.asarray(np.gcd.reduce(sizes.astype(np.int64), axis=1), dtype=np.float64)
    steps = [common_step(np.unique(own[own > 0])) if own.any() else 0.0 for own in sizes]
    return None if None in steps else np.array(steps, dtype=np.float64)


def _axes(columns: Array, rates: Array, n: int, most_points: int) -> list[_Axis] | None:
    """The lattices of two columns, and the windows that hold their totals; None where they hold too much."""
    bases = columns.min(axis=1)
    above = columns - bases[:, np.newaxis]
    found = _common_steps(above)
    if found is None:
        return None
    sizes = np.where(found > 0, found, 1.0)
    steps = np.rint(above / sizes[:, np.newaxis])
    spans = [int(most) + 1 for most in steps.max(axis=1).tolist()]
    if spans[0] * spans[1] > most_points:  # of one draw alone
        return None
    of_axes = zip(
        bases.tolist(), sizes.tolist(), steps.astype(np.int64), spans, _windows(steps, rates, n), strict=True
    )
    axes = [
        _Axis(base, step, own, span, n, first, _quick_length(max(last - first + 1, span)))
        for base, step, own, span, (first, last) in of_axes
    ]
    return axes if axes[0].points * axes[1].points <= most_points else None


def _windows(steps: Array, rates: Array, n: int) -> list[tuple[int, int]]:
    """First and last total of each column but for e^−FAR on either side.

    A total is beyond (n·K(t) + FAR)/t with at most that probability, whichever t; the best is about
    ±√(2·FAR)/σ (Chernoff 1952, Annals of Mathematical Statistics 23:493–507).
    """
    means = (rates * steps).sum(axis=1)
    y = steps - means[:, np.newaxis]
    spread = np.sqrt(n * (rates * y * y).sum(axis=1)) + 1e-99  # of a column that does not vary
    t = _TILTS / spread
    K = np.log((rates * np.exp(t[..., np.newaxis] * y)).sum(axis=-1))
    reach = n * means + (n * K + FAR) / t
    ends = zip(reach[0].max(axis=0), reach[1].min(axis=0), steps.max(axis=1), strict=True)
    return [(max(math.floor(low), 0), min(math.ceil(high), n * int(most))) for low, high, most in ends]


def _quick_length(least: int) -> int:
    """The first number not below that is 8, 9, 10, 12, 14, 15 or 16 times a power of 2."""
    eighth = max(1 << (least - 1).bit_length() >> 4, 1)
    return next(size for k in (8, 9, 10, 12, 14, 15, 16) if (size := k * eighth) >= least)


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
