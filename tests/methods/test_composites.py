"""Averages of benchmarks by weight: second computations, laws, the stratified bootstrap, refusals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import DescrStatsW

from evalstats.errors import InputError, MethodError
from evalstats.kernel.stream import MOST_KINDS
from evalstats.methods.composites import combined_scores, composite, composite_difference
from evalstats.methods.macro import macro_mean
from evalstats.methods.means import mean
from evalstats.methods.rates import proportion
from evalstats.results import EXTRA, Estimate

UNIT = (0.0, 1.0)


def numbers(found: Estimate) -> tuple[float, float, float, float]:
    return found.point, found.ci_low, found.ci_high, found.standard_error


def codes(found: Estimate) -> set[str]:
    return {one["code"] for one in found.extra["caveats"]}


def made(seed: int, sizes: tuple[int, ...] = (60, 50, 25)) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {f"b{j}": (rng.random(n) < 0.5 + 0.1 * j).astype(float) for j, n in enumerate(sizes)}


def test_weights_are_those_of_survey_strata() -> None:
    """Σ w p and √(Σ w²p(1−p)/(n−1)) by hand, and Wilson of statsmodels on n_eff = p(1−p)/v."""
    scores, w = made(1), np.array([0.5, 0.2, 0.3])
    found = composite(scores, dict(zip(scores, 10 * w, strict=True)))
    p, n = np.array([x.mean() for x in scores.values()]), np.array([60, 50, 25])
    v = float(np.sum(w**2 * p * (1 - p) / (n - 1)))
    assert (found.point, found.standard_error) == pytest.approx((w @ p, math.sqrt(v)), rel=1e-12)
    n_eff = (w @ p) * (1 - w @ p) / v
    wanted = proportion_confint((w @ p) * n_eff, n_eff, method="wilson")
    assert (found.ci_low, found.ci_high) == pytest.approx(wanted, rel=1e-10)
    assert (found.name, found.extra["estimand"]) == ("weighted average", "weighted")


def test_macro_and_micro_are_weights_with_names() -> None:
    scores = made(2)
    sizes = {key: len(x) for key, x in scores.items()}
    macro, micro = composite(scores), composite(scores, "micro")
    assert numbers(macro) == numbers(composite(scores, dict.fromkeys(scores, 1)))
    assert numbers(micro) == numbers(composite(scores, sizes))
    assert micro.point == pytest.approx(np.concatenate(list(scores.values())).mean(), rel=1e-14)
    assert (macro.name, micro.name) == ("macro average", "micro average")
    assert (macro.extra["estimand"], micro.extra["estimand"]) == ("macro", "micro")
    assert repr(macro) == repr(macro_mean([mean(x) for x in scores.values()], UNIT))


@pytest.mark.parametrize("bounds", [(0.0, 10.0), None])
def test_an_average_from_scores_is_that_of_the_benchmarks_rows(bounds: tuple[float, float] | None) -> None:
    """Single items of all kinds, read in parts too, and clusters: without rows the digits are the same."""
    rng = np.random.default_rng(4)
    scores = {
        "judge": rng.integers(1, 11, 70),
        "continuous": 10 * rng.beta(2, 3, 90) - (bounds is None),
        "many": 10 * rng.random(MOST_KINDS + 1) + 2 * (bounds is None) * rng.random(MOST_KINDS + 1),
        "clusters": 10.0 * rng.random(60) + 3 * (bounds is None),
    }
    labels = {"clusters": np.arange(60) // 3}
    rows = [mean(x, cluster=labels.get(key), bounds=bounds) for key, x in scores.items()]
    found = composite(scores, cluster=labels, bounds=bounds, method="stratified_t")
    wanted = macro_mean(rows, bounds, method="stratified_t")
    assert numbers(found) == pytest.approx(numbers(wanted), rel=1e-13)
    assert found.extra["df"] == pytest.approx(wanted.extra["df"], rel=1e-12)
    assert (found.n, codes(found)) == (wanted.n, codes(wanted))


def test_the_case_of_a_group_of_unequal_subtasks() -> None:
    """cases.json, group-se-unweighted: 320/400 and 10/25."""
    rows = [proportion(320, 400), proportion(10, 25)]
    found = macro_mean(rows, UNIT, weights="micro")
    assert numbers(found)[0] == pytest.approx(0.776471, abs=1e-6)
    assert found.standard_error == pytest.approx(0.019744, abs=1e-6)


weights = st.lists(st.sampled_from([0.5, 1.0, 2.0, 7.0]), min_size=3, max_size=3)


@given(st.integers(0, 99), weights, st.sampled_from([0.25, 3.0, 8.0]))
def test_only_the_proportions_of_weights_matter(seed: int, w: list[float], factor: float) -> None:
    scores = made(seed)
    one, two = (composite(scores, dict(zip(scores, np.array(w) * f, strict=True))) for f in (1.0, factor))
    assert numbers(one) == pytest.approx(numbers(two), rel=1e-12, nan_ok=True)
    assert one.ci_low <= one.point <= one.ci_high
    assert set(one.extra) <= set(EXTRA)


@settings(max_examples=10)
@given(st.integers(0, 99), st.permutations([0, 1, 2]), st.sampled_from(["wilson_stratified", "bootstrap"]))
def test_the_order_of_benchmarks_and_items_changes_nothing(seed: int, order: list[int], how: str) -> None:
    method = "stratified_bootstrap_percentile" if how == "bootstrap" else how
    scores, w = made(seed), {"b0": 1.0, "b1": 2.0, "b2": 3.0}
    rng = np.random.default_rng(seed)
    moved = {f"b{j}": rng.permutation(scores[f"b{j}"]) for j in order}
    one, two = composite(scores, w, method=method), composite(moved, w, method=method)
    assert numbers(one) == pytest.approx(numbers(two), rel=1e-12)


@given(st.integers(0, 60), st.sampled_from(["stratified_t", "stratified_bootstrap_percentile"]))
def test_swapping_runs_mirrors_the_interval(seed: int, method: str) -> None:
    old, new, w = made(seed), made(seed + 1), {"b0": 1.0, "b1": 2.0, "b2": 3.0}
    one, two = (
        composite_difference(old, new, w, method=method),
        composite_difference(new, old, w, method=method),
    )
    assert (one.point, one.ci_low, one.ci_high) == pytest.approx((-two.point, -two.ci_high, -two.ci_low))


@pytest.mark.parametrize("kind", ["percentile", "basic", "bca", "studentized"])
def test_the_exact_stratified_bootstrap_is_what_resamples_approach(kind: str) -> None:
    """The slow oracle: resamples of every benchmark on its own, continuous scores and pass/fail."""
    rng = np.random.default_rng(3)
    scores = {"a": rng.random(80), "b": rng.random(40) < 0.7, "c": rng.beta(2, 5, 120)}
    w, method = {"a": 2.0, "b": 1.0, "c": 3.0}, f"stratified_bootstrap_{kind}"
    exact = composite(scores, w, method=method)
    drawn = composite(scores, w, method=method, n_boot=40_000)
    assert exact.n_boot is None or kind == "studentized"
    assert (drawn.n_boot, drawn.seed) == (40_000, 0)
    noise = exact.extra["boot_se"] / 12
    assert (drawn.ci_low, drawn.ci_high) == pytest.approx((exact.ci_low, exact.ci_high), abs=noise)
    if kind == "percentile":
        assert exact.extra["law"] == "saddlepoint" or "lattice" in exact.extra["law"]
        means = [rng.choice(x, (4000, len(x))).mean(axis=1) for x in scores.values()]
        plain = np.average(means, axis=0, weights=[2, 1, 3])
        assert np.quantile(plain, 0.025) == pytest.approx(exact.ci_low, abs=2 * noise)


def test_forty_benchmarks_take_one_law() -> None:
    rng = np.random.default_rng(0)
    scores = {f"b{j}": rng.random(100) < 0.7 for j in range(40)}
    found = composite(scores, method="stratified_bootstrap_percentile", cross_check=True)
    assert found.extra["law"].startswith("exact")
    assert max(abs(found.extra["cross_check"][end]) for end in ("low", "high")) < 4


def test_clusters_of_a_benchmark_widen_its_part() -> None:
    rng = np.random.default_rng(6)
    passages = np.repeat(rng.random(20) < 0.6, 5).astype(float)
    scores, labels = {"a": passages, "b": rng.random(60) < 0.5}, {"a": np.repeat(np.arange(20), 5)}
    alone, together = composite(scores), composite(scores, cluster=labels)
    assert together.point == pytest.approx(alone.point)
    assert together.standard_error > 1.5 * alone.standard_error
    drawn = composite(scores, cluster=labels, method="stratified_bootstrap_percentile")
    assert drawn.extra["boot_se"] == pytest.approx(together.standard_error, rel=0.06)


def test_a_difference_of_unbounded_scores_has_t_and_no_ends() -> None:
    rng = np.random.default_rng(7)
    old = {"a": rng.gamma(1, 9, 40), "b": rng.gamma(2, 9, 50)}
    new = {key: x * 1.1 + 2 for key, x in old.items()}
    found = composite_difference(old, new, "micro")
    d = {key: new[key] - old[key] for key in old}
    assert found.point == pytest.approx(np.concatenate(list(d.values())).mean())
    v = sum((len(x) / 90) ** 2 * x.var(ddof=1) / len(x) for x in d.values())
    assert found.standard_error == pytest.approx(math.sqrt(v))
    assert found.method == "stratified_t"


def test_a_weight_of_zero_leaves_a_benchmark_out() -> None:
    scores = made(4)
    found = composite(scores, {"b0": 1, "b1": 1, "b2": 0})
    assert repr(found) == repr(composite({key: scores[key] for key in ("b0", "b1")}, {"b0": 1, "b1": 1}))


def test_combined_metrics_of_the_same_items_are_their_weighted_mean() -> None:
    rng = np.random.default_rng(8)
    judge = {"correct": (rng.random(90) < 0.6).astype(float), "style": rng.random(90)}
    y = combined_scores(judge, {"correct": 3, "style": 1})
    assert y == pytest.approx((3 * judge["correct"] + judge["style"]) / 4)
    found = mean(y, bounds=(0, 1), method="t")
    oracle = DescrStatsW(y).tconfint_mean()
    assert (found.ci_low, found.ci_high) == pytest.approx(oracle)


def test_a_check_against_draws_is_refused_where_nothing_else_is_computed() -> None:
    method = "stratified_bootstrap_studentized"
    with pytest.raises(MethodError, match="no law of it is computed"):
        composite(made(3), method=method, cross_check=True)
    with pytest.raises(MethodError, match="no law of it is computed"):
        mean(made(3)["b0"], method="bootstrap_studentized", cross_check=True)


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_metrics_changes_no_digit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    metrics, weights = (
        {name: rng.random(50) for name in "abcd"},
        dict(zip("abcd", rng.random(4), strict=True)),
    )
    turned = {name: metrics[name] for name in "dbca"}
    assert combined_scores(turned, weights).tolist() == combined_scores(metrics, weights).tolist()


def test_few_units_are_said() -> None:
    small = made(5, (12, 8, 9))
    assert "bootstrap_few_units" in codes(composite(small, method="stratified_bootstrap_percentile"))
    large = made(5, (60, 50, 25))
    assert codes(composite(large, method="stratified_bootstrap_percentile")) == set()


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: composite([1, 0]), InputError, "no table of scores by name"),
        (lambda: composite(made(0), "equal"), InputError, '"macro", "micro"'),
        (lambda: composite(made(0), {"b0": 1, "b1": 1}), InputError, "none for b2"),
        (
            lambda: composite(made(0), {"b0": 1, "b1": 1, "b2": 1, "x": 1}),
            InputError,
            "weights: no benchmark x here",
        ),
        (lambda: composite(made(0), {"b0": 1, "b1": -1, "b2": 1}), InputError, "each must be 0 or more"),
        (lambda: composite(made(0), {"b0": 0, "b1": 0, "b2": 0}), InputError, "above 0"),
        (lambda: composite(made(0), {"b0": 1, "b1": 0, "b2": 0}), MethodError, "two benchmarks or more"),
        (lambda: composite(made(0), n_boot=500), MethodError, "n_boot=500 has no use"),
        (lambda: composite(made(0), method="wilson"), MethodError, "wilson_stratified"),
        (lambda: composite({"a": [1, 0], "b": [7, 9]}), InputError, "several scales"),
        (lambda: composite({"a": [4, 5], "b": [7, 9]}, method="wilson_stratified"), MethodError, "two ends"),
        (lambda: composite({"a": [1, 0], "b": [1]}), MethodError, "benchmark of one item"),
        (lambda: composite(made(0), cluster=[1]), InputError, "{benchmark: labels}"),
        (lambda: composite(made(0), cluster={"x": [1]}), InputError, "cluster: no benchmark x here"),
        (lambda: composite_difference({"a": [1]}, {"b": [1]}), InputError, "a, b: in one of the runs only"),
        (lambda: combined_scores({"a": [1], "b": [1, 0]}, {"a": 1, "b": 1}), InputError, "a 1, b 2"),
        (lambda: macro_mean([proportion(1, 2)] * 2, UNIT, weights=[1]), InputError, "1 weights for 2"),
        (
            lambda: macro_mean([proportion(1, 2)] * 2, UNIT, method="stratified_bootstrap_bca"),
            MethodError,
            "call composite",
        ),
    ],
)
def test_what_cannot_be_averaged_says_why(call: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        call()
