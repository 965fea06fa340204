"""Has a model seen the test? Scores before against after a cut-off, and the order in which it knows items.

Items that were rewritten are two runs on the same items: `mean_difference` and `compare`.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.errors import InputError
from evalstats.kernel.arrays import Codes, check_scores
from evalstats.kernel.method import Method, MethodTable
from evalstats.methods.differences import difference_test, item_difference
from evalstats.methods.items import ItemValues, Request, item_values
from evalstats.methods.pairs import PairedItems, UnpairedItems, paired_items
from evalstats.methods.unpaired import of_sides
from evalstats.numeric import order_free_sum
from evalstats.results import Estimate, TestResult

Array = NDArray[np.float64]
_TIE = 1e-12  # of the largest value: closer ones are equal, and ties count


def cut_off(
    scores: Any,
    after: Any,
    candidate: Any = None,
    *,
    cluster: Any = None,
    bounds: Any = None,
    level: float = 0.95,
    method: str | None = None,
    name: str = "after − before",
) -> tuple[Estimate, TestResult]:
    """Did scores fall on the items that are newer than the training data? After − before, and its test.

    scores : (n,) of one run, or of the baseline. after : (n,) True for items from after the cut-off.
    candidate : (n,) of a second run on the same items, in the same order: then it is the difference of
    differences, (candidate − baseline after) − (candidate − baseline before), by Welch. A model that saw the
    old items gains more on these than one that did not, so that it is below zero for such a candidate.
    cluster, bounds, level, method : as for `mean_difference`. Of one run pass/fail scores take Newcombe's
    interval and the pooled z, others Welch; in clusters CR2.
    Raises InputError where no item is before or none after the cut-off, MethodError as `mean_difference`.
    Source: Welch 1947, Biometrika 34:28–35.

    >>> old, new = [1, 1, 1, 0, 1, 1, 1, 1, 0, 1] * 6, [1, 0, 1, 0, 0, 1, 0, 1, 0, 1] * 6
    >>> estimate, test = cut_off(old + new, [False] * 60 + [True] * 60)
    >>> print(estimate)
    after − before -30.0% [-44.7, -13.0] 95% newcombe_unpaired n=120
    >>> reference = [1, 0, 1, 0, 0, 1, 0, 1, 1, 1] * 6
    >>> estimate, test = cut_off(reference + new, [False] * 60 + [True] * 60, candidate=old + new)
    >>> print(test)
    after − before p = 0.013, effect -20.0 points, welch n=120
    """
    request = Request(level, method, name=name)
    unit = None
    if candidate is None:
        values = item_values(scores, cluster, None, bounds)
        mask = _mask(after, values.n)
        parts = UnpairedItems(_of_run(values, ~mask), _of_run(values, mask))
    else:
        pairs = paired_items(scores, candidate, cluster, None, bounds)
        mask = _mask(after, pairs.n)
        parts, unit = differences_apart(pairs, ~mask, mask), pairs.unit
    return cut_off_of(parts, request, unit)


def cut_off_of(
    parts: UnpairedItems, request: Request, unit: str | None = None
) -> tuple[Estimate, TestResult]:
    """After − before of items that are put apart already: what the analyses call.

    unit : in which people read it, where it is not that of the items' scale (differences of fractions).
    """
    estimate = of_sides(item_difference(parts, request), ("before", "after"))
    test = difference_test(parts, name=request.name)
    if unit is None:
        return estimate, test
    return (
        dataclasses.replace(estimate, extra={**estimate.extra, "unit": unit}),
        dataclasses.replace(test, extra={**test.extra, "unit": unit}),
    )


def differences_apart(
    pairs: PairedItems, before: NDArray[np.bool_], after: NDArray[np.bool_]
) -> UnpairedItems:
    """The item differences before and after, where either is true; there must be some of both."""
    bounds = None if pairs.bounds is None else pairs.scale
    d = ItemValues(pairs.d, False, bounds, pairs.cluster, scale_assumed=pairs.scale_assumed)
    return UnpairedItems(_of_run(d, before), _of_run(d, after))


def _of_run(values: ItemValues, at: NDArray[np.bool_]) -> ItemValues:
    codes = None if values.cluster is None else _recoded(values.cluster[at])
    return ItemValues(
        values.y[at], values.pass_fail, values.bounds, codes, scale_assumed=values.scale_assumed
    )


def _recoded(codes: Codes) -> Codes:
    return np.unique(codes, return_inverse=True)[1].astype(np.intp)


def _mask(after: Any, n: int) -> NDArray[np.bool_]:
    try:
        mask = np.asarray(after)
    except ValueError:
        mask = np.empty((0, 0))
    if mask.shape != (n,) or not np.isin(mask, (False, True)).all():
        raise InputError(f"after: give True or False for each of the {n} items, True if it is newer.")
    if mask.all() or not mask.any():
        side = "before" if mask.all() else "after"
        raise InputError(
            f"after: no item is {side} the cut-off, so that there is nothing to compare. Choose another."
        )
    return mask.astype(bool)


def order_test(canonical: Any, shuffled: Any, *, name: str = "order") -> TestResult:
    """Does a model know a test set in its published order better than in others? Then it saw the file.

    canonical : the log-likelihood of the items in the order in which they were published. shuffled : (B,)
    log-likelihoods of the same items in random orders. If the model never saw the file, every order is as
    likely: p = (1 + #{shuffled ≥ canonical})/(1 + B), one-sided, exact at any B and for any model. effect :
    canonical − mean of the shuffled ones. n : B. The smallest p that B orders can show is in
    extra["smallest_pvalue"]: 19 orders for .05, 99 for .01.
    The items must be exchangeable to begin with: sorted or numbered ones are not.
    Raises InputError for what is no number, and without a shuffled order.
    Source: Oren et al. 2024, ICLR, arXiv:2310.17623, §3.1.

    >>> print(order_test(-1200.5, [-1212.0, -1209.3, -1215.8, -1210.1] * 5))
    order p = 0.048, effect +11.3, order_permutation n=20
    """
    (own,) = check_scores([canonical], "canonical")
    others = check_scores(shuffled, "shuffled")
    tie = _TIE * max(abs(float(own)), float(np.max(np.abs(others))))
    pvalue = order_pvalue(float(own), others, tie)
    extra: dict[str, Any] = {
        "unit": "score",
        "why": "orders are exchangeable",
        "statistic_kind": "log-likelihood of the published order",
        "smallest_pvalue": 1 / (1 + len(others)),
    }
    effect = float(own) - order_free_sum(others) / len(others)
    return TestResult(name, float(own), pvalue, effect, METHODS.default.name, len(others), extra)


def order_pvalue(canonical: float, shuffled: Array, tie: float = 0.0) -> float:
    """(1 + #{shuffled ≥ canonical})/(1 + B)."""
    return (1 + int(np.count_nonzero(shuffled >= canonical - tie))) / (1 + len(shuffled))


METHODS = MethodTable(
    situation="the order in which a model knows a test set",
    methods=(
        Method(
            "order_permutation",
            order_pvalue,
            "Oren et al. 2024, ICLR, arXiv:2310.17623",
            role="default",
            label="permutation of orders",
            proof="proved",
        ),
    ),
)
