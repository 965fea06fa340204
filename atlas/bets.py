"""The proved interval by betting, for many data sets at once: does it hold the truth?

The interval is {μ : E(μ) < 1/α}, so that a truth is inside where the wealth against it stays under 1/α; its
limits are sought for a few data sets only, for the width.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from atlas.array_forms import ManyClusters
from atlas.figure import Array, Figure
from evalstats.methods.betting import STAKES, betting_interval, bounded_units

Scale = tuple[float, float]
WIDTHS = 20  # data sets whose limits are sought


def log_wealth(above: Array, below: Array, mu: Array | float) -> Array:
    """(draws,) log E(μ), μ on the scale from 0 to 1. above, below : (draws, units), as in `Stakeable`."""
    weight = above + below
    up, down = above / np.asarray(mu)[..., None] - weight, below / (1 - np.asarray(mu))[..., None] - weight
    logs = np.stack([np.log1p(f * won).sum(axis=1) for won in (up, down) for f in STAKES[:, 0]])
    most = logs.max(axis=0)
    return np.asarray(most + np.log(np.mean(np.exp(logs - most), axis=0)))


def measured(x: ManyClusters, scale: Scale, truth: float, level: float) -> Figure:
    """Of clusters, the largest of each data set declared, or of single items."""
    outside = _against(x, scale, truth) >= -math.log1p(-level)
    too_high, too_low = (float(np.mean(outside & (side * (x.point - truth) > 0))) for side in (1, -1))
    return Figure(1 - too_high - too_low, too_high, too_low, 0.0, _width(x, scale, level), len(outside))


@lru_cache(maxsize=2)
def _against(x: ManyClusters, scale: Scale, truth: float) -> Array:
    """(draws,) log E of the truth, for all levels."""
    low, high = scale
    width = (high - low) * x.sizes.max(axis=1, keepdims=True)
    above = np.maximum(x.sums - low * x.sizes, 0.0) / width
    below = np.maximum(high * x.sizes - x.sums, 0.0) / width
    return log_wealth(above, below, (truth - low) / (high - low))


def _width(x: ManyClusters, scale: Scale, level: float) -> float:
    widths = []
    for sums, sizes in zip(x.sums[:WIDTHS], x.sizes[:WIDTHS], strict=True):
        found = betting_interval(bounded_units(sums, sizes, scale, float(sizes.max())), scale, level)
        widths.append(found.high - found.low)
    return float(np.mean(widths))
