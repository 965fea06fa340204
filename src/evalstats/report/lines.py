"""Lines of text with a role each, joined with colour or without."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evalstats.report.terminal import wrap, wrap_signature

_COLOURS = {
    "title": "1",
    "plain": "",
    "open": "1",  # not settled: no colour, colour means decided
    "better": "1;34",
    "worse": "1;31",
    "flag": "1;33",
    "faint": "2",
}


@dataclass(frozen=True)
class Line:
    """One line of output, already wrapped. role : a key of the colour table. lead : characters painted,
    all when negative."""

    text: str
    role: str = "plain"
    lead: int = -1


def rendered(lines: list[Line], color: bool) -> str:
    """The lines as one text that ends in a newline; no line ends in a space."""
    return "".join(f"{_painted(line) if color else line.text}\n" for line in lines)


def _painted(line: Line) -> str:
    code = _COLOURS[line.role]
    if not code or not line.text:
        return line.text
    lead = len(line.text) if line.lead < 0 else line.lead
    return f"\x1b[{code}m{line.text[:lead]}\x1b[0m{line.text[lead:]}"


def paragraphs(
    sentences: Iterable[str | None], width: int, role: str = "plain", indent: int = 2
) -> list[Line]:
    """Each sentence on lines of its own."""
    return [Line(line, role) for said in sentences if said for line in wrap(said, width, indent, 2)]


def spaced(blocks: Iterable[list[Line]]) -> list[Line]:
    """The blocks that are not empty, an empty line between."""
    lines: list[Line] = []
    for block in blocks:
        lines += [Line("")] * bool(lines and block) + block
    return lines


def signature_lines(signature: str, width: int) -> list[Line]:
    return [Line(text, "faint") for text in wrap_signature(signature, width)]
