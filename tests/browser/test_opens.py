"""Every page opens offline, silent, at every width, with and without script."""

from __future__ import annotations

import pytest

from tests.report.html.pages import RESULTS

NAMES = list(RESULTS)
WIDTHS = (320, 360, 390, 600, 768, 900, 1024, 1440, 1600)


@pytest.mark.parametrize("name", NAMES)
def test_it_opens_without_a_message_and_asks_for_nothing(tab, addresses, name):
    page = tab.open(addresses[name])
    page.wait_for_load_state("networkidle")
    assert tab.said == []
    assert tab.asked == [addresses[name]]
    assert page.evaluate("window.hacked") is None


@pytest.mark.parametrize("name", NAMES)
def test_nothing_scrolls_sideways_at_any_width(tab, addresses, name):
    page = tab.open(addresses[name])
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    wider = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        needed = page.evaluate("document.documentElement.scrollWidth")
        if needed > width:
            wider[width] = needed
    assert wider == {}


@pytest.mark.parametrize("name", NAMES)
def test_no_text_is_cut_off_or_hangs_out_on_a_phone(tab, addresses, name):
    page = tab.open(addresses[name], width=360)
    out = page.evaluate(
        """() => [...document.querySelectorAll(
            'p, h1, h2, h3, th, td, dd, li, text, .iv, .pt, button, summary')]
        .filter((each) => each.getClientRects().length && !each.closest('.vh'))
        .map((each) => [each.getBoundingClientRect(), each.textContent.slice(0, 40)])
        .filter(([box]) => box.left < -0.5 || box.right > innerWidth + 0.5)
        .map(([box, text]) => [Math.round(box.left), Math.round(box.right), text])"""
    )
    assert out == []


@pytest.mark.parametrize("name", ["flips", "texts", "family", "scores", "many_items"])
def test_it_reads_without_script(plain_tab, addresses, name):
    page = plain_tab.open(addresses[name])
    assert page.locator("h1").is_visible()
    assert page.locator("[data-tools]:visible, button:visible, select:visible").count() == 0
    assert plain_tab.said == []


def test_without_script_a_link_marks_its_item_in_the_picture(plain_tab, addresses):
    page = plain_tab.open(addresses["flips"])
    page.locator(".ids a").nth(3).click()
    assert page.url.endswith("#u3")
    assert page.locator("use:target").get_attribute("id") == "u3"


def test_without_script_a_thousand_rows_are_all_there(plain_tab, addresses):
    page = plain_tab.open(addresses["many_items"])
    assert page.locator(".ids li").count() == 950


@pytest.mark.parametrize("width", [1440, 1024, 768, 390])
@pytest.mark.parametrize("name", ["family", "mixed_family", "scores", "flips"])
def test_the_header_of_an_axis_stands_over_the_charts_of_its_rows(tab, addresses, name, width):
    page = tab.open(addresses[name], width=width)
    table = "table.forest" if name != "flips" else "table.runs"
    boxes = page.evaluate(
        """(table) => [document.querySelector(`${table} svg.ax-head`),
        ...document.querySelectorAll(`${table} tbody svg.row-chart`)]
        .map((each) => each.getBoundingClientRect())
        .map((box) => [Math.round(box.left), Math.round(box.width)])""",
        table,
    )
    assert len(boxes) > 2
    assert len({tuple(box) for box in boxes}) == 1
