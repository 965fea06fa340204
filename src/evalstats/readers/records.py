"""Lists of dicts, and dicts of columns, as JSON and notebooks have them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from typing import Any

from evalstats.data.scores import Header, Row
from evalstats.errors import InputError
from evalstats.readers.batches import Batch, Carrier, table_rows
from evalstats.readers.cells import Cell, kind_of
from evalstats.readers.columns import Choice

ROWS = 4096  # rows a batch

_WANTED = (
    "Wanted is a list of dicts, one a row, such as {'item': 'q1', 'score': 1}, or a dict of columns such as "
    "{'item': ['q1', 'q2'], 'score': [1, 0]}."
)


def rows(
    records: object,
    wanted: frozenset[str] = frozenset(),
    label: str = "records",
    choice: Choice | None = None,
) -> Iterator[Header | Row]:
    """Headers and rows of a list of dicts or a dict of columns; errors call it by its label.

    Raises InputError for anything else, and where the columns are ambiguous.

    >>> header, row = rows([{"item": "q1", "score": True}])
    >>> row.item, row.score, header.notes
    ('q1', 1.0, ('item = item, score = score (0 or 1)',))
    """
    carrier = Carrier(run=label, path=label, format="records")
    yield from table_rows(batches(records, label), carrier, wanted, choice)


def batches(records: object, label: str) -> Iterator[Batch]:
    """Batches of what JSON or a notebook holds."""
    if isinstance(records, Mapping):
        yield from _column_batches(records, label)
    elif isinstance(records, Sequence) and not isinstance(records, str | bytes):
        yield from _record_batches(records, label)
    else:
        raise InputError(f"{label} is a {type(records).__name__}. {_WANTED}")


def as_columns(records: Sequence[Mapping[str, Cell]]) -> dict[str, list[Cell]]:
    """Columns of dicts that need not have the same keys."""
    names = dict.fromkeys(name for record in records for name in record)
    return {str(name): [record.get(name) for record in records] for name in names}


def _record_batches(records: Sequence[Any], label: str) -> Iterator[Batch]:
    for start in range(0, len(records), ROWS):
        part = records[start : start + ROWS]
        for at, record in enumerate(part, start + 1):
            if not isinstance(record, Mapping):
                raise InputError(_no_record(record, at, label))
        yield Batch(as_columns(part), range(start + 1, start + 1 + len(part)))


def _no_record(record: object, row: int, label: str) -> str:
    if kind_of(record) in ("number", "label", "empty"):
        return (
            f"{label} is a list of scores without items. es.mean(scores) answers for one such list and "
            f"es.mean_difference(baseline, candidate) for two whose items stand in the same order. {_WANTED}"
        )
    return f"{label}, row {row} is a {type(record).__name__}. {_WANTED}"


def _column_batches(columns: Mapping[Any, Any], label: str) -> Iterator[Batch]:
    lists = {str(name): _cells(values) for name, values in columns.items()}
    scalars = [name for name, cells in lists.items() if cells is None]
    if scalars:
        raise InputError(
            f"{label} is a dict in which {scalars[0]!r} is no list. {_WANTED} Scores by item become "
            f"rows with [{{'item': i, 'score': s}} for i, s in scores.items()]."
        )
    filled = {name: cells for name, cells in lists.items() if cells is not None}
    lengths = {name: len(cells) for name, cells in filled.items()}
    if len(set(lengths.values())) > 1:
        short, long = min(lengths, key=lengths.__getitem__), max(lengths, key=lengths.__getitem__)
        raise InputError(
            f"{label}: the columns differ in length, {short!r} has {lengths[short]} values and {long!r} "
            f"{lengths[long]}. Give each row a value in each column, None where there is none."
        )
    n = next(iter(lengths.values()), 0)
    for start in range(0, n, ROWS):
        stop = min(start + ROWS, n)
        yield Batch({name: cells[start:stop] for name, cells in filled.items()}, range(start + 1, stop + 1))


def _cells(values: object) -> Sequence[Cell] | None:
    """A column of a dict: a list, an array, a series; None for what is no column."""
    if isinstance(values, str | bytes | Mapping):
        return None
    if isinstance(values, Iterable) and isinstance(values, Sized):
        return list(values)
    return None
