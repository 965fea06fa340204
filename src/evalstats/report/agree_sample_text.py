"""`agree sample` as text: where the file lies, and the width that its labels will buy."""

from __future__ import annotations

from evalstats.analyses.agree_sample import Sample, SampleWidth
from evalstats.report.lines import Line, paragraphs, rendered, spaced
from evalstats.report.markdown_parts import bullets, columns_table, escaped
from evalstats.report.numbers import counted, percent
from evalstats.report.particulars import LABEL
from evalstats.report.tables import Column, laid_out
from evalstats.report.terminal import NB, clean


def sample_text(result: Sample, width: int = 80, color: bool = False) -> str:
    """What `agree sample` prints."""
    table = laid_out(columns(result)) if result.widths else []
    blocks = [
        paragraphs([heading(result)], width, "title", indent=0),
        paragraphs(first(result), width),
        [Line(text, "plain" if at else "faint") for at, text in enumerate(table)],
        paragraphs(rest(result), width),
    ]
    return rendered(spaced(blocks), color)


def sample_markdown(result: Sample) -> str:
    """What `agree sample --markdown` prints."""
    table = [*columns_table(columns(result)), ""] if result.widths else []
    parts = [f"**{escaped(heading(result))}**", "", *bullets(first(result)), "", *table]
    return "\n".join([*parts, *bullets(rest(result))]) + "\n"


def heading(result: Sample) -> str:
    where = f"{clean(result.benchmark, 60)} · {clean(result.metric, LABEL)}"
    return f"{where} · {result.n:,} of {counted(result.n_items, 'scored item')}, drawn at random"


def first(result: Sample) -> list[str]:
    where = f"{clean(result.out)} written" if result.out else "Drawn"
    rows = counted(len(result.rows), "row")
    return [
        f"{where}: {rows} in random order, seed {result.seed}, without the judge's verdict.",
        "Fill in its column `label` without looking at the run; what stays blank counts as not labelled.",
    ]


def columns(result: Sample) -> list[Column]:
    """What so many labels will buy, by how well the judge agrees."""
    title = "if judge and label agree on" if result.pass_fail else "if judge and label correlate at"
    found = [Column(title, tuple(_given(one) for one in result.widths))]
    if result.pass_fail:
        found.append(Column("kappa", tuple(_kappa(one) for one in result.widths)))
    return [*found, Column("corrected score", tuple(_half(one.corrected, result) for one in result.widths))]


def _given(one: SampleWidth) -> str:
    return f"{one.correlation:.1f}" if one.agreement is None else f"{100 * one.agreement:.0f}{NB}%"


def _kappa(one: SampleWidth) -> str:
    return "" if one.kappa is None else f"{one.correlation:.2f} ± {one.kappa:.2f}"


def _half(half: float, result: Sample) -> str:
    return f"± {100 * half:.1f}{NB}points" if result.fraction else f"± {half:.3g}"


def rest(result: Sample) -> list[str]:
    path = clean(result.out) if result.out else "labels.csv"
    run = clean(result.provenance.runs[0]) or "RUN"
    alone = " --cluster none" if result.clusters else ""
    return [
        _widths(result),
        *_clusters(result),
        f"Then: evalstats agree {path} {run}",
        f"and, for the corrected score: evalstats judge {run} --labels {path}{alone}",
    ]


def _clusters(result: Sample) -> list[str]:
    if result.clusters is None:
        return []
    return [
        f"Items are in clusters of {clean(result.clusters)}: the corrected score is offered for items "
        "taken as independent only (--cluster none), and its width is then too small where clusters differ."
    ]


def _widths(result: Sample) -> str:
    if not result.widths:
        return "The scores hardly vary, so that what labels will buy cannot be told beforehand."
    alone = f"without the judge's scores the labels alone give {_half(result.alone, result)}"
    return f"±: half of the {percent(result.level)} interval to expect; {alone}."
