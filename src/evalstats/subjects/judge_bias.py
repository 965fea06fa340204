"""What moves a judge beside quality: the answer's place, its length, whose answer it is.

A verdict is what an answer of a pair won: 1 the win, 0 the loss, ½ a tie.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalstats.errors import InputError
from evalstats.kernel.arrays import Codes, check_inside, check_labels, check_scores
from evalstats.methods.difference_tests import paired_test
from evalstats.methods.differences import item_difference
from evalstats.methods.items import ItemValues, Request
from evalstats.methods.means import item_mean_estimate
from evalstats.methods.pairs import PairedItems
from evalstats.results import Estimate, TestResult

Array = NDArray[np.float64]
_SCALE = (0.0, 1.0)


@dataclass(frozen=True)
class PositionBias:
    """Pairs judged in both orders.

    first_share : wins of the answer that was shown first, a half without bias. test : that the same answer
    wins as often when shown first as when shown second (McNemar; the paired t with ties). swap_flips : share
    of pairs whose verdict changes with the order. Counts of pairs: first_twice and second_twice won by the
    place in both orders, other_flips a tie in one order alone, kept the same verdict.
    """

    first_share: Estimate
    test: TestResult
    swap_flips: Estimate
    first_twice: int
    second_twice: int
    other_flips: int
    kept: int


@dataclass(frozen=True)
class Preference:
    """Wins of one kind of answer (the longer one, the judge's own family) over all pairs that have one.

    human, difference, test : people's verdicts on the same pairs, and judge − people; None without them.
    """

    share: Estimate
    human: Estimate | None = None
    difference: Estimate | None = None
    test: TestResult | None = None


def position_bias(forward: Any, swapped: Any, cluster: Any = None, *, level: float = 0.95) -> PositionBias:
    """Does the judge favour a place? From verdicts on the same pairs of answers in both orders.

    forward, swapped : (pairs,) what the answer shown first won (1, 0, or ½ for a tie), in one order and in
    the other. cluster : label of the question, where it has several pairs.
    The share of wins of the first place is ½ + D/2, D = candidate − baseline of the paired table "the same
    answer wins when shown first" against "when shown second". Its interval is D's, moved: Tango's where
    there are no ties.
    Raises InputError for verdicts that are none and lists of unequal length.
    Source: Zheng et al. 2023, arXiv:2306.05685, §3.3, for the swap; Tango 1998 for the interval.

    >>> found = position_bias([1, 1, 1, 0, 1, 1, 1, 0], [0, 1, 1, 1, 0, 1, 0, 0])
    >>> print(found.first_share)
    wins of the first place 62.5% [37.2, 81.9] 95% tango n=8
    >>> print(found.swap_flips)
    swap flips 50.0% [21.5, 78.5] 95% wilson n=8
    """
    first, second = _verdicts(forward, "forward"), _verdicts(swapped, "swapped")
    if len(first) != len(second):
        raise InputError(f"{len(first)} verdicts forward and {len(second)} swapped: give both of each pair.")
    codes = _codes(cluster, len(first))
    pair = _paired(1 - second, first, codes)
    difference = item_difference(pair, Request(level, name="wins of the first place"))
    flipped = first != 1 - second
    flips = _share(flipped.astype(np.float64), codes, Request(level, name="swap flips"))
    wins_twice = [int(np.count_nonzero((first == won) & (second == won))) for won in (1.0, 0.0)]
    return PositionBias(
        _as_share(difference),
        paired_test(pair, name="the same answer first against second"),
        flips,
        wins_twice[0],
        wins_twice[1],
        int(flipped.sum()) - sum(wins_twice),
        len(first) - int(flipped.sum()),
    )


def _as_share(difference: Estimate) -> Estimate:
    """½ + D/2, with limits, standard error and reasons of D."""
    of_a_pair = ("baseline_only", "candidate_only", "discordant_rate", "sd_diff")
    extra = {key: value for key, value in difference.extra.items() if key not in of_a_pair}
    extra |= {"bounds": [0.0, 1.0], "standard_error": difference.standard_error / 2}
    point, low, high = ((1 + end) / 2 for end in (difference.point, difference.ci_low, difference.ci_high))
    return dataclasses.replace(difference, point=point, ci_low=low, ci_high=high, extra=extra)


def length_bias(
    won: Any, longer_by: Any, human: Any = None, cluster: Any = None, *, level: float = 0.95
) -> Preference:
    """Does the judge favour length? The share of pairs that the longer answer wins, with its interval.

    won : (pairs,) what one answer of the pair won; longer_by : (pairs,) how much longer this answer is than
    the other (negative if shorter; pairs of equal length are left out). human : people's verdicts on the same
    answers, if there are: longer answers may be better, so the judge's share minus people's is the bias.
    Raises InputError for verdicts that are none, lists of unequal length, and without a pair of two lengths.
    Source: Dubois et al. 2024, arXiv:2404.04475, for the question.

    >>> print(length_bias([1, 1, 0, 1, 1, 0], [120, 40, -60, 10, -80, -5]).share)
    wins of the longer answer 83.3% [43.6, 97.0] 95% wilson n=6
    """
    verdicts, by = _verdicts(won, "won"), check_scores(longer_by, "longer_by")
    _same_length(verdicts, by, "longer_by")
    people = None if human is None else _verdicts(human, "human")
    if people is not None:
        _same_length(verdicts, people, "human")
    told = by != 0
    if not told.any():
        raise InputError("all pairs have answers of equal length: none is the longer one.")
    longer = [None if one is None else np.where(by > 0, one, 1 - one)[told] for one in (verdicts, people)]
    labels = None if cluster is None else check_labels(cluster, len(by), "cluster")[0][told]
    return preference(longer[0], longer[1], labels, level=level, name="wins of the longer answer")


def preference(
    won: Any, human: Any = None, cluster: Any = None, *, level: float = 0.95, name: str = "wins"
) -> Preference:
    """How often does one kind of answer win, and more often than people say? For the judge's own family.

    won : (pairs,) what the answer of that kind won; human : people's verdicts on the same pairs, or None.
    Raises InputError as `length_bias`.

    >>> found = preference([1, 1, 1, 0, 1, 1], [1, 0, 1, 0, 1, 0], name="wins of its own family")
    >>> print(found.difference)
    wins of its own family, judge − people 33.3% [-18.7, 70.0] 95% tango n=6
    """
    judge = _verdicts(won, "won")
    codes = _codes(cluster, len(judge))
    share = _share(judge, codes, Request(level, name=name))
    if human is None:
        return Preference(share)
    people = _verdicts(human, "human")
    _same_length(judge, people, "human")
    pair = _paired(people, judge, codes)
    request = Request(level, name=f"{name}, judge − people")
    return Preference(
        share,
        _share(people, codes, Request(level, name=f"{name}, people")),
        item_difference(pair, request),
        paired_test(pair, name=request.name),
    )


def _verdicts(values: Any, name: str) -> Array:
    verdicts = check_scores(values, name)
    check_inside(verdicts, _SCALE, name)
    return verdicts


def _same_length(verdicts: Array, other: Array, name: str) -> None:
    if len(verdicts) != len(other):
        raise InputError(f"{len(verdicts)} verdicts and {len(other)} of {name}: give one for each pair.")


def _codes(cluster: Any, n: int) -> Codes | None:
    return None if cluster is None else check_labels(cluster, n, "cluster")[0]


def _paired(baseline: Array, candidate: Array, codes: Codes | None) -> PairedItems:
    both = np.concatenate([baseline, candidate])
    return PairedItems(baseline, candidate, bool(np.isin(both, _SCALE).all()), _SCALE, codes)


def _share(values: Array, codes: Codes | None, request: Request) -> Estimate:
    whole = bool(np.isin(values, _SCALE).all())
    return item_mean_estimate(ItemValues(values, whole, _SCALE, codes), request)
