"""From a difference, seen or planned, to what its gate does when nothing changes, and when it is worse."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from evalstats.results import Estimate
from evalstats.subjects.gate_power import (
    POWER,
    GateRule,
    Means,
    Pairs,
    discordant_rate_for_gate,
    margin_needed,
)

Law = Pairs | Means
NOT_A_GATE = 0.5  # an unchanged candidate must pass at least this often
_MOST_POWER = 0.999


@dataclass(frozen=True, kw_only=True)
class GateChances:
    """What the gate answers, and how often, before any data.

    pass_unchanged, fail_unchanged : for a candidate that equals the baseline; else inconclusive.
    pass_worse : for one that is worse by the margin. items : that these figures are for.
    items_needed : with which an unchanged candidate passes in 80 % of cases; margin_needed : the margin that
    does so with these items, where the one given does not. None where none would do.
    discordant_rate : ψ, None for means; rate_source : plan, option, data or completions.
    basis : exact sum, effective counts, noncentral t, or product (if benchmarks are independent).
    """

    pass_unchanged: float
    fail_unchanged: float
    pass_worse: float
    items: int
    items_needed: int | None = None
    margin_needed: float | None = None
    discordant_rate: float | None = None
    rate_source: str | None = None
    basis: str

    @property
    def is_gate(self) -> bool:
        return self.pass_unchanged >= NOT_A_GATE


def law_of(difference: Estimate, planned_rate: float | None = None) -> Law | None:
    """What a difference tells of differences like it: pairs where it is pass/fail, else means.

    planned_rate : ψ of a plan, in place of (b+c+1)/(n+2). None where no spread was seen, and for a guarantee
    whose chances nobody has summed.
    """
    extra, guaranteed = difference.extra, "guarantee" in difference.extra
    if guaranteed and difference.method != "tango_bonett_price":
        return None
    if "candidate_only" in extra:
        psi = discordant_rate_for_gate(extra["n_discordant_units"], difference.n)
        rate = psi if planned_rate is None else planned_rate
        return Pairs(difference.n, rate, difference.n, guarantee=guaranteed)
    if difference.method == "tango_effective":
        n_eff = float(extra["n_eff"])
        psi = discordant_rate_for_gate(n_eff * extra["discordant_rate"], n_eff)
        return Pairs(n_eff, psi if planned_rate is None else planned_rate, difference.n, float(extra["df"]))
    if not difference.standard_error > 0:
        return None
    return Means(difference.standard_error, difference.n, extra.get("df"))


def macro_law(difference: Estimate, rows: Sequence[Estimate]) -> Law | None:
    """Of a macro average: its own standard error and ν; where that is 0, that of each ψ = (b+c+1)/(n+2)."""
    seen = law_of(difference)
    pairs = [law for law in map(law_of, rows) if isinstance(law, Pairs)]
    if seen is not None or len(pairs) < len(rows):
        return seen
    v = math.fsum(law.psi / law.n for law in pairs) / len(pairs) ** 2
    return Means(math.sqrt(v), difference.n, float(difference.n - len(pairs)))


def chances_of(
    law: Law, rule: GateRule, rate_source: str | None, widest: float, power: float = POWER
) -> GateChances:
    """The three figures of a benchmark that carries rule.margin. widest : the largest margin there can be.

    power : P(pass | no change) that items_needed and margin_needed reach.
    """
    margin = rule.margin or 0.0
    unchanged, worse = law.chances(rule), law.chances(rule, margin)
    pairs = isinstance(law, Pairs)
    return GateChances(
        pass_unchanged=unchanged.passes,
        fail_unchanged=unchanged.fails,
        pass_worse=worse.passes,
        items=law.items,
        items_needed=law.items_needed(rule, power),
        margin_needed=None if unchanged.passes >= power else _wider_margin(law, rule, widest, power),
        discordant_rate=law.psi if isinstance(law, Pairs) else None,
        rate_source=rate_source if pairs else None,
        basis="noncentral t" if not pairs else "exact sum" if law.df is None else "effective counts",
    )


def _wider_margin(law: Law, rule: GateRule, widest: float, power: float) -> float | None:
    return margin_needed(lambda margin: law.chances(replace(rule, margin=margin)).passes, widest, power)


def macro_chances(law: Law, others: Sequence[Law], rule: GateRule, widest: float) -> GateChances:
    """The macro average's figures beside single benchmarks that can fail the gate by a regression.

    rule.reject_alpha : of the single ones. As if independent; they share items, but in at most α/2 of cases
    any of them regresses. Laws of others that are not known count as never failing.
    """
    alone, own = replace(rule, margin=None), replace(rule, reject_alpha=None)
    unlit, unlit_worse = (
        math.prod(1 - one.chances(alone, worse_by).fails for one in others)
        for worse_by in (0.0, rule.margin or 0.0)
    )
    chances = chances_of(law, own, None, widest, min(POWER / unlit, _MOST_POWER))
    return replace(
        chances,
        pass_unchanged=chances.pass_unchanged * unlit,
        fail_unchanged=1 - (1 - chances.fail_unchanged) * unlit,
        pass_worse=chances.pass_worse * unlit_worse,
    )


def product(decisions: Sequence[GateChances]) -> GateChances:
    """Of several benchmarks that must all pass, if they are independent.

    pass_worse : one is worse by its margin, the one that passes most easily, and the others are unchanged.
    """
    passes = [c.pass_unchanged for c in decisions]
    worst = max(c.pass_worse * math.prod(passes[:at] + passes[at + 1 :]) for at, c in enumerate(decisions))
    return GateChances(
        pass_unchanged=math.prod(passes),
        fail_unchanged=1 - math.prod(1 - c.fail_unchanged for c in decisions),
        pass_worse=worst,
        items=sum(c.items for c in decisions),
        basis="product",
    )
