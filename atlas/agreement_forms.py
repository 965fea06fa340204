"""Agreement coefficients and their intervals for many data sets at once, from counts of patterns of labels.

A pattern is the labels of all raters on one item; a coefficient knows its items by how often each occurs.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import special

from atlas.array_forms import Pair, t_of
from atlas.figure import Array
from evalstats.numeric import z_of

_SAME = 1e-12


class Sums(NamedTuple):
    """Of items: how many, agreeing pairs, labels of each category, and those of the first two raters."""

    n: Array
    agree: Array
    labels: Array
    first: Array
    second: Array


@dataclass(frozen=True, eq=False)
class ManyRatings:
    """what : the coefficient. counts : (draws, Q**raters) items with each pattern, as `product` has them."""

    what: str
    counts: Array
    raters: int
    Q: int

    @classmethod
    def of_labels(cls, what: str, labels: Array, Q: int) -> ManyRatings:
        """labels : (draws, raters, items)."""
        draws, raters, _ = labels.shape
        patterns = Q**raters
        code = np.tensordot(labels.astype(np.int64), Q ** np.arange(raters)[::-1], axes=(1, 0))
        code += patterns * np.arange(draws)[:, None]
        counts = np.bincount(code.ravel(), minlength=draws * patterns).reshape(draws, patterns)
        return cls(what, counts.astype(np.float64), raters, Q)

    @cached_property
    def one_hot(self) -> Array:
        """(patterns, raters, Q)."""
        return np.asarray(np.eye(self.Q)[list(itertools.product(range(self.Q), repeat=self.raters))])

    @cached_property
    def of_pattern(self) -> Sums:
        """Of one item with each pattern."""
        labels = self.one_hot.sum(axis=1)
        pairs = self.raters * (self.raters - 1)
        agree = np.sum(labels * (labels - 1), axis=1) / pairs
        return Sums(np.ones(len(labels)), agree, labels, self.one_hot[:, 0], self.one_hot[:, 1])

    @cached_property
    def sums(self) -> Sums:
        return Sums(*(np.asarray(self.counts @ part) for part in self.of_pattern))

    @cached_property
    def point(self) -> Array:
        return self.coefficient(self.sums)

    def expected(self, sums: Sums) -> Array:
        """What chance gives; of alpha what it is taken for there."""
        n = sums.n[..., None]
        if self.what == "kappa":
            return np.asarray(np.sum(sums.first * sums.second, axis=-1) / sums.n**2)
        share = sums.labels / (n * self.raters)
        if self.what == "ac1":
            return np.asarray(np.sum(share * (1 - share), axis=-1) / (self.Q - 1))
        squares = np.sum(share**2, axis=-1)
        if self.what == "fleiss":
            return np.asarray(squares)
        N = sums.n * self.raters
        return np.asarray(1 - (1 - squares) * N / (N - 1))

    def coefficient(self, sums: Sums) -> Array:
        """(p_o − p_e)/(1 − p_e), nan for 0/0."""
        chance = self.expected(sums)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = (sums.agree / sums.n - chance) / (1 - chance)
        return np.where(1 - chance > _SAME, value, np.nan)

    @cached_property
    def without_one(self) -> Array:
        """(draws, patterns) the coefficient without one item of a pattern."""
        left = (whole[:, None] - part[None] for whole, part in zip(self.sums, self.of_pattern, strict=True))
        return self.coefficient(Sums(*left))


def jackknife_t(x: ManyRatings, level: float) -> Pair:
    n, there = x.sums.n, x.counts > 0
    values = np.where(there, x.without_one, 0.0)
    centre = np.sum(x.counts * values, axis=1) / n
    v = (n - 1) / n * np.sum(x.counts * (values - centre[:, None]) ** 2, axis=1)
    v = np.where(v > (_SAME * np.maximum(1.0, np.abs(x.point))) ** 2, v, np.nan)
    half = t_of(level, n - 1) * np.sqrt(v)
    return x.point - half, x.point + half


def fce(x: ManyRatings, level: float) -> Pair:
    p = x.counts.reshape(-1, x.Q, x.Q) / x.sums.n[:, None, None]
    first, second, chance, kappa = p.sum(axis=2), p.sum(axis=1), x.expected(x.sums), x.point
    margins = second[:, :, None] + first[:, None, :]  # w̄_i. + w̄_.j of w = 1 where i = j
    squares = (np.eye(x.Q) - margins * (1 - kappa)[:, None, None]) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        v = np.sum(p * squares, axis=(1, 2)) - (kappa - chance * (1 - kappa)) ** 2
        se = np.sqrt(np.where(v > _SAME, v, np.nan) / x.sums.n) / (1 - chance)
    half = z_of(level) * se
    return kappa - half, kappa + half


def linearised_t(x: ManyRatings, level: float) -> Pair:
    n, chance, ac = x.sums.n, x.expected(x.sums), x.point
    share = x.sums.labels / (n * x.raters)[:, None]
    by_chance = (1 - share) @ x.of_pattern.labels.T / x.raters / (x.Q - 1)
    agree = (x.of_pattern.agree[None] - chance[:, None]) / (1 - chance)[:, None]
    values = agree - 2 * (1 - ac)[:, None] * (by_chance - chance[:, None]) / (1 - chance)[:, None]
    centre = np.sum(x.counts * values, axis=1) / n
    v = np.sum(x.counts * (values - centre[:, None]) ** 2, axis=1) / (n * (n - 1))
    half = t_of(level, n - 1) * np.sqrt(np.where(v > _SAME**2, v, np.nan))
    return ac - half, ac + half


def intraclass(x: ManyRatings) -> Array:
    """κ_I of two raters and two categories."""
    pi = x.sums.labels[:, 1] / (2 * x.sums.n)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(1 - (x.sums.n - x.sums.agree) / (2 * x.sums.n * pi * (1 - pi)))


def donner_eliasziw_keeps(x: ManyRatings, kappa: float, level: float) -> Array:
    """Whether the goodness-of-fit test of (both, one, none) keeps this κ."""
    n, both = x.sums.n, x.counts[:, 3]
    seen = np.array([both, n - x.sums.agree, x.sums.agree - both])
    pi = x.sums.labels[:, 1] / (2 * n)
    spread = pi * (1 - pi)
    P = np.array([pi**2 + spread * kappa, 2 * spread * (1 - kappa), (1 - pi) ** 2 + spread * kappa])
    apart = (seen - n * P) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(P > 0, apart / (n * P), np.where(apart > _SAME * n, np.inf, 0.0))
    return np.asarray(special.chdtrc(1, terms.sum(axis=0)) >= 1 - level)
