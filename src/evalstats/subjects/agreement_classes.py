"""Class by class: how often the judge finds what the human sees (recall), and is right when it says so."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.kernel.check import check_level
from evalstats.methods.rates import proportion
from evalstats.results import Estimate
from evalstats.subjects.agreement_labels import Ratings, ratings_of

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
        """The rates of one class, by its name."""
        return self.classes[self.categories.index(str(category))]


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
    classes = tuple(_class(name, table, at, level) for at, name in enumerate(names))
    return Confusion(names, tuple(tuple(row) for row in table.tolist()), classes)


def counts_of_two(ratings: Ratings) -> Array:
    """(Q, Q): items by the first rater's label and the second's."""
    Q = len(ratings.categories)
    both = ratings.codes[:, ratings.given == 2]
    return np.bincount(both[0] * Q + both[1], minlength=Q * Q).reshape(Q, Q).astype(np.float64)


def _class(name: str, table: NDArray[np.int64], at: int, level: float) -> ClassRates:
    both, n_human, n_judge = int(table[at, at]), int(table[at].sum()), int(table[:, at].sum())
    recall = _rate(f"recall of {name}", both, n_human, "the human", level)
    precision = _rate(f"precision of {name}", both, n_judge, "the judge", level)
    return ClassRates(name, n_human, n_judge, both, recall, precision)


def _rate(name: str, k: int, n: int, who: str, level: float) -> Estimate:
    if n:
        return proportion(k, n, level=level, name=name)
    reason = f"{who} put no item there (0/0)"
    undefined = dict.fromkeys(("point", "ci_low", "ci_high", "standard_error"), reason)
    extra = {"undefined": undefined, "unit": "fraction", "standard_error": math.nan, "caveats": []}
    return Estimate(name, math.nan, math.nan, math.nan, level, "wilson", 0, extra=extra)
