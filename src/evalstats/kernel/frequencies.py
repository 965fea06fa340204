"""The law of a sum on a lattice from the few frequencies that matter, whatever the number of draws.

|φ(t)|ⁿ is negligible but near t = 0 and where the values nearly lie on a coarser lattice. Between points of
a grid |φ| changes by at most σ times the way, which shows where nothing need be computed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalstats.kernel.exact import GUARD, Atoms
from evalstats.kernel.lattice import NAME, Lattice
from evalstats.numeric import normal_quantile

Array = NDArray[np.float64]
Steps = NDArray[np.int64]
LEAST_WORK = 1 << 13  # points of a window times samples: below, FFTs do as well
_CELLS_PER_STEP = 32  # of the grid, for each step between the lowest and the highest value
_MOST_CELLS = 1 << 17  # of the grid, times distinct values
_MOST_FREQUENCIES = 1 << 11
_NEGLIGIBLE = -45.0  # ln |φⁿ|
_AHEAD = 8  # places looked at on either side


@dataclass(frozen=True)
class FewFrequencies:
    """P(J ≤ first + m − 1) = m/N + (2/N) Re Σ_t A_t(1 − e^{−itm}), t = 2πf/N and N odd, at least the window.

    A_t = φ(t)ⁿ e^{−it·first}/(1 − e^{−it}).
    """

    lattice: Lattice
    N: int
    t: Array
    A: NDArray[np.complex128]
    name: str = NAME
    n_boot: int | None = None

    @property
    def mean(self) -> float:
        return self.lattice.total.mean

    @property
    def sd(self) -> float:
        return self.lattice.total.sd

    def low(self, q: float) -> float:
        m = self._first(q * (1 - GUARD), normal_quantile(q))
        return float(self.lattice.values(np.array(m - 1)))

    def high(self, q: float) -> float:
        """P(V ≥ v) ≥ q as long as what lies below has at most 1 − q."""
        m = self._first(math.nextafter(1 - q * (1 - GUARD), 2), -normal_quantile(q))
        return float(self.lattice.values(np.array(m - 1)))

    def below(self, point: float) -> float:
        m = round(self.lattice.index(point))
        return float(np.mean(self._up_to(np.array([m, m + 1]))))

    def atoms(self) -> Atoms:
        """Every value and its probability."""
        return self.lattice.atoms()

    def _up_to(self, m: Steps) -> Array:
        """The probability of the first m places of the window."""
        m = np.clip(m, 0, self.N)
        turned = 1 - np.exp(-1j * np.multiply.outer(m, self.t))
        return np.asarray((m + 2 * np.add.reduce((self.A * turned).real, axis=-1)) / self.N)

    def _first(self, wanted: float, z: float) -> int:
        """min{m: the first m places have probability ≥ wanted}, from a guess by normal score and skewness."""
        total, lattice = self.lattice.total, self.lattice
        guess = total.mean + total.sd * (z + total.skewness / 6 * (z * z - 1))
        m = min(max(round(lattice.index(guess)) + 1, 1), lattice.size)
        apart = 1  # the guess is off by about 1/√n steps, where units are not too skewed
        while True:
            places = m + apart * np.arange(-_AHEAD, _AHEAD + 1)
            there = int(np.count_nonzero(self._up_to(places) < wanted))
            if there == 0 and places[0] > 1:
                m, apart = m - 2 * _AHEAD * apart, _AHEAD * apart
            elif there == len(places) and places[-1] < lattice.size:
                m, apart = m + 2 * _AHEAD * apart, _AHEAD * apart
            elif apart == 1:
                return min(max(int(places[0]) + there, 1), lattice.size)
            else:
                m = int(places[0]) + apart * there - apart // 2
                apart = max(1, apart // _AHEAD)


def few_frequencies(lattice: Lattice) -> FewFrequencies | None:
    """None where an FFT is as quick, or where many frequencies matter."""
    if lattice.size * len(lattice.total.samples) < LEAST_WORK:
        return None
    N = lattice.size | 1
    candidates = _candidates(lattice, N)
    if candidates is None:
        return None
    t = 2 * np.pi * candidates / N
    logarithm = _log_phi(lattice, t)
    matter = logarithm.real > _NEGLIGIBLE
    t, logarithm = t[matter], logarithm[matter]
    A = np.exp(logarithm - 1j * t * lattice.first) / (1 - np.exp(-1j * t))
    return FewFrequencies(lattice, N, t, A)


def _candidates(lattice: Lattice, N: int) -> Steps | None:
    """The f = 1 … (N−1)/2 at which |φⁿ| may matter.

    Up to t = 1/R, R the range of the values, |φ|² ≤ 1 − σ²t²·11/12, since cos x ≤ 1 − x²/2 + x⁴/24. Beyond,
    it is at most what it is in the middle of a grid's cell and σ times half the cell.
    """
    n, (R, sigma) = lattice.total.n, _range_and_sigma(lattice)
    cells = _CELLS_PER_STEP * R
    if cells * len(lattice.steps) > _MOST_CELLS:
        return None
    near = min(math.sqrt(-_NEGLIGIBLE * 24 / 11 / float(np.sum(n * sigma**2))), 1 / R)
    nearest = np.arange(1, math.floor(near * N / (2 * np.pi)) + 1)
    if R == 1 and near < 1:  # |φ|² = 1 − 4p(1−p)sin²(t/2) of two neighbours falls all the way
        return nearest
    half = math.pi / (2 * cells)
    middles = np.asarray(half * (2 * np.arange(cells) + 1), dtype=np.float64)
    middles = middles[middles + half > (1 / R if near < 1 / R else near)]
    phi = np.abs(1 + _phi_less_one(lattice, middles))
    with np.errstate(divide="ignore"):
        largest = np.sum(n * np.log(np.minimum(phi + sigma * half, 1.0)), axis=1)
    kept = middles[largest > _NEGLIGIBLE]
    low = np.ceil((kept - half) * N / (2 * np.pi)).astype(np.int64)
    high = np.floor((kept + half) * N / (2 * np.pi)).astype(np.int64)
    if np.sum(high - low + 1) > _MOST_FREQUENCIES:
        return None
    parts = [np.arange(a, b + 1) for a, b in zip(low, high, strict=True)]
    f = np.unique(np.concatenate([nearest, *parts]))
    return f[f <= (N - 1) // 2]


def _range_and_sigma(lattice: Lattice) -> tuple[int, Array]:
    """The largest range of a sample's steps, and their standard deviations."""
    _, counts, starts, _ = lattice.total.flat
    n, steps = lattice.total.n, lattice.steps
    ranges = np.maximum.reduceat(steps, starts) - np.minimum.reduceat(steps, starts)
    means = np.add.reduceat(steps * counts, starts) / n
    squares = np.add.reduceat(steps**2 * counts, starts) / n
    return int(ranges.max()), np.sqrt(np.maximum(squares - means**2, 0.0))


def _phi_less_one(lattice: Lattice, t: Array) -> NDArray[np.complex128]:
    """(t, K): φ(t) − 1 = Σp(e^{ita} − 1) of each sample, which keeps its digits near t = 0."""
    _, counts, starts, whose = lattice.total.flat
    turned = np.multiply.outer(t / 2, lattice.steps)
    sine = np.sin(turned)
    parts = (counts / lattice.total.n[whose]) * sine * (2j * np.cos(turned) - 2 * sine)
    return np.asarray(np.add.reduceat(parts, starts, axis=1))


def _log_phi(lattice: Lattice, t: Array) -> NDArray[np.complex128]:
    """Σ_j n_j ln φ_j(t)."""
    z = _phi_less_one(lattice, t)
    with np.errstate(divide="ignore"):
        size = np.log1p(np.maximum(2 * z.real + z.real**2 + z.imag**2, -1.0)) / 2
    angle = np.arctan2(z.imag, 1 + z.real)
    n = lattice.total.n
    return np.asarray(np.sum(size * n, axis=1) + 1j * np.sum(angle * n, axis=1))
