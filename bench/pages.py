"""docs/benchmarks.md from what was found, and the lines that a run prints."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.checks import noise
from bench.goals import GOALS, NOT_IN_THIS_VERSION, WHY
from bench.peers import PEERS, version
from bench.rows import EXPONENT, SAME_METHOD, SAME_QUESTION, Bound, Finding, Kind, Race

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
TEMPLATE = Path(__file__).parent / "benchmarks.md"


def rounded(value: float) -> str:
    """Three digits and all whole ones: "4,077", "2.17", "0.0016"."""
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    if digits > 5:
        return f"{value:.1e}"
    shown = f"{value:,.{digits}f}"
    return shown.rstrip("0").rstrip(".") if digits else shown


def seconds(value: float) -> str:
    """ "107 µs", "2.1 ms", "1.3 s"."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if value >= size:
            return f"{rounded(value / size)} {unit}"
    return f"{rounded(value / 1e-6)} µs"


def figure(finding: Finding, value: float) -> str:
    """What one way took, in its unit."""
    assert isinstance(finding.row, Race)
    return seconds(value) if finding.row.meter == "seconds of CPU" else f"{rounded(value / 1e6)} MB"


def amount(finding: Finding, value: float) -> str:
    """A ratio or an amount with its unit: "4,080×", "9.9 ms"."""
    unit = "×" if isinstance(finding.row, Race) else finding.row.unit
    if unit in ("×", EXPONENT, ""):
        return rounded(value) + unit.removesuffix(EXPONENT)
    return f"{rounded(value)} {unit}"


def verdict(finding: Finding) -> str:
    return {True: "met", False: "**not met**", None: ""}[finding.met]


def bar(finding: Finding) -> str:
    """What was wanted: "≥ 3,000×", or nothing."""
    if finding.wanted is None:
        return ""
    return ("≥ " if isinstance(finding.row, Race) else "≤ ") + amount(finding, finding.wanted)


def line(finding: Finding) -> str:
    """What a run prints of a row."""
    peer = f" · {finding.row.peer} · {finding.row.kind}" if isinstance(finding.row, Race) else ""
    if finding.value is None:
        return f"{finding.row.what}{peer}: {finding.note}"
    wanted = f" ({bar(finding)}: {verdict(finding).strip('*')})" if finding.wanted is not None else ""
    about = "; ".join(part for part in (finding.agreement, finding.note) if part)
    return f"{finding.row.what}{peer}: {amount(finding, finding.value)}{wanted}" + (
        f" [{about}]" if about else ""
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)) + "\n"


def goals(findings: Sequence[Finding]) -> str:
    """A row a goal; the two kinds of ratio stand in columns of their own, what misses its goal is bold."""
    rows = []
    for number, words in GOALS.items():
        of_goal = [one for one in findings if one.row.goal == number]
        columns = [_of_kind(of_goal, kind) for kind in (SAME_QUESTION, SAME_METHOD, None)]
        rows.append([str(number), words, *columns, _all_met(number, of_goal)])
    return table(["#", "wanted", SAME_QUESTION, SAME_METHOD, "amounts", ""], rows)


def _of_kind(findings: Sequence[Finding], kind: Kind | None) -> str:
    shown = [one for one in findings if (one.row.kind if isinstance(one.row, Race) else None) == kind]
    return "; ".join(_measured(one) for one in shown)


def _measured(finding: Finding) -> str:
    if finding.value is None:
        return "–"
    beside = f" {finding.row.peer}" if isinstance(finding.row, Race) else ""
    shown = amount(finding, finding.value) + beside
    return f"**{shown}**" if finding.met is False else shown


def _all_met(number: int, findings: Sequence[Finding]) -> str:
    if number in NOT_IN_THIS_VERSION:
        return "not in this version"
    met = [one.met for one in findings]
    if not met or None in met:
        return "not measured"
    if all(met):
        return "met"
    missed = "not met" if not any(met) else f"{met.count(True)} of {len(met)} met"
    return f"{missed}: {WHY[number]}" if number in WHY else missed


def races(findings: Sequence[Finding], kind: Kind) -> str:
    rows = [
        [
            one.row.what,
            one.row.peer,
            "" if one.ours is None else figure(one, one.ours),
            "" if one.theirs is None else figure(one, one.theirs),
            "–" if one.value is None else amount(one, one.value),
            one.agreement,
            one.note,
        ]
        for one in findings
        if isinstance(one.row, Race) and one.row.kind == kind
    ]
    return table(["what", "beside", "evalstats", "they", "ratio", "results", ""], rows)


def bounds(findings: Sequence[Finding], *, exponents: bool) -> str:
    rows = [
        [
            one.row.what,
            "–" if one.value is None else amount(one, one.value),
            bar(one),
            verdict(one),
            one.note,
        ]
        for one in findings
        if isinstance(one.row, Bound) and (one.row.unit == EXPONENT) == exponents
    ]
    return table(["what", "measured", "wanted", "", ""], rows)


def peers() -> str:
    rows = [[name, _version(name), peer.what] for name, peer in PEERS.items()]
    return table(["peer", "version", "what of it"], rows)


def _version(name: str) -> str:
    found = version(name)
    return "not installed, not run" if found is None else found


def page(findings: Sequence[Finding], machine: str) -> str:
    """The whole of docs/benchmarks.md."""
    judged = [one.met for one in findings if one.met is not None]
    filled = {
        "machine": machine,
        "met": f"{judged.count(True)} of {len(judged)}",
        "noise": f"{noise():.3f}",
        "goals": goals(findings),
        "question": races(findings, SAME_QUESTION),
        "method": races(findings, SAME_METHOD),
        "amounts": bounds(findings, exponents=False),
        "growth": bounds(findings, exponents=True),
        "peers": peers(),
    }
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, value in filled.items():
        text = text.replace("{{" + name + "}}", value)
    return text
