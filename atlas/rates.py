"""One pass rate: every k of n, so that coverage is exact."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy import special

from atlas.figure import Array, Figure, Limits, Row, figure
from evalstats.kernel.limits import NoInterval
from evalstats.methods.items import Request, item_values
from evalstats.methods.mean_intervals import PASS_RATE

SIZES = (5, 10, 20, 30, 50, 100, 200, 500, 1000, 5000)
_LOWER = (0.001, 0.003, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3)
RATES = (*_LOWER, 0.5, *(round(1 - p, 3) for p in reversed(_LOWER)))
MOST_FOR_BOOTSTRAP = {"percentile": 500, "basic": 100, "bca": 100, "studentized": 100}
RESAMPLES = 2000
_RARE = 1e-12  # a k this improbable is left out, as the limits of n = 5,000 take time


class RateCell(NamedTuple):
    n: int
    p: float


def binomial_weights(n: int, p: float) -> Array:
    """(n + 1,) P(Bin(n, p) = k)."""
    k = np.arange(n + 1)
    logs = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    return np.asarray(np.exp(logs + special.xlogy(k, p) + special.xlog1py(n - k, -p)))


@cache
def _limits(method: str, k: int, n: int, level: float) -> tuple[float, float]:
    chosen = PASS_RATE[method]
    if method == "wald" and k in (0, n):
        return np.nan, np.nan  # refused
    if "bootstrap" not in method:
        low, high = chosen.function(k, n, level)
        return low, high
    items = item_values(np.repeat([0.0, 1.0], [n - k, k]))
    try:
        found = chosen.function(items, Request(level, n_boot=RESAMPLES))
    except NoInterval:
        return np.nan, np.nan
    return found.low, found.high


def measure(cell: RateCell, method: str, level: float, draws: int) -> Figure | None:
    n, p = cell
    if "bootstrap" in method and n > MOST_FOR_BOOTSTRAP[method.rsplit("_", 1)[1]]:
        return None
    weights = binomial_weights(n, p)
    k = np.flatnonzero(weights > _RARE)
    low, high = np.array([_limits(method, int(one), n, level) for one in k]).T
    return figure(Limits(low, high, k / n, (0.0, 1.0)).held(), p, weights[k])


ROW = Row(
    key="rate",
    title="One pass rate",
    table=PASS_RATE,
    methods=tuple(method.name for method in PASS_RATE),
    cells=tuple(RateCell(n, p) for n in SIZES for p in RATES),
    measure=measure,
    informative=lambda cell: cell.n * min(cell.p, 1 - cell.p),
    caveat="few_informative",
)
