"""The checkout itself: its two commands, pins, changelog, and that it names no machine."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from evalstats._version import __version__

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CORE = PROJECT["project"]["dependencies"]
EXTRAS = [line for lines in PROJECT["project"]["optional-dependencies"].values() for line in lines]
FOLDERS = ("src", "tests", "docs", "examples", "atlas", "bench")
TEXTS = sorted(
    {
        *(path for pattern in ("*.md", "*.toml", "Makefile") for path in ROOT.glob(pattern)),
        *(path for folder in (".ci", "requirements") for path in (ROOT / folder).iterdir()),
        *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")),
        *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.md")),
    }
)
MACHINE = re.compile(r"(?<![\w.~-])/(?:home|root|work|opt|tmp|Users|mnt)/\w+")
REGISTRY = re.compile(r"\b(?:pypi|pythonhosted)\.org\b|--(?:extra-)?index-url\b")
UNREAD = re.compile(r"\b(?:DECISIONS|FORMUL[A]S) \d|\bMETHODS\.m[d]\b")  # no file of the project
UNFINISHED = re.compile(r"\bTO[D]O\b|\bFIX[M]E\b|\bX[X]X\b|raise NotImplemented[E]rror")


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _pins(name: str) -> dict[str, str]:
    lines = [line for line in _text(f"requirements/{name}.txt").splitlines() if not line.startswith("#")]
    return {_normal(package): version for package, version in (line.split("==") for line in lines)}


def _normal(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


def _bounds(requirements: list[str]) -> dict[str, str]:
    """Lowest allowed version of each dependency."""
    found = [re.match(r"([\w.-]+)>=([\d.]+)", line) for line in requirements]
    return {_normal(match[1]): match[2] for match in found if match}


def _targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", _text("Makefile"), flags=re.MULTILINE))


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_every_make_command_that_is_named_exists(document):
    named = set(re.findall(r"(?:^|`|\$ )make ([a-z-]+)", _text(document), flags=re.MULTILINE))
    assert named
    assert named <= _targets()


def test_the_readme_leads_with_its_two_commands():
    assert {"demo", "test"} <= set(re.findall(r"\bmake ([a-z]+)\b", _text("README.md")))


def test_ci_runs_every_check_there_is():
    steps = re.search(r"^steps=\(([^)]*)\)", _text(".ci/run"), flags=re.MULTILINE)
    assert steps is not None
    by_hand = {"help", "check", "format", "pins", "clean", "coverage", "coverage-reduced", "bench"}
    assert set(steps[1].split()) == _targets() - by_hand


def test_the_changelog_has_this_version_first():
    headings = re.findall(r"^## (\S+)", _text("CHANGELOG.md"), flags=re.MULTILINE)
    assert headings[0] == __version__


def test_every_pin_is_one_version_of_one_package():
    for name in ("run", "test", "oldest", "bench", "bench-other"):
        pins = _pins(name)
        assert pins
        assert all(re.fullmatch(r"\d[\w.]*", version) for version in pins.values()), name


def test_what_runs_and_what_tests_are_pinned_apart():
    assert set(_bounds(CORE)) <= set(_pins("run"))
    assert len(_bounds(CORE)) == len(CORE)
    assert set(_bounds(EXTRAS)) <= set(_pins("test"))
    assert set(_pins("run")) & set(_pins("test")) == set()
    assert {_normal(name) for name in PROJECT["dependency-groups"]["test"]} <= set(_pins("test"))
    assert set(_pins("run")) & set(_pins("bench")) == set()
    assert {_normal(name.split("<")[0]) for name in PROJECT["dependency-groups"]["bench"]} <= set(
        _pins("bench")
    )
    assert {"lm-eval", "rliable"} <= set(_pins("bench"))


def test_the_oldest_pins_are_the_lower_bounds():
    oldest = _pins("oldest")
    for package, bound in _bounds(CORE + EXTRAS).items():
        assert f"{oldest[package]}.".startswith(f"{bound}."), package


@pytest.mark.parametrize(
    "pattern",
    [MACHINE, REGISTRY, UNREAD, UNFINISHED],
    ids=["machine", "registry", "unread", "unfinished"],
)
def test_no_text_names_a_machine_or_a_registry_or_what_nobody_has_or_is_unfinished(pattern):
    found = {path.relative_to(ROOT): pattern.findall(path.read_text(encoding="utf-8")) for path in TEXTS}
    assert {path: words for path, words in found.items() if words} == {}


def test_make_alone_lists_every_target():
    listed = subprocess.run(["make"], check=True, capture_output=True, text=True, cwd=ROOT).stdout
    assert _targets() - {"help"} == set(re.findall(r"^  make ([a-z-]+)", listed, flags=re.MULTILINE))


def test_a_python_that_is_too_old_is_refused_in_one_sentence(tmp_path):
    old = tmp_path / "python"
    old.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    old.chmod(0o755)
    target = tmp_path / "checkout"
    target.mkdir()
    for name in ("Makefile", "pyproject.toml"):
        (target / name).write_text(_text(name), encoding="utf-8")
    for name in ("requirements/run.txt", "src/evalstats/_version.py"):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_text("", encoding="utf-8")
    made = subprocess.run(
        ["make", f"PYTHON={old}", "demo"], check=False, capture_output=True, text=True, cwd=target
    )
    assert made.returncode != 0
    assert "evalstats needs Python 3.11 or newer" in made.stderr
    assert not (target / ".venv").exists()


def _linked_pages() -> list[Path]:
    return [path for name in ("docs", "examples") for path in sorted((ROOT / name).rglob("*.md"))] + [
        ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
    ]


def test_every_link_of_a_page_leads_to_a_file_that_git_knows():
    """A file that is here and was never committed is a broken link for everyone else."""
    if not (ROOT / ".git").exists():
        pytest.skip("no checkout")
    listed = subprocess.run(["git", "ls-files"], check=True, capture_output=True, text=True, cwd=ROOT)
    files = {ROOT / name for name in listed.stdout.splitlines()}
    known = files | {folder for path in files for folder in path.parents}
    pages = [path for path in _linked_pages() if path in files]
    links = {
        (str(path.relative_to(ROOT)), link): Path(os.path.normpath(path.parent / link.partition("#")[0]))
        for path in pages
        for link in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8"))
        if not re.match(r"[a-z]+:|#", link)
    }
    assert len(links) > 100
    assert [link for link, target in links.items() if target not in known] == []


def _shown_commands() -> list[tuple[list[str], str]]:
    """Every `$ evalstats …` of the README with what it shows under it."""
    blocks = re.findall(
        r"^```console\n\$ evalstats (.*)\n([^`]*)^```", _text("README.md"), flags=re.MULTILINE
    )
    return [(command.split(), output) for command, output in blocks]


def test_the_readme_shows_what_the_command_prints():
    assert _shown_commands()
    for words, output in _shown_commands():
        command = [sys.executable, "-m", "evalstats", *words]
        at_80_columns = {**os.environ, "COLUMNS": "80"}
        done = subprocess.run(
            command, check=True, capture_output=True, text=True, cwd=ROOT, env=at_80_columns
        )
        assert done.stdout == output
