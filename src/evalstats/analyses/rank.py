"""`rank`: many runs, which of them can be told apart, and which rank each may have."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Unpack

import numpy as np

from evalstats.analyses.options import OptionKeywords, Options
from evalstats.analyses.rank_cautions import ranking_cautions, run_cautions
from evalstats.analyses.rank_items import JoinedRuns, check_common, joined_runs
from evalstats.analyses.rank_macro import macro_ranking
from evalstats.analyses.rank_result import RankedBenchmark, Ranking
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
from evalstats.analyses.rank_runs import asked_logs, named_runs
from evalstats.analyses.sides import clusters_unchecked, items_of_log, side
from evalstats.data.design import cluster_candidates
from evalstats.envelope import ClusterCandidate, Design, Provenance, Side
from evalstats.errors import InputError, MethodError
from evalstats.methods.items import Request
from evalstats.methods.many import pairs_of
from evalstats.methods.many_items import ManyItems, in_every_run
from evalstats.methods.many_terms import pair_terms
from evalstats.methods.many_tests import overall_test
from evalstats.methods.means import item_mean_estimate
from evalstats.results import Estimate
from evalstats.sources import Run

_NO_USE = ("margin", "effect", "discordant", "paired", "tried", "with_text", "plan", "view", "correction")
_NAMED = 6  # blank columns that are named
_CANDIDATE_PAIRS = 100  # of the best run with others: enough for what a cluster would do to the error bar


def rank(*runs: Run, joint: bool = False, **keywords: Unpack[OptionKeywords]) -> Ranking:
    """Which of these runs is best, which cannot be told apart, and which rank may each have?

    runs : three or more, each whatever `score` takes; a source that holds several, such as a table with one
    column a model, stands for all of them. joint : rank ranges that hold for all runs at once, not each
    run's own. keywords : metric, filter, task, id, cluster, labels, missing, bounds, lower_is_better, latest,
    level, guarantee, largest_cluster, n_boot, seed as for `compare`; method : of the simultaneous intervals.
    Items count that every run scored; if that loses over 5 % of a run's, each pair has its own common ones.
    All pairs have Holm on mid-p (t for scores) and intervals that hold at once; groups are made from these.
    Raises InputError for counts, for fewer than three runs and for what cannot be read, PairingError for
    runs without common items.

    >>> table = [{"id": f"q{i}", "old": i % 3 > 1, "new": i % 3 > 0, "newer": i % 8 > 0} for i in range(240)]
    >>> found = rank(table).only
    >>> [(run.label, run.rank, run.rank_low, run.rank_high) for run in found]
    [('newer', 1, 1, 1), ('new', 2, 2, 2), ('old', 3, 3, 3)]
    >>> found.groups, found.methods.simultaneous
    ((('newer',), ('new',), ('old',)), 'max_t')
    """
    return rank_of(runs, joint=joint, **keywords)


def rank_of(runs: Sequence[Run], joint: bool = False, **keywords: Unpack[OptionKeywords]) -> Ranking:
    """`rank` with its runs in one list."""
    options = Options.of(dict(keywords))
    options.refuse(_NO_USE, "has no use for a ranking; leave it out.")
    if options.id is not None and "," in options.id:
        raise InputError(
            f"--id {options.id}: a ranking wants one field that identifies an item in every run."
        )
    if not isinstance(joint, bool):
        raise InputError(f"joint={joint!r}: give True or False.")
    named = named_runs(tuple(runs), options)
    logs, notes = asked_logs(named, options)
    places: dict[int, int] = {}
    same = tuple(places.setdefault(id(source.scores), len(places)) for source in named.sources)
    joined = [joined_runs(one, named.labels, same, options) for one in logs]
    ranked = tuple(_ranked(one, options, joint) for one in joined)
    _check_resampled(ranked, options)
    macro, why_not = macro_ranking(joined, ranked, options, joint)
    recorded = {**options.asked(), **({"joint": True} if joint else {})}
    provenance = Provenance("rank", named.arguments, named.inputs, recorded, options.seed)
    return Ranking(ranked, provenance, (*notes, *why_not), macro)


def _check_resampled(ranked: Sequence[RankedBenchmark], options: Options) -> None:
    """An option never does nothing: n_boot is for max_t, and for random signs."""
    if options.n_boot is None or any(one.methods.n_boot or one.methods.test == "sign_flip" for one in ranked):
        return
    methods = ranked[0].methods
    raise MethodError(
        f"n_boot={options.n_boot} has no use: the intervals of all pairs are {methods.simultaneous} ("
        f"{methods.why}), which resamples nothing. Leave it out."
    )


def _ranked(joined: JoinedRuns, options: Options, joint: bool) -> RankedBenchmark:
    check_common(joined.items, joined.labels)
    items, labels = in_every_run(joined.items), joined.labels
    estimates = [_score(items, j, joined, options) for j in range(items.K)]
    order = best_first([one.point for one in estimates], labels, joined.lower_is_better)
    used = in_order(items, order)
    names = [labels[j] for j in order]
    request = many_request(options, joint, simultaneous=options.method)
    points = np.array([estimates[j].point for j in order])
    found = pairs_of(used, request, scores=points, lower_is_better=joined.lower_is_better)
    sides = [_side(joined, j, labels[j], estimates[j]) for j in order]
    overall = overall_test(used)
    design = _design(joined, used, options)
    said = ranking_cautions(joined, used, found, names, options)
    return RankedBenchmark(
        benchmark=joined.logs.benchmark,
        metric=joined.logs.metrics[0],
        scale=joined.scale,
        design=design,
        higher_is_better=not joined.lower_is_better,
        key=joined.matching.key,
        n_common=int(joined.items.in_all.sum()),
        own_items=not used.complete,
        runs=ranked_runs(joined.logs.benchmark, joined.logs.metrics[0], found, sides),
        pairs=ranked_pairs(found, names),
        family=family_of(found, request),
        methods=pair_methods(found, request),
        overall=overall,
        caveats=(*said, *run_cautions(joined, options)),
        not_checked=_not_checked(joined, design, options),
        signature=ranking_signature(found, request),
    )


def _score(items: ManyItems, j: int, joined: JoinedRuns, options: Options) -> Estimate:
    """One run alone, on the items that count."""
    request = Request(
        level=options.level,
        guarantee=options.guarantee,
        name=joined.logs.metrics[j].split(",")[0],
        seed=options.seed,
        largest_cluster=options.largest_cluster,
    )
    return item_mean_estimate(items.run(j), request)


def _side(joined: JoinedRuns, j: int, label: str, estimate: Estimate) -> Side:
    part = joined.logs.parts[j]
    return side(label, part, items_of_log(part, joined.metrics[j], joined.scored[j]), estimate)


def _design(joined: JoinedRuns, used: ManyItems, options: Options) -> Design:
    named = joined.cluster
    completions = 1.0 if used.completions is None else float(used.completions[used.scored].mean())
    return Design(
        unit=named[0] if named else "item",
        cluster_source=named[1] if named else "none",
        paired=True,
        n_items=used.n,
        n_units=used.n if used.cluster is None else int(used.cluster.max()) + 1,
        completions=completions,
        cluster_candidates=() if named else _candidates(joined, options),
    )


def _candidates(joined: JoinedRuns, options: Options) -> tuple[ClusterCandidate, ...]:
    """What each field that might be a cluster would do to the error bar of a difference, in the middle."""
    if options.cluster == "none":
        return ()
    places = joined.at[0]
    items = joined.logs.parts[0].items
    common = joined.items.in_all
    listed = np.flatnonzero((places >= 0) & common[np.maximum(places, 0)])
    if len(listed) < int(common.sum()) or not len(listed):
        return ()
    part = ManyItems(
        joined.items.y[places[listed], :_CANDIDATE_PAIRS], joined.items.pass_fail, joined.items.bounds
    )
    alone = pair_terms(part).standard_error
    found = []
    for field, codes in cluster_candidates(items, listed).items():
        with np.errstate(invalid="ignore"):
            ratios = pair_terms(dataclasses.replace(part, cluster=codes)).standard_error / alone
        known = ratios[np.isfinite(ratios)]
        if len(known):
            k = int(codes.max()) + 1
            found.append(ClusterCandidate(field, k, len(listed) / k, float(np.median(known))))
    return tuple(found)


def _not_checked(joined: JoinedRuns, design: Design, options: Options) -> tuple[str, ...]:
    blank = dict.fromkeys(name for part in joined.logs.parts for name in part.header.blank)
    said = [f"{name} (a column blank in every row: no run)" for name in itertools.islice(blank, _NAMED)]
    said += clusters_unchecked(options, design.cluster_source != "none")
    if design.completions <= 1:
        said.append("decoding noise (one completion an item)")
    said.append("settings and prompts of the runs (compare shows those of two)")
    return tuple(said)
