"""Where a result came from, and the command that makes it again."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

from evalstats.envelope import Provenance
from evalstats.report.terminal import clean

_SHOWN_PATH = 200
_SIZES = ("margin", "effect")
_FLAGS = {"paired": "unpaired", "labels": "label", "measures": "measure"}
_LISTS = ("by", "human", "measures", "categories")  # written as A,B


def command_line(origin: Provenance, fraction: bool = True) -> list[str]:
    """The words of the command that was given, or would have been, each quoted; none for data in memory.

    fraction : the scores go from 0 to 1, and a margin that a call gave as a fraction is written in points.

    >>> command_line(Provenance("compare", ("360/500", "375/500"), (), {"discordant": [40, 55]}, 0))
    ['evalstats', 'compare', '360/500', '375/500', '--discordant', '40', '55']
    """
    if not all(origin.runs):
        return []
    words = ["evalstats", origin.call, *origin.runs]
    for name, value in origin.options.items():
        if name in _SIZES and isinstance(value, int | float) and fraction:
            value = f"{100 * value:.6g}pt"
        words += _option(_FLAGS.get(name, name).replace("_", "-"), name, value)
    return [clean(shlex.quote(word)) for word in words]


def _option(flag: str, name: str, value: Any) -> Iterator[str]:
    if isinstance(value, bool):
        yield f"--{flag}"
    elif name == "labels":
        for label in value:
            yield from (f"--{flag}", str(label))
    elif name == "bounds":
        yield from (f"--{flag}", ",".join(f"{end:g}" for end in value))
    elif name in _LISTS and isinstance(value, list | tuple):
        yield from (f"--{flag}", ",".join(map(str, value)))
    elif isinstance(value, list | tuple):
        yield from (f"--{flag}", *map(str, value))
    else:
        yield from (f"--{flag}", str(value))


def inputs(origin: Provenance) -> list[dict[str, str]]:
    """Each file behind the numbers: whose it is, where it was, its hash."""
    return [
        {
            "role": clean(each.role, 20),
            "label": clean(each.label, 60),
            "path": clean(each.path, _SHOWN_PATH),
            "format": clean(each.format, 20),
            "sha256": clean(each.sha256 or "", 64),
        }
        for each in origin.inputs
    ]
