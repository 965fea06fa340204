"""The verb `slices`: what it takes on the command line."""

from __future__ import annotations

from evalstats.cli.options import EXITS, FILES, LABEL, METHOD, OUTPUT, PLAN, QUESTION, Parser, add_options
from evalstats.cli.runs import LOG

_ITEMS = ("id", "unpaired", "cluster", "missing", "bounds", "lower-is-better")


def slices(width: int) -> Parser:
    parser = Parser(
        "slices",
        "RUN [CANDIDATE] --by FIELD",
        "Where is a run weak, where did a change hurt? Each slice's score and the slice against the rest; of "
        "two runs each slice paired. Benjamini–Hochberg over the slices; under 10 items: too small to say.",
        (
            "evalstats slices logs/week-31 --by lang",
            "evalstats slices old.eval new.eval --by lang,topic",
            "evalstats slices run.eval --by lang+topic",
            "evalstats slices run.eval --split 'created<2024-06-01'",
        ),
        width,
    )
    parser.take_runs(f"one run, or the baseline and the candidate: {LOG}")
    group = parser.add_argument_group("slices")
    parser.declare(
        group,
        "by",
        metavar="FIELD",
        help="field of the items, as `evalstats show` lists them; A,B: the slices by A and the slices by B, "
        "one family; A+B: by both at once",
    )
    parser.declare(
        group,
        "split",
        metavar="FIELD<VALUE",
        help="in place of --by, a cut-off in quotes, as 'created<2024-06-01' or 'year<2024': before against "
        "after it, of two runs the difference of differences",
    )
    parser.declare(
        group,
        "correction",
        metavar="NAME",
        help="over all slices tested: benjamini_hochberg (default), benjamini_yekutieli, holm, bonferroni, "
        "hochberg, none",
    )
    asked = (*QUESTION, *LABEL, *PLAN, *_ITEMS, *METHOD, "margin", "effect", *EXITS)
    add_options(parser, (*asked, *FILES, *OUTPUT))
    return parser
