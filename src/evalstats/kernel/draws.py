"""One draw of as many units as there are, with replacement: how often each distinct one comes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evalstats.kernel.law import UNITS_PER_ROW


@dataclass(frozen=True)
class UnitDraw:
    """counts : (d,), how often each distinct unit is among those that are resampled."""

    counts: NDArray[np.int64]

    @cached_property
    def n(self) -> int:
        """Units."""
        return int(self.counts.sum())

    @property
    def by_weights(self) -> bool:
        """Few distinct units: a multinomial draw of weights costs less than one of indices."""
        return len(self.counts) * UNITS_PER_ROW < self.n

    @property
    def width(self) -> int:
        """Numbers that one resample takes."""
        return len(self.counts) if self.by_weights else self.n

    @cached_property
    def _unit_of(self) -> NDArray[np.intp] | None:
        """The distinct unit of each unit; None where all are distinct."""
        return None if self.n == len(self.counts) else np.repeat(np.arange(len(self.counts)), self.counts)

    def drawn(self, generator: np.random.Generator, size: int) -> NDArray[np.int64]:
        """(size, d): how often each is drawn."""
        if self.by_weights:
            return generator.multinomial(self.n, self.counts / self.n, size=size)
        index = generator.integers(0, self.n, size=(size, self.n))
        if self._unit_of is not None:
            index = self._unit_of[index]
        index += (np.arange(size) * len(self.counts))[:, None]  # a resample's own cells
        cells = np.bincount(index.ravel(), minlength=size * len(self.counts))
        return cells.reshape(size, len(self.counts))
