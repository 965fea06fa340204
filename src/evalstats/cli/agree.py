"""The verb `agree`: what it takes on the command line."""

from __future__ import annotations

from evalstats.cli.options import EXITS, OUTPUT, QUESTION, Parser, add_options, whole_number

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing costs as much as an interpreter's start
    from typing import Any

_ITEMS = ("id", "cluster")
_METHOD = ("level", "method", "n-boot", "seed")
_GROUPS: dict[str, dict[str, dict[str, Any]]] = {
    "whose labels": {
        "judge": {"metavar": "COLUMN", "help": "column of the judge's labels; with --rater a name in it"},
        "human": {
            "metavar": "COLUMN",
            "help": "column of a person's labels, several as A,B; with --rater names in it; of a log a "
            "metadata field",
        },
        "rater": {
            "metavar": "COLUMN",
            "help": "a table with a row a label: the column that says whose it is",
        },
        "verdict": {
            "metavar": "COLUMN",
            "help": "and the column of the labels (default: label, verdict, rating ...)",
        },
    },
    "agreement": {
        "measure": {
            "metavar": "NAME",
            "dest": "measures",
            "help": "kappa, agreement, ac1, ac2, alpha, fleiss, several as A,B; the first leads and takes "
            "--method (default: kappa,agreement,ac1)",
        },
        "weights": {
            "metavar": "HOW",
            "help": "grades: linear or quadratic (default: none, a miss is a miss)",
        },
        "scale": {"metavar": "SCALE", "help": "of alpha: nominal (default), ordinal, interval, ratio"},
        "categories": {
            "metavar": "A,B,C",
            "help": "all labels that could have been given, in order (default: those seen)",
        },
    },
    "a sample to label": {
        "n": {"metavar": "N", "type": whole_number, "help": "items to draw (default: 100)"},
        "out": {"metavar": "FILE", "help": "the csv file to fill in (default: labels.csv)"},
    },
}


def agree(width: int) -> Parser:
    parser = Parser(
        "agree",
        "LABELS [RUN] | sample RUN",
        "Does a judge agree with people beyond chance, class by class, and as well as people agree with each "
        "other? With `sample`: write a random, blind sample for people to label.",
        (
            "evalstats agree labels.csv --judge gpt --human ann,bob",
            "evalstats agree sample run.eval --n 100 --out labels.csv",
            "evalstats agree labels.csv run.eval",
            "evalstats agree grades.csv --weights quadratic",
        ),
        width,
    )
    parser.take_runs(
        "a table of labels; a file of labels (id, label) and its run; runs that score the same answers, the "
        "judge's first (RUN@METRIC RUN@METRIC)"
    )
    for title, options in _GROUPS.items():
        group = parser.add_argument_group(title)
        for name, spec in options.items():
            parser.declare(group, name, **spec)
    add_options(parser, (*QUESTION, *_ITEMS, *_METHOD, *EXITS, "html", *OUTPUT))
    return parser
