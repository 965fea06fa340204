"""HumanEval's *_results.jsonl: a line a completion, as `evaluate_functional_correctness` writes them.

Completions of one problem have no number; they count in the order of the file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from evalstats.data.scores import TEXTS, Exchange, Header, Row
from evalstats.readers.archive import decoded, lines
from evalstats.readers.file_names import benchmark_of, run_of_file

METRIC = "passed"
_PASSED = re.compile(rb'"passed"\s*:\s*(?:true|false|null)\b')
_ENDING = re.compile(r"(?:\.jsonl)?_results\.jsonl(?:\.\w+)?$")


class _Line(msgspec.Struct):
    """passed : None where the test suite gave no answer."""

    task_id: str
    passed: bool | None
    completion: str = ""


_LINE = msgspec.json.Decoder(_Line)


def detect(path: Path, start: bytes) -> bool:
    """Lines with a task, what became of its completion, and whether that passed."""
    first = start.lstrip()
    return first.startswith(b"{") and all(
        (b'"task_id"' in first, b'"result"' in first, bool(_PASSED.search(first)))
    )


def rows(path: Path, wanted: frozenset[str]) -> Iterator[Header | Row]:
    """A header a benchmark (the part of task_id before its last slash), a row a completion.

    Raises InputError that names the line for what cannot be read.
    """
    run, with_texts = run_of_file(path, _ENDING), TEXTS in wanted
    opened: set[str] = set()
    seen: Counter[str] = Counter()
    for number, text in lines(path):
        line = decoded(text, _LINE, path, number)
        benchmark = benchmark_of(line.task_id)
        if benchmark not in opened:
            opened.add(benchmark)
            yield Header(
                run, benchmark, str(path), "human_eval", run, primary=METRIC, bounds={METRIC: (0.0, 1.0)}
            )
        seen[line.task_id] += 1
        yield Row(
            run,
            benchmark,
            METRIC,
            line.task_id,
            None if line.passed is None else float(line.passed),
            epoch=seen[line.task_id],
            status="missing" if line.passed is None else "scored",
            fields={"task_id": line.task_id},
            exchange=Exchange("", "", line.completion) if with_texts else None,
        )
