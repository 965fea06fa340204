"""A weighted sum of means of independent samples, T = Σ_j w_j x̄*_j, and how far it can stray."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalstats.kernel.stream import Sample, Streamed
from evalstats.numeric import counted_sum, rounded_sums

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
Starts = NDArray[np.intp]
MOST_CARRYING = 8  # e⁻⁸ of all resamples have none of them
FAR = 40.0  # −ln of the probability that is left out on either side
_LEAST_EXPONENT = -1000  # of a double with all its digits
_PART = 1 << 15  # rows at a time: bounds memory, and is part of the definition of a sum


@dataclass(frozen=True)
class Draws:
    """n draws with replacement of x, which add w·x̄* to T.

    column : (d,) values of x. counts : (d,), how many of the n units have each. weight : w. total : Σx, if
    it is known.
    """

    column: Array
    counts: Counts
    weight: float
    total: float | None = None

    @cached_property
    def n(self) -> int:
        return int(self.counts.sum())

    @property
    def off_mode(self) -> int:
        """Units that have not the commonest value."""
        return self.n - int(self.counts.max())

    @property
    def mean(self) -> float:
        total = counted_sum(self.column, self.counts) if self.total is None else self.total
        return self.weight * total / self.n

    @property
    def ends(self) -> tuple[float, float]:
        return float(self.column.min()), float(self.column.max())


@dataclass(frozen=True)
class StreamedDraws:
    """The same of single items whose values are read in parts. weight : w."""

    values: Streamed
    weight: float

    @property
    def n(self) -> int:
        return self.values.n

    @property
    def mean(self) -> float:
        return self.weight * self.values.mean

    @property
    def ends(self) -> tuple[float, float]:
        return self.values.ends


class Part(NamedTuple):
    """What draws add beyond their mean, of some rows of sample `first`, or of all of some samples at once.

    y : (d,). counts : (d,), or None for one each, in no order. starts : where each sample's rows begin.
    """

    y: Array
    counts: Counts | None
    starts: Starts
    first: int = 0


class SampleSums:
    """Sums over the units of each of K samples, from parts."""

    def __init__(self, K: int) -> None:
        self._found: list[list[float]] = [[] for _ in range(K)]

    def add(self, part: Part, values: Array, largest: float) -> None:
        """values : (d,) of the part's rows, times their counts. largest : no value is beyond it."""
        if part.counts is None:
            self._found[part.first] += rounded_sums(values, largest)
        elif len(part.starts) == 1:
            self._found[part.first].append(float(values.sum()))
        else:
            for j, found in enumerate(np.add.reduceat(values, part.starts).tolist(), part.first):
                self._found[j].append(found)

    def totals(self) -> list[float]:
        return [found[0] if len(found) == 1 else math.fsum(found) for found in self._found]


def rows_of(sample: Draws | StreamedDraws, length: int) -> Iterator[tuple[Array, Counts | None]]:
    """Values and their counts, at most so many rows at a time; None for one each, in no order."""
    if isinstance(sample, StreamedDraws):
        yield from ((part, None) for part in sample.values.parts())
        return
    for start in range(0, len(sample.counts), length):
        rows = slice(start, start + length)
        yield sample.column[rows], sample.counts[rows]


@dataclass(frozen=True)
class LinearSum:
    """T, by its K samples."""

    samples: tuple[Draws | StreamedDraws, ...]

    @classmethod
    def of_means(cls, tallies: Sequence[Sample], weights: Sequence[float]) -> LinearSum:
        """Samples whose units all have one size m: the mean of n units is Σs/(nm)."""
        alone = len(tallies) == 1  # of several the means are found together
        return cls(
            tuple(
                StreamedDraws(tally, weight)
                if isinstance(tally, Streamed)
                else Draws(
                    tally.rows[:, 0],
                    tally.counts,
                    weight / float(tally.rows[0, 1]),
                    tally.total if alone else None,
                )
                for tally, weight in zip(tallies, weights, strict=True)
            )
        )

    @cached_property
    def tallied(self) -> tuple[Draws, ...] | None:
        """The samples, if how often each value occurs is known of all."""
        tallied = tuple(sample for sample in self.samples if isinstance(sample, Draws))
        return tallied if len(tallied) == len(self.samples) else None

    @cached_property
    def n(self) -> Array:
        """(K,) draws of each sample."""
        if len(self.samples) > 1 and self.tallied:
            _, counts, starts, _ = self.flat
            return np.add.reduceat(counts, starts).astype(np.float64)
        return np.array([float(sample.n) for sample in self.samples])

    @cached_property
    def means(self) -> Array:
        """(K,) what each sample adds to the mean of T."""
        if len(self.samples) == 1 or self.tallied is None:
            return np.array([sample.mean for sample in self.samples])
        values, counts, starts, _ = self.flat
        return np.asarray(np.add.reduceat(values * counts, starts) / self.n)

    @cached_property
    def mean(self) -> float:
        return math.fsum(self.means.tolist())

    @cached_property
    def flat(self) -> tuple[Array, Counts, Starts, Starts]:
        """w·x of all samples one after the other, their counts, where each sample starts, whose each is.

        Of samples that are tallied.
        """
        samples = self.tallied or ()
        lengths = [len(sample.counts) for sample in samples]
        values = np.concatenate([sample.column for sample in samples])
        values *= np.repeat([sample.weight for sample in samples], lengths)
        return (
            values,
            np.concatenate([sample.counts for sample in samples]),
            np.cumsum([0, *lengths[:-1]]),
            np.repeat(np.arange(len(lengths)), lengths),
        )

    @cached_property
    def _centred(self) -> Part:
        if len(self.samples) == 1 and self.tallied:
            [one] = self.tallied
            centred = (one.weight * one.column - float(self.means[0])) / float(self.n[0])
            return Part(centred, one.counts, np.zeros(1, dtype=np.intp))
        values, counts, starts, _ = self.flat
        lengths = [len(sample.counts) for sample in self.tallied or ()]
        centred = values - np.repeat(self.means, lengths)
        centred /= np.repeat(self.n, lengths)
        return Part(centred, counts, starts)

    def parts(self) -> Iterator[Part]:
        """All units: several tallied samples at once, else some rows of one sample at a time."""
        if self.tallied and (len(self.samples) > 1 or len(self.tallied[0].counts) <= _PART):
            yield self._centred
            return
        alone = np.zeros(1, dtype=np.intp)
        for j, (sample, mean, n) in enumerate(
            zip(self.samples, self.means.tolist(), self.n.tolist(), strict=True)
        ):
            for column, counts in rows_of(sample, _PART):
                yield Part((sample.weight * column - mean) / n, counts, alone, j)

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The least and the most that a draw adds beyond its mean."""
        if self.tallied and len(self.samples) > 1:
            y = self._centred.y
            return float(y.min()), float(y.max())
        ends = [
            (sample.weight * end - mean) / n
            for sample, mean, n in zip(self.samples, self.means.tolist(), self.n.tolist(), strict=True)
            for end in sample.ends
        ]
        return min(ends), max(ends)

    @cached_property
    def farthest(self) -> float:
        """R, the largest part of a draw."""
        least, most = self.ends
        return max(-least, most)

    @cached_property
    def _cumulants(self) -> tuple[float, float]:
        """The second and the third of T/2^e, e the exponent of R: those of very small draws would vanish."""
        second, third = SampleSums(len(self.samples)), SampleSums(len(self.samples))
        whole = math.ldexp(1.0, -self._exponent)
        for part in self.parts():
            u = part.y * whole
            squares = u * u
            if part.counts is not None:
                squares *= part.counts
            second.add(part, squares, 1.0)
            third.add(part, squares * u, 1.0)
        return math.fsum(second.totals()), math.fsum(third.totals())

    @property
    def _exponent(self) -> int:
        return max(math.frexp(self.farthest)[1], _LEAST_EXPONENT)

    @cached_property
    def sd(self) -> float:
        return math.ldexp(math.sqrt(self._cumulants[0]), self._exponent)

    @cached_property
    def skewness(self) -> float:
        second, third = self._cumulants
        return third / math.sqrt(second) ** 3

    @property
    def dominance(self) -> float:
        """The largest part of a draw, in standard deviations of T: near 1 where one row carries T."""
        return self.farthest / self.sd

    @cached_property
    def spread_without_few(self) -> float:
        """Standard deviation of T without the few draws that carry it: of what a lattice must still resolve.

        Of up to MOST_CARRYING units, each of more weight than all that are smaller; with more of them no
        resample has none, and T is theirs.
        """
        spread, carrying, rest = self.sd, 0, _Rest(self)
        while carrying < MOST_CARRYING:
            farthest = rest.farthest()
            if not 0 < farthest <= MOST_CARRYING or farthest == rest.n:
                break
            size, carrying = rest.largest, carrying + farthest
            rest = rest.without_farthest()
            if size <= rest.spread or rest.spread == 0:  # of atoms alone nothing is to be resolved
                break
            spread = rest.spread
        return spread

    @property
    def reach(self) -> tuple[float, float]:
        """How far below and above its mean T strays but for e^−FAR on either side (Bernstein 1927).

        t = RL/3 + √((RL/3)² + 2σ²L), R the farthest that one draw can be from its mean.
        """
        least, most = self.ends
        return self._bernstein(-least), self._bernstein(most)

    def _bernstein(self, R: float) -> float:
        return R * FAR / 3 + math.hypot(R * FAR / 3, self.sd * math.sqrt(2 * FAR))


@dataclass(frozen=True)
class _Rest:
    """The units that are left when the farthest are taken out, once or again.

    within : centres, and how far from each of them a unit must be under. centre : the mean of those left.
    """

    total: LinearSum
    within: tuple[tuple[float, float], ...] = ()
    centre: float = 0.0

    def _parts(self) -> Iterator[Part]:
        """All that is left, around its mean, as if of one sample."""
        for y, counts, _, _ in self.total.parts():
            left = np.ones(len(y), dtype=np.bool_)
            for centre, limit in self.within:
                left &= np.abs(y - centre) < limit
            yield Part(y[left] - self.centre, None if counts is None else counts[left], np.zeros(1, np.intp))

    @cached_property
    def n(self) -> int:
        return sum(len(y) if counts is None else int(counts.sum()) for y, counts, _, _ in self._parts())

    @cached_property
    def largest(self) -> float:
        return max(float(np.max(np.abs(y), initial=0.0)) for y, _, _, _ in self._parts())

    @property
    def _far(self) -> float:
        return self.largest * (1 - 1e-9)

    def farthest(self) -> int:
        """Units that are farthest from the mean."""
        found = 0
        for y, counts, _, _ in self._parts():
            far = np.abs(y) >= self._far
            found += int(np.count_nonzero(far) if counts is None else counts[far].sum())
        return found

    def without_farthest(self) -> _Rest:
        rest = _Rest(self.total, (*self.within, (self.centre, self._far)), self.centre)
        return replace(rest, centre=self.centre + rest._sum(1) / rest.n)

    @property
    def spread(self) -> float:
        return math.sqrt(self._sum(2))

    def _sum(self, power: int) -> float:
        """Σyᵖ."""
        found = SampleSums(1)
        for part in self._parts():
            powers = part.y if power == 1 else part.y * part.y
            found.add(part, powers if part.counts is None else powers * part.counts, self.largest**power)
        return found.totals()[0]
