"""Permutation tests of paired scores: exact means exact, ties count, the sign of a lattice is not guessed."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from evalstats.errors import InputError, MethodError
from evalstats.methods.sign_flip import lattice_steps, sign_flip_pvalue, sign_flip_test
from evalstats.methods.wilcoxon import wilcoxon_test
from evalstats.results import EXTRA
from tests.reference import FOLDER, cases


def differences(case: dict[str, Any]) -> np.ndarray:
    return np.array(case["input"]["a"], dtype=float) - np.array(case["input"]["b"])


@pytest.mark.parametrize("case", cases("paired_continuous", "permutation.sign_flip_exact"))
def test_exact_sign_flip_equals_enumeration_elsewhere(case: dict[str, Any]) -> None:
    found = sign_flip_test(differences(case))
    assert found.pvalue == pytest.approx(case["expected"]["p_value"], abs=case["tolerance"])
    assert found.extra["law"] == "exact"
    assert case["expected"]["n_flips"] == 2 ** len(differences(case))


@pytest.mark.parametrize("case", cases("paired_continuous", "wilcoxon.exact", "wilcoxon.normal"))
def test_wilcoxon_equals_that_of_r(case: dict[str, Any]) -> None:
    found = wilcoxon_test(differences(case), method=case["call"].replace(".", "_"))
    assert found.statistic == pytest.approx(case["expected"]["v"], abs=case["tolerance"])
    assert found.pvalue == pytest.approx(case["expected"]["p_value"], abs=case["tolerance"])


def test_every_call_of_the_reference_file_is_mapped() -> None:
    """`paired_t` is in test_differences."""
    text = (FOLDER / "paired_continuous.json").read_text(encoding="utf-8")
    assert {case["call"] for case in json.loads(text)} == {
        "paired_t",
        "permutation.sign_flip_exact",
        "wilcoxon.exact",
        "wilcoxon.normal",
    }


def enumerated(d: np.ndarray) -> float:
    """The share of all 2ⁿ sign vectors that are as one-sided as the data."""
    signs = np.array(list(itertools.product((-1, 1), repeat=len(d))))
    threshold = abs(d.sum()) - 1e-9 * np.abs(d).sum()
    return float(np.mean(np.abs(signs @ d) >= threshold))


@given(
    st.lists(st.integers(-9, 9), min_size=1, max_size=10),
    st.sampled_from([1, 3, 7, 10, 0.37]),
)
def test_lattices_of_any_step_are_exact(steps: list[int], divisor: float) -> None:
    d = np.array(steps) / divisor
    pvalue, law = sign_flip_pvalue(d, 100, 0)
    assert law == "exact"
    assert pvalue == pytest.approx(enumerated(d), abs=1e-12)


@given(st.lists(st.floats(-2, 2), min_size=1, max_size=10))
def test_any_few_differences_are_exact(values: list[float]) -> None:
    d = np.array(values)
    pvalue, law = sign_flip_pvalue(d, 100, 0)
    assert law == "exact"
    largest = np.abs(d).max()
    assert pvalue == pytest.approx(enumerated(np.where(np.abs(d) > 1e-12 * largest, d, 0.0)), abs=1e-9)


@given(st.integers(0, 300), st.integers(0, 300))
@example(300, 0)
@example(260, 40)
def test_signs_alone_are_a_binomial(plus: int, minus: int) -> None:
    """And the tail is right down to probabilities that a Fourier sum cannot hold."""
    if plus + minus == 0:
        return
    d = np.array([1.0] * plus + [-1.0] * minus)
    exact = stats.binomtest(plus, plus + minus).pvalue
    assert sign_flip_pvalue(d, 100, 0)[0] == pytest.approx(exact, rel=1e-6, abs=0)


@given(st.lists(st.sampled_from([0.0, 0.3, -0.1, 0.7]), min_size=2, max_size=30), st.integers(0, 99))
def test_zeros_order_and_direction_do_not_matter(values: list[float], seed: int) -> None:
    d = np.array(values)
    shuffled = np.random.default_rng(seed).permutation(np.append(d, 0.0))
    assert sign_flip_pvalue(shuffled, 100, 0) == sign_flip_pvalue(d, 100, 0) == sign_flip_pvalue(-d, 100, 0)


def test_drawn_signs_agree_with_scipy() -> None:
    d = np.random.default_rng(1).normal(0.15, 1, 120)
    found = sign_flip_test(d, n_boot=20_000)
    assert found.extra["law"] == "monte_carlo"
    other = stats.permutation_test(
        (d,), np.sum, permutation_type="samples", n_resamples=20_000, random_state=3
    )
    noise = 4 * math.sqrt(2 * other.pvalue * (1 - other.pvalue) / 20_000)
    assert abs(found.pvalue - other.pvalue) < noise
    again = sign_flip_test(np.random.default_rng(9).permutation(d), n_boot=20_000)
    assert again.pvalue == found.pvalue == sign_flip_test(-d, n_boot=20_000).pvalue
    assert found.pvalue * 20_001 == pytest.approx(round(found.pvalue * 20_001))


def test_identical_runs_have_p_one() -> None:
    """cases.json, identical-systems-permutation."""
    for n in (1, 30, 3000):
        assert sign_flip_test(np.zeros(n)).pvalue == 1.0


def test_clusters_are_swapped_whole() -> None:
    d, cluster = [0.2, 0.4, -0.1, 0.5, 0.3, -0.2, 0.1], list("aabbccd")
    sums = [0.2 + 0.4, -0.1 + 0.5, 0.3 - 0.2, 0.1]
    found = sign_flip_test(d, cluster)
    assert found.pvalue == sign_flip_test(sums).pvalue
    assert (found.n, found.extra["n_clusters"]) == (7, 4)
    assert found.effect == pytest.approx(np.mean(d))
    assert set(found.extra) <= set(EXTRA)


def test_two_thousand_items_are_exact_in_a_moment() -> None:
    d = np.random.default_rng(0).integers(-10, 11, 2000) / 10
    pvalue, law = sign_flip_pvalue(d, 100, 0)
    z = d.sum() / math.sqrt((d**2).sum())
    assert law == "exact"
    assert pvalue == pytest.approx(2 * stats.norm.sf(abs(z)), rel=0.02)


def test_numbers_off_any_lattice_are_not_put_on_one() -> None:
    assert lattice_steps(np.random.default_rng(0).normal(size=50)) is None
    assert lattice_steps(np.array([1.0, 1.0 + 1e-7])) is None
    assert lattice_steps(np.array([0.1 + 0.2, -0.1])).tolist() == [3, -1]


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=12))
def test_wilcoxon_exact_enumerates_signed_midranks(values: list[int]) -> None:
    d = np.array(values, dtype=float)
    nonzero = d[d != 0]
    found = wilcoxon_test(d)
    assert set(found.extra) <= set(EXTRA)
    if len(nonzero) == 0:
        assert found.pvalue == 1.0
        return
    ranks = stats.rankdata(np.abs(nonzero))
    assert found.statistic == ranks[nonzero > 0].sum()
    assert found.pvalue == pytest.approx(enumerated(np.sign(nonzero) * ranks), abs=1e-12)


def test_wilcoxon_normal_equals_that_of_scipy() -> None:
    d = np.round(np.random.default_rng(2).normal(0.2, 1, 90), 1)
    found = wilcoxon_test(d)
    expected = stats.wilcoxon(d[d != 0], correction=False, method="approx").pvalue
    assert found.method == "wilcoxon_normal"
    assert found.pvalue == pytest.approx(expected, rel=1e-9)
    with pytest.raises(MethodError, match="up to 50"):
        wilcoxon_test(d, method="wilcoxon_exact")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: sign_flip_test([]), "differences is empty"),
        (lambda: sign_flip_test([1, math.nan]), r"differences\[1\] is nan"),
        (lambda: sign_flip_test([1, 2], ["a", "a"]), "one cluster"),
        (lambda: sign_flip_test([1, 2], n_boot=1), "too few"),
        (lambda: wilcoxon_test([None]), r"differences\[0\] is None"),
    ],
)
def test_bad_input_is_named(call: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        call()
