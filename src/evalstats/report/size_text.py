"""`size` as text and Markdown: how many items first, then what more and fewer of them decide."""

from __future__ import annotations

import math
from collections.abc import Sequence

from evalstats.analyses.size_result import SITUATIONS, Need, Point, Size, SizeLine
from evalstats.report.lines import Line, paragraphs, rendered, signature_lines, spaced
from evalstats.report.markdown_parts import bullets, code, columns_table, escaped
from evalstats.report.numbers import (
    MINUS,
    chance_text,
    counted,
    is_fraction,
    percent,
    reading_of,
    rounded_up,
)
from evalstats.report.numbers import size_text as amount
from evalstats.report.tables import Column, fitted, laid_out
from evalstats.report.terminal import NB, wrap

_EXACT = {
    "mcnemar_normal": "McNemar's exact test has {reached} power there",
    "normal_effect": "the t test has {reached} power there",
    "normal_margin": "{reached} of unchanged candidates pass there",
}
_BY = {
    "mcnemar_normal": "by the normal formula",
    "mcnemar_exact": "for McNemar's exact test to have it, and to keep it with more",
    "tango_exact": "by Tango's interval, summed exactly",
    "normal": "by the normal formula",
    "t": "by the t test",
    "wilson": "by Wilson's interval, half of its whole width",
}


def size_text(result: Size, width: int = 80, color: bool = False) -> str:
    """What `size` prints."""
    blocks = [
        paragraphs([heading(result)], width, "title", indent=0),
        _need_lines(result, width),
        paragraphs(decides(result), width),
        *[_table(columns, width) for columns in tables(result)],
        [*paragraphs(sentences(result), width), *signature_lines(result.signature, width)],
    ]
    return rendered(spaced(blocks), color)


def size_markdown(result: Size) -> str:
    """What `size --markdown` prints."""
    needs = [said for lead, rest in needs_said(result) for said in (lead, *rest)]
    lines = [f"**{escaped(heading(result))}**", "", *bullets([*needs, *decides(result)])]
    for columns in tables(result):
        lines += ["", *columns_table(columns)]
    said = bullets([*sentences(result), *result.notes])
    return "\n".join([*lines, "", *said, "", code(result.signature)]) + "\n"


def _table(columns: Sequence[Column], width: int) -> list[Line]:
    lines = laid_out(fitted(columns, width - 2))
    return [Line(text, "plain" if at else "faint") for at, text in enumerate(lines)]


def heading(result: Size) -> str:
    """ "How many items · two runs on the same items, pass rates · 25 % of items change"."""
    assumed, said = result.assumed, [SITUATIONS[result.situation]]
    if assumed.discordant_rate is not None:
        said.append(f"{_share(assumed.discordant_rate)} of items change")
    elif assumed.rate is not None:
        said.append(f"rate {_share(assumed.rate)}")
    if assumed.sd is not None:
        of = "differences" if result.situation == "paired_means" else "scores"
        said.append(f"standard deviation of the {of} {assumed.sd:.4g}")
    if assumed.completions > 1:
        said.append(f"{assumed.completions} completions an item")
    if assumed.cluster_size is not None and assumed.icc is not None:
        correlation = f"{assumed.icc:.2g}".replace("-", MINUS) + (", as 0" if assumed.icc < 0 else "")
        said.append(f"clusters of {assumed.cluster_size:.3g} items, correlation {correlation}")
    if assumed.pilot_items is not None:
        said.append(f"from a pilot of {counted(assumed.pilot_items, 'item')}")
    return f"How many items: {'; '.join(said)}"


def _share(share: float) -> str:
    """A rate as it was given."""
    return f"{100 * share:.4g}{NB}%"


def _need_lines(result: Size, width: int) -> list[Line]:
    lines: list[Line] = []
    for lead, rest in needs_said(result):
        lines += paragraphs([lead], width, "open")
        lines += [Line(text) for said in rest for text in wrap(said, width, 4, 2)]
    return lines


def needs_said(result: Size) -> list[tuple[str, list[str]]]:
    """Each target in a sentence, with what each formula says under it; none where a table says it."""
    found: list[tuple[str, list[str]]] = []
    if len(result.lines) > 1:
        return found
    for target in dict.fromkeys(need.target for need in result.needs):
        needs = [need for need in result.needs if need.target == target]
        said = [_need(need, result) for need in needs]
        found.append((f"{_target(needs[0], result)}:", said))
    return found


def _target(need: Need, result: Size) -> str:
    size, level = amount(need.size, result.scale), percent(result.level)
    if need.target == "half_width":
        return f"For an interval of ±{NB}{size} (level {level})"
    if need.target == "effect":
        return f"To show a true difference of {size} with {percent(result.power)} power (level {level})"
    return (
        f"For an unchanged candidate to pass a margin of {size} in {percent(result.power)} of cases "
        f"(level {level})"
    )


def _need(need: Need, result: Size) -> str:
    """ "305 items, by the normal formula; McNemar's exact test has 77.5 % power there"."""
    if need.n is None:
        return f"no number of items, {_BY[need.method]}{_why_none(need, result)}"
    said = f"{_items(need.n, need.n_clusters, result)}{_money(need.cost)}, {_BY[need.method]}"
    key = need.method if need.method in _EXACT else f"{need.method}_{need.target}"
    if need.reached is None or key not in _EXACT:
        return said
    return f"{said}; {_EXACT[key].format(reached=f'{100 * need.reached:.1f}{NB}%')}"


def _why_none(need: Need, result: Size) -> str:
    if need.target == "effect" and result.situation == "paired_rates":
        return ": runs that disagree on so few items cannot differ by more"
    if need.target == "effect" and result.situation == "unpaired_rates":
        return ": the rate leaves no room for it; give the lower of both rates"
    return ": nothing varies"


def _items(n: int, n_clusters: int | None, result: Size) -> str:
    each = " in each run" if result.situation.startswith("unpaired") else ""
    clusters = "" if n_clusters is None else f" in {counted(n_clusters, 'cluster')}"
    return f"{counted(n, 'item')}{clusters}{each}"


def _money(cost: float | None) -> str:
    return "" if cost is None else f" (costs {cost:,.2f} a run)"


def decides(result: Size) -> list[str]:
    """What the number of items asked about can decide, where one line says it."""
    if result.items is None or len(result.lines) > 1:
        return []
    line = result.lines[0]
    point = line.decides
    assert point is not None
    if point.half_width is not None:
        width = _width(point.half_width, result)
        return [f"{counted(point.n, 'item')} put its interval within ±{NB}{width} ({percent(result.level)})."]
    said = [_shows(point, result)]
    if point.power is not None and result.effect is not None:
        effect = amount(result.effect, result.scale)
        said.append(f"A true difference of {effect} they show in {chance_text(point.power)} of cases.")
    return [*said, *_gate(line, result)]


def _shows(point: Point, result: Size) -> str:
    each = " in each run" if result.situation.startswith("unpaired") else ""
    if point.mde is None:
        return f"{counted(point.n, 'item')}{each} show no difference{_note(point)}."
    return (
        f"{counted(point.n, 'item')}{each} show a true difference of {_shown(point.mde, result)} or more "
        f"({percent(result.power)} power{_note(point)})."
    )


def _note(point: Point) -> str:
    return f", {point.mde_note}" if point.mde_note and point.mde is not None else ""


def _gate(line: SizeLine, result: Size) -> list[str]:
    """How often an unchanged candidate passes the margin on these items, and what would do."""
    gate = line.gate
    if gate is None or result.margin is None:
        return []
    margin = amount(result.margin, result.scale)
    said = [
        f"With a margin of {margin} an unchanged candidate passes in {chance_text(gate.pass_unchanged)} of "
        f"cases and fails in {chance_text(gate.fail_unchanged)}; one that is worse by {margin} passes in "
        f"{chance_text(gate.pass_worse)}."
    ]
    if not gate.is_gate:
        said.append("That is no gate: an unchanged candidate passes in under half of cases.")
    if gate.margin_needed is not None:
        wider = _shown(gate.margin_needed, result)
        said.append(f"A margin of {wider} on these items would let it pass in {percent(result.power)}.")
    return said


def _shown(size: float, result: Size) -> str:
    """Rounded up, with its unit."""
    unit = f"{NB}points" if is_fraction(result.scale) else ""
    return f"{rounded_up(size, result.scale)}{unit}"


def _width(half_width: float, result: Size) -> str:
    fraction = is_fraction(result.scale)
    return reading_of([half_width], fraction).size(half_width) + (f"{NB}points" if fraction else "")


def tables(result: Size) -> list[list[Column]]:
    """The curve; the shares of changing items, where several stand; what completions buy."""
    tables = [_curve(result.lines[0], result)] if len(result.lines) == 1 else [_by_rate(result)]
    return [*tables, *([_by_completions(result)] if result.by_completions else [])]


def _curve(line: SizeLine, result: Size) -> list[Column]:
    """A row a number of items."""
    points = line.points
    effect = "" if result.effect is None else amount(result.effect, result.scale)
    columns = [
        Column("items", tuple(f"{point.n:,}" for point in points)),
        Column("clusters", tuple(_or_none(point.n_clusters, "{:,}") for point in points), keep=2),
    ]
    if result.situation.startswith("one_"):
        columns.append(Column("interval", tuple(f"±{NB}{_width_or_none(p, result)}" for p in points)))
    else:
        columns += [
            Column("smallest shown", tuple(_smallest(point, result) for point in points)),
            Column(f"shows {effect}", tuple(_chance(point.power) for point in points), keep=4),
            Column("unchanged passes", tuple(_chance(point.pass_unchanged) for point in points)),
            Column("worse by it passes", tuple(_chance(point.pass_worse) for point in points), keep=1),
        ]
    return [
        *columns,
        Column("cost a run", tuple(_or_none(point.cost, "{:,.2f}") for point in points), keep=3),
    ]


def _width_or_none(point: Point, result: Size) -> str:
    if point.half_width is None or math.isnan(point.half_width):
        return "not known"
    return _width(point.half_width, result)


def _or_none(value: float | None, form: str) -> str:
    return "" if value is None else form.format(value)


def _smallest(point: Point, result: Size) -> str:
    return "none" if point.mde is None else _shown(point.mde, result)


def _chance(share: float | None) -> str:
    return "" if share is None else chance_text(share)


def _by_rate(result: Size) -> list[Column]:
    """A row for each share of changing items. What the items asked about decide comes first."""
    lines = result.lines
    rates = tuple(_share(line.discordant_rate or 0.0) for line in lines)
    columns = [Column("items that change", rates)]
    points = [line.decides for line in lines if line.decides is not None]
    if points:
        columns += [
            Column(f"{result.items:,} show", tuple(_smallest(point, result) for point in points)),
            Column("show it", tuple(_chance(point.power) for point in points)),
            Column("unchanged passes", tuple(_chance(point.pass_unchanged) for point in points)),
        ]
    for target, title in (("effect", "to show"), ("margin", "to pass")):
        if getattr(result, target) is not None:
            size = amount(getattr(result, target), result.scale)
            needs = [[need for need in line.needs if need.target == target] for line in lines]
            columns += [
                Column(f"{title} {size}", tuple(_count(two[0]) for two in needs), keep=4),
                Column("chance there", tuple(_reached(two[0]) for two in needs), keep=2),
                Column("exactly", tuple(_count(two[1]) for two in needs), keep=1 if points else 4),
                Column("cost a run", tuple(_or_none(two[0].cost, "{:,.2f}") for two in needs), keep=3),
            ]
    return columns


def _count(need: Need) -> str:
    return "none" if need.n is None else f"{need.n:,}"


def _reached(need: Need) -> str:
    return "" if need.reached is None else f"{100 * need.reached:.1f}{NB}%"


def _by_completions(result: Size) -> list[Column]:
    rows = result.by_completions
    return [
        Column("completions an item", tuple(f"{row.completions}" for row in rows)),
        Column("items", tuple("none" if row.n is None else f"{row.n:,}" for row in rows)),
        Column("cost a run", tuple(_or_none(row.cost, "{:,.2f}") for row in rows), keep=1),
    ]


def sentences(result: Size) -> list[str]:
    said = (
        _four_times(result),
        _apart(result),
        _rates(result),
        _pilot(result),
        _costs(result),
        _assumes(result),
    )
    return [sentence for sentence in said if sentence]


def _four_times(result: Size) -> str:
    half = "width" if result.situation.startswith("one_") else "difference"
    return f"Half the {half} takes four times the items."


def _apart(result: Size) -> str:
    """What pairing saves."""
    if result.unpaired is None or result.unpaired.n is None or result.assumed.rate is None:
        return ""
    n, rate = result.unpaired.n, _share(result.assumed.rate)
    return f"On different items it would take {counted(n, 'item')} in each run (rate {rate})."


def _rates(result: Size) -> str:
    if len(result.lines) == 1:
        return ""
    return (
        "How many items change is not known here: --discordant-rate says it, --pilot BASELINE CANDIDATE "
        "reads it off two runs."
    )


def _pilot(result: Size) -> str:
    """How far the pilot leaves the answer open."""
    between = result.between
    if between is None:
        return ""
    low, high = (f"{100 * end:.1f}" for end in (between.discordant_low, between.discordant_high))
    ends = f"{between.n_low:,} and {counted(between.n_high, 'item')}"
    return (
        f"After this pilot {low} to {high}{NB}% of items may change ({percent(result.level)}, Wilson): at "
        f"these ends the answer is {ends}."
    )


def _costs(result: Size) -> str:
    if result.cost is None:
        return ""
    return f"Costs are of one run, at {result.cost:g} an item and completion."


def _assumes(result: Size) -> str:
    """What is taken for granted, and how to say otherwise."""
    assumed, taken = result.assumed, []
    if assumed.cluster_size is None:
        taken.append("items drawn independently (else --icc and --cluster-size)")
    if assumed.completions == 1 and assumed.within_variance is None:
        taken.append("one completion an item (else --completions and --within-variance)")
    if assumed.pilot_items is not None:
        taken.append("runs that differ as the pilot's do")
    return f"Assumes {'; '.join(taken)}." if taken else ""
