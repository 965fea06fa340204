"""How many items a plan takes, and what a number of items can decide: a law for each situation.

A law speaks of independent items, n of one run, whose completions are already averaged. `ItemsInClusters`
says how many items in clusters an independent one is worth.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from evalstats.methods.clusters import design_effect
from evalstats.numeric import bisect, normal_cdf, normal_quantile, t_of, z_of
from evalstats.subjects import power
from evalstats.subjects.gate_power import Means, Pairs
from evalstats.subjects.power import SmallestShown

_EXACT_UP_TO = 10**6  # items; over it the normal formula says the same to three digits


@dataclass(frozen=True)
class Certainty:
    """level : of the two-sided interval, α = 1 − level. power : chance of showing an effect, of passing."""

    level: float = 0.95
    power: float = 0.80

    @property
    def alpha(self) -> float:
        return round(1 - self.level, 12)

    @property
    def factor(self) -> float:
        """z_{1−α/2} + z_power."""
        return power.mde_from_standard_error(1.0, alpha=self.alpha, power=self.power)


@dataclass(frozen=True)
class Needed:
    """Independent items that reach a target by one formula; None where none do.

    reached : the power, or the chance to pass, that an exact rule has with so many; None where none is known.
    """

    method: str
    n: int | None
    reached: float | None = None


@dataclass(frozen=True)
class ItemsInClusters:
    """size : Σm²/n, of the cluster an item is in. mean : items a cluster. icc : of what is averaged."""

    size: float = 1.0
    mean: float = 1.0
    icc: float = 0.0

    @property
    def effect(self) -> float:
        """1 + (m − 1)ρ; a correlation below 0 counts as 0."""
        return design_effect(self.size, max(self.icc, 0.0))

    def items(self, independent: int) -> int:
        """Items that are worth so many independent ones."""
        return power.n_clustered(independent, self.size, max(self.icc, 0.0)).n_items

    def clusters(self, items: int) -> int | None:
        """Clusters that hold so many items; None where each item is by itself."""
        return math.ceil(items / self.mean * (1 - 1e-12)) if self.mean > 1 else None


def remaining(variance: float, within: float, completions: float) -> float:
    """What is left of a variance when an item is the mean of K completions: v − σ²(1 − 1/K).

    variance : with one completion. within : σ², of one completion around its item's mean (Miller 2024, §5).

    >>> round(remaining(0.25, 0.1, 4), 3)
    0.175
    """
    return variance - within * (1 - 1 / completions)


class Law(Protocol):
    """What n independent items show of a difference of two runs."""

    def for_effect(self, effect: float, asked: Certainty) -> list[Needed]:
        """Items that show a true difference, by each formula."""

    def for_margin(self, margin: float, asked: Certainty) -> list[Needed]:
        """Items with which an unchanged candidate passes a margin."""

    def power(self, n: float, effect: float, asked: Certainty) -> float | None:
        """The chance that n items show a true difference; None where it is not known."""

    def smallest(self, n: float, asked: Certainty) -> SmallestShown:
        """The smallest true difference that n items show."""

    def gate(self, n: float, items: int) -> Pairs | Means | None:
        """What a gate with a margin rests on; None where nothing varies. items : that the n stand for."""


@dataclass(frozen=True)
class PairedRates:
    """Two runs on the same items, each right or wrong once. psi : the share of items that change."""

    psi: float

    def for_effect(self, effect: float, asked: Certainty) -> list[Needed]:
        """The normal formula with the power of McNemar's exact test there; what that test itself needs."""
        if effect > self.psi:
            return [Needed("mcnemar_normal", None), Needed("mcnemar_exact", None)]
        wanted = (effect, self.psi, asked.alpha, asked.power)
        counts = power.required_n_mcnemar(*wanted), power.required_n_mcnemar_exact(*wanted)
        reached = [self.power(n, effect, asked) for n in counts]
        return [
            Needed("mcnemar_normal", counts[0], reached[0]),
            Needed("mcnemar_exact", counts[1], reached[1]),
        ]

    def for_margin(self, margin: float, asked: Certainty) -> list[Needed]:
        """(z_{1−α/2} + z_power)²ψ/M² with the exact chance there; what Tango's interval needs exactly."""
        normal = _up(asked.factor**2 * self.psi / margin**2) or None
        exact = power.required_n_margin(margin, self.psi, asked.alpha, asked.power)
        return [
            Needed("normal", normal, self._passes(normal, margin, asked)),
            Needed("tango_exact", exact, self._passes(exact, margin, asked)),
        ]

    def _passes(self, n: int | None, margin: float, asked: Certainty) -> float | None:
        if n is None or n > _EXACT_UP_TO:
            return None
        return float(power.noninferiority_power([n], self.psi, 0.0, margin, asked.alpha)[0])

    def power(self, n: float, effect: float, asked: Certainty) -> float | None:
        """Of McNemar's exact test."""
        items = max(1, round(n))
        if effect > self.psi or items > _EXACT_UP_TO:
            return None
        return power.mcnemar_power(items, self.psi, effect, asked.alpha)

    def smallest(self, n: float, asked: Certainty) -> SmallestShown:
        """By the McNemar formula."""
        items = max(1, round(n))
        return power.smallest_paired_difference(items, self.psi, alpha=asked.alpha, power=asked.power)

    def gate(self, n: float, items: int) -> Pairs | Means | None:
        return Pairs(n, self.psi, items)


@dataclass(frozen=True)
class MeanDifference:
    """Two runs' mean scores. variance : of an item's difference; on different items of an item's score.

    runs : 1 if paired, 2 on different items, whose variances add up. raw : the variance is a mean square, of
    which δ² is taken off where the true difference is δ.
    """

    variance: float
    runs: int = 1
    raw: bool = False

    def _sd(self, delta: float) -> float | None:
        left = self.variance - delta**2 if self.raw else self.variance
        return math.sqrt(left) if left > 0 else None

    def for_effect(self, effect: float, asked: Certainty) -> list[Needed]:
        """The normal formula with the power of the t test there, and what that test itself needs."""
        return self._needed(effect, self._sd(effect), asked)

    def for_margin(self, margin: float, asked: Certainty) -> list[Needed]:
        """As for an effect: at no change the lower limit must lie above −M, as above 0 at an effect of M."""
        return self._needed(margin, self._sd(0.0), asked)

    def _needed(self, size: float, sd: float | None, asked: Certainty) -> list[Needed]:
        if sd is None:
            return [Needed("normal", None), Needed("t", None)]
        normal = _up(self.runs * (asked.factor * sd / size) ** 2)
        t = _up(power.mean_items_t(size, sd, asked.alpha, asked.power, runs=self.runs))
        found = (("normal", max(normal, 1)), ("t", t))
        return [Needed(method, n, self._t_power(n, size, sd, asked)) for method, n in found]

    def _t_power(self, n: float, size: float, sd: float | None, asked: Certainty) -> float | None:
        if n < 2 or sd is None:
            return None
        return power.mean_power(n, size, sd, asked.alpha, runs=self.runs)

    def power(self, n: float, effect: float, asked: Certainty) -> float | None:
        """Of the t test."""
        return self._t_power(n, effect, self._sd(effect), asked)

    def smallest(self, n: float, asked: Certainty) -> SmallestShown:
        """δ = (z_{1−α/2} + z_power)·√(v/n), v less δ² where it is a mean square."""
        items = n + asked.factor**2 if self.raw else n
        return SmallestShown(asked.factor * math.sqrt(self.runs * self.variance / items))

    def gate(self, n: float, items: int) -> Pairs | Means | None:
        df = self.runs * (n - 1) if n > 1 else None
        return Means(math.sqrt(self.runs * self.variance / n), items, df) if self.variance > 0 else None


@dataclass(frozen=True)
class UnpairedRates:
    """Two runs on different items, each right or wrong. rate : of the run that is worse."""

    rate: float

    def for_effect(self, effect: float, asked: Certainty) -> list[Needed]:
        """(z√(2p̄q̄) + z_power√(p₁q₁ + p₂q₂))²/δ² a run."""
        if self.rate + effect > 1:
            return [Needed("normal", None)]
        return [
            Needed(
                "normal", power.required_n_unpaired(self.rate, self.rate + effect, asked.alpha, asked.power)
            )
        ]

    def for_margin(self, margin: float, asked: Certainty) -> list[Needed]:
        """(z_{1−α/2} + z_power)²·2pq/M² a run."""
        n = _up(asked.factor**2 * 2 * self._variance / margin**2)
        return [Needed("normal", n or None)]

    @property
    def _variance(self) -> float:
        return self.rate * (1 - self.rate)

    def power(self, n: float, effect: float, asked: Certainty) -> float | None:
        """Of the pooled z test, by the normal approximation."""
        p1, p2 = self.rate, self.rate + effect
        if p2 > 1:
            return None
        mean = (p1 + p2) / 2
        apart, pooled = p1 * (1 - p1) + p2 * (1 - p2), 2 * mean * (1 - mean)
        z = effect * math.sqrt(n) - normal_quantile(1 - asked.alpha / 2) * math.sqrt(pooled)
        return normal_cdf(z / math.sqrt(apart)) if apart > 0 else 1.0

    def smallest(self, n: float, asked: Certainty) -> SmallestShown:
        """Where the formula's n is this one."""

        def excess(effect: float) -> float:
            found = self.power(n, min(effect, 1 - self.rate), asked)
            return (found or 0.0) - asked.power

        if self.rate == 1 or excess(1 - self.rate) < 0:
            return SmallestShown(math.nan, "no difference that the rate leaves room for")
        return SmallestShown(bisect(excess, 0.0, 1 - self.rate))

    def gate(self, n: float, items: int) -> Pairs | Means | None:
        return Means(math.sqrt(2 * self._variance / n), items) if self._variance > 0 else None


class Spread(Protocol):
    """What n independent items tell of one run: half of its interval's width."""

    def for_half_width(self, half_width: float, level: float) -> list[Needed]:
        """Items whose interval is so narrow, by each formula."""

    def half_width(self, n: float, level: float) -> float:
        """Of the interval of n items; nan where there is none."""


@dataclass(frozen=True)
class OneRate:
    """One run, right or wrong. rate : expected. share : of its variance that completions leave."""

    rate: float
    share: float = 1.0

    def for_half_width(self, half_width: float, level: float) -> list[Needed]:
        """z²p(1−p)/W², and Wilson's own width."""
        normal = _up(self.share * power.rate_items_normal(self.rate, half_width, level))
        wilson = _up(self.share * power.required_n_rate(self.rate, half_width, level))
        return [Needed("normal", normal if 0 < self.rate < 1 else None), Needed("wilson", max(wilson, 1))]

    def half_width(self, n: float, level: float) -> float:
        """Wilson's."""
        return power.wilson_half_width(self.rate, n / self.share, z_of(level))


@dataclass(frozen=True)
class OneMean:
    """One run's mean score. variance : of an item's score."""

    variance: float

    def for_half_width(self, half_width: float, level: float) -> list[Needed]:
        """z²s²/W², and Student's t."""
        normal = _up(self.variance * (z_of(level) / half_width) ** 2)
        return [Needed("normal", max(normal, 1)), Needed("t", self._t_items(half_width, level, normal))]

    def _t_items(self, half_width: float, level: float, normal: int) -> int:
        n = max(2, normal)
        while self.half_width(n, level) > half_width:
            n += 1
        return n

    def half_width(self, n: float, level: float) -> float:
        """t_{n−1}·s/√n."""
        return t_of(level, n - 1) * math.sqrt(self.variance / n) if n > 1 else math.nan


def _up(n: float) -> int:
    return math.ceil(n * (1 - 1e-12))
