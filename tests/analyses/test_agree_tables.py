"""Tables that `agree` could misread: a row a label, repeated ids, labels that cannot be compared."""

import math

import pytest

import evalstats as es
from evalstats.errors import InputError
from tests.made_labels import write_rows

ROWS = [{"judge": int(i % 3 > 0), "human": int(i % 4 > 0)} for i in range(30)]


def _long(label="label"):
    return [
        {"id": f"q{i}", "annotator": who, label: int((i * step) % 3 > 0)}
        for i in range(30)
        for who, step in (("gpt", 1), ("ann", 4), ("bob", 5))
    ]


def test_a_row_a_label_under_the_headers_id_and_label_is_no_file_of_labels(tmp_path):
    path = write_rows(tmp_path / "long.csv", _long())
    found = es.agree(path, rater="annotator", judge="gpt", human=["ann", "bob"])
    named = es.agree(_long("rating"), rater="annotator", judge="gpt", human=["ann", "bob"])
    assert (found.rows, found.ceiling) == (named.rows, named.ceiling)


@pytest.mark.parametrize(("judge", "human"), [("gpt", ["gpt"]), ("gpt", ["ann", "ann"])])
def test_a_rater_is_not_held_against_itself_in_a_row_a_label(judge, human):
    with pytest.raises(InputError, match="named twice"):
        es.agree(_long(), rater="annotator", judge=judge, human=human)


@pytest.mark.parametrize("label", ["inf", "-inf", math.inf, 1e308, -(10**60)])
def test_an_infinite_or_huge_label_is_one_clear_error(label):
    with pytest.raises(InputError, match="finite number"):
        es.agree([{"judge": label, "human": 1}, {"judge": 1, "human": 0}])


def test_rows_of_one_id_are_a_cluster_and_it_is_said():
    rows = [{"id": i, "judge": int(i % 3 > 0), "human": int(i % 4 > 0)} for i in range(30)]
    found, apart = es.agree(rows * 3), es.agree(rows * 3, cluster="none")
    assert found.cluster == "id"
    assert any("rows of one id belong together" in note for note in found.notes)
    assert es.agree(rows).cluster is apart.cluster is None
    wide = [one.rows[0].estimate.ci_high - one.rows[0].estimate.ci_low for one in (found, apart)]
    assert wide[0] > 1.4 * wide[1]


def test_raters_without_a_label_in_common_are_named():
    rows = [{"judge": j, "human": h} for j, h in (("x", "good"), ("y", "bad"), ("x", "bad"))] * 5
    assert any("no label in common" in note for note in es.agree(rows).notes)
    assert not any("no label in common" in note for note in es.agree(ROWS).notes)
