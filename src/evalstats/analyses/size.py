"""`size`: how many items, and what a number of items can decide before anything runs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import Unpack

from evalstats._version import __version__
from evalstats.analyses.gate_chances import GateChances, chances_of
from evalstats.analyses.options import Options
from evalstats.analyses.size_options import (
    SizeKeywords,
    SizeOptions,
    Targets,
    situation_of,
    targets,
    without_pilot,
)
from evalstats.analyses.size_pilot import Basis, item_variance, pilot_basis
from evalstats.analyses.size_result import Assumed, Between, ByCompletions, Need, Point, Size, SizeLine
from evalstats.envelope import Provenance
from evalstats.errors import InputError
from evalstats.methods.rates import wilson_limits
from evalstats.numeric import z_of
from evalstats.subjects.gate_power import GateRule
from evalstats.subjects.size import (
    Certainty,
    ItemsInClusters,
    Law,
    MeanDifference,
    Needed,
    OneMean,
    OneRate,
    PairedRates,
    Spread,
    UnpairedRates,
    remaining,
)

RATES = (0.05, 0.1, 0.2, 0.3)  # of changing items, where none is known
_POWER = 0.80
_STEPS = (1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8)
_COMPLETIONS = (1, 2, 4, 8, 16)
_FEWEST, _CLOSE = 10, 0.15  # items of a curve's row, and the least step between two rows
_WITHOUT_TARGET = 1000


def size(**keywords: Unpack[SizeKeywords]) -> Size:
    """How many items? Or: what can this number of items decide, before anything has run?

    One run: half_width with rate (pass/fail) or sd. Two runs on the same items: effect (a true difference to
    show) and margin (how much worse is still fine, for a candidate that is unchanged), with discordant_rate
    (the share of items that change) or sd (of the item differences); without either a line for each of .05,
    .1, .2 and .3. paired=False : different items, with rate or sd. items : the number of items asked about.
    pilot : a run, or (baseline, candidate), that tells rates, spread, clusters and decoding noise; then
    metric, filter, task, id, cluster, missing, latest, bounds, discordant as for `compare`.
    power : .80. icc, cluster_size : items in clusters. completions, within_variance : several of each item.
    cost : of an item with one completion in one run. Fractions for pass rates, else the score's own unit.
    Raises InputError for options that do not go together: none is ever ignored.

    >>> plan = size(discordant_rate=0.25, effect=0.08)
    >>> plan.n, [(need.method, need.n, round(need.reached, 3)) for need in plan.needs]
    (305, [('mcnemar_normal', 305, 0.775), ('mcnemar_exact', 324, 0.8)])
    """
    asked, options = SizeOptions.of(dict(keywords))
    basis = pilot_basis(asked, options) if asked.pilot else _given(asked, options)
    basis = _with_plan(basis, asked)
    aims = targets(asked, options, basis.scale)
    basis = _with_room(basis, aims)
    certainty = Certainty(options.level, _POWER if asked.power is None else asked.power)
    items = asked.items if asked.items is not None else _items_of_pilot(basis, aims)
    plan = _Plan(basis, aims, certainty, items, asked.cost)
    lines = tuple(plan.line(rate) for rate in _rates(basis))
    return Size(
        situation=basis.situation,
        scale=basis.scale,
        level=options.level,
        power=certainty.power,
        assumed=basis.assumed,
        half_width=aims.half_width,
        effect=aims.effect,
        margin=aims.margin,
        items=items,
        cost=asked.cost,
        lines=lines,
        unpaired=plan.unpaired(),
        by_completions=plan.by_completions() if len(lines) == 1 else (),
        between=plan.between(),
        signature=_signature(basis, aims, certainty, lines),
        provenance=Provenance(
            "size", basis.runs, basis.inputs, {**options.asked(), **asked.asked()}, options.seed
        ),
        notes=basis.notes,
    )


def _given(asked: SizeOptions, options: Options) -> Basis:
    """From flags alone."""
    situation = situation_of(asked, options)
    scale = without_pilot(asked, options)
    assumed = Assumed(
        rate=asked.rate,
        discordant_rate=asked.discordant_rate,
        sd=asked.sd,
        within_variance=asked.within_variance,
    )
    clusters = ItemsInClusters()
    if asked.icc is not None and asked.cluster_size is not None:
        clusters = ItemsInClusters(asked.cluster_size, asked.cluster_size, asked.icc)
    return Basis(situation, scale, assumed, clusters)


def _with_plan(basis: Basis, asked: SizeOptions) -> Basis:
    """What is planned stands in place of what the pilot had; the clusters are written beside it."""
    completions = basis.assumed.completions if asked.completions is None else asked.completions
    if completions > 1 and basis.assumed.within_variance is None:
        raise InputError(
            f"completions={completions}: the pilot has one completion an item, which does not say how much "
            "they vary. Give a pilot with several."
        )
    in_clusters = basis.clusters.mean > 1
    assumed = dataclasses.replace(
        basis.assumed,
        completions=completions,
        icc=basis.clusters.icc if in_clusters else None,
        cluster_size=basis.clusters.mean if in_clusters else None,
    )
    return dataclasses.replace(basis, assumed=assumed)


def _with_room(basis: Basis, aims: Targets) -> Basis:
    """An effect that the rates leave room for. Raises InputError where what was given leaves none.

    A pilot that changed fewer items than an effect would is planned with as many as the effect.
    """
    assumed, effect = basis.assumed, aims.effect
    if effect is None:
        return basis
    if basis.situation == "unpaired_rates" and (assumed.rate or 0.0) + effect > 1:
        raise InputError(
            f"effect is {100 * effect:g} points: a rate of {100 * (assumed.rate or 0.0):g} % leaves no room "
            "for it. Give the lower of the two rates."
        )
    if assumed.discordant_rate is None or assumed.discordant_rate >= effect:
        return basis
    if assumed.pilot_items is None:
        raise InputError(
            f"effect is {100 * effect:g} points: runs that disagree on {100 * assumed.discordant_rate:g} % "
            "of the items cannot differ by more. Give a larger discordant_rate, or a smaller effect."
        )
    note = (
        f"the pilot's runs disagree on {100 * assumed.discordant_rate:.3g} % of the items; planned with the "
        f"{100 * effect:g} % that the effect changes at least"
    )
    raised = dataclasses.replace(assumed, discordant_rate=effect)
    return dataclasses.replace(basis, assumed=raised, notes=(*basis.notes, note))


def _items_of_pilot(basis: Basis, aims: Targets) -> int | None:
    """A pilot and no target: what its own items can decide."""
    return basis.assumed.pilot_items if aims == Targets() else None


def _rates(basis: Basis) -> tuple[float | None, ...]:
    """The shares of changing items to plan for."""
    if basis.situation != "paired_rates":
        return (None,)
    return RATES if basis.assumed.discordant_rate is None else (basis.assumed.discordant_rate,)


def law_of(basis: Basis, rate: float | None, completions: int) -> Law:
    """What n independent items show of two runs. rate : the share of changing items."""
    assumed, within = basis.assumed, basis.assumed.within_variance or 0.0
    if basis.situation == "paired_rates":
        psi = rate or 0.0
        if completions == 1:
            return PairedRates(psi)
        return MeanDifference(_left(psi, 2 * within, completions), raw=True)
    if basis.situation == "paired_means":
        return MeanDifference(_left((assumed.sd or 0.0) ** 2, 2 * within, completions))
    if basis.situation == "unpaired_rates" and completions == 1:
        return UnpairedRates(assumed.rate or 0.0)
    return MeanDifference(_left(item_variance(assumed), within, completions), runs=2)


def _spread_of(basis: Basis, completions: int) -> Spread:
    """What n independent items tell of one run."""
    within, variance = basis.assumed.within_variance or 0.0, item_variance(basis.assumed)
    if basis.situation == "one_mean":
        return OneMean(_left(variance, within, completions))
    share = _left(variance, within, completions) / variance if completions > 1 else 1.0
    return OneRate(basis.assumed.rate or 0.0, share)


def _left(variance: float, within: float, completions: int) -> float:
    left = remaining(variance, within, completions)
    if left <= 0:
        raise InputError(
            f"within_variance: completions would vary by {within:g} of a variance of {variance:g} in all, "
            "which leaves nothing for the items. Give a smaller one."
        )
    return left


@dataclasses.dataclass(frozen=True)
class _Plan:
    """One call: what is assumed, what is wanted, and the number of items asked about."""

    basis: Basis
    aims: Targets
    certainty: Certainty
    items: int | None
    cost: float | None

    @property
    def _one_run(self) -> bool:
        return self.basis.situation.startswith("one_")

    @property
    def _clusters(self) -> ItemsInClusters:
        return self.basis.clusters

    def line(self, rate: float | None) -> SizeLine:
        needs = self._needs(rate, self.basis.assumed.completions)
        ns = self._grid(next((need.n for need in needs if need.n is not None), None))
        decides = None if self.items is None else self._point(rate, self.items)
        return SizeLine(
            discordant_rate=rate,
            needs=needs,
            points=tuple(self._point(rate, n) for n in ns),
            decides=decides,
            gate=self._gate(rate, needs),
        )

    def _needs(self, rate: float | None, completions: int) -> tuple[Need, ...]:
        if self._one_run:
            width = self.aims.half_width
            spread = _spread_of(self.basis, completions)
            found = [] if width is None else spread.for_half_width(width, self.certainty.level)
            return self._listed("half_width", width, found, completions)
        law, effect, margin = law_of(self.basis, rate, completions), self.aims.effect, self.aims.margin
        shown = [] if effect is None else law.for_effect(effect, self.certainty)
        passed = [] if margin is None else law.for_margin(margin, self.certainty)
        return (
            *self._listed("effect", effect, shown, completions),
            *self._listed("margin", margin, passed, completions),
        )

    def _listed(
        self, target: str, aim: float | None, found: Iterable[Needed], completions: int
    ) -> tuple[Need, ...]:
        needs = []
        for one in found:
            n = None if one.n is None else self._clusters.items(one.n)
            needs.append(
                Need(
                    target=target,
                    size=aim or 0.0,
                    method=one.method,
                    n=n,
                    n_clusters=None if n is None else self._clusters.clusters(n),
                    reached=one.reached,
                    cost=self._price(n, completions),
                )
            )
        return tuple(needs)

    def _price(self, n: int | None, completions: int) -> float | None:
        """Of one run."""
        return None if n is None or self.cost is None else n * completions * self.cost

    def _grid(self, needed: int | None) -> list[int]:
        """Round numbers around the answer, the answer and the number asked about."""
        centre = needed or self.items or _WITHOUT_TARGET
        near = {n for n in (needed, self.items) if n is not None}
        steps = {_two_digits(centre * step) for step in _STEPS}
        apart = {n for n in steps if n >= _FEWEST and all(abs(n / one - 1) > _CLOSE for one in near)}
        return sorted(near | apart)

    def _point(self, rate: float | None, n: int) -> Point:
        """n items in clusters are worth n over the design effect."""
        n_eff = n / self._clusters.effect
        completions = self.basis.assumed.completions
        common = Point(
            n=n,
            n_eff=n_eff,
            n_clusters=self._clusters.clusters(n),
            cost=self._price(n, completions),
        )
        if self._one_run:
            half = _spread_of(self.basis, completions).half_width(n_eff, self.certainty.level)
            return dataclasses.replace(common, half_width=half)
        law, effect, margin = law_of(self.basis, rate, completions), self.aims.effect, self.aims.margin
        smallest = law.smallest(n_eff, self.certainty)
        found = dataclasses.replace(
            common,
            mde=None if math.isnan(smallest.value) else smallest.value,
            mde_note=smallest.note,
            power=None if effect is None else law.power(n_eff, effect, self.certainty),
        )
        gate = law.gate(n_eff, n)
        if margin is None or gate is None:
            return found
        rule = GateRule(margin, self.certainty.level)
        return dataclasses.replace(
            found,
            pass_unchanged=gate.chances(rule).passes,
            pass_worse=gate.chances(rule, margin).passes,
        )

    def _gate(self, rate: float | None, needs: tuple[Need, ...]) -> GateChances | None:
        """What a gate with the margin answers on the items asked about; the last of the needs is its own."""
        margin, n = self.aims.margin, self.items
        if margin is None or n is None or self._one_run:
            return None
        law = law_of(self.basis, rate, self.basis.assumed.completions)
        gate = law.gate(n / self._clusters.effect, n)
        if gate is None:
            return None
        source = "option" if self.basis.assumed.pilot_items is None else "data"
        low, high = self.basis.scale.low, self.basis.scale.high
        widest = 1000 * margin if low is None or high is None else 0.999 * (high - low)
        rule = GateRule(margin, self.certainty.level)
        chances = chances_of(gate, rule, source, widest, self.certainty.power)
        return dataclasses.replace(chances, items_needed=needs[-1].n)

    def unpaired(self) -> Need | None:
        """What the effect takes on different items, where the rate is known."""
        rate, effect = self.basis.assumed.rate, self.aims.effect
        if self.basis.situation != "paired_rates" or rate is None or effect is None or rate + effect > 1:
            return None
        within, completions = self.basis.assumed.within_variance, self.basis.assumed.completions
        apart = dataclasses.replace(self.basis, situation="unpaired_rates")
        law = law_of(apart, None, completions if within is not None else 1)
        return self._listed("effect", effect, law.for_effect(effect, self.certainty), completions)[0]

    def between(self) -> Between | None:
        """The answer at the ends of Wilson's interval of a pilot's ψ; None where ψ is the effect's own."""
        assumed, psi = self.basis.assumed, self.basis.assumed.discordant_rate
        single = assumed.within_variance is None and assumed.cluster_size is None
        if assumed.pilot_items is None or psi is None or not single or self.aims == Targets():
            return None
        if psi == self.aims.effect:
            return None
        low, high = wilson_limits(psi, assumed.pilot_items, z_of(self.certainty.level))
        n = [self._needs(max(end, self.aims.effect or 0.0), 1)[0].n for end in (low, high)]
        return None if n[0] is None or n[1] is None else Between(low, high, n[0], n[1])

    def by_completions(self) -> tuple[ByCompletions, ...]:
        """Items for the first target, by its first formula, at other numbers of completions."""
        if self.basis.assumed.within_variance is None or self.aims == Targets():
            return ()
        rate, found = self.basis.assumed.discordant_rate, []
        for completions in sorted({*_COMPLETIONS, self.basis.assumed.completions}):
            n = self._needs(rate, completions)[0].n
            found.append(ByCompletions(completions, n, self._price(n, completions)))
        return tuple(found)


def _two_digits(n: float) -> int:
    """Rounded to two significant digits."""
    return int(round(n, 1 - math.floor(math.log10(n)))) if n >= 1 else 0


def _signature(basis: Basis, aims: Targets, certainty: Certainty, lines: tuple[SizeLine, ...]) -> str:
    """`size|paired_rates|psi:0.25|effect:0.08|mcnemar_normal|n:305|power:0.8|level:0.95|v:…`."""
    assumed = basis.assumed
    known = {
        "psi": assumed.discordant_rate,
        "rate": assumed.rate,
        "sd": assumed.sd,
        "icc": assumed.icc,
        "m": assumed.cluster_size,
        "completions": assumed.completions if assumed.completions > 1 else None,
        **dataclasses.asdict(aims),
    }
    parts = [f"{name}:{value:.6g}" for name, value in known.items() if value is not None]
    if len(lines) == 1 and lines[0].needs:
        parts += [lines[0].needs[0].method, f"n:{lines[0].needs[0].n}"]
    two = [] if basis.situation.startswith("one_") else [f"power:{certainty.power:g}"]
    return "|".join(("size", basis.situation, *parts, *two, f"level:{certainty.level:g}", f"v:{__version__}"))
