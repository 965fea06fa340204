"""Many runs resampled together: in every resample all of them share one draw of the units.

Resampled sums of all runs are one matrix product of counts and scores. Sums are exact, so that no digit
depends on the order of rows or of runs, on chunks, threads or the matrix library.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalstats.kernel.draws import UnitDraw
from evalstats.numeric import block_generators

Array = NDArray[np.float64]
Hashes = NDArray[np.uint64]
_HASHED = 1 << 15  # scores hashed at once: they stay in a cache
_ROUNDS = 3
_EXACT = 53  # bits of a double
_WORTHWHILE = 1.25  # units to a distinct one: with fewer, telling the alike costs more than it spares


@dataclass(frozen=True)
class JointUnits:
    """The units of K runs in an order of their own, those that are alike together.

    columns : (d, K + 1), sums of scores in each run, then sizes. counts : (d,), how many units are alike.
    """

    columns: Array
    counts: NDArray[np.int64]

    @property
    def n(self) -> int:
        """Units."""
        return int(self.counts.sum())

    @property
    def means(self) -> Array:
        """(K,) of each run."""
        totals = self.counts.astype(np.float64) @ self.columns
        return np.asarray(totals[:-1] / totals[-1])


def joint_units(sums: Array, sizes: Array | None = None) -> JointUnits:
    """Units by the (n, K) sums of their scores in each run, and their (n,) sizes, 1 each if None."""
    sizes = np.ones(len(sums)) if sizes is None else sizes
    order = canonical_order(sums, sizes)
    columns = np.column_stack([_on_lattice(sums[order]), sizes[order]])
    new = np.any(columns[1:] != columns[:-1], axis=1)
    starts = np.flatnonzero(np.concatenate([[True], new]))
    if len(starts) * _WORTHWHILE > len(columns):
        return JointUnits(columns, np.ones(len(columns), dtype=np.int64))
    return JointUnits(columns[starts], np.diff(np.append(starts, len(columns))))


def canonical_order(sums: Array, sizes: Array) -> NDArray[np.intp]:
    """An order of the units that depends on their scores alone: not on their order, nor on that of the runs.

    Units and runs are told apart by turns, each by the hashes of the other (Weisfeiler & Leman 1968); what
    stays alike is exchangeable.
    """
    scores, parts = np.empty(sums.shape, dtype=np.uint64), _parts(sums)
    for part in parts:
        scores[part] = _mixed(_bits(sums[part]))
    of_sizes = _mixed(_bits(sizes))
    units = of_sizes
    for _ in range(_ROUNDS):
        runs = np.zeros(sums.shape[1], dtype=np.uint64)
        for part in parts:
            runs += _mixed(scores[part] + units[part, None]).sum(axis=0, dtype=np.uint64)
        runs = _mixed(runs)
        seen = [_mixed(scores[part] + runs).sum(axis=1, dtype=np.uint64) for part in parts]
        units = _mixed(np.concatenate(seen) + of_sizes)
    return np.argsort(units, kind="stable")


def _parts(rows: Array) -> list[slice]:
    step = max(1, _HASHED // rows.shape[1])
    return [slice(start, start + step) for start in range(0, len(rows), step)]


def _bits(values: Array) -> Hashes:
    return np.ascontiguousarray(values + 0.0).view(np.uint64)  # + 0.0: no negative zeros


def _mixed(x: Hashes) -> Hashes:
    """Each number well stirred (the finaliser of SplitMix64, Steele et al. 2014)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _on_lattice(sums: Array) -> Array:
    """The scores on a lattice so fine that n of them, drawn in any way, add up without rounding.

    Its step is the largest sum over 2⁵³: whole numbers stay what they are.
    """
    largest = float(np.max(np.abs(sums))) * len(sums)
    step = math.frexp(largest)[1] - _EXACT
    return np.asarray(np.ldexp(np.rint(np.ldexp(sums, -step)), step))


@dataclass(frozen=True)
class Totals:
    """Sums of n rows of columns, from how often each row is drawn: one matrix product, exact in any order.

    Where they are whole numbers of few bits, one double holds several columns as its digits, and a product of
    so many fewer columns adds all of them up.

    packed : (d, p). bits : of a digit. digits : in a double. lowest : (c,), taken off each column before.
    """

    packed: Array
    bits: int
    digits: int
    lowest: Array

    @classmethod
    def of(cls, columns: Array, n: int) -> Totals:
        lowest = columns.min(axis=0)
        bits = max(1, math.frexp(float(np.max(columns - lowest)) * n)[1])
        digits = min(_EXACT // bits, columns.shape[1])
        if digits < 2 or not np.array_equal(columns, np.rint(columns)):
            return cls(columns, bits, 1, np.zeros(columns.shape[1]))
        wanting = -columns.shape[1] % digits
        parts = np.split(np.pad(columns - lowest, ((0, 0), (0, wanting))), digits, axis=1)
        packed = np.sum([np.ldexp(part, bits * i) for i, part in enumerate(parts)], axis=0)
        return cls(packed, bits, digits, n * lowest)

    def __call__(self, counts: NDArray[np.int64]) -> Array:
        """(B, c) from (B, d)."""
        product = counts.astype(np.float64) @ self.packed
        if self.digits == 1:
            return product
        found = product.astype(np.int64)[:, None, :] >> self.bits * np.arange(self.digits)[:, None]
        found &= (1 << self.bits) - 1
        return found.reshape(len(counts), -1)[:, : len(self.lowest)] + self.lowest


def joint_means(units: JointUnits, n_boot: int, seed: int) -> Iterator[Array]:
    """(r, K) means of all runs, a block of the n_boot resamples at a time."""
    sums, sizes = units.columns[:, :-1], units.columns[:, -1]
    alike = bool(np.all(sizes == sizes[0]))  # and so are all resamples
    totals = Totals.of(sums if alike else units.columns, units.n)
    draw = UnitDraw.of_one_stratum(units.counts)
    for generator, size in block_generators(seed, n_boot):
        means, at = np.empty((size, sums.shape[1])), 0
        for counts in draw.resamples(generator, size):
            drawn, end = totals(counts), at + len(counts)
            size_drawn = units.n * sizes[0] if alike else drawn[:, -1:]
            np.divide(drawn[:, : sums.shape[1]], size_drawn, out=means[at:end])
            at = end
        yield means


def largest_deviations(units: JointUnits, weights: Array, n_boot: int, seed: int) -> Array:
    """(n_boot,) max over pairs of |D*_ij − D_ij|·weight_ij, D_ij the difference of the means of two runs.

    weights : (K, K), symmetric; one over the pair's standard error, 0 for a pair that does not count.
    """
    means, found, at = units.means, np.empty(n_boot), 0
    for drawn in joint_means(units, n_boot, seed):
        drawn -= means
        found[at : at + len(drawn)] = _largest_of_pairs(np.ascontiguousarray(drawn.T), weights)
        at += len(drawn)
    return found


def _largest_of_pairs(off: Array, weights: Array) -> Array:
    """(r,) max over pairs of |off_j − off_i|·weight_ij. off : (K, r)."""
    largest, space = np.zeros(off.shape[1]), np.empty_like(off)
    for i in range(len(off) - 1):
        scaled = np.subtract(off[i + 1 :], off[i], out=space[i + 1 :])
        np.abs(scaled, out=scaled)
        scaled *= weights[i + 1 :, i, None]
        np.maximum(largest, scaled.max(axis=0), out=largest)
    return largest
