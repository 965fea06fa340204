"""`judge` as text and Markdown: the corrected score or difference first, then the judge, its error rates."""

from __future__ import annotations

import math

from evalstats.analyses.judge_result import BenchmarkJudged, Judged, JudgedSide
from evalstats.envelope import Scale
from evalstats.report.labels import method_label
from evalstats.report.lines import Line, paragraphs, rendered, signature_lines, spaced
from evalstats.report.markdown_parts import bullets, code, columns_table, escaped
from evalstats.report.numbers import (
    MINUS,
    counted,
    listed,
    points_word,
    rate,
    reading_for,
)
from evalstats.report.particulars import (
    LABEL,
    caveat_lines,
    has_interval,
    interval_source,
    reach_line,
    scale_line,
    why_undefined,
)
from evalstats.report.tables import Column, fitted, laid_out
from evalstats.report.terminal import clean
from evalstats.results import Estimate

_NAMES = {
    "corrected": "corrected",
    "labels": "labels alone",
    "error_rates": "by error rates",
    "judge": "judge alone",
}


def judged_text(result: Judged, width: int = 80, color: bool = False) -> str:
    """What `judge` prints of a run, or of two."""
    blocks: list[list[Line]] = []
    for one in result:
        tables = [laid_out(fitted(columns, width - 2)) for columns in tables_of(one)]
        blocks += [
            paragraphs([heading(one)], width, "title", indent=0),
            paragraphs([headline(one)], width, "open"),
            paragraphs(first_sentences(one), width),
            *([Line(text, "plain" if at else "faint") for at, text in enumerate(table)] for table in tables),
            [*paragraphs(sentences(one), width), *signature_lines(one.signature, width)],
        ]
    return rendered(spaced(blocks), color)


def judged_markdown(result: Judged) -> str:
    """What `judge --markdown` prints."""
    parts = []
    for one in result:
        parts += [f"**{escaped(heading(one))}**", "", f"**{escaped(headline(one))}**", ""]
        parts += [*bullets(first_sentences(one)), ""]
        for columns in tables_of(one):
            parts += [*columns_table(columns), ""]
        parts += [*bullets(sentences(one)), "", code(one.signature), ""]
    return "\n".join([*parts, *bullets(result.notes)]).rstrip("\n") + "\n"


def heading(one: BenchmarkJudged) -> str:
    """ "qa · correct · 400 items, 100 of them labelled"."""
    n = one.judge.n
    labelled = f", {one.n_labelled:,} of them labelled" if one.n_labelled else ""
    paired = f", paired by {clean(one.key, LABEL)}" if one.key else ""
    return f"{clean(one.benchmark, 60)} · {clean(one.metric, 60)} · {counted(n, 'item')}{labelled}{paired}"


def headline(one: BenchmarkJudged) -> str:
    """ "corrected   60.0 %   52.0 to 67.9   (95 %, PPI++)"."""
    answer = one.answers[0]
    lead = _NAMES[answer.kind]
    if _two(one):
        lead = f"candidate {MINUS} baseline, {lead}"
    if not math.isfinite(answer.estimate.point):
        return f"{lead}: not known ({clean(why_undefined(answer.estimate))})"
    shown = f"{lead}   {_value(one, answer.estimate)}"
    if not has_interval(answer.estimate):
        return f"{shown}   (no interval: {clean(why_undefined(answer.estimate))})"
    return f"{shown}   {_interval(one, answer.estimate)}   ({interval_source(answer.estimate)})"


def _two(one: BenchmarkJudged) -> bool:
    return len(one.sides) == 2


def _value(one: BenchmarkJudged, estimate: Estimate) -> str:
    """A score, or a difference with its sign."""
    if not math.isfinite(estimate.point):
        return "not known"
    shown = reading_for(estimate, one.scale)
    if not _two(one):
        return rate(shown, estimate.point)
    text = shown.signed(estimate.point)
    return text + points_word(shown, text)


def _interval(one: BenchmarkJudged, estimate: Estimate) -> str:
    if not has_interval(estimate):
        return "" if not math.isfinite(estimate.point) else "no interval"
    shown = reading_for(estimate, one.scale)
    write = shown.signed if _two(one) else shown.plain
    return f"{write(estimate.ci_low)} to {write(estimate.ci_high)}"


def first_sentences(one: BenchmarkJudged) -> list[str]:
    """What it settles, and how far the judge alone is off."""
    return [said for said in (_settled(one), _judge_alone(one)) if said]


def _settled(one: BenchmarkJudged) -> str:
    estimate = one.shown
    if one.direction is None or not has_interval(estimate):
        return ""
    shown = reading_for(estimate, one.scale)
    if one.direction != "not_settled":
        return f"The difference is settled: the candidate is {'higher' if estimate.point > 0 else 'lower'}."
    unit = points_word(shown, "2")
    low, high = shown.size(estimate.ci_low), shown.size(estimate.ci_high)
    return f"Not settled: the data fit anything from {low}{unit} lower to {high} higher."


def _judge_alone(one: BenchmarkJudged) -> str:
    """ "The judge alone says 72.0 %, 12.0 points more."."""
    shown, judge = one.shown, one.judge
    if not math.isfinite(shown.point):
        return f"The judge alone says {_value(one, judge)}."
    away = judge.point - shown.point
    off = reading_for(judge, one.scale)
    size = off.size(away)
    more = "more" if away > 0 else "less"
    said = f"{size}{points_word(off, size)} {more}" if float(size) else "the same"
    return f"The judge alone says {_value(one, judge)}, {said}."


def tables_of(one: BenchmarkJudged) -> list[list[Column]]:
    tables = [_other_ways(one)]
    if _two(one):
        tables.append(_runs(one))
    elif one.sides[0].sensitivity is not None or one.sides[0].specificity is not None:
        tables.append(_error_rates(one.sides[0]))
    return tables


def _other_ways(one: BenchmarkJudged) -> list[Column]:
    rows = [(_NAMES[answer.kind], answer.estimate) for answer in one.answers[1:]]
    rows.append((_NAMES["judge"], one.judge))
    return [
        Column("beside it", tuple(name for name, _ in rows), right=False),
        Column("difference" if _two(one) else "score", tuple(_value(one, found) for _, found in rows)),
        Column("interval", tuple(_interval(one, found) for _, found in rows)),
        Column("method", tuple(_method(found) for _, found in rows), keep=2, right=False),
        Column("from", tuple(_from(one, name, found) for name, found in rows), keep=1, right=False),
    ]


def _method(estimate: Estimate) -> str:
    return method_label(estimate.method) if has_interval(estimate) else ""


def _from(one: BenchmarkJudged, name: str, estimate: Estimate) -> str:
    """What a row rests on."""
    if not math.isfinite(estimate.point):
        return ""
    if name == _NAMES["labels"]:
        return counted(estimate.n, "label")
    if name == _NAMES["judge"]:
        return "its errors left in"
    return counted(one.n_labelled, "label") + " and the judge" if one.n_labelled else "the judge"


def _error_rates(side: JudgedSide) -> list[Column]:
    rows = [
        (name, found)
        for name, found in (
            ("passes right answers", side.sensitivity),
            ("fails wrong answers", side.specificity),
        )
        if found is not None
    ]
    return [
        Column("the judge", tuple(name for name, _ in rows), right=False),
        Column("rate", tuple(_share(found) for _, found in rows)),
        Column("interval", tuple(_share_interval(found) for _, found in rows)),
        Column("of", tuple(_of(found) for _, found in rows), keep=1, right=False),
    ]


_RATES = Scale("pass_fail", 0.0, 1.0)


def _share(estimate: Estimate | None) -> str:
    return "" if estimate is None else rate(reading_for(estimate, _RATES), estimate.point)


def _share_interval(estimate: Estimate) -> str:
    if not has_interval(estimate):
        return "known"
    shown = reading_for(estimate, _RATES)
    return f"{shown.plain(estimate.ci_low)} to {shown.plain(estimate.ci_high)}"


def _of(estimate: Estimate) -> str:
    name = "sensitivity" if estimate.name == "sensitivity" else "specificity"
    return f"{counted(estimate.n, 'label')} ({name})" if estimate.n else f"({name})"


def _runs(one: BenchmarkJudged) -> list[Column]:
    """The two runs, the candidate first."""
    sides = one.sides[::-1]
    corrected = [side.corrected for side in sides]
    return [
        Column("each run", tuple(clean(side.label, 16) for side in sides), right=False, shrink=True),
        Column("corrected", tuple(_score(one, found) for found in corrected)),
        Column("interval", tuple(_score_interval(one, found) for found in corrected)),
        Column("judge", tuple(_score(one, side.judge) for side in sides)),
        Column("passes right", tuple(_share(side.sensitivity) for side in sides), keep=1),
        Column("fails wrong", tuple(_share(side.specificity) for side in sides), keep=1),
    ]


def _score(one: BenchmarkJudged, estimate: Estimate | None) -> str:
    if estimate is None or not math.isfinite(estimate.point):
        return "not known"
    return rate(reading_for(estimate, one.scale), estimate.point)


def _score_interval(one: BenchmarkJudged, estimate: Estimate | None) -> str:
    if estimate is None or not has_interval(estimate):
        return ""
    shown = reading_for(estimate, one.scale)
    return f"{shown.plain(estimate.ci_low)} to {shown.plain(estimate.ci_high)}"


def sentences(one: BenchmarkJudged) -> list[str]:
    said = [
        _why(one),
        _worth(one),
        *_unknown(one),
        *_counts(one),
        *caveat_lines(one.caveats),
        scale_line(one.scale) or "",
        _assumes(one),
        reach_line(one.shown, one.not_checked),
    ]
    return [sentence for sentence in said if sentence]


def _why(one: BenchmarkJudged) -> str:
    kind = one.answers[0].kind
    lead = "The labels alone stand" if kind == "labels" else f"{method_label(one.shown.method)} stands"
    return f"{lead} first: {clean(one.why)}."


def _worth(one: BenchmarkJudged) -> str:
    """What the judge adds to the labels."""
    found = next((answer.estimate for answer in one.answers if answer.kind == "corrected"), None)
    worth = None if found is None else found.extra.get("worth_labels")
    if found is None or worth is None:
        return ""
    said = (
        f"With the judge (λ = {found.extra['lambda']:.2f}) {counted(one.n_labelled, 'label')} are worth "
        f"{worth:,.0f} without it"
    )
    if "few_disagreements" in [caveat["code"] for caveat in one.caveats]:
        return f"{said}."
    return f"{said}; {counted(one.n_disagreements, 'labelled item')} differ between judge and label."


def _unknown(one: BenchmarkJudged) -> list[str]:
    """Answers without a number or an interval, and why; the first has said its reason."""
    unknown = [answer for answer in one.answers[1:] if not has_interval(answer.estimate)]
    return [
        f"{_NAMES[answer.kind].capitalize()}: {clean(why_undefined(answer.estimate))}." for answer in unknown
    ]


def _counts(one: BenchmarkJudged) -> list[str]:
    """Labels that were no use."""
    said = []
    blank = [f"{side.n_blank:,} for {clean(side.label, LABEL)}" for side in one.sides if side.n_blank]
    if blank:
        said.append(f"Rows of labels left blank: {listed(blank)}.")
    unscored = [f"{side.n_unscored:,} in {clean(side.label, LABEL)}" for side in one.sides if side.n_unscored]
    if unscored:
        said.append(f"Labelled, but not scored by the judge: {listed(unscored)}.")
    if one.n_labelled_in_one:
        n = counted(one.n_labelled_in_one, "item")
        said.append(f"Labelled in one run only, and taken as not labelled: {n}.")
    return said


def _assumes(one: BenchmarkJudged) -> str:
    if one.n_labelled:
        return (
            "Taken for granted: the labelled items are a random sample of the judged ones, and the labels "
            "are right."
        )
    return "Taken for granted: the judge errs on these items as it did where its error rates come from."
