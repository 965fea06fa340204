"""Many runs in one draw: exact sums, digits that no order or chunk changes, and the law of a naive loop."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalstats.kernel import joint
from evalstats.kernel.joint import Totals, canonical_order, joint_means, joint_units, largest_deviations
from evalstats.numeric import block_generators

SEED = 5


def _runs(seed: int, n: int = 60, K: int = 5, kind: str = "rate") -> np.ndarray:
    rng = np.random.default_rng(seed)
    skill = rng.uniform(0.2, 0.9, K)
    right = (rng.random((n, K)) < skill).astype(float)
    return right if kind == "rate" else right + 0.3 * rng.standard_normal((n, K))


def _weights(y: np.ndarray) -> np.ndarray:
    variance = np.var(y[:, :, None] - y[:, None, :], axis=0) / len(y)
    return np.where(variance > 0, 1 / np.sqrt(np.where(variance > 0, variance, 1)), 0)


def _deviations(y: np.ndarray, n_boot: int) -> np.ndarray:
    return largest_deviations(joint_units(y), _weights(y), n_boot, SEED)


@pytest.mark.parametrize("kind", ["rate", "score"])
@given(seed=st.integers(0, 10**6))
def test_order_of_items_and_of_runs_changes_no_digit(kind, seed):
    y = _runs(seed, kind=kind)
    rng = np.random.default_rng(seed)
    items, runs = rng.permutation(len(y)), rng.permutation(y.shape[1])
    moved = y[items][:, runs]
    weights = _weights(y)
    again = largest_deviations(joint_units(moved), weights[np.ix_(runs, runs)], 300, SEED)
    assert np.array_equal(largest_deviations(joint_units(y), weights, 300, SEED), again)


@pytest.mark.parametrize("kind", ["rate", "score"])
def test_hashing_in_parts_changes_no_digit(monkeypatch, kind):
    y = _runs(3, kind=kind)
    usual = _deviations(y, 1500)
    monkeypatch.setattr(joint, "_HASHED", 16)
    assert np.array_equal(usual, _deviations(y, 1500))


def test_more_resamples_begin_with_the_same_ones():
    y = _runs(4)
    assert np.array_equal(_deviations(y, 1100)[:1024], _deviations(y, 1024))


def test_every_mean_is_that_of_a_plain_loop_over_the_drawn_items():
    y = _runs(6, kind="score")
    y = np.round(8 * y) / 8  # sums of eighths are exact, so that the loop must agree to the last digit
    ordered = y[canonical_order(y, np.ones(len(y)))]
    generator, size = next(block_generators(SEED, 50))
    index = generator.integers(0, len(y), size=(size, len(y)), dtype=np.uint16)
    expected = np.array([ordered[drawn].sum(axis=0) / len(y) for drawn in index])
    assert np.array_equal(np.concatenate(list(joint_means(joint_units(y), 50, SEED))), expected)


def test_the_largest_deviation_is_that_of_all_pairs_one_by_one():
    y = _runs(8)
    units, weights = joint_units(y), _weights(y)
    drawn = np.concatenate(list(joint_means(units, 40, SEED)))
    off = drawn - units.means
    pairs = [(i, j) for i in range(5) for j in range(i + 1, 5)]
    expected = np.max([np.abs(off[:, j] - off[:, i]) * weights[i, j] for i, j in pairs], axis=0)
    assert np.array_equal(largest_deviations(units, weights, 40, SEED), expected)


def test_few_distinct_items_are_drawn_by_their_counts_with_the_same_law():
    y = np.repeat([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], [150, 40, 60, 150], axis=0)
    units = joint_units(y)
    assert (len(units.counts), units.n) == (4, 400)
    drawn = np.concatenate(list(joint_means(units, 20_000, SEED)))
    error = np.sqrt(y.var(axis=0) / 400)
    assert np.allclose(drawn.mean(axis=0), y.mean(axis=0), atol=5 * error.max() / np.sqrt(20_000))
    assert np.allclose(drawn.std(axis=0), error, rtol=0.03)
    assert np.allclose(np.corrcoef(drawn.T), np.corrcoef(y.T), atol=0.03)


def test_clusters_are_drawn_whole_and_their_sizes_with_them():
    sums = np.array([[2.0, 1.0], [0.0, 3.0], [5.0, 4.0]])
    sizes = np.array([2.0, 3.0, 5.0])
    drawn = np.concatenate(list(joint_means(joint_units(sums, sizes), 200, SEED)))
    possible = {tuple(np.array(w) @ sums / (np.array(w) @ sizes)) for w in np.ndindex(4, 4, 4) if sum(w) == 3}
    assert {tuple(mean) for mean in drawn} <= possible
    assert len({tuple(mean) for mean in drawn}) > 5


def test_sums_are_exact_in_any_order():
    """Scores such as 0.1 are rounded to a lattice on which no sum of n of them is rounded."""
    y = np.random.default_rng(2).standard_normal((500, 3))
    columns = joint_units(y).columns[:, :-1]
    assert np.max(np.abs(np.sort(columns, axis=0) - np.sort(y, axis=0))) < 1e-12
    assert columns.sum() == columns[::-1].sum() == sum(columns.ravel().tolist())


def test_memory_stays_small_however_many_resamples():
    """Beyond the data: 200 runs on 1,000 items, whose 3,000 resamples of counts would take 24 MB."""
    y = _runs(5, n=1000, K=200)
    units, weights = joint_units(y), np.ones((200, 200))
    tracemalloc.start()
    largest_deviations(units, weights, 3000, SEED)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8e6


@pytest.mark.parametrize("kind", ["rate", "score"])
def test_counting_alike_units_together_changes_no_digit(monkeypatch, kind):
    y = _runs(7, n=30, kind=kind)
    y = np.concatenate([y, y[:10]])
    usual = _deviations(y, 300)
    held = []
    for worthwhile in (0, np.inf):
        monkeypatch.setattr(joint, "_WORTHWHILE", worthwhile)
        held.append(len(joint_units(y).counts))
        assert np.array_equal(usual, _deviations(y, 300))
    assert held[0] < held[1] == 40


@given(
    st.integers(0, 10**6), st.integers(1, 9), st.sampled_from([1, 7, 2**11, 2**30]), st.sampled_from([1, 0.5])
)
def test_sums_of_several_columns_in_one_product_are_those_of_each(seed, columns, largest, step):
    """Whole numbers, negative too, of any size; halves have no digits to share."""
    rng = np.random.default_rng(seed)
    y = step * rng.integers(-largest, largest, size=(50, columns), endpoint=True)
    counts = rng.multinomial(50, np.full(50, 0.02), size=20)
    totals = Totals.of(y.astype(float), 50)
    assert np.array_equal(totals(counts), counts @ y)
    assert totals.digits <= columns
    most = counts * 0
    most[:, 0] = 50  # all draws on one unit: the largest sum there can be
    assert np.array_equal(totals(most), most @ y)


@pytest.mark.parametrize(("largest", "digits"), [(1, 5), (15, 3), (2**20, 1)])
def test_as_many_runs_share_a_product_as_have_room(largest, digits):
    y = np.zeros((1000, 40))
    y[0] = largest
    assert Totals.of(y, 1000).digits == digits
    assert Totals.of(y + 0.5, 1000).digits == 1
