"""What a verb returns as a whole: a sequence of its parts, and the JSON of `compare` and `score`."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar, overload

from evalstats._version import __version__
from evalstats.envelope import Comparison, Family, Provenance, Score
from evalstats.errors import InputError
from evalstats.results import Displayed, display, plain

P = TypeVar("P")
R = TypeVar("R", Comparison, Score)
_NAMED = 20  # parts that an error lists


class Parts(Sequence[P], Generic[P]):
    """Parts in their order, also found by name."""

    _named_by: ClassVar[str] = "benchmark"
    _noun: ClassVar[str] = "benchmark"

    @property
    @abstractmethod
    def _parts(self) -> tuple[P, ...]: ...

    def __len__(self) -> int:
        return len(self._parts)

    def __iter__(self) -> Iterator[P]:
        return iter(self._parts)

    @overload
    def __getitem__(self, key: int | str) -> P: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[P]: ...
    def __getitem__(self, key: int | str | slice) -> P | Sequence[P]:
        """By place, or the first of a name. Raises InputError that lists what there is for another one."""
        if not isinstance(key, str):
            return self._parts[key]
        for part in self._parts:
            if getattr(part, self._named_by) == key:
                return part
        raise InputError(f"no {self._noun} {key!r} here; there are: {self._names()}.")

    @property
    def only(self) -> P:
        """The single one. Raises InputError that lists what there is when there are several."""
        if len(self._parts) != 1:
            raise InputError(f"{len(self._parts)} {self._noun}s, not one: choose from {self._names()}.")
        return self._parts[0]

    def _names(self) -> str:
        names = [repr(name) for part in self._parts if (name := getattr(part, self._named_by)) is not None]
        return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")


@dataclass(frozen=True)
class ByBenchmark(Parts[P]):
    """A verb's answer with a part for each benchmark: `.only` is the single one, `["HumanEval"]` by name."""

    benchmarks: tuple[P, ...]
    provenance: Provenance
    notes: tuple[str, ...] = ()

    @property
    def _parts(self) -> tuple[P, ...]:
        return self.benchmarks


@dataclass(frozen=True)
class _Rows(Displayed, Parts[R]):
    """A sequence of the primary rows. secondary : other metrics of the same logs. notes : said once."""

    primary: tuple[R, ...]
    secondary: tuple[R, ...]
    provenance: Provenance
    notes: tuple[str, ...] = ()

    @property
    def _parts(self) -> tuple[R, ...]:
        return self.primary

    def __str__(self) -> str:
        """The text that the command prints, at 80 columns."""
        return str(display("text:result_text", self))


@dataclass(frozen=True)
class Comparisons(_Rows[Comparison]):
    """What `compare` returns: a sequence of Comparison, also when there is one.

    `.only` is the single row, `["gsm8k"]` a benchmark's, `.rows()` flat dicts for any frame library,
    `.changed()` the items that flipped, `.to_dict()` the JSON.
    """

    family: Family | None = None

    def to_dict(self) -> dict[str, Any]:
        return _envelope(
            "compare",
            self.provenance,
            self.notes,
            family=plain(self.family),
            comparisons=[row.to_dict() for row in (*self.primary, *self.secondary)],
        )

    def rows(self) -> list[dict[str, Any]]:
        """One flat dict a primary row, in fixed columns; what is not known is None."""
        return [_flat_comparison(row) for row in self.primary]

    def changed(self) -> list[dict[str, Any]]:
        """The items on which the runs differ: benchmark, item, epoch, baseline, candidate."""
        return [
            {"benchmark": row.benchmark, **plain(change)} for row in self.primary for change in row.changed
        ]


@dataclass(frozen=True)
class Scorecard(_Rows[Score]):
    """What `score` returns: a sequence of Score, also when there is one."""

    def to_dict(self) -> dict[str, Any]:
        rows = [row.to_dict() for row in (*self.primary, *self.secondary)]
        return _envelope("score", self.provenance, self.notes, scores=rows)

    def rows(self) -> list[dict[str, Any]]:
        """One flat dict a primary row, in fixed columns; what is not known is None."""
        return [_flat_score(row) for row in self.primary]


def _envelope(verb: str, provenance: Provenance, notes: tuple[str, ...], **body: Any) -> dict[str, Any]:
    return {
        "schema": f"evalstats/{verb}/1",
        "version": __version__,
        "provenance": plain(provenance),
        "notes": list(notes),
        **body,
    }


def _flat_comparison(row: Comparison) -> dict[str, Any]:
    flat = {
        "benchmark": row.benchmark,
        "metric": row.metric,
        "slice": row.slice,
        "baseline": row.baseline.estimate.point,
        "candidate": row.candidate.estimate.point,
        "difference": row.difference.point,
        "ci_low": row.difference.ci_low,
        "ci_high": row.difference.ci_high,
        "pvalue": row.test.pvalue if row.test else math.nan,
        "adjusted": row.adjusted,
        "reject": row.reject,
        "verdict": row.verdict,
        "n": row.difference.n,
        "method": row.difference.method,
    }
    return dict(plain(flat))


def _flat_score(row: Score) -> dict[str, Any]:
    estimate = row.run.estimate
    flat = {
        "benchmark": row.benchmark,
        "metric": row.metric,
        "slice": row.slice,
        "run": row.run.label,
        "score": estimate.point,
        "ci_low": estimate.ci_low,
        "ci_high": estimate.ci_high,
        "standard_error": estimate.standard_error,
        "n": estimate.n,
        "method": estimate.method,
    }
    return dict(plain(flat))
