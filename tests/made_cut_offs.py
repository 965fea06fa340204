"""Runs on items of before and of after a cut-off."""

from __future__ import annotations

import random

CUT = "published<2024-01-01"


def run(name="clean", leak=0.0, n=200, seed=8):
    """Items of 2023 and of 2024, the newer harder; a leak solves that share of the old ones."""
    draw = random.Random(f"{name} {seed}")
    return [
        {
            "item": f"q{i:03d}",
            "published": f"{2023 + i % 2}-{1 + i % 12:02d}-15",
            "score": int(draw.random() < 0.6 - 0.1 * (i % 2) or (i % 2 == 0 and draw.random() < leak)),
        }
        for i in range(n)
    ]


def column(rows):
    return [one["score"] for one in rows], [one["published"] >= "2024" for one in rows]
