"""`reproduce` as text: the same numbers, or which differ."""

from __future__ import annotations

from typing import Any

from evalstats.analyses.reproduce import Mismatch, Reproduction
from evalstats.report.lines import Line, paragraphs, rendered
from evalstats.report.numbers import counted
from evalstats.report.terminal import clean

_SHOWN = 10


def reproduction_text(result: Reproduction, width: int = 80, color: bool = False) -> str:
    """The outcome first, then each number that differs, with both values."""
    notes = paragraphs((f"{clean(note)}." for note in result.notes), width)
    if result.reproduced:
        said = (
            f"Reproduced: all {counted(result.compared, 'value')} of {clean(result.source)} came out again."
        )
        return rendered(paragraphs([said], width, "open", indent=0) + notes, color)
    n = len(result.mismatches)
    said = f"Not reproduced: {n:,} of {counted(result.compared, 'value')} of {clean(result.source)} differ."
    lines = paragraphs([said], width, "worse", indent=0)
    lines += paragraphs((_difference(mismatch) for mismatch in result.mismatches[:_SHOWN]), width)
    if n > _SHOWN:
        lines.append(Line(f"  and {n - _SHOWN:,} more: see --json"))
    return rendered(lines + notes, color)


def _difference(mismatch: Mismatch) -> str:
    return f"{clean(mismatch.where)}: recorded {_value(mismatch.recorded)}, now {_value(mismatch.now)}"


def _value(value: Any) -> str:
    return "nothing" if value is None else clean(str(value), 60)
