"""Intervals of agreement coefficients: delete-one jackknife, BCa, and what two raters' κ has of its own."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from evalstats.errors import InputError
from evalstats.kernel.enumerated import ENUMERATION, enumerable, enumerated_values
from evalstats.kernel.law import delete_one, draw, enough_resamples
from evalstats.kernel.limits import Interval, NoInterval
from evalstats.kernel.method import Method, MethodTable
from evalstats.kernel.resampled import Jackknife, acceleration, bca_ends
from evalstats.kernel.units import Tally
from evalstats.methods.drawn_intervals import FEWEST_UNITS
from evalstats.methods.items import Request
from evalstats.numeric import bisect, chi2_tail, t_of, z_of
from evalstats.subjects.agreement_coefficients import Coefficient

Array = NDArray[np.float64]
_SAME = 1e-12


class Asked(TypedDict, total=False):
    """How the interval is made. method : by name. n_boot, seed : of bca, whose law is exact if it can be."""

    level: float
    method: str | None
    n_boot: int | None
    seed: int
    name: str


def request_of(asked: Asked, name: str) -> Request:
    """What was asked of a coefficient called so. Raises InputError for an option that there is not."""
    unknown = [key for key in asked if key not in Asked.__annotations__]
    if unknown:
        raise InputError(f"no option {unknown[0]!r}. There are: {', '.join(Asked.__annotations__)}.")
    given: dict[str, Any] = {"name": name, **asked}
    return Request(**given)


@dataclass(frozen=True)
class Measured:
    """What an interval is made from. table : (Q, Q) counts of two raters' labels, where there are two.

    w : agreement weights of κ. linearised : (items,) Gwet's linearised values, where they apply.
    """

    coefficient: Coefficient
    tally: Tally
    point: float
    request: Request
    table: Array | None = None
    w: Array | None = None
    linearised: Array | None = None

    @property
    def jackknife(self) -> Jackknife:
        return delete_one([self.tally], self.coefficient.statistic)


def jackknife_error(measured: Measured) -> float:
    """√((n−1)/n Σ(θ₍₋ᵢ₎ − θ̄)²) over units. Raises NoInterval where a unit left out leaves no coefficient."""
    n = measured.tally.n
    if n < 2:
        raise NoInterval("one unit: how much another would differ is not known")
    ((values, counts),) = measured.jackknife
    if not np.all(np.isfinite(values)):
        raise NoInterval("without one of the items chance leaves nothing to agree on (0/0): no jackknife")
    centre = float(np.sum(counts * values)) / n
    v = (n - 1) / n * float(np.sum(counts * (values - centre) ** 2))
    if v <= (_SAME * max(1.0, abs(measured.point))) ** 2:
        raise NoInterval("leaving any item out changes nothing, which does not mean that others would not")
    return math.sqrt(v)


def jackknife_t(measured: Measured) -> Interval:
    """θ̂ ± t(n−1)·se."""
    se = jackknife_error(measured)
    df = measured.tally.n - 1
    half = t_of(measured.request.level, df) * se
    return Interval(measured.point - half, measured.point + half, {"standard_error": se, "df": float(df)})


class _Resampled:
    """A law by values and masses. A resample that has no coefficient counts as beyond either end."""

    def __init__(self, values: Array, masses: Array, name: str, n_boot: int | None) -> None:
        self.name, self.n_boot = name, n_boot
        order = np.argsort(np.where(np.isnan(values), -np.inf, values), kind="stable")
        self._values, self._masses = values[order], masses[order]
        self._known = ~np.isnan(self._values)

    def low(self, q: float) -> float:
        at = np.searchsorted(np.cumsum(self._masses), q * (1 - _SAME))
        return float(self._values[min(int(at), len(self._values) - 1)])

    def high(self, q: float) -> float:
        known = self._known
        values = np.concatenate([self._values[known], self._values[~known]])[::-1]
        masses = np.concatenate([self._masses[known], self._masses[~known]])[::-1]
        at = np.searchsorted(np.cumsum(masses), q * (1 - _SAME))
        return float(values[min(int(at), len(values) - 1)])

    def below(self, point: float) -> float:
        """P(V < θ̂) + ½P(V = θ̂) of the resamples that have a coefficient."""
        at = self.at(point)
        less = (self._values < point) & ~at & self._known
        return float(
            (self._masses[less].sum() + self._masses[at].sum() / 2) / self._masses[self._known].sum()
        )

    def at(self, point: float) -> NDArray[np.bool_]:
        return self._known & (np.abs(self._values - point) <= _SAME * max(1.0, abs(point)))

    @property
    def mean(self) -> float:
        m, x = self._masses[self._known], self._values[self._known]
        return float(np.sum(m * x) / m.sum())

    @property
    def sd(self) -> float:
        m, x = self._masses[self._known], self._values[self._known]
        return math.sqrt(float(np.sum(m * (x - self.mean) ** 2) / m.sum()))


def _law(measured: Measured) -> _Resampled:
    """Every resample where they can be listed, else drawn ones."""
    statistic, tally, asked = measured.coefficient.statistic, measured.tally, measured.request
    if asked.n_boot is None and enumerable(tally):
        return _Resampled(*enumerated_values(tally, statistic), ENUMERATION, None)
    n_boot = asked.n_boot or enough_resamples(asked.level)
    values = draw([tally], statistic, n_boot, asked.seed)
    return _Resampled(values, np.full(n_boot, 1 / n_boot), "monte_carlo", n_boot)


def bca(measured: Measured) -> Interval:
    """BCa over units, with the exact jackknife (Efron 1987)."""
    n = measured.tally.n
    if n < FEWEST_UNITS:
        raise NoInterval(f"{n} units: under {FEWEST_UNITS} no bootstrap interval keeps its level")
    jackknife_error(measured)  # its reasons hold here too
    law = _law(measured)
    a = acceleration(measured.jackknife)
    (low, high), said = bca_ends(law, measured.point, a, measured.request.level)
    if not (math.isfinite(low) and math.isfinite(high)):
        raise NoInterval("chance leaves too many resamples nothing to agree on (0/0)")
    said |= {"law": law.name, "boot_se": law.sd, "boot_mean": law.mean, "standard_error": law.sd}
    return Interval(low, high, said, law.n_boot)


def fce_error(table: Array, w: Array) -> float:
    """The standard error of κ, weights w (Fleiss, Cohen & Everitt 1969).

    {Σp_ij[w_ij − (w̄_i. + w̄_.j)(1−κ)]² − [κ − p_e(1−κ)]²}/(n(1−p_e)²).
    """
    n, p, p_e, row, column = _shares(table, w)
    kappa = (float(np.sum(w * p)) - p_e) / (1 - p_e)
    mean_square = float(np.sum(p * (w - (row[:, None] + column) * (1 - kappa)) ** 2))
    v = mean_square - (kappa - p_e * (1 - kappa)) ** 2
    return math.sqrt(v / n) / (1 - p_e) if v > _SAME else 0.0


def chance_error(table: Array, w: Array) -> float:
    """The standard error of κ if both raters labelled by chance alone (Fleiss, Cohen & Everitt 1969)."""
    n, p, p_e, row, column = _shares(table, w)
    independent = p.sum(axis=1)[:, None] * p.sum(axis=0)
    v = float(np.sum(independent * (w - (row[:, None] + column)) ** 2)) - p_e**2
    return math.sqrt(max(v, 0.0) / n) / (1 - p_e)


def _shares(table: Array, w: Array) -> tuple[float, Array, float, Array, Array]:
    """n, p_ij, p_e, w̄_i. = Σ_j p_.j w_ij, w̄_.j = Σ_i p_i. w_ij."""
    n = float(table.sum())
    p = table / n
    first, second = p.sum(axis=1), p.sum(axis=0)
    row = np.add.reduce(w * second, axis=1)
    column = np.add.reduce(w * first[:, None], axis=0)
    return n, p, float(np.sum(first * row)), row, column


def fce(measured: Measured) -> Interval:
    """κ ± z·se. Raises NoInterval where no spread was seen."""
    table, w = np.asarray(measured.table), np.asarray(measured.w)
    se = fce_error(table, w)
    if se == 0:
        raise NoInterval("the standard error is 0 here, which is not how far the truth may be")
    half = z_of(measured.request.level) * se
    return Interval(measured.point - half, measured.point + half, {"standard_error": se})


def intraclass_kappa(table: Array) -> float:
    """κ_I = 1 − n₁/(2nπ(1−π)), π = (2n₂+n₁)/2n; n₁ items on which two raters differ; nan where π is 0 or 1.

    Bloch & Kraemer 1989, Biometrics 45:269–287.
    """
    n, n1, pi = _pair_counts(table)
    return 1 - n1 / (2 * n * pi * (1 - pi)) if 0 < pi < 1 else math.nan


def _pair_counts(table: Array) -> tuple[float, float, float]:
    """n, n₁ (they differ), π."""
    n, n1 = float(table.sum()), float(table[0, 1] + table[1, 0])
    return n, n1, (2 * float(table[1, 1]) + n1) / (2 * n)


def donner_eliasziw(measured: Measured) -> Interval:
    """All κ that a goodness-of-fit test of (both, one, none) keeps: Σ(n_j − nP_j)²/(nP_j) ≤ χ²₁.

    P₂ = π²+π(1−π)κ, P₁ = 2π(1−π)(1−κ), P₀ = (1−π)²+π(1−π)κ (Donner & Eliasziw 1992). The sum is convex in κ
    and 0 at κ_I, so that each side has one crossing, or none within what can be.
    """
    table = np.asarray(measured.table)
    n, n1, pi = _pair_counts(table)
    seen = np.array([float(table[1, 1]), n1, n - n1 - float(table[1, 1])])
    spread, alpha = pi * (1 - pi), 1 - measured.request.level

    def excess(kappa: float) -> float:
        """Above 0 where the test rejects."""
        P = np.array([pi**2 + spread * kappa, 2 * spread * (1 - kappa), (1 - pi) ** 2 + spread * kappa])
        apart = (seen - n * P) ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(P > 0, apart / (n * P), np.where(apart > _SAME * n, np.inf, 0.0))
        return alpha - chi2_tail(float(terms.sum()), 1)

    least = -min(pi / (1 - pi), (1 - pi) / pi)
    low = least if excess(least) <= 0 else bisect(lambda k: -excess(k), least, measured.point)
    high = 1.0 if excess(1.0) <= 0 else bisect(excess, measured.point, 1.0)
    return Interval(low, high)


def linearised_error(values: Array) -> float:
    """√(Σ(v_i − v̄)²/(n(n−1))) of an estimate's linearised values (Gwet 2008)."""
    n = len(values)
    if n < 2:
        return 0.0
    return math.sqrt(float(np.sum((values - np.mean(values)) ** 2)) / (n * (n - 1)))


def linearised_t(measured: Measured) -> Interval:
    """θ̂ ± t(n−1)·se, se of the linearised values."""
    values = np.asarray(measured.linearised)
    se = linearised_error(values)
    if se <= _SAME:
        raise NoInterval("the standard error is 0 here, which is not how far the truth may be")
    df = len(values) - 1
    half = t_of(measured.request.level, df) * se
    return Interval(measured.point - half, measured.point + half, {"standard_error": se, "df": float(df)})


Find = Callable[[Measured], Interval]
_JACKKNIFE = "Quenouille 1956; Tukey 1958, Annals of Mathematical Statistics 29:614"
_BCA = "Efron 1987, JASA 82:171–185"


def _methods(*rows: Method) -> tuple[Method, ...]:
    return (*rows, Method("bca", bca, _BCA, label="bootstrap, BCa"))


KAPPA = MethodTable(
    situation="Cohen's kappa",
    methods=_methods(
        Method(
            "fce",
            fce,
            "Fleiss, Cohen & Everitt 1969, Psychological Bulletin 72:323–327",
            role="default",
            label="Fleiss–Cohen–Everitt",
        ),
        Method("jackknife_t", jackknife_t, _JACKKNIFE, label="delete-one jackknife, t"),
        Method(
            "donner_eliasziw",
            donner_eliasziw,
            "Donner & Eliasziw 1992, Statistics in Medicine 11:1511–1519",
            label="Donner–Eliasziw, of the intraclass kappa",
        ),
    ),
)
COEFFICIENTS = MethodTable(
    situation="other agreement coefficients",
    methods=_methods(
        Method("jackknife_t", jackknife_t, _JACKKNIFE, role="default", label="delete-one jackknife, t"),
    ),
)
GWET = MethodTable(
    situation="Gwet's AC1 and AC2",
    methods=_methods(
        Method("jackknife_t", jackknife_t, _JACKKNIFE, role="default", label="delete-one jackknife, t"),
        Method(
            "linearised_t",
            linearised_t,
            "Gwet 2008, British J. of Mathematical and Statistical Psychology 61:29–48",
            label="Gwet's linearised variance, t",
        ),
    ),
)
