"""Many runs on the same items: all their pairs, or all against one baseline, at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.errors import NoGuaranteeError
from evalstats.methods.corrections import holm
from evalstats.methods.many_counts import (
    AgainstBaseline,
    against_baseline,
    pairs_only_right,
)
from evalstats.methods.many_groups import rank_ranges, ranks, tie_groups
from evalstats.methods.many_intervals import (
    DEFAULT_N_BOOT,
    Limits,
    ManyRequest,
    PairIntervals,
    Simultaneous,
    pair_intervals,
    rank_level,
    simultaneous_intervals,
)
from evalstats.methods.many_items import ManyItems, in_every_run, many_items
from evalstats.methods.many_macro import macro_intervals
from evalstats.methods.many_terms import PairTerms, pair_terms
from evalstats.methods.many_tests import cochran_q, friedman, pair_pvalues
from evalstats.methods.margins import least_discordant_units

__all__ = [
    "AgainstBaseline",
    "AllPairs",
    "against_baseline",
    "all_pairs",
    "cochran_q",
    "friedman",
    "pairs_only_right",
]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class AllPairs:
    """Every pair i < j of K runs, (m,) arrays: what `all_pairs` finds. Differences are run j less run i.

    terms : counts, standard errors and the like. ci_low, ci_high : each pair alone, by `method`. pvalue :
    by `test`; adjusted, reject : Holm over all m. simultaneous : limits that hold for all at once. apart :
    these exclude 0, and enough units differ for an exact test to reach α. score, rank : (K,) of the runs,
    highest first. rank_low, rank_high : (K,) ranges. groups : of runs of which no two are told apart; any two
    that are not share one.
    """

    items: ManyItems
    terms: PairTerms
    method: str
    ci_low: Array
    ci_high: Array
    test: str
    pvalue: Array
    adjusted: Array
    reject: Flags
    simultaneous: Simultaneous
    apart: Flags
    score: Array
    rank: Counts
    rank_low: Counts
    rank_high: Counts
    groups: list[list[int]]

    @property
    def difference(self) -> Array:
        return self.terms.D


def all_pairs(
    runs: Any,
    cluster: Any = None,
    bounds: Any = None,
    *,
    level: float = 0.95,
    method: str | None = None,
    guarantee: bool = False,
    joint: bool = False,
    lower_is_better: bool = False,
    n_boot: int = DEFAULT_N_BOOT,
    seed: int = 0,
    largest_cluster: int | None = None,
) -> AllPairs:
    """Which of many runs on the same items can be told apart, and which rank may each have?

    runs : (K, n) scores or booleans, nan where a run did not score an item: then only the items of every
    run count, unless that loses over 5 % of a run's. cluster : (n,) labels. bounds : ends of the scale.
    Pairs have Holm on McNemar's mid-p (t for scores, effective counts in clusters), an interval each alone,
    and one that holds for all at once: max-t from one shared draw of the items (n_boot, seed) where every
    pair differs on 20 units or more, else the pair's own at 1 − α/m; `method` names one of the two. Rank
    ranges hold for each run; joint=True : for all runs at once. guarantee : exact p and betting.
    Raises InputError for what is no table of scores, MethodError for max_t where it does not hold.
    Source: Holm 1979; Tango 1998; Romano & Wolf 2005, JASA 100:94–108, for max-t.

    >>> rng = np.random.default_rng(7)
    >>> found = all_pairs(rng.random((3, 400)) < [[0.5], [0.75], [0.8]])
    >>> found.rank.tolist(), found.rank_low.tolist(), found.rank_high.tolist()
    ([3, 2, 1], [3, 1, 1], [3, 2, 2])
    >>> found.groups, found.simultaneous.method
    ([[2, 1], [0]], 'max_t')
    """
    request = ManyRequest(level, method, guarantee, joint, n_boot, seed, largest_cluster)
    return pairs_of(in_every_run(many_items(runs, cluster, bounds)), request, lower_is_better=lower_is_better)


def pairs_of(
    items: ManyItems, request: ManyRequest, *, scores: Array | None = None, lower_is_better: bool = False
) -> AllPairs:
    """`all_pairs` of items that are checked. scores : (K,) of the runs, by default their means here."""
    pairs = pair_intervals(items, pair_terms(items), request)
    return _all_pairs(pairs, scores, lower_is_better)


def macro_pairs_of(
    benchmarks: Sequence[ManyItems], scores: Array, request: ManyRequest, *, lower_is_better: bool = False
) -> AllPairs:
    """`pairs_of` over several benchmarks of one scale, each counting the same: the stratified t of each pair.

    benchmarks : the same runs in one order. scores : (K,) their macro averages. items of the result are the
    benchmarks. Raises MethodError for a benchmark of one item, NoGuaranteeError if one is asked for.
    """
    if request.guarantee:
        raise NoGuaranteeError("no interval of a macro average has a proof: leave guarantee out.")
    return _all_pairs(macro_intervals(benchmarks, request), scores, lower_is_better)


def _all_pairs(pairs: PairIntervals, scores: Array | None, lower_is_better: bool) -> AllPairs:
    items, terms, request = pairs.items, pairs.terms, pairs.request
    p, test = pair_pvalues(pairs)
    corrected = holm(p, request.alpha)
    low, high = pairs.at(request.level)
    together = simultaneous_intervals(pairs)
    enough = terms.discordant >= least_discordant_units(request.level)
    apart = ((together.low > 0) | (together.high < 0)) & enough
    score = items.means if scores is None else scores
    rank = ranks(-score if lower_is_better else score)
    rank_low, rank_high = rank_ranges(_ahead(pairs, together, lower_is_better), rank)
    order = np.lexsort((np.arange(items.K), rank))
    return AllPairs(
        items,
        terms,
        pairs.method,
        low,
        high,
        test,
        p,
        corrected["adjusted"],
        corrected["reject"],
        together,
        apart,
        score,
        rank,
        rank_low,
        rank_high,
        tie_groups(_square(terms, items.K, apart, apart), order),
    )


def _ahead(pairs: PairIntervals, together: Simultaneous, lower_is_better: bool) -> Flags:
    """(K, K): run i is shown to be ahead of run j, by its own K − 1 intervals or by all at once."""
    request, K = pairs.request, pairs.items.K
    limits: Limits = (together.low, together.high) if request.joint else pairs.at(rank_level(request, K))
    first_ahead, second_ahead = limits[1] < 0, limits[0] > 0
    if lower_is_better:
        first_ahead, second_ahead = second_ahead, first_ahead
    return _square(pairs.terms, K, first_ahead, second_ahead)


def _square(terms: PairTerms, K: int, one: Flags, two: Flags) -> Flags:
    """(K, K) from pairs: `one` at [i, j], `two` at [j, i]."""
    found = np.zeros((K, K), dtype=bool)
    found[terms.first, terms.second] = one
    found[terms.second, terms.first] = two
    return found
