"""Runs with fields to cut by, drawn once."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from tests.made_runs import Record

SIZES = {"de": 44, "en": 80, "fr": 31, "hi": 20, "ja": 66, "sw": 52, "zh": 37}
RATES = {"de": 0.72, "en": 0.75, "fr": 0.7, "hi": 0.74, "ja": 0.95, "sw": 0.35, "zh": 0.7}
CATEGORIES = ("code", "law", "math")


def languages(seed: int = 12, sizes: Mapping[str, int] = SIZES) -> list[Record]:
    """Items in seven languages, each also of a category, and whether they were right."""
    draw = random.Random(seed)
    return [
        {
            "id": f"{language}-{at:03d}",
            "language": language,
            "category": draw.choice(CATEGORIES),
            "score": int(draw.random() < RATES[language]),
        }
        for language, n in sizes.items()
        for at in range(n)
    ]


def after(rows: Sequence[Record], seed: int = 21, better: Mapping[str, float] | None = None) -> list[Record]:
    """The same items answered again: a tenth flips, in some languages most of the wrong ones turn right."""
    draw, better = random.Random(seed), better or {"sw": 0.8}
    answered = []
    for row in rows:
        flips = draw.random() < 0.1
        mended = not row["score"] and draw.random() < better.get(row["language"], 0.0)
        answered.append({**row, "score": 1 if mended else 1 - row["score"] if flips else row["score"]})
    return answered


def of_language(rows: Sequence[Record], language: str) -> list[Record]:
    return [row for row in rows if row["language"] == language]
