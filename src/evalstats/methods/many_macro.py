"""Every pair of many runs over several benchmarks, each benchmark counting the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evalstats.methods.macro import check_spread
from evalstats.methods.many_intervals import ManyRequest, PairIntervals
from evalstats.methods.many_items import ManyItems
from evalstats.methods.many_terms import PairTerms, pair_terms
from evalstats.numeric import order_free_sums

Array = NDArray[np.float64]


def macro_intervals(benchmarks: Sequence[ManyItems], request: ManyRequest) -> PairIntervals:
    """The intervals of all pairs of the same K runs, in one order, over these benchmarks of one scale.

    D = ΣD_j/J, v = Σv_j/J², ν = (Σv_j)²/Σ(v_j²/ν_j): the stratified t of `macro_difference`, pair by pair.
    Raises MethodError for a benchmark with a pair of one item.
    """
    parts = [pair_terms(items) for items in benchmarks]
    check_spread(min(int(terms.n.min()) for terms in parts))
    variances = np.array([_variance(items, terms) for items, terms in zip(benchmarks, parts, strict=True)])
    J = len(parts)
    df = np.array([terms.df for terms in parts])
    total = order_free_sums(variances)
    with np.errstate(invalid="ignore"):  # 0/0 where no benchmark's differences vary
        satterthwaite = total**2 / order_free_sums(variances**2 / df)
    terms = PairTerms(
        first=parts[0].first,
        second=parts[0].second,
        n=_total([one.n for one in parts]),
        baseline_only=_total([one.baseline_only for one in parts]),
        candidate_only=_total([one.candidate_only for one in parts]),
        discordant=_total([one.discordant for one in parts]),
        D=order_free_sums(np.array([one.D for one in parts])) / J,
        v=total / J**2,
        plug_in=total / J**2,
        psi=order_free_sums(np.array([one.psi for one in parts])) / J,
        df=satterthwaite,
        N=J**2 / order_free_sums(np.array([1 / one.n for one in parts])),
    )
    return PairIntervals(_means(benchmarks), terms, request, stratified=True)


def _total(counts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.asarray(np.sum(counts, axis=0))


def _variance(items: ManyItems, terms: PairTerms) -> Array:
    """With divisor n − 1, which that of counts has not."""
    return terms.v * terms.n / (terms.n - 1) if items.of_counts else terms.v


def _means(benchmarks: Sequence[ManyItems]) -> ManyItems:
    """(J, K) each run's score on each benchmark, on the scale that all share."""
    return ManyItems(np.array([items.means for items in benchmarks]), bounds=benchmarks[0].bounds)
