"""Two runs: swapping them mirrors every digit, completions are never paired, and the test of every row."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evalstats.errors import InputError, MethodError, NoGuaranteeError, PairingError
from evalstats.methods.difference_tests import paired_t
from evalstats.methods.differences import METHODS, difference_test, item_difference, mean_difference
from evalstats.methods.items import Request
from evalstats.methods.mcnemar import mcnemar_counts
from evalstats.methods.paired import paired_proportions, tango_limits
from evalstats.methods.paired_intervals import effective_counts
from evalstats.methods.pairs import PairedItems, paired_items, unpaired_items
from evalstats.methods.unpaired import unpaired_proportions
from evalstats.numeric import t_of
from evalstats.results import EXTRA, Estimate
from tests.reference import cases

levels = st.floats(0.5, 0.999)
KINDS = ["percentile", "basic", "bca", "studentized"]
OF_UNITS = ["cr2_t", "cr2_t_pseudo", "betting_mixture"]
NAMED = {
    "pass/fail": [
        "tango",
        "betting_mixture",
        "bonett_price",
        "newcombe",
        *(f"paired_bootstrap_{k}" for k in KINDS),
    ],
    "clusters": ["tango_effective", *OF_UNITS, *(f"cluster_paired_bootstrap_{k}" for k in KINDS)],
    "completions": ["tango_effective", *OF_UNITS, *(f"paired_bootstrap_{k}" for k in KINDS)],
    "scores": ["paired_t", "t_pseudo", "betting_mixture", *(f"paired_bootstrap_{k}" for k in KINDS)],
    "clustered scores": [*OF_UNITS, *(f"cluster_paired_bootstrap_{k}" for k in KINDS)],
    "unpaired rates": ["newcombe_unpaired", *(f"unpaired_bootstrap_{k}" for k in KINDS)],
    "unpaired": ["welch", *(f"unpaired_bootstrap_{k}" for k in KINDS)],
    "unpaired clusters": ["cr2_t", *(f"cluster_unpaired_bootstrap_{k}" for k in KINDS)],
}
EVERY = [(situation, method) for situation, methods in NAMED.items() for method in methods]


@st.composite
def runs_of(draw: st.DrawFn, situation: str) -> dict[str, Any]:
    """Arguments of `mean_difference` for one situation."""
    n = draw(st.integers(3, 24))
    values: st.SearchStrategy[float] = st.sampled_from([0.0, 1.0])
    if situation in ("scores", "clustered scores", "unpaired", "unpaired clusters"):
        values = st.sampled_from([0.0, 0.1, 0.3, 0.7]) | st.floats(0, 1)
    run = st.lists(values, min_size=n, max_size=n)
    asked: dict[str, Any] = {"baseline": draw(run), "candidate": draw(run)}
    labels = [0, 1, *draw(st.lists(st.integers(0, 6), min_size=n - 2, max_size=n - 2))]
    if "cluster" in situation:
        asked["cluster"] = labels
    if situation == "completions":
        asked["item"] = [0, *labels[:-1]]
    if "unpaired" in situation:
        asked["paired"] = False
        if "cluster" in asked:
            asked["cluster"] = (labels, labels[::-1])
    if "scores" in situation or situation in ("unpaired", "unpaired clusters"):
        asked["bounds"] = (-1.0, 2.0)
    return asked


def found(asked: dict[str, Any], method: str | None, level: float = 0.95) -> Estimate:
    n_boot = 200 if method is not None and "bootstrap" in method else None
    declared = 24 if method == "betting_mixture" and "cluster" in asked else None
    return mean_difference(**asked, method=method, level=level, n_boot=n_boot, largest_cluster=declared)


def swapped(asked: dict[str, Any]) -> dict[str, Any]:
    turned = {**asked, "baseline": asked["candidate"], "candidate": asked["baseline"]}
    if not asked.get("paired", True) and "cluster" in asked:
        turned["cluster"] = asked["cluster"][::-1]
    return turned


@pytest.mark.parametrize(("situation", "method"), EVERY)
@settings(max_examples=7)
@given(rows=st.data(), two=st.tuples(levels, levels), seed=st.integers(0, 99))
def test_every_method_keeps_the_laws(
    situation: str, method: str, rows: Any, two: tuple[float, float], seed: int
) -> None:
    """The point inside, wider at a higher level, mirrored when swapped, the same digits in another order."""
    asked = rows.draw(runs_of(situation))
    narrow, wide = (found(asked, method, level) for level in sorted(two))
    for result in (narrow, wide):
        assert set(result.extra) <= set(EXTRA)
        assert result.method == method
        assert {"standard_error", "why", "unit", "view"} <= set(result.extra)
        assert math.isnan(result.standard_error) == ("standard_error" in result.extra.get("undefined", {}))
        if math.isnan(result.ci_low):
            assert {"ci_low", "ci_high"} <= set(result.extra["undefined"])
        else:
            assert result.ci_low <= result.point <= result.ci_high
            assert result.extra["bounds"][0] <= result.ci_low
            assert result.ci_high <= result.extra["bounds"][1]
    if not math.isnan(wide.ci_low) and not math.isnan(narrow.ci_low):
        assert wide.ci_low <= narrow.ci_low + 1e-9
        assert narrow.ci_high <= wide.ci_high + 1e-9
    mirror = found(swapped(asked), method, max(two))
    assert [mirror.point, mirror.ci_low, mirror.ci_high] == pytest.approx(
        [-wide.point, -wide.ci_high, -wide.ci_low], abs=0, rel=0, nan_ok=True
    )
    if asked.get("paired", True):
        order = np.random.default_rng(seed).permutation(len(asked["baseline"]))
        shuffled = {
            k: v if k == "bounds" else [v[i] for i in order] for k, v in asked.items() if k != "paired"
        }
        assert repr(found(shuffled, method, max(two))) == repr(wide)


@pytest.mark.parametrize("situation", NAMED)
@settings(max_examples=10)
@given(rows=st.data())
def test_tests_mirror_and_agree_with_themselves(situation: str, rows: Any) -> None:
    asked = rows.draw(runs_of(situation))
    together = unpaired_items if not asked.pop("paired", True) else paired_items
    if "cluster" in asked and together is unpaired_items:
        turned = {**asked, "cluster": asked["cluster"][::-1]}
    else:
        turned = dict(asked)
    turned["baseline"], turned["candidate"] = asked["candidate"], asked["baseline"]
    one, two = difference_test(together(**asked)), difference_test(together(**turned))
    assert set(one.extra) <= set(EXTRA)
    assert one.pvalue == pytest.approx(two.pvalue, abs=0, rel=0, nan_ok=True)
    assert one.effect == -two.effect
    assert math.isnan(one.pvalue) == ("pvalue" in one.extra.get("undefined", {}))
    assert math.isnan(one.pvalue) or 0 <= one.pvalue <= 1
    if together is paired_items:
        assert one.extra["n_discordant_units"] == two.extra["n_discordant_units"]
        same = difference_test(together(**{**asked, "candidate": asked["baseline"]}))
        assert same.effect == 0
        assert same.pvalue == 1 or (math.isnan(same.pvalue) and same.extra["sign_flip"] == 1)


@pytest.mark.parametrize("case", cases("paired_continuous", "paired_t"))
def test_paired_t_equals_that_of_r(case: dict[str, Any]) -> None:
    a, b, expected, tolerance = (
        case["input"]["a"],
        case["input"]["b"],
        case["expected"],
        case["tolerance"],
    )
    test = paired_t(a, b)
    pairs = {
        "t": test.statistic,
        "p_value": test.pvalue,
        "mean_diff": test.effect,
        "sd_diff": test.extra["sd_diff"],
        "df": test.extra["df"],
    }
    scores = paired_items(b, a, bounds=(-100, 100))
    estimate = item_difference(scores, Request(level=case["input"]["level"], method="paired_t"))
    pairs |= {"low": estimate.ci_low, "high": estimate.ci_high}
    assert set(pairs) == set(expected)
    for name, value in pairs.items():
        assert value == pytest.approx(expected[name], abs=tolerance), name


def test_equal_differences_have_no_t_but_a_sign_flip() -> None:
    constant, identical = paired_t([2, 3, 4], [1, 2, 3]), paired_t([1, 2, 3], [1, 2, 3])
    for test, effect, sign_flip in ((constant, 1, 0.25), (identical, 0, 1.0)):
        assert math.isnan(test.statistic)
        assert math.isnan(test.pvalue)
        assert set(test.extra["undefined"]) == {"statistic", "pvalue"}
        assert (test.effect, test.extra["sign_flip"]) == (effect, sign_flip)
        assert test.to_dict()["pvalue"] is None
    drifting = paired_t([0.1 + 0.2, 0.7], [0.2, 0.6])  # equal but for rounding
    assert math.isnan(drifting.pvalue)


def test_pass_fail_pairs_are_counted() -> None:
    baseline, candidate = [1] * 360 + [0] * 140, [0] * 40 + [1] * 375 + [0] * 85
    estimate = mean_difference(baseline, candidate)
    counted = paired_proportions(40, 55, 500)
    assert (estimate.ci_low, estimate.ci_high, estimate.method) == (counted.ci_low, counted.ci_high, "tango")
    assert mean_difference(baseline, candidate, method="wald").ci_low == pytest.approx(-0.0081, abs=5e-5)
    test = difference_test(paired_items(baseline, candidate))
    assert test.pvalue == mcnemar_counts(40, 55, 500).pvalue
    assert (test.method, test.extra["n_discordant_units"]) == ("mcnemar_exact", 95)
    apart = mean_difference(baseline, candidate, paired=False)
    rates = unpaired_proportions(360, 500, 375, 500)
    assert (apart.ci_low, apart.ci_high, apart.method) == (rates.ci_low, rates.ci_high, "newcombe_unpaired")
    assert difference_test(unpaired_items(baseline, candidate)).pvalue == pytest.approx(0.2824676, abs=5e-7)


@settings(max_examples=20)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=3, max_size=40), levels)
def test_effective_counts_of_single_items_are_the_counts(items: list[tuple[int, int]], level: float) -> None:
    """Every item its own cluster: n_eff is n − 1, as v divides by it, and the limits are Tango's with t."""
    old, new = np.array(items, dtype=float).T
    pair = PairedItems(old, new, pass_fail=True, bounds=(0.0, 1.0), cluster=np.arange(len(old)))
    counts = effective_counts(pair)
    n = len(old)
    if np.ptp(new - old) == 0:
        assert counts.n == pytest.approx(n)
        return
    b, c = np.mean(new > old) * (n - 1), np.mean(new < old) * (n - 1)
    assert [counts.baseline_only, counts.candidate_only, counts.n] == pytest.approx([c, b, n - 1], abs=1e-9)
    estimate = item_difference(pair, Request(level=level))
    expected = tango_limits(c, b, n - 1, t_of(level, n - 1))
    assert [estimate.ci_low, estimate.ci_high] == pytest.approx(list(expected), abs=1e-9)


def test_effective_counts_are_at_most_the_completions_of_the_shorter_run() -> None:
    """Four items, four and two completions each, differing almost alike: N = 4²/Σ½ = 8."""
    pair = PairedItems(
        np.array([0.25, 0.25, 0.25, 0.5]),
        np.array([0.5, 0.5, 0.5, 0.5]),
        pass_fail=True,
        bounds=(0.0, 1.0),
        completions_baseline=np.full(4, 4.0),
        completions_candidate=np.full(4, 2.0),
    )
    for one in (pair, pair.swapped()):
        assert effective_counts(one).n == pytest.approx(8)


def test_the_effective_test_is_the_score_statistic_against_t() -> None:
    generator = np.random.default_rng(5)
    old, new = (generator.random(48) < 0.5) * 1.0, (generator.random(48) < 0.7) * 1.0
    pair = paired_items(old, new, np.arange(48) // 6)
    test, counts = difference_test(pair), effective_counts(pair)
    b, c = counts.candidate_only, counts.baseline_only
    assert test.method == "tango_effective"
    assert test.statistic == pytest.approx((b - c) / math.sqrt(b + c))
    assert test.pvalue == pytest.approx(2 * stats.t.sf(abs(test.statistic), 7))
    assert test.extra["n_eff"] == counts.n == item_difference(pair, Request()).extra["n_eff"]


def test_differences_by_rounding_alone_are_none() -> None:
    pair = paired_items([0.1 + 0.2, 0.7], [0.3, 0.7])
    assert pair.d.tolist() == [0.0, 0.0]
    assert pair.n_discordant_units == 0


def test_repeating_rows_inside_their_cluster_changes_nothing() -> None:
    generator = np.random.default_rng(0)
    old, new, cluster = (
        (generator.random(30) < 0.5) * 1.0,
        (generator.random(30) < 0.6) * 1.0,
        np.arange(30) // 3,
    )
    one = mean_difference(old, new, cluster, method="cr2_t")
    many = mean_difference(*(np.repeat(part, 3) for part in (old, new, cluster)), method="cr2_t")
    assert [many.point, many.ci_low, many.ci_high, many.standard_error, many.extra["df"]] == pytest.approx(
        [one.point, one.ci_low, one.ci_high, one.standard_error, one.extra["df"]]
    )


def test_welch_equals_that_of_scipy() -> None:
    generator = np.random.default_rng(1)
    x, y = generator.normal(5, 1, 40), generator.normal(5.4, 2, 25)
    estimate, test = mean_difference(x, y, paired=False), difference_test(unpaired_items(x, y))
    expected = stats.ttest_ind(y, x, equal_var=False)
    interval = expected.confidence_interval(0.95)
    assert [test.statistic, test.pvalue] == pytest.approx([expected.statistic, expected.pvalue])
    assert [estimate.ci_low, estimate.ci_high] == pytest.approx([interval.low, interval.high])
    assert (estimate.method, test.method, estimate.n) == ("welch", "welch", 65)
    assert "n_discordant_units" not in estimate.extra


def test_unpaired_clusters_take_cr2_of_either_run() -> None:
    generator = np.random.default_rng(2)
    x, y, g, h = generator.random(40), generator.random(30), np.arange(40) // 4, np.arange(30) // 6
    estimate = mean_difference(x, y, (g, h), paired=False)
    by_means = stats.ttest_ind(
        y.reshape(5, 6).mean(axis=1), x.reshape(10, 4).mean(axis=1), equal_var=False
    )  # equal sizes: the clusters' means are the sample
    interval = by_means.confidence_interval(0.95)
    assert [estimate.ci_low, estimate.ci_high] == pytest.approx([interval.low, interval.high])
    assert estimate.method == "cr2_t"
    assert difference_test(unpaired_items(x, y, (g, h))).pvalue == pytest.approx(by_means.pvalue)


def test_completions_are_never_paired_with_each_other() -> None:
    """Item a was tried twice and once: what counts is its mean in either run."""
    estimate = mean_difference(
        [1, 0, 1, 1], [1, 1, 0], item=(["a", "a", "b", "c"], ["c", "a", "b"]), method="cr2_t"
    )
    d = np.array([1 - 0.5, 1 - 1, 0 - 1])[[0, 2, 1]]
    assert estimate.point == pytest.approx(d.mean())
    assert estimate.standard_error == pytest.approx(d.std(ddof=1) / math.sqrt(3))
    assert (estimate.n, estimate.extra["n_completions"]) == (3, 7)
    shuffled = mean_difference([1, 0, 1, 1, 0, 1], [0, 1, 1, 1, 1, 0], item=[0, 0, 1, 1, 2, 2])
    turned = mean_difference([0, 1, 1, 1, 1, 0], [1, 0, 1, 1, 0, 1], item=[0, 0, 1, 1, 2, 2])
    assert shuffled.point == turned.point
    assert shuffled.method == "tango_effective"


def test_fixed_items_add_both_runs_noise() -> None:
    items = np.repeat(range(6), 4)
    generator = np.random.default_rng(3)
    x, y = (generator.random((6, 4)) < 0.5) * 1.0, (generator.random((6, 4)) < 0.6) * 1.0
    estimate = mean_difference(x.ravel(), y.ravel(), item=items, view="fixed_items")
    v = sum((run.var(axis=1, ddof=1) / 4).sum() / 36 for run in (x, y))
    assert estimate.method == "fixed_items_t"
    assert estimate.standard_error == pytest.approx(math.sqrt(v))
    with pytest.raises(MethodError, match="two or more of each"):
        mean_difference([1, 0], [0, 1], view="fixed_items")


def codes(estimate: Estimate) -> set[str]:
    return {one["code"] for one in estimate.extra["caveats"]}


def test_a_cluster_that_carries_the_sign_is_said() -> None:
    old, new = np.zeros(40), np.zeros(40)
    new[:8], old[8:11] = 1, 1
    cluster = np.arange(40) // 8
    assert "sign_changes_without_cluster" in codes(mean_difference(old, new, cluster))
    alone = np.zeros(40)
    assert "sign_changes_without_cluster" not in codes(mean_difference(alone, new, cluster))


def test_caveats_name_what_an_answer_rests_on() -> None:
    old = np.zeros(60)
    new = old.copy()
    new[:4] = 1
    assert "few_discordant" in codes(mean_difference(old, new))
    assert {"few_clusters", "few_informative_clusters"} <= codes(
        mean_difference(old, new, np.arange(60) // 4)
    )
    assert "dominant_cluster" in codes(mean_difference(old, new, [0] * 40 + list(range(1, 21))))
    assert "few_nonzero_differences" in codes(mean_difference(old, new / 2))
    spread = np.linspace(-1, 1, 60)
    assert codes(mean_difference(spread, spread + np.sin(np.arange(60)), bounds=(-9, 9))) == set()
    heavy = np.append(np.sin(np.arange(59)), 80.0)
    assert "skewed" in codes(mean_difference(np.zeros(60), heavy))
    assert "named_method_weak" in codes(mean_difference(old, new, method="bootstrap_percentile"))


def test_items_in_both_unpaired_runs_are_said() -> None:
    labels = [f"q{i}" for i in range(20)]
    estimate = mean_difference([1, 0] * 10, [1, 1] * 10, item=(labels, labels), paired=False)
    assert "shared_items_unpaired" in codes(estimate)


def test_runs_without_a_difference_in_clusters_keep_a_width() -> None:
    scores = np.array([1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 1, 0], dtype=float)
    cluster = np.arange(16) // 4
    estimate = mean_difference(scores, scores, cluster)
    assert estimate.point == 0
    assert estimate.ci_low == -estimate.ci_high < -0.1
    assert 4 <= estimate.extra["n_eff"] < 16
    constant = mean_difference(np.ones(16), np.ones(16), cluster)
    assert constant.extra["n_eff"] == pytest.approx(4)


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        (([1, 0], [1]), PairingError, "baseline has 2 scores and candidate 1"),
        (([], [1]), InputError, "baseline is empty"),
        (([1], [math.nan]), InputError, r"candidate\[0\] is nan"),
        (([0, 1, 1, 0], [0, 100, 100, 100]), InputError, "divide the larger by 100"),
        (([0, 1], [0, 3], None, None, (0, 1)), InputError, r"candidate\[1\] is 3, outside"),
        (([1, 0], [1, 0], None, (["a", "b"], ["c", "d"])), PairingError, "no item is in both runs"),
        (([1, 0], [1, 0], None, (["a", "b"], ["a", "d"])), PairingError, "'b'"),
        (([1, 0], [1, 0], ([0, 1], [0, 0]), None), InputError, "has one cluster"),
        (([1, 0, 1], [1, 0], [0, 1], (list("aab"), list("ab"))), InputError, "give a pair"),
        (([1, 0], [1, 0], ["a", "a"]), MethodError, "in one cluster"),
        (([1, 0], [1, 0], ["a", "b"], None, None, False), InputError, "is a pair"),
        (([1, 0], [1, 0], (["a", "a"], ["a", "b"]), None, None, False), MethodError, "in one cluster"),
    ],
)
def test_runs_that_do_not_fit_together_are_named(asked: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        mean_difference(*asked)


def test_methods_that_are_not_honest_here_are_refused() -> None:
    old, new, cluster = [1, 0, 1, 0], [1, 1, 1, 0], [0, 0, 1, 1]
    with pytest.raises(MethodError, match="counts every item as independent"):
        mean_difference(old, new, cluster, method="tango")
    with pytest.raises(MethodError, match="resamples nothing"):
        mean_difference(old, new, n_boot=500)
    with pytest.raises(MethodError, match="Did you mean 'cluster_paired_bootstrap_bca'"):
        mean_difference(old, new, cluster, method="paired_bootstrap_bca")
    with pytest.raises(NoGuaranteeError, match="--largest-cluster M"):
        mean_difference(old, new, cluster, guarantee=True)
    with pytest.raises(NoGuaranteeError, match="proved size"):
        difference_test(unpaired_items([1.5, 2, 3], [1, 2, 4]), guarantee=True)


def test_under_guarantee_the_test_is_a_permutation() -> None:
    test = difference_test(paired_items([1.5, 2, 3, 4], [1, 2, 4, 9]), guarantee=True)
    assert (test.method, test.extra["guarantee"]) == ("sign_flip", "proved")
    assert test.pvalue == difference_test(paired_items([1.5, 2, 3, 4], [1, 2, 4, 9])).extra["sign_flip"]


def test_spellings_of_the_chapter_and_of_results_are_one() -> None:
    old, new, cluster = [1, 0, 1, 0] * 5, [1, 1, 1, 0] * 5, np.arange(20) // 2
    for short, full, labels in (
        ("bootstrap_basic", "paired_bootstrap_basic", None),
        ("cluster_bootstrap_basic", "cluster_paired_bootstrap_basic", cluster),
    ):
        results = [repr(mean_difference(old, new, labels, method=m, n_boot=300)) for m in (short, full)]
        assert results[0] == results[1]


def test_items_already_reduced_give_the_same_answer() -> None:
    pair = paired_items([1, 0, 1, 1], [1, 1, 0, 0], item=[0, 0, 1, 1])
    by_hand = PairedItems(
        np.array([0.5, 1.0]),
        np.array([1.0, 0.0]),
        pass_fail=True,
        bounds=(0.0, 1.0),
        completions_baseline=np.array([2.0, 2.0]),
        completions_candidate=np.array([2.0, 2.0]),
        within_baseline=np.array([0.5, 0.0]),
        within_candidate=np.array([0.0, 0.0]),
    )
    for field in dataclasses.fields(PairedItems):
        assert np.array_equal(getattr(pair, field.name), getattr(by_hand, field.name)), field.name
    assert repr(item_difference(pair, Request())) == repr(item_difference(by_hand, Request()))


def test_every_method_of_the_tables_is_tried_here() -> None:
    tried = {method for _, method in EVERY} | {"fixed_items_t"}
    of_counts = {"wald", "agresti_min", "tango_bonett_price", "agresti_caffo", "miettinen_nurminen"}
    of_counts |= {"clopper_pearson_rectangle", "newcombe_clopper_pearson"}  # test_paired, test_unpaired
    assert {method.name for table in METHODS for method in table} - of_counts == tried
