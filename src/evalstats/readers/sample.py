"""Facts about the first rows of a table, column by column. Nothing is decided here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property

from evalstats.readers.cells import Cell, is_empty, kind_of, score_of, status_word, text_of, whole_number

LONGEST_NAME = 200  # characters of a run's, benchmark's or metric's name: longer values are texts
_FEW_TEXTS = 0.25  # of the filled cells of a column of scores, at most


class Sample:
    """The first values of each column. nested : columns that came out of an object (metadata.level)."""

    def __init__(self, columns: Mapping[str, Sequence[Cell]], nested: frozenset[str]) -> None:
        self.columns, self.nested = columns, nested

    @cached_property
    def kinds(self) -> dict[str, str]:
        """ "number", "label", "text", "empty", or "mixed": at least half of the values could be scores."""
        return {name: _kind(values) for name, values in self.columns.items()}

    @cached_property
    def n(self) -> int:
        return max(map(len, self.columns.values()), default=0)

    def filled(self, name: str) -> list[Cell]:
        return [value for value in self.columns[name] if not is_empty(value)]

    def scores(self, name: str) -> set[float]:
        """The distinct scores of a column, without the texts in it."""
        cells = [cell for cell in self.columns[name] if kind_of(cell) not in ("text", "empty")]
        return {score for cell in cells if (score := score_of(cell)) is not None}

    def mostly_scores(self, name: str) -> bool:
        """Whether nearly all filled cells are scores, and some are texts."""
        filled = self.filled(name)
        texts = sum(kind_of(value) == "text" for value in filled)
        return 0 < texts <= _FEW_TEXTS * len(filled)

    def combinations(self, names: Sequence[str]) -> set[tuple[str | None, ...]]:
        """The distinct rows of some columns."""
        return set(zip(*([text_of(value) for value in self.columns[name]] for name in names), strict=True))

    def distinct(self, name: str) -> int:
        return len(self.combinations([name]))

    def repeats(self, names: Sequence[str]) -> bool:
        return bool(names) and len(self.combinations(names)) < self.n

    def names_groups(self, name: str) -> bool:
        """Short values that rows share: the name of a run or benchmark, not a text or a row's own key."""
        values = [text_of(value) for value in self.columns[name]]
        short = all(value is None or len(value) <= LONGEST_NAME for value in values)
        return short and any(values) and (self.n < 5 or len(set(values)) < self.n)

    def counts(self, name: str) -> bool:
        """Whole numbers, in each row that has a value."""
        values = self.filled(name)
        return bool(values) and all(whole_number(value) is not None for value in values)

    def words(self, name: str) -> set[str]:
        return {status_word(value) for value in self.filled(name)}

    def fractions(self, name: str) -> bool:
        values = self.scores(name)
        return bool(values) and min(values) >= 0 and max(values) <= 1

    def groups_beside_fractions(self, name: str) -> bool:
        """Whole numbers above 1 that are no per cent of pass/fail: a passage or a count."""
        values = self.scores(name)
        whole = all(value.is_integer() for value in values)
        return whole and not self.fractions(name) and not values <= {0.0, 100.0}


def _kind(values: Sequence[Cell]) -> str:
    counts = Counter(kind_of(value) for value in values)
    filled = len(values) - counts["empty"]
    scores = counts["number"] + counts["label"]
    if not filled:
        return "empty"
    if scores == filled:
        return "label" if counts["label"] else "number"
    return "mixed" if scores * 2 >= filled else "text"
