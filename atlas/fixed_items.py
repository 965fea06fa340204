"""The decoding noise of fixed items, of one run and of two: seeded simulation.

The items of a data set are drawn once and then stand: the truth is the mean of their own pass rates.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from atlas.array_forms import Pair, t_of
from atlas.draws import cluster_rates, generator
from atlas.figure import Array, Figure, Limits, Row, figure
from atlas.scores import COMPLETIONS, SIZES, CompletionCell
from evalstats.methods.mean_intervals import FIXED_ITEMS
from evalstats.methods.paired_intervals import PAIRED_FIXED_ITEMS
from evalstats.methods.unpaired_means import UNPAIRED_FIXED_ITEMS

REDRAWN = 0.3  # of the items have a pass rate of their own in the candidate, the others the baseline's
ICCS = (0.1, 0.3, 0.6, 0.9)
_UNIT, _DIFFERENCE = (0.0, 1.0), (-1.0, 1.0)


class FixedPairCell(NamedTuple):
    """p, other : mean pass rates of the baseline and of the items redrawn; m completions of each item."""

    n: int
    m: int
    icc: float
    p: float
    other: float


def interval(runs: tuple[Array, ...], m: int, level: float) -> tuple[Pair, Array]:
    """D ± t_ν√v and D, of one run's passes or of two (second − first). runs : (draws, n) each."""
    n = runs[0].shape[1]
    signs = (1.0,) if len(runs) == 1 else (-1.0, 1.0)
    points = [sign * passes.mean(axis=1) / m for sign, passes in zip(signs, runs, strict=True)]
    terms = [passes * (m - passes) / m / (m - 1) / m / n**2 for passes in runs]  # s_i²/m_i/n²
    v = sum(one.sum(axis=1) for one in terms)
    lower = sum((one**2).sum(axis=1) for one in terms) / (m - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        half = np.where(v > 0, t_of(level, np.where(v > 0, v**2 / lower, 1.0)) * np.sqrt(v), np.nan)
    point = np.asarray(sum(points))
    return (point - half, point + half), point


@lru_cache(maxsize=2)
def draw(cell: CompletionCell, draws: int) -> tuple[Array, Array]:
    """Passes of every item, and its rate."""
    rng = generator(("fixed", *cell), draws)
    rates = cluster_rates("beta", cell.p, cell.icc, rng, (draws, cell.n))
    return rng.binomial(cell.m, rates).astype(np.float64), rates


def measure(cell: CompletionCell, method: str, level: float, draws: int) -> Figure:
    passes, rates = draw(cell, draws)
    limits, point = interval((passes,), cell.m, level)
    return figure(Limits(*limits, point, _UNIT).held(), rates.mean(axis=1))


@lru_cache(maxsize=2)
def draw_pairs(cell: FixedPairCell, draws: int) -> tuple[Array, Array, Array]:
    """Passes of the baseline and of the candidate, and the true difference of each data set."""
    rng, shape = generator(cell, draws), (draws, cell.n)
    first = cluster_rates("beta", cell.p, cell.icc, rng, shape)
    redrawn = cluster_rates("beta", cell.other, cell.icc, rng, shape)
    second = np.where(rng.random(shape) < REDRAWN, redrawn, first)
    old, new = (rng.binomial(cell.m, rates).astype(np.float64) for rates in (first, second))
    return old, new, (second - first).mean(axis=1)


def measure_pairs(cell: FixedPairCell, method: str, level: float, draws: int) -> Figure:
    old, new, truth = draw_pairs(cell, draws)
    limits, point = interval((old, new), cell.m, level)
    return figure(Limits(*limits, point, _DIFFERENCE).held(), truth)


@lru_cache(maxsize=2)
def draw_two(cell: FixedPairCell, draws: int) -> tuple[Array, Array, Array]:
    """The same of two runs on items of their own."""
    rng, shape = generator(("unpaired", *cell), draws), (draws, cell.n)
    rates = [cluster_rates("beta", p, cell.icc, rng, shape) for p in (cell.p, cell.other)]
    old, new = (rng.binomial(cell.m, one).astype(np.float64) for one in rates)
    return old, new, rates[1].mean(axis=1) - rates[0].mean(axis=1)


def measure_two(cell: FixedPairCell, method: str, level: float, draws: int) -> Figure:
    old, new, truth = draw_two(cell, draws)
    limits, point = interval((old, new), cell.m, level)
    return figure(Limits(*limits, point, _DIFFERENCE).held(), truth)


def _noisy(passes: Array, m: int) -> float:
    """Items whose completions disagree, on average."""
    return float(np.mean(np.count_nonzero((passes > 0) & (passes < m), axis=1)))


_PAIR_CELLS = tuple(
    FixedPairCell(n, m, icc, p, other)
    for n in SIZES
    for m in COMPLETIONS
    for icc in (0.1, 0.6)
    for p, other in ((0.5, 0.5), (0.7, 0.8), (0.95, 0.95), (0.9, 0.98))
)
_NOTE = "Informative units are items whose completions disagree."

ROW = Row(
    key="fixed_items",
    title="The decoding noise of one run",
    table=FIXED_ITEMS,
    methods=("fixed_items_t",),
    cells=tuple(
        CompletionCell(n, m, icc, p)
        for n in SIZES
        for m in COMPLETIONS
        for icc in ICCS
        for p in (0.5, 0.7, 0.9, 0.95, 0.98)
    ),
    measure=measure,
    informative=lambda cell: _noisy(draw(cell, 500)[0], cell.m),
    caveat="few_noisy_items",
    how="simulated",
    note=_NOTE,
)
PAIR_ROW = Row(
    key="pair_fixed_items",
    title="The decoding noise of two runs on the same items",
    table=PAIRED_FIXED_ITEMS,
    methods=("fixed_items_t",),
    cells=_PAIR_CELLS,
    measure=measure_pairs,
    informative=lambda cell: sum(_noisy(run, cell.m) for run in draw_pairs(cell, 500)[:2]),
    caveat="few_noisy_items",
    how="simulated",
    note=_NOTE,
)
TWO_ROW = Row(
    key="unpaired_fixed_items",
    title="The decoding noise of two runs on different items",
    table=UNPAIRED_FIXED_ITEMS,
    methods=("fixed_items_t",),
    cells=_PAIR_CELLS,
    measure=measure_two,
    informative=lambda cell: sum(_noisy(run, cell.m) for run in draw_two(cell, 500)[:2]),
    caveat="few_noisy_items",
    how="simulated",
    note=_NOTE,
)
