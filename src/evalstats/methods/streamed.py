"""One mean over very many single items, from their tally or, where they differ too much, read in parts."""

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
from evalstats.methods.clusters import Tallied, tallied

Array = NDArray[np.float64]
_ROUNDING = 1e-13  # of the largest value: a residual below it is rounding


@dataclass(frozen=True)
class StreamedItems:
    """What `Tallied` says of scores that are tallied."""

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

    @staticmethod
    def _cubes(r: Array) -> Array:
        return r * r * r

    @cached_property
    def _largest(self) -> float:
        return max(map(abs, self.values.ends))

    @cached_property
    def squares(self) -> float:
        """Σ(y − ȳ)²."""
        return self.values.total(lambda y: self._residuals(y) ** 2)

    @cached_property
    def variance(self) -> float:
        """s²/n."""
        share = 1 - 1 / self.n
        return self.values.total(lambda y: self._residuals(y) ** 2 / share) / self.n**2

    @property
    def farthest(self) -> float:
        """The largest residual."""
        low, high = self.values.ends
        return max(self.point - low, high - self.point)

    @property
    def skewness(self) -> float:
        """g₁ = m₃/m₂^{3/2}."""
        m2 = self.squares / self.n / self.farthest**2
        m3 = self.values.total(lambda y: self._cubes(self._residuals(y) / self.farthest)) / self.n
        return m3 / math.sqrt(m2) ** 3


Singles = Tallied | StreamedItems


def singles_of(sample: Sample, scale: Bounds | None = None) -> Singles:
    """Single items, their scores moved from the scale to [0, 1] if one is given."""
    low, high = scale or (0.0, 1.0)
    moved = (low, high) != (0.0, 1.0)
    if isinstance(sample, Streamed):
        return StreamedItems(sample.mapped(lambda y: (y - low) / (high - low)) if moved else sample)
    scores = sample.rows[:, 0]
    return tallied((scores - low) / (high - low) if moved else scores, sample.counts)


def sample_of(scores: NDArray[Any]) -> Sample | None:
    """Of so many single items that no array of their number should be made; None of fewer."""
    if not too_many(len(scores)):
        return None
    values = Streamed.of(scores)
    return counted(scores) or values.tally() or values
