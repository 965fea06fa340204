"""Draws from very many units: their law, and digits that no part, order or kind of sample moves."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from evalstats.kernel import law, segments, stream
from evalstats.kernel.law import draw
from evalstats.kernel.resampled import Bootstrap, bootstrap_interval
from evalstats.kernel.stream import Sample, Streamed
from evalstats.kernel.units import Tally, Units
from evalstats.kernel.weighted import DIFFERENCE, MEAN, Sums, SumStatistic, pivot
from evalstats.numeric import generator_of

Array = NDArray[np.float64]
R = np.random.default_rng(0)
ITSELF = SumStatistic(lambda rows: rows, lambda sums: sums)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments of 7 units."""
    monkeypatch.setattr(segments, "SEGMENT", 7)
    monkeypatch.setattr(law, "UNITS_PER_ROW", 10**9)


def tally(values: Array) -> Tally:
    return Units.of_items(values).tally()


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("values", [R.normal(size=45), R.integers(0, 9, 60) - 4.0, np.zeros(20), R.random(8)])
@pytest.mark.parametrize("statistic", [MEAN, pivot([1.0])], ids=["mean", "t"])
def test_no_digit_depends_on_how_the_scores_are_given(
    values: Array, statistic: SumStatistic, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = draw([tally(values)], statistic, 200, 3)
    for part, order in ((1, values), (8, values[::-1]), (1000, np.random.default_rng(0).permutation(values))):
        monkeypatch.setattr(stream, "_PART", part)
        monkeypatch.setattr(segments, "_GATHERED", 5 * part)
        assert np.array_equal(draw([Streamed.of(order)], statistic, 200, 3), expected, equal_nan=True)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=60), st.integers(1, 20))
def test_segments_are_the_sorted_units_in_order(values: list[int], length: int) -> None:
    x = np.array(values, dtype=float)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "SEGMENT", length)
        found = [list(segments.segments(sample)) for sample in (tally(x), Streamed.of(x))]
    for parts in found:
        assert np.array_equal(np.concatenate(parts), Units.of_items(x).rows)
        assert [len(part) for part in parts[:-1]] == [length] * (len(parts) - 1)
        assert len(parts[-1]) <= length


@pytest.mark.usefixtures("short")
def test_the_mean_and_spread_are_those_of_plain_index_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "SEGMENT", 29)
    x, n_boot = R.gamma(2, 1, 100), 10_000
    found = draw([Streamed.of(x)], MEAN, n_boot, 1)
    plain = x[np.random.default_rng(2).integers(0, 100, (n_boot, 100))].mean(axis=1)
    sd = x.std() / 10
    assert abs(found.mean() - x.mean()) < 4 * sd / math.sqrt(n_boot)
    kurtosis = stats.kurtosis(x, fisher=False)
    spread = math.sqrt((2 + (kurtosis - 3) / 100) / n_boot)  # of the variance, over it
    assert abs(found.var() / sd**2 - 1) < 4 * spread
    assert stats.ks_2samp(found, plain).pvalue > 1e-3


@pytest.mark.usefixtures("short")
def test_every_unit_is_drawn_equally_often_and_n_of_them_in_a_resample() -> None:
    """By the counts: 23 units of which each is a column of its own."""
    n, n_boot = 23, 4000
    alone = SumStatistic(lambda rows: (rows[:, :1] == np.arange(n)) * 1.0, lambda sums: sums)
    counts = draw([Streamed.of(np.arange(n, dtype=float))], alone, n_boot, 4)
    assert np.all(counts.sum(axis=1) == n)
    assert stats.chisquare(counts.sum(axis=0)).pvalue > 1e-3
    assert np.allclose(np.cov(counts.T), np.eye(n) - 1 / n, atol=5 * math.sqrt(2 / n_boot))
    first = np.bincount(counts[:, 0].astype(int), minlength=n)[:5]
    expected = stats.binom.pmf(np.arange(5), n, 1 / n) * n_boot
    assert np.all(np.abs(first - expected) < 5 * np.sqrt(expected))


@pytest.mark.usefixtures("short")
def test_two_long_samples_are_drawn_independently(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "SEGMENT", 29)
    x = R.normal(size=50)
    both: list[Sample] = [Streamed.of(x), tally(x)]
    values = draw(both, DIFFERENCE, 8000, 0)
    assert abs(values.var() / (2 * x.var() / 50) - 1) < 5 * math.sqrt(2 / 8000)
    first = draw(both[:1], MEAN, 8000, 0)
    second = values + first
    assert abs(np.corrcoef(first, second)[0, 1]) < 5 / math.sqrt(8000)


@pytest.mark.usefixtures("short")
def test_a_long_and_a_short_sample_keep_their_streams() -> None:
    long, brief = Streamed.of(R.normal(size=50)), tally(R.normal(size=5))
    values = draw([long, brief], DIFFERENCE, 2100, 6)
    assert np.allclose(values, draw([brief], MEAN, 2100, 6) - draw([long], MEAN, 2100, 6), rtol=1e-12)


@pytest.mark.usefixtures("short")
def test_neither_the_blocks_at_once_nor_the_resamples_wanted_change_a_digit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x = Streamed.of(R.normal(size=40))
    usual = draw([x], pivot([1.0]), 1100, 9)
    assert np.array_equal(draw([x], pivot([1.0]), 1050, 9), usual[:1050])
    monkeypatch.setattr(law, "_SUMS", 1)
    assert np.array_equal(draw([x], pivot([1.0]), 1100, 9), usual)


@pytest.mark.usefixtures("short")
def test_every_block_sample_and_segment_has_a_generator_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    keys: list[tuple[int, ...]] = []

    def recorded(seed: int, *key: int) -> np.random.Generator:
        keys.append(key)
        return generator_of(seed, *key)

    monkeypatch.setattr(segments, "generator_of", recorded)
    draw([Streamed.of(R.normal(size=15)), tally(R.normal(size=20))], DIFFERENCE, 1025, 0)
    assert len(set(keys)) == len(keys) == 2 * (3 + 3)


@pytest.mark.usefixtures("short")
def test_units_with_sizes_are_drawn_as_a_whole() -> None:
    sizes = 1.0 + np.arange(40) % 3
    units = Units.of_sums(10 * sizes, sizes).tally()
    sums: Sums = draw([units], ITSELF, 500, 0)
    assert np.array_equal(sums[:, 0], 10 * sums[:, 1])
    assert abs(sums[:, 1].mean() - sizes.sum()) < 5 * sizes.std() * math.sqrt(40 / 500)


def test_positions_in_a_whole_segment_are_uniform() -> None:
    n, length = 8 * segments.SEGMENT, segments.SEGMENT
    segment = segments._Segment(np.arange(segments.SEGMENT, dtype=float)[:, None])
    random = np.random.default_rng(5)
    drawn = [segment._positions(random, m) for m in (n + 1, n + 2, n + 3, n)]
    assert [len(at) - n for at in drawn] == [1, 2, 3, 0]
    counts = sum(np.bincount(at, minlength=length) for at in drawn)
    assert len(counts) == length
    assert stats.chisquare(counts).pvalue > 1e-3
    for bits in (counts.reshape(256, 256).sum(axis=0), counts.reshape(256, 256).sum(axis=1)):
        assert stats.chisquare(bits).pvalue > 1e-3


def test_a_million_scores_are_drawn_in_the_memory_of_a_few_segments() -> None:
    x = np.random.default_rng(0).normal(size=2_000_000)
    tracemalloc.start()
    values = draw([Streamed.of(x)], pivot([1.0]), 5, 0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 24e6
    assert np.all(np.abs(values - (x.mean() / x.std()) * math.sqrt(len(x))) < 6)


def test_resamples_of_very_many_scores_have_the_spread_of_their_law() -> None:
    x = np.random.default_rng(3).exponential(size=2 * segments.SEGMENT + 9000)
    found = bootstrap_interval("percentile", Bootstrap((Streamed.of(x),), 0.9, 400))
    assert found.extra["law"] == "monte_carlo"
    error = x.std() / math.sqrt(len(x))
    assert abs(found.extra["boot_se"] / error - 1) < 4 / math.sqrt(2 * 400)
    assert abs(found.extra["boot_mean"] - x.mean()) < 4 * error / math.sqrt(400)
    assert [found.low, found.high] == pytest.approx(
        [x.mean() - 1.645 * error, x.mean() + 1.645 * error], abs=0.5 * error
    )
