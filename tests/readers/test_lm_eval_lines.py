"""lm-evaluation-harness samples files line by line: literals, damage, wrappings, size."""

from __future__ import annotations

import gzip
import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

from evalstats.data.scores import MISSING, SCORED
from evalstats.errors import InputError
from evalstats.readers.detect import read_path
from tests.readers.small_logs import (
    LOGS,
    TIME,
    by_item,
    field_of,
    lm_eval_line,
    read_one,
    sha256,
    statuses,
    write_lm_eval,
)


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity", "null"])
def test_a_literal_that_is_no_number_is_a_missing_score(tmp_path: Path, literal: str) -> None:
    path = write_lm_eval(tmp_path, [lm_eval_line(i) for i in range(3)])
    path.write_text(path.read_text().replace('"acc": 1.0', f'"acc": {literal}'))
    assert statuses(read_one(path), "acc,none") == {"0": [SCORED], "1": [MISSING], "2": [SCORED]}


def test_a_first_line_without_a_score_does_not_hide_the_metric(tmp_path: Path) -> None:
    path = write_lm_eval(tmp_path, [lm_eval_line(0, acc=math.nan), lm_eval_line(1)])
    assert statuses(read_one(path), "acc,none") == {"0": [MISSING], "1": [SCORED]}


def test_a_score_that_is_a_text_is_an_error_with_its_line(tmp_path: Path) -> None:
    path = write_lm_eval(tmp_path, [lm_eval_line(0), lm_eval_line(1, acc="high")])
    with pytest.raises(InputError, match=r"line 2: acc is 'high', not a number"):
        read_path(path)


def test_booleans_are_scores(tmp_path: Path) -> None:
    path = write_lm_eval(tmp_path, [lm_eval_line(0, acc=True), lm_eval_line(1, acc=False)])
    assert by_item(read_one(path), "acc,none") == {"0": [1.0], "1": [0.0]}


def test_a_line_cut_off_at_the_end_of_the_file_is_an_error_that_says_so(tmp_path: Path) -> None:
    path = write_lm_eval(tmp_path, [lm_eval_line(i) for i in range(3)])
    path.write_text(path.read_text()[:-200])
    with pytest.raises(
        InputError, match=r"line 3: the file ends in the middle of this line.*Delete the line"
    ):
        read_path(path)


def test_a_broken_line_is_an_error_with_its_number(tmp_path: Path) -> None:
    path = write_lm_eval(tmp_path, [lm_eval_line(i) for i in range(3)])
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], lines[1][:50], lines[2]]) + "\n")
    with pytest.raises(InputError, match=r"line 2 cannot be read: .*Mend or delete that line"):
        read_path(path)


def test_a_line_without_an_id_is_an_error_with_its_number(tmp_path: Path) -> None:
    bad = lm_eval_line(1)
    del bad["doc_id"]
    path = write_lm_eval(tmp_path, [lm_eval_line(0), bad])
    with pytest.raises(InputError, match=r"line 2 cannot be read: .*doc_id"):
        read_path(path)


def test_byte_order_mark_line_ends_blank_lines_and_wrappings_make_no_difference(tmp_path: Path) -> None:
    path = write_lm_eval(tmp_path / "plain", [lm_eval_line(i) for i in range(3)])
    plain = path.read_text()
    path.write_text("\ufeff" + plain.replace("\n", "\r\n\r\n"), newline="")
    wrapped = tmp_path / "plain" / "again" / f"{path.name}.gz"
    wrapped.parent.mkdir()
    wrapped.write_bytes(gzip.compress(plain.encode()))
    assert by_item(read_one(path), "acc,none") == by_item(read_one(wrapped), "acc,none")
    assert read_one(wrapped).benchmark == "color_quiz"


def test_texts_of_the_question_are_fields_only_when_wanted(tmp_path: Path) -> None:
    path = write_lm_eval(tmp_path, [lm_eval_line(i, doc={"question": f"Q{i}?", "n": 1}) for i in range(2)])
    assert set(read_one(path).items.fields) == {"n"}
    assert field_of(read_one(path, "doc.question"), "question") == {"0": "Q0?", "1": "Q1?"}


def test_long_wanted_texts_differ_where_the_texts_do(tmp_path: Path) -> None:
    lines = [lm_eval_line(i, doc={"question": "same start " * 50 + str(i % 2)}) for i in range(4)]
    fields = field_of(read_one(write_lm_eval(tmp_path, lines), "question"), "question")
    assert fields["0"] == fields["2"]
    assert fields["0"] != fields["1"]


@pytest.mark.slow
def test_two_hundred_megabytes_are_read_in_less_than_150(tmp_path: Path) -> None:
    (real,) = (LOGS / "lm_eval" / "model-a").glob("samples_colors_law_*")
    lines = [json.loads(line) for line in real.read_text().splitlines()]
    path = tmp_path / f"samples_large_{TIME}.jsonl"
    written = doc_id = 0
    with path.open("w") as file:
        while written < 200 * 2**20:
            line = lines[doc_id % len(lines)]
            line["doc_id"], line["doc_hash"], line["prompt_hash"] = (
                doc_id,
                sha256(f"d{doc_id}"),
                sha256(f"p{doc_id}"),
            )
            line["doc"]["id"], line["doc"]["passage_id"] = f"law-{doc_id:07d}", f"p{doc_id // 5}"
            written += file.write(json.dumps(line) + "\n")
            doc_id += 1
    program = (
        "import re, sys, pathlib\n"
        "from evalstats.readers.detect import read_path\n"
        "scores = read_path(pathlib.Path(sys.argv[1]))\n"
        "peak = re.search(r'VmHWM:\\s+(\\d+)', pathlib.Path('/proc/self/status').read_text())\n"
        "print(len(scores.benchmarks[0].items), peak[1])\n"
    )  # not getrusage: its peak begins with that of the process that started this one
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True
    )
    n_items, kilobytes = map(int, done.stdout.split())
    assert n_items == doc_id
    assert kilobytes * 1024 < 150e6
