"""The intervals of scores and clusters for many data sets at once, one a row.

A simulation of thousands of data sets a cell is out of reach one by one. `tests/test_atlas.py` holds every
form here to the library's own function on drawn data, so that what is measured is the library.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from atlas.figure import Array
from evalstats.methods.paired import tango_upper

Pair = tuple[Array, Array]
_ROUNDING, _DIGITS_OF_A_MEAN = 1e-13, 12


def t_of(level: float, df: Array | float) -> Array:
    """Two-sided Student quantiles."""
    return np.asarray(special.stdtrit(df, 1 - (1 - level) / 2), dtype=np.float64)


@dataclass(frozen=True, eq=False)  # told apart by identity, so that what is costly is kept
class ManyClusters:
    """sums, sizes : (draws, k). squares : (draws,) Σy² over the items of scores, None for right or wrong."""

    sums: Array
    sizes: Array
    squares: Array | None = None

    @cached_property
    def n(self) -> Array:
        return np.asarray(self.sizes.sum(axis=1))

    @cached_property
    def point(self) -> Array:
        return np.asarray(self.sums.sum(axis=1) / self.n)

    @cached_property
    def residuals(self) -> Array:
        residuals = self.sums - self.sizes * self.point[:, None]
        largest = np.abs(self.sums / self.sizes).max(axis=1, keepdims=True)
        return np.where(np.abs(residuals) > 100 * _ROUNDING * largest * self.sizes, residuals, 0.0)

    @cached_property
    def w(self) -> Array:
        return np.asarray(self.sizes / self.n[:, None])

    @cached_property
    def v(self) -> Array:
        """CR2."""
        return np.asarray(np.sum(self.residuals**2 / (1 - self.w), axis=1) / self.n**2)

    @cached_property
    def cr1(self) -> Array:
        k = self.sums.shape[1]
        return np.asarray(np.sqrt(np.sum(self.residuals**2, axis=1) * k / (k - 1)) / self.n)

    @cached_property
    def df(self) -> Array:
        """Bell–McCaffrey's."""
        q = self.w**2 / (1 - self.w)
        return np.asarray(1 / (np.sum(self.w**2, axis=1) + np.sum(q, axis=1) ** 2 - np.sum(q**2, axis=1)))

    @cached_property
    def kish(self) -> Array:
        return np.asarray(self.n**2 / np.sum(self.sizes**2, axis=1))

    @cached_property
    def per_item(self) -> Array | float:
        """p(1−p)/s₀²: right or wrong answers that one score is worth; 1 where no score differs."""
        if self.squares is None:
            return 1.0
        variance = self.squares / self.n - self.point**2
        varies = variance > 1e-12
        return np.where(varies, self.point * (1 - self.point) / np.where(varies, variance, 1.0), 1.0)

    @cached_property
    def informative(self) -> Array:
        """Clusters whose mean is not the commonest one: k less the longest run of equal sorted means."""
        means = np.sort(np.round(self.sums / self.sizes, _DIGITS_OF_A_MEAN), axis=1)
        at = np.broadcast_to(np.arange(means.shape[1]), means.shape)
        new = np.ones(means.shape, dtype=bool)
        new[:, 1:] = means[:, 1:] != means[:, :-1]
        starts = np.maximum.accumulate(np.where(new, at, 0), axis=1)
        return np.asarray(means.shape[1] - (at - starts + 1).max(axis=1), dtype=np.float64)


def clopper_pearson(k: Array, n: Array, level: float) -> Pair:
    """Exact limits of real counts."""
    half = (1 - level) / 2
    with np.errstate(invalid="ignore"):
        low = np.where(k <= 0, 0.0, special.betaincinv(np.maximum(k, 1e-300), n - k + 1, half))
        high = np.where(k >= n, 1.0, special.betaincinv(k + 1, np.maximum(n - k, 1e-300), 1 - half))
    low = np.where(k >= n, half ** (1 / n), low)
    return low, np.where(k <= 0, 1 - half ** (1 / n), high)


def wilson(p: Array, n: Array, z: Array | float) -> Pair:
    """Score limits of real n."""
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return np.where(p == 0, 0.0, centre - half), np.where(p == 1, 1.0, centre + half)


def _around(point: Array, half: Array, v: Array) -> Pair:
    """point ± half; none where nothing varies."""
    half = np.where(v > 0, half, np.nan)
    return point - half, point + half


def cr2_t(x: ManyClusters, level: float) -> Pair:
    return _around(x.point, t_of(level, x.df) * np.sqrt(x.v), x.v)


def cr1_z(x: ManyClusters, level: float) -> Pair:
    return _around(x.point, special.ndtri(1 - (1 - level) / 2) * x.cr1, x.v)


def cr2_t_pseudo(x: ManyClusters, level: float) -> Pair:
    """Two pseudo-clusters of mean size at −1 and 1, around their mean."""
    m = (x.n / x.sums.shape[1])[:, None]
    sums, sizes = np.hstack([x.sums, m, -m]), np.hstack([x.sizes, m, m])
    return cr2_t(ManyClusters(sums, sizes), level)


def _korn_graubard(
    x: ManyClusters, se: Array, df: Array | float, level: float, per_item: Array | float = 1.0
) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        size = x.point * (1 - x.point) / se**2 * (t_of(level, x.n - 1) / t_of(level, df)) ** 2
    return np.where(se == 0, x.kish, np.minimum(x.n * per_item, size))


def korn_graubard_cr2(x: ManyClusters, level: float) -> Pair:
    most = np.minimum(x.n, x.kish * np.maximum(1, x.informative)) * x.per_item
    n_eff = np.minimum(most, _korn_graubard(x, np.sqrt(x.v), x.df, level, x.per_item))
    return clopper_pearson(x.point * n_eff, n_eff, level)


def korn_graubard(x: ManyClusters, level: float) -> Pair:
    n_eff = _korn_graubard(x, x.cr1, float(x.sums.shape[1] - 1), level)
    return clopper_pearson(x.point * n_eff, n_eff, level)


def _logit_t(x: ManyClusters, a: float, level: float) -> Pair:
    p, k_star = x.point, x.kish
    q = (k_star * p + 1) / (k_star + 2)
    shrunk = (k_star * x.v + a * q * (1 - q) / k_star) / (k_star + a)
    inside = np.clip(p, 0.25 / k_star, 1 - 0.25 / k_star)
    half = t_of(level, x.df) * np.sqrt(shrunk) / (inside * (1 - inside))
    centre = special.logit(inside)
    low, high = special.expit(centre - half), special.expit(centre + half)
    return np.where(p == 0, 0.0, low), np.where(p == 1, 1.0, high)


def logit_t_of_clusters(x: ManyClusters, level: float) -> Pair:
    return _logit_t(x, 2.0, level)


def logit_t_of_items(x: ManyClusters, level: float) -> Pair:
    return _logit_t(x, 4.0, level)


def wilson_effective(x: ManyClusters, level: float, most: float = np.inf) -> Pair:
    """Items are clusters of one. most : n²/Σ(1/m) for pass/fail completions."""
    p, n = x.point, x.n
    squares = np.sum(x.residuals**2, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        n_eff = np.where(squares == 0, n, np.minimum(n * p * (1 - p) / (squares / n), most))
    return wilson(p, n_eff, t_of(level, n - 1))


@dataclass(frozen=True)
class ManyPairs:
    """Pass/fail pairs in clusters: (draws, k) items only the candidate has right, only the baseline, both."""

    candidate_only: Array
    baseline_only: Array
    both_right: Array
    sizes: Array

    @cached_property
    def differences(self) -> ManyClusters:
        return ManyClusters(self.candidate_only - self.baseline_only, self.sizes)

    @cached_property
    def icc(self) -> Array:
        """ICC(1) of both runs' item scores, pooled in their clusters; nan where they do not vary."""
        sizes = 2 * self.sizes
        right = self.candidate_only + self.baseline_only + 2 * self.both_right
        pooled, k = ManyClusters(right, sizes), right.shape[1]
        n0 = (pooled.n - np.sum(sizes**2, axis=1) / pooled.n) / (k - 1)
        msb = np.sum(pooled.residuals**2 / sizes, axis=1) / (k - 1)
        msw = np.sum(right - right**2 / sizes, axis=1) / (pooled.n - k)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((msb - msw) / (msb + (n0 - 1) * msw))

    @cached_property
    def effective_size(self) -> Array:
        """n_eff of Rao and Scott: independent pairs with the same ψ, D and variance."""
        x = self.differences
        psi = (self.candidate_only + self.baseline_only).sum(axis=1) / x.n
        spread = psi - x.point**2
        mean_size = np.sum(x.sizes**2, axis=1) / x.n
        by_icc = x.n / (1 + (mean_size - 1) * np.clip(self.icc, 0.0, 1.0))
        without = np.where(np.isnan(self.icc), x.kish, by_icc)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where((x.v == 0) | (spread <= 1e-12 * psi), without, np.minimum(x.n, spread / x.v))


def tango_effective(pairs: ManyPairs, level: float) -> Pair:
    """Tango on n_eff = min(N, (ψ − D²)/v) with t_ν; by the pooled ICC or k* without variance."""
    x, n_eff = pairs.differences, pairs.effective_size
    D, psi = x.point, (pairs.candidate_only + pairs.baseline_only).sum(axis=1) / x.n
    t = t_of(level, x.df)
    above, below = n_eff * (psi + D) / 2, n_eff * (psi - D) / 2
    return -tango_upper(below, above, n_eff, t), tango_upper(above, below, n_eff, t)


def tango_effective_of_items(x: ManyClusters, magnitudes: Array, most: float, level: float) -> Pair:
    """The same for item differences of completions. magnitudes : (draws,) ψ = Σ|d|/n; most : N."""
    D, psi, spread = x.point, magnitudes, magnitudes - x.point**2
    with np.errstate(divide="ignore", invalid="ignore"):
        n_eff = np.where((x.v == 0) | (spread <= 1e-12 * psi), x.n, np.minimum(most, spread / x.v))
    t = t_of(level, x.n - 1)
    above, below = n_eff * (psi + D) / 2, n_eff * (psi - D) / 2
    return -tango_upper(below, above, n_eff, t), tango_upper(above, below, n_eff, t)


def tango_bonett_price(tango: Pair, b: Array, c: Array, n: int, level: float) -> Pair:
    """The outer limits of Tango's, given, and of Bonett–Price with t(n−1)."""
    centre = (b - c) / (n + 2)
    half = t_of(level, float(n - 1)) * np.sqrt(((b + c + 2) / (n + 2) - centre**2) / (n + 2))
    return np.minimum(tango[0], centre - half), np.maximum(tango[1], centre + half)


def welch(x: ManyClusters, y: ManyClusters, level: float) -> Pair:
    """y − x, with Satterthwaite's df."""
    v = x.v + y.v
    with np.errstate(divide="ignore", invalid="ignore"):
        df = v**2 / (x.v**2 / x.df + y.v**2 / y.df)
    return _around(y.point - x.point, t_of(level, np.where(v > 0, df, 1.0)) * np.sqrt(v), v)


OF_CLUSTERS: dict[str, Callable[[ManyClusters, float], Pair]] = {
    "korn_graubard_cr2": korn_graubard_cr2,
    "korn_graubard": korn_graubard,
    "cr2_t": cr2_t,
    "cr1_z": cr1_z,
    "logit_t_shrunk": logit_t_of_clusters,
}
OF_ITEMS: dict[str, Callable[[ManyClusters, float], Pair]] = {
    "wilson_effective": wilson_effective,
    "t": cr2_t,
    "cr2_t": cr2_t,
    "logit_t_shrunk": logit_t_of_items,
}
