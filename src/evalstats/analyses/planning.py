"""What these data could have shown, and how many items a stated effect or margin would take."""

from __future__ import annotations

import math

from evalstats.analyses.gate_chances import law_of
from evalstats.analyses.options import alpha_of
from evalstats.envelope import Needed
from evalstats.results import Estimate
from evalstats.subjects import power
from evalstats.subjects.gate_power import GateRule


def smallest_shown(difference: Estimate, level: float) -> tuple[float, str]:
    """The smallest true difference that data like these show with 80 % power, and what that rests on.

    nan where the spread is not known.
    """
    alpha = alpha_of(level)
    if not _plain_pairs(difference):
        mde = power.mde_from_standard_error(difference.standard_error, alpha=alpha)
        if mde > difference.extra.get("bounds", (-math.inf, math.inf))[1]:
            return math.nan, ""
        by_default = ", for the default interval" if "guarantee" in difference.extra else ""
        return mde, f"80 % power at this standard error{by_default}"
    rate = _discordant_rate(difference)
    found = power.smallest_paired_difference(difference.n, rate, alpha=alpha)
    seen = int(difference.extra["n_discordant_units"])
    this = "this" if power.planned_discordant_rate(seen, difference.n) == seen / difference.n else "a planned"
    if math.isnan(found.value):
        return found.value, ""
    rests_on = found.note or f"at {this} {100 * rate:.2g} % disagreement"
    return found.value, f"80 % power {rests_on}"


def needed_items(
    effect: float | None, margin: float | None, difference: Estimate, level: float
) -> Needed | None:
    """Items for 80 % power at the effect stated, else at no change within the margin.

    None if neither is stated, and where nobody can say: without spread, or for a proof of unknown power.
    """
    if effect is not None:
        return Needed(effect, "effect", _items_for_effect(effect, difference, alpha_of(level)))
    if margin is not None:
        law = law_of(difference)
        return None if law is None else Needed(margin, "margin", law.items_needed(GateRule(margin, level)))
    return None


def _plain_pairs(difference: Estimate) -> bool:
    """Independent pass/fail pairs: the counts of discordant items say everything."""
    return "candidate_only" in difference.extra


def _discordant_rate(difference: Estimate) -> float:
    return power.planned_discordant_rate(int(difference.extra["n_discordant_units"]), difference.n)


def _items_for_effect(effect: float, difference: Estimate, alpha: float) -> int | None:
    if _plain_pairs(difference):
        return power.required_n_mcnemar(effect, max(_discordant_rate(difference), effect), alpha)
    return _scaled(effect, difference, alpha)


def _scaled(size: float, difference: Estimate, alpha: float) -> int | None:
    """n · (MDE/size)²: the variance falls as 1/n, whatever the design."""
    mde = power.mde_from_standard_error(difference.standard_error, alpha=alpha)
    return math.ceil(difference.n * (mde / size) ** 2) if math.isfinite(mde) else None
