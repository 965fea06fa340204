"""`gate --dry-run`: what a gate will do, before there is a candidate, from its items and how many change."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from evalstats._version import __version__
from evalstats.analyses.gate import check_gate_options, check_plan
from evalstats.analyses.gate_chances import GateChances, Law, chances_of, macro_chances
from evalstats.analyses.gate_collected import chances_of_whole
from evalstats.analyses.macro_row import MACRO
from evalstats.analyses.options import OptionKeywords, Options, alpha_of, size_in_score_units
from evalstats.analyses.questions import questions_of_one
from evalstats.analyses.score import RunItems, run_items
from evalstats.data.selection import Question
from evalstats.envelope import Input, Provenance, Scale
from evalstats.errors import InputError, NoGuaranteeError
from evalstats.kernel.check import check_at_least_one, check_rate
from evalstats.methods.clusters import bell_mccaffrey_df, check_two, one_way
from evalstats.methods.items import ItemValues
from evalstats.methods.macro import check_spread
from evalstats.numeric import order_free_sum
from evalstats.plan_file import PlannedBenchmark
from evalstats.results import plain
from evalstats.sources import Run, Wanted, named_source, single_run
from evalstats.subjects.gate_power import GateRule, Means, Pairs

RATES = (0.05, 0.1, 0.2, 0.3)  # of disagreement, where none is known
_NEEDS_TWO_RUNS = ("discordant", "paired", "id", "tried")
_PASS_FAIL = Scale("pass_fail", 0.0, 1.0)


@dataclass(frozen=True)
class Prospect:
    """One benchmark before there is a candidate.

    n_eff : independent pairs that its items are worth: their completions, over the design effect of the
    baseline's clusters. df : of their variance, None for plain items. rate : the share of items expected to
    change (rate_source : option, plan or completions), None if unknown. v : variance of an unchanged
    difference of scores that are not pass/fail, from their completions.
    """

    benchmark: str
    tier: str
    margin: float | None
    n_items: int
    n_eff: float
    df: float | None = None
    rate: float | None = None
    rate_source: str | None = None
    v: float | None = None
    width: float | None = 1.0

    @property
    def widest(self) -> float:
        """The largest margin on its scale; width is None for a scale without ends."""
        if self.width is not None:
            return 0.999 * self.width
        return 1000 * math.sqrt(self.v or 0.0)

    def law(self, rate: float, guarantee: bool) -> Law:
        """rate : where none is known."""
        if self.v is not None:
            return Means(math.sqrt(self.v), self.n_items, self.df)
        own = rate if self.rate is None else self.rate
        return Pairs(self.n_eff, own, self.n_items, self.df, guarantee)

    def variance(self, rate: float) -> tuple[float, float]:
        """Of an unchanged difference, with its degrees of freedom."""
        own = rate if self.rate is None else self.rate
        v = own / self.n_eff if self.v is None else self.v
        return v, self.n_items - 1.0 if self.df is None else self.df


@dataclass(frozen=True)
class DryRunBenchmark:
    """A benchmark, or the macro average, at one rate of disagreement: its fields are those of Decision."""

    benchmark: str
    tier: str
    margin: float | None
    chances: GateChances | None


@dataclass(frozen=True)
class DryRunLine:
    """What the gate does at one rate of disagreement; None where every benchmark has its own."""

    discordant_rate: float | None
    chances: GateChances
    benchmarks: tuple[DryRunBenchmark, ...]


@dataclass(frozen=True)
class DryRun:
    """The lines of a dry run. scale : of the margins. macro : several benchmarks carry one margin."""

    lines: tuple[DryRunLine, ...]
    benchmarks: tuple[Prospect, ...]
    level: float
    margin: float | None
    scale: Scale
    macro: bool
    plan: str | None
    provenance: Provenance
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {"schema": "evalstats/gate_dry_run/1", "version": __version__, **plain(self)}


def dry_run(
    baseline: Run = None,
    *,
    n: int | None = None,
    discordant_rate: float | None = None,
    **keywords: Unpack[OptionKeywords],
) -> DryRun:
    """How often will this gate pass an unchanged candidate? Before any candidate has been run.

    baseline : a run, whose items, clusters and completions are taken; or n : a number of items, pass/fail.
    discordant_rate : the share of items on which two runs of one model disagree; else the plan's, else that
    of the baseline's own completions, else a table for .05, .1, .2 and .3. margin, plan and other keywords :
    as for `gate`. Raises InputError without items or margin, and for scores of which one completion says
    nothing.

    >>> line = dry_run(n=500, margin=0.01, discordant_rate=0.19).lines[0]
    >>> round(line.chances.pass_unchanged, 3), line.chances.items_needed
    (0.074, 14924)
    """
    options = check_gate_options(Options.of(dict(keywords)))
    options.refuse(_NEEDS_TWO_RUNS, "a dry run has one run; leave it out.")
    rate = None if discordant_rate is None else check_rate(discordant_rate, "discordant_rate")
    if baseline is None and options.plan is not None and n is None:
        baseline = options.plan.baseline
    if (baseline is None) == (n is None):
        raise InputError(
            "a dry run takes its items from a baseline, gate --dry-run BASELINE, or from --n ITEMS: "
            "give one of the two."
        )
    made = (
        _of_run(baseline, rate, options)
        if n is None
        else _of_number(check_at_least_one(n, "n"), rate, options)
    )
    given: dict[str, Any] = {"dry_run": True, "n": n, "discordant_rate": rate}
    asked = {name: value for name, value in given.items() if value is not None}
    prospects = made.prospects
    return DryRun(
        lines=_lines(prospects, options),
        benchmarks=prospects,
        level=options.level,
        margin=prospects[0].margin if options.plan is None else None,
        scale=made.scale,
        macro=options.plan is None and len(prospects) > 1,
        plan=None if options.plan is None else options.plan.path,
        provenance=Provenance(
            "gate_dry_run", made.runs, made.inputs, {**options.asked(), **asked}, options.seed
        ),
        notes=made.notes,
    )


@dataclass(frozen=True)
class _Made:
    """Where the items come from, and what they are worth."""

    prospects: tuple[Prospect, ...]
    scale: Scale
    runs: tuple[str, ...] = ()
    inputs: tuple[Input, ...] = ()
    notes: tuple[str, ...] = ()


def _of_number(n: int, rate: float | None, options: Options) -> _Made:
    """n items, pass/fail, each by itself."""
    options.refuse(("plan", "metric", "task", "cluster"), "is of a log; name a baseline in place of --n.")
    margin = size_in_score_units("margin", options.margin or 0.0, _PASS_FAIL)
    source = None if rate is None else "option"
    name = f"{n} items"
    return _Made(
        (Prospect(name, "critical", margin, n, float(n), rate=rate, rate_source=source),), _PASS_FAIL
    )


def _of_run(run: Run, rate: float | None, options: Options) -> _Made:
    """The items of a baseline."""
    if options.plan is not None:
        check_plan(options.plan)
    fields = (options.cluster, *(options.plan.clusters if options.plan else ()))
    source = named_source(run, Wanted.of(None, *fields, metric=options.metric))
    if source.counts is not None:
        raise InputError(
            f"{source.path} is a count of right answers; give its items: --n {source.counts[1]}."
        )
    found = questions_of_one(single_run(source), source, options)
    asked = [(question, options.of_benchmark(question.benchmark)) for question in found.primary]
    items = [run_items(question, own) for question, own in asked]
    if options.plan is None:
        _check_one_scale(found.primary, items)
    prospects = [prospect_of(*one, run, rate) for one, run in zip(asked, items, strict=True)]
    inputs = (*source.inputs("baseline", "baseline"), *options.plan_inputs())
    return _Made(tuple(prospects), items[0].scale, (source.argument,), inputs, found.notes)


def _check_one_scale(questions: Sequence[Question], items: Sequence[RunItems]) -> None:
    ends = {
        (run.scale.low, run.scale.high): question.benchmark
        for question, run in zip(questions, items, strict=True)
    }
    if len(ends) > 1:
        raise InputError(
            f"the benchmarks are not on one scale ({', '.join(ends.values())} differ), so that one margin "
            "means nothing. Choose some with --task, or write a plan: evalstats init RUN."
        )


def prospect_of(question: Question, options: Options, run: RunItems, rate: float | None = None) -> Prospect:
    """What a run's items on one question promise. rate : of disagreement, where it was asked for."""
    values, name = run.values, question.benchmark
    planned = options.plan[name] if options.plan is not None else None
    prospect = Prospect(
        benchmark=name,
        tier="critical" if planned is None else planned.tier,
        margin=None if options.margin is None else size_in_score_units("margin", options.margin, run.scale),
        n_items=values.n,
        n_eff=values.most_independent,
        df=values.n - 1.0 if values.repeated or not values.pass_fail else None,
        width=None if values.bounds is None else values.bounds[1] - values.bounds[0],
    )
    if prospect.df == 0:
        raise InputError(f"{name}: one item, however many completions, says nothing of how items differ.")
    if values.cluster is not None:
        check_two(values.units.k, values.n)
        grouped = one_way(values.y, values.cluster)
        worth = 1.0 if grouped is None or math.isnan(grouped.icc) else grouped.design_effect
        prospect = replace(prospect, n_eff=prospect.n_eff / worth, df=bell_mccaffrey_df(values.units))
    if not values.pass_fail:
        return replace(prospect, v=_decoding_variance(name, values))
    return replace(prospect, **_expected_rate(values, rate, planned))


def _expected_rate(
    values: ItemValues, asked: float | None, planned: PlannedBenchmark | None
) -> dict[str, Any]:
    """ψ: as asked, else as planned, else how often two completions of one item disagree: 2·mean(s²)."""
    if asked is not None:
        return {"rate": asked, "rate_source": "option"}
    if planned is not None and planned.discordant_rate is not None:
        return {"rate": planned.discordant_rate, "rate_source": "plan"}
    if not values.repeated:
        return {}
    assert values.within is not None
    assert values.completions is not None
    several = values.completions > 1
    s2 = values.within[several] / (values.completions[several] - 1)
    return {"rate": 2 * order_free_sum(s2) / len(s2), "rate_source": "completions"}


def _decoding_variance(name: str, values: ItemValues) -> float:
    """Of the difference of two runs of one model: 2·n⁻²Σs_i²/m_i."""
    if values.within is None or values.completions is None or np.any(values.completions < 2):
        raise InputError(
            f"{name}: its scores are not pass/fail, and one completion an item does not say how far two runs "
            "of one model differ. Run the baseline twice and gate one against the other, or log two "
            "completions of every item."
        )
    m = values.completions
    v = 2 * order_free_sum(values.within / (m - 1) / m) / values.n**2
    if v == 0:
        raise InputError(
            f"{name}: all completions of an item have one score, so that nothing is to be planned."
        )
    return v


def _lines(prospects: Sequence[Prospect], options: Options) -> tuple[DryRunLine, ...]:
    """One line a rate; a single one where every benchmark has its own."""
    unknown = any(p.rate is None and p.v is None for p in prospects)
    line = _macro_line if options.plan is None and len(prospects) > 1 else _line
    return tuple(line(prospects, rate, options) for rate in (RATES if unknown else (None,)))


def _line(prospects: Sequence[Prospect], rate: float | None, options: Options) -> DryRunLine:
    """Each benchmark with its own margin."""
    family = frozenset(p.benchmark for p in prospects) if options.plan is None else options.plan.family
    members = [p.benchmark for p in prospects if p.benchmark in family]
    found = []
    for prospect in prospects:
        m = len(members) if prospect.benchmark in members and options.correction != "none" else 1
        alpha = alpha_of(options.level) / m if m > 1 else None
        chances = None
        if prospect.margin is not None:
            rule = GateRule(prospect.margin, options.level, reject_alpha=alpha)
            law = prospect.law(rate or 0.0, options.guarantee)
            chances = chances_of(law, rule, prospect.rate_source, prospect.widest)
        found.append(DryRunBenchmark(prospect.benchmark, prospect.tier, prospect.margin, chances))
    whole = chances_of_whole([(one.tier, one.chances) for one in found])
    assert whole is not None
    return DryRunLine(rate, whole, tuple(found))


def _macro_law(prospects: Sequence[Prospect], rate: float) -> Law:
    """Of the average of all; where nothing is to change, of K²/Σ(1/n_j) pairs."""
    check_spread(min(p.n_items for p in prospects))
    variances, dfs = zip(*(prospect.variance(rate) for prospect in prospects), strict=True)
    K, n_items, total = len(prospects), sum(p.n_items for p in prospects), math.fsum(variances)
    if total == 0:
        return Pairs(K**2 / math.fsum(1 / p.n_eff for p in prospects), 0.0, n_items)
    df = total**2 / math.fsum(v**2 / own for v, own in zip(variances, dfs, strict=True))
    return Means(math.sqrt(total) / K, n_items, df)


def _macro_line(prospects: Sequence[Prospect], rate: float | None, options: Options) -> DryRunLine:
    """The macro average with one margin, and each benchmark that may fail by a regression."""
    if options.guarantee:
        raise NoGuaranteeError(
            "a macro average has no guaranteed interval; write a plan: evalstats init RUN."
        )
    law = _macro_law(prospects, rate or 0.0)
    margin, alpha = prospects[0].margin, alpha_of(options.level) / len(prospects)
    laws = [prospect.law(rate or 0.0, False) for prospect in prospects]
    rule = GateRule(margin, options.level, reject_alpha=alpha)
    together = macro_chances(law, laws, rule, prospects[0].widest)
    sources = {prospect.rate_source for prospect in prospects}
    together = replace(
        together, discordant_rate=rate, rate_source=sources.pop() if len(sources) == 1 else None
    )
    found = (DryRunBenchmark(p.benchmark, "watched", None, None) for p in prospects)
    return DryRunLine(rate, together, (DryRunBenchmark(MACRO, "critical", margin, together), *found))
