"""What `compare` and `score` return as a whole: sequences of rows, and their JSON. Nothing here computes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload

from evalstats._version import __version__
from evalstats.envelope import Comparison, Family, Provenance, Score
from evalstats.errors import InputError
from evalstats.results import Displayed, display, plain

R = TypeVar("R", Comparison, Score)


@dataclass(frozen=True)
class _Rows(Displayed, Sequence[R], Generic[R]):
    """A sequence of the primary rows. secondary : other metrics of the same logs. notes : said once."""

    primary: tuple[R, ...]
    secondary: tuple[R, ...]
    provenance: Provenance
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.primary)

    def __iter__(self) -> Iterator[R]:
        return iter(self.primary)

    @overload
    def __getitem__(self, key: int | str) -> R: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[R]: ...
    def __getitem__(self, key: int | str | slice) -> R | Sequence[R]:
        """By position, or by benchmark name (the primary metric's row)."""
        if not isinstance(key, str):
            return self.primary[key]
        for row in self.primary:
            if row.benchmark == key:
                return row
        raise InputError(f"no benchmark {key!r} here; there are: {self._names()}.")

    @property
    def only(self) -> R:
        """The single row. Raises InputError that lists what there is when there are several."""
        if len(self.primary) != 1:
            raise InputError(f"{len(self.primary)} rows, not one: choose from {self._names()}.")
        return self.primary[0]

    def _names(self) -> str:
        return ", ".join(repr(row.benchmark) for row in self.primary)

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
