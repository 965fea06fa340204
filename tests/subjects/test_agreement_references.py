"""Agreement coefficients are those of R, statsmodels, irrCAC and krippendorff."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import evalstats as es
from evalstats.subjects.agreement_intervals import fce_error
from tests.reference import cases

STORED = json.loads((Path(__file__).parents[1] / "data" / "agreement" / "values.json").read_text())


@pytest.mark.parametrize("case", cases("agreement", "kappa.cohen"))
def test_cohen_is_that_of_statsmodels_and_r(case):
    table, right, near = case["input"]["table"], case["expected"], case["tolerance"]
    kappa = es.cohen_kappa(*es.agreement.labels_of_table(table))
    assert kappa.point == pytest.approx(right["kappa"], abs=near)
    assert kappa.extra["observed_agreement"] == pytest.approx(right["po"], abs=near)
    assert kappa.extra["expected_agreement"] == pytest.approx(right["pe"], abs=near)
    assert kappa.extra["chance_error"] == pytest.approx(right["se_null"], abs=near)
    w = np.eye(len(table))
    assert fce_error(np.array(table, float), w) == pytest.approx(right["se"], abs=near)
    if right["se"] > 0:
        assert kappa.standard_error == pytest.approx(right["se"], abs=near)
        assert (kappa.ci_low, kappa.ci_high) == pytest.approx((right["low"], right["high"]), abs=near)
    else:
        assert math.isnan(kappa.ci_low)
        assert "standard error is 0" in kappa.extra["undefined"]["ci_low"]


@pytest.mark.parametrize("case", cases("agreement", "kappa.weighted"))
def test_weighted_kappa_is_that_of_statsmodels(case):
    table, right = case["input"]["table"], case["expected"]
    rows = es.agreement.labels_of_table(table)
    kappa = es.cohen_kappa(*rows, weights=case["input"]["weights"])
    assert kappa.point == pytest.approx(right["kappa"], abs=case["tolerance"])
    if right["se"] > 0:
        assert kappa.standard_error == pytest.approx(right["se"], abs=case["tolerance"])


@pytest.mark.parametrize("case", cases("agreement", "kappa.weighted_custom"))
def test_disagreements_of_ones_own_are_cohens(case):
    rows = es.agreement.labels_of_table(case["input"]["table"])
    assert es.cohen_kappa(*rows).point == pytest.approx(case["expected"]["kappa"], abs=case["tolerance"])
    kappa = es.cohen_kappa(*rows, weights=case["input"]["weights"])
    assert kappa.point == pytest.approx(case["expected"]["weighted"], abs=case["tolerance"])
    own = 1 - np.array(case["input"]["weights"]) / 6
    assert es.cohen_kappa(*rows, weights=own).point == pytest.approx(kappa.point, abs=1e-12)


@pytest.mark.parametrize("case", cases("agreement", "agreement.gwet_ac1"))
def test_ac1_is_irrcacs(case):
    rows = es.agreement.labels_of_table(case["input"]["table"])
    ac1 = es.agreement.gwet_ac1(rows, categories=range(len(case["input"]["table"])))
    assert ac1.point == pytest.approx(case["expected"]["ac1"], abs=case["tolerance"])
    if case["expected"]["se"] > 0:
        assert ac1.standard_error == pytest.approx(case["expected"]["se"], abs=case["tolerance"])
    else:
        assert math.isnan(ac1.standard_error)


@pytest.mark.parametrize("case", cases("agreement", "kappa.fleiss"))
def test_fleiss_is_that_of_statsmodels_and_r(case):
    kappa = es.agreement.fleiss_kappa(es.agreement.labels_of_counts(case["input"]["counts"]))
    assert kappa.point == pytest.approx(case["expected"]["kappa"], abs=case["tolerance"])
    assert kappa.extra["chance_error"] == pytest.approx(case["expected"]["se_null"], abs=case["tolerance"])


@pytest.mark.parametrize("case", cases("agreement", "agreement.krippendorff"))
def test_alpha_is_krippendorffs(case):
    scale = case["input"]["level_of_measurement"]
    alpha = es.krippendorff_alpha(case["input"]["ratings"], scale=scale)
    assert alpha.point == pytest.approx(case["expected"]["alpha"], abs=case["tolerance"])


@pytest.mark.parametrize("case", cases("agreement", "kappa.landis_koch"))
def test_landis_and_koch_have_a_word(case):
    assert es.agreement.landis_koch(case["input"]["kappa"]) == case["expected"]["label"]


@pytest.mark.parametrize("case", STORED["cases"], ids=lambda c: f"{c['call']}-{c['set']}-{c['option']}")
def test_other_packages_agree(case):
    rows, option = STORED["sets"][case["set"]], case["option"]
    grades = (1, 2, 3, 4, 5)
    if case["call"] == "alpha":
        found = es.krippendorff_alpha(rows, scale=option)
    elif case["call"] == "kappa":
        found = es.cohen_kappa(*rows, weights=option, categories=grades)
    elif option == "identity":
        found = es.agreement.gwet_ac1(rows, categories=grades, method="linearised_t")
    else:
        found = es.agreement.gwet_ac2(rows, weights=option, categories=grades, method="linearised_t")
    assert found.point == pytest.approx(case["value"], abs=1e-9)
    if "se" in case:
        assert found.standard_error == pytest.approx(case["se"], abs=1e-9)
