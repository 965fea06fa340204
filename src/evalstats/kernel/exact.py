"""Laws with finitely many values: what their quantiles, tails and moments are.

A law here is the distribution of a statistic under resampling of its units, for infinitely many resamples.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evalstats.numeric import normal_quantile

Array = NDArray[np.float64]
GUARD = 1e-12  # a probability short of α/2 by rounding reaches it; values this close are one


class Law(Protocol):
    """The distribution of a statistic V under resampling.

    name : the engine that computed it. n_boot : resamples drawn, None where none was.
    """

    @property
    def name(self) -> str: ...
    @property
    def n_boot(self) -> int | None: ...
    @property
    def mean(self) -> float: ...
    @property
    def sd(self) -> float: ...

    def low(self, q: float) -> float:
        """min{v: F(v) ≥ q}."""
        ...

    def high(self, q: float) -> float:
        """max{v: P(V ≥ v) ≥ q}: the mirror image of `low`."""
        ...

    def below(self, point: float) -> float:
        """P(V < point) + ½P(V = point)."""
        ...


@dataclass(frozen=True)
class Atoms:
    """values : (d,), distinct and ascending. masses : (d,), their probabilities, which add up to 1."""

    values: Array
    masses: Array
    name: str
    n_boot: int | None = None

    @cached_property
    def _cumulative(self) -> Array:
        return np.cumsum(self.masses)

    def low(self, q: float) -> float:
        return float(self.values[_first_reaching(self._cumulative, q)])

    def high(self, q: float) -> float:
        return float(self.values[-1 - _first_reaching(np.cumsum(self.masses[::-1]), q)])

    def below(self, point: float) -> float:
        return (self._up_to(point + self._near) + self._up_to(point - self._near)) / 2

    def _up_to(self, v: float) -> float:
        count = int(np.searchsorted(self.values, v, side="right"))
        return float(self._cumulative[count - 1]) if count else 0.0

    @property
    def _near(self) -> float:
        return GUARD * max(abs(float(self.values[0])), abs(float(self.values[-1])))

    @cached_property
    def mean(self) -> float:
        return float(np.sum(self.masses * self.values))

    @property
    def sd(self) -> float:
        return math.sqrt(float(np.sum(self.masses * (self.values - self.mean) ** 2)))

    def atoms(self) -> Atoms:
        """The law itself: other exact laws have to write theirs out."""
        return self

    def weighty(self) -> Atoms:
        """Without values so rare that all of them together have a probability under 1e-15."""
        keep = self.masses > 1e-15 / len(self.masses)
        return Atoms(self.values[keep], self.masses[keep] / self.masses[keep].sum(), self.name, self.n_boot)

    def coarse(self, most: int) -> Atoms:
        """At most so many values: neighbours put together at their mean."""
        if len(self.values) <= most:
            return self
        starts = np.arange(0, len(self.values), math.ceil(len(self.values) / most))
        masses = np.add.reduceat(self.masses, starts)
        means = np.add.reduceat(self.masses * self.values, starts) / np.where(masses > 0, masses, 1.0)
        return Atoms(means[masses > 0], masses[masses > 0], "fine lattice")


def _first_reaching(cumulative: Array, q: float) -> int:
    index = int(np.searchsorted(cumulative, q * (1 - GUARD), side="left"))
    return min(index, len(cumulative) - 1)


def merged(values: Array, masses: Array, name: str) -> Atoms:
    """Atoms from values in any order, equal ones put together."""
    order = np.argsort(values, kind="stable")
    values, masses = values[order], masses[order]
    near = GUARD * float(np.max(np.abs(values)))
    starts = np.flatnonzero(np.concatenate([[True], np.diff(values) > near]))
    together = np.add.reduceat(masses, starts)
    return Atoms(values[starts], together / together.sum(), name)


@dataclass(frozen=True)
class Binomial:
    """The mean of n draws of which k in n have the value `upper`, the others `lower` < `upper`."""

    n: int
    k: int
    lower: float
    upper: float
    name: str = "exact binomial"
    n_boot: int | None = None

    def _value(self, j: int) -> float:
        return (self.lower * (self.n - j) + self.upper * j) / self.n

    def low(self, q: float) -> float:
        return self._value(_binomial_quantile(q, self.n, self.k / self.n))

    def high(self, q: float) -> float:
        return self._value(self.n - _binomial_quantile(q, self.n, (self.n - self.k) / self.n))

    def below(self, point: float) -> float:
        j = round(self.n * (point - self.lower) / (self.upper - self.lower))
        return (_at_most(j - 1, self.n, self.k / self.n) + _at_most(j, self.n, self.k / self.n)) / 2

    @property
    def mean(self) -> float:
        return self._value(self.k)

    @property
    def sd(self) -> float:
        p = self.k / self.n
        return (self.upper - self.lower) * math.sqrt(p * (1 - p) / self.n)

    def atoms(self) -> Atoms:
        """The values that matter: beyond them lie under 1e-16 on either side (Hoeffding 1963)."""
        reach = math.ceil(math.sqrt(self.n * 37 / 2))
        j = np.arange(max(0, self.k - reach), min(self.n, self.k + reach) + 1)
        cumulative = np.where(
            j < self.n, special.betaincc(j + 1, np.maximum(self.n - j, 1), self.k / self.n), 1.0
        )
        masses = np.maximum(np.diff(cumulative, prepend=0.0), 0.0)
        values = (self.lower * (self.n - j) + self.upper * j) / self.n
        return Atoms(values, masses / masses.sum(), self.name)


def _at_most(j: int, n: int, p: float) -> float:
    """P(Bin(n, p) ≤ j), to the last digits: scipy's bdtr has twelve."""
    if j < 0 or j >= n:
        return float(j >= n)
    return float(special.betaincc(j + 1, n - j, p))


def _binomial_quantile(q: float, n: int, p: float) -> int:
    """min{j: P(Bin(n, p) ≤ j) ≥ q}: a bracket around the normal guess, then bisection."""
    wanted = q * (1 - GUARD)
    guess = round(n * p + normal_quantile(q) * math.sqrt(n * p * (1 - p)))
    low, high, step = min(max(guess, 0), n) - 1, min(max(guess, 0), n), 2
    while low >= 0 and _at_most(low, n, p) >= wanted:
        low, high, step = max(low - step, -1), low, 2 * step
    while high < n and _at_most(high, n, p) < wanted:
        low, high, step = high, min(high + step, n), 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _at_most(middle, n, p) >= wanted else (middle, high)
    return high


@dataclass(frozen=True)
class Difference:
    """second − first of two independent laws: F(v) = Σ P(first = x)·P(second ≤ v + x)."""

    first: Atoms
    second: Atoms
    name: str = "exact convolution"
    n_boot: int | None = None

    def below(self, point: float) -> float:
        return (self._up_to(point + self._near) + self._up_to(point - self._near)) / 2

    def low(self, q: float) -> float:
        low, high = self._below_all, float(self.second.values[-1] - self.first.values[0])
        wanted = q * (1 - GUARD)
        while high - low > self._near:
            middle = (low + high) / 2
            if middle in (low, high):
                break
            low, high = (low, middle) if self._up_to(middle + self._near) >= wanted else (middle, high)
        return self._next_value(low + self._near)

    def high(self, q: float) -> float:
        return 0.0 - Difference(self.second, self.first).low(q)

    def _next_value(self, v: float) -> float:
        """The smallest value above v."""
        at = np.searchsorted(self.second.values, v + self.first.values, side="right")
        there = at < len(self.second.values)
        return float(np.min(self.second.values[at[there]] - self.first.values[there]))

    def _up_to(self, v: float) -> float:
        count = np.searchsorted(self.second.values, v + self.first.values, side="right")
        return float(np.sum(self.first.masses * self._cumulative[count]))

    @cached_property
    def _cumulative(self) -> Array:
        return np.concatenate([[0.0], np.cumsum(self.second.masses)])

    @property
    def _below_all(self) -> float:
        return float(self.second.values[0] - self.first.values[-1]) - 1e3 * self._near

    @property
    def _near(self) -> float:
        largest = max(float(np.max(np.abs(one.values[[0, -1]]))) for one in (self.first, self.second))
        return GUARD * (largest or 1.0)

    @property
    def mean(self) -> float:
        return self.second.mean - self.first.mean

    @property
    def sd(self) -> float:
        return math.hypot(self.first.sd, self.second.sd)


@dataclass(frozen=True)
class Mirrored:
    """A law that is its own mirror image around 0, exactly: data that say so leave no room for rounding."""

    half: Law

    @property
    def name(self) -> str:
        return self.half.name

    @property
    def n_boot(self) -> int | None:
        return self.half.n_boot

    @property
    def sd(self) -> float:
        return self.half.sd

    @property
    def mean(self) -> float:
        return 0.0

    def low(self, q: float) -> float:
        return self.half.low(q)

    def high(self, q: float) -> float:
        return 0.0 - self.half.low(q)

    def below(self, point: float) -> float:
        return 0.5 if point == 0 else self.half.below(point)
