"""Rows about memory, and about growth with the items n and the resamples B. Goals 18 and 19."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import checks, peers
from bench.loops import mean_loop
from bench.measure import alone, peak
from bench.rows import EXPONENT, SAME_METHOD, SAME_QUESTION, Bound, Race, Reading, Row
from bench.rows_scores import PERCENTILE, random
from evalstats import Estimate, mean, mean_difference
from evalstats.kernel.resampled import Bootstrap, bootstrap_interval
from evalstats.kernel.units import Tally

SOME = 5000
Way = Callable[[int, int], Callable[[], Any]]  # (n, B) -> a call


def normal(n: int = SOME) -> NDArray[np.float64]:
    return random(50).normal(size=n)


def _scipy_at_once(scores: NDArray[np.float64]) -> peers.Limits:
    return peers.scipy_limits(scores, n_resamples=SOME)


def _exact(scores: NDArray[np.float64]) -> Estimate:
    return mean(scores, method=PERCENTILE)


def _drawn(scores: NDArray[np.float64]) -> Estimate:
    return mean(scores, method=PERCENTILE, n_boot=SOME)


def beyond_the_data(n: int, n_boot: int | None) -> Callable[[int], Reading]:
    """Many scores, all different: what is held beside them."""

    def measured(turns: int) -> Reading:
        scores = normal(n)
        held = peak(lambda: mean(scores, method=PERCENTILE, n_boot=n_boot))
        return Reading(held / 2**20, f"the data are {scores.nbytes / 2**20:.0f} MB")

    return measured


def beyond_two_runs(n: int) -> Callable[[int], Reading]:
    """Their paired difference."""

    def measured(turns: int) -> Reading:
        old, new = normal(n), normal(n) + random(51).normal(size=n)
        held = peak(lambda: mean_difference(old, new, method=PERCENTILE))
        return Reading(held / 2**20, f"the data are {2 * old.nbytes / 2**20:.0f} MB")

    return measured


MEMORY: tuple[Row, ...] = (
    Race(
        18,
        "peak memory, n = B = 5,000, drawn",
        "scipy",
        SAME_METHOD,
        normal,
        _drawn,
        _scipy_at_once,
        checks.limits(SOME, draws=2),
        150,
        meter="bytes at the peak",
        quick=True,
    ),
    Race(
        18,
        "peak memory, n = 5,000, exact beside B = 5,000",
        "scipy",
        SAME_QUESTION,
        normal,
        _exact,
        _scipy_at_once,
        checks.limits(SOME),
        150,
        meter="bytes at the peak",
    ),
    Bound(0, "peak memory beyond the data, mean, n = 10⁷, exact", "MB", beyond_the_data(10**7, None), 64),
    Bound(0, "peak memory beyond the data, mean, n = 10⁷, B = 100", "MB", beyond_the_data(10**7, 100), 64),
    Bound(0, "peak memory beyond the data, difference, n = 10⁷, exact", "MB", beyond_two_runs(10**7), 64),
)


def _after_counting(shares: Sequence[float]) -> Way:
    """A discrete interval from the counts of n scores."""

    def way(n: int, B: int) -> Callable[[], Any]:
        values = np.arange(float(len(shares)))
        counts = random(51).multinomial(n, shares).astype(np.int64)
        tally = Tally(np.column_stack([values, np.ones(len(values))]), counts)
        return lambda: bootstrap_interval("percentile", Bootstrap((tally,), 0.95))

    return way


def _exact_of_scores(n: int, B: int) -> Callable[[], Any]:
    return partial(_exact, normal(n))


def _drawn_by_tally(n: int, B: int) -> Callable[[], Any]:
    return partial(mean, random(52).integers(1, 11, n), method=PERCENTILE, n_boot=B)


def _drawn_by_index(n: int, B: int) -> Callable[[], Any]:
    return partial(mean, normal(n), method=PERCENTILE, n_boot=B)


def _loop(n: int, B: int) -> Callable[[], Any]:
    return partial(mean_loop, normal(n), B)


def _batches(n: int, B: int) -> Callable[[], Any]:
    return partial(peers.batched_limits, normal(n), n_resamples=B)


def _slope(way: Way, sizes: Sequence[int], of_n: bool, other: int, turns: int) -> Reading:
    """Of log time on log size."""
    calls = [way(size, other) if of_n else way(other, size) for size in sizes]
    times = [alone(call, turns) for call in calls]
    slope = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
    shown = ", ".join(f"{1e3 * one:.3g}" for one in times)
    return Reading(slope, f"{shown} ms at {sizes[0]:,} … {sizes[-1]:,}")


def in_n(way: Way, sizes: Sequence[int], B: int = 1000) -> Callable[[int], Reading]:
    return partial(_slope, way, sizes, True, B)


def in_b(way: Way, sizes: Sequence[int], n: int = 1000) -> Callable[[int], Reading]:
    return partial(_slope, way, sizes, False, n)


def _no_resamples(turns: int) -> Reading:
    return Reading(0.0, "nothing is drawn: there is no B")


TO_TEN_MILLION = [10**3, 10**4, 10**5, 10**6, 10**7]
TO_HUNDRED_THOUSAND = [10**3, 10**4, 10**5]
TO_TEN_THOUSAND = [10**3, 3000, 10**4]
PASSING, TEN = _after_counting([0.28, 0.72]), _after_counting([0.1] * 10)
WANTED: tuple[Row, ...] = (
    Bound(19, "in n, pass/fail after counting, exact", EXPONENT, in_n(PASSING, TO_TEN_MILLION), 0.05, True),
    Bound(19, "in n, 1 to 10 after counting, exact", EXPONENT, in_n(TEN, TO_TEN_MILLION), 0.05, True),
    Bound(19, "in B, exact", EXPONENT, _no_resamples, 0.0, True),
)
GROWTH: dict[str, Callable[[int], Reading]] = {
    "in n, continuous scores, exact": in_n(_exact_of_scores, TO_HUNDRED_THOUSAND),
    "in n, scores of 1 to 10, drawn": in_n(_drawn_by_tally, TO_HUNDRED_THOUSAND),
    "in B, scores of 1 to 10, drawn": in_b(_drawn_by_tally, TO_TEN_THOUSAND),
    "in n, continuous scores, drawn": in_n(_drawn_by_index, TO_TEN_THOUSAND),
    "in B, continuous scores, drawn": in_b(_drawn_by_index, TO_TEN_THOUSAND),
    "in n, the loop": in_n(_loop, TO_TEN_THOUSAND),
    "in B, the loop": in_b(_loop, TO_TEN_THOUSAND),
    "in n, scipy in batches": in_n(_batches, TO_TEN_THOUSAND),
    "in B, scipy in batches": in_b(_batches, TO_TEN_THOUSAND),
}
ROWS = (*MEMORY, *WANTED, *(Bound(0, what, EXPONENT, measure) for what, measure in GROWTH.items()))
