"""Quantiles and tails from scipy.special, and the block streams of random numbers.

scipy.stats is an oracle in tests and never imported here: it costs a second.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

_PART = 1 << 16  # numbers turned into Python floats at a time
_FEW, _LOW_BITS, _SPLIT = 32, (1 << 26) - 1, 134_217_729.0  # 2²⁷ + 1 halves the digits of a double
_MANY = 400  # numbers worth adding by their bits
_PART_BITS = 16  # a sum of 2¹⁵ numbers can be so many longer than one of them, with its sign
_LEVELS, _LARGEST_EXPONENT = 6, 1000
BLOCK = 1024  # resamples a generator serves: fixed, so that digits never depend on memory or threads


def normal_quantile(p: float) -> float:
    return float(special.ndtri(p))


def normal_cdf(x: float) -> float:
    return float(special.ndtr(x))


def two_sided_normal(z: float) -> float:
    """P(|Z| ≥ |z|)."""
    return float(2.0 * special.ndtr(-abs(z)))


def z_of(level: float) -> float:
    """Two-sided normal quantile of a confidence level: 1.96 at .95."""
    return float(special.ndtri(1.0 - (1.0 - level) / 2.0))


def t_quantile(p: float, df: float) -> float:
    return float(special.stdtrit(df, p))


def t_of(level: float, df: float) -> float:
    """Two-sided Student quantile of a confidence level."""
    return t_quantile(1.0 - (1.0 - level) / 2.0, df)


def two_sided_t(t: float, df: float) -> float:
    """P(|T| ≥ |t|) for Student's T with df degrees of freedom."""
    return float(2.0 * special.stdtr(df, -abs(t)))


def f_quantile(p: float, df1: float, df2: float) -> float:
    return float(special.fdtri(df1, df2, p))


def chi2_tail(x: float, df: float) -> float:
    return float(special.chdtrc(df, x))


def beta_quantile(p: float, a: float, b: float) -> float:
    return float(special.betaincinv(a, b, p))


def binomial_cdf(k: float, n: float, p: float) -> float:
    """P(Bin(n, p) ≤ k)."""
    if k < 0:
        return 0.0
    return float(special.bdtr(k, n, p))


def binomial_pmf(k: int, n: int, p: float) -> float:
    if k < 0 or k > n:
        return 0.0
    log_pmf = (
        special.gammaln(n + 1)
        - special.gammaln(k + 1)
        - special.gammaln(n - k + 1)
        + special.xlogy(k, p)
        + special.xlog1py(n - k, -p)
    )
    return float(np.exp(log_pmf))


def bisect(increasing: Callable[[float], float], low: float, high: float) -> float:
    """Where an increasing function crosses 0 between low and high, to the last digit of a double."""
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if increasing(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def order_free_sum(x: NDArray[np.float64]) -> float:
    """Σx with the same digits in any order of x, and exactly mirrored for −x (correctly rounded)."""
    if len(x) < _MANY:
        return math.fsum(x.tolist())
    return order_free_total(x[start : start + _PART] for start in range(0, len(x), _PART))


def order_free_total(parts: Iterable[NDArray[np.float64]]) -> float:
    """`order_free_sum` of numbers that come in parts: the same digits for any parts."""
    return math.fsum(itertools.chain.from_iterable(map(_adding_up, parts)))


def _adding_up(x: NDArray[np.float64]) -> list[float]:
    """Numbers that add up to Σx exactly, few where there are many x."""
    if len(x) < _MANY:
        numbers: list[float] = x.tolist()
        return numbers
    return _sums_by_upper_bits(x) or _sums_by_exponent(x)


def _sums_by_upper_bits(x: NDArray[np.float64]) -> list[float] | None:
    """For numbers of like size; None where they are too far apart.

    The bits that all numbers have in common add up exactly, then those of the rest (Rump, Ogita & Oishi
    2008, SIAM J. Sci. Comput. 31:189–224, ExtractVector).
    """
    room = math.frexp(float(len(x)))[1] + 1  # bits that the sum may grow by
    above = math.frexp(float(np.abs(x).max()))[1] + room
    if above > _LARGEST_EXPONENT:
        return None
    scale, sums, rest = math.ldexp(1.0, above), [], x
    for _ in range(_LEVELS):
        upper = (rest + scale) - scale
        sums.append(float(np.add.reduce(upper)))
        rest = rest - upper
        if not rest.any():
            return sums
        scale = math.ldexp(scale, room - 53)
    return None


def _sums_by_exponent(x: NDArray[np.float64]) -> list[float]:
    """For any numbers: each is a whole number of 53 bits times a power of two.

    Upper and lower bits of the numbers with one exponent are added apart, exactly; few sums are left.
    """
    mantissa, exponent = np.frexp(x)
    whole = np.ldexp(mantissa, 53)
    upper = np.rint(np.ldexp(whole, -27))
    lower = whole - np.ldexp(upper, 27)
    lowest = int(exponent.min())
    uppers, lowers = (np.bincount(exponent - lowest, weights=part) for part in (upper, lower))
    at = np.arange(len(uppers)) + lowest
    return [*np.ldexp(uppers, at - 26).tolist(), *np.ldexp(lowers, at - 53).tolist()]


def settled(residuals: NDArray[np.float64], rounding: Any) -> NDArray[np.float64]:
    """Residuals, (n,) or (n, r), as they are, or 0 where all of a column are within rounding."""
    within = (np.abs(residuals) <= rounding).all(axis=0)
    return np.where(within, 0.0, residuals) if within.any() else residuals


def rounded_sums(x: NDArray[np.float64], largest: float) -> list[float]:
    """Numbers that add up to Σx of at most 2¹⁵ x, none beyond `largest`, each rounded to 2⁻⁷² of that.

    What is added up does not depend on which x come together, so that sums over parts are order-free.
    """
    scale = math.ldexp(1.5, math.frexp(largest)[1] + _PART_BITS)
    upper = (x + scale) - scale
    rest = x - upper
    scale = math.ldexp(scale, _PART_BITS - 52)
    return [float(np.add.reduce(upper)), float(np.add.reduce((rest + scale) - scale))]


def order_free_sums(x: NDArray[np.float64], starts: NDArray[np.intp] | None = None) -> NDArray[np.float64]:
    """(r,) sums of the columns of (n, r): the same digits in any order of rows, and mirrored for −x.

    starts : (k,) where groups of rows begin; then (k, r), a sum for each group.
    """
    sums = [
        part.sum(axis=0) if starts is None else np.add.reduceat(part, starts, axis=0)
        for part in _exact_parts(x)
    ]
    return np.asarray(functools.reduce(np.add, sums))


def _exact_parts(x: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """(n, r) numbers taken apart into a few tables, least first, of which any rows add up exactly.

    1.5 times a power of two, for ExtractVector's power, rounds x and −x alike.
    """
    room = math.frexp(float(len(x)))[1] + 1
    above = np.frexp(np.abs(x).max(axis=0))[1] + room
    parts, rest = [], x
    while rest.any():
        scale = np.ldexp(1.5, above)
        upper = (rest + scale) - scale
        parts.append(upper)
        rest, above = rest - upper, above + (room - 53)
    return parts[::-1] or [x]


def _halves(x: float, count: int) -> Iterator[float]:
    """Exact parts of count·x."""
    shifted = _SPLIT * x
    upper = shifted - (shifted - x)
    for part in (count & _LOW_BITS, count & ~_LOW_BITS) if count > _LOW_BITS else (count,):
        yield part * upper
        yield part * (x - upper)


def counted_sum(x: NDArray[np.float64], counts: NDArray[np.int64]) -> float:
    """`order_free_sum` of every x counts times, without writing it so often.

    The products of halves of both have at most 53 bits, so that they are exact (Dekker 1971).
    """
    if len(counts) <= _FEW:
        return math.fsum(itertools.chain.from_iterable(map(_halves, x.tolist(), counts.tolist())))
    if counts.max() <= 1:
        return order_free_sum(x if counts.min() == 1 else x[counts > 0])
    shifted = _SPLIT * x
    upper = shifted - (shifted - x)
    many, few = (counts & ~_LOW_BITS).astype(np.float64), (counts & _LOW_BITS).astype(np.float64)
    halves = [few * upper, few * (x - upper)]
    if counts.max() > _LOW_BITS:
        halves += [many * upper, many * (x - upper)]
    return order_free_sum(np.concatenate(halves))


def group_sums(x: NDArray[np.float64], codes: NDArray[np.intp], k: int) -> NDArray[np.float64]:
    """`order_free_sum` of x within each of the groups 0 … k−1."""
    if _sums_exactly(x) or np.bincount(codes, minlength=k).max() <= 1:
        return np.bincount(codes, weights=x, minlength=k).astype(np.float64, copy=False)
    order = np.argsort(codes, kind="stable")
    grouped = x[order].tolist()
    ends = np.cumsum(np.bincount(codes, minlength=k)).tolist()
    return np.array([math.fsum(grouped[start:end]) for start, end in itertools.pairwise([0, *ends])])


def group_means(x: NDArray[np.float64], codes: NDArray[np.intp], k: int) -> NDArray[np.float64]:
    """(k,) the mean of each of the groups 0 … k−1, none of them empty; the same digits in any order of x."""
    return group_sums(x, codes, k) / np.bincount(codes, minlength=k)


def _sums_exactly(x: NDArray[np.float64]) -> bool:
    """Whole numbers whose partial sums all fit a double."""
    return bool(np.all(x == np.rint(x))) and float(np.sum(np.abs(x))) < 2.0**53


def block_generators(seed: int, n_boot: int) -> Iterator[tuple[np.random.Generator, int]]:
    """One generator per block of 1,024 resamples, and how many of them are wanted from it."""
    for block, start in enumerate(range(0, n_boot, BLOCK)):
        yield generator_of(seed, block), min(BLOCK, n_boot - start)


def generator_of(seed: int, *key: int) -> np.random.Generator:
    """A generator of its own for each key, such as a block and a segment of it."""
    sequence: Any = np.random.SeedSequence(entropy=seed, spawn_key=key)
    return np.random.Generator(np.random.PCG64(sequence))
