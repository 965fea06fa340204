"""Columns of text that line up and give way in a fixed order when there is no room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evalstats.report.terminal import NB, cells, clean, pad, shortened

GAP = 2  # spaces between columns
_SHORTEST = 24  # a name is cut to this before a column is left out


@dataclass(frozen=True)
class Column:
    """keep : columns with the lowest are left out first, those with 0 never. right : aligned right.

    shrink : its texts may lose their middle (names, never numbers).
    """

    title: str
    texts: tuple[str, ...]
    keep: int = 0
    right: bool = True
    shrink: bool = False

    @property
    def width(self) -> int:
        return max(cells(text) for text in (self.title, *self.texts))


def fitted(columns: Sequence[Column], width: int, gap: int = GAP) -> list[Column]:
    """The columns that fit, the droppable ones of lowest `keep` left out first; then names are shortened."""
    left = [column for column in columns if any(column.texts)]
    while _excess(left, width, gap) > 0 and any(column.keep for column in left):
        lowest = min(column.keep for column in left if column.keep)
        left = [column for column in left if column.keep != lowest]
    over = sum(c.width for c in left) + gap * (len(left) - 1) - width
    return [_shrunk(column, over) if column.shrink and over > 0 else column for column in left]


def _excess(columns: Sequence[Column], width: int, gap: int) -> int:
    """Cells too many even when names are cut."""
    widths = [min(c.width, max(_SHORTEST, cells(c.title))) if c.shrink else c.width for c in columns]
    return sum(widths) + gap * (len(columns) - 1) - width


def _shrunk(column: Column, over: int) -> Column:
    room = max(4, column.width - over)
    texts = shortened(column.texts, room)
    return Column(clean(column.title, room), texts, column.keep, column.right, column.shrink)


def laid_out(columns: Sequence[Column], titles: bool = True, gap: int = GAP) -> list[str]:
    """The lines of a table, its titles first."""
    widths = [column.width if titles else max(map(cells, column.texts)) for column in columns]
    rows = [[c.title for c in columns]] * titles + [
        [c.texts[at] for c in columns] for at in range(len(columns[0].texts))
    ]
    return [f"  {_row(row, widths, columns, gap)}".rstrip().replace(NB, " ") for row in rows]


def _row(texts: Sequence[str], widths: Sequence[int], columns: Sequence[Column], gap: int) -> str:
    padded = (pad(t, w, c.right) for t, w, c in zip(texts, widths, columns, strict=True))
    return (" " * gap).join(padded)
