"""The mean of independent items from how often each score occurs: pass rates, and bootstraps of any mean."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from evalstats.kernel.arrays import Bounds, check_bounds, scale_of
from evalstats.kernel.limits import held
from evalstats.kernel.method import Method
from evalstats.kernel.resampled import bootstrap_interval
from evalstats.kernel.units import Tally
from evalstats.methods import cautions, rates
from evalstats.methods.assembled import assembled
from evalstats.methods.items import Request
from evalstats.methods.mean_intervals import BOUNDED, PASS_RATE, UNBOUNDED
from evalstats.numeric import counted_sum
from evalstats.results import Estimate


def counted_mean(tally: Tally, bounds: Any, request: Request) -> Estimate | None:
    """`mean` of independent items from their tally; None where it is not enough, or not what was asked."""
    scores, asked = tally.rows[:, 0], check_bounds(bounds)
    plain = request.view == "random_items" and request.estimand == "item_mean"
    if not plain or (asked is not None and (scores[0] < asked[0] or scores[-1] > asked[1])):
        return None
    scale, pass_fail, _ = scale_of(scores, asked)
    table = PASS_RATE if pass_fail else UNBOUNDED if scale is None else BOUNDED
    chosen = table.choose(request.method, request.guarantee)
    request.refuse_unused(chosen.name, clustered=False)
    if "bootstrap" in chosen.name:
        return _resampled(tally, scale, pass_fail, chosen, request)
    return pass_rate(int(tally.counts[scores == 1].sum()), tally.n, request) if pass_fail else None


def pass_rate(k: int, n: int, request: Request) -> Estimate:
    """k of n items passed, by a method of counts."""
    found = rates.proportion(
        k, n, level=request.level, method=request.method, guarantee=request.guarantee, name=request.name
    )
    return dataclasses.replace(found, extra={**found.extra, **request.reach, "bounds": [0.0, 1.0]})


def _resampled(
    tally: Tally, scale: Bounds | None, pass_fail: bool, chosen: Method, request: Request
) -> Estimate:
    point, ends = counted_sum(tally.rows[:, 0], tally.counts) / tally.n, scale or (-math.inf, math.inf)
    kind = chosen.name.removeprefix("bootstrap_")
    limits = held(lambda: bootstrap_interval(kind, request.bootstrap((tally,))), point, ends, chosen.name)
    about = {
        **({} if scale is None else {"bounds": list(scale)}),
        **request.reach,
        "why": "asked for by name",
        "unit": "fraction" if scale == (0.0, 1.0) else "score",
    }
    said = _caveats(tally, scale, pass_fail)
    return assembled(request, chosen, tally.n, point, limits, _variance(tally, point, pass_fail), about, said)


def _variance(tally: Tally, point: float, pass_fail: bool) -> float:
    """p(1−p)/n of a rate, s²/n = n⁻²Σ(y−ȳ)²/(1−1/n)."""
    if tally.n == 1:
        return 0.0
    if pass_fail:
        return point * (1 - point) / tally.n
    residuals, w = tally.rows[:, 0] - point, 1 / tally.n
    return counted_sum(residuals**2 / (1 - w), tally.counts) / tally.n**2


def _caveats(tally: Tally, scale: Bounds | None, pass_fail: bool) -> cautions.Caveats:
    scores, counts = tally.rows[:, 0], tally.counts
    said = cautions.of_bootstrap(scores, pass_fail, False, counts)
    if pass_fail:
        return said
    if scale is None:
        return said + cautions.skewed(scores, counts)
    if len(counts) == 1 and scale[0] < scores[0] < scale[1]:
        return said
    return said + cautions.few_off_mode(scores, counts) + cautions.dominant_item(scores, counts)
