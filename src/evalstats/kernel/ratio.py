"""A ratio of sums, R* = Σs*/Σm*, the mean of items in clusters of unequal size: moments and saddlepoint."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evalstats.kernel.saddlepoint import CLOSE, SMALL, STEPS, Middle, NotConverged, correction
from evalstats.kernel.units import Tally
from evalstats.numeric import normal_cdf, normal_quantile

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
_PART = 1 << 15  # rows at a time: bounds memory, and is part of the definition of a sum


@dataclass(frozen=True)
class RatioSum:
    """R* over n draws of the tally's rows (s, m), m ≥ 0 and so often above it that Σm* = 0 never happens."""

    tally: Tally

    @cached_property
    def n(self) -> int:
        return self.tally.n

    @cached_property
    def _totals(self) -> Array:
        return self.tally.totals(self.tally.rows)

    @property
    def point(self) -> float:
        """R = Σs/Σm."""
        return float(self._totals[0] / self._totals[1])

    @property
    def size(self) -> float:
        """Σm."""
        return float(self._totals[1])

    def parts(self, r: float) -> Iterator[tuple[Array, Array, Counts]]:
        """s − rm, m and the counts, some rows at a time: R* ≤ r where the first add up to ≤ 0."""
        for start in range(0, len(self.tally.counts), _PART):
            s, m = self.tally.rows[start : start + _PART].T
            yield s - r * m, m, self.tally.counts[start : start + _PART]

    @cached_property
    def _moments(self) -> dict[str, float]:
        """Joint cumulants of e = Σ(s − Rm)*/Σm and δ = Σm*/Σm − 1."""
        names, columns = ("ee", "ed", "dd", "eee", "eed", "edd"), []
        for u, m, counts in self.parts(self.point):
            u, d = u / self.size, m / self.size - 1 / self.n
            terms = (u * u, u * d, d * d, u * u * u, u * u * d, u * d * d)
            columns.append([np.sum(counts * term) for term in terms])
        return dict(zip(names, (math.fsum(column) for column in zip(*columns, strict=True)), strict=True))

    @property
    def spread(self) -> float:
        """Standard deviation of e: of R* to first order."""
        return math.sqrt(self._moments["ee"])

    @property
    def size_spread(self) -> float:
        """Standard deviation of δ: by what share the items drawn vary in number."""
        return math.sqrt(self._moments["dd"])

    @property
    def skewness(self) -> float:
        return self._moments["eee"] / self.spread**3

    @cached_property
    def dominance(self) -> float:
        """The largest part of a unit in e, in standard deviations."""
        largest = max(float(np.max(np.abs(u))) for u, _, _ in self.parts(self.point))
        return largest / self.size / self.spread

    @property
    def mean(self) -> float:
        """E R* of R* − R = e/(1 + δ), up to terms of 1/n³."""
        c = self._moments
        return self.point - c["ed"] + c["edd"] - 3 * c["ed"] * c["dd"]

    @property
    def sd(self) -> float:
        """Of R*, up to terms of 1/n³ in the variance."""
        c = self._moments
        return math.sqrt(c["ee"] - 2 * c["eed"] + 3 * c["ee"] * c["dd"] + 5 * c["ed"] ** 2)


@dataclass(frozen=True)
class RatioSaddlepoint:
    """P(R* ≤ r) = P(Σ(s − rm)* ≤ 0), by the saddlepoint of that sum at 0.

    Source: Daniels 1983, Biometrika 70:89–96.
    """

    ratio: RatioSum
    name: str = "saddlepoint"
    n_boot: int | None = None

    @property
    def mean(self) -> float:
        return self.ratio.mean

    @property
    def sd(self) -> float:
        return self.ratio.sd

    def low(self, q: float) -> float:
        return self._at(normal_quantile(q))

    def high(self, q: float) -> float:
        return self._at(-normal_quantile(q))

    def below(self, point: float) -> float:
        """Φ of the score; at R itself Φ(γ/6), γ the skewness of Σ(s − Rm)*."""
        away = (point - self.ratio.point) / self.ratio.spread
        if abs(away) < CLOSE:
            return normal_cdf(self.ratio.skewness / 6)
        return normal_cdf(self._score(point, away / self.ratio.spread)[0])

    def _at(self, z: float) -> float:
        """The r with normal score z, by Newton's steps with dW/dr."""
        r = self.ratio.point + z * self.ratio.spread
        tau = z / self.ratio.spread
        for _ in range(STEPS):
            score, tau, slope = self._score(r, tau)
            if not (math.isfinite(score) and slope > 0):
                raise NotConverged
            r -= (score - z) / slope
            if abs(score - z) < CLOSE:
                return r
        raise NotConverged

    def _score(self, r: float, tau: float) -> tuple[float, float, float]:
        """W + ln(U/W)/W at r, its τ from a start, and dW/dr = τ·E_τ[Σm]/W."""
        W, U, tau, size = self._roots(r, tau)
        if abs(r - self.ratio.point) < SMALL * self.ratio.spread:
            return W + self._middle(W), tau, size / self.ratio.spread
        return W + correction(W, U), tau, tau * size / W

    def _roots(self, r: float, tau: float) -> tuple[float, float, float, float]:
        """W = sgn(τ)√(−2K), U = τ√K'', the τ with K'(τ) = 0, and E_τ[Σm]/Σm."""
        for _ in range(STEPS):
            K, K1, K2, size = self._cumulants(r, tau)
            if abs(K1) < CLOSE * math.sqrt(K2):
                return math.copysign(math.sqrt(max(-2 * K, 0.0)), tau), tau * math.sqrt(K2), tau, size
            tau -= K1 / K2
        raise NotConverged

    @cached_property
    def _middle(self) -> Middle:
        ratio = self.ratio
        low, high = (
            self._roots(ratio.point + side * SMALL * ratio.spread, side * SMALL / ratio.spread)[:2]
            for side in (-1, 1)
        )
        return Middle(low, high, ratio.skewness / 6)

    def _cumulants(self, r: float, tau: float) -> tuple[float, float, float, float]:
        """K, K', K'' of Σ(s − rm)*/Σm at τ, and the share of Σm that is then expected to be drawn."""
        n, size_of_all, beyond = self.ratio.n, self.ratio.size, 0.0  # M − n, which keeps its digits
        M1 = M2 = size = 0.0
        with np.errstate(over="ignore", invalid="ignore"):  # of a step too far
            for u, m, counts in self.ratio.parts(r):
                weights = np.exp(tau / size_of_all * u)
                beyond += float(((weights - 1) * counts).sum())
                weights *= counts
                size += float((weights * m).sum())
                weights *= u
                M1 += float(weights.sum())
                weights *= u
                M2 += float(weights.sum())
        M, M1, M2 = n + beyond, M1 / size_of_all, M2 / size_of_all**2
        if not (math.isfinite(M2) and M > 0 and M2 / M > (M1 / M) ** 2):
            raise NotConverged
        K2 = n * (M2 / M - (M1 / M) ** 2)
        return n * math.log1p(beyond / n), n * M1 / M, K2, n * size / M / size_of_all
