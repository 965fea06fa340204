"""A method is a function and one row: what it is called, who published it, where it is the default.

`which`, `score`, `compare`, the method pages and the coverage atlas read these rows,
so they cannot disagree.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from evalstats.errors import MethodError, NoGuaranteeError
from evalstats.kernel.measured import MEASURED


@dataclass(frozen=True)
class Method:
    """One named method of one situation.

    role : "default", "guarantee" (by `guarantee=True`) or "named" (by `method=` only);
    a default with a proof is the guarantee too.
    function : numbers in, limits or p-value out; its signature is shared by its table.
    measured : coverage at 95 %, "worst / mean", as the atlas found it here; the table fills it in.
    """

    name: str
    function: Callable[..., Any]
    citation: str
    role: str = "named"
    label: str = ""
    measured: str = ""
    proof: str = ""


@dataclass(frozen=True)
class MethodTable:
    """The methods of one situation, in the order in which they are listed to people."""

    situation: str
    methods: tuple[Method, ...]
    no_guarantee: str = "no published interval for it has a proof"

    def __post_init__(self) -> None:
        found = MEASURED.get(self.situation, {})
        filled = tuple(replace(method, measured=found.get(method.name, "")) for method in self.methods)
        object.__setattr__(self, "methods", filled)

    def __iter__(self) -> Iterator[Method]:
        return iter(self.methods)

    @property
    def default(self) -> Method:
        return next(m for m in self.methods if m.role == "default")

    def __getitem__(self, name: str) -> Method:
        for method in self.methods:
            if method.name == name:
                return method
        raise MethodError(self._unknown(name))

    def _unknown(self, name: str) -> str:
        names = [m.name for m in self.methods]
        near = difflib.get_close_matches(str(name), names, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        return f"{name!r} is no method for {self.situation}.{hint} There are: {', '.join(names)}."

    def why(self, chosen: Method, method: str | None) -> str:
        """Why the chosen one, in a few words. method : the name that was asked for, if any."""
        if method is not None:
            return "asked for by name"
        return f"default for {self.situation}" if chosen.role == "default" else f"coverage {chosen.proof}"

    def choose(self, method: str | None, guarantee: bool = False) -> Method:
        """The named method, else the guarantee if asked for, else the default.

        Raises MethodError for an unknown name and NoGuaranteeError where nothing is proved
        (a method other than the row's guarantee contradicts guarantee=True).
        """
        if not guarantee:
            return self.default if method is None else self[method]
        proved = [m for m in self.methods if m.role == "guarantee" or (m.role == "default" and m.proof)]
        if not proved:
            raise NoGuaranteeError(
                f"no guaranteed interval for {self.situation}: {self.no_guarantee}. "
                f"Leave guarantee out to get {self.default.name!r}."
            )
        if method is not None and method != proved[0].name:
            raise MethodError(
                f"method={method!r} contradicts guarantee=True for {self.situation}: "
                f"the guaranteed one is {proved[0].name!r}. Leave one of the two out."
            )
        return proved[0]
