"""A cut-off puts dates and numbers on a side, and says which cannot be placed."""

from __future__ import annotations

import pytest

from evalstats.data.splitting import split_named, split_values
from evalstats.errors import InputError


@pytest.mark.parametrize(
    ("cut", "value", "side"),
    [
        ("published<2024-06-01", "2024-05-31", "before"),
        ("published<2024-06-01", "2024-06-01", "from"),
        ("published<2024-06-01", "2024-06-01T00:00:00Z", "from"),
        ("published<2024-06-01", "2024-05-31T23:59:59+00:00", "before"),
        ("published<2024-06-01", "2024-06-01 00:30:00+02:00", "before"),
        ("published<2024-06", "2024-5", "before"),
        ("published<2024", "2023", "before"),
        ("published<2024", "2024", "from"),
        ("length<1500", "900", "before"),
        ("length<1500", "1500", "from"),
        ("length<-0.5", "-0.75", "before"),
        ("a<b<3", "3", "from"),
    ],
)
def test_a_value_is_before_or_from_it_on(cut, value, side):
    split = split_named(cut)
    assert split.side(value) == f"{side} {split.at}"


@pytest.mark.parametrize("value", ["2024", "May 2024", "05/06/2024", "12", "nan", "2024-13"])
def test_what_is_on_no_side_is_named(value):
    with pytest.raises(
        InputError, match=rf"item 'q1' has published '{value}', which is on no side of 2024-06-01"
    ):
        split_values(["2024-01-01", value, None], split_named("published<2024-06-01"), ("q0", "q1", "q2"))


def test_items_without_a_value_are_on_no_side_and_stay():
    split = split_named("year < 2024")
    assert split_values(["2020", None, "2030"], split, ("a", "b", "c")) == ["before 2024", None, "from 2024"]


@pytest.mark.parametrize("text", ["published", "<2024", "published<", "published<soon", "published<nan"])
def test_what_names_no_cut_off_says_how(text):
    with pytest.raises(InputError, match="in quotes, such as 'created<2024-06-01'"):
        split_named(text)
