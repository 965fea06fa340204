"""A ranking as text, Markdown, notebook, page and chart: one finding, one set of digits, nothing of a log."""

from __future__ import annotations

import dataclasses
import json
import re
from functools import cache

import numpy as np
import pytest

import evalstats as es
from evalstats.analyses.rank_result import Ranking
from evalstats.errors import InputError
from evalstats.report.html.document import ranking_of
from evalstats.report.html.page import page, result_page
from evalstats.report.html.rank import group_bars, rank_axis
from evalstats.report.rank_text import rank_markdown, rank_text
from evalstats.report.rank_wording import flags, group_names, groups
from tests.analyses.test_rank import TABLE, VALIDATOR, models
from tests.made_runs import Record
from tests.report.html.pages import HOSTILE, Read
from tests.report.test_slices import _width


def _hostile() -> list[Record]:
    names = (HOSTILE, "a|b\nc\rd\te", "\x1b[31mred\x07", "\u202egnp.exe\u2066", "`x` **b** @team", "x" * 190)
    return [{**one, "model": names[int(one["model"][1:])]} for one in models(K=6, n=40)]


def _wide(K: int) -> list[Record]:
    """A column a model, K of them, neighbours of which differ little."""
    rng = np.random.default_rng(5)
    right = rng.random((600, K)) < np.linspace(0.1, 0.9, K)
    return [{"id": f"q{i}", **{f"m{k:03d}": int(row[k]) for k in range(K)}} for i, row in enumerate(right)]


@cache
def results() -> dict[str, Ranking]:
    judge = [{**one, "score": 1 + 8 * one["score"] + int(one["id"][1:]) % 2} for one in models()]
    lost = [one for one in models() if not (one["model"] == "m1" and one["id"] < "q010")]
    several = [{**one, "benchmark": f"b{b:02d}"} for b in range(3) for one in models(n=30, seed=b)]
    many = [{**one, "benchmark": f"b{b:02d}"} for b in range(60) for one in models(K=3, n=12, seed=b)]
    return {
        "example": es.rank(TABLE),
        "sixty": es.rank(_wide(60), n_boot=200),
        "judge": es.rank(judge, bounds=(1, 10), lower_is_better=True),
        "own items": es.rank(lost),
        "clusters": es.rank(models(), cluster="passage", joint=True),
        "guarantee": es.rank(models(), guarantee=True),
        "identical": es.rank([{**one, "score": int(one["id"][1:]) % 2} for one in models()]),
        "equal": es.rank([{**one, "score": 0.5} for one in models(n=30)]),
        "hostile": es.rank(_hostile()),
        "several": es.rank(several),
        "many": es.rank(many),
    }


NAMES = [
    "example", "sixty", "judge", "own items", "clusters", "guarantee", "identical", "equal", "hostile",
    "several", "many",
]  # fmt: skip


def test_the_names_are_those_of_the_results():
    assert list(results()) == NAMES


@pytest.mark.parametrize("width", [60, 80, 100])
@pytest.mark.parametrize("name", NAMES)
def test_text_fits_its_width_in_at_most_sixty_lines_and_prints_no_control(name, width):
    said = rank_text(results()[name], width)
    lines = said.splitlines()
    assert len(lines) <= (60 if width >= 80 else 70)
    assert all(_width(line) <= width or " " not in line.strip() for line in lines)
    assert all(c.isprintable() or c == "\n" for c in said)
    assert not any(line.endswith(" ") for line in lines)
    assert "nan" not in re.findall(r"\w+", said)


@pytest.mark.parametrize("name", NAMES)
def test_the_json_is_strict_and_valid_and_the_page_is_made_from_it_alone(name):
    document = json.loads(json.dumps(results()[name].to_dict(), allow_nan=False))
    if name != "sixty":  # the same kinds of rows, many times
        VALIDATOR.validate(document)
    assert json.loads(json.dumps(ranking_of(document).to_dict())) == document
    assert page(document) == result_page(results()[name])


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_well_formed_and_holds_no_element_of_a_log(name):
    read = Read(result_page(results()[name]))
    assert read.open == []
    kinds = {kind for kind, _ in read.elements}
    assert not kinds & {"img", "iframe", "object", "form"}
    assert sum(kind == "script" for kind, _ in read.elements) == 2
    handlers = [key for _, attributes in read.elements for key in attributes if key.startswith("on")]
    assert handlers == []


@pytest.mark.parametrize("name", ["example", "judge", "own items", "clusters"])
def test_text_markdown_page_and_notebook_say_the_same_digits(name):
    result = results()[name]
    text = rank_text(result, 120)
    rows = [line.split("  ") for line in text.splitlines() if re.match(r"^ +\d+  ", line)]
    cells = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    assert len(cells) == len(result.only)
    seen = " ".join(Read(result_page(result)).texts).replace("\u00a0", " ")
    marked, noted = rank_markdown(result), result._repr_html_()
    for row in cells:
        for cell in row:
            assert cell in seen
            assert cell in marked.replace("&nbsp;", " ")
            assert cell in noted.replace("\u00a0", " ").replace("&nbsp;", " ")


def test_the_text_of_the_example():
    said = " ".join(rank_text(results()["example"]).split())
    assert said.startswith("scores · score · 8 runs, 400 items scored in every run ")
    assert "heron is first by score; plover, curlew and avocet are not told apart from it." in said
    assert "19 of 28 pairs of runs are told apart; the others share 2 groups of up to 4 runs." in said
    assert "1 heron 83.5 % 79.5 to 86.8 1 to 4 a " in said


def test_a_leader_alone_is_said_to_be_told_apart():
    table = [{**one, "score": int(one["model"] == "m3" or int(one["id"][1:]) % 3 == 0)} for one in models()]
    said = rank_text(es.rank(table))
    assert "m3 is first, told apart from every other run." in " ".join(said.split())


def test_runs_that_share_the_first_place_are_named_together():
    said = " ".join(rank_text(results()["identical"]).split())
    assert "All share the first place by score." in said
    assert "told apart from every other run" not in said
    flag = "Red flag: One run twice? m0 and m1; m0 and m2; m0 and m3, and 3 more pairs, agree on every item."
    assert flag in said


def test_a_file_that_came_twice_is_called_by_its_path(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("id,score\n" + "".join(f"q{i},{int(i % 3 > 0)}\n" for i in range(30)))
    other = tmp_path / "c.csv"
    other.write_text("id,score\n" + "".join(f"q{i},{i % 2}\n" for i in range(30)))
    (flag,) = flags(es.rank(str(file), str(file), str(other)).only)
    assert flag.endswith(f"run 1 and run 2 agree on every item; {file} was given more than once.")


def test_equal_ends_are_said_once():
    """Each run lacks ten items of its own: every pair has as many common items."""
    lost = [one for one in models(K=3, n=60) if one["id"][2] != one["model"][1]]
    sizes = {pair.n for pair in es.rank(lost).only.pairs}
    assert len(sizes) == 1
    said = " ".join(rank_text(es.rank(lost)).split())
    assert f"each pair on its own {sizes.pop()} common items" in said


def test_groups_are_letters_or_a_range_and_numbers_where_letters_end():
    one = results()["sixty"].only
    assert group_names(one)[:2] == ["1", "2"]
    said = {groups(one, run) for run in one}
    assert any(re.fullmatch(r"\d+–\d+", text) for text in said)
    assert all(re.fullmatch(r"\d+(–\d+(, \d+ of them)?)?", text) for text in said)
    assert {groups(results()["example"].only, run) for run in results()["example"].only} == {"a", "b", "c"}


@pytest.mark.slow
def test_two_hundred_runs_are_sixty_lines():
    said = rank_text(es.rank(_wide(200), n_boot=200))
    assert len(said.splitlines()) <= 60
    assert "more runs: see --json." in said


def test_less_is_better_is_said():
    assert "Less is better; " in rank_text(results()["judge"])


def test_missing_items_are_told_with_both_counts():
    said = " ".join(rank_text(results()["own items"]).split())
    assert "each pair on its own 110 to 120 common items" in said
    assert "110 of 120 items were scored in every run, which would lose over 5 %" in said


def test_several_benchmarks_are_a_line_each():
    said = rank_text(results()["many"])
    assert said.startswith("3 runs on 60 benchmarks\n")
    assert "more benchmarks: see --json." in said
    assert rank_markdown(results()["several"]).count("\n| b0") == 3


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_gets_a_table_and_no_script(name):
    said = results()[name]._repr_html_()
    assert "<table" in said
    assert "<script" not in said
    assert "<img" not in said


def test_markdown_escapes_what_a_log_says():
    said = rank_markdown(results()["hostile"])
    assert "<script>" not in said
    assert "<img" not in said


def test_a_picture_of_ranks_keeps_its_dots_inside():
    axis = rank_axis(8)
    assert [tick.text for tick in axis.ticks][:: len(axis.ticks) - 1] == ["1", "8"]
    assert 4 < axis.at(1) < axis.at(8) < 96
    assert 4 < rank_axis(200).at(1) < rank_axis(200).at(200) < 96
    assert len(rank_axis(200).ticks) < 8


@pytest.mark.parametrize("K", range(3, 100))
def test_the_ticks_of_ranks_are_even(K):
    ranks = [int(tick.text) for tick in rank_axis(K).ticks]
    assert (ranks[0], ranks[-1]) == (1, K)
    steps = np.diff(ranks)
    assert max(steps) - min(steps) <= (1 if K >= 40 else 0)
    assert len(ranks) <= 9


def test_every_group_has_its_bar():
    one = results()["example"].only
    for run in one:
        bars = group_bars(run, len(one.groups))
        assert [int(bar.group) for bar in bars] == list(run.groups)
        assert all(bar.at >= 0 and bar.at + bar.width <= 100 for bar in bars)
        assert all(bar.width <= 8 for bar in bars)


def test_of_many_groups_those_in_a_row_are_one_bar():
    run = dataclasses.replace(results()["example"].only[0], groups=(3, 4, 5, 9))
    assert [(bar.group, bar.at, bar.width) for bar in group_bars(run, 50)] == [
        ("3", 4.0, 4.8),
        ("9", 16.0, 0.8),
    ]
    assert len(group_bars(run, 40)) == 4


def test_a_ranking_has_a_chart_and_several_have_none():
    drawn = results()["example"].chart().to_dict()
    (data,) = (
        {json.dumps(layer["data"]) for layer in drawn["layer"]}
        if "data" not in drawn
        else {json.dumps(drawn["data"])}
    )
    rows = [record["row"] for record in json.loads(data)["values"]]
    assert rows[0] == "heron · rank 1 to 4"
    with pytest.raises(InputError, match="a ranking has no chart 'interval'"):
        results()["example"].chart("interval")
    with pytest.raises(InputError, match="3 benchmarks, not one"):
        results()["several"].chart()
