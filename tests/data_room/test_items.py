"""From rows to items: means over completions, what is missing, the scale."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evalstats as es
from evalstats.data.items import check_same_scale, field_named, fill_missing, item_scores, scale_of
from evalstats.data.scores import SCORED
from evalstats.errors import InputError
from tests.made_runs import log, part, row, run_of


def _items(scores):
    (only,) = run_of(scores)
    return item_scores(only.metrics[0], len(only.items))


def test_an_item_is_the_mean_of_its_scored_completions():
    items = _items({"a": [1, 0, None], "b": [None, None], "c": [1]})
    assert items.y[[0, 2]].tolist() == [0.5, 1.0]
    assert math.isnan(items.y[1])
    assert items.completions.tolist() == [2, 0, 1]
    assert items.logged.tolist() == [3, 2, 1]
    assert items.within.tolist() == [0.5, 0.0, 0.0]
    assert items.scored.tolist() == [True, False, True]


def test_an_item_is_errored_when_an_error_was_logged_and_nothing_scored():
    rows = [
        row("a", None, status="error"),
        row("a", 1.0, epoch=2),
        row("b", None, status="error"),
        row("b", None, epoch=2),
        row("c", None),
    ]
    only = part(rows)
    items = item_scores(only.metrics[0], 3)
    assert items.errored.tolist() == [False, True, False]


values = st.lists(st.floats(0, 1, allow_subnormal=False), min_size=2, max_size=6)


@given(st.lists(values, min_size=2, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_change_a_digit(completions, shuffle):
    rows = [
        row(f"q{i}", score, epoch=epoch)
        for i, scores in enumerate(completions)
        for epoch, score in enumerate(scores, 1)
    ]
    mixed = random.Random(shuffle.random()).sample(rows, len(rows))
    found = []
    for each in (rows, mixed):
        only = part(each)
        items = item_scores(only.metrics[0], len(only.items))
        order = np.argsort(only.items.ids)
        found.append((items.y[order].tolist(), items.within[order].tolist()))
    assert found[0] == found[1]


@given(st.lists(values, min_size=3, max_size=6))
def test_score_and_mean_give_the_same_digits_for_the_same_completions(completions):
    rows = [(f"q{i}", score) for i, scores in enumerate(completions) for score in scores]
    table = [{"item": item, "score": score} for item, score in rows]
    scored = es.score(table, bounds=(0, 1)).only.run.estimate
    called = es.mean([s for _, s in rows], item=[i for i, _ in rows], bounds=(0, 1))
    assert (scored.point, scored.method) == (called.point, called.method)
    same = [getattr(one, end) for end in ("ci_low", "ci_high") for one in (scored, called)]
    assert same[0] == same[1] or math.isnan(same[0])
    assert same[2] == same[3] or math.isnan(same[2])


def test_equal_completions_have_their_own_value_as_mean():
    assert _items({"a": [0.1, 0.1, 0.1]}).y.tolist() == [0.1]


def test_filling_gives_every_unscored_completion_and_absent_item_the_score():
    rows = [
        row("a", 1.0),
        row("a", None, epoch=2, status="error"),
        row("b", None),
        row("c", 1.0, metric="other"),
    ]
    only = part(rows)
    filled = fill_missing(only.metric("match"), 3, 0.0)
    items = item_scores(filled, 3)
    assert items.y.tolist() == [0.5, 0.0, 0.0]
    assert items.completions.tolist() == [2, 1, 1]
    assert (filled.status == SCORED).all()


def _metric(*scores, **head):
    return part([row(f"q{i}", score) for i, score in enumerate(scores)], **head).metrics[0]


@pytest.mark.parametrize(
    ("scores", "kind", "ends", "assumed"),
    [
        ((0, 1, 1), "pass_fail", (0, 1), False),
        ((0, 0.5, 1), "bounded", (0, 1), True),
        ((0, 1, 7), "unbounded", (None, None), False),
        ((-1, 1), "unbounded", (None, None), False),
        ((1, None), "pass_fail", (0, 1), False),
    ],
)
def test_the_scale_is_read_from_the_scores_where_nothing_fixes_it(scores, kind, ends, assumed):
    scale, said = scale_of((_metric(*scores),), None)
    assert (scale.kind, (scale.low, scale.high), said) == (kind, ends, assumed)


def test_what_the_format_fixes_is_not_said_to_be_assumed():
    metric = _metric(0, 0.5, 1, bounds={"match": (0.0, 1.0)})
    scale, assumed = scale_of((metric,), None)
    assert (scale.kind, assumed) == ("bounded", False)


def test_asked_bounds_stand_before_those_of_the_format():
    scale, _ = scale_of((_metric(0, 1, bounds={"match": (0.0, 1.0)}),), (0.0, 10.0))
    assert (scale.kind, scale.low, scale.high) == ("bounded", 0.0, 10.0)


def test_the_scale_is_over_both_runs():
    scale, assumed = scale_of((_metric(0, 1), _metric(0, 0.25)), None)
    assert (scale.kind, assumed) == ("bounded", True)


@pytest.mark.parametrize("bounds", [(1.0, 10.0), (0.0, 5.0)])
def test_a_score_outside_its_scale_is_named(bounds):
    with pytest.raises(InputError, match=r"match has a score of (0|6), outside its scale from . to") as error:
        scale_of((_metric(0, 6),), bounds)
    assert "--bounds LOW,HIGH" in str(error.value)


def test_hundredths_against_fractions_are_refused():
    with pytest.raises(InputError, match="divide the larger by 100"):
        check_same_scale(_metric(0, 1), _metric(0, 100), "match")
    check_same_scale(_metric(0, 1), _metric(0, 1), "match")
    check_same_scale(_metric(0, 100), _metric(0, 100), "match")
    check_same_scale(_metric(0, 0.5), _metric(0, 100), "match")


def test_a_field_is_found_with_or_without_the_prefix_of_its_log():
    only = part([row("a", 1, fields={"topic": "x", "doc.id": "y"})])
    assert field_named(only.items, "topic").of(0) == "x"
    assert field_named(only.items, "metadata.topic").of(0) == "x"
    assert field_named(only.items, "doc.topic").of(0) == "x"
    assert field_named(only.items, "doc.id").of(0) == "y"
    assert field_named(only.items, "subject") is None


def test_an_item_without_a_score_does_not_make_the_others_depend_on_the_order():
    scores = {"a": [0.1, 0.2, 0.3], "b": [None], "c": [None], "d": [0.5]}
    assert _items(scores).y[0] == _items({**scores, "a": [0.3, 0.2, 0.1]}).y[0]


def test_a_log_in_two_orders_is_one_log():
    scores = {"a": [0.1, 0.2, 0.3], "b": [0.7, 0.1, 0.2], "c": [0.3, 0.3, 0.4]}
    forward = es.score(run_of(scores)).only.run.estimate
    backward = es.score(run_of({i: s[::-1] for i, s in reversed(scores.items())})).only.run.estimate
    assert repr(forward) == repr(backward)


def test_the_builder_is_what_log_uses():
    assert log([row("a", 1.0)]).benchmarks[0].items.ids == ("a",)
