"""A table as it stands, column by column: for labels, whose columns are asked for by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalstats.errors import InputError
from evalstats.readers import archive, frame, records, table
from evalstats.readers.batches import Batch, flat_columns
from evalstats.readers.cells import Cell


@dataclass(frozen=True)
class RawTable:
    """columns : name -> cells, all of one length; nested objects have dotted names. path : for errors.

    file : behind the table, None where it is held in memory.
    """

    columns: Mapping[str, Sequence[Cell]]
    path: str
    format: str
    file: Path | None = None

    def __len__(self) -> int:
        return max(map(len, self.columns.values()), default=0)


def raw_table(source: Any) -> RawTable:
    """Every row of a CSV, TSV, JSONL, JSON or Parquet file, of a data frame, or of a list of dicts.

    Raises InputError for what is none of these, and for a table without a row.

    >>> raw_table([{"id": "q1", "label": "pass"}, {"id": "q2"}]).columns
    {'id': ['q1', 'q2'], 'label': ['pass', None]}
    """
    if isinstance(source, str | Path):
        return _of_file(Path(source))
    if frame.is_frame(source):
        batches, library = frame.batches_of(source, "data frame")
        return _together(batches, "data frame", library)
    return _together(records.batches(source, "records"), "records", "records")


def _of_file(path: Path) -> RawTable:
    if path.is_dir():
        raise InputError(f"{path} is a folder: name a table in it (CSV, TSV, JSONL, JSON or Parquet).")
    if not path.is_file():
        raise InputError(f"no file {str(path)!r}: name a table (CSV, TSV, JSONL, JSON or Parquet).")
    start = archive.head(path)
    if not table.detect(path, start):
        raise InputError(f"{path} is no table: its name must end in .csv, .tsv, .jsonl, .json or .parquet.")
    name, _, batches = table.batches_of(path, start)
    return _together(batches, str(path), name, path)


def _together(batches: Iterable[Batch], path: str, name: str, file: Path | None = None) -> RawTable:
    """The batches as one; a column that a batch lacks is empty there."""
    columns: dict[str, list[Cell]] = {}
    n = 0
    for batch in batches:
        for key, cells in flat_columns(batch.columns).items():
            columns.setdefault(key, [None] * n).extend(cells)
        n += len(batch.places)
        for cells in columns.values():
            cells.extend([None] * (n - len(cells)))
    if not n:
        raise InputError(f"{path} holds no rows. Wanted is one row an item: was the run stopped too early?")
    return RawTable(columns, path, name, file)
