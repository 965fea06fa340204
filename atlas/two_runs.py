"""Two runs with completions on the same items, and two runs in clusters of their own: seeded simulation."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from atlas import array_forms, bets, slow
from atlas.array_forms import ManyClusters
from atlas.clusters import ICCS, SIZES, expected_informative
from atlas.draws import cluster_rates, cluster_sizes, generator
from atlas.figure import Array, Figure, Limits, Row, figure
from atlas.scores import COMPLETIONS, FEW_SIZES, items
from atlas.scores import SIZES as ITEMS
from evalstats.methods.paired_intervals import PAIRED_COMPLETIONS
from evalstats.methods.unpaired_means import UNPAIRED_CLUSTERED

REDRAWN = 0.3  # of the items have a pass rate of their own in the candidate, the others the baseline's
_DIFFERENCE = (-1.0, 1.0)
_OF_PAIRS, _OF_TWO = (
    tuple(f"{prefix}_{kind}" for kind in slow.KINDS)
    for prefix in ("paired_bootstrap", "cluster_unpaired_bootstrap")
)
_COUNTS = ((10, 10), (20, 20), (20, 50), (50, 50), (100, 100))


class PairCompletionCell(NamedTuple):
    """p, other : mean pass rates of the baseline and of the items redrawn; m completions of each item."""

    n: int
    m: int
    icc: float
    p: float
    other: float

    @property
    def truth(self) -> float:
        return REDRAWN * (self.other - self.p)


class TwoClusteredCell(NamedTuple):
    k1: int
    k2: int
    sizes: str
    icc: float
    p1: float
    p2: float


@lru_cache(maxsize=2)
def draw_completions(cell: PairCompletionCell, draws: int) -> ManyClusters:
    """(draws, n) item differences."""
    rng, shape = generator(cell, draws), (draws, cell.n)
    first = cluster_rates("beta", cell.p, cell.icc, rng, shape)
    redrawn = cluster_rates("beta", cell.other, cell.icc, rng, shape)
    second = np.where(rng.random(shape) < REDRAWN, redrawn, first)
    return items((rng.binomial(cell.m, second) - rng.binomial(cell.m, first)) / cell.m)


def magnitudes(x: ManyClusters) -> Array:
    """(draws,) Σ|d|/n."""
    return np.asarray(np.mean(np.abs(x.sums), axis=1))


def measure_completions(cell: PairCompletionCell, method: str, level: float, draws: int) -> Figure | None:
    if "bootstrap" in method:
        few = cell.n in FEW_SIZES and cell.m == 5
        return slow.of_bootstrap(
            method, level, few, lambda n: (draw_completions(cell, n),), draws, _DIFFERENCE, cell.truth
        )
    x = draw_completions(cell, draws)
    if method == "betting_mixture":
        return bets.measured(x, _DIFFERENCE, cell.truth, level)
    if method == "tango_effective":
        limits = array_forms.tango_effective_of_items(x, magnitudes(x), cell.n * cell.m, level)
    else:
        limits = {"cr2_t": array_forms.cr2_t, "cr2_t_pseudo": array_forms.cr2_t_pseudo}[method](x, level)
    return figure(Limits(*limits, x.point, _DIFFERENCE).held(), cell.truth)


@lru_cache(maxsize=2)
def draw_two(cell: TwoClusteredCell, draws: int) -> tuple[ManyClusters, ManyClusters]:
    rng = generator(cell, draws)
    runs = []
    for k, p in ((cell.k1, cell.p1), (cell.k2, cell.p2)):
        sizes = cluster_sizes(cell.sizes, rng, (draws, k))
        rates = cluster_rates("beta", p, cell.icc, rng, sizes.shape)
        runs.append(ManyClusters(rng.binomial(sizes.astype(np.int64), rates).astype(np.float64), sizes))
    return runs[0], runs[1]


def measure_two(cell: TwoClusteredCell, method: str, level: float, draws: int) -> Figure | None:
    truth = cell.p2 - cell.p1
    if method != "cr2_t":
        few = (cell.k1, cell.k2) in _COUNTS[:4] and cell.sizes == "1-20" and cell.icc in (0.1, 0.6)
        return slow.of_bootstrap(method, level, few, lambda n: draw_two(cell, n), draws, _DIFFERENCE, truth)
    x, y = draw_two(cell, draws)
    return figure(Limits(*array_forms.welch(x, y, level), y.point - x.point, _DIFFERENCE).held(), truth)


def _discordant(cell: PairCompletionCell) -> float:
    return float(np.mean(np.count_nonzero(draw_completions(cell, 500).sums, axis=1)))


COMPLETION_ROW = Row(
    key="pair_completions",
    title="Two pass rates on the same items, with several completions",
    table=PAIRED_COMPLETIONS,
    methods=("tango_effective", "betting_mixture", "cr2_t", "cr2_t_pseudo", *_OF_PAIRS),
    cells=tuple(
        PairCompletionCell(n, m, icc, p, other)
        for n in ITEMS
        for m in COMPLETIONS
        for icc in (0.1, 0.6)
        for p, other in ((0.5, 0.5), (0.7, 0.8), (0.95, 0.95), (0.9, 0.98))
    ),
    measure=measure_completions,
    informative=_discordant,
    caveat="few_discordant",
    how="simulated",
    note=slow.NOTE,
)
CLUSTER_ROW = Row(
    key="unpaired_cluster",
    title="Two pass rates on different items, in clusters",
    table=UNPAIRED_CLUSTERED,
    methods=("cr2_t", *_OF_TWO),
    cells=tuple(
        TwoClusteredCell(*counts, sizes, icc, p1, p2)
        for counts in _COUNTS
        for sizes in SIZES
        for icc in ICCS
        for p1, p2 in ((0.5, 0.5), (0.7, 0.9), (0.95, 0.95))
    ),
    measure=measure_two,
    informative=lambda cell: min(expected_informative(x) for x in draw_two(cell, 500)),
    caveat="few_informative_clusters",
    how="simulated",
    note=slow.NOTE,
)
