"""Problems counted by kind give the digits of the problems one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalstats.errors import EvalStatsError
from evalstats.results import Estimate
from evalstats.subjects import passk
from evalstats.subjects.passk_counted import estimate_from_counts

PROBLEM = st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))
ASKED: list[dict[str, Any]] = [
    {},
    {"level": 0.9},
    {"method": "t"},
    {"method": "wilson_effective"},
    {"method": "bootstrap_percentile"},
    {"guarantee": True},
]


def _said(n: Any, c: Any, k: Any, *measures: str, **asked: Any) -> list[str]:
    """All that the estimates say, in its order, or the error; nan equals nan."""
    try:
        return [repr(one) for one in passk.benchmark(n, c, k, measures or ("pass_at_k",), **asked)]
    except EvalStatsError as refused:
        return [repr(refused)]


@pytest.mark.parametrize("asked", ASKED, ids=str)
@given(pairs=st.lists(PROBLEM, min_size=1, max_size=40), k=st.integers(1, 9))
def test_estimates_from_counts_are_those_of_the_problems(
    asked: dict[str, Any], pairs: list[tuple[int, int]], k: int
) -> None:
    n, c = zip(*pairs, strict=True)
    measures = ("pass_at_k", "pass_hat_k", "avg_at_k")
    found = _said(n, c, k, *measures, **asked)
    with pytest.MonkeyPatch.context() as one_by_one:
        one_by_one.setattr(passk, "estimate_from_counts", lambda *asked: None)
        assert found == _said(n, c, k, *measures, **asked)


def test_many_problems_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []

    def noted(*asked: Any) -> Estimate | None:
        counted.append(estimate_from_counts(*asked))
        return counted[-1]

    monkeypatch.setattr(passk, "estimate_from_counts", noted)
    right = np.random.default_rng(1).integers(0, 21, 5000)
    passk.benchmark(20, right, (1, 5, 10))
    assert len(counted) == 6
    assert None not in counted


def test_the_order_of_problems_changes_no_digit() -> None:
    random = np.random.default_rng(2)
    n, right = random.integers(5, 12, 400), random.integers(0, 6, 400)
    order = random.permutation(400)
    assert _said(n, right, (1, 3)) == _said(n[order], right[order], (1, 3))
