"""What stands on a page equals what its JSON holds, written by another hand than the page's."""

from __future__ import annotations

import re

import pytest

from tests.report.html.pages import RESULTS, Read, page_of

ONE_ROW = [
    name for name in RESULTS if not any(kind in name for kind in ("hostile", "family", "score", "slices"))
]


def points(value: float, sign: bool = True) -> str:
    """Points with one decimal; none of these pages needs two."""
    text = f"{100 * value:+.1f}" if sign else f"{100 * value:.1f}"
    text = text.replace("-", "\u2212")
    return text.lstrip("+\u2212") if float(f"{100 * value:.1f}") == 0 else text


def carried(page) -> list:
    """The rows of the JSON that the page holds."""
    return page.evaluate("JSON.parse(document.getElementById('result').textContent)")["comparisons"]


def spoken(text: str) -> str:
    return " ".join(text.replace("\u00a0", " ").split())


@pytest.mark.parametrize("name", ["flips", "improved", "unpaired", "completions", "many_items"])
def test_the_large_numbers_are_those_of_the_json(tab, addresses, name):
    page = tab.open(addresses[name])
    difference = carried(page)[0]["difference"]
    interval = spoken(page.locator("[data-hero=interval]").inner_text())
    low, high = points(difference["ci_low"]), points(difference["ci_high"])
    assert interval.replace(" ", "") == f"{low}to{high}points"
    assert spoken(page.locator("[data-hero=point]").inner_text()) == points(difference["point"])


def test_every_row_of_a_forest_has_the_numbers_of_its_record(tab, addresses):
    page = tab.open(addresses["family"])
    records = carried(page)
    rows = page.evaluate(
        """[...document.querySelectorAll('table.forest tbody tr')]
        .map((row) => [row.dataset.row, [...row.cells].map((cell) => cell.innerText)])"""
    )
    assert len(rows) == len(records) == 14
    for place, cells in rows:
        record = records[int(place)]
        text = spoken(" ".join(cells))
        assert record["benchmark"] in text
        for value in (record["baseline"], record["candidate"]):
            assert points(value["estimate"]["point"], sign=False) in text
        difference = record["difference"]
        assert points(difference["point"]) in text
        assert f"{points(difference['ci_low'])} to {points(difference['ci_high'])}" in text


def test_a_bar_begins_and_ends_at_its_numbers(tab, addresses):
    """Places on the hero's axis, measured in the browser, against the JSON."""
    page = tab.open(addresses["flips"], width=1440)
    found = page.evaluate(
        """() => { const box = (s) => document.querySelector(s).getBoundingClientRect();
        const bar = box('.ivb'), axis = box('svg.interval line.axis'), hub = box('.hub');
        return [(bar.left - axis.left) / axis.width, (bar.right - axis.left) / axis.width,
                (hub.left + hub.width / 2 - axis.left) / axis.width]; }"""
    )
    record = carried(page)[0]
    ticks = [
        t for t in page.locator("svg.interval text").all_text_contents() if re.fullmatch("[+\u2212]?\\d+", t)
    ]
    low, high = (float(t.replace("\u2212", "-")) / 100 for t in (ticks[0], ticks[-1]))
    wanted = [(record["difference"][key] - low) / (high - low) for key in ("ci_low", "ci_high", "point")]
    assert found == pytest.approx(wanted, abs=0.003)
    assert low == -high


@pytest.mark.parametrize("name", ONE_ROW)
def test_the_marks_of_the_picture_are_as_many_as_the_items(tab, addresses, name):
    page = tab.open(addresses[name])
    record = carried(page)[0]
    pairing = record["pairing"]
    counts = [] if pairing is None else [pairing["candidate_only"], pairing["baseline_only"]]
    if not counts or None in counts:
        return
    assert page.locator(".mosaic .better use").count() == counts[0]
    assert page.locator(".mosaic .worse use").count() == counts[1]


@pytest.mark.parametrize("name", [name for name in RESULTS if "hostile" not in name])
def test_a_picture_says_its_three_numbers_in_words(tab, addresses, name):
    page = tab.open(addresses[name])
    said = page.evaluate(
        """[...document.querySelectorAll('svg[role=img]')].map((svg) => svg.getAttribute('aria-label') ||
        svg.getAttribute('aria-labelledby').split(' ')
        .map((id) => document.getElementById(id).textContent).join('. '))"""
    )
    assert all(len(re.findall("\\d+(?:[.,]\\d+)*", text)) >= 3 or "no interval" in text for text in said)
    hero = page.locator("[data-hero=interval]")
    if hero.count():
        numbers = re.findall("[+\u2212]?\\d+(?:\\.\\d+)?", spoken(hero.inner_text()))
        point = page.locator("[data-hero=point]").inner_text()
        assert all(number in said[0] for number in (*numbers, point))


def test_other_pictures_are_hidden_from_who_cannot_see_them():
    for name in ("flips", "family", "scores", "many_items"):
        for tag, attributes in Read(page_of(name)).elements:
            if tag == "svg":
                assert attributes.get("role") == "img" or attributes.get("aria-hidden") == "true"
