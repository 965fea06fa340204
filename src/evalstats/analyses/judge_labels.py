"""A judge's scores beside people's labels of some of the same answers, item by item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalstats.analyses.labelled_sample import Labels, joined
from evalstats.analyses.options import Options
from evalstats.analyses.sides import Positions, as_asked
from evalstats.data.design import cluster_field
from evalstats.data.items import ItemScores, item_scores, scale_of
from evalstats.data.scores import BenchmarkScores, MetricScores
from evalstats.envelope import Scale
from evalstats.errors import InputError, MethodError
from evalstats.numeric import group_means

Array = NDArray[np.float64]


@dataclass(frozen=True)
class JudgeRun:
    """One run on one question, as a judge scored it; items in the order of the log."""

    part: BenchmarkScores
    metric: MetricScores
    items: ItemScores
    scale: Scale
    assumed: bool

    @property
    def one_completion(self) -> bool:
        return bool((self.items.completions <= 1).all())

    @property
    def judged(self) -> Positions:
        """Positions of the items that the judge scored."""
        return np.flatnonzero(self.items.scored)


def judge_run(
    part: BenchmarkScores, name: str, options: Options, other: MetricScores | None = None
) -> JudgeRun:
    """The judge's scores as asked for. other : of the run beside it, which shares the scale.

    Raises MethodError for a run in clusters.
    """
    declared = cluster_field((part.header,), options.cluster)
    if declared is not None:
        raise MethodError(
            f"{part.benchmark} is in clusters of {declared[0]}, and the formulas for a judge's errors take "
            "items for independent: no corrected interval is offered in clusters. --cluster none takes them "
            "so all the same; its interval is then too narrow where clusters differ."
        )
    logged = part.metric(name)
    scale, assumed = scale_of((logged,) if other is None else (logged, other), options.bounds)
    metric = as_asked(part, logged, options, scale)
    return JudgeRun(part, metric, item_scores(metric, len(part.items)), scale, assumed)


@dataclass(frozen=True)
class LabelledRun:
    """A run with labels. at : (n,) positions of labelled items; labels, judge : (n,) of these, each the mean
    over the item's labelled completions. rest : (N,) positions of the other judged items."""

    run: JudgeRun
    at: Positions
    labels: Array
    judge: Array
    rest: Positions
    n_unscored: int
    n_blank: int

    @property
    def right_or_wrong(self) -> bool:
        """Labels and judge scores are 0 or 1, one completion each: error rates are defined."""
        both = np.isin(np.concatenate([self.labels, self.judge]), (0.0, 1.0))
        return self.run.scale.kind == "pass_fail" and self.run.one_completion and bool(both.all())


def labelled_run(run: JudgeRun, labels: Labels) -> LabelledRun:
    """Labels joined to the run by id. Raises PairingError and InputError for labels that do not fit."""
    found = joined(labels, run.part, run.metric)
    if not len(found.item):
        raise InputError(
            f"{labels.table.path}: no labelled answer of {run.part.benchmark} has a judge's score."
        )
    human = found.human_scores
    _check_scale(run, human, labels.table.path)
    at, place = np.unique(found.item, return_inverse=True)
    of_items = [group_means(values, place, len(at)) for values in (human, found.judge)]
    rest = np.setdiff1d(run.judged, at)
    return LabelledRun(run, at, of_items[0], of_items[1], rest, found.n_unscored, found.n_blank)


def label_means(labels: Labels, part: BenchmarkScores, metric: MetricScores) -> dict[int, float]:
    """position in the log -> the item's label, the mean where several of its completions have one."""
    found = joined(labels, part, metric)
    at, place = np.unique(found.item, return_inverse=True)
    means = group_means(found.human_scores, place, len(at))
    return dict(zip(at.tolist(), means.tolist(), strict=True))


def _check_scale(run: JudgeRun, human: Array, path: str) -> None:
    """Labels stand on the judge's scale: a 0/1 label beside a grade from 1 to 10 is another question."""
    low, high = run.scale.low, run.scale.high
    if low is not None and high is not None:
        outside = human[(human < low) | (human > high)]
        if len(outside):
            raise InputError(
                f"{path} has a label of {outside[0]:g}, and the judge's scores go from {low:g} to {high:g}: "
                "label on the judge's scale, or say the scale with --bounds LOW,HIGH."
            )
        if not (set(np.unique(human)) <= {0.0, 1.0} and (low > 0 or high > 1)):
            return
    elif not set(np.unique(human)) <= {0.0, 1.0}:
        return
    raise InputError(
        f"{path} has labels 0 and 1 only, and the judge's scores are grades: label on the judge's scale, or "
        "choose a metric that is right or wrong with --metric."
    )


def with_labels(parts: Sequence[str], labels: Labels) -> tuple[list[str], tuple[str, ...]]:
    """The benchmarks that have a label, and a note on the others. Raises InputError when none has."""
    found = [name for name in parts if labels.of_benchmark(name).n_labelled]
    if not found:
        raise InputError(f"{labels.table.path} holds no label yet: fill in its column `label`.")
    left = [name for name in parts if name not in found]
    return found, (f"without a label: {', '.join(left)}",) if left else ()
