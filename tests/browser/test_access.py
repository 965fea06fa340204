"""Who cannot see, cannot use a mouse, prefers the dark, less motion or paper reads the same."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from tests.report.html.pages import RESULTS

CHECKED = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")


@pytest.fixture(scope="session")
def axe():
    """axe-core as the package that brings it has it; nothing of it is part of this project."""
    found = importlib.util.find_spec("axe_playwright_python")
    if found is None or found.origin is None:
        pytest.skip("axe-core is not installed (requirements/test.txt)")
    return Path(found.origin).with_name("axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (1440, "dark"), (390, "light")])
@pytest.mark.parametrize("name", list(RESULTS))
def test_axe_finds_nothing(tab, addresses, axe, name, width, scheme):
    page = tab.open(addresses[name], width=width, color_scheme=scheme)
    page.evaluate(axe)
    found = page.evaluate("(tags) => axe.run({ runOnly: { type: 'tag', values: tags } })", list(CHECKED))
    assert [(each["id"], each["nodes"][0]["html"][:200]) for each in found["violations"]] == []


def test_the_first_tab_skips_to_the_result(tab, addresses):
    page = tab.open(addresses["flips"])
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.locator(".skip").bounding_box()["x"] >= 0
    page.keyboard.press("Enter")
    assert page.url.endswith("#main")


def test_everything_that_can_be_used_is_reached_by_tab_in_reading_order(tab, addresses):
    page = tab.open(addresses["flips"])
    reached = []
    for _ in range(60):
        page.keyboard.press("Tab")
        found = page.evaluate(
            """() => { const at = document.activeElement; const box = at.getBoundingClientRect();
            return [at.tagName, Math.round(box.top + scrollY), getComputedStyle(at).outlineStyle]; }"""
        )
        if found[0] == "BODY":
            break
        reached.append(found)
    tags = [tag for tag, _, _ in reached]
    assert {"A", "INPUT", "BUTTON", "SUMMARY"} <= set(tags)
    assert all(outline != "none" for _, _, outline in reached)
    assert tags.index("INPUT") < tags.index("SUMMARY")


def test_an_item_in_focus_is_marked_in_the_picture(tab, addresses):
    page = tab.open(addresses["flips"])
    page.locator(".ids a").nth(2).focus()
    assert page.locator("use.hot").count() == 1
    assert page.locator("use.hot").get_attribute("id") == "u2"
    page.locator("h1").click()
    page.locator("[data-copy]").first.focus()
    assert page.locator("use.hot").count() == 0


def test_the_search_says_how_many_it_found(tab, addresses):
    page = tab.open(addresses["flips"])
    page.locator("input[type=search]").fill("q005")
    assert page.locator(".ids li:visible").count() == 10
    status = page.locator("[data-count]")
    assert status.get_attribute("role") == "status"
    assert status.inner_text() == "10 of 95 shown"
    page.locator("[data-side=worse]").click()
    assert page.locator("[data-side=worse]").get_attribute("aria-pressed") == "true"
    assert page.locator(".ids li:visible").count() == 0
    page.locator("input[type=search]").fill("")
    assert page.locator("[data-list=worse] li:visible").count() == 40
    assert page.locator("[data-list=better] li:visible").count() == 0


def test_texts_are_found_and_shown(tab, addresses):
    page = tab.open(addresses["texts"])
    page.locator("input[type=search]").fill("because")
    assert page.locator(".ids li:visible").count() == 95
    page.locator(".texts summary").first.click()
    shown = page.locator(".texts pre:visible").all_inner_texts()
    assert shown == ["What is 2 + 2?\nThink first.", "4", "5, because\n\tI say so", "4"]


def test_a_forest_is_ordered_and_filtered(tab, addresses):
    page = tab.open(addresses["family"])
    first = page.locator("table.forest tbody tr:visible th")
    records = page.evaluate("JSON.parse(document.getElementById('result').textContent)")["comparisons"]
    assert "benchmark_00" in first.first.inner_text()
    page.locator("select").select_option("difference.point down")
    best = max(records, key=lambda record: record["difference"]["point"])
    assert best["benchmark"] in first.first.inner_text()
    page.get_by_role("button", name="benchmark", exact=True).click()
    names = [text.split("\n")[0] for text in first.all_inner_texts()]
    assert names in (sorted(names), sorted(names, reverse=True))
    assert page.locator("th[aria-sort]").count() == 1
    page.locator("[data-forest] [data-state=improved]").click()
    assert page.locator("table.forest tbody tr:visible").count() == 1
    page.locator("[data-forest] [data-state='']").click()
    page.locator("[data-forest] input").fill("_1")
    assert page.locator("table.forest tbody tr:visible").count() == 4


def test_a_name_in_the_forest_opens_its_row(tab, addresses):
    page = tab.open(addresses["family"])
    page.locator("table.forest tbody a").first.click()
    page.wait_for_function("document.querySelector('details.each[open]') !== null")
    assert page.locator("details.each[open]").count() == 1


def test_the_dark_is_dark_and_the_light_is_light(tab, addresses):
    def background(scheme: str) -> str:
        page = tab.open(addresses["flips"], color_scheme=scheme)
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    assert background("light") == "rgb(252, 252, 250)"
    assert background("dark") == "rgb(15, 18, 22)"


def test_nothing_moves_for_who_prefers_less_motion(tab, addresses):
    page = tab.open(addresses["flips"], reduced_motion="reduce")
    moving = page.evaluate(
        """[...document.querySelectorAll('*')].map((each) => getComputedStyle(each))
        .filter((style) => style.scrollBehavior === 'smooth' || parseFloat(style.transitionDuration) > 0
        || style.animationName !== 'none').length"""
    )
    assert moving == 0


def test_forced_colours_keep_the_bar_and_the_marks(tab, addresses):
    page = tab.open(addresses["improved"], forced_colors="active")
    colours = page.evaluate(
        """['.ivb', '.mosaic .better', '.mosaic .worse'].map((s) =>
        getComputedStyle(document.querySelector(s)).fill)"""
    )
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background not in colours


@pytest.mark.parametrize("name", ["flips", "texts", "family", "score"])
def test_paper_has_all_of_it(tab, addresses, name):
    page = tab.open(addresses[name])
    printed = page.pdf(format="A4")
    assert printed.startswith(b"%PDF")
    folds = page.evaluate("[...document.querySelectorAll('details.more')].every((fold) => fold.open)")
    assert folds
    page.emulate_media(media="print")
    assert page.locator("input:visible, select:visible, .copy button:visible").count() == 0


@pytest.mark.parametrize("name", ["family", "mixed_family", "scores", "flips", "hostile_family"])
def test_a_table_fits_on_paper(tab, addresses, name):
    page = tab.open(addresses[name], width=690, media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 690
    names = page.evaluate(
        """[...document.querySelectorAll('table tbody th')].filter((each) => each.getClientRects().length)
        .map((each) => each.getBoundingClientRect().width)"""
    )
    assert min(names) >= 60


def test_the_result_is_saved_as_the_json_it_is(tab, addresses):
    page = tab.open(addresses["flips"])
    with page.expect_download() as download:
        page.locator("[data-save]").click()
    saved = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert saved == json.loads(json.dumps(RESULTS["flips"]().to_dict()))
    assert download.value.suggested_filename == "evalstats-compare.json"
