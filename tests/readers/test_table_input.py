"""Tables as they come: what cannot be read is refused in a sentence, any content comes back."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalstats.data.builder import build
from evalstats.errors import InputError
from evalstats.readers import table
from tests.made_runs import scores_of
from tests.readers.tables import (
    CARRIERS,
    of_file,
    of_frame,
    of_records,
    relation,
    sentence,
    write_delimited,
    write_json,
    write_lines,
    write_parquet,
)

BROKEN = [
    ("t.csv", b"item,score\nq1,1\nq2\n", "t.csv, line 3 has 1 cells where the header has 2."),
    ("t.csv", b"item,score\nq1,1,9\n", "line 2 has 3 cells where the header has 2. Quote a cell"),
    (
        "t.csv",
        b"id,Status,Score,Status,Score\n1,a,1,b,0\n",
        "has 2 columns called 'Status' (and more of 'Score')",
    ),
    ("t.csv", b"q1,1\nq2,0\n", "the first line (q1, 1) looks like data. The first line of a table names"),
    ("t.csv", b"item,score\nq1,1\n\xe9,0\n", "line 3 is not UTF-8 text (byte 0xe9). Save the table as UTF-8"),
    ("t.csv", b"\xff\xfei\x00t\x00", "UTF-16"),
    (
        "t.csv",
        b'item,score\n"q1,1\nq2,0\n',
        "line 3 is not well-formed: unexpected end of data. Quote a cell",
    ),
    ("t.csv", b"item,score\n", "t.csv holds no rows."),
    (
        "t.csv",
        b"item,score\nq1,C\nq2,banana\n",
        "t.csv, line 3 (item 'q2'): 'banana' is no score in score. Known",
    ),
    ("t.csv", b"item,score\nq1,inf\n", "item 'q1' has an infinite score"),
    ("t.csv", b"item,score\nq1,1\n ,0\n", "t.csv, line 3 has no item, which says which item it is."),
    ("t.csv", b"item,model,score\nq1,a,1\nq1,,0\n", "line 3 has no model, which names its run. Fill it in"),
    (
        "t.csv",
        b"item,epoch,score\nq1,1,1\nq1,1,0\n",
        "item 'q1' (completion 1) is scored twice by score, 1 and 0",
    ),
    ("t.jsonl", b'{"item": "a", "score": 1}\n{"item": \n', "t.jsonl, line 2 cannot be read"),
    ("t.jsonl", b'{"item": "a", "score": 1}\n[1, 2]\n', "t.jsonl, line 2 cannot be read: Expected `object`"),
    (
        "t.jsonl",
        b'{"item": "a", "score": [1]}\n{"item": "b", "score": 1}\n',
        "line 1 (item 'a'): [1] is no score",
    ),
    ("t.json", b'[{"item": "a", "score": 1}, 3]', "is a list of scores without items"),
    ("t.json", b'{"item": ["a"], "score": [1, 0]}', "'item' has 1 values and 'score' 2"),
    ("t.parquet", b"PAR1" + b"\0" * 40, "cannot be read as Parquet"),
]


@pytest.mark.parametrize(("name", "data", "message"), BROKEN)
def test_what_cannot_be_read_is_named_with_its_place(
    name: str, data: bytes, message: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError, match=re.escape(message)):
        build(table.rows(path))


def test_a_run_that_changes_its_configuration_after_the_first_rows_is_refused(tmp_path: Path) -> None:
    n = 1100
    columns = {
        "item": [f"q{i}" for i in range(n)],
        "run": ["old"] * 500 + ["new"] * 600,
        "model": ["m"] * 1050 + ["other"] * 50,
        "score": [1] * n,
    }
    message = "line 1052: the run 'new' (by run) has two configurations: model is 'm' and 'other'"
    with pytest.raises(InputError, match=re.escape(message)):
        of_file(write_delimited(columns, tmp_path / "t.csv"))


def test_an_unknown_status_after_the_first_rows_is_refused(tmp_path: Path) -> None:
    n = 1100
    columns = {"item": [f"q{i}" for i in range(n)], "score": [1] * n, "status": ["ok"] * (n - 1) + ["hmm"]}
    with pytest.raises(InputError, match=re.escape("line 1101: 'hmm' is no status in status. Known are ok")):
        of_file(write_delimited(columns, tmp_path / "t.csv"))


def test_a_count_of_completions_after_the_first_rows_must_stay_one(tmp_path: Path) -> None:
    n = 1100
    columns = {"item": ["q"] * n, "score": [1] * n, "trial": [*range(1, n), "last"]}
    with pytest.raises(InputError, match=re.escape("line 1101: 'last' in trial is no whole number")):
        of_file(write_delimited(columns, tmp_path / "t.csv"))


TEXTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8
).filter(lambda text: bool(text.strip()))
TRICKY = st.sampled_from(
    ["a,b", 'say "x"', "two\nlines", "blank\n \n\nlines", "end\r\n", " q", "モデル", "\u2028x", "007", "NA"]
)
SCORES = st.one_of(st.none(), st.floats(-1e6, 1e6), st.integers(-5, 5))


@settings(max_examples=25)
@given(st.lists(st.tuples(TEXTS | TRICKY, SCORES), min_size=1, max_size=12, unique_by=lambda row: row[0]))
def test_any_ids_and_scores_come_back_from_every_carrier(
    tmp_path_factory: pytest.TempPathFactory, data: list[tuple[str, float | None]]
) -> None:
    folder = tmp_path_factory.mktemp("any", numbered=True)
    ids, values = [row[0] for row in data], [row[1] for row in data]
    if all(value is None for value in values):
        values[0] = 1.0
    columns = {"item": ids, "score": [None if v is None else float(v) for v in values]}
    for scores in (
        of_file(write_delimited(columns, folder / "t.csv")),
        of_file(write_delimited(columns, folder / "t.tsv", "\t")),
        of_file(write_lines(columns, folder / "t.jsonl")),
        of_file(write_json(columns, folder / "t.json")),
        of_file(write_parquet(columns, folder / "t.parquet")),
        of_frame(relation(columns)),
        of_records(columns),
        CARRIERS["pandas"](columns, folder),
        CARRIERS["polars"](columns, folder),
        CARRIERS["pyarrow"](columns, folder),
    ):
        found = scores.benchmarks[0]
        assert found.items.ids == tuple(ids)
        read = scores_of(found.metrics[0]).tolist()
        assert [None if np.isnan(v) else v for v in read] == columns["score"]


NAMES = st.sampled_from(
    [
        "item",
        "id",
        "score",
        "correct",
        "model",
        "run",
        "task",
        "metric",
        "epoch",
        "status",
        "error",
        "a",
        "b",
        "",
    ]
)
CELLS = st.one_of(
    st.sampled_from(["C", "ok", "1", "0.5", "x", "", "9" * 400 + ".0", True, 0, 1, None]),
    st.integers(),
    st.floats(),
    st.decimals(),
    st.dates(),
    st.text(max_size=4),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=2),
)
COLUMN = st.lists(CELLS, min_size=6, max_size=6) | st.sampled_from(["abcdef", "aabbcc", "101101"]).map(list)


@given(st.dictionaries(NAMES, COLUMN, min_size=1, max_size=6))
def test_any_columns_are_read_or_refused_in_a_sentence(columns: dict[str, list[Any]]) -> None:
    with contextlib.suppress(InputError):
        assert sentence(of_records(columns))


@given(
    st.sampled_from(["t.csv", "t.tsv", "t.jsonl", "t.json"]), st.binary(max_size=60) | TEXTS.map(str.encode)
)
def test_any_bytes_are_read_or_refused_in_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: bytes
) -> None:
    path = tmp_path_factory.mktemp("bytes", numbered=True) / name
    path.write_bytes(data)
    with pytest.raises(InputError, match=re.escape(name)):
        build(table.rows(path))
