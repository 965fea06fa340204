"""Numbers keep their value, and a reader can tell different ones apart."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalstats.envelope import Scale
from evalstats.report.numbers import (
    MINUS,
    counted,
    listed,
    p_digits,
    p_text,
    percent,
    rate,
    reading_of,
    rounded_up,
    size_text,
)
from evalstats.report.terminal import NB

FRACTION = Scale("pass_fail", 0.0, 1.0)
JUDGE = Scale("bounded", 1.0, 10.0)


def number(text: str) -> float:
    return float(text.replace(MINUS, "-").replace(",", ""))


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ((0.72, 0.6791, 0.7576), ["72.0", "67.9", "75.8"]),
        ((1 / 30, 0.0059, 0.1667), ["3.3", "0.6", "16.7"]),
        ((0.0015, 0.00051, 0.0044), ["0.15", "0.05", "0.44"]),
        ((0.97, 0.951, 0.9817), ["97.0", "95.1", "98.2"]),
        ((0.0, 0.0, 0.037), ["0.0", "0.0", "3.7"]),
    ],
)
def test_a_rate_has_one_decimal_and_more_where_its_interval_is_narrow(
    values: tuple[float, ...], shown: list[str]
) -> None:
    reading = reading_of(values, fraction=True)
    assert [reading.plain(value) for value in values] == shown


def test_a_score_in_its_own_unit_has_digits_enough_for_its_interval() -> None:
    reading = reading_of((6.63, 6.352, 6.908), fraction=False)
    assert [reading.plain(v) for v in (6.63, 6.352, 6.908)] == ["6.63", "6.35", "6.91"]
    assert reading_of((1234.5, 1190.2, 1278.9), fraction=False).plain(1234.5) == "1234"
    assert reading_of((6.63,), fraction=False).plain(6.63) == "6.63"


def test_very_large_and_very_small_scores_are_written_with_an_exponent() -> None:
    assert reading_of((2e12, 1e12, 3e12), fraction=False).plain(2e12) == "2e+12"
    assert reading_of((2e-5, 1e-5, 3e-5), fraction=False).plain(2e-5) == f"2e{MINUS}05"


def test_a_limit_that_is_not_zero_is_not_printed_as_zero() -> None:
    reading = reading_of((0.03, 0.0003, 0.06), fraction=True)
    assert reading.signed(0.0003) == "+0.03"


def test_zero_has_no_sign() -> None:
    reading = reading_of((0.0, -0.01, 0.01), fraction=True)
    assert reading.signed(0.0) == reading.signed(-0.0) == "0.0"


@given(
    st.lists(st.floats(-1, 1), min_size=3, max_size=3),
    st.booleans(),
    st.sampled_from([1.0, 7.0, 1000.0]),
)
def test_what_is_shown_is_the_nearest_number_with_those_decimals(
    values: list[float], fraction: bool, scale: float
) -> None:
    values = values if fraction else [scale * v for v in values]
    reading = reading_of(values, fraction)
    if reading.decimals is None:
        return
    for value in values:
        shown = 100 * value if fraction else value
        assert abs(number(reading.signed(value)) - shown) <= 0.5000001 * 10**-reading.decimals


@given(st.lists(st.floats(-1, 1), min_size=3, max_size=3))
def test_different_numbers_are_shown_as_different(values: list[float]) -> None:
    reading = reading_of(values, fraction=True)
    ordered = sorted({round(100 * v, 5) for v in values})
    if all(b - a > 2e-5 for a, b in pairwise(ordered)):
        assert len({reading.plain(v) for v in values}) == len(ordered)


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.1505, "0.15"),
        (1.0, "1"),
        (0.0021, "0.0021"),
        (0.04961, "0.0496"),
        (0.05002, "0.05002"),
        (3e-9, "<0.0001"),
    ],
)
def test_a_p_value_is_never_rounded_across_alpha(p: float, text: str) -> None:
    assert p_digits(p) == text


@given(st.floats(1e-4, 1), st.sampled_from([0.1, 0.05, 0.01]))
def test_a_printed_p_value_is_on_the_right_side_of_alpha(p: float, alpha: float) -> None:
    shown = float(p_digits(p, alpha))
    assert shown == pytest.approx(p, rel=0.06)
    if abs(p - alpha) > 1e-6:
        assert (shown <= alpha) == (p <= alpha)


def test_p_text_says_below_when_it_is() -> None:
    assert p_text(3e-9) == f"p{NB}<{NB}0.0001"
    assert p_text(0.15) == f"p{NB}={NB}0.15"


@given(st.floats(1e-5, 0.999))
def test_the_smallest_difference_shown_is_never_rounded_down(mde: float) -> None:
    assert float(rounded_up(mde, FRACTION)) / 100 >= mde - 1e-9
    assert float(rounded_up(mde, FRACTION)) / 100 <= mde + 0.0010001


def test_rounding_up_goes_to_the_next_tenth_of_a_point_or_two_digits() -> None:
    assert rounded_up(0.0541, FRACTION) == "5.5"
    assert rounded_up(0.054, FRACTION) == "5.4"
    assert rounded_up(0.2613, JUDGE) == "0.27"
    assert rounded_up(151.2, Scale("unbounded")) == "160"


def test_sizes_keep_what_was_given() -> None:
    assert size_text(0.01, FRACTION) == f"1{NB}point"
    assert size_text(0.005, FRACTION) == f"0.5{NB}points"
    assert size_text(0.25, JUDGE) == "0.25"


def test_rates_have_a_unit_and_scores_have_none() -> None:
    assert rate(reading_of((0.72,), True), 0.72) == f"72.0{NB}%"
    assert rate(reading_of((6.63,), False), 6.63) == "6.63"
    assert percent(0.999) == f"99.9{NB}%"


def test_counts_and_lists_read_as_english() -> None:
    assert counted(1, "item") == f"1{NB}item"
    assert counted(9750, "item") == f"9,750{NB}items"
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(list("abcdef"), 3) == "a, b, c and 3 more"


def test_what_is_not_finite_does_not_set_the_decimals() -> None:
    assert reading_of((0.5, math.nan, math.nan), fraction=True).plain(0.5) == "50.0"
