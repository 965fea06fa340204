"""`gate`: may this candidate be merged? The answer, and how often an unchanged one would get it."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Unpack

from evalstats.analyses.compare import compared, provenance_of, two_sources
from evalstats.analyses.family import with_verdict
from evalstats.analyses.gate_answer import judged, watched_answer
from evalstats.analyses.gate_chances import GateChances, chances_of, law_of, macro_chances, macro_law
from evalstats.analyses.gate_collected import collected
from evalstats.analyses.gate_frozen import frozen_reasons
from evalstats.analyses.gate_result import Decision, Gate, Reason
from evalstats.analyses.labels import run_labels
from evalstats.analyses.macro_row import macro_row
from evalstats.analyses.options import OptionKeywords, Options, alpha_of
from evalstats.answers import Comparisons
from evalstats.caveats import CAVEATS
from evalstats.data.scores import BenchmarkScores
from evalstats.data.selection import one_log_each
from evalstats.envelope import Comparison, Family
from evalstats.errors import InputError, NoGuaranteeError
from evalstats.plan_file import Plan, PlannedBenchmark
from evalstats.sources import Run, Source, single_run
from evalstats.subjects.gate_power import GateRule

_DECIDED_BY_THE_GATE = ("method", "view", "effect", "n_boot")


def gate(
    *runs: Run,
    baseline: Run = None,
    candidate: Run = None,
    inconclusive: Literal["pass", "fail"] | None = None,
    fail_on: str | Sequence[str] = (),
    **keywords: Unpack[OptionKeywords],
) -> Gate:
    """May this candidate be merged? Not worse than the baseline by more than a margin.

    runs, baseline, candidate : as `compare` takes them; with a plan that names the baseline, the candidate
    alone. margin : how much worse is still fine, in the score's own unit; or plan : the path of a plan file.
    Several benchmarks without a plan: their macro average carries the margin, and one that regresses after
    Holm's correction fails the gate; with a plan each has its own margin, and all must pass.
    inconclusive : count an inconclusive answer as "pass" or "fail" (`exit_code`). fail_on : codes of caveats
    that make it inconclusive. keywords : see `Options`.
    `chances` says how often this gate passes and fails an unchanged candidate, and passes one that is worse
    by the margin; where it passes an unchanged one in under half of cases it is no gate, and says so.
    Raises InputError without a margin or a plan, and whatever `compare` raises.

    >>> answer = gate("4000/5000", "4010/5000", discordant=(120, 130), margin=0.02)
    >>> answer.answer, answer.exit_code, round(answer.chances.pass_unchanged, 2)
    ('pass', 0, 1.0)
    """
    asked = _Asked(check_gate_options(Options.of(dict(keywords))), tuple(_check_codes(fail_on)))
    if inconclusive not in (None, "pass", "fail"):
        raise InputError(f"inconclusive is {inconclusive!r}; an inconclusive answer counts as pass or fail.")
    options = asked.options
    if options.plan is not None and len(runs) == 1 and baseline is None and candidate is None:
        runs = (options.plan.baseline, *runs)
    sources = two_sources(runs, baseline, candidate, options)
    found = _by_margin(sources, asked) if options.plan is None else _by_plan(sources, asked, options.plan)
    given: dict[str, Any] = {"inconclusive": inconclusive} if inconclusive else {}
    given |= {"fail_on": list(asked.fail_on)} if asked.fail_on else {}
    made = found.comparisons.provenance
    return dataclasses.replace(
        found,
        inconclusive=inconclusive,
        provenance=dataclasses.replace(made, call="gate", options={**made.options, **given}),
    )


@dataclass(frozen=True)
class _Asked:
    """What every decision needs to know. family : of the comparison, once there is one."""

    options: Options
    fail_on: tuple[str, ...]
    family: Family | None = None

    def rule(self, margin: float | None, *, corrected: bool) -> GateRule:
        """corrected : a regression must survive the correction over the family, which begins at α/m."""
        level = self.options.level
        m = self.family.m if self.family is not None and corrected else 0
        return GateRule(margin, level, reject_alpha=alpha_of(level) / m if m else None)


def check_gate_options(options: Options) -> Options:
    """A margin or a plan, and nothing that the gate decides itself. Raises InputError."""
    options.refuse(
        _DECIDED_BY_THE_GATE, "a gate takes the default of the data, or --guarantee; leave it out."
    )
    if options.plan is None:
        options.refuse(("correction",), "a gate corrects by Holm; a plan file may name another.")
    if options.margin is None and options.plan is None:
        raise InputError(
            "a gate needs a margin: how much worse is still fine? --margin 3 is three points (in Python "
            "margin=0.03); or a plan file, --plan evalstats.toml."
        )
    return options


def _check_codes(asked: str | Sequence[str]) -> Sequence[str]:
    codes = (asked,) if isinstance(asked, str) else asked
    for code in codes:
        if code not in CAVEATS:
            near = difflib.get_close_matches(code, CAVEATS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise InputError(f"{code!r} is no caveat.{hint} There are: {', '.join(CAVEATS)}.")
    return codes


def _by_margin(sources: tuple[Source, Source], asked: _Asked) -> Gate:
    """Without a plan: the one benchmark carries the margin, else the macro average does."""
    found = compared(sources, asked.options)
    asked = dataclasses.replace(asked, family=found.family)
    if len(found) == 1:
        return collected([_decided(found.only, "critical", asked)], found)
    if asked.options.guarantee:
        raise NoGuaranteeError(
            "a macro average has no guaranteed interval. Write a plan with a margin for each benchmark "
            "(evalstats init RUN), or choose one with --task."
        )
    macro = macro_row(found.primary, asked.options)
    rows = tuple(_without_margin(row) for row in found.primary)
    carried = dataclasses.replace(
        _decided(macro, "critical", asked), chances=_macro_chances(macro, rows, asked)
    )
    return collected(
        [carried, *(_watched(row, asked) for row in rows)], dataclasses.replace(found, primary=rows), macro
    )


def _without_margin(row: Comparison) -> Comparison:
    """A single benchmark beside the macro average carries no margin."""
    return with_verdict(dataclasses.replace(row, margin=None, needed=None), row.reject, False)


def _macro_chances(macro: Comparison, rows: Sequence[Comparison], asked: _Asked) -> GateChances | None:
    law = macro_law(macro.difference, [row.difference for row in rows])
    if law is None:
        return None
    alone = [one for one in (law_of(row.difference) for row in rows) if one is not None]
    return macro_chances(law, alone, asked.rule(macro.margin, corrected=True), _widest(macro))


def _by_plan(sources: tuple[Source, Source], asked: _Asked, plan: Plan) -> Gate:
    """With a plan: each of its benchmarks has its own margin; a critical one that is missing fails."""
    check_plan(plan)
    parts = _parts(sources, asked.options)
    there = [name for name in plan.names if all(name in run for run in parts)]
    found = compared(sources, asked.options) if there else _nothing(sources, asked.options)
    asked = dataclasses.replace(asked, family=found.family)
    decisions = []
    for planned in plan.benchmarks:
        if planned.name not in there:
            decisions.append(_missing(planned, plan, parts))
            continue
        frozen = frozen_reasons(planned, parts[0][planned.name], parts[1][planned.name])
        decisions.append(_decided(found[planned.name], planned.tier, asked, frozen))
    return collected(decisions, found, plan=plan.path)


def check_plan(plan: Plan) -> None:
    """Something decides, and whatever does has a margin. Raises InputError."""
    without = [b.name for b in plan.benchmarks if b.decides and b.margin is None]
    if without:
        raise InputError(
            f"{plan.path}: no margin for {', '.join(without)}. Write how much worse is still fine, such as "
            'margin = "1pt", below its name, or tier = "advisory".'
        )
    if not any(b.tier == "critical" for b in plan.benchmarks):
        raise InputError(
            f'{plan.path}: no benchmark has tier = "critical", so that nothing can pass or fail.'
        )


def _parts(
    sources: tuple[Source, Source], options: Options
) -> tuple[dict[str, BenchmarkScores], dict[str, BenchmarkScores]]:
    """The benchmarks of both runs, by name. Raises InputError for counts, which are of no plan."""
    if any(source.counts is not None for source in sources):
        raise InputError("counts are no benchmark of a plan: give the logs, or --margin instead of --plan.")
    baseline, candidate = (one_log_each(single_run(source), options.latest)[0] for source in sources)
    return baseline, candidate


def _nothing(sources: tuple[Source, Source], options: Options) -> Comparisons:
    """No benchmark of the plan is in both runs."""
    labels = options.labels_of(2) or run_labels(sources, tuple(single_run(source) for source in sources))
    return Comparisons((), (), provenance_of(sources, (labels[0], labels[1]), options))


def _missing(
    planned: PlannedBenchmark, plan: Plan, parts: tuple[dict[str, BenchmarkScores], ...]
) -> Decision:
    roles = zip(("baseline", "candidate"), parts, strict=True)
    lacking = " nor in the ".join(role for role, run in roles if planned.name not in run)
    reason = Reason("benchmark_missing", f"{planned.name}: in {plan.path} and not in the {lacking}")
    return Decision(
        benchmark=planned.name, tier=planned.tier, margin=None, answer="missing", reasons=(reason,)
    )


def _watched(row: Comparison, asked: _Asked, tier: str = "watched") -> Decision:
    answer, reasons = watched_answer(row, asked.fail_on)
    return Decision(benchmark=row.benchmark, tier=tier, margin=None, answer=answer, reasons=reasons)


def _decided(row: Comparison, tier: str, asked: _Asked, frozen: Sequence[Reason] = ()) -> Decision:
    """One row against its margin; only an advisory one may have none."""
    if row.margin is None:
        return _watched(row, asked, tier)
    answer, reasons = judged(row, asked.fail_on, frozen)
    return Decision(
        benchmark=row.benchmark,
        tier=tier,
        margin=row.margin,
        answer=answer,
        reasons=reasons,
        chances=_chances(row, asked),
    )


def _chances(row: Comparison, asked: _Asked) -> GateChances | None:
    plan = asked.options.plan
    rate = plan[row.benchmark].discordant_rate if plan is not None and row.benchmark in plan else None
    law = law_of(row.difference, rate)
    if law is None:
        return None
    rule = asked.rule(row.margin, corrected=row.reject is not None)
    return chances_of(law, rule, "data" if rate is None else "plan", _widest(row))


def _widest(row: Comparison) -> float:
    """The largest margin that a difference on this scale can have."""
    if row.scale.low is None or row.scale.high is None:
        return 1000 * row.difference.standard_error
    return 0.999 * (row.scale.high - row.scale.low)
