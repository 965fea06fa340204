"""Rates and scores by a judge: corrected for known and estimated error rates, and by a labelled part."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from atlas.array_forms import Pair, wilson
from atlas.draws import generator
from atlas.figure import Array, Figure, Limits, Row, figure
from atlas.rates import binomial_weights
from evalstats.numeric import z_of
from evalstats.subjects.judge_ppi import PPI
from evalstats.subjects.judge_rates import ESTIMATED, KNOWN

SHARES = (0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99)
JUDGES = ((0.95, 0.95), (0.9, 0.8), (0.7, 0.9))
_UNIT, _DIFFERENCE = (0.0, 1.0), (-1.0, 1.0)
REDRAWN = 0.3  # of the items have an answer of their own in the candidate


class KnownCell(NamedTuple):
    """share : of right answers. Se, Sp : of the judge, known."""

    n: int
    share: float
    Se: float
    Sp: float


class EstimatedCell(NamedTuple):
    """The same, with Se and Sp estimated from so many right and wrong answers."""

    n: int
    n_right: int
    n_wrong: int
    share: float
    Se: float
    Sp: float


class PredictedCell(NamedTuple):
    """what : a rate or a paired difference; labelled of them by people, unlabelled by the judge alone."""

    what: str
    labelled: int
    unlabelled: int
    share: float
    Se: float
    Sp: float


def passed(cell: KnownCell | EstimatedCell | PredictedCell) -> float:
    """The share that the judge passes."""
    return cell.share * cell.Se + (1 - cell.share) * (1 - cell.Sp)


def corrected(p: Array, Se: Array | float, Sp: Array | float) -> Array:
    """(p + Sp − 1)/J."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((p + Sp - 1) / (np.asarray(Se) + Sp - 1))


def measure_known(cell: KnownCell, method: str, level: float, draws: int) -> Figure:
    weights = binomial_weights(cell.n, passed(cell))
    p = np.arange(cell.n + 1) / cell.n
    low, high = (
        corrected(limit, cell.Se, cell.Sp) for limit in wilson(p, np.asarray(float(cell.n)), z_of(level))
    )
    point = np.clip(corrected(p, cell.Se, cell.Sp), 0.0, 1.0)
    return figure(Limits(low, high, point, _UNIT).held(), cell.share, weights)


@lru_cache(maxsize=2)
def draw_rates(cell: EstimatedCell, draws: int) -> tuple[Array, Array, Array]:
    """Apparent rate, sensitivity and specificity as seen, of each data set."""
    rng = generator(cell, draws)
    counts = ((cell.n, passed(cell)), (cell.n_right, cell.Se), (cell.n_wrong, cell.Sp))
    p, Se, Sp = (rng.binomial(n, rate, size=draws) / n for n, rate in counts)
    return p, Se, Sp


def lang_reiczigel(p: Array, Se: Array, Sp: Array, sizes: tuple[int, int, int], level: float) -> Pair:
    z, (n, n_Se, n_Sp) = z_of(level), sizes
    p = (n * p + z**2 / 2) / (n + z**2)
    Se, Sp = (n_Se * Se + 1) / (n_Se + 2), (n_Sp * Sp + 1) / (n_Sp + 2)
    theta, v_Se, v_Sp = corrected(p, Se, Sp), Se * (1 - Se) / (n_Se + 2), Sp * (1 - Sp) / (n_Sp + 2)
    centre = theta + 2 * z**2 * (theta * v_Se - (1 - theta) * v_Sp)
    spread = p * (1 - p) / (n + z**2) + theta**2 * v_Se + (1 - theta) ** 2 * v_Sp
    half = z * np.sqrt(spread) / (Se + Sp - 1)
    return centre - half, centre + half


def delta(p: Array, Se: Array, Sp: Array, sizes: tuple[int, int, int], level: float) -> Pair:
    (n, n_Se, n_Sp), theta = sizes, corrected(p, Se, Sp)
    spread = p * (1 - p) / n + theta**2 * Se * (1 - Se) / n_Se + (1 - theta) ** 2 * Sp * (1 - Sp) / n_Sp
    half = z_of(level) * np.sqrt(spread) / (Se + Sp - 1)
    return theta - half, theta + half


def identifiable(Se: Array, Sp: Array, sizes: tuple[int, int, int], level: float) -> Array:
    """Newcombe's lower limit of J = Se − (1 − Sp) is above 0."""
    z, right, wrong = z_of(level), *np.array(sizes[1:], dtype=np.float64)
    lowest, highest = wilson(Se, right, z)[0], wilson(1 - Sp, wrong, z)[1]
    J = Se + Sp - 1
    return np.asarray((J > 0) & (J - np.hypot(Se - lowest, highest - (1 - Sp)) > 0))


def measure_estimated(cell: EstimatedCell, method: str, level: float, draws: int) -> Figure:
    p, Se, Sp = draw_rates(cell, draws)
    sizes = (cell.n, cell.n_right, cell.n_wrong)
    with np.errstate(divide="ignore", invalid="ignore"):
        form = {"lang_reiczigel": lang_reiczigel, "rogan_gladen_delta": delta}[method]
        limits = form(p, Se, Sp, sizes, level)
        point = np.clip(corrected(p, Se, Sp), 0.0, 1.0)
    known = identifiable(Se, Sp, sizes, level)  # refused where it is not
    low, high = (np.where(known, limit, np.nan) for limit in limits)
    return figure(Limits(low, high, point, _UNIT).held(), cell.share)


def _judged(cell: PredictedCell, right: Array, rng: np.random.Generator) -> Array:
    rate = np.where(right == 1, cell.Se, 1 - cell.Sp)
    return np.asarray(rng.random(right.shape) < rate, dtype=np.float64)


def _answers(cell: PredictedCell, shape: tuple[int, int], rng: np.random.Generator) -> tuple[Array, Array]:
    """Labels and judge's scores, or the differences of two runs in both."""
    old, other = (np.asarray(rng.random(shape) < cell.share, dtype=np.float64) for _ in range(2))
    if cell.what == "rate":
        return old, _judged(cell, old, rng)
    new = np.where(rng.random(shape) < REDRAWN, other, old)
    judged = np.where(new == old, 0.0, _judged(cell, new, rng) - _judged(cell, old, rng))
    return new - old, judged


@lru_cache(maxsize=2)
def draw_predicted(cell: PredictedCell, draws: int) -> tuple[Array, Array, Array, Array]:
    """(draws, labelled) labels and judge's scores; mean and mean square of the unlabelled ones'."""
    rng = generator(cell, draws)
    Y, Y_hat = _answers(cell, (draws, cell.labelled), rng)
    means, squares = [], []
    for start in range(0, draws, 500):
        F = _answers(cell, (min(500, draws - start), cell.unlabelled), rng)[1]
        means.append(F.mean(axis=1))
        squares.append((F**2).mean(axis=1))
    return Y, Y_hat, np.concatenate(means), np.concatenate(squares)


def ppi(drawn: tuple[Array, Array, Array, Array], N: int, tuned: bool, level: float) -> tuple[Pair, Array]:
    """Limits and points of PPI, and of PPI++ with λ from the data."""
    Y, Y_hat, F, F_squares = drawn
    n = Y.shape[1]
    v_F = F_squares - F**2
    lam = np.ones(len(F))
    if tuned:
        centred = Y_hat - Y_hat.mean(axis=1, keepdims=True)
        together = np.sum((Y - Y.mean(axis=1, keepdims=True)) * centred, axis=1) / (n - 1)
        mean = (Y_hat.sum(axis=1) + N * F) / (n + N)
        spread = ((Y_hat**2).sum(axis=1) + N * F_squares) / (n + N) - mean**2
        some = spread > 1e-12
        lam = np.where(some, np.clip(together / ((1 + n / N) * np.where(some, spread, 1.0)), 0.0, 1.0), 0.0)
    point = Y.mean(axis=1) + lam * (F - Y_hat.mean(axis=1))
    v = (Y - lam[:, None] * Y_hat).var(axis=1) / n + lam**2 * v_F / N
    half = np.where(v > 1e-14, z_of(level) * np.sqrt(np.maximum(v, 0.0)), np.nan)
    return (point - half, point + half), point


def measure_predicted(cell: PredictedCell, method: str, level: float, draws: int) -> Figure:
    drawn = draw_predicted(cell, draws)
    (low, high), point = ppi(drawn, cell.unlabelled, method == "ppi_plus_plus", level)
    scale, truth = (_UNIT, cell.share) if cell.what == "rate" else (_DIFFERENCE, 0.0)
    return figure(Limits(low, high, np.clip(point, *scale), scale).held(), truth)


def _disagreements(cell: PredictedCell) -> float:
    Y, Y_hat, *_ = draw_predicted(cell, 500)
    return float(np.mean(np.count_nonzero(Y_hat - Y, axis=1)))


KNOWN_ROW = Row(
    key="judge_known",
    title="A pass rate by a judge whose error rates are known",
    table=KNOWN,
    methods=("rogan_gladen_wilson",),
    cells=tuple(
        KnownCell(n, share, *judge) for n in (20, 50, 200, 1000) for share in SHARES for judge in JUDGES
    ),
    measure=measure_known,
    informative=lambda cell: cell.n * min(passed(cell), 1 - passed(cell)),
    caveat="few_informative",
)
ESTIMATED_ROW = Row(
    key="judge_estimated",
    title="A pass rate by a judge whose error rates were estimated",
    table=ESTIMATED,
    methods=("lang_reiczigel", "rogan_gladen_delta"),
    cells=tuple(
        EstimatedCell(n, *labels, share, *judge)
        for n in (100, 500, 5000)
        for labels in ((20, 20), (50, 50), (200, 50), (200, 200))
        for share in SHARES
        for judge in JUDGES
    ),
    measure=measure_estimated,
    informative=lambda cell: min(
        cell.n * min(passed(cell), 1 - passed(cell)),
        cell.n_right * (1 - cell.Se),
        cell.n_wrong * (1 - cell.Sp),
    ),
    caveat="few_informative",
    how="simulated",
    note="Informative units are the judge's expected errors in the rarer kind of labels.",
)
PREDICTED_ROW = Row(
    key="judge_ppi",
    title="A score by a judge, with a random part labelled by people",
    table=PPI,
    methods=("ppi_plus_plus", "ppi"),
    cells=tuple(
        PredictedCell(what, labelled, unlabelled, share, *judge)
        for what in ("rate", "difference")
        for labelled in (20, 50, 100, 200, 500)
        for unlabelled in (500, 2000)
        for share in (0.5, 0.8, 0.95)
        for judge in JUDGES
    ),
    measure=measure_predicted,
    informative=_disagreements,
    caveat="few_disagreements",
    how="simulated",
    note="Informative units are labelled items on which judge and label disagree; differences are truly 0.",
)
