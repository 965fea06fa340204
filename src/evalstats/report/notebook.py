"""Results in a notebook: the answer, a small picture, a table. Everything from a log is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evalstats.answers import Comparisons, Scorecard
from evalstats.envelope import Comparison, Score
from evalstats.report import families, figures, particulars, scoring, wording
from evalstats.report.html.page import rendered
from evalstats.report.html.rows import TONES, hero
from evalstats.report.html.scores import score_hero, score_sentence
from evalstats.report.labels import method_label
from evalstats.report.numbers import is_fraction, p_text, points_word, rate, reading_of
from evalstats.report.tables import Column
from evalstats.report.terminal import clean
from evalstats.report.text_families import family_columns
from evalstats.report.text_scores import score_columns
from evalstats.results import Estimate, TestResult

MOST_ROWS = 60
# Seen on a white page and on a near-black one, in grey too: a settled point is a triangle besides.
COLOURS = {"": "#7a828e", "up": "#3d7cc9", "down": "#c25f1e"}

View = dict[str, Any]


def html(result: Comparisons | Scorecard | Comparison | Score | Estimate | TestResult) -> str:
    """What a notebook shows of a result; no style sheet and no script."""
    if isinstance(result, Estimate):
        return page(_estimate(result))
    if isinstance(result, TestResult):
        return page(_test(result))
    if isinstance(result, Comparison):
        return page(comparison_view(result))
    if isinstance(result, Score):
        return page(_score(result))
    if len(result) == 1:
        return html(result.only)
    return page(_scores(result) if isinstance(result, Scorecard) else _comparisons(result))


def page(view: View) -> str:
    """A view as HTML."""
    empty: View = {"answer": "", "picture": None, "axis": None, "notes": [], "tones": COLOURS}
    return rendered("notebook.html.j2", **{**empty, **view})


def table(
    columns: Sequence[Column],
    axis: figures.Axis | None = None,
    bars: Sequence[figures.Bar] = (),
    unit: str = "",
) -> View:
    """The columns that hold anything, cut to MOST_ROWS rows, each row with its bar where there is an axis."""
    kept = [column for column in columns if any(column.texts)]
    titles = [{"title": clean(column.title), "side": "right" if column.right else "left"} for column in kept]
    n = len(kept[0].texts)
    rows = [
        {"cells": [column.texts[at] for column in kept], "bar": bars[at] if bars else None}
        for at in range(min(n, MOST_ROWS))
    ]
    notes = [f"and {n - MOST_ROWS:,} more rows: see .rows()"] if n > MOST_ROWS else []
    if axis is not None:
        titles.append({"title": f"{axis.ticks[0].text} to {axis.ticks[-1].text}{unit}", "side": "center"})
    return {"columns": titles, "rows": rows, "notes": notes, "axis": axis}


def _picture(shown: View, unit: str) -> View:
    """An interval's picture from what a page shows large, its three numbers over it."""
    bar = shown["bar"]
    places = ((bar.low, shown["low"]), (bar.point, shown["point"]), (bar.high, shown["high"]))
    texts = [(at, text) for at, text in places if at is not None and text]
    if len(texts) == 3 and not shown["labelled"]:  # for lack of room, one text in the middle
        texts = [(bar.point, f"{shown['low']} to {shown['high']}")]
    return {"axis": shown["axis"], "bar": bar, "texts": texts, "said": shown["said"], "unit": unit}


def comparison_view(row: Comparison) -> View:
    """The verdict, the interval and the row."""
    unit = "candidate − baseline, points" if is_fraction(row.scale) else "candidate − baseline"
    return {
        "answer": wording.headline(row),
        "picture": _picture(hero(row), unit),
        "caption": wording.heading(row),
        **table(family_columns([row], None)),
    }


def _comparisons(result: Comparisons) -> View:
    """A forest beside the table, where all rows are on one scale."""
    rows = families.in_order(result.primary)
    columns = [column for column in family_columns(rows, result.family) if column.title != "adjusted"]
    view = {"answer": families.finding(rows), "caption": families.family_heading(result)}
    fractions = {is_fraction(row.scale) for row in rows}
    if len(fractions) > 1:
        return {**view, **table(columns)}
    unit = " points" if True in fractions else ""
    axis = figures.difference_axis(figures.reach_of([r.difference for r in rows]), True in fractions, 3)
    bars = [figures.bar_on(axis, row.difference, TONES.get(row.direction, "")) for row in rows]
    return {**view, **table(columns, axis, bars, unit)}


def _score(row: Score) -> View:
    unit = "per cent" if is_fraction(row.scale) else "score"
    return {
        "answer": score_sentence(row),
        "picture": _picture(score_hero(row), unit),
        "caption": scoring.score_heading(row),
        **table(score_columns([row])),
    }


def _scores(result: Scorecard) -> View:
    rows = result.primary
    view = {"caption": f"{particulars.label(rows[0].run)} · {len(particulars.benchmarks(rows))} benchmarks"}
    values = figures.limits_of([row.run.estimate for row in rows])
    if len({is_fraction(row.scale) for row in rows}) > 1 or not values:
        return {**view, **table(score_columns(rows))}
    first = rows[0].scale
    axis = figures.score_axis(values, is_fraction(first), (first.low, first.high))
    bars = [figures.bar_on(axis, row.run.estimate) for row in rows]
    return {**view, **table(score_columns(rows), axis, bars, " %" if is_fraction(first) else "")}


def _estimate(estimate: Estimate) -> View:
    """A number alone, as the functions that take numbers return it."""
    fraction = estimate.unit == "fraction"
    reading = reading_of((estimate.point, estimate.ci_low, estimate.ci_high), fraction)
    known = particulars.has_interval(estimate)
    limits = [reading.plain(end) if known else "" for end in (estimate.ci_low, estimate.ci_high)]
    point = rate(reading, estimate.point) if estimate.point == estimate.point else "not known"
    interval = f"{limits[0]} to {limits[1]}" if known else "no interval"
    values = figures.limits_of([estimate])
    ends = (None, None) if min(values, default=0.0) < 0 or not fraction else (0.0, 1.0)
    picture = None
    if known:
        axis = figures.score_axis(values, fraction, ends)
        said = f"The interval runs from {limits[0]} to {limits[1]}, with the estimate at {point}."
        bar = figures.bar_on(axis, estimate)
        shown = {"axis": axis, "bar": bar, "low": limits[0], "high": limits[1], "point": point}
        picture = _picture({**shown, "said": said, "labelled": True}, "per cent" if fraction else "score")
    columns = [
        Column("estimate", (point,)),
        Column("interval", (interval,)),
        Column("how", (particulars.interval_source(estimate),), right=False),
        Column("n", (f"{estimate.n:,}",)),
    ]
    return {"picture": picture, "caption": clean(estimate.name, 60), **table(columns)}


def _test(test: TestResult) -> View:
    fraction = test.unit == "fraction"
    reading = reading_of((test.effect,), fraction)
    effect = reading.signed(test.effect) if test.effect == test.effect else "not known"
    statistic = f"{test.statistic:.4g}" if test.statistic == test.statistic else "not known"
    columns = [
        Column("p", (p_text(test.pvalue) if test.pvalue == test.pvalue else "not known",)),
        Column("effect", (f"{effect}{points_word(reading, effect)}",)),
        Column(clean(str(test.extra.get("statistic_kind", "statistic"))), (statistic,)),
        Column("test", (method_label(test.method),), right=False),
        Column("n", (f"{test.n:,}",)),
    ]
    return {"caption": clean(test.name, 60), **table(columns)}
