"""Logs that name neither their run nor their benchmark inside: what the file and its items are called."""

from __future__ import annotations

import re
from pathlib import Path

_SAMPLES = re.compile(r"[._-]?samples$")


def run_of_file(path: Path, ending: re.Pattern[str]) -> str:
    """The file's name without its ending and "samples"; the folder's where nothing is left.

    >>> ending = re.compile(r"_eval_results[.]json$")
    >>> run_of_file(Path("runs/model-a_samples_eval_results.json"), ending)
    'model-a'
    >>> run_of_file(Path("runs/model-b/samples_eval_results.json"), ending)
    'model-b'
    """
    name = _SAMPLES.sub("", ending.sub("", path.name))
    return name or path.resolve().parent.name


def benchmark_of(task_id: str) -> str:
    """ "HumanEval" of "HumanEval/12"; "problems" where the id has no such part.

    >>> benchmark_of("Mbpp/2"), benchmark_of("12")
    ('Mbpp', 'problems')
    """
    name, slash, _ = task_id.rpartition("/")
    return name if slash and name else "problems"
