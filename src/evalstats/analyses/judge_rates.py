"""How often a judge passes right answers and fails wrong ones, and the pass rate corrected by these."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from evalstats.analyses.judge_labels import LabelledRun
from evalstats.errors import InputError, MethodError
from evalstats.kernel.check import check_count, check_part, check_rate
from evalstats.methods.items import Request
from evalstats.methods.rates import proportion
from evalstats.results import Estimate
from evalstats.subjects.judge_rates import ESTIMATED, Screening, corrected_rate

_COUNTS = re.compile(r"\s*(\d+)\s*/\s*(\d+)\s*")
_GRADES = "an error rate is of verdicts right or wrong, one completion an item"


@dataclass(frozen=True)
class Given:
    """A share that was given. n : answers it was seen in, None where it is known. k : of these, so judged."""

    share: float
    n: int | None = None
    k: int | None = None

    @classmethod
    def of(cls, value: Any, name: str) -> Given:
        """0.9 is known, 90/100 (text or a pair) was seen. Raises InputError for anything else."""
        counts = _COUNTS.fullmatch(value) if isinstance(value, str) else None
        pair = counts.groups() if counts else value
        if isinstance(pair, tuple | list) and len(pair) == 2:
            n = check_count(_whole(pair[1]), f"{name}'s n")
            if n == 0:
                raise InputError(f"{name}: 0 of 0 labelled answers tell no share. Give those it was seen in.")
            k = check_part(_whole(pair[0]), name, n)
            return cls(k / n, n, k)
        try:
            return cls(check_rate(float(value), name))
        except (TypeError, ValueError):
            raise InputError(
                f"{name}={value!r}: write a share such as 0.9 where it is known, or 90/100 where it was seen "
                "in 100 labelled answers."
            ) from None

    def estimate(self, name: str, level: float) -> Estimate:
        """With Wilson's interval where it was seen."""
        if self.n is not None and self.k is not None:
            return proportion(self.k, self.n, level=level, name=name)
        known = dict.fromkeys(("ci_low", "ci_high", "standard_error"), "taken as known")
        extra = {"undefined": known, "unit": "fraction", "standard_error": math.nan, "caveats": []}
        return Estimate(name, self.share, math.nan, math.nan, level, "known", 0, extra=extra)


def _whole(text: Any) -> Any:
    return int(text) if isinstance(text, str) else text


def error_rates(found: LabelledRun, level: float) -> tuple[Estimate | None, Estimate | None]:
    """Sensitivity and specificity with Wilson's intervals; None where there is none to see it in."""
    if not found.right_or_wrong:
        return None, None
    rates = []
    for name, label in (("sensitivity", 1.0), ("specificity", 0.0)):
        of_these = found.judge[found.labels == label]
        as_labelled = int(np.count_nonzero(of_these == label))
        rates.append(
            proportion(as_labelled, len(of_these), level=level, name=name) if len(of_these) else None
        )
    return rates[0], rates[1]


def of_error_rates(found: LabelledRun, method: str | None, asked: Request) -> Estimate | None:
    """Rogan–Gladen of the items without a label, by the error rates of those with one; None for grades.

    Where it has no number the reason stands in its place. Raises MethodError if it was asked for by name.
    """
    if not found.right_or_wrong:
        if method is not None:
            raise MethodError(f"{method}: {_GRADES}. Leave method out for PPI++, which takes grades.")
        return None
    named = Request(asked.level, method, name=asked.name)
    right, wrong = (int(np.count_nonzero(found.labels == label)) for label in (1.0, 0.0))
    chosen = method or ESTIMATED.default.name
    if not right or not wrong:
        kind = "right" if not right else "wrong"
        return nothing(
            asked, chosen, f"no labelled answer is {kind}: how the judge errs on such is not known"
        )
    if not len(found.rest):
        return nothing(asked, chosen, "every judged item has a label: there is nothing to correct")
    sensitivity = float(np.mean(found.judge[found.labels == 1]))
    specificity = 1 - float(np.mean(found.judge[found.labels == 0]))
    apparent = float(np.mean(found.run.items.y[found.rest]))
    seen = Screening(apparent, len(found.rest), sensitivity, specificity, right, wrong)
    try:
        return corrected_rate(seen, named)
    except MethodError as reason:
        if method is not None:
            raise
        return nothing(asked, chosen, str(reason).rstrip("."))


def nothing(asked: Request, method: str, reason: str) -> Estimate:
    """An answer that there is not, with its reason."""
    undefined = dict.fromkeys(("point", "ci_low", "ci_high", "standard_error"), reason)
    extra = {"undefined": undefined, "unit": "fraction", "standard_error": math.nan, "caveats": []}
    return Estimate(asked.name, math.nan, math.nan, math.nan, asked.level, method, 0, extra=extra)
