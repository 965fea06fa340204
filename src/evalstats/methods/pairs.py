"""Two runs, item by item: what the methods for a difference take, from rows as people hold them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.errors import InputError, PairingError
from evalstats.kernel.arrays import (
    Bounds,
    Codes,
    all_either,
    check_bounds,
    check_inside,
    check_labels,
    check_numbers,
    scale_of_runs,
)
from evalstats.kernel.counts import counted_differences
from evalstats.kernel.stream import Sample, Streamed, too_many
from evalstats.kernel.units import Tally
from evalstats.methods.clusters import Clusters, clustered
from evalstats.methods.item_differences import ROUNDING, differences, streamed_differences
from evalstats.methods.items import ItemValues, as_bits, reduced
from evalstats.methods.singles import Singles, singles_of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PairedItems:
    """Two runs on the same items: (n,) arrays, entry i of each about item i, in any order.

    scores_… : the item's score, or the mean of its scored completions; booleans and whole numbers as they
    came, for methods that count. y_… : the same as floats. pass_fail : every completion is 0 or 1.
    bounds : ends of the scores' scale, or None. cluster : codes 0 … k−1, or None. completions_… : how many
    were scored, None if one of each. within_… : Σ(x − y)² of each item's completions.
    """

    scores_baseline: NDArray[Any]
    scores_candidate: NDArray[Any]
    pass_fail: bool = False
    bounds: Bounds | None = None
    cluster: Codes | None = None
    completions_baseline: Array | None = None
    completions_candidate: Array | None = None
    within_baseline: Array | None = None
    within_candidate: Array | None = None
    scale_assumed: bool = False

    @property
    def n(self) -> int:
        return len(self.scores_baseline)

    @cached_property
    def y_baseline(self) -> Array:
        return self.scores_baseline.astype(np.float64, copy=False)

    @cached_property
    def y_candidate(self) -> Array:
        return self.scores_candidate.astype(np.float64, copy=False)

    @cached_property
    def _counted(self) -> Tally | None:
        """How often each difference occurs, where scores are whole numbers."""
        return counted_differences(self.scores_candidate, self.scores_baseline)

    @cached_property
    def sample(self) -> Sample | None:
        """The differences of single items that are counted, or too many for an array; None for others."""
        if self.cluster is not None or self.repeated:
            return None
        if self._counted is not None or not too_many(self.n):
            return self._counted
        values = streamed_differences(self.scores_baseline, self.scores_candidate)
        return values.tally() or values

    @cached_property
    def n_lower_and_higher(self) -> tuple[int, int]:
        """Items with a lower, and with a higher score of the candidate."""
        sample = self._counted or self.sample
        if sample is None:
            return int(np.count_nonzero(self.d < 0)), int(np.count_nonzero(self.d > 0))
        if isinstance(sample, Streamed):
            return sample.count(lambda d: d < 0), sample.count(lambda d: d > 0)
        d, counts = sample.rows[:, 0], sample.counts
        return int(counts[d < 0].sum()), int(counts[d > 0].sum())

    @property
    def n_both_right(self) -> int:
        """Pass/fail items that both runs have right."""
        old, new = self.scores_baseline, self.scores_candidate
        if new.dtype == old.dtype == np.bool_:
            return int(np.count_nonzero(new)) - self.n_lower_and_higher[1]
        return int(np.count_nonzero((old == 1) & (new == 1)))

    @cached_property
    def d(self) -> Array:
        """(n,) candidate − baseline; 0 where they differ by rounding alone."""
        return differences(self.y_baseline, self.y_candidate)

    @cached_property
    def units(self) -> Clusters:
        """The differences in clusters, or every item its own."""
        return clustered(self.d, self.cluster)

    @cached_property
    def items(self) -> Singles | None:
        """The mean of `sample`, where there is one."""
        return None if self.sample is None else singles_of(self.sample)

    @property
    def point(self) -> float:
        """D = Σd/n."""
        return self.units.point if self.items is None else self.items.point

    @property
    def samples(self) -> tuple[Clusters, ...]:
        """What is drawn independently: one sample of differences."""
        return (self.units,)

    @property
    def clustered(self) -> bool:
        return self.cluster is not None

    @cached_property
    def baseline(self) -> ItemValues:
        return self._run(self.scores_baseline, self.completions_baseline, self.within_baseline)

    @cached_property
    def candidate(self) -> ItemValues:
        return self._run(self.scores_candidate, self.completions_candidate, self.within_candidate)

    def _run(self, scores: NDArray[Any], completions: Array | None, within: Array | None) -> ItemValues:
        return ItemValues(scores, self.pass_fail, self.bounds, self.cluster, completions, within)

    @property
    def repeated(self) -> bool:
        return self.baseline.repeated or self.candidate.repeated

    @property
    def most_independent(self) -> float:
        """N of the run with fewer independent completions."""
        return min(self.baseline.most_independent, self.candidate.most_independent)

    @property
    def scale(self) -> Bounds:
        """Where a difference can lie."""
        return reach(self.bounds)

    @property
    def unit(self) -> str:
        return self.baseline.unit

    @property
    def n_discordant_units(self) -> int:
        """Clusters with Σd ≠ 0, or items with d ≠ 0."""
        if self.cluster is None:
            return sum(self.n_lower_and_higher)
        within = np.bincount(self.cluster, weights=np.abs(self.d))
        return int(np.count_nonzero(np.abs(self.units.sums) > ROUNDING * within))

    def swapped(self) -> PairedItems:
        """Baseline and candidate exchanged."""
        return PairedItems(
            self.scores_candidate,
            self.scores_baseline,
            self.pass_fail,
            self.bounds,
            self.cluster,
            self.completions_candidate,
            self.completions_baseline,
            self.within_candidate,
            self.within_baseline,
            self.scale_assumed,
        )


@dataclass(frozen=True)
class UnpairedItems:
    """Two runs on different items. n_shared : items that both list all the same, if items are named."""

    baseline: ItemValues
    candidate: ItemValues
    n_shared: int = 0

    @property
    def n(self) -> int:
        return self.baseline.n + self.candidate.n

    @property
    def point(self) -> float:
        return self.candidate.point - self.baseline.point

    @property
    def samples(self) -> tuple[Clusters, ...]:
        """What is drawn independently: either run's units."""
        return self.baseline.units, self.candidate.units

    @property
    def scale_assumed(self) -> bool:
        return self.baseline.scale_assumed

    @property
    def pass_fail(self) -> bool:
        return self.baseline.pass_fail and self.candidate.pass_fail

    @property
    def repeated(self) -> bool:
        return self.baseline.repeated or self.candidate.repeated

    @property
    def clustered(self) -> bool:
        return self.baseline.cluster is not None or self.candidate.cluster is not None

    @property
    def scale(self) -> Bounds:
        """Where a difference can lie."""
        return reach(self.baseline.bounds)

    @property
    def unit(self) -> str:
        return self.baseline.unit


def reach(bounds: Bounds | None) -> Bounds:
    """The ends of a difference of two scores on a scale."""
    width = math.inf if bounds is None else bounds[1] - bounds[0]
    return -width, width


def paired_items(
    baseline: Any, candidate: Any, cluster: Any = None, item: Any = None, bounds: Any = None
) -> PairedItems:
    """Checked rows of two runs, put side by side.

    Without `item`, row i of both is item i. item : labels of the rows, or a pair (baseline's, candidate's)
    when the runs have different numbers of rows; rows with equal labels are completions. cluster likewise.
    Raises PairingError where the two do not have the same items.
    """
    x, y, scale, pass_fail, assumed = _two_runs(baseline, candidate, bounds)
    if len(x) != len(y) and not (_is_pair(item)):
        raise PairingError(
            f"baseline has {len(x)} scores and candidate {len(y)}: paired runs need the same items in "
            "the same order. Name them with item=(baseline's, candidate's), or compare with paired=False."
        )
    if item is None:
        codes = None if cluster is None else _codes_of_two(cluster, len(x), len(y), "cluster")[0]
        if codes is not None:
            _check_same_clusters(codes, range(len(x)))
        return PairedItems(x, y, pass_fail, scale, None if codes is None else codes[0], scale_assumed=assumed)
    items, labels = _codes_of_two(item, len(x), len(y), "item")
    _check_same_items(items, labels)
    clusters: list[Codes | None] = [None, None]
    if cluster is not None:
        clusters = list(_codes_of_two(cluster, len(x), len(y), "cluster")[0])
    old, new = (
        reduced(ItemValues(scores, pass_fail, scale, own), codes, labels)
        for scores, own, codes in zip((x, y), clusters, items, strict=True)
    )
    if old.cluster is not None and new.cluster is not None:
        _check_same_clusters([old.cluster, new.cluster], labels)
    return PairedItems(
        old.scores,
        new.scores,
        pass_fail,
        scale,
        old.cluster,
        old.completions,
        new.completions,
        old.within,
        new.within,
        assumed,
    )


def unpaired_items(
    baseline: Any, candidate: Any, cluster: Any = None, item: Any = None, bounds: Any = None
) -> UnpairedItems:
    """Checked rows of two runs on different items. cluster, item : pairs (baseline's, candidate's)."""
    x, y, scale, pass_fail, assumed = _two_runs(baseline, candidate, bounds)
    for name, labels in (("cluster", cluster), ("item", item)):
        if labels is not None and not _is_pair(labels):
            raise InputError(
                f"{name}= of unpaired runs is a pair: give {name}=(baseline's labels, candidate's labels)."
            )
    runs, names = [], []
    for i, scores in enumerate((x, y)):
        codes = None if cluster is None else check_labels(cluster[i], len(scores), "cluster")[0]
        rows = ItemValues(scores, pass_fail, scale, codes, scale_assumed=assumed)
        found = None if item is None else check_labels(item[i], len(scores), "item")
        names.append(set() if found is None else set(found[1]))
        runs.append(rows if found is None else reduced(rows, *found))
    return UnpairedItems(runs[0], runs[1], len(names[0] & names[1]))


def _two_runs(
    baseline: Any, candidate: Any, bounds: Any
) -> tuple[NDArray[Any], NDArray[Any], Bounds | None, bool, bool]:
    x, y = check_numbers(baseline, "baseline"), check_numbers(candidate, "candidate")
    asked = check_bounds(bounds)
    if asked is not None:
        check_inside(x, asked, "baseline")
        check_inside(y, asked, "candidate")
    _check_one_unit(x, y)
    scale, pass_fail, assumed = scale_of_runs((x, y), asked)
    if pass_fail:
        x, y = as_bits(x), as_bits(y)
    return x, y, scale, pass_fail, assumed


def _check_one_unit(x: NDArray[Any], y: NDArray[Any]) -> None:
    """0/1 in one run and 0/100 in the other are one measure in two units, not a difference of points."""
    if {_top_of_two_values(x), _top_of_two_values(y)} == {1.0, 100.0}:
        raise InputError(
            "one run has scores of 0 and 1, the other of 0 and 100: divide the larger by 100, so that both "
            "have one scale."
        )


def _top_of_two_values(x: NDArray[Any]) -> float:
    """The higher of two values of which the other is 0; nan for anything else."""
    if x.dtype == np.bool_:
        return 1.0 if x.any() else 0.0
    top = float(x.max())
    if top not in (1.0, 100.0):
        return math.nan
    return top if all_either(x, 0.0, top) else math.nan


def _is_pair(labels: Any) -> bool:
    return (
        isinstance(labels, tuple)
        and len(labels) == 2
        and all(hasattr(one, "__len__") and not isinstance(one, str | bytes) for one in labels)
    )


def _codes_of_two(labels: Any, n_baseline: int, n_candidate: int, name: str) -> tuple[list[Codes], list[Any]]:
    """Common codes for the rows of both runs, from one array for both or a pair."""
    old, new = labels if _is_pair(labels) else (labels, labels)
    if not _is_pair(labels) and n_baseline != n_candidate:
        raise InputError(
            f"{name}= is one list for runs of {n_baseline} and {n_candidate} rows: give a pair, "
            f"{name}=(baseline's, candidate's)."
        )
    first, first_labels = check_labels(old, n_baseline, name)
    second, second_labels = check_labels(new, n_candidate, name)
    both, names = check_labels(first_labels + second_labels, len(first_labels) + len(second_labels), name)
    return [both[: len(first_labels)][first], both[len(first_labels) :][second]], names


def _check_same_items(items: list[Codes], labels: list[Any]) -> None:
    for mine, other, run in ((items[0], items[1], "baseline"), (items[1], items[0], "candidate")):
        alone = np.setdiff1d(mine, other)
        if len(alone) == len(np.unique(mine)):
            raise PairingError(
                f"no item is in both runs: {run} has {labels[alone[0]]!r} and others. Check the labels, or "
                "compare with paired=False."
            )
        if len(alone):
            raise PairingError(
                f"{len(alone)} of the items are in {run} only, such as {labels[alone[0]]!r}: leave them out "
                "to compare the common ones, or compare with paired=False."
            )


def _check_same_clusters(codes: Sequence[Codes], labels: Sequence[Any]) -> None:
    """codes : of both runs' items."""
    differ = np.flatnonzero(codes[0] != codes[1])
    if len(differ):
        raise InputError(
            f"item {labels[differ[0]]!r} is in one cluster in baseline and in another in candidate: an item "
            "has one cluster."
        )
