"""Where two runs disagree: the picture of their items, and the items themselves."""

from __future__ import annotations

from typing import Any

from evalstats.envelope import Change, Comparison, Pairing
from evalstats.report import figures, particulars
from evalstats.report.html import shown
from evalstats.report.labels import method_label
from evalstats.report.numbers import counted, p_text, rate, reading_of
from evalstats.report.numbers import is_fraction as in_hundredths

_OPEN_AT_FIRST = 12  # items of a list that are seen before it is opened
View = dict[str, Any]


def disagreement_view(row: Comparison) -> View | None:
    """The items as marks, their counts, and the coins that a McNemar test holds them against."""
    if row.pairing is None:
        return None
    groups = _groups(row, row.pairing)
    if groups is None:
        return None
    full, better, worse, hollow = (count for _, count in groups.values())
    n = full + better + worse + hollow
    picture = figures.mosaic(full, better, worse, hollow)
    said = ", ".join(f"{words} {count:,}" for words, count in groups.values() if words)
    return {
        "groups": [
            {"kind": kind, "words": words, "count": f"{count:,}"}
            for kind, (words, count) in groups.items()
            if words
        ],
        "total": f"{n:,}",
        "differ": better + worse,
        "differ_text": counted(better + worse, "item"),
        "picture": picture,
        "single": not picture.areas,
        "said": f"One mark an item, {n:,} in all: {said}.",
        "coins": _coins(row, row.pairing),
    }


def _groups(row: Comparison, pairing: Pairing) -> dict[str, tuple[str, int]] | None:
    """Kind of mark -> what the items have in common, and how many there are. Better is the candidate's."""
    old, new = particulars.called(row)
    if pairing.baseline_only is not None and pairing.candidate_only is not None:
        both, neither = pairing.both_right or 0, pairing.both_wrong or 0
        if row.higher_is_better:
            words = ("both right", f"only {new} right", f"only {old} right", "neither right")
            counts = (both, pairing.candidate_only, pairing.baseline_only, neither)
        else:
            words = ("both at 0", f"at 1 only in {old}", f"at 1 only in {new}", "both at 1")
            counts = (neither, pairing.baseline_only, pairing.candidate_only, both)
    elif pairing.baseline_higher is not None and pairing.candidate_higher is not None:
        words = ("the same score", f"better in {new}", f"better in {old}", "")
        moved = (pairing.candidate_higher, pairing.baseline_higher)
        counts = (pairing.tied or 0, *(moved if row.higher_is_better else moved[::-1]), 0)
    else:
        return None
    kinds = ("full", "better", "worse", "hollow")
    return dict(zip(kinds, zip(words, counts, strict=True), strict=True))


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
        "caption": f"Heads of {new} among {tossed} fair coins. Dark: as lopsided as observed, or more.",
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
    groups = _groups(row, row.pairing) if row.pairing else None
    traced = {
        "better": drawn and groups is not None and groups["better"][1] == len(better) <= figures.MOST_MARKS,
        "worse": drawn and groups is not None and groups["worse"][1] == len(worse) <= figures.MOST_MARKS,
    }
    with_text = any(change.texts is not None for change in row.changed)
    valued = row.pairing is None or row.pairing.baseline_only is None
    lists = []
    for kind, changes in (("better", better), ("worse", worse)):
        link = f"{prefix}{'u' if kind == 'better' else 'd'}" if traced[kind] else ""
        items = [
            _item(change, row, f"{link}{at}" if link else "", valued) for at, change in enumerate(changes)
        ]
        lists.append(
            {
                "kind": kind,
                "words": groups[kind][0] if groups else f"{kind} in the candidate",
                "count": f"{len(changes):,}",
                "first": items[:_OPEN_AT_FIRST],
                "more": items[_OPEN_AT_FIRST:],
                "more_text": f"{len(items) - _OPEN_AT_FIRST:,} more",
            }
        )
    return {"lists": lists, "n": len(row.changed), "with_text": with_text, "valued": valued}


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
            "prompt": shown.passage(change.texts.prompt),
            "target": shown.passage(change.texts.target),
            "baseline": shown.passage(change.texts.baseline),
            "candidate": shown.passage(change.texts.candidate),
        }
    return {"id": shown.name(change.item, 60) + epoch, "link": link, "moved": moved, "texts": texts}
