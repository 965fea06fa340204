"""Candidate − baseline, item by item, in which rounding alone is no difference."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.kernel.selection import ascending
from evalstats.kernel.stream import Streamed

Array = NDArray[np.float64]
ROUNDING = 1e-12  # of two scores: a smaller difference of them is rounding
_HELD = 1 << 19  # scores in order at a time


def differences(baseline: Array, candidate: Array) -> Array:
    """(n,) or (n, r) candidate − baseline; 0 where they differ by rounding alone.

    Rounding is measured by the item's own two scores, or by what is usual in the runs if that is more (means
    near 0 of scores that are not): one huge score of another item hides nothing.
    """
    d = candidate - baseline
    largest = np.maximum(np.abs(candidate).max(axis=0), np.abs(baseline).max(axis=0))
    if not np.any((np.abs(d) <= ROUNDING * largest) & (d != 0)):
        return d
    return _without_rounding(baseline, candidate, np.maximum(_usual(candidate), _usual(baseline)))


def _without_rounding(baseline: Array, candidate: Array, usual: Array | float) -> Array:
    d, own = candidate - baseline, np.maximum(np.abs(candidate), np.abs(baseline))
    return np.where(np.abs(d) > ROUNDING * np.maximum(own, usual), d, 0.0)


def streamed_differences(baseline: NDArray[Any], candidate: NDArray[Any]) -> Streamed:
    """`differences` of very many scores, read in parts."""
    old, new = Streamed.of(baseline), Streamed.of(candidate)
    plain = Streamed(old.n, lambda rows: new.read(rows) - old.read(rows))
    near = ROUNDING * max(abs(end) for run in (old, new) for end in run.ends)
    if not plain.count(lambda d: (np.abs(d) <= near) & (d != 0)):
        return plain
    usual = max(map(_usual_of_streamed, (old, new)))
    return Streamed(old.n, lambda rows: _without_rounding(old.read(rows), new.read(rows), usual))


def _usual(y: Array) -> Array:
    """() or (r,): the median size of a run's scores that are not 0."""
    sizes = [np.abs(run[run != 0]) for run in y.reshape(len(y), -1).T]
    return np.array([np.median(one) if len(one) else 0.0 for one in sizes]).reshape(y.shape[1:])


def _usual_of_streamed(run: Streamed) -> float:
    """`_usual` of one run."""
    sizes = run.mapped(np.abs)
    zeros = sizes.count(lambda y: y == 0)
    if zeros == run.n:
        return 0.0
    first, last = zeros + (run.n - zeros - 1) // 2, zeros + (run.n - zeros) // 2
    return float(np.mean(np.concatenate(list(ascending(sizes, first, last + 1, _HELD)))))
