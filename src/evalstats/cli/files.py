"""Files that a verb writes beside its answer: whole or not at all, and never over a log."""

from __future__ import annotations

import os
from pathlib import Path

from evalstats.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing costs as much as an interpreter's start
    from collections.abc import Mapping
    from typing import Any

ENDINGS = {"html": (".html", ".htm"), "png": (".png",), "svg": (".svg",), "junit": (".xml",)}


def wanted(given: Mapping[str, Any]) -> dict[str, Path]:
    """Kind -> file asked for. Raises InputError before anything is computed for one that cannot be.

    A file's name must end as its kind does: so no log can be named by mistake and be lost.
    """
    for kind in ENDINGS:
        if kind in given and not str(given[kind]).strip():
            raise InputError(f"--{kind} came without a name: name a file, such as result{ENDINGS[kind][0]}.")
    files = {kind: Path(given[kind]) for kind in ENDINGS if kind in given}
    for kind, path in files.items():
        if path.suffix.lower() not in ENDINGS[kind]:
            raise InputError(
                f"--{kind} {str(path)!r} must end in {ENDINGS[kind][0]}, so that no log is overwritten."
            )
        if not path.parent.is_dir():
            raise InputError(
                f"--{kind} {path}: there is no folder {str(path.parent)!r}. Make it, or name another place."
            )
        if path.is_dir():
            raise InputError(f"--{kind} {path} is a folder. Name a file in it: {path / 'result'}.{kind}.")
    return files


def save(path: Path, content: str | bytes) -> str:
    """Write all of it or nothing, and say where. Raises InputError where it cannot be written."""
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with draft.open("xb") as file:
            file.write(data)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise InputError(f"{path} cannot be written: {error.strerror}. Name another place.") from None
    return f"{path} written ({max(1, round(len(data) / 1000)):,} kB)"


def append(path: str, content: str) -> str:
    """Add to a file that others write to as well, and say so; where that fails, nothing else stops."""
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(content + "\n")
    except OSError as error:
        return f"the summary could not be added to {path}: {error.strerror}"
    return f"summary added to {path}"


def create(path: Path, content: str, suffix: str = ".toml") -> None:
    """A new file, whole or not at all. Raises InputError where one lies already, and where none can lie."""
    if path.suffix.lower() != suffix:
        raise InputError(f"{path} must end in {suffix}, so that it is known for what it is.")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(content)
    except FileExistsError:
        raise InputError(f"{path} is there already and is not overwritten. Name another file.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}. Name another place.") from None
