"""pass@k and pass^k over problems, k > 1: seeded simulation."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy import special

from atlas import array_forms, bets, slow
from atlas.array_forms import ManyClusters, Pair
from atlas.draws import generator
from atlas.figure import Array, Figure, Limits, Row, figure
from atlas.scores import items
from evalstats.methods.mean_intervals import BOUNDED
from evalstats.numeric import z_of
from evalstats.subjects.passk import MEASURES

PROBLEMS = (20, 50, 164, 500)
ATTEMPTS = ((5, 2), (10, 5), (20, 10))
RATES = ((0.02, 0.6), (0.1, 0.3), (0.5, 0.3), (0.5, 0.6), (0.9, 0.6), (0.98, 0.6))
_UNIT = (0.0, 1.0)


class PasskCell(NamedTuple):
    """n attempts at each problem, whose own rate of right ones is Beta with mean p and this ICC."""

    measure: str
    problems: int
    n: int
    k: int
    p: float
    icc: float


def truth_of(cell: PasskCell) -> float:
    """E(r^k), and 1 − E((1 − r)^k), of the Beta law of rates r."""
    spread = (1 - cell.icc) / cell.icc
    a, b = cell.p * spread, (1 - cell.p) * spread
    if cell.measure == "pass_at_k":
        a, b = b, a
    moment = float(np.exp(special.betaln(a + cell.k, b) - special.betaln(a, b)))
    return 1 - moment if cell.measure == "pass_at_k" else moment


def values_of(cell: PasskCell) -> Array:
    """(n + 1,) the unbiased value of a problem with 0 … n right attempts."""
    value = MEASURES[cell.measure].value
    assert value is not None
    return np.array([value(cell.n, c, cell.k) for c in range(cell.n + 1)])


@lru_cache(maxsize=2)
def draw(cell: PasskCell, draws: int) -> ManyClusters:
    rng, spread = generator(cell, draws), (1 - cell.icc) / cell.icc
    rates = rng.beta(cell.p * spread, (1 - cell.p) * spread, size=(draws, cell.problems))
    return items(values_of(cell)[rng.binomial(cell.n, rates)])


def default(x: ManyClusters, level: float) -> Pair:
    """Wilson on the effective n; plain Wilson where every value is 0 or 1, as `values_estimate` takes it."""
    effective = array_forms.wilson_effective(x, level)
    plain = array_forms.wilson(x.point, x.n, z_of(level))
    binary = np.all((x.sums == 0) | (x.sums == 1), axis=1)
    low, high = (np.where(binary, one, other) for one, other in zip(plain, effective, strict=True))
    return low, high


def measure(cell: PasskCell, method: str, level: float, draws: int) -> Figure | None:
    truth = truth_of(cell)
    if method == "betting_mixture":
        return bets.measured(draw(cell, draws), _UNIT, truth, level)
    if "bootstrap" in method:
        few = cell.problems <= 164 and cell.n == 10
        return slow.of_bootstrap(method, level, few, lambda n: (draw(cell, n),), draws, _UNIT, truth)
    x = draw(cell, draws)
    form = default if method == "wilson_effective" else array_forms.OF_ITEMS[method]
    return figure(Limits(*form(x, level), x.point, _UNIT).held(), truth)


ROW = Row(
    key="passk",
    title="pass@k and pass^k over problems",
    table=BOUNDED,
    methods=(
        "wilson_effective",
        "betting_mixture",
        "t",
        "logit_t_shrunk",
        *(f"bootstrap_{kind}" for kind in slow.KINDS),
    ),
    cells=tuple(
        PasskCell(measure, problems, n, k, p, icc)
        for measure in ("pass_at_k", "pass_hat_k")
        for problems in PROBLEMS
        for n, k in ATTEMPTS
        for p, icc in RATES
    ),
    measure=measure,
    informative=lambda cell: float(np.mean(draw(cell, 500).informative)),
    caveat="few_problems",
    how="simulated",
    note=slow.NOTE,
    in_column=False,
)
