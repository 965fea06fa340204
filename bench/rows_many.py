"""Rows about many at once: a dashboard, all pairs, a million problems, 200 models. Goals 11, 12 and 16."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from bench import checks
from bench.loops import N_BOOT, mean_loop, percentiles
from bench.measure import alone, in_turns
from bench.peers import LOOP
from bench.rows import SAME_METHOD, SAME_QUESTION, Bound, Race, Reading, Row
from bench.rows_scores import random
from evalstats.kernel.joint import joint_means, joint_units
from evalstats.methods.many_counts import against_baseline, of_counts, pairs_only_right, pvalues
from evalstats.subjects.passk import benchmark

RUNS, BENCHMARKS, ITEMS = 200, 40, 1000
PROBLEMS, ATTEMPTS, K = 10**6, 20, (1, 5, 10)
MODELS = 200
Flags = NDArray[np.bool_]


def dashboard() -> tuple[Flags, Flags]:
    """(runs, benchmarks, items) right or wrong, and the baseline's."""
    ease = random(40).beta(3, 1.5, size=(BENCHMARKS, ITEMS))
    skill = random(47).uniform(0.8, 1.2, size=(RUNS, BENCHMARKS, 1))
    runs = random(41).random((RUNS, BENCHMARKS, ITEMS)) < ease * skill
    return runs, random(42).random((BENCHMARKS, ITEMS)) < ease


def _cells(data: tuple[Flags, Flags]) -> NDArray[np.float64]:
    """(4, 8): baseline alone right, candidate alone right, limits; of the first run's first 8 benchmarks."""
    found = against_baseline(*data, test="exact")
    shown = (found.baseline_only, found.candidate_only, found.ci_low, found.ci_high)
    return np.stack([table[0, :8] for table in shown]).astype(float)


def _loop_of_cells(data: tuple[Flags, Flags]) -> NDArray[np.float64]:
    """The chapter's way with 8 of the 8,000 cells: counts and exact p, then a bootstrap of the difference."""
    runs, baseline = data
    columns = []
    for candidate, before in zip(runs[0, :8], baseline[:8], strict=True):
        b, c = int(np.sum(before & ~candidate)), int(np.sum(candidate & ~before))
        stats.binomtest(min(b, c), b + c)
        columns.append([b, c, *mean_loop(candidate.astype(float) - before.astype(float))])
    return np.array(columns).T


def _cells_check(data: Any, ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> str:
    """Counts are equal; Tango's limits and percentiles are two methods, near one another at this size."""
    checks.numbers(0.0)(data, ours[:2], theirs[:2])
    width = ours[3] - ours[2]
    gap = float(np.max(np.abs(ours[2:] - theirs[2:]) / width))
    if gap > 0.05:
        raise checks.UnequalError(f"limits differ by {gap:.0%} of an interval's width")
    return f"counts equal, limits to {gap:.1%} of the width"


def _pvalues_of_all(data: tuple[Flags, Flags]) -> NDArray[np.float64]:
    b, c = _counts(data)
    p: NDArray[np.float64] = pvalues(b, c, "exact")[0]
    return p


def _pvalues_one_by_one(data: tuple[Flags, Flags]) -> NDArray[np.float64]:
    """Of the first run's 40 benchmarks."""
    runs, baseline = data
    found = []
    for candidate, before in zip(runs[0], baseline, strict=True):
        b, c = int(np.sum(before & ~candidate)), int(np.sum(candidate & ~before))
        found.append(stats.binomtest(min(b, c), b + c).pvalue)
    return np.array(found)


def _counts(data: tuple[Flags, Flags]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    found = against_baseline(*data)
    return found.baseline_only, found.candidate_only


def _with_intervals(turns: int) -> Reading:
    data = dashboard()
    return Reading(1e3 * alone(lambda: against_baseline(*data, test="exact"), turns))


def _without_intervals(turns: int) -> Reading:
    """The whole less the limits, which no call leaves out."""
    data = dashboard()
    b, c = _counts(data)
    whole = alone(lambda: against_baseline(*data, test="exact"), turns)
    from_counts = alone(lambda: of_counts(b, c, ITEMS, 0.95, "exact"), turns)
    p = alone(lambda: pvalues(b, c, "exact"), turns)
    return Reading(1e3 * (whole - from_counts + p), "the call with limits, less the limits")


def _pvalues_of_pairs(runs: Flags) -> NDArray[np.float64]:
    """(benchmarks, runs, runs) exact p of all pairs. runs : (runs, benchmarks, items)."""
    counts = np.stack([pairs_only_right(of_one) for of_one in runs.swapaxes(0, 1)])
    return pvalues(counts, counts.swapaxes(1, 2), "exact")


def _all_pairs(turns: int) -> Reading:
    runs, _ = dashboard()
    matrices = [np.ascontiguousarray(of_one, dtype=np.float32) for of_one in runs.swapaxes(0, 1)]
    _pvalues_of_pairs(runs)
    ours, product = in_turns(
        lambda: _pvalues_of_pairs(runs), lambda: [one @ one.T for one in matrices], max(turns, 3)
    )
    return Reading(ours / product, f"{1e3 * ours:.0f} ms beside {1e3 * product:.0f} ms")


def solved() -> NDArray[np.int64]:
    """How many of 20 attempts at each of a million problems are right."""
    return random(43).binomial(ATTEMPTS, random(44).beta(0.8, 1.2, size=PROBLEMS))


def _with_limits(c: NDArray[np.int64]) -> list[float]:
    return [found.point for found in benchmark(ATTEMPTS, c, K, ("pass_at_k",))]


def _point_of_ten(c: NDArray[np.int64]) -> float:
    """pass@10 alone: the mean of 1 − Π (n − c − i)/(n − i), i < k."""
    n, k = ATTEMPTS, K[-1]
    missed = np.ones(len(c))
    for i in range(k):
        missed *= (n - c - i).clip(0) / (n - i)
    return float(1 - missed.mean())


def _passk_check(c: NDArray[np.int64], ours: list[float], theirs: float) -> str:
    return checks.numbers(1e-10)(c, ours[-1], theirs)


def models() -> NDArray[np.float64]:
    """(1,000 items, 200 models) right or wrong."""
    ease = random(45).beta(3, 1.5, size=(ITEMS, 1))
    return (random(46).random((ITEMS, MODELS)) < ease).astype(float)


def _jointly(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """(2, models) limits from 10,000 resamples that all models share."""
    means, at = np.empty((scores.shape[1], N_BOOT)), 0
    for drawn in joint_means(joint_units(scores), N_BOOT, 0):
        means[:, at : at + len(drawn)] = drawn.T
        at += len(drawn)
    return np.asarray(np.percentile(means, [2.5, 97.5], axis=1, overwrite_input=True))


def _one_by_one(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The first four models, each with resamples of its own."""
    return np.array([mean_loop(column) for column in scores.T[:4].copy()]).T


def _by_gathered_rows(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """All models, in 1,000 resamples: rows are gathered and averaged."""
    generator, n = np.random.default_rng(0), len(scores)
    means = [scores[generator.integers(0, n, n)].mean(axis=0) for _ in range(N_BOOT // 10)]
    return np.array([percentiles(column) for column in np.array(means).T]).T


def _joint_check(draws: float) -> checks.Check:
    def check(data: NDArray[np.float64], ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> str:
        compared = ours[:, : theirs.shape[1]]
        error = data.std(axis=0)[: theirs.shape[1]] / np.sqrt(ITEMS) * checks.noise() * np.sqrt(draws)
        gaps = (np.abs(compared - theirs) - 1 / ITEMS).clip(0) / error
        return checks.errors_apart(2 * float(np.sqrt(np.mean(gaps**2))))  # of hundreds, twice what is usual

    return check


CELLS = "200 runs × 40 benchmarks × 1,000 items against a baseline"
TOGETHER = "200 models on the same 1,000 items, 10,000 resamples"
TENTH = "they drew 1,000 resamples, times ten"
ROWS: tuple[Row, ...] = (
    Race(
        11,
        "pass@1, 5 and 10 of a million problems, with intervals; beside the point of pass@10",
        "numpy",
        SAME_QUESTION,
        solved,
        _with_limits,
        _point_of_ten,
        _passk_check,
        1,
        quick=True,
    ),
    Race(
        12,
        CELLS + ": difference, interval and exact p",
        LOOP,
        SAME_QUESTION,
        dashboard,
        _cells,
        _loop_of_cells,
        _cells_check,
        1000,
        share=8 / (RUNS * BENCHMARKS),
        note="ours are Tango's limits; the loop did 8 cells, times 1,000",
    ),
    Race(
        0,
        CELLS + ": b, c and exact p, one by one",
        "scipy",
        SAME_METHOD,
        dashboard,
        _pvalues_of_all,
        _pvalues_one_by_one,
        checks.numbers(1e-10),
        share=BENCHMARKS / (RUNS * BENCHMARKS),
        note="`binomtest` of 40 cells, times 200; ours has limits too",
        quick=True,
    ),
    Bound(12, CELLS + ": b, c and exact p", "ms", _without_intervals, 20, quick=True),
    Bound(12, CELLS + ": with Tango's intervals", "ms", _with_intervals, 40, quick=True),
    Bound(12, "exact p of all 796,000 pairs, in times their matrix product", "×", _all_pairs, 5, quick=True),
    Race(
        16,
        TOGETHER,
        LOOP,
        SAME_METHOD,
        models,
        _jointly,
        _one_by_one,
        _joint_check(2),
        250,
        share=4 / MODELS,
        note="the loop did 4 models, times 50",
    ),
    Race(
        16,
        TOGETHER,
        "numpy",
        SAME_METHOD,
        models,
        _jointly,
        _by_gathered_rows,
        _joint_check(11),
        8,
        share=0.1,
        note=f"gathering rows; {TENTH}",
        quick=True,
    ),
)
