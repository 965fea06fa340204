"""A gate in print: lines that fit, fifteen of Markdown, valid JUnit, the JSON's digits, logs harmless."""

from __future__ import annotations

import dataclasses
import re
from xml.etree import ElementTree

import pytest

import evalstats as es
from evalstats.analyses.gate_dry_run import dry_run
from evalstats.analyses.gate_result import Gate, Reason
from evalstats.report.gate_dry_text import dry_run_markdown, dry_run_text
from evalstats.report.gate_markdown import gate_markdown
from evalstats.report.gate_notebook import html
from evalstats.report.gate_text import gate_text
from evalstats.report.junit import junit_xml
from evalstats.report.terminal import cells
from tests.analyses.test_gate import FAILS, OPEN, PASSES, THREE, WIDE, two_runs
from tests.analyses.test_gate_plan import FINE, WORSE, planned_runs

HOSTILE = "a|b<script>&]]>\x1b[31m\u202e_x_"


def _planned(tmp_path, runs, text):
    path = tmp_path / "evalstats.toml"
    path.write_text(text, encoding="utf-8")
    return es.gate(*runs, plan=str(path))


def _benchmarks(*tiers):
    return "".join(f'[[benchmark]]\nname = "{n}"\ntier = "{t}"\nmargin = "5pt"\n' for n, t in tiers)


@pytest.fixture(scope="module")
def gates(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plans")
    tiers = [("a", "critical"), ("b", "supporting"), ("c", "advisory"), ("x", "critical")]
    many = [(f"benchmark_{i}", "critical") for i in range(9)]
    return {
        "pass": es.gate(*PASSES, **WIDE),
        "fail": es.gate(*FAILS, discordant=(200, 100), margin=0.02),
        "open": es.gate(*OPEN, discordant=(265, 235), margin=0.01, inconclusive="pass", tried=5),
        "not a gate": es.gate("360/500", "375/500", discordant=(40, 55), margin=0.01),
        "macro": es.gate(*two_runs(THREE), margin=0.06, tried=3),
        "macro fails": es.gate(*two_runs(THREE | {"b": (150, 70, 10, 70)}), margin=0.2),
        "plan": _planned(folder, planned_runs(a=FINE, b=WORSE, c=WORSE, x=FINE), _benchmarks(*tiers)),
        "missing": _planned(folder, planned_runs(a=FINE, b=WORSE), _benchmarks(*tiers)),
        "nothing": _planned(folder, planned_runs(z=FINE), _benchmarks(*tiers)),
        "many": _planned(folder, planned_runs(**dict.fromkeys(dict(many), FINE)), _benchmarks(*many)),
    }


NAMES = ["pass", "fail", "open", "not a gate", "macro", "macro fails", "plan", "missing", "nothing", "many"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(gates, name, width):
    said = gate_text(gates[name], width)
    assert all(cells(line) <= width or " " not in line.strip() for line in said.splitlines())
    assert said == "".join(f"{line.rstrip()}\n" for line in said.splitlines())
    assert "nan" not in re.findall(r"[a-z]+", said)


@pytest.mark.parametrize("name", NAMES)
def test_at_most_fifteen_lines_of_markdown_are_visible(gates, name):
    said = gate_markdown(gates[name])
    visible = said.partition("<details>")[0].splitlines()
    assert len(visible) + 1 <= 15
    assert "\n\n\n" not in said
    for block in re.findall(r"(?:^\|.*\n)+", said, re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1


@pytest.mark.parametrize("name", NAMES)
def test_text_markdown_and_junit_begin_with_one_answer(gates, name):
    gate = gates[name]
    first = gate_text(gate).splitlines()[0]
    assert gate_markdown(gate).startswith(f"**{first.replace('_', chr(92) + '_')}**")
    assert first in junit_xml(gate)
    assert first in html(gate).replace("\xa0", " ")
    assert f"(exit {gate.exit_code})" in first


@pytest.mark.parametrize("name", NAMES)
def test_the_chances_in_print_are_those_of_the_json(gates, name):
    gate = gates[name]
    said = " ".join(gate_text(gate).split())
    if gate.chances is None:
        assert "passes in" not in said
        return
    for share in (gate.chances.pass_unchanged, gate.chances.fail_unchanged, gate.chances.pass_worse):
        wanted = f"{100 * share:.0f} %" if 0.0995 <= share < 0.9895 else f"{100 * share:.1f} %"
        wanted = "over 99.9 %" if share > 0.999 else "under 0.1 %" if share < 0.001 else wanted
        assert wanted in said


def test_the_order_is_answer_difference_verdict_chances_runs_reach_signature(gates):
    said = gate_text(gates["pass"])
    parts = [
        "Gate: pass",
        "candidate − baseline",
        "Equivalent within",
        "an unchanged candidate",
        "(alone:",
        "Reach:",
        "difference|tango",
    ]
    assert sorted(parts, key=said.index) == parts


def test_what_fails_is_named_and_so_is_what_is_missing(gates):
    assert "Regressed, also after correction: b." in gate_text(gates["macro fails"])
    assert "Supporting, and failed or missing: b." in gate_text(gates["plan"])
    missing = " ".join(gate_text(gates["missing"], 120).split())
    assert re.search(r"x: in \S+evalstats.toml and not in the baseline nor in the candidate\.", missing)


def test_tried_is_printed_beside_the_result(gates):
    assert "Best of 5 tried:" in gate_text(gates["open"])
    assert "Best of 3 tried:" in gate_text(gates["macro"])
    assert "Best of 5 tried:" in gate_markdown(gates["open"])


def test_colour_is_for_what_is_decided(gates):
    painted = {
        name: gate_text(gates[name], 80, color=True).splitlines()[0] for name in ("pass", "fail", "open")
    }
    assert painted["pass"].startswith("\x1b[1;34m")
    assert painted["fail"].startswith("\x1b[1;31m")
    assert painted["open"].startswith("\x1b[1mGate: inconclusive")


def _cases(gate):
    return {
        case.get("name"): case for case in ElementTree.fromstring(junit_xml(gate).encode()).iter("testcase")
    }


def test_junit_has_a_case_for_each_benchmark(gates):
    cases = _cases(gates["plan"])
    assert list(cases) == ["a", "b", "c", "x"]
    assert cases["a"].find("failure") is None
    assert cases["b"].find("failure").get("type") == "fail"  # it makes the gate inconclusive
    assert cases["c"].find("skipped") is not None
    assert list(_cases(gates["macro"])) == ["macro average", "a", "b", "c"]
    assert _cases(gates["missing"])["x"].find("failure").get("type") == "missing"


def test_junit_skips_what_is_let_pass_but_never_what_is_no_gate(gates):
    (case,) = _cases(gates["open"]).values()
    assert case.find("skipped") is not None
    strict = dataclasses.replace(gates["open"], inconclusive=None)
    assert next(iter(_cases(strict).values())).find("failure").get("type") == "inconclusive"
    no_gate = _cases(dataclasses.replace(gates["not a gate"], inconclusive="pass"))
    assert no_gate["is a gate"].find("failure").get("type") == "not_a_gate"


def _hostile(gate: Gate) -> Gate:
    decisions = tuple(
        dataclasses.replace(d, benchmark=HOSTILE, reasons=(Reason("items_changed", f"{HOSTILE}: changed"),))
        for d in gate.decisions
    )
    rows = tuple(
        dataclasses.replace(row, benchmark=HOSTILE, metric=HOSTILE) for row in gate.comparisons.primary
    )
    return dataclasses.replace(
        gate,
        decisions=decisions,
        reasons=decisions[0].reasons,
        plan=HOSTILE,
        comparisons=dataclasses.replace(gate.comparisons, primary=rows),
    )


@pytest.mark.parametrize("name", ["pass", "plan"])
def test_what_a_log_says_is_text_everywhere(gates, name):
    gate = _hostile(gates[name])
    assert "\x1b" not in gate_text(gate)
    assert "\u202e" not in gate_text(gate)
    assert "<script>" not in gate_markdown(gate)
    assert "<script>" not in html(gate)
    case = next(iter(ElementTree.fromstring(junit_xml(gate).encode()).iter("testcase")))
    assert case.get("name").startswith("a|b<script>&]]>")
    assert "\x1b" not in junit_xml(gate)


DRY = {
    "a table": lambda: dry_run(n=500, margin=0.01),
    "one rate": lambda: dry_run(n=500, margin=0.03, discordant_rate=0.19),
    "macro": lambda: dry_run(two_runs(THREE)[0], margin=0.05),
}


@pytest.mark.parametrize("name", DRY)
@pytest.mark.parametrize("width", [60, 80])
def test_a_dry_run_fits_and_says_where_it_is_no_gate(name, width):
    run = DRY[name]()
    said = dry_run_text(run, width)
    assert all(cells(line) <= width for line in said.splitlines())
    assert ("Not a gate" in said) is any(not line.chances.is_gate for line in run.lines)
    assert dry_run_markdown(run).count("\n| ") >= len(run.lines)


def test_a_dry_run_names_what_would_do():
    said = " ".join(dry_run_text(DRY["one rate"](), 80).split())
    assert "1,669" in said
    assert "points" in said
