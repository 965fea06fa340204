"""Slices as a table: one line a slice, worse first."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from evalstats.analyses.slices_result import Slice, Slices
from evalstats.report import scoring
from evalstats.report.slices_wording import compared, name
from evalstats.report.tables import Column
from evalstats.report.terminal import clean
from evalstats.report.text_families import family_columns

TOO_SMALL = "too small to say"
NO_ANSWER = "no answer"
_MARKS = {"improved": "▲", "regressed": "▼", "better": "▲", "worse": "▼"}
_OF_THE_TEST = ("margin", "shows", "adjusted")  # and the p: blank where nothing was tested


def columns(result: Slices, shown: Sequence[Slice]) -> list[Column]:
    """Of one run the score with its interval, then the difference from the rest; of two as `compare`."""
    first = [
        Column("", tuple(_MARKS.get(one.direction, " ") for one in shown), right=False),
        Column(_title(result), tuple(name(one, result) for one in shown), right=False, shrink=True),
        Column("items", tuple(f"{one.n_items:,}" for one in shown), keep=3),
    ]
    found = {column.title: column for column in _comparison_columns(result, shown)}
    if result.against == "baseline":
        return [*first, *(found[title] for title in found if title not in ("", "benchmark", "items"))]
    return [
        *first,
        Column("score", tuple(_score(one) for one in shown)),
        Column("interval", tuple(_interval(one) for one in shown)),
        dataclasses.replace(found["difference"], title="− rest"),
        dataclasses.replace(found["alone"], keep=2),
        found["adjusted"],
        found[p_title(result)],
    ]


def p_title(result: Slices) -> str:
    """What the column of p is called; the notes name the correction."""
    return "p, adjusted" if result.family else "p"


def _is_p(title: str) -> bool:
    return title == "p" or title.startswith("p,")


def _title(result: Slices) -> str:
    """The field, where there is one."""
    return clean(result.by[0], 24) if len(result.by) == 1 and len(result.whole) == 1 else "slice"


def _comparison_columns(result: Slices, shown: Sequence[Slice]) -> list[Column]:
    """The columns of a family of comparisons, a cell for each slice."""
    rows = [(one, row) for one in shown if (row := compared(one, result)) is not None]
    places = {id(one): at for at, (one, _) in enumerate(rows)}
    return [
        dataclasses.replace(
            column,
            title=p_title(result) if _is_p(column.title) else column.title,
            texts=tuple(_cell(one, column, places.get(id(one))) for one in shown),
        )
        for column in family_columns([row for _, row in rows], result.family)
    ]


def _cell(one: Slice, column: Column, place: int | None) -> str:
    """Blank, or the reason, where a slice has no such number."""
    if column.title == "alone" and one.score is None:  # of one run the column "interval" has the reason
        if one.small:
            return TOO_SMALL
        if place is None:
            return NO_ANSWER
    of_the_test = column.title in _OF_THE_TEST or _is_p(column.title)
    if place is None or (of_the_test and not one.tested) or (one.small and column.title == "difference"):
        return ""
    return column.texts[place]


def _score(one: Slice) -> str:
    return "–" if one.score is None else scoring.score_value(one.score)


def _interval(one: Slice) -> str:
    if one.small:
        return TOO_SMALL
    return NO_ANSWER if one.score is None else scoring.score_interval(one.score)
