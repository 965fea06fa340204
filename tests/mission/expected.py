"""The numbers of the mission's rows, from other programs: tests/data/reference/seed_numbers.json."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.reference import FOLDER

_CASES = {
    case["id"].removeprefix("seed_numbers/"): case["expected"]
    for case in json.loads((FOLDER / "seed_numbers.json").read_text(encoding="utf-8"))
}


def seed(name: str) -> Any:
    """One number, or a pair of limits, at the tolerance of seed_numbers.json."""
    return pytest.approx(_CASES[name], rel=0, abs=5e-10)


def limits(estimate: Any) -> list[float]:
    """Of an Estimate, or of its JSON."""
    if isinstance(estimate, dict):
        return [estimate["ci_low"], estimate["ci_high"]]
    return [estimate.ci_low, estimate.ci_high]


def percent(estimate: Any, digits: int = 1) -> tuple[float, ...]:
    """The limits as the mission writes them."""
    return tuple(round(100 * limit, digits) for limit in limits(estimate))
