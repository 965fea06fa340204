"""Which reader a file goes to, folders, and the words for what is no log."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from evalstats.errors import InputError
from evalstats.readers.detect import FORMATS, read_path
from tests.readers.small_logs import (
    LOGS,
    eval_members,
    inspect_sample,
    inspect_spec,
    lm_eval_line,
    lm_eval_results,
    write_eval,
    write_lm_eval,
)


def small_eval(path: Path, model: str = "mock/model-a") -> Path:
    return write_eval(
        path, eval_members([inspect_sample("q1", {"match": "C"})], eval=inspect_spec(1, model=model))
    )


def test_a_path_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere does not exist"):
        read_path(tmp_path / "nowhere")


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x.eval").touch()
    with pytest.raises(InputError, match=r"x\.eval is empty"):
        read_path(tmp_path / "x.eval")


def test_binary_junk_is_described_and_the_known_formats_are_named(tmp_path: Path) -> None:
    path = tmp_path / "x.bin"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    with pytest.raises(InputError) as error:
        read_path(path)
    assert "it begins with the bytes 89 50 4e 47" in str(error.value)
    assert all(form.title in str(error.value) for form in FORMATS)


def test_text_that_is_no_log_is_quoted(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text("# Notes\n\nWe ran it twice.\n")
    with pytest.raises(InputError, match=r"it begins with '# Notes We ran it twice\.'"):
        read_path(path)


def test_a_log_is_known_by_what_it_holds_not_by_its_name(tmp_path: Path) -> None:
    log = small_eval(tmp_path / "x.eval").rename(tmp_path / "log.zip")
    assert read_path(log).benchmarks[0].header.format == "inspect"
    samples = write_lm_eval(tmp_path / "a", [lm_eval_line(0)]).rename(tmp_path / "mine.txt")
    assert read_path(samples).benchmarks[0].benchmark == "mine"


def test_wrapped_logs_are_known_too(tmp_path: Path) -> None:
    path = tmp_path / "x.json.gz"
    log = {
        "version": 2,
        "status": "success",
        "eval": inspect_spec(1),
        "samples": [inspect_sample("q1", {"m": 1})],
    }
    path.write_bytes(gzip.compress(json.dumps(log).encode()))
    assert read_path(path).benchmarks[0].header.format == "inspect"


def test_a_folder_is_every_log_below_it(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    small_eval(tmp_path / "b" / "two.eval", "model-b")
    small_eval(tmp_path / "one.eval")
    write_lm_eval(tmp_path / "c", [lm_eval_line(0)], lm_eval_results())
    scores = read_path(tmp_path)
    assert scores.runs == ("mock/model-a", "model-b", "model-a")
    assert [part.header.format for part in scores] == ["inspect", "inspect", "lm_eval"]
    assert scores.notes == ()


def test_both_runs_of_a_real_folder_are_there_and_its_notes_say_what_is_no_log() -> None:
    scores = read_path(LOGS / "inspect_json")
    assert scores.runs == ("seeded/model-a", "seeded/model-b")
    (note,) = scores.notes
    assert "passed over what is no log (expected.json)" in note


def test_what_is_no_log_is_passed_over_and_said(tmp_path: Path) -> None:
    small_eval(tmp_path / "one.eval")
    (tmp_path / "README.md").write_text("# Logs\n")
    (tmp_path / "empty.json").touch()
    (tmp_path / ".DS_Store").write_bytes(b"\x00\x01")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x.eval").write_bytes(b"PK\x03\x04 broken")
    (note,) = read_path(tmp_path).notes
    assert note.endswith("passed over what is no log (README.md, empty.json).")


def test_a_folder_without_a_log_is_an_error_that_names_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Logs\n")
    with pytest.raises(InputError, match=r"holds no log \(README\.md\)\. Known are: an Inspect log"):
        read_path(tmp_path)


def test_a_damaged_log_in_a_folder_is_an_error_not_a_note(tmp_path: Path) -> None:
    small_eval(tmp_path / "one.eval")
    (tmp_path / "two.eval").write_bytes((tmp_path / "one.eval").read_bytes()[:300])
    with pytest.raises(InputError, match=r"two\.eval is cut off or damaged"):
        read_path(tmp_path)


def test_the_files_of_one_log_are_read_once(tmp_path: Path) -> None:
    shutil.copytree(LOGS / "lm_eval_repeats" / "model-a", tmp_path / "model-a")
    scores = read_path(tmp_path)
    assert [part.benchmark for part in scores] == ["pens_maj5"]
    assert scores.notes == ()


def test_only_the_reader_that_is_needed_is_loaded() -> None:
    program = (
        "import sys, pathlib\n"
        "from evalstats.readers.detect import read_path\n"
        "read_path(pathlib.Path(sys.argv[1]))\n"
        "print(*sorted(set(sys.modules) & {'duckdb', 'narwhals', 'zipfile', 'backports.zstd.zipfile', "
        "'evalstats.readers.table', 'evalstats.readers.lm_eval', 'evalstats.readers.inspect'}))\n"
    )

    def loaded(path: Path) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", program, path], capture_output=True, text=True, check=True
        )
        return done.stdout.split()

    samples = next((LOGS / "lm_eval_repeats" / "model-a").glob("samples_*"))
    assert loaded(samples) == ["evalstats.readers.lm_eval"]
    log = next((LOGS / "inspect_eval" / "model-a").glob("*mcq*"))
    assert "evalstats.readers.table" not in loaded(log)
    assert "evalstats.readers.lm_eval" not in loaded(log)


def test_a_folder_that_may_not_be_listed_says_so(tmp_path, monkeypatch):
    def walk(folder, onerror):
        onerror(PermissionError(13, "Permission denied", str(folder)))
        return iter(())

    monkeypatch.setattr("os.walk", walk)
    with pytest.raises(InputError, match="cannot be listed: Permission denied"):
        read_path(tmp_path)
