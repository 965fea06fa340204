"""Which item of one run is which of the other: every rule of the key, each on a tiny case."""

from __future__ import annotations

import json

import pytest

import evalstats as es
from evalstats.data.pairing import match
from evalstats.errors import PairingError
from tests.made_runs import codes, command, log, part, records, refused, row, run_of, texts, write_csv
from tests.readers.small_logs import LOGS, lm_eval_line, write_lm_eval

LM_EVAL = {"format": "lm_eval", "positional": True}


def _part(items, hashes=None, fields=None, **head):
    """Items with their hashes and fields: item -> hash, item -> {field: value}."""
    rows = [
        row(item, 1.0, hash=(hashes or {}).get(item, ""), fields=(fields or {}).get(item)) for item in items
    ]
    return part(rows, **head)


def _pairs(matched, baseline, candidate):
    return [
        (baseline.items.ids[one], candidate.items.ids[two])
        for one, two in zip(matched.baseline, matched.candidate, strict=True)
    ]


def test_the_harness_id_pairs_in_the_order_of_the_baseline():
    one, two = _part("abcd"), _part("dxb")
    matched = match(one, two, None)
    assert (matched.key, matched.said, matched.clashes) == ("id", False, ())
    assert _pairs(matched, one, two) == [("b", "b"), ("d", "d")]


def test_the_content_hash_stands_before_the_id_when_both_runs_have_one():
    one = _part("ab", {"a": "h1", "b": "h2"})
    two = _part("ab", {"a": "h2", "b": "h1"})
    matched = match(one, two, None)
    assert (matched.key, matched.clashes) == ("content hash", ())
    assert _pairs(matched, one, two) == [("a", "b"), ("b", "a")]


@pytest.mark.parametrize("lacking", [{"a": "h1"}, {}])
def test_a_run_in_which_any_hash_is_missing_pairs_by_id(lacking):
    one = _part("ab", {"a": "h1", "b": "h2"})
    two = _part("ab", lacking)
    for old, new in ((one, two), (two, one)):
        matched = match(old, new, None)
        assert (matched.key, _pairs(matched, old, new)) == ("id", [("a", "a"), ("b", "b")])


def test_equal_contents_pair_by_their_occurrence(tmp_path):
    """Two documents of one text: the first of one run is the first of the other, wherever it stands."""
    same = {"doc_hash": "ff" * 32}
    other = {"doc_hash": "aa" * 32}
    old = [
        lm_eval_line(0, acc=1.0, **same),
        lm_eval_line(1, acc=0.0, **same),
        lm_eval_line(2, acc=1.0, **other),
    ]
    new = [
        lm_eval_line(0, acc=0.0, **other),
        lm_eval_line(1, acc=1.0, **same),
        lm_eval_line(2, acc=1.0, **same),
    ]
    row = es.compare(write_lm_eval(tmp_path / "a", old), write_lm_eval(tmp_path / "b", new)).only
    assert (row.pairing.key, row.pairing.n_common) == ("content hash", 3)
    assert (row.pairing.baseline_only, row.pairing.candidate_only) == (1, 1)
    assert [change.item for change in row.changed] == ["1", "2"]


def test_ids_that_agree_while_hashes_differ_are_not_paired_but_counted_and_said():
    one = _part("abc", {"a": "h1", "b": "h2", "c": "h3"})
    two = _part("abc", {"a": "h1", "b": "changed", "c": "h3"})
    matched = match(one, two, None)
    assert _pairs(matched, one, two) == [("a", "a"), ("c", "c")]
    assert matched.clashes == ("b",)
    result = es.compare(_as_log("abc", "h1 h2 h3"), _as_log("abc", "h1 changed h3")).only
    assert texts(result.caveats, "ids_agree_hashes_differ").startswith(
        "1 ids are in both runs with different"
    )
    check = next(check for check in result.pairing.checks if check.name == "content")
    assert (check.status, check.text) == ("problem", "1 ids are in both runs with different content: b")


def _as_log(items, hashes):
    return log([row(item, 1.0, hash=h) for item, h in zip(items, hashes.split(), strict=True)])


def test_when_every_content_changed_nothing_is_paired_and_the_error_counts_them():
    with pytest.raises(
        PairingError, match="2 ids are in both with different content: the items were changed"
    ):
        es.compare(_as_log("ab", "h1 h2"), _as_log("ab", "h3 h4"))


def test_positions_pair_within_lm_eval_when_a_hash_is_missing():
    one, two = _part("012", **LM_EVAL), _part("120", **LM_EVAL)
    matched = match(one, two, None)
    assert matched.key == "position"
    assert _pairs(matched, one, two) == [("0", "0"), ("1", "1"), ("2", "2")]


@pytest.mark.parametrize("other", [{"format": "inspect"}, {"format": "csv", "positional": True}])
def test_positions_of_lm_eval_never_meet_ids_or_rows_of_another_format(other):
    with pytest.raises(PairingError, match="nothing identifies the same item in both runs") as error:
        match(_part("012", **LM_EVAL), _part("012", **other), None)
    assert "--id BASELINE_FIELD,CANDIDATE_FIELD" in str(error.value)


def test_row_numbers_of_two_tables_are_not_paired(tmp_path):
    files = [
        write_csv(tmp_path / name, [{"score": score} for score in scores])
        for name, scores in (("a.csv", (1, 0, 1)), ("b.csv", (1, 1, 1)))
    ]
    with pytest.raises(PairingError, match="positions 'row 1', 'row 2', 'row 3'"):
        es.compare(*files)


def test_row_numbers_of_one_table_are_its_items(tmp_path):
    path = write_csv(tmp_path / "wide.csv", [{"gpt4": s, "phi-2": t} for s, t in ((1, 0), (0, 0), (1, 1))])
    frame = [{"gpt4": s, "phi-2": t} for s, t in ((1, 0), (0, 0), (1, 1))]
    for result in (
        es.compare(f"{path}::gpt4", f"{path}::phi-2"),
        es.compare(frame, baseline="gpt4", candidate="phi-2"),
    ):
        assert (result.only.pairing.key, result.only.pairing.n_common) == ("position", 3)
        assert (result.only.pairing.baseline_only, result.only.pairing.candidate_only) == (1, 0)


def test_two_graders_of_a_table_without_ids_are_paired_by_row(tmp_path):
    path = write_csv(tmp_path / "graded.csv", [{"acc": s, "f1": t} for s, t in ((1, 0), (0, 0), (1, 1))])
    result = es.compare(f"{path}@acc", f"{path}@f1")
    assert [change["item"] for change in result.changed()] == ["row 1"]


def test_content_pairs_across_formats_where_the_hashes_are_of_one_kind():
    one = _part("01", {"0": "h1", "1": "h2"}, **LM_EVAL)
    two = _part("xy", {"x": "h2", "y": "h3"}, format="csv")
    matched = match(one, two, None)
    assert (matched.key, _pairs(matched, one, two)) == ("content hash", [("1", "x")])


def test_hashes_of_another_kind_give_way_to_a_common_field():
    fields = {"0": {"qid": "a"}, "1": {"qid": "b"}}
    one = _part("01", {"0": "h1", "1": "h2"}, fields, **LM_EVAL)
    two = _part("xy", {"x": "k1", "y": "k2"}, {"x": {"qid": "b"}, "y": {"qid": "a"}}, format="csv")
    matched = match(one, two, None)
    assert (matched.key, matched.said) == ("qid", True)
    assert _pairs(matched, one, two) == [("0", "y"), ("1", "x")]


@pytest.mark.parametrize("name", ["id", "qid", "question_id", "item_id", "task_id"])
def test_between_formats_a_field_called_like_an_id_pairs_said_aloud(name):
    one = _part("01", fields={"0": {name: "a"}, "1": {name: "b"}}, **LM_EVAL)
    two = _part("xy", fields={"x": {name: "b"}, "y": {name: "c"}}, format="csv")
    matched = match(one, two, None)
    assert (matched.key, matched.said) == (name, True)
    assert _pairs(matched, one, two) == [("1", "x")]


def test_between_formats_the_id_of_one_harness_may_be_a_field_of_the_other():
    one = _part("ab", format="inspect")
    two = _part("01", fields={"0": {"question_id": "b"}, "1": {"question_id": "a"}}, **LM_EVAL)
    matched = match(one, two, None)
    assert (matched.key, matched.said) == ("id = question_id", True)
    assert _pairs(matched, one, two) == [("a", "1"), ("b", "0")]


@pytest.mark.parametrize("values", [("a", "a"), ("a", None)])
def test_a_field_that_repeats_or_is_incomplete_is_no_id(values):
    fields = {item: {"qid": value} for item, value in zip("01", values, strict=True) if value}
    with pytest.raises(PairingError, match="nothing identifies"):
        match(
            _part("01", fields=fields, **LM_EVAL),
            _part("xy", fields={"x": {"qid": "a"}, "y": {"qid": "b"}}),
            None,
        )


def test_two_common_fields_that_pair_differently_are_an_error_that_names_them():
    """Row ids and question ids are in both: the wrong one would pair every item with another."""
    one = _part("01", fields={"0": {"id": 1, "qid": "a"}, "1": {"id": 2, "qid": "b"}}, **LM_EVAL)
    two = _part("xy", fields={"x": {"id": 1, "qid": "b"}, "y": {"id": 2, "qid": "a"}}, format="csv")
    with pytest.raises(PairingError, match="id and qid pair the items differently") as error:
        match(one, two, None)
    assert "--id" in str(error.value)
    assert _pairs(match(one, two, "qid"), one, two) == [("0", "y"), ("1", "x")]


def test_two_common_fields_that_agree_are_no_doubt():
    fields = [{item: {"id": at, "qid": f"q{at}"} for at, item in enumerate(items)} for items in ("01", "xy")]
    one, two = _part("01", fields=fields[0], **LM_EVAL), _part("xy", fields=fields[1], format="csv")
    assert _pairs(match(one, two, None), one, two) == [("0", "x"), ("1", "y")]


def test_a_field_asked_for_pairs_by_its_values_and_leaves_out_items_without_one():
    one = _part("abc", fields={"a": {"k": 1}, "b": {"k": 2}})
    two = _part("abc", fields={"a": {"k": 2}, "c": {"k": 9}})
    matched = match(one, two, "k")
    assert (matched.key, matched.said, _pairs(matched, one, two)) == ("k", False, [("b", "a")])


@pytest.mark.parametrize("asked", ["id,doc.id", "id, doc.id", "id,id"])
def test_one_field_a_side(asked):
    one = _part("ab", format="inspect")
    two = _part("01", fields={"0": {"id": "b"}, "1": {"id": "a"}}, **LM_EVAL)
    assert _pairs(match(one, two, asked), one, two) == [("a", "1"), ("b", "0")]


def test_the_two_fields_are_named_in_the_key():
    one = _part("ab", fields={"a": {"k": "x"}, "b": {"k": "y"}})
    two = _part("ab", fields={"a": {"m": "y"}, "b": {"m": "x"}})
    matched = match(one, two, "k,m")
    assert (matched.key, _pairs(matched, one, two)) == ("k = m", [("a", "b"), ("b", "a")])


@pytest.mark.parametrize("asked", ["a,b,c", "a,", ",", ""])
def test_any_other_number_of_fields_is_refused(asked):
    with pytest.raises(PairingError, match="give one, or two as BASELINE,CANDIDATE"):
        match(_part("ab"), _part("ab"), asked)


def test_a_field_that_repeats_does_not_identify_and_names_the_run():
    one = _part("abc", fields={"a": {"k": 1}, "b": {"k": 1}, "c": {"k": 2}})
    two = _part("ab", fields={"a": {"k": 1}, "b": {"k": 2}})
    with pytest.raises(PairingError, match=r"k does not identify an item: the baseline run has 1 repeated"):
        match(one, two, "k")
    with pytest.raises(PairingError, match=r"the candidate run has 1 repeated values, '1' first"):
        match(two, one, "k")


def test_a_field_that_is_not_there_lists_those_that_are():
    one, two = _part("a", fields={"a": {"topic": 1}}), _part("a")
    with pytest.raises(
        PairingError, match=r"the baseline run has no such field on quiz. Its fields: topic\."
    ):
        match(one, two, "k")
    with pytest.raises(
        PairingError, match=r"the candidate run has no such field on quiz. Its fields: none\."
    ):
        match(one, two, "topic")


def test_no_common_item_shows_ids_of_both_and_both_ways_out(capsys, tmp_path):
    old = write_csv(tmp_path / "old.csv", records({f"q{i}": 1 for i in range(9)}))
    new = write_csv(tmp_path / "new.csv", records({f"p{i}": 1 for i in range(9)}))
    said = refused(capsys, "compare", old, new)
    for part_of_it in ("'q0', 'q1', 'q2', ...", "'p0', 'p1', 'p2', ...", "--id FIELD", "--unpaired"):
        assert part_of_it in said


def test_the_mcq_ids_of_inspect_and_positions_of_lm_eval_are_not_paired_in_silence():
    """Ids 1–50 and positions 0–59 overlap on 49 numbers that mean nothing."""
    inspect = LOGS / "inspect_eval" / "model-a"
    lm_eval = LOGS / "lm_eval" / "model-a"
    with pytest.raises(PairingError, match="nothing identifies"):
        es.compare(inspect, lm_eval, task="mcq=colors_law")
    with pytest.raises(PairingError, match="nothing identifies"):
        es.compare(lm_eval, inspect, task="colors_law=mcq")


def test_an_inspect_log_against_lm_eval_lines_whose_ids_are_in_the_document(tmp_path):
    """The same items in both harnesses: by id,doc.id as asked, or by id said aloud."""
    old = run_of({f"d{i}": i % 2 for i in range(6)})
    lines = [lm_eval_line(i, acc=1.0, doc={"id": f"d{5 - i}"}) for i in range(6)]
    new = write_lm_eval(tmp_path, lines, task="quiz")
    asked = es.compare(old, new, id="id,doc.id").only
    silent = es.compare(old, new).only
    for row_, said in ((asked, False), (silent, True)):
        assert row_.pairing.n_common == 6
        assert (row_.pairing.baseline_only, row_.pairing.candidate_only) == (0, 3)
        assert ("paired_by_field" in codes(row_.caveats)) is said
    assert asked.pairing.key == "id = doc.id"
    check = next(check for check in silent.pairing.checks if check.name == "key")
    assert (check.status, check.text) == ("note", "items paired by id")


def test_the_caveat_of_an_unasked_key_is_true_of_ids_too():
    row_ = es.compare(run_of({"a": 1, "b": 0}), run_of({"a": 1, "b": 1}, format="csv")).only
    assert texts(row_.caveats, "paired_by_field") == (
        "nothing says which field identifies an item in both runs: paired by id"
    )


def test_pairs_are_by_id_whatever_the_order(capsys, tmp_path):
    """hyeonsangjeon/gdpval-realworks#200: by row, A 0.6 against B 0.8."""
    old = {"q1": 1, "q2": 0, "q3": 1, "q4": 1, "q5": 0}
    new = {"q7": 1, "q5": 1, "q4": 1, "q3": 0, "q6": 1}
    files = write_csv(tmp_path / "a.csv", records(old)), write_csv(tmp_path / "b.csv", records(new))
    (printed,) = command(capsys, "compare", *files)["comparisons"]
    row_ = es.compare(*files).only
    assert printed["difference"]["n"] == row_.difference.n == 3
    assert row_.difference.point == 0.0
    assert row_.test.pvalue == 1.0
    pairing = row_.pairing
    assert (pairing.only_in_baseline, pairing.only_in_candidate) == (2, 2)
    assert (pairing.baseline_only, pairing.candidate_only, pairing.both_right) == (1, 1, 1)
    assert (row_.baseline.n_total, row_.candidate.n_total) == (5, 5)
    assert row_.baseline.estimate.n == 3
    assert "partly_overlapping" not in codes(row_.caveats)


def test_pairs_are_complete_and_the_dropped_ones_counted(tmp_path):
    """ianarawjo/evalstats 0.3.3: a nan difference with p = 0.0001."""
    old = {f"q{i}": value for i, value in enumerate([1, 0, None] * 10)}
    new = {f"q{i}": value for i, value in enumerate([1, 1, 0] * 10)}
    row_ = es.compare(write_csv(tmp_path / "a.csv", records(old)), records(new), id="item").only
    assert (row_.difference.n, row_.difference.point) == (20, 0.5)
    assert (row_.pairing.baseline_only, row_.pairing.candidate_only) == (0, 10)
    assert row_.test.pvalue == pytest.approx(0.001953125, rel=1e-12)
    assert (row_.pairing.n_common, row_.pairing.missing_in_baseline) == (30, 10)
    json.dumps(row_.to_dict(), allow_nan=False)


@pytest.mark.parametrize("only_there", [3, 4])
def test_half_or_more_in_one_run_only_is_partly_overlapping(only_there):
    one = run_of({f"q{i}": 1 for i in range(3)} | {"q0": 0})
    two = run_of({f"q{i}": 1 for i in range(3)} | {f"p{i}": 1 for i in range(only_there)})
    row_ = es.compare(one, two).only
    said = texts(row_.caveats, "partly_overlapping")
    assert said.endswith(f"{only_there} of the {3 + only_there} items of candidate are in that run only")
    assert row_.pairing.only_in_candidate == only_there
    two = run_of({f"q{i}": 1 for i in range(3)} | {f"p{i}": 1 for i in range(2)})
    assert "partly_overlapping" not in codes(es.compare(one, two).only.caveats)


def test_unpaired_says_how_many_are_shared_and_what_pairing_gives():
    old, new = (
        run_of({f"q{i}": i % 2 for i in range(30)}),
        run_of({f"q{i}": i % 3 > 0 for i in range(10, 40)}),
    )
    paired = es.compare(old, new).only
    row_ = es.compare(old, new, paired=False).only
    assert (row_.difference.n, row_.pairing, row_.design.paired) == (60, None, False)
    said = texts(row_.caveats, "shared_items_unpaired")
    d = paired.difference
    assert said.startswith("20 items are in both runs: paired, the difference is ")
    for limit in (d.point, d.ci_low, d.ci_high):
        assert f"{abs(100 * limit):.1f}" in said
    assert "--unpaired" in said


def test_an_error_shows_the_values_of_the_field_that_was_asked_for():
    one = log([row("a", 1.0, fields={"qid": "q1"})])
    two = log([row("b", 1.0, fields={"name": "x" * 100})])
    with pytest.raises(PairingError) as error:
        es.compare(one, two, id="qid,name")
    said = str(error.value)
    assert "has qid 'q1', ... and fields qid" in said
    assert f"has name '{'x' * 40}…', ... and fields name" in said


@pytest.mark.parametrize("verb", ["rank", "variance", "passk", "agree"])
def test_runs_without_a_common_item_are_named_and_only_what_the_verb_has_is_advised(verb, tmp_path, capsys):
    files = [tmp_path / name for name in ("old.csv", "new.csv", "newer.csv")]
    for file in files:
        start = 0 if file is files[0] else 100
        file.write_text("id,score\n" + "".join(f"q{start + i},{i % 2}\n" for i in range(20)))
    said = refused(capsys, verb, *map(str, files[: 3 if verb == "rank" else 2]))
    assert "unpaired" not in said
    assert "old (csv) has ids 'q0'" in said
    assert "new (csv) has ids 'q100'" in said


def test_two_ranked_runs_without_a_common_score_are_named(tmp_path, capsys):
    rows = [{"id": f"q{i}", "x": "" if i % 2 else 1, "y": i % 2 if i % 2 else "", "z": 1} for i in range(20)]
    path = write_csv(tmp_path / "wide.csv", rows)
    assert "x and y have no common scored item" in refused(capsys, "rank", path)
