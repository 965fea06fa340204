"""The door's checks, one per kind of input: what came, what was wanted, what to do."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np

from evalstats.errors import InputError


def check_level(level: float) -> float:
    """A confidence level from .5 to below 1, as a float."""
    if isinstance(level, bool) or not _is_number(level) or not 0.5 <= float(level) < 1:
        hint = (
            f" {level}% is level={float(level) / 100:g}." if _is_number(level) and 50 <= level < 100 else ""
        )
        raise InputError(f"level={level!r} is no confidence level: give one from 0.5 to below 1.{hint}")
    return float(level)


def check_alpha(alpha: float, name: str = "alpha") -> float:
    """An error rate or a power strictly between 0 and 1, as a float."""
    if isinstance(alpha, bool) or not _is_number(alpha) or not 0 < float(alpha) < 1:
        raise InputError(f"{name}={alpha!r} must be a fraction between 0 and 1, such as .05.")
    return float(alpha)


def check_margin(margin: float, name: str = "margin") -> float:
    """A size in the score's own unit, above 0, as a float."""
    if isinstance(margin, bool) or not _is_number(margin) or not 0 < float(margin) < math.inf:
        raise InputError(
            f"{name}={margin!r} must be above 0, in the score's own unit: 0.01 is one point of accuracy."
        )
    return float(margin)


def check_rate(rate: float, name: str) -> float:
    """A fraction from 0 to 1, as a float."""
    if isinstance(rate, bool) or not _is_number(rate) or not 0 <= float(rate) <= 1:
        raise InputError(f"{name}={rate!r} must be a fraction from 0 to 1: 19 % is 0.19.")
    return float(rate)


def check_count(value: Any, name: str) -> int:
    """A whole number ≥ 0 as an int: bool, int, numpy integers and floats without a fraction."""
    if not _is_number(value) or not math.isfinite(value) or value != int(value):
        raise InputError(f"{name}={value!r} is no count: give a whole number, such as 360 of 500 items.")
    if value < 0:
        raise InputError(f"{name}={value!r} is negative: a count is 0 or more.")
    return int(value)


def check_sample_size(n: Any, name: str = "n") -> int:
    """A count of at least one item, as an int."""
    count = check_count(n, name)
    if count == 0:
        raise InputError(f"{name}=0: no item was scored, so there is nothing to estimate.")
    return count


def check_at_least_one(value: Any, name: str) -> int:
    """A whole number of 1 or more that was asked for, as an int."""
    count = check_count(value, name)
    if count == 0:
        raise InputError(f"{name} is 0: give 1 or more.")
    return count


def check_largest_cluster(largest: Any) -> int | None:
    """The most items that a cluster can have, as an int; None where it is not declared."""
    if largest is None:
        return None
    count = check_count(largest, "largest_cluster")
    if count == 0:
        raise InputError("largest_cluster=0: a cluster has one item or more. Give the most that it can have.")
    return count


def check_part(part: Any, part_name: str, n: int, n_name: str = "n") -> int:
    """A count that is at most n, as an int."""
    count = check_count(part, part_name)
    if count > n:
        raise InputError(f"{part_name}={count} is more than {n_name}={n}: it counts some of the {n} items.")
    return count


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real | np.bool_)
