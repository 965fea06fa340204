"""Write the JSON Schemas of every verb's `--json` from the result types: python docs/schema/generate.py

A float may be null (what is not known is nan in Python); everything else is as its annotation says. Adding a
field keeps a schema's number; renaming or removing one raises it.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from evalstats.analyses.agree_result import Agreement
from evalstats.analyses.agree_sample import Sample
from evalstats.analyses.contamination_result import ASKED
from evalstats.analyses.cut_off_result import CutOff
from evalstats.analyses.gate_chances import GateChances
from evalstats.analyses.gate_dry_run import DryRun
from evalstats.analyses.gate_result import Decision, Reason
from evalstats.analyses.judge_checks_result import BenchmarkDrift, JudgeBias
from evalstats.analyses.judge_result import BenchmarkJudged
from evalstats.analyses.passk_result import BenchmarkAttempts
from evalstats.analyses.rank_result import RankedBenchmark
from evalstats.analyses.reproduce import Mismatch
from evalstats.analyses.show import Contents
from evalstats.analyses.size_result import Size
from evalstats.analyses.slices_result import Slice
from evalstats.analyses.variance_result import BenchmarkVariance
from evalstats.analyses.which_result import Route
from evalstats.caveats import CAVEATS
from evalstats.envelope import Comparison, Family, Provenance, Score
from evalstats.results import EXTRA, TestResult

FOLDER = Path(__file__).parent
DIALECT = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]
Fields = dict[str, Any]  # name -> annotation


def fields_of(cls: type) -> Fields:
    """The fields of a dataclass with their annotations."""
    hints = get_type_hints(cls)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls)}


VERBS: dict[str, tuple[str, Fields]] = {  # verb -> what it answers, and the fields beside schema and version
    "compare": (
        "evalstats compare: the difference of two runs, question by question.",
        {
            "provenance": Provenance,
            "notes": tuple[str, ...],
            "family": Family | None,
            "comparisons": tuple[Comparison, ...],
        },
    ),
    "score": (
        "evalstats score: each benchmark's score of one run.",
        {"provenance": Provenance, "notes": tuple[str, ...], "scores": tuple[Score, ...]},
    ),
    "slices": (
        "evalstats slices: the slices of one run against the rest, or of two runs.",
        {
            "provenance": Provenance,
            "notes": tuple[str, ...],
            "by": tuple[str, ...],
            "against": Literal["rest", "baseline"],
            "family": Family | None,
            "slices": tuple[Slice, ...],
            "whole": tuple[Slice, ...],
            "also": tuple[str, ...],
            "split": str | None,
            "cut_offs": tuple[CutOff, ...],
        },
    ),
    "gate": (
        "evalstats gate: may the candidate go out.",
        {
            "provenance": Provenance,
            "notes": tuple[str, ...],
            "answer": str,
            "exit_code": int,
            "inconclusive": str | None,
            "reasons": tuple[Reason, ...],
            "plan": str | None,
            "chances": GateChances | None,
            "decisions": tuple[Decision, ...],
            "family": Family | None,
            "macro": Comparison | None,
            "comparisons": tuple[Comparison, ...],
        },
    ),
    "gate_dry_run": (
        "evalstats gate --dry-run: what a gate does before there is a candidate.",
        fields_of(DryRun),
    ),
    "agree": ("evalstats agree: does a judge agree with people beyond chance.", fields_of(Agreement)),
    "agree-sample": (
        "evalstats agree sample: what was drawn for people to label, and the width it will buy.",
        {name: kind for name, kind in fields_of(Sample).items() if name != "rows"},
    ),
    "passk": (
        "evalstats passk: what k attempts at each problem would give.",
        {
            "provenance": Provenance,
            "notes": tuple[str, ...],
            "benchmarks": tuple[BenchmarkAttempts, ...],
        },
    ),
    "rank": (
        "evalstats rank: many runs, their rank ranges, all pairs.",
        {
            "provenance": Provenance,
            "notes": tuple[str, ...],
            "macro": RankedBenchmark | None,
            "benchmarks": tuple[RankedBenchmark, ...],
        },
    ),
    "judge": (
        "evalstats judge: a judge's score, or the difference of two runs by it, with its errors taken out.",
        {"provenance": Provenance, "notes": tuple[str, ...], "benchmarks": tuple[BenchmarkJudged, ...]},
    ),
    "judge_drift": (
        "evalstats judge --anchors: the same frozen answers judged before and after.",
        {"provenance": Provenance, "notes": tuple[str, ...], "benchmarks": tuple[BenchmarkDrift, ...]},
    ),
    "judge_bias": (
        "evalstats judge --verdicts: what moves a judge of pairs beside quality.",
        fields_of(JudgeBias),
    ),
    "variance": (
        "evalstats variance: where the noise of a score comes from, and what to buy next.",
        {
            "provenance": Provenance,
            "notes": tuple[str, ...],
            "benchmarks": tuple[BenchmarkVariance, ...],
        },
    ),
    "contamination": (
        "evalstats contamination: signs that a model has seen a test.",
        {
            "provenance": Provenance,
            "notes": tuple[str, ...],
            "asked": Literal[tuple(ASKED)],
            "labels": tuple[str, ...],
            "alpha": float,
            "family": Family | None,
            "comparisons": tuple[Comparison, ...],
            "cut_offs": tuple[CutOff, ...],
            "not_checked": tuple[str, ...],
            "order": TestResult | None,
        },
    ),
    "init": (
        "evalstats init: the plan file that was written.",
        {"path": str, "benchmarks": tuple[str, ...], "notes": tuple[str, ...]},
    ),
    "size": ("evalstats size: how many items, and what a number of items can decide.", fields_of(Size)),
    "which": (
        "evalstats which: the situations that fit, each with its tool.",
        {"words": str, "known": dict[str, str], "situations": tuple[Route, ...]},
    ),
    "show": ("evalstats show: what was understood of a source.", fields_of(Contents)),
    "reproduce": (
        "evalstats reproduce: whether a result's inputs give its numbers again.",
        {
            "result": str,
            "call": str,
            "result_version": str,
            "reproduced": bool,
            "compared": int,
            "mismatches": tuple[Mismatch, ...],
            "notes": tuple[str, ...],
        },
    ),
    "formats": ("evalstats show formats: the logs that can be read.", {"formats": dict[str, str]}),
}

_PLAIN: dict[Any, Schema] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": ["number", "null"]},
    types.NoneType: {"type": "null"},
    Any: {},
}

_CAVEAT: Schema = {
    "type": "object",
    "properties": {"code": {"enum": sorted(CAVEATS)}, "text": {"type": "string"}},
    "required": ["code", "text"],
    "additionalProperties": False,
}

_IN_EXTRA: dict[str, Schema] = {  # the types of results.EXTRA
    "number": {"type": ["number", "null"]},
    "integer": {"type": "integer"},
    "text": {"type": "string"},
    "object": {"type": "object", "additionalProperties": {"type": "string"}},
    "list of {code, text}": {"type": "array", "items": _CAVEAT},
    "[low, high]": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
    "[point, low, high]": {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3},
}


class _Definitions:
    """Schemas of dataclasses by name, each written once."""

    def __init__(self) -> None:
        self.named: dict[str, Schema] = {}

    def schema(self, annotation: Any) -> Schema:
        """The schema of one annotation."""
        if annotation in _PLAIN:
            return _PLAIN[annotation]
        if dataclasses.is_dataclass(annotation):
            return self._reference(annotation)
        origin, inner = get_origin(annotation), get_args(annotation)
        return _BY_ORIGIN[origin](self, inner)

    def union(self, inner: tuple[Any, ...]) -> Schema:
        schemas = [self.schema(each) for each in inner]
        if all(set(schema) == {"type"} for schema in schemas):
            kinds = [kind for schema in schemas for kind in _listed(schema["type"])]
            return {"type": list(dict.fromkeys(kinds))}
        return {"anyOf": schemas}

    def row(self, inner: tuple[Any, ...]) -> Schema:
        """tuple[X, ...] of any length, tuple[X, Y] of just these."""
        if inner[-1] is Ellipsis:
            return {"type": "array", "items": self.schema(inner[0])}
        items = [self.schema(each) for each in inner]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}

    def mapping(self, inner: tuple[Any, ...]) -> Schema:
        values = self.schema(inner[1])
        return {"type": "object", "additionalProperties": values} if values else {"type": "object"}

    def words(self, inner: tuple[Any, ...]) -> Schema:
        return {"enum": list(inner)}

    def object(self, fields: Fields) -> Schema:
        return {
            "type": "object",
            "properties": {name: self._property(name, kind) for name, kind in fields.items()},
            "required": list(fields),
            "additionalProperties": False,
        }

    def _property(self, name: str, annotation: Any) -> Schema:
        if name == "extra":
            return _extra()
        if name == "caveats":
            return {"type": "array", "items": _CAVEAT}
        return self.schema(annotation)

    def _reference(self, cls: type) -> Schema:
        if cls.__name__ not in self.named:
            self.named[cls.__name__] = {}  # a type may hold itself
            about = inspect.getdoc(cls) or ""
            generated = about.startswith(f"{cls.__name__}(")  # dataclass writes one where there is none
            described = {} if generated else {"description": about.split("\n\n>>>")[0]}
            self.named[cls.__name__] = described | self.object(fields_of(cls))
        return {"$ref": f"#/$defs/{cls.__name__}"}


_BY_ORIGIN: dict[Any, Callable[[_Definitions, tuple[Any, ...]], Schema]] = {
    Union: _Definitions.union,
    types.UnionType: _Definitions.union,
    tuple: _Definitions.row,
    dict: _Definitions.mapping,
    Literal: _Definitions.words,
}


def _listed(kind: str | list[str]) -> list[str]:
    return [kind] if isinstance(kind, str) else kind


def _extra() -> Schema:
    """The closed list of results.EXTRA; every key is optional."""
    keys = {key: {"description": about, **_IN_EXTRA[kind]} for key, (kind, about) in EXTRA.items()}
    return {"type": "object", "properties": keys, "additionalProperties": False}


def schema_of(verb: str) -> Schema:
    """The JSON Schema of one verb's output."""
    about, fields = VERBS[verb]
    definitions = _Definitions()
    body = definitions.object(fields)
    fixed = {"schema": {"const": f"evalstats/{verb}/1"}, "version": {"type": "string"}}
    return {
        "$schema": DIALECT,
        "title": f"evalstats/{verb}/1",
        "description": about,
        **body,
        "properties": fixed | body["properties"],
        "required": [*fixed, *body["required"]],
        "$defs": dict(sorted(definitions.named.items())),
    }


def written(verb: str) -> str:
    """The text of a verb's file."""
    return json.dumps(schema_of(verb), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for name in VERBS:
        (FOLDER / f"{name}.json").write_text(written(name), encoding="utf-8")
