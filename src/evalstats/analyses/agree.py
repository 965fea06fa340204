"""`agree`: does the judge agree with people beyond chance, and as well as people agree with each other?"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

import numpy as np

from evalstats._version import __version__
from evalstats.analyses.agree_options import AgreeKeywords, AgreeOptions
from evalstats.analyses.agree_result import (
    AgreeCeiling,
    AgreeClass,
    AgreeMatrix,
    Agreement,
    AgreeRater,
    AgreeRow,
)
from evalstats.analyses.labelled_sample import Labels, is_label_table, read_labels
from evalstats.analyses.rated import Rated, declared_categories
from evalstats.analyses.rated_runs import rated_files, rated_labels, rated_log, rated_runs
from evalstats.analyses.rated_tables import rated_table
from evalstats.analyses.sides import clusters_unchecked
from evalstats.data.scores import Scores
from evalstats.envelope import Provenance
from evalstats.errors import InputError
from evalstats.methods.items import Request
from evalstats.readers.detect import is_table
from evalstats.readers.raw_table import RawTable, raw_table
from evalstats.results import Estimate
from evalstats.sources import Run, Wanted, named_source
from evalstats.subjects.agreement import landis_koch
from evalstats.subjects.agreement_ceiling import DIFFERENCE, ceiling_of, judge_labels_of_majority
from evalstats.subjects.agreement_ceiling import MEASURES as CEILING_MEASURES
from evalstats.subjects.agreement_classes import confusion_of
from evalstats.subjects.agreement_estimates import (
    ac_estimate,
    alpha_estimate,
    fleiss_estimate,
    kappa_estimate,
    percent_estimate,
)
from evalstats.subjects.agreement_labels import MOST_CATEGORIES, Ratings, ratings_of

_OF_LOGS = ("metric", "filter", "task", "latest")
_OF_TWO = ("kappa",)
_OF_ALL = ("fleiss",)


def agree(*sources: Run, **keywords: Unpack[AgreeKeywords]) -> Agreement:
    """Does a judge agree with people beyond chance, and as well as people agree with each other?

    sources : one table of labels (path, frame, list of dicts): columns judge and human, or a row a label; a
    file of labels by id and the run whose answers they are of ("labels.csv", "run.eval"); two runs or metrics
    that score the same answers, the judge's first ("run.eval@judge", "run.eval@human"); or a log with human=,
    the metadata field of a person's label.
    keywords : judge, human (one or several), rater, verdict: columns, or names in the rater column.
    measures : kappa, agreement, ac1, ac2, alpha, fleiss; the first leads and takes method, n_boot, seed.
    weights : "linear" or "quadratic" for grades; scale : of alpha; categories : all labels that could have
    been given, in order. metric, filter, task, id, cluster, latest, level : as for `score`.
    Raises InputError where it is not clear whose labels stand where, and for labels that cannot be compared.

    >>> counts = {(1, 1): 56, (1, 0): 4, (0, 1): 16, (0, 0): 24}
    >>> labels = [{"judge": j, "human": h} for (j, h), n in counts.items() for _ in range(n)]
    >>> found = agree(labels)
    >>> print(found.estimate)
    kappa 0.5614 [0.3967, 0.7261] 95% fce n=100
    >>> print(found.matrix.classes[0].recall)
    recall of 0 85.7% [68.5, 94.3] 95% wilson n=28
    """
    return agreement_of(list(sources), **keywords)


def agreement_of(sources: Sequence[Run], **keywords: Unpack[AgreeKeywords]) -> Agreement:
    """`agree` with its sources in one list."""
    options = AgreeOptions.of(dict(keywords))
    if not sources:
        raise InputError(
            "agree wants a table of labels (--judge COLUMN --human COLUMN), a file of labels and its run, or "
            "two runs that score the same answers."
        )
    return agreement(_rated(list(sources), options), options)


def _rated(sources: list[Run], options: AgreeOptions) -> Rated:
    tables = [_table(one) for one in sources]
    if len(sources) == 1 and tables[0] is not None:
        options.refuse(_OF_LOGS, "for logs; a table has columns.")
        return rated_table(tables[0], options)
    files = [read_labels(one) for one in tables if one is not None and is_label_table(one)]
    runs = [s for s, t in zip(sources, tables, strict=True) if t is None or not is_label_table(t)]
    if len(sources) == 1:
        return _log(sources[0], options)
    of_one = "for one table of labels, or one log. Of several sources the order says who is the judge."
    options.refuse(("judge", "human", "rater", "verdict"), of_one)
    return _by_id(files, runs, options)


def _log(run: Run, options: AgreeOptions) -> Rated:
    wanted = Wanted.of(None, *options.human, metric=options.run.metric)
    source = named_source(run, wanted)  # what is missing or empty is told before what has no use
    options.refuse(
        ("id", "judge", "rater", "verdict"), f"for tables and for paired runs, and {run} is one log."
    )
    if not options.human:
        raise InputError(
            f"{run}: one log has one judge. Name the metadata field with a person's label (--human FIELD), a "
            "second metric (RUN@METRIC RUN@METRIC), or a file of labels beside it (LABELS RUN)."
        )
    return rated_log(source, options)


def _by_id(files: Sequence[Labels], runs: Sequence[Run], options: AgreeOptions) -> Rated:
    if files:
        options.refuse(("id",), "files of labels are joined by their column id; leave it out.")
    if files and len(runs) == 1:
        return rated_labels(runs[0], files, options)
    if files and not runs:
        options.refuse((*_OF_LOGS, "cluster"), "for logs, and these are files of labels.")
        return rated_files(files, options)
    if files:
        raise InputError(
            f"{len(files)} files of labels and {len(runs)} runs: labels are of one run's answers, so "
            "name one RUN."
        )
    return rated_runs(runs, options)


def _table(source: Run) -> RawTable | None:
    """The table that a source is, as it stands; None for logs."""
    if isinstance(source, Scores):
        return None
    if isinstance(source, str | Path):
        path = Path(source)
        return raw_table(path) if path.is_file() and is_table(path) else None
    return raw_table(source)


def agreement(rated: Rated, options: AgreeOptions) -> Agreement:
    """The answer about labels that stand side by side."""
    categories = declared_categories(options.categories)
    ratings = ratings_of(rated.columns, categories, rated.cluster)
    request = Request(level=options.run.level, seed=options.run.seed)
    first = dataclasses.replace(request, method=options.method, n_boot=options.n_boot)
    rows = _rows(rated, ratings, options, first, request)
    alike = first if options.method in [method.name for method in DIFFERENCE] else request
    ceiling, no_ceiling = _ceiling(rated, ratings, options, alike, rows[0].measure)
    lead = rows[0].estimate
    named = ("agree", lead.name.replace(" ", ""), lead.method)
    seen = (*named, f"n:{lead.n}", f"level:{lead.level:g}", f"v:{__version__}")
    return Agreement(
        where=rated.where,
        key=rated.key,
        cluster=rated.cluster_name,
        raters=tuple(_raters(rated, ratings)),
        categories=tuple(str(name) for name in ratings.categories),
        scale=options.scale,
        weights=options.weights,
        n_items=ratings.n_items,
        n_blank=rated.n_blank,
        rows=rows,
        ceiling=ceiling,
        no_ceiling=no_ceiling,
        matrix=_matrix(rated, ratings, request.level) if options.scale in ("nominal", "ordinal") else None,
        signature="|".join(seen),
        provenance=Provenance("agree", rated.runs, rated.inputs, options.asked, options.run.seed),
        not_checked=clusters_unchecked(options.run, rated.cluster is not None),
        notes=(*rated.notes, *_unshared(rated, ratings)),
    )


def _unshared(rated: Rated, ratings: Ratings) -> list[str]:
    """Who uses no label that the first rater uses: 0 agreement is then of the spelling, or of the scale."""
    given = [set(row[row >= 0].tolist()) for row in ratings.codes]
    others = zip(rated.raters[1:], given[1:], strict=True)
    return [
        f"{rated.raters[0]} and {name} have no label in common: map them to the same labels first"
        for name, theirs in others
        if given[0] and theirs and not given[0] & theirs
    ]


def _raters(rated: Rated, ratings: Ratings) -> list[AgreeRater]:
    roles = ["judge" if rated.has_judge and not at else "human" for at in range(len(rated.raters))]
    counts = (ratings.codes >= 0).sum(axis=1).tolist()
    named = zip(rated.raters, roles, counts, strict=True)
    return [AgreeRater(name=name, role=role, n_labelled=count) for name, role, count in named]


def _rows(
    rated: Rated, ratings: Ratings, options: AgreeOptions, first: Request, others: Request
) -> tuple[AgreeRow, ...]:
    """The measures of each pair of judge and human, the leading one first; then of the humans alone."""
    groups = _groups(rated)
    measures = options.measures_for(2 if rated.has_judge else len(rated.raters))
    if not _fits(measures[0], groups[0][0], len(groups[0][1])):
        raise InputError(
            f"{measures[0]} cannot lead here: kappa is of two raters, fleiss of raters together without a "
            "judge; alpha, ac1 and agreement are of any number."
        )
    rows: list[AgreeRow] = []
    for kind, members in groups:
        fitting = [measure for measure in measures if _fits(measure, kind, len(members))]
        for at, measure in enumerate(fitting):
            asked = first if at == 0 and kind == groups[0][0] else others
            names = tuple(rated.raters[m] for m in members)
            estimate = _estimate(measure, ratings.of(members), asked, options, names)
            words = _words(estimate) if measure == "kappa" and options.weights is None else ()
            rows.append(AgreeRow(measure=measure, kind=kind, raters=names, estimate=estimate, words=words))
    return tuple(rows)


def _fits(measure: str, kind: str, raters: int) -> bool:
    if measure in _OF_TWO:
        return raters == 2
    return measure not in _OF_ALL or kind != "judge_human"


def _groups(rated: Rated) -> list[tuple[str, tuple[int, ...]]]:
    """Who is held against whom: the judge against each human, the humans together; or all raters."""
    n = len(rated.raters)
    if not rated.has_judge:
        return [("raters", tuple(range(n)))]
    pairs = [("judge_human", (human, 0)) for human in range(1, n)]
    return [*pairs, ("humans", tuple(range(1, n)))] if n > 2 else list(pairs)


def _estimate(
    measure: str, ratings: Ratings, request: Request, options: AgreeOptions, names: Sequence[str]
) -> Estimate:
    named = dataclasses.replace(request, name=_name(measure, options))
    if measure == "agreement":
        return percent_estimate(ratings, named)
    if measure == "kappa":
        return kappa_estimate(ratings, named, options.weights, (names[0], names[1]))
    if measure == "fleiss":
        return fleiss_estimate(ratings, named)
    if measure == "alpha":
        return alpha_estimate(ratings, named, options.scale)
    return ac_estimate(ratings, named, (options.weights or "quadratic") if measure == "ac2" else None)


_NAMES = {
    "kappa": "kappa",
    "agreement": "agreement",
    "ac1": "AC1",
    "ac2": "AC2",
    "alpha": "alpha",
    "fleiss": "Fleiss kappa",
}


def _name(measure: str, options: AgreeOptions) -> str:
    """ "kappa (quadratic)", "alpha (ordinal)"."""
    if measure == "ac2" or (measure == "kappa" and options.weights is not None):
        return f"{_NAMES[measure]} ({options.weights or 'quadratic'})"
    if measure == "alpha" and options.scale != "nominal":
        return f"alpha ({options.scale})"
    return _NAMES[measure]


def _words(estimate: Estimate) -> tuple[str, ...]:
    """Landis and Koch's word for the point and for either limit."""
    shown = (estimate.point, estimate.ci_low, estimate.ci_high)
    return tuple(landis_koch(value) for value in shown if math.isfinite(value))


def _ceiling(
    rated: Rated, ratings: Ratings, options: AgreeOptions, request: Request, measure: str
) -> tuple[AgreeCeiling | None, str]:
    """Judge–human against human–human by the leading measure, or why not."""
    if not rated.has_judge:
        return None, "nobody is the judge"
    if len(rated.humans) < 2:
        return None, "one human: how well people agree with each other is not known"
    if measure not in CEILING_MEASURES:
        return None, f"the ceiling is by {', '.join(CEILING_MEASURES)}, not by {measure}"
    if not np.any(ratings.given == ratings.n_raters):
        return None, "no item was labelled by the judge and every human"
    weights = options.weights if measure == "kappa" else None
    found = ceiling_of(ratings, request, measure, weights, options.scale)
    return (
        AgreeCeiling(
            measure=measure,
            n=found.n,
            judge=found.judge,
            humans=found.human,
            difference=found.difference,
            test=found.test,
        ),
        "",
    )


def _matrix(rated: Rated, ratings: Ratings, level: float) -> AgreeMatrix | None:
    """Of the judge against the human, or against the majority of humans; None without a judge."""
    if len(ratings.categories) > MOST_CATEGORIES or not (rated.has_judge or len(rated.raters) == 2):
        return None
    if len(rated.raters) == 2:
        both, tied = ratings.of((1, 0)), 0
        rows, columns = rated.raters[1], rated.raters[0]
    else:
        both, tied = judge_labels_of_majority(ratings)
        rows, columns = "majority", str(rated.judge)
    found = confusion_of(both, level)
    classes = tuple(AgreeClass(**vars(one)) for one in found.classes)
    return AgreeMatrix(
        rows=rows,
        columns=columns,
        categories=found.categories,
        counts=found.counts,
        classes=classes,
        n_tied=tied,
    )
