"""Bug reports of other tools with their right answers: tests/data/cases.json."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_FILE = Path(__file__).parents[1] / "data" / "cases.json"
CASES = {case["id"]: case for case in json.loads(_FILE.read_text(encoding="utf-8"))}
ANSWERED: set[str] = set()
SIX_DIGITS = 1.1e-6  # the answers are rounded to the sixth decimal

# case -> what it waits for; everything else has an answer or a refusal in this folder
WAITING = {
    "bt-ties": "Bradley–Terry",
    "bt-undefeated": "Bradley–Terry",
    "bt-anchor": "Bradley–Terry",
    "bt-bootstrap-degenerate": "Bradley–Terry",
    "cuped-constant-covariate": "experiments online",
    "peeking": "early stopping",
}


@dataclass(frozen=True)
class Case:
    """given : the input. right : the right answer."""

    given: dict[str, Any]
    right: dict[str, Any]


def answered(name: str) -> Case:
    """A case whose answer the calling module tests."""
    ANSWERED.add(name)
    return Case(CASES[name]["input"], CASES[name]["right_answer"])
