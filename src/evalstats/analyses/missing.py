"""What the unscored items could do to the answer: counts, bounds, and whether the runs miss equally often."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalstats.data.items import ItemScores
from evalstats.envelope import Scale
from evalstats.methods.mcnemar import mcnemar_counts


@dataclass(frozen=True)
class MissingCounts:
    """Items of one run: n_total = n_scored + n_missing + n_errored."""

    n_total: int
    n_scored: int
    n_missing: int
    n_errored: int


def missing_counts(items: ItemScores) -> MissingCounts:
    scored, errored = int(items.scored.sum()), int(items.errored.sum())
    return MissingCounts(len(items.y), scored, len(items.y) - scored - errored, errored)


def filled_scores(
    baseline: NDArray[np.float64], candidate: NDArray[np.float64], scale: Scale, *, best: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both runs' scores with nan filled so that the difference is as small, or as large, as it can be."""
    assert scale.low is not None
    assert scale.high is not None
    for_candidate, for_baseline = (scale.high, scale.low) if best else (scale.low, scale.high)
    return (
        np.where(np.isnan(baseline), for_baseline, baseline),
        np.where(np.isnan(candidate), for_candidate, candidate),
    )


def missing_rates_pvalue(baseline: NDArray[np.bool_], candidate: NDArray[np.bool_]) -> float:
    """McNemar's exact p that two runs leave the same items unscored equally often; nan if none is."""
    baseline_only, candidate_only = int((baseline & ~candidate).sum()), int((candidate & ~baseline).sum())
    if not baseline.any() and not candidate.any():
        return math.nan
    return mcnemar_counts(baseline_only, candidate_only, len(baseline)).pvalue
