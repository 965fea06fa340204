"""The row of the average over benchmarks, each with its weight and its own variance; by default macro."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from evalstats.analyses.averaging import (
    average_name,
    design_of,
    ends_of,
    metric_of,
    one_scale,
    side_of,
    unchecked_of,
    weights_in_order,
)
from evalstats.analyses.comparison_row import comparison_signature
from evalstats.analyses.family import with_verdict
from evalstats.analyses.options import Options, size_in_score_units
from evalstats.analyses.planning import needed_items, smallest_shown
from evalstats.analyses.statistic_options import Weights
from evalstats.analyses.tried import best_of
from evalstats.envelope import Comparison, MissingBounds
from evalstats.methods.macro import macro_difference
from evalstats.numeric import two_sided_t
from evalstats.results import Estimate, TestResult

MACRO = "macro average"


def macro_row(rows: Sequence[Comparison], options: Options, weights: Weights = "macro") -> Comparison:
    """The average over benchmarks of one scale, with the margin asked for.

    Raises InputError for benchmarks of several scales, and for weights without benchmark or the other way
    round; MethodError for a benchmark of a single item.
    """
    kept, counted = weights_in_order(rows, weights)
    rows = [rows[at] for at in kept]
    scale = one_scale(rows)
    ends = ends_of(scale)
    margin = None if options.margin is None else size_in_score_units("margin", options.margin, scale)
    level = options.level
    difference = macro_difference([row.difference for row in rows], ends, level=level, weights=counted)
    mde, note = smallest_shown(difference, options.level)
    test = _test(difference)
    row = Comparison(
        benchmark=average_name(weights),
        metric=metric_of(rows),
        scale=scale,
        design=design_of(rows),
        baseline=side_of([row.baseline for row in rows], ends, level, counted),
        candidate=side_of([row.candidate for row in rows], ends, level, counted),
        difference=difference,
        test=test,
        margin=margin,
        higher_is_better=rows[0].higher_is_better,
        mde=mde,
        mde_note=note,
        needed=needed_items(None, margin, difference, options.level),
        tried=best_of(options.tried, test, higher_is_better=rows[0].higher_is_better),
        caveats=tuple(difference.extra["caveats"]),
        not_checked=unchecked_of(rows),
        signature=comparison_signature(difference, test),
    )
    return with_verdict(dataclasses.replace(row, missing=_missing(rows, row, level, counted)), None, False)


def _test(difference: Estimate) -> TestResult | None:
    """t of the stratified variance; None where none was seen."""
    if not difference.standard_error > 0:
        return None
    t, df = difference.point / difference.standard_error, difference.extra["df"]
    extra = {"df": df, "statistic_kind": "t", "unit": difference.unit}
    return TestResult(
        "difference", t, two_sided_t(t, df), difference.point, "stratified_t", difference.n, extra
    )


def _missing(
    rows: Sequence[Comparison], row: Comparison, level: float, weights: str | tuple[float, ...]
) -> MissingBounds | None:
    """The average with every benchmark's unscored items filled against the candidate, and for it."""
    if all(one.missing is None for one in rows):
        return None
    worst, best = (
        macro_difference(
            [one.difference if one.missing is None else getattr(one.missing, end) for one in rows],
            ends_of(row.scale),
            level=level,
            weights=weights,
        )
        for end in ("worst", "best")
    )
    verdicts = [
        with_verdict(dataclasses.replace(row, difference=filled), None, False).verdict
        for filled in (worst, best)
    ]
    return MissingBounds(worst, best, verdicts[0], verdicts[1], math.nan)
