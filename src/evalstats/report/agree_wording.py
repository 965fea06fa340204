"""What an agreement says in words, and its numbers: coefficients as such, shares in per cent."""

from __future__ import annotations

import math

from evalstats.analyses.agree_result import AgreeCeiling, Agreement, AgreeRow
from evalstats.report.labels import method_label
from evalstats.report.numbers import Reading, counted, listed, percent, reading_of
from evalstats.report.particulars import LABEL, has_interval, why_undefined
from evalstats.report.terminal import NB, clean
from evalstats.results import Estimate

_SHORT = 14


def heading(result: Agreement) -> str:
    """ "labels.csv · judge against human · 100 items, by row"."""
    people = [clean(one.name, LABEL) for one in result.raters]
    judged = result.raters[0].role == "judge"
    among = f"{people[0]} against {listed(people[1:])}" if judged else listed(people)
    clusters = f" in clusters of {clean(result.cluster, LABEL)}" if result.cluster else ""
    n = result.rows[0].estimate.n if result.ceiling is None else result.n_items
    items = f"{counted(n, 'item')}{clusters}, by {clean(result.key, LABEL)}"
    return f"{clean(result.where, 60)} · {among} · {items}"


def lead(row: AgreeRow) -> str:
    """ "kappa   0.56   0.40 to 0.73   (95 %, Fleiss–Cohen–Everitt)"."""
    one = row.estimate
    made = f"({percent(one.level)}, {method_label(one.method)})" if has_interval(one) else ""
    return "   ".join(filter(None, (one.name, value(one), interval(one), made)))


def value(estimate: Estimate, signed: bool = False) -> str:
    if math.isnan(estimate.point):
        return "not known"
    if estimate.unit == "fraction":
        return percent_of(estimate.point)
    reading = _reading(estimate)
    return reading.signed(estimate.point) if signed else reading.plain(estimate.point)


def interval(estimate: Estimate, signed: bool = False) -> str:
    if not has_interval(estimate):
        return "" if math.isnan(estimate.point) else "no interval"
    if estimate.unit == "fraction":
        return f"{100 * estimate.ci_low:.1f} to {100 * estimate.ci_high:.1f}"
    reading = _reading(estimate)
    low, high = estimate.ci_low, estimate.ci_high
    if signed:
        return f"{reading.signed(low)} to {reading.signed(high)}"
    return f"{reading.plain(low)} to {reading.plain(high)}"


def _reading(estimate: Estimate) -> Reading:
    """Two decimals, more where the interval is narrower than that tells."""
    ends = [estimate.ci_low, estimate.ci_high] if has_interval(estimate) else []
    decimals = reading_of(ends, fraction=False).decimals if ends else None
    return Reading(False, max(2, decimals or 2))


def percent_of(share: float) -> str:
    return f"{100 * share:.1f}{NB}%"


def who(row: AgreeRow) -> str:
    """ "judge – ann", "3 humans"."""
    if len(row.raters) > 2:
        return f"{len(row.raters)} {'raters' if row.kind == 'raters' else 'humans'}"
    names = reversed(row.raters) if row.kind == "judge_human" else row.raters
    return " – ".join(clean(name, _SHORT) for name in names)


def meaning(result: Agreement) -> list[str]:
    """What the leading row says; by name where there are several."""
    row = result.rows[0]
    estimate = row.estimate
    named = f"{who(row)}: " if result.ceiling is not None else ""
    if math.isnan(estimate.point):
        observed = estimate.extra.get("observed_agreement")
        agree = f" {percent_of(observed)} agree." if isinstance(observed, float) else ""
        return [f"{named}{estimate.name} is not known: {clean(why_undefined(estimate))}.{agree}"]
    said = [f"{named}{chance}" for chance in _beyond_chance(result)]
    if row.words:
        said.append(_convention(row))
    if not has_interval(estimate):
        said.append(f"No interval: {clean(why_undefined(estimate))}.")
    return said


def _beyond_chance(result: Agreement) -> list[str]:
    row = result.rows[0]
    observed, expected = (
        row.estimate.extra.get(name) for name in ("observed_agreement", "expected_agreement")
    )
    plain = result.weights is None and result.scale == "nominal"
    if not (plain and isinstance(observed, float) and isinstance(expected, float)):
        return []
    point = row.estimate.point
    reached = f"{100 * point:.0f}{NB}% is reached" if point >= 0 else "nothing is reached: less than chance"
    return [
        f"{percent_of(observed)} agree; {percent_of(expected)} would by chance. Of what chance leaves, "
        f"{percent_of(1 - expected)}, {reached}."
    ]


def _convention(row: AgreeRow) -> str:
    ends = row.words[1:]
    span = f"; the interval reaches from {ends[0]} to {ends[1]}" if len(set(ends)) > 1 else ""
    return f"By Landis and Koch's convention, which knows no task, that is {row.words[0]}{span}."


def verdict(one: AgreeCeiling) -> str:
    """Whether the judge agrees with people as well as they do with each other."""
    difference = one.difference
    if not has_interval(difference):
        return f"Judge less humans has no interval: {clean(why_undefined(difference))}"
    if difference.ci_high < 0:
        return "The judge agrees with humans less than they agree with each other"
    if difference.ci_low > 0:
        return "The judge agrees with humans more than they agree with each other"
    low, high = interval(difference, signed=True).split(" to ")
    return f"Not settled whether the judge falls short of a human: anything from {low} to {high} fits"
