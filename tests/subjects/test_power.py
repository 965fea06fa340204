"""Planning: R's and the source's numbers, exact sums by enumeration, what is refused."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evalstats.errors import InputError
from evalstats.methods.mcnemar import mcnemar_pvalues
from evalstats.methods.paired import paired_proportions
from evalstats.numeric import z_of
from evalstats.subjects import power
from tests.reference import FOLDER, cases

OURS = {
    "power.n_mcnemar",
    "power.mcnemar_exact",
    "power.n_two_proportions",
    "power.n_paired_mean",
    "power.mde_paired",
    "power.n_clustered",
}
rates = st.floats(0.01, 1)


def test_every_call_of_the_reference_file_is_mapped() -> None:
    calls = {case["call"] for case in json.loads((FOLDER / "power.json").read_text(encoding="utf-8"))}
    assert calls == OURS


@pytest.mark.parametrize("case", cases("power", "power.n_mcnemar"))
def test_mcnemar_items_equal_the_published_formula(case: dict[str, Any]) -> None:
    given_values, expected = case["input"], case["expected"]
    assert power.required_n_mcnemar(**given_values) == expected["n"]
    assert power.mcnemar_items(**given_values) == pytest.approx(
        expected["n_unrounded"], abs=case["tolerance"]
    )


@pytest.mark.parametrize("case", cases("power", "power.mcnemar_exact"))
def test_exact_mcnemar_power_equals_the_binomial_sum(case: dict[str, Any]) -> None:
    found = power.mcnemar_power(**case["input"])
    assert found == pytest.approx(case["expected"]["power"], abs=case["tolerance"])


@pytest.mark.parametrize("case", cases("power", "power.n_two_proportions"))
def test_unpaired_items_equal_power_prop_test(case: dict[str, Any]) -> None:
    """Of R's two forms ours is the first; the arcsine form is no method of ours."""
    p1, p2, alpha, wanted = (case["input"][key] for key in ("p1", "p2", "alpha", "power"))
    assert power.required_n_unpaired(p1, p2, alpha, wanted) == case["expected"]["n_per_group"]
    assert power.required_n_unpaired(p2, p1, alpha, wanted) == case["expected"]["n_per_group"]


@pytest.mark.parametrize("case", cases("power", "power.n_paired_mean"))
def test_paired_mean_items_equal_the_normal_formula_and_power_t_test(case: dict[str, Any]) -> None:
    """The chapter's function is the normal formula; R's figure is that of the t test."""
    delta, sd, alpha, wanted = (case["input"][key] for key in ("delta", "sd_diff", "alpha", "power"))
    assert power.required_n_paired_mean(**case["input"]) == case["expected"]["n_normal"]
    found, expected = power.mean_items_t(delta, sd, alpha, wanted), case["expected"]["n_t_unrounded"]
    assert found == pytest.approx(expected, abs=case["tolerance"])
    assert power.required_n_paired_mean_t(**case["input"]) == math.ceil(expected)


@pytest.mark.parametrize("case", cases("power", "power.n_clustered"))
def test_items_in_clusters_equal_the_design_effect_rounded_up(case: dict[str, Any]) -> None:
    found = power.n_clustered(**case["input"])
    assert vars(found) == case["expected"]


@pytest.mark.parametrize("case", cases("power", "power.mde_paired"))
def test_smallest_shown_difference_is_the_root_of_the_formula(case: dict[str, Any]) -> None:
    psi, n, alpha, wanted = (case["input"][key] for key in ("psi", "n", "alpha", "power"))
    expected, tolerance = case["expected"], case["tolerance"]
    assert power.mde_paired(n, psi, alpha=alpha, power=wanted) == pytest.approx(
        expected["mde_eq711"], abs=tolerance
    )
    simple = power.mde_from_standard_error(math.sqrt(psi / n), alpha=alpha, power=wanted)
    assert simple == pytest.approx(expected["mde_simple"], abs=tolerance)


@given(delta=st.floats(0.001, 0.5), psi=rates)
def test_required_items_and_smallest_difference_undo_each_other(delta: float, psi: float) -> None:
    if delta > psi:
        with pytest.raises(InputError, match="more than psi"):
            power.required_n_mcnemar(delta, psi)
        return
    n = power.required_n_mcnemar(delta, psi)
    found = power.smallest_paired_difference(n, psi)
    assert found.value <= delta * (1 + 1e-9)
    assert n == 1 or found.note or power.mcnemar_items(found.value, psi) == pytest.approx(n, rel=1e-6)


@given(n=st.integers(5, 10**6), psi=st.floats(0, 1))
def test_smallest_difference_lies_in_range_and_says_when_it_assumes(n: int, psi: float) -> None:
    found = power.smallest_paired_difference(n, psi)
    assert 0 < found.value <= 1
    assert (found.value <= psi) is (found.note == "")
    if found.note:
        assert power.mcnemar_items(found.value, found.value) == pytest.approx(n, rel=1e-6)


@given(n=st.integers(5, 10**5), psi=rates)
def test_more_items_show_smaller_differences(n: int, psi: float) -> None:
    assert power.mde_paired(2 * n, psi) < power.mde_paired(n, psi)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_three_items_show_no_difference(n: int) -> None:
    found = power.smallest_paired_difference(n, 0.5)
    assert math.isnan(found.value)
    assert "show no difference" in found.note


@pytest.mark.parametrize(
    ("n", "psi", "delta"), [(12, 0.5, 0.3), (20, 0.2, -0.1), (15, 1.0, 0.0), (9, 0.4, 0.4)]
)
def test_exact_mcnemar_power_by_enumeration_of_all_tables(n: int, psi: float, delta: float) -> None:
    tables = np.array([(b, c, n - b - c) for b in range(n + 1) for c in range(n + 1 - b)])
    lit = mcnemar_pvalues(tables[:, 0], tables[:, 1]) <= 0.05
    mass = stats.multinomial.pmf(tables, n, [(psi + delta) / 2, (psi - delta) / 2, 1 - psi])
    assert power.mcnemar_power(n, psi, delta) == pytest.approx(float(mass @ lit), abs=1e-12)


def test_no_disagreement_is_never_shown() -> None:
    assert power.mcnemar_power(500, 0.0, 0.0) == 0.0


@pytest.mark.parametrize(
    ("n", "psi", "delta", "margin"), [(30, 0.2, 0.0, 0.2), (20, 0.5, 0.2, 0.3), (80, 0.05, -0.05, 0.08)]
)
def test_probability_of_passing_a_margin_by_enumeration(
    n: int, psi: float, delta: float, margin: float
) -> None:
    tables = np.array([(b, c, n - b - c) for b in range(n + 1) for c in range(n + 1 - b)])
    mass = stats.multinomial.pmf(tables, n, [(psi + delta) / 2, (psi - delta) / 2, 1 - psi])
    likely = mass > 1e-12
    passed = [paired_proportions(int(c), int(b), n).ci_low > -margin for b, c, _ in tables[likely]]
    found = power.noninferiority_power(np.array([n]), psi, delta, margin)[0]
    assert found == pytest.approx(float(mass[likely] @ np.array(passed)), abs=1e-8)


def test_an_unchanged_model_passes_a_margin_of_one_point_in_seven_per_cent() -> None:
    assert power.noninferiority_power(500, 0.19, 0.0, 0.01) == pytest.approx(0.07, abs=0.005)


@pytest.mark.parametrize(
    ("margin", "psi"), [(0.05, 0.01), (0.03, 0.01), (0.02, 0.02), (0.05, 0.3), (0.1, 0.02)]
)
def test_items_for_a_margin_are_the_first_that_stay_reached(margin: float, psi: float) -> None:
    n = power.required_n_margin(margin, psi)
    least = math.ceil(z_of(0.95) ** 2 * (1 - margin) / margin)
    reached = power.noninferiority_power(np.arange(least, n + 51), psi, 0.0, margin) >= 0.8
    runs = np.convolve(reached, np.ones(51, dtype=int), mode="valid")
    assert least + int(np.flatnonzero(runs == 51)[0]) == n


def test_no_fewer_items_than_an_unchanged_run_needs() -> None:
    assert power.required_n_margin(0.03, 0.0) == 125


def test_items_for_a_tiny_margin_are_the_normal_formula_s() -> None:
    assert power.required_n_margin(1e-4, 0.19) == math.ceil(2.8015852181129683**2 * 0.19 / 1e-8)
    exact, normal = power.required_n_margin(0.002, 0.19), 2.8015852181129683**2 * 0.19 / 0.002**2
    assert exact == pytest.approx(normal, rel=1e-3)


@pytest.mark.parametrize(
    ("discordant", "n", "rate"), [(95, 500, 0.19), (10, 100, 0.1), (9, 98, 0.1), (0, 8, 0.1)]
)
def test_few_discordant_items_are_planned_with_one_more(discordant: int, n: int, rate: float) -> None:
    assert power.planned_discordant_rate(discordant, n) == pytest.approx(rate, abs=1e-15)


@settings(max_examples=20)
@given(sd_diff=st.floats(0.01, 10), delta=st.floats(0.01, 5))
def test_paired_mean_items_round_up_and_know_no_sign(sd_diff: float, delta: float) -> None:
    n = power.required_n_paired_mean(delta, sd_diff)
    assert n == power.required_n_paired_mean(-delta, sd_diff) >= 1
    assert power.mde_from_standard_error(sd_diff / math.sqrt(n)) <= delta * (1 + 1e-9)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: power.required_n_paired_mean(0, 1), "no number of items"),
        (lambda: power.required_n_paired_mean(math.nan, 1), "no number of items"),
        (lambda: power.required_n_paired_mean(0.1, 0), "sd_diff=0 must be above 0"),
        (lambda: power.required_n_paired_mean(0.1, 1, alpha=5), "alpha=5"),
        (lambda: power.required_n_mcnemar(0.1, 0.25, power=0.01), "power=0.01 must be more than alpha"),
        (lambda: power.required_n_mcnemar(0.3, 0.25), "delta=0.3 is more than psi=0.25"),
        (lambda: power.required_n_mcnemar(0.1, 25), "psi=25 must be a fraction"),
        (lambda: power.mcnemar_power(100, 0.1, 0.2), "more than psi"),
        (lambda: power.mcnemar_power(100, 0.1, math.nan), "more than psi"),
        (lambda: power.required_n_unpaired(0.7, 0.7), "no number of items"),
        (lambda: power.mde_paired(0, 0.2), "no item"),
        (lambda: power.required_n_margin(1, 0.2), "lets everything pass"),
    ],
)
def test_what_cannot_be_planned_is_refused(call: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        call()


def test_exact_power_at_the_chapter_s_three_sizes() -> None:
    deltas = (0.1, 0.08, 0.05)
    exact = [power.mcnemar_power(n, 0.25, delta) for n, delta in zip((194, 305, 783), deltas, strict=True)]
    assert exact == pytest.approx([0.773, 0.775, 0.783], abs=5e-4)


@pytest.mark.parametrize(
    ("n", "delta", "sd", "runs"), [(10, 0.5, 0.8, 1), (200, 0.1, 0.5, 1), (40, 0.4, 1.1, 2)]
)
def test_power_of_the_t_test_is_the_noncentral_tail(n: int, delta: float, sd: float, runs: int) -> None:
    df, shift = runs * (n - 1), delta / sd * math.sqrt(n / runs)
    tail = stats.nct.sf(stats.t.ppf(0.975, df), df, shift)
    assert power.mean_power(n, delta, sd, runs=runs) == pytest.approx(tail, abs=1e-6)


def test_two_runs_on_different_items_need_twice_the_variance() -> None:
    """statsmodels 0.14: TTestIndPower().solve_power(0.5, power=0.8, alpha=0.05) is 63.7656."""
    assert power.mean_items_t(0.5, 1.0, runs=2) == pytest.approx(63.7656, abs=1e-3)


@pytest.mark.parametrize(("delta", "psi"), [(0.1, 0.25), (0.3, 0.3), (0.05, 0.06), (0.2, 0.9)])
def test_items_for_the_exact_test_are_the_first_that_stay_reached(delta: float, psi: float) -> None:
    n = power.required_n_mcnemar_exact(delta, psi)
    reached = [power.mcnemar_power(m, psi, delta) >= 0.8 for m in range(1, n + 51)]
    assert all(reached[n - 1 :])
    assert not all(reached[n - 2 :])


def test_the_exact_test_needs_more_items_than_the_formula() -> None:
    exact = [power.required_n_mcnemar_exact(delta, 0.25) for delta in (0.1, 0.08, 0.05)]
    assert all(more > n for more, n in zip(exact, (194, 305, 783), strict=True))
    assert power.required_n_mcnemar_exact(1e-4, 0.2) == power.required_n_mcnemar(1e-4, 0.2)


@given(rate=st.floats(0, 1), half_width=st.floats(0.001, 0.4))
def test_items_for_a_half_width_are_the_fewest_that_reach_it(rate: float, half_width: float) -> None:
    n = power.required_n_rate(rate, half_width)
    z = z_of(0.95)
    assert power.wilson_half_width(rate, n, z) <= half_width * (1 + 1e-9)
    assert n == 1 or power.wilson_half_width(rate, n - 1, z) > half_width * (1 - 1e-9)


def test_half_the_half_width_takes_four_times_the_items() -> None:
    assert power.rate_items_normal(0.3, 0.01) == pytest.approx(4 * power.rate_items_normal(0.3, 0.02))
    assert power.required_n_rate(0.3, 0.01) / power.required_n_rate(0.3, 0.02) == pytest.approx(4, rel=2e-3)


@given(st.floats(0.01, 1), st.floats(0, 1), st.floats(0.01, 0.5))
def test_completions_take_the_decoding_noise_away(omega2: float, sigma2: float, delta: float) -> None:
    items = [power.required_n_completions(delta, omega2, sigma2, k) for k in (1, 2, 8, math.inf)]
    assert items == sorted(items, reverse=True)
    assert items[0] == power.required_n_paired_mean(delta, math.sqrt(omega2 + sigma2))
    assert items[-1] == power.required_n_paired_mean(delta, math.sqrt(omega2))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: power.required_n_rate(1.2, 0.02), "rate=1.2 must be a fraction"),
        (lambda: power.required_n_rate(0.5, 0.5), "whole scale"),
        (lambda: power.n_clustered(0, 5, 0.2), "must be 1 or more"),
        (lambda: power.n_clustered(10, 0.5, 0.2), "must be 1 or more"),
        (lambda: power.n_clustered(10, 5, 20), "rho=20 is no correlation"),
        (lambda: power.required_n_completions(0.1, -1, 0, 1), "item_variance=-1"),
        (lambda: power.required_n_completions(0.1, 1, 0, 0), "completions=0"),
        (lambda: power.mean_items_t(0.1, 0), "sd=0 must be above 0"),
        (lambda: power.required_n_mcnemar_exact(0.3, 0.2), "more than psi"),
    ],
)
def test_what_has_no_number_of_items_is_refused(call: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        call()
