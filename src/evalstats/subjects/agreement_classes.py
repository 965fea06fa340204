"""Class by class: how often the judge finds what the human sees (recall), and is right when it says so."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.errors import InputError
from evalstats.kernel.check import check_level
from evalstats.methods.items import ItemValues, Request
from evalstats.methods.means import item_mean_estimate
from evalstats.methods.rates import proportion
from evalstats.results import Estimate
from evalstats.subjects.agreement_labels import Ratings, label_of, ratings_of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ClassRates:
    """One class. recall : of the n_human items that the human put there, the share the judge did too.

    precision : of the n_judge items that the judge put there, the share the human did too.
    """

    category: str
    n_human: int
    n_judge: int
    n_both: int
    recall: Estimate
    precision: Estimate


@dataclass(frozen=True)
class Confusion:
    """categories : names. counts : one row a category of the human, one column a category of the judge."""

    categories: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    classes: tuple[ClassRates, ...]

    def __getitem__(self, category: Any) -> ClassRates:
        """The rates of one class, by its label or name. Raises InputError that lists them for another one."""
        name = str(label_of(category))
        if name not in self.categories:
            raise InputError(f"no class {category!r} here; there are: {', '.join(self.categories)}.")
        return self.classes[self.categories.index(name)]


def confusion(judge: Any, human: Any, *, categories: Any = None, level: float = 0.95) -> Confusion:
    """Which classes does the judge miss? The confusion matrix, with each class's recall and precision.

    judge, human : labels of the same items in the same order; items that lack one are left out. Rates are
    fractions with Wilson intervals; one of no items has no number, and says so.
    Raises as `cohen_kappa`. Source: Wilson 1927 for the intervals.

    >>> table = confusion(judge=[1] * 10, human=[1] * 9 + [0])
    >>> table.counts
    ((0, 1), (0, 9))
    >>> print(table[0].recall)
    recall of 0 0.0% [0.0, 79.3] 95% wilson n=1
    """
    return confusion_of(ratings_of([human, judge], categories), check_level(level))


def confusion_of(ratings: Ratings, level: float) -> Confusion:
    """Of two raters, the human first."""
    table = counts_of_two(ratings).astype(np.int64)
    names = tuple(str(name) for name in ratings.categories)
    both = ratings.at(ratings.given == 2)
    classes = tuple(_class(name, both, at, level) for at, name in enumerate(names))
    return Confusion(names, tuple(tuple(row) for row in table.tolist()), classes)


def counts_of_two(ratings: Ratings) -> Array:
    """(Q, Q): items by the first rater's label and the second's."""
    Q = len(ratings.categories)
    both = ratings.codes[:, ratings.given == 2]
    return np.bincount(both[0] * Q + both[1], minlength=Q * Q).reshape(Q, Q).astype(np.float64)


def _class(name: str, both: Ratings, at: int, level: float) -> ClassRates:
    """both : the items that both labelled."""
    human, judge = both.codes == at
    recall = _rate(f"recall of {name}", both.at(human), at, "the human", level)
    precision = _rate(f"precision of {name}", both.at(judge), at, "the judge", level)
    counts = (int(human.sum()), int(judge.sum()), int((human & judge).sum()))
    return ClassRates(name, *counts, recall, precision)


def _rate(name: str, there: Ratings, at: int, who: str, level: float) -> Estimate:
    """The share of the items that one put there which both did: Wilson, in clusters their form of it."""
    if not there.n_items:
        return _unknown(name, f"{who} put no item there (0/0)", level)
    y = np.all(there.codes == at, axis=0).astype(np.float64)
    if there.cluster is None:
        return proportion(int(y.sum()), len(y), level=level, name=name)
    if int(there.cluster.max()) == 0:
        one = _unknown(name, "all its items are in one cluster", level)
        known = {key: why for key, why in one.extra["undefined"].items() if key != "point"}
        return dataclasses.replace(
            one, point=float(y.mean()), n=len(y), extra={**one.extra, "undefined": known}
        )
    return item_mean_estimate(ItemValues(y, True, (0.0, 1.0), there.cluster), Request(level, name=name))


def _unknown(name: str, reason: str, level: float) -> Estimate:
    undefined = dict.fromkeys(("point", "ci_low", "ci_high", "standard_error"), reason)
    extra = {"undefined": undefined, "unit": "fraction", "standard_error": math.nan, "caveats": []}
    return Estimate(name, math.nan, math.nan, math.nan, level, "wilson", 0, extra=extra)
