"""Cases about resampling, families of tests, attempts, planning and gates."""

from __future__ import annotations

import itertools
import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from scipy import stats

import evalstats as es
from evalstats.errors import InputError, MethodError
from evalstats.methods.corrections import (
    benjamini_hochberg,
    benjamini_yekutieli,
    bonferroni,
    hochberg,
    holm,
)
from evalstats.methods.means import mean
from evalstats.subjects.gate_power import GateRule, Pairs
from evalstats.subjects.passk import benchmark, pass_at_k, pass_hat_k
from evalstats.subjects.power import mcnemar_items, required_n_mcnemar, required_n_paired_mean
from tests.cases import strategies
from tests.cases.case import answered
from tests.cases.test_of_one_run import few, limits, near

CORRECTIONS = (holm, bonferroni, hochberg, benjamini_hochberg, benjamini_yekutieli)
EXTREME = answered("bca-min")


@few
@given(drawn=strategies.bca_min())
def test_extremes_have_no_bootstrap(drawn):
    assert EXTREME.given["statistic"] == "min"
    for data, statistic in (drawn, (EXTREME.given["data"], min)):
        with pytest.raises(MethodError, match="minimum or maximum"):
            es.bootstrap_statistic(data, statistic)


SMALL = answered("bootstrap-exact-small")
MONTE_CARLO = 4 * math.sqrt(0.025 * 0.975 / 10_000)  # of a tail probability, with 10,000 resamples
SPREAD = 4 / math.sqrt(2 * 10_000)  # of a standard deviation, relative


def test_four_scores_resampled():
    scores, right = SMALL.given["scores"], SMALL.right
    found = es.bootstrap_mean(scores)
    assert limits(found) == right["percentile_95"]
    assert found.extra["boot_se"] == pytest.approx(right["boot_se"], rel=SPREAD)
    every = [sum(draw) / 4 for draw in itertools.product(scores, repeat=4)]
    for value, mass in right["pmf_of_mean"].items():
        assert every.count(float(value)) / len(every) == near(mass)


def between_quantiles(estimate, law):
    """Both ends where the exact law has them, within the Monte Carlo error of the tails."""
    ends = ((estimate.ci_low, 0.025), (estimate.ci_high, 0.975))
    for end, q in ends:
        least, most = (law.ppf(q + shift) / estimate.n for shift in (-MONTE_CARLO, MONTE_CARLO))
        assert least - 1e-12 <= end <= most + 1e-12


@few
@given(scores=strategies.bootstrap_exact_small())
def test_a_resampled_rate_is_binomial_and_keeps_to_the_lattice(scores):
    found = es.bootstrap_mean(scores)
    between_quantiles(found, stats.binom(len(scores), np.mean(scores)))
    assert all(math.isclose(end * found.n, round(end * found.n), abs_tol=1e-9) for end in limits(found))


HUGE = answered("bootstrap-huge-n")


def test_a_million_scores_resampled_in_a_moment():
    n, k = HUGE.given["n"], HUGE.given["k"]
    scores = np.repeat([1.0, 0.0], [k, n - k])
    start = time.perf_counter()
    found = mean(scores, method="bootstrap_bca", n_boot=HUGE.given["n_boot"])
    assert time.perf_counter() - start < 5
    assert limits(found) == pytest.approx(HUGE.right["percentile_95_exact"], abs=5e-5)
    assert found.extra["acceleration"] == pytest.approx(-1.633e-04, rel=1e-3)


@settings(max_examples=10)
@given(drawn=strategies.bootstrap_huge_n())
def test_many_scores_resampled_are_their_binomial_quantiles(drawn):
    k, n = drawn
    found = mean(np.repeat([1.0, 0.0], [k, n - k]), method="bootstrap_percentile")
    between_quantiles(found, stats.binom(n, k / n))


HALF = answered("half-sample-not-bootstrap")


def test_a_bootstrap_draws_as_many_as_there_are():
    found = es.bootstrap_mean(HALF.given["scores"])
    assert found.extra["boot_se"] == pytest.approx(HALF.right["plain_bootstrap_sd"], rel=SPREAD)
    exact = stats.sem(HALF.given["scores"])
    assert exact == near(HALF.right["se"])
    assert 0.471405 / exact == near(HALF.right["ratio_half_over_se"])


@few
@given(scores=strategies.half_sample_not_bootstrap())
def test_the_spread_of_a_bootstrap_is_that_of_all_n_draws(scores):
    expected = np.std(scores) / math.sqrt(len(scores))
    assert es.bootstrap_mean(scores).extra["boot_se"] == pytest.approx(expected, rel=SPREAD)


SEED = answered("seed-reproducible")


@few
@given(drawn=strategies.seed_reproducible())
def test_the_same_data_and_seed_give_the_same_digits(drawn):
    """In two processes with two hash seeds: tests/methods/test_means.py."""
    assert SEED.right["answer"].startswith("byte-identical")
    rows, renamed, seed = drawn
    scores, labels = [v for v, _ in rows], [g for _, g in rows]
    one = mean(scores, labels, method="cluster_bootstrap_percentile", n_boot=200, seed=seed)
    np.random.default_rng(1).random(7)
    two = mean(
        scores[::-1],
        [renamed(g) for g in labels[::-1]],
        method="cluster_bootstrap_percentile",
        n_boot=200,
        seed=seed,
    )
    assert repr(one) == repr(two)
    assert (one.seed, one.n_boot) == (seed, 200)


MORE = answered("passk-k-gt-n")


@few
@given(drawn=strategies.passk_k_gt_n())
def test_more_attempts_than_were_made_are_not_estimable(drawn):
    for n, c, k in (drawn, (MORE.given["n"], MORE.given["c"], MORE.given["k"])):
        with pytest.raises(InputError, match="attempt"):
            pass_at_k(n, c, k)
        found = benchmark([n, n], [c, c], k, ("pass_at_k",))[0]
        assert math.isnan(found.point)
        assert "point" in found.extra["undefined"]


RAGGED = answered("passk-ragged")


def test_problems_with_different_attempts():
    n, c = zip(*RAGGED.given["problems"], strict=True)
    one, five = benchmark(n, c, RAGGED.given["k"], ("pass_at_k",))
    assert (one.n, five.n) == (2, 2)
    assert (one.point, five.point) == near((RAGGED.right["pass@1_common"], RAGGED.right["pass@5_common"]))
    assert "left out: problem 2" in str(five.extra["caveats"])


@few
@given(problems=strategies.passk_ragged())
def test_every_k_is_over_the_same_problems_and_rises(problems):
    n, c = zip(*problems, strict=True)
    found = benchmark(n, c, (1, 2, 3), ("pass_at_k",))
    assert len({estimate.n for estimate in found}) == 1
    points = [estimate.point for estimate in found]
    assert points == sorted(points)
    dropped = sum(attempts < 3 for attempts in n)
    assert ("ragged_attempts" in str(found[0].extra["caveats"])) == (dropped > 0)


SAMPLE = answered("passk-single-sample")


def test_solved_problems_are_no_attempts():
    n, solved, k = (SAMPLE.given[key] for key in ("problems", "solved", "k"))
    one, many = benchmark(1, [1] * solved + [0] * (n - solved), (1, k), ("pass_at_k",))
    assert one.point == near(SAMPLE.right["pass@1"])
    assert limits(one) == near(SAMPLE.right["wilson"])
    assert math.isnan(many.point)
    assert "attempt" in many.extra["undefined"]["point"]


@few
@given(drawn=strategies.passk_single_sample())
def test_one_sample_a_problem_says_nothing_of_more(drawn):
    n, solved, k = drawn
    one, many = benchmark(1, [1] * solved + [0] * (n - solved), (1, k), ("pass_at_k",))
    assert (one.point, one.method) == (pytest.approx(solved / n), "wilson")
    assert math.isnan(many.point)


OFTEN = answered("passk-truthiness")


@few
@given(drawn=strategies.passk_truthiness())
def test_at_one_attempt_it_is_the_rate(drawn):
    for n, c in (drawn, (OFTEN.given["n"], OFTEN.given["c"])):
        assert pass_at_k(n, c, 1) == pytest.approx(c / n)
    assert pass_at_k(n, c, 1) == near(OFTEN.right["pass@1"])


ALL_OF = answered("passhat-k")
BOTH_NAMES = answered("passk-vs-passhat-name")


def test_all_of_k_is_not_a_power_of_the_rate():
    n, c = ALL_OF.given["n"], ALL_OF.given["c"]
    assert pass_hat_k(n, c, 2) == ALL_OF.right["pass^2"]
    assert pass_hat_k(n, c, 4) == ALL_OF.right["pass^4"]
    assert pass_at_k(n, c, 2) == ALL_OF.right["pass@2"]


@few
@given(drawn=strategies.passhat_k())
def test_both_are_shares_of_the_choices_of_k(drawn):
    n, c, k = drawn
    tries = [1] * c + [0] * (n - c)
    choices = list(itertools.combinations(tries, k))
    assert pass_hat_k(n, c, k) == pytest.approx(sum(all(choice) for choice in choices) / len(choices))
    assert pass_at_k(n, c, k) == pytest.approx(sum(any(choice) for choice in choices) / len(choices))


@few
@given(drawn=strategies.passk_vs_passhat_name())
def test_both_names_are_written_out(drawn):
    case = tuple(BOTH_NAMES.given[key] for key in ("n", "c", "k"))
    for n, c, k in (drawn, case):
        any_of, all_of = benchmark(n, [c], k)
        assert (any_of.name, all_of.name) == (f"pass@{k} (any of {k})", f"pass^{k} (all of {k})")
    assert (any_of.point, all_of.point) == (BOTH_NAMES.right["pass@4"], BOTH_NAMES.right["pass^4"])


NAN = answered("holm-nan")


def _numbers(values):
    return [math.nan if v is None else v for v in values]


def test_a_test_that_was_not_run_is_not_counted():
    p, right = _numbers(NAN.given["p"]), NAN.right
    for correction, key in ((holm, "holm_m3"), (benjamini_hochberg, "bh_m3")):
        found = correction(p)
        assert found["m"] == 3
        assert found["adjusted"] == pytest.approx(_numbers(right[key]), nan_ok=True)
        assert found["reject"].tolist()[1] is False


@few
@given(p=strategies.holm_nan())
def test_unknown_p_values_leave_the_family_as_if_they_were_not_there(p):
    known = [v for v in p if v is not None]
    for correction in (holm, bonferroni, benjamini_hochberg):
        found, without = correction(_numbers(p)), correction(known)
        assert (found["m"], without["m"]) == (len(known), len(known))
        assert [v for v in found["adjusted"] if not math.isnan(v)] == without["adjusted"].tolist()


EQUAL = answered("holm-equality")


@few
@given(drawn=strategies.holm_equality())
def test_equality_is_enough(drawn):
    m, alpha = drawn
    assert holm([alpha / m] * m, alpha)["reject"].all()
    found = holm(EQUAL.given["p"], EQUAL.given["alpha"])
    assert found["reject"].tolist() == EQUAL.right["reject"]
    assert found["adjusted"] == pytest.approx(EQUAL.right["adjusted"])


EVERY = answered("holm-all-significant")


@few
@given(p=strategies.holm_all_significant())
def test_all_may_be_lit(p):
    assert holm(p)["reject"].all()
    found = holm(EVERY.given["p"])
    assert found["reject"].tolist() == EVERY.right["reject"]
    assert found["adjusted"] == pytest.approx(EVERY.right["adjusted"])


EMPTY = answered("holm-empty")


@few
@given(p=strategies.holm_empty())
def test_nothing_in_nothing_out(p):
    assert EMPTY.given["p"] == []
    for values, correction in itertools.product((p, EMPTY.given["p"]), CORRECTIONS):
        found = correction(_numbers(values))
        assert (found["m"], len(found["adjusted"]), found["reject"].any()) == (0, len(values), False)


NULLS = answered("forty-nulls")


@few
@given(drawn=strategies.forty_nulls())
def test_a_family_lights_by_luck_no_more_than_one_test_does(drawn):
    for m, alpha in (drawn, (NULLS.given["m"], NULLS.given["alpha"])):
        just = alpha / m
        assert bonferroni([just] + [1.0] * (m - 1), alpha)["reject"][0]
        assert not bonferroni([just * (1 + 1e-9)] + [1.0] * (m - 1), alpha)["reject"][0]
        assert 1 - (1 - just) ** m <= alpha * (1 + 1e-12)
    assert just == near(NULLS.right["bonferroni"])
    assert 1 - (1 - alpha) ** m == near(NULLS.right["p_any"])


MILLER = answered("power-miller")


@given(drawn=strategies.power_miller())
def test_items_for_a_mean_difference(drawn):
    variance, delta = drawn
    n = required_n_paired_mean(delta, math.sqrt(variance))
    z = stats.norm.ppf([0.975, 0.8]).sum()
    assert n == math.ceil(z**2 * variance / delta**2 * (1 - 1e-12))
    assert (
        required_n_paired_mean(MILLER.given["delta"], math.sqrt(MILLER.given["omega2"])) == MILLER.right["n"]
    )


TABLE = answered("power-mcnemar-table")
ZERO = answered("power-delta-zero")
BACKWARD = answered("power-negative-delta")


def test_the_three_rows_of_the_chapter():
    psi = TABLE.given["psi"]
    for delta, n, unrounded in zip(
        TABLE.given["delta"], TABLE.right["n"], TABLE.right["unrounded"], strict=True
    ):
        assert required_n_mcnemar(delta, psi) == n
        assert mcnemar_items(delta, psi) == pytest.approx(unrounded, abs=6e-4)
    assert required_n_mcnemar(BACKWARD.given["delta"], BACKWARD.given["psi"]) == BACKWARD.right["n"]


@given(drawn=strategies.power_mcnemar_table())
def test_half_the_difference_takes_four_times_the_items_or_nearly(drawn):
    psi, delta = drawn
    assert 3.9 <= mcnemar_items(delta / 2, psi) / mcnemar_items(delta, psi) <= 4.6 or delta > psi / 2


@given(drawn=strategies.power_negative_delta())
def test_a_loss_takes_as_many_items_as_a_gain(drawn):
    psi, delta = drawn
    assert required_n_mcnemar(-delta, psi) == required_n_mcnemar(delta, psi)


@given(psi=strategies.power_delta_zero())
def test_no_number_of_items_shows_nothing(psi):
    for rate in (psi, ZERO.given["psi"]):
        with pytest.raises(InputError, match="no number of items"):
            required_n_mcnemar(ZERO.given["delta"], rate)


BAND = answered("gate-fixed-tolerance")


def test_a_band_of_eight_points_is_nine_standard_errors():
    n, p, tolerance = (BAND.given[key] for key in ("n", "p", "tolerance"))
    standard_error = math.sqrt(p * (1 - p) / n)
    assert es.proportion(round(n * p), n).standard_error == pytest.approx(standard_error, rel=1e-3)
    assert standard_error == near(BAND.right["se"])
    assert tolerance / standard_error == pytest.approx(BAND.right["band_in_se"], abs=6e-4)
    sees = 1 - Pairs(n, 0.1, n).chances(GateRule(tolerance), worse_by=0.05).passes
    assert sees < 0.1  # a drop of five points passes nearly always, by the margin's own leave


@settings(max_examples=15)
@given(drawn=strategies.gate_fixed_tolerance())
def test_a_margin_says_what_passes(drawn):
    """Worse by the margin passes in at most α/2 of cases, half as bad in more, unchanged in most."""
    n, p, tolerance = drawn
    law, rule = Pairs(n, 2 * p * (1 - p) / 3, n), GateRule(tolerance)
    at, half, unchanged = (law.chances(rule, worse_by=w).passes for w in (tolerance, tolerance / 2, 0.0))
    assert at <= 0.04 < half + 0.04
    assert at <= half <= unchanged
