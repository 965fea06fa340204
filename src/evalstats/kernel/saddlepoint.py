"""The law of a mean, of a weighted sum of means, and of a ratio of sums by their saddlepoints.

P(V ≤ v) = Φ(W + ln(U/W)/W): at v the draws are tilted by e^{τ·} until v is their mean. Lugannani & Rice
1980, Advances in Applied Probability 12:475–490; Barndorff-Nielsen 1986, Biometrika 73:307–322; for the
bootstrap Davison & Hinkley 1988, Biometrika 75:417–431.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evalstats.kernel.exact import Atoms, Law
from evalstats.kernel.series import PowerSums
from evalstats.kernel.sums import LinearSum, SampleSums
from evalstats.numeric import normal_cdf, normal_quantile

Array = NDArray[np.float64]
STEPS = 60
CLOSE = 1e-11  # of a normal score
SMALL = 0.05  # standard deviations from the middle within which rounding shows in ln(U/W)/W
_FAR, _NODES, _DEGREE, _ATOMS = 5.0, 33, 10, 1 << 11  # of a law in a table


class NotConverged(Exception):  # noqa: N818 (an answer on its way to another engine, not an error)
    """The saddlepoint was not found: another engine must do."""


@dataclass(frozen=True)
class LinearSaddlepoint:
    """Of T = Σ_j w_j x̄*_j. K(τ) = Σ_j n_j ln mean e^{τy_j}, y_j what a draw adds beyond its mean."""

    total: LinearSum
    name: str = "saddlepoint"
    n_boot: int | None = None

    @property
    def mean(self) -> float:
        return self.total.mean

    @property
    def sd(self) -> float:
        return self.total.sd

    def low(self, q: float) -> float:
        return self._at(normal_quantile(q))

    def high(self, q: float) -> float:
        return self._at(-normal_quantile(q))

    def below(self, point: float) -> float:
        """Φ of the score at the τ with K'(τ) = point − mean; at the mean Φ(γ/6), γ the skewness."""
        away = (point - self.total.mean) / self.total.sd
        if abs(away) < CLOSE:
            return normal_cdf(self.total.skewness / 6)
        tau = _solve(lambda tau: self._away(tau, away), away / self.total.sd)
        return normal_cdf(self._score(tau, *self._cumulants(tau))[0])

    def _away(self, tau: float, away: float) -> tuple[float, float]:
        _, K1, K2 = self._cumulants(tau)
        return K1 / self.total.sd - away, math.sqrt(K2)

    def _at(self, z: float) -> float:
        """The value with normal score z: K' at the τ whose score is z."""
        values = {}

        def missed(tau: float) -> tuple[float, float]:
            K, K1, K2 = self._cumulants(tau)
            score, slope = self._score(tau, K, K1, K2)
            values[tau] = K1, K2
            return score - z, slope

        guess = z - self.total.skewness * (2 * z * z + 1) / 6  # score s + γs²/3 + γ/6 at s = τσ, nearly
        tau = _solve(missed, guess / self.total.sd)
        last, (K1, K2) = values.popitem()
        return self.total.mean + K1 + K2 * (tau - last)

    def _score(self, tau: float, K: float, K1: float, K2: float) -> tuple[float, float]:
        """The normal score at τ and dW/dτ = τK''/W, from K and its derivatives there."""
        W, U = _roots(tau, K, K1, K2)
        if abs(tau) * self.total.sd < SMALL:
            return W + self._middle(W), self.total.sd
        return W + correction(W, U), U**2 / (tau * W)

    @cached_property
    def _middle(self) -> Middle:
        ends = (-SMALL / self.total.sd, SMALL / self.total.sd)
        low, high = (_roots(tau, *self._cumulants(tau)) for tau in ends)
        return Middle(low, high, self.total.skewness / 6)

    def _cumulants(self, tau: float) -> tuple[float, float, float]:
        """K, K' and K'' at τ: by a power series where it converges fast, else from every unit."""
        found = self._series.cumulants(tau) if self._series.holds(tau) else self._of_every_unit(tau)
        if not (math.isfinite(found[2]) and found[2] > 0):  # a step too far, or all weight on one row
            raise NotConverged
        return found

    @cached_property
    def _series(self) -> PowerSums:
        return PowerSums.of(self.total)

    def _of_every_unit(self, tau: float) -> tuple[float, float, float]:
        """Σ_j n_j ln M_j, Σ_j n_j M'_j/M_j and its derivative, M_j(τ) = mean e^{τy} of sample j."""
        K, R = len(self.total.samples), self.total.farthest
        beyond, first, second = (SampleSums(K) for _ in range(3))  # beyond: M − n, which keeps its digits
        with np.errstate(over="ignore", invalid="ignore"):
            most = float(np.exp(abs(tau) * R))
            if not math.isfinite(most * max(R, R**2)):
                raise NotConverged
            for part in self.total.parts():
                weights = np.exp(tau * part.y)
                counts = 1.0 if part.counts is None else part.counts
                beyond.add(part, (weights - 1) * counts, max(most, 1.0))
                weights *= counts * part.y
                first.add(part, weights, most * R)
                weights *= part.y
                second.add(part, weights, most * R**2)
        found = zip(self.total.n.tolist(), beyond.totals(), first.totals(), second.totals(), strict=True)
        K0 = K1 = K2 = 0.0
        for n, above, M1, M2 in found:
            M = n + above
            if not (math.isfinite(M2) and M > 0):
                raise NotConverged
            K0, K1, K2 = K0 + n * math.log1p(above / n), K1 + n * M1 / M, K2 + n * (M2 / M - (M1 / M) ** 2)
        return K0, K1, K2


def _roots(tau: float, K: float, K1: float, K2: float) -> tuple[float, float]:
    """W = sgn(τ)√(2(τK' − K)) and U = τ√K''."""
    return math.copysign(math.sqrt(max(2 * (tau * K1 - K), 0.0)), tau), tau * math.sqrt(K2)


def tabulated(law: Law) -> Atoms:
    """A smooth law as many values of equal step in the normal score, for a convolution with another one."""
    nodes = np.linspace(-_FAR, _FAR, _NODES)
    values = [law.low(normal_cdf(z)) if z < 0 else law.high(normal_cdf(-z)) for z in nodes.tolist()]
    scores = np.linspace(-_FAR, _FAR, _ATOMS + 1)
    middles = (scores[1:] + scores[:-1]) / 2
    fitted = np.polynomial.Polynomial.fit(nodes, np.array(values), _DEGREE)(middles)
    masses = np.diff(special.ndtr(scores))
    return Atoms(np.maximum.accumulate(fitted), masses / masses.sum(), law.name)


def correction(W: float, U: float) -> float:
    """ln(U/W)/W."""
    if W == 0 or not U / W > 0:
        raise NotConverged
    return math.log(U / W) / W


@dataclass(frozen=True)
class Middle:
    """ln(U/W)/W near W = 0, where it is 0/0: the parabola through its limit and two (W, U) on either side."""

    low: tuple[float, float]
    high: tuple[float, float]
    limit: float

    def __call__(self, W: float) -> float:
        w_low, w_high = self.low[0], self.high[0]
        low, high = (correction(*one) - self.limit for one in (self.low, self.high))
        slope = (high / w_high * -w_low + low / w_low * w_high) / (w_high - w_low)
        bend = (high / w_high - low / w_low) / (w_high - w_low)
        return self.limit + slope * W + bend * W**2


def _solve(missed: Callable[[float], tuple[float, float]], start: float) -> float:
    """Where an increasing function is 0, by Newton's steps with a slope that need not be exact."""
    at = start
    for _ in range(STEPS):
        value, slope = missed(at)
        if not (math.isfinite(value) and slope > 0):
            raise NotConverged
        at -= value / slope
        if abs(value) < CLOSE:
            return at
    raise NotConverged
