"""lm-evaluation-harness: results_<time>.json with one samples_<task>_<time>.jsonl a task.

A line is one document under one filter. `doc_id` is a position in the split, `doc_hash` the content;
documents that occur twice have one hash and are told apart by an occurrence number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from evalstats.data.scores import TEXTS, Exchange, Header, Row, Scalar
from evalstats.errors import InputError
from evalstats.readers import lm_eval_results as harness
from evalstats.readers.archive import decoded, head, lines
from evalstats.readers.fields import plain_names, scalar_fields
from evalstats.readers.lm_eval_texts import exchange_of

_RESULTS = re.compile(rb'\s*\{\s*"results"\s*:\s*\{')
_SAMPLE = re.compile(rb'\s*\{\s*"doc_id"\s*:\s*[^,{]+,\s*"doc"\s*:')
_SAMPLES_NAME = re.compile(r"samples_(?P<task>.+)_(?P<time>[^_]+?)\.jsonl(\.\w+)?$")
_RESULTS_NAME = re.compile(r"_(?P<time>[^_]+?)\.json(\.\w+)?$")
_NOT_METRICS = frozenset(
    {
        *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
        *("doc_hash", "prompt_hash", "target_hash"),
    }
)
_HASH = 24  # characters of a hash that are kept: 96 bits tell any two documents apart
_MOST_POSITIONS = 2**27
# Texts of the question and its answer: never a cluster or a slice, and as long as the log if kept.
_TEXTS = frozenset(
    {
        *("question", "query", "input", "text", "prompt", "context", "passage"),
        *("answer", "answers", "target", "choices"),
    }
)


def detect(path: Path, start: bytes) -> bool:
    """A results file or a samples file, by its first bytes."""
    if _RESULTS.match(start):
        return b'"alias"' in start or b"_stderr" in start
    return bool(_SAMPLE.match(start)) or (b'"doc_id"' in start and b'"filtered_resps"' in start)


def parts(path: Path) -> tuple[Path, ...]:
    """The samples files that are read with a results file."""
    return tuple(_samples_beside(path).values()) if not _SAMPLES_NAME.match(path.name) else ()


def rows(path: Path, wanted: frozenset[str]) -> Iterator[Header | Row]:
    """Every task of a results file, or the one of a samples file, then the groups.

    Raises InputError for a file that cannot be read, naming the line.
    """
    wanted = plain_names(wanted, "doc.")
    if not _RESULTS.match(head(path)):
        named = _SAMPLES_NAME.match(path.name)
        task, time = (named["task"], named["time"]) if named else (path.stem, "")
        beside = _results_beside(path, time)
        results = harness.read_results(beside) if beside else None
        yield from _task_rows(_Task(task, path, results, time, beside), wanted)
        return
    results, time = harness.read_results(path), _time(path)
    samples = _samples_beside(path)
    run = harness.model_name(results, _folder(path))
    for task in results.tasks:
        if task in samples:
            yield from _task_rows(_Task(task, samples[task], results, time, path), wanted)
        else:
            why = "only its averages are here: lm-eval writes the score of each item with --log_samples"
            yield Header(run, task, str(path), "lm_eval", run, _clock(time), why, positional=True)
    yield from harness.group_headers(results, path, run, _clock(time))


@dataclass(frozen=True)
class _Task:
    """One task of one run: its samples file, and the results file if there is one."""

    name: str
    path: Path
    results: harness.Results | None
    time: str
    results_path: Path | None


@dataclass(frozen=True)
class _Layout:
    """What the lines of one samples file hold. metrics : scores of single items; skipped : the others.

    filters : in the order of the run. numbered : old lines do not name their filter, the n-th line of a
    document is under the n-th.
    """

    metrics: tuple[str, ...]
    skipped: tuple[str, ...]
    filters: tuple[str, ...]
    numbered: bool


class _Named(msgspec.Struct):
    filter: str = "none"


class _Line(msgspec.Struct):
    """What every line holds; `_line_type` adds the metrics. arguments and resps are skipped undecoded."""

    doc_id: int | str | float
    doc: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    filter: str | msgspec.UnsetType = msgspec.UNSET
    metrics: list[str] | None = None
    doc_hash: str | None = None
    prompt_hash: str | None = None


class _LineWithTexts(_Line):
    """For whoever asks for prompts and answers."""

    arguments: Any = None
    resps: Any = None
    target: Any = None


_FIRST = msgspec.json.Decoder(dict[str, Any])
_NAMED = msgspec.json.Decoder(_Named)
_DOCUMENT = msgspec.json.Decoder(Any)


def _task_rows(task: _Task, wanted: frozenset[str]) -> Iterator[Header | Row]:
    layout = _layout(task)
    header = _header(task, layout)
    yield header
    if layout is None:
        return
    kind = _LineWithTexts if TEXTS in wanted else _Line
    names, decoder = layout.metrics, _line_decoder(layout.metrics, kind)
    items = _Items(header, layout, wanted)
    for number, line in lines(task.path):
        record = decoded(line, decoder, task.path, number)
        new = [m for m in record.metrics or () if m not in names and m not in layout.skipped]
        if new:
            names = (*names, *new)
            decoder = _line_decoder(names, kind)
            record = decoded(line, decoder, task.path, number)
        yield from items.rows(record, names, number)


class _Items:
    """Which documents were seen, to give each its hash with occurrence, and its fields once."""

    def __init__(self, header: Header, layout: _Layout, wanted: frozenset[str]) -> None:
        self._header, self._layout, self._path = header, layout, Path(header.path)
        self._wanted, self._unwanted = wanted, _TEXTS - wanted
        self._seen = _Seen()
        self._hashes: set[str] = set()
        self._again: dict[str, int] = {}
        self._lines: dict[str, int] = {}
        self._full_names: dict[tuple[str, str], str] = {}

    def rows(self, record: Any, names: tuple[str, ...], number: int) -> Iterator[Row]:
        """One row a metric; hash, prompt and fields stand on the first row of a document."""
        item = _id_text(record.doc_id)
        filter_name = self._filter(item, record.filter)
        content = prompt = ""
        fields: dict[str, Scalar] | None = None
        texts: Exchange | None = None
        if self._seen.first(record.doc_id):
            content, prompt = self._occurrence(record.doc_hash or ""), (record.prompt_hash or "")[:_HASH]
            fields = self._fields(record.doc, number)
            texts = exchange_of(record) if isinstance(record, _LineWithTexts) else None
        for at, metric in enumerate(names):
            value = getattr(record, f"m{at}")
            if value is msgspec.UNSET:
                continue
            score = self._score(value, metric, number)
            status = "missing" if score is None else "scored"
            name = self._full_names.get((metric, filter_name)) or self._name(metric, filter_name)
            yield Row(
                self._header.run,
                self._header.benchmark,
                name,
                item,
                score,
                1,
                status,
                content,
                prompt,
                fields,
                texts,
            )
            fields = texts = None

    def _name(self, metric: str, filter_name: str) -> str:
        return self._full_names.setdefault((metric, filter_name), f"{metric},{filter_name}")

    def _filter(self, item: str, named: str | msgspec.UnsetType) -> str:
        if not self._layout.numbered:
            return named if isinstance(named, str) else "none"
        nth = self._lines.get(item, 0)
        self._lines[item] = nth + 1
        filters = self._layout.filters
        return filters[min(nth, len(filters) - 1)]

    def _occurrence(self, content: str) -> str:
        content = content[:_HASH]
        if not content or content not in self._hashes:
            self._hashes.add(content)
            return content
        self._again[content] = self._again.get(content, 1) + 1
        return f"{content}#{self._again[content]}"

    def _fields(self, raw: msgspec.Raw | msgspec.UnsetType, number: int) -> dict[str, Scalar] | None:
        if raw is msgspec.UNSET:
            return None
        document = decoded(bytes(raw), _DOCUMENT, self._path, number)
        if not isinstance(document, dict):
            return None
        for name in self._unwanted & document.keys():
            del document[name]
        return scalar_fields(document, self._wanted)

    def _score(self, value: Any, metric: str, number: int) -> float | None:
        if value is None or (isinstance(value, float) and not math.isfinite(value)):
            return None
        if isinstance(value, bool | int | float):
            return float(value)
        raise InputError(
            f"{self._path}, line {number}: {metric} is {str(value)[:40]!r}, not a number. "
            f"Mend that line, or leave the value empty."
        )


class _Seen:
    """Which documents had a line: a bit each where ids are positions, for files of millions of them."""

    def __init__(self) -> None:
        self._bits, self._others = bytearray(), set[int | str | float]()

    def first(self, doc_id: int | str | float) -> bool:
        if not isinstance(doc_id, int) or not 0 <= doc_id < _MOST_POSITIONS:
            new = doc_id not in self._others
            self._others.add(doc_id)
            return new
        at, bit = doc_id >> 3, 1 << (doc_id & 7)
        if at >= len(self._bits):
            self._bits.extend(bytes(at + 1 - len(self._bits)))
        new = not self._bits[at] & bit
        self._bits[at] |= bit
        return new


def _header(task: _Task, layout: _Layout | None) -> Header:
    results, layout = task.results, layout or _Layout((), (), (), False)
    run = harness.model_name(results, _folder(task.path))
    full = [f"{metric},{name}" for name in layout.filters for metric in layout.metrics]
    better = results.higher_is_better.get(task.name, {}) if results else {}
    return Header(
        run=run,
        benchmark=task.name,
        path=str(task.path),
        format="lm_eval",
        model=run,
        created=_clock(task.time),
        problem="" if layout.metrics or layout.skipped else "its samples file is empty",
        config=harness.settings(results, task.name) if results else {},
        primary=_primary(task, layout),
        bounds=harness.bounds(full),
        higher_is_better={n: b for n in full if isinstance(b := better.get(n.partition(",")[0]), bool)},
        harness=harness.harness_figures(results, task.name) if results else (),
        positional=True,
        also_read=(str(task.results_path),) if task.results_path else (),
        notes=tuple(f"{metric} is no score of single items and was left out" for metric in layout.skipped),
    )


def _primary(task: _Task, layout: _Layout) -> str | None:
    """The first metric of the task's list under its last filter (DESIGN, Selecting)."""
    if not layout.metrics or not layout.filters:
        return None
    listed = harness.listed_metrics(task.results, task.name) if task.results else []
    metric = next((name for name in listed if name in layout.metrics), layout.metrics[0])
    return f"{metric},{layout.filters[-1]}"


def _layout(task: _Task) -> _Layout | None:
    """From the first line and the results; without results, the filters are read off all lines."""
    for number, line in lines(task.path):
        first = decoded(line, _FIRST, task.path, number)
        break
    else:
        return None
    named = first.get("metrics")
    metrics = list(named) if isinstance(named, list) else [key for key in first if key not in _NOT_METRICS]
    skipped = [
        m for m in metrics if harness.of_the_whole_set(m) or isinstance(first.get(m), list | dict | str)
    ]
    known = task.results.filters(task.name) if task.results else ()
    filters = known or _filters(task.path)
    single = tuple(metric for metric in metrics if metric not in skipped)
    return _Layout(single, tuple(skipped), filters, numbered="filter" not in first and len(filters) > 1)


def _filters(path: Path) -> tuple[str, ...]:
    return tuple(dict.fromkeys(decoded(line, _NAMED, path, number).filter for number, line in lines(path)))


def _line_decoder(metrics: tuple[str, ...], kind: type[_Line]) -> msgspec.json.Decoder[Any]:
    """A line type with one attribute m0, m1, ... a metric: typed decoding skips all that is not named."""
    fields = [
        (f"m{at}", Any, msgspec.field(name=name, default=msgspec.UNSET)) for at, name in enumerate(metrics)
    ]
    return msgspec.json.Decoder(msgspec.defstruct("Line", fields, bases=(kind,)))


def _samples_beside(path: Path) -> dict[str, Path]:
    """task -> samples file with the same time stamp in the same folder."""
    matches = [(_SAMPLES_NAME.match(file.name), file) for file in sorted(path.parent.iterdir())]
    return {m["task"]: file for m, file in matches if m is not None and m["time"] == _time(path)}


def _results_beside(path: Path, time: str) -> Path | None:
    for file in sorted(path.parent.iterdir()) if time else ():
        if _time(file) == time and not _SAMPLES_NAME.match(file.name):
            return file
    return None


def _time(path: Path) -> str:
    """The time stamp of a results file's name: what follows the last underscore."""
    named = _RESULTS_NAME.search(path.name)
    return named["time"] if named else ""


def _clock(time: str) -> str:
    """2026-11-30T18-33-06.9 as 2026-11-30T18:33:06.9."""
    day, mark, clock = time.partition("T")
    return f"{day}{mark}{clock.replace('-', ':')}"


def _folder(path: Path) -> str:
    return path.resolve().parent.name


def _id_text(value: int | str | float) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
