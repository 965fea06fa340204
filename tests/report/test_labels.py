"""Printed names agree with the method tables, so that no method is called two things."""

import importlib
import pkgutil

import pytest

import evalstats.methods
from evalstats.analyses.options import CORRECTIONS
from evalstats.kernel.method import Method, MethodTable
from evalstats.report.labels import CORRECTIONS as PRINTED
from evalstats.report.labels import method_label


def _methods() -> dict[str, list[Method]]:
    found: dict[str, list[Method]] = {}
    for module in pkgutil.iter_modules(evalstats.methods.__path__):
        for value in vars(importlib.import_module(f"evalstats.methods.{module.name}")).values():
            if isinstance(value, MethodTable):
                for method in value:
                    found.setdefault(method.name, []).append(method)
    return {
        name: rows
        for name, rows in found.items()
        if name not in PRINTED and "bootstrap" not in name and name != "icc1"
    }


@pytest.mark.parametrize("name", sorted(_methods()))
def test_a_method_is_printed_as_one_of_its_tables_calls_it(name: str) -> None:
    assert method_label(name) in {method.label for method in _methods()[name]}


def test_every_bootstrap_says_what_it_resamples() -> None:
    assert method_label("bootstrap_percentile") == "bootstrap of items, percentile"
    assert method_label("cluster_bootstrap_percentile") == "bootstrap of clusters, percentile"


def test_every_correction_has_a_printed_name() -> None:
    assert set(PRINTED) == set(CORRECTIONS) - {"none"}
