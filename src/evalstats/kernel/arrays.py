"""The door's checks for arrays: scores, labels of items and clusters, the scale."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.errors import LARGEST, InputError, too_large
from evalstats.kernel.check import check_count

Bounds = tuple[float, float]
Codes = NDArray[np.intp]

_PART = 1 << 12  # numbers at a time
MOST_RESAMPLES = 2_000_000


def check_scores(scores: Any, name: str = "scores") -> NDArray[np.float64]:
    """(n,) floats from numbers or booleans, none missing. Raises InputError naming the first bad one."""
    return check_numbers(scores, name).astype(np.float64)


def check_numbers(scores: Any, name: str = "scores") -> NDArray[Any]:
    """`check_scores` as they come: booleans, whole numbers and short floats take no more room."""
    rows = scores if hasattr(scores, "__array__") else _listed(scores, name)
    _refuse_masked(rows, name)
    try:
        values = np.asarray(rows)
    except ValueError:
        raise InputError(f"{name} has rows of unequal length: give one number per row.") from None
    if values.ndim != 1:
        raise InputError(f"{name} has {values.ndim} dimensions: give one number per row, in one list.")
    if len(values) == 0:
        raise InputError(f"{name} is empty: no item was scored, so there is nothing to estimate.")
    if values.dtype.kind in "biu":
        return values
    if values.dtype.kind in "mM":
        raise InputError(f"{name} are times, which are no scores: give seconds, as numbers.")
    if values.dtype.kind != "f":
        values = np.array([_number(value, name, i) for i, value in enumerate(values.tolist())])
    with np.errstate(over="ignore"):  # of longer floats: infinity is refused by name
        numbers = values if values.itemsize < 8 else values.astype(np.float64, copy=False)
    if not -LARGEST <= float(numbers.min()) <= float(numbers.max()) <= LARGEST:  # nan is not either
        raise _refused(numbers, name)
    return numbers


def _refuse_masked(rows: Any, name: str) -> None:
    """A masked array keeps a number where it says that there is none."""
    mask = getattr(rows, "mask", None)
    if isinstance(mask, np.ndarray) and mask.any():
        raise InputError(
            f"{name}[{int(np.flatnonzero(mask)[0])}] is masked, which is no score. A missing score is not 0: "
            "leave such rows out and say so (.compressed()), or give them the score that your rule says."
        )


def _refused(numbers: NDArray[Any], name: str) -> InputError:
    """Names the first number that is no score."""
    bad = np.flatnonzero(~np.isfinite(numbers))
    if len(bad):
        return _not_a_score(float(numbers[bad[0]]), name, int(bad[0]))
    beyond = np.flatnonzero(np.abs(numbers) > LARGEST)
    return too_large(f"{name}[{beyond[0]}] is", float(numbers[beyond[0]]))


def _listed(scores: Any, name: str) -> list[Any]:
    if isinstance(scores, str | bytes | dict) or not hasattr(scores, "__iter__"):
        raise InputError(f"{name}={scores!r} is no list of scores: give one number per row.")
    return list(scores)


def _number(value: Any, name: str, i: int) -> float:
    if value is None or isinstance(value, str | bytes):
        raise _not_a_score(value, name, i)
    try:
        return float(value)
    except OverflowError:
        raise too_large(f"{name}[{i}] is", math.inf) from None
    except (TypeError, ValueError, ArithmeticError):
        raise _not_a_score(value, name, i) from None


def _not_a_score(value: Any, name: str, i: int) -> InputError:
    said = f"{float(value)}" if isinstance(value, float) else repr(value)
    return InputError(
        f"{name}[{i}] is {said}, which is no score. A missing score is not 0: leave such rows out and say "
        "so, or give them the score that your rule for failures says; map labels to numbers first."
    )


def check_labels(labels: Any, n: int, name: str) -> tuple[Codes, list[Any]]:
    """Codes 0 … k−1 in order of first appearance, and the k labels. Raises InputError for a missing label."""
    values = labels
    if not _plain_labels(labels):
        values = labels.tolist() if hasattr(labels, "tolist") else _listed(labels, name)
    if not hasattr(values, "__len__"):
        raise InputError(f"{name}={labels!r} is no list of labels: give one label per score.")
    if len(values) != n:
        raise InputError(f"{name} has {len(values)} labels for {n} scores: give one label per score.")
    if not isinstance(values, np.ndarray):
        return _coded(values, name)
    first = np.ones(n, dtype=np.bool_)  # of a run of one label
    first[1:] = values[1:] != values[:-1]
    codes, found = _coded(values[first].tolist(), name)
    return codes[np.cumsum(first) - 1], found


def _plain_labels(labels: Any) -> bool:
    """Numbers or texts of which none can be missing."""
    return (
        isinstance(labels, np.ndarray)
        and labels.dtype.kind in "biuU"
        and labels.ndim == 1
        and len(labels) > 0
    )


def _coded(labels: list[Any], name: str) -> tuple[Codes, list[Any]]:
    try:
        distinct = dict.fromkeys(labels)
        sound = None not in distinct and not any(map(operator.ne, distinct, distinct))
    except (TypeError, ValueError, ArithmeticError):
        sound = False
    if not sound:
        raise _not_a_label(labels, name)
    if len(distinct) == len(labels):
        return np.arange(len(labels), dtype=np.intp), labels
    code_of = dict(zip(distinct, itertools.count()))
    return np.fromiter(map(code_of.__getitem__, labels), dtype=np.intp, count=len(labels)), list(code_of)


def _not_a_label(labels: list[Any], name: str) -> InputError:
    """Names the first that is missing, or can be no label."""
    for i, label in enumerate(labels):
        try:
            missing = label is None or bool(label != label)
            hash(label)
        except (TypeError, ValueError, ArithmeticError):
            return InputError(f"{name}[{i}] is {label!r}: a label is a text or a number.")
        if missing:
            return InputError(f"{name}[{i}] is missing: every score needs a label, if only its own.")
    raise AssertionError  # one of them is no label


def check_bounds(bounds: Any) -> Bounds | None:
    """(low, high) as floats with low < high, or None."""
    if bounds is None:
        return None
    pair = tuple(bounds) if isinstance(bounds, Sequence | np.ndarray) and not isinstance(bounds, str) else ()
    try:
        low, high = (float(end) for end in pair)
    except (TypeError, ValueError):
        low, high = math.nan, math.nan
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InputError(f"bounds={bounds!r} is no scale: give its two ends, such as bounds=(1, 10).")
    return low, high


def check_inside(values: NDArray[Any], bounds: Bounds, name: str = "scores") -> None:
    """Raises InputError naming the first value outside the scale."""
    if bounds[0] <= float(values.min()) and float(values.max()) <= bounds[1]:
        return
    exact = values.astype(np.float64)  # 0.1 in four bytes is not 0.1
    outside = np.flatnonzero((exact < bounds[0]) | (exact > bounds[1]))
    i = int(outside[0])
    raise InputError(
        f"{name}[{i}] is {float(values[i]):g}, outside the scale from {bounds[0]:g} to {bounds[1]:g}. "
        "Give the right bounds, or mend the score."
    )


def scale_of(values: NDArray[Any], bounds: Bounds | None) -> tuple[Bounds | None, bool, bool]:
    """The scale, whether it is pass/fail, and whether it was taken from the values."""
    return scale_of_runs((values,), bounds)


def scale_of_runs(runs: Sequence[NDArray[Any]], bounds: Bounds | None) -> tuple[Bounds | None, bool, bool]:
    """`scale_of` for what several runs hold together."""
    binary = all(map(_right_or_wrong, runs))
    if binary:
        return (0.0, 1.0) if bounds is None else bounds, bounds in (None, (0.0, 1.0)), False
    scale, assumed = scale_of_ends([float(end) for run in runs for end in (run.min(), run.max())], bounds)
    return scale, False, assumed


def scale_of_ends(ends: Sequence[float], bounds: Bounds | None) -> tuple[Bounds | None, bool]:
    """The scale of scores that are not all right or wrong, and whether it was taken from their ends."""
    inside = bounds is None and min(ends) >= 0.0 and max(ends) <= 1.0
    return ((0.0, 1.0) if inside else bounds), inside


def _right_or_wrong(values: NDArray[Any]) -> bool:
    return values.dtype == np.bool_ or all_either(values, 0, 1)


def all_either(values: NDArray[Any], one: float, other: float) -> bool:
    """Whether (n,) values are all one of two, looked at some at a time: most that are not show it at once."""
    parts = (values[start : start + _PART] for start in range(0, len(values), _PART))
    return all(bool(np.all((part == one) | (part == other))) for part in parts)


def check_seed(seed: Any) -> int:
    """A whole number ≥ 0, as an int."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"seed={seed!r} is no seed: give a whole number of 0 or more.")
    return int(seed)


def check_n_boot(n_boot: Any) -> int:
    """At least 100 resamples, as fewer have no tail; at most two million, as more fill the memory."""
    count = check_count(n_boot, "n_boot")
    if count < 100:
        raise InputError(f"n_boot={count} is too few resamples for an interval: give 100 or more, as 10000.")
    if count > MOST_RESAMPLES:
        raise InputError(
            f"n_boot={count} is more than {MOST_RESAMPLES:,}, which no printed digit needs: give fewer, or "
            "leave it out for the law of infinitely many, where there is one."
        )
    return count
