"""`show`: what was understood of a source, what it allows, what is blocked and what would unblock it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from evalstats._version import __version__
from evalstats.analyses.harness_check import HarnessCheck, checks_of, group_checks
from evalstats.data.design import NEVER_CLUSTERS, cluster_candidates
from evalstats.data.items import item_scores, scale_of
from evalstats.data.scores import BenchmarkScores, MetricScores, Scores
from evalstats.envelope import Scale
from evalstats.results import plain
from evalstats.sources import Run, Wanted, named_source

MOST_SLICES = 50  # distinct values up to which a field is offered as slices


@dataclass(frozen=True)
class MetricContents:
    """One metric of one benchmark. completions : fewest and most scored completions of an item."""

    metric: str
    primary: bool
    scale: Scale
    mean: float
    n_scored: int
    n_missing: int
    n_errored: int
    completions: tuple[int, int]
    harness: tuple[HarnessCheck, ...]


@dataclass(frozen=True)
class FieldContents:
    """A metadata field that may serve as a cluster (--cluster) or as slices (--by)."""

    field: str
    n_values: int


@dataclass(frozen=True)
class Blocked:
    what: str
    unblock: str


@dataclass(frozen=True)
class BenchmarkContents:
    """One run on one benchmark, as it was read."""

    run: str
    benchmark: str
    path: str
    format: str
    model: str
    created: str
    problem: str
    n_items: int
    metrics: tuple[MetricContents, ...]
    declared_cluster: str | None
    clusters: tuple[FieldContents, ...]
    slices: tuple[FieldContents, ...]
    possible: tuple[str, ...]
    blocked: tuple[Blocked, ...]


@dataclass(frozen=True)
class GroupContents:
    """A harness's group score: it is not a benchmark of its own and never counted twice."""

    run: str
    group: str
    members: tuple[str, ...]
    harness: tuple[HarnessCheck, ...]


@dataclass(frozen=True)
class Contents:
    """What one source holds. `to_dict()` is the JSON of `show --json`."""

    source: str
    runs: tuple[str, ...]
    benchmarks: tuple[BenchmarkContents, ...]
    groups: tuple[GroupContents, ...]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"schema": "evalstats/show/1", "version": __version__, **plain(self)}


def show(run: Run) -> Contents:
    """What did evalstats understand of this log, and what can be asked of it?

    run : whatever `score` takes. Raises InputError for what cannot be read.

    >>> contents = show([{"id": "q1", "score": 1}, {"id": "q2", "score": 0}])
    >>> contents.benchmarks[0].n_items, contents.benchmarks[0].metrics[0].mean
    (2, 0.5)
    """
    source = named_source(run, Wanted())
    scores = source.scores
    if scores is not None and source.run is not None:
        scores = scores.run(source.run)
    if scores is None:
        counts = source.counts or (0, 0)
        possible = (f"score {counts[0]}/{counts[1]}", "compare two counts, unpaired or with --discordant")
        return Contents(source.path, (), (), (), possible)
    return Contents(
        source.path,
        scores.runs,
        tuple(_benchmark(part) for part in scores),
        tuple(
            GroupContents(group.run, group.benchmark, group.members, group_checks(group, scores))
            for group in scores.groups
        ),
        scores.notes + _header_notes(scores),
    )


def _header_notes(scores: Scores) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note for part in scores for note in part.header.notes))


def _benchmark(part: BenchmarkScores) -> BenchmarkContents:
    header = part.header
    metrics = tuple(_metric(part, metric) for metric in part.metrics)
    everything = np.arange(len(part.items), dtype=np.int64)
    clusters = {
        name: int(codes.max()) + 1 for name, codes in cluster_candidates(part.items, everything).items()
    }
    several = any(metric.completions[1] > 1 for metric in metrics)
    return BenchmarkContents(
        run=header.run,
        benchmark=header.benchmark,
        path=header.path,
        format=header.format,
        model=header.model,
        created=header.created,
        problem=header.problem,
        n_items=len(part.items),
        metrics=metrics,
        declared_cluster=header.cluster,
        clusters=tuple(FieldContents(name, n) for name, n in clusters.items()),
        slices=_slices(part),
        possible=_possible(part, metrics, several),
        blocked=_blocked(part, metrics, several, bool(clusters)),
    )


def _metric(part: BenchmarkScores, metric: MetricScores) -> MetricContents:
    items = item_scores(metric, len(part.items))
    scored = items.completions[items.scored]
    errored = int(items.errored.sum())
    return MetricContents(
        metric=metric.metric,
        primary=metric.metric == part.primary,
        scale=scale_of((metric,), None)[0],
        mean=float(items.y[items.scored].mean()) if len(scored) else float("nan"),
        n_scored=len(scored),
        n_missing=len(items) - len(scored) - errored,
        n_errored=errored,
        completions=(int(scored.min()), int(scored.max())) if len(scored) else (0, 0),
        harness=tuple(check for check in checks_of(part) if check.metric == metric.metric),
    )


def _slices(part: BenchmarkScores) -> tuple[FieldContents, ...]:
    counts = {name: len(field.values) for name, field in part.items.fields.items()}
    return tuple(
        FieldContents(name, n)
        for name, n in counts.items()
        if 2 <= n <= min(MOST_SLICES, len(part.items) // 2) and name.lower() not in NEVER_CLUSTERS
    )


def _possible(part: BenchmarkScores, metrics: tuple[MetricContents, ...], several: bool) -> tuple[str, ...]:
    name = part.benchmark
    said = [f"score: {name} with an interval", f"compare: {name} with another run of the same items"]
    if several:
        said.append("--view fixed_items: decoding noise alone")
        if any(metric.scale.kind == "pass_fail" for metric in metrics):
            said.append("passk: pass@k and pass^k over its attempts")
    if len(metrics) > 1:
        said.append(
            f"a grader change: compare {part.header.path}@{metrics[0].metric} with @{metrics[1].metric}"
        )
    return tuple(said)


def _blocked(
    part: BenchmarkScores, metrics: tuple[MetricContents, ...], several: bool, has_clusters: bool
) -> tuple[Blocked, ...]:
    said = []
    if all(metric.n_scored == 0 for metric in metrics):
        said.append(Blocked("any score", "no item was scored: see the errors in the log and run it again"))
    if not several:
        said.append(Blocked("decoding noise (--view fixed_items)", "two or more completions an item"))
    if not has_clusters and part.header.cluster is None:
        said.append(Blocked("clusters (--cluster)", "a metadata field with the passage, repository or user"))
    if part.header.positional:
        said.append(
            Blocked("pairing with other formats by id", "a field that identifies the item: --id FIELD")
        )
    if not all(part.items.prompts):
        said.append(Blocked("whether two runs had the same prompts", "a log with prompt hashes"))
    return tuple(said)
