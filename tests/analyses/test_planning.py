"""What the data could have shown, and how many items a stated effect or margin would take."""

from __future__ import annotations

import math

import pytest
from scipy import optimize, stats

import evalstats as es
from tests.made_runs import counted, records, run_of

Z = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)


def _row(table, **options):
    return es.compare(*(records(run) for run in counted(*table)), **options).only


def _mcnemar_root(n, psi, alpha=0.05, power=0.8):
    """δ with (z_{1−α/2}√ψ + z_β√(ψ − δ²))²/δ² = n."""
    z, zb = stats.norm.ppf(1 - alpha / 2), stats.norm.ppf(power)
    return optimize.brentq(
        lambda d: (z * math.sqrt(psi) + zb * math.sqrt(psi - d * d)) ** 2 / d**2 - n, 1e-6, psi
    )


def test_the_smallest_difference_is_the_root_of_the_formula_of_mcnemar():
    for row in (_row((320, 40, 55, 85)), es.compare("360/500", "375/500", discordant=(40, 55)).only):
        assert row.mde == pytest.approx(_mcnemar_root(500, 95 / 500), abs=1e-9)
        assert math.ceil(1000 * row.mde) == 55
    assert _row((320, 40, 55, 85), level=0.9).mde == pytest.approx(_mcnemar_root(500, 0.19, 0.1), abs=1e-9)


def test_few_discordant_items_are_planned_with_one_more_on_either_side():
    row = _row((40, 3, 6, 31))
    assert row.mde == pytest.approx(_mcnemar_root(80, (9 + 1) / (80 + 2)), abs=1e-9)
    assert "planned" in row.mde_note


def test_where_no_difference_is_small_enough_every_change_goes_one_way():
    row = _row((5, 0, 1, 4))
    psi = row.mde
    z, zb = stats.norm.ppf(0.975), stats.norm.ppf(0.8)
    assert (z * math.sqrt(psi) + zb * math.sqrt(psi - psi**2)) ** 2 / psi**2 == pytest.approx(10, rel=1e-6)
    assert "same way" in row.mde_note


def test_other_rows_take_their_standard_error():
    old = {f"q{i}": 0.1 * (i % 7) for i in range(30)}
    new = {item: s + 0.05 * (i % 3) for i, (item, s) in enumerate(old.items())}
    for row in (
        es.compare(run_of(old), run_of(new)).only,
        es.compare(run_of(old), run_of(new), paired=False).only,
        es.compare("30/60", "40/60").only,
    ):
        assert row.mde == pytest.approx(Z * row.difference.standard_error, rel=1e-9)


def test_without_a_spread_nothing_is_known():
    row = es.compare(run_of({"a": 1.5, "b": 2.5}), run_of({"a": 2.5, "b": 3.5})).only
    assert math.isnan(row.mde)
    assert row.to_dict()["mde"] is None


def test_needed_answers_a_stated_effect_or_margin_only():
    assert _row((320, 40, 55, 85)).needed is None
    effect = _row((320, 40, 55, 85), effect=0.05).needed
    n = (
        stats.norm.ppf(0.975) * math.sqrt(0.19) + stats.norm.ppf(0.8) * math.sqrt(0.19 - 0.0025)
    ) ** 2 / 0.0025
    assert (effect.source, effect.effect, effect.n) == ("effect", 0.05, math.ceil(n))
    margin = _row((320, 40, 55, 85), margin=0.03).needed
    assert (margin.source, margin.effect) == ("margin", 0.03)
    assert margin.n == pytest.approx((Z**2) * 0.19 / 0.03**2, rel=0.05)


def test_needed_items_of_scores_shrink_with_the_square_of_the_effect():
    old = {f"q{i}": float((7 * i) % 10) for i in range(30)}
    new = {item: s + (i % 4) - 1 for i, (item, s) in enumerate(old.items())}
    needed = es.compare(run_of(old), run_of(new), effect=0.25).only
    s_d = needed.difference.extra["sd_diff"]
    assert needed.needed.n == math.ceil(round((Z * s_d / 0.25) ** 2, 6))
    assert es.compare(run_of(old), run_of(new), effect=0.5).only.needed.n == pytest.approx(
        needed.needed.n / 4, abs=1
    )


def test_an_effect_beyond_the_disagreement_plans_with_the_effect():
    row = _row((40, 2, 4, 34), effect=0.3)
    assert row.needed.n == es.required_n_mcnemar(0.3, 0.3)
