"""Inspect AI logs, .eval and .json: one run on one benchmark; a scorer, or a key of its dict, is a metric."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evalstats.data.scores import TEXTS, Exchange, HarnessFigure, Header, Row
from evalstats.errors import InputError
from evalstats.readers import inspect_scores as scores
from evalstats.readers import inspect_texts
from evalstats.readers.fields import flat, plain_names, scalar_fields, settings
from evalstats.readers.inspect_log import (
    REMOVED,
    Dataset,
    Log,
    Plan,
    Sample,
    Spec,
    complete_metadata,
    complete_scores,
    id_text,
    opened,
)

_ZIP = b"PK\x03\x04"
_JSON = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,')
_MEMBERS = (b"_journal/", b"samples/", b"header.json", b"summaries.json")
_MEAN_METRICS, _ERROR_METRIC = frozenset({"accuracy", "mean"}), "stderr"
_LIMITS = ("message_limit", "token_limit", "turn_limit", "time_limit", "working_limit", "cost_limit")


def detect(path: Path, start: bytes) -> bool:
    """A zip with Inspect's members, or its JSON, by the first bytes."""
    if start.startswith(_ZIP):
        return path.suffix == ".eval" or start[30:].startswith(_MEMBERS)
    return bool(_JSON.match(start)) and b'"eval"' in start and b'"task"' in start


def rows(path: Path, wanted: frozenset[str]) -> Iterator[Header | Row]:
    """The header, a row for each metric, sample and epoch, and one for each item under other reducers.

    Raises InputError for a damaged log, a label without a number, and two declared cluster fields.
    """
    with_texts, wanted = TEXTS in wanted, plain_names(wanted - {TEXTS}, "metadata.")
    with path.open("rb") as file:
        zipped = file.read(4) == _ZIP
    with opened(path, zipped) as (log, archive):
        samples = log.samples or []
        cluster = _cluster(log, path, wanted)
        wanted |= {cluster} if cluster else set()
        if archive is not None:
            complete_scores(archive, samples)
            complete_metadata(archive, samples, wanted)
        texts = inspect_texts.exchanges(path, archive) if with_texts else {}
    yield from _LogRows(log, path, cluster, wanted, texts).rows()


class _LogRows:
    """One log's metrics and statuses, turned into a header and rows."""

    def __init__(
        self,
        log: Log,
        path: Path,
        cluster: str | None,
        wanted: frozenset[str],
        texts: Mapping[tuple[str, int], Exchange],
    ) -> None:
        self.log, self.path, self.cluster, self.wanted, self.texts = log, path, cluster, wanted, texts
        self.samples = log.samples or []
        found = scores.columns(self.samples)
        self.columns = {metric: column for metric, column in found.items() if column.refused is None}
        self.refused = {metric: column.refused for metric, column in found.items() if column.refused}
        for metric in scores.declared_metrics(log):
            if not found:
                self.columns[metric] = scores.Column({})
        self.absent = _not_logged(log)
        self.reduced = list(self._reduced())

    def rows(self) -> Iterator[Header | Row]:
        yield self._header()
        for at, sample in enumerate(self.samples):
            yield from self._sample_rows(at, sample)
        for item, epoch in self.absent:
            for metric in self.columns:
                yield self._row(metric, item, epoch, None, "missing")
        for metric, values, _ in self.reduced:
            for item, status in self._item_statuses().items():
                score = values.get(item)
                yield self._row(metric, item, 1, score, status if score is None else "scored")

    def _sample_rows(self, at: int, sample: Sample) -> Iterator[Row]:
        item, errored = id_text(sample.id), sample.error is not None
        known = {name: v for name, v in (sample.metadata or {}).items() if v != REMOVED}
        fields = scalar_fields(known, self.wanted)
        text = self.texts.get((item, sample.epoch))
        for metric, column in self.columns.items():
            score = column.scores.get(at)
            status = "scored" if score is not None else "missing"
            if errored and at not in column.scores:
                status = "error"
            row = self._row(metric, item, sample.epoch, score, status)
            yield row._replace(fields=fields, exchange=text) if fields or text else row
            fields, text = {}, None

    def _row(self, metric: str, item: str, epoch: int, score: float | None, status: str) -> Row:
        return Row(self.log.eval.model, self.log.eval.task, metric, item, score, epoch, status)

    def _item_statuses(self) -> dict[str, str]:
        """Why an item has no reduced value: all its epochs errored, or it was not scored."""
        errored: dict[str, bool] = {}
        for sample in self.samples:
            item = id_text(sample.id)
            errored[item] = errored.get(item, True) and sample.error is not None
        errored.update({item: False for item, _ in self.absent if item not in errored})
        return {item: "error" if wholly else "missing" for item, wholly in errored.items()}

    def _reduced(self) -> Iterator[tuple[str, dict[str, float | None], bool]]:
        """Metric under another reducer, its value by item, and whether its scale is 0 to 1."""
        for reduction in self.log.reductions or []:
            if not scores.is_mean(reduction.reducer):
                for metric, values in scores.reduced_columns(reduction, self.columns):
                    fixed = self.columns[metric.rpartition("/")[0]].fixed
                    yield metric, values, scores.unit_scale(str(reduction.reducer), fixed)

    def _header(self) -> Header:
        spec = self.log.eval
        primary = scores.primary(self.log, [*self.columns, *self.refused])
        self._check_labels(primary)
        unit = [metric for metric, column in self.columns.items() if column.fixed]
        unit += [metric for metric, _, scale in self.reduced if scale]
        return Header(
            run=spec.model,
            benchmark=spec.task,
            path=str(self.path),
            format="inspect",
            model=spec.model,
            created=spec.created,
            problem=_problem(self.log, len(self.samples), len(self.absent)),
            config=_settings(self.log),
            primary=primary,
            bounds=dict.fromkeys(unit, (0.0, 1.0)),
            cluster=self.cluster,
            harness=tuple(_figures(self.log, [*self.columns, *(metric for metric, _, _ in self.reduced)])),
            notes=tuple(self._notes()),
        )

    def _check_labels(self, primary: str | None) -> None:
        label, item = self.refused.get((primary or "").partition("/")[0]) or ("", "")
        if item:
            raise InputError(
                f"{self.path}: item {item!r} has the label {label!r} from {primary}, which is no number. "
                f"C, P, I, N, yes, no, true, false and numbers are read. Score it again with these "
                f"(`inspect score`)."
            )

    def _notes(self) -> Iterator[str]:
        for metric, refused in self.refused.items():
            if refused:
                yield f"{metric} gives labels such as {refused[0]!r}, not numbers, and was left out"
        if self.log.invalidated:
            yield "samples of this log were marked as invalid by hand"


def _cluster(log: Log, path: Path, wanted: frozenset[str]) -> str | None:
    """The cluster field that the log declares; a choice among several is taken from what is wanted."""
    declared = scores.declared_clusters(log)
    chosen = [name for name in declared if name in wanted]
    if len(declared) < 2 or len(chosen) == 1:
        return next(iter(chosen or declared), None)
    if "none" in wanted:
        return None
    raise InputError(
        f"{path}: its scorers declare different clusters, {' and '.join(declared)}. "
        f"Choose with --cluster {declared[0]} or --cluster {declared[1]}, or --cluster none."
    )


def _not_logged(log: Log) -> list[tuple[str, int]]:
    """The (item, epoch) that the run was to do and did not, from the ids of its dataset."""
    epochs = (log.eval.config or {}).get("epochs") or 1
    ids = log.eval.dataset.sample_ids if log.eval.dataset else None
    planned = [(id_text(item), epoch) for item in ids or [] for epoch in range(1, epochs + 1)]
    if log.results is not None and log.results.total_samples < len(planned):
        return []  # the ids are of the whole dataset, before --limit
    done = {(id_text(sample.id), sample.epoch) for sample in log.samples or []}
    return [each for each in planned if each not in done]


def _problem(log: Log, logged: int, absent: int) -> str:
    if log.status == "success":
        return ""
    reasons = {"cancelled": "the run was cancelled", "error": "the run stopped with an error"}
    why = reasons.get(log.status, "the run had not finished when this log was written")
    if log.killed:
        why = "the run was killed: the log has no header"
    message = log.error.get("message") if isinstance(log.error, dict) else None
    if message:
        why += f" ({str(message).strip().splitlines()[0][:160]})"
    return f"{why}; {logged} of {logged + absent} samples are in it" if absent else why


def _figures(log: Log, known: list[str]) -> Iterator[HarnessFigure]:
    """The means and standard errors of results.scores; grouped entries and other metrics are left out."""
    for entry in scores.results_of(log):
        base = scores.metric_of(entry.name, entry.scorer or entry.name, known)
        metric = base if scores.is_mean(entry.reducer) else f"{base}/{entry.reducer}"
        if base is None or metric not in known:
            continue
        for printed in entry.metrics.values():
            params = printed.params or printed.options or {}
            value, name = printed.value, printed.name.rpartition("/")[2]
            if printed.group or "group_key" in params or not _finite(value):
                continue
            if name in _MEAN_METRICS:
                yield HarnessFigure(str(metric), "mean", float(value))
            elif name == _ERROR_METRIC:
                yield HarnessFigure(str(metric), "standard_error", float(value), params.get("cluster"))


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _settings(log: Log) -> dict[str, str]:
    """What may differ between two runs of a task, as flat text; what is not set is left out."""
    spec, config, plan = log.eval, log.eval.config or {}, log.plan or Plan()
    dataset, version = spec.dataset or Dataset(), (spec.packages or {}).get("inspect_ai")
    named = {
        "model": spec.model,
        "model_args": spec.model_args,
        "base_url": spec.model_base_url,
        "generation": (plan.config or {}) | (spec.model_generate_config or {}),
        "task_version": spec.task_version,
        "task_args": spec.task_args,
        "solver": _solver(spec, plan),
        "grader": "; ".join(f"{s.name}({flat(s.options)})" for s in spec.scorers or []),
        "judge": _judge(log),
        "dataset": dataset.name or dataset.location,
        "epochs": config.get("epochs"),
        "epochs_reducer": config.get("epochs_reducer"),
        "limit": config.get("limit"),
        "sample_id": config.get("sample_id"),
        "limits": {name: config.get(name) for name in _LIMITS},
        "harness": f"inspect_ai {version}" if version else None,
    }
    return settings(named)


def _solver(spec: Spec, plan: Plan) -> str:
    """The steps with their parameters: prompt templates are among them."""
    steps = "; ".join(f"{step.get('solver', '')}({flat(step.get('params'))})" for step in plan.steps or [])
    return steps or f"{spec.solver or ''}{flat(spec.solver_args)}"


def _judge(log: Log) -> str:
    """The models that grade: a scorer's option, or the role of that name."""
    options = [s.options.get("model") for s in log.eval.scorers or [] if s.options]
    role = (log.eval.model_roles or {}).get("grader")
    named = [str(model) for model in options if model]
    return ", ".join(named) or flat(role.get("model") if isinstance(role, dict) else role)
