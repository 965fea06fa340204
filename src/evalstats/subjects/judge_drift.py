"""Is it still the same judge? The same frozen answers, the anchors, judged before and after."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.errors import InputError
from evalstats.kernel.arrays import (
    Bounds,
    Codes,
    check_bounds,
    check_inside,
    check_labels,
    check_scores,
    scale_of,
)
from evalstats.methods.corrections import holm
from evalstats.methods.difference_tests import paired_test
from evalstats.methods.differences import item_difference
from evalstats.methods.items import ItemValues, Request
from evalstats.methods.margins import verdict
from evalstats.methods.mcnemar import mcnemar_counts
from evalstats.methods.means import item_mean_estimate
from evalstats.methods.paired_intervals import paired_counts
from evalstats.methods.pairs import PairedItems
from evalstats.results import Estimate, TestResult

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Drift:
    """One figure of the judge on the anchors, before and after. difference : after − before.

    name : mean verdict; agreement with labels (of a scale that is not 0 to 1 the distance to them).
    test : of two rows McNemar's mid-p, of one the exact test; of scores the paired t. adjusted : its p by
    Holm over two rows, nan for one. verdict : drifted, drifted_within_margin, equivalent, not_shown.
    """

    name: str
    before: Estimate
    after: Estimate
    difference: Estimate
    test: TestResult
    adjusted: float
    verdict: str


@dataclass(frozen=True)
class AnchorDrift:
    """changed : share of anchors with another verdict. rows : mean verdict, and agreement where labelled.

    verdict : drifted if a row has; equivalent if every row lies inside the margin; else not_shown.
    """

    rows: tuple[Drift, ...]
    changed: Estimate
    verdict: str


def anchor_drift(
    before: Any,
    after: Any,
    labels: Any = None,
    cluster: Any = None,
    *,
    margin: float | None = None,
    bounds: Any = None,
    level: float = 0.95,
) -> AnchorDrift:
    """Has the judge drifted? Its verdicts on the same anchors, paired, against stored labels if there are.

    before, after : (anchors,) verdicts, 0/1 or scores; labels : (anchors,) by people, on the same scale, None
    where there is none.
    margin : a change that is still fine, in the score's unit; only with one can the answer be "equivalent":
    a drift that is not shown may still be there.
    A row has drifted where its interval excludes 0 and its test, with Holm's correction over the rows,
    lights. Raises InputError for lists of unequal length and labels outside the scale.

    >>> found = anchor_drift([1] * 60 + [0] * 40, [1] * 45 + [0] * 55)
    >>> print(found.rows[0].difference, found.verdict)
    mean verdict -15.0% [-23.3, -9.3] 95% tango n=100 drifted
    """
    old, new = check_scores(before, "before"), check_scores(after, "after")
    for name, values in (("after", new), ("labels", labels)):
        if values is not None and len(values) != len(old):
            raise InputError(f"{len(old)} verdicts before and {len(values)} of {name}: give one an anchor.")
    told = np.array([label is not None for label in ([] if labels is None else labels)], dtype=bool)
    people = check_scores([label for label in labels if label is not None], "labels") if told.any() else None
    asked = check_bounds(bounds)
    together = np.concatenate([old, new] if people is None else [old, new, people])
    if asked is not None:
        check_inside(together, asked)
    scale = scale_of(together, asked)[0]
    codes = None if cluster is None else check_labels(cluster, len(old), "cluster")[0]
    family = people is not None
    found = [_compared(("mean verdict", old, new, scale), codes, level, family)]
    if people is not None:
        within = None if codes is None else codes[told]
        shown = _against_labels((old[told], new[told]), people, scale)
        found.append(_compared(shown, within, level, family))
    rows = _judged(found, margin, level)
    moved = (old != new).astype(np.float64)
    changed = item_mean_estimate(
        ItemValues(moved, True, (0.0, 1.0), codes), Request(level, name="changed verdicts")
    )
    return AnchorDrift(rows, changed, _together([row.verdict for row in rows]))


Shown = tuple[str, Array, Array, Bounds | None]
Compared = tuple[str, Estimate, Estimate, Estimate, TestResult]


def _against_labels(verdicts: tuple[Array, Array], people: Array, scale: Bounds | None) -> Shown:
    """1 − |verdict − label| from 0 to 1, which is 1 where both say the same; else the distance."""
    away = [np.abs(one - people) for one in verdicts]
    if scale == (0.0, 1.0):
        return ("agreement with labels", 1 - away[0], 1 - away[1], scale)
    reach = None if scale is None else (0.0, scale[1] - scale[0])
    return ("distance to labels", away[0], away[1], reach)


def _compared(shown: Shown, codes: Codes | None, level: float, family: bool) -> Compared:
    name, old, new, scale = shown
    whole = scale == (0.0, 1.0) and bool(np.isin(np.concatenate([old, new]), (0.0, 1.0)).all())
    pair = PairedItems(old, new, whole, scale, codes)
    sides = [
        item_mean_estimate(ItemValues(one, whole, scale, codes), Request(level, name=f"{name}, {when}"))
        for one, when in ((old, "before"), (new, "after"))
    ]
    difference = item_difference(pair, Request(level, name=name))
    return name, sides[0], sides[1], difference, _test(pair, name, family)


def _test(pair: PairedItems, name: str, family: bool) -> TestResult:
    """In a family the mid-p, so that what is adjusted is what is shown."""
    test = paired_test(pair, name=name)
    if not (family and test.method == "mcnemar_exact"):
        return test
    baseline_only, candidate_only, n, _ = paired_counts(pair)
    mid_p = mcnemar_counts(baseline_only, candidate_only, n, method="mid_p", name=name)
    return replace(test, method=mid_p.method, pvalue=mid_p.pvalue, extra={**test.extra, **mid_p.extra})


def _judged(found: list[Compared], margin: float | None, level: float) -> tuple[Drift, ...]:
    """The rows with their verdicts: Holm over them, so that two rows light no oftener than one."""
    alone = len(found) == 1
    corrected = holm([test.pvalue for *_, test in found], alpha=1 - level)
    rows = []
    for at, (name, old, new, difference, test) in enumerate(found):
        adjusted = math.nan if alone else float(corrected["adjusted"][at])
        read = verdict(difference, margin, reject=None if alone else bool(corrected["reject"][at]))
        moved = read.direction != "not_settled"
        inside = read.margin_verdict == "equivalent"
        words = {(True, True): "drifted_within_margin", (True, False): "drifted", (False, True): "equivalent"}
        said = words.get((moved, inside), "not_shown")
        rows.append(Drift(name, old, new, difference, test, adjusted, said))
    return tuple(rows)


def _together(verdicts: list[str]) -> str:
    """The worst of them."""
    order = ("drifted", "not_shown", "drifted_within_margin", "equivalent")
    if "drifted" not in verdicts and "not_shown" in verdicts and "drifted_within_margin" in verdicts:
        return "drifted"  # one row has moved, and the other may have moved beyond the margin
    return next(one for one in order if one in verdicts)
