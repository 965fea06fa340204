"""Results of two ways are one answer: limits agree within four Monte Carlo standard errors."""

from __future__ import annotations

import math
from collections.abc import Sequence

from evalstats.results import Estimate


class Disagreement(Exception):
    """Two ways to one number gave two numbers: whatever was measured counts for nothing."""


def agree(
    what: str, ours: Sequence[float], theirs: Sequence[float], sd: float, n_boot: int = 10_000, draws: int = 1
) -> None:
    """Limits at 95 %. sd : of the law. draws : how many of the two were drawn. A lattice adds its step."""
    error = 4 * sd * math.sqrt(draws * 0.025 * 0.975 / n_boot) / 0.05845
    for one, other in zip(ours, theirs, strict=True):
        if abs(one - other) > error:
            raise Disagreement(f"{what}: {one:g} and {other:g} are more than {error:.2g} apart")


def limits(estimate: Estimate) -> tuple[float, float]:
    return estimate.ci_low, estimate.ci_high
