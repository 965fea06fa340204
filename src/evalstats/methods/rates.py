"""One pass rate: k of n, and how far the truth may be from k/n."""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import Any

from scipy import special

from evalstats.caveats import caveat
from evalstats.errors import MethodError
from evalstats.kernel.check import check_level, check_part, check_sample_size
from evalstats.kernel.limits import hold
from evalstats.kernel.method import Method, MethodTable
from evalstats.numeric import beta_quantile, binomial_cdf, bisect, z_of
from evalstats.results import Estimate

BLAKER_TIE = 1e-7  # relative: tails that differ by less are one
FEW = 10  # successes or failures under which no default keeps its mean coverage


def proportion(
    k: int,
    n: int,
    *,
    level: float = 0.95,
    method: str | None = None,
    guarantee: bool = False,
    name: str = "proportion",
) -> Estimate:
    """How good is a model that got k of n independent items right? The rate with its interval.

    k, n : whole numbers, 0 ≤ k ≤ n, n ≥ 1. Limits are fractions, 0 at k = 0 and 1 at k = n.
    method : wilson (default), clopper_pearson, wald, wilson_cc, jeffreys, mid_p, agresti_coull, blaker.
    guarantee : Clopper–Pearson, whose coverage is proved to be at least `level`.
    extra : standard_error √(p(1−p)/n); at k = 0 the exact one-sided upper bound and the rule of three,
    at k = n the exact one-sided lower bound.
    Raises InputError for counts that are none, MethodError for a method unknown or not honest here.
    Source: Wilson 1927, JASA 22:209–212; each method's own in `METHODS`.

    >>> print(proportion(360, 500))
    proportion 72.0% [67.9, 75.8] 95% wilson n=500
    >>> print(proportion(0, 100, name="refusals"))
    refusals 0.0% [0.0, 3.7] 95% wilson n=100
    """
    n = check_sample_size(n)
    k = check_part(k, "k", n)
    level = check_level(level)
    chosen = METHODS.choose(method, guarantee)
    if chosen.name == "wald" and k in (0, n):
        raise MethodError(
            f"wald has no interval for {k} of {n}: its width is 0 there. "
            "Use the default (wilson), or clopper_pearson for a sign-off."
        )
    scale = (-math.inf, math.inf) if chosen.name == "wald" else (0.0, 1.0)  # Wald's overshoot is not hidden
    low, high, moved = hold(k / n, chosen.function(k, n, level), scale, chosen.name)
    extra = {
        **_standard_error(k, n),
        **_bounds_beside_nothing_seen(k, n, level),
        "caveats": _caveats(k, n, chosen) + moved,
        "why": _why(method, guarantee),
        "unit": "fraction",
    }
    if chosen.proof:
        extra["guarantee"] = chosen.proof
    return Estimate(name, k / n, low, high, level, chosen.name, n, extra=extra)


def _standard_error(k: int, n: int) -> dict[str, Any]:
    if 0 < k < n:
        p = k / n
        return {"standard_error": math.sqrt(p * (1 - p) / n)}
    seen = "one item" if n == 1 else "no item was right" if k == 0 else "every item was right"
    reason = f"{seen}: √(p(1−p)/n) is 0 here, which is not how far the truth may be"
    return {"standard_error": math.nan, "undefined": {"standard_error": reason}}


def _bounds_beside_nothing_seen(k: int, n: int, level: float) -> dict[str, float]:
    """The exact one-sided bound, and 3/n, which is one-sided and 95 % (Hanley & Lippman-Hand 1983)."""
    alpha = 1 - level
    if k == 0:
        said_by_people = {"rule_of_three": 3 / n} if math.isclose(level, 0.95) and n >= 3 else {}
        return {"one_sided_upper": -math.expm1(math.log(alpha) / n), **said_by_people}
    if k == n:
        return {"one_sided_lower": math.pow(alpha, 1 / n)}
    return {}


def _caveats(k: int, n: int, chosen: Method) -> list[dict[str, str]]:
    few = min(k, n - k)
    if few >= FEW or chosen.proof:
        return []
    if chosen.name == "wald":
        text = f"{rarer_of(k, n)}: the Wald interval misses its level under {FEW}"
        return [caveat("named_method_weak", text)]
    return [caveat("few_informative", f"{rarer_of(k, n)}: under {FEW} the coverage can be below its mean")]


def rarer_of(k: int, n: int) -> str:
    """ "1 success", "3 failures": the outcome of which there are fewer, counted."""
    few, one, several = (k, "success", "successes") if 2 * k <= n else (n - k, "failure", "failures")
    return f"{few} {one if few == 1 else several}"


def _why(method: str | None, guarantee: bool) -> str:
    if guarantee:
        return "exact binomial tails, coverage proved"
    return "score interval, default for pass rates" if method is None else "asked for by name"


def wilson_limits(p: float, n: float, z: float) -> tuple[float, float]:
    """Wilson's score limits of a rate p seen in n (real) independent units; exactly 0 at p = 0, 1 at p = 1.

    z may be a Student quantile. Wilson 1927.

    >>> low, high = wilson_limits(0.72, 500, 1.959964)
    >>> round(low, 4), round(high, 4)
    (0.6791, 0.7576)
    """
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    low = 0.0 if p == 0 else max(0.0, centre - half)  # algebra stays inside [0, 1], rounding does not
    high = 1.0 if p == 1 else min(1.0, centre + half)
    return low, high


def clopper_pearson_limits(k: float, n: float, level: float) -> tuple[float, float]:
    """Exact two-sided limits of k of n, both real: low = Beta⁻¹(α/2; k, n−k+1), high by mirroring.

    Clopper & Pearson 1934; real k and n as Korn & Graubard 1998 use them.

    >>> low, high = clopper_pearson_limits(1, 30, 0.95)
    >>> round(low, 4), round(high, 4)
    (0.0008, 0.1722)
    """
    return _exact_lower(k, n, level), 1.0 - _exact_lower(n - k, n, level)


def _exact_lower(k: float, n: float, level: float) -> float:
    if k <= 0:
        return 0.0
    half_alpha = (1 - level) / 2
    if k >= n:
        return math.pow(half_alpha, 1 / n)
    return beta_quantile(half_alpha, k, n - k + 1)


def _wilson(k: int, n: int, level: float) -> tuple[float, float]:
    return wilson_limits(k / n, n, z_of(level))


def _wald(k: int, n: int, level: float) -> tuple[float, float]:
    p = k / n
    half = z_of(level) * math.sqrt(p * (1 - p) / n)
    return p - half, p + half


def _wilson_cc(k: int, n: int, level: float) -> tuple[float, float]:
    """Wilson with continuity correction; each limit leans half an item outwards."""
    return _wilson_cc_lower(k, n, level), 1 - _wilson_cc_lower(n - k, n, level)


def _wilson_cc_lower(k: int, n: int, level: float) -> float:
    if k == 0:
        return 0.0
    p, z = k / n, z_of(level)
    root = math.sqrt(z**2 - 2 - 1 / n + 4 * p * (n * (1 - p) + 1))
    return (2 * n * p + z**2 - 1 - z * root) / (2 * (n + z**2))


def _agresti_coull(k: int, n: int, level: float) -> tuple[float, float]:
    z = z_of(level)
    n_wide = n + z**2
    p_wide = (k + z**2 / 2) / n_wide
    half = z * math.sqrt(p_wide * (1 - p_wide) / n_wide)
    return p_wide - half, p_wide + half


def _jeffreys(k: int, n: int, level: float) -> tuple[float, float]:
    """Equal-tailed quantiles of Beta(k+½, n−k+½); 0 at k = 0 and 1 at k = n (Brown, Cai & DasGupta)."""
    return _jeffreys_lower(k, n, level), 1 - _jeffreys_lower(n - k, n, level)


def _jeffreys_lower(k: int, n: int, level: float) -> float:
    return 0.0 if k == 0 else beta_quantile((1 - level) / 2, k + 0.5, n - k + 0.5)


def _mid_p(k: int, n: int, level: float) -> tuple[float, float]:
    return _mid_p_lower(k, n, level), 1 - _mid_p_lower(n - k, n, level)


def _mid_p_lower(k: int, n: int, level: float) -> float:
    """q with P_q(X > k) + ½P_q(X = k) = α/2."""
    if k == 0:
        return 0.0
    alpha = 1 - level
    if k == n:
        return math.pow(alpha, 1 / n)

    def tail_beyond_half_alpha(q: float) -> float:
        at_least, above = special.betainc(k, n - k + 1, q), special.betainc(k + 1, n - k, q)
        return float((at_least + above) / 2 - alpha / 2)

    return bisect(tail_beyond_half_alpha, 0.0, 1.0)


def _blaker(k: int, n: int, level: float) -> tuple[float, float]:
    """The hull of {q : P_q(γ(X,q) ≤ γ(k,q)) > α}, γ(x,q) = min{P_q(X ≤ x), P_q(X ≥ x)}."""
    return _blaker_lower(k, n, level), 1 - _blaker_lower(n - k, n, level)


def _blaker_lower(k: int, n: int, level: float) -> float:
    """The smallest q that is kept, from Clopper–Pearson's limit inward.

    There γ(k,q) = P_q(X ≥ k), and the acceptability is P_q(X ≥ k) + P_q(X ≤ y), y the largest value whose
    lower tail is no larger. It can cross α while y stays what it is at Clopper–Pearson's limit; it exceeds α
    at the latest where y + 1 joins, since both tails are above α/2 there.
    """
    if k == 0:
        return 0.0
    alpha, start = 1 - level, _exact_lower(k, n, level)

    def upper_tail(q: float) -> float:
        return float(special.betainc(k, n - k + 1, q))

    joined = bisect_right(
        range(k), upper_tail(start) * (1 + BLAKER_TIE), key=lambda y: binomial_cdf(y, n, start)
    )  # values 0 … y, as a count

    def next_value_joins(q: float) -> float:
        return upper_tail(q) * (1 + BLAKER_TIE) - binomial_cdf(joined, n, q)

    def beyond_alpha(q: float) -> float:
        return upper_tail(q) + binomial_cdf(joined - 1, n, q) - alpha

    next_joins = bisect(next_value_joins, start, 1.0)
    if beyond_alpha(next_joins) <= 0:
        return next_joins
    return bisect(beyond_alpha, start, next_joins)


METHODS = MethodTable(
    situation="one pass rate",
    methods=(
        Method(
            "wilson",
            _wilson,
            "Wilson 1927, JASA 22:209–212",
            role="default",
            label="Wilson",
        ),
        Method(
            "clopper_pearson",
            clopper_pearson_limits,
            "Clopper & Pearson 1934, Biometrika 26:404–413",
            role="guarantee",
            label="Clopper–Pearson",
            proof="proved",
        ),
        Method("wald", _wald, "Laplace 1812, Théorie analytique des probabilités", label="Wald"),
        Method(
            "wilson_cc",
            _wilson_cc,
            "Newcombe 1998, Statistics in Medicine 17:857–872, method 4",
            label="Wilson with continuity correction",
        ),
        Method(
            "jeffreys",
            _jeffreys,
            "Brown, Cai & DasGupta 2001, Statistical Science 16:101–133",
            label="Jeffreys",
        ),
        Method("mid_p", _mid_p, "Lancaster 1961, JASA 56:223–234", label="mid-p"),
        Method(
            "agresti_coull",
            _agresti_coull,
            "Agresti & Coull 1998, The American Statistician 52:119–126",
            label="Agresti–Coull",
        ),
        Method(
            "blaker",
            _blaker,
            "Blaker 2000, Canadian J. Statistics 28:783–798",
            label="Blaker",
            proof="proved",
        ),
    ),
)
