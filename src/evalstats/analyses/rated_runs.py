"""Labels from logs: scores of two metrics or runs, a label in the metadata, files beside a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evalstats.analyses.agree_options import AgreeOptions
from evalstats.analyses.labelled_sample import Labels, joined
from evalstats.analyses.labels import run_labels
from evalstats.analyses.questions import questions_of_one, questions_of_two
from evalstats.analyses.rated import Rated, same_words
from evalstats.data.design import cluster_codes, cluster_field
from evalstats.data.items import field_named
from evalstats.data.pairing import Asking, match
from evalstats.data.scores import SCORED, BenchmarkScores, MetricScores, Scores
from evalstats.data.selection import Question
from evalstats.envelope import Input
from evalstats.errors import InputError
from evalstats.readers.cells import Cell
from evalstats.readers.detect import is_table
from evalstats.sources import Run, Source, Wanted, argument_of, named_source, single_run, table_inputs

Key = tuple[int, int]  # item of the first run, completion
Column = dict[Key, Cell]


def rated_runs(runs: Sequence[Run], options: AgreeOptions) -> Rated:
    """Several runs that score the same answers: the first is the judge, the others are humans."""
    wanted = Wanted.of(options.run.id, metric=options.run.metric)
    sources = tuple(named_source(run, wanted) for run in runs)
    scores = tuple(_one_run(source) for source in sources)
    names = _names(sources, run_labels(sources, scores))
    columns: list[Column] = []
    notes: dict[str, None] = {}
    where = key = ""
    first: BenchmarkScores | None = None
    for source, score, name in zip(sources[1:], scores[1:], names[1:], strict=True):
        found = questions_of_two((scores[0], score), (sources[0], source), options.run)
        question = _single(found.primary)
        notes |= dict.fromkeys((*found.notes, *_different_answers(question)))
        same = (bool(sources[0].files) and sources[0].files == source.files) or sources[
            0
        ].scores is source.scores
        asking = Asking((names[0], name), unpaired=False)
        matched = match(
            question.baseline, question.candidate, options.run.id, same_source=same, asking=asking
        )
        place = dict(zip(matched.candidate.tolist(), matched.baseline.tolist(), strict=True))
        if first is None:
            first, key = question.baseline, matched.key
            where = f"{question.benchmark} · {question.metric}"
            columns.append(_column(question.baseline.metric(question.metric)))
        theirs = _column(question.candidate.metric(question.candidate_metric))
        columns.append({(place[i], e): value for (i, e), value in theirs.items() if i in place})
    inputs = tuple(
        entry
        for at, (source, name) in enumerate(zip(sources, names, strict=True))
        for entry in source.inputs("human" if at else "judge", name)
    )
    arguments = tuple(source.argument for source in sources)
    shared = set().union(*columns[1:])
    columns[0] = {key: value for key, value in columns[0].items() if key in shared}
    return _Gathered(where, key, names, columns, inputs, arguments, tuple(notes), part=first).rated(options)


def _one_run(source: Source) -> Scores:
    """The one run of a source; a table with several columns of scores may have been meant for labels."""
    scores = logged(source).scores
    if scores is None or source.run is not None or len(scores.runs) == 1 or not _is_wide(source):
        return single_run(source)
    judge, human = scores.runs[:2]
    raise InputError(
        f"{source.path} has several columns of scores ({', '.join(scores.runs[:4])}). A file of labels has "
        f"id and label. A table of labels stands alone: agree {source.path} --judge {judge} --human {human}. "
        f"One run of several is {source.path}::{judge}."
    )


def _is_wide(source: Source) -> bool:
    """Whether a table of the runs' columns is behind it, and no log."""
    return len(source.files) == 1 and is_table(source.files[0])


def _different_answers(question: Question) -> tuple[str, ...]:
    """Agreement is of two raters on the same answers; two models gave different ones."""
    models = (question.baseline.header.model, question.candidate.header.model)
    if not all(models) or models[0] == models[1]:
        return ()
    return (f"the logs are of {models[0]} and {models[1]}: their scores are of different answers",)


def rated_log(source: Source, options: AgreeOptions) -> Rated:
    """A judge's scores beside labels in the log's metadata."""
    score = single_run(logged(source))
    found = questions_of_one(score, source, options.run)
    question = _single(found.primary)
    part = question.baseline
    judge = _column(part.metric(question.metric))
    columns = [judge]
    for name in options.human:
        field = field_named(part.items, name)
        if field is None:
            there = ", ".join(sorted(part.items.fields)) or "none"
            raise InputError(
                f"{part.benchmark} has no metadata field {name!r} with a person's label. Its fields: {there}."
            )
        columns.append({key: field.of(key[0]) for key in judge})
    names = (question.metric, *options.human)
    where = f"{question.benchmark} · {question.metric}"
    inputs = source.inputs("judge", question.metric)
    gathered = _Gathered(where, "id", names, columns, inputs, (source.argument,), found.notes, part=part)
    return gathered.rated(options)


def rated_labels(run: Run, files: Sequence[Labels], options: AgreeOptions) -> Rated:
    """A judge's scores beside one or more files of labels, by id."""
    source = named_source(run, Wanted.of(None, metric=options.run.metric))
    found = questions_of_one(single_run(logged(source)), source, options.run)
    question = _single(found.primary, {row.benchmark for one in files for row in one.rows})
    metric = question.baseline.metric(question.metric)
    columns: list[Column] = [{}]
    blank = unscored = 0
    for labels in files:
        one = joined(labels, question.baseline, metric)
        keys = list(zip(one.item.tolist(), one.epoch.tolist(), strict=True))
        columns[0] |= dict(zip(keys, one.judge.tolist(), strict=True))
        columns.append(dict(zip(keys, one.human, strict=True)))
        blank, unscored = blank + one.n_blank, unscored + one.n_unscored
    names = (question.metric, *_stems(files))
    notes = [*found.notes]
    if unscored:
        notes.append(f"{unscored} labelled answers have no score by {question.metric} and are left out")
    inputs = (
        *(entry for one in files for entry in table_inputs(one.table, "labels")),
        *source.inputs("judge", question.metric),
    )
    arguments = (*(argument_of(one.table) for one in files), source.argument)
    where = f"{question.benchmark} · {question.metric}"
    part = question.baseline
    return _Gathered(where, "id", names, columns, inputs, arguments, tuple(notes), blank, part).rated(options)


def rated_files(files: Sequence[Labels], options: AgreeOptions) -> Rated:
    """Two or more files of labels by people alone, by id."""
    places = {
        key: (at, 1)
        for at, key in enumerate(
            dict.fromkeys((r.id, r.benchmark, r.epoch) for one in files for r in one.rows)
        )
    }
    columns = [
        {places[r.id, r.benchmark, r.epoch]: r.value for r in one.rows if r.value is not None}
        for one in files
    ]
    inputs = tuple(entry for one in files for entry in table_inputs(one.table, "labels"))
    arguments = tuple(argument_of(one.table) for one in files)
    gathered = _Gathered("labels", "id", _stems(files), columns, inputs, arguments, has_judge=False)
    return gathered.rated(options)


def logged(source: Source) -> Source:
    """Raises InputError for counts, which have no items."""
    if source.scores is None:
        raise InputError(f"{source.argument} is counts: agreement is item by item, so name a log or a table.")
    return source


@dataclass(frozen=True)
class _Gathered:
    """Columns by key, before they stand side by side. part : the log whose items they are, if any."""

    where: str
    key: str
    names: tuple[str, ...]
    columns: list[Column]
    inputs: tuple[Input, ...]
    runs: tuple[str, ...]
    notes: tuple[str, ...] = ()
    n_blank: int = 0
    part: BenchmarkScores | None = None
    has_judge: bool = True

    def rated(self, options: AgreeOptions) -> Rated:
        keys = sorted(set().union(*self.columns))
        cluster, name = _clusters(self.part, [item for item, _ in keys], options.run.cluster)
        labels = [[column.get(key) for key in keys] for column in self.columns]
        return Rated(
            where=self.where,
            key=self.key,
            raters=self.names,
            has_judge=self.has_judge,
            columns=same_words(labels, options.categories),
            inputs=self.inputs,
            runs=self.runs,
            cluster=cluster,
            cluster_name=name,
            notes=self.notes,
            n_blank=self.n_blank,
        )


def _clusters(
    part: BenchmarkScores | None, items: list[int], asked: str | None
) -> tuple[tuple[str, ...] | None, str | None]:
    """As asked or declared by the harness; else completions of one item belong together."""
    named = None if part is None else cluster_field((part.header,), asked)
    if named is not None and part is not None:
        codes = cluster_codes(named[0], ((part.items, np.array(items, dtype=np.int64)),))
        return tuple(map(str, codes.tolist())), named[0]
    if len(set(items)) < len(items):
        return tuple(map(str, items)), "item"
    return None, None


def _column(metric: MetricScores) -> Column:
    scored = metric.status == SCORED
    columns = (metric.item[scored], metric.epoch[scored], np.round(metric.score[scored], 12))
    return {(item, epoch): score for item, epoch, score in zip(*(c.tolist() for c in columns), strict=True)}


def _names(sources: Sequence[Source], labels: Sequence[str]) -> tuple[str, ...]:
    """Metrics where they tell the sources apart."""
    metrics = tuple(source.metric or "" for source in sources)
    return metrics if all(metrics) and len(set(metrics)) == len(metrics) else tuple(labels)


def _stems(files: Sequence[Labels]) -> tuple[str, ...]:
    """Names of people: "human", or the files' names where there are several."""
    if len(files) == 1:
        return ("human",)
    stems = tuple(Path(one.table.path).stem for one in files)
    return stems if len(set(stems)) == len(stems) else tuple(f"human {at}" for at in range(1, len(files) + 1))


def _single(questions: Sequence[Question], labelled: set[str | None] | None = None) -> Question:
    """The one benchmark that is asked about; of several the one that is labelled."""
    named = [one for one in questions if labelled and one.benchmark in labelled] or list(questions)
    if len(named) != 1:
        there = ", ".join(one.benchmark for one in named)
        raise InputError(
            f"{len(named)} benchmarks: agreement is about one, so name it with --task. There are: {there}."
        )
    return named[0]
