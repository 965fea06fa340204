"""`compare`: two runs, the difference first."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any, Unpack

from evalstats.analyses.attempts import attempted
from evalstats.analyses.averaging import NO_AVERAGE
from evalstats.analyses.combined_metric import combined_question, names_metrics, refuse_metric
from evalstats.analyses.compare_counts import compared_counts
from evalstats.analyses.compare_paired import compared_paired
from evalstats.analyses.compare_ratio import compared_ratio
from evalstats.analyses.compare_unpaired import compared_unpaired
from evalstats.analyses.family import Answer, family_members, settled, settled_together
from evalstats.analyses.labels import run_labels
from evalstats.analyses.macro_row import macro_row
from evalstats.analyses.options import OptionKeywords, Options
from evalstats.analyses.questions import Asked, questions_of_two
from evalstats.analyses.statistic_options import STATISTICS
from evalstats.analyses.two_runs import TwoRuns, two_runs
from evalstats.answers import Comparisons
from evalstats.data.scores import TEXTS
from evalstats.data.selection import Question
from evalstats.envelope import Provenance
from evalstats.errors import InputError
from evalstats.sources import Run, Source, Wanted, named_source, single_run


def compare(
    *runs: Run, baseline: Run = None, candidate: Run = None, **keywords: Unpack[OptionKeywords]
) -> Comparisons:
    """Did the change work? The difference candidate − baseline of two runs, question by question.

    runs : baseline and candidate, each whatever `score` takes; or one source that holds both, with
    `baseline` and `candidate` naming the runs in it. keywords : see `Options`.
    Returns a sequence of Comparison, also when there is one: `.only`, `["gsm8k"]`, `.rows()`,
    `.changed()`, `.to_dict()`. Differences are in the score's own unit, fractions for pass/fail.
    Several benchmarks are one family: Holm over all of them.
    Raises InputError for what cannot be read, PairingError when no item is in both runs, MethodError
    for a method that is not honest for the data.

    >>> result = compare("360/500", "375/500", discordant=(40, 55))
    >>> print(result.only.difference)
    difference 3.0% [-0.8, 6.9] 95% tango n=500
    >>> round(result.only.test.pvalue, 2), result.only.verdict
    (0.15, 'not_settled')
    """
    options = Options.of(dict(keywords), statistics=True)
    return compared(two_sources(runs, baseline, candidate, options), options)


def compared(sources: tuple[Source, Source], options: Options) -> Comparisons:
    """`compare` for two sources that are read and options that are checked."""
    counted = [source.counts is not None for source in sources]
    if any(counted) and not all(counted):
        raise InputError("one run is counts and the other a log: give both as counts, or both as logs.")
    if all(counted):
        options.refuse(("plan",), "counts are no benchmark of a plan; give the logs.")
        options.refuse(STATISTICS, "counts are one pass rate; give the logs.")
        labels = options.labels_of(2) or run_labels(sources, (None, None))
        answers = [compared_counts(sources, (labels[0], labels[1]), options)]
        return _collected(answers, Asked((), ()), sources, (labels[0], labels[1]), options)
    options.refuse(("discordant",), "logs hold the discordant items themselves; leave it out.")
    scores = (single_run(sources[0]), single_run(sources[1]))
    labels = options.labels_of(2) or run_labels(sources, scores)
    asked = questions_of_two(scores, sources, options)
    members = family_members([question.benchmark for question in asked.primary], options)
    in_family = members if len(members) > 1 and options.correction != "none" else frozenset()
    same = same_source(*sources)
    combined = names_metrics(asked.primary, options.weights)
    refuse_metric(combined, options, sources[0].metric, sources[1].metric)
    alone = combined or options.ratio is not None or options.quantile is not None
    questions = asked.primary if alone else asked.questions

    def answer(question: Question) -> Answer:
        asked_here = options.of_benchmark(question.benchmark)
        if asked_here.ratio is not None:
            return compared_ratio(question, (labels[0], labels[1]), asked_here, same_source=same)
        question = combined_question(question, asked_here.weights) if combined else question
        runs = two_runs(question, asked_here, same_source=same)
        member = question.benchmark in in_family
        return compared_question(runs, (labels[0], labels[1]), asked_here, in_family=member)

    answers, left_out = attempted(questions, answer)
    asked = dataclasses.replace(asked, notes=(*asked.notes, *left_out))
    found = _collected(answers, asked, sources, (labels[0], labels[1]), options)
    return found if options.weights is None or combined else _with_average(found, options)


def _with_average(found: Comparisons, options: Options) -> Comparisons:
    """The benchmarks' average by weight before them; it is no member of their family."""
    if len(found.primary) < 2:
        raise InputError(NO_AVERAGE.format(found.only.benchmark))
    average = macro_row(found.primary, options, options.weights)
    return dataclasses.replace(found, primary=(average, *found.primary))


def same_source(baseline: Source, candidate: Source) -> bool:
    """The same Scores, or files with the same content."""
    same_files = bool(baseline.files) and baseline.hashes == candidate.hashes
    return same_files or baseline.scores is candidate.scores


def compared_question(runs: TwoRuns, labels: tuple[str, str], options: Options, *, in_family: bool) -> Answer:
    """The row of one question, paired unless asked otherwise."""
    if not options.paired:
        options.refuse(("quantile",), "two runs are compared on the same items; leave --unpaired out.")
        return compared_unpaired(runs, labels, options)
    return compared_paired(runs, labels, options, in_family=in_family)


def two_sources(
    runs: tuple[Run, ...],
    baseline: Run,
    candidate: Run,
    options: Options,
    also: Iterable[str] = (),
) -> tuple[Source, Source]:
    """The two runs, however they were given. also : further metadata fields that will be asked for."""
    ids = [name.strip() for name in (options.id or "").split(",")]
    texts = TEXTS if options.with_text else None
    fields = (options.cluster, texts, *also, *(options.plan.clusters if options.plan else ()))
    old, new = (
        Wanted.of(name, *fields, metric=options.metric, columns=options.columns) for name in (ids[0], ids[-1])
    )
    if len(runs) == 1 and baseline is not None and candidate is not None:
        source = named_source(runs[0], old)
        one, two = (_run_in(source, str(name)) for name in (baseline, candidate))
        return one, two
    by_keyword = baseline is not None or candidate is not None
    named = runs or (baseline, candidate)
    if len(named) != 2 or (runs and by_keyword) or any(run is None for run in named):
        raise InputError(
            "compare wants two runs, compare(baseline, candidate), or one source with the names of two "
            "runs in it, compare(df, baseline='m1', candidate='m2')."
        )
    return named_source(named[0], old), named_source(named[1], new)


def _run_in(source: Source, run: str) -> Source:
    argument = f"{source.argument}::{run}" if source.argument else ""
    return dataclasses.replace(source, run=run, argument=argument)


def _collected(
    answers: list[Answer],
    asked: Asked,
    sources: tuple[Source, Source],
    labels: tuple[str, str],
    options: Options,
) -> Comparisons:
    primary = [answer for answer in answers if answer.row.primary]
    secondary = [answer for answer in answers if not answer.row.primary]
    level, guarantee = options.level, options.guarantee
    rows, family = settled_together(primary, options)
    others = [row for answer in secondary for row in settled([answer], "none", level, guarantee)[0]]
    return Comparisons(rows, tuple(others), provenance_of(sources, labels, options), asked.notes, family)


def provenance_of(sources: tuple[Source, Source], labels: tuple[str, str], options: Options) -> Provenance:
    """All it takes to compare these two sources again."""
    roles = zip(("baseline", "candidate"), sources, labels, strict=True)
    inputs: list[Any] = [entry for role, source, label in roles for entry in source.inputs(role, label)]
    runs = tuple(source.argument for source in sources)
    inputs += options.plan_inputs()
    return Provenance("compare", runs, tuple(inputs), options.asked(), options.seed)
