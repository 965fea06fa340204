"""Many runs side by side: which item of each is which, and every run's score of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalstats.analyses.options import Options
from evalstats.analyses.rank_runs import ManyLogs
from evalstats.analyses.sides import Positions, as_asked, lower_is_better
from evalstats.data.design import cluster_field
from evalstats.data.items import ItemScores, check_same_scale, field_named, item_scores, scale_of
from evalstats.data.pairing import Asking, match
from evalstats.data.scores import BenchmarkScores, MetricScores
from evalstats.envelope import Scale
from evalstats.errors import InputError, PairingError
from evalstats.kernel.arrays import Codes
from evalstats.methods.many_items import ManyItems


@dataclass(frozen=True)
class Matching:
    """(items of the run,) codes of each run's items, 0 … n−1 over all runs; what they were matched by.

    A run's codes are distinct. said : by a field that nobody named. clashes : ids that agree while contents
    differ, all runs together.
    """

    codes: tuple[Positions, ...]
    n: int
    key: str
    said: bool
    clashes: int


@dataclass(frozen=True)
class JoinedRuns:
    """One question of K runs. items : those that some run scored. names : (n,) their ids.

    labels, metrics, scored : of each run, as asked for. cluster : the field that groups the items, and its
    source.
    """

    logs: ManyLogs
    labels: tuple[str, ...]
    scale: Scale
    metrics: tuple[MetricScores, ...]
    scored: tuple[ItemScores, ...]
    items: ManyItems
    matching: Matching
    at: tuple[Positions, ...]
    cluster: tuple[str, str] | None
    lower_is_better: bool


def joined_runs(
    logs: ManyLogs, labels: tuple[str, ...], same_source: tuple[int, ...], options: Options
) -> JoinedRuns:
    """Raises PairingError where a run shares no item with any other, InputError for scores of two scales.

    same_source : (K,), equal numbers for runs that are columns of one table.
    """
    logged = tuple(part.metric(name) for part, name in zip(logs.parts, logs.metrics, strict=True))
    for other in logged[1:]:
        check_same_scale(logged[0], other, logs.metrics[0])
    scale, assumed = scale_of(logged, options.bounds)
    metrics = tuple(
        as_asked(part, metric, options, scale) for part, metric in zip(logs.parts, logged, strict=True)
    )
    scored = tuple(
        item_scores(metric, len(part.items)) for part, metric in zip(logs.parts, metrics, strict=True)
    )
    matching = matched_items(logs.parts, options.id, same_source, labels)
    y, completions = _table(matching, scored)
    known: NDArray[np.bool_] = np.asarray(~np.isnan(y).all(axis=1))
    at = tuple(_places(codes, known) for codes in matching.codes)
    named = cluster_field(tuple(part.header for part in logs.parts), options.cluster)
    cluster = None if named is None else many_cluster_codes(named[0], logs.parts, at, int(known.sum()))
    bounds = None if scale.low is None or scale.high is None else (scale.low, scale.high)
    repeated = bool((completions[known] > 1).any())
    items = ManyItems(
        y[known],
        scale.kind == "pass_fail",
        bounds,
        cluster,
        completions[known] if repeated else None,
        assumed,
    )
    lower = lower_is_better(logged[0], options)
    return JoinedRuns(logs, labels, scale, metrics, scored, items, matching, at, named, lower)


def matched_items(
    parts: tuple[BenchmarkScores, ...],
    id_field: str | None,
    same_source: tuple[int, ...],
    labels: tuple[str, ...],
) -> Matching:
    """One code for each item, whichever runs list it; each run is matched to those before it, one by one.

    Runs with content hashes come first, then the longest, then by label: contents decide before ids do, and
    the order in which the runs are given nothing. An item is not taken for one that its own run has already.
    Raises PairingError for a run that shares no item with any run before it.
    """
    order = sorted(range(len(parts)), key=lambda j: _precedence(parts[j], labels[j]))
    codes: list[Positions] = [np.full(len(part.items), -1, dtype=np.int64) for part in parts]
    n, key, said, clashes = 0, "", False, 0
    for place, j in enumerate(order):
        refused: PairingError | None = None
        for i in order[:place]:
            if not (codes[j] < 0).any():
                break
            try:
                same = same_source[i] == same_source[j]
                asking = Asking((labels[i], labels[j]), unpaired=False)
                found = match(parts[i], parts[j], id_field, same_source=same, asking=asking)
            except PairingError as error:
                refused = refused or error
                continue
            twice = _take(codes[j], found.candidate, codes[i][found.baseline])
            key, said, clashes = key or found.key, said or found.said, clashes + len(found.clashes) + twice
        if refused is not None and not (codes[j] >= 0).any():
            raise refused
        fresh = codes[j] < 0
        codes[j][fresh] = n + np.arange(fresh.sum())
        n += int(fresh.sum())
    return Matching(tuple(codes), n, key, said, clashes)


def check_common(items: ManyItems, labels: Sequence[str]) -> None:
    """Raises PairingError that names a run without any score, or two runs without an item scored in both."""
    scored = items.scored.astype(np.float64)
    common = scored.T @ scored
    for i, j in np.argwhere(np.triu(common == 0)).tolist():
        named = f"{labels[i]} has no" if i == j else f"{labels[i]} and {labels[j]} have no common"
        raise PairingError(f"{named} scored item: leave {'it' if i == j else 'one of them'} out.")


def _precedence(part: BenchmarkScores, label: str) -> tuple[bool, int, str]:
    return not all(part.items.hashes), -len(part.items), label


def _take(codes: Positions, places: Positions, offered: Positions) -> int:
    """Give a run's items the codes of another's where they have none; how many have one that is held."""
    new = codes[places] < 0
    held = new & np.isin(offered, codes[codes >= 0])
    free = new & ~held
    codes[places[free]] = offered[free]
    return int(held.sum())


def _table(
    matching: Matching, scored: tuple[ItemScores, ...]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(n, K) scores, nan where a run has none, and numbers of scored completions."""
    shape = (matching.n, len(scored))
    y, completions = np.full(shape, np.nan), np.zeros(shape)
    for j, (codes, found) in enumerate(zip(matching.codes, scored, strict=True)):
        y[codes, j] = found.y
        completions[codes, j] = found.completions
    return y, completions


def _places(codes: Positions, known: NDArray[np.bool_]) -> Positions:
    """Where each of a run's items is among the known ones; −1 for one that no run scored."""
    return np.where(known, np.cumsum(known) - 1, -1)[codes]


def many_cluster_codes(
    name: str, parts: tuple[BenchmarkScores, ...], at: tuple[Positions, ...], n: int
) -> Codes:
    """Each item's group by a field that some of the runs have.

    Raises InputError for a field nobody has, for an item without a value, and where the runs disagree.
    """
    texts: list[str | None] = [None] * n
    ids: list[str] = [""] * n
    for part, places in zip(parts, at, strict=True):
        field = field_named(part.items, name)
        for item, place in enumerate(places.tolist()):
            if place < 0:
                continue
            ids[place] = part.items.ids[item]
            text = None if field is None else field.of(item)
            if text is not None and texts[place] not in (None, text):
                raise InputError(
                    f"item {ids[place]!r} is in cluster {texts[place]!r} of {name} in one run, {text!r} in "
                    "another. Mend the logs, or choose another field with --cluster (none: no clusters)."
                )
            texts[place] = text if text is not None else texts[place]
    if not any(field_named(part.items, name) for part in parts):
        there = sorted({field for part in parts for field in part.items.fields})
        raise InputError(
            f"--cluster {name}: no run has such a field. There are: {', '.join(there) or 'none'}."
        )
    if None in texts:
        raise InputError(
            f"item {ids[texts.index(None)]!r} has no {name}. Every item needs its cluster: fill it in, or "
            "choose another field with --cluster."
        )
    codes: dict[str | None, int] = {}
    return np.array([codes.setdefault(text, len(codes)) for text in texts], dtype=np.intp)
