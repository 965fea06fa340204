"""One pass rate: other programs' numbers, laws for all counts, and what is refused."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from evalstats.errors import InputError, MethodError
from evalstats.methods.rates import METHODS, clopper_pearson_limits, proportion, wilson_limits
from evalstats.numeric import z_of
from evalstats.results import EXTRA
from tests.reference import FOLDER, cases

NAMES = [method.name for method in METHODS]
REFERENCE = {f"proportion_ci.{name}": name for name in NAMES} | {"proportion_ci.midp": "mid_p"}
levels = st.floats(0.5, 0.999)


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    n = draw(st.integers(1, 3000))
    return draw(st.integers(0, n)), n


def estimate(name: str, k: int, n: int, level: float = 0.95) -> Any:
    """The result, or None where the method refuses these counts."""
    try:
        return proportion(k, n, level=level, method=name)
    except MethodError:
        return None


@pytest.mark.parametrize("case", cases("proportion", *REFERENCE))
def test_limits_equal_those_of_r_and_statsmodels(case: dict[str, Any]) -> None:
    k, n, level = (case["input"][key] for key in ("k", "n", "level"))
    method = METHODS[REFERENCE[case["call"]]]
    expected, tolerance = case["expected"], case["tolerance"]
    result = estimate(method.name, k, n, level)
    low, high = method.function(k, n, level) if result is None else (result.ci_low, result.ci_high)
    assert low == pytest.approx(expected["low"], abs=tolerance)
    assert high == pytest.approx(expected["high"], abs=tolerance)
    if result is not None and "se" in expected:
        assert result.standard_error == pytest.approx(expected["se"], abs=tolerance)


@pytest.mark.parametrize("case", cases("proportion", "rule_of_three"))
def test_one_sided_bounds_stand_beside_zero_failures(case: dict[str, Any]) -> None:
    n, expected, tolerance = case["input"]["n"], case["expected"], case["tolerance"]
    extra = proportion(0, n, level=case["input"]["level"]).extra
    assert extra["rule_of_three"] == pytest.approx(expected["approx"], abs=tolerance)
    assert extra["one_sided_upper"] == pytest.approx(expected["exact_one_sided"], abs=tolerance)
    guaranteed = proportion(0, n, guarantee=True)
    assert guaranteed.ci_high == pytest.approx(expected["clopper_pearson_two_sided"], abs=tolerance)


def test_every_call_of_the_reference_file_is_mapped() -> None:
    calls = {case["call"] for case in json.loads((FOLDER / "proportion.json").read_text(encoding="utf-8"))}
    assert calls == set(REFERENCE) - {"proportion_ci.mid_p", "proportion_ci.blaker"} | {"rule_of_three"}


@pytest.mark.parametrize("name", NAMES)
@given(count=counts(), level=levels)
def test_point_lies_between_the_limits(name: str, count: tuple[int, int], level: float) -> None:
    result = estimate(name, *count, level)
    if result is None:
        assert name == "wald"
        assert count[0] in (0, count[1])
        return
    assert result.ci_low <= result.point <= result.ci_high
    assert name == "wald" or (result.ci_low >= 0 and result.ci_high <= 1)
    assert set(result.extra) <= set(EXTRA)


@pytest.mark.parametrize("name", NAMES)
@given(n=st.integers(1, 3000), level=levels)
def test_limits_are_at_the_end_when_nothing_or_everything_is_right(name: str, n: int, level: float) -> None:
    nothing, everything = estimate(name, 0, n, level), estimate(name, n, n, level)
    if name == "wald":
        assert nothing is None
        assert everything is None
        return
    assert nothing.ci_low == 0.0 < nothing.ci_high
    assert everything.ci_high == 1.0 > everything.ci_low


@pytest.mark.parametrize("name", NAMES)
@given(count=counts(), level=levels)
def test_counting_failures_mirrors_the_interval(name: str, count: tuple[int, int], level: float) -> None:
    k, n = count
    result, mirrored = estimate(name, k, n, level), estimate(name, n - k, n, level)
    if result is not None:
        assert result.ci_low == pytest.approx(1 - mirrored.ci_high, abs=1e-12)
        assert result.ci_high == pytest.approx(1 - mirrored.ci_low, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
@given(count=counts(), two_levels=st.tuples(levels, levels))
def test_a_higher_level_is_no_narrower(
    name: str, count: tuple[int, int], two_levels: tuple[float, float]
) -> None:
    narrow, wide = (estimate(name, *count, level) for level in sorted(two_levels))
    if narrow is not None:
        assert wide.ci_low <= narrow.ci_low + 1e-12
        assert narrow.ci_high <= wide.ci_high + 1e-12


@given(count=counts(), level=st.floats(0.5, 0.999))
def test_wilson_is_where_the_score_statistic_equals_z(count: tuple[int, int], level: float) -> None:
    k, n = count
    p, z = k / n, z_of(level)
    low, high = wilson_limits(p, n, z)
    for limit in (low, high):
        if 0 < limit < 1:
            assert abs(p - limit) == pytest.approx(
                z * math.sqrt(limit * (1 - limit) / n), rel=1e-9, abs=1e-12
            )


@given(p=st.floats(0, 1), n=st.floats(0.5, 1e7), z=st.floats(0.6, 5))
def test_wilson_limits_of_an_effective_sample_hold_the_point(p: float, n: float, z: float) -> None:
    low, high = wilson_limits(p, n, z)
    assert 0 <= low <= p <= high <= 1


@given(count=counts(), level=levels)
def test_clopper_pearson_equals_scipy_stats(count: tuple[int, int], level: float) -> None:
    k, n = count
    expected = stats.binomtest(k, n).proportion_ci(level, method="exact")
    assert clopper_pearson_limits(k, n, level) == pytest.approx((expected.low, expected.high), abs=1e-9)


@given(count=counts(), level=levels)
def test_mid_p_solves_its_definition(count: tuple[int, int], level: float) -> None:
    k, n = count
    high = METHODS["mid_p"].function(k, n, level)[1]
    if k < n:
        tail = stats.binom.cdf(k - 1, n, high) + stats.binom.pmf(k, n, high) / 2
        assert tail == pytest.approx((1 - level) / 2, abs=1e-9)


@pytest.mark.parametrize(("n", "least"), [(5, 0.95), (30, 0.95), (200, 0.95)])
def test_guaranteed_coverage_never_falls_below_the_level(n: int, least: float) -> None:
    limits = np.array([clopper_pearson_limits(k, n, 0.95) for k in range(n + 1)])
    truths = np.linspace(0.001, 0.999, 999)[:, None]
    inside = (limits[:, 0] <= truths) & (truths <= limits[:, 1])
    assert (inside * stats.binom.pmf(np.arange(n + 1), n, truths)).sum(axis=1).min() >= least


def test_counts_of_any_integer_type_give_the_same_result() -> None:
    plain = proportion(1, 2)
    assert proportion(True, np.int64(2)) == plain
    assert proportion(np.bool_(True), np.float64(2.0)) == plain
    assert all(type(value) in (int, float) for value in (plain.point, plain.ci_low, plain.ci_high, plain.n))


@pytest.mark.parametrize(
    ("k", "n", "said"),
    [
        (0.72, 500, "k=0.72 is no count"),
        (501, 500, "k=501 is more than n=500"),
        (-1, 500, "negative"),
        (math.nan, 500, "no count"),
        ("360", 500, "no count"),
        (3, math.inf, "no count"),
        ([3], 5, "no count"),
    ],
)
def test_what_is_no_count_is_refused(k: Any, n: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        proportion(k, n)


@pytest.mark.parametrize("level", [0.49, 1, 95, True, "0.95", math.nan])
def test_what_is_no_level_is_refused(level: Any) -> None:
    with pytest.raises(InputError, match="confidence level"):
        proportion(1, 2, level=level)


def test_a_level_in_per_cent_is_asked_back() -> None:
    with pytest.raises(InputError, match=r"level=0\.95"):
        proportion(1, 2, level=95)


def test_unknown_method_names_the_near_one_and_the_guarantee_contradicts_others() -> None:
    with pytest.raises(MethodError, match="Did you mean 'wilson'"):
        proportion(1, 2, method="wislon")
    with pytest.raises(MethodError, match=r"^3 is no method for one pass rate\. There are: wilson,"):
        proportion(3, 10, method=3)  # type: ignore[arg-type]
    with pytest.raises(MethodError, match="contradicts guarantee"):
        proportion(1, 2, method="wilson", guarantee=True)


@pytest.mark.parametrize("k", [0, 30])
def test_wald_is_refused_where_its_width_is_zero(k: int) -> None:
    with pytest.raises(MethodError, match="width is 0"):
        proportion(k, 30, method="wald")


def test_caveats_follow_the_method_and_the_counts() -> None:
    def codes(k: int, n: int, **options: Any) -> list[str]:
        return [caveat["code"] for caveat in proportion(k, n, **options).extra["caveats"]]

    assert codes(10, 100) == []
    assert codes(9, 100) == ["few_informative"]
    assert codes(91, 100) == ["few_informative"]
    assert codes(9, 100, method="wald") == ["named_method_weak"]
    assert codes(9, 100, guarantee=True) == []
    assert codes(1, 30, method="agresti_coull") == ["few_informative", "limit_clipped"]


def test_guarantee_names_its_proof() -> None:
    assert proportion(3, 20, guarantee=True).extra["guarantee"] == "proved"
    assert "guarantee" not in proportion(3, 20).extra


def test_one_sided_lower_bound_mirrors_the_upper_one() -> None:
    upper = proportion(0, 40, level=0.9).extra["one_sided_upper"]
    assert proportion(40, 40, level=0.9).extra["one_sided_lower"] == pytest.approx(1 - upper, abs=1e-15)
    assert "rule_of_three" not in proportion(0, 40, level=0.9).extra  # 3/n is a 95 % bound


def test_wilson_by_root_finding_at_the_chapter_s_example() -> None:
    z = z_of(0.95)
    low = optimize.brentq(lambda q: (0.72 - q) - z * math.sqrt(q * (1 - q) / 500), 0.5, 0.72, xtol=1e-14)
    assert proportion(360, 500).ci_low == pytest.approx(low, abs=1e-12)


def test_wald_s_overshoot_is_shown() -> None:
    assert proportion(1, 30, method="wald").ci_low == pytest.approx(-0.030901, abs=1e-6)


@pytest.mark.parametrize(("k", "said"), [(1, "1 success:"), (2, "2 successes:"), (29, "1 failure:")])
def test_one_is_no_plural(k: int, said: str) -> None:
    assert proportion(k, 30).extra["caveats"][0]["text"].startswith(said)
