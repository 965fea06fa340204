"""`attempts`, the verb passk: pass@k, pass^k, avg@k and maj@k of a run with several attempts at a problem."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from evalstats._version import __version__
from evalstats.analyses.compare import two_sources
from evalstats.analyses.labels import run_labels
from evalstats.analyses.options import OptionKeywords, Options
from evalstats.analyses.passk_answers import majority_values
from evalstats.analyses.passk_result import Attempts, AttemptsRow, AttemptsSide, BenchmarkAttempts
from evalstats.analyses.questions import questions_of_one, questions_of_two
from evalstats.analyses.sides import NO_FIELDS, Positions, as_asked, clusters_unchecked, request
from evalstats.data.design import cluster_codes, cluster_field
from evalstats.data.items import item_scores, scale_of
from evalstats.data.pairing import Asking, match
from evalstats.data.scores import SCORED, TEXTS, BenchmarkScores, MetricScores
from evalstats.data.selection import Question
from evalstats.envelope import Provenance
from evalstats.errors import InputError
from evalstats.kernel.arrays import Codes
from evalstats.kernel.check import check_count
from evalstats.methods.cautions import beside_a_proof
from evalstats.methods.items import Request
from evalstats.sources import Run, Source, Wanted, named_source, single_run
from evalstats.subjects.passk import (
    MEASURES,
    Array,
    Common,
    Counts,
    Measure,
    Problems,
    common_problems,
    difference_of,
    estimate_of,
    measure_named,
    not_estimable,
    problems,
    refuse_plug_in,
    values_estimate,
)

DEFAULT_MEASURES = ("pass_at_k", "pass_hat_k")
_ONE_TWO_FIVE = (1, 2, 5)
_NO_USE = (
    *("view", "correction", "margin", "effect", "bounds", "paired", "discordant", "lower_is_better"),
    *("plan", "tried", "with_text"),
)
_ONLY_FOR_LOGS = ("metric", "filter", "task", "id", "cluster", "missing", "latest", "largest_cluster")
_BENCHMARK, _METRIC = "counts", "right"


def attempts(
    *runs: Run,
    k: int | Sequence[int] | None = None,
    measures: Sequence[str] | None = None,
    counts: Sequence[tuple[int, int]] | None = None,
    **keywords: Unpack[OptionKeywords],
) -> Attempts:
    """What would k attempts at each problem give? pass@k (any of k) and pass^k (all of k), with intervals.

    runs : one run, or baseline and candidate for their difference over the same problems; each is whatever
    `score` takes, with several completions of an item, each right or wrong. counts : in place of runs
    (right, attempts) of each problem. k : one or several; by default 1, 2, 5, 10 … up to the fewest attempts
    of any problem. measures : of pass_at_k, pass_hat_k (default), avg_at_k, maj_at_k (over the answers'
    texts). keywords : metric, filter, task, id, cluster, labels, missing, latest, level, method, guarantee,
    largest_cluster, n_boot, seed, as for `score`.
    The problems are the same for every k: those with too few attempts are left out, counted and named. Raises
    InputError for scores that are neither right nor wrong, MethodError for 1 − (1 − p)^k ("plug_in").

    >>> table = attempts(counts=[(3, 20), (0, 20), (20, 20), (10, 20)], k=5).only
    >>> print(table["pass@5"].shown)
    pass@5 (any of 5) 64.6% [15.6, 94.7] 95% wilson_effective n=4
    """
    return attempts_of(list(runs), k=k, measures=measures, counts=counts, **keywords)


def attempts_of(
    runs: Sequence[Run],
    k: int | Sequence[int] | None = None,
    measures: Sequence[str] | None = None,
    counts: Sequence[tuple[int, int]] | None = None,
    **keywords: Unpack[OptionKeywords],
) -> Attempts:
    """`attempts` with its runs in one list."""
    options = Options.of(dict(keywords))
    options.refuse(_NO_USE, "has no use for pass@k; leave it out.")
    refuse_plug_in(options.method)
    ks = None if k is None else tuple(np.atleast_1d(k).tolist())
    asked = _Asked(tuple(measure_named(name) for name in measures or DEFAULT_MEASURES), ks, options)
    given = {"k": ks, "measures": None if measures is None else tuple(measures), "counts": counts}
    recorded = {**options.asked(), **{name: value for name, value in given.items() if value is not None}}
    if counts is not None:
        if runs:
            raise InputError("counts stand in place of runs: give one or the other.")
        return _of_counts(counts, asked, recorded)
    if len(runs) not in (1, 2):
        raise InputError(
            f"passk came with {len(runs)} runs: it wants one RUN, or BASELINE and CANDIDATE, or --counts "
            "RIGHT/ATTEMPTS,... in place of them."
        )
    return _of_one(runs[0], asked, recorded) if len(runs) == 1 else _of_two(tuple(runs), asked, recorded)


@dataclass(frozen=True)
class _Asked:
    """What is asked of every benchmark. ks : None for the default."""

    measures: tuple[Measure, ...]
    ks: tuple[int, ...] | None
    options: Options

    @property
    def majority(self) -> bool:
        return MEASURES["maj_at_k"] in self.measures

    @property
    def reading(self) -> Options:
        """The options to read with: the answers' texts are needed for a vote."""
        return dataclasses.replace(self.options, with_text=self.majority)


@dataclass(frozen=True)
class _Side:
    """One run's problems, in the order in which they are compared.

    answers : its log and metric with the problems' positions, where votes can be counted.
    """

    side: AttemptsSide
    counted: Problems
    answers: tuple[BenchmarkScores, MetricScores, Positions] | None = None

    def values(self, measure: Measure, k: int, at: Counts) -> Array:
        """(problems,) of those at these positions."""
        if measure.value is not None:
            return self.counted.at(at).values(measure, k)
        if self.answers is None:
            raise InputError("maj@k needs the answers themselves: counts of right ones do not do.")
        part, metric, positions = self.answers
        return majority_values(part, metric, positions[at], k)


@dataclass(frozen=True)
class _Problems:
    """The problems of one benchmark that are in every run. names : their ids."""

    benchmark: str
    metric: str
    sides: tuple[_Side, ...]
    names: tuple[str, ...]
    cluster: tuple[str, Codes] | None = None
    key: str | None = None

    def not_checked(self, options: Options) -> tuple[str, ...]:
        """What these problems do not tell; the counts of a person have no log."""
        if self.sides[0].answers is None:
            return (NO_FIELDS,)
        return clusters_unchecked(options, self.cluster is not None)


def _of_counts(counts: Sequence[tuple[int, int]], asked: _Asked, recorded: dict[str, Any]) -> Attempts:
    asked.options.refuse((*_ONLY_FOR_LOGS, "labels"), "counts have no such thing; give the log.")
    pairs = [tuple(pair) for pair in counts]
    if not pairs or any(len(pair) != 2 for pair in pairs):
        raise InputError(
            "counts are pairs, (right, attempts) of each problem, such as counts=[(3, 20), (0, 20)]."
        )
    for at, (right, tried) in enumerate(pairs, 1):
        if check_count(tried, f"problem {at}: attempts") < check_count(right, f"problem {at}: right"):
            raise InputError(f"problem {at}: {right} right of {tried} attempts; it counts some of these.")
    counted = problems([n for _, n in pairs], [c for c, _ in pairs])
    names = tuple(f"problem {at}" for at in range(1, len(pairs) + 1))
    side = _Side(_side("counts", "", counted, 0), counted)
    table = _table(_Problems(_BENCHMARK, _METRIC, (side,), names), asked)
    return Attempts((table,), Provenance("passk", (), (), recorded, asked.options.seed))


def _of_one(run: Run, asked: _Asked, recorded: dict[str, Any]) -> Attempts:
    options = asked.reading
    wanted = Wanted.of(options.id, options.cluster, TEXTS if asked.majority else None, metric=options.metric)
    source = named_source(run, wanted)
    options.refuse(("id",), "one run is not paired; leave it out.")
    if source.counts is not None:
        return _of_single_attempts(source, asked, recorded)
    scores = single_run(source)
    (label,) = options.labels_of(1) or run_labels((source,), (scores,))
    found = questions_of_one(scores, source, options)
    tables = tuple(_table(_problems_of_one(question, label, options), asked) for question in found.primary)
    provenance = Provenance("passk", (source.argument,), source.inputs("run", label), recorded, options.seed)
    return Attempts(tables, provenance, found.notes)


def _of_single_attempts(source: Source, asked: _Asked, recorded: dict[str, Any]) -> Attempts:
    """K/N as everywhere: K of N problems right, one attempt each."""
    asked.options.refuse(_ONLY_FOR_LOGS, "counts have no such thing; give the log.")
    k, n = source.counts or (0, 0)
    (label,) = asked.options.labels_of(1) or (source.label or source.path,)
    counted = Problems(np.ones(n, np.int64), (np.arange(n) < k).astype(np.int64))
    names = tuple(map(str, range(1, n + 1)))
    side = _Side(_side(label, "", counted, 0), counted)
    table = _table(_Problems(_BENCHMARK, _METRIC, (side,), names), asked)
    inputs = source.inputs("run", label)
    return Attempts((table,), Provenance("passk", (source.argument,), inputs, recorded, asked.options.seed))


def _of_two(runs: tuple[Run, ...], asked: _Asked, recorded: dict[str, Any]) -> Attempts:
    options = asked.reading
    sources = two_sources(runs, None, None, options)
    if any(source.counts is not None for source in sources):
        raise InputError(
            "counts do not say which problems two runs share; give the logs, or one count alone."
        )
    scores = (single_run(sources[0]), single_run(sources[1]))
    labels = options.labels_of(2) or run_labels(sources, scores)
    found = questions_of_two(scores, sources, options)
    tables = tuple(_table(_problems_of_two(one, labels, options), asked) for one in found.primary)
    roles = zip(("baseline", "candidate"), sources, labels, strict=True)
    inputs = tuple(entry for role, source, label in roles for entry in source.inputs(role, label))
    arguments = tuple(source.argument for source in sources)
    return Attempts(tables, Provenance("passk", arguments, inputs, recorded, options.seed), found.notes)


def _problems_of_one(question: Question, label: str, options: Options) -> _Problems:
    part = question.baseline
    at = np.arange(len(part.items))
    side = _logged(part, question.metric, label, options, at)
    named = cluster_field((part.header,), options.cluster)
    cluster = None if named is None else (named[0], cluster_codes(named[0], ((part.items, at),)))
    return _Problems(question.benchmark, question.metric, (side,), part.items.ids, cluster)


def _problems_of_two(question: Question, labels: tuple[str, ...], options: Options) -> _Problems:
    """The problems that both runs list, in the baseline's order."""
    parts = (question.baseline, question.candidate)
    matched = match(*parts, options.id, asking=Asking((labels[0], labels[1]), unpaired=False))
    at = (matched.baseline, matched.candidate)
    metrics = (question.metric, question.candidate_metric)
    sides = tuple(
        _logged(part, metric, label, options, used)
        for part, metric, label, used in zip(parts, metrics, labels, at, strict=True)
    )
    named = cluster_field((parts[0].header, parts[1].header), options.cluster)
    where = tuple((part.items, used) for part, used in zip(parts, at, strict=True))
    cluster = None if named is None else (named[0], cluster_codes(named[0], where))
    names = tuple(parts[0].items.ids[i] for i in at[0])
    return _Problems(question.benchmark, question.metric, sides, names, cluster, matched.key)


def _logged(part: BenchmarkScores, name: str, label: str, options: Options, at: Positions) -> _Side:
    """The problems of a log at these positions. Raises InputError for partial credit, naming the problem."""
    logged = part.metric(name)
    _check_pass_fail(part, logged)
    metric = as_asked(part, logged, options, scale_of((logged,), None)[0])
    items = item_scores(metric, len(part.items))
    n = items.completions
    right = np.where(n > 0, np.rint(np.where(n > 0, items.y, 0.0) * n), 0).astype(np.int64)
    whole = Problems(n.astype(np.int64), right)
    unscored = int((logged.status != SCORED).sum())
    return _Side(_side(label, part.header.model, whole, unscored), whole.at(at), (part, metric, at))


def _check_pass_fail(part: BenchmarkScores, metric: MetricScores) -> None:
    scored = metric.status == SCORED
    partial = np.flatnonzero(scored & (metric.score != 0) & (metric.score != 1))
    if len(partial):
        first = partial[0]
        raise InputError(
            f"{part.benchmark} ({metric.metric}): {part.items.ids[metric.item[first]]!r} has a score of "
            f"{metric.score[first]:g}, but an attempt is right (1) or wrong (0): which score solves a "
            "problem is not known. Choose another metric, or decide it in the log."
        )


def _side(label: str, model: str, counted: Problems, unscored: int) -> AttemptsSide:
    n = counted.n
    tried = n[n > 0]
    fewest = int(tried.min()) if len(tried) else 0
    most = int(n.max()) if len(n) else 0
    return AttemptsSide(label, model, len(n), int(n.sum()), fewest, most, unscored)


def default_ks(fewest: int) -> tuple[int, ...]:
    """1, 2, 5, 10, 20, 50 … up to the fewest attempts, and these."""
    decades = range(len(str(fewest)))
    steps = [step * 10**power for power in decades for step in _ONE_TWO_FIVE]
    return (*(k for k in steps if k < fewest), fewest)


def _table(found: _Problems, asked: _Asked) -> BenchmarkAttempts:
    fewest = np.min(np.stack([side.counted.n for side in found.sides]), axis=0)
    tried = fewest[fewest > 0]
    ks = asked.ks if asked.ks is not None else default_ks(int(tried.min()) if len(tried) else 1)
    common = common_problems([fewest], ks)
    said = common.caveats(lambda at: found.names[at])
    rows = tuple(
        _row(found, measure, k, common, asked)
        for measure in asked.measures
        for k in (*common.ks, *common.beyond)
        if not (k == 1 and measure.name == "pass_hat_k" and _is_default(asked))
    )
    return BenchmarkAttempts(
        benchmark=found.benchmark,
        metric=found.metric,
        sides=tuple(side.side for side in found.sides),
        key=found.key,
        cluster=None if found.cluster is None else found.cluster[0],
        n_problems=len(found.names),
        n_common=len(common.at),
        dropped=tuple(found.names[at] for at in common.dropped),
        rows=rows,
        caveats=tuple(beside_a_proof(said) if asked.options.guarantee else said),
        signature=_signature(rows, len(common.at), asked.options.level),
        not_checked=found.not_checked(asked.options),
    )


def _is_default(asked: _Asked) -> bool:
    """pass^1 is pass@1, which stands there already."""
    return asked.measures == tuple(measure_named(name) for name in DEFAULT_MEASURES)


def _row(found: _Problems, measure: Measure, k: int, common: Common, asked: _Asked) -> AttemptsRow:
    options = asked.options
    if k in common.beyond:
        gone = not_estimable(measure, k, common.most, options.level)
        return AttemptsRow(
            name=measure.label(k), measure=measure.name, k=k, estimates=(gone,) * len(found.sides)
        )
    codes = None if found.cluster is None else found.cluster[1][common.at]
    wanted = request(options, name="")
    alone = wanted if len(found.sides) == 1 else request(options, name="", named=False)
    values = tuple(side.values(measure, k, common.at) for side in found.sides)
    estimates = tuple(
        _estimate(side, value, (measure, k), common.at, codes, alone)
        for side, value in zip(found.sides, values, strict=True)
    )
    difference = test = None
    if len(values) == 2:
        difference, test = difference_of((values[0], values[1]), codes, measure, k, wanted)
    return AttemptsRow(
        name=measure.label(k),
        measure=measure.name,
        k=k,
        estimates=estimates,
        difference=difference,
        test=test,
    )


def _estimate(
    side: _Side, values: Array, asked: tuple[Measure, int], at: Counts, codes: Codes | None, wanted: Request
) -> Any:
    measure, k = asked
    if measure.value is None:
        return values_estimate(values, codes, measure, k, wanted)
    used = dataclasses.replace(side.counted.at(at), cluster=codes)
    return estimate_of(used, measure, k, wanted)


def _signature(rows: tuple[AttemptsRow, ...], n: int, level: float) -> str:
    """`passk|wilson_effective|k:1,5|n:164|level:0.95|v:…`."""
    methods = dict.fromkeys(row.shown.method for row in rows if row.shown.n)
    ks = ",".join(map(str, dict.fromkeys(row.k for row in rows)))
    return f"passk|{'+'.join(methods) or 'none'}|k:{ks}|n:{n}|level:{level:g}|v:{__version__}"
