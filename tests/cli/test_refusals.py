"""What a newcomer mistypes: the paragraph names the mistake and its mend, on the command line's own terms."""

from __future__ import annotations

import pytest

from evalstats.analyses.judge_bias import judge_bias
from tests.made_runs import refused

_PAIRS = "id,first,second,winner,first_length,second_length\n1,a,b,a,5,{}\n2,a,b,b,3,4\n3,b,a,a,3,4\n"
_FILES = {
    "empty.csv": "",
    "header.csv": "id,score\n",
    "one.csv": "id,score\n1,1\n",
    "run.csv": "id,score\n1,1\n2,0\n3,1\n4,1\n",
    "labels.csv": "id,label\n1,1\n2,0\n3,1\n",
    "infinite.csv": _PAIRS.format("inf"),
    "negative.csv": _PAIRS.format("-2"),
    "unknown.csv": _PAIRS.format("nan"),
    "wide.csv": "id,judge,human\n1,1,1\n2,0,1\n3,1,1\n",
    "measured.csv": "judge,human\n" + "".join(f"{i / 7},{i / 9}\n" for i in range(200)),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in _FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("option", ["--judge", "--rater", "--verdict", "--id"])
@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("missing.csv", "no file, folder or glob 'missing.csv'"),
        ("empty.csv", "empty.csv is empty"),
        ("folder", "folder holds no log"),
    ],
)
def test_a_table_of_labels_that_is_not_there_is_told_before_its_columns(option, source, said, capsys):
    assert said in refused(capsys, "agree", source, option, "judge")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("agree", "wide.csv", "run.csv"), "A file of labels has id and label"),
        (("agree", "measured.csv"), "--measure alpha --scale interval"),
        (("judge", "run.csv", "--labels", "labels.csv", "--labels", "labels.csv"), "one run, but 2 files"),
        (("judge", "run.csv", "--labels", "folder"), "folder is a folder: name a table in it"),
        (("judge", "missing.csv"), "no file, folder or glob 'missing.csv'"),
        (("judge", "--verdicts", "infinite.csv"), "infinite.csv, row 1: second_length is inf"),
        (("judge", "--verdicts", "negative.csv"), "negative.csv, row 1: second_length is -2"),
        (("score", "-1/5"), "-1/5: counts cannot be negative"),
        (("score", "1/-5"), "1/-5: counts cannot be negative"),
        (("compare", "3/5", "-1/5"), "-1/5: counts cannot be negative"),
        (("score", "header.csv"), "header.csv holds no rows. Wanted is one row an item"),
        (("score", "run.csv", "--html", ""), "--html came without a name: name a file, such as result.html"),
        (("variance", "one.csv"), "one.csv, scores: one item, however many completions"),
    ],
)
def test_a_mistake_is_named_with_its_mend(arguments, said, capsys):
    assert said in refused(capsys, *arguments)


@pytest.mark.usefixtures("folder")
def test_pairs_without_a_length_are_counted_aloud():
    assert (
        "1 of 3 pairs lack a length: left out of the longer answer's wins" in judge_bias("unknown.csv").notes
    )
