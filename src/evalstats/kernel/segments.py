"""Draws from very many units: one segment of the sorted ones at a time, with a generator each.

A resample draws how many of its n draws fall into a segment, given those that fell below it, then which of
its units they are. A segment fits a cache, and no other needs to be in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalstats.kernel.selection import ascending
from evalstats.kernel.stream import Sample
from evalstats.kernel.units import Rows, Tally
from evalstats.kernel.weighted import Sums
from evalstats.numeric import generator_of

Array = NDArray[np.float64]
SEGMENT = 1 << 16  # units: part of the definition
_SIXTEEN_BITS = 1 << 16
_GATHERED = 1 << 19  # values that are looked for in one reading: any number gives the same digits


@dataclass(frozen=True)
class Block:
    """Resamples that have their generators in common; `generator` is that of samples which are not long."""

    number: int
    generator: np.random.Generator
    size: int


class SegmentedSample:
    """A sample of more than SEGMENT units. place : of it among the samples, for generators of its own."""

    def __init__(self, sample: Sample, columns: Callable[[Rows], Rows], place: int) -> None:
        self.sample, self.columns, self.place = sample, columns, place
        self.c = columns(np.ones((1, 2))).shape[1]

    def block_sums(self, blocks: Sequence[Block], seed: int) -> list[Sums]:
        """(size, c) of each block: column sums of its resamples."""
        sums = [np.zeros((block.size, self.c)) for block in blocks]
        draws_left = [np.full(block.size, self.sample.n) for block in blocks]
        units_left = self.sample.n
        for i, rows in enumerate(segments(self.sample)):
            segment, share = _Segment(self.columns(rows)), len(rows) / units_left
            units_left -= len(rows)
            for block, left, total in zip(blocks, draws_left, sums, strict=True):
                generator = generator_of(seed, block.number, self.place, i)
                for resample in range(block.size):
                    m = int(generator.binomial(left[resample], share))
                    left[resample] -= m
                    total[resample] += segment.drawn_sums(generator, m)
        return sums


class _Segment:
    """Columns of a segment's units, ready to be drawn from."""

    def __init__(self, columns: Rows) -> None:
        self.length = len(columns)
        self.columns = [np.ascontiguousarray(column) for column in columns.T]
        self.constant = np.ptp(columns, axis=0) == 0  # sizes of single items need no draws
        self.space = np.empty(0)

    def drawn_sums(self, generator: np.random.Generator, m: int) -> list[float]:
        """Σ of each column over m draws."""
        if self.space.size < m:
            self.space = np.empty(m + m // 16)
        at, drawn = self._positions(generator, m), self.space[:m]
        sums = []
        for column, constant in zip(self.columns, self.constant, strict=True):
            if constant:
                sums.append(float(column[0] * m))
                continue
            np.take(column, at, out=drawn, mode="clip")  # none is outside; "raise" would copy
            sums.append(float(np.add.reduce(drawn)))
        return sums

    def _positions(self, generator: np.random.Generator, m: int) -> NDArray[np.uint16] | NDArray[np.int64]:
        """m draws of 0 … length − 1: of a whole segment four from each 64 random bits."""
        if self.length < _SIXTEEN_BITS:
            return generator.integers(0, self.length, size=m)
        bits = generator.integers(0, 1 << 64, size=-(-m // 4), dtype=np.uint64)
        return bits.astype("<u8", copy=False).view("<u2")[:m]


def segments(sample: Sample) -> Iterator[Rows]:
    """Rows of sum and size of SEGMENT units at a time, sorted; the last of what is left."""
    if isinstance(sample, Tally):
        yield from _of_tally(sample)
        return
    for values in _in_segments(ascending(sample, 0, sample.n, _GATHERED)):
        yield np.column_stack([values, np.ones(len(values))])


def _of_tally(tally: Tally) -> Iterator[Rows]:
    ends = np.cumsum(tally.counts)
    for start in range(0, tally.n, SEGMENT):
        stop = min(start + SEGMENT, tally.n)
        first, last = np.searchsorted(ends, [start, stop - 1], side="right")
        counts = np.diff(np.minimum(ends[first : last + 1], stop), prepend=start)
        yield np.repeat(tally.rows[first : last + 1], counts, axis=0)


def _in_segments(runs: Iterable[Array]) -> Iterator[Array]:
    """Values in runs of any length, SEGMENT at a time."""
    held = np.empty(0)
    for run in runs:
        held = np.concatenate([held, run])
        whole = len(held) // SEGMENT * SEGMENT
        for start in range(0, whole, SEGMENT):
            yield held[start : start + SEGMENT]
        held = held[whole:].copy()
    if len(held):
        yield held
