"""The chapter's three bootstrap functions: equal to `mean` and `mean_difference`, honest where they fail."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import evalstats
from evalstats.errors import InputError, MethodError, PairingError
from evalstats.methods.bootstrap import bootstrap_mean, bootstrap_paired_diff, bootstrap_statistic
from evalstats.methods.differences import mean_difference
from evalstats.methods.means import mean
from evalstats.results import EXTRA, Estimate


def codes(estimate: Estimate) -> set[str]:
    return {one["code"] for one in estimate.extra["caveats"]}


@pytest.mark.parametrize(
    ("function", "signature"),
    [
        (bootstrap_mean, "(scores, groups=None, level=0.95, n_boot=10000, seed=0, name='accuracy')"),
        (bootstrap_paired_diff, "(a, b, groups=None, level=0.95, n_boot=10000, seed=0, name='delta')"),
        (
            bootstrap_statistic,
            "(data, stat_fn, level=0.95, n_boot=10000, seed=0, name='stat', *, groups=None, strata=None, "
            "weights=False, method=None, workers=1)",
        ),
    ],
)
def test_signatures_are_the_chapters(function: Any, signature: str) -> None:
    bare = [
        p.replace(annotation=inspect.Parameter.empty) for p in inspect.signature(function).parameters.values()
    ]
    assert str(inspect.Signature(bare)) == signature
    assert getattr(evalstats, function.__name__) is function


@settings(max_examples=15)
@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=4, max_size=40), st.integers(0, 5))
def test_bootstrap_mean_is_mean_by_that_method(values: list[float], seed: int) -> None:
    groups = [i % 3 for i in range(len(values))]
    by_item = mean(values, method="bootstrap_percentile", n_boot=10_000, seed=seed, name="accuracy")
    by_group = mean(
        values, groups, method="cluster_bootstrap_percentile", n_boot=10_000, seed=seed, name="accuracy"
    )
    assert repr(bootstrap_mean(values, seed=seed)) == repr(by_item)
    assert repr(bootstrap_mean(values, groups, seed=seed)) == repr(by_group)


def test_paired_difference_is_a_minus_b() -> None:
    a, b = [1, 1, 0, 1, 1, 0] * 15, [1, 0, 0, 1, 1, 1] * 14 + [0] * 6
    groups = np.repeat(range(30), 3)
    for labels in (None, groups):
        found = bootstrap_paired_diff(a, b, labels)
        method = "bootstrap_percentile" if labels is None else "cluster_bootstrap_percentile"
        same = mean_difference(b, a, labels, method=method, n_boot=10_000, name="delta")
        assert repr(found) == repr(same)
        assert found.point == pytest.approx(np.mean(a) - np.mean(b))
    assert bootstrap_paired_diff(a, b).method == "paired_bootstrap_percentile"
    assert bootstrap_paired_diff(a, b, groups).method == "cluster_paired_bootstrap_percentile"


@given(st.lists(st.tuples(st.sampled_from([0.1, 0.4, 0.9]), st.sampled_from([0.1, 0.4, 0.9])), min_size=2))
def test_swapping_runs_mirrors_every_digit(pairs: list[tuple[float, float]]) -> None:
    a, b = (list(side) for side in zip(*pairs, strict=True))
    one, two = (bootstrap_paired_diff(*sides, n_boot=300) for sides in ((a, b), (b, a)))
    assert one.point == -two.point
    assert math.isnan(one.ci_low) == math.isnan(two.ci_low)
    assert math.isnan(one.ci_low) or (one.ci_low, one.ci_high) == (-two.ci_high, -two.ci_low)


def test_coverage_is_what_a_percentile_interval_can_have() -> None:
    """The chapter's simulation, with a band that a 92 % interval would leave.

    Of normal scores the resampled mean is nearly N(ȳ, s₀²/n), so the truth is inside when between 5 and
    195 of 200 resamples lie below it, each with probability Φ(t√(n/(n−1))), t Student's.
    """
    n, n_boot, trials, generator = 40, 200, 2500, np.random.default_rng(11)
    t = stats.t.ppf((np.arange(2000) + 0.5) / 2000, n - 1)
    below = stats.norm.cdf(t * math.sqrt(n / (n - 1)))
    expected = np.mean(stats.binom.cdf(195, n_boot, below) - stats.binom.cdf(4, n_boot, below))
    inside = 0
    for trial in range(trials):
        found = bootstrap_mean(generator.normal(3.0, 1.0, n), n_boot=n_boot, seed=trial)
        inside += found.ci_low <= 3.0 <= found.ci_high
    assert abs(inside / trials - expected) < 3 * math.sqrt(expected * (1 - expected) / trials) < 0.015


def test_four_scores_have_the_law_of_a_binomial() -> None:
    found = bootstrap_mean([0, 0, 0, 1])  # cases.json, bootstrap-exact-small
    assert (found.ci_low, found.ci_high) == (0.0, 0.75)
    assert found.extra["boot_se"] == pytest.approx(0.216506, rel=4 / math.sqrt(2 * 10_000) * 1.5)
    assert found.n_boot == 10_000
    assert found.seed == 0


def test_half_samples_are_not_used() -> None:
    found = bootstrap_mean([1, 0, 1])  # cases.json, half-sample-not-bootstrap
    assert found.extra["boot_se"] == pytest.approx(0.272166, rel=0.03)
    assert found.standard_error == pytest.approx(math.sqrt(2 / 3 * 1 / 3 / 3))


def test_clusters_give_the_wider_bar_that_passages_need() -> None:
    """The lecture's: items alone say too little where passages of five share their luck."""
    generator = np.random.default_rng(0)
    passages = np.repeat(generator.random(40) < 0.65, 5)
    scores = np.where(generator.random(200) < 0.45, passages, generator.random(200) < 0.65).astype(int)
    groups = np.repeat(range(40), 5)
    alone, together = bootstrap_mean(scores), bootstrap_mean(scores, groups)
    assert together.extra["boot_se"] > 1.1 * alone.extra["boot_se"]
    assert together.extra["n_clusters"] == 40
    assert alone.point == together.point


def test_known_failures_are_said() -> None:
    assert "named_method_weak" in codes(bootstrap_mean([1] + [0] * 99))
    assert "bootstrap_few_units" in codes(bootstrap_mean([0.1, 0.5, 0.7, 0.2] * 3, list("aabbccddeeff")))
    assert codes(bootstrap_mean([1, 0] * 40)) == set()


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: bootstrap_mean([]), InputError, "scores is empty"),
        (lambda: bootstrap_mean([1, math.nan]), InputError, r"scores\[1\] is nan"),
        (lambda: bootstrap_mean([1, 0], ["a"]), InputError, "1 labels for 2 scores"),
        (lambda: bootstrap_mean([1, 0], ["a", "a"]), MethodError, "one cluster"),
        (lambda: bootstrap_paired_diff([1, 0], [1]), PairingError, "^a has 2 .* same items"),
        (lambda: bootstrap_paired_diff([], []), InputError, "a is empty"),
        (lambda: bootstrap_statistic([], np.mean), InputError, "data is empty"),
        (lambda: bootstrap_statistic([1.0, math.nan], np.mean), InputError, r"data\[1\] is nan"),
        (lambda: bootstrap_statistic({"a": [1]}, np.mean), InputError, "data is a dict"),
        (lambda: bootstrap_statistic([1, 2], lambda d: 1 / 0), MethodError, "ZeroDivisionError"),
        (lambda: bootstrap_statistic([1, 2], lambda d: math.nan), MethodError, "gave nan"),
        (lambda: bootstrap_statistic([1, 2], lambda d: [1, 2]), MethodError, "one finite number"),
        (lambda: bootstrap_statistic([1, 2], np.mean, n_boot=3), InputError, "too few resamples"),
    ],
)
def test_bad_input_is_an_error_that_says_what_to_do(call: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        call()


@pytest.mark.parametrize("extreme", [min, max, np.min, np.max, np.amin, np.amax, np.nanmin, np.nanmax])
def test_extremes_are_refused(extreme: Any) -> None:
    with pytest.raises(MethodError, match="minimum or maximum"):  # cases.json, bca-min
        bootstrap_statistic([1, 2, 3, 4, 10], extreme)


def test_an_extreme_in_disguise_is_degenerate() -> None:
    found = bootstrap_statistic(list(range(60)), lambda rows: sorted(rows)[-1], n_boot=500)
    assert found.point == 59
    assert math.isnan(found.ci_high)
    assert "the estimate itself" in found.extra["undefined"]["ci_high"]


def test_a_free_statistic_of_the_mean_agrees_with_the_mean() -> None:
    x = np.random.default_rng(3).normal(size=200)
    free, fast = bootstrap_statistic(x, np.mean), bootstrap_mean(x)
    assert free.point == pytest.approx(fast.point)
    assert free.method == fast.method == "bootstrap_percentile"
    noise = (
        4 * fast.extra["boot_se"] * math.sqrt(0.025 * 0.975 / 10_000) / stats.norm.pdf(1.96) * math.sqrt(2)
    )
    assert abs(free.ci_low - fast.ci_low) < noise
    assert abs(free.ci_high - fast.ci_high) < noise
    assert "order_kept" in codes(free)


@pytest.mark.parametrize("kind", ["list", "array", "pandas", "polars"])
def test_records_keep_their_kind(kind: str) -> None:
    """A ratio of two metrics from rows in four shapes: one answer."""
    rows = [(i % 7 + 1.0, i % 3 + 1.0) for i in range(60)]
    frame = pd.DataFrame(rows, columns=["a", "b"])
    data, ratio = {
        "list": (rows, lambda r: sum(one[0] for one in r) / sum(one[1] for one in r)),
        "array": (np.array(rows), lambda r: r[:, 0].sum() / r[:, 1].sum()),
        "pandas": (frame, lambda r: r["a"].sum() / r["b"].sum()),
        "polars": (
            pl.DataFrame(rows, schema=["a", "b"], orient="row"),
            lambda r: r["a"].sum() / r["b"].sum(),
        ),
    }[kind]
    found = bootstrap_statistic(data, ratio, n_boot=300, name="ratio")
    expected = bootstrap_statistic(rows, lambda r: sum(o[0] for o in r) / sum(o[1] for o in r), n_boot=300)
    assert found.point == pytest.approx(expected.point)
    assert [found.ci_low, found.ci_high] == pytest.approx([expected.ci_low, expected.ci_high])
    assert set(found.extra) <= set(EXTRA)


def test_groups_are_resampled_whole() -> None:
    groups = np.repeat(range(12), 5)
    seen: set[tuple[int, ...]] = set()

    def share(rows: list[int]) -> float:
        seen.update(tuple(rows[i : i + 5]) for i in range(0, len(rows), 5))
        return float(np.mean(rows))

    found = bootstrap_statistic(list(range(60)), share, n_boot=200, groups=groups)
    assert seen == {tuple(range(5 * g, 5 * g + 5)) for g in range(12)}
    assert found.method == "cluster_bootstrap_percentile"
    assert found.extra["n_clusters"] == 12


def test_resamples_without_a_value_count_against_both_ends() -> None:
    rows = [0] * 56 + [1] * 4

    def odds(sample: list[int]) -> float:
        return sample.count(0) / sample.count(1)

    found = bootstrap_statistic(rows, odds, n_boot=2000)
    assert found.ci_low < found.point < found.ci_high
    assert "named_method_weak" in codes(found)
    rare = bootstrap_statistic([0] * 58 + [1] * 2, odds, n_boot=2000)
    assert math.isnan(rare.ci_high)
    assert "no value on" in rare.extra["undefined"]["ci_high"]


def test_few_records_have_no_interval() -> None:
    found = bootstrap_statistic([1, 2, 3, 4, 10], np.mean)
    assert found.point == 4
    assert set(found.extra["undefined"]) == {"ci_low", "ci_high", "standard_error"}


def test_one_group_tells_nothing_and_a_stratum_of_one_unit_is_said() -> None:
    def average(rows: Any) -> float:
        return float(np.mean(rows))

    data = list(range(80))
    with pytest.raises(MethodError, match="all 80 records are in one group"):
        bootstrap_statistic(data, average, groups=[0] * 80, n_boot=100)
    said = bootstrap_statistic(data, average, strata=[0] * 79 + [1], n_boot=100).extra["caveats"]
    assert any(c["code"] == "named_method_weak" and "one unit alone" in c["text"] for c in said)
    said = bootstrap_statistic(data, average, strata=[0] * 40 + [1] * 40, n_boot=100).extra["caveats"]
    assert not any("one unit alone" in c["text"] for c in said)
