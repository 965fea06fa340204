"""Is the judge as good as another human? Judge–human agreement against human–human, on the same items."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from evalstats.errors import InputError
from evalstats.kernel.method import MethodTable
from evalstats.methods.items import Request
from evalstats.numeric import two_sided_t
from evalstats.results import Estimate, TestResult
from evalstats.subjects import agreement_coefficients as coefficients
from evalstats.subjects.agreement_coefficients import Coefficient, mean_of
from evalstats.subjects.agreement_estimates import measured_estimate
from evalstats.subjects.agreement_intervals import COEFFICIENTS, Asked, request_of
from evalstats.subjects.agreement_labels import Ratings, ratings_of
from evalstats.subjects.agreement_weights import agreement_weights

MEASURES = ("kappa", "ac1", "alpha", "agreement")
DIFFERENCE: MethodTable = dataclasses.replace(
    COEFFICIENTS, situation="judge–human less human–human agreement"
)


@dataclass(frozen=True)
class Ceiling:
    """judge : mean agreement of the judge with each human. human : of each two humans. n : common items.

    difference : judge − human. test : whether it is 0, by the jackknife over items.
    """

    judge: Estimate
    human: Estimate
    difference: Estimate
    test: TestResult
    n: int


def ceiling(
    judge: Any,
    humans: Any,
    *,
    measure: str = "kappa",
    weights: Any = None,
    categories: Any = None,
    cluster: Any = None,
    **asked: Unpack[Asked],
) -> Ceiling:
    """Does the judge agree with humans as well as humans agree with each other? The difference, tested.

    judge : labels, one an item. humans : two or more such lists. Only items that all of them labelled count,
    so that both agreements are of the same items. measure : kappa (weighted with weights), ac1, alpha
    (nominal) or agreement; each is of two raters, in the mean over pairs. method : of the intervals,
    `jackknife_t` (default) or `bca` (n_boot, seed : of its draws), over items, or over clusters. The test is
    the jackknife's t of the difference, n − 1 df. name : of what is measured, in place of the measure's.
    Raises InputError for fewer than two humans, and where no item was labelled by all.
    Source: Tukey 1958, Annals of Mathematical Statistics 29:614 (jackknife).

    >>> one, two = [1, 1, 0, 0, 1, 0, 1, 1, 0, 1], [1, 1, 0, 0, 1, 0, 1, 0, 0, 1]
    >>> found = ceiling([1, 0, 0, 1, 1, 0, 1, 1, 0, 1], [one, two])
    >>> round(found.judge.point, 3), round(found.human.point, 3), round(found.difference.point, 3)
    (0.492, 0.8, -0.308)
    """
    ratings = ratings_of([judge, *_listed(humans)], categories, cluster)
    return ceiling_of(ratings, request_of(asked, measure), measure, weights)


def _listed(humans: Any) -> list[Any]:
    found = list(humans)
    if len(found) < 2:
        raise InputError(f"{len(found)} human came: how well humans agree takes two or more lists of labels.")
    return found


def ceiling_of(
    ratings: Ratings, request: Request, measure: str = "kappa", weights: Any = None, scale: str = "nominal"
) -> Ceiling:
    """Of checked ratings, the judge first. scale : of alpha."""
    common = ratings.given == ratings.n_raters
    if not common.any():
        raise InputError("no item was labelled by the judge and all humans: there is nothing to compare.")
    shared = ratings.at(common)
    humans = range(1, ratings.n_raters)
    judged = [_pair(shared.of((0, h)), measure, weights, scale) for h in humans]
    human = [_pair(shared.of(pair), measure, weights, scale) for pair in itertools.combinations(humans, 2)]
    with_judge, among = _shares(judged), _shares(human)
    less = tuple(-share for share in among)
    called = request.name or measure
    both = mean_of([*judged, *human], [*with_judge, *less])
    found = [
        measured_estimate(coefficient, shared, dataclasses.replace(request, name=name), DIFFERENCE)
        for name, coefficient in (
            (f"{called}, judge with humans", mean_of(judged, with_judge)),
            (f"{called}, humans with humans", mean_of(human, among)),
            (f"{called}, judge less humans", both),
        )
    ]
    return Ceiling(found[0], found[1], found[2], _test(found[2], both, shared), int(common.sum()))


def _shares(pairs: Sequence[Coefficient]) -> tuple[float, ...]:
    return (1 / len(pairs),) * len(pairs)


def _pair(ratings: Ratings, measure: str, weights: Any, scale: str) -> Coefficient:
    if weights is not None and measure != "kappa":
        raise InputError(f"weights are for kappa: the ceiling by {measure} takes none.")
    if measure == "kappa":
        return coefficients.cohen(ratings, agreement_weights(weights, ratings))
    if measure == "ac1":
        return coefficients.gwet(ratings)
    if measure == "alpha":
        return coefficients.krippendorff(ratings, scale)
    if measure == "agreement":
        return coefficients.pairwise(ratings)
    raise InputError(f"measure={measure!r} must be one of: {', '.join(MEASURES)}.")


def _test(difference: Estimate, coefficient: Coefficient, ratings: Ratings) -> TestResult:
    """t = difference/se by the jackknife over units, whatever the interval is by."""
    found = measured_estimate(coefficient, ratings, Request(name=difference.name), DIFFERENCE)
    extra: dict[str, Any] = {"unit": "score", "statistic_kind": "t"}
    se = found.standard_error
    if not (math.isfinite(se) and se > 0):
        reason = found.extra["undefined"]["standard_error"]
        unknown = ("statistic", "pvalue", *(("effect",) if math.isnan(found.point) else ()))
        extra["undefined"] = dict.fromkeys(unknown, reason)
        return TestResult(difference.name, math.nan, math.nan, found.point, "jackknife_t", found.n, extra)
    df = float(found.extra["df"])
    t = found.point / se
    extra |= {"df": df, "standard_error": se}
    return TestResult(difference.name, t, two_sided_t(t, df), found.point, "jackknife_t", found.n, extra)


def judge_labels_of_majority(ratings: Ratings) -> tuple[Ratings, int]:
    """The humans' commonest label first and the judge's second, and how many items had no commonest one."""
    votes = coefficients.category_counts(ratings.of(range(1, ratings.n_raters)))
    most = votes.max(axis=1)
    decided = (most > 0) & ((votes == most[:, None]).sum(axis=1) == 1)
    majority = np.where(decided, votes.argmax(axis=1), -1)
    tied = int(((most > 0) & ~decided).sum())
    return dataclasses.replace(ratings, codes=np.stack([majority, ratings.codes[0]])), tied
