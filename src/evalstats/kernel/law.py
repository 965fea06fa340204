"""The law of a statistic under resampling of its units, and its quantiles.

n draws with replacement of n units are one multinomial draw of weights for the tally. Resamples come in
fixed blocks with a generator each, very many units in segments with generators of their own, and float sums
have a fixed grouping: the digits depend on the data and the seed, never on row order, chunk or thread.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalstats.kernel import segments
from evalstats.kernel.segments import Block, SegmentedSample
from evalstats.kernel.stream import Sample, Streamed
from evalstats.kernel.units import Tally, Units
from evalstats.kernel.weighted import Sums, SumStatistic, weighted_sums
from evalstats.numeric import BLOCK, block_generators, normal_quantile

CELLS = 1 << 16  # draws or weights held at once: bounds memory, any value gives the same digits
_SUMS = 1 << 18  # sums of resamples of very many units, held at once
UNITS_PER_ROW = 15  # a multinomial cell costs as much as about 15 index draws
_TIE = 1e-12


def draw(samples: Sequence[Sample], statistic: SumStatistic, n_boot: int, seed: int) -> NDArray[np.float64]:
    """(n_boot,) values of the statistic under independent resampling of each sample's units."""
    pieces = _values(samples, statistic, n_boot, seed)
    first = next(pieces)
    values, at = np.empty((n_boot, *first.shape[1:])), 0
    for piece in itertools.chain([first], pieces):
        values[at : at + len(piece)] = piece
        at += len(piece)
    return values


def _values(
    samples: Sequence[Sample], statistic: SumStatistic, n_boot: int, seed: int
) -> Iterator[NDArray[np.float64]]:
    """The values of each block."""
    ready = [_ready(sample, statistic, place) for place, sample in enumerate(samples)]
    width = max((one.c for one in ready if isinstance(one, SegmentedSample)), default=_SUMS)
    together = max(1, _SUMS // (width * BLOCK))  # blocks for each way through the segments
    blocks = (Block(number, *one) for number, one in enumerate(block_generators(seed, n_boot)))
    while some := list(itertools.islice(blocks, together)):
        sums = [one.block_sums(some, seed) for one in ready]
        yield from (np.asarray(statistic.finish(*of_block)) for of_block in zip(*sums, strict=True))


def _ready(sample: Sample, statistic: SumStatistic, place: int) -> _Sample | SegmentedSample:
    if sample.n > segments.SEGMENT and not (isinstance(sample, Tally) and _by_weights(sample)):
        return SegmentedSample(sample, statistic.columns, place)
    if isinstance(sample, Streamed):
        sample = Units.of_items(np.concatenate(list(sample.parts()))).tally()
    return _Sample(sample, statistic)


def _by_weights(tally: Tally) -> bool:
    return len(tally.counts) * UNITS_PER_ROW < tally.n


class _Sample:
    """One sample ready to be drawn from: by multinomial weights while it has few distinct rows."""

    def __init__(self, tally: Tally, statistic: SumStatistic) -> None:
        self.n = tally.n
        self.columns = statistic.columns(tally.rows)
        self.by_weights = _by_weights(tally)
        self.rates = tally.counts / self.n
        if not self.by_weights and len(tally.counts) < self.n:
            self.columns = np.repeat(self.columns, tally.counts, axis=0)
        self.constant = np.ptp(self.columns, axis=0) == 0  # sizes of single items need no draws
        self.contiguous = [np.ascontiguousarray(column) for column in self.columns.T]
        self.space = np.empty(0)

    def block_sums(self, blocks: Sequence[Block], seed: int) -> list[Sums]:
        """The sums of each block, drawn by its generator."""
        return [self.sums(block.generator, block.size) for block in blocks]

    def sums(self, generator: np.random.Generator, size: int) -> Sums:
        """(size, c): column sums of `size` resamples."""
        step = max(1, CELLS // len(self.columns))
        drawn = self._weighted if self.by_weights else self._indexed
        parts = [drawn(generator, min(step, size - start)) for start in range(0, size, step)]
        return np.concatenate(parts)

    def _weighted(self, generator: np.random.Generator, size: int) -> Sums:
        return weighted_sums(self.columns, generator.multinomial(self.n, self.rates, size=size))

    def _indexed(self, generator: np.random.Generator, size: int) -> Sums:
        index = generator.integers(0, self.n, size=(size, self.n))
        parts = [
            np.full(size, column[0] * self.n) if constant else self._sums_of(column, index)
            for column, constant in zip(self.contiguous, self.constant, strict=True)
        ]
        return np.stack(parts, axis=1)

    def _sums_of(self, column: NDArray[np.float64], index: NDArray[np.int64]) -> NDArray[np.float64]:
        """Σ column[index] of each row, in space that is kept: getting it anew takes as long again."""
        if self.space.size < index.size:
            self.space = np.empty(index.size)
        drawn = self.space[: index.size].reshape(index.shape)
        np.take(column, index, out=drawn, mode="clip")  # none is outside; "raise" would copy
        return np.asarray(np.add.reduce(drawn, axis=1))


def delete_one(
    tallies: Sequence[Tally], statistic: SumStatistic
) -> list[tuple[NDArray[np.float64], NDArray[np.int64]]]:
    """The exact jackknife: per sample, the statistic less one unit of each distinct row, and the counts."""
    columns = [statistic.columns(tally.rows) for tally in tallies]
    totals = [tally.totals(own) for tally, own in zip(tallies, columns, strict=True)]
    jackknife = []
    for i, tally in enumerate(tallies):
        without = [totals[i] - columns[i] if j == i else totals[j] for j in range(len(tallies))]
        jackknife.append((np.asarray(statistic.finish(*without)), tally.counts))
    return jackknife


def enough_resamples(level: float) -> int:
    """How many leave a percentile limit a Monte Carlo error under .01 standard deviation: whole blocks."""
    q = (1 - level) / 2
    density = math.exp(-(normal_quantile(q) ** 2) / 2) / math.sqrt(2 * math.pi)
    return math.ceil(q * (1 - q) / (0.01 * density) ** 2 / BLOCK) * BLOCK


@dataclass(frozen=True)
class Drawn:
    """The law as n_boot resamples show it. ordered : (n_boot,) or more values, ascending."""

    ordered: NDArray[np.float64]
    n_boot: int
    name: str = "monte_carlo"

    def low(self, q: float) -> float:
        return low_quantile(self.ordered, q)

    def high(self, q: float) -> float:
        return high_quantile(self.ordered, q)

    def below(self, point: float) -> float:
        """As `mass_below`, by search."""
        ordered = self.ordered
        tolerance = _TIE * max(abs(point), abs(float(ordered[0])), abs(float(ordered[-1])))
        below = bisect.bisect_left(ordered, -tolerance, key=lambda v: v - point)
        at_most = bisect.bisect_right(ordered, tolerance, key=lambda v: v - point)
        return (below + (at_most - below) / 2) / len(ordered)

    @property
    def mean(self) -> float:
        return float(np.mean(self.ordered))

    @property
    def sd(self) -> float:
        return float(np.std(self.ordered))


def low_quantile(ordered: NDArray[np.float64], q: float) -> float:
    """min{v: F(v) ≥ q} of sorted values; a relative guard of 1e-12 lets equality count."""
    return float(ordered[_rank(len(ordered), q) - 1])


def high_quantile(ordered: NDArray[np.float64], q: float) -> float:
    """max{v: P(V ≥ v) ≥ q}: the mirror image of `low_quantile`."""
    return float(ordered[-_rank(len(ordered), q)])


def _rank(size: int, q: float) -> int:
    return min(max(math.ceil(q * size * (1 - _TIE)), 1), size)


def mass_below(values: NDArray[np.float64], point: float) -> float:
    """P(V < θ̂) + ½P(V = θ̂), where values within 1e-12 of the scale are equal."""
    tolerance = _TIE * max(abs(point), float(np.max(np.abs(values))))
    at = np.abs(values - point) <= tolerance
    return float((np.count_nonzero((values < point) & ~at) + np.count_nonzero(at) / 2) / len(values))
