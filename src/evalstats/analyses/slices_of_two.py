"""The slices of two runs: candidate against baseline on the items of each."""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass

import numpy as np

from evalstats.analyses.compare import compared_question
from evalstats.analyses.family import Answer, with_verdict
from evalstats.analyses.options import Options
from evalstats.analyses.sides import Positions
from evalstats.analyses.slice_family import Draft, named_after, too_small
from evalstats.analyses.slice_fields import Cut, values_of_two
from evalstats.analyses.slices_result import LEAST_ITEMS, Slice
from evalstats.analyses.two_runs import TwoRuns
from evalstats.data.items import item_scores
from evalstats.data.pairing import Matched, match
from evalstats.data.slicing import Values, cut, cut_metric, groups, in_order, places
from evalstats.envelope import Comparison
from evalstats.errors import MethodError, NoGuaranteeError

_NOWHERE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class TwoParts:
    """Two runs on the items of one slice, not compared yet. at : their positions in each log.

    n : items that both scored; unpaired, that the run with fewer scored.
    """

    runs: TwoRuns
    field: str
    value: str | None
    at: tuple[Positions, Positions]
    n: int

    @property
    def tested(self) -> bool:
        return self.value is not None and self.n >= LEAST_ITEMS


def whole_of_two(runs: TwoRuns, labels: tuple[str, str], options: Options) -> Slice:
    """All items of a question together, alone."""
    answer = compared_question(runs, labels, options, in_family=False)
    row = with_verdict(answer.row, None, options.guarantee)
    return _slice(row.benchmark, row.metric, ("", None), row.difference.n, "whole", "", row)


def parts_of_two(runs: TwoRuns, cuts: tuple[Cut, ...], options: Options) -> list[TwoParts]:
    """The slices of all items by every cut whose fields either log has.

    Raises InputError for an item with two values.
    """
    matched = match(*runs.parts, options.id, same_source=runs.same_source) if options.paired else None
    return [part for by in cuts for part in _parts(runs, matched, by)]


def _parts(runs: TwoRuns, matched: Matched | None, by: Cut) -> list[TwoParts]:
    values = values_of_two(runs.parts, matched, by)
    if values is None:
        return []
    counts = _scored(runs, matched, values)
    old, new = (groups(own) for own in values)
    return [
        TwoParts(runs, by.name, value, (old.get(value, _NOWHERE), new.get(value, _NOWHERE)), counts[value])
        for value in in_order([*old, *new])
    ]


def _scored(runs: TwoRuns, matched: Matched | None, values: tuple[Values, Values]) -> Counter[str | None]:
    """Items of each slice that both runs scored; without pairing, that the one with fewer scored."""
    scored = [items.scored for items in runs.items]
    if matched is None:
        one, two = (
            Counter(value for value, known in zip(own, mask, strict=True) if known)
            for own, mask in zip(values, scored, strict=True)
        )
        return one & two
    both = matched.baseline[scored[0][matched.baseline] & scored[1][matched.candidate]]
    return Counter(values[0][at] for at in both.tolist())


def draft_of_two(parts: TwoParts, labels: tuple[str, str], options: Options, *, in_family: bool) -> Draft:
    """One slice with the comparison of its items, as `compare` would make it of logs cut to them."""
    status, why = _status(parts, options)
    named = (parts.field, parts.value)
    answer: Answer | None = None
    if parts.n:
        try:
            answer = compared_question(_cut(parts.runs, parts.at), labels, options, in_family=in_family)
        except NoGuaranteeError:
            raise
        except MethodError as error:
            status, why = "no_answer", str(error)
    question = parts.runs.question
    one = _slice(question.benchmark, question.metric, named, parts.n, status, why)
    return Draft(one, None if answer is None else named_after(answer, one.slice))


def _status(parts: TwoParts, options: Options) -> tuple[str, str]:
    """Whether a slice is tested, and why not."""
    if parts.value is None:
        return "no_value", ""
    small = too_small(parts.n, " in both runs" if options.paired else " in each run")
    return ("too_small", small) if small else ("tested", "")


def _cut(runs: TwoRuns, at: tuple[Positions, Positions]) -> TwoRuns:
    """Both runs on these items alone, on the scale of all."""
    old, new = (cut(part, own) for part, own in zip(runs.parts, at, strict=True))
    metrics = tuple(
        cut_metric(metric, places(len(part.items), own))
        for metric, part, own in zip(runs.metrics, runs.parts, at, strict=True)
    )
    return dataclasses.replace(
        runs,
        question=dataclasses.replace(runs.question, baseline=old, candidate=new),
        metrics=(metrics[0], metrics[1]),
        items=(item_scores(metrics[0], len(old.items)), item_scores(metrics[1], len(new.items))),
    )


def _slice(
    benchmark: str,
    metric: str,
    named: tuple[str, str | None],
    n_items: int,
    status: str,
    why: str,
    comparison: Comparison | None = None,
) -> Slice:
    """named : field and value."""
    return Slice(
        benchmark=benchmark,
        metric=metric,
        field=named[0],
        value=named[1],
        n_items=n_items,
        status=status,
        why=why,
        comparison=comparison,
    )
