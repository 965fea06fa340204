"""Bounds, tests of missing rates and what they do to the verdict, over every design."""

from __future__ import annotations

import numpy as np
import pytest

import evalstats as es
from evalstats.analyses.missing import missing_rates_pvalue
from evalstats.methods.differences import difference_test, mean_difference
from evalstats.methods.mcnemar import mcnemar_counts
from evalstats.methods.pairs import paired_items
from evalstats.methods.unpaired import unpaired_proportions, unpaired_test
from tests.made_runs import codes, command, log, records, row, run_of, texts, write_csv

N = 40
GROUP = [i // 4 for i in range(N)]


def _scores(lost=(), *, better=0, graded=False):
    """Every fourth item wrong, the first `better` of these right; None where lost. Graded: from 1 to 10."""
    wrong = [i for i in range(N) if i % 4 == 0]
    y = [float(i not in wrong[better:]) for i in range(N)]
    if graded:
        y = [1 + 9 * v - (i % 3) * v for i, v in enumerate(y)]
    return [None if i in lost else v for i, v in enumerate(y)]


def _filled(y, value):
    return [value if v is None else v for v in y]


DESIGNS = {
    "pass/fail": ({}, {}, "tango"),
    "clusters": ({}, {"cluster": GROUP}, "tango_effective"),
    "scores": ({"graded": True}, {"bounds": (1, 10)}, "paired_t"),
    "scores in clusters": ({"graded": True}, {"bounds": (1, 10), "cluster": GROUP}, "cr2_t"),
    "unpaired": ({}, {"paired": False}, "newcombe_unpaired"),
    "unpaired clusters": ({}, {"paired": False, "cluster": GROUP}, "cr2_t"),
    "unpaired scores": ({"graded": True}, {"paired": False, "bounds": (1, 10)}, "welch"),
}


def _compared(design, lost_old, lost_new, *, better=6, **asked):
    graded, options, method = DESIGNS[design]
    runs = [_scores(lost_old, **graded), _scores(lost_new, better=better, **graded)]
    rows = [log([row(f"q{i}", v, fields={"g": GROUP[i]}) for i, v in enumerate(run)]) for run in runs]
    called = {key: "g" if key == "cluster" else value for key, value in options.items()}
    return es.compare(*rows, **called, **asked).only, runs, options, method


@pytest.mark.parametrize("design", DESIGNS)
def test_bounds_are_the_rows_own_method_on_the_filled_scores(design):
    found, (old, new), options, method = _compared(design, (0, 1, 9), (5, 8))
    low, high = options.get("bounds", (0, 1))
    for end, fill_old, fill_new in (("worst", high, low), ("best", low, high)):
        filled = getattr(found.missing, end)
        groups = options.get("cluster")
        if groups is not None and not options.get("paired", True):
            groups = (groups, groups)
        expected = mean_difference(
            _filled(old, fill_old), _filled(new, fill_new), **{**options, "cluster": groups}
        )
        assert (filled.method, filled.n) == (method, expected.n)
        assert [filled.point, filled.ci_low, filled.ci_high] == pytest.approx(
            [expected.point, expected.ci_low, expected.ci_high], abs=1e-12
        )
    assert found.missing.worst.point <= found.difference.point <= found.missing.best.point


@pytest.mark.parametrize("design", DESIGNS)
def test_what_the_missing_could_reverse_is_said_and_else_not(design):
    steady, *_ = _compared(design, (3,), (), better=0)
    assert steady.missing is not None
    assert steady.missing.worst_verdict == steady.missing.best_verdict
    assert "missing_could_reverse" not in codes(steady.caveats)
    shaky, *_ = _compared(design, range(3, 15), range(15, 30))
    assert shaky.missing.worst_verdict != "improved" == shaky.missing.best_verdict
    assert "missing_could_reverse" in codes(shaky.caveats)
    whole, *_ = _compared(design, (), ())
    assert whole.missing is None


@pytest.mark.parametrize("design", DESIGNS)
def test_missing_rates_are_tested_in_the_rows_design(design):
    lost = [i for i in range(N) if i % 3 == 0 or i < 4]
    found, _, options, _ = _compared(design, lost, (1,))
    old, new = (np.isin(np.arange(N), gone) for gone in (lost, (1,)))
    if options.get("paired", True) and "cluster" not in options:
        expected = mcnemar_counts(int((old & ~new).sum()), int((new & ~old).sum())).pvalue
    elif options.get("paired", True):
        expected = difference_test(paired_items(old, new, GROUP)).pvalue
        assert expected == missing_rates_pvalue(old, new, np.array(GROUP))
    elif "cluster" not in options:
        expected = unpaired_test(int(old.sum()), N, int(new.sum()), N).pvalue
    else:
        expected = found.missing.rates_pvalue
        assert 0 < expected < 0.05
    assert found.missing.rates_pvalue == pytest.approx(expected, rel=1e-12)
    assert texts(found.caveats, "missing_rates_differ").startswith("16 and 1 of 40 items were not scored")
    few, *_ = _compared(design, (1, 2), (7,))
    assert "missing_rates_differ" not in codes(few.caveats)


def test_unpaired_runs_of_different_length_are_counted_each_on_its_own(capsys, tmp_path):
    old = {f"a{i}": None if i < 15 else float(i % 2) for i in range(40)}
    new = {f"b{i}": None if i < 2 else 1.0 for i in range(60)}
    found = es.compare(run_of(old), run_of(new), paired=False).only
    assert texts(found.caveats, "missing_rates_differ").startswith(
        "15 of 40 and 2 of 60 items were not scored (p = "
    )
    expected = unpaired_proportions(13 + 15, 40, 58, 60)
    assert (found.missing.worst.ci_low, found.missing.worst.ci_high) == (expected.ci_low, expected.ci_high)
    paths = [
        write_csv(tmp_path / name, records({i: "" if s is None else s for i, s in run.items()}))
        for name, run in (("a.csv", old), ("b.csv", new))
    ]
    (printed,) = command(capsys, "compare", *paths, "--unpaired")["comparisons"]
    assert printed["missing"]["worst"]["ci_low"] == expected.ci_low


def test_items_with_completions_keep_their_method_when_filled():
    """The fill has as many completions as were logged, and stays pass/fail."""
    old = {f"q{i}": [float(i % 3 > 0), float(i % 2)] for i in range(30)} | {"x": [None, None]}
    new = {f"q{i}": [1.0, float(i % 2)] for i in range(30)} | {"x": [1.0, 0.0]}
    missing = es.compare(run_of(old), run_of(new)).only.missing
    item = np.repeat(np.arange(31), 2)
    for found, fill in ((missing.worst, 1.0), (missing.best, 0.0)):
        before = [v if v is not None else fill for pair in old.values() for v in pair]
        after = [v for pair in new.values() for v in pair]
        expected = mean_difference(before, after, item=item)
        assert (found.method, found.extra["n_completions"]) == ("tango_effective", 124)
        assert (found.ci_low, found.ci_high) == (expected.ci_low, expected.ci_high)


def test_under_guarantee_the_bounds_are_guaranteed_too():
    for design, asked, method in (
        ("pass/fail", {}, "tango_bonett_price"),
        ("clusters", {"largest_cluster": 4}, "betting_mixture"),
        ("unpaired", {}, "clopper_pearson_rectangle"),
    ):
        found, *_ = _compared(design, (0, 1, 9), (5, 8), guarantee=True, **asked)
        assert found.missing.worst.method == found.missing.best.method == found.difference.method == method


def test_under_guarantee_a_filled_verdict_needs_the_exact_p_too():
    """With the lost one wrong, 9 better and 2 worse of 40: the outer limits exclude zero, and p is 0.065."""
    cells = [(0.0, 1.0)] * 9 + [(1.0, 0.0)] * 2 + [(1.0, 1.0)] * 28 + [(None, 1.0)]
    old, new = ({f"q{i}": cell[which] for i, cell in enumerate(cells)} for which in (0, 1))
    missing = es.compare(run_of(old), run_of(new), guarantee=True).only.missing
    assert missing.worst.ci_low > 0
    assert (missing.worst_verdict, missing.best_verdict) == ("not_settled", "improved")


def test_a_named_method_does_not_have_to_bear_the_filled_scores():
    """Wald has no interval where nothing differs; the bounds are the default's."""
    old = run_of({f"q{i}": 1.0 for i in range(20)} | {"x": 0.0, "y": None})
    new = run_of({f"q{i}": 1.0 for i in range(20)} | {"x": 1.0, "y": None})
    found = es.compare(old, new, method="wald").only
    assert (found.difference.method, found.missing.worst.method) == ("wald", "tango")


def test_one_cluster_of_missing_items_has_no_test_of_rates():
    assert np.isnan(missing_rates_pvalue(np.array([True, False]), np.zeros(2, bool), np.zeros(2, int)))


def test_scores_without_ends_are_counted_tested_and_not_bounded():
    old = run_of({f"q{i}": None if i < 8 else 20.0 + i for i in range(40)})
    new = run_of({f"q{i}": 21.0 + i for i in range(40)})
    found = es.compare(old, new).only
    assert found.missing is None
    assert "missing_rates_differ" in codes(found.caveats)
    assert found.pairing.missing_in_baseline == 8
