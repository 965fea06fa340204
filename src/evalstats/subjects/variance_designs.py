"""Where scores vary: mean squares of a one-way, a crossed and a nested table, and their components.

A unit is what was sampled first: the item with all its scores, or the family of a nested design. A design's
rows are its units, with the columns whose sums give its mean squares: one formula serves the data and every
resample of the units. Scores are centred first, so that squares do not cancel.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evalstats.errors import MethodError
from evalstats.kernel.arrays import Codes
from evalstats.kernel.units import Tally
from evalstats.numeric import group_sums, order_free_sum

Array = NDArray[np.float64]
CROSS = " × "


@dataclass(frozen=True)
class Dimension:
    """What there can be one more of. size : how many there are, for each level of what stands above it.

    A mean if they differ: the harmonic one, which is what a variance sees.
    """

    name: str
    size: float


@dataclass(frozen=True)
class Source:
    """What scores vary by. spans : the dimensions it is new in: of an item's completion, item and completion.

    levels : how many there are in all.
    """

    name: str
    spans: tuple[int, ...]
    levels: int


class Design(Protocol):
    """Scores in a table of which components of variance can be told. mean : the score they vary around.

    kind : one_way, crossed or nested. factor : which source is a crossed factor, None if none is.
    """

    @property
    def kind(self) -> str: ...
    @property
    def mean(self) -> float: ...
    @property
    def n_scores(self) -> int: ...
    @property
    def dimensions(self) -> tuple[Dimension, ...]: ...
    @property
    def sources(self) -> tuple[Source, ...]: ...
    @property
    def factor(self) -> int | None: ...
    @property
    def rows(self) -> Array:
        """(units, columns)."""

    def components(self, sums: Array, factor: Array | float = 1.0) -> Array:
        """(..., columns) sums over units -> (..., sources), negative where the estimate is.

        factor : times which the mean square of a crossed factor is taken; it is that of the data, always.
        """


def tally_of(rows: Array) -> Tally:
    """Distinct units and how often each occurs."""
    distinct, counts = np.unique(rows, axis=0, return_counts=True)
    return Tally(distinct, counts.astype(np.int64))


@dataclass(frozen=True)
class OneWay:
    """Items with completions, as many as there are. y : (n,) centred. item : (n,) codes 0 … k−1."""

    y: Array
    item: Codes
    mean: float
    names: tuple[str, str]
    kind: str = "one_way"
    factor: int | None = None

    @cached_property
    def m(self) -> Array:
        """(items,) completions of each."""
        return np.bincount(self.item).astype(np.float64)

    @property
    def n_scores(self) -> int:
        return len(self.y)

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        harmonic = len(self.m) / order_free_sum(1 / self.m)
        return Dimension(self.names[0], len(self.m)), Dimension(self.names[1], harmonic)

    @property
    def sources(self) -> tuple[Source, ...]:
        return Source(self.names[0], (0,), len(self.m)), Source(self.names[1], (0, 1), len(self.y))

    @cached_property
    def rows(self) -> Array:
        """m, S, S²/m, m², Σ(y − ȳ_i)² and 1 of each item."""
        m = self.m
        S = group_sums(self.y, self.item, len(m))
        within = group_sums((self.y - (S / m)[self.item]) ** 2, self.item, len(m))
        return np.column_stack([m, S, S**2 / m, m**2, within, np.ones(len(m))])

    def components(self, sums: Array, factor: Array | float = 1.0) -> Array:
        """σ²_c = MSW, σ²_i = (MSB − MSW)/n0, n0 = (N − Σm²/N)/(k − 1); nan where no item has two."""
        N, S, squares, m2, within, k = np.moveaxis(sums, -1, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            MSB = (squares - S**2 / N) / (k - 1)
            MSW = within / (N - k)
            n0 = (N - m2 / N) / (k - 1)
            return np.stack([(MSB - MSW) / n0, MSW], axis=-1)


@dataclass(frozen=True)
class Crossed:
    """Every item by every level of a factor. cells : (items, levels) means of a cell's r scores, centred.

    within : (items,) Σ(y − ȳ_cell)². names : of items, of the factor, of what is repeated in a cell.
    """

    cells: Array
    within: Array
    r: int
    mean: float
    names: tuple[str, str, str]
    kind: str = "crossed"
    factor: int | None = 1

    @property
    def n_scores(self) -> int:
        return self.cells.size * self.r

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        n, J = self.cells.shape
        found = (Dimension(self.names[0], n), Dimension(self.names[1], J))
        return found if self.r == 1 else (*found, Dimension(self.names[2], self.r))

    @property
    def sources(self) -> tuple[Source, ...]:
        n, J = self.cells.shape
        item, by, inside = self.names
        found = (Source(item, (0,), n), Source(by, (1,), J), Source(f"{item}{CROSS}{by}", (0, 1), n * J))
        return found if self.r == 1 else (*found, Source(inside, (0, 1, 2), self.n_scores))

    @cached_property
    def rows(self) -> Array:
        """Each level's cell mean, then (Σ over levels)², Σ of squares, Σ inside cells, 1."""
        total = self.cells.sum(axis=1)
        squares = (self.cells**2).sum(axis=1)
        return np.column_stack([self.cells, total**2, squares, self.within, np.ones(len(total))])

    @cached_property
    def ms_factor(self) -> float:
        """MS_j = r·n·Σ(ȳ_j − ȳ)²/(J − 1) of the data."""
        n, J = self.cells.shape
        T = np.array([order_free_sum(column) for column in self.cells.T])
        return float(self.r * np.sum((T - T.mean()) ** 2) / n / (J - 1))

    def components(self, sums: Array, factor: Array | float = 1.0) -> Array:
        """σ²_e = MS_e, σ²_ij = (MS_ij − MS_e)/r, σ²_i = (MS_i − MS_ij)/(rJ), σ²_j = (MS_j − MS_ij)/(rn).

        With one score a cell σ²_ij = MS_ij holds σ²_e too.
        """
        J, r = self.cells.shape[1], self.r
        T, (R, Q, W, n) = sums[..., :J], np.moveaxis(sums[..., J:], -1, 0)
        SS_mean = T.sum(axis=-1) ** 2 / (n * J)
        SS_i = R / J - SS_mean
        SS_ij = np.maximum(Q - SS_mean - SS_i - ((T**2).sum(axis=-1) / n - SS_mean), 0.0)
        MS_i, MS_ij = r * SS_i / (n - 1), r * SS_ij / ((n - 1) * (J - 1))
        MS_e = W / (n * J * (r - 1)) if r > 1 else np.zeros_like(W)
        found = [
            (MS_i - MS_ij) / (r * J),
            (self.ms_factor * factor - MS_ij) / (r * len(self.cells)),
            (MS_ij - MS_e) / r,
        ]
        return np.stack(found if r == 1 else [*found, MS_e], axis=-1)


@dataclass(frozen=True)
class Nested:
    """Levels inside levels, as many everywhere. y : (units, c₁, c₂ …), centred. names : one an axis."""

    y: Array
    mean: float
    names: tuple[str, ...]
    kind: str = "nested"
    factor: int | None = None

    @property
    def n_scores(self) -> int:
        return self.y.size

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        return tuple(Dimension(name, size) for name, size in zip(self.names, self.y.shape, strict=True))

    @property
    def sources(self) -> tuple[Source, ...]:
        return tuple(
            Source(name, tuple(range(depth + 1)), math.prod(self.y.shape[: depth + 1]))
            for depth, name in enumerate(self.names)
        )

    @cached_property
    def _means(self) -> list[Array]:
        """Of the nodes of each depth: (units,), (units, c₁) …"""
        return [self.y.mean(axis=tuple(range(depth + 1, self.y.ndim))) for depth in range(self.y.ndim)]

    @cached_property
    def rows(self) -> Array:
        """The unit's mean and its square, Σ of squares of each depth around the depth above, 1."""
        units = self._means[0]
        inside = [
            (((node - above[..., None]) ** 2).reshape(len(self.y), -1)).sum(axis=1)
            for above, node in pairwise(self._means)
        ]
        return np.column_stack([units, units**2, *inside, np.ones(len(units))])

    def components(self, sums: Array, factor: Array | float = 1.0) -> Array:
        """σ²_l = (MS_l − MS_{l+1})/(scores of a node of depth l); the deepest is its mean square."""
        mean, square, *inside, k = np.moveaxis(sums, -1, 0)
        sizes = self.y.shape
        below = [math.prod(sizes[depth + 1 :]) for depth in range(len(sizes))]
        MS = [below[0] * (square - mean**2 / k) / (k - 1)]
        for depth, SS in enumerate(inside, 1):
            df = k * math.prod(sizes[1:depth]) * (sizes[depth] - 1)
            MS.append(below[depth] * SS / df)
        return np.stack(
            [*((one - nxt) / m for (one, nxt), m in zip(pairwise(MS), below, strict=False)), MS[-1]], axis=-1
        )


def crossed_design(
    y: Array,
    codes: tuple[Codes, Codes],
    labels: tuple[Sequence[str], Sequence[str]],
    names: tuple[str, str, str],
) -> Crossed:
    """The complete table. Raises MethodError naming the cell that is missing, or has fewer scores."""
    n, J = (len(own) for own in labels)
    cell = codes[0] * J + codes[1]
    r = np.bincount(cell, minlength=n * J)
    most = int(r.max())
    short = np.flatnonzero(r < most)
    if len(short):
        i, j = divmod(int(short[0]), J)
        where = f"{names[0]} {labels[0][i]!r} by {names[1]} {labels[1][j]!r}"
        held = "no score" if r[short[0]] == 0 else f"{r[short[0]]} where others have {most}"
        more = f" ({len(short):,} of {n * J:,} cells are short)" if len(short) > 1 else ""
        raise MethodError(
            f"{where} has {held}{more}: components need every {names[0]} scored by every {names[1]}, equally "
            f"often. Fill the cell, or leave the {names[0]} out."
        )
    centre = order_free_sum(y) / len(y)
    centred = y - centre
    means = group_sums(centred, cell, n * J) / most
    within = group_sums((centred - means[cell]) ** 2, codes[0], n)
    return Crossed(means.reshape(n, J), within, most, centre, names)


def nested_design(
    y: Array, codes: Sequence[Codes], labels: Sequence[Sequence[str]], names: Sequence[str]
) -> Nested:
    """The balanced table of levels inside levels; scores inside the deepest are one more depth if repeated.

    codes : of each depth, from the top; a label means another thing under another parent. names : one more
    than depths. Raises MethodError naming the node that has another number of children.
    """
    order = np.lexsort((y, *reversed(codes)))
    ordered = [own[order] for own in codes]
    node = np.zeros(len(y), dtype=np.int64)
    shape: list[int] = []
    for depth, own in enumerate(ordered):
        new = np.concatenate([[True], (node[1:] != node[:-1]) | (own[1:] != own[:-1])])
        starts = np.flatnonzero(new)
        shape.append(_children(node[starts], ordered, starts, labels, names, depth))
        node = np.cumsum(new) - 1
    shape.append(_children(node, ordered, np.arange(len(y)), labels, names, len(codes)))
    if shape[-1] == 1:
        shape.pop()
    if len(shape) < 2 or min(shape) < 2:
        at = names[shape.index(1) if 1 in shape else len(shape)]
        raise MethodError(
            f"there is one {at} in each place: how they differ cannot be known. Give two or more."
        )
    centre = order_free_sum(y) / len(y)
    return Nested((y[order] - centre).reshape(shape), centre, tuple(names[: len(shape)]))


def _children(
    parent: Codes,
    ordered: Sequence[Codes],
    starts: Codes,
    labels: Sequence[Sequence[str]],
    names: Sequence[str],
    depth: int,
) -> int:
    """How many nodes of this depth each parent has."""
    counts = np.bincount(parent)
    odd = np.flatnonzero(counts != counts[0])
    if len(odd) == 0:
        return int(counts[0])
    first = int(starts[np.flatnonzero(parent == odd[0])[0]])
    path = ", ".join(f"{names[d]} {labels[d][ordered[d][first]]!r}" for d in range(depth))
    other = ", ".join(f"{names[d]} {labels[d][ordered[d][0]]!r}" for d in range(depth))
    raise MethodError(
        f"{path} has {counts[odd[0]]} of {names[depth]} and {other} has {counts[0]}: a nested design needs "
        "as many everywhere. Fill in what is missing, or cut the larger ones down."
    )
