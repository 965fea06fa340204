"""Two pass rates on different items: every pair of counts."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from atlas import slow
from atlas.figure import Array, Figure, Limits, Row, figure
from atlas.rates import binomial_weights
from evalstats.methods.items import Request, item_values
from evalstats.methods.pairs import UnpairedItems
from evalstats.methods.unpaired import TESTS, TwoRates, unpaired_test
from evalstats.methods.unpaired_means import UNPAIRED_RATES as METHODS

SIZES = ((10, 10), (20, 20), (20, 60), (50, 50), (50, 150), (100, 100))
RATES = (0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99)
MOST_TABLES = {"miettinen_nurminen": 1500, "bootstrap": 500, "barnard": 1500, "boschloo": 500}
RESAMPLES = 1000
TEST_SIZES = ((10, 10), (20, 20), (20, 60), (50, 50))


class UnpairedCell(NamedTuple):
    n1: int
    n2: int
    p1: float
    p2: float


def _of_counts(method: str, rates: TwoRates, level: float) -> tuple[float, float]:
    if method == "wald" and rates.k1 in (0, rates.n1) and rates.k2 in (0, rates.n2):
        return np.nan, np.nan  # refused
    low, high = METHODS[method].function(rates, level)
    return low, high


def _bootstrap(method: str, rates: TwoRates, level: float) -> tuple[float, float]:
    """By the exact law; the studentised one by resamples."""
    first, second = (
        item_values(np.repeat([0.0, 1.0], [n - k, k]))
        for k, n in ((rates.k1, rates.n1), (rates.k2, rates.n2))
    )
    request = Request(level, n_boot=RESAMPLES if method.endswith("studentized") else None)
    return slow.limits_of(lambda: METHODS[method].function(UnpairedItems(second, first), request))


def _most_tables(method: str) -> float:
    return MOST_TABLES.get("bootstrap" if "bootstrap" in method else method, np.inf)


@lru_cache(maxsize=32)
def _limits(method: str, n1: int, n2: int, level: float) -> Limits:
    k1, k2 = np.indices((n1 + 1, n2 + 1))
    find = _bootstrap if "bootstrap" in method else _of_counts
    pairs = zip(k1.ravel(), k2.ravel(), strict=True)
    found = np.array([find(method, TwoRates(int(one), n1, int(two), n2), level) for one, two in pairs])
    low, high = (side.reshape(k1.shape) for side in found.T)
    return Limits(low, high, k1 / n1 - k2 / n2, (-1.0, 1.0)).held()


def _weights(cell: UnpairedCell) -> Array:
    return np.outer(binomial_weights(cell.n1, cell.p1), binomial_weights(cell.n2, cell.p2))


def measure(cell: UnpairedCell, method: str, level: float, draws: int) -> Figure | None:
    if (cell.n1 + 1) * (cell.n2 + 1) > _most_tables(method):
        return None
    return figure(_limits(method, cell.n1, cell.n2, level), cell.p1 - cell.p2, _weights(cell))


@lru_cache(maxsize=16)
def _pvalues(method: str, n1: int, n2: int) -> Array:
    name = None if method == "z_pooled" else method  # the default takes Fisher where a count is small
    pvalues = [
        [unpaired_test(k2, n2, k1, n1, method=name).pvalue for k2 in range(n2 + 1)] for k1 in range(n1 + 1)
    ]
    return np.array(pvalues)


def measure_test(cell: UnpairedCell, method: str, level: float, draws: int) -> Figure | None:
    """1 − the probability of p ≤ α between two equal rates."""
    if (cell.n1 + 1) * (cell.n2 + 1) > _most_tables(method):
        return None
    lit = _pvalues(method, cell.n1, cell.n2) <= 1 - level + 1e-12
    size = float(np.sum(_weights(cell)[lit]))
    return Figure(1 - size, size / 2, size / 2, 0.0, np.nan, 0)


def _informative(cell: UnpairedCell) -> float:
    return min(n * min(p, 1 - p) for n, p in ((cell.n1, cell.p1), (cell.n2, cell.p2)))


ROW = Row(
    key="unpaired",
    title="Two pass rates on different items",
    table=METHODS,
    methods=tuple(method.name for method in METHODS),
    cells=tuple(UnpairedCell(*n, p1, p2) for n in SIZES for p1 in RATES for p2 in RATES if p1 >= p2),
    measure=measure,
    informative=_informative,
    caveat="few_informative",
)
TEST_ROW = Row(
    key="unpaired_test",
    title="Test of two pass rates on different items",
    table=TESTS,
    methods=("z_pooled", "fisher", "barnard", "boschloo"),
    cells=tuple(UnpairedCell(*n, p, p) for n in TEST_SIZES for p in RATES),
    measure=measure_test,
    informative=_informative,
    caveat="few_informative",
    kind="test",
)
