"""A gate's printed chances: exact by enumeration of its own rule, by scipy's noncentral t, by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from evalstats.analyses.gate_answer import answer_of
from evalstats.errors import InputError
from evalstats.methods.margins import least_discordant_units, verdict
from evalstats.methods.mcnemar import mcnemar_pvalues
from evalstats.methods.paired import METHODS, PairedCounts, paired_proportions, tango_upper
from evalstats.numeric import z_of
from evalstats.results import Estimate
from evalstats.subjects.gate_power import (
    GateRule,
    Means,
    Pairs,
    growth_needed,
    margin_needed,
    mean_chances,
    pair_chances,
    pairs_needed,
)
from evalstats.subjects.power import required_n_margin

SIMULATED = 20_000


def _tables(n):
    """Every (candidate_only, baseline_only) that n pairs can give."""
    return [(b, c) for b in range(n + 1) for c in range(n + 1 - b)]


def _mass(n, psi, delta, tables):
    cells = [(b, c, n - b - c) for b, c in tables]
    return stats.multinomial.pmf(cells, n, [(psi + delta) / 2, (psi - delta) / 2, 1 - psi])


def _estimates(n, level, tables):
    """Tango's differences of all tables at once, as `paired_proportions` gives them one by one."""
    b, c = np.array(tables).T
    highs, lows = tango_upper(b, c, n, z_of(level)), -tango_upper(c, b, n, z_of(level))
    return [
        Estimate("d", (i - j) / n, low, high, level, "tango", n, extra={"n_discordant_units": i + j})
        for (i, j), low, high in zip(tables, lows.tolist(), highs.tolist(), strict=True)
    ]


def test_tables_at_once_are_those_one_by_one():
    tables = _tables(6)
    for (b, c), at_once in zip(tables, _estimates(6, 0.9, tables), strict=True):
        one = paired_proportions(c, b, 6, level=0.9)
        assert (at_once.point, at_once.ci_low, at_once.ci_high) == (one.point, one.ci_low, one.ci_high)


def _answer(estimate, margin, **verdict_options):
    direction = verdict(estimate, margin, **verdict_options).direction
    return answer_of(estimate, direction, margin, higher_is_better=True)


@pytest.mark.parametrize(
    ("n", "psi", "delta", "margin", "level"),
    [
        (12, 0.5, 0.0, 0.3, 0.95),
        (20, 0.4, -0.2, 0.2, 0.9),
        (30, 0.6, 0.0, 0.15, 0.95),
        (9, 1.0, 0.5, 0.4, 0.9),
    ],
)
def test_the_chances_are_those_of_the_gate_s_own_answers(n, psi, delta, margin, level):
    tables = _tables(n)
    answers = [_answer(estimate, margin) for estimate in _estimates(n, level, tables)]
    mass = _mass(n, psi, delta, tables)
    found = pair_chances(n, psi, delta, GateRule(margin, level))
    assert found.passes == pytest.approx(sum(mass[[a == "pass" for a in answers]]), abs=1e-12)
    assert found.fails == pytest.approx(sum(mass[[a == "fail" for a in answers]]), abs=1e-12)
    assert {"pass", "inconclusive"} <= set(answers)


def test_under_guarantee_the_outer_limits_and_the_exact_p_decide():
    n, psi, delta, margin = 16, 0.15, -0.1, 0.3  # over .8 n discordant is another rule: 1e-8
    tables = _tables(n)
    answers = []
    for b, c in tables:
        low, high = METHODS["tango_bonett_price"].function(PairedCounts(b, c, n), 0.95)
        extra = {"n_discordant_units": b + c}
        estimate = Estimate("d", (b - c) / n, low, high, 0.95, "tango_bonett_price", n, extra=extra)
        exact = float(mcnemar_pvalues(b, c, "exact"))
        answers.append(_answer(estimate, margin, exact_pvalue=exact))
    mass = _mass(n, psi, delta, tables)
    found = pair_chances(n, psi, delta, GateRule(margin, guarantee=True))
    assert found.passes == pytest.approx(sum(mass[[a == "pass" for a in answers]]), abs=1e-6)
    assert found.fails == pytest.approx(sum(mass[[a == "fail" for a in answers]]), abs=1e-6)
    assert set(answers) == {"pass", "fail", "inconclusive"}


def test_in_a_family_a_regression_must_survive_the_correction():
    n, psi, margin, m = 40, 0.6, 0.1, 4
    tables = _tables(n)
    mid_p = mcnemar_pvalues(*np.array(tables).T, "mid_p")
    answers = [
        _answer(estimate, margin, reject=bool(p <= 0.05 / m))
        for estimate, p in zip(_estimates(n, 0.95, tables), mid_p, strict=True)
    ]
    mass = _mass(n, psi, -0.2, tables)
    found = pair_chances(n, psi, -0.2, GateRule(margin, reject_alpha=0.05 / m))
    assert found.fails == pytest.approx(sum(mass[[a == "fail" for a in answers]]), abs=1e-12)
    assert found.fails < pair_chances(n, psi, -0.2, GateRule(margin)).fails


def test_without_a_margin_a_gate_can_only_fail():
    found = pair_chances(200, 0.3, -0.2, GateRule(None, reject_alpha=0.05 / 3))
    assert found.passes == 0
    assert found.fails > 0.9
    assert mean_chances(0.02, -0.2, GateRule(None, df=99.0)).passes == 0
    for needs_one in (lambda: pairs_needed(0.1, GateRule(None)), lambda: growth_needed(0.1, GateRule(None))):
        with pytest.raises(InputError, match="without a margin"):
            needs_one()


def test_the_figures_of_the_specification():
    unchanged = pair_chances(500, 0.19, 0.0, GateRule(0.01))
    assert f"{100 * unchanged.passes:.0f} %" == "7 %"
    assert pairs_needed(0.0, GateRule(0.03)) == 125


@pytest.mark.parametrize("psi", [0.0, 0.02, 0.19, 0.5])
@pytest.mark.parametrize("margin", [0.02, 0.03, 0.1])
def test_the_items_needed_are_the_planning_function_s_and_hold_for_the_next_fifty(psi, margin):
    rule = GateRule(margin)
    n = pairs_needed(psi, rule)
    assert n == required_n_margin(margin, psi)
    assert n >= math.ceil(z_of(0.95) ** 2 * (1 - margin) / margin)
    assert all(pair_chances(m, psi, 0.0, rule).passes >= 0.8 for m in range(n, n + 51, 5))
    below = pair_chances(n - 1, psi, 0.0, rule).passes
    assert below < 0.8 or n == math.ceil(z_of(0.95) ** 2 * (1 - margin) / margin)


def test_one_tooth_of_the_saw_does_not_do():
    """At 185 items it is reached, at 208 once more not."""
    rule = GateRule(0.03)
    passes = {n: pair_chances(n, 0.01, 0.0, rule).passes for n in (184, 185, 208)}
    assert passes[184] < 0.8 <= passes[185]
    assert passes[208] < 0.8
    assert pairs_needed(0.01, rule) == 209


@pytest.mark.parametrize("df", [1.0, 2.0, 4.5, 19.0, 99.0, 1e4])
@pytest.mark.parametrize(("delta", "margin"), [(0.0, 0.05), (-0.05, 0.05), (0.0, 0.01), (0.03, 0.2)])
@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")  # inside the oracle, in older SciPy
def test_passing_a_mean_is_the_tail_of_noncentral_t(df, delta, margin):
    found = mean_chances(0.02, delta, GateRule(margin, df=df))
    t = stats.t.ppf(0.975, df)
    assert found.passes == pytest.approx(stats.nct.sf(t, df, (margin + delta) / 0.02), abs=1e-6)


@pytest.mark.parametrize("df", [3.0, 19.0, 200.0])
@pytest.mark.parametrize(("delta", "margin"), [(0.0, 0.05), (-0.05, 0.05), (-0.1, 0.02)])
def test_failing_a_mean_is_its_integral_over_the_standard_error(df, delta, margin):
    se, t = 0.02, stats.t.ppf(0.975, df)

    def density_and_failing(s):
        most = min(-t * s, t * s - margin)
        return (
            stats.chi.pdf(s / se * math.sqrt(df), df)
            * math.sqrt(df)
            / se
            * stats.norm.cdf((most - delta) / se)
        )

    wanted = integrate.quad(density_and_failing, 0, 12 * se, points=[margin / (2 * t)], limit=300)[0]
    assert mean_chances(se, delta, GateRule(margin, df=df)).fails == pytest.approx(wanted, abs=1e-5)


def test_without_degrees_of_freedom_the_standard_error_is_known():
    found = mean_chances(0.02, 0.0, GateRule(0.05))
    assert found.passes == pytest.approx(stats.norm.sf(z_of(0.95) - 2.5), abs=1e-12)
    assert found.fails == pytest.approx(stats.norm.cdf(-z_of(0.95)), abs=1e-12)


@settings(max_examples=25)
@given(
    n=st.integers(20, 1000),
    psi=st.floats(0.01, 0.8),
    margin=st.floats(0.005, 0.3),
    level=st.sampled_from([0.9, 0.95]),
)
def test_a_wider_margin_passes_more_and_a_worse_candidate_at_most_a_little(n, psi, margin, level):
    rule = GateRule(margin, level)
    law = Pairs(n, psi, n)
    unchanged, worse = law.chances(rule), law.chances(rule, margin)
    assert 0 <= worse.passes <= unchanged.passes + 1e-12
    assert unchanged.passes + unchanged.fails <= 1 + 1e-12
    assert unchanged.passes <= law.chances(GateRule(1.2 * margin, level)).passes + 1e-12
    if n * max(psi, margin) >= 20:
        assert worse.passes <= 1.35 * (1 - level) / 2  # Tango's size: .0266 where .025 is nominal


@settings(max_examples=15)
@given(psi=st.floats(0.05, 0.5), n=st.integers(300, 1500))
def test_the_margin_needed_reaches_what_a_smaller_one_does_not(psi, n):
    law = Pairs(n, psi, n)
    wide = margin_needed(lambda margin: law.chances(GateRule(margin)).passes, 0.999)
    assert law.chances(GateRule(wide)).passes >= 0.8
    assert law.chances(GateRule(wide - 0.002)).passes < 0.8


def test_no_margin_would_do_for_a_few_items():
    law = Pairs(2, 0.9, 2)
    assert margin_needed(lambda margin: law.chances(GateRule(margin)).passes, 0.999) is None


@pytest.mark.parametrize("df", [None, 5.0, 99.0])
def test_items_needed_for_means_give_80_per_cent(df):
    law = Means(0.05, 400, df)
    rule = GateRule(0.04)
    n = law.items_needed(rule)
    grown = Means(0.05 * math.sqrt(400 / n), n, None if df is None else df * n / 400)
    assert grown.chances(rule).passes == pytest.approx(0.8, abs=0.002)
    assert grown.chances(rule).passes >= 0.8


def test_effective_counts_need_items_in_proportion():
    law = Pairs(120.0, 0.3, 480, df=23.0)
    rule = GateRule(0.05)
    n = law.items_needed(rule)
    grown = Pairs(120.0 * n / 480, 0.3, n, df=23.0 * n / 480)
    assert grown.chances(rule).passes >= 0.79
    assert n > 480


# A/A: gates simulated by their own intervals


def _gates(low, high, margin, enough=True):
    """Shares of gates that pass and fail."""
    passed = low > -margin
    return passed.mean(), (~passed & (high < 0) & enough).mean()


def _near(found, simulated, tolerance=None):
    """Within 4 Monte Carlo standard errors of SIMULATED gates, or within a tolerance."""
    allowed = (
        tolerance if tolerance is not None else 4 * math.sqrt(max(found * (1 - found), 1e-4) / SIMULATED)
    )
    assert abs(found - simulated) <= allowed


@pytest.mark.parametrize(
    ("n", "psi", "margin"), [(500, 0.19, 0.01), (500, 0.19, 0.05), (1669, 0.19, 0.03), (200, 0.05, 0.03)]
)
@pytest.mark.parametrize("worse", [False, True], ids=["unchanged", "worse by the margin"])
def test_a_a_of_pass_fail_gates(n, psi, margin, worse):
    delta = -margin if worse else 0.0
    rng = np.random.default_rng(35)
    cells = rng.multinomial(n, [(psi + delta) / 2, (psi - delta) / 2, 1 - psi], SIMULATED)
    b, c = cells[:, 0], cells[:, 1]
    high = tango_upper(b, c, n, z_of(0.95))
    low = -tango_upper(c, b, n, z_of(0.95))
    enough = b + c >= least_discordant_units(0.95)
    passes, fails = _gates(low, high, margin, enough)
    found = Pairs(n, psi, n).chances(GateRule(margin), margin if worse else 0.0)
    _near(found.passes, passes)
    _near(found.fails, fails)


@pytest.mark.parametrize("worse", [0.0, 0.4], ids=["unchanged", "worse by the margin"])
def test_a_a_of_judge_scores(worse):
    """Two runs of one model over 60 answers from 1 to 10: lattice differences, paired t."""
    n, margin, rng = 60, 0.4, np.random.default_rng(36)
    d = rng.choice([-2, -1, 0, 1, 2], p=[0.06, 0.2, 0.48, 0.2, 0.06], size=(SIMULATED, n)) - worse
    se = d.std(axis=1, ddof=1) / math.sqrt(n)
    half = stats.t.ppf(0.975, n - 1) * se
    passes, fails = _gates(d.mean(axis=1) - half, d.mean(axis=1) + half, margin)
    sd = math.sqrt(2 * (0.06 * 4 + 0.2))
    found = Means(sd / math.sqrt(n), n, n - 1.0).chances(GateRule(margin), worse)
    _near(found.passes, passes, 0.02)
    _near(found.fails, fails, 0.02)


def _tango_effective(D, psi, v, N, df, k):
    """The effective form's limits, all gates at once."""
    with np.errstate(divide="ignore", invalid="ignore"):
        n_eff = np.where((v > 0) & (psi > D**2), np.minimum(N, (psi - D**2) / v), k)
    t = stats.t.ppf(0.975, df)
    b, c = n_eff * (psi + D) / 2, n_eff * (psi - D) / 2
    return -tango_upper(c, b, n_eff, t), tango_upper(b, c, n_eff, t)


@pytest.mark.parametrize("m", [2, 4])
def test_a_a_of_completions_has_decoding_noise_in_it(m):
    """One model run twice, m completions an item: the same questions, other samples."""
    n, margin, gates, rng = 200, 0.08, 5000, np.random.default_rng(37)
    p = rng.beta(1.2, 0.8, size=(gates, n))
    d = (rng.binomial(m, p) - rng.binomial(m, p)) / m
    D, psi = d.mean(axis=1), np.abs(d).mean(axis=1)
    v = d.var(axis=1, ddof=1) / n
    low, high = _tango_effective(D, psi, v, n * m, n - 1, n)
    passes, fails = _gates(low, high, margin)
    law = Pairs(psi.mean() / D.var(), psi.mean(), n, n - 1.0)
    found = law.chances(GateRule(margin))
    _near(found.passes, passes, 0.02)
    _near(found.fails, fails, 0.02)
    one = Pairs(n, 2 * (p * (1 - p)).mean(), n).chances(GateRule(margin))
    assert found.passes > one.passes + 0.1  # more completions, less noise


@pytest.mark.parametrize("worse", [False, True], ids=["unchanged", "worse by the margin"])
def test_a_a_of_clusters(worse):
    """50 passages of 4 questions whose changes go together."""
    k, m, psi, margin, gates, rng = 50, 4, 0.3, 0.12, 5000, np.random.default_rng(38)
    share = (psi + (-margin if worse else 0.0)) / (2 * psi)
    side = np.where(rng.random((gates, k)) < share, 1, -1)[:, :, None]
    own = np.where(rng.random((gates, k, m)) < share, 1, -1)
    together = rng.random((gates, k, m)) < 0.5
    d = np.where(rng.random((gates, k, m)) < psi, np.where(together, side, own), 0)
    D, seen = d.mean(axis=(1, 2)), np.abs(d).mean(axis=(1, 2))
    means = d.mean(axis=2)
    v = means.var(axis=1, ddof=1) / k  # CR2 of equal clusters, ν = k − 1
    low, high = _tango_effective(D, seen, v, k * m, k - 1, k)
    passes, fails = _gates(low, high, margin)
    law = Pairs((psi - D.mean() ** 2) / D.var(), psi, k * m, k - 1.0)
    found = law.chances(GateRule(margin), margin if worse else 0.0)
    _near(found.passes, passes, 0.02)
    _near(found.fails, fails, 0.02)
