"""Drift on anchors and biases of pairs: from files to figures, and what a table does not tell."""

from __future__ import annotations

import json

import numpy as np
import pytest

import evalstats as es
from evalstats.analyses.reproduce import reproduce
from evalstats.errors import InputError, MethodError, PairingError
from tests.judge_runs import answers, judge_of, verdicts, write_labels, write_run
from tests.made_runs import codes, log, row, write_csv

TRUTH = answers(1, 200)
BEFORE, AFTER = judge_of(TRUTH, 2, 0.95, 0.95), judge_of(TRUTH, 3, 0.95, 0.7)


@pytest.fixture
def anchors(tmp_path):
    runs = (write_run(tmp_path / "before.csv", BEFORE), write_run(tmp_path / "after.csv", AFTER))
    return runs, write_labels(tmp_path / "labels.csv", TRUTH, list(range(200)))


def test_drift_is_that_of_the_function_for_numbers(anchors):
    runs, labels = anchors
    one = es.judge_drift(*runs, labels=labels).only
    found = es.judge.anchor_drift(BEFORE, AFTER, TRUTH)
    assert one.rows == found.rows
    assert one.changed == found.changed
    assert (one.verdict, one.n_anchors, one.n_labelled) == ("drifted", 200, 200)


def test_without_labels_there_is_one_row_and_a_margin_may_be_points(anchors):
    runs, _ = anchors
    one = es.judge_drift(runs[0], runs[0], margin="5").only
    assert [row.name for row in one.rows] == ["mean verdict"]
    assert (one.margin, one.verdict) == (0.05, "equivalent")
    assert es.judge_drift(runs[0], runs[0]).only.verdict == "not_shown"
    with pytest.raises(MethodError, match="must be above zero"):
        es.judge_drift(*runs, margin=-1)


def test_a_drift_whose_interval_and_p_disagree_is_explained(tmp_path):
    """9 anchors up and 2 down of 100: Tango's interval excludes 0, exact McNemar has p = .065, mid-p .039."""
    before = np.array([0] * 9 + [1] * 2 + [1] * 50 + [0] * 39)
    after = np.array([1] * 9 + [0] * 2 + [1] * 50 + [0] * 39)
    runs = [write_run(tmp_path / f"{name}.csv", scores) for name, scores in (("a", before), ("b", after))]
    said = " ".join(str(es.judge_drift(*runs)).split())
    assert "Interval and p (McNemar exact) disagree about zero: hold the mid-p, 0.039," in said
    assert "disagree" not in str(es.judge_drift(runs[0], runs[0]))


def test_per_cent_beside_fractions_is_a_red_flag(tmp_path):
    share = np.arange(60) % 10 / 10
    runs = [write_run(tmp_path / f"{name}.csv", s) for name, s in (("a", share), ("b", 100 * share))]
    found = es.judge_drift(*runs)
    assert "scales_differ" in [caveat["code"] for caveat in found.only.caveats]
    assert "Red flag: Scores reach 0.9 in a and 90 in b" in " ".join(str(found).split())
    assert "scales_differ" not in [caveat["code"] for caveat in es.judge_drift(runs[0], runs[0]).only.caveats]


def test_anchors_with_labels_of_a_part_are_compared_with_these(anchors, tmp_path):
    runs, _ = anchors
    part = write_labels(tmp_path / "part.csv", TRUTH, list(range(0, 200, 2)))
    one = es.judge_drift(*runs, labels=part).only
    assert (one.n_anchors, one.n_labelled) == (200, 100)
    mean, agreement = one.rows
    assert (mean.difference.n, agreement.difference.n) == (200, 100)
    assert agreement.after.point == np.mean(AFTER[::2] == TRUTH[::2])


def test_anchors_in_clusters_are_clustered():
    rows = [
        [row(f"q{i}", float(score), fields={"passage": f"p{i // 4}"}) for i, score in enumerate(run)]
        for run in (BEFORE, AFTER)
    ]
    old, new = (log(one, cluster="passage") for one in rows)
    one = es.judge_drift(old, new).only
    assert one.cluster == "passage"
    assert one.rows[0].difference.extra["n_clusters"] == 50


def test_other_anchors_and_counts_are_refused(anchors):
    runs, _ = anchors
    with pytest.raises(PairingError, match="nothing identifies the same item"):
        es.judge_drift(runs[0], [{"id": "x", "score": 1}])
    with pytest.raises(InputError, match="paired by id"):
        es.judge_drift("60/100", "70/100")
    with pytest.raises(InputError, match="guarantee"):
        es.judge_drift(*runs, guarantee=True)


def test_unscored_anchors_are_left_out_and_said():
    old = {f"q{i}": float(s) for i, s in enumerate(BEFORE)}
    new = log([row(item, None if item == "q7" else score) for item, score in old.items()])
    one = es.judge_drift(log([row(item, score) for item, score in old.items()]), new).only
    assert one.n_anchors == 199
    assert "missing_items" in codes(one.caveats)


PAIRS = verdicts(150, first=0.3, longer=0.2)


def test_biases_are_those_of_the_functions_for_numbers(tmp_path):
    found = es.judge_bias(write_csv(tmp_path / "pairs.csv", PAIRS))
    forward, swapped = PAIRS[::2], PAIRS[1::2]
    place = es.judge.position_bias(
        [r["winner"] == r["first"] for r in forward], [r["winner"] == r["first"] for r in swapped]
    )
    assert found["position"].share == place.first_share
    assert found["position"].test == place.test
    assert found["swap_flips"].share == place.swap_flips
    assert (found.first_twice, found.second_twice) == (place.first_twice, place.second_twice)
    assert (found.n_pairs, found.n_swapped, found.unknown) == (150, 150, {})
    gpt = [
        ((a["winner"] == "gpt") + (b["winner"] == "gpt")) / 2 for a, b in zip(forward, swapped, strict=True)
    ]
    human = [float(r["human"] == "gpt") for r in forward]
    by = [r["first_length"] - r["second_length"] for r in forward]  # gpt stands first here
    length = es.judge.length_bias(gpt, by, human)
    assert (found["length"].share, found["length"].difference) == (length.share, length.difference)
    own = es.judge.preference(gpt, human, name="wins of its own family")
    assert (found["self_preference"].share, found["self_preference"].test) == (own.share, own.test)
    assert found["position"].share.ci_low > 0.5
    assert found["length"].difference.ci_low > 0


def test_which_order_stands_where_in_the_file_does_not_matter():
    mixed = [PAIRS[i] for i in np.random.default_rng(1).permutation(len(PAIRS))]
    one, other = es.judge_bias(PAIRS), es.judge_bias(mixed)
    for kind in ("position", "swap_flips", "length", "self_preference"):
        assert one[kind] == other[kind]


def test_neither_names_nor_which_order_was_judged_matter():
    """One order alone, with the models' names so that either sorts first."""
    for kept in (PAIRS[::2], PAIRS[1::2]):
        found = es.judge_bias(kept)
        own = [float(row["winner"] == "gpt") for row in kept]
        longer = [row["winner"] == row["first"] for row in kept]
        by = [row["first_length"] - row["second_length"] for row in kept]
        human = [row["human"] == row["first"] for row in kept]
        assert found["self_preference"].share == es.judge.preference(own, name="wins of its own family").share
        length = es.judge.length_bias(longer, by, human)
        assert (found["length"].share, found["length"].difference) == (length.share, length.difference)
        renamed = [
            {name: "alpaca" if cell == "llama" else cell for name, cell in row.items()} for row in kept
        ]
        other = es.judge_bias(renamed)
        assert [other[kind] for kind in ("length", "self_preference")] == [
            found[kind] for kind in ("length", "self_preference")
        ]


@pytest.mark.parametrize(
    ("left", "right"), [("first", "second"), ("A", "B"), ("1", "2"), (1, 2), ("gpt", "llama")]
)
def test_a_winner_is_named_by_place_or_name(left, right):
    rows = [
        {"id": i, "first": "gpt", "second": "llama", "winner": left if i % 3 else right, "first_length": 9,
         "second_length": 5}
        for i in range(30)
    ]  # fmt: skip
    assert es.judge_bias(rows)["length"].share.point == pytest.approx(2 / 3)


def test_what_the_columns_do_not_tell_has_its_reason():
    rows = [{"id": i, "first": "a", "second": "b", "winner": "tie"} for i in range(10)]
    found = es.judge_bias(rows)
    assert found.figures == ()
    assert set(found.unknown) == {"position", "swap_flips", "length", "self_preference"}
    assert "judged in both orders" in str(found).replace("\n    ", " ")
    assert "Not known, position bias and swap flips: no pair" in " ".join(str(found).split())
    assert "<table" in found._repr_html_()
    with pytest.raises(InputError, match="no lengths"):
        found["length"]
    texts = [one | {"first_answer": "long answer", "second_answer": "short"} for one in rows]
    assert es.judge_bias(texts)["length"].share.point == 0.5
    assert es.judge_bias(texts).notes == ("no column human: judge and people are not compared",)


def test_several_pairs_of_a_question_are_its_cluster():
    rows = [
        {"id": i // 3, "first": f"m{i % 3}", "second": "base", "winner": ("first", "second")[i % 2]}
        for i in range(90)
    ]
    rows += [one | {"first": "base", "second": one["first"]} for one in rows]
    found = es.judge_bias(rows)
    assert found.cluster == "id"
    assert found["position"].share.extra["n_clusters"] == 30


def test_rows_without_a_verdict_are_counted():
    found = es.judge_bias([*PAIRS, {"id": "new", "first": "gpt", "second": "llama", "winner": ""}])
    assert (found.n_unscored, found.n_pairs) == (1, 150)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"id": 1, "score": 1}], "no column first and no second and no winner"),
        ([{"id": 1, "first": "a", "second": "a", "winner": "tie"}], "stands against itself"),
        ([{"id": 1, "first": "a", "second": "b", "winner": "c"}], "the winner is 'c'"),
        ([{"id": 1, "first": "a", "second": "b", "winner": ""}], "holds no verdict"),
        ([{"id": "", "first": "a", "second": "b", "winner": "a"}], "row 1 lacks its id"),
        ([{"id": 1, "first": "a", "second": "b", "winner": "a"}] * 2, "more than once"),
        (
            [{"id": 1, "first": "a", "second": "b", "winner": "a", "first_length": "x", "second_length": 3}],
            "a number",
        ),
        (
            [{"id": i, "first": "a", "second": "b", "winner": "a", "judge": j} for i, j in enumerate("xy")],
            "verdicts of 2 judges",
        ),
    ],
)
def test_a_table_that_is_none_of_verdicts_is_refused(rows, said):
    with pytest.raises(InputError, match=said):
        es.judge_bias(rows)


def test_they_show_themselves(anchors):
    runs, labels = anchors
    for found in (es.judge_drift(*runs, labels=labels), es.judge_bias(PAIRS)):
        assert "<table" in found._repr_html_()
        assert max(map(len, str(found).splitlines())) <= 80
    assert es.judge_drift(*runs).to_dict()["schema"] == "evalstats/judge_drift/1"
    assert es.judge_bias(PAIRS).to_dict()["schema"] == "evalstats/judge_bias/1"


def test_what_was_held_in_memory_has_no_path_in_the_provenance(tmp_path, anchors):
    runs, path = anchors
    labels = [{"id": f"q{i}", "label": int(right)} for i, right in enumerate(TRUTH)]
    assert es.judge_bias(verdicts(20)).provenance.runs == ("",)
    for told, named in ((labels, ""), (path, str(path))):
        assert es.judge_drift(*runs, labels=told).provenance.options["labels"] == named
        assert es.judged(runs[0], labels=told).provenance.options["labels"] == named
        assert es.judged(*runs, labels=(told, told)).provenance.options["labels"] == [named, named]
    for made in (es.judge_bias(verdicts(20)), es.judge_drift(*runs, labels=labels)):
        result = tmp_path / "result.json"
        result.write_text(json.dumps(made.to_dict()), encoding="utf-8")
        with pytest.raises(InputError, match="was held in memory"):
            reproduce(result)
