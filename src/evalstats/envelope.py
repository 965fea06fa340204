"""What `compare` and `score` return, and the JSON of it. Frozen rows; nothing here computes.

`docs/schema/` is generated from these classes. Adding a key keeps the schema's number, renaming or
removing one raises it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload

from evalstats._version import __version__
from evalstats.errors import InputError
from evalstats.results import Displayed, Estimate, TestResult, display, plain


@dataclass(frozen=True)
class Scale:
    """kind : pass_fail, bounded or unbounded. low, high : ends of the scale, None if unbounded."""

    kind: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class ClusterCandidate:
    """A field that may group the items. ratio : error bar by it over the error bar as printed."""

    field: str
    n_clusters: int
    mean_size: float
    ratio: float


@dataclass(frozen=True)
class Design:
    """unit : item, or the cluster field. cluster_source : option, harness or none. completions : per item."""

    unit: str
    cluster_source: str
    paired: bool
    n_items: int
    n_units: int
    completions: float
    cluster_candidates: tuple[ClusterCandidate, ...] = ()


@dataclass(frozen=True)
class Side:
    """One run's part of a row. n_total = n_scored + n_missing + n_errored, of items."""

    label: str
    model: str
    n_total: int
    n_scored: int
    n_missing: int
    n_errored: int
    estimate: Estimate


@dataclass(frozen=True)
class Check:
    """One line of the join report. status : ok, note or problem."""

    name: str
    status: str
    text: str


@dataclass(frozen=True)
class ConfigChange:
    setting: str
    baseline: str
    candidate: str


@dataclass(frozen=True)
class Pairing:
    """How two runs were put side by side. Counts are of items.

    baseline_only, candidate_only, both_right, both_wrong : pass/fail with one completion an item;
    candidate_higher, baseline_higher, tied : otherwise. None where the other three or four stand.
    """

    key: str
    n_common: int
    only_in_baseline: int
    only_in_candidate: int
    missing_in_baseline: int
    missing_in_candidate: int
    duplicates: int
    baseline_only: int | None = None
    candidate_only: int | None = None
    both_right: int | None = None
    both_wrong: int | None = None
    baseline_higher: int | None = None
    candidate_higher: int | None = None
    tied: int | None = None
    n_clusters: int | None = None
    changed_config: tuple[ConfigChange, ...] = ()
    checks: tuple[Check, ...] = ()


@dataclass(frozen=True)
class MissingBounds:
    """The difference if every unscored item that both runs list went against, or for, the candidate.

    rates_pvalue : of the test that the two runs fail to be scored equally often; nan if neither does.
    """

    worst: Estimate
    best: Estimate
    worst_verdict: str
    best_verdict: str
    rates_pvalue: float


@dataclass(frozen=True)
class Needed:
    """Items needed for a stated effect at 80 % power. source : effect or margin. n : None if out of reach."""

    effect: float
    source: str
    n: int | None


@dataclass(frozen=True)
class Tried:
    """This candidate is the best of n. pvalue : one-sided, of looking this good or better by luck alone.

    chance : 1 − (1 − pvalue)^n, at most about, that the best of n looks so good if all equal the baseline.
    """

    n: int
    pvalue: float
    chance: float


@dataclass(frozen=True)
class Texts:
    """What an item asked, what was wanted and what each run answered, cut where long; "" for none."""

    prompt: str
    target: str
    baseline: str
    candidate: str


@dataclass(frozen=True)
class Change:
    """An item (and completion, if several) on which the two runs differ. texts : if they were asked for."""

    item: str
    epoch: int | None
    baseline: float
    candidate: float
    texts: Texts | None = None


@dataclass(frozen=True, kw_only=True)
class Comparison(Displayed):
    """One question put to two runs. difference = candidate − baseline, never flipped for lower-is-better.

    adjusted, reject : in a family. adjusted_difference : the interval at the family's own level.
    direction : improved, regressed or not_settled. verdict : direction and margin_verdict together.
    mde : smallest true difference these data would show with 80 % power; mde_note : its assumption.
    """

    benchmark: str
    metric: str
    primary: bool = True
    slice: str | None = None
    scale: Scale
    design: Design
    baseline: Side
    candidate: Side
    difference: Estimate
    test: TestResult | None = None
    adjusted: float | None = None
    reject: bool | None = None
    adjusted_difference: Estimate | None = None
    margin: float | None = None
    higher_is_better: bool = True
    direction: str = "not_settled"
    margin_verdict: str | None = None
    verdict: str = "not_settled"
    above_zero: bool = False
    below_zero: bool = False
    inside_margin: bool | None = None
    above_minus_margin: bool | None = None
    mde: float = math.nan
    mde_note: str = ""
    needed: Needed | None = None
    tried: Tried | None = None
    pairing: Pairing | None = None
    missing: MissingBounds | None = None
    caveats: tuple[dict[str, str], ...] = ()
    not_checked: tuple[str, ...] = ()
    changed: tuple[Change, ...] = ()
    signature: str

    def to_dict(self) -> dict[str, Any]:
        return dict(plain(self))

    def __str__(self) -> str:
        return str(display("text:row_text", self))


@dataclass(frozen=True)
class Score(Displayed):
    """One question put to one run. missing_bounds : the score if all unscored items were wrong, and right."""

    benchmark: str
    metric: str
    primary: bool
    slice: str | None
    scale: Scale
    design: Design
    run: Side
    missing_bounds: tuple[float, float] | None
    caveats: tuple[dict[str, str], ...]
    not_checked: tuple[str, ...]
    signature: str

    def to_dict(self) -> dict[str, Any]:
        return dict(plain(self))

    def __str__(self) -> str:
        return str(display("text:row_text", self))


@dataclass(frozen=True)
class Family:
    """The tests corrected together. m : p-values that count. undefined : rows without one.

    expected_by_luck : rows expected to light (uncorrected) if nothing had changed.
    """

    method: str
    alpha: float
    m: int
    undefined: int
    expected_by_luck: float


@dataclass(frozen=True)
class Input:
    """One file or frame behind a run. sha256 : None for what is no file."""

    role: str
    label: str
    path: str
    sha256: str | None
    format: str
    model: str


@dataclass(frozen=True)
class Provenance:
    """All it takes to make the numbers again: call, runs as named, inputs by hash, options, seed."""

    call: str
    runs: tuple[str, ...]
    inputs: tuple[Input, ...]
    options: dict[str, Any]
    seed: int | None


R = TypeVar("R", Comparison, Score)


@dataclass(frozen=True)
class _Rows(Displayed, Sequence[R], Generic[R]):
    """A sequence of the primary rows. secondary : other metrics of the same logs. notes : said once."""

    primary: tuple[R, ...]
    secondary: tuple[R, ...]
    provenance: Provenance
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.primary)

    def __iter__(self) -> Iterator[R]:
        return iter(self.primary)

    @overload
    def __getitem__(self, key: int | str) -> R: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[R]: ...
    def __getitem__(self, key: int | str | slice) -> R | Sequence[R]:
        """By position, or by benchmark name (the primary metric's row)."""
        if not isinstance(key, str):
            return self.primary[key]
        for row in self.primary:
            if row.benchmark == key:
                return row
        raise InputError(f"no benchmark {key!r} here; there are: {self._names()}.")

    @property
    def only(self) -> R:
        """The single row. Raises InputError that lists what there is when there are several."""
        if len(self.primary) != 1:
            raise InputError(f"{len(self.primary)} rows, not one: choose from {self._names()}.")
        return self.primary[0]

    def _names(self) -> str:
        return ", ".join(repr(row.benchmark) for row in self.primary)

    def __str__(self) -> str:
        """The text that the command prints, at 80 columns."""
        return str(display("text:result_text", self))


@dataclass(frozen=True)
class Comparisons(_Rows[Comparison]):
    """What `compare` returns: a sequence of Comparison, also when there is one.

    `.only` is the single row, `["gsm8k"]` a benchmark's, `.rows()` flat dicts for any frame library,
    `.changed()` the items that flipped, `.to_dict()` the JSON.
    """

    family: Family | None = None

    def to_dict(self) -> dict[str, Any]:
        return _envelope(
            "compare",
            self.provenance,
            self.notes,
            family=plain(self.family),
            comparisons=[row.to_dict() for row in (*self.primary, *self.secondary)],
        )

    def rows(self) -> list[dict[str, Any]]:
        """One flat dict a primary row, in fixed columns; what is not known is None."""
        return [_flat_comparison(row) for row in self.primary]

    def changed(self) -> list[dict[str, Any]]:
        """The items on which the runs differ: benchmark, item, epoch, baseline, candidate."""
        return [
            {"benchmark": row.benchmark, **plain(change)} for row in self.primary for change in row.changed
        ]


@dataclass(frozen=True)
class Scorecard(_Rows[Score]):
    """What `score` returns: a sequence of Score, also when there is one."""

    def to_dict(self) -> dict[str, Any]:
        rows = [row.to_dict() for row in (*self.primary, *self.secondary)]
        return _envelope("score", self.provenance, self.notes, scores=rows)

    def rows(self) -> list[dict[str, Any]]:
        """One flat dict a primary row, in fixed columns; what is not known is None."""
        return [_flat_score(row) for row in self.primary]


def _envelope(verb: str, provenance: Provenance, notes: tuple[str, ...], **body: Any) -> dict[str, Any]:
    return {
        "schema": f"evalstats/{verb}/1",
        "version": __version__,
        "provenance": plain(provenance),
        "notes": list(notes),
        **body,
    }


def _flat_comparison(row: Comparison) -> dict[str, Any]:
    flat = {
        "benchmark": row.benchmark,
        "metric": row.metric,
        "slice": row.slice,
        "baseline": row.baseline.estimate.point,
        "candidate": row.candidate.estimate.point,
        "difference": row.difference.point,
        "ci_low": row.difference.ci_low,
        "ci_high": row.difference.ci_high,
        "pvalue": row.test.pvalue if row.test else math.nan,
        "adjusted": row.adjusted,
        "reject": row.reject,
        "verdict": row.verdict,
        "n": row.difference.n,
        "method": row.difference.method,
    }
    return dict(plain(flat))


def _flat_score(row: Score) -> dict[str, Any]:
    estimate = row.run.estimate
    flat = {
        "benchmark": row.benchmark,
        "metric": row.metric,
        "slice": row.slice,
        "run": row.run.label,
        "score": estimate.point,
        "ci_low": estimate.ci_low,
        "ci_high": estimate.ci_high,
        "standard_error": estimate.standard_error,
        "n": estimate.n,
        "method": estimate.method,
    }
    return dict(plain(flat))
