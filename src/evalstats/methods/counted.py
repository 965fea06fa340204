"""The mean of independent items from how often each score occurs, or from scores read in parts: defaults, t
and bootstraps.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evalstats.kernel.arrays import Bounds, check_bounds, scale_of, scale_of_ends
from evalstats.kernel.limits import Interval, held
from evalstats.kernel.method import Method
from evalstats.kernel.resampled import bootstrap_interval
from evalstats.kernel.stream import Sample
from evalstats.kernel.units import Tally
from evalstats.methods import cautions, rates
from evalstats.methods.assembled import assembled
from evalstats.methods.items import Request
from evalstats.methods.mean_intervals import (
    BOUNDED,
    PASS_RATE,
    UNBOUNDED,
    rescaled,
    t_of_items,
    wilson_of_items,
)
from evalstats.methods.singles import Singles, singles_of
from evalstats.results import Estimate


def counted_mean(sample: Sample, bounds: Any, request: Request) -> Estimate | None:
    """`mean` of independent items from their tally, or streamed; None where it is not what was asked."""
    (low, high), asked = sample.ends, check_bounds(bounds)
    plain = request.view == "random_items" and request.estimand == "item_mean"
    if not plain or (asked is not None and (low < asked[0] or high > asked[1])):
        return None
    scale, pass_fail, assumed = _scale_of(sample, asked)
    table = PASS_RATE if pass_fail else UNBOUNDED if scale is None else BOUNDED
    chosen = table.choose(request.method, request.guarantee)
    request.refuse_unused(chosen.name, clustered=False)
    if pass_fail and "bootstrap" not in chosen.name:
        return pass_rate(_successes(sample), sample.n, request)
    if not chosen.name.startswith("bootstrap_") and chosen.name not in ("t", "wilson_effective"):
        return None
    counted = _Counted(sample, scale, pass_fail, assumed)
    return _estimate(counted, chosen, request, table.why(chosen, request.method))


def _scale_of(sample: Sample, asked: Bounds | None) -> tuple[Bounds | None, bool, bool]:
    """The scale, whether it is pass/fail, and whether it was taken from the scores."""
    if isinstance(sample, Tally):
        return scale_of(sample.rows[:, 0], asked)
    scale, assumed = scale_of_ends(sample.ends, asked)
    return scale, False, assumed


def _successes(sample: Sample) -> int:
    return sample.n - int(sample.counts[sample.rows[:, 0] == 0].sum()) if isinstance(sample, Tally) else 0


def pass_rate(k: int, n: int, request: Request) -> Estimate:
    """k of n items passed, by a method of counts."""
    found = rates.proportion(
        k, n, level=request.level, method=request.method, guarantee=request.guarantee, name=request.name
    )
    return dataclasses.replace(found, extra={**found.extra, **request.reach, "bounds": [0.0, 1.0]})


@dataclass(frozen=True)
class _Counted:
    """Independent items by how often each score occurs, or streamed."""

    sample: Sample
    scale: Bounds | None
    pass_fail: bool
    scale_assumed: bool

    @cached_property
    def items(self) -> Singles:
        return singles_of(self.sample)

    @property
    def point(self) -> float:
        return self.sample.mean if self.pass_fail else self.items.point

    @property
    def variance(self) -> float:
        """p(1−p)/n of a rate, s²/n; 0 for one item."""
        return self.point * (1 - self.point) / self.sample.n if self.pass_fail else self.items.variance


def _estimate(counted: _Counted, chosen: Method, request: Request, why: str) -> Estimate:
    point, scale = counted.point, counted.scale
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
    return assembled(request, chosen, counted.sample.n, point, limits, counted.variance, about, said)


def _limits(counted: _Counted, method: str, request: Request) -> Interval:
    if method == "t":
        return t_of_items(counted.items, request.level)
    if method == "wilson_effective":
        items = counted.items if counted.scale == (0.0, 1.0) else singles_of(counted.sample, counted.scale)
        found = wilson_of_items(items.point, items.squares, items.n, request.level)
        return rescaled(found, counted.scale or (0.0, 1.0))
    return bootstrap_interval(method.removeprefix("bootstrap_"), request.bootstrap((counted.sample,)))


def _caveats(counted: _Counted, method: str, found: dict[str, Any]) -> cautions.Caveats:
    sample, scale = counted.sample, counted.scale
    said = cautions.scale_assumed(counted.scale_assumed)
    if "bootstrap" in method:
        said += cautions.of_singles_resampled(sample, counted.pass_fail)
    if counted.pass_fail:
        return said
    items = counted.items
    if scale is None:
        return said + cautions.skewed_singles(items)
    if isinstance(sample, Tally):
        scores, counts = sample.rows[:, 0], sample.counts
        if len(counts) == 1 and scale[0] < scores[0] < scale[1]:
            return said + (cautions.no_spread(scores, counts) if found else [])
        said += cautions.few_off_mode(scores, counts)
    said += cautions.dominant_of_singles(items)
    if method == "t":
        said += cautions.skewed_singles(items)
    return said + cautions.narrow_scores(found.get("n_eff", 0.0), items.n)
