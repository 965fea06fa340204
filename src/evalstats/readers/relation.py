"""Rows out of DuckDB, embedded: Parquet files and DuckDB relations. Loaded only for these."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from evalstats.errors import InputError
from evalstats.readers.batches import Batch, check_names

ROWS = 4096  # rows a batch

_AS_IS = re.compile(r"BOOLEAN|U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL.*|VARCHAR|STRUCT.*")
_NO_FIELD = re.compile(r".*\]|MAP.*|BLOB|BIT", re.DOTALL)


def parquet_batches(path: Path) -> Iterator[Batch]:
    """Batches of a Parquet file, without its columns of lists. Raises InputError for a damaged one."""
    import duckdb  # start-up budget: only for Parquet

    literal = re.sub(r"([*?\[])", r"[\1]", str(path))  # a name, not a pattern of names
    connection = duckdb.connect()
    try:
        yield from _batches(connection.read_parquet(literal))
    except duckdb.Error as error:
        raise InputError(
            f"{path} cannot be read as Parquet: {_reason(error)}. Copy it again, or unpack it first."
        ) from None
    finally:
        connection.close()


def relation_batches(relation: Any, label: str) -> Iterator[Batch]:
    """Batches of a DuckDB relation, which is left as it was. Raises InputError if it cannot be fetched."""
    import duckdb  # start-up budget: whoever has a relation has loaded it

    try:
        check_names(relation.columns, label)
        yield from _batches(relation)
    except duckdb.Error as error:
        raise InputError(
            f"{label} cannot be fetched from DuckDB: {_reason(error)}. Is its connection open?"
        ) from None


def _batches(relation: Any) -> Iterator[Batch]:
    kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
    names = [name for name, kind in kinds.items() if not _NO_FIELD.fullmatch(kind)]
    if not names:
        return
    found = _fetched(relation.project(", ".join(_expression(name, kinds[name]) for name in names)))
    start = 0
    while rows := list(islice(found, ROWS)):
        columns: Iterator[Sequence[object]] = zip(*rows, strict=True)
        yield Batch(dict(zip(names, columns, strict=True)), range(start + 1, start + 1 + len(rows)))
        start += len(rows)


def _fetched(relation: Any) -> Iterator[tuple[object, ...]]:
    if hasattr(relation, "iter_rows"):  # DuckDB 2
        yield from relation.iter_rows()
        return
    while rows := relation.fetchmany(ROWS):
        yield from rows


def _expression(name: str, kind: str) -> str:
    """A column as Python can hold it without other packages: times and the like as text."""
    quoted = '"' + name.replace('"', '""') + '"'
    return quoted if _AS_IS.fullmatch(kind) else f"CAST({quoted} AS VARCHAR) AS {quoted}"


def _reason(error: Exception) -> str:
    return str(error).splitlines()[0].rstrip(".")
