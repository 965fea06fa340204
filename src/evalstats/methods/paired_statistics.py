"""Two runs on the same items by a statistic that is no mean: a median, a quantile, a ratio of two metrics.

Items (or clusters) are resampled with all their numbers together. The difference is candidate − baseline; it
is drawn in one canonical direction and mirrored for the other.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.errors import InputError, PairingError
from evalstats.kernel.arrays import Codes, check_labels, check_scores
from evalstats.kernel.check import check_alpha
from evalstats.kernel.limits import Interval, NoInterval, held
from evalstats.kernel.method import MethodTable
from evalstats.kernel.order import WeightedQuantile
from evalstats.kernel.resampled import DEFAULT_N_BOOT
from evalstats.kernel.reweighted import Reweighted
from evalstats.kernel.weighted import weighted_sums
from evalstats.methods.assembled import assembled
from evalstats.methods.clusters import check_two
from evalstats.methods.drawn_intervals import (
    FEWEST_UNITS,
    chosen_by_units,
    few_units_caveat,
    interval_of_values,
    value_methods,
)
from evalstats.methods.items import Request
from evalstats.methods.paired_intervals import mirrored
from evalstats.methods.ratios import check_denominator
from evalstats.methods.resampling import ByWeights, resampled
from evalstats.results import Estimate

Array = NDArray[np.float64]
OfRows = Callable[[Array], Callable[[Array], Array]]


@dataclass(frozen=True)
class PairedStatistic:
    """of_rows : rows (r, c) of one run -> weights (B, r) -> (B,) values of its statistic.

    baseline, candidate : (n, c) numbers of each item. cluster : (n,) codes, or None.
    """

    of_rows: OfRows
    baseline: Array
    candidate: Array
    cluster: Codes | None

    @property
    def k(self) -> int:
        return len(self.baseline) if self.cluster is None else int(self.cluster.max()) + 1

    @property
    def n_discordant_units(self) -> int:
        """Units in which something differs between the runs."""
        differ = np.any(self.baseline != self.candidate, axis=1)
        codes = np.arange(len(differ)) if self.cluster is None else self.cluster
        return int(np.count_nonzero(np.bincount(codes, weights=differ)))

    def swapped(self) -> PairedStatistic:
        return dataclasses.replace(self, baseline=self.candidate, candidate=self.baseline)

    def values(self) -> ByWeights:
        """The difference as a function of rows and weights."""
        columns = self.baseline.shape[1]
        rows = Reweighted.of(np.hstack([self.baseline, self.candidate]), self.cluster)
        old, new = self.of_rows(rows.rows[:, :columns]), self.of_rows(rows.rows[:, columns:])
        return ByWeights(rows, lambda _, weights: new(weights) - old(weights))

    def sides(self) -> tuple[float, float]:
        """The statistic of either run."""
        weights = np.ones((1, len(self.baseline)))
        old, new = (float(self.of_rows(rows)(weights)[0]) for rows in (self.baseline, self.candidate))
        return old, new

    def direction(self) -> int:
        """+1 to be drawn as it stands, −1 to be drawn with the runs swapped, 0 where they are alike."""
        old, new = self.sides()
        if old != new:
            return 1 if new > old else -1
        ours, theirs = (
            np.hstack(pair) for pair in ((self.baseline, self.candidate), (self.candidate, self.baseline))
        )
        one, two = (rows[np.lexsort(rows.T[::-1])] for rows in (ours, theirs))
        differ = np.flatnonzero(one.ravel() != two.ravel())
        if len(differ) == 0:
            return 0
        return 1 if one.ravel()[differ[0]] > two.ravel()[differ[0]] else -1


def quantile_difference(
    baseline: Any,
    candidate: Any,
    q: float = 0.5,
    cluster: Any = None,
    *,
    level: float = 0.95,
    method: str | None = None,
    name: str = "difference",
    n_boot: int | None = None,
    seed: int = 0,
) -> Estimate:
    """Did the typical cost, latency or score change? The candidate's median (quantile) less the baseline's.

    baseline, candidate : (n,) numbers of the same items in the same order. q : 0 < q < 1. cluster : (n,)
    labels. It is the difference of two quantiles, not the quantile of the differences. method : by default
    a bootstrap of items with both numbers, percentile with 50 units and more, BCa with fewer; 10,000
    resamples unless n_boot says otherwise. No interval under 10 units. Swapping the runs mirrors the digits.
    Raises PairingError for runs of different length, MethodError for one cluster.
    Source: Efron & Tibshirani 1993, An Introduction to the Bootstrap, §8.3.

    >>> old = [3.1, 4.7, 2.2, 8.9, 5.5, 6.1, 3.3, 12.4, 4.4, 5.0, 7.7, 2.9] * 5
    >>> new = [1.1 * x + 0.2 * (i % 7) for i, x in enumerate(old)]
    >>> print(quantile_difference(old, new, name="median"))
    median 1.085 [0.62, 1.41] 95% paired_bootstrap_percentile n=60
    """
    x, y = check_scores(baseline, "baseline"), check_scores(candidate, "candidate")
    q = check_alpha(q, "q")
    codes = _checked_pair(len(x), len(y), cluster)
    request = Request(level, method, name=name, n_boot=n_boot, seed=seed)
    return paired_statistic(PairedStatistic(quantile_of_rows(q), x[:, None], y[:, None], codes), request)


def ratio_difference(
    baseline: tuple[Any, Any],
    candidate: tuple[Any, Any],
    cluster: Any = None,
    *,
    level: float = 0.95,
    method: str | None = None,
    name: str = "difference",
    n_boot: int | None = None,
    seed: int = 0,
) -> Estimate:
    """Did a solved item become cheaper? The candidate's ratio of sums less the baseline's, on the same items.

    baseline, candidate : (numerator, denominator), each (n,) of the same items in the same order. The rest
    as in `quantile_difference`. Raises InputError for a denominator below 0 or 0 throughout.
    Source: Efron & Tibshirani 1993, An Introduction to the Bootstrap, §8.3.

    >>> cost, solved = [0.8, 1.2, 0.5, 2.1, 0.9, 1.1] * 10, [1, 1, 0, 1, 0, 1] * 10
    >>> print(ratio_difference((cost, solved), ([0.9 * x for x in cost], solved)))
    difference -0.165 [-0.1939, -0.1438] 95% paired_bootstrap_percentile n=60
    """
    old, new = (_two_columns(run, role) for run, role in ((baseline, "baseline"), (candidate, "candidate")))
    codes = _checked_pair(len(old), len(new), cluster)
    request = Request(level, method, name=name, n_boot=n_boot, seed=seed)
    return paired_statistic(PairedStatistic(ratio_of_rows, old, new, codes), request)


def paired_statistic(pair: PairedStatistic, request: Request) -> Estimate:
    """The difference for numbers that are side by side: what the analyses call."""
    table = CLUSTERED if pair.cluster is not None else ITEMS
    if pair.cluster is not None:
        check_two(pair.k, len(pair.baseline))
    chosen, why = chosen_by_units(table, request.method, pair.k, pair.n_discordant_units)
    request.refuse_unused(chosen.name, clustered=False)
    old, new = pair.sides()
    D, n_boot = new - old, request.n_boot or DEFAULT_N_BOOT

    def find() -> Interval:
        return _interval(pair, chosen.function, request, n_boot)

    limits = held(find, D, (-math.inf, math.inf), chosen.name)
    about = {
        **({"n_clusters": pair.k} if pair.cluster is not None else {}),
        "view": "random_items",
        "n_discordant_units": pair.n_discordant_units,
        "why": why,
        "unit": "score",
    }
    said = few_units_caveat(chosen.name, pair.k, pair.n_discordant_units)
    v = limits.extra.get("boot_se", 0.0) ** 2
    return assembled(request, chosen, len(pair.baseline), D, limits, v, about, said)


def _interval(pair: PairedStatistic, kind: Any, request: Request, n_boot: int) -> Interval:
    if pair.k < FEWEST_UNITS:
        raise NoInterval(f"under {FEWEST_UNITS} units no bootstrap interval keeps its level")
    sign = pair.direction()
    drawn = pair.swapped() if sign < 0 else pair
    by_weights = drawn.values()
    old, new = drawn.sides()
    values = resampled(by_weights, n_boot, request.seed)
    if sign == 0:
        values = np.concatenate([values, -values])  # the runs are alike, and so is the law either way
        values.sort()
    found = interval_of_values(kind, values, new - old, request.level, by_weights.without_one)
    known = values[: np.searchsorted(values, np.nan)]
    extra = {"law": "monte_carlo", "boot_se": float(np.std(known)), "boot_mean": float(np.mean(known))}
    said = dataclasses.replace(found, extra={**extra, **found.extra}, n_boot=n_boot)
    return mirrored(said) if sign < 0 else said


def quantile_of_rows(q: float) -> OfRows:
    """The quantile of (r, 1) rows, as `quantile` defines it."""

    return lambda rows: WeightedQuantile(rows[:, 0], q)


def ratio_of_rows(rows: Array) -> Callable[[Array], Array]:
    """Σx/Σy of (r, 2) rows."""

    def ratios(weights: Array) -> Array:
        sums = weighted_sums(rows, weights)
        return np.asarray(sums[:, 0] / sums[:, 1])

    return ratios


def _checked_pair(n_baseline: int, n_candidate: int, cluster: Any) -> Codes | None:
    if n_baseline != n_candidate:
        raise PairingError(
            f"baseline has {n_baseline} items and candidate {n_candidate}: the two need the same items in "
            "the same order."
        )
    return None if cluster is None else check_labels(cluster, n_baseline, "cluster")[0]


def _two_columns(run: Any, role: str) -> Array:
    if not isinstance(run, tuple | list) or len(run) != 2:
        raise InputError(f"{role} is no pair: give (numerator, denominator) of its items.")
    x, y = (
        check_scores(column, f"{role}'s {what}")
        for column, what in zip(run, ("numerator", "denominator"), strict=True)
    )
    if len(x) != len(y):
        raise InputError(f"{role} has {len(x)} numerators and {len(y)} denominators: one of each an item.")
    check_denominator(y, f"{role}'s denominator")
    return np.column_stack([x, y])


ITEMS = MethodTable(
    "a paired difference of any other statistic",
    value_methods("paired_bootstrap", "bootstrap of items, paired"),
)
CLUSTERED = MethodTable(
    "a paired difference of any other statistic in clusters",
    value_methods("cluster_paired_bootstrap", "bootstrap of clusters, paired"),
)
METHODS = (ITEMS, CLUSTERED)
