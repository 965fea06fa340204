"""The best of N tried: one-sided p of this comparison, and the chance that luck alone looks this good."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats

import evalstats as es
from tests.made_runs import counted, run_of


def test_pass_fail_pairs_take_the_one_sided_mid_p():
    tried = es.compare("360/500", "375/500", discordant=(40, 55), tried=8).only.tried
    p = stats.binom.sf(55, 95, 0.5) + stats.binom.pmf(55, 95, 0.5) / 2
    assert (tried.n, tried.pvalue, tried.chance) == (8, pytest.approx(p), pytest.approx(1 - (1 - p) ** 8))


def test_where_less_is_better_a_fall_looks_good():
    more = es.compare("360/500", "375/500", discordant=(40, 55), tried=8).only.tried
    less = es.compare("360/500", "375/500", discordant=(40, 55), tried=8, lower_is_better=True).only.tried
    assert less.pvalue == pytest.approx(1 - more.pvalue)  # mid-p: the two sides are everything
    assert less.chance > more.chance
    rng = np.random.default_rng(2)
    old = {f"q{i}": float(x) for i, x in enumerate(rng.normal(50, 9, 60))}
    new = {item: x - 1.5 + float(rng.normal(0, 4)) for item, x in old.items()}
    runs = run_of(old), run_of(new)
    t = stats.ttest_rel(list(new.values()), list(old.values()))
    assert es.compare(*runs, tried=1).only.tried.pvalue == pytest.approx(stats.t.sf(t.statistic, 59))
    assert es.compare(*runs, tried=1, lower_is_better=True).only.tried.pvalue == pytest.approx(
        stats.t.cdf(t.statistic, 59)
    )


def test_one_tried_is_its_own_p_and_many_are_nearly_sure():
    one = es.compare("360/500", "375/500", discordant=(40, 55), tried=1).only.tried
    assert one.chance == pytest.approx(one.pvalue)
    assert es.compare("360/500", "375/500", discordant=(40, 55), tried=10**6).only.tried.chance == 1.0


def test_no_difference_looks_as_good_as_half_of_all():
    tried = es.compare("5/10", "5/10", discordant=(0, 0), tried=2).only.tried
    assert (tried.pvalue, tried.chance) == (0.5, 0.75)
    unpaired = es.compare("50/100", "50/100", tried=2).only.tried
    assert unpaired.pvalue == 0.5


def test_without_a_test_it_is_not_known_and_never_nan_in_json():
    several = {f"q{i}": [i % 2, 1] for i in range(30)}
    result = es.compare(run_of(several), run_of(several), view="fixed_items", tried=3)
    assert math.isnan(result.only.tried.chance)
    assert (
        json.loads(json.dumps(result.to_dict(), allow_nan=False))["comparisons"][0]["tried"]["chance"] is None
    )
    assert "is not known" in str(result)


def test_it_is_not_there_unless_it_is_asked_for():
    old, new = counted(30, 4, 6, 10)
    assert es.compare(run_of(old), run_of(new)).only.tried is None
    with pytest.raises(es.EvalStatsError, match="tried"):
        es.score("3/5", tried=2)
    for wrong in (0, -1, 1.5, "x"):
        with pytest.raises(es.EvalStatsError, match="tried"):
            es.compare("3/5", "4/5", discordant=(0, 1), tried=wrong)


def test_a_luckiest_of_eight_looks_this_good_as_often_as_is_said():
    """20,000 searches over 8 variants that all equal the baseline, each on items of its own."""
    rng, n, psi = np.random.default_rng(39), 500, 0.19
    cells = rng.multinomial(n, [psi / 2, psi / 2, 1 - psi], (20_000, 8))
    best = (cells[..., 0] - cells[..., 1]).max(axis=1)
    for seen in (10, 15, 25):
        b, c = (95 + seen) // 2, 95 - (95 + seen) // 2
        tried = es.compare(f"{200 + c}/500", f"{200 + b}/500", discordant=(c, b), tried=8).only.tried
        share = (best > b - c).mean() + 0.5 * (best == b - c).mean()
        assert tried.chance == pytest.approx(share, abs=0.04)
