"""The verb `which`: what it takes on the command line."""

from __future__ import annotations

from evalstats.cli.options import OUTPUT, Parser, add_options

_FACTS = {
    "runs": ("N", "runs you hold: none, one, two, many"),
    "scores": ("KIND", "pass_fail, bounded, unbounded, labels, votes, users"),
    "units": ("UNIT", "what was drawn independently: items, clusters, completions"),
    "items": ("HOW", "what both runs answered: same, different"),
    "goal": (
        "GOAL",
        "score, change, unchanged, sign_off, statistic, slices, rank, attempts, agreement, plan, seen, "
        "noise, judge",
    ),
}


def which(width: int) -> Parser:
    parser = Parser(
        "which",
        "[NUMBER | WORDS]",
        "Which tool for which situation: the tool, the reason, what not to use, and what to type. Without "
        "arguments the whole table.",
        (
            "evalstats which",
            "evalstats which zero failures",
            "evalstats which --runs two --units clusters",
            "evalstats which --ask",
        ),
        width,
    )
    parser.take_any("words", "WORDS", "a number of the table, or words that a situation has")
    group = parser.add_argument_group("the situation")
    for name, (metavar, about) in _FACTS.items():
        parser.declare(group, name, metavar=metavar, help=about)
    parser.declare(group, "ask", action="store_true", help="ask what is not told, a question at a time")
    add_options(parser, OUTPUT)
    return parser
