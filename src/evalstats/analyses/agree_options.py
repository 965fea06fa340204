"""What may be asked of `agree`: whose labels, which measure, which interval; checked once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from evalstats.analyses.options import Options, one_of, refuse_unknown
from evalstats.errors import InputError
from evalstats.subjects.agreement_estimates import SCALES
from evalstats.subjects.agreement_weights import POWERS

MEASURES = ("kappa", "agreement", "ac1", "ac2", "alpha", "fleiss")


class AgreeKeywords(TypedDict, total=False):
    """The keywords of `agree`; the fields of AgreeOptions say what each means."""

    judge: str | None
    human: str | Sequence[str]
    rater: str | None
    verdict: str | None
    measures: Sequence[str]
    weights: str | None
    scale: str
    categories: Sequence[Any] | None
    metric: str | None
    filter: str | None
    task: str | None
    id: str | None
    cluster: str | None
    latest: bool
    level: float
    method: str | None
    n_boot: int | None
    seed: int


@dataclass(frozen=True)
class AgreeOptions:
    """The options of one call.

    judge, human : columns of a table with one row an item; names in the column `rater` of a table with one
    row a label, whose labels stand in `verdict`; of a log, human is a metadata field with a person's label.
    measures : of MEASURES, the first leads. weights : linear, quadratic, for grades. scale : of alpha.
    categories : all labels that could have been given, in order. method, n_boot, seed : of the first
    measure's interval. run : the options by which logs are read.
    """

    judge: str | None
    human: tuple[str, ...]
    rater: str | None
    verdict: str | None
    measures: tuple[str, ...]
    weights: str | None
    scale: str
    categories: tuple[str, ...] | None
    method: str | None
    n_boot: int | None
    run: Options
    asked: dict[str, Any]

    @classmethod
    def of(cls, keywords: dict[str, Any]) -> AgreeOptions:
        """Raises InputError for an option that does not exist, and for a value that is none."""
        refuse_unknown(keywords, list(AgreeKeywords.__annotations__))
        given = {key: value for key, value in keywords.items() if value is not None}
        weights, scale = given.get("weights"), given.get("scale", "nominal")
        one_of("weights", weights, (None, *POWERS))
        one_of("scale", scale, SCALES)
        if weights is not None and scale != "nominal":
            raise InputError("weights are for kappa and ac2, scale for alpha: give one of them.")
        measures = tuple(_listed(given.get("measures", ())))
        for measure in measures:
            one_of("measure", measure, MEASURES)
        _refuse_unused(weights, scale, measures)
        reading = ("metric", "filter", "task", "id", "cluster", "latest", "level", "seed")
        categories = given.get("categories")
        return cls(
            judge=given.get("judge"),
            human=tuple(_listed(given.get("human", ()))),
            rater=given.get("rater"),
            verdict=given.get("verdict"),
            measures=measures,
            weights=weights,
            scale=scale,
            categories=None if categories is None else tuple(str(one) for one in _listed(categories)),
            method=given.get("method"),
            n_boot=given.get("n_boot"),
            run=Options.of({key: given[key] for key in reading if key in given}),
            asked={key: list(v) if isinstance(v, tuple) else v for key, v in given.items()},
        )

    def refuse(self, names: Sequence[str], why: str) -> None:
        """Raise InputError if one of these was given: an option that does nothing is never accepted."""
        given = [name for name in names if name in self.asked]
        if given:
            raise InputError(f"{' and '.join(given)}: {why}")

    def measures_for(self, raters: int) -> tuple[str, ...]:
        """As asked, else what the scale and the number of raters call for; the first leads."""
        if self.measures:
            return self.measures
        if self.scale != "nominal":
            return ("alpha", "agreement") if self.scale == "ordinal" else ("alpha",)
        if self.weights is not None:
            return ("kappa", "agreement", "ac2")
        return ("kappa", "agreement", "ac1") if raters == 2 else ("alpha", "agreement", "ac1")


def _refuse_unused(weights: str | None, scale: str, measures: tuple[str, ...]) -> None:
    """Raise InputError where no measure that was asked for takes the weights, or the scale."""
    if weights is not None and measures and not {"kappa", "ac2"} & set(measures):
        raise InputError(f"weights={weights!r}: for kappa and ac2, not for {', '.join(measures)}.")
    if scale != "nominal" and measures and "alpha" not in measures:
        raise InputError(f"scale={scale!r}: for alpha, not for {', '.join(measures)}.")


def _listed(value: Any) -> list[Any]:
    """One text, or several as "A,B", or a sequence."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return list(value)
