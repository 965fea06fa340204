"""`agree`: every way labels come in, what is said of them, refusals, JSON, reproduction."""

from __future__ import annotations

import json
import math

import jsonschema
import pandas as pd
import polars as pl
import pytest

import evalstats as es
from evalstats.analyses.agree_sample import label_sample
from evalstats.cli.main import main
from evalstats.errors import InputError, MethodError, PairingError
from tests.made_labels import EXAMPLES, LABELS, ROWS, RUN, SCHEMAS, read_rows, write_rows
from tests.made_runs import LOGS, command


def _same(one, other):
    names = ("rows", "matrix", "ceiling")
    return all(getattr(one, name) == getattr(other, name) for name in names)


def test_a_table_is_the_same_whatever_carries_it(tmp_path):
    found = es.agree(ROWS)
    assert found.provenance.runs == ("",)
    path = write_rows(tmp_path / "labels.csv", ROWS)
    lines = tmp_path / "labels.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    parquet = tmp_path / "labels.parquet"
    pl.DataFrame(ROWS).write_parquet(parquet)
    carried = (path, str(lines), parquet, pd.DataFrame(ROWS), pl.DataFrame(ROWS), {"judge": None} and ROWS)
    for source in carried:
        assert _same(es.agree(source), found)
    kappa = es.cohen_kappa([r["human"] for r in ROWS], [r["judge"] for r in ROWS])
    assert (found.estimate.point, found.estimate.ci_low) == (kappa.point, kappa.ci_low)


def test_a_row_a_label_is_the_same_as_a_column_a_rater():
    wide = [{"id": i, **row} for i, row in enumerate(ROWS)]
    long = [{"item": r["id"], "rater": who, "label": r[who]} for r in wide for who in ("human", "judge")]
    named = [{"q": r["item"], "by": r["rater"], "said": r["label"]} for r in long]
    found = es.agree(wide)
    assert _same(es.agree(long), found)
    asked = es.agree(named, rater="by", id="q", verdict="said", judge="judge", human="human")
    assert _same(asked, found)


def test_two_metrics_of_a_log_are_two_raters_of_each_completion():
    run = str(EXAMPLES / "logs" / "inspect" / "model-a.eval")
    found = es.agree(f"{run}@match_clustered", f"{run}@dict_scorer.correct")
    assert (found.n_items, found.cluster) == (120, "passage_id")
    assert found.estimate.point == 1
    assert math.isnan(found.estimate.ci_low)
    assert "changes nothing" in found.estimate.extra["undefined"]["ci_low"]
    assert [one.name for one in found.raters] == ["match_clustered", "dict_scorer.correct"]
    apart = es.agree(f"{run}@match_clustered", f"{run}@dict_scorer.correct", cluster="none")
    assert apart.cluster == "item"
    assert not any("different answers" in note for note in found.notes)
    other = es.agree(run, str(EXAMPLES / "logs" / "inspect" / "model-b.eval"))
    assert any("different answers" in note for note in other.notes)


def test_the_ceiling_is_of_the_items_that_all_labelled():
    found = es.agree(LABELS, judge="judge", human=("ann", "bob"))
    rows = read_rows(LABELS)
    common = [row for row in rows if row["bob"]]
    judge, ann, bob = ([row[name] for row in common] for name in ("judge", "ann", "bob"))
    direct = es.agreement.ceiling(judge, [ann, bob])
    assert found.ceiling.n == len(common) == direct.n
    assert found.ceiling.difference.point == direct.difference.point
    assert found.ceiling.test.pvalue == direct.test.pvalue < 0.05
    assert found.matrix.n_tied == sum(row["ann"] != row["bob"] for row in common)
    assert found.no_ceiling == ""
    assert es.agree(ROWS).no_ceiling.startswith("one human")


def test_class_rates_are_wilsons_of_the_humans_classes():
    found = es.agree(ROWS).matrix
    assert found.counts == ((24, 4), (16, 56))
    wrong, right = found.classes
    assert (wrong.n_human, wrong.n_judge, wrong.n_both) == (28, 40, 24)
    assert wrong.recall.point == es.proportion(24, 28).point
    assert wrong.recall.ci_low == es.proportion(24, 28).ci_low
    assert right.precision.ci_high == es.proportion(56, 60).ci_high


def test_the_human_comes_first_in_a_pair_and_caveats_name_who_is_who():
    rows = [{"judge": 1, "human": h} for h in [1] * 30 + [0] * 4]
    found = es.agree(rows).rows[0]
    assert found.raters == ("human", "judge")
    (said,) = (c["text"] for c in found.caveats if c["code"] == "rare_class")
    assert said.startswith("class 0 has 4 items by human and 0 by judge, 0 of them by both")


def test_verdicts_in_other_words_are_the_same_verdicts():
    words = [{"judge": bool(r["judge"]), "human": "pass" if r["human"] else "fail"} for r in ROWS]
    assert es.agree(words).estimate.point == es.agree(ROWS).estimate.point
    letters = [{"judge": "C" if r["judge"] else "I", "human": "pass" if r["human"] else "fail"} for r in ROWS]
    assert es.agree(letters).estimate.point == es.agree(ROWS).estimate.point
    kept = [{"judge": "ok" if r["judge"] else "bad", "human": "ok" if r["human"] else "bad"} for r in ROWS]
    assert es.agree(kept).categories == ("bad", "ok")
    with pytest.raises(InputError, match="numbers and words such as 'banana'"):
        es.agree([*ROWS, {"judge": 1, "human": "banana"}])


def test_the_measures_are_those_of_the_functions():
    found = es.agree(ROWS, measures="ac1,alpha,fleiss,ac2,agreement,kappa")
    human, judge = [r["human"] for r in ROWS], [r["judge"] for r in ROWS]
    both = [human, judge]
    right = {
        "ac1": es.agreement.gwet_ac1(both),
        "alpha": es.krippendorff_alpha(both),
        "ac2": es.agreement.gwet_ac2(both),
        "agreement": es.agreement.percent_agreement(both),
        "kappa": es.cohen_kappa(human, judge),
    }
    assert {row.measure for row in found.rows} == set(right)
    for name, one in right.items():
        assert (found[name].estimate.point, found[name].estimate.ci_high) == (one.point, one.ci_high)
    several = es.agree(LABELS, human=("judge", "ann"), measures="fleiss")
    raters = read_rows(LABELS)
    pair = [[row[name] for row in raters] for name in ("judge", "ann")]
    assert several.estimate.point == es.agreement.fleiss_kappa(pair).point
    assert es.agree(LABELS, human=("judge", "ann", "bob")).rows[0].measure == "alpha"


def test_the_method_is_that_of_the_first_measure():
    found = es.agree(ROWS, method="bca")
    assert [row.estimate.method for row in found.rows] == ["bca", "wilson", "jackknife_t"]
    assert es.agree(ROWS, method="donner_eliasziw").estimate.name == "kappa (intraclass)"
    resampled = es.agree(LABELS, judge="judge", human=("ann", "bob"), method="bca", n_boot=500)
    assert resampled.ceiling.difference.method == "bca"
    assert resampled.ceiling.test.method == "jackknife_t"
    with pytest.raises(MethodError, match="no method for Cohen's kappa"):
        es.agree(ROWS, method="wilson")


def test_grades_by_weights_scale_and_categories():
    grades = [{"judge": j, "human": h} for j, h in [(1, 2), (2, 2), (5, 5), (5, 1), (1, 1), (2, 1)]]
    found = es.agree(grades, weights="quadratic", categories="1,2,3,4,5")
    assert found.estimate.point == pytest.approx(0.4375)
    assert found.categories == ("1", "2", "3", "4", "5")
    assert found.estimate.name == "kappa (quadratic)"
    assert es.agree(grades, scale="ordinal").rows[0].estimate.name == "alpha (ordinal)"
    words = [{"judge": "good", "human": "poor"}, {"judge": "poor", "human": "poor"}]
    ordered = es.agree(words, weights="linear", categories=("poor", "fair", "good"))
    assert ordered.matrix.categories == ("poor", "fair", "good")
    with pytest.raises(InputError, match="order of the labels"):
        es.agree(words, weights="linear")


@pytest.mark.parametrize(
    ("sources", "keywords", "error", "said"),
    [
        ([], {}, InputError, "agree wants a table of labels"),
        ([LABELS], {}, InputError, "judge, ann, bob"),
        ([LABELS], {"judge": "gpt"}, InputError, "no column 'gpt'"),
        ([LABELS], {"judge": "ann", "human": "ann"}, InputError, "named twice"),
        ([LABELS], {"weight": "linear"}, InputError, "Did you mean 'weights'"),
        ([LABELS], {"weights": "square"}, InputError, "must be one of: linear, quadratic"),
        ([LABELS], {"measures": "kapa"}, InputError, "Did you mean 'kappa'"),
        ([LABELS], {"weights": "linear", "scale": "ordinal"}, InputError, "give one of them"),
        ([LABELS], {"human": "judge,ann,bob", "measures": "kappa"}, InputError, "cannot lead here"),
        (
            [LABELS],
            {"rater": "judge", "verdict": "ann", "id": "nope"},
            InputError,
            "name the column with --id",
        ),
        ([LOGS / "inspect_eval" / "model-a"], {}, InputError, "one log has one judge"),
        (["3/5", "4/5"], {}, InputError, "counts: agreement is item by item"),
        ([LABELS], {"judge": "judge", "human": "ann", "metric": "acc"}, InputError, "metric: for logs"),
        (
            [LABELS],
            {"judge": "judge", "human": "ann", "id": "id"},
            InputError,
            "id: for a table with a row a",
        ),
        ([LABELS], {"weights": "linear", "measures": "ac1"}, InputError, "for kappa and ac2"),
        ([LABELS], {"scale": "ratio", "measures": "kappa"}, InputError, "for alpha"),
        ([[{"id": "q", "label": 1}], RUN], {"id": "id"}, InputError, "joined by their column id"),
        ([ROWS, ROWS], {"judge": "judge"}, InputError, "the order says who is the judge"),
        (
            [[{"id": "q1", "label": 1}], LABELS],
            {},
            InputError,
            "holds several runs",
        ),
        ([[{"id": "zz", "label": 1}], RUN], {"metric": "score"}, PairingError, "not in records"),
    ],
)
def test_errors_say_what_to_do(sources, keywords, error, said):
    with pytest.raises(error, match=said):
        es.agree(*sources, **keywords)


def test_a_long_table_with_a_label_twice_is_refused():
    rows = [{"item": "a", "rater": "x", "label": 1}, {"item": "a", "rater": "x", "label": 0}]
    with pytest.raises(InputError, match="labels 'a' twice"):
        es.agree(rows)


def test_json_is_valid_and_reproduces(tmp_path, capsys):
    flags = ("--judge", "judge", "--human", "ann,bob")
    result = command(capsys, "agree", LABELS, *flags)
    schema = json.loads((SCHEMAS / "agree.json").read_text(encoding="utf-8"))
    jsonschema.validate(result, schema)
    jsonschema.validate(es.agree([{"judge": 1, "human": 1}] * 8).to_dict(), schema)
    sampled = json.loads((SCHEMAS / "agree-sample.json").read_text(encoding="utf-8"))
    jsonschema.validate(label_sample(RUN, 5, metric="score").to_dict(), sampled)
    path = tmp_path / "result.json"
    path.write_text(json.dumps(result), encoding="utf-8")
    assert es.reproduce(path).reproduced
    result["rows"][0]["estimate"]["point"] = 0.5
    path.write_text(json.dumps(result), encoding="utf-8")
    assert not es.reproduce(path).reproduced


def test_a_caveat_can_fail_the_command(capsys):
    assert (
        main(["agree", str(LABELS), "--judge", "judge", "--human", "bob", "--fail-on", "missing_labels"]) == 4
    )
    capsys.readouterr()
