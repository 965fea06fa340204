"""How far a long computation is, on standard error, for who sits in front of it; silent everywhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

AFTER = 2.0  # seconds
EVERY = 0.1


class Bar:
    """A bar of `total` steps that appears after two seconds, in a terminal or a notebook.

    clock : seconds. watched : whether somebody can see standard error.
    """

    def __init__(
        self, total: int, clock: Callable[[], float] = time.monotonic, watched: bool | None = None
    ) -> None:
        self.total, self.done, self.clock = total, 0, clock
        self.watched = _watched() if watched is None else watched
        self.start = self.last = clock()
        self.shown: Any = None
        self.task: Any = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.shown is not None:
            self.shown.stop()

    def advance(self, count: int) -> None:
        """`count` more steps are done."""
        self.done += count
        if not self.watched:
            return
        now = self.clock()
        if self.shown is None:
            if now - self.start < AFTER or self.done >= self.total:
                return
            self._open()
        elif now - self.last < EVERY and self.done < self.total:
            return
        self.last = now
        self.shown.update(self.task, completed=self.done)

    def _open(self) -> None:
        # rich costs as much as the whole of evalstats: only who waits pays for it
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self.shown = Progress(*columns, console=Console(stderr=True), transient=True)
        self.task = self.shown.add_task("resamples", total=self.total)
        self.shown.start()


def bar(total: int) -> Bar:
    return Bar(total)


def _watched() -> bool:
    """A terminal, or a notebook's kernel."""
    return sys.stderr is not None and (sys.stderr.isatty() or "ipykernel" in sys.modules)
