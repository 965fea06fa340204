"""The mean of one run: which method where, what is refused and said, and the laws every interval keeps."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evalstats.errors import InputError, MethodError, NoGuaranteeError
from evalstats.methods.items import ItemValues, Request
from evalstats.methods.mean_intervals import METHODS, wilson_effective
from evalstats.methods.means import item_mean_estimate, mean
from evalstats.methods.quantiles import quantile
from evalstats.methods.rates import proportion, wilson_limits
from evalstats.numeric import t_of
from evalstats.results import EXTRA, Estimate

levels = st.floats(0.5, 0.999)
ITEMS = ["bootstrap_percentile", "bootstrap_basic", "bootstrap_bca", "bootstrap_studentized"]
CLUSTERS = [f"cluster_{name}" for name in ITEMS]
OF_CLUSTERS = ["korn_graubard_cr2", "betting_mixture", "korn_graubard", "cr2_t", "cr1_z", "logit_t_shrunk"]
OF_CLUSTERS += CLUSTERS
NAMED = {
    "pass/fail": ["wilson", "clopper_pearson", *ITEMS],
    "bounded": ["wilson_effective", "betting_mixture", "logit_t_shrunk", "t", *ITEMS],
    "unbounded": ["t", "cr2_t", *ITEMS],
    "completions": ["wilson_effective", "betting_mixture", "logit_t_shrunk", "t", "cr2_t", *ITEMS],
    "clustered": OF_CLUSTERS,
    "clustered scores": OF_CLUSTERS,
    "clustered unbounded": ["cr2_t", "cr1_z", *CLUSTERS],
}
EVERY = [(situation, method) for situation, methods in NAMED.items() for method in methods]


@st.composite
def rows_of(draw: st.DrawFn, situation: str) -> dict[str, Any]:
    """Arguments of `mean` for one situation."""
    n = draw(st.integers(2, 25))
    if situation in ("pass/fail", "clustered", "completions"):
        value: st.SearchStrategy[float] = st.sampled_from([0.0, 1.0])
    else:
        value = st.sampled_from([0.0, 0.1, 0.3, 0.7, 1.0]) | st.floats(0, 1)
    y = draw(st.lists(value, min_size=n, max_size=n))
    asked: dict[str, Any] = {"scores": y}
    if situation in ("bounded", "clustered scores"):
        asked["bounds"] = (-1.0, 2.0)
    if "unbounded" in situation:
        asked["scores"] = [10 * v - 3 for v in y]
        asked["scores"][0] = -4.5
    if "clustered" in situation:
        asked["cluster"] = [0, 1, *draw(st.lists(st.integers(0, 6), min_size=n - 2, max_size=n - 2))]
    if situation == "completions":
        asked["item"] = [0, 0, *draw(st.lists(st.integers(0, 8), min_size=n - 2, max_size=n - 2))]
    return asked


def found(asked: dict[str, Any], method: str, level: float = 0.95) -> Estimate:
    declared = 25 if method == "betting_mixture" and "cluster" in asked else None
    n_boot = 200 if "bootstrap" in method else None
    return mean(**asked, method=method, level=level, n_boot=n_boot, largest_cluster=declared)


def text(estimate: Estimate) -> str:
    return repr(estimate)


@pytest.mark.parametrize(("situation", "method"), EVERY)
@settings(max_examples=7)
@given(rows=st.data(), two=st.tuples(levels, levels), seed=st.integers(0, 99))
def test_every_method_keeps_the_laws(
    situation: str, method: str, rows: Any, two: tuple[float, float], seed: int
) -> None:
    """The point inside, wider at a higher level, the same digits in another order, plain numbers only."""
    asked = rows.draw(rows_of(situation))
    low_level, high_level = (found(asked, method, level) for level in sorted(two))
    for result in (low_level, high_level):
        assert set(result.extra) <= set(EXTRA)
        assert result.method == method
        assert {"standard_error", "why", "unit", "estimand", "view"} <= set(result.extra)
        assert math.isnan(result.standard_error) == ("standard_error" in result.extra.get("undefined", {}))
        if math.isnan(result.ci_low):
            assert {"ci_low", "ci_high"} <= set(result.extra["undefined"])
            continue
        assert result.ci_low <= result.point <= result.ci_high
        low, high = result.extra.get("bounds", (-math.inf, math.inf))
        assert low <= result.ci_low
        assert result.ci_high <= high
    if not math.isnan(high_level.ci_low) and not math.isnan(low_level.ci_low):
        assert high_level.ci_low <= low_level.ci_low + 1e-9
        assert low_level.ci_high <= high_level.ci_high + 1e-9
    order = np.random.default_rng(seed).permutation(len(asked["scores"]))
    shuffled = {k: v if k == "bounds" else [v[i] for i in order] for k, v in asked.items()}
    assert text(found(shuffled, method, max(two))) == text(found(asked, method, max(two)))


@given(st.integers(0, 40), st.integers(2, 40), levels)
def test_wilson_effective_on_zeros_and_ones_is_wilson_with_t(k: int, n: int, level: float) -> None:
    k = min(k, n)
    y = np.array([1.0] * k + [0.0] * (n - k))
    limits = wilson_effective(ItemValues(y, bounds=(0.0, 1.0)), Request(level=level))
    assert limits.extra["n_eff"] == pytest.approx(n, rel=1e-12)
    expected = wilson_limits(k / n, n, t_of(level, n - 1))
    assert [limits.low, limits.high] == pytest.approx(list(expected), abs=1e-12)


def test_one_partial_score_moves_the_interval_continuously() -> None:
    y = [1.0] * 30 + [0.0] * 10
    plain = wilson_effective(ItemValues(np.array(y), bounds=(0.0, 1.0)), Request())
    partial = mean([*y[:-1], 1e-9])
    assert partial.method == "wilson_effective"
    assert partial.ci_low == pytest.approx(plain.low, abs=1e-8)


@pytest.mark.parametrize(
    ("asked", "method"),
    [
        ({"scores": [1, 0, 1, 1]}, "wilson"),
        ({"scores": [True, False, True]}, "wilson"),
        ({"scores": [1, 0, 0.5, 1]}, "wilson_effective"),
        ({"scores": [1, 0, 1, 1], "bounds": (0, 10)}, "wilson_effective"),
        ({"scores": [7, 9, 3, 4], "bounds": (1, 10)}, "wilson_effective"),
        ({"scores": [7, 9, 3, 4]}, "t"),
        ({"scores": [1, 0, 1, 1], "item": [0, 0, 1, 2]}, "wilson_effective"),
        ({"scores": [1, 0, 1, 1], "item": [0, 3, 1, 2]}, "wilson"),
        ({"scores": [1, 0, 1, 1], "cluster": [0, 0, 1, 2]}, "korn_graubard_cr2"),
        ({"scores": [7, 9, 3, 4], "cluster": [0, 0, 1, 2]}, "cr2_t"),
        ({"scores": [1, 0, 1, 1], "item": [0, 0, 1, 1], "view": "fixed_items"}, "fixed_items_t"),
        ({"scores": [1, 0, 1, 1], "guarantee": True}, "clopper_pearson"),
    ],
)
def test_the_default_follows_the_data(asked: dict[str, Any], method: str) -> None:
    assert mean(**asked).method == method


def test_a_plain_rate_is_proportion() -> None:
    found_rate, counted = mean([1] * 360 + [0] * 140, name="accuracy"), proportion(360, 500, name="accuracy")
    assert (found_rate.ci_low, found_rate.ci_high) == (counted.ci_low, counted.ci_high)
    assert str(found_rate) == str(counted)


EPOCHS = [1, 1, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0]  # cases.json, epochs-mean-then-se
EPOCH_ITEMS = np.repeat(range(4), 3)


def test_completions_are_reduced_to_items_first() -> None:
    by_t = mean(EPOCHS, item=EPOCH_ITEMS, method="cr2_t")
    assert (by_t.point, by_t.n, by_t.extra["df"]) == (0.5, 4, pytest.approx(3))
    assert by_t.standard_error == pytest.approx(0.215166, abs=5e-7)
    half = t_of(0.95, 3) * by_t.standard_error
    assert [0.5 - half, 0.5 + half] == pytest.approx([-0.184753, 1.184753], abs=5e-7)
    assert (by_t.ci_low, by_t.ci_high) == (0.0, 1.0)
    assert "limit_clipped" in codes(by_t)
    fixed = mean(EPOCHS, item=EPOCH_ITEMS, view="fixed_items")
    assert fixed.standard_error == pytest.approx(0.117851, abs=5e-7)
    assert fixed.extra["df"] == pytest.approx(4)  # two items vary, equally, with two degrees of freedom each


def codes(estimate: Estimate) -> set[str]:
    return {one["code"] for one in estimate.extra["caveats"]}


def test_item_level_intervals_on_repeats_are_refused() -> None:
    items = np.repeat(range(30), 10)  # cases.json, repeat-as-items
    scores = np.zeros(300)
    scores[:49] = 1
    with pytest.raises(MethodError, match="independent item"):
        mean(scores, item=items, method="wilson")
    assert mean(scores, item=items).n == 30
    assert mean(scores, item=items).point == pytest.approx(0.163333, abs=5e-7)


def test_equal_completions_have_their_score_to_the_last_digit() -> None:
    """Means of three and of seven times 0.1 would differ by rounding, and look like spread."""
    estimate = mean([0.1] * 10, item=[0] * 3 + [1] * 7)
    assert estimate.point == 0.1
    assert math.isnan(estimate.standard_error)
    assert "no_spread" in codes(estimate)


def test_effective_n_of_completions_is_at_most_their_number() -> None:
    scores, items = [1, 0] * 20, np.repeat(range(20), 2)  # every item exactly half right
    estimate = mean([*scores, 1, 1], item=[*items, 99, 99])
    assert estimate.extra["n_eff"] == pytest.approx(42)


CLUSTERED = {"a": [1, 1, 1, 1, 0], "b": [0, 0, 0], "c": [1, 1], "d": [0], "e": [1, 0, 1, 1], "f": [0, 0, 1]}
UNEQUAL = [v for values in CLUSTERED.values() for v in values]  # cases.json, cluster-unequal
LABELS = [label for label, values in CLUSTERED.items() for _ in values]


def test_unequal_clusters() -> None:
    estimate = mean(UNEQUAL, LABELS, method="cr1_z")
    assert (estimate.point, estimate.n, estimate.extra["n_clusters"]) == (pytest.approx(10 / 18), 18, 6)
    half = (estimate.ci_high - estimate.ci_low) / 2
    assert half / stats.norm.ppf(0.975) == pytest.approx(0.154197, abs=5e-7)
    assert {"few_clusters", "few_informative_clusters", "dominant_cluster"} <= codes(estimate)


def test_one_cluster_is_an_error() -> None:
    with pytest.raises(MethodError, match="all 6 items are in one cluster"):
        mean([1, 0, 1, 1, 0, 1], ["x"] * 6)


def test_bounded_judge_scores_stay_on_their_scale() -> None:
    scores = [5] * 19 + [4]  # cases.json, bounded-judge-overshoot
    by_t = mean(scores, bounds=(1, 5), method="t")
    assert (by_t.point, by_t.ci_high) == (4.95, 5.0)
    assert by_t.ci_low == pytest.approx(4.845349, abs=5e-7)
    assert by_t.standard_error == pytest.approx(0.05)
    assert "5.055" in next(c["text"] for c in by_t.extra["caveats"] if c["code"] == "limit_clipped")
    resampled = mean(scores, bounds=(1, 5), method="bootstrap_percentile")
    assert [resampled.ci_low, resampled.ci_high] == pytest.approx([4.85, 5.0])
    assert {"few_off_mode", "dominant_item"} <= codes(mean(scores, bounds=(1, 5)))


def test_negative_scores_have_a_t_interval() -> None:
    estimate = mean([-0.2, 0.1, 0.4, -0.6, 0.3] * 5)  # cases.json, negative-scores
    assert [estimate.ci_low, estimate.ci_high] == pytest.approx([-0.153063, 0.153063], abs=5e-7)
    assert estimate.standard_error == pytest.approx(0.074162, abs=5e-7)


def test_scores_without_spread_say_so() -> None:
    estimate = mean([0.5] * 20)  # cases.json, partial-credit-not-binomial
    assert estimate.method == "wilson_effective"
    assert "no_spread" in codes(estimate)
    assert math.isnan(estimate.standard_error)
    unbounded = mean([3.5] * 20)
    assert math.isnan(unbounded.ci_low)
    assert "width 0" in unbounded.extra["undefined"]["ci_low"]


@pytest.mark.parametrize("method", ITEMS)
def test_a_constant_has_no_bootstrap_interval(method: str) -> None:
    estimate = mean([0.3] * 25, method=method)  # cases.json, bca-constant
    assert math.isnan(estimate.ci_low)
    assert estimate.to_dict()["ci_low"] is None
    assert "equal" in estimate.extra["undefined"]["ci_high"]


def test_one_item_has_no_interval_but_a_reason() -> None:
    for scores, bounds in (([0.4], None), ([3.0], None), ([7], (1, 10))):
        estimate = mean(scores, bounds=bounds)
        assert math.isnan(estimate.ci_high)
        assert "one item" in estimate.extra["undefined"]["ci_low"]


def test_two_hundred_judge_answers() -> None:
    """Row 13: the interval of a mean of 6.63, by the default and by resampling, agree."""
    generator = np.random.default_rng(4)
    scores = np.clip(np.round(generator.normal(6.63, 1.9, 200)), 1, 10)
    default = mean(scores, bounds=(1, 10), name="judge")
    resampled = mean(scores, bounds=(1, 10), method="bootstrap_percentile", n_boot=10_000)
    assert default.method == "wilson_effective"
    assert abs(default.ci_low - resampled.ci_low) < 0.05
    assert abs(default.ci_high - resampled.ci_high) < 0.05
    median = quantile(scores)
    assert median.ci_low <= median.point <= median.ci_high


@pytest.mark.parametrize(
    ("scores", "bounds", "said"),
    [
        ([], None, "scores is empty"),
        ([1, None], None, r"scores\[1\] is None"),
        ([1, 0, math.nan], None, r"scores\[2\] is nan"),
        ([1, math.inf], None, r"scores\[1\] is inf"),
        (["C", "I"], None, r"scores\[0\] is 'C'"),
        ([1, 1, 2.5, 0], (0, 1), r"scores\[2\] is 2.5, outside the scale from 0 to 1"),
        ([[1, 0], [0, 1]], None, "2 dimensions"),
        ("101", None, "no list of scores"),
        (7, None, "no list of scores"),
        ([1, 0], (1, 0), "no scale"),
        ([1, 0], 5, "no scale"),
    ],
)
def test_what_is_no_score_is_named(scores: Any, bounds: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        mean(scores, bounds=bounds)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"level": 95}, "level=0.95|level"),
        ({"seed": -1}, "seed"),
        ({"n_boot": 10, "method": "bootstrap_bca"}, "too few resamples"),
        ({"view": "fixed"}, "view='fixed'"),
        ({"estimand": "median"}, "estimand='median'"),
        ({"estimand": "row_mean"}, "needs item="),
        ({"estimand": "cluster_mean"}, "needs cluster="),
        ({"cluster": [1]}, "1 labels for 4 scores"),
        ({"cluster": [1, 2, None, 2]}, r"cluster\[2\] is missing"),
        ({"item": [0, 0, 1, 1], "cluster": [0, 1, 1, 1]}, "more than one cluster"),
    ],
)
def test_options_are_checked_at_the_door(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        mean([1, 0, 1, 1], **options)


def test_refusals_say_what_there_is() -> None:
    with pytest.raises(MethodError, match="Did you mean 'wilson'"):
        mean([1, 0], method="wilsen")
    with pytest.raises(MethodError, match="Did you mean 'cluster_bootstrap_bca'"):
        mean([1, 0, 1], [0, 0, 1], method="bootstrap_bca")
    with pytest.raises(MethodError, match="resamples nothing"):
        mean([1, 0], n_boot=1000)
    with pytest.raises(MethodError, match="two or more of each"):
        mean([1, 0, 1], item=[0, 0, 1], view="fixed_items")
    with pytest.raises(NoGuaranteeError, match="--largest-cluster M"):
        mean([1, 0, 1], [0, 1, 1], guarantee=True)
    with pytest.raises(NoGuaranteeError, match="any value"):
        mean([1, 0, 7], guarantee=True)


def test_estimands_are_named_and_differ() -> None:
    scores, cluster = [1, 1, 1, 1, 0, 0], [0, 0, 0, 0, 1, 2]
    by_item, by_cluster = mean(scores, cluster), mean(scores, cluster, estimand="cluster_mean")
    assert (by_item.point, by_cluster.point) == (pytest.approx(4 / 6), pytest.approx(1 / 3))
    assert by_cluster.extra["estimand"] == "cluster_mean"
    rows = mean([1, 1, 1, 0], item=[0, 0, 0, 1], estimand="row_mean")
    assert (rows.point, rows.n) == (0.75, 2)
    assert "row_mean" in codes(rows)
    assert mean([1, 1, 1, 0], item=[0, 0, 0, 1]).point == 0.5


def test_item_and_cluster_means_far_apart_are_said() -> None:
    scores = [1] * 60 + [0] * 40
    cluster = [0] * 30 + [1] * 30 + list(range(2, 42))
    assert "item_mean_vs_cluster_mean" in codes(mean(scores, cluster))
    assert "item_mean_vs_cluster_mean" not in codes(mean([1, 0] * 40, np.repeat(range(20), 4)))


def test_informative_clusters_are_counted_on_the_scale_of_kish() -> None:
    """Twelve of 24 clusters are off the commonest mean, but half of the items sit in two clusters."""
    scores, cluster = [1, 0] * 12, list(range(24))
    assert "few_informative_clusters" not in codes(mean(scores, cluster))
    heavy = mean([*scores, *[1] * 12, *[0] * 12], [*cluster, *[0] * 12, *[1] * 12])
    assert "few_informative_clusters" in codes(heavy)


def test_skewed_scores_are_said() -> None:
    heavy = [*np.linspace(1, 2, 99), 400.0]
    assert "skewed" in codes(mean(heavy))
    assert "skewed" not in codes(mean(np.linspace(-5, 5, 101)))
    assert "skewed" in codes(mean(np.linspace(-5, 5, 27)))  # n < 28 whatever the shape


def test_narrow_scores_are_said() -> None:
    assert "narrow_scores" in codes(mean(5 + np.linspace(-0.1, 0.1, 50), bounds=(0, 10)))


def test_bootstrap_of_a_rare_event_carries_its_caveat() -> None:
    assert "named_method_weak" in codes(mean([1] + [0] * 99, method="bootstrap_percentile"))
    assert "named_method_weak" not in codes(mean([1] * 50 + [0] * 50, method="bootstrap_percentile"))


def test_a_million_items_resample_in_a_moment() -> None:
    scores = np.zeros(1_000_000)  # cases.json, bootstrap-huge-n
    scores[:720_000] = 1
    estimate = mean(scores, method="bootstrap_bca")
    assert [estimate.ci_low, estimate.ci_high] == pytest.approx([0.71912, 0.72088], abs=5e-5)
    assert estimate.extra["acceleration"] == pytest.approx(-1.633e-04, rel=1e-3)


def test_digits_do_not_depend_on_the_process() -> None:
    """cases.json, seed-reproducible: hash seeds, other calls before, labels of another kind."""
    program = (
        "import numpy as np; from evalstats.methods.means import mean;"
        "np.random.seed(3); x = [0.1, 0.7, 0.3, 0.9, 0.5, 0.2] * 4; g = [f'p{i % 7}' for i in range(24)];"
        "print(repr(mean(x, method='bootstrap_bca')),"
        "repr(mean(x, g, method='cluster_bootstrap_percentile')))"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]
    x, g = [0.1, 0.7, 0.3, 0.9, 0.5, 0.2] * 4, [6 - i % 7 for i in range(24)]
    here = mean(x, method="bootstrap_bca"), mean(x, g, method="cluster_bootstrap_percentile")
    assert runs[0].strip() == f"{here[0]!r} {here[1]!r}"


def test_items_already_reduced_give_the_same_answer() -> None:
    values = ItemValues(
        np.array([1.0, 0.0, 2 / 3, 1 / 3]),
        pass_fail=True,
        bounds=(0.0, 1.0),
        completions=np.full(4, 3.0),
        within=np.array([0.0, 0.0, 2 / 3, 2 / 3]),
    )
    assert text(item_mean_estimate(values, Request())) == text(mean(EPOCHS, item=EPOCH_ITEMS))


def test_every_method_of_the_tables_is_tried_here() -> None:
    tried = {method for _, method in EVERY} | {"fixed_items_t"}
    elsewhere = {"wald", "wilson_cc", "jeffreys", "mid_p", "agresti_coull", "blaker"}  # test_rates
    assert {method.name for table in METHODS for method in table} - elsewhere == tried


@given(st.lists(st.integers(0, 5), min_size=1, max_size=60), st.floats(0.05, 0.95), levels)
def test_quantile_limits_are_their_definition(values: list[int], q: float, level: float) -> None:
    n, ordered = len(values), sorted(values)
    alpha = (1 - level) * (1 + 1e-12)
    law = stats.binom(n, q)
    r = max((j for j in range(1, n + 1) if law.cdf(j - 1) <= alpha / 2), default=0)
    s = min((j for j in range(1, n + 1) if law.sf(j - 1) <= alpha / 2), default=n + 1)
    estimate = quantile(values, q, level=level)
    assert math.isnan(estimate.ci_low) if r == 0 else estimate.ci_low == ordered[r - 1]
    assert math.isnan(estimate.ci_high) if s == n + 1 else estimate.ci_high == ordered[s - 1]
    assert not estimate.ci_low > estimate.point
    assert not estimate.ci_high < estimate.point
    missing = {"standard_error": True, "ci_low": r == 0, "ci_high": s == n + 1}
    assert set(estimate.extra["undefined"]) == {field for field, gone in missing.items() if gone}


def test_a_median_needs_six_items() -> None:
    assert math.isnan(quantile([1, 2, 3, 4, 5]).ci_low)
    assert (quantile([1, 2, 3, 4, 5, 6]).ci_low, quantile([1, 2, 3, 4, 5, 6]).ci_high) == (1, 6)
    assert quantile([1, 2, 3, 4]).point == 2.5


def test_scores_in_clusters_are_as_exact_as_their_spread_allows():
    """Korn–Graubard's bounds count right or wrong answers: scores that hardly vary are not held to them."""
    rng = np.random.default_rng(5)
    scores = 0.34 + 0.02 * rng.standard_normal(60)
    passages = np.arange(60) // 4
    default = mean(scores, cluster=passages, bounds=(0, 1))
    by_t = mean(scores, cluster=passages, bounds=(0, 1), method="cr2_t")
    assert default.method == "korn_graubard_cr2"
    assert default.ci_high - default.ci_low == pytest.approx(by_t.ci_high - by_t.ci_low, rel=0.05)
