"""An agreement as a page: the answer, the measures, and the confusion matrix with each class's rates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evalstats.analyses.agree_result import Agreement
from evalstats.report import agree_table as text
from evalstats.report import agree_wording as wording
from evalstats.report.html import shown
from evalstats.report.numbers import listed
from evalstats.report.tables import Column
from evalstats.report.terminal import clean

View = dict[str, Any]
_LONGEST = 60
_MATRIX = ("class", "items", "recall", "its interval", "precision", "its interval")


def agreement_view(result: Agreement) -> View:
    """What the template of an agreement needs."""
    people = [shown.name(one.name, _LONGEST) for one in result.raters]
    judged = result.raters[0].role == "judge"
    answers = text.answers(result)
    lead = "" if result.ceiling is not None else wording.lead(result.rows[0])
    said = text.sentences(result)
    return {
        "heading": wording.heading(result),
        "first": people[0] if judged else "Agreement",
        "against": "against" if judged else "of",
        "others": listed(people[1:] if judged else people),
        "lead": lead or f"{answers[0]}",
        "rest": answers if lead else answers[1:],
        "ceiling": _table(text.ceiling(result), ("", "", "interval", "p", "method")),
        "measures": _table(text.measures(result), ("measure", "of", "value", "interval", "items", "method")),
        "classes": _classes(result),
        "care": [{"code": "", "text": line} for line in said[:-1]],
        "reach": clean(said[-1], shown.SENTENCE),
        "unchecked": [],
        "signature": clean(result.signature, 400),
    }


def _classes(result: Agreement) -> View:
    """The judge's labels of each class of the human: counts as a matrix, then recall and precision."""
    columns = text.classes(result)
    if not columns:
        return _table([], ())
    first, items, *counts, recall, of_recall, precision, of_precision = columns
    ordered = [first, items, *counts, recall, of_recall, precision, of_precision]
    named = [f"class by {first.title}", "items", *(f"{column.title}" for column in counts), *_MATRIX[2:]]
    return _table(ordered, named)


def _table(columns: Sequence[Column], titles: Sequence[str]) -> View:
    """Columns as rows of cells; those without any text are left out, titles stand where a column has none."""
    named = zip(columns, titles, strict=True) if columns else ()
    kept = [(column, title or column.title) for column, title in named if any(column.texts)]
    return {
        "titles": [{"text": title, "number": column.right} for column, title in kept],
        "lines": list(zip(*(column.texts for column, _ in kept), strict=True)),
    }
