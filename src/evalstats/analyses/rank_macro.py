"""Many runs over several benchmarks, each counting the same: the ranking by the macro average."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evalstats.analyses.averaging import ends_of, side_of
from evalstats.analyses.options import Options
from evalstats.analyses.rank_cautions import cautions_of_average
from evalstats.analyses.rank_items import JoinedRuns
from evalstats.analyses.rank_result import RankedBenchmark
from evalstats.analyses.rank_rows import (
    best_first,
    family_of,
    in_order,
    many_request,
    pair_methods,
    ranked_pairs,
    ranked_runs,
    ranking_signature,
)
from evalstats.envelope import Design, Scale
from evalstats.errors import EvalStatsError
from evalstats.methods.many import macro_pairs_of
from evalstats.methods.many_items import in_every_run

MACRO = "macro average"


def macro_ranking(
    joined: Sequence[JoinedRuns], ranked: Sequence[RankedBenchmark], options: Options, joint: bool
) -> tuple[RankedBenchmark | None, tuple[str, ...]]:
    """The ranking over all benchmarks, or a note why there is none; neither of one benchmark."""
    if len(ranked) < 2:
        return None, ()
    if len({_kind(one) for one in ranked}) > 1:
        return None, ("no macro average: the benchmarks are not on one scale",)
    try:
        return _ranked(joined, ranked, options, joint), ()
    except EvalStatsError as reason:
        return None, (f"no macro average: {reason}",)


def _kind(one: RankedBenchmark) -> tuple[object, ...]:
    ends = ends_of(one.scale)
    return (one.higher_is_better, ends if ends is not None else one.metric)


def _ranked(
    joined: Sequence[JoinedRuns], ranked: Sequence[RankedBenchmark], options: Options, joint: bool
) -> RankedBenchmark:
    first, ends = ranked[0], ends_of(ranked[0].scale)
    labels = joined[0].labels
    sides = [side_of([one[label].run for one in ranked], ends, options.level) for label in labels]
    order = best_first([side.estimate.point for side in sides], labels, joined[0].lower_is_better)
    request = many_request(options, joint, simultaneous=None)
    found = macro_pairs_of(
        [in_order(in_every_run(one.items), order) for one in joined],
        np.array([sides[j].estimate.point for j in order]),
        request,
        lower_is_better=joined[0].lower_is_better,
    )
    metrics = list(dict.fromkeys(one.metric for one in ranked))
    metric = metrics[0] if len(metrics) == 1 else f"{len(metrics)} metrics"
    return RankedBenchmark(
        benchmark=MACRO,
        metric=metric,
        scale=first.scale if ends is None else Scale("bounded", *ends),
        design=_design(ranked),
        higher_is_better=first.higher_is_better,
        key=first.key,
        n_common=sum(one.n_common for one in ranked),
        own_items=any(one.own_items for one in ranked),
        runs=ranked_runs(MACRO, metric, found, [sides[j] for j in order]),
        pairs=ranked_pairs(found, [labels[j] for j in order]),
        family=family_of(found, request),
        methods=pair_methods(found, request),
        overall=None,
        caveats=tuple(cautions_of_average(found)),
        not_checked=tuple(dict.fromkeys(text for one in ranked for text in one.not_checked)),
        signature=ranking_signature(found, request, "benchmarks"),
    )


def _design(ranked: Sequence[RankedBenchmark]) -> Design:
    designs = [one.design for one in ranked]
    n_items = sum(design.n_items for design in designs)
    return Design(
        unit="item",
        cluster_source="none",
        paired=True,
        n_items=n_items,
        n_units=sum(design.n_units for design in designs),
        completions=sum(design.completions * design.n_items for design in designs) / n_items,
    )
