"""`bootstrap_statistic(weights=True)`: the numbers of the record path, in any order, by any processes."""

from __future__ import annotations

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evalstats.errors import InputError, MethodError
from evalstats.kernel import reweighted
from evalstats.methods.bootstrap import bootstrap_statistic
from evalstats.methods.means import mean
from evalstats.methods.ratios import ratio
from tests.methods import weighted_statistics as made
from tests.reference import cases

codes = st.integers(0, 2)
PAIRS = {"f1": (made.f1, made.weighted_f1), "kappa": (made.kappa, made.weighted_kappa)}
PAIRS |= {"auc": (made.auc, made.weighted_auc)}


def weighted_mean(rows: Any, weights: Any) -> Any:
    return weights @ rows / weights.sum(axis=1)


def limits(estimate: Any) -> tuple[float, float, float]:
    return estimate.point, estimate.ci_low, estimate.ci_high


def of_repeated(statistic: Any, weighted: Any) -> Any:
    """`weighted`, which holds every value against `statistic` of the rows written as often as they count."""

    def held(rows: Any, weights: Any) -> Any:
        values = np.asarray(weighted(rows, weights))
        for value, one in zip(values[:3], weights[:3], strict=True):
            expected = statistic(np.repeat(rows, one.astype(int), axis=0))
            assert np.isclose(value, expected, rtol=1e-9, atol=1e-12, equal_nan=True)
        return values

    return held


@pytest.mark.parametrize("name", PAIRS)
@given(st.lists(st.tuples(codes, st.integers(0, 1)), min_size=10, max_size=60), st.booleans())
def test_every_resample_has_the_value_of_its_records(name: str, rows: Any, grouped: bool) -> None:
    plain, weighted = PAIRS[name]
    data = np.array(rows, dtype=float)
    groups = np.arange(len(rows)) // 2 if grouped else None
    if not math.isfinite(plain(data)):
        return
    with np.errstate(divide="ignore", invalid="ignore"):
        held = of_repeated(plain, weighted)
        found = bootstrap_statistic(data, held, n_boot=100, weights=True, groups=groups)
    assert found.point == pytest.approx(plain(data))


@given(st.permutations(range(20)))
def test_the_order_of_rows_and_names_of_groups_change_no_digit(order: list[int]) -> None:
    rng = np.random.default_rng(5)
    x, groups = rng.integers(0, 4, 40) / 4, np.repeat(np.arange(20), 2)
    strata = groups // 10
    moved = np.concatenate([[2 * g, 2 * g + 1] for g in order])
    for labels in (None, groups):
        for kind in ("percentile", "bca"):
            method = f"{'bootstrap' if labels is None else 'cluster_bootstrap'}_{kind}"
            options = {"n_boot": 200, "weights": True, "method": method}
            one = bootstrap_statistic(x, weighted_mean, groups=labels, strata=strata, **options)
            two = bootstrap_statistic(
                x[moved],
                weighted_mean,
                groups=None if labels is None else [f"g{g}" for g in labels[moved]],
                strata=strata[moved],
                **options,
            )
            assert repr(one) == repr(two)
            assert all(said["code"] != "order_kept" for said in one.extra["caveats"])


def test_few_distinct_rows_are_drawn_by_their_tally() -> None:
    """A multinomial of the tally has the law of index draws: here a binomial's."""
    x = np.repeat([0.0, 1.0], [60, 140])
    found = bootstrap_statistic(x, weighted_mean, weights=True)
    law = stats.binom(200, 0.7)
    for limit, q in ((found.ci_low, 0.025), (found.ci_high, 0.975)):
        assert abs(law.cdf(round(limit * 200)) - q) < 0.03
    assert found.extra["boot_se"] == pytest.approx(law.std() / 200, rel=0.03)


@pytest.mark.parametrize("kind", ["percentile", "basic", "bca"])
@pytest.mark.parametrize("grouped", [False, True])
def test_named_kinds_are_those_of_the_mean(kind: str, grouped: bool) -> None:
    x, groups = np.random.default_rng(2).gamma(1.0, 1.0, 120), np.repeat(np.arange(40), 3)
    labels, prefix = (groups, "cluster_bootstrap_") if grouped else (None, "bootstrap_")
    method = f"{prefix}{kind}"
    exact = mean(x, labels, method=method)
    error = exact.extra["boot_se"] / 8  # over 4 Monte Carlo errors of a limit at 10,000
    for data, statistic, weights in ((x, weighted_mean, True), (x, np.mean, False)):
        found = bootstrap_statistic(
            data, statistic, groups=labels, method=method, weights=weights, n_boot=10_000 if weights else 2000
        )
        assert found.method == method
        wide = error if weights else 3 * error
        assert limits(found) == pytest.approx(limits(exact), abs=wide)
        if kind == "bca":
            assert found.extra["acceleration"] == pytest.approx(exact.extra["acceleration"], rel=1e-6)


@pytest.mark.parametrize("case", cases("bootstrap", "bootstrap.mean"))
@pytest.mark.parametrize("kind", ["percentile", "basic", "bca"])
def test_twelve_scores_have_the_limits_of_r_s_boot(case: Any, kind: str) -> None:
    scores, expected = case["input"]["scores"], case["expected"]
    for statistic, weights in ((np.mean, False), (weighted_mean, True)):
        found = bootstrap_statistic(
            np.array(scores), statistic, method=f"bootstrap_{kind}", n_boot=20_000, weights=weights
        )
        assert limits(found)[1:] == pytest.approx(expected[kind], abs=case["tolerance"])
        assert found.extra["boot_se"] == pytest.approx(expected["se"], abs=case["tolerance"])
    exact = ratio(scores, np.ones(12), method=f"bootstrap_{kind}")
    assert limits(exact)[1:] == pytest.approx(expected[kind], abs=case["tolerance"])


def test_strata_are_resampled_each_alone() -> None:
    """The middle half of runs by task, as rliable resamples: every task keeps its number of runs."""
    rng = np.random.default_rng(4)
    scores, task = rng.gamma(2.0, 1.0, 80), np.repeat(np.arange(20), 4)

    def counted(rows: Any, weights: Any) -> Any:
        assert np.all(weights.reshape(len(weights), 20, 4).sum(axis=2) == 4)
        return made.weighted_iqm(rows, weights)

    found = bootstrap_statistic(scores, counted, strata=task, weights=True, n_boot=4000)
    records = bootstrap_statistic(scores, made.iqm, strata=task, n_boot=1500)
    assert found.point == pytest.approx(made.iqm(scores))
    assert made.iqm(scores) == pytest.approx(stats.trim_mean(scores, 0.25))
    error = found.extra["boot_se"] / 3
    assert limits(found) == pytest.approx(limits(records), abs=error)
    alike = bootstrap_statistic(scores, made.weighted_iqm, weights=True, n_boot=4000)
    assert found.extra["boot_se"] != alike.extra["boot_se"]


def test_any_number_of_processes_gives_the_same_digits() -> None:
    x = np.random.default_rng(0).normal(size=60)
    one, two = (
        bootstrap_statistic(
            x, made.weighted_iqm, strata=np.arange(60) % 3, weights=True, n_boot=1500, workers=workers
        )
        for workers in (1, 2)
    )
    assert repr(one) == repr(two)


@pytest.mark.parametrize("kept", [None, "strata", "groups"])
@pytest.mark.parametrize("decimals", [None, 0])
def test_how_many_are_drawn_at_a_time_changes_no_digit(
    kept: str | None, decimals: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = np.random.default_rng(0).normal(size=240)
    x = x if decimals is None else np.round(x, decimals)
    labels = {} if kept is None else {kept: np.repeat(np.arange(40), 6)}

    def mean_of(rows: Any, weights: Any) -> Any:
        return np.add.reduce(weights * rows, axis=1) / weights.sum(axis=1)

    found = bootstrap_statistic(x, mean_of, n_boot=1100, weights=True, **labels)
    monkeypatch.setattr(reweighted, "CELLS", 3000)
    assert repr(bootstrap_statistic(x, mean_of, n_boot=1100, weights=True, **labels)) == repr(found)


def test_memory_does_not_grow_with_the_resamples() -> None:
    """5,000 rows, 5,000 resamples: a 150th of what all indices and values at once would take."""
    x = np.random.default_rng(0).normal(size=5000)
    tracemalloc.start()
    bootstrap_statistic(x, weighted_mean, n_boot=5000, weights=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5000 * 5000 * 16 / 150


@pytest.mark.parametrize("columns", [None, 2])
@pytest.mark.parametrize("decimals", [0, 9])
def test_one_stratum_that_is_named_is_none_at_all(columns: int | None, decimals: int) -> None:
    x = np.round(np.random.default_rng(6).normal(size=(150, columns or 1)), decimals)
    data = x if columns else x[:, 0]

    def first(rows: Any, weights: Any) -> Any:
        return weighted_mean(rows.reshape(len(rows), -1)[:, 0], weights)

    found = bootstrap_statistic(data, first, n_boot=200, weights=True)
    named = bootstrap_statistic(data, first, n_boot=200, weights=True, strata=["all"] * 150)
    assert repr(found) == repr(named)


def test_memory_of_very_many_resamples_is_a_few_times_their_values() -> None:
    """At two million, which is the most: 16 MB of values, under 64 MB in all."""
    x, n_boot = np.random.default_rng(0).normal(size=20), 300_000
    for method in ("bootstrap_percentile", "bootstrap_bca"):
        tracemalloc.start()
        found = bootstrap_statistic(x, weighted_mean, n_boot=n_boot, weights=True, method=method)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert found.n_boot == n_boot
        assert peak < 3.9 * 8 * n_boot


def first_alone_else_a_column(rows, weights):
    values = weighted_mean(rows, weights)
    return values if len(values) == 1 else values[:, None]


def test_values_without_one_record_have_the_promised_shape_too():
    """BCa weighs each of twelve records out at once: there the shape first breaks."""

    def of_twelve(rows, weights):
        values = weighted_mean(rows, weights)
        return values[:-1] if len(values) == 12 else values

    with pytest.raises(MethodError, match=r"shape \(11,\) for weights of 12 resamples"):
        bootstrap_statistic(list(range(12)), of_twelve, n_boot=1000, weights=True, method="bootstrap_bca")


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: bootstrap_statistic(["a"] * 20, weighted_mean, weights=True), InputError, "rows of numbers"),
        (
            lambda: bootstrap_statistic([[1, math.nan]] * 20, weighted_mean, weights=True),
            InputError,
            r"data\[0\] is \[1.0, nan\]",
        ),
        (lambda: bootstrap_statistic([1, 2], np.mean, weights=True), MethodError, "rows .* and weights"),
        (
            lambda: bootstrap_statistic([1, 2], lambda rows, weights: rows, weights=True),
            MethodError,
            r"shape \(2,\)",
        ),
        (
            lambda: bootstrap_statistic(
                list(range(20)), lambda rows, weights: weighted_mean(rows, weights)[:1], weights=True
            ),
            MethodError,
            r"shape \(1,\) for weights of [\d,]+ resamples.* returns B numbers",
        ),
        (
            lambda: bootstrap_statistic(list(range(20)), first_alone_else_a_column, weights=True),
            MethodError,
            r"shape \([\d,]+, 1\)",
        ),
        (lambda: bootstrap_statistic([1, 2], np.mean, workers=0), InputError, "workers=0"),
        (
            lambda: bootstrap_statistic(list(range(20)), lambda rows: rows[0], n_boot=100, workers=2),
            MethodError,
            "cannot be sent",
        ),
        (
            lambda: bootstrap_statistic([1, 2], np.mean, groups=["a", "a"], strata=["x", "y"]),
            InputError,
            "'a' has records in several strata",
        ),
        (lambda: bootstrap_statistic([1, 2], np.mean, method="studentized"), MethodError, "There are"),
        (lambda: bootstrap_statistic([1, 2], np.ndarray.max), MethodError, "minimum or maximum"),
    ],
)
def test_what_cannot_be_done_says_what_to_do(call: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        call()


def test_a_process_that_cannot_have_the_function_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function of `__main__` is sent by name, and another process has another `__main__`."""
    import __main__

    def there(rows: Any) -> float:
        return float(np.mean(rows))

    there.__module__, there.__qualname__ = "__main__", "there"
    monkeypatch.setattr(__main__, "there", there, raising=False)
    with pytest.raises(MethodError, match="a module of its own"):
        bootstrap_statistic(list(range(20)), there, n_boot=100, workers=2)


def test_bca_without_a_value_somewhere_has_no_interval() -> None:
    found = bootstrap_statistic(
        [0] * 58 + [1], lambda rows: rows.count(0) / rows.count(1), n_boot=200, method="bootstrap_bca"
    )
    assert "without one of the units" in found.extra["undefined"]["ci_low"]


@pytest.mark.parametrize("kind", ["percentile", "basic", "bca"])
def test_a_function_that_fails_on_every_resample_has_no_interval(kind: str) -> None:
    """As one that wants each record once: the data have it, and the data less one, but no resample."""

    def of_distinct(rows: list[int]) -> float:
        if len(set(rows)) < len(rows):
            raise ValueError("twice the same")
        return sum(rows) / len(rows)

    found = bootstrap_statistic(list(range(30)), of_distinct, n_boot=100, method=f"bootstrap_{kind}")
    assert found.point == 14.5
    assert "no value on any resample" in found.extra["undefined"]["ci_low"]
    assert "no resample has a value" in found.extra["undefined"]["standard_error"]
