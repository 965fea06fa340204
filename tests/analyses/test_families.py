"""Several benchmarks are one family: corrected p, what is lit, what luck would light, each row's verdict."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import evalstats as es
from evalstats.data.builder import build
from evalstats.errors import MethodError
from tests.made_runs import command, counted, header, row, write_csv

TABLES = {  # both right, only the baseline, only the candidate, neither
    "clear": (40, 4, 24, 12),
    "near": (40, 6, 17, 17),
    "quiet": (40, 10, 11, 19),
    "worse": (40, 15, 5, 20),
    "same": (50, 0, 0, 30),
}


def _runs(tables=TABLES, **head):
    """Two runs with a benchmark a table."""
    made = []
    for at in (0, 1):
        rows = []
        for name, cells in tables.items():
            rows.append(header(benchmark=name, path=f"{at}.eval", **head))
            rows += [row(item, s, benchmark=name) for item, s in counted(*cells)[at].items()]
        made.append(build(rows))
    return made


def _discordant(name):
    return TABLES[name][1:3]


def _mid_p(name):
    """Twice the binomial tail less the middle, by scipy."""
    less, m = min(_discordant(name)), sum(_discordant(name))
    if m == 0:
        return 1.0
    return min(1.0, 2 * stats.binom.cdf(less, m, 0.5) - stats.binom.pmf(less, m, 0.5))


def test_holm_over_all_rows_on_mid_p(capsys, tmp_path):
    result = es.compare(*_runs())
    pvalues = [_mid_p(name) for name in TABLES]
    reject, adjusted, _, _ = multipletests(pvalues, 0.05, "holm")
    assert [r.test.method for r in result] == ["mcnemar_mid_p"] * 5
    assert [r.test.pvalue for r in result] == pytest.approx(pvalues, abs=1e-12)
    assert [r.adjusted for r in result] == pytest.approx(adjusted, abs=1e-12)
    assert [r.reject for r in result] == reject.tolist()
    assert [r.reject for r in result] == [True, False, False, False, False]
    family = result.family
    assert (family.method, family.alpha, family.m, family.undefined) == ("holm", 0.05, 5, 0)
    files = []
    for at in (0, 1):
        rows = [
            {"item": item, "benchmark": name, "score": s}
            for name, cells in TABLES.items()
            for item, s in counted(*cells)[at].items()
        ]
        files.append(write_csv(tmp_path / f"{at}.csv", rows))
    printed = command(capsys, "compare", *files)
    assert [r["adjusted"] for r in printed["comparisons"]] == [r.adjusted for r in result]
    assert printed["family"]["expected_by_luck"] == result.family.expected_by_luck


def test_one_row_alone_is_no_family_and_is_tested_exactly():
    old, new = _runs({"near": TABLES["near"]})
    result = es.compare(old, new)
    assert result.family is None
    assert (result.only.test.method, result.only.adjusted, result.only.reject) == (
        "mcnemar_exact",
        None,
        None,
    )
    assert result.only.test.pvalue == pytest.approx(stats.binomtest(6, 23).pvalue, rel=1e-12)
    assert result.only.test.extra["mid_p"] == pytest.approx(_mid_p("near"), abs=1e-12)
    chosen = es.compare(*_runs(), task="near")
    assert (chosen.family, chosen.only.test.method) == (None, "mcnemar_exact")


def test_under_guarantee_the_family_is_exact():
    result = es.compare(*_runs(), guarantee=True)
    assert {r.test.method for r in result} == {"mcnemar_exact"}
    exact = [stats.binomtest(min(_discordant(n)), sum(_discordant(n)) or 1).pvalue for n in TABLES]
    assert [r.test.pvalue for r in result] == pytest.approx(exact, rel=1e-10)


@pytest.mark.parametrize(
    ("correction", "theirs"),
    [
        ("bonferroni", "bonferroni"),
        ("hochberg", "simes-hochberg"),
        ("benjamini_hochberg", "fdr_bh"),
        ("benjamini_yekutieli", "fdr_by"),
    ],
)
def test_other_corrections_by_name(correction, theirs):
    result = es.compare(*_runs(), correction=correction)
    reject, adjusted, _, _ = multipletests([r.test.pvalue for r in result], 0.05, theirs)
    assert [r.adjusted for r in result] == pytest.approx(adjusted, abs=1e-12)
    assert [r.reject for r in result] == reject.tolist()
    assert result.family.method == correction


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "hochberg", "benjamini_hochberg"])
@pytest.mark.parametrize("guarantee", [False, True])
def test_the_adjusted_p_is_never_below_the_p(correction, guarantee):
    for r in es.compare(*_runs(), correction=correction, guarantee=guarantee):
        assert r.adjusted >= r.test.pvalue
        assert r.reject is (r.adjusted <= 0.05)


def test_without_a_correction_every_row_stands_alone():
    result = es.compare(*_runs(), correction="none")
    assert result.family is None
    assert [r.test.method for r in result] == ["mcnemar_exact"] * 5
    assert [r.direction for r in result] == [
        "improved", "improved", "not_settled", "regressed", "not_settled"
    ]  # fmt: skip


def test_a_direction_in_a_family_needs_to_be_lit():
    """Alone, near and worse would exclude zero; after Holm over five rows they do not settle anything."""
    result = es.compare(*_runs())
    alone = {r.benchmark: (r.above_zero, r.below_zero) for r in result}
    assert (alone["near"], alone["worse"]) == ((True, False), (False, True))
    assert {r.benchmark: r.direction for r in result} == {
        "clear": "improved", "near": "not_settled", "quiet": "not_settled", "worse": "not_settled",
        "same": "not_settled",
    }  # fmt: skip


def test_the_margin_of_a_row_stays_its_own():
    result = es.compare(*_runs(), margin=0.05)
    assert result["near"].margin_verdict == "not_worse"
    assert result["near"].verdict == "not_worse"
    assert result["worse"].margin_verdict == "not_shown"


def test_adjusted_intervals_are_at_the_level_of_the_family():
    for r in es.compare(*_runs()):
        wider = es.paired_proportions(*_discordant(r.benchmark), 80, level=1 - 0.05 / 5)
        assert r.adjusted_difference.level == pytest.approx(0.99, abs=1e-12)
        assert r.adjusted_difference.ci_low == pytest.approx(wider.ci_low, abs=1e-12)
        assert r.adjusted_difference.ci_high == pytest.approx(wider.ci_high, abs=1e-12)
        assert r.difference.level == 0.95


def test_after_bh_only_the_lit_rows_have_an_adjusted_interval():
    result = es.compare(*_runs(), correction="benjamini_hochberg")
    lit = sum(r.reject for r in result)
    assert lit == 3
    for r in result:
        assert (r.adjusted_difference is not None) is r.reject
        if r.reject:
            assert r.adjusted_difference.level == pytest.approx(1 - lit * 0.05 / 5, abs=1e-12)


def test_luck_is_counted_by_each_rows_own_null():
    """P(p ≤ α) of each row's discrete test at its count of discordant items, not α × rows."""
    for guarantee in (False, True):
        expected = 0.0
        for name in TABLES:
            m = sum(_discordant(name))
            for k in range(m + 1) if m else ():
                p = stats.binomtest(k, m).pvalue
                if not guarantee:
                    p = min(1.0, 2 * stats.binom.cdf(min(k, m - k), m, 0.5)) - stats.binom.pmf(k, m, 0.5)
                    p = 1 - stats.binom.pmf(k, m, 0.5) / 2 if 2 * k == m else p
                expected += stats.binom.pmf(k, m, 0.5) * (p <= 0.05 * (1 + 1e-12))
        family = es.compare(*_runs(), guarantee=guarantee).family
        assert family.expected_by_luck == pytest.approx(expected, abs=1e-12)
        assert family.expected_by_luck < 0.05 * 5


def test_forty_rows_of_nothing_are_as_the_lecture_says():
    """0.05/40 each; 40 × α would light by luck if the tests were continuous."""
    tables = {f"b{i:02d}": (10, 8 + i % 3, 8 + i % 2, 10) for i in range(40)}
    result = es.compare(*_runs(tables), correction="bonferroni")
    assert result.family.m == 40
    assert not any(r.reject for r in result)
    assert 0 < result.family.expected_by_luck < 40 * 0.05
    assert result[0].adjusted_difference.level == pytest.approx(1 - 0.00125, abs=1e-12)


def _scores(values, name):
    return [row(f"q{i}", v, benchmark=name) for i, v in enumerate(values)]


def _score_runs():
    """Paired scores: differences that vary, that are all 0.5, and pass/fail beside them."""
    base = [float((7 * i) % 10) + 0.25 for i in range(20)]
    made = []
    for shift in (0, 1):
        rows = [header(benchmark="vary"), header(benchmark="shifted"), header(benchmark="pairs")]
        rows += _scores([x + shift * (i % 3) for i, x in enumerate(base)], "vary")
        rows += _scores([x + shift * 0.5 for x in base], "shifted")
        rows += _scores([float((i + shift) % 4 > 0) for i in range(20)], "pairs")
        made.append(build(rows))
    return made


def test_a_row_without_a_p_leaves_m_and_never_lights():
    result = es.compare(*_score_runs())
    row_ = result["shifted"]
    assert math.isnan(row_.test.pvalue)
    assert row_.test.extra["undefined"]["pvalue"]
    assert (row_.reject, row_.direction) == (False, "not_settled")
    assert math.isnan(row_.adjusted)
    assert (result.family.m, result.family.undefined) == (2, 1)
    pvalues = [result[name].test.pvalue for name in ("vary", "pairs")]
    assert [result[n].adjusted for n in ("vary", "pairs")] == pytest.approx(
        multipletests(pvalues, 0.05, "holm")[1], abs=1e-12
    )
    flat = {r["benchmark"]: r for r in result.rows()}
    assert (flat["shifted"]["pvalue"], flat["shifted"]["adjusted"]) == (None, None)


def test_luck_over_scores_is_alpha_a_row():
    luck = es.compare(*_score_runs()).family.expected_by_luck
    (m,) = {r.difference.extra["n_discordant_units"] for r in [es.compare(*_score_runs())["pairs"]]}
    mid = [1 - stats.binom.pmf(k, m, 0.5) / 2 if 2 * k == m else 2 * stats.binom.cdf(min(k, m - k), m, 0.5)
           - stats.binom.pmf(k, m, 0.5) for k in range(m + 1)]  # fmt: skip
    pairs = sum(stats.binom.pmf(k, m, 0.5) for k in range(m + 1) if mid[k] <= 0.05)
    assert luck == pytest.approx(0.05 + pairs, abs=1e-12)


def test_other_metrics_are_in_no_family():
    rows = [
        row(f"q{i}", float((i + e) % 3 > 0), metric=m) for i in range(20) for e, m in enumerate(("m1", "m2"))
    ]
    old = build([header(), *rows])
    new = build([header(), *(r._replace(score=1.0) for r in rows)])
    result = es.compare(old, new)
    (other,) = result.secondary
    assert (result.family, other.adjusted, other.test.method) == (None, None, "mcnemar_exact")


def test_wald_is_refused_against_a_margin_in_a_family_too():
    with pytest.raises(MethodError, match="22 %"):
        es.compare(*_runs(), margin=0.01, method="wald", task="clear,near")


def test_regressions_are_called_so_where_less_is_better():
    result = es.compare(*_runs(), lower_is_better=True)
    assert result["clear"].direction == "regressed"
    assert result["clear"].difference.point > 0
    declared = es.compare(*_runs(higher_is_better={"match": False}))
    assert [r.direction for r in declared] == [r.direction for r in result]


def test_the_collection_is_a_sequence_of_its_primary_rows():
    result = es.compare(*_runs())
    assert len(result) == 5
    assert [r.benchmark for r in result] == list(TABLES)
    assert result["near"] is result[1]
    assert [r.benchmark for r in result[1:3]] == ["near", "quiet"]
    assert result[-1].benchmark == "same"
    with pytest.raises(es.EvalStatsError, match=r"5 benchmarks, not one: choose from 'clear', 'near'"):
        _ = result.only
    with pytest.raises(es.EvalStatsError, match=r"no benchmark 'x' here; there are: 'clear'"):
        _ = result["x"]
    with pytest.raises(IndexError):
        _ = result[5]
    frame = result.rows()
    assert list(frame[0]) == [
        "benchmark", "metric", "slice", "baseline", "candidate", "difference", "ci_low", "ci_high", "pvalue",
        "adjusted", "reject", "verdict", "n", "method",
    ]  # fmt: skip
    for flat, r in zip(frame, result, strict=True):
        sides = [r.baseline.estimate.point, r.candidate.estimate.point]
        assert [flat["baseline"], flat["candidate"]] == sides
        assert sides[1] - sides[0] == pytest.approx(flat["difference"], abs=1e-12)
        assert [flat["ci_low"], flat["ci_high"]] == [r.difference.ci_low, r.difference.ci_high]
        assert [flat[name] for name in ("pvalue", "adjusted", "reject")] == [
            r.test.pvalue,
            r.adjusted,
            r.reject,
        ]
        assert [flat[name] for name in ("verdict", "n", "method")] == [r.verdict, 80, "tango"]
    assert sum(c["benchmark"] == "near" for c in result.changed()) == 23


def test_a_level_moves_alpha_and_the_intervals_together():
    result = es.compare(*_runs(), level=0.9)
    assert (result.family.alpha, result[0].difference.level) == (0.1, 0.9)
    assert [r.reject for r in result] == [r.adjusted <= 0.1 for r in result]
    assert np.isclose(result[0].adjusted_difference.level, 1 - 0.1 / 5)
