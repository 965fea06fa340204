"""Every pair of many runs at once: what their intervals and tests are made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.errors import PairingError
from evalstats.methods.clusters import check_two
from evalstats.methods.many_items import ManyItems
from evalstats.methods.paired_intervals import effective_counts

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
_CELLS = 1 << 20  # differences held at once
_ROUNDING = 1e-12  # of the largest score: a smaller difference of two means is rounding


@dataclass(frozen=True)
class PairTerms:
    """(m,) arrays over the pairs of runs i < j, in the order (0, 1), (0, 2) … : run j less run i.

    n : items that both scored. baseline_only, candidate_only : of right or wrong the items only i, only j
    has right; else those on which i, j is higher. discordant : units that differ. D : Σd/n. v : its variance,
    0 where none was seen; plug_in : that of resampling, with divisor n. psi : Σ|d|/n. df : degrees of
    freedom. N : independent items at most.
    """

    first: Counts
    second: Counts
    n: Counts
    baseline_only: Counts
    candidate_only: Counts
    discordant: Counts
    D: Array
    v: Array
    plug_in: Array
    psi: Array
    df: Array
    N: Array

    @property
    def m(self) -> int:
        return len(self.n)

    @property
    def standard_error(self) -> Array:
        """√v; nan where no spread was seen."""
        return np.sqrt(np.where(self.v > 0, self.v, np.nan))


def pair_terms(items: ManyItems) -> PairTerms:
    """All pairs. Raises PairingError for two runs without a common item, MethodError for one cluster."""
    terms = _of_counts(items) if items.of_counts else _of_differences(items)
    alone = np.flatnonzero(terms.n == 0)
    if len(alone):
        i, j = int(terms.first[alone[0]]), int(terms.second[alone[0]])
        raise PairingError(f"runs {i + 1} and {j + 1} have no scored item in common: leave one of them out.")
    return terms


def _pairs(K: int) -> tuple[Counts, Counts]:
    first, second = np.triu_indices(K, 1)
    return first.astype(np.int64), second.astype(np.int64)


def _of_counts(items: ManyItems) -> PairTerms:
    """Right and wrong answers: three matrix products give every count."""
    first, second = _pairs(items.K)
    exact: Any = np.float32 if items.n < 1 << 24 else np.float64  # holds these whole numbers
    scored: NDArray[Any] = items.scored.astype(exact)
    right: NDArray[Any] = (items.y == 1).astype(exact)
    only = np.asarray(right.T @ (scored - right)).astype(np.int64)
    n = np.asarray(scored.T @ scored).astype(np.int64)[first, second]
    c, b = only[first, second], only[second, first]
    at_least_one = np.maximum(n, 1)
    D, psi = (b - c) / at_least_one, (b + c) / at_least_one
    v = np.maximum((b + c) - (b - c) ** 2 / at_least_one, 0.0) / at_least_one**2
    items_each = n.astype(np.float64)
    return PairTerms(first, second, n, c, b, b + c, D, v, v, psi, items_each - 1, items_each)


def _of_differences(items: ManyItems) -> PairTerms:
    """Scores, clusters, completions: the differences of one run from several others at a time."""
    ordered = items if items.cluster is None else _by_cluster(items)
    parts = [_against(ordered, i, js) for i, js in _blocks(items)]
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return PairTerms(*_pairs(items.K), **columns)


def _blocks(items: ManyItems) -> Iterator[tuple[int, NDArray[np.intp]]]:
    width = max(1, _CELLS // items.n)
    for i in range(items.K - 1):
        for start in range(i + 1, items.K, width):
            yield i, np.arange(start, min(start + width, items.K))


def _by_cluster(items: ManyItems) -> ManyItems:
    assert items.cluster is not None
    order = np.argsort(items.cluster, kind="stable")
    completions = None if items.completions is None else items.completions[order]
    return ManyItems(
        items.y[order], items.pass_fail, items.bounds, items.cluster[order], completions, items.scale_assumed
    )


def _against(items: ManyItems, i: int, js: NDArray[np.intp]) -> dict[str, Any]:
    """The terms of run i with each of the runs js; items are in the order of their clusters."""
    y = np.where(items.scored, items.y, 0.0) if not items.complete else items.y
    common = items.scored[:, js] & items.scored[:, i, None]
    largest = np.maximum(np.abs(y[:, js]).max(axis=0), np.abs(y[:, i]).max())
    d = np.where(common, y[:, js] - y[:, i, None], 0.0)
    d = np.where(np.abs(d) > _ROUNDING * largest, d, 0.0)
    n = np.maximum(common.sum(axis=0), 1)
    sums, sizes = _units(items, d, common.astype(np.float64))
    D = sums.sum(axis=0) / n
    w = sizes / n
    v, plug_in = _variances(sums, sizes, D, w, n)
    return {
        "n": common.sum(axis=0).astype(np.int64),
        "baseline_only": (d < 0).sum(axis=0).astype(np.int64),
        "candidate_only": (d > 0).sum(axis=0).astype(np.int64),
        "discordant": (np.abs(sums) > _ROUNDING * np.abs(d).max(axis=0) * sizes).sum(axis=0).astype(np.int64),
        "D": D,
        "v": v,
        "plug_in": plug_in,
        "psi": np.abs(d).sum(axis=0) / n,
        "df": n - 1.0 if items.cluster is None else _bell_mccaffrey_df(w),
        "N": _most_independent(items, common, i, js, n),
    }


def _units(items: ManyItems, d: Array, common: Array) -> tuple[Array, Array]:
    """(k, r) sums and sizes of the clusters; the items themselves where there are none."""
    if items.cluster is None:
        return d, common
    starts = np.flatnonzero(np.diff(items.cluster, prepend=-1))
    sums, sizes = np.add.reduceat(d, starts, axis=0), np.add.reduceat(common, starts, axis=0)
    for k, n in zip((sizes > 0).sum(axis=0).tolist(), common.sum(axis=0).tolist(), strict=True):
        check_two(k, int(n))
    return sums, sizes


def _variances(sums: Array, sizes: Array, D: Array, w: Array, n: Counts) -> tuple[Array, Array]:
    """n⁻² Σ S_g²/(1 − w_g) and n⁻² Σ S_g²; residuals that are rounding are none."""
    residuals = sums - sizes * D
    rounding = 1e-13 * np.abs(sums).max(axis=0)
    squares = np.where(np.abs(residuals) > rounding, residuals, 0.0) ** 2
    rest = np.where(w < 1, 1 - w, 1.0)  # one item alone has no variance
    scale = n.astype(np.float64) ** 2
    return np.asarray((squares / rest).sum(axis=0) / scale), np.asarray(squares.sum(axis=0) / scale)


def _bell_mccaffrey_df(w: Array) -> Array:
    """1/[Σw² + (Σq)² − Σq²], q = w²/(1−w)."""
    q = w**2 / (1 - w)
    return np.asarray(1 / ((w**2).sum(axis=0) + (q.sum(axis=0) ** 2 - (q**2).sum(axis=0))))


def _most_independent(
    items: ManyItems, common: NDArray[np.bool_], i: int, js: NDArray[np.intp], n: Counts
) -> Array:
    """n, or of runs with several completions the smaller n²/Σ(1/m) of the two."""
    if items.completions is None:
        return n.astype(np.float64)
    per_item = 1 / np.maximum(items.completions, 1.0)
    ours = np.where(common, per_item[:, i, None], 0.0).sum(axis=0)
    theirs = np.where(common, per_item[:, js], 0.0).sum(axis=0)
    return np.asarray(n**2 / np.maximum(np.maximum(ours, theirs), 1e-300))


def effective_sizes(items: ManyItems, terms: PairTerms) -> Array:
    """(m,) n_eff = min(N, (ψ−D²)/v); where no variance was seen, as for that pair alone."""
    spread = terms.psi - terms.D**2
    known = (terms.v > 0) & (spread > _ROUNDING * terms.psi)
    n_eff = np.minimum(terms.N, spread / np.where(known, terms.v, 1.0))
    for at in np.flatnonzero(~known):
        n_eff[at] = effective_counts(items.pair(int(terms.first[at]), int(terms.second[at]))).n
    return n_eff
