"""Which log, which metric, which benchmarks: what is chosen, passed over, matched and suggested."""

from __future__ import annotations

import pytest

import evalstats as es
from evalstats.data.builder import build
from evalstats.data.selection import (
    chosen_benchmarks,
    matched_benchmarks,
    metric_named,
    one_log_each,
)
from evalstats.errors import InputError
from tests.made_runs import codes, command, header, log, part, refused, row
from tests.readers.small_logs import eval_members, inspect_result, inspect_sample, inspect_spec, write_eval


def _logs(*heads):
    """One log a header, each with its own score."""
    return build(
        [each for at, h in enumerate(heads) for each in (h, row("q1", float(at), benchmark=h.benchmark))]
    )


def test_the_same_benchmark_twice_is_an_error_that_lists_the_logs():
    with pytest.raises(
        InputError, match=r"quiz is in this run more than once: a.eval of 2026-01-01; b.eval"
    ) as error:
        one_log_each(_logs(header(path="a.eval", created="2026-01-01"), header(path="b.eval")), latest=False)
    assert "--latest" in str(error.value)


def test_two_configurations_are_said_to_be_two():
    heads = [header(path=f"{i}.eval", config={"temperature": str(i), "epochs": "1"}) for i in range(2)]
    with pytest.raises(InputError, match=r"under 2 configurations \(temperature differ\)"):
        one_log_each(_logs(*heads), latest=False)


def test_latest_takes_the_newest_and_says_what_it_passed_over():
    heads = [header(path=f"{day}.eval", created=f"2026-01-{day}") for day in ("03", "07", "05")]
    chosen, notes = one_log_each(_logs(*heads), latest=True)
    assert chosen["quiz"].header.path == "07.eval"
    assert notes == ("quiz: passed over 03.eval (older).", "quiz: passed over 05.eval (older).")


@pytest.mark.parametrize("latest", [True, False])
def test_a_stopped_log_beside_a_complete_one_is_passed_over_and_said(latest):
    heads = [
        header(path="full.eval", created="2026-01-01"),
        header(path="cut.eval", created="2026-01-09", problem="the run was cancelled"),
    ]
    chosen, notes = one_log_each(_logs(*heads), latest=latest)
    assert chosen["quiz"].header.path == "full.eval"
    assert notes == ("quiz: passed over cut.eval (the run was cancelled).",)


def test_a_stopped_log_alone_is_taken_and_two_are_an_error():
    chosen, _ = one_log_each(_logs(header(problem="cancelled")), latest=False)
    assert chosen["quiz"].header.problem == "cancelled"
    with pytest.raises(InputError, match="more than once"):
        one_log_each(_logs(header(problem="cancelled"), header(problem="cancelled")), latest=False)


def _eval(path, created, right, **header_):
    spec = inspect_spec(n=0, created=created)
    samples = [inspect_sample(f"q{i}", {"match": "C" if i < right else "I"}) for i in range(10)]
    return write_eval(
        path, eval_members(samples, [inspect_result("match", right / 10)], eval=spec, **header_)
    )


def test_a_folder_with_a_benchmark_twice(capsys, tmp_path):
    old, new = "2026-01-01T00:00:00+00:00", "2026-01-05T00:00:00+00:00"
    _eval(tmp_path / "2026-01-01_quiz.eval", old, 4)
    _eval(tmp_path / "2026-01-05_quiz.eval", new, 7)
    assert "quiz is in this run more than once" in refused(capsys, "score", tmp_path)
    result = es.score(tmp_path, latest=True)
    assert result.only.run.estimate.point == pytest.approx(0.7)
    assert any("passed over" in note and "2026-01-01_quiz.eval (older)" in note for note in result.notes)
    assert len(command(capsys, "score", tmp_path, "--latest")["scores"]) == 1


def test_an_errored_log_beside_a_complete_one_is_passed_over_in_a_folder(tmp_path):
    _eval(tmp_path / "a_quiz.eval", "2026-01-01T00:00:00+00:00", 4)
    _eval(tmp_path / "b_quiz.eval", "2026-01-05T00:00:00+00:00", 7, status="error")
    result = es.score(tmp_path)
    assert result.only.run.estimate.point == pytest.approx(0.4)
    assert any("b_quiz.eval" in note and "error" in note for note in result.notes)


def _metrics(*names, **head):
    return part([row("q1", 1.0, metric=name) for name in names], **head)


@pytest.mark.parametrize(
    ("metric", "filter_name", "found"),
    [
        (None, None, "exact_match,flexible"),
        ("exact_match", None, "exact_match,flexible"),
        ("exact_match,strict", None, "exact_match,strict"),
        ("exact_match", "strict", "exact_match,strict"),
        (None, "strict", "exact_match,strict"),
        ("f1", None, "f1,flexible"),
        ("f1", "strict", "f1,strict"),
    ],
)
def test_a_metric_is_found_with_or_without_its_filter(metric, filter_name, found):
    names = ("exact_match,strict", "f1,strict", "exact_match,flexible", "f1,flexible")
    assert metric_named(_metrics(*names, primary="exact_match,flexible"), metric, filter_name) == found


@pytest.mark.parametrize(
    ("metric", "filter_name", "near"),
    [
        ("exact_mach", None, "exact_match,strict-match"),
        ("acc_nrm", None, "acc_norm,none"),
        ("exact_match", "strct-match", "exact_match,strict-match"),
        (None, "strict", "exact_match,strict-match"),
        ("exact_match,strict", None, "exact_match,strict-match"),
        ("acc-norm", None, "acc_norm,none"),
    ],
)
def test_a_misspelt_metric_or_filter_suggests_the_near_one_and_lists_all(metric, filter_name, near):
    only = _metrics("exact_match,strict-match", "acc_norm,none")
    with pytest.raises(InputError, match=f"Did you mean '{near}'") as error:
        metric_named(only, metric, filter_name)
    assert "There are: exact_match,strict-match, acc_norm,none." in str(error.value)


def test_a_metric_far_from_any_only_lists_them():
    with pytest.raises(InputError, match=r"quiz has no metric 'zzz'. There are: match"):
        metric_named(_metrics("match"), "zzz")


def test_the_metric_of_a_call_and_of_a_command(capsys, tmp_path):
    path = tmp_path / "run.eval"
    samples = [inspect_sample(f"q{i}", {"match": "C", "judge": "C" if i % 2 else "I"}) for i in range(10)]
    spec = inspect_spec(n=0, scorers=[{"name": n, "options": {}} for n in ("match", "judge")])
    write_eval(
        path, eval_members(samples, [inspect_result("match", 1.0), inspect_result("judge", 0.5)], eval=spec)
    )
    result = es.score(path)
    assert [(r.metric, r.primary) for r in (*result, *result.secondary)] == [
        ("match", True),
        ("judge", False),
    ]
    assert es.score(path, metric="judge").only.metric == "judge"
    printed = command(capsys, "score", path, "--metric", "judge")["scores"]
    assert [(r["metric"], r["primary"]) for r in printed] == [("judge", True), ("match", False)]
    assert "Did you mean 'judge'" in refused(capsys, "score", path, "--metric", "jugde")


def _benchmarks(*names, groups=None):
    heads = [header(benchmark=name) for name in names]
    rows = [row("q1", 1.0, benchmark=name) for name in names]
    group = [header(benchmark=g, members=m) for g, m in (groups or {}).items()]
    scores = build([*heads, *group, *rows])
    return {p.benchmark: p for p in scores}, scores


@pytest.mark.parametrize(
    ("task", "chosen"),
    [
        (None, ["a", "b", "c"]),
        ("b", ["b"]),
        ("c,a", ["c", "a"]),
        ("ab", ["a", "b"]),
        ("ab,b,c", ["a", "b", "c"]),
    ],
)
def test_tasks_are_chosen_by_name_by_list_and_by_group(task, chosen):
    parts, scores = _benchmarks("a", "b", "c", groups={"ab": ("a", "b", "not run")})
    assert chosen_benchmarks(parts, scores, task) == chosen


def test_a_benchmark_whose_name_has_a_comma_is_chosen_whole():
    parts, scores = _benchmarks("a,b", "c")
    assert chosen_benchmarks(parts, scores, "a,b") == ["a,b"]


def test_a_misspelt_task_suggests_the_near_one():
    parts, scores = _benchmarks("gsm8k", "mmlu", groups={"maths": ("gsm8k",)})
    with pytest.raises(InputError, match=r"no benchmark 'gsm8' here. Did you mean 'gsm8k'") as error:
        chosen_benchmarks(parts, scores, "mmlu,gsm8")
    assert "There are: gsm8k, mmlu, maths." in str(error.value)


def test_benchmarks_are_matched_by_name_and_those_of_one_run_only_are_listed():
    names, notes = matched_benchmarks(["a", "b", "c"], ["c", "d", "a"], None)
    assert names == [("a", "a"), ("c", "c")]
    assert notes == ("only the baseline has b", "only the candidate has d")


def test_one_benchmark_a_side_is_compared_whatever_its_name():
    assert matched_benchmarks(["a"], ["b"], None) == ([("a", "b")], ())


@pytest.mark.parametrize(("one", "two"), [(["a", "b"], ["c"]), (["a"], ["b", "c"]), (["a", "b"], ["c", "d"])])
def test_several_without_a_common_name_are_an_error_that_lists_both(one, two):
    with pytest.raises(InputError, match="no benchmark in common") as error:
        matched_benchmarks(one, two, None)
    assert f"the baseline has {', '.join(one)}; the candidate has {', '.join(two)}" in str(error.value)
    assert "--task BASELINE=CANDIDATE" in str(error.value)


def test_a_long_list_is_cut():
    with pytest.raises(InputError, match="b7 and 2 more"):
        matched_benchmarks([f"b{i}" for i in range(10)], ["x", "y"], None)


def _two(names_old, names_new):
    def run(names, score):
        rows = [h for name in names for h in (header(benchmark=name, path=f"{name}.eval"),)]
        items = [row(f"q{i}", score(i), benchmark=name) for name in names for i in range(12)]
        return build([*rows, *items])

    return run(names_old, lambda i: float(i % 2)), run(names_new, lambda i: float(i % 3 > 0))


def test_benchmarks_of_one_run_only_are_said_in_the_notes():
    old, new = _two(["a", "b"], ["b", "c"])
    result = es.compare(old, new)
    assert [row_.benchmark for row_ in result] == ["b"]
    assert "only the baseline has a" in result.notes
    assert "only the candidate has c" in result.notes


def test_differently_named_benchmarks_are_compared_with_both_names_and_a_caveat():
    old, new = _two(["quiz-v1"], ["quiz-v2"])
    row_ = es.compare(old, new).only
    assert row_.benchmark == "quiz-v1 → quiz-v2"
    assert "different_benchmark_names" in codes(row_.caveats)


def test_a_pair_of_tasks_by_name():
    old, new = _two(["a", "b"], ["c", "d"])
    row_ = es.compare(old, new, task="b=c").only
    assert row_.benchmark == "b → c"
    assert "different_benchmark_names" in codes(row_.caveats)
    with pytest.raises(InputError, match=r"--task b=x: the candidate has no 'x'. It has: c, d"):
        es.compare(old, new, task="b=x")
    with pytest.raises(InputError, match="--task x=c: the baseline has no 'x'"):
        es.compare(old, new, task="x=c")


def test_a_benchmark_whose_name_has_an_equals_sign():
    old, new = _two(["mmlu:subject=law", "b"], ["mmlu:subject=law", "b"])
    assert es.compare(old, new, task="mmlu:subject=law").only.benchmark == "mmlu:subject=law"


def test_a_task_must_be_in_both_runs():
    old, new = _two(["a", "b"], ["b", "c"])
    with pytest.raises(InputError, match="no benchmark 'a' here"):
        es.compare(old, new, task="a")


def test_runs_of_one_harness_without_a_common_metric_are_an_error_that_lists_both():
    old = log([row("q1", 1.0, metric="m1"), row("q1", 1.0, metric="m2")])
    new = log([row("q1", 1.0, metric="m3"), row("q1", 1.0, metric="m4")])
    with pytest.raises(InputError, match="no primary metric in common: baseline m1, m2; candidate m3, m4"):
        es.compare(old, new)


def test_the_primary_metric_that_both_runs_have_is_taken():
    rows = [row(f"q{i}", float(i % 2), metric=m) for i in range(9) for m in ("m1", "m2")]
    assert es.compare(log(rows, primary="m1"), log(rows[1::2], primary="m2")).only.metric == "m2"


def test_a_lone_metric_a_side_is_compared_under_both_names():
    old = log([row(f"q{i}", float(i % 2), metric="match") for i in range(9)])
    new = log([row(f"q{i}", 1.0, metric="acc") for i in range(9)])
    row_ = es.compare(old, new).only
    assert row_.metric == "match → acc"
    assert row_.pairing.candidate_only == 5


def test_other_metrics_that_both_runs_have_are_secondary():
    names = ("m1", "m2", "m3")
    old = log([row(f"q{i}", float(i % 2), metric=m) for i in range(9) for m in names], primary="m2")
    new = log([row(f"q{i}", 1.0, metric=m) for i in range(9) for m in names[:2]], primary="m2")
    result = es.compare(old, new)
    assert [(r.metric, r.primary) for r in (*result, *result.secondary)] == [("m2", True), ("m1", False)]
    assert result.family is None
    assert [r["metric"] for r in result.to_dict()["comparisons"]] == ["m2", "m1"]
    assert [r["metric"] for r in result.rows()] == ["m2"]
