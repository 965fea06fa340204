"""Rows 17 and 18 of the mission: how many items, and several attempts; each one command and one call."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import pytest
from scipy import stats

import evalstats as es
from evalstats.report.passk_text import attempts_text
from tests.made_runs import LOGS, command, refused
from tests.mission.expected import seed


def _needs(result: dict[str, Any]) -> dict[str, Any]:
    (line,) = result["lines"]
    return {need["method"]: need for need in line["needs"]}


def test_row_17_the_smallest_difference_is_about_2_8_standard_errors():
    factor = es.power.mde_from_standard_error(1.0)
    assert factor == seed("mde_factor") == pytest.approx(stats.norm.ppf(0.975) + stats.norm.ppf(0.8))
    assert es.mde_paired(4000, 0.2) == pytest.approx(factor * math.sqrt(0.2 / 4000), rel=1e-3)


def test_row_17_paired_about_4000_and_unpaired_about_8000_for_each_run(capsys):
    flags = ("--rate", "0.7", "--discordant-rate", "0.2", "--effect", "2")
    printed = command(capsys, "size", *flags)
    called = es.size(rate=0.7, discordant_rate=0.2, effect=0.02)
    assert _needs(printed)["mcnemar_normal"]["n"] == called.n == 3923
    factors = (2.8, es.power.mde_from_standard_error(1.0))
    assert [(factor / 0.02) ** 2 * 0.2 for factor in factors] == seed("n_paired_r20")
    assert called.n == pytest.approx((factors[1] / 0.02) ** 2 * 0.2, rel=1e-3)
    assert [(factor / 0.02) ** 2 * 2 * 0.7 * 0.3 for factor in factors] == seed("n_unpaired_70")
    assert printed["unpaired"]["n"] == called.unpaired.n == 8080
    apart = command(capsys, "size", "--unpaired", "--rate", "0.7", "--effect", "2")
    assert _needs(apart)["normal"]["n"] == 8080
    assert "8,080 items in each run" in str(es.size(paired=False, rate=0.7, effect=0.02))


@pytest.mark.parametrize(("points", "n", "reached"), [(10, 194, 0.773), (8, 305, 0.775), (5, 783, 0.783)])
def test_row_17_the_normal_formula_and_what_the_exact_test_reaches(capsys, points, n, reached):
    printed = _needs(command(capsys, "size", "--discordant-rate", "0.25", "--effect", points))
    called = es.size(discordant_rate=0.25, effect=points / 100)
    normal = printed["mcnemar_normal"]
    assert normal["n"] == called.n == es.required_n_mcnemar(points / 100, 0.25) == n
    assert normal["reached"] == called.needs[0].reached == es.power.mcnemar_power(n, 0.25, points / 100)
    assert normal["reached"] == pytest.approx(reached, abs=5e-4)
    assert f"{n} items, by the normal formula; McNemar's exact test has {100 * reached:.1f} %" in str(called)
    assert printed["mcnemar_exact"]["n"] > n
    assert printed["mcnemar_exact"]["reached"] >= 0.8


def test_row_17_what_a_suite_can_decide_before_it_runs(capsys):
    flags = ("--items", "500", "--discordant-rate", "0.19", "--margin", "1")
    printed = command(capsys, "size", *flags)
    (line,) = printed["lines"]
    assert line["gate"]["pass_unchanged"] == pytest.approx(0.07, abs=0.005)
    assert line["decides"]["mde"] == pytest.approx(0.0545, abs=5e-5)
    assert "an unchanged candidate passes in 7.4 % of cases" in " ".join(
        str(es.size(items=500, discordant_rate=0.19, margin=0.01)).split()
    )


def test_row_17_clusters_take_the_design_effect_more(capsys):
    flags = (
        "--discordant-rate",
        "0.25",
        "--effect",
        "5",
        "--icc",
        "0.2",
        "--cluster-size",
        "5",
        "--cost",
        "0.05",
    )
    need = _needs(command(capsys, "size", *flags))["mcnemar_normal"]
    assert (need["n"], need["n_clusters"]) == (1410, 282)
    assert need["cost"] == pytest.approx(70.5)


def test_row_17_from_a_pilot_log(capsys):
    runs = [str(LOGS / "lm_eval" / f"model-{one}") for one in "ab"]
    printed = command(capsys, "size", "--pilot", *runs, "--task", "colors_law", "--effect", "5")
    assert printed["assumed"]["discordant_rate"] == pytest.approx(20 / 60)
    assert _needs(printed)["mcnemar_normal"]["n"] == es.required_n_mcnemar(0.05, 20 / 60)


def test_row_18_one_problem(capsys):
    printed = command(capsys, "passk", "--counts", "3/20", "--k", "1,5")
    (table,) = printed["benchmarks"]
    found = {row["name"]: row["estimates"][0]["point"] for row in table["rows"]}
    assert found["pass@1 (any of 1)"] == es.pass_at_k(20, 3, 1) == seed("passk_20_3_1")
    assert found["pass@5 (any of 5)"] == es.pass_at_k(20, 3, 5) == seed("passk_20_3_5")
    assert round(found["pass@5 (any of 5)"], 2) == 0.60
    assert found["pass^5 (all of 5)"] == es.pass_hat_k(20, 3, 5) == 0.0
    choices = [any(one) for one in itertools.combinations([1] * 3 + [0] * 17, 5)]
    assert found["pass@5 (any of 5)"] == float(Fraction(sum(choices), len(choices)))


def test_row_18_a_benchmark_is_the_mean_over_its_problems_with_an_interval(capsys):
    path = LOGS / "human_eval" / "model-a_samples.jsonl_results.jsonl"
    (table,) = command(capsys, "passk", path, "--k", "1,5")["benchmarks"]
    (row,) = [row for row in table["rows"] if row["name"] == "pass@5 (any of 5)"]
    called = es.attempts(path, k=(1, 5)).only["pass@5"].shown
    estimate = row["estimates"][0]
    assert (estimate["point"], estimate["ci_low"], estimate["ci_high"]) == (
        called.point,
        called.ci_low,
        called.ci_high,
    )
    assert estimate["method"] == "wilson_effective"
    assert called.point == pytest.approx(0.9302579365079365, abs=1e-12)


def test_row_18_never_1_minus_1_minus_p_to_the_k(capsys):
    said = refused(capsys, "passk", "50/164", "--k", "10", "--method", "plug_in")
    assert "1 − (1 − p)^k of a benchmark's rate is no pass@k" in said
    table = es.attempts("50/164", k=(1, 10)).only
    assert math.isnan(table["pass@10"].shown.point)
    assert table["pass@1"].shown.point == 50 / 164


def test_row_18_avg_maj_and_pass_hat_are_other_questions(capsys):
    flags = ("--measure", "pass@k,pass^k,avg@k", "--k", "4")
    (table,) = command(capsys, "passk", "--counts", "3/4,1/4", *flags)["benchmarks"]
    assert {row["name"]: row["estimates"][0]["point"] for row in table["rows"]} == {
        "pass@4 (any of 4)": 1.0,
        "pass^4 (all of 4)": 0.0,
        "avg@4 (mean of 4)": 0.5,
    }
    assert es.passk.maj_at_k(["A", "A", "B", "B", "C"], "A", 3) == pytest.approx(13 / 30)
    text = attempts_text(es.attempts(counts=[(3, 4), (1, 4)], k=4))
    assert "pass@4 (any of 4)" in text
    assert "pass^4 (all of 4)" in text
