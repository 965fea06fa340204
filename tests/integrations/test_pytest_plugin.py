"""The pytest plugin as a suite uses it: the fixture, the function, and a failure that can be read."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys

import pytest

from evalstats.integrations.pytest_plugin import assert_not_worse

pytest_plugins = ["pytester"]

PASSES = {"baseline": "4000/5000", "candidate": "4010/5000", "discordant": (120, 130), "margin": 0.02}
FAILS = PASSES | {"candidate": "3900/5000", "discordant": (200, 100)}
OPEN = PASSES | {"candidate": "3970/5000", "discordant": (265, 235), "margin": 0.01}


def test_the_plugin_is_registered_and_costs_a_session_no_numbers():
    entries = importlib.metadata.entry_points(group="pytest11")
    assert "evalstats.integrations.pytest_plugin" in {entry.value for entry in entries}
    code = "import sys, evalstats.integrations.pytest_plugin; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "False\n"


def test_a_candidate_that_is_not_worse_passes_and_the_gate_comes_back():
    gate = assert_not_worse(**PASSES)
    assert gate.answer == "pass"
    assert gate.chances.pass_unchanged > 0.99


def test_a_failure_is_the_text_of_the_gate():
    with pytest.raises(pytest.fail.Exception) as caught:
        assert_not_worse(**FAILS)
    said = " ".join(str(caught.value).split())
    assert "Gate: fail (exit 1)" in said
    assert "−2.0 points" in said
    assert "an unchanged candidate passes in" in said


def test_an_inconclusive_answer_fails_unless_it_is_let_pass():
    with pytest.raises(pytest.fail.Exception, match="Gate: inconclusive"):
        assert_not_worse(**OPEN, inconclusive="fail")
    assert assert_not_worse(**OPEN, inconclusive="pass").answer == "inconclusive"


def test_what_is_no_gate_fails_whatever_is_asked():
    with pytest.raises(pytest.fail.Exception, match="Not a gate"):
        assert_not_worse(**PASSES | {"margin": 0.001}, inconclusive="pass")


def test_it_is_keyword_only_and_a_wrong_call_is_no_failed_test():
    with pytest.raises(TypeError, match="positional"):
        assert_not_worse("4010/5000", "4000/5000")  # type: ignore[misc]
    with pytest.raises(ValueError, match="a gate needs a margin"):
        assert_not_worse(baseline="4000/5000", candidate="4010/5000")
    with pytest.raises(ValueError, match=r"no option 'margn'.*'margin'"):
        assert_not_worse(baseline="4000/5000", candidate="4010/5000", margn=1)


def test_the_fixture_in_a_suite(pytester):
    pytester.makepyfile(
        """
        def test_merge(assert_not_worse):
            assert_not_worse(
                baseline="4000/5000", candidate="4010/5000", discordant=(120, 130), margin=0.02
            )

        def test_regression(assert_not_worse):
            assert_not_worse(
                baseline="4000/5000", candidate="3900/5000", discordant=(200, 100), margin=0.02
            )
        """
    )
    result = pytester.runpytest_subprocess("-q", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["not shown to be no worse than the baseline", "Gate: fail (exit 1)"])
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*pytest_plugin.py*")
