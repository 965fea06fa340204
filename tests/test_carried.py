"""What a page carries is what it was given, packed or not."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evalstats as es
from evalstats import carried
from evalstats.analyses.reproduce import reproduce
from evalstats.carried import PACKED, PLAIN, carried_by, embedded
from evalstats.errors import InputError
from evalstats.report.html.page import page, result_page
from tests.report.test_rank import TABLE, _wide

NAMES = st.text(max_size=3).filter(lambda name: name != "\0")
PARTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda one: st.lists(one, max_size=4) | st.dictionaries(NAMES, one, max_size=4),
    max_leaves=12,
)
ROWS = st.lists(
    st.fixed_dictionaries({"a": PARTS, "b": st.floats(0, 1), "c": st.just({})}), min_size=20, max_size=30
)


def _page(document):
    kind, text = embedded(document)
    return kind, f'<!doctype html>\n<script type="{kind}" id="result">{text}</script>\n'


@pytest.mark.parametrize(("large", "kind"), [(10**9, PLAIN), (0, PACKED)])
def test_any_document_comes_back_to_the_last_bit(monkeypatch, large, kind):
    monkeypatch.setattr(carried, "LARGE", large)

    @settings(max_examples=25)
    @given(st.dictionaries(NAMES, PARTS | ROWS, max_size=4))
    def comes_back(document):
        made, text = _page(document)
        assert made == kind
        assert not set("<>&") & set(re.sub(r"</?script.*?>|<!doctype html>", "", text))
        assert repr(carried_by(text)) == repr(document)
        assert carried_by(json.dumps(document)) == document

    comes_back()


@pytest.mark.parametrize("changed", [{"\0": {"x": 1.0}}, {"\0": {"a": [1], "b": [1, 2]}}])
def test_rows_that_are_no_rows_are_refused(tmp_path, monkeypatch, changed):
    monkeypatch.setattr(carried, "LARGE", 0)
    path = tmp_path / "page.html"
    path.write_text(_page(changed)[1], encoding="utf-8")
    with pytest.raises(InputError, match="could not be read as JSON"):
        reproduce(path)


def test_a_json_without_end_is_refused(tmp_path):
    path = tmp_path / "deep.json"
    path.write_text("[" * 200_000, encoding="utf-8")
    with pytest.raises(InputError, match="could not be read as JSON"):
        reproduce(path)


def test_a_packed_page_is_reproduced_and_a_cut_one_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(carried, "LARGE", 0)
    path = tmp_path / "page.html"
    written = result_page(es.rank(TABLE, n_boot=200))
    path.write_text(written, encoding="utf-8")
    assert f'<script type="{PACKED}" id="result">' in written
    again = reproduce(path)
    assert again.reproduced
    assert again.compared > 100
    text = re.search(r'id="result">(.{60})', written)[1]
    for broken in (text[:-8], "", text + "!"):
        path.write_text(re.sub(r'(id="result">).*?(</script>)', rf"\1{broken}\2", written), encoding="utf-8")
        with pytest.raises(InputError, match="could not be read as JSON"):
            reproduce(path)


def test_a_small_result_is_carried_as_it_stands():
    document = es.score("360/500").to_dict()
    assert embedded(document)[0] == PLAIN
    assert carried_by(page(document)) == document


@pytest.mark.slow
def test_the_page_of_two_hundred_runs_is_under_two_megabytes():
    found = es.rank(_wide(200), n_boot=200)
    written = result_page(found)
    assert len(written.encode()) < 2_000_000
    assert carried_by(written) == json.loads(json.dumps(found.to_dict()))
