"""Guarded opening: wrappings, damage, bombs."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import msgspec
import pytest
from backports import zstd
from backports.zstd import zipfile

from evalstats.errors import InputError
from evalstats.readers import archive

ANY = msgspec.json.Decoder()


def wrap(kind: str, text: bytes) -> bytes:
    return {"plain": bytes, "gz": gzip.compress, "zst": zstd.compress}[kind](text)


@pytest.mark.parametrize("kind", ["plain", "gz", "zst"])
def test_wrapped_text_reads_like_plain_text(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x"
    path.write_bytes(wrap(kind, b"\xef\xbb\xbfone\r\n\n  \ntwo\nthree"))
    assert list(archive.lines(path)) == [(1, b"one\r\n"), (4, b"two\n"), (5, b"three")]
    assert archive.contents(path) == b"one\r\n\n  \ntwo\nthree"
    assert archive.head(path).startswith(b"one")


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_wrapped_text_that_is_cut_off_is_an_error(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x"
    path.write_bytes(wrap(kind, os.urandom(50_000))[:20_000])
    for read in (archive.contents, lambda path: list(archive.lines(path))):
        with pytest.raises(InputError, match=r"x is cut off or damaged .*Copy it again"):
            read(path)


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_text_that_swells_beyond_reason_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(archive, "SMALL", 2**20)
    path = tmp_path / "x"
    path.write_bytes(wrap(kind, b"0" * (8 * 2**20)))
    for read in (archive.contents, lambda path: list(archive.lines(path))):
        with pytest.raises(InputError, match=r"unpacks from .* That is no log"):
            read(path)


def test_a_line_without_an_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "LONGEST_LINE", 1000)
    path = tmp_path / "x"
    path.write_bytes(b"short\n" + b"x" * 5000)
    with pytest.raises(InputError, match=r"x, line 2 is longer than"):
        list(archive.lines(path))


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_ZSTANDARD])
def test_a_member_that_swells_beyond_reason_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: int
) -> None:
    monkeypatch.setattr(archive, "SMALL", 2**20)
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w", method) as file:
        file.writestr("bomb.json", bytes(8 * 2**20))
        file.writestr("large.json", os.urandom(2**21))
    with archive.ZipLog(path, "Mend.") as log:
        assert len(log.read("large.json")) == 2**21
        with pytest.raises(InputError, match=r"'bomb\.json' would unpack from .* to 8,388,608 bytes"):
            log.read("bomb.json")


def test_a_repetitive_log_is_no_bomb(tmp_path: Path) -> None:
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(b'{"score": 1}\n' * 10**6))
    assert sum(1 for _ in archive.lines(path)) == 10**6


def test_the_last_of_several_members_of_one_name_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("a.json", "1")
        with pytest.warns(UserWarning, match="Duplicate name"):
            file.writestr("a.json", "2")
    with archive.ZipLog(path, "Mend.") as log:
        assert log.names == ("a.json",)
        assert log.read("a.json") == b"2"
        assert "b.json" not in log


def test_members_written_as_zip64_are_read(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_ZSTANDARD) as file,
        file.open("a.json", "w", force_zip64=True) as member,
    ):
        member.write(b"[1]")
    with archive.ZipLog(path, "Mend.") as log:
        assert log.read("a.json") == b"[1]"


def test_an_encrypted_member_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("a.json", "1")
    data = bytearray(path.read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    with (
        archive.ZipLog(path, "Mend.") as log,
        pytest.raises(InputError, match=r"'a\.json' is damaged .*Mend\."),
    ):
        log.read("a.json")


def test_literals_that_json_does_not_know_become_null(tmp_path: Path) -> None:
    data = b'{"a": NaN, "b": [Infinity, -Infinity, 1.5], "c": "NaN"}'
    assert archive.decoded(data, ANY, tmp_path) == {"a": None, "b": [None, None, 1.5], "c": "NaN"}


def test_half_a_character_becomes_a_question_mark(tmp_path: Path) -> None:
    data = json.dumps({"a": 1, "text": "x\ud83d"}).encode()
    assert archive.decoded(data, ANY, tmp_path) == {"a": 1, "text": "x?"}


@pytest.mark.parametrize("data", [b'{"a": 1e999}', b"[" * 100_000, b'{"a": \xff}', b"{'a': 1}"])
def test_what_fails_twice_is_an_error_that_names_the_line(data: bytes) -> None:
    with pytest.raises(InputError, match=r"^x, line 7 cannot be read"):
        archive.decoded(data + b"\n", ANY, Path("x"), 7)


def test_utf16_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("one\n", encoding="utf-16")
    with pytest.raises(InputError, match=r"UTF-16 text\. Save it as UTF-8"):
        list(archive.lines(path))


def test_what_cannot_be_opened_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be opened: No such file"):
        archive.head(tmp_path / "nowhere")
    with pytest.raises(InputError, match="cannot be opened"):
        archive.ZipLog(tmp_path, "Mend.")
