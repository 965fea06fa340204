"""Agreement coefficients as functions of sums over units: (observed − expected)/(1 − expected).

Each is a `Coefficient`: columns of every item, which are added up over items or clusters, and the observed
and expected agreement of such sums. The jackknife and the bootstrap then are those of the kernel.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalstats.kernel.units import Tally
from evalstats.kernel.weighted import Sums, SumStatistic
from evalstats.numeric import group_sums, order_free_sum
from evalstats.subjects.agreement_labels import MISSING, Ratings

Array = NDArray[np.float64]
Parts = Callable[[Sums], tuple[Array, Array]]
NONE_LEFT = 1e-12  # chance explains everything: what is left of 1 − expected is rounding


@dataclass(frozen=True)
class Coefficient:
    """columns : (items, c). parts : sums (..., c) -> observed and expected agreement (...).

    used : (items,) those that say something. shares : the parts are shares of agreement, and can be shown.
    """

    columns: Array
    parts: Parts
    used: NDArray[np.bool_]
    shares: bool = True

    def value(self, sums: Sums) -> Array:
        """nan where chance leaves nothing: 0/0."""
        observed, expected = self.parts(sums)
        left = 1 - expected
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(left > NONE_LEFT, (observed - expected) / left, np.nan))

    def tally(self, cluster: NDArray[np.intp] | None) -> Tally:
        """The distinct units that say something: items, or clusters of them."""
        return tally_of(self.columns[self.used], None if cluster is None else cluster[self.used])

    @property
    def statistic(self) -> SumStatistic:
        return SumStatistic(lambda rows: rows, self.value)


def tally_of(columns: Array, cluster: NDArray[np.intp] | None) -> Tally:
    """Distinct rows of columns, added up in clusters."""
    if cluster is not None:
        codes = np.unique(cluster, return_inverse=True)[1]
        k = int(codes.max()) + 1 if len(codes) else 0
        columns = np.column_stack([group_sums(column, codes, k) for column in columns.T])
    rows, counts = np.unique(columns, axis=0, return_counts=True)
    return Tally(rows, counts.astype(np.int64))


def mean_of(coefficients: Sequence[Coefficient], signs: Sequence[float]) -> Coefficient:
    """Σ signs·coefficient over the same items, as one: the mean over pairs of raters, or a difference.

    Its value is nan where one of them is.
    """
    widths = np.cumsum([one.columns.shape[1] for one in coefficients])[:-1]

    def parts(sums: Sums) -> tuple[Array, Array]:
        pieces = np.split(sums, widths, axis=-1)
        values = [
            sign * one.value(piece) for sign, one, piece in zip(signs, coefficients, pieces, strict=True)
        ]
        total = np.asarray(np.sum(values, axis=0))
        return total, np.zeros_like(total)

    columns = np.concatenate([one.columns for one in coefficients], axis=1)
    used = np.logical_and.reduce([one.used for one in coefficients])
    return Coefficient(columns, parts, used, shares=False)


def cohen(ratings: Ratings, w: Array | None = None) -> Coefficient:
    """κ of two raters: p_e = Σ w_ij p_i. p_.j (Cohen 1960; weighted, Cohen 1968).

    w : (Q, Q) agreement weights, 1 on the diagonal; None for the identity.
    """
    Q = len(ratings.categories)
    weights = np.eye(Q) if w is None else w
    used = ratings.given == 2
    a, b = np.where(used, ratings.codes, 0)
    columns = np.column_stack([weights[a, b], _one_hot(a, Q), _one_hot(b, Q)])

    def parts(sums: Sums) -> tuple[Array, Array]:
        first, second = sums[..., 1 : Q + 1], sums[..., Q + 1 :]
        n = first.sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return sums[..., 0] / n, _quadratic(first, weights, second) / n**2

    return Coefficient(columns, parts, used)


def fleiss(ratings: Ratings) -> Coefficient:
    """κ of m raters an item: P̄ = mean((Σn_ij² − m)/(m(m−1))), P_e = Σp_j² (Fleiss 1971)."""
    m = int(ratings.given.max())
    counts = category_counts(ratings)
    columns = np.column_stack([_pairs_agree(counts, counts), counts])

    def parts(sums: Sums) -> tuple[Array, Array]:
        total = sums[..., 1:].sum(axis=-1)
        p = sums[..., 1:] / total[..., None]
        return sums[..., 0] * m / total, np.sum(p**2, axis=-1)

    return Coefficient(columns, parts, ratings.given == m)


def gwet(ratings: Ratings, w: Array | None = None) -> Coefficient:
    """AC1, and AC2 with weights: p_e = Σw Σπ_q(1−π_q)/(Q(Q−1)) (Gwet 2008; 2014).

    π_q is the mean over items of the share of raters who chose q; items rated once count in π alone.
    """
    Q = len(ratings.categories)
    weights = np.eye(Q) if w is None else w
    counts, given = category_counts(ratings), ratings.given
    twice = (given >= 2).astype(np.float64)
    shares = counts / np.maximum(given, 1)[:, None]
    agree = _pairs_agree(counts, np.asarray(_times(counts, weights)))
    columns = np.column_stack([twice, agree * twice, (given >= 1).astype(np.float64), shares])
    chance = float(weights.sum()) / (Q * (Q - 1))

    def parts(sums: Sums) -> tuple[Array, Array]:
        with np.errstate(divide="ignore", invalid="ignore"):
            pi = sums[..., 3:] / sums[..., 2, None]
            return sums[..., 1] / sums[..., 0], chance * np.sum(pi * (1 - pi), axis=-1)

    return Coefficient(columns, parts, given >= 1)


def pairwise(ratings: Ratings) -> Coefficient:
    """The share of pairs of raters that agree, in the mean over items with two labels or more."""
    given = ratings.given
    same = np.zeros(ratings.n_items)
    for one, other in itertools.combinations(ratings.codes, 2):
        same += (one == other) & (one != MISSING)
    columns = np.column_stack([same / np.maximum(given * (given - 1) / 2, 1), np.ones(len(same))])

    def parts(sums: Sums) -> tuple[Array, Array]:
        observed = sums[..., 0] / sums[..., 1]
        return observed, np.zeros_like(observed)

    return Coefficient(columns, parts, given >= 2)


def krippendorff(ratings: Ratings, scale: str) -> Coefficient:
    """α = 1 − D_o/D_e by coincidences, each of weight 1/(m_u − 1) (Krippendorff 2011).

    scale : nominal, ordinal, interval or ratio. Items rated once are left out.
    """
    return {"interval": _alpha_interval, "ordinal": _alpha_ordinal}.get(scale, _alpha_fixed)(ratings, scale)


def _alpha_fixed(ratings: Ratings, scale: str) -> Coefficient:
    """δ² that does not depend on how often a value is used: nominal, ratio ((c−c')/(c+c'))²."""
    used = ratings.given >= 2
    counts = category_counts(ratings)
    delta = 1 - np.eye(len(ratings.categories)) if scale == "nominal" else _ratio_metric(ratings)
    apart = np.sum(counts * _times(counts, delta), axis=1) / np.maximum(ratings.given - 1, 1)
    columns = np.column_stack([apart, counts])

    def parts(sums: Sums) -> tuple[Array, Array]:
        uses = sums[..., 1:]
        n = uses.sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return 1 - sums[..., 0] / n, 1 - _quadratic(uses, delta, uses) / (n * (n - 1))

    return Coefficient(columns, parts, used)


def _ratio_metric(ratings: Ratings) -> Array:
    values = np.asarray(ratings.values)
    total = values[:, None] + values
    return np.asarray(
        np.where(total == 0, 0.0, (values[:, None] - values) / np.where(total == 0, 1.0, total)) ** 2
    )


def _alpha_interval(ratings: Ratings, scale: str) -> Coefficient:
    """δ² = (c−c')², from sums of values and squares: any number of different values."""
    used = ratings.given >= 2
    values = np.asarray(ratings.values)
    there = (ratings.codes != MISSING) & used
    given = values[ratings.codes[there]]
    middle = order_free_sum(given) / max(len(given), 1)  # squares of small numbers keep digits
    x = np.where(there, values[ratings.codes] - middle, 0.0)
    m, ordered = there.sum(axis=0).astype(np.float64), np.sort(x, axis=0)  # no order of raters matters
    total, squares = ordered.sum(axis=0), (np.sort(np.abs(x), axis=0) ** 2).sum(axis=0)
    apart = np.array([_squares_apart(np.sort(row[on])) for row, on in zip(x.T, there.T, strict=True)])
    columns = np.column_stack([2 * apart / np.maximum(m - 1, 1), m, total, squares])
    span = float(np.ptp(values)) ** 2 or 1.0

    def parts(sums: Sums) -> tuple[Array, Array]:
        apart, n, total, squares = np.moveaxis(sums, -1, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = 2 * (n * squares - total**2) / (n * (n - 1))
            return 1 - apart / n / span, 1 - expected / span

    return Coefficient(columns, parts, used)


def _squares_apart(x: Array) -> float:
    """Σ_{i<j}(x_i − x_j)², 0 exactly where all are equal."""
    return float(np.sum((x[:, None] - x) ** 2)) / 2


def _alpha_ordinal(ratings: Ratings, scale: str) -> Coefficient:
    """δ = difference of mid-ranks, Σ_{g=c..c'} n_g − (n_c+n_c')/2, which the sums decide."""
    Q = len(ratings.categories)
    counts = category_counts(ratings)
    low, high = np.triu_indices(Q, 1)
    weight = 1 / np.maximum(ratings.given - 1, 1)
    columns = np.column_stack([counts[:, low] * counts[:, high] * weight[:, None], counts])

    def parts(sums: Sums) -> tuple[Array, Array]:
        together, uses = sums[..., : len(low)], sums[..., len(low) :]
        n = uses.sum(axis=-1)
        ranks = np.cumsum(uses, axis=-1) - uses / 2
        ranks = ranks - (n / 2)[..., None]
        observed = 2 * np.sum(together * (ranks[..., high] - ranks[..., low]) ** 2, axis=-1)
        expected = 2 * (n * np.sum(uses * ranks**2, axis=-1) - np.sum(uses * ranks, axis=-1) ** 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            return 1 - observed / n**3, 1 - expected / (n - 1) / n**3

    return Coefficient(columns, parts, ratings.given >= 2, shares=False)


def category_counts(ratings: Ratings) -> Array:
    """(items, Q): how many raters chose each category."""
    return np.asarray(np.sum([_one_hot(row, len(ratings.categories)) for row in ratings.codes], axis=0))


def _one_hot(codes: NDArray[np.intp], Q: int) -> Array:
    """(items, Q); a row of zeros where the label is missing."""
    return np.asarray(codes[:, None] == np.arange(Q), dtype=np.float64)


def _pairs_agree(counts: Array, close: Array) -> Array:
    """Σ_q r_q(r*_q − 1)/(r(r−1)) of each item; 0 with fewer than two labels."""
    r = counts.sum(axis=1)
    agree = np.sum(counts * (close - 1), axis=1)
    return np.asarray(np.where(r >= 2, agree / np.maximum(r * (r - 1), 1), 0.0))


def _times(counts: Array, matrix: Array) -> Array:
    """(items, Q)·(Q, Q). No matrix product: its rounding differs between machines."""
    return np.stack([np.add.reduce(counts * column, axis=-1) for column in matrix.T], axis=-1)


def _quadratic(first: Array, matrix: Array, second: Array) -> Array:
    """Σ_ij first_i matrix_ij second_j over the last axis."""
    return np.asarray(np.add.reduce(_times(first, matrix) * second, axis=-1))
