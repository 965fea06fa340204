"""What is measured by calling the library's own function on every data set."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from atlas.figure import Array, Figure, Limits, figure
from evalstats.results import Estimate

PART = 8  # an eighth of the draws: 500 of 4,000
RESAMPLES = 1000
NOTE = (
    "The library's function is called on each data set: 500 of them a cell; a bootstrap has 1,000 resamples."
)


def fewer(draws: int) -> int:
    """How many data sets a cell has."""
    return max(draws // PART, 20)


def resamples(method: str) -> int | None:
    """n_boot of a method."""
    return RESAMPLES if "bootstrap" in method or method == "bca" else None


def of_estimates(
    found: Iterable[Estimate], truth: float | Array, scale: tuple[float, float] = (-np.inf, np.inf)
) -> Figure:
    """How often the intervals that were printed hold the truth; nan limits are none."""
    low, high, point = np.array([(one.ci_low, one.ci_high, one.point) for one in found], dtype=float).T
    return figure(Limits(low, high, point, scale), truth)


def at(level: float, method: str, levels: tuple[float, ...] = (0.95,)) -> bool:
    """Whether a method is measured at a level: resampling at 95 % only."""
    return level in levels if resamples(method) else True
