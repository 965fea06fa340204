"""A ratio of two metrics of the same items, Σx/Σy: cost per solved item, tokens an answer.

R is the ratio of the sums, not the mean of the items' ratios: an item without denominator has none of these.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.caveats import caveat
from evalstats.errors import LARGEST, InputError
from evalstats.kernel.arrays import Codes, check_labels, check_scores
from evalstats.kernel.law import draw, enough_resamples
from evalstats.kernel.limits import Interval, NoInterval, held
from evalstats.kernel.method import Method, MethodTable
from evalstats.kernel.resampled import bootstrap_interval, percentile_ends
from evalstats.kernel.units import Tally, Units
from evalstats.kernel.weighted import MEAN, moments, squared_error
from evalstats.methods.assembled import assembled
from evalstats.methods.cautions import FEW_OFF_MODE
from evalstats.methods.clusters import check_two
from evalstats.methods.drawn_intervals import (
    FEWEST_UNITS,
    Values,
    chosen_by_units,
    few_units_caveat,
)
from evalstats.methods.items import Request
from evalstats.methods.mean_intervals import bootstraps
from evalstats.numeric import group_sums, t_of
from evalstats.results import Estimate

Array = NDArray[np.float64]
_NEVER = 1e-12  # the chance of a resample without any denominator that an exact law may leave out


@dataclass(frozen=True)
class RatioUnits:
    """tally : distinct (Σx, Σy) of the k units, items or clusters. n : items."""

    tally: Tally
    n: int

    @property
    def k(self) -> int:
        return self.tally.n

    @property
    def totals(self) -> Array:
        return self.tally.totals(self.tally.rows)

    @property
    def point(self) -> float:
        """R = Σx/Σy."""
        return float(self.totals[0] / self.totals[1])

    @property
    def v(self) -> float:
        """k/(k−1)·Σ(x − Ry)²/(Σy)²: the delta method (Cochran 1977, eq. 6.13)."""
        centred = self.tally.centred(self.point)
        return float(squared_error(centred.totals(moments(centred.rows))))

    @property
    def off_mode(self) -> int:
        """Units that differ from the commonest one."""
        return self.k - int(self.tally.counts.max())

    @property
    def sized(self) -> int:
        """Units with a denominator above 0."""
        return int(self.tally.counts[self.tally.rows[:, 1] > 0].sum())


def ratio(
    numerator: Any,
    denominator: Any,
    cluster: Any = None,
    *,
    level: float = 0.95,
    method: str | None = None,
    name: str = "ratio",
    n_boot: int | None = None,
    seed: int = 0,
    cross_check: bool = False,
) -> Estimate:
    """What does one solved item cost, how many tokens has an answer? The ratio of two sums, Σx/Σy.

    numerator, denominator : (n,) of the same items in the same order; the denominator is 0 or more.
    cluster : (n,) label of what was drawn. method : by default a bootstrap of items (or clusters), both
    numbers of an item drawn together: percentile with 50 units and more, BCa with fewer; by the exact law
    where n_boot is left out. By name `delta_t` and `fieller`, the linear forms, and the other bootstraps.
    No interval under 10 units. Raises InputError for a denominator below 0 or 0 throughout, MethodError for
    one cluster.
    Sources: Efron 1979, Annals of Statistics 7:1–26; Fieller 1954, JRSS B 16:175–185.

    >>> cost, solved = [0.8, 1.2, 0.5, 2.1, 0.9, 1.1] * 10, [1, 1, 0, 1, 0, 1] * 10
    >>> print(ratio(cost, solved, name="cost per solved item"))
    cost per solved item 1.65 [1.434, 1.937] 95% bootstrap_percentile n=60, exact
    """
    request = Request(level, method, name=name, n_boot=n_boot, seed=seed, cross_check=cross_check)
    units, clustered = ratio_units(numerator, denominator, cluster)
    return ratio_estimate(units, clustered, request)


def ratio_units(numerator: Any, denominator: Any, cluster: Any = None) -> tuple[RatioUnits, bool]:
    """Checked rows as units, and whether these are clusters."""
    x, y = check_scores(numerator, "numerator"), check_scores(denominator, "denominator")
    if len(x) != len(y):
        raise InputError(
            f"numerator has {len(x)} numbers and denominator {len(y)}: the two are of the same items."
        )
    codes = None if cluster is None else check_labels(cluster, len(x), "cluster")[0]
    return units_of_sums(x, y, codes), codes is not None


def units_of_sums(x: Array, y: Array, codes: Codes | None) -> RatioUnits:
    """The units of items with both numbers. Raises InputError for a denominator that is none."""
    check_denominator(y, "denominator")
    if codes is None:
        return RatioUnits(Units.of_sums(x, y).tally(), len(x))
    k = int(codes.max()) + 1
    check_two(k, len(x))
    return RatioUnits(Units.of_sums(group_sums(x, codes, k), group_sums(y, codes, k)).tally(), len(x))


def check_denominator(y: Array, name: str) -> None:
    """0 or more everywhere, and above it somewhere."""
    below = np.flatnonzero(y < 0)
    if len(below):
        raise InputError(
            f"{name}[{below[0]}] is {y[below[0]]:g}: a ratio of sums needs 0 or more everywhere."
        )
    tiny = np.flatnonzero((y > 0) & (y < 1 / LARGEST))
    if len(tiny):
        raise InputError(
            f"{name}[{tiny[0]}] is {y[tiny[0]]:g}: below {1 / LARGEST:g} no ratio can be computed. Give 0, "
            "or all numbers in a larger unit."
        )
    if not np.any(y > 0):
        raise InputError(f"the {name} is 0 for every item: there is nothing to divide by.")


def ratio_estimate(units: RatioUnits, clustered: bool, request: Request) -> Estimate:
    """`ratio` for units that are put together: what the analyses call."""
    table = CLUSTERED if clustered else ITEMS
    chosen, why = chosen_by_units(table, request.method, units.k, units.off_mode)
    request.refuse_unused(chosen.name, clustered=False)
    point = units.point
    limits = held(lambda: chosen.function(units, request), point, (-math.inf, math.inf), chosen.name)
    about = {
        **({"n_clusters": units.k} if clustered else {}),
        "estimand": "ratio_of_sums",
        "view": "random_items",
        "why": why,
        "unit": "score",
    }
    said = [*few_units_caveat(chosen.name, units.k, units.off_mode), *_few_sized(units, chosen.name)]
    v = units.v if units.k > 1 else 0.0
    return assembled(request, chosen, units.n, point, limits, v, about, said)


def _few_sized(units: RatioUnits, method: str) -> list[dict[str, str]]:
    if units.sized >= FEW_OFF_MODE:
        return []
    text = (
        f"{units.sized} of {units.k} units have a denominator above 0: the ratio rests on few units, and "
        "its coverage is not assured"
    )
    return [caveat("bootstrap_few_units" if "bootstrap" in method else "named_method_weak", text)]


def _bootstrap(kind: str, units: RatioUnits, request: Request) -> Interval:
    """By the exact law, unless resamples without any denominator are among what can happen."""
    if units.k < FEWEST_UNITS:
        raise NoInterval(f"under {FEWEST_UNITS} units no bootstrap interval keeps its level")
    if (1 - units.sized / units.k) ** units.k <= _NEVER:
        return bootstrap_interval(kind, request.bootstrap((units.tally,)))
    if kind != "percentile":
        raise NoInterval(
            f"{units.sized} of {units.k} units have a denominator, so that some resamples have none: only "
            "the percentile interval can count these as beyond either end"
        )
    n_boot = request.n_boot or enough_resamples(request.level)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = draw((units.tally,), MEAN, n_boot, request.seed)
    values[~np.isfinite(values)] = np.nan
    values.sort()
    law = Values(values)
    said = {"law": law.name, "boot_se": law.sd, "boot_mean": law.mean}
    return Interval(*law.known_ends(percentile_ends(law, request.level)), said, n_boot)


def _delta_t(units: RatioUnits, request: Request) -> Interval:
    """R ± t_{k−1}√v."""
    if units.k == 1 or units.v == 0:
        raise NoInterval("the units do not vary, so a t interval has width 0: the spread is not known")
    half = t_of(request.level, units.k - 1) * math.sqrt(units.v)
    return Interval(units.point - half, units.point + half, {"df": float(units.k - 1)})


def _fieller(units: RatioUnits, request: Request) -> Interval:
    """All r with (x̄ − rȳ)² ≤ t²·var(x̄ − rȳ): ar² − 2br + c ≤ 0 with a = ȳ² − t²s_yy/k and so on."""
    k, (x, y) = units.k, units.totals / units.k
    if k == 1 or units.v == 0:
        raise NoInterval("the units do not vary, so Fieller's interval has width 0: the spread is not known")
    dx, dy = units.tally.rows.T - np.array([[x], [y]])
    s_xx, s_xy, s_yy = (
        float(np.sum(units.tally.counts * product)) / (k - 1) / k for product in (dx * dx, dx * dy, dy * dy)
    )
    t2 = t_of(request.level, k - 1) ** 2
    a, b, c = y * y - t2 * s_yy, x * y - t2 * s_xy, x * x - t2 * s_xx
    if a <= 0:
        raise NoInterval(
            "the denominator's mean is not clear of 0 at this level, so that Fieller's set has no two ends"
        )
    half = math.sqrt(max(b * b - a * c, 0.0))
    return Interval(float(b - half) / float(a), float(b + half) / float(a), {"df": float(k - 1)})


def _methods(prefix: str, what: str) -> tuple[Method, ...]:
    percentile, *others = bootstraps(prefix, _bootstrap, f"bootstrap of {what}")
    return (
        dataclasses.replace(percentile, role="default"),
        *others,
        Method("delta_t", _delta_t, "Cochran 1977, Sampling Techniques, §6.4", label="delta method, t"),
        Method("fieller", _fieller, "Fieller 1954, JRSS B 16:175–185", label="Fieller"),
    )


ITEMS = MethodTable("a ratio of two metrics", _methods("bootstrap", "items"))
CLUSTERED = MethodTable("a ratio of two metrics in clusters", _methods("cluster_bootstrap", "clusters"))
METHODS = (ITEMS, CLUSTERED)
