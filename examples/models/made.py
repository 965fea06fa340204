"""Write the table beside this script: eight models on 400 questions, two pairs of them equally good.

python examples/models/made.py
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
RATES = {
    "heron": 0.84,
    "plover": 0.78,
    "curlew": 0.78,
    "avocet": 0.74,
    "dunlin": 0.66,
    "godwit": 0.66,
    "lapwing": 0.58,
    "turnstone": 0.45,
}
QUESTIONS = 400
SHARED = 0.6  # of the answers rest on how hard the question is, and not on the model alone


def answers(seed: int = 20261130) -> np.ndarray:
    """(questions, models) right or wrong: a model is right where its draw is below its rate."""
    rng = np.random.default_rng(seed)
    own, common = rng.random((QUESTIONS, len(RATES))), rng.random((QUESTIONS, 1))
    draws = np.where(rng.random((QUESTIONS, len(RATES))) < SHARED, common, own)
    return (draws < list(RATES.values())).astype(int)


def main() -> None:
    with (HERE / "scores.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", *RATES])
        writer.writerows([f"q{i:03d}", *row] for i, row in enumerate(answers().tolist()))


if __name__ == "__main__":
    main()
