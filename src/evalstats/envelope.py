"""The rows that `compare` and `score` return, and their JSON. Frozen; nothing here computes.

`docs/schema/` is generated from these classes. Adding a key keeps the schema's number, renaming or
removing one raises it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

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
    """One question put to one run. missing_bounds : the score if all unscored items were wrong, and right.

    quantiles : median and p95 beside a mean without ends, such as a cost or a latency.
    """

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
    quantiles: tuple[Estimate, ...] = ()

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
