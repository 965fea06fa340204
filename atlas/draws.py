"""The laws that simulated data sets are drawn from, one generator a cell."""

from __future__ import annotations

import zlib
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from atlas.figure import SEED
from evalstats.numeric import bisect

Array = NDArray[np.float64]
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(80)


def generator(cell: Any, draws: int) -> np.random.Generator:
    """Seeded by the cell itself, so that a cell measured alone has the digits of the full run."""
    return np.random.default_rng([SEED, zlib.crc32(repr((type(cell).__name__, *cell)).encode()), draws])


def cluster_sizes(law: str, rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """(draws, k) whole sizes: "5", "1-20" (uniform), "lognormal" (1.5, 1), rounded up."""
    if law == "5":
        return np.full(shape, 5.0)
    if law == "1-20":
        return rng.integers(1, 21, size=shape).astype(np.float64)
    return np.ceil(rng.lognormal(1.5, 1.0, size=shape))


def cluster_rates(law: str, p: float, icc: float, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """(draws, k) pass rates of clusters with mean p and intraclass correlation icc."""
    if law == "beta":
        spread = (1 - icc) / icc
        return rng.beta(p * spread, (1 - p) * spread, size=shape)
    share = _latent_share(p, icc)
    return _probit_rate(p, share, rng.standard_normal(shape))


def _probit_rate(p: float, share: float, u: Array) -> Array:
    """Φ((Φ⁻¹(p) + √τ·u)/√(1−τ)): an item passes when a normal latent value exceeds a threshold."""
    rates = special.ndtr((special.ndtri(p) + np.sqrt(share) * u) / np.sqrt(1 - share))
    return np.asarray(rates, dtype=np.float64)


@cache
def _latent_share(p: float, icc: float) -> float:
    """τ, the latent variance between clusters for which pass/fail scores have this ICC."""

    def excess(share: float) -> float:
        squares = _probit_rate(p, share, _NODES) ** 2
        variance = float(np.sum(_WEIGHTS * squares) / np.sum(_WEIGHTS)) - p**2
        return variance - icc * p * (1 - p)

    return bisect(excess, 0.0, 0.999)


# Bounded laws on [0, 1] and unbounded ones: how they are drawn. All means are known exactly.
BETA = {"uniform": (1.0, 1.0), "skew": (8.0, 0.5), "floor": (0.3, 6.0)}
ATOMS = {
    "five_points": ((0.0, 0.25, 0.5, 0.75, 1.0), (0.05, 0.1, 0.2, 0.3, 0.35)),
    "rare_half": ((0.0, 0.5, 1.0), (0.01, 0.05, 0.94)),
}
CEILING = {"ceiling_90": 0.9, "ceiling_98": 0.98}  # this share is 1, the others Beta(2, 2)
BOUNDED = (*BETA, *ATOMS, *CEILING)
UNBOUNDED = ("normal", "exponential", "lognormal", "outliers")
_OUTLIERS, _FAR = 0.01, 10.0  # one value in a hundred has ten times the spread


def scores(law: str, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Scores of one law, in any shape."""
    if law in BETA:
        return rng.beta(*BETA[law], size=shape)
    if law in ATOMS:
        values, masses = ATOMS[law]
        return rng.choice(values, size=shape, p=masses)
    if law in CEILING:
        return np.where(rng.random(shape) < CEILING[law], 1.0, rng.beta(2.0, 2.0, size=shape))
    if law == "exponential":
        return rng.exponential(size=shape)
    if law == "lognormal":
        return rng.lognormal(0.0, 1.0, size=shape)
    normal = rng.standard_normal(shape)
    return np.where(rng.random(shape) < _OUTLIERS, _FAR * normal, normal) if law == "outliers" else normal


def score_mean(law: str) -> float:
    """The mean of a law of scores."""
    if law in BETA:
        a, b = BETA[law]
        return a / (a + b)
    if law in ATOMS:
        values, masses = ATOMS[law]
        return float(np.dot(values, masses))
    if law in CEILING:
        return CEILING[law] + (1 - CEILING[law]) / 2
    return {"exponential": 1.0, "lognormal": float(np.exp(0.5))}.get(law, 0.0)
