"""Row 6 of the mission beyond a rate: a sign-off on scores, clusters and pairs, by command and by call."""

from __future__ import annotations

import pytest

import evalstats as es
from evalstats.cli.main import main
from tests.made_runs import command, refused, write_csv

ITEMS = [{"item": f"q{i}", "passage": f"p{i // 4}"} for i in range(60)]


@pytest.fixture
def runs(tmp_path):
    """Two runs of 60 items in 15 passages, and the same graded from 0 to 1."""
    paths = []
    for name, turn in (("a", 7), ("b", 5)):
        rows = [{**item, "score": int(i % turn > 1), "grade": (i % turn) / 7} for i, item in enumerate(ITEMS)]
        paths.append(write_csv(tmp_path / f"{name}.csv", rows))
    return paths


def test_a_sign_off_in_clusters_declares_their_largest_size(capsys, runs):
    asked = ("--metric", "score", "--cluster", "passage", "--guarantee")
    assert "declare it with largest_cluster=M (--largest-cluster M)" in refused(
        capsys, "score", runs[0], *asked
    )
    assert "a cluster has 4 items, more than largest_cluster=3" in refused(
        capsys, "score", runs[0], *asked, "--largest-cluster", "3"
    )
    printed, *_ = command(capsys, "score", runs[0], *asked, "--largest-cluster", "4")["scores"]
    called = es.score(runs[0], metric="score", cluster="passage", guarantee=True, largest_cluster=4).only.run
    estimate = printed["run"]["estimate"]
    assert (estimate["ci_low"], estimate["ci_high"]) == (called.estimate.ci_low, called.estimate.ci_high)
    assert (estimate["method"], estimate["extra"]["guarantee"]) == ("betting_mixture", "proved")
    assert estimate["extra"]["largest_cluster"] == 4
    wider = es.score(runs[0], metric="score", cluster="passage", guarantee=True, largest_cluster=8).only.run
    assert wider.estimate.ci_low < called.estimate.ci_low


def test_a_change_is_signed_off_by_exact_limits_and_an_exact_test(capsys, runs):
    asked = ("--metric", "score", "--cluster", "passage", "--guarantee", "--largest-cluster", "4")
    printed, *_ = command(capsys, "compare", *runs, *asked)["comparisons"]
    assert (printed["difference"]["method"], printed["test"]["method"]) == ("betting_mixture", "sign_flip")
    graded, *_ = command(capsys, "compare", *runs, "--metric", "grade", "--guarantee")["comparisons"]
    assert graded["difference"]["extra"]["guarantee"] == graded["test"]["extra"]["guarantee"] == "proved"
    assert main(["compare", *map(str, runs), *asked]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "betting, coverage proved" in text


def test_a_gate_by_a_guarantee_says_what_nobody_has_summed(capsys, runs):
    asked = ("--metric", "score", "--cluster", "passage", "--guarantee", "--largest-cluster", "4")
    assert main(["gate", *map(str, runs), *asked, "--margin", "60"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "passes is not known: nobody has summed it for this guarantee" in text
    assert "no spread was seen" not in text


def test_a_largest_cluster_that_does_nothing_is_refused(capsys, runs):
    said = refused(capsys, "score", runs[0], "--metric", "score", "--largest-cluster", "4")
    assert "largest_cluster=4 has no use" in said
    assert "largest_cluster" in refused(capsys, "score", "9/10", "--largest-cluster", "4")
    assert "a cluster has one item or more" in refused(capsys, "score", runs[0], "--largest-cluster", "0")
