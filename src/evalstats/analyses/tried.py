"""The best of many: how often luck alone makes the best of N equal variants look this good."""

from __future__ import annotations

import math

from evalstats.envelope import Tried
from evalstats.numeric import binomial_cdf, binomial_pmf
from evalstats.results import TestResult


def best_of(n: int | None, test: TestResult | None, *, higher_is_better: bool) -> Tried | None:
    """chance = 1 − (1 − p₁)^n, p₁ the one-sided p of this comparison; None if no number was stated.

    p₁ is McNemar's one-sided mid-p for pass/fail pairs, else half of the two-sided p of a symmetric test, on
    the side of "better". At most about: n variants share one baseline. nan without a test.

    >>> from evalstats.methods.mcnemar import mcnemar_counts
    >>> best = best_of(8, mcnemar_counts(40, 55, 500), higher_is_better=True)
    >>> round(best.pvalue, 4), round(best.chance, 2)
    (0.0627, 0.4)
    """
    if n is None:
        return None
    p = math.nan if test is None else _one_sided(test, higher_is_better)
    return Tried(n, p, -math.expm1(n * math.log1p(-p)) if p < 1 else 1.0 if p == 1 else math.nan)


def _one_sided(test: TestResult, higher_is_better: bool) -> float:
    """P of looking this good or better."""
    effect = test.effect if higher_is_better else -test.effect
    if "candidate_only" in test.extra:
        counts = int(test.extra["candidate_only"]), int(test.extra["baseline_only"])
        won, lost = counts if higher_is_better else counts[::-1]
        return binomial_cdf(lost, won + lost, 0.5) - binomial_pmf(lost, won + lost, 0.5) / 2
    if math.isnan(test.pvalue) or math.isnan(effect):
        return math.nan
    return test.pvalue / 2 if effect > 0 else 1 - test.pvalue / 2 if effect < 0 else 0.5
