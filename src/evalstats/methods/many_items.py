"""Many runs, item by item: what the methods for all their pairs take."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.errors import InputError
from evalstats.kernel.arrays import Bounds, Codes, check_bounds, check_inside, check_labels, scale_of
from evalstats.methods.items import ItemValues
from evalstats.methods.pairs import PairedItems, reach
from evalstats.numeric import order_free_sums

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
LOST_OF = 20  # where over one in 20 of a run's items is lost, pairs stand on their own


@dataclass(frozen=True)
class ManyItems:
    """K runs on n items. y : (n, K), item i's score in each run, nan where the run did not score it.

    pass_fail : every completion is 0 or 1. bounds : ends of the scale, or None. cluster : (n,) codes
    0 … k−1, or None. completions : (n, K) scored ones, None if one of each.
    """

    y: Array
    pass_fail: bool = False
    bounds: Bounds | None = None
    cluster: Codes | None = None
    completions: Array | None = None
    scale_assumed: bool = False

    @property
    def n(self) -> int:
        return len(self.y)

    @property
    def K(self) -> int:  # noqa: N802 (the formulas' letter)
        return int(self.y.shape[1])

    @cached_property
    def scored(self) -> Flags:
        """(n, K)."""
        return ~np.isnan(self.y)

    @property
    def means(self) -> Array:
        """(K,) of each run on the items that it scored."""
        return np.asarray(order_free_sums(np.where(self.scored, self.y, 0.0)) / self.scored.sum(axis=0))

    @property
    def in_all(self) -> Flags:
        """(n,): the items that every run scored."""
        return np.asarray(self.scored.all(axis=1))

    @property
    def complete(self) -> bool:
        return bool(self.scored.all())

    @cached_property
    def repeated(self) -> bool:
        """Some item has several completions."""
        return self.completions is not None and bool(np.any(self.completions > 1))

    @property
    def of_counts(self) -> bool:
        """Independent items, each right or wrong once: counts say all there is."""
        return self.pass_fail and self.cluster is None and not self.repeated

    @property
    def scale(self) -> Bounds:
        """Where a difference can lie."""
        return reach(self.bounds)

    @property
    def unit(self) -> str:
        return "fraction" if self.bounds == (0.0, 1.0) else "score"

    def at(self, keep: Flags) -> ManyItems:
        """The items where `keep` is true."""
        cluster = None if self.cluster is None else np.unique(self.cluster[keep], return_inverse=True)[1]
        completions = None if self.completions is None else self.completions[keep]
        return ManyItems(self.y[keep], self.pass_fail, self.bounds, cluster, completions, self.scale_assumed)

    def run(self, j: int) -> ItemValues:
        """One run on the items that it scored."""
        part = self.at(self.scored[:, j])
        completions = None if part.completions is None else part.completions[:, j]
        return ItemValues(
            part.y[:, j],
            part.pass_fail,
            part.bounds,
            part.cluster,
            completions,
            scale_assumed=part.scale_assumed,
        )

    def pair(self, i: int, j: int) -> PairedItems:
        """Two runs, i as the baseline, on the items that both scored."""
        part = self.at(self.scored[:, i] & self.scored[:, j])
        counts = (None, None) if part.completions is None else part.completions[:, (i, j)].T
        return PairedItems(
            part.y[:, i], part.y[:, j], part.pass_fail, part.bounds, part.cluster, counts[0], counts[1]
        )


def in_every_run(items: ManyItems) -> ManyItems:
    """The items scored in every run; all where that would lose over 5 % of any run's."""
    common, scored = items.in_all, items.scored.sum(axis=0)
    lost = scored - common.sum()
    return items if np.any(lost * LOST_OF > scored) else items.at(common)


def many_items(runs: Any, cluster: Any = None, bounds: Any = None) -> ManyItems:
    """Checked scores. runs : (K, n), one row for each run; nan where a run did not score an item.

    Raises InputError for what is no table of numbers, fewer than two runs, and runs without a score.
    """
    y = _table(runs)
    known = y[~np.isnan(y)]
    unscored = np.flatnonzero(np.isnan(y).all(axis=1))
    if len(unscored):
        raise InputError(f"runs[{unscored[0]}] has no score at all: leave it out, or see what went wrong.")
    scale = check_bounds(bounds)
    if scale is not None:
        check_inside(known, scale, "runs")
    ends, pass_fail, assumed = scale_of(known, bounds=scale)
    codes = None if cluster is None else check_labels(cluster, y.shape[1], "cluster")[0]
    return ManyItems(y.T, pass_fail, ends, codes, scale_assumed=assumed)


def _table(runs: Any) -> Array:
    try:
        y = np.asarray(runs, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("runs is no table of numbers: give one row a run, one column an item.") from None
    if y.ndim != 2 or y.size == 0:
        raise InputError(f"runs has shape {y.shape}: give one row for each run and one column an item.")
    if len(y) < 2:
        raise InputError("runs has one row: give two runs or more, on the same items.")
    if np.isinf(y).any():
        raise InputError("runs has an infinite score: a score is a number; nan where an item was not scored.")
    return y
