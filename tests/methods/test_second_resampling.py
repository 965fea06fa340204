"""Every bootstrap a second time: all resamples of few units, in fractions, and the rules written out."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from evalstats.kernel.limits import Interval, NoInterval
from evalstats.methods import macro, mean_intervals, paired_intervals, unpaired_means
from evalstats.methods.items import Request, item_values
from evalstats.methods.pairs import PairedItems, UnpairedItems

Unit = tuple[int, int]  # Σ of its scores, and how many items it has
Samples = list[list[Unit]]
KINDS = ("percentile", "basic", "bca")
few = settings(max_examples=12)
items = st.lists(st.integers(0, 4).map(lambda s: (s, 1)), min_size=4, max_size=5)
clusters = st.lists(st.tuples(st.integers(0, 4), st.integers(1, 3)), min_size=4, max_size=5)
two_items = st.lists(st.integers(0, 4).map(lambda s: (s, 1)), min_size=2, max_size=2)
few_items = st.lists(st.integers(0, 4).map(lambda s: (s, 1)), min_size=3, max_size=3)
few_clusters = st.lists(st.tuples(st.integers(0, 4), st.integers(1, 3)), min_size=3, max_size=3)
signed = st.lists(st.integers(-3, 3).map(lambda s: (s, 1)), min_size=4, max_size=5)
signed_clusters = st.lists(st.tuples(st.integers(-3, 3), st.integers(1, 3)), min_size=4, max_size=5)


def ratio(units: tuple[Unit, ...] | list[Unit]) -> Fraction:
    return Fraction(sum(s for s, _ in units), sum(m for _, m in units))


def statistic(samples: Any, w: list[Fraction]) -> Fraction:
    return sum((share * ratio(units) for share, units in zip(w, samples, strict=True)), Fraction(0))


def law(samples: Samples, w: list[Fraction]) -> list[tuple[Fraction, Fraction]]:
    """Every value of the statistic over all resamples, rising, and how probable it is."""
    every = itertools.product(*(itertools.product(units, repeat=len(units)) for units in samples))
    counts = Counter(statistic(resample, w) for resample in every)
    total = sum(counts.values())
    return [(value, Fraction(count, total)) for value, count in sorted(counts.items())]


def ends(values: list[tuple[Fraction, Fraction]], below: float, above: float) -> list[tuple[float, float]]:
    """min{v: F(v) ≥ below} and max{v: P(V ≥ v) ≥ above}; both where a share of F is met but for rounding."""
    found = []
    for guard in (-1e-10, 1e-10):
        F, low, high = Fraction(0), None, None
        for value, mass in values:
            high = value if above + guard <= 1 - F else high
            F += mass
            low = value if low is None and below + guard <= F else low
        assert low is not None
        assert high is not None
        found.append((float(low), float(high)))
    return found


def influences(samples: Samples, w: list[Fraction]) -> list[float]:
    """(n−1)u/n of every unit, by leaving it out."""
    found = []
    for at, units in enumerate(samples):
        without = [
            statistic([*samples[:at], units[:i] + units[i + 1 :], *samples[at + 1 :]], w)
            for i in range(len(units))
        ]
        centre = sum(without) / len(without)
        found += [float((centre - value) * Fraction(len(units) - 1, len(units))) for value in without]
    return found


def acceleration(samples: Samples, w: list[Fraction]) -> float:
    u = influences(samples, w)
    return sum(x**3 for x in u) / (6 * sum(x * x for x in u) ** 1.5)


def expected(kind: str, samples: Samples, w: list[Fraction], level: float) -> list[tuple[float, float]]:
    values, point = law(samples, w), statistic(samples, w)
    half = (1 - level) / 2
    if kind == "percentile":
        return ends(values, half, half)
    if kind == "basic":
        return [(2 * float(point) - high, 2 * float(point) - low) for low, high in ends(values, half, half)]
    below = float(sum(m for v, m in values if v < point) + sum(m for v, m in values if v == point) / 2)
    a = acceleration(samples, w)
    z0, z = stats.norm.ppf(below), stats.norm.ppf(1 - half)
    assume(1 - a * (z0 + z) > 0.05)
    assume(1 - a * (z0 - z) > 0.05)
    at_low, at_high = (stats.norm.cdf(z0 + (z0 + q) / (1 - a * (z0 + q))) for q in (-z, z))
    return ends(values, at_low, 1 - at_high)


def check(find: Any, kind: str, samples: Samples, w: list[Fraction], level: float) -> None:
    assume(any(len({Fraction(*unit) for unit in units}) > 1 for units in samples))
    try:
        found: Interval = find()
    except NoInterval:
        assume(False)
    assert found.n_boot is None
    if kind == "bca":
        assert found.extra["acceleration"] == pytest.approx(acceleration(samples, w), abs=1e-9)
    among = expected(kind, samples, w, level)
    assert any((found.low, found.high) == pytest.approx(one, abs=1e-9) for one in among) or any(
        found.low == pytest.approx(one[0], abs=1e-9) and found.high == pytest.approx(two[1], abs=1e-9)
        for one, two in itertools.permutations(among)
    )


def rows_of(units: list[Unit]) -> tuple[list[float], list[int]]:
    """Scores of items with these sums, and their clusters."""
    scores = [s / m for s, m in units for _ in range(m)]
    return scores, [g for g, (_, m) in enumerate(units) for _ in range(m)]


ONE = [Fraction(1)]
BOTH = [Fraction(-1), Fraction(1)]
levels = st.sampled_from([0.5, 0.8, 0.9])


@pytest.mark.parametrize("kind", KINDS)
@few
@given(units=items | clusters, level=levels)
def test_of_one_run(kind: str, units: list[Unit], level: float) -> None:
    values = item_values(*rows_of(units), bounds=(-9, 9))
    check(lambda: mean_intervals.bootstrap(kind, values, Request(level)), kind, [units], ONE, level)


@pytest.mark.parametrize("kind", KINDS)
@few
@given(units=signed | signed_clusters, level=levels)
def test_of_paired_differences(kind: str, units: list[Unit], level: float) -> None:
    d, codes = rows_of(units)
    pair = PairedItems(np.zeros(len(d)), np.array(d), cluster=np.array(codes))
    check(lambda: paired_intervals.bootstrap(kind, pair, Request(level)), kind, [units], ONE, level)


@pytest.mark.parametrize("kind", KINDS)
@few
@given(old=two_items, new=items | few_clusters, level=levels)
def test_of_two_runs(kind: str, old: list[Unit], new: list[Unit], level: float) -> None:
    runs = UnpairedItems(*(item_values(*rows_of(units), bounds=(-9, 9)) for units in (old, new)))
    check(lambda: unpaired_means.bootstrap(kind, runs, Request(level)), kind, [old, new], BOTH, level)


@pytest.mark.parametrize("kind", KINDS)
@few
@given(one=few_items, other=few_items, share=st.sampled_from([1, 2, 3]), level=levels)
def test_of_benchmarks(kind: str, one: list[Unit], other: list[Unit], share: int, level: float) -> None:
    w = [Fraction(share, 4), 1 - Fraction(share, 4)]
    values = [item_values(*rows_of(units), bounds=(-9, 9)).units for units in (one, other)]
    tallies = tuple(mean_intervals.Units.of_sums(units.sums, units.sizes).tally() for units in values)
    given_units = macro.Bootstrap(tallies, level, weights=tuple(map(float, w)))
    each = tuple(macro.Stratum(one.point, v=1.0, df=2.0, n=3) for one in values)
    strata = macro.Strata(each, macro.Average(tuple(map(float, w)), "weighted"), None, given_units)
    check(
        lambda: macro.MEANS[f"stratified_bootstrap_{kind}"].function(strata, level),
        kind,
        [one, other],
        w,
        level,
    )


def pivots(samples: Samples, w: list[Fraction]) -> list[float]:
    """(T* − T)/se* of all resamples, se from the units drawn, as for the data."""
    point = statistic(samples, w)
    every = itertools.product(*(itertools.product(units, repeat=len(units)) for units in samples))
    found = []
    for resample in every:
        moved, v = float(statistic(resample, w) - point), variance(resample, w)
        found.append(0.0 if moved == 0 else moved / math.sqrt(v) if v > 0 else math.copysign(math.inf, moved))
    return sorted(found)


def variance(samples: Any, w: list[Fraction]) -> float:
    """Σ w²·k/(k−1)·Σ(s − Rm)²/(Σm)²."""
    v = 0.0
    for share, units in zip(w, samples, strict=True):
        k, R = len(units), ratio(units)
        squares = sum((s - R * m) ** 2 for s, m in units) / sum(m for _, m in units) ** 2
        v += float(share**2 * Fraction(k, k - 1) * squares)
    return v


@settings(max_examples=6)
@given(samples=st.tuples(items | clusters).map(list) | st.tuples(few_clusters, few_items).map(list))
def test_a_studentised_interval_has_the_quantiles_of_all_pivots(samples: Samples) -> None:
    """Drawn, so that each end lies between those of shares a hundredth away on either side."""
    w = ONE if len(samples) == 1 else BOTH
    assume(all(len({Fraction(*unit) for unit in units}) > 1 for units in samples))
    t, level = pivots(samples, w), 0.7
    point, error = float(statistic(samples, w)), math.sqrt(variance(samples, w))
    values = [item_values(*rows_of(units), bounds=(-9, 9)) for units in samples]
    request = Request(level, n_boot=20_000)
    try:
        if len(values) == 1:
            found = mean_intervals.bootstrap("studentized", values[0], request)
        else:
            found = unpaired_means.bootstrap("studentized", UnpairedItems(*values), request)
    except NoInterval:
        assume(False)
    for limit, q in ((found.high, 0.15), (found.low, 0.85)):
        inner, outer = (t[min(max(int(share * len(t)), 0), len(t) - 1)] for share in (q - 0.012, q + 0.012))
        assert point - outer * error - 1e-9 <= limit <= point - inner * error + 1e-9
