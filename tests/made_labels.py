"""Labels of a judge and of people, as rows and as files."""

from __future__ import annotations

import csv
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"
LABELS = EXAMPLES / "agree" / "labels.csv"
SCHEMAS = Path(__file__).parents[1] / "docs" / "schema"
ROWS = [
    {"judge": j, "human": h}
    for (j, h), n in {(1, 1): 56, (1, 0): 4, (0, 1): 16, (0, 0): 24}.items()
    for _ in range(n)
]
RUN = [
    {"id": f"q{i}", "score": float(i % 3 > 0), "question": f"{i}?", "answer": f"{i}!", "person": i % 4 > 0}
    for i in range(60)
]


def write_rows(path, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path


def read_rows(path):
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
