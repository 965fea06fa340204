"""Many runs on the same items, right or wrong: counts, tests and intervals of all of them at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.errors import InputError
from evalstats.kernel.check import check_level
from evalstats.methods.mcnemar import mcnemar_pvalues
from evalstats.methods.paired import tango_upper
from evalstats.numeric import z_of

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
Bits = NDArray[np.uint8]
_MOST_CELLS = 1 << 22  # of a table of all counts: beyond, those that occur are sorted out
_ONES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1).astype(np.uint8)


@dataclass(frozen=True)
class AgainstBaseline:
    """Every run against one baseline, in the shape of the runs: what `against_baseline` finds."""

    n: int
    baseline_only: Counts
    candidate_only: Counts
    pvalue: Array
    ci_low: Array
    ci_high: Array

    @property
    def difference(self) -> Array:
        """candidate − baseline, a fraction."""
        return np.asarray((self.candidate_only - self.baseline_only) / self.n)


def against_baseline(
    runs: Any, baseline: Any, *, level: float = 0.95, test: str = "mid_p"
) -> AgainstBaseline:
    """How does each of many runs differ from one baseline on the same items? Tango's limits and McNemar's p.

    runs : (..., n) booleans or 0/1, such as checkpoints × benchmarks × items. baseline : (n,), or (..., n)
    where each benchmark has its own. test : "mid_p" or "exact". Counts, p and limits are those of
    `paired_proportions` and `mcnemar_counts` one by one. No correction is made for how many there are.
    Raises InputError for scores that are not right or wrong, and for shapes that do not fit.
    Source: Tango 1998, Statistics in Medicine 17:891–908; Fagerland et al. 2013, BMC Med. Res. Meth. 13:91.

    >>> found = against_baseline([[1, 1, 0, 1, 1, 1], [0, 1, 0, 0, 1, 0]], [1, 1, 0, 0, 1, 0])
    >>> found.candidate_only.tolist(), found.baseline_only.tolist()
    ([2, 0], [0, 1])
    >>> found.difference.round(3).tolist(), found.pvalue.tolist()
    ([0.333, -0.167], [0.25, 0.5])
    """
    level = check_level(level)
    x, y = _right(runs, "runs"), _right(baseline, "baseline")
    n = x.shape[-1]
    if y.shape[-1] != n:
        raise InputError(f"runs have {n} items and baseline {y.shape[-1]}: give both the same, in one order.")
    b, c = _only_in_either(np.packbits(x, axis=-1), np.packbits(y, axis=-1))
    p, low, high = of_counts(b, c, n, level, test)
    return AgainstBaseline(n, b, c, p, low, high)


def pairs_only_right(runs: Any) -> Counts:
    """(K, K): how many items run i has right and run j wrong, of K runs on n items, by one matrix product.

    runs : (K, n) booleans or 0/1. Raises InputError for other scores.

    >>> pairs_only_right([[1, 1, 0], [0, 1, 0], [1, 1, 1]]).tolist()
    [[0, 1, 0], [0, 0, 0], [1, 2, 0]]
    """
    x = _right(runs, "runs")
    if x.ndim != 2:
        raise InputError(f"runs has {x.ndim} dimensions: give one row for each run and one column an item.")
    exact: NDArray[Any] = x.astype(np.float32 if x.shape[1] < 1 << 24 else np.float64)  # holds whole numbers
    both = exact @ exact.T
    return np.asarray(np.diagonal(both)[:, None] - both).astype(np.int64)


def of_counts(b: Any, c: Any, n: int, level: float, test: str = "mid_p") -> tuple[Array, Array, Array]:
    """p, low and high of candidate − baseline for arrays of counts; each pair of counts is worked out once.

    b, c : items that only the baseline, only the candidate has right.
    """
    z = z_of(level)

    def once(b: Counts, c: Counts) -> Array:
        low, high = -tango_upper(b, c, n, z), tango_upper(c, b, n, z)
        return np.stack([mcnemar_pvalues(b, c, test), low, high]).astype(np.float64)

    p, low, high = each_once(b, c, once)
    return p, low, high


def pvalues(b: Any, c: Any, test: str = "mid_p") -> Array:
    """McNemar's p for arrays of counts, each pair of counts once.

    >>> pvalues([[40, 3]], [[55, 3]], "exact").round(4).tolist()
    [[0.1505, 1.0]]
    """
    fewer = np.minimum(b, c)
    values = each_once(fewer, np.add(b, c) - fewer, lambda b, c: mcnemar_pvalues(b, c, test)[None])
    return np.asarray(values[0])


def each_once(b: Any, c: Any, function: Callable[[Counts, Counts], Array]) -> Array:
    """(r, ...) values of a function of (b, c) that returns (r, m), called with the m pairs that occur."""
    b, c = np.asarray(b, dtype=np.int64), np.asarray(c, dtype=np.int64)
    width = int(c.max()) + 1 if c.size else 1
    code = b * width + c
    most = int(code.max()) + 1 if code.size else 1
    if most <= _MOST_CELLS:
        seen = np.zeros(most, dtype=bool)
        seen[code] = True
        occur = np.flatnonzero(seen)
        place = np.cumsum(seen) - 1
        at = place[code]
    else:
        occur, at = np.unique(code, return_inverse=True)
    values = function(occur // width, occur % width)
    return np.asarray(values[:, at.reshape(b.shape)])


def _right(scores: Any, name: str) -> NDArray[np.bool_]:
    array = np.asarray(scores)
    if array.ndim == 0 or array.size == 0:
        raise InputError(f"{name} is empty: give one score for each item.")
    if array.dtype == np.bool_:
        return array
    right: NDArray[np.bool_] = np.asarray(array == 1)
    if array.dtype.kind not in "uif" or not np.all(right | (array == 0)):
        raise InputError(f"{name} has scores other than 0 and 1: right or wrong is needed, for every item.")
    return right


def _only_in_either(x: Bits, y: Bits) -> tuple[Counts, Counts]:
    """Items that y alone and that x alone has right, from bits along the last axis."""
    return _count(~x & y), _count(x & ~y)


def _count(bits: Bits) -> Counts:
    """Ones along the last axis."""
    counter = getattr(np, "bitwise_count", _ONES.__getitem__)  # since numpy 2
    return np.asarray(np.add.reduce(counter(bits), axis=-1, dtype=np.int64))
