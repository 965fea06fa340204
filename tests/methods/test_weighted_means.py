"""Items that count unequally: statsmodels' HC2 of a weighted regression, laws, the bootstrap of a ratio."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

from evalstats.errors import InputError, MethodError
from evalstats.methods.clusters import clustered, cr0
from evalstats.methods.means import mean
from evalstats.methods.weighted_means import weighted_mean
from evalstats.results import EXTRA

scores = st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=8, max_size=40)


def test_the_standard_error_is_hc2_of_a_weighted_regression_on_1() -> None:
    rng = np.random.default_rng(0)
    y, w = rng.gamma(2.0, 3.0, 60), rng.gamma(3.0, 1.0, 60)
    found = weighted_mean(y, w)
    fit = sm.WLS(y, np.ones(60), weights=w).fit(cov_type="HC2")
    assert (found.point, found.standard_error) == pytest.approx((fit.params[0], fit.bse[0]), rel=1e-10)
    assert found.method == "cr2_t"


def test_the_case_of_weights_that_are_no_counts() -> None:
    """cases.json, weighted-mean: .260521 is CR0; CR2 is what is reported."""
    y, w = np.array([1.0, 0.0, 1.0, 0.0]), np.array([4.0, 1.0, 1.0, 2.0])
    found = weighted_mean(y, w)
    units = clustered(y, np.arange(4), w)
    assert found.point == 0.625
    assert cr0(units) == pytest.approx(0.260521, abs=1e-6)
    assert found.extra["kish_n"] == pytest.approx(2.909091, abs=1e-6)
    by_hand = np.sum((w * (y - 0.625)) ** 2 / (1 - w / 8)) / 64
    assert found.standard_error == pytest.approx(math.sqrt(by_hand))
    assert {one["code"] for one in found.extra["caveats"]} >= {"few_clusters", "dominant_cluster"}


@given(scores, st.integers(0, 99), st.sampled_from([0.125, 4.0]))
def test_proportions_alone_matter_and_order_does_not(y: list[float], seed: int, factor: float) -> None:
    rng = np.random.default_rng(seed)
    w = rng.integers(1, 9, len(y)).astype(float)
    one = weighted_mean(y, w, bounds=(0, 1))
    order = rng.permutation(len(y))
    two = weighted_mean(np.array(y)[order], factor * w[order], bounds=(0, 1))
    for field in ("point", "ci_low", "ci_high", "standard_error"):
        assert getattr(one, field) == pytest.approx(getattr(two, field), rel=1e-9, nan_ok=True)
    assert one.ci_low <= one.point <= one.ci_high
    assert set(one.extra) <= set(EXTRA)


@given(scores)
def test_equal_weights_are_the_mean_of_items_as_clusters(y: list[float]) -> None:
    one = weighted_mean(y, np.full(len(y), 3.0), bounds=(0, 1))
    two = mean(y, np.arange(len(y)), bounds=(0, 1))
    assert one.point == pytest.approx(two.point)
    assert (one.ci_low, one.ci_high) == pytest.approx((two.ci_low, two.ci_high), rel=1e-9)


def test_a_weight_of_zero_leaves_the_item_out() -> None:
    y, w = [1, 0, 1, 1, 0, 0, 1, 1], [1, 2, 0, 1, 3, 1, 0, 2]
    kept = [i for i in range(8) if w[i]]
    assert repr(weighted_mean(y, w)) == repr(weighted_mean([y[i] for i in kept], [w[i] for i in kept]))


def test_the_bootstrap_resamples_items_with_their_weights() -> None:
    rng = np.random.default_rng(1)
    y, w = rng.random(80), rng.integers(1, 5, 80).astype(float)
    found = weighted_mean(y, w, method="bootstrap_percentile")
    at = rng.integers(0, 80, (20_000, 80))
    drawn = (w[at] * y[at]).sum(axis=1) / w[at].sum(axis=1)
    noise = drawn.std() / 10
    assert (found.ci_low, found.ci_high) == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=noise)


def test_clusters_are_whole_units() -> None:
    rng = np.random.default_rng(2)
    y, w = np.repeat(rng.random(24) < 0.6, 5).astype(float), rng.integers(1, 4, 120).astype(float)
    labels = np.repeat(np.arange(24), 5)
    assert weighted_mean(y, w, labels).standard_error > 1.7 * weighted_mean(y, w).standard_error
    assert weighted_mean(y, w, labels).extra["n_clusters"] == 24


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: weighted_mean([1, 0], [1, -1]), InputError, "0 or more"),
        (lambda: weighted_mean([1, 0], [0, 0]), InputError, "above 0"),
        (lambda: weighted_mean([1, 0], [1]), InputError, "1 weights for 2 scores"),
        (lambda: weighted_mean([1, 0], [1, math.nan]), InputError, r"weights\[1\]"),
        (lambda: weighted_mean([1, 0], [1, 0]), MethodError, "one"),
        (lambda: weighted_mean([1, 0], [1, 1], method="wilson"), MethodError, "There are"),
    ],
)
def test_bad_weights_are_errors(call: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        call()
