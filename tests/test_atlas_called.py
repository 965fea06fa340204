"""What the atlas takes for the truth of statistics that are no mean; rows that call the library itself."""

from __future__ import annotations

import math

import numpy as np
import pytest

from atlas import (
    agreements,
    any_statistic,
    called,
    ceilings,
    dependence,
    judges,
    macro,
    many_runs,
    orders,
    shares,
    weighted,
)
from atlas.array_forms import OF_CLUSTERS
from atlas.rows import ROWS
from evalstats.methods.weighted_means import weighted_mean
from evalstats.results import Estimate

MANY = 60_000


@pytest.mark.parametrize("law", ["pass_90", "five_points"])
@pytest.mark.parametrize("method", ["korn_graubard_cr2", "cr2_t", "logit_t_shrunk"])
def test_weighted_means_are_the_librarys(method: str, law: str) -> None:
    cell = weighted.WeightedCell(law, "lognormal", 20)
    x = weighted.draw(cell, 12)
    low, high = OF_CLUSTERS[method](x, 0.9)
    for at, (sums, w) in enumerate(zip(x.sums, x.sizes, strict=True)):
        found = weighted_mean(np.round(sums / w, 9), w, bounds=(0, 1), method=method, level=0.9)
        expected = max(min(low[at], x.point[at]), 0), min(max(high[at], x.point[at]), 1)
        if math.isfinite(low[at]):
            assert (found.ci_low, found.ci_high) == pytest.approx(expected, abs=1e-7)
        else:
            assert math.isnan(found.ci_low)


@pytest.mark.parametrize("what", ["kappa", "ac1", "fleiss", "alpha"])
@pytest.mark.parametrize("guesses", ["same", "turned"])
def test_the_true_agreement_is_that_of_very_many_items(what: str, guesses: str) -> None:
    raters = 2 if what in ("kappa", "ac1") else 3
    cell = agreements.AgreementCell(what, MANY, "three", guesses, 0.4, raters)
    found = agreements._coefficient(cell, agreements.draw(cell, 1)[0], "jackknife_t", 0.95)
    assert agreements.truth_of(cell) == pytest.approx(found.point, abs=0.012)


def test_the_true_distance_from_people_is_that_of_very_many_items() -> None:
    cell = ceilings.CeilingCell(MANY, "three", 0.9, 0.6)
    judge, *people = ceilings.draw(cell, 1)[0].astype(int).tolist()
    found = ceilings.ceiling(judge, people, categories=(0, 1, 2)).difference
    assert cell.truth == pytest.approx(found.point, abs=0.012)


def test_raters_who_guess_by_one_law_agree_as_often_as_they_know() -> None:
    cell = agreements.AgreementCell("kappa", 50, "rare", "same", 0.8, 2)
    assert agreements.truth_of(cell) == pytest.approx(0.64)


@pytest.mark.parametrize("what", ["f1", "correlation", "median", "cost_per_solved", "tokens_per_answer"])
@pytest.mark.parametrize("clustered", [False, True])
def test_the_true_statistic_is_that_of_very_many_records(what: str, clustered: bool) -> None:
    cell = any_statistic.StatisticCell(what, MANY // 2)
    rows = any_statistic.draw(cell, 1, clustered)[0]
    if what in any_statistic._FUNCTIONS:
        value = any_statistic._FUNCTIONS[what](rows, np.ones((1, len(rows))))[0]
    else:
        value = rows[:, 0].sum() / rows[:, 1].sum()
    assert any_statistic.truth_of(what) == pytest.approx(value, rel=0.03)


def test_clusters_of_records_repeat_their_first_one() -> None:
    rows = any_statistic.draw(any_statistic.StatisticCell("median", 2000), 1, clustered=True)[0, :, 0]
    repeated = np.mean(rows.reshape(-1, 5)[:, 1:] == rows.reshape(-1, 5)[:, :1])
    assert repeated == pytest.approx(any_statistic.COPIES, abs=0.02)


@pytest.mark.parametrize(
    "cell",
    [
        shares.ShareCell("one_way", "normal", 400, 5, 0.3),
        shares.ShareCell("one_way", "pass_fail", 400, 5, 0.3),
        shares.ShareCell("crossed", "normal", 60, 60, 0.3),
        shares.ShareCell("nested", "normal", 400, 2, 0.3),
    ],
)
def test_scores_have_the_share_of_variance_that_is_taken_for_true(cell: shares.ShareCell) -> None:
    found = [shares.share_of(cell, scores, 0.95).point for scores in shares.draw(cell, 3)]
    assert np.mean(found) == pytest.approx(cell.share, abs=0.08)


@pytest.mark.parametrize("scores", ["pass_fail", "graded"])
def test_the_true_means_of_many_runs_are_those_of_very_many_items(scores: str) -> None:
    cell = many_runs.ManyCell(scores, 3, MANY, "spread")
    means = many_runs.draw(cell, 1)[0].mean(axis=1)
    assert many_runs.means_of(cell._replace(n=50)) == pytest.approx(means, abs=0.01)
    assert np.all(np.diff(means) > 0.05)


def test_the_true_ranks_of_equal_runs_are_all_and_of_others_their_own() -> None:
    best, worst = many_runs.true_ranks(many_runs.ManyCell("graded", 3, 50, "equal"))
    assert (best.tolist(), worst.tolist()) == ([1, 1, 1], [3, 3, 3])
    best, worst = many_runs.true_ranks(many_runs.ManyCell("graded", 3, 50, "spread"))
    assert best.tolist() == worst.tolist() == [3, 2, 1]


def test_a_rank_range_that_leaves_out_a_true_rank_is_a_miss(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = many_runs.ManyCell("graded", 3, 50, "spread")
    found = many_runs.measure_ranks(cell, "max_t", 0.95, 160)
    assert found is not None
    assert found.coverage > 0.9
    wrong = (np.ones(3), np.ones(3))
    monkeypatch.setattr(many_runs, "true_ranks", lambda cell: wrong)
    other = many_runs.measure_ranks(cell, "max_t", 0.95, 160)
    assert other is not None
    assert other.coverage < found.coverage - 0.2


def test_a_difference_that_is_not_there_is_missed_by_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = many_runs.ManyCell("graded", 3, 50, "equal")
    found = many_runs.measure(cell, "max_t", 0.95, 160)
    assert found is not None
    assert found.coverage > 0.7
    monkeypatch.setattr(many_runs, "means_of", lambda cell: np.array([0.0, 0.5, 1.0]))
    assert many_runs.measure(cell, "max_t", 0.95, 160).coverage == 0  # type: ignore[union-attr]
    assert many_runs.measure(cell, "tango", 0.95, 160) is None


@pytest.mark.parametrize("B", [9, 19, 99])
def test_the_size_of_the_order_test_is_counted(B: int) -> None:
    found = orders.measure(orders.OrderCell(B), "order_permutation", 0.95, 0)
    assert 1 - found.coverage == pytest.approx(math.floor(0.05 * (B + 1) + 1e-9) / (B + 1))


def test_estimates_without_limits_are_none_and_others_hit_or_miss() -> None:
    limits = [(0.1, 0.4), (0.6, 0.9), (math.nan, math.nan)]
    found = called.of_estimates((Estimate("x", 0.5, *one, 0.95, "t", 5) for one in limits), 0.7)
    assert (found.coverage, found.too_low, found.none) == pytest.approx((1 / 3, 1 / 3, 1 / 3))


@pytest.mark.parametrize("kind", ["rate", "difference"])
def test_judged_scores_have_the_truth_that_is_taken_for_theirs(kind: str) -> None:
    cell = judges.PredictedCell(kind, 2000, 500, 0.8, 0.9, 0.8)
    Y, Y_hat, F, F_squares = judges.draw_predicted(cell, 40)
    assert np.mean(Y) == pytest.approx(0.8 if kind == "rate" else 0.0, abs=0.01)
    assert np.mean(Y_hat) == pytest.approx(np.mean(F), abs=0.01)
    assert np.mean(F_squares) == pytest.approx(np.mean(Y_hat**2), abs=0.02)


@pytest.mark.parametrize("kind", ["percentile", "studentized"])
def test_a_bootstrap_of_benchmarks_is_measured_in_its_cells(kind: str) -> None:
    method = f"stratified_bootstrap_{kind}"
    found = macro.measure(macro.MacroCell(3, "middle"), method, 0.95, 160)
    pairs = macro.measure_pairs(macro.MacroPairCell(3, 0.4), method, 0.95, 160)
    assert found is not None
    assert pairs is not None
    assert min(found.coverage, pairs.coverage) > 0.7
    assert macro.measure(macro.MacroCell(3, "middle"), method, 0.9, 160) is None


def test_laws_of_grades_have_their_mean() -> None:
    x = dependence.clustered(("grades_70",), "beta_binomial", 0.3, "5", 50, np.random.default_rng(2), 800)
    assert np.mean(x.point) == pytest.approx(dependence.mean_of("grades_70"), abs=0.01)


def test_keys_of_rows_are_unlike() -> None:
    assert len({row.key for row in ROWS}) == len(ROWS)
