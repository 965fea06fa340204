"""Slices in a notebook: the finding, and a table with each slice's interval drawn."""

from __future__ import annotations

from evalstats.analyses.slices_result import Slices
from evalstats.report import slices_forest, slices_wording
from evalstats.report.notebook import page, table
from evalstats.report.numbers import is_fraction
from evalstats.report.slices_table import columns


def html(result: Slices) -> str:
    """What a notebook shows of slices; no style sheet and no script."""
    ordered = slices_wording.in_order(result)
    cells, axis = columns(result, ordered), slices_forest.shared_axis(result)
    if axis is None:
        view = table(cells)
    else:
        view = table(cells, axis, slices_forest.bars(axis, ordered), _unit(result))
    said = (
        *slices_wording.cut_off_lines(result),
        slices_wording.whole_line(result),
        *slices_wording.flags(result),
    )
    view["notes"] = [*view["notes"], *(line for line in said if line)]
    return page({"answer": slices_wording.finding(result), "caption": slices_wording.heading(result), **view})


def _unit(result: Slices) -> str:
    scales = [row.scale for one in result for row in (one.score, one.comparison) if row is not None]
    if not all(map(is_fraction, scales)):
        return ""
    return " %" if result.against == "rest" else " points"
