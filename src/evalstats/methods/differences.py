"""Two runs compared: the difference of their mean scores, candidate − baseline, with its interval."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from evalstats.errors import MethodError
from evalstats.kernel.limits import held
from evalstats.kernel.method import Method, MethodTable
from evalstats.methods import cautions, paired, paired_intervals, unpaired, unpaired_means
from evalstats.methods.assembled import assembled
from evalstats.methods.clusters import check_two
from evalstats.methods.difference_tests import paired_test, unpaired_difference_test
from evalstats.methods.items import Request
from evalstats.methods.mean_intervals import noise_of
from evalstats.methods.paired_intervals import (
    PAIRED_CLUSTERED_RATES,
    PAIRED_CLUSTERED_SCORES,
    PAIRED_CLUSTERED_UNBOUNDED,
    PAIRED_COMPLETIONS,
    PAIRED_FIXED_ITEMS,
    PAIRED_RATES,
    PAIRED_RATES_UNDER_TEN,
    PAIRED_SCORES,
    PAIRED_UNBOUNDED,
    fixed_items_terms_of_two,
    paired_counts,
    sd_diff,
    variance_of,
)
from evalstats.methods.pairs import PairedItems, UnpairedItems, paired_items, unpaired_items
from evalstats.methods.sign_flip import DEFAULT_N_BOOT
from evalstats.methods.unpaired_means import UNPAIRED_RATES, unpaired_counts, unpaired_table
from evalstats.results import Estimate, TestResult

Caveats = list[dict[str, str]]
_SCORES = (PAIRED_SCORES, PAIRED_UNBOUNDED)
_CLUSTERED_SCORES = (PAIRED_CLUSTERED_SCORES, PAIRED_CLUSTERED_UNBOUNDED)
_OF_COUNTS = (PAIRED_RATES, PAIRED_RATES_UNDER_TEN, UNPAIRED_RATES)


def mean_difference(
    baseline: Any,
    candidate: Any,
    cluster: Any = None,
    item: Any = None,
    bounds: Any = None,
    paired: bool = True,
    *,
    level: float = 0.95,
    method: str | None = None,
    guarantee: bool = False,
    view: str = "random_items",
    name: str = "difference",
    n_boot: int | None = None,
    seed: int = 0,
    largest_cluster: int | None = None,
    cross_check: bool = False,
) -> Estimate:
    """How far apart are two runs? Candidate − baseline, with its interval, from their scores.

    baseline, candidate : (rows,) numbers or booleans; paired runs have the same items in the same order.
    item : labels; rows with equal labels are completions of one item. Runs with different numbers of rows
    take a pair, item=(baseline's, candidate's), and so does cluster. cluster : label of what was drawn.
    bounds : (low, high) of the scores' scale. paired=False : different items.
    method : by default Tango for pass/fail, Tango on effective counts in clusters or with completions, the
    paired t for scores (`cr2_t` in clusters); unpaired Newcombe, Welch, or CR2 in clusters.
    guarantee : betting for bounded paired scores, clusters and completions; in clusters with largest_cluster,
    the most items that a cluster can have, which is declared and not read from the data.
    n_boot, seed, cross_check : of the bootstrap methods, as in `mean`.
    Limits are in the scores' unit. Raises InputError and PairingError for rows that do not fit together,
    MethodError for one cluster or a method that is not honest for the data. Sources: in `METHODS`.

    >>> print(mean_difference([0, 0, 1, 1, 0, 1, 0, 1], [1, 0, 1, 1, 1, 1, 0, 1]))
    difference 25.0% [-15.6, 59.1] 95% tango n=8
    >>> print(mean_difference([6.1, 7.2, 5.5, 8.0], [6.8, 7.4, 6.6, 8.1], name="judge"))
    judge 0.525 [-0.2142, 1.264] 95% paired_t n=4
    """
    request = Request(
        level, method, guarantee, view, "item_mean", name, n_boot, seed, largest_cluster, cross_check
    )
    put_together = paired_items if paired else unpaired_items
    return item_difference(put_together(baseline, candidate, cluster, item, bounds), request)


def item_difference(items: PairedItems | UnpairedItems, request: Request) -> Estimate:
    """`mean_difference` for items that are already reduced and side by side: what the analyses call.

    Raises MethodError and NoGuaranteeError as `mean_difference` does.
    """
    table = (
        _paired_table(items, request) if isinstance(items, PairedItems) else unpaired_table(items, request)
    )
    asked = dataclasses.replace(request, method=_spelled(request.method, table))
    _refuse_counts(table, asked)
    chosen = table.choose(asked.method, asked.guarantee)
    request.refuse_unused(chosen.name, clustered=items.clustered)
    if table in _OF_COUNTS and "bootstrap" not in chosen.name:
        return _of_counts(items, asked)
    return _estimate(items, chosen, request, table.why(chosen, request.method))


def difference_test(
    items: PairedItems | UnpairedItems,
    *,
    name: str = "difference",
    guarantee: bool = False,
    n_boot: int = DEFAULT_N_BOOT,
    seed: int = 0,
) -> TestResult:
    """The test that belongs to the row these items are in: what the analyses call.

    Paired: McNemar's exact test, Tango on effective counts, the paired t or t on CR2, with the sign-flip p
    in extra["sign_flip"] (n_boot, seed : where it is drawn). Unpaired: z pooled or Fisher, Welch, CR2.
    Raises MethodError for one cluster, NoGuaranteeError where no test has a proof.
    """
    if isinstance(items, PairedItems):
        return paired_test(items, name=name, guarantee=guarantee, n_boot=n_boot, seed=seed)
    return unpaired_difference_test(items, name=name, guarantee=guarantee)


def _paired_table(pair: PairedItems, request: Request) -> MethodTable:
    """The situation these pairs are in."""
    if request.view == "fixed_items":
        return PAIRED_FIXED_ITEMS
    if pair.cluster is not None:
        check_two(pair.units.k, pair.n)
        return PAIRED_CLUSTERED_RATES if pair.pass_fail else _by_scale(pair, _CLUSTERED_SCORES)
    if not pair.pass_fail:
        return _by_scale(pair, _SCORES)
    if not pair.repeated:
        return PAIRED_RATES if pair.n >= paired.LEAST_FOR_GUARANTEE else PAIRED_RATES_UNDER_TEN
    if pair.n == 1:
        raise MethodError(
            "one item, however many completions, says nothing of how items differ: give two or more items, "
            'or ask for view="fixed_items".'
        )
    return PAIRED_COMPLETIONS


def _by_scale(pair: PairedItems, tables: tuple[MethodTable, MethodTable]) -> MethodTable:
    """The first of two tables for scores with ends, the second for those without."""
    return tables[0 if pair.bounds is not None else 1]


def _spelled(method: str | None, table: MethodTable) -> str | None:
    """bootstrap_x and cluster_bootstrap_x as a result carries them: with (un)paired in their name."""
    if method is None or method in {m.name for m in table}:
        return method
    for design in ("paired", "unpaired"):
        full_name = method.replace("bootstrap_", f"{design}_bootstrap_", 1)
        if full_name in {m.name for m in table}:
            return full_name
    return method


def _refuse_counts(table: MethodTable, request: Request) -> None:
    on_counts = {method.name for method in paired.METHODS} - {method.name for method in table}
    if request.method in on_counts and table in (PAIRED_CLUSTERED_RATES, PAIRED_COMPLETIONS):
        raise MethodError(
            f"{request.method} counts every item as independent and right or wrong, which items of one "
            f"cluster and items with several completions are not. For {table.situation} there are: "
            f"{', '.join(method.name for method in table)}."
        )


def _of_counts(items: PairedItems | UnpairedItems, request: Request) -> Estimate:
    """Independent items, each right or wrong: the counts suffice."""
    asked: dict[str, Any] = {
        "level": request.level,
        "method": request.method,
        "guarantee": request.guarantee,
        "name": request.name,
    }
    beside: dict[str, Any] = {"view": request.view, "bounds": [-1.0, 1.0]}
    if isinstance(items, PairedItems):
        *counts, both_right = paired_counts(items)
        found = paired.paired_proportions(*counts, both_right=both_right, **asked)
        return dataclasses.replace(found, extra={**found.extra, **beside})
    found = unpaired.unpaired_proportions(*unpaired_counts(items), **asked)
    beside["caveats"] = found.extra["caveats"] + cautions.shared_items(items.n_shared)
    return dataclasses.replace(found, extra={**found.extra, **beside})


def _estimate(items: PairedItems | UnpairedItems, chosen: Method, request: Request, why: str) -> Estimate:
    """Limits by the chosen method, held in the scale, with everything that goes into `extra`."""
    limits = held(lambda: chosen.function(items, request), items.point, items.scale, chosen.name)
    about = {**_design(items, request), "why": why, "unit": items.unit, "view": request.view}
    said = _caveats(items, chosen, request)
    return assembled(request, chosen, items.n, items.point, limits, _variance(items, request), about, said)


def _variance(items: PairedItems | UnpairedItems, request: Request) -> float:
    """v of the difference; 0 where it needs a second unit."""
    if request.view == "fixed_items":
        return fixed_items_terms_of_two(items)[0]
    if isinstance(items, PairedItems):
        return variance_of(items)
    runs = (items.baseline, items.candidate)
    return 0.0 if any(run.n == 1 for run in runs) else sum(run.variance for run in runs)


def _design(items: PairedItems | UnpairedItems, request: Request) -> dict[str, Any]:
    extra: dict[str, Any] = {}
    if math.isfinite(items.scale[1]):
        extra["bounds"] = list(items.scale)
    if items.repeated:
        extra["n_completions"] = items.baseline.n_completions + items.candidate.n_completions
    if items.clustered and request.view == "random_items":
        extra["n_clusters"] = sum(units.k for units in items.samples)
    if isinstance(items, PairedItems):
        extra["n_discordant_units"] = items.n_discordant_units
        extra |= {"sd_diff": sd_diff(items)} if items.n > 1 else {}
    return extra


def _caveats(items: PairedItems | UnpairedItems, chosen: Method, request: Request) -> Caveats:
    said = cautions.scale_assumed(items.scale_assumed)
    if request.view == "fixed_items":
        return said + cautions.few_noisy_items(noise_of(items.baseline) + noise_of(items.candidate))
    if isinstance(items, PairedItems):
        return said + _paired_caveats(items, chosen)
    return said + _unpaired_caveats(items, chosen)


def _paired_caveats(pair: PairedItems, chosen: Method) -> Caveats:
    bootstrapped = "bootstrap" in chosen.name
    said: Caveats = []
    if pair.cluster is not None:
        said += cautions.of_paired_clusters(pair.units, pair.n_discordant_units, pair.unit, pair.pass_fail)
    elif pair.pass_fail:
        said += cautions.few_discordant(pair.n_discordant_units, bootstrapped)
    if not pair.pass_fail:
        lower, higher = pair.n_lower_and_higher
        said += cautions.few_nonzero_differences(lower + higher, pair.n) + _skewed(pair)
    if bootstrapped and not (pair.pass_fail and pair.cluster is None):
        said += _about_resampling(pair)
    return said


def _skewed(pair: PairedItems) -> Caveats:
    if pair.items is not None:
        return cautions.skewed_singles(pair.items)
    return cautions.skewed(pair.units.residuals)


def _about_resampling(pair: PairedItems) -> Caveats:
    if pair.sample is not None:
        return cautions.of_singles_resampled(pair.sample, False)
    return cautions.of_bootstrap(pair.units.means, False, pair.cluster is not None)


def _unpaired_caveats(runs: UnpairedItems, chosen: Method) -> Caveats:
    said: Caveats = cautions.shared_items(runs.n_shared)
    for run in (runs.baseline, runs.candidate):
        if run.cluster is not None:
            said += cautions.of_clusters(run.units, run.pass_fail)
        elif not run.pass_fail or run.repeated:
            said += cautions.skewed(run.y) if run.singles is None else cautions.skewed_singles(run.singles)
        if "bootstrap" in chosen.name and run.sample is not None:
            said += cautions.of_singles_resampled(run.sample, run.pass_fail)
        elif "bootstrap" in chosen.name:
            plain_rate = run.pass_fail and run.cluster is None and not run.repeated
            said += cautions.of_bootstrap(run.units.means, plain_rate, run.cluster is not None)
    return list({one["code"]: one for one in said}.values())


METHODS = (*paired_intervals.METHODS, *unpaired_means.METHODS)
