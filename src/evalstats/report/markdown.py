"""Results as Markdown for a pull request: at most 15 lines to see, the rest folded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evalstats.envelope import Comparison, Comparisons, Score, Scorecard
from evalstats.report import families, particulars, scoring, wording
from evalstats.report.tables import Column
from evalstats.report.terminal import NB, clean
from evalstats.report.text_families import family_columns, family_notes
from evalstats.report.text_scores import score_columns, several_scores_notes

_ROWS_SHOWN = 5
_ESCAPED = str.maketrans(
    {character: f"\\{character}" for character in "\\`*_[]|#~$"}
    | {"<": "&lt;", ">": "&gt;", "&": "&amp;", "@": "@\u2060", NB: " "}  # @name would call somebody
)

Cells = Sequence[str]


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
    heading = f"**{escaped(particulars.label(rows[0].run))}** · {len(rows)} benchmarks"
    few = len(rows) <= 2 * _ROWS_SHOWN
    table = _columns_table(score_columns(rows))
    details = [] if few else [*table, ""]
    said = _bullets([*several_scores_notes(rows), *notes])
    visible = [heading, "", *(table if few else [])]
    return _joined(visible, [*details, *said, "", _code(scoring.scores_signature(rows))])


def _one_row(row: Comparison, notes: Iterable[str]) -> str:
    headline = escaped(wording.headline(row))
    lead = len(escaped(wording.headline(row)[: wording.lead_of(wording.headline(row))]))
    margin = wording.margin_line(row)
    visible = [
        f"**{escaped(wording.heading(row))}**",
        "",
        f"**{headline[:lead]}**{headline[lead:]}" + (f" {escaped(margin)}" if margin else ""),
        *_flags(particulars.flag_lines(row)),
        "",
        *_table(_row_cells(row), ("left", "right", "right", "left")),
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
    return _joined(visible, [*_bullets(details), "", _code(row.signature)])


def _row_cells(row: Comparison) -> list[Cells]:
    source = particulars.interval_source(row.difference)
    cells: list[Cells] = [
        ("candidate − baseline", wording.difference(row), wording.signed_interval(row), source)
    ]
    for role, side in (("candidate", row.candidate), ("baseline", row.baseline)):
        score, right, alone = particulars.side_score(row, side)
        cells.append((f"{role} {particulars.label(side)}", score, right, alone.strip("()")))
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
        *_flags(families.family_flags(rows)),
        "",
        *(_columns_table(family_columns(shown, result.family)) if shown else []),
    ]
    table = [] if few else [*_columns_table(family_columns(rows, result.family)), ""]
    said = _bullets([*family_notes(result, rows), *notes])
    return _joined(visible, [*table, *said, "", _code(families.family_signature(result))])


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
        *_table([cells], ("left", "right", "right", "right", "left")),
    ]
    details = [*scoring.score_lines(row), *scoring.score_care_lines(row), *scoring.score_reach_lines(row)]
    return _joined(visible, [*_bullets([*details, *notes]), "", _code(row.signature)])


def _joined(visible: Iterable[str], details: Iterable[str]) -> str:
    folded = ["<details><summary>test, power, checks</summary>", "", *details, "", "</details>"]
    return "\n".join([*visible, "", *folded]) + "\n"


def _flags(flags: Sequence[str]) -> list[str]:
    """All red flags on one line, so that they are seen and the rest still fits."""
    return ["", f"**{escaped(' '.join(flags))}**"] if flags else []


def _bullets(sentences: Iterable[str | None]) -> list[str]:
    return [f"- {escaped(clean(said.replace(NB, ' ')))}" for said in sentences if said]


def _columns_table(columns: Sequence[Column]) -> list[str]:
    kept = [column for column in columns if any(column.texts)]
    rows: list[Cells] = list(zip(*(column.texts for column in kept), strict=True))
    titles = [column.title for column in kept]
    return _table(rows, ["right" if column.right else "left" for column in kept], titles)


def _table(rows: Sequence[Cells], sides: Sequence[str], titles: Cells = ()) -> list[str]:
    rule = ["---:" if side == "right" else "---" for side in sides]
    return [
        _line(titles or [""] * len(sides)),
        f"|{'|'.join(rule)}|",
        *(_line(row) for row in rows),
    ]


def _line(cells: Cells) -> str:
    return f"| {' | '.join(escaped(cell) for cell in cells)} |"


def escaped(text: str) -> str:
    r"""Text that Markdown shows as it is, on one line.

    >>> escaped("a_b|c <img> @team")
    'a\\_b\\|c &lt;img&gt; @\u2060team'
    """
    return text.translate(_ESCAPED)


def _code(signature: str) -> str:
    """A signature holds no backtick of ours; one from a metric's name is made a quote."""
    return f"`{clean(signature).replace('`', chr(39))}`"
