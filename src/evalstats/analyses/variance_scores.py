"""From runs, or one table, to scores with the labels by which they may vary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evalstats.analyses.options import Options
from evalstats.analyses.sides import as_asked, scales_differ
from evalstats.data.items import check_same_scale, field_key, scale_of
from evalstats.data.pairing import Asking, match
from evalstats.data.scores import SCORED, BenchmarkScores, MetricScores
from evalstats.data.slicing import own_values
from evalstats.envelope import Scale
from evalstats.errors import InputError, MethodError
from evalstats.numeric import group_means

ITEM, COMPLETION, EPOCH, RUN = "item", "completion", "epoch", "run"


@dataclass(frozen=True)
class Labelled:
    """(rows,) scores and, by name, the label of each. scale : of the scores. n_dropped : items left out.

    key : what items of several runs were paired by. together : completions are shared by the levels.
    cluster : the field that a log groups its items by. caveats : on the runs side by side.
    """

    scores: NDArray[np.float64]
    labels: Mapping[str, Sequence[str]]
    scale: Scale
    n_dropped: int = 0
    key: str | None = None
    together: bool = False
    cluster: str | None = None
    caveats: tuple[dict[str, str], ...] = ()


@dataclass(frozen=True)
class Level:
    """One run on a benchmark as a level of the factor: its log, its metric, its label, the level's name."""

    part: BenchmarkScores
    metric: str
    label: str
    name: str


def differing_settings(parts: Sequence[BenchmarkScores]) -> list[str]:
    """The settings that the logs state differently, in the order of the first."""
    configs = [part.header.config for part in parts]
    names = dict.fromkeys(name for config in configs for name in config)
    return [name for name in names if len({config.get(name, "") for config in configs}) > 1]


def of_log(part: BenchmarkScores, metric: str, by: Sequence[str], options: Options) -> Labelled:
    """One log by its items, its completions and fields of its items. Raises InputError for another name."""
    scale, (logged,) = _asked([(part, metric)], options)
    scored = logged.status == SCORED
    items, epochs = logged.item[scored], logged.epoch[scored]
    return Labelled(
        logged.score[scored].astype(np.float64),
        {name: _labels(part, name, items, epochs) for name in by},
        scale,
        cluster=part.header.cluster,
    )


def _asked(
    parts: Sequence[tuple[BenchmarkScores, str]], options: Options
) -> tuple[Scale, tuple[MetricScores, ...]]:
    """The metrics of these logs as asked for, on the one scale of all."""
    logged = tuple(part.metric(metric) for part, metric in parts)
    for other in logged[1:]:
        check_same_scale(logged[0], other, parts[0][1])
    scale, _ = scale_of(logged, options.bounds)
    metrics = zip(parts, logged, strict=True)
    return scale, tuple(as_asked(part, metric, options, scale) for (part, _), metric in metrics)


def _labels(
    part: BenchmarkScores, name: str, items: NDArray[np.int32], epochs: NDArray[np.int32]
) -> list[str]:
    if field_key(part.items, name) is None:
        if name == ITEM:
            return [part.items.ids[at] for at in items.tolist()]
        if name in (COMPLETION, EPOCH):
            return [str(epoch) for epoch in epochs.tolist()]
    values = own_values(part, name)
    if values is None:
        there = ", ".join((ITEM, COMPLETION, *sorted(part.items.fields)))
        raise InputError(f"{part.benchmark} has no field {name!r} to decompose by. There are: {there}.")
    found = [values[at] for at in items.tolist()]
    if None in found:
        item = part.items.ids[int(items[found.index(None)])]
        raise InputError(f"item {item!r} has no {name}: fill it in, or choose another field.")
    return [value for value in found if value is not None]


def of_runs(levels: Sequence[Level], factor: str, options: Options, *, same_source: bool) -> Labelled:
    """Every item by every run. Raises MethodError for an item that a run lacks, unless it may be left out."""
    first = levels[0].part
    scale, metrics = _asked([(level.part, level.metric) for level in levels], options)
    places, key = _places(levels, options, same_source)
    there = _in_all(levels, metrics, places, options)
    together = same_source and len({level.metric for level in levels}) > 1
    scores, items, names = [], [], []
    for level, logged, place in zip(levels, metrics, places, strict=True):
        own = place[logged.item]
        used = (logged.status == SCORED) & (own >= 0) & there[own]
        y, at = logged.score[used].astype(np.float64), own[used]
        if together:
            y, at = _item_means(y, at)
        scores.append(y)
        items += [first.items.ids[i] for i in at.tolist()]
        names += [level.name] * len(y)
    alone = sum(int((place < 0).sum()) for place in places[1:])
    kept = len(set(items))
    return Labelled(
        np.concatenate(scores),
        {ITEM: items, factor: names},
        scale,
        len(first.items) + alone - kept,
        key,
        together,
        first.header.cluster,
        tuple(scales_differ(metrics, [level.label for level in levels], scale)),
    )


def _places(
    levels: Sequence[Level], options: Options, same_source: bool
) -> tuple[list[NDArray[np.int64]], str | None]:
    """Of each run, (items,) the position of its items in the first run, −1 for those that it lacks."""
    first = levels[0].part
    places, key = [np.arange(len(first.items))], None
    for level in levels[1:]:
        matched = match(
            first,
            level.part,
            options.id,
            same_source=same_source,
            asking=Asking((levels[0].label, level.label), unpaired=False),
        )
        place = np.full(len(level.part.items), -1, dtype=np.int64)
        place[matched.candidate] = matched.baseline
        places.append(place)
        key = matched.key
    return places, key


def _in_all(
    levels: Sequence[Level],
    metrics: Sequence[MetricScores],
    places: Sequence[NDArray[np.int64]],
    options: Options,
) -> NDArray[np.bool_]:
    """(items of the first run,) whether every run scored it. Raises MethodError naming one, unless asked."""
    first = levels[0].part
    there = np.ones(len(first.items), dtype=bool)
    for level, logged, place in zip(levels, metrics, places, strict=True):
        scored = np.zeros(len(level.part.items), dtype=bool)
        scored[logged.item[logged.status == SCORED]] = True
        mine = np.zeros(len(there), dtype=bool)
        mine[place[(place >= 0) & scored]] = True
        if options.missing != "scored":
            _check_all(level, levels, mine, place, first)
        there &= mine
    if not there.any():
        raise MethodError("no item was scored in every run: components need the same items in all of them.")
    return there


def _check_all(
    level: Level,
    levels: Sequence[Level],
    mine: NDArray[np.bool_],
    place: NDArray[np.int64],
    first: BenchmarkScores,
) -> None:
    way_out = "Complete the runs, or leave such items out with --missing scored."
    if not mine.all():
        item = first.items.ids[int(np.flatnonzero(~mine)[0])]
        raise MethodError(
            f"item {item!r} has no score in {level.label} ({int((~mine).sum())} such). {way_out}"
        )
    if (place < 0).any():
        item = level.part.items.ids[int(np.flatnonzero(place < 0)[0])]
        n = int((place < 0).sum())
        raise MethodError(f"item {item!r} has no score in {levels[0].label} ({n} such). {way_out}")


def _item_means(
    y: NDArray[np.float64], at: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    items, place = np.unique(at, return_inverse=True)
    return group_means(y, place, len(items)), items


def complete(found: Labelled, item: str, by: str) -> Labelled:
    """Without the items that some level lacks, or has fewer scores of; how many those are."""
    cells: dict[tuple[str, str], int] = {}
    for cell in zip(found.labels[item], found.labels[by], strict=True):
        cells[cell] = cells.get(cell, 0) + 1
    levels, most = set(found.labels[by]), max(cells.values())
    names = dict.fromkeys(found.labels[item])
    whole = {one for one in names if all(cells.get((one, level)) == most for level in levels)}
    if not whole:
        raise MethodError(f"no {item} was scored by every {by}, equally often: there is nothing to compare.")
    keep = np.array([one in whole for one in found.labels[item]], dtype=bool)
    labels = {name: _kept(own, keep) for name, own in found.labels.items()}
    dropped = found.n_dropped + len(names) - len(whole)
    return replace(found, scores=found.scores[keep], labels=labels, n_dropped=dropped)


def _kept(labels: Iterable[str], keep: NDArray[np.bool_]) -> list[str]:
    return [label for label, here in zip(labels, keep.tolist(), strict=True) if here]
