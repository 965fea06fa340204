"""One run's part of a question: its scores as asked, its items for the methods, its counts and cautions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evalstats.analyses.options import Options
from evalstats.caveats import caveat
from evalstats.data.items import ItemScores, fill_missing, item_scores, two_scales
from evalstats.data.scores import SCORED, BenchmarkScores, MetricScores
from evalstats.envelope import Scale, Side
from evalstats.errors import InputError
from evalstats.methods.items import ItemValues, Request
from evalstats.results import Estimate

Caveats = list[dict[str, str]]
NO_FIELDS = "clusters (counts carry no fields)"
Positions = NDArray[np.int64]


def as_asked(part: BenchmarkScores, metric: MetricScores, options: Options, scale: Scale) -> MetricScores:
    """The metric's rows under --missing: left out, at the worst score, or refused.

    Raises InputError when nothing is scored, and under missing="error" when something is not.
    """
    where = f"{part.benchmark} ({metric.metric}) in {part.header.path}"
    unscored = _unscored(part, metric)
    if unscored and options.missing == "error":
        first = next(iter(_unscored_ids(part, metric)))
        raise InputError(
            f"{where}: {unscored} scores are missing or errored, {first!r} first. Mend the run, or choose "
            f"--missing scored (leave them out) or --missing wrong (count them as wrong)."
        )
    if options.missing == "wrong" and unscored:
        if scale.low is None:
            raise InputError(f"{where}: without a scale there is no worst score: give --bounds LOW,HIGH.")
        worst = scale.high if lower_is_better(metric, options) else scale.low
        return fill_missing(metric, len(part.items), float(worst or 0.0))
    if not (metric.status == SCORED).any():
        raise InputError(
            f"{where}: none of its {len(part.items)} items was scored, all are errored or missing. "
            f"See the errors in the log and run it again."
        )
    return metric


def _unscored(part: BenchmarkScores, metric: MetricScores) -> int:
    """Completions without a score, and items without a row."""
    return int((metric.status != SCORED).sum()) + len(part.items) - len(np.unique(metric.item))


def _unscored_ids(part: BenchmarkScores, metric: MetricScores) -> list[str]:
    scored = item_scores(metric, len(part.items)).completions
    logged = np.bincount(metric.item, minlength=len(part.items))
    return [part.items.ids[at] for at in np.flatnonzero((scored < logged) | (logged == 0))]


def scales_differ(metrics: Sequence[MetricScores], names: Sequence[str], scale: Scale) -> Caveats:
    """Where two of these runs seem to have a scale each."""
    tops = two_scales(metrics, scale)
    if not tops:
        return []
    reach = " and ".join(f"{top:g} in {names[j]}" for j, top in tops.items())
    seem = "per cent beside fractions, it seems" if max(tops.values()) > 10 else "two scales, it seems"
    return [caveat("scales_differ", f"scores reach {reach}: {seem}")]


def clusters_unchecked(options: Options, declared: bool = False) -> tuple[str, ...]:
    """That nothing says which items belong together, unless the option says that none do."""
    return () if declared or options.cluster is not None else ("clusters (none declared)",)


def lower_is_better(metric: MetricScores, options: Options) -> bool:
    """As asked, else as the log says."""
    return options.lower_is_better or metric.higher_is_better is False


def values_at(items: ItemScores, at: Positions, scale: Scale, assumed: bool) -> ItemValues:
    """The items at these positions, as the methods take them."""
    completions = items.completions[at].astype(np.float64)
    repeated = bool((completions > 1).any())
    return ItemValues(
        scores=items.means[at],
        pass_fail=scale.kind == "pass_fail",
        bounds=None if scale.low is None or scale.high is None else (scale.low, scale.high),
        completions=completions if repeated else None,
        within=items.within[at] if repeated else None,
        scale_assumed=assumed,
    )


def items_of_log(part: BenchmarkScores, metric: MetricScores, items: ItemScores) -> ItemScores:
    """The items as the log has them, where `metric` and its `items` may have been filled as asked."""
    logged = part.metric(metric.metric)
    return items if logged is metric else item_scores(logged, len(part.items))


def side(label: str, part: BenchmarkScores, items: ItemScores, estimate: Estimate) -> Side:
    """Counts are of the log: an item that counts as wrong because it is missing is still missing."""
    scored, errored = int(items.scored.sum()), int(items.errored.sum())
    missing = len(items) - scored - errored
    return Side(label, part.header.model, len(items), scored, missing, errored, estimate)


def request(options: Options, *, name: str, level: float | None = None, named: bool = True) -> Request:
    """What the methods are asked; named=False for a figure beside the answer, which keeps its default."""
    return Request(
        level=options.level if level is None else level,
        method=options.method if named else None,
        guarantee=options.guarantee if named else False,
        view=options.view,
        name=name,
        n_boot=options.n_boot if named else None,
        seed=options.seed,
        largest_cluster=options.largest_cluster if named else None,
    )


def cautions_of_run(
    label: str, part: BenchmarkScores, metric: MetricScores, items: ItemScores, options: Options
) -> Caveats:
    """What a reader must know of this run's log: not complete, items or completions not scored."""
    said = []
    if part.header.problem:
        said.append(caveat("run_incomplete", f"the log of {label} is not complete ({part.header.problem})"))
    filled = _unscored(part, part.metric(metric.metric)) if options.missing == "wrong" else 0
    if filled:
        text = f"in {label} {filled} missing scores count as the worst one, as asked"
        said.append(caveat("missing_as_worst", text))
    unscored = len(items) - int(items.scored.sum())
    if unscored:
        text = f"in {label} {unscored} of {len(items)} items were not scored and are left out"
        said.append(caveat("missing_items", text))
    most = int(items.logged.max()) if len(items.logged) else 0
    short = int(((items.completions > 0) & (items.completions < most)).sum())
    if short:
        lack = "1 item lacks" if short == 1 else f"{short} items lack"
        text = f"in {label} {lack} some of {most} completions: the mean is over the rest"
        said.append(caveat("epochs_missing", text))
    if metric.duplicates:
        text = f"in {label} {metric.duplicates} rows repeated an item and completion and were left out"
        said.append(caveat("duplicates", text))
    return said
