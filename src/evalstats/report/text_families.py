"""Several rows as a table: one line a row, regressions first, at most 60 lines for 40 rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

from evalstats.answers import Comparisons
from evalstats.envelope import Comparison, Family
from evalstats.report import families, particulars, wording
from evalstats.report.labels import correction_label
from evalstats.report.lines import Line, paragraphs, signature_lines, spaced
from evalstats.report.numbers import counted, p_digits, reading_for, rounded_up
from evalstats.report.tables import Column, fitted, laid_out
from evalstats.report.terminal import NB
from evalstats.results import Estimate

_MOST_LINES, _BESIDE_ROWS = 60, 20  # a report's lines; beyond 40 rows, its lines beside them
_MARKS = {"improved": "▲", "regressed": "▼"}
_TONES = {"improved": "better", "regressed": "worse"}


def families_lines(result: Comparisons, width: int, also: list[Line]) -> list[Line]:
    """Heading, finding, table, then notes, most important first, as many as there is room for."""
    rows = families.in_order(result.primary)
    columns = fitted(family_columns(rows, result.family), width - 2)
    table = laid_out(columns)
    tones = ["faint", *(_TONES.get(row.direction, "plain") for row in rows)]
    blocks = [
        paragraphs([families.family_heading(result)], width, "title", indent=0),
        paragraphs([families.finding(rows)], width, "open")
        + paragraphs([families.margin_count_line(rows)], width)
        + paragraphs(families.family_flags(rows), width, "flag"),
        [Line(text, tone) for text, tone in zip(table, tones, strict=True)],
    ]
    above = spaced(blocks)
    below = signature_lines(families.family_signature(result), width)
    room = max(_MOST_LINES, len(rows) + _BESIDE_ROWS) - len(above) - len(below) - len(also) - 1
    without_mde = not any(column.title == _SHOWS for column in columns)
    notes = cut_notes(family_notes(result, rows, without_mde), room, width)
    return [*above, Line(""), *notes, *also, *below]


_SHOWS = "shows"


def family_columns(rows: Sequence[Comparison], family: Family | None) -> list[Column]:
    p_title = f"p, {correction_label(family.method)}" if family else "p"
    return [
        Column("", tuple(_MARKS.get(row.direction, " ") for row in rows), right=False),
        Column("benchmark", tuple(particulars.name(row) for row in rows), right=False, shrink=True),
        Column("items", tuple(f"{row.difference.n:,}" for row in rows), keep=3),
        Column("baseline", tuple(_score(row.baseline.estimate, row) for row in rows), keep=2),
        Column("candidate", tuple(_score(row.candidate.estimate, row) for row in rows), keep=2),
        Column("difference", tuple(_point(row) for row in rows)),
        Column("alone", tuple(wording.signed_interval(row) for row in rows)),
        Column("adjusted", tuple(_adjusted_interval(row) for row in rows), keep=1),
        Column(p_title, tuple(_p(row, family) for row in rows)),
        Column("margin", tuple(_margin(row) for row in rows), keep=5, right=False),
        Column(_SHOWS, tuple(_mde(row) for row in rows), keep=4),
    ]


def _score(estimate: Estimate, row: Comparison) -> str:
    if not math.isfinite(estimate.point):
        return "–"
    return reading_for(estimate, row.scale).plain(estimate.point)


def _point(row: Comparison) -> str:
    point = row.difference.point
    return wording.reading(row).signed(point) if math.isfinite(point) else "–"


def _adjusted_interval(row: Comparison) -> str:
    estimate = row.adjusted_difference
    if estimate is None or not particulars.has_interval(estimate):
        return ""
    shown = reading_for(estimate, row.scale)
    return f"{shown.signed(estimate.ci_low)} to {shown.signed(estimate.ci_high)}"


def _p(row: Comparison, family: Family | None) -> str:
    p = row.adjusted if family is not None else row.test.pvalue if row.test else None
    if p is None or not math.isfinite(p):
        return "–"
    return p_digits(p, family.alpha if family else 1 - row.difference.level)


def _margin(row: Comparison) -> str:
    return {"worse_than_margin": "worse"}.get(
        row.margin_verdict or "", (row.margin_verdict or "").replace("_", " ")
    )


def _mde(row: Comparison) -> str:
    return f"≥ {rounded_up(row.mde, row.scale)}" if math.isfinite(row.mde) else "–"


def family_notes(result: Comparisons, rows: Sequence[Comparison], without_mde: bool = False) -> list[str]:
    """What holds for all rows, most important first."""
    shows = (
        families.mde_range_line(rows)
        if without_mde
        else f"Shows: the smallest true difference that the row would show with 80{NB}% power."
    )
    first = rows[0]
    said = [
        families.luck_line(result.family, rows),
        families.alone_line(result.family, rows),
        f"{families.unit_line(rows)} {shows}",
        families.direction_line(rows),
        families.family_tried_line(rows),
        families.family_missing_line(rows),
        families.family_changed_line(rows),
        *families.family_caveats(rows),
        families.family_cluster_line(rows),
        particulars.reach_line(first.difference, particulars.all_unchecked(rows)),
    ]
    return [sentence for sentence in said if sentence]


def cut_notes(notes: Sequence[str], room: int, width: int) -> list[Line]:
    """The notes that fit into so many lines, and how many did not."""
    lines: list[Line] = []
    for at, note in enumerate(notes):
        more = paragraphs([note], width)
        last = at == len(notes) - 1
        if len(lines) + len(more) + (not last) > max(room, 2):
            more_notes = counted(len(notes) - at, "more note")
            return [*lines, *paragraphs([f"And {more_notes}: see --json."], width, "faint")]
        lines += more
    return lines
