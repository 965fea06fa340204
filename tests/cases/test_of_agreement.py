"""Cases about agreement of judges."""

from __future__ import annotations

import math

import pytest
from hypothesis import given

import evalstats as es
from tests.cases import strategies
from tests.cases.case import answered
from tests.cases.test_of_one_run import few

ONE_CLASS = answered("kappa-one-class")


@few
@given(drawn=strategies.kappa_one_class())
def test_one_class_has_no_kappa_and_says_why(drawn):
    for judge, human in (drawn, (ONE_CLASS.given["judge"], ONE_CLASS.given["human"])):
        kappa = es.cohen_kappa(judge, human)
        assert math.isnan(kappa.point)
        assert kappa.to_dict()["point"] is None is ONE_CLASS.right["kappa"]
        assert kappa.extra["observed_agreement"] == ONE_CLASS.right["observed"]
        assert kappa.extra["expected_agreement"] == ONE_CLASS.right["expected"]
        assert ONE_CLASS.right["reason"] in kappa.extra["undefined"]["point"]


CONSTANT = answered("kappa-constant-judge")


@few
@given(drawn=strategies.kappa_constant_judge())
def test_a_judge_who_always_says_one_thing_agrees_by_chance_alone(drawn):
    passes, fails = drawn
    for n_pass, n_fail in (drawn, (9, 1)):
        human = ["pass"] * n_pass + ["fail"] * n_fail
        found = es.agree([{"judge": "pass", "human": one} for one in human])
        assert found.estimate.point == CONSTANT.right["kappa"]
        rates = {one.category: one for one in found.matrix.classes}
        assert rates["fail"].recall.point == CONSTANT.right["recall_fail"]
        assert found["agreement"].estimate.point == pytest.approx(n_pass / (n_pass + n_fail))
    assert found["agreement"].estimate.point == CONSTANT.right["observed"]
    assert passes + fails > 0


UNUSED = answered("kappa-unused-grades")


@few
@given(drawn=strategies.kappa_unused_grades())
def test_grades_nobody_gave_are_grades(drawn):
    grades = (1, 2, 3, 4, 5)
    for a, b in (drawn, (UNUSED.given["a"], UNUSED.given["b"])):
        weights = UNUSED.given["weights"]
        declared = es.cohen_kappa(a, b, weights=weights, categories=grades)
        by_value = es.cohen_kappa(a, b, weights=weights)
        assert declared.point == pytest.approx(by_value.point, abs=1e-12, nan_ok=True)
        mirrored = es.cohen_kappa([6 - x for x in a], [6 - x for x in b], weights=weights, categories=grades)
        assert mirrored.point == pytest.approx(declared.point, abs=1e-12, nan_ok=True)
    assert declared.point == pytest.approx(UNUSED.right["quadratic_kappa"], abs=1e-12)
    assert by_value.point == pytest.approx(UNUSED.right["same_by_value"], abs=1e-12)


ONE_DISAGREEMENT = answered("krippendorff-one-disagreement")


@few
@given(drawn=strategies.krippendorff_one_disagreement())
def test_a_single_other_label_is_what_chance_expects(drawn):
    """All labels but one are the same: α is 0, or just below for want of labels."""
    alpha = es.krippendorff_alpha(drawn)
    assert -0.5 <= alpha.point <= 1e-9
    assert es.krippendorff_alpha(ONE_DISAGREEMENT.given["raters"]).point == pytest.approx(
        ONE_DISAGREEMENT.right["alpha_nominal"], abs=1e-12
    )


ALL_SAME = answered("krippendorff-all-same")


@few
@given(drawn=strategies.krippendorff_all_same())
def test_no_variation_has_no_alpha(drawn):
    for raters in (drawn, ALL_SAME.given["raters"]):
        for scale in ("nominal", "ordinal", "interval", "ratio"):
            alpha = es.krippendorff_alpha(raters, scale=scale)
            assert alpha.to_dict()["point"] is None is ALL_SAME.right["alpha"]
            assert "0/0" in alpha.extra["undefined"]["point"]
            if scale != "ordinal":
                assert alpha.extra["observed_agreement"] == ALL_SAME.right["observed"]
