"""One draw within strata: the indices of a plain loop, each unit as likely as any, whatever the strata."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evalstats.kernel import draws
from evalstats.kernel.draws import UnitDraw
from evalstats.numeric import block_generators

SEED = 3
units = st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=6), min_size=1, max_size=8)


def generator() -> np.random.Generator:
    return next(block_generators(SEED, 1))[0]


def draw_of(strata: Sequence[Sequence[int]]) -> UnitDraw:
    return UnitDraw(np.array([c for counts in strata for c in counts]), np.array([len(s) for s in strata]))


def drawn(draw: UnitDraw, size: int = 1024) -> np.ndarray:
    return np.concatenate(list(draw.resamples(generator(), size)))


def as_likely(counts: np.ndarray, expected: np.ndarray) -> bool:
    return bool(stats.chisquare(counts, expected * counts.sum() / expected.sum()).pvalue > 1e-3)


@pytest.mark.parametrize("n", [3, 60, 1000, 5000])
def test_a_resample_counts_the_indices_of_a_plain_loop(n: int) -> None:
    calls = -(-1024 * n // draws.CALL)
    of_one_call, same = -(-1024 // calls), generator()
    expected = [
        np.bincount(index, minlength=n)
        for _ in range(calls)
        for index in same.integers(0, n, size=(of_one_call, n), dtype=np.uint16)
    ]
    assert np.array_equal(drawn(UnitDraw.of_one_stratum(np.ones(n, dtype=np.int64))), expected[:1024])


@given(units)
def test_every_stratum_keeps_its_units(strata: list[list[int]]) -> None:
    found = drawn(draw_of(strata), 50)
    ends = np.cumsum([len(s) for s in strata])
    assert found.shape == (50, ends[-1])
    for counts, part in zip(strata, np.split(found, ends[:-1], axis=1), strict=True):
        assert np.all(part.sum(axis=1) == sum(counts))


@given(units, st.integers(1, 300))
def test_the_alike_are_drawn_as_if_they_were_told_apart(strata: list[list[int]], size: int) -> None:
    draw = draw_of(strata)
    apart = drawn(draw_of([[1] * sum(counts) for counts in strata]), size)
    assert np.array_equal(drawn(draw, size), np.add.reduceat(apart, _starts(draw.counts), axis=1))


def _starts(counts: np.ndarray) -> np.ndarray:
    return np.cumsum(counts) - counts


@pytest.mark.parametrize("strata", [[[1] * 700], [[1] * 40, [2] * 30, [300, 200]], [[1] * 90_000]])
def test_fewer_resamples_are_the_first_of_more(strata: list[list[int]]) -> None:
    draw = draw_of(strata)
    few = drawn(draw, 7)
    assert len(few) == 7
    assert np.array_equal(few, drawn(draw, 40)[:7])


@pytest.mark.parametrize("call", [1 << 16, 50])
@pytest.mark.parametrize(
    "strata",
    [
        [[1] * 10],
        [[1] * 7] * 26,
        [[1] * 127],
        [[1] * 100, [1] * 30, [1] * 100, [1]],
        [[3, 1, 1, 2, 5] * 8, [1, 2] * 20],
        [[400, 100], [1] * 60, [80, 20, 60]],
    ],
)
def test_every_unit_is_as_likely_as_any_and_independent_of_the_last(
    strata: list[list[int]], call: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By chi-square: how often each unit is drawn in all, and how often a single one in a resample."""
    monkeypatch.setattr(draws, "CALL", call)
    draw = draw_of(strata)
    found, at = drawn(draw), 0
    for counts in strata:
        part, n, at = found[:, at : at + len(counts)], sum(counts), at + len(counts)
        assert len(counts) == 1 or as_likely(part.sum(axis=0), np.array(counts))
        if n >= 30 and len(counts) > 1:
            law = stats.binom(n, counts[0] / n)
            middle = int(law.median())
            at_most = np.array([law.cdf(middle - 1), law.pmf(middle), law.sf(middle)])
            seen = np.array([np.sum(part[:, 0] < middle), np.sum(part[:, 0] == middle)])
            assert as_likely(np.append(seen, 1024 - seen.sum()), at_most)


@pytest.mark.parametrize("n", [10, 4097, 40_000])
def test_indices_of_16_bits_are_uniform(n: int) -> None:
    """Of up to 2 million draws, one by one and in 10 bins: a remainder that is not drawn again would show."""
    draw = UnitDraw.of_one_stratum(np.ones(n, dtype=np.int64))
    found = drawn(draw, min(2_000_000 // n, 1000)).sum(axis=0)
    assert as_likely(found, np.ones(n))
    bins = np.array_split(found, 10)
    assert as_likely(np.array([one.sum() for one in bins]), np.array([len(one) for one in bins]))


def test_units_beyond_16_bits_take_memory_of_their_counts_alone() -> None:
    n = 1_000_000
    draw = UnitDraw.of_one_stratum(np.ones(n, dtype=np.int64))
    tracemalloc.start()
    found = next(draw.resamples(generator(), 1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3.5 * 8 * n
    assert found.sum() == n
    law = stats.binom(n, 1 / n)
    assert as_likely(np.bincount(np.minimum(found[0], 6)), np.append(law.pmf(range(6)), law.sf(5)))
