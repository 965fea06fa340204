"""`assert_not_worse`: a gate as an assertion, for suites that run under pytest.

Loaded by every pytest session where evalstats is installed, so it imports nothing heavy until it is used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import pytest

import evalstats


def assert_not_worse(
    *,
    candidate: Any,
    baseline: Any = None,
    margin: float | str | None = None,
    plan: str | None = None,
    inconclusive: Literal["fail", "pass"] = "fail",
    **options: Any,
) -> Any:
    """Fail the test unless the candidate is not worse than the baseline by more than the margin.

    baseline, candidate : runs, as `evalstats.gate` takes them. margin : in the score's own unit (0.03 is
    three points of accuracy), or text as on the command line ("3pt"); or plan : the path of a plan file,
    which may name the baseline. inconclusive : "pass" lets an inconclusive answer pass; what is no gate,
    because an unchanged candidate would pass in under half of cases, fails all the same. options : see
    `evalstats.gate`. Returns the gate. Raises InputError for a wrong call, as `evalstats.gate` does.
    """
    __tracebackhide__ = True
    runs = (candidate,) if baseline is None else (baseline, candidate)
    asked = {"margin": margin, "plan": plan}
    given: dict[str, Any] = {name: value for name, value in asked.items() if value is not None}
    gate = evalstats.gate(*runs, inconclusive=inconclusive, **given, **options)
    if gate.exit_code != 0:
        pytest.fail(f"not shown to be no worse than the baseline\n\n{gate}", pytrace=False)
    return gate


@pytest.fixture(name="assert_not_worse", scope="session")
def _fixture() -> Callable[..., Any]:
    """`assert_not_worse(baseline=..., candidate=..., margin=...)`: fails the test unless it is shown."""
    return assert_not_worse
