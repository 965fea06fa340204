"""The gate's rule: pass, fail or inconclusive, from a row's interval and from what stands in its way."""

from __future__ import annotations

import math
from collections.abc import Sequence

from evalstats.analyses.gate_result import Reason
from evalstats.envelope import Comparison
from evalstats.methods.margins import verdict
from evalstats.results import Estimate


def answer_of(difference: Estimate, direction: str, margin: float, *, higher_is_better: bool) -> str:
    """pass if the lower limit lies above −margin; else fail if it has regressed; else inconclusive.

    For a score of which less is better the interval is turned round first. Without an interval, inconclusive.

    >>> from evalstats.methods.paired import paired_proportions
    >>> answer_of(paired_proportions(40, 55, 500), "not_settled", 0.01, higher_is_better=True)
    'pass'
    """
    lower = difference.ci_low if higher_is_better else -difference.ci_high
    if lower > -margin:
        return "pass"
    return "fail" if direction == "regressed" else "inconclusive"


def judged(
    row: Comparison, fail_on: Sequence[str], frozen: Sequence[Reason]
) -> tuple[str, tuple[Reason, ...]]:
    """The answer of a row that carries a margin, and what it rests on, the deciding reason first.

    frozen : what differs from the plan. It, missing items that could change the answer, and a caveat named by
    fail_on make the answer inconclusive.
    """
    assert row.margin is not None
    answer = answer_of(row.difference, row.direction, row.margin, higher_is_better=row.higher_is_better)
    doubts = [*frozen, *_missing(row), *_caveats(row, fail_on)]
    own = _own_reason(row, answer)
    return ("inconclusive", (*doubts, own)) if doubts else (answer, (own,))


def watched_answer(row: Comparison, fail_on: Sequence[str]) -> tuple[str, tuple[Reason, ...]]:
    """A benchmark beside the macro average: it fails by a regression that survives the correction."""
    doubts = _caveats(row, fail_on)
    regressed = row.direction == "regressed"
    code = "regressed" if regressed else "no_regression"
    text = "regressed, also after correction" if regressed else "no regression survives the correction"
    own = Reason(code, f"{row.benchmark}: {text}")
    if doubts:
        return "inconclusive", (*doubts, own)
    return "fail" if regressed else "not_failed", (own,)


def _own_reason(row: Comparison, answer: str) -> Reason:
    if math.isnan(row.difference.ci_low):
        why = row.difference.extra.get("undefined", {}).get("ci_low", "the data do not determine it")
        return Reason("no_interval", f"{row.benchmark}: there is no interval ({why})")
    code, text = {
        "pass": ("not_worse", "not worse by more than the margin"),
        "fail": ("regressed", "regressed, and not shown to be so by less than the margin"),
        "inconclusive": ("not_shown", "neither shown to be within the margin nor to have regressed"),
    }[answer]
    return Reason(code, f"{row.benchmark}: {text}")


def _missing(row: Comparison) -> list[Reason]:
    """Unscored items, if filling them at worst and at best gives two answers."""
    unscored = _unscored(row)
    if row.missing is None:
        if unscored and row.design.paired and row.scale.low is None:
            text = (
                "a scale without ends: worst and best fillings are not known; give --bounds, or mend the run"
            )
            return [Reason("missing_items", f"{row.benchmark}: {unscored} items without a score on {text}")]
        return []
    worst, best = (_filled_answer(row, filled) for filled in (row.missing.worst, row.missing.best))
    if worst == best:
        return []
    text = f"{unscored} items without a score: {worst} with all against the candidate, {best} with all for it"
    return [Reason("missing_items", f"{row.benchmark}: {text}")]


def _unscored(row: Comparison) -> int:
    """Items of both runs that one did not score, counted in each; of a macro average all unscored."""
    if row.pairing is not None:
        return row.pairing.missing_in_baseline + row.pairing.missing_in_candidate
    return sum(side.n_missing + side.n_errored for side in (row.baseline, row.candidate))


def _filled_answer(row: Comparison, filled: Estimate) -> str:
    said = verdict(filled, row.margin, higher_is_better=row.higher_is_better)
    return answer_of(filled, said.direction, row.margin or 0.0, higher_is_better=row.higher_is_better)


def _caveats(row: Comparison, fail_on: Sequence[str]) -> list[Reason]:
    return [
        Reason("fail_on", f"{row.benchmark}: {c['code']}: {c['text']}")
        for c in row.caveats
        if c["code"] in fail_on
    ]
