"""The laws of a plan: each against its formula, its test's own power, and more items deciding more."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evalstats.methods.means import mean
from evalstats.methods.rates import proportion
from evalstats.methods.unpaired import unpaired_test
from evalstats.numeric import z_of
from evalstats.subjects import power
from evalstats.subjects.gate_power import GateRule
from evalstats.subjects.size import (
    Certainty,
    ItemsInClusters,
    MeanDifference,
    OneMean,
    OneRate,
    PairedRates,
    UnpairedRates,
    remaining,
)

USUAL = Certainty()
LAWS = [
    PairedRates(0.2),
    MeanDifference(0.2),
    MeanDifference(0.2, raw=True),
    MeanDifference(0.1, runs=2),
    UnpairedRates(0.7),
]
NAMES = ["paired rates", "paired means", "mean squares", "unpaired means", "unpaired rates"]


def test_the_source_s_items_and_what_the_exact_test_reaches_there() -> None:
    for effect, n, reached in ((0.10, 194, 0.773), (0.08, 305, 0.775), (0.05, 783, 0.783)):
        normal, exact = PairedRates(0.25).for_effect(effect, USUAL)
        assert (normal.method, normal.n) == ("mcnemar_normal", n)
        assert normal.reached == pytest.approx(reached, abs=5e-4)
        assert exact.n == power.required_n_mcnemar_exact(effect, 0.25)
        assert exact.reached is not None
        assert exact.reached >= 0.8


@pytest.mark.parametrize("law", LAWS, ids=NAMES)
@pytest.mark.parametrize("effect", [0.02, 0.05, 0.1])
def test_the_smallest_difference_of_the_items_needed_is_the_effect(law: Any, effect: float) -> None:
    n = law.for_effect(effect, USUAL)[0].n
    assert law.smallest(n, USUAL).value == pytest.approx(effect, rel=0.01)
    assert law.power(n, effect, USUAL) == pytest.approx(0.8, abs=0.05)


@pytest.mark.parametrize("law", LAWS, ids=NAMES)
def test_more_items_and_larger_effects_are_shown_more_often(law: Any) -> None:
    powers = [[law.power(n, effect, USUAL) for effect in (0.02, 0.05, 0.1)] for n in (100, 1000, 10_000)]
    for row in (*powers, *zip(*powers, strict=True)):
        assert list(row) == sorted(row)
    assert law.smallest(4000, USUAL).value == pytest.approx(law.smallest(1000, USUAL).value / 2, rel=0.03)


@pytest.mark.parametrize("law", LAWS, ids=NAMES)
def test_an_unchanged_candidate_passes_in_four_of_five_cases_with_the_items_needed(law: Any) -> None:
    needed = law.for_margin(0.05, USUAL)[-1].n
    passes = law.gate(needed, needed).chances(GateRule(0.05)).passes
    assert passes == pytest.approx(0.8, abs=0.005)


def test_paired_means_need_what_the_t_test_needs() -> None:
    normal, t = MeanDifference(0.45**2).for_effect(0.02, USUAL)
    assert (normal.n, t.n) == (3974, 3976)  # R: power.t.test(delta=.02, sd=.45, power=.8, type="paired")
    shift = 0.02 / 0.45 * math.sqrt(3976)
    assert t.reached == pytest.approx(stats.nct.sf(stats.t.ppf(0.975, 3975), 3975, shift), abs=1e-6)


def test_unpaired_rates_need_what_power_prop_test_says_and_its_test_reaches_it() -> None:
    law = UnpairedRates(0.7)
    (needed,) = law.for_effect(0.02, USUAL)
    assert needed.n == 8080
    seen = unpaired_test(round(0.7 * 8080), 8080, round(0.72 * 8080), 8080)
    z = abs(seen.statistic) - 1.959964
    assert law.power(8080, 0.02, USUAL) == pytest.approx(stats.norm.cdf(z), abs=5e-3)


def test_what_cannot_be_is_none() -> None:
    assert [one.n for one in PairedRates(0.1).for_effect(0.2, USUAL)] == [None, None]
    assert [one.n for one in UnpairedRates(0.9).for_effect(0.2, USUAL)] == [None]
    assert [one.n for one in MeanDifference(0.01, raw=True).for_effect(0.2, USUAL)] == [None, None]
    assert PairedRates(0.1).power(100, 0.2, USUAL) is None
    assert UnpairedRates(0.9).power(100, 0.2, USUAL) is None
    assert MeanDifference(0.2).power(1, 0.2, USUAL) is None
    assert math.isnan(UnpairedRates(0.9).smallest(10, USUAL).value)
    assert math.isnan(OneMean(0.2).half_width(1, 0.95))
    assert [one.n for one in PairedRates(0.0).for_margin(0.03, USUAL)] == [None, 125]
    assert UnpairedRates(0.0).for_margin(0.03, USUAL)[0].n is None
    assert UnpairedRates(1.0).gate(100, 100) is None
    assert MeanDifference(0.0).gate(100, 100) is None
    assert OneRate(1.0).for_half_width(0.02, 0.95)[0].n is None


@given(rate=st.floats(0.05, 0.95), half_width=st.floats(0.005, 0.04))
def test_a_rate_s_interval_is_as_narrow_as_asked(rate: float, half_width: float) -> None:
    normal, wilson = OneRate(rate).for_half_width(half_width, 0.95)
    assert wilson.n is not None
    assert normal.n == math.ceil(z_of(0.95) ** 2 * rate * (1 - rate) / half_width**2)
    seen = proportion(round(rate * wilson.n), wilson.n)
    assert (seen.ci_high - seen.ci_low) / 2 == pytest.approx(half_width, rel=0.1)
    assert OneRate(rate).half_width(wilson.n, 0.95) <= half_width * (1 + 1e-9)


def test_a_mean_s_interval_is_as_narrow_as_asked() -> None:
    scores = [1.0, 2.0, 3.0, 4.0] * 25
    seen = mean(scores, method="t")
    variance = sum((x - 2.5) ** 2 for x in scores) / 99
    assert OneMean(variance).half_width(100, 0.95) == pytest.approx((seen.ci_high - seen.ci_low) / 2)
    normal, t = OneMean(variance).for_half_width(0.2, 0.95)
    assert normal.n is not None
    assert t.n is not None
    assert normal.n < t.n <= normal.n + 3
    assert OneMean(variance).half_width(t.n, 0.95) <= 0.2 < OneMean(variance).half_width(t.n - 1, 0.95)


@given(st.floats(1, 50), st.floats(-0.2, 1), st.integers(1, 10_000))
def test_clusters_take_the_design_effect_more_items(m: float, rho: float, n: int) -> None:
    clusters = ItemsInClusters(m, m, rho)
    assert clusters.items(n) == power.n_clustered(n, m, max(rho, 0)).n_items >= n
    assert clusters.effect == pytest.approx(1 + (m - 1) * max(rho, 0))
    held = clusters.clusters(clusters.items(n))
    assert held is None or (held - 1) * m < clusters.items(n) * (1 + 1e-9)


@given(st.floats(0.01, 1), st.floats(0, 1), st.integers(1, 64))
def test_completions_leave_the_items_variance(variance: float, share: float, k: int) -> None:
    within = share * variance
    left = remaining(variance, within, k)
    assert variance - within - 1e-12 <= left <= variance
    assert left == pytest.approx(variance - within + within / k)


def test_with_completions_the_items_are_miller_s() -> None:
    omega2, sigma2, effect = 0.1, 0.12, 0.04
    law = MeanDifference(remaining(omega2 + sigma2, sigma2, 4))
    assert law.for_effect(effect, USUAL)[0].n == power.required_n_completions(effect, omega2, sigma2, 4)
    raw = MeanDifference(remaining(omega2 + sigma2, sigma2, 4), raw=True)
    centred = power.required_n_completions(effect, omega2 - effect**2, sigma2, 4)
    assert raw.for_effect(effect, USUAL)[0].n == centred
