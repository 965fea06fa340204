"""Scores in clusters, of one run and of paired differences: seeded simulation."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from atlas import array_forms, bets, slow
from atlas.array_forms import ManyClusters
from atlas.clusters import (
    COUNTS,
    ICCS,
    SIZES,
    ScoreClusterCell,
    draw_score_clusters,
    expected_informative,
    few_clusters,
    measure_scores,
)
from atlas.dependence import GRADES, clustered, mean_of
from atlas.draws import generator
from atlas.figure import Figure, Limits, Row, figure
from evalstats.methods.mean_intervals import CLUSTERED
from evalstats.methods.paired_intervals import PAIRED_CLUSTERED_SCORES, PAIRED_CLUSTERED_UNBOUNDED

REDRAWN = 0.4  # of the candidate's items have a score of their own, the others the baseline's
LAWS = ("five_points", "ceiling_90", "ceiling_98", "skew")
PAIRS_OF_LAWS = (
    ("five_points", "five_points"),
    ("ceiling_90", "ceiling_90"),
    ("five_points", "skew"),
    ("ceiling_90", "uniform"),
)
_UNIT, _DIFFERENCE = (0.0, 1.0), (-1.0, 1.0)


class BoundedClusterCell(NamedTuple):
    """law : of every score; dependence : of the scores of one cluster (atlas/dependence.py)."""

    law: str
    dependence: str
    k: int
    sizes: str
    icc: float


class PairScoreClusterCell(NamedTuple):
    """law, other : of the baseline's scores, and of the candidate's that differ."""

    law: str
    other: str
    dependence: str
    k: int
    sizes: str
    icc: float


@lru_cache(maxsize=2)
def draw(cell: BoundedClusterCell, draws: int) -> ManyClusters:
    rng = generator(cell, draws)
    return clustered((cell.law,), cell.dependence, cell.icc, cell.sizes, cell.k, rng, draws)


def measure(cell: BoundedClusterCell, method: str, level: float, draws: int) -> Figure | None:
    truth = mean_of(cell.law)
    if method == "betting_mixture":
        return bets.measured(draw(cell, draws), _UNIT, truth, level)
    if method not in array_forms.OF_CLUSTERS:
        return slow.of_bootstrap(
            method, level, few_clusters(*cell[2:]), lambda n: (draw(cell, n),), draws, _UNIT, truth
        )
    x = draw(cell, draws)
    return figure(Limits(*array_forms.OF_CLUSTERS[method](x, level), x.point, _UNIT).held(), truth)


@lru_cache(maxsize=2)
def draw_differences(cell: PairScoreClusterCell, draws: int) -> ManyClusters:
    rng, laws = generator(cell, draws), (cell.law, cell.other)
    return clustered(laws, cell.dependence, cell.icc, cell.sizes, cell.k, rng, draws, REDRAWN)


def measure_pairs(cell: PairScoreClusterCell, method: str, level: float, draws: int) -> Figure | None:
    truth = REDRAWN * (mean_of(cell.other) - mean_of(cell.law))
    if method == "betting_mixture":
        return bets.measured(draw_differences(cell, draws), _DIFFERENCE, truth, level)
    if method in OF_PAIRS:
        few = few_clusters(*cell[3:])
        return slow.of_bootstrap(
            method, level, few, lambda n: (draw_differences(cell, n),), draws, _DIFFERENCE, truth
        )
    x = draw_differences(cell, draws)
    limits = {"cr2_t": array_forms.cr2_t, "cr2_t_pseudo": array_forms.cr2_t_pseudo}[method](x, level)
    return figure(Limits(*limits, x.point, _DIFFERENCE).held(), truth)


def _differing(cell: PairScoreClusterCell) -> float:
    x = draw_differences(cell, 500)
    return float(np.mean(np.count_nonzero(x.sums, axis=1) * x.kish / cell.k))


OF_PAIRS = tuple(f"cluster_paired_bootstrap_{kind}" for kind in slow.KINDS)
OF_ONE = tuple(f"cluster_bootstrap_{kind}" for kind in slow.KINDS)
_LAWS = tuple((law, dependence) for dependence in ("copied", "copula") for law in LAWS)

ROW = Row(
    key="cluster_bounded",
    title="A mean of bounded scores in clusters",
    table=CLUSTERED,
    methods=(
        "korn_graubard_cr2",
        "betting_mixture",
        "korn_graubard",
        "cr2_t",
        "cr1_z",
        "logit_t_shrunk",
        *OF_ONE,
    ),
    cells=tuple(
        BoundedClusterCell(law, dependence, k, sizes, icc)
        for law, dependence in (*_LAWS, *((law, "beta_binomial") for law in GRADES))
        for k in COUNTS
        for sizes in SIZES
        for icc in ICCS
    ),
    measure=measure,
    informative=lambda cell: expected_informative(draw(cell, 500)),
    caveat="few_informative_clusters",
    how="simulated",
    note=slow.NOTE,
)
PAIR_ROW = Row(
    key="pair_cluster_score",
    title="A paired difference of bounded scores in clusters",
    table=PAIRED_CLUSTERED_SCORES,
    methods=("cr2_t", "cr2_t_pseudo", "betting_mixture", *OF_PAIRS),
    cells=tuple(
        PairScoreClusterCell(*laws, dependence, k, sizes, icc)
        for dependence in ("copied", "copula")
        for laws in PAIRS_OF_LAWS
        for k in COUNTS
        for sizes in SIZES
        for icc in ICCS
    ),
    measure=measure_pairs,
    informative=_differing,
    caveat="few_informative_clusters",
    how="simulated",
    note=slow.NOTE,
)
PAIR_UNBOUNDED_ROW = Row(
    key="pair_cluster_unbounded",
    title="A paired difference of unbounded scores in clusters",
    table=PAIRED_CLUSTERED_UNBOUNDED,
    methods=("cr2_t", *OF_PAIRS),
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
