"""Means of scores and their differences, and completions: seeded simulation."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from atlas import array_forms, bets, slow
from atlas.array_forms import ManyClusters
from atlas.draws import BOUNDED, UNBOUNDED, generator, score_mean, scores
from atlas.figure import Array, Figure, Limits, Row, figure
from evalstats.methods import mean_intervals, paired_intervals, unpaired_means

SIZES = (5, 10, 20, 30, 50, 100, 200, 500)
COMPLETIONS = (2, 5, 10)
REDRAWN = 0.4  # of the candidate's items have a score of their own, the others the baseline's
FEW_SIZES = (10, 20, 50)  # where a bootstrap is measured
_UNIT, _ANY, _DIFFERENCE = (0.0, 1.0), (-np.inf, np.inf), (-1.0, 1.0)


class ScoreCell(NamedTuple):
    law: str
    n: int


class CompletionCell(NamedTuple):
    """Each item has a pass rate of its own, Beta with mean p and this ICC; m completions of each."""

    n: int
    m: int
    icc: float
    p: float


class DifferenceCell(NamedTuple):
    """The candidate's scores are the baseline's but for a share, redrawn from the law `other`."""

    law: str
    other: str
    n: int


class TwoRunsCell(NamedTuple):
    law: str
    other: str
    n1: int
    n2: int


def items(y: Array) -> ManyClusters:
    """Every item a cluster of one."""
    return ManyClusters(y, np.ones_like(y))


@lru_cache(maxsize=2)
def draw_scores(cell: ScoreCell, draws: int) -> ManyClusters:
    return items(scores(cell.law, generator(cell, draws), (draws, cell.n)))


def measure_bounded(cell: ScoreCell, method: str, level: float, draws: int) -> Figure | None:
    truth = score_mean(cell.law)
    if method == "betting_mixture":
        return bets.measured(draw_scores(cell, draws), _UNIT, truth, level)
    if method not in array_forms.OF_ITEMS:
        few = cell.n in FEW_SIZES
        return slow.of_bootstrap(method, level, few, lambda n: (draw_scores(cell, n),), draws, _UNIT, truth)
    x = draw_scores(cell, draws)
    return figure(Limits(*array_forms.OF_ITEMS[method](x, level), x.point, _UNIT).held(), truth)


def measure_unbounded(cell: ScoreCell, method: str, level: float, draws: int) -> Figure | None:
    truth = score_mean(cell.law)
    if method not in array_forms.OF_ITEMS:
        few = cell.n in FEW_SIZES
        return slow.of_bootstrap(method, level, few, lambda n: (draw_scores(cell, n),), draws, _ANY, truth)
    x = draw_scores(cell, draws)
    return figure(Limits(*array_forms.OF_ITEMS[method](x, level), x.point, _ANY), truth)


@lru_cache(maxsize=2)
def draw_completions(cell: CompletionCell, draws: int) -> ManyClusters:
    rng = generator(cell, draws)
    spread = (1 - cell.icc) / cell.icc
    rates = rng.beta(cell.p * spread, (1 - cell.p) * spread, size=(draws, cell.n))
    return items(rng.binomial(cell.m, rates) / cell.m)


def measure_completions(cell: CompletionCell, method: str, level: float, draws: int) -> Figure | None:
    if method == "betting_mixture":
        return bets.measured(draw_completions(cell, draws), _UNIT, cell.p, level)
    if "bootstrap" in method:
        few = cell.n in FEW_SIZES and cell.m == 5 and cell.icc in (0.1, 0.6) and cell.p in (0.5, 0.95)
        return slow.of_bootstrap(
            method, level, few, lambda n: (draw_completions(cell, n),), draws, _UNIT, cell.p
        )
    x = draw_completions(cell, draws)
    if method == "wilson_effective":
        limits = array_forms.wilson_effective(x, level, most=cell.n * cell.m)
    else:
        limits = array_forms.OF_ITEMS[method](x, level)
    return figure(Limits(*limits, x.point, _UNIT).held(), cell.p)


@lru_cache(maxsize=2)
def draw_differences(cell: DifferenceCell, draws: int) -> ManyClusters:
    rng, shape = generator(cell, draws), (draws, cell.n)
    baseline, other = scores(cell.law, rng, shape), scores(cell.other, rng, shape)
    return items(np.where(rng.random(shape) < REDRAWN, other - baseline, 0.0))


def measure_differences(cell: DifferenceCell, method: str, level: float, draws: int) -> Figure | None:
    truth = REDRAWN * (score_mean(cell.other) - score_mean(cell.law))
    scale = _DIFFERENCE if cell.law in BOUNDED else _ANY
    if method == "betting_mixture":
        return bets.measured(draw_differences(cell, draws), scale, truth, level)
    if "bootstrap" in method:
        few = cell.n in FEW_SIZES
        return slow.of_bootstrap(
            method, level, few, lambda n: (draw_differences(cell, n),), draws, scale, truth
        )
    x = draw_differences(cell, draws)
    form = {"paired_t": array_forms.cr2_t, "t_pseudo": array_forms.cr2_t_pseudo}[method]
    return figure(Limits(*form(x, level), x.point, scale).held(), truth)


@lru_cache(maxsize=2)
def draw_two_runs(cell: TwoRunsCell, draws: int) -> tuple[ManyClusters, ManyClusters]:
    rng = generator(cell, draws)
    first, second = scores(cell.law, rng, (draws, cell.n1)), scores(cell.other, rng, (draws, cell.n2))
    return items(first), items(second)


def measure_two_runs(cell: TwoRunsCell, method: str, level: float, draws: int) -> Figure | None:
    truth = score_mean(cell.other) - score_mean(cell.law)
    scale = _DIFFERENCE if cell.law in BOUNDED else _ANY
    if method != "welch":
        few = (cell.n1, cell.n2) in FEW_TWO_SIZES
        return slow.of_bootstrap(method, level, few, lambda n: draw_two_runs(cell, n), draws, scale, truth)
    x, y = draw_two_runs(cell, draws)
    return figure(Limits(*array_forms.welch(x, y, level), y.point - x.point, scale).held(), truth)


def _off_mode(x: ManyClusters) -> float:
    return float(np.mean(x.informative))


_PAIRS_OF_LAWS = (
    *((law, law) for law in BOUNDED),
    ("ceiling_90", "uniform"),
    ("five_points", "skew"),
    ("floor", "ceiling_98"),
)
_TWO_SIZES = ((10, 10), (20, 20), (20, 100), (50, 50), (100, 100), (200, 200))
FEW_TWO_SIZES = ((10, 10), (20, 20), (50, 50))
_OF_ITEMS, _OF_PAIRS, _OF_TWO = (
    tuple(f"{prefix}_{kind}" for kind in slow.KINDS)
    for prefix in ("bootstrap", "paired_bootstrap", "unpaired_bootstrap")
)

BOUNDED_ROW = Row(
    key="bounded",
    title="A mean of bounded scores",
    table=mean_intervals.BOUNDED,
    methods=("wilson_effective", "betting_mixture", "t", "logit_t_shrunk", *_OF_ITEMS),
    cells=tuple(ScoreCell(law, n) for law in BOUNDED for n in SIZES),
    measure=measure_bounded,
    informative=lambda cell: _off_mode(draw_scores(cell, 500)),
    caveat="few_off_mode",
    how="simulated",
    note=slow.NOTE,
)
COMPLETION_ROW = Row(
    key="completions",
    title="A pass rate with several completions per item",
    table=mean_intervals.COMPLETIONS,
    methods=("wilson_effective", "betting_mixture", "cr2_t", "t", "logit_t_shrunk", *_OF_ITEMS),
    cells=tuple(
        CompletionCell(n, m, icc, p)
        for n in SIZES
        for m in COMPLETIONS
        for icc in (0.1, 0.3, 0.6, 0.9)
        for p in (0.5, 0.7, 0.9, 0.95, 0.98)
    ),
    measure=measure_completions,
    informative=lambda cell: _off_mode(draw_completions(cell, 500)),
    caveat="few_off_mode",
    how="simulated",
    note=slow.NOTE,
)
UNBOUNDED_ROW = Row(
    key="unbounded",
    title="A mean of unbounded scores",
    table=mean_intervals.UNBOUNDED,
    methods=("t", "cr2_t", *_OF_ITEMS),
    cells=tuple(ScoreCell(law, n) for law in UNBOUNDED for n in SIZES),
    measure=measure_unbounded,
    informative=lambda cell: float(cell.n),
    caveat="skewed",
    how="simulated",
    note=slow.NOTE,
)
DIFFERENCE_ROW = Row(
    key="pair_score",
    title="A paired difference of scores",
    table=paired_intervals.PAIRED_SCORES,
    methods=("paired_t", "t_pseudo", "betting_mixture", *_OF_PAIRS),
    cells=tuple(DifferenceCell(law, other, n) for law, other in _PAIRS_OF_LAWS for n in SIZES),
    measure=measure_differences,
    informative=lambda cell: _off_mode(draw_differences(cell, 500)),
    caveat="few_nonzero_differences",
    how="simulated",
    note=slow.NOTE,
)
TWO_RUNS_ROW = Row(
    key="unpaired_score",
    title="Two means on different items",
    table=unpaired_means.UNPAIRED_MEANS,
    methods=("welch", *_OF_TWO),
    cells=tuple(TwoRunsCell(law, other, *sizes) for law, other in _PAIRS_OF_LAWS for sizes in _TWO_SIZES),
    measure=measure_two_runs,
    informative=lambda cell: min(_off_mode(x) for x in draw_two_runs(cell, 500)),
    caveat="skewed",
    how="simulated",
    note=slow.NOTE,
)
TWO_UNBOUNDED_ROW = Row(
    key="unpaired_unbounded",
    title="Two unbounded means on different items",
    table=unpaired_means.UNPAIRED_UNBOUNDED,
    methods=("welch", *_OF_TWO),
    cells=tuple(TwoRunsCell(law, law, *sizes) for law in UNBOUNDED for sizes in _TWO_SIZES),
    measure=measure_two_runs,
    informative=lambda cell: float(min(cell.n1, cell.n2)),
    caveat="skewed",
    how="simulated",
    note=slow.NOTE,
)
DIFFERENCE_UNBOUNDED_ROW = Row(
    key="pair_unbounded",
    title="A paired difference of unbounded scores",
    table=paired_intervals.PAIRED_UNBOUNDED,
    methods=("paired_t", *_OF_PAIRS),
    cells=tuple(DifferenceCell(law, law, n) for law in UNBOUNDED for n in SIZES),
    measure=measure_differences,
    informative=lambda cell: _off_mode(draw_differences(cell, 500)),
    caveat="few_nonzero_differences",
    how="simulated",
    note=slow.NOTE,
)
