"""Medians and quantiles in clusters and of two runs: enumeration, numpy's resamples, laws, refusals."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evalstats.errors import InputError, MethodError, PairingError
from evalstats.kernel import order, stream
from evalstats.kernel.cluster_order import ClusterQuantile, same_among_shares
from evalstats.kernel.order import WeightedQuantile, quantile_ranks
from evalstats.methods.paired_statistics import quantile_difference
from evalstats.methods.quantiles import order_statistic_ranks, quantile
from evalstats.results import EXTRA, Estimate

levels = st.sampled_from([0.5, 0.8, 0.95])
shares = st.sampled_from([0.5, 0.25, 0.9, 1 / 3, 0.99999, 0.123456789])


def ends(found: Estimate) -> tuple[float, float]:
    return found.ci_low, found.ci_high


def of_ranks(scores: Any, q: float) -> tuple[float, float]:
    ordered = np.sort(scores)
    first, second = quantile_ranks(len(ordered), q)
    return float(ordered[first - 1]), float(ordered[second - 1])


@given(st.lists(st.integers(0, 6), min_size=1, max_size=12), shares, st.integers(0, 9))
def test_weighted_quantiles_are_those_of_rows_written_out(scores: list[int], q: float, seed: int) -> None:
    x = np.array(scores * 9, dtype=float)
    weights = np.random.default_rng(seed).integers(0, 4, (5, len(x))).astype(float)
    weights[:, 0] += 1
    weights[0, len(x) // 2 :] = 0  # far from what a resample is like
    expected = [np.mean(of_ranks(np.repeat(x, w.astype(int)), q)) for w in weights]
    assert WeightedQuantile(x, q)(weights).tolist() == expected
    if q == 0.5:
        assert expected == [np.median(np.repeat(x, w.astype(int))) for w in weights]


def test_a_quantile_outside_the_window_is_found_all_the_same() -> None:
    x = np.random.default_rng(0).permutation(4000.0 + np.arange(4000))
    rank = (x - 4000).astype(int)
    weights = np.stack([(rank < 100) * 1.0, (rank >= 3900) * 1.0, np.ones(4000), (rank == 7) * 3.0])
    assert WeightedQuantile(x, 0.5)(weights).tolist() == [4049.5, 7949.5, 5999.5, 4007.0]


@given(st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=3), min_size=2, max_size=4), shares, levels)
def test_the_ends_in_clusters_are_those_of_every_resample(
    clusters: list[list[int]], q: float, level: float
) -> None:
    """The slow oracle: all kᵏ draws of whole clusters, equally likely."""
    scores = np.array([x for one in clusters for x in one], dtype=float)
    codes = np.repeat(np.arange(len(clusters)), [len(one) for one in clusters])
    drawn = [
        of_ranks([x for one in resample for x in one], q)
        for resample in itertools.product(clusters, repeat=len(clusters))
    ]
    lower, upper = (np.sort(column) for column in np.array(drawn).T)
    half = (1 - level) / 2 * (1 - 1e-9)
    rank = max(math.ceil(half * len(drawn)), 1)
    found = ClusterQuantile(scores, codes, q)
    assert found.ends(level) == (lower[rank - 1], upper[-rank])
    mirrored = ClusterQuantile(-scores, codes, 1 - q).ends(level)
    if q in (0.5, 0.25):  # the others are no binary fractions
        assert mirrored == (-upper[-rank], -lower[rank - 1])


@given(st.integers(1, 40), st.floats(1e-6, 1 - 1e-6) | st.sampled_from([0.99999, 1 / 3, 0.95, 1e-5]))
def test_a_quantile_s_stand_in_is_on_the_same_side_of_every_share(most: int, q: float) -> None:
    found = same_among_shares(q, most)
    assert 0 < found < 1
    for M in range(1, most + 1):
        for c in range(M + 1):
            equal = math.isclose(q, c / M, rel_tol=1e-12)
            assert (found > Fraction(c, M)) - (found < Fraction(c, M)) == (0 if equal else np.sign(q - c / M))


@given(st.integers(1, 200), shares, levels | st.sampled_from([0.9999999, 1 - 1e-15]))
def test_ranks_are_the_outermost_that_keep_the_level(n: int, q: float, level: float) -> None:
    """The slow oracle: every rank, by its definition."""
    half = (1 - level) / 2 * (1 + 1e-12)
    j = np.arange(1, n + 1)
    below = j[stats.binom.cdf(j - 1, n, q) <= half]
    above = j[stats.binom.sf(j - 1, n, q) <= half]
    expected = (int(below.max(initial=0)), int(above.min(initial=n + 1)))
    assert order_statistic_ranks(n, q, level) == expected


@pytest.mark.parametrize("kind", ["continuous", "whole numbers", "hardly any that differ", "equal"])
@pytest.mark.parametrize("method", [None, "bootstrap_percentile"])
def test_very_many_scores_have_the_digits_of_a_sort(
    kind: str, method: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(6)
    scores = {
        "continuous": rng.normal(size=2001),
        "whole numbers": rng.integers(0, 5, 2000).astype(np.int8),
        "hardly any that differ": np.append(np.ones(1000), [0.5, 2]),
        "equal": np.ones(600, dtype=np.float32),
    }[kind]
    for q in (0.5, 0.25, 0.999, 1e-4):
        expected = repr(quantile(scores, q, method=method))
        with monkeypatch.context() as patch:
            patch.setattr(stream, "MOST_KINDS", 500)
            patch.setattr(order, "_AT_ONCE", 300)
            assert repr(quantile(scores, q, method=method)) == expected


def test_a_median_in_clusters_has_wider_limits_than_its_items_say() -> None:
    rng = np.random.default_rng(3)
    scores, labels = np.repeat(rng.gamma(2, 1, 40), 5) + 0.01 * rng.random(200), np.repeat(np.arange(40), 5)
    found, alone = quantile(scores, cluster=labels), quantile(scores)
    assert found.point == alone.point == np.median(scores)
    assert found.ci_high - found.ci_low > 1.5 * (alone.ci_high - alone.ci_low)
    at = rng.integers(0, 40, (4000, 40))
    drawn = np.median(scores.reshape(40, 5)[at].reshape(4000, 200), axis=1)
    assert np.mean(drawn < found.ci_low) <= 0.035
    assert np.mean(drawn > found.ci_high) <= 0.035
    assert (found.method, found.extra["n_clusters"], found.extra["law"]) == (
        "cluster_bootstrap_percentile",
        40,
        "exact lattice",
    )
    assert set(found.extra) <= set(EXTRA)


def test_a_share_that_is_no_short_fraction_has_limits_too() -> None:
    rng = np.random.default_rng(4)
    scores, labels = rng.random(3000), np.repeat(np.arange(300), 10)
    found, near = (quantile(scores, q, labels) for q in (math.pi / 4, 0.785))
    assert ends(found) == pytest.approx(ends(near), abs=0.003)


def test_few_clusters_have_no_interval_and_one_is_refused() -> None:
    found = quantile([1, 2, 3, 4] * 9, cluster=np.arange(36) // 4)
    assert "under 10 clusters" in found.extra["undefined"]["ci_low"]
    assert found.extra["caveats"][0]["code"] == "few_clusters"
    same = quantile([3.0] * 40, cluster=np.arange(40) // 2)
    assert "all scores are equal" in same.extra["undefined"]["ci_high"]
    with pytest.raises(MethodError, match="one cluster"):
        quantile([1, 2, 3], cluster=["a"] * 3)
    with pytest.raises(MethodError, match="There are: cluster_bootstrap_percentile"):
        quantile([1, 2, 3], cluster=["a", "b", "c"], method="order_statistics")


@given(st.integers(0, 60), st.sampled_from([0.5, 0.9]), st.booleans())
def test_swapping_runs_mirrors_every_digit_and_order_changes_none(
    seed: int, q: float, clustered: bool
) -> None:
    rng = np.random.default_rng(seed)
    old, new = rng.integers(0, 5, (2, 30)).astype(float)
    labels = np.arange(30) // 2 if clustered else None
    one, two = (quantile_difference(*runs, q, labels, n_boot=200) for runs in ((old, new), (new, old)))
    assert (one.point, *ends(one)) == pytest.approx((-two.point, -two.ci_high, -two.ci_low), nan_ok=True)
    order = rng.permutation(30)
    moved = quantile_difference(
        old[order], new[order], q, None if labels is None else labels[order], n_boot=200
    )
    assert repr(moved) == repr(one)


def test_the_difference_of_medians_resamples_items_with_both_scores() -> None:
    rng = np.random.default_rng(5)
    old = rng.gamma(2, 1, 101)
    new = 1.2 * old + rng.normal(0, 0.3, 101)
    found = quantile_difference(old, new)
    at = rng.integers(0, 101, (20_000, 101))
    drawn = np.median(new[at], axis=1) - np.median(old[at], axis=1)
    assert found.point == np.median(new) - np.median(old)
    assert ends(found) == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=drawn.std() / 6)
    assert found.extra["boot_se"] == pytest.approx(drawn.std(), rel=0.05)
    assert (found.method, found.n_boot, found.seed) == ("paired_bootstrap_percentile", 10_000, 0)
    assert found.extra["n_discordant_units"] == 101
    assert quantile_difference(old[:30], new[:30]).method == "paired_bootstrap_bca"


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: quantile_difference([1, 2], [1]), PairingError, "same items"),
        (lambda: quantile_difference([1, 2], [1, 2], 1.5), InputError, "q=1.5"),
        (lambda: quantile_difference([1, 2], [1, 2], method="t"), MethodError, "There are"),
        (lambda: quantile_difference([1, 2], [1, 2], 0.5, ["a", "a"]), MethodError, "one cluster"),
    ],
)
def test_bad_input_is_an_error(call: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        call()
