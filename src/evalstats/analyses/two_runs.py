"""Two logs on one question: both runs' scores as asked for, on one scale."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalstats.analyses.differing import shared_completions
from evalstats.analyses.options import Options
from evalstats.analyses.sides import Positions, as_asked, lower_is_better, values_at
from evalstats.data.design import cluster_codes
from evalstats.data.items import ItemScores, check_same_scale, item_scores, scale_of
from evalstats.data.pairing import Matched
from evalstats.data.scores import BenchmarkScores, Items, MetricScores
from evalstats.data.selection import Question
from evalstats.envelope import Scale
from evalstats.methods.items import ItemValues
from evalstats.methods.pairs import PairedItems, UnpairedItems


@dataclass(frozen=True)
class TwoRuns:
    """Both runs' scores on one question, as asked for, on one scale.

    same_source : both are read from the same files, or held in the same Scores.
    """

    question: Question
    scale: Scale
    assumed: bool
    metrics: tuple[MetricScores, MetricScores]
    items: tuple[ItemScores, ItemScores]
    lower_is_better: bool
    same_source: bool

    @property
    def parts(self) -> tuple[BenchmarkScores, BenchmarkScores]:
        return self.question.baseline, self.question.candidate

    def positioned(self, at: tuple[Positions, Positions]) -> tuple[tuple[Items, Positions], ...]:
        """Each run's items with positions in them."""
        return (self.parts[0].items, at[0]), (self.parts[1].items, at[1])

    def unscored(self, matched: Matched) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """(matched,) of each run: the items that it lists and did not score."""
        return (
            ~self.items[0].scored[matched.baseline],
            ~self.items[1].scored[matched.candidate],
        )

    @property
    def same_log(self) -> bool:
        """One run on one benchmark, named twice."""
        old, new = (part.header for part in self.parts)
        return self.same_source and (old.run, old.benchmark) == (new.run, new.benchmark)

    @property
    def grader_change(self) -> bool:
        """Two metrics of one log: the same generations under two graders."""
        return self.same_log and self.question.metric != self.question.candidate_metric


def two_runs(question: Question, options: Options, *, same_source: bool) -> TwoRuns:
    """Read one question from both logs. Raises InputError for scores that cannot be compared."""
    logged = (
        question.baseline.metric(question.metric),
        question.candidate.metric(question.candidate_metric),
    )
    check_same_scale(*logged, question.metric)
    scale, assumed = scale_of(logged, options.bounds)
    parts = (question.baseline, question.candidate)
    metrics = (
        as_asked(parts[0], logged[0], options, scale),
        as_asked(parts[1], logged[1], options, scale),
    )
    items = (
        item_scores(metrics[0], len(parts[0].items)),
        item_scores(metrics[1], len(parts[1].items)),
    )
    runs = TwoRuns(question, scale, assumed, metrics, items, lower_is_better(logged[0], options), same_source)
    return _on_shared_completions(runs) if runs.grader_change else runs


def paired_items_of(runs: TwoRuns, used: tuple[Positions, Positions], codes: Positions | None) -> PairedItems:
    """The items at these positions side by side. codes : their clusters, or None."""
    old, new = (
        values_at(items, at, runs.scale, runs.assumed) for items, at in zip(runs.items, used, strict=True)
    )
    return PairedItems(
        old.scores,
        new.scores,
        old.pass_fail,
        old.bounds,
        codes,
        old.completions,
        new.completions,
        old.within,
        new.within,
        runs.assumed,
    )


def unpaired_items_of(runs: TwoRuns, used: tuple[Positions, Positions], field: str | None) -> UnpairedItems:
    """The items at these positions, each run on its own. field : what groups them, or None."""
    old, new = (_run_at(runs, which, used[which], field) for which in (0, 1))
    return UnpairedItems(old, new)


def _run_at(runs: TwoRuns, which: int, at: Positions, field: str | None) -> ItemValues:
    values = values_at(runs.items[which], at, runs.scale, runs.assumed)
    if field is None:
        return values
    return dataclasses.replace(values, cluster=cluster_codes(field, ((runs.parts[which].items, at),)))


def _on_shared_completions(runs: TwoRuns) -> TwoRuns:
    n = len(runs.parts[0].items)
    metrics = shared_completions(*runs.metrics)
    return dataclasses.replace(
        runs, metrics=metrics, items=(item_scores(metrics[0], n), item_scores(metrics[1], n))
    )
