"""The joint law of sums and sizes against convolution, draw by draw, and so its windows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalstats.kernel.exact import Atoms, merged
from evalstats.kernel.ratio import RatioSum
from evalstats.kernel.ratio_lattice import _quick_length, _windows, ratio_lattice_law
from evalstats.kernel.sums import FAR
from evalstats.kernel.units import Tally, Units

SIZES = np.arange(40) % 3 + 4
HITS = (np.arange(40) * 7) % (SIZES + 1)


def made(sums: object, sizes: object) -> Tally:
    return Units.of_sums(np.asarray(sums, dtype=float), np.asarray(sizes, dtype=float)).tally()


def by_convolution(tally: Tally, step: float, unit: float) -> Atoms:
    """Every pair of totals, draw by draw: sums of products above 0. Of whole numbers of a step and a unit."""
    s, m = np.rint(tally.rows.T / [[step], [unit]]).astype(int)
    n, s0, m0 = tally.n, s.min(), m.min()
    law = np.ones((1, 1))
    for _ in range(n):
        longer = np.zeros((law.shape[0] + np.ptp(s), law.shape[1] + np.ptp(m)))
        for i, j, rate in zip(s - s0, m - m0, tally.counts / n, strict=True):
            longer[i : i + law.shape[0], j : j + law.shape[1]] += rate * law
        law = longer
    i, j = np.nonzero(law)
    drawn = n * m0 + j > 0
    i, j = i[drawn], j[drawn]
    return merged(step / unit * (n * s0 + i) / (n * m0 + j), law[i, j], "oracle")


DATA = {
    "pass/fail": (made(HITS, SIZES), 1.0, 1.0),
    "hardly any failures": (made(np.where(np.arange(40) < 3, SIZES - 1, SIZES), SIZES), 1.0, 1.0),
    "one failure in each": (made(SIZES - 1, SIZES), 1.0, 1.0),
    "a sum that tells the size": (made(SIZES**2, SIZES), 1.0, 1.0),
    "a size for two sums": (made(2 * (HITS > 2) + SIZES % 2, 1 + SIZES % 2), 1.0, 1.0),
    "scores of 1 to 10": (made((np.arange(15) * 7) % 10 + 1, np.arange(15) % 3 + 1), 1.0, 1.0),
    "thirds": (made(HITS[:20] / 3, SIZES[:20]), 1 / 3, 1.0),
    "per cent": (made(50.0 * HITS[:20], 2 * SIZES[:20]), 50.0, 2.0),
    "either sign": (made(HITS - 3, SIZES), 1.0, 1.0),
    "one large cluster": (made([*HITS[:20], 30], [*SIZES[:20], 60]), 1.0, 1.0),
    "two empty units": (made([0, 0, *HITS[:20]], [0, 0, *SIZES[:20]]), 1.0, 1.0),
    "an empty unit of four": (made([0, 2, 3, 1], [0, 5, 3, 4]), 1.0, 1.0),
}


@pytest.mark.parametrize("name", DATA)
def test_nothing_of_the_law_is_outside_its_window(name: str) -> None:
    tally, step, unit = DATA[name]
    law, oracle = ratio_lattice_law(RatioSum(tally), 1 << 20), by_convolution(tally, step, unit)
    assert law is not None
    scale = abs(oracle.mean) + oracle.sd
    assert law.mean == pytest.approx(oracle.mean, abs=1e-12 * scale)
    assert law.sd == pytest.approx(oracle.sd, rel=1e-12)
    for q in (1e-6, 0.005, 0.025, 0.1, 0.4):
        assert law.low(q) == pytest.approx(oracle.low(q), abs=1e-12 * scale)
        assert law.high(q) == pytest.approx(oracle.high(q), abs=1e-12 * scale)
    for point in (law.low(0.025), RatioSum(tally).point, oracle.mean, law.high(0.3)):
        assert law.below(point) == pytest.approx(oracle.below(point), abs=1e-12)


def test_the_law_needs_no_more_than_the_points_allowed() -> None:
    tally = DATA["pass/fail"][0]
    assert ratio_lattice_law(RatioSum(tally), 1 << 14) is not None
    assert ratio_lattice_law(RatioSum(tally), 1 << 12) is None
    assert ratio_lattice_law(RatioSum(tally), 20) is None


def test_sums_without_a_common_step_have_no_lattice() -> None:
    assert ratio_lattice_law(RatioSum(made([0, 1, math.sqrt(2), 2], [1, 2, 3, 1])), 1 << 20) is None


@settings(max_examples=40)
@given(st.integers(1, 30), st.lists(st.tuples(st.integers(0, 9), st.integers(1, 20)), min_size=1, max_size=5))
def test_a_window_holds_all_but_what_is_left_out_on_purpose(n: int, units: list[tuple[int, int]]) -> None:
    steps, counts = np.array(units, dtype=float).T
    rates = counts / counts.sum()
    one = np.bincount(steps.astype(int), rates)
    law = np.ones(1)
    for _ in range(n):
        law = np.convolve(law, one)
    first, last = _windows(np.stack([steps, steps]), rates, n)[1]
    assert law[:first].sum() <= math.exp(-FAR)
    assert law[last + 1 :].sum() <= math.exp(-FAR)
    spread = math.sqrt(n * float(np.sum(rates * (steps - np.sum(rates * steps)) ** 2)))
    largest = float(np.max(np.abs(steps - np.sum(rates * steps))))
    assert last - first <= 2 * (9 * spread + FAR * largest / 3) + 2


@pytest.mark.parametrize("least", [1, 2, 7, 8, 11, 13, 33, 81, 127, 128, 129, 1000])
def test_an_fft_has_a_length_that_is_quick_and_holds_it(least: int) -> None:
    length = _quick_length(least)
    assert least <= length <= max(8, 1.25 * least)
    for prime in (2, 3, 5, 7):
        while length % prime == 0:
            length //= prime
    assert length == 1
