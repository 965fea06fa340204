"""Rows about one number: a pass rate, a judge's mean, continuous scores, a median. Goals 1 to 7."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import checks, peers
from bench.loops import N_BOOT, mean_loop, statistic_loop
from bench.measure import alone, in_turns
from bench.peers import LOOP, OTHER
from bench.rows import SAME_METHOD, SAME_QUESTION, Bound, Reading, Row, Situation
from evalstats import Estimate, mean, mean_difference, quantile
from evalstats.kernel.lattice import FINE_POINTS, fine_law
from evalstats.kernel.sums import LinearSum
from evalstats.kernel.units import Units

PERCENTILE, BCA = "bootstrap_percentile", "bootstrap_bca"
SEED = 20260101


@dataclass(frozen=True)
class Scores:
    """(n,) as evalstats is given them, and as floats for the others. step : of their lattice, 0 for none."""

    given: NDArray[Any]
    floats: NDArray[np.float64]
    step: float = 0.0


def random(seed: int) -> np.random.Generator:
    return np.random.default_rng([SEED, seed])


def passes(n: int = 10_000) -> Scores:
    given = random(1).random(n) < 0.72
    return Scores(given, given.astype(float), 1 / n)


def judged(n: int = 10_000) -> Scores:
    given = random(2).integers(1, 11, n)
    return Scores(given, given.astype(float), 1 / n)


def continuous(n: int) -> Callable[[], Scores]:
    def draw() -> Scores:
        scores = random(3).gamma(4.0, size=n)
        return Scores(scores, scores)

    return draw


def latencies() -> Scores:
    """1,001 of them: the median and its limits, near the 470th and the 532nd, are three of them."""
    scores = random(4).lognormal(size=1001)
    apart = np.diff(np.sort(scores))
    return Scores(scores, scores, float(max(apart[462:478].max(), apart[523:540].max())))


def exact(method: str = PERCENTILE) -> Callable[[Scores], Estimate]:
    return lambda data: mean(data.given, method=method)


def drawn(method: str = PERCENTILE) -> Callable[[Scores], Estimate]:
    return lambda data: mean(data.given, method=method, n_boot=N_BOOT)


def floats(data: Scores) -> NDArray[np.float64]:
    return data.floats


def lattice(data: Scores) -> float:
    return data.step


def inspect_samples() -> tuple[Scores, list[Any]]:
    data = continuous(1000)()
    return data, peers.inspect_scores(data.floats)


def scores_of(what: str, data: Callable[[], Scores], method: str = PERCENTILE) -> tuple[Situation, Situation]:
    """The same question and the same method: an exact bootstrap, and one of 10,000 resamples."""
    extra = 1 if method == BCA else 0  # its bias is drawn too
    computed, resampled = (checks.limits(draws=draws + extra, step=lattice) for draws in (1, 2))
    return (
        Situation(what, SAME_QUESTION, data, exact(method), computed, floats),
        Situation(what, SAME_METHOD, data, drawn(method), resampled, floats),
    )


RATE, DRAWN_RATE = scores_of("interval of a pass rate, n = 10,000", passes)
RATES: tuple[Row, ...] = (
    RATE.beside(LOOP, mean_loop, 1, 3000, quick=True),
    RATE.beside("scipy", peers.scipy_limits, 1, 5000),
    RATE.beside("scipy in batches", peers.batched_limits, quick=True),
    RATE.beside("arch", peers.arch_limits),
    RATE.beside(OTHER, peers.other_limits),
    DRAWN_RATE.beside(LOOP, mean_loop, quick=True),
    DRAWN_RATE.beside("scipy in batches", peers.batched_limits),
    DRAWN_RATE.beside("arch", peers.arch_limits),
    DRAWN_RATE.beside(OTHER, peers.other_limits),
)

JUDGE, DRAWN_JUDGE = scores_of("interval of a judge's mean (1 to 10), n = 10,000", judged)
JUDGES: tuple[Row, ...] = (
    JUDGE.beside(LOOP, mean_loop, 3, 1000, quick=True),
    JUDGE.beside("scipy in batches", peers.batched_limits),
    DRAWN_JUDGE.beside(LOOP, mean_loop),
)

MEAN, DRAWN_MEAN = scores_of("interval of a mean of continuous scores, n = 1,000", continuous(1000))
_, MORE = scores_of("interval of a mean of continuous scores, n = 10,000", continuous(10_000))
INSPECTED = Situation(
    MEAN.what,
    SAME_QUESTION,
    inspect_samples,
    lambda data: exact()(data[0]),
    lambda data, ours, theirs: MEAN.check(data[0], ours, theirs),
    lambda data: data[1],
)
CONTINUOUS: tuple[Row, ...] = (
    MEAN.beside(LOOP, mean_loop, 4, 300, quick=True),
    MEAN.beside(OTHER, peers.other_limits, 4, 100),
    MEAN.beside("scipy in batches", peers.batched_limits),
    MEAN.beside("arch", peers.arch_limits),
    MEAN.beside("evalaudit", peers.evalaudit_limits),
    INSPECTED.beside("inspect-ai", peers.inspect_limits),
    DRAWN_MEAN.beside(LOOP, mean_loop, 5, 3, quick=True),
    MORE.beside(LOOP, mean_loop, 5, 1.5),
    DRAWN_MEAN.beside("scipy", peers.scipy_limits, quick=True),
    DRAWN_MEAN.beside("scipy in batches", peers.batched_limits),
    DRAWN_MEAN.beside("arch", peers.arch_limits),
    DRAWN_MEAN.beside("evalaudit", peers.evalaudit_limits),
    DRAWN_MEAN.beside(OTHER, peers.other_limits),
)

CORRECTED, DRAWN_CORRECTED = scores_of("BCa of a mean, n = 5,000", continuous(5000), BCA)
BCAS: tuple[Row, ...] = (
    CORRECTED.beside("scipy", lambda scores: peers.scipy_limits(scores, method="BCa"), 6, 1000),
    CORRECTED.beside(
        "scipy in batches", lambda scores: peers.batched_limits(scores, method="BCa"), quick=True
    ),
    DRAWN_CORRECTED.beside("scipy in batches", lambda scores: peers.batched_limits(scores, method="BCa")),
)

MEDIAN = Situation(
    "bootstrap of a median, n = 1,001",
    SAME_QUESTION,
    latencies,
    lambda data: quantile(data.given, method=PERCENTILE),
    checks.limits(draws=1.5, step=lattice),  # its law is not quite normal
    floats,
)
MEDIANS: tuple[Row, ...] = (
    MEDIAN.beside("scipy", lambda scores: peers.scipy_limits(scores, np.median), 7, 500, quick=True),
    MEDIAN.beside(LOOP, lambda scores: statistic_loop(scores, np.median)),
    MEDIAN.beside(OTHER, lambda scores: peers.other_limits(scores, statistic="median")),
)


def _spread_of_median(data: Scores) -> float:
    return float(quantile(data.given, method=PERCENTILE).extra["boot_se"])


def _spread_of_mean(data: tuple[Scores, list[Any]]) -> float:
    return float(exact()(data[0]).extra["boot_se"])


TENTH = "they drew 1,000 resamples, times ten"
SPREADS: tuple[Row, ...] = (
    Situation(
        "bootstrap standard error of a median, n = 1,001",
        SAME_QUESTION,
        latencies,
        _spread_of_median,
        checks.spreads(N_BOOT // 10, draws=1.5),
        lambda data: data.floats.tolist(),
    ).beside("lm-eval", lambda scores: peers.lm_eval_bootstrap(scores, N_BOOT // 10), share=0.1, note=TENTH),
    Situation(
        "bootstrap standard error of a mean of continuous scores, n = 1,000",
        SAME_QUESTION,
        inspect_samples,
        _spread_of_mean,
        checks.spreads(N_BOOT // 10),
        lambda data: data[1],
    ).beside(
        "inspect-ai", lambda scores: peers.inspect_bootstrap(scores, N_BOOT // 10), share=0.1, note=TENTH
    ),
)


@dataclass(frozen=True)
class Pair:
    """Two runs on the same items."""

    baseline: NDArray[np.float64]
    candidate: NDArray[np.float64]


def two_runs() -> Pair:
    skill = random(5).normal(size=1000)
    return Pair(skill + random(6).normal(size=1000), skill + 0.1 + random(7).normal(size=1000))


def difference(n_boot: int | None) -> Callable[[Pair], Estimate]:
    return lambda data: mean_difference(data.baseline, data.candidate, method=PERCENTILE, n_boot=n_boot)


def _truescore(data: Pair) -> peers.Limits:
    return peers.truescore_paired_limits(data.candidate, data.baseline)


def _loop_of_differences(data: Pair) -> peers.Limits:
    return mean_loop(data.candidate - data.baseline)


PAIRED = "interval of a paired difference of continuous scores, n = 1,000"
DIFFERENCE = Situation(PAIRED, SAME_QUESTION, two_runs, difference(None), checks.limits())
DRAWN_DIFFERENCE = Situation(PAIRED, SAME_METHOD, two_runs, difference(N_BOOT), checks.limits(draws=2))
DIFFERENCES: tuple[Row, ...] = (
    DIFFERENCE.beside(LOOP, _loop_of_differences),
    DIFFERENCE.beside("truescore", _truescore),
    DRAWN_DIFFERENCE.beside("truescore", _truescore),
)


def _ten_million_passes(turns: int) -> Reading:
    given = random(8).random(10**7) < 0.72
    mean(given, method=PERCENTILE)
    ours, theirs = in_turns(
        lambda: mean(given, method=PERCENTILE), lambda: np.count_nonzero(given), max(turns, 5)
    )
    excess = (ours - 0.2e-3) / theirs
    return Reading(excess, f"{1e3 * ours:.2f} ms beside {1e3 * theirs:.2f} ms")


def _ten_million_judged(turns: int) -> Reading:
    given = random(9).integers(1, 11, 10**7).astype(np.uint8)
    return Reading(1e3 * alone(lambda: mean(given, method=PERCENTILE), turns))


def _off_the_law(turns: int) -> Reading:
    data = continuous(1000)()
    found = mean(data.given, method=PERCENTILE)
    oracle = fine_law(LinearSum.of_means([Units.of_items(data.floats).tally()], [1.0]), 4 * FINE_POINTS)
    gaps = (abs(found.ci_low - oracle.low(0.025)), abs(found.ci_high - oracle.high(0.025)))
    off = max(gaps) / oracle.sd
    return Reading(
        off / checks.noise(), f"{off:.1e} standard deviations of the law, beside {checks.noise():.3f}"
    )


AMOUNTS: tuple[Row, ...] = (
    Bound(
        2,
        "interval of a pass rate from 10⁷ booleans, less 0.2 ms, in times `np.count_nonzero`",
        "×",
        _ten_million_passes,
        3,
    ),
    Bound(3, "interval of a mean of 10⁷ scores of 1 to 10, as bytes", "ms", _ten_million_judged, 60),
    Bound(
        4,
        "distance of its limits (continuous scores, n = 1,000) from the law, in Monte Carlo errors of 10,000 "
        "resamples",
        "",
        _off_the_law,
        1 / 50,
        quick=True,
    ),
)
ROWS = (*RATES, *JUDGES, *CONTINUOUS, *BCAS, *MEDIANS, *SPREADS, *DIFFERENCES, *AMOUNTS)
