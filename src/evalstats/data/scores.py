"""Scores: what every reader's rows become. One coded table per run and benchmark, nothing computed.

A reader yields `Header`s and `Row`s; `data.builder` interns them. An item is known by the harness's own
id, and by its content hash where the harness has one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalstats.errors import InputError

SCORED, ERRORED, MISSING = 0, 1, 2
NO_BYTE = 255  # of a row without a score, where scores are bytes
STATUSES = {"scored": SCORED, "error": ERRORED, "missing": MISSING}

Bounds = tuple[float, float]
Scalar = str | int | float | bool


TEXTS = "::texts"  # among the fields wanted of a reader: exchanges too. No field has such a name


class Exchange(NamedTuple):
    """One completion of an item: what was asked, wanted and answered; "" for what is not logged."""

    prompt: str
    target: str
    answer: str


class Row(NamedTuple):
    """One score: of one run, benchmark, metric, item and completion.

    score : None unless status is "scored". epoch : the completion, from 1.
    hash : of the item's content. prompt : hash of the prompt sent. fields : scalar metadata of the item.
    exchange : its texts, where TEXTS were wanted.
    """

    run: str
    benchmark: str
    metric: str
    item: str
    score: float | None
    epoch: int = 1
    status: str = "scored"
    hash: str = ""
    prompt: str = ""
    fields: Mapping[str, Scalar] | None = None
    exchange: Exchange | None = None


@dataclass(frozen=True)
class HarnessFigure:
    """A number the harness printed itself, to check our reading against.

    kind : "mean", or "standard_error". cluster : the field of a clustered standard error.
    """

    metric: str
    kind: str
    value: float
    cluster: str | None = None


@dataclass(frozen=True)
class Header:
    """What a log says about one run on one benchmark, apart from its rows.

    primary : metric that stands for the benchmark. bounds : scales the format fixes, by metric.
    cluster : field the harness declared. problem : why the log is not complete, "" if it is.
    members : benchmarks of which this one is a group score (then it has no rows of its own).
    also_read : other files that what is said here rests on, such as lm-eval's results beside the samples.
    positional : item ids are positions (lm-eval's doc_id, row numbers): they mean nothing in another source.
    blank : columns without any value beside those of the runs of a table.
    """

    run: str
    benchmark: str
    path: str
    format: str
    model: str = ""
    created: str = ""
    problem: str = ""
    config: Mapping[str, str] = field(default_factory=dict)
    primary: str | None = None
    bounds: Mapping[str, Bounds] = field(default_factory=dict)
    higher_is_better: Mapping[str, bool] = field(default_factory=dict)
    cluster: str | None = None
    harness: tuple[HarnessFigure, ...] = ()
    members: tuple[str, ...] = ()
    positional: bool = False
    also_read: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    blank: tuple[str, ...] = ()


@dataclass(frozen=True)
class Field:
    """One scalar metadata field of the items. codes : (items,) into values, −1 where absent."""

    codes: NDArray[np.int32]
    values: tuple[str, ...]

    def of(self, item: int) -> str | None:
        code = int(self.codes[item])
        return None if code < 0 else self.values[code]


@dataclass(frozen=True)
class Items:
    """The items of one run on one benchmark, in the order of the log. hashes, prompts: "" where absent."""

    ids: tuple[str, ...]
    hashes: tuple[str, ...]
    prompts: tuple[str, ...]
    fields: Mapping[str, Field]

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True)
class MetricScores:
    """The scores by one metric: (rows,) arrays, one row per item and completion.

    item : code into Items. score : bytes where all are whole numbers from 0 to 254, else floats; NO_BYTE or
    nan unless status is SCORED. bounds : fixed by the format, or None.
    duplicates : rows that repeated an item and completion with the same score and were left out.
    """

    metric: str
    item: NDArray[np.int32]
    epoch: NDArray[np.int32]
    score: NDArray[np.uint8] | NDArray[np.float64]
    status: NDArray[np.uint8]
    bounds: Bounds | None = None
    higher_is_better: bool | None = None
    duplicates: int = 0


@dataclass(frozen=True)
class BenchmarkScores:
    """One run on one benchmark: its items, its metrics, and what the log said about it.

    exchanges : the texts of (item code, epoch), where they were wanted.
    """

    header: Header
    items: Items
    metrics: tuple[MetricScores, ...]
    exchanges: Mapping[tuple[int, int], Exchange] = field(default_factory=dict)

    @property
    def benchmark(self) -> str:
        return self.header.benchmark

    @property
    def primary(self) -> str:
        """The metric that stands for the benchmark: the log's own choice, else the first."""
        names = [m.metric for m in self.metrics]
        return self.header.primary if self.header.primary in names else names[0]

    def metric(self, name: str) -> MetricScores:
        for metric in self.metrics:
            if metric.metric == name:
                return metric
        raise InputError(
            f"{self.benchmark} has no metric {name!r}; it has: {', '.join(m.metric for m in self.metrics)}."
        )


@dataclass(frozen=True)
class Scores:
    """All runs and benchmarks that one source holds."""

    benchmarks: tuple[BenchmarkScores, ...]
    groups: tuple[Header, ...] = ()
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[BenchmarkScores]:
        return iter(self.benchmarks)

    def __repr__(self) -> str:
        held = (f"{b.header.run}/{b.benchmark}: {len(b.items.ids)} items" for b in self.benchmarks)
        return f"<Scores {', '.join(held)}>"

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs, in the order of the source."""
        return tuple(dict.fromkeys(b.header.run for b in self.benchmarks))

    def run(self, name: str) -> Scores:
        """The part of one run. Raises InputError that lists the runs there are."""
        if name not in self.runs:
            raise InputError(f"no run {name!r} here; there are: {', '.join(self.runs)}.")
        return Scores(
            tuple(b for b in self.benchmarks if b.header.run == name),
            tuple(g for g in self.groups if g.run == name),
            self.notes,
        )
