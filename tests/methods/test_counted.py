"""Arrays of booleans and whole numbers are counted, never held as floats: the same digits, less time."""

from __future__ import annotations

import dataclasses
import math
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalstats.errors import EvalStatsError
from evalstats.kernel.counts import counted
from evalstats.methods.bootstrap import bootstrap_paired_diff
from evalstats.methods.differences import item_difference, mean_difference
from evalstats.methods.items import Request, item_values
from evalstats.methods.mcnemar import mcnemar
from evalstats.methods.means import item_mean_estimate, mean
from evalstats.methods.paired_intervals import paired_counts
from evalstats.methods.pairs import paired_items
from evalstats.numeric import counted_sum

DTYPES = [np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64]
METHODS = [
    None,
    "wilson",
    "t",
    *(f"bootstrap_{kind}" for kind in ("percentile", "basic", "bca", "studentized")),
]


def answer(scores: Any, **asked: Any) -> str:
    try:
        return repr(mean(scores, **asked))
    except EvalStatsError as problem:
        return str(problem)


def row_by_row(scores: np.ndarray, bounds: Any, **asked: Any) -> str:
    """The same from one float an item."""
    try:
        values = dataclasses.replace(item_values(scores, bounds=bounds), scores=scores.astype(float))
        return repr(item_mean_estimate(values, Request(**asked)))
    except EvalStatsError as problem:
        return str(problem)


@given(
    st.sampled_from(DTYPES), st.lists(st.integers(0, 4), min_size=1, max_size=60), st.sampled_from([1, 25]),
    st.sampled_from(METHODS), st.sampled_from([None, (0, 10), (0, 2)]), st.booleans(),
)  # fmt: skip
def test_an_array_and_a_list_have_the_same_digits(
    dtype: Any, values: list[int], times: int, method: str | None, bounds: Any, guarantee: bool
) -> None:
    scores = (np.array(values * times) - (2 if np.dtype(dtype).kind == "i" else 0)).astype(dtype)
    asked: dict[str, Any] = {"method": method, "bounds": bounds, "guarantee": guarantee}
    asked |= {"n_boot": 200} if method == "bootstrap_studentized" else {}
    assert answer(scores, **asked) == answer(scores.tolist(), **asked) == row_by_row(scores, **asked)


@given(st.sampled_from(DTYPES), st.lists(st.integers(-128, 300), min_size=1, max_size=40), st.booleans())
def test_every_score_is_counted_once(dtype: Any, values: list[int], strided: bool) -> None:
    scores = np.array(values).astype(dtype)
    scores = np.repeat(scores, 2)[::2] if strided else scores
    tally = counted(scores)
    assert tally is not None
    seen, counts = np.unique(scores, return_counts=True)
    assert tally.rows[:, 0].tolist() == seen.astype(float).tolist()
    assert tally.counts.tolist() == counts.tolist()


@pytest.mark.parametrize(
    "scores",
    [np.array([0.5]), np.array([0, 1 << 20]), np.array([2.0**60, 1.0]), np.append(np.ones(2000), 0.1)],
)
def test_what_cannot_be_counted_is_left_to_the_rows(scores: Any) -> None:
    assert counted(scores) is None


@given(st.lists(st.tuples(st.floats(-1e9, 1e9), st.integers(0, 300)), max_size=9))
def test_a_counted_sum_is_the_sum_of_all(pairs: list[tuple[float, int]]) -> None:
    x, counts = np.array([x for x, _ in pairs]), np.array([c for _, c in pairs], dtype=np.int64)
    assert counted_sum(x, counts) == math.fsum(np.repeat(x, counts))


def test_a_counted_sum_keeps_its_digits_at_any_count() -> None:
    x, counts = np.array([0.1, 0.7]), np.array([(1 << 40) + 3, 5])
    assert counted_sum(x, counts) == float(Fraction(0.1) * int(counts[0]) + Fraction(0.7) * 5)


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8])
def test_millions_of_scores_take_no_memory(dtype: Any) -> None:
    scores = (np.random.default_rng(0).random(3_000_000) * 2).astype(dtype)
    tracemalloc.start()
    found = mean(scores, method="bootstrap_bca")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.n == 3_000_000
    assert peak < 16e6


@given(
    st.sampled_from(DTYPES),
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=60),
    st.sampled_from([1, 25]), st.sampled_from([None, "paired_t", "bootstrap_percentile", "bootstrap_bca"]),
    st.sampled_from([None, (0, 10)]),
)  # fmt: skip
def test_differences_that_are_counted_have_the_digits_of_those_that_are_not(
    dtype: Any, pairs: list[tuple[int, int]], times: int, method: str | None, bounds: Any
) -> None:
    old, new = (np.array(side * times).astype(dtype) for side in zip(*pairs, strict=True))
    counted_pair = paired_items(old, new, bounds=bounds)
    floats = {f"scores_{run}": getattr(counted_pair, f"y_{run}") for run in ("baseline", "candidate")}
    of_floats = dataclasses.replace(counted_pair, **floats)
    assert counted_pair.sample is not None
    assert of_floats.sample is None
    answers = []
    for pair in (counted_pair, of_floats):
        try:
            answers.append(repr(item_difference(pair, Request(method=method))))
        except EvalStatsError as problem:
            answers.append(str(problem))
        assert pair.n_discordant_units == int(np.count_nonzero(old != new))
        assert paired_counts(pair)[3] == int(np.count_nonzero((old == 1) & (new == 1)))
    assert answers[0] == answers[1]


@pytest.mark.parametrize("call", [mean_difference, mcnemar, bootstrap_paired_diff])
def test_two_runs_right_or_wrong_are_never_floats(call: Callable[..., Any]) -> None:
    generator = np.random.default_rng(0)
    old, new = (generator.random(1_000_000) < 0.7 for _ in range(2))
    call(old[:100], new[:100])
    tracemalloc.start()
    call(old, new)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000
