"""One run's scores as a page shows them: one with its interval large, several as a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from evalstats.answers import Scorecard
from evalstats.envelope import Score
from evalstats.report import families, figures, particulars, scoring
from evalstats.report.html import joins, rows, shown
from evalstats.report.labels import method_label
from evalstats.report.numbers import counted, is_fraction, percent
from evalstats.report.terminal import NB, clean
from evalstats.report.text_scores import score_columns

View = dict[str, Any]


def score_view(row: Score) -> View:
    """What the templates of one score need."""
    return {
        "heading": scoring.score_heading(row),
        "name": shown.name(row.run.label),
        "model": shown.name(row.run.model) if row.run.model != row.run.label else "",
        "value": scoring.score_value(row),
        "right": scoring.right_of_score(row),
        "sentence": score_sentence(row),
        "hero": score_hero(row),
        "takes": scoring.score_lines(row),
        "counts": _counts(row),
        "missing": scoring.score_missing_lines(row),
        "care": joins.care_view(row),
        "unchecked": [shown.name(text, shown.SENTENCE) for text in particulars.unchecked(row)],
        "reach": rows.reach_text(row.run.estimate),
        "computed": _computed(row),
        "signature": clean(row.signature, 400),
    }


def score_sentence(row: Score) -> str:
    """The score and how far the truth may be from it, in one sentence to paste."""
    name, value = particulars.label(row.run), scoring.score_value(row)
    metric = clean(row.metric, 40)
    if not particulars.has_interval(row.run.estimate):
        reason = clean(particulars.why_undefined(row.run.estimate))
        return f"{name} scores {value} ({metric}); there is no interval: {reason}."
    unit = f"{NB}%" if is_fraction(row.scale) else ""
    return (
        f"{name} scores {value} ({metric}); the data fit anything from {scoring.score_interval(row)}{unit}."
    )


def score_hero(row: Score) -> View:
    """The interval of the score, its picture, and the picture in words."""
    estimate, reading = row.run.estimate, scoring.score_reading(row)
    known = particulars.has_interval(estimate)
    axis = figures.score_axis(
        figures.limits_of([estimate]) or [0.0], is_fraction(row.scale), (row.scale.low, row.scale.high)
    )
    point = reading.plain(estimate.point) if math.isfinite(estimate.point) else "not known"
    limits = [reading.plain(end) if known else "" for end in (estimate.ci_low, estimate.ci_high)]
    unit = f"{NB}%" if is_fraction(row.scale) else ""
    interval = (
        f"The {percent(estimate.level)} interval runs from {limits[0]} to {limits[1]}{unit}, "
        f"with the score at {point}."
        if known
        else f"The score is {point}{unit}; there is no interval."
    )
    bar = figures.bar_on(axis, estimate)
    return {
        "title": "Interval of the score",
        "low": limits[0],
        "high": limits[1],
        "point": point,
        "unit": unit.strip(),
        "point_unit": unit.strip(),
        "source": particulars.interval_source(estimate),
        "axis": axis,
        "bar": bar,
        **rows.room(bar, [point, *limits]),
        "margin": None,
        "left": "",
        "right": "",
        "starts": rows.axis_note(axis, row.scale.low),
        "said": interval,
    }


def _counts(row: Score) -> list[View]:
    run = row.run
    counts = [
        ("items in the log", run.n_total),
        ("scored", run.n_scored),
        ("without a score", run.n_missing),
        ("ended in an error", run.n_errored),
    ]
    return [{"name": name, "value": f"{n:,}"} for name, n in counts]


def _computed(row: Score) -> list[tuple[str, str]]:
    estimate, extra = row.run.estimate, row.run.estimate.extra
    right = scoring.right_of_score(row)
    way = (
        f"{right} = {scoring.score_value(row)}"
        if right
        else f"mean over the items = {scoring.score_value(row)}"
    )
    said = [
        ("unit", f"{rows.unit_text(row.design)}; {counted(row.design.n_items, 'item')}"),
        ("estimate", way),
        ("interval", f"{particulars.interval_source(estimate)}; {extra.get('why', '')}".strip("; ")),
        ("standard error", scoring.standard_error_text(row)),
        ("effective n", f"{extra['n_eff']:.4g}" if extra.get("n_eff") is not None else ""),
        ("scale", rows.scale_text(row)),
        ("chance", rows.chance_text(estimate.n_boot, estimate.seed)),
    ]
    return [(name, text) for name, text in said if text]


def scores_view(result: Scorecard) -> View:
    """What the template of several scores needs, in the log's order."""
    listed = result.primary
    cells = {column.title: column.texts for column in score_columns(listed)}
    shared = _shared_axis(listed)
    return {
        "name": shown.name(listed[0].run.label),
        "model": shown.name(listed[0].run.model) if listed[0].run.model != listed[0].run.label else "",
        "heading": _heading(listed),
        "axis": shared,
        "starts": rows.axis_note(shared, 0.0) if shared else "",
        "rows": [
            _row(row, at, {title: texts[at] for title, texts in cells.items()}, shared)
            for at, row in enumerate(listed)
        ],
        "under": scoring.scores_interval_line(listed),
        "care": _care(listed),
        "reach": rows.reach_text(listed[0].run.estimate),
        "unchecked": [shown.name(text, shown.SENTENCE) for text in particulars.all_unchecked(listed)],
    }


def _care(listed: Sequence[Score]) -> list[View]:
    said = (scoring.scores_missing_line(listed), *families.family_caveats(listed))
    return [{"code": "", "text": line} for line in said if line]


def _heading(listed: Sequence[Score]) -> str:
    listed = particulars.benchmarks(listed)
    n = sum(row.run.estimate.n for row in listed)
    return f"{counted(len(listed), 'benchmark')} · {counted(n, 'item')}"


def _shared_axis(listed: Sequence[Score]) -> figures.Axis | None:
    shared = [row.run.estimate for row in listed if is_fraction(row.scale)]
    values = figures.limits_of(shared)
    return figures.score_axis(values, True, (0.0, 1.0)) if values else None


def _row(row: Score, place: int, cells: dict[str, str], shared: figures.Axis | None) -> View:
    axis, own = shared, ("", "")
    if axis is None or not is_fraction(row.scale):
        values = figures.limits_of([row.run.estimate]) or [0.0]
        axis = figures.score_axis(values, is_fraction(row.scale), (row.scale.low, row.scale.high))
        own = (axis.ticks[0].text, axis.ticks[-1].text)
    return {
        "place": place,
        "name": particulars.name(row),
        "metric": shown.name(row.metric, 60),
        "count": cells["items"],
        "score": cells["score"],
        "interval": cells["interval"],
        "error": cells["standard error"],
        "right": scoring.right_of_score(row),
        "method": method_label(row.run.estimate.method),
        "unscored": row.run.n_missing + row.run.n_errored,
        "axis": axis,
        "own": own if own[0] else None,
        "bar": figures.bar_on(axis, row.run.estimate),
    }
