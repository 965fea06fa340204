"""Whose labels of which items: what every source of `agree` becomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evalstats.data.scores import Scalar
from evalstats.envelope import Input
from evalstats.errors import InputError
from evalstats.readers.cells import LABELS, Cell, is_empty, kind_of, score_of, text_of

_LARGEST = 1e50  # of a number whose fourth powers are still finite


@dataclass(frozen=True)
class Rated:
    """The same items by several raters. raters : their names, the judge first if there is one.

    columns : one sequence of labels a rater, None where one gave none. cluster : (items,) what was drawn,
    None for the item itself. where : what is rated. key : how labels were put together. n_blank : rows of a
    file of labels that nobody labelled.
    """

    where: str
    key: str
    raters: tuple[str, ...]
    has_judge: bool
    columns: tuple[tuple[Scalar | None, ...], ...]
    inputs: tuple[Input, ...]
    runs: tuple[str, ...]
    cluster: tuple[str, ...] | None = None
    cluster_name: str | None = None
    notes: tuple[str, ...] = ()
    n_blank: int = 0

    @property
    def judge(self) -> str | None:
        return self.raters[0] if self.has_judge else None

    @property
    def humans(self) -> tuple[str, ...]:
        return self.raters[1:] if self.has_judge else self.raters


def same_words(
    columns: Sequence[Sequence[Cell]], categories: tuple[str, ...] | None
) -> tuple[tuple[Scalar | None, ...], ...]:
    """Labels that mean the same made equal: numbers as numbers; pass, correct and 1 as 1 where raters differ.

    A class that all raters write in the same way keeps its word. categories : as declared; labels are then
    compared as they are spelled there. Raises InputError for numbers beside words that are no verdicts.
    """
    cells = [cell for column in columns for cell in column if not is_empty(cell)]
    kinds = {kind_of(cell) for cell in cells}
    if categories is not None and not all(kind_of(name) == "number" for name in categories):
        return _mapped(columns, text_of)
    if kinds <= {"number"}:
        return _mapped(columns, _number)
    if "number" not in kinds:
        written = [{str(cell).strip() for cell in column if not is_empty(cell)} for column in columns]
        verdicts = kinds == {"label"} and _spelled_differently(written)
        return _mapped(columns, _number) if verdicts else _mapped(columns, _word)
    odd = next((cell for cell in cells if kind_of(cell) == "text"), None)
    if odd is not None:
        raise InputError(
            f"labels are numbers and words such as {odd!r}: write each class in one way, for every rater."
        )
    return _mapped(columns, _number)


def _spelled_differently(written: Sequence[set[str]]) -> bool:
    """Whether two words stand for one verdict: pass and correct, C and yes."""
    words = {word for column in written for word in column}
    return len({LABELS[word.lower()] for word in words}) < len(words)


def _mapped(columns: Sequence[Sequence[Cell]], to: Any) -> tuple[tuple[Scalar | None, ...], ...]:
    return tuple(tuple(None if is_empty(cell) else to(cell) for cell in column) for column in columns)


def _word(cell: Cell) -> str:
    return str(cell).strip()


def _number(cell: Cell) -> float | int | None:
    """1 for 1.0, "1", True and pass."""
    value = score_of(cell.strip() if isinstance(cell, str) else cell)
    if value is not None and abs(value) > _LARGEST:
        raise InputError(
            f"label {cell!r}: a label is a finite number up to 1e50 or a word. Mend it, or leave it blank."
        )
    return int(value) if value is not None and value == int(value) else value


def declared_categories(categories: tuple[str, ...] | None) -> tuple[Any, ...] | None:
    """As the labels are: numbers where all are."""
    if categories is None or not all(kind_of(name) == "number" for name in categories):
        return categories
    return tuple(_number(name) for name in categories)
