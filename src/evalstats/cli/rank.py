"""The verb `rank`: what it takes on the command line."""

from __future__ import annotations

from evalstats.cli.options import EXITS, FILES, LABEL, OUTPUT, QUESTION, Parser, add_options, whole_number

_ITEMS = ("id", "cluster", "missing", "bounds", "lower-is-better")
_METHOD = ("level", "guarantee", "largest-cluster", "seed")


def rank(width: int) -> Parser:
    parser = Parser(
        "rank",
        "RUN RUN RUN...",
        "Which of many runs is best, which cannot be told apart, and which rank may each have? All pairs "
        "on the same items, with intervals that hold at once.",
        (
            "evalstats rank logs/week-*",
            "evalstats rank scores.csv",
            "evalstats rank old.eval new.eval mine=run.eval --joint",
        ),
        width,
    )
    parser.take_runs(
        "three runs or more: a log file, a folder or glob of logs, PATH::RUN, PATH@METRIC or LABEL=PATH; a "
        "table with a column a model is all of them"
    )
    parser.several_in_one = True
    group = parser.add_argument_group("ranking")
    parser.declare(
        group,
        "joint",
        action="store_true",
        help="rank ranges that hold for all runs at once (default: for each run)",
    )
    parser.declare(
        group,
        "method",
        metavar="NAME",
        help="of the intervals of all pairs at once: max_t, from one shared draw (default where every pair "
        "differs on 20 units), or the pair's own, such as tango, at 1 - alpha/pairs",
    )
    parser.declare(
        group,
        "n-boot",
        metavar="N",
        type=whole_number,
        help="resamples of max_t (default: 10000)",
    )
    add_options(parser, (*QUESTION, *LABEL, *_ITEMS, *_METHOD, *EXITS, *FILES, *OUTPUT))
    return parser
