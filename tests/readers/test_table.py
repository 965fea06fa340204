"""Tables in files, and the same table in every carrier."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from evalstats.data.builder import build
from evalstats.data.scores import ERRORED, MISSING, SCORED, Row, Scores
from evalstats.errors import InputError
from evalstats.readers import table
from evalstats.readers.columns import Choice
from tests.made_runs import scores_of
from tests.readers.tables import (
    CARRIERS,
    Table,
    content,
    means,
    of_file,
    sentence,
    write_delimited,
    write_lines,
    write_parquet,
)

SHAPES: dict[str, Table] = {
    "one run": {
        "question_id": ["q1", "q2", "q3", "q,4"],
        "correct": [1, 0, None, 1],
        "subject": ["law", "law", "bio", None],
        "level": [1, 2, None, 1],
        "hard": [True, False, True, False],
    },
    "runs": {
        "id": [1, 2, 3, 1, 2, 3],
        "model": ["a", "a", "a", "b", "b", "b"],
        "score": [0.5, 1.0, None, 0.25, 0.0, 1.0],
    },
    "completions": {
        "item": ["q1", "q1", "q2", "q2"],
        "attempt": [0, 1, 0, 1],
        "passed": [True, False, None, True],
        "doc_hash": ["h1", "h1", "h2", "h2"],
    },
    "uncounted completions": {"item": ["q1", "q2", "q1", "q1"], "score": [1, 0, 0, 1]},
    "wide": {
        "item": ["q1", "q2", "q3"],
        "gpt4": [1, None, 0],
        "phi-2": [0.5, 0.0, 1.0],
        "dataset": ["x", "y", "y"],
    },
    "metrics": {"qid": ["q1", "q2"], "exact_match": ["C", "I"], "f1": [0.5, 0.25]},
    "a row a metric": {
        "item": ["q1", "q1", "q2", "q2"],
        "task": ["gsm8k"] * 4,
        "metric": ["em", "f1", "em", "f1"],
        "value": [1, 0.5, 0, 0.25],
    },
    "benchmarks": {
        "benchmark": ["gsm8k", "gsm8k", "mmlu", "mmlu"],
        "sample_id": ["1", "2", "1", "2"],
        "model": ["m", "m", "m", "m"],
        "accuracy": ["correct", "incorrect", "correct", None],
    },
    "failures": {
        "item": ["q1", "q2", "q3", "q4"],
        "score": [1, 0, 0, None],
        "error": [None, "timeout", None, None],
        "status": ["ok", "ok", "error", "skipped"],
    },
    "row numbers": {"score": [1.0, None, 0.0]},
}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("expected")
    return {shape: content(CARRIERS["dicts"](columns, folder)) for shape, columns in SHAPES.items()}


@pytest.mark.parametrize("carrier", CARRIERS)
def test_a_table_makes_the_same_scores_in_every_carrier(
    carrier: str, expected: dict[str, Any], tmp_path: Path
) -> None:
    for shape, columns in SHAPES.items():
        assert content(CARRIERS[carrier](columns, tmp_path)) == expected[shape], shape


def test_each_shape_is_understood(tmp_path: Path) -> None:
    found = {shape: means(CARRIERS["csv"](columns, tmp_path)) for shape, columns in SHAPES.items()}
    assert found == {
        "one run": {("week31", "scores", "correct"): pytest.approx(2 / 3)},
        "runs": {("a", "scores", "score"): 0.75, ("b", "scores", "score"): pytest.approx(1.25 / 3)},
        "completions": {("week31", "scores", "passed"): pytest.approx(2 / 3)},
        "uncounted completions": {("week31", "scores", "score"): 0.5},
        "wide": {("gpt4", "scores", "score"): 0.5, ("phi-2", "scores", "score"): 0.5},
        "metrics": {("week31", "scores", "exact_match"): 0.5, ("week31", "scores", "f1"): 0.375},
        "a row a metric": {("week31", "gsm8k", "em"): 0.5, ("week31", "gsm8k", "f1"): 0.375},
        "benchmarks": {("m", "gsm8k", "accuracy"): 0.5, ("m", "mmlu", "accuracy"): 1.0},
        "failures": {("week31", "scores", "score"): 1.0},
        "row numbers": {("week31", "scores", "score"): 0.5},
    }


def part(scores: Scores) -> Any:
    return scores.benchmarks[0]


def test_completions_are_numbered_from_one(tmp_path: Path) -> None:
    for shape, epochs in {"completions": [1, 2, 1, 2], "uncounted completions": [1, 1, 2, 3]}.items():
        assert part(CARRIERS["csv"](SHAPES[shape], tmp_path)).metrics[0].epoch.tolist() == epochs


def test_an_error_or_a_missing_score_is_never_a_wrong_answer(tmp_path: Path) -> None:
    metric = part(CARRIERS["jsonl"](SHAPES["failures"], tmp_path)).metrics[0]
    assert metric.status.tolist() == [SCORED, ERRORED, ERRORED, MISSING]
    assert np.isnan(scores_of(metric)[1:]).all()


def test_an_error_that_only_later_rows_have_is_an_error_too(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"id": str(at), "score": 0} for at in range(1500)]
    rows[-1]["error"] = "out of memory"
    path = tmp_path / "run.jsonl"
    path.write_text("".join(f"{row}\n".replace("'", '"') for row in rows))
    assert part(of_file(path)).metrics[0].status.tolist().count(ERRORED) == 1


def test_row_numbers_are_positions_and_say_so(tmp_path: Path) -> None:
    scores = CARRIERS["csv"](SHAPES["row numbers"], tmp_path)
    assert part(scores).header.positional
    assert part(scores).items.ids == ("row 1", "row 2", "row 3")
    assert sentence(scores) == "no id column: items are row numbers, score = score (0 or 1)"


def test_the_header_says_format_path_run_and_what_was_chosen(tmp_path: Path) -> None:
    path = write_delimited(SHAPES["runs"], tmp_path / "two.csv")
    header = part(of_file(path)).header
    assert (header.format, header.path, header.run, header.model) == ("csv", str(path), "a", "a")
    assert header.notes == ("item = id, score = score (0 to 1), run = model",)
    assert not header.positional


def test_the_id_is_a_field_too_so_that_other_formats_pair_by_it(tmp_path: Path) -> None:
    fields = part(CARRIERS["csv"](SHAPES["one run"], tmp_path)).items.fields
    assert fields["question_id"].of(0) == "q1"
    assert sorted(fields) == ["hard", "level", "question_id", "subject"]


def test_equal_hashes_of_different_items_are_told_apart(tmp_path: Path) -> None:
    columns = {"item": ["a", "b", "c"], "score": [1, 0, 1], "content_hash": ["h", "h", "g"]}
    assert part(CARRIERS["csv"](columns, tmp_path)).items.hashes == ("h", "h#2", "g")


def test_a_long_text_is_a_field_only_where_it_is_wanted(tmp_path: Path) -> None:
    columns = {"item": ["a", "b"], "score": [1, 0], "question": ["x" * 300, "y" * 300]}
    path = write_delimited(columns, tmp_path / "t.csv")
    assert "question" not in part(of_file(path)).items.fields
    values = part(of_file(path, frozenset({"question"}))).items.fields["question"].values
    assert [value[:5] for value in values] == ["xxxxx", "yyyyy"]


def test_id_and_metric_are_chosen(tmp_path: Path) -> None:
    columns = {"id": [1, 2], "ref": ["a", "b"], "score": [1, 0], "human": [0, 0]}
    path = write_delimited(columns, tmp_path / "t.csv")
    found = part(of_file(path, choice=Choice(ids=("ref",), metric="human")))
    assert found.items.ids == ("a", "b")
    assert found.primary == "human"


def test_nested_objects_become_dotted_columns(tmp_path: Path) -> None:
    rows = [
        {"id": i, "scores": {"acc": i % 2}, "meta": {"topic": {"name": "law"}}, "tags": [1]} for i in range(4)
    ]
    path = tmp_path / "t.jsonl"
    path.write_text("".join(f"{row}\n".replace("'", '"') for row in rows))
    found = part(of_file(path))
    assert [metric.metric for metric in found.metrics] == ["scores.acc"]
    assert found.items.fields["meta.topic.name"].values == ("law",)
    assert "tags" not in found.items.fields


def test_a_struct_in_parquet_reads_as_the_object_in_jsonl(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    duckdb.sql(
        "SELECT range AS id, {'acc': range % 2} AS scores, {'topic': {'name': 'law'}} AS meta, [1, 2] AS "
        "tags, INTERVAL 36 HOUR AS took, TIMESTAMPTZ '2026-01-02 03:04:05+00' AS at, "
        "'x'::BLOB AS image FROM range(4)"
    ).write_parquet(str(path))
    found = part(of_file(path))
    assert found.metrics[0].score.tolist() == [0.0, 1.0, 0.0, 1.0]
    assert sorted(found.items.fields) == ["at", "id", "meta.topic.name", "took"]
    assert found.items.fields["took"].values == ("36:00:00",)


@pytest.mark.parametrize("name", ["a*b.parquet", "a[0]?.parquet", "it's.parquet", "sums|0_v1.2.parquet"])
def test_a_parquet_file_may_have_any_name(name: str, tmp_path: Path) -> None:
    for neighbour in ("aXb.parquet", "a0X.parquet"):
        write_parquet({"item": ["other"], "score": [1]}, tmp_path / neighbour)
    assert len(part(of_file(write_parquet(SHAPES["one run"], tmp_path / name))).items) == 4


@pytest.mark.parametrize("write", [write_delimited, write_lines])
def test_a_wrapped_file_reads_as_the_plain_one(write: Callable[[Table, Path], Path], tmp_path: Path) -> None:
    plain = write(SHAPES["runs"], tmp_path / ("t.csv" if write is write_delimited else "t.jsonl"))
    wrapped = plain.with_name(plain.name + ".gz")
    wrapped.write_bytes(gzip.compress(plain.read_bytes()))
    scores = build(table.rows(wrapped))
    assert content(scores) == content(build(table.rows(plain)))
    without_run = write_delimited(SHAPES["one run"], tmp_path / "model-0.5.csv")
    assert build(table.rows(without_run)).runs == ("model-0.5",)


def test_a_byte_order_mark_and_windows_line_ends_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"\xef\xbb\xbfitem, model, score \r\nq1,m, 1 \r\n\r\nq2, m ,0\r\n,,\r\n")
    scores = of_file(path)
    assert part(scores).items.ids == ("q1", "q2")
    assert part(scores).metric("score").score.tolist() == [1.0, 0.0]
    assert scores.runs == ("m",)


def test_the_separator_is_what_stands_outside_quotes(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('"why, where, when, and how";item;score\nx;q1;1\n')
    assert part(of_file(path)).items.fields["why, where, when, and how"].of(0) == "x"


def test_a_cell_may_be_longer_than_the_limit_of_csv_which_stays_as_it_was(tmp_path: Path) -> None:
    limit = csv.field_size_limit()
    columns = {"item": ["a", "b"], "score": [1, 0], "output": ["x" * (limit + 1)] * 2}
    assert len(part(of_file(write_delimited(columns, tmp_path / "t.csv"))).items) == 2
    assert csv.field_size_limit() == limit


def test_the_index_that_pandas_wrote_is_no_field(tmp_path: Path) -> None:
    columns = {"": [0, 1], "Unnamed: 0": [0, 1], "item": ["a", "b"], "score": [1, 0]}
    assert sorted(part(of_file(write_delimited(columns, tmp_path / "t.csv"))).items.fields) == ["item"]


def test_nan_literals_in_json_are_missing_scores(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"id": "a", "score": NaN}\n{"id": "b", "score": 1}\n')
    assert part(of_file(path)).metrics[0].status.tolist() == [MISSING, SCORED]


def test_lines_in_a_json_file_are_read_as_lines(tmp_path: Path) -> None:
    path = write_lines(SHAPES["one run"], tmp_path / "t.json")
    assert part(of_file(path)).header.format == "jsonl"


def test_what_holds_no_rows_is_not_taken_for_a_table(tmp_path: Path) -> None:
    assert not table.detect(tmp_path / "config.json", b'{"model": "x", "temperature": 0}')
    assert not table.detect(tmp_path / "notes.txt", b"item,score\nq1,1\n")
    assert table.detect(tmp_path / "t.csv.zst", b"item,score\n")


def test_a_large_file_is_read_as_a_stream(tmp_path: Path) -> None:
    n = 3000
    columns = {"item": [f"q{i}" for i in range(n)], "score": [i % 2 for i in range(n)]}
    stream = table.rows(write_delimited(columns, tmp_path / "t.csv"))
    assert next(r for r in stream if isinstance(r, Row)).item == "q0"
    assert "a later row that repeats item is another completion" in sentence(of_file(tmp_path / "t.csv"))
    assert len(part(of_file(tmp_path / "t.csv")).items) == n


def test_a_cell_that_is_no_score_in_a_run_s_column_is_named_not_dropped(tmp_path: Path) -> None:
    lines = [f"q{i},{i % 2},{(i + 1) % 2},{'timeout' if i == 5 else i % 2}" for i in range(20)]
    file = tmp_path / "wide.csv"
    file.write_text("id,a,b,d\n" + "\n".join(lines))
    with pytest.raises(InputError, match=r"line 7 \(item 'q5'\): 'timeout' is no score in d\. .*delete"):
        build(table.rows(file))
