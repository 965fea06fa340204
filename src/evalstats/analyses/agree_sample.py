"""`label_sample`, the verb `agree sample`: a random, blind part of a run's answers for people to label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

import numpy as np

from evalstats._version import __version__
from evalstats.analyses.labelled_sample import Asked, sample_csv
from evalstats.analyses.options import Options
from evalstats.analyses.questions import questions_of_one
from evalstats.analyses.rated_runs import logged
from evalstats.data.design import cluster_field
from evalstats.data.scores import SCORED, TEXTS, BenchmarkScores, Exchange
from evalstats.data.selection import Question
from evalstats.envelope import Provenance
from evalstats.errors import InputError
from evalstats.kernel.arrays import check_seed
from evalstats.kernel.check import check_at_least_one
from evalstats.results import plain
from evalstats.sources import Run, Wanted, named_source, single_run
from evalstats.subjects.agreement_width import corrected_half_width, kappa_half_width, kappa_of

DEFAULT_N = 100
_AGREEMENTS = (0.8, 0.9, 0.95)
_CORRELATIONS = (0.5, 0.7, 0.9)


class SampleKeywords(TypedDict, total=False):
    """As for `score`."""

    metric: str | None
    filter: str | None
    task: str | None
    latest: bool
    level: float


@dataclass(frozen=True, kw_only=True)
class SampleWidth:
    """What n labels will buy if judge and label agree on such a share of items, or correlate so.

    agreement : share of items, None for scores. correlation : of judge and label, for pass/fail it is kappa.
    kappa, corrected : half-widths of kappa (None for scores) and of the corrected score.
    """

    agreement: float | None
    correlation: float
    kappa: float | None
    corrected: float


@dataclass(frozen=True, kw_only=True)
class Sample:
    """rows : what a person is to label, in random order. n_items : items it was drawn from.

    fraction : scores are from 0 to 1: widths are in points. alone : half-width of the labels' own mean.
    clusters : the field that says which items belong together, where the run declares one. out : the file it
    was written to, None in Python.
    """

    benchmark: str
    metric: str
    n: int
    n_items: int
    pass_fail: bool
    fraction: bool
    rate: float
    level: float
    seed: int
    alone: float
    widths: tuple[SampleWidth, ...]
    rows: tuple[Asked, ...]
    provenance: Provenance
    notes: tuple[str, ...] = ()
    clusters: str | None = None
    out: str | None = None

    def csv(self) -> str:
        """The file to fill in."""
        return sample_csv(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """The JSON, without the rows: what it says must not tell who labels."""
        names = [name for name in self.__dataclass_fields__ if name != "rows"]
        return {
            "schema": "evalstats/agree-sample/1",
            "version": __version__,
            **{name: plain(getattr(self, name)) for name in names},
        }


def label_sample(run: Run, n: int = DEFAULT_N, seed: int = 0, **keywords: Unpack[SampleKeywords]) -> Sample:
    """Which answers should a person label? A random, blind sample of a run, and the width it will buy.

    run : whatever `score` takes, with the questions' and answers' texts. n : items; of an item with several
    completions one is drawn. seed : of the draw. keywords : metric, filter, task, latest, level, as
    for `score`.
    Only items that the judge scored are drawn, each as likely as another, and the judge's score is not told.
    `.csv()` is the file to fill in; it comes back as `agree("labels.csv", run)` or `judged(run, labels=...)`.
    Raises InputError for a run without texts, and for more items than there are.

    >>> texts = {"question": "2 + 2?", "answer": "4"}
    >>> answers = [{"id": f"q{i}", "score": i % 3 > 0, **texts} for i in range(90)]
    >>> sample = label_sample(answers, 20)
    >>> sample.csv().splitlines()[0], len(sample.rows), sample.n_items
    ('id,question,answer,label', 20, 90)
    """
    n, seed = check_at_least_one(n, "n"), check_seed(seed)
    options = Options.of(dict(keywords))
    source = logged(named_source(run, Wanted.of(None, TEXTS, metric=options.metric)))
    scores = single_run(source)
    found = questions_of_one(scores, source, options)
    answers = [answer for question in found.primary for answer in _answers(question)]
    if n > len(answers):
        raise InputError(
            f"n={n}: {len(answers)} items have a score. Draw at most so many (--n {len(answers)})."
        )
    generator = np.random.default_rng(seed)
    drawn = _drawn(answers, n, generator)
    several = len(found.primary) > 1
    rows = tuple(one.asked(several) for one in drawn)
    y = np.array([one.mean for one in answers])
    pass_fail = bool(np.all(np.isin([score for one in answers for _, score in one.completions], (0.0, 1.0))))
    asked = {**options.asked(), "n": n, "seed": seed}
    inputs = source.inputs("run", source.label or scores.benchmarks[0].header.model or source.path)
    return Sample(
        benchmark=", ".join(question.benchmark for question in found.primary),
        metric=found.primary[0].metric,
        n=n,
        n_items=len(answers),
        pass_fail=pass_fail,
        fraction=bool(y.min() >= 0 and y.max() <= 1),
        rate=float(y.mean()),
        level=options.level,
        seed=seed,
        alone=corrected_half_width(n, 0, float(y.std()), 0.0, options.level),
        widths=_widths(y, n, pass_fail, options.level),
        rows=rows,
        provenance=Provenance("agree-sample", (source.argument,), inputs, asked, seed),
        notes=found.notes,
        clusters=_declared(found.primary),
    )


def _declared(questions: Sequence[Question]) -> str | None:
    """The field of the first benchmark that is in clusters."""
    fields = (cluster_field((question.baseline.header,), None) for question in questions)
    return next((field[0] for field in fields if field is not None), None)


@dataclass(frozen=True)
class _Answer:
    """An item that was scored. completions : (epoch, score) of each."""

    part: BenchmarkScores
    item: int
    completions: tuple[tuple[int, float], ...]
    epoch: int | None = None

    @property
    def mean(self) -> float:
        return sum(score for _, score in self.completions) / len(self.completions)

    def drawn(self, generator: np.random.Generator) -> _Answer:
        """One completion of it."""
        at = int(generator.integers(len(self.completions)))
        return _Answer(self.part, self.item, self.completions, self.completions[at][0])

    def asked(self, several: bool) -> Asked:
        """What a person sees. several : benchmarks."""
        epoch = self.epoch if self.epoch is not None else self.completions[0][0]
        texts = self.part.exchanges.get((self.item, epoch), Exchange("", "", ""))
        return Asked(
            self.part.items.ids[self.item],
            texts.prompt,
            texts.answer,
            self.part.benchmark if several else None,
            self.epoch,
        )


def _drawn(answers: list[_Answer], n: int, generator: np.random.Generator) -> list[_Answer]:
    """n items in random order, without replacement, of each one completion."""
    repeated = any(len(one.completions) > 1 for one in answers)
    chosen = [answers[at] for at in generator.permutation(len(answers))[:n]]
    return [one.drawn(generator) for one in chosen] if repeated else chosen


def _answers(question: Question) -> list[_Answer]:
    """The items that the judge scored, by id, so that a log in another order gives the same sample."""
    part = question.baseline
    if not any(one.answer.strip() for one in part.exchanges.values()):
        raise InputError(
            f"{part.header.path} holds no answers' texts of {part.benchmark}, so that there is nothing to "
            "label. A table needs a column such as answer or output; a harness must log its samples."
        )
    metric = part.metric(question.metric)
    scored = metric.status == SCORED
    found: dict[int, list[tuple[int, float]]] = {}
    columns = (metric.item[scored], metric.epoch[scored], metric.score[scored])
    for item, epoch, score in zip(*(column.tolist() for column in columns), strict=True):
        found.setdefault(item, []).append((epoch, score))
    ordered = sorted(found, key=part.items.ids.__getitem__)
    return [_Answer(part, item, tuple(sorted(found[item]))) for item in ordered]


def _widths(y: np.ndarray[Any, Any], n: int, pass_fail: bool, level: float) -> tuple[SampleWidth, ...]:
    """For a judge that agrees so well; pass/fail raters are taken to pass the same share."""
    sd, others, rate = float(y.std()), len(y) - n, float(y.mean())
    if not pass_fail:
        return tuple(
            SampleWidth(
                agreement=None,
                correlation=rho,
                kappa=None,
                corrected=corrected_half_width(n, others, sd, rho, level),
            )
            for rho in _CORRELATIONS
        )
    found = []
    for agreement in _AGREEMENTS:
        rho = kappa_of(rate, agreement)
        if rho is not None:
            width = corrected_half_width(n, others, sd, rho, level)
            half = kappa_half_width(n, rate, agreement, level)
            found.append(SampleWidth(agreement=agreement, correlation=rho, kappa=half, corrected=width))
    return tuple(found)
