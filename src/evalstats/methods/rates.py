"""One pass rate: k of n, and how far the truth may be from k/n."""

from __future__ import annotations

import math

from evalstats.numeric import beta_quantile


def wilson_limits(p: float, n: float, z: float) -> tuple[float, float]:
    """Wilson's score limits of a rate p seen in n (real) independent units; exactly 0 at p = 0, 1 at p = 1.

    z may be a Student quantile. Wilson 1927.

    >>> low, high = wilson_limits(0.72, 500, 1.959964)
    >>> round(low, 4), round(high, 4)
    (0.6791, 0.7576)
    """
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    low = 0.0 if p == 0 else max(0.0, centre - half)  # algebra stays inside [0, 1], rounding does not
    high = 1.0 if p == 1 else min(1.0, centre + half)
    return low, high


def clopper_pearson_limits(k: float, n: float, level: float) -> tuple[float, float]:
    """Exact two-sided limits of k of n, both real: low = Beta⁻¹(α/2; k, n−k+1), high by mirroring.

    Clopper & Pearson 1934; real k and n as Korn & Graubard 1998 use them.

    >>> low, high = clopper_pearson_limits(1, 30, 0.95)
    >>> round(low, 4), round(high, 4)
    (0.0008, 0.1722)
    """
    return _exact_lower(k, n, level), 1.0 - _exact_lower(n - k, n, level)


def _exact_lower(k: float, n: float, level: float) -> float:
    if k <= 0:
        return 0.0
    half_alpha = (1 - level) / 2
    if k >= n:
        return math.pow(half_alpha, 1 / n)
    return beta_quantile(half_alpha, k, n - k + 1)
