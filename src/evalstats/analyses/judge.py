"""`judged`, the verb judge: a judge's score of a run, or of two, with the judge's errors taken out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypedDict, Unpack

from evalstats._version import __version__
from evalstats.analyses.compare import two_sources
from evalstats.analyses.judge_answers import Wished, answered_one, answered_two
from evalstats.analyses.judge_labels import JudgeRun, judge_run, labelled_run, with_labels
from evalstats.analyses.judge_rates import Given
from evalstats.analyses.judge_result import Answer, BenchmarkJudged, Judged, JudgedSide
from evalstats.analyses.labelled_sample import Labels, read_labels
from evalstats.analyses.labels import run_labels
from evalstats.analyses.options import Options
from evalstats.analyses.questions import Asked, questions_of_one, questions_of_two
from evalstats.analyses.sides import NO_FIELDS, cautions_of_run, clusters_unchecked
from evalstats.data.items import check_same_scale
from evalstats.data.pairing import match
from evalstats.data.selection import Question
from evalstats.envelope import Provenance, Scale
from evalstats.errors import InputError, NoGuaranteeError
from evalstats.methods.items import Request
from evalstats.methods.rates import proportion
from evalstats.sources import Run, Source, Wanted, argument_of, named_source, single_run, table_inputs
from evalstats.subjects.judge_rates import Screening, corrected_rate

_NO_USE = (
    *("view", "correction", "margin", "effect", "paired", "discordant", "lower_is_better", "plan", "tried"),
    *("with_text", "n_boot", "seed", "largest_cluster"),
)
_ONLY_FOR_LOGS = ("metric", "filter", "task", "id", "cluster", "missing", "latest", "bounds")
_EITHER = (
    "judge wants people's labels of a random part of the answers (--labels FILE; evalstats agree sample RUN "
    "writes one), or the judge's error rates (--sensitivity and --specificity, as 0.9 or 90/100)."
)


class JudgeKeywords(TypedDict, total=False):
    """The keywords of `judged`; the fields of Options say what each means."""

    metric: str | None
    filter: str | None
    task: str | None
    id: str | None
    cluster: str | None
    missing: Literal["scored", "wrong", "error"]
    latest: bool
    level: float
    method: str | None
    guarantee: bool
    bounds: tuple[float, float] | None


def judged(
    *runs: Run,
    labels: Any = None,
    sensitivity: Any = None,
    specificity: Any = None,
    **keywords: Unpack[JudgeKeywords],
) -> Judged:
    """How good is a run, or did a change work, when a judge that errs gave the scores?

    runs : one run of the judge's scores, or baseline and candidate. labels : people's labels of a random
    part of the answers, by id: a file that `evalstats agree sample` wrote, a frame or a list of dicts with
    id and label; of two runs a pair, the baseline's first. sensitivity, specificity : in place of labels,
    for one run or counts ("60/200"): a share that is known (0.9), or "90/100" where it was seen in labelled
    answers. keywords : as for `score`; cluster can only be "none".
    With labels the answers are PPI++ (or `method`), the labels alone and, for verdicts right or wrong,
    Rogan–Gladen; the one to read stands first: the labels alone where under 20 labelled items differ between
    judge and label. All take the labelled items for a random sample of the judged ones.
    Raises InputError and PairingError for labels that do not fit, MethodError for runs in clusters.

    >>> print(judged("60/200", sensitivity="90/100", specificity="114/120").only.shown)
    by error rates 29.4% [20.9, 38.1] 95% lang_reiczigel n=200
    """
    options = Options.of(dict(keywords))
    options.refuse(_NO_USE, "has no use for a judge's score; leave it out.")
    if options.guarantee:
        raise NoGuaranteeError(
            "no guaranteed interval for a score corrected for a judge's errors: none has a proof. Leave "
            "guarantee out, or take the labels alone: evalstats score LABELS --metric label --guarantee."
        )
    if len(runs) not in (1, 2):
        came = f"{len(runs)} runs" if runs else "no run"
        raise InputError(
            f"judge came with {came}: it wants one RUN, or BASELINE and CANDIDATE (or --verdicts FILE)."
        )
    rates = (sensitivity, specificity)
    if labels is not None and rates != (None, None):
        raise InputError("labels tell the judge's error rates: give labels, or sensitivity and specificity.")
    if labels is None:
        if None in rates:
            _check_there(runs)
            raise InputError(_EITHER)
        return _of_rates(runs, {"sensitivity": sensitivity, "specificity": specificity}, options)
    if len(runs) == 1:
        return _of_one(runs[0], labels, options)
    return _of_two(runs, labels, options)


def _check_there(runs: Sequence[Run]) -> None:
    """Raise InputError for a run that is not there: that is told before what it lacks."""
    for run in runs:
        named_source(run, Wanted.of(None))


def _recorded(options: Options, files: Sequence[Labels]) -> dict[str, Any]:
    """The options, with the paths of the labels."""
    paths = [argument_of(one.table) for one in files]
    return {**options.asked(), "labels": paths[0] if len(paths) == 1 else paths}


def _of_one(run: Run, labels: Any, options: Options) -> Judged:
    if isinstance(labels, tuple):
        raise InputError(f"one run, but {len(labels)} files of labels: give one, or the second run too.")
    options.refuse(("id",), "one run is not paired, and labels are joined by the log's own id; leave it out.")
    source = named_source(run, Wanted.of(None, metric=options.metric))
    people = read_labels(labels)
    scores = single_run(_logged(source))
    (label,) = run_labels((source,), (scores,))
    found = questions_of_one(scores, source, options)
    asked, note = _with_labels(found, (people,))
    wished = Wished.of(options.method)
    rows = []
    for question in asked:
        judge = judge_run(question.baseline, question.metric, options)
        rows.append(answered_one(labelled_run(judge, people), question.metric, label, wished, options))
    inputs = (*source.inputs("run", label), *table_inputs(people.table, "labels"))
    provenance = Provenance("judge", (source.argument,), inputs, _recorded(options, (people,)), None)
    return Judged(tuple(rows), provenance, (*found.notes, *note))


def _of_two(runs: tuple[Run, ...], labels: Any, options: Options) -> Judged:
    if not isinstance(labels, tuple | list) or len(labels) != 2 or isinstance(labels[0], dict):
        raise InputError(
            "two runs have two files of labels, one for the answers of each: give both, the baseline's first "
            "(--labels OLD.csv --labels NEW.csv; labels=(old, new))."
        )
    people = (read_labels(labels[0]), read_labels(labels[1]))
    sources = two_sources(runs, None, None, options)
    scores = (single_run(_logged(sources[0])), single_run(_logged(sources[1])))
    names = run_labels(sources, scores)
    found = questions_of_two(scores, sources, options)
    asked, note = _with_labels(found, people)
    wished = Wished.of(options.method)
    rows = tuple(_two(question, people, names, wished, options) for question in asked)
    roles = zip(("baseline", "candidate"), sources, names, people, strict=True)
    inputs = tuple(
        entry
        for role, source, name, one in roles
        for entry in (*source.inputs(role, name), *table_inputs(one.table, f"labels of the {role}"))
    )
    arguments = tuple(source.argument for source in sources)
    return Judged(
        rows, Provenance("judge", arguments, inputs, _recorded(options, people), None), (*found.notes, *note)
    )


def _two(
    question: Question,
    people: tuple[Labels, Labels],
    names: tuple[str, ...],
    wished: Wished,
    options: Options,
) -> BenchmarkJudged:
    parts, metrics = (question.baseline, question.candidate), (question.metric, question.candidate_metric)
    logged = [part.metric(metric) for part, metric in zip(parts, metrics, strict=True)]
    check_same_scale(logged[0], logged[1], question.metric)
    sides = [
        labelled_run(judge_run(part, metric, options, other), one)
        for part, metric, one, other in zip(parts, metrics, people, logged[::-1], strict=True)
    ]
    matched = match(*parts, options.id)
    at = (matched.baseline, matched.candidate)
    named = (matched.key, names)
    return answered_two((sides[0], sides[1]), at, question.metric, named, wished, options)


def _with_labels(found: Asked, people: tuple[Labels, ...]) -> tuple[list[Question], tuple[str, ...]]:
    """The primary questions that are labelled in every run, and a note on the others."""
    names: list[str] = [question.benchmark for question in found.primary]
    notes: tuple[str, ...] = ()
    for one in people:
        names, note = with_labels(names, one)
        notes += note
    return [question for question in found.primary if question.benchmark in names], notes


def _logged(source: Source) -> Source:
    if source.counts is not None:
        raise InputError(
            f"{source.path} is counts: labels are joined by id. Give the log of the judge's run."
        )
    return source


def _of_rates(runs: tuple[Run, ...], given: dict[str, Any], options: Options) -> Judged:
    if len(runs) != 1:
        raise InputError("error rates correct one run's pass rate: the difference of two takes --labels.")
    rates = {name: Given.of(value, name) for name, value in given.items()}
    source = named_source(runs[0], Wanted.of(None, metric=options.metric))
    recorded = {**options.asked(), **{name: _plain(value) for name, value in given.items()}}
    if source.counts is not None:
        options.refuse(_ONLY_FOR_LOGS, "counts have no such thing; give the log.")
        label = source.label or source.path
        rows = [_by_rates(("counts", "passed"), source.counts, label, rates, options)]
        notes: tuple[str, ...] = ()
    else:
        scores = single_run(source)
        (label,) = run_labels((source,), (scores,))
        found = questions_of_one(scores, source, options)
        notes = found.notes
        rows = [_logged_by_rates(question, label, rates, options) for question in found.primary]
    provenance = Provenance("judge", (source.argument,), source.inputs("run", label), recorded, None)
    return Judged(tuple(rows), provenance, notes)


def _plain(value: Any) -> Any:
    """As JSON holds it: a pair as text."""
    return f"{value[0]}/{value[1]}" if isinstance(value, tuple | list) else value


def _logged_by_rates(
    question: Question, label: str, rates: dict[str, Given], options: Options
) -> BenchmarkJudged:
    run = judge_run(question.baseline, question.metric, options)
    if run.scale.kind != "pass_fail" or not run.one_completion:
        raise InputError(
            f"{question.benchmark} ({question.metric}): error rates are of verdicts right or wrong, one "
            "completion an item. Grades and repeated completions take --labels."
        )
    scored = run.items.y[run.judged]
    counts = (int(scored.sum()), len(scored))
    said = cautions_of_run(label, run.part, run.metric, run.items, options)
    names = (question.benchmark, question.metric)
    return _by_rates(names, counts, label, rates, options, run, tuple(said))


def _by_rates(
    names: tuple[str, str],
    counts: tuple[int, int],
    label: str,
    rates: dict[str, Given],
    options: Options,
    run: JudgeRun | None = None,
    said: tuple[dict[str, str], ...] = (),
) -> BenchmarkJudged:
    passed, n = counts
    Se, Sp = rates["sensitivity"], rates["specificity"]
    if (Se.n is None) != (Sp.n is None):
        raise InputError("give both error rates as known shares (0.9), or both as counts (90/100).")
    request = Request(options.level, options.method, name="by error rates")
    found = corrected_rate(Screening(passed / n, n, Se.share, Sp.share, Se.n, Sp.n), request)
    judge = proportion(passed, n, level=options.level, name="judge alone")
    side = JudgedSide(
        label=label,
        model="" if run is None else run.part.header.model,
        n_items=n if run is None else len(run.part.items),
        n_judged=n,
        n_labelled=0,
        n_unscored=0,
        n_blank=0,
        judge=judge,
        sensitivity=Se.estimate("sensitivity", options.level),
        specificity=Sp.estimate("specificity", options.level),
    )
    why = "error rates taken as known" if Se.n is None else "error rates seen in other labelled answers"
    return BenchmarkJudged(
        benchmark=names[0],
        metric=names[1],
        scale=Scale("pass_fail", 0.0, 1.0),
        key=None,
        sides=(side,),
        judge=judge,
        answers=(Answer(kind="error_rates", estimate=found),),
        why=why,
        n_labelled=0,
        n_disagreements=0,
        n_labelled_in_one=0,
        direction=None,
        caveats=(*found.extra["caveats"], *said),
        signature=f"judge|{found.method}|n:{n}|level:{options.level:g}|v:{__version__}",
        not_checked=(NO_FIELDS,) if run is None else clusters_unchecked(options),
    )
