"""What `contaminated` returns, and its JSON. Frozen; nothing here computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evalstats._version import __version__
from evalstats.analyses.cut_off_result import CutOff
from evalstats.answers import Comparisons
from evalstats.envelope import Comparison, Provenance
from evalstats.errors import InputError
from evalstats.results import TestResult, display, plain

ASKED = {
    "rewritten": "the original items against the same items rewritten",
    "cut_off": "the items before a cut-off against those after it",
    "order": "the published order of the items against shuffled ones",
}


@dataclass(frozen=True)
class Contamination:
    """Signs that a model has seen a test. asked : a key of ASKED; the others of the three answers are empty.

    comparisons : rewritten − original, paired. cut_offs : after − before, a benchmark each. order : the test.
    labels : of the runs. alpha : at which a p is small. not_checked : what the logs of a cut-off lack.
    """

    asked: str
    labels: tuple[str, ...]
    alpha: float
    provenance: Provenance
    comparisons: Comparisons | None = None
    cut_offs: tuple[CutOff, ...] = ()
    order: TestResult | None = None
    not_checked: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def primary(self) -> tuple[Comparison | CutOff, ...]:
        """All that carries caveats."""
        return (*(self.comparisons.primary if self.comparisons is not None else ()), *self.cut_offs)

    @property
    def only(self) -> Comparison | CutOff | TestResult:
        """The single answer. Raises InputError when there are several benchmarks."""
        if self.order is not None:
            return self.order
        if len(self.primary) != 1:
            names = ", ".join(repr(one.benchmark) for one in self.primary)
            raise InputError(f"{len(self.primary)} benchmarks, not one: {names}. Choose with task=.")
        return self.primary[0]

    def __str__(self) -> str:
        return str(display("contamination_text:contamination_text", self))

    def _repr_html_(self) -> str:
        return str(display("contamination_notebook:html", self))

    def to_dict(self) -> dict[str, Any]:
        """The JSON: what is not known is None."""
        compared = self.comparisons
        return {
            "schema": "evalstats/contamination/1",
            "version": __version__,
            "provenance": plain(self.provenance),
            "notes": list(self.notes),
            "asked": self.asked,
            "labels": list(self.labels),
            "alpha": self.alpha,
            "family": None if compared is None else plain(compared.family),
            "comparisons": [] if compared is None else [plain(row) for row in compared.primary],
            "cut_offs": plain(self.cut_offs),
            "not_checked": list(self.not_checked),
            "order": None if self.order is None else plain(self.order),
        }
