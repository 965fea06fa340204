"""Data frames through narwhals: pandas, Polars eager and lazy, PyArrow; DuckDB relations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evalstats.data.scores import Header, Row
from evalstats.errors import InputError
from evalstats.readers.batches import Batch, Carrier, check_names, table_rows
from evalstats.readers.columns import Choice
from evalstats.readers.relation import relation_batches

ROWS = 4096  # rows a batch

_NO_FIELD = ("List", "Array", "Binary")


def is_frame(value: object) -> bool:
    """Whether this is a data frame, a lazy one, a relation, or a column of one (which `rows` refuses)."""
    if value is None or isinstance(value, str | bytes | Path | Sequence | Mapping | int | float):
        return False
    if _is_relation(value):
        return True
    import narwhals as nw  # start-up budget: only for what is no path and no list

    found = nw.from_native(value, pass_through=True, allow_series=True)
    return isinstance(found, nw.DataFrame | nw.LazyFrame | nw.Series)


def rows(
    frame: Any,
    wanted: frozenset[str] = frozenset(),
    label: str = "data frame",
    choice: Choice | None = None,
) -> Iterator[Header | Row]:
    """Headers and rows of a frame; errors call it by its label. A pandas index counts if it has a name.

    Raises InputError for a single column, for two columns of one name, and where columns are ambiguous.
    """
    batches, library = batches_of(frame, label)
    yield from table_rows(batches, Carrier(run=label, path=label, format=library), wanted, choice)


def batches_of(frame: Any, label: str) -> tuple[Iterator[Batch], str]:
    """A frame's batches and its library; errors call it by its label."""
    if _is_relation(frame):
        return relation_batches(frame, label), "duckdb"
    return _frame_batches(frame, label)


def _frame_batches(frame: Any, label: str) -> tuple[Iterator[Batch], str]:
    import narwhals as nw  # start-up budget

    native = _with_named_index(nw.to_native(frame, pass_through=True), label)
    table = nw.from_native(native, allow_series=True)
    if isinstance(table, nw.Series):
        raise InputError(
            f"{label} is a single column without items. es.mean(scores) answers for one such column; give "
            f"the frame with the column that says which item a row is."
        )
    library = str(table.implementation.name).lower()
    return _batches(table.collect() if isinstance(table, nw.LazyFrame) else table), library


def _batches(table: Any) -> Iterator[Batch]:
    names = [name for name, kind in table.schema.items() if not str(kind).startswith(_NO_FIELD)]
    for start in range(0, len(table), ROWS):
        part = table[start : start + ROWS]
        columns = {str(name): part.get_column(name).to_list() for name in names}
        yield Batch(columns, range(start + 1, start + 1 + len(part)))


def _with_named_index(frame: Any, label: str) -> Any:
    """A pandas frame with its named index levels as columns: set_index("question_id") loses no id."""
    if not hasattr(frame, "reset_index") or not hasattr(frame, "columns"):
        if hasattr(frame, "column_names"):
            check_names(frame.column_names, label)
        return frame
    if frame.columns.nlevels > 1:
        raise InputError(
            f"{label} has column names of {frame.columns.nlevels} levels, {frame.columns[0]!r} first. Choose "
            f"one of the upper level, or give each column one name."
        )
    levels = [name for name in frame.index.names if name is not None and name not in frame.columns]
    named = frame.reset_index(levels) if levels else frame
    check_names(named.columns, label)
    return named


def _is_relation(value: object) -> bool:
    kind = type(value)
    return kind.__name__ == "DuckDBPyRelation" and "duckdb" in kind.__module__
