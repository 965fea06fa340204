"""A measure over many problems from how often each pair of attempts and right ones occurs.

The digits are those of the problems one by one: an estimate depends on its values, not on their order.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.kernel.units import Tally
from evalstats.methods.counted import counted_mean
from evalstats.methods.items import Request
from evalstats.methods.mean_intervals import COMPLETIONS
from evalstats.numeric import counted_sum
from evalstats.results import Estimate

Array = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Kinds:
    """Problems by what was seen of them. pairs : the (n, c) that occur. counts : (d,), how often each."""

    pairs: list[tuple[int, int]]
    counts: Counts

    @property
    def attempts(self) -> int:
        return sum(n * count for (n, _), count in zip(self.pairs, self.counts.tolist(), strict=True))

    @property
    def several(self) -> bool:
        """Some problem has several attempts."""
        return max(n for n, _ in self.pairs) > 1

    @property
    def most_independent(self) -> float:
        """N²/Σ(1/n), as of items with several completions."""
        n = np.array([n for n, _ in self.pairs], dtype=np.float64)
        return float(self.counts.sum()) ** 2 / counted_sum(1 / n, self.counts)


def estimate_from_counts(kinds: Kinds, values: Array, of_means: bool, request: Request) -> Estimate | None:
    """None for what needs the problems one by one, and for a pass rate, which has rules of its own.

    values : (d,) of each kind. of_means : a value is the mean score of a problem's attempts.
    """
    completions = of_means and kinds.several
    by_name = request.method is not None or request.guarantee
    if (by_name and completions) or np.all((values == 0) | (values == 1)):
        return None
    distinct, place = np.unique(values, return_inverse=True)
    counts = np.bincount(place.reshape(-1), weights=kinds.counts).astype(np.int64)
    found = counted_mean(
        Tally(np.column_stack([distinct, np.ones(len(distinct))]), counts), (0.0, 1.0), request
    )
    if found is None or not completions:
        return found
    return _of_completions(found, kinds)


def _of_completions(found: Estimate, kinds: Kinds) -> Estimate | None:
    """The same numbers, called what they are; None where scores within problems bound the effective n."""
    if found.extra.get("n_eff", math.inf) >= kinds.most_independent:
        return None
    extra: dict[str, Any] = {}
    for key, value in found.extra.items():
        extra[key] = value
        if key == "bounds":
            extra["n_completions"] = kinds.attempts
    extra["why"] = COMPLETIONS.why(COMPLETIONS.default, None)
    return dataclasses.replace(found, extra=extra)
