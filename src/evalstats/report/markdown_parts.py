"""Pieces of Markdown: tables, bullets, what is folded, and text from logs that stays text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evalstats.report.tables import Column
from evalstats.report.terminal import NB, clean

_ESCAPED = str.maketrans(
    {character: f"\\{character}" for character in "\\`*_[]|#~$"}
    | {"<": "&lt;", ">": "&gt;", "&": "&amp;", "@": "@\u2060", NB: " "}  # @name would call somebody
)

Cells = Sequence[str]


def joined(visible: Iterable[str], details: Iterable[str]) -> str:
    """What is seen, and below it what is folded."""
    folded = ["<details><summary>test, power, checks</summary>", "", *details, "", "</details>"]
    return "\n".join([*visible, "", *folded]) + "\n"


def flags(found: Sequence[str]) -> list[str]:
    """All red flags on one line, so that they are seen and the rest still fits."""
    return ["", f"**{escaped(' '.join(found))}**"] if found else []


def led(sentence: str, lead: int) -> str:
    """A sentence with its first characters bold."""
    return f"**{escaped(sentence[:lead])}**{escaped(sentence[lead:])}"


def bullets(sentences: Iterable[str | None]) -> list[str]:
    return [f"- {escaped(clean(said.replace(NB, ' ')))}" for said in sentences if said]


def columns_table(columns: Sequence[Column]) -> list[str]:
    kept = [column for column in columns if any(column.texts)]
    rows: list[Cells] = list(zip(*(column.texts for column in kept), strict=True))
    titles = [column.title for column in kept]
    return table(rows, ["right" if column.right else "left" for column in kept], titles)


def table(rows: Sequence[Cells], sides: Sequence[str], titles: Cells = ()) -> list[str]:
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


def code(signature: str) -> str:
    """A signature holds no backtick of ours; one from a metric's name is made a quote."""
    return f"`{clean(signature).replace('`', chr(39))}`"
