"""Very many single items are read in parts: the answers are those of few, and take no more memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from evalstats.kernel import stream
from evalstats.methods import item_differences
from evalstats.methods.composites import composite
from evalstats.methods.difference_tests import paired_t
from evalstats.methods.differences import mean_difference
from evalstats.methods.means import mean
from evalstats.results import Estimate

Array = NDArray[np.float64]
R = np.random.default_rng(1)
N = 600
RUNS: dict[str, tuple[Array, Array]] = {
    "fractions": (R.random(N), R.random(N)),
    "sevenths": (R.integers(0, 8, N) / 7, R.integers(0, 8, N) / 7),
    "lengths": (R.gamma(2, 300, N), R.gamma(2, 310, N)),
    "one dominates": (np.append(R.random(N - 1), 1e4), R.random(N)),
    "hardly differ": (x := R.normal(50, 9, N), np.where(R.random(N) < 0.9, x * (1 + 1e-15), x + 1)),
    "whole numbers": (R.integers(0, 10**7, N) / 1.0, R.integers(0, 10**7, N) / 1.0),
}
RESAMPLED = (None, "bootstrap_percentile", "bootstrap_basic", "bootstrap_bca")


def same(first: Estimate, second: Estimate) -> None:
    """But for the last digits, in which an exact sum may stand for a sum of rounded ones."""
    assert (first.method, first.n, first.n_boot) == (second.method, second.n, second.n_boot)
    assert first.extra["caveats"] == second.extra["caveats"]
    numbers = [one.to_dict() for one in (first, second)]
    for key in ("point", "ci_low", "ci_high"):
        near = 1e-9 * (first.ci_high - first.ci_low)
        assert numbers[0][key] == pytest.approx(numbers[1][key], rel=1e-12, abs=near)
    assert first.extra["standard_error"] == pytest.approx(second.extra["standard_error"], rel=1e-12, abs=0)
    assert first.extra.get("n_discordant_units") == second.extra.get("n_discordant_units")


def in_parts(call: Callable[[], Estimate], monkeypatch: pytest.MonkeyPatch) -> Estimate:
    with monkeypatch.context() as patch:
        patch.setattr(stream, "MOST_KINDS", 100)
        patch.setattr(stream, "_PART", 77)
        patch.setattr(stream, "_PART_TO_TALLY", 90)
        return call()


@pytest.mark.parametrize("method", RESAMPLED)
@pytest.mark.parametrize("of", [name for name in RUNS if name != "one dominates"])
def test_a_mean_is_that_of_few(of: str, method: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    same(in_parts(lambda: mean(RUNS[of][0], method=method), monkeypatch), mean(RUNS[of][0], method=method))


@pytest.mark.parametrize("method", ["wilson_effective", "t", "bootstrap_percentile"])
def test_a_mean_on_a_wider_scale_is_that_of_few(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = 1 + 9 * RUNS["fractions"][0]
    found = in_parts(lambda: mean(scores, bounds=(1, 10), method=method), monkeypatch)
    same(found, mean(scores, bounds=(1, 10), method=method))


@pytest.mark.parametrize("exponent", [-900, -600, -530, -300, 0, 200])
def test_what_is_said_of_scores_does_not_hang_on_their_size(exponent: int) -> None:
    scores = np.ldexp(np.append(x := R.lognormal(0, 1.2, 60), -x[0]), exponent)
    for method in ("bootstrap_percentile", "t"):
        found, usual = mean(scores, method=method), mean(np.ldexp(scores, -exponent), method=method)
        assert found.extra["caveats"] == usual.extra["caveats"]
    assert "skewed" in {one["code"] for one in usual.extra["caveats"]}


@pytest.mark.parametrize(("offset", "spread"), [(1e9, 1e-4), (1e6, 1e-7), (1e3, 1e-10)])
def test_a_small_spread_of_large_scores_is_what_it_is(offset: float, spread: float) -> None:
    scores = offset + spread * np.random.default_rng(0).lognormal(0, 1, 30)
    exact = [Fraction(one) for one in scores.tolist()]
    centre = sum(exact) / 30
    variance = sum((one - centre) ** 2 for one in exact) / 29
    for group in (None, np.arange(30)):
        found = mean(scores, group, method="cr2_t")
        assert found.extra["standard_error"] == pytest.approx(float(variance / 30) ** 0.5, rel=1e-3, abs=0)
    of_clusters = [sum(exact[g * 5 : g * 5 + 5]) - 5 * centre for g in range(6)]
    expected = sum(one**2 for one in of_clusters) / (1 - Fraction(1, 6)) / 30**2
    found = mean(scores, np.arange(30) // 5, method="cr2_t")
    assert found.extra["standard_error"] == pytest.approx(float(expected) ** 0.5, rel=1e-3, abs=0)


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("method", RESAMPLED)
@pytest.mark.parametrize("of", [name for name in RUNS if name != "one dominates"])
def test_a_difference_is_that_of_few(
    of: str, method: str | None, paired: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = RUNS[of]
    found = in_parts(lambda: mean_difference(*runs, paired=paired, method=method), monkeypatch)
    same(found, mean_difference(*runs, paired=paired, method=method))


def test_what_is_said_of_one_item_that_dominates_is_said_of_many(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = RUNS["one dominates"]
    same(in_parts(lambda: mean(old, method="t"), monkeypatch), mean(old, method="t"))
    same(in_parts(lambda: mean(old / 1e4), monkeypatch), mean(old / 1e4))
    found = in_parts(lambda: mean(old / 1e4), monkeypatch)
    assert "dominant_item" in {one["code"] for one in found.extra["caveats"]}
    for of_two in (partial(mean_difference, old, new, paired=paired) for paired in (True, False)):
        same(in_parts(of_two, monkeypatch), of_two())


@pytest.mark.parametrize("method", ["paired_bootstrap_percentile", "paired_bootstrap_bca", "paired_t"])
def test_runs_exchanged_mirror_the_difference(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = RUNS["lengths"]
    there = in_parts(lambda: mean_difference(old, new, method=method), monkeypatch)
    back = in_parts(lambda: mean_difference(new, old, method=method), monkeypatch)
    assert (there.point, there.ci_low, there.ci_high) == (-back.point, -back.ci_high, -back.ci_low)


def test_residuals_of_large_clusters_far_from_0_keep_their_digits() -> None:
    """Sums of 300 scores of a million have lost what a centre taken off before keeps."""
    scores = 1e6 + 1e-6 * np.random.default_rng(0).lognormal(0, 1, 6000)
    exact = [Fraction(one) for one in scores.tolist()]
    centre = sum(exact) / 6000
    of_clusters = [sum(exact[g * 300 : g * 300 + 300]) - 300 * centre for g in range(20)]
    expected = sum(one**2 for one in of_clusters) / (1 - Fraction(1, 20)) / 6000**2
    found = mean(scores, np.arange(6000) // 300, method="cr2_t")
    assert found.extra["standard_error"] == pytest.approx(float(expected) ** 0.5, rel=1e-6, abs=0)


@pytest.mark.parametrize("n", [1, 2, 7, 8, 601])
def test_the_usual_size_of_scores_is_the_median_of_those_that_are_not_0(
    n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "_PART", 5)
    for zeros in (0, 1, n):
        scores = R.normal(size=n) * (np.arange(n) >= zeros)
        known = item_differences._usual(scores)
        assert item_differences._usual_of_streamed(stream.Streamed.of(scores)) == known


@pytest.mark.parametrize("size", [N, N - 1])
def test_what_is_rounding_is_told_by_what_is_usual_in_the_runs(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of the scores differ by about the rounding of their sizes."""
    old = np.where(np.arange(size) % 3 == 0, 0.0, R.normal(0, 5, size))
    new = old + np.where(np.arange(size) % 2 == 0, 1e-12, 1.0) * R.random(size)
    found = in_parts(lambda: mean_difference(old, new), monkeypatch)
    same(found, mean_difference(old, new))
    assert 0 < found.extra["n_discordant_units"] < size


@pytest.mark.parametrize("method", [None, "bootstrap_percentile", "bootstrap_bca"])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_millions_of_continuous_scores_take_the_memory_of_a_part(method: str | None, kind: Any) -> None:
    random = np.random.default_rng(0)
    old, new = (random.gamma(2.0, size=1_500_000).astype(kind) for _ in range(2))
    tracemalloc.start()
    mean(old, method=method)
    mean_difference(old, new, method=method)
    mean_difference(old, new, method=method, paired=False)
    paired_t(new, old)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6  # 24 MB are two runs as floats


def test_a_stream_beside_unequal_clusters_has_its_part_in_the_acceleration(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scores = {"many": RUNS["lengths"][0], "groups": R.gamma(2, 300, 60)}
    asked = {"cluster": {"groups": np.repeat(np.arange(24), R.permutation([1, 2, 3, 4] * 6))}}
    method = "stratified_bootstrap_bca"
    usual = composite(scores, method=method, n_boot=200, **asked)
    found = in_parts(lambda: composite(scores, method=method, n_boot=200, **asked), monkeypatch)
    assert found.extra["acceleration"] == pytest.approx(usual.extra["acceleration"], rel=1e-9)


@pytest.mark.parametrize("scale", [1e-30, 1e-110, 1e-160, 1e-300])
def test_a_run_of_very_small_scores_beside_a_usual_one_has_an_interval(scale: float) -> None:
    small = scale * np.random.default_rng(0).integers(1, 9, 20)
    for kind in ("percentile", "bca"):
        method = f"unpaired_bootstrap_{kind}"
        found = mean_difference([0.3] * 20, small, paired=False, method=method)
        assert found.ci_low <= found.point <= found.ci_high
        assert found.point == pytest.approx(-0.3)
        found = mean_difference(np.arange(20) % 7 / 7, small, paired=False, method=method)
        assert found.ci_low < found.point < found.ci_high


def test_scores_that_vanish_when_they_are_averaged_have_no_interval() -> None:
    small = 5e-324 * np.random.default_rng(0).integers(1, 9, 20)
    found = mean_difference([0.3] * 20, small, paired=False, method="unpaired_bootstrap_percentile")
    assert set(found.extra["undefined"]) >= {"ci_low", "ci_high"}
