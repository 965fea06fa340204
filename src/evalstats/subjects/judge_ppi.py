"""A score that a judge gave to all items and people to a few: prediction-powered inference.

Y : labels, Ŷ : the judge's scores of the same n items, F : its scores of the N items without a label.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.caveats import caveat
from evalstats.errors import InputError, PairingError
from evalstats.kernel.arrays import Bounds, check_bounds, check_inside, check_scores, scale_of
from evalstats.kernel.limits import Interval, NoInterval, held
from evalstats.kernel.method import Method, MethodTable
from evalstats.methods.assembled import assembled
from evalstats.methods.cautions import scale_assumed
from evalstats.methods.items import Request
from evalstats.methods.pairs import reach
from evalstats.numeric import order_free_sum, z_of
from evalstats.results import Estimate

Array = NDArray[np.float64]
FEW_DISAGREEMENTS = 20
FEW_OF_A_KIND = 10


@dataclass(frozen=True)
class Predicted:
    """Labels and judge scores, or differences of two runs in both. bounds : of the scale, None without.

    assumed : the bounds were taken from the values.
    """

    labels: Array
    judge_labelled: Array
    judge_unlabelled: Array
    bounds: Bounds | None = None
    assumed: bool = False

    @property
    def disagreements(self) -> int:
        return int(np.count_nonzero(self.labels != self.judge_labelled))

    @property
    def of_rarer(self) -> int | None:
        """The labels of the rarer kind, right or wrong, of a pass/fail score; None for any other score."""
        if self.bounds != (0.0, 1.0) or not bool(np.isin(self.labels, (0.0, 1.0)).all()):
            return None
        right = int(np.count_nonzero(self.labels))
        return min(right, len(self.labels) - right)

    @property
    def few(self) -> str:
        """Why the interval covers less than it says; "" where nothing is known against it."""
        if self.disagreements < FEW_DISAGREEMENTS:
            return f"under {FEW_DISAGREEMENTS} labelled items differ between judge and label"
        if self.of_rarer is not None and self.of_rarer < FEW_OF_A_KIND:
            return f"under {FEW_OF_A_KIND} labelled items are right, or under {FEW_OF_A_KIND} wrong"
        return ""


def ppi_mean(
    labels: Any,
    judge_labelled: Any,
    judge_unlabelled: Any,
    *,
    bounds: Any = None,
    level: float = 0.95,
    method: str | None = None,
    name: str = "corrected score",
) -> Estimate:
    """How good is a run, from a judge's scores of all items and people's labels of a few? Ȳ + λ(F̄ − Ŷ̄).

    labels, judge_labelled : (n,) of the same items in the same order; judge_unlabelled : (N,) of the others.
    bounds : ends of the scale; by default 0 to 1 if all scores lie there.
    method : ppi_plus_plus (default: λ from the data, 0 ignores the judge), ppi (λ = 1). Both take the
    labelled items for a random sample of all. Under 20 labelled items on which judge and label disagree, or
    under 10 labelled right or wrong, the interval covers less than it says, and a caveat says so: hold the
    labels alone, `mean(labels)`, beside it.
    extra : lambda, n_labelled, n_disagreements, worth_labels.
    Raises InputError for what is no score, for lists of unequal length and without a second label.
    Source: Angelopoulos et al. 2023, Science 382:669–674; Angelopoulos, Duchi & Zrnic 2023, arXiv:2311.01453.

    >>> judge = [1, 1, 0, 1, 0, 1, 1, 0, 1, 1]
    >>> print(ppi_mean([1, 0, 0, 1, 0, 1, 1, 0, 0, 1], judge, judge * 9))
    corrected score 50.0% [25.6, 74.4] 95% ppi_plus_plus n=100
    """
    given = (("labels", labels), ("judge_labelled", judge_labelled), ("judge_unlabelled", judge_unlabelled))
    Y, Y_hat, F = (check_scores(values, which) for which, values in given)
    scale, assumed = _scale((Y, Y_hat, F), bounds)
    return corrected(_checked(Predicted(Y, Y_hat, F, scale, assumed)), Request(level, method, name=name))


def ppi_difference(
    labels: Sequence[Any],
    judge_labelled: Sequence[Any],
    judge_unlabelled: Sequence[Any],
    *,
    bounds: Any = None,
    level: float = 0.95,
    method: str | None = None,
    name: str = "corrected difference",
) -> Estimate:
    """Did the change work, by a judge's scores of both runs and labels of a few items? Candidate − baseline.

    Each argument is a pair, (baseline, candidate), of what `ppi_mean` takes; entry i of both is about item i.
    The same formula on the items' differences. Raises as `ppi_mean`.

    >>> old, new = [0, 1, 0, 1, 0, 1, 1, 0], [1, 1, 0, 1, 0, 1, 1, 1]
    >>> print(ppi_difference((old, new), (old, new), (old * 9, new * 9)))
    corrected difference 25.0% [15.0, 35.0] 95% ppi_plus_plus n=80
    """
    given = (("labels", labels), ("judge_labelled", judge_labelled), ("judge_unlabelled", judge_unlabelled))
    pairs = [_pair(which, values) for which, values in given]
    scale, assumed = _scale([run for pair in pairs for run in pair], bounds)
    Y, Y_hat, F = (candidate - baseline for baseline, candidate in pairs)
    found = Predicted(Y, Y_hat, F, None if scale is None else reach(scale), assumed)
    return corrected(_checked(found), Request(level, method, name=name))


def _pair(which: str, values: Sequence[Any]) -> tuple[Array, Array]:
    if len(values) != 2:
        raise InputError(f"{which} holds {len(values)} lists: give a pair, (baseline, candidate).")
    old, new = (check_scores(run, f"{which} of the {role}") for run, role in zip(values, _ROLES, strict=True))
    if len(old) != len(new):
        raise PairingError(f"{which}: {len(old)} of the baseline, {len(new)} of the candidate: pair them.")
    return old, new


_ROLES = ("baseline", "candidate")


def _scale(lists: Sequence[Array], bounds: Any) -> tuple[Bounds | None, bool]:
    asked = check_bounds(bounds)
    together = np.concatenate(list(lists))
    if asked is not None:
        check_inside(together, asked)
    scale, _, assumed = scale_of(together, asked)
    return scale, assumed


def _checked(found: Predicted) -> Predicted:
    n, scored = len(found.labels), len(found.judge_labelled)
    if n != scored:
        raise InputError(f"{n} labels and {scored} judge scores of labelled items: give both for each item.")
    if n < 2:
        raise InputError("one label: how far judge and label differ cannot be known. Label more items.")
    return found


def corrected(found: Predicted, request: Request) -> Estimate:
    """`ppi_mean` and `ppi_difference` for what is checked already: what the analyses call."""
    chosen = PPI.choose(request.method, request.guarantee)
    lam = 1.0 if chosen.name == "ppi" else tuned(found)
    point, v = _moments(found, lam)
    scale = found.bounds or (-math.inf, math.inf)
    inside = min(max(point, scale[0]), scale[1])
    limits = held(lambda: chosen.function(found, request.level), inside, scale, chosen.label)
    n, disagreements = len(found.labels), found.disagreements
    about: dict[str, Any] = {
        "lambda": lam,
        "n_labelled": n,
        "n_disagreements": disagreements,
        "why": PPI.why(chosen, request.method),
        "unit": "fraction" if scale in ((0.0, 1.0), (-1.0, 1.0)) else "score",
    }
    if found.bounds is not None:
        about["bounds"] = list(found.bounds)
    said = scale_assumed(found.assumed)
    if inside != point:
        about["unclipped"] = [point, *_limits(point, v, request.level)]
        said.append(caveat("point_clipped", f"{chosen.label} gave {point:.4g}, which is moved to {inside:g}"))
    if disagreements < FEW_DISAGREEMENTS:
        text = (
            f"{disagreements} of {n} labelled items differ between judge and label: under "
            f"{FEW_DISAGREEMENTS} PPI++ covered .89 on average at 95 % (PPI .94), at worst .42"
        )
        said.append(caveat("few_disagreements", text))
    elif found.few:
        text = (
            f"{found.of_rarer} of {n} labels are of the rarer kind, right or wrong: under {FEW_OF_A_KIND} "
            "PPI++ covered as little as .83 at 95 %"
        )
        said.append(caveat("few_disagreements", text))
    if v > 0:
        about["worth_labels"] = _variance(found.labels) / v
    return assembled(request, chosen, n + len(found.judge_unlabelled), inside, limits, v, about, said)


def tuned(found: Predicted) -> float:
    """λ = cov_{n−1}(Y, Ŷ)/((1 + n/N)·s₀²(Ŷ ∪ F)), held in [0, 1]; 0 for a judge that always says the same."""
    Y, Y_hat, F = found.labels, found.judge_labelled, found.judge_unlabelled
    n, N = len(Y), len(F)
    spread = _variance(np.concatenate([Y_hat, F]))
    if spread == 0:
        return 0.0
    together = order_free_sum((Y - _mean(Y)) * (Y_hat - _mean(Y_hat))) / (n - 1)
    return min(max(together / ((1 + n / N) * spread), 0.0), 1.0)


def _moments(found: Predicted, lam: float) -> tuple[float, float]:
    """Ȳ + λ(F̄ − Ŷ̄) and its variance, s₀²(Y − λŶ)/n + λ²s₀²(F)/N."""
    Y, Y_hat, F = found.labels, found.judge_labelled, found.judge_unlabelled
    point = _mean(Y) + lam * (_mean(F) - _mean(Y_hat))
    return point, _variance(Y - lam * Y_hat) / len(Y) + lam**2 * _variance(F) / len(F)


def _mean(x: Array) -> float:
    return order_free_sum(x) / len(x)


def _variance(x: Array) -> float:
    """s₀², divisor n; exactly 0 where all are equal."""
    return 0.0 if np.ptp(x) == 0 else order_free_sum((x - _mean(x)) ** 2) / len(x)


def _limits(point: float, v: float, level: float) -> tuple[float, float]:
    half = z_of(level) * math.sqrt(v)
    return point - half, point + half


def _ppi(found: Predicted, level: float, lam: float = 1.0) -> Interval:
    point, v = _moments(found, lam)
    if v == 0:
        raise NoInterval(
            "nothing varies in what is averaged, so this interval has width 0: the spread is not known"
        )
    return Interval(*_limits(point, v, level))


def _ppi_plus_plus(found: Predicted, level: float) -> Interval:
    return _ppi(found, level, tuned(found))


PPI = MethodTable(
    situation="a score by a judge, with a random part labelled by people",
    methods=(
        Method(
            "ppi_plus_plus",
            _ppi_plus_plus,
            "Angelopoulos, Duchi & Zrnic 2023, arXiv:2311.01453",
            role="default",
            label="PPI++",
        ),
        Method("ppi", _ppi, "Angelopoulos et al. 2023, Science 382:669–674", label="PPI"),
    ),
)
