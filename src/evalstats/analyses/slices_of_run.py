"""The slices of one run: each one's score, and the slice against the rest."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalstats.analyses.compare_unpaired import compared_apart
from evalstats.analyses.family import Answer
from evalstats.analyses.options import Options
from evalstats.analyses.score import RunItems, items_on_scale, run_items, score_row
from evalstats.analyses.sides import Positions, lower_is_better
from evalstats.analyses.slice_family import Draft, named_after, too_small
from evalstats.analyses.slice_fields import Cut, values_of_run
from evalstats.analyses.slices_result import Slice
from evalstats.analyses.two_runs import TwoRuns
from evalstats.caveats import caveat
from evalstats.data.selection import Question
from evalstats.data.slicing import cut, cut_metric, groups, own_values, places
from evalstats.envelope import Score
from evalstats.errors import MethodError, NoGuaranteeError

REST = "the rest"
_OTHER_QUESTIONS = "a test against the rest is about questions like these, view=fixed_items about these"


@dataclass(frozen=True)
class Part:
    """A run on some items of a question. at : their positions in the whole log."""

    question: Question
    run: RunItems
    at: Positions

    @property
    def n(self) -> int:
        return len(self.run.at)


def slices_of_run(
    question: Question, cuts: tuple[Cut, ...], label: str, options: Options
) -> tuple[Slice, list[Draft]]:
    """All items of a question together, and its slices by every cut whose fields its log has."""
    run = run_items(question, options)
    whole = Slice(
        benchmark=question.benchmark,
        metric=question.metric,
        field="",
        value=None,
        n_items=len(run.at),
        status="whole",
        score=score_row(question, run, label, options),
    )
    everything = Part(question, run, np.arange(len(question.baseline.items)))
    return whole, [draft for by in cuts for draft in _drafts(by, everything, label, options)]


def _drafts(by: Cut, whole: Part, label: str, options: Options) -> list[Draft]:
    values = values_of_run(whole.question.baseline, by)
    if values is None:
        return []
    labelled = np.array([value is not None for value in values], dtype=bool)
    found = []
    for value, at in groups(values).items():
        others = labelled & (value is not None)
        others[at] = False
        found.append(_draft(whole, (by, value), (at, np.flatnonzero(others)), label, options))
    return found


def _part(whole: Part, at: Positions, options: Options) -> Part:
    """The run on these items alone, on the scale of all of them."""
    part = cut(whole.question.baseline, at)
    metric = cut_metric(whole.run.metric, places(len(whole.at), at))
    scale = (whole.run.scale, whole.run.values.scale_assumed)
    question = dataclasses.replace(whole.question, baseline=part, candidate=part)
    return Part(question, items_on_scale(part, metric, scale, options), at)


def _draft(
    whole: Part,
    named: tuple[Cut, str | None],
    at: tuple[Positions, Positions],
    label: str,
    options: Options,
) -> Draft:
    """named : the cut and the slice's value. at : positions of the slice's items, and of the rest."""
    by, value = named
    part = _part(whole, at[0], options)
    status, why = _status(value, part.n, whole.run.items.scored[at[1]], options)
    if status == "tested" and by.split is not None and value == by.split.before:
        status = "other_side"
    score, unscored = _score(part, label, options)
    answer: Answer | None = None
    if status == "tested" and not unscored:
        rest = REST if by.split is None else by.split.before
        answer, unscored = _against_rest(part, _part(whole, at[1], options), (rest, value or ""), options)
    if unscored:
        status, why = "no_answer", unscored
    one = Slice(
        benchmark=part.question.benchmark,
        metric=part.question.metric,
        field=by.name,
        value=value,
        n_items=part.n,
        status=status,
        why=why,
        score=score,
    )
    if score is not None:
        one = dataclasses.replace(one, score=dataclasses.replace(score, slice=one.slice))
    return Draft(one, None if answer is None else named_after(answer, one.slice))


def _status(value: str | None, n_items: int, rest: NDArray[np.bool_], options: Options) -> tuple[str, str]:
    """Whether a slice is tested, and why not. rest : (items,) whether each of the others was scored."""
    if value is None:
        return "no_value", ""
    if too_small(n_items):
        return "too_small", too_small(n_items)
    if len(rest) == 0:
        return "no_rest", "there is no other slice"
    n_rest = int(rest.sum())
    if too_small(n_rest):
        return "rest_too_small", f"of the rest, {too_small(n_rest)}"
    if options.view == "fixed_items":
        return "no_answer", _OTHER_QUESTIONS
    return "tested", ""


def _score(part: Part, label: str, options: Options) -> tuple[Score | None, str]:
    """The slice's own score, or why it has none: its items are in one cluster, its method is not honest."""
    if part.n == 0:
        return None, ""
    try:
        return score_row(part.question, part.run, label, options), ""
    except NoGuaranteeError:
        raise
    except MethodError as error:
        return None, str(error)


def _against_rest(
    part: Part, rest: Part, labels: tuple[str, str], options: Options
) -> tuple[Answer | None, str]:
    """The slice in the place of the candidate, the rest in that of the baseline; or why there is none.

    labels : of the rest and of the slice. --method is the score's: the difference has its data's default.
    """
    asked = dataclasses.replace(options, method=None, n_boot=None, margin=None)
    question = dataclasses.replace(part.question, baseline=rest.question.baseline)
    runs = TwoRuns(
        question=question,
        scale=part.run.scale,
        assumed=part.run.values.scale_assumed,
        metrics=(rest.run.metric, part.run.metric),
        items=(rest.run.items, part.run.items),
        lower_is_better=lower_is_better(part.run.metric, options),
        same_source=True,
    )
    try:
        answer = compared_apart(runs, labels, asked)
    except NoGuaranteeError:
        raise
    except MethodError as error:
        return None, str(error)
    shared = _shared_clusters(part, rest)
    if not shared:
        return answer, ""
    text = (
        f"{shared} clusters have items in this slice and in others, which the test takes for independent: "
        f"it errs on the safe side where the items of a cluster are alike"
    )
    caveats = (*answer.row.caveats, caveat("clusters_in_several_slices", text))
    return dataclasses.replace(answer, row=dataclasses.replace(answer.row, caveats=caveats)), ""


def _shared_clusters(part: Part, rest: Part) -> int:
    """How many clusters have scored items in both."""
    if part.run.named is None:
        return 0
    here, there = (set(_clusters(one, part.run.named[0])) for one in (part, rest))
    return len(here & there)


def _clusters(part: Part, field: str) -> list[str | None]:
    values = own_values(part.question.baseline, field) or []
    return [values[at] for at in part.run.at.tolist()]
