"""Every result of score and compare: closed lists of extras and caveats, plain values, strict JSON."""

from __future__ import annotations

import dataclasses
import json
import math
from functools import cache
from typing import Any

import pytest

from evalstats._version import __version__
from evalstats.caveats import CAVEATS, caveat
from evalstats.results import EXTRA, Estimate, TestResult, number_text, plain
from tests.analyses.many_results import comparisons, scorecards

RESULTS = {f"compare {name}": call for name, call in comparisons().items()}
RESULTS |= {f"score {name}": call for name, call in scorecards().items()}

EXPECTED = {  # codes that the results walked over carry
    "bootstrap_few_units", "different_benchmark_names", "few_clusters", "few_discordant", "few_informative",
    "few_informative_clusters", "few_nonzero_differences", "identical_runs", "missing_as_worst",
    "missing_could_reverse", "missing_items", "named_method_weak", "no_spread", "paired_by_field",
    "scale_assumed", "shared_items_unpaired", "sign_changes_without_cluster", "skewed",
}  # fmt: skip


@cache
def _result(name):
    return RESULTS[name]()


TYPES = {  # of results.EXTRA, as Python values
    "number": (float, int),
    "integer": (int,),
    "text": (str,),
    "object": (dict,),
    "list of {code, text}": (list,),
    "[low, high]": (list,),
}


def _estimates(value: Any):
    """Every Estimate and TestResult inside a result."""
    if isinstance(value, Estimate | TestResult):
        yield value
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from _estimates(getattr(value, field.name))
    elif isinstance(value, tuple | list):
        for inner in value:
            yield from _estimates(inner)


def _leaves(value: Any):
    if dataclasses.is_dataclass(value):
        value = [getattr(value, field.name) for field in dataclasses.fields(value)]
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, tuple | list):
        for inner in value:
            yield from _leaves(inner)
    else:
        yield value


@pytest.mark.parametrize("name", RESULTS)
def test_extras_and_caveats_are_of_the_closed_lists(name):
    result = _result(name)
    found = list(_estimates(result))
    assert found
    for estimate in found:
        assert set(estimate.extra) <= set(EXTRA)
        for key, value in estimate.extra.items():
            kind = TYPES[EXTRA[key][0]]
            assert isinstance(value, kind), (key, value)
            assert not (isinstance(value, bool) and bool not in kind), (key, value)
        assert {c["code"] for c in estimate.extra.get("caveats", ())} <= set(CAVEATS)
    for row in (*result.primary, *result.secondary):
        assert {c["code"] for c in row.caveats} <= set(CAVEATS)
        assert all(set(c) == {"code", "text"} and c["text"] for c in row.caveats)


@pytest.mark.parametrize("name", RESULTS)
def test_every_value_is_plain_python(name):
    for leaf in _leaves(_result(name)):
        assert type(leaf) in (str, int, float, bool, type(None)), (type(leaf), leaf)


@pytest.mark.parametrize("name", RESULTS)
def test_what_is_not_known_has_its_reason(name):
    """nan in Python, null in JSON, and why in extra["undefined"]: never a bare hole."""
    for found in _estimates(_result(name)):
        undefined = found.extra.get("undefined", {})
        fields = ("statistic", "pvalue", "effect") if isinstance(found, TestResult) else ("ci_low", "ci_high")
        for field in fields:
            assert math.isnan(getattr(found, field)) is (field in undefined), (found, field)
        if isinstance(found, Estimate):
            assert math.isnan(found.standard_error) is ("standard_error" in undefined), found
            assert math.isfinite(found.point)


@pytest.mark.parametrize("name", RESULTS)
def test_the_json_is_strict_and_the_rows_are_flat(name):
    result = _result(name)
    json.dumps(result.to_dict(), allow_nan=False)
    columns = {tuple(flat) for flat in result.rows()}
    assert len(columns) == 1
    for flat in result.rows():
        json.dumps(flat, allow_nan=False)
        assert not any(isinstance(value, dict | list | tuple) for value in flat.values())


@pytest.mark.parametrize("name", RESULTS)
def test_signatures_say_method_n_level_and_version(name):
    result = _result(name)
    for row in (*result.primary, *result.secondary):
        estimate = row.difference if hasattr(row, "difference") else row.run.estimate
        said = row.signature.split("|")
        assert said[1] == estimate.method
        assert f"n:{estimate.n}" in said
        assert f"level:{estimate.level:g}" in said
        assert said[-1] == f"v:{__version__}"
        if getattr(row, "test", None) is not None:
            assert f"test:{row.test.method}" in said
        if estimate.n_boot is not None:
            assert f"n_boot:{estimate.n_boot}" in said


@pytest.mark.parametrize("name", RESULTS)
def test_the_text_of_an_estimate_is_a_sentence_and_its_repr_an_expression(name):
    for found in _estimates(_result(name)):
        assert str(found).startswith(f"{found.name} ")
        assert f"{found.method} n={found.n}" in str(found)
        assert "nan" not in str(found).split(found.name, 1)[1]
        names = {"Estimate": Estimate, "TestResult": TestResult, "nan": math.nan}
        assert repr(eval(repr(found), names)) == repr(found)


def test_the_results_walked_over_raise_most_caveats():
    """So that the walk means something; the other codes have tests of their own."""
    raised = {
        caution["code"]
        for name in RESULTS
        for row in (*_result(name).primary, *_result(name).secondary)
        for caution in row.caveats
    }
    assert raised >= EXPECTED


def test_an_unknown_code_cannot_become_a_caveat():
    with pytest.raises(KeyError, match="add it to CAVEATS"):
        caveat("unheard_of", "")


def test_mlflow_gets_the_numbers_and_what_made_them():
    row = comparisons()["pass/fail resampled"]().only
    metrics, parameters = row.difference.as_mlflow(), row.difference.as_mlflow_params()
    assert metrics == {
        "difference": row.difference.point,
        "difference_ci_low": row.difference.ci_low,
        "difference_ci_high": row.difference.ci_high,
    }
    assert parameters == {
        "difference_method": "paired_bootstrap_percentile",
        "difference_level": "0.95",
        "difference_n": "60",
        "difference_n_boot": "200",
        "difference_seed": "0",
        "difference_version": __version__,
    }
    test = comparisons()["counts"]().only.test
    assert test.as_mlflow() == {
        "difference_statistic": test.statistic,
        "difference_pvalue": test.pvalue,
        "difference_effect": test.effect,
    }
    assert test.as_mlflow_params()["difference_method"] == "mcnemar_exact"


def test_plain_turns_what_is_not_finite_into_none():
    assert plain({"a": [math.nan, math.inf, 1.5, (True, None)]}) == {"a": [None, None, 1.5, [True, None]]}


@pytest.mark.parametrize(
    ("value", "unit", "signed", "text"),
    [
        (0.72, "fraction", False, "72.0"),
        (-0.0004, "fraction", True, "+0.0"),
        (0.03, "fraction", True, "+3.0"),
        (-0.03, "fraction", True, "-3.0"),
        (6.63, "score", False, "6.63"),
        (math.nan, "score", False, "not known"),
    ],
)
def test_numbers_read_as_people_write_them(value, unit, signed, text):
    assert number_text(value, unit, signed=signed) == text
