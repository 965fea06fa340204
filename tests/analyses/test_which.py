"""`which`: the table is the one that the methods are chosen by, and every row of it holds."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
from pathlib import Path

import pytest

import evalstats as es
from evalstats.analyses.situations import SITUATIONS
from evalstats.cli import asking
from evalstats.cli.main import VERBS, main
from evalstats.data.routing import QUESTIONS, fitting, next_question
from evalstats.report.which_text import which_markdown
from evalstats.results import Estimate, TestResult

DOCS = Path(__file__).parents[2] / "docs"
BY_NUMBER = {one.number: one for one in SITUATIONS}
DATA = {  # what the calls of the table speak of
    "es": es,
    "scores": [1, 0, 1, 1, 1, 0, 1, 0, 0, 1, 1, 0] * 5,
    "passages": [at // 3 for at in range(60)],
    "human": [1, 1, 0, 1] * 10,
    "judge": [1, 0, 0, 1] * 9 + [1, 1, 1, 0],
    "marks": [7, 9, 6, 8, 10, 5, 9, 3, 8, 7] * 6,
    "prices": [0.1, 0.4, 0.2, 0.7, 3.1] * 12,
    "runs": [[[1, 0, 1, 1, 0, 1]] * 4] * 3,
    "baseline": [1, 0, 0, 1, 1, 1],
}
ROUTES = {route.number: route for route in es.which()}


@pytest.mark.parametrize("number", [n for n, one in BY_NUMBER.items() if one.tools])
def test_the_call_of_a_row_is_answered_by_the_method_that_the_row_names(number):
    route = ROUTES[number]
    if "'" in route.call:  # it reads logs
        return
    result = eval(route.call, dict(DATA))
    if isinstance(result, Estimate | TestResult):
        assert result.method == route.answers[0].method


@pytest.mark.parametrize("one", [one for one in SITUATIONS if one.call], ids=lambda one: str(one.number))
def test_every_call_names_what_there_is(one):
    for node in ast.walk(ast.parse(one.call)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "es":
            assert node.attr in es.__all__


def test_every_command_is_a_verb_of_this_version_with_options_that_it_has(capsys):
    for one in SITUATIONS:
        if not one.command:
            assert one.missing
            continue
        verb = one.command.split()[1]
        assert main([verb, "--help"]) == 0
        known = capsys.readouterr().out
        assert all(word in known for word in one.command.split() if word.startswith("--")), one.command


def test_what_is_not_in_this_version_is_named_and_counted():
    """It fails when one of them arrives: then its row gets a command."""
    assert [one.number for one in SITUATIONS if one.missing] == [16, 20, 21]
    assert not {"dashboard", "arena", "online"} & set(VERBS)


def test_every_page_that_a_row_names_is_there():
    assert [one.page for one in SITUATIONS if one.page and not (DOCS / one.page).exists()] == []


def test_the_page_is_written_from_the_table():
    spec = importlib.util.spec_from_file_location("which_page", DOCS / "which.py")
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    assert (DOCS / "which.md").read_text(encoding="utf-8") == page.written(), "run: python docs/which.py"


def test_the_methods_of_a_table_are_listed_where_it_comes_first():
    said = re.findall(r"; by name (?!as in row)", which_markdown(es.which()))
    assert len(said) == len(
        {answer.situation for one in es.which() for answer in one.answers if answer.by_name}
    )


def test_the_list_says_which_tools_are_not_here(capsys):
    main(["which"])
    printed = " ".join(capsys.readouterr().out.split())
    absent = [one for one in SITUATIONS if one.missing]
    assert absent
    assert all(f"{one.answer} (not in this version)" in printed for one in absent)
    assert printed.count("(not in this version)") == len(absent)


def test_facts_use_the_questions_own_words():
    choices = {question.name: set(question.choices) for question in QUESTIONS}
    for one in SITUATIONS:
        for name, answers in one.facts.items():
            assert set(answers) <= choices[name], one.number


def test_every_answer_of_every_question_leads_somewhere():
    for question in QUESTIONS:
        for answer in question.choices:
            assert fitting(SITUATIONS, {question.name: answer}), (question.name, answer)


def test_a_question_is_asked_only_while_it_tells_situations_apart():
    known = {}
    left = fitting(SITUATIONS, known)
    while (question := next_question(left, known)) is not None:
        known[question.name] = next(iter(question.choices))
        fewer = fitting(SITUATIONS, known)
        assert 0 < len(fewer) <= len(left)
        left = fewer
    assert all(len(fitting(left, {q.name: a})) in (0, len(left)) for q in QUESTIONS for a in q.choices)


@pytest.mark.parametrize(
    ("words", "facts", "numbers"),
    [
        (("7",), {}, [7]),
        ((7,), {}, [7]),
        (("zero", "failures"), {}, [5]),
        (("Zero failures",), {}, [5]),
        ((), {"runs": "two", "units": "clusters", "items": "same", "goal": "change"}, [14]),
        ((), {"scores": "votes"}, [20]),
        ((), {"scores": "labels"}, [19]),
        (("28", "30"), {}, [28, 30]),
        ((), {"goal": "statistic"}, [30]),
        ((), {"runs": "one", "scores": "pass_fail", "goal": "sign_off"}, [6]),
    ],
)
def test_a_situation_is_found_by_number_words_and_facts(words, facts, numbers):
    assert [route.number for route in es.which(*words, **facts)] == numbers


def test_what_fits_nothing_is_an_error_that_says_how_to_find_more():
    with pytest.raises(es.EvalStatsError, match="lists them all"):
        es.which("perpetual motion")
    with pytest.raises(es.EvalStatsError, match="pass_fail, bounded"):
        es.which(scores="boolean")
    with pytest.raises(es.EvalStatsError, match="situations fit, not one"):
        _ = es.which(runs="two").only


def test_the_questions_lead_to_the_row(monkeypatch, capsys):
    class Terminal:
        replies = iter(["two\n", "9\n", "1\n", "1\n", "different\n", "\n", "\n"])

        def isatty(self):
            return True

        def readline(self):
            return next(self.replies)

    monkeypatch.setattr("sys.stdin", Terminal())
    found = asking.answer([], ask=True)
    asked = capsys.readouterr().err
    assert 22 in [route.number for route in found]
    assert "How many runs do you hold?" in asked
    assert "'9' is none of these." in asked


def test_without_a_terminal_there_are_no_questions(capsys):
    assert main(["which", "--ask"]) == 2
    assert "--ask wants a terminal" in capsys.readouterr().err


def test_the_table_fits_80_columns_and_the_json_is_the_table(capsys):
    assert main(["which"]) == 0
    assert max(map(len, capsys.readouterr().out.split("\n"))) <= 80
    assert main(["which", "7", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["situations"]
    assert [answer["method"] for answer in found["answers"]] == ["tango", "mcnemar_exact"]
    assert str(es.which(7)).startswith("7  checkpoint")
