"""Labels as people hold them -> codes into declared categories, with what is missing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalstats.errors import InputError, PairingError
from evalstats.kernel.arrays import Codes, check_labels

Array = NDArray[np.float64]
MISSING = -1
MOST_CATEGORIES = 100
_MOST_LABELS = 10_000_000  # listed one by one
_MOST_NAMED = 8


@dataclass(frozen=True)
class Ratings:
    """codes : (raters, items) into categories, MISSING where there is no label. cluster : (items,) or None.

    values : (categories,) numbers where the labels are numbers, else None. ordered : the order of the
    categories means something: they are numbers, or were declared.
    """

    codes: NDArray[np.intp]
    categories: tuple[Any, ...]
    values: Array | None
    ordered: bool
    cluster: Codes | None = None

    @property
    def n_raters(self) -> int:
        return int(self.codes.shape[0])

    @property
    def n_items(self) -> int:
        return int(self.codes.shape[1])

    @property
    def given(self) -> NDArray[np.int64]:
        """(items,) how many raters labelled each."""
        return np.asarray((self.codes != MISSING).sum(axis=0))

    def of(self, raters: Sequence[int]) -> Ratings:
        """Some of the raters, in this order."""
        return Ratings(self.codes[list(raters)], self.categories, self.values, self.ordered, self.cluster)

    def at(self, items: NDArray[np.bool_]) -> Ratings:
        """Some of the items."""
        cluster = None if self.cluster is None else np.unique(self.cluster[items], return_inverse=True)[1]
        return Ratings(self.codes[:, items], self.categories, self.values, self.ordered, cluster)


def ratings_of(raters: Any, categories: Any = None, cluster: Any = None) -> Ratings:
    """Checked labels. raters : one sequence of labels each, of the same items in the same order.

    A label is a text, a number or a boolean; None, nan and "" are missing. categories : all that a rater
    could have chosen, in order; by default those that were seen, and 0 and 1 for pass/fail.
    Raises PairingError for raters of different length, InputError for labels outside the categories, for
    numbers and texts mixed, and where nothing is labelled.
    """
    rows = [_listed(row, at) for at, row in enumerate(_raters(raters))]
    n = len(rows[0])
    for at, row in enumerate(rows):
        if len(row) != n:
            raise PairingError(
                f"rater 1 has {n} labels and rater {at + 1} {len(row)}: all need the same items in the same "
                "order, with None where one gave no label."
            )
    labels = [[label_of(value) for value in row] for row in rows]
    seen = {label for row in labels for label in row if label is not None}
    if not seen:
        raise InputError("no rater gave a label: there is nothing to compare.")
    names = _declared(categories, seen) if categories is not None else _found(seen)
    code_of = {name: code for code, name in enumerate(names)}
    codes = np.array([[MISSING if x is None else code_of[x] for x in row] for row in labels], dtype=np.intp)
    numbers = np.array(names, dtype=np.float64) if all(map(_is_number, names)) else None
    clusters = None if cluster is None else check_labels(cluster, n, "cluster")[0]
    return Ratings(codes, names, numbers, categories is not None or numbers is not None, clusters)


def _raters(raters: Any) -> list[Any]:
    if isinstance(raters, str | bytes | dict) or not hasattr(raters, "__iter__"):
        raise InputError(f"ratings={raters!r}: give one sequence of labels for each rater.")
    rows = list(raters)
    if len(rows) < 2:
        raise InputError(
            f"{len(rows)} rater came: agreement is between two or more, each a sequence of labels."
        )
    return rows


def _listed(row: Any, at: int) -> list[Any]:
    if isinstance(row, str | bytes | dict) or not hasattr(row, "__iter__"):
        raise InputError(f"rater {at + 1} is {row!r}: give a sequence of labels, one an item.")
    values = row.tolist() if hasattr(row, "tolist") else list(row)
    if any(isinstance(value, list) for value in values):
        raise InputError(f"rater {at + 1} has several dimensions: give one label an item.")
    return list(values)


def label_of(value: Any) -> Any:
    """None for a missing one; 1.0, True and numpy's 1 are 1."""
    value = value.item() if hasattr(value, "item") else value
    if value is None or value != value or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, float) and math.isinf(value):
        raise InputError(f"{value} is no label: give a finite number.")
    if _is_number(value):
        return int(value) if value == int(value) else float(value)
    raise InputError(f"{value!r} is no label: give a text, a number or a boolean.")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _found(seen: set[Any]) -> tuple[Any, ...]:
    if len({_is_number(label) for label in seen}) > 1:
        odd = sorted(map(repr, seen))
        raise InputError(
            f"labels are numbers and texts: {_named(odd)}. Write each class in one way, for every rater."
        )
    if seen <= {0, 1}:
        return (0, 1)
    spelled: dict[str, str] = {}
    for label in sorted(map(str, seen)):
        other = spelled.setdefault(label.casefold(), label)
        if other != label:
            raise InputError(
                f"labels {other!r} and {label!r} differ in case alone: write each class in one way, or "
                "declare both with categories if they are two."
            )
    return tuple(sorted(seen))


def _declared(categories: Any, seen: set[Any]) -> tuple[Any, ...]:
    if isinstance(categories, str) or not hasattr(categories, "__iter__"):
        raise InputError(f"categories={categories!r}: give all of them in order, such as (1, 2, 3, 4, 5).")
    names = tuple(label_of(one) for one in categories)
    if len(set(names)) != len(names) or None in names or len(names) < 2:
        raise InputError(f"categories={categories!r}: give two or more, each once.")
    outside = sorted(map(repr, seen - set(names)))
    if outside:
        raise InputError(
            f"{_named(outside)} is given as a label and is not among the categories "
            f"{_named(map(repr, names))}. Declare it, or mend the label."
        )
    return names


def _named(labels: Any) -> str:
    listed = list(labels)
    more = f" and {len(listed) - _MOST_NAMED} more" if len(listed) > _MOST_NAMED else ""
    return ", ".join(listed[:_MOST_NAMED]) + more


def labels_of_table(table: ArrayLike, categories: Sequence[Any] | None = None) -> tuple[list[Any], list[Any]]:
    """Two raters' labels from their table of counts: rows are the first rater's, columns the second's.

    categories : names of the rows and columns, 0, 1, 2 … by default. Raises InputError for what is no square
    table of counts.

    >>> labels_of_table([[2, 0], [1, 0]], ("fail", "pass"))
    (['fail', 'fail', 'pass'], ['fail', 'fail', 'fail'])
    """
    counts = _counts(table)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise InputError(f"the table has shape {counts.shape}: give a square one, row and column a category.")
    names = _names(categories, len(counts))
    cells = [
        (i, j) for i, row in enumerate(counts.tolist()) for j, times in enumerate(row) for _ in range(times)
    ]
    return [names[i] for i, _ in cells], [names[j] for _, j in cells]


def labels_of_counts(counts: ArrayLike, categories: Sequence[Any] | None = None) -> list[list[Any]]:
    """Ratings from counts: (items, categories), how many raters chose each category of each item.

    Which rater said what is not known from counts, and no coefficient for several raters asks. None fills up
    items with fewer ratings. Raises InputError for what are no counts.

    >>> labels_of_counts([[2, 1], [0, 2]])
    [[0, 1], [0, 1], [1, None]]
    """
    table = _counts(counts)
    if table.ndim != 2:
        raise InputError(f"the counts have shape {table.shape}: give one row an item, one column a category.")
    names = _names(categories, table.shape[1])
    items = [[names[j] for j, times in enumerate(row) for _ in range(times)] for row in table.tolist()]
    most = max(map(len, items), default=0)
    return [[item[at] if at < len(item) else None for item in items] for at in range(most)]


def _names(categories: Sequence[Any] | None, n: int) -> list[Any]:
    names = list(range(n) if categories is None else categories)
    if len(names) != n:
        raise InputError(f"{len(names)} categories for {n} columns: name each column of the table once.")
    return names


def _counts(table: ArrayLike) -> NDArray[np.int64]:
    try:
        values = np.asarray(table, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{table!r} is no table of counts: give rows of whole numbers.") from None
    if not np.all((values >= 0) & (values < np.inf) & (values == np.floor(values))):
        raise InputError("a table of counts holds whole numbers of 0 or more.")
    if values.sum() > _MOST_LABELS:
        raise InputError(
            f"the counts add to {values.sum():.3g}: up to {_MOST_LABELS:,} labels can be listed."
        )
    return values.astype(np.int64)
