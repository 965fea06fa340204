"""What may be asked of `slices`: fields, alone and crossed, and options; what is refused, and how."""

from __future__ import annotations

import pytest
from statsmodels.stats.proportion import proportion_confint

import evalstats as es
from evalstats.data.builder import build
from evalstats.errors import InputError, MethodError, NoGuaranteeError, PairingError
from tests.made_runs import header, row
from tests.made_slices import SIZES, after, languages, logged, of_language, passes, with_small

RUN = languages()


def test_several_fields_are_each_their_own_slices_in_one_family():
    both = es.slices(RUN, by=["language", "category"])
    assert both.by == ("language", "category")
    assert both.to_dict()["slices"] == es.slices(RUN, by="language,category").to_dict()["slices"]
    alone = es.slices(RUN, by="category")
    assert both["law"].comparison.test == alone["law"].comparison.test
    assert (both.family.m, alone.family.m) == (10, 3)
    assert es.slices(RUN, by="language, language").by == ("language",)


@pytest.mark.parametrize("by", ["language+category", "language×category", ["language × category"]])
def test_crossed_fields_are_the_slices_by_both_at_once(by):
    result = es.slices(RUN, by=by)
    assert result.by == ("language × category",)
    found = result["sw × law"]
    assert found.slice == "language × category=sw × law"
    assert found.n_items == len([r for r in RUN if (r["language"], r["category"]) == ("sw", "law")])
    assert sum(one.n_items for one in result) == len(RUN)


def test_a_crossed_item_that_lacks_one_of_the_values_has_none():
    rows = [{**r, "category": None} if r["language"] == "en" else r for r in RUN]
    result = es.slices(rows, by="language+category")
    assert (result[-1].value, result[-1].n_items) == (None, SIZES["en"])


def test_a_field_whose_name_has_a_comma_or_a_plus_is_taken_whole():
    rows = [{"id": i, "a,b": "xy"[i % 2], "c+d": "uv"[i % 2], "score": i % 3 % 2} for i in range(40)]
    assert es.slices(rows, by="a,b").by == ("a,b",)
    assert es.slices(rows, by="c+d").by == ("c+d",)
    assert es.slices(rows, by=["a,b", "c+d"]).by == ("a,b", "c+d")


def test_a_field_is_found_with_its_harness_prefix_and_called_by_its_own_name():
    assert es.slices(RUN, by="metadata.language,language").by == ("language",)


def test_a_field_that_nobody_has_is_an_error_that_names_the_near_one():
    with pytest.raises(
        InputError, match=r"'langage'\. Did you mean 'language'\? There are: category, id, language"
    ):
        es.slices(RUN, by="langage")
    with pytest.raises(InputError, match=r"'LANGUAGE'\. Did you mean 'language'"):
        es.slices(RUN, by="LANGUAGE,category")
    shouted = [{"id": i, "LANG": "ab"[i % 2], "score": 1} for i in range(4)]
    with pytest.raises(InputError, match=r"'lang'\. Did you mean 'LANG'"):
        es.slices(shouted, by="lang")
    bare = build([header(), row("q1", 1.0), row("q2", 0.0)])
    with pytest.raises(InputError, match="no item here has a field 'topic', or any other"):
        es.slices(bare, by="topic")


@pytest.mark.parametrize("by", ["", " ", ",", [], ["language", ""], [3]])
def test_no_field_is_an_error(by):
    with pytest.raises(InputError, match="names no field"):
        es.slices(RUN, by=by)


def _benchmarks():
    rows = [{**r, "benchmark": "quiz"} for r in RUN]
    return rows + [{"id": f"p{i}", "benchmark": "plain", "score": i % 2} for i in range(30)]


def test_benchmarks_without_the_field_are_named_and_left_out():
    result = es.slices(_benchmarks(), by="language")
    assert {one.benchmark for one in result} == {"quiz"}
    assert [one.benchmark for one in result.whole] == ["quiz", "plain"]
    assert "no language in: plain" in result.notes


def test_the_family_is_over_all_benchmarks_and_a_name_in_two_is_ambiguous():
    rows = [{**r, "benchmark": b, "id": b + r["id"]} for b in ("quiz", "exam") for r in RUN]
    result = es.slices(rows, by="category")
    assert result.family.m == 6
    with pytest.raises(InputError, match=r"2 slices are called 'law': quiz category=law, exam category=law"):
        result["law"]
    assert es.slices(rows, by="category", task="exam")["law"].benchmark == "exam"


def test_a_slice_that_is_not_there_is_an_error_that_lists_what_there_is():
    result = es.slices(RUN, by="category")
    with pytest.raises(InputError, match="no slice 'bio' here; there are: 'code', 'law', 'math'"):
        result["bio"]
    with pytest.raises(InputError, match="3 slices, not one"):
        _ = result.only
    assert result["category=law"] is result["law"] is result[1]


def test_an_item_with_two_values_in_two_runs_is_an_error():
    new = [{**r, "language": "fr" if r["id"] == "de-003" else r["language"]} for r in after(RUN)]
    with pytest.raises(InputError, match=r"item 'de-003' has language 'de' in the baseline and 'fr' in the"):
        es.slices(RUN, new, by="language")


def test_a_field_that_one_run_has_serves_both():
    bare = [{k: v for k, v in r.items() if k != "language"} for r in after(RUN)]
    whole = es.slices(RUN, after(RUN), by="language")
    for runs in ((RUN, bare), ([{k: v for k, v in r.items() if k != "language"} for r in RUN], after(RUN))):
        assert es.slices(*runs, by="language").rows() == whole.rows()
    with pytest.raises(InputError, match="the candidate has no language on scores: without pairing"):
        es.slices(RUN, bare, by="language", paired=False)


def test_different_items_are_compared_slice_by_slice_when_asked():
    other = [{**r, "id": f"other-{r['id']}"} for r in after(RUN)]
    with pytest.raises(PairingError):
        es.slices(RUN, other, by="language")
    found = es.slices(RUN, other, by="language", paired=False)["sw"]
    k, n = passes(of_language(RUN, "sw"))
    expected = es.unpaired_proportions(k, n, *passes(of_language(other, "sw")))
    assert found.comparison.difference.ci_low == expected.ci_low
    assert found.comparison.test.method == "z_pooled"


def test_without_pairing_each_run_needs_ten_items_of_a_slice():
    few = [r for r in after(RUN) if r["language"] != "sw" or int(r["id"][-3:]) < 9]
    other = [{**r, "id": f"other-{r['id']}"} for r in few]
    found = es.slices(RUN, other, by="language", paired=False)["sw"]
    assert (found.status, found.n_items, found.comparison.test) == ("too_small", 9, None)
    assert found.why == "9 items were scored in each run; 10 are the least"


def test_blank_text_is_no_value():
    rows = [row(f"q{i}", float(i % 2), fields={"topic": ["a", " ", ""][i % 3]}) for i in range(60)]
    assert [(one.value, one.n_items) for one in es.slices(build([header(), *rows]), by="topic")] == [
        ("a", 20),
        (None, 40),
    ]


def test_a_named_method_is_that_of_the_slices_score():
    found = es.slices(RUN, by="language", method="clopper_pearson")["sw"]
    k, n = passes(of_language(RUN, "sw"))
    low, high = proportion_confint(k, n, method="beta")
    assert (found.score.run.estimate.ci_low, found.score.run.estimate.ci_high) == pytest.approx((low, high))
    assert found.comparison.difference.method == "newcombe_unpaired"
    with pytest.raises(MethodError, match="Did you mean 'wilson'"):
        es.slices(RUN, by="language", method="wilsn")


def test_a_guarantee_holds_for_score_difference_and_test():
    rows = [r for r in RUN if r["language"] in ("hi", "fr", "zh")]
    found = es.slices(rows, by="language", guarantee=True)["hi"]
    assert found.score.run.estimate.method == "clopper_pearson"
    assert found.comparison.difference.method == "clopper_pearson_rectangle"
    assert found.comparison.test.method == "boschloo"
    with pytest.raises(NoGuaranteeError):
        es.slices(
            [{**r, "score": r["score"] / 2} for r in rows], by="language", guarantee=True, bounds=(0, 1)
        )


def test_decoding_noise_alone_is_not_tested_against_the_rest():
    rows = [
        {"item": i, "epoch": e, "topic": "ab"[i % 2], "score": (i * e) % 2} for i in range(40) for e in (1, 2)
    ]
    found = es.slices(rows, by="topic", view="fixed_items")["a"]
    assert (found.status, found.score.run.estimate.method) == ("no_answer", "fixed_items_t")
    assert "questions like these" in found.why


def test_lower_is_better_turns_the_words_and_not_the_numbers():
    plain, turned = (es.slices(RUN, by="language", lower_is_better=lower)["sw"] for lower in (False, True))
    assert (plain.direction, turned.direction) == ("worse", "better")
    assert plain.comparison.difference == turned.comparison.difference


def test_a_margin_is_each_slices_own_and_none_where_it_is_too_small():
    runs = (with_small(), after(with_small()))
    result = es.slices(*runs, by="language", margin=0.3)
    assert {one.comparison.margin for one in result if one.tested} == {0.3}
    assert result["en"].comparison.margin_verdict == "equivalent"
    assert (result["xx"].comparison.margin, result["xx"].comparison.margin_verdict) == (None, None)


@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        ({"margin": 0.1}, "about two runs"),
        ({"paired": False}, "about two runs"),
        ({"tried": 3}, "no such thing"),
        ({"discordant": (1, 2)}, "no such thing"),
        ({"colour": "red"}, "no option 'colour'"),
    ],
)
def test_what_makes_no_sense_is_refused(keywords, said):
    with pytest.raises(InputError, match=said):
        es.slices(RUN, by="language", **keywords)


def test_counts_have_no_fields():
    for runs in (("3/4",), ("3/4", RUN)):
        with pytest.raises(InputError, match="counts, which carry no fields"):
            es.slices(*runs, by="topic")


def test_a_log_has_its_own_ids():
    with pytest.raises(InputError, match="has its own ids"):
        es.slices(logged(), by="topic", id="topic")


def test_a_plan_names_the_correction(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('[plan]\nlevel = 0.9\ncorrection = "bonferroni"\n[[benchmark]]\nname = "scores"\n')
    result = es.slices(RUN, by="language", plan=str(plan))
    assert (result.family.method, result.family.alpha) == ("bonferroni", 0.1)
    assert {one.score.run.estimate.level for one in result} == {0.9}


def test_one_frame_can_hold_both_runs():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([{**r, "model": "m1"} for r in RUN] + [{**r, "model": "m2"} for r in after(RUN)])
    found = es.slices(frame, baseline="m1", candidate="m2", by="language")
    assert (
        found["sw"].comparison.difference
        == es.slices(RUN, after(RUN), by="language")["sw"].comparison.difference
    )


def test_all_items_stand_beside_the_slices():
    assert es.slices(RUN, by="language").whole[0].score == es.score(RUN).only
    new = after(RUN)
    assert es.slices(RUN, new, by="language").whole[0].comparison == es.compare(RUN, new).only


def test_one_slice_has_a_score_and_no_rest():
    rows = of_language(RUN, "en")
    (only,) = es.slices(rows, by="language")
    assert (only.status, only.comparison, only.n_items) == ("no_rest", None, 80)
    assert only.score.run.estimate == es.score(rows).only.run.estimate
    paired = es.slices(rows, after(rows), by="language")
    assert paired.only.comparison.test.method == "mcnemar_exact"
    assert paired.family is None


def test_a_field_with_another_value_on_every_item_makes_no_slices():
    rows = [{"id": i, "at": f"t{i}", "score": i % 2} for i in range(100)]
    for by in ("at", "id"):
        with pytest.raises(InputError, match=f"{by} has 100 values on 100 items"):
            es.slices(rows, by=by)
    few = [{**one, "at": f"t{i // 2}"} for i, one in enumerate(rows)]
    assert len(es.slices(few, by="at")) == 50


def test_the_column_of_scores_is_not_the_field_too():
    rows = [{"id": i, "year": 2020 + i % 2, "score": i % 3 % 2} for i in range(100)]
    for asked in ({"by": "score"}, {"split": "score<1"}):
        with pytest.raises(InputError, match="score is named as a field here and cannot hold the scores too"):
            es.slices(rows, **asked)
