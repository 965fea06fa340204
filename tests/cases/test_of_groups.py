"""Cases about completions, clusters, and several benchmarks in one figure."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

import evalstats as es
from evalstats.analyses.harness_check import checks_of
from evalstats.errors import InputError, MethodError
from evalstats.methods.clusters import clustered, cr0, cr1, design_effect, one_way
from evalstats.methods.items import Request, item_values
from evalstats.methods.macro import macro_mean
from evalstats.methods.mean_intervals import cr2_t
from evalstats.methods.means import mean
from evalstats.methods.rates import proportion
from evalstats.numeric import t_of
from evalstats.subjects.passk import benchmark
from tests.cases import strategies
from tests.cases.case import answered
from tests.cases.test_of_one_run import few, limits, near
from tests.readers.small_logs import lm_eval_line, lm_eval_results, read_one, write_lm_eval

GROUP = answered("group-se-unweighted")


def test_a_group_is_averaged_over_benchmarks_with_its_own_error_bar():
    counts = [(task["k"], task["n"]) for task in GROUP.given["subtasks"]]
    found = macro_mean([proportion(*count) for count in counts], (0.0, 1.0))
    assert (found.point, found.standard_error) == near(
        (GROUP.right["unweighted_mean"], GROUP.right["unweighted_se"])
    )
    assert found.extra["estimand"] == "macro"
    pooled = macro_mean([proportion(*count) for count in counts], (0.0, 1.0), weights="micro")
    assert (pooled.point, pooled.standard_error) == near(
        (GROUP.right["weighted_mean"], GROUP.right["weighted_se"])
    )
    assert pooled.extra["estimand"] == "micro"


@few
@given(counts=strategies.group_se_unweighted())
def test_the_error_bar_of_an_average_belongs_to_that_average(counts):
    found = macro_mean([proportion(k, n) for k, n in counts], (0.0, 1.0))
    rates = [k / n for k, n in counts]
    v = sum(p * (1 - p) / (n - 1) for p, (_, n) in zip(rates, counts, strict=True)) / len(counts) ** 2
    assert found.point == pytest.approx(np.mean(rates))
    assert found.standard_error == pytest.approx(math.sqrt(v) if v else math.nan, nan_ok=True)
    assert 0 <= found.ci_low <= found.point <= found.ci_high <= 1
    assert found.ci_high > found.ci_low


WEIGHTED = answered("weighted-mean")


def test_weights_of_items_are_no_counts():
    y, w = np.array(WEIGHTED.given["scores"], float), np.array(WEIGHTED.given["weights"], float)
    found = es.weighted_mean(y, w)
    assert (found.point, found.extra["kish_n"], found.n) == near(
        (WEIGHTED.right["mean"], WEIGHTED.right["kish_n_eff"], 4)
    )
    assert cr0(clustered(y, np.arange(4), w)) == near(WEIGHTED.right["se_linearised"])
    assert "error" in WEIGHTED.right["invalid"]
    for bad in (-w, 0 * w):
        with pytest.raises(InputError, match="weights are"):
            es.weighted_mean(y, bad)


@few
@given(rows=strategies.weighted_mean())
def test_a_weighted_mean_has_the_error_bar_of_its_weights(rows):
    y, w = (np.array(column) for column in zip(*rows, strict=True))
    found, share = es.weighted_mean(y, w), w / w.sum()
    v = np.sum((share * (y - share @ y)) ** 2 / (1 - share))
    assert found.point == pytest.approx(share @ y)
    assert found.standard_error == pytest.approx(math.sqrt(v) if v > 1e-20 else math.nan, nan_ok=True)
    assert 0 <= found.ci_low <= found.point <= found.ci_high <= 1
    with pytest.raises(InputError, match="weights are"):
        es.weighted_mean(y, -w)


CHILD = answered("group-na-child")


@few
@given(written=strategies.group_na_child())
def test_a_standard_error_that_is_no_number_is_unknown_and_stops_nothing(tmp_path_factory, written):
    for said in [*written, *CHILD.given["subtask_stderr"][:2]]:
        figures = {"alias": "color_quiz", "acc,none": 0.5, "acc_stderr,none": said}
        results = lm_eval_results() | {"results": {"color_quiz": figures}}
        lines = [lm_eval_line(i) for i in range(6)]
        part = read_one(write_lm_eval(tmp_path_factory.mktemp("log"), lines, results))
        checks = {(check.metric, check.kind): check for check in checks_of(part)}
        assert checks["acc,none", "mean"].agrees
        assert all(kind == "mean" for _, kind in checks)
        assert es.score(part.header.path).only.run.estimate.standard_error > 0


KEY = answered("composite-key")


def _units(rows):
    """(n, c) of each question, a question being a paragraph and its number."""
    right: dict[tuple[int, int], list[int]] = {}
    for paragraph, question, value in rows:
        right.setdefault((paragraph, question), []).append(value)
    return [len(v) for v in right.values()], [sum(v) for v in right.values()]


def test_a_question_is_its_paragraph_and_its_number():
    n, c = _units(KEY.given["rows_paragraph_question_correct"])
    (found,) = benchmark(n, c, 2, ("pass_hat_k",))
    assert [int(right == tries) for right, tries in zip(c, n, strict=True)] == KEY.right["units"]
    assert (found.point, found.n) == (KEY.right["mean"], KEY.right["n_units"])
    with_n_minus_one = found.standard_error * math.sqrt(found.n / (found.n - 1))  # ours of a rate has n
    assert with_n_minus_one == near(KEY.right["se"])


@few
@given(drawn=strategies.composite_key())
def test_rows_of_a_question_are_one_unit_whatever_its_number_alone(drawn):
    keys, right = drawn
    rows = [(key, value) for key, pair in zip(keys, right, strict=True) for value in pair]
    found = mean([float(value) for _, value in rows], item=[key for key, _ in rows])
    assert found.n == len(keys)
    assert found.extra.get("n_completions", len(rows)) == len(rows)
    (all_right,) = benchmark(2, [sum(pair) for pair in right], 2, ("pass_hat_k",))
    assert all_right.point == pytest.approx(np.mean([all(pair) for pair in right]))


EPOCHS = answered("epochs-mean-then-se")


def _rows(items):
    return [v for epochs in items for v in epochs], np.repeat(range(len(items)), [len(e) for e in items])


def test_items_are_averaged_before_their_spread_is_taken():
    scores, items = _rows(EPOCHS.given["items_x_epochs"])
    found, right = mean(scores, item=items), EPOCHS.right
    assert (found.point, found.standard_error) == near((right["mean"], right["se_item_means"]))
    raw = cr2_t(item_values(scores, item=items), Request())
    assert [raw.low, raw.high] == near(right["t_interval_3df"])
    fixed = mean(scores, item=items, view="fixed_items")
    assert fixed.standard_error == near(right["se_fixed_items_view"])


@few
@given(items=strategies.epochs_mean_then_se())
def test_completions_never_narrow_more_than_their_items_allow(items):
    scores, labels = _rows(items)
    found = mean(scores, item=labels)
    means = [np.mean(epochs) for epochs in items]
    assert (found.n, found.point) == (len(items), pytest.approx(np.mean(means)))
    assert found.standard_error == pytest.approx(stats.sem(means))
    assert found.extra["n_eff"] <= len(scores) * (1 + 1e-12)


MODE = answered("epochs-mode")


@few
@given(counts=strategies.epochs_mode())
def test_an_items_score_is_its_mean_and_not_its_commonest_completion(counts):
    for right, wrong in (counts, (4, 6)):
        found = mean([1.0] * right + [0.0] * wrong + [1.0], item=[0] * (right + wrong) + [1])
        assert found.point == pytest.approx((right / (right + wrong) + 1) / 2)
        assert found.extra["estimand"] == "item_mean"
    assert MODE.given["item_epochs"] == "4 right, 6 wrong"
    one_item = item_values([1.0] * 4 + [0.0] * 6, item=[0] * 10)
    assert one_item.y.tolist() == [MODE.right["mean"]]


REPEATS = answered("repeat-as-items")


def test_repeats_are_no_items():
    n, m, correct = (REPEATS.given[key] for key in ("items", "repeats", "correct_rows"))
    scores, items = [1.0] * correct + [0.0] * (n * m - correct), np.repeat(range(n), m)
    found = mean(scores, item=items)
    assert (found.n, found.point) == (n, near(REPEATS.right["point"]))
    assert found.extra["view"] == "random_items"
    assert mean(scores, item=items, view="fixed_items").extra["view"] == "fixed_items"


@few
@given(drawn=strategies.repeat_as_items())
def test_an_interval_of_rows_is_refused_where_rows_repeat_items(drawn):
    n, m, percent = drawn
    scores = [float((7 * i + 13 * j) % 100 < percent) for i in range(n) for j in range(m)]
    items = np.repeat(range(n), m)
    with pytest.raises(MethodError, match="takes every score for an independent item"):
        mean(scores, item=items, method="wilson")
    found = mean(scores, item=items)
    assert (found.n, found.extra["n_completions"]) == (n, n * m)
    rows = mean(scores, item=items, estimand="row_mean")
    assert (rows.point, "row_mean" in str(rows.extra["caveats"])) == (pytest.approx(found.point), True)


UNEQUAL = answered("cluster-unequal")


def _clustered(groups):
    return [v for group in groups for v in group], np.repeat(range(len(groups)), [len(g) for g in groups])


def test_clusters_of_different_sizes():
    values = item_values(*_clustered(UNEQUAL.given["clusters"].values()))
    units, right = values.units, UNEQUAL.right
    assert (units.point, values.n, units.k) == (near(right["mean"]), right["n_items"], right["n_clusters"])
    assert (cr0(units), cr1(units)) == near((right["se_cr0"], right["se_cr1_G/(G-1)"]))
    half = t_of(0.95, units.k - 1) * cr1(units)
    assert [units.point - half, units.point + half] == near(right["t_interval_cr1"])
    independent = units.point * (1 - units.point) / (values.n - 1)
    assert cr1(units) ** 2 / independent == near(right["deff_cr1"])


@few
@given(groups=strategies.cluster_unequal())
def test_sums_over_clusters_whatever_their_order_and_names(groups):
    scores, labels = _clustered(groups)
    units = item_values(scores, labels).units
    p, n = np.mean(scores), len(scores)
    sums = [sum(v - p for v in group) for group in groups]
    assert cr0(units) == pytest.approx(math.sqrt(sum(s**2 for s in sums)) / n, abs=1e-12)
    turned = mean(scores[::-1], [f"passage {g}" for g in labels[::-1]])
    assert limits(turned) == limits(mean(scores, labels))


SINGLE = answered("cluster-single")


@few
@given(drawn=strategies.cluster_single())
def test_one_cluster_has_no_interval(drawn):
    scores, label = drawn
    assert SINGLE.given["clusters"] == "all the same"
    for rows in (scores, SINGLE.given["scores"]):
        with pytest.raises(MethodError, match="in one cluster" if len(rows) > 1 else "there is one item"):
            mean(rows, [label] * len(rows))


DEFF = answered("deff")


def test_the_design_effect():
    m, rho = DEFF.given["m"], DEFF.given["rho"]
    assert design_effect(m, rho) == near(DEFF.right["deff"])
    assert math.sqrt(design_effect(m, rho)) == near(DEFF.right["se_factor"])


@given(drawn=strategies.deff())
def test_the_design_effect_grows_with_size_and_correlation(drawn):
    m, rho = drawn
    assert 1 <= design_effect(m, rho) <= design_effect(m + 1, rho)
    assert design_effect(1, rho) == 1
    table = one_way(np.repeat([0.0, 1.0, 1.0], 4), np.repeat([0, 1, 2], 4))
    assert table.design_effect == design_effect(4, 1)


def test_weights_of_items_are_refused_where_benchmarks_are_weighed():
    with pytest.raises(InputError, match="single items go to weighted_mean"):
        es.score([{"item": 0, "score": 1}], weights=[1])
