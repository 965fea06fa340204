"""The harness's own mean and standard error, and the same formulas on our items: a check of our reading."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evalstats.data.items import field_named, item_scores
from evalstats.data.scores import BenchmarkScores, HarnessFigure, Header, Scores

AGREES = 1e-9


@dataclass(frozen=True)
class HarnessCheck:
    """One number of the harness and ours. ours : nan where the log lacks what the formula needs.

    average : of a group's mean, which one it is: macro (each benchmark the same) or micro (each item).
    """

    metric: str
    kind: str
    cluster: str | None
    harness: float
    ours: float
    average: str | None = None

    @property
    def agrees(self) -> bool:
        return math.isclose(self.harness, self.ours, rel_tol=AGREES, abs_tol=AGREES)


def checks_of(part: BenchmarkScores) -> tuple[HarnessCheck, ...]:
    """Every figure the harness printed for one benchmark, recomputed."""
    return tuple(_checked(figure, _recomputed(figure, part)) for figure in part.header.harness)


def group_checks(group: Header, scores: Scores) -> tuple[HarnessCheck, ...]:
    """A group's figures: the average over its members, named, and their pooled standard error."""
    members = [p for p in scores if p.benchmark in group.members and p.header.run == group.run]
    return tuple(
        _averaged(figure, members) if figure.kind == "mean" else _checked(figure, _pooled(figure, members))
        for figure in group.harness
    )


def _averaged(figure: HarnessFigure, members: list[BenchmarkScores]) -> HarnessCheck:
    """The micro average, unless the harness took the macro average (lm-eval's weight_by_size: false)."""
    micro = replace(_checked(figure, _pooled(figure, members)), average="micro")
    means = [float(y.mean()) for y, _ in (_values(part, figure.metric) for part in members) if len(y)]
    if micro.agrees or len(means) < len(members) or not means:
        return micro
    macro = replace(_checked(figure, math.fsum(means) / len(means)), average="macro")
    return macro if macro.agrees else micro


def _checked(figure: HarnessFigure, ours: float) -> HarnessCheck:
    return HarnessCheck(figure.metric, figure.kind, figure.cluster, figure.value, ours)


def _values(part: BenchmarkScores, metric: str) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Means of the scored items, and their positions; empty where the log lacks the metric."""
    if metric not in [m.metric for m in part.metrics]:
        return np.empty(0), np.empty(0, np.int64)
    items = item_scores(part.metric(metric), len(part.items))
    at = np.flatnonzero(items.scored)
    return items.y[at], at


def _recomputed(figure: HarnessFigure, part: BenchmarkScores) -> float:
    y, at = _values(part, figure.metric)
    n = len(y)
    if n == 0 or (figure.kind == "standard_error" and n < 2):
        return math.nan
    if figure.kind == "mean":
        return float(y.mean())
    if figure.cluster is None:
        return float(y.std(ddof=1) / math.sqrt(n))
    field = field_named(part.items, figure.cluster)
    if field is None:
        return math.nan
    sums = np.bincount(field.codes[at] + 1, weights=y - y.mean())
    k = len(np.unique(field.codes[at]))
    return float(math.sqrt(k / (k - 1) * (sums**2).sum()) / n) if k > 1 else math.nan


def _pooled(figure: HarnessFigure, members: list[BenchmarkScores]) -> float:
    """lm-eval: the mean weighted by size; √(Σ(nᵢ−1)sᵢ² / (N−k) / N) with sᵢ² the item variance."""
    values = [y for y, _ in (_values(part, figure.metric) for part in members)]
    if not values or any(len(y) < 2 for y in values):
        return math.nan
    total = sum(len(y) for y in values)
    if figure.kind == "mean":
        return float(sum(y.sum() for y in values) / total)
    squares = sum(float(((y - y.mean()) ** 2).sum()) for y in values)
    return math.sqrt(squares / (total - len(values)) / total)
