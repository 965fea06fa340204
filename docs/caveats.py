"""Write docs/caveats.md from the table of caveats: python docs/caveats.py"""

from __future__ import annotations

from pathlib import Path

from evalstats.caveats import ADVICE, CAVEATS

PAGE = Path(__file__).with_suffix(".md")
_HEAD = """\
# Caveats

What an answer rests on is part of the answer. A caveat is a stable code with a sentence: `caveats` of every
row in `--json`, `extra["caveats"]` of a result in Python, a line in the text. The list is closed, and this
page is generated from it (`python docs/caveats.py`). Caveats about coverage are silent beside an interval
that is proved (`--guarantee`).

`evalstats score RUN --fail-on few_clusters,missing_items` exits with 4 when one of the named caveats fired
(`compare` likewise), after printing the answer; in `gate` it makes the answer inconclusive (exit 3).

| code | what it says | what to do |
|---|---|---|
"""


def written() -> str:
    """The page."""
    rows = (f"| `{code}` | {meaning} | {ADVICE[code]} |\n" for code, meaning in CAVEATS.items())
    return _HEAD + "".join(rows)


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
