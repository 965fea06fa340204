"""A stream of headers and rows becomes Scores: ids and field values once, as codes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evalstats.data.builder import LONGEST_FIELD, build
from evalstats.data.scores import ERRORED, MISSING, NO_BYTE, SCORED, Header
from evalstats.errors import InputError
from tests.made_runs import header, part, row


def test_rows_belong_to_the_header_of_their_run_and_benchmark():
    scores = build(
        [
            header(run="a"),
            row("q1", 1.0, run="a"),
            header(run="b"),
            row("q1", 0.0, run="b"),
            row("q2", 1.0, run="a"),
            header(run="a", benchmark="other"),
            row("q1", 0.5, run="a", benchmark="other"),
        ]
    )
    named = [(p.header.run, p.benchmark, p.items.ids) for p in scores]
    assert named == [("a", "quiz", ("q1", "q2")), ("b", "quiz", ("q1",)), ("a", "other", ("q1",))]
    assert scores.runs == ("a", "b")


def test_a_pair_of_run_and_benchmark_that_is_opened_again_is_another_log():
    scores = build([header(path="1"), row("q1", 1.0), header(path="2"), row("q1", 0.0)])
    assert [(p.header.path, p.metrics[0].score.tolist()) for p in scores] == [("1", [1.0]), ("2", [0.0])]


def test_a_group_has_no_rows_and_stands_apart():
    scores = build([header(benchmark="group", members=("quiz",)), header(), row("q1", 1.0)])
    assert [p.benchmark for p in scores] == ["quiz"]
    assert [g.benchmark for g in scores.groups] == ["group"]


def test_a_source_without_a_score_names_itself():
    with pytest.raises(InputError, match=r"^here\.eval holds no scored item"):
        build([header(path="here.eval")])
    with pytest.raises(InputError, match=r"^the source holds no scored item"):
        build([])


def test_a_row_without_a_header_is_an_error_of_the_reader():
    with pytest.raises(InputError, match="no header for run 'm' on 'quiz'"):
        build([row("q1", 1.0)])


def test_nan_is_missing_and_an_error_is_an_error():
    only = part([row("a", 1.0), row("b", math.nan, status="scored"), row("c", 0.5, status="error")])
    metric = only.metrics[0]
    assert metric.status.tolist() == [SCORED, MISSING, ERRORED]
    assert metric.score.tolist() == [1, NO_BYTE, NO_BYTE]


def test_whole_scores_are_bytes_until_one_is_not():
    scores = [1.0, None, True, 254]
    whole = part([row(str(at), score) for at, score in enumerate(scores)]).metrics[0]
    assert whole.score.dtype == np.uint8
    assert whole.score.tolist() == [1, NO_BYTE, 1, 254]
    for other in (255.0, 0.5, -1.0, 1e60):
        mixed = part([row(str(at), score) for at, score in enumerate([*scores, other, 0])]).metrics[0]
        assert mixed.score.dtype == np.float64
        assert np.array_equal(mixed.score, [1, math.nan, 1, 254, other, 0], equal_nan=True)
        assert mixed.status.tolist() == [SCORED, MISSING, SCORED, SCORED, SCORED, SCORED]


@pytest.mark.parametrize("score", [math.inf, -math.inf])
def test_an_infinite_score_is_refused_with_its_item(score):
    with pytest.raises(InputError, match=r"item 'b' has an infinite match"):
        part([row("a", 1.0), row("b", score, status="scored")])


@pytest.mark.parametrize("score", [1e71, -1e300])
def test_a_score_whose_powers_no_float_holds_is_refused_with_its_item(score):
    with pytest.raises(InputError, match=r"item 'b' has a match of -?1e\+\d+: beyond"):
        part([row("a", 1.0), row("b", score, status="scored")])


def test_the_same_score_twice_is_counted_once_and_a_different_one_refused():
    twice = [row("a", 1.0), row("b", 0.0), row("a", 1.0), row("a", 1.0)]
    metric = part(twice).metrics[0]
    assert (metric.score.tolist(), metric.duplicates) == ([1.0, 0.0], 2)
    with pytest.raises(InputError, match=r"item 'a' \(completion 1\) is scored twice by match, 1 and 0"):
        part([*twice, row("a", 0.0)])


def test_a_failed_attempt_beside_a_score_of_one_completion_is_refused_without_nan():
    with pytest.raises(InputError, match="scored twice") as error:
        part([row("a", None, status="error"), row("a", 1.0)])
    assert "nan" not in str(error.value)


def test_a_completion_that_is_missing_twice_is_missing_once():
    metric = part([row("a", None), row("a", None), row("b", 1.0)]).metrics[0]
    assert (metric.status.tolist(), metric.duplicates) == ([MISSING, SCORED], 1)


def test_completions_are_no_duplicates():
    metric = part([row("a", 1.0), row("a", 1.0, epoch=2)]).metrics[0]
    assert (metric.epoch.tolist(), metric.duplicates) == ([1, 2], 0)


def test_fields_are_text_that_reads_the_same_in_every_format():
    values = [True, 3, 3.0, 3.5, "x", False]
    only = part([row(f"q{i}", 1.0, fields={"f": value}) for i, value in enumerate(values)])
    field = only.items.fields["f"]
    assert [field.of(i) for i in range(6)] == ["true", "3", "3", "3.5", "x", "false"]
    assert field.values == ("true", "3", "3.5", "x", "false")


def test_a_field_that_some_items_lack_is_absent_there():
    only = part([row("a", 1.0), row("b", 1.0, fields={"f": "x"}), row("c", 1.0)])
    assert [only.items.fields["f"].of(i) for i in range(3)] == [None, "x", None]


def test_the_first_value_of_an_items_field_stands():
    only = part([row("a", 1.0, fields={"f": "x"}), row("a", 1.0, epoch=2, fields={"f": "y"})])
    assert only.items.fields["f"].of(0) == "x"


def test_long_texts_are_no_groups():
    only = part([row("a", 1.0, fields={"f": "x" * (LONGEST_FIELD + 1), "g": "x" * LONGEST_FIELD})])
    assert set(only.items.fields) == {"g"}


def test_the_primary_metric_is_the_logs_choice_else_the_first():
    rows = [row("a", 1.0, metric="m1"), row("a", 1.0, metric="m2")]
    assert part(rows, primary="m2").primary == "m2"
    assert part(rows, primary="gone").primary == "m1"
    assert part(rows).primary == "m1"


def test_what_the_header_fixes_reaches_the_metric():
    only = part(
        [row("a", 1.0)],
        bounds={"match": (0.0, 5.0)},
        higher_is_better={"match": False},
    )
    assert only.metric("match").bounds == (0.0, 5.0)
    assert only.metric("match").higher_is_better is False
    with pytest.raises(InputError, match=r"quiz has no metric 'x'; it has: match\."):
        only.metric("x")


def test_an_unknown_run_lists_those_there_are():
    scores = build([header(), row("a", 1.0)])
    with pytest.raises(InputError, match=r"no run 'x' here; there are: m\."):
        scores.run("x")


def test_a_run_keeps_its_groups_alone():
    members = ("quiz",)
    groups = [Header(run, "group", "p", "lm_eval", members=members) for run in ("a", "b")]
    rows = [header(run=run) for run in "ab"] + [row("q", 1.0, run=run) for run in "ab"]
    scores = build([*groups, *rows])
    assert [g.run for g in scores.run("a").groups] == ["a"]
    assert scores.run("a").runs == ("a",)


def test_scores_show_what_they_hold_and_not_every_array():
    scores = build([header(), *(row(f"q{i}", 1.0) for i in range(500))])
    assert repr(scores) == "<Scores m/quiz: 500 items>"
