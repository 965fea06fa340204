"""A judge in a notebook: the answer, and its tables."""

from __future__ import annotations

from typing import Any

from evalstats.analyses.judge_checks_result import JudgeBias, JudgeDrift
from evalstats.analyses.judge_result import Judged
from evalstats.report import judge_checks_text, judge_text
from evalstats.report.notebook import page, table


def judged_html(result: Judged) -> str:
    """What a notebook shows of a corrected score; no style sheet and no script."""
    views = []
    for one in result:
        first, *others = judge_text.tables_of(one)
        notes = [*judge_text.first_sentences(one), *judge_text.sentences(one)]
        answer = {"answer": judge_text.headline(one), "caption": judge_text.heading(one), "notes": notes}
        views.append(page({**table(first), **answer}))
        views += [page({"caption": "", **table(columns)}) for columns in others]
    return "".join(views)


def drift_html(result: JudgeDrift) -> str:
    """What a notebook shows of a judge's drift."""
    views = []
    for one in result:
        answer, caption = judge_checks_text.drift_answer(one), judge_checks_text.drift_heading(one)
        view = table(judge_checks_text.drift_columns(one))
        notes = judge_checks_text.drift_sentences(one)
        views.append(page({**view, "answer": answer, "caption": caption, "notes": notes}))
    return "".join(views)


def bias_html(result: JudgeBias) -> str:
    """What a notebook shows of a judge's biases."""
    nothing: dict[str, Any] = {"columns": [], "rows": []}
    view = table(judge_checks_text.bias_columns(result)) if result.figures else nothing
    caption, notes = judge_checks_text.bias_heading(result), judge_checks_text.bias_sentences(result)
    return page({**view, "caption": caption, "notes": notes})
