"""Intervals of every pair of many runs: each alone, and all of them at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evalstats.errors import MethodError, NoGuaranteeError
from evalstats.kernel.arrays import check_n_boot, check_seed
from evalstats.kernel.check import check_largest_cluster, check_level
from evalstats.kernel.joint import joint_units, largest_deviations
from evalstats.kernel.law import low_quantile
from evalstats.kernel.limits import held
from evalstats.kernel.method import Method, MethodTable
from evalstats.methods.items import Request
from evalstats.methods.many_counts import of_counts
from evalstats.methods.many_items import ManyItems
from evalstats.methods.many_terms import PairTerms, effective_sizes
from evalstats.methods.paired import tango_upper
from evalstats.methods.paired_intervals import betting_mixture
from evalstats.methods.pairs import PairedItems
from evalstats.numeric import group_sums, two_sided_normal, z_of

Array = NDArray[np.float64]
Limits = tuple[Array, Array]
FEW = 20  # discordant units of a pair under which one shared draw is not used (METHODS)
DEFAULT_N_BOOT = 10_000


@dataclass(frozen=True)
class ManyRequest:
    """What is asked of many runs; checked when made.

    method : of the simultaneous intervals, None for the default. joint : rank ranges that hold all at once,
    not each run's own. largest_cluster : for a guarantee in clusters.
    """

    level: float = 0.95
    method: str | None = None
    guarantee: bool = False
    joint: bool = False
    n_boot: int = DEFAULT_N_BOOT
    seed: int = 0
    largest_cluster: int | None = None

    def __post_init__(self) -> None:
        check_level(self.level)
        check_n_boot(self.n_boot)
        check_seed(self.seed)
        check_largest_cluster(self.largest_cluster)

    @property
    def alpha(self) -> float:
        return round(1 - self.level, 12)  # without the tail of a float


@dataclass(frozen=True)
class Simultaneous:
    """(m,) limits of all pairs that hold at once. method : "max_t", or the pair's own at level `each`.

    critical : c of D ± c·se, of max_t; `each` is its level where c is taken to Student's t. why : in a few
    words. n_boot, seed : None where nothing was drawn.
    """

    low: Array
    high: Array
    method: str
    why: str
    each: float | None = None
    critical: float | None = None
    n_boot: int | None = None
    seed: int | None = None


@dataclass(frozen=True)
class PairIntervals:
    """The intervals of all pairs of some runs, at any level. stratified : over several benchmarks."""

    items: ManyItems
    terms: PairTerms
    request: ManyRequest
    n_eff: Array | None = None
    stratified: bool = False

    @property
    def method(self) -> str:
        """Of one pair alone: the name `compare` gives it."""
        if self.stratified:
            return "stratified_t"
        if self.request.guarantee:
            return "betting_mixture"
        if self.items.of_counts:
            return "tango"
        if self.items.pass_fail:
            return "tango_effective"
        return "paired_t" if self.items.cluster is None else "cr2_t"

    def at(self, level: float) -> Limits:
        """(m,) low and (m,) high of every pair at a level; nan where no spread was seen."""
        low, high = _METHODS[self.method](self, level)
        least, most = self.items.scale
        D = self.terms.D
        low, high = np.clip(low, least, most), np.clip(high, least, most)
        return np.minimum(low, D), np.maximum(high, D)


def pair_intervals(items: ManyItems, terms: PairTerms, request: ManyRequest) -> PairIntervals:
    """Raises NoGuaranteeError where no interval of these scores has a proof."""
    if request.guarantee and items.bounds is None:
        raise NoGuaranteeError(
            "no interval of scores without ends has a proof: give bounds, or leave guarantee out."
        )
    if request.largest_cluster is not None and not (request.guarantee and items.cluster is not None):
        raise MethodError(
            f"largest_cluster={request.largest_cluster} has no use here: it is for a guarantee in clusters. "
            "Leave it out."
        )
    effective = items.pass_fail and not items.of_counts
    n_eff = effective_sizes(items, terms) if effective and not request.guarantee else None
    return PairIntervals(items, terms, request, n_eff)


def _tango(pairs: PairIntervals, level: float) -> Limits:
    terms = pairs.terms
    if len(np.unique(terms.n)) == 1:
        _, low, high = of_counts(terms.baseline_only, terms.candidate_only, int(terms.n[0]), level)
        return low, high
    return _score_limits(terms.candidate_only, terms.baseline_only, terms.n, z_of(level))


def _score_limits(b: Any, c: Any, n: Any, z: Any) -> Limits:
    return -tango_upper(c, b, n, z), tango_upper(b, c, n, z)


def effective_table(pairs: PairIntervals) -> tuple[Array, Array, Array]:
    """b', c' and n_eff of each pair (Rao & Scott 1992)."""
    terms, n = pairs.terms, pairs.n_eff
    assert n is not None
    return n * (terms.psi + terms.D) / 2, n * (terms.psi - terms.D) / 2, n


def _tango_effective(pairs: PairIntervals, level: float) -> Limits:
    return _score_limits(*effective_table(pairs), t_quantiles(level, pairs.terms.df))


def _t(pairs: PairIntervals, level: float) -> Limits:
    terms = pairs.terms
    half = t_quantiles(level, terms.df) * terms.standard_error
    return terms.D - half, terms.D + half


def _stratified_t(pairs: PairIntervals, level: float) -> Limits:
    """Where no benchmark's differences vary, Tango on n_eff pairs that changed as all did."""
    low, high = _t(pairs, level)
    terms, width = pairs.terms, pairs.items.scale[1]
    still = np.flatnonzero(~(terms.v > 0))
    if len(still) and np.isfinite(width):
        D, n = terms.D[still] / width, terms.N[still]
        found = _score_limits(n * np.maximum(D, 0), n * np.maximum(-D, 0), n, z_of(level))
        low[still], high[still] = width * found[0], width * found[1]
    return low, high


def t_quantiles(level: float, df: Array) -> Array:
    """Two-sided Student quantiles; nan for no degree of freedom."""
    return np.asarray(special.stdtrit(np.where(df > 0, df, np.nan), 1 - (1 - level) / 2))


def _betting(pairs: PairIntervals, level: float) -> Limits:
    """Pair by pair; those with the same counts once."""
    terms, request = pairs.terms, pairs.request
    asked = Request(level=level, largest_cluster=request.largest_cluster)
    known: dict[tuple[int, int, int], tuple[float, float]] = {}
    limits = np.empty((terms.m, 2))
    for at in range(terms.m):
        counts = int(terms.n[at]), int(terms.baseline_only[at]), int(terms.candidate_only[at])
        if not pairs.items.of_counts or counts not in known:
            known[counts] = _bet(pairs.items.pair(int(terms.first[at]), int(terms.second[at])), asked)
        limits[at] = known[counts]
    return limits[:, 0], limits[:, 1]


def _bet(pair: PairedItems, asked: Request) -> tuple[float, float]:
    found = held(lambda: betting_mixture(pair, asked), pair.point, pair.scale, "betting_mixture")
    return found.low, found.high


_METHODS: dict[str, Callable[[PairIntervals, float], Limits]] = {
    "tango": _tango,
    "tango_effective": _tango_effective,
    "paired_t": _t,
    "cr2_t": _t,
    "betting_mixture": _betting,
    "stratified_t": _stratified_t,
}


def simultaneous_intervals(pairs: PairIntervals) -> Simultaneous:
    """Intervals of all pairs that hold together: max_t from one shared draw, else each at 1 − α/m.

    Raises MethodError for max_t by name where it does not hold, and for a method unknown.
    """
    request, why_not = pairs.request, _why_no_draw(pairs)
    if pairs.stratified:
        return _bonferroni(pairs, "Bonferroni over all pairs: each benchmark has items of its own")
    if request.guarantee:
        if request.method not in (None, "betting_mixture"):
            raise MethodError(
                f"method={request.method!r} contradicts guarantee=True: the guaranteed one is "
                "'betting_mixture'. Leave one of the two out."
            )
        return _bonferroni(pairs, "Bonferroni over all pairs, coverage proved")
    asked = request.method and SIMULTANEOUS[request.method].name
    if asked not in (None, "max_t", pairs.method):
        raise MethodError(
            f"method={asked!r} is not for these scores, of which a pair alone has {pairs.method!r}: choose "
            f"max_t or {pairs.method}, or leave it out."
        )
    if asked == "max_t" and why_not:
        raise MethodError(f"max_t does not hold here: {why_not}. Leave method out.")
    if asked == pairs.method:
        return _bonferroni(pairs, "Bonferroni over all pairs, by name")
    if why_not:
        return _bonferroni(pairs, f"Bonferroni over all pairs: {why_not}")
    return _max_t(pairs)


def _why_no_draw(pairs: PairIntervals) -> str:
    """Why not all pairs share one draw of the units; "" if they do."""
    terms = pairs.terms
    if terms.m == 1:
        return "one pair"
    if not pairs.items.complete:
        return "the pairs stand on different items"
    few = int((terms.discordant < FEW).sum())
    if few:
        return f"{few:,} of {terms.m:,} pairs differ on fewer than {FEW} units"
    if not np.all(terms.v > 0):
        return "a pair's differences do not vary"
    return ""


def _bonferroni(pairs: PairIntervals, why: str) -> Simultaneous:
    each = 1 - pairs.request.alpha / pairs.terms.m
    return Simultaneous(*pairs.at(each), method=pairs.method, why=why, each=each)


def _max_t(pairs: PairIntervals) -> Simultaneous:
    """D ± c·se, c the quantile of the largest |D*−D|/se of all pairs in one resample.

    c belongs to the normal law that resampling imitates. Where se is estimated from few units, of scores and
    in clusters, it is taken to Student's t at the same level, 1 − 2Φ(−c), as each pair alone has it.
    """
    items, terms, request = pairs.items, pairs.terms, pairs.request
    weights = np.zeros((items.K, items.K))
    weights[terms.first, terms.second] = weights[terms.second, terms.first] = 1 / np.sqrt(terms.plug_in)
    largest = largest_deviations(_units(items), weights, request.n_boot, request.seed)
    c = low_quantile(np.sort(largest), request.level)
    each = None if items.of_counts else 1 - two_sided_normal(c)
    half = (c if each is None else t_quantiles(each, terms.df)) * terms.standard_error
    least, most = items.scale
    return Simultaneous(
        np.maximum(terms.D - half, least),
        np.minimum(terms.D + half, most),
        method="max_t",
        why=f"one shared draw: every pair differs on {FEW} units or more",
        each=each,
        critical=c,
        n_boot=request.n_boot,
        seed=request.seed,
    )


def _units(items: ManyItems) -> Any:
    """What is drawn: items, or clusters with the sums of all runs."""
    if items.cluster is None:
        return joint_units(items.y)
    k = int(items.cluster.max()) + 1
    sums = np.column_stack([group_sums(y, items.cluster, k) for y in items.y.T])
    return joint_units(sums, np.bincount(items.cluster, minlength=k).astype(np.float64))


def rank_level(request: ManyRequest, K: int) -> float:
    """1 − α/(K−1): each run's own K − 1 differences hold at once."""
    return 1 - request.alpha / (K - 1)


_TANGO = "Tango 1998, Statistics in Medicine 17:891–908"
_BONFERRONI = "; Dunn 1961, JASA 56:52–64"
SIMULTANEOUS = MethodTable(
    "all pairs of many runs",
    (
        Method(
            "max_t",
            _max_t,
            "Romano & Wolf 2005, JASA 100:94–108; Hothorn et al. 2008, Biometrical Journal 50:346–363",
            role="default",
            label="max-t",
        ),
        Method("tango", _tango, _TANGO + _BONFERRONI, label="Tango at 1 − α/m"),
        Method(
            "tango_effective",
            _tango_effective,
            f"{_TANGO}; Rao & Scott 1992, Biometrics 48:577–585{_BONFERRONI}",
            label="Tango on effective counts at 1 − α/m",
        ),
        Method("paired_t", _t, "Student 1908, Biometrika 6:1–25" + _BONFERRONI, label="paired t at 1 − α/m"),
        Method(
            "cr2_t",
            _t,
            "Bell & McCaffrey 2002, Survey Methodology 28:169–181" + _BONFERRONI,
            label="CR2 at 1 − α/m",
        ),
        Method(
            "betting_mixture",
            _betting,
            "Waudby-Smith & Ramdas 2024, JRSS B 86:1–27" + _BONFERRONI,
            role="guarantee",
            label="betting at 1 − α/m",
            proof="proved",
        ),
    ),
)
