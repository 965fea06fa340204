"""Runs with fields to cut by, drawn once."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence

from evalstats.data.builder import build
from evalstats.data.scores import Scores
from tests.made_runs import Record, header, row

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
    for item in rows:
        flips = draw.random() < 0.1
        mended = not item["score"] and draw.random() < better.get(item["language"], 0.0)
        answered.append({**item, "score": 1 if mended else 1 - item["score"] if flips else item["score"]})
    return answered


def of_language(rows: Sequence[Record], language: str) -> list[Record]:
    return [row for row in rows if row["language"] == language]


def passes(rows: Sequence[Record]) -> tuple[int, int]:
    """How many were right, of how many."""
    return sum(r["score"] for r in rows), len(rows)


def with_small(n_small: int = 9, without: int = 7) -> list[Record]:
    """The run with a language of a few items, all wrong, and items without one."""
    run = languages()
    small = [{"id": f"s{i}", "language": "xx", "category": "law", "score": 0} for i in range(n_small)]
    blank = [
        {"id": f"n{i}", "language": ("", None, " ")[i % 3], "category": "law", "score": 1}
        for i in range(without)
    ]
    return [*run, *small, *blank]


def logged(missing: Iterable[int] = ()) -> Scores:
    """A log whose items have a topic; some crashed."""
    rows = [
        row(
            f"q{i}",
            None if i in missing else float(i % 3 > 0),
            status="error" if i in missing else "scored",
            fields={"topic": "ab"[i % 2]},
        )
        for i in range(60)
    ]
    return build([header(), *rows])
