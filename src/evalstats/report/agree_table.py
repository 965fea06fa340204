"""What stands on every view of an agreement: its tables, and the sentences under them."""

from __future__ import annotations

import math

from evalstats.analyses.agree_result import Agreement
from evalstats.caveats import CAVEATS
from evalstats.report.agree_wording import interval, meaning, value, verdict, who
from evalstats.report.labels import method_label
from evalstats.report.numbers import counted, listed, p_digits
from evalstats.report.particulars import has_interval, unchecked_words, why_undefined
from evalstats.report.tables import Column
from evalstats.report.terminal import clean
from evalstats.results import Estimate

_SHORT = 14
_MOST_CLASSES = 12
_OF_RATES = ("few_informative", "named_method_weak", "few_clusters", "few_informative_clusters")
_FEW_CLASSES = 5  # whose counts stand beside the rates


def tables_below(result: Agreement) -> list[list[Column]]:
    """The measures, where there are more than the one that leads, and the classes."""
    alone = len(result.rows) == 1 and result.ceiling is None
    return [columns for columns in ([] if alone else measures(result), classes(result)) if columns]


def ceiling(result: Agreement) -> list[Column]:
    """The judge's agreement with humans, theirs with each other, and the difference."""
    one = result.ceiling
    if one is None:
        return []
    shown = (one.judge, one.humans)
    p = "" if math.isnan(one.test.pvalue) else p_digits(one.test.pvalue)
    return [
        Column("", ("judge with humans", "humans with humans", "difference"), right=False),
        Column(
            result.rows[0].estimate.name, (*(value(e) for e in shown), value(one.difference, signed=True))
        ),
        Column("interval", (*(interval(e) for e in shown), interval(one.difference, signed=True))),
        Column("p", ("", "", p)),
        Column("method", tuple(_method(e) for e in (*shown, one.difference)), keep=1, right=False),
    ]


def answers(result: Agreement) -> list[str]:
    """What the first numbers say, in words."""
    if result.ceiling is None:
        return meaning(result)
    n = counted(result.ceiling.n, "item")
    return [f"{verdict(result.ceiling)} (on the {n} that all labelled).", *meaning(result)]


def measures(result: Agreement) -> list[Column]:
    rows = result.rows
    several = len({(row.kind, row.raters) for row in rows}) > 1
    return [
        Column("", tuple(row.estimate.name for row in rows), right=False),
        Column("of", tuple(who(row) if several else "" for row in rows), right=False, shrink=True),
        Column("value", tuple(value(row.estimate) for row in rows)),
        Column("interval", tuple(interval(row.estimate) for row in rows)),
        Column("items", tuple(f"{row.estimate.n:,}" for row in rows), keep=2),
        Column("method", tuple(_method(row.estimate) for row in rows), keep=1, right=False),
    ]


def _method(estimate: Estimate) -> str:
    return method_label(estimate.method) if has_interval(estimate) else ""


def classes(result: Agreement) -> list[Column]:
    """Each class with what the judge made of it, its recall and precision; none without a judge."""
    matrix = result.matrix
    if matrix is None:
        return []
    shown = matrix.classes[:_MOST_CLASSES]
    names = tuple(clean(one.category, _SHORT) for one in shown)
    judge = clean(matrix.columns, _SHORT)
    counts = [
        Column(f"{judge}: {name}" if not at else name, tuple(f"{row[at]:,}" for row in matrix.counts), keep=1)
        for at, name in enumerate(names)
    ]
    return [
        Column(clean(matrix.rows, 24), names, right=False),
        Column("items", tuple(f"{one.n_human:,}" for one in shown)),
        *(counts if len(matrix.classes) <= _FEW_CLASSES else []),
        Column("recall", tuple(value(one.recall) for one in shown)),
        Column("", tuple(_bracketed(one.recall) for one in shown)),
        Column("precision", tuple(value(one.precision) for one in shown), keep=3),
        Column("", tuple(_bracketed(one.precision) for one in shown), keep=2),
    ]


def _bracketed(rate: Estimate) -> str:
    """Whole per cent: classes are small."""
    return f"({100 * rate.ci_low:.0f} to {100 * rate.ci_high:.0f})" if has_interval(rate) else ""


def sentences(result: Agreement) -> list[str]:
    return [
        *_no_ceiling(result),
        *_unlabelled(result),
        *_left_out(result),
        *_unknown(result),
        *_caveats(result),
        f"Reach: items like these.{unchecked_words(result.not_checked)}",
    ]


def _no_ceiling(result: Agreement) -> list[str]:
    judged = result.raters[0].role == "judge"
    return [f"No ceiling: {clean(result.no_ceiling)}."] if judged and result.ceiling is None else []


def _unlabelled(result: Agreement) -> list[str]:
    counts = [one.n_labelled for one in result.raters]
    said = []
    if min(counts) < result.n_items:
        each = [f"{clean(one.name, _SHORT)} {one.n_labelled:,}" for one in result.raters]
        said.append(f"Labelled, of {counted(result.n_items, 'item')}: {listed(each, 6)}.")
    if result.n_blank:
        have = "has" if result.n_blank == 1 else "have"
        said.append(f"{counted(result.n_blank, 'row')} of the file {have} no label yet.")
    return said


def _left_out(result: Agreement) -> list[str]:
    matrix = result.matrix
    if matrix is None:
        return []
    more = len(matrix.classes) - _MOST_CLASSES
    said = [f"{more} more classes are in the JSON."] if more > 0 else []
    if matrix.n_tied:
        are = "is" if matrix.n_tied == 1 else "are"
        items = counted(matrix.n_tied, "item")
        said.append(f"{items} without a majority among humans {are} left out of the table of classes.")
    return said


def _unknown(result: Agreement) -> list[str]:
    """Other rows without a number, or without an interval, and why."""
    reasons: dict[str, list[str]] = {}
    for row in result.rows[1:]:
        if not has_interval(row.estimate):
            reasons.setdefault(why_undefined(row.estimate), []).append(row.estimate.name)
    return [f"{listed(list(dict.fromkeys(names)))}: {clean(why)}." for why, names in reasons.items()]


def _caveats(result: Agreement) -> list[str]:
    """Each caveat once: in its own words where only one row has it, or all say the same."""
    found: dict[str, list[str]] = {}
    for row in result.rows:
        for one in row.caveats:
            rate = "agreement: " if row.measure == "agreement" and one["code"] in _OF_RATES else ""
            found.setdefault(one["code"], []).append(f"{rate}{one['text']}")
    said = []
    for key, texts in found.items():
        text = clean(texts[0]) if len(set(texts)) == 1 else CAVEATS[key]
        said.append(f"{text[:1].upper()}{text[1:]}.")
    return said
