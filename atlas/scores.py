"""Means of scores and their differences, and completions: seeded simulation."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from atlas import array_forms
from atlas.array_forms import ManyClusters
from atlas.draws import BOUNDED, UNBOUNDED, generator, score_mean, scores
from atlas.figure import Array, Figure, Limits, Row, figure
from evalstats.kernel.limits import NoInterval
from evalstats.methods import mean_intervals, paired_intervals, unpaired_means
from evalstats.methods.items import ItemValues, Request

SIZES = (5, 10, 20, 30, 50, 100, 200, 500)
COMPLETIONS = (2, 5, 10)
REDRAWN = 0.4  # of the candidate's items have a score of their own, the others the baseline's
RESAMPLES = 1000
SLOW = 10  # methods measured one data set at a time get a tenth of the draws, at a few sizes, at one level
FEW_SIZES = (10, 20, 50)
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


def _one_by_one(method: str, y: Array, level: float) -> tuple[float, float]:
    """The library's own limits of one data set, nan where it has none."""
    request = Request(level, n_boot=RESAMPLES if "bootstrap" in method else None)
    try:
        found = mean_intervals.BOUNDED[method].function(ItemValues(y, bounds=_UNIT), request)
    except NoInterval:
        return np.nan, np.nan
    return found.low, found.high


def measure_bounded(cell: ScoreCell, method: str, level: float, draws: int) -> Figure | None:
    truth = score_mean(cell.law)
    if method in array_forms.OF_ITEMS:
        x = draw_scores(cell, draws)
        limits = array_forms.OF_ITEMS[method](x, level)
    elif level != 0.95 or cell.n not in FEW_SIZES:
        return None
    else:
        x = draw_scores(cell, max(draws // SLOW, 20))
        low, high = np.array([_one_by_one(method, y, level) for y in x.sums]).T
        limits = low, high
    return figure(Limits(*limits, x.point, _UNIT).held(), truth)


def measure_unbounded(cell: ScoreCell, method: str, level: float, draws: int) -> Figure:
    x = draw_scores(cell, draws)
    limits = array_forms.OF_ITEMS[method](x, level)
    return figure(Limits(*limits, x.point, _ANY), score_mean(cell.law))


@lru_cache(maxsize=2)
def draw_completions(cell: CompletionCell, draws: int) -> ManyClusters:
    rng = generator(cell, draws)
    spread = (1 - cell.icc) / cell.icc
    rates = rng.beta(cell.p * spread, (1 - cell.p) * spread, size=(draws, cell.n))
    return items(rng.binomial(cell.m, rates) / cell.m)


def measure_completions(cell: CompletionCell, method: str, level: float, draws: int) -> Figure:
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


def measure_differences(cell: DifferenceCell, method: str, level: float, draws: int) -> Figure:
    x = draw_differences(cell, draws)
    form = {"paired_t": array_forms.cr2_t, "t_pseudo": array_forms.cr2_t_pseudo}[method]
    truth = REDRAWN * (score_mean(cell.other) - score_mean(cell.law))
    return figure(Limits(*form(x, level), x.point, _DIFFERENCE).held(), truth)


@lru_cache(maxsize=2)
def draw_two_runs(cell: TwoRunsCell, draws: int) -> tuple[ManyClusters, ManyClusters]:
    rng = generator(cell, draws)
    first, second = scores(cell.law, rng, (draws, cell.n1)), scores(cell.other, rng, (draws, cell.n2))
    return items(first), items(second)


def measure_two_runs(cell: TwoRunsCell, method: str, level: float, draws: int) -> Figure:
    x, y = draw_two_runs(cell, draws)
    scale = _DIFFERENCE if cell.law in BOUNDED else _ANY
    limits = Limits(*array_forms.welch(x, y, level), y.point - x.point, scale).held()
    return figure(limits, score_mean(cell.other) - score_mean(cell.law))


def _off_mode(x: ManyClusters) -> float:
    return float(np.mean(x.informative))


_PAIRS_OF_LAWS = (
    *((law, law) for law in BOUNDED),
    ("ceiling_90", "uniform"),
    ("five_points", "skew"),
    ("floor", "ceiling_98"),
)
_TWO_SIZES = ((10, 10), (20, 20), (20, 100), (50, 50), (100, 100), (200, 200))

BOUNDED_ROW = Row(
    key="bounded",
    title="A mean of bounded scores",
    table=mean_intervals.BOUNDED,
    methods=("wilson_effective", "betting_mixture", "t", "logit_t_shrunk", "bootstrap_percentile"),
    cells=tuple(ScoreCell(law, n) for law in BOUNDED for n in SIZES),
    measure=measure_bounded,
    informative=lambda cell: _off_mode(draw_scores(cell, 500)),
    caveat="few_off_mode",
    how="simulated",
)
COMPLETION_ROW = Row(
    key="completions",
    title="A pass rate with several completions per item",
    table=mean_intervals.COMPLETIONS,
    methods=("wilson_effective", "cr2_t", "logit_t_shrunk"),
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
)
UNBOUNDED_ROW = Row(
    key="unbounded",
    title="A mean of unbounded scores",
    table=mean_intervals.UNBOUNDED,
    methods=("t",),
    cells=tuple(ScoreCell(law, n) for law in UNBOUNDED for n in SIZES),
    measure=measure_unbounded,
    informative=lambda cell: float(cell.n),
    caveat="skewed",
    how="simulated",
)
DIFFERENCE_ROW = Row(
    key="pair_score",
    title="A paired difference of scores",
    table=paired_intervals.PAIRED_SCORES,
    methods=("paired_t", "t_pseudo"),
    cells=tuple(DifferenceCell(law, other, n) for law, other in _PAIRS_OF_LAWS for n in SIZES),
    measure=measure_differences,
    informative=lambda cell: _off_mode(draw_differences(cell, 500)),
    caveat="few_nonzero_differences",
    how="simulated",
)
TWO_RUNS_ROW = Row(
    key="unpaired_score",
    title="Two means on different items",
    table=unpaired_means.UNPAIRED_MEANS,
    methods=("welch",),
    cells=tuple(
        TwoRunsCell(law, other, *sizes)
        for law, other in (*_PAIRS_OF_LAWS, *((law, law) for law in UNBOUNDED))
        for sizes in _TWO_SIZES
    ),
    measure=measure_two_runs,
    informative=lambda cell: min(_off_mode(x) for x in draw_two_runs(cell, 500)),
    caveat="skewed",
    how="simulated",
)
