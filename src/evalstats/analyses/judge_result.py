"""What `judged` returns, and its JSON. Frozen; nothing here computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evalstats._version import __version__
from evalstats.answers import ByBenchmark
from evalstats.envelope import Scale
from evalstats.errors import InputError
from evalstats.results import Estimate, display, plain


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One way to the score, or to the difference of two runs. kind : corrected (PPI), labels (these alone),
    error_rates (Rogan–Gladen)."""

    kind: str
    estimate: Estimate


@dataclass(frozen=True, kw_only=True)
class JudgedSide:
    """One run. judge : its score as the judge has it, over all n_judged items.

    n_items : in its log. n_labelled : items with a label and a score of the judge. n_unlabelled : labelled
    completions without one. n_blank : rows of the file of labels that nobody filled in.
    sensitivity, specificity : shares of right answers that the judge passes and of wrong ones that it fails,
    None where scores are not right or wrong.
    corrected : the run alone, None where its answers are the row's.
    """

    label: str
    model: str
    n_items: int
    n_judged: int
    n_labelled: int
    n_unscored: int
    n_blank: int
    judge: Estimate
    sensitivity: Estimate | None = None
    specificity: Estimate | None = None
    corrected: Estimate | None = None


@dataclass(frozen=True, kw_only=True)
class BenchmarkJudged:
    """One benchmark: what is left of the judge's score once its errors are taken out.

    answers : the one to read first. judge : what the judge alone says of the same, the difference for two
    runs. why : why that answer comes first. key : what two runs were paired by. n_labelled : items that the
    correction rests on, labelled in both of two runs, of which n_disagreements differ between judge and
    label. n_labelled_in_one : of two runs, which count as not labelled.
    direction : of two runs improved, regressed or not_settled. not_checked : what the logs do not tell.
    """

    benchmark: str
    metric: str
    scale: Scale
    key: str | None
    sides: tuple[JudgedSide, ...]
    judge: Estimate
    answers: tuple[Answer, ...]
    why: str
    n_labelled: int
    n_disagreements: int
    n_labelled_in_one: int
    direction: str | None
    caveats: tuple[dict[str, str], ...]
    signature: str
    not_checked: tuple[str, ...] = ()

    @property
    def shown(self) -> Estimate:
        """The answer to read first."""
        return self.answers[0].estimate

    def __getitem__(self, kind: str) -> Estimate:
        """An answer by its kind: corrected, labels, error_rates."""
        for answer in self.answers:
            if answer.kind == kind:
                return answer.estimate
        raise InputError(f"no answer {kind!r} here; there are: {', '.join(a.kind for a in self.answers)}.")


@dataclass(frozen=True)
class Judged(ByBenchmark[BenchmarkJudged]):
    """What `judged` returns: a sequence of benchmarks, also when there is one.

    `.only` is the single benchmark, `["qa"]` one by name, `.rows()` flat dicts for any frame library,
    `.to_dict()` the JSON.
    """

    @property
    def primary(self) -> tuple[BenchmarkJudged, ...]:
        """All that carries caveats."""
        return self.benchmarks

    def rows(self) -> list[dict[str, Any]]:
        """One flat dict a benchmark and answer; the judge alone is a row of its own."""
        return [
            {
                "benchmark": one.benchmark,
                "metric": one.metric,
                "answer": kind,
                **{
                    name: plain(getattr(estimate, name))
                    for name in ("point", "ci_low", "ci_high", "standard_error", "n", "method")
                },
            }
            for one in self.benchmarks
            for kind, estimate in (*((a.kind, a.estimate) for a in one.answers), ("judge", one.judge))
        ]

    def __str__(self) -> str:
        return str(display("judge_text:judged_text", self))

    def _repr_html_(self) -> str:
        return str(display("judge_notebook:judged_html", self))

    def to_dict(self) -> dict[str, Any]:
        """The JSON: what is not known is None."""
        return {
            "schema": "evalstats/judge/1",
            "version": __version__,
            "provenance": plain(self.provenance),
            "notes": list(self.notes),
            "benchmarks": plain(self.benchmarks),
        }
