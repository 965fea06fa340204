"""Several attempts: exact values of another program, enumeration of all choices, laws, what is refused."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

import evalstats as es
from evalstats.errors import InputError, MethodError, PairingError
from evalstats.methods.items import Request
from evalstats.subjects import passk
from tests.made_runs import codes, texts
from tests.mission.expected import seed
from tests.reference import FOLDER, cases

OURS = {"passk.problem", "passk.benchmark", "majk.problem"}
BY_NAME = {"pass_at_k": passk.pass_at_k, "pass_hat_k": passk.pass_hat_k, "avg": passk.avg_at_k}


def test_every_call_of_the_reference_file_is_mapped() -> None:
    calls = {case["call"] for case in json.loads((FOLDER / "passk.json").read_text(encoding="utf-8"))}
    assert calls == OURS


@pytest.mark.parametrize("case", cases("passk", "passk.problem"))
def test_one_problem_equals_exact_rational_arithmetic(case: dict[str, Any]) -> None:
    found = {name: function(**case["input"]) for name, function in BY_NAME.items()}
    assert found == pytest.approx(case["expected"], abs=case["tolerance"])


@pytest.mark.parametrize("case", cases("passk", "passk.benchmark"))
def test_a_benchmark_is_the_mean_over_problems_with_their_standard_error(case: dict[str, Any]) -> None:
    counts, k = case["input"]["problems"], case["input"]["k"]
    (found,) = passk.benchmark([p["n"] for p in counts], [p["c"] for p in counts], k, ["pass_at_k"])
    assert found.point == pytest.approx(case["expected"]["pass_at_k"], abs=case["tolerance"])
    assert found.standard_error == pytest.approx(case["expected"]["se"], abs=case["tolerance"])


@pytest.mark.parametrize("case", cases("passk", "majk.problem"))
def test_a_majority_equals_the_enumeration_of_another_program(case: dict[str, Any]) -> None:
    found = passk.maj_at_k(**case["input"])
    assert found == pytest.approx(case["expected"]["maj_at_k"], abs=case["tolerance"])


def test_the_numbers_of_the_source() -> None:
    assert es.pass_at_k(20, 3, 1) == seed("passk_20_3_1")
    assert es.pass_at_k(20, 3, 5) == seed("passk_20_3_5")


@st.composite
def attempts(draw: st.DrawFn) -> tuple[int, int, int]:
    n = draw(st.integers(1, 9))
    return n, draw(st.integers(0, n)), draw(st.integers(1, n))


@given(attempts())
def test_one_problem_by_enumeration_of_all_choices(counts: tuple[int, int, int]) -> None:
    n, c, k = counts
    choices = list(itertools.combinations([1] * c + [0] * (n - c), k))
    exact = {
        "pass_at_k": Fraction(sum(any(one) for one in choices), len(choices)),
        "pass_hat_k": Fraction(sum(all(one) for one in choices), len(choices)),
        "avg": Fraction(sum(map(sum, choices)), k * len(choices)),
    }
    for name, function in BY_NAME.items():
        assert function(n, c, k) == float(exact[name])  # the nearest double


@given(st.lists(st.sampled_from("ABCD"), min_size=1, max_size=8), st.data())
def test_a_majority_by_enumeration_of_all_choices(answers: list[str], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(answers)))
    right = data.draw(st.sets(st.sampled_from("ABCD"), max_size=3))
    total = Fraction(0)
    choices = list(itertools.combinations(answers, k))
    for one in choices:
        most = max(map(one.count, one))
        commonest = {answer for answer in one if one.count(answer) == most}
        total += Fraction(len(commonest & right), len(commonest))
    assert passk.maj_at_k(answers, right, k) == pytest.approx(float(total / len(choices)), abs=1e-15)


@given(n=st.integers(1, 400), data=st.data())
def test_any_rises_and_all_falls_in_k_and_both_begin_at_the_mean(n: int, data: st.DataObject) -> None:
    c = data.draw(st.integers(0, n))
    ks = sorted(data.draw(st.sets(st.integers(1, n), min_size=1, max_size=6)) | {1})
    any_of, all_of = ([f(n, c, k) for k in ks] for f in (passk.pass_at_k, passk.pass_hat_k))
    assert any_of == sorted(any_of)
    assert all_of == sorted(all_of, reverse=True)
    assert any_of[0] == all_of[0] == c / n
    assert all(low <= c / n <= high for low, high in zip(all_of, any_of, strict=True))


def test_thousands_of_attempts_keep_every_digit() -> None:
    n, c, k = 10_000, 3, 4000
    assert passk.pass_at_k(n, c, k) == pytest.approx(1 - stats.hypergeom.pmf(0, n, c, k), rel=1e-12)
    assert passk.pass_hat_k(n, 9000, 50) == pytest.approx(
        math.exp(stats.hypergeom.logpmf(50, n, 9000, 50)), rel=1e-9
    )


@given(st.lists(st.integers(0, 12), min_size=2, max_size=60))
def test_pass_at_one_is_the_score_of_the_run(right: list[int]) -> None:
    (found,) = passk.benchmark(12, right, 1, ["pass_at_k"])
    rows = np.concatenate([np.arange(12) < c for c in right])
    score = es.mean(rows, item=np.repeat(np.arange(len(right)), 12))
    assert (found.point, found.ci_low, found.ci_high) == (score.point, score.ci_low, score.ci_high)
    assert found.point == pytest.approx(np.mean(right) / 12, abs=1e-15)


@given(st.lists(st.tuples(st.integers(5, 9), st.integers(0, 5)), min_size=2, max_size=30))
def test_order_does_not_matter_and_the_interval_holds_the_point(pairs: list[tuple[int, int]]) -> None:
    n, c = zip(*pairs, strict=True)
    forward, backward = passk.benchmark(n, c, (1, 3, 5)), passk.benchmark(n[::-1], c[::-1], (1, 3, 5))
    for one, two in zip(forward, backward, strict=True):
        assert (one.point, one.ci_low, one.ci_high) == (two.point, two.ci_low, two.ci_high)
        assert 0 <= one.ci_low <= one.point <= one.ci_high <= 1
    points = [one.point for one in forward]
    assert points[:3] == sorted(points[:3])
    assert points[3:] == sorted(points[3:], reverse=True)


def test_names_tell_any_of_k_from_all_of_k() -> None:
    names = [found.name for found in passk.benchmark(4, [1, 3], 4, list(passk.MEASURES)[:3])]
    assert names == ["pass@4 (any of 4)", "pass^4 (all of 4)", "avg@4 (mean of 4)"]


@pytest.mark.parametrize(
    ("options", "method"),
    [({}, "wilson_effective"), ({"guarantee": True}, "betting_mixture"), ({"method": "t"}, "t")],
)
def test_intervals_are_over_problems(options: dict[str, Any], method: str) -> None:
    right = [c % 11 for c in range(60)]
    found = passk.benchmark(10, right, (2, 5), **options)
    assert {one.method for one in found} == {method}
    t = passk.benchmark(10, right, 2, ["pass_at_k"], method="t")[0]
    y = [passk.pass_at_k(10, c, 2) for c in right]
    half = stats.t.ppf(0.975, 59) * np.std(y, ddof=1) / math.sqrt(60)
    assert (t.ci_low, t.ci_high) == pytest.approx((np.mean(y) - half, np.mean(y) + half), abs=1e-12)


def test_problems_of_one_source_are_a_cluster() -> None:
    right = [0, 0, 9, 9, 1, 1, 10, 10]
    plain, clustered = (
        passk.benchmark(10, right, 3, ["pass_at_k"], cluster=labels)[0] for labels in (None, list("aabbccdd"))
    )
    assert clustered.method == "korn_graubard_cr2"
    assert clustered.extra["n_clusters"] == 4
    assert clustered.point == plain.point
    assert clustered.standard_error > plain.standard_error


def test_few_problems_are_said_but_not_beside_a_proof() -> None:
    for count, said in ((49, True), (50, False)):
        found = passk.benchmark(10, np.arange(count) % 11, 5)
        assert all(("few_problems" in codes(one.extra["caveats"])) is said for one in found)
    proved = passk.benchmark(10, [1, 5, 9], 5, guarantee=True)
    assert not any("few_problems" in codes(one.extra["caveats"]) for one in proved)


def difference(baseline: Any, candidate: Any, k: int = 3, **options: Any) -> Any:
    measure = passk.MEASURES["pass_at_k"]
    values = tuple(passk.problems(10, run).values(measure, k) for run in (baseline, candidate))
    return passk.difference_of(values, None, measure, k, Request(**options))


@given(st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=3, max_size=40))
def test_the_difference_of_two_runs_is_the_paired_t_and_mirrors(pairs: list[tuple[int, int]]) -> None:
    old, new = zip(*pairs, strict=True)
    values = [[passk.pass_at_k(10, c, 3) for c in run] for run in (new, old)]
    assume(np.ptp(np.subtract(*values)) > 1e-9)  # equal differences have no t
    (forward, test), (backward, _) = difference(old, new), difference(new, old)
    assert (forward.point, forward.ci_low, forward.ci_high) == (
        -backward.point,
        -backward.ci_high,
        -backward.ci_low,
    )
    oracle = stats.ttest_rel(*values)
    limits = oracle.confidence_interval(0.95)
    assert test.pvalue == pytest.approx(oracle.pvalue, rel=1e-9)
    assert forward.method == test.method == "paired_t"
    assert forward.ci_low == pytest.approx(max(limits.low, -1), abs=1e-12)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: passk.pass_at_k(5, 6, 1), "c=6 is more than n=5"),
        (lambda: passk.pass_at_k(5, 1, 0), "k=0"),
        (lambda: passk.pass_at_k(0, 0, 1), "n=0"),
        (lambda: passk.pass_at_k(5, 0.5, 1), "c=0.5 is no count"),
        (lambda: passk.pass_hat_k(5, 1, 6), "k=6 is not estimable from 5 attempts"),
        (lambda: passk.maj_at_k([], "A", 1), "the number of answers=0"),
        (lambda: passk.maj_at_k(["A", None], "A", 1), r"answers\[1\] is missing"),
        (lambda: passk.maj_at_k(["A"], "A", 2), "k=2 is not estimable from 1 attempt "),
        (lambda: passk.benchmark(5, [1, 7], 1), r"c\[1\]=7 is more than n\[1\]=5"),
        (lambda: passk.benchmark(5, [1, math.nan], 1), r"c\[1\] is nan"),
        (lambda: passk.benchmark(5, [], 1), "shape"),
        (lambda: passk.benchmark(5, ["x"], 1), "whole number"),
        (lambda: passk.benchmark([5, 5, 5], [1, 1], 1), "n has 3 problems and c 2"),
        (lambda: passk.benchmark(0, [0, 0], 1), "no problem has an attempt"),
        (lambda: passk.benchmark(5, [1, 2], []), "no k was given"),
        (lambda: passk.benchmark(5, [1, 2], 0), "k is 0"),
        (lambda: passk.benchmark(5, [1, 2], 2, ["pass_k"]), r"pass_at_k \(pass@k, any of k\), pass_hat_k"),
        (lambda: passk.benchmark(5, [1, 2], 2, ["maj_at_k"]), "needs the answers themselves"),
    ],
)
def test_what_cannot_be_is_refused(call: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        call()


@pytest.mark.parametrize("name", ["plug_in", "naive"])
def test_one_minus_one_minus_p_to_the_k_is_refused_with_its_reason(name: str) -> None:
    with pytest.raises(MethodError, match=r"1 − \(1 − p\)\^k .* not equally hard"):
        passk.benchmark(20, [3, 0, 20, 10], 5, method=name)
    values = (np.zeros(3), np.ones(3))
    with pytest.raises(MethodError, match="unbiased estimator"):
        passk.difference_of(values, None, passk.MEASURES["pass_at_k"], 2, Request(method=name))


def test_case_passk_k_gt_n() -> None:
    with pytest.raises(InputError, match="not estimable"):
        passk.pass_at_k(2, 0, 5)
    (found,) = passk.benchmark([2, 2], [0, 1], 5, ["pass_at_k"])
    assert math.isnan(found.point)
    assert "no problem has 5 attempts (the most is 2 attempts)" in found.extra["undefined"]["point"]


def test_case_passk_ragged() -> None:
    found = {one.name: one for one in passk.benchmark([10, 10, 4], [1, 0, 4], (1, 5))}
    assert found["pass@1 (any of 1)"].point == pytest.approx(0.05, abs=1e-15)
    assert found["pass@5 (any of 5)"].point == pytest.approx(0.25, abs=1e-15)
    assert {one.n for one in found.values()} == {2}
    for one in found.values():
        said = texts(one.extra["caveats"], "ragged_attempts")
        assert said.startswith("2 of 3 problems have 5 attempts or more")
        assert said.endswith("left out: problem 2")


def test_case_passk_single_sample() -> None:
    one, ten = passk.benchmark(1, [1] * 50 + [0] * 114, (1, 10), ["pass_at_k"])
    assert one.point == pytest.approx(0.304878, abs=1e-6)
    assert (one.ci_low, one.ci_high) == pytest.approx((0.239556, 0.379132), abs=1e-6)
    assert math.isnan(ten.point)
    assert "1 − (1 − p)^k" in ten.extra["undefined"]["point"]


def test_case_passk_truthiness() -> None:
    assert passk.pass_at_k(200, 1, 1) == 0.005


def test_case_passhat_k() -> None:
    assert passk.pass_hat_k(4, 3, 2) == 0.5
    assert passk.pass_hat_k(4, 3, 4) == 0.0
    assert passk.pass_at_k(4, 3, 2) == 1.0


def test_case_passk_vs_passhat_name() -> None:
    found = {one.name: one.point for one in passk.benchmark([4, 4], [3, 3], 4)}
    assert found == {"pass@4 (any of 4)": 1.0, "pass^4 (all of 4)": 0.0}


def test_clusters_with_different_labels_in_length_are_refused() -> None:
    with pytest.raises((InputError, PairingError), match="labels"):
        passk.benchmark(5, [1, 2, 3], 2, cluster=["a", "b"])
