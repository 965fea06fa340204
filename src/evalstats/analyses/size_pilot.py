"""What a pilot tells a plan: one run, or two, as counts or logs: rates, spread, clusters, decoding noise."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from evalstats.analyses.compare import two_sources
from evalstats.analyses.compare_paired import join
from evalstats.analyses.options import Options
from evalstats.analyses.questions import Asked, questions_of_one, questions_of_two
from evalstats.analyses.score import run_items
from evalstats.analyses.size_options import PASS_FAIL, SizeOptions
from evalstats.analyses.size_result import Assumed
from evalstats.analyses.two_runs import two_runs
from evalstats.data.selection import Question
from evalstats.envelope import Input, Scale
from evalstats.errors import InputError
from evalstats.kernel.arrays import Codes
from evalstats.methods.clusters import one_way
from evalstats.methods.items import ItemValues
from evalstats.methods.pairs import PairedItems
from evalstats.numeric import order_free_sum
from evalstats.sources import Source, Wanted, named_source, single_run
from evalstats.subjects.power import planned_discordant_rate
from evalstats.subjects.size import ItemsInClusters

_HAS_ITS_OWN = ("rate", "discordant_rate", "sd", "within_variance")


@dataclass(frozen=True)
class Basis:
    """What the figures of a plan rest on."""

    situation: str
    scale: Scale
    assumed: Assumed
    clusters: ItemsInClusters
    runs: tuple[str, ...] = ()
    inputs: tuple[Input, ...] = ()
    notes: tuple[str, ...] = ()


def pilot_basis(asked: SizeOptions, options: Options) -> Basis:
    """Read the pilot. Raises InputError for options that it answers itself, and where it says too little."""
    asked.refuse(_HAS_ITS_OWN, "is read off the pilot; leave it, or the pilot, out.")
    if len(asked.pilot) == 1:
        found = _of_one(asked, options)
    elif asked.half_width is not None:
        raise InputError(
            "half_width is about one run: name one --pilot run, or ask for --effect or --margin."
        )
    else:
        found = _of_two(asked, options)
    if asked.icc is None:
        return found
    if found.clusters.mean > 1:
        raise InputError("icc and cluster_size: the pilot's clusters have their own; leave them out.")
    clusters = ItemsInClusters(asked.cluster_size or 1.0, asked.cluster_size or 1.0, asked.icc)
    return dataclasses.replace(found, clusters=clusters)


def item_variance(run: Assumed) -> float:
    """Of an item of one run with one completion; its scores may all happen to be 0 or 1."""
    if run.sd is not None:
        return run.sd**2
    rate = run.rate or 0.0
    return rate * (1 - rate)


def _of_one(asked: SizeOptions, options: Options) -> Basis:
    if asked.half_width is None and options.paired:
        raise InputError(
            "one pilot run tells how far one score is known: ask for --half-width. For two runs on the same "
            "items give two; for an unchanged candidate there is evalstats gate --dry-run; for different "
            "items, --unpaired."
        )
    if asked.half_width is not None:
        asked.refuse(("power",), "is about two runs, and --half-width about one.")
        options.refuse(("effect", "margin", "paired"), "is about two runs, and --half-width about one.")
    options.refuse(("id", "discordant"), "is about two runs; leave it out.")
    source = named_source(asked.pilot[0], Wanted.of(None, options.cluster, metric=options.metric))
    kind = "unpaired" if asked.half_width is None else "one"
    if source.counts is not None:
        k, n = source.counts
        return _counted(_named(kind, True), Assumed(rate=k / n, pilot_items=n), (source,), options)
    found = questions_of_one(single_run(source), source, options)
    question = _only(found)
    items = run_items(question, options)
    values = items.values
    return Basis(
        _named(kind, values.pass_fail),
        items.scale,
        _of_run(values),
        _clusters(values.y, values.cluster),
        (source.argument,),
        source.inputs("pilot", "pilot"),
        found.notes,
    )


def _named(kind: str, pass_fail: bool) -> str:
    return f"{kind}_{'rate' if pass_fail else 'mean'}{'' if kind == 'one' else 's'}"


def _of_run(values: ItemValues) -> Assumed:
    within, k = _within(values), _completions(values)
    common: Any = {"within_variance": within, "completions": k, "pilot_items": values.n}
    if values.pass_fail:
        return Assumed(rate=values.units.point, **common)
    return Assumed(sd=math.sqrt(_single_variance(_variance(values.y), ((values, within or 0.0),))), **common)


def _counted(situation: str, assumed: Assumed, sources: tuple[Source, ...], options: Options) -> Basis:
    options.refuse(
        ("metric", "filter", "task", "id", "cluster", "missing", "latest", "bounds"),
        "counts have no such thing; give the logs.",
    )
    roles = ("pilot",) if len(sources) == 1 else ("baseline", "candidate")
    inputs = tuple(e for role, source in zip(roles, sources, strict=True) for e in source.inputs(role, role))
    arguments = tuple(source.argument for source in sources)
    return Basis(situation, PASS_FAIL, assumed, ItemsInClusters(), arguments, inputs)


def _of_two(asked: SizeOptions, options: Options) -> Basis:
    sources = two_sources(asked.pilot, None, None, options)
    if any(source.counts is not None for source in sources):
        return _of_two_counts(sources, options)
    options.refuse(("discordant",), "logs hold the discordant items themselves; leave it out.")
    runs = (single_run(sources[0]), single_run(sources[1]))
    found = questions_of_two(runs, sources, options)
    question = _only(found)
    inputs = tuple(
        entry
        for role, source in zip(("baseline", "candidate"), sources, strict=True)
        for entry in source.inputs(role, role)
    )
    arguments = tuple(source.argument for source in sources)
    beside: Any = {"runs": arguments, "inputs": inputs, "notes": found.notes}
    if not options.paired:
        return _apart(question, options, beside)
    both = two_runs(question, options, same_source=False)
    pairs = join(both, options).pairs
    clusters = _clusters(pairs.d, pairs.cluster)
    return Basis(_named("paired", pairs.pass_fail), both.scale, _of_pairs(pairs), clusters, **beside)


def _of_two_counts(sources: tuple[Source, Source], options: Options) -> Basis:
    if sources[0].counts is None or sources[1].counts is None:
        raise InputError("one pilot run is counts and the other a log: give both as counts, or both as logs.")
    (k_baseline, n_baseline), (k_candidate, n_candidate) = sources[0].counts, sources[1].counts
    rate = min(k_baseline / n_baseline, k_candidate / n_candidate)
    if options.discordant is None:
        if options.paired:
            raise InputError(
                "two counts do not say how many items changed: give --discordant BASELINE_ONLY "
                "CANDIDATE_ONLY, or --unpaired if the items differ."
            )
        return _counted("unpaired_rates", Assumed(rate=rate, pilot_items=n_baseline), sources, options)
    options.refuse(("paired",), "discordant items are of runs on the same items.")
    if n_baseline != n_candidate or k_candidate - k_baseline != options.discordant[1] - options.discordant[0]:
        raise InputError(
            f"--discordant {options.discordant[0]} {options.discordant[1]} does not fit the two counts: both "
            "have the same items, and right answers differ by the second number less the first."
        )
    psi = planned_discordant_rate(sum(options.discordant), n_baseline)
    assumed = Assumed(rate=rate, discordant_rate=psi, pilot_items=n_baseline)
    return _counted("paired_rates", assumed, sources, options)


def _apart(question: Question, options: Options, beside: dict[str, Any]) -> Basis:
    """Two runs on different items: the worse rate, or the mean variance."""
    sides = [
        dataclasses.replace(question, baseline=part, candidate=part, metric=metric, candidate_metric=metric)
        for part, metric in (
            (question.baseline, question.metric),
            (question.candidate, question.candidate_metric),
        )
    ]
    runs = [run_items(side, options) for side in sides]
    one, two = (_of_run(run.values) for run in runs)
    pass_fail = all(run.values.pass_fail for run in runs)
    if pass_fail:
        assumed = min(one, two, key=lambda side: side.rate or 0.0)
    else:
        variance = (item_variance(one) + item_variance(two)) / 2
        assumed = dataclasses.replace(one, rate=None, sd=math.sqrt(variance))
    values = runs[0].values
    clusters = _clusters(values.y, values.cluster)
    return Basis(_named("unpaired", pass_fail), runs[0].scale, assumed, clusters, **beside)


def _of_pairs(pairs: PairedItems) -> Assumed:
    """ψ or sd of the differences with one completion each: less the decoding noise seen, plus that of one."""
    sides = (pairs.baseline, pairs.candidate)
    within = _within_of_two(*sides)
    k = max(_completions(side) for side in sides)
    noisy = tuple((side, within or 0.0) for side in sides)
    common: Any = {"within_variance": within, "completions": k, "pilot_items": pairs.n}
    if not pairs.pass_fail:
        return Assumed(sd=math.sqrt(_single_variance(_variance(pairs.d), noisy)), **common)
    if not pairs.repeated:
        psi = planned_discordant_rate(int(np.count_nonzero(pairs.d)), pairs.n)
    else:
        psi = min(1.0, _single_variance(order_free_sum(pairs.d**2) / pairs.n, noisy))
    rate = min(side.units.point for side in sides)
    return Assumed(rate=rate, discordant_rate=psi, **common)


def _single_variance(seen: float, sides: tuple[tuple[ItemValues, float], ...]) -> float:
    """A variance over items as if each had one completion. sides : runs with their σ² of one completion.

    What is left without decoding noise is held at 0 or more.
    """
    averaged = sum(within * values.n / values.most_independent for values, within in sides)
    single = sum(within for _, within in sides)
    found = max(seen - averaged, 0.0) + single
    if found == 0:
        raise InputError("the pilot's items do not differ: nothing says how many would be needed.")
    return found


def _within(values: ItemValues) -> float | None:
    """σ²: the mean of s_i² over items with several completions; None without any."""
    if values.completions is None or values.within is None:
        return None
    several = values.completions > 1
    if not several.any():
        return None
    s2 = values.within[several] / (values.completions[several] - 1)
    return order_free_sum(s2) / len(s2)


def _within_of_two(one: ItemValues, two: ItemValues) -> float | None:
    """The mean of both runs', or that of the one that has several completions."""
    known = [within for within in (_within(one), _within(two)) if within is not None]
    return sum(known) / len(known) if known else None


def _completions(values: ItemValues) -> int:
    return 1 if values.completions is None else max(1, round(float(values.completions.mean())))


def _variance(y: Any) -> float:
    if len(y) < 2:
        raise InputError("the pilot has one item: how far items differ cannot be known from it.")
    return order_free_sum((y - order_free_sum(y) / len(y)) ** 2) / (len(y) - 1)


def _clusters(y: Any, codes: Codes | None) -> ItemsInClusters:
    """Sizes and correlation of what is averaged; nothing that varies counts as no correlation."""
    table = None if codes is None else one_way(y, codes)
    if table is None:
        return ItemsInClusters()
    icc = 0.0 if math.isnan(table.icc) else table.icc
    return ItemsInClusters(table.mean_size, table.n / table.k, icc)


def _only(found: Asked) -> Question:
    """Raises InputError that lists them for several benchmarks."""
    if len(found.primary) != 1:
        names = ", ".join(question.benchmark for question in found.primary)
        raise InputError(f"the pilot has {len(found.primary)} benchmarks ({names}): choose one with --task.")
    return found.primary[0]
