"""How figures are printed: coverage in per cent, a cell in words, a method's line in the method table."""

from __future__ import annotations

import math
from typing import Any

from atlas.figure import Row
from atlas.measured import promise_kept

DAGGER = "†"
LEVEL = "0.95"


def percent(value: float | None, digits: int = 1) -> str:
    """93.04 → "93.0"; never rounded up to 100 or to a nominal level that was missed."""
    if value is None:
        return "–"
    scaled = math.floor(value * 100 * 10**digits + 1e-6) / 10**digits
    return f"{scaled:.{digits}f}"


def cell_in_words(columns: list[str], cell: list[Any]) -> str:
    """n = 10, p = 0.98."""
    names = {"psi": "ψ", "share": "D/ψ", "icc": "ICC"}
    return ", ".join(
        f"{names.get(name, name)} = {value:g}" if isinstance(value, int | float) else f"{name} {value}"
        for name, value in zip(columns, cell, strict=True)
    )


def mark(row: Row, method: str, level: str, said: dict[str, Any]) -> str:
    """† where the promise is not kept, and beside a default the code of its caveat."""
    if promise_kept(row, method, float(level), said):
        return ""
    return f" {DAGGER} `{row.caveat}`" if method == row.default else f" {DAGGER}"


def short(value: float) -> str:
    """.9304 → ".930"; 1 stays 1.000; cut, not rounded, so that .9499 does not become .950."""
    cut = math.floor(value * 1000 + 1e-6) / 1000
    return f"{cut:.3f}".removeprefix("0")


def measured_in_short(row: Row, method: str, said: dict[str, Any]) -> str:
    """For the method table, at 95 %: worst with 10+ informative units, worst anywhere, mean."""
    dagger = "" if promise_kept(row, method, float(LEVEL), said) else f" {DAGGER}"
    if row.kind == "test":
        size = math.ceil((1 - said["min"]) * 10000 - 1e-6) / 10000
        return f"size at most {size:.4f}".replace("0.", ".") + dagger
    parts = []
    if said["min_informative"] is not None:
        parts.append(f"{short(said['min_informative'])} with 10+ informative")
    parts.append(f"{short(said['min'])} at the edge")
    return f"{', '.join(parts)} / {short(said['mean'])}{dagger}"
