"""Two runs on different items: the difference of their means by Welch, in clusters by CR2, and the test."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from evalstats.kernel.limits import Interval, NoInterval
from evalstats.kernel.method import Method, MethodTable
from evalstats.kernel.resampled import bootstrap_interval
from evalstats.kernel.stream import Sample, compared
from evalstats.kernel.units import Units
from evalstats.methods import unpaired
from evalstats.methods.clusters import bell_mccaffrey_df, check_two
from evalstats.methods.items import ItemValues, Request
from evalstats.methods.mean_intervals import UNBOUNDED_NO_PROOF, bootstraps
from evalstats.methods.paired_intervals import fixed_items_t, mirrored
from evalstats.methods.pairs import UnpairedItems
from evalstats.numeric import t_of


@dataclass(frozen=True)
class WelchTerms:
    """v : variance of the difference. df : Satterthwaite's."""

    v: float
    df: float


def welch_terms(runs: UnpairedItems) -> WelchTerms:
    """v = v_A + v_B by CR2 (s²/n for single items), 1/ν = (v_A/v)²/ν_A + (v_B/v)²/ν_B."""
    parts = [_variance_and_df(run) for run in (runs.baseline, runs.candidate)]
    v = parts[0][0] + parts[1][0]
    if v == 0:
        raise NoInterval("neither run varies, so a t interval has width 0: the spread is not known")
    return WelchTerms(v, 1 / sum((part / v) ** 2 / df for part, df in parts))


def _variance_and_df(run: ItemValues) -> tuple[float, float]:
    if run.n == 1:
        raise NoInterval("a run has one item: how far items differ cannot be known")
    df = float(run.n - 1) if run.cluster is None else bell_mccaffrey_df(run.units)
    return run.variance, df


def welch(runs: UnpairedItems, request: Request) -> Interval:
    """D ± t_ν√(v_A + v_B)."""
    terms = welch_terms(runs)
    half = t_of(request.level, terms.df) * math.sqrt(terms.v)
    return Interval(runs.point - half, runs.point + half, {"df": terms.df})


def unpaired_counts(runs: UnpairedItems) -> tuple[int, int, int, int]:
    """k and n of the baseline and of the candidate, pass/fail."""
    old, new = runs.baseline, runs.candidate
    return int(np.count_nonzero(old.scores)), old.n, int(np.count_nonzero(new.scores)), new.n


def bootstrap(kind: str, runs: UnpairedItems, request: Request) -> Interval:
    """Resample either run's units on its own; the runs are drawn in a canonical order."""
    old, new = (_sample(run) for run in (runs.baseline, runs.candidate))
    order = _higher(runs, old, new)
    drawn = (new, old) if order < 0 else (old, new)
    found = bootstrap_interval(kind, request.bootstrap(drawn, symmetric=order == 0))
    return mirrored(found) if order < 0 else found


def _sample(run: ItemValues) -> Sample:
    return run.sample or Units.of_sums(run.units.sums, run.units.sizes).tally()


def _higher(runs: UnpairedItems, old: Sample, new: Sample) -> int:
    """+1 where the candidate is drawn as the second sample, −1 the baseline, 0 where the two are equal."""
    if runs.point != 0:
        return 1 if runs.point > 0 else -1
    return compared(new, old)


def unpaired_table(runs: UnpairedItems, request: Request) -> MethodTable:
    """The situation these runs are in. Raises MethodError for a run in one cluster."""
    if request.view == "fixed_items":
        return UNPAIRED_FIXED_ITEMS
    if runs.clustered:
        for run in (runs.baseline, runs.candidate):
            check_two(run.units.k, run.n)
        return UNPAIRED_CLUSTERED
    if runs.pass_fail and not runs.repeated:
        return UNPAIRED_RATES
    return UNPAIRED_MEANS if runs.baseline.bounds is not None else UNPAIRED_UNBOUNDED


_BOOTSTRAPS = bootstraps("unpaired_bootstrap", bootstrap, "bootstrap of either run")
_CLUSTER_BOOTSTRAPS = bootstraps(
    "cluster_unpaired_bootstrap", bootstrap, "bootstrap of either run's clusters"
)
_WELCH = Method("welch", welch, "Welch 1947, Biometrika 34:28–35", role="default", label="Welch")

UNPAIRED_RATES = MethodTable(unpaired.METHODS.situation, (*unpaired.METHODS, *_BOOTSTRAPS))
UNPAIRED_MEANS = MethodTable("two bounded means on different items", (_WELCH, *_BOOTSTRAPS))
UNPAIRED_UNBOUNDED = MethodTable("two means on different items", (_WELCH, *_BOOTSTRAPS), UNBOUNDED_NO_PROOF)
UNPAIRED_CLUSTERED = MethodTable(
    "two means on different items in clusters",
    (
        Method(
            "cr2_t",
            welch,
            "Bell & McCaffrey 2002, Survey Methodology 28:169–181; Satterthwaite 1946",
            role="default",
            label="CR2 with Satterthwaite df",
        ),
        *_CLUSTER_BOOTSTRAPS,
    ),
)
UNPAIRED_FIXED_ITEMS = MethodTable(
    "the decoding noise of two means on fixed items",
    (
        Method(
            "fixed_items_t",
            fixed_items_t,
            "Miller 2024, arXiv:2411.00640, §3; Satterthwaite 1946",
            role="default",
            label="t over completions",
        ),
    ),
    "it asks for the spread of completions, which few of them show",
)
METHODS = (UNPAIRED_RATES, UNPAIRED_MEANS, UNPAIRED_UNBOUNDED, UNPAIRED_CLUSTERED, UNPAIRED_FIXED_ITEMS)
