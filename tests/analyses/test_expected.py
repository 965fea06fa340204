"""Real logs of both harnesses against expected.json, which was computed apart from any of our code."""

from __future__ import annotations

import json
import math
import statistics

import pytest

import evalstats as es
from evalstats.analyses.compare_paired import join
from evalstats.analyses.options import Options
from evalstats.analyses.questions import questions_of_two
from evalstats.analyses.show import show
from evalstats.analyses.two_runs import two_runs
from evalstats.methods.clusters import cr0, cr1
from evalstats.sources import Wanted, named_source
from tests.made_runs import LOGS, codes, command

FOLDERS = ("inspect_eval", "inspect_eval_deflate_0.3.150", "inspect_json", "lm_eval", "lm_eval_repeats")
CLUSTERS = {"mcq": "subject", "graded": "topic"}  # the others by passage_id
NEAR = {"rel": 1e-12, "abs": 1e-15}


def _expected(folder):
    return json.loads((LOGS / folder / "expected.json").read_text(encoding="utf-8"))


def _runs(folder):
    return LOGS / folder / "model-a", LOGS / folder / "model-b"


def _question(case):
    """How expected.json calls a metric, as options of ours."""
    if "filter" in case:
        return {"task": case["task"], "metric": case["metric"], "filter": case["filter"]}
    key = f".{case['value_key']}" if case["value_key"] else ""
    return {"task": case["task"], "metric": case["scorer"] + key}


def _parameters():
    return [
        pytest.param(folder, case, id=f"{folder}-{'-'.join(_question(case).values())}")
        for folder in FOLDERS
        for case in _expected(folder)["comparisons"]
    ]


CASES = _parameters()


@pytest.mark.parametrize(("folder", "case"), CASES)
def test_the_difference_and_both_runs(folder, case):
    row = es.compare(*_runs(folder), cluster="none", **_question(case)).only
    paired = case["paired"]
    assert (row.difference.n, row.pairing.n_common) == (paired["n"], paired["n"])
    assert row.difference.point == pytest.approx(paired["mean_diff_B_minus_A"], **NEAR)
    assert row.baseline.estimate.point == pytest.approx(paired["mean_A"], **NEAR)
    assert row.candidate.estimate.point == pytest.approx(paired["mean_B"], **NEAR)
    assert (row.pairing.only_in_baseline, row.pairing.only_in_candidate) == (
        len(paired["only_in_A"]),
        len(paired["only_in_B"]),
    )
    for side, expected in ((row.baseline, case["A"]), (row.candidate, case["B"])):
        assert side.n_total == expected["n_items"]
        assert side.n_scored == expected["n_items"]
        assert side.estimate.point == pytest.approx(expected["mean"], **NEAR)
    assert row.design.completions == case["A"]["n_rows"] / case["A"]["n_items"]


@pytest.mark.parametrize(("folder", "case"), CASES)
def test_who_got_what_right(folder, case):
    pairing = es.compare(*_runs(folder), cluster="none", **_question(case)).only.pairing
    items, paired = case["items"], case["paired"]
    if paired["binary"]:
        found = (pairing.baseline_only, pairing.candidate_only, pairing.both_right, pairing.both_wrong)
        named = ("b_A_right_B_wrong", "c_B_right_A_wrong", "both_right", "both_wrong")
        assert found == tuple(paired[name] for name in named)
        assert pairing.tied is None
        return
    means = [(statistics.fmean(item["A"]), statistics.fmean(item["B"])) for item in items]
    higher = sum(b > a + 1e-12 for a, b in means)
    lower = sum(b < a - 1e-12 for a, b in means)
    assert (pairing.candidate_higher, pairing.baseline_higher, pairing.tied) == (
        higher,
        lower,
        len(items) - higher - lower,
    )
    assert pairing.baseline_only is None


def _joined(folder, case, cluster):
    options = Options.of({"cluster": cluster, **_question(case)})
    sources = tuple(named_source(path, Wanted.of(None, cluster)) for path in _runs(folder))
    asked = questions_of_two((sources[0].scores, sources[1].scores), sources, options)
    runs = two_runs(asked.primary[0], options, same_source=False)
    return runs, join(runs, options)


@pytest.mark.parametrize(("folder", "case"), CASES)
def test_every_item_has_its_scores(folder, case):
    runs, joined = _joined(folder, case, "none")
    pairs = zip(joined.used[0], joined.pairs.y_baseline, joined.pairs.y_candidate, strict=True)
    found = {runs.parts[0].items.ids[at]: (old, new) for at, old, new in pairs}
    assert set(found) == {str(item["id"]) for item in case["items"]}
    for item in case["items"]:
        means = tuple(statistics.fmean(item[run]) for run in "AB")
        assert found[str(item["id"])] == pytest.approx(means, **NEAR)


@pytest.mark.parametrize(("folder", "case"), CASES)
def test_the_standard_error_of_the_difference_over_items(folder, case):
    _, joined = _joined(folder, case, "none")
    assert cr1(joined.pairs.units) == pytest.approx(case["paired"]["se_diff_item"], rel=1e-12)


@pytest.mark.parametrize(
    ("folder", "case"), [each for each in CASES if "n_clusters" in each.values[1]["paired"]]
)
def test_the_standard_error_of_the_difference_in_clusters(folder, case):
    paired = case["paired"]
    cluster = CLUSTERS.get(case["task"], "passage_id")
    row = es.compare(*_runs(folder), cluster=cluster, **_question(case)).only
    assert row.pairing.n_clusters == paired["n_clusters"]
    assert row.design.n_units == paired["n_clusters"]
    runs, joined = _joined(folder, case, cluster)
    assert cr1(joined.pairs.units) == pytest.approx(paired["se_diff_cluster_CR1_G_over_Gm1"], rel=1e-12)
    assert cr0(joined.pairs.units) == pytest.approx(paired["se_diff_cluster_CR0"], rel=1e-12)
    groups = {item["id"]: item["cluster"] for item in case["items"]}
    field = runs.parts[0].items.fields[cluster]
    assert {runs.parts[0].items.ids[at]: field.of(at) for at in range(len(groups))} == {
        str(item): group for item, group in groups.items()
    }


def test_the_cluster_that_inspect_declared_is_used_without_being_asked():
    row = es.compare(*_runs("inspect_eval"), task="clustered").only
    assert (row.design.unit, row.design.cluster_source, row.design.n_units) == ("passage_id", "harness", 15)


PRIMARY = {  # Inspect's first entry of results.scores; lm-eval's first metric under the task's last filter
    "arith": "match",
    "mcq": "choice",
    "graded": "model_graded_qa",
    "clustered": "match_clustered",
    "arith_epochs": "match",
    "colors_law": "acc,none",
    "colors_bio": "acc,none",
    "colors_hist": "acc,none",
    "pens_cot": "exact_match,flexible-extract",
    "pens_maj5": "exact_match,maj@5",
}


@pytest.mark.parametrize("folder", FOLDERS)
def test_primary_metrics_are_those_of_the_log(folder):
    found = {row.benchmark: row.metric for row in es.compare(*_runs(folder))}
    assert found == {task: PRIMARY[task] for task in {c["task"] for c in _expected(folder)["comparisons"]}}


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("model", ["model-a", "model-b"])
def test_every_figure_of_the_harness_is_recomputed_from_our_items(folder, model):
    contents = show(LOGS / folder / model)
    metrics = [m for part in contents.benchmarks for m in part.metrics]
    checks = [check for m in metrics for check in m.harness]
    checks += [check for group in contents.groups for check in group.harness]
    assert checks
    for check in checks:
        assert math.isfinite(check.ours), check
        assert check.ours == pytest.approx(check.harness, rel=1e-9, abs=1e-9)
        assert check.agrees


def _figures(contents, benchmark, metric):
    (found,) = [
        m
        for part in contents.benchmarks
        if part.benchmark == benchmark
        for m in part.metrics
        if m.metric == metric
    ]
    return {(check.kind, check.cluster is not None): check for check in found.harness}


@pytest.mark.parametrize(("folder", "case"), [each for each in CASES if each.values[0].startswith("inspect")])
@pytest.mark.parametrize("run", ["A", "B"])
def test_the_figures_of_inspect_are_those_it_printed(folder, case, run):
    contents = show(LOGS / folder / f"model-{run.lower()}")
    for entry in case[f"harness_{run}"]:
        base = f"{case['scorer']}.{entry['name']}" if case["value_key"] else entry["name"]
        metric = base if entry["reducer"] in (None, "mean") else f"{base}/{entry['reducer']}"
        found = _figures(contents, case["task"], metric)
        printed = entry["metrics"]
        mean = printed.get("accuracy", printed.get("mean"))
        assert found["mean", False].harness == mean
        assert found["mean", False].ours == pytest.approx(mean, rel=1e-9)
        clustered = "stderr2" if "stderr2" in printed else None
        for name, is_clustered in (("stderr", False), (clustered, True)):
            if name in printed:
                check = found["standard_error", is_clustered]
                assert check.harness == printed[name]
                assert check.ours == pytest.approx(printed[name], rel=1e-9)


@pytest.mark.parametrize(("folder", "case"), [each for each in CASES if each.values[0].startswith("lm_eval")])
@pytest.mark.parametrize("run", ["A", "B"])
def test_the_figures_of_lm_eval_are_those_it_printed(folder, case, run):
    contents = show(LOGS / folder / f"model-{run.lower()}")
    found = _figures(contents, case["task"], f"{case['metric']},{case['filter']}")
    for kind, name in (("mean", "value"), ("standard_error", "stderr")):
        printed = case[f"harness_{run}"][name]
        assert found[kind, False].harness == printed
        assert found[kind, False].ours == pytest.approx(printed, rel=1e-9)


@pytest.mark.parametrize("run", ["A", "B"])
def test_the_group_of_lm_eval_is_pooled_and_not_counted_twice(run):
    expected = _expected("lm_eval")["groups"]
    contents = show(LOGS / "lm_eval" / f"model-{run.lower()}")
    (group,) = contents.groups
    assert (group.group, list(group.members)) == ("colors", expected["group_subtasks"]["colors"])
    assert "colors" not in [part.benchmark for part in contents.benchmarks]
    for check in group.harness:
        suffix = "_stderr" if check.kind == "standard_error" else ""
        metric, _, name = check.metric.partition(",")
        printed = expected[run]["colors"][f"{metric}{suffix},{name}"]
        assert check.harness == printed
        assert check.ours == pytest.approx(printed, rel=1e-9)
    assert len(group.harness) == 4


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_command_gives_the_same_numbers(capsys, folder):
    printed = command(capsys, "compare", *_runs(folder), "--cluster", "none")
    found = {(row["benchmark"], row["metric"]): row for row in printed["comparisons"]}
    for case in _expected(folder)["comparisons"]:
        question = _question(case)
        metric = ",".join(filter(None, (question["metric"], question.get("filter"))))
        row = found[case["task"], metric]
        assert row["difference"]["point"] == pytest.approx(case["paired"]["mean_diff_B_minus_A"], **NEAR)


@pytest.mark.parametrize("folder", FOLDERS)
def test_two_real_runs_raise_no_false_alarm(folder):
    for row in es.compare(*_runs(folder), cluster="none"):
        raised = set(codes(row.caveats))
        assert not raised & {"same_file", "identical_runs", "missing_items", "run_incomplete", "duplicates"}
        assert [check.name for check in row.pairing.checks if check.status == "problem"] == []
        changed = {change.setting for change in row.pairing.changed_config}
        assert changed <= {"model", "model_args"}
