"""`score` as text: one benchmark in sentences, several as a table."""

from __future__ import annotations

from collections.abc import Sequence

from evalstats.answers import Scorecard
from evalstats.envelope import Score
from evalstats.report import families, particulars, scoring
from evalstats.report.labels import method_label
from evalstats.report.lines import Line, paragraphs, signature_lines, spaced
from evalstats.report.numbers import counted
from evalstats.report.tables import Column, fitted, laid_out
from evalstats.report.terminal import NB, cells, clean, wrap


def one_score(row: Score, width: int, also: list[Line]) -> list[Line]:
    return spaced(
        [
            paragraphs([scoring.score_heading(row)], width, "title", indent=0),
            _score_line(row, width),
            paragraphs(scoring.score_lines(row), width),
            paragraphs(scoring.score_care_lines(row), width),
            [
                *paragraphs(scoring.score_reach_lines(row), width),
                *also,
                *signature_lines(row.signature, width),
            ],
        ]
    )


def _score_line(row: Score, width: int) -> list[Line]:
    """ "week-31   72.0 %   67.9 to 75.8   360/500    (95 %, Wilson)"."""
    source = f"({particulars.interval_source(row.run.estimate)})"
    columns = [
        Column("", (particulars.label(row.run),), shrink=True),
        Column("", (scoring.score_value(row),)),
        Column("", (scoring.score_interval(row),)),
        Column("", (scoring.right_of_score(row),)),
    ]
    line = laid_out(fitted(columns, width - 2, gap=3), titles=False, gap=3)[0]
    if cells(line) + 4 + cells(source) <= width:
        return [Line(f"{line}    {source}".replace(NB, " "), "open", len(line))]
    return [Line(line, "open"), *(Line(text) for text in wrap(source, width, 4))]


def several_scores(result: Scorecard, width: int, also: list[Line]) -> list[Line]:
    """One line a benchmark, in the log's order; then what holds for all."""
    rows = result.primary
    table = laid_out(fitted(score_columns(rows), width - 2))
    heading = f"{particulars.label(rows[0].run)} · {counted(len(particulars.benchmarks(rows)), 'benchmark')}"
    return spaced(
        [
            paragraphs([heading], width, "title", indent=0),
            [Line(text, "plain" if at else "faint") for at, text in enumerate(table)],
            [
                *paragraphs(several_scores_notes(rows), width),
                *also,
                *signature_lines(scoring.scores_signature(rows), width),
            ],
        ]
    )


def several_scores_notes(rows: Sequence[Score]) -> list[str]:
    """What holds for all rows."""
    said = [
        scoring.scores_interval_line(rows),
        scoring.scores_missing_line(rows),
        *families.family_caveats(rows),
        particulars.reach_line(rows[0].run.estimate, particulars.all_unchecked(rows)),
    ]
    return [line for line in said if line]


def score_columns(rows: Sequence[Score]) -> list[Column]:
    return [
        Column("benchmark", tuple(particulars.name(row) for row in rows), right=False, shrink=True),
        Column("metric", tuple(clean(row.metric, 24) for row in rows), keep=1, right=False),
        Column("items", tuple(f"{row.run.estimate.n:,}" for row in rows), keep=4),
        Column("score", tuple(scoring.score_value(row) for row in rows)),
        Column("interval", tuple(scoring.score_interval(row) for row in rows)),
        Column("standard error", tuple(scoring.standard_error_text(row) for row in rows), keep=2),
        Column("method", tuple(method_label(row.run.estimate.method) for row in rows), keep=3, right=False),
    ]
