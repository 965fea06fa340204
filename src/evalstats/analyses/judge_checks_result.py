"""What `judge_drift` and `judge_bias` return, and their JSON. Frozen; nothing here computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evalstats._version import __version__
from evalstats.answers import ByBenchmark
from evalstats.envelope import Provenance, Scale
from evalstats.errors import InputError
from evalstats.results import Estimate, TestResult, display, plain
from evalstats.subjects.judge_drift import Drift


@dataclass(frozen=True, kw_only=True)
class BenchmarkDrift:
    """One set of anchors. key : what paired the two runs. n_anchors : scored in both; n_labelled : of these.

    labels : what the two runs are called. margin : in the score's unit, None without one. changed : share of
    anchors with another verdict. rows : the mean verdict and, where labelled, agreement with the labels.
    verdict : drifted, drifted_within_margin, equivalent, not_shown.
    """

    benchmark: str
    metric: str
    scale: Scale
    key: str
    cluster: str | None
    labels: tuple[str, ...]
    n_anchors: int
    n_labelled: int
    margin: float | None
    rows: tuple[Drift, ...]
    changed: Estimate
    verdict: str
    caveats: tuple[dict[str, str], ...]
    signature: str


@dataclass(frozen=True)
class JudgeDrift(ByBenchmark[BenchmarkDrift]):
    """What `judge_drift` returns: a sequence of anchor sets; `.only` where there is one."""

    @property
    def primary(self) -> tuple[BenchmarkDrift, ...]:
        """All that carries caveats."""
        return self.benchmarks

    def __str__(self) -> str:
        return str(display("judge_checks_text:drift_text", self))

    def _repr_html_(self) -> str:
        return str(display("judge_notebook:drift_html", self))

    def to_dict(self) -> dict[str, Any]:
        """The JSON: what is not known is None."""
        return {
            "schema": "evalstats/judge_drift/1",
            "version": __version__,
            "provenance": plain(self.provenance),
            "notes": list(self.notes),
            "benchmarks": plain(self.benchmarks),
        }


@dataclass(frozen=True, kw_only=True)
class BiasFigure:
    """One bias. kind : position, swap_flips, length or self_preference.

    share : of wins (of pairs that flip, for swap_flips), ½ without bias but for swap_flips, where it is 0.
    human, difference : what people say of the same pairs, and judge − people; None without them.
    test : of the place, or of judge against people.
    """

    kind: str
    share: Estimate
    human: Estimate | None = None
    difference: Estimate | None = None
    test: TestResult | None = None


@dataclass(frozen=True, kw_only=True)
class JudgeBias:
    """What `judge_bias` returns.

    n_pairs : pairs of answers with a verdict, n_swapped of them in both orders; n_unscored : rows without a
    verdict. first_twice, second_twice : swapped pairs won by the place in both orders. cluster : "id" where a
    question has several pairs. unknown : kind -> why it has no figure.
    """

    n_pairs: int
    n_swapped: int
    n_unscored: int
    first_twice: int | None
    second_twice: int | None
    cluster: str | None
    figures: tuple[BiasFigure, ...]
    unknown: dict[str, str]
    caveats: tuple[dict[str, str], ...]
    signature: str
    provenance: Provenance
    notes: tuple[str, ...] = ()

    def __getitem__(self, kind: str) -> BiasFigure:
        """By kind: position, swap_flips, length, self_preference."""
        for figure in self.figures:
            if figure.kind == kind:
                return figure
        reason = self.unknown.get(kind, f"there are: {', '.join(one.kind for one in self.figures)}")
        raise InputError(f"no figure {kind!r} here: {reason}.")

    @property
    def primary(self) -> tuple[JudgeBias, ...]:
        """All that carries caveats."""
        return (self,)

    def __str__(self) -> str:
        return str(display("judge_checks_text:bias_text", self))

    def _repr_html_(self) -> str:
        return str(display("judge_notebook:bias_html", self))

    def to_dict(self) -> dict[str, Any]:
        """The JSON: what is not known is None."""
        return {"schema": "evalstats/judge_bias/1", "version": __version__, **plain(self)}
