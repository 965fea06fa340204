"""The intraclass correlation of clusters of equal size: seeded simulation."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy import special

from atlas.array_forms import Pair
from atlas.clusters import COUNTS
from atlas.draws import cluster_rates, generator
from atlas.figure import Array, Figure, Limits, Row, figure
from evalstats.methods.clusters import METHODS

_SCALE = (-np.inf, 1.0)
PASS_RATE = 0.8


class CorrelationCell(NamedTuple):
    """k clusters of m items; law : of the scores, normal, or right or wrong at a rate of .8."""

    law: str
    k: int
    m: int
    icc: float


@lru_cache(maxsize=2)
def draw(cell: CorrelationCell, draws: int) -> Array:
    """(draws, k, m) scores."""
    rng, shape = generator(cell, draws), (draws, cell.k)
    if cell.law == "normal":
        between = np.sqrt(cell.icc) * rng.standard_normal(shape)
        within = rng.standard_normal((*shape, cell.m))
        return np.asarray(between[..., None] + np.sqrt(1 - cell.icc) * within)
    rates = cluster_rates("beta", PASS_RATE, cell.icc, rng, shape)
    return np.asarray(rng.random((*shape, cell.m)) < rates[..., None], dtype=np.float64)


def icc1(y: Array, level: float) -> tuple[Pair, Array]:
    """Limits and ICC(1) of each data set, nan where items do not vary inside their clusters."""
    _, k, m = y.shape
    means = y.mean(axis=2)
    msb = m * means.var(axis=1, ddof=1)
    msw = np.sum((y - means[..., None]) ** 2, axis=(1, 2)) / (k * (m - 1))
    msw = np.where(msw > 1e-12, msw, np.nan)
    F, dfs, upper = msb / msw, (k - 1, k * (m - 1)), 1 - (1 - level) / 2
    low = F / special.fdtri(*dfs, upper)
    high = F * special.fdtri(*dfs[::-1], upper)
    low, point, high = ((f - 1) / (f + m - 1) for f in (low, F, high))
    return (low, high), point


def measure(cell: CorrelationCell, method: str, level: float, draws: int) -> Figure:
    limits, point = icc1(draw(cell, draws), level)
    return figure(Limits(*limits, point, _SCALE).held(), cell.icc)


ROW = Row(
    key="icc",
    title="The intraclass correlation of clusters",
    table=METHODS,
    methods=("icc1",),
    cells=tuple(
        CorrelationCell(law, k, m, icc)
        for law in ("normal", "pass_fail")
        for k in COUNTS
        for m in (2, 5, 20)
        for icc in (0.01, 0.1, 0.3, 0.6)
    ),
    measure=measure,
    informative=lambda cell: float(cell.k),
    caveat="normal_assumed",
    how="simulated",
    note="Informative units are clusters; all of one size.",
)
