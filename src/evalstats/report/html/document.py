"""A result's JSON back to its rows: a page is made from this alone, so that it says what the JSON says."""

from __future__ import annotations

import dataclasses
import math
import types
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from evalstats.analyses.agree_result import Agreement
from evalstats.analyses.cut_off_result import CutOff
from evalstats.analyses.rank_result import RankedBenchmark, Ranking
from evalstats.analyses.slices_result import Slice, Slices
from evalstats.answers import Comparisons, Scorecard
from evalstats.envelope import Comparison, Family, Provenance, Score
from evalstats.results import EXTRA

T = TypeVar("T")


def comparisons_of(document: Mapping[str, Any]) -> Comparisons:
    """What `Comparisons.to_dict()` was made from, but for its nans, which are null there."""
    rows = [rebuilt(Comparison, row) for row in document["comparisons"]]
    family = None if document["family"] is None else rebuilt(Family, document["family"])
    return Comparisons(
        tuple(row for row in rows if row.primary),
        tuple(row for row in rows if not row.primary),
        rebuilt(Provenance, document["provenance"]),
        tuple(document["notes"]),
        family,
    )


def scorecard_of(document: Mapping[str, Any]) -> Scorecard:
    """What `Scorecard.to_dict()` was made from."""
    rows = [rebuilt(Score, row) for row in document["scores"]]
    return Scorecard(
        tuple(row for row in rows if row.primary),
        tuple(row for row in rows if not row.primary),
        rebuilt(Provenance, document["provenance"]),
        tuple(document["notes"]),
    )


def ranking_of(document: Mapping[str, Any]) -> Ranking:
    """What `Ranking.to_dict()` was made from."""
    return Ranking(
        tuple(rebuilt(RankedBenchmark, one) for one in document["benchmarks"]),
        rebuilt(Provenance, document["provenance"]),
        tuple(document["notes"]),
        None if document["macro"] is None else rebuilt(RankedBenchmark, document["macro"]),
    )


def agreement_of(document: Mapping[str, Any]) -> Agreement:
    """What `Agreement.to_dict()` was made from."""
    return rebuilt(Agreement, document)


def slices_of(document: Mapping[str, Any]) -> Slices:
    """What `Slices.to_dict()` was made from."""
    return Slices(
        items=tuple(rebuilt(Slice, one) for one in document["slices"]),
        by=tuple(document["by"]),
        against=document["against"],
        whole=tuple(rebuilt(Slice, one) for one in document["whole"]),
        family=None if document["family"] is None else rebuilt(Family, document["family"]),
        provenance=rebuilt(Provenance, document["provenance"]),
        notes=tuple(document["notes"]),
        also=tuple(document["also"]),
        split=document.get("split"),
        cut_offs=tuple(rebuilt(CutOff, one) for one in document.get("cut_offs", ())),
    )


def rebuilt(kind: type[T], value: Any) -> T:
    """A frozen row from its JSON; null is nan where a number is wanted.

    >>> from evalstats.results import Estimate
    >>> fields = {"name": "x", "point": 0.5, "ci_low": None, "ci_high": None, "level": 0.95}
    >>> rebuilt(Estimate, {**fields, "method": "wilson", "n": 1}).ci_low
    nan
    """
    known: T = _rebuilt(kind, value)
    return known


def _rebuilt(kind: Any, value: Any) -> Any:
    if kind is float:
        return math.nan if value is None else float(value)
    if value is None:
        return None
    if dataclasses.is_dataclass(kind):
        return _row(kind, value)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _rebuilt(next(one for one in arguments if one is not type(None)), value)
    if origin is tuple:
        parts = arguments[:1] * len(value) if arguments[-1] is Ellipsis else arguments
        return tuple(_rebuilt(part, one) for part, one in zip(parts, value, strict=True))
    return value


def _row(kind: Any, value: Mapping[str, Any]) -> Any:
    hints = _hints(kind)
    if "extra" in value and "extra" in hints:
        value = {**value, "extra": {key: _extra(key, one) for key, one in value["extra"].items()}}
    return kind(**{name: _rebuilt(hint, value[name]) for name, hint in hints.items() if name in value})


def _extra(key: str, value: Any) -> Any:
    return math.nan if value is None and EXTRA.get(key, ("",))[0] == "number" else value


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)
