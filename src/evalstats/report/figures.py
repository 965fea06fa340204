"""Where the marks of a picture stand: axes, intervals, one mark an item. Nothing here is decided or drawn.

Places across are in per cent of the picture's width, so that a picture fills any width and its text keeps
its size.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evalstats.report.numbers import MINUS
from evalstats.results import Estimate

INSET = 1.0  # per cent left free at both ends, for the outermost tick's line
_CELL = 10  # units of a mark's square in a mosaic
MOST_MARKS = 2000  # items that are each one mark; beyond, areas
_FEW_STEPS = 5  # from zero to an end, or over a whole score axis


@dataclass(frozen=True)
class Tick:
    """at : per cent of the width. minor : may go unlabelled where there is no room. zero : it is zero."""

    at: float
    text: str
    minor: bool = False
    zero: bool = False


@dataclass(frozen=True)
class Axis:
    """low, high : its ends in the score's own unit."""

    low: float
    high: float
    ticks: tuple[Tick, ...]

    def at(self, value: float) -> float:
        """Per cent of the width at which a value stands."""
        return round(INSET + (100 - 2 * INSET) * (value - self.low) / (self.high - self.low), 2)


@dataclass(frozen=True)
class Bar:
    """An interval on an axis, in per cent of the width; None for an end or a point that is not known.

    tone : up or down where the row is settled, else "": colour means decided.
    """

    low: float | None
    point: float | None
    high: float | None
    tone: str = ""

    @property
    def width(self) -> float:
        return 0.0 if self.low is None or self.high is None else round(self.high - self.low, 2)


def nice_step(reach: float, most: int = _FEW_STEPS) -> float:
    """The smallest of 1, 2, 5 times a power of ten that reaches `reach` in at most `most` steps.

    >>> nice_step(6.9), nice_step(21.5), nice_step(0.35)
    (2.0, 5.0, 0.1)
    """
    power = 10.0 ** math.floor(math.log10(reach / most))
    return next(factor * power for factor in (1, 2, 5, 10) if reach <= most * factor * power * (1 + 1e-9))


def difference_axis(reach: float, fraction: bool, steps: int = _FEW_STEPS) -> Axis:
    """Symmetric about zero, to the first tick at or beyond `reach`, so that nothing is cut off.

    reach : the largest of |low|, |high| and the margin × 1.35, in the score's unit. steps : at most, a side.
    """
    unit = 100.0 if fraction else 1.0
    shown = reach * unit if reach > 0 else unit / 100
    step = nice_step(shown, steps)
    most = max(1, math.ceil(shown / step - 1e-9))
    end = most * step / unit
    axis = Axis(-end, end, ())
    ticks = [
        Tick(axis.at(k * step / unit), tick_text(k * step, step, signed=True), _minor(k, most), k == 0)
        for k in range(-most, most + 1)
    ]
    return Axis(-end, end, tuple(ticks))


def _minor(k: int, most: int) -> bool:
    """Ends and zero keep their labels on a phone; between them every second, if that comes out even."""
    return k % 2 == 1 if most % 2 == 0 else k not in (-most, 0, most)


def score_axis(values: Iterable[float], fraction: bool, ends: tuple[float | None, float | None]) -> Axis:
    """Around the values, a step wider than they are, inside the ends of the scale.

    ends : lowest and highest score there can be, None where there is none.
    """
    unit = 100.0 if fraction else 1.0
    shown = [value * unit for value in values]
    least, most = min(shown), max(shown)
    spread = most - least or abs(most) / 10 or 1.0
    step = nice_step(1.4 * spread)
    first, last = math.floor((least - 0.2 * spread) / step), math.ceil((most + 0.2 * spread) / step)
    low, high = (None if end is None else end * unit for end in ends)
    first = first if low is None else max(first, math.floor(low / step + 1e-9))
    last = last if high is None else min(last, math.ceil(high / step - 1e-9))
    last = max(last, first + 1)
    axis = Axis(first * step / unit, last * step / unit, ())
    ticks = [
        Tick(axis.at(k * step / unit), tick_text(k * step, step), (k - first) % 2 == 1)
        for k in range(first, last + 1)
    ]
    return Axis(axis.low, axis.high, tuple(ticks))


def tick_text(value: float, step: float, *, signed: bool = False) -> str:
    """A tick with as many decimals as its step has.

    >>> tick_text(-2.5, 0.5, signed=True), tick_text(0.0, 2.0, signed=True), tick_text(1e6, 5e5)
    ('−2.5', '0', '1,000,000')
    """
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    text = f"{abs(value):,.{decimals}f}"
    if float(text.replace(",", "")) == 0:
        return "0"
    return (MINUS if value < 0 else "+" if signed else "") + text


def bar_on(axis: Axis, estimate: Estimate, tone: str = "") -> Bar:
    """An estimate on an axis."""
    places = (
        axis.at(value) if math.isfinite(value) else None
        for value in (estimate.ci_low, estimate.point, estimate.ci_high)
    )
    low, point, high = places
    return Bar(low, point, high, tone)


def limits_of(estimates: Iterable[Estimate]) -> list[float]:
    """Every point and limit that is known."""
    return [
        value
        for estimate in estimates
        for value in (estimate.ci_low, estimate.point, estimate.ci_high)
        if math.isfinite(value)
    ]


@dataclass(frozen=True)
class Mark:
    """One item that the runs differ on. x, y : of its square, in units of the picture."""

    x: int
    y: int


@dataclass(frozen=True)
class Area:
    """A group of items as a part of a strip. at, width : per cent of it."""

    group: str
    at: float
    width: float


@dataclass(frozen=True)
class Mosaic:
    """One mark an item, group by group, column by column: full, better, worse, hollow.

    full, hollow : paths of the items on which the runs agree. areas : in place of these where there
    are more than MOST_MARKS items; then only the items that differ are marks, if they are not too many.
    """

    width: int
    height: int
    full: str
    better: tuple[Mark, ...]
    worse: tuple[Mark, ...]
    hollow: str
    areas: tuple[Area, ...] = ()


def mosaic(full: int, better: int, worse: int, hollow: int) -> Mosaic:
    """The picture of a paired table. Columns are near √(1.5 n), for a picture wider than high."""
    counts = {"full": full, "better": better, "worse": worse, "hollow": hollow}
    n = sum(counts.values())
    if n <= MOST_MARKS:
        return _marks(full, better, worse, hollow)
    marks = _marks(0, better, worse, 0) if 0 < better + worse <= MOST_MARKS else Mosaic(0, 0, "", (), (), "")
    areas, at = [], 0.0
    for group, count in counts.items():
        areas.append(Area(group, round(at, 3), round(100 * count / n, 3)))
        at += 100 * count / n
    return Mosaic(marks.width, marks.height, "", marks.better, marks.worse, "", tuple(areas))


def _marks(full: int, better: int, worse: int, hollow: int) -> Mosaic:
    n = full + better + worse + hollow
    marks = places(n)
    ends = [0, full, full + better, full + better + worse, n]
    groups = [marks[a:b] for a, b in itertools.pairwise(ends)]
    return Mosaic(
        _CELL + max(m.x for m in marks),
        _CELL + max(m.y for m in marks),
        "".join(f"M{m.x + 1} {m.y + 1}h7v7h-7z" for m in groups[0]),
        tuple(groups[1]),
        tuple(groups[2]),
        "".join(f"M{m.x + 2} {m.y + 2}h6v6h-6z" for m in groups[3]),
    )


def places(n: int) -> list[Mark]:
    """Where n marks stand, column by column; there are near √(1.5 n) columns.

    >>> places(3)
    [Mark(x=0, y=0), Mark(x=0, y=10), Mark(x=10, y=0)]
    """
    rows = math.ceil(n / max(1, round(math.sqrt(1.5 * n))))
    return [Mark(_CELL * (i // rows), _CELL * (i % rows)) for i in range(n)]


@dataclass(frozen=True)
class Column:
    """One count of heads, or a few together. height : of the highest, from 0 to 1. tail : as lopsided
    as observed, or more."""

    at: float
    width: float
    height: float
    tail: bool


@dataclass(frozen=True)
class Coins:
    """How often n fair coins show each count of heads. seen : place of the count that was observed."""

    columns: tuple[Column, ...]
    ticks: tuple[Tick, ...]
    seen: float


_MOST_COLUMNS = 61


def coins(first: int, second: int) -> Coins:
    """The curve that `first` heads of first + second fair coins are held against, as far as it is seen.

    It is drawn from the binomial law and says nothing of its own: the p beside it is the result's.
    """
    n = first + second
    sd = math.sqrt(n) / 2
    reach = min(n / 2, max(4 * sd, abs(first - n / 2) + sd, 2.0))
    low, high = math.floor(n / 2 - reach), math.ceil(n / 2 + reach)
    together = math.ceil((high - low + 1) / _MOST_COLUMNS)
    slots = range(low, high + 1, together)
    axis = Axis(low - 0.5, low - 0.5 + together * len(slots), ())
    densities = [_log_binomial(n, k + (together - 1) / 2) for k in slots]
    highest = max(densities)
    columns = [
        Column(
            axis.at(k - 0.5),
            round(axis.at(k + together - 0.5) - axis.at(k - 0.5), 2),
            round(math.exp(density - highest), 4),
            abs(2 * (k + (together - 1) / 2) - n) >= abs(first - second),
        )
        for k, density in zip(slots, densities, strict=True)
    ]
    step = max(1, round(nice_step(high - low)))
    ticks = [Tick(axis.at(k), f"{k:,}") for k in range(-(-low // step) * step, high + 1, step)]
    return Coins(tuple(columns), tuple(ticks), axis.at(first))


def _log_binomial(n: int, k: float) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def reach_of(estimates: Sequence[Estimate], margins: Iterable[float | None] = ()) -> float:
    """How far from zero a difference's axis must go."""
    sizes = [abs(value) for value in limits_of(estimates)]
    return max([*sizes, *(1.35 * margin for margin in margins if margin is not None)], default=0.0)
