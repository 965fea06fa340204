"""Betting: its definition on a dense grid, coverage by enumeration, laws, refusals, time."""

from __future__ import annotations

import itertools
import math
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from evalstats.errors import InputError, MethodError, NoGuaranteeError
from evalstats.methods.betting import Stakeable, betting_limits
from evalstats.methods.differences import difference_test, mean_difference
from evalstats.methods.means import mean
from evalstats.methods.paired import METHODS as PAIRED
from evalstats.methods.paired import UNDER_TEN, PairedCounts, paired_proportions
from evalstats.methods.pairs import paired_items, unpaired_items

Array = NDArray[np.float64]
levels = st.floats(0.5, 0.999)
scores = st.lists(st.sampled_from([0.0, 1.0, 0.5, 0.3]) | st.floats(0, 1), min_size=1, max_size=12)


def wealth(won: Array, mu: Array) -> Array:
    """E(μ) as it is written, one factor after another. won : (units, grid), a − wμ of each unit."""
    total = np.zeros_like(mu)
    for i in range(14):
        f = 0.02 * (0.98 / 0.02) ** (i / 13)
        up, down = np.ones_like(mu), np.ones_like(mu)
        for unit in won:
            up = up * (1 + f / mu * unit)
            down = down * (1 - f / (1 - mu) * unit)
        total += (up + down) / 28
    return total


def brackets(limits: tuple[float, float], won: Any, level: float) -> None:
    """The limits part what the definition keeps from what it does not. won : (μ grid) -> (units, grid)."""
    low, high = limits
    outside = np.concatenate(
        [low * np.linspace(0.01, 1 - 1e-7, 50), 1 - (1 - high) * np.linspace(0.01, 1 - 1e-7, 50)]
    )
    inside = np.linspace(low + (high - low) * 1e-7, high - (high - low) * 1e-7, 101)
    outside = outside[(outside > 0) & (outside < 1)]
    assert (wealth(won(outside), outside) >= 1 / (1 - level)).all()
    assert (wealth(won(inside), inside) < 1 / (1 - level)).all()


@given(x=scores, level=levels)
def test_items_are_bet_on_as_the_formula_says(x: list[float], level: float) -> None:
    found = mean([*x, 0.5], bounds=(0, 1), method="betting_mixture", level=level)
    brackets((found.ci_low, found.ci_high), lambda mu: np.array([*x, 0.5])[:, None] - mu[None, :], level)


@given(
    x=st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0.0, 1.0, 0.4])), min_size=2, max_size=14),
    spare=st.integers(0, 9),
    level=levels,
)
def test_clusters_are_bet_on_by_their_declared_size(
    x: list[tuple[int, float]], spare: int, level: float
) -> None:
    x = [*x, (0, 0.4), (4, 0.4)]
    groups = [[v for g, v in x if g == label] for label in sorted({g for g, _ in x})]
    largest = max(len(group) for group in groups) + spare
    found = mean(
        [v for _, v in x],
        [g for g, _ in x],
        level=level,
        method="betting_mixture",
        largest_cluster=largest,
    )
    assert found.extra["largest_cluster"] == largest

    def won(mu: Array) -> Array:
        return np.array([len(g) / largest * (sum(g) / len(g) - mu) for g in groups])

    brackets((found.ci_low, found.ci_high), won, level)


@given(
    d=st.lists(st.floats(-1, 1) | st.sampled_from([-1.0, 0.0, 1.0]), min_size=1, max_size=12), level=levels
)
def test_differences_are_bet_on_over_twice_the_range(d: list[float], level: float) -> None:
    baseline = [max(-v, 0.0) * 4 + 1 for v in d] + [3.0]
    candidate = [max(v, 0.0) * 4 + 1 for v in d] + [3.0]
    found = mean_difference(baseline, candidate, bounds=(1, 5), method="betting_mixture", level=level)
    moved = (np.array(candidate) - np.array(baseline) + 4) / 8
    limits = (found.ci_low + 4) / 8, (found.ci_high + 4) / 8
    brackets(limits, lambda mu: moved[:, None] - mu[None, :], level)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("n", [1, 2, 5, 10, 30])
def test_coverage_of_a_rate_by_enumeration(n: int, level: float) -> None:
    """Proved, so at least the level at every truth; the outcomes k = 0 … n are all there are."""
    limits = []
    for k in range(n + 1):
        low, from_one = betting_limits(_counted(n - k, k), level)
        limits.append((low, 1 - from_one))
    low, high = np.array(limits).T
    truths = np.linspace(0.001, 0.999, 999)[:, None]
    inside = (low - 1e-12 <= truths) & (truths <= high + 1e-12)
    assert (inside * stats.binom.pmf(np.arange(n + 1), n, truths)).sum(axis=1).min() >= level


def _counted(*how_often: float) -> Stakeable:
    above = np.linspace(0, 1, len(how_often))
    return Stakeable(above, above[::-1], np.array(how_often, dtype=np.float64))


@pytest.mark.parametrize("law", [(0.2, 0.5, 0.3), (0.02, 0.02, 0.96), (0.5, 0.0, 0.5), (0.9, 0.1, 0.0)])
def test_coverage_of_three_grades_by_enumeration(law: tuple[float, float, float]) -> None:
    n, truth = 14, law[1] / 2 + law[2]
    covered = 0.0
    for zeros, halves in itertools.product(range(n + 1), repeat=2):
        if zeros + halves <= n:
            low, from_one = betting_limits(_counted(zeros, halves, n - zeros - halves), 0.9)
            inside = low - 1e-12 <= truth <= 1 - from_one + 1e-12
            covered += inside * stats.multinomial.pmf([zeros, halves, n - zeros - halves], n, law)
    assert covered >= 0.9


@pytest.mark.parametrize("rho", [0.0, 1.0])
def test_coverage_of_clusters_by_enumeration(rho: float) -> None:
    """Clusters of one or three items with equal chance; within one, all items alike or all independent."""
    k, p, M, level = 6, 0.7, 3, 0.9
    kinds = [(size, right) for size in (1, 3) for right in range(size + 1)]
    chances = []
    for size, right in kinds:
        alike = p if right == size else 1 - p if right == 0 else 0.0
        chances.append(0.5 * (rho * alike + (1 - rho) * stats.binom.pmf(right, size, p)))
    covered = 0.0
    for drawn in itertools.combinations_with_replacement(range(len(kinds)), k):
        counts = np.bincount(drawn, minlength=len(kinds))
        above, below = (
            np.array([right / M for _, right in kinds]),
            np.array([(size - right) / M for size, right in kinds]),
        )
        low, from_one = betting_limits(Stakeable(above, below, counts.astype(np.float64)), level)
        covered += (low - 1e-12 <= p <= 1 - from_one + 1e-12) * stats.multinomial.pmf(counts, k, chances)
    assert covered >= level


@given(x=scores, level=levels, seed=st.integers(0, 99))
def test_order_does_not_matter_and_the_other_end_mirrors(x: list[float], level: float, seed: int) -> None:
    y = np.array(x)
    shuffled = np.random.default_rng(seed).permutation(y)
    one, two = (betting_limits(Stakeable.tally(v, 1 - v), level) for v in (y, shuffled))
    assert one == two
    assert betting_limits(Stakeable.tally(1 - y, y), level) == one[::-1]


@given(x=scores, level=levels, low=st.floats(-50, 50), width=st.floats(0.1, 900))
def test_another_scale_moves_the_limits_with_it(
    x: list[float], level: float, low: float, width: float
) -> None:
    x = [*x, 0.5]
    plain = mean(x, bounds=(0, 1), method="betting_mixture", level=level)
    moved = mean(
        [min(max(low + width * v, low), low + width) for v in x],
        bounds=(low, low + width),
        method="betting_mixture",
        level=level,
    )
    for here, there in ((plain.ci_low, moved.ci_low), (plain.ci_high, moved.ci_high)):
        assert there == pytest.approx(low + width * here, abs=1e-9 * (width + abs(low)))


@given(x=scores, two=st.tuples(levels, levels))
def test_a_higher_level_is_wider_and_both_hold_the_mean(x: list[float], two: tuple[float, float]) -> None:
    units = Stakeable.tally(np.array(x), 1 - np.array(x))
    (inner_low, inner_high), (low, high) = (betting_limits(units, level) for level in sorted(two))
    assert 0 <= low <= inner_low <= units.mean
    assert 0 <= high <= inner_high <= 1 - units.mean + 1e-15


def test_a_limit_is_at_the_end_only_where_nothing_is_beyond() -> None:
    assert betting_limits(_counted(25, 0), 0.95)[0] == 0.0
    assert betting_limits(_counted(0, 25), 0.95)[1] == 0.0
    assert betting_limits(_counted(24, 1), 0.95)[0] > 0.0
    assert betting_limits(_counted(10**6, 1), 0.95)[0] == 0.0  # e⁻²⁰⁰⁰⁰ is no double


@pytest.mark.parametrize("value", [0.3, 1e-9, 1 - 1e-9])
def test_equal_scores_have_a_proved_interval(value: float) -> None:
    found = mean([value] * 20, bounds=(0, 1), guarantee=True)
    assert found.ci_low < value < found.ci_high
    assert found.extra["guarantee"] == "proved"


def test_one_item_says_very_little() -> None:
    """E(μ) = 1 − F + F/(4μ(1−μ)) for x = ½, F the mean stake: a quadratic."""
    F = sum(0.02 * 49 ** (i / 13) for i in range(14)) / 14
    half_width = math.sqrt(0.25 - F / (4 * (19 + F)))
    found = mean([0.5], bounds=(0, 1), guarantee=True)
    assert (found.ci_low, found.ci_high) == pytest.approx((0.5 - half_width, 0.5 + half_width), rel=1e-12)


def test_a_million_and_ten_thousand_take_a_moment() -> None:
    x = np.random.default_rng(0).beta(2, 1, 10_000)
    start = time.process_time()
    betting_limits(Stakeable.tally(x, 1 - x), 0.95)
    assert time.process_time() - start < 0.5  # 0.02 on an idle machine
    start = time.process_time()
    betting_limits(_counted(280_000, 720_000), 0.95)
    assert time.process_time() - start < 0.1


CLUSTER = [0, 0, 1, 1, 2, 2, 3, 3]
RIGHT = [1, 0, 1, 1, 0, 1, 1, 0]
GRADES = [0.1, 0.7, 0.5, 0.9, 1.0, 0.3, 0.2, 0.8]
WITH_BETTING: dict[str, tuple[Any, dict[str, Any]]] = {
    "completions": (mean, {"scores": RIGHT, "item": CLUSTER}),
    "bounded scores": (mean, {"scores": GRADES}),
    "clusters": (mean, {"scores": RIGHT, "cluster": CLUSTER, "largest_cluster": 2}),
    "clustered scores": (mean, {"scores": GRADES, "cluster": CLUSTER, "largest_cluster": 5}),
    "rows": (
        mean,
        {"scores": RIGHT, "item": CLUSTER, "estimand": "row_mean", "largest_cluster": 2},
    ),
    "few pairs": (mean_difference, {"baseline": RIGHT, "candidate": RIGHT[::-1]}),
    "pairs in clusters": (
        mean_difference,
        {"baseline": RIGHT, "candidate": RIGHT[::-1], "cluster": CLUSTER, "largest_cluster": 2},
    ),
    "pairs with completions": (
        mean_difference,
        {"baseline": RIGHT, "candidate": RIGHT[::-1], "item": CLUSTER},
    ),
    "score pairs": (mean_difference, {"baseline": GRADES, "candidate": GRADES[::-1]}),
    "score pairs in clusters": (
        mean_difference,
        {"baseline": GRADES, "candidate": GRADES[::-1], "cluster": CLUSTER, "largest_cluster": 2},
    ),
}


@pytest.mark.parametrize("row", WITH_BETTING)
def test_guarantee_reaches_every_row_that_names_betting(row: str) -> None:
    function, asked = WITH_BETTING[row]
    proved, default = function(**asked, guarantee=True), function(**_without_size(asked))
    assert (proved.method, proved.extra["guarantee"]) == ("betting_mixture", "proved")
    assert "guarantee" not in default.extra
    assert proved.point == default.point
    assert proved.ci_low <= proved.point <= proved.ci_high
    assert proved.extra["why"] in ("coverage proved", "betting, coverage proved")
    named = function(**asked, method="betting_mixture")
    assert (named.ci_low, named.ci_high) == (proved.ci_low, proved.ci_high)
    with pytest.raises(MethodError, match="contradicts guarantee=True"):
        function(**_without_size(asked), guarantee=True, method=default.method)


def _without_size(asked: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in asked.items() if key != "largest_cluster"}


@pytest.mark.parametrize(
    "row", [row for row, (_, asked) in WITH_BETTING.items() if "largest_cluster" in asked]
)
def test_clusters_want_their_largest_size_declared(row: str) -> None:
    function, asked = WITH_BETTING[row]
    with pytest.raises(NoGuaranteeError, match=r"--largest-cluster M"):
        function(**_without_size(asked), guarantee=True)
    with pytest.raises(InputError, match="a cluster has 2 items, more than largest_cluster=1"):
        function(**{**asked, "largest_cluster": 1}, guarantee=True)
    with pytest.raises(MethodError, match="largest_cluster=9 has no use"):
        function(**{**asked, "largest_cluster": 9})
    with pytest.raises(InputError, match="largest_cluster=0"):
        function(**{**asked, "largest_cluster": 0}, guarantee=True)


def test_a_largest_cluster_without_clusters_is_an_error() -> None:
    with pytest.raises(MethodError, match="largest_cluster=4 has no use"):
        mean(GRADES, guarantee=True, largest_cluster=4)
    with pytest.raises(MethodError, match="largest_cluster=4 has no use"):
        mean_difference(RIGHT, RIGHT, guarantee=True, largest_cluster=4)


def test_scores_without_ends_have_no_guarantee() -> None:
    for asked in (
        {"baseline": [1, 5, 9], "candidate": [2, 4, 12]},
        {"baseline": [1, 5, 9], "candidate": [2, 4, 12], "cluster": [0, 1, 1], "largest_cluster": 3},
    ):
        with pytest.raises(NoGuaranteeError, match="can hide any value"):
            mean_difference(**asked, guarantee=True)
    with pytest.raises(NoGuaranteeError, match="no published interval"):
        mean_difference(GRADES, GRADES, paired=False, guarantee=True)


@given(b=st.integers(0, 9), c=st.integers(0, 9), spare=st.integers(0, 9), level=levels)
def test_pass_fail_pairs_from_counts_and_from_rows_are_one(b: int, c: int, spare: int, level: float) -> None:
    n = b + c + spare
    if n == 0:
        return
    counted = paired_proportions(c, b, n, method="betting_mixture", level=level)
    rows = mean_difference(
        [0.0] * b + [1.0] * c + [1.0] * spare,
        [1.0] * b + [0.0] * c + [1.0] * spare,
        method="betting_mixture",
        level=level,
    )
    assert (counted.ci_low, counted.ci_high) == (rows.ci_low, rows.ci_high)
    turned = paired_proportions(b, c, n, method="betting_mixture", level=level)
    assert (turned.ci_low, turned.ci_high) == (-counted.ci_high, -counted.ci_low)


def test_under_ten_pairs_the_guarantee_is_betting() -> None:
    few, many = paired_proportions(1, 2, 9, guarantee=True), paired_proportions(1, 2, 10, guarantee=True)
    assert (few.method, few.extra["guarantee"]) == ("betting_mixture", "proved")
    assert (many.method, many.extra["guarantee"]) == ("tango_bonett_price", "enumerated")
    assert [UNDER_TEN.choose(None, True).name, UNDER_TEN.default.name] == ["betting_mixture", "tango"]
    with pytest.raises(MethodError, match="'betting_mixture'"):
        paired_proportions(1, 2, 9, method="tango_bonett_price")
    with pytest.raises(MethodError, match="contradicts guarantee=True"):
        paired_proportions(1, 2, 10, method="betting_mixture", guarantee=True)


def test_where_nearly_all_items_changed_betting_widens_the_outer_limits() -> None:
    at_edge, beyond = PairedCounts(40, 40, 100), PairedCounts(41, 40, 100)
    for counts, joins in ((at_edge, False), (beyond, True)):
        outer = PAIRED["tango_bonett_price"].function(counts, 0.95)
        bet = PAIRED["betting_mixture"].function(counts, 0.95)
        assert (outer == bet) == joins
        assert bet[0] < PAIRED["tango"].function(counts, 0.95)[0]


@pytest.mark.parametrize(("n", "level"), [(10, 0.95), (13, 0.9), (13, 0.99)])
def test_the_guarantee_of_pairs_holds_at_any_disagreement(n: int, level: float) -> None:
    """With betting the enumeration no longer ends at ψ = .9."""
    tables = [(b, c) for b in range(n + 1) for c in range(n + 1 - b)]
    function = PAIRED["tango_bonett_price"].function
    low, high = np.array([function(PairedCounts(b, c, n), level) for b, c in tables]).T
    cells = np.array([(b, c, n - b - c) for b, c in tables])
    for psi, share in itertools.product((0.05, 0.2, 0.5, 0.8, 0.9, 0.95, 1.0), (0, 0.3, 0.6, 0.9, 0.97, 1)):
        D = psi * share
        mass = stats.multinomial.pmf(cells, n, [(psi + D) / 2, (psi - D) / 2, 1 - psi])
        assert mass @ ((low - 1e-12 <= D) & (high + 1e-12 >= D)) >= level - 0.005


def test_what_a_proof_makes_idle_is_not_said() -> None:
    """Caveats about coverage are silent beside a proof; what the data are is still said."""
    said = {one["code"] for one in mean(GRADES, CLUSTER).extra["caveats"]}
    proved = {
        one["code"] for one in mean(GRADES, CLUSTER, guarantee=True, largest_cluster=2).extra["caveats"]
    }
    assert {"few_clusters", "scale_assumed"} <= said
    assert proved == {"scale_assumed"}
    pairs = mean_difference(GRADES, GRADES[::-1], CLUSTER, guarantee=True, largest_cluster=2)
    assert {one["code"] for one in pairs.extra["caveats"]} == {"scale_assumed"}


@settings(max_examples=20)
@given(rows=st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=12))
def test_tests_under_guarantee_are_exact(rows: list[tuple[bool, bool]]) -> None:
    old, new = ([float(pair[i]) for pair in rows] for i in (0, 1))
    half = [i // 2 for i in range(len(rows))]
    assert difference_test(paired_items(old, new), guarantee=True).method == "mcnemar_exact"
    if len(rows) > 2:
        for asked in ({"cluster": half}, {"item": half}):
            test = difference_test(paired_items(old, new, **asked), guarantee=True)
            assert (test.method, test.extra["guarantee"], test.extra["law"]) == (
                "sign_flip",
                "proved",
                "exact",
            )
    scored = paired_items(old, [v / 2 for v in new], bounds=(0, 1))
    assert scored.pass_fail or difference_test(scored, guarantee=True).method == "sign_flip"
    test = difference_test(unpaired_items(old, new), guarantee=True)
    assert (test.method, test.extra["guarantee"]) == ("boschloo", "proved")
