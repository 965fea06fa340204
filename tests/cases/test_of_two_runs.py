"""Cases about two runs: pairing, missing scores, units, McNemar, ties."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

import evalstats as es
from evalstats.errors import InputError, PairingError
from evalstats.methods.differences import mean_difference
from evalstats.methods.mcnemar import mcnemar_counts
from evalstats.methods.sign_flip import sign_flip_test
from tests.cases import strategies
from tests.cases.case import answered
from tests.cases.test_of_one_run import few, limits, near
from tests.made_runs import run_of

LARGE = answered("mcnemar-large-n")


def test_ten_thousand_discordant_items():
    found = mcnemar_counts(LARGE.given["B_only"], LARGE.given["A_only"])
    assert found.pvalue == near(LARGE.right["exact"])


@few
@given(counts=strategies.mcnemar_large_n())
def test_the_exact_test_does_not_overflow(counts):
    b, c = counts
    found = mcnemar_counts(b, c)
    assert found.pvalue == pytest.approx(stats.binomtest(b, b + c).pvalue, rel=1e-6)
    assert 0 <= found.extra["mid_p"] <= found.pvalue <= 1  # 2⁻¹⁰⁷⁵ is no double


LOST = answered("paired-nan")


def _named(pairs):
    """Both runs of pairs, (A, B) each; None is missing."""
    return [run_of({f"q{i}": pair[which] for i, pair in enumerate(pairs)}) for which in (0, 1)]


def test_items_that_one_run_lost_are_in_no_pair():
    a, b = _named([(1.0, 1.0), (0.0, 1.0), (None, 0.0)] * 10)
    row, right = es.compare(b, a).only, LOST.right  # the case's difference is A − B
    assert (row.difference.n, row.difference.point) == (right["n_pairs"], right["diff_A_minus_B"])
    assert row.pairing.missing_in_candidate == right["dropped"]
    assert (row.pairing.candidate_only, row.pairing.baseline_only) == (right["A_only"], right["B_only"])
    assert row.test.pvalue == near(right["exact"])


@few
@given(pairs=strategies.paired_nan())
def test_pairs_are_of_items_that_both_scored_and_the_others_are_bounded(pairs):
    row = es.compare(*_named(pairs)).only
    both = [(a, b) for a, b in pairs if a is not None and b is not None]
    assert row.difference.n == len(both)
    assert row.difference.point == pytest.approx(sum(b - a for a, b in both) / len(both))
    assert row.pairing.missing_in_baseline == sum(a is None for a, _ in pairs)
    assert row.pairing.missing_in_candidate == sum(b is None for _, b in pairs)
    assert row.missing.worst.point <= row.missing.best.point
    assert row.missing.worst.n == len(pairs)


PERCENT = answered("percent-vs-fraction")


@few
@given(drawn=strategies.percent_vs_fraction())
def test_two_units_of_one_score_are_refused_and_in_one_unit_compared(drawn):
    for a, b in (drawn, (PERCENT.given["A"], PERCENT.given["B"])):
        with pytest.raises(InputError, match="0 and 100"):
            mean_difference(a, b)
        fractions = [v / 100 for v in b]
        found = mean_difference(a, fractions)
        assert found.point == pytest.approx(sum(fractions) / len(b) - sum(a) / len(a))
    assert found.point == 0.25
    assert mcnemar_counts(found.extra["baseline_only"], found.extra["candidate_only"]).pvalue == 1.0


FIELD = answered("paired-vs-unpaired")


def test_the_same_items_are_paired():
    both, a_only, b_only, neither = (FIELD.given[k] for k in ("both", "A_only", "B_only", "neither"))
    n, right = both + a_only + b_only + neither, FIELD.right
    found = es.paired_proportions(a_only, b_only, n)
    assert (found.point, found.standard_error) == near((right["diff"], right["se_paired"]))
    assert limits(es.paired_proportions(a_only, b_only, n, method="wald")) == near(right["wald_ci"])
    test = mcnemar_counts(a_only, b_only, n)
    assert (test.pvalue, test.extra["mid_p"]) == near((right["mcnemar_exact"], right["mid_p"]))
    for method in ("chi2", "chi2_cc"):
        assert mcnemar_counts(a_only, b_only, n, method=method).pvalue == near(right[method])


@few
@given(cells=strategies.paired_vs_unpaired())
def test_logs_of_the_same_items_are_paired_and_counts_say_that_they_might_be(cells):
    both, old_only, new_only, neither = (min(count, 40) for count in cells)
    rows = [(1, 1)] * both + [(1, 0)] * old_only + [(0, 1)] * new_only + [(0, 0)] * neither
    row = es.compare(*_named([(float(a), float(b)) for a, b in rows])).only
    n = len(rows)
    assert (row.pairing.baseline_only, row.pairing.candidate_only) == (old_only, new_only)
    d = [b - a for a, b in rows]
    assert row.difference.standard_error == pytest.approx(np.std(d) / math.sqrt(n))
    apart = es.compare(f"{both + old_only}/{n}", f"{both + new_only}/{n}").only
    assert "shared_items_unpaired" in str(apart.caveats)


BALANCED = answered("mcnemar-balanced")


@few
@given(drawn=strategies.mcnemar_balanced())
def test_a_balance_has_p_one_and_never_more(drawn):
    given_case = (BALANCED.given["A_only"], BALANCED.given["n"])
    for b, n in (drawn, given_case):
        for method in ("exact", "chi2", "chi2_cc"):
            assert mcnemar_counts(b, b, n, method=method).pvalue == 1.0
        found = mcnemar_counts(b, b, n, method="mid_p")
        assert found.pvalue == pytest.approx(1 - stats.binom.pmf(b, 2 * b, 0.5) / 2 if b else 1.0)
        assert found.effect == 0
    assert found.pvalue == BALANCED.right["mid_p_fagerland"]


LONELY = answered("mcnemar-one-discordant")


@few
@given(drawn=strategies.mcnemar_one_discordant())
def test_one_changed_item_proves_nothing(drawn):
    candidates, concordant = drawn
    found = mcnemar_counts(1 - candidates, int(candidates), 1 + concordant)
    assert (found.pvalue, found.extra["mid_p"]) == (LONELY.right["exact"], LONELY.right["mid_p"])
    row = es.compare(run_of({"a": 0, "b": 0}), run_of({"a": 1, "b": 0})).only
    assert (row.difference.point, row.verdict) == (LONELY.right["diff"], "not_settled")


SAME = answered("identical-systems-permutation")


@few
@given(scores=strategies.identical_systems_permutation())
def test_a_run_does_not_differ_from_itself(scores):
    assert sign_flip_test([0.0] * len(scores), n_boot=SAME.given["n_resamples"]).pvalue == SAME.right["p"]
    found = es.paired_t(scores, scores)
    assert (found.effect, found.extra["sign_flip"]) == (0, 1.0)
    assert math.isnan(found.pvalue)
    assert found.to_dict()["pvalue"] is None


BY_ID = answered("pair-by-id")


def test_items_are_paired_by_id_and_not_by_row():
    row, right = es.compare(run_of(BY_ID.given["B"]), run_of(BY_ID.given["A"])).only, BY_ID.right
    assert (row.pairing.n_common, row.difference.n) == (right["n"], right["n"])
    assert row.pairing.only_in_candidate == right["dropped_A"]
    assert row.pairing.only_in_baseline == right["dropped_B"]
    assert (row.pairing.candidate_only, row.pairing.baseline_only) == (right["A_only"], right["B_only"])
    assert (row.difference.point, row.test.pvalue) == (right["diff"], right["exact"])


@few
@given(runs=strategies.pair_by_id())
def test_only_common_items_are_compared_and_none_in_common_is_an_error(runs):
    old, new = runs
    common = sorted(set(old) & set(new))
    if not common:
        with pytest.raises(PairingError, match="--id FIELD"):
            es.compare(run_of(old), run_of(new))
        return
    row = es.compare(run_of(old), run_of(new)).only
    assert (row.pairing.n_common, row.pairing.only_in_baseline) == (len(common), len(old) - len(common))
    assert row.difference.point == pytest.approx(sum(new[i] - old[i] for i in common) / len(common))
    assert sorted(change.item for change in row.changed) == [i for i in common if old[i] != new[i]]
