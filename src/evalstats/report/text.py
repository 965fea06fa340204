"""Results as plain text, in the order in which they should be read: never two error bars first."""

from __future__ import annotations

from evalstats.answers import Comparisons, Scorecard
from evalstats.envelope import Comparison, Score
from evalstats.report import particulars, wording
from evalstats.report.lines import Line, paragraphs, rendered, signature_lines, spaced
from evalstats.report.tables import Column, fitted, laid_out
from evalstats.report.terminal import NB, cells, wrap
from evalstats.report.text_families import families_lines
from evalstats.report.text_scores import one_score, several_scores

_NUMBERS_AT = 25  # where the second line of numbers begins: under the first line's numbers


def comparisons_text(result: Comparisons, width: int = 80, color: bool = False) -> str:
    """What `compare` prints: one row in sentences, several as a table, regressions first.

    width : columns; no line is longer, except by a word that cannot be broken.
    """
    if len(result) == 1:
        lines = _one_row(result.only, width, _also(result, width))
    else:
        lines = families_lines(result, width, _also(result, width))
    return rendered(lines, color)


def result_text(result: Comparisons | Scorecard) -> str:
    """`str()` of a result."""
    return comparisons_text(result) if isinstance(result, Comparisons) else scorecard_text(result)


def row_text(row: Comparison | Score, width: int = 80) -> str:
    """`str()` of one row: what the command prints where it is the only one."""
    if isinstance(row, Comparison):
        return rendered(_one_row(row, width, []), color=False)
    return rendered(one_score(row, width, []), color=False)


def scorecard_text(result: Scorecard, width: int = 80, color: bool = False) -> str:
    """What `score` prints: one row in sentences, several as a table."""
    also = _also(result, width)
    if len(result) == 1:
        return rendered(one_score(result.only, width, also), color)
    return rendered(several_scores(result, width, also), color)


def _one_row(row: Comparison, width: int, also: list[Line]) -> list[Line]:
    blocks = [
        paragraphs([wording.heading(row)], width, "title", indent=0),
        difference_lines(row, width),
        answer_lines(row, width),
        paragraphs(particulars.flag_lines(row), width, "flag"),
        side_lines(row, width),
        paragraphs(particulars.care_lines(row), width),
        [
            *paragraphs(particulars.reach_lines(row), width),
            *also,
            *signature_lines(row.signature, width),
        ],
    ]
    return spaced(blocks)


def tone_of(row: Comparison) -> str:
    """The role of a row's line: colour means decided."""
    return {"improved": "better", "regressed": "worse"}.get(row.direction, "open")


def difference_lines(row: Comparison, width: int) -> list[Line]:
    """The difference and its interval; how it was made follows on the line, or below where it is narrow."""
    numbers = f"candidate − baseline   {wording.difference(row)}   {wording.signed_interval(row)}"
    source = f"({particulars.interval_source(row.difference)})"
    line = numbers.replace(NB, " ")
    if 2 + cells(line) + 4 + cells(source) <= width:
        tail = f"    {source}".replace(NB, " ")
        return [Line(f"  {line}{tail}", tone_of(row), 2 + len(line))]
    return [Line(text, tone_of(row)) for text in wrap(numbers, width, 2, _NUMBERS_AT - 2)] + [
        Line(text) for text in wrap(source, width, _NUMBERS_AT)
    ]


def answer_lines(row: Comparison, width: int) -> list[Line]:
    """The verdict, and what it rests on."""
    headline = wording.headline(row)
    lines = [Line(text, "plain") for text in wrap(headline, width, 2, 2)]
    lines[0] = Line(lines[0].text, tone_of(row), min(2 + wording.lead_of(headline), len(lines[0].text)))
    rest = (
        wording.margin_line(row),
        wording.test_line(row),
        wording.duality_line(row),
        wording.mde_line(row),
        wording.needed_line(row),
        wording.tried_line(row),
    )
    return lines + paragraphs(rest, width)


def side_lines(row: Comparison, width: int) -> list[Line]:
    """The two runs, candidate first; each one's own interval comes last and is called "alone"."""
    sides = (row.candidate, row.baseline)
    scores, counts, alone = zip(*(particulars.side_score(row, side) for side in sides), strict=True)
    columns = [
        Column("", _names(row), right=False, shrink=True),
        Column("", ("candidate", "baseline"), right=False),
        Column("", scores),
        Column("", counts),
    ]
    with_alone = [*columns, Column("", alone, keep=1, right=False)]
    chosen = fitted(with_alone, width - 2, gap=3)
    lines = laid_out(chosen, titles=False, gap=3)
    if len(chosen) < len([c for c in with_alone if any(c.texts)]):
        lines = [text for line, own in zip(lines, alone, strict=True) for text in (line, f"    {own}")]
    return [Line(text) for text in lines]


def _names(row: Comparison) -> tuple[str, str]:
    """The labels, or nothing where they are only the roles."""
    names = (particulars.label(row.candidate), particulars.label(row.baseline))
    return ("", "") if names == ("candidate", "baseline") else names


def _also(result: Comparisons | Scorecard, width: int) -> list[Line]:
    return paragraphs([particulars.also_line([row.metric for row in result.secondary])], width)
