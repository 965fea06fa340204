"""`judge_drift`, a form of the verb judge: the same frozen answers judged before and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from evalstats._version import __version__
from evalstats.analyses.compare import two_sources
from evalstats.analyses.judge import JudgeKeywords
from evalstats.analyses.judge_checks_result import BenchmarkDrift, JudgeDrift
from evalstats.analyses.judge_labels import label_means
from evalstats.analyses.labelled_sample import Labels, read_labels
from evalstats.analyses.labels import run_labels
from evalstats.analyses.options import Options, size_in_score_units
from evalstats.analyses.questions import questions_of_two
from evalstats.analyses.sides import cautions_of_run, scales_differ
from evalstats.analyses.two_runs import TwoRuns, two_runs
from evalstats.data.design import cluster_codes, cluster_field
from evalstats.data.pairing import Matched, match
from evalstats.data.selection import Question
from evalstats.envelope import Provenance
from evalstats.errors import InputError
from evalstats.sources import Run, argument_of, single_run, table_inputs
from evalstats.subjects.judge_drift import AnchorDrift, anchor_drift

_NO_USE = (
    *(
        "view",
        "correction",
        "effect",
        "paired",
        "discordant",
        "lower_is_better",
        "plan",
        "tried",
        "with_text",
    ),
    *("n_boot", "seed", "largest_cluster", "method", "guarantee"),
)


def judge_drift(
    before: Run,
    after: Run,
    *,
    labels: Any = None,
    margin: float | str | None = None,
    **keywords: Unpack[JudgeKeywords],
) -> JudgeDrift:
    """Is it still the same judge? Its verdicts on the same frozen answers (anchors), before and after.

    before, after : two runs of the judge over the anchors, paired by id. labels : people's labels of anchors,
    by id, as for `judged`: agreement with them is held against what it was. margin : a change that is still
    fine, in the score's unit; without one the answer is never "equivalent". keywords : as for `score`.
    Raises InputError and PairingError for runs that are not of the same anchors.

    >>> old = [{"id": i, "score": int(i % 3 > 0)} for i in range(90)]
    >>> new = [{"id": i, "score": int(i % 3 > 0 and i % 5 > 0)} for i in range(90)]
    >>> found = judge_drift(old, new).only
    >>> found.verdict, round(found.rows[0].difference.point, 3)
    ('drifted', -0.133)
    """
    options = Options.of({**keywords, "margin": margin})
    options.refuse(_NO_USE, "has no use for a judge's drift; leave it out.")
    sources = two_sources((before, after), None, None, options)
    for source in sources:
        if source.counts is not None:
            raise InputError(f"{source.path} is counts: anchors are paired by id. Give the judge's logs.")
    scores = (single_run(sources[0]), single_run(sources[1]))
    names = run_labels(sources, scores)
    people = None if labels is None else read_labels(labels)
    found = questions_of_two(scores, sources, options)
    rows = tuple(_benchmark(question, names, people, options) for question in found.primary)
    roles = zip(("before", "after"), sources, names, strict=True)
    inputs = [entry for role, source, name in roles for entry in source.inputs(role, name)]
    recorded = options.asked()
    if people is not None:
        inputs += table_inputs(people.table, "labels")
        recorded["labels"] = argument_of(people.table)
    arguments = tuple(source.argument for source in sources)
    return JudgeDrift(rows, Provenance("judge_drift", arguments, tuple(inputs), recorded, None), found.notes)


@dataclass(frozen=True)
class _Anchors:
    """Anchors scored in both runs, side by side. labels : None where an anchor has none."""

    runs: TwoRuns
    matched: Matched
    used: np.ndarray[Any, np.dtype[np.bool_]]
    labels: list[float | None] | None
    cluster: tuple[str, Any] | None


def _benchmark(
    question: Question, names: tuple[str, ...], people: Labels | None, options: Options
) -> BenchmarkDrift:
    runs = two_runs(question, options, same_source=False)
    matched = match(question.baseline, question.candidate, options.id)
    unscored = runs.unscored(matched)
    used = ~(unscored[0] | unscored[1])
    if not used.any():
        raise InputError(f"{question.benchmark}: no anchor has a verdict of both runs.")
    at = (matched.baseline[used], matched.candidate[used])
    labels = None if people is None else _labels_at(runs, people, at[0])
    named = cluster_field(tuple(part.header for part in runs.parts), options.cluster)
    cluster = None if named is None else (named[0], cluster_codes(named[0], runs.positioned(at)))
    anchors = _Anchors(runs, matched, used, labels, cluster)
    margin = None if options.margin is None else size_in_score_units("margin", options.margin, runs.scale)
    scale = runs.scale
    found = anchor_drift(
        runs.items[0].y[at[0]],
        runs.items[1].y[at[1]],
        labels,
        None if cluster is None else cluster[1],
        margin=margin,
        bounds=None if scale.low is None or scale.high is None else (scale.low, scale.high),
        level=options.level,
    )
    return _row(anchors, found, names, margin, options)


def _labels_at(runs: TwoRuns, people: Labels, at: Any) -> list[float | None]:
    """Each anchor's label, by the id it has in the first run."""
    known = label_means(people, runs.parts[0], runs.metrics[0])
    return [known.get(int(position)) for position in at]


def _row(
    anchors: _Anchors, found: AnchorDrift, names: tuple[str, ...], margin: float | None, options: Options
) -> BenchmarkDrift:
    runs, n = anchors.runs, int(anchors.used.sum())
    said = {
        (one["code"], one["text"]): one
        for one in (
            *scales_differ(runs.metrics, names, runs.scale),
            *(caveat for row in found.rows for caveat in row.difference.extra["caveats"]),
            *(
                caveat
                for name, part, metric, items in zip(names, runs.parts, runs.metrics, runs.items, strict=True)
                for caveat in cautions_of_run(name, part, metric, items, options)
            ),
        )
    }
    shown = found.rows[0].difference
    return BenchmarkDrift(
        benchmark=runs.question.benchmark,
        metric=runs.question.metric,
        scale=runs.scale,
        key=anchors.matched.key,
        cluster=None if anchors.cluster is None else anchors.cluster[0],
        labels=names,
        n_anchors=n,
        n_labelled=sum(label is not None for label in anchors.labels or ()),
        margin=margin,
        rows=found.rows,
        changed=found.changed,
        verdict=found.verdict,
        caveats=tuple(said.values()),
        signature=f"judge_drift|{shown.method}|n:{n}|level:{options.level:g}|v:{__version__}",
    )
