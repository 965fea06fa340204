"""From the decisions on the benchmarks to the answer of the whole gate."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from evalstats.analyses.gate_chances import GateChances, product
from evalstats.analyses.gate_result import Decision, Gate, Reason
from evalstats.answers import Comparisons
from evalstats.envelope import Comparison


def collected(
    decisions: Sequence[Decision],
    comparisons: Comparisons,
    macro: Comparison | None = None,
    plan: str | None = None,
) -> Gate:
    """One answer, with the reasons of the benchmarks that it rests on."""
    chances = chances_of_whole([(d.tier, d.chances) for d in decisions])
    answer, reasons = _answer(decisions)
    if chances is not None and not chances.is_gate:
        text = f"an unchanged candidate passes in {100 * chances.pass_unchanged:.2g} % of cases"
        answer, reasons = "inconclusive", (Reason("not_a_gate", text), *reasons)
    return Gate(
        answer=answer,
        reasons=reasons,
        decisions=tuple(decisions),
        chances=chances,
        macro=macro,
        comparisons=comparisons,
        plan=plan,
        inconclusive=None,
        provenance=comparisons.provenance,
        notes=comparisons.notes,
    )


def _answer(decisions: Sequence[Decision]) -> tuple[str, tuple[Reason, ...]]:
    """fail if a critical or watched one fails or a critical one is missing; inconclusive if a critical or
    watched one is, or a supporting one fails, is missing or is not what was agreed; else pass."""
    required, supporting = (
        [d for d in decisions if d.tier in tiers] for tiers in (("critical", "watched"), ("supporting",))
    )
    failing = [d for d in required if d.answer in ("fail", "missing")]
    if failing:
        return "fail", _reasons(failing)
    open_ = [d for d in required if d.answer == "inconclusive"]
    open_ += [d for d in supporting if d.answer in ("fail", "missing") or _in_doubt(d)]
    if open_:
        return "inconclusive", _reasons(open_)
    return "pass", _reasons([d for d in required if d.answer == "pass"])


def _in_doubt(decision: Decision) -> bool:
    """What was agreed beforehand does not hold: that concerns the whole gate."""
    return any(r.code in ("items_changed", "config_changed", "fail_on") for r in decision.reasons)


def _reasons(decisions: Sequence[Decision]) -> tuple[Reason, ...]:
    return tuple(reason for decision in decisions for reason in decision.reasons)


def chances_of_whole(benchmarks: Sequence[tuple[str, GateChances | None]]) -> GateChances | None:
    """Of all critical benchmarks together, as if independent; a supporting one must only not fail.

    benchmarks : tier and chances of each. None where those of a critical one are not known, or it is missing.
    """
    critical = [chances for tier, chances in benchmarks if tier == "critical"]
    known = [chances for chances in critical if chances is not None]
    if len(known) < len(critical) or not known:
        return None
    together = known[0] if len(known) == 1 else product(known)
    unfailed = math.prod(1 - c.fail_unchanged for tier, c in benchmarks if tier == "supporting" and c)
    return dataclasses.replace(
        together,
        pass_unchanged=together.pass_unchanged * unfailed,
        pass_worse=together.pass_worse * unfailed,
    )
