"""Do raters agree beyond chance? Coefficients for two raters and for several, each with its interval.

The namespace `es.agreement`: what it takes from its neighbours is listed in `__all__`.
"""

from __future__ import annotations

import math
from typing import Any, Unpack

from evalstats.errors import InputError
from evalstats.results import Estimate
from evalstats.subjects.agreement_ceiling import Ceiling, ceiling
from evalstats.subjects.agreement_classes import ClassRates, Confusion, confusion
from evalstats.subjects.agreement_estimates import (
    ac_estimate,
    alpha_estimate,
    fleiss_estimate,
    kappa_estimate,
    percent_estimate,
)
from evalstats.subjects.agreement_intervals import COEFFICIENTS, GWET, KAPPA, Asked, request_of
from evalstats.subjects.agreement_labels import labels_of_counts, labels_of_table, ratings_of

__all__ = [
    "COEFFICIENTS",
    "GWET",
    "KAPPA",
    "Ceiling",
    "ClassRates",
    "Confusion",
    "ceiling",
    "cohen_kappa",
    "confusion",
    "fleiss_kappa",
    "gwet_ac1",
    "gwet_ac2",
    "krippendorff_alpha",
    "labels_of_counts",
    "labels_of_table",
    "landis_koch",
    "percent_agreement",
]

_LANDIS_KOCH = ((0.20, "slight"), (0.40, "fair"), (0.60, "moderate"), (0.80, "substantial"))


def cohen_kappa(
    a: Any,
    b: Any,
    *,
    weights: Any = None,
    categories: Any = None,
    cluster: Any = None,
    **asked: Unpack[Asked],
) -> Estimate:
    """Do a judge and a human agree beyond chance? κ = (p_o − p_e)/(1 − p_e) with its interval.

    a, b : labels of the same items in the same order; None or nan where one gave none, and the item is left
    out. weights : "linear" or "quadratic" for grades, or a (Q, Q) table of disagreements (0 on the diagonal)
    or of agreements (1 there). Grades that are numbers count by their value, texts by the order of
    `categories`, which lists all labels that could have been given. cluster : label of what was drawn.
    method : `fce` (default), `jackknife_t` (default in clusters), `bca`; `donner_eliasziw` for two categories
    gives the intraclass kappa and its interval.
    extra : observed_agreement, expected_agreement, standard_error, chance_error (if all were chance).
    One class alone gives 0/0: nan with its reason. A class under 20 items carries the caveat `rare_class`.
    Raises PairingError for lists of different length, InputError for labels that are none.
    Sources: Cohen 1960, Educational and Psychological Measurement 20:37–46; Fleiss, Cohen & Everitt 1969.

    >>> judge, human = labels_of_table([[56, 4], [16, 24]])
    >>> kappa = cohen_kappa(judge, human)
    >>> print(kappa)
    kappa 0.5614 [0.3967, 0.7261] 95% fce n=100
    >>> round(kappa.extra["observed_agreement"], 3), round(kappa.extra["expected_agreement"], 3)
    (0.8, 0.544)
    """
    request = request_of(asked, "kappa" if weights is None else "weighted kappa")
    return kappa_estimate(ratings_of([a, b], categories, cluster), request, weights)


def fleiss_kappa(
    ratings: Any, *, categories: Any = None, cluster: Any = None, **asked: Unpack[Asked]
) -> Estimate:
    """Do several raters agree beyond chance, whoever of them rated which item? Fleiss' κ.

    ratings : one sequence of labels a rater, all items rated equally often (else krippendorff_alpha).
    categories, cluster : as for `cohen_kappa`. method : `jackknife_t` (default), `bca`.
    extra : observed_agreement, expected_agreement, chance_error (Fleiss, Nee & Landis 1979).
    Raises InputError where items have different numbers of labels; an item that nobody rated is left out.
    Source: Fleiss 1971, Psychological Bulletin 76:378–382.

    >>> ratings = labels_of_counts([[3, 0], [0, 3], [2, 1], [3, 0], [1, 2], [0, 3]])
    >>> print(fleiss_kappa(ratings))
    Fleiss kappa 0.5556 [-0.224, 1] 95% jackknife_t n=6
    """
    return fleiss_estimate(ratings_of(ratings, categories, cluster), request_of(asked, "Fleiss kappa"))


def krippendorff_alpha(
    ratings: Any,
    *,
    scale: str = "nominal",
    categories: Any = None,
    cluster: Any = None,
    **asked: Unpack[Asked],
) -> Estimate:
    """Do any number of raters agree beyond chance, with labels missing? Krippendorff's α = 1 − D_o/D_e.

    ratings : one sequence of labels a rater, None or nan where one gave none. Items with one label are left
    out. scale : "nominal", "ordinal" (order alone), "interval" or "ratio" (numbers). categories : their
    order, where they are texts on an ordinal scale. method : `jackknife_t` (default), `bca`.
    One value alone gives 0/0: nan with its reason. Raises InputError for texts on a scale of numbers.
    Source: Krippendorff 2011, Computing Krippendorff's Alpha-Reliability.

    >>> one, two, three = [1, 2, 3, 3, 2, 1, None], [1, 2, 3, 3, 2, 2, 5], [None, 3, 3, 3, 2, 3, 5]
    >>> print(krippendorff_alpha([one, two, three], scale="ordinal"))
    alpha (ordinal) 0.7207 [0.1547, 1] 95% jackknife_t n=7
    """
    request = request_of(asked, f"alpha ({scale})")
    return alpha_estimate(ratings_of(ratings, categories, cluster), request, scale)


def gwet_ac1(
    ratings: Any, *, categories: Any = None, cluster: Any = None, **asked: Unpack[Asked]
) -> Estimate:
    """Do raters agree beyond chance where one class is rare? Gwet's AC1, which does not collapse as κ does.

    ratings : one sequence of labels a rater; labels may be missing. categories : all labels that could have
    been given: one that nobody used still counts in what chance would do. method : `jackknife_t` (default),
    `linearised_t`, `bca`. extra["standard_error"] : of Gwet's linearised variance.
    Raises InputError with a single category. Source: Gwet 2008, BJMSP 61:29–48.

    >>> print(gwet_ac1(labels_of_table([[118, 5], [2, 0]])))
    AC1 0.9408 [0.8955, 0.9861] 95% jackknife_t n=125
    """
    return ac_estimate(ratings_of(ratings, categories, cluster), request_of(asked, "AC1"), None)


def gwet_ac2(
    ratings: Any,
    *,
    weights: Any = "quadratic",
    categories: Any = None,
    cluster: Any = None,
    **asked: Unpack[Asked],
) -> Estimate:
    """`gwet_ac1` for grades: labels that are near each other agree in part. Gwet's AC2.

    weights : "linear", "quadratic" or a table, as for `cohen_kappa`; the rest as for `gwet_ac1`.
    Source: Gwet 2014, Handbook of Inter-Rater Reliability, ch. 3.

    >>> print(gwet_ac2([[1, 2, 5, 5, 1, 2], [2, 2, 5, 1, 1, 1]], categories=(1, 2, 3, 4, 5)))
    AC2 0.5168 [-0.5346, 1] 95% jackknife_t n=6
    """
    return ac_estimate(ratings_of(ratings, categories, cluster), request_of(asked, "AC2"), weights)


def percent_agreement(ratings: Any, *, cluster: Any = None, **asked: Unpack[Asked]) -> Estimate:
    """How often do raters say the same? Of two, the share of items, with Wilson's interval.

    Of more than two, the share of pairs of raters that agree, in the mean over items, with the interval of a
    bounded score. What chance alone would give is not taken off: see `cohen_kappa`. In clusters as `mean`.

    >>> print(percent_agreement([["a", "b", "a", "a"], ["a", "b", "b", "a"]]))
    agreement 75.0% [30.1, 95.4] 95% wilson n=4
    """
    return percent_estimate(ratings_of(ratings, None, cluster), request_of(asked, "agreement"))


def landis_koch(kappa: float) -> str:
    """The word that Landis and Koch gave a κ: poor, slight, fair, moderate, substantial, almost perfect.

    A convention of 1977 without further reason; what a task needs is another question. Raises InputError for
    what is no κ. Source: Landis & Koch 1977, Biometrics 33:159–174.

    >>> landis_koch(0.56), landis_koch(-0.1)
    ('moderate', 'poor')
    """
    if not (math.isfinite(kappa) and kappa <= 1):
        raise InputError(f"kappa={kappa!r}: give a number of at most 1.")
    if kappa < 0:
        return "poor"
    return next((word for end, word in _LANDIS_KOCH if kappa <= end), "almost perfect")
