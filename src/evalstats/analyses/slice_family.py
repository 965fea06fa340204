"""Slices before and after their family is known: what is too small to say, what is tested together."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evalstats.analyses.family import Answer, settled, with_verdict
from evalstats.analyses.options import Options
from evalstats.analyses.slices_result import LEAST_ITEMS, Slice
from evalstats.envelope import Comparison, Family


@dataclass(frozen=True)
class Draft:
    """A slice whose family is not known yet. answer : its comparison so far, if it has one."""

    slice: Slice
    answer: Answer | None = None


def settled_slices(drafts: Sequence[Draft], options: Options) -> tuple[tuple[Slice, ...], Family | None]:
    """The tested slices as one family; the others are shown without test, direction or margin."""
    tested = [draft.answer for draft in drafts if draft.slice.tested and draft.answer is not None]
    rows, family = settled(tested, options.correction, options.level, options.guarantee)
    left = iter(rows)
    return tuple(_settled(draft, left, options.guarantee) for draft in drafts), family


def _settled(draft: Draft, tested: Iterator[Comparison], guarantee: bool) -> Slice:
    if draft.answer is None:
        return draft.slice
    if draft.slice.tested:
        return dataclasses.replace(draft.slice, comparison=next(tested))
    untested = dataclasses.replace(draft.answer.row, test=None, margin=None, needed=None)
    return dataclasses.replace(draft.slice, comparison=with_verdict(untested, False, guarantee))


def named_after(answer: Answer, name: str | None) -> Answer:
    """The answer with its row called by the slice."""
    return dataclasses.replace(answer, row=dataclasses.replace(answer.row, slice=name))


def too_small(n_items: int, where: str = "") -> str:
    """Why so few items are not tested, "" where there are enough. where : " in both runs".

    >>> too_small(6)
    '6 items were scored; 10 are the least'
    """
    if n_items >= LEAST_ITEMS:
        return ""
    found = {0: "no item was", 1: "1 item was"}.get(n_items, f"{n_items} items were")
    return f"{found} scored{where}; {LEAST_ITEMS} are the least"
