"""`slices --split`: the items before a cut-off against those after it, of one run and of two."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy import stats

import evalstats as es
from evalstats.cli.main import main
from evalstats.errors import InputError
from evalstats.subjects.contamination import cut_off
from tests.made_cut_offs import CUT, column, run
from tests.made_runs import LOGS, refused, write_csv


def test_a_split_of_one_run_is_after_less_before():
    rows = run(leak=0.5)
    found = es.slices(rows, split=CUT)
    assert [one.value for one in found] == ["before 2024-01-01", "from 2024-01-01"]
    (one,) = found.cut_offs
    estimate, test = cut_off(*column(rows))
    assert (one.difference.point, one.difference.ci_low, one.difference.ci_high) == (
        estimate.point,
        estimate.ci_low,
        estimate.ci_high,
    )
    assert one.test.pvalue == test.pvalue
    assert (one.n_before, one.n_after, one.direction) == (100, 100, "worse")


def test_a_split_of_two_runs_is_the_difference_of_differences_by_welch():
    reference, suspect = run(), run("leaked", leak=0.8)
    (one,) = es.slices(reference, suspect, split=CUT).cut_offs
    old, after = column(reference)
    estimate, test = cut_off(old, after, column(suspect)[0])
    assert one.difference == dataclasses.replace(estimate, extra={**one.difference.extra, "unit": "fraction"})
    assert one.test.pvalue == test.pvalue
    d = np.array(column(suspect)[0]) - np.array(old)
    wanted = stats.ttest_ind(d[np.array(after)], d[~np.array(after)], equal_var=False)
    assert test.pvalue == pytest.approx(wanted.pvalue, rel=1e-9)
    assert (one.before.point, one.after.point) == (d[::2].mean(), d[1::2].mean())
    assert (one.of_differences, one.direction) == (True, "worse")


def test_items_without_a_date_are_on_no_side():
    reference, suspect = run(), run("leaked", leak=0.8)
    blank = [
        [{**one, "published": None if i < 20 else one["published"]} for i, one in enumerate(rows)]
        for rows in (reference, suspect)
    ]
    (one,) = es.slices(*blank, split=CUT).cut_offs
    (wanted,) = es.slices(reference[20:], suspect[20:], split=CUT).cut_offs
    assert (one.n_before, one.n_after) == (90, 90)
    assert (one.difference.point, one.difference.ci_low) == (
        wanted.difference.point,
        wanted.difference.ci_low,
    )


def test_less_is_better_where_the_run_says_so():
    rows = [{**one, "score": 1 - one["score"]} for one in run(leak=0.5)]
    (one,) = es.slices(rows, split=CUT, lower_is_better=True).cut_offs
    assert one.difference.point > 0
    assert one.direction == "worse"


def test_too_few_items_on_a_side_are_said_and_not_tested():
    rows = run(n=200)[:15]
    (one,) = es.slices(rows, split=CUT).cut_offs
    assert one.difference is None
    assert "7 items were scored; 10 are the least" in one.why
    (two,) = es.slices(rows, run("other")[:15], split=CUT).cut_offs
    assert "before it 8 items were scored in both runs" in two.why
    assert "not known" in str(es.slices(rows, split=CUT))
    (three,) = es.slices(run(), run("other"), split=CUT, guarantee=True).cut_offs
    assert "has a proof" in three.why


@pytest.mark.parametrize(
    ("cut", "side"), [("published<2020", "before 2020"), ("published<2030", "from 2030 on")]
)
def test_a_side_without_an_item_is_an_error_that_says_what_there_is(cut, side):
    for runs in ((run(),), (run(), run("other"))):
        with pytest.raises(InputError, match=rf"no item is {side} \(published: 2023-01-15 to 2024-12-15\)"):
            es.contaminated(*runs, split=cut)


def test_several_benchmarks_are_corrected_by_holm_and_named():
    names = ("leaky", "clean", "undated")
    dates = {"undated": {"published": None}}
    rows, reference = (
        [
            {**one, "benchmark": name, **dates.get(name, {})}
            for name in names
            for one in run(f"{who}{name}", leak=0.6 * (who + name == "leaky"))
        ]
        for who in ("", "ref ")
    )
    for runs in ((rows,), (reference, rows)):
        result = es.contaminated(*runs, split=CUT)
        one, two = result.cut_offs
        p, q = sorted((one.test.pvalue, two.test.pvalue))
        wanted = {p: min(1, 2 * p), q: min(1, max(2 * p, q))}
        for cut in (one, two):
            assert cut.adjusted == pytest.approx(wanted[cut.test.pvalue])
            assert cut.reject == (cut.adjusted <= 0.05)
        assert one.direction == "worse"
        assert "after Holm" in str(result)
        assert "leaky: " in " ".join(str(result).split())
    assert [cut.benchmark for cut in es.contaminated(rows, split=CUT).cut_offs] == ["leaky", "clean"]


def test_items_in_clusters_are_their_clusters_on_both_sides():
    rows = [
        {**one, "passage": f"p{i // 4}"}
        for i, one in enumerate(sorted(run(), key=lambda r: r["published"][:4]))
    ]
    (one,) = es.slices(
        rows, [dict(r, score=1 - r["score"]) for r in rows], split=CUT, cluster="passage"
    ).cut_offs
    assert one.difference.method == "cr2_t"
    assert one.difference.extra["n_clusters"] == 50


@pytest.fixture(scope="module")
def two_benchmarks():
    """The runs of a reference and of a suspect that fell on one of two benchmarks."""
    return tuple(
        [
            {**one, "benchmark": name}
            for name in ("leaky", "clean")
            for one in run(f"{who}{name}", leak=0.6 * (who + name == "leaky"))
        ]
        for who in ("ref ", "")
    )


@pytest.mark.parametrize("correction", ["holm", "benjamini_hochberg", "none"])
def test_each_cut_off_of_one_run_is_one_test_of_the_family_that_was_asked_for(two_benchmarks, correction):
    found = es.slices(two_benchmarks[1], split=CUT, correction=correction)
    p, q = sorted(one.test.pvalue for one in found.cut_offs)
    wanted = {
        "holm": [min(1, 2 * p), min(1, max(2 * p, q))],
        "benjamini_hochberg": [min(2 * p, q), q],
        "none": [None, None],
    }
    by_p = sorted(found.cut_offs, key=lambda one: one.test.pvalue)
    assert [one.adjusted for one in by_p] == pytest.approx(wanted[correction])
    assert [one.comparison.adjusted for one in found if one.tested] == [
        one.adjusted for one in found.cut_offs
    ]
    if correction != "none":
        assert (found.family.m, found.family.method) == (2, correction)


def test_a_caveat_of_a_cut_off_names_its_side():
    scores = [int(i > 2 if i < 60 else i % 3 > 0) for i in range(120)]
    rows = [{"id": i, "year": 2020 + i // 60, "score": score} for i, score in enumerate(scores)]
    text = "3 failures (before 2021): under 10 the coverage can be below its mean"
    for found in (es.slices(rows, split="year<2021"), es.contaminated(rows, split="year<2021")):
        assert [one["text"] for one in found.cut_offs[0].caveats] == [text]
    assert text in str(es.contaminated(rows, split="year<2021"))
    newer = [one["year"] > 2020 for one in rows]
    (alone,) = cut_off(scores, newer)[0].extra["caveats"]
    assert alone["text"].startswith("3 failures (before)")
    (of_slice,) = es.slices(rows, by="year")["2021"].comparison.caveats
    assert of_slice["text"].startswith("3 failures (the rest)")


def test_a_reason_that_several_benchmarks_share_is_said_once(two_benchmarks):
    for runs in (two_benchmarks, two_benchmarks[:1] * 2):
        said = " ".join(str(es.slices(*runs, split=CUT, guarantee=True)).split())
        assert said.count("items): not known.") == 2
        assert said.count("has a proof") == 1
        assert "Not known on leaky and clean: no interval for a difference of differences" in said


def test_by_and_split_are_one_or_the_other(capsys):
    with pytest.raises(InputError, match="give one"):
        es.slices(run())
    with pytest.raises(InputError, match="give one"):
        es.slices(run(), by="published", split=CUT)
    with pytest.raises(InputError, match=r"no item here has a field 'publishd'. Did you mean 'published'"):
        es.slices(run(), split="publishd<2024")
    with pytest.raises(InputError, match="no differences of items"):
        es.slices(run(), run("other"), split=CUT, paired=False)
    assert "wants --by FIELD" in refused(capsys, "slices", LOGS / "lm_eval" / "model-a")


def test_the_page_and_the_notebook_of_slices_say_after_less_before(tmp_path, capsys):
    path = write_csv(tmp_path / "run.csv", run(leak=0.5))
    assert main(["slices", str(path), "--split", CUT, "--html", str(tmp_path / "s.html")]) == 0
    said = "From 2024-01-01 against before (100 and 100"
    for shown in (capsys.readouterr().out, (tmp_path / "s.html").read_text(encoding="utf-8")):
        assert said in " ".join(shown.split())
    assert said in es.slices(path, split=CUT)._repr_html_()
    assert main(["slices", str(path), "--split", CUT, "--markdown"]) == 0
    assert said in capsys.readouterr().out


def test_the_two_sides_of_a_cut_off_are_one_test_and_no_family_of_luck():
    rows = [{"id": i, "year": 2020 + i % 2, "score": i % 3 % 2} for i in range(100)]
    found = es.slices(rows, split="year<2021")
    text = str(found)
    assert [(one.status, one.comparison is None) for one in found] == [
        ("other_side", True),
        ("tested", False),
    ]
    assert (found.family, text.count("p = "), text.count("0.83")) == (None, 1, 2)
    assert "would light" not in text
    assert "--cluster year" not in text.replace("\xa0", " ")
    assert "would light" in str(es.slices(rows, by="year"))
