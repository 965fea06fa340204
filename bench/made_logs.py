"""Logs as large as real ones, made up: two runs of one benchmark of 14,000 questions with their full prompts.

    python -m bench.made_logs FOLDER [--items N]

writes FOLDER/lm_eval/model-a, model-b (results and samples, 50 MB each) and FOLDER/inspect/model-a.eval,
model-b.eval. The same N gives the same files.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

ITEMS = 14_000
TASK, TIME = "mmlu_made", "2026-01-02T03-04-05.6"
MODELS = {"model-a": 0.70, "model-b": 0.73}
SHOTS = 5
_TEXT = (
    "which of the following best describes how a court would rule when both parties knew that the price of "
    "labour rises as output falls and the rate of reaction depends on heat while cells divide under light"
)


def _right(n: int) -> dict[str, np.ndarray]:
    """(n,) pass or fail of each model; questions differ in difficulty, so that the two agree mostly."""
    random = np.random.default_rng(14)
    ease = random.beta(2.1, 0.9, size=n)
    return {
        name: random.random(n) < np.clip(ease + accuracy - 0.7, 0, 1) for name, accuracy in MODELS.items()
    }


def _documents(n: int) -> Iterator[dict[str, Any]]:
    random, known = np.random.default_rng(57), _TEXT.split()
    for i in range(n):
        words = random.choice(known, size=30)
        choices = [" ".join(random.choice(known, size=4)) for _ in range(4)]
        yield {
            "question_id": f"q{i:05d}",
            "subject": f"subject_{i % 57:02d}",
            "question": f"Case {i}: {' '.join(words)}?",
            "choices": choices,
            "answer": int(random.integers(4)),
        }


def _prompt(document: dict[str, Any], shots: str) -> str:
    listed = "\n".join(f"{letter}. {text}" for letter, text in zip("ABCD", document["choices"], strict=True))
    return f"{shots}{document['question']}\n{listed}\nAnswer:"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _lm_eval_line(i: int, document: dict[str, Any], prompt: str, right: bool) -> dict[str, Any]:
    gold = document["answer"]
    said = gold if right else (gold + 1) % 4
    answers = [[f"{-0.25 if option == said else -1.5 - (i * 7 + option) % 97 / 50}", str(option == said)]
               for option in range(4)]  # fmt: skip
    return {
        "doc_id": i,
        "doc": document,
        "target": str(gold),
        "arguments": {
            f"gen_args_{option}": {"arg_0": prompt, "arg_1": f" {'ABCD'[option]}"} for option in range(4)
        },
        "resps": [[answer] for answer in answers],
        "filtered_resps": answers,
        "filter": "none",
        "metrics": ["acc", "acc_norm"],
        "doc_hash": _hash(json.dumps(document)),
        "prompt_hash": _hash(prompt),
        "target_hash": _hash(str(gold)),
        "acc": float(right),
        "acc_norm": float(right),
    }


def _lm_eval_results(model: str, right: np.ndarray) -> dict[str, Any]:
    n, mean = len(right), float(np.mean(right))
    error = (mean * (1 - mean) / (n - 1)) ** 0.5
    figures = {
        "acc,none": mean,
        "acc_stderr,none": error,
        "acc_norm,none": mean,
        "acc_norm_stderr,none": error,
    }
    metrics = [
        {"metric": name, "aggregation": "mean", "higher_is_better": True} for name in ("acc", "acc_norm")
    ]
    return {
        "results": {TASK: {"alias": TASK, **figures}},
        "group_subtasks": {TASK: []},
        "configs": {TASK: {"task": TASK, "metric_list": metrics, "num_fewshot": SHOTS}},
        "versions": {TASK: 1.0},
        "n-shot": {TASK: SHOTS},
        "higher_is_better": {TASK: {"acc": True, "acc_norm": True}},
        "n-samples": {TASK: {"original": n, "effective": n}},
        "config": {"model": "mock", "model_args": {"name": model}, "limit": None, "random_seed": 0},
        "model_name": model,
        "lm_eval_version": "0.4.13",
    }


def write_lm_eval(folder: Path, items: int = ITEMS) -> list[Path]:
    """A folder for each model with its results and samples file; gives the folders."""
    right = _right(items)
    documents = list(_documents(items))
    shots = "".join(_prompt(document, "") + " B\n\n" for document in documents[:SHOTS])[:300]
    folders = []
    for model in MODELS:
        own = folder / "lm_eval" / model
        own.mkdir(parents=True, exist_ok=True)
        results = json.dumps(_lm_eval_results(model, right[model]), indent=2)
        (own / f"results_{TIME}.json").write_text(results, encoding="utf-8")
        with (own / f"samples_{TASK}_{TIME}.jsonl").open("w", encoding="utf-8") as file:
            for i, document in enumerate(documents):
                line = _lm_eval_line(i, document, _prompt(document, shots), bool(right[model][i]))
                file.write(json.dumps(line) + "\n")
        folders.append(own)
    return folders


def _inspect_sample(document: dict[str, Any], right: bool) -> dict[str, Any]:
    """As it stands in summaries.json."""
    gold = "ABCD"[document["answer"]]
    said = gold if right else "ABCD"[(document["answer"] + 1) % 4]
    return {
        "id": document["question_id"],
        "epoch": 1,
        "input": document["question"],
        "target": gold,
        "metadata": {"subject": document["subject"]},
        "scores": {"choice": {"value": "C" if right else "I", "answer": said}},
        "model_usage": {},
        "completed": True,
    }


def write_inspect(folder: Path, items: int = ITEMS) -> list[Path]:
    """An .eval for each model with the summaries and every sample's own member; gives the files."""
    right = _right(items)
    documents = list(_documents(items))
    (folder / "inspect").mkdir(parents=True, exist_ok=True)
    paths = [folder / "inspect" / f"{model}.eval" for model in MODELS]
    return [_write_eval(path, path.stem, documents, right[path.stem]) for path in paths]


def _write_eval(path: Path, model: str, documents: list[dict[str, Any]], right: np.ndarray) -> Path:
    samples = [_inspect_sample(document, bool(ok)) for document, ok in zip(documents, right, strict=True)]
    spec = {
        "task": TASK,
        "model": f"mock/{model}",
        "created": "2026-01-02T03:04:05+00:00",
        "dataset": {"name": TASK, "sample_ids": [sample["id"] for sample in samples]},
        "config": {"epochs": 1},
        "packages": {"inspect_ai": "0.3.285"},
        "scorers": [{"name": "choice", "options": {}, "metrics": [{"name": "inspect_ai/accuracy"}]}],
    }
    accuracy = {"name": "accuracy", "value": float(np.mean(right)), "params": {}}
    scores = [{"name": "choice", "scorer": "choice", "metrics": {"accuracy": accuracy}}]
    header = {
        "version": 2,
        "status": "success",
        "eval": spec,
        "results": {"scores": scores, "total_samples": len(samples)},
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": spec, "plan": {}}))
        for sample, document in zip(samples, documents, strict=True):
            full = {**sample, "messages": [{"role": "user", "content": _prompt(document, "")}]}
            archive.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(full))
        archive.writestr("summaries.json", json.dumps(samples))
        archive.writestr("header.json", json.dumps(header))
    return path


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--items", type=int, default=ITEMS)
    asked = parser.parse_args()
    for path in (*write_lm_eval(asked.folder, asked.items), *write_inspect(asked.folder, asked.items)):
        sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
