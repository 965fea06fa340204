"""The interval of every slice on one axis: of one run its score, of two runs the difference."""

from __future__ import annotations

from collections.abc import Sequence

from evalstats.analyses.slices_result import Slice, Slices
from evalstats.envelope import Scale
from evalstats.report import figures
from evalstats.report.numbers import is_fraction
from evalstats.results import Estimate

TONES = {"improved": "up", "better": "up", "regressed": "down", "worse": "down"}
_BLANK = figures.Bar(None, None, None)


def shared_axis(result: Slices, steps: int = 3) -> figures.Axis | None:
    """One axis for all; None where slices are of several scales, or none has an interval.

    steps : of an axis of differences, at most, a side.
    """
    drawn = [(estimate, scale) for one in result if (estimate := _drawn(one)) and (scale := _scale(one))]
    if not drawn or len({is_fraction(scale) for _, scale in drawn}) > 1:
        return None
    estimates, (_, scale) = [estimate for estimate, _ in drawn], drawn[0]
    if result.against == "baseline":
        margins = [one.comparison.margin for one in result if one.comparison is not None]
        return figures.difference_axis(figures.reach_of(estimates, margins), is_fraction(scale), steps)
    values = figures.limits_of(estimates)
    return figures.score_axis(values, is_fraction(scale), (scale.low, scale.high)) if values else None


def bars(axis: figures.Axis, shown: Sequence[Slice]) -> list[figures.Bar]:
    """Each slice's interval; nothing where it is too small to say. Colour means decided."""
    return [
        _BLANK
        if (estimate := _drawn(one)) is None
        else figures.bar_on(axis, estimate, TONES.get(one.direction, ""))
        for one in shown
    ]


def _drawn(one: Slice) -> Estimate | None:
    if one.small:
        return None
    if one.score is not None:
        return one.score.run.estimate
    return None if one.comparison is None else one.comparison.difference


def _scale(one: Slice) -> Scale | None:
    row = one.score or one.comparison
    return None if row is None else row.scale
