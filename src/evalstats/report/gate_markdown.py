"""`gate` as Markdown for a pull request: at most 15 lines to see, the rest folded."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from evalstats.analyses.gate_result import Gate
from evalstats.envelope import Comparison
from evalstats.report import families, gate_wording, particulars, wording
from evalstats.report.markdown import row_cells
from evalstats.report.markdown_parts import (
    bullets,
    code,
    columns_table,
    escaped,
    flags,
    joined,
    led,
    table,
)
from evalstats.report.text_families import family_columns

_ROWS_SHOWN = 4
_FIRST = {"fail": 0, "missing": 0, "inconclusive": 1}


def gate_markdown(gate: Gate) -> str:
    """What `gate --markdown` prints and what goes into a job's summary."""
    rows = gate.comparisons.primary
    carrier = gate.macro if gate.macro is not None else rows[0] if len(gate.decisions) == 1 and rows else None
    visible = [
        f"**{escaped(gate_wording.verdict_line(gate))}** · {escaped(gate_wording.subject_line(gate))}",
        *_said(gate, carrier),
        *flags(families.family_flags(rows)),
        "",
        *(table(row_cells(carrier), ("left", "right", "right", "left")) if carrier else _decisions(gate)),
        *_chances(gate),
    ]
    details = _details(gate, carrier)
    return joined(visible, details) if details else "\n".join(visible) + "\n"


def _said(gate: Gate, carrier: Comparison | None) -> list[str]:
    """One paragraph: the verdict on what carries the margin, and what stands in the way."""
    said = [escaped(line) for line in gate_wording.reason_lines(gate)]
    if carrier is not None:
        headline, margin = wording.headline(carrier), wording.margin_line(carrier)
        said.insert(0, led(headline, wording.lead_of(headline)))
        said.insert(1, escaped(margin or ""))
    together = " ".join(filter(None, said))
    return ["", together] if together else []


def _chances(gate: Gate) -> list[str]:
    said = gate_wording.chance_lines(gate)
    return ["", escaped(" ".join(said))] if said else []


def _decisions(gate: Gate) -> list[str]:
    """The first of a plan's benchmarks, those that did not pass before the others."""
    ordered = sorted(gate.decisions, key=lambda d: _FIRST.get(d.answer, 2))
    shown = dataclasses.replace(gate, decisions=tuple(ordered[:_ROWS_SHOWN]))
    return columns_table(gate_wording.decision_columns(shown))


def _details(gate: Gate, carrier: Comparison | None) -> list[str]:
    rows = families.in_order(gate.comparisons.primary)
    if carrier is None:
        return [*_all_decisions(gate), *_about_rows(gate, rows)]
    about = [
        wording.test_line(carrier),
        wording.duality_line(carrier),
        wording.mde_line(carrier),
        wording.tried_line(carrier),
    ]
    if gate.macro is not None:
        columns = columns_table(family_columns(rows, gate.family))
        return [*columns, "", *bullets([*about, families.finding(rows)]), *_about_rows(gate, rows)]
    said = [*about, *particulars.care_lines(carrier), *particulars.reach_lines(carrier), *gate.notes]
    return [*bullets(said), "", code(carrier.signature)]


def _all_decisions(gate: Gate) -> list[str]:
    if len(gate.decisions) <= _ROWS_SHOWN:
        return []
    return [*columns_table(gate_wording.decision_columns(gate)), ""]


def _about_rows(gate: Gate, rows: Sequence[Comparison]) -> list[str]:
    if not rows:
        return bullets(gate.notes)
    signature = gate.macro.signature if gate.macro else families.family_signature(gate.comparisons)
    return [*bullets([*gate_wording.notes(gate, rows), *gate.notes]), "", code(signature)]
