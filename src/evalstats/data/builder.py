"""A stream of headers and rows in, Scores out. Ids and field values are held once, as codes."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping

import numpy as np

from evalstats.data.scores import (
    MISSING,
    STATUSES,
    BenchmarkScores,
    Exchange,
    Field,
    Header,
    Items,
    MetricScores,
    Row,
    Scalar,
    Scores,
)
from evalstats.errors import LARGEST, InputError, too_large

LONGEST_FIELD = 200  # characters: longer values are texts, not groups
LONGEST_TEXT = 4000  # characters of a prompt or an answer that are kept


def build(stream: Iterable[Header | Row]) -> Scores:
    """Intern one source's stream. A row belongs to the header with its run and benchmark.

    Raises InputError for a row without a header, for an item and completion that is scored twice
    with different scores, and for a source without a single row.
    """
    builder = ScoresBuilder()
    for record in stream:
        if isinstance(record, Row):
            builder.add(record)
        else:
            builder.open(record)
    return builder.finish()


class ScoresBuilder:
    """Collects rows by (run, benchmark); the same pair opened again is another log and stands apart."""

    def __init__(self) -> None:
        self._parts: list[_Part] = []
        self._open: dict[tuple[str, str], _Part] = {}
        self._groups: list[Header] = []

    def open(self, header: Header) -> None:
        if header.members:
            self._groups.append(header)
            return
        part = _Part(header)
        self._parts.append(part)
        self._open[header.run, header.benchmark] = part

    def add(self, row: Row) -> None:
        part = self._open.get((row.run, row.benchmark))
        if part is None:
            raise InputError(
                f"item {row.item!r} has no header for run {row.run!r} on {row.benchmark!r}: a reader opens "
                f"each run and benchmark before its rows."
            )
        part.add(row)

    def finish(self) -> Scores:
        filled = [part.finish() for part in self._parts if part.metrics]
        if not filled:
            where = self._parts[0].header.path if self._parts else "the source"
            raise InputError(f"{where} holds no scored item. Is it the log with the samples in it?")
        return Scores(tuple(filled), tuple(self._groups))


class _Part:
    """The growing tables of one run on one benchmark."""

    def __init__(self, header: Header) -> None:
        self.header = header
        self.codes: dict[str, int] = {}
        self.hashes: list[str] = []
        self.prompts: list[str] = []
        self.fields: dict[str, _FieldColumn] = {}
        self.metrics: dict[str, _MetricColumn] = {}
        self.exchanges: dict[tuple[int, int], Exchange] = {}

    def add(self, row: Row) -> None:
        code = self.codes.setdefault(row.item, len(self.codes))
        if code == len(self.hashes):
            self.hashes.append(row.hash)
            self.prompts.append(row.prompt)
        if row.fields:
            self._add_fields(code, row.fields)
        if row.exchange is not None and (code, row.epoch) not in self.exchanges:
            self.exchanges[code, row.epoch] = Exchange(*map(_cut, row.exchange))
        column = self.metrics.get(row.metric)
        if column is None:
            column = self.metrics[row.metric] = _MetricColumn(row.metric)
        column.add(code, row, self.header.path)

    def _add_fields(self, code: int, fields: Mapping[str, Scalar]) -> None:
        for name, value in fields.items():
            text = _scalar_text(value)
            if len(text) <= LONGEST_FIELD:
                self.fields.setdefault(name, _FieldColumn()).put(code, text)

    def finish(self) -> BenchmarkScores:
        items = Items(
            tuple(self.codes),
            tuple(self.hashes),
            tuple(self.prompts),
            {name: column.finish(len(self.codes)) for name, column in self.fields.items()},
        )
        metrics = tuple(column.finish(self.header, items.ids) for column in self.metrics.values())
        return BenchmarkScores(self.header, items, metrics, self.exchanges)


class _FieldColumn:
    def __init__(self) -> None:
        self.codes = array("i")
        self.values: dict[str, int] = {}

    def put(self, item: int, text: str) -> None:
        while len(self.codes) <= item:
            self.codes.append(-1)
        if self.codes[item] < 0:
            self.codes[item] = self.values.setdefault(text, len(self.values))

    def finish(self, n_items: int) -> Field:
        codes = np.full(n_items, -1, dtype=np.int32)
        codes[: len(self.codes)] = self.codes
        return Field(codes, tuple(self.values))


class _MetricColumn:
    def __init__(self, metric: str) -> None:
        self.metric = metric
        self.item, self.epoch = array("i"), array("i")
        self.score, self.status = array("d"), array("B")

    def add(self, code: int, row: Row, path: str) -> None:
        score = math.nan if row.score is None or row.status != "scored" else float(row.score)
        if math.isinf(score):
            raise InputError(
                f"{path}: item {row.item!r} has an infinite {row.metric}. Remove it or leave it empty."
            )
        if abs(score) > LARGEST:
            raise too_large(f"{path}: item {row.item!r} has a {row.metric} of", score)
        status = MISSING if math.isnan(score) and row.status == "scored" else STATUSES[row.status]
        self.item.append(code)
        self.epoch.append(row.epoch)
        self.score.append(score)
        self.status.append(status)

    def finish(self, header: Header, ids: tuple[str, ...]) -> MetricScores:
        item, epoch = np.array(self.item, np.int32), np.array(self.epoch, np.int32)
        score, status = np.array(self.score, np.float64), np.array(self.status, np.uint8)
        order = np.lexsort((epoch, item))
        again = (np.diff(item[order]) == 0) & (np.diff(epoch[order]) == 0)
        first, second = order[:-1][again], order[1:][again]
        differ = (score[first] != score[second]) & ~(np.isnan(score[first]) & np.isnan(score[second]))
        if differ.any():
            one, two = int(first[differ][0]), int(second[differ][0])
            said = ["no score" if math.isnan(score[at]) else f"{score[at]:g}" for at in (one, two)]
            raise InputError(
                f"{header.path}: item {ids[item[one]]!r} (completion {epoch[one]}) is scored twice by "
                f"{self.metric}, {said[0]} and {said[1]}. Remove one, or number the completions."
            )
        keep = np.ones(len(item), dtype=bool)
        keep[second] = False
        return MetricScores(
            self.metric,
            item[keep],
            epoch[keep],
            score[keep],
            status[keep],
            header.bounds.get(self.metric),
            header.higher_is_better.get(self.metric),
            int((~keep).sum()),
        )


def _cut(text: str) -> str:
    """A text as far as it is kept, and how long it was."""
    if len(text) <= LONGEST_TEXT:
        return text
    return f"{text[:LONGEST_TEXT]}\n[cut here: it has {len(text):,} characters]"


def _scalar_text(value: Scalar) -> str:
    """Fields are compared as text: true, 3 and 3.0 read the same in every format."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
