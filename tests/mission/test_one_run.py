"""Rows 1–6, 13, 14 and 15 of the mission: each one command and one call, with the method and the number."""

from __future__ import annotations

import math
import random
import statistics

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

import evalstats as es
from tests.made_runs import command, write_csv
from tests.mission.expected import limits, percent, seed


def _one(result):
    """The estimate in the JSON of `score`."""
    (row,) = result["scores"]
    return row["run"]["estimate"]


@pytest.mark.parametrize(
    ("counts", "name", "shown", "digits"),
    [
        ("360/500", "wilson_72_500", (67.9, 75.8), 1),
        ("1/30", "wilson_1_30", (0.6, 16.7), 1),
        ("485/500", "wilson_485_500", (95.1, 98.2), 1),
        ("3/2000", "wilson_3_2000", (0.05, 0.44), 2),
    ],
    ids=["row 1", "row 2", "row 3", "row 4"],
)
def test_rows_1_to_4_one_pass_rate_is_wilson(capsys, counts, name, shown, digits):
    printed = _one(command(capsys, "score", counts))
    called = es.score(counts).only.run.estimate
    assert printed["method"] == called.method == "wilson"
    assert limits(printed) == limits(called) == seed(name)
    assert percent(called, digits) == shown
    k, n = map(int, counts.split("/"))
    assert limits(es.proportion(k, n)) == limits(called)


def test_row_1_wald_the_standard_error_and_what_halves_it(capsys):
    printed = _one(command(capsys, "score", "360/500", "--method", "wald"))
    called = es.score("360/500", method="wald").only.run.estimate
    assert limits(printed) == limits(called) == seed("wald_72_500")
    assert percent(called) == (68.1, 75.9)
    assert printed["extra"]["standard_error"] == called.standard_error == seed("se_72_500")
    four_times_the_items = es.score("1440/2000").only.run.estimate
    assert four_times_the_items.standard_error == pytest.approx(called.standard_error / 2, rel=1e-12)


def test_row_2_wald_on_a_small_benchmark_goes_below_zero_and_says_that_it_is_weak(capsys):
    printed = _one(command(capsys, "score", "1/30", "--method", "wald"))
    called = es.score("1/30", method="wald").only.run.estimate
    assert limits(printed) == limits(called) == seed("wald_1_30")
    assert "named_method_weak" in [c["code"] for c in called.extra["caveats"]]


def test_row_5_zero_failures_have_an_upper_limit_and_the_rule_of_three_beside_it(capsys):
    printed = _one(command(capsys, "score", "0/100"))
    called = es.score("0/100").only.run.estimate
    assert printed["method"] == called.method == "wilson"
    assert limits(printed) == limits(called) == [0.0, seed("wilson_0_100")]
    for extra in (printed["extra"], called.extra):
        assert extra["one_sided_upper"] == pytest.approx(1 - 0.05 ** (1 / 100), abs=1e-12)
        assert extra["rule_of_three"] == pytest.approx(0.03, abs=1e-15)
    assert printed["extra"]["standard_error"] is None
    assert printed["extra"]["undefined"]["standard_error"]
    assert math.isnan(called.standard_error)


def test_row_6_a_sign_off_is_clopper_pearson(capsys):
    printed = _one(command(capsys, "score", "1/30", "--guarantee"))
    called = es.score("1/30", guarantee=True).only.run.estimate
    assert printed["method"] == called.method == "clopper_pearson"
    assert limits(printed) == limits(called) == seed("clopper_1_30")
    assert printed["extra"]["guarantee"] == called.extra["guarantee"] == "proved"
    nothing_seen = es.score("0/100", guarantee=True).only.run.estimate
    assert limits(nothing_seen) == [0.0, pytest.approx(1 - 0.025 ** (1 / 100), abs=1e-12)]


def _judge_scores():
    """200 answers from 1 to 10 with mean 6.63."""
    counts = {1: 4, 2: 6, 3: 10, 4: 15, 5: 22, 6: 30, 7: 32, 8: 39, 9: 26, 10: 16}
    scores = [score for score, times in counts.items() for _ in range(times)]
    random.Random(13).shuffle(scores)
    return scores


def test_row_13_the_interval_of_a_judge_mean(capsys, tmp_path):
    scores = _judge_scores()
    assert (len(scores), statistics.mean(scores)) == (200, 6.63)
    path = write_csv(tmp_path / "judge.csv", [{"item": f"a{i}", "score": s} for i, s in enumerate(scores)])
    printed = _one(command(capsys, "score", path, "--bounds", "1,10"))
    called = es.score(path, bounds=(1, 10)).only.run.estimate
    assert printed["method"] == called.method == "wilson_effective"
    assert printed["point"] == called.point == 6.63
    assert limits(printed) == limits(called) == pytest.approx(_kott_carr(scores, 1, 10), abs=1e-12)
    assert called.standard_error == pytest.approx(statistics.stdev(scores) / math.sqrt(200), rel=1e-12)
    assert called.unit == "score"
    assert es.mean(scores, bounds=(1, 10)).ci_low == pytest.approx(called.ci_low, rel=1e-14)


def _kott_carr(scores, low, high):
    """Wilson's limits on n_eff = n·p(1−p)/s² with t for z, on the scale of the scores."""
    n, p = len(scores), (statistics.mean(scores) - low) / (high - low)
    n_eff = n * p * (1 - p) / (statistics.pvariance(scores) / (high - low) ** 2)
    t = stats.t.ppf(0.975, n - 1)
    centre = (p + t**2 / (2 * n_eff)) / (1 + t**2 / n_eff)
    half = t * math.sqrt(p * (1 - p) / n_eff + t**2 / (4 * n_eff**2)) / (1 + t**2 / n_eff)
    return [low + (high - low) * end for end in (centre - half, centre + half)]


def test_row_13_the_median_and_a_bootstrap_of_the_same_answers():
    scores = _judge_scores()
    middle = es.quantile(scores)
    assert (middle.point, middle.ci_low, middle.ci_high) == (7.0, 6.0, 7.0)
    resampled = es.bootstrap_mean(scores)
    assert (resampled.n_boot, resampled.method) == (10_000, "bootstrap_percentile")
    assert limits(resampled) == pytest.approx(limits(es.mean(scores, bounds=(1, 10))), abs=0.05)


def test_row_14_five_questions_a_passage_at_icc_two_tenths():
    effect = es.clusters.design_effect(5, 0.2)
    assert effect == pytest.approx(1.8, rel=1e-15)
    assert math.sqrt(effect) == seed("deff_sqrt")
    assert round(math.sqrt(effect), 2) == 1.34


def _passages():
    """40 passages of 5 questions: a passage's own rate is drawn from a beta of mean .7 and ICC .2."""
    draw = np.random.Generator(np.random.PCG64(3))
    rates = draw.beta(0.7 * 4, 0.3 * 4, size=40)
    return [
        {"item": f"q{g:02d}{i}", "passage": f"p{g:02d}", "score": int(draw.random() < rate)}
        for g, rate in enumerate(rates)
        for i in range(5)
    ]


def test_row_14_forty_simulated_passages_against_a_second_computation(capsys, tmp_path):
    rows = _passages()
    path = write_csv(tmp_path / "passages.csv", rows)
    printed = _one(command(capsys, "score", path, "--cluster", "passage"))
    row = es.score(path, cluster="passage").only
    called = row.run.estimate
    assert printed["method"] == called.method == "korn_graubard_cr2"
    assert (row.design.unit, row.design.n_units, row.design.n_items) == ("passage", 40, 200)

    y, passage = [r["score"] for r in rows], [r["passage"] for r in rows]
    fit = sm.OLS(y, np.ones(200)).fit(cov_type="cluster", cov_kwds={"groups": np.repeat(np.arange(40), 5)})
    second = float(fit.bse[0])  # CR1, which is CR2 where the passages are of one size
    assert printed["extra"]["standard_error"] == called.standard_error == pytest.approx(second, rel=1e-12)

    naive = es.score(path, cluster="none").only.run.estimate
    ratio = second / naive.standard_error
    (candidate,) = es.score(path).only.design.cluster_candidates
    assert (candidate.field, candidate.n_clusters, candidate.mean_size) == ("passage", 40, 5.0)
    assert candidate.ratio == pytest.approx(ratio, rel=1e-12)
    assert (round(100 * naive.standard_error, 1), round(100 * second, 1)) == (3.3, 4.3)  # as the lecture says

    p, t = statistics.mean(y), stats.t.ppf(0.975, 39)
    n_eff = min(200.0, p * (1 - p) / second**2 * (stats.t.ppf(0.975, 199) / t) ** 2)
    k = p * n_eff
    exact = [stats.beta.ppf(0.025, k, n_eff - k + 1), stats.beta.ppf(0.975, k + 1, n_eff - k)]
    assert limits(called) == pytest.approx(exact, abs=1e-9)
    assert limits(es.mean(y, cluster=passage)) == pytest.approx(limits(called), abs=1e-12)


def test_row_14_resampling_the_passages_agrees_with_modelling_them(tmp_path):
    path = write_csv(tmp_path / "passages.csv", _passages())
    method = "cluster_bootstrap_percentile"
    resampled = es.score(path, cluster="passage", method=method).only.run.estimate
    modelled = es.score(path, cluster="passage").only.run.estimate
    assert (resampled.method, resampled.n_boot, resampled.extra["n_clusters"]) == (method, None, 40)
    assert resampled.extra["law"] == "exact lattice"
    assert limits(resampled) == pytest.approx(limits(modelled), abs=0.02)


def _completions():
    """50 problems, 4 answers each."""
    draw = random.Random(15)
    rates = [draw.random() for _ in range(50)]
    return [
        {"item": f"p{at}", "epoch": epoch, "score": int(draw.random() < rate)}
        for at, rate in enumerate(rates)
        for epoch in range(1, 5)
    ]


def test_row_15_the_unit_of_several_completions_is_the_item(capsys, tmp_path):
    rows = _completions()
    path = write_csv(tmp_path / "epochs.csv", rows)
    means = np.array([r["score"] for r in rows], dtype=float).reshape(50, 4).mean(axis=1)
    printed = _one(command(capsys, "score", path))
    row = es.score(path).only
    called = row.run.estimate
    assert (row.design.unit, row.design.n_items, row.design.completions) == ("item", 50, 4.0)
    assert printed["method"] == called.method == "wilson_effective"
    assert printed["n"] == called.n == 50
    assert printed["extra"]["view"] == called.extra["view"] == "random_items"
    assert called.point == pytest.approx(means.mean(), rel=1e-14)
    assert called.standard_error == pytest.approx(means.std(ddof=1) / math.sqrt(50), rel=1e-12)


def test_row_15_decoding_noise_alone_on_request(capsys, tmp_path):
    rows = _completions()
    path = write_csv(tmp_path / "epochs.csv", rows)
    table = np.array([r["score"] for r in rows], dtype=float).reshape(50, 4)
    noise = math.sqrt((table.var(axis=1, ddof=1) / 4).sum()) / 50
    printed = _one(command(capsys, "score", path, "--view", "fixed_items"))
    called = es.score(path, view="fixed_items").only.run.estimate
    assert printed["method"] == called.method == "fixed_items_t"
    assert printed["extra"]["view"] == called.extra["view"] == "fixed_items"
    assert printed["extra"]["standard_error"] == called.standard_error == pytest.approx(noise, rel=1e-12)
    assert called.standard_error < es.score(path).only.run.estimate.standard_error


def test_row_15_an_interval_that_takes_completions_for_items_is_refused(tmp_path):
    path = write_csv(tmp_path / "epochs.csv", _completions())
    with pytest.raises(es.EvalStatsError, match="independent item"):
        es.score(path, method="wilson")
