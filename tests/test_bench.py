"""The benchmarks refuse what is unequal or missing, and every goal has its row. Figures are not tested."""

from __future__ import annotations

import dataclasses
import sys

import pytest

from bench import pages, peers
from bench.__main__ import run_all
from bench.checks import UnequalError, limits, noise, numbers, shares
from bench.everything import ROWS
from bench.goals import GOALS, NOT_IN_THIS_VERSION
from bench.measure import program
from bench.rows import SAME_METHOD, SAME_QUESTION, Bound, Finding, Race, Reading
from bench.runner import run
from evalstats import mean

SCORES = [0.1 * i for i in range(40)]
ADDED = Race(
    1,
    "a sum",
    peers.LOOP,
    SAME_METHOD,
    lambda: [1.0, 2.0],
    sum,
    lambda data: data[0] + data[1],
    numbers(0.0),
    0.0,
)
WRONG = dataclasses.replace(ADDED, what="a wrong sum", theirs=lambda data: 3.001)
MEASURED = Bound(2, "an amount", "ms", lambda turns: Reading(7.0, "as it happens"), at_most=8.0)


def test_two_ways_to_one_answer_are_timed():
    found = run(ADDED, turns=1)
    assert found.agreement == "equal"
    assert found.ours > 0
    assert found.theirs > 0
    assert found.met is True


def test_unequal_results_are_not_timed():
    calls = []
    counted = dataclasses.replace(WRONG, ours=lambda data: calls.append(1) or 3.0)
    with pytest.raises(UnequalError, match="differ by"):
        run(counted, turns=1)
    assert len(calls) == 1


def test_a_run_with_unequal_results_or_a_crash_says_so_and_goes_on():
    crash = dataclasses.replace(ADDED, what="a crash", theirs=lambda data: 1 / 0)
    findings, failures = run_all([WRONG, crash, ADDED], turns=1)
    assert [found.row.what for found in findings] == ["a sum"]
    assert failures[0].startswith("unequal results: a wrong sum")
    assert failures[1].startswith("failed: a crash")
    assert "ZeroDivisionError" in failures[1]


def test_what_is_slower_than_its_goal_fails_nothing():
    findings, failures = run_all([dataclasses.replace(ADDED, wanted=1e12)], turns=1)
    assert failures == []
    assert findings[0].met is False


def test_a_peer_that_is_not_installed_is_named_and_has_no_figure(monkeypatch):
    monkeypatch.setitem(peers.PEERS, "nobody", peers.Peer("no-such-distribution", "nothing"))
    found = run(dataclasses.replace(ADDED, peer="nobody"), turns=1)
    assert (found.value, found.ours, found.theirs, found.met) == (None, None, None, None)
    assert "no-such-distribution is not installed" in found.note


def test_limits_may_be_four_monte_carlo_errors_apart():
    exact = mean(SCORES, method="bootstrap_percentile")
    error = exact.extra["boot_se"] * noise()
    near, far = ((exact.ci_low, exact.ci_high + times * error) for times in (3.9, 4.1))
    assert limits()(None, exact, near) == "3.9 errors"
    with pytest.raises(UnequalError, match=r"4\.1 Monte Carlo errors"):
        limits()(None, exact, far)
    assert limits(step=lambda data: error)(None, exact, far) == "3.1 errors"
    with pytest.raises(UnequalError):
        limits(step=lambda data: error)(None, exact, (exact.ci_low, float("nan")))


def test_numbers_that_are_missing_or_of_another_shape_are_unequal():
    for ours, theirs in ((float("nan"), 1.0), (1.0, float("nan")), ([1.0, 2.0], [1.0])):
        with pytest.raises(UnequalError):
            numbers(1e-9)(None, ours, theirs)
    with pytest.raises(UnequalError):
        shares(10_000)(None, 0.5, 0.53)


def test_every_goal_has_its_row():
    with_rows = {row.goal for row in ROWS if isinstance(row, Race) and row.wanted is not None}
    with_rows |= {row.goal for row in ROWS if isinstance(row, Bound) and row.at_most is not None}
    assert with_rows - {0} == set(GOALS) - set(NOT_IN_THIS_VERSION)
    assert set(GOALS) == set(range(1, 21))


def test_every_row_is_alone_and_every_peer_is_timed():
    names = [(row.what, row.peer, getattr(row, "kind", ""), getattr(row, "unit", "")) for row in ROWS]
    assert len(set(names)) == len(names)
    timed = {row.peer for row in ROWS} - {""}
    assert timed == set(peers.PEERS)


def test_the_page_keeps_same_method_and_same_question_apart():
    question = dataclasses.replace(ADDED, what="a question", kind=SAME_QUESTION, wanted=None)
    findings = [
        Finding(ADDED, 2.5, 1e-3, 2.5e-3, "equal"),
        Finding(question, 4077.0, 1e-4, 0.4077, "0.1 errors", "a note"),
        Finding(MEASURED, 9.0, note="as it happens"),
        Finding(
            dataclasses.replace(question, what="nothing"), None, note="not run: it is not installed here"
        ),
    ]
    page = pages.page(findings, "a machine")
    same_question, same_method = (
        page.split(f"\n## {head}\n")[1].split("\n## ")[0] for head in ("The same question", "The same method")
    )
    assert "| a question | the loop | 100 µs | 408 ms | 4,077× | 0.1 errors | a note |" in same_question
    assert "| nothing | the loop |  |  | – |  | not run: it is not installed here |" in same_question
    assert "a sum" not in same_question
    assert "| a sum | the loop | 1 ms | 2.5 ms | 2.5× | equal |  |" in same_method
    assert "a question" not in same_method
    assert "| an amount | 9 ms | ≤ 8 ms | **not met** | as it happens |" in page
    assert "| 14 | 1,000 resamples of the same |  |  |  | not in this version |" in page
    goal_1, goal_2 = (line.split(" | ") for line in page.split("\n") if line.startswith(("| 1 |", "| 2 |")))
    assert goal_1[2:] == ["4,077× the loop; –", "2.5× the loop", "", "not measured |"]
    assert goal_2[2:] == ["", "", "**9 ms**", "not met |"]
    assert "{{" not in page


def test_the_stored_page_has_every_row():
    text = pages.PAGE.read_text(encoding="utf-8")
    assert [row.what for row in ROWS if f"| {row.what} |" not in text] == []


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (4077.3, "4,077"),
        (40_774.0, "40,774"),
        (254.4, "254"),
        (7.126, "7.13"),
        (0.05, "0.05"),
        (0, "0"),
        (1.6e-6, "1.6e-06"),
    ],
)
def test_figures_have_three_digits(value, shown):
    assert pages.rounded(value) == shown


def test_a_program_that_fails_is_an_error_and_its_memory_is_its_own():
    used = program([sys.executable, "-c", "held = bytearray(b'x') * (60 << 20)"])
    assert 60 < used.megabytes < 120
    with pytest.raises(RuntimeError, match="ended with 3"):
        program([sys.executable, "-c", "raise SystemExit(3)"])
