"""Single items whose scores are too many and too different to tally: read in parts, as often as asked.

Nothing of their number is held beside them. What is added up is exact or rounded alike everywhere, so that
no digit depends on the parts or on the order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.kernel import units
from evalstats.kernel.units import Rows, Tally
from evalstats.numeric import order_free_total

Array = NDArray[np.float64]
MOST_KINDS = 1 << 17  # distinct scores in a tally of 10 MB
_PART = 1 << 15  # scores at a time: bounds memory, any value up to 2¹⁵ gives the same digits
_PART_TO_TALLY = 1 << 18


@dataclass(frozen=True)
class Streamed:
    """n values, one an item. read : of a slice of rows their values, as floats."""

    n: int
    read: Callable[[slice], Array]

    @classmethod
    def of(cls, scores: NDArray[Any]) -> Streamed:
        return cls(len(scores), lambda rows: scores[rows].astype(np.float64, copy=False))

    def mapped(self, change: Callable[[Array], Array]) -> Streamed:
        """The same items with their values changed one by one."""
        return Streamed(self.n, lambda rows: change(self.read(rows)))

    def mirrored(self) -> Streamed:
        return self.mapped(np.negative)

    def centred(self, point: float) -> Streamed:
        """The same items with `point` taken from each."""
        return self.mapped(lambda y: y - point)

    def parts(self) -> Iterator[Array]:
        return self._parts(_PART)

    def _parts(self, length: int) -> Iterator[Array]:
        return (self.read(slice(start, start + length)) for start in range(0, self.n, length))

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest value."""
        lows, highs = zip(*((float(part.min()), float(part.max())) for part in self.parts()), strict=True)
        return min(lows), max(highs)

    def total(self, change: Callable[[Array], Array]) -> float:
        """Σ of changed values, correctly rounded."""
        return order_free_total(change(part) for part in self.parts())

    @cached_property
    def mean(self) -> float:
        return order_free_total(self.parts()) / self.n

    def totals(self, columns: Callable[[Rows], Rows]) -> Array:
        """Σ of each of the columns that are asked of rows of value and size 1, (c,)."""
        c = columns(np.ones((1, 2))).shape[1]
        return np.array(
            [order_free_total(columns(_rows(part))[:, i] for part in self.parts()) for i in range(c)]
        )

    def count(self, which: Callable[[Array], NDArray[np.bool_]]) -> int:
        """How many values are such."""
        return sum(int(np.count_nonzero(which(part))) for part in self.parts())

    def tally(self) -> Tally | None:
        """How often each value occurs; None where more than MOST_KINDS differ."""
        kinds, counts = np.zeros(0), np.zeros(0, dtype=np.int64)
        for part in self._parts(_PART_TO_TALLY):
            own, often = np.unique(part + 0.0, return_counts=True)  # + 0.0: no negative zeros
            if len(own) > MOST_KINDS:
                return None
            kinds, at = np.unique(np.concatenate([kinds, own]), return_inverse=True)
            if len(kinds) > MOST_KINDS:
                return None
            counts = np.bincount(at, np.concatenate([counts, often])).astype(np.int64)
        return Tally(np.column_stack([kinds, np.ones(len(kinds))]), counts)


def _rows(values: Array) -> Rows:
    return np.column_stack([values, np.ones(len(values))])


Sample = Tally | Streamed


def too_many(n: int) -> bool:
    """Whether so many single items can have more different values than a tally should hold."""
    return n > MOST_KINDS


def direction(sample: Sample) -> int:
    """+1, −1, or 0 where the units are their own mirror image: −1 exactly when +1 for the mirrored ones.

    Of streamed values the sign of the first of Σy, Σy³ and Σy⁵ that is not 0.
    """
    if isinstance(sample, Tally):
        return units.direction(sample)
    largest = max(map(abs, sample.ends))
    for power in (1, 3, 5):
        total = sample.total(partial(_power, largest, power))
        if total != 0:
            return 1 if total > 0 else -1
    return 0


def compared(first: Sample, second: Sample) -> int:
    """Some order of two samples: +1, 0 or −1. It only names a first one.

    Of streamed values by the first of n, ends and lower moments that differ.
    """
    if isinstance(first, Tally) and isinstance(second, Tally):
        return units.compared(first, second)
    ours, theirs = _described(first), _described(second)
    return (ours > theirs) - (ours < theirs)


def _described(sample: Sample) -> tuple[float, ...]:
    if isinstance(sample, Tally):
        return (0.0,)
    largest = max(map(abs, sample.ends))
    powers = (sample.total(partial(_power, largest, power)) for power in (1, 2, 3))
    return float(sample.n), *sample.ends, *powers


def _power(largest: float, power: int, y: Array) -> Array:
    """By products, whose digits are the same for −y."""
    x = y / largest
    return math.prod([x] * (power - 1), start=x)
