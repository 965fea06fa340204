"""A judge's run with people's labels: joined by id, corrected, what stands first, what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import evalstats as es
from evalstats.analyses.judge_rates import Given
from evalstats.errors import InputError, MethodError, NoGuaranteeError, PairingError
from tests.judge_runs import answers, judge_of, labelled, write_labels, write_run
from tests.made_runs import codes, header, log, row, texts

RIGHT = answers(1)
JUDGE = judge_of(RIGHT, 2)


@pytest.fixture
def run(tmp_path):
    return write_run(tmp_path / "run.csv", JUDGE)


def _labels(path, n_labels, right=RIGHT):
    return write_labels(path, right, labelled(len(right), n_labels))


def _kinds(one: Any) -> list[str]:
    return [answer.kind for answer in one.answers]


def test_the_answers_are_those_of_the_functions_for_numbers(run, tmp_path):
    at = labelled(400, 160)
    one = es.judged(run, labels=_labels(tmp_path / "labels.csv", 160)).only
    rest = np.setdiff1d(np.arange(400), at)
    ppi = es.judge.ppi_mean(RIGHT[at], JUDGE[at], JUDGE[rest])
    assert one["corrected"].extra["n_disagreements"] >= 20
    assert _kinds(one) == ["corrected", "labels", "error_rates"]
    assert (one.shown.point, one.shown.ci_low, one.shown.ci_high) == (ppi.point, ppi.ci_low, ppi.ci_high)
    alone = es.proportion(int(RIGHT[at].sum()), 160)
    assert (one["labels"].point, one["labels"].ci_low) == (alone.point, alone.ci_low)
    n_pos = int(RIGHT[at].sum())
    Se, Sp = JUDGE[at][RIGHT[at]].mean(), 1 - JUDGE[at][~RIGHT[at]].mean()
    rates = es.rogan_gladen(int(JUDGE[rest].sum()), 240, Se, Sp, n_pos=n_pos, n_neg=160 - n_pos)
    assert one["error_rates"].point == pytest.approx(rates.point, abs=1e-12)
    assert one["error_rates"].ci_high == pytest.approx(rates.ci_high, abs=1e-12)
    side = one.sides[0]
    assert (side.sensitivity.point, side.specificity.point) == (pytest.approx(Se), pytest.approx(Sp))
    assert (side.n_judged, side.n_labelled, one.n_labelled) == (400, 160, 160)
    assert one.judge.point == JUDGE.mean()
    assert one.shown.ci_low < RIGHT.mean() < one.shown.ci_high < one.judge.ci_high


def test_with_few_disagreements_the_labels_stand_first(run, tmp_path):
    one = es.judged(run, labels=_labels(tmp_path / "labels.csv", 60)).only
    assert one.n_disagreements < 20
    assert _kinds(one)[:2] == ["labels", "corrected"]
    assert "few_disagreements" in codes(one.caveats)
    assert "under 20" in one.why
    named = es.judged(run, labels=_labels(tmp_path / "labels.csv", 60), method="ppi_plus_plus").only
    assert _kinds(named)[0] == "corrected"
    assert "few_disagreements" in codes(named.caveats)
    assert named.why == "asked for by name"


def test_with_few_labels_of_a_kind_the_labels_stand_first():
    right = [1] * 97 + [0] * 3
    judge = [0] * 25 + [1] * 72 + [0] * 3
    scored = [{"id": str(i), "score": score} for i, score in enumerate(judge * 5)]
    labels = [{"id": str(i), "label": label} for i, label in enumerate(right)]
    one = es.judged(scored, labels=labels).only
    assert one.n_disagreements == 25
    assert _kinds(one)[0] == "labels"
    assert "few_disagreements" in codes(one.caveats)
    assert "under 10" in one.why


def test_a_method_by_name_stands_first(run, tmp_path):
    labels = _labels(tmp_path / "labels.csv", 160)
    assert es.judged(run, labels=labels, method="ppi").only.shown.extra["lambda"] == 1.0
    delta = es.judged(run, labels=labels, method="rogan_gladen_delta").only
    assert (delta.answers[0].kind, delta.shown.method) == ("error_rates", "rogan_gladen_delta")


def test_order_of_rows_does_not_matter(run, tmp_path):
    labels = _labels(tmp_path / "labels.csv", 160)
    one = es.judged(run, labels=labels).only
    lines = labels.read_text(encoding="utf-8").splitlines()
    labels.write_text("\n".join([lines[0], *lines[:0:-1]]) + "\n", encoding="utf-8")
    rows = [{"id": f"q{i}", "score": float(JUDGE[i])} for i in range(399, -1, -1)]
    assert es.judged(rows, labels=labels).only.answers == one.answers


def test_every_item_labelled_leaves_nothing_to_correct(run, tmp_path):
    one = es.judged(run, labels=_labels(tmp_path / "labels.csv", 400)).only
    assert one.answers[0].kind == "labels"
    assert one.shown.point == RIGHT.mean()
    assert math.isnan(one["corrected"].point)
    assert "every judged item has a label" in one["corrected"].extra["undefined"]["point"]
    assert "every judged item has a label" in str(one["error_rates"].extra["undefined"]["point"])


def test_labels_of_one_kind_do_not_tell_the_other_error_rate(run):
    at = [i for i in labelled(400, 160) if RIGHT[i]]
    one = es.judged(run, labels=[{"id": f"q{i}", "label": "pass"} for i in at]).only
    assert one.sides[0].specificity is None
    assert "no labelled answer is wrong" in one["error_rates"].extra["undefined"]["point"]


def test_a_judge_at_chance_is_not_identifiable_and_the_labels_still_answer(tmp_path):
    coin = judge_of(RIGHT, 5, 0.5, 0.5)
    run = write_run(tmp_path / "coin.csv", coin)
    one = es.judged(run, labels=_labels(tmp_path / "labels.csv", 160)).only
    assert "not identifiable" in one["error_rates"].extra["undefined"]["point"]
    assert one["corrected"].extra["lambda"] < 0.2
    assert one["corrected"].extra["worth_labels"] == pytest.approx(160, rel=0.05)
    with pytest.raises(MethodError, match="not identifiable"):
        es.judged(run, labels=tmp_path / "labels.csv", method="lang_reiczigel")


def test_grades_are_corrected_without_error_rates():
    rng = np.random.default_rng(6)
    truth = rng.integers(1, 11, 300)
    graded = np.clip(truth + rng.integers(0, 3, 300), 1, 10)
    run = [{"id": i, "score": float(s)} for i, s in enumerate(graded)]
    labels = [{"id": i, "label": float(truth[i])} for i in labelled(300, 80)]
    one = es.judged(run, labels=labels, bounds=(1, 10)).only
    at, rest = labelled(300, 80), np.setdiff1d(np.arange(300), labelled(300, 80))
    ppi = es.judge.ppi_mean(truth[at], graded[at], graded[rest], bounds=(1, 10))
    assert _kinds(one) == ["corrected", "labels"]
    assert (one.shown.point, one.shown.ci_low) == (ppi.point, ppi.ci_low)
    assert one.shown.ci_low < truth.mean() < one.shown.ci_high < one.judge.ci_low
    assert one.sides[0].sensitivity is None


def test_several_completions_are_one_item():
    """Labels of a completion stand beside the judge's score of that completion; the rest are whole items."""
    rows = [row(f"q{i}", float((i + epoch) % 3 > 0), epoch=epoch) for i in range(60) for epoch in (1, 2)]
    labels = [{"id": f"q{i}", "epoch": 1 + i % 2, "label": i % 2} for i in range(25)]
    one = es.judged(log(rows), labels=labels).only
    y = np.array([np.mean([(i + epoch) % 3 > 0 for epoch in (1, 2)]) for i in range(60)])
    judge = np.array([(i + 1 + i % 2) % 3 > 0 for i in range(25)])
    ppi = es.judge.ppi_mean(np.arange(25) % 2, judge, y[25:])
    assert one["corrected"].point == ppi.point
    assert one["corrected"].ci_high == ppi.ci_high
    assert "error_rates" not in _kinds(one)


def test_unscored_items_are_left_out_and_counted():
    rows = [row(f"q{i}", None if i % 10 == 0 else float(i % 3 > 0)) for i in range(90)]
    labels = [{"id": f"q{i}", "label": int(i % 3 > 0)} for i in range(30)]
    one = es.judged(log(rows), labels=labels).only
    assert one.sides[0].n_unscored == 3
    assert (one.n_labelled, one.sides[0].n_judged) == (27, 81)
    assert "missing_items" in codes(one.caveats)


def test_clusters_are_refused_by_name_and_none_is_the_way_out():
    rows = [row(f"q{i}", float(i % 3 > 0), fields={"passage": f"p{i // 4}"}) for i in range(80)]
    declared = log(rows, cluster="passage")
    labels = [{"id": f"q{i}", "label": int(i % 3 > 0)} for i in range(20)]
    with pytest.raises(MethodError, match=r"clusters of passage.*--cluster none"):
        es.judged(declared, labels=labels)
    assert es.judged(declared, labels=labels, cluster="none").only.n_labelled == 20


def test_benchmarks_without_labels_are_named():
    rows = [row(f"q{i}", float(i % 3 > 0), benchmark=name) for name in ("qa", "code") for i in range(40)]
    both = log([header(benchmark="code"), *rows], benchmark="qa")
    labels = [{"id": f"q{i}", "benchmark": "qa", "label": int(i % 2)} for i in range(20)]
    found = es.judged(both, labels=labels)
    assert found.only.benchmark == "qa"
    assert any("without a label: code" in note for note in found.notes)


OLD_RIGHT, NEW_RIGHT = RIGHT, np.where(np.random.default_rng(8).random(400) < 0.8, RIGHT, answers(9))
NEW_JUDGE = judge_of(NEW_RIGHT, 10, 0.97, 0.5)


@pytest.fixture
def two(run, tmp_path):
    new = write_run(tmp_path / "new.csv", NEW_JUDGE)
    labels = (
        _labels(tmp_path / "old_labels.csv", 160, OLD_RIGHT),
        _labels(tmp_path / "new_labels.csv", 160, NEW_RIGHT),
    )
    return (run, new), labels


def test_two_runs_are_corrected_by_their_differences(two):
    runs, labels = two
    one = es.judged(*runs, labels=labels).only
    at = labelled(400, 160)
    rest = np.setdiff1d(np.arange(400), at)
    pairs = [(OLD_RIGHT[at], NEW_RIGHT[at]), (JUDGE[at], NEW_JUDGE[at]), (JUDGE[rest], NEW_JUDGE[rest])]
    ppi = es.judge.ppi_difference(*[tuple(x.astype(float) for x in pair) for pair in pairs])
    assert (one["corrected"].point, one["corrected"].ci_low) == (ppi.point, ppi.ci_low)
    tango = es.mean_difference(OLD_RIGHT[at], NEW_RIGHT[at])
    assert (one["labels"].point, one["labels"].ci_low) == (tango.point, tango.ci_low)
    assert one.judge.point == pytest.approx(NEW_JUDGE.mean() - JUDGE.mean())
    assert one.judge.ci_low > 0  # the judge alone says better
    assert one.direction == "not_settled"
    assert [side.label for side in one.sides] == ["run", "new"]
    assert all(side.corrected is not None for side in one.sides)


def test_swapping_the_runs_mirrors_the_answer(two):
    runs, labels = two
    one, other = es.judged(*runs, labels=labels).only, es.judged(*runs[::-1], labels=labels[::-1]).only
    assert one.shown.point == pytest.approx(-other.shown.point, abs=1e-12)
    assert one.shown.ci_low == pytest.approx(-other.shown.ci_high, abs=1e-12)


def test_items_labelled_in_one_run_only_count_as_not_labelled(two, tmp_path):
    runs, labels = two
    fewer = write_labels(tmp_path / "fewer.csv", NEW_RIGHT, labelled(400, 160)[:100])
    one = es.judged(*runs, labels=(labels[0], fewer)).only
    assert (one.n_labelled, one.n_labelled_in_one) == (100, 60)
    other = write_labels(
        tmp_path / "other.csv", NEW_RIGHT, [i for i in range(400) if i not in labelled(400, 160)]
    )
    with pytest.raises(InputError, match="0 items are labelled in both runs"):
        es.judged(*runs, labels=(labels[0], other))


def test_two_runs_share_one_scale():
    """Grades of which the baseline's are all 0 or 1 are no pass rates."""
    old = [{"id": i, "score": float(i % 2)} for i in range(60)]
    new = [{"id": i, "score": float(i % 5)} for i in range(60)]
    people = [
        [{"id": i, "label": row["score"] + (i % 3 == 0)} for i, row in enumerate(run[:40])]
        for run in (old, new)
    ]
    one = es.judged(old, new, labels=people).only
    assert one.scale.kind == "unbounded"
    assert one.sides[0].sensitivity is None
    assert one["corrected"].point == pytest.approx(1.5, abs=0.3)


def test_error_rates_of_another_study():
    known = es.judged("60/200", sensitivity=0.9, specificity="0.95").only
    assert known.shown.point == es.rogan_gladen(60, 200, 0.9, 0.95).point
    assert known.sides[0].sensitivity.extra["undefined"]["ci_low"] == "taken as known"
    seen = es.judged("60/200", sensitivity=(90, 100), specificity="114/120").only
    assert seen.shown.ci_low == es.rogan_gladen(60, 200, 0.9, 0.95, n_pos=100, n_neg=120).ci_low
    logged = es.judged(
        [{"id": i, "score": int(i < 60)} for i in range(200)], sensitivity="90/100", specificity="114/120"
    ).only
    assert logged.answers == seen.answers


REFUSED = {
    "nothing beside the run": ({}, InputError, "wants people's labels"),
    "one error rate": ({"sensitivity": 0.9}, InputError, "wants people's labels"),
    "both": ({"labels": [], "sensitivity": 0.9}, InputError, "give labels, or"),
    "mixed": ({"sensitivity": 0.9, "specificity": "9/10"}, InputError, "both error rates as known"),
    "no rate": ({"sensitivity": "high", "specificity": 0.9}, InputError, "sensitivity='high'"),
    "too high": ({"sensitivity": "100/90", "specificity": 0.9}, InputError, "more than"),
    "an unknown id": ({"labels": [{"id": "x", "label": 1}]}, PairingError, "not in"),
    "a blank file": ({"labels": [{"id": "q1", "label": ""}]}, InputError, "no label yet"),
    "a word": ({"labels": [{"id": "q1", "label": "maybe"}] * 1}, InputError, "the label of 'q1'"),
    "another scale": ({"labels": [{"id": "q1", "label": 7}]}, InputError, "from 0 to 1"),
    "a margin": ({"labels": [{"id": "q1", "label": 1}], "margin": 0.1}, InputError, "margin"),
    "a guarantee": ({"labels": "part", "guarantee": True}, NoGuaranteeError, "no guaranteed interval"),
    "another method": ({"labels": "part", "method": "wilson"}, MethodError, "ppi_plus_plus, ppi, lang"),
    "an id field": ({"labels": "part", "id": "key"}, InputError, "not paired"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_says_what_to_do(case, run, tmp_path):
    given, error, said = REFUSED[case]
    if given.get("labels") == "part":
        given = given | {"labels": _labels(tmp_path / "labels.csv", 160)}
    with pytest.raises(error, match=said):
        es.judged(run, **given)


def test_two_runs_want_labels_of_both(run, tmp_path):
    with pytest.raises(InputError, match="two files of labels"):
        es.judged(run, run, labels=_labels(tmp_path / "labels.csv", 160))
    with pytest.raises(InputError, match="--labels"):
        es.judged(run, run, sensitivity=0.9, specificity=0.9)
    with pytest.raises(MethodError, match="corrects one run"):
        es.judged(run, run, labels=[tmp_path / "labels.csv"] * 2, method="lang_reiczigel")
    with pytest.raises(InputError, match="judge came with 3 runs"):
        es.judged(run, run, run, labels=[])


def test_grades_with_labels_right_or_wrong_are_two_questions():
    run = [{"id": i, "score": float(1 + i % 10)} for i in range(60)]
    labels = [{"id": i, "label": i % 2} for i in range(20)]
    with pytest.raises(InputError, match="judge's scores are grades"):
        es.judged(run, labels=labels)
    with pytest.raises(InputError, match="from 1 to 10"):
        es.judged(run, labels=labels, bounds=(1, 10))
    with pytest.raises(MethodError, match="right or wrong"):
        es.judged(run, labels=[{"id": i, "label": 1 + i % 9} for i in range(20)], method="lang_reiczigel")
    with pytest.raises(InputError, match="error rates are of verdicts"):
        es.judged(run, sensitivity=0.9, specificity=0.9)


def test_counts_have_no_ids_for_labels():
    with pytest.raises(InputError, match="joined by id"):
        es.judged("60/200", labels=[{"id": "q1", "label": 1}])


def test_rows_and_json(run, tmp_path):
    found = es.judged(run, labels=_labels(tmp_path / "labels.csv", 160))
    rows = found.rows()
    assert [one["answer"] for one in rows] == ["corrected", "labels", "error_rates", "judge"]
    assert found["scores"] is found.only
    printed = found.to_dict()
    assert printed["schema"] == "evalstats/judge/1"
    assert [entry["role"] for entry in printed["provenance"]["inputs"]] == ["run", "labels"]
    with pytest.raises(InputError, match="there are: corrected, labels, error_rates"):
        found.only["rates"]
    assert "corrected" in str(found)
    assert "<table" in found._repr_html_()


def test_text_says_what_is_taken_for_granted(run, tmp_path):
    said = " ".join(str(es.judged(run, labels=_labels(tmp_path / "labels.csv", 60))).split())
    assert "the labelled items are a random sample of the judged ones" in said
    assert "The labels alone stand first" in said
    assert (
        texts(es.judged(run, labels=_labels(tmp_path / "labels.csv", 60)).only.caveats, "few_disagreements")
        in said
    )


def test_a_share_of_no_answers_is_none() -> None:
    with pytest.raises(InputError, match="0 of 0 labelled answers tell no share"):
        Given.of("0/0", "sensitivity")
