"""The test of a known order: every rank that the published order can have among the shuffled ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from atlas.figure import Figure, Row
from evalstats.subjects.contamination import METHODS, order_pvalue


class OrderCell(NamedTuple):
    shuffled: int


def measure(cell: OrderCell, method: str, level: float, draws: int) -> Figure:
    """1 − size: of B + 1 orders that are alike each is the published one as often."""
    orders = np.arange(cell.shuffled + 1.0)
    lit = [order_pvalue(float(own), np.delete(orders, int(own))) <= 1 - level + 1e-12 for own in orders]
    size = float(np.mean(lit))
    return Figure(1 - size, size, 0.0, 0.0, np.nan, 0)


ROW = Row(
    key="order_test",
    title="Test of a known order of items",
    table=METHODS,
    methods=("order_permutation",),
    cells=tuple(OrderCell(B) for B in (9, 19, 39, 99, 199, 999)),
    measure=measure,
    informative=lambda cell: float(cell.shuffled),
    caveat="few_informative",
    kind="test",
    note="Informative units are shuffled orders; the test is one-sided.",
)
