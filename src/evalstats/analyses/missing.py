"""What the unscored items could do to the answer: bounds, and whether the runs miss equally often."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalstats.analyses.family import with_verdict
from evalstats.analyses.options import Options
from evalstats.analyses.sides import Caveats, Positions, request
from evalstats.analyses.two_runs import TwoRuns, paired_items_of, unpaired_items_of
from evalstats.caveats import caveat
from evalstats.data.design import cluster_codes
from evalstats.data.items import ItemScores
from evalstats.data.pairing import Matched
from evalstats.envelope import Comparison, MissingBounds
from evalstats.errors import MethodError
from evalstats.methods.differences import difference_test, item_difference
from evalstats.methods.items import ItemValues
from evalstats.methods.pairs import PairedItems, UnpairedItems
from evalstats.results import Estimate

Mask = NDArray[np.bool_]
RATES_DIFFER = 0.05


@dataclass(frozen=True)
class Missed:
    """Who left what unscored: a mask of each run's items; pvalue : that both do so equally often.

    nan where none is unscored, or where one cluster tells nothing of rates.
    """

    baseline: Mask
    candidate: Mask
    pvalue: float

    @property
    def any(self) -> bool:
        return bool(self.baseline.any() or self.candidate.any())


def missed_together(runs: TwoRuns, matched: Matched, field: str | None) -> Missed:
    """Of the items that both list, in their clusters if there are any."""
    old, new = runs.unscored(matched)
    codes = matched_clusters(runs, matched, field)
    return Missed(old, new, missing_rates_pvalue(old, new, codes))


def missed_apart(runs: TwoRuns, field: str | None) -> Missed:
    """Of the items that each run lists."""
    old, new = (_missed_by_one(runs, which, field) for which in (0, 1))
    return Missed(old.y > 0, new.y > 0, _rates_pvalue(UnpairedItems(old, new)))


def _missed_by_one(runs: TwoRuns, which: int, field: str | None) -> ItemValues:
    missed, items = ~runs.items[which].scored, runs.parts[which].items
    codes = None if field is None else cluster_codes(field, ((items, np.arange(len(items))),))
    return ItemValues(missed.astype(np.float64), pass_fail=True, bounds=(0.0, 1.0), cluster=codes)


def missing_rates_pvalue(baseline: Mask, candidate: Mask, cluster: Positions | None = None) -> float:
    """p that two runs leave the same items unscored equally often; nan if none is."""
    old, new = baseline.astype(np.float64), candidate.astype(np.float64)
    return _rates_pvalue(PairedItems(old, new, pass_fail=True, bounds=(0.0, 1.0), cluster=cluster))


def _rates_pvalue(missed: PairedItems | UnpairedItems) -> float:
    if not missed.baseline.y.any() and not missed.candidate.y.any():
        return math.nan
    try:
        return difference_test(missed).pvalue
    except MethodError:  # one cluster
        return math.nan


def matched_clusters(runs: TwoRuns, matched: Matched, field: str | None) -> Positions | None:
    """The clusters of all items that both list; None without a field."""
    if field is None:
        return None
    return cluster_codes(field, runs.positioned((matched.baseline, matched.candidate)))


def missing_bounds(
    runs: TwoRuns, matched: Matched, missed: Missed, row: Comparison, options: Options
) -> MissingBounds | None:
    """The answer with every unscored item filled against, and for, the candidate.

    Over the items that both runs list. None when all are scored, or without a scale to fill from.
    """
    codes = matched_clusters(runs, matched, _cluster_field(row))
    at = (matched.baseline, matched.candidate)
    return _bounds(runs, missed, row, options, lambda filled: paired_items_of(filled, at, codes))


def unpaired_missing_bounds(
    runs: TwoRuns, missed: Missed, row: Comparison, options: Options
) -> MissingBounds | None:
    """The same for runs of different items, each over the items that it lists."""
    at = (np.arange(len(missed.baseline)), np.arange(len(missed.candidate)))
    field = _cluster_field(row)
    return _bounds(runs, missed, row, options, lambda filled: unpaired_items_of(filled, at, field))


def _cluster_field(row: Comparison) -> str | None:
    return None if row.design.cluster_source == "none" else row.design.unit


def _bounds(
    runs: TwoRuns,
    missed: Missed,
    row: Comparison,
    options: Options,
    items_of: Callable[[TwoRuns], PairedItems | UnpairedItems],
) -> MissingBounds | None:
    """items_of : of runs whose items are all scored, what the methods take."""
    if not missed.any or runs.scale.low is None or runs.scale.high is None:
        return None
    low, high = runs.scale.low, runs.scale.high
    best_first = (low, high) if not runs.lower_is_better else (high, low)
    (worst, worst_verdict), (best, best_verdict) = (
        _answer(items_of(_filled(runs, *fill)), row, options) for fill in (best_first, best_first[::-1])
    )
    return MissingBounds(worst, best, worst_verdict, best_verdict, missed.pvalue)


def _filled(runs: TwoRuns, candidates_score: float, baselines_score: float) -> TwoRuns:
    """Both runs with a score for every item, with as many completions as were logged."""
    old, new = runs.items
    return dataclasses.replace(
        runs, items=(_with_score(old, baselines_score), _with_score(new, candidates_score))
    )


def _with_score(items: ItemScores, score: float) -> ItemScores:
    completions = np.where(items.scored, items.completions, np.maximum(items.logged, 1))
    return dataclasses.replace(items, means=np.where(items.scored, items.y, score), completions=completions)


def _answer(items: PairedItems | UnpairedItems, row: Comparison, options: Options) -> tuple[Estimate, str]:
    """The difference and verdict, by the default or the guarantee: a named method may refuse filled data."""
    asked = dataclasses.replace(
        options,
        view="random_items",
        method=None,
        n_boot=None,
        largest_cluster=options.largest_cluster if options.guarantee else None,
    )
    difference = item_difference(items, request(asked, name="difference"))
    test = difference_test(items, guarantee=True) if options.guarantee else None
    filled = dataclasses.replace(row, difference=difference, test=test)
    return difference, with_verdict(filled, None, options.guarantee).verdict


def could_reverse(missing: MissingBounds | None) -> Caveats:
    if missing is None or missing.worst_verdict == missing.best_verdict:
        return []
    text = "filling the unscored items at worst and at best gives different verdicts"
    return [caveat("missing_could_reverse", text)]


def rates_differ(missed: Missed) -> Caveats:
    """What is said when the runs fail to be scored at different rates."""
    if math.isnan(missed.pvalue) or missed.pvalue > RATES_DIFFER:
        return []
    old, new = int(missed.baseline.sum()), int(missed.candidate.sum())
    sizes = len(missed.baseline), len(missed.candidate)
    of_baseline = f" of {sizes[0]}" if sizes[0] != sizes[1] else ""
    text = f"{old}{of_baseline} and {new} of {sizes[1]} items were not scored (p = {missed.pvalue:.2g})"
    return [caveat("missing_rates_differ", text)]
