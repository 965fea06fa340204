"""What `which` returns, and its JSON. Frozen; nothing here computes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from evalstats._version import __version__
from evalstats.errors import InputError
from evalstats.results import display, plain


@dataclass(frozen=True)
class Avoid:
    """What not to use, and why."""

    what: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A method for one number of a situation. what : which number.

    situation : the row of methods it is chosen from. measured : coverage at 95 % as the atlas found it, worst
    and mean. guarantee : the method with a proof, None where the row has none. by_name : the others.
    """

    what: str
    situation: str
    method: str
    label: str
    citation: str
    measured: str
    guarantee: str | None
    by_name: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Route:
    """A situation and its tool. facts : question -> answers that lead here.

    answer : the tool in words; answers : by the method tables. command, call : what to type, empty where this
    version has none. page : under docs/. missing : what is not in this version, empty where nothing is.
    """

    number: int
    situation: str
    facts: dict[str, tuple[str, ...]]
    answer: str
    reason: str
    avoid: tuple[Avoid, ...]
    answers: tuple[Answer, ...]
    command: str
    call: str
    page: str
    missing: str


@dataclass(frozen=True)
class Routes(Sequence[Route]):
    """What `which` returns: the situations that fit. known : the answers given. words : those looked for."""

    routes: tuple[Route, ...]
    known: dict[str, str]
    words: str = ""

    def __len__(self) -> int:
        return len(self.routes)

    def __iter__(self) -> Iterator[Route]:
        return iter(self.routes)

    @overload
    def __getitem__(self, key: int) -> Route: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Route]: ...
    def __getitem__(self, key: int | slice) -> Route | Sequence[Route]:
        return self.routes[key]

    @property
    def only(self) -> Route:
        """The single situation. Raises InputError that lists them when there are several."""
        if len(self.routes) != 1:
            names = "; ".join(f"{route.number} {route.situation}" for route in self.routes)
            raise InputError(f"{len(self.routes)} situations fit, not one: {names}.")
        return self.routes[0]

    def rows(self) -> list[dict[str, Any]]:
        """One flat dict a situation and number."""
        return [
            {
                "number": route.number,
                "situation": route.situation,
                "what": answer.what,
                "method": answer.method,
                "guarantee": answer.guarantee,
                "command": route.command,
            }
            for route in self.routes
            for answer in route.answers
        ]

    def __str__(self) -> str:
        return str(display("which_text:which_text", self))

    def to_dict(self) -> dict[str, Any]:
        """The JSON."""
        return {
            "schema": "evalstats/which/1",
            "version": __version__,
            "words": self.words,
            "known": dict(self.known),
            "situations": plain(self.routes),
        }
