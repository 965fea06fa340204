"""A ranking in sentences: shared by text, Markdown, notebooks and the page."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from evalstats._version import __version__
from evalstats.analyses.rank_result import RankedBenchmark, RankedRun, Ranking
from evalstats.caveats import CAVEATS
from evalstats.report.labels import method_label
from evalstats.report.numbers import (
    Reading,
    counted,
    listed,
    p_text,
    percent,
    rate,
    reading_for,
)
from evalstats.report.particulars import (
    LABEL,
    RED_FLAGS,
    caveat_lines,
    cluster_lines,
    has_interval,
    question,
    reach_line,
)
from evalstats.report.terminal import NB, clean

EACH_ALONE = "Each benchmark is ranked alone, a family of its own."
BY_MACRO = "By the macro average, each benchmark counting the same:"
SEVERAL = f"{EACH_ALONE} Its table: --task{NB}NAME, or --json."
_NAMED = 4
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SPELLED = 3  # letters in a row that are written out, not as a range


def heading(one: RankedBenchmark) -> str:
    """ "reasoning-500 · accuracy · 15 runs, 790 items scored in every run"."""
    asked = question(one.benchmark, one.metric, None)
    return f"{asked} · {counted(len(one), 'run')}, {items(one)}"


def heading_of_several(result: Ranking) -> str:
    """ "5 runs on 3 benchmarks"."""
    return f"{counted(len(result[0]), 'run')} on {counted(len(result), 'benchmark')}"


def signature(result: Ranking) -> str:
    """Of one benchmark its own; of several what they have in common."""
    first = result.benchmarks[0]
    if len(result) == 1:
        return first.signature
    methods = "+".join(dict.fromkeys(one.methods.simultaneous for one in result.rankings))
    counts = f"runs:{len(first)}|benchmarks:{len(result)}"
    return f"rank|{methods}|{counts}|level:{first.methods.level:g}|v:{__version__}"


def care_of_several(result: Ranking) -> list[str]:
    """Each caveat once, with the benchmarks that have it."""
    names: dict[str, list[str]] = {}
    for one in result.primary:
        for code in dict.fromkeys(caveat["code"] for caveat in one.caveats):
            names.setdefault(code, []).append(clean(one.benchmark, LABEL))
    return [f"{listed(found)}: {CAVEATS[code]}." for code, found in names.items()]


def items(one: RankedBenchmark) -> str:
    """How many items, in what units, and whether every pair has its own."""
    if _macro(one):
        return f"{counted(one.design.n_items, 'item')} on several benchmarks"
    if one.own_items:
        fewest, most = _span_of_pairs(one)
        span = "" if fewest == most else f"{fewest:,} to "
        return f"each pair on its own {span}{counted(most, 'common item')}"
    units = one.design.n_units
    clusters = f" in {counted(units, 'cluster')} of {clean(one.design.unit, LABEL)}"
    repeated = f" × {one.design.completions:.3g} completions" if one.design.completions > 1 else ""
    return (
        f"{counted(one.design.n_items, 'item')}{repeated}"
        f"{clusters if one.design.cluster_source != 'none' else ''} scored in every run"
    )


def _macro(one: RankedBenchmark) -> bool:
    return one.methods.alone == "stratified_t"


def _span_of_pairs(one: RankedBenchmark) -> tuple[int, int]:
    sizes = [pair.n for pair in one.pairs]
    return min(sizes), max(sizes)


def finding(one: RankedBenchmark) -> str:
    """Who is first, and who cannot be told apart from the first."""
    leaders = [run for run in one if run.rank == 1]
    first = listed([_name(run) for run in leaders], _NAMED)
    alike = [run for run in one if run.rank != 1 and _share(run, leaders)]
    if len(leaders) == 1 and not alike:
        return f"{first} is first, told apart from every other run."
    if len(leaders) == len(one):
        return "All share the first place by score."
    verb = "is" if len(leaders) == 1 else "share"
    place = "first by score" if len(leaders) == 1 else "the first place by score"
    others = listed([_name(run) for run in alike], _NAMED)
    if not alike:
        return f"{first} {verb} {place}, told apart from every other run."
    them = "it" if len(leaders) == 1 else "them"
    is_not = "is not" if len(alike) == 1 else "are not"
    return f"{first} {verb} {place}; {others} {is_not} told apart from {them}."


def _share(run: RankedRun, leaders: Sequence[RankedRun]) -> bool:
    return any(set(run.groups) & set(leader.groups) for leader in leaders)


def _name(run: RankedRun) -> str:
    return clean(run.label, LABEL)


def apart_line(one: RankedBenchmark) -> str:
    """How much of the order is settled."""
    apart = sum(pair.apart for pair in one.pairs)
    least = "less is better; " if not one.higher_is_better else ""
    sizes = [len(group) for group in one.groups if len(group) > 1]
    groups = (
        f"; the others share {counted(len(sizes), 'group')} of up to {max(sizes):,} runs" if sizes else ""
    )
    return _capital(f"{least}{apart:,} of {counted(len(one.pairs), 'pair')} of runs are told apart{groups}.")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def flags(one: RankedBenchmark) -> list[str]:
    return [
        f"Red flag: {_capital(clean(caveat['text']))}."
        for caveat in one.caveats
        if caveat["code"] in RED_FLAGS
    ]


def score(one: RankedBenchmark, run: RankedRun) -> str:
    estimate = run.run.estimate
    if not math.isfinite(estimate.point):
        return "not known"
    return rate(_reading(one), estimate.point)


def alone(one: RankedBenchmark, run: RankedRun) -> str:
    """ "93.8 to 96.7"."""
    estimate = run.run.estimate
    if not has_interval(estimate):
        return "no interval"
    reading = _reading(one)
    return f"{reading.plain(estimate.ci_low)} to {reading.plain(estimate.ci_high)}"


def _reading(one: RankedBenchmark) -> Reading:
    """One number of decimals for all runs, so that they line up: as many as the run that needs most."""
    readings = [reading_for(run.run.estimate, one.scale) for run in one]
    return max(readings, key=lambda reading: -1 if reading.decimals is None else reading.decimals)


def ranks(run: RankedRun) -> str:
    """ "3", "3 to 6"."""
    same = run.rank_low == run.rank_high
    return f"{run.rank_low:,}" if same else f"{run.rank_low:,} to {run.rank_high:,}"


def group_names(one: RankedBenchmark) -> list[str]:
    """Letters, best first; numbers where there are more groups than letters."""
    n = len(one.groups)
    return list(_LETTERS[:n]) if n <= len(_LETTERS) else [str(g) for g in range(1, n + 1)]


def groups(one: RankedBenchmark, run: RankedRun) -> str:
    """ "a", "ab", "c–h"; of numbers "3", "3–9", "1–9, 7 of them"."""
    names, mine = group_names(one), run.groups
    span = f"{names[mine[0] - 1]}–{names[mine[-1] - 1]}"
    lettered = names[0] == "a"
    if len(mine) <= (_SPELLED if lettered else 1):
        return "".join(names[g - 1] for g in mine)
    in_a_row = mine[-1] - mine[0] + 1 == len(mine)
    return span if in_a_row else f"{span}, {len(mine)} of them"


def notes(one: RankedBenchmark) -> list[str]:
    """What the columns are, what else was found, what to know before relying on it."""
    return [line for line in (*table_notes(one), *care_notes(one), reach(one)) if line]


def table_notes(one: RankedBenchmark) -> list[str]:
    said = [_groups_line(one), _ranks_line(one), _alone_line(one), _holm_line(one), _overall_line(one)]
    return [line for line in said if line]


def macro_notes(one: RankedBenchmark) -> list[str]:
    """What the columns of the ranking by the macro average are."""
    return [f"{_groups_line(one)} {_ranks_line(one)}", _alone_line(one)]


def _groups_line(one: RankedBenchmark) -> str:
    share = "letter" if group_names(one)[0] == "a" else "number"
    return (
        f"Group: runs that share a {share} are not told apart ({percent(one.methods.level)}, all "
        f"{counted(len(one.pairs), 'pair')} at once: {simultaneous(one)})."
    )


def simultaneous(one: RankedBenchmark) -> str:
    """ "max-t, 10,000 resamples, seed 0", or the pair's own interval and its level."""
    found = one.methods
    if found.n_boot is not None:
        return f"{method_label(found.simultaneous)}, {found.n_boot:,} resamples, seed {found.seed}"
    proved = ", coverage proved" if "proved" in found.why else ""
    reason = found.why.partition(": ")[2]
    because = f", as {clean(reason)}" if reason else ""
    return f"{method_label(found.simultaneous)} at {100 * (found.each or 0):.6g}{NB}%{proved}{because}"


def _ranks_line(one: RankedBenchmark) -> str:
    if one.joint:
        return f"May rank: {percent(one.methods.level)} for all runs at once, from the same intervals."
    return (
        f"May rank: {percent(one.methods.level)} for each run, from its {len(one) - 1:,} differences; "
        "--joint: for all runs at once."
    )


def _alone_line(one: RankedBenchmark) -> str:
    methods = dict.fromkeys(method_label(r.run.estimate.method) for r in one if has_interval(r.run.estimate))
    said = f" ({percent(one.methods.level)}, {listed(list(methods))})" if methods else ""
    return (
        f"Alone: each score's own interval{said}. Runs whose intervals overlap may differ all the same, and "
        "the best score of many is too high on average."
    )


def _holm_line(one: RankedBenchmark) -> str:
    """Holm's answer, which is another procedure than the intervals and may light more."""
    lit = sum(pair.reject for pair in one.pairs)
    luck = one.family.expected_by_luck
    luck_text = f"{luck:.2g}" if luck < 10 else f"{luck:,.0f}"
    undefined = (
        f" {counted(one.family.undefined, 'pair')} without p not counted." if one.family.undefined else ""
    )
    return (
        f"Holm ({method_label(one.methods.test)}) lights {lit:,} of {one.family.m:,} pairs; uncorrected "
        f"about {luck_text} would by luck if all runs were alike.{undefined}"
    )


def _overall_line(one: RankedBenchmark) -> str | None:
    test = one.overall
    if test is None:
        return None
    df, n = int(test.extra["df"]), counted(test.n, "common item")
    p = p_text(test.pvalue, one.family.alpha)
    name = method_label(test.method)
    return f"{name} {test.statistic:.4g} on {df} df, {p}, {n}: shown, and no gate for the pairs."


def care_notes(one: RankedBenchmark) -> list[str]:
    """Each caveat once, runs counted."""
    texts: dict[str, list[str]] = {}
    for caveat in one.caveats:
        if caveat["code"] not in RED_FLAGS:
            texts.setdefault(caveat["code"], []).append(caveat["text"])
    single = tuple(
        {"code": "", "text": said[0]}
        if len(said) == 1
        else {"code": "", "text": f"{CAVEATS[code]} ({counted(len(said), 'run')})"}
        for code, said in texts.items()
        if code != "missing_items"
    )
    said = [*_missing_lines(one), *caveat_lines(single), *cluster_lines(one.design, 2)]
    return [line for line in said if line]


def _missing_lines(one: RankedBenchmark) -> list[str]:
    """Items that some run did not score: both counts."""
    short = Counter(run.label for run in one if run.run.n_scored < _most(one))
    if not short or one.own_items or _macro(one):
        return []
    most = _most(one)
    return [
        f"{one.n_common:,} items were scored in every run; {counted(len(short), 'run')} scored fewer than "
        f"the {most:,} of the longest."
    ]


def _most(one: RankedBenchmark) -> int:
    return max(run.run.n_total for run in one)


def reach(one: RankedBenchmark) -> str:
    return reach_line(one.runs[0].run.estimate, one.not_checked)


def left_out(left: int) -> str | None:
    return f"And {counted(left, 'more run')}: see --json." if left else None
