"""A benchmark cut into slices: each item's value of a field, and the log of some of the items alone."""

from __future__ import annotations

import operator
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from evalstats.data.items import field_named
from evalstats.data.pairing import Matched
from evalstats.data.scores import BenchmarkScores, Field, Items, MetricScores
from evalstats.errors import InputError

Values = list[str | None]  # one an item, in the order of Items; None where the item has none
CROSS = " × "


def own_values(part: BenchmarkScores, field: str) -> Values | None:
    """Each item's value; blank text is none. None where no item of the log has the field."""
    known = field_named(part.items, field)
    if known is None:
        return None
    texts = [text if text.strip() else None for text in known.values]
    return [None if code < 0 else texts[code] for code in known.codes.tolist()]


def shared_values(
    parts: tuple[BenchmarkScores, BenchmarkScores], matched: Matched, field: str
) -> tuple[Values, Values] | None:
    """Each item's value in two runs; an item has one, so the run that lacks it takes the other's.

    None where neither log has the field. Raises InputError for an item with two values.
    """
    own = [own_values(part, field) for part in parts]
    if own[0] is None and own[1] is None:
        return None
    absent: list[Values] = [[None] * len(part.items) for part in parts]
    old, new = own[0] or absent[0], own[1] or absent[1]
    for at, its in zip(matched.baseline.tolist(), matched.candidate.tolist(), strict=True):
        one, two = old[at], new[its]
        if one is not None and two is not None and one != two:
            raise InputError(
                f"item {parts[0].items.ids[at]!r} has {field} {one!r} in the baseline and {two!r} in the "
                f"candidate. A slice is made by what an item is, not by what a run made of it: mend the "
                f"logs, or choose another field."
            )
        old[at] = new[its] = two if one is None else one
    return old, new


def crossed(columns: list[Values]) -> Values:
    """The values of several fields as one; an item that lacks one of them has none."""
    return [None if None in cell else CROSS.join(map(str, cell)) for cell in zip(*columns, strict=True)]


def groups(values: Values) -> dict[str | None, NDArray[np.int64]]:
    """Value -> rising positions of its items. Numbers by size, then text by letter, those without last.

    No order of the log enters.
    """
    found: dict[str | None, list[int]] = {}
    for at, value in enumerate(values):
        found.setdefault(value, []).append(at)
    return {value: np.array(found[value], dtype=np.int64) for value in in_order(found)}


def in_order(values: Iterable[str | None]) -> list[str | None]:
    """Distinct values in the order of `groups`."""
    distinct = set(values)
    known = sorted((value for value in distinct if value is not None), key=_place)
    return [*known, *([None] if None in distinct else [])]


def _place(value: str) -> tuple[bool, float, str, str]:
    try:
        number = float(value)
    except ValueError:
        return True, 0.0, value.casefold(), value
    return number != number, 0.0 if number != number else number, value.casefold(), value


def places(n_items: int, at: NDArray[np.int64]) -> NDArray[np.int32]:
    """(items,) the new position of each item that is kept, −1 of the others. at : rising positions."""
    place = np.full(n_items, -1, dtype=np.int32)
    place[at] = np.arange(len(at), dtype=np.int32)
    return place


def cut(part: BenchmarkScores, at: NDArray[np.int64]) -> BenchmarkScores:
    """The log of these items alone, in its order. at : rising positions."""
    items, place = part.items, places(len(part.items), at)
    return BenchmarkScores(
        part.header,
        Items(
            _kept(items.ids, at),
            _kept(items.hashes, at),
            _kept(items.prompts, at),
            {name: Field(field.codes[at], field.values) for name, field in items.fields.items()},
        ),
        tuple(cut_metric(metric, place) for metric in part.metrics),
        {
            (int(place[item]), epoch): exchange
            for (item, epoch), exchange in part.exchanges.items()
            if place[item] >= 0
        },
    )


def _kept(texts: tuple[str, ...], at: NDArray[np.int64]) -> tuple[str, ...]:
    if len(at) < 2:
        return tuple(texts[i] for i in at)
    kept: tuple[str, ...] = operator.itemgetter(*at.tolist())(texts)
    return kept


def cut_metric(metric: MetricScores, place: NDArray[np.int32]) -> MetricScores:
    """The rows of the items that have a place; which of them were repeated is not known."""
    item = place[metric.item]
    keep = item >= 0
    return MetricScores(
        metric.metric,
        item[keep],
        metric.epoch[keep],
        metric.score[keep],
        metric.status[keep],
        metric.bounds,
        metric.higher_is_better,
    )
