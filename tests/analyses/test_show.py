"""show: what was understood of a source, what it allows, what is blocked and what would unblock it."""

from __future__ import annotations

import pytest

import evalstats as es
from evalstats.analyses.show import MOST_SLICES, show
from evalstats.data.builder import build
from evalstats.data.scores import HarnessFigure
from tests.made_runs import LOGS, command, header, log, row, run_of


def _only(source):
    (part,) = show(source).benchmarks
    return part


def test_a_metric_has_its_scale_mean_and_counts():
    rows = [row("a", 1.0), row("b", 0.0), row("c", None), row("d", None, status="error")]
    rows += [row("a", 0.5, metric="judge", epoch=1), row("a", 1.0, metric="judge", epoch=2)]
    part = _only(log(rows, primary="match"))
    assert (part.run, part.benchmark, part.format, part.n_items) == ("m", "quiz", "inspect", 4)
    match, judge = part.metrics
    assert (match.metric, match.primary, match.scale.kind, match.mean) == ("match", True, "pass_fail", 0.5)
    assert (match.n_scored, match.n_missing, match.n_errored) == (2, 1, 1)
    assert (judge.primary, judge.scale.kind, judge.mean, judge.completions) == (
        False,
        "bounded",
        0.75,
        (2, 2),
    )


def test_a_run_without_a_score_is_shown_and_everything_else_blocked():
    part = _only(log([row(f"q{i}", None, status="error") for i in range(3)], problem="cancelled"))
    assert (part.problem, part.metrics[0].n_errored) == ("cancelled", 3)
    assert part.blocked[0].what == "any score"


def _fields(n, of):
    return log([row(f"q{i}", float(i % 2), fields=of(i)) for i in range(n)])


def test_fields_are_offered_as_clusters_and_slices_by_their_number_of_values():
    part = _only(_fields(40, lambda i: {"two": i % 2, "eight": i % 8, "own": i, "id": i % 8}))
    assert [(f.field, f.n_values) for f in part.clusters] == [("eight", 8)]
    assert [(f.field, f.n_values) for f in part.slices] == [("two", 2), ("eight", 8)]
    many = _only(_fields(4 * MOST_SLICES, lambda i: {"g": i % (MOST_SLICES + 1)}))
    assert [f.field for f in many.slices] == []


def test_what_is_blocked_says_what_would_unblock_it():
    bare = {blocked.what: blocked.unblock for blocked in _only(run_of({"a": 1, "b": 0})).blocked}
    assert "completions" in bare["decoding noise (--view fixed_items)"]
    assert "clusters (--cluster)" in bare
    full = log(
        [
            row(f"q{i}", float(i % 2), epoch=e, prompt="h", fields={"g": i // 4})
            for i in range(40)
            for e in (1, 2)
        ]
    )
    assert _only(full).blocked == ()


def test_positions_block_pairing_by_id_with_other_formats():
    part = _only(run_of({"0": 1, "1": 0}, format="lm_eval", positional=True))
    assert any("--id FIELD" in blocked.unblock for blocked in part.blocked)


def test_the_figure_of_a_metric_that_is_not_there_is_not_known():
    figures = (HarnessFigure("gone", "mean", 0.5), HarnessFigure("match", "mean", 0.25))
    part = _only(run_of({"a": 1, "b": 0}, harness=figures))
    (check,) = part.metrics[0].harness
    assert (check.harness, check.ours, check.agrees) == (0.25, 0.5, False)


def test_a_standard_error_of_one_item_is_not_known():
    figures = (HarnessFigure("match", "standard_error", 0.0),)
    (check,) = _only(run_of({"a": 1}, harness=figures)).metrics[0].harness
    assert check.ours != check.ours
    assert not check.agrees


def test_several_runs_and_counts(capsys):
    two = build([h for run in "ab" for h in (header(run=run), row("q", 1.0, run=run))])
    assert show(two).runs == ("a", "b")
    counts = show("360/500")
    assert (counts.source, counts.benchmarks) == ("360/500", ())
    assert command(capsys, "show", "360/500")["notes"]


def test_a_folder_of_real_logs(capsys):
    printed = command(capsys, "show", LOGS / "inspect_eval" / "model-a")
    named = {part["benchmark"]: part for part in printed["benchmarks"]}
    assert set(named) == {"arith", "mcq", "graded", "clustered", "arith_epochs"}
    assert named["clustered"]["declared_cluster"] == "passage_id"
    assert [m["metric"] for m in named["arith_epochs"]["metrics"] if m["primary"]] == ["match"]
    assert named["arith_epochs"]["metrics"][0]["completions"] == [3, 3]


def test_what_cannot_be_read_is_an_error(tmp_path):
    with pytest.raises(es.EvalStatsError, match="no file"):
        show(tmp_path / "gone.eval")
