"""The verb `judge`: what it takes on the command line."""

from __future__ import annotations

import argparse

from evalstats.cli.options import EXITS, OUTPUT, QUESTION, Parser, add_options
from evalstats.cli.runs import RUN

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing costs as much as an interpreter's start
    from typing import Any

_ITEMS = ("id", "cluster", "missing", "bounds")
_FORMS: dict[str, dict[str, dict[str, Any]]] = {
    "a judge's score, corrected": {
        "labels": {
            "metavar": "FILE",
            "dest": "label_files",
            "help": "people's labels of a random part of the answers, by id (evalstats agree sample writes "
            "such a file); of two runs give it twice, the baseline's first",
        },
        "sensitivity": {
            "metavar": "SHARE",
            "help": "in place of labels: right answers that the judge passes, 0.9 where it is known, 90/100 "
            "where it was seen",
        },
        "specificity": {"metavar": "SHARE", "help": "and wrong answers that it fails, written the same way"},
    },
    "is it the same judge, and a fair one": {
        "anchors": {
            "action": "store_true",
            "help": "the two runs are the same frozen answers, judged before and after: did the judge drift",
        },
        "margin": {
            "metavar": "M",
            "help": "with --anchors: a change that is still fine; 2, 2pt or 0.02 is two points of a score "
            "from 0 to 1, else in the score's unit",
        },
        "verdicts": {
            "metavar": "FILE",
            "help": "verdicts on pairs of answers (id, first, second, winner): position, length and "
            "self-preference bias, swap flips",
        },
    },
}


def judge(width: int) -> Parser:
    parser = Parser(
        "judge",
        "RUN [CANDIDATE]",
        "What is left of a judge's score once its errors are taken out: with people's labels of a random "
        "part, or its error rates. And is it still the same judge, and a fair one.",
        (
            "evalstats judge run.eval --labels labels.csv",
            "evalstats judge 60/200 --sensitivity .9 --specificity .95",
            "evalstats judge may.eval june.eval --anchors --margin 2",
            "evalstats judge --verdicts pairs.csv",
        ),
        width,
    )
    parser.take_runs(f"the judge's scores, or baseline and candidate: {RUN}")
    for title, options in _FORMS.items():
        group = parser.add_argument_group(title)
        for name, spec in options.items():
            action = {"action": _Files} if name == "labels" else {}
            parser.declare(group, name, **spec, **action)
    add_options(parser, (*QUESTION, *_ITEMS, "level", "method", *EXITS, *OUTPUT))
    return parser


class _Files(argparse.Action):
    """--labels, once a run, gathered in `label_files`."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: Any = None) -> None:
        setattr(namespace, self.dest, (*getattr(namespace, self.dest, ()), values))
