"""A ranking as a table: one line a run, best first."""

from __future__ import annotations

from collections.abc import Sequence

from evalstats.analyses.rank_result import RankedBenchmark, RankedRun
from evalstats.report import rank_wording as wording
from evalstats.report.tables import Column
from evalstats.report.terminal import clean

_LONGEST = 60


def columns(one: RankedBenchmark, shown: Sequence[RankedRun] | None = None) -> list[Column]:
    """Rank, run, score, interval alone, the ranks it may have, its groups."""
    shown = one.runs if shown is None else shown
    return [
        Column("rank", tuple(f"{run.rank:,}" for run in shown)),
        Column("run", tuple(clean(run.label, _LONGEST) for run in shown), right=False, shrink=True),
        Column("score", tuple(wording.score(one, run) for run in shown)),
        Column("alone", tuple(wording.alone(one, run) for run in shown), keep=1),
        Column("may rank", tuple(wording.ranks(run) for run in shown)),
        Column("group", tuple(wording.groups(one, run) for run in shown), right=False),
        Column("items", _items(one, shown), keep=2),
    ]


def _items(one: RankedBenchmark, shown: Sequence[RankedRun]) -> tuple[str, ...]:
    """Where the runs have different ones."""
    return tuple(f"{run.run.estimate.n:,}" if one.own_items else "" for run in shown)


def summary_columns(benchmarks: Sequence[RankedBenchmark]) -> list[Column]:
    """One line a benchmark: who is first, who may be, how many pairs are told apart."""
    return [
        Column("benchmark", tuple(clean(b.benchmark, 40) for b in benchmarks), right=False, shrink=True),
        Column("items", tuple(f"{b.design.n_items:,}" for b in benchmarks), keep=1),
        Column("first by score", tuple(_first(b) for b in benchmarks), right=False, shrink=True),
        Column("score", tuple(wording.score(b, b.runs[0]) for b in benchmarks)),
        Column("may be first", tuple(_may_be(b) for b in benchmarks), keep=2),
        Column("apart", tuple(_apart(b) for b in benchmarks)),
    ]


def _first(one: RankedBenchmark) -> str:
    leaders = [run for run in one if run.rank == 1]
    more = f" and {len(leaders) - 1} more" if len(leaders) > 1 else ""
    return clean(leaders[0].label, 30) + more


def _may_be(one: RankedBenchmark) -> str:
    return f"{sum(run.rank_low == 1 for run in one):,} of {len(one):,}"


def _apart(one: RankedBenchmark) -> str:
    return f"{sum(pair.apart for pair in one.pairs):,} of {len(one.pairs):,}"
