"""Rows about whole programs: how long they take to start, and two large logs compared. Goal 20."""

from __future__ import annotations

import functools
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.made_logs import write_lm_eval
from bench.measure import Program, program, programs_in_turns
from bench.rows import Bound, Reading, Row
from evalstats.cli.main import VERBS

COMMAND = str(Path(sys.executable).with_name("evalstats"))
BARE = (sys.executable, "-c", "pass")
NUMPY = (sys.executable, "-c", "import numpy")
LEAST_TURNS = 9  # a start takes so little that its clock is coarse


def _times_of(command: Sequence[str], other: Sequence[str], turns: int) -> Reading:
    ours, theirs = programs_in_turns([command, other], max(turns, LEAST_TURNS))
    return Reading(
        ours.seconds / theirs.seconds, f"{1e3 * ours.seconds:.0f} ms beside {1e3 * theirs.seconds:.0f} ms"
    )


def times(command: Sequence[str], other: Sequence[str] = BARE) -> Callable[[int], Reading]:
    return lambda turns: _times_of(command, other, turns)


def _slowest_help(turns: int) -> Reading:
    """Of all verbs."""
    commands = [BARE, *((COMMAND, verb, "--help") for verb in VERBS)]
    bare, *verbs = programs_in_turns(commands, LEAST_TURNS)
    slowest = max(verbs, key=lambda one: one.seconds)
    name = list(VERBS)[verbs.index(slowest)]
    return Reading(slowest.seconds / bare.seconds, f"`{name}`, {1e3 * slowest.seconds:.0f} ms")


def _number(code: str) -> tuple[str, ...]:
    return sys.executable, "-c", f"import evalstats\n{code}"


@functools.cache
def _compared(turns: int) -> Program:
    """Two runs of 14,000 questions with their prompts, from the files to the text."""
    with tempfile.TemporaryDirectory() as folder:
        runs = [str(path) for path in write_lm_eval(Path(folder))]
        done = [program([COMMAND, "compare", *runs]) for _ in range(max(2, turns))]
    return min(done, key=lambda one: one.seconds)


def _compared_seconds(turns: int) -> Reading:
    done = _compared(turns)
    return Reading(done.seconds, f"{done.elapsed:.1f} s by the clock on the wall")


def _compared_megabytes(turns: int) -> Reading:
    return Reading(_compared(turns).megabytes, "resident memory of the whole process")


LOGS = "`compare` of two lm-eval logs of 14,000 items with full prompts, 50 MB each"
ROWS: tuple[Row, ...] = (
    Bound(
        20, "`evalstats --help`, in times a bare interpreter", "×", times((COMMAND, "--help")), 2, quick=True
    ),
    Bound(20, "the slowest `evalstats VERB --help`, in times a bare interpreter", "×", _slowest_help, 3),
    Bound(20, "`import evalstats`, in times `import numpy`", "×", times(_number(""), NUMPY), 1.3, quick=True),
    Bound(
        0,
        "import and a first interval, in times `import numpy`",
        "×",
        times(_number("evalstats.proportion(360, 500)"), NUMPY),
    ),
    Bound(0, LOGS, "s of CPU", _compared_seconds, 2),
    Bound(0, LOGS, "MB", _compared_megabytes, 150),
)
