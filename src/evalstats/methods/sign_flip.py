"""If the two runs were exchangeable, how often would swapping them item by item look as one-sided as this?

P(|Σ±d_i| ≥ |Σd_i|) over all 2ⁿ signs: exact where the differences lie on a lattice or are few, else by
(1+#)/(1+B) random signs. Ties count.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.errors import InputError
from evalstats.kernel.arrays import check_labels, check_n_boot, check_scores, check_seed
from evalstats.kernel.lattice import common_step
from evalstats.kernel.method import Method, MethodTable
from evalstats.numeric import block_generators, group_sums, order_free_sum
from evalstats.results import TestResult

Array = NDArray[np.float64]
DEFAULT_N_BOOT = 10_000
ENUMERATED = 20  # differences: 2²⁰ signs
MOST_STEPS = 1 << 22  # of the lattice between the two ends of Σ±d
_CELLS = 1 << 16
_TIE = 1e-12


def sign_flip_test(
    differences: Any,
    cluster: Any = None,
    *,
    n_boot: int = DEFAULT_N_BOOT,
    seed: int = 0,
    name: str = "sign_flip",
) -> TestResult:
    """Could paired differences be chance, without assuming a distribution? Swaps the runs within units.

    differences : (n,) candidate − baseline, one per item. cluster : (n,) labels; the units are then the
    clusters and their sums. Tests that the two runs are exchangeable, not only that their means agree.
    effect : mean difference. statistic : Σd. pvalue : two-sided; exact (extra["law"]) on a lattice and up
    to 20 non-zero differences, else from n_boot random sign vectors.
    Raises InputError for what is no list of numbers. Source: Fisher 1935, The Design of Experiments, §21.

    >>> print(sign_flip_test([0.3, 0.2, -0.4, 0.9, 0.4, -0.2, 0.8, 0.8]))
    sign_flip p = 0.1, effect +0.35, sign_flip n=8
    """
    d = check_scores(differences, "differences")
    check_n_boot(n_boot)
    check_seed(seed)
    units = d
    extra: dict[str, Any] = {"unit": "score", "why": "labels swapped within units"}
    if cluster is not None:
        codes, labels = check_labels(cluster, len(d), "cluster")
        if len(labels) < 2:
            raise InputError("all differences are in one cluster: swapping it as a whole tells nothing.")
        units = group_sums(d, codes, len(labels))
        extra["n_clusters"] = len(labels)
    pvalue, law = sign_flip_pvalue(units, n_boot, seed)
    total = order_free_sum(d)
    extra |= {
        "law": law,
        "statistic_kind": "sum of differences",
        "n_discordant_units": int(np.count_nonzero(units)),
    }
    return TestResult(name, total, pvalue, total / len(d), "sign_flip", len(d), extra)


def sign_flip_pvalue(units: Array, n_boot: int, seed: int) -> tuple[float, str]:
    """P(|Σ±u| ≥ |Σu|) and how it was computed, "exact" or "monte_carlo". units : (n,)."""
    largest = float(np.max(np.abs(units)))
    nonzero = units[np.abs(units) > _TIE * largest]
    if len(nonzero) == 0:
        return 1.0, "exact"
    steps = lattice_steps(nonzero)
    if steps is not None:
        return lattice_pvalue(steps), "exact"
    if len(nonzero) <= ENUMERATED:
        return _enumerated_pvalue(nonzero), "exact"
    return _sampled_pvalue(nonzero, n_boot, seed), "monte_carlo"


def exact_or_affordable(units: Array, n_boot: int) -> bool:
    """Whether `sign_flip_pvalue` takes at most about a second."""
    nonzero = units[units != 0]
    return len(nonzero) * n_boot <= 3e8 or lattice_steps(nonzero) is not None


def lattice_steps(nonzero: Array) -> NDArray[np.int64] | None:
    """The differences as whole multiples of a common step, None if there is none coarse enough."""
    step = common_step(np.unique(np.abs(nonzero)))
    if step is None:
        return None
    steps = np.rint(nonzero / step)
    whole = float(np.sum(np.abs(steps))) <= MOST_STEPS
    return steps.astype(np.int64) if whole else None


def lattice_pvalue(steps: NDArray[np.int64]) -> float:
    """Exact over all 2ⁿ signs: the characteristic function of Σ±a is Π cos(aθ), inverted by FFT.

    Tails below 1e-8, where the FFT's rounding shows, are summed by dynamic programming instead.
    """
    sizes, counts = np.unique(np.abs(steps), return_counts=True)
    observed, total = abs(int(steps.sum())), int(np.abs(steps).sum())
    n_points = 1 << (2 * total + 1).bit_length()
    theta = 2 * np.pi * np.arange(n_points // 2 + 1) / n_points
    characteristic = np.ones(len(theta))
    for size, count in zip(sizes, counts, strict=True):
        characteristic *= np.cos(size * theta) ** count
    mass = np.maximum(np.fft.irfft(characteristic, n_points), 0.0)  # mass[j] = P(Σ = j), modulo n_points
    upper = float(np.sum(mass[observed : total + 1]))
    if upper < 1e-8:
        upper = _upper_tail(sizes, counts, observed)
    return min(1.0, 2 * upper) if observed > 0 else 1.0


def _upper_tail(sizes: NDArray[np.int64], counts: NDArray[np.int64], observed: int) -> float:
    """P(Σ±a ≥ observed), adding one difference at a time to the sum of the flipped ones."""
    total = int(np.sum(sizes * counts))
    short = np.zeros((total - observed) // 2 + 1)  # short[j] = P(the flipped sizes add to j)
    short[0] = 1.0
    for size in np.repeat(sizes, counts):
        moved = np.zeros_like(short)
        if size < len(short):
            moved[size:] = short[: len(short) - size]
        short = (short + moved) / 2
    return float(np.sum(short))


def _enumerated_pvalue(nonzero: Array) -> float:
    """All signs; the first is fixed, since flipping every sign changes nothing of |Σ|."""
    ordered = np.sort(np.abs(nonzero))
    sums = ordered[:1]
    for d in ordered[1:]:
        sums = np.concatenate([sums + d, sums - d])
    return float(np.mean(np.abs(sums) >= _threshold(nonzero)))


def _threshold(nonzero: Array) -> float:
    return abs(order_free_sum(nonzero)) - _TIE * float(np.sum(np.sort(np.abs(nonzero))))


def _sampled_pvalue(nonzero: Array, n_boot: int, seed: int) -> float:
    sizes = np.sort(np.abs(nonzero))  # a sign is as likely as the other, so only sizes matter
    threshold = _threshold(nonzero)
    step = max(1, _CELLS // len(sizes))
    as_large = 0
    for generator, size in block_generators(seed, n_boot):
        for start in range(0, size, step):
            signs = _random_signs(generator, min(step, size - start), len(sizes))
            as_large += int(np.count_nonzero(np.abs(np.add.reduce(signs * sizes, axis=1)) >= threshold))
    return (1 + as_large) / (1 + n_boot)


def _random_signs(generator: np.random.Generator, rows: int, n: int) -> NDArray[np.int8]:
    """(rows, n) of −1 and 1, from whole words: a row's signs do not depend on how many rows are drawn."""
    words = generator.integers(0, 1 << 32, size=(rows, math.ceil(n / 32)), dtype=np.uint32)
    bits = np.unpackbits(words.astype("<u4").view(np.uint8), axis=1)[:, :n]
    return (2 * bits.view(np.int8) - 1).astype(np.int8)


METHODS = MethodTable(
    situation="paired scores by permutation",
    methods=(
        Method(
            "sign_flip",
            sign_flip_pvalue,
            "Fisher 1935, The Design of Experiments, §21",
            role="default",
            label="sign-flip",
            proof="proved",
        ),
    ),
)
