"""What may be asked of a verb: one frozen object, checked once, recorded in the provenance."""

from __future__ import annotations

import dataclasses
import difflib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from evalstats.analyses.statistic_options import (
    STATISTICS,
    check_one,
    checked_quantile,
    checked_ratio,
    checked_weights,
)
from evalstats.envelope import Input, Scale
from evalstats.errors import InputError, MethodError
from evalstats.kernel.arrays import check_bounds
from evalstats.kernel.check import check_count, check_largest_cluster, check_level
from evalstats.plan_file import CORRECTIONS, Plan, read_plan


class OptionKeywords(TypedDict, total=False):
    """The keywords of `score` and `compare`; the fields of Options say what each means."""

    metric: str | None
    filter: str | None
    task: str | None
    id: str | None
    cluster: str | None
    labels: tuple[str, ...]
    level: float
    method: str | None
    guarantee: bool
    largest_cluster: int | None
    view: Literal["random_items", "fixed_items"]
    missing: Literal["scored", "wrong", "error"]
    correction: str
    margin: float | str | None
    effect: float | str | None
    bounds: tuple[float, float] | None
    paired: bool
    discordant: tuple[int, int] | None
    lower_is_better: bool
    n_boot: int | None
    seed: int
    latest: bool
    plan: str | None
    tried: int | None
    with_text: bool
    weights: str | Mapping[str, float] | None
    quantile: float | None
    ratio: str | None


@dataclass(frozen=True)
class Options:
    """The options of one call.

    metric, filter, task : which question; task may be "A=B" to compare differently named benchmarks.
    id : field that identifies an item, "a,b" for one a side. cluster : field, or "none".
    largest_cluster : the most items that a cluster can have, declared for a guarantee in clusters.
    missing : unscored items are left out (scored), count as the worst score (wrong), or are an error.
    margin, effect : in the score's own unit; as text from the command line "1" and "1pt" are points.
    discordant : (baseline_only, candidate_only), when the runs are counts.
    plan : path of a plan file; its level and correction stand here, `of_benchmark` has the rest.
    tried : how many variants were tried of which this candidate is the best.
    weights : average the benchmarks too: "macro", "micro" or {benchmark: weight}; {metric: weight} makes one
    score of several metrics of the same items. quantile : of the items' scores, in place of their mean.
    ratio : of two metrics' sums, "cost/solved".
    with_text : read the prompts and answers too, and give those of the items that changed.
    """

    metric: str | None = None
    filter: str | None = None
    task: str | None = None
    id: str | None = None
    cluster: str | None = None
    labels: tuple[str, ...] = ()
    level: float = 0.95
    method: str | None = None
    guarantee: bool = False
    largest_cluster: int | None = None
    view: str = "random_items"
    missing: str = "scored"
    correction: str = "holm"
    margin: float | str | None = None
    effect: float | str | None = None
    bounds: tuple[float, float] | None = None
    paired: bool = True
    discordant: tuple[int, int] | None = None
    lower_is_better: bool = False
    n_boot: int | None = None
    seed: int = 0
    latest: bool = False
    plan: Plan | None = None
    tried: int | None = None
    with_text: bool = False
    weights: Any = None
    quantile: float | None = None
    ratio: str | None = None

    @classmethod
    def of(cls, keywords: dict[str, Any], *, statistics: bool = False) -> Options:
        """Options from keywords. Raises InputError for one that does not exist, naming the near one.

        statistics : the verb answers with other statistics than the mean too; others refuse to be asked.
        """
        _check_statistics(keywords, statistics)
        refuse_unknown(keywords, [f.name for f in dataclasses.fields(cls)])
        if keywords.get("plan") is not None:
            keywords = _with_plan(keywords)
        return cls(**keywords)._checked()

    def of_benchmark(self, name: str) -> Options:
        """These options on one benchmark: what was not asked for is as its plan says."""
        if self.plan is None:
            return self
        planned = self.plan[name]
        return dataclasses.replace(
            self,
            metric=self.metric or planned.metric,
            cluster=self.cluster or planned.cluster,
            bounds=self.bounds or planned.bounds,
            margin=planned.margin,
        )

    def _checked(self) -> Options:
        _check_kinds(self)
        one_of("view", self.view, ("random_items", "fixed_items"))
        one_of("missing", self.missing, ("scored", "wrong", "error"))
        one_of("correction", self.correction, CORRECTIONS)
        return dataclasses.replace(
            self,
            level=check_level(self.level),
            bounds=_check_bounds(self.bounds),
            labels=_check_labels(self.labels),
            discordant=_check_discordant(self.discordant),
            tried=_check_tried(self.tried),
            weights=checked_weights(self.weights),
            quantile=checked_quantile(self.quantile),
            ratio=checked_ratio(self.ratio),
            largest_cluster=check_largest_cluster(self.largest_cluster),
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """What may be columns of a table: the metrics of a ratio, the names with weights."""
        ratio = self.ratio or ""
        sides = [(ratio[:at], ratio[at + 1 :]) for at, letter in enumerate(ratio) if letter == "/"]
        weighted = () if isinstance(self.weights, str | None) else tuple(name for name, _ in self.weights)
        return (*(name.strip() for pair in sides for name in pair), *weighted)

    def plan_inputs(self) -> tuple[Input, ...]:
        """The plan file behind the answer, for the provenance."""
        plan = self.plan
        return () if plan is None else (Input("plan", "plan", plan.path, plan.sha256, "plan", ""),)

    def labels_of(self, n_runs: int) -> tuple[str, ...]:
        """The labels that were given, one a run, or none. Raises InputError for another number of them."""
        if self.labels and len(self.labels) != n_runs:
            two = "two labels, the baseline's first" if n_runs == 2 else f"{n_runs}, one for each run"
            wanted = "one label" if n_runs == 1 else two
            raise InputError(f"{len(self.labels)} labels came ({', '.join(self.labels)}): give {wanted}.")
        return self.labels

    def refuse(self, names: tuple[str, ...], why: str) -> None:
        """Raise InputError if one of these was given: an option that does nothing is never accepted."""
        given = [name for name in names if name in self.asked()]
        if given:
            raise InputError(f"{' and '.join(given)}: {why}")

    def asked(self) -> dict[str, Any]:
        """The options that differ from their defaults, for the provenance; of a plan its path alone."""
        default = Options()
        given = {
            f.name: getattr(self, f.name)
            for f in dataclasses.fields(self)
            if getattr(self, f.name) != getattr(default, f.name)
        }
        if self.plan is None:
            return given
        return {n: value for n, value in given.items() if n not in PLANNED} | {"plan": self.plan.path}


def _check_statistics(keywords: dict[str, Any], known: bool) -> None:
    check_one(keywords)
    asked = [name for name in STATISTICS if keywords.get(name) is not None]
    if asked and not known:
        raise InputError(f"{asked[0]}: this verb is about means of single benchmarks; use score or compare.")


def alpha_of(level: float) -> float:
    """1 − level without the float's tail: 0.05, not 0.050000000000000044."""
    return round(1.0 - level, 12)


TEXTS = ("metric", "filter", "task", "id", "cluster", "method")
SWITCHES = ("guarantee", "paired", "lower_is_better", "latest", "with_text")
PLANNED = ("level", "correction", "margin")  # decided by a plan where there is one


def _with_plan(keywords: dict[str, Any]) -> dict[str, Any]:
    """The plan read, its level and correction in place. Raises InputError for what it decides already."""
    for name in PLANNED:
        if name in keywords:
            raise InputError(f"{name} and plan: the plan file decides the {name}. Leave one of the two out.")
    plan = read_plan(keywords["plan"])
    return {**keywords, "plan": plan, "level": plan.level, "correction": plan.correction}


def _check_kinds(options: Options) -> None:
    """Text where a name is wanted, True or False where yes or no is: "no" would pass for yes."""
    for name in TEXTS:
        value = getattr(options, name)
        if not isinstance(value, str | None):
            hint = " Several go in one text: 'A,B'." if name == "task" else ""
            raise InputError(f"{name}={value!r}: give its name as text.{hint}")
    for name in SWITCHES:
        value = getattr(options, name)
        if not isinstance(value, bool):
            raise InputError(f"{name}={value!r}: give True or False.")


def _check_tried(tried: int | None) -> int | None:
    if tried is not None and check_count(tried, "tried") == 0:
        raise InputError("tried=0: count this candidate too, so that it is 1 or more.")
    return tried


def _check_bounds(bounds: Any) -> tuple[float, float] | None:
    try:
        return check_bounds(bounds)
    except InputError:
        raise InputError(
            f"bounds are {bounds}; give two ends, and the first must be below the second, such as 1,10."
        ) from None


def _check_labels(labels: Any) -> tuple[str, ...]:
    if isinstance(labels, str) or not all(isinstance(label, str) and label for label in labels):
        raise InputError(f"labels={labels!r}: give one text a run, such as labels=('week-31', 'week-32').")
    return tuple(labels)


def _check_discordant(counts: Any) -> tuple[int, int] | None:
    if counts is None:
        return None
    if len(counts) != 2:
        raise InputError(f"discordant={counts!r}: give two counts, (baseline_only, candidate_only).")
    baseline_only, candidate_only = (check_count(count, "discordant") for count in counts)
    return baseline_only, candidate_only


def refuse_unknown(keywords: Iterable[str], names: Sequence[str]) -> None:
    """Raises InputError for an option that does not exist, naming the near one."""
    for name in keywords:
        if name not in names:
            raise InputError(f"no option {name!r}.{_hint(name, names)} There are: {', '.join(names)}.")


def one_of(option: str, value: Any, allowed: Sequence[Any]) -> None:
    """Raises InputError for a value that is none of these, naming the near one. None may be among them."""
    if value not in allowed:
        names = [name for name in allowed if name is not None]
        hint = _hint(str(value), names)
        raise InputError(f"{option} is {value!r}.{hint} It must be one of: {', '.join(names)}.")


def _hint(word: str, names: Sequence[str]) -> str:
    near = difflib.get_close_matches(word, names, n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def size_in_score_units(option: str, asked: float | str, scale: Scale) -> float:
    """A margin or effect in the score's own unit.

    A number is taken as it stands; on a [0, 1] scale one of 1 or more is an error that asks whether
    hundredths were meant. Text is from the command line: "1pt" is points, and a bare number is points
    on a [0, 1] scale unless it is below 0.1, where it can only have been meant as a fraction.
    """
    fraction = (scale.low, scale.high) == (0.0, 1.0)
    if isinstance(asked, str):
        size = _parsed_size(option, asked, fraction)
    else:
        size = float(asked)
        if fraction and size >= 1:
            raise MethodError(
                f"{option} is {size:g}, but these scores go from 0 to 1: did you mean {size / 100:g}?"
            )
    if not (size > 0 and math.isfinite(size)):
        raise MethodError(f"{option} is {asked}; it must be above zero.")
    return size


def _parsed_size(option: str, asked: str, fraction: bool) -> float:
    text = asked.strip().lower()
    points = text.endswith(("pt", "pts", "points", "%"))
    digits = text.removesuffix("points").removesuffix("pts").removesuffix("pt").removesuffix("%")
    try:
        number = float(digits)
    except ValueError:
        raise InputError(f"{option} is {asked!r}; write a number such as 1, 1pt or 0.01.") from None
    if points and not fraction:
        raise InputError(
            f"{option} is {asked!r}, but these scores are not on a scale from 0 to 1: "
            f"give it in the score's own unit, without {text.removeprefix(digits)!r}."
        )
    return number / 100 if fraction and (points or number >= 0.1) else number
