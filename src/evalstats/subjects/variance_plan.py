"""What the next unit of budget should buy: one more item, completion or judge, and how many are best.

The mean's variance is Σσ²_s/N_s and a design's cost Σc_s·N_s, N_s = the levels of source s in all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real

from evalstats.errors import InputError
from evalstats.subjects.variance_designs import CROSS, Design, Dimension, Source

SCORE = "score"  # what one score costs, whatever the deepest source is called


@dataclass(frozen=True)
class Step:
    """One more of `name`, everywhere. cost : of that. standard_error : of the mean score then.

    gain : share of the mean's variance that a unit of cost removes; steps are told apart by it.
    """

    name: str
    cost: float
    standard_error: float
    gain: float


@dataclass(frozen=True)
class Best:
    """How many of `name` inside each `within` give the least variance for any budget.

    exact : √(σ²/σ²_above · cost_above/cost), before it is a whole number; nan where what stands above does
    not vary, so that there cannot be too many. number : whole, at least 1; None for nan.
    """

    name: str
    within: str
    now: float
    exact: float
    number: int | None


def checked_costs(design: Design, costs: Mapping[str, float] | None) -> dict[str, float]:
    """What each thing costs beside what is in it, 1 where it was not said.

    Raises InputError for a name that is none of the design's, and for what is no cost.
    """
    names = [name for name, _ in priced(design)]
    deepest = names[-1]
    given = {deepest if name == SCORE else name: cost for name, cost in (costs or {}).items()}
    for name, cost in given.items():
        if name not in names:
            raise InputError(f"costs: nothing here is called {name!r}. There are: {', '.join(names)}.")
        if isinstance(cost, bool) or not isinstance(cost, Real) or not 0 <= cost < math.inf:
            raise InputError(f"costs: {name} costs {cost!r}; give a number of 0 or more.")
    if given.get(deepest, 1.0) == 0:
        raise InputError(f"costs: a {deepest} costs 0, so that there is no end of them. Give what one costs.")
    return {name: float(given.get(name, 1.0)) for name in names}


def priced(design: Design) -> list[tuple[str, Source]]:
    """What can be bought, the deepest last: an item with none of its scores, a judge, a score."""
    deepest = design.sources[-1]
    found = [(source.name, source) for source in design.sources[:-1] if CROSS not in source.name]
    return [*found, (SCORE if CROSS in deepest.name else deepest.name, deepest)]


def mean_variance(sources: Sequence[Source], variances: Sequence[float], sizes: Sequence[float]) -> float:
    """Σσ²_s/N_s."""
    pairs = zip(sources, variances, strict=True)
    return sum(v / math.prod(sizes[d] for d in source.spans) for source, v in pairs)


def steps(design: Design, variances: Sequence[float], costs: Mapping[str, float]) -> tuple[Step, ...]:
    """One more of each dimension, what pays most first."""
    sizes = [dimension.size for dimension in design.dimensions]
    now = mean_variance(design.sources, variances, sizes)
    found = []
    for at, dimension in enumerate(design.dimensions):
        more = [size + (d == at) for d, size in enumerate(sizes)]
        cost = _cost(design, costs, more) - _cost(design, costs, sizes)
        then = mean_variance(design.sources, variances, more)
        found.append(Step(dimension.name, cost, math.sqrt(then), (now - then) / now / cost))
    return tuple(sorted(found, key=lambda step: -step.gain))


def _cost(design: Design, costs: Mapping[str, float], sizes: Sequence[float]) -> float:
    return sum(costs[name] * math.prod(sizes[d] for d in source.spans) for name, source in priced(design))


def best_numbers(design: Design, variances: Sequence[float], costs: Mapping[str, float]) -> tuple[Best, ...]:
    """Of each depth inside the one above it; () where a factor is crossed, which has no such formula.

    m = √(σ²_l/σ²_{l−1} · cost_{l−1}/cost_l): Cochran 1977, Sampling Techniques, §10.6.
    """
    if design.factor is not None:
        return ()
    depths = [(name, design.dimensions[at]) for at, (name, _) in enumerate(priced(design))]
    return tuple(
        _best(above, inside, (variances[at], variances[at + 1]), costs)
        for at, (above, inside) in enumerate(pairwise(depths))
    )


def _best(
    above: tuple[str, Dimension],
    inside: tuple[str, Dimension],
    variances: tuple[float, float],
    costs: Mapping[str, float],
) -> Best:
    name, within, now = inside[0], above[0], inside[1].size
    v_above, v = variances
    if v_above == 0:
        return Best(name, within, now, math.nan, None)
    exact = math.sqrt(v / v_above * costs[within] / costs[name])

    def product(m: int) -> float:
        return (v_above + v / m) * (costs[within] + costs[name] * m)

    number = min((m for m in (math.floor(exact), math.ceil(exact)) if m >= 1), key=product, default=1)
    return Best(name, within, now, exact, number)
