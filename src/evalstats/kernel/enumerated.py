"""Every resample of few units, with its probability: the law of any statistic of weights."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evalstats.kernel.exact import Atoms, merged
from evalstats.kernel.units import Tally
from evalstats.kernel.weighted import SumStatistic

ENUMERATION = "exact enumeration"
MOST_CELLS = 1 << 20  # weights of all resamples together
MOST_DISTINCT = 64  # rows: of more there are never few resamples


def enumerable(tally: Tally) -> bool:
    """Whether its distinct resamples are few: C(n+d−1, d−1) of them, d weights each."""
    d = len(tally.counts)
    return d <= MOST_DISTINCT and math.comb(tally.n + d - 1, d - 1) * d <= MOST_CELLS


def enumerated_law(tally: Tally, statistic: SumStatistic) -> Atoms:
    """The law of a statistic that every resample has."""
    return merged(*enumerated_values(tally, statistic), ENUMERATION)


def enumerated_values(
    tally: Tally, statistic: SumStatistic
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Every resample's value and probability. Weights n₁ … n_d have n!/Πn_j! · Πp_j^{n_j}."""
    n, rates = tally.n, tally.counts / tally.n
    weights = _compositions(n, len(rates))
    log_ways = special.gammaln(n + 1) - np.add.reduce(special.gammaln(weights + 1.0), axis=1)
    masses = np.exp(log_ways + np.add.reduce(weights * np.log(rates), axis=1))
    return statistic(tally.rows, weights), masses


def _compositions(n: int, d: int) -> NDArray[np.int64]:
    """(C(n+d−1, d−1), d): all ways to write n as an ordered sum of d whole numbers."""
    parts: list[NDArray[np.int64]] = []
    rest = np.array([n])
    for _ in range(d - 1):
        repeats = rest + 1
        starts = np.repeat(np.cumsum(repeats) - repeats, repeats)
        part = np.arange(int(repeats.sum())) - starts
        parts = [np.repeat(column, repeats) for column in parts] + [part]
        rest = np.repeat(rest, repeats) - part
    return np.stack([*parts, rest], axis=1)
