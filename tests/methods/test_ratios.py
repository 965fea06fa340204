"""Ratios of two metrics, of one run and paired: scipy's resamples, Fieller's set, laws, refusals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evalstats.errors import InputError, MethodError, PairingError
from evalstats.methods.means import mean
from evalstats.methods.paired_statistics import ratio_difference
from evalstats.methods.ratios import ratio
from evalstats.results import EXTRA, Estimate


def ends(found: Estimate) -> tuple[float, float]:
    return found.ci_low, found.ci_high


def codes(found: Estimate) -> set[str]:
    return {one["code"] for one in found.extra["caveats"]}


def costs(n: int, seed: int = 0, solved: float = 0.6) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return rng.gamma(3.0, 0.5, n), (rng.random(n) < solved).astype(float)


def of_sums(x: Any, y: Any, axis: int = -1) -> Any:
    return x.sum(axis=axis) / y.sum(axis=axis)


@pytest.mark.parametrize("kind", ["percentile", "basic", "bca"])
@pytest.mark.parametrize("sizes", ["solved", "tokens", "few_values"])
def test_the_exact_law_is_what_scipy_s_paired_resamples_approach(kind: str, sizes: str) -> None:
    x, y = costs(120)
    if sizes == "tokens":
        y = np.random.default_rng(1).gamma(4.0, 1.0, 120)
    if sizes == "few_values":
        x = np.round(x)
    found = ratio(x, y, method=f"bootstrap_{kind}")
    names = {"bca": "BCa"}
    drawn = stats.bootstrap(
        (x, y), of_sums, paired=True, n_resamples=20_000, method=names.get(kind, kind), random_state=3
    )
    assert found.n_boot is None
    noise = found.extra["boot_se"] / 8
    assert ends(found) == pytest.approx(tuple(drawn.confidence_interval), abs=noise)
    assert found.extra["boot_se"] == pytest.approx(drawn.standard_error, rel=0.03)


def test_the_delta_method_is_cochran_s_and_fieller_s_ends_are_roots_of_t() -> None:
    x, y = costs(80)
    R, n = x.sum() / y.sum(), 80
    by_formula = (x.var(ddof=1) - 2 * R * np.cov(x, y)[0, 1] + R**2 * y.var(ddof=1)) / n / y.mean() ** 2
    delta = ratio(x, y, method="delta_t")
    half = stats.t.ppf(0.975, n - 1) * math.sqrt(by_formula)
    assert (delta.point, *ends(delta)) == pytest.approx((R, R - half, R + half))
    assert delta.standard_error == pytest.approx(math.sqrt(by_formula))
    for end in ends(ratio(x, y, method="fieller")):
        assert stats.ttest_1samp(x - end * y, 0).pvalue == pytest.approx(0.05)


def test_a_denominator_of_ones_is_the_mean() -> None:
    x, _ = costs(90)
    one, two = ratio(x, np.ones(90)), mean(x, method="bootstrap_percentile")
    assert (one.point, *ends(one)) == pytest.approx((two.point, *ends(two)), rel=1e-12)


def test_clusters_are_drawn_whole() -> None:
    rng = np.random.default_rng(2)
    x, y = np.repeat(rng.gamma(2, 1, 60), 4), np.repeat(rng.integers(1, 9, 60), 4).astype(float)
    labels = np.repeat(np.arange(60), 4)
    found, by_items = ratio(x, y, labels), ratio(x, y)
    whole = ratio(x[::4], y[::4])
    assert (found.point, *ends(found)) == pytest.approx((whole.point, *ends(whole)), rel=1e-6)
    assert found.standard_error > 1.9 * by_items.standard_error
    assert (found.method, found.extra["n_clusters"], found.n) == ("cluster_bootstrap_percentile", 60, 240)


@pytest.mark.parametrize(("n", "kind"), [(9, None), (10, "bca"), (49, "bca"), (50, "percentile")])
def test_the_default_goes_by_the_number_of_units(n: int, kind: str | None) -> None:
    x, _ = costs(n)
    found = ratio(x, np.full(n, 2.0))
    if kind is None:
        assert "under 10 units" in found.extra["undefined"]["ci_low"]
    else:
        assert found.method == f"bootstrap_{kind}"
        assert ("bootstrap_few_units" in codes(found)) is (n < 50)


def test_resamples_without_any_denominator_count_against_both_ends() -> None:
    x = costs(60)[0]
    y = np.zeros(60)
    y[:6] = 1
    found = ratio(x, y, method="bootstrap_percentile")
    assert found.ci_low < found.point < found.ci_high
    assert found.extra["law"] == "monte_carlo"
    assert "bootstrap_few_units" in codes(found)
    y[1:6] = 0
    alone = ratio(x, y, method="bootstrap_percentile")
    assert "no value on 3" in alone.extra["undefined"]["ci_high"]
    assert "only the percentile interval" in ratio(x, y, method="bootstrap_bca").extra["undefined"]["ci_low"]
    assert "not clear of 0" in ratio(x, y, method="fieller").extra["undefined"]["ci_low"]


def test_a_check_against_draws_is_refused_where_the_law_is_drawn_itself() -> None:
    x, y = costs(60)[0], np.zeros(60)
    y[:6] = 1
    with pytest.raises(MethodError, match="no law of it is computed"):
        ratio(x, y, method="bootstrap_percentile", cross_check=True)
    checked = ratio(x, np.ones(60), method="bootstrap_percentile", cross_check=True)
    assert "cross_check" in checked.extra


rows = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=10, max_size=40).filter(
    lambda drawn: any(y for _, y in drawn)
)
kinds = st.sampled_from(
    [None, "bootstrap_percentile", "bootstrap_basic", "bootstrap_bca", "delta_t", "fieller"]
)


@given(rows, kinds, st.sampled_from([2.0, 8.0]))
def test_units_of_money_scale_the_answer_and_order_changes_nothing(
    drawn: list[tuple[int, int]], method: str | None, factor: float
) -> None:
    x, y = (np.array(column, dtype=float) for column in zip(*drawn, strict=True))
    one, two = ratio(x, y, method=method), ratio(factor * x[::-1], y[::-1], method=method)
    for field in ("point", "ci_low", "ci_high", "standard_error"):
        assert getattr(two, field) == pytest.approx(factor * getattr(one, field), rel=1e-6, nan_ok=True)
    assert math.isnan(one.ci_low) or one.ci_low <= one.point <= one.ci_high
    assert set(one.extra) <= set(EXTRA)


@given(st.integers(0, 50), st.booleans())
def test_swapping_runs_mirrors_every_digit(seed: int, clustered: bool) -> None:
    old, new = costs(30, seed), costs(30, seed + 1)
    labels = np.arange(30) // 2 if clustered else None
    one = ratio_difference(old, new, labels, n_boot=200)
    two = ratio_difference(new, old, labels, n_boot=200)
    assert (one.point, one.ci_low, one.ci_high) == (-two.point, -two.ci_high, -two.ci_low)
    order = np.random.default_rng(seed).permutation(30)
    moved = [tuple(column[order] for column in run) for run in (old, new)]
    again = ratio_difference(*moved, None if labels is None else labels[order], n_boot=200)
    assert ends(again) == ends(one)


def test_a_difference_of_ratios_resamples_items_with_all_four_numbers() -> None:
    old, new = costs(100, 4), costs(100, 5)
    found = ratio_difference(old, new)
    drawn = stats.bootstrap(
        (*old, *new),
        lambda a, b, c, d, axis: of_sums(c, d, axis) - of_sums(a, b, axis),
        paired=True,
        n_resamples=20_000,
        method="percentile",
        random_state=1,
    )
    assert ends(found) == pytest.approx(tuple(drawn.confidence_interval), abs=found.extra["boot_se"] / 6)
    assert found.n_boot == 10_000
    same = ratio_difference(old, old)
    assert (same.point, math.isnan(same.ci_low)) == (0.0, True)


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: ratio([1, 2], [1, -1]), InputError, r"denominator\[1\] is -1"),
        (lambda: ratio([1, 2], [0, 0]), InputError, "0 for every item"),
        (lambda: ratio([1, 2], [1]), InputError, "2 numbers and denominator 1"),
        (lambda: ratio([1, math.nan], [1, 1]), InputError, r"numerator\[1\] is nan"),
        (lambda: ratio([1, 2], [1, 1], ["a", "a"]), MethodError, "one cluster"),
        (lambda: ratio([1, 2], [1, 1], method="t"), MethodError, "delta_t"),
        (lambda: ratio([1, 2], [1, 1], method="delta_t", n_boot=500), MethodError, "has no use"),
        (lambda: ratio_difference([1, 2, 3], ([1], [1])), InputError, "baseline is no pair"),
        (lambda: ratio_difference(([1], [1]), ([1, 2], [1, 1])), PairingError, "same items"),
        (lambda: ratio_difference(([1], [0]), ([1], [1])), InputError, "baseline's denominator is 0"),
    ],
)
def test_bad_input_is_an_error_that_says_what_to_do(call: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        call()
