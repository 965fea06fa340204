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

    @cached_property
    def mean(self) -> float:
        """Of what all draws add."""
        return self.weight * counted_sum(self.column, self.counts) / self.n

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The least and the most that a draw can add beyond its mean."""
        ends = [(self.weight * float(x) - self.mean) / self.n for x in (self.column.min(), self.column.max())]
        return min(ends), max(ends)

    def parts(self) -> Iterator[tuple[Array, Counts]]:
        """What a draw adds beyond its mean, and the counts, some rows at a time."""
        for start in range(0, len(self.column), _PART):
            rows = slice(start, start + _PART)
            yield (self.weight * self.column[rows] - self.mean) / self.n, self.counts[rows]

    @cached_property
    def cumulants(self) -> tuple[float, float]:
        """The second and the third of what all draws add."""
        second, third = [], []
        for y, counts in self.parts():
            squares = counts * (y * y)
            second.append(float(squares.sum()))
            third.append(float((squares * y).sum()))
        return math.fsum(second), math.fsum(third)


@dataclass(frozen=True)
class LinearSum:
    """T, by its samples."""

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
    def mean(self) -> float:
        return math.fsum(sample.mean for sample in self.samples)

    @cached_property
    def sd(self) -> float:
        return math.sqrt(math.fsum(sample.cumulants[0] for sample in self.samples))

    @cached_property
    def skewness(self) -> float:
        return math.fsum(sample.cumulants[1] for sample in self.samples) / self.sd**3

    @cached_property
    def dominance(self) -> float:
        """The largest part of a draw, in standard deviations of T: near 1 where one row carries T."""
        return max(max(-low, high) for low, high in (sample.ends for sample in self.samples)) / self.sd

    @cached_property
    def reach(self) -> tuple[float, float]:
        """How far below and above its mean T strays but for e^−FAR on either side (Bernstein 1927).

        t = RL/3 + √((RL/3)² + 2σ²L), R the farthest that one draw can be from its mean.
        """
        lowest = max(-sample.ends[0] for sample in self.samples)
        highest = max(sample.ends[1] for sample in self.samples)
        return self._bernstein(lowest), self._bernstein(highest)

    def _bernstein(self, R: float) -> float:
        return R * FAR / 3 + math.hypot(R * FAR / 3, self.sd * math.sqrt(2 * FAR))
