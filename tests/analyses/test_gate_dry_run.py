"""A dry run: where its items and their disagreement come from, and what it refuses."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from evalstats.analyses.gate_dry_run import RATES, dry_run
from evalstats.data.scores import Scores
from evalstats.errors import EvalStatsError, InputError, NoGuaranteeError
from evalstats.subjects.gate_power import GateRule, Means, Pairs
from tests.made_runs import log, row, run_of


def test_items_and_a_rate_are_the_exact_sum():
    (line,) = dry_run(n=500, margin=0.01, discordant_rate=0.19).lines
    law = Pairs(500, 0.19, 500)
    assert line.chances.pass_unchanged == law.chances(GateRule(0.01)).passes
    assert line.chances.pass_worse == law.chances(GateRule(0.01), 0.01).passes
    assert line.chances.rate_source == "option"
    assert not line.chances.is_gate


def test_without_a_rate_there_is_a_table():
    found = dry_run(n=500, margin="3")
    assert tuple(line.discordant_rate for line in found.lines) == RATES
    assert found.margin == 0.03
    passes = [line.chances.pass_unchanged for line in found.lines]
    assert passes == sorted(passes, reverse=True)
    content = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert content["schema"] == "evalstats/gate_dry_run/1"
    assert content["provenance"]["options"] == {"margin": "3", "dry_run": True, "n": 500}


def test_a_baseline_gives_its_items_and_its_clusters():
    rng = np.random.default_rng(1)
    alike = np.repeat(rng.integers(0, 2, 50), 4)
    rows = [row(f"q{i}", int(x), fields={"passage": f"p{i // 4}"}) for i, x in enumerate(alike)]
    plain = dry_run(log(rows), margin=0.05, discordant_rate=0.1)
    assert plain.lines[0].chances.pass_unchanged == Pairs(200, 0.1, 200).chances(GateRule(0.05)).passes
    (prospect,) = dry_run(log(rows), margin=0.05, discordant_rate=0.1, cluster="passage").benchmarks
    assert prospect.n_eff == pytest.approx(50)  # four alike count as one
    assert prospect.df == pytest.approx(49)


def test_completions_say_how_often_two_runs_disagree():
    rng = np.random.default_rng(2)
    scores = {f"q{i}": rng.binomial(1, p, 4).tolist() for i, p in enumerate(rng.random(300))}
    found = dry_run(run_of(scores), margin=0.05)
    (prospect,), (line,) = found.benchmarks, found.lines
    x = np.array(list(scores.values()))
    pairs = [(x[:, i] != x[:, j]).mean() for i in range(4) for j in range(4) if i != j]
    assert prospect.rate == pytest.approx(np.mean(pairs))  # of two completions of one item
    assert (prospect.rate_source, prospect.n_eff, prospect.df) == ("completions", 1200, 299)
    assert line.chances.basis == "effective counts"
    assert line.chances.rate_source == "completions"
    asked = dry_run(run_of(scores), margin=0.05, discordant_rate=0.1)
    assert asked.benchmarks[0].rate == 0.1


def test_scores_need_completions():
    rng = np.random.default_rng(3)
    twice = {f"q{i}": [float(x), float(x + rng.integers(0, 3))] for i, x in enumerate(rng.integers(1, 8, 90))}
    found = dry_run(run_of(twice), margin=0.5, bounds=(1, 10))
    x = np.array(list(twice.values()))
    v = 2 * x.var(axis=1, ddof=1).mean() / 2 / 90
    assert found.lines[0].chances.pass_unchanged == pytest.approx(
        Means(math.sqrt(v), 90, 89.0).chances(GateRule(0.5)).passes
    )
    once = run_of({item: values[0] for item, values in twice.items()})
    with pytest.raises(InputError, match="Run the baseline twice"):
        dry_run(once, margin=0.5, bounds=(1, 10))
    with pytest.raises(InputError, match="nothing is to be planned"):
        dry_run(run_of({"a": [1.5, 1.5], "b": [2.5, 2.5]}), margin=0.5)


def _three(**scores):

    parts = [
        log([row(f"q{i}", i % 2, benchmark=name) for i in range(n)], benchmark=name).benchmarks[0]
        for name, n in scores.items()
    ]
    return Scores(tuple(parts))


def test_several_benchmarks_are_their_macro_average():
    found = dry_run(_three(a=100, b=300), margin=0.05, discordant_rate=0.1)
    se = math.sqrt(0.1 / 100 + 0.1 / 300) / 2
    chances = found.lines[0].chances
    assert found.macro
    df = (0.001 + 0.1 / 300) ** 2 / (0.001**2 / 99 + (0.1 / 300) ** 2 / 299)
    assert chances.pass_unchanged == pytest.approx(
        Means(se, 400, df).chances(GateRule(0.05)).passes, abs=0.02
    )
    assert chances.fail_unchanged > Means(se, 400, df).chances(GateRule(0.05)).fails
    with pytest.raises(NoGuaranteeError, match="macro average"):
        dry_run(_three(a=100, b=300), margin=0.05, guarantee=True)


def test_a_guarantee_needs_more():
    plain = dry_run(n=400, margin=0.05, discordant_rate=0.1).lines[0].chances
    sure = dry_run(n=400, margin=0.05, discordant_rate=0.1, guarantee=True).lines[0].chances
    assert sure.pass_unchanged <= plain.pass_unchanged
    assert sure.items_needed >= plain.items_needed


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({}, "needs a margin"),
        ({"margin": 0.03}, "BASELINE, or from --n"),
        ({"margin": 0.03, "n": 0}, "n is 0: give 1 or more"),
        ({"margin": 0.03, "n": 500, "discordant_rate": 1.2}, "fraction from 0 to 1"),
        ({"margin": 3, "n": 500}, "0.03"),
        ({"margin": 0.03, "n": 500, "cluster": "x"}, "of a log"),
        ({"margin": 0.03, "n": 500, "discordant": (1, 2)}, "one run"),
        ({"margin": 0.03, "n": 500, "tried": 3}, "one run"),
        ({"margin": 0.03, "baseline": "360/500"}, "--n 500"),
        ({"margin": 0.03, "baseline": "360/500", "n": 500}, "one of the two"),
        ({"margin": 0.03, "n": 500, "method": "wald"}, "method"),
    ],
)
def test_a_wrong_call_is_refused(call, said):
    with pytest.raises(EvalStatsError, match=said):
        dry_run(**call)


def test_what_has_no_spread_cannot_be_planned():
    with pytest.raises(EvalStatsError, match="one item, however many completions"):
        dry_run(run_of({"q": [0, 1, 1]}), margin=0.1)
    alone = log([row(f"q{i}", i % 2, fields={"passage": "p"}) for i in range(9)])
    with pytest.raises(EvalStatsError, match="in one cluster"):
        dry_run(alone, margin=0.1, cluster="passage")
    with pytest.raises(EvalStatsError, match="a benchmark of one item"):
        dry_run(_three(a=1, b=300), margin=0.05)


def test_where_nothing_changes_the_items_alone_decide():
    assert dry_run(n=124, margin=0.03, discordant_rate=0.0).lines[0].chances.pass_unchanged == 0
    assert dry_run(n=125, margin=0.03, discordant_rate=0.0).lines[0].chances.pass_unchanged == 1
    few, many = (
        dry_run(_three(a=n, b=n), margin=0.03, discordant_rate=0.0).lines[0].chances for n in (60, 65)
    )
    assert (few.pass_unchanged, many.pass_unchanged) == (0, 1)
