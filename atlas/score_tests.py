"""Tests of paired runs: how often they light two equal runs. Seeded simulation."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy import special

from atlas.array_forms import ManyClusters, ManyPairs
from atlas.clusters import PairClusterCell, draw_pairs
from atlas.dependence import clustered
from atlas.draws import UNBOUNDED, generator
from atlas.figure import Array, Figure, Row
from atlas.scores import DifferenceCell, draw_differences
from evalstats.methods import difference_tests, sign_flip, wilcoxon

SIZES = (5, 10, 20, 50, 100, 200)
MOST_EXACT = 50  # items of a sign-flip here: beyond, random signs take long
SIGNS = 999
PART = 4  # a quarter of the draws for what is computed one data set at a time
_LAWS = ("five_points", "ceiling_90", "skew")
_PASS_FAIL, _CLUSTER = "pass_fail", 5
PSI = 0.2


class TestCell(NamedTuple):
    """units of m items; law : of the scores of both runs. m = 1 : single items. pass_fail : ψ = .2."""

    law: str
    units: int
    m: int
    icc: float


@lru_cache(maxsize=2)
def draw(cell: TestCell, draws: int) -> ManyClusters:
    """Differences of two equal runs."""
    if cell.law == _PASS_FAIL:
        return draw_pass_fail(cell, draws).differences
    if cell.m == 1:
        return draw_differences(DifferenceCell(cell.law, cell.law, cell.units), draws)
    rng = generator(cell, draws)
    return clustered((cell.law, cell.law), "copied", cell.icc, str(cell.m), cell.units, rng, draws, 0.4)


@lru_cache(maxsize=2)
def draw_pass_fail(cell: TestCell, draws: int) -> ManyPairs:
    return draw_pairs(PairClusterCell(cell.units, str(cell.m), cell.icc, PSI, 0.0), draws)


def t_pvalues(x: ManyClusters) -> Array:
    """|D|/√v against t; nan where nothing varies, which lights nothing."""
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.abs(x.point) / np.sqrt(x.v)
    return np.asarray(np.where(x.v > 0, 2 * special.stdtr(x.df, -t), np.nan))


def tango_effective_pvalues(pairs: ManyPairs) -> Array:
    """|z(0)| = |D|·√(n_eff/ψ) against t."""
    x = pairs.differences
    psi = (pairs.candidate_only + pairs.baseline_only).sum(axis=1) / x.n
    with np.errstate(invalid="ignore", divide="ignore"):
        z = np.abs(x.point) * np.sqrt(pairs.effective_size / psi)
    return np.asarray(np.where(psi > 0, 2 * special.stdtr(x.df, -z), 1.0))


def _each(x: ManyClusters, pvalue: Callable[[Array], float]) -> Array:
    return np.array([pvalue(units) for units in x.sums])


def _fewer(draws: int) -> int:
    return max(draws // PART, 20)


@lru_cache(maxsize=8)
def pvalues(cell: TestCell, method: str, draws: int) -> Array | None:
    """One a data set, None where this test is not for such data or not measured."""
    single, rates = cell.m == 1, cell.law == _PASS_FAIL
    if method == "paired_t":
        return t_pvalues(draw(cell, draws)) if single else None
    if method == "cr2_t":
        return None if single or rates else t_pvalues(draw(cell, draws))
    if method == "tango_effective":
        return tango_effective_pvalues(draw_pass_fail(cell, draws)) if rates else None
    if cell.units > MOST_EXACT:
        return None
    return _each(draw(cell, _fewer(draws)), lambda units: sign_flip.sign_flip_pvalue(units, SIGNS, 0)[0])


@lru_cache(maxsize=4)
def rank_pvalues(cell: DifferenceCell, method: str, draws: int) -> Array | None:
    if method == "wilcoxon_exact" and cell.n > wilcoxon.MOST_EXACT:
        return None
    x = draw_differences(cell, _fewer(draws))
    return _each(x, lambda d: wilcoxon.wilcoxon_test(d, method=method).pvalue)


def _size(p: Array | None, level: float) -> Figure | None:
    if p is None:
        return None
    size = float(np.mean(p <= 1 - level + 1e-12))
    return Figure(1 - size, size / 2, size / 2, 0.0, np.nan, len(p))


def measure(cell: TestCell, method: str, level: float, draws: int) -> Figure | None:
    return _size(pvalues(cell, method, draws), level)


def measure_ranks(cell: DifferenceCell, method: str, level: float, draws: int) -> Figure | None:
    return _size(rank_pvalues(cell, method, draws), level)


def _differing(x: ManyClusters) -> float:
    return float(np.mean(np.count_nonzero(x.sums, axis=1)))


_NOTE = (
    "Both runs have one law; 40 % of the scores are redrawn. What is computed one data set at a time has a "
    "quarter of them, with 999 random signs where a sign-flip is not exact. Informative units differ."
)

_CELLS = (
    *(TestCell(law, n, 1, 0.0) for law in (*_LAWS, *UNBOUNDED) for n in SIZES),
    *(TestCell(law, k, _CLUSTER, icc) for law in (*_LAWS, _PASS_FAIL) for k in SIZES for icc in (0.1, 0.6)),
)

ROW = Row(
    key="score_test",
    title="Tests of two runs' scores on the same items, and of pass rates in clusters",
    table=difference_tests.METHODS,
    methods=("paired_t", "sign_flip", "cr2_t", "tango_effective"),
    cells=_CELLS,
    measure=measure,
    informative=lambda cell: _differing(draw(cell, 500)),
    caveat="few_nonzero_differences",
    kind="test",
    how="simulated",
    note=_NOTE + " Clusters have five items.",
)
RANK_ROW = Row(
    key="rank_test",
    title="Wilcoxon's test of two runs' scores on the same items",
    table=wilcoxon.METHODS,
    methods=("wilcoxon_exact", "wilcoxon_normal"),
    cells=tuple(DifferenceCell(law, law, n) for law in (*_LAWS, *UNBOUNDED) for n in SIZES),
    measure=measure_ranks,
    informative=lambda cell: _differing(draw_differences(cell, 500)),
    caveat="few_nonzero_differences",
    kind="test",
    how="simulated",
    note=_NOTE,
)
SIGN_ROW = Row(
    key="sign_flip_test",
    title="The sign-flip test of two runs' scores",
    table=sign_flip.METHODS,
    methods=("sign_flip",),
    cells=tuple(cell for cell in _CELLS if cell.units <= MOST_EXACT),
    measure=measure,
    informative=lambda cell: _differing(draw(cell, 500)),
    caveat="few_nonzero_differences",
    kind="test",
    how="simulated",
    note=_NOTE + " Clusters have five items.",
)
