"""`gate` as text: the answer, the difference it rests on, and what this gate does to an unchanged run."""

from __future__ import annotations

import dataclasses

from evalstats.analyses.gate_result import Gate
from evalstats.envelope import Comparison
from evalstats.report import families, gate_wording, particulars
from evalstats.report.lines import Line, paragraphs, rendered, signature_lines, spaced
from evalstats.report.tables import fitted, laid_out
from evalstats.report.text import answer_lines, difference_lines, side_lines
from evalstats.report.text_families import family_columns

_TONES = {"pass": "better", "fail": "worse"}


def gate_text(gate: Gate, width: int = 80, color: bool = False) -> str:
    """What `gate` prints. width : columns; no line is longer, except by a word that cannot be broken."""
    head = [
        *paragraphs([gate_wording.verdict_line(gate)], width, _TONES.get(gate.answer, "open"), indent=0),
        *paragraphs([gate_wording.subject_line(gate)], width, "title", indent=0),
        *paragraphs(gate_wording.reason_lines(gate), width),
    ]
    chances = paragraphs(gate_wording.chance_lines(gate), width)
    rows = gate.comparisons.primary
    if gate.macro is not None:
        body = _macro(gate, gate.macro, chances, width)
    elif len(gate.decisions) == 1 and rows:
        body = _single(rows[0], chances, width)
    else:
        body = _planned(gate, chances, width)
    return rendered(spaced([head, *body]), color)


def _answer(row: Comparison, width: int) -> list[Line]:
    """Items needed are said with the chances."""
    return answer_lines(dataclasses.replace(row, needed=None), width)


def _single(row: Comparison, chances: list[Line], width: int) -> list[list[Line]]:
    """One benchmark, as `compare` has it."""
    return [
        difference_lines(row, width),
        _answer(row, width),
        chances,
        paragraphs(particulars.flag_lines(row), width, "flag"),
        side_lines(row, width),
        paragraphs(particulars.care_lines(row), width),
        [
            *paragraphs(particulars.reach_lines(row), width),
            *signature_lines(row.signature, width),
        ],
    ]


def _macro(gate: Gate, macro: Comparison, chances: list[Line], width: int) -> list[list[Line]]:
    """The macro average carries the margin; the benchmarks stand below it."""
    rows = families.in_order(gate.comparisons.primary)
    table = laid_out(fitted(family_columns(rows, gate.family), width - 2))
    return [
        difference_lines(macro, width),
        _answer(macro, width),
        chances,
        paragraphs(families.family_flags(rows), width, "flag"),
        side_lines(macro, width),
        [Line(text, "plain" if at else "faint") for at, text in enumerate(table)],
        [
            *paragraphs([families.finding(rows)], width),
            *paragraphs(gate_wording.notes(gate, rows), width),
            *signature_lines(macro.signature, width),
        ],
    ]


def _planned(gate: Gate, chances: list[Line], width: int) -> list[list[Line]]:
    """A table of the plan's benchmarks, in its order."""
    rows = gate.comparisons.primary
    table = laid_out(fitted(gate_wording.decision_columns(gate), width - 2))
    blocks = [[Line(text, "plain" if at else "faint") for at, text in enumerate(table)], chances]
    if rows:
        blocks += [
            paragraphs(families.family_flags(rows), width, "flag"),
            [
                *paragraphs(gate_wording.notes(gate, rows), width),
                *signature_lines(families.family_signature(gate.comparisons), width),
            ],
        ]
    return blocks
