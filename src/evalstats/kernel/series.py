"""Moment generating functions as power series: one pass over the units, however often they are asked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evalstats.kernel.sums import LinearSum, SampleSums

Array = NDArray[np.float64]
FARTHEST = 3.5  # standard deviations of tilt that the series must reach, as long as it converges fast
WIDEST = 2.0  # of τR
_LAST_TERM = 1e-17  # of the second one


@dataclass(frozen=True)
class PowerSums:
    """M_j(τ) − n_j = Σ_k (τR)ᵏ/k! · Σ(y/R)ᵏ over the units of sample j, R the largest |y|.

    sums : (K, T), Σ(y/R)ᵏ for k = 1 … T. n : (K,). reach : the largest |τR| for which T terms are enough:
    no later term is more than 2(τR)^(k−2)/k! of the second.
    """

    sums: Array
    n: Array
    R: float
    reach: float

    @classmethod
    def of(cls, total: LinearSum) -> PowerSums:
        R, K = total.farthest, len(total.samples)
        reach = min(FARTHEST * total.dominance, WIDEST)
        terms, last = 2, 1.0
        while last > _LAST_TERM:
            terms += 1
            last = 2 * reach ** (terms - 1) / math.factorial(terms + 1)
        columns = [SampleSums(K) for _ in range(terms)]
        for part in total.parts():
            u = part.y / R
            power = u.copy() if part.counts is None else part.counts * u
            for column in columns[:-1]:
                column.add(part, power, 1.0)
                power *= u
            columns[-1].add(part, power, 1.0)
        return cls(np.array([column.totals() for column in columns]).T, total.n, R, reach)

    @cached_property
    def _first(self) -> list[float]:
        first: list[float] = self.sums[0].tolist()
        return first

    def holds(self, tau: float) -> bool:
        return abs(tau) * self.R <= self.reach

    def cumulants(self, tau: float) -> tuple[float, float, float]:
        """Σ_j n_j ln(M_j/n_j) and its first two derivatives at τ."""
        return self._of_one(tau) if len(self.n) == 1 else self._of_several(tau)

    def _of_one(self, tau: float) -> tuple[float, float, float]:
        """In plain numbers, which for a dozen terms is quicker than arrays."""
        t, before, power = tau * self.R, 0.0, 1.0  # (τR)^(k−2)/(k−2)! and (τR)^(k−1)/(k−1)!
        beyond = M1 = M2 = 0.0
        for k, total in enumerate(self._first, 1):
            M2 += total * before
            M1 += total * power
            before, power = power, power * t / k
            beyond += total * power
        n, M1, M2 = float(self.n[0]), self.R * M1, self.R**2 * M2
        M = n + beyond
        return n * math.log1p(beyond / n), n * M1 / M, n * (M2 / M - (M1 / M) ** 2)

    def _of_several(self, tau: float) -> tuple[float, float, float]:
        terms, n = self.sums.shape[1], self.n
        powers = np.multiply.accumulate(tau * self.R / np.arange(1, terms + 1))  # (τR)ᵏ/k!
        whole = np.concatenate([[1.0], powers])
        beyond = np.add.reduce(self.sums * powers, axis=1)
        M1 = self.R * np.add.reduce(self.sums * whole[:-1], axis=1)
        M2 = self.R**2 * np.add.reduce(self.sums[:, 1:] * whole[:-2], axis=1)
        M = n + beyond
        K, K1, K2 = n * np.log1p(beyond / n), n * M1 / M, n * (M2 / M - (M1 / M) ** 2)
        return float(np.add.reduce(K)), float(np.add.reduce(K1)), float(np.add.reduce(K2))
