"""Components of variance: published tables, quadratic forms as another way, laws, planted truths."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalstats.errors import InputError, MethodError
from evalstats.methods.clusters import one_way as one_way_table
from evalstats.subjects import variance

PUBLISHED = json.loads(
    (Path(__file__).parents[1] / "data" / "variance_published.json").read_text(encoding="utf-8")
)
FAST = {"n_boot": 100}
small = st.integers(2, 4)


def _components(found):
    return [component.raw for component in found.components]


def _table(array):
    """Scores and the labels of each axis, of a full array."""
    places = np.indices(array.shape).reshape(array.ndim, -1)
    return array.ravel(), *places


def _by_moments(y, terms):
    """Another way: y'Ay of each term's projection, less those of the terms inside it, set to their means.

    terms : labels of each source, from the coarsest; E[y'Ay] = Σσ²_s·tr(Z_s'AZ_s), solved for σ².
    """
    grand = np.ones((len(y), 1))
    designs = [np.asarray(term)[:, None] == np.unique(term)[None, :] for term in terms]
    seen, forms = grand, []
    for design in designs:
        bigger = np.hstack([seen, design.astype(float)])
        forms.append(bigger @ np.linalg.pinv(bigger) - seen @ np.linalg.pinv(seen))
        seen = bigger
    moments = [[np.trace(Z.T @ A @ Z) for Z in (d.astype(float) for d in designs)] for A in forms]
    return np.linalg.solve(np.array(moments), [y @ A @ y for A in forms])


def test_one_way_is_the_published_dyestuff():
    case = PUBLISHED["dyestuff"]
    y, batch, _ = _table(np.array(case["batches"], float))
    found = variance.one_way(y, batch, names=("batch", "sample"), **FAST)
    assert found["batch"].variance == pytest.approx(case["component_batch"], abs=0.5)
    assert found["sample"].variance == pytest.approx(case["component_sample"], abs=0.5)


def test_crossed_is_the_published_targets_by_judges():
    case = PUBLISHED["shrout_fleiss"]
    y, target, judge = _table(np.array(case["targets"], float))
    found = variance.crossed(y, target, judge, names=("target", "judge", ""), **FAST)
    BMS, JMS, EMS = case["BMS"], case["JMS"], case["EMS"]
    assert found["target × judge"].variance == pytest.approx(EMS, abs=0.005)
    assert found["target"].variance == pytest.approx((BMS - EMS) / 4, abs=0.005)
    assert found["judge"].variance == pytest.approx((JMS - EMS) / 6, abs=0.005)


def test_nested_is_the_published_turnip_leaves():
    case = PUBLISHED["turnip_leaves"]
    y, plant, leaf, _ = _table(np.array(case["plants"]))
    found = variance.nested(y, plant, leaf, names=("plant", "leaf", "determination"), **FAST)
    assert found["plant"].variance == pytest.approx(case["component_plants"], abs=5e-5)
    assert found["leaf"].variance == pytest.approx(case["component_leaves"], abs=5.1e-5)
    assert found["determination"].variance == pytest.approx(case["component_determinations"], abs=5e-5)


@given(st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=5), min_size=2, max_size=6))
def test_one_way_by_moments_of_quadratic_forms_whatever_the_sizes(groups):
    groups = [*groups, [1, 4]]
    y = np.array([score for group in groups for score in group], float)
    item = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    found = variance.one_way(y, item, **FAST)
    assert _components(found) == pytest.approx(_by_moments(y, [item, np.arange(len(y))]), abs=1e-9)
    table = one_way_table(y, item.astype(np.intp))
    if table is not None and table.msw + table.msb > 0:
        assert _components(found)[0] == pytest.approx((table.msb - table.msw) / table.n0, abs=1e-9)


@given(st.data(), small, small, st.integers(1, 3))
def test_crossed_by_moments_of_quadratic_forms(data, n, J, r):
    y = np.array(data.draw(st.lists(st.integers(0, 9), min_size=n * J * r, max_size=n * J * r)), float)
    item, judge, _ = (axis.ravel() for axis in np.indices((n, J, r)))
    found = variance.crossed(y, item, judge, **FAST)
    terms = [item, judge, item * J + judge] + ([np.arange(len(y))] if r > 1 else [])
    assert _components(found) == pytest.approx(_by_moments(y, terms), abs=1e-9)


@given(st.data(), small, small, st.integers(1, 3))
def test_nested_by_moments_of_quadratic_forms(data, families, tasks, attempts):
    size = families * tasks * attempts
    y = np.array(data.draw(st.lists(st.integers(0, 9), min_size=size, max_size=size)), float)
    family, task, _ = (axis.ravel() for axis in np.indices((families, tasks, attempts)))
    found = variance.nested(y, family, task, **FAST)
    terms = [family, family * tasks + task] + ([np.arange(size)] if attempts > 1 else [])
    assert _components(found) == pytest.approx(_by_moments(y, terms), abs=1e-9)
    assert [c.name for c in found.components] == ["family", "task", "attempt"][: len(terms)]


def _drawn(seed=4, n=24, J=7):
    draw = np.random.default_rng(seed)
    y = draw.normal(0, 1, (n, 1)) + draw.normal(0, 0.5, (1, J)) + draw.normal(0, 0.7, (n, J))
    return _table(y)


def test_the_order_of_rows_and_of_labels_changes_no_digit():
    y, item, judge = _drawn()
    order = np.random.default_rng(1).permutation(len(y))
    found = variance.crossed(y, item, judge, n_boot=200)
    assert variance.crossed(y[order], item[order], judge[order], n_boot=200) == found
    assert variance.one_way(y[order], item[order], n_boot=200) == variance.one_way(y, item, n_boot=200)
    by_family = variance.nested(y, item, judge, n_boot=200)
    assert variance.nested(y[order], item[order], judge[order], n_boot=200) == by_family


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_completions_changes_no_digit_whatever_the_sizes(seed):
    draw = np.random.default_rng(seed)
    item, y = np.repeat(np.arange(20), draw.integers(1, 9, 20)), draw.normal(0, 1, 20)
    y = y[item] + draw.normal(0, 1, len(item))
    order = draw.permutation(len(y))
    assert variance.one_way(y[order], item[order], n_boot=100) == variance.one_way(y, item, n_boot=100)


def test_scores_twice_as_wide_have_four_times_the_variance_and_the_same_shares():
    y, item, judge = _drawn()
    one = variance.crossed(y, item, judge, n_boot=200)
    two = variance.crossed(2 * y + 40, item, judge, n_boot=200)
    for before, then in zip(one.components, two.components, strict=True):
        assert then.variance == pytest.approx(4 * before.variance)
        assert then.share.ci_low == pytest.approx(before.share.ci_low, abs=1e-9)
    assert two.standard_error == pytest.approx(2 * one.standard_error)


def test_shares_add_to_one_and_parts_of_the_mean_to_its_variance():
    found = variance.crossed(*_drawn(), **FAST)
    assert sum(c.share.point for c in found.components) == pytest.approx(1)
    assert sum(c.of_mean for c in found.components) == pytest.approx(found.standard_error**2)
    without = sum(c.of_mean for c in found.components if c.name != "level")
    assert found.same_levels == pytest.approx(math.sqrt(without))


def test_items_with_more_completions_do_not_weigh_more():
    found = variance.one_way([1, 1, 1, 1, 0, 1, 0, 0], list("aaaabbcc"), costs={"item": 2}, **FAST)
    assert found.mean == pytest.approx((1 + 0.5 + 0) / 3)
    assert found.sizes == {"item": 3, "completion": pytest.approx(3 / (1 / 4 + 1 / 2 + 1 / 2))}
    parts = [one.of_mean for one in found.components]
    v_item, v_completion = (one.variance for one in found.components)
    assert parts == pytest.approx([v_item / 3, v_completion * (1 / 4 + 1 / 2 + 1 / 2) / 9])


def test_a_negative_component_counts_as_zero_and_is_said():
    found = variance.one_way([0, 1, 0, 1, 0, 1], list("aabbcc"), **FAST)
    assert found["item"].raw < 0 == found["item"].variance
    assert [c["code"] for c in found.caveats] == ["negative_component"]
    assert "item" in found.caveats[0]["text"]


def test_a_factor_under_six_levels_has_no_interval_and_says_so():
    y, item, judge = _drawn(J=7)
    seven = variance.crossed(y, item, judge, names=("item", "judge", ""), n_boot=200)
    assert seven["judge"].share.ci_low <= seven["judge"].share.point <= seven["judge"].share.ci_high
    few = judge < 5
    five = variance.crossed(y[few], item[few], judge[few], names=("item", "judge", ""), n_boot=200)
    assert math.isnan(five["judge"].share.ci_low)
    assert "5 of judge" in five["judge"].share.extra["undefined"]["ci_low"]
    assert five["item"].share.ci_low < five["item"].share.ci_high


def test_under_ten_items_nothing_is_resampled():
    y, item, judge = _drawn(n=9)
    found = variance.crossed(y, item, judge)
    assert all(math.isnan(c.share.ci_low) and c.share.n_boot is None for c in found.components)
    assert "9 of item: 10 are the least" in found["item"].share.extra["undefined"]["ci_low"]
    assert [c["code"] for c in variance.crossed(*_drawn(n=10), **FAST).caveats] == ["bootstrap_few_units"]
    assert not variance.crossed(*_drawn(n=50), **FAST).caveats


def test_scores_that_are_all_equal_have_no_share():
    found = variance.one_way([1, 1, 1, 1], list("aabb"), **FAST)
    assert math.isnan(found.standard_error)
    assert found.steps == found.best == ()
    assert "nothing varies" in found["item"].share.extra["undefined"]["point"]


def test_a_missing_cell_is_named():
    y, item, judge = ([1, 0, 1], ["q1", "q1", "q2"], ["x", "y", "x"])
    with pytest.raises(MethodError, match="item 'q2' by judge 'y' has no score"):
        variance.crossed(y, item, judge, names=("item", "judge", "completion"))
    with pytest.raises(MethodError, match="item 'q2' by judge 'y' has 1 where others have 2"):
        variance.crossed(
            [1, 0, 1, 1, 0, 1, 1],
            ["q1"] * 4 + ["q2"] * 3,
            list("xxyyxxy"),
            names=("item", "judge", "completion"),
        )


def test_an_unbalanced_nesting_names_the_place():
    with pytest.raises(MethodError, match="family 'b' has 1 of task and family 'a' has 2"):
        variance.nested([1, 0, 1], list("aab"), list("121"))
    with pytest.raises(MethodError, match="family 'b', task '2' has 1 of attempt"):
        variance.nested([1, 0, 1, 1, 0, 1, 1], list("aaaabbb"), list("1122112"))


def test_one_completion_of_each_and_one_of_all_are_refused():
    with pytest.raises(MethodError, match="each item has one completion"):
        variance.one_way([1, 0, 1], list("abc"))
    with pytest.raises(MethodError, match="one item"):
        variance.one_way([1, 0, 1], list("aaa"))
    with pytest.raises(MethodError, match="there is one try in each place"):
        variance.nested([1, 0, 1, 1, 0], list("abcde"), names=("item", "try"))
    with pytest.raises(MethodError, match="there is one item in each place"):
        variance.nested([1, 0, 1], list("aaa"), names=("item", "try"))
    with pytest.raises(MethodError, match="there is one task in each place"):
        variance.nested([1, 0, 1, 1], list("aabb"), list("1111"))
    with pytest.raises(MethodError, match="one level"):
        variance.crossed([1, 0, 1], list("abc"), list("xxx"))


@pytest.mark.parametrize(("cost_item", "cost_score"), [(1, 1), (30, 1), (5, 0.2), (0, 1)])
def test_the_best_number_of_completions_is_the_cheapest_of_all(cost_item, cost_score):
    """By trying every number: the variance for a fixed budget is least at it."""
    y, item, _ = _drawn(n=30, J=5)
    found = variance.one_way(y, item, costs={"item": cost_item, "score": cost_score}, **FAST)
    v_item, v_inside = (component.variance for component in found.components)
    (best,) = found.best
    assert best.exact == pytest.approx(math.sqrt(v_inside / v_item * cost_item / cost_score))
    tried = {m: (v_item + v_inside / m) * (cost_item + m * cost_score) for m in range(1, 200)}
    assert best.number == min(tried, key=tried.get)


def test_a_step_is_the_design_with_one_more():
    y, item, judge = _drawn(n=20, J=6)
    found = variance.crossed(y, item, judge, names=("item", "judge", ""), costs={"judge": 50}, **FAST)
    v_item, v_judge, v_both = (component.variance for component in found.components)

    def mean_variance(n, J):
        return v_item / n + v_judge / J + v_both / (n * J)

    wanted = {"item": (mean_variance(21, 6), 1 + 6), "judge": (mean_variance(20, 7), 50 + 20)}
    assert {step.name for step in found.steps} == wanted.keys()
    for step in found.steps:
        then, cost = wanted[step.name]
        assert (step.standard_error**2, step.cost) == pytest.approx((then, cost))
        assert step.gain == pytest.approx((1 - then / mean_variance(20, 6)) / cost)
    assert found.steps[0].gain >= found.steps[1].gain


def test_costs_that_are_none_are_refused():
    y, item, judge = _drawn()
    for costs, said in (
        ({"jugde": 2}, "'jugde'"),
        ({"item": -1}, "item costs -1"),
        ({"item": True}, "item costs True"),
        ({"score": 0}, "costs 0"),
    ):
        with pytest.raises(InputError, match=said):
            variance.crossed(y, item, judge, costs=costs, **FAST)


@pytest.mark.parametrize("three", [np.int64(3), np.float32(3), Fraction(3)])
def test_a_cost_may_be_a_number_of_any_kind(three):
    y, item, judge = _drawn()
    found = variance.crossed(y, item, judge, costs={"item": three}, **FAST)
    assert found == variance.crossed(y, item, judge, costs={"item": 3}, **FAST)


def _share_of_first(rows, truth):
    return rows.share.ci_low <= truth <= rows.share.ci_high


@pytest.mark.parametrize("J", [2, 6])
def test_planted_components_are_found(J):
    """300 items by J judges, 1 : 0.2 : 0.5. The mean of 60 estimates lies within four standard errors of its
    own spread; a judge's component of so few judges is wide, and unbiased all the same."""
    draw = np.random.default_rng(J)
    raw = []
    for _ in range(60):
        y = draw.normal(0, 1, (300, 1)) + draw.normal(0, 0.2**0.5, J) + draw.normal(0, 0.5**0.5, (300, J))
        raw.append(_components(variance.crossed(*_table(y), **FAST)))
    mean, error = np.mean(raw, axis=0), np.std(raw, axis=0, ddof=1) / math.sqrt(60)
    assert np.all(np.abs(mean - [1, 0.2, 0.5]) < 4 * error)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "J"), [(60, 6), (200, 10)])
def test_intervals_of_shares_hold_planted_truths(n, J):
    """600 tables; 95 % with a Monte Carlo error of 0.9 points: not under 91.4 %. Resampled items alone held
    the judges' share in a quarter of them."""
    draw, truth, held = np.random.default_rng(7), np.array([1, 0.1, 0.5]) / 1.6, np.zeros(3)
    for seed in range(600):
        y = draw.normal(0, 1, (n, 1)) + draw.normal(0, 0.1**0.5, J) + draw.normal(0, 0.5**0.5, (n, J))
        found = variance.crossed(*_table(y), n_boot=500, seed=seed)
        held += [_share_of_first(c, t) for c, t in zip(found.components, truth, strict=True)]
    assert np.all(held / 600 > 0.95 - 4 * math.sqrt(0.95 * 0.05 / 600))


@pytest.mark.slow
@pytest.mark.parametrize("n", [50, 200])
def test_intervals_of_pass_fail_completions_hold_planted_truths(n):
    """Items of Beta(2, 2) difficulty, three completions: item share .2. 600 runs, Monte Carlo error 0.9."""
    draw, held = np.random.default_rng(n), 0
    for seed in range(600):
        right = draw.random((n, 3)) < draw.beta(2, 2, (n, 1))
        y, item, _ = _table(right.astype(float))
        held += _share_of_first(variance.one_way(y, item, n_boot=500, seed=seed).components[0], 0.2)
    assert held / 600 > 0.95 - 4 * math.sqrt(0.95 * 0.05 / 600)


def test_names_of_a_nesting_must_fit():
    with pytest.raises(InputError, match="2 factors want 3 names"):
        variance.nested([1, 2], [1, 2], [1, 2], names=("a", "b"))
