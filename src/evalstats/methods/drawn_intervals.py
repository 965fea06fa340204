"""Intervals of any statistic from its resampled values: percentile, basic, BCa; and where there is none."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from evalstats.caveats import caveat
from evalstats.kernel.law import Drawn, mass_below
from evalstats.kernel.limits import Interval, NoInterval
from evalstats.kernel.method import Method, MethodTable
from evalstats.kernel.resampled import Jackknife, acceleration, bca_ends, percentile_ends
from evalstats.methods.cautions import FEW_OFF_MODE, FEW_UNITS

Array = NDArray[np.float64]
Kind = Callable[["Values", float, float, Callable[[], Jackknife]], Interval]

FEWEST_UNITS = 10  # under it no bootstrap of a free statistic has an interval
MOST_UNMOVED = 0.5
_TIE = 1e-12


class Values:
    """The law as resamples show it; one without a value (nan) counts as beyond either end.

    ordered : (n_boot,) ascending, nan last.
    """

    name, n_boot = "monte_carlo", None

    def __init__(self, ordered: Array) -> None:
        n, missing = len(ordered), int(np.count_nonzero(np.isnan(ordered)))
        self.known = ordered[: n - missing]
        beyond = np.full(missing, np.inf)
        self._lower = Drawn(np.concatenate([-beyond, self.known]) if missing else ordered, n)
        self._upper = Drawn(np.concatenate([self.known, beyond]) if missing else ordered, n)
        self.share_missing = missing / n

    def low(self, q: float) -> float:
        return self._lower.low(q)

    def high(self, q: float) -> float:
        return self._upper.high(q)

    def below(self, point: float) -> float:
        return mass_below(self.known, point)

    def share_at(self, point: float) -> float:
        """Of the resamples that give the point itself, within rounding of the largest value."""
        near = _TIE * float(np.max(np.abs([point, *self.known[:1], *self.known[-1:]])))
        first = np.searchsorted(self.known, point - near)
        after = np.searchsorted(self.known, point + near, side="right")
        return float(after - first) / len(self._lower.ordered)

    def known_ends(self, ends: tuple[float, float]) -> tuple[float, float]:
        """The ends, where there are two. Raises NoInterval else."""
        if not np.all(np.isfinite(ends)):
            raise NoInterval(f"the statistic has no value on {self.share_missing:.1%} of the resamples")
        return ends

    @property
    def mean(self) -> float:
        return float(np.mean(self.known))

    @property
    def sd(self) -> float:
        return float(np.std(self.known))


def interval_of_values(
    kind: Kind, ordered: Array, point: float, level: float, without_one: Callable[[], Jackknife]
) -> Interval:
    """Limits by a kind of VALUE_KINDS. Raises NoInterval for few units and for what hardly ever moves.

    ordered : as in `Values`. without_one : gives the jackknife, which BCa alone asks for.
    """
    if len(ordered) == 0:
        raise NoInterval(f"under {FEWEST_UNITS} records or groups no bootstrap interval keeps its level")
    law = Values(ordered)
    if len(law.known) == 0:
        raise NoInterval("the statistic has no value on any resample")
    unmoved = law.share_at(point)
    if unmoved > MOST_UNMOVED:
        raise NoInterval(f"{unmoved:.0%} of the resamples give the estimate itself: its spread is not known")
    return kind(law, point, level, without_one)


def _percentile(law: Values, point: float, level: float, without_one: Callable[[], Jackknife]) -> Interval:
    return Interval(*law.known_ends(percentile_ends(law, level)))


def _basic(law: Values, point: float, level: float, without_one: Callable[[], Jackknife]) -> Interval:
    low, high = law.known_ends(percentile_ends(law, level))
    return Interval(2 * point - high, 2 * point - low)


def _bca(law: Values, point: float, level: float, without_one: Callable[[], Jackknife]) -> Interval:
    jackknife = without_one()
    if not all(np.all(np.isfinite(values)) for values, _ in jackknife):
        raise NoInterval("without one of the units the statistic has no value, which BCa asks for")
    ends, extra = bca_ends(law, point, acceleration(jackknife), level)
    return Interval(*law.known_ends(ends), extra)


_KINDS: dict[str, tuple[Kind, str]] = {
    "percentile": (_percentile, "Efron 1979, Annals of Statistics 7:1–26"),
    "basic": (_basic, "Davison & Hinkley 1997, Bootstrap Methods and their Application, §5.2"),
    "bca": (_bca, "Efron 1987, JASA 82:171–185"),
}


_OF_CLUSTERS = "Field & Welsh 2007, JRSS B 69:369–390"


def value_methods(prefix: str, label: str) -> tuple[Method, ...]:
    """The rows of a table; the percentile interval is the default."""
    clustered = prefix.startswith("cluster")
    return tuple(
        Method(
            f"{prefix}_{kind}",
            function,
            _OF_CLUSTERS if clustered and kind == "percentile" else citation,
            role="default" if kind == "percentile" else "named",
            label=f"{label}, {kind}",
        )
        for kind, (function, citation) in _KINDS.items()
    )


def chosen_by_units(table: MethodTable, method: str | None, k: int, off_mode: int) -> tuple[Method, str]:
    """The named method; else percentile for many units that vary, BCa for fewer. And why, in a few words."""
    chosen = table.choose(method)
    if method is not None:
        return chosen, "asked for by name"
    if k >= FEW_UNITS and off_mode >= FEW_OFF_MODE:
        return chosen, f"{FEW_UNITS} units or more"
    return table[chosen.name.replace("percentile", "bca")], "few units, or few that vary"


def few_units_caveat(method: str, k: int, off_mode: int) -> list[dict[str, str]]:
    """Of a bootstrap of any statistic. off_mode : units that differ from the commonest."""
    if "bootstrap" not in method or (k >= FEW_UNITS and off_mode >= FEW_OFF_MODE):
        return []
    text = f"a bootstrap of {k} units, {off_mode} of them unlike the commonest: its coverage is not assured"
    return [caveat("bootstrap_few_units", text)]
