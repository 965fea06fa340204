"""The row of one run's average over its benchmarks: macro, micro or weighted, and named so."""

from __future__ import annotations

from collections.abc import Sequence

from evalstats.analyses.averaging import (
    NO_AVERAGE,
    average_name,
    design_of,
    ends_of,
    metric_of,
    one_scale,
    side_of,
    unchecked_of,
    weights_in_order,
)
from evalstats.analyses.harness_check import HarnessCheck, group_checks
from evalstats.analyses.options import Options
from evalstats.analyses.statistic_options import Weights
from evalstats.data.scores import Scores
from evalstats.envelope import Score
from evalstats.errors import InputError, NoGuaranteeError


def composite_score(rows: Sequence[Score], options: Options, weights: Weights) -> Score:
    """The average over benchmarks of one scale. Raises InputError for one benchmark, several scales, or
    weights that do not fit; NoGuaranteeError where a guarantee is asked for."""
    if options.guarantee:
        raise NoGuaranteeError("an average over benchmarks has no guaranteed interval. Leave guarantee out.")
    if len(rows) < 2:
        raise InputError(NO_AVERAGE.format(rows[0].benchmark))
    kept, counted = weights_in_order(rows, weights)
    rows = [rows[at] for at in kept]
    scale = one_scale(rows)
    run = side_of([row.run for row in rows], ends_of(scale), options.level, counted)
    return Score(
        benchmark=average_name(weights),
        metric=metric_of(rows),
        primary=True,
        slice=None,
        scale=scale,
        design=design_of(rows),
        run=run,
        missing_bounds=None,
        caveats=tuple(run.estimate.extra["caveats"]),
        not_checked=unchecked_of(rows),
        signature=run.estimate.signature,
    )


def group_notes(rows: Sequence[Score], scores: Scores) -> tuple[str, ...]:
    """What the harness's own group score over these benchmarks is, recomputed from their items."""
    names = {row.benchmark for row in rows}
    metrics = {row.metric for row in rows}
    return tuple(
        _said(group.benchmark, check)
        for group in scores.groups
        if set(group.members) == names
        for check in group_checks(group, scores)
        if check.average is not None and check.metric in metrics
    )


def _said(group: str, check: HarnessCheck) -> str:
    name = f"the harness's {group} ({check.metric}), {check.harness:.4g}"
    if check.agrees:
        return f"{name}, is the {check.average} average of these benchmarks: recomputed from the items."
    return f"{name}, is no average of these items: micro is {check.ours:.4g}."
