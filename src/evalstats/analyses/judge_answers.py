"""From a judge's scores and labels to the answers: corrected, the labels alone, by error rates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evalstats._version import __version__
from evalstats.analyses.judge_labels import Array, JudgeRun, LabelledRun
from evalstats.analyses.judge_rates import error_rates, nothing, of_error_rates
from evalstats.analyses.judge_result import Answer, BenchmarkJudged, JudgedSide
from evalstats.analyses.options import Options
from evalstats.analyses.sides import Positions, cautions_of_run, clusters_unchecked, values_at
from evalstats.envelope import Scale
from evalstats.errors import InputError, MethodError
from evalstats.kernel.arrays import Bounds
from evalstats.methods.differences import item_difference
from evalstats.methods.items import ItemValues, Request
from evalstats.methods.margins import verdict
from evalstats.methods.means import item_mean_estimate
from evalstats.methods.pairs import PairedItems, reach
from evalstats.results import Estimate
from evalstats.subjects.judge_ppi import PPI, Predicted, corrected
from evalstats.subjects.judge_rates import ESTIMATED

Caveats = list[dict[str, str]]
_ALL_LABELLED = "every judged item has a label: the labels alone are the score, there is nothing to correct"
_ONE_LABEL = "one label: how far judge and label differ cannot be known"
_OF_PPI = ("few_disagreements", "point_clipped")


@dataclass(frozen=True)
class Wished:
    """The methods that were asked for by name: of the correction, of error rates; None for the default."""

    ppi: str | None = None
    rates: str | None = None

    @classmethod
    def of(cls, method: str | None) -> Wished:
        """Raises MethodError for a name that neither has."""
        tables = {"ppi": PPI, "rates": ESTIMATED}
        for kind, table in tables.items():
            if method in [one.name for one in table]:
                return cls(**{kind: method})
        if method is None:
            return cls()
        names = ", ".join(one.name for table in tables.values() for one in table)
        raise MethodError(f"{method!r} is no method for a judge with labels. There are: {names}.")


def answered_one(
    found: LabelledRun, metric: str, label: str, wished: Wished, options: Options
) -> BenchmarkJudged:
    """One run: its score corrected, from the labels alone, and by error rates."""
    run = found.run
    bounds = _bounds(run.scale)
    rest = run.items.y[found.rest]
    data = Predicted(found.labels, found.judge, rest, bounds, run.assumed)
    fixed = _correction(data, wished, Request(options.level, name="corrected score"))
    alone = item_mean_estimate(
        ItemValues(found.labels, _binary(run.scale, found.labels), bounds),
        Request(options.level, name="labels alone"),
    )
    rates = of_error_rates(found, wished.rates, Request(options.level, name="by error rates"))
    answers, why = _ordered(fixed, alone, rates, wished, data.few)
    side = _side(label, found, options)
    said = _caveats(answers[0].estimate, fixed, [(label, run)], options)
    return Found(
        run=run,
        metric=metric,
        sides=(side,),
        judge=side.judge,
        answers=answers,
        why=why,
        caveats=said,
        n=len(run.judged),
        n_labelled=len(found.at),
        n_disagreements=data.disagreements,
        not_checked=clusters_unchecked(options),
    ).row()


@dataclass(frozen=True)
class _Paired:
    """The items of two runs side by side. at : (n,) their positions in either log."""

    sides: tuple[LabelledRun, LabelledRun]
    at: tuple[Positions, Positions]

    @property
    def run(self) -> JudgeRun:
        return self.sides[0].run

    @cached_property
    def scored(self) -> NDArray[np.bool_]:
        """(n,) by the judge, in both."""
        old, new = (side.run.items.scored[where] for side, where in zip(self.sides, self.at, strict=True))
        return np.asarray(old & new)

    @cached_property
    def labelled(self) -> NDArray[np.int64]:
        """(n,) in how many of the two runs a scored item has a label."""
        told = [np.isin(where, side.at) for side, where in zip(self.sides, self.at, strict=True)]
        return np.where(self.scored, np.sum(told, axis=0), 0)

    @cached_property
    def judge(self) -> list[Array]:
        """(n,) the judge's scores of the baseline and of the candidate."""
        return [side.run.items.y[where] for side, where in zip(self.sides, self.at, strict=True)]

    @cached_property
    def known(self) -> list[tuple[Array, Array]]:
        """Labels and judge scores of the items with two labels, of the baseline and of the candidate."""
        used = self.labelled == 2
        places = [
            np.searchsorted(side.at, where[used]) for side, where in zip(self.sides, self.at, strict=True)
        ]
        return [(side.labels[at], side.judge[at]) for side, at in zip(self.sides, places, strict=True)]

    def differences(self) -> Predicted:
        """Candidate − baseline. Raises InputError for fewer than two items with two labels."""
        both = int(np.count_nonzero(self.labelled == 2))
        if both < 2:
            raise InputError(
                f"{self.run.part.benchmark}: {both} items are labelled in both runs. A difference needs "
                "labels of both runs' answers to the same items: draw both samples with the same seed."
            )
        rest = self.scored & (self.labelled < 2)
        (old_labels, old_judge), (new_labels, new_judge) = self.known
        bounds = _bounds(self.run.scale)
        return Predicted(
            new_labels - old_labels,
            new_judge - old_judge,
            self.judge[1][rest] - self.judge[0][rest],
            None if bounds is None else reach(bounds),
            self.run.assumed,
        )


def answered_two(
    sides: tuple[LabelledRun, LabelledRun],
    at: tuple[Positions, Positions],
    metric: str,
    names: tuple[str, tuple[str, ...]],
    wished: Wished,
    options: Options,
) -> BenchmarkJudged:
    """Two runs, candidate − baseline over the items both have. at : their positions. names : key, labels."""
    key, labels = names
    if wished.rates is not None:
        raise MethodError(
            f"{wished.rates} corrects one run; the difference of two takes ppi_plus_plus or ppi."
        )
    pairs = _Paired(sides, at)
    data, run, scored = pairs.differences(), pairs.run, pairs.scored
    fixed = _correction(data, wished, Request(options.level, name="corrected difference"))
    (old, _), (new, _) = pairs.known
    alone = _difference(run.scale, old, new, Request(options.level, name="labels alone"))
    old_judge, new_judge = (values[scored] for values in pairs.judge)
    by_judge = _difference(run.scale, old_judge, new_judge, Request(options.level, name="judge alone"))
    answers, why = _ordered(fixed, alone, None, wished, data.few)
    named = list(zip(labels, sides, strict=True))
    said = _caveats(answers[0].estimate, fixed, [(label, side.run) for label, side in named], options)
    return Found(
        run=run,
        metric=metric,
        sides=tuple(_side(label, side, options, alone=True) for label, side in named),
        judge=by_judge,
        answers=answers,
        why=why,
        caveats=said,
        n=int(scored.sum()),
        n_labelled=len(data.labels),
        n_disagreements=data.disagreements,
        not_checked=clusters_unchecked(options),
        in_one=int(np.count_nonzero(pairs.labelled == 1)),
        key=key,
        direction=verdict(answers[0].estimate).direction,
    ).row()


def _correction(data: Predicted, wished: Wished, asked: Request) -> Estimate:
    """PPI of the data, or why it has no number."""
    reason = _ALL_LABELLED if not len(data.judge_unlabelled) else _ONE_LABEL if len(data.labels) < 2 else None
    named = Request(asked.level, wished.ppi, name=asked.name)
    if reason is None:
        return corrected(data, named)
    chosen = PPI.choose(named.method)
    return nothing(asked, chosen.name, reason)


def _ordered(
    fixed: Estimate, alone: Estimate, rates: Estimate | None, wished: Wished, few: str
) -> tuple[tuple[Answer, ...], str]:
    """The answers, the one to read first, and why it is."""
    first = [Answer(kind="corrected", estimate=fixed), Answer(kind="labels", estimate=alone)]
    by_rates = [] if rates is None else [Answer(kind="error_rates", estimate=rates)]
    if wished.rates is not None:
        return (*by_rates, *first), "asked for by name"
    if wished.ppi is not None:
        return (*first, *by_rates), "asked for by name"
    if not math.isfinite(fixed.ci_low):
        return (first[1], first[0], *by_rates), str(fixed.extra["undefined"]["ci_low"])
    if few:
        return (first[1], first[0], *by_rates), few
    return (*first, *by_rates), "a random part is labelled, and it takes the judge's errors out"


def _side(label: str, found: LabelledRun, options: Options, alone: bool = False) -> JudgedSide:
    """alone : with the run's own corrected score."""
    run = found.run
    values = values_at(run.items, run.judged, run.scale, run.assumed)
    sensitivity, specificity = error_rates(found, options.level)
    data = Predicted(found.labels, found.judge, run.items.y[found.rest], _bounds(run.scale), run.assumed)
    return JudgedSide(
        label=label,
        model=run.part.header.model,
        n_items=len(run.part.items),
        n_judged=len(run.judged),
        n_labelled=len(found.at),
        n_unscored=found.n_unscored,
        n_blank=found.n_blank,
        judge=item_mean_estimate(values, Request(options.level, name="judge alone")),
        sensitivity=sensitivity,
        specificity=specificity,
        corrected=_correction(data, Wished(), Request(options.level, name="corrected score"))
        if alone
        else None,
    )


def _difference(scale: Scale, old: Array, new: Array, asked: Request) -> Estimate:
    binary = _binary(scale, np.concatenate([old, new]))
    return item_difference(PairedItems(old, new, binary, _bounds(scale)), asked)


def _bounds(scale: Scale) -> Bounds | None:
    return None if scale.low is None or scale.high is None else (scale.low, scale.high)


def _binary(scale: Scale, values: Array) -> bool:
    return scale.kind == "pass_fail" and bool(np.isin(values, (0.0, 1.0)).all())


def _caveats(
    shown: Estimate, fixed: Estimate, runs: list[tuple[str, JudgeRun]], options: Options
) -> tuple[dict[str, str], ...]:
    """Of what is read first, of the correction, and of the logs; each once."""
    said: Caveats = [*shown.extra["caveats"]]
    said += [one for one in fixed.extra["caveats"] if one["code"] in _OF_PPI]
    for label, run in runs:
        said += cautions_of_run(label, run.part, run.metric, run.items, options)
    return tuple({(one["code"], one["text"]): one for one in said}.values())


@dataclass(frozen=True)
class Found:
    """What a row is made of. n, n_labelled, n_disagreements, in_one : items, as the row counts them."""

    run: JudgeRun
    metric: str
    sides: tuple[JudgedSide, ...]
    judge: Estimate
    answers: tuple[Answer, ...]
    why: str
    caveats: tuple[dict[str, str], ...]
    n: int
    n_labelled: int
    n_disagreements: int
    not_checked: tuple[str, ...]
    in_one: int = 0
    key: str | None = None
    direction: str | None = None

    def row(self) -> BenchmarkJudged:
        shown = self.answers[0].estimate
        counts = f"n:{self.n}|labels:{self.n_labelled}|level:{shown.level:g}"
        return BenchmarkJudged(
            benchmark=self.run.part.benchmark,
            metric=self.metric,
            scale=self.run.scale,
            key=self.key,
            sides=self.sides,
            judge=self.judge,
            answers=self.answers,
            why=self.why,
            n_labelled=self.n_labelled,
            n_disagreements=self.n_disagreements,
            n_labelled_in_one=self.in_one,
            direction=self.direction,
            caveats=self.caveats,
            signature=f"judge|{shown.method}|{counts}|v:{__version__}",
            not_checked=self.not_checked,
        )
