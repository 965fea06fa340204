"""Whatever a person calls a run -> Scores: path, glob, frame, records, counts; LABEL=, ::RUN, @METRIC."""

from __future__ import annotations

import dataclasses
import difflib
import glob
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from evalstats.data.builder import build
from evalstats.data.scores import BenchmarkScores, Header, Scores
from evalstats.envelope import Input
from evalstats.errors import InputError
from evalstats.readers import frame, records
from evalstats.readers.columns import Choice
from evalstats.readers.detect import read_path
from evalstats.readers.raw_table import RawTable

Run = Any  # a path, glob, data frame (pandas, Polars, PyArrow, DuckDB), list of dicts, counts or Scores

_COUNTS = re.compile(r"^\s*(\d+)\s*/\s*(\d+)\s*$")


@dataclass(frozen=True)
class Source:
    """One run as it was named: scores or counts (k of n), what it is called, which metric was asked."""

    scores: Scores | None
    label: str | None
    path: str
    argument: str = ""
    files: tuple[Path, ...] = ()
    run: str | None = None
    metric: str | None = None
    counts: tuple[int, int] | None = None

    @cached_property
    def hashes(self) -> tuple[str, ...]:
        """Of the files behind the run, in their order."""
        return tuple(file_digest(file) for file in self.files)

    def inputs(self, role: str, label: str) -> tuple[Input, ...]:
        """Each file behind the run with its hash, for the provenance."""
        if self.scores is None:
            return (Input(role, label, self.path, None, "counts", ""),)
        chosen = self.scores if self.run is None else self.scores.run(self.run)
        first = chosen.benchmarks[0].header
        if not self.files:
            return (Input(role, label, self.path, None, first.format, first.model),)
        return tuple(
            Input(role, label, str(f), file_digest(f), first.format, first.model) for f in self.files
        )


def read(run: Run, *, id: str | None = None, fields: Sequence[str] = ()) -> Scores:
    """Everything one source holds: all runs, benchmarks, metrics, items, completions.

    run : a path, a folder, a glob, a data frame, a list of dicts, or Scores. id, fields : metadata to
    read even where it is long. Raises InputError for what cannot be read.

    >>> scores = read([{"id": "q1", "score": 1}, {"id": "q2", "score": 0}])
    >>> len(scores.benchmarks[0].items)
    2
    """
    source = named_source(run, Wanted.of(id, *fields))
    if source.scores is None:
        raise InputError(f"{run!r} is counts, not scores by item: there is nothing to read.")
    return source.scores if source.run is None else source.scores.run(source.run)


@dataclass(frozen=True)
class Wanted:
    """What will be asked of a source, and so must be read of it.

    fields : metadata to read even where it is long, and the value of --cluster. choice : columns of a
    table that do not speak for themselves.
    """

    fields: frozenset[str] = frozenset()
    choice: Choice = field(default_factory=Choice)

    @classmethod
    def of(
        cls,
        id_field: str | None,
        *fields: str | None,
        metric: str | None = None,
        columns: tuple[str, ...] = (),
    ) -> Wanted:
        """From --id (of one side), the fields of other options, --metric, and the metrics of a ratio."""
        names = {name for name in (id_field, *fields) if name}
        return cls(frozenset(names), Choice((id_field,) if id_field else (), metric, columns))


def named_source(run: Run, wanted: Wanted) -> Source:
    """Read what one argument names. Raises InputError for what cannot be found or read."""
    if isinstance(run, Scores):
        return Source(run, None, "scores in memory")
    if isinstance(run, str | Path):
        found = _from_path(str(run), wanted) if isinstance(run, Path) else _from_text(run, wanted)
        return dataclasses.replace(found, argument=str(run))
    return _from_memory(run, wanted)


def single_run(source: Source, name: str | None = None) -> Scores:
    """The one run of a source; `name`, or ::NAME, chooses. Raises InputError that lists them if several."""
    assert source.scores is not None
    chosen = name or source.run
    if chosen is not None:
        return source.scores.run(chosen)
    if len(source.scores.runs) > 1:
        in_memory = not source.argument
        forms = [
            f"  read(...).run({run!r})" if in_memory else f"  {source.path}::{run}"
            for run in source.scores.runs[:20]
        ]
        listed = "\n".join(forms)
        more = f"\n  and {len(source.scores.runs) - 20} more" if len(source.scores.runs) > 20 else ""
        raise InputError(f"{source.path} holds several runs; name one:\n{listed}{more}")
    return source.scores


def _from_text(text: str, wanted: Wanted) -> Source:
    if not text.strip():
        raise InputError("a run is empty text; name a log file, a folder of logs, or counts such as 360/500.")
    if Path(text).exists():
        return _from_path(text, wanted)
    counts = _COUNTS.match(text)
    if counts:
        return _from_counts(text, int(counts[1]), int(counts[2]))
    label, path = _label(text)
    if path != text and _COUNTS.match(path):
        source = _from_text(path, wanted)
        return Source(None, label, source.path, counts=source.counts)
    path, run, metric = _suffixes(path)
    if metric is not None:
        wanted = dataclasses.replace(wanted, choice=dataclasses.replace(wanted.choice, metric=metric))
    found = _from_path(path, wanted)
    return dataclasses.replace(found, label=label, run=run, metric=metric)


def _label(text: str) -> tuple[str | None, str]:
    """LABEL=PATH, where PATH (up to its suffixes) is there or is counts."""
    label, equals, path = text.partition("=")
    if equals and label and "/" not in label:
        stem = _suffixes(path)[0]
        if Path(stem).exists() or glob.glob(stem) or _COUNTS.match(path):
            return label, path
    return None, text


def _suffixes(text: str) -> tuple[str, str | None, str | None]:
    """PATH::RUN@METRIC, split after the longest path that exists."""
    if Path(text).exists():
        return text, None, None
    for mark in reversed(list(re.finditer("::|@", text))):
        path, rest = text[: mark.start()], text[mark.end() :]
        if not path or not (Path(path).exists() or glob.glob(path)):
            continue
        if not rest:
            raise InputError(
                f"{text} names no {'metric' if mark.group() == '@' else 'run'}: leave {mark.group()} out."
            )
        if mark.group() == "@":
            return path, None, rest
        run, _, metric = rest.partition("@")
        return path, run, metric or None
    return text, None, None


def _from_path(text: str, wanted: Wanted) -> Source:
    path = Path(text)
    if path.exists():
        scores = read_path(path, wanted.fields, wanted.choice)
        return Source(scores, None, text, files=_files(scores))
    matches = sorted(glob.glob(text, recursive=True))
    if not matches:
        raise InputError(_not_found(text))
    scores = _together([read_path(Path(match), wanted.fields, wanted.choice) for match in matches])
    return Source(scores, None, text, files=_files(scores))


def _together(many: list[Scores]) -> Scores:
    """What several files hold. A log that one reads with it may be matched itself: it is taken once."""
    parts: dict[tuple[str, str, str], BenchmarkScores] = {}
    groups: dict[tuple[str, str, str], Header] = {}
    for one in many:
        for part in one:
            parts.setdefault((part.header.path, part.header.run, part.benchmark), part)
        for group in one.groups:
            groups.setdefault((group.path, group.run, group.benchmark), group)
    notes = dict.fromkeys(note for one in many for note in one.notes)
    return Scores(tuple(parts.values()), tuple(groups.values()), tuple(notes))


def _files(scores: Scores) -> tuple[Path, ...]:
    headers = [part.header for part in scores] + list(scores.groups)
    paths = [path for header in headers for path in (header.path, *header.also_read)]
    return tuple(Path(path) for path in dict.fromkeys(paths))


def _not_found(text: str) -> str:
    path = Path(text)
    folder = path.parent if str(path.parent) else Path(".")
    names = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
    near = difflib.get_close_matches(path.name, names, n=1)
    hint = f" Did you mean {str(folder / near[0])!r}?" if near else ""
    return (
        f"no file, folder or glob {text!r}.{hint} "
        f"A run is a log file, a folder of logs, or counts such as 360/500."
    )


def _from_counts(text: str, k: int, n: int) -> Source:
    if n == 0 or k > n:
        raise InputError(f"{text} is no count of right answers: write K/N with K from 0 to N and N above 0.")
    return Source(None, None, text.strip(), counts=(k, n))


def _from_memory(run: Run, wanted: Wanted) -> Source:
    if frame.is_frame(run):
        return Source(build(frame.rows(run, wanted.fields, choice=wanted.choice)), None, "data frame")
    if isinstance(run, Sequence | Mapping):
        return Source(build(records.rows(run, wanted.fields, choice=wanted.choice)), None, "records")
    raise InputError(
        f"a {type(run).__name__} is no run. A run is a path, a glob, a data frame, a list of dicts, "
        f"counts such as '360/500', or what read() returned."
    )


def argument_of(table: RawTable) -> str:
    """As it was named; "" for one held in memory, which no command names."""
    return "" if table.file is None else table.path


def table_inputs(table: RawTable, role: str) -> tuple[Input, ...]:
    """The file behind a table, with its hash."""
    digest = None if table.file is None else file_digest(table.file)
    return (Input(role, table.path, table.path, digest, table.format, ""),)


def file_digest(path: Path) -> str:
    """The SHA-256 of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
