"""Votes over the answers' texts: the values of maj@k, from a log that has the answers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from evalstats.data.scores import SCORED, BenchmarkScores, MetricScores
from evalstats.errors import InputError
from evalstats.subjects.k_of_n import majority_of

_SHOWN = 40


def majority_values(
    part: BenchmarkScores, metric: MetricScores, at: NDArray[np.int64], k: int
) -> NDArray[np.float64]:
    """(problems,) how often the commonest of k answers is right, of the problems at these positions.

    Answers are compared as texts, without the spaces around them; right are those that were scored 1.
    Raises InputError without texts, and where one text was scored both right and wrong.
    """
    votes = _votes(part, metric)
    known: dict[tuple[tuple[int, bool], ...], float] = {}
    values = []
    for item in at.tolist():
        answers = tuple(sorted(votes.get(item, {}).values()))
        if answers not in known:
            known[answers] = majority_of([n for n, _ in answers], [right for _, right in answers], k)
        values.append(known[answers])
    return np.array(values)


def _votes(part: BenchmarkScores, metric: MetricScores) -> Mapping[int, dict[str, tuple[int, bool]]]:
    """Problem -> answer -> how often it was given, and whether it is right."""
    if not any(one.answer.strip() for one in part.exchanges.values()):
        raise InputError(
            f"maj@k is a vote over answers, and {part.header.path} holds none that could be read: how many "
            "are right does not say which is the commonest. Ask for pass_at_k, pass_hat_k or avg_at_k."
        )
    scored = metric.status == SCORED
    columns = (metric.item[scored], metric.epoch[scored], metric.score[scored])
    votes: dict[int, dict[str, tuple[int, bool]]] = {}
    for item, epoch, score in zip(*(column.tolist() for column in columns), strict=True):
        exchange = part.exchanges.get((item, epoch))
        answer = exchange.answer.strip() if exchange is not None else ""
        given, right = votes.setdefault(item, {}).get(answer, (0, score == 1))
        if right != (score == 1):
            raise InputError(
                f"{part.items.ids[item]!r}: the answer {answer[:_SHOWN]!r} was scored right once and wrong "
                "once, so that a vote over texts has no right side. Choose another metric."
            )
        votes[item][answer] = (given + 1, right)
    return votes
