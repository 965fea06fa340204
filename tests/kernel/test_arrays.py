"""The door's checks for arrays."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

import evalstats as es
from evalstats.errors import InputError
from evalstats.kernel.arrays import check_labels

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
    with pytest.raises(InputError, match=r"n_boot=2000001 is more than 2,000,000.* leave it out"):
        es.bootstrap_mean([0.0, 1.0, 1.0], n_boot=2_000_001)


LABELS = [3, 3, 1, 1, 3, -7, -7, 1]


@pytest.mark.parametrize(
    "labels",
    [
        LABELS,
        tuple(LABELS),
        np.array(LABELS),
        np.array(LABELS, dtype=object),
        np.array(LABELS, dtype=float),
        np.array(LABELS, dtype=np.int8),
        np.array(LABELS)[:, np.newaxis].repeat(2, axis=1)[:, 1],
    ],
    ids=["list", "tuple", "integers", "objects", "floats", "bytes", "strided"],
)
def test_labels_have_codes_in_the_order_in_which_they_come(labels):
    codes, names = check_labels(labels, 8, "cluster")
    assert codes.tolist() == [0, 0, 1, 1, 0, 2, 2, 1]
    assert names == [3, 1, -7]
    assert codes.dtype == np.intp


@pytest.mark.parametrize(
    ("labels", "names", "kind"),
    [(["b", "b", "a", "b"], ["b", "a"], str), ([True, True, False, True], [True, False], bool)],
)
def test_labels_of_an_array_are_those_of_a_list(labels, names, kind):
    for given_as in (labels, np.array(labels)):
        codes, found = check_labels(given_as, 4, "cluster")
        assert (codes.tolist(), found) == ([0, 0, 1, 0], names)
        assert all(type(label) is kind for label in found)


def test_no_labels_of_no_scores_have_no_codes():
    for labels in ([], np.array([], dtype=int)):
        codes, found = check_labels(labels, 0, "cluster")
        assert (codes.tolist(), found) == ([], [])


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (["a", None, "b", None], r"cluster\[1\] is missing"),
        ([1.0, float("nan"), None, [2]], r"cluster\[1\] is missing"),
        (np.array([1.0, 2.0, 2.0, np.nan]), r"cluster\[3\] is missing"),
        (["a", ["b"], None, "c"], r"cluster\[1\] is \['b'\]: a label is a text or a number"),
        (["a", np.array([1, 2]), "b", "c"], r"cluster\[1\] is array\(\[1, 2\]\): a label is"),
        (np.array([[1, 2]] * 4), r"cluster\[0\] is \[1, 2\]: a label is"),
        (np.array([1, 2, 3]), "cluster has 3 labels for 4 scores"),
        (["a"], "cluster has 1 labels for 4 scores"),
    ],
)
def test_the_first_that_is_no_label_is_named(labels, said):
    with pytest.raises(InputError, match=said):
        check_labels(labels, 4, "cluster")


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        (np.array([1, np.nan], dtype=np.float32), r"scores\[1\] is nan, which is no score"),
        (np.array([1, np.inf], dtype=np.float16), r"scores\[1\] is inf, which is no score"),
        ([1, 10**400], r"scores\[1\] is inf: beyond"),
        (np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False]), r"scores\[1\] is masked, which is"),
        ([1.0, Decimal("sNaN")], r"scores\[1\] is .*sNaN.*, which is no score"),
    ],
)
def test_what_is_no_score_is_named(scores, said):
    with pytest.raises(InputError, match=said):
        es.mean(scores)


@pytest.mark.parametrize("labels", [np.array(5), 5, [Decimal("sNaN"), 1]])
def test_what_is_no_list_of_labels_is_refused(labels):
    with pytest.raises(InputError, match=r"cluster"):
        es.mean([0.1, 0.7], labels)


def test_a_mask_that_hides_nothing_is_no_hindrance():
    assert repr(es.mean(np.ma.array([0.1, 0.4, 0.7]))) == repr(es.mean([0.1, 0.4, 0.7]))


@pytest.mark.parametrize("lowest", [2**53 + 2, 2**63 + 2**12, 2**64 - 2**14])
def test_whole_numbers_beyond_the_digits_of_a_float_are_floats(lowest):
    scores = np.array([lowest, lowest + 2**11, lowest + 2**12], dtype=np.uint64)
    for paired in (True, False):
        assert es.mean_difference(scores, scores[::-1], paired=paired).point == 0
    assert es.mean(scores).point == pytest.approx(lowest + 2**11, rel=1e-15)


def test_one_item_has_no_spread_to_divide_by():
    found = es.mean_difference(
        [0.3], [0.1, 0.5, 0.9], paired=False, method="bootstrap_studentized", n_boot=100
    )
    assert "ci_low" in found.extra["undefined"]
