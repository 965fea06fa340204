"""The verb `variance`: what it takes on the command line."""

from __future__ import annotations

import argparse

from evalstats.cli.options import EXITS, LABEL, OUTPUT, QUESTION, Parser, add_options, whole_number
from evalstats.cli.runs import LOG

_ITEMS = ("id", "bounds")
_METHOD = ("level", "seed")


def variance(width: int) -> Parser:
    parser = Parser(
        "variance",
        "RUN [RUN...]",
        "Where does the noise of a score come from, and what should the next unit of budget buy? Components "
        "of items, completions, judges, prompts, implementations or seeds, from repeated runs.",
        (
            "evalstats variance run.eval --cost item=20,score=0.5",
            "evalstats variance seed-1.eval seed-2.eval seed-3.eval",
            "evalstats variance grades.csv --by item,judge",
            "evalstats variance tasks.csv --by family/task",
        ),
        width,
    )
    parser.take_runs(
        f"one run whose items have several completions, several runs of the same items, or a table: {LOG}"
    )
    group = parser.add_argument_group("sources")
    parser.declare(
        group,
        "factor",
        metavar="NAME",
        help="what differs between the runs: a setting of their logs, or what to call it; run: each run its "
        "own level (default: the one setting that differs, else run)",
    )
    parser.declare(
        group,
        "by",
        metavar="NAMES",
        help="columns of a table or fields of a log: item (one-way), item,judge (crossed, complete), "
        "family/task (nested, balanced)",
    )
    parser.declare(
        group,
        "cost",
        metavar="NAME=AMOUNT",
        dest="costs",
        type=_costs,
        help="what one of each costs beside what is in it, as item=20,judge=100,score=0.5 (default: 1 each)",
    )
    parser.declare(
        group,
        "missing",
        metavar="HOW",
        help="a cell without a score: error (default: refuse, and name it), scored (leave such items out), "
        "wrong (worst score)",
    )
    parser.declare(
        group,
        "n-boot",
        metavar="N",
        type=whole_number,
        help="resamples of the shares' intervals (default: 10000)",
    )
    add_options(parser, (*QUESTION, *LABEL, *_ITEMS, *_METHOD, *EXITS, *OUTPUT))
    return parser


def _costs(text: str) -> dict[str, float]:
    try:
        pairs = [(name.strip(), float(cost)) for name, cost in (pair.split("=") for pair in text.split(","))]
    except ValueError:
        wanted = "write NAME=AMOUNT, several as item=20,score=0.5"
        raise argparse.ArgumentTypeError(f"{text!r}: {wanted}") from None
    costs = dict(pairs)
    if len(costs) < len(pairs):
        raise argparse.ArgumentTypeError(f"{text!r}: give the cost of each name once")
    return costs
