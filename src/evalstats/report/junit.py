"""`gate` as JUnit XML, one test case a benchmark, for the systems that show test reports."""

from __future__ import annotations

from xml.etree import ElementTree

from evalstats.analyses.gate_result import Decision, Gate
from evalstats.report import gate_wording, wording
from evalstats.report.gate_text import gate_text
from evalstats.report.terminal import NB, clean

_WIDTH = 100
_DECLARATION = '<?xml version="1.0" encoding="utf-8"?>'


def junit_xml(gate: Gate) -> str:
    """A failure for a benchmark that fails, is missing, or is inconclusive; that is skipped where it counts
    as a pass. What is no gate is a failure of its own.
    """
    cases = [_case(gate, decision) for decision in gate.decisions]
    if not gate.is_gate:
        cases.insert(0, _not_a_gate(gate))
    suite = ElementTree.Element("testsuite", {"name": "evalstats gate", **_counts(cases)})
    suite.extend(cases)
    output = ElementTree.SubElement(suite, "system-out")
    output.text = _plain(gate_text(gate, _WIDTH))
    root = ElementTree.Element("testsuites", _counts(cases))
    root.append(suite)
    ElementTree.indent(root)
    return f"{_DECLARATION}\n{ElementTree.tostring(root, encoding='unicode')}\n"


def _counts(cases: list[ElementTree.Element]) -> dict[str, str]:
    found = {kind: sum(case.find(kind) is not None for case in cases) for kind in ("failure", "skipped")}
    return {
        "tests": str(len(cases)),
        "failures": str(found["failure"]),
        "errors": "0",
        "skipped": str(found["skipped"]),
    }


def _case(gate: Gate, decision: Decision) -> ElementTree.Element:
    case = ElementTree.Element(
        "testcase", classname=f"evalstats.{decision.tier}", name=_plain(decision.benchmark)
    )
    kind = _kind(gate, decision)
    if kind is not None:
        said = "; ".join(reason.text for reason in decision.reasons)
        mark = ElementTree.SubElement(case, kind, message=_plain(f"{decision.answer}: {said}"))
        if kind == "failure":
            mark.set("type", decision.answer)
            mark.text = _plain(_about(gate, decision))
    return case


def _kind(gate: Gate, decision: Decision) -> str | None:
    """failure, skipped, or None for a case that passes. What decides nothing alone is never a failure."""
    if decision.answer in ("pass", "not_failed"):
        return None
    open_ = decision.answer == "inconclusive"
    if decision.tier == "advisory" or (decision.tier == "supporting" and open_):
        return "skipped"
    if open_ or decision.tier == "supporting":
        return "skipped" if gate.inconclusive == "pass" else "failure"
    return "failure"


def _about(gate: Gate, decision: Decision) -> str:
    row = gate.row(decision.benchmark)
    if row is None:
        return decision.reasons[0].text
    return f"{wording.difference(row)} ({wording.signed_interval(row)}). {wording.headline(row)}"


def _not_a_gate(gate: Gate) -> ElementTree.Element:
    case = ElementTree.Element("testcase", classname="evalstats.gate", name="is a gate")
    mark = ElementTree.SubElement(
        case, "failure", message=_plain(gate_wording.verdict_line(gate)), type="not_a_gate"
    )
    mark.text = _plain(" ".join(gate_wording.chance_lines(gate)))
    return case


def _plain(text: str) -> str:
    """Characters that XML allows, on the lines there are."""
    return "\n".join(clean(line.replace(NB, " ")) for line in text.split("\n"))
