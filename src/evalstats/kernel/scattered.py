"""A law of many values in no order, of which only those around a quantile are ever sorted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evalstats.kernel.exact import GUARD, Atoms, merged
from evalstats.numeric import normal_quantile

Array = NDArray[np.float64]
_WIDTHS = (0.3, 1.2, 5.0, math.inf)  # standard deviations around a normal guess
_FAR = 8.0


@dataclass(frozen=True)
class Scattered:
    """values : (d,), in any order, equal ones too. masses : (d,), above 0, that add up to 1, rounded."""

    values: Array
    masses: Array
    name: str
    n_boot: int | None = None

    @cached_property
    def mean(self) -> float:
        return float(np.sum(self.masses * self.values))

    @cached_property
    def sd(self) -> float:
        return math.sqrt(float(np.sum(self.masses * (self.values - self.mean) ** 2)))

    def low(self, q: float) -> float:
        return self._reaching(q, 1.0)

    def high(self, q: float) -> float:
        return -self._reaching(q, -1.0)

    def below(self, point: float) -> float:
        near = GUARD * float(np.abs(self.values).max())
        return (self._up_to(point + near) + self._up_to(point - near)) / 2

    def _up_to(self, v: float) -> float:
        return float(np.sum(self.masses * (self.values <= v)))

    def _reaching(self, q: float, sign: float) -> float:
        """min{v: P(sign·V ≤ v) ≥ q}."""
        values, wanted = self.values if sign > 0 else -self.values, q * (1 - GUARD)
        z = min(max(normal_quantile(q), -_FAR), _FAR)
        guess, spread = sign * self.mean + z * self.sd, self.sd or 1.0
        for width in _WIDTHS:
            missed, near, reached = self._around(values, guess, width * spread)
            if len(near) and missed < wanted <= reached[-1]:
                break
        at = int(np.searchsorted(reached, wanted))
        return float(values[near[min(at, len(near) - 1)]])

    def _around(self, values: Array, guess: float, width: float) -> tuple[float, NDArray[np.intp], Array]:
        """The mass below guess − width, the indices up to guess + width in order, and F at them."""
        below = values < guess - width
        missed = float(self.masses[below].sum())
        near = np.flatnonzero(~below & (values <= guess + width))
        near = near[np.argsort(values[near], kind="stable")]
        return missed, near, missed + np.cumsum(self.masses[near])

    def atoms(self) -> Atoms:
        """Ascending, equal ones put together."""
        return merged(self.values, self.masses, self.name)
