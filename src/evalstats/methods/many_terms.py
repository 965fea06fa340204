"""Every pair of many runs at once: what their intervals and tests are made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.errors import PairingError
from evalstats.methods.clusters import check_two
from evalstats.methods.item_differences import ROUNDING, differences
from evalstats.methods.many_items import ManyItems
from evalstats.methods.paired_intervals import effective_counts
from evalstats.numeric import order_free_sums, settled

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
_CELLS = 1 << 20  # differences held at once


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
    return _of_counts(items) if items.of_counts else _of_differences(items)


def _check_common(first: Counts, second: Counts, n: Counts) -> None:
    alone = np.flatnonzero(n == 0)
    if len(alone):
        i, j = int(first[alone[0]]), int(second[alone[0]])
        raise PairingError(f"runs {i + 1} and {j + 1} have no scored item in common: leave one of them out.")


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
    _check_common(first, second, n)
    c, b = only[first, second], only[second, first]
    D, psi = (b - c) / n, (b + c) / n
    v = np.maximum((b + c) - (b - c) ** 2 / n, 0.0) / n**2
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
    d = np.where(common, differences(y[:, i, None], y[:, js]), 0.0)
    n = common.sum(axis=0).astype(np.int64)
    _check_common(np.full(len(js), i, dtype=np.int64), js, n)
    size = np.abs(d)
    sizes = _unit_sums(items, common.astype(np.float64))
    if items.cluster is not None:
        _check_clusters(sizes)
    sums, within = _unit_sums(items, d), _unit_sums(items, size)
    D = order_free_sums(d) / n
    w = sizes / n
    v, plug_in = _variances(sums, sizes, D, w, n)
    return {
        "n": n,
        "baseline_only": (d < 0).sum(axis=0).astype(np.int64),
        "candidate_only": (d > 0).sum(axis=0).astype(np.int64),
        "discordant": (np.abs(sums) > ROUNDING * within).sum(axis=0).astype(np.int64),
        "D": D,
        "v": v,
        "plug_in": plug_in,
        "psi": order_free_sums(size) / n,
        "df": n - 1.0 if items.cluster is None else _bell_mccaffrey_df(w),
        "N": _most_independent(items, common, i, js, n),
    }


def _unit_sums(items: ManyItems, x: Array) -> Array:
    """(k, r) sums of (n, r) over the clusters; the items themselves where there are none."""
    if items.cluster is None:
        return x
    starts = np.flatnonzero(np.diff(items.cluster, prepend=-1))
    return order_free_sums(x, starts)


def _check_clusters(sizes: Array) -> None:
    """Raises MethodError for a pair whose items are all in one cluster."""
    for k, n in zip((sizes > 0).sum(axis=0).tolist(), sizes.sum(axis=0).tolist(), strict=True):
        check_two(k, int(n))


def _variances(sums: Array, sizes: Array, D: Array, w: Array, n: Counts) -> tuple[Array, Array]:
    """n⁻² Σ S_g²/(1 − w_g) and n⁻² Σ S_g²; residuals that all are rounding are none."""
    residuals = sums - sizes * D
    rounding = 1e-14 * np.abs(sums).max(axis=0)
    squares = settled(residuals, rounding) ** 2
    rest = np.where(w < 1, 1 - w, 1.0)  # one item alone has no variance
    scale = n.astype(np.float64) ** 2
    return order_free_sums(squares / rest) / scale, order_free_sums(squares) / scale


def _bell_mccaffrey_df(w: Array) -> Array:
    """1/[Σw² + (Σq)² − Σq²], q = w²/(1−w)."""
    q = w**2 / (1 - w)
    return np.asarray(1 / (order_free_sums(w**2) + (order_free_sums(q) ** 2 - order_free_sums(q**2))))


def _most_independent(
    items: ManyItems, common: NDArray[np.bool_], i: int, js: NDArray[np.intp], n: Counts
) -> Array:
    """n, or of runs with several completions the smaller n²/Σ(1/m) of the two."""
    if items.completions is None:
        return n.astype(np.float64)
    per_item = 1 / np.maximum(items.completions, 1.0)
    ours = order_free_sums(np.where(common, per_item[:, i, None], 0.0))
    theirs = order_free_sums(np.where(common, per_item[:, js], 0.0))
    return np.asarray(n**2 / np.maximum(np.maximum(ours, theirs), 1e-300))


def effective_sizes(items: ManyItems, terms: PairTerms) -> Array:
    """(m,) n_eff = min(N, (ψ−D²)/v); where no variance was seen, as for that pair alone."""
    spread = terms.psi - terms.D**2
    known = (terms.v > 0) & (spread > ROUNDING * terms.psi)
    n_eff = np.minimum(terms.N, spread / np.where(known, terms.v, 1.0))
    for at in np.flatnonzero(~known):
        n_eff[at] = effective_counts(items.pair(int(terms.first[at]), int(terms.second[at]))).n
    return n_eff
