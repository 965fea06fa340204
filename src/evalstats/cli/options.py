"""The options that verbs share, each declared once: its unit, its default, its group."""

from __future__ import annotations

import argparse
import math
import re

from evalstats.caveats import CAVEATS
from evalstats.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing costs as much as an interpreter's start, and --help passes here
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, NoReturn

QUESTION = ("metric", "filter", "task", "latest")
STATISTIC = ("quantile", "ratio", "weights")
LABEL = ("label",)
ITEMS = ("id", "unpaired", "discordant", "cluster", "missing", "bounds", "lower-is-better")
METHOD = ("level", "method", "guarantee", "largest-cluster", "view", "n-boot", "seed")
DECISION = ("correction", "margin", "effect", "tried")
PLAN = ("plan",)
EXITS = ("fail-on",)
OUTPUT = ("json", "markdown", "no-color")
FILES = ("html", "png", "svg")

_NEGATIVE_COUNT = re.compile(r"-\d+/-?\d+|\d+/-\d+")


class Parser(argparse.ArgumentParser):
    """argparse that raises InputError, suggests the near option, and takes "-1,1" as a value."""

    def __init__(self, verb: str, takes: str, about: str, examples: Sequence[str], width: int) -> None:
        """takes : the verb's positionals as the usage line shows them. width : columns of the help."""
        super().__init__(
            prog=f"evalstats {verb}",
            usage=f"evalstats {verb} {takes} [options]",
            description=about,
            epilog="examples:\n" + "\n".join(f"  {example}" for example in examples),
            formatter_class=lambda prog: _Help(prog, max_help_position=26, width=width),
            argument_default=argparse.SUPPRESS,
            allow_abbrev=False,
            add_help=False,
        )
        self.takes = takes
        self.runs = self.add_argument_group("arguments")
        self.positionals: list[str] = []
        self.open = ""
        self.several_in_one = False  # one argument may hold several runs, with a label each
        self.known: dict[str, bool] = {}
        self.single: set[str] = set()  # options that hold one value: a second would displace the first

    def take(self, name: str, about: str) -> None:
        """A positional argument, in the order of the call."""
        self.runs.add_argument(name, metavar=name.upper(), help=about)
        self.positionals.append(name)

    def take_runs(self, about: str) -> None:
        """Any number of runs, which the verb counts itself."""
        self.take_any("runs", "RUN", about)

    def take_any(self, name: str, metavar: str, about: str) -> None:
        """Any number of positional arguments; options may stand between them."""
        self.runs.add_argument(name, metavar=metavar, nargs="*", help=about)
        self.positionals.append(name)
        self.open = name

    def declare(self, group: argparse._ArgumentGroup, name: str, **spec: Any) -> None:
        """An option --name; `known` remembers whether it wants a value."""
        group.add_argument(f"--{name}", **spec)
        self.known[f"--{name}"] = spec.get("action") not in ("store_true", "store_false")
        if self.known[f"--{name}"] and spec.get("action") in (None, _Pair):
            self.single.add(f"--{name}")

    def parse(self, arguments: Sequence[str]) -> dict[str, Any]:
        """The options that were given, by name. Raises InputError: what came, what was wanted, what to do."""
        parse = self.parse_intermixed_args if self.open else self.parse_args
        given = vars(parse(self._prepared(arguments)))
        if self.open:
            given.setdefault(self.open, [])
        if "json" in given and "markdown" in given:
            raise InputError("--json and --markdown are two ways to print one answer: choose one of them.")
        labels = len(given.get("labels", ()))
        runs = len(given[self.open]) if self.open else len(self.positionals)
        if labels not in (0, runs) and not (self.several_in_one and runs == 1):
            raise InputError(f"{labels} --label for {runs} RUN: give one for each run, or none.")
        return given

    def split(self, given: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The positionals and the keywords of the call; what is about output is left out."""
        output = (*OUTPUT, *FILES, "junit", "exit_on")
        apart = (*self.positionals, *(name.replace("-", "_") for name in output))
        keywords = {name: value for name, value in given.items() if name not in apart}
        return [given[name] for name in self.positionals], keywords

    def _prepared(self, arguments: Sequence[str]) -> list[str]:
        """Unknown and repeated options refused before argparse guesses; a negative value is joined."""
        prepared: list[str] = []
        seen: set[str] = set()
        for at, argument in enumerate(arguments):
            if argument == "--":
                return [*prepared, *arguments[at:]]
            if prepared and _negative(argument) and self.known.get(prepared[-1]):
                prepared[-1] += f"={argument}"
                continue
            if _NEGATIVE_COUNT.fullmatch(argument):
                raise InputError(f"{argument}: counts cannot be negative. Write K/N, K of N right: 360/500.")
            if argument.startswith("-") and len(argument) > 1 and not _negative(argument):
                option = argument.partition("=")[0]
                self._check_known(option)
                if option in seen & self.single:
                    raise InputError(f"{option} came twice, and holds one value: give it once.")
                seen.add(option)
            prepared.append(argument)
        return prepared

    def _check_known(self, option: str) -> None:
        if option not in self.known:
            elsewhere = option.removeprefix("--") in _OPTIONS
            hint = " Another verb has it." if elsewhere else near(option, self.known)
            raise InputError(f"{self.prog} has no option {option}.{hint} See {self.prog} --help.")

    def error(self, message: str) -> NoReturn:
        """Raises InputError in place of argparse's exit."""
        missing = message.removeprefix("the following arguments are required: ")
        if missing != message:
            message = f"missing: {missing}"
        if message.startswith("unrecognized arguments: "):
            message = f"too many arguments: {message.removeprefix('unrecognized arguments: ')}"
        message = message.removeprefix("argument ").replace("expected one argument", "its value is missing")
        message = message.replace("expected 2 arguments", "it wants two values")
        raise InputError(
            f"{message}. It is: evalstats {self.prog.split()[-1]} {self.takes} [options]; "
            f"see {self.prog} --help."
        )


class _Help(argparse.RawDescriptionHelpFormatter):
    """Examples keep their lines; the description is wrapped."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith("examples:"):
            return super()._fill_text(text, width, indent)
        return argparse.HelpFormatter._fill_text(self, text, width, indent)


def near(word: str, known: Iterable[str]) -> str:
    """ " Did you mean ...?", or nothing."""
    import difflib  # an error's cost, not --help's

    found = difflib.get_close_matches(word, list(known), n=1)
    return f" Did you mean {found[0]}?" if found else ""


def _negative(argument: str) -> bool:
    return argument[:1] == "-" and argument[1:2] != "" and argument[1] in "0123456789."


def add_options(parser: Parser, wanted: Sequence[str]) -> None:
    """The shared options named in `wanted`, in groups. Their names are those of the call's keywords."""
    for title, names in _GROUPS.items():
        chosen = [name for name in names if name in wanted]
        if not chosen:
            continue
        group = parser.add_argument_group(title)
        for name in chosen:
            parser.declare(group, name, **_OPTIONS[name])
        if title == "output":
            group.add_argument("-h", "--help", action="store_true", help="show this")
            parser.known.update({"-h": False, "--help": False})


def number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number") from None


def whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None


def _range(text: str) -> tuple[float, float]:
    try:
        low, high = (float(end) for end in text.split(","))
    except ValueError:
        low = high = math.nan
    if not (math.isfinite(low) and math.isfinite(high)):
        raise argparse.ArgumentTypeError(f"{text!r} is no range; write LOW,HIGH such as 1,10")
    return low, high


class _Pair(argparse.Action):
    """--discordant A B as a tuple."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: Any = None) -> None:
        setattr(namespace, self.dest, tuple(values))


class _Labels(argparse.Action):
    """--label, once a run, gathered in `labels`."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: Any = None) -> None:
        setattr(namespace, self.dest, (*getattr(namespace, self.dest, ()), values))


class Codes(argparse.Action):
    """--fail-on CODE[,CODE], each known."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: Any = None) -> None:
        codes = [code.strip() for code in values.split(",")]
        for code in codes:
            if code not in CAVEATS:
                raise InputError(
                    f"--fail-on: {code!r} is no caveat.{near(code, CAVEATS)} There are: {', '.join(CAVEATS)}."
                )
        setattr(namespace, self.dest, (*getattr(namespace, self.dest, ()), *codes))


_GROUPS = {
    "what is asked": (*QUESTION, *LABEL, *PLAN),
    "statistic": STATISTIC,
    "items": ITEMS,
    "method": METHOD,
    "decision": (*DECISION, *EXITS),
    "output": ("html", "with-text", "png", "svg", *OUTPUT),
}

_OPTIONS: dict[str, dict[str, Any]] = {
    "metric": {
        "metavar": "NAME",
        "help": "metric, as `evalstats show` lists it (default: the log's first)",
    },
    "filter": {
        "metavar": "NAME",
        "help": "lm-eval filter of the metric (default: the task's last)",
    },
    "task": {
        "metavar": "NAME",
        "help": "benchmark, or several as A,B (default: all); A=B pairs two names",
    },
    "latest": {
        "action": "store_true",
        "help": "several logs of one benchmark: take the newest (default: refuse, and list them)",
    },
    "quantile": {
        "metavar": "Q",
        "type": number,
        "help": "the median (0.5) or another quantile in place of the mean, for costs and latencies",
    },
    "ratio": {
        "metavar": "A/B",
        "help": "the ratio of two metrics' sums, such as cost/solved",
    },
    "weights": {
        "metavar": "W",
        "help": "average over the benchmarks: macro (each the same), micro (each item the same), or "
        "A=2,B=1; with names of metrics, one score of several metrics of the same items",
    },
    "label": {
        "metavar": "NAME",
        "dest": "labels",
        "action": _Labels,
        "help": "what to call the run; given once for each run, in the order of the runs",
    },
    "id": {
        "metavar": "FIELD",
        "help": "field that identifies an item, or BASELINE,CANDIDATE fields "
        "(default: content hash, else the log's id)",
    },
    "unpaired": {
        "action": "store_false",
        "dest": "paired",
        "help": "the runs hold different items: do not pair them",
    },
    "discordant": {
        "metavar": ("A", "B"),
        "nargs": 2,
        "type": whole_number,
        "action": _Pair,
        "help": "for counts: items only the baseline has right, only the candidate",
    },
    "cluster": {
        "metavar": "FIELD",
        "help": "field that groups the items; none: no clusters (default: what the log declares)",
    },
    "missing": {
        "metavar": "HOW",
        "help": "items without a score: scored (leave them out, default), wrong (worst score), error",
    },
    "bounds": {
        "metavar": "LOW,HIGH",
        "type": _range,
        "help": "ends of the score's scale (default: the format's, else read from the scores)",
    },
    "lower-is-better": {
        "action": "store_true",
        "help": "a fall is an improvement (default: what the log says, else no)",
    },
    "level": {
        "metavar": "L",
        "type": number,
        "help": "confidence level, from 0.5 to below 1 (default: 0.95)",
    },
    "method": {
        "metavar": "NAME",
        "help": "interval by name; an unknown name is answered with a list (default: chosen by the data, "
        "and named)",
    },
    "guarantee": {
        "action": "store_true",
        "help": "an interval whose coverage is proved or enumerated, for a sign-off",
    },
    "largest-cluster": {
        "metavar": "M",
        "type": whole_number,
        "help": "the most items that a cluster can have, for --guarantee in clusters",
    },
    "view": {
        "metavar": "VIEW",
        "help": "random_items: questions like these (default); fixed_items: these questions, "
        "decoding noise alone",
    },
    "n-boot": {
        "metavar": "N",
        "type": whole_number,
        "help": "resamples of a bootstrap method (default: none, the exact law of infinitely many)",
    },
    "seed": {
        "metavar": "N",
        "type": whole_number,
        "help": "seed of what is random (default: 0)",
    },
    "correction": {
        "metavar": "NAME",
        "help": "over several benchmarks: holm (default), bonferroni, hochberg, "
        "benjamini_hochberg, benjamini_yekutieli, none",
    },
    "margin": {
        "metavar": "M",
        "help": "how much worse is still fine: 1, 1pt or 0.01 is one point of a score from 0 to 1; "
        "else in the score's unit (default: none)",
    },
    "effect": {
        "metavar": "E",
        "help": "true difference to count needed items for, written as a margin (default: the margin)",
    },
    "tried": {
        "metavar": "N",
        "type": whole_number,
        "help": "the candidate is the best of N tried: the chance that luck alone looks this good",
    },
    "plan": {
        "metavar": "FILE",
        "help": "plan file (evalstats init writes one): benchmarks, metrics, margins, family, level",
    },
    "fail-on": {
        "metavar": "CODE",
        "dest": "exit_on",
        "action": Codes,
        "help": "exit 4 if this caveat is in the answer; several as A,B (codes: docs/caveats.md)",
    },
    "html": {"metavar": "FILE", "help": "write the page: one file that opens offline, for people to read"},
    "with-text": {
        "action": "store_true",
        "help": "with both answers' text of the flipped items, where the logs have it",
    },
    "png": {"metavar": "FILE", "help": "write the picture (needs evalstats-tally[images])"},
    "svg": {"metavar": "FILE", "help": "write the picture (needs evalstats-tally[images])"},
    "json": {"action": "store_true", "help": "JSON alone on standard output"},
    "markdown": {"action": "store_true", "help": "Markdown for a pull request"},
    "no-color": {"action": "store_true", "help": "plain text (also by NO_COLOR, and without a terminal)"},
}
