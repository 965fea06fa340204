"""Cut-offs and orders: other programs, laws, planted truths."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from evalstats.errors import InputError
from evalstats.methods.unpaired import unpaired_proportions
from evalstats.subjects.contamination import cut_off, order_test

scores = st.lists(st.integers(-50, 50).map(lambda x: x / 8), min_size=3, max_size=20)


def _halves(before, after):
    return [*before, *after], [False] * len(before) + [True] * len(after)


@given(scores, scores)
def test_of_one_run_it_is_welch_of_another_program(before, after):
    before, after = [*before, 7.0, 8.0], [*after, 7.0, -8.0]
    estimate, test = cut_off(*_halves(before, after))
    wanted = stats.ttest_ind(after, before, equal_var=False)
    assert test.pvalue == pytest.approx(wanted.pvalue, abs=1e-12)
    low, high = wanted.confidence_interval(0.95)
    assert (estimate.ci_low, estimate.ci_high) == pytest.approx((low, high), rel=1e-9)


@given(scores, scores, st.randoms(use_true_random=False))
def test_of_two_runs_it_is_welch_of_the_item_differences(before, after, random):
    baseline, mask = _halves([*before, 6.0, 7.0], [*after, 6.0, -7.0])
    candidate = [score + random.choice((-1, 0, 0.5, 2)) for score in baseline]
    candidate[0] += 3
    d = np.array(candidate) - np.array(baseline)
    new, old = d[np.array(mask)], d[~np.array(mask)]
    assume(np.ptp(new) > 1e-6 and np.ptp(old) > 1e-6)
    estimate, test = cut_off(baseline, mask, candidate)
    wanted = stats.ttest_ind(new, old, equal_var=False)
    assert estimate.point == pytest.approx(new.mean() - old.mean(), abs=1e-12)
    assert test.pvalue == pytest.approx(wanted.pvalue, abs=1e-9)
    assert (estimate.method, test.method) == ("welch", "welch")


def test_right_or_wrong_answers_of_one_run_are_two_rates():
    right, mask = _halves([1] * 40 + [0] * 10, [1] * 30 + [0] * 20)
    estimate, test = cut_off(right, mask)
    wanted = unpaired_proportions(40, 50, 30, 50)
    assert (estimate.ci_low, estimate.ci_high) == (wanted.ci_low, wanted.ci_high)
    assert test.method == "z_pooled"


def test_items_in_clusters_are_their_clusters():
    y, mask = _halves([0.1, 0.4, 0.5, 0.2, 0.9, 0.8], [0.3, 0.2, 0.1, 0.6, 0.5, 0.9])
    estimate, _ = cut_off(y, mask, cluster=list("aabbccddeeff"))
    assert estimate.method == "cr2_t"
    assert estimate.extra["n_clusters"] == 6


@given(scores, scores)
def test_what_is_added_to_both_sides_changes_nothing_and_swapped_sides_mirror(before, after):
    y, mask = _halves([*before, 9.0], [*after, -9.0])
    estimate, _ = cut_off(y, mask)
    swapped, _ = cut_off(y, [not one for one in mask])
    assert (swapped.ci_low, swapped.ci_high) == pytest.approx((-estimate.ci_high, -estimate.ci_low))
    moved, _ = cut_off([score + 100 for score in y], mask)
    assert moved.ci_low == pytest.approx(estimate.ci_low, abs=1e-9)


def test_a_cut_off_must_leave_items_on_both_sides():
    for mask, side in (([True] * 4, "before"), ([False] * 4, "after")):
        with pytest.raises(InputError, match=f"no item is {side} the cut-off"):
            cut_off([1, 0, 1, 0], mask)
    with pytest.raises(InputError, match="True or False for each of the 4 items"):
        cut_off([1, 0, 1, 0], ["2024"] * 4)


def test_planted_leaks_are_found_and_hard_new_items_are_not_taken_for_one():
    """A model that knows 40 % of the old items; all items get harder by 15 points. Against a reference the
    leak is seen in 96 or more of 100 draws, and a clean model is flagged in 5 % of 400 (error 1.1)."""
    draw, leaks, false = np.random.default_rng(2), 0, 0
    n, mask = 1200, np.arange(1200) >= 600
    for at in range(500):
        p = np.clip(draw.beta(4, 3, n) - 0.15 * mask, 0, 1)
        reference, clean = draw.random((2, n)) < p
        leaked = clean | ((draw.random(n) < 0.4) & ~mask)
        if at < 100:
            leaks += cut_off(reference, mask, leaked)[0].ci_high < 0
        false += at >= 100 and cut_off(reference, mask, clean)[1].pvalue <= 0.05
    assert leaks >= 96
    assert abs(false / 400 - 0.05) < 4 * math.sqrt(0.05 * 0.95 / 400)


def test_the_published_order_first_of_all_orders_has_the_smallest_p():
    shuffled = [-10.0, -11.0, -12.0, -13.0]
    assert order_test(-9.0, shuffled).pvalue == 1 / 5 == order_test(-9.0, shuffled).extra["smallest_pvalue"]
    assert order_test(-10.0, shuffled).pvalue == 2 / 5
    assert order_test(-14.0, shuffled).pvalue == 1
    assert order_test(-9.0, shuffled).effect == pytest.approx(2.5)


def test_ties_count_also_by_rounding():
    assert order_test(0.3, [0.1 + 0.2, 0.0, 0.0]).pvalue == 2 / 4


@given(st.lists(st.integers(0, 6), min_size=2, max_size=7))
def test_over_all_orders_p_is_at_most_alpha_as_often_as_alpha(values):
    """Each of the exchangeable values in turn is the published one: P(p ≤ α) ≤ α for every α."""
    pvalues = [order_test(own, [*values[:at], *values[at + 1 :]]).pvalue for at, own in enumerate(values)]
    for alpha in pvalues:
        assert np.mean(np.array(pvalues) <= alpha) <= alpha + 1e-12


def test_a_model_that_prefers_an_order_it_saw_is_found_by_scores_of_orders():
    """A planted bigram model: log-likelihood of an order = how often neighbours are those of the file."""
    draw = np.random.default_rng(0)

    def likelihood(order):
        return sum(0.1 for one, two in itertools.pairwise(order) if two == one + 1)

    shuffled = [likelihood(draw.permutation(50)) for _ in range(199)]
    assert order_test(likelihood(range(50)), shuffled).pvalue == 1 / 200


def test_what_is_no_likelihood_is_refused():
    with pytest.raises(InputError, match="canonical"):
        order_test(math.nan, [1.0])
    with pytest.raises(InputError, match="shuffled is empty"):
        order_test(1.0, [])
    with pytest.raises(InputError, match=r"shuffled\[1\]"):
        order_test(1.0, [1.0, None])
