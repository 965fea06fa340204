"""Medians, ratios and averages by weight, of logs: the library's numbers, said, refused and made again."""

from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pandas as pd
import pytest

import evalstats as es
from evalstats.analyses.harness_check import group_checks
from evalstats.analyses.show import show as contents_of
from evalstats.analyses.statistic_options import checked_weights
from evalstats.cli.main import main
from evalstats.data.builder import build
from evalstats.data.scores import HarnessFigure
from evalstats.errors import InputError, MethodError, NoGuaranteeError
from evalstats.report.show_text import contents_text
from tests.made_runs import LOGS, command, header, log, refused, row
from tests.test_schema import VALIDATORS

N = 120
GROUPS = [str(LOGS / "lm_eval" / model) for model in ("model-a", "model-b")]


def agent(seed: int, factor: float = 1.0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "item": [f"q{i}" for i in range(N)],
            "solved": (rng.random(N) < 0.6).astype(int),
            "cost": factor * rng.gamma(3.0, 0.5, N),
            "style": rng.random(N),
            "passage": [f"p{i // 4}" for i in range(N)],
        }
    )


def written(tmp_path, factor=1.0):
    paths = [str(tmp_path / f"{name}.csv") for name in ("old", "new")]
    agent(0).to_csv(paths[0], index=False)
    agent(0, factor).to_csv(paths[1], index=False)
    return paths


def numbers(estimate):
    return estimate.point, estimate.ci_low, estimate.ci_high


def test_a_ratio_of_a_log_is_that_of_its_numbers():
    df = agent(0)
    for cluster in (None, "passage"):
        found = es.score(df, ratio="cost/solved", cluster=cluster).only
        called = es.ratio(df.cost, df.solved, cluster=None if cluster is None else df.passage)
        assert numbers(found.run.estimate) == numbers(called)
        assert (found.metric, found.scale.kind) == ("cost / solved", "unbounded")
        assert found.design.unit == (cluster or "item")
    two = es.compare(df, agent(1), ratio="cost/solved", lower_is_better=True).only
    called = es.ratio_difference((df.cost, df.solved), (agent(1).cost, agent(1).solved))
    assert numbers(two.difference) == numbers(called)
    assert (two.test, two.higher_is_better) == (None, False)
    assert two.baseline.estimate.point == pytest.approx(df.cost.sum() / df.solved.sum())


def test_items_without_both_numbers_are_counted_and_left_out():
    rows = [row(f"q{i}", 1.0 + i % 3, "cost") for i in range(60)]
    rows += [row(f"q{i}", float(i % 2), "solved") for i in range(50)]
    rows += [row(f"q{i}", None, "solved", status="error") for i in range(50, 55)]
    found = es.score(log(rows), ratio="cost/solved").only
    assert (found.run.n_total, found.run.n_scored, found.run.n_errored, found.run.n_missing) == (60, 50, 5, 5)
    assert found.run.estimate.n == 50
    assert {"missing_items"} <= {one["code"] for one in found.caveats}


def test_a_ratio_without_a_direction_says_which_was_taken():
    row_ = es.compare(agent(0), agent(1), ratio="cost/solved").only
    assert "direction_assumed" in {one["code"] for one in row_.caveats}
    slash = pd.DataFrame({"item": range(N), "usd/call": agent(0).cost, "solved": agent(0).solved})
    assert es.score(slash, ratio="usd/call/solved").only.metric == "usd/call / solved"


@pytest.mark.parametrize("q", [0.5, 0.95])
@pytest.mark.parametrize("cluster", [None, "passage"])
def test_a_quantile_of_a_log_is_that_of_its_numbers(q, cluster):
    old, new = agent(0), agent(1)
    labels = None if cluster is None else old.passage
    one = es.score(old, metric="cost", quantile=q, cluster=cluster).only
    assert numbers(one.run.estimate) == numbers(es.quantile(old.cost, q, labels))
    assert one.metric == ("cost, median" if q == 0.5 else "cost, p95")
    two = es.compare(
        old, new, metric="cost", quantile=q, cluster=cluster, lower_is_better=True, n_boot=500
    ).only
    called = es.quantile_difference(old.cost, new.cost, q, labels, n_boot=500)
    assert numbers(two.difference) == numbers(called)
    assert numbers(two.baseline.estimate) == numbers(one.run.estimate)
    assert two.missing is None


def test_costs_come_with_their_median_and_p95(capsys):
    df = agent(0)
    found = es.score(df, metric="cost").only
    assert [numbers(one) for one in found.quantiles] == [
        numbers(es.quantile(df.cost, q)) for q in (0.5, 0.95)
    ]
    median = es.quantile(df.cost)
    said = f"Median {median.point:.2f} ({median.ci_low:.2f} to {median.ci_high:.2f}); p95 "
    assert said in " ".join(str(found).split())
    assert es.score(df).only.quantiles == ()


def test_metrics_of_the_same_items_become_one_score_each():
    old, new = agent(0), agent(1)
    weights = {"solved": 3, "style": 1}
    combined = [es.combined_scores({key: df[key] for key in weights}, weights) for df in (old, new)]
    one = es.score(old, weights=weights).only
    assert one.run.estimate.point == pytest.approx(combined[0].mean(), rel=1e-12)
    assert numbers(one.run.estimate) == pytest.approx(numbers(es.mean(combined[0], bounds=(0, 1))))
    assert one.metric == "3·solved + 1·style"
    two = es.compare(old, new, weights=weights).only
    called = es.mean_difference(*combined, bounds=(0, 1))
    assert numbers(two.difference) == pytest.approx(numbers(called))
    assert two.test.method == "paired_t"


def test_completions_are_combined_one_by_one_and_lack_what_a_metric_lacks():
    rows = [row(f"q{i}", float(e % 2), "a", epoch=e) for i in range(20) for e in (1, 2)]
    rows += [row(f"q{i}", float(i % 2), "b", epoch=e) for i in range(20) for e in (2, 1) if (i, e) != (3, 2)]
    found = es.score(log(rows), weights={"a": 1, "b": 1}).only
    means = [(0.5 + i % 2) / 2 for i in range(20)]
    means[3] = (1 + 1) / 2  # its second completion has no b
    assert found.run.estimate.point == pytest.approx(np.mean(means))
    assert found.design.completions == pytest.approx(39 / 20)


def test_metrics_that_pull_apart_are_not_one_score():
    rows = [row(f"q{i}", float(i % 2), metric) for i in range(9) for metric in ("good", "bad")]
    part = build([header(higher_is_better={"bad": False}), *rows])
    with pytest.raises(InputError, match="of bad less is better"):
        es.score(part, weights={"good": 1, "bad": 1})


@pytest.mark.parametrize("weights", ["macro", "micro", {"colors_law": 2, "colors_bio": 1, "colors_hist": 0}])
def test_an_average_of_benchmarks_is_that_of_their_rows(weights):
    task = "colors_law,colors_bio,colors_hist"
    card, pairs = (
        es.score(GROUPS[0], weights=weights, task=task),
        es.compare(*GROUPS, weights=weights, task=task),
    )
    name = f"{weights if isinstance(weights, str) else 'weighted'} average"
    rows = card.primary[1:]
    w = (
        np.array([weights[r.benchmark] for r in rows], float)
        if isinstance(weights, dict)
        else np.array([r.run.estimate.n if weights == "micro" else 1 for r in rows], float)
    )
    average = card[name].run.estimate
    assert average.n == sum(r.run.estimate.n for r, weight in zip(rows, w, strict=True) if weight)
    assert average.point == pytest.approx(w @ [r.run.estimate.point for r in rows] / w.sum())
    difference = pairs[name].difference
    assert difference.point == pytest.approx(w @ [r.difference.point for r in pairs.primary[1:]] / w.sum())
    assert difference.extra["estimand"] == average.extra["estimand"] == name.split()[0]
    assert pairs.family.m == 3
    assert (pairs[name].adjusted, pairs[name].reject) == (None, None)
    text = str(card)
    assert f"· {len(rows)} benchmarks" in text.splitlines()[0]
    assert f"rows:{len(rows) + 1}|n:{sum(r.run.estimate.n for r in rows)}|" in text
    assert f"· {len(rows)} benchmarks" in str(pairs).splitlines()[0]


@pytest.mark.parametrize(
    ("figure", "said"),
    [
        (0.632, "is the micro average of these benchmarks: recomputed"),
        ((0.6 + 0.65 + 0.68) / 3, "is the macro average of these benchmarks: recomputed"),
        (0.7, "is no average of these items: micro is 0.632"),
    ],
)
def test_a_harness_s_group_score_is_recomputed_and_named(figure, said):
    run = es.read(GROUPS[0])
    (group,) = run.groups
    claimed = dataclasses.replace(group, harness=(HarnessFigure("acc,none", "mean", figure),))
    found = es.score(dataclasses.replace(run, groups=(claimed,)), task="colors", weights="micro")
    assert [note for note in found.notes if said in note]
    (check,) = group_checks(claimed, run)
    assert check.average == ("macro" if "macro" in said else "micro")
    assert check.agrees is ("recomputed" in said)
    text = contents_text(contents_of(dataclasses.replace(run, groups=(claimed,))))
    assert ("the macro average: the harness's and ours agree" in text) is ("macro" in said)


CALLS = {
    "ratio": ("--ratio", "cost/solved"),
    "quantile": ("--metric", "cost", "--quantile", "0.95"),
    "metrics": ("--weights", "solved=3,style=1"),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("verb", ["score", "compare"])
def test_every_form_is_printed_valid_and_made_again(verb, call, capsys, tmp_path):
    runs = written(tmp_path, 0.9)[: 1 if verb == "score" else 2]
    found = command(capsys, verb, *runs, *CALLS[call])
    VALIDATORS[verb].validate(found)
    result = tmp_path / "result.json"
    result.write_text(json.dumps(found), encoding="utf-8")
    assert es.reproduce(result).reproduced
    for form in ((), ("--markdown",), ("--html", str(tmp_path / "page.html"))):
        assert main([verb, *runs, *CALLS[call], *form]) == 0
        printed = capsys.readouterr().out
        assert "nan" not in printed
        assert all(len(line) <= 80 for line in printed.splitlines()) or form


@pytest.mark.parametrize("verb", ["score", "compare"])
def test_an_average_is_printed_valid_and_made_again(verb, capsys, tmp_path):
    runs = GROUPS[: 1 if verb == "score" else 2]
    arguments = (verb, *runs, "--task", "colors_law,colors_bio", "--weights", "colors_law=2,colors_bio=1")
    found = command(capsys, *arguments)
    VALIDATORS[verb].validate(found)
    result = tmp_path / "result.json"
    result.write_text(json.dumps(found), encoding="utf-8")
    assert es.reproduce(result).reproduced
    for form in ((), ("--markdown",), ("--html", str(tmp_path / "page.html"))):
        assert main([*arguments, *form]) == 0
        assert "weighted average" in capsys.readouterr().out or "--html" in form


@pytest.mark.parametrize(
    ("given", "checked"),
    [
        ("macro", "macro"),
        ("a=2,b=1", (("a", 2.0), ("b", 1.0))),
        ("exact_match,none = .5, f1,none=2", (("exact_match,none", 0.5), ("f1,none", 2.0))),
        ({"a": 1}, (("a", 1.0),)),
        ([["a", 1], ["b", 0]], (("a", 1.0), ("b", 0.0))),
    ],
)
def test_weights_are_read_from_text_and_tables(given, checked):
    assert checked_weights(given) == checked


@pytest.mark.parametrize(
    ("keywords", "error", "said"),
    [
        ({"weights": "a:2"}, InputError, "write macro"),
        ({"weights": "a=2,b"}, InputError, "write macro"),
        ({"weights": "a=1,a=2"}, InputError, "a twice"),
        ({"weights": "solved=-1,style=1"}, InputError, "0 or more"),
        ({"weights": 3}, InputError, "macro"),
        ({"weights": "x=1"}, InputError, "one benchmark is here"),
        ({"weights": {"solved": 1, "style": 1}, "metric": "cost"}, InputError, "names its metrics itself"),
        ({"ratio": "cost"}, InputError, "NUMERATOR/DENOMINATOR"),
        ({"ratio": "cost/x"}, InputError, "no metric 'x'"),
        ({"ratio": "cost/solved", "quantile": 0.5}, InputError, "Ask twice"),
        ({"ratio": "cost/solved", "metric": "cost"}, InputError, "names its metrics itself"),
        ({"ratio": "cost/solved", "guarantee": True}, InputError, "no such thing"),
        ({"ratio": "cost/solved", "view": "fixed_items"}, InputError, "questions like these"),
        ({"quantile": 0.5}, MethodError, "is 0 or 1"),
        ({"quantile": 50}, InputError, "quantile=50"),
        ({"quantile": 0.5, "metric": "cost", "view": "fixed_items"}, InputError, "leave view out"),
        ({"quantile": 0.5, "metric": "cost", "n_boot": 500}, MethodError, "has no use"),
    ],
)
def test_what_does_not_go_together_is_refused(keywords, error, said):
    with pytest.raises(error, match=said):
        es.score(agent(0), **keywords)


def test_two_runs_refuse_what_one_statistic_cannot_be():
    old, new = agent(0), agent(1)
    with pytest.raises(InputError, match="same items"):
        es.compare(old, new, metric="cost", quantile=0.5, paired=False)
    with pytest.raises(InputError, match="same items"):
        es.compare(old, new, ratio="cost/solved", paired=False)
    with pytest.raises(InputError, match="one pass rate"):
        es.compare("3/4", "2/4", quantile=0.5)
    with pytest.raises(InputError, match="counts have no such thing"):
        es.score("3/4", ratio="a/b")
    with pytest.raises(InputError, match="no benchmark x here"):
        es.score(GROUPS[0], weights="x=1")
    with pytest.raises(InputError, match="none for colors_bio"):
        es.score(GROUPS[0], weights="colors_law=1", task="colors_law,colors_bio")
    with pytest.raises(NoGuaranteeError, match="average over benchmarks"):
        es.score(GROUPS[0], weights="macro", guarantee=True, task="colors_law,colors_bio")


def test_verbs_about_means_say_so():
    runs = (agent(0), agent(1))
    for call in (
        lambda: es.gate(*runs, margin=0.1, quantile=0.5),
        lambda: es.slices(*runs, by="passage", ratio="a/b"),
        lambda: es.attempts(runs[0], weights="macro"),
    ):
        with pytest.raises(InputError, match="use score or compare"):
            call()


def test_the_command_says_what_is_wrong(capsys, tmp_path):
    runs = written(tmp_path)
    assert "write two metrics" in refused(capsys, "score", runs[0], "--ratio", "cost")
    assert "is no number" in refused(capsys, "score", runs[0], "--quantile", "half")


def test_a_quantile_whose_upper_end_no_item_reaches_shows_the_lower():
    rows = [{"id": i, "cost": (i * 37 % 60) / 10} for i in range(60)]
    one = es.score(rows, metric="cost", quantile=0.999)
    assert math.isnan(one.only.run.estimate.ci_high)
    assert ", no upper end" in str(one)


def test_a_weight_that_is_no_number_is_named():
    with pytest.raises(InputError, match="solved has nan, which is no weight"):
        es.score("3/4", weights="solved=nan,cost=1")


def test_a_ratio_by_next_to_nothing_is_refused():
    with pytest.raises(InputError, match=r"denominator\[0\] is 9.9+[0-9e.-]*321"):
        es.ratio([1] * 20, [1e-320] * 20)


def test_one_item_with_a_weight_is_one_item():
    with pytest.raises(MethodError, match="there is one item"):
        es.weighted_mean([0, 1] * 15, [1] + [0] * 29)
