"""From a situation to its tool: what a situation is, and which of them fit what is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from evalstats.errors import InputError
from evalstats.kernel.method import MethodTable


@dataclass(frozen=True)
class Question:
    """What tells situations apart. choices : answer -> what it means."""

    name: str
    text: str
    choices: Mapping[str, str]


QUESTIONS = (
    Question(
        "runs",
        "How many runs do you hold?",
        {"none": "none yet", "one": "one", "two": "a baseline and a candidate", "many": "three or more"},
    ),
    Question(
        "scores",
        "What is a score?",
        {
            "pass_fail": "right or wrong",
            "bounded": "a number on a scale with ends, such as 1 to 10",
            "unbounded": "a number without ends: cost, tokens, seconds",
            "labels": "a class that a judge or a person gave",
            "votes": "which of two models was preferred",
            "users": "what the users of a product did",
        },
    ),
    Question(
        "units",
        "What was drawn independently?",
        {
            "items": "every item",
            "clusters": "groups of items: passages, repositories, users",
            "completions": "every item, answered several times",
        },
    ),
    Question(
        "items",
        "Did both runs answer the same items?",
        {"same": "the same", "different": "different ones, or a part in common"},
    ),
    Question(
        "goal",
        "What is to be known?",
        {
            "score": "how good a run is",
            "change": "whether a change worked",
            "unchanged": "whether nothing got worse by more than a margin",
            "sign_off": "a bound with a proof",
            "statistic": "an average, a ratio or any other statistic",
            "slices": "where a run is weak",
            "rank": "which runs can be told apart",
            "attempts": "what several attempts would give",
            "agreement": "whether a judge agrees with people",
            "plan": "how many items are needed",
            "seen": "whether a model has seen the test",
            "noise": "where the noise comes from",
            "judge": "what is left of a judge's score without its errors",
        },
    ),
)


@dataclass(frozen=True)
class Tool:
    """A row of methods that a situation leads to. what : which of its numbers it gives.

    guarantee : the situation asks for the proved method of the table, not its default.
    """

    what: str
    table: MethodTable
    guarantee: bool = False


@dataclass(frozen=True, kw_only=True)
class Situation:
    """One row of the routing table.

    number : 1 to 25 are the commonest questions; further ones follow. facts : question ->
    the answers that lead here, none where any leads away; one that is not there does not matter. answer : the
    tool in words. avoid : what not to use, and why. missing : what is not in this version, and what to call
    instead.
    """

    number: int
    situation: str
    facts: Mapping[str, tuple[str, ...]]
    answer: str
    reason: str
    avoid: tuple[tuple[str, str], ...]
    command: str
    call: str
    page: str
    tools: tuple[Tool, ...] = field(default=())
    missing: str = ""


def fitting(
    situations: Iterable[Situation], known: Mapping[str, str], words: Sequence[str] = ()
) -> list[Situation]:
    """The situations that agree with all that is known, and that have every word in what they say.

    known : question -> answer. Raises InputError for an answer that its question has not.
    """
    choices = {question.name: question.choices for question in QUESTIONS}
    for name, answer in known.items():
        if answer not in choices[name]:
            raise InputError(f"--{name} {answer!r} is no answer: there are {', '.join(choices[name])}.")
    return [
        one
        for one in situations
        if all(answer in one.facts.get(name, (answer,)) for name, answer in known.items())
        and all(_says(one, word) for word in words)
    ]


def next_question(left: Sequence[Situation], known: Mapping[str, str]) -> Question | None:
    """The first open question whose answer would leave fewer situations; None when no question would."""
    for question in QUESTIONS:
        if question.name in known:
            continue
        kept = [fitting(left, {question.name: answer}) for answer in question.choices]
        if any(0 < len(some) < len(left) for some in kept):
            return question
    return None


def _says(one: Situation, word: str) -> bool:
    said = f"{one.situation} {one.answer} {one.command}".casefold()
    return word.casefold() in said
