"""The loops that the book chapter teaches, written anew: one resample after the other, in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
N_BOOT = 10_000


def percentiles(values: Array) -> tuple[float, float]:
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def statistic_loop(
    rows: NDArray[Any], statistic: Callable[[NDArray[Any]], float], n_boot: int = N_BOOT, seed: int = 0
) -> tuple[float, float]:
    random, values = np.random.default_rng(seed), np.empty(n_boot)
    for b in range(n_boot):
        values[b] = statistic(rows[random.integers(0, len(rows), len(rows))])
    return percentiles(values)


def mean_loop(scores: NDArray[Any], n_boot: int = N_BOOT, seed: int = 0) -> tuple[float, float]:
    return statistic_loop(scores, np.mean, n_boot, seed)


def cluster_loop(
    scores: Array, groups: NDArray[Any], n_boot: int = N_BOOT, seed: int = 0
) -> tuple[float, float]:
    random, means = np.random.default_rng(seed), np.empty(n_boot)
    of_group = [scores[groups == label] for label in np.unique(groups)]
    for b in range(n_boot):
        drawn = random.integers(0, len(of_group), len(of_group))
        means[b] = np.concatenate([of_group[i] for i in drawn]).mean()
    return percentiles(means)


def composite_loop(parts: list[Array], n_boot: int = N_BOOT, seed: int = 0) -> tuple[float, float]:
    """The mean over benchmarks of means over their items."""
    random, values = np.random.default_rng(seed), np.empty(n_boot)
    for b in range(n_boot):
        values[b] = np.mean([part[random.integers(0, len(part), len(part))].mean() for part in parts])
    return percentiles(values)
