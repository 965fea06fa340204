"""Several rows in sentences: the finding from lit rows alone, and what luck would have lit."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from evalstats._version import __version__
from evalstats.answers import Comparisons
from evalstats.caveats import CAVEATS
from evalstats.envelope import Comparison, Family, Score
from evalstats.report.labels import FALSE_DISCOVERY, correction_label, method_label
from evalstats.report.numbers import chance_text, counted, is_fraction, listed, percent, rounded_up, size_text
from evalstats.report.particulars import (
    LABEL,
    RED_FLAGS,
    benchmarks,
    difference_of,
    is_average,
    label,
    name,
)
from evalstats.report.terminal import NB, clean
from evalstats.report.wording import disagrees, excludes_zero

_NAMED = 3  # rows that a sentence names before it counts the rest
_MARGIN_WORDS = {
    "worse_than_margin": "worse by more than it",
    "not_shown": "not shown either way",
    "not_worse": "not worse",
    "equivalent": "equivalent",
}


def in_order(rows: Sequence[Comparison]) -> list[Comparison]:
    """Regressions first, then what improved, then the rest; the log's order within each."""
    order = {"regressed": 0, "improved": 1}
    return sorted(rows, key=lambda row: order.get(row.direction, 2))


def family_heading(result: Comparisons) -> str:
    """ "week-32 against week-31 · 40 benchmarks"."""
    first = result.primary[0]
    n = counted(len(benchmarks(result.primary)), "benchmark")
    return f"{label(first.candidate)} against {label(first.baseline)} · {n}"


def finding(rows: Sequence[Comparison], noun: str = "benchmark") -> str:
    """The answer over all rows, from settled rows only. noun : what a row is."""
    worse, better = (_directed(rows, direction) for direction in ("regressed", "improved"))
    rest = len(rows) - len(worse) - len(better)
    noun = "row" if any(is_average(row) for row in rows) else noun
    if rest == len(rows):
        return f"Nothing is settled on any of the {len(rows)} {noun}s."
    said = [
        f"{len(group):,} of {len(rows):,} {verb}: {listed([_named(row) for row in group], _NAMED)}"
        for group, verb in ((worse, "regressed"), (better, "improved"))
        if group
    ]
    tail = f" The other {f'{rest:,} are' if rest > 1 else 'one is'} not settled." if rest else ""
    return f"{'; '.join(said)}.{tail}"


def _directed(rows: Sequence[Comparison], direction: str) -> list[Comparison]:
    return [row for row in rows if row.direction == direction]


def _named(row: Comparison) -> str:
    return f"{name(row)} {difference_of(row.difference, row)}"


def margin_count_line(rows: Sequence[Comparison]) -> str | None:
    """How many rows the margin answers, each alone."""
    judged = [row for row in rows if row.margin is not None and row.margin_verdict is not None]
    if not judged:
        return None
    sizes = list(dict.fromkeys(size_text(row.margin, row.scale) for row in judged if row.margin is not None))
    said = [
        f"{n:,} {words}"
        for verdict, words in _MARGIN_WORDS.items()
        if (n := sum(row.margin_verdict == verdict for row in judged))
    ]
    return f"Margin {' and '.join(sizes)}, each row alone: {', '.join(said)}."


def luck_line(family: Family | None, rows: Sequence[Comparison], null: str = "nothing had changed") -> str:
    """What would light if nothing had changed, before and after the correction. null : in words."""
    if family is None:
        return "No correction: each row is judged alone, so with many rows some light by luck."
    luck = f"{family.expected_by_luck:.2g}"
    before = f"If {null}, about {luck} of {family.m:,} would light uncorrected"
    lit = sum(row.reject is True for row in rows)
    if family.method not in FALSE_DISCOVERY:
        corrected = correction_label(family.method)
        after = f"after {corrected}, any at all in at most {percent(family.alpha)} of cases"
    elif lit:
        after = f"of {lit:,} lit here, about {family.alpha * lit:.2g} are expected to be luck"
    else:
        after = f"after {correction_label(family.method)}, none is lit here"
    undefined = f" {counted(family.undefined, 'row')} without p not counted." if family.undefined else ""
    return f"{before}; {after}.{undefined}"


def alone_line(family: Family | None, rows: Sequence[Comparison]) -> str:
    """Intervals are each alone; rows that only correction keeps unlit are named."""
    levels = list(dict.fromkeys(percent(row.difference.level) for row in rows))
    methods = list(dict.fromkeys(method_label(row.difference.method) for row in rows))
    said = f"Intervals: {' and '.join(levels)}, {listed(methods)}, each row alone."
    return " ".join(filter(None, (said, unlit_line(family, rows), _duality_line(rows))))


def _duality_line(rows: Sequence[Comparison]) -> str | None:
    """The rows of no family whose interval and p disagree."""
    named = [name(row) for row in rows if disagrees(row)]
    if not named:
        return None
    return f"On {listed(named, _NAMED)} interval and p disagree about zero: near the border they may."


def unlit_line(family: Family | None, rows: Sequence[Comparison]) -> str | None:
    """The rows that only the correction keeps from being settled."""
    unlit = [name(row) for row in rows if row.direction == "not_settled" and excludes_zero(row)]
    if family is None or not unlit:
        return None
    corrected = f"not after correction over {family.m:,} rows"
    return f"Alone {listed(unlit, _NAMED)} would exclude zero; {corrected}."


def mde_range_line(rows: Sequence[Comparison]) -> str:
    """The smallest true differences shown, over the rows: for when the table has no room for them."""
    known = [row for row in rows if math.isfinite(row.mde)]
    if len({is_fraction(row.scale) for row in known}) > 1:
        known = [row for row in known if is_fraction(row.scale)]  # two units make no range
    if not known:
        return "What difference each row would show is not known."
    least, most = min(known, key=lambda row: row.mde), max(known, key=lambda row: row.mde)
    unit = " points" if all(is_fraction(row.scale) for row in known) else ""
    low, high = rounded_up(least.mde, least.scale), rounded_up(most.mde, most.scale)
    span = f"{low if low == high else f'{low} to {high}'}{unit}"
    return f"Smallest true difference shown with 80{NB}% power: {span}, by row (see --json)."


def unit_line(rows: Sequence[Comparison]) -> str:
    """In what the differences are written."""
    own = [name(row) for row in rows if not is_fraction(row.scale)]
    if not own:
        return "Differences in points."
    if len(own) == len(rows):
        return "Differences in the score's own unit."
    return f"Differences in points; {listed(own, _NAMED)} in the score's own unit."


def direction_line(rows: Sequence[Comparison]) -> str | None:
    lower = [name(row) for row in rows if not row.higher_is_better]
    return f"Lower is better: {listed(lower, _NAMED)}." if lower else None


def family_flags(rows: Sequence[Comparison]) -> list[str]:
    return [f"Red flag: {text}" for text in _by_code(rows, lambda code: code in RED_FLAGS)]


def family_caveats(rows: Sequence[Comparison | Score]) -> list[str]:
    """Each kind of caveat once, with the rows that carry it."""
    return _by_code(rows, lambda code: code not in (*RED_FLAGS, "missing_items"))


def _by_code(rows: Sequence[Comparison | Score], wanted: Callable[[str], bool]) -> list[str]:
    carriers: dict[str, list[str]] = {}
    for row in rows:
        for code in dict.fromkeys(c["code"] for c in row.caveats if wanted(c["code"])):
            carriers.setdefault(code, []).append(name(row))
    return [f"{listed(names, _NAMED)}: {CAVEATS.get(code, code)}." for code, names in carriers.items()]


def family_missing_line(rows: Sequence[Comparison]) -> str | None:
    counts = {
        name(row): sum(side.n_missing + side.n_errored for side in (row.baseline, row.candidate))
        for row in rows
    }
    missing = [f"{n:,} on {row}" for row, n in counts.items() if n]
    return f"Items without a score: {listed(missing, _NAMED)}." if missing else None


def family_changed_line(rows: Sequence[Comparison]) -> str | None:
    """Settings that differ between the runs, each once."""
    settings: dict[str, int] = {}
    for row in rows:
        for change in row.pairing.changed_config if row.pairing else ():
            settings[clean(change.setting, LABEL)] = settings.get(clean(change.setting, LABEL), 0) + 1
    said = [text if n == len(rows) else f"{text} (on {n:,})" for text, n in settings.items()]
    return f"Changed between the runs: {listed(said)}." if said else None


def family_tried_line(rows: Sequence[Comparison]) -> str | None:
    """The chance of a lucky best for what improved, else for the row that looks best."""
    known = [row for row in rows if row.tried is not None and math.isfinite(row.tried.chance)]
    if not known:
        return None
    shown = _directed(known, "improved") or [min(known, key=lambda row: row.tried.pvalue if row.tried else 1)]
    said = [f"{chance_text(row.tried.chance)} on {name(row)}" for row in shown if row.tried is not None]
    n = f"{known[0].tried.n:,}" if known[0].tried else ""
    return (
        f"Best of {n} tried: if all {n} equalled the baseline, the chance that the best looks this good is "
        f"at most about {listed(said, _NAMED)}, each row alone."
    )


def family_cluster_line(
    rows: Sequence[Comparison | Score], noun: str = "benchmark", without: Sequence[str] = ()
) -> str | None:
    """Fields that may group items, with the range of what they would do to the error bars.

    without : fields by which the rows are cut already.
    """
    ratios: dict[str, list[float]] = {}
    for row in rows:
        for candidate in row.design.cluster_candidates:
            if math.isfinite(candidate.ratio) and candidate.field not in without:
                ratios.setdefault(clean(candidate.field, LABEL), []).append(candidate.ratio)
    said = [
        f"--cluster{NB}{field} ({counted(len(found), noun)}: error bars {_span(found)} times as wide)"
        for field, found in ratios.items()
    ]
    return f"Possible clusters: {listed(said, 2)}." if said else None


def _span(found: list[float]) -> str:
    low, high = f"{min(found):.2g}", f"{max(found):.2g}"
    return low if low == high else f"{low} to {high}"


def family_signature(result: Comparisons) -> str:
    """`compare|tango|rows:40|n:9500|holm:0.05|level:0.95|v:…`."""
    rows = result.primary
    methods = "+".join(dict.fromkeys(row.difference.method for row in rows))
    levels = "+".join(dict.fromkeys(f"{row.difference.level:g}" for row in rows))
    family = result.family
    correction = f"{family.method}:{family.alpha:.4g}" if family else "correction:none"
    n = sum(row.difference.n for row in benchmarks(rows))
    return f"compare|{methods}|rows:{len(rows)}|n:{n}|{correction}|level:{levels}|v:{__version__}"
