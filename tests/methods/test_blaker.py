"""Blaker's interval: a published value, its definition on a grid, its coverage, and where it lies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from evalstats.methods.rates import METHODS, clopper_pearson_limits, proportion

blaker = METHODS["blaker"].function
levels = st.floats(0.5, 0.999)


def test_three_of_ten_equals_blakerci_of_r() -> None:
    """BlakerCI 1.0-6 for R, the example of its manual: binom.blaker.limits(3, 10)."""
    assert blaker(3, 10, 0.95) == pytest.approx((0.08726443, 0.61941066), abs=5e-9)


def kept(k: int, n: int, level: float, q: NDArray[np.float64]) -> NDArray[np.bool_]:
    """The definition at each q: P_q(γ(X, q) ≤ γ(k, q)) > α, all outcomes enumerated."""
    x = np.arange(n + 1)[:, None]
    tail = np.minimum(stats.binom.cdf(x, n, q), stats.binom.sf(x - 1, n, q))
    mass = np.where(tail <= tail[k] * (1 + 1e-7), stats.binom.pmf(x, n, q), 0.0)
    return np.asarray(mass.sum(axis=0) > 1 - level)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("n", [1, 2, 7, 12, 25])
def test_limits_are_the_hull_of_what_is_kept_on_a_grid(n: int, level: float) -> None:
    step = 1 / 2000
    grid = np.arange(step / 3, 1, step)  # no round number, where a tie is rounding
    for k in range(n + 1):
        low, high = blaker(k, n, level)
        inside = grid[kept(k, n, level, grid)]
        assert low == 0.0 if k == 0 else low <= inside[0] <= low + step
        assert high == 1.0 if k == n else high - step <= inside[-1] <= high


@given(n=st.integers(1, 400), share=st.floats(0, 1), level=levels)
def test_nothing_is_kept_outside_and_something_just_inside(n: int, share: float, level: float) -> None:
    k = round(share * n)
    low, _ = blaker(k, n, level)
    if k > 0:
        assert not kept(k, n, level, low * np.linspace(0.3, 1 - 1e-6, 40)).any()
        assert kept(k, n, level, np.array([low * (1 + 1e-6)])).all()


@given(n=st.integers(1, 100_000), share=st.floats(0, 1), level=levels)
def test_it_lies_within_clopper_pearson(n: int, share: float, level: float) -> None:
    k = round(share * n)
    (low, high), (outer_low, outer_high) = blaker(k, n, level), clopper_pearson_limits(k, n, level)
    assert outer_low <= low <= k / n <= high <= outer_high


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("n", [1, 4, 10, 30])
def test_coverage_never_falls_below_the_level(n: int, level: float) -> None:
    limits = np.array([blaker(k, n, level) for k in range(n + 1)])
    truths = np.linspace(0.001, 0.999, 1999)[:, None]
    inside = (limits[:, 0] <= truths) & (truths <= limits[:, 1])
    assert (inside * stats.binom.pmf(np.arange(n + 1), n, truths)).sum(axis=1).min() >= level


def test_it_is_proved_and_asked_for_by_name() -> None:
    found = proportion(3, 10, method="blaker")
    assert (found.method, found.extra["guarantee"], found.extra["caveats"]) == ("blaker", "proved", [])
