"""`variance` as text and Markdown: what to buy next, the sources of noise, then what holds for all."""

from __future__ import annotations

import math
from collections.abc import Mapping

from evalstats.analyses.variance_result import (
    BenchmarkVariance,
    Best,
    Component,
    Decomposition,
    Step,
    Variances,
)
from evalstats.report.labels import method_label
from evalstats.report.lines import Line, paragraphs, rendered, signature_lines, spaced
from evalstats.report.markdown_parts import bullets, code, columns_table, escaped
from evalstats.report.numbers import counted, is_fraction, listed, percent, reading_of
from evalstats.report.particulars import LABEL, caveat_lines, has_interval, red_flags, why_undefined
from evalstats.report.tables import Column, fitted, laid_out
from evalstats.report.terminal import NB, clean

_CROSS = " × "


def variance_text(result: Variances, width: int = 80, color: bool = False) -> str:
    """What `variance` prints."""
    blocks: list[list[Line]] = []
    for one in result:
        blocks += [
            paragraphs([heading(one)], width, "title", indent=0),
            paragraphs(answer(one), width, "open"),
            *(_table(columns, width) for columns in tables(one)),
            [*paragraphs(sentences(one), width), *signature_lines(one.signature, width)],
        ]
    return rendered(spaced(blocks), color)


def variance_markdown(result: Variances) -> str:
    """What `variance --markdown` prints."""
    parts = []
    for one in result:
        parts += [f"**{escaped(heading(one))}**", "", escaped(" ".join(answer(one))), ""]
        for columns in tables(one):
            parts += [*columns_table(columns), ""]
        parts += [*bullets(sentences(one)), "", code(one.signature), ""]
    return "\n".join([*parts, *bullets(result.notes)]).rstrip("\n") + "\n"


def _table(columns: list[Column], width: int) -> list[Line]:
    lines = laid_out(fitted(columns, width - 2))
    return [Line(text, "plain" if at else "faint") for at, text in enumerate(lines)]


def heading(one: BenchmarkVariance) -> str:
    """ "grades · score · 40 items × 3 judges"."""
    sizes = _CROSS.join(_many(name, size) for name, size in one.found.sizes.items())
    paired = f", paired by {clean(one.key, LABEL)}" if one.key else ""
    return f"{clean(one.benchmark, 60)} · {clean(one.metric, 60)} · {sizes}{paired}"


def _many(name: str, size: float) -> str:
    """ "40 items", "12 families", "15 of passage_id", "3.4 completions"."""
    name = clean(name, LABEL)
    if not name.isalpha():
        return f"{size:.3g} of {name}" if size != int(size) else f"{size:,.0f} of {name}"
    plural = f"{name[:-1]}ies" if name.endswith("y") and name[-2:-1] not in "aeiou" else f"{name}s"
    return counted(int(size), name, plural) if size == int(size) else f"{size:.3g}{NB}{plural}"


def answer(one: BenchmarkVariance) -> list[str]:
    """The mean with its error, and what to buy."""
    found = one.found
    if not found.steps:
        return ["All scores are equal: nothing varies, so nothing is known of where noise comes from."]
    parts = [f"{_in_units(one, math.sqrt(c.of_mean))} by {clean(c.name, LABEL)}" for c in found.components]
    return [
        f"The mean, {_mean(one)}, has a standard error of {_in_units(one, found.standard_error, True)}: "
        f"{listed(parts, 6)} (they add as squares).",
        _buy(one),
    ]


def _mean(one: BenchmarkVariance) -> str:
    mean = one.found.mean
    return f"{100 * mean:.1f}{NB}%" if is_fraction(one.scale) else f"{mean:.4g}"


def _in_units(one: BenchmarkVariance, size: float, with_unit: bool = False) -> str:
    """A standard deviation or error in points, or in the score's own unit."""
    if not is_fraction(one.scale):
        return f"{size:.3g}"
    text = f"{100 * size:.2f}"
    return f"{text}{NB}points" if with_unit else text


def _buy(one: BenchmarkVariance) -> str:
    first, *others = one.found.steps
    name = clean(first.name, LABEL)
    if not others:
        return f"What to buy next: {name}."
    next_best = others[0]
    if first.gain <= 0:
        return "Nothing more of any kind lowers the error."
    if next_best.gain <= 0:
        return f"What to buy next: {name}; more of {clean(next_best.name, LABEL)} lowers nothing."
    times = f"{first.gain / next_best.gain:.2g}"
    if times == "1":
        return (
            f"What to buy next: {name} or {clean(next_best.name, LABEL)}. For the same cost each takes as "
            "much off the variance of the mean."
        )
    more = f"{times} times as much"
    return (
        f"What to buy next: {name}. For the same cost it takes {more} off the variance of the mean as "
        f"{clean(next_best.name, LABEL)}."
    )


def tables(one: BenchmarkVariance) -> list[list[Column]]:
    """The sources, and what one more of each brings."""
    found = one.found
    sources = [
        Column("source", tuple(clean(c.name, LABEL) for c in found.components), right=False, shrink=True),
        Column("sd", tuple(_in_units(one, math.sqrt(c.variance)) for c in found.components)),
        Column("share", tuple(_percent(c.share.point) for c in found.components)),
        Column("interval", tuple(_interval(c) for c in found.components)),
        Column("of the mean", tuple(_percent(c.share_of_mean) for c in found.components), keep=1),
    ]
    return [sources, _steps(one)] if found.steps else [sources]


def _steps(one: BenchmarkVariance) -> list[Column]:
    steps = one.found.steps
    now = one.found.standard_error
    reading = reading_of([now, *(step.standard_error for step in steps)], is_fraction(one.scale))
    then = tuple(f"{reading.plain(now)} → {reading.plain(step.standard_error)}" for step in steps)
    return [
        Column("one more", tuple(clean(step.name, LABEL) for step in steps), right=False, shrink=True),
        Column("costs", tuple(f"{step.cost:,.4g}" for step in steps)),
        Column("standard error", then),
        Column("variance off, per cost", tuple(_gain(step) for step in steps), keep=1),
    ]


def _gain(step: Step) -> str:
    return f"{100 * step.gain:.2g}{NB}%"


def _percent(share: float) -> str:
    return "" if math.isnan(share) else f"{100 * share:.1f}{NB}%"


def _interval(component: Component) -> str:
    share = component.share
    if not has_interval(share):
        return "no interval"
    return f"{100 * share.ci_low:.1f} to {100 * share.ci_high:.1f}"


def sentences(one: BenchmarkVariance) -> list[str]:
    """What the columns are, what the numbers rest on, and how far they reach."""
    found = one.found
    said = [
        *red_flags(one.caveats),
        *(_best(best) for best in found.best),
        _costs(found.costs) if found.steps else "",
        _columns(one),
        *_intervals(found),
        _same_levels(one),
        _mixed(one),
        _left_out(one),
        *caveat_lines(one.caveats),
        _reach(one),
    ]
    return [sentence for sentence in said if sentence]


def _best(best: Best) -> str:
    name, within = clean(best.name, LABEL), clean(best.within, LABEL)
    if best.number is None:
        return (
            f"No number of {name} in each {within} is too many: no {within} is seen to differ from another."
        )
    exact = f"{best.exact:.2g} by √(σ²/σ² above · cost above/cost)"
    return f"At these costs {best.number:,} of {name} in each {within} is best ({exact}); now {best.now:.3g}."


def _costs(costs: Mapping[str, float]) -> str:
    said = listed([f"{clean(name, LABEL)} {cost:g}" for name, cost in costs.items()], 6)
    return f"Costs of one, beside what is in it: {said} (--cost NAME=AMOUNT,...; 1 where it is not said)."


def _columns(one: BenchmarkVariance) -> str:
    unit = " in points" if is_fraction(one.scale) else ""
    return (
        f"sd: the standard deviation that the source adds to a single score{unit}; share: of a single "
        f"score's variance; of the mean: of the variance of the mean."
    )


def _intervals(found: Decomposition) -> list[str]:
    known = [c for c in found.components if has_interval(c.share)]
    said = []
    if known:
        share = known[0].share
        by_law = "; a crossed factor by the χ² law of its mean square" * (found.kind == "crossed")
        said = [f"Intervals of shares: {percent(share.level)}, {method_label(share.method)}{by_law}."]
    reasons: dict[str, list[str]] = {}
    for component in found.components:
        if not has_interval(component.share):
            reasons.setdefault(why_undefined(component.share), []).append(clean(component.name, LABEL))
    return [*said, *(f"No interval for {listed(names)}: {clean(why)}." for why, names in reasons.items())]


def _same_levels(one: BenchmarkVariance) -> str:
    if one.factor is None or math.isnan(one.found.same_levels):
        return ""
    error = _in_units(one, one.found.same_levels, True)
    levels = listed([clean(level, 24) for level in one.levels])
    return (
        f"With {levels} as they are, and no other {clean(one.factor, LABEL)}, the standard error is {error}."
    )


def _mixed(one: BenchmarkVariance) -> str:
    """The last source where nothing was repeated inside it."""
    last = clean(one.found.components[-1].name, LABEL)
    if one.together:
        same = clean(one.factor or "", LABEL)
        return f"The completions are the same for every {same}: their noise is in item."
    if _CROSS in one.found.components[-1].name:
        return f"{last} holds the noise of a single score too: there is one in each cell."
    if one.found.kind == "nested" and last != "attempt":
        return f"{last} holds the noise of a single score too: there is one of each."
    return ""


def _left_out(one: BenchmarkVariance) -> str:
    if not one.n_dropped:
        return ""
    return f"Left out, as asked: {counted(one.n_dropped, 'item')} without a score somewhere."


def _reach(one: BenchmarkVariance) -> str:
    names = listed([clean(name, LABEL) for name in one.found.sizes])
    said = f"Reach: {names} like these, drawn independently."
    if one.cluster is None:
        return said
    cluster = clean(one.cluster, LABEL)
    return f"{said} The log groups its items by {cluster}: --by {cluster}/item tells that apart."
