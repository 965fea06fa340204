"""Which column is what, from names and first values; what is said of it; what is refused."""

from __future__ import annotations

import re
from typing import Any

import pytest

from evalstats.errors import InputError
from evalstats.readers.cells import field_of, kind_of, score_of, status_of, text_of, whole_number
from evalstats.readers.columns import ROW_NUMBERS, Choice, detect_columns
from evalstats.readers.names import could_be_score, plain

IDS = ["q1", "q2", "q3", "q4", "q5", "q6"]


def detected(columns: dict[str, list[Any]], **options: Any) -> Any:
    return detect_columns(columns, **options)


@pytest.mark.parametrize(
    "name",
    [
        "item",
        "question_id",
        "Question ID",
        "questionId",
        "qid",
        "id",
        "task_id",
        "doc-id",
        "example.id",
        "uuid",
    ],
)
def test_an_id_is_known_by_its_name(name: str) -> None:
    assert detected({"topic": ["a"] * 6, name: IDS, "score": [1] * 6}).item == name


def test_the_question_goes_before_the_row_id() -> None:
    columns = {"id": list("abcdef"), "question_id": ["q1", "q1", "q2", "q2", "q3", "q3"], "score": [1] * 6}
    assert detected(columns).item == "question_id"


def test_an_id_that_never_varies_is_no_id_when_another_does() -> None:
    assert detected({"task_id": ["gsm8k"] * 6, "id": IDS, "score": [1] * 6}).item == "id"


def test_the_text_of_the_question_identifies_it_when_nothing_else_does() -> None:
    assert detected({"prompt": ["What is 1+1?", "What is 2+2?"], "score": [1, 0]}).item == "prompt"


@pytest.mark.parametrize(
    "name", ["score", "correct", "is_correct", "isCorrect", "Accuracy", "passed", "reward"]
)
def test_a_score_is_known_by_its_name(name: str) -> None:
    found = detected({"item": IDS, "tokens": [9] * 6, "x": [0.5] * 6, name: [1, 0, 1, 0, 1, 1]})
    assert (found.scores, found.wide) == ((name,), False)


def test_several_known_metrics_are_metrics_of_one_run() -> None:
    found = detected({"item": IDS, "exact_match": [1] * 6, "f1": [0.5] * 6, "model": ["m"] * 6})
    assert found.scores == ("exact_match", "f1")
    assert not found.wide
    assert "metrics = exact_match, f1 (0.5 to 1)" in found.sentence


def test_the_only_column_that_could_be_a_score_is_it_and_the_sentence_says_why() -> None:
    found = detected({"item": IDS, "quality": [1, 2, 3, 4, 5, 6], "latency_ms": [9] * 6})
    assert found.scores == ("quality",)
    assert "score = quality (1 to 6), the only column of scores" in found.sentence


def test_columns_of_numbers_are_runs_when_each_row_is_an_item() -> None:
    found = detected({"item": IDS, "gpt-4.1": [1] * 6, "phi-2": [0] * 6, "dataset": list("aabbcc")})
    assert (found.scores, found.wide, found.benchmark) == (("gpt-4.1", "phi-2"), True, None)
    assert found.sentence == (
        "item = item, runs = gpt-4.1, phi-2 (0 or 1), a column each; 1 other column kept as a field: dataset"
    )


def test_columns_of_labels_are_fields_beside_one_column_of_numbers() -> None:
    labels = {"item": IDS, "a": ["pass"] * 6, "b": ["fail"] * 6}
    assert detected(labels).scores == ("a", "b")
    assert detected({**labels, "c": [1] * 6}).scores == ("c",)


def test_a_column_of_words_or_with_a_few_texts_is_a_run_beside_runs_of_numbers() -> None:
    runs: dict[str, Any] = {"id": list("pqrstuvw"), "a": [0, 1] * 4, "b": [1, 0] * 4}
    words, broken = ["pass", "fail"] * 4, ["1"] * 7 + ["timeout"]
    found = detect_columns({**runs, "d": words, "e": broken, "prompt": ["x y"] * 8, "domain": ["law"] * 8})
    assert found.scores == ("a", "b", "d", "e")
    for field in (["1"] * 4 + ["x"] * 4, ["7"] * 7 + ["K"], ["law"] * 8):
        assert detect_columns({**runs, "d": field}).scores == ("a", "b")
    assert "d is blank and so no run" in detect_columns({**runs, "d": [""] * 8}).sentence
    assert "blank" not in detect_columns({**runs, "d": ["law"] * 8}).sentence


def test_groups_counts_and_answers_are_no_runs() -> None:
    columns = {
        "item": IDS,
        "m1": [0, 1, 0, 1, 0, 1],
        "m2": [1] * 6,
        "paragraph": [1, 1, 2, 2, 3, 3],
        "answer": [1] * 6,
        "passage_id": [1] * 6,
        "n_tokens": [1] * 6,
        "has_image": [True] * 6,
        "total_time_s": [0.4] * 6,
    }
    assert detected(columns).scores == ("m1", "m2")


def test_a_run_in_per_cent_beside_one_in_fractions_stays_a_run() -> None:
    found = detected({"item": list("abcd"), "A": [0, 1, 1, 0], "B": [0, 100, 100, 100]})
    assert found.scores == ("A", "B")
    assert "runs = A (0 or 1), B (0 to 100)" in found.sentence


def test_dataset_is_a_benchmark_of_a_long_table_and_of_a_wide_one_whose_items_repeat() -> None:
    long = {"item": IDS, "dataset": list("aabbcc"), "score": [1] * 6}
    assert detected(long).benchmark == "dataset"
    wide = {
        "item": ["q1", "q2", "q3", "q4", "q1", "q5"],
        "dataset": list("aaaabb"),
        "m1": [1] * 6,
        "m2": [0] * 6,
    }
    assert detected(wide).benchmark == "dataset"


def test_a_wanted_column_stays_a_field() -> None:
    long = {"item": IDS, "dataset": list("aabbcc"), "score": [1] * 6}
    assert detected(long, wanted={"dataset"}).benchmark is None
    wide = {"item": IDS, "m1": [1] * 6, "m2": [0] * 6, "level2": [0, 0, 0, 1, 1, 1]}
    assert detected(wide, wanted={"level2"}).scores == ("m1", "m2")


def test_a_wanted_column_is_no_score_whatever_its_name() -> None:
    columns = {"item": IDS, "correct": [1] * 6, "grade": [1, 1, 2, 2, 3, 3]}
    assert detected(columns).scores == ("correct", "grade")
    assert detected(columns, wanted={"grade"}).scores == ("correct",)


def test_a_result_that_is_partly_text_yields_to_a_clear_score() -> None:
    result = ["passed", "passed", "passed", "failed: timeout", "passed", "failed: assertion"]
    assert detected({"task_id": IDS, "result": result, "passed": [True] * 6}).scores == ("passed",)
    assert detected({"task_id": IDS, "result": result}).scores == ("result",)


def test_a_model_column_names_the_runs() -> None:
    found = detected({"model": ["a", "a", "b", "b"], "qid": ["q1", "q2"] * 2, "score": [1] * 4})
    assert (found.runs, found.model) == (("model",), "model")


def test_run_and_model_that_go_together_are_named_by_the_model() -> None:
    columns = {"run_id": ["r1", "r1", "r2", "r2"], "model": ["a", "a", "b", "b"], "qid": ["q1", "q2"] * 2}
    found = detected({**columns, "score": [1] * 4})
    assert (found.runs, found.configuration) == (("model",), ("run_id",))


def test_two_runs_of_one_model_are_named_by_the_run() -> None:
    columns = {
        "run": ["old", "old", "new", "new"],
        "model": ["a"] * 4,
        "qid": ["q1", "q2"] * 2,
        "score": [1] * 4,
    }
    assert detected(columns).runs == ("run",)


def test_crossed_models_and_variants_are_named_by_both() -> None:
    columns = {
        "model": ["a", "a", "b", "b"],
        "variant": ["v1", "v2", "v1", "v2"],
        "qid": ["q1"] * 4,
        "score": [1, 0, 1, 0],
    }
    assert detected(columns).runs == ("model", "variant")


def test_a_constant_is_no_part_of_a_name() -> None:
    columns = {"variant": ["v1", "v2"] * 2, "arm": ["x", "x", "y", "y"], "model": ["a"] * 4}
    found = detected({**columns, "qid": ["q1"] * 4, "score": [1, 0, 1, 0]})
    assert (found.runs, found.configuration) == (("variant", "arm"), ("model",))


def test_numbered_runs_beside_a_model_are_completions() -> None:
    columns = {"model": ["a"] * 4, "run": [1, 1, 2, 2], "qid": ["q1", "q2"] * 2, "score": [1] * 4}
    found = detected(columns)
    assert (found.runs, found.epoch) == (("model",), "run")


def test_a_run_that_is_new_on_every_row_is_no_run() -> None:
    columns = {
        "run_id": list("abcdef"),
        "model": ["m1", "m2"] * 3,
        "qid": ["q1", "q1", "q2", "q2", "q3", "q3"],
    }
    assert detected({**columns, "score": [1] * 6}).runs == ("model",)


@pytest.mark.parametrize("name", ["epoch", "attempt", "trial", "sample_idx", "completion_id", "seed"])
def test_completions_are_counted_by_a_column_of_whole_numbers(name: str) -> None:
    columns = {"item": ["q1", "q1", "q2", "q2"], name: ["0", "1", "0", "1"], "score": [1] * 4}
    found = detected(columns)
    assert (found.epoch, found.first_epoch) == (name, 0)


def test_a_column_of_generated_text_counts_no_completions() -> None:
    assert detected({"item": ["q1", "q2"], "completion": ["4", "six"], "score": [1, 0]}).epoch is None


def test_repeated_items_are_said_to_be_completions() -> None:
    found = detected({"item": ["q1", "q1", "q2", "q2"], "score": [1, 0, 1, 1]})
    assert "; rows that repeat item are its completions, numbered in order" in found.sentence


def test_a_column_that_could_name_the_runs_of_repeated_items_is_pointed_out() -> None:
    columns = {"item": ["q1", "q1", "q2", "q2"], "assistant": ["a", "b", "a", "b"], "score": [1, 0, 1, 1]}
    assert "(assistant tells them apart: if it names the runs, rename it 'run')" in detected(columns).sentence


def test_a_metric_column_names_what_the_value_is() -> None:
    columns = {"item": ["q1", "q1"], "metric": ["f1", "em"], "value": [0.5, 1], "result": [0, 1]}
    found = detected(columns)
    assert (found.metric, found.scores) == ("metric", ("value",))


def test_success_is_a_status_beside_a_score_and_the_score_alone() -> None:
    columns = {"item": IDS, "status": ["success", "failed"] * 3}
    assert detected(columns).scores == ("status",)
    found = detected({**columns, "score": [1] * 6})
    assert (found.scores, found.status) == (("score",), "status")


def test_an_error_column_of_sizes_is_no_status() -> None:
    assert detected({"item": IDS, "score": [1] * 6, "error": [0.1] * 6}).error is None
    assert detected({"item": IDS, "score": [1] * 6, "error": [None, "timeout"] * 3}).error == "error"


def test_hashes_of_content_and_prompt_are_kept_apart() -> None:
    columns = {"item": IDS, "score": [1] * 6, "doc_hash": IDS, "prompt_hash": IDS}
    found = detected(columns)
    assert (found.hash, found.prompt) == ("doc_hash", "prompt_hash")


def test_a_hash_that_is_the_only_id_is_item_hash_and_field() -> None:
    found = detected({"doc_hash": IDS, "score": [1] * 6})
    assert (found.item, found.hash) == ("doc_hash", "doc_hash")
    assert "doc_hash" not in found.taken


def test_an_index_that_pandas_wrote_is_ignored() -> None:
    found = detected({"Unnamed: 0": [0, 1], "": [0, 1], "item": ["q1", "q2"], "m1": [1, 0], "m2": [0, 1]})
    assert found.scores == ("m1", "m2")
    assert "kept" not in found.sentence


def test_row_numbers_stand_for_the_items_of_one_run_and_it_is_said() -> None:
    found = detected({"score": [1, 0, 1]})
    assert found.item is None
    assert found.sentence.startswith(ROW_NUMBERS)


def test_a_nested_column_is_a_score_only_where_it_is_called_so() -> None:
    columns = {"id": IDS, "scores.acc": [1] * 6, "metadata.level": [0.5] * 6}
    found = detected(columns, nested={"scores.acc", "metadata.level"})
    assert found.scores == ("scores.acc",)
    columns = {"id": IDS, "quality": [1] * 6, "metadata.level": [0.5] * 6}
    assert detected(columns, nested={"metadata.level"}).scores == ("quality",)


def test_id_and_metric_that_are_asked_for_go_before_any_name() -> None:
    columns = {"id": IDS, "ref": list("abcdef"), "score": [1] * 6, "label": [0] * 6}
    found = detected(columns, choice=Choice(ids=("doc.id", "ref"), metric="label"))
    assert (found.item, found.scores, found.primary) == ("ref", ("score", "label"), "label")


def test_a_metric_that_is_no_column_is_left_to_the_selection_of_metrics() -> None:
    assert detected({"id": IDS, "score": [1] * 6}, choice=Choice(metric="f1")).primary is None


REFUSED = [
    (
        {"model": ["a", "b"] * 3, "score": [1] * 6},
        {},
        "no column says which item a row is: rows that differ in model may be of one item. The columns are: "
        "model, score. Name the one that does with --id FIELD, or rename it 'item'.",
    ),
    ({"attempt": [1, 2], "score": [1, 0]}, {}, "rows that differ in attempt may be of one item"),
    (
        {"model": list("abcdef"), "win_rate": [50] * 6},
        {},
        "each row is another model, as in a table of results. Scores by item are wanted",
    ),
    (
        {"uid_2": IDS, "score": [1] * 6},
        {"choice": Choice(ids=("uid2",))},
        "--id uid2 is not among them. Did you mean 'uid_2'?",
    ),
    (
        {"item": ["q1", "q2"] * 2, "model": ["a", "a", "b", "b"], "x": [0.5] * 4, "y": [0.6] * 4},
        {},
        "which column is the score? x, y could be, none is called score or correct, and model names the "
        "runs, so they are not runs. Name it with --metric COLUMN, or rename it 'score'.",
    ),
    (
        {"item": ["q1", "q1"] * 2, "x": [0.5] * 4, "y": [0.6] * 4},
        {},
        "which column is the score? x, y could be, none is called score or correct, and most values of item",
    ),
    (
        {"item": IDS, "topic": ["a"] * 6},
        {},
        "no column holds scores (numbers, true/false, correct/incorrect, pass/fail, yes/no, C/I/P/N) under a "
        "name that says so. The columns are: item, topic.",
    ),
    (
        {"item": IDS, "answer": [42] * 6, "score": ["good", "bad"] * 3},
        {},
        "score holds text such as 'good', which is no score. answer could be chosen with --metric COLUMN.",
    ),
    (
        {"model_a": ["x"], "model_b": ["y"], "winner": ["tie"]},
        {},
        "these are arena votes (by model_a, model_b)",
    ),
    (
        {"testIdx": [0], "promptIdx": [1], "score": [1]},
        {},
        "these are promptfoo results (by prompt_idx, test_idx)",
    ),
]


@pytest.mark.parametrize(("columns", "options", "message"), REFUSED)
def test_what_is_ambiguous_is_refused_with_its_candidates(
    columns: dict[str, list[Any]], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        detected(columns, **options)


@pytest.mark.parametrize(
    ("cell", "score"),
    [
        (True, 1.0), (0, 0.0), (0.25, 0.25), ("1", 1.0), (" 0.5 ", 0.5), ("1e-2", 0.01), ("True", 1.0),
        ("C", 1.0), ("I", 0.0), ("P", 0.5), ("N", 0.0), ("Correct", 1.0), ("incorrect", 0.0), ("PASS", 1.0),
        ("fail", 0.0), ("yes", 1.0), ("No", 0.0), ("", None), ("NaN", None), ("n/a", None), ("null", None),
        (None, None), (float("nan"), None),
    ],
)  # fmt: skip
def test_every_way_to_write_a_score_is_read(cell: object, score: float | None) -> None:
    assert score_of(cell) == score


@pytest.mark.parametrize("cell", ["banana", "72%", "0,5", "1_000", "3/5", "F", [1], {"a": 1}, 10**400])
def test_what_is_no_score_is_never_counted_as_wrong(cell: object) -> None:
    assert kind_of(cell) == "text"
    with pytest.raises(InputError, match="is no score"):
        score_of(cell)


def test_ids_and_fields_read_the_same_from_text_and_from_frames() -> None:
    assert [text_of(v) for v in (7, 7.0, "7", " q 1", "", None, float("nan"))] == [
        "7",
        "7",
        "7",
        " q 1",
        None,
        None,
        None,
    ]
    assert [field_of(v) for v in ("True", True, "3.0", 3, "", None, [1], "x")] == [
        True,
        True,
        3,
        3,
        None,
        None,
        None,
        "x",
    ]
    assert [whole_number(v) for v in (1, 1.0, "2", "2.0", 1.5, "x", True, None)] == [
        1,
        1,
        2,
        2,
        None,
        None,
        None,
        None,
    ]


def test_failed_is_an_error_only_where_no_score_stands() -> None:
    assert status_of("failed", 0.0) == "scored"
    assert status_of("failed", None) == "error"
    assert [status_of(word, 1.0) for word in ("ok", None, "Timed out", "skipped")] == [
        "scored",
        "scored",
        "error",
        "missing",
    ]


def test_names_are_compared_without_case_and_marks() -> None:
    assert [
        plain(n) for n in ("Question ID", "questionId", "metadata.topic", "gpt-4.1", "pass@1", "模型")
    ] == [
        "question_id",
        "question_id",
        "metadata_topic",
        "gpt_4_1",
        "pass@1",
        "模型",
    ]
    assert not could_be_score("total_cost_usd")
    assert could_be_score("gpt-4")
