"""The command `evalstats`: a table of verbs, of which only the asked one is imported; errors and exits.

Exit codes: 0 done or gate pass, 1 gate fail, 2 usage or input, 3 gate inconclusive, 4 a caveat named by
--fail-on, 70 internal error, 130 interrupted.
"""

from __future__ import annotations

import importlib
import os
import sys

from evalstats._version import __version__
from evalstats.cli.output import complain, json_text, tell, write
from evalstats.errors import EvalStatsError, InputError
from evalstats.report.terminal import wants_color, width_of, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing costs as much as an interpreter's start, and --help passes here
    from collections.abc import Sequence
    from typing import Any, TextIO

DONE, USAGE, CAVEAT, INTERNAL, INTERRUPTED = 0, 2, 4, 70, 130
SUMMARY = "GITHUB_STEP_SUMMARY"  # GitHub Actions shows this file on the page of the job


class Verb:
    """One row of the verb table. All but `about` are "module:name", imported when the verb is asked for.

    parser : of its arguments. analysis : positionals and keywords in, a result out. text, markdown : the
    result as text; markdown is None for a verb that has none. files : whether it writes a page and pictures.
    """

    def __init__(
        self,
        about: str,
        parser: str,
        analysis: str,
        text: str,
        markdown: str | None = None,
        files: bool = False,
    ) -> None:
        self.about = about
        self.parser = parser
        self.analysis = analysis
        self.text = text
        self.markdown = markdown
        self.files = files


_FILES = {
    "html": "evalstats.report.html.page:result_page",
    "png": "evalstats.report.charts:png",
    "svg": "evalstats.report.charts:svg",
    "junit": "evalstats.report.junit:junit_xml",
}

VERBS = {
    "score": Verb(
        "how good is a run: each benchmark's score with its interval",
        "evalstats.cli.runs:score",
        "evalstats.analyses.score:score",
        "evalstats.report.text:scorecard_text",
        "evalstats.report.markdown:scorecard_markdown",
        files=True,
    ),
    "compare": Verb(
        "did the change work: the difference of two runs, item by item",
        "evalstats.cli.runs:compare",
        "evalstats.analyses.compare:compare",
        "evalstats.report.text:comparisons_text",
        "evalstats.report.markdown:comparisons_markdown",
        files=True,
    ),
    "gate": Verb(
        "may it be merged: pass, fail or inconclusive, by a margin or a plan",
        "evalstats.cli.gate:gate",
        "evalstats.cli.deciding:answer",
        "evalstats.cli.deciding:text",
        "evalstats.cli.deciding:markdown",
        files=True,
    ),
    "init": Verb(
        "write a plan file from a run: benchmarks, metrics, frozen items",
        "evalstats.cli.gate:init",
        "evalstats.cli.deciding:written",
        "evalstats.cli.deciding:written_text",
    ),
    "slices": Verb(
        "where is a run weak, where did a change hurt: slice by slice",
        "evalstats.cli.slices:slices",
        "evalstats.cli.slicing:answer",
        "evalstats.report.slices_text:slices_text",
        "evalstats.report.slices_markdown:slices_markdown",
        files=True,
    ),
    "rank": Verb(
        "which of many runs is best, which are alike: rank ranges, all pairs",
        "evalstats.cli.rank:rank",
        "evalstats.analyses.rank:rank_of",
        "evalstats.report.rank_text:rank_text",
        "evalstats.report.rank_text:rank_markdown",
        files=True,
    ),
    "passk": Verb(
        "several attempts at each problem: pass@k and pass^k with intervals",
        "evalstats.cli.passk:passk",
        "evalstats.analyses.passk:attempts_of",
        "evalstats.report.passk_text:attempts_text",
        "evalstats.report.passk_text:attempts_markdown",
    ),
    "agree": Verb(
        "does a judge agree with people: kappa, class by class, and a ceiling",
        "evalstats.cli.agree:agree",
        "evalstats.cli.agreeing:answer",
        "evalstats.cli.agreeing:text",
        "evalstats.cli.agreeing:markdown",
        files=True,
    ),
    "judge": Verb(
        "a judge's score with its errors taken out; its drift, its biases",
        "evalstats.cli.judge:judge",
        "evalstats.cli.judging:answer",
        "evalstats.cli.judging:text",
        "evalstats.cli.judging:markdown",
    ),
    "size": Verb(
        "how many items: for a width, an effect or a margin; what N items decide",
        "evalstats.cli.size:size",
        "evalstats.analyses.size:size",
        "evalstats.report.size_text:size_text",
        "evalstats.report.size_text:size_markdown",
    ),
    "which": Verb(
        "which tool for which situation: the reason, and what not to use",
        "evalstats.cli.which:which",
        "evalstats.cli.asking:answer",
        "evalstats.report.which_text:which_text",
        "evalstats.report.which_text:which_markdown",
    ),
    "variance": Verb(
        "where the noise comes from: items, decoding, judges; what to buy next",
        "evalstats.cli.variance:variance",
        "evalstats.analyses.variance:components_of",
        "evalstats.report.variance_text:variance_text",
        "evalstats.report.variance_text:variance_markdown",
    ),
    "contamination": Verb(
        "has a model seen the test: rewritten items, a cut-off, the order",
        "evalstats.cli.contamination:contamination",
        "evalstats.analyses.contamination:contaminated_of",
        "evalstats.report.contamination_text:contamination_text",
        "evalstats.report.contamination_text:contamination_markdown",
    ),
    "show": Verb(
        "what was understood of a log, and what it allows",
        "evalstats.cli.runs:show",
        "evalstats.cli.contents:contents",
        "evalstats.cli.contents:text",
    ),
    "reproduce": Verb(
        "do a result's inputs give its numbers again",
        "evalstats.cli.runs:reproduce",
        "evalstats.analyses.reproduce:reproduce",
        "evalstats.report.reproduction:reproduction_text",
    ),
}

_EXAMPLES = (
    "evalstats compare logs/week-31 logs/week-32",
    "evalstats score run.eval",
    "evalstats compare 360/500 375/500 --discordant 40 55",
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code. Whatever happens, a person reads one paragraph, never a traceback."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    sys.stdout, sys.stderr = sys.stdout or _nowhere(), sys.stderr or _nowhere()  # None where it is closed
    try:
        return _dispatch(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _silence_stdout()
        return DONE
    except EvalStatsError as error:
        complain(str(error))
        return USAGE
    except OSError as error:
        if error.filename is None:
            return _crashed(arguments, error)
        complain(f"{error.filename} cannot be read: {error.strerror}. Mend that, or name another file.")
        return USAGE
    except Exception as error:
        return _crashed(arguments, error)


def _dispatch(arguments: list[str]) -> int:
    if not arguments:
        write(help_text(width_of(sys.stderr)), sys.stderr)
        return USAGE
    name, rest = arguments[0], arguments[1:]
    if name in ("-h", "--help"):
        write(help_text(width_of(sys.stdout)), sys.stdout)
        return DONE
    if name == "--version":
        write(f"evalstats {__version__}\n", sys.stdout)
        return DONE
    return _run(_verb(name), rest)


def _verb(name: str) -> Verb:
    if name in VERBS:
        return VERBS[name]
    hint = _load("evalstats.cli.options:near")(name, (*VERBS, "--help", "--version"))
    if not hint and os.path.exists(name):
        hint = f" To look at a log: evalstats show {name}."
    raise InputError(f"no verb {name!r}.{hint} There are: {', '.join(VERBS)}; see evalstats --help.")


def _run(verb: Verb, arguments: list[str]) -> int:
    """Parse, analyse, print."""
    parser = _load(verb.parser)(width_of(sys.stdout))
    before_dashes = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if "-h" in before_dashes or "--help" in before_dashes:
        write(parser.format_help(), sys.stdout)
        return DONE
    given = parser.parse(arguments)
    _load("evalstats.cli.conflict:refuse_other_distribution")()
    files = _load("evalstats.cli.files:wanted")(given) if verb.files else {}
    positionals, keywords = parser.split(given)
    result = _load(verb.analysis)(*positionals, **keywords)
    tell(getattr(result, "notes", ()) if verb.markdown else ())
    tell([_saved(result, kind, path) for kind, path in files.items()])
    try:
        write(_rendered(verb, result, given), sys.stdout)
    except BrokenPipeError:  # a gate that nobody reads still fails
        _silence_stdout()
    return _exit_code(verb, result, given)


def _exit_code(verb: Verb, result: Any, given: dict[str, Any]) -> int:
    """Of a gate its own; its summary goes where the environment asks for one."""
    code = getattr(result, "exit_code", None)
    if code is not None:
        if os.environ.get(SUMMARY) and verb.markdown:
            summary = _load("evalstats.cli.files:append")(os.environ[SUMMARY], _load(verb.markdown)(result))
            tell([summary])
        return int(code)
    fired = _fired(result, given.get("exit_on", ()))
    if fired:
        tell([f"exit {CAVEAT}: --fail-on {','.join(fired)}"])
        return CAVEAT
    return DONE if getattr(result, "reproduced", True) else USAGE


def _fired(result: Any, codes: Sequence[str]) -> list[str]:
    """The caveats named by --fail-on that are in the answer."""
    found = {caveat["code"] for row in getattr(result, "primary", ()) for caveat in row.caveats}
    return [code for code in dict.fromkeys(codes) if code in found]


def _saved(result: Any, kind: str, path: Any) -> str:
    return str(_load("evalstats.cli.files:save")(path, _load(_FILES[kind])(result)))


def _rendered(verb: Verb, result: Any, given: dict[str, Any]) -> str:
    if given.get("json"):
        return json_text(result.to_dict())
    if given.get("markdown") and verb.markdown:
        return str(_load(verb.markdown)(result))
    color = not given.get("no_color") and wants_color(sys.stdout)
    return str(_load(verb.text)(result, width_of(sys.stdout), color))


def _load(place: str) -> Any:
    """The one deferred import of the command: "module:name" of the verb table."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


def _crashed(arguments: list[str], error: Exception) -> int:
    if os.environ.get("EVALSTATS_DEBUG"):
        import traceback  # for whoever asked

        traceback.print_exception(error)
        return INTERNAL
    verb = arguments[0] if arguments and arguments[0] in VERBS else "the command"
    what = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    complain(
        f"{verb} failed inside evalstats {__version__} ({what}). The fault is the "
        "program's, not yours: please report it. EVALSTATS_DEBUG=1 in the environment shows where."
    )
    return INTERNAL


def _silence_stdout() -> None:
    """The reader has gone: what is left in the buffer must not raise again at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # no file behind it
        sys.stdout = _nowhere()


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")  # it lives until exit


def help_text(width: int) -> str:
    """`evalstats --help`, without argparse: it would double the time."""
    column = max(map(len, VERBS)) + 2
    verbs = [
        line
        for name, verb in VERBS.items()
        for line in wrap(f"{name:<{column}}{verb.about}", width, 2, column)
    ]
    lines = [
        "usage: evalstats VERB ... [options]",
        "",
        *wrap("The statistics of LLM evals: two logs in, an honest answer out.", width, 0),
        "",
        *verbs,
        "",
        *wrap("evalstats VERB --help says what a verb takes; evalstats --version.", width, 0),
        "",
        "examples:",
        *(f"  {example}" for example in _EXAMPLES),
    ]
    return "\n".join(lines) + "\n"
