"""How many items show a difference, and which difference a number of items shows.

delta : the true difference of two pass rates; psi (ψ) : the share of items on which two runs disagree.
The McNemar figures are the normal formula's; `mcnemar_power` is what the exact test reaches there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalstats.errors import InputError
from evalstats.kernel.check import check_alpha, check_level, check_margin, check_rate, check_sample_size
from evalstats.methods.clusters import design_effect
from evalstats.methods.mcnemar import rejection_probability
from evalstats.methods.paired import tango_statistics
from evalstats.methods.rates import wilson_limits
from evalstats.numeric import bisect, normal_quantile, z_of
from evalstats.subjects.gate_power import GateRule, mean_chances
from evalstats.subjects.pair_sums import (
    chance_of_at_least,
    discordant_numbers,
    fewest_wins,
    share_won,
    smallest_size,
)

FEW = 10  # discordant items under which a plan takes (b+c+1)/(n+2) for their share
_MOST_ITEMS_SUMMED = 10**6


@dataclass(frozen=True)
class SmallestShown:
    """The smallest true difference that would be shown, nan if none would; note : on what it rests."""

    value: float
    note: str = ""


def required_n_paired_mean(delta: float, sd_diff: float, alpha: float = 0.05, power: float = 0.80) -> int:
    """How many items show a mean difference delta, scores paired? The chapter's function.

    n = (z_{1−α/2} + z_power)² sd_diff²/δ², rounded up; the normal formula is about two items short where
    n is small. delta, sd_diff : in the score's unit, sd of the item differences.
    Raises InputError for delta = 0 (no n is enough) and for rates that are none.

    >>> required_n_paired_mean(0.5, 1.0)
    32
    """
    delta = _check_delta(delta)
    sd_diff = check_margin(sd_diff, "sd_diff")
    return _rounded_up((_factor(alpha, power) * sd_diff / delta) ** 2)


def required_n_paired_mean_t(delta: float, sd_diff: float, alpha: float = 0.05, power: float = 0.80) -> int:
    """`required_n_paired_mean` by the t test itself, which few items need: `mean_items_t`, rounded up.

    >>> required_n_paired_mean_t(0.5, 1.0)
    34
    """
    return _rounded_up(mean_items_t(delta, sd_diff, alpha, power))


def mean_items_t(
    delta: float, sd: float, alpha: float = 0.05, power: float = 0.80, *, runs: int = 1
) -> float:
    """Items at which a t test has this power, before rounding: the root of the noncentral t's upper tail.

    runs : 1 for paired differences with this sd; 2 for scores with this sd on different items, per run.
    Source: as R's power.t.test, which leaves the far tail out too.

    >>> round(mean_items_t(0.5, 1.0), 2)
    33.37
    """
    delta, sd = abs(_check_delta(delta)), check_margin(sd, "sd")
    normal = runs * (_factor(alpha, power) * sd / delta) ** 2

    def excess(n: float) -> float:
        return mean_power(n, delta, sd, alpha, runs=runs) - power

    high = 2 * normal + 10.0
    while excess(high) < 0:
        high *= 2
    return bisect(excess, 1 + 1e-6, high)


def mean_power(n: float, delta: float, sd: float, alpha: float = 0.05, *, runs: int = 1) -> float:
    """With which probability does a t test show a mean difference delta on n items a run? See `mean_items_t`.

    >>> round(mean_power(34, 0.5, 1.0), 3)
    0.808
    """
    rule = GateRule(0.0, 1 - check_alpha(alpha), df=runs * (n - 1))
    return mean_chances(sd * math.sqrt(runs / n), abs(delta), rule).passes


def required_n_completions(
    delta: float,
    item_variance: float,
    within_variance: float,
    completions: float,
    alpha: float = 0.05,
    power: float = 0.80,
) -> int:
    """How many items show a difference delta when both runs answer each one several times?

    n = (z_{1−α/2} + z_power)²(ω² + σ²/K)/δ², rounded up. item_variance : ω², of the items' true differences.
    within_variance : σ² = σ²_A + σ²_B, of one completion around its item's mean, both runs together.
    completions : K of each item in each run; math.inf for what no number of them can go below.
    Source: Miller 2024, arXiv:2411.00640, §5.

    >>> required_n_completions(0.03, 1 / 9, 0.0, math.inf)
    969
    """
    for value, name in ((item_variance, "item_variance"), (within_variance, "within_variance")):
        if not 0 <= value < math.inf:
            raise InputError(f"{name}={value!r} must be 0 or more: it is a variance.")
    if not completions >= 1:
        raise InputError(f"completions={completions!r} must be 1 or more.")
    variance = item_variance + within_variance / completions
    return required_n_paired_mean(delta, math.sqrt(variance), alpha, power)


def required_n_mcnemar(delta: float, psi: float, alpha: float = 0.05, power: float = 0.80) -> int:
    """How many paired items show a difference delta of pass rates, psi of them changing? The chapter's.

    n = (z_{1−α/2}√ψ + z_power√(ψ−δ²))²/δ², rounded up. The exact test reaches a little less there
    (`mcnemar_power`). Raises InputError for delta = 0 and for |delta| > psi, which cannot be.
    Source: Miettinen 1968, Biometrics 24:339–352; Connor 1987, Biometrics 43:207–211.

    >>> [required_n_mcnemar(delta, 0.25) for delta in (0.10, 0.08, 0.05)]
    [194, 305, 783]
    """
    return _rounded_up(mcnemar_items(delta, psi, alpha, power))


def mcnemar_items(delta: float, psi: float, alpha: float = 0.05, power: float = 0.80) -> float:
    """`required_n_mcnemar` before rounding.

    >>> round(mcnemar_items(0.10, 0.25), 3)
    193.847
    """
    delta, psi = abs(_check_delta(delta)), check_rate(psi, "psi")
    if delta > psi:
        raise InputError(
            f"delta={delta:g} is more than psi={psi:g}: runs that disagree on {psi:.1%} of the items cannot "
            "differ by more. Give a psi of at least delta."
        )
    z_alpha, z_power = _quantiles(alpha, power)
    return (z_alpha * math.sqrt(psi) + z_power * math.sqrt(psi - delta**2)) ** 2 / delta**2


def mcnemar_power(n: int, psi: float, delta: float, alpha: float = 0.05) -> float:
    """With which probability does McNemar's exact test show delta on n items, psi of them changing?

    Exact and unconditional: Σ_m Bin(m; n, ψ) · P(p ≤ α | m, (ψ+δ)/2ψ). At delta = 0 it is the test's size.
    Raises InputError for |delta| > psi.

    >>> round(mcnemar_power(194, 0.25, 0.10), 3)
    0.773
    """
    n, psi, alpha = check_sample_size(n), check_rate(psi, "psi"), check_alpha(alpha)
    if not abs(delta) <= psi:
        raise InputError(f"delta={delta:g} is more than psi={psi:g}: give a psi of at least delta.")
    return float(_mcnemar_powers(np.array([n]), psi, delta, alpha)[0]) if psi > 0 else 0.0


def _mcnemar_powers(n: NDArray[np.int64], psi: float, delta: float, alpha: float) -> NDArray[np.float64]:
    """`mcnemar_power` of several n at once: what is lit depends on m alone, and is found once for each m."""
    m, weights = discordant_numbers(n.reshape(-1, 1).astype(np.float64), psi)
    distinct, place = np.unique(m, return_inverse=True)
    lit = rejection_probability(distinct, share_won(psi, delta), alpha)[place.reshape(m.shape)]
    return np.asarray((weights * lit).sum(axis=1))


def required_n_mcnemar_exact(delta: float, psi: float, alpha: float = 0.05, power: float = 0.80) -> int:
    """How many paired items does McNemar's exact test need to show delta with this probability?

    The smallest n with `mcnemar_power` ≥ power that holds for the next 50 n too: the power is a saw in n.
    Over a million items the normal formula, which is then the same to three digits. Raises as
    `required_n_mcnemar`.

    >>> required_n_mcnemar_exact(0.10, 0.25)
    207
    """
    normal = required_n_mcnemar(delta, psi, alpha, power)
    if normal > _MOST_ITEMS_SUMMED:
        return normal
    return smallest_size(lambda n: _mcnemar_powers(n, psi, delta, alpha) >= power, 1, normal)


def required_n_unpaired(
    p_baseline: float, p_candidate: float, alpha: float = 0.05, power: float = 0.80
) -> int:
    """How many items does each of two runs need when their items differ? Per run, not in all.

    n = (z_{1−α/2}√(2p̄q̄) + z_power√(p₁q₁+p₂q₂))²/δ², rounded up.
    Raises InputError for equal rates. Source: Fleiss, Levin & Paik 2003, section 4.2.

    >>> required_n_unpaired(0.70, 0.72)
    8080
    """
    p1, p2 = check_rate(p_candidate, "p_candidate"), check_rate(p_baseline, "p_baseline")
    delta, mean = _check_delta(p1 - p2), (p1 + p2) / 2
    z_alpha, z_power = _quantiles(alpha, power)
    spread = z_power * math.sqrt(p1 * (1 - p1) + p2 * (1 - p2))
    return _rounded_up((z_alpha * math.sqrt(2 * mean * (1 - mean)) + spread) ** 2 / delta**2)


def required_n_rate(rate: float, half_width: float, level: float = 0.95) -> int:
    """How many items put a pass rate's interval within ± half_width? By Wilson's, half of its whole width.

    rate : expected; at .5 the most items. Wilson's interval has a width at 0 and 1 too.
    The normal formula is z²p(1−p)/W² (`rate_items_normal`). Raises InputError for a half-width of ½ or more.

    >>> required_n_rate(0.72, 0.02), required_n_rate(0.0, 0.02)
    (1934, 93)
    """
    p, width, z = check_rate(rate, "rate"), check_margin(half_width, "half_width"), z_of(check_level(level))
    if width >= 0.5:
        raise InputError(f"half_width={width:g} is the whole scale or more: 0.02 is two points either way.")

    def excess(log_n: float) -> float:
        return width - wilson_half_width(p, math.exp(log_n), z)

    return _rounded_up(math.exp(bisect(excess, -20.0, math.log(z**2 / width**2) + 1)))


def wilson_half_width(p: float, n: float, z: float) -> float:
    """Half of Wilson's whole width for a rate p of n items."""
    low, high = wilson_limits(p, n, z)
    return (high - low) / 2


def rate_items_normal(rate: float, half_width: float, level: float = 0.95) -> float:
    """z²p(1−p)/W², before rounding: half the half-width takes four times the items.

    >>> round(rate_items_normal(0.72, 0.02)), round(rate_items_normal(0.72, 0.01))
    (1936, 7744)
    """
    return (z_of(level) / half_width) ** 2 * rate * (1 - rate)


@dataclass(frozen=True)
class InClusters:
    """Items that come in clusters, and how many clusters hold them."""

    n_items: int
    n_clusters: int


def n_clustered(n_independent: float, m: float, rho: float) -> InClusters:
    """How many items in clusters of m are worth this many independent ones? Times 1 + (m − 1)ρ.

    rho : the intraclass correlation of what is averaged (for paired runs of the differences); one below 0
    counts as 0. Raises InputError for m below 1 and rho above 1. Source: Kish 1965, Survey Sampling, §5.4.

    >>> n_clustered(783, 5, 0.2)
    InClusters(n_items=1410, n_clusters=282)
    """
    if not (n_independent > 0 and 1 <= m < math.inf):
        raise InputError(f"n_independent={n_independent!r} and m={m!r} must be 1 or more: they count items.")
    if not -1 <= rho <= 1:
        raise InputError(f"rho={rho!r} is no correlation: give one from 0 to 1.")
    items = _rounded_up(n_independent * design_effect(m, max(rho, 0.0)))
    return InClusters(items, math.ceil(items / m))


def mde_paired(n: int, discordant_rate: float, *, alpha: float = 0.05, power: float = 0.80) -> float:
    """Which is the smallest true difference of pass rates that n paired items would show?

    discordant_rate : ψ, the share of items on which the runs disagree. The root in δ ≤ ψ of the McNemar
    formula; without one the smallest δ with ψ = δ, every changed item changing the same way. nan where no
    difference would be shown, under about four items.

    >>> round(mde_paired(4000, 0.2), 3)
    0.02
    """
    return smallest_paired_difference(n, discordant_rate, alpha=alpha, power=power).value


def smallest_paired_difference(
    n: int, discordant_rate: float, *, alpha: float = 0.05, power: float = 0.80
) -> SmallestShown:
    """`mde_paired` with what it rests on.

    >>> smallest_paired_difference(100, 0.01).note
    'if every changed item changes the same way'
    """
    n, psi = check_sample_size(n), check_rate(discordant_rate, "discordant_rate")
    z_alpha, z_power = _quantiles(alpha, power)

    def excess(delta: float, psi: float) -> float:
        """Grows with delta: √n·δ less what the formula asks for."""
        return math.sqrt(n) * delta - z_alpha * math.sqrt(psi) - z_power * math.sqrt(psi - delta**2)

    if psi > 0 and excess(psi, psi) >= 0:
        return SmallestShown(bisect(lambda delta: excess(delta, psi), 0.0, psi))
    if excess(1.0, 1.0) < 0:
        return SmallestShown(math.nan, f"{n} items show no difference, however large")
    value = bisect(lambda delta: excess(delta, delta), 0.0, 1.0)
    return SmallestShown(value, "if every changed item changes the same way")


def mde_from_standard_error(standard_error: float, *, alpha: float = 0.05, power: float = 0.80) -> float:
    """Which is the smallest true difference an estimate with this standard error would show? About 2.8 of it.

    (z_{1−α/2} + z_power) times the standard error, in its unit; nan where that is not known.

    >>> round(mde_from_standard_error(1.0), 4)
    2.8016
    """
    return _factor(alpha, power) * standard_error


def planned_discordant_rate(n_discordant: int, n: int) -> float:
    """The share of changing items to plan with: the one seen, or with fewer than 10 (b+c+1)/(n+2).

    >>> planned_discordant_rate(95, 500), planned_discordant_rate(0, 98)
    (0.19, 0.01)
    """
    return n_discordant / n if n_discordant >= FEW else (n_discordant + 1) / (n + 2)


def noninferiority_power(
    n: ArrayLike, psi: float, delta: float, margin: float, alpha: float = 0.05
) -> NDArray[np.float64]:
    """With which probability does Tango's interval lie above −margin, true difference delta? Of each n.

    n : whole numbers, any shape. Exact: the sum over (b, c) ~ Multinomial(n; (ψ+δ)/2, (ψ−δ)/2, 1−ψ) of the
    rule z(−M) > z_{1−α/2}, α = 1 − level of the two-sided interval.

    >>> noninferiority_power([500], 0.19, 0.0, 0.01).round(2).tolist()
    [0.07]
    """
    n = np.asarray(n, dtype=np.float64)
    items, z = n.reshape(-1, 1), normal_quantile(1 - alpha / 2)
    m, weights = discordant_numbers(items, psi)
    least = fewest_wins(m, lambda won: tango_statistics(m - won, won, items, -margin) > z)
    passed = weights * chance_of_at_least(least, m, share_won(psi, delta))
    return np.asarray(passed.sum(axis=1).reshape(n.shape))


def required_n_margin(margin: float, psi: float, alpha: float = 0.05, power: float = 0.80) -> int:
    """How many items let an unchanged candidate pass a margin with this probability?

    The smallest n with `noninferiority_power` ≥ power at delta = 0 that holds for the next 50 n too,
    never below ⌈z²(1−M)/M⌉, under which not even a run without a change passes. Over a million items
    (z_{1−α/2} + z_power)²ψ/M², which is then the same to four digits. Raises InputError for margin ≥ 1.

    >>> required_n_margin(0.03, 0.19)
    1669
    """
    margin, psi, power = check_margin(margin), check_rate(psi, "psi"), check_alpha(power, "power")
    if margin >= 1:
        raise InputError(f"margin={margin:g} of a pass rate lets everything pass: 0.01 is one point.")
    normal = _rounded_up((_factor(alpha, power) / margin) ** 2 * psi)
    least = math.ceil(normal_quantile(1 - alpha / 2) ** 2 * (1 - margin) / margin)
    if max(normal, least) > _MOST_ITEMS_SUMMED:
        return max(normal, least)

    def reached(n: NDArray[np.int64]) -> NDArray[np.bool_]:
        return noninferiority_power(n, psi, 0.0, margin, alpha) >= power

    return smallest_size(reached, least, normal)


def _quantiles(alpha: float, power: float) -> tuple[float, float]:
    alpha, power = check_alpha(alpha), check_alpha(power, "power")
    if power <= alpha:
        raise InputError(f"power={power:g} must be more than alpha={alpha:g}: .80 is usual.")
    return normal_quantile(1 - alpha / 2), normal_quantile(power)


def _factor(alpha: float, power: float) -> float:
    return sum(_quantiles(alpha, power))


def _check_delta(delta: float) -> float:
    if not math.isfinite(delta) or delta == 0:
        raise InputError(
            f"delta={delta!r}: no number of items shows that nothing differs. Give a difference."
        )
    return float(delta)


def _rounded_up(n: float) -> int:
    return math.ceil(n * (1 - 1e-12))
