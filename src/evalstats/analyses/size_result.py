"""What `size` returns, and its JSON. Frozen; nothing here computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evalstats._version import __version__
from evalstats.analyses.gate_chances import GateChances
from evalstats.envelope import Provenance, Scale
from evalstats.results import display, plain

SITUATIONS = {
    "one_rate": "one run's pass rate",
    "one_mean": "one run's mean score",
    "paired_rates": "two runs on the same items, pass rates",
    "paired_means": "two runs on the same items, mean scores",
    "unpaired_rates": "two runs on different items, pass rates",
    "unpaired_means": "two runs on different items, mean scores",
}


@dataclass(frozen=True, kw_only=True)
class Assumed:
    """What the figures rest on, as given or as a pilot has it; None for what is not known or has no part.

    rate : pass rate of one run, of the worse one where there are two. discordant_rate : share of items that
    change, one completion each. sd : of the items' differences (paired) or scores, one completion each.
    within_variance : of one completion around its item's mean, in each run. completions : planned, an item.
    icc, cluster_size : of the differences where the runs are paired. pilot_items : items of the pilot that
    all this was read off, None without one.
    """

    rate: float | None = None
    discordant_rate: float | None = None
    sd: float | None = None
    within_variance: float | None = None
    completions: int = 1
    icc: float | None = None
    cluster_size: float | None = None
    pilot_items: int | None = None


@dataclass(frozen=True, kw_only=True)
class Need:
    """Items of a run that reach a target by one formula.

    target : half_width, effect or margin. size : of the target, in the score's unit. method : mcnemar_normal,
    mcnemar_exact, tango_exact, normal, t or wilson. n : None if no number does. reached : the power, or the
    chance that an unchanged candidate passes, that the exact rule has with n. cost : of one run.
    """

    target: str
    size: float
    method: str
    n: int | None
    n_clusters: int | None = None
    reached: float | None = None
    cost: float | None = None


@dataclass(frozen=True, kw_only=True)
class Point:
    """What n items of a run can decide. n_eff : independent items that they are worth.

    half_width : of one run's interval. mde : smallest true difference shown with the power asked for.
    power : of showing the effect. pass_unchanged, pass_worse : chance that a candidate passes the margin that
    equals the baseline, and that is worse by the margin. None for what was not asked or is not known.
    """

    n: int
    n_eff: float
    n_clusters: int | None = None
    half_width: float | None = None
    mde: float | None = None
    mde_note: str = ""
    power: float | None = None
    pass_unchanged: float | None = None
    pass_worse: float | None = None
    cost: float | None = None


@dataclass(frozen=True, kw_only=True)
class SizeLine:
    """The answer at one share of changing items; discordant_rate is None where it has no part.

    decides : what the number of items asked about can decide; gate : what a gate with the margin answers on
    them. points : the curve, by rising n.
    """

    discordant_rate: float | None
    needs: tuple[Need, ...]
    points: tuple[Point, ...]
    decides: Point | None = None
    gate: GateChances | None = None


@dataclass(frozen=True)
class ByCompletions:
    """Items of a run that reach the first target when each has so many completions."""

    completions: int
    n: int | None
    cost: float | None


@dataclass(frozen=True)
class Between:
    """How far a pilot leaves the share of changing items open, and the first target's items at both ends."""

    discordant_low: float
    discordant_high: float
    n_low: int
    n_high: int


@dataclass(frozen=True, kw_only=True)
class Size:
    """What `size` returns: how many items, and what a number of items can decide.

    situation : a key of SITUATIONS. half_width, effect, margin : the targets, in the score's own unit;
    fractions for pass rates. items : the number asked about. cost : of one completion of an item in one run.
    lines : one, or one for each share of changing items where none is known. unpaired : what the effect would
    take on different items. by_completions : where it is known how much completions vary. between : how
    far a pilot leaves the answer open.
    `.n` is the answer in one number, `.needs` has all formulas, `.curve()` rows of a table.
    """

    situation: str
    scale: Scale
    level: float
    power: float
    assumed: Assumed
    half_width: float | None
    effect: float | None
    margin: float | None
    items: int | None
    cost: float | None
    lines: tuple[SizeLine, ...]
    unpaired: Need | None
    by_completions: tuple[ByCompletions, ...]
    between: Between | None
    signature: str
    provenance: Provenance
    notes: tuple[str, ...] = ()

    @property
    def needs(self) -> tuple[Need, ...]:
        """Of all lines."""
        return tuple(need for line in self.lines for need in line.needs)

    @property
    def n(self) -> int | None:
        """Items of a run for the first target by the first formula that has any; None with several lines."""
        if len(self.lines) > 1:
            return None
        first = (need.n for need in self.needs if need.target == self.needs[0].target)
        return next((n for n in first if n is not None), None)

    def curve(self) -> list[dict[str, Any]]:
        """What more and fewer items decide: one flat dict for each share of changing items and n."""
        return [
            {"discordant_rate": line.discordant_rate, **plain(point)}
            for line in self.lines
            for point in line.points
        ]

    def __str__(self) -> str:
        return str(display("size_text:size_text", self))

    def _repr_html_(self) -> str:
        return str(display("planning_notebook:size_html", self))

    def to_dict(self) -> dict[str, Any]:
        """The JSON: what is not known is None."""
        return {"schema": "evalstats/size/1", "version": __version__, **plain(self)}
