"""docs/gate.md and docs/plan-file.md say what the program does: outputs, commands, keys."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from evalstats.cli import main as command
from evalstats.plan_file import TIERS, PlannedBenchmark, read_plan

DOCS = Path(__file__).parents[2] / "docs"
GATE = (DOCS / "gate.md").read_text(encoding="utf-8")
PLAN = (DOCS / "plan-file.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^```console\n\$ evalstats (.*)\n([^`]*)^```", GATE, flags=re.MULTILINE)
NAMED = re.findall(
    r"(?:^|`|run: )evalstats ((?:gate|init|compare|score) [^`\n#]*)", GATE + PLAN, flags=re.MULTILINE
)


@pytest.mark.parametrize(("words", "output"), SHOWN)
def test_what_is_shown_is_what_is_printed(words, output, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    assert command.main(words.split()) == 0
    assert capsys.readouterr().out == output


def test_every_command_that_is_named_is_understood():
    assert len(NAMED) >= 7
    for words in NAMED:
        verb, *arguments = words.split()
        assert command._load(command.VERBS[verb].parser)(80).parse(arguments)


def test_the_plan_of_the_page_is_read(tmp_path):
    (text,) = re.findall(r"```toml\n(.*?)```", PLAN, flags=re.DOTALL)
    (tmp_path / "evalstats.toml").write_text(text, encoding="utf-8")
    plan = read_plan(tmp_path / "evalstats.toml")
    assert plan.names == ("gsm8k", "safety")
    assert plan["gsm8k"].config == {"num_fewshot": "5"}


def test_the_page_has_every_key_and_tier():
    keys = set(re.findall(r"^\| `(\w+)` \|", PLAN, flags=re.MULTILINE))
    fields = {field.name for field in dataclasses.fields(PlannedBenchmark)}
    assert keys == fields | {"level", "correction", "family"}
    assert all(f"| {tier} |" in PLAN for tier in TIERS)
