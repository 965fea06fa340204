"""Each case is answered in this folder or waits for something named, and has a strategy of its kind."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

import pytest
from hypothesis.strategies import SearchStrategy

from tests.cases import strategies
from tests.cases.case import ANSWERED, CASES, WAITING

ANSWERS = sorted(path.stem for path in Path(__file__).parent.glob("test_of_*.py"))
SOURCES = "".join(inspect.getsource(importlib.import_module(f"tests.cases.{name}")) for name in ANSWERS)


def test_every_case_is_answered_or_waits_for_something_named():
    assert len(CASES) == 65
    assert not ANSWERED & set(WAITING)
    assert set(CASES) == ANSWERED | set(WAITING)


@pytest.mark.parametrize("name", sorted(set(CASES) - set(WAITING)))
def test_the_whole_kind_of_a_case_is_generated_and_used(name):
    kind = name.replace("-", "_")
    assert isinstance(getattr(strategies, kind)(), SearchStrategy)
    assert f"strategies.{kind}()" in SOURCES
