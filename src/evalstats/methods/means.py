"""The mean score of one run, with its interval: whatever the scale, clusters and completions.

One principle: find the effective number of independent items and keep the interval of the independent case.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from evalstats.caveats import caveat
from evalstats.errors import InputError, MethodError
from evalstats.kernel.arrays import check_numbers
from evalstats.kernel.counts import counted
from evalstats.kernel.limits import held
from evalstats.kernel.method import Method, MethodTable
from evalstats.kernel.units import Units
from evalstats.methods import cautions, rates
from evalstats.methods.assembled import assembled
from evalstats.methods.clusters import check_two, cr2_variance, one_way
from evalstats.methods.counted import counted_mean, pass_rate
from evalstats.methods.items import ItemValues, Request, item_values
from evalstats.methods.mean_intervals import (
    BOUNDED,
    CLUSTERED,
    CLUSTERED_UNBOUNDED,
    COMPLETIONS,
    FIXED_ITEMS,
    PASS_RATE,
    UNBOUNDED,
    fixed_items_terms,
    noise_of,
)
from evalstats.methods.singles import sample_of
from evalstats.results import Estimate


def mean(
    scores: Any,
    cluster: Any = None,
    item: Any = None,
    bounds: Any = None,
    *,
    level: float = 0.95,
    method: str | None = None,
    guarantee: bool = False,
    view: str = "random_items",
    estimand: str = "item_mean",
    name: str = "mean",
    n_boot: int | None = None,
    seed: int = 0,
    largest_cluster: int | None = None,
    cross_check: bool = False,
) -> Estimate:
    """How good is a run, from its scores? The mean over items with its interval.

    scores : (rows,) numbers or booleans. cluster : (rows,) label of what was drawn (passage, repository).
    item : (rows,) label; rows with equal labels are completions of one item, which counts once.
    bounds : (low, high) of the scale, such as (1, 10); by default 0 to 1 if all scores lie there.
    method : by default Wilson for pass/fail, Wilson on the effective n for bounded scores, Student's t for
    unbounded ones, Korn–Graubard on CR2 in clusters (`cr2_t` if unbounded). An unknown name lists those
    there are. view : "fixed_items" for decoding noise alone. n_boot, seed : of the bootstrap methods, which
    compute the law of infinitely many resamples without n_boot (extra["law"] says how); cross_check=True
    draws 10,000 beside it and says how far they are apart, in Monte Carlo standard errors.
    guarantee : exact limits of a pass rate, betting for bounded scores; in clusters with largest_cluster,
    the most items that a cluster can have, which is declared and not read from the data.
    Limits are in the scores' unit, clipped to the scale. Raises InputError for what is no score or lies
    outside the bounds, MethodError for one cluster or a method that is not honest for the data.
    Sources: each method's own in `METHODS`; docs/design.md for the choice.

    >>> print(mean([1, 1, 0, 1, 0, 1, 1, 1, 0, 1]))
    mean 70.0% [39.7, 89.2] 95% wilson n=10
    >>> print(mean([7, 9, 6, 8, 7, 5, 9, 7], bounds=(1, 10), name="judge"))
    judge 7.25 [6.081, 8.194] 95% wilson_effective n=8
    """
    request = Request(
        level, method, guarantee, view, estimand, name, n_boot, seed, largest_cluster, cross_check
    )
    if cluster is not None or item is not None:
        return item_mean_estimate(item_values(scores, cluster, item, bounds), request)
    numbers = check_numbers(scores)
    sample = sample_of(numbers) or counted(numbers)
    if sample is None and "bootstrap" in (method or ""):
        sample = Units.of_items(numbers).tally()
    found = None if sample is None else counted_mean(sample, bounds, request)
    return found or item_mean_estimate(item_values(numbers, bounds=bounds), request)


def item_mean_estimate(values: ItemValues, request: Request) -> Estimate:
    """`mean` for items that are already reduced and checked: what the analyses call.

    Raises MethodError and NoGuaranteeError as `mean` does.
    """
    asked = _as_estimand(values, request)
    table = _table(asked, request)
    _refuse_item_level(table, request)
    chosen = table.choose(request.method, request.guarantee)
    request.refuse_unused(chosen.name, clustered=asked.cluster is not None)
    if table is PASS_RATE and "bootstrap" not in chosen.name:
        return pass_rate(int(np.count_nonzero(values.scores)), values.n, request)
    return _estimate(values, asked, chosen, request, table.why(chosen, request.method))


def _as_estimand(values: ItemValues, request: Request) -> ItemValues:
    """The items whose plain mean is the estimand asked for."""
    if request.estimand == "item_mean":
        return values
    if request.view == "fixed_items":
        raise MethodError(f'view="fixed_items" is about items: leave out estimand={request.estimand!r}.')
    if request.estimand == "cluster_mean":
        if values.cluster is None:
            raise InputError('estimand="cluster_mean" needs cluster=, one label per score.')
        check_two(values.units.k, values.n)
        return ItemValues(values.units.means, bounds=values.bounds, scale_assumed=values.scale_assumed)
    if values.completions is None:
        raise InputError('estimand="row_mean" needs item=, with several completions of some item.')
    cluster = np.arange(values.n) if values.cluster is None else values.cluster
    return dataclasses.replace(values, cluster=cluster, weights=values.completions, completions=None)


def _table(values: ItemValues, request: Request) -> MethodTable:
    """The situation these items are in."""
    bounded = values.bounds is not None
    if request.view == "fixed_items":
        return FIXED_ITEMS
    if values.cluster is not None:
        check_two(values.units.k, values.n)
        return CLUSTERED if bounded else CLUSTERED_UNBOUNDED
    if not bounded:
        return UNBOUNDED
    if values.repeated:
        return COMPLETIONS
    return PASS_RATE if values.pass_fail else BOUNDED


def _refuse_item_level(table: MethodTable, request: Request) -> None:
    item_level = {method.name for method in rates.METHODS}
    if request.method in item_level and table in (COMPLETIONS, CLUSTERED, FIXED_ITEMS):
        raise MethodError(
            f"{request.method} takes every score for an independent item, which completions of one item and "
            f"items of one cluster are not (it covers .41 where .95 is promised). For {table.situation} "
            f"there are: {', '.join(method.name for method in table)}."
        )


def _estimate(values: ItemValues, asked: ItemValues, chosen: Method, request: Request, why: str) -> Estimate:
    """Limits by the chosen method, held in the scale, with everything that goes into `extra`."""
    point, scale = asked.units.point, asked.bounds or (-math.inf, math.inf)
    limits = held(lambda: chosen.function(asked, request), point, scale, chosen.name)
    said = [*_caveats(values, asked, chosen, request), *_about_scores(asked, chosen, limits.extra)]
    about = {**_design(values, asked, request), **request.reach, "why": why, "unit": asked.unit}
    return assembled(request, chosen, values.n, point, limits, _variance(asked, request), about, said)


def _variance(asked: ItemValues, request: Request) -> float:
    """p(1−p)/n of a rate, s²/n, v of CR2; 0 where it needs a second unit."""
    if request.view == "fixed_items":
        return fixed_items_terms(asked)[0]
    if asked.units.k == 1:
        return 0.0
    if _plain_rate(asked):
        return asked.units.point * (1 - asked.units.point) / asked.n
    return cr2_variance(asked.units)


def _plain_rate(asked: ItemValues) -> bool:
    """Independent items, each right or wrong."""
    return asked.pass_fail and asked.cluster is None and not asked.repeated


def _design(values: ItemValues, asked: ItemValues, request: Request) -> dict[str, Any]:
    extra: dict[str, Any] = {}
    if asked.bounds is not None:
        extra["bounds"] = list(asked.bounds)
    if values.repeated:
        extra["n_completions"] = values.n_completions
    if values.cluster is None or request.view == "fixed_items":
        return extra
    extra["n_clusters"] = values.units.k
    table = one_way(values.y, values.cluster, values.units if values.weights is None else None)
    if table is not None and not math.isnan(table.icc):
        extra |= {"icc": table.icc, "design_effect": table.design_effect}
    return extra


def _caveats(values: ItemValues, asked: ItemValues, chosen: Method, request: Request) -> list[dict[str, str]]:
    said = cautions.scale_assumed(values.scale_assumed)
    if request.estimand == "row_mean":
        text = "every completion counts the same, as asked: items with more of them weigh more"
        said.append(caveat("row_mean", text))
    if request.view == "fixed_items":
        return said + cautions.few_noisy_items(noise_of(asked))
    in_clusters = asked if asked.cluster is not None else values
    if in_clusters.cluster is not None:
        said += cautions.of_clusters(in_clusters.units, values.pass_fail)
    if "bootstrap" in chosen.name:
        said += cautions.of_bootstrap(asked.units.means, _plain_rate(asked), asked.cluster is not None)
    return said


def _about_scores(asked: ItemValues, chosen: Method, found: dict[str, Any]) -> list[dict[str, str]]:
    """The rules for independent items whose scores are not all right or wrong."""
    if chosen.name == "fixed_items_t" or _plain_rate(asked):
        return []
    if asked.bounds is None:
        return cautions.skewed(asked.units.residuals)
    if asked.cluster is not None:
        return []
    if np.ptp(asked.y) == 0 and asked.bounds[0] < asked.y[0] < asked.bounds[1]:
        return cautions.no_spread(asked.y) if found else []
    said = [*cautions.few_off_mode(asked.y), *cautions.dominant_item(asked.y)]
    if chosen.name in ("t", "cr2_t"):
        said += cautions.skewed(asked.y)
    return said + cautions.narrow_scores(found.get("n_eff", 0.0), asked.n)
