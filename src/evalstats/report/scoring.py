"""One run's score in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

from evalstats._version import __version__
from evalstats.envelope import Score
from evalstats.report.numbers import Reading, counted, listed, percent, points_word, rate, reading_for
from evalstats.report.particulars import (
    benchmarks,
    caveat_lines,
    cluster_lines,
    has_interval,
    label,
    name,
    question,
    reach_line,
    scale_line,
    unchecked,
)
from evalstats.report.wording import items
from evalstats.results import Estimate


def score_heading(row: Score) -> str:
    """ "reasoning-500 · accuracy · 500 items"."""
    return f"{question(row.benchmark, row.metric, row.slice)} · {items(row.design)}"


def score_reading(row: Score) -> Reading:
    return reading_for(row.run.estimate, row.scale)


def score_value(row: Score) -> str:
    if not math.isfinite(row.run.estimate.point):
        return "not known"
    return rate(score_reading(row), row.run.estimate.point)


def score_interval(row: Score) -> str:
    """ "67.9 to 75.8"."""
    estimate, shown = row.run.estimate, score_reading(row)
    if not has_interval(estimate):
        return _one_end(estimate, shown)
    return f"{shown.plain(estimate.ci_low)} to {shown.plain(estimate.ci_high)}"


def _one_end(estimate: Estimate, shown: Reading) -> str:
    """ "from 5.6, no upper end" where one limit is known."""
    if math.isfinite(estimate.ci_low):
        return f"from {shown.plain(estimate.ci_low)}, no upper end"
    if math.isfinite(estimate.ci_high):
        return f"up to {shown.plain(estimate.ci_high)}, no lower end"
    return "no interval"


def standard_error_text(row: Score) -> str:
    """ "2.0 points", or "" where it is not known."""
    error = row.run.estimate.standard_error
    if not math.isfinite(error):
        return ""
    text = score_reading(row).plain(error)
    return text + points_word(score_reading(row), text)


def error_line(row: Score) -> str | None:
    """The standard error, and what halving it takes."""
    text = standard_error_text(row)
    if not text or row.run.estimate.standard_error == 0:
        return None
    return f"Standard error {text}; half of it takes four times the {_units(row)}."


def _units(row: Score) -> str:
    """What the error bar counts."""
    if row.run.estimate.extra.get("view") == "fixed_items":
        return "completions"
    return "items" if row.design.unit == "item" else "clusters"


def nothing_seen_line(row: Score) -> str | None:
    """At 0 of n, or n of n: the one-sided bounds, exact and by the rule of three."""
    extra, estimate = row.run.estimate.extra, row.run.estimate
    if "one_sided_upper" in extra:
        rule = extra.get("rule_of_three")
        three = f"; rule of three, 3/n: {_bound(row, rule)}" if rule is not None else ""
        bound = _bound(row, extra["one_sided_upper"])
        seen = f"Not one seen in {counted(estimate.n, 'item')}"
        return f"{seen}: at most {bound} ({_one_sided(estimate)}){three}."
    if "one_sided_lower" in extra:
        bound = _bound(row, extra["one_sided_lower"])
        return f"All of {counted(estimate.n, 'item')}: at least {bound} ({_one_sided(estimate)})."
    return None


def _one_sided(estimate: Estimate) -> str:
    return f"exact one-sided {percent(estimate.level)}; the interval above is two-sided"


def _bound(row: Score, value: float) -> str:
    return rate(score_reading(row), value)


def score_missing_lines(row: Score) -> list[str]:
    """Items without a score, and the score if all of them were wrong, or right."""
    run = row.run
    unscored = run.n_missing + run.n_errored
    if not unscored:
        return []
    errored = f" ({run.n_errored:,} errored)" if run.n_errored else ""
    said = f"Without a score: {unscored:,} of {counted(run.n_total, 'item')} in {label(run)}{errored}."
    if row.missing_bounds is None:
        return [said]
    worst, best = (_bound(row, bound) for bound in row.missing_bounds)
    words = ("wrong", "right") if row.scale.kind == "pass_fail" else ("at the worst score", "at the best")
    return [f"{said} Were all {words[0]}: {worst}; all {words[1]}: {best}."]


def completions_line(row: Score) -> str | None:
    """What the score of an item is when it was asked several times."""
    if row.design.completions <= 1:
        return None
    unit = "item" if row.design.unit == "item" else "cluster"
    return (
        f"An item's score is the mean of its completions ({row.design.completions:.3g} on average); "
        f"the {unit} is the unit."
    )


def right_of_score(row: Score) -> str:
    """ "360/500" for pass/fail items with one completion each, unless the run is called that."""
    estimate = row.run.estimate
    if row.scale.kind != "pass_fail" or row.design.completions != 1 or not math.isfinite(estimate.point):
        return ""
    counts = f"{round(estimate.point * estimate.n)}/{estimate.n}"
    return "" if counts == row.run.label else counts


def typical_line(row: Score) -> str | None:
    """ "Median 1.4 (1.2 to 1.6); p95 3.1 (2.7 to 4.0)." of a cost or a latency."""
    said = []
    for estimate in row.quantiles:
        shown = reading_for(estimate, row.scale)
        limits = f" ({shown.plain(estimate.ci_low)} to {shown.plain(estimate.ci_high)})"
        named = estimate.name.rpartition(", ")[2]
        said.append(f"{named} {shown.plain(estimate.point)}{limits * has_interval(estimate)}")
    return f"{'; '.join(said).capitalize()}." if said else None


def score_lines(row: Score) -> list[str]:
    """The median where a mean may mislead, the standard error, and what the score is made of."""
    said = (typical_line(row), error_line(row), nothing_seen_line(row), completions_line(row))
    return [line for line in said if line]


def score_care_lines(row: Score) -> list[str]:
    return [*score_missing_lines(row), *caveat_lines(row.caveats)]


def score_reach_lines(row: Score) -> list[str]:
    said = (
        reach_line(row.run.estimate, unchecked(row)),
        *cluster_lines(row.design),
        scale_line(row.scale),
    )
    return [line for line in said if line]


def scores_interval_line(rows: Sequence[Score]) -> str:
    levels = list(dict.fromkeys(percent(row.run.estimate.level) for row in rows))
    return f"Intervals: {' and '.join(levels)}, each benchmark alone."


def scores_missing_line(rows: Sequence[Score]) -> str | None:
    counts = {name(row): row.run.n_missing + row.run.n_errored for row in benchmarks(rows)}
    missing = [f"{n:,} on {row}" for row, n in counts.items() if n]
    return f"Items without a score: {listed(missing)}." if missing else None


def scores_signature(rows: Sequence[Score]) -> str:
    """`score|wilson|rows:3|n:125|level:0.95|v:…`."""
    methods = "+".join(dict.fromkeys(row.run.estimate.method for row in rows))
    levels = "+".join(dict.fromkeys(f"{row.run.estimate.level:g}" for row in rows))
    n = sum(row.run.estimate.n for row in benchmarks(rows))
    return f"score|{methods}|rows:{len(rows)}|n:{n}|level:{levels}|v:{__version__}"
