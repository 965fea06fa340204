"""The verb `passk`: what it takes on the command line."""

from __future__ import annotations

import argparse

from evalstats.cli.options import EXITS, LABEL, OUTPUT, QUESTION, Parser, add_options
from evalstats.cli.runs import RUN

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing costs as much as an interpreter's start
    from collections.abc import Sequence

_ITEMS = ("id", "cluster", "largest-cluster", "missing")
_METHOD = ("level", "method", "guarantee", "n-boot", "seed")


def passk(width: int) -> Parser:
    parser = Parser(
        "passk",
        "RUN [CANDIDATE]",
        "What would k attempts at each problem give? pass@k (any of k is right) and pass^k (all of k are), "
        "unbiased, with intervals over problems; of two runs the difference over the same problems.",
        (
            "evalstats passk samples.jsonl_results.jsonl --k 1,5,10",
            "evalstats passk old.eval new.eval",
            "evalstats passk --counts 3/20,0/20,20/20 --k 5",
        ),
        width,
    )
    parser.take_runs(f"a run with several attempts at each problem, or baseline and candidate: {RUN}")
    group = parser.add_argument_group("attempts")
    parser.declare(
        group,
        "k",
        metavar="K",
        type=_whole_numbers,
        help="attempts, several as 1,5,10 (default: 1, 2, 5, 10 ... up to the fewest of any problem)",
    )
    parser.declare(
        group,
        "measure",
        metavar="NAME",
        dest="measures",
        type=_names,
        help="pass@k, pass^k, avg@k (the mean of k), maj@k (the commonest answer of k), several as A,B "
        "(default: pass@k,pass^k)",
    )
    parser.declare(
        group,
        "counts",
        metavar="C/N",
        type=_counts,
        help="in place of a run: right ones and attempts of each problem, as 3/20,0/20",
    )
    add_options(parser, (*QUESTION, *LABEL, *_ITEMS, *_METHOD, *EXITS, *OUTPUT))
    return parser


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


def _whole_numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(number) for number in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: write whole numbers, such as 1,5,10") from None


def _counts(text: str) -> Sequence[tuple[int, int]]:
    try:
        return tuple((int(c), int(n)) for c, n in (pair.split("/") for pair in text.split(",")))
    except ValueError:
        wanted = "write RIGHT/ATTEMPTS of each problem, such as 3/20,0/20"
        raise argparse.ArgumentTypeError(f"{text!r}: {wanted}") from None
