"""The command as people and scripts meet it: exits, one paragraph, near misses, JSON alone."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from evalstats import __version__
from evalstats.cli import main as command
from evalstats.cli.main import VERBS, main

COUNTS = ["compare", "360/500", "375/500", "--discordant", "40", "55"]
ARGUMENTS = {
    "score": ["360/500"],
    "compare": COUNTS[1:],
    "gate": [*COUNTS[1:], "--margin", "1"],
    "init": ["runs"],
    "slices": ["runs", "--by", "subject"],
    "agree": ["labels.csv"],
    "judge": ["run.eval", "--labels", "labels.csv"],
    "passk": ["50/164"],
    "rank": ["a.eval", "b.eval", "c.eval"],
    "variance": ["run.eval"],
    "contamination": ["run.eval", "--split", "year<2024"],
    "size": ["--rate", "0.7", "--half-width", "2"],
    "which": ["7"],
    "show": ["360/500"],
    "reproduce": ["x.json"],
}

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.delenv("EVALSTATS_DEBUG", raising=False)


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "scores.csv"
    path.write_text("id,score\n" + "".join(f"q{at},{at % 2}\n" for at in range(20)))
    return str(path)


def complaint(captured: Captured, *arguments: str) -> str:
    """What is said on standard error by a call that must fail with 2, as one line."""
    assert main(arguments) == 2
    out, err = captured.readouterr()
    assert out == ""
    assert "Traceback" not in err
    assert all(len(line) <= 60 or " " not in line.strip() for line in err.splitlines())
    return " ".join(err.split())


def test_the_counts_of_the_design_give_its_answer(capsys: Captured) -> None:
    assert main(COUNTS) == 0
    out, err = capsys.readouterr()
    assert "candidate − baseline   +3.0 points   −0.8 to +6.9" in out
    assert "Not settled:" in out
    assert "p = 0.15 (McNemar exact)" in out
    assert err == ""


@pytest.mark.parametrize(
    ("margin", "verdict"),
    [("0.5", "Not settled"), ("1", "Not worse by more than 1 point"), ("7", "Equivalent within 7 points")],
)
def test_a_bare_margin_is_points(margin: str, verdict: str, capsys: Captured) -> None:
    assert main([*COUNTS, "--margin", margin]) == 0
    assert verdict in capsys.readouterr().out


def test_json_stands_alone_on_standard_output_and_is_strict(capsys: Captured) -> None:
    assert main([*COUNTS, "--json"]) == 0
    result = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert result["schema"] == "evalstats/compare/1"
    assert result["comparisons"][0]["difference"]["point"] == pytest.approx(0.03)


def test_what_is_said_once_goes_to_standard_error(table: str, capsys: Captured) -> None:
    assert main(["score", table, "--json"]) == 0
    out, err = capsys.readouterr()
    json.loads(out)
    assert err.startswith("note: ")


def test_markdown_is_printed_when_asked(capsys: Captured) -> None:
    assert main([*COUNTS, "--markdown"]) == 0
    assert "<details>" in capsys.readouterr().out


def test_a_missing_argument_says_what_is_wanted(capsys: Captured) -> None:
    said = complaint(capsys, "compare", "a.csv")
    assert "missing: CANDIDATE" in said
    assert "evalstats compare BASELINE CANDIDATE" in said


def test_too_many_arguments_are_named(capsys: Captured) -> None:
    assert "too many arguments: c" in complaint(capsys, "compare", "a", "b", "c")


@pytest.mark.parametrize(
    ("typed", "meant"), [("comapre", "compare"), ("scor", "score"), ("--versio", "--version")]
)
def test_a_misspelt_verb_gets_the_near_one(typed: str, meant: str, capsys: Captured) -> None:
    assert f"Did you mean {meant}?" in complaint(capsys, typed)


def test_a_file_in_place_of_a_verb_gets_a_command(table: str, capsys: Captured) -> None:
    assert "evalstats show" in complaint(capsys, table)


@pytest.mark.parametrize(
    ("option", "meant"),
    [("--metrc", "--metric"), ("--lower-better", "--lower-is-better"), ("--met", "--metric")],
)
def test_a_misspelt_option_gets_the_near_one_and_none_is_abbreviated(
    option: str, meant: str, capsys: Captured
) -> None:
    said = complaint(capsys, "compare", "a", "b", option, "x")
    assert f"no option {option}" in said
    assert f"Did you mean {meant}?" in said


@pytest.mark.parametrize(
    ("option", "typed", "meant"),
    [
        ("--view", "fixed", "fixed_items"),
        ("--missing", "scorred", "scored"),
        ("--correction", "holmm", "holm"),
        ("--method", "tangoo", "tango"),
    ],
)
def test_a_misspelt_choice_gets_the_near_one(option: str, typed: str, meant: str, capsys: Captured) -> None:
    assert f"Did you mean '{meant}'?" in complaint(capsys, *COUNTS, option, typed)


def test_a_misspelt_metric_gets_the_near_one(table: str, capsys: Captured) -> None:
    assert "Did you mean 'score'?" in complaint(capsys, "score", table, "--metric", "scores")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--level", "95"], "from 0.5 to below 1"),
        (["--level", "high"], "'high' is no number"),
        (["--seed", "1.5"], "'1.5' is no whole number"),
        (["--bounds", "1"], "write LOW,HIGH such as 1,10"),
        (["--bounds", "0,inf"], "write LOW,HIGH such as 1,10"),
        (["--label", "new"], "1 --label for 2 RUN: give one for each run, or none."),
        (["--bounds", "10,1"], "the first must be below the second"),
        (["--metric"], "--metric: its value is missing"),
        (["--margin", "-1"], "above zero"),
        (["--margin", "-1pt"], "above zero"),
        (["--margin", "little"], "write a number such as 1, 1pt or 0.01"),
        (["--discordant", "4"], "--discordant: it wants two values"),
        (["--json", "--markdown"], "choose one"),
    ],
)
def test_a_wrong_value_says_what_is_wanted(arguments: list[str], said: str, capsys: Captured) -> None:
    assert said in complaint(capsys, "compare", "360/500", "375/500", *arguments)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["score", "3/4", "--level", ".9", "--level=.8"], "--level came twice"),
        (["contamination", "a.csv", "--split", "y<2022", "--split", "y<2023"], "--split came twice"),
        (["compare", "3/5", "4/5", "--discordant", "1", "2", "--discordant", "0", "1"], "--discordant came"),
        (["variance", "a.csv", "--cost", "item=1,item=2"], "give the cost of each name once"),
    ],
)
def test_the_first_of_two_values_is_not_lost(arguments: list[str], said: str, capsys: Captured) -> None:
    assert main(arguments) == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_what_gathers_may_come_twice(capsys: Captured) -> None:
    both = ["--label", "old", "--label", "new", "--fail-on", "few_items", "--fail-on", "same_file"]
    assert main(["compare", "3/5", "4/5", "--discordant", "1", "2", *both]) in (0, 4)
    assert "new" in capsys.readouterr().out


def test_an_option_of_another_verb_is_refused(capsys: Captured) -> None:
    said = complaint(capsys, "score", "360/500", "--margin", "1")
    assert "evalstats score has no option --margin. Another verb has it." in said
    assert "no option --metric" in complaint(capsys, "show", "360/500", "--metric", "x")


def test_a_path_that_is_not_there_is_an_input_error(table: str, capsys: Captured) -> None:
    said = complaint(capsys, "score", table.replace("scores.csv", "scors.csv"))
    assert "no file, folder or glob" in said
    assert "scores.csv" in said


def test_a_file_that_may_not_be_read_is_an_input_error(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    error = PermissionError(13, "Permission denied", "secret.eval")
    fails(monkeypatch, error)
    assert "secret.eval cannot be read: Permission denied." in complaint(capsys, "score", "360/500")


def fails(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Every analysis raises."""
    load = command._load

    def analysis(*_: object, **__: object) -> None:
        raise error

    places = {verb.analysis for verb in VERBS.values()}
    monkeypatch.setattr(command, "_load", lambda place: analysis if place in places else load(place))


@pytest.mark.parametrize("verb", VERBS)
def test_a_crash_is_one_paragraph_and_70_in_every_verb(
    verb: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    fails(monkeypatch, KeyError("boom\nsecond line"))
    assert main([verb, *ARGUMENTS[verb]]) == 70
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in err
    said = " ".join(err.split())
    assert said.startswith(f"evalstats: {verb} failed inside evalstats {__version__} (KeyError:")
    assert "EVALSTATS_DEBUG=1" in said


@pytest.mark.parametrize("verb", VERBS)
def test_the_traceback_is_there_for_whoever_asks(
    verb: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("EVALSTATS_DEBUG", "1")
    fails(monkeypatch, KeyError("boom"))
    assert main([verb, *ARGUMENTS[verb]]) == 70
    assert "Traceback" in capsys.readouterr().err


def test_an_interrupt_is_130_and_silent(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    fails(monkeypatch, KeyboardInterrupt())
    assert main(["score", "360/500"]) == 130
    assert capsys.readouterr() == ("", "")


def test_a_result_that_does_not_come_out_again_exits_2(tmp_path: Path, capsys: Captured) -> None:
    assert main([*COUNTS, "--json"]) == 0
    result = capsys.readouterr().out
    (tmp_path / "good.json").write_text(result)
    (tmp_path / "bad.json").write_text(result.replace('"candidate_only": 55', '"candidate_only": 56'))
    assert main(["reproduce", str(tmp_path / "good.json")]) == 0
    assert capsys.readouterr().out.startswith("Reproduced: all ")
    assert main(["reproduce", str(tmp_path / "bad.json")]) == 2
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("Not reproduced: ")
    assert "recorded 56, now 55" in said


def test_the_other_distribution_stops_every_verb(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setattr(
        "evalstats.cli.conflict._other_distribution", lambda: "/there/evalstats-0.3.3.dist-info"
    )
    assert "evalstats-0.3.3.dist-info" in complaint(capsys, "score", "360/500")


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("verb", ["", *VERBS])
def test_help_fits_the_terminal_and_has_examples(
    verb: str, width: int, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    assert main([*([verb] if verb else []), "--help"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert max(map(len, out.splitlines())) <= width
    examples = out[out.index("examples:") :].splitlines()[1:]
    assert 2 <= len(examples) <= 4
    assert all(line.startswith("  evalstats ") for line in examples)


def test_the_list_of_verbs_has_a_column_of_names(capsys: Captured) -> None:
    main(["--help"])
    listed = dict(re.findall(r"^  ([a-z]+)  +(.+)$", capsys.readouterr().out, flags=re.MULTILINE))
    assert [verb for verb in VERBS if not VERBS[verb].about.startswith(listed[verb])] == []


@pytest.mark.parametrize("verb", ["slices", "rank", "variance", "contamination", "agree", "init"])
def test_help_offers_counts_only_where_they_are_taken(verb: str, capsys: Captured) -> None:
    main([verb, "--help"])
    assert "360/500" not in capsys.readouterr().out


@pytest.mark.parametrize("verb", VERBS)
def test_help_says_every_option_with_its_default(verb: str, capsys: Captured) -> None:
    main([verb, "--help"])
    said = capsys.readouterr().out
    for option in ("--json", "--no-color", "--help"):
        assert option in said
    if verb == "compare":
        for option, default in (
            ("--level L", "0.95"),
            ("--seed N", "0"),
            ("--correction NAME", "holm (default)"),
        ):
            assert default in " ".join(said[said.index(option) :].split())


@pytest.mark.parametrize("verb", VERBS)
def test_the_examples_of_the_help_are_understood(verb: str, capsys: Captured) -> None:
    main([verb, "--help"])
    out = capsys.readouterr().out
    for line in out[out.index("examples:") :].splitlines()[1:]:
        name, *arguments = line.split(">")[0].split()[1:]
        assert command._load(VERBS[name].parser)(80).parse(arguments)


def test_without_arguments_the_help_goes_to_standard_error(capsys: Captured) -> None:
    assert main([]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("usage: evalstats VERB")


def test_version_is_the_package_s(capsys: Captured) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"evalstats {__version__}\n"


def test_formats_lists_what_can_be_read(capsys: Captured) -> None:
    assert main(["show", "formats"]) == 0
    out = capsys.readouterr().out
    assert "Inspect" in out
    assert "lm-evaluation-harness" in out
    assert main(["show", "formats", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["schema"] == "evalstats/formats/1"


def test_show_makes_what_a_log_says_harmless(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("id,score\nq1,1\nq2,0\n")
    hostile = tmp_path / "a\x1b[31mb.csv"
    hostile.write_bytes(path.read_bytes())
    assert main(["show", str(hostile)]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_negative_numbers_are_values(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("id,score\n" + "".join(f"q{at},{at / 10 - 1}\n" for at in range(20)))
    assert main(["score", str(path), "--bounds", "-1,1"]) == 0
    assert "Scale from −1 to 1." in capsys.readouterr().out


def run(*arguments: str, **environ: str) -> subprocess.CompletedProcess[bytes]:
    base = {"PATH": os.environ.get("PATH", "")}
    return subprocess.run(
        [sys.executable, "-m", "evalstats", *arguments],
        capture_output=True,
        env={**base, **environ},
        check=False,
    )


def test_the_module_is_the_command() -> None:
    assert run("--version").stdout == f"evalstats {__version__}\n".encode()
    assert run("nothing").returncode == 2


def test_a_terminal_without_unicode_gets_ascii() -> None:
    done = run(*COUNTS, PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert b"candidate - baseline   +3.0 points   -0.8 to +6.9" in done.stdout


def test_a_note_of_both_runs_is_given_once(table: str, capsys: Captured) -> None:
    assert main(["compare", table, table]) == 0
    assert capsys.readouterr().err.count("note:") == 1


def test_a_reader_that_has_left_is_no_error() -> None:
    read, write = os.pipe()
    os.close(read)
    command_line = [sys.executable, "-m", "evalstats", *COUNTS]
    done = subprocess.run(command_line, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_without_a_terminal_there_is_no_colour() -> None:
    assert not re.search(rb"\x1b", run(*COUNTS).stdout)
