"""The mission's D8: judge error corrected, judge bias and drift on a frozen anchor set, with intervals."""

from __future__ import annotations

import csv
import re
import runpy
from pathlib import Path

import pytest

import evalstats as es
from evalstats.cli.main import main
from evalstats.report.judge_checks_text import bias_markdown, drift_markdown
from evalstats.report.judge_text import judged_markdown
from tests.made_runs import command, refused, write_csv

ROOT = Path(__file__).parents[2]
TABLES = ROOT / "examples" / "judge"
OLD, NEW = TABLES / "judged-old.csv", TABLES / "judged-new.csv"
OLD_LABELS, NEW_LABELS = TABLES / "labels-old.csv", TABLES / "labels-new.csv"
ANCHORS = (TABLES / "anchors-may.csv", TABLES / "anchors-june.csv", "--anchors")
ANCHOR_LABELS = ("--labels", TABLES / "anchors-labels.csv")
TRUE_OLD, TRUE_NEW = 164 / 300, 170 / 300  # of examples/judge/made.py


def _inside(estimate, truth):
    return estimate["ci_low"] < truth < estimate["ci_high"]


def test_a_judges_score_is_corrected_where_the_truth_is_known(capsys):
    (one,) = command(capsys, "judge", NEW, "--labels", NEW_LABELS)["benchmarks"]
    first = one["answers"][0]
    assert (first["kind"], first["estimate"]["method"]) == ("corrected", "ppi_plus_plus")
    assert not _inside(one["judge"], TRUE_NEW)
    assert all(_inside(answer["estimate"], TRUE_NEW) for answer in one["answers"])
    called = es.judged(NEW, labels=NEW_LABELS).only
    assert called.shown.ci_low == first["estimate"]["ci_low"]


def test_a_difference_that_is_the_judges_alone_is_not_settled(capsys):
    printed = command(capsys, "judge", OLD, NEW, "--labels", OLD_LABELS, "--labels", NEW_LABELS)
    (one,) = printed["benchmarks"]
    assert one["judge"]["ci_low"] > 0
    assert one["direction"] == "not_settled"
    assert _inside(one["answers"][0]["estimate"], TRUE_NEW - TRUE_OLD)
    roles = [entry["role"] for entry in printed["provenance"]["inputs"]]
    assert roles == ["baseline", "labels of the baseline", "candidate", "labels of the candidate"]


def test_error_rates_correct_counts(capsys):
    (one,) = command(capsys, "judge", "60/200", "--sensitivity", "90/100", "--specificity", "114/120")[
        "benchmarks"
    ]
    found = es.rogan_gladen(60, 200, 0.9, 0.95, n_pos=100, n_neg=120)
    assert one["answers"][0]["estimate"]["ci_high"] == found.ci_high
    said = refused(capsys, "judge", "60/200", "--sensitivity", "50/100", "--specificity", "60/120")
    assert "not identifiable" in said


def test_drift_and_bias_have_intervals(capsys):
    (one,) = command(capsys, "judge", *ANCHORS, *ANCHOR_LABELS)["benchmarks"]
    assert one["verdict"] == "drifted"
    assert [row["difference"]["method"] for row in one["rows"]] == ["tango", "tango"]
    printed = command(capsys, "judge", "--verdicts", TABLES / "pairs.csv")
    shares = {row["kind"]: row["share"] for row in printed["figures"]}
    assert shares["position"]["ci_low"] > 0.5
    assert 0 < shares["swap_flips"]["ci_low"] < shares["swap_flips"]["ci_high"] < 1
    assert printed["figures"][2]["difference"]["ci_low"] > 0  # longer answers win more than people say
    assert set(printed["unknown"]) == {"self_preference"}


CALLS = {
    "one run": ("judge", NEW, "--labels", NEW_LABELS, "--level", "0.9"),
    "two runs": ("judge", OLD, NEW, "--labels", OLD_LABELS, "--labels", NEW_LABELS, "--method", "ppi"),
    "counts": ("judge", "60/200", "--sensitivity", "0.9", "--specificity", "0.95"),
    "anchors": ("judge", *ANCHORS, *ANCHOR_LABELS, "--margin", "20"),
    "pairs": ("judge", "--verdicts", TABLES / "pairs.csv"),
}


@pytest.mark.parametrize("call", CALLS)
def test_every_form_is_computed_again_from_its_json(call, capsys, tmp_path):
    assert main([*map(str, CALLS[call]), "--json"]) == 0
    result = tmp_path / "result.json"
    result.write_text(capsys.readouterr().out, encoding="utf-8")
    assert es.reproduce(result).reproduced


def test_labels_that_changed_are_noticed(capsys, tmp_path):
    labels = tmp_path / "labels.csv"
    labels.write_text(NEW_LABELS.read_text(encoding="utf-8"), encoding="utf-8")
    assert main(["judge", str(NEW), "--labels", str(labels), "--json"]) == 0
    (tmp_path / "result.json").write_text(capsys.readouterr().out, encoding="utf-8")
    moved = tmp_path / "moved"
    moved.mkdir()
    labels.rename(moved / "labels.csv")
    assert es.reproduce(tmp_path / "result.json").reproduced  # found by its hash beside the result
    (moved / "labels.csv").write_text("id,label\nq000,1\nq001,0\n", encoding="utf-8")
    assert "has changed" in refused(capsys, "reproduce", tmp_path / "result.json")


def test_fail_on_reads_the_caveats(capsys):
    assert main(["judge", str(OLD), "--labels", str(OLD_LABELS), "--fail-on", "few_disagreements"]) == 4
    assert main(["judge", str(NEW), "--labels", str(NEW_LABELS), "--fail-on", "few_disagreements"]) == 0
    capsys.readouterr()


def test_markdown_and_text_have_the_same_figures():
    runs = str(OLD), str(NEW)
    shown = (
        (es.judged(NEW, labels=NEW_LABELS), judged_markdown),
        (es.judged(*runs, labels=(OLD_LABELS, NEW_LABELS)), judged_markdown),
        (es.judge_drift(*ANCHORS[:2], labels=ANCHOR_LABELS[1]), drift_markdown),
        (es.judge_bias(TABLES / "pairs.csv"), bias_markdown),
    )
    for result, markdown in shown:
        text = str(result)
        assert max(map(len, text.splitlines())) <= 80
        in_markdown = set(re.findall(r"\d+\.\d %|[+−]\d+\.\d", markdown(result).replace("\u00a0", " ")))
        assert in_markdown
        assert in_markdown <= set(re.findall(r"\d+\.\d %|[+−]\d+\.\d", text.replace("\u00a0", " ")))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("60/200",), "wants people's labels of a random part"),
        ((OLD, "--labels", OLD_LABELS, "--margin", "2"), "--margin is for --anchors"),
        ((OLD, "--labels", NEW_LABELS, "--method", "tango"), "There are: ppi_plus_plus, ppi"),
        ((OLD, NEW, "--labels", OLD_LABELS), "two files of labels"),
        ((OLD, "--anchors"), "it wants BEFORE and AFTER"),
        ((OLD, NEW, "--anchors", "--sensitivity", "0.9"), "--sensitivity has no use"),
        ((*ANCHORS, *ANCHOR_LABELS, *ANCHOR_LABELS), "one file of labels"),
        ((OLD, "--verdicts", TABLES / "pairs.csv"), "stands alone"),
        (("--verdicts", OLD), "no column first"),
        ((OLD, "--labels", "nowhere.csv"), "no file 'nowhere.csv'"),
        ((OLD, "--labels", OLD_LABELS, "--guarantee"), "no option --guarantee"),
    ],
)
def test_a_command_that_cannot_be_answered_says_so_in_one_paragraph(arguments, said, capsys):
    assert said in refused(capsys, "judge", *arguments)


def test_the_page_shows_what_the_commands_print(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs" / "judge.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```console\n\$ evalstats (.*)\n([^`]*)^```", text, flags=re.MULTILINE)
    assert len(blocks) == 4
    for words, shown in blocks:
        assert main(words.split()) == 0
        assert capsys.readouterr().out == shown


def test_the_tables_are_what_their_script_writes(tmp_path, monkeypatch):
    made = runpy.run_path(str(TABLES / "made.py"))
    monkeypatch.setitem(made["write"].__globals__, "HERE", tmp_path)
    for seed, make in enumerate((made["two_runs"], made["anchors"], made["pairs"])):
        make(made["np"].random.default_rng(seed))
    names = sorted(path.name for path in TABLES.glob("*.csv"))
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    for name in names:
        assert (tmp_path / name).read_bytes() == (TABLES / name).read_bytes()


def test_a_blind_sample_comes_back_as_labels(capsys, tmp_path):
    """agree sample draws; a person fills in; judge joins by id."""
    right = {f"q{i}": i % 5 > 1 for i in range(200)}
    rows = [
        {"id": item, "question": "?", "answer": f"answer to {item}", "score": int(is_right or i % 2 == 0)}
        for i, (item, is_right) in enumerate(right.items())
    ]
    run, labels = write_csv(tmp_path / "run.csv", rows), tmp_path / "labels.csv"
    assert main(["agree", "sample", str(run), "--n", "120", "--out", str(labels)]) == 0
    with labels.open(encoding="utf-8", newline="") as file:
        sample = list(csv.DictReader(file))
    assert {row["label"] for row in sample} == {""}
    write_csv(labels, [row | {"label": ("fail", "pass")[right[row["id"]]]} for row in sample])
    capsys.readouterr()
    (one,) = command(capsys, "judge", run, "--labels", labels)["benchmarks"]
    assert (one["n_labelled"], one["sides"][0]["sensitivity"]["point"]) == (120, 1.0)
    assert one["answers"][0]["kind"] == "corrected"
    assert _inside(one["answers"][0]["estimate"], 0.6)
    assert not _inside(one["judge"], 0.6)
