"""The results_*.json of lm-evaluation-harness: what it says about a run, its tasks and groups."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from evalstats.data.scores import HarnessFigure, Header
from evalstats.readers import fields
from evalstats.readers.archive import contents, decoded

# Who answers, in the order in which the harness itself looks: an adapter before the model it sits on.
_MODEL_ARGUMENTS = ("name", "peft", "delta", "pretrained", "model", "path", "engine")
_UNIT_SCALE = frozenset({"acc", "acc_norm", "exact_match", "f1"})
# Their figure is not the mean of what the items hold, where the log does not name the aggregation.
_NOT_MEANS = frozenset({"f1", "mcc", "matthews_corrcoef", "bleu", "chrf", "ter", "acc_all", "brier_score"})
_TEMPLATE = (
    "doc_to_text",
    "doc_to_target",
    "doc_to_choice",
    "description",
    "target_delimiter",
    "fewshot_delimiter",
    "fewshot_config",
    "gen_prefix",
)
_CHAT = ("system_instruction_sha", "chat_template_sha", "fewshot_as_multiturn")


class Results(msgspec.Struct):
    """The parts of a results file that are read; the rest is skipped undecoded."""

    results: dict[str, dict[str, Any]]
    groups: dict[str, dict[str, Any]] = {}
    group_subtasks: dict[str, list[str]] = {}
    configs: dict[str, dict[str, Any]] = {}
    versions: dict[str, Any] = {}
    shots: dict[str, Any] = msgspec.field(name="n-shot", default={})
    higher_is_better: dict[str, dict[str, Any]] = {}
    config: dict[str, Any] = {}
    lm_eval_version: Any = None
    transformers_version: Any = None
    git_hash: Any = None
    system_instruction_sha: Any = None
    chat_template_sha: Any = None
    fewshot_as_multiturn: Any = None

    @property
    def tasks(self) -> list[str]:
        """The tasks with items of their own: `results` repeats the rows of the groups."""
        return [name for name in self.results if name not in self.groups and name in self.configs]

    def figures(self, task: str) -> dict[tuple[str, str], float | None]:
        """What the harness printed, by (metric, filter), in its order; standard errors among them."""
        return {
            (metric, name): _number(value)
            for key, value in self.results.get(task, {}).items()
            for metric, comma, name in [key.partition(",")]
            if comma
        }

    def filters(self, task: str) -> tuple[str, ...]:
        """The task's filters in the order in which the harness ran them."""
        return tuple(dict.fromkeys(name for _, name in self.figures(task)))


_DECODER = msgspec.json.Decoder(Results)


def read_results(path: Path) -> Results:
    return decoded(contents(path), _DECODER, path)


def model_name(results: Results | None, folder: str) -> str:
    """Who answered: from model_args, else the folder (`model_name` is a random token for own models)."""
    arguments = _model_arguments(results) if results else {}
    named = next((arguments[key] for key in _MODEL_ARGUMENTS if arguments.get(key)), folder)
    return str(named)


def listed_metrics(results: Results, task: str) -> list[str]:
    """The names of the task's own metric list, in its order."""
    return [str(entry["metric"]) for entry in _metric_list(results, task)]


def aggregated_as_mean(results: Results, task: str, metric: str) -> bool:
    """Whether the harness's figure is the mean over items of what the samples file holds."""
    for entry in _metric_list(results, task):
        if entry["metric"] == metric and "aggregation" in entry:
            return bool(entry["aggregation"] == "mean")
    return metric not in _NOT_MEANS and not of_the_whole_set(metric)


def of_the_whole_set(metric: str) -> bool:
    """Perplexities and bits per byte exist for a set; their items hold log-likelihoods instead."""
    return metric in {"bypass", "bits_per_byte"} or metric.endswith("perplexity")


def bounds(names: list[str]) -> dict[str, tuple[float, float]]:
    """The scale that the harness fixes, for full names ("acc,none")."""
    return {name: (0.0, 1.0) for name in names if name.partition(",")[0] in _UNIT_SCALE}


def harness_figures(results: Results, task: str) -> tuple[HarnessFigure, ...]:
    """The means and standard errors that the same formula on our items must give again."""
    printed = results.figures(task)
    figures = []
    for (metric, name), value in printed.items():
        error = printed.get((f"{metric}_stderr", name))
        if metric.endswith("_stderr") or value is None or not aggregated_as_mean(results, task, metric):
            continue
        figures.append(HarnessFigure(f"{metric},{name}", "mean", value))
        if error is not None:
            figures.append(HarnessFigure(f"{metric},{name}", "standard_error", error))
    return tuple(figures)


def group_headers(results: Results, path: Path, run: str, created: str) -> Iterator[Header]:
    """One header a group, with the tasks below it and the harness's pooled figures; it has no rows."""
    for group in results.groups:
        figures = harness_figures(results, group)
        yield Header(
            run=run,
            benchmark=group,
            path=str(path),
            format="lm_eval",
            model=run,
            created=created,
            primary=figures[0].metric if figures else None,
            bounds=bounds([figure.metric for figure in figures]),
            members=tuple(dict.fromkeys(_leaves(results, group, ()))),
            harness=figures,
        )


def settings(results: Results, task: str) -> dict[str, str]:
    """What may differ between two runs of a task, as flat text; what is not set is left out."""
    task_config, config = results.configs.get(task, {}), results.config
    template = [task_config.get(key) for key in _TEMPLATE] + [getattr(results, key) for key in _CHAT]
    named = {
        "model": model_name(results, ""),
        "model_type": config.get("model"),
        "model_args": _model_arguments(results),
        "num_fewshot": results.shots.get(task),
        "prompt": fields.digest(template),
        "limit": config.get("limit"),
        "repeats": task_config.get("repeats"),
        "generation": {
            **_mapping(task_config.get("generation_kwargs")),
            **_mapping(config.get("gen_kwargs")),
        },
        "task_version": results.versions.get(task),
        "dataset": _dataset(task_config),
        "grader": [task_config.get(key) for key in ("metric_list", "filter_list", "process_results")],
        "seeds": {key.removesuffix("_seed"): value for key, value in config.items() if key.endswith("_seed")},
        "batch_size": config.get("batch_size"),
        "device": config.get("device"),
        "harness": f"lm-eval {results.lm_eval_version}" if results.lm_eval_version else results.git_hash,
        "transformers": None if results.transformers_version == "N/A" else results.transformers_version,
    }
    return fields.settings(named)


def _dataset(task_config: Mapping[str, Any]) -> str:
    parts = (task_config.get(key) for key in ("dataset_path", "dataset_name", "test_split"))
    return ":".join(str(part) for part in parts if part)


def _model_arguments(results: Results) -> dict[str, Any]:
    """model_args is an object now and was "key=value,key=value" before."""
    arguments = results.config.get("model_args")
    if isinstance(arguments, str):
        return dict(part.split("=", 1) for part in arguments.split(",") if "=" in part)
    return _mapping(arguments)


def _metric_list(results: Results, task: str) -> list[dict[str, Any]]:
    entries = results.configs.get(task, {}).get("metric_list") or []
    return [entry for entry in entries if isinstance(entry, dict) and "metric" in entry]


def _leaves(results: Results, name: str, above: tuple[str, ...]) -> Iterator[str]:
    """The tasks below a group, through groups of groups."""
    below = results.group_subtasks.get(name)
    if not below:
        yield name
        return
    for child in below:
        if child not in above:
            yield from _leaves(results, child, (*above, name))


def _mapping(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


def _number(value: Any) -> float | None:
    """A finite number, or None: the harness writes "N/A" where it has no standard error."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)
