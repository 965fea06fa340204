"""A table as it stands: every carrier gives the same columns, and what is no table says so."""

from __future__ import annotations

import json

import pandas as pd
import polars as pl
import pytest

from evalstats.errors import InputError
from evalstats.readers.raw_table import raw_table

ROWS = [{"id": "q1", "label": "pass"}, {"id": "q2", "label": "fail"}]


def test_every_carrier_gives_the_same_columns(tmp_path):
    lines = tmp_path / "t.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    whole = tmp_path / "t.json"
    whole.write_text(json.dumps(ROWS), encoding="utf-8")
    comma, semicolon = tmp_path / "t.csv", tmp_path / "u.csv"
    comma.write_text("id,label\nq1,pass\nq2,fail\n", encoding="utf-8")
    semicolon.write_bytes(b"\xef\xbb\xbfid;label\r\nq1;pass\r\nq2;fail\r\n")  # as a spreadsheet saves it
    parquet = tmp_path / "t.parquet"
    pl.DataFrame(ROWS).write_parquet(parquet)
    carriers = (lines, str(whole), comma, semicolon, parquet, pd.DataFrame(ROWS), pl.DataFrame(ROWS), ROWS)
    for carrier in carriers:
        found = raw_table(carrier)
        assert {name: list(cells) for name, cells in found.columns.items()} == {
            "id": ["q1", "q2"],
            "label": ["pass", "fail"],
        }
        assert len(found) == 2


def test_a_column_that_rows_lack_is_empty_there_and_nested_ones_are_dotted():
    rows = [{"id": 1}] * 5000 + [{"id": 2, "human": {"ann": "pass"}}]
    found = raw_table(rows)
    assert len(found.columns["human.ann"]) == len(found) == 5001
    assert found.columns["human.ann"][-1] == "pass"
    assert set(found.columns["human.ann"][:-1]) == {None}


def test_what_is_no_table_says_so(tmp_path):
    log = tmp_path / "run.txt"
    log.write_text("hello", encoding="utf-8")
    empty = tmp_path / "t.csv"
    empty.write_text("id,label\n", encoding="utf-8")
    for source, said in ((log, "is no table"), (empty, "holds no rows"), (tmp_path / "x.csv", "no file")):
        with pytest.raises(InputError, match=said):
            raw_table(source)
