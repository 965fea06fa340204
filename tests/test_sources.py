"""Whatever a person calls a run: paths, globs, LABEL=, ::RUN, @METRIC, frames, records, counts, Scores."""

from __future__ import annotations

import hashlib

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import evalstats as es
from evalstats.sources import Wanted, file_digest, named_source, single_run
from tests.made_runs import LOGS, codes, command, records, refused, write_csv
from tests.readers.small_logs import eval_members, inspect_result, inspect_sample, inspect_spec, write_eval

NOTHING = Wanted()
OLD = {"q1": 1, "q2": 0, "q3": 1, "q4": 0, "q5": 1, "q6": 0}
NEW = {"q1": 1, "q2": 1, "q3": 1, "q4": 0, "q5": 0, "q6": 1}


def _wide():
    return [{"question": item, "gpt4": OLD[item], "phi-2": NEW[item]} for item in OLD]


def _long():
    return [
        {"item": item, "model": model, "score": scores[item]}
        for item in OLD
        for model, scores in (("m1", OLD), ("m2", NEW))
    ]


@pytest.fixture
def old(tmp_path):
    return write_csv(tmp_path / "old.csv", records(OLD))


@pytest.fixture
def new(tmp_path):
    return write_csv(tmp_path / "new.csv", records(NEW))


@pytest.fixture
def long(tmp_path):
    return write_csv(tmp_path / "long.csv", _long())


def _counts(result):
    pairing = result.only.pairing
    return pairing.baseline_only, pairing.candidate_only


def test_a_path_may_be_text_or_path_and_has_its_hash(old, new):
    for baseline, candidate in ((old, new), (str(old), str(new))):
        result = es.compare(baseline, candidate)
        assert _counts(result) == (1, 2)
        digests = [entry.sha256 for entry in result.provenance.inputs]
        assert digests == [hashlib.sha256(path.read_bytes()).hexdigest() for path in (old, new)]
        assert result.provenance.runs == (str(old), str(new))


def test_the_digest_is_of_the_content(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")
    assert file_digest(tmp_path / "a").startswith("ba7816bf8f01cfea")


def test_a_glob_is_all_its_matches(tmp_path):
    for name, task in (("one", "t1"), ("two", "t2")):
        write_csv(tmp_path / f"{name}.csv", [{**r, "task": task, "model": "m"} for r in records(OLD)])
    source = named_source(str(tmp_path / "*.csv"), NOTHING)
    assert [part.benchmark for part in source.scores] == ["t1", "t2"]
    assert [file.name for file in source.files] == ["one.csv", "two.csv"]
    assert len(es.score(str(tmp_path / "*.csv"))) == 2


def test_a_folder_is_its_files(tmp_path):
    write_csv(tmp_path / "one.csv", records(OLD))
    assert [file.name for file in named_source(tmp_path, NOTHING).files] == ["one.csv"]


def test_a_missing_path_suggests_the_near_name(old):
    missing = old.parent / "odl.csv"
    with pytest.raises(es.EvalStatsError, match=r"no file, folder or glob .*Did you mean .*old\.csv"):
        es.score(missing)


def test_a_missing_path_far_from_any_name_says_what_a_run_is(old):
    with pytest.raises(es.EvalStatsError, match="A run is a log file") as error:
        es.score(old.parent / "zzzzzzzz.parquet")
    assert "Did you mean" not in str(error.value)


@pytest.mark.parametrize("text", ["", "  ", ".."])
def test_an_empty_name_is_an_error_and_no_crash(text, monkeypatch, tmp_path):
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    with pytest.raises(es.EvalStatsError):
        es.score(text)


def test_a_label_is_what_stands_before_the_equals_sign(capsys, old, new):
    result = es.compare(f"week 31={old}", f"week 32={new}")
    assert (result.only.baseline.label, result.only.candidate.label) == ("week 31", "week 32")
    printed = command(capsys, "compare", f"week 31={old}", f"week 32={new}")
    assert printed["comparisons"][0]["baseline"]["label"] == "week 31"


def test_labels_as_an_option_stand_before_those_of_the_path(old, new):
    result = es.compare(f"a={old}", new, labels=("x", "y"))
    assert (result.only.baseline.label, result.only.candidate.label) == ("x", "y")


def test_counts_may_have_a_label():
    result = es.compare("old=360/500", "new=375/500", discordant=(40, 55))
    assert (result.only.baseline.label, result.only.candidate.label) == ("old", "new")
    assert es.score("old=360/500").only.run.label == "old"


@pytest.mark.parametrize("text", ["::", "@", "::m1", "@acc"])
def test_a_suffix_of_nothing_is_no_run(text):
    with pytest.raises(es.EvalStatsError, match="no file, folder or glob"):
        named_source(text, NOTHING)


@pytest.mark.parametrize(("mark", "said"), [("@", "names no metric"), ("::", "names no run")])
def test_an_empty_suffix_is_refused(tmp_path, mark, said):
    path = write_csv(tmp_path / "run.csv", [{"item": "a", "acc": 1}])
    with pytest.raises(es.EvalStatsError, match=said):
        named_source(f"{path}{mark}", NOTHING)


@pytest.mark.parametrize("name", ["a=b.csv", "a@b.csv", "a::b.csv", "x=y@z::w.csv", "3 of 5.csv"])
def test_marks_in_a_file_name_are_read_only_when_no_file_has_the_name(name, tmp_path):
    path = write_csv(tmp_path / name, records(OLD))
    source = named_source(str(path), NOTHING)
    assert (source.label, source.run, source.metric) == (None, None, None)
    assert es.score(f"mine={path}").only.run.label == "mine"


def test_a_run_or_metric_is_read_after_the_longest_path_there_is(tmp_path):
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs@v2").mkdir()
    write_csv(tmp_path / "logs@v2" / "run.csv", [{"item": "a", "acc": 1, "f1": 0.5}])
    source = named_source(str(tmp_path / "logs@v2" / "run.csv@f1"), NOTHING)
    assert (source.metric, source.run) == ("f1", None)
    assert source.files == (tmp_path / "logs@v2" / "run.csv",)


def test_counts_win_only_where_no_file_has_the_name(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert named_source("3/5", NOTHING).counts == (3, 5)
    assert named_source(" 3 / 5 ", NOTHING).counts == (3, 5)
    (tmp_path / "3").mkdir()
    write_csv(tmp_path / "3" / "5", records(OLD)).rename(tmp_path / "3" / "5.csv")
    (tmp_path / "3" / "5").symlink_to(tmp_path / "3" / "5.csv")
    with pytest.raises(es.EvalStatsError, match="no log"):
        named_source("3/5", NOTHING)


@pytest.mark.parametrize("text", ["6/5", "0/0", "1/0"])
def test_impossible_counts_say_how_to_write_them(text):
    with pytest.raises(es.EvalStatsError, match=r"write K/N with K from 0 to N and N above 0"):
        es.score(text)


def test_counts_beside_a_log_are_refused(old):
    with pytest.raises(es.EvalStatsError, match="give both as counts, or both as logs"):
        es.compare("3/6", old)


def test_a_file_of_several_runs_lists_them(capsys, long, old):
    with pytest.raises(es.EvalStatsError, match="holds several runs") as error:
        es.compare(long, old)
    assert f"{long}::m1" in str(error.value)
    assert f"{long}::m2" in str(error.value)
    assert "holds several runs" in refused(capsys, "score", long)


def test_a_run_inside_a_file(capsys, long):
    result = es.compare(f"{long}::m1", f"{long}::m2")
    assert _counts(result) == (1, 2)
    assert (result.only.baseline.label, result.only.candidate.label) == ("m1", "m2")
    printed = command(capsys, "compare", f"{long}::m1", f"{long}::m2")
    assert printed["comparisons"][0]["difference"]["point"] == result.only.difference.point
    assert es.read(f"{long}::m2").runs == ("m2",)


def test_two_runs_of_one_file_are_not_the_same_file_twice(long):
    for result in (
        es.compare(f"{long}::m1", f"{long}::m2"),
        es.compare(long, baseline="m1", candidate="m2"),
        es.compare(str(long), baseline="m1", candidate="m2"),
    ):
        assert "same_file" not in codes(result.only.caveats)
    twice = es.compare(f"{long}::m1", f"{long}::m1")
    assert "same_file" in codes(twice.only.caveats)


def test_the_provenance_names_the_model_of_the_chosen_run(long):
    inputs = es.compare(f"{long}::m1", f"{long}::m2").provenance.inputs
    assert [(entry.label, entry.model) for entry in inputs] == [("m1", "m1"), ("m2", "m2")]


def test_an_unknown_run_lists_those_there_are(long):
    for call in (
        lambda: es.compare(f"{long}::m1", f"{long}::m3"),
        lambda: es.compare(long, baseline="m1", candidate="m3"),
        lambda: es.read(long).run("m3"),
    ):
        with pytest.raises(es.EvalStatsError, match=r"no run 'm3' here; there are: m1, m2"):
            call()


def test_show_of_a_run_inside_a_file_shows_that_run(capsys, long):
    assert command(capsys, "show", f"{long}::m2")["runs"] == ["m2"]


FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": pa.Table.from_pylist,
    "duckdb": lambda rows: duckdb.from_arrow(pa.Table.from_pylist(rows)),
    "dicts": list,
    "a dict of columns": lambda rows: {key: [r[key] for r in rows] for key in rows[0]},
}


@pytest.mark.parametrize("carrier", FRAMES)
def test_one_long_frame_with_the_names_of_two_runs(carrier):
    result = es.compare(FRAMES[carrier](_long()), baseline="m1", candidate="m2")
    assert _counts(result) == (1, 2)
    assert (result.only.baseline.label, result.only.candidate.label) == ("m1", "m2")
    assert [entry.sha256 for entry in result.provenance.inputs] == [None, None]


@pytest.mark.parametrize("carrier", FRAMES)
def test_a_wide_frame_has_a_run_in_each_column(carrier):
    result = es.compare(FRAMES[carrier](_wide()), baseline="gpt4", candidate="phi-2")
    assert _counts(result) == (1, 2)
    assert (result.only.baseline.label, result.only.candidate.label) == ("gpt4", "phi-2")


def test_a_wide_file_has_a_run_in_each_column(tmp_path):
    path = write_csv(tmp_path / "wide.csv", _wide())
    assert _counts(es.compare(f"{path}::gpt4", f"{path}::phi-2")) == (1, 2)


def test_two_frames_and_two_lists(old, new):
    for one, two in ((pd.DataFrame(records(OLD)), pd.DataFrame(records(NEW))), (records(OLD), records(NEW))):
        result = es.compare(one, two)
        assert _counts(result) == (1, 2)
        assert codes(result.only.caveats).count("same_file") == 0
    assert _counts(es.compare(baseline=records(OLD), candidate=records(NEW))) == (1, 2)


def test_scores_are_runs_and_parts_of_scores_too(long):
    held = es.read(long)
    assert _counts(es.compare(held.run("m1"), held.run("m2"))) == (1, 2)
    assert _counts(es.compare(held, baseline="m1", candidate="m2")) == (1, 2)
    assert es.score(held.run("m2")).only.run.estimate.point == pytest.approx(4 / 6)


def test_single_run_by_name_or_alone():
    source = named_source(_long(), NOTHING)
    assert single_run(source, "m1").runs == ("m1",)
    with pytest.raises(es.EvalStatsError, match="several runs"):
        single_run(source)


@pytest.mark.parametrize("run", [7, 0.72, None, object()])
def test_what_is_no_run_says_what_a_run_is(run):
    with pytest.raises(es.EvalStatsError, match=r"is no run\. A run is a path"):
        es.score(run)


def test_counts_cannot_be_read():
    with pytest.raises(es.EvalStatsError, match="nothing to read"):
        es.read("360/500")


@pytest.mark.parametrize(
    ("runs", "named"),
    [
        ((), {}),
        (("3/6",), {}),
        (("3/6", "4/6", "5/6"), {}),
        (("3/6",), {"baseline": "m1"}),
        ((), {"candidate": "4/6"}),
        (("3/6", "4/6"), {"candidate": "5/6"}),
        (("3/6", "4/6"), {"baseline": "5/6", "candidate": "6/6"}),
    ],
)
def test_anything_but_two_runs_is_refused(runs, named):
    with pytest.raises(es.EvalStatsError, match="compare wants two runs"):
        es.compare(*runs, **named)


def _two_metrics(path):
    samples = [inspect_sample(item, {"v1": "C" if s else "I", "v2": "C"}) for item, s in OLD.items()]
    spec = inspect_spec(n=0, scorers=[{"name": n, "options": {}} for n in ("v1", "v2")])
    return write_eval(
        path, eval_members(samples, [inspect_result("v1", 0.5), inspect_result("v2", 1.0)], eval=spec)
    )


def test_the_metric_of_a_side_alone(capsys, tmp_path):
    path = _two_metrics(tmp_path / "run.eval")
    assert es.score(f"{path}@v2").only.metric == "v2"
    assert es.score(path).only.metric == "v1"
    assert len(es.score(f"{path}@v2").secondary) == 0
    assert "Did you mean 'v2'" in refused(capsys, "score", f"{path}@v22")


def test_a_label_and_a_metric_together(tmp_path):
    path = _two_metrics(tmp_path / "run.eval")
    result = es.compare(f"old={path}@v1", f"new={path}@v2")
    assert (result.only.baseline.label, result.only.candidate.label) == ("old", "new")
    assert _counts(result) == (0, 3)


def test_a_run_and_its_metric_together(tmp_path):
    rows = [{**r, "acc": r["score"], "f1": 1 - r["score"]} for r in _long()]
    path = write_csv(tmp_path / "long.csv", [{k: v for k, v in r.items() if k != "score"} for r in rows])
    source = named_source(f"{path}::m2@f1", NOTHING)
    assert (source.run, source.metric) == ("m2", "f1")
    assert es.score(f"{path}::m2@f1").only.run.estimate.point == pytest.approx(2 / 6)


def test_two_metrics_of_two_runs_of_one_file_are_no_grader_change(tmp_path):
    """Their items stand in another order: only the key may pair them."""
    rows = [{"item": f"q{i}", "model": "m1", "acc": i % 2, "f1": 1} for i in range(10)]
    rows += [{"item": f"q{i}", "model": "m2", "acc": 1, "f1": i % 2} for i in reversed(range(10))]
    path = write_csv(tmp_path / "two.csv", rows)
    result = es.compare(f"{path}::m1@acc", f"{path}::m2@f1")
    assert _counts(result) == (0, 0)
    assert result.only.pairing.n_common == 10
    assert result.changed() == []


def test_a_folder_of_logs_names_every_file_behind_it():
    source = named_source(LOGS / "lm_eval" / "model-a", NOTHING)
    named = {file.name for file in source.files}
    assert named == {file.name for file in (LOGS / "lm_eval" / "model-a").iterdir()}


def test_a_column_named_by_id_says_which_item_a_row_is(capsys, tmp_path):
    rows = [
        {"model": m, "key_of_mine": f"k{i}", "score": i % n}
        for m, n in (("a", 2), ("b", 3))
        for i in range(9)
    ]
    path = write_csv(tmp_path / "noid.csv", rows)
    assert "--id FIELD" in refused(capsys, "compare", f"{path}::a", f"{path}::b")
    row = es.compare(f"{path}::a", f"{path}::b", id="key_of_mine").only
    assert (row.pairing.key, row.pairing.n_common) == ("key_of_mine", 9)
    command(capsys, "compare", f"{path}::a", f"{path}::b", "--id", "key_of_mine")


def test_a_column_named_by_metric_is_the_score(capsys, tmp_path):
    rows = [{"item": f"k{i}", "model": m, "x1": i % 2, "x2": 0.5} for m in "ab" for i in range(9)]
    path = write_csv(tmp_path / "unnamed.csv", rows)
    assert "--metric COLUMN" in refused(capsys, "score", f"{path}::a")
    assert es.score(f"{path}::a", metric="x1").only.metric == "x1"
    assert command(capsys, "score", f"{path}::a", "--metric", "x1")["scores"][0]["metric"] == "x1"


def test_score_takes_the_column_of_items_too(capsys, tmp_path):
    rows = [
        {"model": "m", "key_of_mine": f"k{i}", "attempt": t, "score": t} for i in range(9) for t in (0, 1)
    ]
    path = write_csv(tmp_path / "noid.csv", rows)
    assert "--id FIELD" in refused(capsys, "score", path)
    estimate = es.score(path, id="key_of_mine").only.run.estimate
    assert (estimate.n, estimate.point) == (9, 0.5)
    assert command(capsys, "score", path, "--id", "key_of_mine")["scores"][0]["run"]["estimate"]["n"] == 9


def test_score_refuses_an_id_that_changes_nothing(tmp_path):
    path = _two_metrics(tmp_path / "run.eval")
    with pytest.raises(es.EvalStatsError, match="id='topic': quiz has its own ids"):
        es.score(path, id="topic")


def test_a_glob_over_a_run_of_lm_eval_reads_each_samples_file_once():
    folder = LOGS / "lm_eval" / "model-a"
    by_glob, by_folder = es.score(str(folder / "*")), es.score(folder)
    assert [row.benchmark for row in by_glob] == [row.benchmark for row in by_folder]
    assert [row.run.estimate for row in by_glob] == [row.run.estimate for row in by_folder]
    assert {group.benchmark for group in es.read(str(folder / "*")).groups} == {"colors"}


def test_several_runs_in_memory_are_chosen_in_python():
    with pytest.raises(es.EvalStatsError, match="holds several runs") as error:
        es.score(_long())
    assert "read(...).run('m1')" in str(error.value)
    assert "::" not in str(error.value)
