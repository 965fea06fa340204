"""From rows to items: the mean of each item's scored completions, and what became of the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.data.scores import ERRORED, NO_BYTE, SCORED, Bounds, Field, Items, MetricScores
from evalstats.envelope import Scale
from evalstats.errors import InputError
from evalstats.numeric import group_sums

_PREFIXES = ("metadata.", "doc.")  # Inspect and lm-eval users write the path inside their log


@dataclass(frozen=True)
class ItemScores:
    """Every item of one run by one metric, (items,) arrays in the order of Items.

    means : of the scored completions, NO_BYTE or nan if none; bytes where scores are and no item's vary.
    completions : how many were scored. logged : rows there are. errored : an error was logged and nothing
    scored. varying : sum of squared deviations of the completions from their mean; None where all are 0.
    """

    means: NDArray[np.uint8] | NDArray[np.float64]
    completions: NDArray[np.int64]
    varying: NDArray[np.float64] | None
    logged: NDArray[np.int64]
    errored: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.means)

    @property
    def scored(self) -> NDArray[np.bool_]:
        return self.completions > 0

    @property
    def y(self) -> NDArray[np.float64]:
        """The means as floats, nan where there is none."""
        return np.where(self.scored, self.means, np.nan)

    @property
    def within(self) -> NDArray[np.float64]:
        return np.zeros(len(self)) if self.varying is None else self.varying


def item_scores(metric: MetricScores, n_items: int) -> ItemScores:
    """Reduce completions to items (estimand item_mean)."""
    scored = metric.status == SCORED
    item, score = metric.item[scored].astype(np.intp), metric.score[scored]
    completions = np.bincount(item, minlength=n_items)
    errors = np.bincount(metric.item[metric.status == ERRORED], minlength=n_items)
    means, varying = _reduced(item, score, completions)
    return ItemScores(
        means=means,
        completions=completions,
        varying=varying,
        logged=np.bincount(metric.item, minlength=n_items),
        errored=(errors > 0) & (completions == 0),
    )


def _reduced(
    item: NDArray[np.intp], score: NDArray[Any], completions: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[np.float64] | None]:
    """Of each item the mean of its scores, exact where all are equal, and Σ(x − mean)² if any is not 0."""
    n_items = len(completions)
    first = np.full(n_items, NO_BYTE if score.dtype == np.uint8 else np.nan, dtype=score.dtype)
    first[item[::-1]] = score[::-1]
    differs = score != first[item]
    if not differs.any():
        return first, None
    varies = np.bincount(item, weights=differs, minlength=n_items) > 0
    floats = score.astype(np.float64)
    with np.errstate(invalid="ignore"):
        means = group_sums(floats, item, n_items) / completions
    means = np.where(varies, means, np.where(completions > 0, first, np.nan))
    return means, group_sums((floats - means[item]) ** 2, item, n_items)


def fill_missing(metric: MetricScores, n_items: int, score: float) -> MetricScores:
    """The same rows with every unscored completion, and every item without a row, at `score`."""
    unscored = metric.status != SCORED
    absent = np.setdiff1d(np.arange(n_items, dtype=np.int32), metric.item)
    byte = metric.score.dtype == np.uint8 and 0 <= score < NO_BYTE and score == int(score)
    given = np.uint8(score) if byte else np.float64(score)
    return MetricScores(
        metric.metric,
        np.concatenate([metric.item, absent]),
        np.concatenate([metric.epoch, np.ones(len(absent), np.int32)]),
        np.concatenate([np.where(unscored, given, metric.score), np.full(len(absent), given)]),
        np.zeros(len(metric.item) + len(absent), np.uint8),
        metric.bounds,
        metric.higher_is_better,
        metric.duplicates,
    )


def scale_of(metrics: tuple[MetricScores, ...], asked: Bounds | None) -> tuple[Scale, bool]:
    """The scale of one question over its runs, and whether it was assumed from the values.

    Raises InputError for a score outside the scale, naming it.
    """
    values = np.unique(np.concatenate([_distinct(m) for m in metrics]))
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


def _distinct(metric: MetricScores) -> NDArray[np.float64]:
    """Every score that occurs, once if they are bytes."""
    scores = metric.score[metric.status == SCORED]
    if scores.dtype != np.uint8:
        return np.asarray(scores, dtype=np.float64)
    return np.flatnonzero(np.bincount(scores)).astype(np.float64)


def check_same_scale(baseline: MetricScores, candidate: MetricScores, metric: str) -> None:
    """Refuse per cent on one side and fractions on the other."""
    values = [_distinct(one) for one in (baseline, candidate)]
    tops = [float(one.max()) if len(one) else np.nan for one in values]
    small, large = min(tops), max(tops)
    in_hundreds = all(
        bool(np.isin(one, (0.0, 1.0)).all()) or bool(np.isin(one, (0.0, 100.0)).all()) for one in values
    )
    if in_hundreds and small == 1.0 and large == 100.0:
        raise InputError(
            f"{metric} runs from 0 to 1 in one run and from 0 to 100 in the other: "
            f"divide the larger by 100, or multiply the smaller, so that both have one scale."
        )


def two_scales(metrics: Sequence[MetricScores], scale: Scale) -> dict[int, float]:
    """The places of two runs that seem to have a scale each, and their largest scores; empty where none do.

    All scores of one lie from 0 to 1; those of the other reach 10 to 100, or, where no ends of the scale were
    declared, 1 to 10 and never less than 1.
    """
    found = {j: metric.score[metric.status == SCORED] for j, metric in enumerate(metrics)}
    ends = {j: (float(scores.min()), float(scores.max())) for j, scores in found.items() if len(scores)}
    small = [j for j, (low, high) in ends.items() if low >= 0 and high <= 1]
    least = 1.0 if scale.kind == "unbounded" else np.inf
    large = [j for j, (low, high) in ends.items() if _is_larger_scale(low, high, least)]
    return {j: ends[j][1] for j in sorted((small[0], large[0]))} if small and large else {}


def _is_larger_scale(low: float, high: float, least: float) -> bool:
    return (low >= 0 and 10 < high <= 100) or (low >= least and 1 < high <= 10)


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
