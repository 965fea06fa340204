"""McNemar's test: other programs' numbers, laws for all counts, and what is refused."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evalstats.errors import InputError, MethodError
from evalstats.methods.mcnemar import (
    METHODS,
    critical_counts,
    mcnemar,
    mcnemar_counts,
    mcnemar_pvalues,
    rejection_probability,
)
from evalstats.results import EXTRA
from tests.reference import FOLDER, cases

NAMES = ["exact", "mid_p", "chi2", "chi2_cc"]
REFERENCE = {
    "mcnemar.exact": "exact",
    "mcnemar.midp": "mid_p",
    "mcnemar.chi2": "chi2",
    "mcnemar.chi2_cc": "chi2_cc",
}
counts = st.integers(0, 3000)


@pytest.mark.parametrize("case", cases("paired_binary", *REFERENCE))
def test_pvalues_equal_those_of_r_and_statsmodels(case: dict[str, Any]) -> None:
    both, a_only, b_only, neither = (case["input"][key] for key in ("both", "a_only", "b_only", "neither"))
    expected, tolerance = case["expected"], case["tolerance"]
    n = both + a_only + b_only + neither
    result = mcnemar_counts(b_only, a_only, n, method=REFERENCE[case["call"]])  # a is the candidate
    assert result.pvalue == pytest.approx(expected["p_value"], abs=tolerance)
    if "statistic" in expected:
        assert result.statistic == pytest.approx(expected["statistic"], abs=tolerance)
    if "effect" in expected:
        assert result.effect == pytest.approx(expected["effect"], abs=tolerance)
        assert result.extra["n_discordant_units"] == expected["discordant"]


def test_every_mcnemar_call_of_the_reference_file_is_mapped() -> None:
    calls = {case["call"] for case in json.loads((FOLDER / "paired_binary.json").read_text(encoding="utf-8"))}
    assert {call for call in calls if call.startswith("mcnemar")} == set(REFERENCE)


@given(b=counts, c=counts)
def test_exact_p_is_the_binomial_test(b: int, c: int) -> None:
    expected = stats.binomtest(b, b + c).pvalue if b + c else 1.0
    assert mcnemar_counts(c, b).pvalue == pytest.approx(expected, rel=1e-9, abs=1e-15)


@given(b=counts, c=counts)
def test_mid_p_counts_half_of_the_table_seen(b: int, c: int) -> None:
    m, k = b + c, min(b, c)
    at_k = stats.binom.pmf(k, m, 0.5)
    expected = 1 - at_k / 2 if b == c and m else 2 * stats.binom.cdf(k, m, 0.5) - at_k
    assert mcnemar_counts(c, b, method="mid_p").pvalue == pytest.approx(
        min(1.0, expected), rel=1e-8, abs=1e-12
    )


@pytest.mark.parametrize("method", NAMES)
@given(b=counts, c=counts)
def test_p_lies_in_its_range_and_does_not_know_which_run_is_which(method: str, b: int, c: int) -> None:
    result, swapped = mcnemar_counts(c, b, method=method), mcnemar_counts(b, c, method=method)
    assert 0 <= result.pvalue <= 1
    assert result.pvalue == swapped.pvalue
    assert result.statistic == swapped.statistic
    assert result.method == f"mcnemar_{method}"
    assert set(result.extra) <= set(EXTRA)


@pytest.mark.parametrize("method", NAMES)
@given(m=st.integers(1, 400))
def test_p_falls_as_the_flips_lean_one_way(method: str, m: int) -> None:
    b = np.arange(m // 2 + 1)
    assert np.all(np.diff(mcnemar_pvalues(b, m - b, method)) >= -1e-15)


@pytest.mark.parametrize("method", NAMES)
def test_a_run_against_itself_has_p_one(method: str) -> None:
    result = mcnemar_counts(0, 0, 50, method=method)
    assert (result.pvalue, result.effect, result.statistic) == (1.0, 0.0, 0.0)


@pytest.mark.parametrize("method", ["exact", "chi2", "chi2_cc"])
@given(b=st.integers(1, 3000))
def test_a_perfect_tie_has_p_one(method: str, b: int) -> None:
    assert mcnemar_counts(b, b, method=method).pvalue == 1.0


def test_names_may_carry_their_prefix_and_the_other_p_stands_beside() -> None:
    exact, mid_p = mcnemar_counts(40, 55, 500), mcnemar_counts(40, 55, 500, method="mcnemar_mid_p")
    assert (exact.method, mid_p.method) == ("mcnemar_exact", "mcnemar_mid_p")
    assert exact.extra["mid_p"] == mid_p.pvalue
    assert mid_p.extra["exact"] == exact.pvalue
    assert exact.statistic == 40.0
    assert exact.extra["statistic_kind"] == "min(b, c)"
    with pytest.raises(MethodError, match="Did you mean 'mcnemar_mid_p'"):
        mcnemar_counts(40, 55, method="midp")


def test_the_effect_needs_n() -> None:
    without, with_n = mcnemar_counts(40, 55), mcnemar_counts(40, 55, 500)
    assert math.isnan(without.effect)
    assert "n, the number of all items" in without.extra["undefined"]["effect"]
    assert (without.n, with_n.n) == (95, 500)
    assert with_n.effect == pytest.approx(0.03, abs=1e-15)
    assert (with_n.extra["baseline_only"], with_n.extra["candidate_only"]) == (40, 55)


@pytest.mark.parametrize(
    ("given_counts", "said"),
    [
        ((40, 55, 90), "more than n=90"),
        ((40, 55, 0), "no item"),
        ((0.5, 3), "no count"),
        ((-1, 3), "negative"),
    ],
)
def test_counts_that_cannot_be_are_refused(given_counts: tuple[Any, ...], said: str) -> None:
    with pytest.raises(InputError, match=said):
        mcnemar_counts(*given_counts)


@given(items=st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_the_chapter_s_function_counts_items_and_keeps_a_minus_b(items: list[tuple[bool, bool]]) -> None:
    a, b = [x for x, _ in items], [y for _, y in items]
    result = mcnemar(a, b)
    only_a, only_b = sum(x and not y for x, y in items), sum(y and not x for x, y in items)
    assert (result.extra["b"], result.extra["c"]) == (only_a, only_b)
    assert result.effect == pytest.approx(np.mean(a) - np.mean(b), abs=1e-12)
    assert result.pvalue == mcnemar_counts(only_a, only_b).pvalue
    assert result.statistic == min(only_a, only_b)
    assert set(result.extra) <= set(EXTRA)


def test_the_chapter_s_chi_square_is_floored_at_zero() -> None:
    tie = mcnemar([1, 1, 0, 0], [0, 0, 1, 1], exact=False)
    assert (tie.method, tie.statistic, tie.pvalue) == ("mcnemar_chi2_cc", 0.0, 1.0)
    lopsided = mcnemar([1] * 12, [0] * 12, exact=False)
    assert lopsided.statistic == pytest.approx(11**2 / 12, abs=1e-12)


def test_row_order_and_type_do_not_matter() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, 200), rng.integers(0, 2, 200)
    order = rng.permutation(200)
    wanted = mcnemar(a, b)
    assert mcnemar(a[order], b[order]) == wanted
    assert mcnemar(a.astype(bool), b.astype(float)) == wanted
    assert mcnemar(a.tolist(), [bool(x) for x in b]) == wanted
    assert mcnemar(pd.Series(a), pd.array(b, dtype="Int64")) == wanted


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ([0.9, 1.0], [1, 1], r"a_correct\[0\] is 0\.9"),
        ([1, 1], [1, math.nan], r"b_correct\[1\] is nan"),
        ([1, None], [1, 1], r"a_correct\[1\] is None"),
        ([1, "C"], [1, 1], r"a_correct\[1\] is 'C'"),
        ([1, 2], [1, 1], r"a_correct\[1\] is 2"),
        ([1, pd.NA], [1, 1], r"a_correct\[1\] is <NA>"),
        ([[1], [1, 0]], [1, 1], r"a_correct\[0\] is \[1\]"),
        (1, 1, r"shape \(\)"),
        ([1, 1, 1], [1, 1], "3 items and b_correct 2"),
        ([], [], "a_correct is empty"),
        ([[1, 0]], [[1, 0]], r"shape \(1, 2\)"),
    ],
)
def test_what_is_neither_right_nor_wrong_is_refused(a: Any, b: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        mcnemar(a, b)


@pytest.mark.parametrize("method", ["exact", "mid_p"])
@given(m=st.integers(0, 300), alpha=st.floats(0.001, 0.2))
def test_critical_counts_part_what_lights_from_what_does_not(method: str, m: int, alpha: float) -> None:
    k = int(critical_counts([m], alpha, method)[0])
    lit = mcnemar_pvalues(np.arange(m // 2 + 1), m - np.arange(m // 2 + 1), method) <= alpha
    assert k == np.flatnonzero(lit)[-1] if lit.any() else k == -1


@pytest.mark.parametrize("method", ["exact", "mid_p"])
@pytest.mark.parametrize(("m", "share"), [(0, 0.5), (5, 0.5), (6, 0.5), (30, 0.7), (31, 0.9), (6, 1.0)])
def test_rejection_probability_by_enumeration(method: str, m: int, share: float) -> None:
    b = np.arange(m + 1)
    lit = mcnemar_pvalues(b, m - b, method) <= 0.05
    expected = stats.binom.pmf(b, m, share)[lit].sum()
    assert rejection_probability([m], share, 0.05, method)[0] == pytest.approx(expected, abs=1e-13)


def test_table_s_default_is_proved() -> None:
    assert METHODS.choose(None, guarantee=True).name == "mcnemar_exact"


def test_case_mcnemar_one_discordant() -> None:
    result = mcnemar([1, 0], [0, 0])
    assert (result.effect, result.pvalue, result.extra["mid_p"]) == (0.5, 1.0, 0.5)


def test_case_paired_nan_after_leaving_out_the_missing() -> None:
    a, b = [1, 0] * 10, [1, 1] * 10  # the third of each triple is missing in A
    result = mcnemar(a, b)
    assert (result.n, result.effect, result.extra["b"], result.extra["c"]) == (20, -0.5, 0, 10)
    assert result.pvalue == pytest.approx(0.001953, abs=1e-6)


def test_case_pair_by_id_on_the_common_items() -> None:
    result = mcnemar([1, 1, 0], [0, 1, 1])
    assert (result.effect, result.pvalue, result.extra["b"], result.extra["c"]) == (0.0, 1.0, 1, 1)


def test_case_percent_vs_fraction() -> None:
    with pytest.raises(InputError, match=r"b_correct\[1\] is 100"):
        mcnemar([0, 1, 1, 0], [0, 100, 100, 100])
    assert mcnemar([0, 1, 1, 0], [0, 1, 1, 1]).pvalue == 1.0
