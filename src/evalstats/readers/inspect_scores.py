"""What Inspect's scorers gave, as numbers: letters, booleans, dicts and lists become metrics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evalstats.readers.inspect_log import Log, Reduction, ResultScore, Sample, id_text

# Inspect's value_to_float. What is not here and no number either it counts as 0, with a warning; we refuse.
_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_MOST_ENTRIES = 20  # a longer list is data, not scores
_UNIT_REDUCERS = ("pass_at", "pass_k", "at_least")  # probabilities and verdicts, whatever they reduce


class UnmappedLabelError(ValueError):
    """A label that has no number."""


@dataclass(frozen=True)
class Column:
    """One metric: for each sample a number, None where it is missing, absent where the scorer gave nothing.

    fixed : the values are letters or booleans, so the scale is 0 to 1. refused : the label without a
    number and its sample.
    """

    scores: dict[int, float | None]
    fixed: bool = False
    refused: tuple[str, str] | None = None


def number_of(value: Any) -> float | None:
    """The number of a score value, None for NaN and null. Raises UnmappedLabelError for another label."""
    if value is None:
        return None
    if isinstance(value, bool | int | float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, str):
        known = _LETTERS.get(value, _WORDS.get(value.lower()))
        if known is not None:
            return known
        try:
            return number_of(float(value))
        except ValueError:
            raise UnmappedLabelError(value) from None
    raise UnmappedLabelError(str(value))


def columns(samples: list[Sample]) -> dict[str, Column]:
    """Metric -> its scores, in the order in which the samples name them."""
    raw: dict[str, dict[int, Any]] = {}
    for at, sample in enumerate(samples):
        for scorer, score in (sample.scores or {}).items():
            for metric, value in _entries(scorer, score.value):
                raw.setdefault(metric, {})[at] = value
    _drop_unscored_roots(raw)
    return {metric: _column(values, samples) for metric, values in raw.items()}


def declared_metrics(log: Log) -> list[str]:
    """The metrics a log says it has, for logs in which nothing was scored."""
    names = [_result_names(entry.name, entry.scorer or entry.name)[0] for entry in results_of(log)]
    for scorer in log.eval.scorers or []:
        keys = [key for key in _dict_keys(scorer.metrics) if "*" not in key and "?" not in key]
        names += [f"{scorer.name}.{key}" for key in keys] or [scorer.name]
    return list(dict.fromkeys(names)) or ["score"]


def metric_of(name: str, scorer: str, known: Iterable[str]) -> str | None:
    """Our name of an entry of results.scores; None when no sample has it."""
    known = set(known)
    return next((n for n in _result_names(name, scorer) if n in known), None)


def primary(log: Log, known: list[str]) -> str | None:
    """The first entry of results.scores that is a mean; another reducer only where there is no mean."""
    entries = [(metric_of(e.name, e.scorer or e.name, known), e.reducer) for e in results_of(log)]
    means = [metric for metric, reducer in entries if metric and is_mean(reducer)]
    reduced = [f"{metric}/{reducer}" for metric, reducer in entries if metric and not is_mean(reducer)]
    if means or reduced:
        return (means or reduced)[0]
    return next((name for name in declared_metrics(log) if name in known), known[0] if known else None)


def is_mean(reducer: str | None) -> bool:
    return reducer in (None, "mean")


def unit_scale(reducer: str, fixed: bool) -> bool:
    """Whether a reduced metric lies in 0 to 1."""
    return fixed or reducer.startswith(_UNIT_REDUCERS)


def reduced_columns(
    reduction: Reduction, known: Iterable[str]
) -> Iterator[tuple[str, dict[str, float | None]]]:
    """Metric under the reducer -> item -> value, for the metrics the samples have."""
    raw: dict[str, dict[str, Any]] = {metric: {} for metric in known}
    for sample in reduction.samples:
        for metric, value in _entries(reduction.scorer, sample.value):
            if metric in raw and sample.sample_id is not None:
                raw[metric][id_text(sample.sample_id)] = value
    for metric, values in raw.items():
        try:
            numbers = {item: number_of(value) for item, value in values.items()}
        except UnmappedLabelError:
            continue
        if numbers:
            yield f"{metric}/{reduction.reducer}", numbers


def declared_clusters(log: Log) -> list[str]:
    """Every cluster field that a metric of any scorer names, in the scorers and in the results."""
    scorers = [scorer.metrics for scorer in log.eval.scorers or []]
    results = [
        metric.params or metric.options for entry in results_of(log) for metric in entry.metrics.values()
    ]
    return list(dict.fromkeys(_clusters([*scorers, log.eval.metrics, *({"params": p} for p in results)])))


def results_of(log: Log) -> list[ResultScore]:
    """The entries of results.scores; none where the run did not get so far."""
    return list(log.results.scores or []) if log.results else []


def _result_names(name: str, scorer: str) -> tuple[str, ...]:
    return (f"{scorer}.{name}", scorer) if name == scorer else (f"{scorer}.{name}", name)


def _entries(scorer: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        yield from ((f"{scorer}.{key}", entry) for key, entry in value.items())
    elif isinstance(value, list):
        if len(value) <= _MOST_ENTRIES:
            yield from ((f"{scorer}.{at}", entry) for at, entry in enumerate(value))
    else:
        yield scorer, value


def _drop_unscored_roots(raw: dict[str, dict[int, Any]]) -> None:
    """A dict scorer marks an unscored sample by NaN in place of its dict: that is no metric of its own."""
    for scorer in [name for name in raw if any(other.startswith(f"{name}.") for other in raw)]:
        if all(value is None or value != value for value in raw[scorer].values()):
            for at in raw.pop(scorer):
                for key in [name for name in raw if name.startswith(f"{scorer}.")]:
                    raw[key].setdefault(at, None)


def _column(values: Mapping[int, Any], samples: list[Sample]) -> Column:
    scores: dict[int, float | None] = {}
    for at, value in values.items():
        try:
            scores[at] = number_of(value)
        except UnmappedLabelError as label:
            return Column({}, refused=(str(label), id_text(samples[at].id)))
    seen = [value for value in values.values() if value is not None and value == value]
    return Column(scores, fixed=bool(seen) and all(_is_verdict(value) for value in seen))


def _is_verdict(value: Any) -> bool:
    return isinstance(value, bool) or (
        isinstance(value, str) and (value in _LETTERS or value.lower() in _WORDS)
    )


def _dict_keys(metrics: Any) -> list[str]:
    """The keys of a scorer's dict of metrics; a list may hold such dicts too."""
    if isinstance(metrics, Mapping):
        return [str(key) for key in metrics]
    if isinstance(metrics, list):
        entries = [entry for entry in metrics if isinstance(entry, Mapping) and "name" not in entry]
        return [str(key) for entry in entries for key in entry]
    return []


def _clusters(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key in ("params", "options") and isinstance(inner, Mapping):
                cluster = inner.get("cluster")
                if isinstance(cluster, str) and cluster:
                    yield cluster
            yield from _clusters(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _clusters(inner)
