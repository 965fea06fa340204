"""Cases about scores that a judge gave."""

from __future__ import annotations

import pytest
from hypothesis import given

import evalstats as es
from evalstats.errors import MethodError
from tests.cases import strategies
from tests.cases.case import answered
from tests.cases.test_of_one_run import few, limits, near

CORRECTED = answered("rogan-gladen")


def test_the_interval_is_corrected_with_the_rate():
    hits, n, sensitivity, specificity = CORRECTED.given.values()
    found = es.rogan_gladen(hits, n, sensitivity, specificity)
    assert found.point == CORRECTED.right["corrected_point"]
    assert limits(found) == near(CORRECTED.right["corrected_wilson"])
    assert limits(found) != near(limits(es.proportion(hits, n)))


@few
@given(drawn=strategies.rogan_gladen())
def test_limits_go_through_the_same_correction_and_a_judge_at_chance_is_an_error(drawn):
    hits, n, sensitivity, specificity = drawn
    J = sensitivity + specificity - 1
    if J < 1e-9:
        with pytest.raises(MethodError, match="not identifiable"):
            es.rogan_gladen(*drawn)
        return
    found, raw = es.rogan_gladen(*drawn), es.proportion(hits, n)
    mapped = [(end + specificity - 1) / J for end in (raw.point, *limits(raw))]
    assert found.extra["unclipped"] == pytest.approx(mapped, abs=1e-9)
    held = [min(max(end, 0.0), 1.0) for end in mapped]
    assert [found.point, *limits(found)] == pytest.approx(held, abs=1e-9)
    assert found.ci_low <= found.point <= found.ci_high
