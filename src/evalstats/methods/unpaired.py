"""Two runs on different items, pass/fail: how far apart they are (candidate − baseline), and is it chance?

In the formulas arm 1 is the candidate and arm 2 the baseline.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from evalstats.caveats import caveat
from evalstats.errors import MethodError
from evalstats.kernel.check import check_level, check_part, check_sample_size
from evalstats.kernel.limits import hold
from evalstats.kernel.method import Method, MethodTable
from evalstats.methods import exact_tables
from evalstats.methods.rates import FEW, clopper_pearson_limits, rarer_of, wilson_limits
from evalstats.numeric import bisect, two_sided_normal, z_of
from evalstats.results import Estimate, TestResult

LEAST_EXPECTED = (
    5  # under it the normal approximation of the pooled z is not trusted (Cochran 1954, Biometrics 10)
)


@dataclass(frozen=True)
class TwoRates:
    """k1 of n1 items passed by the candidate, k2 of n2 other items by the baseline."""

    k1: int
    n1: int
    k2: int
    n2: int

    @property
    def difference(self) -> float:
        return self.k1 / self.n1 - self.k2 / self.n2

    @property
    def swapped(self) -> TwoRates:
        return TwoRates(self.k2, self.n2, self.k1, self.n1)


def unpaired_proportions(
    k_baseline: int,
    n_baseline: int,
    k_candidate: int,
    n_candidate: int,
    *,
    level: float = 0.95,
    method: str | None = None,
    guarantee: bool = False,
    name: str = "difference",
) -> Estimate:
    """How far apart are two pass rates seen on different items? On the same items pair them instead.

    k_baseline of n_baseline, k_candidate of n_candidate : whole numbers; the items are all different.
    point : candidate − baseline, a fraction. n : items of both runs together.
    method : newcombe_unpaired (default), clopper_pearson_rectangle, miettinen_nurminen, agresti_caffo,
    wald, newcombe_clopper_pearson.
    guarantee : Clopper–Pearson of each run at level √level, whose coverage is proved.
    Raises InputError for counts that cannot be, MethodError for a method unknown or not honest here.
    Source: Newcombe 1998, Statistics in Medicine 17:873–890; each method's own in `METHODS`.

    >>> print(unpaired_proportions(360, 500, 375, 500))
    difference 3.0% [-2.5, 8.4] 95% newcombe_unpaired n=1000
    """
    rates = check_two_rates(k_baseline, n_baseline, k_candidate, n_candidate)
    level = check_level(level)
    chosen = METHODS.choose(method, guarantee)
    if chosen.name == "wald" and _standard_error(rates) == 0:
        raise MethodError(
            "wald has no interval where both runs have all or nothing right: its width is 0 there. "
            "Use the default (newcombe_unpaired)."
        )
    D = rates.difference
    scale = (-math.inf, math.inf) if chosen.name == "wald" else (-1.0, 1.0)  # Wald's overshoot is not hidden
    low, high, moved = hold(D, chosen.function(rates, level), scale, chosen.name)
    extra = {
        **_known_standard_error(rates),
        "caveats": _caveats(rates, chosen) + moved,
        "why": _why(method, guarantee),
        "unit": "fraction",
    }
    if chosen.proof:
        extra["guarantee"] = chosen.proof
    return Estimate(name, D, low, high, level, chosen.name, rates.n1 + rates.n2, extra=extra)


def unpaired_test(
    k_baseline: int,
    n_baseline: int,
    k_candidate: int,
    n_candidate: int,
    *,
    method: str | None = None,
    guarantee: bool = False,
    name: str = "unpaired",
) -> TestResult:
    """Could the difference of two pass rates on different items be chance?

    Counts as in `unpaired_proportions`; effect : candidate − baseline, a fraction.
    method : z_pooled by default, fisher where an expected count is under 5; boschloo (guarantee), barnard.
    pvalue : two-sided. statistic : z for z_pooled and barnard, the candidate's passes (given all passes)
    for fisher, Fisher's smaller one-sided p for boschloo. Exact tests take time that grows with n².
    Raises InputError for counts that cannot be, MethodError for an unknown method.
    Source: each method's own in `TESTS`.

    >>> print(unpaired_test(360, 500, 375, 500))
    unpaired p = 0.28, effect +3.0 points, z_pooled n=1000
    """
    rates = check_two_rates(k_baseline, n_baseline, k_candidate, n_candidate)
    chosen = TESTS.choose(method, guarantee)
    why = "exact over every common rate, proved" if guarantee else "asked for by name"
    if method is None and not guarantee:
        smallest = _smallest_expected(rates)
        few = smallest < LEAST_EXPECTED
        chosen = TESTS["fisher"] if few else chosen
        why = f"smallest expected count {smallest:.3g} {'<' if few else '≥'} {LEAST_EXPECTED}"
    statistic, kind, pvalue = chosen.function(rates)
    extra = {"why": why, "statistic_kind": kind, "unit": "fraction"}
    if chosen.proof:
        extra["guarantee"] = chosen.proof
    return TestResult(name, statistic, pvalue, rates.difference, chosen.name, rates.n1 + rates.n2, extra)


def rejection_probability(passes: int, n_baseline: int, n_candidate: int, alpha: float) -> float:
    """How often is p ≤ α by `unpaired_test` if the two pass rates are equal? Given all passes of both.

    The test is discrete, so this is not α: it is what luck alone lights.

    >>> round(rejection_probability(30, 20, 40, 0.05), 4)
    0.0539
    """
    rates = TwoRates(0, n_candidate, passes, n_baseline)  # only the margins matter
    k1, probability, pvalues = exact_tables.null_of_fisher(n_candidate, n_baseline, passes)
    if _smallest_expected(rates) >= LEAST_EXPECTED:
        z = exact_tables.pooled_z(k1, n_candidate, passes - k1, n_baseline)
        pvalues = special.erfc(np.abs(z) / math.sqrt(2))
    return float(probability[pvalues <= alpha].sum())


def check_two_rates(k_baseline: Any, n_baseline: Any, k_candidate: Any, n_candidate: Any) -> TwoRates:
    """Counts of two runs that can be, as plain ints; raises InputError."""
    n2 = check_sample_size(n_baseline, "n_baseline")
    n1 = check_sample_size(n_candidate, "n_candidate")
    k2 = check_part(k_baseline, "k_baseline", n2, "n_baseline")
    k1 = check_part(k_candidate, "k_candidate", n1, "n_candidate")
    return TwoRates(k1, n1, k2, n2)


def _standard_error(rates: TwoRates) -> float:
    p1, p2 = rates.k1 / rates.n1, rates.k2 / rates.n2
    return math.sqrt(p1 * (1 - p1) / rates.n1 + p2 * (1 - p2) / rates.n2)


def _known_standard_error(rates: TwoRates) -> dict[str, Any]:
    se = _standard_error(rates)
    if se > 0:
        return {"standard_error": se}
    reason = "both runs have all or nothing right: the formula gives 0, which is not how far the truth may be"
    return {"standard_error": math.nan, "undefined": {"standard_error": reason}}


def _caveats(rates: TwoRates, chosen: Method) -> list[dict[str, str]]:
    arms = {"candidate": (rates.k1, rates.n1), "baseline": (rates.k2, rates.n2)}
    run, (k, n) = min(arms.items(), key=lambda arm: min(arm[1][0], arm[1][1] - arm[1][0]))
    if min(k, n - k) >= FEW or chosen.proof:
        return []
    text = f"{rarer_of(k, n)} ({run}): under {FEW} the coverage can be below its mean"
    return [caveat("named_method_weak" if chosen.name == "wald" else "few_informative", text)]


def of_sides(difference: Estimate, names: tuple[str, str]) -> Estimate:
    """The difference with its caveats about two things that have other names than baseline and candidate."""
    said = difference.extra["caveats"]
    for role, name in zip(("baseline", "candidate"), names, strict=True):
        said = [{**one, "text": one["text"].replace(f"({role})", f"({name})")} for one in said]
    return dataclasses.replace(difference, extra={**difference.extra, "caveats": said})


def _why(method: str | None, guarantee: bool) -> str:
    if guarantee:
        return "exact limits of each run, coverage proved"
    return "Wilson limits of each run combined" if method is None else "asked for by name"


def _smallest_expected(rates: TwoRates) -> float:
    passes, items = rates.k1 + rates.k2, rates.n1 + rates.n2
    return min(rates.n1, rates.n2) * min(passes, items - passes) / items


def _square_and_add(
    rates: TwoRates, limits1: tuple[float, float], limits2: tuple[float, float]
) -> tuple[float, float]:
    """Limits of a difference from those of its two parts (Newcombe 1998; MOVER, Zou & Donner 2008)."""
    p1, p2, D = rates.k1 / rates.n1, rates.k2 / rates.n2, rates.difference
    (l1, u1), (l2, u2) = limits1, limits2
    return D - math.hypot(p1 - l1, u2 - p2), D + math.hypot(u1 - p1, p2 - l2)


def _newcombe(rates: TwoRates, level: float) -> tuple[float, float]:
    z = z_of(level)
    limits1 = wilson_limits(rates.k1 / rates.n1, rates.n1, z)
    return _square_and_add(rates, limits1, wilson_limits(rates.k2 / rates.n2, rates.n2, z))


def _newcombe_clopper_pearson(rates: TwoRates, level: float) -> tuple[float, float]:
    limits1 = clopper_pearson_limits(rates.k1, rates.n1, level)
    return _square_and_add(rates, limits1, clopper_pearson_limits(rates.k2, rates.n2, level))


def _clopper_pearson_rectangle(rates: TwoRates, level: float) -> tuple[float, float]:
    """[l₁ − u₂, u₁ − l₂] at level √level each: both hold together with at least `level`."""
    l1, u1 = clopper_pearson_limits(rates.k1, rates.n1, math.sqrt(level))
    l2, u2 = clopper_pearson_limits(rates.k2, rates.n2, math.sqrt(level))
    return l1 - u2, u1 - l2


def _wald(rates: TwoRates, level: float) -> tuple[float, float]:
    half = z_of(level) * _standard_error(rates)
    return rates.difference - half, rates.difference + half


def _agresti_caffo(rates: TwoRates, level: float) -> tuple[float, float]:
    """Wald after one success and one failure more in each run."""
    return _wald(TwoRates(rates.k1 + 1, rates.n1 + 2, rates.k2 + 1, rates.n2 + 2), level)


def _miettinen_nurminen(rates: TwoRates, level: float) -> tuple[float, float]:
    z = z_of(level)
    return -_score_upper(rates.swapped, z), _score_upper(rates, z)


def _score_upper(rates: TwoRates, z: float) -> float:
    """The largest δ with (D − δ)/√V(δ) ≥ −z; 1 where there is no root."""
    D, N = rates.difference, rates.n1 + rates.n2
    if D >= 1:
        return 1.0

    def beyond(delta: float) -> float:
        R0 = _constrained_rate(rates, delta)
        R1 = R0 + delta
        V = (R1 * (1 - R1) / rates.n1 + R0 * (1 - R0) / rates.n2) * N / (N - 1)
        return delta - D - z * math.sqrt(max(V, 0.0))

    return bisect(beyond, D, 1.0)


def _constrained_rate(rates: TwoRates, delta: float) -> float:
    """Maximum likelihood of the baseline's rate R0 when the candidate's is R0 + delta.

    The root of the likelihood's cubic L3·R³ + L2·R² + L1·R + L0 (Miettinen & Nurminen 1985, appendix).
    """
    N, passes = rates.n1 + rates.n2, rates.k1 + rates.k2
    L3 = N
    L2 = (rates.n1 + 2 * rates.n2) * delta - N - passes
    L1 = (rates.n2 * delta - N - 2 * rates.k2) * delta + passes
    L0 = rates.k2 * delta * (1 - delta)
    q = (L2 / (3 * L3)) ** 3 - L1 * L2 / (6 * L3**2) + L0 / (2 * L3)
    p = math.copysign(math.sqrt(max((L2 / (3 * L3)) ** 2 - L1 / (3 * L3), 0.0)), q)
    angle = (math.pi + math.acos(max(-1.0, min(1.0, q / p**3 if p else 0.0)))) / 3
    R0 = 2 * p * math.cos(angle) - L2 / (3 * L3)
    return min(max(R0, 0.0, -delta), 1.0, 1 - delta)  # rounding only


def _z_pooled(rates: TwoRates) -> tuple[float, str, float]:
    z = float(exact_tables.pooled_z(rates.k1, rates.n1, rates.k2, rates.n2))
    return z, "z", two_sided_normal(z)


def _fisher(rates: TwoRates) -> tuple[float, str, float]:
    pvalue = exact_tables.fisher_pvalue(rates.k1, rates.n1, rates.k2, rates.n2)
    return float(rates.k1), "candidate's passes", pvalue


def _barnard(rates: TwoRates) -> tuple[float, str, float]:
    z = float(exact_tables.pooled_z(rates.k1, rates.n1, rates.k2, rates.n2))
    return z, "z", exact_tables.barnard_pvalue(rates.k1, rates.n1, rates.k2, rates.n2)


def _boschloo(rates: TwoRates) -> tuple[float, str, float]:
    counts = (rates.k1, rates.n1, rates.k2, rates.n2)
    smaller = min(exact_tables.fisher_tail(*counts), exact_tables.fisher_tail(*_failures(counts)))
    return smaller, "Fisher's one-sided p", exact_tables.boschloo_pvalue(*counts)


def _failures(counts: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    k1, n1, k2, n2 = counts
    return n1 - k1, n1, n2 - k2, n2


METHODS = MethodTable(
    situation="two pass rates on different items",
    methods=(
        Method(
            "newcombe_unpaired",
            _newcombe,
            "Newcombe 1998, Statistics in Medicine 17:873–890, method 10",
            role="default",
            label="Newcombe",
        ),
        Method(
            "clopper_pearson_rectangle",
            _clopper_pearson_rectangle,
            "Clopper & Pearson 1934, Biometrika 26:404–413, of each run",
            role="guarantee",
            label="Clopper–Pearson rectangle",
            proof="proved",
        ),
        Method(
            "miettinen_nurminen",
            _miettinen_nurminen,
            "Miettinen & Nurminen 1985, Statistics in Medicine 4:213–226",
            label="Miettinen–Nurminen",
        ),
        Method(
            "agresti_caffo",
            _agresti_caffo,
            "Agresti & Caffo 2000, The American Statistician 54:280–288",
            label="Agresti–Caffo",
        ),
        Method("wald", _wald, "Laplace 1812, Théorie analytique des probabilités", label="Wald"),
        Method(
            "newcombe_clopper_pearson",
            _newcombe_clopper_pearson,
            "Zou & Donner 2008, Statistics in Medicine 27:1693–1702, with Clopper–Pearson limits",
            label="MOVER with Clopper–Pearson",
        ),
    ),
)

TESTS = MethodTable(
    situation="a test of two pass rates on different items",
    methods=(
        Method(
            "z_pooled",
            _z_pooled,
            "Pearson 1900, Philosophical Magazine 50:157–175",
            role="default",
            label="pooled z",
        ),
        Method("fisher", _fisher, "Fisher 1935, JRSS 98:39–82", label="Fisher exact", proof="proved"),
        Method("barnard", _barnard, "Barnard 1945, Nature 156:177", label="Barnard", proof="proved"),
        Method(
            "boschloo",
            _boschloo,
            "Boschloo 1970, Statistica Neerlandica 24(1)",
            role="guarantee",
            label="Boschloo",
            proof="proved",
        ),
    ),
)
