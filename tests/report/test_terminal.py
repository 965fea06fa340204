"""Lines fit the terminal, and nothing from a log can act on it."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalstats.report.terminal import (
    NB,
    cells,
    clean,
    pad,
    shortened,
    wants_color,
    width_of,
    wrap,
    wrap_signature,
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    "hostile", ["\x1b[2J", "a\nb", "\u202eabc", "\u2066x\u2069", "\x00", "\u200b", "\x9b31m"]
)
def test_control_and_direction_marks_are_spelled_out(hostile: str) -> None:
    assert clean(hostile).isprintable()
    assert "\\" in clean(hostile)


@given(st.text(), st.integers(2, 40))
def test_cleaned_text_is_printable_and_fits(text: str, most: int) -> None:
    assert clean(text).isprintable()
    assert cells(clean(text, most)) <= most


def test_wide_characters_take_two_cells_and_combining_ones_none() -> None:
    assert cells("模型") == 4
    assert cells("e\u0301") == 1
    assert pad("模", 4) == "模  "
    assert pad("7", 3, right=True) == "  7"


@given(st.lists(st.text("abc 1" + NB, max_size=12), max_size=12), st.sampled_from([40, 60, 80]))
def test_wrapped_lines_fit_and_keep_every_word(words: list[str], width: int) -> None:
    text = " ".join(words)
    lines = wrap(text, width, 2, 2)
    assert all(cells(line) <= width for line in lines)
    assert " ".join(lines).split() == text.replace(NB, " ").split()


def test_a_number_stays_with_its_unit() -> None:
    lines = wrap(f"{'x' * 30} 5.5{NB}points", 38, 0)
    assert lines == ["x" * 30, "5.5 points"]


def test_the_lines_of_a_signature_join_to_the_signature() -> None:
    signature = "difference|tango|n:500|level:0.95|test:mcnemar_exact|v:0.1.0"
    lines = wrap_signature(signature, 40)
    assert "".join(line.strip() for line in lines) == signature
    assert all(cells(line) <= 40 for line in lines)


def test_shortened_names_stay_different() -> None:
    names = [f"mmlu_{subject}_multiple_choice_v2" for subject in ("biology", "physics", "law")]
    for most in (14, 20, 30):
        assert len(set(shortened(names, most))) == 3
        assert all(cells(name) <= most for name in shortened(names, most))


@pytest.mark.parametrize(("columns", "width"), [("60", 60), ("500", 120), ("7", 40), ("", 80), ("x", 80)])
def test_the_width_is_that_of_columns_within_reason(columns: str, width: int) -> None:
    assert width_of(io.StringIO(), {"COLUMNS": columns}) == width


def test_colour_needs_a_terminal_and_nobody_against_it() -> None:
    assert wants_color(Terminal(), {})
    assert not wants_color(Terminal(), {"NO_COLOR": "1"})
    assert not wants_color(Terminal(), {"TERM": "dumb"})
    assert not wants_color(io.StringIO(), {})
