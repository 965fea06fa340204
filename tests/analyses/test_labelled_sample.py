"""The file of labels: what is written comes back, blank is not labelled, and ids join it to the run."""

from __future__ import annotations

import csv
import io

import pytest

import evalstats as es
from evalstats.analyses.labelled_sample import Asked, joined, read_labels, sample_csv
from evalstats.errors import InputError, PairingError

RUN = [
    {"id": f"q{i}", "epoch": epoch, "score": float(i % 2), "question": f"q {i}", "answer": f"a {i}"}
    for i in range(6)
    for epoch in (1, 2)
]


def _run():
    part = es.read(RUN).benchmarks[0]
    return part, part.metric("score")


def test_what_is_written_is_read_back(tmp_path):
    text = 'a "quoted", long\nanswer with = and ünïcode'
    path = tmp_path / "labels.csv"
    path.write_text(sample_csv([Asked("q1", "?", text), Asked("q2", "?", "-5")]), encoding="utf-8")
    labels = read_labels(path)
    assert [row.id for row in labels.rows] == ["q1", "q2"]
    assert (labels.n_labelled, labels.n_blank) == (0, 2)
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    assert [row["answer"] for row in rows] == [text, "-5"]
    assert list(rows[0]) == ["id", "question", "answer", "label"]


def test_columns_that_tell_rows_apart_are_written_only_where_there_are_several():
    header = sample_csv([Asked("q1", "?", "!", "gsm8k", 2)]).splitlines()[0]
    assert header == "id,benchmark,epoch,question,answer,label"


@pytest.mark.parametrize("answer", ["=1+1", "@SUM(A1)", "+cmd", "-2+3", "\t=1"])
def test_no_answer_becomes_a_formula(answer):
    assert list(csv.reader(io.StringIO(sample_csv([Asked("q", "?", answer)]))))[1][2] == f"'{answer}"


def test_labels_meet_the_scores_of_their_completion():
    part, metric = _run()
    labels = [
        {"ID": "q3", "epoch": 2, "Label": "pass"},
        {"ID": "q0", "epoch": 1, "Label": 1},
        {"ID": "q5", "epoch": 1, "Label": " "},
    ]
    found = joined(read_labels(labels), part, metric)
    assert found.ids == ("q3", "q0")
    assert found.judge.tolist() == [1.0, 0.0]
    assert found.human_scores.tolist() == [1.0, 1.0]
    assert found.epoch.tolist() == [2, 1]
    assert (found.n_blank, found.n_unscored) == (1, 0)


def test_a_row_without_epoch_is_of_the_first_scored_completion():
    rows = [dict(row, score=None if row["epoch"] == 1 else 1.0) for row in RUN]
    part = es.read(rows).benchmarks[0]
    found = joined(read_labels([{"id": "q4", "label": 0}]), part, part.metric("score"))
    assert (found.epoch.tolist(), found.judge.tolist()) == ([2], [1.0])


def test_a_labelled_completion_without_a_score_is_counted():
    rows = [*RUN, {"id": "q6", "epoch": 1, "score": None, "question": "", "answer": ""}]
    part = es.read(rows).benchmarks[0]
    labels = read_labels([{"id": "q6", "label": 1}, {"id": "q1", "label": 1}])
    found = joined(labels, part, part.metric("score"))
    assert (found.ids, found.n_unscored) == (("q1",), 1)


@pytest.mark.parametrize(
    ("rows", "error", "said"),
    [
        ([{"id": "q1", "verdict": 1}], InputError, "has `id` and `label`"),
        ([{"id": "", "label": 1}], InputError, "row 1 has no id"),
        ([{"id": "q1", "label": 1}, {"id": "q1", "label": 0}], InputError, "more than once"),
        ([{"id": "zz", "label": 1}], PairingError, "not in records"),
        ([{"id": "q1", "label": ""}], PairingError, "holds no label"),
    ],
)
def test_what_cannot_be_joined_says_why(rows, error, said):
    part, metric = _run()
    with pytest.raises(error, match=said):
        joined(read_labels(rows), part, metric)


def test_a_label_that_is_no_score_is_named():
    part, metric = _run()
    found = joined(read_labels([{"id": "q1", "label": "banana"}]), part, metric)
    with pytest.raises(InputError, match="the label of 'q1': 'banana' is no score"):
        _ = found.human_scores
