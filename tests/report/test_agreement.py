"""Text, Markdown, notebook, page and JSON show the same digits, whatever the comparison."""

import dataclasses
import json
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from evalstats.answers import Comparisons, Scorecard
from evalstats.envelope import Comparison
from evalstats.report.html.page import result_page
from evalstats.report.markdown import comparisons_markdown, scorecard_markdown
from evalstats.report.notebook import html
from evalstats.report.numbers import MINUS
from evalstats.report.terminal import NB, cells
from evalstats.report.text import comparisons_text, scorecard_text
from tests.report import examples
from tests.report.html.pages import Read

NUMBER = r"[+−]?\d[\d.e]*"
FORBIDDEN = re.compile(r"(?i:no difference|unchanged|significant|winner)|\b(?:nan|NaN|None|inf)\b")


@st.composite
def pass_fail(draw: st.DrawFn) -> Comparison:
    counts = draw(st.lists(st.integers(0, 400), min_size=4, max_size=4).filter(any))
    margin = draw(st.none() | st.floats(0.001, 0.5))
    both_right, baseline_only, candidate_only, both_wrong = counts
    return examples.pass_fail(
        baseline_only,
        candidate_only,
        both_right + baseline_only + candidate_only + both_wrong,
        both_right,
        margin=margin,
        higher_is_better=draw(st.booleans()),
        mde=draw(st.floats(0.0001, 1.5)),
    )


@st.composite
def scores(draw: st.DrawFn) -> Comparison:
    unit = 10.0 ** draw(st.integers(-2, 5))
    point = draw(st.floats(-1, 1)) * unit
    below, above = draw(st.floats(0.001, 1)) * unit, draw(st.floats(0.001, 1)) * unit
    row = examples.judge(higher_is_better=draw(st.booleans()), mde=draw(st.floats(0.001, 1)) * unit)
    difference = examples.estimate(point, point - below, point + above, "paired_t")
    return dataclasses.replace(row, difference=difference)


def value(text: str) -> float:
    return float(text.replace(MINUS, "-"))


def decimals(text: str) -> int:
    return len(text.partition(".")[2])


def check_numbers(shown: list[str], recorded: list[float], factor: float) -> None:
    for text, number in zip(shown, recorded, strict=True):
        if "e" not in text:
            assert abs(value(text) - factor * number) <= 0.5000001 * 10.0 ** -decimals(text)


@settings(max_examples=40)
@given(pass_fail() | scores())
def test_one_row_has_the_same_digits_everywhere(row: Comparison) -> None:
    result = examples.only(row)
    recorded = json.loads(json.dumps(result.to_dict(), allow_nan=False))["comparisons"][0]["difference"]
    line = comparisons_text(result, 120).splitlines()[2]
    found = re.search(rf"baseline   ({NUMBER})(?: points?)?   ({NUMBER}) to ({NUMBER})", line)
    assert found is not None
    shown = list(found.groups())
    factor = 100.0 if row.scale.high == 1.0 else 1.0
    check_numbers(shown, [recorded[key] for key in ("point", "ci_low", "ci_high")], factor)
    interval = f"{shown[1]} to {shown[2]}"
    assert interval in comparisons_markdown(result)
    assert interval in html(result)
    assert interval in Read(result_page(result)).text
    for width in (60, 80):
        assert interval in comparisons_text(result, width)


@settings(max_examples=30)
@given(pass_fail() | scores())
def test_one_row_fits_claims_nothing_and_keeps_its_words(row: Comparison) -> None:
    result = examples.only(row)
    for width in (60, 80, 120):
        said = comparisons_text(result, width)
        assert not FORBIDDEN.search(said)
        assert all(cells(line) <= width for line in said.splitlines())
        assert NB not in said
        assert re.sub(r"\x1b\[[\d;]*m", "", comparisons_text(result, width, True)) == said
    assert not FORBIDDEN.search(comparisons_markdown(result))


@settings(max_examples=15)
@given(st.lists(pass_fail() | scores(), min_size=2, max_size=6), st.booleans())
def test_a_table_has_each_row_s_digits(rows: list[Comparison], corrected: bool) -> None:
    named = tuple(
        dataclasses.replace(row, benchmark=f"b{at}", adjusted=0.5 if corrected else None, reject=None)
        for at, row in enumerate(rows)
    )
    family = examples.family(2).family if corrected else None
    result = Comparisons(named, (), examples.provenance("compare"), family=family)
    markdown = comparisons_markdown(result)
    for width in (60, 80, 120):
        said = comparisons_text(result, width)
        assert not FORBIDDEN.search(said)
        assert all(cells(line) <= width for line in said.splitlines())
        for row in named:
            line = next(text for text in said.splitlines() if re.match(rf"  . *{row.benchmark} ", text))
            found = re.search(rf"({NUMBER}) to ({NUMBER})", line)
            assert found is not None
            factor = 100.0 if row.scale.high == 1.0 else 1.0
            check_numbers(list(found.groups()), [row.difference.ci_low, row.difference.ci_high], factor)
            assert found.group() in markdown


@settings(max_examples=30)
@given(st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_a_score_has_the_same_digits_everywhere(counts: tuple[int, int]) -> None:
    card: Scorecard = examples.scorecard(examples.score(*counts))
    line = scorecard_text(card, 120).splitlines()[2]
    found = re.search(rf"({NUMBER}) %   ({NUMBER}) to ({NUMBER})", line)
    assert found is not None
    estimate = card.only.run.estimate
    check_numbers(list(found.groups()), [estimate.point, estimate.ci_low, estimate.ci_high], 100.0)
    interval = f"{found.group(2)} to {found.group(3)}"
    assert interval in scorecard_markdown(card)
    assert interval in html(card)
    assert not FORBIDDEN.search(scorecard_text(card, 60))
