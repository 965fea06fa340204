"""What the atlas computes for many data sets at once, and the laws it draws from, against the library."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import special

from atlas import (
    array_forms,
    bets,
    clusters,
    dependence,
    score_clusters,
    scores,
    slow,
    two_runs,
)
from atlas.draws import UNBOUNDED, cluster_rates, score_mean
from atlas.draws import scores as draw_scores
from evalstats.kernel.limits import Interval, NoInterval
from evalstats.methods import mean_intervals, paired_intervals, unpaired_means
from evalstats.methods.items import ItemValues, Request
from evalstats.methods.pairs import PairedItems, UnpairedItems


def _limits_of(find: Any) -> tuple[float, float]:
    try:
        found: Interval = find()
    except NoInterval:
        return np.nan, np.nan
    return found.low, found.high


def _equal(found: list[tuple[float, float]], form: tuple[Any, Any]) -> None:
    np.testing.assert_allclose(np.array(found).T, np.array(form), rtol=0, atol=1e-9)


def _right_or_wrong(sums: Any, sizes: Any) -> ItemValues:
    """Items of clusters with so many right ones."""
    k = len(sizes)
    values = np.repeat(np.tile([1.0, 0.0], k), np.ravel([sums, sizes - sums], order="F").astype(int))
    return ItemValues(values, True, (0.0, 1.0), np.repeat(np.arange(k), sizes.astype(int)))


@pytest.mark.parametrize("method", list(array_forms.OF_CLUSTERS))
@pytest.mark.parametrize("sizes", clusters.SIZES)
def test_the_form_for_many_clustered_data_sets_is_the_librarys(method: str, sizes: str) -> None:
    x = clusters.draw_clusters(clusters.ClusterCell("beta", 9, sizes, 0.3, 0.95), 25)
    function = mean_intervals.CLUSTERED[method].function
    runs = [_right_or_wrong(sums, m) for sums, m in zip(x.sums, x.sizes, strict=True)]
    found = [_limits_of(lambda one=one: function(one, Request())) for one in runs]
    _equal(found, array_forms.OF_CLUSTERS[method](x, 0.95))


@pytest.mark.parametrize("method", list(array_forms.OF_CLUSTERS))
def test_the_form_for_scores_in_clusters_is_the_librarys(method: str) -> None:
    """Every cluster has five scores: what matters of them are their sum and their squares."""
    rng = np.random.default_rng(7)
    y = dependence.scores_at("ceiling_90", rng.random((25, 8, 5)))
    y[:, :3] = 1.0
    x = array_forms.ManyClusters(y.sum(axis=2), np.full((25, 8), 5.0), (y**2).sum(axis=(1, 2)))
    codes, function = np.repeat(np.arange(8), 5), mean_intervals.CLUSTERED[method].function
    runs = [ItemValues(one.ravel(), False, (0.0, 1.0), codes) for one in y]
    found = [_limits_of(lambda one=one: function(one, Request(0.9))) for one in runs]
    _equal(found, array_forms.OF_CLUSTERS[method](x, 0.9))


def test_scores_drawn_in_clusters_have_their_law_their_sizes_and_their_correlation() -> None:
    cell = score_clusters.BoundedClusterCell("five_points", "copied", 40, "5", 0.3)
    x = score_clusters.draw(cell, 1500)
    assert np.mean(x.point) == pytest.approx(score_mean("five_points"), abs=0.003)
    assert x.squares is not None
    variance = float(np.mean(x.squares / x.n)) - score_mean("five_points") ** 2
    between = float(np.var(x.sums / 5))
    assert between == pytest.approx(variance * (1 + 4 * 0.3) / 5, rel=0.05)
    uniform = dependence.uniforms("copula", 0.5, np.random.default_rng(1), np.repeat(np.arange(9999), 2), 1)
    pairs_of_two = uniform[0].reshape(-1, 2)
    normal = special.ndtri(pairs_of_two)
    assert np.corrcoef(normal.T)[0, 1] == pytest.approx(0.5, abs=0.03)
    assert np.mean(pairs_of_two) == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("law", [*scores.BOUNDED])
def test_quantiles_of_a_law_are_those_of_its_draws(law: str) -> None:
    drawn = np.sort(draw_scores(law, np.random.default_rng(5), (200_001,)))
    for at in (0.03, 0.25, 0.5, 0.97):
        assert dependence.scores_at(law, np.array([at]))[0] == pytest.approx(
            drawn[int(200_000 * at)], abs=0.01
        )
    assert dependence.mean_of(law) == pytest.approx(score_mean(law), abs=1e-4)


@pytest.mark.parametrize("truth", [0.3, 0.55, 0.7])
def test_a_bet_accepts_a_truth_where_the_librarys_interval_holds_it(truth: float) -> None:
    x = clusters.draw_clusters(clusters.ClusterCell("beta", 30, "1-20", 0.1, 0.5), 60)
    found = []
    for sums, sizes in zip(x.sums, x.sizes, strict=True):
        request = Request(0.9, largest_cluster=int(sizes.max()))
        one = mean_intervals.CLUSTERED["betting_mixture"].function(_right_or_wrong(sums, sizes), request)
        found.append((one.low > truth, one.high < truth, one.high - one.low))
    above, below, width = np.array(found, dtype=float).T
    measured = bets.measured(x, (0.0, 1.0), truth, 0.9)
    assert (measured.too_high, measured.too_low) == (np.mean(above), np.mean(below))
    assert measured.width == pytest.approx(np.mean(width[: bets.WIDTHS]))
    assert 0 < measured.coverage < 1 or truth == 0.55


def test_a_bet_on_differences_is_the_librarys() -> None:
    x = scores.draw_differences(scores.DifferenceCell("five_points", "skew", 40), 30)
    of_pairs = [PairedItems(np.zeros(40), d, bounds=(0.0, 1.0)) for d in x.sums]
    limits = [paired_intervals.betting_mixture(one, Request(0.6)) for one in of_pairs]
    for truth in (0.0, 0.15, 0.35):
        measured = bets.measured(x, (-1.0, 1.0), truth, 0.6)
        assert measured.too_high == np.mean([one.low > truth for one in limits])
        assert measured.too_low == np.mean([one.high < truth for one in limits])


@pytest.mark.parametrize("kind", slow.KINDS)
def test_a_bootstrap_of_units_is_the_librarys(kind: str) -> None:
    x = clusters.draw_clusters(clusters.ClusterCell("beta", 8, "1-20", 0.3, 0.5), 6)
    y = clusters.draw_clusters(clusters.ClusterCell("beta", 9, "1-20", 0.3, 0.8), 6)
    request = Request(n_boot=slow.RESAMPLES)
    one, other = ([_right_or_wrong(*row) for row in zip(z.sums, z.sizes, strict=True)] for z in (x, y))
    function = mean_intervals.CLUSTERED[f"cluster_bootstrap_{kind}"].function
    _equal([_limits_of(lambda v=v: function(v, request)) for v in one], slow.bootstrap(kind, (x,), 0.95))
    two = unpaired_means.UNPAIRED_CLUSTERED[f"cluster_unpaired_bootstrap_{kind}"].function
    runs = [UnpairedItems(old, new) for old, new in zip(one, other, strict=True)]
    higher = [pair for pair in runs if pair.point > 0]  # which is drawn in this direction
    found = np.array([_limits_of(lambda pair=pair: two(pair, request)) for pair in higher])
    form = np.array(slow.bootstrap(kind, (x, y), 0.95)).T[[pair.point > 0 for pair in runs]]
    np.testing.assert_allclose(found, form, rtol=0, atol=1e-9)


@pytest.mark.parametrize("cell", [scores.ScoreCell("ceiling_98", 12), scores.ScoreCell("skew", 12)])
@pytest.mark.parametrize("method", list(array_forms.OF_ITEMS))
def test_the_form_for_many_lists_of_scores_is_the_librarys(method: str, cell: scores.ScoreCell) -> None:
    x = scores.draw_scores(cell, 25)
    function, request = mean_intervals.COMPLETIONS[method].function, Request(0.9)
    found = [_limits_of(lambda y=y: function(ItemValues(y, bounds=(0.0, 1.0)), request)) for y in x.sums]
    _equal(found, array_forms.OF_ITEMS[method](x, 0.9))


def test_the_form_for_completions_is_the_librarys() -> None:
    x = scores.draw_completions(scores.CompletionCell(8, 5, 0.1, 0.9), 25)
    m = np.full(8, 5.0)
    rows = [ItemValues(y, True, (0.0, 1.0), completions=m, within=5 * y * (1 - y)) for y in x.sums]
    found = [_limits_of(lambda one=one: mean_intervals.wilson_effective(one, Request())) for one in rows]
    _equal(found, array_forms.wilson_effective(x, 0.95, most=40))


@pytest.mark.parametrize("psi", [0.05, 0.4])
def test_the_forms_for_pairs_in_clusters_are_the_librarys(psi: float) -> None:
    drawn = clusters.draw_pairs(clusters.PairClusterCell(6, "1-20", 0.3, psi, 0.5), 25)
    of_pairs = [
        _pair(*one)
        for one in zip(drawn.candidate_only, drawn.baseline_only, drawn.both_right, drawn.sizes, strict=True)
    ]
    request = Request()
    tango = [_limits_of(lambda p=p: paired_intervals.tango_effective(p, request)) for p in of_pairs]
    _equal(tango, array_forms.tango_effective(drawn, 0.95))
    pseudo = [_limits_of(lambda p=p: paired_intervals.pseudo_t(p, request)) for p in of_pairs]
    _equal(pseudo, array_forms.cr2_t_pseudo(drawn.differences, 0.95))


def _pair(candidate_only: Any, baseline_only: Any, both_right: Any, sizes: Any) -> PairedItems:
    both_wrong = sizes - candidate_only - baseline_only - both_right
    counts = np.column_stack([candidate_only, baseline_only, both_right, both_wrong]).astype(int)
    k = len(sizes)
    codes = np.repeat(np.arange(k), sizes.astype(int))
    candidate = np.repeat(np.tile([1.0, 0.0, 1.0, 0.0], k), counts.ravel())
    baseline = np.repeat(np.tile([0.0, 1.0, 1.0, 0.0], k), counts.ravel())
    return PairedItems(baseline, candidate, True, (0.0, 1.0), codes)


def test_the_form_for_pairs_with_completions_is_the_librarys() -> None:
    x = two_runs.draw_completions(two_runs.PairCompletionCell(6, 2, 0.6, 0.9, 0.98), 25)
    m = np.full(6, 2.0)
    of_pairs = [
        PairedItems(
            np.maximum(-d, 0.0), np.maximum(d, 0.0), True, (0.0, 1.0), None, m, m, np.zeros(6), np.zeros(6)
        )
        for d in x.sums
    ]
    found = [_limits_of(lambda p=p: paired_intervals.tango_effective(p, Request())) for p in of_pairs]
    _equal(found, array_forms.tango_effective_of_items(x, two_runs.magnitudes(x), 12, 0.95))


def test_the_form_for_differences_of_scores_is_the_librarys() -> None:
    x = scores.draw_differences(scores.DifferenceCell("five_points", "skew", 10), 25)
    of_pairs = [PairedItems(np.zeros(10), d, bounds=(0.0, 1.0)) for d in x.sums]
    request = Request()
    t = [_limits_of(lambda p=p: paired_intervals.paired_t_interval(p, request)) for p in of_pairs]
    _equal(t, array_forms.cr2_t(x, 0.95))
    pseudo = [_limits_of(lambda p=p: paired_intervals.pseudo_t(p, request)) for p in of_pairs]
    _equal(pseudo, array_forms.cr2_t_pseudo(x, 0.95))


def test_the_form_for_two_runs_is_the_librarys() -> None:
    x, y = scores.draw_two_runs(scores.TwoRunsCell("ceiling_98", "skew", 6, 9), 25)
    runs = [
        UnpairedItems(ItemValues(a, bounds=(0.0, 1.0)), ItemValues(b, bounds=(0.0, 1.0)))
        for a, b in zip(x.sums, y.sums, strict=True)
    ]
    found = [_limits_of(lambda one=one: unpaired_means.welch(one, Request())) for one in runs]
    _equal(found, array_forms.welch(x, y, 0.95))


@pytest.mark.parametrize("law", clusters.LAWS)
@pytest.mark.parametrize("icc", [0.01, 0.6])
def test_cluster_laws_have_their_mean_and_intraclass_correlation(law: str, icc: float) -> None:
    drawn = cluster_rates(law, 0.9, icc, np.random.default_rng(3), (200, 2000))
    assert np.mean(drawn) == pytest.approx(0.9, abs=0.002)
    assert np.var(drawn) == pytest.approx(icc * 0.09, rel=0.03)


@pytest.mark.parametrize("law", [*scores.BOUNDED, *UNBOUNDED])
def test_laws_of_scores_have_the_mean_they_say(law: str) -> None:
    drawn = draw_scores(law, np.random.default_rng(4), (400_000,))
    assert np.mean(drawn) == pytest.approx(score_mean(law), abs=6 * np.std(drawn) / np.sqrt(400_000))
