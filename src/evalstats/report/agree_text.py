"""`agree` as text and Markdown: the coefficient and what it means first, then classes and other measures."""

from __future__ import annotations

from evalstats.analyses.agree_result import Agreement
from evalstats.report.agree_table import answers, ceiling, sentences, tables_below
from evalstats.report.agree_wording import heading, lead
from evalstats.report.lines import Line, paragraphs, rendered, signature_lines, spaced
from evalstats.report.markdown_parts import bullets, code, columns_table, escaped
from evalstats.report.tables import Column, fitted, laid_out
from evalstats.report.terminal import NB


def agreement_text(result: Agreement, width: int = 80, color: bool = False) -> str:
    """What `agree` prints."""
    tables = [_lines(columns, width) for columns in tables_below(result)]
    blocks = [
        paragraphs([heading(result)], width, "title", indent=0),
        _first(result, width),
        paragraphs(answers(result), width),
        *tables,
        [*paragraphs(sentences(result), width), *signature_lines(result.signature, width)],
    ]
    return rendered(spaced(blocks), color)


def agreement_markdown(result: Agreement) -> str:
    """What `agree --markdown` prints."""
    parts = [f"**{escaped(heading(result))}**", ""]
    if result.ceiling is None:
        parts += [f"**{escaped(lead(result.rows[0]))}**", ""]
    else:
        parts += [*columns_table(ceiling(result)), ""]
    parts += [*bullets(answers(result)), ""]
    for columns in tables_below(result):
        parts += [*columns_table(columns), ""]
    said = bullets([*sentences(result), *result.notes])
    return "\n".join([*parts, *said, "", code(result.signature)]) + "\n"


def _lines(columns: list[Column], width: int) -> list[Line]:
    return [
        Line(text, "plain" if at else "faint") for at, text in enumerate(laid_out(fitted(columns, width - 2)))
    ]


def _first(result: Agreement, width: int) -> list[Line]:
    """The answer: one coefficient, or judge and humans against humans."""
    if result.ceiling is None:
        return [Line(f"  {lead(result.rows[0])}".replace(NB, " "), "open")]
    return _lines(ceiling(result), width)
