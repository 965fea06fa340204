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
from evalstats.numeric import counted_sum, settled

Array = NDArray[np.float64]
_ROUNDING = 1e-14  # of the largest value: where all residuals are below it, they are rounding


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
        r = self.residuals / self.farthest
        squares = r * r
        return _standardised(counted_sum(squares, self.counts), counted_sum(squares * r, self.counts), self.n)


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

    def _squares(self, y: Array) -> Array:
        r = y - self.point
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
        scaled = self.values.mapped(lambda y: (y - self.point) / self.farthest)
        return _standardised(scaled.total(lambda r: r * r), scaled.total(lambda r: r * r * r), self.n)


def _standardised(squares: float, cubes: float, n: int) -> float:
    """Sums of n residuals over the largest one: those of very small scores would vanish."""
    return cubes / n / math.sqrt(squares / n) ** 3


def tallied(y: Array, counts: NDArray[np.int64], total: float | None = None) -> Tallied:
    """Single items. y : (d,) distinct values. counts : (d,), how many items have each. total : their sum."""
    if np.ptp(y) == 0:
        point = float(y[0])
    else:
        point = (counted_sum(y, counts) if total is None else total) / float(counts.sum())
    residuals = y - point
    return Tallied(point, settled(residuals, _ROUNDING * float(np.max(np.abs(y)))), counts)


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
