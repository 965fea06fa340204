"""Text of any length and kind from a log, as a page may show it."""

from __future__ import annotations

from evalstats.report.terminal import clean

NAME = 120  # cells a name may take in a heading or a list
CELL = 300  # a setting, a path


def name(text: str, most: int = NAME) -> str:
    """One line, no control or direction marks, its middle left out where it is long."""
    return clean(text[: 50 * most], most)


def passage(text: str) -> str:
    r"""A text with its lines and tabs; what else does not print is spelled.

    >>> passage("a\r\n\tb\x00\u202e")
    'a\n\tb\\x00\\u202e'
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join("\t".join(clean(piece) for piece in line.split("\t")) for line in lines)
