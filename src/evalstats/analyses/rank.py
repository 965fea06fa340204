"""`rank`: many runs, which of them can be told apart, and which rank each may have."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Unpack

import numpy as np

from evalstats._version import __version__
from evalstats.analyses.options import OptionKeywords, Options
from evalstats.analyses.rank_cautions import ranking_cautions, run_cautions
from evalstats.analyses.rank_items import JoinedRuns, joined_runs
from evalstats.analyses.rank_result import PairMethods, RankedBenchmark, RankedPair, RankedRun, Ranking
from evalstats.analyses.rank_runs import asked_logs, named_runs
from evalstats.analyses.sides import items_of_log, side
from evalstats.data.design import cluster_candidates
from evalstats.envelope import ClusterCandidate, Design, Family, Provenance, Side
from evalstats.errors import InputError
from evalstats.methods.corrections import lit_by_luck
from evalstats.methods.items import Request
from evalstats.methods.many import AllPairs, pairs_of
from evalstats.methods.many_intervals import DEFAULT_N_BOOT, ManyRequest, rank_level
from evalstats.methods.many_items import ManyItems, in_every_run
from evalstats.methods.many_terms import pair_terms
from evalstats.methods.many_tests import overall_test
from evalstats.methods.means import item_mean_estimate
from evalstats.results import Estimate
from evalstats.sources import Run

_NO_USE = ("margin", "effect", "discordant", "paired", "tried", "with_text", "plan", "view", "correction")
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
    ranked = tuple(_ranked(joined_runs(one, same, options), named.labels, options, joint) for one in logs)
    recorded = {**options.asked(), **({"joint": True} if joint else {})}
    provenance = Provenance("rank", named.arguments, named.inputs, recorded, options.seed)
    return Ranking(ranked, provenance, notes)


def _ranked(joined: JoinedRuns, labels: tuple[str, ...], options: Options, joint: bool) -> RankedBenchmark:
    items = in_every_run(joined.items)
    estimates = [_score(items, j, joined, options) for j in range(items.K)]
    order = _best_first(estimates, labels, joined.lower_is_better)
    used = in_order(items, order)
    names = [labels[j] for j in order]
    request = _request(options, joint)
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
        runs=_runs(joined, found, sides),
        pairs=_pairs(found, names),
        family=_family(found, request),
        methods=_methods(found, request),
        overall=overall,
        caveats=(*said, *run_cautions(joined, labels, options)),
        not_checked=_not_checked(design, options),
        signature=_signature(found, request),
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


def _best_first(estimates: Sequence[Estimate], labels: Sequence[str], lower_is_better: bool) -> list[int]:
    sign = 1 if lower_is_better else -1
    return sorted(range(len(labels)), key=lambda j: (sign * estimates[j].point, labels[j]))


def in_order(items: ManyItems, order: Sequence[int]) -> ManyItems:
    """The runs in another order."""
    runs = list(order)
    completions = None if items.completions is None else items.completions[:, runs]
    return dataclasses.replace(items, y=items.y[:, runs], completions=completions)


def _request(options: Options, joint: bool) -> ManyRequest:
    return ManyRequest(
        options.level,
        options.method,
        options.guarantee,
        joint,
        options.n_boot or DEFAULT_N_BOOT,
        options.seed,
        options.largest_cluster,
    )


def _side(joined: JoinedRuns, j: int, label: str, estimate: Estimate) -> Side:
    part = joined.logs.parts[j]
    return side(label, part, items_of_log(part, joined.metrics[j], joined.scored[j]), estimate)


def _runs(joined: JoinedRuns, found: AllPairs, sides: Sequence[Side]) -> tuple[RankedRun, ...]:
    return tuple(
        RankedRun(
            benchmark=joined.logs.benchmark,
            metric=joined.logs.metrics[0],
            rank=int(found.rank[at]),
            rank_low=int(found.rank_low[at]),
            rank_high=int(found.rank_high[at]),
            groups=tuple(g for g, members in enumerate(found.groups, 1) if at in members),
            run=one,
        )
        for at, one in enumerate(sides)
    )


def _pairs(found: AllPairs, names: Sequence[str]) -> tuple[RankedPair, ...]:
    """Run i is ahead of run j: it is the candidate, and differences are turned round."""
    terms, together = found.terms, found.simultaneous
    counted = found.items.of_counts
    columns = zip(
        terms.first.tolist(),
        terms.second.tolist(),
        terms.n.tolist(),
        terms.candidate_only.tolist(),
        terms.baseline_only.tolist(),
        *(_turned(values) for values in (terms.D, found.ci_high, found.ci_low)),
        found.pvalue.tolist(),
        found.adjusted.tolist(),
        found.reject.tolist(),
        *(_turned(values) for values in (together.high, together.low)),
        found.apart.tolist(),
        strict=True,
    )
    return tuple(
        RankedPair(
            candidate=names[i],
            baseline=names[j],
            n=n,
            baseline_only=c if counted else None,
            candidate_only=b if counted else None,
            difference=D,
            ci_low=low,
            ci_high=high,
            pvalue=p,
            adjusted=adjusted,
            reject=reject,
            simultaneous_low=wide_low,
            simultaneous_high=wide_high,
            apart=apart,
        )
        for i, j, n, c, b, D, low, high, p, adjusted, reject, wide_low, wide_high, apart in columns
    )


def _turned(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[float]:
    return [0.0 - value for value in values.tolist()]


def _family(found: AllPairs, request: ManyRequest) -> Family:
    known = int(np.isfinite(found.pvalue).sum())
    if found.test in ("mcnemar_exact", "mcnemar_mid_p"):
        luck = lit_by_luck(found.terms.discordant.tolist(), request.alpha, found.test)
    else:
        luck = known * request.alpha
    return Family("holm", request.alpha, known, found.terms.m - known, luck)


def _methods(found: AllPairs, request: ManyRequest) -> PairMethods:
    together = found.simultaneous
    return PairMethods(
        alone=found.method,
        test=found.test,
        level=request.level,
        simultaneous=together.method,
        why=together.why,
        each=together.each,
        critical=together.critical,
        n_boot=together.n_boot,
        seed=together.seed,
        rank_level=None if request.joint else rank_level(request, found.items.K),
    )


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


def _not_checked(design: Design, options: Options) -> tuple[str, ...]:
    said = []
    if design.cluster_source == "none" and options.cluster is None:
        said.append("clusters (none declared)")
    if design.completions <= 1:
        said.append("decoding noise (one completion an item)")
    said.append("settings and prompts of the runs (compare shows those of two)")
    return tuple(said)


def _signature(found: AllPairs, request: ManyRequest) -> str:
    """`rank|max_t|runs:15|n:790|level:0.95|holm:mcnemar_mid_p|n_boot:10000|seed:0|v:…`."""
    together = found.simultaneous
    resampling = () if together.n_boot is None else (f"n_boot:{together.n_boot}", f"seed:{together.seed}")
    parts = (
        *("rank", together.method, f"runs:{found.items.K}", f"n:{found.items.n}"),
        *(f"level:{request.level:g}", f"holm:{found.test}", *resampling),
        *(("ranks:joint",) if request.joint else ()),
        f"v:{__version__}",
    )
    return "|".join(parts)
