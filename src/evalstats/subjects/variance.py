"""Where the noise of a score comes from: components of variance from repeated runs, and what to buy next.

Unbalanced one-way (items and their completions), complete two-way crossed (items by judges, prompts,
implementations or seeds), balanced nested (families, tasks, attempts). Anything else is refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evalstats.caveats import caveat
from evalstats.errors import InputError, MethodError
from evalstats.kernel.arrays import Codes, check_labels, check_n_boot, check_scores, check_seed
from evalstats.kernel.check import check_level
from evalstats.kernel.law import Drawn, draw
from evalstats.kernel.limits import Interval, NoInterval, held
from evalstats.kernel.method import Method, MethodTable
from evalstats.kernel.resampled import DEFAULT_N_BOOT, percentile_ends
from evalstats.kernel.weighted import SumStatistic
from evalstats.numeric import block_generators, group_means, order_free_sum
from evalstats.results import Estimate
from evalstats.subjects.variance_designs import (
    Design,
    OneWay,
    crossed_design,
    nested_design,
    tally_of,
)
from evalstats.subjects.variance_plan import Best, Step, best_numbers, checked_costs, mean_variance, steps

Array = NDArray[np.float64]
Costs = Mapping[str, float]
FEW_LEVELS = 6  # of a crossed factor: fewer have no interval
FEWEST_UNITS = 10  # of what is resampled
FEW_UNITS = 50
_ROUNDING = 1e-14  # of the total: a smaller component is what is left of scores that cancel out
_CHI2 = 1 << 40  # added to the seed: the factor's random numbers are not the resamples'


@dataclass(frozen=True)
class Component:
    """What one source adds. variance : of a single score, 0 where the estimate (`raw`) is below.

    share : of the variance of a single score. of_mean : what it adds to the variance of the mean score;
    share_of_mean : that as a share. levels : how many there were.
    """

    name: str
    levels: int
    variance: float
    raw: float
    share: Estimate
    of_mean: float
    share_of_mean: float


@dataclass(frozen=True)
class Decomposition:
    """Where the noise of a score comes from. kind : one_way, crossed or nested.

    mean : every score counts so that every item does. standard_error : of the mean, for items and levels
    like these; same_levels : with the levels of a crossed factor as they are, nan without one.
    costs : of one of each, beside what is in it. steps : one more of each, what pays most first. best : how
    many inside each. caveats : of all.
    """

    kind: str
    mean: float
    n_scores: int
    sizes: dict[str, float]
    components: tuple[Component, ...]
    standard_error: float
    same_levels: float
    costs: dict[str, float]
    steps: tuple[Step, ...]
    best: tuple[Best, ...]
    caveats: tuple[dict[str, str], ...]

    def __getitem__(self, name: str) -> Component:
        """By the name of the source."""
        for component in self.components:
            if component.name == name:
                return component
        names = ", ".join(repr(component.name) for component in self.components)
        raise InputError(f"no source {name!r} here; there are: {names}.")


def one_way(
    scores: Any,
    item: Any,
    *,
    names: tuple[str, str] = ("item", "completion"),
    costs: Costs | None = None,
    level: float = 0.95,
    n_boot: int = DEFAULT_N_BOOT,
    seed: int = 0,
) -> Decomposition:
    """How much of a score's noise is which items there are, and how much is decoding?

    scores : (n,) one per completion. item : (n,) labels; items may have any number of completions. names :
    what the two are called. costs : of an item and of a completion, 1 each if not given.
    σ²_completion = MSW, σ²_item = (MSB − MSW)/n0, negative → 0 and said; shares with the percentile interval
    of resampled items. The mean is over items, each the mean of its completions.
    Raises MethodError where no item has two completions, InputError for what is no list of scores.
    Source: Searle, Casella & McCulloch 1992, Variance Components, ch. 3.

    >>> found = one_way([1, 1, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0], list("aaabbbcccddd"), costs={"item": 9})
    >>> round(found["item"].variance, 4), round(found["completion"].variance, 4), found.best[0].number
    (0.1296, 0.1667, 3)
    """
    y = check_scores(scores)
    codes, labels = _sorted_labels(item, len(y), names[0])
    if len(labels) < 2:
        raise MethodError(f"one {names[0]}, however many completions, says nothing of how they differ.")
    if len(labels) == len(y):
        raise MethodError(
            f"each {names[0]} has one {names[1]}: how much of the noise is inside it cannot be known. Give "
            f"two or more of some, or scores by several judges, prompts or runs."
        )
    means = group_means(y, codes, len(labels))
    centre = order_free_sum(y) / len(y)
    order = np.lexsort((y, codes))
    design = OneWay(y[order] - centre, codes[order], order_free_sum(means) / len(labels), names)
    return decomposed(design, costs, level, n_boot, seed)


def crossed(
    scores: Any,
    item: Any,
    by: Any,
    *,
    names: tuple[str, str, str] = ("item", "level", "completion"),
    costs: Costs | None = None,
    level: float = 0.95,
    n_boot: int = DEFAULT_N_BOOT,
    seed: int = 0,
) -> Decomposition:
    """How much of a score's noise is the judge (prompt, implementation, seed), and how much the items?

    scores : (n,). item, by : (n,) labels; every item by every level, equally often. names : of items, of the
    factor, of what is repeated in a cell. costs : of an item, a level and a score, 1 each if not given.
    Components from mean squares, negative → 0 and said. Shares: items are resampled, and the factor's mean
    square has its χ² law; a factor under 6 levels has no interval.
    Raises MethodError naming the cell that is missing or has fewer scores than the others.
    Source: Searle, Casella & McCulloch 1992, Variance Components, ch. 4; Cronbach et al. 1972.

    >>> grades = [7, 8, 6, 5, 6, 4, 9, 9, 7, 3, 5, 3]
    >>> found = crossed(grades, list("aaabbbcccddd"), ["x", "y", "z"] * 4, names=("item", "judge", ""))
    >>> [(one.name, round(one.variance, 3)) for one in found.components]
    [('item', 4.222), ('judge', 0.944), ('item × judge', 0.222)]
    """
    y = check_scores(scores)
    items, item_labels = _sorted_labels(item, len(y), names[0])
    factor, labels = _sorted_labels(by, len(y), names[1])
    for name, found in ((names[0], item_labels), (names[1], labels)):
        if len(found) < 2:
            raise MethodError(
                f"one {name} ({found[0]!r}): how they differ cannot be known. Give two or more."
            )
    order = np.lexsort((y, factor, items))
    design = crossed_design(y[order], (items[order], factor[order]), (item_labels, labels), names)
    return decomposed(design, costs, level, n_boot, seed)


def nested(
    scores: Any,
    *factors: Any,
    names: Sequence[str] = ("family", "task", "attempt"),
    costs: Costs | None = None,
    level: float = 0.95,
    n_boot: int = DEFAULT_N_BOOT,
    seed: int = 0,
) -> Decomposition:
    """How much of a score's noise is families, tasks inside them, and attempts at a task?

    scores : (n,). factors : (n,) labels from the top down; a label means another thing inside another
    parent. As many everywhere. names : of the factors, then of the scores inside the last, which is left
    out where there is one each: the last factor then holds their noise.
    Components from mean squares, negative → 0 and said; shares by resampling whole units of the top.
    Raises MethodError naming the place where there are more or fewer than elsewhere.
    Source: Searle, Casella & McCulloch 1992, Variance Components, ch. 4.

    >>> found = nested([3, 5, 4, 6, 9, 9, 8, 6], list("aaaabbbb"), list("11221122"))
    >>> [(one.name, one.variance) for one in found.components]
    [('family', 5.5), ('task', 0.5), ('attempt', 1.5)]
    """
    y = check_scores(scores)
    if len(names) != len(factors) + 1:
        raise InputError(f"{len(factors)} factors want {len(factors) + 1} names, theirs and that of a score.")
    coded = [_sorted_labels(one, len(y), name) for one, name in zip(factors, names, strict=False)]
    design = nested_design(y, [codes for codes, _ in coded], [labels for _, labels in coded], names)
    return decomposed(design, costs, level, n_boot, seed)


def _sorted_labels(labels: Any, n: int, name: str) -> tuple[Codes, list[str]]:
    """Codes in the order of the labels as text, so that no order of rows enters a digit."""
    codes, found = check_labels(labels, n, name)
    order = sorted(range(len(found)), key=lambda at: (str(found[at]), at))
    place = np.empty(len(found), dtype=np.intp)
    place[order] = np.arange(len(found))
    return place[codes], [str(found[at]) for at in order]


def decomposed(
    design: Design,
    costs: Costs | None = None,
    level: float = 0.95,
    n_boot: int = DEFAULT_N_BOOT,
    seed: int = 0,
) -> Decomposition:
    """The components of a design, their shares with intervals, and what to buy. Raises as its parts do."""
    level, n_boot, seed = check_level(level), check_n_boot(n_boot), check_seed(seed)
    prices = checked_costs(design, costs)
    tally = tally_of(design.rows)
    raw = [float(value) for value in design.components(tally.totals(tally.rows))]
    if not all(map(math.isfinite, raw)):
        raise MethodError("no mean square can be made of these scores: give two or more of each.")
    total = sum(map(abs, raw))
    raw = [0.0 if abs(value) <= _ROUNDING * total else value for value in raw]
    variances = [max(value, 0.0) for value in raw]
    shares = _shares(design, variances, (level, n_boot, seed))
    sizes = [dimension.size for dimension in design.dimensions]
    of_mean = [mean_variance([s], [v], sizes) for s, v in zip(design.sources, variances, strict=True)]
    v = sum(of_mean)
    components = tuple(
        Component(
            source.name, source.levels, variances[at], raw[at], shares[at], of_mean[at], _over(of_mean[at], v)
        )
        for at, source in enumerate(design.sources)
    )
    factor = design.factor
    return Decomposition(
        kind=design.kind,
        mean=design.mean,
        n_scores=design.n_scores,
        sizes={dimension.name: float(dimension.size) for dimension in design.dimensions},
        components=components,
        standard_error=math.sqrt(v) if v > 0 else math.nan,
        same_levels=math.nan if factor is None or v == 0 else math.sqrt(v - of_mean[factor]),
        costs=prices,
        steps=steps(design, variances, prices) if v > 0 else (),
        best=best_numbers(design, variances, prices) if v > 0 else (),
        caveats=tuple(_caveats(design, raw)),
    )


def _over(part: float, whole: float) -> float:
    return part / whole if whole > 0 else math.nan


def _caveats(design: Design, raw: Sequence[float]) -> list[dict[str, str]]:
    said = []
    below = [source.name for source, value in zip(design.sources, raw, strict=True) if value < 0]
    if below:
        text = f"the estimate for {' and '.join(below)} is below zero and counts as 0: too small to be seen"
        said.append(caveat("negative_component", text))
    units = len(design.rows)
    if FEWEST_UNITS <= units < FEW_UNITS:
        text = f"a bootstrap of {units} units: under {FEW_UNITS} its coverage is not assured"
        said.append(caveat("bootstrap_few_units", text))
    return said


def _shares(design: Design, variances: Sequence[float], asked: tuple[float, int, int]) -> list[Estimate]:
    """Of a single score's variance, each with its interval or the reason why it has none."""
    level, n_boot, seed = asked
    total, units = sum(variances), len(design.rows)
    values = _resampled(design, n_boot, seed) if units >= FEWEST_UNITS and total > 0 else None
    chosen = METHODS["cluster_" * (design.kind == "nested") + METHODS.default.name]
    found = []
    for at, source in enumerate(design.sources):
        find = partial(chosen.function, values, at, level, _no_interval(design, at, total))
        point = _over(variances[at], total)
        limits = held(find, point, (0.0, 1.0), chosen.name)
        undefined = limits.undefined | ({} if total > 0 else {"point": _ALL_EQUAL})
        extra = {**limits.extra, "unit": "fraction", "why": "mean squares, units resampled"}
        extra |= {"caveats": limits.caveats} | ({"undefined": undefined} if undefined else {})
        drawn = {} if undefined else {"n_boot": n_boot, "seed": seed}
        low, high = limits.low, limits.high
        found.append(Estimate(source.name, point, low, high, level, chosen.name, units, extra=extra, **drawn))
    return found


_ALL_EQUAL = "all scores are equal: nothing varies"


def _no_interval(design: Design, at: int, total: float) -> str:
    """Why a source has no interval, "" if it may have one."""
    if total == 0:
        return _ALL_EQUAL
    units, dimension = len(design.rows), design.dimensions[0].name
    if units < FEWEST_UNITS:
        return f"{units} of {dimension}: {FEWEST_UNITS} are the least that can be resampled"
    source = design.sources[at]
    if at == design.factor and source.levels < FEW_LEVELS:
        return (
            f"{source.levels} of {source.name} say too little of how they differ: {FEW_LEVELS} are the least"
        )
    return ""


def _resampled(design: Design, n_boot: int, seed: int) -> Array:
    """(n_boot, sources) shares, of resampled units; a factor's mean square by its χ² law.

    Resampled items say nothing of how few levels there are: of 6 levels the interval would hold the truth in
    a quarter of the cases (docs/variance.md).
    """
    factor: Array | float = 1.0
    if design.factor is not None:
        df = design.sources[design.factor].levels - 1
        factor = df / _chi2(df, n_boot, seed)
    sums = draw([tally_of(design.rows)], SumStatistic(_itself, _itself), n_boot, seed)
    components = np.maximum(design.components(sums, factor), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(components / components.sum(axis=-1, keepdims=True))


def _itself(rows: Array) -> Array:
    return rows


def _chi2(df: int, n_boot: int, seed: int) -> Array:
    drawn = [generator.random(size) for generator, size in block_generators(_CHI2 + seed, n_boot)]
    return np.asarray(special.chdtri(df, np.concatenate(drawn)))


def _percentile(values: Array | None, at: int, level: float, reason: str) -> Interval:
    """The middle of the resampled shares of one source."""
    if reason or values is None:
        raise NoInterval(reason)
    if not np.all(np.isfinite(values)):
        raise NoInterval("in some resamples nothing varies, or no item has two completions")
    law = Drawn(np.sort(values[:, at]), len(values))
    return Interval(*percentile_ends(law, level), {"law": law.name, "boot_se": law.sd}, len(values))


METHODS = MethodTable(
    situation="shares of components of variance",
    methods=(
        Method(
            "anova_bootstrap_percentile",
            _percentile,
            "Searle, Casella & McCulloch 1992, Variance Components; Efron 1979, Annals of Statistics 7:1–26; "
            "a crossed factor by its χ² law, Weerahandi 1993, JASA 88:899–905",
            role="default",
            label="bootstrap of items, percentile",
        ),
        Method(
            "cluster_anova_bootstrap_percentile",
            _percentile,
            "Searle, Casella & McCulloch 1992, Variance Components; Efron 1979, Annals of Statistics 7:1–26",
            label="bootstrap of clusters, percentile",
        ),
    ),
    no_guarantee="no interval for a share of variance has a proof",
)
