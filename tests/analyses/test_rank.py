"""`rank` and its verb: logs and tables in, the same numbers as `score` and `compare`, refusals, JSON."""

from __future__ import annotations

import itertools
import json
import math
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evalstats as es
from evalstats.analyses.rank_result import RankedBenchmark
from evalstats.errors import InputError, MethodError, PairingError
from tests.made_runs import LOGS, Record, codes, command, log, refused, row, run_of, write_csv
from tests.test_schema import _validator

EXAMPLE = Path(__file__).parents[2] / "examples" / "models"
TABLE = EXAMPLE / "scores.csv"
VALIDATOR = _validator("rank")


def models(K: int = 4, n: int = 120, seed: int = 1, **fields: Any) -> list[Record]:
    """A long table: K models, each a little better than the one before."""
    rng = np.random.default_rng(seed)
    hard = rng.random(n)
    return [
        {
            "model": f"m{k}",
            "id": f"q{i:03d}",
            "score": int(rng.random() * 0.5 + hard[i] * 0.5 < 0.4 + 0.08 * k),
            "passage": f"p{i // 4}",
            **fields,
        }
        for k in range(K)
        for i in range(n)
    ]


def pair(found: RankedBenchmark, one: str, two: str) -> Any:
    return next(each for each in found.pairs if {each.candidate, each.baseline} == {one, two})


def test_the_example_is_what_its_script_writes(tmp_path):
    made = runpy.run_path(str(EXAMPLE / "made.py"))
    rows = [[int(cell) for cell in line.split(",")[1:]] for line in TABLE.read_text().splitlines()[1:]]
    assert made["answers"]().tolist() == rows


@pytest.mark.parametrize("options", [{}, {"cluster": "passage"}])
def test_every_pair_is_what_compare_says_and_every_run_what_score_says(options):
    table = models()
    found = es.rank(table, **options).only
    for run in found:
        alone = es.score(es.read(table).run(run.label), **options).only.run
        assert run.run == alone.__class__(**{**vars(alone), "label": run.label})
    for each in found.pairs:
        row_of = es.compare(table, baseline=each.baseline, candidate=each.candidate, **options).only
        assert (each.n, each.difference) == (row_of.difference.n, pytest.approx(row_of.difference.point))
        limits = (row_of.difference.ci_low, row_of.difference.ci_high)
        assert (each.ci_low, each.ci_high) == pytest.approx(limits, abs=1e-9)
        wanted = row_of.test.pvalue if options else row_of.test.extra["mid_p"]
        assert each.pvalue == pytest.approx(wanted, rel=1e-9)
        if not options:
            assert each.candidate_only == row_of.pairing.candidate_only
            assert each.baseline_only == row_of.pairing.baseline_only
    corrected = es.holm([each.pvalue for each in found.pairs])
    assert [each.adjusted for each in found.pairs] == pytest.approx(corrected["adjusted"])


def test_runs_in_any_order_and_items_in_any_order_give_one_answer():
    table = models()
    by_model = {name: [one for one in table if one["model"] == name] for name in ("m0", "m1", "m2", "m3")}
    usual = es.rank(table).to_dict()["benchmarks"]
    turned = es.rank(*(by_model[name][::-1] for name in ("m2", "m0", "m3", "m1"))).to_dict()["benchmarks"]
    assert usual == turned


def test_the_better_run_of_a_pair_is_the_candidate():
    found = es.rank(models()).only
    assert [run.label for run in found] == sorted(("m0", "m1", "m2", "m3"), reverse=True)
    assert all(each.difference >= 0 for each in found.pairs)
    assert [(each.candidate, each.baseline) for each in found.pairs] == [
        *itertools.combinations([run.label for run in found], 2)
    ]


def test_of_a_cost_the_cheapest_is_first_and_differences_are_not_turned():
    table = [{**one, "score": 3.5 - one["score"]} for one in models()]
    found = es.rank(table, lower_is_better=True).only
    assert [run.label for run in found] == ["m3", "m2", "m1", "m0"]
    assert found.higher_is_better is False
    assert all(each.difference <= 0 for each in found.pairs)
    assert [run.rank_low for run in found] == sorted(run.rank_low for run in found)


def test_the_shared_draw_has_the_same_digits_wherever_it_runs():
    assert es.rank(TABLE).only.methods.critical == pytest.approx(3.0373397908775135, rel=1e-14)


def test_groups_and_ranks_say_what_the_pairs_say():
    found = es.rank(models(K=6)).only
    for one, two in itertools.combinations(found, 2):
        shared = bool(set(one.groups) & set(two.groups))
        assert shared is not pair(found, one.label, two.label).apart
    assert all(run.rank_low <= run.rank <= run.rank_high for run in found)
    assert [run.label for run in found if 1 in run.groups] == list(found.groups[0])
    assert found["m5"] is found[0]
    assert list(found[:2]) == list(found)[:2]


def test_items_that_some_run_did_not_score_are_left_out_and_counted():
    table = [one for one in models() if not (one["model"] == "m1" and one["id"] in ("q003", "q050"))]
    table = [{**one, "score": None} if (one["model"], one["id"]) == ("m2", "q007") else one for one in table]
    found = es.rank(table).only
    assert (found.n_common, found.design.n_items, found.own_items) == (117, 117, False)
    assert {each.n for each in found.pairs} == {117}
    assert (found["m1"].run.n_total, found["m2"].run.n_scored) == (118, 119)
    assert found["m0"].run.estimate.n == 117


def test_where_common_items_would_lose_a_twentieth_every_pair_has_its_own():
    table = [one for one in models() if not (one["model"] == "m1" and one["id"] < "q010")]
    found = es.rank(table).only
    assert (found.n_common, found.own_items) == (110, True)
    assert pair(found, "m0", "m1").n == 110
    assert pair(found, "m0", "m2").n == 120
    assert found["m1"].run.estimate.n == 110
    assert found.methods.simultaneous == "tango"
    assert "own_common_items" in {caveat["code"] for caveat in found.caveats}
    row_of = es.compare(table, baseline="m0", candidate="m1").only
    assert pair(found, "m0", "m1").ci_low == pytest.approx(row_of.difference.ci_low, abs=1e-9)


def test_items_are_matched_whichever_runs_list_them():
    """An item that the longest run lacks is one item in the two others."""
    a = {f"q{i}": i % 2 for i in range(40)}
    b = {f"q{i}": i % 3 > 0 for i in range(30)} | {"x1": 1, "x2": 0}
    c = {f"q{i}": i % 5 > 0 for i in range(30)} | {"x2": 1, "x1": 1}
    found = es.rank(*(run_of(scores, model=name) for name, scores in zip("abc", (a, b, c), strict=True)))
    assert pair(found.only, "b", "c").n == 32
    assert pair(found.only, "a", "b").n == 30


def test_runs_with_no_item_in_common_are_refused():
    runs = [run_of({f"{name}{i}": i % 2 for i in range(9)}, model=name) for name in "abc"]
    with pytest.raises(PairingError, match="no item of quiz is in both runs"):
        es.rank(*runs)


def test_completions_are_reduced_to_items():
    runs = [
        run_of(
            {f"q{i}": [(i + e) % (k + 2) > 0 for e in range(3)] for i in range(60)},
            model=f"m{k}",
        )
        for k in range(3)
    ]
    found = es.rank(*runs).only
    assert (found.design.completions, found.methods.alone, found.overall.method) == (
        3.0,
        "tango_effective",
        "friedman",
    )
    row_of = es.compare(runs[0], runs[2]).only
    assert pair(found, "m0", "m2").pvalue == pytest.approx(row_of.test.pvalue, rel=1e-9)


def test_clusters_are_the_logs_own_and_have_no_overall_test():
    found = es.rank(models(), cluster="passage").only
    assert (found.design.unit, found.design.n_units, found.overall) == ("passage", 30, None)
    (candidate,) = es.rank(models()).only.design.cluster_candidates
    assert (candidate.field, candidate.n_clusters) == ("passage", 30)
    assert es.rank(models(), cluster="none").only.design.cluster_candidates == ()


def test_clusters_that_runs_tell_differently_are_refused():
    table = models()
    table[0] = {**table[0], "passage": "elsewhere"}
    with pytest.raises(InputError, match="item 'q000' is in cluster 'elsewhere' of passage in one run"):
        es.rank(table, cluster="passage")
    with pytest.raises(InputError, match="no run has such a field"):
        es.rank(table, cluster="passsage")


def test_several_benchmarks_are_ranked_each():
    seeds = {"law": 1, "bio": 2}
    table = [{**one, "benchmark": name} for name, seed in seeds.items() for one in models(seed=seed)]
    table += [{**one, "benchmark": "alone"} for one in models(K=1)]
    found = es.rank(table)
    assert [one.benchmark for one in found] == ["law", "bio"]
    assert found["law"].runs == es.rank(table, task="law").only.runs
    assert any("alone" in note for note in found.notes)
    assert {flat["benchmark"] for flat in found.rows()} == {"macro average", "law", "bio"}
    assert len(found.pairs) == 12
    assert len(found.pair_rows()) == 18
    with pytest.raises(InputError, match="2 benchmarks, not one"):
        _ = found.only


def test_over_several_benchmarks_of_one_scale_the_macro_average_ranks():
    seeds = {"law": 1, "bio": 2, "maths": 3}
    table = [{**one, "benchmark": name} for name, seed in seeds.items() for one in models(seed=seed)]
    found = es.rank(table)
    macro = found.macro
    for run in macro:
        points = [one[run.label].run.estimate.point for one in found]
        assert run.run.estimate.point == pytest.approx(np.mean(points))
        assert run.run.estimate.method == "wilson_stratified"
        assert run.run.n_total == 360
    assert [run.label for run in macro] == ["m3", "m2", "m1", "m0"]
    for each in macro.pairs:
        row_of = es.compare(table, baseline=each.baseline, candidate=each.candidate)
        differences = [one.difference.point for one in row_of]
        assert each.difference == pytest.approx(np.mean(differences))
    VALIDATOR.validate(json.loads(json.dumps(found.to_dict())))
    assert es.rank(table, task="law").macro is None


def test_without_one_scale_or_with_a_guarantee_there_is_no_macro_average_and_a_note():
    table = [{**one, "benchmark": "law"} for one in models()]
    table += [{**one, "benchmark": "judge", "score": 5 * one["score"] + 2.5} for one in models()]
    found = es.rank(table)
    assert found.macro is None
    assert "no macro average: the benchmarks are not on one scale" in found.notes
    proved = es.rank([{**one, "benchmark": b} for b in "ab" for one in models(n=30)], guarantee=True)
    assert proved.macro is None
    assert any(note.startswith("no macro average: no interval of a macro average") for note in proved.notes)


def test_runs_whose_one_benchmark_has_several_names_are_ranked_with_a_caveat():
    runs = [
        log([row(f"q{i}", i % 3 > 0, benchmark=name) for i in range(40)], model=model, benchmark=name)
        for model, name in (("a", "quiz"), ("b", "quiz-v2"), ("c", "quiz"))
    ]
    codes = [caveat["code"] for caveat in es.rank(*runs).only.caveats]
    assert "different_benchmark_names" in codes
    assert "identical_runs" in codes


def test_a_metric_is_one_that_every_run_has():
    def two(name: str, *metrics: str) -> Any:
        rows = [row(f"q{i}", i % 2, metric, run=name) for metric in metrics for i in range(20)]
        return log(rows, run=name, model=name)

    found = es.rank(two("a", "strict", "loose"), two("b", "loose", "strict"), two("c", "loose"))
    assert found.only.metric == "loose"
    assert es.rank(*(two(n, "strict", "loose") for n in "abc"), metric="strict").only.metric == "strict"


def test_a_table_with_a_column_a_model_is_all_of_them_or_those_that_are_named(capsys):
    all_of_them = command(capsys, "rank", str(TABLE))
    (found,) = all_of_them["benchmarks"]
    assert [len(found["runs"]), len(found["pairs"])] == [8, 28]
    VALIDATOR.validate(all_of_them)
    labels = [word for at in range(8) for word in ("--label", f"m{at}")]
    (labelled,) = command(capsys, "rank", str(TABLE), *labels)["benchmarks"]
    assert labelled["runs"][0]["run"]["label"] == "m0"
    named = [f"{TABLE}::{name}" for name in ("heron", "dunlin", "godwit")]
    (few,) = command(capsys, "rank", *named, "--joint", "--seed", "3")["benchmarks"]
    assert [run["run"]["label"] for run in few["runs"]] == ["heron", "godwit", "dunlin"]
    assert few["methods"]["rank_level"] is None
    assert few["methods"]["seed"] == 3


def test_logs_of_harnesses_are_ranked(capsys):
    logs = [str(LOGS / "lm_eval" / f"model-{one}") for one in "ab"]
    found = command(capsys, "rank", *logs, f"again={logs[0]}")
    VALIDATOR.validate(found)
    assert all("identical_runs" in {c["code"] for c in one["caveats"]} for one in found["benchmarks"])


def test_what_is_printed_is_reproduced(tmp_path, capsys):
    path = tmp_path / "result.json"
    path.write_text(
        json.dumps(command(capsys, "rank", str(TABLE), "--joint", "--n-boot", "500")), encoding="utf-8"
    )
    again = es.reproduce(path)
    assert again.reproduced
    assert again.compared > 500


def test_a_guarantee_is_exact_and_wider():
    usual, proved = es.rank(models()).only, es.rank(models(), guarantee=True).only
    assert (proved.methods.alone, proved.methods.test) == ("betting_mixture", "mcnemar_exact")
    for one, two in zip(usual.pairs, proved.pairs, strict=True):
        assert two.simultaneous_low <= one.simultaneous_low
        assert two.pvalue >= one.pvalue
    assert all(run.run.estimate.extra["guarantee"] == "proved" for run in proved)


def test_luck_is_counted_by_the_tests_own_null():
    found = es.rank(models()).only
    discordant = [each.baseline_only + each.candidate_only for each in found.pairs]
    assert found.family.expected_by_luck == pytest.approx(
        es.corrections.lit_by_luck(discordant, 0.05, "mid_p")
    )
    assert (found.family.method, found.family.m) == ("holm", 6)


def test_scores_that_are_all_equal_have_no_p_and_no_order():
    table = [{**one, "score": 0.5} for one in models(K=3, n=30)]
    found = es.rank(table).only
    assert {run.rank for run in found} == {1}
    assert len(found.groups) == 1
    assert all(math.isnan(each.pvalue) for each in found.pairs)
    assert (found.family.m, found.family.undefined) == (0, 3)
    VALIDATOR.validate(json.loads(json.dumps(es.rank(table).to_dict())))


@pytest.mark.parametrize(
    ("runs", "options", "error", "said"),
    [
        ((), {}, InputError, "three runs or more"),
        (([{"id": "a", "score": 1}],), {}, InputError, "is one run: evalstats score"),
        ((models(K=2),), {}, InputError, "evalstats compare BASELINE CANDIDATE"),
        (("3/5", "4/5", "2/5"), {}, InputError, "is counts: they do not say which items"),
        ((models(),), {"margin": 0.1}, InputError, "margin: has no use for a ranking"),
        ((models(),), {"correction": "none"}, InputError, "correction: has no use"),
        ((models(),), {"id": "a,b"}, InputError, "one field that identifies"),
        ((models(),), {"joint": "yes"}, InputError, "joint='yes'"),
        ((models(),), {"labels": ("a", "b")}, InputError, "give 4, one for each run"),
        ((models(K=3),), {"labels": ("a", "b", "a")}, InputError, "'a' is the label of several runs"),
        ((models(),), {"method": "max-t"}, MethodError, "Did you mean 'max_t'"),
        ((models(n=20),), {"method": "max_t"}, MethodError, "max_t does not hold here"),
        ((models(n=20),), {"n_boot": 500}, MethodError, "n_boot=500 has no use: .* fewer than 20 units"),
        ((models(),), {"n_boot": 0}, InputError, "n_boot=0 is too few resamples"),
        ((models(),), {"method": "tango", "n_boot": 500}, MethodError, "n_boot=500 has no use"),
        ((models(),), {"methods": "tango"}, InputError, "Did you mean 'method'"),
    ],
)
def test_what_cannot_be_ranked_is_an_error_that_says_what_to_do(runs, options, error, said):
    with pytest.raises(error, match=said):
        es.rank(*runs, **options)


def test_the_command_refuses_in_one_paragraph(capsys):
    assert "three runs or more" in refused(capsys, "rank")
    assert "evalstats compare" in refused(capsys, "rank", f"{TABLE}::heron", f"{TABLE}::dunlin")


@pytest.mark.parametrize("order", list(itertools.permutations("ABC")))
def test_two_items_of_one_run_are_never_taken_for_one_whatever_the_order_of_the_runs(order):
    """By contents C's items are three on from A's, by ids they are B's: contents decide, no score is lost."""
    hashed = {"A": 0, "B": None, "C": 3}
    logs = {
        name: log(
            [
                row(f"q{i}", (i * place) % 3 > 0, run=name, hash="" if shift is None else f"h{i + shift}")
                for i in range(40)
            ],
            run=name,
            model=name,
        )
        for place, (name, shift) in enumerate(hashed.items(), 1)
    }
    found = es.rank(*(logs[name] for name in order)).only
    assert [run.run.estimate.n for run in found] == [40] * 3
    assert {frozenset((each.candidate, each.baseline)): each.n for each in found.pairs} == {
        frozenset("AB"): 40,
        frozenset("AC"): 37,
        frozenset("BC"): 37,
    }
    assert "ids_agree_hashes_differ" in codes(found.caveats)


def test_a_column_blank_in_every_row_is_said_in_the_answer(tmp_path, capsys):
    rows = [{"id": f"q{i}", "a": i % 2, "b": i % 3 % 2, "c": 1, "d": "", "topic": "x"} for i in range(20)]
    found = es.rank(write_csv(tmp_path / "wide.csv", rows)).only
    assert [run.label for run in found if run.label == "d"] == []
    assert "d (a column blank in every row: no run)" in found.not_checked
    assert not any("topic" in text for text in found.not_checked)
    two = write_csv(tmp_path / "two.csv", [{key: one[key] for key in ("id", "a", "b", "d")} for one in rows])
    assert "Blank in every row, and so no run: d." in refused(capsys, "rank", two)
