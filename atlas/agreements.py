"""Agreement beyond chance: seeded simulation of raters who know the label with some chance, else guess.

A rater gives an item's own label with probability `knows`, else one by the law of guesses. "even" and "rare"
are laws of labels; "turned" guesses by the law read backwards, so that the raters' margins differ.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from atlas import agreement_forms, called
from atlas.agreement_forms import ManyRatings
from atlas.draws import generator
from atlas.figure import Array, Figure, Limits, Row, figure
from evalstats.results import Estimate
from evalstats.subjects import agreement
from evalstats.subjects.agreement import COEFFICIENTS, GWET, KAPPA

SIZES = (20, 50, 100, 200)
LAWS = {
    "even": (0.5, 0.5),
    "rare": (0.9, 0.1),
    "three": (0.6, 0.3, 0.1),
    "five": (0.4, 0.3, 0.15, 0.1, 0.05),
}
_BCA_SIZES = (20, 50)
_SCALE = (-np.inf, 1.0)


class AgreementCell(NamedTuple):
    """what : the coefficient. law : of the labels; guesses : "same" law or "turned"; raters : how many."""

    what: str
    n: int
    law: str
    guesses: str
    knows: float
    raters: int


def given_label(cell: AgreementCell, rater: int) -> Array:
    """(Q, Q) P(label of a rater | the item's own); the first rater always guesses by the same law."""
    law = np.array(LAWS[cell.law])
    guess = law[::-1] if cell.guesses == "turned" and rater > 0 else law
    return cell.knows * np.eye(len(law)) + (1 - cell.knows) * guess


def joint(cell: AgreementCell, one: int, other: int) -> Array:
    """(Q, Q) P(labels of two raters)."""
    law = np.array(LAWS[cell.law])
    return np.asarray(given_label(cell, one).T @ (law[:, None] * given_label(cell, other)))


def truth_of(cell: AgreementCell) -> float:
    """What the coefficient is of infinitely many items."""
    pairs = [(i, j) for i in range(cell.raters) for j in range(i)]
    p = np.mean([joint(cell, *pair) for pair in pairs], axis=0)
    observed = float(np.trace(p))
    first, second = p.sum(axis=1), p.sum(axis=0)
    shares = (first + second) / 2
    if cell.what == "kappa":
        chance = float(first @ second)
    elif cell.what == "ac1":
        chance = float(np.sum(shares * (1 - shares))) / (len(shares) - 1)
    else:
        chance = float(np.sum(shares**2))
    return (observed - chance) / (1 - chance)


@lru_cache(maxsize=2)
def draw(cell: AgreementCell, draws: int) -> Array:
    """(draws, raters, n) labels."""
    rng, law = generator(cell, draws), np.array(LAWS[cell.law])
    own = rng.choice(len(law), size=(draws, cell.n), p=law)
    columns = []
    for rater in range(cell.raters):
        guess = law[::-1] if cell.guesses == "turned" and rater > 0 else law
        guessed = rng.choice(len(law), size=own.shape, p=guess)
        columns.append(np.where(rng.random(own.shape) < cell.knows, own, guessed))
    return np.stack(columns, axis=1)


def _coefficient(cell: AgreementCell, labels: Array, method: str, level: float) -> Estimate:
    asked: dict[str, Any] = {"method": method, "level": level, "n_boot": called.resamples(method)}
    categories = tuple(range(len(LAWS[cell.law])))
    ratings = labels.astype(int).tolist()
    if cell.what == "kappa":
        return agreement.cohen_kappa(*ratings, categories=categories, **asked)
    if cell.what == "ac1":
        return agreement.gwet_ac1(ratings, categories=categories, **asked)
    if cell.what == "fleiss":
        return agreement.fleiss_kappa(ratings, categories=categories, **asked)
    return agreement.krippendorff_alpha(ratings, categories=categories, **asked)


@lru_cache(maxsize=2)
def many(cell: AgreementCell, draws: int) -> ManyRatings:
    return ManyRatings.of_labels(cell.what, draw(cell, draws), len(LAWS[cell.law]))


_FORMS = {
    "fce": agreement_forms.fce,
    "jackknife_t": agreement_forms.jackknife_t,
    "linearised_t": agreement_forms.linearised_t,
}


def measure(cell: AgreementCell, method: str, level: float, draws: int) -> Figure | None:
    if method == "donner_eliasziw":
        return _goodness_of_fit(cell, level, draws)
    if method in _FORMS:
        x = many(cell, draws)
        limits = _FORMS[method](x, level)
        return figure(Limits(*limits, x.point, _SCALE).held(), truth_of(cell))
    if cell.n not in _BCA_SIZES or not called.at(level, method):
        return None
    found = (_coefficient(cell, labels, method, level) for labels in draw(cell, called.fewer(draws)))
    return called.of_estimates(found, truth_of(cell), _SCALE)


def _goodness_of_fit(cell: AgreementCell, level: float, draws: int) -> Figure | None:
    """Of two categories with equal margins, where the intraclass kappa is the same; by acceptance."""
    if len(LAWS[cell.law]) > 2 or cell.guesses != "same":
        return None
    x, truth = many(cell, draws), truth_of(cell)
    point = agreement_forms.intraclass(x)
    known = np.isfinite(point)
    kept = agreement_forms.donner_eliasziw_keeps(x, truth, level)
    missed = known & np.logical_not(kept)
    too_high, too_low = (float(np.mean(missed & (side * (point - truth) > 0))) for side in (1, -1))
    none = float(np.mean(~known))
    few = [_coefficient(cell, labels, "donner_eliasziw", level) for labels in draw(cell, draws)[:20]]
    width = float(np.nanmean([one.ci_high - one.ci_low for one in few]))
    return Figure(1 - too_high - too_low - none, too_high, too_low, none, width, draws)


def _rarest(cell: AgreementCell) -> float:
    """Items of the rarest class, as the first rater sees them."""
    return cell.n * float(joint(cell, 0, 1).sum(axis=1).min())


def _cells(what: tuple[str, ...], raters: tuple[int, ...]) -> tuple[AgreementCell, ...]:
    return tuple(
        AgreementCell(one, n, law, guesses, knows, count)
        for one in what
        for count in raters
        for n in SIZES
        for law in LAWS
        for guesses in ("same", "turned")
        for knows in (0.0, 0.4, 0.8)
    )


_NOTE = (
    "BCa with 1,000 resamples, on an eighth of the data sets, of 20 and 50 items. Informative units are "
    "items of the rarest class."
)
KAPPA_ROW = Row(
    key="kappa",
    title="Cohen's kappa",
    table=KAPPA,
    methods=("fce", "jackknife_t", "donner_eliasziw", "bca"),
    cells=_cells(("kappa",), (2,)),
    measure=measure,
    informative=_rarest,
    caveat="rare_class",
    how="simulated",
    note=_NOTE,
)
COEFFICIENT_ROW = Row(
    key="agreement",
    title="Fleiss' kappa and Krippendorff's alpha",
    table=COEFFICIENTS,
    methods=("jackknife_t", "bca"),
    cells=_cells(("fleiss", "alpha"), (3,)),
    measure=measure,
    informative=_rarest,
    caveat="few_items",
    how="simulated",
    note=_NOTE,
)
GWET_ROW = Row(
    key="gwet",
    title="Gwet's AC1",
    table=GWET,
    methods=("jackknife_t", "linearised_t", "bca"),
    cells=_cells(("ac1",), (2,)),
    measure=measure,
    informative=_rarest,
    caveat="few_items",
    how="simulated",
    note=_NOTE,
)
