"""The verb `size`: what it takes on the command line."""

from __future__ import annotations

from evalstats.cli.options import OUTPUT, QUESTION, Parser, add_options, number, whole_number

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing costs as much as an interpreter's start
    from typing import Any

_PILOT = (*QUESTION, "id", "unpaired", "discordant", "cluster", "missing", "bounds")

# option: its arguments, in the order of the help
_TARGETS: dict[str, dict[str, Any]] = {
    "effect": {
        "metavar": "E",
        "help": "two runs: a true difference to show; 2, 2pt or 0.02 is two points of a score from 0 to 1, "
        "else in the score's unit",
    },
    "margin": {
        "metavar": "M",
        "help": "two runs: how much worse is still fine, for an unchanged candidate to pass; written as an "
        "effect",
    },
    "half-width": {
        "metavar": "W",
        "help": "one run: how far its interval may reach either way, written as an effect",
    },
    "items": {
        "metavar": "N",
        "type": whole_number,
        "help": "what N items can decide: the smallest difference they show, how often an unchanged "
        "candidate passes the margin",
    },
    "power": {
        "metavar": "P",
        "type": number,
        "help": "chance of showing the effect, of passing the margin unchanged (default: 0.8)",
    },
}
_ASSUMED: dict[str, dict[str, Any]] = {
    "rate": {
        "metavar": "P",
        "type": number,
        "help": "pass rate expected, such as 0.72; of two runs the lower one",
    },
    "discordant-rate": {
        "metavar": "R",
        "type": number,
        "help": "two runs: share of items on which they disagree (default: a line for .05, .1, .2, .3)",
    },
    "sd": {
        "metavar": "S",
        "type": number,
        "help": "scores that are not pass/fail: standard deviation of the items' differences; of the scores "
        "with --half-width or --unpaired",
    },
    "pilot": {
        "metavar": "RUN",
        "nargs": "+",
        "help": "one run, or the baseline and the candidate: logs, or counts with --discordant; they tell "
        "the rest",
    },
    "icc": {
        "metavar": "RHO",
        "type": number,
        "help": "items in clusters: the intraclass correlation (of the differences, if paired)",
    },
    "cluster-size": {"metavar": "M", "type": number, "help": "items in a cluster"},
    "completions": {
        "metavar": "K",
        "type": whole_number,
        "help": "completions of each item in each run (default: 1, or the pilot's)",
    },
    "within-variance": {
        "metavar": "V",
        "type": number,
        "help": "variance of one completion around its item's mean; of pass/fail half the share of items on "
        "which two completions of one run differ",
    },
    "cost": {
        "metavar": "PER_ITEM",
        "type": number,
        "help": "cost of one completion of one item: prices are of one run",
    },
}


def size(width: int) -> Parser:
    parser = Parser(
        "size",
        "TARGET",
        "How many items, before anything runs: for one rate to a half-width, for two runs to show an effect "
        "or to pass a margin unchanged. Or what a number of items can decide.",
        (
            "evalstats size --rate 0.72 --half-width 2",
            "evalstats size --discordant-rate 0.2 --effect 2 --rate 0.7",
            "evalstats size --items 500 --margin 1 --cost 0.02",
            "evalstats size --pilot old.eval new.eval --effect 3",
        ),
        width,
    )
    for title, options in (("target", _TARGETS), ("what is expected", _ASSUMED)):
        group = parser.add_argument_group(title)
        for name, spec in options.items():
            parser.declare(group, name, **spec)
    add_options(parser, (*_PILOT, "level", *OUTPUT))
    return parser
