"""The door's checks for arrays."""

from __future__ import annotations

import pytest

import evalstats as es
from evalstats.errors import InputError

CALLS = {
    "mean": es.mean,
    "mean_difference": lambda x: es.mean_difference(x, x[::-1]),
    "unpaired mean_difference": lambda x: es.mean_difference(x, x[::-1], paired=False),
    "bootstrap_mean": lambda x: es.bootstrap_mean(x, n_boot=100),
    "quantile": es.quantile,
    "sign_flip_test": es.sign_flip_test,
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("score", [1e71, -1e300])
def test_a_score_whose_powers_no_float_holds_is_refused(call, score):
    with pytest.raises(InputError, match=r"\[\d\] is -?1e\+\d+: beyond ±1e\+70"):
        call([score, 2.0, 3.0])


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_the_largest_score_still_has_finite_answers(call):
    call([1e70, -1e70, 3.0])


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_scores_whose_squares_vanish_have_answers(call):
    call([1e-100, 3e-100, 2e-100])


def test_more_resamples_than_memory_holds_are_refused():
    with pytest.raises(InputError, match=r"n_boot=1000000000 is more than 10,000,000"):
        es.bootstrap_mean([0.0, 1.0, 1.0], n_boot=1_000_000_000)
