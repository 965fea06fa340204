"""Clusters: R's numbers, the textbook matrices as an oracle, and the laws of duplication."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from evalstats.errors import InputError, MethodError
from evalstats.methods.clusters import (
    bell_mccaffrey_df,
    clustered,
    cr0,
    cr1,
    cr2_t_interval,
    cr2_variance,
    design_effect,
    icc,
    informative,
    kish,
    korn_graubard_cr2_interval,
    korn_graubard_interval,
    one_way,
)
from evalstats.numeric import t_of
from evalstats.results import EXTRA
from tests.reference import FOLDER, cases


def of_case(case: dict[str, Any]) -> Any:
    return clustered(np.array(case["input"]["scores"], dtype=float), np.array(case["input"]["clusters"]))


@st.composite
def data(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Scores in 2 to 8 clusters of 1 to 6 items that are not all equal."""
    sizes = draw(st.lists(st.integers(1, 6), min_size=2, max_size=8))
    n = sum(sizes)
    values = st.sampled_from([0.0, 1.0]) if draw(st.booleans()) else st.floats(-3, 3)
    y = np.array(draw(st.lists(values, min_size=n, max_size=n).filter(lambda v: max(v) - min(v) > 1e-3)))
    return y, np.repeat(np.arange(len(sizes)), sizes)


@pytest.mark.parametrize("case", cases("cluster", "cluster.se"))
def test_standard_errors_equal_those_of_clubsandwich(case: dict[str, Any]) -> None:
    clusters, expected, tolerance = of_case(case), case["expected"], case["tolerance"]
    found = cr2_t_interval(clusters, case["input"]["level"])
    pairs = {
        "mean": clusters.point,
        "cr0": cr0(clusters),
        "miller2024_se": cr0(clusters),
        "cr1": cr1(clusters),
        "cr2": math.sqrt(cr2_variance(clusters)),
        "df_satterthwaite": bell_mccaffrey_df(clusters),
        "cr2_low": found.low,
        "cr2_high": found.high,
        "n_clusters": clusters.k,
    }
    assert set(pairs) == set(expected)
    for name, value in pairs.items():
        assert value == pytest.approx(expected[name], abs=tolerance), name


@pytest.mark.parametrize("case", cases("cluster", "cluster.korn_graubard"))
def test_korn_graubard_equals_svyciprop(case: dict[str, Any]) -> None:
    clusters, expected, tolerance = of_case(case), case["expected"], case["tolerance"]
    found = korn_graubard_interval(clusters, clusters.n, case["input"]["level"])
    assert cr1(clusters) == pytest.approx(expected["svy_se"], abs=tolerance)
    assert clusters.point == pytest.approx(expected["mean"], abs=tolerance)
    assert found.low == pytest.approx(expected["low"], abs=tolerance)
    assert found.high == pytest.approx(expected["high"], abs=tolerance)


@pytest.mark.parametrize("case", cases("cluster", "cluster.icc1_anova", "cluster.icc1_ci"))
def test_icc_equals_that_of_psych(case: dict[str, Any]) -> None:
    expected, tolerance = case["expected"], case["tolerance"]
    found = icc(case["input"]["scores"], case["input"]["clusters"])
    assert found.point == pytest.approx(expected["icc"], abs=tolerance)
    if "low" in expected:
        assert found.ci_low == pytest.approx(expected["low"], abs=tolerance)
        assert found.ci_high == pytest.approx(expected["high"], abs=tolerance)


@pytest.mark.parametrize("case", cases("cluster", "cluster.design_effect"))
def test_design_effect_is_that_of_kish(case: dict[str, Any]) -> None:
    found = design_effect(case["input"]["m"], case["input"]["rho"])
    assert found == pytest.approx(case["expected"]["deff"], abs=case["tolerance"])
    assert math.sqrt(found) == pytest.approx(case["expected"]["se_factor"], abs=case["tolerance"])


def test_every_call_of_the_reference_file_is_mapped() -> None:
    calls = {case["call"] for case in json.loads((FOLDER / "cluster.json").read_text(encoding="utf-8"))}
    assert calls == {
        f"cluster.{name}" for name in ("se", "korn_graubard", "icc1_anova", "icc1_ci", "design_effect")
    }


def matrices(y: np.ndarray, codes: np.ndarray) -> tuple[float, float]:
    """CR2 variance and Bell–McCaffrey df from the full hat matrix and symmetric square roots."""
    n = len(y)
    X = np.ones((n, 1))
    bread = np.linalg.inv(X.T @ X)
    residual_maker = np.eye(n) - X @ bread @ X.T
    residuals = residual_maker @ y
    meat, columns = 0.0, []
    for g in np.unique(codes):
        rows = codes == g
        values, vectors = np.linalg.eigh(residual_maker[np.ix_(rows, rows)])
        adjust = vectors @ np.diag(values**-0.5) @ vectors.T
        score = X[rows].T @ adjust @ residuals[rows]
        meat += float(score.item()) ** 2
        columns.append(residual_maker[rows].T @ adjust @ X[rows] @ bread)
    P = np.hstack(columns)
    omega = P.T @ P
    return float(bread.item()) ** 2 * meat, np.trace(omega) ** 2 / np.trace(omega @ omega)


@given(data())
def test_cr2_and_its_df_equal_the_matrix_formulas(sample: tuple[np.ndarray, np.ndarray]) -> None:
    clusters = clustered(*sample)
    v, df = matrices(*sample)
    assert cr2_variance(clusters) == pytest.approx(v, rel=1e-9, abs=1e-12)
    assert bell_mccaffrey_df(clusters) == pytest.approx(df, rel=1e-9)


@given(data())
def test_cr1_equals_that_of_statsmodels(sample: tuple[np.ndarray, np.ndarray]) -> None:
    y, codes = sample
    fit = sm.OLS(y, np.ones(len(y))).fit(cov_type="cluster", cov_kwds={"groups": codes})
    assert cr1(clustered(y, codes)) == pytest.approx(float(fit.bse[0]), abs=1e-9)


@settings(max_examples=20)
@given(data(), st.integers(2, 4))
def test_repeating_rows_inside_their_cluster_changes_nothing(
    sample: tuple[np.ndarray, np.ndarray], times: int
) -> None:
    one = clustered(*sample)
    many = clustered(*(np.repeat(part, times) for part in sample))
    for law in (cr0, cr1, cr2_variance, bell_mccaffrey_df, kish):
        assert law(many) == pytest.approx(law(one), rel=1e-9, abs=1e-12)


@settings(max_examples=20)
@given(data(), st.integers(2, 4))
def test_repeating_all_clusters_divides_cr0_by_the_root(
    sample: tuple[np.ndarray, np.ndarray], times: int
) -> None:
    y, codes = sample
    k = codes.max() + 1
    many = clustered(np.tile(y, times), np.concatenate([codes + k * copy for copy in range(times)]))
    assert cr0(many) == pytest.approx(cr0(clustered(y, codes)) / math.sqrt(times), rel=1e-9, abs=1e-12)


@given(data(), st.integers(0, 1000))
def test_row_order_and_labels_change_no_digit(sample: tuple[np.ndarray, np.ndarray], seed: int) -> None:
    y, codes = sample
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(y))
    renamed = generator.permutation(codes.max() + 1)[codes]
    one, two = clustered(y, codes), clustered(y[order], renamed[order])
    for law in (cr0, cr1, cr2_variance, bell_mccaffrey_df, kish):
        assert law(one) == law(two)
    assert one.point == two.point


@given(st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=2, max_size=12), st.floats(0.5, 0.999))
def test_effective_sizes_never_exceed_what_is_there(values: list[float], level: float) -> None:
    y = np.array(values)
    codes = np.arange(len(y)) // 2
    if codes.max() == 0:
        codes = np.arange(len(y))
    clusters = clustered(y, codes)
    found = korn_graubard_cr2_interval(clusters, clusters.n, level)
    assert 0 < found.extra["n_eff"] <= clusters.n + 1e-9
    assert 0 <= found.low <= clusters.point <= found.high <= 1
    if cr2_variance(clusters) == 0:
        assert found.extra["n_eff"] == pytest.approx(kish(clusters))


def test_clusters_that_agree_count_as_kish_says() -> None:
    """No variance between clusters: n_eff is k*, never the number of items."""
    sizes = [5, 1, 1, 1]
    for score in (0.0, 0.5, 1.0):
        clusters = clustered(np.full(8, score), np.repeat(np.arange(4), sizes))
        for form in (korn_graubard_interval, korn_graubard_cr2_interval):
            assert form(clusters, clusters.n, 0.95).extra["n_eff"] == pytest.approx(64 / 28)


def test_one_odd_cluster_is_no_more_evidence_than_the_clusters_there_are() -> None:
    """n_eff ≤ k*·max(1, g), g the clusters off the commonest mean."""
    y = np.ones(100)
    y[0] = 0
    clusters = clustered(y, np.arange(100) // 5)
    p, v = clusters.point, cr2_variance(clusters)
    ratio = (t_of(0.95, 99) / t_of(0.95, 19)) ** 2
    assert p * (1 - p) / v * ratio > 80
    assert korn_graubard_cr2_interval(clusters, 100, 0.95).extra["n_eff"] == pytest.approx(20)
    y[5] = 0
    two = korn_graubard_cr2_interval(clustered(y, np.arange(100) // 5), 100, 0.95)
    assert two.extra["n_eff"] == pytest.approx(40)


def passages(seed: int, k: int = 40, m: int = 5, rho: float = 0.2) -> tuple[np.ndarray, np.ndarray]:
    """k passages of m questions whose normal scores correlate at rho inside a passage."""
    generator = np.random.default_rng(seed)
    passage = generator.normal(size=(k, 1)) * math.sqrt(rho)
    y = passage + generator.normal(size=(k, m)) * math.sqrt(1 - rho)
    return y.ravel(), np.repeat(np.arange(k), m)


def test_forty_passages_of_five_at_a_correlation_of_a_fifth() -> None:
    assert design_effect(5, 0.2) == pytest.approx(1.8)
    assert math.sqrt(design_effect(5, 0.2)) == pytest.approx(1.34, abs=0.005)
    ratios, variances = [], []
    for seed in range(300):
        y, codes = passages(seed)
        clusters = clustered(y, codes)
        fit = sm.OLS(y, np.ones(len(y))).fit(cov_type="cluster", cov_kwds={"groups": codes})
        assert cr1(clusters) == pytest.approx(float(fit.bse[0]), rel=1e-9)
        ratios.append(cr2_variance(clusters) / (y.var(ddof=1) / len(y)))
        variances.append(clusters.point)
    noise = np.std(ratios) / math.sqrt(len(ratios))
    assert abs(np.mean(ratios) - 1.8) < 4 * noise + 0.02  # s² itself is 1 − ρ·4/199 of the variance
    assert np.var(variances) == pytest.approx(1.8 / 200, rel=4 * math.sqrt(2 / 299))


@given(data())
def test_icc_lies_in_its_interval_and_its_range(sample: tuple[np.ndarray, np.ndarray]) -> None:
    y, codes = sample
    if codes.max() + 1 == len(y):
        with pytest.raises(MethodError, match="holds one item"):
            icc(y, codes)
        return
    found = icc(y, codes, level=0.9)
    assert set(found.extra) <= set(EXTRA)
    assert found.point <= 1
    if math.isnan(found.ci_low):
        assert set(found.extra["undefined"]) == {"ci_low", "ci_high"}
    else:
        assert found.ci_low <= found.point <= found.ci_high


def test_design_effect_takes_no_gain_from_a_negative_correlation() -> None:
    found = icc([1, 0, 1, 0, 0, 1, 1, 0], np.repeat(range(4), 2))
    assert found.point == -1
    assert found.extra["design_effect"] == 1


def test_icc_of_equal_scores_is_not_known() -> None:
    found = icc([1, 1, 1, 1], list("aabb"))
    assert math.isnan(found.point)
    assert set(found.extra["undefined"]) == {"point", "ci_low", "ci_high"}


def test_icc_of_one_cluster_is_refused() -> None:
    with pytest.raises(MethodError, match="in one cluster"):
        icc([1, 0, 1], ["a", "a", "a"])
    with pytest.raises(InputError, match="2 labels for 3 scores"):
        icc([1, 0, 1], ["a", "b"])


def test_means_that_differ_by_rounding_alone_are_one() -> None:
    """0.3/3 is not 0.1, and says nothing that 0.1 does not."""
    sizes = [1, 2, 3, 6, 7, 9]
    units = clustered(np.array([0.1] * 28 + [0.9]), np.repeat(range(7), [*sizes, 1]))
    assert len(set(units.means)) > 2
    assert informative(units) == 1


@settings(max_examples=40)
@given(data(), st.sampled_from([None, 0.3, 2.0]))
def test_residuals_are_what_the_items_of_a_cluster_stray_together(
    given_data: tuple[np.ndarray, np.ndarray], weight: float | None
) -> None:
    y, codes = given_data
    weights = None if weight is None else weight + np.arange(len(y)) % 3
    w = np.ones(len(y)) if weights is None else weights
    found = clustered(y, codes, weights)
    mean = math.fsum(w * y) / math.fsum(w)
    strayed = [math.fsum((w * (y - mean))[codes == g]) for g in range(found.k)]
    assert found.point == pytest.approx(mean, abs=1e-14)
    assert found.residuals == pytest.approx(np.array(strayed), abs=1e-12)
    assert found.n == pytest.approx(w.sum())


def test_residuals_that_are_rounding_are_none() -> None:
    found = clustered(np.array([0.1, 0.2, 0.3, 0.3, 0.2, 0.1]), np.array([0, 0, 0, 1, 1, 1]))
    assert found.residuals.tolist() == [0.0, 0.0]


@settings(max_examples=40)
@given(data())
def test_informative_clusters_are_those_off_the_commonest_mean(
    given_data: tuple[np.ndarray, np.ndarray],
) -> None:
    found = clustered(*given_data)
    largest = max(abs(found.means).tolist()) or 1.0
    digits = Counter(np.round(found.means / largest, 12).tolist())
    assert informative(found) == found.k - max(digits.values())


@settings(max_examples=20)
@given(data())
def test_clusters_that_are_known_change_no_analysis_of_variance(
    given_data: tuple[np.ndarray, np.ndarray],
) -> None:
    assert one_way(*given_data) == one_way(*given_data, clustered(*given_data))
