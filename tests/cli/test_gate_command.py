"""gate and init as CI meets them: exits, files, the job summary, --fail-on and --plan of the other verbs."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from evalstats.cli.main import main
from evalstats.plan_file import read_plan
from tests.made_runs import counted, records, refused, write_csv

PASSES = ["gate", "4000/5000", "4010/5000", "--discordant", "120", "130", "--margin", "2"]
FAILS = ["gate", "4000/5000", "3900/5000", "--discordant", "200", "100", "--margin", "2"]
OPEN = ["gate", "4000/5000", "3970/5000", "--discordant", "265", "235", "--margin", "1"]
NO_GATE = ["gate", "360/500", "375/500", "--discordant", "40", "55", "--margin", "1"]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A folder of its own, outside any job of GitHub's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)


@pytest.fixture
def runs(tmp_path):
    """Two tables of 500 items, 12 only the old has right, 14 only the new."""
    old, new = counted(400, 12, 14, 74)
    return write_csv(tmp_path / "old.csv", records(old)), write_csv(tmp_path / "new.csv", records(new))


@pytest.mark.parametrize(
    ("arguments", "code", "first"),
    [
        (PASSES, 0, "Gate: pass (exit 0)"),
        (FAILS, 1, "Gate: fail (exit 1)"),
        (OPEN, 3, "Gate: inconclusive (exit 3)"),
        ([*OPEN, "--inconclusive", "pass"], 0, "Gate: inconclusive (exit 0)"),
        ([*OPEN, "--inconclusive", "fail"], 1, "Gate: inconclusive (exit 1)"),
        (NO_GATE, 3, "Not a gate: an unchanged candidate passes in 7.3 % of cases (exit 3)"),
        (
            [*NO_GATE, "--inconclusive", "pass"],
            3,
            "Not a gate: an unchanged candidate passes in 7.3 % of cases (exit 3)",
        ),
        ([*PASSES, "--fail-on", "skewed,few_discordant"], 0, "Gate: pass (exit 0)"),
    ],
)
def test_the_exit_is_the_answer(capsys, arguments, code, first):
    assert main(arguments) == code
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == first
    assert err == ""
    assert main([*arguments, "--json"]) == code
    assert json.loads(capsys.readouterr().out)["exit_code"] == code


def test_what_is_no_gate_names_the_margin_and_the_items_that_would_do(capsys):
    main(NO_GATE)
    said = " ".join(capsys.readouterr().out.split())
    assert "For 80 % it would take a margin of 5.6 points or 15,022 items." in said
    assert "Not worse by more than 1 point, the margin given." in said  # the comparison, all the same


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gate", "1/2", "2/2"], "a gate needs a margin"),
        (["gate", "1/2", "--margin", "3"], "came with 1 run: it wants BASELINE and CANDIDATE"),
        (["gate", "--margin", "3"], "came with 0 runs"),
        (["gate", "1/2", "1/2", "1/2", "--margin", "3"], "came with 3 runs"),
        ([*PASSES, "--n", "500"], "--n is for --dry-run"),
        ([*PASSES, "--discordant-rate", ".1"], "--discordant-rate is for --dry-run"),
        ([*PASSES, "--dry-run"], "name the baseline alone, or --n ITEMS"),
        (
            ["gate", "--dry-run", "--n", "500", "--margin", "3", "--inconclusive", "pass"],
            "a dry run has none yet",
        ),
        (
            ["gate", "--dry-run", "--n", "500", "--margin", "3", "--fail-on", "skewed"],
            "a dry run has none yet",
        ),
        (["gate", "--dry-run", "--n", "x", "--margin", "3"], "'x' is no whole number"),
        (["gate", "--dry-run", "--n", "500"], "a gate needs a margin"),
        ([*PASSES, "--inconclusive", "skip"], "counts as pass or fail"),
        ([*PASSES, "--fail-on", "few_discordnat"], "Did you mean few_discordant?"),
        ([*PASSES, "--method", "wald"], "has no option --method. Another verb has it."),
        ([*PASSES, "--inconclusve", "pass"], "Did you mean --inconclusive?"),
        ([*PASSES, "--plan", "x.toml"], "the plan file decides the margin"),
        (
            ["gate", "1/2", "1/2", "--plan", "x.toml"],
            "no plan file 'x.toml'. Write one with: evalstats init RUN.",
        ),
        ([*PASSES, "--junit", "gate.json"], "must end in .xml"),
        ([*PASSES, "--html", "gate.html"], "has no option --html"),
        ([*PASSES, "--tried", "0"], "tried=0"),
        (["init", "1/2"], "a plan freezes items"),
        (["init", "nothing.csv"], "no file, folder or glob"),
    ],
)
def test_a_wrong_call_is_one_paragraph_and_2(capsys, arguments, said):
    assert said in refused(capsys, *arguments)


def test_options_may_stand_between_the_runs(capsys):
    assert main(["gate", "4000/5000", "--margin", "2", "4010/5000", "--discordant", "120", "130"]) == 0


def test_a_dry_run_exits_0_also_where_it_is_no_gate(capsys):
    assert main(["gate", "--dry-run", "--n", "500", "--margin", "1", "--discordant-rate", "0.19"]) == 0
    out = capsys.readouterr().out
    assert "Not a gate" in out
    assert "7.4 %" in out
    assert "14,924" in out
    assert main(["gate", "--dry-run", "--n", "500", "--margin", "1", "--markdown"]) == 0
    assert "| 20 % | 7.2 % |" in capsys.readouterr().out


def test_junit_is_written_and_said(capsys):
    assert main([*FAILS, "--junit", "gate.xml"]) == 1
    assert "gate.xml written" in capsys.readouterr().err
    suites = ElementTree.parse("gate.xml").getroot()
    assert (suites.tag, suites.get("tests"), suites.get("failures")) == ("testsuites", "1", "1")
    assert suites.find(".//failure").get("type") == "fail"


def test_the_job_summary_is_added_where_there_is_one(capsys, monkeypatch, tmp_path):
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    assert main(PASSES) == 0
    assert "summary.md" in " ".join(capsys.readouterr().err.split())
    said = summary.read_text(encoding="utf-8")
    assert said.startswith("before\n**Gate: pass (exit 0)**")
    main(["compare", *PASSES[1:]])
    main(["gate", "--dry-run", "--n", "500", "--margin", "3"])
    assert summary.read_text(encoding="utf-8") == said  # an answer of a gate alone
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "no" / "summary.md"))
    assert main(FAILS) == 1  # its exit is the gate's
    assert "could not be added" in " ".join(capsys.readouterr().err.split())


def test_init_writes_a_plan_that_gates(capsys, runs, tmp_path):
    old, new = runs
    assert main(["init", str(old), "--margin", "5pt"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("evalstats.toml written: 1 benchmark")
    plan = read_plan("evalstats.toml")
    assert plan.benchmarks[0].baseline == "old.csv"
    assert main(["gate", str(new), "--plan", "evalstats.toml"]) == 0
    assert capsys.readouterr().out.startswith("Gate: pass (exit 0)")


def test_init_never_overwrites(capsys, runs):
    old, _ = runs
    assert main(["init", str(old), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["schema"], found["path"], found["benchmarks"]) == (
        "evalstats/init/1",
        "evalstats.toml",
        ["scores"],
    )
    before = Path("evalstats.toml").read_text(encoding="utf-8")
    assert "evalstats.toml is there already and is not overwritten" in refused(capsys, "init", old)
    assert Path("evalstats.toml").read_text(encoding="utf-8") == before
    assert "must end in .toml" in refused(capsys, "init", old, "--out", "old.txt")
    assert "cannot be written" in refused(capsys, "init", old, "--out", "no/plan.toml")


def test_a_caveat_named_by_fail_on_exits_4(capsys):
    compare = ["compare", "45/50", "47/50", "--discordant", "1", "3"]
    assert main([*compare, "--fail-on", "few_discordant"]) == 4
    out, err = capsys.readouterr()
    assert "candidate − baseline" in out
    assert "exit 4: --fail-on few_discordant" in err
    assert main([*compare, "--fail-on", "skewed,dominant_item"]) == 0
    capsys.readouterr()
    assert main([*compare, "--fail-on", "skewed", "--fail-on", "few_discordant", "--json"]) == 4
    assert json.loads(capsys.readouterr().out)["comparisons"]
    assert main(["score", "1/30", "--fail-on", "few_informative"]) == 4
    capsys.readouterr()
    assert "Did you mean few_informative?" in refused(capsys, "score", "1/30", "--fail-on", "few_informativ")


def test_compare_and_score_take_a_plan(capsys, runs, tmp_path):
    old, new = runs
    Path("plan.toml").write_text('[plan]\nlevel = 0.9\n[[benchmark]]\nname = "quiz"\nmargin = "5pt"\n')
    rows = [{"benchmark": "quiz", **row} for row in records(counted(400, 12, 14, 74)[0])]
    more = [{"benchmark": "quiz", **row} for row in records(counted(400, 12, 14, 74)[1])]
    one, two = write_csv(tmp_path / "a.csv", rows), write_csv(tmp_path / "b.csv", more)
    assert main(["compare", str(one), str(two), "--plan", "plan.toml", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert (row["margin"], row["difference"]["level"]) == (0.05, 0.9)
    assert main(["score", str(one), "--plan", "plan.toml", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["scores"]
    assert row["run"]["estimate"]["level"] == 0.9
    assert main(["gate", str(one), str(two), "--plan", "plan.toml"]) == 0
    capsys.readouterr()
    assert "the plan file decides the level" in refused(
        capsys, "compare", one, two, "--plan", "plan.toml", "--level", ".9"
    )
    assert "none of the benchmarks here" in refused(capsys, "compare", old, new, "--plan", "plan.toml")
