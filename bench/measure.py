"""CPU time and memory of calls and programs; what is compared takes turns, so that neighbours slow both."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import elsewhere

LAUNCHER = Path(__file__).parent / "launched.py"
Call = Callable[[], Any]
LEAST = 0.02  # seconds of CPU that one turn lasts: a clock is not read finer
ENOUGH = 0.6  # seconds for each turn asked: after them a pair of ways has had its turns


def clock() -> float:
    """Seconds of CPU of this process, and of what works for it in another."""
    return time.process_time() + elsewhere.seconds()


def cpu(call: Call, times: int = 1) -> float:
    """Seconds of CPU that one call takes."""
    started = clock()
    for _ in range(times):
        call()
    return (clock() - started) / times


def often_enough(seconds: float) -> int:
    """How many calls last LEAST seconds."""
    return max(1, round(LEAST / max(seconds, 1e-7)))


def alone(call: Call, turns: int) -> float:
    """The least seconds of a call over several turns, after one that warms up."""
    call()
    times = often_enough(cpu(call))
    return min(cpu(call, times) for _ in range(turns))


def in_turns(ours: Call, theirs: Call, turns: int) -> tuple[float, float]:
    """The least seconds of each, both called before. A slow pair has two turns, or the one that was asked."""
    started = time.monotonic()
    our_times = often_enough(cpu(ours))
    found = [(cpu(ours, our_times), cpu(theirs))]
    their_times = often_enough(found[0][1])
    while len(found) < min(turns, 2) or (len(found) <= turns and time.monotonic() - started < ENOUGH * turns):
        found.append((cpu(ours, our_times), cpu(theirs, their_times)))
    return min(ours for ours, _ in found), min(theirs for _, theirs in found)


def peak(call: Call) -> int:
    """The most bytes that a call holds at once, beyond what was there before."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def peaks(ours: Call, theirs: Call, turns: int) -> tuple[float, float]:
    return float(peak(ours)), float(peak(theirs))


@dataclass(frozen=True)
class Program:
    """A process from its start to its end: seconds of CPU, wall clock, and its peak of resident memory."""

    seconds: float
    elapsed: float
    megabytes: float


def program(command: Sequence[str]) -> Program:
    """Run a command that must succeed, without its output."""
    launched = [sys.executable, "-I", "-S", str(LAUNCHER), *command]
    done = subprocess.run(launched, check=False, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-500:]}")
    seconds, elapsed, kilobytes = json.loads(done.stdout)
    return Program(seconds, elapsed, kilobytes / (2**20 if sys.platform == "darwin" else 1024))


def programs_in_turns(commands: Sequence[Sequence[str]], turns: int) -> list[Program]:
    """Of each command, the turn that is the middle one by CPU time: start-ups are short and noisy."""
    rounds = [[program(command) for command in commands] for _ in range(turns)]
    return [
        sorted(column, key=lambda one: one.seconds)[statistics.median_low(range(turns))]
        for column in zip(*rounds, strict=True)
    ]
