"""The paired row of a comparison: the same items in both logs."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import numpy as np

from evalstats.analyses.comparison_row import comparison_row
from evalstats.analyses.differing import (
    changed_completions,
    changed_config,
    changed_items,
    changed_prompts,
)
from evalstats.analyses.family import Answer
from evalstats.analyses.join_report import JoinFacts, cautions_of_join, checks_of_join, counted_pairs
from evalstats.analyses.missing import (
    could_reverse,
    missed_together,
    missing_bounds,
)
from evalstats.analyses.options import Options
from evalstats.analyses.quantile_items import difference_of_items
from evalstats.analyses.sides import Positions, request
from evalstats.analyses.texts import with_texts
from evalstats.analyses.two_runs import TwoRuns, paired_items_of
from evalstats.data.design import cluster_candidates, cluster_codes, cluster_field
from evalstats.data.pairing import Matched, match
from evalstats.envelope import Change, ClusterCandidate, Design, Pairing
from evalstats.errors import InputError
from evalstats.methods.differences import difference_test, item_difference
from evalstats.methods.mcnemar import mcnemar_counts
from evalstats.methods.pairs import PairedItems
from evalstats.results import Estimate, TestResult


@dataclass(frozen=True)
class Joined:
    """The items that both runs list, and those that both scored. used : (n,) positions in each run's Items.

    cluster : the field that groups them and its source, or None.
    """

    matched: Matched
    used: tuple[Positions, Positions]
    pairs: PairedItems
    cluster: tuple[str, str] | None


def compared_paired(runs: TwoRuns, labels: tuple[str, str], options: Options, *, in_family: bool) -> Answer:
    """The row of one question before its family is known. Raises as `compare` does."""
    joined = join(runs, options)
    pairs = joined.pairs
    difference = difference_of_items(pairs, options, request(options, name="difference"))
    test = _test(pairs, options, in_family=in_family)
    row = comparison_row(
        runs, labels, options, pairs, (difference, test), _design(runs, joined, difference, options)
    )
    facts = _facts(runs, joined)
    row = dataclasses.replace(
        row,
        pairing=_pairing(runs, joined, facts),
        missing=None
        if options.quantile is not None
        else missing_bounds(runs, joined.matched, facts.missed, row, options),
        changed=_changed(runs, joined),
        caveats=(*row.caveats, *cautions_of_join(runs.parts, labels, facts)),
    )
    row = dataclasses.replace(row, caveats=(*row.caveats, *could_reverse(row.missing)))

    def at_level(level: float) -> Estimate:
        return difference_of_items(pairs, options, request(options, name="difference", level=level))

    return Answer(row, at_level)


def join(runs: TwoRuns, options: Options) -> Joined:
    """Pair the items of two runs and keep those that both scored.

    Raises PairingError when no item is in both, InputError when none was scored in both.
    """
    matched = match(*runs.parts, options.id, same_source=runs.same_source)
    both = runs.items[0].scored[matched.baseline] & runs.items[1].scored[matched.candidate]
    if not both.any():
        raise InputError(
            f"{runs.question.benchmark}: {len(matched)} items are in both runs, but none was scored in both. "
            f"See the errors in the logs."
        )
    used = (matched.baseline[both], matched.candidate[both])
    named = cluster_field((runs.parts[0].header, runs.parts[1].header), options.cluster)
    codes = None if named is None else cluster_codes(named[0], runs.positioned(used))
    return Joined(matched, used, paired_items_of(runs, used, codes), named)


def single_pass_fail(pairs: PairedItems) -> bool:
    """Every item has one completion a run, right or wrong."""
    return pairs.pass_fail and not pairs.repeated


def _test(pairs: PairedItems, options: Options, *, in_family: bool) -> TestResult | None:
    """McNemar's exact test alone, its mid-p in a family; otherwise the methods' own.

    None for view="fixed_items", as the tests are about questions like these, and for a quantile.
    """
    if options.view == "fixed_items" or options.quantile is not None:
        return None
    if not single_pass_fail(pairs) or pairs.cluster is not None:
        return difference_test(pairs, name="difference", guarantee=options.guarantee)
    baseline_only, candidate_only = pairs.n_lower_and_higher
    method = "mid_p" if in_family and not options.guarantee else "exact"
    return mcnemar_counts(baseline_only, candidate_only, pairs.n, method=method, name="difference")


def _design(runs: TwoRuns, joined: Joined, difference: Estimate, options: Options) -> Design:
    pairs, named = joined.pairs, joined.cluster
    counts = [values.completions for values in (pairs.baseline, pairs.candidate)]
    return Design(
        unit=named[0] if named else "item",
        cluster_source=named[1] if named else "none",
        paired=True,
        n_items=pairs.n,
        n_units=pairs.units.k,
        completions=float(np.mean([1.0 if count is None else count.mean() for count in counts])),
        cluster_candidates=() if named else _candidates(runs, joined, difference, options),
    )


def _candidates(
    runs: TwoRuns, joined: Joined, difference: Estimate, options: Options
) -> tuple[ClusterCandidate, ...]:
    """What each field that might be a cluster would do to the error bar of the difference."""
    plain = options.view == "random_items" and options.quantile is None
    if options.cluster == "none" or not plain or not difference.standard_error > 0:
        return ()
    found = []
    for field, codes in cluster_candidates(runs.parts[0].items, joined.used[0]).items():
        clustered = item_difference(
            dataclasses.replace(joined.pairs, cluster=codes), request(options, name="", named=False)
        ).standard_error
        if math.isfinite(clustered):
            k = int(codes.max()) + 1
            ratio = clustered / difference.standard_error
            found.append(ClusterCandidate(field, k, joined.pairs.n / k, ratio))
    return tuple(found)


def _facts(runs: TwoRuns, joined: Joined) -> JoinFacts:
    matched = joined.matched
    return JoinFacts(
        matched=matched,
        n_used=joined.pairs.n,
        sizes=(len(runs.parts[0].items), len(runs.parts[1].items)),
        missed=missed_together(runs, matched, joined.cluster and joined.cluster[0]),
        same_file=runs.same_log and not runs.grader_change,
        identical=not runs.grader_change and _identical(runs, matched),
        prompts=changed_prompts(*runs.parts, matched),
        renamed=runs.question.renamed,
    )


def _identical(runs: TwoRuns, matched: Matched) -> bool:
    """Every item that both list has the same mean over the same number of completions."""
    one, two = runs.items
    same_mean = np.array_equal(one.y[matched.baseline], two.y[matched.candidate], equal_nan=True)
    same_count = np.array_equal(one.completions[matched.baseline], two.completions[matched.candidate])
    return bool(same_mean and same_count)


def _pairing(runs: TwoRuns, joined: Joined, facts: JoinFacts) -> Pairing:
    matched, pairs = joined.matched, joined.pairs
    return Pairing(
        key=matched.key,
        n_common=len(matched),
        only_in_baseline=facts.sizes[0] - len(matched),
        only_in_candidate=facts.sizes[1] - len(matched),
        missing_in_baseline=int(facts.missed.baseline.sum()),
        missing_in_candidate=int(facts.missed.candidate.sum()),
        duplicates=runs.metrics[0].duplicates + runs.metrics[1].duplicates,
        n_clusters=pairs.units.k if pairs.cluster is not None else None,
        changed_config=changed_config(*runs.parts),
        checks=checks_of_join(facts, runs.parts),
        **counted_pairs(pairs, single=single_pass_fail(pairs)),
    )


def _changed(runs: TwoRuns, joined: Joined) -> tuple[Change, ...]:
    ids = runs.parts[0].items.ids
    if runs.grader_change:
        changes = changed_completions(ids, *runs.metrics)
    else:
        changes = changed_items(
            ids, joined.used[0], joined.pairs.scores_baseline, joined.pairs.scores_candidate
        )
    return with_texts(changes, joined.used, runs.parts)
