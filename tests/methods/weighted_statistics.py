"""Statistics twice: of records, as anybody writes them, and of rows and weights, for many resamples."""

from __future__ import annotations

from typing import Any

import numpy as np


def f1(rows: Any) -> float:
    """rows : (n, 2), label and prediction."""
    hits = np.sum((rows[:, 0] == 1) & (rows[:, 1] == 1))
    below = np.sum(rows[:, 0] == 1) + np.sum(rows[:, 1] == 1)
    return float(2 * hits / below) if below else float("nan")


def weighted_f1(rows: Any, weights: Any) -> Any:
    label, prediction = rows.T == 1
    return 2 * weights @ (label & prediction) / (weights @ label + weights @ prediction)


def kappa(rows: Any) -> float:
    """rows : (n, 2), the codes that two judges gave."""
    a, b = rows.T
    agree = np.mean(a == b)
    chance = sum(np.mean(a == code) * np.mean(b == code) for code in np.unique(rows))
    return float((agree - chance) / (1 - chance)) if chance < 1 else float("nan")


def weighted_kappa(rows: Any, weights: Any) -> Any:
    a, b = rows.T
    total = weights.sum(axis=1)
    agree = weights @ (a == b) / total
    chance = sum((weights @ (a == code)) * (weights @ (b == code)) for code in np.unique(rows)) / total**2
    return (agree - chance) / (1 - chance)


def auc(rows: Any) -> float:
    """rows : (n, 2), score and label: P(a right one's score is above a wrong one's), ties half."""
    right, wrong = rows[rows[:, 1] == 1, 0], rows[rows[:, 1] == 0, 0]
    if not (len(right) and len(wrong)):
        return float("nan")
    higher, tied = right[:, None] > wrong, right[:, None] == wrong
    return float(np.mean(higher + tied / 2))


def weighted_auc(rows: Any, weights: Any) -> Any:
    order = np.argsort(rows[:, 0])
    (score, label), weights = rows[order].T, weights[:, order]
    _, starts = np.unique(score, return_index=True)
    right = np.add.reduceat(weights * (label == 1), starts, axis=1)
    wrong = np.add.reduceat(weights * (label == 0), starts, axis=1)
    below = np.cumsum(wrong, axis=1) - wrong / 2
    return (right * below).sum(axis=1) / right.sum(axis=1) / wrong.sum(axis=1)


def iqm(rows: Any) -> float:
    """The mean of the middle half (Agarwal et al. 2021), of a number of rows that 4 divides."""
    quarter = len(rows) // 4
    return float(np.mean(np.sort(rows)[quarter : len(rows) - quarter]))


def weighted_iqm(rows: Any, weights: Any) -> Any:
    order = np.argsort(rows)
    weights = weights[:, order]
    below = np.cumsum(weights, axis=1)
    total = below[:, -1:]
    inside = np.diff(np.clip(below, 0.25 * total, 0.75 * total), axis=1, prepend=0.25 * total)
    return inside @ rows[order] / (total[:, 0] / 2)
