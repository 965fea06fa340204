"""Tests of pass/fail pairs: their size, exactly, over the discordant count."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from atlas.figure import Figure, Row
from atlas.pairs import DISCORDANT
from atlas.rates import SIZES, binomial_weights
from evalstats.methods.mcnemar import METHODS, mcnemar_pvalues


class McNemarCell(NamedTuple):
    n: int
    psi: float


def measure(cell: McNemarCell, method: str, level: float, draws: int) -> Figure:
    """1 − Σ_m P(Bin(n, ψ) = m)·P(p ≤ α | m, ½)."""
    of_discordant = binomial_weights(cell.n, cell.psi)
    size = 0.0
    for m in np.flatnonzero(of_discordant > 1e-12):
        b = np.arange(m + 1)
        lit = mcnemar_pvalues(b, m - b, method) <= 1 - level + 1e-12
        size += float(of_discordant[m] * np.sum(binomial_weights(int(m), 0.5)[lit]))
    return Figure(1 - size, size / 2, size / 2, 0.0, np.nan, 0)


ROW = Row(
    key="pair_test",
    title="Test of two pass rates on the same items",
    table=METHODS,
    methods=tuple(method.name for method in METHODS),
    cells=tuple(McNemarCell(n, psi) for n in SIZES if n <= 1000 for psi in DISCORDANT),
    measure=measure,
    informative=lambda cell: cell.n * cell.psi,
    caveat="few_discordant",
    kind="test",
)
