"""From a result's JSON to the same numbers, or to what stands in the way."""

from __future__ import annotations

import json
import os
import shutil

import pytest

import evalstats as es
from evalstats._version import __version__
from evalstats.cli.main import main
from evalstats.errors import InputError
from tests.made_runs import LOGS, records, write_csv

COUNTS = ("360/500", "375/500", "--discordant", "40", "55")


def _written(capsys, path, *arguments):
    """A result's JSON as `evalstats … --json > path` writes it."""
    assert main([*map(str, arguments), "--json"]) == 0
    path.write_text(capsys.readouterr().out, encoding="utf-8")
    return path


def _changed(path, change):
    recorded = json.loads(path.read_text(encoding="utf-8"))
    change(recorded)
    path.write_text(json.dumps(recorded), encoding="utf-8")
    return path


@pytest.fixture
def files(tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    old = {f"q{i}": i % 3 / 2 + 0.25 for i in range(40)}
    return (
        write_csv(folder / "old.csv", records(old)),
        write_csv(folder / "new.csv", records({item: (s * 7) % 1.3 for item, s in old.items()})),
    )


CALLS = {
    "counts": lambda old, new: ("compare", *COUNTS, "--margin", "1", "--level", "0.9"),
    "a count": lambda old, new: ("score", "3/2000", "--method", "jeffreys"),
    "a labelled count": lambda old, new: ("score", "mine=3/2000"),
    "two files": lambda old, new: ("compare", old, new),
    "two labelled files": lambda old, new: ("compare", f"a={old}", f"b={new}"),
    "labels as options": lambda old, new: ("compare", old, new, "--label", "a", "--label", "b"),
    "a bootstrap": lambda old, new: (
        "compare", old, new, "--method", "bootstrap_percentile", "--n-boot", "500", "--seed", "7",
    ),
    "bounds": lambda old, new: ("score", old, "--bounds", "0,2", "--missing", "wrong"),
    "unpaired": lambda old, new: ("compare", old, new, "--unpaired"),
    "one file twice": lambda old, new: ("compare", old, old, "--cluster", "none"),
    "folders of lm-eval": lambda old, new: (
        "compare", LOGS / "lm_eval" / "model-a", LOGS / "lm_eval" / "model-b", "--correction", "bonferroni",
    ),
    "folders of Inspect": lambda old, new: (
        "compare", LOGS / "inspect_eval" / "model-a", LOGS / "inspect_eval" / "model-b", "--task", "arith",
        "--cluster", "passage_id",
    ),
    "a folder": lambda old, new: ("score", LOGS / "lm_eval_repeats" / "model-a", "--filter", "score-first"),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_every_number_comes_again(capsys, tmp_path, files, call):
    result = _written(capsys, tmp_path / "result.json", *CALLS[call](*files))
    found = es.reproduce(result)
    assert found.reproduced
    assert (found.mismatches, found.notes) == ((), ())
    assert found.compared > 20
    assert (found.version, found.call) == (__version__, CALLS[call](*files)[0])
    assert main(["reproduce", str(result), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["reproduced"], printed["compared"]) == (True, found.compared)


def test_a_result_of_python_reproduces_too(tmp_path, files):
    result = es.compare(*files, margin=0.05, bounds=(0, 2))
    path = tmp_path / "result.json"
    path.write_text(json.dumps(result.to_dict()), encoding="utf-8")
    assert es.reproduce(path).reproduced
    assert es.reproduce(str(path)).reproduced


def test_a_run_inside_a_file_reproduces(capsys, tmp_path):
    rows = [
        {"item": i, "model": m, "score": (i * k) % 3 / 2} for m, k in (("a", 1), ("b", 2)) for i in range(20)
    ]
    path = write_csv(tmp_path / "long.csv", rows)
    result = _written(capsys, tmp_path / "r.json", "compare", f"{path}::a", f"{path}::b")
    assert es.reproduce(result).reproduced
    by_name = tmp_path / "by_name.json"
    by_name.write_text(json.dumps(es.compare(path, baseline="a", candidate="b").to_dict()), encoding="utf-8")
    assert es.reproduce(by_name).reproduced


def test_two_metrics_of_one_log_reproduce(capsys, tmp_path):
    rows = [{"item": i, "acc": i % 2, "f1": i % 3 / 2} for i in range(20)]
    path = write_csv(tmp_path / "graded.csv", rows)
    assert es.reproduce(
        _written(capsys, tmp_path / "r.json", "compare", f"{path}@acc", f"{path}@f1")
    ).reproduced


def test_files_that_moved_together_with_the_result_are_found_by_their_content(capsys, tmp_path, files):
    result = _written(capsys, tmp_path / "result.json", "compare", f"old={files[0]}", files[1])
    elsewhere = tmp_path / "elsewhere" / "deep"
    elsewhere.mkdir(parents=True)
    for path in files:
        shutil.move(path, elsewhere / path.name)
    found = es.reproduce(result)
    assert found.reproduced
    assert [note.split(" was found at ")[1] for note in found.notes] == [
        str(elsewhere / path.name) for path in files
    ]


def test_a_folder_that_moved_is_found(capsys, tmp_path):
    for model in ("model-a", "model-b"):
        shutil.copytree(LOGS / "lm_eval" / model, tmp_path / "logs" / model)
    runs = [tmp_path / "logs" / model for model in ("model-a", "model-b")]
    for at, named in enumerate((runs, [f"a={runs[0]}", f"b={runs[1]}"])):
        result = _written(capsys, tmp_path / f"result{at}.json", "compare", *named, "--task", "colors_law")
        shutil.move(tmp_path / "logs", tmp_path / "moved")
        found = es.reproduce(result)
        assert found.reproduced
        assert found.notes
        shutil.move(tmp_path / "moved", tmp_path / "logs")


def test_relative_paths_are_found_from_another_folder(capsys, tmp_path, files, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = _written(capsys, tmp_path / "result.json", "compare", "runs/old.csv", "runs/new.csv")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert es.reproduce(result).reproduced
    assert es.reproduce(os.path.relpath(result)).reproduced


def test_a_name_that_ends_like_another_is_left_alone(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, step in (("a.csv", 2), ("aa.csv", 3)):
        write_csv(tmp_path / name, records({f"q{i}": float(i % step > 0) for i in range(12)}))
    result = _written(capsys, tmp_path / "result.json", "compare", "aa.csv", "a.csv")
    (tmp_path / "kept").mkdir()
    shutil.move("a.csv", tmp_path / "kept" / "a.csv")
    assert es.reproduce(result).reproduced


def test_the_right_content_is_found_beside_a_changed_file(capsys, tmp_path, files):
    result = _written(capsys, tmp_path / "result.json", "score", files[0])
    kept = tmp_path / "kept"
    kept.mkdir()
    shutil.copy(files[0], kept / "old.csv")
    files[0].write_text("item,score\nq1,1\n", encoding="utf-8")
    found = es.reproduce(result)
    assert found.reproduced
    assert "kept" in found.notes[0]


def test_a_changed_file_is_refused_by_name(capsys, tmp_path, files):
    result = _written(capsys, tmp_path / "result.json", "compare", *files)
    files[1].write_text(files[1].read_text(encoding="utf-8").replace("q0,", "q99,"), encoding="utf-8")
    with pytest.raises(InputError, match=r"new\.csv has changed since the result was made"):
        es.reproduce(result)
    assert main(["reproduce", str(result)]) == 2
    assert "has changed" in " ".join(capsys.readouterr().err.split())


def test_a_file_that_is_gone_is_named(capsys, tmp_path, files):
    result = _written(capsys, tmp_path / "result.json", "compare", *files)
    files[0].unlink()
    with pytest.raises(InputError, match=r"old\.csv is not there, and no file of that name"):
        es.reproduce(result)


@pytest.mark.parametrize("what", ["records", "scores", "frame"])
def test_what_was_never_a_file_cannot_be_reproduced(tmp_path, files, what):
    run = {
        "records": lambda: records({"a": 1, "b": 0}),
        "scores": lambda: es.read(files[0]),
        "frame": lambda: pytest.importorskip("pandas").DataFrame(records({"a": 1, "b": 0})),
    }[what]()
    path = tmp_path / "result.json"
    path.write_text(json.dumps(es.score(run).to_dict()), encoding="utf-8")
    with pytest.raises(InputError, match=r"was held in memory .*not a file: only files and counts can be"):
        es.reproduce(path)


def _row(recorded):
    return recorded["comparisons"][0]


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda r: _row(r)["difference"].update(ci_low=-0.0071), "comparisons[0].difference.ci_low"),
        (lambda r: _row(r)["test"].update(pvalue=0.04), "comparisons[0].test.pvalue"),
        (lambda r: _row(r).update(verdict="improved"), "comparisons[0].verdict"),
        (lambda r: _row(r)["pairing"].update(baseline_only=39), "comparisons[0].pairing.baseline_only"),
        (lambda r: _row(r)["difference"].update(n=501), "comparisons[0].difference.n"),
        (lambda r: _row(r)["difference"].update(method="wald"), "comparisons[0].difference.method"),
        (lambda r: _row(r).update(reject=True), "comparisons[0].reject"),
        (lambda r: _row(r)["difference"]["extra"].update(n_eff=7.0), "comparisons[0].difference.extra.n_eff"),
        (lambda r: r.update(family={"m": 2}), "family.m"),
    ],
)
def test_a_tampered_number_is_reported_with_both_values(capsys, tmp_path, change, where):
    result = _changed(_written(capsys, tmp_path / "result.json", "compare", *COUNTS), change)
    found = es.reproduce(result)
    assert not found.reproduced
    assert [mismatch.where for mismatch in found.mismatches] == [where]
    assert found.mismatches[0].recorded != found.mismatches[0].now
    assert main(["reproduce", str(result), "--json"]) == 2
    printed = json.loads(capsys.readouterr().out)
    assert (printed["reproduced"], [m["where"] for m in printed["mismatches"]]) == (False, [where])


def test_a_row_that_was_taken_out_is_missed(capsys, tmp_path):
    folders = LOGS / "lm_eval" / "model-a", LOGS / "lm_eval" / "model-b"
    result = _written(capsys, tmp_path / "result.json", "compare", *folders)
    found = es.reproduce(_changed(result, lambda r: r["comparisons"].pop()))
    assert not found.reproduced


def test_numbers_may_differ_in_the_last_digits_of_a_sum_and_no_more(capsys, tmp_path):
    result = _written(capsys, tmp_path / "result.json", "compare", *COUNTS)
    low = json.loads(result.read_text(encoding="utf-8"))["comparisons"][0]["difference"]["ci_low"]
    nearly = _changed(result, lambda r: _row(r)["difference"].update(ci_low=low * (1 + 1e-13)))
    assert es.reproduce(nearly).reproduced
    off = _changed(result, lambda r: _row(r)["difference"].update(ci_low=low * (1 + 1e-9)))
    assert not es.reproduce(off).reproduced


def test_a_very_small_p_value_is_compared_too(capsys, tmp_path):
    asked = ("compare", "100/500", "300/500", "--discordant", "10", "210")
    result = _written(capsys, tmp_path / "result.json", *asked)
    assert json.loads(result.read_text(encoding="utf-8"))["comparisons"][0]["test"]["pvalue"] < 1e-14
    assert not es.reproduce(_changed(result, lambda r: _row(r)["test"].update(pvalue=5e-14))).reproduced


def test_options_that_were_tampered_with_show_in_the_numbers(capsys, tmp_path):
    result = _written(capsys, tmp_path / "result.json", "compare", *COUNTS)
    assert not es.reproduce(
        _changed(result, lambda r: r["provenance"]["options"].update(level=0.9))
    ).reproduced


def test_another_version_is_said_and_compared_all_the_same(capsys, tmp_path):
    result = _changed(
        _written(capsys, tmp_path / "result.json", "compare", *COUNTS), lambda r: r.update(version="0.0.9")
    )
    found = es.reproduce(result)
    assert found.reproduced
    assert found.notes == (f"made by evalstats 0.0.9, compared with {__version__}",)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "3",
        "null",
        "{}",
        '{"schema": 7}',
        '{"schema": "evalstats/compare/1"}',
        '{"schema": "evalstats/show/1", "version": "0", "provenance": {}}',
        '{"schema": "evalstats/compare/1", "version": "0.1.0", "provenance": {}}',
        '{"schema": "evalstats/compare/1", "version": "0.1.0", "provenance": null}',
        '{"schema": "evalstats/score/1", "version": "1", "provenance": {"inputs": 3, "runs": 3, "call": 3}}',
        '{"schema": "evalstats/compare/9", "version": "9", "provenance": {"call": "compare", "runs": '
        '["1/2"], "inputs": [], "options": {"zzz": 1}}}',
        "\udc80",
    ],
)
def test_what_is_no_result_says_how_to_write_one(capsys, tmp_path, content):
    path = tmp_path / "result.json"
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError):
        es.reproduce(path)
    assert main(["reproduce", str(path)]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_no_file_and_a_folder_are_no_result(tmp_path):
    with pytest.raises(InputError, match=r"no file .*Write one with: evalstats compare"):
        es.reproduce(tmp_path / "gone.json")
    with pytest.raises(InputError, match="could not be read"):
        es.reproduce(tmp_path)
