"""`evalstats show RUN`, and `evalstats show formats`: the logs that can be read."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from evalstats._version import __version__
from evalstats.analyses.show import Contents, show
from evalstats.readers.detect import FORMATS
from evalstats.report.show_text import contents_text
from evalstats.report.terminal import clean, wrap


@dataclass(frozen=True)
class Formats:
    """The formats as people call them, in the order in which they are tried."""

    titles: dict[str, str]

    def to_dict(self) -> dict[str, Any]:
        return {"schema": "evalstats/formats/1", "version": __version__, "formats": self.titles}


def contents(run: str) -> Contents | Formats:
    """What a run holds; the formats when "formats" is asked for and is no file."""
    if run == "formats" and not os.path.exists(run):
        return Formats({form.name: form.title for form in FORMATS})
    return show(run)


def text(result: Contents | Formats, width: int, color: bool) -> str:
    if isinstance(result, Contents):
        return "".join(f"{clean(line)}\n" for line in contents_text(result, width).splitlines())
    lines = ["A run can be:"]
    for title in (*result.titles.values(), "counts, such as 360/500"):
        lines += wrap(title, width, 2, 2)
    lines += wrap(
        "In Python also a data frame (pandas, Polars, PyArrow, DuckDB) or a list of dicts.", width, 0
    )
    return "\n".join(lines) + "\n"
