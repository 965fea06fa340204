"""Draws with replacement, within each stratum as many as it has units: how often each distinct unit comes.

A stream is taken in calls that the data alone fix. Indices have 16 bits, of which numpy draws two at a time:
another number of resamples in a call would be other draws. So digits depend on data and seed, never on
memory, processes, or how many resamples are wanted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.numeric import BLOCK

Counts = NDArray[np.int64]
CALL = 1 << 16  # numbers of a call, and the most units that 16 bits tell apart: part of the definition
UNITS_PER_ROW = 20  # a multinomial cell costs as much as some 20 index draws


@dataclass(frozen=True)
class UnitDraw:
    """counts : (d,), how often each distinct unit is. strata : (s,), how many of them each stratum has."""

    counts: Counts
    strata: Counts

    @classmethod
    def of_one_stratum(cls, counts: Counts) -> UnitDraw:
        return cls(counts, np.array([len(counts)]))

    def resamples(self, generator: np.random.Generator, size: int) -> Iterator[Counts]:
        """(b, d): how often each is drawn, in some resamples at a time and `size` in all."""
        space = np.empty(sum(cells.size for _, _, cells in self._by_index), dtype=np.int64)
        for start in range(0, size, self._together):
            drawn = self._counted(generator, space)
            for one, counts in self._by_weights:
                n = int(counts.sum())
                drawn[:, one] = generator.multinomial(n, counts / n, size=len(drawn))
            for one, counts in self._in_segments:
                drawn[0, one] = _of_segments(generator, counts)
            yield drawn[: size - start]

    def _counted(self, generator: np.random.Generator, space: Counts) -> Counts:
        """(b, d) of the strata that are drawn by index, 0 for the others."""
        d, at = len(self.counts), 0
        for n, first, cells in self._by_index:
            index: NDArray[Any] = generator.integers(0, n, size=cells.shape, dtype=np.uint16)
            found = space[at : at + cells.size].reshape(cells.shape)
            at += cells.size
            if self._unit_of is not None:
                position = index + (first - first[0])[:, None] if len(first) > 1 else index
                units = self._unit_of[first[0] :]
                index = np.take(units, position, out=found, mode="clip")  # "raise" would copy
            np.add(index, cells, out=found)
        return np.bincount(space, minlength=self._together * d).reshape(-1, d)

    @cached_property
    def _together(self) -> int:
        """Resamples of a call."""
        width = int(np.where(self._few_rows, self.strata, self._sizes).sum())  # numbers that one takes
        return math.ceil(BLOCK / math.ceil(BLOCK * width / CALL))

    @cached_property
    def _by_index(self) -> list[tuple[int, Counts, Counts]]:
        """Of strata of one size n: it, the positions of their first units, and what to add to an index.

        That is (b, s, n), the first cell of the resample, and of the stratum where its units are distinct.
        """
        first = np.cumsum(self._sizes) - self._sizes
        short = ~self._few_rows & (self._sizes <= CALL)
        resample = len(self.counts) * np.arange(self._together)[:, None, None]
        found = []
        for n in np.unique(self._sizes[short]):
            own = first[short & (self._sizes == n)]
            cells = resample + (own if self._unit_of is None else 0 * own)[:, None]
            found.append((int(n), own, np.repeat(cells, n, axis=2)))
        return found

    @cached_property
    def _unit_of(self) -> NDArray[np.intp] | None:
        """The distinct unit at each position; None where all are distinct."""
        return None if np.all(self.counts == 1) else np.repeat(np.arange(len(self.counts)), self.counts)

    @cached_property
    def _sizes(self) -> Counts:
        """(s,) units of each stratum."""
        return np.add.reduceat(self.counts, np.cumsum(self.strata) - self.strata)

    @cached_property
    def _few_rows(self) -> NDArray[np.bool_]:
        """(s,) few distinct units: a multinomial draw of weights costs less than one of indices."""
        return np.asarray(self.strata * UNITS_PER_ROW < self._sizes)

    @cached_property
    def _by_weights(self) -> list[tuple[slice, Counts]]:
        return self._those(self._few_rows)

    @cached_property
    def _in_segments(self) -> list[tuple[slice, Counts]]:
        return self._those(~self._few_rows & (self._sizes > CALL))

    def _those(self, chosen: NDArray[np.bool_]) -> list[tuple[slice, Counts]]:
        """The distinct units of some strata, and how often each is."""
        ends = np.cumsum(self.strata)
        slices = [slice(ends[i] - self.strata[i], ends[i]) for i in np.flatnonzero(chosen)]
        return [(one, self.counts[one]) for one in slices]


def _of_segments(generator: np.random.Generator, counts: Counts) -> Counts:
    """(d,) one resample of many units: how many draws fall into each segment, then which units they are.

    A segment's counters fit a cache.
    """
    n = int(counts.sum())
    lengths = np.diff(np.append(np.arange(0, n, CALL), n))
    draws = generator.multinomial(n, lengths / n)
    at = np.empty(n, dtype=np.int64)
    for i, (length, m) in enumerate(zip(lengths, draws, strict=True)):
        index = generator.integers(0, length, size=m, dtype=np.uint16)
        at[i * CALL : i * CALL + length] = np.bincount(index, minlength=length)
    return at if len(counts) == n else np.add.reduceat(at, np.cumsum(counts) - counts)
