"""Plans and several attempts in a notebook: the answer, and their table."""

from __future__ import annotations

from evalstats.analyses.agree_result import Agreement
from evalstats.analyses.passk_result import Attempts
from evalstats.analyses.size_result import Size
from evalstats.analyses.variance_result import Variances
from evalstats.report import agree_table, agree_wording, passk_text, size_text, variance_text
from evalstats.report.notebook import page, table


def size_html(result: Size) -> str:
    """What a notebook shows of a plan; no style sheet and no script."""
    needs = size_text.needs_said(result)
    answer = f"{needs[0][0]} {needs[0][1][0]}" if needs else ""
    rest = [said for lead, formulas in needs for said in (lead, *formulas)][2:]
    first, *others = size_text.tables(result)
    notes = [*rest, *size_text.decides(result), *size_text.sentences(result)]
    view = page({"answer": answer, "caption": size_text.heading(result), **table(first), "notes": notes})
    return view + "".join(page({"caption": "", **table(columns)}) for columns in others)


def attempts_html(result: Attempts) -> str:
    """What a notebook shows of several attempts: a table a benchmark."""
    views = []
    for one in result:
        view = table(passk_text.columns(one))
        said = [*view["notes"], *passk_text.sentences(one)]
        views.append(page({**view, "caption": passk_text.heading(one), "notes": said}))
    return "".join(views)


def variances_html(result: Variances) -> str:
    """What a notebook shows of components: the answer and the sources, then what one more of each brings."""
    views = []
    for one in result:
        first, *others = variance_text.tables(one)
        answer, *rest = variance_text.answer(one)
        notes = [*rest, *variance_text.sentences(one)]
        shown = table(first)
        views.append(page({"answer": answer, "caption": variance_text.heading(one), **shown, "notes": notes}))
        views += [page({"caption": "", **table(columns)}) for columns in others]
    return "".join(views)


def agreement_html(result: Agreement) -> str:
    """What a notebook shows of an agreement: the answer, the measures, the classes."""
    first, *others = [
        columns for columns in (agree_table.ceiling(result), agree_table.measures(result)) if columns
    ]
    others += [agree_table.classes(result)] if result.matrix is not None else []
    notes = [*agree_table.answers(result)[1:], *agree_table.sentences(result)]
    answer = agree_wording.lead(result.rows[0]) if result.ceiling is None else agree_table.answers(result)[0]
    caption = agree_wording.heading(result)
    view = page({"answer": answer, "caption": caption, **table(first), "notes": notes})
    return view + "".join(page({"caption": "", **table(columns)}) for columns in others)
