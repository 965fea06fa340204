"""Data frames: their indices, dtypes and names. (The same table in every carrier: test_table.)"""

from __future__ import annotations

import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from evalstats.data.builder import build
from evalstats.data.scores import MISSING, SCORED
from evalstats.errors import InputError
from evalstats.readers import frame
from tests.readers.tables import content, means, of_frame, sentence

COLUMNS = {"item": ["q1", "q2"], "score": [1, 0]}


def test_frames_are_told_from_everything_else() -> None:
    frames = [pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS), pl.LazyFrame(COLUMNS), pa.table(COLUMNS)]
    frames += [nw.from_native(frames[0]), duckdb.sql("SELECT 1 AS item"), pd.Series([1]), pl.Series([1])]
    assert all(frame.is_frame(value) for value in frames)
    others = [None, "run.csv", Path("run.csv"), [1], (1,), {"a": [1]}, [{"a": 1}], 3, np.array([1]), object()]
    assert not any(frame.is_frame(value) for value in others)


@pytest.mark.parametrize(
    ("value", "library"),
    [
        (pd.DataFrame(COLUMNS), "pandas"),
        (pl.DataFrame(COLUMNS), "polars"),
        (pl.LazyFrame(COLUMNS), "polars"),
        (pa.table(COLUMNS), "pyarrow"),
        (nw.from_native(pl.DataFrame(COLUMNS)), "polars"),
        (duckdb.sql("SELECT 'q1' AS item, 1 AS score"), "duckdb"),
    ],
)
def test_the_header_names_the_library(value: Any, library: str) -> None:
    header = of_frame(value).benchmarks[0].header
    assert (header.format, header.run, header.path) == (library, "week31", "week31")


def test_a_named_index_is_a_column_and_an_unnamed_one_is_not() -> None:
    named = pd.DataFrame({"score": [1, 0]}, index=pd.Index(["a", "b"], name="question_id"))
    assert of_frame(named).benchmarks[0].items.ids == ("a", "b")
    assert list(named.columns) == ["score"]
    unnamed = pd.DataFrame({"score": [1, 0]}, index=["a", "b"])
    assert of_frame(unnamed).benchmarks[0].items.ids == ("row 1", "row 2")


def test_a_pivoted_frame_has_a_run_a_column() -> None:
    long = pd.DataFrame({"item": ["q1", "q2"] * 2, "model": ["a", "a", "b", "b"], "score": [1, 0, 1, 1]})
    wide = long.pivot(index="item", columns="model", values="score")
    assert (
        means(of_frame(wide))
        == means(of_frame(long))
        == {("a", "scores", "score"): 0.5, ("b", "scores", "score"): 1.0}
    )


def test_every_kind_of_nothing_is_a_missing_score() -> None:
    frames = [
        pd.DataFrame({"item": list("ab"), "score": [1, np.nan]}),
        pd.DataFrame({"item": list("ab"), "score": pd.array([1, None], dtype="Int8")}),
        pd.DataFrame({"item": list("ab"), "score": pd.array([True, None], dtype="boolean")}),
        pd.DataFrame({"item": list("ab"), "score": pd.array(["pass", None], dtype="string")}),
        pd.DataFrame({"item": list("ab"), "score": pd.Categorical(["C", None])}),
        pd.DataFrame({"item": list("ab"), "score": pd.array([1, None], dtype="float64[pyarrow]")}),
        pl.DataFrame({"item": list("ab"), "score": [1.0, float("nan")]}),
        pl.DataFrame({"item": list("ab"), "score": [Decimal("1.00"), None]}),
        duckdb.sql("SELECT * FROM (VALUES ('a', 1::DECIMAL(9, 2)), ('b', NULL)) AS t(item, score)"),
        duckdb.sql("SELECT * FROM (VALUES ('a', 1::DOUBLE), ('b', 'nan'::DOUBLE)) AS t(item, score)"),
    ]
    for value in frames:
        metric = of_frame(value).benchmarks[0].metrics[0]
        assert metric.status.tolist() == [SCORED, MISSING]
        assert metric.score[0] == 1.0


def test_columns_of_lists_and_times_do_no_harm() -> None:
    times = pd.to_datetime(["2026-01-02", None])
    value = pd.DataFrame({**COLUMNS, "tags": [[1], [2]], "at": times, "meta": [{"topic": "law"}, None]})
    fields = of_frame(value).benchmarks[0].items.fields
    assert fields["meta.topic"].of(0) == "law"
    assert fields["at"].of(0) == "2026-01-02 00:00:00"
    assert "tags" not in fields
    nested = pl.DataFrame(
        {**COLUMNS, "embedding": [[0.1], [0.2]], "meta": [{"topic": "law"}, {"topic": "bio"}]}
    )
    assert sorted(of_frame(nested).benchmarks[0].items.fields) == ["item", "meta.topic"]


def test_a_frame_of_many_batches_reads_as_one() -> None:
    n = 10_001
    value = pl.DataFrame({"item": [f"q{i}" for i in range(n)], "score": np.arange(n) % 2})
    relation = duckdb.from_arrow(value.to_arrow())
    assert content(of_frame(value)) == content(of_frame(relation)) == content(of_frame(value.to_pandas()))
    assert len(of_frame(value).benchmarks[0].items) == n


def test_a_relation_can_be_used_afterwards() -> None:
    relation = duckdb.sql("SELECT 'q' || range AS item, range % 2 AS score FROM range(3)")
    assert content(of_frame(relation)) == content(of_frame(relation))
    assert len(relation.fetchall()) == 3


def test_columns_named_by_numbers_are_named_by_their_text() -> None:
    assert of_frame(pd.DataFrame({"item": ["a", "b"], 1: [1, 0], 2: [1, 1]})).runs == ("1", "2")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (pd.DataFrame([[1, 2]], columns=["score", "score"]), "data frame has two columns called 'score'."),
        (pa.table([[1], [2]], names=["score", "score"]), "data frame has two columns called 'score'."),
        (duckdb.sql("SELECT 1 AS score, 2 AS score"), "data frame has two columns called 'score'."),
        (pd.Series([1, 0], name="score"), "data frame is a single column without items. es.mean(scores)"),
        (pl.Series([1, 0]), "data frame is a single column without items. es.mean(scores)"),
        (
            pd.DataFrame([[1, 0]], columns=pd.MultiIndex.from_tuples([("score", "a"), ("score", "b")])),
            "data frame has column names of 2 levels, ('score', 'a') first. Choose one of the upper level",
        ),
        (pl.DataFrame({"item": [], "score": []}), "data frame holds no rows."),
        (
            pd.DataFrame(COLUMNS | {"score": ["C", "banana"]}),
            "data frame, row 2 (item 'q2'): 'banana' is no score",
        ),
        (pd.DataFrame({"item": ["a", None], "score": [1, 0]}), "data frame, row 2 has no item"),
    ],
)
def test_a_frame_that_cannot_be_read_is_refused(value: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        build(frame.rows(value))


def test_a_closed_relation_is_an_error_in_a_sentence() -> None:
    connection = duckdb.connect()
    relation = connection.sql("SELECT 'q1' AS item, 1 AS score")
    connection.close()
    with pytest.raises(InputError, match=re.escape("data frame cannot be fetched from DuckDB")):
        build(frame.rows(relation))


def test_reading_a_polars_frame_loads_no_pandas() -> None:
    code = (
        "import sys, polars as pl; from evalstats.readers import frame\n"
        "list(frame.rows(pl.DataFrame({'item': ['a'], 'score': [1]})))\n"
        "print(sorted({'pandas', 'pyarrow', 'duckdb'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_sentence_of_a_frame_is_that_of_any_table() -> None:
    value = pd.DataFrame({**COLUMNS, "model": ["m", "m"], "topic": ["a", "b"]})
    expected = "item = item, score = score (0 or 1), run = model; 1 other column kept as a field: topic"
    assert sentence(of_frame(value)) == expected
