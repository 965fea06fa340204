"""What `attempts` returns, and its JSON. Frozen; nothing here computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evalstats._version import __version__
from evalstats.answers import ByBenchmark
from evalstats.errors import InputError
from evalstats.results import Estimate, TestResult, display, plain


@dataclass(frozen=True)
class AttemptsSide:
    """One run's part. n_problems : in its log. n_attempts : scored ones, of fewest to most a problem.

    n_unscored : attempts that were logged without a score, which count for nothing.
    """

    label: str
    model: str
    n_problems: int
    n_attempts: int
    fewest: int
    most: int
    n_unscored: int


@dataclass(frozen=True, kw_only=True)
class AttemptsRow:
    """One measure at one k. name : in full, "pass@4 (any of 4)".

    measure : pass_at_k, pass_hat_k, avg_at_k or maj_at_k. estimates : of each run, in the order of the sides.
    difference, test : candidate − baseline over the same problems, None for one run. Rows of one table rest
    on the same attempts: they are no independent answers.
    """

    name: str
    measure: str
    k: int
    estimates: tuple[Estimate, ...]
    difference: Estimate | None = None
    test: TestResult | None = None

    @property
    def short(self) -> str:
        """ "pass@4"."""
        return self.name.partition(" ")[0]

    @property
    def shown(self) -> Estimate:
        """What the row is about: the difference of two runs, or the one run's estimate."""
        return self.estimates[0] if self.difference is None else self.difference

    @property
    def caveats(self) -> tuple[dict[str, str], ...]:
        """Of what is shown."""
        return tuple(self.shown.extra.get("caveats", ()))


@dataclass(frozen=True, kw_only=True)
class BenchmarkAttempts:
    """One benchmark: the measures over the problems that stand for every k.

    key : what two runs were paired by, None for one. cluster : field that groups the problems. n_problems :
    in every run; n_common : of these, with enough attempts for the largest k; dropped : ids of the others.
    caveats : what holds for every row; each row's own are with its estimates. not_checked : what the logs do
    not tell.
    """

    benchmark: str
    metric: str
    sides: tuple[AttemptsSide, ...]
    key: str | None
    cluster: str | None
    n_problems: int
    n_common: int
    dropped: tuple[str, ...]
    rows: tuple[AttemptsRow, ...]
    caveats: tuple[dict[str, str], ...]
    signature: str
    not_checked: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> AttemptsRow:
        """By name in short or in full: "pass@4", "pass^4 (all of 4)"."""
        for row in self.rows:
            if name in (row.name, row.short):
                return row
        raise InputError(f"no {name!r} here; there are: {', '.join(row.name for row in self.rows)}.")


@dataclass(frozen=True)
class Attempts(ByBenchmark[BenchmarkAttempts]):
    """What `attempts` returns: a sequence of benchmarks, also when there is one.

    `.only` is the single benchmark, `["HumanEval"]` one by name, `.rows()` flat dicts for any frame library,
    `.to_dict()` the JSON.
    """

    @property
    def primary(self) -> tuple[BenchmarkAttempts | AttemptsRow, ...]:
        """All that carries caveats: the benchmarks and their rows."""
        return (*self.benchmarks, *(row for one in self.benchmarks for row in one.rows))

    def rows(self) -> list[dict[str, Any]]:
        """One flat dict a benchmark, measure, k and run; the difference of two runs is a row of its own."""
        return [flat for one in self.benchmarks for row in one.rows for flat in _flat(one, row)]

    def __str__(self) -> str:
        return str(display("passk_text:attempts_text", self))

    def _repr_html_(self) -> str:
        return str(display("planning_notebook:attempts_html", self))

    def to_dict(self) -> dict[str, Any]:
        """The JSON: what is not known is None."""
        return {
            "schema": "evalstats/passk/1",
            "version": __version__,
            "provenance": plain(self.provenance),
            "notes": list(self.notes),
            "benchmarks": plain(self.benchmarks),
        }


def _flat(one: BenchmarkAttempts, row: AttemptsRow) -> list[dict[str, Any]]:
    named = [(side.label, estimate) for side, estimate in zip(one.sides, row.estimates, strict=True)]
    if row.difference is not None:
        named.append(("candidate − baseline", row.difference))
    return [
        {
            "benchmark": one.benchmark,
            "metric": one.metric,
            "measure": row.measure,
            "k": row.k,
            "run": run,
            **{
                name: plain(getattr(estimate, name))
                for name in ("point", "ci_low", "ci_high", "standard_error", "n", "method")
            },
        }
        for run, estimate in named
    ]
