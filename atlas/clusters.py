"""Pass rates and scores in clusters, one run and two: seeded simulation."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from atlas import array_forms, bets, slow
from atlas.array_forms import ManyClusters, ManyPairs
from atlas.draws import cluster_rates, cluster_sizes, generator
from atlas.figure import Array, Figure, Limits, Row, figure
from evalstats.methods.mean_intervals import CLUSTERED, CLUSTERED_UNBOUNDED
from evalstats.methods.paired_intervals import PAIRED_CLUSTERED_RATES

COUNTS = (5, 10, 20, 50, 100, 200)
SIZES = ("5", "1-20", "lognormal")
ICCS = (0.01, 0.1, 0.3, 0.6)
RATES = (0.5, 0.7, 0.9, 0.95, 0.98)
LAWS = ("beta", "probit")
_UNIT, _ANY, _DIFFERENCE = (0.0, 1.0), (-np.inf, np.inf), (-1.0, 1.0)
_OF_ONE, _OF_PAIRS = (
    tuple(f"{prefix}_{kind}" for kind in slow.KINDS)
    for prefix in ("cluster_bootstrap", "cluster_paired_bootstrap")
)


class ClusterCell(NamedTuple):
    law: str
    k: int
    sizes: str
    icc: float
    p: float


class ScoreClusterCell(NamedTuple):
    """Scores y = cluster effect + item effect, both of one law, icc of the variance between clusters."""

    law: str
    k: int
    sizes: str
    icc: float


class PairClusterCell(NamedTuple):
    """Each cluster has its own rates of the four outcomes, Dirichlet around (ψ, D) with this ICC."""

    k: int
    sizes: str
    icc: float
    psi: float
    share: float


def expected_informative(x: ManyClusters) -> float:
    """Informative clusters on Kish's scale, on average."""
    return float(np.mean(x.informative * x.kish / x.sums.shape[1]))


@lru_cache(maxsize=2)
def draw_clusters(cell: ClusterCell, draws: int) -> ManyClusters:
    rng = generator(cell, draws)
    sizes = cluster_sizes(cell.sizes, rng, (draws, cell.k))
    rates = cluster_rates(cell.law, cell.p, cell.icc, rng, sizes.shape)
    return ManyClusters(rng.binomial(sizes.astype(np.int64), rates).astype(np.float64), sizes)


def measure(cell: ClusterCell, method: str, level: float, draws: int) -> Figure | None:
    if method == "betting_mixture":
        return bets.measured(draw_clusters(cell, draws), _UNIT, cell.p, level)
    if method not in array_forms.OF_CLUSTERS:
        few = cell.law == "beta" and cell.p in (0.5, 0.95) and few_clusters(*cell[1:4])
        return slow.of_bootstrap(
            method, level, few, lambda n: (draw_clusters(cell, n),), draws, _UNIT, cell.p
        )
    x = draw_clusters(cell, draws)
    return figure(Limits(*array_forms.OF_CLUSTERS[method](x, level), x.point, _UNIT).held(), cell.p)


def few_clusters(k: int, sizes: str, icc: float) -> bool:
    """Where a bootstrap is measured."""
    return k in (5, 20, 50) and sizes == "1-20" and icc in (0.1, 0.6)


@lru_cache(maxsize=2)
def draw_score_clusters(cell: ScoreClusterCell, draws: int) -> ManyClusters:
    """Sums of m items: normal ones have normal sums; exponential ones have gamma sums."""
    rng = generator(cell, draws)
    sizes = cluster_sizes(cell.sizes, rng, (draws, cell.k))
    between, within = np.sqrt(cell.icc), np.sqrt(1 - cell.icc)
    if cell.law == "normal":
        effects, items = rng.standard_normal(sizes.shape), rng.standard_normal(sizes.shape) * np.sqrt(sizes)
    else:
        effects, items = rng.exponential(size=sizes.shape) - 1, rng.gamma(sizes) - sizes
    return ManyClusters(between * sizes * effects + within * items, sizes)


def measure_scores(cell: ScoreClusterCell, method: str, level: float, draws: int) -> Figure | None:
    """Of one run, and of the differences of two."""
    if method not in array_forms.OF_CLUSTERS:
        few = few_clusters(*cell[1:])
        return slow.of_bootstrap(
            method, level, few, lambda n: (draw_score_clusters(cell, n),), draws, _ANY, 0.0
        )
    x = draw_score_clusters(cell, draws)
    return figure(Limits(*array_forms.OF_CLUSTERS[method](x, level), x.point, _ANY), 0.0)


def outcome_rates(cell: PairClusterCell) -> Array:
    """Candidate only, baseline only, both right, both wrong (the last two 3 : 1)."""
    D = cell.psi * cell.share
    same = 1 - cell.psi
    return np.array([(cell.psi + D) / 2, (cell.psi - D) / 2, 0.75 * same, 0.25 * same])


@lru_cache(maxsize=2)
def draw_pairs(cell: PairClusterCell, draws: int) -> ManyPairs:
    rng = generator(cell, draws)
    sizes = cluster_sizes(cell.sizes, rng, (draws, cell.k))
    shares = rng.gamma(outcome_rates(cell) * (1 - cell.icc) / cell.icc, size=(*sizes.shape, 4))
    total = shares.sum(axis=-1, keepdims=True)
    shares = np.where(total > 0, shares, [0.0, 0.0, 1.0, 0.0]) / np.where(total > 0, total, 1.0)
    shares /= shares.sum(axis=-1, keepdims=True)
    counts = rng.multinomial(sizes.astype(np.int64), shares).astype(np.float64)
    return ManyPairs(counts[..., 0], counts[..., 1], counts[..., 2], sizes)


def measure_pairs(cell: PairClusterCell, method: str, level: float, draws: int) -> Figure | None:
    truth = cell.psi * cell.share
    if "bootstrap" in method:
        few = few_clusters(*cell[:3])
        return slow.of_bootstrap(
            method, level, few, lambda n: (draw_pairs(cell, n).differences,), draws, _DIFFERENCE, truth
        )
    pairs = draw_pairs(cell, draws)
    x = pairs.differences
    if method == "betting_mixture":
        return bets.measured(x, _DIFFERENCE, truth, level)
    if method == "tango_effective":
        limits = array_forms.tango_effective(pairs, level)
    else:
        limits = {"cr2_t": array_forms.cr2_t, "cr2_t_pseudo": array_forms.cr2_t_pseudo}[method](x, level)
    return figure(Limits(*limits, x.point, _DIFFERENCE).held(), truth)


def _discordant(cell: PairClusterCell) -> float:
    x = draw_pairs(cell, 500).differences
    return float(np.mean(np.count_nonzero(x.sums, axis=1) * x.kish / cell.k))


ROW = Row(
    key="cluster",
    title="A pass rate in clusters",
    table=CLUSTERED,
    methods=(
        "korn_graubard_cr2",
        "betting_mixture",
        "korn_graubard",
        "cr2_t",
        "cr1_z",
        "logit_t_shrunk",
        *_OF_ONE,
    ),
    cells=tuple(
        ClusterCell(law, k, sizes, icc, p)
        for law in LAWS
        for k in COUNTS
        for sizes in SIZES
        for icc in ICCS
        for p in RATES
    ),
    measure=measure,
    informative=lambda cell: expected_informative(draw_clusters(cell, 500)),
    caveat="few_informative_clusters",
    how="simulated",
    note=slow.NOTE,
)
SCORE_ROW = Row(
    key="cluster_score",
    title="A mean of unbounded scores in clusters",
    table=CLUSTERED_UNBOUNDED,
    methods=("cr2_t", "cr1_z", *_OF_ONE),
    cells=tuple(
        ScoreClusterCell(law, k, sizes, icc)
        for law in ("normal", "exponential")
        for k in COUNTS
        for sizes in SIZES
        for icc in ICCS
    ),
    measure=measure_scores,
    informative=lambda cell: expected_informative(draw_score_clusters(cell, 500)),
    caveat="skewed",
    how="simulated",
    note=slow.NOTE,
)
PAIR_ROW = Row(
    key="pair_cluster",
    title="Two pass rates on the same items, in clusters",
    table=PAIRED_CLUSTERED_RATES,
    methods=("tango_effective", "betting_mixture", "cr2_t", "cr2_t_pseudo", *_OF_PAIRS),
    cells=tuple(
        PairClusterCell(k, sizes, icc, psi, share)
        for k in COUNTS
        for sizes in SIZES
        for icc in ICCS
        for psi in (0.05, 0.2, 0.4)
        for share in (0.0, 0.5, 1.0)
    ),
    measure=measure_pairs,
    informative=_discordant,
    caveat="few_informative_clusters",
    how="simulated",
    note=slow.NOTE,
)
