"""The page of a ranking in Chromium: silent, no wider than the window, axes over their charts, orders."""

from __future__ import annotations

import json

import pytest

from evalstats import carried
from evalstats.report.html.page import result_page
from tests.report.test_rank import results

NAMES = ["example", "hostile", "own items", "several"]


@pytest.fixture(scope="module")
def rankings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rankings")
    for name in NAMES:
        (folder / f"{name}.html").write_text(result_page(results()[name]), encoding="utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_it_opens_silent_and_is_never_wider_than_the_window(tab, rankings, name):
    page = tab.open(rankings[name])
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    for width in (320, 390, 600, 768, 1024, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.said == []
    assert tab.asked == [rankings[name]]


@pytest.mark.parametrize("width", [1440, 1024])
@pytest.mark.parametrize("axis", ["fx", "rx"])
def test_the_header_of_an_axis_stands_over_its_charts(tab, rankings, axis, width):
    page = tab.open(rankings["example"], width=width)
    boxes = page.evaluate(
        """(axis) => [...document.querySelectorAll(`table.forest .${axis} svg`)]
        .map((each) => each.getBoundingClientRect())
        .map((box) => [Math.round(box.left), Math.round(box.width)])""",
        axis,
    )
    assert len(boxes) == 9
    assert len({tuple(box) for box in boxes}) == 1


def test_a_narrow_page_speaks_of_no_picture_that_it_lacks(tab, rankings):
    caption = "document.querySelector('table.forest caption').innerText"
    assert "upright bars" in tab.open(rankings["example"], width=1200).evaluate(caption)
    assert "upright bars" not in tab.open(rankings["example"], width=390).evaluate(caption)


def test_a_packed_page_orders_its_rows_and_gives_its_json(tab, tmp_path, monkeypatch):
    monkeypatch.setattr(carried, "LARGE", 0)
    path = tmp_path / "packed.html"
    path.write_text(result_page(results()["example"]), encoding="utf-8")
    assert carried.PACKED in path.read_text(encoding="utf-8")
    page = tab.open(path.as_uri())
    page.locator("[data-forest] select").select_option("run.label")
    names = [text.split()[-1] for text in page.locator("table.forest tbody th").all_inner_texts()]
    assert names == sorted(names)
    with page.expect_download() as download:
        page.locator("[data-save]").click()
    download.value.save_as(tmp_path / "saved.json")
    saved = json.loads((tmp_path / "saved.json").read_text(encoding="utf-8"))
    assert saved == json.loads(json.dumps(results()["example"].to_dict()))
    assert (tab.said, tab.asked[:1]) == ([], [path.as_uri()])


def test_rows_are_found_and_ordered(tab, rankings):
    page = tab.open(rankings["example"])
    page.locator("[data-forest] input").fill("plov")
    assert page.locator("table.forest tbody tr:visible th").all_inner_texts() == ["2 plover"]
    page.locator("[data-forest] input").fill("")
    page.locator("[data-forest] select").select_option("run.label")
    names = [text.split()[-1] for text in page.locator("table.forest tbody th").all_inner_texts()]
    assert names == sorted(names)
