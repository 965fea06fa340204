"""One mean over single items: of few kinds, or so many and so different that they are read in parts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.kernel.arrays import Bounds
from evalstats.kernel.counts import counted
from evalstats.kernel.stream import Sample, Streamed, too_many
from evalstats.numeric import counted_sum

Array = NDArray[np.float64]
_ROUNDING = 1e-13  # of the largest value: a residual below it is rounding


@dataclass(frozen=True)
class Tallied:
    """Items of few kinds. residuals, counts : (d,), y − ȳ and how many items have it."""

    point: float
    residuals: Array
    counts: NDArray[np.int64]

    @cached_property
    def n(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def squares(self) -> float:
        """Σ(y − ȳ)²."""
        return counted_sum(self.residuals * self.residuals, self.counts)

    @cached_property
    def variance(self) -> float:
        """s²/n; 0 for one item."""
        if self.n == 1:
            return 0.0
        squares = self.residuals * self.residuals
        squares /= 1 - 1 / self.n
        return counted_sum(squares, self.counts) / self.n**2

    @property
    def farthest(self) -> float:
        """The largest residual."""
        return float(np.max(np.abs(self.residuals)))

    @property
    def skewness(self) -> float:
        """g₁ = m₃/m₂^{3/2}, where something varies."""
        m3 = counted_sum(_cubes(self.residuals / self.farthest), self.counts) / self.n
        return _standardised(m3, self)


@dataclass(frozen=True)
class StreamedItems:
    """Items whose scores are too many and too different to tally."""

    values: Streamed

    @property
    def n(self) -> int:
        return self.values.n

    @property
    def point(self) -> float:
        return self.values.mean

    def _residuals(self, y: Array) -> Array:
        r = y - self.point
        r[np.abs(r) <= _ROUNDING * self._largest] = 0.0
        return r

    @cached_property
    def _largest(self) -> float:
        return max(map(abs, self.values.ends))

    def _squares(self, y: Array) -> Array:
        r = self._residuals(y)
        return r * r

    @cached_property
    def squares(self) -> float:
        """Σ(y − ȳ)²."""
        return self.values.total(self._squares)

    @cached_property
    def variance(self) -> float:
        """s²/n."""
        share = 1 - 1 / self.n
        return self.values.total(lambda y: self._squares(y) / share) / self.n**2

    @property
    def farthest(self) -> float:
        """The largest residual."""
        low, high = self.values.ends
        return max(self.point - low, high - self.point)

    @property
    def skewness(self) -> float:
        """g₁ = m₃/m₂^{3/2}."""
        m3 = self.values.total(lambda y: _cubes(self._residuals(y) / self.farthest)) / self.n
        return _standardised(m3, self)


def _cubes(r: Array) -> Array:
    return r * r * r


def _standardised(m3: float, items: Singles) -> float:
    """m3 : of residuals over the largest one, whose cubes do not vanish where scores are very small."""
    m2 = (1 - 1 / items.n) * items.n * items.variance / items.farthest**2
    return m3 / math.sqrt(m2) ** 3


def tallied(y: Array, counts: NDArray[np.int64], total: float | None = None) -> Tallied:
    """Single items. y : (d,) distinct values. counts : (d,), how many items have each. total : their sum."""
    if np.ptp(y) == 0:
        point = float(y[0])
    else:
        point = (counted_sum(y, counts) if total is None else total) / float(counts.sum())
    residuals = y - point
    rounding = _ROUNDING * float(np.max(np.abs(y)))
    residuals[np.abs(residuals) <= rounding] = 0.0
    return Tallied(point, residuals, counts)


Singles = Tallied | StreamedItems


def singles_of(sample: Sample, scale: Bounds | None = None) -> Singles:
    """Single items, their scores moved from the scale to [0, 1] if one is given."""
    low, high = scale or (0.0, 1.0)
    moved = (low, high) != (0.0, 1.0)
    if isinstance(sample, Streamed):
        return StreamedItems(sample.mapped(lambda y: (y - low) / (high - low)) if moved else sample)
    scores = sample.rows[:, 0]
    if moved:
        return tallied((scores - low) / (high - low), sample.counts)
    return tallied(scores, sample.counts, sample.total)


def sample_of(scores: NDArray[Any]) -> Sample | None:
    """Of so many single items that no array of their number should be made; None of fewer."""
    if not too_many(len(scores)):
        return None
    values = Streamed.of(scores)
    return counted(scores) or values.tally() or values
