"""Runs of a judge whose error rates are known, with labels of a part, as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.made_runs import write_csv

Right = NDArray[np.bool_]


def answers(seed: int, n: int = 400, rate: float = 0.6) -> Right:
    """Whether each of n answers is right."""
    return np.random.default_rng(seed).random(n) < rate


def judge_of(right: Right, seed: int, Se: float = 0.95, Sp: float = 0.7) -> Right:
    """A judge's verdicts with this sensitivity and specificity."""
    return np.random.default_rng(seed).random(len(right)) < np.where(right, Se, 1 - Sp)


def labelled(n: int, n_labels: int, seed: int = 3) -> list[int]:
    """A random part, the same for each run that is sampled with the seed."""
    return sorted(np.random.default_rng(seed).permutation(n)[:n_labels].tolist())


def write_run(path: Path, scores: Any) -> Path:
    return write_csv(path, [{"id": f"q{i}", "score": float(s)} for i, s in enumerate(scores)])


def write_labels(path: Path, values: Any, at: list[int]) -> Path:
    rows = [{"id": f"q{i}", "question": "?", "answer": "!", "label": float(values[i])} for i in at]
    return write_csv(path, rows)


def verdicts(n: int, seed: int = 2, first: float = 0.3, longer: float = 0.0) -> list[dict[str, Any]]:
    """Pairs in both orders by a judge that gives a share to the first place, a share to the longer answer."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        lengths = dict(zip(("gpt", "llama"), rng.integers(100, 900, 2).tolist(), strict=True))
        better = "gpt" if rng.random() < 0.5 else "llama"
        for shown in (("gpt", "llama"), ("llama", "gpt")):
            lucky = rng.random()
            by_length = max(lengths, key=lengths.__getitem__)
            winner = shown[0] if lucky < first else by_length if lucky < first + longer else better
            rows.append(
                {
                    "id": f"q{i}",
                    "first": shown[0],
                    "second": shown[1],
                    "winner": winner,
                    "first_length": lengths[shown[0]],
                    "second_length": lengths[shown[1]],
                    "judge_family": "gpt",
                    "first_family": shown[0],
                    "second_family": shown[1],
                    "human": better,
                }
            )
    return rows
