"""`passk` as text and Markdown: a row for each measure and k; of two runs the difference first."""

from __future__ import annotations

import math
from collections.abc import Sequence

from evalstats.analyses.passk_result import Attempts, AttemptsRow, AttemptsSide, BenchmarkAttempts
from evalstats.caveats import CAVEATS
from evalstats.envelope import Scale
from evalstats.report.labels import method_label
from evalstats.report.lines import Line, paragraphs, rendered, signature_lines, spaced
from evalstats.report.markdown_parts import bullets, code, columns_table, escaped
from evalstats.report.numbers import counted, listed, p_digits, percent, points_word, rate, reading_for
from evalstats.report.particulars import LABEL, has_interval, reach_line, why_undefined
from evalstats.report.tables import Column, fitted, laid_out
from evalstats.report.terminal import cells, clean
from evalstats.results import Estimate

_SCALE = Scale("pass_fail", 0.0, 1.0)
_SHORT = 16
_NAMES = "pass@k: any of k is right; pass^k: all of k; avg@k: the mean of k; maj@k: the majority of k."


def attempts_text(result: Attempts, width: int = 80, color: bool = False) -> str:
    """What `passk` prints."""
    blocks: list[list[Line]] = []
    for one in result:
        lines = laid_out(fitted(columns(one), width - 2))
        narrow = max(map(cells, lines)) > width
        if narrow:
            lines = laid_out(fitted(columns(one, in_full=False), width - 2))
        said = [*([_NAMES] if narrow else []), *sentences(one)]
        blocks += [
            paragraphs([heading(one)], width, "title", indent=0),
            [Line(text, "plain" if at else "faint") for at, text in enumerate(lines)],
            [*paragraphs(said, width), *signature_lines(one.signature, width)],
        ]
    return rendered(spaced(blocks), color)


def attempts_markdown(result: Attempts) -> str:
    """What `passk --markdown` prints."""
    parts = []
    for one in result:
        said = bullets(sentences(one))
        parts += [f"**{escaped(heading(one))}**", "", *columns_table(columns(one)), "", *said, ""]
        parts += [code(one.signature), ""]
    return "\n".join([*parts, *bullets(result.notes)]).rstrip("\n") + "\n"


def heading(one: BenchmarkAttempts) -> str:
    """ "HumanEval · passed · 164 problems × 20 attempts, paired by id"."""
    problems = f"{counted(one.n_common, 'problem')} × {_attempts(one.sides)}"
    clusters = f" in clusters of {clean(one.cluster, LABEL)}" if one.cluster else ""
    paired = f", paired by {clean(one.key, LABEL)}" if one.key else ""
    return f"{clean(one.benchmark, 60)} · {clean(one.metric, 60)} · {problems}{clusters}{paired}"


def _attempts(sides: Sequence[AttemptsSide]) -> str:
    """ "10 attempts", "4 to 10 attempts"."""
    fewest, most = min(side.fewest for side in sides), max(side.most for side in sides)
    return counted(most, "attempt") if fewest == most else f"{fewest:,} to {counted(most, 'attempt')}"


def columns(one: BenchmarkAttempts, in_full: bool = True) -> list[Column]:
    names = Column("", tuple(row.name if in_full else row.short for row in one.rows), right=False)
    if len(one.sides) == 1:
        label = clean(one.sides[0].label, _SHORT)
        return [
            names,
            Column(label, tuple(_score(row.shown) for row in one.rows)),
            Column("interval", tuple(_interval(row.shown, False) for row in one.rows)),
            Column("method", tuple(_method(row.shown) for row in one.rows), keep=1, right=False),
        ]
    sides = tuple(clean(side.label, _SHORT) for side in one.sides)
    return [
        names,
        Column("difference", tuple(_difference(row) for row in one.rows)),
        Column("interval", tuple(_interval(row.shown, True) for row in one.rows)),
        Column("p", tuple(_pvalue(row) for row in one.rows), keep=3),
        Column(sides[1], tuple(_score(row.estimates[1]) for row in one.rows), keep=2),
        Column(sides[0], tuple(_score(row.estimates[0]) for row in one.rows), keep=2),
    ]


def _score(estimate: Estimate) -> str:
    if not math.isfinite(estimate.point):
        return "not known"
    return rate(reading_for(estimate, _SCALE), estimate.point)


def _difference(row: AttemptsRow) -> str:
    """ "+6.8 points"."""
    if not math.isfinite(row.shown.point):
        return "not known"
    shown = reading_for(row.shown, _SCALE)
    text = shown.signed(row.shown.point)
    return text + points_word(shown, text)


def _interval(estimate: Estimate, signed: bool) -> str:
    if not has_interval(estimate):
        return "" if math.isnan(estimate.point) else "no interval"
    shown = reading_for(estimate, _SCALE)
    low, high = (
        shown.signed(end) if signed else shown.plain(end) for end in (estimate.ci_low, estimate.ci_high)
    )
    return f"{low} to {high}"


def _pvalue(row: AttemptsRow) -> str:
    return "" if row.test is None or math.isnan(row.test.pvalue) else p_digits(row.test.pvalue)


def _method(estimate: Estimate) -> str:
    return method_label(estimate.method) if has_interval(estimate) else ""


def sentences(one: BenchmarkAttempts) -> list[str]:
    said = [
        _intervals(one),
        _first(one),
        *_unknown(one),
        *_unscored(one),
        *(f"{_capital(caveat['text'])}." for caveat in one.caveats),
        *_row_caveats(one),
        reach_line(one.rows[0].shown, one.not_checked),
    ]
    return [sentence for sentence in said if sentence]


def _intervals(one: BenchmarkAttempts) -> str:
    """What the intervals are, and that the rows are no independent answers."""
    known = [row.shown for row in one.rows if has_interval(row.shown)]
    if not known:
        return ""
    methods = listed(list(dict.fromkeys(method_label(estimate.method) for estimate in known)))
    proved = " (coverage proved)" if all("guarantee" in estimate.extra for estimate in known) else ""
    together = "; all rows rest on the same attempts" if len(known) > 1 else ""
    return (
        f"Intervals: {percent(known[0].level)}, over problems, {methods}{proved}, each row alone{together}."
    )


def _first(one: BenchmarkAttempts) -> str:
    """Where pass^1 was left out because it is pass@1."""
    alone = {row.measure for row in one.rows if row.k == 1} == {"pass_at_k"}
    both = "pass_hat_k" in {row.measure for row in one.rows}
    return "With one attempt pass@1 and pass^1 are the same: the mean score." if alone and both else ""


def _unknown(one: BenchmarkAttempts) -> list[str]:
    """Rows without a number, or without an interval, and why; one reason once."""
    names: dict[str, list[str]] = {}
    for row in one.rows:
        if not has_interval(row.shown):
            names.setdefault(why_undefined(row.shown), []).append(row.short)
    return [f"{listed(rows)}: {clean(reason)}." for reason, rows in names.items()]


def _unscored(one: BenchmarkAttempts) -> list[str]:
    counts = [f"{side.n_unscored:,} in {clean(side.label, LABEL)}" for side in one.sides if side.n_unscored]
    said = [f"Attempts without a score, which count for nothing: {listed(counts)}."] if counts else []
    alone = [side.n_problems - one.n_problems for side in one.sides]
    if any(alone):
        beyond = [f"{n:,} in {clean(s.label, LABEL)}" for n, s in zip(alone, one.sides, strict=True) if n]
        said.append(f"Problems in one run only, not used: {listed(beyond)}.")
    return said


def _row_caveats(one: BenchmarkAttempts) -> list[str]:
    """Each caveat once: its text where a single row has it, else its meaning and the rows."""
    found: dict[str, dict[str, str]] = {}
    for row in one.rows:
        for caveat in row.caveats:
            found.setdefault(caveat["code"], {})[row.short] = caveat["text"]
    said = []
    for caveat_code, texts in found.items():
        same = len(set(texts.values())) == 1
        text = clean(next(iter(texts.values())) if same else CAVEATS[caveat_code])
        said.append(f"{_capital(text if len(texts) == len(one.rows) else f'{listed(list(texts))}: {text}')}.")
    return said


def _capital(text: str) -> str:
    """Names and formulas keep their letters."""
    return text if "@" in text[:6] or "^" in text[:6] or text[1:2] == " " else text[:1].upper() + text[1:]
