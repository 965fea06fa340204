"""Many rows: one line each, regressions first, luck counted, sixty lines."""

import dataclasses

import pytest

from evalstats.answers import Comparisons
from evalstats.caveats import caveat
from evalstats.envelope import Family
from evalstats.report.families import alone_line, finding, luck_line
from evalstats.report.text import comparisons_text
from tests.report import examples


def table(said: str) -> list[str]:
    lines = said.splitlines()
    start = next(at for at, line in enumerate(lines) if "difference" in line and "alone" in line)
    return lines[start + 1 : lines.index("", start)]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_forty_benchmarks_take_at_most_sixty_lines(width: int) -> None:
    family = examples.family(40)
    crowded = tuple(
        dataclasses.replace(
            row,
            caveats=tuple(
                caveat(code, "text")
                for code in (
                    "few_discordant",
                    "few_clusters",
                    "no_spread",
                    "skewed",
                    "same_file",
                    "epochs_missing",
                )
            ),
            baseline=dataclasses.replace(row.baseline, n_missing=3),
        )
        for row in family.primary
    )
    for result in (family, dataclasses.replace(family, primary=crowded)):
        said = comparisons_text(result, width)
        assert len(said.splitlines()) <= 60
        assert len(table(said)) == 40
    assert "more notes: see --json" in said


def test_regressions_come_first_then_improvements() -> None:
    rows = table(comparisons_text(examples.family(40), 120))
    assert rows[0].startswith("  ▼  benchmark_00")
    assert rows[1].startswith("  ▲  benchmark_01")
    assert all(row.startswith("     benchmark") for row in rows[2:])


def test_the_finding_is_from_lit_rows_only() -> None:
    said = finding(examples.family(40).primary)
    assert said == (
        "1 of 40 regressed: benchmark_00_of_the_suite −15.0\u00a0points (−20.2 to −9.8); "
        "1 of 40 improved: benchmark_01_of_the_suite +13.8\u00a0points (+9.2 to +18.5). "
        "The other 38 are not settled."
    )
    unlit = [row for row in examples.family(40).primary if row.direction == "not_settled"]
    assert finding(unlit) == "Nothing is settled on any of the 38 benchmarks."


def test_names_stay_apart_where_there_is_little_room() -> None:
    rows = table(comparisons_text(examples.family(40), 60))
    assert len({row.split()[1 if row[2] in "▼▲" else 0] for row in rows}) == 40


def test_luck_is_counted_before_and_after_the_correction() -> None:
    rows = examples.family(40).primary
    holm = luck_line(Family("holm", 0.05, 40, 0, 1.62), rows)
    assert "about 1.6 of 40 would light uncorrected" in holm
    assert "after Holm, any at all in at most 5\u00a0% of cases" in holm
    false_discovery = luck_line(Family("benjamini_hochberg", 0.05, 40, 2, 1.62), rows)
    assert "of 2 lit here, about 0.1 are expected to be luck" in false_discovery
    assert "2\u00a0rows without p not counted" in false_discovery
    assert luck_line(None, rows).startswith("No correction:")


def test_intervals_are_each_alone_and_what_correction_keeps_unlit_is_named() -> None:
    family = examples.family(3)
    unlit = dataclasses.replace(
        examples.pass_fail(20, 40, 400, 220, reject=False), benchmark="nearly", adjusted=0.08
    )
    result = dataclasses.replace(family, primary=(*family.primary, unlit))
    said = " ".join(comparisons_text(result, 120).split())
    assert "Alone nearly would exclude zero; not after correction over 3 rows." in said


def test_each_row_has_the_smallest_difference_it_would_show_or_the_range_is_said() -> None:
    assert "≥ 4.0" in comparisons_text(examples.family(40), 80)
    assert "4.0 to 7.9 points, by row" in " ".join(comparisons_text(examples.family(40), 60).split())


def test_a_margin_is_answered_row_by_row_each_alone() -> None:
    said = comparisons_text(examples.family(7, margin=0.01), 120)
    assert (
        "Margin 1 point, each row alone: 1 worse by more than it, 5 not shown either way, 1 not worse."
        in said
    )
    assert any(row.rstrip().endswith("worse      ≥ 4.0") for row in table(said))


def test_scores_of_several_units_are_said_to_be() -> None:
    family = examples.family(3)
    judge = dataclasses.replace(examples.judge(reject=False), adjusted=0.11)
    result = Comparisons((*family.primary, judge), (), family.provenance, family=family.family)
    said = " ".join(comparisons_text(result, 120).split())
    assert "Differences in points; helpfulness in the score's own unit." in said
    assert "−0.35 to −0.01" in said


def test_without_a_correction_a_row_whose_interval_and_p_disagree_is_named() -> None:
    """5 against 14 of 500: Tango's interval excludes 0 and exact McNemar has p = 0.064."""
    border, plain = examples.pass_fail(5, 14), examples.pass_fail()
    rows = (
        dataclasses.replace(border, benchmark="at_the_border"),
        dataclasses.replace(plain, benchmark="clear"),
    )
    said = " ".join(alone_line(None, rows).split())
    assert "On at_the_border interval and p disagree about zero" in said
    assert "disagree" not in alone_line(None, (plain, plain))
