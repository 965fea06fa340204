"""What `agree` returns, and its JSON. Frozen; nothing here computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evalstats._version import __version__
from evalstats.envelope import Provenance
from evalstats.errors import InputError
from evalstats.results import Estimate, TestResult, display, plain


@dataclass(frozen=True, kw_only=True)
class AgreeRow:
    """One measure of some raters. measure : kappa, agreement, ac1, ac2, alpha or fleiss.

    kind : judge_human, humans, or raters where nobody is the judge. words : what Landis and Koch call a
    kappa, and its two limits; empty for other measures.
    """

    measure: str
    kind: str
    raters: tuple[str, ...]
    estimate: Estimate
    words: tuple[str, ...] = ()

    @property
    def caveats(self) -> tuple[dict[str, str], ...]:
        return tuple(self.estimate.extra.get("caveats", ()))


@dataclass(frozen=True, kw_only=True)
class AgreeClass:
    """One class. recall : of the n_human items that the human puts there, the judge does too.

    precision : of the n_judge items that the judge puts there, the human does too.
    """

    category: str
    n_human: int
    n_judge: int
    n_both: int
    recall: Estimate
    precision: Estimate


@dataclass(frozen=True, kw_only=True)
class AgreeMatrix:
    """rows : whose labels they are, the human or the majority of humans; columns : the judge.

    counts : one row a category of `rows`. n_tied : items without a commonest label among humans, left out.
    """

    rows: str
    columns: str
    categories: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    classes: tuple[AgreeClass, ...]
    n_tied: int = 0


@dataclass(frozen=True, kw_only=True)
class AgreeCeiling:
    """The judge's mean agreement with humans, that of humans with each other, on the n items all labelled.

    difference : judge − humans, tested over items by the jackknife.
    """

    measure: str
    n: int
    judge: Estimate
    humans: Estimate
    difference: Estimate
    test: TestResult


@dataclass(frozen=True, kw_only=True)
class AgreeRater:
    """One rater and how many items it labelled."""

    name: str
    role: str
    n_labelled: int


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """What `agree` returns. rows : measures of each pair or of all raters; the first leads.

    key : how labels were put together: row, id, content hash ... cluster : what was drawn, where it is not
    the item. no_ceiling : why there is none. n_blank : rows of a file of labels that nobody labelled.
    not_checked : what the labels' source does not tell.
    """

    where: str
    key: str
    cluster: str | None
    raters: tuple[AgreeRater, ...]
    categories: tuple[str, ...]
    scale: str
    weights: str | None
    n_items: int
    n_blank: int
    rows: tuple[AgreeRow, ...]
    ceiling: AgreeCeiling | None
    no_ceiling: str
    matrix: AgreeMatrix | None
    signature: str
    provenance: Provenance
    not_checked: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def estimate(self) -> Estimate:
        """The one that leads."""
        return self.rows[0].estimate

    @property
    def primary(self) -> tuple[AgreeRow, ...]:
        """All that carries caveats."""
        return self.rows

    def __getitem__(self, measure: str) -> AgreeRow:
        """The first row of a measure. Raises InputError that lists what there is."""
        for row in self.rows:
            if row.measure == measure:
                return row
        there = ", ".join(dict.fromkeys(row.measure for row in self.rows))
        raise InputError(f"no {measure!r} here; there are: {there}.")

    def table(self) -> list[dict[str, Any]]:
        """One flat dict a row, for any frame library."""
        return [
            {
                "measure": row.measure,
                "kind": row.kind,
                "raters": " – ".join(row.raters),
                **{
                    name: plain(getattr(row.estimate, name))
                    for name in ("point", "ci_low", "ci_high", "standard_error", "n", "method")
                },
            }
            for row in self.rows
        ]

    def __str__(self) -> str:
        return str(display("agree_text:agreement_text", self))

    def _repr_html_(self) -> str:
        return str(display("planning_notebook:agreement_html", self))

    def to_dict(self) -> dict[str, Any]:
        """The JSON: what is not known is None."""
        return {
            "schema": "evalstats/agree/1",
            "version": __version__,
            **{name: plain(getattr(self, name)) for name in self.__dataclass_fields__},
        }
