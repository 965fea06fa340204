"""AlpacaEval's published table from its annotations: other people's data, never part of this project.

EVALSTATS_ALPACA_CSV names the items (item, dataset, one column a model); the published table is the file
beside it whose name ends in _published.csv. Skipped without.
"""

from __future__ import annotations

import csv
import itertools
import math
import os
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import evalstats as es
from evalstats.methods.corrections import holm

FILE = os.environ.get("EVALSTATS_ALPACA_CSV", "")
pytestmark = pytest.mark.skipif(not FILE, reason="EVALSTATS_ALPACA_CSV names no file")


def _rows(path):
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def items():
    return _rows(FILE)


@pytest.fixture(scope="module")
def scores():
    return es.read(FILE)


@pytest.fixture(scope="module")
def published():
    return _rows(Path(FILE).with_name(f"{Path(FILE).stem}_published.csv"))


def _column(items, model):
    return np.array([float(row[model]) if row[model] else math.nan for row in items])


def test_every_models_mean_and_standard_error_are_the_published_ones(published):
    assert len(published) == 15
    for row in published:
        found = es.score(f"{FILE}::{row['model']}").only.run
        assert found.estimate.n == found.n_scored == int(row["n_total"])
        assert 100 * found.estimate.point == pytest.approx(float(row["win_rate_percent"]), rel=1e-12)
        n = found.estimate.n
        of_a_rate = found.estimate.method == "wilson"  # √(p(1−p)/n), where the table divides by n − 1
        error = 100 * found.estimate.standard_error * (math.sqrt(n / (n - 1)) if of_a_rate else 1)
        assert error == pytest.approx(float(row["standard_error_percent"]), rel=1e-12)


def _both(items, old, new):
    a, b = _column(items, old), _column(items, new)
    both = ~np.isnan(a) & ~np.isnan(b)
    return a[both], b[both]


def test_all_pairs_of_models_with_holm(items, published):
    """Scores with ties at ½: the paired t of all 105, each pair on its common items."""
    pairs = list(itertools.combinations([row["model"] for row in published], 2))
    assert len(pairs) == 105
    ours, theirs = [], []
    for old, new in pairs:
        a, b = _both(items, old, new)
        ours.append(es.paired_t(b, a).pvalue)
        theirs.append(stats.ttest_rel(b, a).pvalue)
    corrected = holm(ours)
    reject, adjusted, *_ = multipletests(theirs, method="holm")
    assert corrected["m"] == 105
    assert corrected["adjusted"] == pytest.approx(adjusted, rel=1e-9)
    assert corrected["reject"].tolist() == reject.tolist()


def test_every_pair_is_compared_on_the_items_that_both_have(items, scores, published):
    models = [row["model"] for row in published]
    for old, new in itertools.pairwise(models):
        row = es.compare(scores, baseline=old, candidate=new).only
        a, b = _both(items, old, new)
        assert (row.difference.n, row.difference.point) == (len(a), pytest.approx(np.mean(b - a), rel=1e-12))
        if row.test.method == "mcnemar_exact":
            assert set(a) | set(b) == {0.0, 1.0}
            expected = stats.binomtest(int((a > b).sum()), int((a != b).sum())).pvalue
        else:
            expected = stats.ttest_rel(b, a).pvalue
        assert row.test.pvalue == pytest.approx(expected, rel=1e-9)


def test_items_that_every_model_has(items, published):
    complete = [row for row in items if all(row[model["model"]] for model in published)]
    assert (len(items), len(complete)) == (805, 790)


def test_all_models_are_ranked_on_the_items_that_every_one_has(items, published):
    """790 items, 105 pairs with Holm; the published order, and which of it is settled."""
    found = es.rank(FILE).only
    models = [run.label for run in found]
    assert (found.n_common, found.own_items, len(found.pairs)) == (790, False, 105)
    wins = {row["model"]: float(row["win_rate_percent"]) for row in published}
    for one, two in itertools.pairwise(models):  # 15 items fewer move a score by under a point
        assert wins[one] > wins[two] - 1
    columns = {name: _column(items, name) for name in models}
    complete = ~np.isnan(np.stack(list(columns.values()))).any(axis=0)
    theirs = [
        stats.ttest_rel(columns[pair.candidate][complete], columns[pair.baseline][complete]).pvalue
        for pair in found.pairs
    ]
    reject, adjusted, *_ = multipletests(theirs, method="holm")
    assert [pair.pvalue for pair in found.pairs] == pytest.approx(theirs, rel=1e-9)
    assert [pair.adjusted for pair in found.pairs] == pytest.approx(adjusted, rel=1e-9)
    assert [pair.reject for pair in found.pairs] == reject.tolist()
    for run in found:
        assert run.run.estimate.point == pytest.approx(columns[run.label][complete].mean(), rel=1e-12)
        assert run.rank_low <= run.rank <= run.rank_high
    together = stats.friedmanchisquare(*(columns[name][complete] for name in models))
    assert found.overall.statistic == pytest.approx(together.statistic, rel=1e-9)
    assert found.methods.simultaneous == "max_t"
    assert stats.norm.ppf(0.975) < found.methods.critical < stats.t.ppf(1 - 0.025 / 105, 789)


def test_the_five_datasets_of_every_model_as_slices(items, scores, published):
    for model in (row["model"] for row in published):
        parts = [part for part in es.slices(scores.run(model), by="dataset") if part.tested]
        scored = {part.value: part.score.run.estimate for part in parts}
        assert len(scored) == 5
        for dataset, estimate in scored.items():
            values = [float(row[model]) for row in items if row["dataset"] == dataset and row[model]]
            assert (estimate.n, estimate.point) == (len(values), pytest.approx(np.mean(values), rel=1e-12))


def test_every_dataset_ranks_the_models_on_its_own_items(items, published):
    """The datasets as benchmarks: each a family of 105 pairs on the items that every model has."""
    models = [row["model"] for row in published]
    table = [
        {"benchmark": row["dataset"], "id": row["item"], "model": model, "score": float(row[model])}
        for row in items
        for model in models
        if row[model]
    ]
    found = es.rank(table)
    assert len(found) == 5
    for one in found:
        common = [row for row in items if row["dataset"] == one.benchmark and all(row[m] for m in models)]
        assert one.n_common == len(common)
        assert len(one.pairs) == 105
