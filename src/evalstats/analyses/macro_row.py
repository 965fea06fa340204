"""The row of the macro average: every benchmark counts the same, and its variance is the benchmark's own."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from evalstats.analyses.comparison_row import comparison_signature
from evalstats.analyses.family import with_verdict
from evalstats.analyses.options import Options, size_in_score_units
from evalstats.analyses.planning import needed_items, smallest_shown
from evalstats.analyses.tried import best_of
from evalstats.envelope import Comparison, Design, MissingBounds, Scale, Side
from evalstats.errors import InputError
from evalstats.methods.macro import macro_difference, macro_mean
from evalstats.numeric import two_sided_t
from evalstats.results import Estimate, TestResult

MACRO = "macro average"


def macro_row(rows: Sequence[Comparison], options: Options) -> Comparison:
    """The average over benchmarks of one scale, with the margin asked for.

    Raises InputError for benchmarks of several scales, MethodError for one of a single item.
    """
    scale = _one_scale(rows)
    ends = _ends(scale)
    margin = None if options.margin is None else size_in_score_units("margin", options.margin, scale)
    difference = macro_difference([row.difference for row in rows], ends, level=options.level)
    mde, note = smallest_shown(difference, options.level)
    test = _test(difference)
    row = Comparison(
        benchmark=MACRO,
        metric=_metric(rows),
        scale=scale,
        design=_design(rows),
        baseline=_side([row.baseline for row in rows], ends, options.level),
        candidate=_side([row.candidate for row in rows], ends, options.level),
        difference=difference,
        test=test,
        margin=margin,
        higher_is_better=rows[0].higher_is_better,
        mde=mde,
        mde_note=note,
        needed=needed_items(None, margin, difference, options.level),
        tried=best_of(options.tried, test, higher_is_better=rows[0].higher_is_better),
        caveats=tuple(difference.extra["caveats"]),
        not_checked=tuple(dict.fromkeys(text for row in rows for text in row.not_checked)),
        signature=comparison_signature(difference, test),
    )
    return with_verdict(dataclasses.replace(row, missing=_missing(rows, row, options)), None, False)


def _one_scale(rows: Sequence[Comparison]) -> Scale:
    """The scale of all; their average is no pass/fail. Without ends, one metric is one scale."""
    scales = {_kind(row): row for row in rows}
    if len(scales) > 1:
        listed = "; ".join(f"{row.benchmark}: {_said(row)}" for row in scales.values())
        raise InputError(
            f"the benchmarks are not on one scale ({listed}), so that their average means nothing and cannot "
            "carry one margin. Choose some with --task, or write a plan with a margin for each: "
            "evalstats init RUN."
        )
    scale = rows[0].scale
    return scale if scale.kind == "unbounded" else dataclasses.replace(scale, kind="bounded")


def _kind(row: Comparison) -> tuple[object, ...]:
    ends = _ends(row.scale)
    return (row.higher_is_better, ends if ends is not None else row.metric)


def _said(row: Comparison) -> str:
    ends = _ends(row.scale)
    reach = f"{row.metric} without ends" if ends is None else f"{ends[0]:g} to {ends[1]:g}"
    return reach if row.higher_is_better else f"{reach}, lower is better"


def _ends(scale: Scale) -> tuple[float, float] | None:
    return None if scale.low is None or scale.high is None else (scale.low, scale.high)


def _metric(rows: Sequence[Comparison]) -> str:
    metrics = list(dict.fromkeys(row.metric for row in rows))
    return metrics[0] if len(metrics) == 1 else f"{len(metrics)} metrics"


def _design(rows: Sequence[Comparison]) -> Design:
    n_items = sum(row.design.n_items for row in rows)
    return Design(
        unit="item",
        cluster_source="none",
        paired=all(row.design.paired for row in rows),
        n_items=n_items,
        n_units=sum(row.design.n_units for row in rows),
        completions=sum(row.design.completions * row.design.n_items for row in rows) / n_items,
    )


def _side(sides: Sequence[Side], ends: tuple[float, float] | None, level: float) -> Side:
    return Side(
        label=sides[0].label,
        model=sides[0].model,
        n_total=sum(side.n_total for side in sides),
        n_scored=sum(side.n_scored for side in sides),
        n_missing=sum(side.n_missing for side in sides),
        n_errored=sum(side.n_errored for side in sides),
        estimate=macro_mean([side.estimate for side in sides], ends, level=level),
    )


def _test(difference: Estimate) -> TestResult | None:
    """t of the stratified variance; None where none was seen."""
    if not difference.standard_error > 0:
        return None
    t, df = difference.point / difference.standard_error, difference.extra["df"]
    extra = {"df": df, "statistic_kind": "t", "unit": difference.unit}
    return TestResult(
        "difference", t, two_sided_t(t, df), difference.point, "stratified_t", difference.n, extra
    )


def _missing(rows: Sequence[Comparison], row: Comparison, options: Options) -> MissingBounds | None:
    """The average with every benchmark's unscored items filled against the candidate, and for it."""
    if all(one.missing is None for one in rows):
        return None
    worst, best = (
        macro_difference(
            [one.difference if one.missing is None else getattr(one.missing, end) for one in rows],
            _ends(row.scale),
            level=options.level,
        )
        for end in ("worst", "best")
    )
    verdicts = [
        with_verdict(dataclasses.replace(row, difference=filled), None, False).verdict
        for filled in (worst, best)
    ]
    return MissingBounds(worst, best, verdicts[0], verdicts[1], math.nan)
