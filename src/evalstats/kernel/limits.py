"""From a kernel's limits to those of a result: on the scale, and never on the wrong side of the point."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from evalstats.caveats import caveat


@dataclass(frozen=True)
class Interval:
    """What a method found: limits, unclipped, and the entries of `extra` that go with them.

    n_boot : resamples that were drawn for it; None where none was.
    """

    low: float
    high: float
    extra: dict[str, Any] = field(default_factory=dict)
    n_boot: int | None = None


class NoInterval(Exception):  # noqa: N818 (an answer on its way to `undefined`, not an error)
    """The method has no interval for these data; its text is the reason a result gives."""


def hold(
    point: float, limits: tuple[float, float], scale: tuple[float, float], name: str
) -> tuple[float, float, list[dict[str, str]]]:
    """The limits clipped to the scale and moved to the point where they passed it, and the caveats for it.

    name : of the method, for the caveat's text.

    >>> hold(0.0, (-0.2, 0.3), (0.0, 1.0), "agresti_coull")[:2]
    (0.0, 0.3)
    """
    low, high = (float(min(max(limit, scale[0]), scale[1])) for limit in limits)
    caveats = []
    if (low, high) != tuple(limits):
        text = f"{name} gave {limits[0]:.4g} to {limits[1]:.4g}: clipped to {scale[0]:g} to {scale[1]:g}"
        caveats.append(caveat("limit_clipped", text))
    if not low <= point <= high:
        text = f"a limit of {name} ({low:.4g} to {high:.4g}) had passed the estimate and was moved to it"
        caveats.append(caveat("limit_at_point", text))
    return min(low, point), max(high, point), caveats


@dataclass(frozen=True)
class Held:
    """Limits as a result prints them; nan with a reason by field in `undefined` where there are none."""

    low: float
    high: float
    extra: dict[str, Any]
    caveats: list[dict[str, str]]
    undefined: dict[str, str]
    n_boot: int | None = None


def held(find: Callable[[], Interval], point: float, scale: tuple[float, float], name: str) -> Held:
    """What `find` finds, on the scale and around the point; its reason where it raises NoInterval.

    >>> held(lambda: Interval(-0.2, 0.3), 0.1, (0.0, 1.0), "t").low
    0.0
    """
    try:
        found = find()
    except NoInterval as reason:
        return Held(math.nan, math.nan, {}, [], {"ci_low": str(reason), "ci_high": str(reason)})
    near = 1e-12 * max(abs(point), found.high - found.low)  # a limit that is the point but for rounding
    low, high = (point if abs(limit - point) <= near else limit for limit in (found.low, found.high))
    low, high, caveats = hold(point, (low, high), scale, name)
    return Held(low, high, found.extra, caveats, {}, found.n_boot)
