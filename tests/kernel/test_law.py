"""The law under resampling: its rules on order statistics, its exactness, and digits that never move."""

from __future__ import annotations

import itertools
import json
import math
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evalstats.kernel import law, segments
from evalstats.kernel.law import _Sample, draw, high_quantile, low_quantile
from evalstats.kernel.limits import NoInterval
from evalstats.kernel.resampled import Bootstrap, bootstrap_interval
from evalstats.kernel.units import Tally, Units
from evalstats.kernel.weighted import DIFFERENCE, MEAN
from evalstats.numeric import block_generators
from tests.reference import FOLDER, cases

N_BOOT = 10_000


def tally_of(case: dict[str, Any]) -> Tally:
    scores = np.array(case["input"]["scores"], dtype=float)
    if "clusters" in case["input"]:
        return Units.of_clusters(scores, np.array(case["input"]["clusters"])).tally()
    return Units.of_items(scores).tally()


def enumerated(tally: Tally) -> np.ndarray:
    """The mean of every one of the kᵏ resamples of k units."""
    units = tally.units().rows
    drawn = units[list(itertools.product(range(len(units)), repeat=len(units)))]
    return drawn[..., 0].sum(axis=1) / drawn[..., 1].sum(axis=1)


def interval(kind: str, tally: Tally, level: float = 0.95, n_boot: int = N_BOOT, seed: int = 0) -> Any:
    return bootstrap_interval(kind, Bootstrap((tally,), level, n_boot, seed))


EXACT = cases("bootstrap", "bootstrap.exact_mean", "bootstrap.exact_cluster_mean")


@pytest.mark.parametrize("case", EXACT)
def test_monte_carlo_approaches_the_enumerated_law(case: dict[str, Any]) -> None:
    tally, expected = tally_of(case), case["expected"]
    exact = enumerated(tally)
    found = interval("percentile", tally)
    mean, se = expected.get("boot_mean", expected["point"]), expected["se"]
    assert exact.mean() == pytest.approx(mean, abs=case["tolerance"])
    assert exact.std() == pytest.approx(se, abs=case["tolerance"])
    kurtosis = ((exact - exact.mean()) ** 4).mean() / exact.var() ** 2
    assert abs(found.extra["boot_se"] - se) < 4 * se * math.sqrt((kurtosis - 1) / 4 / N_BOOT)
    assert abs(found.extra["boot_mean"] - mean) < 4 * se / math.sqrt(N_BOOT)
    assert _is_end(exact, found.low, 0.025)
    assert _is_end(-exact, -found.high, 0.025)


@pytest.mark.parametrize("case", cases("bootstrap", "bootstrap.exact_mean"))
def test_basic_and_bca_approach_the_enumerated_law(case: dict[str, Any]) -> None:
    tally, expected = tally_of(case), case["expected"]
    exact = enumerated(tally)
    percentile, basic, bca = (interval(kind, tally) for kind in ("percentile", "basic", "bca"))
    assert basic.low == pytest.approx(2 * expected["point"] - percentile.high, abs=1e-12)
    assert basic.high == pytest.approx(2 * expected["point"] - percentile.low, abs=1e-12)
    assert bca.extra["acceleration"] == pytest.approx(expected["acceleration"], abs=case["tolerance"])
    p = stats.norm.cdf(expected["z0_midrank"])
    noise = math.sqrt(p * (1 - p) / N_BOOT) / stats.norm.pdf(expected["z0_midrank"])
    assert abs(bca.extra["z0"] - expected["z0_midrank"]) < 4 * noise
    assert _is_end(exact, bca.low, expected["bca_alpha_low"])
    assert _is_end(-exact, -bca.high, 1 - expected["bca_alpha_high"])


def _is_end(exact: np.ndarray, end: float, q: float) -> bool:
    """An atom of the exact law at which F passes q, give or take .006 (the reference's note)."""
    near = 1e-9 * max(1.0, float(np.abs(exact).max()))
    is_atom = bool(np.any(np.abs(exact - end) < near))
    return is_atom and np.mean(exact < end - near) <= q + 0.006 and np.mean(exact <= end + near) >= q - 0.006


@pytest.mark.parametrize("case", cases("bootstrap", "bootstrap.mean"))
def test_monte_carlo_agrees_with_that_of_r(case: dict[str, Any]) -> None:
    tally, expected = tally_of(case), case["expected"]
    for kind in ("percentile", "basic", "bca"):
        found = interval(kind, tally, n_boot=100_000)
        assert [found.low, found.high] == pytest.approx(expected[kind], abs=case["tolerance"])
    assert found.extra["boot_se"] == pytest.approx(expected["se"], abs=case["tolerance"])


def test_every_call_of_the_reference_file_is_mapped() -> None:
    calls = {case["call"] for case in json.loads((FOLDER / "bootstrap.json").read_text(encoding="utf-8"))}
    assert calls == {"bootstrap.exact_mean", "bootstrap.exact_cluster_mean", "bootstrap.mean"}


def test_acceleration_of_two_samples_pools_their_influences() -> None:
    """a = ΣΣ(U/n)³/(6(ΣΣ(U/n)²)^{3/2}), U = (n−1)u the empirical influence (Davison & Hinkley 1997, §5.3)."""
    generator = np.random.default_rng(8)
    x, y = generator.exponential(size=9), generator.exponential(size=30)
    arms = (Units.of_items(x).tally(), Units.of_items(y).tally())
    found = bootstrap_interval("bca", Bootstrap(arms, 0.95, 500, 0))
    influence = np.concatenate([-(x - x.mean()) / len(x), (y - y.mean()) / len(y)])
    expected = (influence**3).sum() / (6 * (influence**2).sum() ** 1.5)
    assert found.extra["acceleration"] == pytest.approx(expected, rel=1e-9)


def test_studentised_limits_equal_a_naive_loop() -> None:
    x = np.array([1.0, 2.0, 4.0, 7.0, 11.0, 3.0, 5.5, 8.0, 2.5, 6.0])
    ordered, pivots = np.sort(x), []
    for generator, size in block_generators(3, 2000):
        for index in generator.integers(0, len(x), size=(size, len(x))):
            resample = ordered[index]
            pivots.append((resample.mean() - x.mean()) / (resample.std(ddof=1) / math.sqrt(len(x))))
    error = x.std(ddof=1) / math.sqrt(len(x))
    pivots = np.sort(pivots)
    found = interval("studentized", Units.of_items(x).tally(), n_boot=2000, seed=3)
    assert found.low == pytest.approx(x.mean() - pivots[-50] * error, abs=1e-9)
    assert found.high == pytest.approx(x.mean() - pivots[49] * error, abs=1e-9)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=40), st.floats(0.001, 0.999))
def test_the_quantile_rule_is_its_definition(values: list[int], q: float) -> None:
    ordered = np.sort(np.array(values, dtype=float))
    low = min(v for v in values if np.mean(ordered <= v) >= q * (1 - 1e-12))
    high = max(v for v in values if np.mean(ordered >= v) >= q * (1 - 1e-12))
    assert low_quantile(ordered, q) == low
    assert high_quantile(ordered, q) == high
    assert high == -low_quantile(np.sort(-ordered), q)


def _samples(kind: str) -> list[Tally]:
    generator = np.random.default_rng(5)
    if kind == "by weights":
        return [Units.of_items(generator.integers(1, 11, 700).astype(float)).tally()]
    if kind == "by index":
        return [Units.of_items(generator.normal(size=300)).tally()]
    if kind == "clusters":
        return [Units.of_clusters(generator.normal(size=300), np.arange(300) % 37).tally()]
    return [Units.of_items(generator.normal(size=n)).tally() for n in (90, 130)]


KINDS = ["by weights", "by index", "clusters", "two samples"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cells", [1, 1000, 1 << 20])
def test_chunk_size_changes_no_digit(kind: str, cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    samples, statistic = _samples(kind), DIFFERENCE if kind == "two samples" else MEAN
    usual = draw(samples, statistic, 1500, 7)
    monkeypatch.setattr(law, "CELLS", cells)
    assert np.array_equal(draw(samples, statistic, 1500, 7), usual)


@pytest.mark.parametrize("kind", KINDS)
def test_threads_and_their_order_change_no_digit(kind: str) -> None:
    samples, statistic = _samples(kind), DIFFERENCE if kind == "two samples" else MEAN

    def block(work: tuple[np.random.Generator, int]) -> np.ndarray:
        return statistic.finish(*(_Sample(tally, statistic).sums(*work) for tally in samples))

    blocks = list(block_generators(7, 4000))
    with ThreadPoolExecutor(4) as pool:
        backwards = list(pool.map(block, blocks[::-1]))
    assert np.array_equal(np.concatenate(backwards[::-1]), draw(samples, statistic, 4000, 7))


@pytest.mark.parametrize("kind", KINDS)
def test_more_resamples_begin_with_the_same(kind: str) -> None:
    samples, statistic = _samples(kind), DIFFERENCE if kind == "two samples" else MEAN
    assert np.array_equal(draw(samples, statistic, 3000, 1)[:2048], draw(samples, statistic, 2048, 1))
    assert not np.array_equal(draw(samples, statistic, 2048, 2), draw(samples, statistic, 2048, 1))


def test_both_ways_of_drawing_have_one_law(monkeypatch: pytest.MonkeyPatch) -> None:
    tally = Units.of_items(np.repeat([0.0, 1.0, 3.0], [60, 30, 10])).tally()
    by_weights = draw([tally], MEAN, 8000, 0)
    monkeypatch.setattr(law, "UNITS_PER_ROW", 10**9)
    by_index = draw([tally], MEAN, 8000, 0)
    assert not np.array_equal(by_weights, by_index)
    assert stats.ks_2samp(by_weights, by_index).pvalue > 1e-3


@pytest.mark.parametrize(
    ("values", "n_boot"),
    [
        (lambda g: (g.random(1_000_000) < 0.72).astype(float), 10_000),
        (lambda g: g.normal(size=1_000_000), 20),
        (lambda g: g.normal(size=3000), 20_000),
    ],
    ids=["pass/fail, a million", "scores, a million", "many resamples"],
)
def test_memory_stays_bounded(values: Callable[[np.random.Generator], np.ndarray], n_boot: int) -> None:
    x = values(np.random.default_rng(0))
    tally = Units.of_items(x).tally()
    tracemalloc.start()
    bootstrap_interval("percentile", Bootstrap((tally,), 0.95, n_boot, 0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64e6


def test_long_resamples_have_the_right_spread() -> None:
    x = np.random.default_rng(2).normal(size=segments.SEGMENT + 1000)
    values = draw([Units.of_items(x).tally()], MEAN, 400, 0)
    ratio = values.std() / (x.std() / math.sqrt(len(x)))
    assert abs(ratio - 1) < 4 / math.sqrt(2 * 400)


@pytest.mark.parametrize("kind", ["percentile", "basic", "bca", "studentized"])
def test_equal_units_have_no_interval(kind: str) -> None:
    with pytest.raises(NoInterval, match="equal"):
        interval(kind, Units.of_items(np.full(25, 0.3)).tally())
