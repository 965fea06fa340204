"""What a terminal can show: width in cells, wrapping, colour, and text from logs made harmless."""

from __future__ import annotations

import os
import unicodedata

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing costs half an interpreter, and --help needs this module
    from collections.abc import Mapping, Sequence
    from typing import TextIO

NB = "\u00a0"  # no-break space: a line never ends between a number and its unit
WIDEST = 120  # longer lines than this are not read, only found
_SENTENCE = 100
_NARROWEST = 40


def width_of(stream: TextIO, environ: Mapping[str, str] = os.environ) -> int:
    """Columns to write for: COLUMNS, else the terminal's, else 80; from 40 to 120."""
    columns = environ.get("COLUMNS", "")
    if columns.isdigit() and int(columns) > 0:
        return max(_NARROWEST, min(WIDEST, int(columns)))
    try:
        found = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError, AttributeError):  # no terminal, closed, or no file at all
        found = 80
    return max(_NARROWEST, min(WIDEST, found or 80))


def wants_color(stream: TextIO, environ: Mapping[str, str] = os.environ) -> bool:
    """Colour for a terminal that is not dumb, unless NO_COLOR is set (no-color.org)."""
    return not environ.get("NO_COLOR") and environ.get("TERM") != "dumb" and stream.isatty()


def clean(text: str, most: int = 0) -> str:
    r"""Text from a log or a command line, safe to print: on one line, no control or direction marks.

    most : cells it may take, 0 for any number; the middle is left out beyond.

    >>> clean("a\x1b[31m\nb\u202e"), clean("checkpoint-000123-of-000500", 13)
    ('a\\x1b[31m\\nb\\u202e', 'checkp…000500')
    """
    safe = "".join(c if c.isprintable() else _escaped(c) for c in text)
    return safe if not most or cells(safe) <= most else _without_middle(safe, most)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "backslashreplace").decode("ascii")


def _without_middle(text: str, most: int) -> str:
    head, tail = most // 2, (most - 1) // 2
    return f"{_first_cells(text, head)}…{_first_cells(text[::-1], tail)[::-1]}"


def shortened(texts: Sequence[str], most: int) -> tuple[str, ...]:
    """Names in at most `most` cells that stay different: without their middle, else their end, else
    their beginning.

    >>> shortened(["bench_00_of_suite", "bench_01_of_suite"], 10)
    ('bench_00_…', 'bench_01_…')
    """
    middle = tuple(clean(text, most) for text in texts)
    tries = (
        middle,
        tuple(_head(text, most) for text in texts),
        tuple(_tail(text, most) for text in texts),
    )
    return next((cut for cut in tries if len(set(cut)) == len(set(texts))), middle)


def _head(text: str, most: int) -> str:
    safe = clean(text)
    return safe if cells(safe) <= most else f"{_first_cells(safe, most - 1)}…"


def _tail(text: str, most: int) -> str:
    safe = clean(text)
    return safe if cells(safe) <= most else f"…{_first_cells(safe[::-1], most - 1)[::-1]}"


def _first_cells(text: str, most: int) -> str:
    return text[: next((at for at in range(len(text)) if cells(text[: at + 1]) > most), len(text))]


def cells(text: str) -> int:
    """Columns that the text takes in a terminal: two for wide characters, none for combining ones."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def pad(text: str, width: int, right: bool = False) -> str:
    """Filled up with spaces to `width` cells; `right` puts the text at the right."""
    space = " " * (width - cells(text))
    return space + text if right else text + space


def wrap(text: str, width: int, indent: int = 2, hanging: int = 0) -> list[str]:
    """Lines of at most `width` cells, broken at spaces only; a longer word gets a line of its own.

    hanging : further indent of the lines after the first. No-break spaces become plain ones.
    """
    width = min(width, indent + _SENTENCE)
    lines: list[str] = []
    current, lead = "", " " * indent
    for word in text.split(" "):
        longer = f"{current} {word}" if current else word
        if current and len(lead) + cells(longer) > width:
            lines.append(lead + current)
            current, lead = word, " " * (indent + hanging)
        else:
            current = longer
    return [line.replace(NB, " ") for line in (*lines, lead + current)]


def wrap_signature(signature: str, width: int) -> list[str]:
    """A signature is broken after a bar, so that joining the lines gives it back."""
    lines = [""]
    for at, part in enumerate(signature.split("|")):
        piece = part if at == 0 else f"|{part}"
        if lines[-1] and 2 + cells(lines[-1]) + cells(piece) + 1 > width:
            lines[-1] += "|"
            piece = part
            lines.append("")
        lines[-1] += piece
    return [f"  {line}" for line in lines]
