"""Write docs/which.md from the routing table: python docs/which.py"""

from __future__ import annotations

from pathlib import Path

from evalstats.analyses.which import which
from evalstats.report.which_text import which_markdown

PAGE = Path(__file__).with_suffix(".md")
_HEAD = """\
# Which tool

The situation decides the tool. `evalstats which` prints this table, `evalstats which 7` one row in full,
`evalstats which zero failures` the rows with these words, `--runs two --units clusters` those that fit, and
`--ask` asks. `score` and `compare` choose by the same method tables; this page is generated from them
(`python docs/which.py`).

"""


def written() -> str:
    """The page."""
    return _HEAD + which_markdown(which())


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
