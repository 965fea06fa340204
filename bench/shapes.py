"""Data that bootstraps are tried on: every shape from a seed, at any size."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Generator = np.random.Generator


def _levels(random: Generator, n: int) -> Array:
    return random.choice([0.0, 0.31, 0.45, 0.5**0.5, 1.0], size=n, p=[0.1, 0.1, 0.2, 0.2, 0.4])


def _with_outliers(count: int, size: float) -> Callable[[Generator, int], Array]:
    def draw(random: Generator, n: int) -> Array:
        values = random.normal(size=n)
        values[: min(count, n)] += size
        return values

    return draw


def _rarely(share: float) -> Callable[[Generator, int], Array]:
    """A share of continuous scores, the rest exactly 0."""

    def draw(random: Generator, n: int) -> Array:
        values = random.gamma(2.0, size=n)
        values[max(1, round(share * n)) :] = 0.0
        return values

    return draw


# name: (random, n) -> (n,) scores
MEANS: dict[str, Callable[[Generator, int], Array]] = {
    "normal": lambda random, n: random.normal(size=n),
    "uniform": lambda random, n: random.random(n),
    "beta(5, 1), near a ceiling": lambda random, n: random.beta(5, 1, size=n),
    "U-shaped beta(.2, .3)": lambda random, n: random.beta(0.2, 0.3, size=n),
    "exponential": lambda random, n: random.exponential(size=n),
    "lognormal, σ = 1": lambda random, n: random.lognormal(size=n),
    "lognormal, σ = 2": lambda random, n: random.lognormal(sigma=2.0, size=n),
    "t, 2 df": lambda random, n: random.standard_t(2, size=n),
    "Pareto, α = 2.5": lambda random, n: random.pareto(2.5, size=n),
    "Pareto, α = 1.1": lambda random, n: random.pareto(1.1, size=n),
    "one outlier of 20 sd": _with_outliers(1, 20.0),
    "three outliers of 30 sd": _with_outliers(3, 30.0),
    "half exactly 0": _rarely(0.5),
    "5 % not 0": _rarely(0.05),
    "five irregular levels": _levels,
}


def _sizes_4_to_6(random: Generator, k: int) -> Array:
    return random.integers(4, 7, k).astype(float)


def _sizes_1_to_9(random: Generator, k: int) -> Array:
    return random.integers(1, 10, k).astype(float)


def _sizes_lognormal(random: Generator, k: int) -> Array:
    return np.maximum(1.0, np.rint(random.lognormal(1.5, 1.0, size=k)))


def _one_giant(random: Generator, k: int) -> Array:
    sizes = _sizes_1_to_9(random, k)
    sizes[0] = sizes[1:].sum() / 2
    return sizes


SIZES: dict[str, Callable[[Generator, int], Array]] = {
    "4–6 items": _sizes_4_to_6,
    "1–9 items": _sizes_1_to_9,
    "lognormal(1.5, 1) items": _sizes_lognormal,
    "one cluster of a third": _one_giant,
}


def pass_fail_sums(random: Generator, sizes: Array) -> Array:
    """Items passed in each cluster; clusters differ in difficulty."""
    return random.binomial(sizes.astype(int), random.beta(4, 2, size=len(sizes))).astype(float)


def score_sums(random: Generator, sizes: Array) -> Array:
    """Sums of continuous scores, with an effect of the cluster."""
    return sizes * random.normal(size=len(sizes)) + random.normal(scale=np.sqrt(sizes))
