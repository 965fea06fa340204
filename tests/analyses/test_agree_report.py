"""What `agree` says: text, Markdown, the page."""

from __future__ import annotations

import json
import re

import pytest

import evalstats as es
from evalstats.cli.main import main
from evalstats.report.agree_text import agreement_markdown, agreement_text
from evalstats.report.html.document import agreement_of
from evalstats.report.html.page import page, result_page
from evalstats.report.terminal import NB, cells
from tests.made_labels import LABELS, ROWS
from tests.report.html.pages import HOSTILE, Read


@pytest.mark.parametrize("width", [60, 80])
def test_text_fits_and_leads_with_the_answer(width):
    one, two = es.agree(ROWS), es.agree(LABELS, judge="judge", human=("ann", "bob"))
    for found in (one, two, es.agree([{"judge": 1, "human": 1}] * 8)):
        for line in agreement_text(found, width).splitlines():
            assert cells(line) <= width
    assert agreement_text(one, 80).splitlines()[2].startswith("  kappa   0.56   0.40 to 0.73   (95 %")
    assert "80.0 % agree; 54.4 % would by chance" in agreement_text(one, 80)
    assert "less than they agree with each other" in agreement_text(two, 80)
    markdown = agreement_markdown(two)
    assert "| judge with humans | 0.35 |" in markdown
    assert "<table" in two._repr_html_()


def test_one_class_alone_is_said_and_not_scored():
    text = agreement_text(es.agree([{"judge": 1, "human": 1}] * 8), 80)
    assert "kappa is not known: all labels are one class" in " ".join(text.split())
    assert "AC1" in text
    assert "nan" not in text.lower()


def _page(found):
    return Read(result_page(found))


def test_the_page_says_what_the_json_says():
    found = es.agree(LABELS, judge="judge", human=("ann", "bob"))
    read = _page(found)
    assert read.open == []
    assert read.document == json.loads(json.dumps(found.to_dict()))
    assert result_page(found) == page(json.loads(json.dumps(found.to_dict())))
    assert agreement_of(found.to_dict()).to_dict() == found.to_dict()
    said = " ".join(str(found).split())
    for cell in ("0.35", "−0.44 to −0.05", "0.016", "42.9 %", "(24 to 63)"):
        assert cell in read.text.replace(NB, " ")
        assert cell in said
    command_line = "evalstats agree .* --judge judge --human ann,bob"
    assert re.search(command_line, " ".join(read.text.split()))
    tables = [attributes for tag, attributes in read.elements if tag == "table"]
    assert len(tables) == 3


def test_a_page_of_labels_that_mean_harm_is_harmless():
    rows = [{"judge": HOSTILE, "human": f"{HOSTILE}2"}, {"judge": "fine", "human": "fine"}] * 12
    read = _page(es.agree(rows))
    assert read.open == []
    assert [a for a, _ in read.scripts if a.get("id") != "result" and a] == []
    assert not any(tag in ("img", "iframe") for tag, _ in read.elements)
    assert not any(name.startswith("on") for _, attributes in read.elements for name in attributes)


def test_the_page_of_one_class_and_of_one_measure_is_whole(tmp_path, capsys):
    for found in (
        es.agree([{"judge": 1, "human": 1}] * 8),
        es.agree(ROWS, measures="alpha"),
        es.agree(ROWS, scale="interval"),
    ):
        assert _page(found).open == []
    path = tmp_path / "page.html"
    assert main(["agree", str(LABELS), "--judge", "judge", "--human", "ann", "--html", str(path)]) == 0
    capsys.readouterr()
    assert es.reproduce(path).reproduced
