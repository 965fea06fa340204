"""Charts with the extra, and one sentence without it."""

from __future__ import annotations

import sys

import pytest

import evalstats as es
from evalstats.cli.main import main
from evalstats.errors import InputError
from evalstats.report import charts
from tests.report import examples

RESULTS = {
    "interval": examples.design_example,
    "margin": lambda: examples.design_example(margin=0.02),
    "judge": lambda: examples.only(examples.judge()),
    "no_interval": lambda: examples.only(examples.no_interval()),
    "forest": lambda: examples.family(12),
    "score": examples.scorecard,
    "scores": lambda: examples.scorecard(examples.score(), examples.clustered_score()),
    "estimate": lambda: es.proportion(360, 500),
}


def absent(monkeypatch, module):
    """As if the extra were not installed."""
    monkeypatch.setitem(sys.modules, module, None)


def values(chart):
    """The records of a chart's data, but those of its rules."""
    document = chart.to_dict()
    held = [each["data"] for each in (document, *document.get("layer", ())) if "data" in each]
    return next(data["values"] for data in held if "at" not in data["values"][0])


@pytest.mark.parametrize("name", list(RESULTS))
def test_a_chart_is_valid_and_has_units_on_its_axis(name):
    pytest.importorskip("altair")
    document = RESULTS[name]().chart().to_dict()  # validated against Vega-Lite's schema
    titles = str(document)
    assert any(unit in titles for unit in ("points", "per cent", "score"))


def test_the_interval_has_the_numbers_of_the_result_in_points():
    pytest.importorskip("altair")
    result = examples.design_example(margin=0.02)
    (record,) = values(result.chart())
    difference = result.only.difference
    assert record["low"] == pytest.approx(100 * difference.ci_low)
    assert record["high"] == pytest.approx(100 * difference.ci_high)
    assert (record["low_text"], record["point_text"], record["high_text"]) == ("\u22120.8", "+3.0", "+6.9")


def test_a_forest_has_a_row_each_regressions_first_and_colour_only_where_settled():
    pytest.importorskip("altair")
    result = examples.family(12)
    records = values(result.chart())
    assert [record["tone"] for record in records[:3]] == ["worse", "better", "not settled"]
    assert {record["row"] for record in records} == {row.benchmark for row in result}


def test_the_discordance_has_a_mark_an_item():
    pytest.importorskip("altair")
    records = values(examples.design_example().chart("discordance"))
    words = [record["outcome"] for record in records]
    assert len(words) == 500
    assert words.count("only week-32 right (55)") == 55
    assert words.count("only week-31 right (40)") == 40


def test_the_discordance_of_many_items_is_a_strip():
    pytest.importorskip("altair")
    records = values(examples.only(examples.pass_fail(400, 550, 5000, 3200)).chart("discordance"))
    assert [record["items"] for record in records] == [3200, 550, 400, 850]


def test_what_has_no_such_picture_says_so():
    pytest.importorskip("altair")
    with pytest.raises(InputError, match="interval, forest, discordance"):
        examples.design_example().chart("pie")
    with pytest.raises(InputError, match="of one row and there are 12: choose one, such as 'benchmark"):
        examples.family(12).chart("discordance")
    with pytest.raises(InputError, match="not paired"):
        examples.only(examples.unpaired()).chart("discordance")
    with pytest.raises(InputError, match="no one axis holds"):
        examples.scorecard(examples.score(), examples.judge_score()).chart()
    with pytest.raises(InputError, match="a TestResult has no chart"):
        es.mcnemar_counts(40, 55).chart()


def test_without_altair_a_chart_is_one_sentence_with_the_command(monkeypatch):
    absent(monkeypatch, "altair")
    with pytest.raises(InputError) as refused:
        examples.design_example().chart()
    assert str(refused.value) == (
        "a chart needs Altair, which is not installed: pip install 'evalstats-tally[charts]'"
    )


@pytest.mark.parametrize("missing", ["altair", "vl_convert"])
def test_without_the_extra_a_picture_is_refused_with_the_command(monkeypatch, tmp_path, capsys, missing):
    if missing == "vl_convert":
        pytest.importorskip("altair")
    absent(monkeypatch, missing)
    assert main(["score", "360/500", "--png", str(tmp_path / "x.png")]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "pip install 'evalstats-tally[" in said
    assert list(tmp_path.iterdir()) == []


def test_pictures_are_written(tmp_path, capsys):
    pytest.importorskip("vl_convert")
    paths = {kind: tmp_path / f"result.{kind}" for kind in ("png", "svg")}
    command = ["compare", "360/500", "375/500", "--discordant", "40", "55"]
    assert main([*command, "--png", str(paths["png"]), "--svg", str(paths["svg"])]) == 0
    assert paths["png"].read_bytes().startswith(b"\x89PNG")
    drawn = paths["svg"].read_text(encoding="utf-8")
    assert drawn.startswith("<svg")
    assert "\u22120.8" in drawn
    assert "+6.9" in drawn
    assert "Not settled" in capsys.readouterr().out


def test_the_chart_of_numbers_that_are_not_known_has_no_interval():
    pytest.importorskip("altair")
    (record,) = values(charts.chart(examples.no_interval()))
    assert record["low"] is None
    assert record["low_text"] == ""
