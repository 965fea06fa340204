"""--html, --png, --svg: whole files in the place asked for, never over a log, and a note that says where."""

from __future__ import annotations

import json
import os

import pytest

from evalstats.analyses.reproduce import reproduce
from evalstats.cli.main import main
from tests.made_runs import LOGS, refused
from tests.report.html.pages import Read

PAIR = ("compare", "360/500", "375/500", "--discordant", "40", "55")
RUNS = (str(LOGS / "lm_eval" / "model-a"), str(LOGS / "lm_eval" / "model-b"))


def test_the_page_is_written_and_the_answer_printed_all_the_same(tmp_path, capsys):
    page = tmp_path / "page.html"
    assert main([*PAIR, "--html", str(page)]) == 0
    printed = capsys.readouterr()
    assert "Not settled: the data fit anything from 0.8 points worse to 6.9 better." in printed.out
    said = " ".join(printed.err.split())
    assert said.startswith(f"note: {page} written (")
    assert Read(page.read_text(encoding="utf-8")).document["schema"] == "evalstats/compare/1"


def test_json_on_standard_output_is_the_json_of_the_page(tmp_path, capsys):
    page = tmp_path / "page.html"
    assert main([*PAIR, "--json", "--html", str(page)]) == 0
    assert json.loads(capsys.readouterr().out) == Read(page.read_text(encoding="utf-8")).document


def test_score_has_a_page_too(tmp_path, capsys):
    page = tmp_path / "page.htm"
    assert main(["score", "0/100", "--html", str(page)]) == 0
    text = Read(page.read_text(encoding="utf-8")).text
    assert "at most" in text
    assert "3.7" in text
    capsys.readouterr()


def test_a_page_gives_its_numbers_again(tmp_path, capsys):
    page = tmp_path / "page.html"
    assert main(["compare", *RUNS, "--margin", "2", "--with-text", "--html", str(page)]) == 0
    capsys.readouterr()
    assert reproduce(page).reproduced
    assert main(["reproduce", str(page)]) == 0
    assert capsys.readouterr().out.startswith("Reproduced:")


@pytest.mark.parametrize("name", ["model.eval", "samples.jsonl", "page", "page.html.gz"])
def test_a_name_that_could_be_a_log_is_refused_before_anything_is_done(tmp_path, capsys, name):
    log = tmp_path / name
    log.write_text("a log", encoding="utf-8")
    assert "must end in .html" in refused(capsys, *PAIR, "--html", log)
    assert log.read_text(encoding="utf-8") == "a log"


def test_a_place_that_is_not_there_is_refused_before_anything_is_read(tmp_path, capsys):
    place = tmp_path / "nowhere" / "page.html"
    assert "there is no folder" in refused(capsys, "compare", "no-such-log", "no-other", "--html", place)
    (tmp_path / "folder.html").mkdir()
    assert "is a folder" in refused(capsys, *PAIR, "--html", tmp_path / "folder.html")


def test_what_stood_there_is_replaced_whole_and_nothing_is_left_beside_it(tmp_path, capsys):
    page = tmp_path / "page.html"
    page.write_text("an older page", encoding="utf-8")
    assert main([*PAIR, "--html", str(page)]) == 0
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    capsys.readouterr()


def test_a_failure_to_write_leaves_what_stood_there(tmp_path, capsys, monkeypatch):
    page = tmp_path / "page.html"
    page.write_text("an older page", encoding="utf-8")

    def full(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", full)
    assert "cannot be written: No space left on device" in refused(capsys, *PAIR, "--html", page)
    assert page.read_text(encoding="utf-8") == "an older page"
    assert os.listdir(tmp_path) == ["page.html"]


def test_with_text_is_for_two_logs(capsys):
    assert "score has no option --with-text" in refused(capsys, "score", RUNS[0], "--with-text")
    assert "counts have no such thing" in refused(capsys, *PAIR, "--with-text")
