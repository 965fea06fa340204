"""What a log does not tell is said, unless the person has told it."""

from __future__ import annotations

import pytest

import evalstats as es
from tests.judge_runs import answers, judge_of, labelled, write_labels, write_run


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A judge's run and the labels of a part of it."""
    folder = tmp_path_factory.mktemp("judged")
    right = answers(1, n=200)
    run = write_run(folder / "run.csv", judge_of(right, 2))
    return str(run), str(write_labels(folder / "labels.csv", right, labelled(200, 80)))


ANSWERS = {
    "judge": lambda run, labels, **options: es.judged(run, labels=labels, **options),
    "agree": lambda run, labels, **options: es.agree(labels, run, **options),
    "passk": lambda run, labels, **options: es.attempts(run, **options),
    "score": lambda run, labels, **options: es.score(run, **options),
}


@pytest.mark.parametrize("verb", ANSWERS)
def test_undeclared_clusters_are_said_and_declared_ones_are_not(verb, files):
    assert "Not checked: clusters (none declared)" in str(ANSWERS[verb](*files))
    assert "clusters" not in str(ANSWERS[verb](*files, cluster="none"))


@pytest.mark.parametrize(
    "of_counts",
    [
        lambda: es.judged("60/200", sensitivity="90/100", specificity="114/120"),
        lambda: es.attempts(counts=[(3, 20), (0, 20), (20, 20), (10, 20)], k=5),
        lambda: es.attempts("60/200"),
        lambda: es.score("60/200"),
    ],
)
def test_counts_carry_no_clusters(of_counts):
    assert "clusters (counts carry no fields)" in " ".join(str(of_counts()).split())
