"""Bootstrap intervals of one number, against the chapter's loop, scipy and others."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from scipy import stats

from bench import loops
from bench.checks import agree, limits
from bench.loops import N_BOOT, Array
from bench.measure import Elsewhere, alone, in_turns, peak
from bench.rows import SAME_METHOD, SAME_QUESTION, Row, at_most, faster, missing
from evalstats import mean, quantile, sign_flip_test
from evalstats.kernel.lattice import FINE_POINTS, fine_law
from evalstats.kernel.resampled import Bootstrap, bootstrap_interval
from evalstats.kernel.sums import LinearSum
from evalstats.kernel.units import Tally, Units

PERCENTILE, BCA = "bootstrap_percentile", "bootstrap_bca"
CLUSTERS = "cluster_bootstrap_percentile"
NOISE = math.sqrt(0.025 * 0.975 / N_BOOT) / 0.05845  # of a limit of 10,000 resamples, in standard deviations


def random(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def scipy_limits(scores: Array, statistic: Callable[..., object], **options: object) -> tuple[float, float]:
    """scipy's, in batches that fit its caches: its own default, everything at once, is slower here."""
    asked = {"n_resamples": N_BOOT, "batch": 100, "rng": 0, "method": "percentile", **options}
    found = stats.bootstrap((scores,), statistic, **asked).confidence_interval
    return float(found.low), float(found.high)


def binary(rounds: int) -> Iterator[Row]:
    scores = random(1).random(10_000) < 0.72
    floats = scores.astype(float)
    agree("pass rate", limits(mean(scores, method=PERCENTILE)), loops.mean_loop(floats), floats.std() / 100)
    ours = lambda: mean(scores, method=PERCENTILE)  # noqa: E731
    what = "interval of a pass rate, n = 10,000"
    times = in_turns(ours, lambda: loops.mean_loop(floats), rounds)
    yield faster("1", what, "the chapter's loop", SAME_QUESTION, times, 3000)
    times = in_turns(ours, lambda: scipy_limits(floats, np.mean), rounds)
    yield faster("1", what, "scipy.stats.bootstrap", SAME_QUESTION, times, 5000)
    drawn = in_turns(lambda: mean(scores, method=PERCENTILE, n_boot=N_BOOT), lambda: loops.mean_loop(floats), rounds)
    yield faster("", what + ", 10,000 resamples", "the chapter's loop", SAME_METHOD, drawn, 3)


def ten_million(rounds: int) -> Iterator[Row]:
    scores = random(2).random(10**7) < 0.72
    ours, theirs = in_turns(lambda: mean(scores, method=PERCENTILE), lambda: np.count_nonzero(scores), rounds)
    wanted = 1e3 * (3 * theirs + 0.2e-3)
    note = f"np.count_nonzero takes {1e3 * theirs:.2g} ms"
    yield at_most("2", "interval of a pass rate from 10⁷ booleans", 1e3 * ours, wanted, "ms", note)
    judged = random(3).integers(1, 11, 10**7).astype(np.uint8)
    milliseconds = 1e3 * alone(lambda: mean(judged, method=PERCENTILE), rounds)
    yield at_most("3", "interval of a mean of 10⁷ scores of 1 to 10 (bytes)", milliseconds, 60, "ms")


def judge(rounds: int) -> Iterator[Row]:
    scores = random(4).integers(1, 11, 10_000)
    floats = scores.astype(float)
    agree("judge", limits(mean(scores, method=PERCENTILE)), loops.mean_loop(floats), floats.std() / 100)
    times = in_turns(lambda: mean(scores, method=PERCENTILE), lambda: loops.mean_loop(floats), rounds)
    yield faster("3", "interval of a mean of scores of 1 to 10, n = 10,000", "the chapter's loop", SAME_QUESTION, times, 1000)


def continuous(rounds: int) -> Iterator[Row]:
    scores = random(5).gamma(4.0, size=1000)
    found, sd = mean(scores, method=PERCENTILE), scores.std() / math.sqrt(1000)
    agree("continuous", limits(found), loops.mean_loop(scores), sd)
    what = "interval of a mean of continuous scores, n = 1,000"
    times = in_turns(lambda: mean(scores, method=PERCENTILE), lambda: loops.mean_loop(scores), rounds)
    yield faster("4", what, "the chapter's loop", SAME_QUESTION, times, 300)
    yield _against_the_other(what, scores, times[0], sd, rounds)
    oracle = fine_law(LinearSum.of_means([Units.of_items(scores).tally()], [1.0]), 4 * FINE_POINTS)
    off = max(abs(found.ci_low - oracle.low(0.025)), abs(found.ci_high - oracle.high(0.025))) / sd
    share = f"of the {NOISE:.3f} sd that 10,000 resamples are off"
    yield at_most("4", "its distance from the law itself", off / NOISE, 1 / 50, share)


def _against_the_other(what: str, scores: Array, ours: float, sd: float, rounds: int) -> Row:
    other = Elsewhere.start()
    if other is None:
        return missing("4", what, 100, note="the other evalstats is not installed")
    try:
        runs = [other.ask("bootstrap", scores.tolist()) for _ in range(rounds + 1)]
    finally:
        other.stop()
    agree("the other evalstats", limits(mean(scores, method=PERCENTILE)), runs[0][1], sd)
    theirs = min(seconds for seconds, _ in runs[1:])
    return faster("4", what, "the other evalstats, 0.3.3", SAME_QUESTION, (ours, theirs), 100)


def index_draws(rounds: int) -> Iterator[Row]:
    for n, wanted in ((1000, 3.0), (10_000, 1.5)):
        scores = random(6).normal(size=n)
        ours = lambda scores=scores: mean(scores, method=PERCENTILE, n_boot=N_BOOT)
        theirs = lambda scores=scores: loops.mean_loop(scores)
        agree("index draws", limits(ours()), theirs(), scores.std() / math.sqrt(n), draws=2)
        what = f"10,000 resamples of continuous scores, n = {n:,}"
        yield faster("5", what, "the chapter's loop", SAME_METHOD, in_turns(ours, theirs, rounds), wanted)


def bca_and_median(rounds: int) -> Iterator[Row]:
    scores = random(7).gamma(4.0, size=5000)
    ours, theirs = limits(mean(scores, method=BCA)), scipy_limits(scores, np.mean, method="BCa")
    agree("BCa", ours, theirs, scores.std() / math.sqrt(5000))
    times = in_turns(lambda: mean(scores, method=BCA), lambda: scipy_limits(scores, np.mean, method="BCa"), rounds)
    yield faster("6", "BCa of a mean, n = 5,000", "scipy.stats.bootstrap", SAME_QUESTION, times, 1000)
    latency = random(8).lognormal(size=1001)
    found = quantile(latency, method=PERCENTILE)
    agree("median", limits(found), scipy_limits(latency, np.median), 1.5 * found.extra["boot_se"])
    times = in_turns(
        lambda: quantile(latency, method=PERCENTILE), lambda: scipy_limits(latency, np.median), rounds
    )
    yield faster("7", "bootstrap of a median, n = 1,001", "scipy.stats.bootstrap", SAME_QUESTION, times, 500)


def clustered(rounds: int) -> Iterator[Row]:
    for k, wanted in ((40, 200), (1000, 200)):
        sizes = random(9).integers(4, 7, k)
        groups = np.repeat(np.arange(k), sizes)
        scores = (random(10).random(len(groups)) < np.repeat(random(11).beta(4, 2, size=k), sizes)).astype(float)
        ours = lambda s=scores, g=groups: mean(s, g, method=CLUSTERS)
        drawn = lambda s=scores, g=groups: mean(s, g, method=CLUSTERS, n_boot=N_BOOT)
        theirs = lambda s=scores, g=groups: loops.cluster_loop(s, g)
        found = ours()
        agree("clusters", limits(found), theirs(), 1.5 * found.extra["boot_se"])
        agree("drawn clusters", limits(drawn()), theirs(), 1.5 * found.extra["boot_se"], draws=2)
        what = f"{k:,} clusters of 4 to 6 items"
        yield faster("8", what, "the chapter's loop", SAME_QUESTION, in_turns(ours, theirs, rounds), wanted)
        times = in_turns(drawn, theirs, rounds)
        yield faster("8", what + ", 10,000 resamples", "the chapter's loop", SAME_METHOD, times, 10)


def composite(rounds: int) -> Iterator[Row]:
    for what, draw in (
        ("continuous scores", lambda r: r.beta(4, 2, size=1000)),
        ("pass/fail", lambda r: (r.random(1000) < r.beta(4, 2)).astype(float)),
    ):
        parts = [draw(random(100 + j)) for j in range(40)]
        ours = lambda parts=parts: bootstrap_interval("percentile", _strata(parts))
        found = ours()
        agree("composite", (found.low, found.high), loops.composite_loop(parts, 2000), found.extra["boot_se"], 2000)
        times = in_turns(ours, lambda parts=parts: loops.composite_loop(parts, 1000), rounds)
        scaled = times[0], 10 * times[1]
        note = "loop of 1,000 resamples, times ten"
        name = f"macro average of 40 benchmarks of 1,000 items, {what}"
        yield faster("9", name, "the loop", SAME_QUESTION, scaled, 10_000, note)


def _strata(parts: list[Array]) -> Bootstrap:
    tallies = tuple(Units.of_items(part).tally() for part in parts)
    return Bootstrap(tallies, 0.95, weights=(1 / len(parts),) * len(parts))


def sign_flip(rounds: int) -> Iterator[Row]:
    d = random(12).choice([-1.0, 0.0, 1.0], size=2000, p=[0.08, 0.81, 0.11])

    def scipy_pvalue() -> float:
        found = stats.permutation_test(
            (d,), np.mean, permutation_type="samples", n_resamples=9999, batch=500, rng=0
        )
        return float(found.pvalue)

    exact, drawn = sign_flip_test(d).pvalue, scipy_pvalue()
    assert abs(exact - drawn) < 4 * math.sqrt(exact / 9999) + 2e-4
    times = in_turns(lambda: sign_flip_test(d), scipy_pvalue, rounds)
    what = "sign-flip test of 2,000 paired outcomes, all 2²⁰⁰⁰ signs"
    yield faster("15", what, "scipy.stats.permutation_test, 9,999", SAME_QUESTION, times, 1000)


def memory(rounds: int) -> Iterator[Row]:
    scores = random(13).normal(size=5000)
    whole = peak(lambda: stats.bootstrap((scores,), np.mean, n_resamples=5000, method="percentile", rng=0))
    drawn = peak(lambda: mean(scores, method=PERCENTILE, n_boot=5000))
    computed = peak(lambda: mean(scores, method=PERCENTILE))
    for what, kind, ours in (
        ("peak memory, n = 5,000, 5,000 resamples", SAME_METHOD, drawn),
        ("peak memory, n = 5,000, exact", SAME_QUESTION, computed),
    ):
        megabytes = f"{ours / 1e6:.2f} MB", f"{whole / 1e6:.0f} MB"
        yield Row("18", what, "scipy.stats.bootstrap, its default", kind, *megabytes, whole / ours, 150)


def growth(rounds: int) -> Iterator[Row]:
    """Exponents: the slope of log time on log n, of a discrete interval after counting."""
    sizes = [10**3, 10**4, 10**5, 10**6, 10**7]
    for what, shares in (("pass/fail", [0.28, 0.72]), ("scores of 1 to 10", [0.1] * 10)):
        tallies = [_tally(random(14).multinomial(n, shares)) for n in sizes]
        times = [alone(lambda t=t: bootstrap_interval("percentile", Bootstrap((t,), 0.95)), rounds) for t in tallies]
        slope = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
        spread = ", ".join(f"{1e3 * one:.2g}" for one in times)
        note = f"{spread} ms at 10³ … 10⁷"
        yield at_most("19", f"growth in n after counting, {what}: exponent", slope, 0.05, "", note)
    yield at_most("19", "growth in the number of resamples, exact: exponent", 0.0, 0.0, "", "nothing is drawn")


def _tally(counts: np.ndarray) -> Tally:
    values = np.arange(float(len(counts)))
    return Tally(np.column_stack([values, np.ones(len(counts))]), counts.astype(np.int64))


GROUPS = (
    binary, ten_million, judge, continuous, index_draws, bca_and_median, clustered, composite, sign_flip, memory, growth,
)  # fmt: skip
