"""What agreement and judges cannot answer is one clear error; no order of items or raters changes a digit."""

from __future__ import annotations

import math

import numpy as np
import pytest

import evalstats as es
from evalstats.errors import EvalStatsError, InputError, MethodError

FIVE = ["a", "b", "a", "b", "a"]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: es.agreement.confusion(FIVE, FIVE)["x"], "no class 'x' here; there are: a, b"),
        (lambda: es.agreement.labels_of_table([[1, 2], [3, 4]], ["a"]), "1 categories for 2 columns"),
        (lambda: es.agreement.labels_of_counts([[1, 2]], ["a", "b", "c"]), "3 categories for 2 columns"),
        (lambda: es.agreement.labels_of_table([[10**12, 0], [0, 1]]), "labels can be listed"),
        (lambda: es.judge.length_bias([1, 0, 1], [3.0, -2.0, 1.0], cluster=["p"]), "cluster"),
        (
            lambda: es.rogan_gladen(60, 200, 0.9, 0.95, n_pos=3, n_neg=120),
            "sensitivity=0.9 of 3 answers is 2.7",
        ),
    ],
)
def test_what_cannot_be_is_one_clear_error(call, said):
    with pytest.raises(EvalStatsError, match=said):
        call()


def test_a_class_is_found_by_its_label_or_its_name():
    of_bools = es.agreement.confusion([True, False, True], [True, True, False])
    assert of_bools[True] is of_bools["1"]
    of_numbers = es.agreement.confusion([1, 0, 2], [1, 0, 2.0])
    assert of_numbers[1.0] is of_numbers[np.int64(1)] is of_numbers["1"]
    assert of_numbers[2] is of_numbers[2.0] is of_numbers[" 2"]


def test_rates_written_with_two_digits_are_taken_as_counted():
    assert es.rogan_gladen(60, 200, 0.92, 0.95, n_pos=120, n_neg=120).n == 200


@pytest.mark.parametrize("method", [None, "linearised_t"])
@pytest.mark.parametrize("apart", [1.0, 1 - 1e-13])
def test_weights_of_all_ones_leave_a_coefficient_undefined(apart, method):
    weights = np.where(np.eye(3), 1.0, apart)
    found = es.agreement.gwet_ac2([[1, 2, 3], [1, 2, 3]], weights=weights, method=method)
    assert math.isnan(found.point)
    assert {"point", "standard_error"} <= set(found.extra["undefined"])


def test_a_ceiling_of_equal_labels_says_why_it_has_no_effect():
    same = [1] * 12
    found = es.agreement.ceiling(same, [same, same], measure="kappa")
    assert math.isnan(found.test.effect)
    assert {"effect", "statistic", "pvalue"} == set(found.test.extra["undefined"])


def test_a_ceiling_by_bca_is_drawn_as_often_as_is_asked_and_takes_the_options_of_its_neighbours():
    judge, one, two = np.random.default_rng(3).integers(0, 2, (3, 60)).tolist()
    asked = {"method": "bca", "n_boot": 300, "level": 0.9, "name": "agreed"}
    found, again, other = (es.agreement.ceiling(judge, [one, two], seed=s, **asked) for s in (1, 1, 2))
    assert found == again
    assert found.difference.ci_low != other.difference.ci_low
    for estimate in (found.judge, found.human, found.difference):
        assert (estimate.method, estimate.n_boot, estimate.seed, estimate.level) == ("bca", 300, 1, 0.9)
        assert estimate.name.startswith("agreed, ")
    with pytest.raises(MethodError, match="n_boot=300 has no use"):
        es.agreement.ceiling(judge, [one, two], n_boot=300)
    with pytest.raises(InputError, match="no option 'sed'"):
        es.agreement.ceiling(judge, [one, two], sed=1)


def test_no_order_of_items_or_raters_changes_a_digit_of_alpha():
    rng = np.random.default_rng(4)
    ratings = np.round(rng.normal(5, 2, size=(4, 60)), 2)
    wanted = es.agreement.krippendorff_alpha(ratings.tolist(), scale="interval")
    for _ in range(20):
        turned = ratings[rng.permutation(4)][:, rng.permutation(60)]
        found = es.agreement.krippendorff_alpha(turned.tolist(), scale="interval")
        assert (found.point, found.ci_low, found.ci_high) == (wanted.point, wanted.ci_low, wanted.ci_high)
