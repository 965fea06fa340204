"""What reaches the screen or a pipe: text that its encoding can hold, JSON without NaN, notes apart."""

from __future__ import annotations

import sys

from evalstats.errors import InputError
from evalstats.report.terminal import clean, width_of, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing costs as much as an interpreter's start, and --help passes here
    from collections.abc import Iterable
    from typing import Any, TextIO

_PLAIN = str.maketrans(
    {
        "\u2212": "-",
        "–": "-",
        "→": "->",
        "·": "|",
        "…": "...",
        "≥": ">=",
        "×": "x",
        "▲": "^",
        "▼": "v",
        "²": "2",
        "χ": "chi",
        "’": "'",
    }
)


def write(text: str, stream: TextIO) -> None:
    """Print and flush, so that a closed pipe is noticed here. What the encoding lacks is spelled in ASCII."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        text = text.translate(_PLAIN).encode(encoding, "backslashreplace").decode(encoding)
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(
            f"standard output cannot be written: {error.strerror}. Make room, or name another place."
        ) from None


def json_text(content: dict[str, Any]) -> str:
    """Strict JSON in ASCII: no NaN, and no control or direction marks from a log reach the terminal."""
    import json  # third of a millisecond that --help does not need

    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def paragraph(text: str, width: int) -> str:
    """Text from anywhere made harmless and wrapped, each of its own lines kept with its indent."""
    lines = []
    for said in text.split("\n"):
        indent = len(said) - len(said.lstrip(" "))
        lines += wrap(clean(said.strip(" ")), width, indent, 2)
    return "".join(f"{line}\n" for line in lines)


def complain(message: str) -> None:
    """An error or a note, on standard error."""
    write(paragraph(f"evalstats: {message}", width_of(sys.stderr)), sys.stderr)


def tell(notes: Iterable[str]) -> None:
    """What is said once about the inputs, on standard error."""
    for note in dict.fromkeys(notes):  # two runs of one kind would say the same twice
        write(paragraph(f"note: {note}", width_of(sys.stderr)), sys.stderr)
