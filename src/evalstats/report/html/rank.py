"""A ranking as a page: every run with its score, the ranks it may have and its groups drawn; neighbours."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from evalstats.analyses.rank_result import RankedBenchmark, RankedPair, RankedRun, Ranking
from evalstats.report import figures, rank_table
from evalstats.report import rank_wording as wording
from evalstats.report.html import rows as single
from evalstats.report.html import shown
from evalstats.report.numbers import Reading, is_fraction, p_digits, points_word, reading_of
from evalstats.report.terminal import clean

View = dict[str, Any]
_LONGEST = 60  # cells of a name in a table
_ROOM = 0.05  # of the ranks, free at either end for a dot
_BAR, _THICKEST = 0.4, 8.0  # a group's bar: of the width the group has, and at most, in per cent of all
_MOST_BARS = 40  # groups that are drawn one by one
_EVERY_RANK = 9  # runs of which every rank has its tick
_ROUND = 40  # runs from which on ticks at round ranks look even, although the first is 1 and not 0


def ranking_view(result: Ranking) -> View:
    """What the template of a ranking needs; of several benchmarks a line each, their tables folded."""
    first = result.benchmarks[0]
    several = len(result) > 1
    return {
        "several": several,
        "heading": wording.heading_of_several(result) if several else wording.heading(first),
        "name": "" if several else shown.name(first.benchmark, _LONGEST),
        "runs": f"{len(first):,} runs",
        "on": f"{len(result):,} benchmarks" if several else "",
        "signature": clean(wording.signature(result), 400),
        "flags": [] if several else wording.flags(first),
        "tag": _tag(result.macro or first),
        **_answer(result),
        "macro": None if result.macro is None else _benchmark(result.macro),
        "summary": _summary(result.benchmarks) if several else None,
        "benchmarks": [_benchmark(one) for one in result],
        "care": [{"code": "", "text": line} for one in result for line in _care(one, several)],
        "reach": single.reach_text(first.runs[0].run.estimate),
        "unchecked": list(dict.fromkeys(text for one in result for text in one.not_checked)),
    }


def _answer(result: Ranking) -> View:
    """The finding of the one benchmark, or by the macro average of several."""
    one = result.benchmarks[0] if len(result) == 1 else result.macro
    if one is None:
        return {"said": wording.EACH_ALONE, "apart": ""}
    lead = wording.BY_MACRO if len(result) > 1 else ""
    return {"said": f"{lead} {wording.finding(one)}".strip(), "apart": wording.apart_line(one)}


def _tag(one: RankedBenchmark) -> str:
    return f"{sum(pair.apart for pair in one.pairs):,} of {len(one.pairs):,} pairs told apart"


def _care(one: RankedBenchmark, several: bool) -> list[str]:
    lines = [*(wording.flags(one) if several else []), *wording.care_notes(one)]
    return [f"{clean(one.benchmark, _LONGEST)}: {line}" for line in lines] if several else lines


def _summary(benchmarks: Sequence[RankedBenchmark]) -> View:
    """A line a benchmark."""
    columns = rank_table.summary_columns(benchmarks)
    return {
        "titles": [{"text": column.title, "number": column.right} for column in columns],
        "lines": list(zip(*(column.texts for column in columns), strict=True)),
    }


def _benchmark(one: RankedBenchmark) -> View:
    estimates = [run.run.estimate for run in one]
    values = figures.limits_of(estimates)
    fraction = is_fraction(one.scale)
    axis = figures.score_axis(values, fraction, (one.scale.low, one.scale.high)) if values else None
    ranks = rank_axis(len(one))
    cells = {column.title: column.texts for column in rank_table.columns(one)}
    return {
        "name": shown.name(one.benchmark, _LONGEST),
        "said": wording.finding(one),
        "apart": wording.apart_line(one),
        "axis": axis,
        "axis_unit": " %" if fraction else "",
        "ranks": ranks,
        "own_items": one.own_items,
        "rows": [
            {
                "place": place,
                "name": clean(run.label, _LONGEST),
                "cells": {title: texts[place] for title, texts in cells.items()},
                "bar": figures.bar_on(axis, run.run.estimate) if axis is not None else None,
                "range": rank_bar(ranks, run),
                "groups": group_bars(run, len(one.groups)),
            }
            for place, run in enumerate(one)
        ],
        "starts": single.axis_note(axis, one.scale.low) if axis is not None else "",
        "notes": wording.table_notes(one),
        "neighbours": _neighbours(one),
        "signature": clean(one.signature, 400),
    }


def rank_axis(K: int) -> figures.Axis:
    """From the first rank to the last, with room for their dots; a tick at both, and even ones between."""
    room = max(0.5, _ROOM * (K - 1))
    axis = figures.Axis(1 - room, K + room, ())
    between = _even_ranks(K)
    ticks = tuple(figures.Tick(axis.at(at), f"{at:,}", at in between) for at in (1, *between, K))
    return figures.Axis(axis.low, axis.high, ticks)


def _even_ranks(K: int) -> list[int]:
    """The ranks between the first and the last that have a tick; none where no step is even."""
    if K <= _EVERY_RANK:
        return list(range(2, K))
    step = round(figures.nice_step(K - 1, 4))
    if K >= _ROUND and K % step == 0:
        return list(range(step, K, step))
    parts = next((parts for parts in (4, 3, 2) if (K - 1) % parts == 0), 1)
    step = (K - 1) // parts
    return list(range(1 + step, K, step))


def rank_bar(axis: figures.Axis, run: RankedRun) -> figures.Bar:
    """The ranks that a run may have, and its own."""
    return figures.Bar(axis.at(run.rank_low), axis.at(run.rank), axis.at(run.rank_high))


def group_bars(run: RankedRun, n_groups: int) -> list[figures.Area]:
    """One upright bar for each group that the run is in: in the rows of a group they join.

    Of many groups the bars are hairs: those that follow each other are one area.
    """
    width = 100 / n_groups
    bar = min(_BAR * width, _THICKEST)
    together: list[list[int]] = []
    for group in run.groups:
        if together and n_groups > _MOST_BARS and group == together[-1][-1] + 1:
            together[-1].append(group)
        else:
            together.append([group])
    return [
        figures.Area(str(one[0]), round((one[0] - 1) * width, 2), round((one[-1] - one[0]) * width + bar, 2))
        for one in together
    ]


def _neighbours(one: RankedBenchmark) -> View:
    """Each run against the next in the order: what every step rests on."""
    labels = [(run.label, after.label) for run, after in itertools.pairwise(one)]
    pairs = {(pair.candidate, pair.baseline): pair for pair in one.pairs}
    found = [pairs[names] for names in labels]
    ends = [(p.difference, p.ci_low, p.ci_high, p.simultaneous_low, p.simultaneous_high) for p in found]
    reading = reading_of([value for values in ends for value in values], is_fraction(one.scale))
    return {
        "unit": points_word(reading, "2").strip(),
        "rows": [_neighbour(one, pair, reading) for pair in found],
    }


def _neighbour(one: RankedBenchmark, pair: RankedPair, reading: Reading) -> View:
    return {
        "candidate": clean(pair.candidate, _LONGEST),
        "baseline": clean(pair.baseline, _LONGEST),
        "difference": reading.signed(pair.difference),
        "alone": _interval(reading, pair.ci_low, pair.ci_high),
        "together": _interval(reading, pair.simultaneous_low, pair.simultaneous_high),
        "p": "–" if pair.adjusted != pair.adjusted else p_digits(pair.adjusted, one.family.alpha),
        "apart": "told apart" if pair.apart else "",
        "n": f"{pair.n:,}",
    }


def _interval(reading: Reading, low: float, high: float) -> str:
    if low != low or high != high:
        return "no interval"
    return f"{reading.signed(low)} to {reading.signed(high)}"
