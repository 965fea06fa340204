"""A quantile of items in clusters that are resampled whole, without resamples.

The quantile of a resample is at most v where Σ(c_g(v) − q·m_g)* ≥ 0 over the clusters drawn, c_g(v) of whose
m_g items are at most v: a sum of independent draws, on a lattice. As there are few scores, bisection over
them finds both ends of the percentile interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from evalstats.kernel.exact import GUARD
from evalstats.kernel.lattice import NAME, fine_law, lattice_of
from evalstats.kernel.sums import Draws, LinearSum

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


class ClusterQuantile:
    """scores : (n,). codes : (n,) clusters 0 … k−1.

    Where a resample's rank is whole, two scores share the middle: the lower end is the lower one's, the upper
    end the upper one's, which mirrors and is no narrower than their mean's.
    """

    def __init__(self, scores: Array, codes: Codes, q: float) -> None:
        order = np.argsort(scores, kind="stable")
        self.ordered, self.codes = scores[order], codes[order]
        self.k = int(codes.max()) + 1
        self.sizes = np.bincount(codes, minlength=self.k)
        self.share = same_among_shares(q, self.k * int(self.sizes.max()))
        self.exact = True

    @property
    def name(self) -> str:
        return NAME if self.exact else "fine lattice"

    def ends(self, level: float) -> tuple[float, float]:
        """low = min{v: P(Q ≤ v) ≥ α/2}, high = max{v: P(Q ≥ v) ≥ α/2}."""
        values = np.unique(self.ordered)
        wanted = (1 - level) / 2 * (1 - GUARD)
        low = _first(lambda i: self._chance(values[i], "right", 1) >= wanted, len(values))
        high = _first(lambda i: self._chance(values[-1 - i], "left", -1) >= wanted, len(values))
        return float(values[low]), float(values[-1 - high])

    def _chance(self, v: float, side: str, sign: int) -> float:
        """P(sign·Σ(c_g − q·m_g)* ≥ 0), c_g : items at most v ("right"), or below it ("left")."""
        count = int(np.searchsorted(self.ordered, v, side="right" if side == "right" else "left"))
        c = np.bincount(self.codes[:count], minlength=self.k)
        steps, counts = np.unique(
            sign * (self.share.denominator * c - self.share.numerator * self.sizes), return_counts=True
        )
        if steps[0] >= 0 or steps[-1] < 0:
            return float(steps[0] >= 0)
        total = LinearSum((Draws(steps.astype(np.float64), counts.astype(np.int64), float(self.k)),))
        lattice = lattice_of(total)
        self.exact &= lattice is not None
        law = fine_law(total) if lattice is None else lattice.atoms()
        return float(np.sum(law.masses[law.values > -0.5]))


def same_among_shares(q: float, most: int) -> Fraction:
    """A fraction that stands to every share c/M of M ≤ `most` items as q does: equal, above or below.

    q itself where it is such a share (to 1e-12, as ranks are told whole), else the mediant of the two shares
    around it (Farey sequence: Graham, Knuth & Patashnik 1994, Concrete Mathematics, §4.5).
    """
    near = Fraction(q).limit_denominator(most)
    if math.isclose(near, q, rel_tol=1e-12):
        return near
    p, r = near.numerator, near.denominator
    side = 1 if near < q else -1  # c·r − p·d = side for the neighbour c/d of p/r, d as large as can be
    d = most - (most + side * pow(p, -1, r)) % r
    return Fraction(p + (p * d + side) // r, r + d)


def _first(holds: Callable[[int], bool], count: int) -> int:
    """The first of 0 … count − 1 where a condition that stays true begins to hold; the last where none is."""
    low, high = 0, count - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low
