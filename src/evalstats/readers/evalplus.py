"""EvalPlus's *eval_results.json: HumanEval+ and MBPP+, each completion under base and plus tests.

`plus` means that base and plus tests pass, as EvalPlus counts it. Files before its version 0.2 hold lists of
[status, details] in place of objects.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from evalstats.data.scores import TEXTS, Exchange, Header, Row
from evalstats.errors import InputError
from evalstats.readers.archive import contents, decoded
from evalstats.readers.file_names import benchmark_of, run_of_file

BASE, PLUS = "base", "plus"
_ENDING = re.compile(r"[._-]?eval_results\.json(?:\.\w+)?$")
_EVAL = re.compile(rb'"eval"\s*:\s*\{')
_STATUS = re.compile(rb'"(?:base_status|nfiles|files)"\s*:')
_PASSES = frozenset({"pass", "success"})  # the second one before version 0.2


class _Completion(msgspec.Struct):
    base_status: str | None
    plus_status: str | None = None
    solution: str = ""


class _Lists(msgspec.Struct):
    """A problem of an old file: [status, details] of each completion."""

    base: list[list[Any]]
    plus: list[list[Any]] | None = None


class _Results(msgspec.Struct):
    eval: dict[str, list[_Completion] | _Lists]
    date: str = ""
    hash: str = ""


_RESULTS = msgspec.json.Decoder(_Results)


def detect(path: Path, start: bytes) -> bool:
    """An object `eval` of problems, by the first bytes; long solutions may hide all but the name."""
    return bool(_EVAL.search(start)) and bool(_STATUS.search(start) or _ENDING.search(path.name))


def rows(path: Path, wanted: frozenset[str]) -> Iterator[Header | Row]:
    """A header a benchmark, a row for each completion under base, and under plus where it was run.

    Raises InputError for a file that cannot be read.
    """
    results = decoded(contents(path), _RESULTS, path)
    run, with_texts = run_of_file(path, _ENDING), TEXTS in wanted
    opened: set[str] = set()
    for task_id, problem in results.eval.items():
        benchmark, completions = benchmark_of(task_id), _completions(problem, task_id, path)
        if benchmark not in opened:
            opened.add(benchmark)
            yield _header(run, benchmark, path, results)
        for epoch, one in enumerate(completions, 1):
            texts = Exchange("", "", one.solution) if with_texts else None
            for metric, score in _scores(one):
                yield Row(
                    run,
                    benchmark,
                    metric,
                    task_id,
                    score,
                    epoch,
                    "missing" if score is None else "scored",
                    fields={"task_id": task_id},
                    exchange=texts,
                )


def _header(run: str, benchmark: str, path: Path, results: _Results) -> Header:
    scale = {BASE: (0.0, 1.0), PLUS: (0.0, 1.0)}
    config = {"tests": results.hash} if results.hash else {}
    return Header(
        run,
        benchmark,
        str(path),
        "evalplus",
        run,
        created=results.date.replace(" ", "T"),
        config=config,
        primary=PLUS,
        bounds=scale,
    )


def _completions(problem: list[_Completion] | _Lists, task_id: str, path: Path) -> list[_Completion]:
    if not isinstance(problem, _Lists):
        return problem
    base = [_status(pair) for pair in problem.base]
    plus = [_status(pair) for pair in problem.plus or []] or [None] * len(base)
    if len(plus) != len(base):
        raise InputError(
            f"{path}: {task_id} has {len(base)} completions under base and {len(plus)} under plus tests. The "
            "file is damaged: run EvalPlus's evaluation again."
        )
    return [_Completion(*both) for both in zip(base, plus, strict=True)]


def _status(pair: list[Any]) -> str | None:
    return pair[0] if pair and isinstance(pair[0], str) else None


def _scores(one: _Completion) -> list[tuple[str, float | None]]:
    """Each metric with its score; base alone where the plus tests were not run."""
    base = None if one.base_status is None else one.base_status in _PASSES
    found: list[tuple[str, float | None]] = [(BASE, base)]
    if one.plus_status is not None:
        found.append((PLUS, None if base is None else base and one.plus_status in _PASSES))
    return [(metric, None if passed is None else float(passed)) for metric, passed in found]
