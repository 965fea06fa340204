"""Pass/fail pairs: every table (b, c) of n while there are few enough, drawn tables beyond."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy import special

from atlas.array_forms import Pair, tango_bonett_price
from atlas.draws import generator
from atlas.figure import Array, Figure, Limits, Row, figure
from evalstats.kernel.limits import NoInterval
from evalstats.methods.items import Request
from evalstats.methods.paired import (
    LEAST_FOR_GUARANTEE,
    MOST_DISCORDANT_FOR_GUARANTEE,
    PairedCounts,
    tango_statistics,
    tango_upper,
)
from evalstats.methods.paired_intervals import PAIRED_RATES, PAIRED_RATES_UNDER_TEN
from evalstats.methods.pairs import paired_items
from evalstats.numeric import z_of

SIZES = (5, 10, 20, 30, 50, 100, 200, 500, 1000, 5000)
DISCORDANT = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.9)
SHARES = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)
MOST_ENUMERATED = {
    "tango": 500,
    "wald": 200,
    "bonett_price": 200,
    "agresti_min": 200,
    "tango_bonett_price": 100,
    "betting_mixture": 20,
    "newcombe": 0,
    "paired_bootstrap_percentile": 30,
    "paired_bootstrap_basic": 20,
    "paired_bootstrap_bca": 20,
    "paired_bootstrap_studentized": 20,
}
_DRAWN_TOO = {"wald": 1000, "bonett_price": 1000, "agresti_min": 1000, "newcombe": 200}
RESAMPLES = 1000
_RARE = 1e-10


class PairCell(NamedTuple):
    """psi : share of discordant items. share : |D|/ψ."""

    n: int
    psi: float
    share: float

    @property
    def truth(self) -> float:
        return self.psi * self.share


def rates_of(cell: PairCell) -> tuple[float, float]:
    """P(candidate only), P(baseline only)."""
    return (cell.psi + cell.truth) / 2, (cell.psi - cell.truth) / 2


def table_weights(cell: PairCell, b: Array, c: Array) -> Array:
    """P(b, c) under Multinomial(n; (ψ+D)/2, (ψ−D)/2, 1−ψ)."""
    above, below = rates_of(cell)
    rest = cell.n - b - c
    logs = special.gammaln(cell.n + 1) - sum(special.gammaln(part + 1) for part in (b, c, rest))
    logs = logs + special.xlogy(b, above) + special.xlogy(c, below) + special.xlogy(rest, 1 - cell.psi)
    return np.asarray(np.exp(logs))


@lru_cache(maxsize=2)
def _tables(n: int) -> tuple[Array, Array]:
    b, c = np.indices((n + 1, n + 1), dtype=np.float64)
    keep = b + c <= n
    return b[keep], c[keep]


@lru_cache(maxsize=6)
def _tango_of_all(n: int, level: float) -> tuple[Array, Array]:
    """(n + 1, n + 1) limits by b and c; the lower one is the mirror image of the upper one."""
    b, c = _tables(n)
    upper = np.full((n + 1, n + 1), np.nan)
    upper[b.astype(int), c.astype(int)] = tango_upper(b, c, n, z_of(level))
    return -upper.T, upper


@lru_cache(maxsize=1 << 19)
def _one(method: str, b: int, c: int, n: int, level: float, both_right: int | None) -> tuple[float, float]:
    chosen = PAIRED_RATES[method]
    if method == "wald" and (b + c == 0 or abs(b - c) == n):
        return np.nan, np.nan  # refused
    if "bootstrap" not in method:
        low, high = chosen.function(PairedCounts(b, c, n, both_right), level)
        return low, high
    candidate = np.repeat([1.0, 0.0, 0.0], [b, c, n - b - c])
    baseline = np.repeat([0.0, 1.0, 0.0], [b, c, n - b - c])
    try:
        found = chosen.function(paired_items(baseline, candidate), Request(level, n_boot=RESAMPLES))
    except NoInterval:
        return np.nan, np.nan
    return found.low, found.high


def _limits(method: str, b: Array, c: Array, n: int, level: float) -> Limits:
    if method in ("tango", "tango_bonett_price"):
        low, high = (limits[b.astype(int), c.astype(int)] for limits in _tango_of_all(n, level))
    if method == "tango_bonett_price":
        low, high = _guaranteed((low, high), b, c, n, level)
    elif method != "tango":
        half = [None if method != "newcombe" else int(n - x - y) // 2 for x, y in zip(b, c, strict=True)]
        found = [_one(method, int(x), int(y), n, level, both) for x, y, both in zip(b, c, half, strict=True)]
        low, high = np.array(found).T
    return Limits(low, high, (b - c) / n, (-1.0, 1.0)).held()


def _guaranteed(tango: Pair, b: Array, c: Array, n: int, level: float) -> Pair:
    """The outer limits, of betting too where nearly all items are discordant."""
    low, high = tango_bonett_price(tango, b, c, n, level)
    for i in np.flatnonzero(b + c > MOST_DISCORDANT_FOR_GUARANTEE * n):
        from_bets = _one("betting_mixture", int(b[i]), int(c[i]), n, level, None)
        low[i], high[i] = min(low[i], from_bets[0]), max(high[i], from_bets[1])
    return low, high


def measure(cell: PairCell, method: str, level: float, draws: int) -> Figure | None:
    if method == "tango_bonett_price" and cell.n < LEAST_FOR_GUARANTEE:
        return None
    if cell.n <= MOST_ENUMERATED[method]:
        b, c = _tables(cell.n)
        weights = table_weights(cell, b, c)
        keep = weights > _RARE
        return figure(_limits(method, b[keep], c[keep], cell.n, level), cell.truth, weights[keep])
    if method == "tango":
        return _by_acceptance(cell, level)
    return _drawn(cell, method, level, draws) if cell.n <= _DRAWN_TOO.get(method, 0) else None


def _drawn(cell: PairCell, method: str, level: float, draws: int) -> Figure:
    drawn = draw_tables(cell, draws)
    return figure(_limits(method, drawn[:, 0], drawn[:, 1], cell.n, level), cell.truth)


def draw_tables(cell: PairCell, draws: int) -> Array:
    """(draws, 2) tables b, c."""
    above, below = rates_of(cell)
    drawn = generator(cell, draws).multinomial(cell.n, [above, below, 1 - cell.psi], size=draws)
    return drawn[:, :2].astype(np.float64)


def _by_acceptance(cell: PairCell, level: float) -> Figure:
    """Too many tables to invert the test on each: the truth is inside where the test accepts it."""
    spread = 7 * np.sqrt(cell.n / 4)
    b_mean, c_mean = (cell.n * rate for rate in rates_of(cell))
    b, c = (
        np.arange(max(0, int(mean - spread)), min(cell.n, int(mean + spread)) + 1, dtype=np.float64)
        for mean in (b_mean, c_mean)
    )
    b, c = (one.ravel() for one in np.meshgrid(b, c, indexing="ij"))
    keep = b + c <= cell.n
    b, c = b[keep], c[keep]
    weights = table_weights(cell, b, c)
    keep = weights > _RARE
    b, c, weights = b[keep], c[keep], weights[keep] / weights[keep].sum()
    z = tango_statistics(c, b, cell.n, cell.truth)
    too_high, too_low = (float(np.sum(weights[side * z > z_of(level)])) for side in (1, -1))
    x, y = draw_tables(cell, 500).T
    upper, lower = tango_upper(x, y, cell.n, z_of(level)), -tango_upper(y, x, cell.n, z_of(level))
    return Figure(1 - too_high - too_low, too_high, too_low, 0.0, float(np.mean(upper - lower)), 0)


UNDER_TEN = (5, 6, 7, 8, 9)

ROW = Row(
    key="pair",
    title="Two pass rates on the same items",
    table=PAIRED_RATES,
    methods=tuple(method.name for method in PAIRED_RATES),
    cells=tuple(PairCell(n, psi, share) for n in SIZES for psi in DISCORDANT for share in SHARES),
    measure=measure,
    informative=lambda cell: min(cell.n * cell.psi, cell.n * (1 - cell.truth)),
    caveat="few_discordant",
)
UNDER_TEN_ROW = Row(
    key="pair_under_ten",
    title="Two pass rates on the same items, under ten of them",
    table=PAIRED_RATES_UNDER_TEN,
    methods=tuple(method.name for method in PAIRED_RATES_UNDER_TEN if method.name != "tango_bonett_price"),
    cells=tuple(PairCell(n, psi, share) for n in UNDER_TEN for psi in DISCORDANT for share in SHARES),
    measure=measure,
    informative=ROW.informative,
    caveat="few_discordant",
)
