"""Could the difference of two runs be chance? The test beside each interval."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from evalstats.errors import NoGuaranteeError, PairingError
from evalstats.kernel.arrays import check_numbers
from evalstats.kernel.limits import NoInterval
from evalstats.kernel.method import Method, MethodTable
from evalstats.kernel.stream import Streamed
from evalstats.methods.clusters import check_two
from evalstats.methods.mcnemar import mcnemar_counts
from evalstats.methods.paired import tango_statistic
from evalstats.methods.paired_intervals import df_of, effective_counts, paired_counts, sd_diff, variance_of
from evalstats.methods.pairs import PairedItems, UnpairedItems
from evalstats.methods.sign_flip import DEFAULT_N_BOOT, exact_or_affordable, sign_flip_pvalue
from evalstats.methods.unpaired import unpaired_test
from evalstats.methods.unpaired_means import unpaired_counts, welch_terms
from evalstats.numeric import order_free_sum, two_sided_t
from evalstats.results import TestResult

Outcome = tuple[float, float, dict[str, Any]]  # statistic, p-value, what goes into `extra`


def paired_t(a: Any, b: Any, name: str = "paired_t") -> TestResult:
    """Do two runs' scores on the same items differ by more than chance? Student's t of a − b.

    a, b : (n,) scores, entry i of both about item i. effect : mean of a − b (the chapter's sign; everything
    else here is candidate − baseline). extra : sd_diff (n − 1), df, standard_error, and sign_flip, the
    p-value of the permutation test. Equal differences have no t: statistic and pvalue are nan with the
    reason, and sign_flip says what can be said.
    Raises InputError for what is no list of scores, PairingError for unequal lengths.
    Source: Student 1908, Biometrika 6:1–25.

    >>> print(paired_t([6.1, 7.2, 5.5, 8.0, 6.6, 7.1], [5.8, 7.0, 5.9, 7.1, 6.2, 7.3]))
    paired_t p = 0.34, effect +0.2, paired_t n=6
    """
    x, y = check_numbers(a, "a"), check_numbers(b, "b")
    if len(x) != len(y):
        raise PairingError(
            f"a has {len(x)} scores and b {len(y)}: a paired test needs both scores of every item, in order."
        )
    return _result(PairedItems(y, x), METHODS["paired_t"], name, DEFAULT_N_BOOT, 0)


def paired_test(
    pair: PairedItems,
    *,
    name: str = "difference",
    guarantee: bool = False,
    n_boot: int = DEFAULT_N_BOOT,
    seed: int = 0,
) -> TestResult:
    """McNemar's exact test, Tango on effective counts, the paired t, or t on CR2; sign-flip by guarantee."""
    if pair.cluster is not None:
        check_two(pair.units.k, pair.n)
    if pair.pass_fail and not pair.clustered and not pair.repeated:
        baseline_only, candidate_only, n, _ = paired_counts(pair)
        found = mcnemar_counts(baseline_only, candidate_only, n, name=name)
        beside = {"n_discordant_units": pair.n_discordant_units, "unit": "fraction"}
        return dataclasses.replace(found, extra={**found.extra, **beside})
    if guarantee:
        return _result(pair, METHODS["sign_flip"], name, n_boot, seed)
    if pair.pass_fail:
        return _result(pair, METHODS["tango_effective"], name, n_boot, seed)
    return _result(pair, METHODS["cr2_t" if pair.clustered else "paired_t"], name, n_boot, seed)


def _result(pair: PairedItems, method: Method, name: str, n_boot: int, seed: int) -> TestResult:
    statistic, pvalue, found = method.function(pair, n_boot, seed)
    undefined = found.pop("undefined", {})
    extra: dict[str, Any] = {
        **_beside(pair),
        **found,
        "n_discordant_units": pair.n_discordant_units,
        "unit": pair.unit,
    }
    if method.name != "sign_flip":
        extra |= _sign_flip_beside(pair, n_boot, seed)
    if undefined:
        extra["undefined"] = undefined
    if method.proof:
        extra["guarantee"] = method.proof
    return TestResult(name, statistic, pvalue, pair.point, method.name, pair.n, extra)


def _beside(pair: PairedItems) -> dict[str, Any]:
    known: dict[str, Any] = {}
    if pair.n > 1:
        known["sd_diff"] = sd_diff(pair)
    if (v := variance_of(pair)) > 0:
        known["standard_error"] = math.sqrt(v)
    if pair.clustered:
        known["n_clusters"] = pair.units.k
    return known


def _sign_flip_beside(pair: PairedItems, n_boot: int, seed: int) -> dict[str, Any]:
    """The permutation p of the units; left out where random signs of very many units would take long."""
    if isinstance(pair.sample, Streamed) or not exact_or_affordable(pair.units.sums, n_boot):
        return {}
    pvalue, law = sign_flip_pvalue(pair.units.sums, n_boot, seed)
    return {"sign_flip": pvalue, "law": law}


def _t(pair: PairedItems, n_boot: int, seed: int) -> Outcome:
    """t = D/√v with the df of the design: s_d/√n and n − 1 for single items, CR2 and Bell–McCaffrey's."""
    v = variance_of(pair)
    if v == 0:
        one = "one item: how far items differ cannot be known"
        equal = "the units' differences are all equal: t is not defined, the sign-flip test beside it is"
        reason = one if pair.n == 1 or pair.units.k == 1 else equal
        return math.nan, math.nan, {"undefined": {"statistic": reason, "pvalue": reason}}
    df = df_of(pair)
    t = pair.point / math.sqrt(v)
    return t, two_sided_t(t, df), {"df": df, "statistic_kind": "t"}


def _tango_effective(pair: PairedItems, n_boot: int, seed: int) -> Outcome:
    """|z(0)| of Tango on the effective counts against t_ν."""
    counts = effective_counts(pair)
    z = tango_statistic(counts.baseline_only, counts.candidate_only, counts.n, 0.0)
    beside = {"df": counts.df, "n_eff": counts.n, "statistic_kind": "z"}
    return z, two_sided_t(z, counts.df), beside


def _sign_flip(pair: PairedItems, n_boot: int, seed: int) -> Outcome:
    pvalue, law = sign_flip_pvalue(pair.units.sums, n_boot, seed)
    return order_free_sum(pair.d), pvalue, {"law": law, "statistic_kind": "sum of differences"}


def unpaired_difference_test(
    runs: UnpairedItems, *, name: str = "difference", guarantee: bool = False
) -> TestResult:
    """z pooled or Fisher for rates (Boschloo by guarantee), Welch for scores, CR2 in clusters."""
    if runs.pass_fail and not runs.clustered and not runs.repeated:
        return unpaired_test(*unpaired_counts(runs), guarantee=guarantee, name=name)
    for run in (runs.baseline, runs.candidate):
        if run.cluster is not None:
            check_two(run.units.k, run.n)
    if guarantee:
        raise NoGuaranteeError(
            "no test of two means on different items has a proved size. Leave guarantee out to get Welch's."
        )
    extra: dict[str, Any] = {"unit": runs.unit}
    if runs.clustered:
        extra["n_clusters"] = sum(units.k for units in runs.samples)
    statistic = pvalue = math.nan
    try:
        terms = welch_terms(runs)
        statistic = runs.point / math.sqrt(terms.v)
        pvalue = two_sided_t(statistic, terms.df)
        extra |= {"df": terms.df, "standard_error": math.sqrt(terms.v), "statistic_kind": "t"}
    except NoInterval as reason:
        extra["undefined"] = {"statistic": str(reason), "pvalue": str(reason)}
    method = "cr2_t" if runs.clustered else "welch"
    return TestResult(name, statistic, pvalue, runs.point, method, runs.n, extra)


_STUDENT = "Student 1908, Biometrika 6:1–25"
METHODS = MethodTable(
    situation="a test of paired runs",
    methods=(
        Method("paired_t", _t, _STUDENT, role="default", label="paired t"),
        Method(
            "tango_effective",
            _tango_effective,
            "Tango 1998, Statistics in Medicine 17:891–908; Rao & Scott 1992, Biometrics 48:577–585",
            label="Tango on effective counts",
        ),
        Method("cr2_t", _t, "Bell & McCaffrey 2002, Survey Methodology 28:169–181", label="t on CR2"),
        Method(
            "sign_flip",
            _sign_flip,
            "Fisher 1935, The Design of Experiments, §21",
            role="guarantee",
            label="sign-flip",
            proof="proved",
        ),
    ),
)
