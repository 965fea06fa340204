"""Plans and several attempts in a notebook: the answer, and their table."""

from __future__ import annotations

from evalstats.analyses.passk_result import Attempts
from evalstats.analyses.size_result import Size
from evalstats.report import passk_text, size_text
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
