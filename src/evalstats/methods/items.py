"""From rows to items: what the methods for means and differences take, and what can be asked of them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.errors import InputError, MethodError, NoGuaranteeError
from evalstats.kernel.arrays import (
    Bounds,
    Codes,
    check_bounds,
    check_inside,
    check_labels,
    check_n_boot,
    check_numbers,
    check_seed,
    scale_of,
)
from evalstats.kernel.check import check_largest_cluster, check_level
from evalstats.kernel.resampled import Bootstrap
from evalstats.kernel.stream import Sample
from evalstats.methods.clusters import Clusters, clustered, cr2_variance
from evalstats.methods.singles import Singles, sample_of, singles_of
from evalstats.numeric import group_sums, order_free_sum

Array = NDArray[np.float64]
VIEWS = ("random_items", "fixed_items")
ESTIMANDS = ("item_mean", "cluster_mean", "row_mean")


@dataclass(frozen=True)
class Request:
    """What is asked about the items; checked when made.

    method : None for the default. view : "random_items" (questions like these) or "fixed_items" (these
    questions: decoding noise alone). n_boot : resamples of a bootstrap, None for its exact law. cross_check :
    draw resamples beside that law.
    largest_cluster : the most items that a cluster can have, for a guarantee in clusters.
    """

    level: float = 0.95
    method: str | None = None
    guarantee: bool = False
    view: str = "random_items"
    estimand: str = "item_mean"
    name: str = "mean"
    n_boot: int | None = None
    seed: int = 0
    largest_cluster: int | None = None
    cross_check: bool = False

    def __post_init__(self) -> None:
        check_level(self.level)
        check_seed(self.seed)
        if self.n_boot is not None:
            check_n_boot(self.n_boot)
        check_largest_cluster(self.largest_cluster)
        for option, value, allowed in (
            ("view", self.view, VIEWS),
            ("estimand", self.estimand, ESTIMANDS),
        ):
            if value not in allowed:
                raise InputError(f"{option}={value!r} is none of ours: there are {', '.join(allowed)}.")

    def refuse_unused(self, method: str, *, clustered: bool) -> None:
        """Raise MethodError for a number that the method has no use for: an option never does nothing."""
        if self.n_boot is not None and "bootstrap" not in method:
            raise MethodError(
                f"n_boot={self.n_boot} has no use: {method} resamples nothing. Leave it out, or name a "
                "bootstrap method."
            )
        if self.cross_check and ("bootstrap" not in method or self.n_boot is not None):
            raise MethodError(
                "cross_check=True compares the exact law of a bootstrap with resamples: name a bootstrap "
                "method and leave n_boot out."
            )
        if self.largest_cluster is not None and not (clustered and method == "betting_mixture"):
            raise MethodError(
                f"largest_cluster={self.largest_cluster} has no use: {method} asks for no largest cluster. "
                "Leave it out, or ask for guarantee=True in clusters."
            )

    def refuse_check_of_draws(self, drawn: int | None) -> None:
        """Raise MethodError where no law was computed that resamples could be compared with."""
        if self.cross_check and drawn is not None:
            raise MethodError(
                "cross_check=True compares the exact law of a bootstrap with resamples, and this interval "
                "comes from resamples itself, as no law of it is computed. Leave cross_check out."
            )

    def declared_largest(self, clusters: Clusters) -> int:
        """M of a bet on clusters. Raises NoGuaranteeError without it, InputError if a cluster is larger."""
        if self.largest_cluster is None:
            raise NoGuaranteeError(
                "a guarantee in clusters rests on the most items that a cluster can have, which data do not "
                "tell: declare it with largest_cluster=M (--largest-cluster M), as the benchmark is made."
            )
        largest = float(np.max(clusters.sizes))
        if largest > self.largest_cluster:
            raise InputError(
                f"a cluster has {largest:g} items, more than largest_cluster={self.largest_cluster}: no "
                "cluster can have more than that. Declare a larger number."
            )
        return self.largest_cluster

    @property
    def reach(self) -> dict[str, str]:
        """What the estimate is of, and which questions it speaks about."""
        return {"estimand": self.estimand, "view": self.view}

    def bootstrap(self, samples: tuple[Sample, ...], *, symmetric: bool = False) -> Bootstrap:
        """What a bootstrap method resamples, as asked."""
        return Bootstrap(samples, self.level, self.n_boot, self.seed, symmetric, cross_check=self.cross_check)

    def resampling(self, drawn: int | None) -> tuple[int | None, int | None]:
        """n_boot and seed of a result: as asked, else the resamples drawn where no law was computed."""
        self.refuse_check_of_draws(drawn)
        n_boot = self.n_boot or drawn
        return n_boot, None if n_boot is None else self.seed


@dataclass(frozen=True)
class ItemValues:
    """One run on one question: (n,) arrays, one entry per item, in any order.

    scores : the item's score, or the mean of its scored completions; booleans and whole numbers as they came,
    for methods that count. y : the same as floats. pass_fail : every completion is 0 or 1.
    bounds : ends of the scale, None if it has none; (0, 1) for pass/fail. cluster : codes 0 … k−1, or None.
    completions : how many were scored, None if one of each. within : Σ(x − y)² of each item's completions.
    weights : how often an item counts, None for once. scale_assumed : bounds were taken from the values.
    """

    scores: NDArray[Any]
    pass_fail: bool = False
    bounds: Bounds | None = None
    cluster: Codes | None = None
    completions: Array | None = None
    within: Array | None = None
    weights: Array | None = None
    scale_assumed: bool = False

    @cached_property
    def y(self) -> Array:
        return self.scores.astype(np.float64, copy=False)

    @property
    def n(self) -> int:
        return len(self.scores)

    @property
    def repeated(self) -> bool:
        """Some item has several completions."""
        return self.completions is not None and bool(np.any(self.completions > 1))

    @property
    def n_completions(self) -> int:
        return self.n if self.completions is None else int(self.completions.sum())

    @property
    def most_independent(self) -> float:
        """N: items, or n²/Σ(1/m_i) where items have m_i completions; rows where they are weighted."""
        if self.weights is not None:
            return order_free_sum(self.weights)
        if self.completions is None:
            return float(self.n)
        return self.n**2 / order_free_sum(1 / self.completions)

    @cached_property
    def units(self) -> Clusters:
        """The clusters, or every item its own."""
        return clustered(self.y, self.cluster, self.weights)

    @cached_property
    def units_in_unit_scale(self) -> Clusters:
        """The same with scores moved to [0, 1]; bounded scores only."""
        if self.bounds is None or self.bounds == (0.0, 1.0):
            return self.units
        low, high = self.bounds
        return clustered((self.y - low) / (high - low), self.cluster, self.weights)

    @cached_property
    def sample(self) -> Sample | None:
        """Single items that are too many for an array of them; None for others."""
        single = self.cluster is None and self.weights is None and not self.repeated
        return sample_of(self.scores) if single else None

    @cached_property
    def singles(self) -> Singles | None:
        """The mean of `sample`, where there is one."""
        return None if self.sample is None else singles_of(self.sample)

    @property
    def point(self) -> float:
        return self.units.point if self.singles is None else self.singles.point

    @property
    def variance(self) -> float:
        """v of the mean by CR2, s²/n for single items; 0 for one unit."""
        if self.singles is not None:
            return self.singles.variance
        return cr2_variance(self.units) if self.units.k > 1 else 0.0

    @property
    def unit(self) -> str:
        return "fraction" if self.bounds == (0.0, 1.0) else "score"


def item_values(scores: Any, cluster: Any = None, item: Any = None, bounds: Any = None) -> ItemValues:
    """Rows as people hold them, checked; rows with equal `item` are completions and reduced to their mean."""
    x = check_numbers(scores)
    asked = check_bounds(bounds)
    if asked is not None:
        check_inside(x, asked)
    scale, pass_fail, assumed = scale_of(x, asked)
    x = as_bits(x) if pass_fail else x
    codes = None if cluster is None else check_labels(cluster, len(x), "cluster")[0]
    rows = ItemValues(x, pass_fail, scale, codes, scale_assumed=assumed)
    return rows if item is None else reduced(rows, *check_labels(item, len(x), "item"))


def as_bits(right: NDArray[Any]) -> NDArray[np.bool_]:
    """Scores of 0 and 1 as what they are: a byte each."""
    return right if right.dtype == np.bool_ else right != 0


def reduced(rows: ItemValues, item: Codes, labels: list[Any]) -> ItemValues:
    """The items of rows, in the order of `labels`: means over completions. item : (rows,) codes."""
    n = len(labels)
    m = np.bincount(item, minlength=n).astype(np.float64)
    first = np.unique(item, return_index=True)[1]
    equal = ~_varies(rows.y, item, first)
    y = np.where(equal, rows.y[first], group_sums(rows.y, item, n) / m)  # exact where all are equal
    cluster = None if rows.cluster is None else _cluster_of_items(rows.cluster, item, first, labels)
    if n == rows.n:
        return dataclasses.replace(rows, scores=y, cluster=cluster)
    within = group_sums((rows.y - y[item]) ** 2, item, n)
    return dataclasses.replace(rows, scores=y, completions=m, within=within, cluster=cluster)


def _varies(x: Array | Codes, item: Codes, first: Codes) -> NDArray[np.bool_]:
    """Of each item: does any of its rows differ from its first?"""
    return np.bincount(item, weights=x != x[first][item], minlength=len(first)) > 0


def _cluster_of_items(cluster: Codes, item: Codes, first: Codes, labels: list[Any]) -> Codes:
    torn = np.flatnonzero(_varies(cluster, item, first))
    if len(torn):
        raise InputError(
            f"item {labels[torn[0]]!r} is in more than one cluster: all completions of an item share one. "
            "Give labels of clusters of items, or labels of items that are unique."
        )
    return cluster[first]
