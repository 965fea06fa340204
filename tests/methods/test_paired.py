"""The difference of two runs on the same items: other programs' numbers, laws, what is refused."""

from __future__ import annotations

import functools
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import optimize, stats

from evalstats.errors import InputError, MethodError
from evalstats.methods.paired import (
    METHODS,
    PairedCounts,
    paired_proportions,
    tango_limits,
    tango_statistic,
    tango_statistics,
)
from evalstats.numeric import z_of
from evalstats.results import EXTRA
from tests.reference import FOLDER, cases

NAMES = [method.name for method in METHODS]
REFERENCE = {
    "paired_diff_ci.wald": "wald",
    "paired_diff_ci.newcombe10": "newcombe",
    "paired_diff_ci.tango": "tango",
    "paired_diff_ci.bonett_price": "bonett_price",
}
OTHER_FILES = {"mcnemar.exact", "mcnemar.midp", "mcnemar.chi2", "mcnemar.chi2_cc"}  # test_mcnemar.py
levels = st.floats(0.5, 0.999)


@st.composite
def tables(draw: st.DrawFn) -> PairedCounts:
    both, b, c, neither = (draw(st.integers(0, 300)) for _ in range(4))
    assume(both + b + c + neither > 0)
    return PairedCounts(b=b, c=c, n=both + b + c + neither, both_right=both)


def estimate(name: str, table: PairedCounts, level: float = 0.95) -> Any:
    """The result, or None where the method refuses this table."""
    try:
        return paired_proportions(
            table.c, table.b, table.n, level=level, method=name, both_right=table.both_right
        )
    except MethodError:
        return None


@pytest.mark.parametrize("case", cases("paired_binary", *REFERENCE))
def test_limits_equal_those_of_r(case: dict[str, Any]) -> None:
    both, candidate_only, baseline_only, neither = (
        case["input"][key] for key in ("both", "a_only", "b_only", "neither")
    )
    table = PairedCounts(candidate_only, baseline_only, both + candidate_only + baseline_only + neither, both)
    method, level = METHODS[REFERENCE[case["call"]]], case["input"]["level"]
    expected, tolerance = case["expected"], case["tolerance"]
    result = estimate(method.name, table, level)
    low, high = method.function(table, level) if result is None else (result.ci_low, result.ci_high)
    assert low == pytest.approx(expected["low"], abs=tolerance)
    assert high == pytest.approx(expected["high"], abs=tolerance)
    if result is not None:
        assert result.point == pytest.approx(expected["diff"], abs=tolerance)
        if "se" in expected:
            assert result.standard_error == pytest.approx(expected["se"], abs=tolerance)


def test_every_call_of_the_reference_file_is_mapped() -> None:
    calls = {case["call"] for case in json.loads((FOLDER / "paired_binary.json").read_text(encoding="utf-8"))}
    assert calls == set(REFERENCE) | OTHER_FILES


@pytest.mark.parametrize("name", NAMES)
@given(table=tables(), level=levels)
def test_point_lies_between_the_limits(name: str, table: PairedCounts, level: float) -> None:
    result = estimate(name, table, level)
    if result is not None:
        assert result.ci_low <= result.point <= result.ci_high
        assert result.ci_low < result.ci_high
        assert name == "wald" or (result.ci_low >= -1 and result.ci_high <= 1)
        assert set(result.extra) <= set(EXTRA)


@pytest.mark.parametrize("name", NAMES)
@given(table=tables(), level=levels)
def test_swapping_the_runs_mirrors_the_interval(name: str, table: PairedCounts, level: float) -> None:
    result = estimate(name, table, level)
    mirrored = estimate(name, PairedCounts(table.c, table.b, table.n, table.both_right), level)
    if result is None:
        assert mirrored is None
        return
    limits = (result.point, result.ci_low, result.ci_high)
    assert limits == (-mirrored.point, -mirrored.ci_high, -mirrored.ci_low)


@pytest.mark.parametrize("name", NAMES)
@given(table=tables(), two_levels=st.tuples(levels, levels))
def test_a_higher_level_is_no_narrower(
    name: str, table: PairedCounts, two_levels: tuple[float, float]
) -> None:
    narrow, wide = (estimate(name, table, level) for level in sorted(two_levels))
    if narrow is not None:
        assert wide.ci_low <= narrow.ci_low + 1e-12
        assert narrow.ci_high <= wide.ci_high + 1e-12


@given(table=tables(), z=st.floats(0.6, 5))
def test_tango_limits_are_where_the_statistic_equals_z(table: PairedCounts, z: float) -> None:
    low, high = tango_limits(table.c, table.b, table.n, z)
    for limit, wanted in ((low, z), (high, -z)):
        if abs(limit) < 1:
            step = 1e-9  # of the limit: the statistic is steep where few items differ
            around = [tango_statistic(table.c, table.b, table.n, limit + s) for s in (-step, step)]
            assert around[0] >= wanted >= around[1]


def multinomial_negative_likelihood(q: float, table: PairedCounts, delta: float) -> float:
    cells = (table.b, table.c, table.n - table.b - table.c)
    probabilities = (q + delta, q, 1 - 2 * q - delta)
    return -sum(k * math.log(p) for k, p in zip(cells, probabilities, strict=True) if k > 0)


@given(table=tables(), delta=st.floats(-0.95, 0.95))
def test_tango_statistic_uses_the_constrained_maximum_likelihood(table: PairedCounts, delta: float) -> None:
    lowest, highest = max(0.0, -delta) + 1e-12, (1 - delta) / 2 - 1e-12
    found = optimize.minimize_scalar(
        multinomial_negative_likelihood,
        args=(table, delta),
        bounds=(lowest, highest),
        method="bounded",
        options={"xatol": 1e-11},
    )
    variance = table.n * (2 * found.x + delta * (1 - delta))
    expected = (table.b - table.c - table.n * delta) / math.sqrt(variance)
    assert tango_statistic(table.c, table.b, table.n, delta) == pytest.approx(expected, rel=2e-3, abs=1e-6)


def test_tango_statistic_at_zero_is_mcnemar_s() -> None:
    assert tango_statistic(40, 55, 500, 0.0) == pytest.approx(15 / math.sqrt(95), abs=1e-14)
    assert tango_statistic(0, 0, 500, 0.0) == 0.0


@given(n=st.floats(2, 1e6), z=st.floats(0.6, 5))
def test_tango_without_discordant_items_has_its_closed_form(n: float, z: float) -> None:
    low, high = tango_limits(0, 0, n, z)
    assert (low, high) == pytest.approx((-(z**2) / (n + z**2), z**2 / (n + z**2)), rel=1e-14)


@pytest.mark.parametrize(("b", "c", "limits"), [(50, 0, (0.857, 1.0)), (0, 50, (-1.0, -0.857))])
def test_tango_ends_at_one_where_there_is_no_root(b: int, c: int, limits: tuple[float, float]) -> None:
    assert tango_limits(c, b, 50, z_of(0.95)) == pytest.approx(limits, abs=1e-3)


@given(table=tables(), factor=st.floats(0.01, 1))
def test_tango_of_effective_counts_holds_the_point_and_widens(table: PairedCounts, factor: float) -> None:
    b, c, n = table.b * factor, table.c * factor, table.n * factor
    low, high = tango_limits(c, b, n, 2.0)
    full_low, full_high = tango_limits(table.c, table.b, table.n, 2.0)
    assert low <= (b - c) / n <= high
    assert low <= full_low + 1e-12
    assert full_high <= high + 1e-12


@given(n=st.integers(1, 5000), level=levels)
def test_a_run_against_itself_differs_by_zero_and_not_with_width_zero(n: int, level: float) -> None:
    result = paired_proportions(0, 0, n, level=level)
    assert result.point == 0.0
    assert result.ci_low == -result.ci_high < 0
    assert math.isnan(result.standard_error)
    assert "no item changed" in result.extra["undefined"]["standard_error"]


@functools.cache
def tables_with_limits(n: int, level: float) -> NDArray[np.float64]:
    """(tables, 4): b, c and the guaranteed limits."""
    function = METHODS["tango_bonett_price"].function
    rows = [(b, c, *function(PairedCounts(b, c, n), level)) for b in range(n + 1) for c in range(n + 1 - b)]
    return np.array(rows, dtype=np.float64)


def enumerated_coverage(n: int, level: float, psi: float, share: float) -> float:
    """Exact coverage at disagreement psi and true difference psi·share."""
    b, c, low, high = tables_with_limits(n, level).T
    D = psi * share
    cells = np.stack([b, c, n - b - c], axis=1)
    mass = stats.multinomial.pmf(cells, n, [(psi + D) / 2, (psi - D) / 2, 1 - psi])
    return float(mass @ ((low - 1e-12 <= D) & (high + 1e-12 >= D)))


@pytest.mark.parametrize(("psi", "share"), [(0.1, 0.0), (0.4, 0.5), (0.6, 1.0)])
def test_guaranteed_coverage_by_enumeration(psi: float, share: float) -> None:
    assert enumerated_coverage(12, 0.95, psi, share) >= 0.945


@pytest.mark.slow
@pytest.mark.parametrize("level", [0.90, 0.95, 0.99])
@pytest.mark.parametrize("n", [10, 20, 50])
def test_guaranteed_coverage_by_enumeration_on_a_grid(n: int, level: float) -> None:
    worst = min(
        enumerated_coverage(n, level, psi, share)
        for psi in (0.02, 0.1, 0.2, 0.4, 0.6, 0.9)
        for share in (0.0, 0.5, 0.9, 1.0)
    )
    assert worst >= level - 0.005


def test_guarantee_is_the_outer_limits_and_names_its_enumeration() -> None:
    result = paired_proportions(5, 9, 60, guarantee=True)
    inner = [paired_proportions(5, 9, 60, method=name) for name in ("tango", "bonett_price")]
    assert result.ci_low <= min(estimate.ci_low for estimate in inner)
    assert result.ci_high >= max(estimate.ci_high for estimate in inner)
    assert result.method == "tango_bonett_price"
    assert result.extra["guarantee"] == "enumerated"


def test_guarantee_is_given_at_its_edge() -> None:
    assert paired_proportions(40, 40, 100, guarantee=True).method == "tango_bonett_price"
    assert paired_proportions(1, 1, 10, guarantee=True).method == "tango_bonett_price"


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ((40, 55, 0), "no item was scored"),
        ((40, 55, 90), "95 items, more than n=90"),
        ((0.4, 55, 500), "baseline_only=0.4 is no count"),
        ((40, -1, 500), "candidate_only=-1 is negative"),
        ((40, math.nan, 500), "no count"),
    ],
)
def test_counts_that_cannot_be_are_refused(counts: tuple[Any, Any, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        paired_proportions(*counts)


def test_newcombe_asks_for_the_whole_table() -> None:
    with pytest.raises(MethodError, match="both_right="):
        paired_proportions(40, 55, 500, method="newcombe")
    with pytest.raises(InputError, match="both_right=406"):
        paired_proportions(40, 55, 500, method="newcombe", both_right=406)


@pytest.mark.parametrize(("b", "c", "n"), [(0, 0, 50), (50, 0, 50), (0, 50, 50)])
def test_wald_is_refused_where_its_width_is_zero(b: int, c: int, n: int) -> None:
    with pytest.raises(MethodError, match="width is 0"):
        paired_proportions(c, b, n, method="wald")


def test_caveats_follow_the_method_and_the_counts() -> None:
    def codes(b: int, c: int, n: int = 500, **options: Any) -> list[str]:
        result = paired_proportions(c, b, n, **options)
        return [caveat["code"] for caveat in result.extra["caveats"]]

    assert codes(6, 4) == []
    assert codes(5, 4) == ["few_discordant"]
    assert codes(5, 4, guarantee=True) == []
    assert codes(10, 10, method="wald") == []
    assert codes(10, 9, method="wald") == ["named_method_weak"]
    assert codes(10, 0, 10, method="bonett_price", level=0.5) == ["limit_at_point"]
    assert codes(8, 0, 8, method="agresti_min") == ["few_discordant", "limit_clipped"]


def test_counts_in_extra_are_named_by_run() -> None:
    extra = paired_proportions(np.int64(40), np.int64(55), np.int64(500)).extra
    wanted = {"baseline_only": 40, "candidate_only": 55, "n_discordant_units": 95, "discordant_rate": 0.19}
    assert {key: extra[key] for key in wanted} == wanted
    assert all(type(extra[key]) in (int, float) for key in wanted)


def test_agresti_min_is_wald_after_half_an_item_in_each_cell() -> None:
    b, c, n, z = 12.5, 5.5, 102.0, z_of(0.95)
    centre, half = (b - c) / n, z * math.sqrt(b + c - (b - c) ** 2 / n) / n
    result = paired_proportions(5, 12, 100, method="agresti_min")
    assert (result.ci_low, result.ci_high) == pytest.approx((centre - half, centre + half), abs=1e-12)


def test_statistics_of_many_tables_equal_the_single_ones() -> None:
    b, c = np.arange(6), np.arange(6)[::-1]
    many: NDArray[np.float64] = tango_statistics(c, b, 20, -0.05)
    single = [tango_statistic(int(x), int(y), 20, -0.05) for x, y in zip(c, b, strict=True)]
    assert list(many) == single


def test_one_discordant_item_is_no_plural() -> None:
    assert paired_proportions(0, 1, 30).extra["caveats"][0]["text"].startswith("1 discordant item:")
