"""`init`: a plan file drafted from a run, with its items and settings frozen, for a person to edit."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from evalstats.analyses.gate_dry_run import Prospect, prospect_of
from evalstats.analyses.options import OptionKeywords, Options, size_in_score_units
from evalstats.analyses.questions import questions_of_one
from evalstats.analyses.score import run_items
from evalstats.data.scores import Header
from evalstats.data.selection import Question
from evalstats.errors import InputError
from evalstats.plan_file import DEFAULT_NAME, Plan, PlannedBenchmark, items_digest, plan_text
from evalstats.sources import Run, Source, Wanted, named_source, single_run
from evalstats.subjects.gate_power import GateRule

_ADVISED = (0.01, 0.02, 0.03, 0.05)
_ADVISED_RATE = 0.1
_KEPT = ("metric", "filter", "task", "latest", "cluster", "bounds", "level", "correction", "margin")
_ANSWERING_SIDE = ("model", "batch_size", "device", "seeds", "harness")  # what a gate lets change


@dataclass(frozen=True)
class Draft:
    """A plan that is not written yet, its text, and what the log's readers said."""

    plan: Plan
    text: str
    notes: tuple[str, ...] = ()


def draft(run: Run, *, out: str = DEFAULT_NAME, **keywords: Unpack[OptionKeywords]) -> Draft:
    """Which benchmarks does a run have, and what would a plan freeze of them? Nothing is written.

    run : a path of logs, which becomes the plan's baseline. out : where the file will lie. metric, task,
    cluster, bounds, level, correction and margin go into the plan; without a margin it is left for a person
    to decide. Raises InputError for what is no log, and for a margin that fits no scale.
    """
    options = Options.of(dict(keywords))
    options.refuse(tuple(set(options.asked()) - set(_KEPT)), "a plan has no such key; leave it out.")
    source = named_source(run, Wanted.of(None, options.cluster, metric=options.metric))
    if source.counts is not None:
        raise InputError(f"{source.path} is a count, and a plan freezes items: name a log.")
    asked = questions_of_one(single_run(source), source, options)
    found = [_planned(question, options, _baseline(source, out)) for question in asked.primary]
    benchmarks = tuple(planned for planned, _ in found)
    plan = Plan(
        path=out,
        benchmarks=benchmarks,
        family=tuple(planned.name for planned in benchmarks),
        level=options.level,
        correction=options.correction,
    )
    advice = {planned.name: _advice(prospect, options.level) for planned, prospect in found}
    return Draft(plan, plan_text(plan, advice), asked.notes)


def _planned(question: Question, options: Options, baseline: str | None) -> tuple[PlannedBenchmark, Prospect]:
    part, run = question.baseline, run_items(question, options)
    if options.margin is not None:
        size_in_score_units("margin", options.margin, run.scale)  # raises where it does not fit
    planned = PlannedBenchmark(
        name=question.benchmark,
        metric=question.metric,
        cluster=run.named[0] if run.named else None,
        bounds=options.bounds,
        margin=options.margin,
        baseline=baseline,
        items_sha256=items_digest(part.items),
        config=_frozen(part.header),
    )
    return planned, prospect_of(question, options, run)


def _frozen(header: Header) -> dict[str, str]:
    """The settings of the eval; those of the model that answers are what a gate is about."""
    return {
        key: value
        for key, value in header.config.items()
        if not any(key == name or key.startswith(f"{name}_") for name in _ANSWERING_SIDE)
    }


def _baseline(source: Source, out: str) -> str | None:
    """The run as seen from the plan's folder; as it was named where it is no plain path."""
    if not source.argument:
        return None
    if not Path(source.argument).exists():
        return source.argument
    return Path(os.path.relpath(source.argument, Path(out).parent)).as_posix()


def _advice(prospect: Prospect, level: float) -> str:
    """What margins these items can hold, for the comment above a margin. Pass/fail alone."""
    if prospect.v is not None or prospect.width != 1.0:
        return ""
    rate = _ADVISED_RATE if prospect.rate is None else prospect.rate
    law = prospect.law(rate, guarantee=False)
    said = [
        f'"{100 * margin:g}pt" {100 * law.chances(GateRule(margin, level)).passes:.0f} %'
        for margin in _ADVISED
    ]
    measured = "" if prospect.rate is None else ", as two completions of an item do in this run"
    return (
        f"{prospect.n_items} items: an unchanged candidate passes {', '.join(said)} of the time\n"
        f"if {100 * rate:.2g} % of the items change{measured}"
    )
