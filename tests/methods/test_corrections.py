"""Families of p-values: other programs' numbers, laws for all families, what luck would light."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from evalstats.errors import InputError, MethodError
from evalstats.methods import corrections
from evalstats.methods.mcnemar import mcnemar_pvalues
from tests.reference import FOLDER, cases

FUNCTIONS: dict[str, Callable[..., dict[str, Any]]] = {
    "bonferroni": corrections.bonferroni,
    "holm": corrections.holm,
    "hochberg": corrections.hochberg,
    "benjamini_hochberg": corrections.benjamini_hochberg,
    "benjamini_yekutieli": corrections.benjamini_yekutieli,
}
STATSMODELS = {
    "bonferroni": "bonferroni",
    "holm": "holm",
    "hochberg": "simes-hochberg",
    "benjamini_hochberg": "fdr_bh",
    "benjamini_yekutieli": "fdr_by",
}
REFERENCE = {
    "adjust.bonferroni": "bonferroni",
    "adjust.holm": "holm",
    "adjust.hochberg": "hochberg",
    "adjust.bh": "benjamini_hochberg",
    "adjust.by": "benjamini_yekutieli",
}
NO_METHOD_OF_OURS = {"adjust.hommel"}
families = st.lists(st.floats(0, 1), min_size=1, max_size=40)
every_function = pytest.mark.parametrize("name", FUNCTIONS)


@pytest.mark.parametrize("case", cases("multiplicity", *REFERENCE))
def test_adjusted_pvalues_equal_those_of_r_and_statsmodels(case: dict[str, Any]) -> None:
    found = FUNCTIONS[REFERENCE[case["call"]]](case["input"]["p_values"], case["input"]["alpha"])
    expected = np.array(case["expected"]["adjusted"], dtype=float)
    assert found["adjusted"] == pytest.approx(expected, abs=case["tolerance"], nan_ok=True)
    if "reject" in case["expected"]:
        assert found["reject"].tolist() == [bool(lit) for lit in case["expected"]["reject"]]


@pytest.mark.parametrize("case", cases("multiplicity", "adjust.reject_counts"))
def test_published_example_lights_as_many(case: dict[str, Any]) -> None:
    for short, expected in case["expected"].items():
        found = FUNCTIONS[REFERENCE[f"adjust.{short}"]](case["input"]["p_values"], case["input"]["alpha"])
        assert int(found["reject"].sum()) == expected


def test_every_call_of_the_reference_file_is_mapped() -> None:
    calls = {case["call"] for case in json.loads((FOLDER / "multiplicity.json").read_text(encoding="utf-8"))}
    assert calls == set(REFERENCE) | {"adjust.reject_counts"} | NO_METHOD_OF_OURS


@every_function
@settings(max_examples=15)  # statsmodels collects garbage at every call of holm
@given(pvalues=families)
def test_adjusted_pvalues_equal_statsmodels_for_any_family(name: str, pvalues: list[float]) -> None:
    expected = multipletests(pvalues, method=STATSMODELS[name])[1]
    assert FUNCTIONS[name](pvalues)["adjusted"] == pytest.approx(expected, abs=1e-12)


@every_function
@given(pvalues=families, alpha=st.floats(0.001, 0.5))
def test_reject_and_adjusted_never_contradict_each_other(
    name: str, pvalues: list[float], alpha: float
) -> None:
    found = FUNCTIONS[name](pvalues, alpha)
    assert found["reject"].tolist() == (found["adjusted"] <= alpha).tolist()
    assert np.all((found["adjusted"] >= np.array(pvalues) * (1 - 1e-12)) & (found["adjusted"] <= 1))


@every_function
@given(pvalues=families, seed=st.integers(0, 1000))
def test_row_order_does_not_matter(name: str, pvalues: list[float], seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(pvalues))
    plain, shuffled = FUNCTIONS[name](pvalues), FUNCTIONS[name](np.array(pvalues)[order])
    assert shuffled["adjusted"].tolist() == plain["adjusted"][order].tolist()


@every_function
@given(pvalues=families, where=st.integers(0, 40))
def test_a_test_that_did_not_run_leaves_the_count(name: str, pvalues: list[float], where: int) -> None:
    at = min(where, len(pvalues))
    plain = FUNCTIONS[name](pvalues)
    found = FUNCTIONS[name]([*pvalues[:at], math.nan, *pvalues[at:]])
    assert found["m"] == plain["m"] == len(pvalues)
    assert math.isnan(found["adjusted"][at])
    assert not found["reject"][at]
    assert np.delete(found["adjusted"], at).tolist() == plain["adjusted"].tolist()


@given(pvalues=families)
def test_each_correction_lights_at_least_as_many_as_the_stricter_one(pvalues: list[float]) -> None:
    lit = {name: int(function(pvalues)["reject"].sum()) for name, function in FUNCTIONS.items()}
    assert lit["bonferroni"] <= lit["holm"] <= lit["hochberg"] <= lit["benjamini_hochberg"]
    assert lit["benjamini_yekutieli"] <= lit["benjamini_hochberg"]


@pytest.mark.parametrize("name", ["bonferroni", "holm", "hochberg", "benjamini_hochberg"])
def test_a_p_exactly_at_its_threshold_is_lit_whatever_rounds(name: str) -> None:
    """alpha/m·m is not alpha in floating point for one m in twelve; R and p ≤ alpha/m light it."""
    sizes = [m for m in range(1, 200) if 0.05 / m * m != 0.05]
    assert sizes
    for m in sizes:
        found = FUNCTIONS[name]([0.05 / m] + [1.0] * (m - 1))
        assert found["reject"][0]
        assert found["adjusted"][0] == 0.05


@every_function
def test_a_family_of_one_is_left_alone(name: str) -> None:
    assert FUNCTIONS[name]([0.03])["adjusted"].tolist() == [0.03]


def test_dicts_are_the_chapter_s() -> None:
    strict, discovered = (
        corrections.bonferroni([0.01, 0.5]),
        corrections.benjamini_hochberg([0.01, 0.5], q=0.1),
    )
    assert {key: strict[key] for key in ("alpha", "m", "method")} == {
        "alpha": 0.05,
        "m": 2,
        "method": "bonferroni",
    }
    assert {key: discovered[key] for key in ("k_star", "q", "method")} == {
        "k_star": 1,
        "q": 0.1,
        "method": "benjamini_hochberg",
    }
    assert set(strict) == {"reject", "adjusted", "alpha", "m", "method"}
    assert set(discovered) == {"reject", "adjusted", "k_star", "q", "m", "method"}


@every_function
@pytest.mark.parametrize(
    ("pvalues", "said"),
    [
        ([0.1, 1.5], r"pvalues\[1\] is 1\.5"),
        ([-0.1], r"pvalues\[0\] is -0\.1"),
        (["x"], "must be numbers"),
        ([[0.1]], "shape"),
        (0.1, "shape"),
    ],
)
def test_what_is_no_pvalue_is_refused(name: str, pvalues: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        FUNCTIONS[name](pvalues)


@every_function
@pytest.mark.parametrize("alpha", [0, 1, 5, math.nan, "0.05", True])
def test_what_is_no_error_rate_is_refused(name: str, alpha: Any) -> None:
    with pytest.raises(InputError, match="fraction between 0 and 1"):
        FUNCTIONS[name]([0.1], alpha)


@pytest.mark.parametrize("test", ["exact", "mid_p", "mcnemar_exact"])
def test_lit_by_luck_is_each_cell_s_own_null_probability(test: str) -> None:
    cells = [0, 1, 5, 6, 6, 17, 40, 95]
    expected = 0.0
    for m in cells:
        b = np.arange(m + 1)
        lit = mcnemar_pvalues(b, m - b, test) <= 0.05
        expected += stats.binom.pmf(b, m, 0.5)[lit].sum()
    assert corrections.lit_by_luck(cells, 0.05, test) == pytest.approx(expected, abs=1e-12)


def test_lit_by_luck_is_less_than_alpha_a_cell_with_the_exact_test() -> None:
    assert corrections.lit_by_luck([5] * 40) == 0.0
    assert 0.5 < corrections.lit_by_luck([95] * 40) < 2.0
    with pytest.raises(MethodError, match="no method"):
        corrections.lit_by_luck([5], 0.05, "t")
