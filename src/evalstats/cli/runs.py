"""The verbs about runs: what each takes on the command line."""

from __future__ import annotations

from evalstats.cli.options import (
    DECISION,
    EXITS,
    FILES,
    ITEMS,
    LABEL,
    METHOD,
    OUTPUT,
    PLAN,
    QUESTION,
    STATISTIC,
    Parser,
    add_options,
)

_ONE_RUN = ("id", "cluster", "missing", "bounds", "lower-is-better")
LOG = "a log file, a folder or glob of logs, PATH::RUN, PATH@METRIC or LABEL=PATH"
RUN = f"{LOG}, or counts as 360/500"


def score(width: int) -> Parser:
    parser = Parser(
        "score",
        "RUN",
        "How good is a run? Each benchmark's score with its interval.",
        (
            "evalstats score logs/week-31",
            "evalstats score run.eval --cluster passage_id",
            "evalstats score 0/100 --guarantee",
            "evalstats score agent.csv --ratio cost/solved",
        ),
        width,
    )
    parser.take("run", RUN)
    add_options(parser, (*QUESTION, *STATISTIC, *LABEL, *PLAN, *_ONE_RUN, *METHOD, *EXITS, *FILES, *OUTPUT))
    return parser


def compare(width: int) -> Parser:
    parser = Parser(
        "compare",
        "BASELINE CANDIDATE",
        "Did the change work? The difference candidate − baseline, item by item where both have them.",
        (
            "evalstats compare logs/week-31 logs/week-32",
            "evalstats compare old.eval new.eval --margin 1",
            "evalstats compare run.eval@grader_v1 run.eval@grader_v2",
            "evalstats compare 360/500 375/500 --discordant 40 55",
        ),
        width,
    )
    parser.take("baseline", f"the old run: {RUN}")
    parser.take("candidate", "the new run, named the same way")
    asked = (*QUESTION, *STATISTIC, *LABEL, *PLAN, *ITEMS, *METHOD, *DECISION, *EXITS)
    add_options(parser, (*asked, *FILES, "with-text", *OUTPUT))
    return parser


def show(width: int) -> Parser:
    parser = Parser(
        "show",
        "RUN",
        "What was understood of a log: runs, benchmarks, metrics, clusters; what it allows and what not.",
        ("evalstats show logs/week-31", "evalstats show formats", "evalstats show run.eval --json"),
        width,
    )
    parser.take("run", f"{RUN}; or `formats`: the logs that can be read")
    add_options(parser, ("json", "no-color"))
    return parser


def reproduce(width: int) -> Parser:
    parser = Parser(
        "reproduce",
        "RESULT",
        "Do the recorded inputs and options give the recorded numbers again? Exit 2 if they do not.",
        (
            "evalstats compare old.eval new.eval --json > result.json",
            "evalstats reproduce result.json",
        ),
        width,
    )
    parser.take(
        "result", "the JSON of any verb but `init`, `show` and `which`, or the page that --html wrote"
    )
    add_options(parser, ("json", "no-color"))
    return parser
