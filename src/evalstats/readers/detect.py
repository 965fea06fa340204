"""Which reader a file is for, and whole files and folders read into Scores.

A format is one module with `detect` and `rows`, and one line here. Modules are loaded by name, when a
file may be theirs: a start-up budget, and a reader's library is not everyone's.
"""

from __future__ import annotations

import dataclasses
import importlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalstats.data.builder import build
from evalstats.data.scores import Header, Row, Scores
from evalstats.errors import InputError
from evalstats.readers import archive
from evalstats.readers.columns import Choice

_MOST_NAMED = 5


@dataclass(frozen=True)
class Format:
    """One kind of log: the module that reads it, what a person calls it, how its files usually end.

    A module has `detect(path, start)`, `rows(path, wanted)` and, where one log is several files,
    `parts(path)`: the files that are read with it. chosen : `rows` also takes a Choice of columns.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    chosen: bool = False

    def detect(self, path: Path, start: bytes) -> bool:
        return bool(self._module().detect(path, start))

    def rows(
        self, path: Path, wanted: frozenset[str], choice: Choice | None = None
    ) -> Iterator[Header | Row]:
        choices = (choice,) if self.chosen else ()
        records: Iterator[Header | Row] = self._module().rows(path, wanted, *choices)
        return records

    def parts(self, path: Path) -> tuple[Path, ...]:
        module = self._module()
        return tuple(module.parts(path)) if hasattr(module, "parts") else ()

    def _module(self) -> Any:
        return importlib.import_module(f"evalstats.readers.{self.name}")


FORMATS = (
    Format("inspect", "an Inspect log (.eval or .json)", (".eval", ".json")),
    Format("lm_eval", "lm-evaluation-harness (results_*.json with samples_*.jsonl)", (".json", ".jsonl")),
    Format("human_eval", "HumanEval's *_results.jsonl", (".jsonl",)),
    Format("evalplus", "EvalPlus's *eval_results.json", (".json",)),
    Format(
        "table",
        "a table (CSV, TSV, JSONL, Parquet)",
        (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet"),
        chosen=True,
    ),
)
_TABLE = FORMATS[-1]


def read_path(path: Path, wanted: frozenset[str] = frozenset(), choice: Choice | None = None) -> Scores:
    """All that a log file, or a folder of logs, holds.

    wanted : fields that must be read even where they are long, nested or left out of a summary, and the
    value of --cluster. choice : of a table's columns, where they do not speak for themselves.
    Raises InputError for what is not there, no log, or damaged.
    """
    if path.is_dir():
        logs, notes = _logs_in(path)
    elif path.exists():
        logs, notes = [(path, _format_of(path))], []
    else:
        raise InputError(f"{path} does not exist. Name a log file or a folder of logs.")
    watched = _Watched(record for file, form in logs for record in form.rows(file, wanted, choice))
    try:
        scores = build(watched)
    except InputError:
        if watched.n_rows or not watched.empty:
            raise
        raise InputError(f"{path} holds no scored item. {' '.join(watched.said())}") from None
    return dataclasses.replace(scores, notes=(*scores.notes, *notes, *watched.said()))


class _Watched:
    """Passes a stream on and keeps the headers that no row followed, to say so."""

    def __init__(self, stream: Iterable[Header | Row]) -> None:
        self._stream = stream
        self.empty: dict[tuple[str, str, str], str] = {}
        self.n_rows = 0

    def __iter__(self) -> Iterator[Header | Row]:
        last: tuple[str, str, str] | None = None
        for record in self._stream:
            if isinstance(record, Row):
                self.n_rows += 1
                if last is not None:
                    self.empty.pop(last, None)
                    last = None
            elif not record.members:
                last = (record.run, record.benchmark, record.path)
                self.empty[last] = record.problem or "; ".join(record.notes) or "it has no items"
            yield record

    def said(self) -> list[str]:
        return [f"{path}: nothing to read of {name}: {why}." for (_, name, path), why in self.empty.items()]


def is_table(path: Path) -> bool:
    """Whether a file is read as a table, and not as a harness's log."""
    return path.stat().st_size > 0 and _detected(path, archive.head(path)) is _TABLE


def _format_of(path: Path) -> Format:
    if path.stat().st_size == 0:
        raise InputError(f"{path} is empty. Was the run stopped before it wrote anything, or the copy?")
    start = archive.head(path)
    found = _detected(path, start)
    if found is None:
        known = "; ".join(form.title for form in FORMATS)
        raise InputError(f"{path} is no log that is known: {_looks(start)}. Known are: {known}.")
    return found


def _detected(path: Path, start: bytes) -> Format | None:
    """The first format that says yes; those whose files end like this one are asked first."""
    by_suffix = sorted(FORMATS, key=lambda form: not set(path.suffixes) & set(form.suffixes))
    return next((form for form in by_suffix if form.detect(path, start)), None)


def _logs_in(folder: Path) -> tuple[list[tuple[Path, Format]], list[str]]:
    """Every log below a folder, and what was passed over. Tables count only where no harness wrote logs."""
    found: list[tuple[Path, Format]] = []
    others: list[Path] = []
    for path in _files(folder):
        form = _detected(path, archive.head(path)) if path.stat().st_size else None
        if form is None:
            others.append(path)
        else:
            found.append((path, form))
    read_with = {part for path, form in found for part in form.parts(path)}
    logs = [(path, form) for path, form in found if path not in read_with]
    if any(form is not _TABLE for _, form in logs):
        others += [path for path, form in logs if form is _TABLE]
        logs = [(path, form) for path, form in logs if form is not _TABLE]
    others = [path for path in others if path not in read_with]
    if not logs:
        known = "; ".join(form.title for form in FORMATS)
        raise InputError(f"{folder} holds no log{_listed(others)}. Known are: {known}.")
    return logs, [f"{folder}: passed over what is no log{_listed(others)}."] if others else []


def _files(folder: Path) -> Iterator[Path]:
    """The files below a folder in the order of their names; hidden ones are nobody's log."""
    for root, folders, names in os.walk(folder, onerror=_unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(root, name)
            if not name.startswith(".") and path.is_file():
                yield path


def _unreadable(error: OSError) -> None:
    raise InputError(f"{error.filename} cannot be listed: {error.strerror}. Mend that, or name its logs.")


def _listed(paths: list[Path]) -> str:
    if not paths:
        return ""
    names = ", ".join(path.name for path in paths[:_MOST_NAMED])
    more = f" and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else ""
    return f" ({names}{more})"


def _looks(start: bytes) -> str:
    """The beginning of a file, as far as it can be shown."""
    try:
        text = start[:200].decode()
    except UnicodeDecodeError as error:
        text = start[: error.start].decode() if error.start > 60 else ""
    if not text or not all(character.isprintable() or character.isspace() for character in text):
        return f"it begins with the bytes {start[:8].hex(' ')}"
    return f"it begins with {' '.join(text.split())[:60]!r}"
