"""Batches of columns -> headers and rows: the one path of files, frames and records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from evalstats.data.builder import LONGEST_FIELD
from evalstats.data.scores import TEXTS, Exchange, Header, Row, Scalar
from evalstats.errors import InputError
from evalstats.readers.cells import Cell, field_of, says_error, score_of, status_of, text_of, whole_number
from evalstats.readers.columns import SAMPLE_ROWS, Choice, Columns, detect_columns
from evalstats.readers.fields import scalar_fields
from evalstats.readers.names import ANSWER_TEXT, ERROR, INDEX, PROMPT_TEXT, TARGET_TEXT, plain

BENCHMARK = "scores"  # of a table that names none
RUN_METRIC = "score"  # of a table with a column for each run
DEEPEST = 4  # levels of nested objects that become dotted columns


@dataclass(frozen=True)
class Batch:
    """Some rows as columns of equal length. places : the line or row of each, for errors."""

    columns: Mapping[str, Sequence[Cell]]
    places: Sequence[int]


@dataclass(frozen=True)
class Carrier:
    """What holds the table. run : its name where no column gives one. unit : what a place counts."""

    run: str
    path: str
    format: str
    unit: str = "row"


def table_rows(
    batches: Iterable[Batch], carrier: Carrier, wanted: frozenset[str], choice: Choice | None = None
) -> Iterator[Header | Row]:
    """Headers and rows of one table; its columns are told from the first rows.

    wanted : columns to keep as fields, however long their texts. Raises InputError that names the place
    of a cell that cannot be read, and for a table without a row or without a score column.
    """
    maker: _RowMaker | None = None
    for batch in batches:
        flat = Batch(flat_columns(batch.columns), batch.places)
        if not flat.places:
            continue
        if maker is None:
            sample = {name: cells[:SAMPLE_ROWS] for name, cells in flat.columns.items()}
            nested = sample.keys() - batch.columns.keys()
            try:
                columns = detect_columns(sample, choice, wanted, nested)
            except InputError as error:
                raise InputError(f"{carrier.path}: {error}") from None
            maker = _RowMaker(carrier, columns, wanted)
        yield from maker.rows(flat)
    if maker is None:
        raise InputError(
            f"{carrier.path} holds no rows. Wanted is one row an item: was the run stopped too early?"
        )


def check_names(names: Iterable[object], label: str) -> None:
    """Raise InputError for two columns of one name."""
    repeated = [name for name, times in Counter(map(str, names)).items() if times > 1]
    if repeated:
        raise InputError(f"{label} has two columns called {repeated[0]!r}. Give each column its own name.")


def flat_columns(columns: Mapping[str, Sequence[Cell]], depth: int = 0) -> dict[str, Sequence[Cell]]:
    """Columns of nested objects as dotted columns: metadata.topic."""
    flat: dict[str, Sequence[Cell]] = {}
    for name, cells in columns.items():
        if not any(isinstance(cell, dict) for cell in cells):
            flat[name] = cells
            continue
        if any(cell is not None and not isinstance(cell, dict) for cell in cells):
            flat[name] = [None if isinstance(cell, dict) else cell for cell in cells]
        objects = [cell if isinstance(cell, dict) else {} for cell in cells]
        keys = dict.fromkeys(str(key) for one in objects for key in one)
        inner = {f"{name}.{key}": [one.get(key) for one in objects] for key in keys}
        for dotted, values in (flat_columns(inner, depth + 1) if depth < DEEPEST else {}).items():
            flat.setdefault(dotted, values)
    return flat


@dataclass
class _RowMaker:
    """Turns batches to rows under one reading of the columns, and remembers what must be consistent."""

    carrier: Carrier
    columns: Columns
    wanted: frozenset[str]
    opened: set[tuple[str, str]] = field(default_factory=set)
    seen: dict[tuple[str, str, str], dict[str, int]] = field(default_factory=dict)
    configurations: dict[str, tuple[str | None, ...]] = field(default_factory=dict)
    contents: dict[tuple[str, str, str], dict[str, int]] = field(default_factory=dict)
    count: int = 0

    def rows(self, batch: Batch) -> Iterator[Header | Row]:
        chosen = self.columns
        items = self._items(batch)
        runs = self._runs(batch)
        models = self._texts(batch, chosen.model)
        benchmarks = self._names(batch, chosen.benchmark, "benchmark", BENCHMARK)
        metrics = self._names(batch, chosen.metric, "metric", "")
        epochs = self._epochs(batch, list(zip(runs, benchmarks, metrics, items, strict=True)))
        hashes = self._hashes(batch, runs, benchmarks, items)
        prompts = [value or "" for value in self._texts(batch, chosen.prompt)]
        fields = self._fields(batch)
        exchanges = self._exchanges(batch)
        scores = {name: self._scores(batch, name, items) for name in chosen.scores}
        statuses = {name: self._statuses(batch, scores[name]) for name in chosen.scores}
        for at, item in enumerate(items):
            metadata = {key: value for key, cells in fields.items() if (value := cells[at]) is not None}
            for name in chosen.scores:
                run = name if chosen.wide else runs[at]
                metric = metrics[at] or (RUN_METRIC if chosen.wide else name)
                if (run, benchmarks[at]) not in self.opened:
                    yield self._header(run, benchmarks[at], models[at])
                status = statuses[name][at]
                yield Row(
                    run=run,
                    benchmark=benchmarks[at],
                    metric=metric,
                    item=item,
                    score=scores[name][at] if status == "scored" else None,
                    epoch=epochs[at],
                    status=status,
                    hash=hashes[at],
                    prompt=prompts[at],
                    fields=metadata,
                    exchange=exchanges[at],
                )

    def _header(self, run: str, benchmark: str, model: str | None) -> Header:
        self.opened.add((run, benchmark))
        return Header(
            run=run,
            benchmark=benchmark,
            path=self.carrier.path,
            format=self.carrier.format,
            model=model or "",
            primary=self.columns.primary,
            positional=self.columns.item is None,
            notes=(self.columns.sentence,),
            blank=self.columns.blank,
        )

    def _cells(self, batch: Batch, name: str) -> Sequence[Cell]:
        cells = batch.columns.get(name)
        return [None] * len(batch.places) if cells is None else cells

    def _texts(self, batch: Batch, name: str | None) -> list[str | None]:
        if name is None:
            return [None] * len(batch.places)
        return [text_of(cell) for cell in self._cells(batch, name)]

    def _items(self, batch: Batch) -> list[str]:
        first = self.count + 1
        self.count += len(batch.places)
        if self.columns.item is None:
            return [f"row {number}" for number in range(first, self.count + 1)]
        items = self._texts(batch, self.columns.item)
        if None in items:
            raise InputError(
                f"{self._place(batch, items.index(None))} has no {self.columns.item}, which says which item "
                f"it is. Fill it in, delete the {self.carrier.unit}, or name another column with --id FIELD."
            )
        return [item for item in items if item is not None]

    def _names(self, batch: Batch, name: str | None, role: str, default: str) -> list[str]:
        """Names of a run, benchmark or metric: without spaces around them, and never empty."""
        if name is None:
            return [default] * len(batch.places)
        texts = self._texts(batch, name)
        if None in texts:
            raise InputError(
                f"{self._place(batch, texts.index(None))} has no {name}, which names its {role}. "
                f"Fill it in, or delete the {self.carrier.unit}."
            )
        return [text.strip() for text in texts if text is not None]

    def _runs(self, batch: Batch) -> list[str]:
        if not self.columns.runs:
            return [self.carrier.run] * len(batch.places)
        parts = [self._names(batch, name, "run", "") for name in self.columns.runs]
        runs = ["/".join(names) for names in zip(*parts, strict=True)]
        if self.columns.configuration:
            self._check_configuration(batch, runs)
        return runs

    def _check_configuration(self, batch: Batch, runs: list[str]) -> None:
        """A column that was redundant in the first rows must stay so: a run is one configuration."""
        others = [self._texts(batch, name) for name in self.columns.configuration]
        for at, (run, *values) in enumerate(zip(runs, *others, strict=True)):
            known = self.configurations.setdefault(run, tuple(values))
            if known != tuple(values):
                differ = [
                    f"{name} is {one!r} and {two!r}"
                    for name, one, two in zip(self.columns.configuration, known, values, strict=True)
                    if one != two
                ]
                raise InputError(
                    f"{self._place(batch, at)}: the run {run!r} (by {'/'.join(self.columns.runs)}) has two "
                    f"configurations: {'; '.join(differ)}. Give each its own name in one column 'run', or "
                    f"rename the column that does not matter."
                )

    def _epochs(self, batch: Batch, keys: list[tuple[str, str, str, str]]) -> list[int]:
        if self.columns.epoch is None:
            return [self._next_epoch(*key) for key in keys]
        cells = self._cells(batch, self.columns.epoch)
        numbers = [whole_number(cell) for cell in cells]
        if None in numbers:
            at = numbers.index(None)
            raise InputError(
                f"{self._place(batch, at)}: {cells[at]!r} in {self.columns.epoch} is no whole number, but "
                f"this column numbers the completions of an item. Mend it, or rename the column to ignore it."
            )
        return [number + 1 - self.columns.first_epoch for number in numbers if number is not None]

    def _next_epoch(self, run: str, benchmark: str, metric: str, item: str) -> int:
        counts = self.seen.setdefault((run, benchmark, metric), {})
        counts[item] = counts.get(item, 0) + 1
        return counts[item]

    def _hashes(self, batch: Batch, runs: list[str], benchmarks: list[str], items: list[str]) -> list[str]:
        """Content hashes; equal ones of different items are numbered in order, to find their pairs."""
        hashes = self._texts(batch, self.columns.hash)
        return [
            "" if content is None else self._numbered((run, benchmark, content), item)
            for content, run, benchmark, item in zip(hashes, runs, benchmarks, items, strict=True)
        ]

    def _numbered(self, content: tuple[str, str, str], item: str) -> str:
        holders = self.contents.setdefault(content, {})
        occurrence = holders.setdefault(item, len(holders) + 1)
        return content[-1] if occurrence == 1 else f"{content[-1]}#{occurrence}"

    def _scores(self, batch: Batch, name: str, items: list[str]) -> list[float | None]:
        cells = self._cells(batch, name)
        try:
            return [score_of(cell) for cell in cells]
        except InputError:
            at, why = next(_unreadable(cells))
        wide = self.columns.wide
        other = "delete the column if it is no run" if wide else "name another column with --metric COLUMN"
        raise InputError(
            f"{self._place(batch, at)} (item {items[at]!r}): {why} in {name}. Known are numbers, true/false, "
            f"correct/incorrect, pass/fail, yes/no and C/I/P/N; an empty cell is a missing score. Mend the "
            f"cell, or {other}."
        )

    def _statuses(self, batch: Batch, scores: list[float | None]) -> list[str]:
        statuses = ["scored"] * len(scores)
        if self.columns.status is not None:
            for at, cell in enumerate(self._cells(batch, self.columns.status)):
                statuses[at] = self._status(batch, at, cell, scores[at])
        error = self.columns.error or _late_error(batch, self.columns)
        if error is not None:
            for at, cell in enumerate(self._cells(batch, error)):
                statuses[at] = "error" if says_error(cell) else statuses[at]
        return statuses

    def _status(self, batch: Batch, at: int, cell: Cell, score: float | None) -> str:
        try:
            return status_of(cell, score)
        except InputError as error:
            raise InputError(
                f"{self._place(batch, at)}: {error} in {self.columns.status}. Known are ok, success, error, "
                f"timeout, cancelled, missing and their like. Mend the cell, or rename the column."
            ) from None

    def _fields(self, batch: Batch) -> dict[str, list[Scalar | None]]:
        taken = self.columns.taken
        return {
            name: [self._field(name, cell) for cell in cells]
            for name, cells in batch.columns.items()
            if name not in taken and plain(name) not in INDEX
        }

    def _field(self, name: str, cell: Cell) -> Scalar | None:
        if isinstance(cell, str) and len(cell) > LONGEST_FIELD:
            return scalar_fields({name: cell}, frozenset({name}))[name] if name in self.wanted else None
        return field_of(cell)

    def _exchanges(self, batch: Batch) -> list[Exchange | None]:
        """The texts of each row, from columns that are called so; none where a column is a run."""
        if TEXTS not in self.wanted or self.columns.wide:
            return [None] * len(batch.places)
        free = [name for name in batch.columns if name not in self.columns.scores]
        named = [
            next((name for word in words for name in free if plain(name) == word), None)
            for words in (PROMPT_TEXT, TARGET_TEXT, ANSWER_TEXT)
        ]
        columns = [self._texts(batch, name) for name in named]
        return [
            Exchange(*(text or "" for text in texts)) if any(texts) else None
            for texts in zip(*columns, strict=True)
        ]

    def _place(self, batch: Batch, at: int) -> str:
        return f"{self.carrier.path}, {self.carrier.unit} {batch.places[at]}"


def _late_error(batch: Batch, columns: Columns) -> str | None:
    """A key that only the failed rows of a file of objects have, and none of the first rows."""
    late = [name for name in batch.columns if plain(name) in ERROR and name not in columns.known]
    return late[0] if late else None


def _unreadable(cells: Sequence[Cell]) -> Iterator[tuple[int, str]]:
    for at, cell in enumerate(cells):
        try:
            score_of(cell)
        except InputError as error:
            yield at, str(error)
