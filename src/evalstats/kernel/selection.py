"""Values in ascending order of which only some are held at a time: by the upper bits, then by the next ones.

The bits of a double, read as a whole number, ascend with it when those of negative numbers are turned.
Values that compare equal are alike, so that no digit depends on the parts or on the order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalstats.kernel.stream import Streamed

Array = NDArray[np.float64]
Keys = NDArray[np.int64]
_BITS = 16  # looked at in one reading of all values
_BINS = 1 << _BITS
_ALL_BUT_SIGN = np.int64((1 << 63) - 1)


def ascending(values: Streamed, first: int, last: int, most: int) -> Iterator[Array]:
    """The values with ranks first … last − 1, from 0, ascending; at most so many at a time."""
    everything = _Range(values, lowest=-(_BINS >> 1), shift=64 - _BITS, rank=0)
    return everything.ascending(max(first, 0), min(last, values.n), most)


@dataclass(frozen=True)
class _Range:
    """Values whose keys, but for the last `shift` bits, are lowest … lowest + 2¹⁶ − 1; `rank` are below."""

    values: Streamed
    lowest: int
    shift: int
    rank: int

    def ascending(self, first: int, last: int, most: int) -> Iterator[Array]:
        counts = self._counts()
        ends = self.rank + np.cumsum(counts)
        i, bound = (int(np.searchsorted(ends, rank, side="right")) for rank in (first, last - 1))
        while i <= bound:
            start = int(ends[i] - counts[i])
            j = max(int(np.searchsorted(ends, start + most, side="right")), i + 1)  # bins i … j−1 fit
            j = min(j, bound + 1)
            if counts[i] <= most:
                yield self._gathered(i, j, int(ends[j - 1]) - start)[max(first - start, 0) : last - start]
            elif self.shift > 0:
                inside = _Range(self.values, self.lowest + i << _BITS, self.shift - _BITS, start)
                yield from inside.ascending(max(first, start), min(last, int(ends[i])), most)
            else:
                yield from self._equal(i, min(last, int(ends[i])) - max(first, start), most)
            i = j

    def _counts(self) -> NDArray[np.int64]:
        """How many values each of the 2¹⁶ next keys has."""
        counts = np.zeros(_BINS, dtype=np.int64)
        for part in self.values.parts():
            bins = self._bins(part)
            counts += np.bincount(bins[bins.view(np.uint64) < _BINS], minlength=_BINS)
        return counts

    def _bins(self, part: Array) -> Keys:
        """0 … 2¹⁶ − 1, or some other number for values outside."""
        return (_keys(part) >> self.shift) - self.lowest

    def _gathered(self, i: int, j: int, count: int) -> Array:
        found, at = np.empty(count), 0
        for part in self.values.parts():
            inside = part[(self._bins(part) - i).view(np.uint64) < j - i]
            found[at : at + len(inside)] = inside
            at += len(inside)
        found += 0.0  # no negative zeros
        found.sort()
        return found

    def _equal(self, i: int, count: int, most: int) -> Iterator[Array]:
        """Copies of the value with key lowest + i."""
        value = float(_values(np.array([self.lowest + i]))[0])
        for start in range(0, count, most):
            yield np.full(min(most, count - start), value)


def _keys(values: Array) -> Keys:
    """Whole numbers that ascend with the values; one for both zeros."""
    bits = (values + 0.0).view(np.int64)
    return bits ^ ((bits >> 63) & _ALL_BUT_SIGN)


def _values(keys: Keys) -> Array:
    return (keys ^ ((keys >> 63) & _ALL_BUT_SIGN)).view(np.float64)
