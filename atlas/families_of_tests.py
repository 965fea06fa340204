"""Families of p-values: how often any true null is lit, or which share of the lit ones is luck."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy import special

from atlas.draws import generator
from atlas.figure import Array, Figure, Row
from evalstats.methods.corrections import METHODS
from evalstats.methods.mcnemar import mcnemar_pvalues

EFFECT = 3.0  # of the rows that did change, in standard errors
ITEMS, DISCORDANT = 500, 0.1
FALSE_DISCOVERIES = ("benjamini_hochberg", "benjamini_yekutieli")
_NULL_SHARE = {"all": 1.0, "three_quarters": 0.75, "half": 0.5}


class FamilyCell(NamedTuple):
    """m rows, a share of which did not change. test : z, or McNemar on 500 items of which 10 % changed.

    rho : correlation of the z of any two rows, as of many candidates against one baseline (½).
    """

    m: int
    unchanged: str
    test: str
    rho: float


def unchanged_rows(cell: FamilyCell) -> int:
    return max(1, round(_NULL_SHARE[cell.unchanged] * cell.m))


@lru_cache(maxsize=2)
def draw(cell: FamilyCell, draws: int) -> Array:
    """(draws, m) p-values; the rows that did not change come first."""
    rng, shape = generator(cell, draws), (draws, cell.m)
    effect = np.where(np.arange(cell.m) < unchanged_rows(cell), 0.0, EFFECT)
    if cell.test == "z":
        shared = np.sqrt(cell.rho) * rng.standard_normal((draws, 1))
        z = effect + shared + np.sqrt(1 - cell.rho) * rng.standard_normal(shape)
        return np.asarray(2 * special.ndtr(-np.abs(z)))
    m = rng.binomial(ITEMS, DISCORDANT, size=shape)
    share = 0.5 + effect / np.sqrt(4 * ITEMS * DISCORDANT)
    b = rng.binomial(m, np.broadcast_to(share, shape))
    return np.asarray(mcnemar_pvalues(b, m - b, cell.test))


def adjusted(pvalues: Array, method: str) -> Array:
    """(draws, m) adjusted p-values, each row a family."""
    order = np.argsort(pvalues, axis=1, kind="stable")
    p, m = np.take_along_axis(pvalues, order, axis=1), pvalues.shape[1]
    steps = np.arange(1.0, m + 1)
    if method == "bonferroni":
        found = p * m
    elif method == "holm":
        found = np.maximum.accumulate(p * (m + 1 - steps), axis=1)
    else:
        factor = m + 1 - steps if method == "hochberg" else m / steps
        factor = factor * np.sum(1 / steps) if method == "benjamini_yekutieli" else factor
        found = np.minimum.accumulate((p * factor)[:, ::-1], axis=1)[:, ::-1]
    back = np.empty_like(found)
    np.put_along_axis(back, order, np.minimum(found, 1.0), axis=1)
    return np.asarray(back)


def measure(cell: FamilyCell, method: str, level: float, draws: int) -> Figure:
    """1 − the chance of any false alarm; of the two for discoveries, 1 − the mean share of false ones."""
    lit = adjusted(draw(cell, draws), method) <= (1 - level) * (1 + 1e-12)
    false = np.count_nonzero(lit[:, : unchanged_rows(cell)], axis=1)
    if method in FALSE_DISCOVERIES:
        error = float(np.mean(false / np.maximum(np.count_nonzero(lit, axis=1), 1)))
    else:
        error = float(np.mean(false > 0))
    return Figure(1 - error, error / 2, error / 2, 0.0, np.nan, draws)


ROW = Row(
    key="family",
    title="Families of tests",
    table=METHODS,
    methods=tuple(method.name for method in METHODS),
    cells=tuple(
        FamilyCell(m, unchanged, test, rho)
        for m in (2, 3, 5, 10, 40, 200)
        for unchanged in _NULL_SHARE
        for test, rho in (("z", 0.0), ("z", 0.5), ("z", 0.9), ("mcnemar_exact", 0.0), ("mcnemar_mid_p", 0.0))
    ),
    measure=measure,
    informative=lambda cell: float(cell.m),
    caveat="few_discordant",
    kind="test",
    how="simulated",
    note=(
        "Measured is 1 − the chance of any false alarm in a family; of Benjamini–Hochberg and –Yekutieli 1 − "
        "the expected share of false alarms among the lit. Informative units are the rows of the family."
    ),
)
