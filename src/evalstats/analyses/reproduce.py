"""`reproduce`: from a result's JSON to the same numbers, or to what stands in the way."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalstats._version import __version__
from evalstats.analyses.agree import agree
from evalstats.analyses.agree_sample import label_sample
from evalstats.analyses.compare import compare
from evalstats.analyses.contamination import contaminated
from evalstats.analyses.contamination_result import Contamination
from evalstats.analyses.gate import gate
from evalstats.analyses.judge import judged
from evalstats.analyses.judge_bias import judge_bias
from evalstats.analyses.judge_drift import judge_drift
from evalstats.analyses.passk import attempts
from evalstats.analyses.rank import rank
from evalstats.analyses.score import score
from evalstats.analyses.size import size
from evalstats.analyses.size_result import Size
from evalstats.analyses.slices import slices
from evalstats.analyses.variance import components
from evalstats.carried import carried_by
from evalstats.errors import InputError
from evalstats.sources import file_digest

SUMS_AGREE = 1e-12  # continuous sums may be added in another order by another numpy
ROUNDING = 1e-15  # what is left of scores that cancel out
_INPUT_KEYS = {"role", "path", "sha256", "format"}


@dataclass(frozen=True)
class Mismatch:
    """One number that came out differently. where : its path in the JSON."""

    where: str
    recorded: Any
    now: Any


@dataclass(frozen=True)
class Reproduction:
    """The outcome. compared : numbers compared. version : that made the result."""

    source: str
    call: str
    compared: int
    mismatches: tuple[Mismatch, ...]
    version: str
    notes: tuple[str, ...]

    @property
    def reproduced(self) -> bool:
        return not self.mismatches

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": "evalstats/reproduce/1",
            "version": __version__,
            "result": self.source,
            "call": self.call,
            "result_version": self.version,
            "reproduced": self.reproduced,
            "compared": self.compared,
            "mismatches": [vars(m) for m in self.mismatches],
            "notes": list(self.notes),
        }


def reproduce(result: str | os.PathLike[str]) -> Reproduction:
    """Do the recorded inputs and options give the recorded numbers again?

    result : path of the JSON of a verb that says how it was called (any but init, show and
    which), or of a page that carries it.
    Inputs are found by their path, else by their hash next to the result or in the working directory. Numbers
    must be equal to the last bit, or within 1e-12 relative for sums.
    Raises InputError when the file is no result, or an input is missing, changed, or was never a file.
    """
    path = Path(result)
    recorded = _load(path)
    provenance = recorded["provenance"]
    places = _located(provenance["inputs"], path.parent)
    options = dict(provenance["options"])
    beside = _files_of(provenance["call"], options)
    named = provenance["runs"]
    logs = {old: new for old, new in places.items() if old not in beside or old in named}
    runs = [_moved(run, logs) for run in named]
    options |= {name: _placed(options[name], places) for name in beside.values()}
    now = _rerun(provenance["call"], runs, options)
    compared, mismatches = _compare(_numbers_of(recorded), _numbers_of(now))
    notes = []
    if recorded["version"] != __version__:
        notes.append(f"made by evalstats {recorded['version']}, compared with {__version__}")
    moved = [f"{old} was found at {new}" for old, new in places.items() if old != new]
    return Reproduction(
        str(path), provenance["call"], compared, mismatches, recorded["version"], (*notes, *moved)
    )


def _files_of(call: str, options: dict[str, Any]) -> dict[str, str]:
    """Files that an option names, not a run: path -> the option. Of a judge, labels are files."""
    names = ("plan", "labels") if call.startswith("judge") else ("plan", "order")
    given = [(name, options[name]) for name in names if name in options]
    return {path: name for name, value in given for path in ([value] if isinstance(value, str) else value)}


def _placed(named: str | list[str], places: dict[str, str]) -> str | list[str]:
    """A file, or each of several, where it is now."""
    return places[named] if isinstance(named, str) else [places[path] for path in named]


def _load(path: Path) -> dict[str, Any]:
    try:
        recorded = carried_by(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(
            f"no file {str(path)!r}. Write one with: evalstats compare ... --json > FILE"
        ) from None
    except (ValueError, OSError, RecursionError) as error:
        raise InputError(
            f"{path} could not be read as JSON: {error}. If it is a page or a result that was cut off, write "
            "it again, with --html FILE or --json > FILE."
        ) from None
    schema = recorded.get("schema", "") if isinstance(recorded, dict) else ""
    if schema not in [f"evalstats/{call}/1" for call in _CALLS] or not _is_whole(recorded):
        raise InputError(
            f"{path} is no whole result of evalstats {', '.join(_CALLS)} (its schema is {schema!r}). "
            f"Write one with: evalstats compare ... --json > FILE"
        )
    return dict(recorded)


def _is_whole(recorded: dict[str, Any]) -> bool:
    """Whether all that a rerun needs is there, as it is written."""
    provenance = recorded.get("provenance")
    if not isinstance(recorded.get("version"), str) or not isinstance(provenance, dict):
        return False
    call, runs, inputs, options = (provenance.get(key) for key in ("call", "runs", "inputs", "options"))
    return (
        call in _CALLS
        and isinstance(options, dict)
        and isinstance(runs, list)
        and all(isinstance(run, str) for run in runs)
        and isinstance(inputs, list)
        and all(isinstance(entry, dict) and entry.keys() >= _INPUT_KEYS for entry in inputs)
    )


def _located(inputs: list[dict[str, Any]], beside: Path) -> dict[str, str]:
    """Where each recorded file is now, by its recorded path."""
    return {entry["path"]: _locate(entry, beside) for entry in inputs}


def _locate(entry: dict[str, Any], beside: Path) -> str:
    recorded, digest = Path(entry["path"]), entry["sha256"]
    if entry["format"] == "counts":
        return str(recorded)
    if digest is None:
        raise InputError(
            f"the {entry['role']} was held in memory ({entry['format']}), not a file: only files and counts "
            f"can be reproduced. Save it (Parquet, CSV) and compare the file."
        )
    places = [
        recorded,
        beside / recorded,
        *_same_name(recorded.name, beside),
        *_same_name(recorded.name, Path()),
    ]
    there = [place for place in places if place.is_file()]
    for place in there:
        if file_digest(place) == digest:
            return str(place)
    if there:
        raise InputError(f"{there[0]} has changed since the result was made: its content has another hash.")
    raise InputError(f"{recorded} is not there, and no file of that name near {beside} has its hash.")


def _same_name(name: str, folder: Path) -> Iterator[Path]:
    """Files of that name up to three folders down: a hash of everything would take too long."""
    for depth in ("", "*/", "*/*/", "*/*/*/"):
        pattern = depth + name.translate({ord(c): f"[{c}]" for c in "[]*?"})
        yield from sorted(folder.glob(pattern))


def _moved(run: str, places: dict[str, str]) -> str:
    """The run as it was named, with a moved file or folder in its new place."""
    for old, new in places.items():
        if old == new:
            continue
        for was, now in zip((Path(old), *Path(old).parents), (Path(new), *Path(new).parents), strict=False):
            named = re.search(rf"(?:^|(?<==)){re.escape(str(was))}(?=$|::|@|/)", run)
            if named:
                return f"{run[: named.start()]}{now}{run[named.end() :]}"
    return run


def _planned(*pilot: str, **options: Any) -> Size:
    """`size`, whose runs are a keyword."""
    return size(**{**options, **({"pilot": pilot} if pilot else {})})


def _contaminated(*runs: str, asked: str, **options: Any) -> Contamination:
    """`contaminated`, whose rewritten run is a keyword."""
    if asked == "rewritten":
        return contaminated(runs[0], rewritten=runs[1], **options)
    return contaminated(*runs, **options)


_AGAIN: dict[str, Any] = {
    "agree": agree,
    "agree-sample": label_sample,
    "compare": compare,
    "contamination": _contaminated,
    "gate": gate,
    "judge": judged,
    "judge_bias": judge_bias,
    "judge_drift": judge_drift,
    "passk": attempts,
    "rank": rank,
    "score": score,
    "size": _planned,
    "slices": slices,
    "variance": components,
}
_CALLS = tuple(_AGAIN)


def _rerun(call: str, runs: list[str], options: dict[str, Any]) -> dict[str, Any]:
    asked: Any = {key: tuple(value) if isinstance(value, list) else value for key, value in options.items()}
    result = _AGAIN[call](*runs, **asked)
    return dict(json.loads(json.dumps(result.to_dict())))


_ANSWERS = (
    *("family", "comparisons", "scores", "slices", "whole", "cut_offs", "order"),
    *("answer", "exit_code", "reasons", "chances", "decisions", "macro"),
    *("rows", "ceiling", "matrix", "raters", "categories", "n_items", "n_blank", "widths", "alone", "rate"),
    *("figures", "unknown", "n_pairs", "n_swapped", "first_twice", "second_twice"),
    *("benchmarks", "assumed", "lines", "unpaired", "by_completions", "between"),
)


def _numbers_of(result: dict[str, Any]) -> dict[str, Any]:
    """Every number, and every word a verdict consists of, by its place in the JSON."""
    body = {key: value for key, value in result.items() if key in _ANSWERS}
    return dict(_leaves(body, ""))


def _leaves(value: Any, where: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in ("signature", "version"):
                yield from _leaves(inner, f"{where}.{key}".lstrip("."))
    elif isinstance(value, list):
        yield f"{where}.length", len(value)
        for at, inner in enumerate(value):
            yield from _leaves(inner, f"{where}[{at}]")
    else:
        yield where, value


def _compare(recorded: dict[str, Any], now: dict[str, Any]) -> tuple[int, tuple[Mismatch, ...]]:
    """Texts are wording, which may change with the version; numbers, verdicts and what is absent may not."""
    wording = ("text", "why", "label")
    places = [place for place in recorded if place.rsplit(".", 1)[-1] not in wording]
    found = [
        Mismatch(place, recorded[place], now.get(place))
        for place in places
        if not _equal(recorded[place], now.get(place))
    ]
    return len(places), tuple(found)


def _equal(recorded: Any, now: Any) -> bool:
    if isinstance(recorded, float) and isinstance(now, int | float):
        return math.isclose(recorded, now, rel_tol=SUMS_AGREE, abs_tol=ROUNDING)
    return bool(recorded == now)
