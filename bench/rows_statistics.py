"""Rows about statistics that are no means: kappa, F1, AUC, the interquartile mean. Goals 10 and 17."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import checks, peers
from bench.loops import N_BOOT, statistic_loop
from bench.peers import LOOP
from bench.rows import SAME_METHOD, Race, Row
from bench.rows_scores import random
from bench.statistics_of_rows import auc, f1, kappa, weighted_auc, weighted_f1, weighted_iqm, weighted_kappa
from evalstats import Estimate, bootstrap_statistic, cohen_kappa, krippendorff_alpha

Rows = NDArray[np.float64]
RUNS, TASKS = 10, 26


def labels(classes: int) -> Callable[[], Rows]:
    """1,000 answers: a judge's label and a person's, which agree four times in five."""

    def draw() -> Rows:
        human = random(30).integers(0, classes, 1000)
        other = random(31).integers(0, classes, 1000)
        judge = np.where(random(32).random(1000) < 0.75, human, other)
        return np.column_stack([judge, human]).astype(float)

    return draw


def scored() -> Rows:
    """1,000 answers: a judge's score of 1 to 10, and whether the answer is right."""
    right = random(33).random(1000) < 0.6
    return np.column_stack([np.clip(np.rint(random(34).normal(5 + 2 * right, 2)), 1, 10), right])


def by_weights(statistic: Callable[[Any, Any], Any]) -> Callable[[Rows], Estimate]:
    return lambda rows: bootstrap_statistic(rows, statistic, weights=True)


def by_loop(statistic: Callable[[Any], float], n_boot: int = N_BOOT) -> Callable[[Rows], peers.Limits]:
    return lambda rows: statistic_loop(rows, statistic, n_boot)


def _with_sklearn(rows: Rows) -> peers.Limits:
    judge, human = rows.astype(int).T
    return peers.scipy_kappa_limits(judge, human, N_BOOT // 10)


def _truescore(rows: Rows) -> peers.Limits:
    return peers.truescore_kappa_limits(rows[:, 0], rows[:, 1])


def games() -> tuple[Rows, NDArray[np.int64]]:
    """(runs × tasks,) scores and their tasks, in the order of `rliable`'s table (runs, tasks)."""
    scores = random(35).gamma(2.0, size=(RUNS, TASKS)) * random(36).uniform(0.2, 2.0, TASKS)
    return scores.ravel(), np.tile(np.arange(TASKS), RUNS)


def _stratified(data: tuple[Rows, NDArray[np.int64]]) -> Estimate:
    return bootstrap_statistic(data[0], weighted_iqm, strata=data[1], weights=True)


def _rliable(data: tuple[Rows, NDArray[np.int64]]) -> peers.Limits:
    return peers.rliable_iqm_limits(data[0].reshape(RUNS, TASKS), N_BOOT // 10)


def graded() -> Rows:
    """(3 raters, 1,000 items) labels of 4 classes, one in ten missing."""
    truth = random(37).integers(0, 4, 1000)
    others = random(38).integers(0, 4, (3, 1000))
    ratings = np.where(random(39).random((3, 1000)) < 0.7, truth, others).astype(float)
    ratings[random(48).random((3, 1000)) < 0.1] = np.nan
    return ratings


def _kappa(rows: Rows) -> tuple[float, float, float]:
    found = cohen_kappa(rows[:, 0], rows[:, 1])
    return found.point, found.ci_low, found.ci_high


BOTH_DRAWN = checks.limits(draws=2, step=lambda data: 1e-4)  # few distinct tables: a lattice of no one step
ELEVEN = checks.limits(draws=11, step=lambda data: 1e-4)  # theirs drew a tenth: 1 + 10 of our variances
TENTH = "they drew 1,000 resamples, times ten"
KAPPA = "Cohen's kappa, 1,000 answers in 4 classes"
ROWS: tuple[Row, ...] = (
    Race(
        10,
        KAPPA,
        LOOP,
        SAME_METHOD,
        labels(4),
        by_weights(weighted_kappa),
        by_loop(kappa),
        BOTH_DRAWN,
        90,
        quick=True,
    ),
    Race(
        10,
        KAPPA,
        "scipy, scikit-learn",
        SAME_METHOD,
        labels(4),
        by_weights(weighted_kappa),
        _with_sklearn,
        ELEVEN,
        150,
        share=0.1,
        note=TENTH,
    ),
    Race(
        0,
        "Cohen's kappa, 1,000 answers in 2 classes",
        "truescore",
        SAME_METHOD,
        labels(2),
        by_weights(weighted_kappa),
        _truescore,
        BOTH_DRAWN,
        note="theirs has Gwet's AC1 with it",
    ),
    Race(
        0,
        "F1, 1,000 answers",
        LOOP,
        SAME_METHOD,
        labels(2),
        by_weights(weighted_f1),
        by_loop(f1),
        BOTH_DRAWN,
        quick=True,
    ),
    Race(
        0,
        "AUC of a judge's scores of 1 to 10, 1,000 answers",
        LOOP,
        SAME_METHOD,
        scored,
        by_weights(weighted_auc),
        by_loop(auc),
        BOTH_DRAWN,
    ),
    Race(
        0,
        KAPPA + ", by formula",
        "statsmodels",
        SAME_METHOD,
        labels(4),
        _kappa,
        lambda rows: peers.statsmodels_kappa(rows.astype(int)),
        checks.numbers(1e-10),
        quick=True,
    ),
    Race(
        0,
        "Krippendorff's alpha, 3 raters of 1,000 items, labels missing",
        "evalica",
        SAME_METHOD,
        graded,
        lambda ratings: krippendorff_alpha(ratings).point,
        peers.evalica_alpha,
        checks.numbers(1e-12),
        note="ours has its interval with it",
    ),
    Race(
        17,
        f"interquartile mean, {RUNS} runs of {TASKS} tasks, resampled within tasks",
        "rliable",
        SAME_METHOD,
        games,
        _stratified,
        _rliable,
        ELEVEN,
        50,
        share=0.1,
        note=TENTH,
    ),
)
