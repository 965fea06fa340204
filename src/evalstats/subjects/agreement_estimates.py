"""From checked ratings to an Estimate: which coefficient, which interval, what to keep in mind."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.caveats import caveat
from evalstats.errors import InputError, MethodError
from evalstats.kernel.limits import NoInterval, held
from evalstats.kernel.method import Method, MethodTable
from evalstats.methods.items import ItemValues, Request
from evalstats.methods.means import item_mean_estimate
from evalstats.results import Estimate
from evalstats.subjects import agreement_coefficients as coefficients
from evalstats.subjects.agreement_classes import confusion_of, counts_of_two
from evalstats.subjects.agreement_coefficients import NONE_LEFT, Coefficient
from evalstats.subjects.agreement_intervals import (
    COEFFICIENTS,
    GWET,
    KAPPA,
    Measured,
    chance_error,
    intraclass_kappa,
    jackknife_error,
    linearised_error,
)
from evalstats.subjects.agreement_labels import MOST_CATEGORIES, Ratings
from evalstats.subjects.agreement_weights import agreement_weights

Array = NDArray[np.float64]
Caveats = list[dict[str, str]]
SCALES = ("nominal", "ordinal", "interval", "ratio")
FEW_ITEMS = 20
RARE = 20  # items of a class by either rater; the atlas: with 10 the default of κ covers down to 62 %
NAMELESS = ("the first rater", "the second")


def kappa_estimate(
    ratings: Ratings, request: Request, weights: Any = None, names: tuple[str, str] = NAMELESS
) -> Estimate:
    """Cohen's κ of two raters, weighted where weights are given. names : of the raters, for caveats."""
    _check_categories(ratings)
    w = agreement_weights(weights, ratings)
    coefficient = coefficients.cohen(ratings, w)
    _check_used(coefficient, "no item has a label by both raters")
    table = counts_of_two(ratings)
    clustered = ratings.cluster is not None
    chosen = (COEFFICIENTS if clustered else KAPPA).choose(request.method)
    why = (COEFFICIENTS if clustered else KAPPA).why(chosen, request.method)
    said = [*_missing(ratings, coefficient), *(_rare_class(ratings, table, names) if weights is None else [])]
    measured = _measured(coefficient, ratings, request, table=table, w=w)
    if chosen.name == "donner_eliasziw":
        return _intraclass(measured, ratings, weights, chosen, said)
    about: dict[str, Any] = {"why": why}
    if math.isfinite(measured.point) and not clustered:
        about["chance_error"] = chance_error(table, w)
    return _estimate(measured, chosen, about, said)


def fleiss_estimate(ratings: Ratings, request: Request) -> Estimate:
    """Fleiss' κ. Raises InputError where items have different numbers of labels."""
    _check_categories(ratings)
    numbers = sorted(set(ratings.given.tolist()) - {0})
    if len(numbers) > 1:
        raise InputError(
            f"items have {numbers[0]} to {numbers[-1]} labels: Fleiss' kappa wants equally many. Ask for "
            "Krippendorff's alpha or AC1, which take missing labels."
        )
    m = numbers[0]
    if m < 2:
        raise InputError("every item has one label: agreement is between two or more.")
    coefficient = coefficients.fleiss(ratings)
    measured = _measured(coefficient, ratings, request)
    about: dict[str, Any] = {"why": COEFFICIENTS.why(COEFFICIENTS.choose(request.method), request.method)}
    if math.isfinite(measured.point) and ratings.cluster is None:
        about["chance_error"] = _fleiss_chance_error(ratings, m)
    said = [*_missing(ratings, coefficient), *_rare_of_several(ratings, "kappa")]
    return _estimate(measured, COEFFICIENTS.choose(request.method), about, said)


def _fleiss_chance_error(ratings: Ratings, m: int) -> float:
    """√(2/(Nm(m−1)))·√(s² − Σp_jq_j(q_j−p_j))/s, s = Σp_jq_j (Fleiss, Nee & Landis 1979)."""
    counts = coefficients.category_counts(ratings)
    p = counts.sum(axis=0) / counts.sum()
    N, q = int(np.count_nonzero(ratings.given)), 1 - p
    s = float(np.sum(p * q))
    return math.sqrt(2 / (N * m * (m - 1))) * math.sqrt(s**2 - float(np.sum(p * q * (q - p)))) / s


def alpha_estimate(ratings: Ratings, request: Request, scale: str) -> Estimate:
    """Krippendorff's α on a scale. Raises InputError for labels that the scale cannot take."""
    if scale not in SCALES:
        raise InputError(f"scale={scale!r} must be one of: {', '.join(SCALES)}.")
    _check_scale(ratings, scale)
    coefficient = coefficients.krippendorff(ratings, scale)
    _check_used(coefficient, "no item has two labels")
    chosen = COEFFICIENTS.choose(request.method)
    about = {"why": COEFFICIENTS.why(chosen, request.method)}
    said = [
        *_missing(ratings, coefficient),
        *(_rare_of_several(ratings, "alpha") if scale == "nominal" else []),
    ]
    return _estimate(_measured(coefficient, ratings, request), chosen, about, said)


def _check_scale(ratings: Ratings, scale: str) -> None:
    if scale != "interval":
        _check_categories(ratings)
    if scale in ("interval", "ratio") and ratings.values is None:
        raise InputError(
            f"scale={scale!r} is for numbers, and labels are texts such as {ratings.categories[0]!r}. Ask "
            "for the ordinal scale with categories in order, or the nominal one."
        )
    if scale == "ordinal" and not ratings.ordered:
        raise InputError(
            "scale='ordinal' needs the order of the labels, which are texts: declare it, such as "
            "categories=('poor', 'fair', 'good')."
        )
    if scale == "ratio" and ratings.values is not None and float(ratings.values.min()) < 0:
        raise InputError("scale='ratio' has a true zero, and there is a negative label: ask for interval.")


def ac_estimate(ratings: Ratings, request: Request, weights: Any) -> Estimate:
    """AC1, and AC2 with weights."""
    _check_categories(ratings)
    if len(ratings.categories) < 2:
        raise InputError(
            f"the only label is {ratings.categories[0]!r}: what chance would do depends on the labels that "
            "could have been given. Declare them with categories (--categories A,B)."
        )
    w = agreement_weights(weights, ratings)
    coefficient = coefficients.gwet(ratings, w)
    _check_used(coefficient, "nothing is labelled")
    if not np.any(ratings.given >= 2):
        raise InputError("no item has two labels: agreement is between two or more.")
    chosen = GWET.choose(request.method)
    clustered = ratings.cluster is not None
    if clustered and chosen.name == "linearised_t":
        raise MethodError("linearised_t takes items for independent: leave method out in clusters.")
    values = None if clustered else _linearised(w, coefficient)
    measured = _measured(coefficient, ratings, request, linearised=values)
    about: dict[str, Any] = {"why": GWET.why(chosen, request.method)}
    if values is not None and chosen.name != "bca":
        se = linearised_error(values)
        about["standard_error"] = se if se > 0 else math.nan
    found = _estimate(measured, chosen, about, _missing(ratings, coefficient, twice=True))
    return dataclasses.replace(found, n=int(np.count_nonzero(ratings.given >= 2)))


def _linearised(w: Array, coefficient: Coefficient) -> Array | None:
    """(items,) AC_i − 2(1−AC)(p_e,i − p_e)/(1−p_e) (Gwet 2008, with n/n' for items rated once).

    None where chance leaves nothing, p_e = 1.
    """
    columns = coefficient.columns[coefficient.used]
    sums = columns.sum(axis=0)
    observed, expected = coefficient.parts(sums)
    pa, pe = float(observed), float(expected)
    if 1 - pe <= NONE_LEFT:
        return None
    ac, n, twice = (pa - pe) / (1 - pe), len(columns), sums[0]
    pi = sums[3:] / n
    Q = len(pi)
    agree = np.where(columns[:, 0] > 0, n / twice * (columns[:, 1] - pe * columns[:, 0]) / (1 - pe), 0.0)
    chance = float(w.sum()) / (Q * (Q - 1)) * np.sum(columns[:, 3:] * (1 - pi), axis=1)
    return np.asarray(agree - 2 * (1 - ac) * (chance - pe) / (1 - pe))


def percent_estimate(ratings: Ratings, request: Request) -> Estimate:
    """Share of items, or of pairs of raters over items, that agree: a pass rate or a bounded score."""
    counts = ratings.given
    used = counts >= 2
    if not used.any():
        raise InputError("no item has two labels: agreement is between two or more.")
    y = coefficients.pairwise(ratings).columns[used, 0]
    two = bool(np.all(counts[used] == 2))
    cluster = ratings.at(used).cluster
    return item_mean_estimate(ItemValues(y, two, (0.0, 1.0), cluster), request)


def measured_estimate(
    coefficient: Coefficient, ratings: Ratings, request: Request, table: MethodTable
) -> Estimate:
    """Of any coefficient of these ratings, by a method of the table."""
    chosen = table.choose(request.method)
    about = {"why": table.why(chosen, request.method)}
    return _estimate(_measured(coefficient, ratings, request), chosen, about, [])


def _measured(coefficient: Coefficient, ratings: Ratings, request: Request, **kept: Any) -> Measured:
    tally = coefficient.tally(ratings.cluster)
    point = float(coefficient.value(tally.totals(tally.rows)))
    return Measured(coefficient, tally, point, request, **kept)


def _estimate(measured: Measured, chosen: Method, about: dict[str, Any], said: Caveats) -> Estimate:
    """The result; without a number, and with the reason, where chance leaves nothing."""
    request, n = measured.request, int(measured.coefficient.used.sum())
    _refuse_unused(request, chosen)
    said = [*_few_items(measured.tally.n, "item" if measured.tally.n == n else "cluster"), *said]
    parts = _parts(measured)
    if not math.isfinite(measured.point):
        return _undefined(request, chosen, n, {**parts, **about}, said)
    limits = held(lambda: chosen.function(measured), measured.point, _scale(measured), chosen.name)
    error = {"standard_error": _any_error(measured)} if "standard_error" not in limits.extra else {}
    extra = {
        **error,
        **limits.extra,
        **parts,
        **about,
        **({"n_clusters": measured.tally.n} if measured.tally.n != n else {}),
        "unit": "score",
        "caveats": [*said, *_cut(limits.caveats)],
    }
    undefined = dict(limits.undefined)
    if not math.isfinite(extra["standard_error"]) or extra["standard_error"] == 0:
        extra["standard_error"] = math.nan
        undefined["standard_error"] = limits.undefined.get("ci_low", "no spread was seen")
    if undefined:
        extra["undefined"] = undefined
    n_boot, seed = request.resampling(limits.n_boot)
    return Estimate(
        request.name,
        measured.point,
        limits.low,
        limits.high,
        request.level,
        chosen.name,
        n,
        n_boot,
        seed,
        extra,
    )


def _cut(found: Caveats) -> Caveats:
    """What `held` says of limits off the scale, in words of a coefficient, which may have no lower end."""
    text = "the interval reached beyond what a coefficient can be, and was cut there"
    return [caveat(one["code"], text) if one["code"] == "limit_clipped" else one for one in found]


def _undefined(request: Request, chosen: Method, n: int, about: dict[str, Any], said: Caveats) -> Estimate:
    reason = "all labels are one class: what chance leaves to agree on is nothing (0/0)"
    undefined = dict.fromkeys(("point", "ci_low", "ci_high", "standard_error"), reason)
    extra = {**about, "standard_error": math.nan, "unit": "score", "caveats": said, "undefined": undefined}
    return Estimate(request.name, math.nan, math.nan, math.nan, request.level, chosen.name, n, extra=extra)


def _parts(measured: Measured) -> dict[str, float]:
    """Observed and expected agreement, where they are shares."""
    if not measured.coefficient.shares:
        return {}
    observed, expected = measured.coefficient.parts(measured.tally.totals(measured.tally.rows))
    return {"observed_agreement": float(observed), "expected_agreement": float(expected)}


def _any_error(measured: Measured) -> float:
    try:
        return jackknife_error(measured)
    except NoInterval:
        return math.nan


def _scale(measured: Measured) -> tuple[float, float]:
    """No coefficient is above 1. One of shares of agreement is not below −1 unless it is weighted."""
    w = measured.w
    unweighted = w is not None and np.array_equal(w, np.eye(len(w)))
    return (-1.0 if unweighted else -math.inf, 1.0)


def _refuse_unused(request: Request, chosen: Method) -> None:
    if request.n_boot is not None and chosen.name != "bca":
        raise MethodError(
            f"n_boot={request.n_boot} has no use: {chosen.name} resamples nothing. Leave it out, or ask "
            "for bca."
        )


def _intraclass(
    measured: Measured, ratings: Ratings, weights: Any, chosen: Method, said: Caveats
) -> Estimate:
    """The intraclass κ, for which alone Donner and Eliasziw's interval is made."""
    if len(ratings.categories) != 2 or weights is not None:
        raise MethodError(
            f"donner_eliasziw is for two categories without weights; there are {len(ratings.categories)}. "
            "Leave method out for fce, or ask for bca."
        )
    request, table = measured.request, np.asarray(measured.table)
    point, n = intraclass_kappa(table), int(measured.coefficient.used.sum())
    about = {"why": "by name; of the intraclass kappa", **_parts(measured)}
    said = [*_few_items(n), *said]
    _refuse_unused(request, chosen)
    named = f"{request.name} (intraclass)"
    if not math.isfinite(point):
        found = _undefined(request, chosen, n, about, said)
        return Estimate(named, *(math.nan,) * 3, request.level, chosen.name, n, extra=found.extra)
    of_point = Measured(measured.coefficient, measured.tally, point, request, table)
    limits = held(lambda: chosen.function(of_point), point, (-1.0, 1.0), chosen.name)
    reason = "the interval is a test turned round, without a standard error"
    extra = {
        "standard_error": math.nan,
        **about,
        "unit": "score",
        "caveats": [*said, *limits.caveats],
        "undefined": {"standard_error": reason},
    }
    return Estimate(named, point, limits.low, limits.high, request.level, chosen.name, n, extra=extra)


def _check_categories(ratings: Ratings) -> None:
    if len(ratings.categories) > MOST_CATEGORIES:
        raise InputError(
            f"there are {len(ratings.categories)} different labels: these are measurements, not classes. "
            "Ask for alpha on its scale (--measure alpha --scale interval; krippendorff_alpha(..., "
            'scale="interval")), or put them into classes.'
        )


def _check_used(coefficient: Coefficient, reason: str) -> None:
    if not coefficient.used.any():
        raise InputError(f"{reason}: there is nothing to compare.")


def _few_items(n: int, unit: str = "item") -> Caveats:
    if n >= FEW_ITEMS:
        return []
    text = f"{n} {unit}{'s' * (n != 1)}: under {FEW_ITEMS} the coverage of this interval is not assured"
    return [caveat("few_items", text)]


def _missing(ratings: Ratings, coefficient: Coefficient, twice: bool = False) -> Caveats:
    """Items left out for want of labels. twice : items rated once are used in part."""
    used = coefficient.used & (ratings.given >= 2) if twice else coefficient.used
    out = ratings.n_items - int(used.sum())
    if not out:
        return []
    how = "and count only for how common each class is" if twice else "and are left out"
    lack = "1 item lacks" if out == 1 else f"{out} items lack"
    return [caveat("missing_labels", f"{lack} labels to compare {how}")]


def _rare_class(ratings: Ratings, table: Array, names: tuple[str, str]) -> Caveats:
    """A class under RARE items by either rater: κ collapses there, so recall and AC1 stand beside it."""
    first, second = table.sum(axis=1), table.sum(axis=0)
    least = np.minimum(first, second)
    there = np.maximum(first, second) > 0
    rare = np.flatnonzero((least < RARE) & there)
    if not len(rare) or np.count_nonzero(there) < 2:
        return []
    at = int(rare[np.argmin(least[rare])])
    one = confusion_of(ratings, 0.95).classes[at]
    items = "item" if one.n_human == 1 else "items"
    seen = f"class {one.category} has {one.n_human} {items} by {names[0]} and {one.n_judge} by {names[1]}"
    return [_rare(f"{seen}, {one.n_both} of them by both", "kappa", ratings)]


def _rare_of_several(ratings: Ratings, what: str) -> Caveats:
    """The same of any number of raters: a class that a rater gave to under RARE items on the average."""
    counts = coefficients.category_counts(ratings)[ratings.given >= 2].sum(axis=0)
    raters = float(ratings.given[ratings.given >= 2].mean())
    rare = np.flatnonzero((counts > 0) & (counts < RARE * raters))
    if not len(rare) or np.count_nonzero(counts) < 2:
        return []
    at = int(rare[np.argmin(counts[rare])])
    seen = f"class {ratings.categories[at]} has {counts[at]:.0f} of {counts.sum():.0f} labels"
    return [_rare(seen, what, ratings)]


def _rare(seen: str, what: str, ratings: Ratings) -> dict[str, str]:
    ac1 = coefficients.gwet(ratings)
    tally = ac1.tally(None)
    value = f"{float(ac1.value(tally.totals(tally.rows))):.2f}".replace("-", "−")
    text = (
        f"{seen}: with a class under {RARE} items {what} falls however well raters agree, and its interval "
        f"misses its level; AC1 is {value}"
    )
    return caveat("rare_class", text)
