"""Statistics that are no mean: F1, correlation, median, ratios, in items and clusters, of one run and two."""

from __future__ import annotations

from functools import cache, lru_cache, partial
from typing import NamedTuple

import numpy as np
from scipy import special

from atlas import called
from atlas.draws import generator
from atlas.figure import Array, Figure, Measure, Row
from evalstats.kernel.method import MethodTable
from evalstats.kernel.order import WeightedQuantile
from evalstats.methods import bootstrap, paired_statistics, quantiles, ratios
from evalstats.results import Estimate

PER_CLUSTER = 5
COPIES = 0.3  # the share of a cluster's items that repeat its first one
CORRELATION, ACCURACY, RARE = 0.6, 0.85, 0.2
_PAIRED_SHIFT = 0.4
AGAIN = 800  # draws of the reduced measurement, of which an eighth is used


class StatisticCell(NamedTuple):
    """what : the statistic. units : records, or clusters of five of which some repeat the first."""

    what: str
    units: int


def _records(what: str, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """(…, columns) of independent records."""
    if what == "f1":
        label = rng.random(shape) < RARE
        right = rng.random(shape) < ACCURACY
        return np.stack([label, np.where(right, label, ~label)], axis=-1).astype(np.float64)
    if what == "correlation":
        x, other = rng.standard_normal(shape), rng.standard_normal(shape)
        return np.stack([x, CORRELATION * x + np.sqrt(1 - CORRELATION**2) * other], axis=-1)
    if what == "cost_per_solved":
        solved = rng.random(shape) < 0.6
        cost = rng.lognormal(0.0, 0.8, size=shape) * np.where(solved, 1.0, 1.5)
        return np.stack([cost, solved.astype(np.float64)], axis=-1)
    if what == "tokens_per_answer":
        answers = 1.0 + rng.integers(0, 4, size=shape)
        return np.stack([answers * rng.lognormal(0.0, 0.4, size=shape), answers], axis=-1)
    return rng.lognormal(0.0, 0.8, size=(*shape, 1))


@lru_cache(maxsize=2)
def draw(cell: StatisticCell, draws: int, clustered: bool) -> Array:
    """(draws, records, columns); in clusters five records a unit, in order."""
    rng = generator((*cell, clustered), draws)
    if not clustered:
        return _records(cell.what, rng, (draws, cell.units))
    y = _records(cell.what, rng, (draws, cell.units, PER_CLUSTER))
    copied = rng.random((draws, cell.units, PER_CLUSTER, 1)) < COPIES
    return np.asarray(np.where(copied, y[:, :, :1], y).reshape(draws, -1, y.shape[-1]))


def f1(rows: Array, weights: Array) -> Array:
    label, found = rows[:, 0], rows[:, 1]
    below = weights @ (label + found)
    return np.asarray(np.where(below > 0, 2 * (weights @ (label * found)) / np.maximum(below, 1), 0.0))


def correlation(rows: Array, weights: Array) -> Array:
    n = weights.sum(axis=1)
    x, y, xy, xx, yy = (
        weights @ column / n
        for column in (rows[:, 0], rows[:, 1], rows[:, 0] * rows[:, 1], rows[:, 0] ** 2, rows[:, 1] ** 2)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((xy - x * y) / np.sqrt((xx - x * x) * (yy - y * y)))


def median(rows: Array, weights: Array) -> Array:
    values = np.asarray(rows).reshape(-1)
    return WeightedQuantile(values, 0.5)(weights)


_FUNCTIONS = {"f1": f1, "correlation": correlation, "median": median}


@cache
def truth_of(what: str) -> float:
    if what == "f1":
        hit = RARE * ACCURACY
        return 2 * hit / (RARE + hit + (1 - RARE) * (1 - ACCURACY))
    if what == "correlation":
        return CORRELATION
    if what == "cost_per_solved":
        return float(np.exp(0.32)) * (0.6 + 0.4 * 1.5) / 0.6
    if what == "tokens_per_answer":
        return float(np.exp(0.08))
    return 1.0  # the median of a lognormal law


def _groups(cell: StatisticCell, clustered: bool) -> Array | None:
    return np.repeat(np.arange(cell.units), PER_CLUSTER) if clustered else None


def _statistic(cell: StatisticCell, rows: Array, method: str, clustered: bool) -> Estimate:
    data = rows[:, 0] if rows.shape[1] == 1 else rows
    return bootstrap.bootstrap_statistic(
        data,
        _FUNCTIONS[cell.what],
        n_boot=called.RESAMPLES,
        groups=_groups(cell, clustered),
        weights=True,
        method=method,
    )


def measure_statistic(
    cell: StatisticCell, method: str, level: float, draws: int, *, clustered: bool
) -> Figure | None:
    if not called.at(level, method):
        return None
    drawn = draw(cell, called.fewer(draws), clustered)
    return called.of_estimates(
        (_statistic(cell, rows, method, clustered) for rows in drawn), truth_of(cell.what)
    )


def measure_ratio(
    cell: StatisticCell, method: str, level: float, draws: int, *, clustered: bool
) -> Figure | None:
    if not called.at(level, method):
        return None
    groups, n_boot = _groups(cell, clustered), called.resamples(method)
    found = (
        ratios.ratio(rows[:, 0], rows[:, 1], groups, level=level, method=method, n_boot=n_boot)
        for rows in draw(cell, called.fewer(draws), clustered)
    )
    return called.of_estimates(found, truth_of(cell.what))


def measure_paired(
    cell: StatisticCell, method: str, level: float, draws: int, *, clustered: bool
) -> Figure | None:
    """The difference of two medians: the candidate's costs are a share of the baseline's, with noise."""
    if not called.at(level, method):
        return None
    drawn = called.fewer(draws)
    old = draw(cell, drawn, clustered)[..., 0]
    noise = 0.5 * generator((*cell, "candidate", clustered), drawn).standard_normal(old.shape)
    new = np.exp(_PAIRED_SHIFT) * old * np.exp(noise)
    groups = _groups(cell, clustered)
    found = (
        paired_statistics.quantile_difference(
            *pair, 0.5, groups, level=level, method=method, n_boot=called.RESAMPLES
        )
        for pair in zip(old, new, strict=True)
    )
    return called.of_estimates(found, float(np.expm1(_PAIRED_SHIFT)))


class QuantileClusterCell(NamedTuple):
    units: int
    q: float


def measure_quantile(cell: QuantileClusterCell, method: str, level: float, draws: int) -> Figure | None:
    if not called.at(level, method):
        return None
    groups = np.repeat(np.arange(cell.units), PER_CLUSTER)
    rows = draw(StatisticCell("median", cell.units), called.fewer(draws), clustered=True)[..., 0]
    found = (quantiles.quantile(x, cell.q, groups, level=level, method=method) for x in rows)
    return called.of_estimates(found, float(np.exp(0.8 * special.ndtri(cell.q))))


_OF_ITEMS, _OF_CLUSTERS = (10, 20, 50, 100, 200), (10, 20, 50, 100)
_NOTE = called.NOTE + " Clusters have five items, three in ten of which repeat the first. Informative: units."


def _cells(what: tuple[str, ...], counts: tuple[int, ...]) -> tuple[StatisticCell, ...]:
    return tuple(StatisticCell(one, units) for one in what for units in counts)


def _row(key: str, title: str, table: MethodTable, measured: Measure, cells: tuple[NamedTuple, ...]) -> Row:
    names = (table.default.name, *(method.name for method in table if method != table.default))
    return Row(
        key,
        title,
        table,
        names,
        cells,
        measured,
        informative=lambda cell: float(cell.units),
        caveat="bootstrap_few_units",
        how="simulated",
        note=_NOTE,
        again=AGAIN,
    )


_STATISTICS, _RATIOS = tuple(_FUNCTIONS), ("cost_per_solved", "tokens_per_answer")
ROWS = (
    _row(
        "any_statistic",
        "Any other statistic",
        bootstrap.METHODS,
        partial(measure_statistic, clustered=False),
        _cells(_STATISTICS, _OF_ITEMS),
    ),
    _row(
        "any_statistic_groups",
        "Any other statistic, in groups",
        bootstrap.GROUPED,
        partial(measure_statistic, clustered=True),
        _cells(_STATISTICS, _OF_CLUSTERS),
    ),
    _row(
        "pair_statistic",
        "The difference of two medians on the same items",
        paired_statistics.ITEMS,
        partial(measure_paired, clustered=False),
        _cells(("median",), _OF_ITEMS),
    ),
    _row(
        "pair_statistic_clusters",
        "The difference of two medians on the same items, in clusters",
        paired_statistics.CLUSTERED,
        partial(measure_paired, clustered=True),
        _cells(("median",), _OF_CLUSTERS),
    ),
    _row(
        "ratio",
        "A ratio of two metrics",
        ratios.ITEMS,
        partial(measure_ratio, clustered=False),
        _cells(_RATIOS, _OF_ITEMS),
    ),
    _row(
        "ratio_cluster",
        "A ratio of two metrics in clusters",
        ratios.CLUSTERED,
        partial(measure_ratio, clustered=True),
        _cells(_RATIOS, _OF_CLUSTERS),
    ),
    _row(
        "quantile_cluster",
        "A median or another quantile in clusters",
        quantiles.CLUSTERED,
        measure_quantile,
        tuple(QuantileClusterCell(units, q) for units in _OF_CLUSTERS for q in (0.25, 0.5, 0.9)),
    ),
)
