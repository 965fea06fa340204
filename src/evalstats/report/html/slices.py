"""Slices as a page: the finding, every slice with its interval drawn, the items that flipped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evalstats.analyses.slices_result import Slice, Slices
from evalstats.report import figures, slices_forest, slices_wording, wording
from evalstats.report.html import rows as single
from evalstats.report.html import shown
from evalstats.report.html.forest import luck_view
from evalstats.report.numbers import is_fraction
from evalstats.report.slices_table import columns, p_title
from evalstats.report.terminal import clean

View = dict[str, Any]
_MOST_OPENED = 20  # settled slices whose items are listed
_LONGEST = 60  # cells of a name in a table


def slices_view(result: Slices) -> View:
    """What the template of slices needs; worse first, as in the text."""
    ordered = slices_wording.in_order(result)
    places = {id(one): at for at, one in enumerate(result)}
    named, *numbers = columns(result, ordered)[1:]
    cells = {column.title: column.texts for column in numbers}
    axis = slices_forest.shared_axis(result)
    drawn = slices_forest.bars(axis, ordered) if axis is not None else []
    finding = slices_wording.finding(result)
    lead = wording.lead_of(finding)
    tested = slices_wording.tested_rows(result)
    one_run = result.against == "rest"
    return {
        "one_run": one_run,
        **_names(result.whole[0]),
        "heading": slices_wording.heading(result),
        "lead": finding[:lead].strip(),
        "rest": finding[lead:].strip(),
        "cut_offs": slices_wording.cut_off_lines(result),
        "whole": slices_wording.whole_line(result),
        "margin_line": slices_wording.margin_line(result),
        "flags": slices_wording.flags(result),
        "tags": _tags(result),
        "luck": luck_view(result.family, tested),
        "field": shown.name(" and ".join(result.by), _LONGEST),
        "states": _STATES[result.against],
        "axis": axis,
        "axis_unit": " %" if one_run and _fraction(result) else "",
        "starts": single.axis_note(axis, 0.0) if one_run and axis is not None else "",
        "p_title": p_title(result),
        "with_margin": any(row.margin is not None for row in tested),
        "rows": [
            _row(one, places[id(one)], named.texts[at], {title: texts[at] for title, texts in cells.items()})
            | ({"axis": axis, "bar": drawn[at], "band": _band(one, axis)} if axis is not None else {})
            for at, one in enumerate(ordered)
        ],
        "under": slices_wording.table_notes(result),
        "care": [{"code": "", "text": line} for line in slices_wording.care_notes(result)],
        "reach": single.reach_text(slices_wording.estimate_of(result.whole[0])),
        "unchecked": slices_wording.unchecked(result),
        "opened": [] if one_run else _opened(result, ordered, places),
        "signature": slices_wording.signature(result),
    }


def _names(whole: Slice) -> View:
    """The run, or the two of them."""
    if whole.comparison is None:
        return {"name": "" if whole.score is None else shown.name(whole.score.run.label)}
    sides = {"candidate": whole.comparison.candidate, "baseline": whole.comparison.baseline}
    return {role: shown.name(side.label) for role, side in sides.items()}


_STATES = {
    "rest": (("worse", "▼", "worse"), ("better", "▲", "better")),
    "baseline": (("regressed", "▼", "regressed"), ("improved", "▲", "improved")),
}


def _fraction(result: Slices) -> bool:
    return all(is_fraction(row.scale) for row in result.primary)


def _tags(result: Slices) -> list[View]:
    found = [
        {"text": f"{n:,} {word}", "tone": slices_forest.TONES[state]}
        for state, _, word in _STATES[result.against]
        if (n := sum(one.direction == state for one in result))
    ]
    return found or [{"text": "nothing settled", "tone": ""}]


def _row(one: Slice, place: int, name: str, cells: dict[str, str]) -> View:
    tone = slices_forest.TONES.get(one.direction, "")
    return {
        "place": place,
        "state": one.direction if one.tested else "",
        "mark": {"down": "▼", "up": "▲"}.get(tone, ""),
        "tone": tone,
        "name": name,
        "cells": cells,
        "own": "",
    }


def _band(one: Slice, axis: figures.Axis | None) -> View | None:
    if axis is None or one.comparison is None or one.score is not None:
        return None
    return single.margin_band(one.comparison, axis)


def _opened(result: Slices, ordered: Sequence[Slice], places: dict[int, int]) -> list[View]:
    """Settled slices of two runs with their sentence, test and flipped items."""
    found: list[View] = []
    for one in ordered:
        row = slices_wording.compared(one, result)
        if row is None or one.direction == "not_settled" or len(found) == _MOST_OPENED:
            continue
        view = single.comparison_view(row, result.family, f"s{places[id(one)]}-", drawn=False)
        found.append({**view, "name": clean(row.benchmark, _LONGEST)})
    return found
