"""Notebooks get a plain table, and nothing from a log is taken as markup."""

import dataclasses
from html.parser import HTMLParser

import pytest

from evalstats.envelope import Comparisons, Scorecard
from evalstats.report.notebook import html
from tests.report import test_scores, test_text


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("result", [*test_text.ALL.values(), *test_scores.ALL.values()])
def test_it_is_a_well_formed_table_and_an_answer(result: Comparisons | Scorecard) -> None:
    tags = Tags()
    tags.feed(html(result))
    assert not tags.open
    assert tags.seen == {"table", "caption", "thead", "tr", "th", "tbody", "td", "p"}


def test_markup_in_a_log_is_text() -> None:
    row = dataclasses.replace(test_text.ALL["design"].only, benchmark="<script>alert(1)</script>")
    said = html(dataclasses.replace(test_text.ALL["design"], primary=(row,)))
    assert "<script>" not in said
    assert "&lt;script&gt;" in said


def test_a_result_shows_itself_in_a_notebook() -> None:
    assert test_text.ALL["design"]._repr_html_() == html(test_text.ALL["design"])
