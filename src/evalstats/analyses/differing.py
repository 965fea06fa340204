"""What differs between two runs besides the scores: settings, prompts, and which items flipped."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.data.pairing import Matched
from evalstats.data.scores import SCORED, BenchmarkScores, MetricScores
from evalstats.envelope import Change, ConfigChange


def changed_config(baseline: BenchmarkScores, candidate: BenchmarkScores) -> tuple[ConfigChange, ...]:
    """The settings the two logs state differently, in the order of the baseline's log."""
    left, right = baseline.header.config, candidate.header.config
    return tuple(
        ConfigChange(key, left.get(key, ""), right.get(key, ""))
        for key in dict.fromkeys([*left, *right])
        if left.get(key, "") != right.get(key, "")
    )


def changed_prompts(baseline: BenchmarkScores, candidate: BenchmarkScores, matched: Matched) -> int | None:
    """How many paired items were asked with another prompt; None where a log has no prompt hashes."""
    pairs = [
        (baseline.items.prompts[b], candidate.items.prompts[c])
        for b, c in zip(matched.baseline, matched.candidate, strict=True)
    ]
    if not all(one and two for one, two in pairs):
        return None
    return len([1 for one, two in pairs if one != two])


def changed_items(
    ids: tuple[str, ...],
    positions: NDArray[np.int64],
    baseline: NDArray[Any],
    candidate: NDArray[Any],
) -> tuple[Change, ...]:
    """The paired items whose scores differ, in the baseline's order."""
    return tuple(
        Change(ids[positions[at]], None, float(baseline[at]), float(candidate[at]))
        for at in np.flatnonzero(baseline != candidate)
    )


def changed_completions(
    ids: tuple[str, ...], baseline: MetricScores, candidate: MetricScores
) -> tuple[Change, ...]:
    """The completions of one log that two metrics score differently (a grader change)."""
    left, right = _by_completion(baseline), _by_completion(candidate)
    several = len({epoch for _, epoch in left}) > 1
    return tuple(
        Change(ids[item], epoch if several else None, score, right[item, epoch])
        for (item, epoch), score in left.items()
        if (item, epoch) in right and right[item, epoch] != score
    )


def shared_completions(baseline: MetricScores, candidate: MetricScores) -> tuple[MetricScores, MetricScores]:
    """Both metrics of one log: of the items that both scored, the completions that both scored."""
    left, right = _by_completion(baseline).keys(), _by_completion(candidate).keys()
    items = {item for item, _ in left} & {item for item, _ in right}
    return _cut(baseline, items, left & right), _cut(candidate, items, left & right)


def _by_completion(metric: MetricScores) -> dict[tuple[int, int], float]:
    scored = metric.status == SCORED
    keys = zip(metric.item[scored].tolist(), metric.epoch[scored].tolist(), strict=True)
    return dict(zip(keys, metric.score[scored].astype(float).tolist(), strict=True))


def _cut(metric: MetricScores, items: set[int], completions: set[tuple[int, int]]) -> MetricScores:
    """Without the rows of these items that are not among these completions."""
    keys = zip(metric.item.tolist(), metric.epoch.tolist(), strict=True)
    keep = np.array([key in completions or key[0] not in items for key in keys], dtype=bool)
    return MetricScores(
        metric.metric,
        metric.item[keep],
        metric.epoch[keep],
        metric.score[keep],
        metric.status[keep],
        metric.bounds,
        metric.higher_is_better,
        metric.duplicates,
    )
