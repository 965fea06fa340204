"""`rank` as text and Markdown: the finding, one line a run, then what holds for all; at most 60 lines."""

from __future__ import annotations

from collections.abc import Sequence

from evalstats.analyses.rank_result import RankedBenchmark, Ranking
from evalstats.report import rank_wording as wording
from evalstats.report.lines import Line, paragraphs, rendered, signature_lines, spaced
from evalstats.report.markdown_parts import bullets, code, columns_table, escaped, flags, joined
from evalstats.report.numbers import counted
from evalstats.report.rank_table import columns, summary_columns
from evalstats.report.tables import Column, fitted, laid_out
from evalstats.report.text_families import cut_notes

_MOST_LINES = 60
_MACRO_ROWS = 20  # runs of the ranking by the macro average
_CARE = 14  # lines of what to know, of several benchmarks
_SEEN, _FOLDED = 10, 200  # rows of Markdown: those seen, and at most those folded


def rank_text(result: Ranking, width: int = 80, color: bool = False) -> str:
    """What `rank` prints. width : columns; no line is longer, except by a word that cannot be broken."""
    if len(result) > 1:
        return rendered(spaced(_several(result, width)), color)
    return rendered(spaced(_one(result.only, width)), color)


def _one(one: RankedBenchmark, width: int) -> list[list[Line]]:
    head = [
        paragraphs([wording.heading(one)], width, "title", indent=0),
        [
            *paragraphs([wording.finding(one)], width, "open"),
            *paragraphs([wording.apart_line(one)], width),
            *paragraphs(wording.flags(one), width, "flag"),
        ],
    ]
    foot = signature_lines(one.signature, width)
    said = wording.notes(one)
    n_notes = len(paragraphs(said, width))
    room = _MOST_LINES - len(spaced(head)) - len(foot) - 3  # empty lines, and the line of titles
    n_rows = len(one) if len(one) + n_notes <= room else max(room - n_notes - 1, 5)
    table = [
        *_table(columns(one, one.runs[:n_rows]), width),
        *paragraphs([wording.left_out(len(one) - n_rows)], width, "faint"),
    ]
    notes = cut_notes(said, room - len(table) + 1, width)
    return [*head, table, [*notes, *foot]]


def _table(shown: Sequence[Column], width: int) -> list[Line]:
    lines = laid_out(fitted(shown, width - 2))
    return [Line(text, "plain" if at else "faint") for at, text in enumerate(lines)]


def _several(result: Ranking, width: int) -> list[list[Line]]:
    """The ranking by the macro average, then one line a benchmark."""
    said = [wording.SEVERAL, *wording.care_of_several(result), *_macro_notes(result)]
    head, runs = _macro_lines(result, width)
    room = _MOST_LINES - _CARE - 8 - len(head) - len(runs)  # empty lines, titles, what is left out, signature
    cut = len(result) if len(result) <= room else room - 1
    more = f"And {counted(len(result) - cut, 'more benchmark')}: see --json." if cut < len(result) else None
    table = _table(summary_columns(result.benchmarks[:cut]), width)
    return [
        paragraphs([wording.heading_of_several(result)], width, "title", indent=0),
        head,
        runs,
        [*table, *paragraphs([more], width, "faint")],
        [*cut_notes(said, _CARE, width), *signature_lines(wording.signature(result), width)],
    ]


def _macro_lines(result: Ranking, width: int) -> tuple[list[Line], list[Line]]:
    """The finding, and the first runs of the ranking; nothing without a macro average."""
    one = result.macro
    if one is None:
        return [], []
    said = [f"{wording.BY_MACRO} {wording.finding(one)}", wording.apart_line(one)]
    head = [*paragraphs(said[:1], width, "open"), *paragraphs(said[1:], width)]
    n_rows = len(one) if len(one) <= _MACRO_ROWS else _MACRO_ROWS - 1
    left = paragraphs([wording.left_out(len(one) - n_rows)], width, "faint")
    return head, [*_table(columns(one, one.runs[:n_rows]), width), *left]


def _macro_notes(result: Ranking) -> list[str]:
    return [] if result.macro is None else wording.macro_notes(result.macro)


def rank_markdown(result: Ranking) -> str:
    """What `rank --markdown` prints."""
    if len(result) > 1:
        table = columns_table(summary_columns(result.benchmarks))
        if result.macro is not None:
            found = f"{wording.BY_MACRO} {wording.finding(result.macro)} {wording.apart_line(result.macro)}"
            table = [escaped(found), "", *columns_table(columns(result.macro)), "", *table]
        notes = [wording.SEVERAL, *wording.care_of_several(result), *_macro_notes(result), *result.notes]
        said = bullets(notes)
        lines = [f"**{wording.heading_of_several(result)}**", "", *table, "", *said, ""]
        return "\n".join([*lines, code(wording.signature(result))]) + "\n"
    one = result.only
    visible = [
        f"**{escaped(wording.heading(one))}**",
        "",
        escaped(f"{wording.finding(one)} {wording.apart_line(one)}"),
        *flags(wording.flags(one)),
        "",
        *columns_table(columns(one, one.runs[:_SEEN])),
    ]
    rest = one.runs[_SEEN:_FOLDED]
    folded = [*columns_table(columns(one, rest)), ""] if rest else []
    left = wording.left_out(len(one.runs[_FOLDED:]))
    return joined(
        visible, [*folded, *bullets([left, *wording.notes(one), *result.notes]), "", code(one.signature)]
    )
