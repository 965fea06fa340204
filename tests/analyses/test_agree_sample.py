"""The sample that people label: drawn at random, written once, and joined by id when it comes back."""

from __future__ import annotations

import csv
import json
import math

import pytest

import evalstats as es
from evalstats.analyses.agree_sample import label_sample
from evalstats.errors import InputError
from evalstats.report.agree_sample_text import rest
from tests.made_labels import EXAMPLES, RUN, read_rows, write_rows
from tests.made_runs import command, refused


def test_labels_of_a_sample_come_back_by_id(tmp_path):
    run = write_rows(tmp_path / "run.csv", RUN)
    labels = [{"id": f"q{i}", "label": "pass" if i % 4 else "fail"} for i in range(40)]
    labels += [{"id": "q50", "label": ""}]
    path = write_rows(tmp_path / "labels.csv", labels)
    found = es.agree(path, run)
    judge = [float(i % 3 > 0) for i in range(40)]
    human = [float(i % 4 > 0) for i in range(40)]
    assert found.estimate.point == pytest.approx(es.cohen_kappa(human, judge).point)
    assert (found.n_blank, found.n_items, found.key) == (1, 40, "id")
    assert [one.role for one in found.raters] == ["judge", "human"]
    by_field = es.agree(es.read(RUN, fields=("person",)), human="person", metric="score")
    by_column = es.agree(run, judge="score", human="person")
    assert by_field.n_items == by_column.n_items == 60
    assert by_field.estimate.point == by_column.estimate.point
    two = write_rows(tmp_path / "two.csv", labels[:30])
    both = es.agree(path, two, run)
    assert both.ceiling is not None
    assert both.ceiling.humans.point == 1
    alone = es.agree(path, two)
    assert (alone.matrix is not None, alone.ceiling, alone.rows[0].kind) == (True, None, "raters")


def test_a_sample_is_random_blind_and_the_same_for_a_seed():
    sample = label_sample(RUN, 20, metric="score")
    again = label_sample(list(reversed(RUN)), 20, metric="score")
    assert sample.csv() == again.csv()
    assert label_sample(RUN, 20, seed=1, metric="score").csv() != sample.csv()
    rows = list(csv.DictReader(sample.csv().splitlines()))
    assert list(rows[0]) == ["id", "question", "answer", "label"]
    assert len({row["id"] for row in rows}) == 20
    assert all(row["label"] == "" and row["answer"] == f"{row['id'][1:]}!" for row in rows)
    ids = [row["id"] for row in rows]
    assert ids != sorted(ids)


def test_every_item_is_drawn_as_often_as_another():
    drawn = [one.id for seed in range(120) for one in label_sample(RUN, 10, seed=seed, metric="score").rows]
    counts = [drawn.count(f"q{i}") for i in range(60)]
    assert sum(counts) == 1200
    assert max(abs(n - 20) for n in counts) < 4.5 * math.sqrt(120 * (1 / 6) * (5 / 6))


def test_items_without_a_score_are_not_drawn_and_of_completions_one():
    rows = [
        {"id": f"q{i}", "epoch": e, "score": None if i == 0 else 1.0, "question": "?", "answer": f"{i}/{e}"}
        for i in range(12)
        for e in (1, 2, 3)
    ]
    sample = label_sample(rows, 11)
    assert {one.id for one in sample.rows} == {f"q{i}" for i in range(1, 12)}
    assert len({one.epoch for one in sample.rows}) > 1
    assert all(one.answer == f"{one.id[1:]}/{one.epoch}" for one in sample.rows)
    with pytest.raises(InputError, match="11 items have a score"):
        label_sample(rows, 12)
    with pytest.raises(InputError, match="no answers' texts"):
        label_sample([{"id": "a", "score": 1}, {"id": "b", "score": 0}], 1)


def test_the_command_writes_labels_once_and_they_come_back(tmp_path, capsys):
    run, out = write_rows(tmp_path / "run.csv", RUN), tmp_path / "out.csv"
    said = command(capsys, "agree", "sample", run, "--n", "30", "--out", out, "--metric", "score")
    assert said["n_items"] == 60
    assert [w["agreement"] for w in said["widths"]] == [0.8, 0.9, 0.95]
    assert "is there already" in refused(capsys, "agree", "sample", run, "--out", out)
    assert "is about labels" in refused(capsys, "agree", "sample", run, "--human", "x")
    assert "is of a sample to label" in refused(capsys, "agree", run, "--n", "3")
    rows = read_rows(out)
    truth = {row["id"]: row["score"] for row in RUN}
    for row in rows[:25]:
        row["label"] = "pass" if truth[row["id"]] else "fail"
    labelled = write_rows(tmp_path / "labelled.csv", rows)
    found = command(capsys, "agree", labelled, run, "--metric", "score")
    assert (found["rows"][0]["estimate"]["point"], found["n_blank"]) == (1.0, 5)
    reproduced = tmp_path / "sample.json"
    reproduced.write_text(json.dumps(said), encoding="utf-8")
    assert es.reproduce(reproduced).reproduced


def test_what_clusters_mean_for_the_corrected_score_is_said_before_labels_are_made(tmp_path):
    declared = label_sample(EXAMPLES / "logs" / "inspect" / "model-a.eval", 20)
    assert declared.clusters == "passage_id"
    said = "\n".join(rest(declared))
    assert "Items are in clusters of passage_id" in said
    assert said.endswith("--cluster none")
    none = label_sample(write_rows(tmp_path / "run.csv", RUN), 20, metric="score")
    assert none.clusters is None
    assert "--cluster" not in "\n".join(rest(none))
