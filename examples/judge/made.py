"""Write the tables beside this script: a judge whose error rates are known, since it is made up.

python examples/judge/made.py
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
SENSITIVITY = 0.93  # of right answers the judge passes so many
SPECIFICITY = 0.70  # of wrong ones it fails so many; of the new model's, which writes better, fewer
OF_THE_NEW, OF_JUNE = 0.55, 0.50


def judged(rng: np.random.Generator, right: Any, specificity: float) -> Any:
    return rng.random(len(right)) < np.where(right, SENSITIVITY, 1 - specificity)


def write(name: str, columns: dict[str, Any]) -> None:
    with (HERE / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def two_runs(rng: np.random.Generator) -> None:
    """300 answers of an old and of a new model, no better; 130 of them labelled, the same in both."""
    old = rng.random(300) < 0.6
    new = np.where(rng.random(300) < 0.75, old, rng.random(300) < 0.6)
    ids = [f"q{i:03d}" for i in range(300)]
    sample = rng.permutation(300)[:130]
    for name, right, specificity in (("old", old, SPECIFICITY), ("new", new, OF_THE_NEW)):
        write(f"judged-{name}.csv", {"id": ids, "score": judged(rng, right, specificity).astype(int)})
        write(f"labels-{name}.csv", {"id": [ids[i] for i in sample], "label": right[sample].astype(int)})


def anchors(rng: np.random.Generator) -> None:
    """120 frozen answers with labels, judged in May and in June, when the judge had grown milder."""
    right = rng.random(120) < 0.6
    ids = [f"a{i:03d}" for i in range(120)]
    for month, specificity in (("may", SPECIFICITY), ("june", OF_JUNE)):
        write(f"anchors-{month}.csv", {"id": ids, "score": judged(rng, right, specificity).astype(int)})
    write("anchors-labels.csv", {"id": ids, "label": right.astype(int)})


def pairs(rng: np.random.Generator) -> None:
    """100 pairs in both orders: a fifth of the verdicts goes to the first place, a fifth to length."""
    rows = []
    for i in range(100):
        length = dict(zip(("gpt", "llama"), rng.integers(80, 900, 2).tolist(), strict=True))
        better = "gpt" if rng.random() < 0.5 else "llama"
        for first, second in (("gpt", "llama"), ("llama", "gpt")):
            lucky = rng.random()
            longer = max(length, key=length.__getitem__)
            winner = first if lucky < 0.2 else longer if lucky < 0.4 else better
            rows.append((f"p{i:03d}", first, second, winner, length[first], length[second], better))
    names = ("id", "first", "second", "winner", "first_length", "second_length", "human")
    write("pairs.csv", dict(zip(names, zip(*rows, strict=True), strict=True)))


if __name__ == "__main__":
    for seed, make in enumerate((two_runs, anchors, pairs)):
        make(np.random.default_rng(seed))
