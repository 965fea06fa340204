"""Rows about clusters, composites, tests, and formulas that others have too. Goals 8, 9 and 15."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from bench import checks, peers
from bench.loops import N_BOOT, cluster_loop, composite_loop
from bench.measure import in_turns
from bench.peers import LOOP
from bench.rows import SAME_METHOD, SAME_QUESTION, Bound, Race, Reading, Row, Situation
from bench.rows_scores import random
from evalstats import (
    Estimate,
    composite,
    mcnemar_counts,
    mean,
    paired_proportions,
    proportion,
    sign_flip_test,
)
from evalstats.kernel.counts import counted
from evalstats.kernel.resampled import Bootstrap, bootstrap_interval
from evalstats.kernel.units import Units
from evalstats.methods.clusters import clustered, cr1

CLUSTERS = "cluster_bootstrap_percentile"


@dataclass(frozen=True)
class InClusters:
    """(n,) right or wrong, and the label of each one's cluster of 4 to 6."""

    scores: NDArray[np.float64]
    groups: NDArray[np.int64]

    @property
    def step(self) -> float:
        return 1 / len(self.scores)


def in_clusters(k: int) -> Callable[[], InClusters]:
    def draw() -> InClusters:
        sizes = random(20).integers(4, 7, k)
        groups = np.repeat(np.arange(k), sizes)
        ease = np.repeat(random(21).beta(4, 2, size=k), sizes)
        return InClusters((random(22).random(len(groups)) < ease).astype(float), groups)

    return draw


def _exact_clusters(data: InClusters) -> Estimate:
    return mean(data.scores, data.groups, method=CLUSTERS)


def _drawn_clusters(data: InClusters) -> Estimate:
    return mean(data.scores, data.groups, method=CLUSTERS, n_boot=N_BOOT)


def loop_of_clusters(n_boot: int) -> Callable[[InClusters], peers.Limits]:
    return lambda data: cluster_loop(data.scores, data.groups, n_boot)


def of_clusters(k: int, n_boot: int) -> tuple[Situation, Situation]:
    """Exact and drawn, beside n_boot resamples. A law of few clusters is not normal: half more noise."""
    what = f"{k:,} clusters of 4 to 6 items"
    theirs = 1.5 * N_BOOT / n_boot
    computed, resampled = (checks.limits(draws=theirs + own, step=lambda data: data.step) for own in (0, 1.5))
    return (
        Situation(what, SAME_QUESTION, in_clusters(k), _exact_clusters, computed),
        Situation(what, SAME_METHOD, in_clusters(k), _drawn_clusters, resampled),
    )


def _growing(turns: int) -> Reading:
    """The loop over the exact law at 40 clusters, by that at 1,000: below 1 where the lead grows."""
    few, many = (_lead(in_clusters(k)()) for k in (40, 1000))
    return Reading(few / many, f"{few:,.0f} times the loop at 40 clusters, {many:,.0f} at 1,000")


def _lead(data: InClusters) -> float:
    """Over the loop, of which a tenth is run."""
    ours, theirs = in_turns(lambda: _exact_clusters(data), lambda: loop_of_clusters(N_BOOT // 10)(data), 3)
    return 10 * theirs / ours


TENTH = "the loop drew 1,000 resamples, times ten"
FORTY, DRAWN_FORTY = of_clusters(40, N_BOOT)
THOUSAND, DRAWN_THOUSAND = of_clusters(1000, N_BOOT // 10)
OF_CLUSTERS: tuple[Row, ...] = (
    FORTY.beside(LOOP, loop_of_clusters(N_BOOT), 8, 200, quick=True),
    DRAWN_FORTY.beside(LOOP, loop_of_clusters(N_BOOT), 8, 10, quick=True),
    THOUSAND.beside(LOOP, loop_of_clusters(N_BOOT // 10), share=0.1, note=TENTH),
    DRAWN_THOUSAND.beside(LOOP, loop_of_clusters(N_BOOT // 10), share=0.1, note=TENTH),
    Bound(8, "the lead at 40 clusters, in shares of that at 1,000", "", _growing, 1),
)


def benchmarks(passing: bool) -> Callable[[], list[NDArray[Any]]]:
    """40 of 1,000 items each, right or wrong or with continuous scores."""

    def draw() -> list[NDArray[Any]]:
        parts = [random(100 + j).beta(4, 2, size=1000) for j in range(40)]
        return [random(200 + j).random(1000) < part for j, part in enumerate(parts)] if passing else parts

    return draw


def _composite(parts: list[NDArray[Any]]) -> peers.Limits:
    """From the scores to the limits, by the kernel."""
    tallies = tuple(counted(part) or Units.of_items(part).tally() for part in parts)
    weights = (1 / len(parts),) * len(parts)
    found = bootstrap_interval("percentile", Bootstrap(tallies, 0.95, weights=weights))
    return found.low, found.high


def _public_composite(parts: list[NDArray[Any]]) -> peers.Limits:
    named = {f"benchmark {j}": part for j, part in enumerate(parts)}
    return _ends(composite(named, method="stratified_bootstrap_percentile"))


def _loop_of_composites(parts: list[NDArray[Any]]) -> peers.Limits:
    return composite_loop([part.astype(float) for part in parts], N_BOOT // 10)


def _composite_check(data: list[NDArray[Any]], ours: peers.Limits, theirs: peers.Limits) -> str:
    spread = np.sqrt(sum(np.var(part) / len(part) for part in data)) / len(data)
    gap = float(np.max(np.abs(np.subtract(ours, theirs))))
    return checks.errors_apart(gap / (spread * checks.noise(N_BOOT // 10)))


def of_composites(what: str, passing: bool) -> tuple[Situation, Situation]:
    average, data = f"average of 40 benchmarks of 1,000 items, {what}", benchmarks(passing)
    with_rows = average + ", by `composite`, with checks and standard error"
    return (
        Situation(average, SAME_QUESTION, data, _composite, _composite_check),
        Situation(with_rows, SAME_QUESTION, data, _public_composite, _composite_check),
    )


CONTINUOUS, CONTINUOUS_ROWS = of_composites("continuous", False)
PASSING, PASSING_ROWS = of_composites("pass/fail", True)
OF_COMPOSITES: tuple[Row, ...] = (
    CONTINUOUS.beside(LOOP, _loop_of_composites, 9, 1e4, share=0.1, note=TENTH),
    PASSING.beside(LOOP, _loop_of_composites, 9, 1e4, share=0.1, note=TENTH, quick=True),
    CONTINUOUS_ROWS.beside(LOOP, _loop_of_composites, share=0.1, note=TENTH),
    PASSING_ROWS.beside(LOOP, _loop_of_composites, share=0.1, note=TENTH),
)


def outcomes() -> NDArray[np.float64]:
    """2,000 paired differences of right and wrong."""
    return random(23).choice([-1.0, 0.0, 1.0], size=2000, p=[0.08, 0.81, 0.11])


def _scipy_pvalue(d: NDArray[np.float64]) -> float:
    found = stats.permutation_test((d,), np.mean, permutation_type="samples", n_resamples=9999, rng=0)
    return float(found.pvalue)


def _sign_flip(d: NDArray[np.float64]) -> float:
    return sign_flip_test(d).pvalue


def runs() -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Two on the same 2,000 items."""
    ease = random(24).beta(3, 1.5, size=2000)
    return random(25).random(2000) < ease, random(26).random(2000) < ease + 0.02


def _tango(data: Any) -> tuple[float, ...]:
    a, b = data
    found = paired_proportions(int(np.sum(a & ~b)), int(np.sum(~a & b)), len(a))
    return found.point, found.ci_low, found.ci_high


def _evalaudit_tango(data: Any) -> tuple[float, ...]:
    found = peers.evalaudit_paired(data[1], data[0])
    return found.difference, found.ci_low, found.ci_high


def _standard_error(data: list[float]) -> float:
    return float(mean(data).standard_error)


def scores_of_14_000() -> list[float]:
    scores: list[float] = random(27).random(14_000).tolist()
    return scores


def _inspected() -> tuple[InClusters, list[Any]]:
    data = in_clusters(1000)()
    return data, peers.inspect_scores(data.scores, data.groups)


def _cr1(data: tuple[InClusters, list[Any]]) -> float:
    return cr1(clustered(data[0].scores, data[0].groups))


PASSED = (360, 500)
FLIPS = (40, 55)
OF_TESTS: tuple[Row, ...] = (
    Race(
        15,
        "sign-flip test of 2,000 paired outcomes, all 2²⁰⁰⁰ of them beside 9,999",
        "scipy",
        SAME_QUESTION,
        outcomes,
        _sign_flip,
        _scipy_pvalue,
        checks.shares(9999),
        1000,
        quick=True,
    ),
    Race(
        0,
        "Wilson's interval of 360/500",
        "statsmodels",
        SAME_METHOD,
        lambda: PASSED,
        lambda counts: _ends(proportion(*counts)),
        lambda counts: peers.wilson(*counts),
        checks.numbers(1e-12),
        quick=True,
    ),
    Race(
        0,
        "exact McNemar of 40 and 55",
        "statsmodels",
        SAME_METHOD,
        lambda: FLIPS,
        lambda counts: mcnemar_counts(*counts, method="exact").pvalue,
        lambda counts: peers.exact_mcnemar(*counts),
        checks.numbers(1e-12),
        quick=True,
    ),
    Race(
        0,
        "Tango's interval of two runs on 2,000 items",
        "evalaudit",
        SAME_METHOD,
        runs,
        _tango,
        _evalaudit_tango,
        checks.numbers(1e-9),
    ),
    Race(
        0,
        "standard error of a mean, 14,000 scores in a list",
        "lm-eval",
        SAME_METHOD,
        scores_of_14_000,
        _standard_error,
        peers.lm_eval_stderr,
        checks.numbers(1e-12),
    ),
    Race(
        0,
        "clustered standard error, 1,000 clusters of 4 to 6 items",
        "inspect-ai",
        SAME_METHOD,
        _inspected,
        _cr1,
        lambda data: peers.inspect_metric("stderr", cluster="group")(data[1]),
        checks.numbers(1e-12),
    ),
)


def _ends(found: Estimate) -> tuple[float, float]:
    return found.ci_low, found.ci_high


ROWS = (*OF_CLUSTERS, *OF_COMPOSITES, *OF_TESTS)
