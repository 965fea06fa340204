"""Statistics as pure functions of (rows, weights), vectorised over many weightings at once.

Those here are functions of weighted column sums, which also lets one be computed from sums of drawn rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalstats.kernel.units import Rows

Sums = NDArray[np.float64]


@dataclass(frozen=True)
class SumStatistic:
    """value = finish(Σ weights·columns(rows)), with one array of sums for each sample.

    columns : (d, 2) rows of sum and size -> (d, c). finish : one (..., c) array per sample -> (...).
    """

    columns: Callable[[Rows], Rows]
    finish: Callable[..., NDArray[np.float64]]

    def __call__(self, rows: Rows, weights: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.float64]:
        """The statistic of one sample at each weighting. rows : (d, 2). weights : (B, d)."""
        return self.finish(weighted_sums(self.columns(rows), weights))


def weighted_sums(columns: Rows, weights: NDArray[np.float64] | NDArray[np.int64]) -> Sums:
    """(B, c): Σ_j weights[b, j]·columns[j]. No matrix product: its rounding differs between machines."""
    return np.stack([np.add.reduce(weights * column, axis=1) for column in columns.T], axis=1)


def _sum_and_size(rows: Rows) -> Rows:
    return rows


def _ratio(sums: Sums) -> NDArray[np.float64]:
    return np.asarray(sums[..., 0] / sums[..., 1])


def weighted_means(weights: Sequence[float]) -> SumStatistic:
    """Σ_j w_j·(mean of the items of sample j), over independent samples."""

    def finish(*sums: Sums) -> NDArray[np.float64]:
        means = [w * _ratio(one) for w, one in zip(weights, sums, strict=True)]
        return np.asarray(sum(means[1:], start=means[0]))

    return SumStatistic(_sum_and_size, finish)


# the mean of items, and of items in clusters; of two independent samples, the difference of their means
MEAN = weighted_means((1.0,))
DIFFERENCE = weighted_means((-1.0, 1.0))


def moments(rows: Rows) -> Rows:
    """The columns whose sums give a mean's squared standard error: s, m, s², sm, m², 1."""
    s, m = rows.T
    return np.column_stack([s, m, s * s, s * m, m * m, np.ones(len(m))])


def squared_error(sums: Sums) -> NDArray[np.float64]:
    """k/(k−1)·Σ(s − Rm)²/(Σm)² of the k units drawn: s²/n where every unit is one item."""
    s, m, ss, sm, mm, k = np.moveaxis(sums, -1, 0)
    R = s / m
    squares = ss - 2 * R * sm + R**2 * mm
    squares = np.where(squares > 1e-12 * ss, squares, 0.0)  # the rest is rounding
    with np.errstate(divide="ignore", invalid="ignore"):  # one unit has no spread
        return np.asarray(k / (k - 1) * squares / m**2)


def pivot(weights: Sequence[float]) -> SumStatistic:
    """t* = (T* − T)/se* of samples centred at their own means; ±inf where the units drawn do not vary."""

    def finish(*sums: Sums) -> NDArray[np.float64]:
        moved = sum(w * _ratio(one) for w, one in zip(weights, sums, strict=True))
        squares = [w**2 * squared_error(one) for w, one in zip(weights, sums, strict=True)]
        error = np.sqrt(np.sum(squares, axis=0))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(moved == 0, 0.0, moved / error))

    return SumStatistic(moments, finish)
