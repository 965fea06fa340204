"""Axes hold what they must and never clip; marks are as many as the items; coins add up."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalstats.report import figures
from evalstats.results import Estimate

REACHES = st.floats(1e-6, 1e6)


@given(REACHES, st.booleans(), st.integers(2, 6))
def test_a_difference_axis_is_symmetric_and_holds_its_reach(reach, fraction, steps):
    axis = figures.difference_axis(reach, fraction, steps)
    assert axis.low == -axis.high
    assert axis.high >= reach * (1 - 1e-9)
    assert axis.high <= 2.6 * reach
    assert len(axis.ticks) <= 2 * steps + 1
    places = [tick.at for tick in axis.ticks]
    assert places == sorted(places)
    assert places[0] == figures.INSET
    assert places[-1] == 100 - figures.INSET
    assert [tick.at for tick in axis.ticks if tick.zero] == [50.0]
    assert not any(tick.minor for tick in axis.ticks if tick.zero)


@given(st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=6))
def test_a_score_axis_holds_every_value(values):
    axis = figures.score_axis(values, False, (None, None))
    assert axis.low <= min(values)
    assert axis.high >= max(values)
    assert len({tick.text for tick in axis.ticks}) == len(axis.ticks)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_a_score_axis_stays_inside_its_scale(values):
    axis = figures.score_axis(values, True, (0.0, 1.0))
    assert 0 <= axis.low <= min(values) + 1e-12
    assert max(values) - 1e-12 <= axis.high <= 1 + 1e-12


@given(*[st.integers(0, 400)] * 4)
def test_a_mosaic_has_one_mark_an_item_and_none_overlap(full, better, worse, hollow):
    if full + better + worse + hollow == 0:
        return
    picture = figures.mosaic(full, better, worse, hollow)
    assert picture.full.count("M") == full
    assert picture.hollow.count("M") == hollow
    assert len(picture.better) == better
    assert len(picture.worse) == worse
    marks = [*picture.better, *picture.worse]
    assert len({(mark.x, mark.y) for mark in marks}) == len(marks)
    assert all(mark.x < picture.width and mark.y < picture.height for mark in marks)


def test_the_805_items_of_the_design_stand_in_35_columns():
    picture = figures.mosaic(679, 54, 46, 26)
    assert (picture.width, picture.height) == (350, 230)


def test_many_items_are_areas_that_fill_the_strip():
    picture = figures.mosaic(3200, 550, 400, 850)
    assert picture.full == picture.hollow == ""
    assert [area.group for area in picture.areas] == ["full", "better", "worse", "hollow"]
    assert sum(area.width for area in picture.areas) == pytest.approx(100, abs=0.01)
    assert (len(picture.better), len(picture.worse)) == (550, 400)
    assert figures.mosaic(0, 3000, 3000, 0).better == ()


@given(st.integers(0, 3000), st.integers(0, 3000))
def test_coins_are_symmetric_and_hold_what_was_seen(first, second):
    if first + second == 0:
        return
    picture = figures.coins(first, second)
    assert len(picture.columns) <= 62
    assert 0 <= picture.seen <= 100
    assert max(column.height for column in picture.columns) == 1
    assert all(0 <= column.height <= 1 for column in picture.columns)


def test_the_coins_of_40_to_55_are_binomial():
    picture = figures.coins(55, 40)
    heights = [column.height for column in picture.columns]
    low = math.ceil(95 / 2 - 4 * math.sqrt(95) / 2) - 1
    chances = [math.comb(95, low + at) for at in range(len(heights))]
    assert heights == pytest.approx([chance / max(chances) for chance in chances], abs=1e-3)
    assert [c.tail for c in picture.columns].index(False) + low == 41


def test_what_is_not_known_has_no_place():
    axis = figures.difference_axis(0.1, True)
    bar = figures.bar_on(axis, Estimate("x", 0.05, math.nan, math.nan, 0.95, "t", 5))
    assert (bar.low, bar.high, bar.width) == (None, None, 0.0)
    assert bar.point == pytest.approx(74.5)


@pytest.mark.parametrize(
    ("value", "step", "text"),
    [(0.0, 0.5, "0"), (-2.0, 1.0, "\u22122"), (2.5, 0.5, "+2.5"), (2e4, 1e4, "+20,000")],
)
def test_a_tick_has_the_decimals_of_its_step(value, step, text):
    assert figures.tick_text(value, step, signed=True) == text
