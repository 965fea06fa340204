"""Which engine runs where, and that those which approximate are as near as they say."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalstats.kernel.engines import laws_of
from evalstats.kernel.enumerated import enumerated_law
from evalstats.kernel.exact import Law
from evalstats.kernel.lattice import fine_law, resolves
from evalstats.kernel.law import Drawn, draw, enough_resamples
from evalstats.kernel.limits import NoInterval
from evalstats.kernel.ratio import RatioSaddlepoint, RatioSum
from evalstats.kernel.ratio_lattice import FineRatio, ratio_lattice_law
from evalstats.kernel.resampled import Bootstrap, bootstrap_interval
from evalstats.kernel.saddlepoint import LinearSaddlepoint, NotConverged, tabulated
from evalstats.kernel.series import PowerSums
from evalstats.kernel.sums import LinearSum
from evalstats.kernel.units import Tally, Units
from evalstats.kernel.weighted import MEAN, weighted_means
from evalstats.methods.differences import mean_difference
from evalstats.methods.means import mean
from evalstats.numeric import normal_cdf

Array = np.ndarray
QUANTILES = (0.0005, 0.005, 0.025, 0.1, 0.4)
generator = np.random.default_rng(3)
NORMAL = generator.normal(size=400)
SHAPES: dict[str, Array] = {
    "normal": NORMAL,
    "uniform": generator.random(150),
    "exponential": generator.exponential(size=200),
    "beta": generator.beta(5, 1, size=80),
    "t": generator.standard_t(5, size=300),
}
DECLINED: dict[str, Array] = {
    "pareto": generator.pareto(1.2, size=300),
    "one outlier": np.append(NORMAL[:99], 40.0),
    "tied at 0": np.append(np.zeros(90), generator.random(12)),
    "few continuous": generator.normal(size=14),
    "irregular levels": generator.choice([0.0, 0.31, 0.45, math.sqrt(0.5), 1.0], size=60),
}


def tally(values: Array) -> Tally:
    return Units.of_items(np.asarray(values, dtype=float)).tally()


def clusters(k: int, sizes: Callable[[np.random.Generator], Array], score: str, seed: int = 0) -> Tally:
    random = np.random.default_rng(seed)
    m = sizes(random)
    if score == "pass/fail":
        return Units.of_sums(random.binomial(m, random.beta(4, 2, size=k)), m).tally()
    return Units.of_sums(random.normal(random.normal(size=k) * m, np.sqrt(m)), m).tally()


def gaps(law: Law, oracle: Law, scale: float) -> list[float]:
    """How far the quantiles of two laws are apart, in standard deviations."""
    return [
        abs(end(law)(q) - end(oracle)(q)) / scale
        for q in QUANTILES
        for end in (lambda one: one.low, lambda one: one.high)
    ]


def near(law: Law, values: Array) -> None:
    """A law and resamples of it agree within four Monte Carlo errors."""
    drawn = Drawn(np.sort(values), len(values))
    for q in (0.005, 0.025, 0.2):
        for end in (law.low(q), law.high(q)):
            below = law.below(end)
            error = math.sqrt(below * (1 - below) / len(values))
            assert abs(drawn.below(end) - below) < 4 * error
    assert law.mean == pytest.approx(drawn.mean, abs=4 * drawn.sd / math.sqrt(len(values)))
    assert law.sd == pytest.approx(drawn.sd, rel=0.02)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_saddlepoint_is_a_fiftieth_of_monte_carlo_noise_from_the_law(shape: str) -> None:
    total = LinearSum.of_means([tally(SHAPES[shape])], [1.0])
    law = LinearSaddlepoint(total)
    oracle = fine_law(total, 1 << 20)
    assert max(gaps(law, oracle, total.sd)[4:]) < 5.4e-4  # 2.7 sd/√B at B = 10,000, over 50
    assert max(gaps(law, oracle, total.sd)) < 5e-3
    assert law.below(total.mean) == pytest.approx(oracle.below(total.mean), abs=2e-4)
    for z in (-2.0, -0.06, -0.05, -0.01, 0.0, 0.02, 0.05, 1.5):
        end = law.low(normal_cdf(z))
        assert law.below(end) == pytest.approx(normal_cdf(z), abs=1e-9)


@pytest.mark.parametrize("n", [5_000, 40_000])
@pytest.mark.parametrize("outlier", [3, 30, 60])
def test_a_fine_lattice_is_used_where_it_is_fine_enough(n: int, outlier: float) -> None:
    """One unit far from many normal ones: the oracle's points are eight times as near."""
    random = np.random.default_rng(n)
    total = LinearSum.of_means([tally(np.append(random.normal(size=n), outlier * math.sqrt(n)))], [1.0])
    law, oracle = fine_law(total), fine_law(total, 1 << 21)
    gaps = [abs(law.low(q) - oracle.low(q)) for q in (0.005, 0.025, 0.2, 0.5, 0.8, 0.975)]
    assert resolves(total)
    assert max(gaps) < 1e-3 * total.sd


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("shape", [*SHAPES, *DECLINED])
def test_a_power_series_is_the_sum_over_every_unit(shape: str, k: int) -> None:
    """Where it says that its terms suffice."""
    values = (SHAPES | DECLINED)[shape]
    total = LinearSum.of_means([tally(values * (1 + j)) for j in range(k)], [1 / k] * k)
    series = PowerSums.of(total)
    y, counts, starts, _ = next(iter(total.parts()))
    for tau in np.array([-1.0, -0.4, 0.01, 0.7, 1.0]) * series.reach / series.R * (1 - 1e-12):
        assert series.holds(tau)
        n, tilted = total.n, np.exp(tau * y) * counts
        M = n + np.add.reduceat(np.expm1(tau * y) * counts, starts)
        M1, M2 = np.add.reduceat(y * tilted, starts), np.add.reduceat(y * y * tilted, starts)
        K, K1, K2 = n * np.log(M / n), n * M1 / M, n * (M2 / M - (M1 / M) ** 2)
        size = total.sd**2 * np.array([tau**2, tau, 1.0])
        expected = np.array([K.sum(), K1.sum(), K2.sum()])
        assert np.allclose(np.array(series.cumulants(tau)) / size, expected / size, rtol=0, atol=1e-9)
    assert not series.holds(1.01 * series.reach / series.R)


@pytest.mark.parametrize("shape", DECLINED)
def test_a_saddlepoint_that_would_be_off_is_not_asked(shape: str) -> None:
    values = DECLINED[shape]
    [law] = list(laws_of([tally(values)], (1.0,)))
    assert law.name == "fine lattice"
    near(law, draw([tally(values)], MEAN, 40_000, 1))


def test_the_fine_lattice_is_within_its_step_of_the_law() -> None:
    """Ten values without a common step, whose 92,378 resamples are all known."""
    for seed in range(3):
        data = tally(np.random.default_rng(seed).normal(size=10))
        law, total = enumerated_law(data, MEAN), LinearSum.of_means([data], [1.0])
        fine = fine_law(total)
        assert max(gaps(fine, law, total.sd)) < 2e-3  # the law itself has steps of this size
        assert fine.sd == pytest.approx(law.sd, rel=1e-6)
        assert fine.mean == pytest.approx(law.mean, abs=1e-9)


RATIOS = {
    "4–6 items": clusters(40, lambda g: g.integers(4, 7, 40), "pass/fail"),
    "1–9 items": clusters(60, lambda g: g.integers(1, 10, 60), "pass/fail"),
    "lognormal sizes": clusters(
        200, lambda g: np.maximum(1, np.rint(np.exp(1 + 0.7 * g.normal(size=200)))).astype(int), "pass/fail"
    ),
}


@pytest.mark.parametrize("sizes", RATIOS)
def test_a_ratio_is_met_by_every_engine(sizes: str) -> None:
    """Pass/fail in clusters: the joint law of sums and sizes is the oracle, resamples are its own."""
    ratio = RatioSum(RATIOS[sizes])
    exact = ratio_lattice_law(ratio, 1 << 22)
    assert exact is not None
    near(exact, draw([ratio.tally], MEAN, 40_000, 0))
    for law, near_moments in ((RatioSaddlepoint(ratio), 2e-3), (FineRatio(ratio), 1e-2)):
        off = [
            abs(end - truth) / exact.sd
            for q in (0.005, 0.025)
            for end, truth in ((law.low(q), exact.low(q)), (law.high(q), exact.high(q)))
        ]
        assert max(off) < 0.03  # an atom's width at 40 clusters
        assert law.mean == pytest.approx(exact.mean, abs=near_moments * exact.sd)
        assert law.sd == pytest.approx(exact.sd, rel=near_moments)
        assert law.below(ratio.point) == pytest.approx(exact.below(ratio.point), abs=5e-4)


def test_a_ratio_of_continuous_sums_has_the_law_of_its_resamples() -> None:
    data = clusters(50, lambda g: g.integers(2, 9, 50), "scores")
    for law in (RatioSaddlepoint(RatioSum(data)), FineRatio(RatioSum(data))):
        near(law, draw([data], MEAN, 40_000, 2))
    [chosen, spare] = list(laws_of([data], (1.0,)))
    assert (chosen.name, spare.name) == ("saddlepoint", "fine lattice")


def test_a_dominant_cluster_leaves_the_saddlepoint() -> None:
    data = Units.of_sums(np.append(NORMAL[:40], 300.0), np.append(np.arange(40) % 5 + 1.0, 60.0)).tally()
    [law] = list(laws_of([data], (1.0,)))
    assert law.name == "fine lattice"
    near(law, draw([data], MEAN, 40_000, 0))


CLUSTERED = RATIOS["4–6 items"], RATIOS["1–9 items"]
CONTINUOUS = tuple(clusters(k, lambda g, k=k: g.integers(3, 6, k), "scores", k) for k in (50, 70))
THIRDS = (1 / 3,) * 3
CHOICES: dict[str, tuple[tuple[Tally, ...], tuple[float, ...], str]] = {
    "pass/fail": ((tally([0, 1] * 40 + [1] * 20),), (1.0,), "exact binomial"),
    "two values": ((tally([0.2, 1.7] * 40),), (1.0,), "exact binomial"),
    "judge": ((tally(np.arange(200) % 10 + 1),), (1.0,), "exact lattice"),
    "paired pass/fail": ((tally(np.arange(300) % 3 - 1),), (1.0,), "exact lattice"),
    "thirds": ((tally(np.arange(90) % 4 / 3),), (1.0,), "exact lattice"),
    "tiny": ((tally(NORMAL[:8]),), (1.0,), "exact enumeration"),
    "continuous": ((tally(NORMAL),), (1.0,), "saddlepoint"),
    "equal clusters": ((Units.of_sums(np.arange(60) % 6, np.full(60, 5)).tally(),), (1.0,), "exact lattice"),
    "unequal clusters": (CLUSTERED[:1], (1.0,), "exact lattice"),
    "many lognormal clusters": ((RATIOS["lognormal sizes"],), (1.0,), "saddlepoint"),
    "two rates": ((tally([0, 1] * 50), tally([0, 1, 1] * 40)), (-1.0, 1.0), "exact lattice"),
    "two rates, odd sizes": (
        (tally(np.arange(10_007) % 2), tally(np.arange(10_009) % 3 > 0)), (-1.0, 1.0), "exact convolution",
    ),
    "two means": ((tally(NORMAL[:150]), tally(NORMAL[150:])), (-1.0, 1.0), "saddlepoint"),
    "two clustered rates": (CLUSTERED[:1] * 2, (-1.0, 1.0), "exact convolution"),
    "two clustered means": (CONTINUOUS, (-1.0, 1.0), "saddlepoint"),
    "composite": (tuple(tally(NORMAL[i : i + 80]) for i in (0, 80, 160)), (0.5, 0.3, 0.2), "saddlepoint"),
    "macro of pass rates": (tuple(tally(NORMAL[i::5] > 0) for i in range(3)), THIRDS, "exact lattice"),
    "macro of odd sizes": (tuple(tally(NORMAL[:n] > 0) for n in (83, 97, 89)), THIRDS, "fine lattice"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHOICES)
def test_each_situation_has_its_engine_and_the_law_of_its_resamples(name: str) -> None:
    tallies, weights, engine = CHOICES[name]
    law = next(iter(laws_of(tallies, weights)))
    assert law.name == engine
    assert law.n_boot is None
    near(law, draw(tallies, weighted_means(weights), 20_000, 4))


def test_no_engine_for_three_samples_of_unequal_clusters() -> None:
    tallies = (*CONTINUOUS, CONTINUOUS[0])
    assert list(laws_of(tallies, (1 / 3,) * 3)) == []
    found = bootstrap_interval("percentile", Bootstrap(tallies, 0.95, weights=(1 / 3,) * 3))
    assert (found.extra["law"], found.n_boot) == ("monte_carlo", enough_resamples(0.95))


def test_a_saddlepoint_that_fails_hands_over(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> float:
        raise NotConverged

    asked = Bootstrap((tally(NORMAL),), 0.95)
    usual = bootstrap_interval("percentile", asked)
    monkeypatch.setattr(LinearSaddlepoint, "low", fail)
    found = bootstrap_interval("percentile", asked)
    assert (usual.extra["law"], found.extra["law"]) == ("saddlepoint", "fine lattice")
    assert found.low == pytest.approx(usual.low, abs=1e-3 * usual.extra["boot_se"])


def test_a_law_in_a_table_is_that_law() -> None:
    law = LinearSaddlepoint(LinearSum.of_means([tally(SHAPES["exponential"])], [1.0]))
    assert max(gaps(tabulated(law), law, law.sd)[2:]) < 5e-3  # 2,048 steps over ten standard deviations


def test_enough_resamples_leave_a_hundredth_of_a_standard_deviation() -> None:
    assert enough_resamples(0.95) == 70 * 1024
    for level in (0.8, 0.95, 0.99):
        size = enough_resamples(level)
        ends = [
            np.quantile(np.random.default_rng(seed).normal(size=size), (1 - level) / 2) for seed in range(40)
        ]
        assert np.std(ends) == pytest.approx(0.01, rel=0.4)


@settings(max_examples=8)
@given(
    st.sampled_from(["pass/fail", "levels", "scores"]), st.sampled_from(["items", "clusters"]),
    st.booleans(), st.sampled_from(["percentile", "basic", "bca"]), st.integers(0, 10**6),
)  # fmt: skip
def test_swapped_runs_mirror_and_row_order_changes_nothing(
    scores: str, unit: str, paired: bool, kind: str, seed: int
) -> None:
    random = np.random.default_rng(seed)
    n = 36
    draws = {"pass/fail": lambda: random.random(n) < 0.6, "levels": lambda: random.integers(0, 4, n)}
    old, new = (draws.get(scores, lambda: random.normal(size=n))() for _ in range(2))
    labels = None if unit == "items" else np.minimum(random.integers(0, 15, n), 13)
    group = labels if paired or labels is None else (labels, labels)
    method = f"{'' if labels is None else 'cluster_'}bootstrap_{kind}"
    asked = {"cluster": group, "paired": paired, "method": method}
    one = mean_difference(old, new, **asked)
    two = mean_difference(new, old, **asked)
    assert one.extra["law"] == two.extra["law"]
    assert (one.point, one.ci_low, one.ci_high) == (-two.point, -two.ci_high, -two.ci_low)
    order = random.permutation(n)
    again = None if labels is None else labels[order]
    asked |= {"cluster": again if paired or again is None else (again, again)}
    shuffled = mean_difference(old[order], new[order], **asked)
    assert (shuffled.point, shuffled.ci_low, shuffled.ci_high) == (one.point, one.ci_low, one.ci_high)


def test_data_that_are_their_own_mirror_image_have_limits_that_are_too() -> None:
    d = np.concatenate([NORMAL[:60], -NORMAL[:60]])
    for kind in ("percentile", "basic", "bca"):
        found = mean_difference(np.zeros(120), d, method=f"bootstrap_{kind}")
        assert found.ci_low == -found.ci_high < 0


def test_a_cross_check_finds_resamples_where_they_belong_and_a_wrong_law_out() -> None:
    for seed in range(4):
        found = mean(NORMAL, method="bootstrap_percentile", cross_check=True, seed=seed)
        checked = found.extra["cross_check"]
        assert (checked["n_boot"], checked["seed"]) == (10_000, seed)
        assert max(abs(checked["low"]), abs(checked["high"])) < 4
        assert (found.n_boot, found.seed) == (None, None)
    asked = Bootstrap((tally(NORMAL),), 0.95, cross_check=True)
    wrong = LinearSaddlepoint(LinearSum.of_means([tally(1.05 * NORMAL)], [1.0]))
    off = bootstrap_interval("percentile", _Fixed(wrong, asked))
    assert max(abs(off.extra["cross_check"]["low"]), abs(off.extra["cross_check"]["high"])) > 4


class _Fixed(Bootstrap):
    """A bootstrap with a law that is not its own."""

    def __init__(self, law: Law, asked: Bootstrap) -> None:
        for name, value in vars(asked).items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "law", law)

    def laws(self):
        yield self.law  # type: ignore[attr-defined]


@pytest.mark.parametrize("shape", ["continuous", "heavy", "clusters"])
def test_a_million_units_take_little_memory(shape: str) -> None:
    random, n = np.random.default_rng(0), 1_000_000
    if shape == "clusters":
        data = Units.of_sums(random.normal(size=n), random.integers(1, 9, n).astype(float)).tally()
    else:
        data = tally(random.normal(size=n) if shape == "continuous" else random.pareto(1.2, size=n))
    tracemalloc.start()
    found = bootstrap_interval("percentile", Bootstrap((data,), 0.95))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.n_boot is None
    assert peak < 64e6


@pytest.mark.parametrize("asked", [{}, {"n_boot": 100}], ids=["exact", "drawn"])
@pytest.mark.parametrize("kind", ["percentile", "bca"])
def test_a_million_scores_take_little_memory_beside_themselves(kind: str, asked: dict[str, int]) -> None:
    scores = np.random.default_rng(0).random(1_000_000)
    mean(scores[:100], method=f"bootstrap_{kind}", **asked)
    tracemalloc.start()
    mean(scores, method=f"bootstrap_{kind}", **asked)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64e6


CARRIED = np.append(np.random.default_rng(8).integers(1, 4, 399), 1_000_000.0)


@pytest.mark.parametrize("sums", ["right or wrong", "scores"])
def test_a_cluster_that_carries_everything_is_left_to_resamples(sums: str) -> None:
    """A third of all resamples lack it: what the others say is finer than the lattice that holds it."""
    random = np.random.default_rng(9)
    share = random.random(400) if sums == "scores" else np.append(random.random(399) < 0.1, 1)
    units = Units.of_sums(CARRIED * share, CARRIED).tally()
    found = bootstrap_interval("percentile", Bootstrap((units,), 0.95))
    assert found.n_boot == enough_resamples(0.95)
    values = draw([units], MEAN, 20_000, 77)
    for end, below in ((found.low, 0.025), (found.high, 0.975)):
        assert np.mean(values < end) - 0.006 <= below <= np.mean(values <= end) + 0.006


def test_a_score_that_carries_the_mean_leaves_the_others_their_limit() -> None:
    scores = np.append(np.random.default_rng(4).random(399), 1e9)
    found = bootstrap_interval("percentile", Bootstrap((tally(scores),), 0.95))
    lacking = (1 - 1 / 400) ** 400  # of all resamples
    alone = bootstrap_interval("percentile", Bootstrap((tally(scores[:-1]),), 1 - 2 * 0.025 / lacking))
    assert abs(found.low - alone.low) < 0.03 * (alone.high - alone.low)


def test_a_run_that_is_always_right_has_a_difference_in_clusters() -> None:
    random = np.random.default_rng(2)
    sizes = random.integers(1, 6, 30).astype(float)
    right, other = (
        Units.of_sums(sizes, sizes).tally(),
        Units.of_sums(random.binomial(5, 0.6, 25), np.full(25, 5)),
    )
    found = bootstrap_interval("percentile", Bootstrap((right, other.tally()), 0.95))
    alone = bootstrap_interval("percentile", Bootstrap((other.tally(),), 0.95))
    assert [found.low, found.high] == pytest.approx([alone.low - 1, alone.high - 1], abs=1e-12)


@settings(max_examples=25)
@given(
    st.lists(st.integers(-9, 9), min_size=2, max_size=30), st.integers(-1040, -180),
    st.sampled_from(["percentile", "basic", "bca"]), st.booleans(),
)  # fmt: skip
def test_scores_whose_powers_vanish_have_the_limits_of_larger_ones(
    scores: list[int], exponent: int, kind: str, continuous: bool
) -> None:
    x = np.array(scores, dtype=float)
    x = x + np.random.default_rng(0).random(len(x)) if continuous else x
    x = np.ldexp(np.round(x * 1024), 0)  # whole, so that no digit is lost
    if np.ptp(x) == 0:
        return
    try:
        usual = bootstrap_interval(kind, Bootstrap((tally(x),), 0.95))
    except NoInterval:
        return
    tiny = bootstrap_interval(kind, Bootstrap((tally(np.ldexp(x, exponent)),), 0.95))
    room = math.ldexp(float(np.max(np.abs(x))) * 1e-9, exponent) + 1e-323
    assert abs(tiny.low - math.ldexp(usual.low, exponent)) <= room
    assert abs(tiny.high - math.ldexp(usual.high, exponent)) <= room
