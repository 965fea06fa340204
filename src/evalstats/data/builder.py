"""A stream of headers and rows in, Scores out. Ids and field values are held once, as codes."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.data.scores import (
    MISSING,
    NO_BYTE,
    SCORED,
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
_NO_SCORE = math.nan  # this very object, by which a dict finds it
_BYTE_OF = {**{float(byte): byte for byte in range(NO_BYTE)}, _NO_SCORE: NO_BYTE}  # also of 1 and True


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


class _ScoreColumn:
    """Scores as bytes while all are whole numbers under 255, as floats from the first that is not."""

    def __init__(self) -> None:
        self.numbers: array[Any] = array("B")
        self.add: Callable[[float], None] = self._add_byte

    def _add_byte(self, score: float) -> None:
        try:
            self.numbers.append(_BYTE_OF[score])
        except KeyError:
            self.numbers = array("d", (_NO_SCORE if byte == NO_BYTE else byte for byte in self.numbers))
            self.add = self.numbers.append
            self.add(score)

    def finish(self) -> NDArray[np.uint8] | NDArray[np.float64]:
        return np.array(self.numbers)


class _MetricColumn:
    def __init__(self, metric: str) -> None:
        self.metric = metric
        self.item, self.epoch = array("i"), array("i")
        self.score, self.status = _ScoreColumn(), array("B")

    def add(self, code: int, row: Row, path: str) -> None:
        score, status = row.score, STATUSES[row.status]
        if status == SCORED and (score is None or score != score):
            status = MISSING
        if status != SCORED or score is None:
            score = _NO_SCORE
        elif not -LARGEST <= score <= LARGEST:
            raise self._beyond(row, float(score), path)
        self.item.append(code)
        self.epoch.append(row.epoch)
        self.score.add(score)
        self.status.append(status)

    def _beyond(self, row: Row, score: float, path: str) -> InputError:
        if math.isinf(score):
            return InputError(
                f"{path}: item {row.item!r} has an infinite {row.metric}. Remove it or leave it empty."
            )
        return too_large(f"{path}: item {row.item!r} has a {row.metric} of", score)

    def finish(self, header: Header, ids: tuple[str, ...]) -> MetricScores:
        item, epoch = np.array(self.item, np.int32), np.array(self.epoch, np.int32)
        score, status = self.score.finish(), np.array(self.status, np.uint8)
        keep = np.ones(len(item), dtype=bool)
        if not _ascending(item, epoch):
            self._drop_repeated(keep, (item, epoch, score, status), (header.path, ids))
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

    def _drop_repeated(
        self, keep: NDArray[np.bool_], columns: tuple[NDArray[Any], ...], named: tuple[str, tuple[str, ...]]
    ) -> None:
        """Unset `keep` for a second row of an item and completion; InputError if the scores differ."""
        item, epoch, score, status = columns
        order = np.lexsort((epoch, item))
        again = (np.diff(item[order]) == 0) & (np.diff(epoch[order]) == 0)
        first, second = order[:-1][again], order[1:][again]
        scored = status == SCORED
        differ = (scored[first] != scored[second]) | (scored[first] & (score[first] != score[second]))
        if differ.any():
            path, ids = named
            one, two = int(first[differ][0]), int(second[differ][0])
            said = [f"{score[at]:g}" if scored[at] else "no score" for at in (one, two)]
            raise InputError(
                f"{path}: item {ids[item[one]]!r} (completion {epoch[one]}) is scored twice by "
                f"{self.metric}, {said[0]} and {said[1]}. Remove one, or number the completions."
            )
        keep[second] = False


def _ascending(item: NDArray[np.int32], epoch: NDArray[np.int32]) -> bool:
    """Whether every row is of a later item, or a later completion, than the one before: none is repeated."""
    step = np.diff(item)
    return bool(np.all((step > 0) | ((step == 0) & (np.diff(epoch) > 0))))


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
