"""Place, length and drift of a judge: second computations from the tables of pairs, laws, what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import evalstats as es
from evalstats.errors import InputError
from evalstats.subjects.judge import anchor_drift, length_bias, position_bias, preference

won = st.sampled_from([0, 1])
verdicts = st.sampled_from([0.0, 0.5, 1.0])


def _limits(estimate: Any) -> list[float]:
    return [estimate.ci_low, estimate.ci_high]


@given(st.lists(st.tuples(won, won), min_size=1, max_size=60))
def test_position_bias_from_the_table_of_swapped_pairs(pairs: list[tuple[int, int]]) -> None:
    forward, swapped = zip(*pairs, strict=True)
    found = position_bias(forward, swapped)
    first_twice = sum(pair == (1, 1) for pair in pairs)
    second_twice = sum(pair == (0, 0) for pair in pairs)
    assert (found.first_twice, found.second_twice, found.other_flips) == (first_twice, second_twice, 0)
    assert found.kept == len(pairs) - first_twice - second_twice
    assert found.first_share.point == pytest.approx((sum(forward) + sum(swapped)) / (2 * len(pairs)))
    tango = es.paired_proportions(second_twice, first_twice, len(pairs))
    assert _limits(found.first_share) == pytest.approx([(1 + end) / 2 for end in _limits(tango)])
    p = stats.binomtest(first_twice, max(1, first_twice + second_twice)).pvalue
    assert found.test.pvalue == pytest.approx(p if first_twice + second_twice else 1.0)
    wilson = es.proportion(first_twice + second_twice, len(pairs))
    assert (found.swap_flips.point, *_limits(found.swap_flips)) == (wilson.point, *_limits(wilson))


@given(st.lists(st.tuples(verdicts, verdicts), min_size=3, max_size=40))
def test_naming_the_places_the_other_way_mirrors_the_share(pairs: list[tuple[float, float]]) -> None:
    forward, swapped = np.array(pairs).T
    one, other = position_bias(forward, swapped), position_bias(1 - forward, 1 - swapped)
    assert one.first_share.point == pytest.approx(1 - other.first_share.point)
    assert _limits(one.first_share) == pytest.approx(
        [1 - end for end in _limits(other.first_share)[::-1]], nan_ok=True
    )
    assert one.swap_flips == other.swap_flips
    exchanged = position_bias(swapped, forward)  # which order came first does not matter
    assert exchanged.first_share.point == pytest.approx(one.first_share.point)
    assert _limits(exchanged.first_share) == pytest.approx(_limits(one.first_share), nan_ok=True)


def test_a_planted_place_is_found_and_a_fair_judge_flips_without_one() -> None:
    """Within four Monte Carlo standard errors. Of a pair, P(first place) = .3 + .7/2 in either order, and in
    both .3² + 2(.3·.7)/2 = .3; P(flip of a fair one) = (1 − .7²)/2."""
    rng, n = np.random.default_rng(3), 4000
    better = rng.random(n) < 0.5
    biased = np.where(rng.random((2, n)) < 0.3, 1, [better, ~better])  # 30 % go to the first place
    found = position_bias(*biased)
    first, twice = 0.3 + 0.7 / 2, 0.3
    of_a_pair = (first + twice) / 2 - first**2  # the variance of (F + S)/2
    assert found.first_share.point == pytest.approx(first, abs=4 * math.sqrt(of_a_pair / n))
    assert found.first_share.ci_low > 0.5
    assert found.test.pvalue < 1e-6
    noisy = np.where(rng.random((2, n)) < 0.3, rng.random((2, n)) < 0.5, [better, ~better])
    fair = position_bias(*noisy)
    assert fair.test.pvalue > 0.001
    flips = (1 - 0.7**2) / 2
    assert fair.swap_flips.point == pytest.approx(flips, abs=4 * math.sqrt(flips * (1 - flips) / n))


def test_a_tie_in_one_order_alone_is_a_flip_of_another_kind() -> None:
    found = position_bias([1, 0.5, 0.5, 1], [0.5, 0.5, 1, 0])
    assert (found.other_flips, found.kept, found.first_twice) == (2, 2, 0)
    assert found.swap_flips.point == 0.5


def test_pairs_of_one_question_are_a_cluster() -> None:
    rng = np.random.default_rng(4)
    forward, swapped = rng.integers(0, 2, (2, 90))
    found = position_bias(forward, swapped, np.repeat(np.arange(30), 3))
    assert found.first_share.extra["n_clusters"] == 30
    assert found.swap_flips.method == "korn_graubard_cr2"


@given(
    st.lists(st.tuples(verdicts, st.integers(-3, 3), verdicts), min_size=3, max_size=40).filter(
        lambda rows: any(by for _, by, _ in rows)
    )
)
def test_the_longer_answer_wins_what_it_wins_in_either_place(rows: list[tuple[float, int, float]]) -> None:
    judge, by, human = map(np.array, zip(*rows, strict=True))
    found, turned = length_bias(judge, by, human), length_bias(1 - judge, -by, 1 - human)
    assert found == turned or math.isnan(found.share.ci_low) or math.isnan(found.difference.ci_low)
    longer = [won if by > 0 else 1 - won for won, by, _ in rows if by]
    people = [won if by > 0 else 1 - won for _, by, won in rows if by]
    assert found.share.point == pytest.approx(np.mean(longer))
    assert found.human.point == pytest.approx(np.mean(people))
    assert found.difference.point == pytest.approx(np.mean(longer) - np.mean(people))
    assert found.share.n == len(longer)


def test_people_who_like_length_as_much_leave_no_bias() -> None:
    longer_wins = [1] * 70 + [0] * 30
    found = preference(longer_wins, longer_wins)
    assert found.share.ci_low > 0.5
    assert found.difference.point == 0
    assert found.difference.ci_low < 0 < found.difference.ci_high
    assert preference(longer_wins).difference is None


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: position_bias([1, 0], [1]), "2 verdicts forward and 1 swapped"),
        (lambda: position_bias([1, 2], [1, 0]), r"forward\[1\] is 2, outside the scale"),
        (lambda: length_bias([1, 0], [0, 0]), "none is the longer one"),
        (lambda: length_bias([1, 0], [1]), "2 verdicts and 1 of longer_by"),
        (lambda: preference([1, 0], [1]), "2 verdicts and 1 of human"),
        (lambda: anchor_drift([1, 0], [1]), "2 verdicts before and 1 of after"),
        (lambda: anchor_drift([1, 0], [1, 0], [1]), "2 verdicts before and 1 of labels"),
        (lambda: anchor_drift([1, 3], [1, 7], bounds=(1, 5)), "7, outside the scale"),
        (lambda: anchor_drift([1, 0], [1, 1], margin=5), "Did you mean 0.05"),
    ],
)
def test_what_cannot_be_is_refused(call: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        call()


def _anchors(*cells: tuple[int, int, int, int]) -> tuple[list[int], list[int], list[int]]:
    """(before, after, label, how often) as three lists."""
    rows = [row[:3] for row in cells for _ in range(row[3])]
    before, after, label = map(list, zip(*rows, strict=True))
    return before, after, label


STABLE = ((1, 1, 1, 150), (0, 0, 0, 40), (1, 0, 1, 2), (0, 1, 0, 2), (1, 1, 0, 6))


def test_drift_is_the_paired_difference_of_verdicts() -> None:
    before, after, label = _anchors((1, 1, 1, 60), (1, 0, 1, 15), (0, 0, 0, 20), (0, 1, 0, 5))
    found = anchor_drift(before, after, label)
    mean, agreement = found.rows
    assert mean.difference.point == pytest.approx(-0.10)
    assert _limits(mean.difference) == _limits(es.paired_proportions(15, 5, 100))
    assert (agreement.before.point, agreement.after.point) == (1.0, pytest.approx(0.8))
    assert _limits(agreement.difference) == _limits(es.paired_proportions(20, 0, 100))
    assert found.changed.point == pytest.approx(0.2)
    assert (mean.verdict, agreement.verdict, found.verdict) == ("drifted", "drifted", "drifted")


def test_equal_means_can_hide_a_drift_away_from_the_labels() -> None:
    before, after, label = _anchors((1, 0, 1, 15), (0, 1, 0, 15), (1, 1, 1, 40), (0, 0, 0, 30))
    found = anchor_drift(before, after, label)
    assert [row.verdict for row in found.rows] == ["not_shown", "drifted"]
    assert found.verdict == "drifted"
    assert anchor_drift(before, after).verdict == "not_shown"


def test_only_a_margin_makes_equivalent() -> None:
    before, after, label = _anchors(*STABLE)
    assert anchor_drift(before, after, label).verdict == "not_shown"
    assert anchor_drift(before, after, label, margin=0.07).verdict == "equivalent"
    assert anchor_drift(before, after, label, margin=0.01).verdict == "not_shown"


def test_a_drift_inside_the_margin_is_both() -> None:
    before, after, _ = _anchors((1, 1, 1, 900), (1, 0, 1, 12), (0, 0, 0, 88))
    found = anchor_drift(before, after, margin=0.05)
    assert found.verdict == "drifted_within_margin"
    assert anchor_drift(before, after, margin=0.015).verdict == "drifted"


def test_two_rows_need_holm() -> None:
    """p = .035 by mid-p in both rows: alone either lights, together neither does."""
    before, after, label = _anchors((1, 0, 1, 11), (0, 1, 0, 0), (0, 1, 1, 3), (1, 1, 1, 86))
    one, two = anchor_drift(before, after), anchor_drift(before, after, label)
    assert one.verdict == "drifted"
    assert one.rows[0].test.method == "mcnemar_exact"
    assert [row.test.method for row in two.rows] == ["mcnemar_mid_p"] * 2
    assert two.rows[0].test.pvalue == one.rows[0].test.extra["mid_p"]
    assert [row.adjusted for row in two.rows] == [2 * row.test.pvalue for row in two.rows]
    assert math.isnan(one.rows[0].adjusted)
    assert two.verdict == "not_shown"


def test_scores_are_held_against_labels_by_their_distance() -> None:
    rng = np.random.default_rng(9)
    label = rng.integers(1, 11, 80)
    before = np.clip(label + rng.integers(-1, 2, 80), 1, 10)
    after = np.clip(label + rng.integers(0, 4, 80), 1, 10)
    found = anchor_drift(before, after, label, bounds=(1, 10))
    mean, distance = found.rows
    assert mean.difference.method == "paired_t"
    assert mean.difference.point == pytest.approx(np.mean(after - before))
    assert distance.name == "distance to labels"
    assert distance.difference.point == pytest.approx(np.mean(np.abs(after - label) - np.abs(before - label)))
    assert found.verdict == "drifted"


@given(st.lists(st.tuples(won, won), min_size=1, max_size=80))
def test_before_and_after_mirror(pairs: list[tuple[int, int]]) -> None:
    before, after = zip(*pairs, strict=True)
    one, other = anchor_drift(before, after), anchor_drift(after, before)
    assert one.rows[0].difference.point == pytest.approx(-other.rows[0].difference.point)
    assert _limits(one.rows[0].difference) == pytest.approx(
        [-end for end in _limits(other.rows[0].difference)[::-1]]
    )
    assert one.verdict == other.verdict
    assert one.changed == other.changed
