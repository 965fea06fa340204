"""Row 13 of the mission beyond the mean: median, weighted composite, ratio of metrics and anything else."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy import stats

import evalstats as es
from tests.made_runs import LOGS, command, write_csv
from tests.mission.expected import limits


@pytest.fixture
def judged(tmp_path):
    """200 marks from 1 to 10, a style mark, a cost, and whether they were accepted."""
    draw = random.Random(13)
    counts = (3, 6, 10, 18, 24, 30, 37, 36, 24, 12)  # of the marks 1 to 10
    scores = [mark for mark, count in enumerate(counts, 1) for _ in range(count)]
    rows = [
        {
            "item": f"a{i:03d}",
            "score": mark,
            "style": draw.randint(1, 10),
            "cost": round(draw.gammavariate(2, 0.01), 5),
            "accepted": int(mark >= 6),
        }
        for i, mark in enumerate(scores)
    ]
    return write_csv(tmp_path / "judge.csv", rows), rows


def only(result):
    (row,) = result["scores"]
    return row["run"]["estimate"]


def column(rows, name):
    return [row[name] for row in rows]


def test_row_13_the_median_is_order_statistics(capsys, judged):
    path, rows = judged
    asked = ("--metric", "score", "--bounds", "1,10", "--quantile", "0.5")
    printed, called = only(command(capsys, "score", path, *asked)), es.quantile(column(rows, "score"))
    assert printed["method"] == called.method == "order_statistics"
    assert printed["extra"]["guarantee"] == "proved"
    assert limits(printed) == limits(called)
    ordered = sorted(column(rows, "score"))
    r = int(stats.binom.ppf(0.025, 200, 0.5))  # the largest j with P(Bin ≤ j − 1) ≤ .025
    assert limits(printed) == [ordered[r - 1], ordered[200 - r]]


def test_row_13_several_marks_are_one_score_by_weight(capsys, judged):
    path, rows = judged
    printed = only(command(capsys, "score", path, "--bounds", "1,10", "--weights", "score=3,style=1"))
    weighted = es.combined_scores(
        {name: column(rows, name) for name in ("score", "style")}, {"score": 3, "style": 1}
    )
    called = es.mean(weighted, bounds=(1, 10))
    assert printed["method"] == called.method == "wilson_effective"
    assert (printed["point"], *limits(printed)) == pytest.approx((called.point, *limits(called)))


def test_row_13_the_price_of_an_accepted_answer_is_the_ratio_of_two_sums(capsys, judged):
    path, rows = judged
    printed = only(command(capsys, "score", path, "--ratio", "cost/accepted"))
    called = es.ratio(column(rows, "cost"), column(rows, "accepted"))
    assert printed["method"] == called.method == "bootstrap_percentile"
    assert limits(printed) == limits(called)
    assert printed["n_boot"] is None  # the exact law
    drawn = stats.bootstrap(
        (column(rows, "cost"), column(rows, "accepted")),
        lambda x, y, axis: np.sum(x, axis) / np.sum(y, axis),
        paired=True,
        n_resamples=10_000,
        method="percentile",
        random_state=0,
    )
    assert limits(printed) == pytest.approx(
        [drawn.confidence_interval.low, drawn.confidence_interval.high], abs=called.standard_error / 8
    )


def test_row_13_a_weighted_composite_of_benchmarks(capsys):
    run, weights = str(LOGS / "lm_eval" / "model-a"), {"colors_law": 2, "colors_bio": 1}
    asked = ("--task", "colors_law,colors_bio", "--weights", "colors_law=2,colors_bio=1")
    printed = command(capsys, "score", run, *asked)["scores"][0]
    called = es.score(run, task="colors_law,colors_bio", weights=weights)["weighted average"]
    assert printed["benchmark"] == called.benchmark == "weighted average"
    estimate = called.run.estimate
    assert limits(printed["run"]["estimate"]) == limits(estimate)
    scores = {"colors_law": [1] * 36 + [0] * 24, "colors_bio": [1] * 26 + [0] * 14}
    assert limits(es.composite(scores, weights)) == pytest.approx(limits(estimate), rel=1e-12)
    resampled = es.composite(scores, weights, method="stratified_bootstrap_percentile")
    assert limits(resampled) == pytest.approx(limits(estimate), abs=0.012)


def test_row_13_anything_else_by_ten_thousand_resamples_of_the_middle_95_per_cent(judged):
    _, rows = judged
    marks = np.array([[row["score"], row["style"]] for row in rows], float)
    found = es.bootstrap_statistic(marks, lambda pairs: float(np.corrcoef(pairs.T)[0, 1]), name="correlation")
    assert (found.n_boot, found.level, found.method) == (10_000, 0.95, "bootstrap_percentile")
    assert found.ci_low < 0 < found.ci_high
