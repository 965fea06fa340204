"""The text of a score: value, interval, standard error, nothing seen, missing, many benchmarks."""

import dataclasses
import math
import re

import pytest

from evalstats.answers import Scorecard
from evalstats.report.terminal import cells
from evalstats.report.text import scorecard_text
from tests.report import examples

ONE = """\
reasoning-500 · accuracy · 500 items

  week-31   72.0 %   67.9 to 75.8   360/500    (95 %, Wilson)

  Standard error 2.0 points; half of it takes four times the items.

  Reach: questions like these. Not checked: clusters (none declared; passage_id has 15 groups of 4).
  accuracy|wilson|n:500|level:0.95|v:0.1.0
"""

ALL = {
    "one": examples.scorecard(),
    "none": examples.scorecard(examples.score(0, 100)),
    "all": examples.scorecard(examples.score(100, 100)),
    "rare": examples.scorecard(examples.score(3, 2000)),
    "clusters": examples.scorecard(examples.clustered_score()),
    "judge": examples.scorecard(examples.judge_score()),
    "several": examples.scorecard(examples.score(), examples.clustered_score(), examples.judge_score()),
}


def said(card: Scorecard, width: int = 120) -> str:
    return " ".join(scorecard_text(card, width).split())


def test_one_score_is_printed_to_the_letter() -> None:
    assert scorecard_text(examples.scorecard(), 100) == ONE


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("name", ALL)
def test_scores_fit_the_terminal_and_claim_nothing(name: str, width: int) -> None:
    text = scorecard_text(ALL[name], width)
    assert all(cells(line) <= width for line in text.splitlines())
    assert not re.search(r"\b(nan|NaN|None|inf)\b", text)
    coloured = scorecard_text(ALL[name], width, True)
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == text


def test_nothing_seen_has_the_exact_one_sided_bound_and_the_rule_of_three() -> None:
    text = said(ALL["none"])
    assert "0.0 % 0.0 to 3.7 0/100" in text
    assert "Not one seen in 100 items: at most 3.0 % (exact one-sided 95 %" in text
    assert "rule of three, 3/n: 3.0 %" in text
    assert "All of 100 items: at least 97.0 %" in said(ALL["all"])


def test_counts_are_not_said_twice() -> None:
    row = examples.score()
    row = dataclasses.replace(row, run=dataclasses.replace(row.run, label="360/500"))
    assert "360/500 72.0 % 67.9 to 75.8 (95 %, Wilson)" in said(examples.scorecard(row))


def test_a_rare_event_has_the_decimals_it_needs() -> None:
    assert "0.15 % 0.05 to 0.44 3/2000" in said(ALL["rare"])


def test_a_clustered_score_names_its_clusters_and_completions() -> None:
    text = said(ALL["clusters"])
    assert "60 items × 2 completions in 15 clusters of passage_id" in text
    assert "half of it takes four times the clusters" in text
    assert "15 clusters of passage_id: fewer than 20." in text


def test_missing_items_are_counted_and_bounded() -> None:
    row = examples.score()
    run = dataclasses.replace(row.run, n_total=503, n_missing=1, n_errored=2)
    card = examples.scorecard(dataclasses.replace(row, run=run, missing_bounds=(0.7157, 0.7217)))
    assert (
        "Without a score: 3 of 503 items in week-31 (2 errored). Were all wrong: 71.6 %; all right: 72.2 %."
        in said(card)
    )


def test_a_score_without_interval_says_why() -> None:
    row = examples.score()
    estimate = dataclasses.replace(
        row.run.estimate,
        ci_low=math.nan,
        ci_high=math.nan,
        extra={"undefined": {"ci_low": "one item has no spread"}},
    )
    card = examples.scorecard(dataclasses.replace(row, run=dataclasses.replace(row.run, estimate=estimate)))
    assert "no interval 360/500 (one item has no spread)" in said(card)


def test_several_benchmarks_take_one_line_each() -> None:
    text = scorecard_text(ALL["several"], 120)
    assert text.startswith("week-31 · 3 benchmarks\n")
    assert (
        "  reasoning-500  judge_mean    200    6.63  6.35 to 6.91            0.14  Wilson on the effective n"
        in text
    )
    assert "clustered: fewer than 20 clusters" in text


def test_what_some_rows_checked_is_not_said_of_all() -> None:
    rows = [
        examples.score(not_checked=("clusters (none declared)", "decoding noise")),
        examples.score(not_checked=("decoding noise",)),
    ]
    said = " ".join(scorecard_text(examples.scorecard(*rows)).split())
    assert "Not checked: clusters (none declared), on 1 of 2; decoding noise." in said
