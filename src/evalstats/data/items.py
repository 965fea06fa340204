"""From rows to items: the mean of each item's scored completions, and what became of the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalstats.data.scores import ERRORED, SCORED, Bounds, Field, Items, MetricScores
from evalstats.envelope import Scale
from evalstats.errors import InputError
from evalstats.numeric import group_sums

_PREFIXES = ("metadata.", "doc.")  # Inspect and lm-eval users write the path inside their log


@dataclass(frozen=True)
class ItemScores:
    """Every item of one run by one metric, (items,) arrays in the order of Items.

    y : mean of the scored completions, nan if none. completions : how many were scored.
    within : sum of squared deviations of the completions from y. logged : rows there are.
    errored : an error was logged and nothing scored.
    """

    y: NDArray[np.float64]
    completions: NDArray[np.int64]
    within: NDArray[np.float64]
    logged: NDArray[np.int64]
    errored: NDArray[np.bool_]

    @property
    def scored(self) -> NDArray[np.bool_]:
        return self.completions > 0


def item_scores(metric: MetricScores, n_items: int) -> ItemScores:
    """Reduce completions to items (estimand item_mean: METHODS, Conventions)."""
    scored = metric.status == SCORED
    item, score = metric.item[scored].astype(np.intp), metric.score[scored]
    completions = np.bincount(item, minlength=n_items)
    first = np.full(n_items, np.nan)
    first[item[::-1]] = score[::-1]
    varies = np.bincount(item, weights=score != first[item], minlength=n_items) > 0
    with np.errstate(invalid="ignore"):
        means = group_sums(score, item, n_items) / completions
    y = np.where(varies, means, first)  # exact where all are equal
    within = group_sums((score - y[item]) ** 2, item, n_items)
    errors = np.bincount(metric.item[metric.status == ERRORED], minlength=n_items)
    return ItemScores(
        y=y,
        completions=completions,
        within=within,
        logged=np.bincount(metric.item, minlength=n_items),
        errored=(errors > 0) & (completions == 0),
    )


def fill_missing(metric: MetricScores, n_items: int, score: float) -> MetricScores:
    """The same rows with every unscored completion, and every item without a row, at `score`."""
    unscored = metric.status != SCORED
    absent = np.setdiff1d(np.arange(n_items, dtype=np.int32), metric.item)
    return MetricScores(
        metric.metric,
        np.concatenate([metric.item, absent]),
        np.concatenate([metric.epoch, np.ones(len(absent), np.int32)]),
        np.concatenate([np.where(unscored, score, metric.score), np.full(len(absent), score)]),
        np.zeros(len(metric.item) + len(absent), np.uint8),
        metric.bounds,
        metric.higher_is_better,
        metric.duplicates,
    )


def scale_of(metrics: tuple[MetricScores, ...], asked: Bounds | None) -> tuple[Scale, bool]:
    """The scale of one question over its runs, and whether it was assumed from the values (DECISIONS 14).

    Raises InputError for a score outside the scale, naming it.
    """
    values = np.unique(np.concatenate([m.score[m.status == SCORED] for m in metrics]))
    fixed = asked or next((m.bounds for m in metrics if m.bounds is not None), None)
    binary = bool(np.isin(values, (0.0, 1.0)).all())
    if fixed is None and binary and len(values):
        return Scale("pass_fail", 0.0, 1.0), False
    if fixed is None:
        inside = bool(len(values)) and values[0] >= 0.0 and values[-1] <= 1.0
        return (Scale("bounded", 0.0, 1.0), True) if inside else (Scale("unbounded"), False)
    low, high = float(fixed[0]), float(fixed[1])
    outside = values[(values < low) | (values > high)]
    if len(outside):
        raise InputError(
            f"{metrics[0].metric} has a score of {outside[0]:g}, outside its scale from {low:g} to {high:g}. "
            f"Give the right scale with --bounds LOW,HIGH, or mend the scores."
        )
    return Scale("pass_fail" if binary and fixed == (0.0, 1.0) else "bounded", low, high), False


def check_same_scale(baseline: MetricScores, candidate: MetricScores, metric: str) -> None:
    """Refuse per cent on one side and fractions on the other."""
    tops = [
        float(np.nanmax(m.score)) if (m.status == SCORED).any() else np.nan for m in (baseline, candidate)
    ]
    small, large = min(tops), max(tops)
    in_hundreds = all(
        bool(np.isin(m.score[m.status == SCORED], (0.0, 1.0)).all())
        or bool(np.isin(m.score[m.status == SCORED], (0.0, 100.0)).all())
        for m in (baseline, candidate)
    )
    if in_hundreds and small == 1.0 and large == 100.0:
        raise InputError(
            f"{metric} runs from 0 to 1 in one run and from 0 to 100 in the other: "
            f"divide the larger by 100, or multiply the smaller, so that both have one scale."
        )


def per_cent_beside_fractions(metrics: tuple[MetricScores, MetricScores]) -> tuple[float, float] | None:
    """The largest score of each run, where one run's lie from 0 to 1 and the other's reach 10 to 100."""
    scored = [metric.score[metric.status == SCORED] for metric in metrics]
    if not all(len(scores) and scores.min() >= 0 for scores in scored):
        return None
    tops = float(scored[0].max()), float(scored[1].max())
    return tops if min(tops) <= 1 and 10 < max(tops) <= 100 else None


def field_key(items: Items, name: str) -> str | None:
    """A metadata field's own name, asked for with or without the harness's prefix; None if absent."""
    for prefix in ("", *_PREFIXES):
        if name.startswith(prefix) and name.removeprefix(prefix) in items.fields:
            return name.removeprefix(prefix)
    return None


def field_named(items: Items, name: str) -> Field | None:
    """A metadata field by its name, with or without the harness's prefix; None if there is none."""
    key = field_key(items, name)
    return None if key is None else items.fields[key]
