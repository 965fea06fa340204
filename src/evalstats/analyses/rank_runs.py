"""The runs to rank: from what a person named to one log a run, and what each is called."""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass
from typing import Any

from evalstats.analyses.labels import run_labels
from evalstats.analyses.options import Options
from evalstats.data.scores import BenchmarkScores, Scores
from evalstats.data.selection import chosen_benchmarks, metric_named, one_log_each
from evalstats.envelope import Input
from evalstats.errors import InputError
from evalstats.sources import Run, Source, Wanted, named_source, single_run


@dataclass(frozen=True)
class NamedRuns:
    """K runs with their labels. arguments, inputs : for the provenance."""

    sources: tuple[Source, ...]
    scores: tuple[Scores, ...]
    labels: tuple[str, ...]
    arguments: tuple[str, ...]
    inputs: tuple[Input, ...]

    def __len__(self) -> int:
        return len(self.sources)


@dataclass(frozen=True)
class ManyLogs:
    """One question put to every run. parts, metrics : of each run, in their order."""

    benchmark: str
    parts: tuple[BenchmarkScores, ...]
    metrics: tuple[str, ...]

    @property
    def renamed(self) -> bool:
        return len({part.benchmark for part in self.parts}) > 1


def named_runs(runs: tuple[Run, ...], options: Options) -> NamedRuns:
    """Every run that was named; of a source that holds several, all of them.

    Raises InputError for counts, for fewer than three runs, and for labels that do not tell runs apart.
    """
    wanted = Wanted.of(options.id, options.cluster, metric=options.metric)
    given = [named_source(run, wanted) for run in runs]
    for source in given:
        if source.counts is not None:
            raise InputError(
                f"{source.path} is counts: they do not say which items runs share, and a ranking rests on "
                "the items. Give the logs."
            )
    sources = tuple(each for source in given for each in _each_run(source))
    _check_many(sources)
    scores = tuple(single_run(source) for source in sources)
    labels = _labels(sources, scores, options)
    inputs = tuple(entry for source in given for entry in _inputs(source, sources, labels))
    return NamedRuns(sources, scores, labels, tuple(source.argument for source in given), inputs)


def _each_run(source: Source) -> tuple[Source, ...]:
    assert source.scores is not None
    names = source.scores.runs
    if source.run is not None or len(names) == 1:
        return (source,)
    return tuple(dataclasses.replace(source, run=name, label=None, argument="") for name in names)


def _check_many(sources: tuple[Source, ...]) -> None:
    found = len(sources)
    if found == 0:
        raise InputError("rank wants three runs or more, or one source that holds them.")
    if found == 1:
        raise InputError(
            f"{sources[0].path} is one run: evalstats score says how good it is; rank wants more."
        )
    if found == 2:
        raise InputError(
            "two runs have one difference: evalstats compare BASELINE CANDIDATE says all there is to say of "
            f"it; rank wants three runs or more.{_blank(sources)}"
        )


def _blank(sources: tuple[Source, ...]) -> str:
    """The columns of a table that would have been runs, had they a value."""
    parts = [part for source in sources if source.scores for part in source.scores.benchmarks]
    names = dict.fromkeys(name for part in parts for name in part.header.blank)
    return f" Blank in every row, and so no run: {', '.join(names)}." if names else ""


def _labels(sources: tuple[Source, ...], scores: tuple[Scores, ...], options: Options) -> tuple[str, ...]:
    labels = options.labels_of(len(sources)) or run_labels(sources, scores)
    twice = [label for label, count in Counter(labels).items() if count > 1]
    if twice:
        raise InputError(f"{twice[0]!r} is the label of several runs: give each its own, as LABEL=PATH.")
    return labels


def _inputs(source: Source, sources: tuple[Source, ...], labels: tuple[str, ...]) -> tuple[Input, ...]:
    """Each file once, however many runs it holds."""
    mine = [label for label, each in zip(labels, sources, strict=True) if each.scores is source.scores]
    label = mine[0] if len(mine) == 1 else f"{len(mine)} runs"
    return source.inputs("run", label)


def asked_logs(runs: NamedRuns, options: Options) -> tuple[tuple[ManyLogs, ...], tuple[str, ...]]:
    """The questions that every run answers, matched by benchmark name, and what is said once.

    One benchmark in every run is ranked whatever its names. Raises InputError where none is in all.
    """
    chosen = [one_log_each(scores, options.latest) for scores in runs.scores]
    parts = [found for found, _ in chosen]
    names = [chosen_benchmarks(p, s, options.task) for p, s in zip(parts, runs.scores, strict=True)]
    notes = [note for scores in runs.scores for note in scores.notes]
    notes += [note for _, said in chosen for note in said]
    common = [name for name in names[0] if all(name in others for others in names[1:])]
    if not common and all(len(own) == 1 for own in names):
        logs = tuple(p[own[0]] for p, own in zip(parts, names, strict=True))
        return (_question(logs, runs, options, notes),), tuple(dict.fromkeys(notes))
    if not common:
        raise InputError(f"no benchmark is in every run: {_few_of_each(names, runs.labels)}.")
    rare = dict.fromkeys(name for own in names for name in own if name not in common)
    if rare:
        notes.append(f"in some of the runs only, and left out: {', '.join(list(rare)[:8])}")
    found = tuple(_question(tuple(p[name] for p in parts), runs, options, notes) for name in common)
    return found, tuple(dict.fromkeys(notes))


def _few_of_each(names: list[list[str]], labels: tuple[str, ...]) -> str:
    said = [f"{label} has {', '.join(own[:4])}" for label, own in zip(labels, names, strict=True)]
    return "; ".join(said[:4]) + (f"; and {len(said) - 4} more runs" if len(said) > 4 else "")


def _question(
    parts: tuple[BenchmarkScores, ...], runs: NamedRuns, options: Options, notes: list[str]
) -> ManyLogs:
    """The metric that stands for the benchmark in the first run, where all have it; else each run's own."""
    notes += [note for part in parts for note in part.header.notes]
    asked = [source.metric or options.metric for source in runs.sources]
    metrics = [metric_named(part, metric, options.filter) for part, metric in zip(parts, asked, strict=True)]
    if not any(asked):
        shared = _shared(parts, metrics)
        metrics = [shared] * len(parts) if shared else metrics
    if len(set(metrics)) > 1:
        notes.append(f"{parts[0].benchmark}: the metrics are called {', '.join(dict.fromkeys(metrics))}")
    return ManyLogs(parts[0].benchmark, parts, tuple(metrics))


def _shared(parts: tuple[BenchmarkScores, ...], primary: list[str]) -> str | None:
    """One of the runs' primary metrics that every run has."""
    held: list[set[Any]] = [{metric.metric for metric in part.metrics} for part in parts]
    return next((name for name in dict.fromkeys(primary) if all(name in names for names in held)), None)
