"""After − before a cut-off: what a split adds to slices. Frozen; nothing here computes."""

from __future__ import annotations

from dataclasses import dataclass

from evalstats.envelope import Scale
from evalstats.results import Estimate, TestResult


@dataclass(frozen=True, kw_only=True)
class CutOff:
    """One benchmark's items before a cut-off against those from it on.

    of_differences : of two runs: before, after are candidate − baseline on the items of each side, and
    difference is the difference of differences. before, after, difference, test : None where too few items
    are on a side; why says so. adjusted, reject : where several benchmarks have a p, by `correction`: that
    of the slices for one run, Holm for two.
    """

    benchmark: str
    metric: str
    scale: Scale
    higher_is_better: bool
    field: str
    at: str
    of_differences: bool
    n_before: int
    n_after: int
    before: Estimate | None = None
    after: Estimate | None = None
    difference: Estimate | None = None
    test: TestResult | None = None
    adjusted: float | None = None
    reject: bool | None = None
    correction: str = "holm"
    caveats: tuple[dict[str, str], ...] = ()
    why: str = ""

    @property
    def direction(self) -> str:
        """worse, better or not_settled: what the newer items say, by the interval, of several by `reject`."""
        found = self.difference
        if found is None or self.reject is False or not (found.ci_high < 0 or found.ci_low > 0):
            return "not_settled"
        return "better" if (found.ci_low > 0) == self.higher_is_better else "worse"
