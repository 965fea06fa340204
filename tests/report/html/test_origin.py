"""The command that a page shows makes the result again."""

from __future__ import annotations

import json
import shlex

import pytest

import evalstats as es
from evalstats.cli.main import main
from evalstats.report.html.origin import command_line
from tests.made_runs import LOGS

A, B = (str(LOGS / "lm_eval" / name) for name in ("model-a", "model-b"))
CALLS = {
    "margin": lambda: es.compare(A, B, task="pens_cot", margin=0.3, effect=0.02),
    "options": lambda: es.compare(A, B, cluster="none", level=0.9, correction="none", lower_is_better=True),
    "labels": lambda: es.compare(A, B, task="colors_law", labels=("an old one", "new 'quoted'")),
    "unpaired": lambda: es.compare(A, B, task="colors_law", paired=False),
    "bounds": lambda: es.compare(A, B, task="colors_law", bounds=(0, 1), missing="wrong"),
    "counts": lambda: es.compare("360/500", "375/500", discordant=(40, 55)),
    "score": lambda: es.score(A, guarantee=True),
}


@pytest.mark.parametrize("name", list(CALLS))
def test_the_command_gives_the_same_numbers(name, capsys):
    result = CALLS[name]()
    words = shlex.split(" ".join(command_line(result.provenance)))
    assert words[0] == "evalstats"
    assert main([*words[1:], "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    wanted = json.loads(json.dumps(result.to_dict()))
    kind = "scores" if name == "score" else "comparisons"
    assert again[kind] == wanted[kind]
    assert again["provenance"]["inputs"] == wanted["provenance"]["inputs"]


def test_a_margin_in_a_score_s_own_unit_is_left_as_it_is():
    records = [[{"item": f"q{at}", "score": 1 + (at + shift) % 9} for at in range(40)] for shift in (0, 1)]
    origin = es.compare(*records, bounds=(1, 10), margin=0.5).provenance
    assert command_line(origin) == []  # from memory: there is no command
    from_files = type(origin)("compare", ("a.csv", "b.csv"), (), dict(origin.options), 0)
    assert command_line(from_files, fraction=False)[-4:] == ["--margin", "0.5", "--bounds", "1,10"]
