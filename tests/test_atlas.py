"""The atlas: its code against the library and against itself, and the stored figures against the code."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
from typing import Any

import numpy as np
import pytest

import evalstats
from atlas import (
    array_forms,
    clusters,
    mcnemar,
    pages,
    pairs,
    rates,
    reduced,
    scores,
    store,
    unpaired,
    words,
)
from atlas.draws import generator
from atlas.families import FAMILIES
from atlas.figure import Figure, Limits, Row, figure
from atlas.measured import measure_row, promise_kept, summary
from atlas.rows import ROWS
from evalstats.caveats import CAVEATS
from evalstats.kernel.method import MethodTable
from evalstats.methods import mean_intervals
from evalstats.methods.mcnemar import mcnemar_pvalues
from evalstats.methods.paired import paired_proportions
from evalstats.methods.rates import proportion

STORED = store.read()
NOT_IN_A_ROW = {
    "a paired difference of scores in clusters": {"cr2_t_pseudo"},  # they need the ends of a scale
    "a paired difference of scores": {"t_pseudo"},
    "two pass rates on the same items, under ten of them": {"tango_bonett_price"},  # from ten items on
    "judge–human less human–human agreement": {"bca"},  # that of the coefficients, measured there
    "all pairs of many runs": {"tango_effective", "cr2_t", "betting_mixture"},  # 1 − α/m of measured ones
}


def _equal(found: list[tuple[float, float]], form: tuple[Any, Any]) -> None:
    np.testing.assert_allclose(np.array(found).T, np.array(form), rtol=0, atol=1e-9)


@pytest.mark.parametrize("key", [row.key for row in ROWS])
def test_no_default_covers_less_than_stored_in_its_worst_cells(key: str) -> None:
    row = next(one for one in ROWS if one.key == key)
    assert reduced.worse_in(row, STORED[key]) == []


@pytest.mark.parametrize("key", [row.key for row in ROWS])
def test_every_cell_and_method_of_a_row_is_stored(key: str) -> None:
    row = next(one for one in ROWS if one.key == key)
    assert [tuple(cell) for cell in STORED[key]["cells"]] == [tuple(cell) for cell in row.cells]
    assert list(STORED[key]["methods"]) == list(row.methods)
    assert row.default == row.table.default.name


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.key)
def test_what_is_proved_or_enumerated_is_at_most_half_a_point_short_anywhere(row: Row) -> None:
    for method, of_levels in STORED[row.key]["methods"].items():
        for level, found in of_levels.items() if row.table[method].proof else ():
            assert promise_kept(row, method, float(level), found["summary"]), (method, level)


@pytest.mark.parametrize("situation", dict.fromkeys(row.table.situation for row in ROWS if row.in_column))
def test_a_default_outside_the_promise_carries_a_dagger_and_a_caveat_that_exists(situation: str) -> None:
    """What several rows measure of one situation is the mean of their cells, and the lowest of all."""
    rows = [row for row in ROWS if row.in_column and row.table.situation == situation]
    assert {row.caveat for row in rows} <= set(CAVEATS)
    said = [STORED[row.key]["methods"][row.default]["0.95"]["summary"] for row in rows]
    mean = sum(one["mean"] * one["cells"] for one in said) / sum(one["cells"] for one in said)
    short = [
        one["min_informative"] < 0.92 - 3 * one["min_informative_error"]
        for one in said
        if one["min_informative"] is not None
    ]
    default = rows[0].table.default
    if not default.proof:
        assert (words.DAGGER in default.measured) is (mean < 0.94 or any(short))


def every_table() -> dict[str, MethodTable]:
    """By situation, all there are in the library."""
    found = {}
    for module in pkgutil.walk_packages(evalstats.__path__, "evalstats."):
        if not module.name.endswith("__main__"):
            of_module = vars(importlib.import_module(module.name)).values()
            tables = [one for value in of_module for one in (value if isinstance(value, tuple) else (value,))]
            found |= {one.situation: one for one in tables if isinstance(one, MethodTable)}
    return found


def test_every_situation_is_measured_and_has_a_page() -> None:
    tables = every_table()
    on_pages = {table.situation for family in FAMILIES for table in family.tables}
    assert set(tables) - on_pages == set()
    measured = {row.table.situation for row in ROWS}
    assert set(tables) - measured == set()
    rows_of_pages = [key for family in FAMILIES for key in family.rows]
    assert sorted(rows_of_pages) == sorted(row.key for row in ROWS)


def test_every_method_of_a_measured_situation_is_measured() -> None:
    for situation, table in every_table().items():
        of_rows = {method for row in ROWS if row.table.situation == situation for method in row.methods}
        missing = {method.name for method in table} - of_rows
        assert not of_rows or missing <= NOT_IN_A_ROW.get(situation, set()), situation


def test_pages_pictures_and_the_method_tables_column_are_those_of_the_stored_figures() -> None:
    stale = [path.name for path, text in pages.written(STORED).items() if path.read_text("utf-8") != text]
    assert stale == [], "write them with: python -m atlas report"


def test_the_method_table_carries_what_was_measured() -> None:
    assert "/" in mean_intervals.PASS_RATE["wilson"].measured


def test_a_deliberately_wrong_interval_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    narrow = dataclasses.replace(
        rates.ROW, measure=lambda cell, method, level, draws: rates.measure(cell, method, level - 0.02, draws)
    )
    assert len(reduced.worse_in(narrow, STORED["rate"])) > 0
    true_form = array_forms.korn_graubard_cr2

    def too_many_units(x: Any, level: float) -> Any:
        low, high = true_form(x, level)
        return x.point - 0.8 * (x.point - low), x.point + 0.8 * (high - x.point)

    monkeypatch.setitem(array_forms.OF_CLUSTERS, "korn_graubard_cr2", too_many_units)
    assert len(reduced.worse_in(clusters.ROW, STORED["cluster"])) > 0


def test_enumerated_coverage_of_a_rate_is_what_simulation_finds() -> None:
    cell = rates.RateCell(30, 0.9)
    exact = rates.measure(cell, "wilson", 0.95, 0)
    drawn = np.random.default_rng(1).binomial(cell.n, cell.p, size=20_000)
    found = [proportion(int(k), cell.n) for k in range(cell.n + 1)]
    inside = np.array([one.ci_low <= cell.p <= one.ci_high for one in found])
    assert exact is not None
    assert abs(np.mean(inside[drawn]) - exact.coverage) < 4 * np.sqrt(exact.coverage * 0.1 / 20_000)
    assert exact.coverage + exact.too_high + exact.too_low + exact.none == pytest.approx(1)


@pytest.mark.parametrize("method", ["tango", "bonett_price", "wald"])
def test_enumerated_coverage_of_pairs_is_what_simulation_finds(method: str) -> None:
    cell = pairs.PairCell(30, 0.4, 0.5)
    exact = pairs.measure(cell, method, 0.95, 0)
    assert exact is not None
    tables, counts = np.unique(pairs.draw_tables(cell, 10_000).astype(int), axis=0, return_counts=True)
    found = [paired_proportions(int(c), int(b), cell.n, method=method) for b, c in tables]
    inside = np.array([one.ci_low <= cell.truth <= one.ci_high for one in found])
    hits = float(np.sum(counts[inside])) / 10_000
    assert abs(hits - exact.coverage) < 4 * np.sqrt(exact.coverage * (1 - exact.coverage) / 10_000)


@pytest.mark.parametrize("n", [10, 25])
def test_limits_of_all_tables_are_the_librarys(n: int) -> None:
    b, c = (one[::7] for one in pairs._tables(n))
    for method in ("tango", "tango_bonett_price"):
        found = [
            paired_proportions(int(y), int(x), n, method=method, level=0.9) for x, y in zip(b, c, strict=True)
        ]
        limits = pairs._limits(method, b, c, n, 0.9)
        _equal([(one.ci_low, one.ci_high) for one in found], (limits.low, limits.high))


def test_acceptance_of_the_truth_gives_the_coverage_of_the_limits() -> None:
    cell = pairs.PairCell(100, 0.2, 0.5)
    by_limits = pairs.measure(cell, "tango", 0.95, 0)
    by_acceptance = pairs._by_acceptance(cell, 0.95)
    assert by_limits is not None
    assert by_acceptance.coverage == pytest.approx(by_limits.coverage, abs=1e-9)
    assert by_acceptance.too_low == pytest.approx(by_limits.too_low, abs=1e-9)


def test_coverage_of_pairs_is_the_same_for_either_run_as_the_better() -> None:
    cell = pairs.PairCell(20, 0.4, 0.5)
    mirrored = pairs.PairCell(20, 0.4, -0.5)
    one, other = (pairs.measure(which, "tango", 0.95, 0) for which in (cell, mirrored))
    assert one is not None
    assert other is not None
    assert (one.coverage, one.too_low) == pytest.approx((other.coverage, other.too_high), abs=1e-12)


def test_size_of_mcnemar_is_what_all_tables_of_few_items_give() -> None:
    cell = mcnemar.McNemarCell(8, 0.6)
    b, c = (one.astype(int) for one in pairs._tables(8))
    weights = pairs.table_weights(pairs.PairCell(8, 0.6, 0.0), b.astype(float), c.astype(float))
    size = float(np.sum(weights[mcnemar_pvalues(b, c, "mcnemar_mid_p") <= 0.05]))
    assert 1 - mcnemar.measure(cell, "mcnemar_mid_p", 0.95, 0).coverage == pytest.approx(size, abs=1e-12)


def test_unpaired_coverage_is_symmetric_in_the_runs() -> None:
    one = unpaired.measure(unpaired.UnpairedCell(10, 20, 0.7, 0.1), "newcombe_unpaired", 0.95, 0)
    other = unpaired.measure(unpaired.UnpairedCell(20, 10, 0.1, 0.7), "newcombe_unpaired", 0.95, 0)
    assert one is not None
    assert other is not None
    assert (one.coverage, one.too_low) == pytest.approx((other.coverage, other.too_high), abs=1e-12)


def test_a_cell_measured_alone_has_the_digits_of_the_full_run() -> None:
    cell = scores.ScoreCell("skew", 10)
    first = scores.measure_bounded(cell, "t", 0.95, 200)
    scores.draw_scores.cache_clear()
    assert scores.measure_bounded(cell, "t", 0.95, 200) == first
    assert generator(cell, 200).random() != generator(scores.ScoreCell("skew", 20), 200).random()


def test_missing_intervals_and_misses_are_told_apart() -> None:
    low, high = np.array([0.1, 0.6, 0.1, np.nan]), np.array([0.9, 0.9, 0.4, np.nan])
    found = figure(Limits(low, high, np.full(4, 0.5), (0.0, 1.0)), 0.5)
    assert (found.coverage, found.too_high, found.too_low, found.none) == (0.25, 0.25, 0.25, 0.25)
    assert found.width == pytest.approx((0.8 + 0.3 + 0.3) / 3)


def test_worse_means_by_more_than_three_errors_and_by_anything_where_enumerated() -> None:
    old = Figure(0.95, 0.025, 0.025, 0.0, 1.0, 1000)
    slightly = dataclasses.replace(old, coverage=0.93)
    assert not store.worse(slightly, old)
    assert store.worse(dataclasses.replace(old, coverage=0.91), old)
    assert store.worse(dataclasses.replace(slightly, draws=0), dataclasses.replace(old, draws=0))


def _one_cell(row: Row, cell: Any) -> Row:
    return dataclasses.replace(row, cells=(cell,), methods=("wilson", "clopper_pearson"))


def test_a_summary_counts_and_the_promise_is_read_from_it() -> None:
    measured = measure_row(_one_cell(rates.ROW, rates.RateCell(50, 0.003)), 0, (0.95,))
    said = summary(measured, "wilson", 0.95)
    assert said is not None
    assert (said["cells"], said["below_by_three"], said["min_informative"]) == (1, 1.0, None)
    assert said["min"] == pytest.approx(0.8605, abs=1e-4)
    assert not promise_kept(rates.ROW, "wilson", 0.95, said)
    exact = summary(measured, "clopper_pearson", 0.95)
    assert exact is not None
    assert promise_kept(rates.ROW, "clopper_pearson", 0.95, exact)
    assert exact["width"] == pytest.approx(1.0)


def test_figures_are_read_back_as_written(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "FOLDER", tmp_path)
    monkeypatch.setattr(store, "FIGURES", tmp_path / "figures.json")
    row = _one_cell(rates.ROW, rates.RateCell(50, 0.1))
    measured = measure_row(row, 0, (0.95,))
    store.write({"rate": store.packed(measured, 0)})
    stored = store.read()
    assert store.worse_cells(measured, stored["rate"]) == []
    stored["rate"]["methods"]["wilson"]["0.95"]["coverage"][0] += 0.01
    assert len(store.worse_cells(measured, stored["rate"])) == 1
