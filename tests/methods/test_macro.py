"""Macro averages: Welch's interval of scipy for two benchmarks, Wilson of statsmodels, laws, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from evalstats.errors import MethodError
from evalstats.methods.differences import mean_difference
from evalstats.methods.macro import macro_difference, macro_mean
from evalstats.methods.means import mean
from evalstats.methods.paired import paired_proportions
from evalstats.methods.rates import proportion

UNIT = (0.0, 1.0)
counts = st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(60, 200))


def test_the_difference_over_two_benchmarks_of_scores_is_half_of_welch_s_interval():
    rng = np.random.default_rng(8)
    d1, d2 = rng.normal(0.2, 1, 40), rng.normal(-0.1, 3, 25)
    rows = [mean_difference(np.zeros(len(d)), d, name=name) for name, d in (("a", d1), ("b", d2))]
    found = macro_difference(rows, None)
    welch = stats.ttest_ind(d1, -d2, equal_var=False)
    interval = welch.confidence_interval(0.95)
    assert (found.ci_low, found.ci_high) == pytest.approx((interval.low / 2, interval.high / 2), rel=1e-9)
    assert found.extra["df"] == pytest.approx(welch.df, rel=1e-9)
    assert (found.n, found.method, found.extra["estimand"]) == (65, "stratified_t", "macro")


def test_pass_fail_counts_enter_by_the_variance_of_their_differences():
    cells = [(7, 12, 80), (3, 9, 50), (20, 16, 200)]
    rows = [paired_proportions(c, b, n) for c, b, n in cells]
    differences = [np.repeat([-1.0, 1.0, 0.0], [c, b, n - b - c]) for c, b, n in cells]
    v = [d.var(ddof=1) / len(d) for d in differences]
    D, total = np.mean([d.mean() for d in differences]), sum(v)
    df = total**2 / sum(one**2 / (n - 1) for one, (_, _, n) in zip(v, cells, strict=True))
    half = stats.t.ppf(0.95, df) * math.sqrt(total) / 3
    found = macro_difference(rows, UNIT, level=0.9)
    assert (found.point, found.ci_low, found.ci_high) == pytest.approx((D, D - half, D + half), rel=1e-12)
    assert found.extra["n_discordant_units"] == 67


def test_one_run_is_wilson_on_the_stratified_n():
    rows = [proportion(45, 60), proportion(30, 50), proportion(20, 25)]
    p = np.array([0.75, 0.6, 0.8])
    v = (p * (1 - p) / np.array([59, 49, 24])).sum() / 9
    n_eff = p.mean() * (1 - p.mean()) / v
    found = macro_mean(rows, UNIT)
    wanted = proportion_confint(p.mean() * n_eff, n_eff, method="wilson")
    assert (found.ci_low, found.ci_high) == pytest.approx(wanted, rel=1e-10)
    assert found.extra["n_eff"] == pytest.approx(n_eff)


def test_scores_on_another_scale_are_moved_to_it_and_back():
    rng = np.random.default_rng(3)
    scores = [rng.integers(0, 11, n) / 10 for n in (30, 50)]
    unit = macro_mean([mean(x, bounds=(0, 1)) for x in scores], UNIT)
    judge = macro_mean([mean(1 + 9 * x, bounds=(1, 10)) for x in scores], (1.0, 10.0))
    assert judge.ci_low == pytest.approx(1 + 9 * unit.ci_low)
    assert judge.ci_high == pytest.approx(1 + 9 * unit.ci_high)
    assert judge.unit == "score"


def test_clusters_have_done_their_part_in_the_row():
    rng = np.random.default_rng(4)
    old, new, cluster = rng.random((2, 60)) < 0.6, rng.random((2, 60)) < 0.6, np.arange(60) // 4
    rows = [mean_difference(old[i], new[i], cluster=cluster) for i in (0, 1)]
    found = macro_difference(rows, UNIT)
    assert found.standard_error == pytest.approx(math.hypot(*(row.standard_error for row in rows)) / 2)


def test_where_nothing_changed_anywhere_the_interval_is_tango_s():
    rows = [paired_proportions(0, 0, 100), paired_proportions(0, 0, 300)]
    found = macro_difference(rows, UNIT)
    n_eff, z2 = 4 / (1 / 100 + 1 / 300), stats.norm.ppf(0.975) ** 2
    assert found.ci_high == pytest.approx(z2 / (n_eff + z2), rel=1e-9)
    assert found.ci_low == -found.ci_high
    assert math.isnan(found.standard_error)
    assert "no spread" in found.extra["undefined"]["standard_error"]
    assert macro_mean([proportion(9, 9), proportion(7, 7)], UNIT).ci_high == 1.0


def test_scores_without_ends_that_do_not_vary_have_no_interval():
    rows = [mean_difference([1.5, 2.5, 7.0], [1.5, 2.5, 7.0]), mean_difference([3.0, 8.0], [3.0, 8.0])]
    found = macro_difference(rows, None)
    assert math.isnan(found.ci_low)
    assert "width 0" in found.extra["undefined"]["ci_low"]


def test_one_benchmark_or_one_item_is_refused():
    with pytest.raises(MethodError, match="two benchmarks"):
        macro_difference([paired_proportions(1, 2, 9)], UNIT)
    with pytest.raises(MethodError, match="one item"):
        macro_difference([paired_proportions(1, 2, 9), paired_proportions(0, 1, 1)], UNIT)


def test_few_changes_are_said():
    few = macro_difference([paired_proportions(1, 2, 90), paired_proportions(2, 1, 80)], UNIT)
    many = macro_difference([paired_proportions(9, 12, 90), paired_proportions(12, 9, 80)], UNIT)
    assert [c["code"] for c in few.extra["caveats"]] == ["few_nonzero_differences"]
    assert many.extra["caveats"] == []


@settings(max_examples=30)
@given(st.lists(counts, min_size=2, max_size=5))
def test_swapping_the_runs_mirrors_and_the_order_of_benchmarks_is_nothing(cells):
    one = macro_difference([paired_proportions(c, b, n) for b, c, n in cells], UNIT)
    other = macro_difference([paired_proportions(b, c, n) for b, c, n in reversed(cells)], UNIT)
    assert (one.ci_low, one.ci_high) == pytest.approx((-other.ci_high, -other.ci_low), abs=1e-12)
    assert -1 <= one.ci_low <= one.point <= one.ci_high <= 1


def test_coverage_of_both_averages():
    """5,000 draws of five benchmarks of 40 to 200 items; four Monte Carlo standard errors below .95."""
    rng, draws = np.random.default_rng(9), 5000
    sizes, rates = np.array([40, 60, 80, 120, 200]), np.array([0.5, 0.6, 0.7, 0.8, 0.9])
    p = rng.binomial(sizes, rates, (draws, 5)) / sizes
    v = (p * (1 - p) / (sizes - 1)).sum(axis=1) / 25
    m = p.mean(axis=1)
    n_eff, z = m * (1 - m) / v, stats.norm.ppf(0.975)
    centre, half = m + z**2 / (2 * n_eff), z * np.sqrt(m * (1 - m) / n_eff + z**2 / (4 * n_eff**2))
    covered = np.abs(rates.mean() * (1 + z**2 / n_eff) - centre) <= half
    assert covered.mean() >= 0.95 - 4 * math.sqrt(0.95 * 0.05 / draws)
    first = macro_mean([proportion(round(q * n), int(n)) for q, n in zip(p[0], sizes, strict=True)], UNIT)
    assert first.ci_high == pytest.approx((centre + half)[0] / (1 + z**2 / n_eff[0]), rel=1e-9)
