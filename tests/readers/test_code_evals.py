"""HumanEval and EvalPlus: what expected.json says of their files, and a small file for each pitfall."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import evalstats as es
from evalstats.analyses.show import show
from evalstats.data.scores import TEXTS, Exchange
from evalstats.errors import InputError
from evalstats.readers.detect import read_path
from tests.readers.small_logs import LOGS, by_item, only, read_one, statuses

RUNS = {"A": "model-a", "B": "model-b"}


def expected(folder: str) -> Any:
    return json.loads((LOGS / folder / "expected.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("side", RUNS)
def test_every_completion_of_human_eval_is_read(side: str) -> None:
    part = read_one(LOGS / "human_eval" / f"{RUNS[side]}_samples.jsonl_results.jsonl")
    items = expected("human_eval")["pair"]["items"]
    assert by_item(part, "passed") == {item["id"]: item[side] for item in items}
    assert (part.header.run, part.benchmark, part.header.format) == (RUNS[side], "HumanEval", "human_eval")


@pytest.mark.parametrize("metric", ["base", "plus"])
@pytest.mark.parametrize("side", RUNS)
def test_every_completion_of_evalplus_is_read(side: str, metric: str) -> None:
    part = read_one(LOGS / "evalplus" / f"{RUNS[side]}_eval_results.json")
    assert by_item(part, metric) == {item["id"]: item[side] for item in expected("evalplus")[metric]["items"]}
    assert (part.header.run, part.benchmark, part.primary) == (RUNS[side], "HumanEval", "plus")


def line(task_id: str, passed: bool | None = True, **more: Any) -> str:
    record = {"task_id": task_id, "completion": "return 1", "result": "passed", "passed": passed} | more
    return json.dumps(record) + "\n"


def test_completions_count_in_the_order_of_the_file_and_need_not_be_equally_many(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl_results.jsonl.gz"
    text = line("HumanEval/1") + line("HumanEval/0", False) + line("HumanEval/1", False)
    path.write_bytes(gzip.compress(text.encode()))
    part = read_one(path)
    assert by_item(part, "passed") == {"HumanEval/1": [1.0, 0.0], "HumanEval/0": [0.0]}
    assert part.header.run == tmp_path.name  # the file has no name of its own


def test_a_completion_without_an_answer_is_missing_not_wrong(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl_results.jsonl"
    path.write_text(line("HumanEval/0", None) + line("HumanEval/0"))
    assert statuses(read_one(path), "passed") == {"HumanEval/0": [2, 0]}


def test_a_file_of_two_sets_of_problems_is_two_benchmarks(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl_results.jsonl"
    path.write_text(line("HumanEval/0") + line("Mbpp/2") + line("HumanEval/1"))
    assert [part.benchmark for part in read_path(path)] == ["HumanEval", "Mbpp"]


def test_a_line_that_is_cut_off_is_named(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl_results.jsonl"
    path.write_text(line("HumanEval/0") + line("HumanEval/1")[:30])
    with pytest.raises(InputError, match="line 2: the file ends in the middle"):
        read_path(path)


def test_a_table_that_has_a_task_and_a_verdict_alone_is_no_human_eval(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps({"task_id": f"t{at}", "passed": True}) + "\n" for at in range(3)))
    assert only(read_path(path)).header.format == "jsonl"


def write_evalplus(path: Path, problems: dict[str, Any]) -> Path:
    path.write_text(json.dumps({"date": "2026-01-02 03:04", "hash": "0f", "eval": problems}))
    return path


def test_plus_needs_base_and_a_timeout_is_a_failure(tmp_path: Path) -> None:
    statuses_of = [("pass", "pass"), ("pass", "fail"), ("fail", "pass"), ("timeout", "timeout")]
    completions = [{"base_status": base, "plus_status": plus} for base, plus in statuses_of]
    part = read_one(write_evalplus(tmp_path / "m_eval_results.json", {"HumanEval/0": completions}))
    assert by_item(part, "base") == {"HumanEval/0": [1.0, 1.0, 0.0, 0.0]}
    assert by_item(part, "plus") == {"HumanEval/0": [1.0, 0.0, 0.0, 0.0]}


def test_an_old_file_has_lists_and_other_words(tmp_path: Path) -> None:
    problem = {
        "nfiles": 3,
        "base": [["success", [True]], ["success", []], ["timed out", None]],
        "plus": [["success", [True]], ["failed", [False]], ["success", []]],
    }
    part = read_one(write_evalplus(tmp_path / "m.eval_results.json", {"Mbpp/2": problem}))
    assert part.header.run == "m"
    assert by_item(part, "base") == {"Mbpp/2": [1.0, 1.0, 0.0]}
    assert by_item(part, "plus") == {"Mbpp/2": [1.0, 0.0, 0.0]}


@pytest.mark.parametrize(
    "problem",
    [
        [{"base_status": "pass", "plus_status": None}],
        {"nfiles": 1, "base": [["success", []]], "plus": []},
    ],
    ids=["new", "old"],
)
def test_without_plus_tests_there_is_base_alone(problem: Any, tmp_path: Path) -> None:
    part = read_one(write_evalplus(tmp_path / "eval_results.json", {"HumanEval/0": problem}))
    assert [metric.metric for metric in part.metrics] == ["base"]
    assert (part.primary, part.header.run) == ("base", tmp_path.name)


def test_lists_of_unequal_length_are_damage(tmp_path: Path) -> None:
    problem = {"nfiles": 2, "base": [["success", []]] * 2, "plus": [["success", []]]}
    with pytest.raises(InputError, match="2 completions under base and 1 under plus"):
        read_path(write_evalplus(tmp_path / "m_eval_results.json", {"HumanEval/0": problem}))


def test_texts_come_when_they_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl_results.jsonl"
    path.write_text(line("HumanEval/0"))
    assert read_one(path).exchanges == {}
    assert read_one(path, TEXTS).exchanges == {(0, 1): Exchange("", "", "return 1")}
    plus = LOGS / "evalplus" / "model-a_eval_results.json"
    assert read_one(plus, TEXTS).exchanges[0, 1].answer.startswith("def f_0(x)")


def test_show_says_that_several_attempts_allow_pass_at_k() -> None:
    (found,) = show(LOGS / "evalplus" / "model-a_eval_results.json").benchmarks
    assert (found.n_items, found.metrics[0].completions) == (40, (10, 10))
    assert any(said.startswith("passk: ") for said in found.possible)


@pytest.mark.parametrize("folder", ["human_eval", "evalplus"])
def test_two_real_files_are_paired_by_task(folder: str) -> None:
    runs = [next((LOGS / folder).glob(f"model-{one}*")) for one in "ab"]
    row = es.compare(*runs).only
    wanted = expected(folder)["pair" if folder == "human_eval" else "plus"]["paired"]
    assert row.difference.point == pytest.approx(wanted["mean_diff_B_minus_A"], abs=1e-12)
    assert (row.pairing.n_common, row.pairing.key) == (wanted["n"], "id")
