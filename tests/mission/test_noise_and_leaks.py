"""Row 25 of the mission, and its five sources of variance: each one command and one call."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import evalstats as es
from tests.made_runs import command, write_csv

CUT = "published<2024-01-01"


def _run(draw, *, leak=0.0, harder=0.1, n=400):
    """Items of 2023 and 2024; the newer harder, the older partly known."""
    old = np.arange(n) % 2 == 0
    right = draw.random(n) < np.where(old, 0.6, 0.6 - harder)
    right |= old & (draw.random(n) < leak)
    return [
        {"item": f"q{i:03d}", "published": "2023-05-02" if old[i] else "2024-02-09", "score": int(right[i])}
        for i in range(n)
    ]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    draw = np.random.default_rng(25)
    folder = tmp_path_factory.mktemp("leaks")
    runs = {"reference": _run(draw), "suspect": _run(draw, leak=0.7), "rewritten": _run(draw, harder=0.0)}
    return {name: write_csv(folder / f"{name}.csv", rows) for name, rows in runs.items()} | {"rows": runs}


def _scores(files, name):
    return np.array([row["score"] for row in files["rows"][name]], dtype=float)


def test_row_25_original_against_rewritten_is_paired(capsys, files):
    printed = command(capsys, "contamination", files["suspect"], "--rewritten", files["rewritten"])
    called = es.contaminated(files["rows"]["suspect"], rewritten=files["rows"]["rewritten"]).only
    wanted = es.compare(files["rows"]["suspect"], files["rows"]["rewritten"]).only
    assert printed["comparisons"][0]["difference"]["ci_high"] == called.difference.ci_high
    assert (called.difference.method, called.difference.ci_high) == ("tango", wanted.difference.ci_high)
    assert called.direction == "regressed"


def test_row_25_before_against_after_the_cut_off_is_a_difference_of_differences(capsys, files):
    printed = command(capsys, "contamination", files["reference"], files["suspect"], "--split", CUT)
    (called,) = es.slices(files["reference"], files["suspect"], split=CUT).cut_offs
    d = _scores(files, "suspect") - _scores(files, "reference")
    wanted = stats.ttest_ind(d[1::2], d[::2], equal_var=False)
    assert printed["cut_offs"][0]["difference"]["point"] == called.difference.point
    assert called.difference.point == pytest.approx(d[1::2].mean() - d[::2].mean())
    assert called.test.pvalue == pytest.approx(wanted.pvalue, rel=1e-9)
    assert called.difference.ci_high < 0
    (alone,) = command(capsys, "slices", files["suspect"], "--split", CUT)["cut_offs"]
    suspect = _scores(files, "suspect")
    assert alone["difference"]["point"] == pytest.approx(suspect[1::2].mean() - suspect[::2].mean())


def test_row_25_the_published_order_against_shuffled_ones_is_a_permutation(capsys, tmp_path):
    draw = np.random.default_rng(1)
    shuffled = [float(value) for value in draw.normal(-900, 3, 99)]
    path = tmp_path / "orders.txt"
    path.write_text("\n".join(map(repr, [-894.0, *shuffled])), encoding="utf-8")
    printed = command(capsys, "contamination", "--order", path)
    wanted = (1 + sum(value >= -894 for value in shuffled)) / 100
    assert printed["order"]["pvalue"] == es.contaminated(order=(-894.0, shuffled)).order.pvalue == wanted


def _made(draw, sources, n=150, levels=8):
    """Scores of n items by levels of a factor: √ of the planted variances."""
    item, factor, both = (math.sqrt(variance) for variance in sources)
    return draw.normal(0, item, (n, 1)) + draw.normal(0, factor, levels) + draw.normal(0, both, (n, levels))


@pytest.mark.parametrize("factor", ["judge", "prompt", "implementation"])
def test_sources_of_variance_are_told_apart_by_what_was_repeated(capsys, tmp_path, factor):
    """Items, and a factor of 8 levels, 1 : 0.3 : 0.5 planted. Items and rest are within four standard errors
    (normal law of mean squares); the factor's own share is in its interval in this draw."""
    y = _made(np.random.default_rng(3), (1, 0.3, 0.5))
    rows = [
        {"item": f"q{i}", factor: f"{factor}-{j}", "score": float(y[i, j])}
        for i in range(len(y))
        for j in range(y.shape[1])
    ]
    printed = command(capsys, "variance", write_csv(tmp_path / "t.csv", rows), "--by", f"item,{factor}")
    called = es.components(rows, by=f"item,{factor}").only.found
    shares = [one["share"]["point"] for one in printed["benchmarks"][0]["found"]["components"]]
    assert shares == pytest.approx([one.share.point for one in called.components])
    n, J = y.shape
    error = math.sqrt(2 / ((n - 1) * (J - 1))) * 0.5
    assert abs(called[f"item × {factor}"].variance - 0.5) < 4 * error
    assert abs(called["item"].variance - 1) < 4 * math.sqrt(2 / (n - 1)) * (1 + 0.5 / J)
    assert called[factor].share.ci_low < 0.3 / 1.8 < called[factor].share.ci_high


def _squares_error(*squares):
    """√Σ2(c·E[MS])²/df, the standard error of Σc·MS with independent mean squares (c·E[MS], df) of a normal
    law."""
    return math.sqrt(sum(2 * square**2 / df for square, df in squares))


def test_decoding_is_told_apart_from_items_and_the_next_dollar_buys_what_pays_most(capsys, tmp_path):
    """Planted: items .25, completions 1. Estimates are within four standard errors."""
    n, m = 600, 3
    draw = np.random.default_rng(4)
    hard = draw.normal(0, 0.5, n)
    rows = [
        {"item": f"q{i}", "epoch": e, "score": float(hard[i] + draw.normal(0, 1))}
        for i in range(n)
        for e in range(1, m + 1)
    ]
    path = write_csv(tmp_path / "t.csv", rows)
    printed = command(capsys, "variance", path, "--cost", "item=40,completion=1")["benchmarks"][0]["found"]
    found = es.components(rows, costs={"item": 40, "completion": 1}).only.found
    v_item, v_completion = (component.variance for component in found.components)
    inside = (1, n * (m - 1))
    between = (1 + m * 0.25, n - 1)
    assert abs(v_completion - 1) < 4 * _squares_error(inside)
    assert abs(v_item - 0.25) < 4 * _squares_error(between, inside) / m
    assert printed["best"][0]["exact"] == pytest.approx(math.sqrt(v_completion / v_item * 40))
    assert printed["steps"][0]["name"] == found.steps[0].name == "completion"
    cheap = es.components(rows, costs={"item": 0, "completion": 1}).only.found
    assert (cheap.steps[0].name, cheap.best[0].number) == ("item", 1)


def test_families_tasks_and_attempts_are_nested():
    """Planted: families 1, tasks .49, attempts .25. The latter are within four standard errors."""
    draw = np.random.default_rng(6)
    y = draw.normal(0, 1, (30, 1, 1)) + draw.normal(0, 0.7, (30, 6, 1)) + draw.normal(0, 0.5, (30, 6, 4))
    rows = [
        {"family": f"f{f}", "task": f"t{t}", "score": float(score)} for (f, t, _), score in np.ndenumerate(y)
    ]
    found = es.components(rows, by="family/task").only.found
    assert [component.name for component in found.components] == ["family", "task", "attempt"]
    attempts, tasks = (0.25, 30 * 6 * 3), (0.25 + 4 * 0.49, 30 * 5)
    assert abs(found["attempt"].variance - 0.25) < 4 * _squares_error(attempts)
    assert abs(found["task"].variance - 0.49) < 4 * _squares_error(tasks, attempts) / 4
    assert found["family"].share.ci_low < 1 / 1.74 < found["family"].share.ci_high
