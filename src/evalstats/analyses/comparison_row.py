"""A row of a comparison: everything but what comes from pairing, missing items and the family."""

from __future__ import annotations

import re

from evalstats.analyses.options import Options, size_in_score_units
from evalstats.analyses.planning import needed_items, smallest_shown
from evalstats.analyses.quantile_items import item_estimate, quantile_metric
from evalstats.analyses.sides import (
    Caveats,
    cautions_of_run,
    clusters_unchecked,
    items_of_log,
    request,
    scales_differ,
    side,
)
from evalstats.analyses.tried import best_of
from evalstats.analyses.two_runs import TwoRuns
from evalstats.caveats import caveat
from evalstats.data.selection import Question
from evalstats.envelope import Comparison, Design, Side
from evalstats.methods.pairs import PairedItems, UnpairedItems
from evalstats.results import Estimate, TestResult

# in names of metrics, whole words between underscores and the like
_LESS_IS_BETTER = re.compile(
    r"(?:^|[^a-z])(costs?|latency|latencies|loss|losses|errors?|error_rate|tokens|wer|cer|seconds|duration|"
    r"perplexity|toxicity|refusals?|hallucinations?)(?:$|[^a-z])",
    re.IGNORECASE,
)


def comparison_row(
    runs: TwoRuns,
    labels: tuple[str, str],
    options: Options,
    pairs: PairedItems | UnpairedItems,
    answer: tuple[Estimate, TestResult | None],
    design: Design,
) -> Comparison:
    """The row before its family is known; its verdict fields are filled by `family`."""
    difference, test = answer
    margin = None if options.margin is None else size_in_score_units("margin", options.margin, runs.scale)
    effect = None if options.effect is None else size_in_score_units("effect", options.effect, runs.scale)
    mde, note = smallest_shown(difference, options.level)
    old, new = _sides(runs, labels, options, pairs)
    return Comparison(
        benchmark=_benchmark_name(runs.question),
        metric=_metric_name(runs.question, options),
        primary=runs.question.primary,
        scale=runs.scale,
        design=design,
        baseline=old,
        candidate=new,
        difference=difference,
        test=test,
        margin=margin,
        higher_is_better=not runs.lower_is_better,
        mde=mde,
        mde_note=note,
        needed=needed_items(effect, margin, difference, options.level),
        tried=best_of(options.tried, test, higher_is_better=not runs.lower_is_better),
        caveats=(*difference.extra.get("caveats", ()), *_cautions(runs, labels, options)),
        not_checked=_not_checked(design, runs, options),
        signature=comparison_signature(difference, test),
    )


def _sides(
    runs: TwoRuns, labels: tuple[str, str], options: Options, pairs: PairedItems | UnpairedItems
) -> tuple[Side, Side]:
    """Each run alone, on the items that were compared."""
    old, new = (
        side(label, part, items_of_log(part, metric, items), item_estimate(values, options, asked))
        for label, part, metric, items, values, asked in zip(
            labels,
            runs.parts,
            runs.metrics,
            runs.items,
            (pairs.baseline, pairs.candidate),
            (request(options, name=metric.metric.split(",")[0], named=False) for metric in runs.metrics),
            strict=True,
        )
    )
    return old, new


def _cautions(runs: TwoRuns, labels: tuple[str, str], options: Options) -> Caveats:
    said = [
        said
        for label, part, metric, items in zip(labels, runs.parts, runs.metrics, runs.items, strict=True)
        for said in cautions_of_run(label, part, metric, items, options)
    ]
    said += _direction_assumed(runs)
    return [*said, *scales_differ(runs.metrics, ("the baseline", "the candidate"), runs.scale)]


def _direction_assumed(runs: TwoRuns) -> Caveats:
    unsaid = runs.metrics[0].higher_is_better is None and not runs.lower_is_better
    return direction_assumed(runs.question.metric) if unsaid else []


def direction_assumed(metric: str) -> Caveats:
    """A cost or a latency that nobody said how to read: its rise would be called better without a word."""
    if not _LESS_IS_BETTER.search(metric):
        return []
    text = f"more {metric} is taken for better: if less is, --lower-is-better"
    return [caveat("direction_assumed", text)]


def _metric_name(question: Question, options: Options) -> str:
    one, two = question.metric, question.candidate_metric
    named = one if one == two else f"{one} → {two}"
    return named if options.quantile is None else quantile_metric(named, options.quantile)


def _benchmark_name(question: Question) -> str:
    if question.renamed:
        return f"{question.baseline.benchmark} → {question.candidate.benchmark}"
    return question.benchmark


def comparison_signature(difference: Estimate, test: TestResult | None) -> str:
    """`difference|tango|n:500|level:0.95|test:mcnemar_exact|v:…`"""
    if test is None:
        return difference.signature
    head, _, version = difference.signature.rpartition("|")
    return f"{head}|test:{test.method}|{version}"


def _not_checked(design: Design, runs: TwoRuns, options: Options) -> tuple[str, ...]:
    """The checks these logs did not allow."""
    said = [*clusters_unchecked(options, design.cluster_source != "none")]
    if design.completions <= 1:
        said.append("decoding noise (one completion an item)")
    if not runs.grader_change and not all(all(part.items.prompts) for part in runs.parts):
        said.append("whether the prompts are the same (no prompt hashes)")
    return tuple(said)
