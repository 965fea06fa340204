"""The verbs that decide, `gate` and `init`: what each takes on the command line."""

from __future__ import annotations

from evalstats.cli.options import (
    ITEMS,
    LABEL,
    OUTPUT,
    PLAN,
    QUESTION,
    Codes,
    Parser,
    add_options,
    number,
    whole_number,
)
from evalstats.cli.runs import LOG, RUN

_INIT = ("metric", "filter", "task", "latest", "cluster", "bounds", "level", "correction", "margin")


def gate(width: int) -> Parser:
    parser = Parser(
        "gate",
        "[BASELINE] CANDIDATE",
        "May the candidate be merged? Exit 0: not worse by more than the margin; 1: regressed; 3: "
        "inconclusive, or no gate at all, because an unchanged candidate would pass in under half of cases.",
        (
            "evalstats gate logs/main logs/pr --margin 3",
            "evalstats gate logs/pr --plan evalstats.toml",
            "evalstats gate --dry-run logs/main --margin 3",
            "evalstats gate --dry-run --n 500 --margin 3",
        ),
        width,
    )
    parser.take_runs(f"the baseline and the candidate; the candidate alone with a plan that has it: {RUN}")
    group = parser.add_argument_group("gate")
    parser.declare(
        group,
        "inconclusive",
        metavar="AS",
        help="count an inconclusive answer as pass (exit 0) or fail (exit 1) (default: exit 3)",
    )
    parser.declare(
        group,
        "fail-on",
        metavar="CODE",
        dest="fail_on",
        action=Codes,
        help="a caveat that makes the answer inconclusive; several as A,B (codes: docs/caveats.md)",
    )
    parser.declare(
        group,
        "dry-run",
        action="store_true",
        help="what the gate would do, from a baseline or --n alone; exit 0",
    )
    parser.declare(group, "n", metavar="ITEMS", type=whole_number, help="of a dry run: items, pass/fail")
    parser.declare(
        group,
        "discordant-rate",
        metavar="RATE",
        type=number,
        help="of a dry run: share of items that two runs of one model disagree on, such as 0.1",
    )
    parser.declare(group, "junit", metavar="FILE", help="write JUnit XML, one test case a benchmark")
    asked = (*QUESTION, *LABEL, *PLAN, *ITEMS, "level", "guarantee", "largest-cluster", "margin", "tried")
    add_options(parser, (*asked, *OUTPUT))
    return parser


def init(width: int) -> Parser:
    parser = Parser(
        "init",
        "RUN",
        "Write a plan file from a run: its benchmarks with their metrics, items and settings frozen. Edit "
        "it, commit it, and gate by it.",
        (
            "evalstats init logs/main",
            "evalstats init logs/main --margin 1pt --out plan.toml",
        ),
        width,
    )
    parser.take("run", LOG)
    group = parser.add_argument_group("plan")
    parser.declare(
        group, "out", metavar="FILE", help="the file to write, never over another (default: evalstats.toml)"
    )
    add_options(parser, (*_INIT, "json", "no-color"))
    return parser
