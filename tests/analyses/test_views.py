"""view="fixed_items": decoding noise on these questions alone, with no test about questions like them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import evalstats as es
from evalstats.errors import MethodError
from tests.made_runs import run_of


def _run(shift, epochs=3):
    return run_of({f"q{i}": [float((i * e + shift) % 4 > 0) for e in range(epochs)] for i in range(20)})


def _noise(shift, epochs=3):
    table = np.array([[float((i * e + shift) % 4 > 0) for e in range(epochs)] for i in range(20)])
    return (table.var(axis=1, ddof=1) / epochs).sum() / 20**2


@pytest.mark.parametrize("paired", [True, False])
def test_the_noise_of_both_runs_adds_up_and_nothing_is_tested(paired):
    row = es.compare(_run(0), _run(1), view="fixed_items", paired=paired).only
    assert row.difference.method == "fixed_items_t"
    assert row.difference.extra["view"] == "fixed_items"
    assert row.difference.standard_error == pytest.approx(math.sqrt(_noise(0) + _noise(1)), rel=1e-12)
    assert row.test is None
    assert "test:" not in row.signature


def test_one_completion_an_item_says_nothing_of_decoding_noise():
    for call in (
        lambda: es.score(_run(0, epochs=1), view="fixed_items"),
        lambda: es.compare(_run(0, epochs=1), _run(1, epochs=1), view="fixed_items"),
        lambda: es.compare(_run(0), run_of({f"q{i}": 1 for i in range(20)}), view="fixed_items"),
    ):
        with pytest.raises(MethodError, match="completion"):
            call()


def test_the_default_view_is_about_questions_like_these():
    assert es.score(_run(0)).only.run.estimate.extra["view"] == "random_items"
    assert es.compare(_run(0), _run(1)).only.difference.extra["view"] == "random_items"
