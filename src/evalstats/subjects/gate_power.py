"""What a gate does before it has seen anything: how often it passes and fails an unchanged candidate.

A gate passes when the lower limit of the difference lies above −margin; otherwise it fails when the
candidate has regressed; otherwise it is inconclusive.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from evalstats.errors import InputError
from evalstats.methods.margins import least_discordant_units
from evalstats.methods.mcnemar import critical_counts
from evalstats.methods.paired import tango_statistics
from evalstats.numeric import bisect, normal_quantile, z_of
from evalstats.subjects.pair_sums import (
    chance_of_at_least,
    discordant_numbers,
    fewest_wins,
    share_won,
    smallest_size,
)

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
POWER = 0.80  # P(pass | no change) that a gate should have
_MOST_ITEMS_SUMMED = 200_000
_WIDEST_LOG = 64.0
_HALVINGS = 14  # a margin to a hundredth of a point of accuracy
_POINTS = 256


@dataclass(frozen=True)
class Chances:
    """P(pass) and P(fail); what is left is inconclusive."""

    passes: float
    fails: float


@dataclass(frozen=True)
class GateRule:
    """How a gate decides. margin : None where it can only fail.

    df : None for z; else Student's quantiles stand in its place. reject_alpha : a regression fails only if
    its p reaches this too (in a family: α/m, where Holm begins). guarantee : the outer limits of Tango and
    Bonett–Price, and the exact p; what the guarantee adds beyond .8 n discordant items is left out.
    """

    margin: float | None
    level: float = 0.95
    df: float | None = None
    reject_alpha: float | None = None
    guarantee: bool = False

    @property
    def critical(self) -> float:
        return float(_quantile(1 - self.level, self.df))

    @property
    def critical_regression(self) -> float:
        """What a regression's statistic must exceed, its corrected p included."""
        alpha = 1 - self.level if self.reject_alpha is None else min(1 - self.level, self.reject_alpha)
        return float(_quantile(alpha, self.df))


def _quantile(alpha: float, df: ArrayLike | None) -> Array:
    """Two-sided, of the normal without df."""
    if df is None:
        return np.asarray(special.ndtri(1 - alpha / 2))
    return np.asarray(special.stdtrit(df, 1 - alpha / 2))


def discordant_rate_for_gate(n_discordant: float, n: float) -> float:
    """ψ that a gate's figures stand on when no plan names one: (b+c+1)/(n+2)."""
    return (n_discordant + 1) / (n + 2)


def pair_chances(n: float, psi: float, delta: float, rule: GateRule) -> Chances:
    """P(pass) and P(fail) for n pass/fail pairs, psi of them changing, true difference delta.

    Exact: sums over (b, c) ~ Multinomial(n; (ψ+δ)/2, (ψ−δ)/2, 1−ψ) of the rule by z(−M) and z(0). n may be
    an effective number, which is rounded; then rule.df is that of its variance. |delta| ≤ psi.

    >>> chances = pair_chances(500, 0.19, 0.0, GateRule(0.01))
    >>> round(chances.passes, 3), round(chances.fails, 3)
    (0.074, 0.025)
    """
    items = np.array([[max(round(n), 1.0)]])
    m, weights = discordant_numbers(items, psi)
    share = share_won(psi, delta)
    least = _least_passing(m, items, rule, rule.critical)
    most = np.minimum(_most_regressed(m, items, rule), least - 1)
    passes = weights * chance_of_at_least(least, m, share)
    return _chances(np.sum(passes), np.sum(weights * chance_of_at_least(m - most, m, 1 - share)))


def _chances(passes: float, fails: float) -> Chances:
    """Without what rounding adds to 1."""
    return Chances(min(float(passes), 1.0), min(float(fails), 1.0 - min(float(passes), 1.0)))


@functools.lru_cache(maxsize=256)  # a comparison and its gate ask the same
def pairs_needed(psi: float, rule: GateRule, at: float = 1.0, power: float = POWER) -> int:
    """The smallest number of pairs with which an unchanged candidate passes this often.

    It holds for the next 50 too, and is never below ⌈z²(1−M)/M⌉. at : the number of pairs that rule.df
    belongs to; the degrees of freedom grow with the pairs. Over 200,000 (z_{1−α/2} + z_power)²ψ/M², which is
    the same to three digits.

    >>> pairs_needed(0.19, GateRule(0.03)), pairs_needed(0.0, GateRule(0.03))
    (1669, 125)
    """
    margin = _margin_of(rule)
    normal = math.ceil(((z_of(rule.level) + normal_quantile(power)) / margin) ** 2 * psi)
    least = math.ceil(z_of(rule.level) ** 2 * (1 - margin) / margin)
    if max(normal, least) > _MOST_ITEMS_SUMMED:
        return max(normal, least)

    def reached(n: NDArray[np.int64]) -> Flags:
        items = n.reshape(-1, 1).astype(np.float64)
        m, weights = discordant_numbers(items, psi)
        critical = _quantile(1 - rule.level, None if rule.df is None else rule.df * items / at)
        passes = weights * chance_of_at_least(_least_passing(m, items, rule, critical), m, 0.5)
        return np.asarray(passes.sum(axis=1) >= power)

    return smallest_size(reached, least, normal)


def _least_passing(m: Array, n: Array, rule: GateRule, critical: float | Array) -> Array:
    """For each number m of discordant items, the fewest won ones that pass; m + 1 if none do."""
    if rule.margin is None:
        return m + 1
    margin, t = rule.margin, _adjusted_critical(n, rule)

    def passed(won: Array) -> Flags:
        inside = tango_statistics(m - won, won, n, -margin) > critical
        return inside & (_adjusted_limit(won, m, n, -t) > -margin) if rule.guarantee else inside

    return fewest_wins(m, passed, (m + np.sqrt(m) * critical - n * margin) / 2)


def _most_regressed(m: Array, n: Array, rule: GateRule) -> Array:
    """For each m, the most won items with which the candidate has regressed; −1 if none."""
    t, z = _adjusted_critical(n, rule), rule.critical if rule.df is None else rule.critical_regression

    def unsettled(won: Array) -> Flags:
        regressed = tango_statistics(m - won, won, n, 0.0) < -z
        if rule.guarantee:
            regressed &= _adjusted_limit(won, m, n, t) < 0
        return np.asarray(~regressed)

    most = fewest_wins(m, unsettled) - 1
    if rule.df is not None:
        return most
    most = np.where(m >= least_discordant_units(rule.level), most, -1.0)
    for alpha, test in _exact_tests(rule):
        most = np.minimum(most, critical_counts(m, alpha, test))
    return most


def _exact_tests(rule: GateRule) -> list[tuple[float, str]]:
    """McNemar's tests that must be lit for a regression, each at its α."""
    tests = [(1 - rule.level, "exact")] if rule.guarantee else []
    if rule.reject_alpha is not None:
        tests.append((rule.reject_alpha, "exact" if rule.guarantee else "mid_p"))
    return tests


def _adjusted_critical(n: Array, rule: GateRule) -> Array:
    """t(n−1), Bonett–Price's quantile under guarantee."""
    return np.asarray(special.stdtrit(np.maximum(n - 1, 1.0), 1 - (1 - rule.level) / 2))


def _adjusted_limit(won: Array, m: Array, n: Array, t: Array) -> Array:
    """Bonett–Price's limit: D̃ + t√(((m + 2)/(n + 2) − D̃²)/(n + 2))."""
    D = (2 * won - m) / (n + 2)
    return D + t * np.sqrt(((m + 2) / (n + 2) - D**2) / (n + 2))


def mean_chances(standard_error: float, delta: float, rule: GateRule) -> Chances:
    """P(pass) and P(fail) for a difference of means with this standard error and rule.df degrees of freedom.

    P(pass) is noncentral t's tail at (M+δ)/se. Both are integrals over the standard error that will be
    seen, s² ~ se²χ²_ν/ν: pass is D̂ > ts − M, fail is D̂ < −ts that does not pass.

    >>> chances = mean_chances(0.02, 0.0, GateRule(0.05, df=99.0))
    >>> round(chances.passes, 3), round(chances.fails, 3)
    (0.697, 0.025)
    """
    margin = -math.inf if rule.margin is None else rule.margin
    t, t_regression = rule.critical, rule.critical_regression
    kink = max(margin, 0.0) / (t + t_regression)  # the s at which the two bounds of a failing D̂ cross

    def passes(s: Array) -> Array:
        return np.asarray(special.ndtr((delta + margin - t * s) / standard_error))

    def fails(s: Array) -> Array:
        most = np.minimum(-t_regression * s, t * s - margin)
        return np.asarray(special.ndtr((most - delta) / standard_error))

    expected = _expectation_over(standard_error, rule.df, kink)
    return _chances(expected(passes), expected(fails))


def growth_needed(standard_error: float, rule: GateRule, power: float = POWER) -> float:
    """By which factor must the items grow for an unchanged candidate to pass this often? For means.

    The variance falls and the degrees of freedom rise in proportion. Below 1 where there are enough.
    """

    def excess(log_growth: float) -> float:
        growth = math.exp(log_growth)
        df = None if rule.df is None else rule.df * growth
        return mean_chances(standard_error / math.sqrt(growth), 0.0, replace(rule, df=df)).passes - power

    _margin_of(rule)
    low, high = -1.0, 1.0
    while excess(low) > 0 and low > -_WIDEST_LOG:
        low *= 2
    while excess(high) < 0 and high < _WIDEST_LOG:
        high *= 2
    return math.exp(bisect(excess, low, high))


def margin_needed(passes: Callable[[float], float], widest: float, power: float = POWER) -> float | None:
    """The smallest margin with which an unchanged candidate passes this often; None up to `widest`.

    passes : P(pass | no change) of a margin; it may rise in steps.
    """
    if passes(widest) < power:
        return None
    low, high = 0.0, widest
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if passes(middle) >= power else (middle, high)
    return high


@dataclass(frozen=True)
class Pairs:
    """A law to plan with: n pass/fail pairs, psi of them changing if nothing has changed.

    n : real and with df where it is an effective number. items : that they stand for.
    guarantee : see GateRule.
    """

    n: float
    psi: float
    items: int
    df: float | None = None
    guarantee: bool = False

    def chances(self, rule: GateRule, worse_by: float = 0.0) -> Chances:
        """At no change, or for a candidate that is worse; then at least that share of the items changes."""
        own = replace(rule, df=self.df, guarantee=self.guarantee)
        return pair_chances(self.n, max(self.psi, worse_by), -worse_by, own)

    def items_needed(self, rule: GateRule, power: float = POWER) -> int:
        """Items with which an unchanged candidate passes this often."""
        own = replace(rule, df=self.df, guarantee=self.guarantee)
        pairs = pairs_needed(self.psi, own, self.n, power)
        return pairs if self.df is None else math.ceil(self.items * pairs / self.n)


@dataclass(frozen=True)
class Means:
    """A law to plan with: a difference of means with its standard error, and degrees of freedom or None."""

    standard_error: float
    items: int
    df: float | None = None

    def chances(self, rule: GateRule, worse_by: float = 0.0) -> Chances:
        """At no change, or for a candidate that is worse."""
        return mean_chances(self.standard_error, -worse_by, replace(rule, df=self.df))

    def items_needed(self, rule: GateRule, power: float = POWER) -> int:
        """Items with which an unchanged candidate passes this often."""
        own = replace(rule, df=self.df)
        return math.ceil(self.items * growth_needed(self.standard_error, own, power) * (1 - 1e-9))


def _margin_of(rule: GateRule) -> float:
    if rule.margin is None:
        raise InputError("without a margin no number of items makes a gate: give margin=.")
    return rule.margin


@functools.cache
def _gauss_legendre() -> tuple[Array, Array]:
    """Nodes in [−1, 1] and their weights, found when first used: a start-up budget."""
    nodes, weights = np.polynomial.legendre.leggauss(_POINTS)
    return nodes, weights


def _expectation_over(
    standard_error: float, df: float | None, kink: float
) -> Callable[[Callable[[Array], Array]], float]:
    """E f(s) for s² ~ se²χ²_ν/ν, by Gauss–Legendre on either side of a kink of f."""
    if df is None:
        return lambda f: float(f(np.array([standard_error]))[0])
    at_kink = float(special.chdtr(df, df * (kink / standard_error) ** 2))
    nodes, shares = _gauss_legendre()
    u = np.concatenate([at_kink * (nodes + 1) / 2, at_kink + (1 - at_kink) * (nodes + 1) / 2])
    weights = np.concatenate([at_kink * shares / 2, (1 - at_kink) * shares / 2])
    s = standard_error * np.sqrt(special.chdtri(df, 1 - u) / df)
    return lambda f: float(np.sum(weights * f(s)))
