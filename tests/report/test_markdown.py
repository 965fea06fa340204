"""Markdown: fifteen lines to see, the rest folded, nothing from a log taken as markup."""

import dataclasses
import re

import pytest

from evalstats.answers import Comparisons, Scorecard
from evalstats.caveats import caveat
from evalstats.report.markdown import comparisons_markdown, escaped, scorecard_markdown
from tests.report import test_scores, test_text

DESIGN = """\
**reasoning-500 · accuracy · 500 items, paired by id**

**Not settled:** the data fit anything from 0.8 points worse to 6.9 better.

|  |  |  |  |
|---|---:|---:|---|
| candidate − baseline | +3.0 points | −0.8 to +6.9 | 95 %, Tango |
| candidate week-32 | 75.0 % | 375/500 | alone: 71.0 to 78.6 |
| baseline week-31 | 72.0 % | 360/500 | alone: 67.9 to 75.8 |

<details><summary>test, power, checks</summary>
"""


def markdown(result: Comparisons | Scorecard) -> str:
    return scorecard_markdown(result) if isinstance(result, Scorecard) else comparisons_markdown(result)


RESULTS = [*test_text.ALL.values(), *test_scores.ALL.values()]


def test_the_example_of_the_design_in_markdown() -> None:
    assert comparisons_markdown(test_text.ALL["design"]).startswith(DESIGN)


@pytest.mark.parametrize("result", RESULTS)
def test_at_most_fifteen_lines_are_visible(result: Comparisons | Scorecard) -> None:
    said = markdown(result)
    visible = said[: said.index("<details>")].splitlines()
    assert len(visible) + 1 <= 15
    assert said.count("<details>") == said.count("</details>") == 1
    assert said.endswith("</details>\n")


@pytest.mark.parametrize("result", RESULTS)
def test_tables_have_one_width(result: Comparisons | Scorecard) -> None:
    for block in re.findall(r"(?:^\|.*\n)+", markdown(result), re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1


def test_many_settled_rows_do_not_push_the_rest_out_of_sight() -> None:
    result = test_text.ALL["family"]
    settled = tuple(dataclasses.replace(row, direction="regressed") for row in result.primary)
    said = comparisons_markdown(dataclasses.replace(result, primary=settled))
    assert len(said[: said.index("<details>")].splitlines()) + 1 <= 15


def test_markup_in_a_log_is_text() -> None:
    row = test_text.ALL["design"].only
    row = dataclasses.replace(
        row,
        benchmark="a|b`<script>_x_*y*",
        baseline=dataclasses.replace(row.baseline, label="[link](http://x) @team #12"),
        caveats=(caveat("few_discordant", "<img src=x>\n| table |"),),
        signature="x|`y`|v",
    )
    said = comparisons_markdown(dataclasses.replace(test_text.ALL["design"], primary=(row,)))
    assert "<script>" not in said
    assert "<img" not in said
    assert "a\\|b\\`&lt;script&gt;\\_x\\_\\*y\\*" in said
    assert "@team" not in said
    assert "`x|'y'|v`" in said


def test_a_red_flag_is_visible() -> None:
    said = comparisons_markdown(test_text.ALL["identical"])
    assert said.index("Red flag") < said.index("<details>")


def test_the_margin_is_visible() -> None:
    said = comparisons_markdown(test_text.ALL["family with margin"])
    assert said.index("Margin 1 point") < said.index("<details>")


def test_every_special_character_is_escaped() -> None:
    assert escaped("`*_[]|#~$\\") == "".join(f"\\{c}" for c in "`*_[]|#~$\\")
