"""What to know before relying on a ranking."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evalstats.analyses.options import Options
from evalstats.analyses.rank_items import JoinedRuns
from evalstats.analyses.sides import Caveats, cautions_of_run, items_of_log, scales_differ
from evalstats.caveats import caveat
from evalstats.methods import cautions
from evalstats.methods.clusters import kish
from evalstats.methods.many import AllPairs
from evalstats.methods.many_items import ManyItems

_NAMED = 3  # pairs or runs that a caveat names


def ranking_cautions(
    joined: JoinedRuns, used: ManyItems, found: AllPairs, labels: Sequence[str], options: Options
) -> Caveats:
    """Of the runs, of the join, of the pairs. used, found, labels : in the order of the ranking."""
    of_pairs = [*_of_pairs(used, found), *_own_items(joined.items, used)]
    said = cautions.beside_a_proof(of_pairs) if options.guarantee else of_pairs
    return [
        *_identical(found, labels, _given_twice(joined)),
        *_equal_differences(found, labels),
        *said,
        *cautions.scale_assumed(used.scale_assumed),
        *scales_differ(joined.metrics, joined.labels, joined.scale),
        *_of_join(joined),
    ]


def run_cautions(joined: JoinedRuns, options: Options) -> Caveats:
    """What is to be said of single logs."""
    rows = zip(joined.labels, joined.logs.parts, joined.metrics, joined.scored, strict=True)
    return [
        said
        for label, part, metric, items in rows
        for said in cautions_of_run(label, part, metric, items_of_log(part, metric, items), options)
    ]


def _of_pairs(used: ManyItems, found: AllPairs) -> Caveats:
    if used.cluster is not None:
        units = used.run(0).units
        informative = found.terms.discordant * kish(units) / units.k
        few = informative < cautions.FEW_INFORMATIVE
        return [
            *cautions.few_clusters(units),
            *_few("few_informative_clusters", few, f"{cautions.FEW_INFORMATIVE} clusters that count"),
            *cautions.dominant_cluster(units),
        ]
    if used.pass_fail:
        few = found.terms.discordant < cautions.FEW_INFORMATIVE
        return _few("few_discordant", few, f"{cautions.FEW_INFORMATIVE} items")
    few = found.terms.discordant < cautions.FEW_OFF_MODE
    return _few("few_nonzero_differences", few, f"{cautions.FEW_OFF_MODE} items")


def _few(code: str, few: NDArray[np.bool_], least: str) -> Caveats:
    count = int(few.sum())
    if not count:
        return []
    pairs = f"{count:,} of {len(few):,} pairs differ" if count > 1 else f"1 of {len(few):,} pairs differs"
    return [caveat(code, f"{pairs} on fewer than {least}: what is said of them rests on very little")]


def _own_items(items: ManyItems, used: ManyItems) -> Caveats:
    if used.complete:
        return []
    text = (
        f"{int(items.in_all.sum()):,} of {items.n:,} items were scored in every run, which would lose over "
        "5 % of a run's: each pair stands on its own common items, each score on all of its run's, and the "
        "two may disagree"
    )
    return [caveat("own_common_items", text)]


def cautions_of_average(found: AllPairs) -> Caveats:
    """Of the pairs of a macro average, each a t interval over the units of all benchmarks."""
    few = found.terms.discordant < cautions.FEW_OFF_MODE
    return _few("few_nonzero_differences", few, f"{cautions.FEW_OFF_MODE} units over all benchmarks")


def _identical(found: AllPairs, labels: Sequence[str], twice: str) -> Caveats:
    same = (found.terms.baseline_only == 0) & (found.terms.candidate_only == 0)
    named = _named(same, found, labels)
    if not named:
        return []
    return [caveat("identical_runs", f"one run twice? {named} agree on every item{twice}")]


def _given_twice(joined: JoinedRuns) -> str:
    """The files of which the same run came more than once."""
    logs = Counter((part.header.path, part.header.run) for part in joined.logs.parts if part.header.path)
    paths = list(dict.fromkeys(path for (path, _), times in logs.items() if times > 1))
    return f"; {', '.join(paths[:_NAMED])} was given more than once" if paths else ""


def _equal_differences(found: AllPairs, labels: Sequence[str]) -> Caveats:
    """No p, and not told apart however large the difference: to be said, for it reads like a draw."""
    unknown = np.isnan(found.pvalue) & (found.terms.discordant > 0)
    named = _named(unknown, found, labels)
    if not named:
        return []
    text = f"no spread, so no p and not told apart: {named} differ by the same on every item"
    return [caveat("equal_differences", text)]


def _named(which: NDArray[np.bool_], found: AllPairs, labels: Sequence[str]) -> str:
    """The first few of these pairs, and how many more there are; "" for none."""
    pairs = [
        f"{labels[int(found.terms.first[at])]} and {labels[int(found.terms.second[at])]}"
        for at in itertools.islice(np.flatnonzero(which), _NAMED)
    ]
    rest = int(which.sum()) - len(pairs)
    return "; ".join(pairs) + (f", and {rest:,} more pairs," if rest else "")


def _of_join(joined: JoinedRuns) -> Caveats:
    matching, said = joined.matching, []
    if matching.said:
        text = f"items were matched by {matching.key}, which nobody named: see that it identifies them"
        said.append(caveat("paired_by_field", text))
    if matching.clashes:
        text = f"{matching.clashes:,} ids are in two runs with different content: not taken for one item"
        said.append(caveat("ids_agree_hashes_differ", text))
    if joined.logs.renamed:
        names = list(dict.fromkeys(part.benchmark for part in joined.logs.parts))
        text = f"the runs call the benchmark {', '.join(names[:_NAMED])}: see that it is one"
        said.append(caveat("different_benchmark_names", text))
    return said
