"""Results to print, made by hand: what the analyses return, without logs."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any

from evalstats.answers import Comparisons, Scorecard
from evalstats.caveats import caveat
from evalstats.envelope import (
    Check,
    ClusterCandidate,
    Comparison,
    ConfigChange,
    Design,
    Family,
    MissingBounds,
    Needed,
    Pairing,
    Provenance,
    Scale,
    Score,
    Side,
)
from evalstats.methods.corrections import holm
from evalstats.methods.margins import verdict
from evalstats.methods.mcnemar import mcnemar_counts
from evalstats.methods.paired import paired_proportions
from evalstats.methods.rates import proportion
from evalstats.results import Estimate, TestResult

PASS_FAIL = Scale("pass_fail", 0.0, 1.0)
JUDGE = Scale("bounded", 1.0, 10.0)
NOT_CHECKED = ("clusters (none declared; passage_id has 15 groups of 4)",)


def provenance(call: str) -> Provenance:
    return Provenance(call, ("a", "b"), (), {}, None)


def side(label: str, estimate: Estimate, **counts: int) -> Side:
    n = {"n_total": estimate.n, "n_scored": estimate.n, "n_missing": 0, "n_errored": 0, **counts}
    return Side(label, label, **n, estimate=estimate)


def row(
    difference: Estimate,
    baseline: Estimate,
    candidate: Estimate,
    test: TestResult | None,
    margin: float | None = None,
    reject: bool | None = None,
    **fields: Any,
) -> Comparison:
    """A row whose verdict is the house's own; `fields` replace what is said here."""
    higher = fields.get("higher_is_better", True)
    said = verdict(difference, margin, higher_is_better=higher, reject=reject)
    fields = {
        "benchmark": "reasoning-500",
        "metric": "accuracy",
        "scale": PASS_FAIL,
        "design": Design("item", "none", True, difference.n, difference.n, 1.0),
        "baseline": side("week-31", baseline),
        "candidate": side("week-32", candidate),
        "higher_is_better": higher,
        "mde": 0.0541,
        "mde_note": "80 % power at this 19 % disagreement",
        "pairing": Pairing("id", difference.n, 0, 0, 0, 0, 0),
        "not_checked": NOT_CHECKED,
        "signature": f"difference|{difference.method}|n:{difference.n}|level:0.95|test:x|v:0.1.0",
        "primary": True,
        "slice": None,
        "adjusted": None,
        "reject": reject,
        "adjusted_difference": None,
        "margin": margin,
        "needed": None,
        "missing": None,
        "caveats": (),
        "changed": (),
        **fields,
    }
    return Comparison(difference=difference, test=test, **{**vars(said), **fields})


def pass_fail(
    baseline_only: int = 40,
    candidate_only: int = 55,
    n: int = 500,
    both_right: int = 320,
    **fields: Any,
) -> Comparison:
    """Pass/fail pairs; by default the 40/55 of 500 of the design."""
    pairing = Pairing(
        key="id",
        n_common=n,
        only_in_baseline=0,
        only_in_candidate=0,
        missing_in_baseline=0,
        missing_in_candidate=0,
        duplicates=0,
        baseline_only=baseline_only,
        candidate_only=candidate_only,
        both_right=both_right,
        both_wrong=n - both_right - baseline_only - candidate_only,
    )
    defaults = {
        "pairing": pairing,
        "signature": f"difference|tango|n:{n}|level:0.95|test:mcnemar_exact|v:0.1.0",
    }
    return row(
        paired_proportions(baseline_only, candidate_only, n, name="difference"),
        proportion(both_right + baseline_only, n),
        proportion(both_right + candidate_only, n),
        mcnemar_counts(baseline_only, candidate_only, n),
        **{**defaults, **fields},
    )


def only(comparison: Comparison, **fields: Any) -> Comparisons:
    return Comparisons((comparison,), (), provenance("compare"), **fields)


def design_example(**fields: Any) -> Comparisons:
    return only(pass_fail(**fields))


def estimate(
    point: float, low: float, high: float, method: str = "t", n: int = 200, **extra: Any
) -> Estimate:
    return Estimate("difference", point, low, high, 0.95, method, n, extra=extra)


def judge(higher_is_better: bool = True, **fields: Any) -> Comparison:
    """A judge's mean from 1 to 10, the candidate a little lower."""
    pairing = dataclasses.replace(
        pass_fail().pairing or Pairing("id", 0, 0, 0, 0, 0, 0),
        baseline_only=None,
        candidate_only=None,
        baseline_higher=70,
        candidate_higher=55,
        tied=75,
    )
    defaults = {
        "benchmark": "helpfulness",
        "metric": "judge_mean",
        "scale": JUDGE,
        "pairing": pairing,
        "mde": 0.2613,
        "signature": "difference|paired_t|n:200|level:0.95|test:paired_t|v:0.1.0",
        "higher_is_better": higher_is_better,
    }
    test = TestResult("paired_t", -2.1, 0.037, -0.18, "paired_t", 200, {"sign_flip": 0.0412})
    return row(
        estimate(-0.18, -0.349, -0.011, "paired_t"),
        estimate(6.63, 6.352, 6.908, "t"),
        estimate(6.45, 6.171, 6.729, "t"),
        test,
        **{**defaults, **fields},
    )


def unpaired() -> Comparison:
    difference = Estimate("difference", 0.03, -0.0247, 0.0845, 0.95, "newcombe_unpaired", 1000)
    test = TestResult("z", 1.08, 0.2818, 0.03, "z_pooled", 1000)
    return row(
        difference,
        proportion(360, 500),
        proportion(375, 500),
        test,
        design=Design("item", "none", False, 1000, 1000, 1.0),
        pairing=None,
        mde=0.0781,
        mde_note="80 % power at this standard error",
    )


def completions() -> Comparison:
    """Three completions an item: pairs of items, never of completions."""
    pairing = Pairing("id", 40, 0, 0, 0, 0, 0, baseline_higher=9, candidate_higher=17, tied=14)
    return row(
        estimate(0.15, 0.0121, 0.2811, "tango_effective", 40, n_discordant_units=26, n_eff=35.2),
        estimate(0.4833, 0.3621, 0.6065, "wilson_effective", 40),
        estimate(0.6333, 0.5132, 0.7388, "wilson_effective", 40),
        TestResult("tango_effective", 2.2, 0.0339, 0.15, "tango_effective", 40, {"sign_flip": 0.04}),
        benchmark="arith_epochs",
        design=Design("item", "none", True, 40, 40, 3.0),
        pairing=pairing,
        mde=0.1871,
    )


def identical() -> Comparison:
    flag = caveat("identical_runs", "the two runs agree on all 500 items: is it the same run twice?")
    return pass_fail(
        0,
        0,
        500,
        360,
        caveats=(flag,),
        mde=0.0123,
        mde_note="80 % power if every changed item changes the same way",
    )


def with_everything() -> Comparison:
    """Missing items, changed settings, checks, caveats, clusters to try, a stated effect."""
    base = pass_fail()
    worst, best = (
        estimate(0.024, -0.0141, 0.0622, "tango", 503),
        estimate(0.036, -0.0031, 0.0751, "tango", 503),
    )
    pairing = dataclasses.replace(
        base.pairing or Pairing("id", 0, 0, 0, 0, 0, 0),
        changed_config=(
            ConfigChange("temperature", "0", "0.7"),
            ConfigChange("num_fewshot", "", "5"),
            ConfigChange("model_args", "pretrained=org/model-a,dtype=bfloat16", "pretrained=org/model-b"),
        ),
        checks=(
            Check("key", "ok", "items paired by id"),
            Check("items", "note", "500 in both, 12 only in the baseline, 0 only in the candidate"),
        ),
    )
    return dataclasses.replace(
        base,
        pairing=pairing,
        baseline=dataclasses.replace(base.baseline, n_total=503, n_missing=1, n_errored=2),
        candidate=dataclasses.replace(base.candidate, n_total=503, n_missing=3),
        missing=MissingBounds(worst, best, "not_settled", "not_settled", 0.625),
        needed=Needed(0.01, "effect", 14912),
        design=dataclasses.replace(
            base.design,
            cluster_candidates=(
                ClusterCandidate("passage_id", 125, 4.0, 1.213),
                ClusterCandidate("topic", 8, 62.5, 0.94),
            ),
        ),
        caveats=(caveat("missing_items", "6 items were not scored; the answer holds for the scored ones"),),
    )


def no_interval() -> Comparison:
    reason = {"ci_low": "one cluster: no spread to estimate", "ci_high": "one cluster: no spread to estimate"}
    return row(
        estimate(0.03, math.nan, math.nan, "cr2_t", 20, undefined=reason),
        estimate(0.5, math.nan, math.nan, "cr2_t", 20, undefined=reason),
        estimate(0.53, math.nan, math.nan, "cr2_t", 20, undefined=reason),
        TestResult("cr2_t", math.nan, math.nan, 0.03, "cr2_t", 20, {"undefined": {"pvalue": "one cluster"}}),
        mde=math.nan,
        mde_note="there is no standard error",
    )


@functools.cache
def family(n_rows: int = 40, margin: float | None = None) -> Comparisons:
    """Benchmarks of growing size: one clear regression, one clear improvement, the rest by luck."""
    counts = [(90, 30), (20, 75)] + [(20 + at % 7, 20 + at % 5) for at in range(n_rows - 2)]
    pvalues = [mcnemar_counts(b, c, 400, method="mid_p").pvalue for b, c in counts]
    corrected = holm(pvalues, 0.05)
    rows = []
    for at, (b, c) in enumerate(counts):
        reject = bool(corrected["reject"][at])
        rows.append(
            dataclasses.replace(
                pass_fail(b, c, 400, 220, margin=margin, reject=reject),
                benchmark=f"benchmark_{at:02d}_of_the_suite",
                adjusted=float(corrected["adjusted"][at]),
                adjusted_difference=paired_proportions(b, c, 400, level=1 - 0.05 / n_rows),
                test=mcnemar_counts(b, c, 400, method="mid_p"),
                mde=0.04 + at / 1000,
            )
        )
    order = [*rows[2:], *rows[:2]]
    return Comparisons(tuple(order), (), provenance("compare"), family=Family("holm", 0.05, n_rows, 0, 1.62))


def score(k: int = 360, n: int = 500, **fields: Any) -> Score:
    rate = proportion(k, n, name="accuracy")
    return Score(
        **{
            "benchmark": "reasoning-500",
            "metric": "accuracy",
            "primary": True,
            "slice": None,
            "scale": PASS_FAIL,
            "design": Design("item", "none", True, n, n, 1.0),
            "run": side("week-31", rate),
            "missing_bounds": None,
            "caveats": tuple(rate.extra["caveats"]),
            "not_checked": NOT_CHECKED,
            "signature": rate.signature,
            **fields,
        }
    )


def clustered_score() -> Score:
    rate = Estimate(
        "accuracy",
        0.575,
        0.4461,
        0.6961,
        0.95,
        "korn_graubard_cr2",
        60,
        extra={"standard_error": 0.0621, "n_clusters": 15, "df": 13.2},
    )
    return score(
        benchmark="clustered",
        design=Design("passage_id", "harness", True, 60, 15, 2.0),
        run=side("model-a", rate),
        caveats=(caveat("few_clusters", "15 clusters of passage_id: fewer than 20"),),
        signature=rate.signature,
    )


def judge_score() -> Score:
    mean = Estimate(
        "judge_mean", 6.63, 6.352, 6.908, 0.95, "wilson_effective", 200, extra={"standard_error": 0.141}
    )
    return score(metric="judge_mean", scale=JUDGE, run=side("week-31", mean), signature=mean.signature)


def scorecard(*rows: Score) -> Scorecard:
    return Scorecard(rows or (score(),), (), provenance("score"))
