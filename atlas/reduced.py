"""The atlas in a minute: each default's worst cells and a middle one, against the stored figures."""

from __future__ import annotations

from typing import Any

from atlas import store
from atlas.figure import Row
from atlas.rows import ROWS

LEVEL = 0.95
WORST = 3
EVERY = 5


def chosen_cells(stored: dict[str, Any], method: str) -> list[int]:
    """Positions of the three worst cells and of the middle one, by stored coverage.

    Where all data sets are enumerated every fifth cell too: the worst ones lie at the edge, where a narrower
    interval can hold the truth in the very same data sets.
    """
    coverage = stored["methods"][method][str(LEVEL)]["coverage"]
    order = sorted((value, i) for i, value in enumerate(coverage) if value is not None)
    chosen = [i for _, i in [*order[:WORST], order[len(order) // 2]]]
    return chosen if stored["draws"] else sorted({*chosen, *(i for _, i in order[::EVERY])})


def worse_in(row: Row, stored: dict[str, Any]) -> list[str]:
    """One line for each of the row's chosen cells that is worse than stored."""
    method, lines = row.default, []
    by_values = {tuple(cell): cell for cell in row.cells}
    for i in chosen_cells(stored, method):
        cell = by_values[tuple(stored["cells"][i])]
        new = row.measure(cell, method, LEVEL, row.again)
        old = store.stored_figure(stored, method, LEVEL, i)
        if new is not None and old is not None and store.worse(new, old):
            lines.append(store.said_worse(row, method, LEVEL, cell, new, old))
    return lines


def worse_in_reduced() -> list[str]:
    """Of all rows."""
    stored = store.read()
    return [line for row in ROWS for line in worse_in(row, stored[row.key])]
