"""After − before a cut-off in sentences: shared by `slices --split` and `contamination`."""

from __future__ import annotations

import math
from collections.abc import Sequence

from evalstats.analyses.cut_off_result import CutOff
from evalstats.report.labels import correction_label
from evalstats.report.numbers import counted, listed, p_digits, p_text, points_word, rate, reading_for
from evalstats.report.particulars import LABEL, has_interval, interval_source
from evalstats.report.terminal import clean
from evalstats.results import Estimate


def cut_off_lines(found: Sequence[CutOff]) -> list[str]:
    """One line each, with its benchmark where there are several; a reason that several share is said once."""
    if len(found) < 2:
        return [cut_off_line(one) for one in found]
    reasons: dict[str, list[str]] = {}
    for one in found:
        if one.difference is None:
            reasons.setdefault(one.why, []).append(clean(one.benchmark, LABEL))
    shared = [why for why, names in reasons.items() if len(names) > 1]
    lines = [cut_off_line(one, name=True, reason=one.why not in shared) for one in found]
    return [*lines, *(f"Not known on {listed(reasons[why], 3)}: {clean(why, 200)}." for why in shared)]


def cut_off_line(one: CutOff, name: bool = False, reason: bool = True) -> str:
    """ "From 2024-06-01 against before (80 and 120 items): −12.3 points, −20 to −4 (95 %, Welch); p = …"."""
    what = "Difference of differences, from" if one.of_differences else "From"
    where = f"{clean(one.benchmark, LABEL)}: " if name else ""
    sides = f"{one.n_after:,} and {counted(one.n_before, 'item')}"
    lead = f"{where}{what} {clean(one.at, LABEL)} against before ({sides})"
    if one.difference is None:
        return f"{lead}: not known; {clean(one.why, 200)}." if reason else f"{lead}: not known."
    return f"{lead}: {signed(one)}{_pvalue(one)}."


def signed(one: CutOff) -> str:
    """ "−12.3 points, −20.1 to −4.5 (95 %, Newcombe)"."""
    found = one.difference
    if found is None:
        return "not known"
    reading = reading_for(found, one.scale)
    text = reading.signed(found.point)
    said = f"{text}{points_word(reading, text)}"
    if has_interval(found):
        said += f", {reading.signed(found.ci_low)} to {reading.signed(found.ci_high)}"
    return f"{said} ({interval_source(found)})"


def _pvalue(one: CutOff) -> str:
    if one.test is None or not math.isfinite(one.test.pvalue):
        return ""
    corrected = correction_label(one.correction)
    adjusted = "" if one.adjusted is None else f", after {corrected} {p_digits(one.adjusted)}"
    return f"; {p_text(one.test.pvalue)}{adjusted}"


def side_text(one: CutOff, estimate: Estimate) -> str:
    """One side alone: "81.0 % (75.0 to 85.8)", of two runs "+15.5 points (+7.6 to +23.4)"."""
    reading = reading_for(estimate, one.scale)
    write = reading.signed if one.of_differences else reading.plain
    text = write(estimate.point)
    said = f"{text}{points_word(reading, text)}" if one.of_differences else rate(reading, estimate.point)
    limits = f" ({write(estimate.ci_low)} to {write(estimate.ci_high)})" if has_interval(estimate) else ""
    return said + limits
