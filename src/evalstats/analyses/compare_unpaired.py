"""The unpaired row of a comparison: different items, because it was asked for."""

from __future__ import annotations

import dataclasses

import numpy as np

from evalstats.analyses.compare_paired import join
from evalstats.analyses.comparison_row import comparison_row
from evalstats.analyses.family import Answer
from evalstats.analyses.options import Options
from evalstats.analyses.sides import Caveats, request, values_at
from evalstats.analyses.two_runs import TwoRuns
from evalstats.caveats import caveat
from evalstats.data.design import cluster_codes, cluster_field
from evalstats.envelope import Design
from evalstats.errors import EvalStatsError
from evalstats.methods.differences import difference_test, item_difference
from evalstats.methods.items import ItemValues
from evalstats.methods.pairs import UnpairedItems
from evalstats.results import difference_text


def compared_unpaired(runs: TwoRuns, labels: tuple[str, str], options: Options) -> Answer:
    """The row of one question as if no item were shared, which is said. Raises as `compare` does."""
    answer = compared_apart(runs, labels, options)
    caveats = (*answer.row.caveats, *_shared_items(runs, options))
    return dataclasses.replace(answer, row=dataclasses.replace(answer.row, caveats=caveats))


def compared_apart(runs: TwoRuns, labels: tuple[str, str], options: Options) -> Answer:
    """The row of one question for two sets of items that have none in common."""
    named = cluster_field((runs.parts[0].header, runs.parts[1].header), options.cluster)
    field = named[0] if named else None
    pairs = UnpairedItems(_values(runs, 0, field), _values(runs, 1, field))
    difference = item_difference(pairs, request(options, name="difference"))
    about_these = options.view == "fixed_items"  # the tests are about questions like these
    test = None if about_these else difference_test(pairs, name="difference", guarantee=options.guarantee)
    design = Design(
        unit=field or "item",
        cluster_source=named[1] if named else "none",
        paired=False,
        n_items=pairs.baseline.n + pairs.candidate.n,
        n_units=pairs.baseline.units.k + pairs.candidate.units.k,
        completions=float(np.mean([items.completions[items.scored].mean() for items in runs.items])),
    )
    row = comparison_row(runs, labels, options, pairs, (difference, test), design)
    return Answer(row, lambda level: item_difference(pairs, request(options, name="difference", level=level)))


def _values(runs: TwoRuns, which: int, field: str | None) -> ItemValues:
    items = runs.items[which]
    at = np.flatnonzero(items.scored)
    values = values_at(items, at, runs.scale, runs.assumed)
    if field is None:
        return values
    return dataclasses.replace(values, cluster=cluster_codes(field, ((runs.parts[which].items, at),)))


def _shared_items(runs: TwoRuns, options: Options) -> Caveats:
    """What pairing would have given, when the runs share items after all (DECISIONS 9)."""
    try:
        pairs = join(runs, options).pairs
    except EvalStatsError:
        return []
    paired = item_difference(pairs, request(options, name="difference", named=False))
    point, low, high = (
        difference_text(value, pairs.unit) for value in (paired.point, paired.ci_low, paired.ci_high)
    )
    text = (
        f"{pairs.n} items are in both runs: paired, the difference is {point} ({low} to {high}). "
        f"Leave out --unpaired."
    )
    return [caveat("shared_items_unpaired", text)]
