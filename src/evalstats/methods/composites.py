"""The average of several benchmarks from their scores: macro, micro or weighted; of one run, and of two.

Benchmarks are independent samples: strata. Metrics of the same items are no strata: `combined_scores` makes
one score an item of them, for `mean` and `mean_difference`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.errors import InputError
from evalstats.kernel.arrays import Bounds, check_scores
from evalstats.kernel.counts import counted
from evalstats.kernel.stream import Sample
from evalstats.kernel.units import Units
from evalstats.methods.clusters import Clusters
from evalstats.methods.differences import item_difference
from evalstats.methods.items import ItemValues, Request, item_values
from evalstats.methods.macro import (
    Average,
    Strata,
    Stratum,
    check_weights,
    difference_of_strata,
    mean_of_strata,
)
from evalstats.methods.means import item_mean_estimate
from evalstats.methods.pairs import PairedItems, paired_items
from evalstats.methods.singles import singles_of
from evalstats.results import Estimate

Weights = str | Mapping[str, float]


@dataclass(frozen=True)
class _Benchmark:
    """What an average asks of one benchmark. sample : its units, as a bootstrap draws them."""

    stratum: Stratum
    sample: Sample
    scale: Bounds | None

    @classmethod
    def of_scores(cls, values: ItemValues, level: float) -> _Benchmark:
        if values.cluster is not None:
            row = item_mean_estimate(values, Request(level))
            return cls(Stratum.of_row(row), _sample_of(values.units), values.bounds)
        sample = values.sample or counted(values.scores) or Units.of_items(values.y + 0.0).tally()
        if values.pass_fail:
            stratum = Stratum.of_rate(int(np.count_nonzero(values.scores)), values.n)
        else:
            stratum = Stratum.of_items(singles_of(sample))
        return cls(stratum, sample, values.bounds)

    @classmethod
    def of_pairs(cls, pairs: PairedItems, level: float) -> _Benchmark:
        row = item_difference(pairs, Request(level))
        return cls(Stratum.of_row(row), pairs.sample or _sample_of(pairs.units), pairs.bounds)


def _sample_of(units: Clusters) -> Sample:
    return Units.of_sums(units.sums + 0.0, units.sizes).tally()  # + 0.0: no negative zeros


def _strata(benchmarks: list[_Benchmark], weights: str | tuple[float, ...], request: Request) -> Strata:
    each = [one.stratum for one in benchmarks]
    average = Average.of(each, weights)
    W = sum(average.weights)
    bootstrap = replace(
        request.bootstrap(tuple(one.sample for one in benchmarks)),
        weights=tuple(w / W for w in average.weights),
    )
    return Strata.of(each, _scale_of([one.scale for one in benchmarks]), average, bootstrap)


def _scale_of(scales: list[Bounds | None]) -> Bounds | None:
    """Of all benchmarks. Raises InputError where they have several."""
    if len(set(scales)) > 1:
        shown = sorted("without ends" if one is None else f"{one[0]:g} to {one[1]:g}" for one in set(scales))
        raise InputError(
            f"the benchmarks are on several scales ({'; '.join(shown)}), so that their average means "
            "nothing. Rescale them, or say with bounds= which one scale is meant."
        )
    return scales[0]


def composite(
    scores: Mapping[str, Any],
    weights: Weights = "macro",
    cluster: Mapping[str, Any] | None = None,
    bounds: Any = None,
    *,
    level: float = 0.95,
    method: str | None = None,
    name: str | None = None,
    n_boot: int | None = None,
    seed: int = 0,
    cross_check: bool = False,
) -> Estimate:
    """How good is a run over several benchmarks together? Their average, each counting by its weight.

    scores : {benchmark: (n,) scores of its items}. weights : "macro" (each benchmark the same), "micro" (each
    item the same), or {benchmark: weight}. cluster : {benchmark: (n,) labels}, for those in clusters.
    method : by default Wilson on the stratified n, for scores without ends the stratified t; by name
    `stratified_bootstrap_percentile`, `…_bca`, `…_basic`, `…_studentized`, which resample every benchmark on
    its own, by the exact law where n_boot is left out. extra["estimand"] : macro, micro or weighted.
    Raises InputError for benchmarks on several scales, for weights that fit no benchmark, are negative or all
    0; MethodError for a benchmark of one item.

    >>> scores = {"gsm8k": [1] * 45 + [0] * 15, "mmlu": [1] * 30 + [0] * 20}
    >>> print(composite(scores))
    macro average 67.5% [58.2, 75.6] 95% wilson_stratified n=110
    >>> print(composite(scores, {"gsm8k": 2, "mmlu": 1}, method="stratified_bootstrap_bca"))
    weighted average 70.0% [60.7, 78.0] 95% stratified_bootstrap_bca n=110, exact
    """
    request = Request(level, method, name=name or "", n_boot=n_boot, seed=seed, cross_check=cross_check)
    parts = _named(scores, "scores")
    labels = _of_benchmarks(cluster, parts)
    kept, weights_of = _named_counting(parts, weights)
    items = [item_values(parts[key], labels.get(key), None, bounds) for key in kept]
    benchmarks = [_Benchmark.of_scores(one, level) for one in items]
    return _averaged(mean_of_strata, _strata(benchmarks, weights_of, request), request)


def composite_difference(
    baseline: Mapping[str, Any],
    candidate: Mapping[str, Any],
    weights: Weights = "macro",
    cluster: Mapping[str, Any] | None = None,
    bounds: Any = None,
    *,
    level: float = 0.95,
    method: str | None = None,
    name: str | None = None,
    n_boot: int | None = None,
    seed: int = 0,
    cross_check: bool = False,
) -> Estimate:
    """How far apart are two runs over several benchmarks together, on the same items? Candidate − baseline.

    baseline, candidate : {benchmark: (n,) scores}, of the same items in the same order. The rest as in
    `composite`; the default is the stratified t with Satterthwaite's degrees of freedom.
    Raises InputError where the two have not the same benchmarks, PairingError where not the same items.

    >>> old = {"a": [0, 1, 1, 0, 1, 0, 1, 1] * 5, "b": [1, 0, 1, 1] * 6}
    >>> new = {"a": [1, 1, 1, 0, 1, 0, 1, 1] * 5, "b": [1, 0, 1, 0] * 6}
    >>> print(composite_difference(old, new, {"a": 3, "b": 1}))
    difference 3.1% [-6.0, 12.3] 95% stratified_t n=64
    """
    request = Request(level, method, name=name or "", n_boot=n_boot, seed=seed, cross_check=cross_check)
    old, new = _named(baseline, "baseline"), _named(candidate, "candidate")
    if set(old) != set(new):
        alone = sorted(set(old) ^ set(new))
        raise InputError(f"{', '.join(alone)}: in one of the runs only. Give both runs the same benchmarks.")
    labels = _of_benchmarks(cluster, old)
    kept, weights_of = _named_counting(old, weights)
    pairs = [paired_items(old[key], new[key], labels.get(key), None, bounds) for key in kept]
    benchmarks = [_Benchmark.of_pairs(one, level) for one in pairs]
    return _averaged(difference_of_strata, _strata(benchmarks, weights_of, request), request)


def _averaged(
    average: Callable[[Strata, float, str | None], Estimate], strata: Strata, request: Request
) -> Estimate:
    found = average(strata, request.level, request.method)
    request.refuse_unused(found.method, clustered=False)
    request.refuse_check_of_draws(found.n_boot)
    return replace(found, name=request.name or found.name)


def combined_scores(metrics: Mapping[str, Any], weights: Mapping[str, float]) -> NDArray[np.float64]:
    """One score an item from several metrics of the same items: Σ w_m y_m/Σw, for `mean` and the others.

    metrics : {metric: (n,) scores of the same items in the same order}. weights : {metric: weight}.
    The combination of scores on one scale is on that scale; metrics on different scales need rescaling
    first. Raises InputError for other names, lengths or negative weights.

    >>> judge = {"correct": [1, 0, 1, 1], "style": [0.5, 1.0, 0.75, 0.25]}
    >>> combined_scores(judge, {"correct": 3, "style": 1}).tolist()
    [0.875, 0.25, 0.9375, 0.8125]
    """
    parts = {key: check_scores(x, key) for key, x in _named(metrics, "metrics").items()}
    lengths = {key: len(x) for key, x in parts.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{key} {n}" for key, n in lengths.items())
        raise InputError(f"metrics of the same items have one score an item each, and there are: {shown}.")
    names = list(parts)
    kept, w = counting(names, weights, "metric")
    if isinstance(w, str):
        raise InputError(f"weights={w!r}: metrics of the same items have a weight each, {{metric: weight}}.")
    used = [names[at] for at in kept]
    return weighted_by_name({name: parts[name] for name in used}, dict(zip(used, w, strict=True)))


def weighted_by_name(
    parts: Mapping[str, NDArray[np.float64]], weights: Mapping[str, float]
) -> NDArray[np.float64]:
    """Σ w_m y_m/Σw of (n,) scores by metric, added by name, so that no order of metrics changes a digit."""
    names = sorted(parts)
    total = sum(weights[name] * parts[name] for name in names)
    return np.asarray(total / sum(weights[name] for name in names), dtype=np.float64)


def _named(scores: Any, what: str) -> dict[str, Any]:
    if not isinstance(scores, Mapping) or not scores:
        raise InputError(
            f"{what} is no table of scores by name: give {{name: scores}} with two or more names."
        )
    return {str(key): x for key, x in scores.items()}


def _of_benchmarks(cluster: Mapping[str, Any] | None, parts: Mapping[str, Any]) -> dict[str, Any]:
    """Labels by benchmark; one that does not exist is an error."""
    if cluster is None:
        return {}
    if not isinstance(cluster, Mapping):
        raise InputError("cluster= is {benchmark: labels}: clusters of different benchmarks are not shared.")
    _check_names(cluster, parts, "cluster", "benchmark")
    return dict(cluster)


def _named_counting(parts: Mapping[str, Any], weights: Weights) -> tuple[list[str], str | tuple[float, ...]]:
    names = list(parts)
    places, counted = counting(names, weights)
    return [names[at] for at in places], counted


def counting(
    names: Sequence[str], weights: Weights, what: str = "benchmark"
) -> tuple[tuple[int, ...], str | tuple[float, ...]]:
    """The places of the names with a weight above 0, and these weights; all for "macro" and "micro".

    Raises InputError for a weight without name, a name without weight, and for negative weights.
    """
    if isinstance(weights, str):
        return tuple(range(len(names))), weights
    if not isinstance(weights, Mapping):
        raise InputError(f'weights={weights!r}: give "macro", "micro", or {{name: weight}}.')
    _check_names(weights, names, "weights", what)
    missing = [name for name in names if name not in weights]
    if missing:
        raise InputError(f"weights has none for {', '.join(missing)}: give 0 to what should not count.")
    checked = check_weights([weights[name] for name in names], len(names), f"{what}s")
    kept = tuple(at for at, weight in enumerate(checked) if weight > 0)
    return kept, tuple(checked[at] for at in kept)


def _check_names(given: Mapping[str, Any], names: Iterable[str], option: str, what: str) -> None:
    known = list(names)
    unknown = [str(name) for name in given if name not in known]
    if unknown:
        raise InputError(f"{option}: no {what} {', '.join(unknown)} here. There are: {', '.join(known)}.")
