"""The page of an agreement in Chromium: silent, and no wider than the window."""

from __future__ import annotations

import pytest

import evalstats as es
from evalstats.report.html.page import result_page
from tests.report.html.pages import HOSTILE

FOUND = {
    "example": lambda: es.agree("examples/agree/labels.csv", judge="judge", human=("ann", "bob")),
    "grades": lambda: es.agree(
        [{"judge": i % 5 + 1, "human": (i * 7) % 5 + 1} for i in range(60)], weights="quadratic"
    ),
    "hostile": lambda: es.agree(
        [{"judge": HOSTILE, "human": f"{HOSTILE}2"}, {"judge": "fine", "human": "fine"}] * 12
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_it_opens_silent_and_is_never_wider_than_the_window(tab, tmp_path, name):
    path = tmp_path / "page.html"
    path.write_text(result_page(FOUND[name]()), encoding="utf-8")
    page = tab.open(path.as_uri())
    for width in (320, 390, 600, 768, 1024, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.said == []
    assert tab.asked == [path.as_uri()]


def test_a_narrow_page_labels_no_empty_cell_and_has_air_under_the_lead(tab, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(result_page(FOUND["example"]()), encoding="utf-8")
    page = tab.open(path.as_uri(), width=390)
    empty = page.evaluate(
        """[...document.querySelectorAll('.steps td')]
        .filter((cell) => cell.textContent.trim() === '' && cell.offsetHeight > 0).length"""
    )
    assert empty == 0
    assert page.evaluate("getComputedStyle(document.querySelector('.say + p')).marginTop") == "12px"
