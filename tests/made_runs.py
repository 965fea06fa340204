"""Small runs made by hand, and the command line as a person uses it."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evalstats.cli.main import main
from evalstats.data.builder import build
from evalstats.data.scores import SCORED, BenchmarkScores, Header, MetricScores, Row, Scores

Record = dict[str, Any]
LOGS = Path(__file__).parent / "data" / "logs"


def header(**changed: Any) -> Header:
    """A complete log of model m on quiz, in a format whose ids are its own."""
    return Header(**{"run": "m", "benchmark": "quiz", "path": "quiz.eval", "format": "inspect"} | changed)


def row(item: str, score: float | None, metric: str = "match", **changed: Any) -> Row:
    status = "missing" if score is None else "scored"
    return Row(
        **{"run": "m", "benchmark": "quiz", "status": status} | changed, metric=metric, item=item, score=score
    )


def log(rows: Iterable[Row], **head: Any) -> Scores:
    """The Scores of one log: a header and rows, through the builder."""
    return build([header(**head), *rows])


def part(rows: Iterable[Row], **head: Any) -> BenchmarkScores:
    (only,) = log(rows, **head)
    return only


def run_of(scores: Mapping[str, Any], **head: Any) -> Scores:
    """A log of item -> score, or a list of scores for its completions; None is missing."""
    rows = []
    for item, value in scores.items():
        epochs = value if isinstance(value, list) else [value]
        rows += [row(item, score, epoch=epoch) for epoch, score in enumerate(epochs, 1)]
    return log(rows, **head)


def records(scores: Mapping[str, Any], **fields: Any) -> list[Record]:
    """item -> score as a list of dicts, as notebooks have them."""
    return [{"item": item, "score": score, **fields} for item, score in scores.items()]


def counted(
    both: int, baseline_only: int, candidate_only: int, neither: int
) -> tuple[dict[str, int], dict[str, int]]:
    """Two runs on the same items with a given 2×2 table."""
    cells = [(1, 1)] * both + [(1, 0)] * baseline_only + [(0, 1)] * candidate_only + [(0, 0)] * neither
    items = [f"q{number:04d}" for number in range(len(cells))]
    return (
        {item: old for item, (old, _) in zip(items, cells, strict=True)},
        {item: new for item, (_, new) in zip(items, cells, strict=True)},
    )


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def codes(caveats: Iterable[Mapping[str, str]]) -> list[str]:
    return [caveat["code"] for caveat in caveats]


def texts(caveats: Iterable[Mapping[str, str]], code: str) -> str:
    return " ".join(caveat["text"] for caveat in caveats if caveat["code"] == code)


def command(capsys: Any, *arguments: object) -> dict[str, Any]:
    """`evalstats … --json`, which must succeed: its JSON."""
    code = main([*map(str, arguments), "--json"])
    printed = capsys.readouterr()
    assert code == 0, printed.err
    return dict(json.loads(printed.out))


def refused(capsys: Any, *arguments: object) -> str:
    """A command that must be refused with exit 2 and one paragraph: the paragraph, on one line."""
    assert main([*map(str, arguments)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "Traceback" not in printed.err
    return " ".join(printed.err.split())


def scores_of(metric: MetricScores) -> np.ndarray:
    """(rows,) floats, nan where there is no score."""
    return np.where(metric.status == SCORED, metric.score, np.nan)
