"""The unpaired row of a comparison: different items, because it was asked for."""

from __future__ import annotations

import dataclasses

import numpy as np

from evalstats.analyses.compare_paired import join
from evalstats.analyses.comparison_row import comparison_row
from evalstats.analyses.family import Answer
from evalstats.analyses.missing import could_reverse, missed_apart, rates_differ, unpaired_missing_bounds
from evalstats.analyses.options import Options
from evalstats.analyses.sides import Caveats, request
from evalstats.analyses.two_runs import TwoRuns, unpaired_items_of
from evalstats.caveats import caveat
from evalstats.data.design import cluster_field
from evalstats.envelope import Design
from evalstats.errors import EvalStatsError
from evalstats.methods.differences import difference_test, item_difference
from evalstats.methods.unpaired import of_sides
from evalstats.results import Estimate, difference_text


def compared_unpaired(runs: TwoRuns, labels: tuple[str, str], options: Options) -> Answer:
    """The row of one question as if no item were shared, which is said. Raises as `compare` does."""
    answer = compared_apart(runs, labels, options)
    design = answer.row.design
    missed = missed_apart(runs, None if design.cluster_source == "none" else design.unit)
    missing = unpaired_missing_bounds(runs, missed, answer.row, options)
    caveats = (
        *answer.row.caveats,
        *_shared_items(runs, options),
        *could_reverse(missing),
        *rates_differ(missed),
    )
    return dataclasses.replace(answer, row=dataclasses.replace(answer.row, missing=missing, caveats=caveats))


def compared_apart(runs: TwoRuns, labels: tuple[str, str], options: Options) -> Answer:
    """The row of one question for two sets of items that have none in common."""
    named = cluster_field((runs.parts[0].header, runs.parts[1].header), options.cluster)
    field = named[0] if named else None
    scored = (np.flatnonzero(runs.items[0].scored), np.flatnonzero(runs.items[1].scored))
    pairs = unpaired_items_of(runs, scored, field)

    def at_level(level: float) -> Estimate:
        return of_sides(item_difference(pairs, request(options, name="difference", level=level)), labels)

    difference = at_level(options.level)
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
    return Answer(row, at_level)


def _shared_items(runs: TwoRuns, options: Options) -> Caveats:
    """What pairing would have given, when the runs share items after all."""
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
