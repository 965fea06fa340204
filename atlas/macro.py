"""The macro average of several benchmarks, of one run and of a paired difference: seeded simulation."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from atlas import called, slow
from atlas.draws import generator
from atlas.figure import Array, Figure, Limits, Row, figure
from evalstats.kernel.resampled import Bootstrap
from evalstats.kernel.units import Tally, Units
from evalstats.methods import macro
from evalstats.methods.paired import paired_proportions
from evalstats.methods.rates import proportion
from evalstats.results import Estimate

SIZES = {3: (50, 100, 200), 5: (30, 50, 100, 200, 500), 10: (20, 30, 40, 50, 60, 80, 100, 200, 300, 500)}
RATES = {"middle": (0.3, 0.6), "easy": (0.85, 0.98), "mixed": (0.1, 0.95)}


class MacroCell(NamedTuple):
    """benchmarks : how many, with sizes of SIZES; rates : between which ends their pass rates are spread."""

    benchmarks: int
    rates: str


class MacroPairCell(NamedTuple):
    """psi : share of discordant items; the benchmarks' differences are spread between −ψ/2 and ψ."""

    benchmarks: int
    psi: float


def rates_of(cell: MacroCell) -> Array:
    return np.linspace(*RATES[cell.rates], cell.benchmarks)


def differences_of(cell: MacroPairCell) -> Array:
    return np.linspace(-cell.psi / 2, cell.psi, cell.benchmarks)


@lru_cache(maxsize=2)
def _runs(cell: MacroCell, draws: int) -> list[list[Estimate]]:
    rng, sizes = generator(cell, draws), SIZES[cell.benchmarks]
    passes = rng.binomial(sizes, rates_of(cell), size=(draws, cell.benchmarks))
    return [[proportion(int(k), n) for k, n in zip(row, sizes, strict=True)] for row in passes]


@lru_cache(maxsize=2)
def _pairs(cell: MacroPairCell, draws: int) -> list[list[Estimate]]:
    rng, sizes = generator(cell, draws), SIZES[cell.benchmarks]
    columns = [
        rng.multinomial(n, [(cell.psi - D) / 2, (cell.psi + D) / 2, 1 - cell.psi], size=draws)
        for n, D in zip(sizes, differences_of(cell), strict=True)
    ]
    return [
        [_difference(int(c), int(b), n) for (c, b, _), n in zip(tables, sizes, strict=True)]
        for tables in zip(*columns, strict=True)
    ]


@lru_cache(maxsize=1 << 16)
def _difference(baseline_only: int, candidate_only: int, n: int) -> Estimate:
    """A benchmark's row; the macro average takes its point and standard error, whatever its limits."""
    return paired_proportions(baseline_only, candidate_only, n, method="bonett_price")


def _figure(found: list[Estimate], truth: float, scale: tuple[float, float]) -> Figure:
    low, high, point = np.array([(one.ci_low, one.ci_high, one.point) for one in found]).T
    return figure(Limits(low, high, point, scale), truth)


def _resampled(tallies: tuple[Tally, ...], level: float) -> Bootstrap:
    """The units of the benchmarks, each drawn on its own, all counting the same."""
    weights = tuple(1 / len(tallies) for _ in tallies)
    return Bootstrap(tallies, level, n_boot=called.RESAMPLES, weights=weights)


def _of_counts(values: tuple[float, ...], counts: tuple[int, ...]) -> Tally:
    return Units.of_items(np.repeat(values, counts)).tally()


def _bootstrapped(rows: list[Estimate], level: float) -> Bootstrap:
    """Of pass rates, or of differences of them."""
    if "candidate_only" in rows[0].extra:
        tables = [(one.extra["candidate_only"], one.extra["baseline_only"], one.n) for one in rows]
        tallies = [_of_counts((1.0, -1.0, 0.0), (c, b, n - b - c)) for c, b, n in tables]
    else:
        passes = [(round(one.point * one.n), one.n) for one in rows]
        tallies = [_of_counts((1.0, 0.0), (k, n - k)) for k, n in passes]
    return _resampled(tuple(tallies), level)


def measure(cell: MacroCell, method: str, level: float, draws: int) -> Figure | None:
    if "bootstrap" in method:
        if not called.at(level, method):
            return None
        resampled = [
            macro.macro_mean(
                rows, (0.0, 1.0), level=level, method=method, bootstrap=_bootstrapped(rows, level)
            )
            for rows in _runs(cell, called.fewer(draws))
        ]
        return _figure(resampled, float(np.mean(rates_of(cell))), (0.0, 1.0))
    scale = (0.0, 1.0) if method == "wilson_stratified" else None
    runs = _runs(cell, draws)
    found = [macro.macro_mean(rows, scale, level=level) for rows in runs]
    return _figure(found, float(np.mean(rates_of(cell))), (0.0, 1.0))


def measure_pairs(cell: MacroPairCell, method: str, level: float, draws: int) -> Figure | None:
    truth = float(np.mean(differences_of(cell)))
    if "bootstrap" in method:
        if not called.at(level, method):
            return None
        resampled = [
            macro.macro_difference(
                rows, (0.0, 1.0), level=level, method=method, bootstrap=_bootstrapped(rows, level)
            )
            for rows in _pairs(cell, called.fewer(draws))
        ]
        return _figure(resampled, truth, (-1.0, 1.0))
    found = [macro.macro_difference(rows, (0.0, 1.0), level=level) for rows in _pairs(cell, draws)]
    return _figure(found, truth, (-1.0, 1.0))


_BOOTSTRAPS = tuple(f"stratified_bootstrap_{kind}" for kind in slow.KINDS)
ROW = Row(
    key="macro",
    title="The macro average of one run",
    table=macro.MEANS,
    methods=("wilson_stratified", "stratified_t", *_BOOTSTRAPS),
    cells=tuple(MacroCell(K, rates) for K in SIZES for rates in RATES),
    measure=measure,
    informative=lambda cell: float(
        np.dot(SIZES[cell.benchmarks], np.minimum(rates_of(cell), 1 - rates_of(cell)))
    ),
    caveat="few_informative",
    how="simulated",
    note=slow.NOTE,
)
PAIR_ROW = Row(
    key="macro_pair",
    title="The macro average of a paired difference",
    table=macro.DIFFERENCES,
    methods=("stratified_t", *_BOOTSTRAPS),
    cells=tuple(MacroPairCell(K, psi) for K in SIZES for psi in (0.05, 0.1, 0.2, 0.4)),
    measure=measure_pairs,
    informative=lambda cell: cell.psi * sum(SIZES[cell.benchmarks]),
    caveat="few_nonzero_differences",
    how="simulated",
    note=slow.NOTE,
)
