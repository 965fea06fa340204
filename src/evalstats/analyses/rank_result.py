"""What `rank` returns, and its JSON. Frozen; nothing here computes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from evalstats._version import __version__
from evalstats.answers import ByBenchmark, Parts
from evalstats.envelope import Design, Family, Scale, Side
from evalstats.results import Displayed, TestResult, display, plain


@dataclass(frozen=True, kw_only=True)
class RankedRun:
    """One run among the others. rank : 1 + the runs with a better score; equal scores share it.

    rank_low, rank_high : the ranks it may have, best and worst. groups : those it is in, 1 the best; two runs
    that share a group are not told apart. run : its counts, and its score with an interval alone.
    """

    benchmark: str
    metric: str
    rank: int
    rank_low: int
    rank_high: int
    groups: tuple[int, ...]
    run: Side

    @property
    def label(self) -> str:
        return self.run.label


@dataclass(frozen=True, kw_only=True)
class RankedPair:
    """Two runs on the items that both scored; candidate : the one with the better score.

    difference : candidate − baseline, never flipped for lower-is-better. ci_low, ci_high : of this pair
    alone. adjusted, reject : Holm over all pairs. simultaneous_… : limits that hold for all pairs at once;
    apart : they exclude zero. baseline_only, candidate_only : of right or wrong answers, else None.
    undefined : why a field has no number.
    """

    candidate: str
    baseline: str
    n: int
    baseline_only: int | None
    candidate_only: int | None
    difference: float
    ci_low: float
    ci_high: float
    pvalue: float
    adjusted: float
    reject: bool
    simultaneous_low: float
    simultaneous_high: float
    apart: bool
    undefined: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class PairMethods:
    """How all pairs were worked out. alone : method of an interval alone; test : of its p-value.

    simultaneous : max_t, or the pair's own at level `each`. critical : of max_t, D ± critical·se, or t at the
    same level, `each`, for scores and in clusters. why : this one, in a few words. n_boot, seed : None where
    nothing was drawn. rank_level : of the intervals behind the rank ranges; None where these are the
    simultaneous ones (joint).
    """

    alone: str
    test: str
    level: float
    simultaneous: str
    why: str
    each: float | None = None
    critical: float | None = None
    n_boot: int | None = None
    seed: int | None = None
    rank_level: float | None = None


@dataclass(frozen=True, kw_only=True)
class RankedBenchmark(Parts[RankedRun]):
    """One benchmark: its runs, best first, a sequence of RankedRun. `["gpt-4"]` is a run by its label.

    key : what the items were matched by. n_common : items scored in every run. own_items : every pair stands
    on its own common items, as these would lose over 5 % of a run's. overall : Cochran's Q or Friedman's
    test, None in clusters. pairs : all of them, in the order of the runs.
    """

    benchmark: str
    metric: str
    scale: Scale
    design: Design
    higher_is_better: bool
    key: str
    n_common: int
    own_items: bool
    runs: tuple[RankedRun, ...]
    pairs: tuple[RankedPair, ...]
    family: Family
    methods: PairMethods
    overall: TestResult | None
    caveats: tuple[dict[str, str], ...]
    not_checked: tuple[str, ...]
    signature: str

    _named_by: ClassVar[str] = "label"
    _noun: ClassVar[str] = "run"

    @property
    def _parts(self) -> tuple[RankedRun, ...]:
        return self.runs

    @property
    def joint(self) -> bool:
        """The rank ranges hold for all runs at once."""
        return self.methods.rank_level is None

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The labels of each group of runs that cannot be told apart, best first."""
        most = max(one.groups[-1] for one in self.runs)
        return tuple(tuple(one.label for one in self.runs if g in one.groups) for g in range(1, most + 1))


@dataclass(frozen=True)
class Ranking(ByBenchmark[RankedBenchmark], Displayed):
    """What `rank` returns: a sequence of benchmarks, also when there is one, each a sequence of runs.

    macro : the ranking by the average over several benchmarks of one scale; else None.

    `.only` is the single benchmark, `["gsm8k"]` one by name, `.rows()` flat dicts for any frame library,
    `.pair_rows()` those of all pairs, `.to_dict()` the JSON.
    """

    macro: RankedBenchmark | None = None

    @property
    def primary(self) -> tuple[RankedBenchmark, ...]:
        """All that carries caveats."""
        return self.rankings

    @property
    def rankings(self) -> tuple[RankedBenchmark, ...]:
        """That of the macro average, if there is one, and each benchmark's."""
        return self.benchmarks if self.macro is None else (self.macro, *self.benchmarks)

    @property
    def pairs(self) -> tuple[RankedPair, ...]:
        """Of all benchmarks."""
        return tuple(pair for one in self.benchmarks for pair in one.pairs)

    def rows(self) -> list[dict[str, Any]]:
        """One flat dict a benchmark and run, best first; what is not known is None."""
        return [_flat(run) for one in self.rankings for run in one]

    def pair_rows(self) -> list[dict[str, Any]]:
        """One flat dict a benchmark and pair; what is not known is None."""
        return [
            {"benchmark": one.benchmark, "metric": one.metric, **_numbers(pair)}
            for one in self.rankings
            for pair in one.pairs
        ]

    def __str__(self) -> str:
        """The text that the command prints, at 80 columns."""
        return str(display("rank_text:rank_text", self))

    def _repr_html_(self) -> str:
        return str(display("rank_notebook:html", self))

    def to_dict(self) -> dict[str, Any]:
        """The JSON: what is not known is None."""
        return {
            "schema": "evalstats/rank/1",
            "version": __version__,
            "provenance": plain(self.provenance),
            "notes": list(self.notes),
            "macro": plain(self.macro),
            "benchmarks": plain(self.benchmarks),
        }


def _numbers(pair: RankedPair) -> dict[str, Any]:
    return {name: value for name, value in plain(vars(pair)).items() if name != "undefined"}


def _flat(row: RankedRun) -> dict[str, Any]:
    estimate = row.run.estimate
    flat = {
        "benchmark": row.benchmark,
        "metric": row.metric,
        "run": row.label,
        "rank": row.rank,
        "rank_low": row.rank_low,
        "rank_high": row.rank_high,
        "groups": row.groups,
        "score": estimate.point,
        "ci_low": estimate.ci_low,
        "ci_high": estimate.ci_high,
        "standard_error": estimate.standard_error,
        "n": estimate.n,
        "method": estimate.method,
    }
    return dict(plain(flat))
