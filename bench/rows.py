"""One row of the benchmark: what was measured, against whom, the goal, and whether it was met."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

SAME_METHOD, SAME_QUESTION, LIMIT = "same method", "same question", "limit"


@dataclass(frozen=True)
class Row:
    """goal : its number in the project's list, or "". kind : what a ratio compares.

    measured, wanted : a ratio (at least) or an amount (at most), by `least`. None where nothing was measured,
    for the reason in `note`.
    """

    goal: str
    what: str
    against: str
    kind: str
    ours: str
    theirs: str
    measured: float | None
    wanted: float
    unit: str = "×"
    least: bool = True
    note: str = ""

    @property
    def met(self) -> str:
        if self.measured is None:
            return "not built yet" if not self.note else self.note
        good = self.measured >= self.wanted if self.least else self.measured <= self.wanted
        return "met" if good else "**not met**"

    @property
    def cells(self) -> list[str]:
        measured = "" if self.measured is None else amount(self.measured, self.unit)
        sign = "≥" if self.least else "≤"
        note = f"; {self.note}" if self.note and self.measured is not None else ""
        return [
            self.goal, self.what, self.against, self.ours, self.theirs,
            measured, f"{sign} {amount(self.wanted, self.unit)}", self.met + note,
        ]  # fmt: skip


def amount(value: float, unit: str) -> str:
    """ "4,700×", "0.54 ms"."""
    digits = 3 if value < 100 else 2
    rounded = 0.0 if value == 0 else round(value, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{rounded:,.0f}" if abs(rounded) >= 100 else f"{rounded:g}"
    return f"{text}{unit}" if unit == "×" else f"{text} {unit}".strip()


def seconds(value: float) -> str:
    """ "540 µs", "2.1 ms", "1.3 s"."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if value >= size:
            return amount(value / size, unit)
    return amount(value / 1e-6, "µs")


def faster(goal: str, what: str, against: str, kind: str, times: tuple[float, float], wanted: float, note: str = "") -> Row:
    """A ratio of CPU times."""
    ours, theirs = times
    return Row(goal, what, against, kind, seconds(ours), seconds(theirs), theirs / ours, wanted, note=note)


def at_most(goal: str, what: str, value: float, wanted: float, unit: str, note: str = "") -> Row:
    """An amount that may not be exceeded."""
    return Row(goal, what, "", LIMIT, "", "", value, wanted, unit, least=False, note=note)


def missing(goal: str, what: str, wanted: float, unit: str = "×", least: bool = True, note: str = "") -> Row:
    """A goal of which nothing can be measured yet."""
    return Row(goal, what, "", LIMIT, "", "", None, wanted, unit, least, note)


HEAD = ("goal", "what", "against", "evalstats", "they", "measured", "wanted", "")


def table(rows: Iterable[Row], head: Sequence[str] = HEAD) -> str:
    lines = [list(head), ["---"] * len(head), *(row.cells for row in rows)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n"
