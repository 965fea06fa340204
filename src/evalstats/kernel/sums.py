"""A weighted sum of means of independent samples, T = Σ_j w_j x̄*_j, and how far it can stray."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evalstats.kernel.units import Tally
from evalstats.numeric import counted_sum

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
Starts = NDArray[np.intp]
MOST_CARRYING = 8  # e⁻⁸ of all resamples have none of them
FAR = 40.0  # −ln of the probability that is left out on either side
_PART = 1 << 15  # rows at a time: bounds memory, and is part of the definition of a sum


@dataclass(frozen=True)
class Draws:
    """n draws with replacement of x, which add w·x̄* to T.

    column : (d,) values of x. counts : (d,), how many of the n units have each. weight : w.
    """

    column: Array
    counts: Counts
    weight: float

    @cached_property
    def n(self) -> int:
        return int(self.counts.sum())


@dataclass(frozen=True)
class LinearSum:
    """T, by its K samples."""

    samples: tuple[Draws, ...]

    @classmethod
    def of_means(cls, tallies: Sequence[Tally], weights: Sequence[float]) -> LinearSum:
        """Samples whose units all have one size m: the mean of n units is Σs/(nm)."""
        return cls(
            tuple(
                Draws(tally.rows[:, 0], tally.counts, weight / float(tally.rows[0, 1]))
                for tally, weight in zip(tallies, weights, strict=True)
            )
        )

    @cached_property
    def n(self) -> Array:
        """(K,) draws of each sample."""
        return np.array([float(sample.n) for sample in self.samples])

    @cached_property
    def means(self) -> Array:
        """(K,) what each sample adds to the mean of T."""
        if len(self.samples) == 1:
            [one] = self.samples
            return np.array([one.weight * counted_sum(one.column, one.counts)]) / self.n
        values, counts, starts, _ = self.flat
        return np.asarray(np.add.reduceat(values * counts, starts) / self.n)

    @cached_property
    def mean(self) -> float:
        return math.fsum(self.means.tolist())

    @cached_property
    def flat(self) -> tuple[Array, Counts, Starts, Starts]:
        """w·x of all samples one after the other, their counts, where each sample starts, whose each is."""
        lengths = [len(sample.counts) for sample in self.samples]
        return (
            np.concatenate([sample.weight * sample.column for sample in self.samples]),
            np.concatenate([sample.counts for sample in self.samples]),
            np.cumsum([0, *lengths[:-1]]),
            np.repeat(np.arange(len(lengths)), lengths),
        )

    @cached_property
    def _centred(self) -> tuple[Array, Counts, Starts]:
        if len(self.samples) == 1:
            [one] = self.samples
            centred = (one.weight * one.column - float(self.means[0])) / float(self.n[0])
            return centred, one.counts, np.zeros(1, dtype=np.intp)
        values, counts, starts, whose = self.flat
        return (values - self.means[whose]) / self.n[whose], counts, starts

    def parts(self) -> Iterator[tuple[Array, Counts, Starts]]:
        """What a draw adds beyond its mean, the counts, and where each sample starts.

        Several samples come at once, a single one of many rows some of them at a time.
        """
        if len(self.samples) > 1 or len(self.samples[0].counts) <= _PART:
            yield self._centred
            return
        [one], mean, n = self.samples, float(self.means[0]), float(self.n[0])
        for start in range(0, len(one.counts), _PART):
            rows = slice(start, start + _PART)
            yield (one.weight * one.column[rows] - mean) / n, one.counts[rows], np.zeros(1, dtype=np.intp)

    @cached_property
    def _moments(self) -> tuple[float, float, float, float]:
        """The second and third cumulant of T, the least and the most that a draw adds beyond its mean."""
        second, third, least, most = [], [], [], []
        for y, counts, _ in self.parts():
            squares = counts * (y * y)
            second.append(float(squares.sum()))
            third.append(float((squares * y).sum()))
            least.append(float(y.min()))
            most.append(float(y.max()))
        return math.fsum(second), math.fsum(third), min(least), max(most)

    @property
    def sd(self) -> float:
        return math.sqrt(self._moments[0])

    @property
    def skewness(self) -> float:
        return self._moments[1] / self.sd**3

    @property
    def dominance(self) -> float:
        """The largest part of a draw, in standard deviations of T: near 1 where one row carries T."""
        _, _, least, most = self._moments
        return max(-least, most) / self.sd

    @cached_property
    def spread_without_few(self) -> float:
        """Standard deviation of T without the few draws that carry it: of what a lattice must still resolve.

        Of up to MOST_CARRYING units, each of more weight than all that are smaller; with more of them no
        resample has none, and T is theirs.
        """
        parts = [(y, counts) for y, counts, _ in self.parts()]
        y, counts = (np.concatenate(column) for column in zip(*parts, strict=True))
        spread, carrying = self.sd, 0
        while carrying < MOST_CARRYING:
            farthest = np.abs(y) >= np.max(np.abs(y)) * (1 - 1e-9)
            if not 0 < int(counts[farthest].sum()) <= MOST_CARRYING or bool(farthest.all()):
                break
            size, carrying = float(np.max(np.abs(y))), carrying + int(counts[farthest].sum())
            y, counts = y[~farthest], counts[~farthest]
            around = y - float(np.sum(y * counts) / np.sum(counts))
            rest = math.sqrt(float(np.sum(counts * around**2)))
            if size <= rest or rest == 0:  # of atoms alone nothing is to be resolved
                break
            y, spread = around, rest
        return spread

    @property
    def reach(self) -> tuple[float, float]:
        """How far below and above its mean T strays but for e^−FAR on either side (Bernstein 1927).

        t = RL/3 + √((RL/3)² + 2σ²L), R the farthest that one draw can be from its mean.
        """
        _, _, least, most = self._moments
        return self._bernstein(-least), self._bernstein(most)

    def _bernstein(self, R: float) -> float:
        return R * FAR / 3 + math.hypot(R * FAR / 3, self.sd * math.sqrt(2 * FAR))
