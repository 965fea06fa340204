"""What `slices` returns, and its JSON. Frozen; nothing here computes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, overload

from evalstats._version import __version__
from evalstats.analyses.cut_off_result import CutOff
from evalstats.answers import Comparisons, Parts, Scorecard
from evalstats.envelope import Comparison, Family, Provenance, Score
from evalstats.errors import InputError
from evalstats.results import Displayed, display, plain

LEAST_ITEMS = 10  # scored items; below it is too small to say
STATUSES = {
    "tested": "its p-value is one of the family",
    "too_small": "under 10 items: too small to say",
    "rest_too_small": "the other slices have under 10 items together: too small to say",
    "no_rest": "no other slice to hold it against",
    "other_side": "the older side of a cut-off: the newer one's test is its test too",
    "no_value": "the items without a value of the field",
    "no_answer": "the data give no answer; `why` says why",
    "whole": "all items of the benchmark, for comparison",
}


@dataclass(frozen=True, kw_only=True)
class Slice:
    """The items of a benchmark whose `field` is `value`, and what can be said of them.

    field : as asked, crossed fields with ×. value : None for the items without one. n_items : scored, in
    both runs where there are two. status : a key of STATUSES. why : why it was not tested, "" if it was.
    score : of the one run; None against a baseline, and where there is none.
    comparison : of two runs on this slice. Of one run: the slice (in the place of the candidate) against
    the rest (in that of the baseline), difference = slice − rest; None where it was not tested. The rest
    are the benchmark's other items that have a value.
    """

    benchmark: str
    metric: str
    field: str
    value: str | None
    n_items: int
    status: str
    why: str = ""
    score: Score | None = None
    comparison: Comparison | None = None

    @property
    def tested(self) -> bool:
        return self.status == "tested"

    @property
    def small(self) -> bool:
        """Too few items to say anything, whatever else it is."""
        return self.n_items < LEAST_ITEMS

    @property
    def slice(self) -> str | None:
        """ "topic=law", as its rows are called; None for the items without a value, and for all items."""
        return None if self.value is None else f"{self.field}={self.value}"

    @property
    def direction(self) -> str:
        """improved, regressed or not_settled; of one run: better or worse than the rest, or not_settled."""
        said = self.comparison.direction if self.comparison is not None else "not_settled"
        return said if self.score is None else {"improved": "better", "regressed": "worse"}.get(said, said)


@dataclass(frozen=True)
class Slices(Displayed, Parts[Slice]):
    """What `slices` returns: a sequence of Slice, also when there is one.

    items : in the order of fields and values, those without a value last. by : the fields, as asked.
    against : rest or baseline. whole : all items of each benchmark. also : other metrics of the same logs.
    split : the cut-off, as asked; cut_offs : then each benchmark's items after it against those before.
    `["law"]` and `["topic=law"]` are one slice, `.only` the single one, `.rows()` flat dicts for any frame
    library, `.changed()` the items that flipped between two runs, `.to_dict()` the JSON.
    """

    items: tuple[Slice, ...]
    by: tuple[str, ...]
    against: str
    whole: tuple[Slice, ...]
    family: Family | None
    provenance: Provenance
    notes: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    split: str | None = None
    cut_offs: tuple[CutOff, ...] = ()

    _named_by: ClassVar[str] = "value"
    _noun: ClassVar[str] = "slice"

    @property
    def _parts(self) -> tuple[Slice, ...]:
        return self.items

    @overload
    def __getitem__(self, key: int | str) -> Slice: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Slice]: ...
    def __getitem__(self, key: int | str | slice) -> Slice | Sequence[Slice]:
        """By position, by value, or as field=value. Raises InputError for none, or several, of that name."""
        if not isinstance(key, str):
            return self.items[key]
        found = [one for one in self.items if key in (one.value, one.slice)]
        if len(found) == 1:
            return found[0]
        if not found:
            raise InputError(f"no slice {key!r} here; there are: {self._names()}.")
        places = ", ".join(f"{one.benchmark} {one.slice}" for one in found)
        raise InputError(
            f"{len(found)} slices are called {key!r}: {places}. Write field=value, or choose one benchmark "
            f"with task=."
        )

    @property
    def primary(self) -> tuple[Score | Comparison | CutOff, ...]:
        """The rows that say something, of slices and of all items: those whose caveats count."""
        ones = (*(one for one in self.items if not one.small), *self.whole)
        rows = (row for one in ones for row in (one.score, one.comparison) if row is not None)
        return (*rows, *self.cut_offs)

    def rows(self) -> list[dict[str, Any]]:
        """One flat dict a slice, in fixed columns; what is not known is None.

        Of one run: its score with the limits of that, then the rest and the difference from it. Of two:
        the columns of `compare`.
        """
        flat = _against_rest if self.against == "rest" else _against_baseline
        return [flat(one, self.provenance) for one in self.items]

    def changed(self) -> list[dict[str, Any]]:
        """The items on which two runs differ: benchmark, field, slice, item, epoch, baseline, candidate."""
        return [
            {"benchmark": one.benchmark, "field": one.field, "slice": one.value, **plain(change)}
            for one in self.items
            for change in (one.comparison.changed if one.comparison is not None else ())
        ]

    def to_dict(self) -> dict[str, Any]:
        """The JSON: what is not known is None."""
        return {
            "schema": "evalstats/slices/1",
            "version": __version__,
            "provenance": plain(self.provenance),
            "notes": list(self.notes),
            "by": list(self.by),
            "against": self.against,
            "family": plain(self.family),
            "slices": [plain(one) for one in self.items],
            "whole": [plain(one) for one in self.whole],
            "also": list(self.also),
            "split": self.split,
            "cut_offs": plain(self.cut_offs),
        }

    def __str__(self) -> str:
        """The text that the command prints, at 80 columns."""
        return str(display("slices_text:slices_text", self))

    def _repr_html_(self) -> str:
        return str(display("slices_notebook:html", self))


_NO_COMPARISON = dict.fromkeys(
    ("baseline", "candidate", "difference", "ci_low", "ci_high", "pvalue", "adjusted", "reject", "verdict")
)
_NO_SCORE = dict.fromkeys(("run", "score", "ci_low", "ci_high", "standard_error"))


def _compared(one: Slice, provenance: Provenance) -> dict[str, Any]:
    """The columns of `compare`."""
    if one.comparison is None:
        return {**_NO_COMPARISON, "n": one.n_items, "method": None}
    return Comparisons((one.comparison,), (), provenance).rows()[0]


def _against_baseline(one: Slice, provenance: Provenance) -> dict[str, Any]:
    return {**_named(one), **_rest_of(_compared(one, provenance)), "status": one.status}


def _against_rest(one: Slice, provenance: Provenance) -> dict[str, Any]:
    scored: dict[str, Any] = {**_NO_SCORE, "n": one.n_items, "method": None}
    if one.score is not None:
        scored = Scorecard((one.score,), (), provenance).rows()[0]
    against = _compared(one, provenance)
    return {
        **_named(one),
        **_rest_of(scored),
        "rest": against["baseline"],
        **{key: against[key] for key in ("difference", "pvalue", "adjusted", "reject")},
        "verdict": one.direction,
        "status": one.status,
    }


def _named(one: Slice) -> dict[str, Any]:
    return {"benchmark": one.benchmark, "metric": one.metric, "field": one.field, "slice": one.value}


def _rest_of(columns: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in columns.items() if key not in ("benchmark", "metric", "slice")}
