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

*Measured .935 with 10+ informative, .860 at the edge, on average .949* is coverage: how often an interval at
95 % held the truth in simulations; .950 is wanted. First the worst case with ten or more informative units
(of a pass rate the rarer of right and wrong items; of a pair the items that differ), then the worst of all,
then the mean; † is outside what is promised, and a caveat says so. [Coverage](coverage/README.md) has every
case.

"""


def written() -> str:
    """The page."""
    return _HEAD + which_markdown(which())


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
