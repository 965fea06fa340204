"""The tally says all that a statistic needs of the units, in an order of its own."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalstats.kernel.law import delete_one
from evalstats.kernel.units import Tally, Units, compared, direction
from evalstats.kernel.weighted import MEAN, weighted_sums
from evalstats.numeric import group_sums, order_free_sum

scores = st.lists(st.sampled_from([0.0, 0.1, 0.3, 1.0, -0.7, 2.5]), min_size=1, max_size=30)


@st.composite
def clustered_scores(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    values = draw(scores)
    codes = draw(st.lists(st.integers(0, 5), min_size=len(values), max_size=len(values)))
    return np.array(values), np.unique(codes, return_inverse=True)[1]


def tally_of(data: tuple[np.ndarray, np.ndarray]) -> Tally:
    return Units.of_clusters(*data).tally()


@given(clustered_scores())
def test_tally_holds_every_unit_once(data: tuple[np.ndarray, np.ndarray]) -> None:
    values, codes = data
    tally = tally_of(data)
    assert tally.n == codes.max() + 1
    assert len(np.unique(tally.rows, axis=0)) == len(tally.rows)
    assert sum(tally.rows[:, 1] * tally.counts) == len(values)
    assert math.isclose(sum(tally.rows[:, 0] * tally.counts), values.sum(), abs_tol=1e-12)
    assert np.array_equal(tally.units().rows, Units.of_clusters(*data).rows)


@given(clustered_scores(), st.randoms(use_true_random=False))
def test_order_and_labels_of_rows_do_not_matter(data: tuple[np.ndarray, np.ndarray], random: object) -> None:
    values, codes = data
    order = np.array(sorted(range(len(values)), key=lambda i: (random.random(), i)))
    renamed = np.random.default_rng(0).permutation(codes.max() + 1)[codes]
    again = tally_of((values[order], renamed[order]))
    assert np.array_equal(again.rows, tally_of(data).rows)
    assert np.array_equal(again.counts, tally_of(data).counts)


@given(clustered_scores(), clustered_scores())
def test_adding_tallies_adds_their_units(
    one: tuple[np.ndarray, np.ndarray], two: tuple[np.ndarray, np.ndarray]
) -> None:
    both = tally_of(one) + tally_of(two)
    stacked = np.concatenate([tally_of(one).units().rows, tally_of(two).units().rows])
    again = Units.of_sums(*stacked.T).tally()
    assert np.array_equal(both.rows, again.rows)
    assert np.array_equal(both.counts, again.counts)


@given(scores)
def test_slices_part_the_units(values: list[float]) -> None:
    units = Units.of_items(np.array(values))
    high = units.rows[:, 0] > 0.2
    tally = units.tally()
    above = tally.slice(tally.rows[:, 0] > 0.2)
    assert np.array_equal(units.slice(high).tally().counts, above.counts)
    assert above.n + tally.slice(tally.rows[:, 0] <= 0.2).n == len(values)


@given(clustered_scores())
def test_direction_turns_with_the_sign(data: tuple[np.ndarray, np.ndarray]) -> None:
    tally = tally_of(data)
    mirrored = tally_of((-data[0], data[1]))
    assert direction(mirrored) == -direction(tally)
    assert compared(tally.mirrored(), mirrored) == 0
    if direction(tally) == 0:
        assert compared(tally, mirrored) == 0


@given(scores)
def test_jackknife_is_the_mean_without_one_item(values: list[float]) -> None:
    tally = Units.of_items(np.array([*values, 7.0])).tally()
    [(without, counts)] = delete_one([tally], MEAN)
    naive = {v: np.mean(np.delete([*values, 7.0], [*values, 7.0].index(v))) for v in {*values, 7.0}}
    assert counts.sum() == len(values) + 1
    for row, value in zip(tally.rows, without, strict=True):
        assert math.isclose(value, naive[row[0]], rel_tol=1e-12, abs_tol=1e-12)


@given(clustered_scores(), st.integers(0, 10_000))
def test_a_statistic_of_weights_is_that_of_repeated_rows(
    data: tuple[np.ndarray, np.ndarray], seed: int
) -> None:
    tally = tally_of(data)
    weights = 1 + np.random.default_rng(seed).integers(0, 4, size=(3, len(tally.counts)))
    for row, value in zip(weights, MEAN(tally.rows, weights), strict=True):
        repeated = np.repeat(tally.rows, row, axis=0)
        assert math.isclose(value, repeated[:, 0].sum() / repeated[:, 1].sum(), abs_tol=1e-12)
    assert np.allclose(weighted_sums(tally.rows, weights), weights @ tally.rows, atol=1e-12)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50), st.integers(0, 1000))
def test_sums_do_not_depend_on_order_and_mirror_exactly(values: list[float], seed: int) -> None:
    x = np.array(values)
    shuffled = np.random.default_rng(seed).permutation(x)
    assert order_free_sum(shuffled) == order_free_sum(x) == -order_free_sum(-x) == math.fsum(values)
    codes = np.arange(len(x)) % 3
    k = int(codes.max()) + 1
    naive = [math.fsum(x[codes == g]) for g in range(k)]
    assert group_sums(x, codes, k).tolist() == naive


@pytest.mark.parametrize("magnitude", [1.0, 1e-300, 1e200, 1e303])
@pytest.mark.parametrize("lowest", [1e-12, 1e-150])  # below the others' last digits
@pytest.mark.parametrize("n", [400, 20_000])
def test_the_sum_of_many_numbers_is_correctly_rounded_in_any_order(
    magnitude: float, lowest: float, n: int
) -> None:
    draw = np.random.default_rng(3)
    x = draw.standard_normal(n) * np.exp(draw.normal(0, 12, n) - 50) * magnitude
    x[::7] *= lowest
    assert order_free_sum(x) == order_free_sum(x[::-1]) == -order_free_sum(-x) == math.fsum(x.tolist())
