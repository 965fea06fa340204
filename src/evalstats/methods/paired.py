"""Two runs on the same items, pass/fail: how far apart they are (candidate − baseline).

In the formulas b counts the items only the candidate has right, c those only the baseline has right.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_HALVINGS = 53  # a bracket of width 2 shrinks to 2e-16


def _constrained_variance(b: Any, c: Any, n: Any, delta: Any) -> NDArray[np.float64]:
    """Variance of b − c at difference delta, with the nuisance at its constrained maximum likelihood q."""
    A = 2 * n
    B = -b - c + (2 * n - b + c) * delta
    C = -c * delta * (1 - delta)
    root = np.sqrt(np.maximum(B**2 - 4 * A * C, 0.0))
    with np.errstate(invalid="ignore", divide="ignore"):  # the branch not taken may be 0/0
        q = np.where(B > 0, -2 * C / (root + B), (root - B) / (2 * A))  # no cancellation for either sign of B
    return np.asarray(np.maximum(n * (2 * q + delta * (1 - delta)), 0.0), dtype=np.float64)


def tango_upper(b: ArrayLike, c: ArrayLike, n: ArrayLike, z: ArrayLike) -> NDArray[np.float64]:
    """The largest difference with score statistic ≥ −z, elementwise; the lower limit is its mirror image."""
    b, c, n, z = (np.asarray(value, dtype=np.float64) for value in (b, c, n, z))
    D = (b - c) / n
    low, high = np.broadcast_arrays(D, np.ones(np.broadcast(D, z).shape))
    low, high = low.copy(), high.copy()
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        outside = n * (middle - D) > z * np.sqrt(_constrained_variance(b, c, n, middle))
        high = np.where(outside, middle, high)
        low = np.where(outside, low, middle)
    no_discordant = (b == 0) & (c == 0)  # closed form, free of the second root at 0
    return np.where(no_discordant, z**2 / (n + z**2), np.where(D >= 1, 1.0, high))


def tango_limits(baseline_only: float, candidate_only: float, n: float, z: float) -> tuple[float, float]:
    """Score limits of a paired difference of rates; counts may be real, z may be a Student quantile.

    Solves z(δ) = ±z on either side of D = (candidate_only − baseline_only)/n; −1 or 1 where there is no
    root; ±z²/(n+z²) when no item is discordant. Tango 1998, Statistics in Medicine 17:891–908.

    >>> low, high = tango_limits(40, 55, 500, 1.959964)
    >>> round(low, 4), round(high, 4)
    (-0.0083, 0.0688)
    """
    high = float(tango_upper(candidate_only, baseline_only, n, z))
    low = -float(tango_upper(baseline_only, candidate_only, n, z))
    return low, high


def tango_statistic(baseline_only: float, candidate_only: float, n: float, delta: float) -> float:
    """Tango's score statistic z(δ) of the hypothesis that the true difference is delta (−1 < delta < 1).

    >>> round(tango_statistic(40, 55, 500, 0.0), 4)
    1.539
    """
    return float(tango_statistics(baseline_only, candidate_only, n, delta))


def tango_statistics(
    baseline_only: ArrayLike, candidate_only: ArrayLike, n: ArrayLike, delta: ArrayLike
) -> NDArray[np.float64]:
    """`tango_statistic`, elementwise; 0 where both the excess and its variance are 0."""
    c, b, n, delta = (
        np.asarray(value, dtype=np.float64) for value in (baseline_only, candidate_only, n, delta)
    )
    excess = b - c - n * delta
    variance = _constrained_variance(b, c, n, delta)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(excess == 0, 0.0, excess / np.sqrt(variance))
