"""Slices as text, Markdown, notebook, page and chart: one finding, one set of digits, no markup from logs."""

from __future__ import annotations

import json
import re
import unicodedata
from functools import cache

import jsonschema
import pytest

import evalstats as es
from evalstats.analyses.slices_result import Slices
from evalstats.cli.main import main
from evalstats.errors import InputError
from evalstats.report.html.document import slices_of
from evalstats.report.html.page import page, result_page
from evalstats.report.slices_markdown import slices_markdown
from evalstats.report.slices_text import slices_text
from tests.made_runs import LOGS, Record, command, refused, write_csv
from tests.made_slices import SIZES, after, languages, of_language
from tests.report.html.pages import HOSTILE, Read
from tests.test_schema import _validator

RUN = languages()
VALIDATOR = _validator("slices")


def _many(n: int) -> list[Record]:
    """Slices of 12 items, a few weak ones among them."""
    return [
        {"id": f"{s}-{i}", "topic": f"topic-{s:03d}", "score": int(i % 12 < (2 if s % 50 == 7 else 9))}
        for s in range(n)
        for i in range(12)
    ]


def _hostile() -> list[Record]:
    """Values and names that mean harm, or break a table, a line or a signature."""
    values = [
        "<script>alert(1)</script>",
        "a|b\nc\rd\te",
        "\x1b[31mred\x07",
        "\u202egnp.exe\u2066",
        "=cmd()",
        "a=b, c × d",
        "`code` **bold** [x](y) @team",
        "x" * 190,
        "\u05de\u05d5\u05d3\u05dc",
        "{{7*7}}",
        "--json",
        "\"'><svg onload=alert(1)>",
        "\ud800 lone",
    ]
    return [{"id": f"{v}{i}", 'f|<b>\n"=': v, "score": int(i % 3 > 0)} for v in values for i in range(12)]


FIELD = 'f|<b>\n"='


def _small() -> list[Record]:
    rows = [{"id": f"s{i}", "language": "xx", "category": "law", "score": 0} for i in range(6)]
    blank = [{"id": f"n{i}", "language": "", "category": "law", "score": 1} for i in range(5)]
    return [*RUN, *rows, *blank]


def _mixed(text: object) -> int:
    return sum(map(ord, str(text)))


def _judge(rows: list[Record]) -> list[Record]:
    """Scores from 1 to 10."""
    return [{**r, "score": 1 + (_mixed(r["id"]) + 5 * int(r["score"])) % 10} for r in rows]


def _after(rows: list[Record]) -> list[Record]:
    """The same items answered again; one in eleven flips."""
    return [{**r, "score": 1 - int(r["score"]) if _mixed(r["id"]) % 11 == 0 else r["score"]} for r in rows]


@cache
def results() -> dict[str, Slices]:
    two = es.slices(RUN, after(RUN), by="language", labels=("week-31", "week-32"))
    clustered = LOGS / "inspect_eval"
    benchmarks = [{**r, "benchmark": b, "id": b + str(r["id"])} for b in ("quiz", "exam") for r in _small()]
    return {
        "one": es.slices(RUN, by="language", labels=("week-31",)),
        "two": two,
        "small": es.slices(_small(), by="language,category"),
        "two small": es.slices(_small(), after(_small()), by="language", margin=0.1),
        "only small": es.slices(of_language(_small(), "xx"), by="language,category"),
        "single": es.slices(of_language(RUN, "en"), by="language"),
        "two single": es.slices(of_language(RUN, "en"), after(of_language(RUN, "en")), by="language"),
        "crossed": es.slices(RUN, by="language+category"),
        "many": es.slices(_many(200), by="topic"),
        "two many": es.slices(_many(70), _after(_many(70)), by="topic"),
        "hostile": es.slices(_hostile(), by=[FIELD]),
        "two hostile": es.slices(_hostile(), _hostile()[::-1], by=[FIELD]),
        "benchmarks": es.slices(benchmarks, by="language"),
        "judge": es.slices(_judge(RUN), _judge(after(RUN)), by="language", bounds=(1, 10)),
        "uncorrected": es.slices(RUN, by="language", correction="none"),
        "clusters": es.slices(clustered / "model-a", clustered / "model-b", by="lang", task="clustered"),
        "clusters of one": es.slices(clustered / "model-a", by="lang,difficulty", task="clustered"),
    }


NAMES = [
    "one", "two", "small", "two small", "only small", "single", "two single", "crossed", "many", "two many",
    "hostile", "two hostile", "benchmarks", "judge", "uncorrected", "clusters", "clusters of one",
]  # fmt: skip


def test_the_names_are_those_of_the_results():
    assert list(results()) == NAMES


def _width(line: str) -> int:
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line
    )


@pytest.mark.parametrize("width", [60, 80, 100])
@pytest.mark.parametrize("name", NAMES)
def test_text_fits_its_width_in_at_most_sixty_lines_and_prints_no_control(name, width):
    said = slices_text(results()[name], width)
    lines = said.splitlines()
    assert len(lines) <= (60 if width >= 80 else 75)
    assert all(_width(line) <= width or " " not in line.strip() for line in lines)
    assert all(c.isprintable() or c == "\n" for c in said)
    assert not any(line.endswith(" ") for line in lines)
    assert "nan" not in re.findall(r"\w+", said)


def test_the_text_of_one_run():
    said = slices_text(results()["one"])
    assert said.startswith("week-31 · scores · score · 7 slices by language, 330 items\n")
    assert "1 of 7 worse than the rest: sw" in said
    assert "1 of 7 better than the rest: ja" in " ".join(said.split())
    assert "The other 5 are not told apart from it." in " ".join(said.split())
    k = sum(r["score"] for r in of_language(RUN, "sw"))
    assert re.search(rf"▼  sw +{SIZES['sw']} +{100 * k / SIZES['sw']:.1f} %", said)
    assert said.index("▼  sw") < said.index("▲  ja") < said.index("     de")
    assert str(results()["one"]) == said


def test_the_text_of_two_runs():
    said = slices_text(results()["two"])
    assert said.startswith(
        "week-32 against week-31 · scores · score · 7 slices by language, 330 items,\n  paired\n"
    )
    assert "1 of 7 improved: sw +" in said
    assert "The other 6 are not settled." in " ".join(said.split())
    assert "All 330 items: +" in said


def test_what_is_too_small_and_what_has_no_value_is_said():
    said = slices_text(results()["small"])
    assert re.search(r"language=xx +\S+ % +too small to say|language=xx +6 +0.0 % +too small to say", said)
    assert "language=xx: under 10 items, not tested." in said
    assert "No value: 5 items without language; in no slice, and in no rest." in said
    two = slices_text(results()["two small"])
    assert re.search(r"xx .* too small to say\n", two)
    assert "Margin 10 points, each row alone:" in two
    assert "Too small to say: none of the 2 slices has 10 items." in slices_text(results()["only small"])
    assert "One slice: there is no other to hold it against." in slices_text(results()["single"])


def test_two_hundred_slices_show_the_settled_ones_and_count_the_rest():
    said = slices_text(results()["many"])
    for topic in ("topic-007", "topic-057", "topic-107", "topic-157"):
        assert f"▼  {topic}" in said
    (left,) = re.findall(r"And (\d+) more slices \(none settled\): see --json\.", said)
    shown = len(re.findall(r"^ {2}[▼ ] {2}topic-\d{3} ", said, re.MULTILINE))
    assert shown + int(left) == 200
    assert results()["many"].family.m == 200


def test_slices_of_two_benchmarks_are_called_by_both():
    said = slices_text(results()["benchmarks"])
    assert "2 benchmarks · 16 slices by language" in said
    assert re.search(r"▼  quiz sw ", said)
    assert "5 items without language on quiz and 5 items without language on exam" in " ".join(said.split())


@pytest.mark.parametrize("name", NAMES)
def test_markdown_shows_fifteen_lines_and_folds_the_rest(name):
    said = slices_markdown(results()[name])
    visible = said[: said.index("<details>")].splitlines()
    assert len(visible) + 1 <= 15
    assert said.count("<details>") == said.count("</details>") == 1
    for block in re.findall(r"(?:^\|.*\n)+", said, re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1
    assert "<script" not in said
    assert all(c.isprintable() or c == "\n" or c == "\u2060" for c in said)


@pytest.mark.parametrize("name", NAMES)
def test_the_page_is_well_formed_and_made_from_its_json_alone(name):
    result = results()[name]
    document = json.loads(json.dumps(result.to_dict()))
    text = result_page(result)
    read = Read(text)
    assert read.open == []
    assert read.document == document
    assert page(document) == text
    assert slices_of(document).to_dict() == document
    ids = [attributes["id"] for _, attributes in read.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert not [key for _, attributes in read.elements for key in attributes if key.startswith("on")]
    assert [tag for tag, _ in read.elements].count("script") == 2
    assert not [attributes for _, attributes in read.elements if "style" in attributes]
    assert all(c.isprintable() or c in "\n\t\u00a0" for c in read.text)
    assert len(text) < 400_000 or "many" in name


@pytest.mark.parametrize("name", NAMES)
def test_text_page_and_notebook_show_the_same_digits(name):
    result = results()[name]
    text = slices_text(result, 120)
    shown = Read(result_page(result)).text
    notebook = Read(result._repr_html_())
    assert notebook.open == []
    assert not {tag for tag, _ in notebook.elements} & {"script", "style", "link", "img"}
    for line in re.findall(r"^ {2}[▲▼ ] {2}.*$", text, re.MULTILINE):
        for number in re.findall(r"[+−]?\d+\.\d+(?: %)?", line):
            assert number in shown.replace("\u00a0", " ")
            if len(result) <= 60:
                assert number in notebook.text.replace("\u00a0", " ")


@pytest.mark.parametrize("name", NAMES)
def test_the_json_is_strict_and_valid_by_its_schema(name):
    VALIDATOR.validate(json.loads(json.dumps(results()[name].to_dict(), allow_nan=False)))


def test_a_spoilt_envelope_is_not_valid():
    document = results()["one"].to_dict()
    document["slices"][0]["colour"] = "red"
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(document)


def test_a_page_marks_the_settled_rows_and_opens_their_items():
    read = Read(result_page(results()["two"]))
    states = [a["data-state"] for tag, a in read.elements if tag == "tr" and "data-state" in a]
    assert states == ["improved", *["not_settled"] * 6]
    assert "The settled slices, and the items to read" in read.text
    flipped = [c["item"] for c in results()["two"].changed() if c["slice"] == "sw"]
    assert flipped
    assert all(item in read.text for item in flipped)
    assert "The settled slices" not in Read(result_page(results()["one"])).text


def test_a_chart_has_a_mark_for_each_slice_that_is_large_enough():
    pytest.importorskip("altair")
    for name, n in (("small", 10), ("two small", 8)):
        drawn = json.dumps(results()[name].chart().to_dict())
        assert '"xx"' not in drawn
        assert drawn.count('"not settled"') >= n - 3
    with pytest.raises(InputError, match="too small to say"):
        results()["only small"].chart()


@pytest.fixture
def tables(tmp_path):
    return [
        write_csv(tmp_path / f"{name}.csv", rows)
        for name, rows in (("old", _small()), ("new", after(_small())))
    ]


def test_the_command_prints_text_json_markdown_and_a_page(tables, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["slices", *map(str, tables), "--by", "language"]) == 0
    assert "1 of 7 improved: sw" in capsys.readouterr().out
    printed = command(capsys, "slices", tables[0], "--by", "language")
    assert printed["schema"] == "evalstats/slices/1"
    assert printed["provenance"]["options"] == {"correction": "benjamini_hochberg", "by": ["language"]}
    target = tmp_path / "slices.html"
    assert main(["slices", str(tables[0]), "--by", "language", "--markdown", "--html", str(target)]) == 0
    assert "**" in capsys.readouterr().out
    assert "--by language" in " ".join(Read(target.read_text("utf-8")).text.split())


@pytest.mark.parametrize("by", ["language", "language,category", "language+category"])
@pytest.mark.parametrize("n_runs", [1, 2])
def test_a_result_reproduces_from_its_json_and_from_its_page(tables, tmp_path, capsys, by, n_runs):
    document = command(capsys, "slices", *tables[:n_runs], "--by", by, "--correction", "holm")
    path = tmp_path / "result.json"
    path.write_text(json.dumps(document))
    assert es.reproduce(path).reproduced
    path = tmp_path / "result.html"
    path.write_text(page(document), encoding="utf-8")
    assert es.reproduce(path).reproduced
    document["slices"][0]["n_items"] += 1
    path.write_text(page(document), encoding="utf-8")
    assert not es.reproduce(path).reproduced


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "slices came with no run: it wants one, or BASELINE and CANDIDATE"),
        (("OLD", "NEW", "OLD", "--by", "language"), "slices came with 3 runs"),
        (("OLD",), "slices wants --by FIELD"),
        (("OLD", "--by", "langage"), "Did you mean 'language'?"),
        (("OLD", "--by", "language", "--margin", "3"), "use slices BASELINE CANDIDATE"),
        (("3/4", "--by", "language"), "counts, which carry no fields"),
        (
            ("OLD", "--by", "language", "--discordant", "1", "2"),
            "has no option --discordant. Another verb has it",
        ),
        (("OLD", "--by", "language", "--correction", "benjamini"), "Did you mean 'benjamini_"),
    ],
)
def test_a_call_that_makes_no_sense_is_one_paragraph(tables, capsys, arguments, said):
    named = {"OLD": tables[0], "NEW": tables[1]}
    assert said in refused(capsys, "slices", *(named.get(a, a) for a in arguments))


def test_a_caveat_that_fired_can_decide_the_exit(tables, capsys):
    call = ["slices", str(tables[0]), "--by", "language", "--json", "--fail-on"]
    assert main([*call, "few_informative"]) == 4
    assert main([*call, "run_incomplete"]) == 0
    only_small = ["slices", str(tables[0]), "--by", "category", "--json", "--fail-on", "few_informative"]
    assert main(only_small) == 0
    capsys.readouterr()


def test_a_hostile_text_is_shown_as_text_on_the_page():
    rows = [{"id": f"{v}{i}", "topic": v, "score": i % 2} for v in (HOSTILE[:150], "b") for i in range(20)]
    read = Read(result_page(es.slices(rows, by="topic", labels=(HOSTILE,))))
    assert [tag for tag, _ in read.elements].count("script") == 2
    assert "window.hacked=1" in read.text


def test_a_page_writes_no_interval_twice_because_it_is_the_same_adjusted():
    rows = [
        {"id": f"q{i}", "topic": f"t{i % 3}", "model": name, "score": int(i % 5 < right)}
        for name, right in (("old", 1), ("new", 4))
        for i in range(90)
    ]
    answer = es.slices(rows, by="topic", baseline="old", candidate="new")
    page = result_page(answer)
    assert page.count("the same adjusted") == 3
    assert not re.search(r"(\S+ to \S+)<span class=\"role\">\1 adjusted", page)
