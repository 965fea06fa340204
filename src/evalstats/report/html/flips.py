"""Where two runs disagree: the picture of their items, and the items themselves."""

from __future__ import annotations

from typing import Any

from evalstats.envelope import Change, Comparison, Pairing
from evalstats.report import figures, particulars
from evalstats.report.html import shown
from evalstats.report.labels import method_label
from evalstats.report.numbers import counted, p_text, rate, reading_of
from evalstats.report.numbers import is_fraction as in_hundredths
from evalstats.report.outcomes import outcomes

_OPEN_AT_FIRST = 12  # items of a list that are seen before it is opened
View = dict[str, Any]


def disagreement_view(row: Comparison) -> View | None:
    """The items as marks, their counts, and the coins that a McNemar test holds them against."""
    if row.pairing is None:
        return None
    groups = outcomes(row)
    if groups is None:
        return None
    counts = [group.count for group in groups]
    n, better, worse = sum(counts), groups[1].count, groups[2].count
    picture = figures.mosaic(*counts)
    named = [group for group in groups if group.words]
    said = ", ".join(f"{group.words} {group.count:,}" for group in named)
    return {
        "groups": [
            {"kind": group.kind, "words": group.words, "count": f"{group.count:,}"} for group in named
        ],
        "total": f"{n:,}",
        "differ": better + worse,
        "differ_text": counted(better + worse, "item"),
        "picture": picture,
        "single": not picture.areas,
        "said": f"One mark an item, {n:,} in all: {said}.",
        "coins": _coins(row, row.pairing),
    }


def _coins(row: Comparison, pairing: Pairing) -> View | None:
    """Only for McNemar's test: no coins stand behind any other."""
    test = row.test
    if test is None or test.method not in ("mcnemar_exact", "mcnemar_mid_p"):
        return None
    first, second = pairing.candidate_only or 0, pairing.baseline_only or 0
    if first + second == 0:
        return None
    new = particulars.called(row)[1]
    tossed, p = f"{first + second:,}", p_text(test.pvalue, 1 - row.difference.level)
    return {
        "picture": figures.coins(first, second),
        "n": tossed,
        "seen": f"{first:,} of {tossed} observed",
        "caption": f"Heads of {new} among {tossed} fair coins. Outer bars: as lopsided as observed, or more.",
        "said": f"Heads among {tossed} fair coins: a split of {first:,} to {second:,}, or wider: {p}.",
        "explained": (
            f"Were the two equal, each of the {tossed} would be a fair coin. A split of {first:,} to "
            f"{second:,}, or one more lopsided, has {p} ({method_label(test.method)})."
        ),
    }


def flips_view(row: Comparison, prefix: str, drawn: bool) -> View | None:
    """The items on which the runs differ, those better in the candidate first.

    drawn : each is a mark of the picture, to which it links.
    """
    if not row.changed:
        return None
    better, worse = _split(row)
    groups = {group.kind: group for group in outcomes(row) or ()}
    with_text = any(change.texts is not None for change in row.changed)
    valued = row.pairing is None or row.pairing.baseline_only is None
    lists, most = [], figures.MOST_MARKS
    if valued:  # the items that moved most are read first
        better, worse = (
            sorted(part, key=lambda c: -abs(c.candidate - c.baseline)) for part in (better, worse)
        )
    for kind, changes in (("better", better), ("worse", worse)):
        traced = drawn and kind in groups and groups[kind].count == len(changes) and len(row.changed) <= most
        link = f"{prefix}{'u' if kind == 'better' else 'd'}" if traced else ""
        items = [
            _item(change, row, f"{link}{at}" if link else "", valued) for at, change in enumerate(changes)
        ]
        lists.append(
            {
                "kind": kind,
                "words": groups[kind].words if groups else f"{kind} in the candidate",
                "count": f"{len(changes):,}",
                "first": items[:_OPEN_AT_FIRST],
                "more": items[_OPEN_AT_FIRST:],
                "more_text": f"{len(items) - _OPEN_AT_FIRST:,} more",
            }
        )
    return {"lists": lists, "n": len(row.changed), "with_text": with_text, "valued": valued}


def _moved(change: Change) -> float:
    return -abs(change.candidate - change.baseline)


def _split(row: Comparison) -> tuple[list[Change], list[Change]]:
    higher = [change for change in row.changed if change.candidate > change.baseline]
    lower = [change for change in row.changed if change.candidate < change.baseline]
    return (higher, lower) if row.higher_is_better else (lower, higher)


def _item(change: Change, row: Comparison, link: str, valued: bool) -> View:
    epoch = "" if change.epoch is None else f" · {change.epoch}"
    moved = ""
    if valued:
        reading = reading_of((change.baseline, change.candidate), in_hundredths(row.scale))
        moved = f"{reading.plain(change.baseline)} → {rate(reading, change.candidate)}"
    texts = None
    if change.texts is not None:
        texts = {
            "about": shown.gist(change.texts.prompt),
            "prompt": shown.passage(change.texts.prompt),
            "target": shown.passage(change.texts.target),
            "baseline": shown.passage(change.texts.baseline),
            "candidate": shown.passage(change.texts.candidate),
        }
    return {"id": shown.name(change.item, 60) + epoch, "link": link, "moved": moved, "texts": texts}
