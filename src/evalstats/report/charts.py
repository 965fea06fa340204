"""Pictures as Altair charts, for notebooks, slides and papers: the interval, the forest, the discordance.

Colour means decided, and never stands alone: a settled point is a triangle that points to the better
side. The hues stay apart for who cannot tell red from green, and in grey.
"""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evalstats.analyses.rank_result import RankedRun, Ranking
from evalstats.analyses.slices_result import Slices
from evalstats.answers import Comparisons, Scorecard
from evalstats.envelope import Comparison, Scale, Score
from evalstats.errors import InputError
from evalstats.report import families, figures, particulars, rank_wording, scoring, slices_wording, wording
from evalstats.report.numbers import is_fraction, reading_for
from evalstats.report.outcomes import Outcome, outcomes
from evalstats.report.terminal import clean
from evalstats.results import Estimate

KINDS = ("interval", "forest", "discordance")
COLOURS = {"better": "#14569f", "worse": "#a8430b", "not settled": "#4a525e"}
_SHAPES = {"better": "triangle-up", "worse": "triangle-down", "not settled": "circle"}
_TONES = {"improved": "better", "regressed": "worse"}
_AGREED = {"full": "#c3c8cf", "hollow": "#8a919c"}
_INK, _MARGIN = "#14171c", "#7d6c34"
_WIDTH = 560  # pixels, of the part with the marks
_PPI = 144
_INSTALL = "pip install 'evalstats-tally[{}]'"

Record = dict[str, Any]
Rows = Sequence[Comparison] | Sequence[Score]


def chart(result: Any, kind: str | None = None) -> Any:
    """A result as an Altair chart.

    kind : interval (of one row), forest (of all), discordance (what became of the items of one row); by
    default the interval of a single row and the forest of several.
    Raises InputError without Altair, and for a picture that this result has not.
    """
    if isinstance(result, Estimate):
        return _estimate(result)
    if isinstance(result, Ranking):
        return _ranking(result, kind)
    rows = _rows(result)
    asked = kind or ("interval" if len(rows) == 1 else "forest")
    if asked not in KINDS:
        raise InputError(f"there is no chart {asked!r}; there are: {', '.join(KINDS)}.")
    if asked != "forest" and len(rows) != 1:
        names = ", ".join(repr(particulars.name(row)) for row in rows[:5])
        raise InputError(f"{asked} is of one row and there are {len(rows)}: choose one, such as {names}.")
    if asked == "discordance":
        return _discordance(rows[0])
    if isinstance(rows[0], Score):
        return _scores([row for row in rows if isinstance(row, Score)])
    noun = "slice" if isinstance(result, Slices) else "benchmark"
    return _differences([row for row in rows if isinstance(row, Comparison)], noun)


def _estimate(estimate: Estimate) -> Any:
    """An estimate alone, with its interval."""
    fraction = estimate.unit == "fraction"
    axis = f"{estimate.name}, {'per cent' if fraction else 'score'}"
    scale = Scale("bounded", 0.0, 1.0) if fraction else Scale("unbounded")
    record = _record(estimate, scale, estimate.name)
    return _drawn([record], _Span.of_scores([estimate], fraction, scale), axis, str(estimate))


def _ranking(result: Ranking, kind: str | None) -> Any:
    """The runs of one benchmark, best first, each with its score's interval and the ranks it may have."""
    if kind not in (None, "forest"):
        raise InputError(f"a ranking has no chart {kind!r}; it has a forest.")
    one = result.only
    fraction = is_fraction(one.scale)
    records = [_record(run.run.estimate, one.scale, _ranked(run)) for run in one]
    span = _Span.of_scores([run.run.estimate for run in one], fraction, one.scale)
    axis = f"{one.metric}, {'per cent' if fraction else 'in its own unit'}"
    return _drawn(records, span, axis, rank_wording.heading(one), rank_wording.finding(one))


def _ranked(run: RankedRun) -> str:
    """ "heron · rank 1 to 4"."""
    return f"{clean(run.label, particulars.LABEL)} · rank {rank_wording.ranks(run)}"


def png(result: Any) -> bytes:
    """The picture of a result, twice as fine as a screen. Raises InputError without the extra `images`."""
    picture = io.BytesIO()
    _save(chart(result), picture, "png")
    return picture.getvalue()


def svg(result: Any) -> str:
    """The picture of a result as SVG. Raises InputError without the extra `images`."""
    picture = io.StringIO()
    _save(chart(result), picture, "svg")
    return picture.getvalue()


def _save(drawn: Any, picture: io.BytesIO | io.StringIO, form: str) -> None:
    try:
        import vl_convert  # noqa: F401 - an extra; Altair, which uses it, would not say how to get it
    except ImportError:
        install = _INSTALL.format("images")
        raise InputError(f"a picture needs vl-convert, which is not installed: {install}") from None
    drawn.save(picture, format=form, ppi=_PPI)


def _altair() -> Any:
    try:
        import altair  # an extra, loaded for charts alone
    except ImportError:
        install = _INSTALL.format("charts")
        raise InputError(f"a chart needs Altair, which is not installed: {install}") from None
    return altair


def _rows(result: Any) -> Rows:
    if isinstance(result, Comparisons):
        return families.in_order(result.primary)
    if isinstance(result, Scorecard):
        return result.primary
    if isinstance(result, Slices):
        return _rows_of_slices(result)
    if isinstance(result, Comparison | Score):
        return (result,)  # type: ignore[return-value]
    raise InputError(
        f"a {type(result).__name__} has no chart; an Estimate has one, and what compare, score, slices and "
        "rank return."
    )


def _rows_of_slices(result: Slices) -> Rows:
    """The slices that are not too small to say."""
    rows = slices_wording.scores_of(result) or slices_wording.compared_rows(result)
    if not rows:
        raise InputError("every slice is too small to say: there is nothing to draw.")
    return rows


def _scores(rows: Sequence[Score]) -> Any:
    fraction, first = _one_unit(rows), rows[0]
    records = [_record(row.run.estimate, row.scale, particulars.name(row)) for row in rows]
    span = _Span.of_scores([row.run.estimate for row in rows], fraction, first.scale)
    axis = f"{first.metric if len(rows) == 1 else 'score'}, {'per cent' if fraction else 'in its own unit'}"
    title = scoring.score_heading(first) if len(rows) == 1 else ""
    return _drawn(records, span, axis, " · ".join(filter(None, (particulars.label(first.run), title))))


def _differences(rows: Sequence[Comparison], noun: str) -> Any:
    """noun : what a row is."""
    fraction, first = _one_unit(rows), rows[0]
    records = [
        _record(
            row.difference, row.scale, particulars.name(row), _TONES.get(row.direction, "not settled"), True
        )
        for row in rows
    ]
    old, new = particulars.called(first)
    axis = f"{new} − {old}, {'points' if fraction else 'in the score’s unit'}"
    margins = {row.margin for row in rows}
    if len(rows) == 1:
        title, subtitle = wording.heading(first), wording.headline(first)
    else:
        title, subtitle = f"{new} against {old}", families.finding(rows, noun)
    margin = first.margin if len(margins) == 1 else None
    reach = figures.reach_of([row.difference for row in rows], [margin])
    span = _Span.of(figures.difference_axis(reach, fraction), fraction)
    return _over_rules(_drawn(records, span, axis, title, subtitle), _shown(margin, fraction), axis)


def _one_unit(rows: Rows) -> bool:
    """Whether all are read in hundredths. Raises InputError for rows that no one axis can hold."""
    fractions = [is_fraction(row.scale) for row in rows]
    if any(fractions) and not all(fractions):
        raise InputError("these rows are on different scales, which no one axis holds: choose one of them.")
    return all(fractions)


@dataclass(frozen=True)
class _Span:
    """The ends of an axis and its ticks, as they are read."""

    ends: tuple[float, float]
    ticks: tuple[float, ...]

    @classmethod
    def of(cls, axis: figures.Axis, fraction: bool) -> _Span:
        unit, steps = (100.0 if fraction else 1.0), max(1, len(axis.ticks) - 1)
        low, high = axis.low * unit, axis.high * unit
        return cls((low, high), tuple(low + (high - low) * at / steps for at in range(steps + 1)))

    @classmethod
    def of_scores(cls, estimates: Sequence[Estimate], fraction: bool, scale: Scale) -> _Span:
        values = figures.limits_of(estimates) or [0.0]
        return cls.of(figures.score_axis(values, fraction, (scale.low, scale.high)), fraction)


def _record(
    estimate: Estimate, scale: Scale, name: str, tone: str = "not settled", signed: bool = False
) -> Record:
    """One row of the chart's data, each number with its text; what is not known is null."""
    reading = reading_for(estimate, scale)
    numbers = {"low": estimate.ci_low, "point": estimate.point, "high": estimate.ci_high}
    record: Record = {"row": name, "tone": tone}
    for key, value in numbers.items():
        record[key] = _shown(value, reading.fraction)
        text = reading.signed(value) if signed else reading.plain(value)
        record[f"{key}_text"] = text if math.isfinite(value) else ""
    return record


def _shown(value: float | None, fraction: bool) -> float | None:
    if value is None or not math.isfinite(value):
        return None
    return 100 * value if fraction else value


def _drawn(records: list[Record], span: _Span, axis: str, title: str, subtitle: str = "") -> Any:
    """Intervals and points on one axis."""
    alt, several = _altair(), len(records) > 1
    base = alt.Chart(alt.Data(values=records)).encode(
        y=alt.Y("row:N", title=None, sort=None, axis=alt.Axis(labelLimit=240) if several else None),
        color=alt.Color("tone:N", legend=None, scale=_scale(alt, COLOURS)),
        tooltip=["row:N", *(alt.Tooltip(f"{key}_text:N", title=key) for key in _NUMBERS)],
    )
    ticks = alt.Axis(values=list(span.ticks), gridColor="#dcdfe4")
    scale = alt.Scale(domain=list(span.ends), nice=False, zero=False)
    low, point, high = (alt.X(f"{key}:Q", title=axis, axis=ticks, scale=scale) for key in _NUMBERS)
    layers = [
        base.mark_rule(strokeWidth=3 if several else 8).encode(x=low, x2="high:Q"),
        base.mark_point(filled=True, opacity=1, size=90 if several else 220).encode(
            x=point, shape=alt.Shape("tone:N", legend=None, scale=_scale(alt, _SHAPES))
        ),
    ]
    if not several:
        text = base.mark_text(dy=-18, fontWeight="bold", fontSize=12)
        places = zip((low, point, high), _NUMBERS, strict=True)
        layers += [text.encode(x=place, text=f"{key}_text:N") for place, key in places]
    head = alt.TitleParams(title, subtitle=_lines(subtitle), anchor="start", limit=_WIDTH + 240)
    return alt.layer(*layers).properties(width=_WIDTH, height=alt.Step(22) if several else 70, title=head)


_NUMBERS = ("low", "point", "high")
_LINE = 100  # characters of a subtitle's line


def _lines(text: str) -> list[str]:
    """A sentence in lines, broken at spaces."""
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + len(word) >= _LINE:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _over_rules(drawn: Any, margin: float | None, axis: str) -> Any:
    """The chart over a rule at zero and the margin's two."""
    alt = _altair()
    rules = [(-margin, _MARGIN, [4, 3]), (margin, _MARGIN, [4, 3])] if margin else []
    behind = [
        alt.Chart(alt.Data(values=[{"at": at}]))
        .mark_rule(color=colour, strokeDash=dash)
        .encode(x=alt.X("at:Q", title=axis))
        for at, colour, dash in [*rules, (0.0, _INK, [1, 0])]
    ]
    drawn.layer = [*behind, *drawn.layer]
    return drawn


def _scale(alt: Any, values: dict[str, str]) -> Any:
    return alt.Scale(domain=list(values), range=list(values.values()))


def _discordance(row: Comparison | Score) -> Any:
    """One mark an item, by what became of it; beyond MOST_MARKS items a bar of their numbers."""
    groups = outcomes(row) if isinstance(row, Comparison) else None
    if groups is None or not isinstance(row, Comparison):
        raise InputError("the discordance is of two runs with the same items; these are not paired.")
    alt, named = _altair(), [group for group in groups if group.words and group.count]
    words = {group.kind: f"{group.words} ({group.count:,})" for group in named}
    colours = {words[kind]: COLOURS.get(kind) or _AGREED[kind] for kind in words}
    colour = alt.Color("outcome:N", title=None, scale=_scale(alt, colours))
    head = alt.TitleParams(
        wording.heading(row), subtitle=_lines(wording.test_line(row) or ""), anchor="start"
    )
    if sum(group.count for group in named) > figures.MOST_MARKS:
        drawn = _strip(alt, named, words, colour)
    else:
        drawn = _marks(alt, named, words, colour)
    return drawn.properties(title=head).configure_view(stroke=None)


def _strip(alt: Any, named: Sequence[Outcome], words: dict[str, str], colour: Any) -> Any:
    records = [
        {"outcome": words[group.kind], "items": group.count, "order": at} for at, group in enumerate(named)
    ]
    bar = alt.Chart(alt.Data(values=records)).mark_bar(height=40)
    x = alt.X("items:Q", title="items", stack="zero")
    return bar.encode(x=x, color=colour, order="order:Q").properties(width=_WIDTH, height=50)


def _marks(alt: Any, named: Sequence[Outcome], words: dict[str, str], colour: Any) -> Any:
    kinds = [group.kind for group in named for _ in range(group.count)]
    marks = figures.places(len(kinds))
    records = [
        {"outcome": words[kind], "x": mark.x, "y": -mark.y} for kind, mark in zip(kinds, marks, strict=True)
    ]
    shapes = {words[kind]: _SHAPES.get(kind, "square") for kind in words}
    bare = {"axis": None, "scale": alt.Scale(nice=False, zero=False)}
    return (
        alt.Chart(alt.Data(values=records))
        .mark_point(filled=True, opacity=1, size=45)
        .encode(
            x=alt.X("x:Q", **bare),
            y=alt.Y("y:Q", **bare),
            color=colour,
            shape=alt.Shape("outcome:N", title=None, scale=_scale(alt, shapes)),
        )
        .properties(width=10 + max(mark.x for mark in marks), height=10 + max(mark.y for mark in marks))
    )
