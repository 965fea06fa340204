"""What is written can be read by the stream it goes to."""

import io
import math

import pytest

from evalstats.cli.output import json_text, paragraph, tell, write


def test_a_stream_that_lacks_a_character_gets_another() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    write("−0.8 · é ▲", stream)
    assert raw.getvalue() == b"-0.8 | \\xe9 ^"


def test_a_stream_that_has_all_characters_keeps_them() -> None:
    stream = io.StringIO()
    write("−0.8 · é ▲", stream)
    assert stream.getvalue() == "−0.8 · é ▲"


def test_json_has_no_nan() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_text({"x": math.nan})


def test_json_carries_no_control_or_direction_marks() -> None:
    assert json_text({"x": "\x1b\u202e"}).isascii()


def test_a_note_is_told_once_and_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    tell(["same", "other", "same"])
    assert capsys.readouterr() == ("", "note: same\nnote: other\n")


def test_a_message_keeps_its_own_lines_and_is_made_harmless() -> None:
    assert paragraph("two:\n  a\x1b[1m\n  b", 60) == "two:\n  a\\x1b[1m\n  b\n"
