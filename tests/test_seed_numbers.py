"""Every number of the source that this much of the project can compute, from the project's own functions."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest

import evalstats as es
from evalstats.methods.clusters import design_effect
from evalstats.numeric import binomial_cdf
from evalstats.subjects.power import mcnemar_items, mde_from_standard_error
from tests.reference import FOLDER

ROWS = {
    row["id"].removeprefix("seed_numbers/"): row
    for row in json.loads((FOLDER / "seed_numbers.json").read_text(encoding="utf-8"))
}


def limits(estimate: Any) -> list[float]:
    return [estimate.ci_low, estimate.ci_high]


def paired_wald() -> Any:
    return es.paired_proportions(40, 55, 500, method="wald")


def unpaired() -> Any:
    return es.unpaired_proportions(360, 500, 375, 500)


COMPUTED: dict[str, Callable[[], Any]] = {
    "se_72_500": lambda: es.proportion(360, 500).standard_error,
    "se_200": lambda: es.proportion(140, 200).standard_error,
    "wald_72_500": lambda: limits(es.proportion(360, 500, method="wald")),
    "wilson_72_500": lambda: limits(es.proportion(360, 500)),
    "wald_1_30": lambda: limits(es.proportion(1, 30, method="wald")),
    "wilson_1_30": lambda: limits(es.proportion(1, 30)),
    "clopper_1_30": lambda: limits(es.proportion(1, 30, guarantee=True)),
    "wilson_3_2000": lambda: limits(es.proportion(3, 2000)),
    "wald_485_500_high": lambda: es.proportion(485, 500, method="wald").ci_high,
    "wilson_485_500": lambda: limits(es.proportion(485, 500)),
    "wilson_0_100": lambda: es.proportion(0, 100).ci_high,
    "mcnemar_40_55": lambda: es.mcnemar_counts(40, 55, 500).pvalue,
    "paired_se_40_55": lambda: paired_wald().standard_error,
    "unpaired_se": lambda: unpaired().standard_error,
    "unpaired_p": lambda: es.unpaired.unpaired_test(360, 500, 375, 500).pvalue,
    "mcnemar_2000": lambda: es.mcnemar_counts(160, 220, 2000).pvalue,
    "mde_factor": lambda: mde_from_standard_error(1.0),
    "eq711_0.1": lambda: mcnemar_items(0.1, 0.25),
    "eq711_0.08": lambda: mcnemar_items(0.08, 0.25),
    "eq711_0.05": lambda: mcnemar_items(0.05, 0.25),
    "passk_20_3_1": lambda: es.pass_at_k(20, 3, 1),
    "passk_20_3_5": lambda: es.pass_at_k(20, 3, 5),
    "bonf_40": lambda: 0.001 * 0.05 / es.bonferroni([0.001] * 40)["adjusted"][0],
    "deff_sqrt": lambda: math.sqrt(design_effect(5, 0.2)),
    "within_2_points": lambda: binomial_cdf(365, 500, 0.71) - binomial_cdf(344, 500, 0.71),
}
# Rows with a rounded factor in them, or two figures of which one is ours: their own tests below.
SEPARATE = {"paired_ci_40_55", "pairing_gain", "n_paired_r20", "n_unpaired_70"}
ELSEWHERE = {
    "kappa_80": "agreement",
    "kappa_92": "agreement, and the source gives no table",
    "elo_60": "arena",
    "elo_55": "arena",
    "elo_400": "arena",
    "fwer_40": "arithmetic, no function: the demonstration of null checkpoints",
    "fwer_5": "arithmetic, no function",
    "left_out_200": "the demonstration of one resample",
    "lit_cells": "a simulation outcome",
    "range_2000": "a simulation outcome",
    "first_resample": "the source contradicts itself",
}


def test_every_row_has_its_place() -> None:
    assert set(ROWS) == set(COMPUTED) | SEPARATE | set(ELSEWHERE)


@pytest.mark.parametrize("name", COMPUTED)
def test_the_source_s_number_is_reproduced(name: str) -> None:
    assert COMPUTED[name]() == pytest.approx(ROWS[name]["expected"], abs=ROWS[name]["tolerance"])


def test_the_paired_interval_by_wald_up_to_the_source_s_rounded_z() -> None:
    """The source multiplies by 1.96; the quantile is 1.959964."""
    assert limits(paired_wald()) == pytest.approx(ROWS["paired_ci_40_55"]["expected"], abs=1e-6)
    assert str(paired_wald()) == "difference 3.0% [-0.8, 6.8] 95% wald n=500"


def test_pairing_narrows_by_three_tenths() -> None:
    """The source's 1.95 and 2.8 are rounded: 30.3 % of them is 30.3 % of ours to a few thousandths."""
    gain = 1 - paired_wald().standard_error / unpaired().standard_error
    assert gain == pytest.approx(ROWS["pairing_gain"]["expected"], abs=2e-3)


def test_items_for_two_points_at_one_in_five_changing() -> None:
    """The source's simple form, (2.8)²·.2/.02²; its own formula for McNemar gives two items fewer."""
    simple = 0.2 * (mde_from_standard_error(1.0) / 0.02) ** 2
    assert simple == pytest.approx(ROWS["n_paired_r20"]["expected"][1], rel=1e-12)
    assert es.required_n_mcnemar(0.02, 0.2) == 3923
    assert es.mde_paired(3920, 0.2) == pytest.approx(0.02, abs=1e-5)


def test_items_of_each_run_for_two_points_unpaired() -> None:
    unrounded = ROWS["n_unpaired_70"]["expected"][1]
    assert mde_from_standard_error(math.sqrt(2 * 0.7 * 0.3 / unrounded)) == pytest.approx(0.02, abs=1e-12)
    assert es.power.required_n_unpaired(0.70, 0.72) == 8080  # its note's 8,077 has no pooled variance
