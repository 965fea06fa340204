"""`slices` as text: the finding, one line a slice, then what holds for all; at most 60 lines."""

from __future__ import annotations

from collections.abc import Sequence

from evalstats.analyses.slices_result import Slice, Slices
from evalstats.report import slices_wording
from evalstats.report.lines import Line, paragraphs, rendered, signature_lines, spaced
from evalstats.report.slices_table import columns
from evalstats.report.tables import fitted, laid_out
from evalstats.report.text_families import cut_notes

_MOST_LINES = 60
_NOTES = 16  # lines that notes may take where the table must be cut
_TONES = {"improved": "better", "regressed": "worse", "better": "better", "worse": "worse"}


def slices_text(result: Slices, width: int = 80, color: bool = False) -> str:
    """What `slices` prints. width : columns; no line is longer, except by a word that cannot be broken."""
    head = [
        paragraphs([slices_wording.heading(result)], width, "title", indent=0),
        [
            *paragraphs([slices_wording.finding(result)], width, "open"),
            *paragraphs(slices_wording.cut_off_lines(result), width),
            *paragraphs([slices_wording.whole_line(result), slices_wording.margin_line(result)], width),
            *paragraphs(slices_wording.flags(result), width, "flag"),
        ],
    ]
    foot = [
        *paragraphs([slices_wording.also_line(result)], width),
        *signature_lines(slices_wording.signature(result), width),
    ]
    ordered = slices_wording.in_order(result)
    room = _MOST_LINES - len(spaced(head)) - len(foot) - 3  # empty lines, and the line of titles
    said = slices_wording.notes(result, _without_mde(result, ordered, width))
    n_notes = len(paragraphs(said, width))
    n_rows = len(ordered)
    if n_rows + n_notes > room:
        n_rows = min(n_rows, max(room - min(n_notes, _NOTES) - 1, 1))
    shown = ordered[:n_rows]
    table = [
        *_table(result, shown, width),
        *paragraphs([slices_wording.left_out(ordered[n_rows:])], width, "faint"),
    ]
    notes = cut_notes(said, room - len(table) + 1, width)
    return rendered(spaced([*head, table, [*notes, *foot]]), color)


def _table(result: Slices, shown: Sequence[Slice], width: int) -> list[Line]:
    lines = laid_out(fitted(columns(result, shown), width - 2))
    tones = ["faint", *(_TONES.get(one.direction, "plain") for one in shown)]
    return [Line(text, tone) for text, tone in zip(lines, tones, strict=True)]


def _without_mde(result: Slices, shown: Sequence[Slice], width: int) -> bool:
    """Whether the table has no room for the column of the smallest differences."""
    return all(column.title != "shows" for column in fitted(columns(result, shown), width - 2))
