"""lm-evaluation-harness logs: what expected.json says of the real ones, and a small file for each pitfall."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from evalstats.data.scores import Row, Scores
from evalstats.errors import InputError
from evalstats.readers.detect import read_path
from evalstats.readers.lm_eval import rows
from tests.readers.small_logs import (
    LOGS,
    TIME,
    by_item,
    field_of,
    lm_eval_line,
    lm_eval_results,
    read_one,
    recomputed,
    write_lm_eval,
)

FOLDERS = ("lm_eval", "lm_eval_repeats")


def comparisons() -> list[Any]:
    return [
        pytest.param(LOGS / folder, one, id=f"{folder}-{one['task']}-{one['metric']}-{one['filter']}")
        for folder in FOLDERS
        for one in json.loads((LOGS / folder / "expected.json").read_text())["comparisons"]
    ]


def task_of(scores: Scores, task: str) -> Any:
    return next(part for part in scores if part.benchmark == task)


@pytest.mark.parametrize(("folder", "expected"), comparisons())
def test_every_score_and_cluster_of_the_real_logs_is_read(folder: Path, expected: dict[str, Any]) -> None:
    metric = f"{expected['metric']},{expected['filter']}"
    for side, model in (("A", "model-a"), ("B", "model-b")):
        part = task_of(read_path(folder / model), expected["task"])
        scores = by_item(part, metric)
        assert scores == {str(item["id"]): item[side] for item in expected["items"]}
        assert len(scores) == expected[side]["n_items"] == expected[f"n_samples_{side}"]["effective"]
        assert sum(v for (v,) in scores.values()) / len(scores) == pytest.approx(
            expected[side]["mean"], abs=1e-12
        )
        assert field_of(part, "id") == {str(item["id"]): item["dataset_id"] for item in expected["items"]}
        if "n_clusters" in expected["paired"]:
            clusters = field_of(part, "passage_id")
            assert clusters == {str(item["id"]): item["cluster"] for item in expected["items"]}
            assert len(set(clusters.values())) == expected["paired"]["n_clusters"]
        assert len(set(part.items.hashes)) == len(part.items)


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("model", ["model-a", "model-b"])
def test_the_harness_figures_come_out_of_our_items_again(folder: str, model: str) -> None:
    for part in read_path(LOGS / folder / model):
        figures = part.header.harness
        assert len(figures) == 2 * len(part.metrics)
        for figure in figures:
            assert recomputed(part, figure) == pytest.approx(figure.value, abs=1e-9), figure


@pytest.mark.parametrize("model", ["model-a", "model-b"])
def test_a_group_is_no_benchmark_of_its_own_and_its_pooled_error_comes_out_again(model: str) -> None:
    scores = read_path(LOGS / "lm_eval" / model)
    (group,) = scores.groups
    assert group.benchmark == "colors"
    assert group.members == ("colors_law", "colors_bio", "colors_hist")
    assert "colors" not in [part.benchmark for part in scores]
    assert scores.notes == ()
    for metric in ("acc,none", "acc_norm,none"):
        parts = [task_of(scores, name).metric(metric).score for name in group.members]
        sizes, variances = [len(y) for y in parts], [y.var(ddof=1) for y in parts]
        n = sum(sizes)
        pooled = sum((size - 1) * v for size, v in zip(sizes, variances, strict=True)) / (n - len(sizes))
        printed = {f.kind: f.value for f in group.harness if f.metric == metric}
        assert printed["mean"] == pytest.approx(sum(y.sum() for y in parts) / n, abs=1e-9)
        assert printed["standard_error"] == pytest.approx(math.sqrt(pooled / n), abs=1e-9)


def test_a_real_log_says_who_ran_what_and_how() -> None:
    law = task_of(read_path(LOGS / "lm_eval" / "model-a"), "colors_law")
    header = law.header
    assert (header.run, header.model, header.format) == ("model-a", "model-a", "lm_eval")
    assert header.created == "2026-11-30T18:33:06.901639"
    assert header.positional
    assert header.bounds == {"acc,none": (0.0, 1.0), "acc_norm,none": (0.0, 1.0)}
    assert header.higher_is_better == {"acc,none": True, "acc_norm,none": True}
    assert header.config["num_fewshot"] == "0"
    assert header.config["model_args"] == "name=model-a, seed=11, skill=0.62"
    assert header.config["seeds"] == "fewshot=1234, numpy=1234, random=0, torch=1234"
    assert header.config["harness"] == "lm-eval 0.4.13"
    assert header.path.endswith("samples_colors_law_2026-11-30T18-33-06.901639.jsonl")


@pytest.mark.parametrize(
    ("task", "primary"),
    [
        ("colors_law", "acc,none"),
        ("pens_cot", "exact_match,flexible-extract"),
        ("pens_maj5", "exact_match,maj@5"),
    ],
)
def test_the_first_metric_under_the_last_filter_is_primary_with_and_without_results(
    tmp_path: Path, task: str, primary: str
) -> None:
    folder = LOGS / "lm_eval" / "model-a"
    assert task_of(read_path(folder), task).primary == primary
    (samples,) = folder.glob(f"samples_{task}_*")
    alone = tmp_path / samples.name
    alone.write_bytes(samples.read_bytes())
    part = read_one(alone)
    assert (part.benchmark, part.primary) == (task, primary)
    assert part.header.bounds[primary] == (0.0, 1.0)


def test_a_samples_file_beside_its_results_is_read_with_them() -> None:
    (samples,) = (LOGS / "lm_eval" / "model-b").glob("samples_colors_bio_*")
    part = read_one(samples)
    assert part.header.run == "model-b"
    assert part.header.harness


def test_the_results_file_names_the_whole_run() -> None:
    (results,) = (LOGS / "lm_eval" / "model-b").glob("results_*")
    assert [part.benchmark for part in read_path(results)] == [
        *("colors_law", "colors_bio", "colors_hist", "pens_cot", "pens_maj5")
    ]


def test_the_model_is_named_by_its_arguments_and_else_by_its_folder(tmp_path: Path) -> None:
    def run_of(folder: str, arguments: Any) -> str:
        results = lm_eval_results(config={"model": "hf", "model_args": arguments})
        return read_one(write_lm_eval(tmp_path / folder, [lm_eval_line(0)], results)).header.run

    assert read_path(LOGS / "lm_eval_repeats" / "model-a").runs == ("model-a",)
    assert run_of("a", {"skill": 0.62}) == "a"
    assert run_of("b", "pretrained=EleutherAI/pythia-160m,dtype=float16") == "EleutherAI/pythia-160m"
    assert run_of("c", {"pretrained": "base", "peft": "adapter"}) == "adapter"


def test_one_line_a_document_and_filter_makes_one_metric_a_filter(tmp_path: Path) -> None:
    lines = [
        lm_eval_line(i, name, acc=acc) for name, acc in (("strict", 0.0), ("loose", 1.0)) for i in range(3)
    ]
    part = read_one(write_lm_eval(tmp_path, lines))
    assert by_item(part, "acc,strict") == {"0": [0.0], "1": [0.0], "2": [0.0]}
    assert by_item(part, "acc,loose") == {"0": [1.0], "1": [1.0], "2": [1.0]}
    assert part.primary == "acc,loose"
    assert len(part.items) == 3


def test_hash_and_fields_stand_on_the_first_row_of_a_document(tmp_path: Path) -> None:
    lines = [
        lm_eval_line(i, name, metrics=["acc", "f1"], f1=0.5) for name in ("strict", "loose") for i in (0, 1)
    ]
    _, *found = rows(write_lm_eval(tmp_path, lines), frozenset())
    assert [row.fields is not None for row in found if isinstance(row, Row)] == [True, False] * 2 + [
        False
    ] * 4
    assert [bool(row.hash) for row in found if isinstance(row, Row)] == [True] * 4 + [False] * 4


def test_old_lines_that_do_not_name_their_filter_follow_the_order_of_the_results(tmp_path: Path) -> None:
    old = [lm_eval_line(i, acc=acc) for acc in (0.0, 1.0) for i in range(2)]
    for line in old:
        del line["filter"], line["metrics"]
    results = lm_eval_results(
        results={"color_quiz": {"alias": "color_quiz", "acc,strict": 0.0, "acc,loose": 1.0}}
    )
    part = read_one(write_lm_eval(tmp_path / "with", old, results))
    assert by_item(part, "acc,strict") == {"0": [0.0], "1": [0.0]}
    assert by_item(part, "acc,loose") == {"0": [1.0], "1": [1.0]}
    alone = read_one(write_lm_eval(tmp_path / "without", old[:2]))
    assert by_item(alone, "acc,none") == {"0": [0.0], "1": [0.0]}


def test_documents_with_one_hash_are_told_apart_by_an_occurrence_number(tmp_path: Path) -> None:
    same = {"doc_hash": "ab" * 32}
    lines = [lm_eval_line(0, **same), lm_eval_line(1), *(lm_eval_line(i, **same) for i in (2, 3))]
    hashes = read_one(write_lm_eval(tmp_path, lines)).items.hashes
    first = hashes[0]
    assert hashes[2:] == (f"{first}#2", f"{first}#3")
    assert len(set(hashes)) == 4


def test_prompts_are_known_by_their_hash(tmp_path: Path) -> None:
    prompts = read_one(write_lm_eval(tmp_path, [lm_eval_line(0), lm_eval_line(1)])).items.prompts
    assert len(set(prompts)) == 2
    assert all(prompts)


def test_ids_are_the_positions_of_samples_and_limit(tmp_path: Path) -> None:
    part = read_one(write_lm_eval(tmp_path, [lm_eval_line(i) for i in (17, 4, 90)]))
    assert part.items.ids == ("17", "4", "90")


def test_the_limit_is_a_setting(tmp_path: Path) -> None:
    results = lm_eval_results(config={"model": "hf", "limit": 2.0})
    part = read_one(write_lm_eval(tmp_path, [lm_eval_line(0)], results))
    assert part.header.config["limit"] == "2.0"


def test_task_names_may_hold_underscores(tmp_path: Path) -> None:
    part = read_one(write_lm_eval(tmp_path, [lm_eval_line(0)], task="mmlu_pro_law_v2"))
    assert part.benchmark == "mmlu_pro_law_v2"


def test_a_standard_error_that_is_not_available_is_no_figure(tmp_path: Path) -> None:
    part = read_one(write_lm_eval(tmp_path, [lm_eval_line(0)], lm_eval_results()))
    assert [(figure.metric, figure.kind, figure.value) for figure in part.header.harness] == [
        ("acc,none", "mean", 0.5)
    ]


def test_metrics_of_the_whole_set_are_left_out_and_said(tmp_path: Path) -> None:
    more = {
        "metrics": ["word_perplexity", "perplexity", "acc"],
        "word_perplexity": [-30.1, 7],
        "perplexity": -3.0,
    }
    results = lm_eval_results(
        results={
            "color_quiz": {"alias": "", "word_perplexity,none": 30.0, "perplexity,none": 4.0, "acc,none": 0.5}
        }
    )
    part = read_one(write_lm_eval(tmp_path, [lm_eval_line(i, **more) for i in range(2)], results))
    assert [m.metric for m in part.metrics] == ["acc,none"]
    assert [figure.metric for figure in part.header.harness] == ["acc,none"]
    assert part.header.notes == (
        "word_perplexity is no score of single items and was left out",
        "perplexity is no score of single items and was left out",
    )


def test_only_what_the_harness_averaged_is_checked_against_our_mean(tmp_path: Path) -> None:
    lists = {"metric_list": [{"metric": "acc", "aggregation": "median"}]}
    results = lm_eval_results(configs={"color_quiz": lists})
    assert read_one(write_lm_eval(tmp_path, [lm_eval_line(0)], results)).header.harness == ()


def test_a_metric_that_later_lines_bring_is_read_too(tmp_path: Path) -> None:
    later = lm_eval_line(1, metrics=["acc", "f1"], f1=0.25)
    part = read_one(write_lm_eval(tmp_path, [lm_eval_line(0), later]))
    assert by_item(part, "f1,none") == {"1": [0.25]}


def test_groups_of_groups_have_the_tasks_below_them_as_members(tmp_path: Path) -> None:
    row = {"alias": "", "acc,none": 0.5}
    results = lm_eval_results(
        results={"color_quiz": row, "inner": row, "outer": row},
        groups={"inner": row, "outer": row},
        group_subtasks={"outer": ["inner"], "inner": ["color_quiz"]},
    )
    scores = read_path(write_lm_eval(tmp_path, [lm_eval_line(0)], results).parent)
    assert {group.benchmark: group.members for group in scores.groups} == {
        "inner": ("color_quiz",),
        "outer": ("color_quiz",),
    }


def test_a_run_without_its_samples_says_how_to_get_them(tmp_path: Path) -> None:
    path = tmp_path / f"results_{TIME}.json"
    path.write_text(json.dumps(lm_eval_results()))
    for asked in (path, tmp_path):
        with pytest.raises(InputError, match=r"only its averages are here.*--log_samples"):
            read_path(asked)


def test_a_task_without_its_samples_is_said_beside_the_others(tmp_path: Path) -> None:
    row, config = {"alias": "", "acc,none": 0.5}, {"metric_list": []}
    results = lm_eval_results(
        results={"color_quiz": row, "pens": row}, configs={"color_quiz": config, "pens": config}
    )
    scores = read_path(write_lm_eval(tmp_path, [lm_eval_line(0)], results).parent)
    assert [part.benchmark for part in scores] == ["color_quiz"]
    assert len(scores.notes) == 1
    assert "nothing to read of pens: only its averages are here" in scores.notes[0]


def test_an_empty_samples_file_of_a_run_is_said(tmp_path: Path) -> None:
    path = write_lm_eval(tmp_path, [], lm_eval_results())
    with pytest.raises(InputError, match=r"holds no scored item.*its samples file is empty"):
        read_path(path.parent)


def test_two_runs_in_one_folder_keep_their_own_files(tmp_path: Path) -> None:
    write_lm_eval(tmp_path, [lm_eval_line(0, acc=1.0)], lm_eval_results())
    other = "2026-02-02T03-04-05.6"
    for path in list(tmp_path.iterdir()):
        (tmp_path / path.name.replace(TIME, other)).write_text(
            path.read_text().replace('"acc": 1.0', '"acc": 0.0')
        )
    parts = read_path(tmp_path).benchmarks
    assert [(part.header.created[:10], by_item(part, "acc,none")) for part in parts] == [
        ("2026-01-02", {"0": [1.0]}),
        ("2026-02-02", {"0": [0.0]}),
    ]
