"""The gate without a plan: its rule, what makes it inconclusive, the macro average, its exit codes."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats

import evalstats as es
from evalstats.analyses.gate_answer import answer_of
from evalstats.analyses.gate_chances import law_of, macro_chances, macro_law
from evalstats.data.builder import build
from evalstats.data.scores import Scores
from evalstats.errors import InputError, MethodError, NoGuaranteeError
from evalstats.methods.mcnemar import mcnemar_pvalues
from evalstats.results import Estimate
from evalstats.subjects.gate_power import GateRule, Means, Pairs
from tests.made_runs import counted, header, log, part, row, run_of

PASSES = ("4000/5000", "4010/5000")
FAILS = ("4000/5000", "3900/5000")
OPEN = ("4000/5000", "3970/5000")
WIDE = {"discordant": (120, 130), "margin": 0.02}


def _estimate(low, high):
    return Estimate("difference", (low + high) / 2, low, high, 0.95, "t", 100)


def _benchmarks(tables, *, run="m", which=0):
    """Several benchmarks as one run: name -> (both, baseline_only, candidate_only, neither)."""
    parts = []
    for name, table in tables.items():
        scores = counted(*table)[which]
        parts += [header(run=run, benchmark=name, path=f"{run}.eval")]
        parts += [row(item, value, run=run, benchmark=name) for item, value in scores.items()]
    return build(parts)


def two_runs(tables):
    return _benchmarks(tables, run="old", which=0), _benchmarks(tables, run="new", which=1)


def _codes(reasons):
    return [reason.code for reason in reasons]


@pytest.mark.parametrize(
    ("low", "high", "direction", "higher", "answer"),
    [
        (-0.0199, 0.03, "not_settled", True, "pass"),
        (-0.02, 0.03, "not_settled", True, "inconclusive"),  # L > −M, never ≥
        (-0.04, -0.01, "regressed", True, "fail"),
        (-0.015, -0.01, "regressed", True, "pass"),  # regressed by less than the margin
        (-0.04, -0.01, "not_settled", True, "inconclusive"),  # too few changes, or not after correction
        (0.001, 0.0199, "regressed", False, "pass"),
        (-0.04, 0.0201, "not_settled", False, "inconclusive"),
        (0.01, 0.04, "regressed", False, "fail"),
        (math.nan, math.nan, "not_settled", True, "inconclusive"),
    ],
)
def test_the_rule_at_its_boundaries(low, high, direction, higher, answer):
    assert answer_of(_estimate(low, high), direction, 0.02, higher_is_better=higher) == answer


def test_pass_fail_and_inconclusive_are_0_1_and_3():
    assert es.gate(*PASSES, **WIDE).exit_code == 0
    failing = es.gate("4000/5000", "3900/5000", discordant=(200, 100), margin=0.02)
    assert (failing.answer, failing.exit_code, _codes(failing.reasons)) == ("fail", 1, ["regressed"])
    asked = {"discordant": (265, 235), "margin": 0.01}
    for how, code in ((None, 3), ("fail", 1), ("pass", 0)):
        gate = es.gate("4000/5000", "3970/5000", inconclusive=how, **asked)
        assert (gate.answer, gate.exit_code, _codes(gate.reasons)) == ("inconclusive", code, ["not_shown"])


def test_what_passes_an_unchanged_candidate_in_under_half_of_cases_is_no_gate():
    """500 items, 19 % of them changing, margin 1: 7 %, whatever the answer is and however it is to count."""
    for how in (None, "pass", "fail"):
        gate = es.gate("360/500", "375/500", discordant=(40, 55), margin=0.01, inconclusive=how)
        assert f"{100 * gate.chances.pass_unchanged:.0f}" == "7"
        assert (gate.answer, gate.exit_code, gate.is_gate) == ("inconclusive", 3, False)
        assert _codes(gate.reasons) == ["not_a_gate", "not_worse"]
    assert es.gate(
        "360/500", "375/500", discordant=(40, 55), margin=gate.chances.margin_needed + 0.001
    ).is_gate
    assert (
        gate.chances.items_needed
        == es.compare("360/500", "375/500", discordant=(40, 55), margin=0.01).only.needed.n
    )


def test_the_figures_stand_on_b_plus_c_plus_1_over_n_plus_2():
    chances = es.gate(*PASSES, **WIDE).chances
    assert chances.discordant_rate == 251 / 5002
    law = Pairs(5000, 251 / 5002, 5000)
    rule = GateRule(0.02)
    assert chances.pass_unchanged == law.chances(rule).passes
    assert chances.fail_unchanged == law.chances(rule).fails
    assert chances.pass_worse == law.chances(rule, 0.02).passes
    assert (chances.rate_source, chances.basis) == ("data", "exact sum")


def test_a_few_items_never_pass_even_without_a_change():
    for n, answer in ((124, False), (125, True)):
        old, new = counted(n, 0, 0, 0)
        found = es.compare(run_of(old), run_of(new), margin=0.03).only
        assert (found.margin_verdict == "equivalent") is answer


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({}, "a gate needs a margin"),
        ({"margin": 0.02, "method": "wald"}, "method"),
        ({"margin": 0.02, "view": "fixed_items"}, "view"),
        ({"margin": 0.02, "effect": 0.1}, "effect"),
        ({"margin": 0.02, "correction": "none"}, "correction"),
        ({"margin": 0.02, "inconclusive": "skip"}, "counts as pass or fail"),
        ({"margin": 0.02, "fail_on": ["few_discordnat"]}, "Did you mean 'few_discordant'"),
        ({"margin": 0.02, "margn": 0.02}, "Did you mean 'margin'"),
        ({"margin": 2}, "0.02"),
        ({"margin": 0.02, "tried": 0}, "tried=0"),
        ({"margin": 0.02, "tried": 2.5}, "tried"),
    ],
)
def test_a_wrong_call_is_refused(call, said):
    with pytest.raises((InputError, MethodError), match=said):
        es.gate(*PASSES, discordant=(120, 130), **call)


def test_a_caveat_that_is_named_makes_it_inconclusive():
    old, new = counted(300, 2, 3, 95)
    gate = es.gate(run_of(old), run_of(new), margin=0.05)
    assert gate.answer == "pass"
    doubted = es.gate(run_of(old), run_of(new), margin=0.05, fail_on=["few_discordant"])
    assert (doubted.answer, doubted.exit_code) == ("inconclusive", 3)
    assert _codes(doubted.reasons) == ["fail_on", "not_worse"]
    assert doubted.provenance.options["fail_on"] == ["few_discordant"]
    unfired = es.gate(run_of(old), run_of(new), margin=0.05, fail_on=["missing_items"])
    assert unfired.answer == "pass"


def _with_missing(missing_in_candidate):
    old, new = counted(300, 15, 15, 70)
    return run_of(old), run_of(new | dict.fromkeys(list(new)[:missing_in_candidate]))


def test_missing_items_count_only_if_the_answer_changes_with_them():
    few = es.gate(*_with_missing(2), margin=0.06)
    assert few.answer == "pass"
    assert few.comparisons.only.missing is not None
    many = es.gate(*_with_missing(30), margin=0.06)
    assert many.answer == "inconclusive"
    assert _codes(many.reasons) == ["missing_items", "not_worse"]
    assert "30 items without a score" in many.reasons[0].text


def test_missing_items_that_agree_on_fail_leave_the_fail():
    old, new = counted(300, 80, 5, 15)
    gate = es.gate(run_of(old), run_of(new | dict.fromkeys(list(new)[:3])), margin=0.05)
    assert gate.answer == "fail"


def test_on_a_scale_without_ends_missing_items_cannot_be_filled():
    rng = np.random.default_rng(5)
    old = {f"q{i}": float(x) for i, x in enumerate(rng.normal(50, 9, 200))}
    new = {item: x + float(rng.normal(0, 1)) for item, x in old.items()}
    gate = es.gate(run_of(old), run_of(new | {"q3": None}), margin=3.0)
    assert (gate.answer, _codes(gate.reasons)) == ("inconclusive", ["missing_items", "not_worse"])
    assert es.gate(run_of(old), run_of(new), margin=3.0).answer == "pass"


def test_without_an_interval_it_is_inconclusive_and_says_why():
    scores = {f"q{i}": 3.5 + i for i in range(30)}
    gate = es.gate(run_of(scores), run_of(scores), margin=1.0)
    assert (gate.answer, gate.chances, _codes(gate.reasons)) == ("inconclusive", None, ["no_interval"])
    json.dumps(gate.to_dict(), allow_nan=False)


def test_lower_is_better_turns_the_gate_round():
    old, new = counted(50, 60, 10, 380)
    assert es.gate(run_of(old), run_of(new), margin=0.05).answer == "fail"
    assert es.gate(run_of(old), run_of(new), margin=0.05, lower_is_better=True).answer == "pass"
    assert es.gate(run_of(new), run_of(old), margin=0.05, lower_is_better=True).answer == "fail"


def test_completions_and_scores_take_their_own_law():
    rng = np.random.default_rng(6)
    several = {f"q{i}": rng.integers(0, 2, 3).tolist() for i in range(300)}
    again = {f"q{i}": rng.integers(0, 2, 3).tolist() for i in range(300)}
    gate = es.gate(run_of(several), run_of(again), margin=0.1)
    found = gate.comparisons.only.difference
    assert (gate.chances.basis, found.method) == ("effective counts", "tango_effective")
    law = law_of(found)
    assert isinstance(law, Pairs)
    v = found.standard_error**2
    assert law.psi * (law.n + 2) - 1 == pytest.approx(law.n * (v * law.n + found.point**2), rel=1e-9)
    judge = {f"q{i}": float(x) for i, x in enumerate(rng.integers(1, 11, 80))}
    other = {item: min(10.0, x + float(rng.integers(0, 2))) for item, x in judge.items()}
    gate = es.gate(run_of(judge), run_of(other), margin=0.5, bounds=(1, 10))
    assert gate.chances.basis == "noncentral t"
    assert law_of(gate.comparisons.only.difference) == Means(
        gate.comparisons.only.difference.standard_error, 80, 79.0
    )


def test_unpaired_runs_have_a_gate_by_their_standard_error():
    gate = es.gate("4000/5000", "4010/5000", margin=0.03)
    assert gate.answer == "pass"
    se = gate.comparisons.only.difference.standard_error
    assert gate.chances.pass_unchanged == Means(se, 10_000).chances(GateRule(0.03)).passes


def test_a_guarantee_is_held_by_its_own_limits():
    plain, sure = es.gate(*PASSES, **WIDE), es.gate(*PASSES, **WIDE, guarantee=True)
    assert sure.comparisons.only.difference.extra["guarantee"] == "enumerated"
    assert sure.chances.pass_unchanged <= plain.chances.pass_unchanged
    assert law_of(sure.comparisons.only.difference).guarantee


def test_a_guarantee_of_scores_has_an_answer_and_no_chances():
    rng = np.random.default_rng(7)
    old = {f"q{i}": float(x) for i, x in enumerate(rng.integers(1, 11, 400))}
    gate = es.gate(run_of(old), run_of(dict(old)), margin=2.0, bounds=(1, 10), guarantee=True)
    assert gate.comparisons.only.difference.extra["guarantee"] == "proved"
    assert (gate.answer, gate.chances, gate.is_gate) == ("pass", None, True)
    assert "is not known: nobody has summed it" in " ".join(str(gate).split())


# several benchmarks

THREE = {"a": (300, 12, 14, 74), "b": (200, 20, 15, 65), "c": (500, 30, 33, 137)}


def test_several_benchmarks_carry_the_margin_by_their_macro_average():
    gate = es.gate(*two_runs(THREE), margin=0.06)
    assert gate.answer == "pass"
    assert [(d.benchmark, d.tier, d.answer) for d in gate.decisions] == [
        ("macro average", "critical", "pass"),
        ("a", "watched", "not_failed"),
        ("b", "watched", "not_failed"),
        ("c", "watched", "not_failed"),
    ]
    assert gate.macro.margin == 0.06
    assert gate.macro.difference.point == pytest.approx(np.mean([2 / 400, -5 / 300, 3 / 700]))
    assert gate.macro.baseline.estimate.point == pytest.approx(np.mean([312 / 400, 220 / 300, 530 / 700]))
    assert all(one.margin is None and one.margin_verdict is None for one in gate.comparisons)
    assert gate.family.method == "holm"


def test_one_benchmark_that_regresses_after_holm_fails_the_gate():
    tables = THREE | {"b": (150, 70, 10, 70)}
    gate = es.gate(*two_runs(tables), margin=0.2)
    assert (gate.answer, gate.exit_code) == ("fail", 1)
    assert gate.row("macro average").margin_verdict in ("not_worse", "equivalent")
    assert [d.benchmark for d in gate.decisions if d.answer == "fail"] == ["b"]


def test_a_regression_that_does_not_survive_holm_fails_nothing():
    tables = THREE | {"b": (200, 28, 14, 58)}
    alone = es.compare(*two_runs({"b": tables["b"]})).only
    assert alone.direction == "regressed"
    gate = es.gate(*two_runs(tables), margin=0.1)
    assert gate.answer == "pass"


def test_a_caveat_of_one_benchmark_that_is_named_makes_it_inconclusive():
    runs = two_runs(THREE | {"a": (300, 3, 4, 93)})
    assert es.gate(*runs, margin=0.06).answer == "pass"
    doubted = es.gate(*runs, margin=0.06, fail_on="few_discordant")
    assert doubted.answer == "inconclusive"
    assert [d.benchmark for d in doubted.decisions if d.answer == "inconclusive"] == ["a"]


def test_benchmarks_of_several_scales_need_a_plan():
    old = log([row("1", 1), row("2", 0)]), log([row("1", 1), row("2", 0)])
    judge = {"1": 7.5, "2": 3.0, "3": 9.0}
    other = [
        part([row(item, score, benchmark="judged") for item, score in judge.items()], benchmark="judged")
        for _ in (0, 1)
    ]
    runs = [Scores((*old[i].benchmarks, other[i])) for i in (0, 1)]
    with pytest.raises(
        InputError, match=r"not on one scale .*quiz: 0 to 1; judged: match without ends.*init RUN"
    ):
        es.gate(*runs, margin=0.1)


def test_a_macro_average_has_no_guarantee():
    with pytest.raises(NoGuaranteeError, match="macro average"):
        es.gate(*two_runs(THREE), margin=0.1, guarantee=True)


def test_where_nothing_changes_the_macro_stands_on_planned_rates():
    tables = {"a": (300, 0, 0, 100), "b": (200, 0, 0, 100)}
    gate = es.gate(*two_runs(tables), margin=0.05)
    assert gate.answer == "pass"
    se = math.sqrt((1 / 402) / 400 + (1 / 302) / 300) / 2
    assert macro_law(gate.macro.difference, [one.difference for one in gate.comparisons]).standard_error == (
        pytest.approx(se)
    )
    assert gate.chances.pass_unchanged > 0.99


def test_missing_items_of_one_benchmark_move_the_macro_average():
    old, new = two_runs(THREE)
    scores = counted(*THREE["b"])[1]
    holes = {item: None if at < 60 else value for at, (item, value) in enumerate(scores.items())}
    parts = [header(run="new", benchmark="b", path="new.eval")]
    parts += [row(item, value, run="new", benchmark="b") for item, value in holes.items()]
    holed = Scores((new.benchmarks[0], *build(parts).benchmarks, new.benchmarks[2]))
    gate = es.gate(old, holed, margin=0.06)
    assert gate.macro.missing is not None
    assert (gate.answer, _codes(gate.reasons)) == ("inconclusive", ["missing_items", "not_worse"])
    assert gate.macro.missing.worst.ci_low < gate.macro.difference.ci_low < gate.macro.missing.best.ci_low


def test_a_a_of_the_macro_gate():
    """20,000 gates over four benchmarks: the macro average by t, each one by Holm on mid-p."""
    n, psi = np.array([60, 100, 150, 40]), np.array([0.2, 0.3, 0.15, 0.4])
    margin, alpha, gates = 0.06, 0.05, 20_000
    for worse in (0.0, margin):
        rng = np.random.default_rng(50)
        rates = np.maximum(psi, worse)
        b = np.empty((gates, 4), int)
        c = np.empty((gates, 4), int)
        for j in range(4):
            cells = rng.multinomial(
                n[j], [(rates[j] - worse) / 2, (rates[j] + worse) / 2, 1 - rates[j]], gates
            )
            b[:, j], c[:, j] = cells[:, 0], cells[:, 1]
        D = (b - c) / n
        v = (b + c - (b - c) ** 2 / n) / (n - 1) / n
        df = v.sum(1) ** 2 / (v**2 / (n - 1)).sum(1)
        half = stats.t.ppf(0.975, df) * np.sqrt(v.sum(1)) / 4
        low, high = D.mean(1) - half, D.mean(1) + half
        p = mcnemar_pvalues(b.ravel(), c.ravel(), "mid_p").reshape(gates, 4)
        order = np.argsort(p, axis=1)
        steps = np.take_along_axis(p, order, 1) <= alpha / np.array([4, 3, 2, 1])
        lit = np.zeros_like(steps)
        np.put_along_axis(lit, order, np.logical_and.accumulate(steps, axis=1), 1)
        regressed = (lit & (c > b)).any(1)
        passes = (low > -margin) & ~regressed
        fails = regressed | (~(low > -margin) & (high < 0))
        laws = [Pairs(int(m), float(q), int(m)) for m, q in zip(n, psi, strict=True)]
        own = psi / n
        law = Means(math.sqrt(own.sum()) / 4, int(n.sum()), float(own.sum() ** 2 / (own**2 / (n - 1)).sum()))
        found = macro_chances(law, laws, GateRule(margin, reject_alpha=alpha / 4), 0.999)
        if worse:
            assert abs(found.pass_worse - passes.mean()) <= 0.02
        else:
            assert abs(found.pass_unchanged - passes.mean()) <= 0.02
            assert abs(found.fail_unchanged - fails.mean()) <= 0.02


# the result


def test_tried_stands_beside_the_result():
    gate = es.gate(*PASSES, **WIDE, tried=8)
    tried = gate.comparisons.only.tried
    p = stats.binom.sf(130, 250, 0.5) + 0.5 * stats.binom.pmf(130, 250, 0.5)
    assert (tried.n, tried.pvalue) == (8, pytest.approx(p))
    assert tried.chance == pytest.approx(1 - (1 - p) ** 8)
    macro = es.gate(*two_runs(THREE), margin=0.06, tried=3).macro
    assert macro.tried.pvalue == pytest.approx(1 - macro.test.pvalue / 2)  # it looks worse than the baseline


def test_the_json_is_strict_and_whole():
    gate = es.gate(*two_runs(THREE), margin=0.06, inconclusive="fail")
    found = json.loads(json.dumps(gate.to_dict(), allow_nan=False))
    assert found["schema"] == "evalstats/gate/1"
    assert list(found)[:3] == ["schema", "version", "provenance"]
    assert found["provenance"]["call"] == "gate"
    assert found["provenance"]["options"] == {"margin": 0.06, "inconclusive": "fail"}
    assert [d["benchmark"] for d in found["decisions"]] == ["macro average", "a", "b", "c"]
    assert found["macro"]["benchmark"] == "macro average"
    assert len(found["comparisons"]) == 3
    assert 0 < found["chances"]["pass_unchanged"] < 1


def test_a_gate_says_itself_and_shows_itself():
    gate = es.gate(*PASSES, **WIDE)
    assert str(gate).startswith("Gate: pass (exit 0)\n")
    assert "<table>" in gate._repr_html_()
    assert "Gate: pass" in es.gate(*two_runs(THREE), margin=0.06)._repr_html_()
