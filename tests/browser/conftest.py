"""A real Chromium, Debian's, driven by Playwright. Without either these tests are skipped and say so once."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

import pytest

from tests.report.html.pages import RESULTS, page_of

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
HERE = Path(__file__).parent


def chromium() -> str | None:
    named = (os.environ.get("CHROMIUM"), "chromium", "chromium-browser")
    return next((found for name in named if name and (found := shutil.which(name))), None)


def why_not() -> str | None:
    if importlib.util.find_spec("playwright") is None:
        return "Playwright is not installed (requirements/test.txt)"
    return None if chromium() else "no Chromium found (Debian: apt-get install chromium)"


def pytest_collection_modifyitems(items):
    reason = why_not()
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if reason:
                item.add_marker(pytest.mark.skip(reason=reason))


def pytest_terminal_summary(terminalreporter):
    reports = [
        report
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, [])
        if report.nodeid.startswith("tests/browser/")
    ]
    reason = why_not()
    said = f"browser tests skipped: {reason}" if reason else f"browser tests run in Chromium: {len(reports)}"
    terminalreporter.write_line(said)


@pytest.fixture(scope="session")
def addresses(tmp_path_factory):
    """Name of a page -> the address of its file."""
    folder = tmp_path_factory.mktemp("pages")
    for name in RESULTS:
        (folder / f"{name}.html").write_text(page_of(name), encoding="utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in RESULTS}


@pytest.fixture(scope="session")
def playwright():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        yield started


def opened(playwright, folder, **options):
    return playwright.chromium.launch_persistent_context(
        str(folder),
        executable_path=chromium(),
        headless=True,
        args=list(ARGUMENTS),
        accept_downloads=True,
        **options,
    )


@pytest.fixture(scope="session")
def context(playwright, tmp_path_factory):
    found = opened(playwright, tmp_path_factory.mktemp("profile"))
    yield found
    found.close()


@pytest.fixture(scope="session")
def without_script(playwright, tmp_path_factory):
    found = opened(playwright, tmp_path_factory.mktemp("profile"), java_script_enabled=False)
    yield found
    found.close()


class Tab:
    """A tab that remembers every message, error and request, all of which there should be none of."""

    def __init__(self, page):
        self.page = page
        self.said: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))

    def open(self, address, width=1024, height=900, **media):
        self.said.clear()
        self.asked.clear()
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.emulate_media(
            **{"media": "screen", "color_scheme": "light", "reduced_motion": "no-preference", **media}
        )
        self.page.goto("about:blank")  # so that an address with another fragment is loaded anew
        self.page.goto(address)
        return self.page


@pytest.fixture(scope="session")
def tab(context):
    return Tab(context.new_page())


@pytest.fixture(scope="session")
def plain_tab(without_script):
    return Tab(without_script.new_page())
