"""Wilcoxon's signed-rank test of paired scores: by ranks, so that no single difference can carry it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.errors import MethodError
from evalstats.kernel.arrays import check_scores
from evalstats.kernel.method import Method, MethodTable
from evalstats.methods.sign_flip import lattice_pvalue
from evalstats.numeric import order_free_sum, two_sided_normal
from evalstats.results import TestResult

Array = NDArray[np.float64]
MOST_EXACT = 50  # non-zero differences


def wilcoxon_test(differences: Any, *, method: str | None = None, name: str = "wilcoxon") -> TestResult:
    """Do paired scores lean one way, by rank? For scores whose size means little beyond their order.

    differences : (n,) candidate − baseline. Zeros are dropped, equal sizes share their mean rank.
    method : wilcoxon_exact (all signs, the default up to 50 non-zero differences) or wilcoxon_normal
    (ties corrected, no continuity correction). statistic : V, the sum of the positive ranks. effect : mean
    difference. pvalue : two-sided, 1 when no difference is non-zero.
    Raises InputError for what is no list of numbers, MethodError for an unknown method.
    Source: Wilcoxon 1945, Biometrics Bulletin 1:80–83; Pratt & Gibbons 1981 for midranks.

    >>> print(wilcoxon_test([0.3, 0.2, -0.4, 0.9, 0.4, -0.2, 0.8, 0.8]))
    wilcoxon p = 0.11, effect +0.35, wilcoxon_exact n=8
    """
    d = check_scores(differences, "differences")
    nonzero = d[d != 0]
    usual = "wilcoxon_exact" if len(nonzero) <= MOST_EXACT else "wilcoxon_normal"
    chosen = METHODS[usual if method is None else method]
    if chosen.name == "wilcoxon_exact" and len(nonzero) > MOST_EXACT:
        raise MethodError(
            f"wilcoxon_exact is for up to {MOST_EXACT} non-zero differences, these are {len(nonzero)}: use "
            "wilcoxon_normal, which is as good there."
        )
    ranks = midranks(np.abs(nonzero))
    pvalue = chosen.function(np.sign(nonzero) * ranks) if len(nonzero) else 1.0
    V = float(np.sum(ranks[nonzero > 0]))
    extra = {"statistic_kind": "V", "unit": "score", "n_discordant_units": len(nonzero)}
    return TestResult(name, V, pvalue, order_free_sum(d) / len(d), chosen.name, len(d), extra)


def midranks(sizes: Array) -> Array:
    """Ranks from 1; equal sizes share their mean rank. Equality is of the floats, as in R."""
    _, group, counts = np.unique(sizes, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[group])


def _exact(signed_ranks: Array) -> float:
    """V − its mean is half of Σ±rank, so this is the sign-flip of the signed ranks, doubled to be whole."""
    return lattice_pvalue(np.rint(2 * signed_ranks).astype(np.int64))


def _normal(signed_ranks: Array) -> float:
    """z = Σ±rank/√Σrank²: the variance of midranks is already corrected for ties."""
    return two_sided_normal(float(np.sum(signed_ranks)) / math.sqrt(float(np.sum(signed_ranks**2))))


METHODS = MethodTable(
    situation="paired scores by rank",
    methods=(
        Method(
            "wilcoxon_exact",
            _exact,
            "Wilcoxon 1945, Biometrics Bulletin 1:80–83",
            role="default",
            label="Wilcoxon, exact",
        ),
        Method(
            "wilcoxon_normal",
            _normal,
            "Hollander & Wolfe 1999, Nonparametric Statistical Methods, §3.1",
            label="Wilcoxon, normal",
        ),
    ),
)
