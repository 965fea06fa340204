"""The mean of items that count unequally, by given weights: a traffic mix, a sample drawn by design.

The weights are no counts: two items of weight 4 are two items. Every residual is weighted,
and the variance is CR2's, as if the weights were cluster sizes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from evalstats.caveats import caveat
from evalstats.kernel.limits import held
from evalstats.kernel.method import Method, MethodTable
from evalstats.methods import cautions
from evalstats.methods.assembled import assembled
from evalstats.methods.clusters import Clusters, check_two, cr2_variance, informative, kish
from evalstats.methods.items import ItemValues, Request, item_values
from evalstats.methods.macro import check_weights
from evalstats.methods.mean_intervals import (
    CLUSTERED,
    CLUSTERED_UNBOUNDED,
    UNBOUNDED_NO_PROOF,
    bootstrap,
    bootstraps,
)
from evalstats.results import Estimate


def weighted_mean(
    scores: Any,
    weights: Any,
    cluster: Any = None,
    bounds: Any = None,
    *,
    level: float = 0.95,
    method: str | None = None,
    name: str = "weighted mean",
    n_boot: int | None = None,
    seed: int = 0,
    cross_check: bool = False,
) -> Estimate:
    """How good is a run where items count unequally, as in a declared traffic mix? Σ w y/Σw.

    scores : (n,) one an item. weights : (n,) 0 or more; only their proportions matter, an item of weight 0
    is left out. cluster : (n,) label of what was drawn. bounds : (low, high) of the scale, as in `mean`.
    method : by default Korn–Graubard on CR2 for bounded scores, CR2's t for others; `cr2_t`,
    `logit_t_shrunk`, `bootstrap_percentile` and others by name. extra["kish_n"] : (Σw)²/Σw², as many equal
    items would weigh the same. Raises InputError for weights that do not fit the scores, are negative or all
    0, MethodError for one unit.
    Sources: Kish 1965, Survey Sampling, §11.7; Bell & McCaffrey 2002, Survey Methodology 28:169–181.

    >>> found = weighted_mean([1, 0, 1, 1, 0, 1, 0, 1] * 6, [4, 1, 1, 2, 1, 3, 1, 1] * 6)
    >>> print(found)
    weighted mean 78.6% [64.3, 89.1] 95% korn_graubard_cr2 n=48
    >>> round(found.extra["kish_n"], 1)
    34.6
    """
    request = Request(level, method, name=name, n_boot=n_boot, seed=seed, cross_check=cross_check)
    values = item_values(scores, cluster, None, bounds)
    weighted = _weighted(values, np.array(check_weights(weights, values.n, "scores")))
    units = weighted.units
    check_two(units.k, weighted.n)
    table = WEIGHTED_UNBOUNDED if weighted.bounds is None else WEIGHTED
    chosen = table.choose(method)
    request.refuse_unused(chosen.name, clustered=True)
    scale = weighted.bounds or (-np.inf, np.inf)
    limits = held(lambda: chosen.function(weighted, request), units.point, scale, chosen.name)
    about = {
        **({} if weighted.bounds is None else {"bounds": list(weighted.bounds)}),
        **({} if cluster is None else {"n_clusters": units.k}),
        **request.reach,
        "estimand": "weighted",
        "kish_n": kish(units),
        "why": table.why(chosen, method),
        "unit": weighted.unit,
    }
    said = [
        *cautions.scale_assumed(values.scale_assumed),
        *_of_units(units, "items" if cluster is None else "clusters", weighted.pass_fail),
        *(cautions.skewed(units.residuals) if weighted.bounds is None else ()),
    ]
    return assembled(request, chosen, weighted.n, units.point, limits, cr2_variance(units), about, said)


def _weighted(values: ItemValues, w: np.ndarray[Any, np.dtype[np.float64]]) -> ItemValues:
    """The items with a weight, which add up to their number; every item its own cluster without others."""
    kept = w > 0
    cluster = np.arange(values.n) if values.cluster is None else values.cluster
    _, codes = np.unique(cluster[kept], return_inverse=True)
    share = w[kept] / np.sum(np.sort(w[kept]))
    return replace(values, scores=values.scores[kept], cluster=codes.reshape(-1), weights=share * kept.sum())


def _of_units(units: Clusters, what: str, pass_fail: bool) -> cautions.Caveats:
    """Where few units carry the weight, or the spread."""
    k_star, share, varied = kish(units), float(np.max(units.w)), informative(units)
    least = cautions.FEW_INFORMATIVE if pass_fail else cautions.FEW_OFF_MODE
    said = []
    if k_star < cautions.FEW_CLUSTERS:
        text = (
            f"{units.k} {what} weigh as {k_star:.1f} equal ones: under {cautions.FEW_CLUSTERS} coverage is "
            "not assured"
        )
        said.append(caveat("few_clusters", text))
    if varied * k_star / units.k < least:
        text = (
            f"{varied} of {units.k} {what} differ from the commonest score: under {least} coverage is not "
            "assured"
        )
        said.append(caveat("few_informative_clusters", text))
    if share > cautions.DOMINANT:
        said.append(caveat("dominant_cluster", f"one of the {what} has {share:.0%} of the weight"))
    return said


_BOOTSTRAPS = bootstraps("bootstrap", bootstrap, "bootstrap of weighted units")


def _by_weight(*names: str, table: MethodTable) -> tuple[Method, ...]:
    return tuple(table[name] for name in names)


WEIGHTED = MethodTable(
    "a weighted mean of bounded scores",
    (*_by_weight("korn_graubard_cr2", "cr2_t", "logit_t_shrunk", table=CLUSTERED), *_BOOTSTRAPS),
)
WEIGHTED_UNBOUNDED = MethodTable(
    "a weighted mean of unbounded scores",
    (*_by_weight("cr2_t", table=CLUSTERED_UNBOUNDED), *_BOOTSTRAPS),
    UNBOUNDED_NO_PROOF,
)
METHODS = (WEIGHTED, WEIGHTED_UNBOUNDED)
