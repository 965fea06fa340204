"""What may be asked of `size`, and which questions fit together: an option is used or refused."""

from __future__ import annotations

import dataclasses
import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evalstats.analyses.options import OptionKeywords, Options, size_in_score_units
from evalstats.envelope import Scale
from evalstats.errors import InputError
from evalstats.kernel.check import check_alpha, check_at_least_one, check_margin, check_rate

MOST_ITEMS = 10_000_000  # more are summed for minutes, and decide what so many do
PASS_FAIL = Scale("pass_fail", 0.0, 1.0)
_NO_USE = (
    *("method", "guarantee", "largest_cluster", "view", "correction", "lower_is_better", "n_boot", "seed"),
    *("plan", "tried", "with_text", "labels"),
)
_OF_A_PILOT = ("metric", "filter", "task", "id", "cluster", "missing", "latest", "discordant")
_WAYS = (
    "say what the items must show: --half-width W with --rate P (one run); --effect E or --margin M, best "
    "with --discordant-rate R (two runs on the same items); or --items N for what N items can decide. "
    "--pilot RUN RUN reads the rest off two runs"
)


class SizeKeywords(OptionKeywords, total=False):
    """The keywords of `size`: those of SizeOptions, and of Options what is about a pilot and the targets."""

    rate: float | None
    half_width: float | str | None
    discordant_rate: float | None
    sd: float | None
    power: float | None
    items: int | None
    pilot: Any
    icc: float | None
    cluster_size: float | None
    completions: int | None
    within_variance: float | None
    cost: float | None


@dataclass(frozen=True)
class SizeOptions:
    """rate, discordant_rate : fractions. half_width : in the score's own unit, or text from the command line.

    sd, within_variance, icc, cluster_size, completions : see `Assumed`. power : .80 unless given.
    items : the number asked about. pilot : one run, or two. cost : of an item with one completion in one run.
    """

    rate: float | None = None
    half_width: float | str | None = None
    discordant_rate: float | None = None
    sd: float | None = None
    power: float | None = None
    items: int | None = None
    pilot: tuple[Any, ...] = ()
    icc: float | None = None
    cluster_size: float | None = None
    completions: int | None = None
    within_variance: float | None = None
    cost: float | None = None

    @classmethod
    def of(cls, keywords: dict[str, Any]) -> tuple[SizeOptions, Options]:
        """Both kinds of options, each checked. Raises InputError for what is none, or is out of range."""
        names = [field.name for field in dataclasses.fields(cls)]
        own = {name: value for name, value in keywords.items() if name in names}
        if "pilot" in own:
            own["pilot"] = _runs(own["pilot"])
        others = {name: value for name, value in keywords.items() if name not in names}
        asked, options = cls(**own)._checked(), Options.of(others)
        options.refuse(_NO_USE, "has no use for a number of items; leave it out.")
        return asked, options

    def _checked(self) -> SizeOptions:
        for name in ("rate", "discordant_rate"):
            if getattr(self, name) is not None:
                check_rate(getattr(self, name), name)
        if self.cost is not None and not (_is_real(self.cost) and 0 < self.cost < math.inf):
            raise InputError(f"cost={self.cost!r}: give what one item costs in money, above 0.")
        for name in ("sd", "within_variance"):
            if getattr(self, name) is not None:
                check_margin(getattr(self, name), name)
        if self.icc is not None and not -1 <= self.icc <= 1:
            raise InputError(f"icc={self.icc!r} is no correlation: give one from 0 to 1, such as 0.2.")
        if self.cluster_size is not None and not 1 <= self.cluster_size < math.inf:
            raise InputError(f"cluster_size={self.cluster_size!r} must be 1 or more: items in a cluster.")
        return dataclasses.replace(
            self,
            power=None if self.power is None else check_alpha(self.power, "power"),
            items=_items(self.items),
            completions=_completions(self.completions),
        )

    def asked(self) -> dict[str, Any]:
        """What was given, for the provenance; the pilot's runs stand there by themselves."""
        given = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {name: value for name, value in given.items() if value is not None and name != "pilot"}

    def given(self, *names: str) -> list[str]:
        return [name for name in names if getattr(self, name) is not None]

    def refuse(self, names: Sequence[str], why: str) -> None:
        """Raise InputError if one of these was given."""
        found = self.given(*names)
        if found:
            raise InputError(f"{' and '.join(found)}: {why}")


def _items(count: int | None) -> int | None:
    if count is not None and check_at_least_one(count, "items") > MOST_ITEMS:
        raise InputError(f"items={count}: planned for are up to {MOST_ITEMS:,}; give fewer.")
    return None if count is None else int(count)


def _completions(count: int | None) -> int | None:
    return None if count is None else check_at_least_one(count, "completions")


def _is_real(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _runs(pilot: Any) -> tuple[Any, ...]:
    """One run, or a list or tuple of two runs; a list of dicts is one run."""
    several = isinstance(pilot, tuple) or (
        isinstance(pilot, list) and bool(pilot) and not any(isinstance(one, dict) for one in pilot)
    )
    runs = tuple(pilot) if several else (pilot,)
    if len(runs) > 2:
        raise InputError(f"pilot came with {len(runs)} runs: give one, or the baseline and the candidate.")
    return runs


@dataclass(frozen=True)
class Targets:
    """What the items must show, in the score's own unit."""

    half_width: float | None = None
    effect: float | None = None
    margin: float | None = None


def situation_of(asked: SizeOptions, options: Options) -> str:
    """A key of SITUATIONS, from the options alone. Raises InputError for options that do not go together."""
    _check_pairs_of_options(asked)
    if _one_run(asked, options):
        asked.refuse(("discordant_rate", "power"), "is about two runs, and this is about one; leave it out.")
        options.refuse(("effect", "margin", "paired"), "is about two runs, and --half-width about one.")
        return "one_rate" if _rate_or_sd(asked, "--half-width of one run") == "rate" else "one_mean"
    if not options.paired:
        asked.refuse(("discordant_rate",), "runs on different items have no item on which to disagree.")
        return "unpaired_rates" if _rate_or_sd(asked, "--unpaired") == "rate" else "unpaired_means"
    if asked.sd is not None:
        asked.refuse(("rate", "discordant_rate"), "sd stands for scores that are not pass/fail; give one.")
        return "paired_means"
    if not (asked.given("items", "discordant_rate") or options.effect or options.margin):
        raise InputError(f"size wants a target; {_WAYS}.")
    if asked.rate is not None and options.effect is None:
        raise InputError(
            "rate: of two runs on the same items it says nothing without --effect; leave it out."
        )
    return "paired_rates"


def _check_pairs_of_options(asked: SizeOptions) -> None:
    if (asked.icc is None) != (asked.cluster_size is None):
        raise InputError(
            "icc and cluster_size go together: how alike items of a cluster are, and how many it has, as in "
            "--icc 0.2 --cluster-size 5."
        )
    if asked.completions is not None and asked.completions > 1 and asked.within_variance is None:
        raise InputError(
            f"completions={asked.completions} say nothing without how much an item's completions vary: give "
            "--within-variance (of pass/fail half the share of items on which two completions of one run "
            "differ), or a --pilot with several completions."
        )


def _one_run(asked: SizeOptions, options: Options) -> bool:
    """A half-width, or a rate and a number of items and nothing about two runs."""
    if asked.half_width is not None:
        return True
    about_two = (
        asked.given("discordant_rate", "power") or options.effect or options.margin or not options.paired
    )
    return bool(asked.given("rate") and asked.given("items") and not about_two)


def _rate_or_sd(asked: SizeOptions, of: str) -> str:
    given = asked.given("rate", "sd")
    if len(given) != 1:
        raise InputError(
            f"{of} wants the run's --rate P (pass/fail), or the --sd S of its scores: {len(given)} of them "
            "came."
        )
    return given[0]


def without_pilot(asked: SizeOptions, options: Options) -> Scale:
    """The scale when there is no pilot. Raises InputError for options of one."""
    options.refuse(_OF_A_PILOT, "is about a pilot's logs; name them with --pilot, or leave it out.")
    if asked.sd is None:
        options.refuse(("bounds",), "pass rates go from 0 to 1; leave it out.")
        return PASS_FAIL
    return Scale("unbounded") if options.bounds is None else Scale("bounded", *options.bounds)


def targets(asked: SizeOptions, options: Options, scale: Scale) -> Targets:
    """The sizes as they were meant: bare numbers from the command line are points of a scale from 0 to 1."""
    sizes = {"half_width": asked.half_width, "effect": options.effect, "margin": options.margin}
    found = {
        name: None if size is None else size_in_score_units(name, size, scale) for name, size in sizes.items()
    }
    if scale == PASS_FAIL:
        for name, size in found.items():
            if size is not None and size >= (0.5 if name == "half_width" else 1.0):
                raise InputError(f"{name} is {100 * size:g} points, the whole scale: give a smaller one.")
    return Targets(**found)
