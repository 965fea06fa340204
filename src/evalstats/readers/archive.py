"""Guarded opening of what logs come in: text (plain, gz, zst) and zip members, and typed JSON from both.

Nothing is extracted to disk. Whatever is wrong with a file is an InputError that names it and says how
to mend it; a member or text that swells beyond reason is refused before it fills the memory.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, TracebackType
from typing import IO, Any, TypeVar

import msgspec

from evalstats.errors import InputError

HEAD = 16_384  # bytes shown to detect()
LONGEST_LINE = 128 * 2**20  # images in base64 make lines of tens of megabytes; more is no line
LARGEST_MEMBER = 4 * 2**30
SMALL = 512 * 2**20  # below this no ratio is dangerous
LARGEST_RATIO = 500  # logs shrink 5 to 100 times, bombs a thousand times and more

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_COPY = "Copy it again from where it was written."
_BOM, _UTF16 = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")

T = TypeVar("T")


def head(path: Path) -> bytes:
    """The first bytes of a file, unwrapped if it is gz or zst and without a byte order mark."""
    with _opened(path) as file:
        return _guarded(path, lambda: file.read(HEAD)).removeprefix(_BOM)


def lines(path: Path, blank: bool = False) -> Iterator[tuple[int, bytes]]:
    """Each line with its number from 1 and its end, if it has one; blank ones only if asked for."""
    growth = _Growth(path)
    with _opened(path) as file:
        number = 0
        while line := _guarded(path, lambda: file.readline(LONGEST_LINE + 1)):
            number += 1
            if len(line) > LONGEST_LINE:
                raise InputError(
                    f"{path}, line {number} is longer than {LONGEST_LINE >> 20} MB: is this a file of lines?"
                )
            growth.add(len(line))
            if number == 1:
                line = _text(path, line)
            if blank or not line.isspace():
                yield number, line


def contents(path: Path) -> bytes:
    """The whole text of a file, unwrapped and without a byte order mark."""
    growth, parts = _Growth(path), []
    with _opened(path) as file:
        if isinstance(file, io.BufferedReader):  # not wrapped
            return _text(path, _guarded(path, file.read))
        while part := _guarded(path, lambda: file.read(2**20)):
            growth.add(len(part))
            parts.append(part)
    return _text(path, b"".join(parts))


def decoded(data: bytes, decoder: msgspec.json.Decoder[T], path: Path, at: int | str = "") -> T:
    """JSON as the decoder's type. NaN and Infinity literals become null. at : line or member, for errors.

    What fails is read again by the standard library, which accepts those literals and half characters
    (a lone surrogate becomes "?"); what fails twice is an InputError.
    """
    try:
        return decoder.decode(data)
    except (ValueError, msgspec.MsgspecError, RecursionError):
        pass
    try:
        loaded = json.loads(data, parse_constant=lambda _: None)
        return decoder.decode(json.dumps(loaded, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, msgspec.MsgspecError, RecursionError) as error:
        raise InputError(_unreadable(data, error, path, at)) from None


class ZipLog:
    """A zip file read member by member (deflate or Zstandard, method 93). mend : what to do if broken."""

    def __init__(self, path: Path, mend: str) -> None:
        self.path, self._mend, module = path, mend, _zipfile()
        try:
            self._zip = module.ZipFile(path)
        except module.BadZipFile:
            raise InputError(
                f"{path} is cut off or damaged: the index at the end of the zip file is missing. {mend}"
            ) from None
        except OSError as error:
            raise InputError(f"{path} cannot be opened: {error.strerror or error}.") from None
        self.names: tuple[str, ...] = tuple(dict.fromkeys(self._zip.namelist()))

    def __enter__(self) -> ZipLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()

    def __contains__(self, name: str) -> bool:
        return name in self._zip.NameToInfo

    def read(self, name: str) -> bytes:
        """One member; of several with this name the last, which is the newest."""
        member = self._zip.getinfo(name)
        where = f"{self.path}: its member {name!r}"
        if _swells(member.file_size, member.compress_size):
            raise InputError(
                f"{where} would unpack from {member.compress_size:,} to {member.file_size:,} bytes. "
                f"That is no log; it was not read."
            )
        try:
            return bytes(self._zip.read(member))
        except _broken() as error:
            raise InputError(f"{where} is damaged ({error}). {self._mend}") from None


class _Growth:
    """Refuses a wrapped text that unpacks to absurdly more than its file."""

    def __init__(self, path: Path) -> None:
        self.path, self.packed, self.total = path, path.stat().st_size, 0

    def add(self, size: int) -> None:
        self.total += size
        if self.total > SMALL and self.total > LARGEST_RATIO * self.packed:
            raise InputError(
                f"{self.path} unpacks from {self.packed:,} bytes to more than {self.total:,}. "
                f"That is no log; it was not read further."
            )


def _swells(size: int, packed: int) -> bool:
    return size > LARGEST_MEMBER or (size > SMALL and size > LARGEST_RATIO * packed)


def _opened(path: Path) -> IO[bytes]:
    try:
        with path.open("rb") as file:
            start = file.read(4)
    except OSError as error:
        raise InputError(f"{path} cannot be opened: {error.strerror or error}.") from None
    if start.startswith(_GZIP):
        import gzip  # start-up budget: most logs are plain

        unzipped: IO[bytes] = gzip.open(path, "rb")  # type: ignore[assignment]  # noqa: SIM115 (the caller's with)
        return unzipped
    if start == _ZSTD:
        unpacked: IO[bytes] = _zstd().open(path, "rb")
        return unpacked
    return path.open("rb")


def _guarded(path: Path, read: Callable[[], bytes]) -> bytes:
    try:
        return read()
    except _broken() as error:
        raise InputError(f"{path} is cut off or damaged ({error}). {_COPY}") from None


def _text(path: Path, start: bytes) -> bytes:
    if start.startswith(_UTF16):
        raise InputError(f"{path} is UTF-16 text. Save it as UTF-8.")
    return start.removeprefix(_BOM)


def _unreadable(data: bytes, error: Exception, path: Path, at: int | str) -> str:
    where = f"{path}, line {at}" if isinstance(at, int) else f"{path}: its member {at!r}" if at else f"{path}"
    if isinstance(at, int) and not data.endswith(b"\n"):
        return (
            f"{where}: the file ends in the middle of this line ({error}); the run or the copy was stopped. "
            f"Delete the line, or copy the file again."
        )
    mend = "Mend or delete that line." if isinstance(at, int) else _COPY
    return f"{where} cannot be read: {error}. {mend}"


def _broken() -> tuple[type[Exception], ...]:
    """What the standard library and zstd raise for damaged, cut off or encrypted data."""
    import zlib  # with gzip and zipfile, which load it

    return (
        _zipfile().BadZipFile,
        _zstd().ZstdError,
        zlib.error,
        EOFError,
        OSError,
        NotImplementedError,
        RuntimeError,
    )


def _zipfile() -> ModuleType:
    """A zipfile that knows Zstandard: the standard library's from 3.14 on. Loaded on use (start-up)."""
    if sys.version_info >= (3, 14):
        import zipfile
    else:
        from backports.zstd import zipfile
    module: ModuleType = zipfile
    return module


def _zstd() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd
