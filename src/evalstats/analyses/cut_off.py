"""Before against after a cut-off: one run's scores, or the differences of two runs item by item."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.analyses.compare_paired import join
from evalstats.analyses.cut_off_result import CutOff
from evalstats.analyses.options import Options
from evalstats.analyses.sides import request
from evalstats.analyses.slice_family import too_small
from evalstats.analyses.slice_fields import Cut, values_of_two
from evalstats.analyses.slices_result import LEAST_ITEMS, Slice
from evalstats.analyses.two_runs import TwoRuns
from evalstats.caveats import caveat
from evalstats.data.pairing import match
from evalstats.data.splitting import Split
from evalstats.envelope import Comparison, Family
from evalstats.errors import MethodError
from evalstats.kernel.arrays import Codes
from evalstats.methods.corrections import holm
from evalstats.results import Estimate
from evalstats.subjects.contamination import cut_off_of, differences_apart

_NAME = "after − before"
_OTHER_QUESTIONS = "new items against old ones are about questions like these; leave view out"
_NO_ANSWER = "one side has no answer"
NO_PROOF = "no interval for a difference of differences has a proof: leave guarantee out"


def cut_offs_of_run(
    found: Sequence[Slice], whole: Sequence[Slice], split: Split, family: Family | None
) -> tuple[CutOff, ...]:
    """Of one run: the slice from the cut-off on against the rest, which is the one before it.

    Benchmarks whose items have no such field are left out.
    """
    of_each = [(all_, [one for one in found if one.benchmark == all_.benchmark]) for all_ in whole]
    return tuple(_of_run(mine, all_, split, family) for all_, mine in of_each if mine)


def together(cut_offs: Sequence[CutOff], alpha: float) -> tuple[CutOff, ...]:
    """Differences of differences of one call, their p-values corrected by Holm where there are several."""
    pvalues = [math.nan if one.test is None else one.test.pvalue for one in cut_offs]
    if sum(map(math.isfinite, pvalues)) < 2:
        return tuple(cut_offs)
    corrected = holm(pvalues, alpha)
    return tuple(
        dataclasses.replace(one, adjusted=float(adjusted), reject=bool(reject)) if math.isfinite(p) else one
        for one, p, adjusted, reject in zip(
            cut_offs, pvalues, corrected["adjusted"], corrected["reject"], strict=True
        )
    )


def _of_run(found: Sequence[Slice], whole: Slice, split: Split, family: Family | None) -> CutOff:
    sides = {one.value: one for one in found}
    before, after = sides.get(split.before), sides.get(split.after)
    assert whole.score is not None
    row = after.comparison if after is not None else None
    why = "" if row is not None else _few(before, after) or (after.why if after else "") or _NO_ANSWER
    return CutOff(
        benchmark=whole.benchmark,
        metric=whole.metric,
        scale=whole.score.scale,
        higher_is_better=row.higher_is_better if row is not None else True,
        field=split.field,
        at=split.at,
        of_differences=False,
        n_before=before.n_items if before else 0,
        n_after=after.n_items if after else 0,
        before=row.baseline.estimate if row is not None else None,
        after=row.candidate.estimate if row is not None else None,
        difference=row.difference if row is not None else None,
        test=row.test if row is not None else None,
        adjusted=row.adjusted if row is not None else None,
        reject=row.reject if row is not None else None,
        correction="holm" if family is None else family.method,
        caveats=row.caveats if row is not None else (),
        why=why,
    )


def _few(before: Slice | None, after: Slice | None) -> str:
    sides = (("before", before), ("after", after))
    few = [f"{name} it {too_small(one.n_items if one else 0)}" for name, one in sides if _is_few(one)]
    return "; ".join(few)


def _is_few(one: Slice | None) -> bool:
    return one is None or one.n_items < LEAST_ITEMS


def cut_off_of_two(runs: TwoRuns, cut: Cut, found: Sequence[Slice], options: Options) -> CutOff | None:
    """Of two runs: the item differences after against before. None where no log has the field."""
    assert cut.split is not None
    split = cut.split
    matched = match(*runs.parts, options.id, same_source=runs.same_source)
    values = values_of_two(runs.parts, matched, cut)
    if values is None:
        return None
    joined = join(runs, options)
    sides = [values[0][at] for at in joined.used[0].tolist()]
    known = np.array([side is not None for side in sides], dtype=bool)
    after = np.array([side == split.after for side in sides], dtype=bool)
    n_after = int(after.sum())
    n_before = int(known.sum()) - n_after
    rows = {one.value: one.comparison for one in found}
    estimates = [_difference(rows.get(side)) for side in (split.before, split.after)]
    known_of_it: dict[str, Any] = {
        "benchmark": runs.question.benchmark,
        "metric": runs.question.metric,
        "scale": runs.scale,
        "higher_is_better": not runs.lower_is_better,
        "field": split.field,
        "at": split.at,
        "of_differences": True,
        "n_before": n_before,
        "n_after": n_after,
        "before": estimates[0],
        "after": estimates[1],
    }
    why = _why_not(n_before, n_after, options)
    if why:
        return CutOff(**known_of_it, why=why)
    parts = differences_apart(joined.pairs, known & ~after, after)
    try:
        difference, test = cut_off_of(parts, request(options, name=_NAME, named=False), joined.pairs.unit)
    except MethodError as error:
        return CutOff(**known_of_it, why=str(error))
    said = (*difference.extra["caveats"], *_shared_clusters(joined.pairs.cluster, known & ~after, after))
    return CutOff(**known_of_it, difference=difference, test=test, caveats=said)


def _shared_clusters(
    cluster: Codes | None, before: NDArray[np.bool_], after: NDArray[np.bool_]
) -> list[dict[str, str]]:
    """The caveat that clusters have items on both sides, where some have."""
    n = 0 if cluster is None else len(np.intersect1d(cluster[before], cluster[after]))
    if n == 0:
        return []
    text = (
        f"{n} clusters have items on both sides of the cut-off, which the test takes for independent: it "
        "errs on the safe side where the items of a cluster are alike"
    )
    return [caveat("clusters_in_several_slices", text)]


def _difference(row: Comparison | None) -> Estimate | None:
    return None if row is None else row.difference


def _why_not(n_before: int, n_after: int, options: Options) -> str:
    for name, n in (("before", n_before), ("after", n_after)):
        if too_small(n):
            return f"{name} it {too_small(n, ' in both runs')}"
    if options.view == "fixed_items":
        return _OTHER_QUESTIONS
    return NO_PROOF if options.guarantee else ""
