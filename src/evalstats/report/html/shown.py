"""Text of any length and kind from a log, as a page may show it."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from evalstats.report.terminal import NB, clean

NAME = 120  # cells a name may take in a heading or a list
CELL = 300  # a setting, a path
SENTENCE = 800  # what a caveat or a check says; it may name what a log holds
_ASKS = 12  # characters, at least, of a line that asks something
_KEPT = frozenset(("\n", "\t", NB))


def name(text: str, most: int = NAME) -> str:
    """One line, no control or direction marks, its middle left out where it is long."""
    return clean(text[: 50 * most], most)


def sentence(text: str) -> str:
    """A sentence with its first letter large and a full stop."""
    said = name(text, SENTENCE).rstrip(".")
    return f"{said[:1].upper()}{said[1:]}{'' if said.endswith(('?', '!')) else '.'}"


def gist(text: str) -> str:
    """The line of a prompt that asks: the last one with some length, for examples come before it.

    >>> gist("Q: 1 + 1?\\nA: 2\\n\\nQ: How many pens has Ann?\\nA:")
    'Q: How many pens has Ann?'
    """
    lines = [" ".join(line.split()) for line in text.splitlines()]
    return name(next((line for line in reversed(lines) if len(line) >= _ASKS), " ".join(lines)), 90)


def passage(text: str) -> str:
    r"""A text with its lines and tabs; what else does not print is spelled.

    >>> passage("a\r\n\tb\x00\u202e")
    'a\n\tb\\x00\\u202e'
    """
    return str(harmless(text.replace("\r\n", "\n").replace("\r", "\n")))


def harmless(value: Any) -> Any:
    """Whatever a template is to show: in a text, what does not print is spelled, but for lines and tabs.

    Every text of a page passes here, whatever made it: a direction mark would turn its neighbours round.
    """
    if not isinstance(value, str) or isinstance(value, Markup) or value.isprintable():
        return value
    return "".join(c if c.isprintable() or c in _KEPT else clean(c) for c in value)
