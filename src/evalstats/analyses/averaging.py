"""What rows of several benchmarks have in common, for the row of their average: scale, design, sides."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from evalstats.analyses.statistic_options import Weights
from evalstats.envelope import Comparison, Design, Scale, Score, Side
from evalstats.errors import InputError
from evalstats.methods.composites import counting
from evalstats.methods.macro import macro_mean

Rows = Sequence[Comparison] | Sequence[Score]
Ends = tuple[float, float] | None
NO_AVERAGE = (
    "weights: one benchmark is here, {}, and no metrics of these names. An average is over two or more."
)


def average_name(weights: Weights) -> str:
    return f"{weights if isinstance(weights, str) else 'weighted'} average"


def weights_in_order(rows: Rows, weights: Weights) -> tuple[tuple[int, ...], str | tuple[float, ...]]:
    """The places of the rows that count, and the weights of these.

    Raises InputError for a name without row, and for a row without weight.
    """
    return counting([row.benchmark for row in rows], weights if isinstance(weights, str) else dict(weights))


def one_scale(rows: Rows) -> Scale:
    """The scale of all; their average is no pass/fail. Without ends, one metric is one scale.

    Raises InputError for benchmarks of several scales.
    """
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


def _kind(row: Comparison | Score) -> tuple[object, ...]:
    ends = ends_of(row.scale)
    return (_higher_is_better(row), ends if ends is not None else row.metric)


def _higher_is_better(row: Comparison | Score) -> bool:
    return row.higher_is_better if isinstance(row, Comparison) else True


def _said(row: Comparison | Score) -> str:
    ends = ends_of(row.scale)
    reach = f"{row.metric} without ends" if ends is None else f"{ends[0]:g} to {ends[1]:g}"
    return reach if _higher_is_better(row) else f"{reach}, lower is better"


def ends_of(scale: Scale) -> Ends:
    return None if scale.low is None or scale.high is None else (scale.low, scale.high)


def metric_of(rows: Rows) -> str:
    metrics = list(dict.fromkeys(row.metric for row in rows))
    return metrics[0] if len(metrics) == 1 else f"{len(metrics)} metrics"


def design_of(rows: Rows) -> Design:
    n_items = sum(row.design.n_items for row in rows)
    return Design(
        unit="item",
        cluster_source="none",
        paired=all(row.design.paired for row in rows),
        n_items=n_items,
        n_units=sum(row.design.n_units for row in rows),
        completions=sum(row.design.completions * row.design.n_items for row in rows) / n_items,
    )


def side_of(
    sides: Sequence[Side], ends: Ends, level: float, weights: str | tuple[float, ...] = "macro"
) -> Side:
    """One run's average over the benchmarks, and its items counted together."""
    return Side(
        label=sides[0].label,
        model=sides[0].model,
        n_total=sum(side.n_total for side in sides),
        n_scored=sum(side.n_scored for side in sides),
        n_missing=sum(side.n_missing for side in sides),
        n_errored=sum(side.n_errored for side in sides),
        estimate=macro_mean([side.estimate for side in sides], ends, level=level, weights=weights),
    )


def unchecked_of(rows: Rows) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for row in rows for text in row.not_checked))
