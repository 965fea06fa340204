"""`which`: which tool for which situation, from the tables that `score` and `compare` choose by."""

from __future__ import annotations

from evalstats.analyses.situations import SITUATIONS
from evalstats.analyses.which_result import Answer, Avoid, Route, Routes
from evalstats.data.routing import QUESTIONS, Situation, Tool, fitting
from evalstats.errors import InputError
from evalstats.kernel.method import Method


def which(
    *words: str | int,
    runs: str | None = None,
    scores: str | None = None,
    units: str | None = None,
    items: str | None = None,
    goal: str | None = None,
) -> Routes:
    """Which tool answers a situation, why, what not to use, and what to type.

    words : numbers of the table, or words that a situation has, such as "zero failures"; nothing: all of
    the table. runs : "none", "one", "two", "many". scores : "pass_fail", "bounded", "unbounded", "labels",
    "votes", "users". units : what was drawn independently, "items", "clusters", "completions". items :
    "same", "different". goal : "score", "change", "unchanged", "sign_off", "statistic", "slices", "rank",
    "attempts", "agreement", "plan", "seen", "noise", "judge".
    Raises InputError when an answer is none of these, or nothing fits.

    >>> import evalstats as es
    >>> [route.number for route in es.which(runs="two", items="different")]
    [12, 17, 21, 22]
    >>> es.which("zero failures").only.answers[0].method
    'wilson'
    """
    asked = {"runs": runs, "scores": scores, "units": units, "items": items, "goal": goal}
    known = {name: answer for name, answer in asked.items() if answer is not None}
    said = [part for word in words for part in str(word).split()]
    return Routes(tuple(map(_route, _found(said, known))), known, " ".join(said))


def _found(said: list[str], known: dict[str, str]) -> list[Situation]:
    if said and all(word.isdigit() for word in said):
        found = [one for one in fitting(SITUATIONS, known) if str(one.number) in said]
    else:
        found = fitting(SITUATIONS, known, said)
    if not found:
        told = [*said, *(f"--{name} {answer}" for name, answer in known.items())]
        raise InputError(
            f"no situation of the table fits {' '.join(told)}. `evalstats which` lists them all; fewer "
            f"words, or fewer of {', '.join(f'--{question.name}' for question in QUESTIONS)}, find more."
        )
    return found


def _route(one: Situation) -> Route:
    return Route(
        number=one.number,
        situation=one.situation,
        facts={name: tuple(answers) for name, answers in one.facts.items()},
        answer=one.answer,
        reason=one.reason,
        avoid=tuple(Avoid(what, why) for what, why in one.avoid),
        answers=tuple(map(_answer, one.tools)),
        command=one.command,
        call=one.call,
        page=one.page,
        missing=one.missing,
    )


def _answer(tool: Tool) -> Answer:
    methods = tuple(tool.table)
    proved = next((m for m in methods if m.role == "guarantee" or (m.role == "default" and m.proof)), None)
    chosen: Method = proved if tool.guarantee and proved is not None else tool.table.default
    return Answer(
        what=tool.what,
        situation=tool.table.situation,
        method=chosen.name,
        label=chosen.label,
        citation=chosen.citation,
        measured=chosen.measured,
        guarantee=None if proved is None else proved.name,
        by_name=tuple(m.name for m in methods if m not in (chosen, proved)),
    )
