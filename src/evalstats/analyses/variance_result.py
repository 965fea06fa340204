"""What `components` returns, and its JSON. Frozen; nothing here computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evalstats._version import __version__
from evalstats.answers import ByBenchmark
from evalstats.envelope import Scale
from evalstats.results import display, plain
from evalstats.subjects.variance import Component as Component  # what it holds, for who shows it
from evalstats.subjects.variance import Decomposition as Decomposition
from evalstats.subjects.variance_plan import Best as Best
from evalstats.subjects.variance_plan import Step as Step


@dataclass(frozen=True, kw_only=True)
class BenchmarkVariance:
    """Where the noise of one benchmark's score comes from.

    factor : what is crossed with the items, and its levels; None without one. key : what the items of several
    runs were paired by. n_dropped : items that some run or level lacks and that were left out, as asked.
    together : completions of an item are the same for every level (two graders of one log), so that their
    mean is scored and the item holds their noise. cluster : field by which the log groups the items, where
    no source is called so. found : the components and what to buy.
    """

    benchmark: str
    metric: str
    scale: Scale
    factor: str | None
    levels: tuple[str, ...]
    key: str | None
    n_dropped: int
    together: bool
    cluster: str | None
    found: Decomposition
    caveats: tuple[dict[str, str], ...]
    signature: str


@dataclass(frozen=True)
class Variances(ByBenchmark[BenchmarkVariance]):
    """What `components` returns: a sequence of benchmarks, also when there is one.

    `.only` is the single benchmark, `["gsm8k"]` one by name, `.rows()` flat dicts for any frame library,
    `.to_dict()` the JSON.
    """

    @property
    def primary(self) -> tuple[BenchmarkVariance, ...]:
        """All that carries caveats."""
        return self.benchmarks

    def rows(self) -> list[dict[str, Any]]:
        """One flat dict a benchmark and source; what is not known is None."""
        return [
            {
                "benchmark": one.benchmark,
                "metric": one.metric,
                "source": component.name,
                "levels": component.levels,
                "variance": component.variance,
                "share": plain(component.share.point),
                "ci_low": plain(component.share.ci_low),
                "ci_high": plain(component.share.ci_high),
                "of_mean": component.of_mean,
                "share_of_mean": plain(component.share_of_mean),
            }
            for one in self.benchmarks
            for component in one.found.components
        ]

    def __str__(self) -> str:
        return str(display("variance_text:variance_text", self))

    def _repr_html_(self) -> str:
        return str(display("planning_notebook:variances_html", self))

    def to_dict(self) -> dict[str, Any]:
        """The JSON: what is not known is None."""
        return {
            "schema": "evalstats/variance/1",
            "version": __version__,
            "provenance": plain(self.provenance),
            "notes": list(self.notes),
            "benchmarks": plain(self.benchmarks),
        }
