"""A ranking in a notebook: the finding, and a table with each score's interval drawn."""

from __future__ import annotations

from evalstats.analyses.rank_result import RankedBenchmark, Ranking
from evalstats.report import figures
from evalstats.report import rank_wording as wording
from evalstats.report.notebook import page, table
from evalstats.report.numbers import is_fraction
from evalstats.report.rank_table import columns, summary_columns


def html(result: Ranking) -> str:
    """What a notebook shows of a ranking; no style sheet and no script."""
    if len(result) == 1:
        return _one(result.only)
    macro = "" if result.macro is None else _one(result.macro)
    lines = {"caption": wording.heading_of_several(result), **table(summary_columns(result.benchmarks))}
    return macro + page(lines)


def _one(one: RankedBenchmark) -> str:
    estimates = [run.run.estimate for run in one]
    values = figures.limits_of(estimates)
    fraction = is_fraction(one.scale)
    axis = figures.score_axis(values, fraction, (one.scale.low, one.scale.high)) if values else None
    bars = [figures.bar_on(axis, estimate) for estimate in estimates] if axis is not None else []
    view = table(columns(one), axis, bars, " %" if fraction else "")
    said = [wording.apart_line(one), *wording.flags(one), *wording.table_notes(one)]
    return page(
        {
            "answer": wording.finding(one),
            "caption": wording.heading(one),
            **view,
            "notes": [*view["notes"], *said],
        }
    )
