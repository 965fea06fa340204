"""A row measured: every method in every cell at every level, and what that says in a few numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from atlas.figure import LEVELS, Figure, Row

PROMISED = 0.95
INFORMATIVE = 10  # units from which the promise holds in every cell
MEAN_SHORT, CELL_SHORT, GUARANTEE_SHORT = 0.01, 0.03, 0.005
ERRORS = 3  # Monte Carlo standard errors that a simulated figure is given


@dataclass(frozen=True)
class Measured:
    """figures[method][level] : one a cell, None where it is not measured. informative : one a cell."""

    row: Row
    figures: dict[str, dict[float, list[Figure | None]]]
    informative: list[float]


def measure_row(row: Row, draws: int, levels: Iterable[float] = LEVELS) -> Measured:
    """Every cell once, all methods and levels of a cell together, as they share its data sets."""
    figures: dict[str, dict[float, list[Figure | None]]] = {
        method: {level: [] for level in levels} for method in row.methods
    }
    informative = []
    for cell in row.cells:
        for method, of_levels in figures.items():
            for level, found in of_levels.items():
                found.append(row.measure(cell, method, level, draws))
        informative.append(row.informative(cell))
    return Measured(row, figures, informative)


def summary(measured: Measured, method: str, level: float) -> dict[str, Any] | None:
    """Of one method at one level: worst and mean coverage, misses by side, width, and the promise."""
    found = [(i, one) for i, one in enumerate(measured.figures[method][level]) if one is not None]
    if not found:
        return None
    worst_at, worst = min(found, key=lambda pair: pair[1].coverage)
    enough = [(i, one) for i, one in found if measured.informative[i] >= INFORMATIVE]
    enough_at, enough_worst = min(enough, key=lambda pair: pair[1].coverage, default=(None, None))
    return {
        "cells": len(found),
        "mean": _mean(one.coverage for _, one in found),
        "min": worst.coverage,
        "min_at": worst_at,
        "min_error": worst.error,
        "min_informative": None if enough_worst is None else enough_worst.coverage,
        "min_informative_at": enough_at,
        "min_informative_error": None if enough_worst is None else enough_worst.error,
        "below": _mean(one.coverage < level for _, one in found),
        "below_by_three": _mean(one.coverage < level - CELL_SHORT for _, one in found),
        "too_high": _mean(one.too_high for _, one in found),
        "too_low": _mean(one.too_low for _, one in found),
        "none": _mean(one.none for _, one in found),
        "width": _width_ratio(measured, method, level),
        "draws": max(one.draws for _, one in found),
        "enumerated": sum(one.draws == 0 for _, one in found),
    }


def joined(summaries: list[dict[str, Any]]) -> dict[str, Any]:
    """The lowest figures and the mean over all cells, of one method in several rows of one situation."""
    worst = min(summaries, key=lambda said: float(said["min"]))
    enough = [said for said in summaries if said["min_informative"] is not None]
    keys = ("min_informative", "min_informative_error")
    lowest = min(enough, key=lambda said: float(said["min_informative"]), default=dict.fromkeys(keys))
    cells = sum(said["cells"] for said in summaries)
    mean = math.fsum(said["mean"] * said["cells"] for said in summaries) / cells
    return {
        "min": worst["min"],
        "min_error": worst["min_error"],
        "mean": mean,
        **{k: lowest[k] for k in keys},
    }


def promise_kept(row: Row, method: str, level: float, said: dict[str, Any]) -> bool:
    """A guarantee: at most half a point below anywhere. Else the mean, and cells with 10 informative units.

    A simulated figure is given three of its standard errors. What is no guarantee is promised at 95 % only.
    """
    chosen = row.table[method]
    if chosen.role == "guarantee" or chosen.proof:
        return bool(said["min"] >= level - GUARANTEE_SHORT - ERRORS * said["min_error"])
    if level != PROMISED:
        return True
    mean_kept = said["mean"] >= level - MEAN_SHORT
    if said["min_informative"] is None:
        return bool(mean_kept)
    least = level - CELL_SHORT - ERRORS * said["min_informative_error"]
    return bool(mean_kept and said["min_informative"] >= least)


def _mean(values: Iterable[float]) -> float:
    listed = [float(value) for value in values]
    return math.fsum(listed) / len(listed)


def _width_ratio(measured: Measured, method: str, level: float) -> float | None:
    """Mean over cells of its width over the narrowest method's that covers at most a point below there."""
    ratios = []
    for i, mine in enumerate(measured.figures[method][level]):
        there = [of_levels[level][i] for of_levels in measured.figures.values()]
        valid = [one.width for one in there if one and one.coverage >= level - MEAN_SHORT and one.width > 0]
        if mine is not None and valid and mine.width > 0:
            ratios.append(mine.width / min(valid))
    return _mean(ratios) if ratios else None
