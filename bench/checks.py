"""Two ways gave one answer: to rounding, or within four Monte Carlo errors. What is unequal is not timed.

Each check is a function of (data, ours, theirs) that says how near they are, or raises UnequalError.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bench.loops import N_BOOT

Check = Callable[[Any, Any, Any], str]
MOST = 4.0  # Monte Carlo errors
_Q, _DENSITY = 0.025, 0.058445  # of a limit at 95 %, and the normal density there


class UnequalError(Exception):
    """Two ways to one number gave two numbers: whatever was timed counts for nothing."""


def noise(n_boot: int = N_BOOT) -> float:
    """The Monte Carlo error of a limit at 95 %, in standard deviations of the law."""
    return math.sqrt(_Q * (1 - _Q) / n_boot) / _DENSITY


def numbers(tolerance: float) -> Check:
    """Every number of one is that of the other, to a share of the largest."""

    def check(data: Any, ours: Any, theirs: Any) -> str:
        x, y = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
        if x.shape != y.shape:
            raise UnequalError(f"shapes {x.shape} and {y.shape}")
        gap = float(np.max(np.abs(x - y))) / (float(np.max(np.abs(y))) or 1.0)
        if not gap <= tolerance:
            raise UnequalError(f"{x.ravel()[:4]} and {y.ravel()[:4]} differ by {gap:.1g} of the largest")
        return "equal" if gap == 0 else f"to {gap:.0e}"

    return check


def limits(
    n_boot: int = N_BOOT, draws: float = 1.0, step: Callable[[Any], float] = lambda data: 0.0
) -> Check:
    """Two limits at 95 %, ours an Estimate with boot_se, theirs (low, high).

    draws : how many of the two were drawn; 2 for BCa, whose bias is drawn too. step : of the data's lattice,
    by which a percentile may be off on top.
    """

    def check(data: Any, ours: Any, theirs: Sequence[float]) -> str:
        error = float(ours.extra["boot_se"]) * noise(n_boot) * math.sqrt(draws)
        gap = float(np.max(np.abs(np.subtract((ours.ci_low, ours.ci_high), theirs))))
        return errors_apart(0.0 if gap <= step(data) else (gap - step(data)) / error)

    return check


def shares(n_boot: int) -> Check:
    """A probability on our side, the same from n_boot resamples on theirs."""

    def check(data: Any, ours: float, theirs: float) -> str:
        return errors_apart(abs(ours - theirs) / math.sqrt(ours * (1 - ours) / n_boot))

    return check


def spreads(n_boot: int, draws: float = 1.0) -> Check:
    """Standard deviations, of which `draws` come from n_boot resamples."""

    def check(data: Any, ours: float, theirs: float) -> str:
        return errors_apart(abs(theirs / ours - 1) / math.sqrt(draws / (2 * n_boot)))

    return check


def errors_apart(gap: float) -> str:
    if not gap <= MOST:
        raise UnequalError(f"{gap:.1f} Monte Carlo errors apart, more than {MOST:g}")
    return f"{gap:.1f} errors"
