"""A ratio of two metrics of one log, such as cost/solved: the items with both, and their row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalstats.analyses.options import Options
from evalstats.analyses.sides import Positions, cautions_of_run, request
from evalstats.data.design import cluster_codes, cluster_field
from evalstats.data.items import ItemScores, item_scores
from evalstats.data.scores import BenchmarkScores, MetricScores
from evalstats.data.selection import Question, metric_named
from evalstats.envelope import Design, Scale, Score, Side
from evalstats.errors import InputError
from evalstats.methods.ratios import check_denominator, ratio_estimate, units_of_sums
from evalstats.results import Estimate

UNBOUNDED = Scale("unbounded")
NO_USE = ("guarantee", "largest_cluster", "bounds", "missing", "metric", "with_text")


@dataclass(frozen=True)
class RatioItems:
    """One run's items by two metrics. numerator, denominator : (items,), nan where not scored.

    scored : with both numbers. errored : one of them errored, and not both are there.
    """

    part: BenchmarkScores
    metrics: tuple[MetricScores, MetricScores]
    items: tuple[ItemScores, ItemScores]

    @property
    def scored(self) -> NDArray[np.bool_]:
        return self.items[0].scored & self.items[1].scored

    @property
    def name(self) -> str:
        """ "cost / solved"."""
        return " / ".join(metric.metric for metric in self.metrics)

    @property
    def columns(self) -> NDArray[np.float64]:
        """(items, 2)."""
        return np.column_stack([one.y for one in self.items])

    @property
    def completions(self) -> float:
        return float(np.mean(self.items[0].completions[self.scored]))

    def side(self, label: str, estimate: Estimate) -> Side:
        n_total, n_scored = len(self.part.items), int(self.scored.sum())
        errored = int(((self.items[0].errored | self.items[1].errored) & ~self.scored).sum())
        missing = n_total - n_scored - errored
        return Side(label, self.part.header.model, n_total, n_scored, missing, errored, estimate)


def ratio_name(ratio: str, part: BenchmarkScores, options: Options) -> tuple[str, str]:
    """The two metrics, full names. Raises InputError where the log has not both."""
    places = [at for at, letter in enumerate(ratio) if letter == "/"]
    for at in places:
        try:
            one, two = (
                metric_named(part, name.strip(), options.filter) for name in (ratio[:at], ratio[at + 1 :])
            )
        except InputError:
            if len(places) == 1:
                raise
            continue
        return one, two
    names = ", ".join(metric.metric for metric in part.metrics)
    raise InputError(f"ratio={ratio!r}: {part.benchmark} has not both of them. There are: {names}.")


def ratio_items(part: BenchmarkScores, options: Options) -> RatioItems:
    """Raises InputError where no item has both numbers, and for a denominator that is none."""
    one, two = (part.metric(name) for name in ratio_name(options.ratio or "", part, options))
    n = len(part.items)
    items = RatioItems(part, (one, two), (item_scores(one, n), item_scores(two, n)))
    if not items.scored.any():
        raise InputError(f"{part.benchmark}: no item was scored by both {one.metric} and {two.metric}.")
    check_denominator(items.columns[items.scored, 1], f"{part.benchmark}'s {two.metric}")
    return items


def ratio_score(question: Question, label: str, options: Options) -> Score:
    """The row of one benchmark."""
    options.refuse(NO_USE, "a ratio of two metrics has no such thing.")
    if options.view != "random_items":
        raise InputError("view: a ratio of two metrics is about questions like these; leave view out.")
    items = ratio_items(question.baseline, options)
    at = np.flatnonzero(items.scored)
    named, codes = clusters_of(items.part, at, options)
    x, y = items.columns[at].T
    units = units_of_sums(x, y, codes)
    estimate = ratio_estimate(units, codes is not None, request(options, name=items.name))
    cautions = [
        one
        for metric_scores, own in zip(items.metrics, items.items, strict=True)
        for one in cautions_of_run(label, items.part, metric_scores, own, options)
    ]
    return Score(
        benchmark=question.benchmark,
        metric=items.name,
        primary=True,
        slice=None,
        scale=UNBOUNDED,
        design=design_of_ratio(named, at, units.k, items.completions, paired=False),
        run=items.side(label, estimate),
        missing_bounds=None,
        caveats=(*estimate.extra["caveats"], *once(cautions)),
        not_checked=(),
        signature=estimate.signature,
    )


def design_of_ratio(
    named: tuple[str, str] | None, at: Positions, k: int, completions: float, *, paired: bool
) -> Design:
    return Design(
        unit=named[0] if named else "item",
        cluster_source=named[1] if named else "none",
        paired=paired,
        n_items=len(at),
        n_units=k,
        completions=completions,
    )


def clusters_of(
    part: BenchmarkScores, at: Positions, options: Options
) -> tuple[tuple[str, str] | None, Positions | None]:
    """The field that groups the items and its source, and the items' codes."""
    named = cluster_field((part.header,), options.cluster)
    return named, None if named is None else cluster_codes(named[0], ((part.items, at),))


def once(cautions: list[dict[str, str]]) -> list[dict[str, str]]:
    """Both metrics of a log say the same of it."""
    return [one for place, one in enumerate(cautions) if one not in cautions[:place]]
