"""Many runs on the same items: intervals of all pairs at once, rank ranges, and tests of any difference."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from atlas import called
from atlas.draws import generator
from atlas.figure import Array, Figure, Row
from evalstats.methods.many import AllPairs, all_pairs, cochran_q, friedman
from evalstats.methods.many_intervals import SIMULTANEOUS
from evalstats.methods.many_tests import METHODS

SHARED = 2.0  # how far items differ in difficulty: the variance of what all runs share, on the logit scale
SPREADS = {"equal": 0.0, "spread": 1.5}
BATCH = 20_000
LEVEL = 0.95
PART = 16  # a sixteenth of the draws: 250 of 4,000
AGAIN = 800  # draws of the reduced measurement


class ManyCell(NamedTuple):
    """runs of one ability, or evenly over a range of logits; scores right or wrong, or graded in 0–1."""

    scores: str
    runs: int
    n: int
    spread: str


def fewer(draws: int) -> int:
    """How many data sets a cell has."""
    return max(draws // PART, 20)


def rates(cell: ManyCell, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """(…, runs, n) chance of a right answer: ability less difficulty, through a logistic curve."""
    ability = 1.0 + SPREADS[cell.spread] * np.linspace(-0.5, 0.5, cell.runs)[:, None]
    difficulty = np.sqrt(SHARED) * rng.standard_normal((*shape, 1, cell.n))
    return np.asarray(1 / (1 + np.exp(difficulty - ability)))


@lru_cache(maxsize=64)
def means_of(cell: ManyCell) -> Array:
    """(runs,) true means, over very many items."""
    wide = cell._replace(n=BATCH)
    rng = np.random.default_rng(11)
    return np.asarray(np.mean([rates(wide, rng, ()).mean(axis=1) for _ in range(50)], axis=0))


@lru_cache(maxsize=2)
def draw(cell: ManyCell, draws: int) -> Array:
    """(draws, runs, n) scores."""
    rng = generator(cell, draws)
    p = rates(cell, rng, (draws,))
    if cell.scores == "graded":
        return np.asarray(rng.beta(4 * p, 4 * (1 - p)))
    return np.asarray(rng.random(p.shape) < p, dtype=np.float64)


@lru_cache(maxsize=64)  # the rows of intervals and of ranks have the same cells
def pairs_of(cell: ManyCell, method: str | None, level: float, draws: int) -> list[AllPairs]:
    """What the library finds in each data set. method : None for the default, which draws where it may."""
    return [
        all_pairs(runs, bounds=(0, 1), level=level, method=method, n_boot=called.RESAMPLES)
        for runs in draw(cell, draws)
    ]


def measure(cell: ManyCell, method: str, level: float, draws: int) -> Figure | None:
    """How often every pair's interval holds its difference, all in one data set."""
    if {"tango": "graded", "paired_t": "pass_fail"}.get(method) == cell.scores or level != LEVEL:
        return None
    drawn = fewer(draws)
    found = pairs_of(cell, None if method == "max_t" else method, level, drawn)
    first, second = np.triu_indices(cell.runs, 1)
    truth = means_of(cell)[second] - means_of(cell)[first]
    low, high = (np.array([getattr(one.simultaneous, end) for one in found]) for end in ("low", "high"))
    missed = (low > truth + 1e-9) | (high < truth - 1e-9)
    error, width = float(np.mean(missed.any(axis=1))), float(np.nanmean(high - low))
    return Figure(1 - error, error / 2, error / 2, 0.0, width, drawn)


def true_ranks(cell: ManyCell) -> tuple[Array, Array]:
    """The best and the worst rank of each run: equal runs may have any."""
    if cell.spread == "equal":
        return np.ones(cell.runs), np.full(cell.runs, float(cell.runs))
    order = np.arange(cell.runs, 0, -1, dtype=np.float64)
    return order, order


def measure_ranks(cell: ManyCell, method: str, level: float, draws: int) -> Figure | None:
    """How often a run's range of ranks holds all that are true, on average over runs."""
    if level != LEVEL:
        return None
    drawn = fewer(draws)
    found = pairs_of(cell, None, level, drawn)
    best, worst = true_ranks(cell)
    low, high = (np.array([getattr(one, end) for one in found]) for end in ("rank_low", "rank_high"))
    lowest, highest = np.minimum(low, high), np.maximum(low, high)
    held = (lowest <= best) & (highest >= worst)
    error = 1 - float(np.mean(held))
    return Figure(1 - error, error / 2, error / 2, 0.0, float(np.mean(highest - lowest)), drawn)


def measure_test(cell: ManyCell, method: str, level: float, draws: int) -> Figure | None:
    if method == "cochran_q" and cell.scores == "graded":
        return None
    test = {"cochran_q": cochran_q, "friedman": friedman}[method]
    drawn = fewer(draws)
    lit = np.mean([test(runs).pvalue <= 1 - level + 1e-12 for runs in draw(cell, drawn)])
    return Figure(1 - float(lit), float(lit) / 2, float(lit) / 2, 0.0, np.nan, drawn)


def _discordant(cell: ManyCell) -> float:
    """Items on which two neighbouring runs differ, on average."""
    drawn = draw(cell, 50)
    return float(np.mean(np.sum(drawn[:, 1:] != drawn[:, :-1], axis=2)))


_CELLS = tuple(
    ManyCell(scores, runs, n, spread)
    for scores in ("pass_fail", "graded")
    for runs in (3, 6, 10)
    for n in (50, 200)
    for spread in SPREADS
)
_NOTE = (
    "The library is called on each of 250 data sets a cell, with 1,000 resamples. Items differ in difficulty,"
    " which all runs share. Intervals at 95 % only."
)
ROW = Row(
    key="many_pairs",
    title="All pairs of many runs, at once",
    table=SIMULTANEOUS,
    methods=("max_t", "tango", "paired_t"),
    cells=_CELLS,
    measure=measure,
    informative=_discordant,
    caveat="few_discordant",
    how="simulated",
    note=_NOTE + " Measured is how often all intervals of a data set hold together.",
    again=AGAIN,
)
RANK_ROW = Row(
    key="rank_range",
    title="Rank ranges of many runs",
    table=SIMULTANEOUS,
    methods=("max_t",),
    cells=_CELLS,
    measure=measure_ranks,
    informative=_discordant,
    caveat="few_discordant",
    how="simulated",
    note=(
        _NOTE + " Measured is how often a run's range holds every rank that is true of it: equal runs may "
        "have any. The level is each run's own; the ranges are those of the default."
    ),
    in_column=False,
    again=AGAIN,
)
TEST_ROW = Row(
    key="many_test",
    title="Tests of many runs on the same items",
    table=METHODS,
    methods=("cochran_q", "friedman"),
    cells=tuple(cell for cell in _CELLS if cell.spread == "equal"),
    measure=measure_test,
    informative=_discordant,
    caveat="few_discordant",
    kind="test",
    how="simulated",
    note=_NOTE,
)
