"""Pass rates and scores in clusters, one run and two: seeded simulation."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from atlas import array_forms
from atlas.array_forms import ManyClusters, ManyPairs
from atlas.draws import cluster_rates, cluster_sizes, generator
from atlas.figure import Array, Figure, Limits, Row, figure
from evalstats.kernel.limits import NoInterval
from evalstats.methods.items import ItemValues, Request
from evalstats.methods.mean_intervals import CLUSTERED, CLUSTERED_UNBOUNDED
from evalstats.methods.paired_intervals import PAIRED_CLUSTERED_RATES

COUNTS = (5, 10, 20, 50, 100, 200)
SIZES = ("5", "1-20", "lognormal")
ICCS = (0.01, 0.1, 0.3, 0.6)
RATES = (0.5, 0.7, 0.9, 0.95, 0.98)
LAWS = ("beta", "probit")
RESAMPLES = 1000
SLOW = 25  # methods measured one data set at a time get a 25th of the draws, at a few cells, at one level


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
    if method in array_forms.OF_CLUSTERS:
        x = draw_clusters(cell, draws)
        limits = array_forms.OF_CLUSTERS[method](x, level)
        return figure(Limits(*limits, x.point, (0.0, 1.0)).held(), cell.p)
    few = cell.k in (5, 20, 50) and cell.icc in (0.1, 0.6) and cell.p in (0.5, 0.95)
    if level != 0.95 or cell.law != "beta" or cell.sizes != "5" or not few:
        return None
    x = draw_clusters(cell, max(draws // SLOW, 20))
    found = [one_by_one(method, sums, sizes, level) for sums, sizes in zip(x.sums, x.sizes, strict=True)]
    low, high = np.array(found).T
    return figure(Limits(low, high, x.point, (0.0, 1.0)).held(), cell.p)


def one_by_one(method: str, sums: Array, sizes: Array, level: float) -> tuple[float, float]:
    """The library's own limits of one data set, nan where it has none."""
    k = len(sizes)
    values = np.repeat(np.tile([1.0, 0.0], k), np.ravel([sums, sizes - sums], order="F").astype(int))
    codes = np.repeat(np.arange(k), sizes.astype(int))
    resamples = RESAMPLES if "bootstrap" in method else None
    largest = int(sizes.max()) if method == "betting_mixture" else None
    request = Request(level, n_boot=resamples, largest_cluster=largest)
    try:
        found = CLUSTERED[method].function(ItemValues(values, True, (0.0, 1.0), codes), request)
    except NoInterval:
        return np.nan, np.nan
    return found.low, found.high


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


def measure_scores(cell: ScoreClusterCell, method: str, level: float, draws: int) -> Figure:
    x = draw_score_clusters(cell, draws)
    limits = array_forms.OF_CLUSTERS[method](x, level)
    return figure(Limits(*limits, x.point, (-np.inf, np.inf)), 0.0)


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
    pairs = draw_pairs(cell, draws)
    x = pairs.differences
    if method == "tango_effective":
        limits = array_forms.tango_effective(pairs, level)
    else:
        limits = {"cr2_t": array_forms.cr2_t, "cr2_t_pseudo": array_forms.cr2_t_pseudo}[method](x, level)
    return figure(Limits(*limits, x.point, (-1.0, 1.0)).held(), cell.psi * cell.share)


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
        "cluster_bootstrap_percentile",
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
)
SCORE_ROW = Row(
    key="cluster_score",
    title="A mean of unbounded scores in clusters",
    table=CLUSTERED_UNBOUNDED,
    methods=("cr2_t", "cr1_z"),
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
)
PAIR_ROW = Row(
    key="pair_cluster",
    title="Two pass rates on the same items, in clusters",
    table=PAIRED_CLUSTERED_RATES,
    methods=("tango_effective", "cr2_t", "cr2_t_pseudo"),
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
)
