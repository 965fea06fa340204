"""The same table in every carrier, and the Scores it makes."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from evalstats.data.builder import build
from evalstats.data.scores import Scores
from evalstats.readers import frame, records, table
from evalstats.readers.columns import Choice
from tests.made_runs import scores_of

Table = Mapping[str, Sequence[Any]]


def objects(columns: Table) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def write_delimited(columns: Table, path: Path, delimiter: str = ",") -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def write_lines(columns: Table, path: Path) -> Path:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in objects(columns))
    path.write_bytes(text.encode())
    return path


def write_json(content: Any, path: Path) -> Path:
    path.write_bytes(json.dumps(content, ensure_ascii=False).encode())
    return path


def write_parquet(columns: Table, path: Path) -> Path:
    pl.DataFrame(dict(columns), strict=False).write_parquet(path)
    return path


def of_file(path: Path, wanted: frozenset[str] = frozenset(), choice: Choice | None = None) -> Scores:
    assert table.detect(path, path.read_bytes()[:4096])
    return build(table.rows(path, wanted, choice))


def of_frame(value: Any) -> Scores:
    assert frame.is_frame(value)
    return build(frame.rows(value, label="week31"))


def of_records(value: Any) -> Scores:
    assert not frame.is_frame(value)
    return build(records.rows(value, label="week31"))


def relation(columns: Table) -> Any:
    arrow = pa.table(dict(columns))
    return duckdb.from_arrow(arrow)


CARRIERS: dict[str, Callable[[Table, Path], Scores]] = {
    "csv": lambda c, p: of_file(write_delimited(c, p / "week31.csv")),
    "semicolon": lambda c, p: of_file(write_delimited(c, p / "week31.csv", ";")),
    "tsv": lambda c, p: of_file(write_delimited(c, p / "week31.tsv", "\t")),
    "jsonl": lambda c, p: of_file(write_lines(c, p / "week31.jsonl")),
    "json of rows": lambda c, p: of_file(write_json(objects(c), p / "week31.json")),
    "json of columns": lambda c, p: of_file(write_json(dict(c), p / "week31.json")),
    "parquet": lambda c, p: of_file(write_parquet(c, p / "week31.parquet")),
    "pandas": lambda c, _: of_frame(pd.DataFrame(dict(c))),
    "pandas nullable": lambda c, _: of_frame(pd.DataFrame(dict(c)).convert_dtypes()),
    "pandas categories": lambda c, _: of_frame(pd.DataFrame(dict(c)).astype("category")),
    "pandas objects": lambda c, _: of_frame(pd.DataFrame(dict(c), dtype=object)),
    "polars": lambda c, _: of_frame(pl.DataFrame(dict(c), strict=False)),
    "polars lazy": lambda c, _: of_frame(pl.LazyFrame(dict(c), strict=False)),
    "pyarrow": lambda c, _: of_frame(pa.table(dict(c))),
    "duckdb": lambda c, _: of_frame(relation(c)),
    "dicts": lambda c, _: of_records(objects(c)),
    "columns": lambda c, _: of_records(dict(c)),
    "arrays": lambda c, _: of_records({k: np.array(v, dtype=object) for k, v in c.items()}),
}


def content(scores: Scores) -> dict[str, Any]:
    """All that Scores hold, as plain values that compare equal when the data are; fields as text by item."""
    return {
        f"{part.header.run} {part.header.benchmark}": {
            "model": part.header.model,
            "items": part.items.ids,
            "hashes": part.items.hashes,
            "prompts": part.items.prompts,
            "fields": {
                name: [field.of(at) for at in range(len(part.items))]
                for name, field in part.items.fields.items()
                if any(code >= 0 for code in field.codes)
            },
            "metrics": {
                m.metric: (
                    m.item.tolist(),
                    m.epoch.tolist(),
                    np.where(np.isnan(scores_of(m)), -99, m.score).tolist(),
                    m.status.tolist(),
                )
                for m in part.metrics
            },
        }
        for part in scores
    }


def means(scores: Scores) -> dict[tuple[str, str, str], float]:
    """Mean score by run, benchmark and metric."""
    return {
        (part.header.run, part.benchmark, metric.metric): float(np.nanmean(scores_of(metric)))
        for part in scores
        for metric in part.metrics
    }


def sentence(scores: Scores) -> str:
    return scores.benchmarks[0].header.notes[0]
