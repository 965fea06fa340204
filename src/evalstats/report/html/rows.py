"""One comparison as its page shows it: sentences, numbers and pictures, in the order they are read."""

from __future__ import annotations

import math
from typing import Any

from evalstats.envelope import Comparison, Design, Family
from evalstats.report import figures, particulars, wording
from evalstats.report.html import flips, joins, shown
from evalstats.report.labels import correction_label, method_label
from evalstats.report.numbers import (
    is_fraction,
    p_text,
    percent,
    points_word,
    reading_for,
    size_text,
)
from evalstats.report.terminal import clean
from evalstats.results import Estimate

TONES = {"improved": "up", "regressed": "down"}
View = dict[str, Any]


def comparison_view(
    row: Comparison, family: Family | None = None, prefix: str = "", drawn: bool = True
) -> View:
    """What the templates of one row need.

    prefix : of its ids, where a page has several rows. drawn : its items are marks that a list can trace.
    """
    headline = wording.headline(row, family)
    lead = wording.lead_of(headline)
    return {
        "id": prefix,
        "heading": wording.heading(row),
        "baseline": shown.name(row.baseline.label),
        "candidate": shown.name(row.candidate.label),
        "tag": tag(row),
        "tone": TONES.get(row.direction, ""),
        "lead": headline[:lead].strip(),
        "rest": headline[lead:].strip(),
        "margin_line": wording.margin_line(row),
        "flags": particulars.flag_lines(row),
        "hero": hero(row),
        "takes": [
            line
            for line in (wording.mde_line(row), wording.needed_line(row), wording.tried_line(row))
            if line
        ],
        "runs": runs_view(row),
        "disagreement": flips.disagreement_view(row),
        "test": [line for line in (wording.test_line(row), wording.duality_line(row)) if line],
        "flips": flips.flips_view(row, prefix, drawn),
        "join": joins.join_view(row),
        "config": joins.config_view(row),
        "care": joins.care_view(row),
        "unchecked": [shown.name(text, shown.SENTENCE) for text in particulars.unchecked(row)],
        "reach": reach_text(row.difference),
        "computed": computed(row, family),
        "signature": clean(row.signature, 400),
    }


def tag(row: Comparison) -> str:
    """The verdict in a few words, the margin with it."""
    if row.margin is None:
        return particulars.verdict_words(row.verdict)
    margin = size_text(row.margin, row.scale)
    return {
        "regressed_within_margin": f"regressed, by less than {margin}",
        "worse_than_margin": f"worse by more than {margin}",
        "not_worse": f"not worse, margin {margin}",
        "equivalent": f"equivalent, margin {margin}",
    }.get(row.verdict, particulars.verdict_words(row.verdict))


def hero(row: Comparison) -> View:
    """The interval of the difference: its numbers, its picture, and the picture in words."""
    reading, difference = wording.reading(row), row.difference
    known = particulars.has_interval(difference)
    axis = figures.difference_axis(figures.reach_of([difference], [row.margin]), is_fraction(row.scale))
    point = reading.signed(difference.point) if math.isfinite(difference.point) else "not known"
    limits = [reading.signed(end) if known else "" for end in (difference.ci_low, difference.ci_high)]
    bar = figures.bar_on(axis, difference, TONES.get(row.direction, ""))
    old, new = particulars.called(row)
    left, right = (old, new) if row.higher_is_better else (new, old)
    return {
        "title": "Interval of the difference",
        "low": limits[0],
        "high": limits[1],
        "point": point,
        "unit": points_word(reading, "2").strip(),
        "point_unit": points_word(reading, point).strip() if point != "not known" else "",
        "source": particulars.interval_source(difference),
        "axis": axis,
        "bar": bar,
        **room(bar, [point, *limits]),
        "margin": margin_band(row, axis),
        "left": left,
        "right": right,
        "starts": "",
        "said": _said(row, point, limits),
    }


_WIDE, _NARROW = 9.6, 2.88  # pixels that one per cent of the width has on a desk and on a small phone
_CHARACTER = 7.5  # pixels of a digit in a picture


def room(bar: figures.Bar, texts: list[str]) -> dict[str, bool]:
    """Whether the three numbers fit over the bar, on a desk (labelled) and on a small phone (roomy)."""
    needed = max(map(len, texts)) * _CHARACTER + 8
    low, point, high = bar.low or 0.0, bar.point or 0.0, bar.high or 0.0
    half = min(point - low, high - point)
    return {"labelled": half * _WIDE >= needed, "roomy": half * _NARROW >= needed}


def margin_band(row: Comparison, axis: figures.Axis) -> View | None:
    if row.margin is None:
        return None
    text = size_text(row.margin, row.scale).split("\u00a0")[0]
    return {"low": axis.at(-row.margin), "high": axis.at(row.margin), "text": text}


def _said(row: Comparison, point: str, limits: list[str]) -> str:
    """The picture in words: its three numbers, zero, and the margin."""
    unit = points_word(wording.reading(row), "2")
    if not limits[0]:
        return f"The estimate of the difference is {point}{unit}; there is no interval."
    zero = "Zero lies outside it." if wording.excludes_zero(row) else "Zero lies inside it."
    margin = "" if row.margin is None else f" The margin of {size_text(row.margin, row.scale)} is shaded."
    return (
        f"The {percent(row.difference.level)} interval of the difference runs from {limits[0]} to "
        f"{limits[1]}{unit}, with the estimate at {point}. {zero}{margin}"
    )


def runs_view(row: Comparison) -> View:
    """The two runs, each alone, on one axis."""
    sides = (("baseline", row.baseline), ("candidate", row.candidate))
    estimates = [side.estimate for _, side in sides]
    fraction = is_fraction(row.scale)
    values = figures.limits_of(estimates) or [row.scale.low or 0.0]
    axis = figures.score_axis(values, fraction, (row.scale.low, row.scale.high))
    rows = []
    for role, side in sides:
        score, right, alone = particulars.side_score(row, side)
        rows.append(
            {
                "label": shown.name(side.label),
                "model": shown.name(side.model) if side.model and side.model != side.label else "",
                "role": role,
                "score": score,
                "right": right,
                "alone": alone.strip("()").removeprefix("alone: "),
                "bar": figures.bar_on(axis, side.estimate),
            }
        )
    methods = list(dict.fromkeys(method_label(e.method) for e in estimates))
    levels = list(dict.fromkeys(percent(e.level) for e in estimates))
    return {
        "rows": rows,
        "axis": axis,
        "axis_unit": " %" if fraction else "",
        "metric": shown.name(row.metric, 40),
        "level": levels[0],
        "caption": f"{' and '.join(methods)} intervals, {' and '.join(levels)}, one run at a time.",
        "counted": any(each["right"] for each in rows),
        "starts": axis_note(axis, row.scale.low),
        "paired": row.design.paired,
    }


def axis_note(axis: figures.Axis, lowest: float | None) -> str:
    """Said where an axis of scores does not begin at the scale's end."""
    start = 0.0 if lowest is None else lowest
    if math.isclose(axis.low, start):
        return ""
    return f"The axis starts at {axis.ticks[0].text}, not at {start:g}. "


def computed(row: Comparison, family: Family | None) -> list[tuple[str, str]]:
    """How the numbers came about, each as a name and what there is to say."""
    difference, test = row.difference, row.test
    extra = difference.extra
    said = [
        ("unit", _unit(row)),
        ("estimate", estimate_formula(row)),
        ("interval", f"{particulars.interval_source(difference)}; {extra.get('why', '')}".strip("; ")),
        ("standard error", _standard_error(row)),
        ("effective n", f"{extra['n_eff']:.4g}" if extra.get("n_eff") is not None else ""),
        ("test", "" if test is None else f"{method_label(test.method)}, two-sided, {_p(test.pvalue)}"),
        ("correction", _correction(row, family)),
        ("margin", "" if row.margin is None else f"{size_text(row.margin, row.scale)}, given with the call"),
        ("direction", "" if row.higher_is_better else "lower is better: a fall is an improvement"),
        ("scale", scale_text(row)),
        ("chance", chance_text(difference.n_boot, difference.seed)),
    ]
    return [(name, text) for name, text in said if text]


def _unit(row: Comparison) -> str:
    return f"{unit_text(row.design)}; {wording.items(row.design)}"


def reach_text(estimate: Estimate) -> str:
    """Which questions the interval speaks about, and what it does not cover."""
    if estimate.extra.get("view") == "fixed_items":
        return "These questions: the interval covers decoding the same items again, and no other items."
    return "Questions like these: the interval covers which items were drawn, not whether scores are right."


def unit_text(design: Design) -> str:
    """What was drawn independently, and who said so."""
    if design.unit == "item":
        return "the item"
    source = {"option": "as asked with --cluster", "harness": "as the log declares"}.get(
        design.cluster_source, design.cluster_source
    )
    return f"the cluster, by {clean(design.unit, 60)} ({source})"


def estimate_formula(row: Comparison) -> str:
    """ "(55 − 40) / 500 = +3.0 points", or in words."""
    pairing = row.pairing
    if pairing is None or pairing.baseline_only is None or pairing.candidate_only is None:
        way = "mean over the items of" if row.design.paired else "mean of one run less the other's:"
        return f"{way} candidate − baseline = {wording.difference(row)}"
    counts = f"({pairing.candidate_only:,} − {pairing.baseline_only:,}) / {row.difference.n:,}"
    return f"{counts} = {wording.difference(row)}"


def _standard_error(row: Comparison) -> str:
    error = row.difference.standard_error
    if not math.isfinite(error):
        return ""
    text = reading_for(row.difference, row.scale).plain(error)
    return text + points_word(wording.reading(row), text)


def _p(pvalue: float) -> str:
    return "p not known" if math.isnan(pvalue) else p_text(pvalue)


def _correction(row: Comparison, family: Family | None) -> str:
    if family is None or row.adjusted is None or not math.isfinite(row.adjusted):
        return ""
    adjusted = p_text(row.adjusted, family.alpha).replace("p", "adjusted p", 1)
    return f"{correction_label(family.method)} over {family.m:,} rows: {adjusted}"


def scale_text(row: Any) -> str:
    """The scores' scale as a person would say it."""
    kind, low, high = row.scale.kind, row.scale.low, row.scale.high
    if kind == "pass_fail":
        return "pass or fail"
    return "no ends" if low is None or high is None else f"from {low:g} to {high:g}"


def chance_text(n_boot: int | None, seed: int | None) -> str:
    if n_boot is None:
        return "none: nothing here is random"
    return f"{n_boot:,} resamples, seed {seed}"
