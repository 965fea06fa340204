"""`slices`: each slice's answer, the slice against the rest, the family, and what is too small to say."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint, proportions_ztest

import evalstats as es
from evalstats.errors import InputError
from tests.made_runs import codes
from tests.made_slices import SIZES, after, languages, logged, of_language, passes, with_small

RUN = languages()


def _by_value(result):
    return {one.value: one for one in result}


@pytest.mark.parametrize("language", SIZES)
def test_a_slice_has_the_score_of_its_items_alone(language):
    alone = es.score(of_language(RUN, language)).only
    found = es.slices(RUN, by="language")[language].score
    assert found.to_dict() == {**alone.to_dict(), "slice": f"language={language}"}
    k, n = passes(of_language(RUN, language))
    low, high = proportion_confint(k, n, method="wilson")
    assert (found.run.estimate.ci_low, found.run.estimate.ci_high) == pytest.approx((low, high), abs=1e-12)


@pytest.mark.parametrize("language", SIZES)
def test_a_slice_is_held_against_the_rest_by_pooled_z(language):
    inside = passes(of_language(RUN, language))
    outside = passes([r for r in RUN if r["language"] != language])
    z, p = proportions_ztest(*zip(inside, outside, strict=True))
    test = es.slices(RUN, by="language")[language].comparison.test
    assert test.method == "z_pooled"
    assert (test.statistic, test.pvalue) == pytest.approx((z, p), rel=1e-10)
    assert test.effect == pytest.approx(inside[0] / inside[1] - outside[0] / outside[1], abs=1e-15)


def test_fisher_where_an_expected_count_is_under_five():
    rows = [{"id": f"a{i}", "topic": "a", "score": int(i > 0)} for i in range(12)]
    rows += [{"id": f"b{i}", "topic": "b", "score": int(i > 5)} for i in range(30)]
    test = es.slices(rows, by="topic")["a"].comparison.test
    assert test.method == "fisher"
    assert test.pvalue == pytest.approx(stats.fisher_exact([[11, 1], [24, 6]])[1], rel=1e-10)


def test_scores_that_are_not_all_right_or_wrong_are_held_against_the_rest_by_welch():
    draw = random.Random(4)
    rows = [{"id": i, "topic": "ab"[i % 3 > 0], "score": draw.uniform(0, 1)} for i in range(90)]
    found = es.slices(rows, by="topic")["a"]
    inside, outside = ([r["score"] for r in rows if (r["topic"] == "a") == own] for own in (True, False))
    welch = stats.ttest_ind(inside, outside, equal_var=False)
    assert found.score.run.estimate.method == "wilson_effective"
    assert (found.comparison.test.method, found.comparison.difference.method) == ("welch", "welch")
    assert found.comparison.test.pvalue == pytest.approx(welch.pvalue, rel=1e-10)
    low, high = welch.confidence_interval(0.95)
    assert (found.comparison.difference.ci_low, found.comparison.difference.ci_high) == pytest.approx(
        (low, high), abs=1e-12
    )


def _passages(across: bool):
    """40 passages of 3 items; a passage lies in one topic, or in both."""
    draw = random.Random(6)
    return [
        {
            "id": f"{p}-{i}",
            "passage": f"p{p}",
            "topic": "ab"[(i if across else p) % 2],
            "score": int(draw.random() < (0.5 if p % 4 else 0.9)),
        }
        for p in range(40)
        for i in range(3)
    ]


@pytest.mark.parametrize("across", [False, True])
def test_in_clusters_slice_and_rest_are_compared_by_cr2(across):
    rows = _passages(across)
    found = es.slices(rows, by="topic", cluster="passage")["a"]
    parts = [[r for r in rows if r["topic"] == topic] for topic in "ba"]
    expected = es.mean_difference(
        *[[r["score"] for r in part] for part in parts],
        cluster=tuple([r["passage"] for r in part] for part in parts),
        paired=False,
    )
    assert found.comparison.test.method == found.comparison.difference.method == "cr2_t"
    assert found.score.run.estimate.method == "korn_graubard_cr2"
    for end in ("point", "ci_low", "ci_high"):
        assert getattr(found.comparison.difference, end) == pytest.approx(getattr(expected, end), abs=1e-12)
    assert ("clusters_in_several_slices" in codes(found.comparison.caveats)) == across


def test_a_slice_in_one_cluster_has_no_answer_and_keeps_none_of_the_others_from_theirs():
    rows = _passages(False) + [
        {"id": f"x{i}", "passage": "x", "topic": "c", "score": i % 2} for i in range(12)
    ]
    result = es.slices(rows, by="topic", cluster="passage")
    assert (result["c"].status, result["c"].score, result["c"].comparison) == ("no_answer", None, None)
    assert "cluster" in result["c"].why
    assert [one.value for one in result if one.tested] == ["a", "b"]
    assert result.family.m == 2
    paired = es.slices(rows, rows[::-1], by="topic", cluster="passage")
    assert paired["c"].status == "no_answer"
    assert paired["a"].tested


def test_a_field_that_is_the_cluster_is_refused():
    with pytest.raises(InputError, match=r"passage is the cluster .* Choose another field"):
        es.slices(_passages(False), by="passage", cluster="passage")


def test_an_item_with_several_completions_passes_once():
    rows = [
        {"item": i, "epoch": e, "topic": "ab"[i % 2], "score": int((i + e) % 3 > i % 2)}
        for i in range(40)
        for e in (1, 2, 3)
    ]
    found = es.slices(rows, by="topic")["a"]
    means = {t: [_mean(rows, i) for i in range(40) if "ab"[i % 2] == t] for t in "ab"}
    assert found.n_items == 20
    assert found.score.run.estimate.point == pytest.approx(np.mean(means["a"]), abs=1e-15)
    assert found.comparison.difference.point == pytest.approx(np.mean(means["a"]) - np.mean(means["b"]))


def _mean(rows, item):
    return np.mean([r["score"] for r in rows if r["item"] == item])


@pytest.mark.parametrize(
    ("correction", "theirs"),
    [
        (None, "fdr_bh"),
        ("benjamini_yekutieli", "fdr_by"),
        ("holm", "holm"),
        ("bonferroni", "bonferroni"),
        ("hochberg", "simes-hochberg"),
    ],
)
@pytest.mark.parametrize("runs", [(RUN,), (RUN, after(RUN))], ids=["one run", "two runs"])
def test_the_family_is_all_tested_slices_and_benjamini_hochberg_by_default(runs, correction, theirs):
    asked = {} if correction is None else {"correction": correction}
    result = es.slices(*runs, by="language,category", **asked)
    assert result.family.method == (correction or "benjamini_hochberg")
    assert (result.family.m, len(result)) == (10, 10)
    p = [one.comparison.test.pvalue for one in result]
    reject, adjusted, *_ = multipletests(p, alpha=0.05, method=theirs)
    assert [one.comparison.adjusted for one in result] == pytest.approx(adjusted, rel=1e-12)
    assert [one.comparison.reject for one in result] == list(reject)
    assert any(reject)
    assert not all(reject)


def test_a_direction_needs_the_corrected_p():
    result = es.slices(RUN, by="language")
    assert _by_value(result)["sw"].direction == "worse"
    assert _by_value(result)["ja"].direction == "better"
    for one in result:
        assert (one.direction != "not_settled") == one.comparison.reject


def test_without_a_correction_each_slice_is_judged_alone():
    result = es.slices(RUN, by="language", correction="none")
    assert result.family is None
    assert all(one.comparison.adjusted is None for one in result)


@pytest.mark.parametrize("method", ["z_pooled", "fisher"])
def test_what_luck_would_light_is_the_tests_own_null_given_thepasses(method):
    n, rest, passes = (30, 60, 50) if method == "z_pooled" else (10, 10, 9)
    rows = [{"id": i, "topic": "a" if i < n else "b", "score": int(i < passes)} for i in range(n + rest)]
    result = es.slices(rows, by="topic")
    assert result["a"].comparison.test.method == method
    law = stats.hypergeom(n + rest, passes, n)
    lit = sum(
        law.pmf(k) for k in range(n + 1) if law.pmf(k) and _pvalue(k, n, passes - k, rest, method) <= 0.05
    )
    assert result.family.expected_by_luck == pytest.approx(2 * lit, rel=1e-9)  # the other slice mirrors it


def _pvalue(k1, n1, k2, n2, method):
    if method == "fisher":
        return stats.fisher_exact([[k1, n1 - k1], [k2, n2 - k2]])[1]
    return proportions_ztest([k1, k2], [n1, n2])[1]


@pytest.mark.parametrize("language", SIZES)
def test_a_paired_slice_is_compare_on_logs_cut_to_it(language):
    new = after(RUN)
    alone = es.compare(of_language(RUN, language), of_language(new, language)).only.to_dict()
    found = es.slices(RUN, new, by="language", correction="none")[language]
    assert found.comparison.to_dict() == {**alone, "slice": f"language={language}"}
    assert (found.score, found.n_items) == (None, SIZES[language])


def test_in_a_family_the_paired_test_is_the_mid_p_and_all_else_is_as_alone():
    new = after(RUN)
    found = es.slices(RUN, new, by="language")["sw"].comparison
    alone = es.compare(of_language(RUN, "sw"), of_language(new, "sw")).only
    assert (found.test.method, alone.test.method) == ("mcnemar_mid_p", "mcnemar_exact")
    assert found.difference == alone.difference
    assert found.adjusted >= found.test.pvalue
    assert found.adjusted_difference.level > 0.95


def test_two_slices_are_a_family_and_one_is_none():
    new = after(RUN)
    for languages_of, method in ((("de", "sw"), "mcnemar_mid_p"), (("sw",), "mcnemar_exact")):
        runs = [[r for r in run if r["language"] in languages_of] for run in (RUN, new)]
        assert es.slices(*runs, by="language")["sw"].comparison.test.method == method


@pytest.mark.parametrize("metric", ["score", "f1"])
def test_swapping_the_runs_mirrors_every_slice(metric):
    draw = random.Random(9)
    old = [{**r, "f1": round(draw.random(), 1)} for r in RUN]
    new = [{**r, "f1": round(draw.random(), 1)} for r in after(RUN)]
    there, back = (es.slices(*runs, by="language", metric=metric) for runs in ((old, new), (new, old)))
    for one, other in zip(there, back, strict=True):
        a, b = one.comparison, other.comparison
        assert (a.difference.point, a.difference.ci_low) == (-b.difference.point, -b.difference.ci_high)
        assert (a.test.pvalue, a.adjusted, a.reject) == (b.test.pvalue, b.adjusted, b.reject)


def test_two_slices_are_each_others_rest():
    rows = [r for r in RUN if r["language"] in ("sw", "de")]
    de, sw = es.slices(rows, by="language")
    assert de.comparison.difference.point == -sw.comparison.difference.point
    assert de.comparison.difference.ci_low == -sw.comparison.difference.ci_high
    assert de.comparison.adjusted == sw.comparison.adjusted == sw.comparison.test.pvalue


@pytest.mark.parametrize("runs", [(RUN,), (RUN, after(RUN))], ids=["one run", "two runs"])
def test_the_order_of_the_log_does_not_matter(runs):
    shuffled = [random.Random(at).sample(list(run), len(run)) for at, run in enumerate(runs)]
    first, second = (es.slices(*logs, by="category,language") for logs in (runs, shuffled))
    assert first.rows() == second.rows()
    assert [one.value for one in first][:3] == ["code", "law", "math"]


def test_numbers_are_sorted_by_size_and_come_before_text():
    values = ["10", "9", "b", "A", "-1", "2.5", "nan"]
    rows = [{"id": i, "grade_level": values[i % 7], "score": i % 2} for i in range(21)]
    found = [one.value for one in es.slices(rows, by="grade_level")]
    assert found == ["-1", "2.5", "9", "10", "A", "b", "nan"]


@pytest.mark.parametrize("n", [9, 10])
def test_under_ten_items_is_too_small_to_say_and_leaves_the_family(n):
    for runs in ((with_small(n),), (with_small(n), after(with_small(n)))):
        result = es.slices(*runs, by="language")
        small = result["xx"]
        assert (small.n_items, small.tested, small.small) == (n, n == 10, n < 10)
        assert small.status == ("tested" if n == 10 else "too_small")
        assert result.family.m == len(SIZES) + (n == 10)
        assert small.direction == ("worse" if n == 10 and len(runs) == 1 else "not_settled")
    if n == 9:
        assert small.comparison.test is None
        assert small.comparison.adjusted is None
        assert small.why == "9 items were scored in both runs; 10 are the least"


def test_items_without_a_value_are_counted_and_in_no_rest():
    result = es.slices(with_small(), by="language")
    last = result[-1]
    assert (last.value, last.status, last.n_items, last.comparison) == (None, "no_value", 7, None)
    assert last.score.run.estimate.point == 1.0
    assert sum(one.n_items for one in result) == len(with_small())
    rest = result["sw"].comparison.baseline
    assert rest.n_scored == len(with_small()) - 7 - SIZES["sw"]


def test_a_rest_of_under_ten_items_is_too_small_too():
    rows = [{"id": i, "topic": "a" if i < 30 else "b", "score": i % 2} for i in range(38)]
    result = es.slices(rows, by="topic")
    assert {one.value: one.status for one in result} == {"a": "rest_too_small", "b": "too_small"}
    assert result.family is None
    assert result["a"].score.run.estimate.n == 30


def test_too_few_items_settle_nothing_however_far_they_moved():
    old = [*RUN, *({"id": f"x{i}", "language": "xx", "score": 0} for i in range(9))]
    new = [{**r, "score": 1} if r["language"] == "xx" else r for r in old]
    found = es.slices(old, new, by="language")["xx"]
    assert found.comparison.above_zero
    assert (found.direction, found.comparison.verdict) == ("not_settled", "not_settled")


def test_items_without_a_score_are_counted_in_their_slice():
    crashed = range(0, 12, 2)
    found = es.slices(logged(crashed), by="topic")["a"]
    assert (found.score.run.n_total, found.score.run.n_errored, found.n_items) == (30, 6, 24)
    assert "missing_items" in codes(found.score.caveats)
    wrong = es.slices(logged(crashed), by="topic", missing="wrong")["a"]
    assert (wrong.n_items, wrong.score.run.n_scored) == (30, 24)
    assert wrong.score.run.estimate.n == 30
    paired = es.slices(logged(crashed), logged(), by="topic")["a"]
    assert (paired.n_items, paired.comparison.pairing.missing_in_baseline) == (24, 6)
    assert paired.comparison.missing is not None
    with pytest.raises(InputError, match="missing or errored"):
        es.slices(logged(crashed), by="topic", missing="error")


def test_a_slice_of_which_nothing_was_scored_is_shown():
    crashed = set(range(0, 60, 2))
    for runs in ((logged(crashed),), (logged(crashed), logged())):
        found = es.slices(*runs, by="topic")["a"]
        assert (found.n_items, found.status, found.comparison, found.score) == (0, "too_small", None, None)
        assert found.why.startswith("no item was scored")


def test_the_scale_is_that_of_all_items():
    rows = [{"id": i, "topic": "ab"[i % 2], "score": i % 4 // 2 if i % 2 else (i % 5) / 4} for i in range(80)]
    result = es.slices(rows, by="topic")
    assert {one.score.scale.kind for one in result} == {"bounded"}
    assert result["b"].score.run.estimate.method == "wilson_effective"
    assert {one.comparison.scale.kind for one in es.slices(rows, rows[::-1], by="topic")} == {"bounded"}


def test_slices_without_a_p_leave_the_count():
    draw = random.Random(2)
    old = [{"id": i, "topic": "abc"[i % 3], "score": draw.random() / 2} for i in range(90)]
    new = [{**r, "score": r["score"] + (0.25 if r["topic"] == "a" else draw.random() / 2)} for r in old]
    old, new = ([{**r, "score": round(r["score"] * 64) / 64} for r in run] for run in (old, new))
    result = es.slices(old, new, by="topic")
    assert math.isnan(result["a"].comparison.test.pvalue)
    assert (result.family.m, result.family.undefined) == (2, 1)
    assert (result["a"].direction, result["b"].direction) == ("not_settled", "improved")


def test_the_flipped_items_of_each_slice_add_up_to_those_of_all():
    new = after(RUN)
    changed = es.slices(RUN, new, by="language").changed()
    flipped = es.compare(RUN, new).changed()
    assert sorted(c["item"] for c in changed) == sorted(c["item"] for c in flipped)
    assert {c["slice"] for c in changed} <= set(SIZES)
    assert es.slices(RUN, by="language").changed() == []


NAMED = ["benchmark", "metric", "field", "slice"]
TESTED = ["pvalue", "adjusted", "reject", "verdict"]
COMPARED = [
    *NAMED,
    "baseline",
    "candidate",
    "difference",
    "ci_low",
    "ci_high",
    *TESTED,
    "n",
    "method",
    "status",
]
SCORE = ["run", "score", "ci_low", "ci_high", "standard_error", "n", "method"]
SCORED = [*NAMED, *SCORE, "rest", "difference", *TESTED, "status"]


def test_rows_are_flat_in_fixed_columns():
    rows = with_small()
    for runs, columns in (((rows,), SCORED), ((rows, after(rows)), COMPARED)):
        flat = es.slices(*runs, by="language").rows()
        assert all(list(each) == columns for each in flat)
        assert [each["slice"] for each in flat] == [*sorted([*SIZES, "xx"]), None]
    nothing = es.slices(logged(set(range(0, 60, 2))), by="topic").rows()
    assert [list(each) for each in nothing] == [SCORED, SCORED]
    assert nothing[0]["score"] is None


@settings(max_examples=25)
@given(st.lists(st.tuples(st.sampled_from("abc") | st.none(), st.integers(0, 1)), min_size=12, max_size=90))
def test_whatever_the_data_every_item_is_in_one_slice_and_every_limit_holds_its_point(drawn):
    rows = [{"id": i, "topic": topic, "score": score} for i, (topic, score) in enumerate(drawn)]
    if not any(r["topic"] for r in rows):
        return
    result = es.slices(rows, by="topic")
    assert sum(one.n_items for one in result) == len(rows)
    m = sum(one.tested for one in result)
    assert m in (0, 2, 3)
    assert (0 if result.family is None else result.family.m) == m
    for one in result:
        estimate = one.score.run.estimate
        assert estimate.ci_low <= estimate.point <= estimate.ci_high
        if one.tested:
            assert one.comparison.difference.ci_low <= one.comparison.difference.ci_high
            assert one.comparison.test.pvalue <= one.comparison.adjusted
