"""Tests, clusters, averages, agreement, judges a second time: other programs, roots, gradients, resamples."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import optimize, stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportions_ztest

from evalstats.methods.clusters import icc, kish
from evalstats.methods.difference_tests import paired_t
from evalstats.methods.differences import mean_difference
from evalstats.methods.items import item_values
from evalstats.methods.macro import macro_difference, macro_mean
from evalstats.methods.many import all_pairs
from evalstats.methods.mcnemar import mcnemar_pvalues
from evalstats.methods.means import mean
from evalstats.methods.paired import paired_proportions
from evalstats.methods.rates import proportion
from evalstats.methods.unpaired import unpaired_test
from evalstats.methods.wilcoxon import wilcoxon_test
from evalstats.subjects import agreement, variance
from evalstats.subjects.judge_rates import rogan_gladen

levels = st.floats(0.5, 0.999)
graded = st.sampled_from([0.0, 1.0]) | st.floats(0, 1)
few = settings(max_examples=25)
Array = np.ndarray[Any, np.dtype[np.float64]]


@st.composite
def in_clusters(draw: st.DrawFn, scores: Any = graded) -> tuple[list[float], list[int]]:
    labels = [0, 1, 2, *draw(st.lists(st.integers(0, 5), max_size=14))]
    return draw(st.lists(scores, min_size=len(labels), max_size=len(labels))), labels


def limits(found: Any) -> tuple[float, float]:
    return found.ci_low, found.ci_high


@few
@given(rows=in_clusters(st.floats(-3, 3)), level=levels)
def test_cr1_z_is_the_clustered_intercept_of_statsmodels(
    rows: tuple[list[float], list[int]], level: float
) -> None:
    y, labels = rows
    assume(np.ptp(y) > 1e-3)
    fitted = sm.OLS(y, np.ones(len(y))).fit(
        cov_type="cluster", cov_kwds={"groups": labels, "use_correction": False}
    )
    k = len(set(labels))
    half = stats.norm.ppf(0.5 + level / 2) * fitted.bse[0] * math.sqrt(k / (k - 1))
    assume(half > 1e-9)
    found = mean(y, labels, bounds=(-9, 9), method="cr1_z", level=level)
    assert limits(found) == pytest.approx((np.mean(y) - half, np.mean(y) + half), abs=1e-9)


@few
@given(rows=in_clusters(), level=levels)
def test_the_survey_form_of_korn_and_graubard(rows: tuple[list[float], list[int]], level: float) -> None:
    y, labels = rows
    n, k, p = len(y), len(set(labels)), float(np.mean(y))
    sums = [sum(v - p for v, g in zip(y, labels, strict=True) if g == label) for label in set(labels)]
    v = k / (k - 1) * sum(s * s for s in sums) / n**2
    k_star = kish(item_values(y, labels, bounds=(0, 1)).units)
    t_items, t_clusters = stats.t.ppf(0.5 + level / 2, [n - 1, k - 1])
    assume(v > 1e-12)
    n_eff = min(n, p * (1 - p) / v * (t_items / t_clusters) ** 2)
    assume(n_eff != k_star)
    low = stats.beta.ppf((1 - level) / 2, p * n_eff, (1 - p) * n_eff + 1)
    high = stats.beta.isf((1 - level) / 2, p * n_eff + 1, (1 - p) * n_eff)
    found = mean(y, labels, bounds=(0, 1), method="korn_graubard", level=level)
    assert limits(found) == pytest.approx((min(low, p), max(high, p)), abs=1e-7)


@few
@given(old=in_clusters(st.floats(-3, 3)), new=in_clusters(st.floats(-3, 3)), level=levels)
def test_two_runs_in_clusters_combine_their_cr2_as_welch_and_satterthwaite(
    old: tuple[list[float], list[int]], new: tuple[list[float], list[int]], level: float
) -> None:
    parts = []
    for y, labels in (old, new):
        assume(np.ptp(y) > 1e-3)
        found = mean(y, labels, bounds=(-9, 9), method="cr2_t", level=level)
        assume(math.isfinite(found.standard_error))
        parts.append((found.standard_error**2, found.extra["df"], found.point))
    (v1, df1, p1), (v2, df2, p2) = parts
    df = (v1 + v2) ** 2 / (v1**2 / df1 + v2**2 / df2)
    half = stats.t.ppf(0.5 + level / 2, df) * math.sqrt(v1 + v2)
    both = mean_difference(old[0], new[0], (old[1], new[1]), bounds=(-99, 99), paired=False, level=level)
    assert both.method == "cr2_t"
    assert limits(both) == pytest.approx((p2 - p1 - half, p2 - p1 + half), abs=1e-9)


@few
@given(
    x=st.lists(st.floats(-3, 3), min_size=2, max_size=20),
    y=st.lists(st.floats(-3, 3), min_size=2, max_size=20),
)
def test_welch_is_that_of_scipy(x: list[float], y: list[float]) -> None:
    assume(np.ptp(x) > 1e-3 or np.ptp(y) > 1e-3)
    theirs = stats.ttest_ind(y, x, equal_var=False).confidence_interval(0.9)
    found = mean_difference(x, y, bounds=(-99, 99), paired=False, level=0.9)
    assert limits(found) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@few
@given(
    k=st.tuples(st.integers(0, 40), st.integers(0, 40)),
    more=st.tuples(st.integers(1, 40), st.integers(1, 40)),
)
def test_z_pooled_is_that_of_statsmodels(k: tuple[int, int], more: tuple[int, int]) -> None:
    n = (k[0] + more[0], k[1] + more[1])
    assume(sum(k) > 0)
    z, p = proportions_ztest([k[1], k[0]], [n[1], n[0]])
    found = unpaired_test(k[0], n[0], k[1], n[1], method="z_pooled")
    assert (found.statistic, found.pvalue) == pytest.approx((z, p), abs=1e-9)


@few
@given(b=st.integers(0, 60), c=st.integers(0, 60))
def test_chi_square_of_pairs_is_that_of_statsmodels(b: int, c: int) -> None:
    assume(b + c > 0)
    theirs = mcnemar([[3, b], [c, 4]], exact=False, correction=False).pvalue
    assert float(mcnemar_pvalues(b, c, "chi2")) == pytest.approx(theirs, abs=1e-12)
    if b != c:  # theirs corrects a tie beyond 0
        corrected = mcnemar([[3, b], [c, 4]], exact=False, correction=True).pvalue
        assert float(mcnemar_pvalues(b, c, "chi2_cc")) == pytest.approx(corrected, abs=1e-12)


@few
@given(d=st.lists(st.integers(-6, 6), min_size=2, max_size=60))
@pytest.mark.filterwarnings("ignore:Sample size too small")  # of SciPy before 1.13
def test_the_normal_wilcoxon_is_that_of_scipy(d: list[int]) -> None:
    assume(any(d))
    theirs = stats.wilcoxon(d, zero_method="wilcox", correction=False, method="approx").pvalue
    assert wilcoxon_test(d, method="wilcoxon_normal").pvalue == pytest.approx(theirs, abs=1e-9)


@few
@given(pairs=st.lists(st.tuples(st.floats(-3, 3), st.floats(-3, 3)), min_size=3, max_size=20))
def test_the_paired_t_is_that_of_scipy(pairs: list[tuple[float, float]]) -> None:
    a, b = (np.array(column) for column in zip(*pairs, strict=True))
    assume(np.ptp(a - b) > 1e-3)
    theirs, found = stats.ttest_rel(a, b), paired_t(a, b)
    assert (found.statistic, found.pvalue) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-6)


@few
@given(
    rows=st.integers(2, 5).flatmap(
        lambda m: st.lists(st.lists(st.floats(0, 9), min_size=m, max_size=m), min_size=2, max_size=8)
    )
)
def test_the_intraclass_correlation_and_its_limits_come_from_scipys_f(rows: list[list[float]]) -> None:
    k, m = len(rows), len(rows[0])
    assume(min(np.ptp(row) for row in rows) > 1e-2)
    F = stats.f_oneway(*rows).statistic
    upper = stats.f.ppf(0.975, k - 1, k * (m - 1)), stats.f.ppf(0.975, k * (m - 1), k - 1)
    low, point, high = ((f - 1) / (f + m - 1) for f in (F / upper[0], F, F * upper[1]))
    found = icc([v for row in rows for v in row], np.repeat(np.arange(k), m))
    assert (found.ci_low, found.point, found.ci_high) == pytest.approx((low, point, min(high, 1)), abs=1e-8)


counts = st.integers(3, 60).flatmap(lambda n: st.tuples(st.integers(1, n - 1), st.just(n)))


@few
@given(rows=st.lists(counts, min_size=2, max_size=5), level=levels)
def test_wilson_over_benchmarks_is_where_the_stratified_score_ends(
    rows: list[tuple[int, int]], level: float
) -> None:
    p = np.array([k / n for k, n in rows])
    v = sum(q * (1 - q) / (n - 1) for q, (_, n) in zip(p, rows, strict=True)) / len(rows) ** 2
    m, z = float(p.mean()), stats.norm.ppf(0.5 + level / 2)
    deff = v / (m * (1 - m))

    def score(at: float) -> float:
        return (m - at) / math.sqrt(deff * at * (1 - at))

    ends = (
        optimize.brentq(lambda at: score(at) - z, 1e-14, m),
        optimize.brentq(lambda at: score(at) + z, m, 1 - 1e-14),
    )
    found = macro_mean([proportion(k, n) for k, n in rows], (0.0, 1.0), level=level)
    assert limits(found) == pytest.approx(ends, abs=1e-9)
    by_t = macro_mean([proportion(k, n) for k, n in rows], (0.0, 1.0), level=level, method="stratified_t")
    terms = [q * (1 - q) / (n - 1) for q, (_, n) in zip(p, rows, strict=True)]
    df = sum(terms) ** 2 / sum(t * t / (n - 1) for t, (_, n) in zip(terms, rows, strict=True))
    half = stats.t.ppf(0.5 + level / 2, df) * math.sqrt(v)
    assert limits(by_t) == pytest.approx((max(m - half, 0), min(m + half, 1)), abs=1e-9)


@few
@given(
    tables=st.lists(
        st.tuples(st.integers(0, 9), st.integers(1, 9), st.integers(1, 40)), min_size=2, max_size=5
    )
)
def test_the_stratified_t_of_differences_weighs_items_written_out(tables: list[tuple[int, int, int]]) -> None:
    d = [np.repeat([-1.0, 1.0, 0.0], table) for table in tables]
    v = [float(x.var(ddof=1)) / len(x) for x in d]
    df = sum(v) ** 2 / sum(one**2 / (len(x) - 1) for one, x in zip(v, d, strict=True))
    half = stats.t.ppf(0.975, df) * math.sqrt(sum(v)) / len(d)
    point = float(np.mean([x.mean() for x in d]))
    found = macro_difference([paired_proportions(b, c, b + c + same) for b, c, same in tables], (0.0, 1.0))
    assert limits(found) == pytest.approx((max(point - half, -1), min(point + half, 1)), abs=1e-9)


completions = st.lists(st.lists(graded, min_size=2, max_size=4), min_size=1, max_size=6)


@few
@given(old=completions, new=completions, paired=st.booleans())
def test_the_noise_of_two_runs_on_fixed_items_adds(
    old: list[list[float]], new: list[list[float]], paired: bool
) -> None:
    old, new = [*old, [0.0, 1.0]], [*new, [0.5, 0.25, 0.0]]
    if paired:
        old, new = old[: min(len(old), len(new))], new[: min(len(old), len(new))]
    noise = [[np.var(e, ddof=1) / len(e) / len(run) ** 2 for e in run] for run in (old, new)]
    v = sum(map(sum, noise))
    assume(v > 1e-9)
    below = sum(
        x**2 / (len(e) - 1)
        for xs, run in zip(noise, (old, new), strict=True)
        for x, e in zip(xs, run, strict=True)
    )
    half = stats.t.ppf(0.975, v**2 / below) * math.sqrt(v)
    point = float(np.mean([np.mean(e) for e in new]) - np.mean([np.mean(e) for e in old]))
    rows = [([v for e in run for v in e], [i for i, e in enumerate(run) for _ in e]) for run in (old, new)]
    found = mean_difference(
        rows[0][0],
        rows[1][0],
        item=(rows[0][1], rows[1][1]),
        bounds=(0, 1),
        paired=paired,
        view="fixed_items",
    )
    assert limits(found) == pytest.approx((max(point - half, -1), min(point + half, 1)), abs=1e-9)


def gradient(function: Callable[[Array], float], at: Array) -> Array:
    steps = 1e-6 * np.eye(len(at))
    return np.array([(function(at + step) - function(at - step)) / 2e-6 for step in steps])


@few
@given(cells=st.lists(st.integers(1, 20), min_size=9, max_size=9), weights=st.sampled_from([None, "linear"]))
def test_the_error_of_kappa_is_its_gradient_over_a_multinomial_table(cells: list[int], weights: Any) -> None:
    n, p = sum(cells), np.array(cells) / sum(cells)
    close = np.eye(3) if weights is None else 1 - np.abs(np.subtract.outer(np.arange(3), np.arange(3))) / 2

    def kappa(p: Array) -> float:
        table = p.reshape(3, 3) / p.sum()
        chance = float(table.sum(axis=1) @ close @ table.sum(axis=0))
        return (float(np.sum(close * table)) - chance) / (1 - chance)

    slope = gradient(kappa, p)
    se = math.sqrt(float(p @ slope**2 - (p @ slope) ** 2) / n)
    labels = agreement.labels_of_table(np.reshape(cells, (3, 3)))
    found = agreement.cohen_kappa(*labels, weights=weights, categories=(0, 1, 2))
    assert found.method == "fce"
    half = (found.ci_high - found.ci_low) / 2
    assume(found.ci_high < 1)
    assert half == pytest.approx(stats.norm.ppf(0.975) * se, rel=0.02)  # a divisor n − 1 is allowed


@few
@given(cells=st.lists(st.integers(1, 12), min_size=4, max_size=4))
def test_gwets_linearised_variance_is_that_of_the_numerical_influence(cells: list[int]) -> None:
    labels = np.array(agreement.labels_of_table(np.reshape(cells, (2, 2))))
    n = labels.shape[1]

    def ac1(w: Array) -> float:
        w = w / w.sum()
        agree = float(w @ (labels[0] == labels[1]))
        share = float(w @ labels.mean(axis=0))
        chance = 2 * share * (1 - share)
        return (agree - chance) / (1 - chance)

    influence = gradient(ac1, np.full(n, 1 / n))
    se = math.sqrt(float(np.sum((influence - influence.mean()) ** 2)) / (n * (n - 1)))
    found = agreement.gwet_ac1(labels.tolist(), method="linearised_t", level=0.5)
    assert found.extra["standard_error"] == pytest.approx(se, rel=1e-4)


@few
@given(k=st.integers(1, 99), Se=st.floats(0.7, 0.99), Sp=st.floats(0.7, 0.99), level=st.floats(0.6, 0.99))
def test_limits_for_a_known_judge_are_roots_of_the_score_of_what_it_passes(
    k: int, Se: float, Sp: float, level: float
) -> None:
    found = rogan_gladen(k, 100, Se, Sp, level=level)
    z = stats.norm.ppf(0.5 + level / 2)
    for limit, side in ((found.ci_low, 1), (found.ci_high, -1)):
        if 0 < limit < 1:
            passed = limit * Se + (1 - limit) * (1 - Sp)
            score = (k / 100 - passed) / math.sqrt(passed * (1 - passed) / 100)
            assert score == pytest.approx(side * z, rel=1e-6)


@few
@given(k=st.integers(20, 80), right=st.integers(35, 39), wrong=st.integers(35, 39))
def test_the_delta_limits_of_a_corrected_rate_are_its_gradient(k: int, right: int, wrong: int) -> None:
    at = np.array([k / 100, right / 40, wrong / 40])
    slope = gradient(lambda x: float((x[0] + x[2] - 1) / (x[1] + x[2] - 1)), at)
    v = float(np.sum(slope**2 * at * (1 - at) / np.array([100, 40, 40])))
    found = rogan_gladen(k, 100, right / 40, wrong / 40, n_pos=40, n_neg=40, method="rogan_gladen_delta")
    theta = float((at[0] + at[2] - 1) / (at[1] + at[2] - 1))
    half = stats.norm.ppf(0.975) * math.sqrt(v)
    assert limits(found) == pytest.approx((max(theta - half, 0), min(theta + half, 1)), abs=1e-6)


def assert_quantile(found: float, q: float, drawn: Array, n_boot: int) -> None:
    """A quantile of n_boot resamples stands at share q of `drawn`, to four Monte Carlo errors of the two."""
    error = math.sqrt(q * (1 - q) * (1 / len(drawn) + 1 / n_boot))
    tie = 1e-9 * abs(found)
    assert np.mean(drawn < found - tie) < q + 4 * error
    assert np.mean(drawn <= found + tie) > q - 4 * error


def test_max_t_has_the_quantile_of_resamples_drawn_here() -> None:
    rng = np.random.default_rng(3)
    runs = (rng.random((4, 150)) < [[0.4], [0.5], [0.5], [0.7]]).astype(float)
    found = all_pairs(runs, n_boot=20_000).simultaneous
    first, second = np.triu_indices(4, 1)
    d = runs[second] - runs[first]
    se = d.std(axis=1) / math.sqrt(150)  # as resamples vary
    drawn = np.stack([d[:, rng.integers(0, 150, 150)].mean(axis=1) for _ in range(8000)])
    largest = np.max(np.abs(drawn - d.mean(axis=1)) / se, axis=1)
    assert_quantile(found.critical, 0.95, largest, 20_000)
    assert found.high - found.low == pytest.approx(2 * found.critical * se, rel=1e-9)


@pytest.mark.parametrize("kind", ["one_way", "nested"])
def test_shares_of_variance_have_the_quantiles_of_units_drawn_here(kind: str) -> None:
    rng = np.random.default_rng(5)
    shape = (30, 3) if kind == "one_way" else (30, 2, 3)
    y = rng.standard_normal(shape) + rng.standard_normal((30, *(1,) * (len(shape) - 1)))
    at = [codes.ravel() for codes in np.indices(shape)]

    def share(y: Array) -> float:
        if kind == "one_way":
            inside, between = y.var(axis=1, ddof=1).mean(), y.mean(axis=1).var(ddof=1)
            item = max(between - inside / 3, 0)
            return item / (item + inside)
        attempts = y.var(axis=2, ddof=1).mean()
        tasks = max(y.mean(axis=2).var(axis=1, ddof=1).mean() - attempts / 3, 0)
        families = y.mean(axis=(1, 2)).var(ddof=1) - y.mean(axis=2).var(axis=1, ddof=1).mean() / 2
        return max(families, 0) / (max(families, 0) + tasks + attempts)

    drawn = [share(y[rng.integers(0, 30, 30)]) for _ in range(4000)]
    if kind == "one_way":
        found = variance.one_way(y.ravel(), at[0]).components[0].share
    else:
        found = variance.nested(y.ravel(), at[0], at[1]).components[0].share
    assert found.point == pytest.approx(share(y))
    for limit, q in zip(limits(found), (0.025, 0.975), strict=True):
        assert_quantile(limit, q, np.array(drawn), found.n_boot)
