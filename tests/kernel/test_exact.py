"""Exact laws against slow oracles: every resample enumerated, rational convolution, scipy's binomial."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evalstats.kernel.engines import laws_of
from evalstats.kernel.enumerated import enumerable, enumerated_law
from evalstats.kernel.exact import Atoms, Binomial, Difference
from evalstats.kernel.frequencies import LEAST_WORK, few_frequencies
from evalstats.kernel.lattice import common_step, fast_length, lattice_of
from evalstats.kernel.order import quantile_law, quantile_ranks
from evalstats.kernel.ratio import RatioSum
from evalstats.kernel.ratio_lattice import ratio_lattice_law
from evalstats.kernel.resampled import Bootstrap, bootstrap_interval
from evalstats.kernel.sums import LinearSum
from evalstats.kernel.units import Tally, Units
from evalstats.kernel.weighted import MEAN
from tests.reference import cases

LEVELS = [0.5, 0.8, 0.9, 0.95, 0.99, 0.999]


def tally_of(case: dict[str, Any]) -> Tally:
    scores = np.array(case["input"]["scores"], dtype=float)
    if "clusters" in case["input"]:
        return Units.of_clusters(scores, np.array(case["input"]["clusters"])).tally()
    return Units.of_items(scores).tally()


def on_a_lattice(tally: Tally) -> Atoms:
    lattice = lattice_of(LinearSum.of_means([tally], [1.0]))
    assert lattice is not None
    return lattice.atoms()


def every_resample(tally: Tally) -> Counter[Fraction]:
    """The statistic of each of the nⁿ resamples, as a fraction, and how many of them have it."""
    units = [tuple(Fraction(x).limit_denominator(1000) for x in row) for row in tally.units().rows.tolist()]
    return Counter(
        sum(s for s, _ in drawn) / sum(m for _, m in drawn)
        for drawn in itertools.product(units, repeat=len(units))
    )


def naive_ends(law: Counter[Fraction], q: Fraction) -> tuple[Fraction, Fraction]:
    """min{v: F(v) ≥ q} and max{v: P(V ≥ v) ≥ q}, in whole numbers of resamples."""
    total = sum(law.values())
    low = min(v for v in law if sum(c for u, c in law.items() if u <= v) >= q * total)
    high = max(v for v in law if sum(c for u, c in law.items() if u >= v) >= q * total)
    return low, high


@pytest.mark.parametrize("case", cases("bootstrap", "bootstrap.exact_mean"), ids=lambda case: case["id"])
def test_the_reference_laws_are_met_exactly(case: dict[str, Any]) -> None:
    expected, tolerance = case["expected"], case["tolerance"]
    asked = Bootstrap((tally_of(case),), case["input"]["level"])
    for kind in ("percentile", "basic", "bca"):
        found = bootstrap_interval(kind, asked)
        limits = [expected[f"{kind}_low"], expected[f"{kind}_high"]]
        assert [found.low, found.high] == pytest.approx(limits, abs=tolerance)
        assert found.extra["law"].startswith("exact")
        assert found.n_boot is None
        assert found.extra["boot_se"] == pytest.approx(expected["se"], abs=tolerance)
        assert found.extra["boot_mean"] == pytest.approx(expected["point"], abs=tolerance)
    assert found.extra["z0"] == pytest.approx(expected["z0_midrank"], abs=tolerance)
    assert found.extra["acceleration"] == pytest.approx(expected["acceleration"], abs=tolerance)
    law = next(asked.laws())
    assert law.below(expected["point"]) == pytest.approx(
        expected["mass_below"] + expected["mass_at"] / 2, abs=tolerance
    )


@pytest.mark.parametrize(
    "case", cases("bootstrap", "bootstrap.exact_cluster_mean"), ids=lambda case: case["id"]
)
def test_the_reference_laws_of_clusters_are_met_exactly(case: dict[str, Any]) -> None:
    expected, tolerance = case["expected"], case["tolerance"]
    found = bootstrap_interval("percentile", Bootstrap((tally_of(case),), case["input"]["level"]))
    limits = [expected["percentile_low"], expected["percentile_high"]]
    assert [found.low, found.high] == pytest.approx(limits, abs=tolerance)
    assert found.extra["boot_se"] == pytest.approx(expected["se"], abs=tolerance)
    assert found.extra["boot_mean"] == pytest.approx(expected["boot_mean"], abs=tolerance)
    assert found.extra["law"] == "exact lattice"


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(-2, 3), st.integers(1, 3)), min_size=2, max_size=5))
def test_every_exact_engine_is_the_law_of_all_resamples(units: list[tuple[int, int]]) -> None:
    sums, sizes = np.array(units, dtype=float).T
    tally = Units.of_sums(sums, sizes).tally()
    means = sums / sizes
    if np.ptp(means) == 0:
        return
    law = every_resample(tally)
    engines = {
        "enumerated": enumerated_law(tally, MEAN),
        "lattice": ratio_lattice_law(RatioSum(tally), 1 << 20),
    }
    if np.ptp(sizes) == 0:
        engines["line"] = on_a_lattice(tally)
    total = sum(law.values())
    for name, found in engines.items():
        assert found is not None, name
        for value, count in law.items():
            below = sum(c for v, c in law.items() if v < value) / total + count / total / 2
            assert found.below(float(value)) == pytest.approx(below, abs=1e-12), name
        for level in LEVELS:
            q = (1 - Fraction(level).limit_denominator(1000)) / 2
            low, high = naive_ends(law, q)
            assert found.low(float(q)) == pytest.approx(float(low), abs=1e-12), (name, level)
            assert found.high(float(q)) == pytest.approx(float(high), abs=1e-12), (name, level)


def test_the_lattice_is_a_rational_convolution() -> None:
    """24 draws of 1, 2, 2, 4, 9 tenths, by 24 multiplications of polynomials with rational coefficients."""
    scores = np.repeat([0.1, 0.2, 0.2, 0.4, 0.9], [5, 5, 4, 6, 4])
    tally = Units.of_items(scores).tally()
    one = Counter(
        {round(10 * x): Fraction(int(c), 24) for x, c in zip(tally.rows[:, 0], tally.counts, strict=True)}
    )
    total = Counter({0: Fraction(1)})
    for _ in range(24):
        longer: Counter[int] = Counter()
        for (s, p), (x, q) in itertools.product(total.items(), one.items()):
            longer[s + x] += p * q
        total = longer
    found = on_a_lattice(tally)
    masses = dict(zip(np.rint(found.values * 240).astype(int).tolist(), found.masses.tolist(), strict=True))
    for s, p in total.items():
        assert masses[s] == pytest.approx(float(p), abs=1e-15)


@settings(max_examples=25)
@given(st.integers(2, 400), st.data(), st.sampled_from(LEVELS))
def test_two_values_are_scipys_binomial(n: int, data: st.DataObject, level: float) -> None:
    k, q = data.draw(st.integers(1, n - 1)), (1 - level) / 2
    law, oracle = Binomial(n, k, 0.0, 1.0), stats.binom(n, k / n)
    j = np.arange(n + 1)
    guard = 1 - 1e-12
    assert law.low(q) == j[np.argmax(oracle.cdf(j) >= q * guard)] / n
    assert law.high(q) == j[np.flatnonzero(oracle.sf(j - 1) >= q * guard)[-1]] / n
    assert law.below(k / n) == pytest.approx(oracle.cdf(k - 1) + oracle.pmf(k) / 2, abs=1e-12)
    assert law.sd == pytest.approx(oracle.std() / n)
    atoms = law.atoms()
    assert atoms.masses == pytest.approx(oracle.pmf(np.rint(atoms.values * n)), abs=1e-13)
    mirrored = Binomial(n, n - k, -1.0, 0.0)
    assert (law.low(q), law.high(q)) == (-mirrored.high(q), -mirrored.low(q))


def test_ten_million_units_have_the_limit_of_the_law() -> None:
    n = 10_000_000
    for law in (
        Binomial(n, 7_123_456, 0.0, 1.0),
        next(iter(laws_of([Tally(_scores_1_to_10(), _counts_of(n))], (1.0,)))),
    ):
        z = (np.array([law.low(0.025), law.high(0.025)]) - law.mean) / law.sd
        assert z == pytest.approx([-1.959964, 1.959964], abs=1e-3)  # lattice and skewness are 1/√n


def _scores_1_to_10() -> np.ndarray:
    return np.column_stack([np.arange(1.0, 11.0), np.ones(10)])


def _counts_of(n: int) -> np.ndarray:
    counts = (n * stats.binom.pmf(np.arange(10), 9, 0.62)).astype(np.int64)
    counts[5] += n - counts.sum()
    return counts


@pytest.mark.parametrize("gap", [1e-9, 1e-7])
def test_values_of_a_small_sample_that_are_too_near_have_no_lattice(gap: float) -> None:
    """Whether or not the sample with most values shows it at a glance."""
    coarse = Units.of_items(np.repeat(np.arange(6.0), 100)).tally()
    fine = Units.of_items(np.repeat([0.0, gap, 1.0], 100)).tally()
    for tallies in ([coarse, fine], [fine, fine], [fine]):
        assert lattice_of(LinearSum.of_means(tallies, (1.0,) * len(tallies))) is None


FREQUENCIES = {
    "judge": [np.arange(1.0, 11.0)],
    "nearly even": [np.array([0.0, 2.0, 4.0, 6.0, 7.0])],
    "two samples": [np.array([-0.3, 0.0]), np.array([0.0, 0.5, 1.0])],
    "eight benchmarks": [np.array([0.0, 0.125])] * 8,
}


@pytest.mark.parametrize("data", FREQUENCIES)
@pytest.mark.parametrize("n", [5_000, 200_000])
def test_few_frequencies_are_the_whole_lattice(data: str, n: int) -> None:
    random, tallies = np.random.default_rng(n), []
    for values in FREQUENCIES[data]:
        counts = random.multinomial(n - len(values), random.dirichlet(np.ones(len(values)))) + 1
        if data == "nearly even":
            counts[-1] = 3  # nearly a coarser lattice: frequencies near π matter too
        tallies.append(Tally(np.column_stack([values, np.ones(len(values))]), counts))
    lattice = lattice_of(LinearSum.of_means(tallies, (1.0,) * len(tallies)))
    assert lattice is not None
    few, whole = few_frequencies(lattice), lattice.atoms()
    if few is None:
        assert lattice.size * len(tallies) < LEAST_WORK
        return
    assert len(few.t) < 200
    for q in (1e-5, 0.0005, 0.025, 0.2, 0.5, 0.8):
        assert few.low(q) == pytest.approx(whole.low(q), abs=1e-9 * whole.sd)
        assert few.high(q) == pytest.approx(whole.high(q), abs=1e-9 * whole.sd)
    for value in whole.values[np.searchsorted(np.cumsum(whole.masses), [0.01, 0.3, 0.5, 0.99])].tolist():
        assert few.below(value) == pytest.approx(whole.below(value), abs=1e-10)
    assert (few.mean, few.sd) == (pytest.approx(whole.mean), pytest.approx(whole.sd, rel=1e-8))


@settings(max_examples=25)
@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=4), st.lists(st.integers(0, 5), min_size=1, max_size=4)
)
def test_a_difference_is_the_difference_of_every_pair(x: list[int], y: list[int]) -> None:
    laws = [enumerated_law(Units.of_items(np.array(one) / len(one)).tally(), MEAN) for one in (x, y)]
    found = Difference(*laws)
    naive: Counter[Fraction] = Counter()
    for (u, p), (v, q) in itertools.product(*(zip(a.values, a.masses, strict=True) for a in laws)):
        naive[Fraction(v - u).limit_denominator(1000)] += p * q
    values = sorted(naive)
    from_below = np.cumsum([naive[v] for v in values])
    from_above = np.cumsum([naive[v] for v in values[::-1]])
    for q in (0.01, 0.025, 0.1, 0.25, 0.6):
        low, high = (int(np.argmax(part >= q * (1 - 1e-12))) for part in (from_below, from_above))
        assert found.low(q) == pytest.approx(float(values[low]))
        assert found.high(q) == pytest.approx(float(values[::-1][high]))
    assert found.mean == pytest.approx(np.mean(y) / len(y) - np.mean(x) / len(x))
    assert found.below(float(values[0])) == pytest.approx(naive[values[0]] / 2, abs=1e-12)
    variance = sum(p * (float(v) - found.mean) ** 2 for v, p in naive.items())
    assert found.sd == pytest.approx(math.sqrt(variance))


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from([0.0, 0.3, 1.0, 2.5, 4.0]), min_size=1, max_size=6),
    st.sampled_from([0.1, 0.5, 0.75, 0.9]),
)
def test_a_quantile_has_the_law_of_all_resamples(scores: list[float], q: float) -> None:
    n, ordered = len(scores), np.sort(scores)
    ranks = quantile_ranks(n, q)
    naive = Counter(
        round(sum(sorted(drawn)[rank - 1] for rank in ranks) / 2, 10)
        for drawn in itertools.product(ordered.tolist(), repeat=n)
    )
    found = quantile_law(ordered, q)
    seen = {round(v, 10): p for v, p in zip(found.values.tolist(), found.masses.tolist(), strict=True)}
    for value, count in naive.items():
        assert seen.pop(value) == pytest.approx(count / n**n, abs=1e-12)
    assert sum(seen.values()) < 1e-12


@pytest.mark.parametrize("n", [300, 301])
def test_a_median_is_that_of_its_resamples(n: int) -> None:
    ordered = np.sort(np.random.default_rng(n).normal(size=n))
    found = quantile_law(ordered, 0.5)
    drawn = np.median(np.random.default_rng(0).choice(ordered, size=(20_000, n)), axis=1)
    for value in np.quantile(drawn, [0.025, 0.2, 0.5, 0.975]):
        below = found.below(float(value))
        share = np.mean(drawn < value - 1e-12) + np.mean(np.abs(drawn - value) <= 1e-12) / 2
        assert abs(share - below) < 4 * math.sqrt(below * (1 - below) / 20_000)
    assert found.sd == pytest.approx(drawn.std(), rel=4 / math.sqrt(40_000))


@pytest.mark.parametrize(
    ("sizes", "step"),
    [
        ([0.25, 1.0, 0.75], 0.25),
        ([1 / 3, 2 / 3, 1.0], 1 / 3),
        ([0.1 + 0.2, 0.7, 1.1], 0.1),
        ([1 / 1000, 1 / 1300], 1 / 13000),
        ([2.0], 2.0),
        ([1.0, math.sqrt(2)], None),
        ([1.0, 1e-7], None),
        ([1.0, 1e-12], None),
        ([0.333333, 0.666667, 1.0], 1e-6),
    ],
)
def test_the_common_step_is_the_largest_there_is(sizes: list[float], step: float | None) -> None:
    found = common_step(np.array(sizes))
    assert found == (None if step is None else pytest.approx(step, rel=1e-12))


@given(st.integers(1, 5000))
def test_a_fast_length_holds_what_it_must(least: int) -> None:
    found = fast_length(least)
    assert least <= found < 2 * least
    odd = found // (found & -found)
    assert odd in (1, 3)


def test_enumeration_is_for_few_resamples_only() -> None:
    few, many = (Units.of_items(np.random.default_rng(0).normal(size=n)).tally() for n in (10, 12))
    assert enumerable(few)
    assert not enumerable(many)
    law = enumerated_law(few, MEAN)
    assert len(law.values) == math.comb(19, 9)
    assert law.sd == pytest.approx(few.rows[:, 0].std() / math.sqrt(10))


def test_rare_values_are_left_out_of_a_convolution() -> None:
    law = Atoms(np.array([0.0, 1.0, 2.0]), np.array([1e-30, 0.5, 0.5]), "exact lattice").weighty()
    assert law.values.tolist() == [1.0, 2.0]
    assert law.masses.sum() == 1.0
