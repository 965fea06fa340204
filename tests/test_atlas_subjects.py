"""The atlas's forms for tests, families, pass@k, fixed items and judges, against the library."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from atlas import (
    agreement_forms,
    agreements,
    correlations,
    families_of_tests,
    fixed_items,
    judges,
    passk,
    quantile_limits,
    score_tests,
)
from atlas.clusters import PairClusterCell, draw_pairs
from atlas.scores import CompletionCell
from evalstats.errors import MethodError
from evalstats.methods import corrections
from evalstats.methods.clusters import icc
from evalstats.methods.difference_tests import METHODS as TESTS
from evalstats.methods.differences import mean_difference
from evalstats.methods.means import mean
from evalstats.methods.pairs import PairedItems
from evalstats.methods.quantiles import quantile
from evalstats.subjects.judge_ppi import ppi_difference, ppi_mean
from evalstats.subjects.judge_rates import rogan_gladen
from evalstats.subjects.passk import benchmark, pass_at_k


def _equal(found: Any, form: Any) -> None:
    np.testing.assert_allclose(np.asarray(found, dtype=float), np.asarray(form), rtol=0, atol=1e-9)


@pytest.mark.parametrize("method", [method.name for method in corrections.METHODS])
def test_families_are_adjusted_as_one_by_one(method: str) -> None:
    cell = families_of_tests.FamilyCell(7, "half", "mcnemar_mid_p", 0.0)
    p = families_of_tests.draw(cell, 30)
    one = getattr(corrections, method)
    _equal([one(row)["adjusted"] for row in p], families_of_tests.adjusted(p, method))


def test_unchanged_rows_are_null_and_the_others_are_not() -> None:
    for test in ("z", "mcnemar_exact"):
        p = families_of_tests.draw(families_of_tests.FamilyCell(4, "half", test, 0.0), 4000)
        assert np.mean(p[:, :2] <= 0.05) < 0.06
        assert np.mean(p[:, 2:] <= 0.05) > 0.6


def test_the_t_of_units_and_its_sizes_are_the_librarys() -> None:
    cell = score_tests.TestCell("five_points", 12, 1, 0.0)
    x = score_tests.draw(cell, 25)
    found = [TESTS["paired_t"].function(PairedItems(np.zeros(12), d), 999, 0)[1] for d in x.sums]
    _equal(found, score_tests.t_pvalues(x))
    assert score_tests.pvalues(cell, "cr2_t", 100) is None
    assert score_tests.pvalues(cell, "tango_effective", 100) is None


def test_tango_on_effective_counts_tests_as_the_library() -> None:
    drawn = draw_pairs(PairClusterCell(7, "1-20", 0.3, 0.2, 0.5), 25)
    found = []
    for c, b, sizes in zip(drawn.candidate_only, drawn.baseline_only, drawn.sizes, strict=True):
        counts = np.array([c, b, sizes - c - b]).T.ravel().astype(int)
        old, new = (np.repeat(np.tile(right, 7), counts) for right in ([0.0, 1.0, 1.0], [1.0, 0.0, 1.0]))
        codes = np.repeat(np.arange(7), sizes.astype(int))
        pair = PairedItems(old, new, True, (0.0, 1.0), codes)
        found.append(TESTS["tango_effective"].function(pair, 999, 0)[1] if np.any(old != new) else 1.0)
    same = drawn.differences.v > 0  # without variance the ICC counts which items both have right
    _equal(np.array(found)[same], score_tests.tango_effective_pvalues(drawn)[same])


def _attempts(passes: Any, m: int) -> Any:
    """m completions of each item, so many of them right."""
    return np.concatenate([np.repeat([1.0, 0.0], [int(k), m - int(k)]) for k in passes])


def test_the_noise_of_fixed_items_is_the_librarys() -> None:
    passes, _ = fixed_items.draw(CompletionCell(6, 4, 0.3, 0.8), 20)
    (low, high), point = fixed_items.interval((passes,), 4, 0.9)
    items = np.repeat(np.arange(6), 4)
    for at, row in enumerate(passes):
        found = mean(_attempts(row, 4), item=items, bounds=(0, 1), view="fixed_items", level=0.9)
        assert found.point == pytest.approx(point[at])
        _equal((found.ci_low, found.ci_high), (max(low[at], 0), min(high[at], 1)))


def test_the_noise_of_two_runs_on_fixed_items_is_the_librarys() -> None:
    old, new, _ = fixed_items.draw_pairs(fixed_items.FixedPairCell(5, 2, 0.1, 0.5, 0.5), 10)
    (low, high), _ = fixed_items.interval((old, new), 2, 0.95)
    items = np.repeat(np.arange(5), 2)
    for at in range(10):
        runs = [_attempts(run[at], 2) for run in (old, new)]
        found = mean_difference(*runs, item=(items, items), view="fixed_items")
        _equal((found.ci_low, found.ci_high), (max(low[at], -1), min(high[at], 1)))


@pytest.mark.parametrize("measure", ["pass_at_k", "pass_hat_k"])
def test_pass_at_k_is_measured_as_the_library_has_it(measure: str) -> None:
    cell = passk.PasskCell(measure, 20, 5, 2, 0.9, 0.6)
    x, values = passk.draw(cell, 25), passk.values_of(cell)
    low, high = passk.default(x, 0.95)
    for at, row in enumerate(x.sums):
        c = np.searchsorted(values, row)
        (found,) = benchmark(5, c, 2, (measure,))
        assert found.point == pytest.approx(x.point[at])
        _equal((found.ci_low, found.ci_high), (low[at], high[at]))


def test_the_truth_of_pass_at_k_is_what_many_problems_give() -> None:
    cell = passk.PasskCell("pass_at_k", 1, 10, 5, 0.3, 0.3)
    rates = np.random.default_rng(2).beta(0.7, 0.7 * 7 / 3, size=200_000)
    assert passk.truth_of(cell) == pytest.approx(np.mean(1 - (1 - rates) ** 5), abs=0.005)
    assert passk.values_of(cell)[3] == pass_at_k(10, 3, 5)


def test_the_intraclass_correlation_of_many_data_sets_is_the_librarys() -> None:
    y = correlations.draw(correlations.CorrelationCell("pass_fail", 6, 4, 0.3), 20)
    (low, high), point = correlations.icc1(y, 0.95)
    for at, one in enumerate(y):
        found = icc(one.ravel(), np.repeat(np.arange(6), 4))
        _equal((found.point, found.ci_low, found.ci_high), (point[at], low[at], high[at]))


def test_exact_coverage_of_order_statistics_is_what_draws_give() -> None:
    cell = quantile_limits.QuantileCell(20, 0.25)
    exact = quantile_limits.measure(cell, "order_statistics", 0.9, 0)
    assert exact is not None
    limits = [quantile(row, 0.25, level=0.9) for row in quantile_limits.draw(cell, 2000)]
    too_high = np.mean([one.ci_low > 0.25 for one in limits])
    assert too_high == pytest.approx(exact.too_high, abs=4 * np.sqrt(0.05 / 2000))
    assert exact.coverage >= 0.9
    assert quantile_limits.measure(quantile_limits.QuantileCell(5, 0.5), "order_statistics", 0.95, 0) is None


def _corrected(p: float, Se: float, Sp: float, method: str) -> tuple[float, float]:
    try:
        found = rogan_gladen(round(p * 100), 100, Se, Sp, n_pos=20, n_neg=20, method=method)
    except MethodError:
        return np.nan, np.nan
    return found.ci_low, found.ci_high


@pytest.mark.parametrize("method", ["lang_reiczigel", "rogan_gladen_delta"])
def test_rates_corrected_for_a_judge_are_the_librarys(method: str) -> None:
    cell = judges.EstimatedCell(100, 20, 20, 0.8, 0.7, 0.6)
    p, Se, Sp = judges.draw_rates(cell, 40)
    sizes = (100, 20, 20)
    form = {"lang_reiczigel": judges.lang_reiczigel, "rogan_gladen_delta": judges.delta}[method]
    known = judges.identifiable(Se, Sp, sizes, 0.95)
    found = [_corrected(*row, method) for row in zip(p, Se, Sp, strict=True)]
    with np.errstate(divide="ignore", invalid="ignore"):  # judges at chance, which are refused
        limits = form(p, Se, Sp, sizes, 0.95)
    low, high = (np.where(known, np.clip(one, 0, 1), np.nan) for one in limits)
    point = np.clip(judges.corrected(p, Se, Sp), 0, 1)
    _equal(found, np.array([np.minimum(low, point), np.maximum(high, point)]).T)
    assert 0 < np.mean(known) < 1


@pytest.mark.parametrize("method", ["ppi", "ppi_plus_plus"])
def test_prediction_powered_limits_are_the_librarys(method: str) -> None:
    rng = np.random.default_rng(3)
    Y, Y_hat, F = (rng.integers(0, 2, size=(15, n)).astype(float) for n in (12, 12, 40))
    Y_hat = np.where(rng.random(Y.shape) < 0.8, Y, Y_hat)
    drawn = (Y, Y_hat, F.mean(axis=1), (F**2).mean(axis=1))
    (low, high), point = judges.ppi(drawn, 40, method == "ppi_plus_plus", 0.95)
    for at in range(15):
        found = ppi_mean(Y[at], Y_hat[at], F[at], method=method)
        assert found.point == pytest.approx(np.clip(point[at], 0, 1))
        _equal((found.ci_low, found.ci_high), (max(low[at], 0), min(high[at], 1)))
        zero = np.zeros(12), np.zeros(12), np.zeros(40)
        given = zip(zero, (Y[at], Y_hat[at], F[at]), strict=True)
        two = ppi_difference(*given, method=method)
        assert two.point == pytest.approx(np.clip(point[at], -1, 1))


@pytest.mark.parametrize(
    ("what", "method", "law", "raters"),
    [
        ("kappa", "fce", "three", 2),
        ("kappa", "jackknife_t", "rare", 2),
        ("ac1", "linearised_t", "three", 2),
        ("ac1", "jackknife_t", "rare", 2),
        ("fleiss", "jackknife_t", "three", 3),
        ("alpha", "jackknife_t", "three", 3),
    ],
)
def test_agreement_of_many_data_sets_is_the_librarys(what: str, method: str, law: str, raters: int) -> None:
    cell = agreements.AgreementCell(what, 15, law, "turned", 0.7, raters)
    x = agreements.many(cell, 25)
    low, high = agreements._FORMS[method](x, 0.9)
    held = np.fmin(low, x.point), np.fmin(np.fmax(high, x.point), 1)
    found = [agreements._coefficient(cell, one, method, 0.9) for one in agreements.draw(cell, 25)]
    _equal([one.point for one in found], x.point)
    _equal([one.ci_low for one in found], np.where(np.isnan(low), np.nan, held[0]))
    _equal([one.ci_high for one in found], np.where(np.isnan(high), np.nan, held[1]))


def test_a_kappa_is_kept_where_the_librarys_interval_holds_it() -> None:
    cell = agreements.AgreementCell("kappa", 30, "even", "same", 0.8, 2)
    x = agreements.many(cell, 40)
    found = [agreements._coefficient(cell, one, "donner_eliasziw", 0.8) for one in agreements.draw(cell, 40)]
    for kappa in (0.4, 0.64, 0.8):
        inside = [one.ci_low <= kappa <= one.ci_high for one in found]
        assert agreement_forms.donner_eliasziw_keeps(x, kappa, 0.8).tolist() == inside
    _equal([one.point for one in found], agreement_forms.intraclass(x))
