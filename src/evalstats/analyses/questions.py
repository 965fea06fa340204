"""From the runs a person named to the questions (benchmark, metric) that are asked of them."""

from __future__ import annotations

from dataclasses import dataclass

from evalstats.analyses.options import Options
from evalstats.data.scores import BenchmarkScores, Scores
from evalstats.data.selection import (
    Question,
    chosen_benchmarks,
    matched_benchmarks,
    metric_named,
    one_log_each,
)
from evalstats.errors import InputError
from evalstats.plan_file import Plan
from evalstats.sources import Source


@dataclass(frozen=True)
class Asked:
    """The questions of one call, primary ones first in the order of the log, and what is said once."""

    questions: tuple[Question, ...]
    notes: tuple[str, ...]

    @property
    def primary(self) -> tuple[Question, ...]:
        return tuple(q for q in self.questions if q.primary)


def questions_of_one(scores: Scores, source: Source, options: Options) -> Asked:
    """Every benchmark of a run with its primary metric, and its other metrics as secondary questions."""
    parts, notes = one_log_each(scores, options.latest)
    names, unplanned = planned_names(chosen_benchmarks(parts, scores, options.task), options.plan)
    questions = [
        question
        for name in names
        for question in _questions(parts[name], parts[name], options, (source.metric, source.metric))
    ]
    said = (*scores.notes, *notes, *unplanned, *_headers_notes(questions))
    return Asked(_primary_first(questions), tuple(dict.fromkeys(said)))


def questions_of_two(runs: tuple[Scores, Scores], sources: tuple[Source, Source], options: Options) -> Asked:
    """The questions both runs answer, matched by benchmark name and by metric.

    Raises InputError when there is none.
    """
    (left, left_notes), (right, right_notes) = (one_log_each(run, options.latest) for run in runs)
    renamed = _renamed(options.task, left, right) if options.plan is None else None
    task = None if renamed else options.task
    chosen = (chosen_benchmarks(left, runs[0], task), chosen_benchmarks(right, runs[1], task))
    if options.plan is None:
        names, unmatched = matched_benchmarks(*chosen, renamed)
    else:
        names, unmatched = _planned_pairs(*chosen, options.plan)
    asked = (sources[0].metric, sources[1].metric)
    questions = [q for one, two in names for q in _questions(left[one], right[two], options, asked)]
    logged = (*runs[0].notes, *runs[1].notes, *left_notes, *right_notes)
    notes = (*logged, *unmatched, *_headers_notes(questions))
    return Asked(_primary_first(questions), tuple(dict.fromkeys(notes)))


def planned_names(names: list[str], plan: Plan | None) -> tuple[list[str], tuple[str, ...]]:
    """The benchmarks that a plan has, in its order, and notes on the others; all without a plan.

    Raises InputError when none is planned.
    """
    if plan is None:
        return names, ()
    planned = [name for name in plan.names if name in names]
    if not planned:
        raise InputError(
            f"none of the benchmarks here ({', '.join(names)}) is in {plan.path}, which has: "
            f"{', '.join(plan.names)}."
        )
    notes = (
        (f"not in {plan.path}", [name for name in names if name not in planned]),
        (f"in {plan.path} and not here", [name for name in plan.names if name not in planned]),
    )
    return planned, tuple(f"{said}: {', '.join(found)}" for said, found in notes if found)


def _planned_pairs(
    baseline: list[str], candidate: list[str], plan: Plan
) -> tuple[list[tuple[str, str]], tuple[str, ...]]:
    """The planned benchmarks that both runs have, by name alone."""
    common = [name for name in baseline if name in candidate]
    alone = list(dict.fromkeys(name for name in (*baseline, *candidate) if name not in common))
    said = (f"in one of the runs only: {', '.join(alone)}",) if alone else ()
    names, notes = planned_names(common, plan)
    return [(name, name) for name in names], (*said, *notes)


def _renamed(
    task: str | None, left: dict[str, BenchmarkScores], right: dict[str, BenchmarkScores]
) -> tuple[str, str] | None:
    """The pair of --task BASELINE=CANDIDATE, unless a benchmark has that whole name."""
    if task is None or "=" not in task or task in left or task in right:
        return None
    one, _, two = task.partition("=")
    for name, parts, role in ((one, left, "baseline"), (two, right, "candidate")):
        if name not in parts:
            raise InputError(f"--task {task}: the {role} has no {name!r}. It has: {', '.join(parts)}.")
    return one, two


def _questions(
    baseline: BenchmarkScores,
    candidate: BenchmarkScores,
    options: Options,
    asked: tuple[str | None, str | None],
) -> list[Question]:
    """The primary question of a benchmark, and one for each other metric that both runs have."""
    options = options.of_benchmark(baseline.benchmark)
    one = metric_named(baseline, asked[0] or options.metric, options.filter)
    two = metric_named(candidate, asked[1] or options.metric, options.filter)
    if asked == (None, None) and one != two and options.metric is None:
        one, two = _shared_primary(baseline, candidate, one, two)
    chosen = Question(baseline.benchmark, one, True, baseline, candidate, two)
    if asked != (None, None):
        return [chosen]
    shared = {m.metric for m in candidate.metrics}
    others = [m.metric for m in baseline.metrics if m.metric in shared and m.metric != one]
    secondary = [Question(baseline.benchmark, m, False, baseline, candidate, m) for m in others]
    return [chosen, *secondary]


def _shared_primary(
    baseline: BenchmarkScores, candidate: BenchmarkScores, one: str, two: str
) -> tuple[str, str]:
    """Runs of different harnesses call the same score differently: a lone metric a side is compared."""
    left, right = [m.metric for m in baseline.metrics], [m.metric for m in candidate.metrics]
    if one in right:
        return one, one
    if two in left:
        return two, two
    if len(left) == len(right) == 1 or baseline.header.format != candidate.header.format:
        return one, two
    raise InputError(
        f"{baseline.benchmark}: the runs have no primary metric in common: baseline {', '.join(left)}; "
        f"candidate {', '.join(right)}. Choose with --metric, or a metric a side with PATH@METRIC."
    )


def _headers_notes(questions: list[Question]) -> tuple[str, ...]:
    """What the readers said of the logs that are asked, such as which columns they took."""
    headers = [part.header for q in questions for part in (q.baseline, q.candidate)]
    return tuple(note for header in headers for note in header.notes)


def _primary_first(questions: list[Question]) -> tuple[Question, ...]:
    return tuple(sorted(questions, key=lambda q: not q.primary))
