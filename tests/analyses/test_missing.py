"""Items and completions without a score: counted, shown, bounded, never silently right or wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import evalstats as es
from evalstats.analyses.missing import missing_rates_pvalue
from evalstats.errors import InputError
from tests.made_runs import codes, command, log, records, refused, row, run_of, texts, write_csv


def _counts(side):
    return side.n_total, side.n_scored, side.n_missing, side.n_errored


def _mixed():
    """10 items: 5 right, 2 wrong, 1 missing, 1 errored, 1 without any row of the metric."""
    rows = [row(f"q{i}", float(i < 5)) for i in range(7)]
    rows += [row("q7", None), row("q8", None, status="error"), row("q9", 1.0, metric="other")]
    return log(rows, primary="match")


def test_the_counts_of_a_run_add_up():
    side = es.score(_mixed()).only.run
    assert _counts(side) == (10, 7, 2, 1)
    for old, new in ((_mixed(), run_of({f"q{i}": 1 for i in range(10)})),):
        row_ = es.compare(old, new).only
        assert _counts(row_.baseline) == (10, 7, 2, 1)
        assert _counts(row_.candidate) == (10, 10, 0, 0)


def test_the_score_holds_for_the_scored_ones_and_says_so():
    row_ = es.score(_mixed()).only
    assert (row_.run.estimate.n, row_.run.estimate.point) == (7, 5 / 7)
    assert texts(row_.caveats, "missing_items") == "in m 3 of 10 items were not scored and are left out"


def test_half_the_rows_missing_has_the_bounds_of_manski(capsys, tmp_path):
    """vibrantlabsai/ragas#3028: the mean of what is left rises as more rows fail."""
    path = write_csv(tmp_path / "run.csv", records({f"q{i}": 1 if i < 5 else "" for i in range(10)}))
    (printed,) = command(capsys, "score", path)["scores"]
    row_ = es.score(path).only
    assert printed["missing_bounds"] == [0.5, 1.0]
    assert row_.missing_bounds == (0.5, 1.0)
    assert row_.run.estimate.point == 1.0
    assert row_.run.estimate.ci_low == pytest.approx(0.565518, abs=5e-7)
    (printed,) = command(capsys, "score", path, "--missing", "wrong")["scores"]
    filled = es.score(path, missing="wrong").only.run.estimate
    assert printed["run"]["estimate"]["ci_low"] == filled.ci_low == pytest.approx(0.236593, abs=5e-7)
    assert (filled.point, filled.n, filled.ci_high) == (0.5, 10, pytest.approx(0.763407, abs=5e-7))


def test_counting_as_wrong_is_said_and_leaves_the_counts_of_the_log():
    row_ = es.score(_mixed(), missing="wrong").only
    assert row_.run.estimate.point == 0.5
    assert _counts(row_.run) == (10, 7, 2, 1)
    assert row_.missing_bounds is None
    assert texts(row_.caveats, "missing_as_worst") == "in m 3 missing scores count as the worst one, as asked"
    assert "missing_items" not in codes(row_.caveats)
    compared = es.compare(_mixed(), run_of({f"q{i}": 1 for i in range(10)}), missing="wrong").only
    assert _counts(compared.baseline) == (10, 7, 2, 1)
    assert compared.difference.point == 0.5
    assert codes(compared.caveats).count("missing_as_worst") == 1


def test_missing_scores_may_be_an_error(capsys, tmp_path):
    with pytest.raises(InputError, match=r"3 scores are missing or errored, 'q7' first") as error:
        es.score(_mixed(), missing="error")
    assert "--missing scored (leave them out) or --missing wrong" in str(error.value)
    path = write_csv(tmp_path / "run.csv", records({"q0": 1, "q1": "", "q2": 0}))
    assert "1 scores are missing or errored, 'q1' first" in refused(
        capsys, "score", path, "--missing", "error"
    )
    whole = run_of({"q0": 1, "q1": 0})
    assert es.score(whole, missing="error").only.run.estimate.n == 2


def test_a_run_with_every_item_errored_has_no_score():
    run = log([row(f"q{i}", None, status="error") for i in range(3)])
    with pytest.raises(InputError, match="none of its 3 items was scored, all are errored or missing"):
        es.score(run)
    with pytest.raises(InputError, match="none of its 3 items was scored"):
        es.compare(run, run_of({f"q{i}": 1 for i in range(3)}))


def test_no_item_scored_in_both_runs():
    with pytest.raises(InputError, match="4 items are in both runs, but none was scored in both"):
        es.compare(
            run_of({"a": 1, "b": 0, "c": None, "d": None}), run_of({"a": None, "b": None, "c": 1, "d": 0})
        )


def test_completions_that_are_missing_leave_the_mean_of_the_others():
    row_ = es.score(run_of({"a": [1, 0, None], "b": [1, None, None], "c": [0, 0, 1]})).only
    assert row_.run.estimate.point == pytest.approx((0.5 + 1 + 1 / 3) / 3)
    assert texts(row_.caveats, "epochs_missing").startswith("in m 2 items lack some of 3 completions")
    assert _counts(row_.run) == (3, 3, 0, 0)


def test_each_missing_completion_counts_as_the_worst_score_when_asked():
    row_ = es.score(run_of({"a": [1, 0, None], "b": [1, None, None], "c": [0, 0, 1]}), missing="wrong").only
    assert row_.run.estimate.point == pytest.approx((1 / 3 + 1 / 3 + 1 / 3) / 3)
    assert texts(row_.caveats, "missing_as_worst").startswith("in m 3 missing scores")
    assert "epochs_missing" not in codes(row_.caveats)


def test_the_worst_score_of_a_lower_is_better_metric_is_the_top_of_its_scale():
    scores = {"a": 1.0, "b": 3.0, "c": None, "d": 5.0}
    run = run_of(scores, bounds={"match": (1.0, 5.0)}, higher_is_better={"match": False})
    assert es.score(run, missing="wrong").only.run.estimate.point == pytest.approx(14 / 4)
    higher = run_of(scores, bounds={"match": (1.0, 5.0)})
    assert es.score(higher, missing="wrong").only.run.estimate.point == pytest.approx(10 / 4)
    assert es.score(higher, missing="wrong", lower_is_better=True).only.run.estimate.point == pytest.approx(
        14 / 4
    )


def test_without_a_scale_there_is_no_worst_score():
    run = run_of({"a": 10.0, "b": 30.0, "c": None})
    with pytest.raises(InputError, match="without a scale there is no worst score: give --bounds LOW,HIGH"):
        es.score(run, missing="wrong")
    assert es.score(run).only.missing_bounds is None
    assert es.score(run, missing="wrong", bounds=(0, 100)).only.run.estimate.point == pytest.approx(40 / 3)


def test_bounds_of_a_score_are_of_its_scale():
    row_ = es.score(run_of({"a": 4.0, "b": 8.0, "c": None, "d": None}), bounds=(1, 10)).only
    assert row_.missing_bounds == pytest.approx((14 / 4, 32 / 4))


def _two(lost_old=3, lost_new=1, n=40):
    """The candidate turns 9 wrong answers right; some items are lost at the end of either run."""
    old = {f"q{i:02d}": float(i % 4 > 0) for i in range(n)}
    new = {item: 1.0 if i < 36 else score for i, (item, score) in enumerate(old.items())}
    names = list(old)
    for item in names[n - lost_old :]:
        old[item] = None
    for item in names[:lost_new]:
        new[item] = None
    return old, new


def _by_hand(old, new, against):
    """Tango's interval with every lost item filled against, or for, the candidate."""
    fill_old, fill_new = (1.0, 0.0) if against else (0.0, 1.0)
    pairs = [(fill_old if old[i] is None else old[i], fill_new if new[i] is None else new[i]) for i in old]
    baseline_only, candidate_only = pairs.count((1.0, 0.0)), pairs.count((0.0, 1.0))
    return es.paired_proportions(baseline_only, candidate_only, len(pairs))


def test_a_comparison_is_bounded_by_filling_for_and_against_the_candidate(capsys, tmp_path):
    old, new = _two()
    row_ = es.compare(run_of(old), run_of(new)).only
    assert (row_.difference.n, row_.pairing.n_common) == (36, 40)
    assert (row_.pairing.missing_in_baseline, row_.pairing.missing_in_candidate) == (3, 1)
    for filled, against in ((row_.missing.worst, True), (row_.missing.best, False)):
        expected = _by_hand(old, new, against)
        assert (filled.n, filled.method) == (40, "tango")
        ends = [expected.point, expected.ci_low, expected.ci_high]
        assert [filled.point, filled.ci_low, filled.ci_high] == pytest.approx(ends, abs=1e-15)
    assert row_.missing.worst.point < row_.difference.point < row_.missing.best.point
    files = [
        write_csv(tmp_path / name, records({i: "" if s is None else s for i, s in run.items()}))
        for name, run in (("a.csv", old), ("b.csv", new))
    ]
    (printed,) = command(capsys, "compare", *files)["comparisons"]
    assert printed["missing"]["worst"]["point"] == row_.missing.worst.point


def test_the_fill_turns_round_where_less_is_better():
    old, new = _two()
    higher = es.compare(run_of(old), run_of(new)).only.missing
    lower = es.compare(run_of(old), run_of(new), lower_is_better=True).only.missing
    assert (lower.worst.point, lower.best.point) == (higher.best.point, higher.worst.point)
    declared = {"higher_is_better": {"match": False}}
    assert es.compare(run_of(old, **declared), run_of(new, **declared)).only.missing == lower


def test_bounds_are_over_items_that_both_list_and_leave_others_unfilled():
    old, new = _two()
    more = {f"x{i}": None for i in range(5)}
    row_ = es.compare(run_of(old | more), run_of(new)).only
    assert row_.pairing.only_in_baseline == 5
    assert row_.missing.worst.n == 40


def test_a_complete_comparison_has_no_bounds():
    old = {f"q{i}": float(i % 2) for i in range(20)}
    row_ = es.compare(run_of(old), run_of(dict.fromkeys(old, 1.0))).only
    assert row_.missing is None
    assert "missing_could_reverse" not in codes(row_.caveats)


def test_what_the_missing_could_reverse_is_a_caveat():
    old, new = _two(lost_old=1, lost_new=0)
    steady = es.compare(run_of(old), run_of(new)).only
    assert (steady.verdict, steady.missing.worst_verdict, steady.missing.best_verdict) == ("improved",) * 3
    assert "missing_could_reverse" not in codes(steady.caveats)
    old, new = _two(lost_old=4, lost_new=12)
    shaky = es.compare(run_of(old), run_of(new)).only
    assert shaky.missing.worst_verdict != shaky.missing.best_verdict
    assert "missing_could_reverse" in codes(shaky.caveats)


def test_bounds_of_scores_are_the_paired_t_of_the_filled_scores():
    old = {f"q{i}": 1 + (7 * i) % 9 for i in range(20)} | {"x": None}
    new = {f"q{i}": min(10, 2 + (7 * i + i % 3) % 9) for i in range(20)} | {"x": 5}
    missing = es.compare(run_of(old), run_of(new), bounds=(1, 10)).only.missing
    for found, fill in ((missing.worst, 10), (missing.best, 1)):
        a, b = (list((run | ({"x": fill} if run["x"] is None else {})).values()) for run in (old, new))
        interval = stats.ttest_rel(b, a).confidence_interval()
        assert [found.ci_low, found.ci_high] == pytest.approx([interval.low, interval.high], rel=1e-9)


def test_bounds_in_clusters_keep_the_clusters():
    old, new = _two(n=40)
    fields = {item: {"passage": at // 4} for at, item in enumerate(old)}
    runs = [log([row(i, s, fields=fields[i]) for i, s in run.items()]) for run in (old, new)]
    missing = es.compare(*runs, cluster="passage").only.missing
    assert (missing.worst.method, missing.worst.n) == ("tango_effective", 40)
    assert missing.worst.extra["n_clusters"] == 10


def test_missing_at_different_rates_is_tested_and_said():
    lost = run_of({f"q{i}": None if i < 8 else 1.0 for i in range(40)})
    whole = run_of({f"q{i}": float(i % 2) for i in range(40)})
    row_ = es.compare(lost, whole).only
    assert row_.missing.rates_pvalue == pytest.approx(2 * 0.5**8)
    assert texts(row_.caveats, "missing_rates_differ") == "8 and 0 of 40 items were not scored (p = 0.0078)"
    few = run_of({f"q{i}": None if i < 2 else 1.0 for i in range(40)})
    assert "missing_rates_differ" not in codes(es.compare(few, whole).only.caveats)


def test_the_test_of_missing_rates_is_mcnemar_on_who_missed_what():
    old, new = np.array([True] * 9 + [False] * 11), np.array([True] * 3 + [False] * 6 + [True] + [False] * 10)
    expected = stats.binomtest(1, 7).pvalue
    assert missing_rates_pvalue(old, new) == pytest.approx(expected, rel=1e-12)
    assert math.isnan(missing_rates_pvalue(np.zeros(3, bool), np.zeros(3, bool)))


def test_nan_is_missing_in_every_carrier(tmp_path):
    scores = {"q0": 1.0, "q1": math.nan, "q2": 0.0}
    for source in (records(scores), write_csv(tmp_path / "run.csv", records(scores))):
        row_ = es.score(source).only
        assert _counts(row_.run) == (3, 2, 1, 0)
        assert row_.run.estimate.point == 0.5


def test_an_unfinished_run_is_said():
    run = run_of({"a": 1, "b": 0}, problem="the run was cancelled")
    assert "the run was cancelled" in texts(es.score(run).only.caveats, "run_incomplete")


def test_rows_that_repeat_are_counted_and_said():
    run = log([row("a", 1.0), row("a", 1.0), row("b", 0.0)])
    row_ = es.compare(run, run_of({"a": 1, "b": 1})).only
    assert row_.pairing.duplicates == 1
    assert texts(row_.caveats, "duplicates").endswith(
        "1 rows repeated an item and completion and were left out"
    )


def test_what_one_grader_left_out_is_bounded_with_what_the_other_said(tmp_path):
    """Ten answers: v1 scores all, v2 leaves two out, one that v1 has right and one that it has wrong."""
    rows = [{"item": f"q{i}", "v1": int(i < 5), "v2": "" if i in (0, 9) else 1} for i in range(10)]
    path = write_csv(tmp_path / "run.csv", [{"item": r["item"], "acc": r["v1"], "f1": r["v2"]} for r in rows])
    row_ = es.compare(f"{path}@acc", f"{path}@f1").only
    assert (row_.difference.n, row_.difference.point) == (8, 0.5)
    assert (_counts(row_.baseline), _counts(row_.candidate)) == ((10, 10, 0, 0), (10, 8, 2, 0))
    assert (row_.pairing.missing_in_baseline, row_.pairing.missing_in_candidate) == (0, 2)
    assert (row_.missing.worst.point, row_.missing.best.point) == (0.3, 0.5)
    assert (row_.baseline.estimate.name, row_.candidate.estimate.name) == ("acc", "f1")


def test_two_graders_are_compared_on_the_completions_that_both_scored(tmp_path):
    rows = [{"item": "a", "epoch": 1, "acc": 1, "f1": 0}, {"item": "a", "epoch": 2, "acc": 1, "f1": ""}]
    rows += [{"item": "b", "epoch": e, "acc": 0, "f1": 1} for e in (1, 2)]
    path = write_csv(tmp_path / "run.csv", rows)
    result = es.compare(f"{path}@acc", f"{path}@f1")
    assert result.only.difference.point == 0.0
    assert [(c["item"], c["epoch"]) for c in result.changed()] == [("a", 1), ("b", 1), ("b", 2)]


def test_a_label_is_printed_as_it_is_spelled():
    said = str(es.score(run_of({"a": [1, 0], "b": [1, None]}), labels=("run-7",)))
    assert "In run-7 1 item lacks some of 2 completions" in " ".join(said.split())
