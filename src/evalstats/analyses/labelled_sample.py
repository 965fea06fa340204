"""The file that people fill in: a blind sample of a run's answers, and how its labels come back by id.

One row a completion: id, benchmark and epoch where there are several, question, answer, and an empty label.
The judge's verdict is not in it. A blank label means not labelled.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.data.scores import SCORED, BenchmarkScores, MetricScores
from evalstats.errors import InputError, PairingError
from evalstats.readers.cells import Cell, is_empty, score_of, text_of, whole_number
from evalstats.readers.raw_table import RawTable, raw_table

ID, BENCHMARK, EPOCH, QUESTION, ANSWER, LABEL = COLUMNS = (
    "id", "benchmark", "epoch", "question", "answer", "label",
)  # fmt: skip
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would compute such a cell
_NAMED = 3


@dataclass(frozen=True)
class Asked:
    """One completion that a person is to label. benchmark, epoch : None where the run has one of them."""

    id: str
    question: str
    answer: str
    benchmark: str | None = None
    epoch: int | None = None


def sample_csv(rows: Sequence[Asked]) -> str:
    """The file to fill in, with the columns that tell its rows apart.

    >>> print(sample_csv([Asked("q7", "2 + 2?", "4")]), end="")
    id,question,answer,label
    q7,2 + 2?,4,
    """
    named = [name for name in COLUMNS if name not in (BENCHMARK, EPOCH) or _has(rows, name)]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(named)
    for row in rows:
        cells = {
            ID: row.id,
            BENCHMARK: row.benchmark,
            EPOCH: row.epoch,
            QUESTION: _as_text(row.question),
            ANSWER: _as_text(row.answer),
            LABEL: "",
        }
        writer.writerow([cells[name] for name in named])
    return text.getvalue()


def _has(rows: Sequence[Asked], name: str) -> bool:
    return any(getattr(row, name) is not None for row in rows)


def _as_text(text: str) -> str:
    """A text that no spreadsheet takes for a formula; numbers stay as they are."""
    if not text.startswith(_FORMULA):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text


@dataclass(frozen=True)
class Label:
    """What a person said of one completion. value : as it stands in the file; None where it is blank."""

    id: str
    benchmark: str | None
    epoch: int | None
    value: Cell


@dataclass(frozen=True)
class Labels:
    """A file of labels. table : what it was read from."""

    rows: tuple[Label, ...]
    table: RawTable

    @property
    def n_labelled(self) -> int:
        return sum(row.value is not None for row in self.rows)

    @property
    def n_blank(self) -> int:
        return len(self.rows) - self.n_labelled

    def of_benchmark(self, name: str) -> Labels:
        """The rows of one benchmark; those that name none are of any."""
        return Labels(tuple(row for row in self.rows if row.benchmark in (None, name)), self.table)


def is_label_table(table: RawTable) -> bool:
    """Whether it has the columns id and label."""
    names = set(_by_lower(table))
    return {ID, LABEL} <= names


def read_labels(source: Any) -> Labels:
    """The labels that a person filled in: a file that `agree sample` wrote, or any table with id and label.

    source : a path, a data frame, or a list of dicts. Raises InputError without the two columns, for a row
    without id, and where an item is labelled twice.

    >>> labels = read_labels([{"id": "q1", "label": 1}, {"id": "q2", "label": ""}])
    >>> labels.n_labelled, labels.n_blank
    (1, 1)
    """
    table = source if isinstance(source, RawTable) else raw_table(source)
    if not is_label_table(table):
        raise InputError(
            f"{table.path} has the columns {', '.join(table.columns)}: a file of labels has `id` and "
            "`label`. Rename them, or write one with: evalstats agree sample RUN --out labels.csv."
        )
    names = _by_lower(table)
    columns = [
        table.columns[names[name]] if name in names else None for name in (ID, BENCHMARK, EPOCH, LABEL)
    ]
    rows = tuple(
        _label(table, at, [None if cells is None else cells[at] for cells in columns])
        for at in range(len(table))
    )
    _check_unique(rows, table)
    return Labels(rows, table)


def _by_lower(table: RawTable) -> dict[str, str]:
    """Column by its name as the file of labels has it: spreadsheets and people capitalise."""
    return {name.strip().lower(): name for name in reversed(list(table.columns))}


def _label(table: RawTable, at: int, cells: Sequence[Cell]) -> Label:
    identity, benchmark, epoch, value = cells
    name = text_of(identity)
    if name is None:
        raise InputError(f"{table.path}, row {at + 1} has no id: fill it in, or delete the row.")
    return Label(name, text_of(benchmark), whole_number(epoch), None if is_empty(value) else value)


def _check_unique(rows: Iterable[Label], table: RawTable) -> None:
    counts = Counter((row.id, row.benchmark, row.epoch) for row in rows)
    twice = [key[0] for key, times in counts.items() if times > 1]
    if twice:
        raise InputError(
            f"{table.path} labels {len(twice)} completions more than once, {twice[0]!r} first: keep one "
            "row of each. Labels of several people go in columns of their own: --human A,B."
        )


@dataclass(frozen=True)
class Joined:
    """Labels beside a judge's scores, one entry a labelled completion that the judge scored.

    item, epoch : (n,) position in the run's Items, and which completion. human, judge : (n,) values.
    ids : of the n. n_blank : rows without a label. n_unscored : labelled completions without a score.
    """

    item: NDArray[np.int64]
    epoch: NDArray[np.int64]
    human: tuple[Cell, ...]
    judge: NDArray[np.float64]
    ids: tuple[str, ...]
    n_blank: int
    n_unscored: int

    @property
    def human_scores(self) -> NDArray[np.float64]:
        """The labels as numbers: pass, correct, C and the like are 1. Raises InputError for another word."""
        found = []
        for name, value in zip(self.ids, self.human, strict=True):
            try:
                found.append(float(score_of(value) or 0.0))
            except InputError as error:
                raise InputError(
                    f"the label of {name!r}: {error}. Label with numbers, or with words such as pass, fail."
                ) from None
        return np.array(found)


def joined(labels: Labels, part: BenchmarkScores, metric: MetricScores) -> Joined:
    """Each label with the score of the same completion of the run, by the harness's id.

    A row without epoch is of the item's first scored completion. Raises PairingError where a label's id is
    not in the run, and where nothing is labelled.
    """
    own = labels.of_benchmark(part.benchmark)
    place = {name: at for at, name in enumerate(part.items.ids)}
    unknown = [row.id for row in own.rows if row.id not in place]
    if unknown:
        named = ", ".join(map(repr, unknown[:_NAMED]))
        raise PairingError(
            f"{len(unknown)} of {len(own.rows)} ids of {labels.table.path} are not in {part.header.path} "
            f"({named}): the run has {part.items.ids[0]!r} and {len(place) - 1} more. Is it the run that the "
            "sample was drawn from?"
        )
    scores = _scored(metric)
    first = dict(reversed(scores))  # the earlier completion of an item comes last and stays
    keys = [(place[row.id], row.epoch or first.get(place[row.id], 1)) for row in own.rows]
    labelled = [(key, row) for key, row in zip(keys, own.rows, strict=True) if row.value is not None]
    if not labelled:
        raise PairingError(
            f"{labels.table.path} holds no label of {part.benchmark}: fill in its column `label`."
        )
    both = [(key, row) for key, row in labelled if key in scores]
    return Joined(
        np.array([item for (item, _), _ in both], dtype=np.int64),
        np.array([epoch for (_, epoch), _ in both], dtype=np.int64),
        tuple(row.value for _, row in both),
        np.array([scores[key] for key, _ in both]),
        tuple(row.id for _, row in both),
        len(own.rows) - len(labelled),
        len(labelled) - len(both),
    )


def _scored(metric: MetricScores) -> dict[tuple[int, int], float]:
    """(item, epoch) -> score, in the order of the log."""
    scored = metric.status == SCORED
    columns = (metric.item[scored], metric.epoch[scored], metric.score[scored])
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return {(item, epoch): score for item, epoch, score in sorted(rows)}
