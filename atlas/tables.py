"""The figures as Markdown and CSV."""

from __future__ import annotations

import csv
import io
from typing import Any

from atlas.figure import Row
from atlas.words import LEVEL, cell_in_words, mark, percent

_HEAD = (
    "| method | level | worst, 10+ informative | worst | mean | cells below | by > 3 points | too high | "
    "too low | none | width | cells |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n"
)


def of_row(row: Row, stored: dict[str, Any]) -> str:
    """A line a method and level."""
    lines = [
        _line(row, method, level, found["summary"])
        for method, of_levels in stored["methods"].items()
        for level, found in of_levels.items()
    ]
    return _HEAD + "".join(lines)


def _line(row: Row, method: str, level: str, said: dict[str, Any]) -> str:
    one_sided_known = row.kind == "interval"  # a test only says whether it lit
    width = "–" if said["width"] is None else f"{said['width']:.2f}"
    simulated = said["cells"] - said["enumerated"]
    cells = f"{said['cells']}"
    if simulated:
        share = "" if simulated == said["cells"] else f"{simulated} with "
        cells += f", {share}{said['draws']:,} draws"
    columns = [
        f"`{method}`{mark(row, method, level, said)}",
        level.removeprefix("0").ljust(3, "0"),
        percent(said["min_informative"]),
        percent(said["min"]),
        percent(said["mean"]),
        f"{said['below']:.0%}",
        f"{said['below_by_three']:.0%}",
        *(percent(said[key] if one_sided_known else None, 2) for key in ("too_high", "too_low", "none")),
        width,
        cells,
    ]
    return f"| {' | '.join(columns)} |\n"


def worst_cells(row: Row, stored: dict[str, Any], count: int = 5) -> str:
    """The default's worst cells among those with 10 informative units, then over all."""
    coverage = stored["methods"][row.default][LEVEL]["coverage"]
    order = sorted((value, i) for i, value in enumerate(coverage) if value is not None)
    enough = [pair for pair in order if stored["informative"][pair[1]] >= 10]
    lines = ["| coverage, % | cell | informative |\n|---|---|---|\n"]
    for value, i in dict.fromkeys([*order[:count], *enough[:count]]):
        where = cell_in_words(stored["columns"], stored["cells"][i])
        lines.append(f"| {percent(value, 2)} | {where} | {stored['informative'][i]:.3g} |\n")
    return "".join(lines)


def cells_as_csv(row: Row, stored: dict[str, Any]) -> str:
    """Every cell with the coverage of the default and of the guarantee at each level."""
    shown = [
        (method, level)
        for method, of_levels in stored["methods"].items()
        for level in of_levels
        if method == row.default or row.table[method].role == "guarantee"
    ]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*stored["columns"], "informative", *(f"{method} {level}" for method, level in shown)])
    for i, cell in enumerate(stored["cells"]):
        found = [stored["methods"][method][level]["coverage"][i] for method, level in shown]
        writer.writerow([*cell, stored["informative"][i], *("" if one is None else one for one in found)])
    return out.getvalue()
