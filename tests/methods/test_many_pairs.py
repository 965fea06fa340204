"""All pairs of many runs: each as `compare` has it, simultaneous intervals, ranks, groups, tests."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import cochrans_q
from statsmodels.stats.multitest import multipletests

import evalstats as es
from evalstats.errors import InputError, MethodError, NoGuaranteeError, PairingError
from evalstats.methods.differences import difference_test, item_difference
from evalstats.methods.items import Request
from evalstats.methods.macro import macro_difference
from evalstats.methods.many import AllPairs, all_pairs, cochran_q, friedman, macro_pairs_of, pairs_of
from evalstats.methods.many_groups import tie_groups
from evalstats.methods.many_intervals import ManyRequest
from evalstats.methods.many_items import ManyItems, in_every_run, many_items

KINDS = ("rate", "missing", "score", "clustered_rate", "clustered_score", "completions")


def made(kind: str, seed: int, K: int = 4, n: int = 80) -> ManyItems:
    """K runs that are not equally good; `missing` loses over 5 % of the items."""
    rng = np.random.default_rng(seed)
    hard, skill = rng.standard_normal((n, 1)), np.linspace(-0.3, 0.9, K)
    chance = 1 / (1 + np.exp(hard - 2 * skill))
    right = (rng.random((n, K)) < chance).astype(float)
    cluster = np.sort(rng.integers(0, n // 5, n))
    cluster = np.unique(cluster, return_inverse=True)[1]
    if kind == "rate":
        return ManyItems(right, True, (0.0, 1.0))
    if kind == "missing":
        right[rng.random((n, K)) < 0.1] = np.nan
        return ManyItems(right, True, (0.0, 1.0))
    if kind == "clustered_rate":
        return ManyItems(right, True, (0.0, 1.0), cluster)
    if kind == "completions":
        counts = rng.integers(1, 5, (n, K)).astype(float)
        return ManyItems(rng.binomial(counts.astype(int), chance) / counts, True, (0.0, 1.0), None, counts)
    scores = np.round(np.clip(5 + 2 * skill - hard + rng.standard_normal((n, K)), 1, 10), 1)
    return ManyItems(scores, False, (1.0, 10.0), cluster if kind == "clustered_score" else None)


def found(items: ManyItems, **asked: Any) -> AllPairs:
    return pairs_of(items, ManyRequest(**asked))


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=8)
@given(seed=st.integers(0, 10**6))
def test_every_pair_is_what_comparing_the_two_runs_gives(kind, seed):
    items = made(kind, seed)
    result = found(items, n_boot=100)
    each = 1 - 0.05 / 6
    assert list(zip(result.terms.first, result.terms.second, strict=True)) == [
        *itertools.combinations(range(4), 2)
    ]
    for at in range(6):
        pair = items.pair(int(result.terms.first[at]), int(result.terms.second[at]))
        alone = item_difference(pair, Request())
        assert alone.method == result.method
        assert (alone.n, alone.point) == (result.terms.n[at], pytest.approx(result.difference[at], abs=1e-12))
        limits = (result.ci_low[at], result.ci_high[at])
        assert limits == pytest.approx((alone.ci_low, alone.ci_high), abs=1e-9)
        if not items.of_counts:
            assert result.terms.v[at] == pytest.approx(alone.standard_error**2, rel=1e-9)
        assert result.terms.discordant[at] == alone.extra.get("n_discordant_units", pair.n_discordant_units)
        test = difference_test(pair)
        wanted = test.extra["mid_p"] if items.of_counts else test.pvalue
        assert result.pvalue[at] == pytest.approx(wanted, rel=1e-9)
        if result.simultaneous.method != "max_t":
            wide = item_difference(pair, Request(level=each))
            limits = (result.simultaneous.low[at], result.simultaneous.high[at])
            assert limits == pytest.approx((wide.ci_low, wide.ci_high), abs=1e-9)


def test_a_pair_without_any_difference_is_what_comparing_gives():
    """No variance: effective counts come from the clusters; t has no interval and no p."""
    for kind in ("clustered_rate", "completions", "score"):
        items = made(kind, 1)
        items.y[:, 1] = items.y[:, 0]
        if items.completions is not None:
            items.completions[:, 1] = items.completions[:, 0]
        result = found(items)
        alone = item_difference(items.pair(0, 1), Request())
        assert (result.ci_low[0], result.ci_high[0]) == pytest.approx(
            (alone.ci_low, alone.ci_high), nan_ok=True
        )
        assert not result.apart[0]
        assert not result.reject[0]


@pytest.mark.parametrize("kind", KINDS)
def test_holm_over_all_pairs_is_that_of_statsmodels(kind):
    result = found(made(kind, 3, K=6))
    reject, adjusted, *_ = multipletests(result.pvalue, method="holm")
    assert result.adjusted == pytest.approx(adjusted, rel=1e-9)
    assert result.reject.tolist() == reject.tolist()


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=8)
@given(seed=st.integers(0, 10**6))
def test_order_of_runs_and_items_changes_nothing_but_the_order(kind, seed):
    items = made(kind, seed)
    rng = np.random.default_rng(seed)
    rows, runs = rng.permutation(items.n), rng.permutation(4)
    moved = ManyItems(
        items.y[rows][:, runs],
        items.pass_fail,
        items.bounds,
        None if items.cluster is None else items.cluster[rows],
        None if items.completions is None else items.completions[rows][:, runs],
    )
    one, two = found(items, n_boot=200), found(moved, n_boot=200)
    assert two.rank.tolist() == one.rank[runs].tolist()
    assert two.rank_low.tolist() == one.rank_low[runs].tolist()
    assert two.rank_high.tolist() == one.rank_high[runs].tolist()
    assert two.score.tolist() == one.score[runs].tolist()
    assert one.simultaneous.critical == two.simultaneous.critical
    places = {frozenset(pair): at for at, pair in enumerate(itertools.combinations(range(4), 2))}
    for at, (i, j) in enumerate(itertools.combinations(runs.tolist(), 2)):
        before = places[frozenset((i, j))]
        assert two.pvalue[at] == one.pvalue[before]
        for had, has in (
            ((one.ci_low, one.ci_high), (two.ci_low, two.ci_high)),
            (
                (one.simultaneous.low, one.simultaneous.high),
                (two.simultaneous.low, two.simultaneous.high),
            ),
        ):
            low, high = had[0][before], had[1][before]
            assert (has[0][at], has[1][at]) == ((low, high) if i < j else (-high, -low))
        assert two.apart[at] == one.apart[before]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), K=st.integers(2, 9), joint=st.booleans())
def test_ranges_hold_the_rank_and_groups_say_what_the_intervals_say(kind, seed, K, joint):
    result = found(made(kind, seed, K=K), n_boot=200, joint=joint)
    assert np.all((result.rank_low <= result.rank) & (result.rank <= result.rank_high))
    assert np.all((result.rank_low >= 1) & (result.rank_high <= K))
    shared = {frozenset(pair) for group in result.groups for pair in itertools.combinations(group, 2)}
    pairs = itertools.combinations(range(K), 2)
    alike = {frozenset(pair) for pair, apart in zip(pairs, result.apart, strict=True) if not apart}
    assert shared == alike
    assert set(itertools.chain(*result.groups)) == set(range(K))
    excluded = (result.simultaneous.low > 0) | (result.simultaneous.high < 0)
    assert np.all(excluded[result.apart])
    assert np.all(result.simultaneous.low <= result.difference)
    assert np.all(result.difference <= result.simultaneous.high)


@given(seed=st.integers(0, 10**6), K=st.integers(1, 12), share=st.floats(0, 1))
def test_no_group_can_take_another_run(seed, K, share):
    rng = np.random.default_rng(seed)
    apart = np.triu(rng.random((K, K)) < share, 1)
    apart |= apart.T
    groups = tie_groups(apart, rng.permutation(K))
    for group in groups:
        others = set(range(K)) - set(group)
        assert not apart[np.ix_(group, group)].any()
        assert all(apart[other, group].any() for other in others)
    assert len({frozenset(group) for group in groups}) == len(groups)


def test_ranges_of_all_runs_at_once_are_never_narrower():
    items = made("rate", 11, K=12, n=300)
    own, joint = found(items), found(items, joint=True, method="tango")
    assert np.all((joint.rank_low <= own.rank_low) & (own.rank_high <= joint.rank_high))
    assert (joint.rank_high - joint.rank_low).sum() > (own.rank_high - own.rank_low).sum()


def test_of_a_score_of_which_less_is_better_the_least_is_first():
    items = made("score", 2)
    usual, turned = found(items), pairs_of(items, ManyRequest(), lower_is_better=True)
    assert (usual.rank + turned.rank).tolist() == [5] * 4
    assert (usual.rank_low + turned.rank_high).tolist() == [5] * 4
    assert np.array_equal(usual.difference, turned.difference)


def test_a_shared_draw_needs_twenty_discordant_units_in_every_pair():
    few = made("rate", 5, n=40)
    result = found(few)
    assert result.terms.discordant.min() < 20
    assert result.simultaneous.method == "tango"
    assert result.simultaneous.each == 1 - 0.05 / 6
    assert "fewer than 20 units" in result.simultaneous.why
    with pytest.raises(MethodError, match="max_t does not hold here: "):
        found(few, method="max_t")
    many = found(made("rate", 5, n=400))
    assert many.simultaneous.method == "max_t"
    assert (many.simultaneous.n_boot, many.simultaneous.seed) == (10_000, 0)
    assert found(made("rate", 5, n=400), method="tango").simultaneous.method == "tango"


def test_the_shared_draw_is_narrower_than_bonferroni_and_wider_than_one_pair():
    items = made("rate", 5, K=10, n=500)
    c = found(items).simultaneous.critical
    assert stats.norm.ppf(0.975) < c < stats.norm.ppf(1 - 0.025 / 45)
    assert found(items, seed=1).simultaneous.critical != c


def test_missing_items_take_the_common_ones_unless_too_many_are_lost():
    y = made("rate", 8, n=100).y
    y[:5, 1] = np.nan
    kept = in_every_run(ManyItems(y, True, (0.0, 1.0)))
    assert (kept.n, kept.complete) == (95, True)
    y[5, 2] = np.nan
    torn = in_every_run(ManyItems(y, True, (0.0, 1.0)))
    assert (torn.n, torn.complete) == (100, False)
    result = found(torn)
    assert sorted(result.terms.n.tolist()) == [94, 95, 95, 99, 99, 100]
    assert result.simultaneous.method == "tango"
    assert "different items" in result.simultaneous.why


@pytest.mark.parametrize("kind", ["rate", "clustered_rate", "completions", "score"])
def test_a_guarantee_is_exact_and_proved(kind):
    items = made(kind, 4, K=3, n=40)
    asked: dict[str, Any] = {"guarantee": True}
    if items.cluster is not None:
        asked["largest_cluster"] = 40
    result = found(items, **asked)
    assert result.method == result.simultaneous.method == "betting_mixture"
    assert result.test == ("mcnemar_exact" if kind == "rate" else "sign_flip")
    for at in range(3):
        pair = items.pair(int(result.terms.first[at]), int(result.terms.second[at]))
        assert result.pvalue[at] == difference_test(pair, guarantee=True).pvalue
        wide = item_difference(
            pair,
            Request(1 - 0.05 / 3, "betting_mixture", largest_cluster=asked.get("largest_cluster")),
        )
        limits = (result.simultaneous.low[at], result.simultaneous.high[at])
        assert limits == pytest.approx((wide.ci_low, wide.ci_high), abs=1e-9)


def test_what_has_no_proof_is_refused():
    scores = made("score", 4).y
    with pytest.raises(NoGuaranteeError, match="give bounds"):
        all_pairs(scores.T, guarantee=True)


@given(seed=st.integers(0, 10**6), K=st.integers(2, 6), n=st.integers(2, 30))
def test_cochrans_q_is_that_of_statsmodels(seed, K, n):
    right = (np.random.default_rng(seed).random((K, n)) < 0.6).astype(int)
    ours = cochran_q(right)
    if np.all(right.sum(axis=0) % K == 0):
        assert (ours.statistic, ours.pvalue) == (0.0, 1.0)
        return
    theirs = cochrans_q(right.T)
    assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-9)
    assert ours.pvalue == pytest.approx(theirs.pvalue, rel=1e-9)
    assert friedman(right).statistic == pytest.approx(ours.statistic, rel=1e-9, abs=1e-9)


@given(seed=st.integers(0, 10**6), K=st.integers(3, 6), n=st.integers(2, 30), tied=st.booleans())
def test_friedman_is_that_of_scipy(seed, K, n, tied):
    scores = np.random.default_rng(seed).standard_normal((K, n))
    scores = np.round(scores) if tied else scores
    ours = friedman(scores)
    if np.all(np.ptp(scores, axis=0) == 0):
        assert (ours.statistic, ours.pvalue) == (0.0, 1.0)
        return
    theirs = stats.friedmanchisquare(*scores)
    assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-9)
    assert ours.pvalue == pytest.approx(theirs.pvalue, rel=1e-8)


def test_items_that_all_runs_have_right_or_wrong_do_not_matter_to_q():
    right = (np.random.default_rng(3).random((4, 30)) < 0.5).astype(int)
    more = np.column_stack([right, np.ones((4, 9), int), np.zeros((4, 7), int)])
    assert cochran_q(more).statistic == pytest.approx(cochran_q(right).statistic)


@pytest.mark.parametrize(
    ("runs", "options", "error", "said"),
    [
        ([[1, 0, 1]], {}, InputError, "one row"),
        ([1, 0, 1], {}, InputError, "shape"),
        ([["a", "b"]], {}, InputError, "no table of numbers"),
        ([[1, np.inf], [1, 0]], {}, InputError, "infinite"),
        ([[1, 0], [np.nan, np.nan]], {}, InputError, r"runs\[1\] has no score"),
        ([[1, 2], [3, 11]], {"bounds": (1, 10)}, InputError, "outside the scale"),
        ([[1, 0, np.nan, np.nan], [np.nan, np.nan, 1, 0]], {}, PairingError, "no scored item in common"),
        ([[1, 0], [0, 1]], {"cluster": ["a", "a"]}, MethodError, "one cluster"),
        ([[1, 0], [0, 1]], {"level": 95}, InputError, "level=95"),
        ([[1, 0], [0, 1]], {"n_boot": 9}, InputError, "too few resamples"),
        ([[1, 0], [0, 1]], {"method": "paired_t"}, MethodError, "not for these scores"),
        ([[1, 0], [0, 1]], {"method": "tang"}, MethodError, "Did you mean 'tango'"),
        ([[1, 0], [0, 1]], {"method": "tango", "guarantee": True}, MethodError, "contradicts"),
        ([[1, 0], [0, 1]], {"largest_cluster": 3}, MethodError, "no use here"),
    ],
)
def test_bad_input_is_an_error_that_says_what_to_do(runs, options, error, said):
    with pytest.raises(error, match=said):
        all_pairs(runs, **options)


def test_tests_of_many_refuse_what_they_are_not_for():
    with pytest.raises(InputError, match="for other scores friedman"):
        cochran_q([[0.5, 1, 0], [1, 1, 0]])
    with pytest.raises(InputError, match="no score for some item"):
        friedman([[0.5, 1, 0], [1, 1, np.nan]])


def test_numbers_in_hand_are_the_public_door():
    assert es.many.all_pairs([[1, 0, 1, 1], [0, 0, 1, 0]]).terms.m == 1
    assert many_items([[True, False], [False, False]]).pass_fail


@pytest.mark.parametrize("kind", KINDS)
def test_over_several_benchmarks_every_pair_is_the_stratified_t(kind):
    benchmarks = [made(kind, seed, n=n) for seed, n in ((1, 60), (2, 90), (3, 75))]
    benchmarks[0].y[:, 1] = benchmarks[0].y[:, 0]
    result = macro_pairs_of(benchmarks, np.arange(4.0), ManyRequest())
    scale = benchmarks[0].bounds
    assert (result.method, result.test, result.simultaneous.method) == ("stratified_t",) * 3
    for at, (i, j) in enumerate(itertools.combinations(range(4), 2)):
        rows = [item_difference(items.pair(i, j), Request()) for items in benchmarks]
        alone, wide = (macro_difference(rows, scale, level=level) for level in (0.95, 1 - 0.05 / 6))
        assert result.difference[at] == pytest.approx(alone.point, abs=1e-12)
        assert (result.ci_low[at], result.ci_high[at]) == pytest.approx(
            (alone.ci_low, alone.ci_high), abs=1e-9
        )
        limits = result.simultaneous.low[at], result.simultaneous.high[at]
        assert limits == pytest.approx((wide.ci_low, wide.ci_high), abs=1e-9)
        p = 2 * stats.t.sf(abs(alone.point / alone.standard_error), alone.extra["df"])
        assert result.pvalue[at] == pytest.approx(p, rel=1e-7)


def test_over_several_benchmarks_a_pair_that_never_varies_has_tangos_limits():
    benchmarks = [made("rate", seed) for seed in (1, 2)]
    for items in benchmarks:
        items.y[:, 1] = items.y[:, 0]
    result = macro_pairs_of(benchmarks, np.arange(4.0), ManyRequest())
    rows = [item_difference(items.pair(0, 1), Request()) for items in benchmarks]
    alone = macro_difference(rows, (0.0, 1.0))
    assert (result.ci_low[0], result.ci_high[0]) == pytest.approx((alone.ci_low, alone.ci_high), abs=1e-9)
    assert np.isnan(result.pvalue[0])
    assert not result.apart[0]


def test_over_several_benchmarks_nothing_is_proved_and_one_item_says_nothing():
    benchmarks = [made("rate", seed) for seed in (1, 2)]
    with pytest.raises(NoGuaranteeError, match="no interval of a macro average has a proof"):
        macro_pairs_of(benchmarks, np.arange(4.0), ManyRequest(guarantee=True))
    with pytest.raises(MethodError, match="one item has no spread"):
        macro_pairs_of(
            [benchmarks[0], made("rate", 3, n=80).at(np.arange(80) == 0)], np.arange(4.0), ManyRequest()
        )


@pytest.mark.parametrize("kind", ["rate", "clustered_score", "few_clusters"])
def test_all_differences_are_held_at_once_as_often_as_promised(kind):
    """Family-wise coverage of five runs on 250 data sets, its Monte Carlo standard error 1.4 points."""
    held, draws, rng = 0, 250, np.random.default_rng(20)
    skill = np.array([0.5, 0.55, 0.6, 0.6, 0.7])
    first, second = np.triu_indices(5, 1)
    for _ in range(draws):
        hard = rng.random((300, 1))
        if kind == "rate":
            shared = rng.random((300, 1))
            mixed = np.where(rng.random((300, 5)) < 0.5, shared, rng.random((300, 5)))
            items = ManyItems((mixed < skill).astype(float), True, (0.0, 1.0))
        else:
            k = 60 if kind == "clustered_score" else 25
            cluster = np.repeat(np.arange(k), 300 // k)
            effect = rng.standard_normal((k, 5))[cluster] * 0.5
            items = ManyItems(skill + effect + hard + rng.standard_normal((300, 5)), cluster=cluster)
        together = found(items, n_boot=1000).simultaneous
        assert together.method == "max_t"
        truth = skill[second] - skill[first]
        held += bool(np.all((together.low <= truth) & (truth <= together.high)))
    error = np.sqrt(0.95 * 0.05 / draws)
    assert held / draws > 0.95 - 3 * error


@pytest.mark.parametrize("cluster", [None, np.arange(60) // 3])
@pytest.mark.parametrize("whole", [True, False])
def test_two_runs_without_a_common_item_are_named_in_clusters_too(cluster, whole):
    rng = np.random.default_rng(1)
    y = rng.random((3, 60)).round() if whole else rng.random((3, 60))
    y[1, :30] = y[2, 30:] = np.nan
    with pytest.raises(PairingError, match="runs 2 and 3 have no scored item in common"):
        all_pairs(y, cluster)


@pytest.mark.parametrize("cluster", [None, np.arange(42) // 3])
def test_one_huge_score_hides_no_difference_of_the_others(cluster):
    """Rounding is measured item by item: 1e14 in one item says nothing of 1 and 3 in the others."""
    y = np.random.default_rng(0).integers(1, 4, (3, 42)).astype(float)
    y[1] = y[0] + np.arange(42) % 3 + 1
    y[:, 0] = 1e14
    result = all_pairs(y, cluster)
    alone = es.mean_difference(y[0], y[1], cluster)
    assert result.terms.discordant[0] == (41 if cluster is None else 14)
    assert result.difference[0] == alone.point == pytest.approx((y[1] - y[0]).sum() / 42)
    assert result.pvalue[0] < 1e-6
    assert alone.ci_low > 1


def test_means_near_zero_of_scores_that_are_not_differ_by_rounding_alone():
    y = np.random.default_rng(0).normal(size=(3, 40))
    y[:, 0] = 0.0, 5.6e-17, -5.6e-17
    assert all_pairs(y).terms.discordant.tolist() == [39, 39, 39]
    assert all_pairs(y).terms.n.tolist() == [40, 40, 40]
