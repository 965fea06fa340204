"""Results as Markdown for a pull request: at most 15 lines to see, the rest folded."""

from __future__ import annotations

from collections.abc import Iterable

from evalstats.answers import Comparisons, Scorecard
from evalstats.envelope import Comparison, Score
from evalstats.report import families, particulars, scoring, wording
from evalstats.report.markdown_parts import (
    Cells,
    bullets,
    code,
    columns_table,
    escaped,
    flags,
    joined,
    led,
    table,
)
from evalstats.report.text_families import family_columns, family_notes
from evalstats.report.text_scores import score_columns, several_scores_notes

_ROWS_SHOWN = 5


def comparisons_markdown(result: Comparisons) -> str:
    """What `compare --markdown` prints."""
    also = particulars.also_line([row.metric for row in result.secondary])
    notes = [*result.notes, *([also] if also else [])]
    if len(result) == 1:
        return _one_row(result.only, notes)
    return _several_rows(result, notes)


def scorecard_markdown(result: Scorecard) -> str:
    """What `score --markdown` prints."""
    also = particulars.also_line([row.metric for row in result.secondary])
    notes = [*result.notes, *([also] if also else [])]
    if len(result) == 1:
        return _one_score(result.only, notes)
    rows = result.primary
    n = len(particulars.benchmarks(rows))
    heading = f"**{escaped(particulars.label(rows[0].run))}** · {n} benchmarks"
    few = len(rows) <= 2 * _ROWS_SHOWN
    listed_rows = columns_table(score_columns(rows))
    details = [] if few else [*listed_rows, ""]
    said = bullets([*several_scores_notes(rows), *notes])
    visible = [heading, "", *(listed_rows if few else [])]
    return joined(visible, [*details, *said, "", code(scoring.scores_signature(rows))])


def _one_row(row: Comparison, notes: Iterable[str]) -> str:
    headline = wording.headline(row)
    margin = wording.margin_line(row)
    visible = [
        f"**{escaped(wording.heading(row))}**",
        "",
        led(headline, wording.lead_of(headline)) + (f" {escaped(margin)}" if margin else ""),
        *flags(particulars.flag_lines(row)),
        "",
        *table(row_cells(row), ("left", "right", "right", "left")),
    ]
    details = [
        wording.test_line(row),
        wording.duality_line(row),
        wording.mde_line(row),
        wording.needed_line(row),
        wording.tried_line(row),
        *particulars.care_lines(row),
        *particulars.reach_lines(row),
        *notes,
    ]
    return joined(visible, [*bullets(details), "", code(row.signature)])


def row_cells(row: Comparison) -> list[Cells]:
    """The difference, then the two runs."""
    source = particulars.interval_source(row.difference)
    cells: list[Cells] = [
        ("candidate − baseline", wording.difference(row), wording.signed_interval(row), source)
    ]
    for role, side in (("candidate", row.candidate), ("baseline", row.baseline)):
        score, right, alone = particulars.side_score(row, side)
        label = particulars.label(side)
        cells.append((role if label == role else f"{role} {label}", score, right, alone.strip("()")))
    return cells


def _several_rows(result: Comparisons, notes: Iterable[str]) -> str:
    rows = families.in_order(result.primary)
    lit = [row for row in rows if row.direction != "not_settled"]
    few = len(rows) <= _ROWS_SHOWN
    shown = rows if few else lit[:_ROWS_SHOWN]
    margin = families.margin_count_line(rows)
    visible = [
        f"**{escaped(families.family_heading(result))}**",
        "",
        escaped(" ".join(filter(None, (families.finding(rows), margin)))),
        *flags(families.family_flags(rows)),
        "",
        *(columns_table(family_columns(shown, result.family)) if shown else []),
    ]
    listed_rows = [] if few else [*columns_table(family_columns(rows, result.family)), ""]
    said = bullets([*family_notes(result, rows), *notes])
    return joined(visible, [*listed_rows, *said, "", code(families.family_signature(result))])


def _one_score(row: Score, notes: Iterable[str]) -> str:
    source = particulars.interval_source(row.run.estimate)
    cells = (
        particulars.label(row.run),
        scoring.score_value(row),
        scoring.score_interval(row),
        scoring.right_of_score(row),
        source,
    )
    visible = [
        f"**{escaped(scoring.score_heading(row))}**",
        "",
        *table([cells], ("left", "right", "right", "right", "left")),
    ]
    details = [*scoring.score_lines(row), *scoring.score_care_lines(row), *scoring.score_reach_lines(row)]
    return joined(visible, [*bullets([*details, *notes]), "", code(row.signature)])
