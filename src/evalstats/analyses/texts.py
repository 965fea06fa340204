"""The texts of flipped items: what was asked, what was wanted, and what each run answered."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evalstats.data.scores import BenchmarkScores, Exchange
from evalstats.envelope import Change, Texts

Parts = tuple[BenchmarkScores, BenchmarkScores]
Positions = NDArray[np.int64]
Kept = dict[int, dict[int, Exchange]]


def with_texts(
    changes: tuple[Change, ...], used: tuple[Positions, Positions], parts: Parts
) -> tuple[Change, ...]:
    """The changes with their texts, where either log has them.

    used : (n,) positions of the paired items in each run's Items.
    """
    if not any(part.exchanges for part in parts):
        return changes
    old, new = (_by_item(part) for part in parts)
    ids = parts[0].items.ids
    places = {ids[left]: (left, right) for left, right in zip(*(at.tolist() for at in used), strict=True)}
    return tuple(
        dataclasses.replace(change, texts=_texts(old.get(left, {}), new.get(right, {}), change.epoch))
        for change in changes
        for left, right in (places[change.item],)
    )


def _by_item(part: BenchmarkScores) -> Kept:
    kept: Kept = {}
    for (item, epoch), exchange in part.exchanges.items():
        kept.setdefault(item, {})[epoch] = exchange
    return kept


def _texts(baseline: dict[int, Exchange], candidate: dict[int, Exchange], epoch: int | None) -> Texts | None:
    """epoch : the completion that changed, None for all of the item's."""
    old, new = ([kept[at] for at in sorted(kept) if epoch in (None, at)] for kept in (baseline, candidate))
    if not old and not new:
        return None
    both = [*old, *new]
    prompt = next((each.prompt for each in both if each.prompt), "")
    target = next((each.target for each in both if each.target), "")
    return Texts(prompt, target, _answers(old), _answers(new))


def _answers(exchanges: Sequence[Exchange]) -> str:
    """The answer; those of several completions are numbered."""
    answers = [exchange.answer for exchange in exchanges]
    if len(answers) == 1:
        return answers[0]
    return "\n\n".join(f"[{number}] {answer}" for number, answer in enumerate(answers, 1))
