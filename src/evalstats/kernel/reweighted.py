"""Resampling as reweighting, for any function of rows and weights: `weights` say how often each row counts.

The convention is the kernel's (`weighted.py`): a statistic takes rows (r, c) or (r,) and weights (B, r) and
gives (B,) values. Rows are put in order first, so that digits depend on the data and the seed alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.errors import MethodError
from evalstats.kernel.draws import UnitDraw

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Statistic = Callable[[Array, Array], Any]

WANTED = "With weights=True it gets rows (r, c) and weights (B, r) and returns B numbers."
CELLS = 1 << 15  # weights held at once: bounds memory, any value gives the same draws


@dataclass(frozen=True)
class Reweighted:
    """rows : (r, c) or (r,), those of the distinct units, one unit after the other, in order.

    unit_of : (r,) the distinct unit of each row, None where every row is its own.
    """

    rows: Array
    unit_of: Codes | None
    draw: UnitDraw

    @classmethod
    def of(cls, rows: Array, unit: Codes | None = None, stratum: Codes | None = None) -> Reweighted:
        """unit : (n,) codes of units that are drawn whole. stratum : (n,) codes; a unit is in one of them."""
        if unit is None and stratum is None:
            distinct, counts = _tallied(rows)
            return cls(distinct, None, UnitDraw.of_one_stratum(counts))
        code, distinct = _coded(rows)
        strata = np.zeros(len(code), np.intp) if stratum is None else _in_order(code, stratum)
        if unit is None:
            order = np.lexsort((code, strata))
            code, strata = code[order], strata[order]
            starts = _starts((np.diff(code) != 0) | (np.diff(strata) != 0))
            return cls(distinct[code[starts]], None, _draw(strata[starts], _lengths(starts, len(code))))
        members, strata = _members(code, unit), strata[np.unique(unit, return_index=True)[1]]
        ranked = sorted(range(len(members)), key=lambda i: (int(strata[i]), members[i]))
        members, strata = [members[i] for i in ranked], strata[ranked]
        equal = [one == two for one, two in itertools.pairwise(members)]
        starts = _starts(~np.array(equal, dtype=bool) | (np.diff(strata) != 0))
        kept = [members[i] for i in starts]
        unit_of = np.repeat(np.arange(len(kept)), [len(one) for one in kept])
        counts = _lengths(starts, len(members))
        return cls(distinct[np.concatenate(kept)], unit_of, _draw(strata[starts], counts))

    @property
    def counts(self) -> NDArray[np.int64]:
        """(u,) how often each distinct unit is."""
        return self.draw.counts

    @property
    def k(self) -> int:
        """Units."""
        return int(self.counts.sum())

    def weights(self, of_units: NDArray[np.int64]) -> Array:
        """(B, r) of rows from (B, u) of units."""
        spread = of_units if self.unit_of is None else of_units[:, self.unit_of]
        return spread.astype(np.float64)

    def value(self, statistic: Statistic) -> Array:
        """(1,) of the data themselves."""
        return self._values(statistic, self.counts[None, :])

    def _values(self, statistic: Statistic, of_units: NDArray[np.int64]) -> Array:
        """(B,) of weights (B, u) of units. Raises MethodError for numbers of another shape."""
        values = np.asarray(statistic(self.rows, self.weights(of_units)), dtype=np.float64)
        if values.shape != (len(of_units),):
            raise MethodError(
                f"stat_fn gave numbers of shape {values.shape} for weights of {len(of_units):,} resamples. "
                f"{WANTED}"
            )
        return values

    def resampled(self, statistic: Statistic, generator: np.random.Generator, size: int) -> Array:
        """(size,) values under resampling, some resamples at a time."""
        step = max(1, CELLS // max(len(self.rows), len(self.counts)))
        values, at = np.empty(size), 0
        for drawn in self.draw.resamples(generator, size):
            for start in range(0, len(drawn), step):
                part = drawn[start : start + step]
                values[at : at + len(part)] = self._values(statistic, part)
                at += len(part)
        return values

    def without_one(self, statistic: Statistic) -> list[tuple[Array, NDArray[np.int64]]]:
        """The exact jackknife, a stratum at a time: the values less one unit of each kind, and counts."""
        ends = np.cumsum(self.draw.strata)
        return [
            (self._without(np.arange(end - length, end), statistic), self.counts[end - length : end])
            for length, end in zip(self.draw.strata, ends, strict=True)
        ]

    def _without(self, units: Codes, statistic: Statistic) -> Array:
        step = max(1, CELLS // len(self.rows))
        parts = []
        for start in range(0, len(units), step):
            left_out = units[start : start + step]
            weights = np.tile(self.counts, (len(left_out), 1))
            weights[np.arange(len(left_out)), left_out] -= 1
            parts.append(self._values(statistic, weights))
        return np.concatenate(parts)


def _tallied(rows: Array) -> tuple[Array, NDArray[np.int64]]:
    """The distinct rows in order, and how often each is."""
    if rows.ndim == 1:
        return np.unique(rows, return_counts=True)
    code, distinct = _coded(rows)
    return distinct, np.bincount(code)


def _coded(rows: Array) -> tuple[Codes, Array]:
    """The rank of each row among the distinct ones, and these in order."""
    if rows.ndim == 1:
        distinct, code = np.unique(rows, return_inverse=True)
        return code.reshape(-1), distinct
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    new = np.any(ordered[1:] != ordered[:-1], axis=1)
    code = np.empty(len(rows), dtype=np.intp)
    code[order] = np.concatenate([[0], np.cumsum(new)])
    return code, ordered[_starts(new)]


def _members(code: Codes, unit: Codes) -> list[list[int]]:
    """The rows of each unit, in order."""
    order = np.lexsort((code, unit))
    ends = np.cumsum(np.bincount(unit))[:-1]
    return [part.tolist() for part in np.split(code[order], ends)]


def _in_order(code: Codes, stratum: Codes) -> Codes:
    """The strata's codes by what is in them, and not by which came first."""
    members = _members(code, stratum)
    rank = np.empty(len(members), dtype=np.intp)
    rank[sorted(range(len(members)), key=members.__getitem__)] = np.arange(len(members))
    return rank[stratum]


def _starts(new: NDArray[np.bool_]) -> Codes:
    """Where runs begin. new : (n − 1,) whether an entry differs from the one before."""
    return np.flatnonzero(np.concatenate([[True], new]))


def _lengths(starts: Codes, n: int) -> NDArray[np.int64]:
    return np.diff(starts, append=n)


def _draw(of_units: Codes, counts: NDArray[np.int64]) -> UnitDraw:
    """Units that are resampled among themselves, one stratum after the other."""
    return UnitDraw(counts, _lengths(_starts(np.diff(of_units) != 0), len(counts)))
