"""The text of a comparison: what is said, in which order, at which width."""

import dataclasses
import re

import pytest

from evalstats.answers import Comparisons
from evalstats.caveats import caveat
from evalstats.envelope import Check, Comparison
from evalstats.report.terminal import cells
from evalstats.report.text import comparisons_text
from evalstats.report.wording import headline
from tests.report import examples

DESIGN = """\
reasoning-500 · accuracy · 500 items, paired by id

  candidate − baseline   +3.0 points   −0.8 to +6.9    (95 %, Tango)

  Not settled: the data fit anything from 0.8 points worse to 6.9 better.
  p = 0.15 (McNemar exact): 40 items only week-31 got right, 55 only week-32.
  500 items show a true difference of 5.5 points or more (80 % power at this 19 % disagreement).

  week-32   candidate   75.0 %   375/500   (alone: 71.0 to 78.6)
  week-31   baseline    72.0 %   360/500   (alone: 67.9 to 75.8)

  Reach: questions like these. Not checked: clusters (none declared; passage_id has 15 groups of 4).
  difference|tango|n:500|level:0.95|test:mcnemar_exact|v:0.1.0
"""

ALL = {
    "design": examples.design_example(),
    "margin": examples.design_example(margin=0.01),
    "judge": examples.only(examples.judge()),
    "lower": examples.only(examples.judge(higher_is_better=False)),
    "unpaired": examples.only(examples.unpaired()),
    "completions": examples.only(examples.completions()),
    "identical": examples.only(examples.identical()),
    "everything": examples.only(examples.with_everything()),
    "no interval": examples.only(examples.no_interval()),
    "family": examples.family(40),
    "family with margin": examples.family(7, margin=0.01),
}


def text(row: Comparison, width: int = 200) -> str:
    return " ".join(comparisons_text(examples.only(row), width).split())


def test_the_example_of_the_design_is_printed_to_the_letter() -> None:
    assert comparisons_text(examples.design_example(), 100) == DESIGN


def test_a_row_taken_out_of_a_result_reads_like_the_result() -> None:
    answer = examples.judge()
    assert str(answer) == comparisons_text(examples.only(answer))
    family = examples.family(3)
    assert str(family[1]).splitlines()[0].startswith(family[1].benchmark)


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("name", ALL)
def test_no_line_is_longer_than_the_terminal(name: str, width: int) -> None:
    for line in comparisons_text(ALL[name], width).splitlines():
        assert cells(line) <= width, line
        assert line == line.rstrip()


@pytest.mark.parametrize("name", ALL)
def test_a_narrow_terminal_loses_no_word_of_one_row(name: str) -> None:
    if "family" not in name:
        narrow, wide = (comparisons_text(ALL[name], width) for width in (60, 120))
        tokens = [set(re.findall(r"[\w.]+", said)) for said in (narrow, wide)]
        assert tokens[0] == tokens[1]


@pytest.mark.parametrize("name", ALL)
def test_colour_changes_nothing_but_colour(name: str) -> None:
    plain, coloured = (comparisons_text(ALL[name], 80, color) for color in (False, True))
    assert "\x1b" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain


@pytest.mark.parametrize("name", ALL)
def test_words_that_claim_too_much_and_marks_of_nothing_never_appear(name: str) -> None:
    said = comparisons_text(ALL[name], 80)
    assert not re.search(r"no difference|unchanged|significant|winner", said, re.IGNORECASE)
    assert not re.search(r"\b(nan|NaN|None|inf)\b", said)


def test_only_what_is_decided_has_a_colour() -> None:
    open_row, settled = (comparisons_text(ALL[name], 80, True) for name in ("design", "lower"))
    assert "\x1b[1;34m" not in open_row
    assert "\x1b[1;31m" not in open_row
    assert "\x1b[1;34m" in settled


@pytest.mark.parametrize(
    ("margin", "said"),
    [
        (
            0.005,
            "Not settled: the data fit anything from 0.8 points worse to 6.9 better. Whether it is worse",
        ),
        (0.01, "Not worse by more than 1 point, the margin given. Whether it is better is not settled:"),
        (0.07, "Equivalent within 7 points, the margin given: the data fit anything from 0.8 points worse"),
    ],
)
def test_the_margin_is_echoed_with_its_answer(margin: float, said: str) -> None:
    assert said in text(examples.pass_fail(margin=margin))


def test_every_margin_verdict_has_its_sentence() -> None:
    regressed = examples.pass_fail(60, 20)
    assert "Regressed: the data fit anything from 4.6 to 11.6 points worse." in text(regressed)
    assert "Worse by more than 1 point, the margin given:" in text(examples.pass_fail(60, 20, margin=0.01))
    within = text(examples.pass_fail(60, 20, margin=0.2))
    assert "Regressed, by less than 20 points, the margin given:" in within
    improved = text(examples.pass_fail(20, 60, margin=0.01))
    assert "Improved: the data fit anything from 4.6 to 11.6 points better." in improved
    assert "So it is not worse by more than 1 point, the margin given." in improved


def test_better_and_worse_follow_the_score_and_the_signs_do_not() -> None:
    fall = examples.pass_fail(60, 20, higher_is_better=False)
    said = text(fall)
    assert "candidate − baseline −8.0 points −11.6 to −4.6" in said
    assert "Improved: the data fit anything from 4.6 to 11.6 points better." in said
    assert "60 items at 1 only in week-31, 20 only in week-32" in said
    assert "(lower is better)" in said


def test_a_row_that_only_correction_keeps_unlit_says_so() -> None:
    family = examples.family(40).family
    row = examples.pass_fail(30, 52, reject=False, adjusted=0.4)
    said = headline(row, family)
    assert "Not settled: alone it would exclude zero; not after correction over 40 rows" in said


def test_few_changes_are_named_where_the_interval_is_clear_of_zero() -> None:
    row = examples.pass_fail(0, 5, 50, 20)
    assert row.above_zero
    assert row.direction == "not_settled"
    assert "the interval is clear of zero, the test is not (p = 0.062)" in text(row)


def test_where_p_and_interval_disagree_the_dual_is_named() -> None:
    row = examples.pass_fail(12, 24, 200, 100)
    assert row.above_zero
    assert row.test is not None
    assert row.test.pvalue > 0.05
    said = text(row)
    assert "Tango's interval is the dual of the score test" in said
    assert f"hold the mid-p, {row.test.extra['mid_p']:.2g}, beside the interval" in said


def test_the_order_is_difference_verdict_test_power_runs_reach_signature() -> None:
    said = comparisons_text(ALL["everything"], 80)
    order = [
        "candidate − baseline",
        "Not settled:",
        "p = 0.15",
        "500 items show",
        "To show a true difference",
        "candidate   75.0 %",
        "baseline    72.0 %",
        "Without a score:",
        "Changed between the runs:",
        "Reach:",
        "By passage_id",
        "difference|tango",
    ]
    places = [said.index(part) for part in order]
    assert places == sorted(places)


def test_red_flags_stand_before_the_runs() -> None:
    said = comparisons_text(ALL["identical"], 80)
    assert said.index("Red flag:") < said.index("candidate   72.0 %")


def test_missing_scores_are_counted_and_bounded() -> None:
    said = text(examples.with_everything())
    assert "Without a score: 3 of 503 items in week-32; 3 of 503 items in week-31 (2 errored)." in said
    assert "+2.4 points (−1.4 to +6.2)" in said
    assert "not settled either way" in said


def test_what_the_counts_say_is_not_said_again() -> None:
    assert "6 items were not scored" not in text(examples.with_everything())


def test_the_join_report_tells_what_was_left_out_and_what_could_not_be_checked() -> None:
    row = examples.with_everything()
    assert row.pairing is not None
    checks = (
        *row.pairing.checks,
        Check("prompts", "note", "3 of 500 items had another prompt"),
        Check("content", "note", "not checked: these logs have no content hashes"),
    )
    said = text(dataclasses.replace(row, pairing=dataclasses.replace(row.pairing, checks=checks)))
    assert "500 in both, 12 only in the baseline, 0 only in the candidate." in said
    assert "3 of 500 items had another prompt." in said
    assert "items paired by id" not in said
    assert "whether the content of the items is the same (these logs have no content hashes)" in said


def test_changed_settings_are_shown_with_both_values() -> None:
    assert "temperature 0 → 0.7, num_fewshot none → 5" in text(examples.with_everything())


def test_needed_items_are_for_a_stated_effect_only() -> None:
    assert "To show a true difference of 1 point with 80 % power: about 14,912 items." in text(
        examples.with_everything()
    )
    assert "about" not in text(examples.pass_fail())


def test_cluster_candidates_are_named_with_what_they_would_do() -> None:
    assert (
        "By passage_id, 125 groups of 4, the error bar would be 1.2 times as wide: --cluster passage_id"
        in text(examples.with_everything())
    )


def test_what_cannot_be_known_is_said_with_its_reason() -> None:
    said = text(examples.no_interval())
    assert "no interval (one cluster: no spread to estimate)" in said
    assert "p is not known (t on CR2): one cluster." in said
    assert "would show is not known" in said


def test_a_difference_beyond_the_scale_is_not_promised() -> None:
    assert "3 items show no true difference that the scale allows" in text(
        examples.pass_fail(0, 1, 3, 1, mde=1.07)
    )


def test_fixed_items_reach_these_questions_only() -> None:
    row = examples.completions()
    fixed = dataclasses.replace(
        row.difference, extra={**row.difference.extra, "view": "fixed_items", "estimand": "row_mean"}
    )
    assert "Reach: these questions (row mean)." in text(dataclasses.replace(row, difference=fixed))


def test_other_metrics_of_the_logs_take_one_line() -> None:
    row = examples.pass_fail()
    others = tuple(dataclasses.replace(row, metric=f"m{at}", primary=False) for at in range(9))
    said = comparisons_text(Comparisons((row,), others, examples.provenance("compare")), 120)
    assert "Also in these logs: m0, m1, m2, m3, m4, m5 and 3 more (--metric)." in said


def test_hostile_and_endless_labels_do_no_harm() -> None:
    row = examples.pass_fail()
    row = dataclasses.replace(
        row,
        benchmark="\x1b[2Jbench\u202e\nmark",
        baseline=dataclasses.replace(row.baseline, label="a" * 300),
        candidate=dataclasses.replace(row.candidate, label="\x1b]0;title\x07模型" * 20),
        caveats=(caveat("few_discordant", "\x1b[31mred\nline"),),
    )
    for width in (60, 80, 120):
        said = comparisons_text(examples.only(row), width)
        assert "\x1b" not in said
        assert "\u202e" not in said
        assert all(cells(line) <= width for line in said.splitlines())


def test_labels_that_are_only_the_roles_are_not_said_twice() -> None:
    row = examples.pass_fail()
    row = dataclasses.replace(
        row,
        baseline=dataclasses.replace(row.baseline, label="baseline"),
        candidate=dataclasses.replace(row.candidate, label="candidate"),
    )
    said = comparisons_text(examples.only(row), 100)
    assert "\n  candidate   75.0 %   375/500" in said
    assert "40 items only the baseline got right, 55 only the candidate." in said
