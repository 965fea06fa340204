"""Inspect logs as they lie on disk: journals, summaries that left something out, damage."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from backports.zstd import zipfile

from evalstats.errors import InputError
from evalstats.readers.detect import read_path
from evalstats.readers.inspect_log import REMOVED
from tests.readers.small_logs import (
    LOGS,
    by_item,
    eval_members,
    field_of,
    inspect_sample,
    inspect_spec,
    read_one,
    write_eval,
)


def test_a_killed_log_is_read_from_its_journal(tmp_path: Path) -> None:
    real = next((LOGS / "inspect_eval" / "model-a").glob("*_arith_*"))
    dropped = {"header.json", "summaries.json", "reductions.json", "_journal/summaries/6.json"}
    with zipfile.ZipFile(real) as archive:
        kept = {n: archive.read(n).decode() for n in archive.namelist() if n not in dropped}
    part = read_one(write_eval(tmp_path / "killed.eval", kept))
    whole = by_item(read_one(real), "match")
    scores = by_item(part, "match")
    done = [item for item, values in scores.items() if not math.isnan(values[0])]
    assert len(scores) == 60
    assert 0 < len(done) < 60
    assert all(scores[item] == whole[item] for item in done)
    assert part.header.problem == (
        f"the run was killed: the log has no header; {len(done)} of 60 samples are in it"
    )


def test_the_journal_is_not_counted_beside_the_summaries() -> None:
    arith = read_one(next((LOGS / "inspect_eval" / "model-a").glob("*_arith_*")))
    assert len(arith.metric("match").score) == 60
    assert arith.metric("match").duplicates == 0


def test_a_sample_that_was_run_again_counts_once_with_its_later_score(tmp_path: Path) -> None:
    members = eval_members([])
    del members["summaries.json"]
    members["_journal/summaries/2.json"] = [inspect_sample("q1", {"match": "I"})]
    members["_journal/summaries/10.json"] = [inspect_sample("q1", {"match": "C"})]
    part = read_one(write_eval(tmp_path / "x.eval", members))
    assert by_item(part, "match") == {"q1": [1.0]}


def test_a_log_without_summaries_is_read_from_its_samples(tmp_path: Path) -> None:
    members = eval_members([])
    members = {name: members[name] for name in ("header.json",)}
    members["samples/q1_epoch_1.json"] = inspect_sample("q1", {"match": "C"}, messages=["long"])
    members["samples/q2_epoch_1/sample.json"] = inspect_sample("q2", {"match": "I"})
    members["samples/q2_epoch_1/events/0.json"] = [{"event": "model"}]
    part = read_one(write_eval(tmp_path / "x.eval", members))
    assert by_item(part, "match") == {"q1": [1.0], "q2": [0.0]}


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_ZSTANDARD])
def test_members_are_read_whatever_their_compression(tmp_path: Path, method: int) -> None:
    members = eval_members([inspect_sample("q1", {"match": "C"})])
    assert by_item(read_one(write_eval(tmp_path / "x.eval", members, method)), "match") == {"q1": [1.0]}


def test_ids_are_texts_whatever_they_are_in_the_log(tmp_path: Path) -> None:
    ids = [7, "a/b/../c", "🙂 x", "tab\there", "7.5"]
    samples = [inspect_sample(id, {"match": "C"}, metadata={"passage": REMOVED}) for id in ids]
    members = eval_members(samples)
    for id in ids:
        members[f"samples/{id}_epoch_1.json"] = inspect_sample(id, {}, metadata={"passage": f"of {id}"})
    part = read_one(write_eval(tmp_path / "x.eval", members), "passage")
    assert list(part.items.ids) == ["7", "a/b/../c", "🙂 x", "tab\there", "7.5"]
    assert field_of(part, "passage")["a/b/../c"] == "of a/b/../c"


def lossy_log(path: Path, declared: bool = False) -> Path:
    metrics = [{"name": "inspect_ai/stderr", "options": {"cluster": "passage"}}] if declared else []
    spec = inspect_spec(1, scorers=[{"name": "match", "metrics": metrics}])
    members = eval_members([inspect_sample("q1", {"match": "C"}, metadata={"passage": REMOVED})], eval=spec)
    members["samples/q1_epoch_1.json"] = inspect_sample("q1", {}, metadata={"passage": "P" * 2000})
    return write_eval(path, members)


def test_a_field_left_out_of_the_summary_is_read_from_the_sample_when_wanted(tmp_path: Path) -> None:
    wanted = field_of(read_one(lossy_log(tmp_path / "x.eval"), "metadata.passage"), "passage")["q1"]
    declared = field_of(read_one(lossy_log(tmp_path / "y.eval", declared=True)), "passage")["q1"]
    assert wanted == declared
    assert not read_one(lossy_log(tmp_path / "z.eval")).items.fields
    assert str(wanted).startswith("PPPP")
    assert REMOVED not in str(wanted)


def test_a_sample_that_is_not_under_its_name_is_found_by_its_id(tmp_path: Path) -> None:
    members = eval_members([inspect_sample("q1", {"match": "C"}, metadata={"passage": REMOVED})])
    members["samples/renamed.json"] = inspect_sample("q1", {}, metadata={"passage": "P1"})
    part = read_one(write_eval(tmp_path / "x.eval", members), "passage")
    assert field_of(part, "passage") == {"q1": "P1"}


def test_a_sample_that_is_nowhere_is_an_error(tmp_path: Path) -> None:
    members = eval_members([inspect_sample("q1", {"match": "C"}, metadata={"passage": REMOVED})])
    with pytest.raises(InputError, match=r"sample 'q1', epoch 1, is in the summaries but not under samples/"):
        read_path(write_eval(tmp_path / "x.eval", members), frozenset({"passage"}))


def test_metadata_of_a_sample_in_pieces_stands_beside_it(tmp_path: Path) -> None:
    members = eval_members([inspect_sample("q1", {"match": "C"}, metadata={"passage": REMOVED})])
    members["samples/q1_epoch_1/sample.json"] = inspect_sample("q1", {})
    members["samples/q1_epoch_1/metadata.json"] = {"passage": "P1"}
    part = read_one(write_eval(tmp_path / "x.eval", members), "passage")
    assert field_of(part, "passage") == {"q1": "P1"}


def test_a_score_left_out_of_the_summary_is_read_from_the_sample(tmp_path: Path) -> None:
    members = eval_members([inspect_sample("q1", {"match": REMOVED})])
    members["samples/q1_epoch_1.json"] = inspect_sample("q1", {"match": "C"})
    assert by_item(read_one(write_eval(tmp_path / "x.eval", members)), "match") == {"q1": [1.0]}


def test_json_logs_are_read_like_zipped_ones(tmp_path: Path) -> None:
    log = {"version": 2, "status": "success", "eval": inspect_spec(1)}
    log["samples"] = [inspect_sample("q1", {"match": "C"}, messages=[{"content": "x" * 5000}])]
    path = tmp_path / "x.json"
    path.write_text("\ufeff" + json.dumps(log, indent=2).replace("\n", "\r\n"), newline="")
    assert by_item(read_one(path), "match") == {"q1": [1.0]}


def test_a_cut_off_zip_says_so_and_what_to_do(tmp_path: Path) -> None:
    whole = next((LOGS / "inspect_eval" / "model-a").glob("*_arith_*")).read_bytes()
    path = tmp_path / "cut.eval"
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"cut\.eval is cut off or damaged.*Copy.*inspect log recover"):
        read_path(path)


def test_a_cut_off_json_log_says_so(tmp_path: Path) -> None:
    path = tmp_path / "cut.json"
    path.write_bytes(next((LOGS / "inspect_json" / "model-a").glob("*.json")).read_bytes()[:300_000])
    with pytest.raises(InputError, match=r"cut\.json cannot be read: .*Copy it again"):
        read_path(path)


def test_a_damaged_member_is_named(tmp_path: Path) -> None:
    path = write_eval(tmp_path / "x.eval", eval_members([inspect_sample("q1", {"match": "C"})]))
    with zipfile.ZipFile(path) as archive:
        member = archive.getinfo("summaries.json")
    data = bytearray(path.read_bytes())
    start = member.header_offset + 30 + len(member.filename)
    data[start + 4 : start + 24] = bytes(20)
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"x\.eval: its member 'summaries\.json' is damaged"):
        read_path(path)


def test_a_member_that_is_no_json_is_named(tmp_path: Path) -> None:
    members = eval_members([]) | {"summaries.json": "[{"}
    with pytest.raises(InputError, match=r"its member 'summaries\.json' cannot be read"):
        read_path(write_eval(tmp_path / "x.eval", members))


def test_a_zip_of_something_else_is_no_inspect_log(tmp_path: Path) -> None:
    path = write_eval(tmp_path / "x.eval", {"readme.txt": "hello"})
    with pytest.raises(InputError, match=r"without header\.json"):
        read_path(path)
