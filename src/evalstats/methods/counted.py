"""The mean of independent items from how often each score occurs: defaults, t and bootstraps of any mean."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evalstats.kernel.arrays import Bounds, check_bounds, scale_of
from evalstats.kernel.limits import Interval, held
from evalstats.kernel.method import Method
from evalstats.kernel.resampled import bootstrap_interval
from evalstats.kernel.units import Tally
from evalstats.methods import cautions, rates
from evalstats.methods.assembled import assembled
from evalstats.methods.clusters import Tallied, tallied
from evalstats.methods.items import Request
from evalstats.methods.mean_intervals import (
    BOUNDED,
    PASS_RATE,
    UNBOUNDED,
    rescaled,
    t_of_items,
    wilson_of_items,
)
from evalstats.results import Estimate


def counted_mean(tally: Tally, bounds: Any, request: Request) -> Estimate | None:
    """`mean` of independent items from their tally; None where it is not enough, or not what was asked."""
    scores, asked = tally.rows[:, 0], check_bounds(bounds)
    plain = request.view == "random_items" and request.estimand == "item_mean"
    if not plain or (asked is not None and (scores[0] < asked[0] or scores[-1] > asked[1])):
        return None
    scale, pass_fail, assumed = scale_of(scores, asked)
    table = PASS_RATE if pass_fail else UNBOUNDED if scale is None else BOUNDED
    chosen = table.choose(request.method, request.guarantee)
    request.refuse_unused(chosen.name, clustered=False)
    if pass_fail and "bootstrap" not in chosen.name:
        return pass_rate(int(tally.counts[scores == 1].sum()), tally.n, request)
    if not chosen.name.startswith("bootstrap_") and chosen.name not in ("t", "wilson_effective"):
        return None
    counted = _Counted(tally, scale, pass_fail, assumed)
    return _estimate(counted, chosen, request, table.why(chosen, request.method))


def pass_rate(k: int, n: int, request: Request) -> Estimate:
    """k of n items passed, by a method of counts."""
    found = rates.proportion(
        k, n, level=request.level, method=request.method, guarantee=request.guarantee, name=request.name
    )
    return dataclasses.replace(found, extra={**found.extra, **request.reach, "bounds": [0.0, 1.0]})


@dataclass(frozen=True)
class _Counted:
    """Independent items by how often each score occurs."""

    tally: Tally
    scale: Bounds | None
    pass_fail: bool
    scale_assumed: bool

    @cached_property
    def items(self) -> Tallied:
        return tallied(self.tally.rows[:, 0], self.tally.counts)

    @property
    def constant(self) -> bool:
        return len(self.tally.counts) == 1

    @property
    def variance(self) -> float:
        """p(1−p)/n of a rate, s²/n; 0 for one item."""
        if self.pass_fail and self.items.n > 1:
            return self.items.point * (1 - self.items.point) / self.items.n
        return self.items.variance


def _estimate(counted: _Counted, chosen: Method, request: Request, why: str) -> Estimate:
    point, scale = counted.items.point, counted.scale
    limits = held(
        lambda: _limits(counted, chosen.name, request), point, scale or (-math.inf, math.inf), chosen.name
    )
    about = {
        **({} if scale is None else {"bounds": list(scale)}),
        **request.reach,
        "why": why,
        "unit": "fraction" if scale == (0.0, 1.0) else "score",
    }
    said = _caveats(counted, chosen.name, limits.extra)
    return assembled(request, chosen, counted.items.n, point, limits, counted.variance, about, said)


def _limits(counted: _Counted, method: str, request: Request) -> Interval:
    if method == "t":
        return t_of_items(counted.items, request.level)
    if method == "wilson_effective":
        low, high = counted.scale or (0.0, 1.0)
        scores, counts = counted.tally.rows[:, 0], counted.tally.counts
        items = counted.items if (low, high) == (0.0, 1.0) else tallied((scores - low) / (high - low), counts)
        return rescaled(wilson_of_items(items.point, items.squares, items.n, request.level), (low, high))
    return bootstrap_interval(method.removeprefix("bootstrap_"), request.bootstrap((counted.tally,)))


def _caveats(counted: _Counted, method: str, found: dict[str, Any]) -> cautions.Caveats:
    scores, counts, scale = counted.tally.rows[:, 0], counted.tally.counts, counted.scale
    said = cautions.scale_assumed(counted.scale_assumed)
    if "bootstrap" in method:
        said += cautions.of_bootstrap(scores, counted.pass_fail, False, counts)
    if counted.pass_fail:
        return said
    if scale is None:
        return said + cautions.skewed(scores, counts)
    if counted.constant and scale[0] < scores[0] < scale[1]:
        return said + (cautions.no_spread(scores, counts) if found else [])
    said += [
        *cautions.few_off_mode(scores, counts),
        *cautions.dominant_item(scores, counts, counted.items.point),
    ]
    if method == "t":
        said += cautions.skewed(scores, counts)
    return said + cautions.narrow_scores(found.get("n_eff", 0.0), counted.items.n)
