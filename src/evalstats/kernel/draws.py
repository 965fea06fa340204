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
        calls = math.ceil(BLOCK * self._width / CALL)
        step = math.ceil(BLOCK / calls)
        space = np.empty(step * sum(n * len(first) for n, first in self._by_index), dtype=np.int64)
        for start in range(0, size, step):
            drawn = self._counted(generator, step, space)
            for one, counts in self._by_weights:
                n = int(counts.sum())
                drawn[:, one] = generator.multinomial(n, counts / n, size=step)
            for one, counts in self._in_segments:
                drawn[0, one] = _of_segments(generator, counts)
            yield drawn[: size - start]

    def _counted(self, generator: np.random.Generator, step: int, space: Counts) -> Counts:
        """(step, d) of the strata that are drawn by index, 0 for the others."""
        d, at = len(self.counts), 0
        resample = d * np.arange(step)[:, None, None]  # its first cell
        for n, first in self._by_index:
            index = generator.integers(0, n, size=(step, len(first), n), dtype=np.uint16)
            cells = space[at : at + index.size].reshape(index.shape)
            at += index.size
            if self._unit_of is None:
                np.add(index, resample + first[:, None], out=cells)
                continue
            position = index + (first - first[0])[:, None] if len(first) > 1 else index
            np.take(self._unit_of[first[0] :], position, out=cells, mode="clip")  # "raise" would copy
            cells += resample
        return np.bincount(space, minlength=step * d).reshape(step, d)

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
    def _by_index(self) -> list[tuple[int, Counts]]:
        """Of strata of one size: it, and the positions of their first units."""
        first = np.cumsum(self._sizes) - self._sizes
        short = ~self._few_rows & (self._sizes <= CALL)
        return [(int(n), first[short & (self._sizes == n)]) for n in np.unique(self._sizes[short])]

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

    @property
    def _width(self) -> int:
        """Numbers that one resample takes."""
        return int(np.where(self._few_rows, self.strata, self._sizes).sum())


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
