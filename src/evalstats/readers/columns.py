"""Which column of a table is what: a pure function of the names and the first values, and its reasons."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from evalstats.errors import InputError
from evalstats.readers import names as known
from evalstats.readers.cells import STATUS_WORDS, Cell, whole_number
from evalstats.readers.names import could_be_score, plain
from evalstats.readers.sample import Sample

SAMPLE_ROWS = 1000
ROW_NUMBERS = "no id column: items are row numbers"

_MOST_LISTED = 6
_MOST_RUNS = 20  # values of a column that could tell the runs of a table apart


@dataclass(frozen=True)
class Choice:
    """What a person named. ids : columns of --id, the first that the table has is the item.

    metric : the score column of --metric, or a metric's name. columns : those of a ratio or of weights.
    """

    ids: tuple[str, ...] = ()
    metric: str | None = None
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Columns:
    """The role of each column that has one.

    item : None when items are row numbers. scores : one column a metric, or a run each where `wide`.
    runs : the columns whose values together name a run. configuration : columns that a run must not vary in.
    first_epoch : 0 where completions are counted from 0. known : every column of the sample.
    sentence : what was chosen, and why. blank : columns without any value beside those of runs.
    """

    item: str | None
    scores: tuple[str, ...]
    wide: bool = False
    primary: str | None = None
    runs: tuple[str, ...] = ()
    configuration: tuple[str, ...] = ()
    model: str | None = None
    benchmark: str | None = None
    metric: str | None = None
    epoch: str | None = None
    first_epoch: int = 1
    status: str | None = None
    error: str | None = None
    hash: str | None = None
    prompt: str | None = None
    known: frozenset[str] = frozenset()
    sentence: str = ""
    blank: tuple[str, ...] = ()

    @property
    def taken(self) -> frozenset[str]:
        """Columns that are no field of the items. The item's own column is one, so that it can pair."""
        single = (self.benchmark, self.metric, self.epoch, self.status, self.error, self.hash, self.prompt)
        return frozenset({*self.scores, *self.runs, *filter(None, single)}) - {self.item}


def detect_columns(
    columns: Mapping[str, Sequence[Cell]],
    choice: Choice | None = None,
    wanted: Iterable[str] = (),
    nested: Iterable[str] = (),
) -> Columns:
    """Say what each column is.

    columns : name -> first values. wanted : columns to keep as fields. nested : columns that came out of
    an object (metadata.level), which are scores only where they are called so. Raises InputError that
    lists the candidates when the item or the score is ambiguous or absent, and for other tools' logs.

    >>> columns = detect_columns({"question_id": ["q1", "q2"], "correct": [1, 0], "topic": ["a", "b"]})
    >>> columns.sentence
    'item = question_id, score = correct (0 or 1); 1 other column kept as a field: topic'
    """
    _check_foreign(columns)
    sample = Sample(columns, frozenset(nested))
    return _Detection(sample, choice or Choice(), frozenset(wanted)).columns()


class _Detection:
    """The columns that have no role yet, and a method for each role. The order of the claims matters."""

    def __init__(self, sample: Sample, choice: Choice, wanted: frozenset[str]) -> None:
        self.sample, self.choice, self.wanted = sample, choice, wanted
        self.free = [name for name in sample.columns if plain(name) not in known.INDEX]

    def columns(self) -> Columns:
        asked = self.choice.metric if self.choice.metric in self.free else None
        item = self._item()
        named = self._named_scores(asked)
        prompt, content = self._take(known.PROMPT_HASH), self._take(known.HASH)
        epoch = self._epoch()
        runs, configuration = self._runs()
        benchmark = self._take(known.BENCHMARK, self.sample.names_groups)
        metric = self._take(known.METRIC, self._names_metrics)
        status = self._take(known.STATUS, lambda name: self._states(name, bool(named)))
        error = self._take(known.ERROR, self._tells_errors)
        key = [name for name in (item, benchmark, metric, epoch, *runs) if name is not None]
        self._check_item(item, runs, epoch)
        scores, wide = (named, False) if named else self._unnamed_scores(item, runs, key)
        if benchmark is None and not (wide and not (item is not None and self.sample.repeats([item]))):
            benchmark = self._take(known.DATASET, self.sample.names_groups)
            key += [benchmark] if benchmark is not None else []
        found = Columns(
            item=item,
            scores=self._one_value(scores) if metric is not None and not wide else scores,
            wide=wide,
            primary=asked,
            runs=runs,
            configuration=configuration,
            model=next((name for name in (*runs, *configuration) if plain(name) in known.MODEL), None),
            benchmark=benchmark,
            metric=metric,
            epoch=epoch,
            first_epoch=self._first_epoch(epoch),
            status=status,
            error=error,
            hash=item if content is None and item is not None and plain(item) in known.HASH else content,
            prompt=prompt,
            known=frozenset(self.sample.columns),
        )
        unused = [name for name in self.free if wide and self.sample.kinds[name] == "empty"]
        found = replace(found, blank=tuple(name for name in unused if could_be_score(name)))
        completions = "" if item is None or epoch is not None else self._completions(item, key)
        return replace(found, sentence=_sentence(found, self.sample, not named) + completions)

    def _take(self, wanted: Sequence[str], accept: Callable[[str], bool] | None = None) -> str | None:
        """Claim the first free column by order of preference."""
        for word in wanted:
            for name in self.free:
                if plain(name) == word and name not in self.wanted and (accept is None or accept(name)):
                    self.free.remove(name)
                    return name
        return None

    def _item(self) -> str | None:
        asked = [name for name in self.choice.ids if name in self.free]
        ids = [name for word in known.ITEM for name in self.free if plain(name) == word]
        varied = [name for name in ids if self.sample.distinct(name) > 1] or ids
        texts = [name for word in known.ITEM_TEXT for name in self.free if plain(name) == word]
        item = next(iter(asked or varied or texts), None)
        if item is not None:
            self.free.remove(item)
        return item

    def _named_scores(self, asked: str | None) -> tuple[str, ...]:
        """The columns with the name of a score or metric, and those asked for."""
        chosen = {asked, *self.choice.columns}
        named = [
            name
            for name in self.free
            if name in chosen or (self._called_score(name) and name not in self.wanted)
        ]
        sure = [name for name in named if name in chosen or self._is_sure(name)]
        named = sure or named
        self.free = [name for name in self.free if name not in named]
        return tuple(named)

    def _called_score(self, name: str) -> bool:
        word = plain(name)
        inner = name in self.sample.nested and word.startswith(
            tuple(f"{outer}_" for outer in known.NESTED_SCORES)
        )
        return self.sample.kinds[name] != "text" and (inner or word in (*known.SCORE, *known.METRICS))

    def _is_sure(self, name: str) -> bool:
        """Not a column such as `result` in which some values are texts."""
        return self.sample.kinds[name] != "mixed" or plain(name) not in known.UNSURE

    def _epoch(self) -> str | None:
        has_model = any(plain(name) in known.MODEL for name in self.free)
        order = (*known.EPOCH, *known.RUN_OR_EPOCH) if has_model else known.EPOCH
        return self._take(order, self.sample.counts)

    def _first_epoch(self, epoch: str | None) -> int:
        return 0 if epoch and any(whole_number(v) == 0 for v in self.sample.columns[epoch]) else 1

    def _runs(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The fewest columns whose values tell the runs apart, and the others that belong to a run."""
        candidates = [
            name
            for word in (*known.MODEL, *known.RUN)
            for name in self.free
            if plain(name) == word and name not in self.wanted and self.sample.names_groups(name)
        ]
        self.free = [name for name in self.free if name not in candidates]
        runs: list[str] = []
        together = len(self.sample.combinations(candidates))
        for name in candidates:
            if self.sample.distinct(name) == together:
                runs = [name]
                break
            if len(self.sample.combinations([*runs, name])) > max(1, len(self.sample.combinations(runs))):
                runs.append(name)
        return tuple(runs), tuple(name for name in candidates if name not in runs)

    def _names_metrics(self, name: str) -> bool:
        return self.sample.kinds[name] == "text" and self.sample.names_groups(name)

    def _states(self, name: str, scored: bool) -> bool:
        """Words of a status; where nothing else is the score, success and failure are scores themselves."""
        is_the_score = self.sample.kinds[name] == "label" and not scored
        return self.sample.words(name) <= STATUS_WORDS and not is_the_score

    def _tells_errors(self, name: str) -> bool:
        """Messages, or true and false; other numbers are a size of error."""
        return self.sample.scores(name) <= {0.0, 1.0}

    def _unnamed_scores(
        self, item: str | None, runs: tuple[str, ...], key: list[str]
    ) -> tuple[tuple[str, ...], bool]:
        """No column is called a score: the only one that could be, or a run a column."""
        candidates = self._candidates()
        if len(candidates) == 1:
            return candidates, False
        if not candidates:
            raise InputError(self._no_score())
        mostly_repeated = item is not None and len(self.sample.combinations(key)) * 2 <= self.sample.n
        if runs or (mostly_repeated and self.sample.n > 1):
            why = f"{' and '.join(runs)} names the runs" if runs else f"most values of {item} repeat"
            raise InputError(
                f"which column is the score? {_listed(candidates)} could be, none is called score or "
                f"correct, and {why}, so they are not runs. Name it with --metric COLUMN, or rename it "
                f"'score'."
            )
        return self._with_runs_in_words(candidates), True

    def _candidates(self) -> tuple[str, ...]:
        """Columns of numbers that could be scores on one scale; if there is none, columns of labels."""
        kept = self.wanted | self.sample.nested
        free = [name for name in self.free if name not in kept and could_be_score(name)]
        numbers = [name for name in free if self.sample.kinds[name] == "number"]
        if any(self.sample.fractions(name) for name in numbers):
            numbers = [name for name in numbers if not self.sample.groups_beside_fractions(name)]
        return tuple(numbers or [name for name in free if self.sample.kinds[name] == "label"])

    def _with_runs_in_words(self, runs: tuple[str, ...]) -> tuple[str, ...]:
        """Runs beside those of numbers: in words such as pass and fail, or with a few cells of other texts.

        Such a cell is an error of its row: a run is not dropped for one. Other columns of texts stay fields.
        """
        held: set[float] = set().union(*(self.sample.scores(name) for name in runs))
        free = [
            name
            for name in self.free
            if name not in (*self.wanted, *self.sample.nested, *runs)
            and could_be_score(name)
            and (self.sample.kinds[name] == "label" or self.sample.mostly_scores(name))
            and all(min(held) <= score <= max(held) for score in self.sample.scores(name))
        ]
        return tuple(name for name in self.sample.columns if name in runs or name in free)

    def _no_score(self) -> str:
        both = next((name for name in self.free if name in self.wanted and self._called_score(name)), None)
        if both is not None:
            return (
                f"{both} is named as a field here and cannot hold the scores too, and no other column is "
                f"called as scores are. Name another field, or --metric COLUMN. The columns are: "
                f"{_listed(self.sample.columns)}."
            )
        called = next((name for name in self.free if plain(name) in known.SCORE), None)
        example = "" if called is None else repr(next(iter(self.sample.filled(called)), ""))[:40]
        hint = f" {called} holds text such as {example}, which is no score." if called else ""
        numbers = [name for name in self.free if self.sample.kinds[name] in ("number", "label", "mixed")]
        choose = f" {_listed(numbers)} could be chosen with --metric COLUMN." if numbers else ""
        return (
            f"no column holds scores (numbers, true/false, correct/incorrect, pass/fail, yes/no, C/I/P/N) "
            f"under a name that says so.{hint}{choose} The columns are: {_listed(self.sample.columns)}."
        )

    def _one_value(self, scores: tuple[str, ...]) -> tuple[str, ...]:
        """A table with a metric column has one column of values; the others stay fields."""
        order = {word: at for at, word in enumerate((*known.SCORE, *known.METRICS))}
        asked = [name for name in scores if name == self.choice.metric]
        return tuple(asked or sorted(scores, key=lambda name: order.get(plain(name), len(order)))[:1])

    def _check_item(self, item: str | None, runs: tuple[str, ...], epoch: str | None) -> None:
        """Row numbers stand for items only where each row is an item of its own."""
        summaries = [name for name in self.free if plain(name) in (*known.MODEL, *known.RUN)]
        varying = [
            name for name in (*runs, epoch, *summaries) if name is not None and self.sample.distinct(name) > 1
        ]
        if item is not None or not (varying or self.choice.ids):
            return
        why = f"rows that differ in {' and '.join(varying)} may be of one item"
        hint = ""
        if summaries:
            why = f"each row is another {summaries[0]}, as in a table of results. Scores by item are wanted"
        elif self.choice.ids:
            why = f"--id {','.join(self.choice.ids)} is not among them"
            near = difflib.get_close_matches(self.choice.ids[0], list(self.sample.columns), 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
        raise InputError(
            f"no column says which item a row is: {why}.{hint} The columns are: "
            f"{_listed(self.sample.columns)}. Name the one that does with --id FIELD, or rename it 'item'."
        )

    def _completions(self, item: str, key: list[str]) -> str:
        """What is said of items that repeat, or may, although nothing numbers their completions."""
        if not self.sample.repeats(key):
            more = self.sample.n >= SAMPLE_ROWS
            return f"; a later row that repeats {item} is another completion of it" if more else ""
        telling = [
            name
            for name in self.free
            if name not in self.sample.nested
            and 2 <= self.sample.distinct(name) <= _MOST_RUNS
            and not self.sample.repeats([*key, name])
        ]
        hint = f" ({telling[0]} tells them apart: if it names the runs, rename it 'run')" if telling else ""
        return f"; rows that repeat {item} are its completions, numbered in order{hint}"


def _check_foreign(columns: Mapping[str, Sequence[Cell]]) -> None:
    words = {plain(name) for name in columns}
    for log, signature in known.FOREIGN.items():
        if signature <= words:
            raise InputError(
                f"these are {log} (by {', '.join(sorted(signature))}), in which a row is no score of one "
                f"run. Give the harness's own file, or a table with the columns item, model and score."
            )


def _sentence(found: Columns, sample: Sample, unnamed: bool) -> str:
    parts = [ROW_NUMBERS if found.item is None else f"item = {found.item}"]
    shown = _described(found.scores, sample)
    if found.wide:
        parts.append(f"runs = {shown}, a column each")
    else:
        reason = ", the only column of scores" if unnamed else ""
        parts.append(f"{'score' if len(found.scores) == 1 else 'metrics'} = {shown}{reason}")
    roles = {
        "run": "/".join(found.runs),
        "benchmark": found.benchmark,
        "metric": found.metric,
        "completion": found.epoch,
        "status": found.status,
        "error": found.error,
        "content hash": found.hash,
        "prompt hash": found.prompt,
    }
    parts += [f"{role} = {name}" for role, name in roles.items() if name]
    fields = [
        name
        for name in sample.columns
        if name not in found.taken and name != found.item and plain(name) not in known.INDEX
    ]
    kept = (
        "1 other column kept as a field"
        if len(fields) == 1
        else f"{len(fields)} other columns kept as fields"
    )
    said = ", ".join(parts) + (f"; {kept}: {_listed(fields)}" if fields else "")
    are = "is blank and so no run" if len(found.blank) == 1 else "are blank and so no runs"
    return said + (f"; {_listed(found.blank)} {are}" if found.blank else "")


def _described(scores: Sequence[str], sample: Sample) -> str:
    """Columns with the range of their values in the sample, said once where it is the same."""
    ranges = {name: _range(sample.scores(name)) for name in scores}
    together = set().union(*(sample.scores(name) for name in scores))
    if len(set(ranges.values())) == 1 or all(sample.fractions(name) for name in scores):
        return f"{_listed(scores)} ({_range(together)})"
    return _listed([f"{name} ({ranges[name]})" for name in scores])


def _range(values: set[float]) -> str:
    if not values:
        return "empty so far"
    return "0 or 1" if values <= {0.0, 1.0} else f"{min(values):g} to {max(values):g}"


def _listed(columns: Iterable[str]) -> str:
    columns = list(columns)
    more = f" and {len(columns) - _MOST_LISTED} more" if len(columns) > _MOST_LISTED else ""
    return ", ".join(columns[:_MOST_LISTED]) + more
