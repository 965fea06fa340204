"""A gate in sentences: its answer, why, and what it does to a candidate that has not changed."""

from __future__ import annotations

from collections.abc import Sequence

from evalstats.analyses.gate_chances import GateChances
from evalstats.analyses.gate_result import Decision, Gate
from evalstats.envelope import Comparison, Scale
from evalstats.report import families, particulars, wording
from evalstats.report.numbers import chance_text, counted, is_fraction, listed, percent, rounded_up, size_text
from evalstats.report.tables import Column
from evalstats.report.terminal import NB, clean

_NAMED = 4
_SAID_ELSEWHERE = ("not_worse", "regressed", "not_shown", "no_interval", "no_regression", "not_a_gate")
ANSWERS = {"not_failed": "no regression", "missing": "missing"}


def verdict_line(gate: Gate) -> str:
    """ "Gate: pass", "Not a gate: an unchanged candidate passes in 7.3 % of cases", with the exit code."""
    exits = f"exit{NB}{gate.exit_code}"
    if gate.is_gate or gate.chances is None:
        return f"Gate: {gate.answer} ({exits})"
    share = chance_text(gate.chances.pass_unchanged)
    return f"Not a gate: an unchanged candidate passes in {share} of cases ({exits})"


def subject_line(gate: Gate) -> str:
    """Which runs, over how many benchmarks, by which plan."""
    rows = gate.comparisons.primary
    plan = f" · {clean(gate.plan, 60)}" if gate.plan else ""
    if gate.macro is not None:
        return f"{families.family_heading(gate.comparisons)}, their macro average · {_items(gate.macro)}"
    if len(rows) == 1 and len(gate.decisions) == 1:
        return f"{wording.heading(rows[0])}{plan}"
    if not rows:
        return f"{counted(len(gate.decisions), 'benchmark')}{plan}"
    first = rows[0]
    runs = f"{particulars.label(first.candidate)} against {particulars.label(first.baseline)}"
    return f"{runs} · {counted(len(gate.decisions), 'benchmark')}{plan}"


def _items(row: Comparison) -> str:
    return wording.items(row.design)


def reason_lines(gate: Gate) -> list[str]:
    """What stands in the way, and which benchmarks decide; not what the headline says already."""
    reasons = [*gate.reasons, *(reason for d in gate.decisions for reason in d.reasons)]
    said = [reason.text for reason in reasons if reason.code not in _SAID_ELSEWHERE]
    if len(gate.decisions) > 1 and gate.answer != "pass":
        said += _deciding(gate)
    return [f"{clean(text)}." for text in dict.fromkeys(said)]


def _deciding(gate: Gate) -> list[str]:
    """The benchmarks of a fail, or of an inconclusive answer."""
    said = []
    if gate.answer == "fail":
        said = [
            (
                "Regressed, and not shown to be so by less than its margin",
                _names(gate, "critical", ("fail",)),
            ),
            ("Regressed, also after correction", _names(gate, "watched", ("fail",))),
        ]
    elif gate.is_gate:
        said = [
            ("Not settled against its margin", _names(gate, "critical", ("inconclusive",))),
            ("Supporting, and failed or missing", _names(gate, "supporting", ("fail", "missing"))),
        ]
    return [f"{text}: {listed(names, _NAMED)}" for text, names in said if names]


def _names(gate: Gate, tier: str, answers: tuple[str, ...]) -> list[str]:
    """Of a plan's benchmarks, or of those beside the macro average, whose own verdict is said apart."""
    apart = gate.macro.benchmark if gate.macro is not None else None
    return [
        _name(d) for d in gate.decisions if d.tier == tier and d.answer in answers and d.benchmark != apart
    ]


def chance_lines(gate: Gate) -> list[str]:
    """How often an unchanged candidate passes and fails, a worse one passes, and what would do better."""
    chances = gate.chances
    if chances is None:
        known = any(d.answer == "missing" and d.tier == "critical" for d in gate.decisions)
        proved = any("guarantee" in row.difference.extra for row in gate.comparisons)
        why = "nobody has summed it for this guarantee" if proved else "no spread was seen"
        return [] if known else [f"How often an unchanged candidate passes is not known: {why}."]
    if chances.basis == "product":
        return [_together(gate, chances), *_weakest(gate)]
    decision = next(d for d in gate.decisions if d.tier == "critical")
    row = gate.row(decision.benchmark)
    assert row is not None
    assert decision.margin is not None
    return [
        unchanged_line(chances, f"With {_these(row, chances)}"),
        worse_line(chances, size_text(decision.margin, row.scale)),
        better_line(chances, row.scale),
    ]


def _these(row: Comparison, chances: GateChances) -> str:
    return f"these {counted(chances.items, 'item')}{rate_text(chances)}"


def rate_text(chances: GateChances) -> str:
    """ ", of which 19 % change" and who says so."""
    if chances.discordant_rate is None:
        return ""
    who = {"plan": " (the plan)", "completions": " (as the completions do)"}.get(
        chances.rate_source or "", ""
    )
    return f", of which about {percent(float(f'{chances.discordant_rate:.2g}'))} change{who}"


def unchanged_line(chances: GateChances, given: str) -> str:
    return (
        f"{given}, an unchanged candidate passes in {chance_text(chances.pass_unchanged)} of cases and fails "
        f"in {chance_text(chances.fail_unchanged)}."
    )


def worse_line(chances: GateChances, margin: str) -> str:
    return f"One that is worse by {margin}, the margin, passes in {chance_text(chances.pass_worse)}."


def better_line(chances: GateChances, scale: Scale) -> str:
    """The n, and where that is not reached the margin, with which an unchanged candidate passes in 80 %."""
    needed = chances.items_needed
    ways = [] if chances.margin_needed is None else [_wider(chances.margin_needed, scale)]
    ways += [] if needed is None else [counted(needed, "item")]
    if not ways:
        return f"No margin and no number of items would let it pass in 80{NB}%."
    if needed is not None and needed <= chances.items:
        return f"For 80{NB}%, {counted(needed, 'item')} would do."
    return f"For 80{NB}% it would take {' or '.join(ways)}."


def _wider(margin: float, scale: Scale) -> str:
    size = rounded_up(margin, scale)
    return f"a margin of {size}{NB}points" if is_fraction(scale) else f"a margin of {size}"


def _together(gate: Gate, chances: GateChances) -> str:
    n = len([d for d in gate.decisions if d.tier == "critical"])
    return (
        f"All {n} critical benchmarks must pass. If they are independent, an unchanged candidate passes in "
        f"{chance_text(chances.pass_unchanged)} of cases and fails in {chance_text(chances.fail_unchanged)}; "
        f"one that is worse by its margin on one of them passes in at most {chance_text(chances.pass_worse)}."
    )


def _weakest(gate: Gate) -> list[str]:
    """The benchmark that an unchanged candidate passes least often, and what would mend it."""
    critical = [d for d in gate.decisions if d.tier == "critical" and d.chances is not None]
    weakest = min(critical, key=lambda d: d.chances.pass_unchanged if d.chances else 1.0)
    row = gate.row(weakest.benchmark)
    if weakest.chances is None or row is None:
        return []
    share = chance_text(weakest.chances.pass_unchanged)
    name = clean(weakest.benchmark, particulars.LABEL)
    return [f"Alone, {name} is passed least often: in {share}. {better_line(weakest.chances, row.scale)}"]


def decision_columns(gate: Gate) -> list[Column]:
    """One line a benchmark of a plan: what it carries, what was seen, its answer."""
    rows = [gate.row(d.benchmark) for d in gate.decisions]
    return [
        Column("benchmark", tuple(_name(d) for d in gate.decisions), right=False, shrink=True),
        Column("tier", tuple(d.tier for d in gate.decisions), keep=3, right=False),
        Column("items", tuple("" if row is None else f"{row.difference.n:,}" for row in rows), keep=1),
        Column("margin", tuple(_margin(d, row) for d, row in zip(gate.decisions, rows, strict=True))),
        Column("difference", tuple("–" if row is None else _point(row) for row in rows)),
        Column("interval", tuple("" if row is None else wording.signed_interval(row) for row in rows)),
        Column("unchanged passes", tuple(_passes(d) for d in gate.decisions), keep=2),
        Column("answer", tuple(ANSWERS.get(d.answer, d.answer) for d in gate.decisions), right=False),
    ]


def _name(decision: Decision) -> str:
    return clean(decision.benchmark, particulars.LABEL)


def _margin(decision: Decision, row: Comparison | None) -> str:
    if decision.margin is None or row is None:
        return "–"
    return f"{100 * decision.margin:.6g}" if is_fraction(row.scale) else f"{decision.margin:.6g}"


def _point(row: Comparison) -> str:
    return wording.reading(row).signed(row.difference.point)


def _passes(decision: Decision) -> str:
    return "–" if decision.chances is None else chance_text(decision.chances.pass_unchanged)


def _tiers(gate: Gate) -> str | None:
    """The benchmarks that do not decide alone; a narrow table has no room for it."""
    said = [
        f"{tier} {listed(names, _NAMED)}"
        for tier in ("supporting", "advisory")
        if (names := [_name(d) for d in gate.decisions if d.tier == tier])
    ]
    return f"Not critical: {'; '.join(said)}." if said else None


def notes(gate: Gate, rows: Sequence[Comparison]) -> list[str]:
    """What holds for all benchmarks of a gate."""
    said = [
        _tiers(gate),
        families.luck_line(gate.family, rows) if gate.family else None,
        families.alone_line(gate.family, rows),
        families.unit_line(rows),
        families.direction_line(rows),
        families.family_tried_line(rows) if gate.macro is None else None,
        families.family_missing_line(rows),
        families.family_changed_line(rows),
        *families.family_caveats(rows),
        families.family_cluster_line(rows),
        particulars.reach_line(rows[0].difference, particulars.all_unchecked(rows)),
    ]
    return [sentence for sentence in said if sentence]
