"""Figures in a file, and whether new ones are worse."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from atlas.figure import SEED, Figure, Row
from atlas.measured import ERRORS, Measured, summary

FOLDER = Path(__file__).parent.parent / "docs" / "coverage"
FIGURES = FOLDER / "figures.json"
DIGITS = 6
_ROUNDING = 2 * 10**-DIGITS  # an enumerated figure is stored with six digits


def packed(measured: Measured, draws: int) -> dict[str, Any]:
    """A row as it is stored: coverage of every cell, and the summary of every method and level."""
    row = measured.row
    methods: dict[str, Any] = {}
    for method, of_levels in measured.figures.items():
        methods[method] = {}
        for level, found in of_levels.items():
            said = summary(measured, method, level)
            if said is not None:
                methods[method][str(level)] = {
                    "summary": {key: _rounded(value) for key, value in said.items()},
                    "coverage": [None if one is None else round(one.coverage, DIGITS) for one in found],
                    "draws": _draws(found),
                }
    return {
        "columns": list(row.cells[0]._fields),
        "cells": [list(cell) for cell in row.cells],
        "informative": [round(one, 2) for one in measured.informative],
        "draws": draws if row.how == "simulated" else 0,
        "seed": SEED,
        "methods": methods,
    }


def _rounded(value: Any) -> Any:
    return round(value, DIGITS) if isinstance(value, float) else value


def _draws(found: list[Figure | None]) -> Any:
    """One number where all cells agree."""
    draws = [0 if one is None else one.draws for one in found]
    return draws[0] if len(set(draws)) == 1 else draws


def stored_figure(stored: dict[str, Any], method: str, level: float, i: int) -> Figure | None:
    """The stored coverage of one cell."""
    found = stored["methods"].get(method, {}).get(str(level))
    if found is None or found["coverage"][i] is None:
        return None
    draws = found["draws"][i] if isinstance(found["draws"], list) else found["draws"]
    return Figure(found["coverage"][i], math.nan, math.nan, math.nan, math.nan, draws)


def worse(new: Figure, old: Figure) -> bool:
    """Worse than the stored figure by more than three Monte Carlo standard errors (0 where enumerated)."""
    return bool(new.coverage < old.coverage - ERRORS * math.hypot(new.error, old.error) - _ROUNDING)


def worse_cells(measured: Measured, stored: dict[str, Any]) -> list[str]:
    """One line a cell that got worse. Cells that are not stored are new and cannot be."""
    row = measured.row
    at = {tuple(cell): i for i, cell in enumerate(stored["cells"])}
    lines = []
    for method, of_levels in measured.figures.items():
        for level, found in of_levels.items():
            for cell, new in zip(row.cells, found, strict=True):
                i = at.get(tuple(cell))
                old = None if i is None else stored_figure(stored, method, level, i)
                if new is not None and old is not None and worse(new, old):
                    lines.append(said_worse(row, method, level, cell, new, old))
    return lines


def said_worse(row: Row, method: str, level: float, cell: Any, new: Figure, old: Figure) -> str:
    """What got worse, in one line."""
    return (
        f"{row.key}, {method} at {level}: {cell} covers {new.coverage:.4f}, "
        f"stored {old.coverage:.4f} (three standard errors: {ERRORS * math.hypot(new.error, old.error):.4f})"
    )


def read() -> dict[str, Any]:
    """Stored figures by row; empty before the first run."""
    if not FIGURES.exists():
        return {}
    stored: dict[str, Any] = json.loads(FIGURES.read_text(encoding="utf-8"))
    return stored


def write(rows: dict[str, Any]) -> None:
    """Rows to the file, a line for each method and level, so that a change shows where it is."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    parts = []
    for key, row in rows.items():
        lines = [f"{json.dumps(field)}: {_compact(row[field])}" for field in row if field != "methods"]
        methods = ",\n".join(
            f"  {json.dumps(method)}: {{\n"
            + ",\n".join(f"   {json.dumps(level)}: {_compact(found)}" for level, found in of_levels.items())
            + "}"
            for method, of_levels in row["methods"].items()
        )
        parts.append(f"{json.dumps(key)}: {{\n " + ",\n ".join(lines) + ',\n "methods": {\n' + methods + "}}")
    FIGURES.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
