"""The verb `contamination`: what it takes on the command line."""

from __future__ import annotations

from evalstats.cli.options import EXITS, OUTPUT, QUESTION, Parser, add_options
from evalstats.cli.runs import LOG

_ITEMS = ("id", "cluster", "missing", "bounds", "lower-is-better")
_METHOD = ("level", "method", "guarantee", "largest-cluster")


def contamination(width: int) -> Parser:
    parser = Parser(
        "contamination",
        "[[REFERENCE] RUN]",
        "Has this model seen the test? Its original items against rewritten ones, items before against after "
        "a cut-off, or the published order against shuffled ones. Signs, and what else makes them.",
        (
            "evalstats contamination run.eval --rewritten new.eval",
            "evalstats contamination run.eval --split 'date<2024-06'",
            "evalstats contamination ref.eval run.eval --split 'y<2024'",
            "evalstats contamination --order likelihoods.json",
        ),
        width,
    )
    parser.take_runs(f"the run, and before it a reference that cannot have seen the items: {LOG}")
    group = parser.add_argument_group("one of three")
    parser.declare(
        group,
        "rewritten",
        metavar="RUN",
        help="the same model on the same items rewritten, with the same ids: rewritten − original, paired",
    )
    parser.declare(
        group,
        "split",
        metavar="FIELD<VALUE",
        help="a cut-off in quotes, as 'created<2024-06-01' or 'year<2024': after − before; with a reference "
        "the difference of differences",
    )
    parser.declare(
        group,
        "order",
        metavar="FILE",
        help='log-likelihoods as {"canonical": number, "shuffled": [numbers]}, or a number a line, the '
        "published order first",
    )
    add_options(parser, (*QUESTION, *_ITEMS, *_METHOD, *EXITS, *OUTPUT))
    return parser
