"""Scores of items that share something with the others of their cluster, of any law of scores.

An item's score is the law's quantile at a uniform number, so that all items have exactly this law; the
numbers of one cluster depend on each other. "copied": an item has its cluster's own score with probability
√ICC, so that two scores of a cluster correlate by exactly the ICC. "copula": normal numbers that correlate by
the ICC. "beta_binomial": four points an item, each with its cluster's rate, Beta with this ICC.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from atlas.array_forms import ManyClusters
from atlas.draws import ATOMS, BETA, CEILING, cluster_rates, cluster_sizes
from atlas.figure import Array

GRADES = {"grades_70": 0.7, "grades_95": 0.95}
POINTS = 4
_STEPS = 1 << 16
_BLOCK = 500  # data sets at a time


@cache
def quantiles(law: str) -> Array:
    """(steps,) the law's quantiles at the middles of equal steps; their mean is the law's here."""
    u = (np.arange(_STEPS) + 0.5) / _STEPS
    if law in BETA:
        return np.asarray(special.betaincinv(*BETA[law], u))
    if law in ATOMS:
        values, masses = ATOMS[law]
        return np.asarray(values)[np.searchsorted(np.cumsum(masses)[:-1], u)]
    below = 1 - CEILING[law]
    return np.where(u < below, special.betaincinv(2.0, 2.0, np.minimum(u / below, 1.0)), 1.0)


def mean_of(law: str) -> float:
    return GRADES[law] if law in GRADES else float(quantiles(law).mean())


def scores_at(law: str, uniform: Array) -> Array:
    return np.asarray(quantiles(law)[np.minimum((uniform * _STEPS).astype(np.int64), _STEPS - 1)])


def uniforms(
    dependence: str, icc: float, rng: np.random.Generator, owner: NDArray[np.int64], pieces: int
) -> list[Array]:
    """Uniform numbers of items, `pieces` for each. owner : (items,) which cluster, 0 … ."""
    k, n = int(owner[-1]) + 1, len(owner)
    if dependence == "copied":
        copies = rng.random(n) < np.sqrt(icc)
        return [np.where(copies, rng.random(k)[owner], rng.random(n)) for _ in range(pieces)]
    share = np.sqrt(icc), np.sqrt(1 - icc)
    return [
        special.ndtr(share[0] * rng.standard_normal(k)[owner] + share[1] * rng.standard_normal(n))
        for _ in range(pieces)
    ]


def clustered(
    laws: tuple[str, ...],
    dependence: str,
    icc: float,
    sizes_law: str,
    k: int,
    rng: np.random.Generator,
    draws: int,
    redrawn: float = 1.0,
) -> ManyClusters:
    """One law: scores in clusters. Two: paired differences, a share of the second's scores redrawn."""
    parts = []
    for start in range(0, draws, _BLOCK):
        sizes = cluster_sizes(sizes_law, rng, (min(_BLOCK, draws - start), k))
        flat = sizes.ravel().astype(np.int64)
        owner = np.repeat(np.arange(flat.size, dtype=np.int64), flat)
        if dependence == "beta_binomial":
            rates = cluster_rates("beta", GRADES[laws[0]], icc, rng, (flat.size,))
            y = rng.binomial(POINTS, rates[owner]) / POINTS
        elif len(laws) == 1:
            y = scores_at(laws[0], *uniforms(dependence, icc, rng, owner, 1))
        else:
            old, new, moved = uniforms(dependence, icc, rng, owner, 3)
            y = np.where(moved < redrawn, scores_at(laws[1], new) - scores_at(laws[0], old), 0.0)
        starts = np.concatenate([[0], np.cumsum(flat)[:-1]])
        sums, squares = (np.add.reduceat(one, starts).reshape(sizes.shape) for one in (y, y * y))
        parts.append((sums, sizes, squares.sum(axis=1)))
    sums, sizes, squares = (np.concatenate(column) for column in zip(*parts, strict=True))
    return ManyClusters(sums, sizes, squares)
