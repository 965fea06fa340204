"""The bar of a long computation: after two seconds, before somebody's eyes, on standard error."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from evalstats.methods.bootstrap import bootstrap_statistic
from evalstats.report.progress import AFTER, Bar, bar


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def moved(clock: Clock, shown: Bar, seconds: float, count: int) -> None:
    clock.now += seconds
    shown.advance(count)


def test_the_bar_waits_two_seconds_and_then_shows_what_is_done() -> None:
    clock = Clock()
    with Bar(1000, clock, watched=True) as shown:
        moved(clock, shown, AFTER - 0.01, 10)
        assert shown.shown is None
        moved(clock, shown, 0.02, 10)
        assert shown.shown.console.stderr
        assert shown.shown.tasks[0].completed == 20
        moved(clock, shown, 0.01, 10)  # too soon to draw again
        assert shown.shown.tasks[0].completed == 20
        moved(clock, shown, 1.0, 970)
        assert shown.shown.tasks[0].completed == 1000
    assert not shown.shown.live.is_started


def test_nobody_watching_sees_nothing() -> None:
    clock = Clock()
    with Bar(10, clock, watched=False) as shown:
        moved(clock, shown, 100.0, 5)
    assert shown.shown is None


def test_pipes_are_not_watched_and_terminals_are(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not bar(10).watched
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert bar(10).watched


def test_a_bootstrap_tells_the_bar_of_every_resample(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[int] = []
    monkeypatch.setattr(Bar, "advance", lambda self, count: seen.append(count))
    bootstrap_statistic(list(range(20)), np.mean, n_boot=1200)
    assert (sum(seen), max(seen)) == (1200, 1)
    assert capsys.readouterr() == ("", "")
