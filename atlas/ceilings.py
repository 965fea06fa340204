"""Whether a judge agrees with people as well as people with each other: seeded simulation."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from atlas import called
from atlas.agreements import LAWS
from atlas.draws import generator
from atlas.figure import Array, Figure, Row
from evalstats.subjects.agreement_ceiling import DIFFERENCE, ceiling

_SCALE = (-2.0, 2.0)
LEVELS = (0.95,)


class CeilingCell(NamedTuple):
    """Two people know an item's label with probability `people`, the judge with `judge`; else all guess."""

    n: int
    law: str
    people: float
    judge: float

    @property
    def truth(self) -> float:
        """κ of two who guess by one law is the product of what both know."""
        return self.people * (self.judge - self.people)


@lru_cache(maxsize=2)
def draw(cell: CeilingCell, draws: int) -> Array:
    """(draws, 3, n) labels, the judge's first."""
    rng, law = generator(cell, draws), np.array(LAWS[cell.law])
    own = rng.choice(len(law), size=(draws, 1, cell.n), p=law)
    guessed = rng.choice(len(law), size=(draws, 3, cell.n), p=law)
    knows = np.array([cell.judge, cell.people, cell.people])[:, None]
    return np.where(rng.random(guessed.shape) < knows, own, guessed)


def measure(cell: CeilingCell, method: str, level: float, draws: int) -> Figure | None:
    if level not in LEVELS:
        return None
    categories = tuple(range(len(LAWS[cell.law])))
    found = (
        ceiling(one[0], one[1:], categories=categories, level=level, method=method).difference
        for one in draw(cell, called.fewer(draws)).astype(int).tolist()
    )
    return called.of_estimates(found, cell.truth, _SCALE)


ROW = Row(
    key="ceiling",
    title="A judge's agreement with people less that of people with each other",
    table=DIFFERENCE,
    methods=("jackknife_t",),
    cells=tuple(
        CeilingCell(n, law, people, judge)
        for n in (20, 50, 200)
        for law in LAWS
        for people, judge in ((0.5, 0.5), (0.9, 0.9), (0.9, 0.6))
    ),
    measure=measure,
    informative=lambda cell: cell.n * min(LAWS[cell.law]),
    caveat="few_items",
    how="simulated",
    note=called.NOTE + " At 95 % only. Informative units are items of the rarest class; kappa, two people.",
)
