"""What can be a row of the benchmarks, and what is found when it is run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["same method", "same question"]
SAME_METHOD: Kind = "same method"  # a formula or a number of resamples, the same on both sides
SAME_QUESTION: Kind = "same question"  # the exact law on our side, 10,000 resamples on theirs
EXPONENT = "exponent"  # the unit of how time grows
Meter = Literal["seconds of CPU", "bytes at the peak"]


@dataclass(frozen=True)
class Race:
    """Two ways to one answer, run in turns.

    goal : its number in `goals.GOALS`, 0 for none. peer : a key of `peers.PEERS`. data : made once, untimed.
    check : (data, ours, theirs) -> how near the two results are, in words; raises UnequalError.
    wanted : theirs/ours at least. share : of the whole work that `theirs` does; its figure is divided by it.
    """

    goal: int
    what: str
    peer: str
    kind: Kind
    data: Callable[[], Any]
    ours: Callable[[Any], Any]
    theirs: Callable[[Any], Any]
    check: Callable[[Any, Any, Any], str]
    wanted: float | None = None
    share: float = 1.0
    quick: bool = False
    note: str = ""
    meter: Meter = "seconds of CPU"


@dataclass(frozen=True)
class Situation:
    """Our side of several races: who is beside it comes later. get : what a peer is given of the data."""

    what: str
    kind: Kind
    data: Callable[[], Any]
    ours: Callable[[Any], Any]
    check: Callable[[Any, Any, Any], str]
    get: Callable[[Any], Any] = lambda data: data

    def beside(
        self,
        peer: str,
        theirs: Callable[[Any], Any],
        goal: int = 0,
        wanted: float | None = None,
        *,
        share: float = 1.0,
        quick: bool = False,
        note: str = "",
        meter: Meter = "seconds of CPU",
    ) -> Race:
        def given(data: Any) -> Any:
            return theirs(self.get(data))

        ours = (self.data, self.ours, given, self.check)
        return Race(goal, self.what, peer, self.kind, *ours, wanted, share, quick, note, meter)


@dataclass(frozen=True)
class Reading:
    """An amount, and what is to be said of it."""

    value: float
    note: str = ""


@dataclass(frozen=True)
class Bound:
    """An amount that should not be exceeded. measure : turns -> Reading. at_most : None where nobody set one.

    peer : what it needs beside evalstats, or "".
    """

    goal: int
    what: str
    unit: str
    measure: Callable[[int], Reading]
    at_most: float | None = None
    quick: bool = False
    peer: str = ""


Row = Race | Bound


@dataclass(frozen=True)
class Finding:
    """What a row gave. value : theirs/ours of a race, the amount of a bound; None where it was not run."""

    row: Row
    value: float | None
    ours: float | None = None
    theirs: float | None = None
    agreement: str = ""
    note: str = ""

    @property
    def wanted(self) -> float | None:
        return self.row.wanted if isinstance(self.row, Race) else self.row.at_most

    @property
    def met(self) -> bool | None:
        """None where nothing was wanted, or nothing was measured."""
        if self.value is None or self.wanted is None:
            return None
        return self.value >= self.wanted if isinstance(self.row, Race) else self.value <= self.wanted
