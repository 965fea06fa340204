"""Forms that are asked for by name: computed a second time, another way."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from evalstats.errors import MethodError
from evalstats.methods.clusters import cr2_variance
from evalstats.methods.differences import mean_difference
from evalstats.methods.items import Request
from evalstats.methods.means import mean
from evalstats.methods.paired_intervals import paired_t_interval, pseudo_t
from evalstats.methods.pairs import PairedItems

levels = st.floats(0.5, 0.999)
graded = st.sampled_from([0.0, 1.0]) | st.floats(0, 1)


@st.composite
def in_clusters(draw: st.DrawFn) -> tuple[list[float], list[int]]:
    labels = [0, 1, *draw(st.lists(st.integers(0, 5), max_size=15))]
    return draw(st.lists(graded, min_size=len(labels), max_size=len(labels))), labels


def shrunk_on_the_logit(
    p: float, k_star: float, v: float, df: float, a: int, level: float
) -> tuple[float, float]:
    """Korn & Graubard's shrunk variance and a t interval on the logit, step by step."""
    pooled_rate = (k_star * p + 1) / (k_star + 2)
    pooled_variance = pooled_rate * (1 - pooled_rate) / k_star
    variance = k_star / (k_star + a) * v + a / (k_star + a) * pooled_variance
    clipped = float(np.clip(p, 0.25 / k_star, 1 - 0.25 / k_star))
    standard_error_of_logit = math.sqrt(variance) / (clipped * (1 - clipped))
    ends = stats.t.interval(level, df, loc=special.logit(clipped), scale=standard_error_of_logit)
    low, high = (1 / (1 + math.exp(-end)) if end > -700 else 0.0 for end in ends)
    return (0.0 if p == 0 else min(low, p)), (1.0 if p == 1 else max(high, p))


@given(y=st.lists(graded, min_size=2, max_size=20), level=levels)
def test_logit_t_shrunk_of_items(y: list[float], level: float) -> None:
    y = [*y, 0.5]
    n = len(y)
    found = mean(y, bounds=(0, 1), method="logit_t_shrunk", level=level)
    v = 0.0 if np.ptp(y) == 0 else stats.sem(y) ** 2
    expected = shrunk_on_the_logit(math.fsum(y) / n, n, v, n - 1, 4, level)
    assert (found.ci_low, found.ci_high) == pytest.approx(expected, abs=1e-9)


@given(rows=in_clusters(), level=levels)
def test_logit_t_shrunk_of_clusters(rows: tuple[list[float], list[int]], level: float) -> None:
    y, labels = np.array(rows[0]), np.array(rows[1])
    n, p = len(y), math.fsum(rows[0]) / len(y)
    groups = [y[labels == g] for g in np.unique(labels)]
    w = np.array([len(g) / n for g in groups])
    sums = np.array([(g - p).sum() for g in groups])
    v = float(np.sum(sums**2 / (1 - w))) / n**2 if np.ptp(y) > 0 else 0.0
    q = w**2 / (1 - w)
    df = 1 / (np.sum(w**2) + np.sum(q) ** 2 - np.sum(q**2))
    found = mean(rows[0], rows[1], bounds=(0, 1), method="logit_t_shrunk", level=level)
    expected = shrunk_on_the_logit(p, 1 / np.sum(w**2), v, df, 2, level)
    assert (found.ci_low, found.ci_high) == pytest.approx(expected, abs=1e-8)


def test_logit_t_shrunk_has_an_interval_where_nothing_varies() -> None:
    none, half = mean([0.0] * 12, [0, 1, 2] * 4, method="logit_t_shrunk"), mean([0.5] * 9)
    assert none.ci_low == 0.0 < none.ci_high < 1.0
    assert half.method == "wilson_effective"
    by_name = mean([0.5] * 9, method="logit_t_shrunk")
    assert by_name.ci_low < 0.5 < by_name.ci_high
    assert math.isnan(mean([0.5], method="logit_t_shrunk").ci_low)


@given(
    d=st.lists(st.floats(-1, 1) | st.sampled_from([-1.0, 0.0, 1.0]), min_size=1, max_size=15),
    R=st.sampled_from([1.0, 4.0]),
    level=levels,
)
def test_t_pseudo_is_t_with_two_rows_more(d: list[float], R: float, level: float) -> None:
    zeros, moved = np.zeros(len(d)), np.array(d) * R
    pair = PairedItems(zeros, moved, bounds=(0.0, R))
    more = PairedItems(np.zeros(len(d) + 2), np.append(moved, [R, -R]), bounds=(0.0, R))
    found, expected = pseudo_t(pair, Request(level=level)), paired_t_interval(more, Request(level=level))
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9 * R)
    assert found.extra["df"] == pytest.approx(len(d) + 1)


@given(
    groups=st.lists(st.lists(st.floats(-1, 1), min_size=1, max_size=5), min_size=2, max_size=8), level=levels
)
def test_cr2_t_pseudo_is_cr2_t_with_two_clusters_more(groups: list[list[float]], level: float) -> None:
    k, n = len(groups), sum(len(g) for g in groups)
    times = k // math.gcd(n, k)  # every row so often that the mean size is whole
    size = n * times // k
    rows = [(v, g) for g, group in enumerate(groups) for v in group for _ in range(times)]
    more = rows + [(1.0, k)] * size + [(-1.0, k + 1)] * size
    pair = _differences(rows)
    found = pseudo_t(pair, Request(level=level))
    wider = _differences(more).units
    half = stats.t.ppf(0.5 + level / 2, found.extra["df"]) * math.sqrt(cr2_variance(wider))
    assert (found.low, found.high) == pytest.approx((wider.point - half, wider.point + half), abs=1e-8)


def _differences(rows: list[tuple[float, int]]) -> PairedItems:
    d = np.array([v for v, _ in rows])
    return PairedItems(np.zeros(len(d)), d, bounds=(0.0, 1.0), cluster=np.array([g for _, g in rows]))


def test_pseudo_forms_keep_the_printed_point_and_are_wider() -> None:
    old, new, cluster = [0.0] * 12, [0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0.5], np.arange(12) // 2
    for labels, plain, wide in ((None, "paired_t", "t_pseudo"), (cluster, "cr2_t", "cr2_t_pseudo")):
        one = mean_difference(old, new, labels, bounds=(0, 1), method=plain)
        two = mean_difference(old, new, labels, bounds=(0, 1), method=wide)
        assert one.point == two.point
        assert two.ci_high - two.ci_low > one.ci_high - one.ci_low


def test_pseudo_forms_have_an_interval_where_nothing_differs_and_need_ends() -> None:
    same = mean_difference([1, 0, 1, 1], [1, 0, 1, 1], [0, 0, 1, 1], method="cr2_t_pseudo")
    assert same.ci_low == -same.ci_high < 0
    with pytest.raises(MethodError, match="give bounds"):
        mean_difference([1, 5, 9], [2, 5, 8], method="t_pseudo")
