"""Resamples of data that only a function of the caller can summarise: by records, or by rows and weights.

Blocks of 1,024 resamples have a generator each, so that any number of processes gives the same digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from evalstats.errors import MethodError
from evalstats.kernel.reweighted import WANTED, Reweighted
from evalstats.methods.processes import in_processes
from evalstats.numeric import block_generators
from evalstats.results import display

Array = NDArray[np.float64]
Advance = Callable[[int], None]
Jackknife = list[tuple[Array, NDArray[np.int64]]]


class Resampler(Protocol):
    """What a block of resamples takes; it can be sent to another process."""

    def point(self) -> float:
        """Of the data themselves. Raises MethodError where there is none."""
        ...

    def block(self, generator: np.random.Generator, size: int, advance: Advance) -> Array:
        """(size,) values; nan where a resample has none. advance : told how many are done."""
        ...

    def without_one(self) -> Jackknife:
        """The values less one unit each, and how many units each stands for, a stratum at a time."""
        ...


@dataclass(frozen=True)
class ByRecords:
    """units : positions of each unit's records, by stratum. stat_fn gets data of the kind given."""

    data: Any
    stat_fn: Callable[[Any], float]
    strata: list[list[NDArray[np.intp]]]

    def point(self) -> float:
        try:
            found = self.stat_fn(self.data)
        except Exception as problem:
            raise _failed(problem, "It gets the data as given and returns one number.") from problem
        try:
            point = float(found)
        except (TypeError, ValueError):
            raise MethodError(
                f"stat_fn gave {found!r} on the data: it must return one finite number."
            ) from None
        return _finite(point)

    def block(self, generator: np.random.Generator, size: int, advance: Advance) -> Array:
        values = np.empty(size)
        for i in range(size):
            values[i] = self._value(self._drawn(generator))
            advance(1)
        return values

    def without_one(self) -> Jackknife:
        jackknife = []
        for i, units in enumerate(self.strata):
            others = [unit for j, part in enumerate(self.strata) if j != i for unit in part]
            values = [
                self._value(np.concatenate([*others, *units[:at], *units[at + 1 :]]))
                for at in range(len(units))
            ]
            jackknife.append((np.array(values), np.ones(len(units), dtype=np.int64)))
        return jackknife

    def _drawn(self, generator: np.random.Generator) -> NDArray[np.intp]:
        parts = []
        for units in self.strata:
            index = generator.integers(0, len(units), size=len(units))
            parts += [units[i] for i in index]
        return np.concatenate(parts)

    def _value(self, at: NDArray[np.intp]) -> float:
        try:
            value = float(self.stat_fn(_taken(self.data, at)))
        except (ArithmeticError, ValueError):
            return math.nan
        return value if math.isfinite(value) else math.nan


def _taken(data: Any, at: NDArray[np.intp]) -> Any:
    """The records at these positions, as data of the same kind."""
    if isinstance(data, np.ndarray):
        return data[at]
    if hasattr(data, "iloc"):
        return data.iloc[at]
    if isinstance(data, list | tuple):
        return [data[i] for i in at]
    return data[at]


@dataclass(frozen=True)
class ByWeights:
    """The rows of the data, once, and a function of rows (r, c) and weights (B, r) that gives (B,) values."""

    rows: Reweighted
    stat_fn: Callable[[Any, Any], Any]

    def point(self) -> float:
        try:
            return _finite(float(self.rows.value(self.stat_fn)[0]))
        except MethodError:
            raise
        except Exception as problem:
            raise _failed(problem, WANTED) from problem

    def block(self, generator: np.random.Generator, size: int, advance: Advance) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):  # of resamples without a value
            values = self.rows.resampled(self.stat_fn, generator, size)
        advance(size)
        return np.where(np.isfinite(values), values, np.nan)

    def without_one(self) -> Jackknife:
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.rows.without_one(self.stat_fn)


def _failed(problem: Exception, wanted: str) -> MethodError:
    return MethodError(f"stat_fn failed on the data itself: {type(problem).__name__}: {problem}. {wanted}")


def _finite(point: float) -> float:
    if not math.isfinite(point):
        raise MethodError(f"stat_fn gave {point} on the data itself: it must return one finite number.")
    return point


def resampled(resampler: Resampler, n_boot: int, seed: int, workers: int = 1) -> Array:
    """(n_boot,) values in ascending order, those of resamples without one (nan) last.

    A bar shows how far it is where that takes long, and somebody sits at a terminal.
    """
    values, at, blocks = np.empty(n_boot), 0, block_generators(seed, n_boot)
    with display("progress:bar", n_boot) as bar:
        alone = (resampler.block(*block, bar.advance) for block in blocks)
        for part in alone if workers == 1 else in_processes(resampler, blocks, workers, bar.advance):
            values[at : at + len(part)] = part
            at += len(part)
    values.sort()
    return values
