"""Small logs made for one pitfall each, and what a test asks of what was read."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from backports.zstd import zipfile

from evalstats.data.scores import BenchmarkScores, HarnessFigure, Scores
from evalstats.readers.detect import read_path
from tests.made_runs import scores_of

LOGS = Path(__file__).parents[1] / "data" / "logs"
TIME = "2026-01-02T03-04-05.6"


def inspect_spec(n: int = 3, epochs: int = 1, **changed: Any) -> dict[str, Any]:
    """The `eval` of an Inspect log with samples q1, q2, ..."""
    return {
        "task": "quiz",
        "model": "mock/model-a",
        "created": "2026-01-02T03:04:05+00:00",
        "dataset": {"name": "quiz_ds", "sample_ids": [f"q{i}" for i in range(1, n + 1)]},
        "config": {"epochs": epochs},
        "packages": {"inspect_ai": "0.3.285"},
        "scorers": [{"name": "match", "options": {}, "metrics": [{"name": "inspect_ai/accuracy"}]}],
    } | changed


def inspect_sample(
    id: Any, scores: dict[str, Any] | None = None, epoch: int = 1, **more: Any
) -> dict[str, Any]:
    """One summary; scores : scorer -> value."""
    return {
        "id": id,
        "epoch": epoch,
        "metadata": {},
        "scores": None if scores is None else {name: {"value": value} for name, value in scores.items()},
    } | more


def inspect_result(name: str, mean: float, **more: Any) -> dict[str, Any]:
    metrics = {"accuracy": {"name": "accuracy", "value": mean, "params": {}}}
    return {"name": name, "scorer": name, "metrics": metrics} | more


def write_eval(path: Path, members: dict[str, Any], method: int = zipfile.ZIP_ZSTANDARD) -> Path:
    """A .eval of these members: texts are stored as they are, everything else as JSON."""
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content if isinstance(content, str) else json.dumps(content))
    return path


def eval_members(
    samples: list[dict[str, Any]], results: list[dict[str, Any]] | None = None, **header: Any
) -> dict[str, Any]:
    """The members of a finished log, the journal's copy of the summaries among them."""
    ids = list(dict.fromkeys(sample["id"] for sample in samples))
    spec = header.pop("eval", inspect_spec(dataset={"name": "quiz_ds", "sample_ids": ids}))
    top = {"version": 2, "status": "success", "eval": spec}
    top["results"] = None if results is None else {"scores": results, "total_samples": 0}
    return {
        "_journal/start.json": {"version": 2, "eval": spec, "plan": {}},
        "_journal/summaries/1.json": samples,
        "summaries.json": samples,
        "header.json": top | header,
    }


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def lm_eval_line(doc_id: int, filter_name: str = "none", **more: Any) -> dict[str, Any]:
    return {
        "doc_id": doc_id,
        "doc": {"id": f"d{doc_id}", "passage_id": f"p{doc_id // 2}", "question": "long " * 100},
        "target": "1",
        "arguments": {"gen_args_0": {"arg_0": "Question", "arg_1": " red"}},
        "resps": [[["-3.9", "True"]]],
        "filtered_resps": [["-3.9", "True"]],
        "filter": filter_name,
        "metrics": ["acc"],
        "doc_hash": sha256(f"document {doc_id}"),
        "prompt_hash": sha256(f"prompt {doc_id}"),
        "target_hash": "0" * 64,
        "acc": float(doc_id % 2),
    } | more


def lm_eval_results(**changed: Any) -> dict[str, Any]:
    """A results file of one task, color_quiz, with a filter that is called none."""
    return {
        "results": {"color_quiz": {"alias": "color_quiz", "acc,none": 0.5, "acc_stderr,none": "N/A"}},
        "group_subtasks": {},
        "configs": {"color_quiz": {"metric_list": [{"metric": "acc", "aggregation": "mean"}]}},
        "versions": {"color_quiz": 1.0},
        "n-shot": {"color_quiz": 0},
        "higher_is_better": {"color_quiz": {"acc": True}},
        "n-samples": {"color_quiz": {"original": 4, "effective": 4}},
        "config": {"model": "mock", "model_args": {"name": "model-a"}, "limit": None, "random_seed": 0},
        "model_name": "hm047gy8",
        "lm_eval_version": "0.4.13",
    } | changed


def write_lm_eval(
    folder: Path, lines: list[dict[str, Any]], results: dict[str, Any] | None = None, task: str = "color_quiz"
) -> Path:
    """A samples file of a task, and a results file beside it if there are results; gives the samples file."""
    folder.mkdir(parents=True, exist_ok=True)
    if results is not None:
        (folder / f"results_{TIME}.json").write_text(json.dumps(results, indent=2))
    path = folder / f"samples_{task}_{TIME}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def only(scores: Scores) -> BenchmarkScores:
    (part,) = scores.benchmarks
    return part


def read_one(path: Path, *wanted: str) -> BenchmarkScores:
    return only(read_path(path, frozenset(wanted)))


def by_item(part: BenchmarkScores, metric: str) -> dict[str, list[float]]:
    """Item -> its scores in the order of the epochs, nan where there is none."""
    table = part.metric(metric)
    order = np.lexsort((table.epoch, table.item))
    scores: dict[str, list[float]] = {}
    for row in order:
        scores.setdefault(part.items.ids[table.item[row]], []).append(float(scores_of(table)[row]))
    return scores


def statuses(part: BenchmarkScores, metric: str) -> dict[str, list[int]]:
    table = part.metric(metric)
    found: dict[str, list[int]] = {}
    for item, status in zip(table.item, table.status, strict=True):
        found.setdefault(part.items.ids[item], []).append(int(status))
    return found


def field_of(part: BenchmarkScores, name: str) -> dict[str, str | None]:
    column = part.items.fields[name]
    return {item: column.of(at) for at, item in enumerate(part.items.ids)}


def recomputed(part: BenchmarkScores, figure: HarnessFigure) -> float:
    """The harness's own formula on our items: the mean over items of their epochs' means, or its error."""
    means = {
        item: float(np.nanmean(values))
        for item, values in by_item(part, figure.metric).items()
        if not all(math.isnan(value) for value in values)
    }
    y = np.array(list(means.values()))
    if figure.kind == "mean":
        return float(y.mean())
    if figure.cluster is None:
        return float(y.std(ddof=1) / math.sqrt(len(y)))
    groups = field_of(part, figure.cluster)
    sums: dict[str | None, float] = {}
    for item, value in means.items():
        sums[groups[item]] = sums.get(groups[item], 0.0) + value - float(y.mean())
    k = len(sums)
    return math.sqrt(k / (k - 1) * sum(total**2 for total in sums.values())) / len(y)
