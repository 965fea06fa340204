"""Row 12 of the mission: slices of 20–80 items each, one command and one call."""

from __future__ import annotations

import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint, proportions_ztest

import evalstats as es
from tests.made_runs import command, write_csv
from tests.made_slices import SIZES, after, languages, of_language
from tests.mission.expected import limits

RUN = languages()


def _passes(rows):
    return sum(row["score"] for row in rows), len(rows)


def test_row_12_wilson_for_each_language_and_benjamini_hochberg_over_all(capsys, tmp_path):
    assert all(20 <= n <= 80 for n in SIZES.values())
    path = write_csv(tmp_path / "run.csv", RUN)
    printed = command(capsys, "slices", path, "--by", "language")
    called = es.slices(path, by="language")
    assert printed["slices"] == called.to_dict()["slices"]
    assert [one.value for one in called] == list(SIZES)

    pvalues = []
    for one in called:
        inside = _passes(of_language(RUN, one.value))
        outside = _passes([row for row in RUN if row["language"] != one.value])
        estimate = one.score.run.estimate
        assert (estimate.method, estimate.n) == ("wilson", SIZES[one.value])
        wilson = proportion_confint(*inside, alpha=0.05, method="wilson")
        assert limits(estimate) == pytest.approx(wilson, abs=1e-12)
        _, p = proportions_ztest(*zip(inside, outside, strict=True))
        assert one.comparison.test.pvalue == pytest.approx(p, rel=1e-9)
        pvalues.append(p)
    lit, adjusted, *_ = multipletests(pvalues, alpha=0.05, method="fdr_bh")
    assert [one.comparison.adjusted for one in called] == pytest.approx(adjusted, rel=1e-9)
    assert [one.comparison.reject for one in called] == list(lit)
    assert printed["family"] == {
        "method": "benjamini_hochberg",
        "alpha": 0.05,
        "m": 7,
        "undefined": 0,
        "expected_by_luck": called.family.expected_by_luck,
    }
    assert {one.value: one.direction for one in called if one.comparison.reject} == {
        "sw": "worse",
        "ja": "better",
    }


def test_row_12_per_language_and_per_category_are_one_family(capsys, tmp_path):
    path = write_csv(tmp_path / "run.csv", RUN)
    printed = command(capsys, "slices", path, "--by", "language,category")
    called = es.slices(path, by=["language", "category"])
    assert printed["family"]["m"] == called.family.m == 10
    adjusted = multipletests([one.comparison.test.pvalue for one in called], method="fdr_bh")[1]
    assert [one.comparison.adjusted for one in called] == pytest.approx(adjusted, rel=1e-12)


def test_row_12_a_change_is_paired_within_each_slice(capsys, tmp_path):
    new = after(RUN)
    paths = [write_csv(tmp_path / f"{name}.csv", run) for name, run in (("old", RUN), ("new", new))]
    printed = command(capsys, "slices", *paths, "--by", "language")
    called = es.slices(*paths, by="language")
    assert printed["slices"] == called.to_dict()["slices"]
    for one in called:
        old_right, new_right = ([row["score"] for row in of_language(run, one.value)] for run in (RUN, new))
        pairs = list(zip(old_right, new_right, strict=True))
        b, c = pairs.count((1, 0)), pairs.count((0, 1))
        difference = one.comparison.difference
        assert difference.method == "tango"
        assert limits(difference) == limits(es.paired_proportions(b, c, len(pairs)))
        exact = stats.binomtest(b, b + c).pvalue
        mid_p = exact - stats.binom.pmf(b, b + c, 0.5) if b != c else 1 - stats.binom.pmf(b, b + c, 0.5) / 2
        assert one.comparison.test.pvalue == pytest.approx(mid_p, rel=1e-9)
    assert [one.value for one in called if one.direction != "not_settled"] == ["sw"]


def test_row_12_under_ten_items_is_too_small_to_say(capsys, tmp_path):
    few = [{"id": f"xx-{at}", "language": "xx", "category": "law", "score": 0} for at in range(9)]
    path = write_csv(tmp_path / "run.csv", [*RUN, *few])
    printed = command(capsys, "slices", path, "--by", "language")
    called = es.slices(path, by="language")["xx"]
    assert (called.status, called.comparison, called.direction) == ("too_small", None, "not_settled")
    assert printed["family"]["m"] == 7
    assert "too small to say" in str(es.slices(path, by="language"))
