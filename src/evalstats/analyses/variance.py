"""`components`, the verb variance: where the noise of a score comes from, and what to buy next."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from evalstats._version import __version__
from evalstats.analyses.compare import same_source
from evalstats.analyses.labels import run_labels
from evalstats.analyses.options import OptionKeywords, Options
from evalstats.analyses.questions import questions_of_one, questions_of_two
from evalstats.analyses.variance_result import BenchmarkVariance, Variances
from evalstats.analyses.variance_scores import (
    COMPLETION,
    EPOCH,
    ITEM,
    RUN,
    Labelled,
    Level,
    complete,
    differing_settings,
    of_log,
    of_runs,
)
from evalstats.caveats import caveat
from evalstats.data.scores import Scores
from evalstats.data.selection import Question
from evalstats.envelope import Input, Provenance, Scale
from evalstats.errors import EvalStatsError, InputError, MethodError
from evalstats.kernel.resampled import DEFAULT_N_BOOT
from evalstats.readers.detect import FORMATS
from evalstats.readers.long_table import is_table, long_table
from evalstats.sources import Run, Source, Wanted, file_digest, named_source, single_run
from evalstats.subjects.variance import Decomposition, crossed, nested, one_way

_NO_USE = (
    *("view", "correction", "margin", "effect", "paired", "discordant", "lower_is_better", "plan", "tried"),
    *("with_text", "cluster", "method", "guarantee", "largest_cluster", "weights", "quantile", "ratio"),
)
_ONLY_FOR_LOGS = ("filter", "task", "id", "latest", "labels")
CROSSED, NESTED = ",", "/"


def components(
    *runs: Run,
    by: str | None = None,
    factor: str | None = None,
    costs: Mapping[str, float] | None = None,
    **keywords: Unpack[OptionKeywords],
) -> Variances:
    """Where does the noise of a score come from, and what should the next unit of budget buy?

    runs : one run whose items have several completions (items and decoding); several runs of the same items
    (items by what differs between the runs: judges, prompts, implementations, seeds); or a table. factor :
    the setting that differs, or what to call it; by default the one that differs in the logs, else "run".
    by : columns of a table, or fields of a log, instead: "item" one-way, "item,judge" crossed,
    "family/task" nested. costs : of one of each beside what is in it, 1 where it is not said.
    keywords : metric, filter, task, id, labels, bounds, latest, level, n_boot, seed as for `score`; missing
    is "error" by default, since a missing cell is refused; "scored" leaves such items out, counted.
    Raises MethodError naming the cell that is missing, and where nothing was repeated.

    >>> rows = [{"item": i, "judge": j, "score": s} for i, *scores in
    ...         (("a", 7, 8, 6), ("b", 5, 6, 4), ("c", 9, 9, 7)) for j, s in zip("xyz", scores)]
    >>> found = components(rows, by="item,judge").only.found
    >>> {one.name: round(one.variance, 2) for one in found.components}
    {'item': 2.78, 'judge': 1.0, 'item × judge': 0.11}
    """
    return components_of(list(runs), by=by, factor=factor, costs=costs, **keywords)


def components_of(
    runs: Sequence[Run],
    by: str | None = None,
    factor: str | None = None,
    costs: Mapping[str, float] | None = None,
    **keywords: Unpack[OptionKeywords],
) -> Variances:
    """`components` with its runs in one list."""
    given = {"by": by, "factor": factor, "costs": None if costs is None else dict(costs)}
    options = Options.of({"missing": "error", **keywords})
    options.refuse(_NO_USE, "has no use for components of variance; leave it out.")
    recorded = {**options.asked(), **{name: value for name, value in given.items() if value is not None}}
    recorded.pop("missing", None)
    if options.missing != "error":
        recorded["missing"] = options.missing
    asked = _Asked(options, costs)
    if not runs:
        raise InputError(
            "variance came without a run: give one with repeated completions, several, or a table."
        )
    if by is not None and factor is not None:
        raise InputError(
            "by and factor: by names columns, factor what differs between runs. Give one of them."
        )
    if len(runs) > 1:
        if by is not None:
            raise InputError(f"by={by!r} is about one run or table, but {len(runs)} came.")
        return _of_runs(runs, factor, asked, recorded)
    if factor is not None:
        raise InputError(f"factor={factor!r} differs between runs, but one came: give two or more.")
    names = _names(by)
    if by is not None and is_table(runs[0]):
        return _of_table(runs[0], by, asked, recorded)
    return _of_log(runs[0], by or ITEM, names, asked, recorded)


@dataclass(frozen=True)
class _Asked:
    """What is asked of every benchmark."""

    options: Options
    costs: Mapping[str, float] | None

    def decomposed(self, found: Labelled, by: str) -> Decomposition:
        """The design that `by` spells: one name, A,B crossed, A/B nested."""
        names = _names(by)
        options = self.options
        how: dict[str, Any] = {
            "costs": self.costs,
            "level": options.level,
            "n_boot": DEFAULT_N_BOOT if options.n_boot is None else options.n_boot,
            "seed": options.seed,
        }
        labels = [found.labels[name] for name in names]
        if NESTED in by:
            return nested(found.scores, *labels, names=(*names, "attempt"), **how)
        if len(names) == 2:
            return crossed(found.scores, *labels, names=(names[0], names[1], COMPLETION), **how)
        return one_way(found.scores, labels[0], names=(names[0], COMPLETION), **how)


def _names(by: str | None) -> tuple[str, ...]:
    """The columns that `by` names. Raises InputError for a design that is none of ours."""
    if by is None:
        return (ITEM,)
    names = tuple(name.strip() for name in by.replace(NESTED, CROSSED).split(CROSSED))
    if not all(names) or len(set(names)) < len(names):
        raise InputError(f"by={by!r}: write each name once, such as item, item,judge or family/task.")
    if CROSSED in by and (NESTED in by or len(names) > 2):
        raise MethodError(
            f"by={by!r}: two crossed factors (item,judge) or names nested from the top (family/task) can be "
            "told apart here. Keep the others fixed, one at a time."
        )
    return names


def _of_table(run: Run, by: str, asked: _Asked, recorded: dict[str, Any]) -> Variances:
    options = asked.options
    options.refuse(_ONLY_FOR_LOGS, "a table by its columns has no such thing; leave it out.")
    names = _names(by)
    table = long_table(run, names, options.metric)
    absent = [at for at, score in enumerate(table.scores) if score is None]
    if absent and options.missing == "wrong":
        raise InputError(
            f"{len(absent)} rows of the table have no score, and missing=wrong counts such as the worst of a "
            "log's items. In a table write the worst score in, or leave such items out with --missing scored."
        )
    if absent and options.missing != "scored":
        where = ", ".join(f"{name} {table.labels[name][absent[0]]!r}" for name in names)
        raise InputError(
            f"{where} has no score ({len(absent)} such row{'s' * (len(absent) != 1)}). Fill it in, or leave "
            "such items out with --missing scored."
        )
    keep = [score is not None for score in table.scores]
    labels = {n: [v for v, k in zip(own, keep, strict=True) if k] for n, own in table.labels.items()}
    y = np.array([score for score in table.scores if score is not None])
    inside = bool(len(y)) and options.bounds is None and y.min() >= 0 and y.max() <= 1
    low, high = (0.0, 1.0) if inside else options.bounds or (None, None)
    scale = Scale("unbounded" if low is None else "bounded", low, high)
    found = Labelled(y, labels, scale)
    if options.missing == "scored" and CROSSED in by:
        found = complete(found, *names)
    path = Path(run) if isinstance(run, str | Path) else None
    where = str(path) if path else table.format
    entry = Input("run", where, where, file_digest(path) if path else None, table.format, "")
    row = _row("table", table.metric, found, by, asked)
    return Variances(
        (row,), Provenance("variance", (str(run) if path else "",), (entry,), recorded, options.seed)
    )


def _of_log(run: Run, by: str, names: tuple[str, ...], asked: _Asked, recorded: dict[str, Any]) -> Variances:
    options = asked.options
    options.refuse(("id",), "one run is not paired; leave it out.")
    source = _source(run, options, names)
    scores = single_run(source)
    _check_fields(scores, by, names)
    (label,) = options.labels_of(1) or run_labels((source,), (scores,))
    questions = questions_of_one(scores, source, options)
    asked_of = {question.benchmark: question for question in questions.primary}

    def row(benchmark: str) -> BenchmarkVariance:
        question = asked_of[benchmark]
        found = of_log(question.baseline, question.metric, names, options)
        return _row(benchmark, question.metric, found, by, asked)

    rows, unanswered = _answered(source.path, asked_of, row)
    inputs = source.inputs("run", label)
    provenance = Provenance("variance", (source.argument,), inputs, recorded, options.seed)
    return Variances(rows, provenance, (*questions.notes, *unanswered))


def _check_fields(scores: Scores, by: str, names: tuple[str, ...]) -> None:
    """A field is of an item; a column of a table may vary inside one, which only the whole table shows."""
    inside = [name for name in names if name not in (ITEM, COMPLETION, EPOCH)]
    harnesses = {form.name for form in FORMATS}
    tables = [part.header.format for part in scores if part.header.format not in harnesses]
    if inside and tables:
        raise InputError(
            f"by={by!r}: {' and '.join(inside)} are columns of a table ({tables[0]}). Give the table itself, "
            "without LABEL= and ::RUN, with the rows of one run."
        )


def _answered(
    where: str, benchmarks: Iterable[str], row: Callable[[str], BenchmarkVariance]
) -> tuple[tuple[BenchmarkVariance, ...], tuple[str, ...]]:
    """The benchmarks that have an answer, and notes on those that have none.

    where : the runs. Raises the first's error, with them and its benchmark, where none has.
    """
    rows, failed = [], {}
    for benchmark in benchmarks:
        try:
            rows.append(row(benchmark))
        except EvalStatsError as error:
            failed[benchmark] = error
    if not rows:
        benchmark, why = next(iter(failed.items()))
        raise type(why)(f"{where}, {benchmark}: {why}")
    return tuple(rows), tuple(f"no answer for {name}: {error}" for name, error in failed.items())


def _source(run: Run, options: Options, fields: Sequence[str] = ()) -> Source:
    source = named_source(run, Wanted.of(options.id, *fields, metric=options.metric))
    if source.counts is not None:
        raise InputError(f"{source.path} is counts, which do not say what was repeated: give the log.")
    return source


def _of_runs(runs: Sequence[Run], factor: str | None, asked: _Asked, recorded: dict[str, Any]) -> Variances:
    options = asked.options
    sources = tuple(_source(run, options) for run in runs)
    scores = tuple(single_run(source) for source in sources)
    labels = options.labels_of(len(runs)) or run_labels(sources, scores)
    found, notes = _questions(scores, sources, options)
    same = all(same_source(sources[0], source) for source in sources[1:])

    def row(benchmark: str) -> BenchmarkVariance:
        levels, name, said = _levels(found[benchmark], labels, factor)
        notes.extend(said)
        one = of_runs(levels, name, options, same_source=same)
        made = _row(benchmark, found[benchmark][0].metric, one, f"{ITEM}{CROSSED}{name}", asked)
        return dataclasses.replace(made, caveats=(*_same_files(sources, levels), *made.caveats))

    rows, unanswered = _answered(", ".join(source.path for source in sources), found, row)
    inputs = tuple(
        entry for source, label in zip(sources, labels, strict=True) for entry in source.inputs("run", label)
    )
    arguments = tuple(source.argument for source in sources)
    provenance = Provenance("variance", arguments, inputs, recorded, options.seed)
    return Variances(rows, provenance, tuple(dict.fromkeys((*notes, *unanswered))))


def _same_files(sources: Sequence[Source], levels: Sequence[Level]) -> list[dict[str, str]]:
    """The caveat for runs that are one file twice: nothing varies between them."""
    for (one, first), (two, second) in combinations(zip(sources, levels, strict=True), 2):
        if first.metric == second.metric and same_source(one, two):
            old, new = (level.part.metric(level.metric).score for level in (first, second))
            if np.array_equal(old, new, equal_nan=True):
                text = f"{first.label} and {second.label} are the same file: nothing can differ between them"
                return [caveat("same_file", text)]
    return []


def _questions(
    scores: tuple[Scores, ...], sources: tuple[Source, ...], options: Options
) -> tuple[dict[str, list[Question]], list[str]]:
    """Benchmark -> the question put to the first run and each other; those that all runs have."""
    notes: list[str] = []
    found: list[dict[str, Question]] = []
    for other, source in zip(scores[1:], sources[1:], strict=True):
        asked = questions_of_two((scores[0], other), (sources[0], source), options)
        found.append({question.benchmark: question for question in asked.primary})
        notes += asked.notes
    common = [name for name in found[0] if all(name in one for one in found)]
    if not common:
        raise InputError("no benchmark is in every run: components need the same items in all of them.")
    return {name: [one[name] for one in found] for name in common}, notes


def _levels(
    questions: Sequence[Question], labels: Sequence[str], factor: str | None
) -> tuple[list[Level], str, list[str]]:
    """Each run with its level of the factor, the factor's name, and what is to be said of the choice."""
    parts = [questions[0].baseline, *(question.candidate for question in questions)]
    metrics = [questions[0].metric, *(question.candidate_metric for question in questions)]
    differing = differing_settings(parts)
    said = []
    if factor is None and len(differing) == 1:
        factor = differing[0]
    elif factor is None and len(differing) > 1:
        said = [
            f"several settings differ between the runs ({', '.join(differing)}): the run itself is the factor"
        ]
    name = factor or RUN
    names = [part.header.config.get(name, "") for part in parts] if name in differing else list(labels)
    return [Level(*one) for one in zip(parts, metrics, labels, names, strict=True)], name, said


def _row(benchmark: str, metric: str, found: Labelled, by: str, asked: _Asked) -> BenchmarkVariance:
    decomposition = asked.decomposed(found, by)
    factor = _names(by)[1] if CROSSED in by else None
    n = int(decomposition.sizes[_names(by)[0]])
    method = decomposition.components[0].share.method
    return BenchmarkVariance(
        benchmark=benchmark,
        metric=metric,
        scale=found.scale,
        factor=factor,
        levels=tuple(dict.fromkeys(found.labels[factor])) if factor else (),
        key=found.key,
        n_dropped=found.n_dropped,
        together=found.together,
        cluster=None if found.cluster in _names(by) else found.cluster,
        found=decomposition,
        caveats=(*found.caveats, *decomposition.caveats),
        signature=f"variance|{by}|{method}|n:{n}|level:{asked.options.level:g}|v:{__version__}",
    )
