"""Clusters: who declared them, whether the runs agree, and fields that might be one."""

from __future__ import annotations

import numpy as np
import pytest

import evalstats as es
from evalstats.data.design import cluster_candidates, cluster_codes, cluster_field
from evalstats.errors import InputError, MethodError
from tests.made_runs import command, header, log, part, refused, row, write_csv


def _run(group_of, n=24, flip=0, **head):
    """n items with a field `passage`; every `flip`-th answer changed."""
    rows = []
    for i in range(n):
        score = i % 3 > 0
        if flip and i % flip == 0:
            score = not score
        fields = {"passage": group_of(i)} if group_of else None
        rows.append(row(f"q{i}", float(score), fields=fields))
    return log(rows, **head)


def _passages(i):
    return f"p{i // 4}"


def test_the_option_stands_before_what_the_harness_declared():
    declared = header(cluster="passage")
    assert cluster_field((declared,), "topic") == ("topic", "option")
    assert cluster_field((declared,), None) == ("passage", "harness")
    assert cluster_field((declared, header()), None) == ("passage", "harness")
    assert cluster_field((header(),), None) is None
    assert cluster_field((declared,), "none") is None


def test_runs_that_declare_different_clusters_are_an_error_that_names_both():
    with pytest.raises(InputError, match="declare different clusters for quiz: passage and topic") as error:
        cluster_field((header(cluster="topic"), header(cluster="passage")), None)
    assert "--cluster FIELD, or --cluster none" in str(error.value)
    old, new = _run(_passages, cluster="passage"), _run(_passages, cluster="topic", flip=5)
    with pytest.raises(InputError, match="declare different clusters"):
        es.compare(old, new)
    assert es.compare(old, new, cluster="passage").only.design.n_units == 6
    assert es.compare(old, new, cluster="none").only.design.unit == "item"


def test_a_cluster_declared_in_one_run_is_used_and_looked_up_by_item():
    old, new = _run(_passages, cluster="passage"), _run(None, flip=5)
    for one, two in ((old, new), (new, old)):
        row_ = es.compare(one, two).only
        design = row_.design
        assert (design.unit, design.cluster_source, design.n_units) == ("passage", "harness", 6)
        assert (row_.difference.method, row_.pairing.n_clusters) == ("tango_effective", 6)
        assert design.cluster_candidates == ()


def test_an_item_in_two_clusters_is_an_error_that_names_it():
    old, new = _run(_passages), _run(lambda i: "p9" if i == 7 else _passages(i), flip=5)
    with pytest.raises(
        InputError, match="item 'q7' is in cluster 'p1' of passage in one run and 'p9' in the"
    ):
        es.compare(old, new, cluster="passage")


def test_an_item_without_its_cluster_is_an_error_that_names_it():
    old = _run(_passages)
    new = log([*(row(f"q{i}", 1.0, fields={"passage": _passages(i)}) for i in range(23)), row("q23", 1.0)])
    with pytest.raises(InputError, match=r"item 'q23' has no passage. Every item needs its cluster"):
        es.compare(old, new, cluster="passage")


def test_a_field_nobody_has_lists_those_there_are(capsys, tmp_path):
    rows = [{"item": f"q{i}", "score": i % 2, "passage": i // 4} for i in range(24)]
    path = write_csv(tmp_path / "run.csv", rows)
    assert "--cluster pasage: no run has such a field. There are:" in refused(
        capsys, "score", path, "--cluster", "pasage"
    )
    with pytest.raises(InputError, match="There are: item, passage"):
        es.score(path, cluster="pasage")


def test_one_cluster_says_nothing_of_how_clusters_differ():
    run = _run(lambda i: "all")
    for call in (lambda: es.score(run, cluster="passage"), lambda: es.compare(run, run, cluster="passage")):
        with pytest.raises(MethodError, match="in one cluster"):
            call()


def test_codes_are_numbered_by_first_appearance_among_the_used_items():
    only = part([row(f"q{i}", 1.0, fields={"g": g}) for i, g in enumerate("bbaca")])
    codes = cluster_codes("g", ((only.items, np.array([2, 3, 4])),))
    assert codes.tolist() == [0, 1, 0]


def test_the_name_of_a_cluster_may_carry_the_prefix_of_its_log():
    assert es.score(_run(_passages), cluster="metadata.passage").only.design.n_units == 6


def _candidates(fields_of, n=20):
    only = part([row(f"q{i}", 1.0, fields=fields_of(i)) for i in range(n)])
    return {
        name: int(codes.max()) + 1 for name, codes in cluster_candidates(only.items, np.arange(n)).items()
    }


@pytest.mark.parametrize(("values", "offered"), [(4, False), (5, True), (10, True), (11, False)])
def test_a_field_with_five_to_half_as_many_values_as_items_may_be_a_cluster(values, offered):
    assert _candidates(lambda i: {"g": i % values}) == ({"g": values} if offered else {})


@pytest.mark.parametrize("name", ["id", "ID", "question", "choices", "target", "answer", "doc.target"])
def test_ids_and_texts_are_no_clusters(name):
    assert _candidates(lambda i: {name: i % 5}) == {}


def test_a_field_that_some_items_lack_is_no_cluster():
    assert _candidates(lambda i: {"g": i % 5} if i else {}) == {}


def test_only_items_that_are_used_count():
    only = part([row(f"q{i}", 1.0, fields={"g": i // 2}) for i in range(20)])
    assert set(cluster_candidates(only.items, np.arange(20))) == {"g"}
    assert set(cluster_candidates(only.items, np.arange(0, 20, 2))) == set()


def test_a_possible_cluster_is_named_with_what_it_would_do_to_the_error_bar():
    old, new = _run(_passages), _run(_passages, flip=5)
    row_ = es.compare(old, new).only
    (found,) = row_.design.cluster_candidates
    clustered = es.compare(old, new, cluster="passage").only.difference.standard_error
    assert (found.field, found.n_clusters, found.mean_size) == ("passage", 6, 4.0)
    assert found.ratio == pytest.approx(clustered / row_.difference.standard_error, rel=1e-12)
    assert row_.design.cluster_source == "none"


def test_cluster_none_silences_it(capsys, tmp_path):
    rows = [{"item": f"q{i}", "score": int(i % 3 > 0), "passage": _passages(i)} for i in range(24)]
    path = write_csv(tmp_path / "run.csv", rows)
    assert es.score(path).only.design.cluster_candidates != ()
    row_ = es.score(path, cluster="none").only
    assert (row_.design.cluster_candidates, row_.design.unit) == ((), "item")
    printed = command(capsys, "score", path, "--cluster", "none")["scores"][0]
    assert printed["design"]["cluster_candidates"] == []
    assert not any("clusters" in said for said in printed["not_checked"])


def test_a_view_without_clusters_offers_none():
    rows = [
        row(f"q{i}", float((i + e) % 3 > 0), epoch=e, fields={"passage": _passages(i)})
        for i in range(24)
        for e in (1, 2)
    ]
    assert es.score(log(rows)).only.design.cluster_candidates != ()
    assert es.score(log(rows), view="fixed_items").only.design.cluster_candidates == ()


def test_a_field_whose_groups_are_all_alike_has_no_ratio_to_offer():
    """Every passage is half right: by passages nothing varies, which is no error bar of 0."""
    rows = [row(f"q{i}", float(i % 2), fields={"passage": i // 4}) for i in range(24)]
    old, new = log(rows), log([r._replace(score=1.0) for r in rows])
    assert es.score(old).only.design.cluster_candidates == ()
    assert es.compare(old, new).only.design.cluster_candidates == ()
