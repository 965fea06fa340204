"""The verdict, one test a boundary, and the p-values of non-inferiority and equivalence."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evalstats.errors import InputError, MethodError
from evalstats.methods.margins import (
    equivalence_pvalue,
    least_discordant_units,
    noninferiority_pvalue,
    verdict,
)
from evalstats.methods.mcnemar import mcnemar_counts
from evalstats.methods.paired import paired_proportions
from evalstats.methods.unpaired import unpaired_proportions
from evalstats.results import Estimate
from tests.reference import cases


def interval(low: float, high: float, *, level: float = 0.95, **extra: Any) -> Estimate:
    return Estimate("difference", (low + high) / 2, low, high, level, "tango", 500, extra=extra)


@pytest.mark.parametrize("came", [None, 0.03, mcnemar_counts(40, 55, 500)])
def test_a_verdict_of_no_estimate_says_what_to_give(came: Any) -> None:
    with pytest.raises(InputError, match=rf"not from a {type(came).__name__}: give what paired_proportions"):
        verdict(came)


limits = st.tuples(st.floats(-1, 1), st.floats(-1, 1)).map(sorted)


@pytest.mark.parametrize(
    ("low", "high", "direction"),
    [
        (0.001, 0.05, "improved"),
        (0.0, 0.05, "not_settled"),
        (-0.05, 0.0, "not_settled"),
        (-0.05, -0.001, "regressed"),
        (-0.01, 0.01, "not_settled"),
    ],
)
def test_direction_needs_zero_outside_the_interval(low: float, high: float, direction: str) -> None:
    found = verdict(interval(low, high))
    assert (found.direction, found.verdict, found.margin_verdict) == (direction, direction, None)
    assert (found.above_zero, found.below_zero) == (low > 0, high < 0)
    assert (found.inside_margin, found.above_minus_margin) == (None, None)


@pytest.mark.parametrize(
    ("low", "high", "margin_verdict", "joined"),
    [
        (-0.009, 0.009, "equivalent", "equivalent"),
        (-0.010, 0.009, "not_shown", "not_settled"),  # −M itself is not above −M
        (-0.009, 0.010, "not_worse", "not_worse"),  # +M itself is not below M
        (0.001, 0.009, "equivalent", "equivalent"),  # improved, but by less than the margin
        (0.001, 0.020, "not_worse", "improved"),
        (-0.009, -0.001, "equivalent", "regressed_within_margin"),
        (-0.020, -0.001, "not_shown", "regressed"),
        (-0.020, -0.010, "not_shown", "regressed"),
        (-0.020, -0.011, "worse_than_margin", "worse_than_margin"),
        (-0.020, 0.020, "not_shown", "not_settled"),
    ],
)
def test_margin_verdict_and_how_it_joins_the_direction(
    low: float, high: float, margin_verdict: str, joined: str
) -> None:
    found = verdict(interval(low, high), margin=0.01)
    assert (found.margin_verdict, found.verdict) == (margin_verdict, joined)
    assert found.above_minus_margin is (low > -0.01)
    assert found.inside_margin is (low > -0.01 and high < 0.01)


@given(ends=limits, margin=st.floats(0.001, 0.5))
def test_less_is_better_mirrors_the_words_and_not_the_booleans(ends: list[float], margin: float) -> None:
    low, high = ends
    plain = verdict(interval(-high, -low), margin)
    mirrored = verdict(interval(low, high), margin, higher_is_better=False)
    assert (mirrored.direction, mirrored.margin_verdict, mirrored.verdict) == (
        plain.direction,
        plain.margin_verdict,
        plain.verdict,
    )
    assert (mirrored.above_zero, mirrored.below_zero) == (low > 0, high < 0)
    assert mirrored.above_minus_margin is (low > -margin)


@pytest.mark.parametrize(
    ("level", "least"), [(0.5, 2), (0.75, 3), (0.875, 4), (0.90, 5), (0.95, 6), (0.99, 8)]
)
def test_direction_needs_units_enough_for_an_exact_test(level: float, least: int) -> None:
    assert least_discordant_units(level) == least
    assert (
        stats.binomtest(0, least).pvalue <= (1 - level) * (1 + 1e-12) < stats.binomtest(0, least - 1).pvalue
    )
    enough = verdict(interval(0.01, 0.05, level=level, n_discordant_units=least))
    short = verdict(interval(0.01, 0.05, level=level, n_discordant_units=least - 1))
    assert (enough.direction, short.direction) == ("improved", "not_settled")
    assert short.above_zero  # of the interval as printed


def test_in_a_family_only_a_lit_row_has_a_direction() -> None:
    row = interval(-0.05, -0.02)
    assert verdict(row, reject=True).direction == "regressed"
    assert verdict(row, reject=False).direction == "not_settled"
    assert verdict(interval(-0.05, 0.02), reject=True).direction == "not_settled"
    alone = verdict(row, margin=0.01, reject=False)  # the margin is each row's own
    assert (alone.margin_verdict, alone.verdict) == ("worse_than_margin", "worse_than_margin")


def test_with_a_guarantee_the_exact_p_must_reach_alpha_too() -> None:
    row = interval(0.01, 0.05)
    assert verdict(row, exact_pvalue=0.05).direction == "improved"
    assert verdict(row, exact_pvalue=0.0501).direction == "not_settled"
    assert verdict(row, exact_pvalue=math.nan).direction == "not_settled"


def test_unknown_limits_settle_nothing() -> None:
    found = verdict(interval(math.nan, math.nan), margin=0.01)
    assert (found.direction, found.margin_verdict, found.verdict) == (
        "not_settled",
        "not_shown",
        "not_settled",
    )
    said = (found.above_zero, found.below_zero, found.inside_margin, found.above_minus_margin)
    assert said == (False,) * 4


@pytest.mark.parametrize("n", [1, 5, 30, 500, 5000])
def test_a_run_against_itself_is_not_settled(n: int) -> None:
    assert verdict(paired_proportions(0, 0, n)).verdict == "not_settled"


def test_the_example_of_forty_and_fifty_five_at_three_margins() -> None:
    row = paired_proportions(40, 55, 500)
    found = [verdict(row, margin).verdict for margin in (0.005, 0.01, 0.07)]
    assert found == ["not_settled", "not_worse", "equivalent"]


@pytest.mark.parametrize("margin", [0, -0.01, math.nan, math.inf, "1", True])
def test_what_is_no_margin_is_refused(margin: Any) -> None:
    with pytest.raises(InputError, match=r"margin=.* must be above 0"):
        verdict(interval(0.01, 0.05), margin)


def test_a_margin_of_one_asks_whether_a_point_was_meant() -> None:
    with pytest.raises(InputError, match=r"Did you mean 0\.01\?"):
        verdict(paired_proportions(40, 55, 500), margin=1)
    with pytest.raises(InputError, match=r"Did you mean 0\.02\?"):
        verdict(interval(-0.1, 0.1, unit="score", bounds=[0.0, 1.0]), margin=2)
    judge = interval(-0.5, 0.1, unit="score", bounds=[1.0, 10.0])
    assert verdict(judge, margin=1).margin_verdict == "equivalent"


def test_wald_is_refused_against_a_margin_and_fine_without() -> None:
    for row in (
        paired_proportions(40, 55, 500, method="wald"),
        unpaired_proportions(360, 500, 375, 500, method="wald"),
    ):
        assert verdict(row).verdict == "not_settled"
        with pytest.raises(MethodError, match="not used against a margin"):
            verdict(row, margin=0.01)


@pytest.mark.parametrize("case", cases("online_and_bias", "equivalence.paired_proportions"))
def test_noninferiority_and_equivalence_equal_the_score_tests(case: dict[str, Any]) -> None:
    """Of the case's Wald figures only the interval is ours: Wald is refused against a margin."""
    both, a_only, b_only, neither = (case["input"][key] for key in ("both", "a_only", "b_only", "neither"))
    n, margin = both + a_only + b_only + neither, case["input"]["margin"]
    expected, tolerance = case["expected"], case["tolerance"]
    found = noninferiority_pvalue(b_only, a_only, n, margin)  # a is the candidate
    assert found == pytest.approx(expected["ni_score_p"], abs=tolerance)
    assert stats.norm.isf(found) == pytest.approx(expected["ni_score_z"], abs=tolerance)
    assert equivalence_pvalue(b_only, a_only, n, margin) == pytest.approx(
        expected["tost_score_p"], abs=tolerance
    )
    row = paired_proportions(b_only, a_only, n, level=1 - 2 * case["input"]["alpha"], method="wald")
    assert (row.ci_low, row.ci_high) == pytest.approx(tuple(expected["wald_ci90"]), abs=tolerance)


@given(
    b=st.integers(0, 60),
    c=st.integers(0, 60),
    rest=st.integers(1, 500),
    margin=st.floats(0.005, 0.4),
    level=st.sampled_from([0.9, 0.95, 0.99]),
)
def test_pvalues_are_the_dual_of_the_printed_interval(
    b: int, c: int, rest: int, margin: float, level: float
) -> None:
    n, alpha = b + c + rest, (1 - level) / 2
    not_worse, equivalent = noninferiority_pvalue(c, b, n, margin), equivalence_pvalue(c, b, n, margin)
    found = verdict(paired_proportions(c, b, n, level=level), margin)
    if abs(not_worse - alpha) > 1e-9:
        assert (not_worse < alpha) is found.above_minus_margin
    if abs(equivalent - alpha) > 1e-9:
        assert (equivalent < alpha) is found.inside_margin
    assert equivalent >= not_worse


@pytest.mark.parametrize("margin", [0, 1, 1.5, -0.01, math.nan])
def test_pvalues_refuse_what_is_no_margin(margin: float) -> None:
    for function in (noninferiority_pvalue, equivalence_pvalue):
        with pytest.raises(InputError, match="margin="):
            function(40, 55, 500, margin)
