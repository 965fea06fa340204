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
from evalstats.kernel.arrays import check_labels, check_n_boot, check_scores, check_seed
from evalstats.kernel.check import check_level
from evalstats.kernel.law import high_quantile, low_quantile
from evalstats.kernel.limits import Interval, NoInterval, held
from evalstats.kernel.method import Method, MethodTable
from evalstats.methods.cautions import FEW_OFF_MODE, FEW_UNITS, off_mode
from evalstats.methods.differences import mean_difference
from evalstats.methods.means import mean
from evalstats.numeric import block_generators
from evalstats.results import Estimate

FEWEST_UNITS = 10  # under it no bootstrap of a free statistic has an interval
_EXTREMES = (min, max, np.min, np.max, np.amin, np.amax, np.nanmin, np.nanmax)
_TIE = 1e-12


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
    x, y = check_scores(a, "a"), check_scores(b, "b")
    if len(x) != len(y):
        raise PairingError(
            f"a has {len(x)} scores and b {len(y)}: the two need the same items in the same order."
        )
    method = "bootstrap_percentile" if groups is None else "cluster_bootstrap_percentile"
    return mean_difference(y, x, groups, level=level, method=method, n_boot=n_boot, seed=seed, name=name)


def bootstrap_statistic(
    data: Any,
    stat_fn: Callable[[Any], float],
    level: float = 0.95,
    n_boot: int = 10_000,
    seed: int = 0,
    name: str = "stat",
    *,
    groups: Any = None,
) -> Estimate:
    """How far could any other number be off: a composite, an F1, a ratio of metrics?

    data : an array (rows are records), a list of records, or a data frame; stat_fn gets the same kind and
    returns one number. groups : (n,) labels of clusters that are resampled whole.
    Records are resampled in the order given, so another order gives other digits (caveat order_kept). No
    interval under 10 records or groups, nor for a statistic that most resamples leave as it is.
    Raises MethodError for min and max, which no resampling can widen, and where stat_fn fails on the data
    itself; InputError for empty data or NaN in it.
    Source: Efron 1979, Annals of Statistics 7:1–26.

    >>> est = bootstrap_statistic(list(range(100)), lambda rows: sum(rows) / len(rows), n_boot=1000)
    >>> print(est)
    stat 49.5 [44.07, 55.18] 95% bootstrap_percentile n=100
    """
    if any(stat_fn is extreme for extreme in _EXTREMES):
        raise MethodError(
            "no resample goes beyond a minimum or maximum, and most hold the very same: the bootstrap of one "
            "says nothing. Ask for a quantile, such as quantile(scores, .95)."
        )
    level, n_boot, seed = check_level(level), check_n_boot(n_boot), check_seed(seed)
    records = _records(data, groups)
    point = _value(stat_fn, data)
    if not math.isfinite(point):
        raise MethodError(f"stat_fn gave {point} on the data itself: it must return one finite number.")
    chosen = METHODS["bootstrap_percentile" if groups is None else "cluster_bootstrap_percentile"]
    values = np.empty(0) if len(records.units) < FEWEST_UNITS else _resampled(records, stat_fn, n_boot, seed)
    limits = held(lambda: chosen.function(values, point, level), point, (-math.inf, math.inf), chosen.name)
    extra = {
        **_spread(values),
        **({} if groups is None else {"n_clusters": len(records.units)}),
        "caveats": [*_caveats(records, values), *limits.caveats],
        "why": "resampled as asked",
        "unit": "score",
    }
    undefined = limits.undefined | ({} if "boot_se" in extra else {"standard_error": "nothing was resampled"})
    if undefined:
        extra["undefined"] = undefined
    return Estimate(name, point, limits.low, limits.high, level, chosen.name, records.n, n_boot, seed, extra)


@dataclass(frozen=True)
class _Records:
    """units : positions of each unit's records. take : positions -> data of the same kind."""

    n: int
    units: list[NDArray[np.intp]]
    take: Callable[[NDArray[np.intp]], Any]
    off_mode: int | None


def _records(data: Any, groups: Any) -> _Records:
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
    units = [np.array([i]) for i in range(n)]
    if groups is not None:
        codes, labels = check_labels(groups, n, "groups")
        order = np.argsort(codes, kind="stable")
        units = np.split(order, np.cumsum(np.bincount(codes, minlength=len(labels)))[:-1])
    return _Records(n, units, _taker(data), off)


def _is_numbers(data: Any) -> bool:
    if hasattr(data, "__array__"):
        array = np.asarray(data)
        return array.ndim == 1 and array.dtype.kind in "biuf"
    return isinstance(data, Sequence) and all(isinstance(one, int | float | np.number) for one in data)


def _taker(data: Any) -> Callable[[NDArray[np.intp]], Any]:
    if isinstance(data, np.ndarray):
        return lambda at: data[at]
    if hasattr(data, "iloc"):
        return lambda at: data.iloc[at]
    if isinstance(data, Sequence):
        return lambda at: [data[i] for i in at]
    return lambda at: data[at]


def _value(stat_fn: Callable[[Any], float], data: Any) -> float:
    try:
        found = stat_fn(data)
    except Exception as problem:
        raise MethodError(
            f"stat_fn failed on the data itself: {type(problem).__name__}: {problem}. It gets the data as "
            "given and returns one number."
        ) from problem
    try:
        return float(found)
    except (TypeError, ValueError):
        raise MethodError(f"stat_fn gave {found!r} on the data: it must return one finite number.") from None


def _resampled(
    records: _Records, stat_fn: Callable[[Any], float], n_boot: int, seed: int
) -> NDArray[np.float64]:
    """(n_boot,) values; nan where stat_fn has none for a resample, such as a ratio with nothing below."""
    k = len(records.units)
    values = []
    for generator, size in block_generators(seed, n_boot):
        for _ in range(size):
            drawn = generator.integers(0, k, size=k)
            at = drawn if k == records.n else np.concatenate([records.units[i] for i in drawn])
            values.append(_value_or_nan(stat_fn, records.take(at)))
    return np.array(values)


def _value_or_nan(stat_fn: Callable[[Any], float], resample: Any) -> float:
    try:
        value = float(stat_fn(resample))
    except (ArithmeticError, ValueError):
        return math.nan
    return value if math.isfinite(value) else math.nan


def _percentile(values: NDArray[np.float64], point: float, level: float) -> Interval:
    """The percentile rule; a resample without a value counts as beyond either end."""
    if len(values) == 0:
        raise NoInterval(f"under {FEWEST_UNITS} records or groups no bootstrap interval keeps its level")
    near = _TIE * max(abs(point), float(np.max(np.where(np.isnan(values), 0.0, np.abs(values)))))
    unmoved = np.count_nonzero(np.abs(values - point) <= near) / len(values)
    if unmoved > 0.5:
        raise NoInterval(f"{unmoved:.0%} of the resamples give the estimate itself: its spread is not known")
    half_alpha = (1 - level) / 2
    low = low_quantile(np.sort(np.where(np.isnan(values), -np.inf, values)), half_alpha)
    high = high_quantile(np.sort(np.where(np.isnan(values), np.inf, values)), half_alpha)
    if not (math.isfinite(low) and math.isfinite(high)):
        raise NoInterval(f"stat_fn has no value on {np.mean(np.isnan(values)):.1%} of the resamples")
    return Interval(low, high)


def _spread(values: NDArray[np.float64]) -> dict[str, Any]:
    known = values[~np.isnan(values)]
    if len(known) == 0:
        return {"standard_error": math.nan}
    boot_se = float(np.std(known))
    return {
        "standard_error": boot_se,
        "boot_se": boot_se,
        "boot_mean": float(np.mean(known)),
        "law": "monte_carlo",
    }


def _caveats(records: _Records, values: NDArray[np.float64]) -> list[dict[str, str]]:
    order = "records were resampled in the order given: another order gives other digits"
    said = [caveat("order_kept", order)]
    k = len(records.units)
    few_off = records.off_mode is not None and records.off_mode < FEW_OFF_MODE
    if k < FEW_UNITS or few_off:
        off = f", {records.off_mode} of them off the commonest value" if few_off else ""
        text = f"a percentile interval of {k} resampled units{off}: its coverage is not assured"
        said.append(caveat("bootstrap_few_units", text))
    without = int(np.count_nonzero(np.isnan(values)))
    if without:
        text = f"stat_fn had no value on {without} resamples, which count as beyond either end"
        said.append(caveat("named_method_weak", text))
    return said


METHODS = MethodTable(
    situation="any other statistic",
    methods=(
        Method(
            "bootstrap_percentile",
            _percentile,
            "Efron 1979, Annals of Statistics 7:1–26",
            role="default",
            label="bootstrap of records, percentile",
        ),
        Method(
            "cluster_bootstrap_percentile",
            _percentile,
            "Field & Welsh 2007, JRSS B 69:369–390",
            label="bootstrap of groups, percentile",
        ),
    ),
)
