"""CPU time of two ways to one answer, taken in turns in one process, so that neighbours slow down both."""

from __future__ import annotations

import json
import subprocess
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Call = Callable[[], Any]
HERE = Path(__file__).parent
_LEAST = 0.02  # seconds of CPU that one turn of the faster way lasts


def cpu(call: Call, times: int = 1) -> float:
    """Seconds of CPU that one call takes."""
    started = time.process_time()
    for _ in range(times):
        call()
    return (time.process_time() - started) / times


def often_enough(call: Call) -> int:
    """How many calls last _LEAST seconds. The first one warms up."""
    call()
    return max(1, round(_LEAST / max(cpu(call), 1e-7)))


def alone(call: Call, rounds: int = 5) -> float:
    """The least seconds of a call over several turns."""
    times = often_enough(call)
    return min(cpu(call, times) for _ in range(rounds))


def in_turns(ours: Call, theirs: Call, rounds: int = 3) -> tuple[float, float]:
    """The least seconds of each over several turns, one after the other."""
    our_times, their_times = often_enough(ours), often_enough(theirs)
    turns = [(cpu(ours, our_times), cpu(theirs, their_times)) for _ in range(rounds)]
    return min(ours for ours, _ in turns), min(theirs for _, theirs in turns)


def peak(call: Call) -> int:
    """The most bytes that a call holds at once, beyond what was there before."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@dataclass
class Elsewhere:
    """The other distribution called evalstats, in a process of its own that measures itself on request."""

    process: subprocess.Popen[str]

    @classmethod
    def start(cls) -> Elsewhere | None:
        """None where its environment has not been made (`make bench` makes it)."""
        python = HERE.parent / ".venv-bench-evalstats" / "bin" / "python"
        if not python.exists():
            return None
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        return cls(subprocess.Popen([str(python), "-I", str(HERE / "elsewhere.py")], cwd="/", **pipes))

    def ask(self, method: str, scores: list[float]) -> tuple[float, list[float]]:
        """Seconds of CPU of one bootstrap of the mean, and its two limits."""
        assert self.process.stdin is not None and self.process.stdout is not None
        print(json.dumps({"method": method, "scores": scores}), file=self.process.stdin, flush=True)
        found = json.loads(self.process.stdout.readline())
        return found["seconds"], found["limits"]

    def stop(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()
