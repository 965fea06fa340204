"""How often each score occurs, counted where the scores lie: booleans and whole numbers are never floats."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.kernel.units import Tally

MOST_VALUES = 1 << 16  # between the lowest and the highest score
_PART = 1 << 18  # scores at a time: bounds memory
_GLANCE = 1 << 10  # scores that are looked at first: most that are no whole numbers show it
_EXACT = 1 << 53


def counted(scores: NDArray[Any]) -> Tally | None:
    """The tally of (n,) booleans or whole numbers; None for any other scores, or a wide range."""
    if scores.dtype == np.bool_:
        right = int(np.count_nonzero(scores))
        return _tally(0, np.array([len(scores) - right, right]))
    if scores.dtype.kind == "f":
        return _counted_floats(scores)
    if scores.dtype.itemsize == 1:
        lowest = 0 if scores.dtype.kind == "u" else -128
        return _tally(lowest, np.roll(_bytes(scores.view(np.uint8)), lowest))
    lowest, highest = int(scores.min()), int(scores.max())
    if highest - lowest >= MOST_VALUES or max(-lowest, highest) > _EXACT:
        return None
    return _tally(lowest, _in_range(scores, lowest, highest))


def counted_differences(candidate: NDArray[Any], baseline: NDArray[Any]) -> Tally | None:
    """The tally of candidate − baseline, (n,) booleans or whole numbers; None for others, or a wide range."""
    kinds = {candidate.dtype.kind, baseline.dtype.kind}
    if kinds == {"b"}:
        gained, lost = count_only(candidate, baseline), count_only(baseline, candidate)
        return _tally(-1, np.array([lost, len(candidate) - gained - lost, gained]))
    if not kinds <= {"b", "i", "u"}:
        return None
    lowest = int(candidate.min()) - int(baseline.max())
    highest = int(candidate.max()) - int(baseline.min())
    if highest - lowest >= MOST_VALUES:
        return None
    counts = np.zeros(highest - lowest + 1, dtype=np.int64)
    for start in range(0, len(candidate), _PART):
        part = slice(start, start + _PART)
        apart = candidate[part].astype(np.int64) - baseline[part].astype(np.int64) - lowest
        counts += np.bincount(apart, minlength=len(counts))
    return _tally(lowest, counts)


def count_only(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> int:
    """How many of (n,) are true in one and not in the other."""
    parts = (slice(start, start + _PART) for start in range(0, len(one), _PART))
    return sum(int(np.count_nonzero(one[part] > other[part])) for part in parts)


def _counted_floats(scores: NDArray[np.float64]) -> Tally | None:
    """Floats that are whole numbers, as a list of 1.0 and 0.0 is."""
    if not np.array_equal(scores[:_GLANCE], np.rint(scores[:_GLANCE])):
        return None
    lowest, highest = float(scores.min()), float(scores.max())
    if highest - lowest >= MOST_VALUES or abs(lowest) > _EXACT:
        return None
    counts = np.zeros(int(highest - lowest) + 1, dtype=np.int64)
    for start in range(0, len(scores), _PART):
        part = scores[start : start + _PART]
        whole = part.astype(np.int64)
        if not np.array_equal(whole, part):
            return None
        counts += np.bincount(whole - int(lowest), minlength=len(counts))
    return _tally(int(lowest), counts)


def _tally(lowest: int, counts: NDArray[np.int64]) -> Tally:
    """counts : how often lowest, lowest + 1 … occur."""
    seen = counts.nonzero()[0]
    rows = np.empty((len(seen), 2))
    rows[:, 0], rows[:, 1] = seen, 1
    rows[:, 0] += lowest
    return Tally(rows, counts[seen])


def _bytes(scores: NDArray[np.uint8]) -> NDArray[np.int64]:
    """(256,): two bytes are counted at a time, which halves the work."""
    if not scores.flags.c_contiguous:
        return _in_range(scores, 0, 255)
    even = len(scores) - len(scores) % 2
    pairs = _in_range(scores[:even].view(np.uint16), 0, MOST_VALUES - 1).reshape(256, 256)
    counts = pairs.sum(axis=0) + pairs.sum(axis=1)
    counts[scores[even:]] += 1
    return np.asarray(counts)


def _in_range(scores: NDArray[Any], lowest: int, highest: int) -> NDArray[np.int64]:
    counts = np.zeros(highest - lowest + 1, dtype=np.int64)
    for start in range(0, len(scores), _PART):
        part = scores[start : start + _PART].astype(np.int64)
        counts += np.bincount(part - lowest if lowest else part, minlength=len(counts))
    return counts
