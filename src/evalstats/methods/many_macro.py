"""Every pair of many runs over several benchmarks, each benchmark counting the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evalstats.methods.macro import check_spread
from evalstats.methods.many_intervals import ManyRequest, PairIntervals
from evalstats.methods.many_items import ManyItems
from evalstats.methods.many_terms import PairTerms, pair_terms

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
    with np.errstate(invalid="ignore"):  # 0/0 where no benchmark's differences vary
        satterthwaite = variances.sum(axis=0) ** 2 / (variances**2 / df).sum(axis=0)
    terms = PairTerms(
        first=parts[0].first,
        second=parts[0].second,
        n=_total([one.n for one in parts]),
        baseline_only=_total([one.baseline_only for one in parts]),
        candidate_only=_total([one.candidate_only for one in parts]),
        discordant=_total([one.discordant for one in parts]),
        D=np.mean([one.D for one in parts], axis=0),
        v=variances.sum(axis=0) / J**2,
        plug_in=variances.sum(axis=0) / J**2,
        psi=np.mean([one.psi for one in parts], axis=0),
        df=satterthwaite,
        N=J**2 / np.sum([1 / one.n for one in parts], axis=0),
    )
    return PairIntervals(_means(benchmarks), terms, request, stratified=True)


def _total(counts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.asarray(np.sum(counts, axis=0))


def _variance(items: ManyItems, terms: PairTerms) -> Array:
    """With divisor n − 1, which that of counts has not."""
    return terms.v * terms.n / (terms.n - 1) if items.of_counts else terms.v


def _means(benchmarks: Sequence[ManyItems]) -> ManyItems:
    """(J, K) each run's score on each benchmark, on the scale that all share."""
    return ManyItems(
        np.array([np.nanmean(items.y, axis=0) for items in benchmarks]), bounds=benchmarks[0].bounds
    )
