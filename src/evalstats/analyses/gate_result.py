"""What `gate` returns, and its JSON. Frozen; nothing here decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evalstats._version import __version__
from evalstats.analyses.gate_chances import GateChances
from evalstats.answers import Comparisons
from evalstats.envelope import Comparison, Family, Provenance
from evalstats.results import display, plain

PASS, FAIL, INCONCLUSIVE = 0, 1, 3  # exit codes of the command

REASONS = {
    "not_worse": "the lower limit lies above −margin",
    "regressed": "worse than the baseline, and not shown to be so by less than the margin",
    "not_shown": "neither shown to be within the margin nor shown to have regressed",
    "no_interval": "the data give no interval",
    "no_regression": "without a margin of its own: no regression survives the correction",
    "missing_items": "the answer depends on the items that were not scored",
    "items_changed": "the items are not those that the plan froze",
    "config_changed": "a setting is not as the plan froze it",
    "fail_on": "a caveat fired that was named by fail_on",
    "benchmark_missing": "a benchmark of the plan is not in both runs",
    "not_a_gate": "an unchanged candidate would pass in under half of cases",
}


@dataclass(frozen=True)
class Reason:
    """code : a key of REASONS. text : the same with names and numbers."""

    code: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Decision:
    """One benchmark, or the macro average, against its margin.

    tier : critical, supporting or advisory as the plan says, critical without one; watched for a benchmark
    beside the macro average, which carries no margin and fails only by a regression that survives the
    correction. answer : pass, fail, inconclusive, missing, or not_failed for one that is watched.
    reasons : what the answer rests on, the deciding one first. chances : None where they are not known.
    """

    benchmark: str
    tier: str
    margin: float | None
    answer: str
    reasons: tuple[Reason, ...]
    chances: GateChances | None = None


@dataclass(frozen=True, kw_only=True)
class Gate:
    """The answer of a gate. answer : pass, fail or inconclusive. reasons : of the whole, by benchmark.

    inconclusive : "pass" or "fail" if that is how an inconclusive answer was asked to count. chances : of the
    whole gate; None where they are not known. macro : the row of the macro average, which carries the margin
    of several benchmarks without a plan. plan : path of the plan file. comparisons : every benchmark's row.
    """

    answer: str
    reasons: tuple[Reason, ...]
    decisions: tuple[Decision, ...]
    chances: GateChances | None
    macro: Comparison | None
    comparisons: Comparisons
    plan: str | None
    inconclusive: str | None
    provenance: Provenance
    notes: tuple[str, ...] = ()

    @property
    def is_gate(self) -> bool:
        """False where an unchanged candidate would pass in under half of cases."""
        return all(reason.code != "not_a_gate" for reason in self.reasons)

    @property
    def exit_code(self) -> int:
        """0 pass, 1 fail, 3 inconclusive, which may count as either; what is no gate is always 3."""
        if self.answer != "inconclusive":
            return PASS if self.answer == "pass" else FAIL
        if not self.is_gate:
            return INCONCLUSIVE
        return {"pass": PASS, "fail": FAIL}.get(self.inconclusive or "", INCONCLUSIVE)

    @property
    def family(self) -> Family | None:
        return self.comparisons.family

    def row(self, benchmark: str) -> Comparison | None:
        """The row that a decision rests on; None for a benchmark that is missing."""
        rows = (*((self.macro,) if self.macro else ()), *self.comparisons.primary)
        return next((row for row in rows if row.benchmark == benchmark), None)

    def __str__(self) -> str:
        return str(display("gate_text:gate_text", self))

    def _repr_html_(self) -> str:
        return str(display("gate_notebook:html", self))

    def to_dict(self) -> dict[str, Any]:
        """The JSON: what is not known is None."""
        return {
            "schema": "evalstats/gate/1",
            "version": __version__,
            "provenance": plain(self.provenance),
            "notes": list(self.notes),
            "answer": self.answer,
            "exit_code": self.exit_code,
            "inconclusive": self.inconclusive,
            "reasons": plain(self.reasons),
            "plan": self.plan,
            "chances": plain(self.chances),
            "decisions": plain(self.decisions),
            "family": plain(self.family),
            "macro": plain(self.macro),
            "comparisons": [
                row.to_dict() for row in (*self.comparisons.primary, *self.comparisons.secondary)
            ],
        }
