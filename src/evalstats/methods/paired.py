"""Two runs on the same items, pass/fail: how far apart they are (candidate − baseline).

In the formulas b counts the items only the candidate has right, c those only the baseline has right.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalstats.caveats import caveat
from evalstats.errors import InputError, MethodError
from evalstats.kernel.check import check_count, check_level, check_part, check_sample_size
from evalstats.kernel.limits import hold
from evalstats.kernel.method import Method, MethodTable
from evalstats.methods import betting
from evalstats.methods.rates import wilson_limits
from evalstats.numeric import t_of, z_of
from evalstats.results import Estimate

FEW = 10  # discordant items under which the default's coverage can be below its mean
FEW_FOR_WALD = 20
LEAST_FOR_GUARANTEE = 10  # items, and the share of discordant ones from which betting joins
MOST_DISCORDANT_FOR_GUARANTEE = 0.8
_HALVINGS = 53  # a bracket of width 2 shrinks to 2e-16


@dataclass(frozen=True)
class PairedCounts:
    """The paired 2×2 table: b candidate only, c baseline only, n items; both_right where it is known."""

    b: int
    c: int
    n: int
    both_right: int | None = None


def paired_proportions(
    baseline_only: int,
    candidate_only: int,
    n: int,
    *,
    level: float = 0.95,
    method: str | None = None,
    guarantee: bool = False,
    both_right: int | None = None,
    name: str = "difference",
) -> Estimate:
    """Did the candidate pass more of the same n items? The difference of rates with its interval.

    baseline_only, candidate_only : items that only this run has right; n : all items, both runs scored.
    both_right : items both have right; needed by `newcombe` alone.
    point : candidate − baseline, a fraction: (candidate_only − baseline_only)/n.
    method : tango (default), tango_bonett_price, betting_mixture, wald, bonett_price, newcombe, agresti_min.
    guarantee : the outer limits of Tango and Bonett–Price, whose coverage was enumerated, from 10 items on
    (and of betting with more than .8 of them discordant); under 10 items betting, which is proved.
    Raises InputError for counts that cannot be, MethodError for a method unknown or not honest here.
    Source: Tango 1998, Statistics in Medicine 17:891–908; each method's own in `METHODS`.

    >>> print(paired_proportions(40, 55, 500))
    difference 3.0% [-0.8, 6.9] 95% tango n=500
    >>> print(paired_proportions(40, 55, 500, method="wald"))
    difference 3.0% [-0.8, 6.8] 95% wald n=500
    """
    counts = check_paired_counts(baseline_only, candidate_only, n, both_right)
    level = check_level(level)
    table = METHODS if counts.n >= LEAST_FOR_GUARANTEE else UNDER_TEN
    chosen = table.choose(method, guarantee)
    _check_honest(chosen, counts)
    D = (counts.b - counts.c) / counts.n
    scale = (-math.inf, math.inf) if chosen.name == "wald" else (-1.0, 1.0)  # Wald's overshoot is not hidden
    low, high, moved = hold(D, chosen.function(counts, level), scale, chosen.name)
    extra = {
        **_standard_error(counts),
        "n_discordant_units": counts.b + counts.c,
        "baseline_only": counts.c,
        "candidate_only": counts.b,
        "discordant_rate": (counts.b + counts.c) / counts.n,
        "caveats": _caveats(counts, chosen) + moved,
        "why": _why(chosen, method, guarantee),
        "unit": "fraction",
    }
    if chosen.proof:
        extra["guarantee"] = chosen.proof
    return Estimate(name, D, low, high, level, chosen.name, counts.n, extra=extra)


def check_paired_counts(
    baseline_only: Any, candidate_only: Any, n: Any, both_right: Any = None
) -> PairedCounts:
    """Counts of a paired 2×2 table that can be, as plain ints; raises InputError."""
    n = check_sample_size(n)
    c = check_count(baseline_only, "baseline_only")
    b = check_count(candidate_only, "candidate_only")
    if b + c > n:
        raise InputError(
            f"baseline_only={c} and candidate_only={b} are {b + c} items, more than n={n}: "
            "n counts all items that both runs scored."
        )
    if both_right is not None:
        both_right = check_part(both_right, "both_right", n - b - c, "the concordant items, n − b − c")
    return PairedCounts(b, c, n, both_right)


def _check_honest(chosen: Method, counts: PairedCounts) -> None:
    if chosen.name == "newcombe" and counts.both_right is None:
        raise MethodError(
            "newcombe needs the whole 2×2 table: give both_right=, the number of items both runs have right."
        )
    if chosen.name == "wald" and _variance(counts) == 0:
        raise MethodError(
            f"wald has no interval for {counts.c} and {counts.b} discordant items of {counts.n}: its width "
            "is 0 there. Use the default (tango)."
        )
    if chosen.name == "tango_bonett_price" and counts.n < LEAST_FOR_GUARANTEE:
        raise MethodError(
            f"tango_bonett_price is not available for {counts.n} items: its coverage was enumerated from "
            f"{LEAST_FOR_GUARANTEE} on. With fewer the guarantee is 'betting_mixture'."
        )


def _variance(counts: PairedCounts) -> float:
    """n² times the estimated variance of the difference."""
    return counts.b + counts.c - (counts.b - counts.c) ** 2 / counts.n


def _standard_error(counts: PairedCounts) -> dict[str, Any]:
    variance = _variance(counts)
    if variance > 0:
        return {"standard_error": math.sqrt(variance) / counts.n}
    seen = "no item changed" if counts.b + counts.c == 0 else "every item changed the same way"
    reason = f"{seen}: √(b+c−(b−c)²/n)/n is 0 here, which is not how far the truth may be"
    return {"standard_error": math.nan, "undefined": {"standard_error": reason}}


def _caveats(counts: PairedCounts, chosen: Method) -> list[dict[str, str]]:
    discordant = counts.b + counts.c
    items = "discordant item" if discordant == 1 else "discordant items"
    if chosen.name == "wald" and discordant < FEW_FOR_WALD:
        text = f"{discordant} {items}: the Wald interval misses its level under {FEW_FOR_WALD}"
        return [caveat("named_method_weak", text)]
    if discordant < FEW and not chosen.proof:
        text = f"{discordant} {items}: under {FEW} the interval and the test rest on very few changes"
        return [caveat("few_discordant", text)]
    return []


def _why(chosen: Method, method: str | None, guarantee: bool) -> str:
    if guarantee:
        return f"{chosen.label}, coverage {chosen.proof}"
    return "score interval, default for paired rates" if method is None else "asked for by name"


def _constrained_variance(b: Any, c: Any, n: Any, delta: Any) -> NDArray[np.float64]:
    """Variance of b − c at difference delta, with the nuisance at its constrained maximum likelihood q."""
    A = 2 * n
    B = -b - c + (2 * n - b + c) * delta
    C = -c * delta * (1 - delta)
    root = np.sqrt(np.maximum(B**2 - 4 * A * C, 0.0))
    with np.errstate(invalid="ignore", divide="ignore"):  # the branch not taken may be 0/0
        q = np.where(B > 0, -2 * C / (root + B), (root - B) / (2 * A))  # no cancellation for either sign of B
    return np.asarray(np.maximum(n * (2 * q + delta * (1 - delta)), 0.0), dtype=np.float64)


def tango_upper(b: ArrayLike, c: ArrayLike, n: ArrayLike, z: ArrayLike) -> NDArray[np.float64]:
    """The largest difference with score statistic ≥ −z, elementwise; the lower limit is its mirror image."""
    b, c, n, z = (np.asarray(value, dtype=np.float64) for value in (b, c, n, z))
    D = (b - c) / n
    low, high = np.broadcast_arrays(D, np.ones(np.broadcast(D, z).shape))
    low, high = low.copy(), high.copy()
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        outside = n * (middle - D) > z * np.sqrt(_constrained_variance(b, c, n, middle))
        high = np.where(outside, middle, high)
        low = np.where(outside, low, middle)
    no_discordant = (b == 0) & (c == 0)  # closed form, free of the second root at 0
    return np.where(no_discordant, z**2 / (n + z**2), np.where(D >= 1, 1.0, high))


def tango_limits(baseline_only: float, candidate_only: float, n: float, z: float) -> tuple[float, float]:
    """Score limits of a paired difference of rates; counts may be real, z may be a Student quantile.

    Solves z(δ) = ±z on either side of D = (candidate_only − baseline_only)/n; −1 or 1 where there is no
    root; ±z²/(n+z²) when no item is discordant. Tango 1998, Statistics in Medicine 17:891–908.

    >>> low, high = tango_limits(40, 55, 500, 1.959964)
    >>> round(low, 4), round(high, 4)
    (-0.0083, 0.0688)
    """
    b, c = candidate_only, baseline_only
    high, mirrored = tango_upper([b, c], [c, b], n, z)
    return -float(mirrored), float(high)


def tango_statistic(baseline_only: float, candidate_only: float, n: float, delta: float) -> float:
    """Tango's score statistic z(δ) of the hypothesis that the true difference is delta (−1 < delta < 1).

    >>> round(tango_statistic(40, 55, 500, 0.0), 4)
    1.539
    """
    return float(tango_statistics(baseline_only, candidate_only, n, delta))


def tango_statistics(
    baseline_only: ArrayLike, candidate_only: ArrayLike, n: ArrayLike, delta: ArrayLike
) -> NDArray[np.float64]:
    """`tango_statistic`, elementwise; 0 where both the excess and its variance are 0."""
    c, b, n, delta = (
        np.asarray(value, dtype=np.float64) for value in (baseline_only, candidate_only, n, delta)
    )
    excess = b - c - n * delta
    variance = _constrained_variance(b, c, n, delta)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(excess == 0, 0.0, excess / np.sqrt(variance))


def _tango(counts: PairedCounts, level: float) -> tuple[float, float]:
    return tango_limits(counts.c, counts.b, counts.n, z_of(level))


def _adjusted_wald(counts: PairedCounts, added: float, z: float) -> tuple[float, float]:
    """Wald's interval after `added` imaginary items in each of the two discordant cells, n + 2 in all."""
    m = counts.n + 2
    centre = (counts.b - counts.c) / m
    half = z * math.sqrt(((counts.b + counts.c + 2 * added) / m - centre**2) / m)
    return centre - half, centre + half


def _bonett_price(counts: PairedCounts, level: float) -> tuple[float, float]:
    return _adjusted_wald(counts, 1.0, z_of(level))


def _agresti_min(counts: PairedCounts, level: float) -> tuple[float, float]:
    """½ in each of the four cells, so half an item in each discordant one."""
    return _adjusted_wald(counts, 0.5, z_of(level))


def _tango_bonett_price(counts: PairedCounts, level: float) -> tuple[float, float]:
    """The outer limits of Tango, Bonett–Price with t(n−1) for z, and betting where nearly all differ."""
    found = [_tango(counts, level), _adjusted_wald(counts, 1.0, t_of(level, counts.n - 1))]
    if counts.b + counts.c > MOST_DISCORDANT_FOR_GUARANTEE * counts.n:
        found.append(_betting_mixture(counts, level))
    return min(low for low, _ in found), max(high for _, high in found)


def _betting_mixture(counts: PairedCounts, level: float) -> tuple[float, float]:
    """Bets on the items' differences −1, 0 and 1."""
    above = np.array([0.0, 0.5, 1.0])
    how_often = np.array([counts.c, counts.n - counts.b - counts.c, counts.b], dtype=np.float64)
    found = betting.betting_interval(betting.Stakeable(above, above[::-1], how_often), (-1.0, 1.0), level)
    return found.low, found.high


def _wald(counts: PairedCounts, level: float) -> tuple[float, float]:
    D = (counts.b - counts.c) / counts.n
    half = z_of(level) * math.sqrt(_variance(counts)) / counts.n
    return D - half, D + half


def _newcombe(counts: PairedCounts, level: float) -> tuple[float, float]:
    """Square-and-add of the two Wilson intervals, with the correlation φ of the runs (method 10)."""
    a = counts.both_right or 0
    b, c, n, z = counts.b, counts.c, counts.n, z_of(level)
    d = n - a - b - c
    p1, p2 = (a + b) / n, (a + c) / n
    (l1, u1), (l2, u2) = wilson_limits(p1, n, z), wilson_limits(p2, n, z)
    phi = _phi(a, b, c, d)
    lower = math.sqrt(max(0.0, (p1 - l1) ** 2 - 2 * phi * (p1 - l1) * (u2 - p2) + (u2 - p2) ** 2))
    upper = math.sqrt(max(0.0, (p2 - l2) ** 2 - 2 * phi * (p2 - l2) * (u1 - p1) + (u1 - p1) ** 2))
    D = (b - c) / n
    return D - lower, D + upper


def _phi(a: int, b: int, c: int, d: int) -> float:
    """Correlation of a 2×2 table, with Newcombe's continuity correction where it is positive."""
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    if margins == 0:
        return 0.0
    excess = a * d - b * c
    corrected = max(excess - (a + b + c + d) / 2, 0.0) if excess > 0 else excess
    return corrected / math.sqrt(margins)


METHODS = MethodTable(
    situation="two pass rates on the same items",
    methods=(
        Method(
            "tango",
            _tango,
            "Tango 1998, Statistics in Medicine 17:891–908",
            role="default",
            label="Tango",
        ),
        Method(
            "tango_bonett_price",
            _tango_bonett_price,
            "Tango 1998; Bonett & Price 2012, J. Educational and Behavioral Statistics 37:479–488",
            role="guarantee",
            label="Tango and Bonett–Price, outer limits",
            proof="enumerated",
        ),
        Method(
            "betting_mixture",
            _betting_mixture,
            betting.CITATION,
            label="betting",
            proof="proved",
        ),
        Method("wald", _wald, "Wald 1943, Transactions AMS 54:426–482, for paired rates", label="Wald"),
        Method(
            "bonett_price",
            _bonett_price,
            "Bonett & Price 2012, J. Educational and Behavioral Statistics 37:479–488",
            label="Bonett–Price",
        ),
        Method(
            "newcombe",
            _newcombe,
            "Newcombe 1998, Statistics in Medicine 17:2635–2650, method 10",
            label="Newcombe",
        ),
        Method(
            "agresti_min",
            _agresti_min,
            "Agresti & Min 2005, Statistics in Medicine 24:729–740",
            label="Agresti–Min",
        ),
    ),
)


def under_ten_items(table: MethodTable) -> MethodTable:
    """The same methods where the enumeration does not reach: betting is the guarantee."""
    roles = {"tango_bonett_price": "named", "betting_mixture": "guarantee"}
    methods = tuple(replace(method, role=roles.get(method.name, method.role)) for method in table)
    return MethodTable(f"{table.situation}, under ten of them", methods)


UNDER_TEN = under_ten_items(METHODS)
