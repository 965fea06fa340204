"""The row of a ratio of two metrics in two runs on the same items: did a solved item become cheaper?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evalstats.analyses.comparison_row import comparison_signature, direction_assumed
from evalstats.analyses.differing import changed_config
from evalstats.analyses.family import Answer
from evalstats.analyses.options import Options, size_in_score_units
from evalstats.analyses.planning import needed_items, smallest_shown
from evalstats.analyses.ratio_rows import NO_USE, UNBOUNDED, RatioItems, design_of_ratio, once, ratio_items
from evalstats.analyses.sides import Positions, cautions_of_run, clusters_unchecked, request
from evalstats.data.design import cluster_codes, cluster_field
from evalstats.data.pairing import Matched, match
from evalstats.data.selection import Question
from evalstats.envelope import Comparison, Design, Pairing, Side
from evalstats.errors import InputError
from evalstats.methods.paired_statistics import PairedStatistic, paired_statistic, ratio_of_rows
from evalstats.methods.ratios import check_denominator, ratio_estimate, units_of_sums
from evalstats.results import Estimate

Runs = tuple[RatioItems, RatioItems]
NO_USE_FOR_TWO = (*NO_USE, "tried", "discordant")


def compared_ratio(
    question: Question, labels: tuple[str, str], options: Options, *, same_source: bool
) -> Answer:
    """The row of one benchmark before its family is known: no test belongs to it, the interval decides.

    Raises InputError where a run has not both metrics, or no item has all four numbers; PairingError when
    no item is in both runs.
    """
    _refuse(options)
    runs = ratio_items(question.baseline, options), ratio_items(question.candidate, options)
    matched = match(question.baseline, question.candidate, options.id, same_source=same_source)
    both = runs[0].scored[matched.baseline] & runs[1].scored[matched.candidate]
    if not both.any():
        raise InputError(f"{question.benchmark}: no item has all four numbers of both runs.")
    used = matched.baseline[both], matched.candidate[both]
    pair, design = _pair(runs, used, options)

    def at_level(level: float) -> Estimate:
        return paired_statistic(pair, request(options, name="difference", level=level))

    difference = at_level(options.level)
    return Answer(_row(runs, matched, (pair, design, difference), labels, options), at_level)


def _refuse(options: Options) -> None:
    options.refuse(NO_USE_FOR_TWO, "a ratio of two metrics has no such thing.")
    if options.view != "random_items" or not options.paired:
        raise InputError("ratio: two runs are compared on the same items, as questions like these.")


def _pair(runs: Runs, used: tuple[Positions, Positions], options: Options) -> tuple[PairedStatistic, Design]:
    named = cluster_field((runs[0].part.header, runs[1].part.header), options.cluster)
    sides = tuple((run.part.items, at) for run, at in zip(runs, used, strict=True))
    codes = None if named is None else cluster_codes(named[0], sides)
    old, new = (run.columns[at] for run, at in zip(runs, used, strict=True))
    for columns in (old, new):
        check_denominator(columns[:, 1], "denominator of the common items")
    pair = PairedStatistic(ratio_of_rows, old, new, codes)
    completions = float(np.mean([run.completions for run in runs]))
    return pair, design_of_ratio(named, used[0], pair.k, completions, paired=True)


def _row(
    runs: Runs,
    matched: Matched,
    answer: tuple[PairedStatistic, Design, Estimate],
    labels: tuple[str, str],
    options: Options,
) -> Comparison:
    pair, design, difference = answer
    margin = None if options.margin is None else size_in_score_units("margin", options.margin, UNBOUNDED)
    effect = None if options.effect is None else size_in_score_units("effect", options.effect, UNBOUNDED)
    mde, note = smallest_shown(difference, options.level)
    old, new = (
        _side(run, columns, label, pair, options)
        for run, columns, label in zip(runs, (pair.baseline, pair.candidate), labels, strict=True)
    )
    numerator = runs[0].metrics[0]
    lower = options.lower_is_better or numerator.higher_is_better is False
    return Comparison(
        benchmark=runs[0].part.benchmark,
        metric=runs[0].name,
        scale=UNBOUNDED,
        design=design,
        baseline=old,
        candidate=new,
        difference=difference,
        margin=margin,
        higher_is_better=not lower,
        mde=mde,
        mde_note=note,
        needed=needed_items(effect, margin, difference, options.level),
        pairing=_pairing(runs, matched, pair),
        caveats=(*difference.extra["caveats"], *_cautions(runs, labels, options, lower)),
        not_checked=clusters_unchecked(options, design.cluster_source != "none"),
        signature=comparison_signature(difference, None),
    )


def _side(
    run: RatioItems, columns: NDArray[np.float64], label: str, pair: PairedStatistic, options: Options
) -> Side:
    units = units_of_sums(columns[:, 0], columns[:, 1], pair.cluster)
    asked = request(options, name=run.name, named=False)
    return run.side(label, ratio_estimate(units, pair.cluster is not None, asked))


def _pairing(runs: Runs, matched: Matched, pair: PairedStatistic) -> Pairing:
    return Pairing(
        key=matched.key,
        n_common=len(matched),
        only_in_baseline=len(runs[0].part.items) - len(matched),
        only_in_candidate=len(runs[1].part.items) - len(matched),
        missing_in_baseline=int((~runs[0].scored[matched.baseline]).sum()),
        missing_in_candidate=int((~runs[1].scored[matched.candidate]).sum()),
        duplicates=sum(metric.duplicates for run in runs for metric in run.metrics),
        n_clusters=pair.k if pair.cluster is not None else None,
        changed_config=changed_config(runs[0].part, runs[1].part),
    )


def _cautions(runs: Runs, labels: tuple[str, str], options: Options, lower: bool) -> list[dict[str, str]]:
    said = [
        one
        for run, label in zip(runs, labels, strict=True)
        for metric, items in zip(run.metrics, run.items, strict=True)
        for one in cautions_of_run(label, run.part, metric, items, options)
    ]
    unsaid = runs[0].metrics[0].higher_is_better is None and not lower
    return [*once(said), *(direction_assumed(runs[0].metrics[0].metric) if unsaid else [])]
