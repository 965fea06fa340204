"""Values in ascending order, some at a time: those of a sort, whatever the parts and their order."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from evalstats.kernel import order, stream
from evalstats.kernel.order import Selected, all_equal, in_order, quantile_law, quantile_of
from evalstats.kernel.selection import ascending
from evalstats.kernel.stream import Streamed

Array = NDArray[np.float64]
doubles = st.floats(allow_nan=False, allow_infinity=False, width=64)
few = st.sampled_from([0.0, -0.0, 1.0, -1.0, 5e-324, -5e-324, 1.7e308, -1.7e308, 1 + 2**-52])


def found(values: Array, first: int, last: int, most: int) -> Array:
    return np.concatenate([np.zeros(0), *ascending(Streamed.of(values), first, last, most)])


@given(st.lists(doubles | few, min_size=1, max_size=60), st.integers(1, 70), st.data())
def test_ranks_have_the_values_of_a_sort(values: list[float], most: int, data: st.DataObject) -> None:
    x = np.array(values)
    first = data.draw(st.integers(0, len(x)))
    last = data.draw(st.integers(first, len(x)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stream, "_PART", data.draw(st.integers(1, 70)))
        assert np.array_equal(found(x, first, last, most), np.sort(x)[first:last])
        assert np.array_equal(found(x[::-1], first, last, most), np.sort(x)[first:last])


@pytest.mark.parametrize("most", [7, 110, 200])
def test_no_zero_is_negative_and_no_run_longer_than_asked(most: int) -> None:
    x = np.array([0.0, -0.0] * 50 + [1.0, -1.0] * 9)
    runs = list(ascending(Streamed.of(x), 0, len(x), most))
    assert max(map(len, runs)) <= most
    ordered = np.concatenate(runs)
    assert np.array_equal(ordered, np.sort(x))
    assert not np.any(np.signbit(ordered[ordered == 0]))


@pytest.mark.parametrize("most", [1 << 10, 1 << 14])
def test_close_values_and_ties_are_told_apart_by_their_last_bits(most: int) -> None:
    random = np.random.default_rng(0)
    x = 1 + 2.0**-52 * random.integers(0, 9, 40_000)  # equal in all but three bits
    assert np.array_equal(found(x, 0, len(x), most), np.sort(x))
    assert np.array_equal(found(-x, 17_000, 17_009, most), np.sort(-x)[17_000:17_009])


@given(
    st.lists(st.integers(-3, 3) | doubles, min_size=1, max_size=50),
    st.sampled_from([0.5, 0.25, 0.9, 1 / 3, 0.01]),
)
def test_selected_scores_have_the_law_of_sorted_ones(values: list[float], q: float) -> None:
    x = np.array(values, dtype=np.float64)
    selected, ordered = Selected(Streamed.of(x)), np.sort(x)
    assert len(selected) == len(x)
    assert all_equal(selected) == all_equal(ordered)
    if np.max(np.abs(x)) < 1e300:
        assert quantile_of(selected, q) == quantile_of(ordered, q)
        ours, theirs = quantile_law(selected, q), quantile_law(ordered, q)
        assert np.array_equal(ours.values, theirs.values)
        assert np.array_equal(ours.masses, theirs.masses)


@pytest.mark.parametrize("r", [1, 20, 290, 299])
def test_two_ranks_at_either_end_have_the_law_of_their_resamples(
    r: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    n, size = 300, 10_000
    x = np.sort(np.random.default_rng(r).exponential(size=n))
    monkeypatch.setattr(order, "_PAIRS", 2000)
    law = quantile_law(x, r / n)
    resamples = np.sort(x[np.random.default_rng(0).integers(0, n, (size, n))], axis=1)
    drawn = resamples[:, r - 1 : r + 1].mean(axis=1)
    assert abs(law.mean - drawn.mean()) < 4 * law.sd / math.sqrt(size)
    for value in np.quantile(drawn, [0.05, 0.3, 0.8, 0.95]):
        below = law.below(float(value))
        share = np.mean(drawn < value - 1e-12) + np.mean(np.abs(drawn - value) <= 1e-12) / 2
        assert abs(share - below) < 4 * math.sqrt(below * (1 - below) / size)


def test_a_quantile_near_the_end_of_millions_holds_no_table_of_all_pairs() -> None:
    x = np.arange(3_000_000.0)
    tracemalloc.start()
    law = quantile_law(x, 1 - 1 / len(x))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6
    assert 2_999_990 < law.mean < 3_000_000


def test_neighbours_are_found_without_reading_again(monkeypatch: pytest.MonkeyPatch) -> None:
    x, readings = np.random.default_rng(1).permutation(50_000).astype(float), []
    ordered = np.sort(x)

    def read(rows: slice) -> Array:
        readings.append(rows)
        return x[rows]

    monkeypatch.setattr(order, "_AT_ONCE", 1 << 11)
    selected = Selected(Streamed(len(x), read))
    assert np.array_equal(selected[24_999:25_001], ordered[24_999:25_001])
    before = len(readings)
    assert np.array_equal(selected[24_500:25_600], ordered[24_500:25_600])
    assert len(readings) == before
    for far in (slice(0, 3), slice(49_000, None), slice(7, 7), slice(10, 49_990)):
        assert np.array_equal(selected[far], ordered[far])


def test_the_median_of_two_million_scores_takes_no_copy_of_them() -> None:
    x = np.random.default_rng(0).gamma(2, 1, 2_000_000)
    tracemalloc.start()
    ordered = in_order(x)
    law = quantile_law(ordered, 0.5)
    median = quantile_of(ordered, 0.5)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(ordered, Selected)
    assert median == np.median(x)
    assert law.low(0.025) < median < law.high(0.025)
    assert peak < 32e6
