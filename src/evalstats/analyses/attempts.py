"""A row for every question; one that is not the benchmark's own must not keep the others from an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from evalstats.data.selection import Question
from evalstats.errors import EvalStatsError

T = TypeVar("T")


def attempted(questions: Iterable[Question], row: Callable[[Question], T]) -> tuple[list[T], tuple[str, ...]]:
    """The rows of all questions, and a note on the secondary metrics that have none.

    Raises what `row` raises for a primary question.
    """
    rows: list[T] = []
    failed: dict[str, list[str]] = {}
    for question in questions:
        try:
            rows.append(row(question))
        except EvalStatsError as error:
            if question.primary:
                raise
            failed.setdefault(str(error), []).append(f"{question.benchmark} {question.metric}")
    return rows, tuple(f"no answer for {', '.join(names)}: {reason}" for reason, names in failed.items())
