"""`judge_bias`, a form of the verb judge: what moves a judge of pairs beside quality."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evalstats._version import __version__
from evalstats.analyses.judge_checks_result import BiasFigure, JudgeBias
from evalstats.analyses.judge_pairs import (
    ANSWERS,
    FAMILIES,
    HUMAN,
    JUDGE_FAMILY,
    LENGTHS,
    JudgedPair,
    Pairs,
    read_pairs,
)
from evalstats.envelope import Provenance
from evalstats.kernel.check import check_level
from evalstats.results import Estimate
from evalstats.sources import argument_of, table_inputs
from evalstats.subjects.judge_bias import Preference, length_bias, position_bias, preference

_ONE_ORDER = "no pair was judged in both orders: judge each pair again with the answers exchanged"
_NO_LENGTH = f"no lengths: give the columns {' and '.join(LENGTHS)}, or {' and '.join(ANSWERS)}"
_EQUAL_LENGTH = "no pair has answers of two lengths"
_NO_FAMILY = f"no families: give the columns {JUDGE_FAMILY}, {' and '.join(FAMILIES)}"
_NO_OWN = "no pair has one answer of the judge's family and one of another"


def judge_bias(verdicts: Any, *, level: float = 0.95) -> JudgeBias:
    """Does the judge favour a place, length, or its own family? From its verdicts on pairs of answers.

    verdicts : a file, a frame or a list of dicts with id, first and second (which model was shown where) and
    winner (first, second, tie, or a name). Pairs in both orders tell position bias and swap flips; columns
    first_length and second_length (or first_answer and second_answer) length bias; judge_family, first_family
    and second_family self-preference; human (people's winner) what people say of the same pairs: longer or
    own answers may be better. What has no figure is in `.unknown` with its reason.
    Raises InputError for a table that is none of verdicts.

    >>> rows = [
    ...     {"id": i, "first": a, "second": b, "winner": "first" if i % 4 else "second"}
    ...     for i in range(40)
    ...     for a, b in (("m1", "m2"), ("m2", "m1"))
    ... ]
    >>> print(judge_bias(rows)["position"].share)
    wins of the first place 75.0% [59.8, 85.8] 95% tango n=40
    """
    level = check_level(level)
    found = read_pairs(verdicts)
    pairs = found.pairs
    figures: list[BiasFigure] = []
    unknown: dict[str, str] = {}
    both = [pair for pair in pairs if pair.forward is not None and pair.swapped is not None]
    twice: tuple[int | None, int | None] = (None, None)
    if both:
        place = position_bias(
            [pair.forward for pair in both], [pair.swapped for pair in both], _clusters(both), level=level
        )
        twice = (place.first_twice, place.second_twice)
        figures += [
            BiasFigure(kind="position", share=place.first_share, test=place.test),
            BiasFigure(kind="swap_flips", share=place.swap_flips),
        ]
    else:
        unknown |= dict.fromkeys(("position", "swap_flips"), _ONE_ORDER)
    for kind, kept, reason in (_of_length(pairs), _of_family(pairs)):
        if reason:
            unknown[kind] = reason
        else:
            figures.append(_figure(kind, kept, level))
    return _result(found, len(both), twice, figures, unknown, level)


def _without_length(found: Pairs) -> tuple[str, ...]:
    """A note on pairs that length bias leaves out; none where no pair has lengths, which is said there."""
    absent = sum(pair.longer_by is None for pair in found.pairs)
    if absent in (0, len(found.pairs)):
        return ()
    return (f"{absent} of {len(found.pairs)} pairs lack a length: left out of the longer answer's wins",)


def _clusters(pairs: Sequence[JudgedPair]) -> list[str] | None:
    """The questions, where one has several pairs."""
    ids = [pair.id for pair in pairs]
    return ids if len(set(ids)) < len(ids) else None


def _of_length(pairs: Sequence[JudgedPair]) -> tuple[str, list[JudgedPair], str]:
    known = [pair for pair in pairs if pair.longer_by is not None]
    told = [pair for pair in known if pair.longer_by]
    return "length", told, "" if told else _EQUAL_LENGTH if known else _NO_LENGTH


def _of_family(pairs: Sequence[JudgedPair]) -> tuple[str, list[JudgedPair], str]:
    known = [pair for pair in pairs if pair.own is not None]
    told = [pair for pair in known if pair.own]
    return "self_preference", told, "" if told else _NO_OWN if known else _NO_FAMILY


def _figure(kind: str, pairs: list[JudgedPair], level: float) -> BiasFigure:
    """Against people on the pairs that they judged too, if there are any."""
    compared = [pair for pair in pairs if pair.human is not None]
    whole = _preference(kind, pairs, level, people=False)
    if not compared:
        return BiasFigure(kind=kind, share=whole.share)
    beside = _preference(kind, compared, level, people=True)
    return BiasFigure(
        kind=kind, share=whole.share, human=beside.human, difference=beside.difference, test=beside.test
    )


def _preference(kind: str, pairs: list[JudgedPair], level: float, *, people: bool) -> Preference:
    won, clusters = [pair.won for pair in pairs], _clusters(pairs)
    human = [pair.human for pair in pairs] if people else None
    if kind == "length":
        return length_bias(won, [pair.longer_by for pair in pairs], human, clusters, level=level)
    own = [_as_own(pair, pair.won) for pair in pairs]
    judged = None if human is None else [_as_own(pair, pair.human or 0.0) for pair in pairs]
    return preference(own, judged, clusters, level=level, name="wins of its own family")


def _as_own(pair: JudgedPair, won: float) -> float:
    """What the answer of the judge's family won."""
    return won if pair.own == 1 else 1 - won


def _result(
    found: Pairs,
    n_swapped: int,
    twice: tuple[int | None, int | None],
    figures: list[BiasFigure],
    unknown: dict[str, str],
    level: float,
) -> JudgeBias:
    inputs = table_inputs(found.table, "verdicts")
    options = {} if level == 0.95 else {"level": level}
    said = {(one["code"], one["text"]): one for figure in figures for one in _said(figure)}
    methods = "+".join(dict.fromkeys(figure.share.method for figure in figures)) or "none"
    clustered = _clusters(found.pairs) is not None
    alone = () if HUMAN in found.has else ("no column human: judge and people are not compared",)
    return JudgeBias(
        n_pairs=len(found.pairs),
        n_swapped=n_swapped,
        n_unscored=found.n_unscored,
        first_twice=twice[0],
        second_twice=twice[1],
        cluster="id" if clustered else None,
        figures=tuple(figures),
        unknown=unknown,
        caveats=tuple(said.values()),
        signature=f"judge_bias|{methods}|n:{len(found.pairs)}|level:{level:g}|v:{__version__}",
        provenance=Provenance("judge_bias", (argument_of(found.table),), inputs, options, None),
        notes=(*alone, *_without_length(found)),
    )


def _said(figure: BiasFigure) -> list[dict[str, str]]:
    estimates: list[Estimate | None] = [figure.share, figure.difference]
    return [one for estimate in estimates if estimate is not None for one in estimate.extra["caveats"]]
