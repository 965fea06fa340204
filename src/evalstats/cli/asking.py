"""What `which` does once its arguments are read: its questions, where they were asked for."""

from __future__ import annotations

import sys

from evalstats.analyses.situations import SITUATIONS
from evalstats.analyses.which import which
from evalstats.analyses.which_result import Routes
from evalstats.cli.output import complain, write
from evalstats.data.routing import Question, fitting, next_question
from evalstats.errors import InputError


def answer(words: list[str], ask: bool = False, **known: str) -> Routes:
    """The routes, after the questions where they were asked for."""
    known = {name: value.replace("-", "_") for name, value in known.items()}
    if not ask:
        return which(*words, **known)
    if not sys.stdin.isatty():
        raise InputError(
            "--ask wants a terminal to answer in: give --runs, --scores, --units, --items, --goal."
        )
    return _asked(words, known)


def _asked(words: list[str], known: dict[str, str]) -> Routes:
    """A question at a time, as long as one tells situations apart."""
    which(*words, **known)  # what was told must fit before more is asked
    while (question := next_question(fitting(SITUATIONS, known, words), known)) is not None:
        reply = _reply(question)
        if reply is None:
            break
        known |= {question.name: reply}
    return which(*words, **known)


def _reply(question: Question) -> str | None:
    """The answer to one question, None to go on without it."""
    names = list(question.choices)
    shown = "".join(f"  {at}  {name}: {question.choices[name]}\n" for at, name in enumerate(names, 1))
    write(f"{question.text}\n{shown}", sys.stderr)
    while True:
        write(f"1 to {len(names)}, or Enter to leave it open: ", sys.stderr)
        said = sys.stdin.readline().strip()
        if not said:
            return None
        if said in names:
            return said
        if said.isdigit() and 1 <= int(said) <= len(names):
            return names[int(said) - 1]
        complain(f"{said!r} is none of these.")
