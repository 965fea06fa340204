"""The page from a result's JSON: well formed, self-contained, and harmless whatever a log holds."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import re

import pytest

from evalstats.errors import InputError
from evalstats.report.html.document import comparisons_of, scorecard_of, slices_of
from evalstats.report.html.page import _environment, page, result_page
from tests.report import examples
from tests.report.html.pages import HOSTILE, RESULTS, Read, hostile, page_of, thousand, with_flips, with_texts

NAMES = list(RESULTS)
HARMLESS = [name for name in NAMES if not name.startswith("hostile")]


@pytest.mark.parametrize("name", NAMES)
def test_it_is_well_formed_and_its_ids_are_unique(name):
    read = Read(page_of(name))
    assert read.open == []
    ids = [attributes["id"] for _, attributes in read.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [a["href"] for _, a in read.elements if "href" in a]
    assert {link[1:] for link in links if link and link.startswith("#")} <= set(ids)
    assert all(link and link.startswith("#") for link in links)


@pytest.mark.parametrize("name", NAMES)
def test_it_carries_the_json_it_was_made_from_and_is_made_from_that_alone(name):
    document = json.loads(json.dumps(RESULTS[name]().to_dict()))
    assert Read(page_of(name)).document == document
    assert page(document) == page_of(name)


@pytest.mark.parametrize("name", NAMES)
def test_the_json_gives_back_every_row(name):
    document = RESULTS[name]().to_dict()
    kinds = {"compare": comparisons_of, "score": scorecard_of, "slices": slices_of}
    assert kinds[document["schema"].split("/")[1]](document).to_dict() == document


@pytest.mark.parametrize("name", NAMES)
def test_its_policy_allows_its_own_style_and_script_and_nothing_else(name):
    text = page_of(name)
    read = Read(text)
    policy = next(
        a["content"] for tag, a in read.elements if a.get("http-equiv") == "Content-Security-Policy"
    )
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
    (script,) = [body for attributes, body in read.scripts if not attributes]
    hashes = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in (style, script)]
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )


@pytest.mark.parametrize("name", NAMES)
def test_no_element_can_ask_for_anything_or_run_anything(name):
    for tag, attributes in Read(page_of(name)).elements:
        assert tag not in {
            "img",
            "iframe",
            "object",
            "embed",
            "form",
            "base",
            "audio",
            "video",
            "foreignobject",
        }
        assert not [key for key in attributes if key.startswith("on") or key in ("style", "src", "action")]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in HARMLESS])
def test_markup_in_a_log_is_shown_as_text(name):
    read = Read(page_of(name))
    scripts = [tag for tag, _ in read.elements if tag == "script"]
    assert len(scripts) == 2
    assert "</script><script>win" in read.text  # names are cut in their middle


@pytest.mark.parametrize("name", ["hostile", "hostile_family", "hostile_scores"])
def test_a_template_in_a_log_is_not_run(name):
    text = Read(page_of(name)).text
    assert "{{7*7}}" in text
    assert "49" not in text.replace("0" * 64, "")


@pytest.mark.parametrize("name", [name for name in NAMES if name not in HARMLESS])
def test_control_direction_and_surrogate_characters_are_spelled(name):
    assert not set(page_of(name)) & set("\u202e\u2066\x00\x1b\ud800")
    assert "\\u202e" in Read(page_of("hostile")).text


def test_a_megabyte_in_one_cell_is_cut_where_it_is_shown_and_whole_in_the_json():
    big = "<" + "x" * 1_000_000
    text = result_page(examples.only(examples.pass_fail(benchmark=big, changed=())))
    read = Read(text)
    assert len(read.text) < 20_000
    assert read.document["comparisons"][0]["benchmark"] == big


def test_every_text_of_a_log_may_be_a_megabyte():
    read = Read(result_page(hostile("x" * 100_000)))
    lengths = [len(text) for text in read.texts]
    assert max(lengths) < 100_100  # the passages, which the analysis cuts
    assert max(length for length in lengths if length < 100_000) < 3000


def test_a_thousand_items_stay_under_400_kb_if_all_of_them_flipped():
    assert len(result_page(thousand()).encode()) < 400_000


def test_what_is_not_asked_is_not_there():
    assert 'class="texts"' not in page_of("flips")
    assert 'class="texts"' in page_of("texts")


def test_a_page_says_how_to_get_texts_or_that_there_are_none():
    assert "with --with-text" in Read(page_of("flips")).text
    asked = dataclasses.replace(examples.provenance("compare"), options={"with_text": True})
    read = Read(result_page(dataclasses.replace(with_flips(), provenance=asked)))
    assert "The logs hold no text of what was asked or answered." in read.text


def test_texts_keep_their_lines():
    assert "5, because\n\tI say so" in "".join(Read(result_page(with_texts())).texts)


def test_a_page_is_in_the_order_in_which_it_should_be_read():
    """What it claims, what it does not, which items to read, then how it was made."""
    result = with_texts()
    row = examples.with_everything()
    result = dataclasses.replace(result, primary=(dataclasses.replace(row, changed=result.only.changed),))
    text = Read(result_page(result)).text
    order = (
        "week-32 against week-31",
        "Not settled: the data fit anything from 0.8 points worse to 6.9 better.",
        "\u22120.8 to +6.9 points estimate +3.0",
        "Zero lies inside it",
        "500 items show a true difference of 5.5 points or more",
        "The two runs",
        "Where they disagree",
        "Flipped items",
        "How the runs were joined",
        "What changed between the runs",
        "Read with care",
        "Not checked, for want of data",
        "How this was computed",
        "To make it again",
        "difference| tango| n:500",
    )
    assert [part for part in order if part not in text] == []
    places = [text.index(part) for part in order]
    assert places == sorted(places)


@pytest.mark.parametrize("name", HARMLESS)
def test_the_page_says_nothing_that_is_never_said(name):
    text = Read(page_of(name)).text.lower()
    for never in ("no difference", "unchanged", "significant", "the winner", "nan ", "none none"):
        assert never not in text


def test_whatever_a_template_shows_is_made_harmless():
    shown = (
        _environment().from_string("{{ text }}|{{ text | options }}").render(text="<a>\n\t\u202e\x00\u00a0")
    )
    assert shown == "|".join(["&lt;a&gt;\n\t\\u202e\\x00\u00a0"] * 2)


def test_an_unknown_document_is_refused():
    with pytest.raises(InputError, match="there is no page for 'evalstats/show/1'"):
        page({"schema": "evalstats/show/1"})


def test_hostile_text_is_a_test_of_its_own():
    assert {"<", ">", '"', "'", "&", "\u202e", "\x00"} <= set(HOSTILE)
