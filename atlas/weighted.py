"""Means of items that count unequally, by given weights: seeded simulation."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from atlas import array_forms, slow
from atlas.array_forms import ManyClusters
from atlas.clusters import expected_informative
from atlas.draws import BOUNDED, UNBOUNDED, generator, score_mean, scores
from atlas.figure import Array, Figure, Limits, Row, figure
from evalstats.methods.weighted_means import WEIGHTED, WEIGHTED_UNBOUNDED

SIZES = (20, 50, 100, 200, 500)
PASS_RATES = {"pass_50": 0.5, "pass_90": 0.9, "pass_98": 0.98}
WEIGHTS = ("two", "lognormal")
FEW_SIZES = (20, 50)
_UNIT, _ANY = (0.0, 1.0), (-np.inf, np.inf)


class WeightedCell(NamedTuple):
    """weights : "two", one item in four counts five times; "lognormal" (0, 1)."""

    law: str
    weights: str
    n: int


@lru_cache(maxsize=2)
def draw(cell: WeightedCell, draws: int) -> ManyClusters:
    """Every item a cluster of its weight; weights add up to n."""
    rng, shape = generator(cell, draws), (draws, cell.n)
    w = rng.lognormal(0.0, 1.0, size=shape) if cell.weights == "lognormal" else _two(rng, shape)
    w *= cell.n / w.sum(axis=1, keepdims=True)
    if cell.law in PASS_RATES:
        y = np.asarray(rng.random(shape) < PASS_RATES[cell.law], dtype=np.float64)
        return ManyClusters(w * y, w)
    y = scores(cell.law, rng, shape)
    return ManyClusters(w * y, w, np.sum(w * y**2, axis=1))


def _two(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    return np.where(rng.random(shape) < 0.25, 5.0, 1.0)


def truth_of(cell: WeightedCell) -> float:
    return PASS_RATES[cell.law] if cell.law in PASS_RATES else score_mean(cell.law)


def measure(cell: WeightedCell, method: str, level: float, draws: int) -> Figure | None:
    truth, scale = truth_of(cell), _ANY if cell.law in UNBOUNDED else _UNIT
    if "bootstrap" in method:
        few = cell.n in FEW_SIZES
        return slow.of_bootstrap(method, level, few, lambda n: (draw(cell, n),), draws, scale, truth)
    x = draw(cell, draws)
    return figure(Limits(*array_forms.OF_CLUSTERS[method](x, level), x.point, scale).held(), truth)


_NOTE = "Weights and scores are independent. " + slow.NOTE
_BOOTSTRAPS = tuple(f"bootstrap_{kind}" for kind in slow.KINDS)
ROW = Row(
    key="weighted",
    title="A weighted mean of bounded scores",
    table=WEIGHTED,
    methods=("korn_graubard_cr2", "cr2_t", "logit_t_shrunk", *_BOOTSTRAPS),
    cells=tuple(
        WeightedCell(law, weights, n) for law in (*PASS_RATES, *BOUNDED) for weights in WEIGHTS for n in SIZES
    ),
    measure=measure,
    informative=lambda cell: expected_informative(draw(cell, 500)),
    caveat="few_informative_clusters",
    how="simulated",
    note=_NOTE,
)
UNBOUNDED_ROW = Row(
    key="weighted_unbounded",
    title="A weighted mean of unbounded scores",
    table=WEIGHTED_UNBOUNDED,
    methods=("cr2_t", *_BOOTSTRAPS),
    cells=tuple(WeightedCell(law, weights, n) for law in UNBOUNDED for weights in WEIGHTS for n in SIZES),
    measure=measure,
    informative=lambda cell: expected_informative(draw(cell, 500)),
    caveat="skewed",
    how="simulated",
    note=_NOTE,
)
