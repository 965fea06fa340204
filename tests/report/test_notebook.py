"""Every result shows itself in a notebook: a picture and a table, small, and nothing from a log is markup."""

from __future__ import annotations

import pytest

import evalstats as es
from evalstats.report.notebook import MOST_ROWS, html
from evalstats.results import Estimate, TestResult
from tests.report import examples, test_scores, test_text
from tests.report.html.pages import Read, hostile, hostile_family, hostile_scores

NUMBERS = {
    "rate": es.proportion(360, 500),
    "zero": es.proportion(0, 100),
    "mean": es.mean([1.0, 2.0, 3.5, 9.0]),
    "difference": es.paired_proportions(40, 55, 500),
    "test": es.mcnemar_counts(40, 55, 500),
    "one": es.mean([1.0]),
    "nothing": TestResult("x", float("nan"), float("nan"), float("nan"), "paired_t", 3),
}
ALL = {**test_text.ALL, **{f"score_{name}": one for name, one in test_scores.ALL.items()}, **NUMBERS}


@pytest.mark.parametrize("name", list(ALL))
def test_it_is_well_formed_and_has_neither_script_nor_style_sheet(name):
    read = Read(html(ALL[name]))
    assert read.open == []
    tags = {tag for tag, _ in read.elements}
    assert "table" in tags
    assert not tags & {"script", "style", "link", "img", "iframe"}
    assert not [key for _, attributes in read.elements for key in attributes if key.startswith("on")]
    assert "nan" not in read.text.split()


@pytest.mark.parametrize("name", list(ALL))
def test_a_result_shows_itself_and_is_small(name):
    shown = ALL[name]._repr_html_()
    assert shown == html(ALL[name])
    assert len(shown) < 60_000


def test_the_picture_of_an_interval_says_its_numbers_in_words():
    pictures = [
        a for tag, a in Read(html(test_text.ALL["design"])).elements if tag == "svg" and a.get("aria-label")
    ]
    assert "from \u22120.8 to +6.9" in pictures[0]["aria-label"]
    assert "+3.0" in pictures[0]["aria-label"]


def test_one_row_of_a_result_shows_what_the_result_shows():
    assert examples.design_example().only._repr_html_() == examples.design_example()._repr_html_()


def test_a_forest_has_a_bar_a_row_and_says_how_many_more_rows_there_are():
    few, many = examples.family(12), examples.family(MOST_ROWS + 7)
    assert html(few).count("<svg width") == 12
    assert html(many).count("<svg width") == MOST_ROWS
    assert "and 7 more rows" in Read(html(many)).text


def test_units_stand_on_the_axes():
    assert "candidate \u2212 baseline, points" in Read(html(examples.design_example())).text
    assert "\u221230 to +30 points" in Read(html(examples.family(12))).text


@pytest.mark.parametrize(
    "result", [hostile(), hostile_family(), hostile_scores()], ids=["one", "several", "scores"]
)
def test_markup_in_a_log_is_text(result):
    shown = html(result)
    assert "<script>" not in shown
    assert "<img" not in shown
    assert not set(shown) & set("\u202e\u2066\x00\x1b")


def test_a_name_that_is_markup_is_text():
    estimate = Estimate("<b onclick=x>", 0.5, 0.4, 0.6, 0.95, "wilson", 10)
    assert "<b onclick" not in html(estimate)
