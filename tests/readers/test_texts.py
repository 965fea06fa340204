"""Prompts and answers: given to whoever asks, whole to a length, and to nobody else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import evalstats as es
from evalstats.data.builder import LONGEST_TEXT
from evalstats.data.scores import TEXTS
from evalstats.errors import InputError
from evalstats.readers.detect import read_path
from evalstats.readers.lm_eval_texts import exchange_of
from tests.made_runs import LOGS

INSPECT = sorted((LOGS / "inspect_eval").rglob("*.eval"))


def exchanges(path: Path) -> list:
    return [each for part in read_path(path, frozenset({TEXTS})) for each in part.exchanges.values()]


def records(answers, **columns):
    return [
        {"item": f"q{at}", "score": len(text) % 2, "response": text, **columns}
        for at, text in enumerate(answers)
    ]


@pytest.mark.parametrize("path", [LOGS / "lm_eval" / "model-a", INSPECT[0]], ids=["lm_eval", "inspect"])
def test_nobody_gets_texts_who_did_not_ask(path):
    assert all(not part.exchanges for part in read_path(path))


@pytest.mark.parametrize("path", INSPECT, ids=lambda path: path.name[:40])
def test_an_inspect_log_gives_each_epoch_what_it_was_asked_wanted_and_answered(path):
    parts = list(read_path(path, frozenset({TEXTS})))
    for part in parts:
        logged = {(int(i), int(e)) for m in part.metrics for i, e in zip(m.item, m.epoch, strict=True)}
        assert set(part.exchanges) <= logged
        assert all(each.prompt and each.target for each in part.exchanges.values())
    assert any(each.answer for part in parts for each in part.exchanges.values())


def test_an_lm_eval_generation_is_the_answer():
    (part,) = [
        p for p in read_path(LOGS / "lm_eval" / "model-a", frozenset({TEXTS})) if p.benchmark == "pens_cot"
    ]
    lines = (LOGS / "lm_eval" / "model-a").glob("samples_pens_cot_*.jsonl")
    documents = [json.loads(line) for line in next(lines).read_text(encoding="utf-8").splitlines()]
    wanted = {
        str(d["doc_id"]): (d["arguments"]["gen_args_0"]["arg_0"], d["target"], d["resps"][0][0])
        for d in documents
    }
    assert {part.items.ids[item]: tuple(each) for (item, _), each in part.exchanges.items()} == wanted


class Line:
    def __init__(self, arguments, resps, target="t"):
        self.arguments, self.resps, self.target = arguments, resps, target


def test_of_choices_the_likeliest_is_the_answer():
    choices = {
        f"gen_args_{at}": {"arg_0": "Q", "arg_1": f" {word}"} for at, word in enumerate(("red", "blue"))
    }
    assert exchange_of(Line(choices, [[["-3.9", "False"]], [["-0.8", "True"]]])) == ("Q", "t", "blue")
    older = [["Q", " red"], ["Q", " blue"]]  # a list of requests, as logs of 2023 have it
    assert exchange_of(Line(older, [[[-0.1, True]], [[-0.8, False]]])) == ("Q", "t", "red")


def test_several_generations_are_numbered_and_nothing_is_made_up():
    asked = {"gen_args_0": {"arg_0": "Q", "arg_1": {"until": ["\n"]}}}
    assert exchange_of(Line(asked, [["a", "b"]], ["x", "y"])) == ("Q", "x, y", "[1] a\n\n[2] b")
    assert exchange_of(Line(None, None, None)) == ("", "", "")
    assert exchange_of(Line({"gen_args_0": 7}, [7], 3)) == ("7", "3", "")


def test_an_inspect_log_of_messages_and_attachments(tmp_path):
    path = INSPECT[0]
    log = {
        "version": 2,
        "status": "success",
        "eval": {"task": "t", "model": "m", "created": "2026-01-01T00:00:00"},
        "samples": [
            {
                "id": 1,
                "epoch": 1,
                "input": [
                    {"role": "system", "content": "be brief"},
                    {"role": "user", "content": [{"type": "text", "text": "attachment://h"}]},
                ],
                "target": ["a", "b"],
                "output": {"choices": [{"message": {"role": "assistant", "content": "yes"}}]},
                "attachments": {"h": "a long question"},
                "scores": {"match": {"value": "C"}},
            }
        ],
    }
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log), encoding="utf-8")
    (only,) = exchanges(path)
    assert only == ("system: be brief\n\nuser: a long question", "a, b", "yes")


def test_columns_of_a_table_that_are_called_so_are_texts():
    old, new = (
        records(["a", "bb", "c"], question="why?", target="t"),
        records(["bb", "a", "c"], question="why?"),
    )
    changed = es.compare(old, new, with_text=True).only.changed
    assert [tuple(vars(change.texts).values()) for change in changed] == [
        ("why?", "t", "a", "bb"),
        ("why?", "t", "bb", "a"),
    ]


def test_a_table_without_such_columns_gives_none():
    old = [{"item": f"q{at}", "score": at % 2} for at in range(4)]
    new = [{"item": f"q{at}", "score": 1} for at in range(4)]
    assert all(change.texts is None for change in es.compare(old, new, with_text=True).only.changed)


def test_a_long_text_is_cut_and_says_how_long_it_was():
    old, new = records(["x" * 10_001, "y"]), records(["zz", "y"])
    text = es.compare(old, new, with_text=True).only.changed[0].texts.baseline
    assert text.startswith("x" * LONGEST_TEXT + "\n[cut here")
    assert "10,001 characters" in text
    assert len(text) < LONGEST_TEXT + 60


def test_completions_are_numbered_under_their_item():
    old = [{"item": "q1", "epoch": at, "score": 0, "output": f"o{at}"} for at in (1, 2)]
    new = [{"item": "q1", "epoch": at, "score": 1, "output": f"n{at}"} for at in (1, 2)]
    rest = [{"item": f"r{at}", "epoch": 1, "score": at % 2, "output": "same"} for at in range(6)]
    (change,) = es.compare(old + rest, new + rest, with_text=True).only.changed
    assert (change.texts.baseline, change.texts.candidate) == ("[1] o1\n\n[2] o2", "[1] n1\n\n[2] n2")


def test_texts_are_no_part_of_one_run():
    with pytest.raises(InputError, match="use compare"):
        es.score(records(["a", "b"]), with_text=True)
