"""Slices in sentences: shared by text, Markdown, notebooks and the page."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from evalstats._version import __version__
from evalstats.analyses.slices_result import Slice, Slices
from evalstats.caveats import CAVEATS
from evalstats.envelope import Comparison, Score
from evalstats.report import cut_offs, families, particulars, scoring, wording
from evalstats.report.labels import method_label
from evalstats.report.numbers import counted, listed, percent
from evalstats.report.particulars import LABEL
from evalstats.report.terminal import NB, clean
from evalstats.results import Estimate

NO_VALUE = "no value"
_NAMED = 3  # slices that a sentence names before it counts the rest
_OF_THE_WHOLE = ("identical_runs", "same_file")  # said once, of all items
_SHARED = "clusters_in_several_slices"


def in_order(result: Slices) -> list[Slice]:
    """Worse first, then better, not settled, not tested, no value; no order of size, which would be false."""
    order = {"regressed": 0, "worse": 0, "improved": 1, "better": 1}
    untested = (2, 3, 4)
    return sorted(
        result,
        key=lambda one: order.get(one.direction, untested[(not one.tested) + (one.value is None)]),
    )


def name(one: Slice, result: Slices) -> str:
    """ "law", with its field where there are several, and its benchmark."""
    value = NO_VALUE if one.value is None else clean(one.value, LABEL)
    field = f"{clean(one.field, LABEL)}={value}" if len(result.by) > 1 else value
    return f"{clean(one.benchmark, LABEL)} {field}" if len(result.whole) > 1 else field


def compared(one: Slice, result: Slices) -> Comparison | None:
    """Its comparison, called as the slice is where families of rows are spoken of."""
    if one.comparison is None:
        return None
    caveats = tuple(c for c in one.comparison.caveats if c["code"] not in _OF_THE_WHOLE)
    return dataclasses.replace(one.comparison, benchmark=name(one, result), slice=None, caveats=caveats)


def tested_rows(result: Slices) -> list[Comparison]:
    """The comparisons of the tested slices, worse first."""
    rows = (compared(one, result) for one in in_order(result) if one.tested)
    return [row for row in rows if row is not None]


def compared_rows(result: Slices) -> list[Comparison]:
    """The comparisons of the slices that are large enough, also of those that were not tested."""
    rows = (compared(one, result) for one in in_order(result) if not one.small)
    return [row for row in rows if row is not None]


def scores_of(result: Slices) -> list[Score]:
    """The own scores of the slices that are large enough, called as the slices are."""
    return [
        dataclasses.replace(one.score, benchmark=name(one, result), slice=None)
        for one in in_order(result)
        if one.score is not None and not one.small
    ]


def heading(result: Slices) -> str:
    """ "week-31 · reasoning-500 · accuracy · 12 slices by topic, 500 items"."""
    first = result.whole[0]
    cut = f"{counted(_slices(result), 'slice')} by {listed([clean(field, LABEL) for field in result.by])}"
    if len(result.whole) > 1:
        return f"{runs(result)} · {counted(len(result.whole), 'benchmark')} · {cut}"
    asked = particulars.question(first.benchmark, first.metric, None)
    return f"{runs(result)} · {asked} · {cut}, {_items(first)}"


def _slices(result: Slices) -> int:
    return sum(one.value is not None for one in result)


def runs(result: Slices) -> str:
    """ "week-32 against week-31"."""
    whole = result.whole[0]
    if whole.comparison is not None:
        row = whole.comparison
        return f"{particulars.label(row.candidate)} against {particulars.label(row.baseline)}"
    return "" if whole.score is None else particulars.label(whole.score.run)


def _items(whole: Slice) -> str:
    if whole.comparison is not None:
        paired = "paired" if whole.comparison.design.paired else "not paired"
        return f"{wording.items(whole.comparison.design)}, {paired}"
    return "" if whole.score is None else wording.items(whole.score.design)


def whole_line(result: Slices) -> str | None:
    """ "All 500 items: 72.0 %, 67.9 to 75.8 (95 %, Wilson)." for one benchmark."""
    if len(result.whole) > 1:
        return None
    (one,) = result.whole
    if one.comparison is not None:
        said = f"{wording.difference(one.comparison)}, {wording.signed_interval(one.comparison)}"
    elif one.score is not None:
        said = f"{scoring.score_value(one.score)}, {scoring.score_interval(one.score)}"
    return f"All {counted(one.n_items, 'item')}: {said} ({particulars.interval_source(estimate_of(one))})."


def cut_off_lines(result: Slices) -> list[str]:
    """After − before, of a split; of one run on one benchmark it is the finding."""
    return [] if _is_cut_off(result) else cut_offs.cut_off_lines(result.cut_offs)


def _is_cut_off(result: Slices) -> bool:
    """Whether the one test is of the newer side against the older."""
    return result.against == "rest" and len(result.cut_offs) == 1


def estimate_of(one: Slice) -> Estimate:
    """What a slice is about: the difference of two runs, or the score of one."""
    if one.score is not None:
        return one.score.run.estimate
    assert one.comparison is not None
    return one.comparison.difference


def finding(result: Slices) -> str:
    """The answer over all slices, from settled ones only."""
    if _is_cut_off(result):
        return cut_offs.cut_off_line(result.cut_offs[0])
    rows = tested_rows(result)
    if not rows:
        return _nothing_tested(result)
    if result.against == "rest":
        return _against_the_rest(rows, "the rest" if result.split is None else "before")
    if len(rows) > 1:
        return families.finding(rows, "slice")
    said = wording.headline(rows[0], result.family)
    return f"{rows[0].benchmark}: {said[:1].lower()}{said[1:]}"


def _against_the_rest(rows: Sequence[Comparison], rest: str) -> str:
    groups = [
        (verb, [row for row in rows if row.direction == direction])
        for direction, verb in (("regressed", "worse"), ("improved", "better"))
    ]
    left = len(rows) - sum(len(group) for _, group in groups)
    if left == len(rows):
        return f"No slice is told apart from {rest}."
    said = [
        f"{len(group):,} of {len(rows):,} {verb} than {rest}: {listed(list(map(_named, group)), _NAMED)}"
        for verb, group in groups
        if group
    ]
    tail = f" The other {f'{left:,} are' if left > 1 else 'one is'} not told apart from it." if left else ""
    return f"{'; '.join(said)}.{tail}"


def _named(row: Comparison) -> str:
    return f"{row.benchmark} {particulars.difference_of(row.difference, row)}"


def _nothing_tested(result: Slices) -> str:
    known = [one for one in result if one.value is not None]
    if known and all(one.status == "too_small" for one in known):
        slices = "the one slice has not" if len(known) == 1 else f"none of the {len(known):,} slices has"
        return f"Too small to say: {slices} 10 items."
    if len(known) == 1 and known[0].status == "no_rest":
        return "One slice: there is no other to hold it against."
    return "No slice could be tested."


def flags(result: Slices) -> list[str]:
    """Red flags of all items, then those of the slices that are settled."""
    of_all = [
        flag for one in result.whole if one.comparison for flag in particulars.flag_lines(one.comparison)
    ]
    settled = [row for row in tested_rows(result) if row.direction != "not_settled"]
    return [*of_all, *families.family_flags(settled)]


def margin_line(result: Slices) -> str | None:
    return families.margin_count_line(tested_rows(result))


def notes(result: Slices, without_mde: bool = False) -> list[str]:
    """What holds for all slices, most important first."""
    reach = particulars.reach_line(estimate_of(result.whole[0]), unchecked(result))
    return [*table_notes(result, without_mde), *care_notes(result), reach]


def table_notes(result: Slices, without_mde: bool = False) -> list[str]:
    """What luck would light, and what the columns of the table are."""
    rows, scores = tested_rows(result), scores_of(result)
    said = _of_scores(result, rows, scores) if scores else _of_differences(result, rows, without_mde)
    return [line for line in (*said, _why_line(result), _no_value_line(result)) if line]


def care_notes(result: Slices) -> list[str]:
    """What to know before relying on the numbers."""
    rows, scores = tested_rows(result), scores_of(result)
    said = [
        *families.family_caveats(scores or rows),
        _shared_clusters_line(rows) if scores else None,
        scoring.scores_missing_line(scores) if scores else families.family_missing_line(rows),
        *_join_lines(result),
        families.family_cluster_line(scores or rows, "slice", result.by),
    ]
    return [line for line in said if line]


def unchecked(result: Slices) -> tuple[str, ...]:
    """The checks that the logs did not allow."""
    rows = [row for one in result.whole for row in (one.score, one.comparison) if row is not None]
    return particulars.all_unchecked(rows)


def _of_scores(result: Slices, rows: Sequence[Comparison], scores: Sequence[Score]) -> list[str | None]:
    """Of one run: luck, and what the columns are."""
    own = [score.run.estimate for score in scores]
    if not rows:
        return [f"Interval: of the slice's own score ({_made(own)})."]
    tests = list(dict.fromkeys(method_label(row.test.method) for row in rows if row.test is not None))
    apart = _made([row.difference for row in rows])
    return [
        _luck_line(result, rows, "all slices were alike"),
        f"Interval: of the slice's own score ({_made(own)}), each alone.",
        f"− rest: the slice less the other items that have a value ({apart}; p: {listed(tests)}). "
        f"{families.unit_line(rows)}",
        families.unlit_line(result.family, rows),
        families.mde_range_line(rows),
        families.direction_line(rows),
    ]


def _luck_line(result: Slices, rows: Sequence[Comparison], null: str) -> str | None:
    """Nothing to say of luck where under two slices have a p."""
    known = [row for row in rows if row.test is not None and math.isfinite(row.test.pvalue)]
    return families.luck_line(result.family, rows, null) if len(known) > 1 else None


def _made(estimates: Sequence[Estimate]) -> str:
    """ "95 %, Wilson"."""
    levels = list(dict.fromkeys(percent(estimate.level) for estimate in estimates))
    methods = list(dict.fromkeys(method_label(estimate.method) for estimate in estimates))
    return f"{' and '.join(levels)}, {listed(methods)}"


def _of_differences(result: Slices, rows: Sequence[Comparison], without_mde: bool) -> list[str | None]:
    """Of two runs: luck, and what the columns are."""
    if not rows:
        return []
    shows = (
        families.mde_range_line(rows)
        if without_mde
        else f"Shows: the smallest true difference that the row would show with 80{NB}% power."
    )
    return [
        _luck_line(result, rows, "nothing had changed"),
        families.alone_line(result.family, rows),
        f"{families.unit_line(rows)} {shows}",
        families.direction_line(rows),
        families.family_changed_line(rows),
    ]


def left_out(left: Sequence[Slice]) -> str | None:
    """What a table had no room for."""
    if not left:
        return None
    lit = sum(one.direction != "not_settled" for one in left)
    small = sum(one.small for one in left)
    said = [
        f"{lit:,} settled" if lit else "none settled",
        *([f"{small:,} too small to say"] if small else []),
    ]
    return f"And {counted(len(left), 'more slice')} ({', '.join(said)}): see --json."


def _why_line(result: Slices) -> str | None:
    """The slices that were not tested, by the reason."""
    reasons: dict[str, list[str]] = {}
    for one in in_order(result):
        if one.status in ("too_small", "rest_too_small", "no_answer"):
            why = "under 10 items, not tested" if one.status == "too_small" else one.why
            reasons.setdefault(why, []).append(name(one, result))
    said = [f"{listed(names, _NAMED)}: {clean(why).rstrip('.')}." for why, names in reasons.items()]
    return " ".join(said) or None


def _no_value_line(result: Slices) -> str | None:
    """The items that are in no slice."""
    several = len(result.whole) > 1
    said = [
        f"{counted(one.n_items, 'item')} without {clean(one.field, LABEL)}"
        + (f" on {clean(one.benchmark, LABEL)}" if several else "")
        for one in result
        if one.value is None
    ]
    return f"No value: {listed(said)}; in no slice, and in no rest." if said else None


def _shared_clusters_line(rows: Sequence[Comparison]) -> str | None:
    """Of one run only the comparison with the rest knows of clusters in several slices."""
    names = [row.benchmark for row in rows if any(c["code"] == _SHARED for c in row.caveats)]
    return f"{listed(names, _NAMED)}: {CAVEATS[_SHARED]}." if names else None


def _join_lines(result: Slices) -> list[str]:
    """Items that two runs do not share."""
    rows = [one.comparison for one in result.whole if one.comparison is not None]
    return particulars.join_lines(rows[0].pairing) if len(rows) == 1 else []


def also_line(result: Slices) -> str | None:
    return particulars.also_line(result.also)


def signature(result: Slices) -> str:
    """`slices|wilson|rows:12|n:500|benjamini_hochberg:0.05|level:0.95|v:…`."""
    estimates = [estimate_of(one) for one in result if one.score is not None or one.comparison is not None]
    methods = "+".join(dict.fromkeys(estimate.method for estimate in estimates))
    levels = "+".join(dict.fromkeys(f"{estimate.level:g}" for estimate in estimates))
    family = result.family
    correction = f"{family.method}:{family.alpha:.4g}" if family else "correction:none"
    n = sum(one.n_items for one in result.whole)
    return f"slices|{methods}|rows:{len(result)}|n:{n}|{correction}|level:{levels}|v:{__version__}"
