"""From all pairs of many runs to the rows of a ranking."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evalstats._version import __version__
from evalstats.analyses.options import Options
from evalstats.analyses.rank_result import PairMethods, RankedPair, RankedRun
from evalstats.envelope import Family, Side
from evalstats.methods.corrections import lit_by_luck
from evalstats.methods.many import AllPairs
from evalstats.methods.many_intervals import DEFAULT_N_BOOT, ManyRequest, rank_level
from evalstats.methods.many_items import ManyItems

_MAY_BE_UNKNOWN = ("ci_low", "ci_high", "pvalue", "adjusted", "simultaneous_low", "simultaneous_high")


def best_first(points: Sequence[float], labels: Sequence[str], lower_is_better: bool) -> list[int]:
    """The places of the runs in the order of their scores; equal ones by label."""
    sign = 1 if lower_is_better else -1
    return sorted(range(len(labels)), key=lambda j: (sign * points[j], labels[j]))


def in_order(items: ManyItems, order: Sequence[int]) -> ManyItems:
    """The runs in another order."""
    runs = list(order)
    completions = None if items.completions is None else items.completions[:, runs]
    return dataclasses.replace(items, y=items.y[:, runs], completions=completions)


def many_request(options: Options, joint: bool, *, simultaneous: str | None) -> ManyRequest:
    """What is asked of the pairs. simultaneous : the method by name, None for the default."""
    return ManyRequest(
        options.level,
        simultaneous,
        options.guarantee,
        joint,
        DEFAULT_N_BOOT if options.n_boot is None else options.n_boot,
        options.seed,
        options.largest_cluster,
    )


def ranked_runs(benchmark: str, metric: str, found: AllPairs, sides: Sequence[Side]) -> tuple[RankedRun, ...]:
    """sides : of the runs, in the order of `found`."""
    return tuple(
        RankedRun(
            benchmark=benchmark,
            metric=metric,
            rank=int(found.rank[at]),
            rank_low=int(found.rank_low[at]),
            rank_high=int(found.rank_high[at]),
            groups=tuple(g for g, members in enumerate(found.groups, 1) if at in members),
            run=one,
        )
        for at, one in enumerate(sides)
    )


def ranked_pairs(found: AllPairs, names: Sequence[str]) -> tuple[RankedPair, ...]:
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
    pairs = tuple(
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
    return tuple(_with_reasons(pair) for pair in pairs)


def _with_reasons(pair: RankedPair) -> RankedPair:
    unknown = [name for name in _MAY_BE_UNKNOWN if math.isnan(getattr(pair, name))]
    if not unknown:
        return pair
    why = "one item in common" if pair.n == 1 else "all differences are equal"
    return dataclasses.replace(pair, undefined=dict.fromkeys(unknown, f"{why}: the spread is not known"))


def _turned(values: NDArray[np.float64]) -> list[float]:
    return [0.0 - value for value in values.tolist()]


def family_of(found: AllPairs, request: ManyRequest) -> Family:
    """Holm over all pairs, and what would light uncorrected if all runs were alike."""
    known = int(np.isfinite(found.pvalue).sum())
    if found.test in ("mcnemar_exact", "mcnemar_mid_p"):
        luck = lit_by_luck(found.terms.discordant.tolist(), request.alpha, found.test)
    else:
        luck = known * request.alpha
    return Family("holm", request.alpha, known, found.terms.m - known, luck)


def pair_methods(found: AllPairs, request: ManyRequest) -> PairMethods:
    """How the pairs were worked out."""
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


def ranking_signature(found: AllPairs, request: ManyRequest, counted: str = "n") -> str:
    """`rank|max_t|runs:15|n:790|level:0.95|holm:mcnemar_mid_p|n_boot:10000|seed:0|v:…`."""
    together = found.simultaneous
    resampling = () if together.n_boot is None else (f"n_boot:{together.n_boot}", f"seed:{together.seed}")
    parts = (
        *("rank", together.method, f"runs:{found.items.K}", f"{counted}:{found.items.n}"),
        *(f"level:{request.level:g}", f"holm:{found.test}", *resampling),
        *(("ranks:joint",) if request.joint else ()),
        f"v:{__version__}",
    )
    return "|".join(parts)
