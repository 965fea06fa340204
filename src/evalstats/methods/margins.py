"""What an interval of a difference settles: its direction, and whether it is worse by more than a margin."""

from __future__ import annotations

import math
from dataclasses import dataclass

from evalstats.errors import InputError, MethodError
from evalstats.kernel.check import check_margin
from evalstats.methods.mcnemar import TIES_COUNT
from evalstats.methods.paired import PairedCounts, check_paired_counts, tango_statistic
from evalstats.numeric import normal_cdf
from evalstats.results import Estimate

_JOINED = {
    ("improved", "not_worse"): "improved",
    ("regressed", "equivalent"): "regressed_within_margin",
}


@dataclass(frozen=True)
class Verdict:
    """What the interval of one difference settles.

    direction : improved, regressed or not_settled.
    margin_verdict : equivalent, not_worse, worse_than_margin or not_shown; None without a margin.
    verdict : both joined: improved, regressed, regressed_within_margin (regressed, by less than the
    margin), equivalent, not_worse, worse_than_margin or not_settled.
    above_zero, below_zero, inside_margin, above_minus_margin : of the interval as printed, never turned
    round for a score of which less is better; the margin's two are None without one.
    """

    direction: str
    margin_verdict: str | None
    verdict: str
    above_zero: bool
    below_zero: bool
    inside_margin: bool | None
    above_minus_margin: bool | None


def verdict(
    estimate: Estimate,
    margin: float | None = None,
    *,
    higher_is_better: bool = True,
    reject: bool | None = None,
    exact_pvalue: float | None = None,
) -> Verdict:
    """Better, worse, the same within a margin, or not settled? Read from a difference and its interval.

    estimate : candidate − baseline. margin : how much worse is still fine, in the score's own unit (0.01 is
    one point of accuracy). reject : in a family, whether the corrected p lights this row; a row that does
    not light has no direction. exact_pvalue : of a guaranteed comparison; it must reach α too.
    A direction also needs ⌈1 + log₂(1/α)⌉ units that differ (`extra["n_discordant_units"]`, where the
    estimate has it): with fewer no exact test can reach α.
    Raises InputError for what is no Estimate and a margin that is none, MethodError for a Wald interval
    against a margin.

    >>> from evalstats.methods.paired import paired_proportions
    >>> verdict(paired_proportions(40, 55, 500)).verdict
    'not_settled'
    >>> verdict(paired_proportions(40, 55, 500), margin=0.01).verdict
    'not_worse'
    """
    if not isinstance(estimate, Estimate):
        raise InputError(
            f"a verdict is read from an Estimate of a difference, not from a {type(estimate).__name__}: give "
            "what paired_proportions or mean_difference returned, or .difference of a comparison."
        )
    low, high = estimate.ci_low, estimate.ci_high
    oriented = (low, high) if higher_is_better else (-high, -low)
    if margin is not None:
        margin = _check_margin_for(estimate, margin)
    direction = _direction(oriented) if _may_have_direction(estimate, reject, exact_pvalue) else "not_settled"
    margin_verdict = None if margin is None else _margin_verdict(oriented, margin)
    return Verdict(
        direction=direction,
        margin_verdict=margin_verdict,
        verdict=_join(direction, margin_verdict),
        above_zero=low > 0,
        below_zero=high < 0,
        inside_margin=None if margin is None else -margin < low and high < margin,
        above_minus_margin=None if margin is None else low > -margin,
    )


def least_discordant_units(level: float) -> int:
    """The fewest discordant units with which an exact two-sided test can reach α: ⌈1 + log₂(1/α)⌉.

    >>> [least_discordant_units(level) for level in (0.90, 0.95, 0.99)]
    [5, 6, 8]
    """
    return math.ceil(1 - math.log2((1 - level) * (1 + TIES_COUNT)))


def noninferiority_pvalue(baseline_only: int, candidate_only: int, n: int, margin: float) -> float:
    """Is the candidate worse by no more than the margin? One-sided p = 1 − Φ(z(−M)), paired pass/fail.

    p ≤ (1 − level)/2 exactly where Tango's interval at that level lies above −margin.
    Raises InputError for counts that cannot be and a margin outside 0 to 1. Source: Tango 1998.

    >>> round(noninferiority_pvalue(40, 55, 500, 0.01), 4)
    0.0205
    """
    counts, margin = _check_counts_and_margin(baseline_only, candidate_only, n, margin)
    return normal_cdf(-tango_statistic(counts.c, counts.b, counts.n, -margin))


def equivalence_pvalue(baseline_only: int, candidate_only: int, n: int, margin: float) -> float:
    """Are two runs the same within ±margin? The larger of the two one-sided p-values (Schuirmann 1987).

    Arguments, errors and dual interval as `noninferiority_pvalue`.

    >>> round(equivalence_pvalue(40, 55, 500, 0.07), 4)
    0.0218
    """
    counts, margin = _check_counts_and_margin(baseline_only, candidate_only, n, margin)
    too_low = normal_cdf(-tango_statistic(counts.c, counts.b, counts.n, -margin))
    return max(too_low, normal_cdf(tango_statistic(counts.c, counts.b, counts.n, margin)))


def _check_counts_and_margin(
    baseline_only: int, candidate_only: int, n: int, margin: float
) -> tuple[PairedCounts, float]:
    margin = check_margin(margin)
    _check_fraction_margin(margin)
    return check_paired_counts(baseline_only, candidate_only, n), margin


def _check_margin_for(estimate: Estimate, margin: float) -> float:
    margin = check_margin(margin)
    bounds = [abs(float(end)) for end in estimate.extra.get("bounds", ())]
    if estimate.unit == "fraction" or (bounds and max(bounds) <= 1):
        _check_fraction_margin(margin)
    if estimate.method == "wald":
        raise MethodError(
            "wald is not used against a margin: its test of non-inferiority errs in 22 % instead of 2.5 % "
            "of cases. Leave method out."
        )
    return margin


def _check_fraction_margin(margin: float) -> None:
    if margin >= 1:
        raise InputError(
            f"margin={margin:g} of a score from 0 to 1 is {margin * 100:g} points and lets everything pass. "
            f"Did you mean {margin / 100:g}? That is {margin:g} points, --margin {margin:g}."
        )


def _may_have_direction(estimate: Estimate, reject: bool | None, exact_pvalue: float | None) -> bool:
    enough = estimate.extra.get("n_discordant_units", math.inf) >= least_discordant_units(estimate.level)
    alpha = (1 - estimate.level) * (1 + TIES_COUNT)
    return enough and reject in (None, True) and (exact_pvalue is None or exact_pvalue <= alpha)


def _direction(oriented: tuple[float, float]) -> str:
    low, high = oriented
    return "improved" if low > 0 else "regressed" if high < 0 else "not_settled"


def _margin_verdict(oriented: tuple[float, float], margin: float) -> str:
    low, high = oriented
    if low > -margin:
        return "equivalent" if high < margin else "not_worse"
    return "worse_than_margin" if high < -margin else "not_shown"


def _join(direction: str, margin_verdict: str | None) -> str:
    if margin_verdict in (None, "not_shown"):
        return direction
    return _JOINED.get((direction, margin_verdict), margin_verdict)
