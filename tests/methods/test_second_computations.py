"""Each interval a second time, by another formula, a root, rows in place of counts, or another program.

Tested so elsewhere: Clopper–Pearson, mid-p, Blaker, betting, Tango, Miettinen–Nurminen, Agresti–Caffo, CR1,
CR2 and their df, corrections; every bootstrap in test_second_resampling, the rest in test_second_forms.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import optimize, stats
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from evalstats.methods.clusters import bell_mccaffrey_df, cr2_variance, kish
from evalstats.methods.differences import mean_difference
from evalstats.methods.items import item_values
from evalstats.methods.means import mean
from evalstats.methods.paired import METHODS as PAIRED
from evalstats.methods.paired import PairedCounts
from evalstats.methods.rates import METHODS as RATES
from evalstats.methods.unpaired import METHODS as UNPAIRED
from evalstats.methods.unpaired import TwoRates

levels = st.floats(0.5, 0.999)
graded = st.sampled_from([0.0, 1.0]) | st.floats(0, 1)
few = settings(max_examples=30)


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    n = draw(st.integers(1, 400))
    return draw(st.integers(0, n)), n


@st.composite
def tables(draw: st.DrawFn) -> PairedCounts:
    """A paired 2×2 table with all four cells."""
    both, b, c, neither = (draw(st.integers(0, 40)) for _ in range(4))
    assume(both + b + c + neither > 1)
    return PairedCounts(b, c, both + b + c + neither, both)


@st.composite
def two_rates(draw: st.DrawFn) -> TwoRates:
    (k1, n1), (k2, n2) = draw(counts()), draw(counts())
    return TwoRates(k1, n1, k2, n2)


@st.composite
def in_clusters(draw: st.DrawFn) -> tuple[list[float], list[int]]:
    labels = [0, 1, *draw(st.lists(st.integers(0, 5), max_size=15))]
    return draw(st.lists(graded, min_size=len(labels), max_size=len(labels))), labels


def roots(statistic: Callable[[float], float], at: float, z: float) -> tuple[float, float]:
    """Where a falling statistic is z below `at` and −z above it, on [0, 1]."""
    low = optimize.brentq(lambda q: statistic(q) - z, 1e-14, at) if at > 0 else 0.0
    high = optimize.brentq(lambda q: statistic(q) + z, at, 1 - 1e-14) if at < 1 else 1.0
    return low, high


@few
@given(count=counts(), level=levels)
def test_jeffreys_is_the_posterior_of_half_a_success_and_half_a_failure(
    count: tuple[int, int], level: float
) -> None:
    k, n = count
    low, high = RATES["jeffreys"].function(k, n, level)
    expected = stats.beta(k + 0.5, n - k + 0.5).ppf([(1 - level) / 2, (1 + level) / 2])
    assert low == (0.0 if k == 0 else pytest.approx(expected[0], abs=1e-9))
    assert high == (1.0 if k == n else pytest.approx(expected[1], abs=1e-9))


@few
@given(count=counts(), level=levels)
def test_agresti_coull_and_wald_equal_statsmodels(count: tuple[int, int], level: float) -> None:
    k, n = count
    for name, theirs in (("agresti_coull", "agresti_coull"), ("wald", "normal")):
        clipped = np.clip(RATES[name].function(k, n, level), 0, 1)
        assert clipped == pytest.approx(proportion_confint(k, n, alpha=1 - level, method=theirs), abs=1e-9)


@few
@given(count=counts(), level=st.floats(0.8, 0.999))
def test_wilson_with_continuity_is_where_the_corrected_statistic_equals_z(
    count: tuple[int, int], level: float
) -> None:
    k, n = count
    low, high = RATES["wilson_cc"].function(k, n, level)
    z = stats.norm.ppf(0.5 + level / 2)
    for limit, lean in ((low, -1), (high, 1)):
        if 0 < limit < 1:
            distance = abs(k / n + lean / (2 * n) - limit)
            assert distance == pytest.approx(z * math.sqrt(limit * (1 - limit) / n), rel=1e-7, abs=1e-12)


def items_of(table: PairedCounts, *more: float) -> list[float]:
    """The differences of the items, candidate − baseline."""
    return [1.0] * table.b + [-1.0] * table.c + [0.0] * (table.n - table.b - table.c) + list(more)


@few
@given(table=tables(), level=levels)
def test_wald_forms_are_the_mean_of_items_with_pseudo_items(table: PairedCounts, level: float) -> None:
    """Bonett–Price: one more item changes either way. Agresti–Min: half an item does, and two do not."""
    z = stats.norm.ppf(0.5 + level / 2)
    bonett_price = items_of(table, 1.0, -1.0)
    for name, d in (("wald", items_of(table)), ("bonett_price", bonett_price)):
        half = z * np.std(d) / math.sqrt(len(d))
        expected = (np.mean(d) - half, np.mean(d) + half)
        assert PAIRED[name].function(table, level) == pytest.approx(expected, abs=1e-9)
    d = np.array(items_of(table, 1.0, -1.0, 0.0, 0.0))
    weight = np.append(np.ones(table.n), [0.5] * 4)
    centre = np.average(d, weights=weight)
    half = z * math.sqrt(np.average((d - centre) ** 2, weights=weight) / weight.sum())
    assert PAIRED["agresti_min"].function(table, level) == pytest.approx(
        (centre - half, centre + half), abs=1e-9
    )


@few
@given(table=tables(), level=levels)
def test_newcombe_s_phi_is_the_root_of_a_corrected_chi_square(table: PairedCounts, level: float) -> None:
    both, b, c, n = table.both_right, table.b, table.c, table.n
    assert both is not None
    square = np.array([[both, b], [c, n - both - b - c]])
    excess = square[0, 0] * square[1, 1] - b * c
    if 0 in square.sum(axis=0) or 0 in square.sum(axis=1):
        phi = 0.0
    elif excess <= 0:
        phi = -math.sqrt(stats.chi2_contingency(square, correction=False).statistic / n)
    elif excess <= n / 2:
        phi = 0.0
    else:
        phi = math.sqrt(stats.chi2_contingency(square, correction=True).statistic / n)
    (p1, l1, u1), (p2, l2, u2) = (
        (k / n, *proportion_confint(k, n, alpha=1 - level, method="wilson")) for k in (both + b, both + c)
    )
    D = p1 - p2
    below = np.array([[1, -phi], [-phi, 1]])
    lower, upper = np.array([p1 - l1, u2 - p2]), np.array([u1 - p1, p2 - l2])
    expected = (
        D - math.sqrt(max(lower @ below @ lower, 0)),
        D + math.sqrt(max(upper @ below @ upper, 0)),
    )
    assert PAIRED["newcombe"].function(table, level) == pytest.approx(expected, abs=1e-7)


@few
@given(table=tables(), level=levels)
def test_outer_limits_are_the_widest_of_their_parts(table: PairedCounts, level: float) -> None:
    d = items_of(table, 1.0, -1.0)
    half = stats.t.ppf(0.5 + level / 2, table.n - 1) * np.std(d) / math.sqrt(len(d))
    parts = [PAIRED["tango"].function(table, level), (np.mean(d) - half, np.mean(d) + half)]
    if table.b + table.c > 0.8 * table.n:
        parts.append(PAIRED["betting_mixture"].function(table, level))
    expected = (min(low for low, _ in parts), max(high for _, high in parts))
    assert PAIRED["tango_bonett_price"].function(table, level) == pytest.approx(expected, abs=1e-9)


@few
@given(rates=two_rates(), level=levels)
def test_newcombe_of_two_runs_equals_statsmodels(rates: TwoRates, level: float) -> None:
    expected = confint_proportions_2indep(
        rates.k1, rates.n1, rates.k2, rates.n2, method="newcomb", compare="diff", alpha=1 - level
    )
    assert UNPAIRED["newcombe_unpaired"].function(rates, level) == pytest.approx(expected, abs=1e-9)


def exact(k: int, n: int, level: float) -> tuple[float, float]:
    found = stats.binomtest(k, n).proportion_ci(level, method="exact")
    return found.low, found.high


@few
@given(rates=two_rates(), level=levels)
def test_exact_limits_of_either_run_combined(rates: TwoRates, level: float) -> None:
    (l1, u1), (l2, u2) = (exact(k, n, level**0.5) for k, n in ((rates.k1, rates.n1), (rates.k2, rates.n2)))
    found = UNPAIRED["clopper_pearson_rectangle"].function(rates, level)
    assert found == pytest.approx((l1 - u2, u1 - l2), abs=1e-8)
    (l1, u1), (l2, u2) = (exact(k, n, level) for k, n in ((rates.k1, rates.n1), (rates.k2, rates.n2)))
    p1, p2 = rates.k1 / rates.n1, rates.k2 / rates.n2
    expected = (p1 - p2 - math.hypot(p1 - l1, u2 - p2), p1 - p2 + math.hypot(u1 - p1, p2 - l2))
    assert UNPAIRED["newcombe_clopper_pearson"].function(rates, level) == pytest.approx(expected, abs=1e-8)


@few
@given(y=st.lists(graded, min_size=3, max_size=25), level=levels)
def test_wilson_on_effective_items_is_where_t_of_the_null_variance_ends(y: list[float], level: float) -> None:
    y = [*y, 0.5, 0.2]
    n, p, deff = len(y), float(np.mean(y)), np.var(y) / (np.mean(y) * (1 - np.mean(y)))
    t = stats.t.ppf(0.5 + level / 2, n - 1)
    found = mean(y, bounds=(0, 1), level=level)
    expected = roots(lambda q: (p - q) / math.sqrt(deff * q * (1 - q) / n), p, t)
    assert found.method == "wilson_effective"
    assert (found.ci_low, found.ci_high) == pytest.approx(expected, abs=1e-9)
    assert found.extra["n_eff"] == pytest.approx(n / deff)


@few
@given(rows=in_clusters(), level=levels)
def test_korn_graubard_on_cr2_step_by_step(rows: tuple[list[float], list[int]], level: float) -> None:
    y, labels = rows
    units = item_values(y, labels, bounds=(0, 1)).units
    p, v, df, k_star = units.point, cr2_variance(units), bell_mccaffrey_df(units), kish(units)
    means = [
        float(np.mean([v for v, g in zip(y, labels, strict=True) if g == label])) for label in set(labels)
    ]
    informative = len(means) - max(sum(np.isclose(m, other, atol=1e-13) for other in means) for m in means)
    t_items, t_clusters = stats.t.ppf(0.5 + level / 2, [len(y) - 1, df])
    n_eff = k_star if v == 0 else p * (1 - p) / v * (t_items / t_clusters) ** 2
    right_or_wrong = set(y) <= {0.0, 1.0} or np.var(y) == 0
    worth = 1.0 if right_or_wrong else p * (1 - p) / np.var(y)  # answers that one score is worth
    n_eff = min(n_eff, len(y) * worth, k_star * max(1, informative) * worth)
    found = mean(y, labels, bounds=(0, 1), level=level)
    tail = (1 - level) / 2
    a, b = p * n_eff, (1 - p) * n_eff
    low = 0.0 if a <= 0 else stats.beta.ppf(tail, a, b + 1)
    high = 1.0 if b <= 0 else stats.beta.isf(tail, a + 1, b)
    assert found.extra["n_eff"] == pytest.approx(n_eff, rel=1e-9)
    assert (found.ci_low, found.ci_high) == pytest.approx((min(low, p), max(high, p)), abs=1e-7)


def null_statistic(b: float, c: float, n: float, delta: float) -> float:
    """Tango's z(δ) with the nuisance found by maximising the likelihood numerically.

    Cells of rows with real counts: candidate only, baseline only, neither of the two.
    """

    def minus_log_likelihood(q: float) -> float:
        p = np.array([q + delta, q, 1 - 2 * q - delta])
        seen = np.array([b, c, n - b - c])
        return -float(np.sum(seen[seen > 0] * np.log(np.maximum(p[seen > 0], 1e-300))))

    ends = max(0.0, -delta), (1 - delta) / 2
    q = optimize.minimize_scalar(
        minus_log_likelihood, bounds=ends, method="bounded", options={"xatol": 1e-12}
    ).x
    return (b - c - n * delta) / math.sqrt(n * (2 * q + delta - delta**2))


@settings(max_examples=20)
@given(rows=st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 5)), min_size=6, max_size=24))
def test_tango_effective_is_the_score_interval_of_the_effective_table(
    rows: list[tuple[bool, bool, int]],
) -> None:
    rows = [(True, False, 0), (False, True, 1), (False, True, 2), (True, True, 3), *rows]
    old, new, labels = (list(column) for column in zip(*rows, strict=True))
    found = mean_difference(old, new, labels)
    d = np.array(new, dtype=float) - np.array(old, dtype=float)
    groups = np.unique(labels)
    w = np.array([np.mean(np.array(labels) == g) for g in groups])
    residuals = np.array([np.sum(d[np.array(labels) == g] - d.mean()) for g in groups])
    v = float(np.sum(residuals**2 / (1 - w))) / len(d) ** 2
    assume(v > 0)
    q = w**2 / (1 - w)
    df = 1 / (np.sum(w**2) + np.sum(q) ** 2 - np.sum(q**2))
    psi, D = np.mean(np.abs(d)), d.mean()
    n_eff = min(len(d), (psi - D**2) / v)
    b, c = n_eff * (psi + D) / 2, n_eff * (psi - D) / 2
    t = stats.t.ppf(0.975, df)
    assert found.extra["n_eff"] == pytest.approx(n_eff)
    for limit, side in ((found.ci_low, 1), (found.ci_high, -1)):
        if abs(limit) < 1 - 1e-9:
            assert null_statistic(b, c, n_eff, limit) == pytest.approx(side * t, rel=2e-3)


@few
@given(d=st.lists(st.floats(-3, 3), min_size=2, max_size=25), level=levels)
def test_the_paired_t_interval_equals_that_of_scipy(d: list[float], level: float) -> None:
    d = [*d, 0.5, -0.25]
    found = mean_difference([4.0] * len(d), [4 + v for v in d], level=level)
    expected = stats.ttest_rel([4 + v for v in d], [4.0] * len(d)).confidence_interval(level)
    assert (found.ci_low, found.ci_high) == pytest.approx((expected.low, expected.high), abs=1e-9)


@few
@given(items=st.lists(st.lists(graded, min_size=2, max_size=4), min_size=1, max_size=8), level=levels)
def test_fixed_items_add_the_noise_of_each_item(items: list[list[float]], level: float) -> None:
    items = [*items, [0.0, 1.0], [0.5, 0.25, 0.0]]
    n = len(items)
    noise = np.array([np.var(epochs, ddof=1) / len(epochs) for epochs in items]) / n**2
    df = noise.sum() ** 2 / sum(v**2 / (len(e) - 1) for v, e in zip(noise, items, strict=True))
    half = stats.t.ppf(0.5 + level / 2, df) * math.sqrt(noise.sum())
    point = float(np.mean([np.mean(epochs) for epochs in items]))
    labels = [i for i, epochs in enumerate(items) for _ in epochs]
    found = mean([v for e in items for v in e], item=labels, bounds=(0, 1), view="fixed_items", level=level)
    expected = (max(point - half, 0.0), min(point + half, 1.0))
    assert (found.ci_low, found.ci_high) == pytest.approx(expected, abs=1e-9)
    assert found.extra["df"] == pytest.approx(df)
