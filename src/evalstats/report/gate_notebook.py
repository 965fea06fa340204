"""A gate in a notebook: its answer, the interval that it rests on, and how often an unchanged run passes."""

from __future__ import annotations

from evalstats.analyses.gate_result import Gate
from evalstats.report import gate_wording
from evalstats.report.notebook import View, comparison_view, page, table


def html(gate: Gate) -> str:
    """What a notebook shows of a gate; no style sheet and no script."""
    said = [*gate_wording.reason_lines(gate), *gate_wording.chance_lines(gate)]
    view = _view(gate)
    caption = f"{gate_wording.verdict_line(gate)} · {gate_wording.subject_line(gate)}"
    return page({**view, "caption": caption, "notes": [*view["notes"], *said]})


def _view(gate: Gate) -> View:
    rows = gate.comparisons.primary
    if gate.macro is not None:
        return comparison_view(gate.macro)
    if len(gate.decisions) == 1 and rows:
        return comparison_view(rows[0])
    return {"answer": "", **table(gate_wording.decision_columns(gate))}
