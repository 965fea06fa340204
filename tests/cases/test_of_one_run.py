"""Cases about the score of one run: edges, scales, labels, missing scores."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from scipy import stats

import evalstats as es
from evalstats.errors import InputError, MethodError
from evalstats.methods.items import Request, item_values
from evalstats.methods.mean_intervals import student_t
from evalstats.methods.means import mean
from evalstats.methods.rates import clopper_pearson_limits, proportion
from tests.cases import strategies
from tests.cases.case import SIX_DIGITS, answered
from tests.made_runs import codes, records, texts

settings.register_profile("cases", settings.get_profile("house"), max_examples=25)
few = settings(settings.get_profile("cases"))
VALUE = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}


def near(expected):
    return pytest.approx(expected, abs=SIX_DIGITS)


def limits(estimate):
    return [estimate.ci_low, estimate.ci_high]


def scored(scores, **asked):
    """The row of a list of scores read as a run; None is missing."""
    return es.score(records({f"q{i}": "" if s is None else s for i, s in enumerate(scores)}), **asked).only


ZERO = answered("ci-zero-of-25")


def test_nothing_right_has_an_interval_and_no_bare_zero():
    found, exact = mean([0.0] * 25), mean([0.0] * 25, guarantee=True)
    assert limits(found) == near(ZERO.right["wilson"])
    assert limits(exact) == near(ZERO.right["clopper_pearson"])
    assert found.extra["one_sided_upper"] == near(ZERO.right["one_sided_95_upper"])
    assert (found.point, found.to_dict()["extra"]["standard_error"]) == (ZERO.right["mean"], None)


@few
@given(drawn=strategies.ci_zero_of_25())
def test_at_an_end_the_width_is_not_zero_and_the_standard_error_has_a_reason(drawn):
    score, n = drawn
    found = mean([score] * n)
    assert 0 <= found.ci_low < found.ci_high <= 1
    assert found.ci_low == 0.0 if score == 0 else found.ci_high == 1.0
    bound = found.extra["one_sided_upper"] if score == 0 else 1 - found.extra["one_sided_lower"]
    assert stats.binom.pmf(0, n, bound) == pytest.approx(0.05)
    assert math.isnan(found.standard_error)
    assert "not how far the truth may be" in found.extra["undefined"]["standard_error"]


NO_ITEM = answered("ci-n0")


@given(k=strategies.ci_n0())
def test_no_item_is_refused(k):
    assert NO_ITEM.given == {"k": 0, "n": 0}
    for asked in (lambda: proportion(k, 0), lambda: es.score(f"{k}/0"), lambda: mean([])):
        with pytest.raises(InputError, match=r"nothing to estimate|more than|N above 0"):
            asked()


ONE = answered("ci-n1")


def test_one_item():
    found = mean(ONE.given["scores"])
    assert (found.point, found.to_dict()["extra"]["standard_error"]) == (ONE.right["mean"], ONE.right["se"])
    assert limits(found) == near(ONE.right["wilson"])
    assert limits(mean(ONE.given["scores"], guarantee=True)) == near(ONE.right["clopper_pearson"])


@few
@given(drawn=strategies.ci_n1())
def test_one_item_says_something_at_any_level_and_never_everything(drawn):
    score, level = drawn
    for asked in ({}, {"guarantee": True}):
        found = mean([score], level=level, **asked)
        assert found.ci_low <= score <= found.ci_high
        assert 0 < found.ci_high - found.ci_low < 1


CONSTANT = answered("bca-constant")


@few
@given(drawn=strategies.bca_constant())
def test_equal_scores_have_no_resampled_interval_but_a_reason_and_no_nan_in_json(drawn):
    assert (CONSTANT.given["scores"], CONSTANT.given["method"]) == ("25 times 0.3", "BCa")
    for score, n, method in (drawn, (0.3, 25, "bootstrap_bca"), (drawn[0] > 0, drawn[1], drawn[2])):
        found = mean([score] * n, method=method)
        assert math.isnan(found.ci_low)
        assert "equal" in found.extra["undefined"]["ci_low"]
        json.dumps(found.to_dict(), allow_nan=False)
    assert mean([1.0] * 25).method == "wilson"


RARE = answered("ci-one-of-30")


def test_one_of_thirty():
    k, n = RARE.given["k"], RARE.given["n"]
    assert limits(proportion(k, n)) == near(RARE.right["wilson"])
    assert limits(proportion(k, n, guarantee=True)) == near(RARE.right["clopper_pearson"])


@given(drawn=strategies.ci_one_of_30())
def test_rare_events_have_limits_above_zero_and_scipys_digits(drawn):
    k, n = drawn
    for method, name in (("wilson", "wilson"), ("clopper_pearson", "exact")):
        found = proportion(k, n, method=method)
        expected = stats.binomtest(k, n).proportion_ci(method=name)
        assert limits(found) == pytest.approx([expected.low, expected.high], abs=1e-9)
        assert found.ci_low > 0


JUDGE = answered("bounded-judge-overshoot")


def test_a_judge_at_the_top_of_the_scale():
    scores = [5] * 19 + [4]
    raw = student_t(item_values(scores, bounds=(1, 5)), Request())
    assert [raw.low, raw.high] == near(JUDGE.right["t_interval_raw"])
    found = mean(scores, bounds=(1, 5), method="bootstrap_percentile")
    assert limits(found) == near(JUDGE.right["percentile_bootstrap_exact"])
    assert (found.point, found.standard_error) == near((JUDGE.right["mean"], JUDGE.right["se"]))


@few
@given(grades=strategies.bounded_judge_overshoot())
def test_no_limit_leaves_the_scale_unless_it_is_said(grades):
    for method in ("wilson_effective", "t", "bootstrap_basic", "betting_mixture", "logit_t_shrunk"):
        found = mean(grades, bounds=(1, 5), method=method)
        assert 1 <= found.ci_low <= found.point <= found.ci_high <= 5
    raw = student_t(item_values(grades, bounds=(1, 5)), Request())
    overshoots = raw.low < 1 or raw.high > 5
    assert ("limit_clipped" in codes(mean(grades, bounds=(1, 5), method="t").extra["caveats"])) == overshoots


TINY = answered("ci-cp-tiny-alpha")


def test_a_level_of_seven_nines():
    alpha = TINY.given["alpha"]
    found = proportion(TINY.given["k"], TINY.given["n"], level=1 - alpha, guarantee=True)
    assert found.ci_high == pytest.approx(TINY.right["hi"], abs=1e-8)
    assert found.ci_low == TINY.right["lo"]


@given(drawn=strategies.ci_cp_tiny_alpha())
def test_exact_limits_at_tiny_alpha_are_beta_quantiles(drawn):
    k, n, alpha = drawn
    level = 1 - alpha
    low, high = clopper_pearson_limits(k, n, level)
    half = (1 - level) / 2
    assert low == (0.0 if k == 0 else pytest.approx(stats.beta.ppf(half, k, n - k + 1), rel=1e-8))
    assert high == (1.0 if k == n else pytest.approx(stats.beta.isf(half, k + 1, n - k), rel=1e-8))


LABELS = answered("labels-CIPN")


def test_labels_of_inspect_are_scores():
    found = scored(LABELS.given["scores"]).run.estimate
    assert (found.point, found.standard_error) == near((LABELS.right["mean"], LABELS.right["se"]))
    raw = student_t(item_values(LABELS.right["mapped"]), Request())
    assert [raw.low, raw.high] == near(LABELS.right["t_interval"])
    assert found.method != "wilson"


@few
@given(labels=strategies.labels_CIPN())
def test_a_partial_label_makes_scores_of_them_all(labels):
    found = scored(labels).run.estimate
    assert found.point == pytest.approx(sum(VALUE[label] for label in labels) / len(labels))
    assert found.method == ("wilson_effective" if "P" in labels else "wilson")


UNMAPPED = answered("unmapped-label")


@few
@given(drawn=strategies.unmapped_label())
def test_a_label_that_nobody_knows_is_named_and_never_wrong(drawn):
    assert UNMAPPED.right["answer"].startswith("error naming the label")
    labels, at, odd = drawn
    for rows, said in (([*labels[:at], odd, *labels[at:]], odd), (UNMAPPED.given["scores"], "banana")):
        with pytest.raises(InputError, match=f"'{re.escape(said)}' is no score"):
            scored(rows)


MISSING = answered("missing-denominator")


def test_half_the_scores_missing():
    row, right = scored(MISSING.given["scores"]), MISSING.right
    assert (row.run.n_total, row.run.n_scored) == (right["n_total"], right["n_scored"])
    assert row.run.estimate.point == right["complete_case"]
    assert limits(row.run.estimate) == near(right["complete_case_wilson"])
    assert list(row.missing_bounds) == right["manski_bounds"]
    wrong = scored(MISSING.given["scores"], missing="wrong").run.estimate
    assert wrong.point == right["missing_as_zero"]
    assert limits(wrong) == near(right["missing_as_zero_wilson"])


@few
@given(scores=strategies.missing_denominator())
def test_missing_scores_are_counted_bounded_and_said(scores):
    row, known = scored(scores), [s for s in scores if s is not None]
    n, right = len(scores), sum(known)
    assert (row.run.n_total, row.run.n_scored) == (n, len(known))
    assert row.run.estimate.point == pytest.approx(right / len(known))
    assert row.missing_bounds == pytest.approx((right / n, (right + n - len(known)) / n))
    assert texts(row.caveats, "missing_items").endswith("were not scored and are left out")
    assert scored(scores, missing="wrong").run.estimate.point == pytest.approx(right / n)
    with pytest.raises(InputError, match="--missing wrong"):
        scored(scores, missing="error")


OUTSIDE = answered("out-of-range-accuracy")


@few
@given(drawn=strategies.out_of_range_accuracy())
def test_a_score_outside_the_declared_scale_is_named(drawn):
    scores, at, value = drawn
    given_scores, (low, high) = OUTSIDE.given["scores"], OUTSIDE.given["declared_range"]
    for rows, position in (([*scores[:at], value, *scores[at:]], at), (given_scores, 2)):
        with pytest.raises(InputError, match=rf"scores\[{position}\] is {rows[position]:g}, outside"):
            mean(rows, bounds=(low, high))
    raw = mean(given_scores)
    assert (raw.point, raw.method) == (OUTSIDE.right["raw_mean"], "t")
    with pytest.raises(MethodError, match="'wilson' is no method for a mean of unbounded scores"):
        mean(given_scores, method="wilson")


NEGATIVE = answered("negative-scores")


def test_scores_below_zero():
    found = mean([-0.2, 0.1, 0.4, -0.6, 0.3] * 5)
    assert found.point == near(NEGATIVE.right["mean"])
    assert found.standard_error == near(NEGATIVE.right["se"])
    assert limits(found) == near(NEGATIVE.right["t_interval"])


@given(scores=strategies.negative_scores())
def test_scores_without_ends_have_students_interval(scores):
    found = mean(scores)
    expected = stats.ttest_1samp(scores, 0).confidence_interval()
    assert found.method == "t"
    assert limits(found) == pytest.approx([expected.low, expected.high], abs=1e-9)


PARTIAL = answered("partial-credit-not-binomial")


@few
@given(drawn=strategies.partial_credit_not_binomial())
def test_equal_partial_credit_is_no_rate_and_its_spread_is_not_known(drawn):
    assert PARTIAL.given["scores"] == "20 times 0.5"
    for score, n in (drawn, (0.5, 20)):
        found = mean([score] * n)
        assert (found.method, found.point) == ("wilson_effective", score)
        assert {"no_spread", "scale_assumed"} <= set(codes(found.extra["caveats"]))
        assert math.isnan(found.standard_error)
        with pytest.raises(MethodError, match="no method for a mean of bounded scores"):
            mean([score] * n, method="wilson")


TIES = answered("winrate-ties")


def test_ties_are_half_a_win():
    wins, losses, ties = (TIES.given[key] for key in ("win", "loss", "tie"))
    found = mean([1.0] * wins + [0.0] * losses + [0.5] * ties)
    assert (found.point, found.standard_error) == near((TIES.right["win_rate"], TIES.right["se"]))
    assert es.mcnemar_counts(losses, wins).pvalue == TIES.right["sign_test_ties_dropped"]


@few
@given(counts=strategies.winrate_ties())
def test_ties_narrow_the_error_bar_and_do_not_touch_the_sign_test(counts):
    wins, losses, ties = counts
    found = mean([1.0] * wins + [0.0] * losses + [0.5] * ties, bounds=(0, 1))
    assert found.point == pytest.approx((wins + ties / 2) / sum(counts))
    assert found.ci_low <= found.point <= found.ci_high
    decided = wins + losses
    expected = stats.binomtest(wins, decided).pvalue if decided else 1.0
    assert es.mcnemar_counts(losses, wins).pvalue == pytest.approx(expected, rel=1e-9)
    spread = np.std([1.0] * wins + [0.0] * losses + [0.5] * ties, ddof=1 if ties else 0)
    expected = spread / math.sqrt(sum(counts)) if spread > 0 else math.nan
    assert found.standard_error == pytest.approx(expected, rel=1e-9, nan_ok=True)
