"""Units: what was sampled independently. Tally: the distinct unit rows and how often each occurs.

A row is what a statistic needs to know of a unit: the sum of its scores and its size. Most eval data have
few distinct rows (two for pass/fail), so resampling, the jackknife and slices work on the tally.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evalstats.numeric import counted_sum, group_sums

Rows = NDArray[np.float64]


@dataclass(frozen=True)
class Units:
    """rows : (n, 2), the sum and the size of every unit, sorted, so that no draw depends on the order given.

    Needed beside the tally only when several columns must share one draw.
    """

    rows: Rows

    @classmethod
    def of_items(cls, values: NDArray[np.float64]) -> Units:
        """Every item a unit of size 1. values : (n,)."""
        rows = np.ones((len(values), 2))
        rows[:, 0] = np.sort(np.asarray(values, dtype=np.float64))
        return cls(rows)

    @classmethod
    def of_sums(cls, sums: NDArray[np.float64], sizes: NDArray[np.float64]) -> Units:
        """Units by their sums and sizes, both (n,)."""
        if len(sizes) and np.all(sizes == sizes[0]):
            sums = np.sort(np.asarray(sums, dtype=np.float64))
            return cls(np.column_stack([sums, np.full(len(sums), sizes[0], dtype=np.float64)]))
        return cls(_sorted_rows(np.column_stack([sums, sizes]).astype(np.float64)))

    @classmethod
    def of_clusters(cls, values: NDArray[np.float64], codes: NDArray[np.intp]) -> Units:
        """Every cluster a unit. values : (items,). codes : (items,), clusters 0 … k−1."""
        sizes = np.bincount(codes).astype(np.float64)
        return cls.of_sums(group_sums(values, codes, len(sizes)), sizes)

    def __len__(self) -> int:
        return len(self.rows)

    def slice(self, keep: NDArray[np.bool_]) -> Units:
        """The units where `keep` is true, in the same order."""
        return Units(self.rows[keep])

    def tally(self) -> Tally:
        """Distinct rows with their counts."""
        if len(self.rows) == 0:
            return Tally(self.rows, np.zeros(0, dtype=np.int64))
        new = self.rows[1:, 0] != self.rows[:-1, 0]
        if new.all():
            return Tally(self.rows, np.ones(len(self.rows), dtype=np.int64))
        new |= self.rows[1:, 1] != self.rows[:-1, 1]
        starts = np.concatenate([[0], np.flatnonzero(new) + 1])
        return Tally(self.rows[starts], np.diff(np.append(starts, len(self.rows))))


@dataclass(frozen=True)
class Tally:
    """rows : (d, 2), distinct and sorted. counts : (d,), how many units have each row."""

    rows: Rows
    counts: NDArray[np.int64]

    @cached_property
    def n(self) -> int:
        """Units."""
        return int(self.counts.sum())

    @cached_property
    def total(self) -> float:
        """Σ of all units' sums."""
        return counted_sum(self.rows[:, 0], self.counts)

    @cached_property
    def size(self) -> float | None:
        """Of every unit, where all have one."""
        sizes = self.rows[:, 1]
        return float(sizes[0]) if bool((sizes == sizes[0]).all()) else None

    @cached_property
    def mean(self) -> float:
        """Σs/Σm, the mean of all items."""
        items = counted_sum(self.rows[:, 1], self.counts) if self.size is None else self.n * self.size
        return self.total / items

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest sum."""
        return float(self.rows[0, 0]), float(self.rows[-1, 0])

    def slice(self, keep: NDArray[np.bool_]) -> Tally:
        """The rows where `keep` is true."""
        return Tally(self.rows[keep], self.counts[keep])

    def __add__(self, other: Tally) -> Tally:
        """The units of both."""
        return Units(_sorted_rows(np.concatenate([self.units().rows, other.units().rows]))).tally()

    def units(self) -> Units:
        """One row per unit again."""
        return Units(np.repeat(self.rows, self.counts, axis=0))

    def mirrored(self) -> Tally:
        """The same units with every sum negated."""
        flipped = self.rows * np.array([-1.0, 1.0]) + 0.0  # + 0.0: no negative zeros
        order = _row_order(flipped)
        return Tally(flipped[order], self.counts[order])

    def centred(self, point: float) -> Tally:
        """The same units with `point` taken from every item."""
        sums, sizes = self.rows.T
        return Tally(np.column_stack([sums - point * sizes, sizes]), self.counts)

    def totals(self, columns: Rows) -> Rows:
        """Σ counts·column of each column of a (d, c) array: (c,)."""
        return np.array([counted_sum(column, self.counts) for column in columns.T])


def direction(tally: Tally) -> int:
    """+1, −1, or 0 where the units are their own mirror image: −1 exactly when +1 for the mirrored ones.

    The sign of the total; at 0, the larger of the sorted rows and their mirror image.
    """
    if tally.total != 0:
        return 1 if tally.total > 0 else -1
    return compared(tally, tally.mirrored())


def compared(first: Tally, second: Tally) -> int:
    """Lexicographic order of two tallies: +1, 0 or −1. Any total order serves: it only names a first one."""
    ours, theirs = (np.column_stack([t.rows, t.counts]).ravel() for t in (first, second))
    if len(ours) != len(theirs):
        return 1 if len(ours) > len(theirs) else -1
    differ = np.flatnonzero(ours != theirs)
    if len(differ) == 0:
        return 0
    return 1 if ours[differ[0]] > theirs[differ[0]] else -1


def _row_order(rows: Rows) -> NDArray[np.intp]:
    return np.lexsort(rows.T[::-1])


def _sorted_rows(rows: Rows) -> Rows:
    return rows[_row_order(rows)]
