"""Inspect logs: what expected.json says of the real ones, and one small log for each pitfall."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from evalstats.data.scores import ERRORED, MISSING, SCORED
from evalstats.errors import InputError
from evalstats.readers.detect import read_path
from tests.readers.small_logs import (
    LOGS,
    by_item,
    eval_members,
    field_of,
    inspect_result,
    inspect_sample,
    inspect_spec,
    read_one,
    recomputed,
    statuses,
    write_eval,
)

FOLDERS = ("inspect_eval", "inspect_eval_deflate_0.3.150", "inspect_json")
CLUSTERS = {"mcq": "subject", "graded": "topic"}


def comparisons() -> list[Any]:
    return [
        pytest.param(LOGS / folder, one, id=f"{folder}-{one['task']}-{one['scorer']}")
        for folder in FOLDERS
        for one in json.loads((LOGS / folder / "expected.json").read_text())["comparisons"]
    ]


@pytest.mark.parametrize(("folder", "expected"), comparisons())
def test_every_score_and_cluster_of_the_real_logs_is_read(folder: Path, expected: dict[str, Any]) -> None:
    metric = ".".join(filter(None, (expected["scorer"], expected["value_key"])))
    for side in "AB":
        part = read_one(folder / expected[f"file_{side}"])
        assert part.benchmark == expected["task"]
        scores = by_item(part, metric)
        assert scores == {str(item["id"]): item[side] for item in expected["items"]}
        assert len(scores) == expected[side]["n_items"]
        assert len(part.metric(metric).score) == expected[side]["n_rows"]
        means = [sum(values) / len(values) for values in scores.values()]
        assert sum(means) / len(means) == pytest.approx(expected[side]["mean"], abs=1e-12)
        clusters = field_of(part, CLUSTERS.get(part.benchmark, "passage_id"))
        assert clusters == {str(item["id"]): item["cluster"] for item in expected["items"]}
        assert len(set(clusters.values())) == expected["paired"]["n_clusters"]


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_harness_figures_come_out_of_our_items_again(folder: str) -> None:
    checked = 0
    for model in ("model-a", "model-b"):
        for part in read_path(LOGS / folder / model):
            for figure in part.header.harness:
                assert recomputed(part, figure) == pytest.approx(figure.value, abs=1e-9), figure
                checked += 1
    assert checked >= 4


def test_a_real_log_says_who_ran_what_and_how() -> None:
    clustered = next(p for p in read_path(LOGS / "inspect_eval" / "model-a") if p.benchmark == "clustered")
    header = clustered.header
    assert (header.run, header.model, header.format) == ("seeded/model-a", "seeded/model-a", "inspect")
    assert clustered.primary == "match_clustered"
    assert header.cluster == "passage_id"
    assert header.problem == ""
    assert not header.positional
    assert header.config["epochs"] == "2"
    assert header.config["harness"] == "inspect_ai 0.3.285"
    assert header.config["model_args"] == "errs=0, seed=11, skill=0.6"
    assert header.bounds == {"match_clustered": (0.0, 1.0)}


def test_the_second_standard_error_is_clustered_by_its_params() -> None:
    clustered = next(p for p in read_path(LOGS / "inspect_eval" / "model-a") if p.benchmark == "clustered")
    errors = {
        figure.cluster: figure.value
        for figure in clustered.header.harness
        if figure.metric == "match_clustered" and figure.kind == "standard_error"
    }
    assert errors == {None: 0.05017624305616791, "passage_id": 0.04190408549237628}


def test_grouped_entries_and_std_are_no_figures_to_check() -> None:
    mcq = next(p for p in read_path(LOGS / "inspect_eval" / "model-a") if p.benchmark == "mcq")
    assert [(figure.kind, figure.value) for figure in mcq.header.harness] == [
        ("mean", 0.62),
        ("standard_error", 0.06934092056863769),
    ]
    assert [m.metric for m in mcq.metrics] == ["choice"]


def test_a_group_that_is_called_mean_is_no_mean_of_the_log(tmp_path: Path) -> None:
    grouped = {"name": "mean", "value": 0.25, "params": {"group_key": "subject"}}
    result = inspect_result("match", 1.0) | {"metrics": {"mean": grouped}}
    members = eval_members([inspect_sample("q1", {"match": "C"})], [result])
    assert read_one(write_eval(tmp_path / "x.eval", members)).header.harness == ()


def test_the_judge_is_a_setting() -> None:
    graded = next(p for p in read_path(LOGS / "inspect_eval" / "model-a") if p.benchmark == "graded")
    assert graded.header.config["judge"] == "seeded/judge-v1"


def test_reducers_of_one_scorer_are_metrics_of_their_own_and_the_mean_stands_for_the_benchmark() -> None:
    epochs = next(p for p in read_path(LOGS / "inspect_eval" / "model-a") if p.benchmark == "arith_epochs")
    assert [m.metric for m in epochs.metrics] == [
        "match",
        "exact_len",
        "match/pass_at_2",
        "match/at_least_2",
        "exact_len/pass_at_2",
        "exact_len/at_least_2",
    ]
    assert epochs.primary == "match"
    reduced = epochs.metric("match/pass_at_2")
    assert len(reduced.score) == len(epochs.items) == 40
    assert reduced.score.mean() == pytest.approx(0.6333333333333335, abs=1e-12)
    assert reduced.bounds == epochs.metric("exact_len/at_least_2").bounds == (0.0, 1.0)
    assert epochs.metric("exact_len").bounds is None


def test_without_a_mean_the_first_reducer_stands_for_the_benchmark(tmp_path: Path) -> None:
    samples = [inspect_sample("q1", {"match": v}, epoch) for epoch, v in ((1, "C"), (2, "I"))]
    members = eval_members(
        samples, [inspect_result("match", 1.0, reducer="max")], eval=inspect_spec(1, epochs=2)
    )
    members["reductions.json"] = [
        {"scorer": "match", "reducer": "max", "samples": [{"sample_id": "q1", "value": "C"}]}
    ]
    part = read_one(write_eval(tmp_path / "x.eval", members))
    assert part.primary == "match/max"
    assert by_item(part, "match/max") == {"q1": [1.0]}
    assert part.metric("match/max").bounds == (0.0, 1.0)


@pytest.mark.parametrize(
    ("value", "score"),
    [
        ("C", 1.0),
        ("P", 0.5),
        ("I", 0.0),
        ("N", 0.0),
        ("Yes", 1.0),
        ("no", 0.0),
        ("TRUE", 1.0),
        ("false", 0.0),
        (True, 1.0),
        (False, 0.0),
        (7, 7.0),
        (0.25, 0.25),
        ("0.75", 0.75),
    ],
)
def test_values_become_numbers_as_in_inspect(tmp_path: Path, value: Any, score: float) -> None:
    part = read_one(write_eval(tmp_path / "x.eval", eval_members([inspect_sample("q1", {"match": value})])))
    assert by_item(part, "match") == {"q1": [score]}
    verdict = isinstance(value, bool) or (isinstance(value, str) and value.isalpha())
    assert part.metric("match").bounds == ((0.0, 1.0) if verdict else None)


def test_a_label_without_a_number_is_an_error_that_names_it(tmp_path: Path) -> None:
    samples = [inspect_sample("q1", {"judge": "C"}), inspect_sample("q2", {"judge": "refusal"})]
    path = write_eval(tmp_path / "x.eval", eval_members(samples))
    with pytest.raises(InputError, match=r"item 'q2' has the label 'refusal' from judge.*inspect score"):
        read_path(path)


def test_labels_of_another_scorer_are_left_out_and_said(tmp_path: Path) -> None:
    samples = [inspect_sample("q1", {"match": "C", "topic": "law"})]
    part = read_one(write_eval(tmp_path / "x.eval", eval_members(samples, [inspect_result("match", 1.0)])))
    assert [m.metric for m in part.metrics] == ["match"]
    assert part.header.notes == ("topic gives labels such as 'law', not numbers, and was left out",)


def test_dict_and_list_values_are_a_metric_for_each_entry(tmp_path: Path) -> None:
    samples = [
        inspect_sample("q1", {"rubric": {"clear": 1, "short": 0.5}, "pair": ["C", "I"]}),
        inspect_sample("q2", {"rubric": math.nan, "pair": ["I", "I"]}),
    ]
    results = [{"name": "short", "scorer": "rubric", "metrics": {}}]
    part = read_one(write_eval(tmp_path / "x.eval", eval_members(samples, results)))
    assert [m.metric for m in part.metrics] == ["rubric.clear", "rubric.short", "pair.0", "pair.1"]
    assert part.primary == "rubric.short"
    assert statuses(part, "rubric.clear") == {"q1": [SCORED], "q2": [MISSING]}
    assert by_item(part, "pair.0") == {"q1": [1.0], "q2": [0.0]}


def test_a_nan_literal_is_a_missing_score(tmp_path: Path) -> None:
    values = {"q1": math.nan, "q2": 1, "q3": math.inf, "q4": "nan", "q5": None}
    members = eval_members([inspect_sample(id, {"match": value}) for id, value in values.items()])
    assert "NaN" in json.dumps(members["summaries.json"])
    part = read_one(write_eval(tmp_path / "x.eval", members))
    assert statuses(part, "match") == {id: [SCORED if id == "q2" else MISSING] for id in values}


def test_settings_that_are_null_are_not_set(tmp_path: Path) -> None:
    nothing = dict.fromkeys(
        ("task_args", "model_args", "dataset", "config", "packages", "scorers", "model_roles")
    )
    members = eval_members([inspect_sample("q1", {"match": "C"})], eval=inspect_spec(1, **nothing), plan=None)
    assert dict(read_one(write_eval(tmp_path / "x.eval", members)).header.config) == {"model": "mock/model-a"}


def test_a_long_setting_is_known_by_its_beginning_and_a_digest(tmp_path: Path) -> None:
    def solver(template: str) -> str:
        plan = {"steps": [{"solver": "prompt_template", "params": {"template": template}}]}
        members = eval_members([inspect_sample("q1", {"match": "C"})], plan=plan)
        return read_one(write_eval(tmp_path / "x.eval", members)).header.config["solver"]

    assert solver("Answer.") == "prompt_template(template=Answer.)"
    one, two = solver("Answer. " * 100 + "Now."), solver("Answer. " * 100 + "Then.")
    assert one[:80] == two[:80]
    assert one != two
    assert len(one) < 160


def test_a_judge_may_be_a_role(tmp_path: Path) -> None:
    spec = inspect_spec(1, model_roles={"grader": {"model": "mock/judge"}})
    members = eval_members([inspect_sample("q1", {"match": "C"})], eval=spec)
    assert read_one(write_eval(tmp_path / "x.eval", members)).header.config["judge"] == "mock/judge"


def test_an_errored_epoch_is_an_error_not_a_wrong_answer(tmp_path: Path) -> None:
    samples = [
        inspect_sample("q1", {"match": "C"}),
        inspect_sample("q1", None, 2, error="rate limit"),
        inspect_sample("q2", {}, error={"message": "boom"}),
    ]
    part = read_one(write_eval(tmp_path / "x.eval", eval_members(samples)))
    assert statuses(part, "match") == {"q1": [SCORED, ERRORED], "q2": [ERRORED]}


def test_a_sample_that_was_scored_in_spite_of_its_error_counts(tmp_path: Path) -> None:
    samples = [inspect_sample("q1", {"match": "I"}, error="tool failed")]
    part = read_one(write_eval(tmp_path / "x.eval", eval_members(samples)))
    assert statuses(part, "match") == {"q1": [SCORED]}


def test_a_run_with_every_item_errored_is_read_as_errors(tmp_path: Path) -> None:
    samples = [inspect_sample(f"q{i}", None, error="no key") for i in (1, 2, 3)]
    part = read_one(write_eval(tmp_path / "x.eval", eval_members(samples, status="error")))
    assert statuses(part, "match") == {f"q{i}": [ERRORED] for i in (1, 2, 3)}


def test_what_an_aborted_run_did_not_log_is_missing(tmp_path: Path) -> None:
    members = eval_members(
        [inspect_sample("q1", {"match": "C"}), inspect_sample("q2", None, error="boom")],
        eval=inspect_spec(4),
        status="error",
        error={"message": "boom\nsecond line"},
    )
    part = read_one(write_eval(tmp_path / "x.eval", members))
    assert statuses(part, "match") == {"q1": [SCORED], "q2": [ERRORED], "q3": [MISSING], "q4": [MISSING]}
    assert part.header.problem == "the run stopped with an error (boom); 2 of 4 samples are in it"


def test_completions_that_were_not_logged_are_missing_one_by_one(tmp_path: Path) -> None:
    samples = [inspect_sample("q1", {"match": "C"}, 1)]
    members = eval_members(samples, eval=inspect_spec(2, epochs=2), status="cancelled")
    part = read_one(write_eval(tmp_path / "x.eval", members))
    assert statuses(part, "match") == {"q1": [SCORED, MISSING], "q2": [MISSING, MISSING]}
    assert part.header.problem == "the run was cancelled; 1 of 4 samples are in it"


def test_ids_of_a_dataset_before_its_limit_are_not_missing_samples(tmp_path: Path) -> None:
    members = eval_members([inspect_sample("q1", {"match": "C"})], [], eval=inspect_spec(3))
    members["header.json"]["results"]["total_samples"] = 1
    part = read_one(write_eval(tmp_path / "x.eval", members))
    assert list(part.items.ids) == ["q1"]


def test_two_declared_clusters_are_an_error_until_one_is_chosen(tmp_path: Path) -> None:
    metrics = [{"name": "stderr", "options": {"cluster": name}} for name in ("passage", "family")]
    spec = inspect_spec(1, scorers=[{"name": "match", "metrics": metrics}])
    path = write_eval(tmp_path / "x.eval", eval_members([inspect_sample("q1", {"match": "C"})], eval=spec))
    with pytest.raises(InputError, match=r"passage and family.*--cluster passage or --cluster family"):
        read_path(path)
    assert read_one(path, "family").header.cluster == "family"
    assert read_one(path, "none").header.cluster is None


def test_a_cluster_declared_in_a_dict_of_metrics_holds_for_the_log(tmp_path: Path) -> None:
    metrics = {"clear": [{"name": "stderr", "options": {"cluster": "passage"}}]}
    spec = inspect_spec(1, scorers=[{"name": "rubric", "metrics": metrics}])
    samples = [inspect_sample("q1", {"rubric": {"clear": 1}}, metadata={"passage": "P1"})]
    part = read_one(write_eval(tmp_path / "x.eval", eval_members(samples, eval=spec)))
    assert part.header.cluster == "passage"


def test_nothing_scored_still_names_the_declared_metrics(tmp_path: Path) -> None:
    scorers = [{"name": "rubric", "metrics": {"clear": [], "short*": []}}, {"name": "match"}]
    members = eval_members([], eval=inspect_spec(2, scorers=scorers), status="started")
    part = read_one(write_eval(tmp_path / "x.eval", members))
    assert [m.metric for m in part.metrics] == ["rubric.clear", "match"]
    assert statuses(part, "match") == {"q1": [MISSING], "q2": [MISSING]}
    assert part.header.problem.startswith("the run had not finished when this log was written")


def test_long_and_nested_metadata_are_read_only_when_wanted(tmp_path: Path) -> None:
    metadata = {"long": "x" * 300, "of": {"book": "b1"}, "tags": ["a"], "none": None, "lang": "en"}
    members = eval_members([inspect_sample("q1", {"match": "C"}, metadata=metadata)])
    path = write_eval(tmp_path / "x.eval", members)
    assert set(read_one(path).items.fields) == {"lang"}
    part = read_one(path, "long", "metadata.of.book")
    assert set(part.items.fields) == {"lang", "long", "of.book"}
    assert field_of(part, "of.book") == {"q1": "b1"}
