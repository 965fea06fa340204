"""A judge's errors corrected: other programs' numbers, second computations, planted judges, refusals."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import evalstats as es
from evalstats.errors import InputError, MethodError, NoGuaranteeError, PairingError
from evalstats.kernel.method import MethodTable
from evalstats.methods.items import Request
from evalstats.report.labels import method_label
from evalstats.subjects.judge_ppi import PPI, Predicted, corrected, tuned
from evalstats.subjects.judge_rates import ESTIMATED, KNOWN, Screening, corrected_rate
from tests.made_runs import codes
from tests.reference import cases

ORACLE = json.loads((Path(__file__).parents[1] / "data" / "ppi_python.json").read_text(encoding="utf-8"))


def _all(estimate: Any) -> list[float]:
    return [estimate.point, estimate.ci_low, estimate.ci_high]


@pytest.mark.parametrize("case", cases("online_and_bias", "rogan_gladen"))
def test_known_error_rates_equal_another_program(case: dict[str, Any]) -> None:
    found, right = es.rogan_gladen(**case["input"]), case["expected"]
    assert found.extra["unclipped"] == pytest.approx(right["unclipped"], abs=case["tolerance"])
    assert _all(found) == pytest.approx(right["clipped"], abs=case["tolerance"])
    assert found.standard_error == pytest.approx(right["se_known"], abs=case["tolerance"])


@pytest.mark.parametrize("case", cases("online_and_bias", "rogan_gladen.estimated"))
def test_estimated_error_rates_by_the_delta_form_equal_another_program(case: dict[str, Any]) -> None:
    found, right = es.rogan_gladen(**case["input"], method="rogan_gladen_delta"), case["expected"]
    assert _all(found) == pytest.approx(
        [right["estimate"], right["low"], right["high"]], abs=case["tolerance"]
    )
    assert found.standard_error == pytest.approx(right["se"], abs=case["tolerance"])


@pytest.mark.parametrize("case", cases("online_and_bias", "ppi.mean"))
def test_ppi_equals_another_program(case: dict[str, Any]) -> None:
    given, right = case["input"], case["expected"]
    lists = [given[name] for name in ("labels", "judge_labelled", "judge_unlabelled")]
    for method, key, tolerance in (("ppi", "ppi", 1e-8), (None, "ppipp", 1e-3)):
        found = es.judge.ppi_mean(*lists, level=1 - given["alpha"], method=method)
        expected = [right[key], right[f"{key}_low"], right[f"{key}_high"]]
        assert _all(found) == pytest.approx(expected, abs=tolerance)
        assert found.extra["lambda"] == pytest.approx(1.0 if method else 0.699210, abs=5e-7)


@pytest.mark.parametrize("case", ORACLE["cases"], ids=lambda case: case["kind"])
def test_ppi_of_rates_scores_and_differences_equals_ppi_python(case: dict[str, Any]) -> None:
    lists = [np.array(case[name]) for name in ("labels", "judge_labelled", "judge_unlabelled")]
    bounds = {"pass_fail": (0.0, 1.0), "scores": (1.0, 10.0), "difference": (-1.0, 1.0)}[case["kind"]]
    for method, tolerance in (("ppi", 1e-9), ("ppi_plus_plus", 2e-3 * (bounds[1] - bounds[0]))):
        found = corrected(Predicted(*lists, bounds), Request(method=method))
        assert _all(found) == pytest.approx(case[method], abs=tolerance)
    Y, Y_hat, F = lists
    n, N = len(Y), len(F)
    lam = found.extra["lambda"] * (n - 1) / n * (n + N - 1) / (n + N)  # with its divisors of λ
    point = np.mean(Y) + lam * (np.mean(F) - np.mean(Y_hat))
    ends = stats.norm.interval(0.95, point, math.sqrt(np.var(Y - lam * Y_hat) / n + lam**2 * np.var(F) / N))
    assert [point, *ends] == pytest.approx(case["ppi_plus_plus"], abs=1e-9)


@st.composite
def screenings(draw: st.DrawFn) -> tuple[int, int, int, int, int, int]:
    """Passed, of n; right ones passed, of n_pos; wrong ones failed, of n_neg: a judge better than chance."""
    n, n_pos, n_neg = (draw(st.integers(20, 300)) for _ in range(3))
    return (
        draw(st.integers(0, n)),
        n,
        draw(st.integers(math.ceil(0.8 * n_pos), n_pos)),
        n_pos,
        draw(st.integers(math.ceil(0.8 * n_neg), n_neg)),
        n_neg,
    )


@given(screenings())
def test_lang_reiczigel_by_imaginary_items(counts: tuple[int, ...]) -> None:
    """The delta form of the table with z²/2 items of either kind and one label of either kind added."""
    k, n, a, n_pos, b, n_neg = counts
    found = es.rogan_gladen(k, n, a / n_pos, b / n_neg, n_pos=n_pos, n_neg=n_neg)
    z = stats.norm.ppf(0.975)
    p, Se, Sp = (k + z**2 / 2) / (n + z**2), (a + 1) / (n_pos + 2), (b + 1) / (n_neg + 2)
    theta = (p + Sp - 1) / (Se + Sp - 1)
    gradient = np.array([1, -theta, 1 - theta]) / (Se + Sp - 1)
    variances = np.array([p * (1 - p) / (n + z**2), Se * (1 - Se) / (n_pos + 2), Sp * (1 - Sp) / (n_neg + 2)])
    moved = 2 * z**2 * (theta * variances[1] - (1 - theta) * variances[2])
    half = z * math.sqrt(gradient**2 @ variances)
    raw = [theta + moved - half, theta + moved + half]
    assert found.extra["unclipped"][1:] == pytest.approx(raw, abs=1e-12)
    point = found.point
    assert 0 <= found.ci_low <= point <= found.ci_high <= 1
    assert found.ci_low == pytest.approx(min(max(raw[0], 0), point), abs=1e-12)
    assert found.ci_high == pytest.approx(max(min(raw[1], 1), point), abs=1e-12)


@given(screenings(), st.sampled_from([None, "rogan_gladen_delta"]))
def test_calling_right_wrong_mirrors_the_corrected_rate(counts: tuple[int, ...], method: str | None) -> None:
    k, n, a, n_pos, b, n_neg = counts
    one = es.rogan_gladen(k, n, a / n_pos, b / n_neg, n_pos=n_pos, n_neg=n_neg, method=method)
    other = es.rogan_gladen(n - k, n, b / n_neg, a / n_pos, n_pos=n_neg, n_neg=n_pos, method=method)
    assert _all(one) == pytest.approx([1 - other.point, 1 - other.ci_high, 1 - other.ci_low], abs=1e-9)


@given(st.integers(0, 200), st.sampled_from([0.9, 0.95, 0.99]))
def test_a_judge_that_never_errs_changes_nothing(k: int, level: float) -> None:
    plain, found = es.proportion(k, 200, level=level), es.rogan_gladen(k, 200, 1, 1, level=level)
    assert _all(found) == pytest.approx(_all(plain), abs=1e-12)
    assert codes(found.extra["caveats"]) == []


def test_a_point_outside_the_scale_is_moved_and_said() -> None:
    found = es.rogan_gladen(0, 10, 0.95, 0.9)
    assert found.point == 0.0
    assert found.extra["unclipped"][0] == pytest.approx(-0.1 / 0.85)
    assert codes(found.extra["caveats"]) == ["point_clipped"]
    assert "−11.8 %" in found.extra["caveats"][0]["text"].replace("-", "−")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((60, 200, 0.6, 0.4), "no better than chance (Se + Sp − 1 = 0)"),
        ((60, 200, 0.2, 0.3), "turned round?"),
        ((60, 200, 1.2, 0.9), "sensitivity=1.2 must be a fraction"),
        ((201, 200, 0.9, 0.9), "pos=201 is more than n=200"),
    ],
)
def test_what_cannot_be_corrected_is_refused(given: tuple[Any, ...], said: str) -> None:
    with pytest.raises((MethodError, InputError)) as refused:
        es.rogan_gladen(*given)
    assert said in str(refused.value)


def test_a_judge_that_may_be_no_better_than_chance_is_not_identifiable() -> None:
    with pytest.raises(MethodError, match=r"0.3, -0.12 to 0.60.*not identifiable"):
        es.rogan_gladen(60, 200, 0.7, 0.6, n_pos=10, n_neg=10)
    assert es.rogan_gladen(60, 200, 0.7, 0.6, n_pos=100, n_neg=100).method == "lang_reiczigel"
    with pytest.raises(InputError, match="both n_pos and n_neg"):
        es.rogan_gladen(60, 200, 0.7, 0.6, n_pos=100)
    with pytest.raises(MethodError, match="lang_reiczigel, rogan_gladen_delta"):
        es.rogan_gladen(60, 200, 0.7, 0.6, n_pos=100, n_neg=100, method="wilson")
    with pytest.raises(NoGuaranteeError):
        corrected_rate(Screening(0.3, 200, 0.9, 0.9), Request(guarantee=True))


scores = st.sampled_from([0.0, 0.25, 0.5, 1.0])


@given(
    st.lists(st.tuples(scores, scores), min_size=2, max_size=30), st.lists(scores, min_size=1, max_size=60)
)
def test_ppi_by_numpy(both: list[tuple[float, float]], rest: list[float]) -> None:
    (Y, Y_hat), F = np.array(both).T, np.array(rest)
    n, N = len(Y), len(F)
    spread = np.var(np.concatenate([Y_hat, F]))
    tuned_lam = 0.0 if spread < 1e-15 else np.clip(np.cov(Y, Y_hat)[0, 1] / ((1 + n / N) * spread), 0, 1)
    for method, lam in (("ppi", 1.0), ("ppi_plus_plus", tuned_lam)):
        found = es.judge.ppi_mean(Y, Y_hat, F, bounds=(0, 1), method=method)
        point = np.mean(Y) + lam * (np.mean(F) - np.mean(Y_hat))
        se = math.sqrt(np.var(Y - lam * Y_hat) / n + lam**2 * np.var(F) / N)
        assert found.extra["lambda"] == pytest.approx(lam, abs=1e-12)
        assert found.point == pytest.approx(np.clip(point, 0, 1), abs=1e-12)
        if se < 1e-9:
            assert math.isnan(found.ci_low)
            assert "nothing varies" in found.extra["undefined"]["ci_low"]
            continue
        low, high = stats.norm.interval(0.95, point, se)
        assert found.ci_low == pytest.approx(min(max(low, 0), found.point), abs=1e-12)
        assert found.ci_high == pytest.approx(max(min(high, 1), found.point), abs=1e-12)
        assert found.standard_error == pytest.approx(se, abs=1e-12)
        assert found.extra["worth_labels"] == pytest.approx(np.var(Y) / se**2, abs=1e-9)


@given(
    st.lists(st.tuples(*[scores] * 4), min_size=2, max_size=20),
    st.lists(st.tuples(scores, scores), min_size=1),
)
def test_swapping_the_runs_mirrors_a_corrected_difference(
    labelled: list[tuple[float, ...]], rest: list[tuple[float, float]]
) -> None:
    old_label, new_label, old_judge, new_judge = np.array(labelled).T
    old_rest, new_rest = np.array(rest).T
    one = es.judge.ppi_difference(
        (old_label, new_label), (old_judge, new_judge), (old_rest, new_rest), bounds=(0, 1)
    )
    other = es.judge.ppi_difference(
        (new_label, old_label), (new_judge, old_judge), (new_rest, old_rest), bounds=(0, 1)
    )
    assert _all(one) == pytest.approx([-other.point, -other.ci_high, -other.ci_low], abs=1e-12, nan_ok=True)
    alone = es.judge.ppi_mean(
        new_label - old_label, new_judge - old_judge, new_rest - old_rest, bounds=(-1, 1)
    )
    assert _all(one) == pytest.approx(_all(alone), abs=1e-12, nan_ok=True)


def test_a_judge_that_tells_nothing_leaves_the_labels_alone() -> None:
    labels = [1, 0, 1, 1, 0, 1]
    found = es.judge.ppi_mean(labels, [1] * 6, [1] * 50)
    assert found.extra["lambda"] == 0
    assert found.point == pytest.approx(4 / 6)
    assert found.extra["worth_labels"] == pytest.approx(6)


def test_few_disagreements_are_said_and_twenty_are_not() -> None:
    for differing, said in ((19, ["few_disagreements"]), (20, [])):
        labels = [1] * 60 + [0] * 40
        judge = [0] * differing + labels[differing:]
        assert codes(es.judge.ppi_mean(labels, judge, judge * 3).extra["caveats"]) == said


def test_few_labels_of_a_kind_are_said_and_ten_are_not() -> None:
    for wrong, said in ((3, ["few_disagreements"]), (9, ["few_disagreements"]), (10, [])):
        labels = [1] * (100 - wrong) + [0] * wrong
        judge = [0] * 25 + [1] * (75 - wrong) + [0] * wrong
        found = es.judge.ppi_mean(labels, judge, judge * 5)
        assert found.extra["n_disagreements"] == 25
        assert [one for one in codes(found.extra["caveats"]) if "clipped" not in one] == said
        assert all("ppi_plus_plus" not in one["text"] for one in found.extra["caveats"])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (([1], [1], [1, 0]), "one label"),
        (([1, 0], [1], [1, 0]), "2 labels and 1 judge scores"),
        (([1, 0], [1, 0], []), "judge_unlabelled is empty"),
        (([1, None], [1, 0], [1]), r"labels\[1\] is None, which is no score"),
    ],
)
def test_what_ppi_cannot_take_is_refused(given: tuple[Any, ...], said: str) -> None:
    with pytest.raises(InputError, match=said):
        es.judge.ppi_mean(*given)


def test_runs_that_are_no_pair_are_refused() -> None:
    with pytest.raises(InputError, match="give a pair"):
        es.judge.ppi_difference([[1, 0]], ([1, 0], [1, 0]), ([1], [1]))
    with pytest.raises(PairingError, match="pair them"):
        es.judge.ppi_difference(([1, 0], [1]), ([1, 0], [1, 0]), ([1], [1]))


def _judge(rng: np.random.Generator, right: Any, Se: float, Sp: float) -> Any:
    """The verdicts of a judge with these error rates."""
    return (rng.random(right.shape) < np.where(right == 1, Se, 1 - Sp)).astype(float)


DRAWS = 1500
BAND = 4 * math.sqrt(0.95 * 0.05 / DRAWS)  # four Monte Carlo standard errors: 2.3 points


def test_a_planted_judge_is_corrected_by_ppi_plus_plus() -> None:
    """60 % are right; the judge passes 30 % of the wrong ones: alone it says 69 %, and never covers."""
    rng = np.random.default_rng(5)
    right = (rng.random((DRAWS, 1000)) < 0.6).astype(float)
    judge = _judge(rng, right, 0.95, 0.7)
    points, covered, alone, narrower = [], 0, 0, 0.0
    for labels, verdicts in zip(right, judge, strict=True):
        found = es.judge.ppi_mean(labels[:200], verdicts[:200], verdicts[200:])
        points.append(found.point)
        covered += found.ci_low <= 0.6 <= found.ci_high
        naive = es.proportion(int(verdicts.sum()), 1000)
        alone += naive.ci_low <= 0.6 <= naive.ci_high
        narrower += found.extra["worth_labels"] / 200 / DRAWS
    assert abs(covered / DRAWS - 0.95) < BAND
    assert abs(np.mean(points) - 0.6) < 4 * np.std(points) / math.sqrt(DRAWS)
    assert alone / DRAWS < 0.01
    assert narrower > 1.3


def test_a_planted_judge_is_corrected_by_rogan_gladen() -> None:
    """Error rates seen in 80 right and 80 wrong answers; Lang–Reiczigel errs on the safe side."""
    rng = np.random.default_rng(6)
    passed = rng.binomial(500, 0.6 * 0.95 + 0.4 * 0.3, DRAWS)
    Se, Sp = rng.binomial(80, 0.95, DRAWS) / 80, rng.binomial(80, 0.7, DRAWS) / 80
    covered = known = 0
    for k, a, b in zip(passed.tolist(), Se.tolist(), Sp.tolist(), strict=True):
        found = es.rogan_gladen(k, 500, a, b, n_pos=80, n_neg=80)
        covered += found.ci_low <= 0.6 <= found.ci_high
        certain = es.rogan_gladen(k, 500, 0.95, 0.7)
        known += certain.ci_low <= 0.6 <= certain.ci_high
    assert 0.95 - BAND < covered / DRAWS < 0.985
    assert abs(known / DRAWS - 0.95) < BAND


def test_a_judge_that_favours_the_candidate_is_corrected() -> None:
    """Nothing changed, but the judge passes more wrong answers of the candidate: alone it sees 9 points."""
    rng = np.random.default_rng(7)
    shape = (DRAWS, 800)
    old_right = (rng.random(shape) < 0.6).astype(float)
    new_right = np.where(rng.random(shape) < 0.8, old_right, (rng.random(shape) < 0.6).astype(float))
    old, new = _judge(rng, old_right, 0.9, 0.85), _judge(rng, new_right, 0.93, 0.66)
    covered, alone = 0, []
    for rows in zip(old_right, new_right, old, new, strict=True):
        labels, judge, rest = (
            tuple(one)
            for one in ([r[:200] for r in rows[:2]], [r[:200] for r in rows[2:]], [r[200:] for r in rows[2:]])
        )
        found = es.judge.ppi_difference(labels, judge, rest)
        covered += found.ci_low <= 0 <= found.ci_high
        alone.append(np.mean(rows[3]) - np.mean(rows[2]))
    assert abs(covered / DRAWS - 0.95) < BAND
    assert np.mean(alone) == pytest.approx(0.6 * 0.03 + 0.4 * 0.19, abs=0.01)


def test_lambda_of_a_perfect_judge_is_close_to_one() -> None:
    labels, rest = np.repeat([0.0, 1.0], 50), np.repeat([0.0, 1.0], 950)
    assert tuned(Predicted(labels, labels, rest)) == pytest.approx(100 / 99 / (1 + 100 / 1900))


@pytest.mark.parametrize("table", [KNOWN, ESTIMATED, PPI], ids=lambda table: table.situation)
def test_methods_are_printed_as_their_tables_call_them(table: MethodTable) -> None:
    assert [method_label(method.name) for method in table] == [method.label for method in table]
