"""Tables in files: CSV and TSV, JSONL, JSON (a list of objects, or an object of columns), Parquet."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from evalstats.data.scores import Header, Row
from evalstats.errors import InputError
from evalstats.readers import archive, names, records, relation
from evalstats.readers.batches import Batch, Carrier, table_rows
from evalstats.readers.cells import kind_of
from evalstats.readers.columns import Choice

PARQUET = b"PAR1"
WRAPPERS = frozenset({".gz", ".zst"})
DELIMITERS = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv"}
LINES = frozenset({".jsonl", ".ndjson"})
ROWS = 1000  # rows a batch of lines
BYTES = 4 * 2**20  # or this much text, whichever comes first: lines may hold images
LONGEST_CELL = 2**27  # csv's own limit, 128 kB, is less than one transcript

_LIST = re.compile(rb'\s*\[\s*\{|\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\[')


def detect(path: Path, start: bytes) -> bool:
    """Parquet by its first bytes, text by the file's ending; JSON only if it holds rows or columns."""
    if start.startswith(PARQUET):
        return True
    suffix = _suffix(path)
    if suffix in LINES:
        return start.lstrip()[:1] in (b"{", b"[")
    return suffix in DELIMITERS or (suffix == ".json" and bool(_LIST.match(start) or _is_lines(start)))


def rows(
    path: Path, wanted: frozenset[str] = frozenset(), choice: Choice | None = None
) -> Iterator[Header | Row]:
    """Headers and rows of one file. Its run is named by its columns, else by the file.

    wanted : columns to keep as fields, however long. Raises InputError that names the line for whatever
    cannot be read, and lists the candidates where the columns are ambiguous.
    """
    start = archive.head(path)
    name, unit, batches = batches_of(path, start)
    carrier = Carrier(run=_stem(path), path=str(path), format=name, unit=unit)
    yield from table_rows(batches, carrier, wanted, choice)


def batches_of(path: Path, start: bytes) -> tuple[str, str, Iterator[Batch]]:
    """The format, what a place counts, and the batches."""
    suffix = _suffix(path)
    if start.startswith(PARQUET):
        return "parquet", "row", relation.parquet_batches(path)
    if suffix in DELIMITERS:
        return DELIMITERS[suffix], "line", _csv_batches(path, start)
    if start.lstrip()[:1] == b"[" or (suffix == ".json" and not _is_lines(start)):
        document = archive.decoded(archive.contents(path), msgspec.json.Decoder(Any), path)
        return "json", "row", records.batches(document, str(path))
    return "jsonl", "line", _jsonl_batches(path)


def _suffix(path: Path) -> str:
    """How the name ends, without .gz or .zst."""
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in WRAPPERS]
    return suffixes[-1] if suffixes else ""


def _stem(path: Path) -> str:
    name = path.name
    while Path(name).suffix.lower() in WRAPPERS:
        name = Path(name).stem
    return Path(name).stem


def _is_lines(start: bytes) -> bool:
    """Whether the first line is an object of its own and another follows."""
    line, _, rest = start.lstrip().partition(b"\n")
    return line.startswith(b"{") and line.rstrip().endswith(b"}") and rest.lstrip().startswith(b"{")


def _jsonl_batches(path: Path) -> Iterator[Batch]:
    decoder = msgspec.json.Decoder(dict[str, Any])
    objects: list[dict[str, Any]] = []
    places: list[int] = []
    size = 0
    for number, line in archive.lines(path):
        objects.append(archive.decoded(line, decoder, path, number))
        places.append(number)
        size += len(line)
        if len(objects) == ROWS or size > BYTES:
            yield Batch(records.as_columns(objects), places)
            objects, places, size = [], [], 0
    if objects:
        yield Batch(records.as_columns(objects), places)


def _csv_batches(path: Path, start: bytes) -> Iterator[Batch]:
    reader = csv.reader(_text(path), delimiter=_delimiter(path, start), strict=True)
    first = _csv_rows(reader, path, 1)
    header = _header(first[0][1], path) if first else []
    while chunk := _csv_rows(reader, path, ROWS):
        for place, cells in chunk:
            if len(cells) != len(header):
                raise InputError(
                    f"{path}, line {place} has {len(cells)} cells where the header has {len(header)}. "
                    f"Quote a cell that holds the separator or a quote, and mend the line."
                )
        columns = zip(*(cells for _, cells in chunk), strict=True)
        yield Batch(dict(zip(header, columns, strict=True)), [place for place, _ in chunk])


def _csv_rows(reader: Any, path: Path, most: int) -> list[tuple[int, list[str]]]:
    """The next rows that are not blank, with the number of their last line."""
    limit = csv.field_size_limit(LONGEST_CELL)
    try:
        filled = (
            (reader.line_num, cells) for cells in reader if len(cells) == 1 or any(map(str.strip, cells))
        )
        return list(islice(filled, most))
    except csv.Error as error:
        raise InputError(
            f"{path}, line {reader.line_num} is not well-formed: {error}. Quote a cell that holds a line "
            f"end, the separator or a quote, and double the quotes inside it."
        ) from None
    finally:
        csv.field_size_limit(limit)


def _text(path: Path) -> Iterator[str]:
    """The lines of a file as text, blank ones too: they may stand inside a quoted cell."""
    for number, line in archive.lines(path, blank=True):
        try:
            yield line.decode()
        except UnicodeDecodeError as error:
            raise InputError(
                f"{path}, line {number} is not UTF-8 text (byte {line[error.start]:#04x}). Save the table as "
                f"UTF-8; in a spreadsheet choose 'CSV UTF-8'."
            ) from None


def _delimiter(path: Path, start: bytes) -> str:
    """The separator that the header has most of outside quotes; a tab in a .tsv file."""
    if DELIMITERS[_suffix(path)] == "tsv":
        return "\t"
    first = start.decode(errors="replace").lstrip("\r\n").partition("\n")[0]
    counts = Counter(re.sub(r'"[^"]*"', "", first))
    return max(",\t;", key=lambda mark: counts[mark])


def _header(cells: list[str], path: Path) -> list[str]:
    header = [cell.strip() for cell in cells]
    repeated = [name for name, times in Counter(header).items() if times > 1 and name]
    if repeated:
        raise InputError(
            f"{path} has {header.count(repeated[0])} columns called {repeated[0]!r}"
            + (f" (and more of {', '.join(map(repr, repeated[1:4]))})" if repeated[1:] else "")
            + ". Give each column its own name. promptfoo's csv repeats names for each provider: "
            "read the .json it writes instead."
        )
    if any(kind_of(name) == "number" for name in header) and not any(names.is_known(n) for n in header):
        raise InputError(
            f"{path}: the first line ({', '.join(header[:4])}) looks like data. The first line of a table "
            f"names its columns, such as item,score."
        )
    return header
