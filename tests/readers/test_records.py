"""Lists of dicts and dicts of columns; bug reports of other tools as tables."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from evalstats.data.builder import build
from evalstats.data.scores import MISSING, SCORED
from evalstats.errors import InputError
from evalstats.readers import records
from tests.made_runs import scores_of
from tests.readers.tables import means, of_records, sentence


def metric(value: Any, name: str = "score") -> Any:
    return of_records(value).benchmarks[0].metric(name)


def test_dicts_need_not_have_the_same_keys() -> None:
    rows = [{"id": "a", "score": 1}, {"id": "b", "topic": "law"}, {"id": "c", "score": 0, "topic": "bio"}]
    found = of_records(rows).benchmarks[0]
    assert found.metrics[0].status.tolist() == [SCORED, MISSING, SCORED]
    assert [found.items.fields["topic"].of(at) for at in range(3)] == [None, "law", "bio"]


def test_numpy_and_pandas_values_are_read_as_python_ones() -> None:
    rows = [
        {"id": np.int64(1), "score": np.float32(0.5), "hard": np.bool_(True)},
        {"id": np.int64(2), "score": pd.NA, "hard": np.bool_(False)},
    ]
    found = of_records(rows).benchmarks[0]
    assert found.items.ids == ("1", "2")
    assert found.items.fields["hard"].values == ("true", "false")
    assert found.metrics[0].status.tolist() == [SCORED, MISSING]


def test_columns_may_be_arrays_and_series() -> None:
    columns = {"item": np.array(["a", "b"]), "score": pd.Series([1, 0])}
    assert means(of_records(columns)) == {("week31", "scores", "score"): 0.5}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([0.5, 1, 0], "records is a list of scores without items. es.mean(scores) answers for one such list"),
        ([True, None], "records is a list of scores without items"),
        (["C", "I"], "es.mean_difference(baseline, candidate) for two whose items stand in the same order"),
        ([("q1", 1)], "records, row 1 is a tuple. Wanted is a list of dicts, one a row, such as"),
        ({"q1": 1, "q2": 0}, "records is a dict in which 'q1' is no list. Wanted is a list of dicts"),
        (
            {"item": ["a", "b"], "score": [1]},
            "the columns differ in length, 'score' has 1 values and 'item' 2.",
        ),
        ([], "records holds no rows."),
        ({}, "records holds no rows."),
        (3, "records is a int. Wanted is a list of dicts"),
    ],
)
def test_what_has_no_items_is_refused_with_advice(value: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        build(records.rows(value))


def test_case_missing_denominator_keeps_the_items_without_a_score() -> None:
    """vibrantlabsai/ragas#3028: nanmean is 1.0, over 5 of 10; all 10 are there."""
    found = metric([{"id": i, "score": s} for i, s in enumerate([1] * 5 + [None] * 5)])
    assert (len(found.score), int((found.status == SCORED).sum())) == (10, 5)
    assert int((found.status == MISSING).sum()) == 5


def test_case_paired_nan_keeps_its_items_in_both_runs() -> None:
    a, b = [1, 0, float("nan")] * 10, [1, 1, 0] * 10
    scores = of_records([{"id": i, "A": x, "B": y} for i, (x, y) in enumerate(zip(a, b, strict=True))])
    one, two = scores.run("A").benchmarks[0], scores.run("B").benchmarks[0]
    assert one.items.ids == two.items.ids
    assert int((one.metrics[0].status == MISSING).sum()) == 10
    both = (one.metrics[0].status == SCORED) & (two.metrics[0].status == SCORED)
    assert float((scores_of(one.metrics[0]) - scores_of(two.metrics[0]))[both].mean()) == -0.5


def test_case_unmapped_label_is_named_and_never_wrong() -> None:
    with pytest.raises(
        InputError, match=re.escape("records, row 2 (item 'b'): 'banana' is no score in score.")
    ):
        build(records.rows([{"id": i, "score": s} for i, s in zip("abc", ["C", "banana", "I"], strict=True)]))


def test_case_labels_of_inspect_are_its_numbers() -> None:
    found = metric([{"id": i, "score": s} for i, s in enumerate("CCIPNC")])
    assert found.score.tolist() == [1, 1, 0, 0.5, 0, 1]


def test_case_percent_beside_fractions_is_read_and_its_values_are_said() -> None:
    scores = of_records({"item": list("abcd"), "A": [0, 1, 1, 0], "B": [0, 100, 100, 100]})
    assert scores.run("B").benchmarks[0].metrics[0].score.tolist() == [0, 100, 100, 100]
    assert sentence(scores) == "item = item, runs = A (0 or 1), B (0 to 100), a column each"
