"""What must hold for any two runs: swapped, against themselves, in another order, written as JSON."""

from __future__ import annotations

import json
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evalstats as es
from tests.made_runs import log, row

SCALES = {
    "pass/fail": st.sampled_from([0.0, 1.0]),
    "partial": st.sampled_from([0.0, 0.5, 1.0]),
    "judge": st.sampled_from([float(score) for score in range(1, 11)]),
    "unbounded": st.floats(-50, 50, allow_subnormal=False).map(lambda x: round(x, 3)),
}


@st.composite
def runs(draw, most_epochs=3):
    """Two small runs on mostly the same items, with completions, lost scores and passages."""
    scale = draw(st.sampled_from(sorted(SCALES)))
    n = draw(st.integers(5, 18))
    epochs = draw(st.integers(1, most_epochs))
    score = st.one_of(SCALES[scale], st.none()) if draw(st.booleans()) else SCALES[scale]
    passages = draw(st.sampled_from([None, 2, 3]))
    made = []
    for first in (0, draw(st.integers(0, 2))):
        rows = []
        for item in range(first, n):
            fields = {"passage": item // passages} if passages else {}
            for epoch in range(1, epochs + 1):
                rows.append(row(f"q{item}", draw(score), epoch=epoch, fields=fields))
        rows.append(row("sure", 1.0, fields={"passage": 0} if passages else {}))
        rows.append(row("sure too", draw(SCALES[scale]), fields={"passage": 1} if passages else {}))
        made.append(rows)
    cluster = "passage" if passages and draw(st.booleans()) else "none"
    bounds = (1, 10) if scale == "judge" else None
    return made[0], made[1], {"cluster": cluster, "bounds": bounds}


def _compare(old, new, options):
    """The comparison, or the words of its refusal."""
    try:
        return es.compare(log(old), log(new), **options).only
    except es.EvalStatsError as error:
        return str(error)


def _mirrored(x):
    """Digits of −x; 0 and nan are their own mirror."""
    return repr(0.0 if x == 0 else -x)


def _digits(x):
    return repr(0.0 if x == 0 else x)


MIRRORED = {
    "improved": "regressed",
    "regressed": "improved",
    "not_settled": "not_settled",
}


@settings(max_examples=80)
@given(runs())
def test_swapping_the_runs_mirrors_everything(made):
    old, new, options = made
    there, back = _compare(old, new, options), _compare(new, old, options)
    if isinstance(there, str):
        assert isinstance(back, str)
        return
    assert _digits(back.difference.point) == _mirrored(there.difference.point)
    assert _digits(back.difference.ci_low) == _mirrored(there.difference.ci_high)
    assert _digits(back.difference.ci_high) == _mirrored(there.difference.ci_low)
    assert repr(back.difference.standard_error) == repr(there.difference.standard_error)
    assert repr(back.test.pvalue) == repr(there.test.pvalue)
    assert _digits(back.test.effect) == _mirrored(there.test.effect)
    assert back.direction == MIRRORED[there.direction]
    assert (back.above_zero, back.below_zero) == (there.below_zero, there.above_zero)
    assert repr(back.mde) == repr(there.mde)
    one, two = there.pairing, back.pairing
    for name in ("baseline_only", "only_in_baseline", "missing_in_baseline", "baseline_higher"):
        other = name.replace("baseline", "candidate")
        assert (getattr(one, name), getattr(one, other)) == (getattr(two, other), getattr(two, name))
    assert (one.n_common, one.tied, one.both_right) == (two.n_common, two.tied, two.both_right)
    assert repr(there.baseline.estimate) == repr(back.candidate.estimate)
    assert (there.missing is None) is (back.missing is None)
    if there.missing is not None:
        assert _digits(there.missing.worst.ci_low) == _mirrored(back.missing.best.ci_high)
        assert there.missing.worst_verdict == MIRRORED[back.missing.best_verdict]
        assert repr(there.missing.rates_pvalue) == repr(back.missing.rates_pvalue)


@settings(max_examples=60)
@given(runs(), st.integers(0, 99))
def test_the_order_of_rows_and_items_changes_no_digit(made, seed):
    old, new, options = made
    shuffle = random.Random(seed)
    mixed = [shuffle.sample(rows, len(rows)) for rows in (old, new)]
    there, again = _compare(old, new, options), _compare(*mixed, options)
    if isinstance(there, str):
        assert isinstance(again, str)
        return
    for name in ("difference", "test", "missing", "mde", "verdict"):
        assert repr(getattr(there, name)) == repr(getattr(again, name))
    assert repr(there.baseline) == repr(again.baseline)
    assert there.pairing.checks[1:3] == again.pairing.checks[1:3]
    key = [(c.item, c.epoch, c.baseline, c.candidate) for c in there.changed]
    assert sorted(key) == sorted((c.item, c.epoch, c.baseline, c.candidate) for c in again.changed)


@given(runs())
def test_a_run_against_itself_settles_nothing(made):
    old, _, options = made
    row_ = _compare(old, old, options)
    if isinstance(row_, str):
        return
    assert row_.difference.point == 0.0
    assert (row_.direction, row_.verdict) == ("not_settled", "not_settled")
    assert not row_.difference.ci_low > 0
    assert not row_.difference.ci_high < 0
    pvalue = row_.test.extra.get("sign_flip", 1.0) if math.isnan(row_.test.pvalue) else row_.test.pvalue
    assert pvalue == 1.0
    assert row_.changed == ()
    assert "identical_runs" in [caveat["code"] for caveat in row_.caveats]


@given(runs(), st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.999]))
def test_limits_enclose_the_point_at_every_level(made, level):
    old, new, options = made
    row_ = _compare(old, new, {**options, "level": level})
    if isinstance(row_, str):
        return
    for estimate in (row_.difference, row_.baseline.estimate, row_.candidate.estimate):
        if math.isnan(estimate.ci_low):
            assert estimate.extra["undefined"]["ci_low"]
        else:
            assert estimate.ci_low <= estimate.point <= estimate.ci_high
        low, high = estimate.extra.get("bounds", (-math.inf, math.inf))
        assert not estimate.ci_low < low
        assert not estimate.ci_high > high


@given(runs())
def test_the_counts_of_every_side_add_up(made):
    row_ = _compare(*made)
    if isinstance(row_, str):
        return
    pairing = row_.pairing
    for side, alone, lost in (
        (row_.baseline, pairing.only_in_baseline, pairing.missing_in_baseline),
        (row_.candidate, pairing.only_in_candidate, pairing.missing_in_candidate),
    ):
        assert side.n_total == side.n_scored + side.n_missing + side.n_errored
        assert side.n_total == pairing.n_common + alone
        assert side.estimate.n == row_.difference.n <= pairing.n_common - lost
    if pairing.tied is None:
        cells = (pairing.baseline_only, pairing.candidate_only, pairing.both_right, pairing.both_wrong)
    else:
        cells = (pairing.baseline_higher, pairing.candidate_higher, pairing.tied)
    assert sum(cells) == row_.difference.n
    assert len(row_.changed) == row_.difference.n - (
        cells[-1] if pairing.tied is not None else sum(cells[2:])
    )


@given(runs(), st.booleans())
def test_every_answer_is_strict_json(made, paired):
    old, new, options = made
    try:
        results = [es.compare(log(old), log(new), paired=paired, **options), es.score(log(old), **options)]
    except es.EvalStatsError:
        return
    for result in results:
        written = json.dumps(result.to_dict(), allow_nan=False)
        assert json.loads(written)["schema"].startswith("evalstats/")
        for flat in result.rows():
            assert json.dumps(flat, allow_nan=False)


@pytest.mark.parametrize("options", [{}, {"cluster": "passage"}])
def test_identical_runs_have_an_interval_around_zero(options):
    rows = [row(f"q{i}", float(i % 3 > 0), fields={"passage": i // 4}) for i in range(60)]
    row_ = _compare(rows, rows, options)
    assert row_.difference.ci_low == -row_.difference.ci_high < 0
    assert row_.test.pvalue == 1.0
