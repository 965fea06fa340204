"""`score`: one run, every benchmark's score with its interval."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from evalstats.analyses.attempts import attempted
from evalstats.analyses.combined_metric import combined_question, names_metrics, refuse_metric
from evalstats.analyses.composite_row import composite_score, group_notes
from evalstats.analyses.labels import run_labels
from evalstats.analyses.options import OptionKeywords, Options
from evalstats.analyses.quantile_items import TYPICAL, item_estimate, item_quantile, quantile_metric
from evalstats.analyses.questions import questions_of_one
from evalstats.analyses.ratio_rows import ratio_score
from evalstats.analyses.sides import (
    NO_FIELDS,
    Positions,
    as_asked,
    cautions_of_run,
    clusters_unchecked,
    items_of_log,
    request,
    side,
    values_at,
)
from evalstats.analyses.statistic_options import STATISTICS
from evalstats.answers import Scorecard
from evalstats.data.design import cluster_candidates, cluster_codes, cluster_field
from evalstats.data.items import ItemScores, field_named, item_scores, scale_of
from evalstats.data.scores import BenchmarkScores, MetricScores
from evalstats.data.selection import Question
from evalstats.envelope import ClusterCandidate, Design, Provenance, Scale, Score, Side
from evalstats.errors import InputError
from evalstats.methods.items import ItemValues
from evalstats.methods.means import item_mean_estimate
from evalstats.methods.rates import proportion
from evalstats.results import Estimate
from evalstats.sources import Run, Source, Wanted, named_source, single_run

ONLY_FOR_TWO = ("margin", "effect", "discordant", "paired", "correction", "tried", "with_text")
ONLY_FOR_LOGS = (
    "metric",
    "filter",
    "task",
    "id",
    "cluster",
    "view",
    "largest_cluster",
    "missing",
    "bounds",
    "n_boot",
    "seed",
    "latest",
    "plan",
    "with_text",
    *STATISTICS,
)


def score(run: Run, **keywords: Unpack[OptionKeywords]) -> Scorecard:
    """How good is this run? Each benchmark's score with its interval.

    run : a path, folder or glob of logs, a data frame, a list of dicts, Scores, or counts as "360/500".
    keywords : see `Options`. Returns a sequence of Score, also when there is one: `.only`, `["gsm8k"]`,
    `.rows()`, `.to_dict()`. Scores are in their own unit, fractions for pass/fail.
    Raises InputError for what cannot be read or scored, MethodError for a method that is not honest here.

    >>> print(score("360/500").only.run.estimate)
    score 72.0% [67.9, 75.8] 95% wilson n=500
    """
    options = Options.of(dict(keywords), statistics=True)
    options.refuse(ONLY_FOR_TWO, "about two runs; use compare BASELINE CANDIDATE.")
    fields = (options.cluster, *(options.plan.clusters if options.plan else ()))
    wanted = Wanted.of(options.id, *fields, metric=options.metric, columns=options.columns)
    source = named_source(run, wanted)
    if source.counts is not None:
        return _of_counts(source, options)
    scores = single_run(source)
    (label,) = options.labels_of(1) or run_labels((source,), (scores,))
    asked = questions_of_one(scores, source, options)
    for question in asked.questions:
        check_id(question, options.id)
    combined = names_metrics(asked.primary, options.weights)
    refuse_metric(combined, options, source.metric)
    alone = combined or options.ratio is not None or options.quantile is not None
    questions = asked.primary if alone else asked.questions

    def row(question: Question) -> Score:
        asked_here = options.of_benchmark(question.benchmark)
        if asked_here.ratio is not None:
            found = ratio_score(question, label, asked_here)
            return dataclasses.replace(found, not_checked=not_checked(found.design, options))
        question = combined_question(question, asked_here.weights) if combined else question
        return score_row(question, run_items(question, asked_here), label, asked_here)

    rows, left_out = attempted(questions, row)
    primary = tuple(row for row in rows if row.primary)
    if options.weights is not None and not combined:
        left_out = (*left_out, *group_notes(primary, scores))
        primary = (composite_score(primary, options, options.weights), *primary)
    return Scorecard(
        primary,
        tuple(row for row in rows if not row.primary),
        provenance_of_run(source, label, options),
        (*asked.notes, *left_out),
    )


def check_id(question: Question, id_field: str | None) -> None:
    """--id names the column of a table's items; a log has its own, and an option never does nothing."""
    if id_field is None:
        return
    items = question.baseline.items
    field = field_named(items, id_field)
    if field is None or any(field.of(at) != item for at, item in enumerate(items.ids)):
        raise InputError(
            f"id={id_field!r}: {question.benchmark} has its own ids, and one run is not paired. Leave it out."
        )


def provenance_of_run(source: Source, label: str, options: Options) -> Provenance:
    """All it takes to score this source again."""
    runs = (source.argument,)
    inputs = (*source.inputs("run", label), *options.plan_inputs())
    return Provenance("score", runs, inputs, options.asked(), options.seed)


def _of_counts(source: Source, options: Options) -> Scorecard:
    options.refuse(ONLY_FOR_LOGS, "counts have no such thing; give the log.")
    k, n = source.counts or (0, 0)
    estimate = proportion(
        k, n, level=options.level, method=options.method, guarantee=options.guarantee, name="score"
    )
    (label,) = options.labels_of(1) or (source.label or source.path,)
    row = Score(
        benchmark="counts",
        metric="pass rate",
        primary=True,
        slice=None,
        scale=Scale("pass_fail", 0.0, 1.0),
        design=Design("item", "none", False, n, n, 1.0),
        run=Side(label, "", n, n, 0, 0, estimate),
        missing_bounds=None,
        caveats=tuple(estimate.extra["caveats"]),
        not_checked=(NO_FIELDS,),
        signature=estimate.signature,
    )
    return Scorecard((row,), (), provenance_of_run(source, label, options))


@dataclass(frozen=True)
class RunItems:
    """One run on one question, as asked for. at : positions of the scored items; named : cluster field."""

    scale: Scale
    metric: MetricScores
    items: ItemScores
    at: Positions
    values: ItemValues
    named: tuple[str, str] | None


def run_items(question: Question, options: Options) -> RunItems:
    """The scored items of a run, in their clusters. Raises InputError for scores that cannot be used."""
    part = question.baseline
    logged = part.metric(question.metric)
    scale, assumed = scale_of((logged,), options.bounds)
    return items_on_scale(part, as_asked(part, logged, options, scale), (scale, assumed), options)


def items_on_scale(
    part: BenchmarkScores, metric: MetricScores, scale: tuple[Scale, bool], options: Options
) -> RunItems:
    """The scored items of a log. metric : as asked. scale : known, and whether it was assumed."""
    items = item_scores(metric, len(part.items))
    at = np.flatnonzero(items.scored)
    values = values_at(items, at, *scale)
    named = cluster_field((part.header,), options.cluster)
    if named is not None:
        values = _in_clusters(values, cluster_codes(named[0], ((part.items, at),)))
    return RunItems(scale[0], metric, items, at, values, named)


def score_row(question: Question, run: RunItems, label: str, options: Options) -> Score:
    """The score of a run's items on one question. Raises MethodError for a method that is not honest here."""
    part = question.baseline
    scale, metric, items, at = run.scale, run.metric, run.items, run.at
    values, named = run.values, run.named
    estimate = item_estimate(values, options, request(options, name=_name(question)))
    design = Design(
        unit=named[0] if named else "item",
        cluster_source=named[1] if named else "none",
        paired=False,
        n_items=len(at),
        n_units=values.units.k if named else len(at),
        completions=float(items.completions[at].mean()),
        cluster_candidates=_candidates(question, at, values, estimate, options) if named is None else (),
    )
    cautions = cautions_of_run(label, part, metric, items, options)
    return Score(
        benchmark=question.benchmark,
        metric=_metric(question, options),
        primary=question.primary,
        slice=None,
        scale=scale,
        design=design,
        run=side(label, part, items_of_log(part, metric, items), estimate),
        missing_bounds=_missing_bounds(items, scale) if options.quantile is None else None,
        caveats=(*estimate.extra.get("caveats", ()), *cautions),
        not_checked=not_checked(design, options),
        signature=estimate.signature,
        quantiles=_typical(question, values, options),
    )


def _name(question: Question) -> str:
    return question.metric.split(",")[0]


def _metric(question: Question, options: Options) -> str:
    return question.metric if options.quantile is None else quantile_metric(question.metric, options.quantile)


def _typical(question: Question, values: ItemValues, options: Options) -> tuple[Estimate, ...]:
    """Median and p95 beside the mean of a cost or a latency, which a few items can carry (METHODS)."""
    if values.bounds is not None or options.quantile is not None or options.view == "fixed_items":
        return ()
    name = _name(question)
    return tuple(
        item_quantile(values, q, request(options, name=quantile_metric(name, q), named=False))
        for q in TYPICAL
    )


def _in_clusters(values: ItemValues, codes: Positions) -> ItemValues:
    return dataclasses.replace(values, cluster=codes)


def _candidates(
    question: Question, at: Positions, values: ItemValues, estimate: Estimate, options: Options
) -> tuple[ClusterCandidate, ...]:
    """What each field that might be a cluster would do to the error bar."""
    if options.cluster == "none" or options.view == "fixed_items" or not estimate.standard_error > 0:
        return ()
    found = []
    for field, codes in cluster_candidates(question.baseline.items, at).items():
        clustered = item_mean_estimate(
            _in_clusters(values, codes), request(options, name="", named=False)
        ).standard_error
        if math.isfinite(clustered):
            k = int(codes.max()) + 1
            found.append(ClusterCandidate(field, k, len(at) / k, clustered / estimate.standard_error))
    return tuple(found)


def not_checked(design: Design, options: Options) -> tuple[str, ...]:
    """The checks this log did not allow."""
    said = [*clusters_unchecked(options, design.cluster_source != "none")]
    if design.completions <= 1:
        said.append("decoding noise alone (one completion an item)")
    return tuple(said)


def _missing_bounds(items: ItemScores, scale: Scale) -> tuple[float, float] | None:
    """The score if every unscored item had the lowest score, and the highest (Manski bounds)."""
    unscored = len(items) - int(items.scored.sum())
    if unscored == 0 or scale.low is None or scale.high is None:
        return None
    total = float(np.nansum(items.y))
    return (
        (total + unscored * scale.low) / len(items),
        (total + unscored * scale.high) / len(items),
    )
