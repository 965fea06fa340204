"""Signs of contamination in a notebook: the number, what it says, what it rests on."""

from __future__ import annotations

from evalstats.analyses.contamination_result import Contamination
from evalstats.report import contamination_text, notebook
from evalstats.report.numbers import p_digits
from evalstats.report.tables import Column


def html(result: Contamination) -> str:
    """What a notebook shows; of rewritten items the comparison below its reading."""
    notes = [*contamination_text.reading(result), *contamination_text.sentences(result)]
    view = notebook.table(_columns(result))
    caption = contamination_text.heading(result)
    numbers = contamination_text.numbers(result)
    shown = notebook.page({"answer": " ".join(numbers[:1]), "caption": caption, **view, "notes": notes})
    return shown if result.comparisons is None else shown + notebook.html(result.comparisons)


def _columns(result: Contamination) -> list[Column]:
    """The sides of each benchmark, or the orders."""
    if result.order is not None:
        test = result.order
        return [
            Column("published order", (f"{test.statistic:.6g}",)),
            Column("mean of shuffled", (f"{test.statistic - test.effect:.6g}",)),
            Column("p", (p_digits(test.pvalue, result.alpha),)),
        ]
    if result.comparisons is not None:
        rows = result.comparisons.primary
        return [
            Column("benchmark", tuple(row.benchmark for row in rows), right=False),
            Column("rewritten − original", tuple(row.direction.replace("_", " ") for row in rows)),
        ]
    return [
        Column("benchmark", tuple(one.benchmark for one in result.cut_offs), right=False),
        Column("newer items", tuple(one.direction.replace("_", " ") for one in result.cut_offs)),
    ]
