"""Row 19 of the mission: a judge against human labels, one command and one call."""

from __future__ import annotations

import csv

import pytest

import evalstats as es
from evalstats.report.agree_text import agreement_text
from tests.made_runs import command
from tests.mission.expected import seed


def _labels(path, table):
    """A csv of (human, judge) labels from a table of counts."""
    human, judge = es.agreement.labels_of_table(table)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["judge", "human"])
        writer.writerows(zip(judge, human, strict=True))
    return path


def test_row_19_80_per_cent_agreement_is_kappa_56(tmp_path, capsys):
    path = _labels(tmp_path / "labels.csv", [[24, 4], [16, 56]])
    printed = command(capsys, "agree", path)
    called = es.agree(path)
    kappa = called.estimate
    assert printed["rows"][0]["estimate"]["point"] == kappa.point == seed("kappa_80")
    assert kappa.extra["observed_agreement"] == pytest.approx(0.8)
    assert kappa.extra["expected_agreement"] == pytest.approx(0.544)
    assert kappa.point == pytest.approx((0.8 - 0.544) / (1 - 0.544))
    text = agreement_text(called, 80)
    assert "kappa   0.56" in text
    assert "80.0 % agree; 54.4 % would by chance" in text


def test_row_19_92_per_cent_collapses_when_one_class_is_rare(tmp_path, capsys):
    path = _labels(tmp_path / "labels.csv", [[2, 4], [4, 90]])
    printed = command(capsys, "agree", path)
    called = es.agree(path)
    assert seed("kappa_92") == 1 - 0.08 / (1 - 0.29)  # what 92 % and .29 imply; no table was given
    assert called.estimate.extra["observed_agreement"] == pytest.approx(0.92)
    assert called.estimate.extra["expected_agreement"] == pytest.approx(1 - 0.08 / (1 - 0.29), abs=5e-4)
    assert round(called.estimate.point, 2) == 0.29
    assert [c["code"] for c in printed["rows"][0]["estimate"]["extra"]["caveats"]] == ["rare_class"]
    rare, common = called.matrix.classes
    assert (rare.recall.point, round(common.recall.point, 3)) == (pytest.approx(1 / 3), 0.957)
    assert called["ac1"].estimate.point == pytest.approx(0.91, abs=0.005)
    text = " ".join(agreement_text(called, 80).split())
    assert "with a class under 20 items kappa falls however well raters agree, and its interval" in text
    assert "33.3 % (10 to 70)" in text


def test_row_19_human_human_agreement_is_the_ceiling(capsys):
    table = "examples/agree/labels.csv"
    printed = command(capsys, "agree", table, "--judge", "judge", "--human", "ann,bob")
    called = es.agree(table, judge="judge", human=("ann", "bob")).ceiling
    assert printed["ceiling"]["difference"]["point"] == called.difference.point
    assert called.humans.point > called.judge.point
    assert called.difference.ci_high < 0
    assert printed["ceiling"]["test"]["pvalue"] < 0.05
