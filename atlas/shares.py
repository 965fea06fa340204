"""Shares of components of variance: seeded simulation."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from atlas import called
from atlas.draws import cluster_rates, generator
from atlas.figure import Array, Figure, Row
from evalstats.results import Estimate
from evalstats.subjects import variance

PASS_RATE = 0.7


class ShareCell(NamedTuple):
    """design : one_way (items, m completions), crossed (items by m judges), nested (families, 4 tasks, m).

    share : of the first source in the variance of a score; of the judges in crossed designs. law : normal, or
    right or wrong at a rate of .7.
    """

    design: str
    law: str
    units: int
    m: int
    share: float


@lru_cache(maxsize=2)
def draw(cell: ShareCell, draws: int) -> Array:
    """(draws, units, …) scores."""
    rng, shape = generator(cell, draws), (draws, cell.units)
    if cell.law == "pass_fail":
        rates = cluster_rates("beta", PASS_RATE, cell.share, rng, shape)
        return np.asarray(rng.random((*shape, cell.m)) < rates[..., None], dtype=np.float64)
    if cell.design == "one_way":
        first = rng.standard_normal(shape)[..., None]
        inside = rng.standard_normal((*shape, cell.m))
        return np.asarray(np.sqrt(cell.share) * first + np.sqrt(1 - cell.share) * inside)
    rest = np.sqrt((1 - cell.share) / 2)
    if cell.design == "crossed":
        judges = np.sqrt(cell.share) * rng.standard_normal((draws, 1, cell.m))
        return np.asarray(
            judges + rest * rng.standard_normal((*shape, 1)) + rest * rng.standard_normal((*shape, cell.m))
        )
    family = np.sqrt(cell.share) * rng.standard_normal((*shape, 1, 1))
    task, attempt = (rest * rng.standard_normal((*shape, 4, m)) for m in (1, cell.m))
    return np.asarray(family + task + attempt)


def share_of(cell: ShareCell, scores: Array, level: float) -> Estimate:
    """The library's share of the source that is measured."""
    at = [codes.ravel() for codes in np.indices(scores.shape)]
    asked: dict[str, Any] = {"level": level, "n_boot": called.RESAMPLES}
    y = scores.ravel()
    if cell.design == "one_way":
        return variance.one_way(y, at[0], **asked).components[0].share
    if cell.design == "crossed":
        return variance.crossed(y, at[0], at[1], names=("item", "judge", ""), **asked)["judge"].share
    return variance.nested(y, at[0], at[1], **asked).components[0].share


def measure(cell: ShareCell, method: str, level: float, draws: int) -> Figure | None:
    if (cell.design == "nested") != method.startswith("cluster_") or not called.at(level, method):
        return None
    found = (share_of(cell, scores, level) for scores in draw(cell, called.fewer(draws)))
    return called.of_estimates(found, cell.share, (0.0, 1.0))


ROW = Row(
    key="variance_share",
    title="Shares of components of variance",
    table=variance.METHODS,
    methods=("anova_bootstrap_percentile", "cluster_anova_bootstrap_percentile"),
    cells=tuple(
        ShareCell(design, law, units, m, share)
        for design, law, counts in (
            ("one_way", "normal", (2, 5)),
            ("one_way", "pass_fail", (2, 5)),
            ("crossed", "normal", (6, 12)),
            ("nested", "normal", (2,)),
        )
        for units in (20, 50, 100)
        for m in counts
        for share in (0.1, 0.3, 0.6)
    ),
    measure=measure,
    informative=lambda cell: float(cell.units),
    caveat="bootstrap_few_units",
    how="simulated",
    note=called.NOTE + " Informative units are items, or families.",
)
