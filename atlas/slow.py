"""Methods that are measured one data set at a time: at 95 %, with fewer draws, in fewer cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from atlas.array_forms import ManyClusters, Pair
from atlas.figure import Figure, Limits, figure
from evalstats.kernel.limits import Interval, NoInterval
from evalstats.kernel.resampled import bootstrap_interval
from evalstats.kernel.units import Units
from evalstats.methods.items import Request

LEVEL = 0.95
KINDS = ("percentile", "basic", "bca", "studentized")
PART = 8  # an eighth of the draws: 500 of 4,000
RESAMPLES = 1000
NOTE = "The bootstrap is measured on an eighth of the data sets, at 95 %, with 1,000 resamples of each."


def fewer(draws: int) -> int:
    """How many data sets a slow method is given."""
    return max(draws // PART, 20)


def limits_of(find: Callable[[], Interval]) -> tuple[float, float]:
    """nan where the method has no interval."""
    try:
        found = find()
    except NoInterval:
        return np.nan, np.nan
    return found.low, found.high


def each(finds: Iterable[Callable[[], Interval]]) -> Pair:
    """(draws,) lower and upper limits."""
    low, high = np.array([limits_of(find) for find in finds], dtype=np.float64).T
    return low, high


Draw = Callable[[int], tuple[ManyClusters, ...]]


def of_bootstrap(
    method: str, level: float, chosen: bool, draw: Draw, draws: int, scale: tuple[float, float], truth: float
) -> Figure | None:
    """A bootstrap of one sample or two, where it is measured. chosen : the cell is one of the few."""
    if level != LEVEL or not chosen:
        return None
    samples = draw(fewer(draws))
    point = samples[-1].point - (samples[0].point if len(samples) == 2 else 0.0)
    return figure(Limits(*bootstrap(method, samples, level), point, scale).held(), truth)


def kind_of(method: str) -> str:
    """Of a bootstrap: percentile, basic, bca, studentized."""
    return method.rsplit("_", 1)[-1]


def bootstrap(method: str, samples: tuple[ManyClusters, ...], level: float) -> Pair:
    """Limits of the mean of units, or of the difference of two samples' means (second − first)."""
    request = Request(level, n_boot=RESAMPLES)

    def find(*units: Any) -> Interval:
        tallies = tuple(Units.of_sums(sums, sizes).tally() for sums, sizes in units)
        return bootstrap_interval(kind_of(method), request.bootstrap(tallies))

    rows = zip(*(zip(x.sums, x.sizes, strict=True) for x in samples), strict=True)
    return each(partial(find, *units) for units in rows)
