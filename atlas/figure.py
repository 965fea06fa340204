"""What is measured of one method in one cell, and the row of cells that it belongs to."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalstats.kernel.method import MethodTable

Array = NDArray[np.float64]
SEED = 20261130
LEVELS = (0.9, 0.95, 0.99)
_NEAR = 1e-9  # a limit that is the truth but for rounding holds it


@dataclass(frozen=True)
class Figure:
    """coverage + too_high + too_low + none = 1. draws : simulated data sets, 0 where all were enumerated.

    too_high : the whole interval lies above the truth; too_low : below it; none : there is no interval.
    width : mean over the data sets that have an interval, nan where none has.
    """

    coverage: float
    too_high: float
    too_low: float
    none: float
    width: float
    draws: int

    @property
    def error(self) -> float:
        """The Monte Carlo standard error of `coverage`; an empty or full count is taken as half a miss."""
        if self.draws == 0:
            return 0.0
        p = min(max(self.coverage, 0.5 / self.draws), 1 - 0.5 / self.draws)
        return math.sqrt(p * (1 - p) / self.draws)


@dataclass(frozen=True)
class Limits:
    """The limits of each data set, nan where a method has none, and how probable the data set is.

    point : the estimate of each, which the printed interval always holds. scale : its two ends.
    """

    low: Array
    high: Array
    point: Array
    scale: tuple[float, float]

    def held(self) -> Limits:
        """As a result prints them: on the scale and around the point."""
        low = np.minimum(np.clip(self.low, *self.scale), self.point)
        high = np.maximum(np.clip(self.high, *self.scale), self.point)
        return Limits(low, high, self.point, self.scale)


def figure(limits: Limits, truth: float | Array, weights: Array | None = None) -> Figure:
    """How often the limits hold the truth. weights : probabilities; None for simulated data sets.

    truth : one for all, or one a data set.
    """
    draws = limits.low.size if weights is None else 0
    w = np.full(limits.low.shape, 1 / draws) if weights is None else weights / weights.sum()
    known = np.isfinite(limits.low) & np.isfinite(limits.high)
    too_high = float(np.sum(w[known & (limits.low > truth + _NEAR)]))
    too_low = float(np.sum(w[known & (limits.high < truth - _NEAR)]))
    some = float(np.sum(w[known]))
    width = float(np.sum((w * (limits.high - limits.low))[known])) / some if some > 0 else math.nan
    return Figure(max(some - too_high - too_low, 0.0), too_high, too_low, max(1 - some, 0.0), width, draws)


Measure = Callable[[Any, str, float, int], Figure | None]


@dataclass(frozen=True)
class Row:
    """A situation of the method table and the cells in which its methods are measured.

    key : its name in files. table : the methods; `methods` : the names measured, the default first.
    measure : (cell, method, level, draws) -> Figure, or None where this method is not measured in the cell.
    informative : (cell) -> units expected to carry information. caveat : its code.
    kind : "interval", or "test", of which 1 − size is measured. note : what else its page says of the grid.
    in_column : whether the method table's column takes its figures (not those of a derived quantity).
    again : draws of the reduced measurement.
    """

    key: str
    title: str
    table: MethodTable
    methods: tuple[str, ...]
    cells: tuple[NamedTuple, ...]
    measure: Measure
    informative: Callable[[Any], float]
    caveat: str
    kind: str = "interval"
    how: str = "enumerated"
    note: str = ""
    in_column: bool = True
    again: int = 2000

    @property
    def default(self) -> str:
        return self.methods[0]
