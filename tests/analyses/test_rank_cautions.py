"""What is to be known before relying on a ranking is said: few differences, no spread, two scales."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import evalstats as es
from tests.analyses.test_rank import VALIDATOR, models, pair
from tests.made_runs import Record, codes, texts


def test_pairs_that_rest_on_little_are_counted_in_one_caveat():
    def said(*runs: Any, **options: Any) -> dict[str, str]:
        return {each["code"]: each["text"] for each in es.rank(*runs, **options).only.caveats}

    few = said(models(n=16))
    assert "pairs differ on fewer than 10 items" in few["few_discordant"]
    assert "few_discordant" not in said(models(n=400))
    judged = [{**one, "score": 1 + 4.5 * one["score"]} for one in models(n=24)]
    assert "pairs differ on fewer than 20 items" in said(judged)["few_nonzero_differences"]
    clustered = said(models(n=60), cluster="passage")
    assert "15 clusters: under 20" in clustered["few_clusters"]
    assert (
        "fewer than 10 clusters that count"
        in said(models(n=24), cluster="passage")["few_informative_clusters"]
    )
    assert "few_clusters" not in said(models(n=120), cluster="passage")
    assert not {"few_discordant", "few_nonzero_differences"} & set(said(models(n=16), guarantee=True))


def test_a_pair_without_a_number_says_why_and_that_it_was_not_told_apart():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 20, 60) / 4
    table = [{"id": f"q{i}", "a": y, "b": y + 3, "c": y + 5 + i % 3} for i, y in enumerate(x.tolist())]
    answer = es.rank(table)
    found = answer.only
    unknown = {"ci_low", "ci_high", "pvalue", "adjusted", "simultaneous_low", "simultaneous_high"}
    assert set(pair(found, "a", "b").undefined) == unknown
    assert set(pair(found, "a", "b").undefined.values()) == {
        "all differences are equal: the spread is not known"
    }
    assert pair(found, "a", "c").undefined == {}
    assert "b and a differ by the same on every item" in texts(found.caveats, "equal_differences")
    written = json.loads(json.dumps(answer.to_dict()))
    VALIDATOR.validate(written)
    for each in written["benchmarks"][0]["pairs"]:
        assert {name for name, value in each.items() if value is None and name in unknown} == set(
            each["undefined"]
        )
    assert all("undefined" not in row for row in answer.pair_rows())


def test_the_macro_average_says_that_few_items_differ_as_compare_does():
    def runs(n: int) -> list[Record]:
        return [
            {"model": f"m{k}", "task": task, "id": f"q{i}", "score": int(i % 40 > k)}
            for k in range(3)
            for task in ("one", "two")
            for i in range(n)
        ]

    few = es.rank(runs(40))
    assert "pairs differ on fewer than 20 units over all benchmarks" in texts(
        few.macro.caveats, "few_nonzero_differences"
    )
    assert few.primary[0] is few.macro
    assert "macro average" in " ".join(str(few).split())
    assert not es.rank(runs(800)).macro.caveats


@pytest.mark.parametrize(("top", "said"), [(10, "10 in b: two scales,"), (100, "100 in b: per cent beside")])
def test_a_run_on_another_scale_is_ranked_with_a_red_flag_as_it_is_compared(top, said):
    scores = {"a": lambda i: i % 7 / 7, "b": lambda i: 1 + i % 4 * (top - 1) / 3, "c": lambda i: i % 5 / 5}
    table = [{"model": m, "id": i, "score": of(i)} for m, of in scores.items() for i in range(60)]
    found = texts(es.rank(table).only.caveats, "scales_differ")
    assert said in found
    assert "in a and" in found
    compared = es.compare(table, baseline="a", candidate="b").only
    assert "scales_differ" in codes(compared.caveats)
    declared = codes(es.rank(table, bounds=(0, 1000)).only.caveats)
    assert ("scales_differ" in declared) is (top == 100)
