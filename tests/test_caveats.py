"""Every caveat fires where it must and is silent one step further, and its page says what it is."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

import evalstats as es
from evalstats.analyses.slices import slices
from evalstats.caveats import ADVICE, CAVEATS, caveat
from evalstats.cli.main import main
from evalstats.methods.bootstrap import bootstrap_mean, bootstrap_statistic
from evalstats.methods.clusters import icc
from evalstats.methods.differences import mean_difference
from evalstats.methods.means import mean
from evalstats.methods.paired import paired_proportions
from evalstats.methods.rates import proportion
from evalstats.methods.unpaired import unpaired_proportions
from evalstats.methods.weighted_means import weighted_mean
from evalstats.subjects import variance
from evalstats.subjects.judge import ppi_mean, rogan_gladen
from evalstats.subjects.passk import common_problems
from tests.made_runs import codes, log, records, row, run_of, write_csv

DOCS = Path(__file__).parents[1] / "docs"


def _off(n, moved, at=1.0):
    """n scores of ½ of which `moved` differ, on either side."""
    return [0.5 + (at - 0.5) * (-1) ** i if i < moved else 0.5 for i in range(n)]


def _shifted(of_first):
    """Three models' scores, the second 3 above the first but for one item."""
    return [
        {"id": i, "a": (7 * i % 11) / 4, "b": (7 * i % 11) / 4 + (3 if i else of_first), "c": i % 5}
        for i in range(40)
    ]


def _three_runs(missing):
    """Three runs on 100 items, of which the first did not score some."""
    return [
        run_of(
            {f"q{i}": None if k == 0 and i < missing else i % (k + 2) > 0 for i in range(100)}, model=str(k)
        )
        for k in range(3)
    ]


def _in_clusters(k, informative, size=4):
    """k clusters of pass/fail items, of which so many are not all right."""
    scores = [float(not (g < informative and i == 0)) for g in range(k) for i in range(size)]
    return mean(scores, [g for g in range(k) for _ in range(size)])


def _pairs(scores, other, **options):
    return es.compare(run_of(scores), run_of(other), **options).only


def _quiz(n=20, **changed):
    return {f"q{i}": float(i % 3 > 0) for i in range(n)} | changed


def _same_logs(tmp_path, second):
    one = write_csv(tmp_path / "a.csv", records(_quiz()))
    two = write_csv(tmp_path / "b.csv", records(_quiz(q0=1.0)))
    return es.compare(one, one if second == "same" else two).only


def _hashed(last):
    return log([row(item, 1.0, hash=h) for item, h in zip("abc", ("h1", "h2", last), strict=True)])


def _named(benchmark):
    rows = [row(f"q{i}", float(i % 2), benchmark=benchmark) for i in range(20)]
    return log(rows, benchmark=benchmark)


def _sliced(shared):
    """Two topics; clusters of four are within one, or have items in both."""
    rows = []
    for i in range(160):
        within = (i % 2) * 30 + i // 8
        rows.append({"item": i, "score": i % 3 > 0, "topic": "ab"[i % 2], "g": i // 4 if shared else within})
    compared = [part.comparison for part in slices(rows, by="topic", cluster="g") if part.comparison]
    return [one for comparison in compared for one in comparison.caveats]


def _lost(n_old, n_new):
    old = {f"q{i}": None if i < n_old else float(i % 2) for i in range(40)}
    new = {f"q{i}": None if i < n_new else float(i % 2 or i > 30) for i in range(40)}
    return _pairs(old, new)


def _measured(metric):
    return [[{"id": i, metric: 1.5 + (i * k) % 7} for i in range(40)] for k in (2, 3)]


def _completions(*scores):
    return es.score(run_of({f"q{i}": list(s) for i, s in enumerate(scores)})).only


def _decoded(noisy, n=30):
    """n items with two completions, of which so many disagree; these questions."""
    scores = [v for i in range(n) for v in ((1.0, 0.0) if i < noisy else (1.0, 1.0))]
    return mean(scores, item=np.repeat(np.arange(n), 2), view="fixed_items")


# code -> (what fires it, what is just beyond), each a result or a row, whose caveats are read
CASES = {
    "few_informative": (lambda t: proportion(91, 100), lambda t: proportion(90, 100)),
    "normal_assumed": (
        lambda t: icc([1, 1, 0, 0, 1, 0] * 4, np.repeat(range(8), 3)),
        lambda t: icc([1, 1, 0, 0, 1, 0.5] * 4, np.repeat(range(8), 3)),
    ),
    "few_noisy_items": (lambda t: _decoded(9), lambda t: _decoded(10)),
    "few_discordant": (lambda t: paired_proportions(4, 5, 99), lambda t: paired_proportions(5, 5, 99)),
    "few_informative_clusters": (lambda t: _in_clusters(40, 9), lambda t: _in_clusters(40, 10)),
    "few_clusters": (lambda t: _in_clusters(19, 12), lambda t: _in_clusters(20, 12)),
    "few_off_mode": (lambda t: mean(_off(60, 19)), lambda t: mean(_off(60, 20))),
    "few_nonzero_differences": (
        lambda t: mean_difference([0.5] * 60, _off(60, 19)),
        lambda t: mean_difference([0.5] * 60, _off(60, 20)),
    ),
    "dominant_item": (
        lambda t: mean([*_off(60, 20, 0.6), 1.0]),
        lambda t: mean([*_off(60, 20, 0.6), 0.6]),
    ),
    "dominant_cluster": (
        lambda t: mean([1.0, 0.0] * 50, [0] * 26 + list(range(1, 75))),
        lambda t: mean([1.0, 0.0] * 50, [0] * 25 + list(range(1, 76))),
    ),
    "skewed": (
        lambda t: mean([*np.linspace(1, 2, 60), 40.0]),
        lambda t: mean([*np.linspace(1, 2, 60), 2.0]),
    ),
    "no_spread": (lambda t: mean([0.5] * 60), lambda t: mean([0.5] * 59 + [0.6])),
    "narrow_scores": (lambda t: mean(_off(60, 60, 0.57)), lambda t: mean(_off(60, 60, 0.7))),
    "limit_clipped": (
        lambda t: mean([5] * 19 + [4], bounds=(1, 5), method="t"),
        lambda t: mean([5] * 10 + [4] * 10, bounds=(1, 5), method="t"),
    ),
    "limit_at_point": (
        lambda t: paired_proportions(1, 0, 1, level=0.5, method="bonett_price"),
        lambda t: paired_proportions(1, 0, 9, level=0.5, method="bonett_price"),
    ),
    "named_method_weak": (
        lambda t: proportion(9, 100, method="wald"),
        lambda t: proportion(10, 100, method="wald"),
    ),
    "epochs_missing": (
        lambda t: _completions((1.0, None), (0.0, 1.0)),
        lambda t: _completions((1.0, 1.0), (0.0, 1.0)),
    ),
    "item_mean_vs_cluster_mean": (
        lambda t: mean([1] * 60 + [0] * 40, [0] * 30 + [1] * 30 + list(range(2, 42))),
        lambda t: mean([1, 0] * 40, np.repeat(range(20), 4)),
    ),
    "row_mean": (
        lambda t: mean([1, 1, 1, 0], item=[0, 0, 0, 1], estimand="row_mean"),
        lambda t: mean([1, 1, 1, 0], item=[0, 0, 0, 1]),
    ),
    "missing_items": (
        lambda t: es.score(run_of(_quiz(q3=None))).only,
        lambda t: es.score(run_of(_quiz())).only,
    ),
    "missing_as_worst": (
        lambda t: es.score(run_of(_quiz(q3=None)), missing="wrong").only,
        lambda t: es.score(run_of(_quiz()), missing="wrong").only,
    ),
    "missing_could_reverse": (
        lambda t: _pairs(_quiz(60), _quiz(60, **dict.fromkeys((f"q{i}" for i in range(24)), None))),
        lambda t: _pairs(_quiz(60), _quiz(60, q3=None)),
    ),
    "missing_rates_differ": (lambda t: _lost(6, 0), lambda t: _lost(5, 0)),
    "partly_overlapping": (
        lambda t: _pairs(_quiz(20), _quiz(10)),
        lambda t: _pairs(_quiz(20), _quiz(11)),
    ),
    "identical_runs": (
        lambda t: _pairs(_quiz(), _quiz()),
        lambda t: _pairs(_quiz(), _quiz(q0=1.0)),
    ),
    "equal_differences": (
        lambda t: list(es.rank(_shifted(3.0)).only.caveats),
        lambda t: list(es.rank(_shifted(3.5)).only.caveats),
    ),
    "same_file": (lambda t: _same_logs(t, "same"), lambda t: _same_logs(t, "other")),
    "clusters_in_several_slices": (lambda t: _sliced(True), lambda t: _sliced(False)),
    "direction_assumed": (
        lambda t: es.compare(*_measured("latency_seconds"), metric="latency_seconds").only,
        lambda t: es.compare(*_measured("latent_skill"), metric="latent_skill").only,
    ),
    "scales_differ": (
        lambda t: _pairs(_quiz(q0=0.5), _quiz(q0=50.0, q1=70.0)),
        lambda t: _pairs(_quiz(q0=0.5), _quiz(q0=5.0, q1=10.0)),
    ),
    "sign_changes_without_cluster": (
        lambda t: mean_difference([0] * 11 + [1] * 3, [1] * 8 + [0] * 6, [0] * 8 + [1, 1, 1, 2, 2, 2]),
        lambda t: mean_difference([0] * 11 + [1] * 3, [1] * 8 + [0] * 6, [0, 1] * 4 + [2, 2, 2, 3, 4, 5]),
    ),
    "ids_agree_hashes_differ": (
        lambda t: es.compare(_hashed("h3"), _hashed("h4")).only,
        lambda t: es.compare(_hashed("h3"), _hashed("h3")).only,
    ),
    "paired_by_field": (
        lambda t: es.compare(run_of(_quiz()), run_of(_quiz(), format="csv")).only,
        lambda t: es.compare(run_of(_quiz()), run_of(_quiz(), format="csv"), id="id").only,
    ),
    "different_benchmark_names": (
        lambda t: es.compare(_named("quiz-v1"), _named("quiz-v2")).only,
        lambda t: es.compare(_named("quiz-v1"), _named("quiz-v1")).only,
    ),
    "shared_items_unpaired": (
        lambda t: _pairs(_quiz(), _quiz(), paired=False),
        lambda t: _pairs(_quiz(), {f"x{i}": i % 2 for i in range(20)}, paired=False),
    ),
    "duplicates": (
        lambda t: es.score(log([row("a", 1.0), row("a", 1.0), row("b", 0.0)])).only,
        lambda t: es.score(log([row("a", 1.0), row("b", 0.0)])).only,
    ),
    "run_incomplete": (
        lambda t: es.score(run_of(_quiz(), problem="cancelled")).only,
        lambda t: es.score(run_of(_quiz())).only,
    ),
    "scale_assumed": (lambda t: mean(_off(60, 30)), lambda t: mean(_off(60, 30), bounds=(0, 1))),
    "bootstrap_few_units": (
        lambda t: bootstrap_mean(np.linspace(0, 9, 49)),
        lambda t: bootstrap_mean(np.linspace(0, 9, 50)),
    ),
    "order_kept": (
        lambda t: bootstrap_statistic([{"x": i} for i in range(60)], lambda rows: float(rows[0]["x"])),
        lambda t: bootstrap_mean(np.linspace(0, 9, 60)),
    ),
    "ragged_attempts": (
        lambda t: common_problems([np.array([5] * 60 + [2])], (1, 5)).caveats(str),
        lambda t: common_problems([np.array([5] * 61)], (1, 5)).caveats(str),
    ),
    "few_problems": (
        lambda t: common_problems([np.array([5] * 49)], (1, 5)).caveats(str),
        lambda t: common_problems([np.array([5] * 50)], (1, 5)).caveats(str),
    ),
    "own_common_items": (
        lambda t: list(es.rank(*_three_runs(missing=6)).only.caveats),
        lambda t: list(es.rank(*_three_runs(missing=5)).only.caveats),
    ),
    "negative_component": (
        lambda t: variance.one_way([0, 1, 0, 1, 0, 1], list("aabbcc")),
        lambda t: variance.one_way([0, 1, 1, 1, 0, 0], list("aabbcc")),
    ),
    "point_clipped": (lambda t: rogan_gladen(9, 100, 0.9, 0.9), lambda t: rogan_gladen(10, 100, 0.9, 0.9)),
    "few_items": (
        lambda t: es.krippendorff_alpha([[0, 1] * 9 + [1], [0, 1] * 9 + [0]]),
        lambda t: es.krippendorff_alpha([[0, 1] * 10, [0, 1] * 9 + [1, 1]]),
    ),
    "rare_class": (
        lambda t: es.cohen_kappa([0] * 19 + [1] * 30, [0] * 20 + [1] * 29),
        lambda t: es.cohen_kappa([0] * 20 + [1] * 30, [1] + [0] * 20 + [1] * 29),
    ),
    "missing_labels": (
        lambda t: es.cohen_kappa([0, 1] * 20 + [None], [0, 1] * 20 + [1]),
        lambda t: es.cohen_kappa([0, 1] * 20 + [0], [0, 1] * 20 + [1]),
    ),
    "few_disagreements": (
        lambda t: ppi_mean([1] * 60, [0] * 19 + [1] * 41, [1, 0] * 60),
        lambda t: ppi_mean([1] * 40 + [0] * 20, [0] * 20 + [1] * 20 + [0] * 20, [1, 0] * 60),
    ),
}


def _said(found):
    if isinstance(found, list):
        return codes(found)
    return codes(found.caveats if hasattr(found, "caveats") else found.extra["caveats"])


def test_every_caveat_has_a_case():
    assert set(CASES) == set(CAVEATS)


@pytest.mark.parametrize("code", CASES)
def test_it_fires_where_it_must(code, tmp_path):
    assert code in _said(CASES[code][0](tmp_path))


@pytest.mark.parametrize("code", CASES)
def test_it_is_silent_where_it_need_not_speak(code, tmp_path):
    assert code not in _said(CASES[code][1](tmp_path))


# caveat or refusal, row by row: what else each row says, refuses or leaves out
def test_wald_and_bootstrap_of_a_rate_are_weak_under_ten_of_either_kind():
    for method in ("wald", "bootstrap_percentile"):
        few, enough = ([1.0] * k + [0.0] * (60 - k) for k in (9, 10))
        assert "named_method_weak" in _said(mean(few, method=method))
        assert "named_method_weak" not in _said(mean(enough, method=method))
        assert "named_method_weak" in _said(mean([1 - y for y in few], method=method))


def test_wald_and_bootstrap_of_pairs_are_weak_under_twenty_discordant():
    for discordant, weak in ((19, True), (20, False)):
        assert (
            "named_method_weak" in _said(paired_proportions(discordant - 5, 5, 99, method="wald"))
        ) is weak
        old, new = [0.0] * 99, [1.0] * discordant + [0.0] * (99 - discordant)
        resampled = mean_difference(old, new, method="bootstrap_percentile")
        assert ("named_method_weak" in _said(resampled)) is weak


def test_a_bootstrap_of_clusters_is_weak_under_twenty_of_them():
    for k, weak in ((19, True), (20, False)):
        scores, cluster = np.arange(4 * k) % 3 > 0, np.arange(4 * k) // 4
        found = mean(scores, cluster, method="cluster_bootstrap_percentile", n_boot=200)
        assert ("bootstrap_few_units" in _said(found)) is weak


def test_an_effective_number_of_clusters_below_twenty_is_said_too():
    """Thirty clusters of which one has half of the items weigh as four."""
    scores, cluster = [1, 0, 1] * 20, [0] * 31 + list(range(1, 30))
    assert "few_clusters" in _said(mean(scores, cluster))
    assert {"few_clusters", "dominant_cluster"} <= set(_said(mean_difference(scores, scores[::-1], cluster)))


def test_scores_in_clusters_want_twenty_that_carry_information():
    for informative, few in ((19, True), (20, False)):
        scores = [1.0 if g >= informative or i else 0.5 for g in range(60) for i in range(4)]
        cluster = [g for g in range(60) for _ in range(4)]
        assert ("few_informative_clusters" in _said(mean(scores, cluster))) is few
        against = mean_difference([1.0] * 240, scores, cluster)
        assert ("few_informative_clusters" in _said(against)) is few


def test_weighted_scores_want_twenty_units_that_differ_and_little_skewness():
    for informative, few in ((19, True), (20, False)):
        scores = [0.5] * informative + [1.0] * (60 - informative)
        assert ("few_informative_clusters" in _said(weighted_mean(scores, [1.0] * 60))) is few
    for last, skewed in ((40.0, True), (2.0, False)):
        found = weighted_mean([*np.linspace(1, 2, 60), last], [1.0] * 61)
        assert ("skewed" in _said(found)) is skewed


def test_either_arm_of_unpaired_rates_may_be_the_one_with_few():
    assert "few_informative" in _said(unpaired_proportions(50, 100, 91, 100))
    assert "few_informative" in _said(unpaired_proportions(9, 100, 50, 100))
    assert _said(unpaired_proportions(50, 100, 90, 100)) == []


def test_what_no_result_says_is_unknown():
    with pytest.raises(KeyError, match="add it to CAVEATS"):
        caveat("few_of_them", "")


def test_json_carries_the_codes(capsys):
    assert main(["score", "9/100", "--json"]) == 0
    (printed,) = json.loads(capsys.readouterr().out)["scores"]
    assert [one["code"] for one in printed["caveats"]] == ["few_informative"]
    assert main(["compare", "50/99", "51/99", "--discordant", "4", "5", "--json"]) == 0
    (printed,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert [one["code"] for one in printed["caveats"]] == ["few_discordant"]


FAILING = {
    "score": (("score", "9/100"), ("score", "10/100"), "few_informative"),
    "compare": (
        ("compare", "50/99", "51/99", "--discordant", "4", "5"),
        ("compare", "50/99", "50/99", "--discordant", "5", "5"),
        "few_discordant",
    ),
}


@pytest.mark.parametrize("verb", FAILING)
def test_fail_on_exits_with_four_where_the_caveat_fired_and_only_there(verb, capsys):
    fires, silent, code = FAILING[verb]
    for asked in (code, f"few_clusters,{code}"):
        assert main([*fires, "--fail-on", asked]) == 4
        printed = capsys.readouterr()
        assert code in printed.err
        assert "%" in printed.out  # the answer is printed all the same
        assert main([*silent, "--fail-on", asked]) == 0
    assert main([*fires, "--fail-on", "few_clusters"]) == 0
    capsys.readouterr()
    assert main([*fires, "--fail-on", code.replace("few", "fev")]) == 2
    assert f"Did you mean {code}?" in " ".join(capsys.readouterr().err.split())


def test_the_page_is_what_the_table_generates():
    spec = importlib.util.spec_from_file_location("caveats_page", DOCS / "caveats.py")
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    assert (DOCS / "caveats.md").read_text(encoding="utf-8") == page.written(), "run: python docs/caveats.py"


def test_every_caveat_says_what_to_do():
    assert set(ADVICE) == set(CAVEATS)
    assert all(text and text[0].islower() and not text.endswith(".") for text in ADVICE.values())
