"""One comparison in sentences: shared by text, Markdown and pages, so that all say the same.

Better and worse are the score's own: for a lower-is-better score a fall is better. Nothing is decided
here; direction, margin verdict and caveats are the result's.
"""

from __future__ import annotations

import math

from evalstats.envelope import Comparison, Design, Family
from evalstats.report.labels import method_label
from evalstats.report.numbers import (
    Reading,
    chance_text,
    counted,
    is_fraction,
    p_digits,
    p_text,
    points_word,
    reading_for,
    rounded_up,
    size_text,
)
from evalstats.report.particulars import LABEL, called, has_interval, question, why_undefined
from evalstats.report.terminal import NB, clean


def heading(row: Comparison) -> str:
    """What was compared: "reasoning-500 · accuracy · 500 items, paired by id"."""
    lower = "" if row.higher_is_better else " (lower is better)"
    asked = question(row.benchmark, row.metric, row.slice)
    return f"{asked}{lower} · {_paired(row)}"


def items(design: Design) -> str:
    """ "500 items", "60 items × 2 completions in 15 clusters of passage_id"."""
    said = counted(design.n_items, "item")
    if design.completions > 1:
        said += f" × {design.completions:.4g} completions"
    if design.unit != "item":
        said += f" in {counted(design.n_units, 'cluster')} of {clean(design.unit, LABEL)}"
    return said


def _paired(row: Comparison) -> str:
    if not row.design.paired:
        return f"{row.candidate.n_scored:,} against {counted(row.baseline.n_scored, 'item')}, not paired"
    key = row.pairing.key if row.pairing else ""
    return f"{items(row.design)}, paired" + (f" by {clean(key, LABEL)}" if key else "")


def reading(row: Comparison) -> Reading:
    return reading_for(row.difference, row.scale)


def difference(row: Comparison) -> str:
    """ "+3.0 points"."""
    if not math.isfinite(row.difference.point):
        return "not known"
    text = reading(row).signed(row.difference.point)
    return text + points_word(reading(row), text)


def signed_interval(row: Comparison) -> str:
    """ "−0.8 to +6.9", or "no interval"."""
    shown = reading(row)
    if not has_interval(row.difference):
        return "no interval"
    return f"{shown.signed(row.difference.ci_low)} to {shown.signed(row.difference.ci_high)}"


def headline(row: Comparison, family: Family | None = None) -> str:
    """The verdict in one sentence that can be pasted alone; it begins with the settled part."""
    fit = _fit(row)
    if fit is None:
        return f"Not settled: there is no interval ({clean(why_undefined(row.difference))})."
    margin = "" if row.margin is None else size_text(row.margin, row.scale)
    if row.margin_verdict == "equivalent" and row.direction == "regressed":
        return f"Regressed, by less than {margin}, the margin given: {fit}."
    if row.margin_verdict == "equivalent":
        return f"Equivalent within {margin}, the margin given: {fit}."
    if row.direction == "improved":
        return f"Improved: {fit}."
    if row.margin_verdict == "worse_than_margin":
        return f"Worse by more than {margin}, the margin given: {fit}."
    if row.direction == "regressed":
        return f"Regressed: {fit}."
    if row.margin_verdict == "not_worse":
        return (
            f"Not worse by more than {margin}, the margin given. Whether it is better is not settled: {fit}."
        )
    return f"Not settled: {_unlit(row, family)}{fit}."


def lead_of(sentence: str) -> int:
    """How many characters of a headline are its verdict: up to the first colon or full stop."""
    return min(at for at in (sentence.find(": "), sentence.find(". "), len(sentence)) if at >= 0) + 1


def _fit(row: Comparison) -> str | None:
    """ "the data fit anything from 0.8 points worse to 6.9 better"."""
    if not has_interval(row.difference):
        return None
    shown, unit = reading(row), f"{NB}points" if is_fraction(row.scale) else ""
    low, high = row.difference.ci_low, row.difference.ci_high
    if not row.higher_is_better:
        low, high = -high, -low
    if low < 0 < high:
        span = f"{shown.size(low)}{unit} worse to {shown.size(high)} better"
    elif low >= 0:
        span = f"{shown.size(low)} to {shown.size(high)}{unit} better"
    else:
        span = f"{shown.size(high)} to {shown.size(low)}{unit} worse"
    return f"the data fit anything from {span}"


def excludes_zero(row: Comparison) -> bool:
    return row.above_zero or row.below_zero


def _unlit(row: Comparison, family: Family | None) -> str:
    """Why a row whose interval is clear of zero is not settled all the same."""
    if not excludes_zero(row):
        return ""
    if family is not None and row.reject is False:
        return f"alone it would exclude zero; not after correction over {family.m} rows. Alone, "
    units = row.difference.extra.get("n_discordant_units")
    if row.test is None or row.test.pvalue <= 1 - row.difference.level or math.isnan(row.test.pvalue):
        few = "" if units is None else f": {counted(units, 'unit')} of difference"
        return f"the interval is clear of zero but rests on too few changes{few}. Taken alone, "
    return f"the interval is clear of zero, the test is not ({p_text(row.test.pvalue)}). Taken alone, "


def margin_line(row: Comparison) -> str | None:
    """What the margin answers where the headline does not say it; it always echoes the margin."""
    if row.margin is None or row.margin_verdict is None:
        return None
    margin = f"{size_text(row.margin, row.scale)}, the margin given"
    if row.margin_verdict == "not_worse" and row.direction == "improved":
        return f"So it is not worse by more than {margin}."
    if row.margin_verdict == "not_shown":
        return f"Whether it is worse by more than {margin}, is not shown either way."
    return None


def test_line(row: Comparison) -> str | None:
    """ "p = 0.15 (McNemar exact): 40 items only week-31 got right, 55 only week-32."."""
    test = row.test
    if test is None:
        return None
    changes = f": {_changes(row)}." if _changes(row) else "."
    beside = test.extra.get("sign_flip")
    sign_flip = "" if beside is None else f"; sign-flip {p_digits(beside)}"
    if math.isnan(test.pvalue):
        reason = test.extra.get("undefined", {}).get("pvalue", "the data do not determine it")
        return f"p is not known ({method_label(test.method)}{sign_flip}): {clean(str(reason))}."
    alpha = 1 - row.difference.level
    return f"{p_text(test.pvalue, alpha)} ({method_label(test.method)}{sign_flip}){changes}"


def _changes(row: Comparison) -> str:
    """Which items carry the difference, in counts."""
    pairing, old, new = row.pairing, *called(row)
    if pairing is None:
        return ""
    if pairing.baseline_only is not None and pairing.candidate_only is not None:
        return _flipped(pairing.baseline_only, pairing.candidate_only, row)
    if pairing.baseline_higher is not None and pairing.candidate_higher is not None:
        return (
            f"{counted(pairing.candidate_higher, 'item')} scored higher in {new}, "
            f"{pairing.baseline_higher:,} in {old}, {pairing.tied or 0:,} tied"
        )
    return ""


def _flipped(baseline_only: int, candidate_only: int, row: Comparison) -> str:
    """For pass/fail; "right" is no word for a 1 where lower is better."""
    old, new = called(row)
    if baseline_only + candidate_only == 0:
        return "no item changed sides"
    if row.higher_is_better:
        return f"{counted(baseline_only, 'item')} only {old} got right, {candidate_only:,} only {new}"
    return f"{counted(baseline_only, 'item')} at 1 only in {old}, {candidate_only:,} only in {new}"


def duality_line(row: Comparison) -> str | None:
    """Where p and interval disagree about zero: which test the interval is the dual of."""
    test, difference = row.test, row.difference
    if test is None or not disagrees(row):
        return None
    interval, name = method_label(difference.method), method_label(test.method)
    mid_p = test.extra.get("mid_p")
    if difference.method == "tango" and test.method == "mcnemar_exact" and mid_p is not None:
        return (
            "Interval and p disagree about zero: Tango's interval is the dual of the score test, and exact "
            f"McNemar errs on the safe side; hold the mid-p, {p_digits(mid_p)}, beside the interval."
        )
    return (
        f"Interval and p disagree about zero: the {interval} interval is not the dual of {name}; "
        "so near the border the two may differ."
    )


def disagrees(row: Comparison) -> bool:
    """Of a row that no correction touches: its interval and its p differ about zero."""
    test, difference = row.test, row.difference
    if test is None or row.adjusted is not None or math.isnan(test.pvalue) or not has_interval(difference):
        return False
    return excludes_zero(row) != (test.pvalue <= 1 - difference.level)


def mde_line(row: Comparison) -> str:
    """The smallest true difference these data would show; always said."""
    sample, show = _sample(row), "shows" if row.difference.n == 1 else "show"
    rests_on = clean(row.mde_note or "80 % power").replace(" %", f"{NB}%")
    if not math.isfinite(row.mde):
        return f"What difference {sample} would show is not known ({rests_on})."
    if _beyond_scale(row):
        return f"{sample} {show} no true difference that the scale allows ({rests_on})."
    size = rounded_up(row.mde, row.scale)
    unit = f"{NB}points" if is_fraction(row.scale) else ""
    return f"{sample} {show} a true difference of {size}{unit} or more ({rests_on})."


def _beyond_scale(row: Comparison) -> bool:
    low, high = row.scale.low, row.scale.high
    return low is not None and high is not None and row.mde > high - low


def _sample(row: Comparison) -> str:
    if row.design.paired:
        return counted(row.difference.n, "item")
    return f"{row.candidate.n_scored:,} and {counted(row.baseline.n_scored, 'item')}"


def needed_line(row: Comparison) -> str | None:
    """Items for a stated effect or margin; nothing for the difference observed (DESIGN)."""
    needed = row.needed
    if needed is None:
        return None
    size = size_text(needed.effect, row.scale)
    wanted = (
        f"To show a true difference of {size} with 80{NB}% power"
        if needed.source == "effect"
        else f"For an equal candidate to pass the margin of {size} in 80{NB}% of cases"
    )
    return f"{wanted}: " + (
        "no number of items would do." if needed.n is None else f"about {counted(needed.n, 'item')}."
    )


def tried_line(row: Comparison) -> str | None:
    """How often luck alone makes the best of N equal variants look this good."""
    if row.tried is None:
        return None
    n = row.tried.n
    if not math.isfinite(row.tried.chance):
        return f"How good the best of {n:,} tried looks by luck is not known: there is no test."
    return (
        f"Best of {n:,} tried: if all {n:,} equalled the baseline, the best would look this good in at most "
        f"about {chance_text(row.tried.chance)} of cases."
    )
