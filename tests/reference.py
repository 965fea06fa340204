"""Values from R, statsmodels and published tables: tests/data/reference/*.json, one list of cases a file."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent / "data" / "reference"
_WORDS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def _numbers(value: Any) -> Any:
    if isinstance(value, str):
        return _WORDS.get(value, value)
    if isinstance(value, list):
        return [_numbers(v) for v in value]
    if isinstance(value, dict):
        return {k: _numbers(v) for k, v in value.items()}
    return value


def cases(file: str, *calls: str) -> list[Any]:
    """The cases of one file whose `call` is one of `calls`, as pytest parameters named by their id."""
    found = [
        c for c in json.loads((FOLDER / f"{file}.json").read_text(encoding="utf-8")) if c["call"] in calls
    ]
    assert found, f"no case of {calls} in {file}.json"
    return [
        pytest.param({**c, "input": _numbers(c["input"]), "expected": _numbers(c["expected"])}, id=c["id"])
        for c in found
    ]
