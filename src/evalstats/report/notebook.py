"""Results in a notebook: a plain table, everything from a log escaped."""

from __future__ import annotations

import html as markup
from collections.abc import Sequence

from evalstats.envelope import Comparisons, Score, Scorecard
from evalstats.report import families, particulars, scoring, wording
from evalstats.report.tables import Column
from evalstats.report.text_families import family_columns
from evalstats.report.text_scores import score_columns


def html(result: Comparisons | Scorecard) -> str:
    """A caption that says what it is, the answer, and one table row a benchmark."""
    if isinstance(result, Scorecard):
        rows: Sequence[Score] = result.primary
        caption = (
            scoring.score_heading(rows[0])
            if len(rows) == 1
            else f"{particulars.label(rows[0].run)} · {len(rows)} benchmarks"
        )
        return _page(caption, scoring.scores_interval_line(rows), score_columns(rows))
    if len(result) == 1:
        row = result.only
        return _page(wording.heading(row), wording.headline(row), family_columns([row], None))
    ordered = families.in_order(result.primary)
    columns = family_columns(ordered, result.family)
    return _page(families.family_heading(result), families.finding(ordered), columns)


def _page(caption: str, answer: str, columns: Sequence[Column]) -> str:
    kept = [column for column in columns if any(column.texts)]
    head = "".join(f'<th scope="col">{_safe(column.title)}</th>' for column in kept)
    body = "".join(
        "<tr>" + "".join(_cell(text, column) for text, column in zip(texts, kept, strict=True)) + "</tr>"
        for texts in zip(*(column.texts for column in kept), strict=True)
    )
    return (
        f"<table><caption>{_safe(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table><p>{_safe(answer)}</p>"
    )


def _cell(text: str, column: Column) -> str:
    side = "right" if column.right else "left"
    return f'<td style="text-align:{side}">{_safe(text)}</td>'


def _safe(text: str) -> str:
    return markup.escape(text)
