"""One score an item from several metrics of the same items, by weight: then it is a metric like any other."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from evalstats.analyses.options import Options
from evalstats.analyses.statistic_options import Weights
from evalstats.data.items import scale_of
from evalstats.data.scores import MISSING, SCORED, BenchmarkScores, Bounds, MetricScores
from evalstats.data.selection import Question
from evalstats.errors import InputError
from evalstats.methods.composites import weighted_by_name


def names_metrics(questions: Sequence[Question], weights: Weights | None) -> bool:
    """Whether the weights are of metrics that every benchmark here has, and not of benchmarks."""
    if weights is None or isinstance(weights, str):
        return False
    names, benchmarks = {name for name, _ in weights}, {q.benchmark for q in questions}
    parts = [part for q in questions for part in (q.baseline, q.candidate)]
    return not names & benchmarks and all(names <= {m.metric for m in part.metrics} for part in parts)


def combined_question(question: Question, weights: Weights) -> Question:
    """The same benchmark with the weighted metric as its only one."""
    one, two = (with_combined(part, weights) for part in (question.baseline, question.candidate))
    metric = one.metrics[0].metric
    return Question(question.benchmark, metric, True, one, two, metric)


def with_combined(part: BenchmarkScores, weights: Weights) -> BenchmarkScores:
    """Raises InputError for metrics of which less is better in some and more in others."""
    assert not isinstance(weights, str)
    used = [(part.metric(name), weight) for name, weight in weights if weight > 0]
    named = " + ".join(f"{weight:g}·{metric.metric}" for metric, weight in used)
    ways = {metric.higher_is_better is not False for metric, _ in used}
    if len(ways) > 1:
        less = [metric.metric for metric, _ in used if metric.higher_is_better is False]
        raise InputError(
            f"{part.benchmark}: of {', '.join(less)} less is better, of the other metrics more, and one "
            "score cannot be both. Turn these round first."
        )
    rows = [_of_rows(metric, used[0][0]) for metric, _ in used]
    by_name = {metric.metric: weight for metric, weight in used}
    score = weighted_by_name(
        {metric.metric: values for (metric, _), (values, _) in zip(used, rows, strict=True)}, by_name
    )
    status = np.max([status for _, status in rows], axis=0)  # of scored, errored and missing the worst
    combined = MetricScores(
        metric=named,
        item=used[0][0].item,
        epoch=used[0][0].epoch,
        score=np.where(status == SCORED, score, np.nan),
        status=status.astype(np.uint8),
        bounds=_bounds([metric for metric, _ in used], by_name),
        higher_is_better=None if ways == {True} else False,
        duplicates=max(metric.duplicates for metric, _ in used),
    )
    header = dataclasses.replace(part.header, primary=named)
    return dataclasses.replace(part, header=header, metrics=(combined,))


def _of_rows(metric: MetricScores, first: MetricScores) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A metric's scores and states on the rows of another one: missing where it has no such row."""
    epochs = int(max(metric.epoch.max(), first.epoch.max())) + 1
    keys, wanted = (one.item.astype(np.int64) * epochs + one.epoch for one in (metric, first))
    order = np.argsort(keys, kind="stable")
    at = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
    found = keys[order][at] == wanted
    place = order[at]
    score = np.where(found, metric.score[place].astype(np.float64), np.nan)
    return score, np.where(found, metric.status[place].astype(np.int64), MISSING)


def _bounds(metrics: Sequence[MetricScores], weights: Mapping[str, float]) -> Bounds | None:
    """The ends of the combined scale; None where a metric has none."""
    ends = {}
    for metric in metrics:
        scale, _ = scale_of((metric,), None)
        if scale.low is None or scale.high is None:
            return None
        ends[metric.metric] = np.array([scale.low, scale.high])
    low, high = weighted_by_name(ends, weights).tolist()
    return round(low, 12), round(high, 12)


def refuse_metric(combined: bool, options: Options, *named: str | None) -> None:
    """Raises InputError for one metric beside a ratio, or beside weights of metrics, which name their own."""
    asked = [metric for metric in (options.metric, *named) if metric is not None]
    if asked and (combined or options.ratio is not None):
        what = "ratio" if options.ratio is not None else "weights"
        raise InputError(f"{what} and metric {asked[0]}: {what} names its metrics itself. Leave one out.")
