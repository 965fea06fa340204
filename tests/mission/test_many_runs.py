"""Beyond the rows of the mission: tie groups and rank ranges in place of a false order (part D, 6)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import evalstats as es
from evalstats.cli.main import main
from tests.made_runs import command

ROOT = Path(__file__).parents[2]
TABLE = "examples/models/scores.csv"
RATES = {"heron": 0.84, "plover": 0.78, "curlew": 0.78, "avocet": 0.74, "dunlin": 0.66, "godwit": 0.66}


@pytest.fixture(autouse=True)
def _from_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")


def test_equal_models_share_a_group_and_unequal_ones_are_told_apart(capsys):
    """The truth is known: the models are made up. The command and the call say the same."""
    found = es.rank(TABLE).only
    assert command(capsys, "rank", TABLE)["benchmarks"] == es.rank(TABLE).to_dict()["benchmarks"]
    for one, two in (("plover", "curlew"), ("dunlin", "godwit")):
        assert set(found[one].groups) & set(found[two].groups)
    assert not set(found["heron"].groups) & set(found["dunlin"].groups)
    order = sorted(RATES, key=lambda name: -RATES[name])
    for name in RATES:
        above = sum(RATES[other] > RATES[name] for other in order)
        assert found[name].rank_low <= above + 1 <= found[name].rank_high


def test_the_page_shows_what_is_printed(capsys):
    text = (ROOT / "docs" / "rank.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```console\n\$ evalstats (.*)\n([^`]*)^```", text, flags=re.MULTILINE)
    assert len(blocks) == 1
    for words, output in blocks:
        assert main(words.split()) == 0
        assert capsys.readouterr().out == output
