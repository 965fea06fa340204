"""How often each score occurs, counted where the scores lie: booleans and whole numbers are never floats."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.kernel.units import Tally

MOST_VALUES = 1 << 16  # between the lowest and the highest score
_PART = 1 << 18  # scores at a time: bounds memory


def counted(scores: Any) -> Tally | None:
    """The tally of (n,) booleans or whole numbers in an array; None for any other scores, or a wide range."""
    if not isinstance(scores, np.ndarray) or scores.ndim != 1 or len(scores) == 0:
        return None
    if scores.dtype == np.bool_:
        right = int(np.count_nonzero(scores))
        return _tally(0, np.array([len(scores) - right, right]))
    if scores.dtype.kind not in "iu":
        return None
    if scores.dtype.itemsize == 1:
        lowest = 0 if scores.dtype.kind == "u" else -128
        return _tally(lowest, np.roll(_bytes(scores.view(np.uint8)), lowest))
    lowest, highest = int(scores.min()), int(scores.max())
    return _tally(lowest, _in_range(scores, lowest, highest)) if highest - lowest < MOST_VALUES else None


def _tally(lowest: int, counts: NDArray[np.int64]) -> Tally:
    """counts : how often lowest, lowest + 1 … occur."""
    seen = np.flatnonzero(counts)
    return Tally(np.column_stack([seen + float(lowest), np.ones(len(seen))]), counts[seen])


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
