"""Many rows, one family: corrected p-values, what is lit, what luck would light, and each row's verdict."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evalstats.analyses.options import Options, alpha_of
from evalstats.envelope import Comparison, Family
from evalstats.errors import MethodError
from evalstats.methods import corrections
from evalstats.methods.margins import verdict
from evalstats.methods.unpaired import rejection_probability
from evalstats.results import Estimate, TestResult

_CORRECTIONS = {
    "holm": corrections.holm,
    "bonferroni": corrections.bonferroni,
    "hochberg": corrections.hochberg,
    "benjamini_hochberg": corrections.benjamini_hochberg,
    "benjamini_yekutieli": corrections.benjamini_yekutieli,
}
_FALSE_DISCOVERY = ("benjamini_hochberg", "benjamini_yekutieli")


@dataclass(frozen=True)
class Answer:
    """One row before its family is known, and its interval at any other level."""

    row: Comparison
    at_level: Callable[[float], Estimate]


def settled(
    answers: Sequence[Answer], correction: str, level: float, guarantee: bool
) -> tuple[tuple[Comparison, ...], Family | None]:
    """The rows with adjusted p, reject, adjusted interval and verdict.

    One row, rows without any test, or correction="none" are no family: each direction rests on its own
    interval.
    """
    alpha = alpha_of(level)
    pvalues = [answer.row.test.pvalue if answer.row.test else math.nan for answer in answers]
    untested = all(math.isnan(pvalue) for pvalue in pvalues)
    if len(answers) < 2 or correction == "none" or untested:
        return tuple(with_verdict(answer.row, None, guarantee) for answer in answers), None
    corrected = _CORRECTIONS[correction](pvalues, alpha)
    m, lit = int(corrected["m"]), [bool(r) for r in corrected["reject"]]
    rows = []
    for answer, adjusted, reject in zip(answers, corrected["adjusted"], lit, strict=True):
        share = sum(lit) if correction in _FALSE_DISCOVERY else 1
        wanted = reject or correction not in _FALSE_DISCOVERY
        row = dataclasses.replace(
            answer.row,
            adjusted=float(adjusted),
            reject=reject,
            adjusted_difference=answer.at_level(1 - share * alpha / m) if wanted else None,
        )
        rows.append(with_verdict(row, reject, guarantee))
    family = Family(correction, alpha, m, len(answers) - m, _expected_by_luck(answers, alpha))
    return tuple(rows), family


def settled_together(
    answers: Sequence[Answer], options: Options
) -> tuple[tuple[Comparison, ...], Family | None]:
    """`settled` for the family: all rows, or those that a plan names; the others each alone."""
    names = [answer.row.benchmark for answer in answers]
    members = family_members(names, options)
    asked = (options.level, options.guarantee)
    together, family = settled([a for a in answers if a.row.benchmark in members], options.correction, *asked)
    outside, _ = settled([a for a in answers if a.row.benchmark not in members], "none", *asked)
    rows = {row.benchmark: row for row in (*together, *outside)}
    return tuple(rows[name] for name in names), family


def family_members(benchmarks: Sequence[str], options: Options) -> frozenset[str]:
    """The benchmarks whose p-values are corrected together."""
    planned = benchmarks if options.plan is None else options.plan.family
    return frozenset(name for name in benchmarks if name in planned)


def _expected_by_luck(answers: Sequence[Answer], alpha: float) -> float:
    """Rows that would light uncorrected if nothing had changed, each by its own null."""
    tested = [a.row for a in answers if a.row.test is not None and not math.isnan(a.row.test.pvalue)]
    return math.fsum(_null_probability(row, row.test, alpha) for row in tested if row.test is not None)


def _null_probability(row: Comparison, test: TestResult, alpha: float) -> float:
    """P(p ≤ α) if nothing had changed: of the discrete tests their own, given their counts; else α."""
    if test.method in ("mcnemar_exact", "mcnemar_mid_p"):
        discordant = int(test.extra["baseline_only"]) + int(test.extra["candidate_only"])
        return corrections.lit_by_luck([discordant], alpha, test.method)
    if test.method in ("z_pooled", "fisher"):
        sides = (row.baseline.estimate, row.candidate.estimate)
        passes = sum(round(side.point * side.n) for side in sides)
        return rejection_probability(passes, sides[0].n, sides[1].n, alpha)
    return alpha


def with_verdict(row: Comparison, reject: bool | None, guarantee: bool) -> Comparison:
    """The row with its direction, margin verdict and verdict, read from its own interval and `reject`."""
    exact = row.test.pvalue if guarantee and row.test is not None else None
    if row.margin is not None and row.difference.method == "wald":
        raise MethodError(
            "wald is not used against a margin: its test of non-inferiority errs in 22 % instead of 2.5 % "
            "of cases. Leave --method out."
        )
    said = verdict(
        row.difference,
        row.margin,
        higher_is_better=row.higher_is_better,
        reject=reject,
        exact_pvalue=exact,
    )
    return dataclasses.replace(
        row,
        direction=said.direction,
        margin_verdict=said.margin_verdict,
        verdict=said.verdict,
        above_zero=said.above_zero,
        below_zero=said.below_zero,
        inside_margin=said.inside_margin,
        above_minus_margin=said.above_minus_margin,
    )
