"""Many runs at once have the numbers that each has alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evalstats as es
from evalstats.errors import InputError
from evalstats.methods import many, many_counts

SCORES = st.integers(0, 10_000)


def _drawn(seed: int, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    baseline = random.random(shape[1:]) < 0.6
    return np.where(random.random(shape) < 0.3, random.random(shape) < 0.7, baseline), baseline


@given(SCORES, st.sampled_from([(3, 7), (2, 3, 20), (4, 1)]), st.sampled_from(["exact", "mid_p"]))
def test_every_cell_is_the_comparison_of_its_two_runs(seed: int, shape: Any, test: str) -> None:
    runs, baseline = _drawn(seed, shape)
    found = many.against_baseline(runs, baseline, level=0.9, test=test)
    for at in np.ndindex(*shape[:-1]):
        old, new = baseline[at[1:]], runs[at]
        b, c = int(np.sum(old & ~new)), int(np.sum(new & ~old))
        alone = es.paired_proportions(b, c, shape[-1], level=0.9)
        assert (found.baseline_only[at], found.candidate_only[at]) == (b, c)
        assert found.difference[at] == pytest.approx(alone.point, abs=1e-15)
        assert [found.ci_low[at], found.ci_high[at]] == pytest.approx(
            [alone.ci_low, alone.ci_high], abs=1e-12
        )
        assert found.pvalue[at] == pytest.approx(es.mcnemar_counts(b, c, method=test).pvalue, abs=1e-14)


@given(SCORES, st.integers(1, 9), st.integers(1, 70))
def test_all_pairs_are_counted_as_one_by_one(seed: int, k: int, n: int) -> None:
    runs = np.random.default_rng(seed).random((k, n)) < 0.5
    found = many.pairs_only_right(runs)
    for i in range(k):
        for j in range(k):
            assert found[i, j] == np.sum(runs[i] & ~runs[j])
    assert np.array_equal(many.pairs_only_right(runs.astype(int)), found)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=20))
def test_a_table_of_counts_and_sorted_ones_say_the_same(pairs: list[tuple[int, int]]) -> None:
    b, c = np.array(pairs).T
    usual = many_counts.of_counts(b, c, 100, 0.95)
    wide = many_counts.of_counts(np.append(b, 3_000), np.append(c, 2_000), 10_000, 0.95)[0][:-1]
    assert wide == pytest.approx(usual[0], abs=1e-15)
    assert many_counts.pvalues(b, c) == pytest.approx(usual[0], abs=1e-15)


def test_every_pair_of_counts_is_worked_out_once() -> None:
    asked = []

    def once(b: np.ndarray, c: np.ndarray) -> np.ndarray:
        asked.extend(zip(b.tolist(), c.tolist(), strict=True))
        return (10 * b + c)[None]

    [values] = many_counts.each_once([[3, 1], [3, 1]], [[2, 2], [2, 2]], once)
    assert values.tolist() == [[32, 12], [32, 12]]
    assert sorted(asked) == [(1, 2), (3, 2)]


def test_ones_are_counted_with_and_without_numpys_own(monkeypatch: pytest.MonkeyPatch) -> None:
    runs, baseline = _drawn(1, (5, 333))
    usual = many.against_baseline(runs, baseline)
    monkeypatch.delattr(np, "bitwise_count", raising=False)
    again = many.against_baseline(runs, baseline)
    assert np.array_equal(usual.baseline_only, again.baseline_only)
    assert np.array_equal(usual.ci_high, again.ci_high)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: many.against_baseline([[1, 0]], [1]), "2 items and baseline 1"),
        (lambda: many.against_baseline([[1, 0.5]], [1, 0]), "runs has scores other than 0 and 1"),
        (lambda: many.against_baseline([["a", "b"]], [1, 0]), "runs has scores other than 0 and 1"),
        (lambda: many.against_baseline([[1, np.nan]], [1, 0]), "other than 0 and 1"),
        (lambda: many.against_baseline([], [1, 0]), "runs is empty"),
        (lambda: many.against_baseline([[1, 0]], [1, 0], level=95), "no confidence level"),
        (lambda: many.pairs_only_right([1, 0]), "1 dimensions"),
    ],
)
def test_bad_input_is_an_error_that_says_what_to_do(call: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        call()


def test_what_is_public_has_an_executed_example() -> None:
    functions = [getattr(many, name) for name in many.__all__ if name[0].islower()]
    assert len(functions) == 5
    assert all(">>> " in function.__doc__ for function in functions)
