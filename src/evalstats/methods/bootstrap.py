"""The chapter's three bootstrap functions: percentile intervals of a mean, of a − b, of any statistic."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.caveats import caveat
from evalstats.errors import InputError, MethodError, PairingError
from evalstats.kernel.arrays import Codes, check_labels, check_n_boot, check_numbers, check_scores, check_seed
from evalstats.kernel.check import check_level
from evalstats.kernel.limits import Interval, held
from evalstats.kernel.method import MethodTable
from evalstats.kernel.reweighted import Reweighted
from evalstats.methods.cautions import FEW_OFF_MODE, FEW_UNITS, off_mode
from evalstats.methods.differences import mean_difference
from evalstats.methods.drawn_intervals import FEWEST_UNITS, interval_of_values, value_methods
from evalstats.methods.means import mean
from evalstats.methods.processes import check_workers
from evalstats.methods.resampling import ByRecords, ByWeights, resampled
from evalstats.results import Estimate

_EXTREMES = (
    *(min, max, np.min, np.max, np.amin, np.amax, np.nanmin, np.nanmax),
    *(np.ndarray.min, np.ndarray.max),
)


def bootstrap_mean(
    scores: Any,
    groups: Any = None,
    level: float = 0.95,
    n_boot: int = 10_000,
    seed: int = 0,
    name: str = "accuracy",
) -> Estimate:
    """What could the mean score have been with other items? A percentile interval by resampling.

    scores : (n,) one per item. groups : (n,) labels of clusters that are resampled whole.
    Equals `mean(scores, cluster=groups, method="bootstrap_percentile", n_boot=10000)`, with
    `cluster_bootstrap_percentile` in groups. extra["boot_se"] : standard deviation over resamples. Where
    the interval is known to miss its level a caveat says so; the defaults of `mean` do not.
    Raises InputError for an empty list, NaN, or labels of another length, MethodError for one group.
    Source: Efron 1979, Annals of Statistics 7:1–26.

    >>> print(bootstrap_mean([1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0] * 20))
    accuracy 66.7% [60.4, 72.5] 95% bootstrap_percentile n=240
    """
    method = "bootstrap_percentile" if groups is None else "cluster_bootstrap_percentile"
    return mean(scores, groups, level=level, method=method, n_boot=n_boot, seed=seed, name=name)


def bootstrap_paired_diff(
    a: Any,
    b: Any,
    groups: Any = None,
    level: float = 0.95,
    n_boot: int = 10_000,
    seed: int = 0,
    name: str = "delta",
) -> Estimate:
    """How far apart are two runs on the same items? The mean of a − b, resampling items with both scores.

    a, b : (n,) scores, entry i of both about item i. groups : (n,) labels of clusters.
    The sign is the chapter's, a − b; `mean_difference(b, a)` is the same number as candidate − baseline.
    Swapping a and b mirrors the digits. Raises InputError and PairingError for what does not fit together.
    Source: Efron & Tibshirani 1993, An Introduction to the Bootstrap, §8.3.

    >>> print(bootstrap_paired_diff([1, 1, 0, 1, 1, 0] * 15, [1, 0, 0, 1, 1, 1] * 15))
    delta 0.0% [-12.2, 12.2] 95% paired_bootstrap_percentile n=90
    """
    x, y = check_numbers(a, "a"), check_numbers(b, "b")
    if len(x) != len(y):
        raise PairingError(
            f"a has {len(x)} scores and b {len(y)}: the two need the same items in the same order."
        )
    method = "bootstrap_percentile" if groups is None else "cluster_bootstrap_percentile"
    return mean_difference(y, x, groups, level=level, method=method, n_boot=n_boot, seed=seed, name=name)


def bootstrap_statistic(
    data: Any,
    stat_fn: Callable[..., Any],
    level: float = 0.95,
    n_boot: int = 10_000,
    seed: int = 0,
    name: str = "stat",
    *,
    groups: Any = None,
    strata: Any = None,
    weights: bool = False,
    method: str | None = None,
    workers: int = 1,
) -> Estimate:
    """How far could any other number be off: an F1, an AUC, a ratio of metrics?

    data : an array (rows are records), a list of records, or a data frame; stat_fn gets the same kind and
    returns one number. groups : (n,) labels of clusters that are resampled whole. strata : (n,) labels;
    records are resampled within each. method : `bootstrap_percentile`, or by name `bootstrap_bca` and
    `bootstrap_basic` (`cluster_…` with groups). workers : processes; the digits are the same for any number.
    weights=True is the fast way, 10 to 100 times: stat_fn then takes rows of numbers, (r,) or (r, c), and
    weights (B, r) that say how often each row counts in each of B resamples, and returns B numbers. Equal
    rows come once, and in an order of their own: the order of the data changes no digit.
    Otherwise records are resampled in the order given (caveat order_kept). No interval under 10 records or
    groups, nor for a statistic that most resamples leave as it is.
    Raises MethodError for min and max, which no resampling can widen, and where stat_fn fails on the data
    itself; InputError for empty data or NaN in it.
    Source: Efron 1979, Annals of Statistics 7:1–26.

    >>> est = bootstrap_statistic(list(range(100)), lambda rows: sum(rows) / len(rows), n_boot=1000)
    >>> print(est)
    stat 49.5 [44.07, 55.18] 95% bootstrap_percentile n=100
    >>> mean = lambda rows, weights: weights @ rows / weights.sum(axis=1)
    >>> print(bootstrap_statistic(list(range(100)), mean, n_boot=1000, weights=True))
    stat 49.5 [43.94, 55.21] 95% bootstrap_percentile n=100
    """
    _refuse_extremes(stat_fn)
    level, n_boot, seed = check_level(level), check_n_boot(n_boot), check_seed(seed)
    workers = check_workers(workers)
    chosen = (METHODS if groups is None else GROUPED).choose(method)
    records = _records(data, groups, strata)
    resampler = _by_weights(data, records, stat_fn) if weights else records.by_records(data, stat_fn)
    point = resampler.point()
    values = np.empty(0) if records.k < FEWEST_UNITS else resampled(resampler, n_boot, seed, workers)

    def find() -> Interval:
        return interval_of_values(chosen.function, values, point, level, resampler.without_one)

    limits = held(find, point, (-math.inf, math.inf), chosen.name)
    extra = {
        **_spread(values),
        **limits.extra,
        **({} if groups is None else {"n_clusters": records.k}),
        "caveats": [*_caveats(records, values, chosen.name, kept=not weights), *limits.caveats],
        "why": "resampled as asked",
        "unit": "score",
    }
    extra = _with_reasons(extra, limits.undefined)
    return Estimate(name, point, limits.low, limits.high, level, chosen.name, records.n, n_boot, seed, extra)


def _with_reasons(extra: dict[str, Any], undefined: dict[str, str]) -> dict[str, Any]:
    """What has no number, and why."""
    if "boot_se" not in extra:
        undefined = undefined | {"standard_error": "no resample has a value"}
    return extra | ({"undefined": undefined} if undefined else {})


def _refuse_extremes(stat_fn: Any) -> None:
    if any(stat_fn is extreme for extreme in _EXTREMES):
        raise MethodError(
            "no resample goes beyond a minimum or maximum, and most hold the very same: the bootstrap of one "
            "says nothing. Ask for a quantile, such as quantile(scores, .95)."
        )


@dataclass(frozen=True)
class _Records:
    """n records in k units. unit, stratum : (n,) codes, None for each its own unit, and for one stratum."""

    n: int
    k: int
    unit: Codes | None
    stratum: Codes | None
    off_mode: int | None

    def by_records(self, data: Any, stat_fn: Callable[[Any], float]) -> ByRecords:
        units = [np.array([i]) for i in range(self.n)] if self.unit is None else _positions(self.unit)
        if self.stratum is None:
            return ByRecords(data, stat_fn, [units])
        strata: list[list[NDArray[np.intp]]] = [[] for _ in range(int(self.stratum.max()) + 1)]
        for unit in units:
            strata[self.stratum[unit[0]]].append(unit)
        return ByRecords(data, stat_fn, strata)


def _records(data: Any, groups: Any, strata: Any) -> _Records:
    """Data that can be resampled by position, and how. Numbers in one dimension are checked like scores."""
    off: int | None = None
    if isinstance(data, str | bytes | dict) or not hasattr(data, "__len__"):
        raise InputError(
            f"data is a {type(data).__name__}: give an array, a list of records, or a data frame."
        )
    n = len(data)
    if n == 0:
        raise InputError("data is empty: there is nothing to resample.")
    if _is_numbers(data):
        off = off_mode(check_scores(data, "data"))
    unit, labels = (None, []) if groups is None else check_labels(groups, n, "groups")
    stratum = None if strata is None else check_labels(strata, n, "strata")[0]
    if unit is not None and stratum is not None:
        _refuse_torn(unit, stratum, labels)
    if unit is not None and len(labels) < 2:
        raise MethodError(
            f"all {n} records are in one group: how groups differ cannot be known from one. Give groups that "
            "differ, or leave them out if the records were drawn independently of each other."
        )
    return _Records(n, n if unit is None else len(labels), unit, stratum, off)


def _refuse_torn(unit: Codes, stratum: Codes, labels: list[Any]) -> None:
    first = np.unique(unit, return_index=True)[1]
    torn = np.flatnonzero(stratum != stratum[first][unit])
    if len(torn):
        raise InputError(
            f"group {labels[unit[torn[0]]]!r} has records in several strata: a group is drawn whole, within "
            "one stratum. Give groups that lie in one each."
        )


def _positions(codes: Codes) -> list[NDArray[np.intp]]:
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.cumsum(np.bincount(codes))[:-1])


def _by_weights(data: Any, records: _Records, stat_fn: Callable[..., Any]) -> ByWeights:
    """Rows of numbers, each once. Raises InputError for anything else."""
    try:
        rows = np.asarray(data, dtype=np.float64)
    except (TypeError, ValueError):
        rows = np.empty((0, 0, 0))
    if rows.ndim not in (1, 2) or len(rows) != records.n:
        raise InputError(
            "weights=True needs rows of numbers, (n,) or (n, c): map labels to numbers first, or leave "
            "weights out and let stat_fn take the records as they are."
        )
    bad = np.flatnonzero(~np.isfinite(rows.reshape(len(rows), -1)).all(axis=1))
    if len(bad):
        raise InputError(f"data[{bad[0]}] is {rows[bad[0]].tolist()}: leave out rows with a missing number.")
    return ByWeights(Reweighted.of(rows, records.unit, records.stratum), stat_fn)


def _is_numbers(data: Any) -> bool:
    if hasattr(data, "__array__"):
        array = np.asarray(data)
        return array.ndim == 1 and array.dtype.kind in "biuf"
    return isinstance(data, Sequence) and all(isinstance(one, int | float | np.number) for one in data)


def _spread(values: NDArray[np.float64]) -> dict[str, Any]:
    """Of values in ascending order, nan last."""
    known = values[: np.searchsorted(values, np.nan)]
    if len(known) == 0:
        return {"standard_error": math.nan}
    boot_se = float(np.std(known))
    return {
        "standard_error": boot_se,
        "boot_se": boot_se,
        "boot_mean": float(np.mean(known)),
        "law": "monte_carlo",
    }


def _caveats(
    records: _Records, values: NDArray[np.float64], method: str, *, kept: bool
) -> list[dict[str, str]]:
    order = "records were resampled in the order given: another order gives other digits"
    said = [caveat("order_kept", order)] if kept else []
    few_off = records.off_mode is not None and records.off_mode < FEW_OFF_MODE
    if records.k < FEW_UNITS or few_off:
        off = f", {records.off_mode} of them off the commonest value" if few_off else ""
        kind = method.rsplit("_", 1)[1]
        text = f"a {kind} interval of {records.k} resampled units{off}: its coverage is not assured"
        said.append(caveat("bootstrap_few_units", text))
    alone = _alone_in_strata(records)
    if alone:
        text = f"{alone} of the strata have one unit alone, which no resample changes: its noise is left out"
        said.append(caveat("named_method_weak", text))
    without = int(np.count_nonzero(np.isnan(values)))
    if without:
        text = f"stat_fn had no value on {without} resamples, which count as beyond either end"
        said.append(caveat("named_method_weak", text))
    return said


def _alone_in_strata(records: _Records) -> int:
    """How many strata have one unit alone."""
    if records.stratum is None:
        return 0
    first = slice(None) if records.unit is None else np.unique(records.unit, return_index=True)[1]
    return int(np.count_nonzero(np.bincount(records.stratum[first]) == 1))


METHODS = MethodTable("any other statistic", value_methods("bootstrap", "bootstrap of records"))
GROUPED = MethodTable(
    "any other statistic, in groups", value_methods("cluster_bootstrap", "bootstrap of groups")
)
