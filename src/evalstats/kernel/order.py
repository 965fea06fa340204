"""The law of a sample quantile under resampling: exactly binomial, since a resample's order statistic is at
most the i-th score when enough of its draws are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evalstats.kernel.exact import Atoms, merged
from evalstats.kernel.selection import ascending
from evalstats.kernel.stream import Streamed, too_many

Array = NDArray[np.float64]
Ranks = NDArray[np.int64]
NAME = "exact order statistics"
_REACH = 6  # standard errors of a rank, at the least
_AT_ONCE = 1 << 17  # scores that are sorted to find some of them: any number gives the same digits
_PAIRS = 1 << 17  # of ranks, held at once
_NEGLIGIBLE, _LIKELY = 1e-20, 46  # mass of a pair, −ln of it: all of them together do not move a digit
_GAP = 60  # ranks between neighbouring draws, over their usual number: beyond it lies e⁻⁶⁰


class Selected:
    """Very many scores in ascending order, of which a slice is looked for when it is asked for.

    With it come the ranks about it, as one who asks for a quantile asks for its neighbours next.
    """

    def __init__(self, scores: Streamed) -> None:
        self.scores = scores
        self._first, self._known = 0, np.zeros(0)

    def __len__(self) -> int:
        return self.scores.n

    def __getitem__(self, ranks: slice) -> Array:
        first, last, _ = ranks.indices(len(self))
        if not self._first <= first <= last <= self._first + len(self._known):
            beside = 2 * _reach(len(self))
            self._first = max(first - beside, 0)
            self._known = np.concatenate(
                list(ascending(self.scores, self._first, last + beside, _AT_ONCE)),
            )
        return self._known[first - self._first : last - self._first]

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest score."""
        return self.scores.ends


Ordered = Array | Selected


def in_order(scores: NDArray[Any]) -> Ordered:
    """Scores as an ascending array; of very many no copy is made."""
    if too_many(len(scores)):
        return Selected(Streamed.of(scores))
    return np.sort(scores.astype(np.float64, copy=False))


def all_equal(ordered: Ordered) -> bool:
    low, high = ordered.ends if isinstance(ordered, Selected) else (ordered[0], ordered[-1])
    return bool(low == high)


def quantile_ranks(n: int, q: float) -> tuple[int, int]:
    """The ranks, from 1, whose scores are averaged: one twice, or two where the share is q exactly."""
    rank = q * n
    if math.isclose(rank, round(rank), rel_tol=1e-12) and 1 <= round(rank) < n:
        return round(rank), round(rank) + 1
    return (min(max(math.ceil(rank), 1), n),) * 2


def quantile_of(ordered: Ordered, q: float) -> float:
    """The sample quantile of (n,) ascending scores."""
    first, last = quantile_ranks(len(ordered), q)
    return float(np.mean(ordered[first - 1 : last]))


def quantile_law(ordered: Ordered, q: float) -> Atoms:
    """The law of the sample quantile of n draws from (n,) ascending scores (Efron 1979, §3)."""
    n = len(ordered)
    r, s = quantile_ranks(n, q)
    i = _near(r, n)
    at = np.diff(_at_most(r, np.concatenate([i[:1] - 1, i]), n))  # P(the r-th draw has rank i)
    if r == s:
        return merged(ordered[i[0] - 1 : i[-1]], np.maximum(at, 0.0), NAME)
    return merged(*_of_two_ranks(ordered, at, i, r), NAME)


def _of_two_ranks(ordered: Ordered, at: Array, i: Ranks, r: int) -> tuple[Array, Array]:
    """The means of the r-th draw, of rank i with probability `at`, and the next one; and their masses."""
    n, rows = len(ordered), _likely(i, r, len(ordered))
    x = ordered[i[0] - 1 : i[-1] + _gap(i[rows[0]], r, n)]
    values, masses = [x[: len(i)]], [at]
    step = max(1, _PAIRS // _gap(i[rows[0]], r, n))
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        pairs, j = _apart(i[some], r, n)
        at[some] -= pairs.sum(axis=1)  # what is left: both draws have rank i
        weighty = pairs > _NEGLIGIBLE
        values.append((x[some, None] + x[j - i[0]])[weighty] / 2)
        masses.append(pairs[weighty])
    np.maximum(at, 0.0, out=at)
    return np.concatenate(values), np.concatenate(masses)


def _near(r: int, n: int) -> Ranks:
    """The ranks that the r-th of n draws can have, but for e⁻³⁷ on either side (Hoeffding 1963)."""
    return np.arange(max(1, r - _reach(n)), min(n, r + _reach(n)) + 1)


def _likely(i: Ranks, r: int, n: int) -> Ranks:
    """Which of these ranks the r-th draw has with more than e⁻⁴⁶ (Chernoff 1952), r < n."""
    m = np.where(i > r, i - 1, i)
    return np.flatnonzero(r * np.log(r / m) + (n - r) * np.log((n - r) / (n - m)) < _LIKELY)


def _reach(n: int) -> int:
    return math.ceil(math.sqrt(18.5 * n))


def _at_most(r: int, i: Ranks, n: int) -> Array:
    """P(X_(r) ≤ i) = P(Bin(n, i/n) ≥ r)."""
    return np.asarray(special.betainc(r, n - r + 1, i / n))


def _apart(i: Ranks, r: int, n: int) -> tuple[Array, Ranks]:
    """P(X_(r) = i, X_(r+1) = j) for the ranks j just above each i, and these j.

    r draws are at most i and n − r at least j with probability C(n,r)(i/n)^r((n−j+1)/n)^{n−r}.
    """
    j = i[:, None] + np.arange(1, _gap(i[0], r, n) + 1)
    inside = j <= n
    j = np.minimum(j, n)
    log_ways = special.gammaln(n + 1) - special.gammaln(r + 1) - special.gammaln(n - r + 1)
    lower = r * np.log(i / n) + _log_less(1 - 1 / i, r)
    upper = (n - r) * np.log((n - j + 1) / n) + _log_less(1 - 1 / (n - j + 1), n - r)
    return np.where(inside, np.exp(log_ways + lower[:, None] + upper), 0.0), j


def _gap(i: int, r: int, n: int) -> int:
    """How far above rank i, the r-th draw's, the next one can be."""
    return min(math.ceil(_GAP * max(1.0, (n - i) / (n - r))), int(n - i) + 1)


def _log_less(share: Array, power: int) -> Array:
    """ln(1 − share^power)."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(-np.expm1(power * np.log(share))))


@dataclass(frozen=True)
class WeightedQuantile:
    """The quantile of scores that count a whole number of times, by the ranks of `quantile_ranks`."""

    scores: Array
    q: float

    @cached_property
    def _order(self) -> Ranks:
        return np.argsort(self.scores, kind="stable")

    @cached_property
    def _window(self) -> slice:
        """The ranks that most resamples' quantiles have: only these are added up one by one."""
        n = len(self.scores)
        middle, reach = self.q * n, _REACH * math.sqrt(n)
        return slice(max(0, math.floor(middle - reach)), math.ceil(middle + reach))

    @cached_property
    def _lower(self) -> Array:
        """1 for the scores below the window."""
        lower = np.zeros(len(self.scores))
        lower[self._order[: self._window.start]] = 1.0
        return lower

    def __call__(self, weights: Array) -> Array:
        """(B,) at each weighting. weights : (B, n)."""
        first, second = self._ranks(weights.sum(axis=1))
        near = self._order[self._window]
        start = weights @ self._lower  # whole numbers: exact in any order
        below = start[:, None] + np.cumsum(weights[:, near], axis=1)
        outside = (start >= first) | (below[:, -1] < second)
        found = _middle(self.scores[near], below, first, second)
        if np.any(outside):
            everywhere = np.cumsum(weights[outside][:, self._order], axis=1)
            found[outside] = _middle(self.scores[self._order], everywhere, first[outside], second[outside])
        return found

    def _ranks(self, total: Array) -> tuple[Array, Array]:
        rank = self.q * total
        whole = np.rint(rank)
        near = np.abs(rank - whole) <= 1e-12 * np.maximum(rank, whole)
        shared = near & (whole >= 1) & (whole < total)
        first = np.where(shared, whole, np.clip(np.ceil(rank), 1, total))
        return first, first + shared


def _middle(ordered: Array, below: Array, first: Array, second: Array) -> Array:
    """The mean of the scores with two ranks. below : (B, r), how many are at most each score."""
    one, two = (ordered[np.argmax(below >= rank[:, None], axis=1)] for rank in (first, second))
    return np.asarray((one + two) / 2)
