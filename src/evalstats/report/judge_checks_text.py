"""`judge --anchors` and `judge --verdicts` as text and Markdown."""

from __future__ import annotations

import math

from evalstats.analyses.judge_checks_result import BenchmarkDrift, BiasFigure, JudgeBias, JudgeDrift
from evalstats.envelope import Scale
from evalstats.report.labels import method_label
from evalstats.report.lines import Line, paragraphs, rendered, signature_lines, spaced
from evalstats.report.markdown_parts import bullets, code, columns_table, escaped
from evalstats.report.numbers import (
    counted,
    listed,
    p_digits,
    p_text,
    percent,
    points_word,
    rate,
    reading_for,
    size_text,
)
from evalstats.report.particulars import LABEL, caveat_lines, has_interval, red_flags, why_undefined
from evalstats.report.tables import Column, fitted, laid_out
from evalstats.report.terminal import NB, clean
from evalstats.results import Estimate, TestResult

_SHARES = Scale("pass_fail", 0.0, 1.0)
_BIASES = {
    "position": "position bias",
    "swap_flips": "swap flips",
    "length": "length bias",
    "self_preference": "self-preference",
}


def drift_text(result: JudgeDrift, width: int = 80, color: bool = False) -> str:
    """What `judge --anchors` prints."""
    blocks: list[list[Line]] = []
    for one in result:
        table = laid_out(fitted(drift_columns(one), width - 2))
        blocks += [
            paragraphs([drift_heading(one)], width, "title", indent=0),
            paragraphs([drift_answer(one)], width, "worse" if one.verdict == "drifted" else "open"),
            [Line(text, "plain" if at else "faint") for at, text in enumerate(table)],
            [*paragraphs(drift_sentences(one), width), *signature_lines(one.signature, width)],
        ]
    return rendered(spaced(blocks), color)


def drift_markdown(result: JudgeDrift) -> str:
    """What `judge --anchors --markdown` prints."""
    parts = []
    for one in result:
        parts += [f"**{escaped(drift_heading(one))}**", "", f"**{escaped(drift_answer(one))}**"]
        parts += ["", *columns_table(drift_columns(one)), "", *bullets(drift_sentences(one)), ""]
        parts += [code(one.signature), ""]
    return "\n".join([*parts, *bullets(result.notes)]).rstrip("\n") + "\n"


def drift_heading(one: BenchmarkDrift) -> str:
    labelled = f", {one.n_labelled:,} of them labelled" if one.n_labelled else ""
    clusters = f" in clusters of {clean(one.cluster, LABEL)}" if one.cluster else ""
    anchors = f"{counted(one.n_anchors, 'anchor')}{clusters} judged twice{labelled}"
    return (
        f"{clean(one.benchmark, 60)} · {clean(one.metric, 60)} · {anchors}, paired by {clean(one.key, LABEL)}"
    )


def drift_answer(one: BenchmarkDrift) -> str:
    """The verdict as people say it."""
    margin = "" if one.margin is None else size_text(one.margin, one.scale)
    moved = [row.name for row in one.rows if row.verdict.startswith("drifted")]
    said = {
        "drifted": f"Drifted: {listed(moved)}.",
        "drifted_within_margin": f"Drifted, by less than {margin}: {listed(moved)}.",
        "equivalent": f"Equivalent: no change of {margin} or more.",
        "not_shown": "No drift is shown, which is not to say that there is none.",
    }
    return said[one.verdict]


def drift_columns(one: BenchmarkDrift) -> list[Column]:
    rows, adjusted = one.rows, [row.adjusted for row in one.rows]
    pvalues = Column("p", tuple(_p(row.test) for row in rows), keep=2)
    if len(rows) > 1:
        pvalues = Column("p, Holm", tuple("" if math.isnan(p) else p_digits(p) for p in adjusted), keep=2)
    return [
        Column("", tuple(row.name for row in rows), right=False),
        Column("after − before", tuple(_difference(row.difference, one.scale) for row in rows)),
        Column("interval", tuple(_interval(row.difference, one.scale, signed=True) for row in rows)),
        pvalues,
        Column("after", tuple(_score(row.after, one.scale) for row in rows), keep=1),
        Column("before", tuple(_score(row.before, one.scale) for row in rows), keep=1),
    ]


def _disagreement(one: BenchmarkDrift) -> str:
    """Of a single row whose interval and p disagree about zero."""
    row = one.rows[0]
    if len(one.rows) > 1 or not has_interval(row.difference) or math.isnan(row.test.pvalue):
        return ""
    excludes = row.difference.ci_low > 0 or row.difference.ci_high < 0
    if excludes == (row.test.pvalue <= 1 - row.difference.level):
        return ""
    beside = f", {p_digits(row.test.extra['mid_p'])}," if "mid_p" in row.test.extra else ""
    held = (
        f"hold the mid-p{beside} beside the interval" if beside else "so near the border the two may differ"
    )
    return f"Interval and p ({method_label(row.test.method)}) disagree about zero: {held}."


def drift_sentences(one: BenchmarkDrift) -> list[str]:
    changed = f"{_score(one.changed, _SHARES)} of the anchors"
    methods = listed(list(dict.fromkeys(_method(row.difference) for row in one.rows)))
    holm = ", the answer by p with Holm's correction" if len(one.rows) > 1 else ""
    no_margin = "Whether a judge is the same needs a margin: --margin 2 is two points."
    said = [
        *red_flags(one.caveats),
        f"Another verdict: {changed} ({_interval(one.changed, _SHARES)}).",
        f"Intervals: {percent(one.rows[0].difference.level)}, {methods}, each row alone{holm}.",
        _disagreement(one),
        *(
            f"{row.name.capitalize()}: {clean(why_undefined(row.difference))}."
            for row in one.rows
            if not has_interval(row.difference)
        ),
        *caveat_lines(one.caveats),
        no_margin if one.margin is None else "",
        "Reach: answers like these anchors.",
    ]
    return [sentence for sentence in said if sentence]


def bias_text(result: JudgeBias, width: int = 80, color: bool = False) -> str:
    """What `judge --verdicts` prints."""
    table = laid_out(fitted(bias_columns(result), width - 2)) if result.figures else []
    blocks = [
        paragraphs([bias_heading(result)], width, "title", indent=0),
        [Line(text, "plain" if at else "faint") for at, text in enumerate(table)],
        [*paragraphs(bias_sentences(result), width), *signature_lines(result.signature, width)],
    ]
    return rendered(spaced(blocks), color)


def bias_markdown(result: JudgeBias) -> str:
    """What `judge --verdicts --markdown` prints."""
    table = [*columns_table(bias_columns(result)), ""] if result.figures else []
    said = bullets(bias_sentences(result))
    return (
        "\n".join([f"**{escaped(bias_heading(result))}**", "", *table, *said, "", code(result.signature)])
        + "\n"
    )


def bias_heading(result: JudgeBias) -> str:
    clusters = ", in clusters of one question" if result.cluster else ""
    return (
        f"{counted(result.n_pairs, 'pair')} of answers, {result.n_swapped:,} judged in both orders{clusters}"
    )


def bias_columns(result: JudgeBias) -> list[Column]:
    rows = result.figures
    return [
        Column("", tuple(row.share.name for row in rows), right=False),
        Column("judge", tuple(_score(row.share, _SHARES) for row in rows)),
        Column("interval", tuple(_interval(row.share, _SHARES) for row in rows)),
        Column("pairs", tuple(f"{row.share.n:,}" for row in rows), keep=1),
        Column("people", tuple(_people(row) for row in rows), keep=2),
        Column("judge − people", tuple(_against_people(row) for row in rows), keep=3),
    ]


def _people(row: BiasFigure) -> str:
    return "" if row.human is None else _score(row.human, _SHARES)


def _against_people(row: BiasFigure) -> str:
    if row.difference is None:
        return ""
    shown = reading_for(row.difference, _SHARES)
    interval = f" ({_interval(row.difference, _SHARES, signed=True)})" if has_interval(row.difference) else ""
    return f"{shown.signed(row.difference.point)}{interval}"


def bias_sentences(result: JudgeBias) -> list[str]:
    methods = listed(list(dict.fromkeys(_method(row.share) for row in result.figures if _method(row.share))))
    level = percent(result.figures[0].share.level) if result.figures else ""
    kinds = [row.kind for row in result.figures]
    said = [
        _place(result),
        _longer_or_own(result, kinds),
        f"Intervals: {level}, {methods}, each row alone." if methods else "",
        *(
            f"{row.share.name.capitalize()}: {clean(why_undefined(row.share))}."
            for row in result.figures
            if not has_interval(row.share)
        ),
        *_unknown(result),
        f"Rows without a verdict, left out: {result.n_unscored:,}." if result.n_unscored else "",
        *caveat_lines(result.caveats),
        "Reach: pairs like these.",
    ]
    return [sentence for sentence in said if sentence]


def _unknown(result: JudgeBias) -> list[str]:
    """What the table does not tell; one reason once."""
    names: dict[str, list[str]] = {}
    for kind, reason in result.unknown.items():
        names.setdefault(reason, []).append(_BIASES[kind])
    return [f"Not known, {listed(kinds)}: {clean(reason)}." for reason, kinds in names.items()]


def _place(result: JudgeBias) -> str:
    test = next((row.test for row in result.figures if row.kind == "position"), None)
    if test is None or result.first_twice is None or result.second_twice is None:
        return ""
    p = (
        "p is not known"
        if math.isnan(test.pvalue)
        else f"{p_text(test.pvalue)} ({method_label(test.method)})"
    )
    return (
        f"A judge without position bias gives the first place 50{NB}%: {p}; the first place won both orders "
        f"of {counted(result.first_twice, 'pair')}, the second of {result.second_twice:,}."
    )


def _longer_or_own(result: JudgeBias, kinds: list[str]) -> str:
    """What such a share does not tell alone."""
    named = [words for kind, words in (("length", "longer"), ("self_preference", "its own")) if kind in kinds]
    if not named:
        return ""
    lead = f"{' or '.join(named).capitalize()} answers may be better: "
    if any(row.difference is not None for row in result.figures):
        return f"{lead}judge − people, on the pairs that both judged, is the bias (points)."
    return f"{lead}a column human, with people's winner, would tell the bias."


def _score(estimate: Estimate, scale: Scale) -> str:
    if not math.isfinite(estimate.point):
        return "not known"
    return rate(reading_for(estimate, scale), estimate.point)


def _difference(estimate: Estimate, scale: Scale) -> str:
    shown = reading_for(estimate, scale)
    text = shown.signed(estimate.point)
    return text + points_word(shown, text)


def _interval(estimate: Estimate, scale: Scale, signed: bool = False) -> str:
    if not has_interval(estimate):
        return "no interval"
    shown = reading_for(estimate, scale)
    write = shown.signed if signed else shown.plain
    return f"{write(estimate.ci_low)} to {write(estimate.ci_high)}"


def _p(test: TestResult) -> str:
    return "" if math.isnan(test.pvalue) else p_digits(test.pvalue)


def _method(estimate: Estimate) -> str:
    return method_label(estimate.method) if has_interval(estimate) else ""
