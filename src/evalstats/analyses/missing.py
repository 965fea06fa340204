"""What the unscored items could do to the answer: bounds, and whether the runs miss equally often."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from numpy.typing import NDArray

from evalstats.analyses.family import with_verdict
from evalstats.analyses.options import Options
from evalstats.analyses.sides import Caveats, request
from evalstats.analyses.two_runs import TwoRuns
from evalstats.caveats import caveat
from evalstats.data.design import cluster_codes
from evalstats.data.pairing import Matched
from evalstats.envelope import Comparison, MissingBounds
from evalstats.methods.differences import item_difference
from evalstats.methods.mcnemar import mcnemar_counts
from evalstats.methods.pairs import PairedItems
from evalstats.results import Estimate

Array = NDArray[np.float64]


def missing_rates_pvalue(baseline: NDArray[np.bool_], candidate: NDArray[np.bool_]) -> float:
    """McNemar's exact p that two runs leave the same items unscored equally often; nan if none is."""
    if not baseline.any() and not candidate.any():
        return math.nan
    baseline_only, candidate_only = int((baseline & ~candidate).sum()), int((candidate & ~baseline).sum())
    return mcnemar_counts(baseline_only, candidate_only, len(baseline)).pvalue


def missing_bounds(
    runs: TwoRuns, matched: Matched, row: Comparison, options: Options
) -> MissingBounds | None:
    """The answer with every unscored item filled against, and for, the candidate (DECISIONS 17).

    Over the items that both runs list. None when all are scored, or without a scale to fill from.
    """
    unscored = runs.unscored(matched)
    if not (unscored[0] | unscored[1]).any() or runs.scale.low is None or runs.scale.high is None:
        return None
    ends = (runs.scale.low, runs.scale.high)
    best_first = ends if not runs.lower_is_better else (ends[1], ends[0])
    filled = [_filled(runs, matched, row, options, fill) for fill in (best_first, best_first[::-1])]
    (worst, worst_verdict), (best, best_verdict) = filled
    return MissingBounds(worst, best, worst_verdict, best_verdict, missing_rates_pvalue(*unscored))


def _filled(
    runs: TwoRuns, matched: Matched, row: Comparison, options: Options, fill: tuple[float, float]
) -> tuple[Estimate, str]:
    """The difference and verdict with unscored items at fill = (the candidate's, the baseline's) score."""
    old = runs.items[0].y[matched.baseline]
    new = runs.items[1].y[matched.candidate]
    one, two = np.where(np.isnan(old), fill[1], old), np.where(np.isnan(new), fill[0], new)
    binary = bool(np.isin(np.concatenate([one, two]), (0.0, 1.0)).all())
    clusters = None
    if row.design.cluster_source != "none":
        clusters = cluster_codes(row.design.unit, runs.positioned((matched.baseline, matched.candidate)))
    low, high = sorted(fill)
    pairs = PairedItems(one, two, runs.scale.kind == "pass_fail" and binary, (low, high), clusters)
    asked = dataclasses.replace(options, view="random_items")
    difference = item_difference(pairs, request(asked, name="difference", named=False))
    settled = with_verdict(dataclasses.replace(row, difference=difference, test=None), None, False)
    return difference, settled.verdict


def could_reverse(missing: MissingBounds | None) -> Caveats:
    if missing is None or missing.worst_verdict == missing.best_verdict:
        return []
    text = "filling the unscored items at worst and at best gives different verdicts"
    return [caveat("missing_could_reverse", text)]
